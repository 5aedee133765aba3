/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/cuda_decode_plan.h"

#include <string.h>

#include "entropy/scan.h"
#include "gpu/decode_bits.h"
#include "quant/tables.h"

void xc_gpu_decode_plan_init(xc_gpu_decode_plan *p, const xc_container *k,
                             const xc_decode_options *options)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	const xc_header *h = &k->header;
	const xc_geometry *g = &k->geometry;
	*p = (xc_gpu_decode_plan){
		.width = h->width, .height = h->height, .channels = h->channels, .depth = h->depth,
		.components = (uint32_t)g->components, .h = (uint32_t)g->h, .v = (uint32_t)g->v,
		.mcus_wide = g->mcus_wide, .mcus_high = g->mcus_high,
		.tile_mcus_wide = g->tile_mcus_wide, .tile_mcus_high = g->tile_mcus_high,
		.tiles_wide = g->tiles_wide,
		.mcu_blocks = (uint32_t)(g->h * g->v) + (g->components == 3 ? 2 : 0),
		.rounding = options->jpeg_rounding != 0,
		.transform = h->transform,
		.segments = (uint32_t)k->segments,
		.gains = xc_colour_gains_make(1.0f / (float)(g->h * g->h * g->v * g->v)),
	};
	for (int i = 0; i < 2; i++) {
		float table[64];
		(h->transform == XC_TRANSFORM_LOT ? xc_quant_inverse_table_lot : xc_quant_inverse_table)(
		        k->quant[g->components == 1 ? 0 : i], table);
		for (int j = 0; j < 64; j++)
			p->steps[i][j] = table[scan[j]];
	}
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the symbols in some bytes, or in some blocks, can have as tokens, in words: one for
 * each bit of code and one of value, and one a coefficient. */
static uint64_t token_words(const xc_container *k, uint64_t bytes, uint64_t blocks)
{
	return smaller(bytes * 4, blocks * 64) * xc_gpu_token_words(k->header.depth == 16);
}

uint64_t xc_gpu_decode_token_words(const xc_container *k)
{
	return token_words(k, k->data_there,
	                   k->segments * xc_geometry_tile_blocks(&k->geometry)) +
	       k->segments * XC_GPU_TOKEN_MARGIN;
}

uint32_t xc_gpu_decode_segments(const xc_container *k, xc_gpu_segment *segments)
{
	const uint64_t blocks = xc_geometry_tile_blocks(&k->geometry);
	uint64_t start = 0, tokens = 0;
	uint32_t longest = 0;
	for (uint64_t i = 0; i < k->segments; i++) {
		uint64_t size;
		uint16_t check;
		xc_container_segment(k, i, &size, &check);
		/* No segment that is larger than a decoder's limit can be right. */
		const int there = start + size <= k->data_there && size <= XC_GPU_SEGMENT_MOST;
		segments[i] = (xc_gpu_segment){start, tokens, (uint32_t)size, check, (uint16_t)there};
		start += size;
		if (!there)
			continue;
		tokens += token_words(k, size, blocks) + XC_GPU_TOKEN_MARGIN;
		longest = size > longest ? (uint32_t)size : longest;
	}
	return longest;
}

void xc_gpu_decode_codes(const xc_container *k, xc_canonical_code codes[2][2])
{
	for (int i = 0; i < 2; i++)
		for (int ac = 0; ac < 2; ac++)
			xc_canonical_code_init(&codes[i][ac], &k->codes[i][ac]);
}
