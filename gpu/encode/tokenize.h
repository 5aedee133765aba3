/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Blocks to tokens, one thread a block, and the tiles and counts that this needs; used by
 * gpu/encode/rdo.h and gpu/encode/forward.h. depth16, a constant: coefficients and tokens have 32
 * bits instead of 16.
 *
 * A thread's coefficients are a column in shared memory: number k of thread i is at k * cta + i,
 * where cta is the number of threads. So at most two threads of a warp meet in a bank, whatever
 * positions they read. Tokens replace coefficients that have been read: there are never more tokens
 * than coefficients read, so none is overwritten too early.
 */
#ifndef XC_GPU_ENCODE_TOKENIZE_H
#define XC_GPU_ENCODE_TOKENIZE_H

#include "entropy/contexts.h"
#include "entropy/token.h"
#include "entropy/value.h"
#include "gpu/encode/job.h"

/* Counting symbols by context (entropy/contexts.h), by a thread block that takes a slice of a tile.
 * depth16, a constant: 16 bits a sample. */

/* ------------------------------------------------------- tiles */

typedef struct xc_gpu_coded_tile {
	size_t first;                                   /* block among those of all pictures */
	uint32_t blocks, wide;                          /* wide: in MCUs */
	uint32_t luma_wide, luma_blocks, chroma_blocks; /* of one component */
} xc_gpu_coded_tile;

XC_GPU_INLINE xc_gpu_coded_tile xc_gpu_coded_tile_at(const xc_gpu_encode_job *j, uint32_t index,
                                                     uint32_t picture)
{
	const xc_tile_mcus m = xc_gpu_tile_at(j, index % j->tiles_wide, index / j->tiles_wide);
	xc_gpu_coded_tile c;

	c.first = (size_t)picture * j->blocks + m.before * j->mcu_blocks;
	c.wide = m.wide;
	c.luma_wide = m.wide * j->h;
	c.chroma_blocks = m.wide * m.high;
	c.luma_blocks = c.chroma_blocks * j->h * j->v;
	c.blocks = c.chroma_blocks * j->mcu_blocks;
	return c;
}

/* Where block i of a tile is: its component begins with block `start`. */
typedef struct xc_gpu_tile_block {
	uint32_t chroma, start, wide, high;
} xc_gpu_tile_block;

XC_GPU_INLINE xc_gpu_tile_block xc_gpu_tile_block_at(const xc_gpu_coded_tile *c, uint32_t i)
{
	const uint32_t cr = c->luma_blocks + c->chroma_blocks, chroma = i >= c->luma_blocks;
	const uint32_t start = !chroma ? 0 : i < cr ? c->luma_blocks : cr;
	const uint32_t wide = chroma ? c->wide : c->luma_wide;
	const xc_gpu_tile_block p = {chroma, start, wide,
	                             xc_gpu_quotient(chroma ? c->chroma_blocks : c->luma_blocks, wide)};

	return p;
}

XC_GPU_INLINE void xc_gpu_load_dc(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_coded_tile *c,
                                  int32_t *dc)
{
	for (uint32_t i = t.rank; i < c->blocks; i += t.size)
		dc[i] = j->dc[c->first + i];
}

/* A block's DC and its neighbours' in the tile; at an edge the block's own replaces the missing
 * one. */
typedef struct xc_gpu_near_dcs {
	int32_t own, left, right, above, below, corner;
	uint32_t x, y;
} xc_gpu_near_dcs;

/* The DCs around block i of a tile; p: its position; dc: of the tile. The loads are independent. */
XC_GPU_INLINE xc_gpu_near_dcs xc_gpu_near_dcs_of(const xc_gpu_tile_block *p, const int32_t *dc,
                                                 uint32_t i)
{
	const uint32_t at = i - p->start, y = at / p->wide, x = at - y * p->wide;
	const uint32_t left = x ? i - 1 : i, right = x + 1 < p->wide ? i + 1 : i;
	const uint32_t above = y ? i - p->wide : i, below = y + 1 < p->high ? i + p->wide : i;
	const xc_gpu_near_dcs n = {dc[i],     dc[left],  dc[right],
	                           dc[above], dc[below], dc[above + left - i],
	                           x,         y};

	return n;
}

/* The DC less its prediction. */
XC_GPU_INLINE int32_t xc_gpu_near_difference(const xc_gpu_near_dcs *n, int depth16)
{
	const int32_t one = n->x ? n->left : n->y ? n->above : 0;
	const int32_t p = n->x && n->y ? xc_median_edge(n->left, n->above, n->corner) : one;
	return depth16 ? n->own - p : (int16_t)(n->own - p);
}

/* The same of block i of a tile, whose DCs are at `dc`; p: where the block is. */
XC_GPU_INLINE int32_t xc_gpu_tile_difference(const xc_gpu_tile_block *p, const int32_t *dc,
                                             uint32_t i, int depth16)
{
	const xc_gpu_near_dcs n = xc_gpu_near_dcs_of(p, dc, i);
	return xc_gpu_near_difference(&n, depth16);
}

/* A slice: the blocks of one tile that a thread block takes, one a thread. */
enum { XC_GPU_SLICE = 128 };

XC_GPU_INLINE uint32_t xc_gpu_slices(const xc_gpu_encode_job *j)
{
	return (j->tile_wide * j->tile_high * j->mcu_blocks + XC_GPU_SLICE - 1) / XC_GPU_SLICE;
}

/* The end of a slice that begins with block `from` of a tile. */
XC_GPU_INLINE uint32_t xc_gpu_slice_end(const xc_gpu_coded_tile *c, uint32_t from)
{
	return from + XC_GPU_SLICE < c->blocks ? from + XC_GPU_SLICE : c->blocks;
}

/* ------------------------------------------------ room for segments
 *
 * In a picture's share of the arena, in any order. */

enum { XC_GPU_SEGMENT_SLACK = 8 /* bytes after a segment that may be read */ };

XC_GPU_INLINE size_t xc_gpu_arena_units(uint32_t bytes)
{
	return ((size_t)bytes + XC_GPU_SEGMENT_SLACK + 15) / 16;
}

/* Reserves room for a segment; returns its offset in units. */
XC_GPU_INLINE uint32_t xc_gpu_take_arena(const xc_gpu_encode_job *j, uint32_t picture,
                                         uint32_t bytes)
{
	return (uint32_t)XC_ATOMIC_ADD(&j->states[picture].used,
	                               (unsigned long long)xc_gpu_arena_units(bytes));
}

XC_GPU_INLINE void xc_gpu_note_segment(const xc_gpu_encode_job *j, uint32_t picture, uint32_t tile,
                                       uint32_t unit, uint32_t bytes)
{
	const size_t at = (size_t)picture * j->tiles + tile;
	j->sizes[at] = bytes;
	j->units[at] = unit;
}

/* The segment at offset `unit`; NULL: the arena is full. */
XC_GPU_INLINE uint32_t *xc_gpu_arena_at(const xc_gpu_encode_job *j, uint32_t picture, uint32_t unit,
                                        uint32_t bytes)
{
	return ((size_t)unit + xc_gpu_arena_units(bytes)) * 16 > j->arena_bytes
	           ? NULL
	           : (uint32_t *)(void *)(j->arena + picture * j->arena_bytes + (size_t)unit * 16);
}

/* The number of the highest bit that is set; v must not be zero. */
XC_GPU_INLINE uint32_t xc_gpu_highest(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return 31 - (uint32_t)__clz((int)v);
#else
	return 31 - (uint32_t)__builtin_clz(v);
#endif
}

/* Words for counts in shared memory: luma, then chroma. With 16 bits a sample both share words,
 * luma in the lower halves, because columns leave little memory; a slice has far less than 2^16
 * symbols. */
XC_GPU_INLINE uint32_t xc_gpu_count_words(int depth16)
{
	return (depth16 ? 1 : 2) * XC_GPU_SET_SYMBOLS;
}

/* The counts of a class, and the increment of a symbol. */
typedef struct xc_gpu_counter {
	uint32_t *counts, one;
} xc_gpu_counter;

XC_GPU_INLINE xc_gpu_counter xc_gpu_counter_of(uint32_t *counts, uint32_t chroma, int depth16)
{
	const xc_gpu_counter c = {counts + (depth16 ? 0 : chroma * XC_GPU_SET_SYMBOLS),
	                          depth16 && chroma ? 0x10000u : 1u};
	return c;
}

/* The index of the first count of AC in a context. */
XC_GPU_INLINE uint32_t xc_gpu_context_counts(uint32_t context)
{
	return XC_DC_SYMBOLS + context * XC_AC_SYMBOLS;
}

/* Counts a DC. Returns the index of the first count of the next context. */
XC_GPU_INLINE uint32_t xc_gpu_count_dc(const xc_gpu_counter *c, int32_t difference)
{
	const uint32_t size = xc_value_size(difference);
	XC_ATOMIC_ADD(&c->counts[size], c->one);
	return xc_gpu_context_counts(xc_context_after_dc(size));
}

/* Counts a nonzero value after `run` zeros, at most 15. *context: the index of the first count of
 * its context, which becomes that of the next one. */
XC_GPU_INLINE void xc_gpu_count_ac(const xc_gpu_counter *c, uint32_t *context, uint32_t run,
                                   int32_t value, int depth16)
{
	uint32_t highest = xc_gpu_highest((uint32_t)(value < 0 ? -value : value));

	XC_OPAQUE(highest, "r"); /* or nvcc would subtract and undo the subtraction */
	const uint32_t size = depth16 && highest > 14 ? 15 : highest + 1;
	XC_ATOMIC_ADD(&c->counts[*context + 16 * run + size], c->one);
	*context = xc_gpu_context_counts(xc_context_after_value(run, size));
}

/* Counts a symbol without a value: 16 zeros, or the end of the block. */
XC_GPU_INLINE void xc_gpu_count_zeros(const xc_gpu_counter *c, uint32_t *context, uint32_t symbol)
{
	XC_ATOMIC_ADD(&c->counts[*context + symbol], c->one);
	*context = xc_gpu_context_counts(xc_context_after_ac(symbol));
}

/* The range of counts that a slice of a tile, blocks `from` to end - 1, needs. */
typedef struct xc_gpu_counted {
	uint32_t first, end;
} xc_gpu_counted;

XC_GPU_INLINE xc_gpu_counted xc_gpu_counted_in(const xc_gpu_coded_tile *c, uint32_t from,
                                               uint32_t end, int depth16)
{
	const xc_gpu_counted n = {depth16 || from < c->luma_blocks ? 0u : (uint32_t)XC_GPU_SET_SYMBOLS,
	                          depth16 || end <= c->luma_blocks ? (uint32_t)XC_GPU_SET_SYMBOLS
	                                                           : 2u * XC_GPU_SET_SYMBOLS};

	return n;
}

XC_GPU_INLINE void xc_gpu_begin_counts(xc_cta t, uint32_t *counts, xc_gpu_counted n)
{
	for (uint32_t i = n.first + t.rank; i < n.end; i += t.size)
		counts[i] = 0;
}

/* Adds a thread block's counts to its picture's, after a barrier. */
XC_GPU_INLINE void xc_gpu_end_counts(const xc_gpu_encode_job *j, xc_cta t, uint32_t picture,
                                     const uint32_t *counts, xc_gpu_counted n, int depth16)
{
	unsigned long long *const of = j->sets[picture].counts[0];

	for (uint32_t i = n.first + t.rank; i < n.end; i += t.size) {
		const uint32_t first = depth16 ? counts[i] & 0xffff : counts[i];
		if (first)
			XC_ATOMIC_ADD(&of[i], (unsigned long long)first);
		if (depth16 && counts[i] >> 16)
			XC_ATOMIC_ADD(&of[XC_GPU_SET_SYMBOLS + i], (unsigned long long)(counts[i] >> 16));
	}
}

/* Sets a bit of *mask if a and b differ, in two instructions; nvcc would take three. */
XC_GPU_INLINE void xc_gpu_set_if_other(uint32_t *mask, uint32_t bit, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
	asm("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, %2;\n\t@p or.b32 %0, %0, %3;\n\t}"
	    : "+r"(*mask)
	    : "r"(a), "r"(b), "r"(bit));
#else
	*mask |= a != b ? bit : 0;
#endif
}

/* 1 << bit. */
XC_GPU_INLINE uint32_t xc_gpu_bit(uint32_t bit)
{
#ifdef __CUDA_ARCH__
	uint32_t mask; /* without a register for the 1 */
	asm("bmsk.clamp.b32 %0, %1, 1;" : "=r"(mask) : "r"(bit));
	return mask;
#else
	return UINT32_C(1) << bit;
#endif
}

/* Entry i of an array of coefficients or tokens becomes `value`. */
XC_GPU_INLINE void xc_gpu_set(void *array, uint32_t i, uint32_t value, int depth16)
{
	if (depth16)
		((uint32_t *)array)[i] = value;
	else
		((uint16_t *)array)[i] = (uint16_t)value;
}

/* Turns the coefficients in a column into tokens; returns their number. Bit 31 - i of a mask:
 * position i of its half is nonzero. counter: counts the symbols, starting in `context`; a constant
 * NULL: nothing is counted. State: mask, the nonzero positions left; next, the bit after the last
 * one's; out, the index of the next token. */
XC_GPU_INLINE uint32_t xc_gpu_tokenize(void *column, uint32_t cta, int depth16,
                                       const uint32_t masks[2], const xc_gpu_counter *counter,
                                       uint32_t context)
{
	const uint32_t size = depth16 ? 4 : 2;
	uint32_t out = 0;              /* an index: nvcc would keep a pointer in 64 bits */
	uint32_t zeros = ~UINT32_C(0); /* since the last nonzero coefficient, minus 1 for the DC */

	for (uint32_t half = 0; half < 2; half++) {
		const char *end = (const char *)column +
		                  (32 * half + 31) * cta * size; /* its last position */
		uint32_t next = zeros + 31;                      /* the bit after that coefficient's */
		for (uint32_t mask = masks[half]; mask;) {
			uint32_t bit = xc_gpu_highest(mask);
			XC_OPAQUE(bit, "r"); /* or nvcc would compute 31 - bit and undo it */
			const uint32_t i = bit * cta;
			int32_t value = depth16 ? *((const int32_t *)(const void *)end - i)
			                        : *((const int16_t *)(const void *)end - i);
			XC_OPAQUE(value, "r"); /* or nvcc would truncate it to 16 bits */
			uint32_t run = next - bit;
			XC_ROLLED
			for (; run > 15; run -= 16, out += cta) {
				xc_gpu_set(column, out, XC_ZEROS_TOKEN, depth16);
				if (counter)
					xc_gpu_count_zeros(counter, &context, 0xf0);
			}
			xc_gpu_set(column, out, xc_ac_token(value, run), depth16);
			if (counter)
				xc_gpu_count_ac(counter, &context, run, value, depth16);
			out += cta;
			next = bit - 1;
			mask ^= xc_gpu_bit(bit);
		}
		zeros = next + 1;
	}
	if (zeros) {
		xc_gpu_set(column, out, XC_END_TOKEN, depth16);
		if (counter)
			xc_gpu_count_zeros(counter, &context, 0);
		out += cta;
	}
	return out / cta;
}

/* Stores tokens in their slot, 16 bytes at a time; what follows the last one is undefined. */
XC_GPU_INLINE void xc_gpu_store_tokens(const void *column, uint32_t cta, int depth16, uint32_t n,
                                       xc_gpu_vec16 *slot)
{
	uint32_t in = 0;

	XC_ROLLED
	for (uint32_t k = 0; k < n; k += depth16 ? 4 : 8) {
		xc_gpu_vec16 g;
		XC_UNROLL
		for (uint32_t i = 0; i < (depth16 ? 4 : 8); i++, in += cta) {
			if (depth16)
				g.depth16[i] = ((const uint32_t *)column)[in];
			else
				g.plain[i] = ((const uint16_t *)column)[in];
		}
		*slot = g;
		slot += XC_GPU_TOGETHER;
	}
}

#endif
