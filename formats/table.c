/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The picture formats.  All that the rest of the program knows of a format is a row of the table:
 * messages, options, help and the choice of reader and writer come from here.  So a new format is a
 * file that reads its rows, a file that writes them (formats/rows_kind.h) and a row.
 */
#include "formats/rows_kind.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef XC_HAVE_LIBPNG
#define PNG_CODE .reader = &xc_png_rows, .writer = &xc_png_row_output
#else
#define PNG_CODE \
	.unread = "a PNG file, which this program was built without (libpng)", \
	.unwritten = "this program was built without PNG (libpng): use ppm, pgm or pam"
#endif
#ifdef XC_HAVE_LIBJPEG
#define JPEG_CODE .reader = &xc_jpeg_rows, .writer = &xc_jpeg_row_output
#else
#define JPEG_CODE \
	.unread = "a JPEG file, which this program was built without (libjpeg)", \
	.unwritten = "this program was built without JPEG (libjpeg): use png, ppm, pgm or pam"
#endif

/* In the order of lists.  A format that no other code names needs no enumerator; its row is the
 * last. */
/* clang-format off */
static const xc_format table[] = {
	[XC_FILE_UNKNOWN] = {.title = "unknown", .names = {"unknown"}},
	[XC_FILE_PNG] = {
		.title = "PNG", .names = {"png"}, .read_suffixes = {"apng"}, .magic = "\x89PNG\r\n\x1a\n", PNG_CODE,
		.holds = ~(unsigned)XC_HOLDS_IPTC, .threads = 1,
		.level = {"png-level", 0, 9, "0 (fast) to 9 (small): compression of PNG files; default 3"}},
	[XC_FILE_JPEG] = {
		.title = "JPEG", .names = {"jpg", "jpeg"}, .suffixes = {"jpe", "jfif"}, .read_suffixes = {"jif", "jfi", "mpo"},
		.magic = "\xff\xd8", JPEG_CODE, .lossy = 1,
		.holds = XC_HOLDS_ICC | XC_HOLDS_EXIF | XC_HOLDS_XMP | XC_HOLDS_IPTC | XC_HOLDS_COMMENTS | XC_HOLDS_DENSITY |
		         XC_HOLDS_RATIO,
		.level = {"jpeg-quality", 1, 100, "1 (smallest) to 100 (best): quality of JPEG files; default 90"}},
	[XC_FILE_PPM] = {
		.title = "PPM", .family = "PNM", .names = {"ppm"}, .netpbm = "36",
		.reader = &xc_pnm_rows, .writer = &xc_netpbm_row_output},
	[XC_FILE_PGM] = {
		.title = "PGM", .family = "PNM", .names = {"pgm"}, .read_suffixes = {"pbm"}, .netpbm = "1245",
		.reader = &xc_pnm_rows, .writer = &xc_netpbm_row_output},
	[XC_FILE_PNM] = {.title = "PNM", .names = {"pnm"}, .writer = &xc_netpbm_row_output},
	/* "P7 332" is a thumbnail of the program xv, not a PAM. */
	[XC_FILE_PAM] = {
		.title = "PAM", .names = {"pam"}, .magic = "P7\n", .reader = &xc_pam_rows,
		.writer = &xc_netpbm_row_output},
	[XC_FILE_BMP] = {
		.title = "BMP", .names = {"bmp"}, .read_suffixes = {"dib"}, .magic = "BM", .reader = &xc_bmp_rows,
		.writer = &xc_bmp_row_output, .holds = XC_HOLDS_ICC | XC_HOLDS_DENSITY},
	[XC_FILE_PFM] = {
		.title = "PFM", .names = {"pfm"}, .netpbm = "fF",
		.unread = "a PFM file, which holds an array of floats, not a picture"},
	[XC_FILE_XC] = {
		.title = "XC", .names = {"xc"}, .magic = "\x8fXC\r\n\x1a\n",
		.unread = "an XC file, where a picture file is wanted"},
};
/* clang-format on */

enum { FORMATS = sizeof table / sizeof *table };
_Static_assert((int)FORMATS <= (int)XC_FILE_FORMATS, "there are more formats than numbers");

const xc_format *xc_format_of(xc_file_format format)
{
	return &table[(size_t)format < FORMATS ? format : XC_FILE_UNKNOWN];
}

const char *xc_file_format_name(xc_file_format format)
{
	return xc_format_of(format)->names[0];
}

const char *xc_file_format_title(xc_file_format format)
{
	return xc_format_of(format)->title;
}

static int begins(const xc_format *f, const uint8_t *p, size_t size)
{
	if (f->netpbm)
		return size >= 3 && p[0] == 'P' && p[1] && strchr(f->netpbm, p[1]) &&
		       (xc_file_is_space(p[2]) || p[2] == '#');
	return f->magic && size >= strlen(f->magic) && memcmp(p, f->magic, strlen(f->magic)) == 0;
}

xc_file_format xc_file_format_detect(const void *data, size_t size)
{
	for (size_t i = 1; data && i < FORMATS; i++)
		if (begins(&table[i], data, size))
			return (xc_file_format)i;
	return XC_FILE_UNKNOWN;
}

static int is_one_of(const char *name, const char *const names[XC_FORMAT_NAMES])
{
	for (int i = 0; i < XC_FORMAT_NAMES && names[i]; i++)
		if (!strcasecmp(name, names[i]))
			return 1;
	return 0;
}

/* written, read: also suffixes of files that are written, or only read. */
static xc_file_format find(const char *name, int written, int read)
{
	for (size_t i = 1; i < FORMATS; i++)
		if (is_one_of(name, table[i].names) || (written && is_one_of(name, table[i].suffixes)) ||
		    (read && is_one_of(name, table[i].read_suffixes)))
			return (xc_file_format)i;
	return XC_FILE_UNKNOWN;
}

xc_file_format xc_file_format_by_name(const char *name)
{
	return find(name, 0, 0);
}

/* What a path's last component has after its last dot, or "". */
static const char *suffix_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	const char *dot = strrchr(file, '.');

	/* ".png" is a hidden file without a suffix. */
	return dot && dot != file ? dot + 1 : "";
}

xc_file_format xc_file_format_by_path(const char *path)
{
	return find(suffix_of(path), 1, 0);
}

xc_file_format xc_file_format_to_read(const char *path)
{
	return find(suffix_of(path), 1, 1);
}

/* What a list shows of a format; NULL: nothing. */
static const char *shown(const xc_format *f, xc_format_list list)
{
	if (list == XC_FORMATS_READABLE)
		return f->reader ? f->family ? f->family : f->title : NULL;
	return !f->writer ? NULL : list == XC_FORMATS_WRITABLE ? f->title : f->names[0];
}

const char *xc_file_formats(xc_format_list list, const char *last, char text[XC_FILE_MESSAGE])
{
	const char *words[FORMATS] = {NULL};
	size_t count = 0, used = 0;

	for (size_t i = 0; i < FORMATS; i++) {
		const char *word = shown(&table[i], list);
		if (word && (!count || words[count - 1] != word))
			words[count++] = word;
	}
	text[0] = '\0';
	for (size_t i = 0; i < count && used < XC_FILE_MESSAGE; i++)
		used += (size_t)snprintf(text + used, XC_FILE_MESSAGE - used, "%s%s%s",
		                         i == 0          ? ""
		                         : i + 1 < count ? ", "
		                                         : last,
		                         list == XC_FORMATS_SUFFIXES ? "." : "", words[i]);
	return text;
}

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
	const char *suffix = suffix_of(path);

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
		if (!strcasecmp(suffix, suffixes[i]))
			return 1;
	return 0;
}
