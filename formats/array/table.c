/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats of arrays, and which one a file is of: by its first bytes, else by its name. */
#include "formats/array/kind.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* SEG-Y has no magic number, so the others come first. */
static const xc_array_kind *const kinds[] = {
	&xc_array_npy, &xc_array_nifti, &xc_array_pfm, &xc_array_tiff,
	&xc_array_su,  &xc_array_segy,  &xc_array_raw,
};

static const char *const types[XC_ARRAY_TYPES] = {"f32", "f64", "i8",  "i16",
                                                  "i32", "u8",  "u16", "u32"};

int xc_array_type_by_name(const char *name, size_t length)
{
	for (int i = 0; i < XC_ARRAY_TYPES; i++)
		if (strlen(types[i]) == length && !strncasecmp(name, types[i], length))
			return i;
	return -1;
}

void xc_array_suffix(const char *name, char suffix[8], int *gzip)
{
	const char *slash = strrchr(name, '/'), *file = slash ? slash + 1 : name;
	size_t length = strlen(file);
	const int packed = length > 3 && !strcasecmp(file + length - 3, ".gz");

	length -= packed ? 3 : 0;
	if (gzip)
		*gzip = packed;
	size_t at = length;
	while (at && file[at - 1] != '.')
		at--;
	suffix[0] = '\0';
	/* ".npy" is a hidden file without a suffix, "npy" a suffix. */
	if (length - at < 8 && (at > 1 || (!at && !slash)))
		snprintf(suffix, 8, "%.*s", (int)(length - at), file + at);
}

static int has_suffix(const xc_array_kind *kind, const char *suffix)
{
	for (int i = 0; i < 4 && kind->suffixes[i]; i++)
		if (!strcasecmp(suffix, kind->suffixes[i]))
			return 1;
	return kind == &xc_array_raw && xc_array_type_by_name(suffix, strlen(suffix)) >= 0;
}

const xc_array_kind *xc_array_kind_of(const uint8_t *first, size_t size, const char *name)
{
	char suffix[8] = "";

	if (name)
		xc_array_suffix(name, suffix, NULL);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const int named = has_suffix(kinds[i], suffix);
		if (kinds[i]->is ? kinds[i]->is(first, size, named) : named)
			return kinds[i];
	}
	return NULL;
}

const xc_array_kind *xc_array_kind_by_name(const char *name)
{
	char suffix[8];
	int gzip;

	xc_array_suffix(name, suffix, &gzip);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i]->create && has_suffix(kinds[i], suffix))
			return gzip ? NULL : kinds[i];
	return NULL;
}

int xc_array_file_is(const void *start, size_t size, const char *name)
{
	uint8_t plain[512];
	const size_t inside = xc_array_gunzip_start(start, size, plain, sizeof plain);
	const xc_array_kind *kind = inside ? xc_array_kind_of(plain, inside, NULL)
	                                   : xc_array_kind_of(start, size, name);

	/* Others are not read through gzip. */
	return kind && kind != &xc_array_raw &&
	       (!inside || kind == &xc_array_nifti || kind == &xc_array_npy);
}

int xc_array_file_is_written(const char *name)
{
	return xc_array_kind_by_name(name) != NULL;
}

const xc_array_kind *xc_array_kind_of_attached(const char name[5])
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(name, kinds[i]->letters, 3))
			return kinds[i];
	return NULL;
}

const char *xc_array_file_format(const char *suffix)
{
	const xc_array_kind *kind = xc_array_kind_by_name(suffix);

	return kind ? kind->format : NULL;
}

const char *xc_array_file_suffix(const char name[5])
{
	static const char *const suffixes[] = {".npy", ".nii", ".pfm", ".tif", ".su", ".sgy", NULL};

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!strncmp(name, kinds[i]->letters, 3))
			return suffixes[i];
	return NULL;
}

int xc_array_file_is_read(const char *name, int raw)
{
	char suffix[8];
	int gzip;

	xc_array_suffix(name, suffix, &gzip);
	if (gzip)
		return has_suffix(&xc_array_nifti, suffix) || has_suffix(&xc_array_npy, suffix);
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (has_suffix(kinds[i], suffix))
			return raw || kinds[i] != &xc_array_raw;
	return 0;
}
