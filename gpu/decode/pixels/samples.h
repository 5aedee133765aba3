/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to pixels: one thread block makes a region of a picture (gpu/decode/pixels/region.h).
 * Each thread makes the samples of one block in shared memory. Then follow the edge steps of lapped
 * transforms (xc_gpu_region_cells()), samples of halved chroma around the picture
 * (xc_gpu_region_extend()), and rows of pixels, by warps (gpu/decode/pixels/rows.h). Called by
 * gpu/decode/pixels/make_pixels.h.
 */
#ifndef XC_GPU_DECODE_PIXELS_SAMPLES_H
#define XC_GPU_DECODE_PIXELS_SAMPLES_H

#include "gpu/decode/pixels/region.h"
#include "transform/colour.h"
#include "transform/lapped8.h"

/*
 * The edge steps of the lapped transforms, in shared memory. A thread takes a *cell*, the 8x8
 * samples around the corner of four blocks: the steps across its edges, along rows and then
 * columns, stay inside it. No sample of the region depends on the outer halves of a plane's outer
 * blocks.
 */

/* Whether an edge is the picture's own: first or last of a line of blocks. */
typedef struct xc_gpu_own_edge {
	int first, last;
} xc_gpu_own_edge;

/* At the picture's own edges the samples inside replace the samples outside, whose results are
 * discarded. */
XC_GPU_INLINE void xc_gpu_mirror_edge(xc_gpu_own_edge own, float x[8])
{
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const float before = x[i], after = x[4 + i];
		x[i] = own.first ? after : before;
		x[4 + i] = own.last ? before : after;
	}
}

/* A cell's steps along its rows or, if `down`, its columns. The TDLT has none at the picture's own
 * edges. lot, down: constants. */
XC_GPU_INLINE void xc_gpu_cell_steps(float f[64], xc_gpu_own_edge own, int lot, int down)
{
	if (!lot && (own.first || own.last))
		return;
	XC_UNROLL
	for (int line = 0; line < 8; line++) {
		float x[8];
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			x[i] = f[down ? 8 * i + line : 8 * line + i];
		if (lot) {
			if (own.first || own.last)
				xc_gpu_mirror_edge(own, x);
			xc_lot8_inverse_edge(x);
		} else {
			xc_tdlt8_inverse_edge(x);
		}
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			f[down ? 8 * i + line : 8 * line + i] = x[i];
	}
}

/* The number of cells of component c. */
XC_GPU_CONSTANT uint32_t xc_gpu_cells(int kind, int c)
{
	return c >= xc_gpu_components(kind)
	           ? 0
	           : (xc_gpu_blocks_along(kind, c, 0) - 1) * (xc_gpu_blocks_along(kind, c, 1) - 1);
}

/* Edge number `at` of the region's part of component c, across or down. */
XC_GPU_INLINE xc_gpu_own_edge xc_gpu_edge_at(const xc_gpu_region *r, int kind, int c, uint32_t at,
                                             int down)
{
	const uint32_t mcus = down ? r->job->mcus_high : r->job->mcus_wide;
	const uint32_t blocks = c ? mcus : mcus * (down ? r->job->v : r->job->h);
	const uint32_t k = (uint32_t)(xc_gpu_first_block(r, kind, c, down) + 1) + at;
	const xc_gpu_own_edge own = {k == 0, k >= blocks};

	return own;
}

/* Cell i of all components; lot: a constant. */
XC_GPU_INLINE void xc_gpu_region_cell(const xc_gpu_region *r, uint32_t i, int kind, int lot)
{
	const xc_gpu_xy xy = xc_gpu_xy_of(i, xc_gpu_cells(kind, 0), xc_gpu_cells(kind, 1), kind, 1);
	const int c = (int)xy.c;
	const uint32_t x = xy.x, y = xy.y;
	uint32_t row = xc_gpu_row_floats(kind, c);
	float *at = r->shared + xc_gpu_plane(kind, c) + (8 * y + 4) * row;
	float *left = at + xc_gpu_column(kind, c, 8 * x + 4);
	float *right = at + xc_gpu_column(kind, c, 8 * x + 8);
	const xc_gpu_own_edge across = xc_gpu_edge_at(r, kind, c, x, 0);
	const xc_gpu_own_edge down = xc_gpu_edge_at(r, kind, c, y, 1);
	float f[64];

	XC_UNROLL
	for (uint32_t j = 0; j < 8; j++) {
		xc_gpu_load_four(left + j * row, f + 8 * j);
		xc_gpu_load_four(right + j * row, f + 8 * j + 4);
	}
	xc_gpu_cell_steps(f, across, lot, 0);
	xc_gpu_cell_steps(f, down, lot, 1);
	XC_OPAQUE(row, "r"); /* or nvcc would spill 16 addresses during the steps */
	XC_UNROLL
	for (uint32_t j = 0; j < 8; j++) {
		xc_gpu_store_four(left + j * row, f + 8 * j);
		xc_gpu_store_four(right + j * row, f + 8 * j + 4);
	}
}

/* All cells, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_gpu_region_cells(const xc_gpu_region *r, int kind, uint32_t worker,
                                       uint32_t workers)
{
	const uint32_t cells = xc_gpu_cells(kind, 0) + 2 * xc_gpu_cells(kind, 1);
	const int lot = r->job->transform == XC_TRANSFORM_LOT;

	for (uint32_t i = worker; i < cells; i += workers) {
		if (lot)
			xc_gpu_region_cell(r, i, kind, 1);
		else
			xc_gpu_region_cell(r, i, kind, 0);
	}
}

/* A thread's block of the region. */
typedef struct xc_gpu_region_block {
	uint32_t c; /* its component */
	int inside; /* 0: it lies outside the picture */
	xc_gpu_block_source source;
	xc_gpu_block_vecs vecs; /* the first ones of tokens */
	float *column;          /* of its warp's matrix, for tokens */
	float *table;           /* of its class */
	uint32_t left;          /* index in shared memory of its first sample */
} xc_gpu_region_block;

/* The table of warp `warp` for blocks of component c. */
XC_GPU_INLINE float *xc_gpu_region_table(const xc_gpu_region *r, uint32_t warp, uint32_t c,
                                         int kind)
{
	const uint32_t i = xc_gpu_is_own(kind) ? warp : c != 0;
	return r->shared + xc_gpu_region_steps(kind) + i * XC_GPU_TABLE_FLOATS;
}

/* The matrix of warp `warp`; c: the component of its blocks, if all have one. */
XC_GPU_INLINE float *xc_gpu_warp_matrix(const xc_gpu_region *r, uint32_t warp, uint32_t c, int kind)
{
	if (!xc_gpu_is_own(kind))
		return r->shared + warp * XC_GPU_MATRIX_FLOATS;
	/* Two rows of blocks of luma, or all of a chroma. */
	return r->shared + xc_gpu_plane(kind, (int)c) +
	       (c ? 0 : warp * 16 * xc_gpu_row_floats(kind, 0));
}

/* The block of thread i. */
XC_GPU_INLINE xc_gpu_region_block xc_gpu_region_block_of(const xc_gpu_region *r, uint32_t i,
                                                         int kind, int source)
{
	const xc_gpu_shape *p = &r->shape;
	const xc_gpu_xy xy = xc_gpu_xy_of(i, xc_gpu_component_threads(kind, 0),
	                                  xc_gpu_component_threads(kind, 1), kind, 0);
	const uint32_t c = xy.c;
	const uint32_t x = (uint32_t)xc_gpu_first_block(r, kind, (int)c, 0) + xy.x;
	const uint32_t y = (uint32_t)xc_gpu_first_block(r, kind, (int)c, 1) + xy.y;
	const uint32_t wide = p->mcus_wide * (c ? 1 : p->h), high = p->mcus_high * (c ? 1 : p->v);
	xc_gpu_region_block b;

	b.c = c;
	b.inside = xy.y < xc_gpu_blocks_along(kind, (int)c, 1) && x < wide && y < high;
	/* Blocks outside load the nearest one: with a branch, nvcc would sink the loads before it to
	 * their uses, and one would wait for another. */
	const uint32_t inside_x = xc_gpu_min(x, wide - 1), inside_y = xc_gpu_min(y, high - 1);
	b.source = source == XC_GPU_BLOCKS
	               ? xc_gpu_jpeg_block_at(r->job, c, inside_x, inside_y)
	               : xc_gpu_block_at(p, r->segments, r->results, c, inside_x, inside_y, source);
	b.column = (float *)xc_gpu_opaque_shared_ptr(xc_gpu_warp_matrix(r, i / XC_WARP_LANES, c, kind) +
	                                             i % XC_WARP_LANES);
	b.left = xc_gpu_plane(kind, (int)c) + 8 * xy.y * xc_gpu_row_floats(kind, (int)c) +
	         xc_gpu_column(kind, (int)c, 8 * xy.x);
	XC_OPAQUE(b.left, "r"); /* or nvcc would keep its terms in registers */
	b.table = (float *)xc_gpu_opaque_shared_ptr(xc_gpu_region_table(r, i / XC_WARP_LANES, c, kind));
	return b;
}

/* Waits for the block's source and begins to load its coefficients. */
XC_GPU_INLINE void xc_gpu_region_wait(const xc_gpu_region *r, xc_gpu_region_block *b, int source)
{
	if (!b->inside || source == XC_GPU_BLOCKS)
		return;
	xc_gpu_block_wait(&b->source, &r->shape, &r->job->ac_prediction[b->c != 0], source);
	if (source == XC_GPU_TOKENS)
		xc_gpu_load_first_vecs(&b->source, &b->vecs);
}

/* Whether the blocks of a warp are likely to be low: chroma of 8 bits. */
XC_GPU_INLINE int xc_gpu_may_be_low(uint32_t c, int kind, int depth16)
{
	return xc_gpu_is_own(kind) && !depth16 && c;
}

/* Fills a share of the tables and zeroes coefficients, as the thread of block b. */
XC_GPU_INLINE void xc_gpu_region_begin(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                       uint32_t thread, int kind, int depth16, int source)
{
	/* The lanes of a warp fill its table, or all threads both; each has one or two entries. */
	const int own = xc_gpu_is_own(kind);
	const uint32_t tables = own ? 1 : 2, class_ = own ? b->c != 0 : 0;
	const uint32_t workers = own ? (uint32_t)XC_WARP_LANES : xc_gpu_pixel_threads(kind);
	const uint32_t lane = thread % XC_WARP_LANES, worker = own ? lane : thread;
	float *table = own ? b->table : xc_gpu_region_table(r, 0, 0, kind);
	float step[2] = {0, 0}; /* loaded while it stores zeros */

	XC_UNROLL
	for (uint32_t i = 0; i < 2 && i * workers < 64 * tables; i++) {
		const uint32_t at = i * workers + worker;
		step[i] = xc_gpu_first_step(r->job, r->shape.predicted, class_ + at / 64 % tables, at % 64,
		                            source == XC_GPU_SYMBOLS);
	}
	if (source == XC_GPU_TOKENS) {
		xc_gpu_clear_rows(b->column, 0, XC_GPU_LOW, lane);
		if (!xc_gpu_may_be_low(b->c, kind, depth16))
			xc_gpu_clear_rows(b->column, XC_GPU_LOW, 64, lane);
	}
	XC_UNROLL
	for (uint32_t i = 0; i < 2 && i * workers < 64 * tables; i++) {
		const uint32_t at = i * workers + worker;
		if (at < 64 * tables)
			table[at / 64 * XC_GPU_TABLE_FLOATS + at % 64] = step[i];
	}
	if (source == XC_GPU_SYMBOLS && worker < tables * XC_GPU_SYMBOL_VALUES) {
		const uint32_t i = worker / XC_GPU_SYMBOL_VALUES, symbol = worker % XC_GPU_SYMBOL_VALUES;
		const xc_value_points points = r->job->points[class_ + i];
		table[i * XC_GPU_TABLE_FLOATS + 64 + symbol] = xc_gpu_symbol_value(symbol, points);
	}
}

/* The place of the block's samples. Planes and rows of blocks begin at multiples of eight floats,
 * so the two vec16s of a row form a pair, see xc_gpu_column(). */
XC_GPU_INLINE xc_gpu_block_room xc_gpu_room_of(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                               int kind)
{
	const xc_gpu_block_room room = {r->shared + b->left, r->shared + (b->left ^ 4),
	                                xc_gpu_row_floats(kind, (int)b->c)};
	return room;
}

/* Scatters the coefficients of a warp's blocks into its matrix. Returns 1 if all blocks are low; it
 * may return 0 for low blocks too. */
XC_WARP_INLINE int xc_gpu_warp_scatter(const xc_gpu_region *r, xc_gpu_region_block b[XC_SLOTS],
                                       int kind, int depth16)
{
	const uint32_t c = b[0].c;
	const int predicted = r->shape.predicted != 0;
	int low = 0;

	XC_FOR_LANES(lane)
		xc_gpu_forget_others(&b[XC_SLOT(lane)].source, &b[XC_SLOT(lane)].vecs);
	if (xc_gpu_may_be_low(c, kind, depth16)) {
		uint32_t high[XC_SLOTS];
		XC_FOR_LANES(lane)
			high[XC_SLOT(lane)] = b[XC_SLOT(lane)].inside &&
			                      !xc_gpu_block_is_low(&b[XC_SLOT(lane)].source,
			                                           &b[XC_SLOT(lane)].vecs);
		low = !xc_warp_any(high);
		XC_FOR_LANES(lane)
			if (!low)
				xc_gpu_clear_rows(b[XC_SLOT(lane)].column, XC_GPU_LOW, 64, (uint32_t)lane);
	}
	if (xc_gpu_is_own(kind))
		xc_warp_sync();
	XC_FOR_LANES(lane) {
		xc_gpu_region_block *own = &b[XC_SLOT(lane)];
		if (own->inside)
			xc_gpu_block_scatter(&own->source, &own->vecs, own->table, own->column, XC_WARP_LANES,
			                     predicted, depth16);
	}
	return low;
}

/* Loads the coefficients of a block. low, a constant: the block is low, and only the first ones are set. */
XC_GPU_INLINE void xc_gpu_region_load(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                      int kind, float f[64], int low, int depth16, int source)
{
	if (!b->inside)
		return;
	const xc_gpu_block_room room = xc_gpu_room_of(r, b, kind);
	xc_gpu_load_block(r->job, &b->source, b->c != 0, b->table, b->column, &room,
	                  r->shape.predicted != 0, f, low, depth16, source);
}

/* Stores the left or right four columns of samples in the plane. */
XC_GPU_INLINE void xc_gpu_store_half(const xc_gpu_block_room *room, const float f[64], int right)
{
	XC_UNROLL
	for (uint32_t y = 0; y < 8; y++) {
		const float *at = f + 32 * right + y, row[4] = {at[0], at[8], at[16], at[24]};
		xc_gpu_store_four((right ? room->right : room->left) + y * room->apart, row);
	}
}

XC_GPU_INLINE int xc_gpu_region_is_lot(const xc_gpu_region *r, int kind)
{
	return xc_gpu_is_lapped(kind) && r->job->transform == XC_TRANSFORM_LOT;
}

/* The transform of a block in steps: first its rows. low, a constant: the block is low. */
XC_GPU_INLINE void xc_gpu_region_transform(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                           float f[64], int kind, int low)
{
	if (!b->inside)
		return;
	if (xc_gpu_region_is_lot(r, kind))
		xc_gpu_inverse_rows(f, 1, 0);
	else
		xc_gpu_inverse_rows(f, 0, low);
}

/* Then four columns, the first or the last ones. */
XC_GPU_INLINE void xc_gpu_region_columns(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                         float f[64], int last, int kind)
{
	if (!b->inside)
		return;
	if (xc_gpu_region_is_lot(r, kind))
		xc_gpu_inverse_columns(f, last, 1);
	else
		xc_gpu_inverse_columns(f, last, 0);
}

/* The last columns, and the stores to shared memory. The left half is stored before the right half
 * is transformed: otherwise registers would be too few to have the four numbers of a store
 * adjacent. */
XC_GPU_INLINE void xc_gpu_region_store(const xc_gpu_region *r, const xc_gpu_region_block *b,
                                       float f[64], int kind)
{
	if (!b->inside)
		return;
	const xc_gpu_block_room room = xc_gpu_room_of(r, b, kind);
	xc_gpu_store_half(&room, f, 0);
	xc_gpu_region_columns(r, b, f, 1, kind);
	xc_gpu_store_half(&room, f, 1);
}

/* Rounds all samples as JPEG decoders do, see xc_decode_options. */
XC_GPU_INLINE void xc_gpu_region_round(const xc_gpu_region *r, int kind, int depth16,
                                       uint32_t worker, uint32_t workers)
{
	for (uint32_t i = worker; i < xc_gpu_plane(kind, 3); i += workers)
		r->shared[i] = xc_gpu_round(r->shared[i], depth16);
}

/* Converts components made for the picture to Y, Cb and Cr; only 4:4:4 has such components. */
XC_GPU_INLINE void xc_gpu_region_mix(const xc_gpu_region *r, int kind, uint32_t worker,
                                     uint32_t workers)
{
	const uint32_t fours = 2 * xc_gpu_blocks_along(kind, 0, 0);
	const uint32_t items = fours * 8 * xc_gpu_blocks_along(kind, 0, 1);

	for (uint32_t i = worker; i < items; i += workers) {
		float v[3][4], mixed[4];
		float *at[3];
		XC_UNROLL
		for (int c = 0; c < 3; c++) {
			at[c] = r->shared + xc_gpu_plane(kind, c) + i / fours * xc_gpu_row_floats(kind, c) +
			        4 * (i % fours);
			xc_gpu_load_four(at[c], v[c]);
		}
		XC_UNROLL
		for (int c = 0; c < 3; c++) {
			XC_UNROLL
			for (int j = 0; j < 4; j++)
				mixed[j] = xc_colour_mix(v[0][j], v[1][j], v[2][j], r->job->colours + 3 * c);
			xc_gpu_store_four(at[c], mixed);
		}
	}
}

/* ---------------------------------------------------------------- around it */

/* The valid samples of a plane: first and last, across and down. */
typedef struct xc_gpu_inside {
	int32_t x[2], y[2];
} xc_gpu_inside;

/* Sample (x, y) becomes the nearest valid one. */
XC_GPU_INLINE void xc_gpu_extend(float *plane, int kind, int c, int32_t x, int32_t y,
                                 const xc_gpu_inside *in)
{
	const uint32_t row = xc_gpu_row_floats(kind, c);
	const int32_t sx = x < in->x[0] ? in->x[0] : x > in->x[1] ? in->x[1] : x;
	const int32_t sy = y < in->y[0] ? in->y[0] : y > in->y[1] ? in->y[1] : y;

	plane[(uint32_t)y * row + xc_gpu_column(kind, c, (uint32_t)x)] =
		plane[(uint32_t)sy * row + xc_gpu_column(kind, c, (uint32_t)sx)];
}

/* Extends a plane by a column on either side of the picture, and by rows above and below. */
XC_GPU_INLINE void xc_gpu_plane_extend(const xc_gpu_region *r, int kind, int c, uint32_t worker,
                                       uint32_t workers)
{
	const int low = xc_gpu_is_halved(kind, c, 1);
	const int32_t x0 = -8 * xc_gpu_first_block(r, kind, c, 0);
	const int32_t y0 = -8 * xc_gpu_first_block(r, kind, c, 1);
	const xc_gpu_inside in = {{x0, x0 + (int32_t)((r->job->width - 1) / 2)},
	                          {y0, y0 + (int32_t)((r->job->height - 1) >> low)}};
	const int32_t wide = 8 * (int32_t)xc_gpu_blocks_along(kind, c, 0);
	const int32_t high = 8 * (int32_t)xc_gpu_blocks_along(kind, c, 1);
	float *plane = r->shared + xc_gpu_plane(kind, c);

	for (int side = 0; side < 2; side++) {
		const int32_t x = side ? in.x[1] + 1 : in.x[0] - 1, y = side ? in.y[1] + 1 : in.y[0] - 1;
		if (x >= 0 && x < wide)
			for (int32_t i = (int32_t)worker; i < high; i += (int32_t)workers)
				xc_gpu_extend(plane, kind, c, x, i, &in);
		if (low && y >= 0 && y < high)
			for (int32_t i = (int32_t)worker; i < wide; i += (int32_t)workers)
				if (i >= in.x[0] && i <= in.x[1])
					xc_gpu_extend(plane, kind, c, i, y, &in);
	}
}

XC_GPU_INLINE void xc_gpu_region_extend(const xc_gpu_region *r, int kind, uint32_t worker,
                                        uint32_t workers)
{
	for (int c = 1; c < xc_gpu_components(kind); c++)
		xc_gpu_plane_extend(r, kind, c, worker, workers);
}

#endif
