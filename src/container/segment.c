/* SPDX-License-Identifier: BSD-2-Clause */
/* One tile to its segment and, for stored samples, back. src/encode/tiles.c codes with it;
 * src/decode/usage.c makes tokens again to count their bits. */
#include "src/container/segment.h"
#include "entropy/points.h"

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
	const size_t max = (size_t)t->blocks * XC_TOKENS_PER_BLOCK + XC_TOKEN_SLACK;
	char *base = xc_arena_reserve(arena, (max + t->blocks) * level->width);

	if (!base)
		return 0;
	/* The DC differences lie beyond the last possible token. */
	void *dc = base + max * level->width;
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

/* Segments of stored samples (doc/format.md, 5.13) hold the samples of a tile that lie in the
 * picture, component by component and row by row, centred on zero. In memory samples take the place
 * of coefficients: sample (x, y) of a block is number x * 8 + y. src/encode/tiles.c and
 * src/decode/coded_decode.c call these functions. */

/* Samples of component c that lie in the picture. */
typedef struct area {
	uint32_t wide, high;
} area;

static area area_of(const xc_geometry *g, const xc_tile *t, int c)
{
	xc_tile in = *t;

	xc_geometry_clip(g, &in);
	const uint32_t h = c ? (uint32_t)g->h : 1, v = c ? (uint32_t)g->v : 1;
	return (area){(in.width + h - 1) / h, (in.height + v - 1) / v};
}

size_t xc_tile_samples_count(const xc_geometry *g, const xc_tile *t, int c)
{
	const area a = area_of(g, t, c);
	return (size_t)a.wide * a.high;
}

size_t xc_tile_samples_size(const xc_geometry *g, const xc_tile *t, int depth16)
{
	size_t n = 0;

	for (int c = 0; c < g->components; c++)
		n += xc_tile_samples_count(g, t, c);
	return depth16 ? 2 * n : n;
}

/* The index of a sample among the coefficients of the tile. */
static size_t offset(const xc_tile *t, int c, uint32_t x, uint32_t y)
{
	const size_t block = t->first_block[c] + (size_t)(y / 8) * t->blocks_wide[c] + x / 8;
	return block * 64 + x % 8 * 8 + y % 8;
}

void xc_tile_samples_write(const xc_geometry *g, const xc_tile *t, int depth16, const void *samples,
                           uint8_t *out)
{
	for (int c = 0; c < g->components; c++) {
		const area a = area_of(g, t, c);
		for (uint32_t y = 0; y < a.high; y++) {
			for (uint32_t x = 0; x < a.wide; x++) {
				const size_t at = offset(t, c, x, y);
				const int32_t v = depth16 ? ((const int32_t *)samples)[at]
				                          : ((const int16_t *)samples)[at];
				/* Cb and Cr reach 127.5 (32767.5 with 16 bits), which was rounded up. */
				const int32_t max = depth16 ? INT16_MAX : INT8_MAX, held = v < max ? v : max;
				*out++ = (uint8_t)held;
				if (depth16)
					*out++ = (uint8_t)((uint32_t)held >> 8);
			}
		}
	}
}

void xc_tile_samples_read(const xc_geometry *g, const xc_tile *t, int depth16, const uint8_t *data,
                          void *coefficients)
{
	for (int c = 0; c < g->components; c++) {
		const area a = area_of(g, t, c);
		/* Past the picture its last samples are repeated. */
		for (uint32_t y = 0; y < t->blocks_high[c] * 8; y++) {
			for (uint32_t x = 0; x < t->blocks_wide[c] * 8; x++) {
				const size_t from = (size_t)(y < a.high ? y : a.high - 1) * a.wide +
				                    (x < a.wide ? x : a.wide - 1);
				if (depth16)
					((int32_t *)coefficients)[offset(t, c, x, y)] =
						(int16_t)(data[2 * from] | data[2 * from + 1] << 8) * XC_STEP_PARTS;
				else
					((int16_t *)coefficients)[offset(t, c, x, y)] = (int16_t)((int8_t)data[from] *
					                                                          XC_STEP_PARTS);
			}
		}
		data += (size_t)a.wide * a.high * (depth16 ? 2 : 1);
	}
}
