/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A segment decoded by one warp.  Luma is a stream of symbols, Cb and Cr together another.  Each
 * lane has an equal share of the bits, and does not know where in a symbol and a block it begins,
 * so it guesses.  Huffman codes synchronize by themselves after a few symbols, so nearly every lane
 * reaches the end of its share at the right place.  A lane whose guess was not the place where the
 * lane before it ended begins anew from there.  The first lane's beginning is known, so all are
 * right when none changes any more.  Then the lanes decode.
 */
#ifndef XC_GPU_DECODE_SEGMENT_H
#define XC_GPU_DECODE_SEGMENT_H

#include "entropy/predict.h"
#include "gpu/decode/crc_read.h"
#include "gpu/decode/lane.h"
#include "gpu/decode/job.h"

/* The least bits of a share.  Shorter ones would hardly synchronize. */
enum { XC_GPU_LEAST_SHARE = 64 };

/* After this part of a share most lanes are right whatever they guessed. */
enum { XC_GPU_SYNCHRONIZED = 2 };

XC_GPU_INLINE xc_gpu_tables xc_gpu_tables_of(xc_gpu_tables both, uint32_t class_, int contexts)
{
	xc_gpu_tables t = both;
	if (contexts)
		t.contexts += class_;
	else
		t.plain += class_;
	return t;
}

/* Decodes a stream.  The tokens go from tokens[*at] on, and *at becomes the place of the next ones.
 * Returns the bit after the stream, or UINT32_MAX if it does not end. */
XC_WARP_INLINE uint32_t xc_gpu_decode_stream(const xc_gpu_bits *b, xc_gpu_tables tables,
                                             const xc_gpu_symbols *s, uint32_t *at, int contexts,
                                             int deep, int copied, uint32_t *bad)
{
	const xc_gpu_tables t = xc_gpu_tables_of(tables, s->class_, contexts);
	xc_gpu_cursor begin[XC_SLOTS], middle[XC_SLOTS], end[XC_SLOTS];
	xc_gpu_found found[XC_SLOTS], after[XC_SLOTS]; /* in all, and after the middle */
	uint32_t limit[XC_SLOTS], first[XC_SLOTS], to[XC_SLOTS], flag[XC_SLOTS];
	uint32_t in_at[XC_SLOTS], in_position[XC_SLOTS], damage[XC_SLOTS];
	if (s->begin >= b->end)
		return UINT32_MAX;
	uint32_t share = (b->end - s->begin + XC_WARP_LANES - 1) / XC_WARP_LANES;
	share = share < XC_GPU_LEAST_SHARE ? XC_GPU_LEAST_SHARE : share;
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		const uint32_t from = s->begin + (uint32_t)lane * share;
		begin[i].at = from < b->end ? from : b->end;
		begin[i].position = lane ? xc_gpu_guess(contexts) : -1;
		limit[i] = from + share < b->end ? from + share : b->end;
		middle[i].at = UINT32_MAX;
		middle[i].position = 0;
		flag[i] = 1;
	}
	do {
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			if (flag[i]) {
				const xc_gpu_found none = {0, 0};
				const uint32_t some = s->begin + (uint32_t)lane * share +
				                      share / XC_GPU_SYNCHRONIZED;
				xc_gpu_cursor p = begin[i];
				found[i] = none;
				xc_gpu_skim(b, t, &p, xc_gpu_smaller(some, limit[i]), contexts, deep, copied,
				            &found[i]);
				/* From a place where the lane has been, the rest is known. */
				if (p.at != middle[i].at || p.position != middle[i].position) {
					middle[i] = end[i] = p;
					after[i] = none;
					xc_gpu_skim(b, t, &end[i], limit[i], contexts, deep, copied, &after[i]);
				}
				found[i].blocks += after[i].blocks;
				found[i].tokens += after[i].tokens;
			}
			first[i] = found[i].blocks;
			in_at[i] = end[i].at;
			in_position[i] = (uint32_t)end[i].position;
		}
		xc_warp_scan(first);
		xc_warp_up(in_at);
		xc_warp_up(in_position);
		XC_FOR_LANES(lane) {
			const int i = XC_SLOT(lane);
			first[i] -= found[i].blocks;
			/* What follows the stream's end need not be right. */
			flag[i] = lane && first[i] < s->blocks &&
			          (in_at[i] != begin[i].at || (int32_t)in_position[i] != begin[i].position);
			if (flag[i]) {
				begin[i].at = in_at[i];
				begin[i].position = (int32_t)in_position[i];
			}
		}
	} while (xc_warp_ballot(flag));
	XC_FOR_LANES(lane)
		to[XC_SLOT(lane)] = xc_gpu_group_words(found[XC_SLOT(lane)].tokens, deep);
	xc_warp_scan(to);
	XC_FOR_LANES(lane) {
		const int i = XC_SLOT(lane);
		to[i] += *at - xc_gpu_group_words(found[i].tokens, deep);
		damage[i] = 0;
		flag[i] = first[i] < s->blocks &&
		          xc_gpu_take(b, t, s, &begin[i], end[i].at, first[i], &to[i], contexts, deep,
		                      copied, &damage[i]) == s->blocks;
		in_at[i] = begin[i].at;
	}
	*bad |= xc_warp_ballot(damage);
	const uint32_t last = xc_warp_ballot(flag);
	if (!last)
		return UINT32_MAX;
	*at = xc_warp_of(to, xc_gpu_lowest(last));
	return xc_warp_of(in_at, xc_gpu_lowest(last));
}

/* 1: fewer than 8 bits follow, all zero. */
XC_GPU_INLINE int xc_gpu_at_end(const xc_gpu_bits *b, uint32_t at, int copied)
{
	if (at > b->end || b->end - at > 7)
		return 0;
	return at == b->end || !xc_gpu_bits_at(b, at, b->end - at, copied);
}

/* ---------------------------------------------------------------------- DC */

/* A row of blocks, of which a lane restores the DC. */
typedef struct xc_gpu_dc_row {
	uint32_t first, wide; /* the tile's number of its first one; 0 wide: the lane has none */
	uint32_t delay;       /* steps after the first row of its component that is taken with it */
	int upper;            /* 1: there is a row above */
	int32_t left, corner;
	uint32_t next; /* the next difference, which is loaded a step ahead */
} xc_gpu_dc_row;

XC_GPU_INLINE xc_gpu_dc_row xc_gpu_dc_row_of(const xc_tile *t, uint32_t row, uint32_t lane)
{
	xc_gpu_dc_row r = {0, 0, 0, 0, 0, 0, 0};
	for (int c = 0; c < 3; c++) {
		if (row < t->blocks_high[c]) {
			r.first = t->first_block[c] + row * t->blocks_wide[c];
			r.wide = t->blocks_wide[c];
			r.delay = xc_gpu_smaller(row, lane);
			r.upper = row > 0;
			return r;
		}
		row -= t->blocks_high[c];
	}
	return r;
}

/* Turns difference x of a row into its DC.  dc: the tile's; up: the DC above. */
XC_GPU_INLINE void xc_gpu_restore_one(xc_gpu_dc_row *r, int32_t *dc, uint32_t x, int32_t up,
                                      int deep)
{
	/* If there is no block above or to the left, the other one alone is the prediction. */
	up = r->upper ? up : r->left;
	const int32_t left = x ? r->left : up, corner = x && r->upper ? r->corner : up;
	const uint32_t sum = r->next + (uint32_t)xc_median_edge(left, up, corner);
	r->next = x + 1 < r->wide ? (uint32_t)dc[r->first + x + 1] : 0;
	r->corner = up;
	r->left = deep ? (int32_t)sum : (int16_t)sum;
	dc[r->first + x] = r->left;
}

/* Turns the DC differences of a tile into DC.  Lanes take the rows of all components, 32 at a time,
 * each one block later than the lane with the row above. */
XC_WARP_INLINE void xc_gpu_restore_dc(const xc_tile *t, int32_t *dc, int deep)
{
	const uint32_t rows = t->blocks_high[0] + t->blocks_high[1] + t->blocks_high[2];
	xc_gpu_dc_row row[XC_SLOTS];
	uint32_t value[XC_SLOTS];
	for (uint32_t strip = 0; strip < rows; strip += XC_WARP_LANES) {
		XC_FOR_LANES(lane) {
			xc_gpu_dc_row *r = &row[XC_SLOT(lane)];
			*r = xc_gpu_dc_row_of(t, strip + (uint32_t)lane, (uint32_t)lane);
			r->next = r->wide ? (uint32_t)dc[r->first] : 0;
			value[XC_SLOT(lane)] = 0;
		}
		/* No component has more columns or rows than the first one. */
		const uint32_t steps = t->blocks_wide[0] +
		                       xc_gpu_smaller(t->blocks_high[0],
		                                      xc_gpu_smaller(rows - strip, XC_WARP_LANES)) -
		                       1;
		for (uint32_t step = 0; step < steps; step++) {
			xc_warp_up(value); /* now the DC above */
			XC_FOR_LANES(lane) {
				xc_gpu_dc_row *r = &row[XC_SLOT(lane)];
				const uint32_t x = step - r->delay;
				uint32_t *up = &value[XC_SLOT(lane)];
				if (x < r->wide) {
					if (strip && lane == 0 && r->upper)
						*up = (uint32_t)dc[r->first + x - r->wide];
					xc_gpu_restore_one(r, dc, x, (int32_t)*up, deep);
				}
				*up = (uint32_t)r->left;
			}
		}
		xc_warp_sync();
	}
}

/* The same in the records of blocks.  dc: memory for as many numbers. */
XC_WARP_INLINE void xc_gpu_restore_records(const xc_tile *t, xc_gpu_block_record *records,
                                           int32_t *dc, int deep)
{
	XC_FOR_LANES(lane)
		for (uint32_t i = (uint32_t)lane; i < t->blocks; i += XC_GPU_LOADS * XC_WARP_LANES) {
			uint32_t x[XC_GPU_LOADS];
			XC_UNROLL
			for (uint32_t k = 0, j = i; k < XC_GPU_LOADS; k++, j += XC_WARP_LANES)
				x[k] = j < t->blocks ? (uint32_t)records[j].dc : 0;
			XC_UNROLL
			for (uint32_t k = 0, j = i; k < XC_GPU_LOADS; k++, j += XC_WARP_LANES)
				if (j < t->blocks)
					dc[j] = (int32_t)(x[k] * XC_STEP_PARTS);
		}
	xc_warp_sync();
	xc_gpu_restore_dc(t, dc, deep);
	XC_FOR_LANES(lane)
		for (uint32_t i = (uint32_t)lane; i < t->blocks; i += XC_WARP_LANES)
			records[i].dc = dc[i];
}

/* ------------------------------------------------------------- the segment */

/* Copies a segment to words[at ...] of shared memory, see gpu/decode/bits.h. */
XC_WARP_INLINE xc_gpu_bits xc_gpu_copy_bits(const xc_gpu_bits *b, uint32_t *words, uint32_t at)
{
	const uint32_t bits = b->end - b->begin, n = (bits + 31) / 32;
	const xc_gpu_bits copy = {words, at * 32, at * 32 + bits, at + n + XC_GPU_COPY_MARGIN};
	XC_FOR_LANES(lane) {
		for (uint32_t i = (uint32_t)lane; i < n + XC_GPU_COPY_MARGIN;
		     i += XC_GPU_LOADS * XC_WARP_LANES) {
			uint32_t w[XC_GPU_LOADS];
			XC_UNROLL
			for (uint32_t k = 0, j = i; k < XC_GPU_LOADS; k++, j += XC_WARP_LANES)
				w[k] = j < n ? xc_gpu_shift_in(xc_gpu_word(b, j, 0), xc_gpu_word(b, j + 1, 0),
				                               b->begin)
				             : 0;
			XC_UNROLL
			for (uint32_t k = 0, j = i; k < XC_GPU_LOADS; k++, j += XC_WARP_LANES) {
				if (j + 1 == n && bits % 32)
					w[k] &= ~UINT32_C(0) << (32 - bits % 32);
				if (j < n + XC_GPU_COPY_MARGIN)
					words[at + j] = w[k];
			}
		}
	}
	xc_warp_sync();
	return copy;
}

/* A warp's room for a copy of a segment, words[first] to words[first + count - 1] with the margin,
 * and for the DC of a small tile, which may be the same memory. */
typedef struct xc_gpu_warp_memory {
	int32_t *dc;
	uint32_t *words;
	uint32_t first, count;
} xc_gpu_warp_memory;

/* Decodes the segment of a tile to records and tokens of its blocks.  small: memory for
 * XC_GPU_SMALL_TILE numbers, perhaps that of the bits.  Returns 1 if the segment is intact;
 * otherwise the records are undefined. */
XC_WARP_INLINE int xc_gpu_decode_tile(const xc_gpu_decode_job *p, xc_gpu_tables tables,
                                      const xc_gpu_bits *b, const xc_gpu_segment *segment,
                                      uint32_t tile, int32_t *small, int contexts, int deep,
                                      int copied)
{
	const xc_tile_mcus mcus = xc_gpu_job_tile(p, tile % p->tiles_wide, tile / p->tiles_wide);
	const xc_tile t = xc_tile_of(&mcus, p->components, p->h, p->v);
	const uint32_t first_block = mcus.before * p->mcu_blocks;
	xc_gpu_block_record *records = p->records + first_block;
	uint32_t bad = 0, at = b->begin, to = 0;
	XC_GPU_GLOBAL(records);
	for (uint32_t i = 0; i < (p->components > 1 ? 2u : 1u); i++) {
		const uint32_t first = i ? t.first_block[1] : 0;
		const xc_gpu_symbols s = {i,
		                          at,
		                          i ? t.blocks - first : t.first_block[1],
		                          p->points[i],
		                          records + first,
		                          p->tokens + segment->tokens};
		at = xc_gpu_decode_stream(b, tables, &s, &to, contexts, deep, copied, &bad);
	}
	if (bad || !xc_gpu_at_end(b, at, copied))
		return 0;
	xc_warp_sync();
	/* Two calls, so that each accesses one kind of memory. */
	if (t.blocks <= XC_GPU_SMALL_TILE) {
		xc_gpu_restore_records(&t, records, small, deep);
	} else {
		int32_t *dc = p->dc + first_block;
		XC_GPU_GLOBAL(dc);
		xc_gpu_restore_records(&t, records, dc, deep);
	}
	return 1;
}

XC_WARP_INLINE xc_gpu_segment_result xc_gpu_decode_segment(
	const xc_gpu_decode_job *p, xc_gpu_tables tables, const xc_crc_read_tables *crc,
	const xc_gpu_segment *s, uint32_t tile, const xc_gpu_warp_memory *m, int contexts, int deep)
{
	xc_gpu_segment_result r = {0, 0};
	if (!s->there || !s->size)
		return r;
	const uint8_t *data = p->data + s->start;
	XC_GPU_GLOBAL(data);
	const xc_gpu_bits b = xc_gpu_bits_of(data, s->size);
	if ((s->size + 3) / 4 + XC_GPU_COPY_MARGIN <= m->count) {
		const xc_gpu_bits copy = xc_gpu_copy_bits(&b, m->words, m->first);
		r.crc = xc_crc_read(&copy, crc, 1);
		if ((r.crc & 0xffff) == s->check)
			r.intact = (uint32_t)xc_gpu_decode_tile(p, tables, &copy, s, tile, m->dc, contexts,
			                                        deep, 1);
	} else {
		r.crc = xc_crc_read(&b, crc, 0);
		if ((r.crc & 0xffff) == s->check)
			r.intact = (uint32_t)xc_gpu_decode_tile(p, tables, &b, s, tile, m->dc, contexts, deep,
			                                        0);
	}
	xc_warp_sync();
	return r;
}

#endif
