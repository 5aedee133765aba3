/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of run functions of one SIMD level and precision.  The makefile compiles this
 * file once for each of them and sets XC_REAL_BITS (32, 64 or 80), XC_VECTOR_BYTES (0, 16, 32
 * or 64) and XC_BAND_TABLE, the table's name.
 */
#include "lab/cpu/band/band.h"
#include "lab/cpu/band/tiles.h"

#include "lab/kernels/dct8.h"
#include "lab/kernels/lapped8.h"

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

#define XC_RUN xc_band_naive_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_direct_forward
#define XC_SCALE 0
#include "lab/cpu/band/run_template.h"
#define XC_RUN xc_band_naive_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_direct_inverse
#define XC_SCALE 0
#include "lab/cpu/band/run_template.h"

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

/* A tile is whole cache lines wide, so nothing has to wait (see write.h). */
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

static void xc_band_feig2d_forward(const xc_band_strip *s)
{
	xc_feig_run(s, 0);
}

static void xc_band_feig2d_inverse(const xc_band_strip *s)
{
	xc_feig_run(s, 1);
}

#define XC_EACH_STAGES "lab/cpu/band/run_template.h"
#include "lab/kernels/stages.h"

#define XC_BOTH(name) \
	{ \
		xc_band_##name##_forward, xc_band_##name##_inverse \
	}

const xc_band_kernels XC_BAND_TABLE = {
	.run =
		{
			[XC_BAND_NAIVE] = XC_BOTH(naive),
			[XC_BAND_DEFINITION] = XC_BOTH(definition),
			[XC_BAND_SEPARABLE] = XC_BOTH(separable),
			[XC_BAND_AAN] = XC_BOTH(aan),
			[XC_BAND_FLMAD] = XC_BOTH(flmad),
			[XC_BAND_FEIG2D] = XC_BOTH(feig2d),
			[XC_BAND_LOT] = XC_BOTH(lot),
			[XC_BAND_TDLT] = XC_BOTH(tdlt),
			[XC_BAND_GENLOT] = XC_BOTH(genlot),
		},
	.lanes = XC_LANES,
};
