/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: the run functions of the two-dimensional algorithm.  It has no rows
 * and columns to put into lanes, so each lane holds a block of its own: a tile is
 * XC_LANES blocks wide, v[8 * y + x] is one position of all of them.
 */

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
	for (int i = 0; i < XC_FEIG_ROWS; i++) {
		for (int g = 0; g < XC_GROUPS; g++)
			xc_put(out + XC_WIDTH * i + g * XC_LANES, v[g * XC_LANES + i], stream);
	}
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
