/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of JPEGs as src/decode/ wants them: see src/jpeg/kept.h. */
#include "src/jpeg/kept.h"

#include <string.h>

/* -------------------------------------------------------------------- shape */

static int subsampling_of(const xc_jpeg *j)
{
	const xc_jpeg_component *k = j->component;

	if (j->components == 1)
		return XC_SUBSAMPLING_GREY;
	if (j->components != 3 || xc_kept_is_rgb(j) || k[1].h != k[2].h || k[1].v != k[2].v ||
	    memcmp(j->steps[1], j->steps[2], sizeof j->steps[1]) != 0 || k[0].h % k[1].h ||
	    k[0].v % k[1].v)
		return -1;
	switch (16 * (k[0].h / k[1].h) + k[0].v / k[1].v) {
	case 0x11:
		return XC_SUBSAMPLING_444;
	case 0x21:
		return XC_SUBSAMPLING_422;
	case 0x22:
		return XC_SUBSAMPLING_420;
	default:
		return -1;
	}
}

xc_status xc_kept_shape(xc_context *c, const xc_jpeg *j, const xc_jpeg_info *info, xc_container *k)
{
	enum { TILE_BLOCKS = 1024, TILE_ROWS = 32 };
	const int subsampling = subsampling_of(j);

	if (subsampling < 0)
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "a JPEG whose colours or sampling only libjpeg shows");
	k->header = (xc_header){.width = j->width,
	                        .height = j->height,
	                        .channels = (uint32_t)j->components,
	                        .depth = 8,
	                        .subsampling = (xc_subsampling)subsampling,
	                        .transform = XC_TRANSFORM_DCT,
	                        .entropy = XC_ENTROPY_HUFFMAN_DEFAULT,
	                        .quality = info->quality};
	k->layers = 1;
	xc_geometry_init(&k->geometry, j->width, j->height, k->header.subsampling);
	xc_geometry_choose_tiles(&k->geometry, TILE_BLOCKS, TILE_ROWS, 0);
	k->header.tile_mcus_wide = k->geometry.tile_mcus_wide;
	k->header.tile_mcus_high = k->geometry.tile_mcus_high;
	k->segments = xc_geometry_tiles(&k->geometry);
	for (int i = 0; i < j->components; i++)
		for (int r = 0; r < 64; r++)
			k->quant[i][r] = info->steps[i][r];
	k->header_bytes = info->described_size;
	k->segment_bytes = info->file_size - info->described_size;
	return xc_kept_metadata(c, j, k);
}

/* ------------------------------------------------------------- coefficients */

xc_status xc_kept_allocate(xc_context *c, const xc_jpeg *j, const xc_jpeg_plan *p, xc_kept *k)
{
	const uint32_t band = 8 * j->most_v * p->rows;
	const uint32_t first = k->y / band, end = (k->y + k->height - 1) / band + 1;
	size_t n = 0, at[XC_MAX_COMPONENTS];

	k->first = first * p->rows;
	k->end = end < p->bands ? end * p->rows : j->mcu_rows;
	k->whole = !k->first && k->end == j->mcu_rows;
	for (int i = 0; i < j->components; i++) {
		at[i] = n;
		n += 64 * xc_jpeg_band_blocks(j, i, k->end - k->first);
		k->columns[i] = j->component[i].columns;
		k->row[i] = k->first * j->component[i].v;
	}
	int16_t *memory = n > SIZE_MAX / sizeof *memory ? NULL : xc_allocate(c, n * sizeof *memory);
	for (int i = 0; i < j->components && memory; i++)
		k->blocks[i] = memory + at[i];
	return memory ? XC_OK : xc_fail_memory(c, n * sizeof *memory);
}

int xc_kept_wants(const xc_kept *k, uint32_t first, uint32_t rows)
{
	return first < k->end && first + rows > k->first;
}

int xc_kept_band(const xc_kept *k, const xc_jpeg *j, xc_jpeg_band *b)
{
	if (!xc_kept_wants(k, b->first, b->rows))
		return 0;
	for (int i = 0; i < j->components; i++)
		b->blocks[i] = k->blocks[i] + 64 * xc_jpeg_band_blocks(j, i, b->first - k->first);
	return 1;
}
