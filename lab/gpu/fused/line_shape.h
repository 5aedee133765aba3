/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shapes of line_fft.h: which passes the FFT of a line has, where values lie between them,
 * and which tables it needs.  The processor, which makes the tables, uses this, too.
 */
#ifndef XC_LAB_GPU_FUSED_LINE_SHAPE_H
#define XC_LAB_GPU_FUSED_LINE_SHAPE_H

#include "lab/gpu/frame/complex.h"

enum { XC_LINE_LEAST = 7 }; /* log2 of the points */
enum { XC_LINE_POINTS = XC_REAL_BITS == 32 ? 32 : 16, XC_LINE_STORED = 6 };
/* log2 of the threads whose accesses to shared memory meet: 128 bytes. */
enum { XC_LINE_WAVE = XC_REAL_BITS == 32 ? 4 : 3 };

XC_GPU_CONSTANT int xc_line_ends(int log)
{
	return XC_REAL_BITS == 32 && log >= 11 ? 4 : 3;
}

XC_GPU_CONSTANT int xc_line_log_threads(int log, int ends)
{
	return log - ends - 1;
}

/* log2 of the radix of the second pass and of the third, 0 if it is the last. */
XC_GPU_CONSTANT int xc_line_second(int log, int ends)
{
	const int between = log - 2 * ends;
	return between <= ends + 1 && between <= 4 ? between : (between + 1) / 2;
}

XC_GPU_CONSTANT int xc_line_third(int log, int ends)
{
	return log - 2 * ends - xc_line_second(log, ends);
}

/* log2 of the radix of the pass before the last one. */
XC_GPU_CONSTANT int xc_line_before(int log, int ends)
{
	const int second = xc_line_second(log, ends), third = xc_line_third(log, ends);
	return third ? third : second ? second : ends;
}

/* Where point q lies after a pass over runs of 2^run points.  Threads that write in steps of radix
 * times that, and threads that read neighbouring points, reach different banks.  place(q + c) is
 * place(q) + place(c) wherever that is needed. */
XC_GPU_CONSTANT int xc_line_place(int beside, int run, int radix, int q)
{
	const int wave = XC_LINE_WAVE > beside ? XC_LINE_WAVE - beside : 0;
	const int block = run + radix > wave ? run + radix : wave;
	return run < wave ? q + (q >> block << run) : q;
}

/* Values that a line takes of shared memory. */
XC_GPU_CONSTANT int xc_line_length(int log, int ends, int beside)
{
	const int second = xc_line_second(log, ends), last = (1 << log) - 1;
	const int a = xc_line_place(beside, 0, ends, last);
	const int b = xc_line_place(beside, ends, second, last);
	const int c = xc_line_place(beside, ends + second, xc_line_third(log, ends), last);
	return 1 + (a > b ? a > c ? a : c : b > c ? b : c);
}

/* --------------------------------------------------------------- factors */

/* How many of the powers 1 .. radix - 1 of a factor are stored.  The others are products of two
 * of them. */
XC_GPU_CONSTANT int xc_line_stored(int radix)
{
	return radix == 4 ? 6 : radix == 3 ? 4 : radix == 2 ? 3 : radix;
}

XC_GPU_CONSTANT int xc_line_exponent(int stored)
{
	return stored < 4 ? stored + 1 : 4 * (stored - 2);
}

/* Where those of the third pass and of the last one begin, and how many there are in all. */
XC_GPU_CONSTANT int xc_line_third_factors(int log, int ends)
{
	return xc_line_stored(xc_line_second(log, ends)) << ends;
}

XC_GPU_CONSTANT int xc_line_last_factors(int log, int ends)
{
	const int run = ends + xc_line_second(log, ends);
	return xc_line_third_factors(log, ends) + (xc_line_stored(xc_line_third(log, ends)) << run);
}

XC_GPU_CONSTANT int xc_line_factors(int log, int ends)
{
	return xc_line_last_factors(log, ends) +
	       (xc_line_stored(ends) << xc_line_log_threads(log, ends));
}

#endif
