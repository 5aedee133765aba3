/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of files that are recognised so that a message can tell what they are. */
#include "formats/rows_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const struct {
	size_t at;
	const char *magic;
	size_t length;
	const char *what, *suffix;
	const char *own; /* a program of this kind with its words, or NULL */
} kinds[] = {
	{8, "WEBP", 4, "a WebP", "webp", "dwebp x.webp -o x.png"},
	{0, "II*\0", 4, "a TIFF", "tif", NULL},
	{0, "MM\0*", 4, "a TIFF", "tif", NULL},
	{0, "II+\0", 4, "a TIFF", "tif", NULL},
	{0, "MM\0+", 4, "a TIFF", "tif", NULL},
	{0, "GIF8", 4, "a GIF", "gif[0]", NULL},
	{4, "ftypavi", 7, "an AVIF", "avif", "avifdec x.avif x.png"},
	{4, "ftyphei", 7, "a HEIF", "heic", "heif-convert x.heic x.png"},
	{4, "ftyphev", 7, "a HEIF", "heic", "heif-convert x.heic x.png"},
	{4, "ftypmif1", 8, "a HEIF", "heic", "heif-convert x.heic x.png"},
	{4, "ftypmsf1", 8, "a HEIF", "heic", "heif-convert x.heic x.png"},
	{0, "\xff\x0a", 2, "a JPEG XL", "jxl", "djxl x.jxl x.png"},
	{0, "\0\0\0\x0cJXL ", 8, "a JPEG XL", "jxl", "djxl x.jxl x.png"},
	{0, "\0\0\0\x0cjP  ", 8, "a JPEG 2000", "jp2", "opj_decompress -i x.jp2 -o x.png"},
	{0, "\xff\x4f\xff\x51", 4, "a JPEG 2000", "j2k", "opj_decompress -i x.j2k -o x.png"},
	{0, "<svg", 4, "an SVG", "svg", "rsvg-convert x.svg -o x.png"},
	{0, "%PDF-", 5, "a PDF", "pdf", "pdftoppm -png x.pdf x"},
	{0, "8BPS", 4, "a Photoshop", "psd[0]", NULL},
	{0, "\x76\x2f\x31\x01", 4, "an OpenEXR", "exr", NULL},
	{0, "qoif", 4, "a QOI", "qoi", NULL},
};

int xc_file_program(const char *name, char *path, size_t room)
{
	const char *folders = strchr(name, '/') ? NULL : getenv("PATH");

	snprintf(path, room, "%s", name);
	if (!folders)
		return access(path, X_OK) == 0;
	while (*folders) {
		const int n = (int)strcspn(folders, ":");
		snprintf(path, room, "%.*s%s%s", n, folders, n ? "/" : "./", name);
		if (access(path, X_OK) == 0)
			return 1;
		folders += n + (folders[n] == ':');
	}
	return 0;
}

static int has(const char *command)
{
	char path[4096], name[32];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(command, " "), command);
	return xc_file_program(name, path, sizeof path);
}

const char *xc_file_magick(void)
{
	return !has("magick") && has("convert") ? "convert" : "magick";
}

/* A program of the kind's own does best.  What is not installed is named if nothing is. */
static void describe(size_t i, char message[XC_FILE_MESSAGE])
{
	const char *own = kinds[i].own, *magick = xc_file_magick();
	char command[64];

	snprintf(command, sizeof command, "%s x.%s x.png", magick, kinds[i].suffix);
	if (own && (has(own) || !has(magick)))
		snprintf(command, sizeof command, "%s", own);
	snprintf(message, XC_FILE_MESSAGE, "%s file: '%s' converts it%s", kinds[i].what, command,
	         has(command) ? "" : " (not installed)");
}

/* An SVG file may begin with a declaration, comments and a document type. */
static int is_svg(const char *data, size_t size)
{
	if (size < 2 || data[0] != '<' || (data[1] != '?' && data[1] != '!'))
		return 0;
	for (size_t i = 0; i + 4 <= size && i < 1024; i++)
		if (memcmp(data + i, "<svg", 4) == 0)
			return 1;
	return 0;
}

int xc_file_foreign(const void *data, size_t size, char message[XC_FILE_MESSAGE])
{
	const char *p = data;

	if (is_svg(p, size))
		return xc_file_foreign("<svg", 4, message);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (size >= kinds[i].at + kinds[i].length &&
		    memcmp(p + kinds[i].at, kinds[i].magic, kinds[i].length) == 0) {
			describe(i, message);
			return 1;
		}
	return 0;
}

int xc_file_foreign_name(const char *path)
{
	static const char *const suffixes[] = {"3fr",  "arw",  "avif", "avifs", "bpg", "cr2",  "cr3",
	                                       "dcm",  "dds",  "djvu", "dng",   "dpx", "emf",  "exr",
	                                       "fits", "gif",  "heic", "heif",  "hif", "ico",  "j2c",
	                                       "j2k",  "jp2",  "jpf",  "jpx",   "jxl", "jxr",  "nef",
	                                       "orf",  "pbm",  "pcx",  "pdf",   "psb", "psd",  "qoi",
	                                       "raf",  "rw2",  "sgi",  "srw",   "svg", "svgz", "tga",
	                                       "tif",  "tiff", "wbmp", "webp",  "xbm", "xcf",  "xpm"};
	const char *suffix = xc_file_suffix(path);

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (!strcasecmp(suffix, suffixes[i]))
			return 1;
	return 0;
}
