/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/format_samples.h"

enum { FILE_HEADER = 14, CORE_HEADER = 12, INFO_HEADER = 40, BITFIELDS = 3, ALPHABITFIELDS = 6 };

static void add_header(xc_bytes *bytes, const xc_sample_bmp *bmp)
{
	size_t end = bytes->size + bmp->header;
	void (*const add_size)(xc_bytes *, uint32_t) = bmp->header == CORE_HEADER ? xc_bytes_add_le16
	                                                                          : xc_bytes_add_le32;
	xc_bytes_add_le32(bytes, bmp->header);
	add_size(bytes, (uint32_t)bmp->width);
	add_size(bytes, (uint32_t)bmp->height);
	xc_bytes_add_le16(bytes, 1);
	xc_bytes_add_le16(bytes, bmp->bits);
	if (bmp->header >= INFO_HEADER) {
		xc_bytes_add_le32(bytes, bmp->compression);
		xc_bytes_add_le32(bytes, 0); /* bytes of pixels: may be left open */
		xc_bytes_add_le32(bytes, bmp->density);
		xc_bytes_add_le32(bytes, bmp->density);
		xc_bytes_add_le32(bytes, bmp->colours);
		xc_bytes_add_le32(bytes, 0);
	}
	if (bmp->compression == BITFIELDS || bmp->compression == ALPHABITFIELDS)
		for (int i = 0; i < (bmp->compression == ALPHABITFIELDS || bmp->mask[3] ? 4 : 3); i++)
			xc_bytes_add_le32(bytes, bmp->mask[i]);
	while (bytes->size < end)
		xc_bytes_add_u8(bytes, 0);
}

static void add_palette(xc_bytes *bytes, const xc_sample_bmp *bmp)
{
	uint32_t colours = bmp->colours ? bmp->colours : 1u << bmp->bits;
	for (uint32_t i = 0; i < colours; i++) {
		xc_bytes_add_u8(bytes, bmp->grey ? 7 * i : 7 * i + 3);
		xc_bytes_add_u8(bytes, bmp->grey ? 7 * i : 5 * i + 2);
		xc_bytes_add_u8(bytes, bmp->grey ? 7 * i : 3 * i + 1);
		if (bmp->header != CORE_HEADER)
			xc_bytes_add_u8(bytes, 0);
	}
}

void xc_sample_bmp_start(xc_bytes *bytes, const xc_sample_bmp *bmp)
{
	xc_bytes_add_text(bytes, "BM");
	xc_bytes_add_le32(bytes, 0); /* bytes of the file: nobody relies on them */
	xc_bytes_add_le32(bytes, 0);
	xc_bytes_add_le32(bytes, 0); /* where the pixels start, below */
	add_header(bytes, bmp);
	if (bmp->bits <= 8)
		add_palette(bytes, bmp);
	uint32_t start = (uint32_t)bytes->size;
	for (int i = 0; i < 4; i++)
		bytes->data[10 + i] = (uint8_t)(start >> 8 * i);
}
