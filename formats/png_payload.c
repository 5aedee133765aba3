/* SPDX-License-Identifier: BSD-2-Clause */
/* Metadata as the PNG chunks that hold it. */
#include "formats/png.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A chunk's length has 31 bits. */
#define CHUNK_MAX ((size_t)0x7fffffff)

static const char icc_prefix[] = "ICC profile\0"; /* its name; compression method 0 */
/* Not compressed, as XMP asks for, so that other programs find it by its marks;
 * no language and no translation. */
static const char xmp_prefix[] = XC_PNG_XMP_KEYWORD "\0\0\0\0";

static uint8_t *start(xc_png_payload *payload, const char *type, const char *prefix,
                      size_t prefix_size, size_t room)
{
	memcpy(payload->type, type, sizeof payload->type);
	payload->data = malloc(prefix_size + room);
	payload->size = 0;
	if (!payload->data)
		return NULL;
	memcpy(payload->data, prefix, prefix_size);
	payload->size = prefix_size;
	return payload->data + prefix_size;
}

static int make_icc(xc_png_payload *payload, const xc_blob *icc)
{
	uLong bound = compressBound((uLong)icc->size);
	uint8_t *to = start(payload, "iCCP", icc_prefix, sizeof icc_prefix, bound);
	if (!to || compress2(to, &bound, icc->data, (uLong)icc->size, Z_BEST_COMPRESSION) != Z_OK)
		return 0;
	payload->size += bound;
	return 1;
}

static int make_copy(xc_png_payload *payload, const char *type, const char *prefix,
                     size_t prefix_size, const xc_blob *blob)
{
	uint8_t *to = start(payload, type, prefix, prefix_size, blob->size);
	if (!to)
		return 0;
	memcpy(to, blob->data, blob->size);
	payload->size += blob->size;
	return 1;
}

static int make_density(xc_png_payload *payload, const xc_metadata *metadata)
{
	uint8_t *to = start(payload, "pHYs", "", 0, 9);
	if (!to)
		return 0;
	xc_store_be32(to, metadata->density_x);
	xc_store_be32(to + 4, metadata->density_y);
	to[8] = metadata->density_unit;
	payload->size = 9;
	return 1;
}

/* PNG forbids a profile for colour in a grey picture and the reverse.  The
 * signature of the profile's colour space is at byte 16. */
static int profile_fits(const xc_blob *icc, uint32_t channels)
{
	const uint8_t *p = icc->data;
	if (icc->size < 20)
		return 1;
	return memcmp(p + 16, channels < 3 ? "RGB " : "GRAY", 4) != 0;
}

static int is_wanted(const xc_blob *blob, const char *name, char *message)
{
	if (!blob->data || blob->size == 0)
		return 0;
	if (blob->size <= CHUNK_MAX / 2)
		return 1;
	xc_file_warn(message, "the %s is too large for a PNG: left out", name);
	return 0;
}

xc_status xc_png_make_payloads(const xc_metadata *metadata, uint32_t channels,
                               xc_png_payload payloads[XC_PNG_PAYLOADS], char *message)
{
	int made = 1;
	memset(payloads, 0, XC_PNG_PAYLOADS * sizeof *payloads);
	if (!metadata)
		return XC_OK;
	if (is_wanted(&metadata->icc, "colour profile", message)) {
		if (profile_fits(&metadata->icc, channels))
			made = make_icc(&payloads[0], &metadata->icc);
		else
			xc_file_warn(message, "the colour profile is not one for %s pictures: left out",
			             channels < 3 ? "grey" : "colour");
	}
	if (made && (metadata->density_x || metadata->density_y))
		made = make_density(&payloads[1], metadata);
	if (made && is_wanted(&metadata->exif, "EXIF", message))
		made = make_copy(&payloads[2], "eXIf", "", 0, &metadata->exif);
	if (made && is_wanted(&metadata->xmp, "XMP", message))
		made = make_copy(&payloads[3], "iTXt", xmp_prefix, sizeof xmp_prefix, &metadata->xmp);
	return made ? XC_OK : xc_file_fail(message, XC_ERR_MEMORY, "out of memory for metadata");
}

void xc_png_free_payloads(xc_png_payload payloads[XC_PNG_PAYLOADS])
{
	for (int i = 0; i < XC_PNG_PAYLOADS; i++)
		free(payloads[i].data);
}
