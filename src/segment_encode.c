/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/segment_encode.h"

static void tokenize16(const xc_entropy_level *level, const int16_t *blocks, xc_tokens16 *t,
                       char *at, char **end)
{
	const size_t n = (size_t)t->blocks_wide * t->blocks_high;
	t->dc = (int16_t *)(void *)at;
	t->tokens = (uint16_t *)(t->dc + n);
	xc_predict_dc16(blocks, t->blocks_wide, t->blocks_high, t->dc);
	/* The lengths follow the tokens, whose number is known only afterwards: they are
	 * first put where the tokens can never reach. */
	uint8_t *lengths = (uint8_t *)(t->tokens + n * XC_TOKENS_PER_BLOCK + 64);
	t->count = level->tokenize(blocks, n, lengths, t->tokens);
	t->lengths = (uint8_t *)(t->tokens + t->count);
	__builtin_memmove(t->lengths, lengths, n);
	*end = (char *)t->lengths + n;
}

static void tokenize32(const int32_t *blocks, xc_tokens32 *t, char *at, char **end)
{
	const size_t n = (size_t)t->blocks_wide * t->blocks_high;
	t->dc = (int32_t *)(void *)at;
	t->tokens = (uint32_t *)(t->dc + n);
	xc_predict_dc32(blocks, t->blocks_wide, t->blocks_high, t->dc);
	uint8_t *lengths = (uint8_t *)(t->tokens + n * XC_TOKENS_PER_BLOCK);
	t->count = xc_tokenize32_scalar(blocks, n, lengths, t->tokens);
	t->lengths = (uint8_t *)(t->tokens + t->count);
	__builtin_memmove(t->lengths, lengths, n);
	*end = (char *)t->lengths + n;
}

int xc_tile_tokenize(xc_arena *arena, const xc_entropy_level *level, int deep, const xc_geometry *g,
                     const xc_tile *t, const void *coefficients, xc_tile_tokens *tokens)
{
	const size_t width = deep ? 4 : 2;
	const size_t most = t->blocks * (width + XC_TOKENS_PER_BLOCK * width + 1) + 3 * 256;
	char *base = xc_arena_reserve(arena, most), *next = base;
	if (!base)
		return 0;
	for (int c = 0; c < g->components; c++) {
		const size_t first = (size_t)t->first_block[c] * 64;
		next = base + ((size_t)(next - base) + 7) / 8 * 8;
		if (deep) {
			xc_tokens32 *k = &tokens->u.t32[c];
			k->blocks_wide = t->blocks_wide[c];
			k->blocks_high = t->blocks_high[c];
			tokenize32((const int32_t *)coefficients + first, k, next, &next);
		} else {
			xc_tokens16 *k = &tokens->u.t16[c];
			k->blocks_wide = t->blocks_wide[c];
			k->blocks_high = t->blocks_high[c];
			tokenize16(level, (const int16_t *)coefficients + first, k, next, &next);
		}
	}
	tokens->bytes = (size_t)(next - base);
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
