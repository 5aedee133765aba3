/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rANS coding: half a warp takes a tile, a lane its rows of blocks, from the last symbol to the
 * first. Lanes are independent, so they process their rows without the offsets of a decoder's
 * wavefront. They store the words of each row, and for each block marks of the symbols that gave
 * one; gpu/encode/rans/interleave.h puts the words in a decoder's order. Launched by
 * gpu/encode/rans/rans.cu.
 *
 * The bottleneck is the number of small memory accesses. So four lanes copy the record of a block
 * to shared memory while the block before it is coded, and words are collected in shared memory
 * until a lane has 32 bytes. A warp with a single tile is used when tiles are few and latency
 * matters: its lanes load their own records to registers.
 */
#ifndef XC_GPU_ENCODE_RANS_RANS_ENCODE_H
#define XC_GPU_ENCODE_RANS_RANS_ENCODE_H

#include "gpu/encode/rans/contexts.h"
#ifdef __CUDACC__
#include <cuda_pipeline.h>
#endif

/* Coding of a block by each lane, from the last symbol to the first; words go to shared memory. All
 * lanes compute, with or without a symbol, so that no branch diverges. */

/* Addresses in shared memory of 32 bits; with pointers nvcc would calculate in 64. */
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

/* The state of a lane. Lanes of the upper half of a warp code another tile. */
typedef struct xc_gpu_rans_encode_lane {
	size_t first; /* block of the tile among those of all pictures */
	uint32_t wide[2], high[2], luma;
	uint32_t row; /* 0 to 15 */
	uint32_t state;
	uint32_t across; /* blocks of its row of this bundle, or 0 */
	size_t block;    /* the row's first; */
	/* First blocks of the four lanes whose records it copies; 32 bits suffice for memory's blocks.
	 * */
	uint32_t source[4];
	xc_gpu_rans_marks *marks;       /* of the row's first block */
	uint16_t *end;                  /* end of the row's slots; words are stored downwards from it */
	uint32_t stored;                /* words stored there; the others are in shared memory, */
	xc_gpu_rans_output next_word;   /* from here on */
	uint32_t active, flags;         /* of this block, */
	uint32_t record[16];            /* four positions a word; */
	uint32_t soon_record[16];       /* if the warp has one tile: of the next, */
	uint32_t soon, soon_flags;      /* of the next, */
	uint32_t later_flags;           /* and of the one after it */
	uint32_t given[2], given_flags; /* see xc_gpu_rans_encode_marks_at() */
} xc_gpu_rans_encode_lane;

/* Codes a symbol, or none (entry XC_GPU_RANS_NONE). Sets `bit` of *given if that gives a word. */
XC_GPU_INLINE void xc_gpu_rans_encode_symbol(xc_gpu_rans_encode_lane *l, xc_gpu_rans_entry e,
                                             uint32_t bit, uint32_t *given)
{
	uint32_t x = l->state, high = x >> 16;

	XC_OPAQUE(high, "r"); /* computed before the condition is known */
#ifdef __CUDA_ARCH__
	/* Predicated; nvcc would branch. */
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

/* Codes four positions from the last to the first; their marks are `first` and the bits above it.
 * */
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
 * while the eight before them are coded. mask: 0 for lanes without symbols. */
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
	/* The lower half of these eight belongs to another zone. */
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

/* The marks of block i of a tile. */
XC_GPU_INLINE xc_gpu_rans_marks *xc_gpu_rans_encode_marks_at(const xc_gpu_encode_job *j,
                                                             const xc_gpu_coded_tile *c, uint32_t i)
{
	return j->rans.marks + c->first + i;
}

/* The room for words of a block, and its place; they replace the slots. */
XC_GPU_INLINE uint32_t xc_gpu_rans_encode_words(const xc_gpu_encode_job *j)
{
	return XC_GPU_AC_SLOTS * (j->depth == 16 ? 2 : 1);
}

XC_GPU_INLINE uint16_t *xc_gpu_rans_encode_words_at(const xc_gpu_encode_job *j, size_t block)
{
	return j->slots.words + block * xc_gpu_rans_encode_words(j);
}

/* Words are stored in chunks of XC_GPU_RANS_CHUNK. A lane has room for the words of a block, at
 * most one for each of 67 symbols, and for an incomplete chunk; a row has 13 vec16s, so rows begin
 * in different banks. */
enum {
	XC_GPU_RANS_CHUNK = 16,
	XC_GPU_RANS_ENCODE_VECS = 12,
	XC_GPU_RANS_ENCODE_LEFT = XC_GPU_RANS_ENCODE_VECS * 8 -
	                          67 /* maximum of words left over before a block */
};

/* What a warp has in shared memory. */
typedef struct xc_gpu_rans_encode_shared {
	xc_gpu_vec16 part[4][XC_WARP_LANES]; /* of records, of the lanes' next blocks */
	xc_gpu_vec16 words[XC_WARP_LANES][XC_GPU_RANS_ENCODE_VECS + 1];
} xc_gpu_rans_encode_shared;

/* The model's entries, in shared memory too. */
typedef struct xc_gpu_rans_encode_model {
	xc_gpu_rans_entry of[2][XC_GPU_RANS_ENTRIES]; /* by class */
} xc_gpu_rans_encode_model;

/* ------------------------------------------------------------------ records */

/* Makes block `at` of the lane's row, if it exists, the next one. */
XC_GPU_INLINE void xc_gpu_rans_encode_look_ahead(const xc_gpu_encode_job *j,
                                                 xc_gpu_rans_encode_lane *l, uint32_t at)
{
	l->soon = at < l->across;
	l->soon_flags = l->soon ? l->later_flags : 0;
	/* Used only in the next iteration, so the load does not stall this one. */
	l->later_flags = j->rans.flag_contexts[l->block + (at - 1 < l->across ? at - 1 : 0)];
}

/* Loads the parts with symbols of the record of a lane's next block, number `at` of its row. */
XC_GPU_INLINE void xc_gpu_rans_encode_load(const xc_gpu_encode_job *j, xc_gpu_rans_encode_lane *l,
                                           uint32_t at)
{
	const xc_gpu_vec16 *const record = j->rans.contexts + 4 * (l->block + at);
	const uint32_t parts = l->soon_flags >> XC_GPU_RANS_PARTS_SHIFT;

	XC_UNROLL
	for (int part = 0; part < 4; part++) {
		if (!(parts >> part & 1))
			continue;
		const xc_gpu_vec16 vec = record[part];
		XC_UNROLL
		for (int w = 0; w < 4; w++)
			l->soon_record[4 * part + w] = vec.depth16[w];
	}
}

/* The same for all lanes: begins to copy their records to shared memory. */
XC_WARP_INLINE void xc_gpu_rans_encode_fetch(const xc_gpu_encode_job *j,
                                             const xc_gpu_rans_encode_lane l[XC_SLOTS], uint32_t at,
                                             xc_gpu_rans_encode_shared *s)
{
	XC_UNROLL
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t parts[XC_SLOTS], from[XC_SLOTS];
		XC_FOR_LANES(lane) {
			const xc_gpu_rans_encode_lane *const own = &l[XC_SLOT(lane)];
			parts[XC_SLOT(lane)] = own->soon_flags >> XC_GPU_RANS_PARTS_SHIFT;
			from[XC_SLOT(lane)] = 8 * i + (uint32_t)lane / 4;
		}
		xc_warp_from(parts, from);
		XC_FOR_LANES(lane) {
			const int n = XC_SLOT(lane), part = lane % 4;
			const size_t block = l[n].source[i] + at;
			if (!(parts[n] >> part & 1))
				continue;
#ifdef __CUDA_ARCH__
			__pipeline_memcpy_async(&s->part[part][from[n]], j->rans.contexts + 4 * block + part,
			                        sizeof s->part[0][0]);
#else
			s->part[part][from[n]] = j->rans.contexts[4 * block + (size_t)part];
#endif
		}
	}
}

/* Waits for the records that are being copied. */
XC_WARP_INLINE void xc_gpu_rans_encode_wait(void)
{
#ifdef __CUDA_ARCH__
	__pipeline_commit();
	__pipeline_wait_prior(0);
#endif
	xc_warp_sync();
}

/* ------------------------------------------------------------------ rows */

/* Prepares a lane for tile number `tile`, which may not exist. */
XC_GPU_INLINE void xc_gpu_rans_encode_begin(const xc_gpu_encode_job *j, uint32_t lane,
                                            uint32_t tile, xc_gpu_rans_encode_lane *l)
{
	l->row = lane % XC_RANS_LANES;
	l->wide[0] = l->wide[1] = l->high[0] = l->high[1] = l->luma = 0;
	l->state = 0;
	l->first = 0;
	if (tile >= j->picture.tiles)
		return;
	const xc_gpu_coded_tile c = xc_gpu_coded_tile_at(j, tile);
	l->first = c.first;
	l->luma = c.luma_blocks;
	l->wide[0] = c.luma_wide;
	l->high[0] = c.luma_blocks / c.luma_wide;
	if (j->components > 1) {
		l->wide[1] = c.wide;
		l->high[1] = c.chroma_blocks / c.wide;
	}
	l->state = 1u << XC_RANS_STATE_BITS |
	           ((const uint16_t *)(const void *)xc_gpu_rans_raw(j, c.first))[l->row];
}

/* Rows of the longer list. */
XC_GPU_INLINE uint32_t xc_gpu_max_rows(uint32_t luma, uint32_t chroma)
{
	return luma > chroma ? luma : chroma;
}

/* Rows in a list of the lane's tile: of luma, or of both components of chroma. */
XC_GPU_INLINE uint32_t xc_gpu_rans_encode_rows(const xc_gpu_rans_encode_lane *l, uint32_t chroma)
{
	return chroma ? 2 * l->high[1] : l->high[0];
}

/* Takes the lane's row of the bundle that begins with `row`. */
XC_GPU_INLINE void xc_gpu_rans_encode_row(const xc_gpu_encode_job *j, xc_gpu_rans_encode_lane *l,
                                          uint32_t chroma, uint32_t row)
{
	const uint32_t own = row + l->row, across = chroma ? l->wide[1] : l->wide[0];

	l->across = own < xc_gpu_rans_encode_rows(l, chroma) ? across : 0;
	/* A lane without a row gets a valid block. */
	const size_t at = l->across ? (chroma ? l->luma : 0) + (size_t)own * across : 0;
	l->block = l->first + at;
	l->marks = j->rans.marks + l->first + at;
	/* Words replace the slots; a block's symbols take at most 101 bytes. */
	l->end = xc_gpu_rans_encode_words_at(j, l->block + l->across);
	l->stored = 0;
}

/* ------------------------------------------------------------------ words */

/* The end of a lane's words in shared memory. */
XC_GPU_INLINE xc_gpu_rans_output xc_gpu_rans_encode_end(xc_gpu_rans_encode_shared *s, int lane)
{
	return XC_GPU_RANS_OUTPUT(s->words[lane][XC_GPU_RANS_ENCODE_VECS].plain);
}

/* Stores the marks of block `at` of the row. */
XC_GPU_INLINE void xc_gpu_rans_encode_leave(const xc_gpu_encode_job *j,
                                            const xc_gpu_rans_encode_lane *l, uint32_t at,
                                            xc_gpu_rans_output end)
{
	const uint32_t room = (l->across - at) * xc_gpu_rans_encode_words(j);
	const uint32_t put = l->stored + XC_GPU_RANS_ENCODE_WORDS(l->next_word, end);
	const xc_gpu_rans_marks marks = {{l->given[0], l->given[1]}, l->given_flags, room - put};

	if (l->active)
		l->marks[at] = marks;
}

/* Stores words of a lane from shared memory: whole chunks if room is needed, or `all`. */
XC_GPU_INLINE void xc_gpu_rans_encode_store(xc_gpu_rans_encode_lane *l,
                                            xc_gpu_rans_encode_shared *s, int lane, int all)
{
	enum { EACH = XC_GPU_RANS_CHUNK * 2 / 16 }; /* vec16s of a chunk */
	const uint32_t words = XC_GPU_RANS_ENCODE_WORDS(l->next_word, xc_gpu_rans_encode_end(s, lane));
	const uint32_t chunks = (words + (all ? XC_GPU_RANS_CHUNK - 1 : 0)) / XC_GPU_RANS_CHUNK;
	xc_gpu_vec16 *const from = s->words[lane];
	xc_gpu_vec16 *const to = (xc_gpu_vec16 *)(void *)(l->end - l->stored);

	if (words <= (all ? 0 : (uint32_t)XC_GPU_RANS_ENCODE_LEFT))
		return;
	XC_ROLLED
	for (uint32_t i = 1; i <= chunks * EACH; i++)
		to[-(int32_t)i] = from[XC_GPU_RANS_ENCODE_VECS - i];
	/* Moves the rest to the end. */
	XC_UNROLL
	for (uint32_t i = 1; i <= EACH; i++)
		if (chunks * EACH + i <= XC_GPU_RANS_ENCODE_VECS)
			from[XC_GPU_RANS_ENCODE_VECS - i] = from[XC_GPU_RANS_ENCODE_VECS - chunks * EACH - i];
	l->stored += chunks * XC_GPU_RANS_CHUNK;
#ifdef __CUDA_ARCH__
	l->next_word += chunks * XC_GPU_RANS_CHUNK * 2;
#else
	l->next_word += chunks * XC_GPU_RANS_CHUNK;
#endif
}

/* ------------------------------------------------------------------ blocks */

/* Codes block `at` of all lanes' rows, from its last symbol to the first. single, a constant: the
 * warp has one tile. */
XC_WARP_INLINE void xc_gpu_rans_encode_block(const xc_gpu_encode_job *j,
                                             xc_gpu_rans_encode_lane l[XC_SLOTS], uint32_t at,
                                             xc_gpu_rans_encode_shared *s,
                                             const xc_gpu_rans_entry *entries, int single)
{
	xc_gpu_rans_entry dc[XC_SLOTS];

	if (!single)
		xc_gpu_rans_encode_wait();
	XC_FOR_LANES(lane) {
		xc_gpu_rans_encode_lane *const own = &l[XC_SLOT(lane)];
		own->active = own->soon;
		own->flags = own->soon_flags;
		XC_UNROLL
		for (int part = 0; part < 4; part++) {
			const xc_gpu_vec16 vec = s->part[part][lane];
			XC_UNROLL
			for (int w = 0; w < 4; w++)
				own->record[4 * part + w] = single ? own->soon_record[4 * part + w]
				                                   : vec.depth16[w];
		}
		own->given[0] = own->given[1] = own->given_flags = 0;
		xc_gpu_rans_encode_look_ahead(j, own, at - 1);
		if (single)
			xc_gpu_rans_encode_load(j, own, at - 1);
	}
	if (!single) {
		xc_warp_sync();
		xc_gpu_rans_encode_fetch(j, l, at - 1, s);
	}
	XC_FOR_LANES(lane) {
		const xc_gpu_rans_encode_lane *const own = &l[XC_SLOT(lane)];
		const uint32_t number = XC_RANS_DC_SET * XC_RANS_LEVELS * XC_RANS_SYMBOLS +
		                        (own->record[0] & 255);
		dc[XC_SLOT(lane)] = entries[own->active ? number : XC_GPU_RANS_NONE];
	}
	xc_gpu_rans_encode_zone(l, 2, entries);
	xc_gpu_rans_encode_zone(l, 1, entries);
	xc_gpu_rans_encode_zone(l, 0, entries);
	XC_FOR_LANES(lane)
		xc_gpu_rans_encode_symbol(&l[XC_SLOT(lane)], dc[XC_SLOT(lane)], 1,
		                          &l[XC_SLOT(lane)].given[0]);
	xc_warp_sync(); /* makes the words visible */
	XC_FOR_LANES(lane) {
		xc_gpu_rans_encode_leave(j, &l[XC_SLOT(lane)], at, xc_gpu_rans_encode_end(s, lane));
		xc_gpu_rans_encode_store(&l[XC_SLOT(lane)], s, lane, at == 0);
	}
}

/* The bundle of each tile that begins with row `row` of a list. */
XC_WARP_INLINE void xc_gpu_rans_encode_bundle(const xc_gpu_encode_job *j,
                                              xc_gpu_rans_encode_lane l[XC_SLOTS], uint32_t chroma,
                                              uint32_t row, xc_gpu_rans_encode_shared *s,
                                              const xc_gpu_rans_entry *entries, int single)
{
	uint32_t across[XC_SLOTS];

	XC_FOR_LANES(lane) {
		xc_gpu_rans_encode_row(j, &l[XC_SLOT(lane)], chroma, row);
		across[XC_SLOT(lane)] = l[XC_SLOT(lane)].across;
	}
	XC_UNROLL
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t block[XC_SLOTS], from[XC_SLOTS];
		XC_FOR_LANES(lane) {
			block[XC_SLOT(lane)] = (uint32_t)l[XC_SLOT(lane)].block;
			from[XC_SLOT(lane)] = 8 * i + (uint32_t)lane / 4;
		}
		xc_warp_from(block, from);
		XC_FOR_LANES(lane)
			l[XC_SLOT(lane)].source[i] = block[XC_SLOT(lane)];
	}
	uint32_t at = xc_warp_max(across);
	XC_FOR_LANES(lane) {
		xc_gpu_rans_encode_lane *const own = &l[XC_SLOT(lane)];
		own->next_word = xc_gpu_rans_encode_end(s, lane);
		own->later_flags = j->rans.flag_contexts[own->block + (at - 1 < own->across ? at - 1 : 0)];
		xc_gpu_rans_encode_look_ahead(j, own, at - 1);
		if (single)
			xc_gpu_rans_encode_load(j, own, at - 1);
	}
	xc_warp_sync();
	if (!single)
		xc_gpu_rans_encode_fetch(j, l, at - 1, s);
	/* The look-ahead from block 0 finds no block. */
	while (at-- > 0)
		xc_gpu_rans_encode_block(j, l, at, s, entries, single);
}

/* Codes `count` tiles, one or two, a constant; the first one exists. The final states replace the
 * numbers of raw bits. */
XC_WARP_INLINE void xc_gpu_rans_encode(const xc_gpu_encode_job *j, uint32_t tile, uint32_t count,
                                       xc_gpu_rans_encode_shared *s,
                                       const xc_gpu_rans_encode_model *m)
{
	const int single = count == 1;
	xc_gpu_rans_encode_lane l[XC_SLOTS];
	uint32_t rows[XC_SLOTS];

	XC_FOR_LANES(lane) {
		const uint32_t half = (uint32_t)lane / XC_RANS_LANES;
		xc_gpu_rans_encode_begin(j, (uint32_t)lane, half < count ? tile + half : j->picture.tiles,
		                         &l[XC_SLOT(lane)]);
	}
	for (uint32_t chroma = j->components > 1 ? 2 : 1; chroma-- > 0;) {
		XC_FOR_LANES(lane)
			rows[XC_SLOT(lane)] = xc_gpu_rans_encode_rows(&l[XC_SLOT(lane)], chroma);
		const uint32_t bundles = (xc_warp_max(rows) + XC_RANS_LANES - 1) / XC_RANS_LANES;
		for (uint32_t i = bundles; i-- > 0;)
			xc_gpu_rans_encode_bundle(j, l, chroma, i * XC_RANS_LANES, s, m->of[chroma], single);
	}
	XC_FOR_LANES(lane) {
		const xc_gpu_rans_encode_lane *const own = &l[XC_SLOT(lane)];
		if (own->row < xc_gpu_max_rows(own->high[0], 2 * own->high[1]))
			j->rans.states[own->first + own->row] = own->state;
	}
}

#endif
