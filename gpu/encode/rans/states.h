/* SPDX-License-Identifier: BSD-2-Clause */
/* Lanes whose states take in the symbols of a block each, from the last to the first, and leave
 * words in shared memory. All lanes calculate, whether they have a symbol or not, so that no
 * branches divide them. */
#ifndef XC_GPU_ENCODE_RANS_STATES_H
#define XC_GPU_ENCODE_RANS_STATES_H

#include "gpu/encode/rans/contexts.h"

/* Addresses in shared memory, which nvcc would otherwise calculate with as with longer ones. */
#ifdef __CUDA_ARCH__
typedef uint32_t xc_gpu_rans_encode_set, xc_gpu_rans_output;

#define XC_GPU_RANS_ENCODE_SET(entry) xc_gpu_shared_address(entry)
#define XC_GPU_RANS_OUTPUT(word) xc_gpu_shared_address(word)
#define XC_GPU_RANS_ENCODE_WORDS(from, to) (((to) - (from)) / 2)
#else
typedef const xc_gpu_rans_entry *xc_gpu_rans_encode_set;
typedef uint16_t *xc_gpu_rans_output;
#define XC_GPU_RANS_ENCODE_SET(entry) (entry)
#define XC_GPU_RANS_OUTPUT(word) (word)
#define XC_GPU_RANS_ENCODE_WORDS(from, to) ((uint32_t)((to) - (from)))
#endif

/* A lane on its way.  Lanes of the upper half of a warp work on another tile. */
typedef struct xc_gpu_rans_encode_lane {
	size_t first; /* block of the tile among those of all pictures */
	uint32_t wide[2], high[2], luma;
	uint32_t row; /* 0 to 15 */
	uint32_t state;
	uint32_t across; /* blocks of its row of this bundle, or 0 */
	size_t block;    /* the row's first; */
	/* Those of four other lanes, whose records it copies; memory ends far below 2^32 blocks. */
	uint32_t source[4];
	xc_gpu_vec16 *marks;            /* of the row's first block */
	uint16_t *end;                  /* of the row's slots: its words are put before it, downwards */
	uint32_t stored;                /* so many of them; others are in shared memory, */
	xc_gpu_rans_output next_word;   /* the last one here */
	uint32_t active, flags;         /* of this block, */
	uint32_t record[16];            /* four positions a word; */
	uint32_t soon_record[16];       /* if the warp has one tile: of the next, */
	uint32_t soon, soon_flags;      /* of the next, */
	uint32_t later_flags;           /* and of the one after it */
	uint32_t given[2], given_flags; /* see xc_gpu_rans_encode_marks_at() */
} xc_gpu_rans_encode_lane;

/* Lets a lane's state take in a symbol, or none (the entry XC_GPU_RANS_NONE). Sets `bit` of *given
 * if that gives a word. */
XC_GPU_INLINE void xc_gpu_rans_encode_symbol(xc_gpu_rans_encode_lane *l, xc_gpu_rans_entry e,
                                             uint32_t bit, uint32_t *given)
{
	uint32_t x = l->state, high = x >> 16;

	XC_OPAQUE(high, "r"); /* ready before it is known whether it is wanted */
#ifdef __CUDA_ARCH__
	/* Without a branch, which nvcc would make of it. */
	asm volatile("{\n\t.reg .pred full;\n\t.reg .b16 word;\n\t"
	             "setp.gt.u32 full, %0, %4;\n\t"
	             "cvt.u16.u32 word, %0;\n\t"
	             "@full st.shared.u16 [%1 + -2], word;\n\t"
	             "@full add.s32 %1, %1, -2;\n\t"
	             "@full or.b32 %2, %2, %5;\n\t"
	             "selp.b32 %0, %3, %0, full;\n\t}"
	             : "+r"(x), "+r"(l->next_word), "+r"(*given)
	             : "r"(high), "r"(xc_gpu_rans_limit(e)), "r"(bit));
#else
	if (x > xc_gpu_rans_limit(e)) {
		*--l->next_word = (uint16_t)x;
		*given |= bit;
		x = high;
	}
#endif
	l->state = xc_gpu_rans_coded(x, e);
}

XC_GPU_INLINE xc_gpu_rans_entry xc_gpu_rans_encode_entry(xc_gpu_rans_encode_set set,
                                                         uint32_t number)
{
#ifdef __CUDA_ARCH__
	xc_gpu_rans_entry e;
	asm("ld.shared.v2.u32 {%0, %1}, [%2];"
	    : "=r"(e.reciprocal), "=r"(e.rest)
	    : "r"(set + number * (uint32_t)sizeof e));
	return e;
#else
	return set[number];
#endif
}

/* The entries of four positions, whose numbers are the bytes of a word. */
XC_GPU_INLINE void xc_gpu_rans_encode_entries(xc_gpu_rans_encode_set set, uint32_t numbers,
                                              xc_gpu_rans_entry e[4])
{
	XC_UNROLL
	for (uint32_t n = 0; n < 4; n++)
		e[n] = xc_gpu_rans_encode_entry(set, xc_gpu_pick(numbers, 0, 0x4440 | n));
}

/* Lets states take in four positions from the last to the first, whose bits are `first`
 * and those above it. */
XC_WARP_INLINE void xc_gpu_rans_encode_four(xc_gpu_rans_encode_lane l[XC_SLOTS],
                                            const xc_gpu_rans_entry e[XC_SLOTS][4], uint32_t first,
                                            uint32_t given[XC_SLOTS])
{
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		XC_UNROLL
		for (int n = 3; n >= 0; n--)
			xc_gpu_rans_encode_symbol(&l[i], e[i][n], first << n, &given[i]);
	}
}

/* The last zone, positions 63 to 28, eight at a time. The entries of eight positions are loaded
 * while the states take in those before. mask: 0 where there are no symbols. */
XC_WARP_INLINE void xc_gpu_rans_encode_last(xc_gpu_rans_encode_lane l[XC_SLOTS],
                                            const uint32_t mask[XC_SLOTS],
                                            const xc_gpu_rans_encode_set set[XC_SLOTS])
{
	xc_gpu_rans_entry high[XC_SLOTS][4], low[XC_SLOTS][4], next_high[XC_SLOTS][4],
		next_low[XC_SLOTS][4];
	uint32_t left[8][XC_SLOTS], given[XC_SLOTS]; /* words from 13 down to 6 */

	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		XC_UNROLL
		for (int w = 0; w < 8; w++)
			left[w][i] = l[i].record[13 - w] & mask[i];
		xc_gpu_rans_encode_entries(set[i], l[i].record[15] & mask[i], high[i]);
		xc_gpu_rans_encode_entries(set[i], l[i].record[14] & mask[i], low[i]);
		given[i] = 0;
	}
	XC_ROLLED
	for (int turn = 0; turn < 2; turn++) {
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			xc_gpu_rans_encode_entries(set[i], left[0][i], next_high[i]);
			xc_gpu_rans_encode_entries(set[i], left[1][i], next_low[i]);
			given[i] <<= 16;
		}
		xc_gpu_rans_encode_four(l, high, 1u << 12, given);
		xc_gpu_rans_encode_four(l, low, 1u << 8, given);
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			xc_gpu_rans_encode_entries(set[i], left[2][i], high[i]);
			xc_gpu_rans_encode_entries(set[i], left[3][i], low[i]);
			XC_UNROLL
			for (int w = 0; w < 4; w++)
				left[w][i] = left[w + 4][i];
		}
		xc_gpu_rans_encode_four(l, next_high, 1u << 4, given);
		xc_gpu_rans_encode_four(l, next_low, 1, given);
	}
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		l[i].given[1] = given[i];
		given[i] = 0;
	}
	/* The lower half of these eight is another zone's. */
	xc_gpu_rans_encode_four(l, high, 1u << 28, given);
	XC_FOR_LANES(lane)
		l[XC_SLOT(lane)].given[0] = given[XC_SLOT(lane)];
}

/* Positions `from` down to `to`, which are constants below 32. */
XC_WARP_INLINE void xc_gpu_rans_encode_positions(xc_gpu_rans_encode_lane l[XC_SLOTS],
                                                 const uint32_t mask[XC_SLOTS],
                                                 const xc_gpu_rans_encode_set set[XC_SLOTS],
                                                 int from, int to)
{
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		xc_gpu_rans_entry e[32]; /* those that are used */
		uint32_t given = l[i].given[0];
		XC_UNROLL
		for (int k = from; k >= to; k--) {
			const uint32_t numbers = l[i].record[k / 4] & mask[i];
			e[k] = xc_gpu_rans_encode_entry(set[i],
			                                xc_gpu_pick(numbers, 0, 0x4440 | (uint32_t)k % 4));
		}
		XC_UNROLL
		for (int k = from; k >= to; k--)
			xc_gpu_rans_encode_symbol(&l[i], e[k], 1u << k, &given);
		l[i].given[0] = given;
	}
}

/* Zone g, a constant, and then its flag. */
XC_WARP_INLINE void xc_gpu_rans_encode_zone(xc_gpu_rans_encode_lane l[XC_SLOTS], int g,
                                            const xc_gpu_rans_entry *entries)
{
	xc_gpu_rans_entry flag[XC_SLOTS];
	uint32_t mask[XC_SLOTS];
	xc_gpu_rans_encode_set set[XC_SLOTS];

	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		const uint32_t own = l[i].flags >> 8 * g & 255;
		flag[i] =
			entries[l[i].active ? XC_GPU_RANS_FLAGS_AT + (uint32_t)g * XC_RANS_LEVELS * 2 + own
		                        : XC_GPU_RANS_NONE];
		mask[i] = 0u - (l[i].active & own & 1);
		set[i] = XC_GPU_RANS_ENCODE_SET(
			entries + (mask[i] ? (g > 0) * XC_RANS_LEVELS * XC_RANS_SYMBOLS : XC_GPU_RANS_NONE));
	}
	if (xc_warp_any(mask)) {
		if (g == 2)
			xc_gpu_rans_encode_last(l, mask, set);
		else
			xc_gpu_rans_encode_positions(l, mask, set, g ? 27 : 9, g ? 10 : 1);
	}
	XC_FOR_LANES(lane)
		xc_gpu_rans_encode_symbol(&l[XC_SLOT(lane)], flag[XC_SLOT(lane)], 1u << g,
		                          &l[XC_SLOT(lane)].given_flags);
}

#endif
