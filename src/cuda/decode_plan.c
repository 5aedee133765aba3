/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/cuda/decode_plan.h"

#include <string.h>

#include "entropy/scan.h"
#include "gpu/decode/bits.h"
#include "quant/tables.h"

void xc_gpu_decode_plan_init(xc_gpu_decode_plan *p, const xc_container *k,
                             const xc_decode_options *options)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	const xc_header *h = &k->header;
	const xc_geometry *g = &k->geometry;
	*p = (xc_gpu_decode_plan){
		.width = h->width,
		.height = h->height,
		.channels = h->channels,
		.depth = h->depth,
		.components = (uint32_t)g->components,
		.h = (uint32_t)g->h,
		.v = (uint32_t)g->v,
		.mcus_wide = g->mcus_wide,
		.mcus_high = g->mcus_high,
		.tile_mcus_wide = g->tile_mcus_wide,
		.tile_mcus_high = g->tile_mcus_high,
		.tiles_wide = g->tiles_wide,
		.mcu_blocks = (uint32_t)(g->h * g->v) + (g->components == 3 ? 2 : 0),
		.rounding = options->jpeg_rounding != 0,
		.transform = h->transform,
		.segments = (uint32_t)k->segments,
		.bytes = k->data_there,
		.gains = xc_colour_gains_make(1.0f / (float)(g->h * g->h * g->v * g->v)),
	};
	for (int i = 0; i < 2; i++) {
		float table[64];
		xc_quant_inverse_table(h->transform, k->quant[g->components == 1 ? 0 : i], table);
		for (int j = 0; j < 64; j++)
			p->steps[i][j] = table[scan[j]];
	}
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What the symbols in some bytes can have as tokens: one for each bit of code and one of
 * value, and no more than coefficients. */
static uint64_t tokens_in(uint64_t bytes, uint64_t coefficients)
{
	return smaller(bytes * 4, coefficients);
}

uint64_t xc_gpu_decode_token_words(const xc_container *k)
{
	const uint64_t coefficients = k->segments * xc_geometry_tile_blocks(&k->geometry) * 64;
	return tokens_in(k->data_there, coefficients) * xc_gpu_token_words(k->header.depth == 16) +
	       k->segments * XC_GPU_TOKEN_MARGIN;
}

uint32_t xc_gpu_decode_segments(const xc_container *k, xc_gpu_segment *segments)
{
	const uint64_t coefficients = xc_geometry_tile_blocks(&k->geometry) * 64;
	const uint64_t n = k->segments, end = k->data_there;
	const uint32_t words = xc_gpu_token_words(k->header.depth == 16);
	xc_index_reader r = xc_index_begin(k, 0);
	uint64_t start = 0, tokens = 0;
	uint32_t longest = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint16_t check;
		const uint32_t size = xc_index_next(&r, &check);
		/* No segment that is larger than a decoder's limit can be right. */
		const int there = start + size <= end && size <= XC_GPU_SEGMENT_MOST;
		segments[i] = (xc_gpu_segment){start, tokens, size, check, (uint16_t)there};
		start += size;
		if (!there)
			continue;
		tokens += tokens_in(size, coefficients) * words + XC_GPU_TOKEN_MARGIN;
		longest = size > longest ? size : longest;
	}
	return longest;
}

void xc_gpu_decode_codes(const xc_container *k, xc_canonical_code codes[2][2])
{
	for (int i = 0; i < 2; i++)
		for (int ac = 0; ac < 2; ac++)
			xc_canonical_code_init(&codes[i][ac], &k->codes[i][ac]);
}
