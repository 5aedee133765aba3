/* SPDX-License-Identifier: BSD-2-Clause */
/* Where symbols lie, in the rANS mode, and which blocks are neighbours. */
#ifndef XC_GPU_ENCODE_RANS_SYMBOLS_H
#define XC_GPU_ENCODE_RANS_SYMBOLS_H

#include "entropy/scan.h"
#include "gpu/encode/rans/model.h"
#include "gpu/encode/rdo.h"

/*
 * A block of the rANS mode, by one thread: values to symbols, their contexts, and raw bits.
 *
 * Symbols are kept as eight words of nibbles, position k of the scan in nibble k % 8 of word k / 8.
 * To add them up with weights, four at a time, a thread has them as bytes: those of even positions
 * of a word and those of odd ones.
 */

/* The zone of position k; 0 for the DC as well. */
#define XC_GPU_RANS_ZONE(k) ((k) < 10 ? 0 : (k) < 28 ? 1 : 2)

enum {
	XC_GPU_RANS_MAX_SUM = 15,
	XC_GPU_RANS_LARGE = 1 << 12 /* beside the sums of a block: it has class bits */
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

/* The bits that the symbol of a large magnitude leaves open. */
XC_GPU_INLINE uint32_t xc_gpu_class_size(uint32_t magnitude)
{
	const uint32_t n = xc_rans_class_bits(magnitude);
	return n + (n >= XC_RANS_ESCAPE_MIN ? XC_RANS_ESCAPE_BITS : 0);
}

/* Of the bits of `some` those that are in `marked` as well, moved together. */
XC_GPU_INLINE uint32_t xc_gpu_compact(uint32_t some, uint32_t marked)
{
	uint32_t bits = 0;

	XC_ROLLED
	for (; marked; marked &= marked - 1)
		bits |= UINT32_C(1) << xc_gpu_count_bits(some & ((marked & (0u - marked)) - 1));
	return bits;
}

/* Sums of the zones' symbols as a block keeps them: 15 at most, four bits each. */
XC_GPU_INLINE uint32_t xc_gpu_rans_sums(const uint32_t sums[3])
{
	uint32_t all = 0;
	XC_UNROLL
	for (int g = 0; g < 3; g++)
		all |= xc_gpu_min(sums[g], XC_GPU_RANS_MAX_SUM) << 4 * g;
	return all;
}

/* ------------------------------------------------------------------ raw bits */

/* Appends bits to words of zeros, the first the lowest of a word. Others write to the first and the
 * last word as well. */
typedef struct xc_gpu_raw_writer {
	uint32_t *word;
	uint64_t bits; /* the lowest `count`, below 32, are not stored yet */
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

/* The nibbles of a word that are from XC_RANS_FIRST_CLASS on, a bit each: that which is worth 8. */
XC_GPU_INLINE uint32_t xc_gpu_large_nibbles(uint32_t word)
{
	return word & 0x88888888 & (word << 1 | word << 2 | word << 3);
}

/* How many nibbles of a word are not 0. */
XC_GPU_INLINE uint32_t xc_gpu_some_nibbles(uint32_t word)
{
	return xc_gpu_count_bits((word | word >> 1 | word >> 2 | word >> 3) & 0x11111111);
}

/* Tables by place and by position, which are the scan's. */
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

/* The same of a block with class bits, and these, in the order of the places. */
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

/* What a block's contexts see. */
typedef struct xc_gpu_rans_seen {
	xc_gpu_rans_bytes now, left, up;
	uint32_t sums, left_sums, up_sums; /* see xc_gpu_rans_sums() */
} xc_gpu_rans_seen;

/* The level of what is expected, as the table has it. */
XC_GPU_INLINE uint32_t xc_gpu_rans_level(const uint8_t *levels, uint32_t sum)
{
	return levels[xc_gpu_min(sum >> XC_RANS_EXPECT_SHIFT, XC_RANS_BINS - 1)];
}

/* What is expected at position k, a constant. */
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

/* What is expected of the DC. */
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

/* What is expected of the flag of zone g, a constant; sums: those of the zones so far. */
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

/* Bytes of a block's raw bits, at most: those of its slot. */
XC_GPU_INLINE uint32_t *xc_gpu_rans_raw(const xc_gpu_encode_job *j, size_t block)
{
	return j->raw + block * (j->depth == 16 ? 64 : 32);
}

/* ------------------------------------------------------------------ symbols */

XC_GPU_INLINE void xc_gpu_load_symbols(const xc_gpu_encode_job *j, size_t block, uint32_t words[8])
{
	const xc_gpu_vec16 *const from = j->symbols + xc_gpu_vecs_at(block, 2);

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
	xc_gpu_vec16 *const to = j->symbols + xc_gpu_vecs_at(block, 2);

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

/* The lag of a row of a list (xc_rans_zone_at()); high: rows of a component. */
XC_GPU_INLINE uint32_t xc_gpu_row_offset(uint32_t row, uint32_t high)
{
	return xc_gpu_min(row % XC_RANS_LANES, row % high);
}

/* Where the neighbours of a block are that its contexts see; -1: there are none. */
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

/* The symbols of block i of a tile as bytes, and their sums; -1: there is none, and all are 0. */
XC_GPU_INLINE void xc_gpu_see(const xc_gpu_encode_job *j, const xc_gpu_coded_tile *c, int32_t i,
                              xc_gpu_rans_bytes *bytes, uint32_t *sums)
{
	uint32_t words[8] = {0, 0, 0, 0, 0, 0, 0, 0};

	*sums = 0;
	if (i >= 0) {
		xc_gpu_load_symbols(j, c->first + (uint32_t)i, words);
		*sums = j->sums[c->first + (uint32_t)i];
	}
	xc_gpu_rans_spread(words, bytes);
}

/* The symbols of a tile's blocks: those of block i are zones at
 * xc_gpu_vecs_within(first + i, 2). */
typedef struct xc_gpu_tile_symbols {
	const xc_gpu_vec16 *vecs;
	uint32_t first;
} xc_gpu_tile_symbols;

XC_GPU_INLINE xc_gpu_tile_symbols xc_gpu_tile_symbols_of(const xc_gpu_encode_job *j,
                                                         const xc_gpu_coded_tile *c)
{
	const uint32_t first = (uint32_t)c->first % XC_GPU_TOGETHER;
	const xc_gpu_tile_symbols s = {j->symbols + 2 * (c->first - first), first};
	return s;
}

/* Where the symbols of block i of the tile are among the zones; ~0 if i is -1. */
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
			/* The first block in place of none, so that no load has a condition. */
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

#endif
