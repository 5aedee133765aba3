/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A block of the rANS mode, by one thread: values to symbols, their contexts, and raw bits.
 *
 * Symbols are kept as eight words of nibbles, position k of the scan in nibble k % 8 of word k / 8.
 * To add them up with weights, four at a time, a thread has them as bytes: those of even positions of
 * a word and those of odd ones.
 */
#ifndef XC_GPU_ENCODE_RANS_BLOCK_H
#define XC_GPU_ENCODE_RANS_BLOCK_H

#include "entropy/scan.h"
#include "gpu/encode/rans/model.h"
#include "gpu/encode/weigh.h"

/* The group of position k; 0 for the DC as well. */
#define XC_GPU_RANS_GROUP(k) ((k) < 10 ? 0 : (k) < 28 ? 1 : 2)

enum { XC_GPU_RANS_MOST_SUM = 15 };

/* What a block is besides its values. */
typedef struct xc_gpu_block_symbols {
	uint32_t words[8];
	uint32_t sums;  /* of each group's symbols, 15 at most: four bits each */
	uint32_t bits;  /* raw bits */
	uint64_t signs; /* of the values that are not 0, by place */
} xc_gpu_block_symbols;

XC_GPU_INLINE uint32_t xc_gpu_least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

XC_GPU_INLINE uint32_t xc_gpu_first_bit(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__ffsll((long long)mask) - 1;
#else
	return (uint32_t)__builtin_ctzll(mask);
#endif
}

XC_GPU_INLINE uint32_t xc_gpu_ones(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popcll(mask);
#else
	return (uint32_t)__builtin_popcountll(mask);
#endif
}

/* ------------------------------------------------------------------ symbols */

/* The bits that the symbol of a large magnitude leaves open. */
XC_GPU_INLINE uint32_t xc_gpu_class_size(uint32_t magnitude)
{
	const uint32_t n = xc_rans_class_bits(magnitude);
	return n + (n >= XC_RANS_ESCAPE_LEAST ? XC_RANS_ESCAPE_BITS : 0);
}

/* What is noted of a block's values: sums of each group's symbols; which are not 0, and negative, by place. */
typedef struct xc_gpu_symbol_notes {
	uint32_t sums[3], some[2], negative[2];
} xc_gpu_symbol_notes;

/* Turns large magnitudes among eight values from XC_RANS_FIRST_CLASS to their symbols, and puts those values in their
 * slot, where the writer of raw bits finds them. */
XC_GPU_INLINE void xc_gpu_rans_classes(const int32_t c[8], int first, int deep,
                                       xc_gpu_token_group *slot, xc_gpu_block_symbols *b,
                                       xc_gpu_symbol_notes *n)
{
	XC_UNROLL for (int i = 0; i < 8; i++)
	{
		const int k = first + i;
		const uint32_t m = xc_gpu_magnitude(c[i]);
		if (m < XC_RANS_FIRST_CLASS)
			continue;
		const uint32_t more = xc_rans_symbol(m) - XC_RANS_FIRST_CLASS;
		b->words[first / 8] += more << 4 * i;
		n->sums[XC_GPU_RANS_GROUP(k)] += k ? more : 0;
		b->bits += xc_gpu_class_size(m);
		if (k)
			xc_gpu_slot_set(slot, (uint32_t)k, c[i], deep);
	}
}

/* Makes the symbols of the values at positions `first` to first + 7, a constant; that of the DC is its
 * difference. */
XC_GPU_INLINE void xc_gpu_rans_take_eight(const int32_t c[8], int first, int deep,
                                          xc_gpu_token_group *slot, xc_gpu_block_symbols *b,
                                          xc_gpu_symbol_notes *n)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	uint32_t most = 0;
	XC_UNROLL for (int i = 0; i < 8; i++)
	{
		const int k = first + i, place = scan[k & 63];
		const uint32_t m = xc_gpu_magnitude(c[i]), s = xc_gpu_least(m, XC_RANS_FIRST_CLASS);
		const uint32_t bit = UINT32_C(1) << place % 32;
		b->words[first / 8] |= s << 4 * i;
		n->sums[XC_GPU_RANS_GROUP(k)] += k ? s : 0;
		most = most > m ? most : m;
		xc_gpu_set_if_other(&n->some[place / 32], bit, (uint32_t)c[i], 0);
		n->negative[place / 32] |= (uint32_t)(c[i] >> 31) & bit;
	}
	if (most >= XC_RANS_FIRST_CLASS)
		xc_gpu_rans_classes(c, first, deep, slot, b, n);
}

/* Of the bits of `some` those that are in `marked` as well, moved together. */
XC_GPU_INLINE uint32_t xc_gpu_compact(uint32_t some, uint32_t marked)
{
	uint32_t bits = 0;
	XC_ROLLED for (; marked; marked &= marked - 1)
		bits |= UINT32_C(1) << xc_gpu_count_bits(some & ((marked & (0u - marked)) - 1));
	return bits;
}

/* Sums of the groups' symbols as a block keeps them. */
XC_GPU_INLINE uint32_t xc_gpu_rans_sums(const uint32_t sums[3])
{
	uint32_t all = 0;
	XC_UNROLL for (int g = 0; g < 3; g++) all |= xc_gpu_least(sums[g], XC_GPU_RANS_MOST_SUM)
	                                             << 4 * g;
	return all;
}

/* Ends a block whose values have been taken. */
XC_GPU_INLINE void xc_gpu_rans_end_block(xc_gpu_block_symbols *b, const xc_gpu_symbol_notes *n)
{
	const uint32_t low = xc_gpu_count_bits(n->some[0]);
	b->bits += low + xc_gpu_count_bits(n->some[1]);
	b->signs = xc_gpu_compact(n->some[0], n->negative[0]);
	b->signs |= (uint64_t)xc_gpu_compact(n->some[1], n->negative[1]) << low;
	b->sums = xc_gpu_rans_sums(n->sums);
}

/* ------------------------------------------------------------------ raw bits */

/* Appends bits to words of zeros, the first the lowest of a word.  Others write to the first and the
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
	if (n >= XC_RANS_ESCAPE_LEAST)
		xc_gpu_raw_put(w, n - XC_RANS_ESCAPE_LEAST, XC_RANS_ESCAPE_BITS);
	xc_gpu_raw_put(w, magnitude - 7 - (UINT32_C(1) << n), n);
}

/* The places of a block's symbols that are not 0, and of those that have class bits. */
XC_GPU_INLINE void xc_gpu_raw_places(const uint32_t words[8], uint64_t *some, uint64_t *large)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	*some = *large = 0;
	XC_UNROLL for (int k = 0; k < 64; k++)
	{
		const uint32_t s = words[k / 8] >> 4 * (k % 8) & 15;
		*some |= (uint64_t)(s != 0) << scan[k];
		*large |= (uint64_t)(s >= XC_RANS_FIRST_CLASS) << scan[k];
	}
}

/* Writes the raw bits of a block from bit `at` of `raw` on. */
XC_GPU_INLINE void xc_gpu_rans_write_raw(const uint32_t words[8], uint64_t signs,
                                         int32_t difference, const xc_gpu_token_group *slot,
                                         int deep, const uint8_t *position, uint32_t *raw,
                                         uint32_t at)
{
	xc_gpu_raw_writer w = {raw + at / 32, 0, at % 32};
	uint64_t some, large;
	xc_gpu_raw_places(words, &some, &large);
	const uint32_t n = xc_gpu_ones(some);
	xc_gpu_raw_put(&w, (uint32_t)signs, n < 32 ? n : 32);
	if (n > 32)
		xc_gpu_raw_put(&w, (uint32_t)(signs >> 32), n - 32);
	XC_ROLLED for (; large; large &= large - 1)
	{
		const uint32_t place = xc_gpu_first_bit(large), k = position[place];
		const int32_t value = place ? xc_gpu_slot_get(slot, k, deep) : difference;
		xc_gpu_raw_put_class(&w, xc_gpu_magnitude(value));
	}
	if (w.count)
		XC_ATOMIC_OR(w.word, (uint32_t)w.bits);
}

/* ------------------------------------------------------------------ contexts */

/* A block's symbols as bytes. */
typedef struct xc_gpu_rans_bytes {
	uint32_t of[16];
} xc_gpu_rans_bytes;

XC_GPU_INLINE void xc_gpu_rans_spread(const uint32_t words[8], xc_gpu_rans_bytes *b)
{
	XC_UNROLL for (int i = 0; i < 8; i++)
	{
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
	uint32_t sums, left_sums, up_sums; /* see xc_gpu_block_symbols */
} xc_gpu_rans_seen;

/* The level of what is expected, as the table has it. */
XC_GPU_INLINE uint32_t xc_gpu_rans_level(const uint8_t *levels, uint32_t sum)
{
	return levels[xc_gpu_least(sum >> XC_RANS_EXPECT_SHIFT, XC_RANS_BINS - 1)];
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

XC_GPU_INLINE uint32_t xc_gpu_rans_expect_dc(const xc_gpu_rans_seen *s, const uint32_t *w)
{
	uint32_t l[6], u[3];
	XC_UNROLL for (int k = 0; k < 6; k++) l[k] = xc_gpu_rans_symbol_at(&s->left, k);
	XC_UNROLL for (int k = 0; k < 3; k++) u[k] = xc_gpu_rans_symbol_at(&s->up, k);
	return w[5] + l[0] * w[0] + (l[1] + l[2]) * w[1] + (l[3] + l[4] + l[5]) * w[2] + u[0] * w[3] +
	       (u[1] + u[2]) * w[4];
}

/* What is expected of the flag of group g, a constant; sums: those of the groups so far. */
XC_GPU_INLINE uint32_t xc_gpu_rans_expect_flag(const xc_gpu_rans_seen *s, const uint32_t *w, int g)
{
	const int first = g == 0 ? 1 : g == 1 ? 10 : 28;
	const uint32_t left = s->left_sums >> 4 * g & 15, up = s->up_sums >> 4 * g & 15;
	uint32_t sum = w[5] + xc_gpu_least(left, 2) * w[0] + xc_gpu_least(up, 2) * w[1];
	if (g == 0) {
		sum += xc_gpu_rans_symbol_at(&s->now, 0) * w[2];
	} else {
		uint32_t some = 0;
		XC_UNROLL for (int k = first - 5; k < first; k++)
			some += xc_gpu_rans_symbol_at(&s->now, k) != 0;
		sum += (s->sums >> 4 * (g - 1) & 15) * w[2] + some * w[3];
	}
	if (g < XC_RANS_GROUPS - 1) {
		const uint32_t next = (s->left_sums >> 4 * (g + 1) & 15) + (s->up_sums >> 4 * (g + 1) & 15);
		sum += xc_gpu_least(next, 2) * w[4];
	}
	return sum;
}

/* The contexts of a block's symbols with these (xc_gpu_rans_level_bits()), four positions a word.  Returns those of
 * its flags, level << 1 | flag, a byte each. */
XC_GPU_INLINE uint32_t xc_gpu_rans_contexts_of(const xc_gpu_rans_seen *s,
                                               const xc_gpu_rans_contexts *m, uint32_t chroma,
                                               uint32_t out[16])
{
	uint32_t flags = 0;
	XC_UNROLL for (int i = 0; i < 16; i++) out[i] = 0;
	out[0] = xc_gpu_rans_level(m->level[chroma][XC_RANS_DC_SET],
	                           xc_gpu_rans_expect_dc(s, m->dc[chroma])) |
	         xc_gpu_rans_symbol_at(&s->now, 0);
	XC_UNROLL for (int g = 0; g < XC_RANS_GROUPS; g++)
	{
		const int first = g == 0 ? 1 : g == 1 ? 10 : 28, end = g == 0 ? 10 : g == 1 ? 28 : 64;
		const uint32_t some = (s->sums >> 4 * g & 15) != 0;
		const uint8_t *const levels = m->level[chroma][g > 0];
		flags |= (xc_gpu_rans_level(m->level[chroma][XC_RANS_FLAG_SET + g],
		                            xc_gpu_rans_expect_flag(s, m->flag[chroma][g], g)) |
		          some)
		         << 8 * g;
		if (!some)
			continue;
		XC_UNROLL for (int k = first; k < end; k++)
			out[k / 4] |= (xc_gpu_rans_level(levels, xc_gpu_rans_expect(s, m, chroma, k)) |
		                   xc_gpu_rans_symbol_at(&s->now, k))
		                  << 8 * (k % 4);
	}
	return flags;
}

#endif
