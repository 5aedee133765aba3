/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contexts of symbols, in the rANS mode. An encoder knows all symbols, so it finds all contexts at
 * once: a thread block takes a part of a tile, a warp 32 blocks at a time, and the expectations of
 * AC symbols are products of matrices (gpu/encode/rans/model.h). Another thread block of each tile
 * writes its raw bits. Launched by gpu/encode/rans/rans.cu.
 */
#ifndef XC_GPU_ENCODE_RANS_CONTEXTS_H
#define XC_GPU_ENCODE_RANS_CONTEXTS_H

#include "entropy/scan.h"
#include "gpu/encode/job/tiles.h"
#include "gpu/encode/rans/model.h"

/* ------------------------------------------------------- layout of symbols, neighbours */

/*
 * A block of the rANS mode, by one thread: symbols, their contexts, and raw bits.
 *
 * Symbols are stored as eight words of nibbles, position k of the scan in nibble k % 8 of word k /
 * 8. For weighted sums, four at a time, a thread spreads them to bytes: the even positions of a
 * word, and the odd ones.
 */

/* The zone of position k; 0 for the DC as well. */
#define XC_GPU_RANS_ZONE(k) ((k) < 10 ? 0 : (k) < 28 ? 1 : 2)

enum {
	XC_GPU_RANS_MAX_SUM = 15,
	XC_GPU_RANS_LARGE = 1 << 12 /* flag beside the sums of a block: it has class bits */
};

XC_GPU_INLINE uint32_t xc_gpu_first_bit(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__ffsll((long long)mask) - 1;
#else
	return (uint32_t)__builtin_ctzll(mask);
#endif
}

/* ------------------------------------------------------------------ symbols */

/* The class bits of the symbol of a large magnitude, with the escape's. */
XC_GPU_INLINE uint32_t xc_gpu_class_size(uint32_t magnitude)
{
	const uint32_t n = xc_rans_class_bits(magnitude);
	return n + (n >= XC_RANS_ESCAPE_MIN ? XC_RANS_ESCAPE_BITS : 0);
}

/* Compacts the bits of `marked`, a subset of `some`, to the ranks that they have in `some`. */
XC_GPU_INLINE uint32_t xc_gpu_compact(uint32_t some, uint32_t marked)
{
	uint32_t bits = 0;

	XC_ROLLED
	for (; marked; marked &= marked - 1)
		bits |= UINT32_C(1) << xc_gpu_count_bits(some & ((marked & (0u - marked)) - 1));
	return bits;
}

/* The sums of the zones' symbols as stored: at most 15, four bits each. */
XC_GPU_INLINE uint32_t xc_gpu_rans_sums(const uint32_t sums[3])
{
	uint32_t all = 0;
	XC_UNROLL
	for (int g = 0; g < 3; g++)
		all |= xc_gpu_min(sums[g], XC_GPU_RANS_MAX_SUM) << 4 * g;
	return all;
}

/* ------------------------------------------------------------------ raw bits */

/* Appends bits to zeroed words, lowest bit first. Other threads share the first and the last word.
 * */
typedef struct xc_gpu_raw_writer {
	uint32_t *word;
	uint64_t bits; /* the lowest `count` bits, below 32, are pending */
	uint32_t count;
} xc_gpu_raw_writer;

/* n: 32 at most; the other bits of v are 0. */
XC_GPU_INLINE void xc_gpu_raw_put(xc_gpu_raw_writer *w, uint32_t v, uint32_t n)
{
	w->bits |= (uint64_t)v << w->count;
	w->count += n;
	if (w->count < 32)
		return;
	XC_ATOMIC_OR(w->word, (uint32_t)w->bits);
	w->word++;
	w->bits >>= 32;
	w->count -= 32;
}

XC_GPU_INLINE void xc_gpu_raw_put_class(xc_gpu_raw_writer *w, uint32_t magnitude)
{
	const uint32_t n = xc_rans_class_bits(magnitude);

	if (n >= XC_RANS_ESCAPE_MIN)
		xc_gpu_raw_put(w, n - XC_RANS_ESCAPE_MIN, XC_RANS_ESCAPE_BITS);
	xc_gpu_raw_put(w, magnitude - 7 - (UINT32_C(1) << n), n);
}

/* The nibbles of a word that are at least XC_RANS_FIRST_CLASS, marked by their highest bit. */
XC_GPU_INLINE uint32_t xc_gpu_large_nibbles(uint32_t word)
{
	return word & 0x88888888 & (word << 1 | word << 2 | word << 3);
}

/* The number of nonzero nibbles of a word. */
XC_GPU_INLINE uint32_t xc_gpu_some_nibbles(uint32_t word)
{
	return xc_gpu_count_bits((word | word >> 1 | word >> 2 | word >> 3) & 0x11111111);
}

/* The scan: position by raster index, and raster index by position. */
typedef struct xc_gpu_scan_order {
	uint8_t position[64], raster[64];
} xc_gpu_scan_order;

/* Writes n signs from bit `at` of `raw` on. */
XC_GPU_INLINE xc_gpu_raw_writer xc_gpu_rans_write_signs(uint64_t signs, uint32_t n, uint32_t *raw,
                                                        uint32_t at)
{
	xc_gpu_raw_writer w = {raw + at / 32, 0, at % 32};

	xc_gpu_raw_put(&w, (uint32_t)signs, n < 32 ? n : 32);
	if (n > 32)
		xc_gpu_raw_put(&w, (uint32_t)(signs >> 32), n - 32);
	return w;
}

XC_GPU_INLINE void xc_gpu_raw_end(const xc_gpu_raw_writer *w)
{
	if (w->count)
		XC_ATOMIC_OR(w->word, (uint32_t)w->bits);
}

/* The same for a block with class bits, which follow the signs in raster order. */
XC_GPU_INLINE void xc_gpu_rans_write_raw(const uint32_t words[8], uint64_t signs,
                                         int32_t difference, const xc_gpu_vec16 *slot, int depth16,
                                         const xc_gpu_scan_order *order, uint32_t *raw, uint32_t at)
{
	uint64_t large = 0;
	uint32_t n = 0;

	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++) {
		n += xc_gpu_some_nibbles(words[i]);
		XC_ROLLED
		for (uint32_t left = xc_gpu_large_nibbles(words[i]); left; left &= left - 1)
			large |= UINT64_C(1) << order->raster[8 * i + (uint32_t)xc_gpu_lowest(left) / 4];
	}
	xc_gpu_raw_writer w = xc_gpu_rans_write_signs(signs, n, raw, at);
	XC_ROLLED
	for (; large; large &= large - 1) {
		const uint32_t raster = xc_gpu_first_bit(large), k = order->position[raster];
		const int32_t value = raster ? xc_gpu_slot_get(slot, k, depth16) : difference;
		xc_gpu_raw_put_class(&w, xc_gpu_magnitude(value));
	}
	xc_gpu_raw_end(&w);
}

/* ------------------------------------------------------------------ contexts */

/* A block's symbols as bytes. */
typedef struct xc_gpu_rans_bytes {
	uint32_t of[16];
} xc_gpu_rans_bytes;

XC_GPU_INLINE void xc_gpu_rans_spread(const uint32_t words[8], xc_gpu_rans_bytes *b)
{
	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		b->of[2 * i] = words[i] & 0x0f0f0f0f;
		b->of[2 * i + 1] = words[i] >> 4 & 0x0f0f0f0f;
	}
}

/* The word with the symbol of position k, and its byte there; k may be XC_RANS_NOWHERE. */
XC_GPU_INLINE uint32_t xc_gpu_rans_word(const xc_gpu_rans_bytes *b, int k)
{
	return k < 64 ? b->of[(k / 8 * 2 + k % 2) & 15] : 0;
}

#define XC_GPU_RANS_BYTE(k) ((uint32_t)((k) < 64 ? (k) % 8 / 2 : 0))

XC_GPU_INLINE uint32_t xc_gpu_rans_symbol_at(const xc_gpu_rans_bytes *b, int k)
{
	return xc_gpu_rans_word(b, k) >> 8 * XC_GPU_RANS_BYTE(k) & 255;
}

/* Two symbols in the lowest bytes. */
XC_GPU_INLINE uint32_t xc_gpu_rans_two(const xc_gpu_rans_bytes *a, int ka,
                                       const xc_gpu_rans_bytes *b, int kb)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(xc_gpu_rans_word(a, ka), xc_gpu_rans_word(b, kb),
	                   XC_GPU_RANS_BYTE(ka) | (4 + XC_GPU_RANS_BYTE(kb)) << 4);
#else
	return xc_gpu_rans_symbol_at(a, ka) | xc_gpu_rans_symbol_at(b, kb) << 8;
#endif
}

/* Adds four bytes times four others to sum; the four are two pairs. */
XC_GPU_INLINE uint32_t xc_gpu_rans_dot(uint32_t low, uint32_t high, uint32_t weights, uint32_t sum)
{
	return xc_gpu_dot(xc_gpu_pick(low, high, 0x5410), weights, sum);
}

/* The position of frequency (u, v), XC_RANS_NOWHERE outside of the block and for the DC. */
XC_GPU_INLINE int xc_gpu_rans_position(int u, int v)
{
	const uint8_t position[64] = {XC_POSITION_TABLE};
	const int within = u >= 0 && u < 8 && v >= 0 && v < 8 && u + v > 0;
	return within ? position[(u * 8 + v) & 63] : (int)XC_RANS_NOWHERE;
}

/* The symbols that a block's contexts depend on. */
typedef struct xc_gpu_rans_seen {
	xc_gpu_rans_bytes now, left, up;
	uint32_t sums, left_sums, up_sums; /* see xc_gpu_rans_sums() */
} xc_gpu_rans_seen;

/* The level of an expectation, in the form of the table. */
XC_GPU_INLINE uint32_t xc_gpu_rans_level(const uint8_t *levels, uint32_t sum)
{
	return levels[xc_gpu_min(sum >> XC_RANS_EXPECT_SHIFT, XC_RANS_BINS - 1)];
}

/* The expectation at position k, a constant. */
XC_GPU_INLINE uint32_t xc_gpu_rans_expect(const xc_gpu_rans_seen *s, const xc_gpu_rans_contexts *m,
                                          uint32_t chroma, int k)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	const int u = scan[k] / 8, v = scan[k] % 8;
	const int right = xc_gpu_rans_position(u + 1, v), below = xc_gpu_rans_position(u, v + 1);
	const int before = k > 1 ? k - 1 : XC_RANS_NOWHERE, dc = k < 3 ? 0 : XC_RANS_NOWHERE;
	const xc_gpu_context_weights *w = &m->ac[chroma][u > 2 * v ? 0 : v > 2 * u ? 2 : 1];
	const xc_gpu_rans_bytes *now = &s->now, *left = &s->left, *up = &s->up;
	uint32_t sum = m->constant[chroma][k];

	sum = xc_gpu_rans_dot(xc_gpu_rans_two(left, k, left, right),
	                      xc_gpu_rans_two(left, below, now, before), w->left, sum);
	sum = xc_gpu_rans_dot(xc_gpu_rans_two(up, k, up, right), xc_gpu_rans_two(up, below, now, dc),
	                      w->up, sum);
	return xc_gpu_rans_dot(xc_gpu_rans_two(now, xc_gpu_rans_position(u - 1, v), now,
	                                       xc_gpu_rans_position(u - 2, v)),
	                       xc_gpu_rans_two(now, xc_gpu_rans_position(u, v - 1), now,
	                                       xc_gpu_rans_position(u, v - 2)),
	                       w->own, sum);
}

/* The expectation of the DC. */
XC_GPU_INLINE uint32_t xc_gpu_rans_expect_dc(const xc_gpu_rans_seen *s, const uint32_t *w)
{
	uint32_t l[6], u[3];

	XC_UNROLL
	for (int k = 0; k < 6; k++)
		l[k] = xc_gpu_rans_symbol_at(&s->left, k);
	XC_UNROLL
	for (int k = 0; k < 3; k++)
		u[k] = xc_gpu_rans_symbol_at(&s->up, k);
	return w[5] + l[0] * w[0] + (l[1] + l[2]) * w[1] + (l[3] + l[4] + l[5]) * w[2] + u[0] * w[3] +
	       (u[1] + u[2]) * w[4];
}

/* The expectation of the flag of zone g, a constant; s->sums: of the zones so far. */
XC_GPU_INLINE uint32_t xc_gpu_rans_expect_flag(const xc_gpu_rans_seen *s, const uint32_t *w, int g)
{
	const int first = g == 0 ? 1 : g == 1 ? 10 : 28;
	const uint32_t left = s->left_sums >> 4 * g & 15, up = s->up_sums >> 4 * g & 15;
	uint32_t sum = w[5] + xc_gpu_min(left, 2) * w[0] + xc_gpu_min(up, 2) * w[1];

	if (g == 0) {
		sum += xc_gpu_rans_symbol_at(&s->now, 0) * w[2];
	} else {
		uint32_t some = 0;
		XC_UNROLL
		for (int k = first - 5; k < first; k++)
			some += xc_gpu_rans_symbol_at(&s->now, k) != 0;
		sum += (s->sums >> 4 * (g - 1) & 15) * w[2] + some * w[3];
	}
	if (g < XC_RANS_ZONES - 1) {
		const uint32_t next = (s->left_sums >> 4 * (g + 1) & 15) + (s->up_sums >> 4 * (g + 1) & 15);
		sum += xc_gpu_min(next, 2) * w[4];
	}
	return sum;
}

/* The raw bits of the tile that begins with `block`; a block has room for its slot's bytes. */
XC_GPU_INLINE uint32_t *xc_gpu_rans_raw(const xc_gpu_encode_job *j, size_t block)
{
	return j->rans.raw + block * xc_gpu_raw_words(j);
}

/* ------------------------------------------------------------------ symbols */

XC_GPU_INLINE void xc_gpu_load_symbols(const xc_gpu_encode_job *j, size_t block, uint32_t words[8])
{
	const xc_gpu_vec16 *const from = j->rans.symbols + xc_gpu_vecs_at(block, 2);

	XC_UNROLL
	for (int half = 0; half < 2; half++) {
		const xc_gpu_vec16 vec = from[half * XC_GPU_TOGETHER];
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			words[4 * half + w] = vec.depth16[w];
	}
}

XC_GPU_INLINE void xc_gpu_store_symbols(const xc_gpu_encode_job *j, size_t block,
                                        const uint32_t words[8])
{
	xc_gpu_vec16 *const to = j->rans.symbols + xc_gpu_vecs_at(block, 2);

	XC_UNROLL
	for (int half = 0; half < 2; half++) {
		xc_gpu_vec16 vec;
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			vec.depth16[w] = words[4 * half + w];
		to[half * XC_GPU_TOGETHER] = vec;
	}
}

/* ------------------------------------------------------------------ neighbours */

/* The offset of a row of a list in the wavefront (xc_rans_zone_at()); high: rows of a component. */
XC_GPU_INLINE uint32_t xc_gpu_row_offset(uint32_t row, uint32_t high)
{
	return xc_gpu_min(row % XC_RANS_LANES, row % high);
}

/* The neighbours of a block for its contexts; -1: none. */
typedef struct xc_gpu_rans_neighbours {
	int32_t left, up;
} xc_gpu_rans_neighbours;

XC_GPU_INLINE xc_gpu_rans_neighbours xc_gpu_rans_neighbours_of(const xc_gpu_coded_tile *c,
                                                               uint32_t i,
                                                               const xc_gpu_tile_block *p)
{
	const uint32_t first = p->chroma ? c->luma_blocks : 0; /* of the list */
	const uint32_t lane = (i - first) / p->wide % XC_RANS_LANES;
	const uint32_t x = (i - p->start) % p->wide, y = (i - p->start) / p->wide;
	const int above = lane && y;
	xc_gpu_rans_neighbours n;

	n.left = x ? (int32_t)i - 1 : above ? (int32_t)(i - p->wide) : -1;
	n.up = above ? (int32_t)(i - p->wide) : n.left;
	return n;
}

/* The symbols of block i of a tile as bytes, and their sums; all 0 if i is -1. */
XC_GPU_INLINE void xc_gpu_see(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c, int32_t i,
                              xc_gpu_rans_bytes *bytes, uint32_t *sums)
{
	uint32_t words[8] = {0, 0, 0, 0, 0, 0, 0, 0};

	*sums = 0;
	if (i >= 0) {
		xc_gpu_load_symbols(j, c->first + (uint32_t)i, words);
		*sums = j->rans.sums[c->first + (uint32_t)i];
	}
	xc_gpu_rans_spread(words, bytes);
}

/* The symbols of a tile's blocks: block i has vec16s at xc_gpu_vecs_within(first + i, 2). */
typedef struct xc_gpu_tile_symbols {
	const xc_gpu_vec16 *vecs;
	uint32_t first;
} xc_gpu_tile_symbols;

XC_GPU_INLINE xc_gpu_tile_symbols xc_gpu_tile_symbols_of(const xc_gpu_encode_job *j,
                                                         const xc_gpu_coded_tile *c)
{
	const uint32_t first = (uint32_t)c->first % XC_GPU_TOGETHER;
	const xc_gpu_tile_symbols s = {j->rans.symbols + 2 * (c->first - first), first};
	return s;
}

/* The index of the symbols of block i of the tile; ~0 if i is -1. */
XC_GPU_INLINE uint32_t xc_gpu_tile_symbols_at(const xc_gpu_tile_symbols *t, int32_t i)
{
	return i < 0 ? ~0u : xc_gpu_vecs_within(t->first + (uint32_t)i, 2);
}

/* Loads symbols of 32 blocks of a tile, or of their neighbours, for xc_gpu_expect(). at: see
 * xc_gpu_tile_symbols_at(); where there is no block all symbols are 0. words: gets them. */
XC_WARP_INLINE void xc_gpu_expect_load(const xc_gpu_tile_symbols *t, const uint32_t at[XC_SLOTS],
                                       uint32_t words[2][4][XC_SLOTS])
{
	XC_UNROLL
	for (int r = 0; r < 4; r++) {
		uint32_t block[XC_SLOTS], from[XC_SLOTS];
		XC_FOR_LANES(lane) {
			block[XC_SLOT(lane)] = at[XC_SLOT(lane)];
			from[XC_SLOT(lane)] = 8 * (uint32_t)r + (uint32_t)lane / 4;
		}
		xc_warp_from(block, from);
		XC_FOR_LANES(lane) {
			/* None loads the first block, so that no load has a condition. */
			const uint32_t i = block[XC_SLOT(lane)], some = i == ~0u ? 0 : i;
			const uint32_t *const own = t->vecs->depth16 + lane % 4 + 4 * (size_t)some;
			XC_UNROLL
			for (int half = 0; half < 2; half++) {
				const uint32_t word = own[half * 4 * XC_GPU_TOGETHER];
				words[half][r][XC_SLOT(lane)] = i == ~0u ? 0 : word;
			}
		}
	}
}

/* The levels of 32 blocks, a byte a position. A row has 20 words, so rows begin in different banks.
 * */
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

/* The parts of a block's record that have symbols, a bit each; sums: see xc_gpu_rans_sums(). Stored
 * beside the contexts of its flags. */
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

/* Thread blocks for the chunks of a whole tile, one chunk a warp. */
XC_GPU_INLINE uint32_t xc_gpu_context_ctas(const xc_gpu_encode_job *j)
{
	const uint32_t mcus = j->picture.tile_wide * j->picture.tile_high;
	const uint32_t luma = mcus * j->h * j->v, chroma = mcus * j->mcu_blocks - luma;
	const uint32_t chunks = (luma + XC_WARP_LANES - 1) / XC_WARP_LANES +
	                        (chroma + XC_WARP_LANES - 1) / XC_WARP_LANES;

	return (chunks * XC_WARP_LANES + XC_GPU_SLICE - 1) / XC_GPU_SLICE;
}

/* The blocks of a chunk, a lane each. */
typedef struct xc_gpu_context_blocks {
	int32_t of[XC_GPU_SEEN][XC_SLOTS];  /* index of the block and its neighbours; -1: none */
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
			b->sums[n] = j->rans.sums[c->first + i];
			b->of[XC_GPU_NOW][n] = (int32_t)i;
			b->of[XC_GPU_LEFT][n] = near.left;
			b->of[XC_GPU_UP][n] = near.up;
		}
		XC_UNROLL
		for (int w = 0; w < XC_GPU_SEEN; w++)
			b->at[w][n] = xc_gpu_tile_symbols_at(t, b->of[w][n]);
	}
}

/* Finds the levels of AC symbols in zones that have any. */
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
		xc_gpu_expect(seen, &j->rans.model->expected[chroma], pair, &sums);
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

/* Stores the contexts of the flags. dc: gets the levels of the DCs. */
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
			/* Only the first words matter: one of neighbours, four of the block. */
			const int none = b->of[k][n] < 0;
			const xc_gpu_vec16 *const vec = t->vecs + (none ? 0 : b->at[k][n]);
			XC_UNROLL
			for (int w = 0; w < 8; w++)
				words[k][w] = w < (k == XC_GPU_NOW ? 4 : 1) ? vec->depth16[w & 3] : 0;
			words[k][0] = none ? 0 : words[k][0];
			sums[k] = none ? 0 : j->rans.sums[c->first + (uint32_t)b->of[k][n]];
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
			j->rans.flag_contexts[c->first + (uint32_t)b->of[XC_GPU_NOW][n]] = flags;
	}
}

/* Stores the contexts of symbols, in the parts of records that have any. Four lanes take a block.
 * */
XC_WARP_INLINE void xc_gpu_note_records(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c,
                                        const xc_gpu_tile_symbols *t,
                                        const xc_gpu_context_blocks *b,
                                        const xc_gpu_context_levels *levels)
{
	xc_gpu_vec16 *const records = j->rans.contexts + 4 * c->first;

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

/* Stores the contexts of a chunk of a tile. */
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
	const uint64_t signs = j->rans.signs[block];
	uint32_t words[8];

	if (!(j->rans.sums[block] & XC_GPU_RANS_LARGE)) {
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
                                    const xc_gpu_coded_tile *c, xc_gpu_contexts_shared *s,
                                    int depth16)
{
	uint32_t *const raw = xc_gpu_rans_raw(j, c->first), *const start = s->raw.start;

	for (uint32_t i = t.rank; i < c->blocks; i += t.size)
		start[i] = j->rans.raw_counts[c->first + i];
	for (uint32_t raster = t.rank; raster < 64; raster += t.size) {
		const uint8_t k = j->rans.model->contexts.position[raster];
		s->raw.order.position[raster] = k;
		s->raw.order.raster[k] = (uint8_t)raster;
	}
	const uint32_t bits = xc_cta_scan(t, start, c->blocks, 0, s->raw.partial);
	/* States carry 32 bytes, even if fewer exist. */
	for (uint32_t i = t.rank; i < 8 || i < (bits + 31) / 32; i += t.size)
		raw[i] = 0;
	if (t.rank == 0)
		j->rans.raw_bits[tile] = bits;
	XC_CTA_SYNC();
	for (uint32_t i = t.rank; i < c->blocks; i += t.size) {
		const uint32_t own = (i + 1 < c->blocks ? start[i + 1] : bits) - start[i];
		if (own)
			xc_gpu_write_block(j, c, i, own, &s->raw.order, raw, start[i], depth16);
	}
}

/* Part 0 of a tile writes its raw bits, the others find contexts of four chunks each. */
XC_WARP_INLINE void xc_gpu_make_contexts(const xc_gpu_encode_job *j, xc_cta t, uint32_t tile,
                                         uint32_t part, xc_gpu_contexts_shared *s, int depth16)
{
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile);
	const uint32_t *const model = (const uint32_t *)(const void *)&j->rans.model->contexts;
	const uint32_t warp = t.rank / XC_WARP_LANES;
	const uint32_t warps = (t.size + XC_WARP_LANES - 1) / XC_WARP_LANES;

	if (!part) {
		xc_gpu_write_raw(j, t, tile, &c, s, depth16);
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
