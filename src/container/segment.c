/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/container/segment.h"

xc_rans_shape xc_tile_rans_shape(const xc_geometry *g, const xc_tile *t)
{
	xc_rans_shape s = {.components = g->components, .blocks = t->blocks};
	for (int c = 0; c < g->components; c++) {
		s.wide[c] = t->blocks_wide[c];
		s.high[c] = t->blocks_high[c];
		s.first[c] = t->first_block[c];
	}
	return s;
}

int xc_tile_tokenize(xc_arena *arena, const xc_entropy_level *level, const xc_geometry *g,
                     const xc_tile *t, const void *coefficients, xc_tile_tokens *tokens)
{
	const size_t most = (size_t)t->blocks * XC_TOKENS_PER_BLOCK + XC_TOKEN_SLACK;
	char *base = xc_arena_reserve(arena, (most + t->blocks) * level->width);
	if (!base)
		return 0;
	/* The DC differences lie where the tokens can never reach. */
	void *dc = base + most * level->width;
	tokens->bytes = 0;
	for (int c = 0; c < g->components; c++) {
		const char *blocks = (const char *)coefficients + t->first_block[c] * 64 * level->width;
		const uint32_t wide = t->blocks_wide[c], high = t->blocks_high[c];
		xc_tokens *to = &tokens->of[c];
		to->tokens = base + tokens->bytes;
		level->predict_dc(blocks, wide, high, dc);
		to->count = level->tokenize(blocks, dc, (size_t)wide * high, to->tokens);
		tokens->bytes += to->count * level->width;
	}
	return 1;
}

void xc_tile_count(const xc_entropy_level *level, const xc_tile_tokens *t, int components,
                   const xc_token_contexts *contexts, xc_token_counts (*counts)[XC_AC_CONTEXTS])
{
	for (int c = 0; c < components; c++)
		level->count(&t->of[c], contexts, counts[c != 0]);
}

size_t xc_tile_code_bound(const xc_tile *tile)
{
	return (size_t)tile->blocks * XC_CODED_BLOCK_BYTES + XC_CODED_SLACK;
}

uint8_t *xc_tile_code(const xc_entropy_level *level, const xc_tile_tokens *t, int components,
                      const xc_coder coders[2], uint8_t *out)
{
	xc_bit_writer w = {.next = out};
	for (int c = 0; c < components; c++)
		level->code(&w, &t->of[c], &coders[c != 0]);
	return xc_bit_writer_finish(&w);
}
