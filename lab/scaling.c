/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scalings other than orthonormal, as factors of the orthonormal transform's input and output.  An
 * orthonormal transform along an axis is a c(k) sum over n of d(n) x[n] b(n, k), b a cosine or a sine; another
 * scaling has other a, c and d (see xct.h).  The inverse is the forward transform of the transposed kind.
 */
#include "lab/scaling.h"

#include <math.h>

xct_kind xc_kind_transposed(xct_kind kind)
{
	static const xct_kind transposed[] = {
		[XCT_DCT1] = XCT_DCT1, [XCT_DCT2] = XCT_DCT3, [XCT_DCT3] = XCT_DCT2, [XCT_DCT4] = XCT_DCT4,
		[XCT_DST1] = XCT_DST1, [XCT_DST2] = XCT_DST3, [XCT_DST3] = XCT_DST2, [XCT_DST4] = XCT_DST4,
	};
	return transposed[kind];
}

/* What index i of an axis is counted with in the sums: an end of it counts `end`. */
static long double counted(size_t i, size_t end, long double weight)
{
	return i == end ? weight : 1;
}

static void orthonormal(xc_axis_scale *s, xct_kind kind, size_t n, size_t i)
{
	const long double half = sqrtl(0.5L);

	s->factor = sqrtl(2 / (long double)(kind == XCT_DCT1 ? n - 1 : kind == XCT_DST1 ? n + 1 : n));
	s->in = s->out = 1;
	if (kind == XCT_DCT1)
		s->in = s->out = i == 0 || i == n - 1 ? half : 1;
	if (kind == XCT_DCT2)
		s->out = counted(i, 0, half);
	if (kind == XCT_DCT3)
		s->in = counted(i, 0, half);
	if (kind == XCT_DST2)
		s->out = counted(i, n - 1, half);
	if (kind == XCT_DST3)
		s->in = counted(i, n - 1, half);
}

xc_axis_scale xc_scaling_at(xct_scaling scaling, xct_kind kind, xct_direction direction, size_t n,
                            size_t i)
{
	const xct_kind forward = direction == XCT_INVERSE ? xc_kind_transposed(kind) : kind;
	xc_axis_scale own, wanted = {1, 1, scaling == XCT_UNSCALED ? 2 : 1};

	orthonormal(&own, forward, n, i);
	if (scaling == XCT_MATLAB && forward != XCT_DST1)
		wanted = own;
	else if (scaling == XCT_MATLAB)
		wanted.factor = direction == XCT_INVERSE ? 2 / (long double)(n + 1) : 1;
	else if (scaling != XCT_ORTHONORMAL && (forward == XCT_DCT3 || forward == XCT_DCT1))
		wanted.in = i == 0 || (forward == XCT_DCT1 && i == n - 1) ? 0.5L : 1;
	else if (scaling != XCT_ORTHONORMAL && forward == XCT_DST3)
		wanted.in = counted(i, n - 1, 0.5L);
	else if (scaling == XCT_ORTHONORMAL)
		wanted = own;
	return (xc_axis_scale){wanted.in / own.in, wanted.out / own.out, wanted.factor / own.factor};
}

int xc_scaling_possible(const xct_descriptor *d)
{
	const int cosine = d->kind == XCT_DCT2 || d->kind == XCT_DCT3 || d->kind == XCT_BLOCK_DCT;

	if (d->scaling == XCT_ORTHONORMAL)
		return 1;
	if (d->precision == XCT_INT16 || (d->kind >= XCT_BLOCK_DCT && d->bands != 8))
		return 0;
	switch (d->scaling) {
	case XCT_UNSCALED:
		return d->kind <= XCT_DST4 || d->kind == XCT_BLOCK_DCT;
	case XCT_MATLAB:
		return d->kind <= XCT_DST1 || d->kind == XCT_BLOCK_DCT;
	case XCT_JIANG:
		return cosine || d->kind == XCT_IDCT_IDXST || d->kind == XCT_IDXST_IDCT;
	default:
		return 0;
	}
}
