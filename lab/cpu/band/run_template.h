/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: one run function.  Included by kernels.c with
 *
 *	XC_RUN		the function's name
 *	XC_SHIFTS	half-block shifts, 0 to 2
 *	XC_STAGE_0 ...	what is done before the first shift, the second, and after:
 *			8 values in place, along the columns and then along the rows
 *	XC_SCALE	0 no scaling, 1 before everything, 2 after everything
 *
 * and undefines them.  A shift hands the upper half of a block on to its right or lower neighbour:
 * downwards through the strip's line buffer, to the right through registers.
 */
#define XC_JOIN_(a, b) a##b
#define XC_JOIN(a, b) XC_JOIN_(a, b)

XC_INLINE void XC_JOIN(XC_RUN, _tiles)(const xc_band_strip *s, const int stream)
{
	const XC_REAL *in = s->in;
	XC_REAL *out = s->out;
	const ptrdiff_t in_stride = s->in_stride, out_stride = s->out_stride;
#if XC_SCALE
	xc_v scale[8 * XC_GROUPS];
	xc_band_scale_vectors(s->scale, scale);
#endif
#if XC_SHIFTS
	XC_REAL *line = s->line;
	const ptrdiff_t line_stride = s->line_stride;
	xc_v carry[XC_SHIFTS][XC_GROUPS][4];
	memcpy(carry, s->carry, sizeof carry);
#endif

	xc_band_writer writer;
	if (stream)
		xc_band_write_begin(&writer, out, out_stride);
	for (size_t tile = 0; tile < s->tiles; tile++) {
		xc_v v[8 * XC_GROUPS];
		for (int g = 0; g < XC_GROUPS; g++)
			for (int y = 0; y < 8; y++)
				v[8 * g + y] = xc_load(in + y * in_stride + g * XC_LANES);
		in += XC_WIDTH;
#if XC_SCALE == 1
		for (int i = 0; i < 8 * XC_GROUPS; i++)
			v[i] *= scale[i];
#endif

		for (int g = 0; g < XC_GROUPS; g++) {
			XC_STAGE_0(v + 8 * g);
#if XC_SHIFTS > 0
			xc_band_shift_down(v + 8 * g, line + g * XC_LANES, line_stride);
			XC_STAGE_1(v + 8 * g);
#endif
#if XC_SHIFTS > 1
			xc_band_shift_down(v + 8 * g, line + 4 * line_stride + g * XC_LANES, line_stride);
			XC_STAGE_2(v + 8 * g);
#endif
		}
#if XC_SHIFTS
		line += XC_WIDTH;
#endif

		xc_transpose_tile(v);
		for (int g = 0; g < XC_GROUPS; g++) {
			XC_STAGE_0(v + 8 * g);
#if XC_SHIFTS > 0
			xc_band_shift_right(v + 8 * g, carry[0][g]);
			XC_STAGE_1(v + 8 * g);
#endif
#if XC_SHIFTS > 1
			xc_band_shift_right(v + 8 * g, carry[1][g]);
			XC_STAGE_2(v + 8 * g);
#endif
		}
		xc_transpose_tile(v);

#if XC_SCALE == 2
		for (int i = 0; i < 8 * XC_GROUPS; i++)
			v[i] *= scale[i];
#endif
		xc_v rows[8][XC_GROUPS];
		for (int y = 0; y < 8; y++)
			for (int g = 0; g < XC_GROUPS; g++)
				rows[y][g] = v[8 * g + y];
		if (stream)
			xc_band_write_tile(&writer, tile, out, out_stride, rows);
		for (int y = 0; y < 8 && !stream; y++)
			memcpy(out + y * out_stride, rows[y], sizeof rows[y]);
		out += XC_WIDTH;
	}
	if (stream)
		xc_band_write_end(&writer, s->tiles, out, out_stride);
#if XC_SHIFTS
	memcpy(s->carry, carry, sizeof carry);
#endif
}

static void XC_RUN(const xc_band_strip *s)
{
	if (XC_LANES > 1 && s->stream)
		XC_JOIN(XC_RUN, _tiles)(s, 1);
	else
		XC_JOIN(XC_RUN, _tiles)(s, 0);
}

#undef XC_RUN
#undef XC_SHIFTS
#undef XC_STAGE_0
#undef XC_STAGE_1
#undef XC_STAGE_2
#undef XC_SCALE
