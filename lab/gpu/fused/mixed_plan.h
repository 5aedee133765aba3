/* SPDX-License-Identifier: BSD-2-Clause */
/* The axes of mixed.h, planned by the processor. */
#ifndef XC_LAB_GPU_FUSED_MIXED_PLAN_H
#define XC_LAB_GPU_FUSED_MIXED_PLAN_H

#include "lab/gpu/fused/axis.h"

enum { XC_MIXED_LEAST = 16, XC_MIXED_MOST = 1 << 15 }; /* of a side, and of a line's points */
/* The points of a thread, unless blocks would get too large; half as many where the frame's threads
 * would not fill a large device. */
enum { XC_MIXED_POINTS = 16, XC_MIXED_BLOCK = 128, XC_MIXED_SMALL = 3 << 19 };
enum { XC_MIXED_LONG = 4096 };

/* ---------------------------------------------------------------- radices */

static inline int xc_mixed_is_radix(int r)
{
	return r <= XC_MIXED_RADIX && (r <= 10 || r == 12 || r == 15 || r == 16);
}

/* Finds the fewest passes, and of these the least sum of radices.  Writes the radices, the
 * largest first, and returns their number, or XC_MIXED_PASSES + 1 if there are none. */
static inline int xc_mixed_radices(int n, int largest, int depth, int radices[XC_MIXED_PASSES])
{
	int best = XC_MIXED_PASSES + 1, best_sum = 0;
	if (n == 1 || depth == XC_MIXED_PASSES)
		return n == 1 ? 0 : best;
	for (int r = largest; r >= 2; r--) {
		int rest[XC_MIXED_PASSES] = {0}, sum = r;
		if (n % r || !xc_mixed_is_radix(r))
			continue;
		const int passes = 1 + xc_mixed_radices(n / r, r, depth + 1, rest);
		for (int i = 1; i < passes && passes <= XC_MIXED_PASSES; i++)
			sum += rest[i - 1];
		if (passes > best || (passes == best && sum >= best_sum) || passes > XC_MIXED_PASSES)
			continue;
		best = passes;
		best_sum = sum;
		radices[0] = r;
		memcpy(radices + 1, rest, sizeof *rest * (size_t)(passes - 1));
	}
	return best;
}

static inline int xc_mixed_even_part(int n)
{
	return n & -n;
}

/* Odd radices come last.  Elements are closest there, and odd steps reach different banks of
 * shared memory. */
static inline void xc_mixed_order_radices(int *radices, int passes)
{
	for (int i = 1; i < passes; i++)
		for (int j = i; j > 0; j--)
			if (xc_mixed_even_part(radices[j]) > xc_mixed_even_part(radices[j - 1])) {
				const int r = radices[j];
				radices[j] = radices[j - 1];
				radices[j - 1] = r;
			}
}

/* 0, or -1: not of these points. */
static inline int xc_mixed_make_shape(xc_axis_plan *a, int points)
{
	xc_mixed_shape *const s = &a->job.mixed.shape;
	int radices[XC_MIXED_PASSES], apart = points;
	memset(a, 0, sizeof *a);
	a->engine = XC_AXIS_MIXED;
	s->points = points;
	s->passes = xc_mixed_radices(points, XC_MIXED_RADIX, 0, radices);
	if (s->passes > XC_MIXED_PASSES)
		return -1;
	xc_mixed_order_radices(radices, s->passes);
	for (int i = 0; i < s->passes; i++) {
		apart /= radices[i];
		s->pass[i].radix = radices[i];
		s->pass[i].apart = apart;
		s->pass[i].reciprocal = ((1u << 31) + (unsigned)apart - 1) / (unsigned)apart;
		s->pass[i].factors = (int)a->factors;
		a->factors += (size_t)(xc_mixed_stored(radices[i]) * apart);
	}
	a->places = ((size_t)points * sizeof *s->places + sizeof(xc_complex) - 1) / sizeof(xc_complex);
	a->pairs = (size_t)points / 2 + 1;
	return 0;
}

static inline xc_complex *xc_mixed_factors(xc_complex *out, const xc_mixed_shape *s)
{
	for (int i = 0; i < s->passes; i++) {
		const xc_mixed_pass *const p = &s->pass[i];
		for (int e = 0; e < xc_mixed_stored(p->radix); e++)
			out = xc_fused_circle(out, (size_t)p->apart, xc_line_exponent(e),
			                      (long double)p->radix * p->apart, 1);
	}
	return out;
}

static inline void xc_mixed_places(xc_complex *out, const xc_mixed_shape *s)
{
	unsigned short *const places = (unsigned short *)(void *)out;
	for (int k = 0; k < s->points; k++) {
		int q = 0;
		for (int i = 0, rest = k; i < s->passes; i++) {
			q += rest % s->pass[i].radix * s->pass[i].apart;
			rest /= s->pass[i].radix;
		}
		places[k] = (unsigned short)q;
	}
}

/* ------------------------------------------------------------------- axes */

/* Threads for so many points of a frame. */
static inline int xc_mixed_threads(int points, int rows, int cols)
{
	const int small = (size_t)rows * (size_t)cols < XC_MIXED_SMALL;
	const int threads = points / (small ? XC_MIXED_POINTS / 2 : XC_MIXED_POINTS);
	return threads > XC_MIXED_THREADS ? XC_MIXED_THREADS : threads;
}

static inline int xc_mixed_blocks(int lines, int log)
{
	return (lines + (1 << log) - 1) >> log;
}

/* A block has 64 bytes of a row: more where that is too little work, less in small frames and where
 * shared memory is too small.  Returns 0, or -1 if it cannot do this size or needs more shared
 * memory. */
static inline int xc_mixed_columns(xc_axis_plan *a, int rows, int cols, size_t shared_most)
{
	const int usual = XC_REAL_BITS == 32 ? 3 : 2, least = usual - 2;
	int across = 4;
	if (xc_mixed_make_shape(a, rows))
		return -1;
	const size_t line = (size_t)rows * sizeof(xc_complex);
	while (across > usual && rows << across > XC_MIXED_POINTS * XC_MIXED_BLOCK)
		across--;
	while (across > 0 && xc_mixed_blocks(cols / 2, across) < XC_FUSED_BLOCKS)
		across--;
	while (across > least && line << across > shared_most)
		across--;
	a->job.mixed.shape.across = across;
	a->blocks = xc_mixed_blocks(cols / 2, across);
	a->threads = (xc_mixed_threads(rows << across, rows, cols) + 31) / 32 * 32;
	a->shared = line << across;
	return a->shared > shared_most ? -1 : 0;
}

/* Few long columns leave most of a large device idle.  Then cuFFT, which takes a column in
 * several blocks, is faster even with the stages around it. */
static inline int xc_mixed_few(const xc_axis_plan *a)
{
	return a->engine == XC_AXIS_MIXED && a->job.mixed.shape.points > XC_MIXED_LONG &&
	       2 * a->blocks < XC_FUSED_BLOCKS;
}

/* The threads of a row are a power of two: neighbours take several rows. */
static inline int xc_mixed_rows(xc_axis_plan *a, int rows, int cols, size_t shared_most)
{
	int log = 2, lines = 1;
	if (xc_mixed_make_shape(a, cols / 2))
		return -1;
	const size_t line = (size_t)(cols / 2) * sizeof(xc_complex);
	const int threads = xc_mixed_threads(cols / 2, rows, cols);
	while (1 << log < threads && 2 << log <= XC_MIXED_THREADS)
		log++;
	while (lines << log < 32 ||
	       (2 * lines << log <= XC_MIXED_BLOCK && rows / (2 * lines) >= XC_FUSED_BLOCKS))
		lines *= 2;
	a->job.mixed.shape.across = -1;
	a->job.mixed.shape.log_threads = log;
	a->job.mixed.rows = rows;
	a->blocks = (rows + lines - 1) / lines;
	a->threads = lines << log;
	a->shared = line * (size_t)lines;
	return a->shared > shared_most ? -1 : 0;
}

#endif
