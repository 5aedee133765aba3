/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first half of the forward kernel with a lapped transform: for any picture below, and for the
 * most common ones: RGB of 8 bits, rows that begin at multiples of 8 bytes, 4:2:0 or 4:4:4. The
 * general one passes three times over the planes; the common one works like this:
 *
 * 1. A thread takes a patch: 4 pixels of each of 8 rows around an edge between rows of luma blocks.
 * It makes luma, takes the edge step in registers, and stores the thread block's own rows.  It
 * stores
 *    chroma before any step, with 4 rows more above and below.
 * 2. A thread takes the edge step of four columns between rows of chroma blocks.
 * 3. A thread takes the edge step before its own block in a row of blocks.  It keeps the block's
 *    half of the result in registers.
 *
 * The halo outside the picture is the mirror image, so no step has a condition. The LOT requires
 * that image; the TDLT leaves symmetric samples unchanged, except for the signs of zeros, which do
 * not affect coefficients.
 *
 * Planes are as in gpu/encode/pixels/planes.h. The block on the left has one vec16, in the second half at
 * column -1; the block on the right has one in the first half. Halves begin 4 vec16s off a multiple
 * of 8, because neighbouring patches are in different halves and should be in different banks.
 */
#ifndef XC_GPU_ENCODE_PIXELS_LAPPED_H
#define XC_GPU_ENCODE_PIXELS_LAPPED_H

#include "gpu/encode/pixels/planes.h"
#include "transform/lapped8.h"

/* ------------------------------------------------ any picture */

/*
 * A thread block converts the pixels of a rectangle of MCUs, and a halo of 4
 * samples for the edge steps, to planes. Then it takes the edge steps (transform/lapped8.h) between
 * rows of blocks, and the steps between blocks side by side.
 *
 * A plane has a halo of half a block on each side and 4 rows above and below (see
 * xc_gpu_general_planes()). Blocks are split into halves of four samples, so a row of each half has
 * one more vec16, and an edge step between blocks side by side takes two vec16s.
 */

/* The MCUs of one thread block: `count` from column mx on, in `rows` rows from row my on. */
typedef struct xc_gpu_run {
	uint32_t mx, my, count, rows;
} xc_gpu_run;

XC_GPU_INLINE xc_gpu_run xc_gpu_run_of(const xc_gpu_encode_job *j, uint32_t cta)
{
	const uint32_t ctas = (j->picture.mcus_wide + j->span - 1) / j->span, row = cta / ctas;
	xc_gpu_run run = {(cta - row * ctas) * j->span, row * j->tall, j->span, j->tall};

	if (run.count > j->picture.mcus_wide - run.mx)
		run.count = j->picture.mcus_wide - run.mx;
	if (run.rows > j->picture.mcus_high - run.my)
		run.rows = j->picture.mcus_high - run.my;
	return run;
}

XC_GPU_INLINE void xc_gpu_fill_around(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_run *run,
                                      const xc_gpu_plane_map *l, xc_gpu_four *planes)
{
	const int h = (int)j->h, v = (int)j->v, wide0 = (int)l->wide[0], wide1 = (int)l->wide[1];
	const uint32_t columns = run->count * j->h + 2;
	const int lowest = 8 * v * (int)run->rows + 4;

	for (uint32_t item = t.rank; item < columns * (8 * run->rows + 8); item += t.size) {
		const int row = (int)(item / columns) - 4, column = (int)(item % columns) - 1;
		const int px = ((int)run->mx * h + column) * 8, py = ((int)run->my * 8 + row) * v;
		if (px < 0 || px >= (int)j->picture.mcus_wide * h * 8 || py < 0 ||
		    py >= (int)j->picture.mcus_high * v * 8)
			continue;
		const int y = row * v;
		const int inside = (column + 2) / 2 - 1; /* of halved chroma */
		const uint32_t at = (uint32_t)((int)l->origin[0] + y * wide0 + column);
		const int halves = (column < (int)columns - 2 ? XC_GPU_HALVES : XC_GPU_FIRST_HALF) &
		                   (column < 0 ? XC_GPU_SECOND_HALF : XC_GPU_HALVES);
		xc_gpu_raw_rows raw;
		xc_gpu_load_rows(j, (uint32_t)px, (uint32_t)py, &raw);
		if (h == 2)
			xc_gpu_halved_row(j, &raw, l, at, y >= -4 && y < lowest ? halves : 0,
			                  (uint32_t)((int)l->origin[1] + row * wide1 + inside) +
			                      (column % 2 ? l->half[1] : 0),
			                  planes);
		else
			xc_gpu_full_row(j, &raw, l, at, halves, planes);
	}
}

/* The edge step for 8 samples. before, after: the picture exists on that side. At the picture's own
 * edges the LOT uses the mirror image, and the TDLT has no step. */
XC_GPU_INLINE void xc_gpu_forward_edge(uint32_t transform, int before, int after, float x[8])
{
	if (transform == XC_TRANSFORM_LOT) {
		XC_UNROLL
		for (int i = 0; i < 4; i++) {
			x[i] = before ? x[i] : x[7 - i];
			x[7 - i] = after ? x[7 - i] : x[i];
		}
		xc_lot8_forward_edge(x);
	} else if (before && after) {
		xc_tdlt8_forward_edge(x);
	}
}

/* The steps of four columns at an edge; the first row after it is at vec16 `at`. */
XC_GPU_INLINE void xc_gpu_forward_edge_of_rows(uint32_t transform, int before, int after,
                                               xc_gpu_four *at, int wide)
{
	float x[4][8];

	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const xc_gpu_four none = {0, 0, 0, 0};
		const xc_gpu_four f = (i < 4 ? before : after) ? at[(i - 4) * wide] : none;
		x[0][i] = f.x;
		x[1][i] = f.y;
		x[2][i] = f.z;
		x[3][i] = f.w;
	}
	XC_UNROLL
	for (int c = 0; c < 4; c++)
		xc_gpu_forward_edge(transform, before, after, x[c]);
	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const xc_gpu_four f = {x[0][i], x[1][i], x[2][i], x[3][i]};
		if (i < 4 ? before : after)
			at[(i - 4) * wide] = f;
	}
}

/* The step between the vec16s `before` and `after`; NULL: the picture ends there. */
XC_GPU_INLINE void xc_gpu_forward_edge_of_columns(uint32_t transform, xc_gpu_four *before,
                                                  xc_gpu_four *after)
{
	const xc_gpu_four none = {0, 0, 0, 0};
	const xc_gpu_four a = before ? *before : none, b = after ? *after : none;
	float x[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};

	xc_gpu_forward_edge(transform, before != NULL, after != NULL, x);
	const xc_gpu_four c = {x[0], x[1], x[2], x[3]}, d = {x[4], x[5], x[6], x[7]};
	if (before)
		*before = c;
	if (after)
		*after = d;
}

/* The steps between rows of blocks, also in the halo, which the steps between blocks side by side
 * read. */
XC_GPU_INLINE void xc_gpu_row_edges(const xc_gpu_encode_job *j, xc_cta t, uint32_t component,
                                    const xc_gpu_run *run, const xc_gpu_plane_map *l,
                                    xc_gpu_four *plane)
{
	const uint32_t chroma = component != 0, h = chroma ? 1 : j->h;
	const uint32_t high = run->rows * (chroma ? 1 : j->v);
	const uint32_t blocks = run->count * h, vecs = 2 * blocks + 2; /* of one row */

	for (uint32_t item = t.rank; item < vecs * (high + 1); item += t.size) {
		const uint32_t edge = item / vecs, i = item - edge * vecs + 1;
		const uint32_t column = i / 2, half = i % 2; /* column 0 is the block on the left */
		const int outside = (column == 0 && run->mx == 0) ||
		                    (column == blocks + 1 && run->mx + run->count == j->picture.mcus_wide);
		if (outside)
			continue;
		xc_gpu_forward_edge_of_rows(j->transform, run->my > 0 || edge > 0,
		                            run->my + run->rows < j->picture.mcus_high || edge < high,
		                            plane + l->origin[chroma] + 8 * edge * l->wide[chroma] +
		                                column - 1 + (half ? l->half[chroma] : 0),
		                            (int)l->wide[chroma]);
	}
}

XC_GPU_INLINE void xc_gpu_column_edges(const xc_gpu_encode_job *j, xc_cta t, uint32_t component,
                                       const xc_gpu_run *run, const xc_gpu_plane_map *l,
                                       xc_gpu_four *plane)
{
	const uint32_t chroma = component != 0, h = chroma ? 1 : j->h;
	const uint32_t blocks = run->count * h, rows = 8 * run->rows * (chroma ? 1 : j->v);

	for (uint32_t item = t.rank; item < (blocks + 1) * rows; item += t.size) {
		const uint32_t row = item / (blocks + 1), edge = item - row * (blocks + 1);
		const int first = run->mx == 0 && edge == 0;
		const int last = run->mx + run->count == j->picture.mcus_wide && edge == blocks;
		xc_gpu_four *const at = plane + l->origin[chroma] + row * l->wide[chroma] + edge;
		xc_gpu_forward_edge_of_columns(j->transform, first ? NULL : at - 1 + l->half[chroma],
		                               last ? NULL : at);
	}
}

/* Makes planes of pixels, ready for the block steps.  Ends without a barrier. */
XC_GPU_INLINE void xc_gpu_lapped_planes(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_run *run,
                                        const xc_gpu_plane_map *l, xc_gpu_four *planes)
{
	xc_gpu_fill_around(j, t, run, l, planes);
	XC_CTA_SYNC();
	for (uint32_t c = 0; c < j->components; c++)
		xc_gpu_row_edges(j, t, c, run, l, planes + l->start[c]);
	XC_CTA_SYNC();
	for (uint32_t c = 0; c < j->components; c++)
		xc_gpu_column_edges(j, t, c, run, l, planes + l->start[c]);
}

/* Vec16s from the first half of a plane to the second, which begins with one extra vec16. */
XC_GPU_INLINE uint32_t xc_gpu_half_of(uint32_t vecs)
{
	return (vecs + 4) / 8 * 8 + 4;
}

XC_GPU_INLINE xc_gpu_plane_map xc_gpu_rgb_planes(const xc_gpu_encode_job *j)
{
	xc_gpu_plane_map l;

	l.wide[0] = j->span * j->h + 1;
	l.wide[1] = j->span + 1;
	l.half[0] = xc_gpu_half_of(l.wide[0] * 8 * j->v * j->tall);
	l.half[1] = xc_gpu_half_of(l.wide[1] * 8 * (j->tall + 1));
	l.origin[0] = 0;
	l.origin[1] = 4 * l.wide[1];
	l.start[0] = 0;
	l.start[1] = 2 * l.half[0];
	l.start[2] = l.start[1] + 2 * l.half[1];
	l.vecs = l.start[2] + 2 * l.half[1];
	return l;
}

/* Four pixels. */
XC_GPU_INLINE void xc_gpu_load4(const uint8_t *from, uint32_t w[3])
{
	XC_UNROLL
	for (int i = 0; i < 3; i++) {
#ifdef __CUDA_ARCH__
		w[i] = __ldg((const uint32_t *)(const void *)from + i);
#else
		XC_GPU_ALIGNED(from, 4);
		__builtin_memcpy(&w[i], from + 4 * i, 4);
#endif
	}
}

/* Four pixels; the picture has `max` + 1 from here on, and the last one is repeated past its edge.
 * */
XC_GPU_INLINE void xc_gpu_load4_last(const uint8_t *from, uint32_t max, uint32_t w[3])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 3; i++) {
		w[i] = 0;
		XC_UNROLL
		for (uint32_t b = 0; b < 4; b++) {
			const uint32_t n = 4 * i + b, at = n / 3 < max ? n / 3 : max;
			w[i] |= (uint32_t)from[3 * at + n % 3] << 8 * b;
		}
	}
}

/* Returns the first of n samples for position `from` on an axis of `size` samples. *mirrored: the
 * position is outside, and the result is the mirror image, in reverse order. */
XC_GPU_INLINE int xc_gpu_mirror(int from, int n, int size, int *mirrored)
{
	const int inside = from < 0 ? -n - from : from >= size ? 2 * size - n - from : from;
	*mirrored = inside != from;
	return inside;
}

/* Loads 4x4 pixels; x and y are multiples of 4, inside the picture's MCUs or beside them. */
XC_GPU_INLINE void xc_gpu_load4x4(const xc_gpu_encode_job *j, int x, int y, uint32_t w[4][3])
{
	int turned_x, turned_y;
	const int px = xc_gpu_mirror(x, 4, (int)(j->picture.mcus_wide * j->h * 8), &turned_x);
	const int py = xc_gpu_mirror(y, 4, (int)(j->picture.mcus_high * j->v * 8), &turned_y);
	/* The last row is repeated past the lower edge. */
	const int first = turned_y ? py + 3 : py, step = turned_y ? -1 : 1,
			  last = (int)j->picture.height - 1;

	if ((uint32_t)px + 4 <= j->picture.width) {
		const uint8_t *const column = j->picture.pixels + 3 * (uint32_t)px;
		XC_UNROLL
		for (int i = 0; i < 4; i++) {
			const int row = first + i * step;
			xc_gpu_load4(column + (size_t)(uint32_t)(row < last ? row : last) *
			                          (uint32_t)j->picture.stride,
			             w[i]);
		}
	} else {
		const uint32_t from = (uint32_t)px < j->picture.width ? (uint32_t)px : j->picture.width - 1;
		const uint8_t *const column = j->picture.pixels + 3 * from;
		XC_UNROLL
		for (int i = 0; i < 4; i++) {
			const int row = first + i * step;
			xc_gpu_load4_last(column + (size_t)(uint32_t)(row < last ? row : last) *
			                               (uint32_t)j->picture.stride,
			                  j->picture.width - 1 - from, w[i]);
		}
	}
	if (!turned_x)
		return;
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const uint32_t a = w[i][0], b = w[i][1], c = w[i][2];
		w[i][0] = xc_gpu_pick(b, c, 0x2765);
		w[i][1] = xc_gpu_pick(xc_gpu_pick(b, c, 0x0043), a, 0x3710);
		w[i][2] = xc_gpu_pick(a, b, 0x2105);
	}
}

/* The index of vec16 i of a row of a plane. A block has two; -1 is the one before the first block.
 * */
XC_GPU_INLINE int xc_gpu_float4_at(const xc_gpu_plane_map *l, uint32_t chroma, int row, int i)
{
	return (int)l->origin[chroma] + row * (int)l->wide[chroma] + (i >> 1) +
	       (i & 1 ? (int)l->half[chroma] : 0);
}

/* Luma, B - Y and R - Y of four pixels. */
XC_GPU_INLINE void xc_gpu_colour4(const uint32_t w[3], float y[4], float b[4], float r[4])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t n = 3 * i;
		const float red = xc_gpu_byte(w[n / 4], n % 4);
		const float green = xc_gpu_byte(w[(n + 1) / 4], (n + 1) % 4);
		const float blue = xc_gpu_byte(w[(n + 2) / 4], (n + 2) % 4);
		const float luma = xc_luma(red, green, blue);
		y[i] = luma - 128.0f;
		b[i] = blue - luma;
		r[i] = red - luma;
	}
}

/* Converts 4x4 pixels to luma in y and to chroma in its planes, from row `row` of chroma on.
 * Columns count vec16s. */
XC_GPU_INLINE void xc_gpu_colour4x4(const xc_gpu_encode_job *j, uint32_t w[4][3], int row,
                                    int column, const xc_gpu_plane_map *l, xc_gpu_four *planes,
                                    float y[4][4])
{
	typedef struct two {
		float x, y;
	} __attribute__((aligned(8))) two;
	const float kb = XC_KCB * 0.25f, kr = XC_KCR * 0.25f;
	float b[2][4], r[2][4];

	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const int odd = i % 2;
		xc_gpu_colour4(w[i], y[i], b[odd], r[odd]);
		if (j->h == 1) {
			xc_gpu_four *const at = planes + xc_gpu_float4_at(l, 1, row + i, column);
			const xc_gpu_four cb = {b[odd][0] * XC_KCB, b[odd][1] * XC_KCB, b[odd][2] * XC_KCB,
			                        b[odd][3] * XC_KCB};
			const xc_gpu_four cr = {r[odd][0] * XC_KCR, r[odd][1] * XC_KCR, r[odd][2] * XC_KCR,
			                        r[odd][3] * XC_KCR};
			at[l->start[1]] = cb;
			at[l->start[2]] = cr;
		} else if (odd) {
			two *const at = (two *)(void *)(planes +
			                                xc_gpu_float4_at(l, 1, row + i / 2, column >> 1)) +
			                (column & 1);
			const two cb = {((b[0][0] + b[0][1]) + (b[1][0] + b[1][1])) * kb,
			                ((b[0][2] + b[0][3]) + (b[1][2] + b[1][3])) * kb};
			const two cr = {((r[0][0] + r[0][1]) + (r[1][0] + r[1][1])) * kr,
			                ((r[0][2] + r[0][3]) + (r[1][2] + r[1][3])) * kr};
			at[2 * l->start[1]] = cb;
			at[2 * l->start[2]] = cr;
		}
	}
}

/* Stores four rows of luma in its plane. */
XC_GPU_INLINE void xc_gpu_store4x4(const xc_gpu_plane_map *l, int row, int column,
                                   const float y[4][4], xc_gpu_four *planes)
{
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const xc_gpu_four f = {y[i][0], y[i][1], y[i][2], y[i][3]};
		planes[xc_gpu_float4_at(l, 0, row + i, column)] = f;
	}
}

/* The patch around luma edge `edge`, in column `column`. The patch after the last edge is for
 * halved chroma only: it makes the rows of chroma that are not around a luma edge. */
XC_GPU_INLINE void xc_gpu_patch(const xc_gpu_encode_job *j, const xc_gpu_run *run, int edge,
                                int column, const xc_gpu_plane_map *l, xc_gpu_four *planes)
{
	const int v = (int)j->v, last = (int)run->rows * v, rest = edge > last;
	const int upper = rest ? -8 : 8 * edge - 4, lower = rest ? 8 * last + 4 : 8 * edge;
	const int x = (int)(run->mx * j->h * 8) + 4 * column, y = (int)run->my * 8 * v;
	uint32_t w[2][4][3];
	float luma[2][4][4];

	xc_gpu_load4x4(j, x, y + upper, w[0]);
	xc_gpu_load4x4(j, x, y + lower, w[1]);
	xc_gpu_colour4x4(j, w[0], upper / v, column, l, planes, luma[0]);
	xc_gpu_colour4x4(j, w[1], lower / v, column, l, planes, luma[1]);
	if (rest || column < -1 || column > (int)(2 * j->h * run->count))
		return;
	XC_UNROLL
	for (int c = 0; c < 4; c++) {
		float e[8];
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			e[i] = luma[i / 4][i % 4][c];
		xc_gpu_forward_edge(j->transform, 1, 1, e);
		XC_UNROLL
		for (int i = 0; i < 8; i++)
			luma[i / 4][i % 4][c] = e[i];
	}
	if (edge > 0)
		xc_gpu_store4x4(l, upper, column, luma[0], planes);
	if (edge < last)
		xc_gpu_store4x4(l, lower, column, luma[1], planes);
}

XC_GPU_INLINE void xc_gpu_patches(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_run *run,
                                  const xc_gpu_plane_map *l, xc_gpu_four *planes)
{
	/* Halved chroma needs 8 more pixels on each side, and patches after the last edge. */
	const uint32_t outer = j->h, columns = 2 * j->h * j->span + 2 * outer;
	const uint32_t rows = j->v * j->tall + j->v;

	for (uint32_t item = t.rank; item < columns * rows; item += t.size) {
		const uint32_t edge = item / columns, column = item - edge * columns;
		if (edge < j->v * run->rows + j->v && column < 2 * (j->h * run->count + outer))
			xc_gpu_patch(j, run, (int)edge, (int)column - (int)outer, l, planes);
	}
}

/* The edge steps between rows of chroma blocks, of both planes. */
XC_GPU_INLINE void xc_gpu_chroma_edges(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_run *run,
                                       const xc_gpu_plane_map *l, xc_gpu_four *planes)
{
	const uint32_t columns = 2 * j->span + 2, all = columns * (j->tall + 1);

	for (uint32_t item = t.rank; item < 2 * all; item += t.size) {
		const uint32_t r = item >= all, i = item - (r ? all : 0);
		const uint32_t edge = i / columns, column = i - edge * columns;
		if (edge <= run->rows && column < 2 * run->count + 2)
			xc_gpu_forward_edge_of_rows(j->transform, 1, 1,
			                            planes + (r ? l->start[2] : l->start[1]) +
			                                xc_gpu_float4_at(l, 1, 8 * (int)edge, (int)column - 1),
			                            (int)l->wide[1]);
	}
}

/* The edge step before vec16 `own` of a plane's first half; `after` gets its half of the result. */
XC_GPU_INLINE void xc_gpu_edge_before(uint32_t transform, xc_gpu_four *own, uint32_t half,
                                      float after[4])
{
	xc_gpu_four *const other = own + half - 1;
	const xc_gpu_four a = *other, b = *own;
	float x[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};

	xc_gpu_forward_edge(transform, 1, 1, x);
	const xc_gpu_four c = {x[0], x[1], x[2], x[3]};
	*other = c;
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		after[i] = x[4 + i];
}

/* The edge steps before a block, whose first vec16 is at `block`.  The block's first half goes to
 * r.  On the host it is stored as well, because one thread takes the steps of all blocks first. */
XC_GPU_INLINE void xc_gpu_edges_before(uint32_t transform, xc_gpu_four *block, uint32_t wide,
                                       uint32_t half, float r[8][8])
{
	XC_UNROLL
	for (uint32_t y = 0; y < 8; y++) {
		float x[4];
		xc_gpu_edge_before(transform, block + y * wide, half, x);
		XC_UNROLL
		for (int i = 0; i < 4; i++)
			r[i][y] = x[i];
#ifndef __CUDA_ARCH__
		const xc_gpu_four f = {x[0], x[1], x[2], x[3]};
		block[y * wide] = f;
#endif
	}
}

/* The edge steps after the last blocks of a thread block, a row of samples each. */
XC_GPU_INLINE void xc_gpu_edges_after(const xc_gpu_encode_job *j, xc_cta t, const xc_gpu_run *run,
                                      const xc_gpu_plane_map *l, xc_gpu_four *planes)
{
	const uint32_t luma = 8 * j->v * j->tall, chroma = 8 * j->tall;
	float none[4];

	for (uint32_t item = t.rank; item < luma + 2 * chroma; item += t.size) {
		const uint32_t c = item >= luma, r = item >= luma + chroma;
		const uint32_t row = item - (r ? luma + chroma : c ? luma : 0);
		xc_gpu_four *const at = planes +
		                        (r   ? l->start[2]
		                         : c ? l->start[1]
		                             : 0) +
		                        (c ? l->origin[1] + row * l->wide[1] + run->count
		                           : row * l->wide[0] + run->count * j->h);
		if (row < 8 * run->rows * (c ? 1 : j->v))
			xc_gpu_edge_before(j->transform, at, c ? l->half[1] : l->half[0], none);
	}
}

/* Makes planes of pixels, without the edge steps between blocks side by side.  Ends without a
 * barrier. */
XC_GPU_INLINE void xc_gpu_rgb_lapped_planes(const xc_gpu_encode_job *j, xc_cta t,
                                            const xc_gpu_run *run, const xc_gpu_plane_map *l,
                                            xc_gpu_four *planes)
{
	xc_gpu_patches(j, t, run, l, planes);
	XC_CTA_SYNC();
	xc_gpu_chroma_edges(j, t, run, l, planes);
}

#endif
