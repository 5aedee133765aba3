/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/encode/segment.h"

int xc_tile_tokenize(xc_arena *arena, const xc_entropy_level *level, int deep, const xc_geometry *g,
                     const xc_tile *t, const void *coefficients, xc_tile_tokens *tokens)
{
	const size_t width = deep ? 4 : 2;
	const size_t most = (size_t)t->blocks * XC_TOKENS_PER_BLOCK + XC_TOKEN_SLACK;
	char *base = xc_arena_reserve(arena, (most + t->blocks) * width);
	if (!base)
		return 0;
	/* The DC differences lie where the tokens can never reach. */
	void *dc = base + most * width;
	size_t used = 0;
	for (int c = 0; c < g->components; c++) {
		const size_t first = (size_t)t->first_block[c] * 64;
		const uint32_t wide = t->blocks_wide[c], high = t->blocks_high[c];
		if (deep) {
			xc_tokens32 *k = &tokens->u.t32[c];
			const int32_t *blocks = (const int32_t *)coefficients + first;
			k->tokens = (uint32_t *)(void *)base + used;
			xc_predict_dc32(blocks, wide, high, dc);
			k->count = xc_tokenize32_scalar(blocks, dc, (size_t)wide * high, k->tokens);
			used += k->count;
		} else {
			xc_tokens16 *k = &tokens->u.t16[c];
			const int16_t *blocks = (const int16_t *)coefficients + first;
			k->tokens = (uint16_t *)(void *)base + used;
			xc_predict_dc16(blocks, wide, high, dc);
			k->count = level->tokenize(blocks, dc, (size_t)wide * high, k->tokens);
			used += k->count;
		}
	}
	tokens->bytes = used * width;
	return 1;
}

void xc_tile_count(const xc_entropy_level *level, const xc_tile_tokens *t, int deep, int components,
                   xc_token_counts counts[2])
{
	for (int c = 0; c < components; c++) {
		if (deep)
			xc_count_tokens32(&t->u.t32[c], &counts[c != 0]);
		else
			level->count(&t->u.t16[c], &counts[c != 0]);
	}
}

size_t xc_tile_code_bound(const xc_tile *tile)
{
	return (size_t)tile->blocks * XC_CODED_BLOCK_BYTES + XC_CODED_SLACK;
}

uint8_t *xc_tile_code(const xc_entropy_level *level, const xc_tile_tokens *t, int deep,
                      int components, const xc_coder_tables tables[2], uint8_t *out)
{
	xc_bit_writer w = {.next = out};
	for (int c = 0; c < components; c++) {
		if (deep)
			xc_code_tokens32(&w, &t->u.t32[c], &tables[c != 0]);
		else
			level->code(&w, &t->u.t16[c], &tables[c != 0]);
	}
	return xc_bit_writer_finish(&w);
}

void xc_tile_cost(const xc_tile_tokens *t, int deep, int components,
                  const xc_coder_tables tables[2], uint64_t dc[3], uint64_t ac[3])
{
	for (int c = 0; c < components; c++) {
		uint64_t d, a;
		if (deep)
			xc_cost_tokens32(&t->u.t32[c], &tables[c != 0], &d, &a);
		else
			xc_cost_tokens16(&t->u.t16[c], &tables[c != 0], &d, &a);
		dc[c] += d;
		ac[c] += a;
	}
}
