/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts of symbols, in the rANS mode. An encoder knows all symbols, so the contexts of all of
 * them are found at once: a thread block takes a part of a tile, a warp 32 blocks at a time, and
 * what is expected of AC symbols are products of matrices (gpu/encode/rans/model.h). Another
 * thread block of each tile writes its raw bits.
 */
#ifndef XC_GPU_ENCODE_RANS_CONTEXTS_H
#define XC_GPU_ENCODE_RANS_CONTEXTS_H

#include "gpu/encode/rans/symbols.h"

/* The levels of 32 blocks, a byte a position.  Rows of 20 words begin in different banks. */
typedef struct xc_gpu_context_levels {
	xc_gpu_vec16 row[XC_WARP_LANES][5];
} xc_gpu_context_levels;

/* What a thread block has in shared memory. */
typedef union xc_gpu_contexts_shared {
	struct {
		xc_gpu_context_levels levels[XC_GPU_SLICE / XC_WARP_LANES];
		xc_gpu_rans_contexts model;
	} contexts;
	struct {
		uint32_t start[XC_GPU_TILE_BLOCKS]; /* where raw bits begin */
		uint32_t partial[XC_CTA_PARTIAL];
		xc_gpu_scan_order order;
	} raw;
} xc_gpu_contexts_shared;

/* The parts of a block's record that have symbols, a bit each; sums: see xc_gpu_rans_sums(). They
 * stand beside the contexts of its flags. */
enum { XC_GPU_RANS_PARTS_SHIFT = 24 };

XC_GPU_INLINE uint32_t xc_gpu_rans_parts(uint32_t sums)
{
	return 1 | (sums & 0xff0 ? 2 : 0) | (sums & 0xf00 ? 12 : 0);
}

/* ------------------------------------------------------------------ 32 blocks */

/* Up to 32 blocks of a tile, all of luma or all of chroma. */
typedef struct xc_gpu_chunk {
	uint32_t first, end, chroma;
} xc_gpu_chunk;

/* Chunk n of a tile; it may be empty. */
XC_GPU_INLINE xc_gpu_chunk xc_gpu_chunk_of(const xc_gpu_coded_tile *c, uint32_t n)
{
	const uint32_t luma = (c->luma_blocks + XC_WARP_LANES - 1) / XC_WARP_LANES;
	const uint32_t chroma = n >= luma;
	const uint32_t first = chroma ? c->luma_blocks + (n - luma) * XC_WARP_LANES : n * XC_WARP_LANES;
	const xc_gpu_chunk k = {first,
	                        xc_gpu_min(first + XC_WARP_LANES, chroma ? c->blocks : c->luma_blocks),
	                        chroma};

	return k;
}

/* Thread blocks that take the chunks of a whole tile, one a warp. */
XC_GPU_INLINE uint32_t xc_gpu_context_ctas(const xc_gpu_encode_job *j)
{
	const uint32_t mcus = j->tile_wide * j->tile_high;
	const uint32_t luma = mcus * j->h * j->v, chroma = mcus * j->mcu_blocks - luma;
	const uint32_t chunks = (luma + XC_WARP_LANES - 1) / XC_WARP_LANES +
	                        (chroma + XC_WARP_LANES - 1) / XC_WARP_LANES;

	return (chunks * XC_WARP_LANES + XC_GPU_SLICE - 1) / XC_GPU_SLICE;
}

/* The blocks of a chunk, a lane each. */
typedef struct xc_gpu_context_blocks {
	int32_t of[XC_GPU_SEEN][XC_SLOTS];  /* which, and their neighbours; -1: none */
	uint32_t at[XC_GPU_SEEN][XC_SLOTS]; /* where their symbols are */
	uint32_t sums[XC_SLOTS];            /* of their zones' symbols */
} xc_gpu_context_blocks;

XC_WARP_INLINE void xc_gpu_context_blocks_of(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                             const xc_gpu_tile_symbols *t, const xc_gpu_chunk *k,
                                             xc_gpu_context_blocks *b)
{
	XC_FOR_LANES(lane) {
		const int n = XC_SLOT(lane);
		const uint32_t i = k->first + (uint32_t)lane;
		b->sums[n] = 0;
		XC_UNROLL
		for (int w = 0; w < XC_GPU_SEEN; w++)
			b->of[w][n] = -1;
		if (i < k->end) {
			const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
			const xc_gpu_rans_neighbours near = xc_gpu_rans_neighbours_of(c, i, &p);
			b->sums[n] = j->sums[c->first + i];
			b->of[XC_GPU_NOW][n] = (int32_t)i;
			b->of[XC_GPU_LEFT][n] = near.left;
			b->of[XC_GPU_UP][n] = near.up;
		}
		XC_UNROLL
		for (int w = 0; w < XC_GPU_SEEN; w++)
			b->at[w][n] = xc_gpu_tile_symbols_at(t, b->of[w][n]);
	}
}

/* Finds the levels of those AC symbols that are in zones that have some. */
XC_WARP_INLINE void xc_gpu_find_levels(const xc_gpu_encode_job *j, const xc_gpu_context_blocks *b,
                                       const xc_gpu_expect_seen *seen, uint32_t chroma,
                                       const xc_gpu_rans_contexts *m, xc_gpu_context_levels *levels)
{
	uint32_t some[2][XC_SLOTS];

	XC_FOR_LANES(lane) {
		some[0][XC_SLOT(lane)] = b->sums[XC_SLOT(lane)] & 0xff0; /* any but the first zone */
		some[1][XC_SLOT(lane)] = b->sums[XC_SLOT(lane)] & 0xf00;
	}
	const int any[2] = {xc_warp_any(some[0]), xc_warp_any(some[1])};
	XC_UNROLL
	for (int pair = 0; pair < XC_GPU_EXPECT_PAIRS; pair++) {
		xc_gpu_expect_sums sums;
		if (pair && !any[pair > 1])
			break;
		xc_gpu_expect_begin(&sums, m->constant[chroma], pair);
		xc_gpu_expect(seen, &j->rans->expected[chroma], pair, &sums);
		XC_FOR_LANES(lane) {
			XC_UNROLL
			for (int i = 0; i < 8; i++) {
				const int n = 2 * pair + i / 4, r = i % 4;
				const uint32_t *const two = &sums.of[n % 2][r / 2][r % 2 * 2][XC_SLOT(lane)];
				/* Positions from 10 on are another range. */
				const uint8_t *const table = m->level[chroma][8 * n + lane % 4 * 2 >= 10];
				const uint32_t both = xc_gpu_rans_level(table, two[0]) |
				                      xc_gpu_rans_level(table, two[XC_SLOTS]) << 8;
				levels->row[8 * r + lane / 4][pair].plain[n % 2 * 4 + lane % 4] = (uint16_t)both;
			}
		}
	}
}

/* Notes the contexts of the flags.  dc: gets the levels of the DCs. */
XC_WARP_INLINE void xc_gpu_find_others(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                       const xc_gpu_tile_symbols *t, const xc_gpu_context_blocks *b,
                                       uint32_t chroma, const xc_gpu_rans_contexts *m,
                                       uint32_t dc[XC_SLOTS])
{
	XC_FOR_LANES(lane) {
		const int n = XC_SLOT(lane);
		xc_gpu_rans_seen seen;
		uint32_t words[XC_GPU_SEEN][8], sums[XC_GPU_SEEN], flags = 0;
		XC_UNROLL
		for (int k = 0; k < XC_GPU_SEEN; k++) {
			/* Only the first words count: of neighbours one, of the block itself four. */
			const int none = b->of[k][n] < 0;
			const xc_gpu_vec16 *const vec = t->vecs + (none ? 0 : b->at[k][n]);
			XC_UNROLL
			for (int w = 0; w < 8; w++)
				words[k][w] = w < (k == XC_GPU_NOW ? 4 : 1) ? vec->depth16[w & 3] : 0;
			words[k][0] = none ? 0 : words[k][0];
			sums[k] = none ? 0 : j->sums[c->first + (uint32_t)b->of[k][n]];
		}
		xc_gpu_rans_spread(words[XC_GPU_NOW], &seen.now);
		xc_gpu_rans_spread(words[XC_GPU_LEFT], &seen.left);
		xc_gpu_rans_spread(words[XC_GPU_UP], &seen.up);
		seen.sums = sums[XC_GPU_NOW];
		seen.left_sums = sums[XC_GPU_LEFT];
		seen.up_sums = sums[XC_GPU_UP];
		XC_UNROLL
		for (int g = 0; g < XC_RANS_ZONES; g++) {
			const uint32_t expected = xc_gpu_rans_expect_flag(&seen, m->flag[chroma][g], g);
			const uint32_t level = xc_gpu_rans_level(m->level[chroma][XC_RANS_FLAG_SET + g],
			                                         expected);
			flags |= (level | ((seen.sums >> 4 * g & 15) != 0)) << 8 * g;
		}
		flags |= xc_gpu_rans_parts(seen.sums) << XC_GPU_RANS_PARTS_SHIFT;
		dc[n] = xc_gpu_rans_level(m->level[chroma][XC_RANS_DC_SET],
		                          xc_gpu_rans_expect_dc(&seen, m->dc[chroma]));
		if (b->of[XC_GPU_NOW][n] >= 0)
			j->flags[c->first + (uint32_t)b->of[XC_GPU_NOW][n]] = flags;
	}
}

/* Notes the contexts of those symbols that are in parts of records with symbols. Four
 * lanes take a block. */
XC_WARP_INLINE void xc_gpu_note_records(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                        const xc_gpu_tile_symbols *t,
                                        const xc_gpu_context_blocks *b,
                                        const xc_gpu_context_levels *levels)
{
	xc_gpu_vec16 *const records = j->records + 4 * c->first;

	XC_UNROLL
	for (int r = 0; r < 4; r++) {
		uint32_t block[XC_SLOTS], at[XC_SLOTS], sums[XC_SLOTS], from[XC_SLOTS];
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			block[i] = (uint32_t)b->of[XC_GPU_NOW][i];
			at[i] = b->at[XC_GPU_NOW][i];
			sums[i] = b->sums[i];
			from[i] = 8 * (uint32_t)r + (uint32_t)lane / 4;
		}
		xc_warp_from(block, from);
		xc_warp_from(at, from);
		xc_warp_from(sums, from);
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane), part = lane % 4;
			if ((int32_t)block[i] < 0 || !(xc_gpu_rans_parts(sums[i]) >> part & 1))
				continue;
			const xc_gpu_vec16 *const symbols = t->vecs + at[i] + part / 2 * XC_GPU_TOGETHER;
			const uint32_t *const words = symbols->depth16 + part % 2 * 2;
			xc_gpu_vec16 vec = levels->row[8 * r + lane / 4][part];
			XC_UNROLL
			for (int w = 0; w < 4; w++) {
				const uint32_t even = words[w / 2] & 0x0f0f0f0f,
							   odd = words[w / 2] >> 4 & 0x0f0f0f0f;
				vec.depth16[w] ^= xc_gpu_pick(even, odd, w % 2 ? 0x7362 : 0x5140);
			}
			records[4 * block[i] + (uint32_t)part] = vec;
		}
	}
}

/* Notes the contexts of a chunk of a tile. */
XC_WARP_INLINE void xc_gpu_note_contexts(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                         const xc_gpu_chunk *chunk, const xc_gpu_rans_contexts *m,
                                         xc_gpu_context_levels *levels)
{
	xc_gpu_context_blocks b;
	xc_gpu_expect_seen seen;
	uint32_t dc[XC_SLOTS];
	const xc_gpu_tile_symbols t = xc_gpu_tile_symbols_of(j, c);

	xc_gpu_context_blocks_of(j, c, &t, chunk, &b);
	xc_gpu_find_others(j, c, &t, &b, chunk->chroma, m, dc);
	XC_UNROLL
	for (int k = 0; k < XC_GPU_SEEN; k++)
		xc_gpu_expect_load(&t, b.at[k], seen.word[k]);
	xc_gpu_find_levels(j, &b, &seen, chunk->chroma, m, levels);
	xc_warp_sync();
	XC_FOR_LANES(lane) {
		uint16_t *const two = levels->row[lane][0].plain;
		two[0] = (uint16_t)((two[0] & 0xff00) | dc[XC_SLOT(lane)]);
	}
	xc_warp_sync();
	xc_gpu_note_records(j, c, &t, &b, levels);
	xc_warp_sync();
}

/* ------------------------------------------------------------------ the kernel */

/* Writes the raw bits of block i of a tile, `bits` of them from bit `at` on. */
XC_GPU_INLINE void xc_gpu_write_block(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                      uint32_t i, uint32_t bits, const xc_gpu_scan_order *order,
                                      uint32_t *raw, uint32_t at, int depth16)
{
	const size_t block = c->first + i;
	const uint64_t signs = j->signs[block];
	uint32_t words[8];

	if (!(j->sums[block] & XC_GPU_RANS_LARGE)) {
		const xc_gpu_raw_writer w = xc_gpu_rans_write_signs(signs, bits, raw, at);
		xc_gpu_raw_end(&w);
		return;
	}
	const xc_gpu_tile_block p = xc_gpu_tile_block_at(c, i);
	xc_gpu_load_symbols(j, block, words);
	xc_gpu_rans_write_raw(words, signs, xc_gpu_tile_difference(&p, j->dc + c->first, i, depth16),
	                      xc_gpu_slot(j, block, depth16), depth16, order, raw, at);
}

/* Writes the raw bits of a tile. */
XC_GPU_INLINE void xc_gpu_write_raw(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                    uint32_t picture, const xc_gpu_coded_tile *c,
                                    xc_gpu_contexts_shared *s, int depth16)
{
	uint32_t *const raw = xc_gpu_rans_raw(j, c->first), *const start = s->raw.start;

	for (uint32_t i = t.rank; i < c->blocks; i += t.size)
		start[i] = j->block_bits[c->first + i];
	for (uint32_t raster = t.rank; raster < 64; raster += t.size) {
		const uint8_t k = j->rans->contexts.position[raster];
		s->raw.order.position[raster] = k;
		s->raw.order.raster[k] = (uint8_t)raster;
	}
	const uint32_t bits = xc_cta_scan(t, start, c->blocks, 0, s->raw.partial);
	/* States carry 32 bytes, even if there are fewer. */
	for (uint32_t i = t.rank; i < 8 || i < (bits + 31) / 32; i += t.size)
		raw[i] = 0;
	if (t.rank == 0)
		j->raw_bits[(size_t)picture * j->tiles + tile] = bits;
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const uint32_t own = (i + 1 < c->blocks ? start[i + 1] : bits) - start[i];
		if (own)
			xc_gpu_write_block(j, c, i, own, &s->raw.order, raw, start[i], depth16);
	}
}

/* Part 0 of a tile is its raw bits, the others are the contexts of four chunks each. */
XC_WARP_INLINE void xc_gpu_make_contexts(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                         uint32_t part, uint32_t picture, xc_gpu_contexts_shared *s,
                                         int depth16)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile, picture);
	const uint32_t *const model = (const uint32_t *)(const void *)&j->rans->contexts;
	const uint32_t warp = t.rank / XC_WARP_LANES;
	const uint32_t warps = (t.size + XC_WARP_LANES - 1) / XC_WARP_LANES;

	if (!part) {
		xc_gpu_write_raw(j, t, tile, picture, &c, s, depth16);
		return;
	}
	for (uint32_t i = t.rank; i < sizeof s->contexts.model / 4; i += t.size)
		((uint32_t *)(void *)&s->contexts.model)[i] = model[i];
	XC_CTA_SYNC();
	const uint32_t first = (part - 1) * (XC_GPU_SLICE / XC_WARP_LANES);
	for (uint32_t n = warp; n < XC_GPU_SLICE / XC_WARP_LANES; n += warps) {
		const xc_gpu_chunk chunk = xc_gpu_chunk_of(&c, first + n);
		if (chunk.first < chunk.end)
			xc_gpu_note_contexts(j, &c, &chunk, &s->contexts.model, &s->contexts.levels[warp]);
	}
}

#endif
