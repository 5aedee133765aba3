/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of files that are recognised so that a message can tell what they are. */
#include "formats/formats.h"

#include <string.h>
#include <strings.h>

static const struct {
	size_t at;
	const char *magic;
	size_t length;
	const char *what;
} kinds[] = {
	{8, "WEBP", 4, "a WebP file: 'dwebp x.webp -o x.png' converts it"},
	{0, "II*\0", 4, "a TIFF file: 'magick x.tif x.png' converts it"},
	{0, "MM\0*", 4, "a TIFF file: 'magick x.tif x.png' converts it"},
	{0, "II+\0", 4, "a TIFF file: 'magick x.tif x.png' converts it"},
	{0, "MM\0+", 4, "a TIFF file: 'magick x.tif x.png' converts it"},
	{0, "GIF8", 4, "a GIF file: 'magick x.gif[0] x.png' converts its first picture"},
	{4, "ftypavi", 7, "an AVIF file: 'avifdec x.avif x.png' converts it"},
	{4, "ftyphei", 7, "a HEIF file: 'heif-convert x.heic x.png' converts it"},
	{4, "ftyphev", 7, "a HEIF file: 'heif-convert x.heic x.png' converts it"},
	{4, "ftypmif1", 8, "a HEIF file: 'heif-convert x.heic x.png' converts it"},
	{4, "ftypmsf1", 8, "a HEIF file: 'heif-convert x.heic x.png' converts it"},
	{0, "\xff\x0a", 2, "a JPEG XL file: 'djxl x.jxl x.png' converts it"},
	{0, "\0\0\0\x0cJXL ", 8, "a JPEG XL file: 'djxl x.jxl x.png' converts it"},
	{0, "\0\0\0\x0cjP  ", 8, "a JPEG 2000 file: 'opj_decompress -i x.jp2 -o x.png' converts it"},
	{0, "\xff\x4f\xff\x51", 4, "a JPEG 2000 file: 'opj_decompress -i x.j2k -o x.png' converts it"},
	{0, "<svg", 4, "an SVG file: 'rsvg-convert x.svg -o x.png' draws it"},
	{0, "%PDF-", 5, "a PDF file: 'pdftoppm -png x.pdf x' draws its pages"},
	{0, "8BPS", 4, "a Photoshop file: 'magick x.psd[0] x.png' converts it"},
	{0, "\x76\x2f\x31\x01", 4, "an OpenEXR file: 'magick x.exr x.png' converts it"},
	{0, "qoif", 4, "a QOI file: 'magick x.qoi x.png' converts it"},
};

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

const char *xc_file_foreign(const void *data, size_t size)
{
	const char *p = data;
	if (is_svg(p, size))
		return xc_file_foreign("<svg", 4);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (size >= kinds[i].at + kinds[i].length &&
		    memcmp(p + kinds[i].at, kinds[i].magic, kinds[i].length) == 0)
			return kinds[i].what;
	return NULL;
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
