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
		.exif = 1, .threads = 1,
		.level = {"png-level", 0, 9, "0 (fast) to 9 (small): compression of PNG files; default 3"}},
	[XC_FILE_JPEG] = {
		.title = "JPEG", .names = {"jpg", "jpeg"}, .suffixes = {"jpe", "jfif"}, .read_suffixes = {"jif", "jfi", "mpo"},
		.magic = "\xff\xd8\xff", JPEG_CODE, .lossy = 1, .exif = 1,
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
		.writer = &xc_bmp_row_output},
	[XC_FILE_PFM] = {
		.title = "PFM", .names = {"pfm"}, .netpbm = "fF",
		.unread = "a PFM file: only the transforms take floating-point samples"},
	[XC_FILE_XC] = {
		.title = "XC", .names = {"xc"}, .magic = "\x8fXC\r\n\x1a\n",
		.unread = "an XC file, where a picture file is wanted"},
};
/* clang-format on */

enum { FORMATS = sizeof table / sizeof *table };
_Static_assert((int)FORMATS <= (int)XC_FILE_FORMATS, "there is no room for so many formats");

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

const char *xc_file_suffix(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash ? slash + 1 : path;
	const char *dot = strrchr(file, '.');

	/* ".png" is a hidden file without a suffix. */
	return dot && dot != file ? dot + 1 : "";
}

xc_file_format xc_file_format_by_path(const char *path)
{
	return find(xc_file_suffix(path), 1, 0);
}

xc_file_format xc_file_format_to_read(const char *path)
{
	return find(xc_file_suffix(path), 1, 1);
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
