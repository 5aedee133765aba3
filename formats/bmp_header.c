/* SPDX-License-Identifier: BSD-2-Clause */
/* The headers of a BMP file, from BITMAPCOREHEADER (12 bytes) to BITMAPV5HEADER (124), and
 * those of OS/2 2 (16 and 64), which begin alike.  See "Bitmap Storage" in the Windows GDI
 * documentation. */
#include "formats/bmp.h"

enum {
	FILE_HEADER = 14,
	CORE_HEADER = 12,
	INFO_HEADER = 40,
	V2_HEADER = 52,
	V3_HEADER = 56,
	OS2_HEADER = 64,
	V4_HEADER = 108,
	V5_HEADER = 124,
	MASKS = FILE_HEADER + INFO_HEADER, /* the same place inside a header and after it */
	COLOUR_SPACE = FILE_HEADER + 56,
	PROFILE = FILE_HEADER + 112
};

#define PROFILE_EMBEDDED 0x4d424544u /* "MBED" as the file writes it backwards */

static xc_status truncated(const xc_bmp_head *head)
{
	return xc_file_fail(head->message, XC_ERR_TRUNCATED, "BMP ends in its headers (at byte %zu)",
	                    head->size);
}

static xc_status check_size(const xc_bmp_head *head, uint32_t *header)
{
	static const uint32_t known[] = {CORE_HEADER, 16,         INFO_HEADER, V2_HEADER,
	                                 V3_HEADER,   OS2_HEADER, V4_HEADER,   V5_HEADER};
	if (head->size < FILE_HEADER + 4)
		return truncated(head);
	*header = xc_load_le32(head->data + FILE_HEADER);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (*header == known[i])
			return head->size - FILE_HEADER < *header ? truncated(head) : XC_OK;
	return xc_file_fail(head->message, XC_ERR_UNSUPPORTED,
	                    "BMP header of %u bytes is not known (at byte %d)", *header, FILE_HEADER);
}

static void parse_core(const uint8_t *p, xc_bmp *bmp, uint32_t *planes)
{
	bmp->width = xc_load_le16(p + 18);
	bmp->height = xc_load_le16(p + 20);
	*planes = xc_load_le16(p + 22);
	bmp->bits = xc_load_le16(p + 24);
}

static void parse_info(const uint8_t *p, uint32_t header, xc_bmp *bmp, uint32_t *planes,
                       uint32_t *colours)
{
	uint32_t width = xc_load_le32(p + 18), height = xc_load_le32(p + 22);
	/* A negative height means that the top row comes first. */
	bmp->top_down = height >> 31;
	bmp->height = bmp->top_down ? 0u - height : height;
	/* A negative width has no meaning; it fails as an empty picture. */
	bmp->width = width >> 31 ? 0 : width;
	*planes = xc_load_le16(p + 26);
	bmp->bits = xc_load_le16(p + 28);
	if (header < INFO_HEADER)
		return;
	bmp->compression = (xc_bmp_compression)xc_load_le32(p + 30);
	bmp->density_x = xc_load_le32(p + 38);
	bmp->density_y = xc_load_le32(p + 42);
	*colours = xc_load_le32(p + 46);
}

static xc_status check_kind(const xc_bmp *bmp, uint32_t header, uint32_t planes, char *message)
{
	uint32_t bits = bmp->bits, compression = bmp->compression;
	if (planes != 1)
		return xc_file_fail(message, XC_ERR_CORRUPT, "BMP has %u planes instead of 1", planes);
	if (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "BMP of %u bits a pixel is not supported",
		                    bits);
	int fits = compression == XC_BMP_RGB || (compression == XC_BMP_RLE8 && bits == 8) ||
	           (compression == XC_BMP_RLE4 && bits == 4);
	/* In OS/2 the number 3 is another compression. */
	if (compression == XC_BMP_BITFIELDS || compression == XC_BMP_ALPHABITFIELDS)
		fits = header != OS2_HEADER && (bits == 16 || bits == 32);
	if (!fits)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "BMP compression %u at %u bits a pixel is not supported", compression,
		                    bits);
	if (bmp->top_down && (compression == XC_BMP_RLE8 || compression == XC_BMP_RLE4))
		return xc_file_fail(message, XC_ERR_CORRUPT, "BMP with run lengths cannot be top-down");
	return XC_OK;
}

/* The bits of a mask must be adjacent, and no two masks may share a bit. */
static int masks_are_sane(const uint32_t mask[4])
{
	uint32_t seen = 0;
	for (int i = 0; i < 4; i++) {
		uint32_t m = mask[i];
		if (seen & m)
			return 0;
		seen |= m;
		if (m && (m / (m & (0u - m)) & (m / (m & (0u - m)) + 1)) != 0)
			return 0;
	}
	return (mask[0] | mask[1] | mask[2]) != 0;
}

/* Moves *end, where the headers end, past the masks if those follow. */
static xc_status parse_masks(const xc_bmp_head *head, uint32_t header, xc_bmp *bmp, size_t *end)
{
	static const uint32_t bits_555[4] = {0x7c00, 0x03e0, 0x001f, 0};
	static const uint32_t bits_888[4] = {0xff0000, 0x00ff00, 0x0000ff, 0};
	if (bmp->compression == XC_BMP_RGB) {
		for (int i = 0; i < 4; i++)
			bmp->mask[i] = bmp->bits == 16 ? bits_555[i] : bits_888[i];
		return XC_OK;
	}
	int masks = header >= V3_HEADER || bmp->compression == XC_BMP_ALPHABITFIELDS ? 4 : 3;
	size_t masks_end = MASKS + 4 * (size_t)masks;
	if (masks_end > *end)
		*end = masks_end;
	if (head->size < *end)
		return truncated(head);
	for (int i = 0; i < masks; i++)
		bmp->mask[i] = xc_load_le32(head->data + MASKS + 4 * i) &
		               (bmp->bits == 16 ? 0xffff : UINT32_MAX);
	if (!masks_are_sane(bmp->mask))
		return xc_file_fail(head->message, XC_ERR_CORRUPT,
		                    "BMP colour masks contradict each other (at byte %d)", MASKS);
	return XC_OK;
}

/* The palette lies between the headers and the pixels. */
static xc_status parse_palette(const xc_bmp_head *head, uint32_t header, uint32_t colours,
                               size_t end, xc_bmp *bmp)
{
	size_t entry = header == CORE_HEADER ? 3 : 4;
	uint32_t most = 1u << bmp->bits;
	if (colours == 0)
		colours = most;
	/* Some files have more entries than pixels can name, or count some without room for them. */
	if (colours > most)
		colours = most;
	if (colours > (bmp->pixels - end) / entry)
		colours = (uint32_t)((bmp->pixels - end) / entry);
	if (head->size < end + colours * entry)
		return truncated(head);
	if (colours == 0)
		return xc_file_fail(head->message, XC_ERR_CORRUPT, "BMP has no palette (at byte %zu)", end);
	bmp->colours = colours;
	bmp->grey = 1;
	for (uint32_t i = 0; i < bmp->colours; i++) {
		const uint8_t *from = head->data + end + i * entry;
		for (int c = 0; c < 3; c++)
			bmp->palette[i][c] = from[2 - c];
		bmp->grey &= from[0] == from[1] && from[1] == from[2];
	}
	return XC_OK;
}

static void parse_profile(const xc_bmp_head *head, xc_bmp *bmp)
{
	if (xc_load_le32(head->data + COLOUR_SPACE) != PROFILE_EMBEDDED)
		return;
	bmp->profile = FILE_HEADER + (uint64_t)xc_load_le32(head->data + PROFILE);
	bmp->profile_size = xc_load_le32(head->data + PROFILE + 4);
}

xc_status xc_bmp_parse(const xc_bmp_head *head, xc_bmp *bmp)
{
	uint32_t header = 0, planes = 0, colours = 0;
	*bmp = (xc_bmp){0};
	xc_status status = check_size(head, &header);
	if (status)
		return status;
	if (header == CORE_HEADER)
		parse_core(head->data, bmp, &planes);
	else
		parse_info(head->data, header, bmp, &planes, &colours);
	status = check_kind(bmp, header, planes, head->message);
	if (status)
		return status;
	size_t end = FILE_HEADER + header;
	bmp->pixels = xc_load_le32(head->data + 10);
	if (bmp->bits == 16 || bmp->bits == 32)
		status = parse_masks(head, header, bmp, &end);
	if (!status && bmp->pixels < end)
		return xc_file_fail(head->message, XC_ERR_CORRUPT,
		                    "BMP pixels start inside the headers (at byte %u)",
		                    (unsigned)bmp->pixels);
	if (!status && xc_bmp_has_palette(bmp))
		status = parse_palette(head, header, colours, end, bmp);
	if (!status && header == V5_HEADER)
		parse_profile(head, bmp);
	return status;
}
