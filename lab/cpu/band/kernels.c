/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of run functions of one SIMD level and precision.  The makefile compiles this
 * file once for each of them and sets XC_REAL_BITS (32, 64 or 80), XC_VECTOR_BYTES (0, 16, 32
 * or 64) and XC_BAND_TABLE, the table's name.
 */
#include "lab/cpu/band/band.h"
#include "lab/cpu/band/tiles.h"

#include "lab/cpu/band/stages.h"

XC_INLINE void xc_band_scale_vectors(const XC_REAL scale[64], xc_v v[8 * XC_GROUPS])
{
	for (int g = 0; g < XC_GROUPS; g++)
		for (int y = 0; y < 8; y++) {
			XC_REAL lanes[XC_LANES];
			for (int i = 0; i < XC_LANES; i++)
				lanes[i] = scale[8 * y + (g * XC_LANES + i) % 8];
			v[8 * g + y] = xc_load(lanes);
		}
}

/* The lower half of the strip goes to the line buffer, that of the strip above
 * becomes the upper half. */
XC_INLINE void xc_band_shift_down(xc_v v[8], XC_REAL *line, ptrdiff_t stride)
{
	for (int i = 0; i < 4; i++) {
		const xc_v above = xc_load(line + i * stride);
		xc_store(line + i * stride, v[4 + i]);
		v[4 + i] = v[i];
		v[i] = above;
	}
}

XC_INLINE void xc_band_shift_right(xc_v v[8], xc_v carry[4])
{
	for (int i = 0; i < 4; i++) {
		const xc_v right = v[4 + i];
		v[4 + i] = v[i];
		v[i] = xc_block_before(carry[i], right);
		carry[i] = right;
	}
}

/* The tiles of a strip: the columns, then the rows of each.  Downwards a shift goes through the
 * strip's line buffer, to the right through `carry`, in registers.  `transform`, `back` and `stream`
 * are constants. */
XC_INLINE void xc_band_tiles(const xc_band_strip *s, const xc_band_transform transform,
                             const int back, const int stream)
{
	const size_t shifts = xc_band_shifts(transform);
	/* Blocks may have factors beside those of the transform. */
	const int scaled = shifts ? xc_band_scaled(transform) : s->scale != NULL;
	const ptrdiff_t in_stride = s->in_stride, out_stride = s->out_stride;
	const ptrdiff_t line_stride = s->line_stride;
	const XC_REAL *in = s->in;
	XC_REAL *out = s->out, *line = s->line;
	xc_v scale[8 * XC_GROUPS], carry[2][XC_GROUPS][4];
	xc_band_writer writer;

	if (scaled)
		xc_band_scale_vectors(s->scale, scale);
	if (shifts)
		memcpy(carry, s->carry, shifts * sizeof carry[0]);
	if (stream)
		xc_band_write_begin(&writer, out, out_stride);
	for (size_t tile = 0; tile < s->tiles; tile++) {
		xc_v v[8 * XC_GROUPS];
		for (int g = 0; g < XC_GROUPS; g++)
			for (int y = 0; y < 8; y++)
				v[8 * g + y] = xc_load(in + y * in_stride + g * XC_LANES);
		for (int i = 0; i < 8 * XC_GROUPS && scaled && back; i++)
			v[i] *= scale[i];
		for (int g = 0; g < XC_GROUPS; g++) {
			xc_band_stage(transform, back, 0, v + 8 * g);
			if (shifts > 0) {
				xc_band_shift_down(v + 8 * g, line + g * XC_LANES, line_stride);
				xc_band_stage(transform, back, 1, v + 8 * g);
			}
			if (shifts > 1) {
				xc_band_shift_down(v + 8 * g, line + 4 * line_stride + g * XC_LANES, line_stride);
				xc_band_stage(transform, back, 2, v + 8 * g);
			}
		}
		xc_transpose_tile(v);
		for (int g = 0; g < XC_GROUPS; g++) {
			xc_band_stage(transform, back, 0, v + 8 * g);
			if (shifts > 0) {
				xc_band_shift_right(v + 8 * g, carry[0][g]);
				xc_band_stage(transform, back, 1, v + 8 * g);
			}
			if (shifts > 1) {
				xc_band_shift_right(v + 8 * g, carry[1][g]);
				xc_band_stage(transform, back, 2, v + 8 * g);
			}
		}
		xc_transpose_tile(v);
		for (int i = 0; i < 8 * XC_GROUPS && scaled && !back; i++)
			v[i] *= scale[i];
		if (!shifts && !back && s->rounds)
			for (int i = 0; i < 8 * XC_GROUPS; i++)
				v[i] = xc_to_integer(v[i]);
		xc_v rows[8][XC_GROUPS];
		for (int y = 0; y < 8; y++)
			for (int g = 0; g < XC_GROUPS; g++)
				rows[y][g] = v[8 * g + y];
		if (stream)
			xc_band_write_tile(&writer, tile, out, out_stride, rows);
		for (int y = 0; y < 8 && !stream; y++)
			memcpy(out + y * out_stride, rows[y], sizeof rows[y]);
		in += XC_WIDTH;
		out += XC_WIDTH;
		line += shifts ? XC_WIDTH : 0;
	}
	if (stream)
		xc_band_write_end(&writer, s->tiles, out, out_stride);
	if (shifts)
		memcpy(s->carry, carry, shifts * sizeof carry[0]);
}

/* Template: the run functions of the two-dimensional algorithm.  It has no rows
 * and columns to put into lanes, so each lane holds a block of its own: a tile is
 * XC_LANES blocks wide, v[8 * y + x] is one position of all of them. */

/* Vectors from one row of the tile that a transposition takes.  In memory they hold several values
 * of a block, in registers one value of several blocks. */
#define XC_FEIG_ROWS (8 / XC_GROUPS)

XC_INLINE void xc_feig_load_row(const XC_REAL *in, xc_v v[8])
{
	for (int g = 0; g < XC_GROUPS; g++) {
		for (int i = 0; i < XC_FEIG_ROWS; i++)
			v[g * XC_LANES + i] = xc_load(in + XC_WIDTH * i + g * XC_LANES);
		xc_transpose_lanes(v + g * XC_LANES);
	}
}

XC_INLINE void xc_feig_store_row(XC_REAL *out, xc_v v[8], const int stream)
{
	for (int g = 0; g < XC_GROUPS; g++)
		xc_transpose_lanes(v + g * XC_LANES);
	for (int i = 0; i < XC_FEIG_ROWS; i++)
		for (int g = 0; g < XC_GROUPS; g++)
			xc_put(out + XC_WIDTH * i + g * XC_LANES, v[g * XC_LANES + i], stream);
}

XC_INLINE void xc_feig_tiles(const xc_band_strip *s, const int back, const int stream)
{
	const XC_REAL *in = s->in, *scale = s->scale;
	XC_REAL *out = s->out;

	for (size_t tile = 0; tile < s->tiles; tile++) {
		xc_v v[64];
		for (int y = 0; y < 8; y++) {
			xc_feig_load_row(in + y * s->in_stride, v + 8 * y);
			if (back)
				for (int x = 0; x < 8; x++)
					v[8 * y + x] *= scale[8 * y + x];
		}
		if (back)
			xc_dct8x8_feig_inverse(v);
		else
			xc_dct8x8_feig_forward(v);
		for (int y = 0; y < 8; y++) {
			if (!back)
				for (int x = 0; x < 8; x++)
					v[8 * y + x] *= scale[8 * y + x];
			xc_feig_store_row(out + y * s->out_stride, v + 8 * y, stream);
		}
		in += 8 * XC_LANES;
		out += 8 * XC_LANES;
	}
}

/* A tile is whole cache lines wide, so nothing has to wait (see tiles.h). */
XC_INLINE void xc_feig_run(const xc_band_strip *s, const int back)
{
	const uintptr_t stride = (uintptr_t)s->out_stride * sizeof(XC_REAL);

	if (XC_LANES > 1 && s->stream && ((uintptr_t)s->out | stride) % 64 == 0) {
		xc_feig_tiles(s, back, 1);
		xc_stream_end();
	} else {
		xc_feig_tiles(s, back, 0);
	}
}

XC_INLINE void xc_band_run(const xc_band_strip *s, const xc_band_transform transform,
                           const int back)
{
	if (transform == XC_BAND_FEIG2D)
		xc_feig_run(s, back);
	else if (XC_LANES > 1 && s->stream)
		xc_band_tiles(s, transform, back, 1);
	else
		xc_band_tiles(s, transform, back, 0);
}

#define XC_RUN(name, transform) \
	static void xc_band_##name##_forward(const xc_band_strip *s) \
	{ \
		xc_band_run(s, transform, 0); \
	} \
	static void xc_band_##name##_inverse(const xc_band_strip *s) \
	{ \
		xc_band_run(s, transform, 1); \
	}
XC_RUN(naive, XC_BAND_NAIVE)
XC_RUN(definition, XC_BAND_DEFINITION)
XC_RUN(separable, XC_BAND_SEPARABLE)
XC_RUN(aan, XC_BAND_AAN)
XC_RUN(flmad, XC_BAND_FLMAD)
XC_RUN(feig2d, XC_BAND_FEIG2D)
XC_RUN(lot, XC_BAND_LOT)
XC_RUN(tdlt, XC_BAND_TDLT)
XC_RUN(genlot, XC_BAND_GENLOT)

#define XC_BOTH(name) \
	{ \
		xc_band_##name##_forward, xc_band_##name##_inverse \
	}

/* In the order of xc_band_transform. */
const xc_band_kernels XC_BAND_TABLE = {
	.run = {XC_BOTH(naive), XC_BOTH(definition), XC_BOTH(separable), XC_BOTH(aan), XC_BOTH(flmad),
            XC_BOTH(feig2d), XC_BOTH(lot), XC_BOTH(tdlt), XC_BOTH(genlot)},
	.lanes = XC_LANES,
};
