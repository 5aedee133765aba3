/* SPDX-License-Identifier: BSD-2-Clause */
/* The format of a file, by its first bytes or by its name. */
#include "formats/file.h"

#include <string.h>
#include <strings.h>

static int starts_with(const uint8_t *data, size_t size, const char *magic, size_t length)
{
	return size >= length && memcmp(data, magic, length) == 0;
}

static xc_file_format detect_netpbm(const uint8_t *p, size_t size)
{
	if (size < 3 || p[0] != 'P')
		return XC_FILE_UNKNOWN;
	/* "P7 332" is a thumbnail of the program xv, not a PAM. */
	if (p[1] == '7')
		return p[2] == '\n' ? XC_FILE_PAM : XC_FILE_UNKNOWN;
	if (!xc_file_is_space(p[2]) && p[2] != '#')
		return XC_FILE_UNKNOWN;
	if (p[1] == 'f' || p[1] == 'F')
		return XC_FILE_PFM;
	if (p[1] < '1' || p[1] > '6')
		return XC_FILE_UNKNOWN;
	return p[1] == '3' || p[1] == '6' ? XC_FILE_PPM : XC_FILE_PGM;
}

xc_file_format xc_file_format_detect(const void *data, size_t size)
{
	if (!data)
		return XC_FILE_UNKNOWN;
	if (starts_with(data, size, "\x89PNG\r\n\x1a\n", 8))
		return XC_FILE_PNG;
	if (starts_with(data, size, XC_FILE_MAGIC, sizeof XC_FILE_MAGIC - 1))
		return XC_FILE_XC;
	if (starts_with(data, size, "BM", 2))
		return XC_FILE_BMP;
	if (starts_with(data, size, "\xff\xd8\xff", 3))
		return XC_FILE_JPEG;
	return detect_netpbm(data, size);
}

static const struct {
	const char *name, *title;
} formats[] = {
	[XC_FILE_UNKNOWN] = {"unknown", "unknown"},
	[XC_FILE_PNG] = {"png", "PNG"},
	[XC_FILE_PGM] = {"pgm", "PGM"},
	[XC_FILE_PPM] = {"ppm", "PPM"},
	[XC_FILE_PAM] = {"pam", "PAM"},
	[XC_FILE_PFM] = {"pfm", "PFM"},
	[XC_FILE_BMP] = {"bmp", "BMP"},
	[XC_FILE_JPEG] = {"jpg", "JPEG"},
	[XC_FILE_PNM] = {"pnm", "PNM"},
	[XC_FILE_XC] = {"xc", "XC"},
};

enum { FORMATS = sizeof formats / sizeof *formats };

const char *xc_file_format_name(xc_file_format format)
{
	return formats[(size_t)format < FORMATS ? format : XC_FILE_UNKNOWN].name;
}

const char *xc_file_format_title(xc_file_format format)
{
	return formats[(size_t)format < FORMATS ? format : XC_FILE_UNKNOWN].title;
}

xc_file_format xc_file_format_by_name(const char *name)
{
	static const char *const also_jpeg[] = {"jpeg", "jpe", "jfif"};
	for (size_t i = XC_FILE_UNKNOWN + 1; i < FORMATS; i++)
		if (!strcasecmp(name, formats[i].name))
			return (xc_file_format)i;
	for (size_t i = 0; i < sizeof also_jpeg / sizeof *also_jpeg; i++)
		if (!strcasecmp(name, also_jpeg[i]))
			return XC_FILE_JPEG;
	return XC_FILE_UNKNOWN;
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
	return xc_file_format_by_name(xc_file_suffix(path));
}

xc_file_format xc_file_format_to_read(const char *path)
{
	static const struct {
		const char *suffix;
		xc_file_format format;
	} also[] = {{"pbm", XC_FILE_PGM},  {"dib", XC_FILE_BMP},  {"apng", XC_FILE_PNG},
	            {"jif", XC_FILE_JPEG}, {"jfi", XC_FILE_JPEG}, {"mpo", XC_FILE_JPEG}};
	const char *suffix = xc_file_suffix(path);
	for (size_t i = 0; i < sizeof also / sizeof *also; i++)
		if (!strcasecmp(suffix, also[i].suffix))
			return also[i].format;
	return xc_file_format_by_name(suffix);
}
