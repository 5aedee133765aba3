/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFTs of lines in the shared memory of a block of threads: Stockham's, in passes of
 * radix 8 after one of what is left over (2, 4 or 8).  A thread holds `per` times 8
 * points in registers from reading to writing, so a pass needs no second buffer.
 *
 * On the device XC_EACH_THREAD runs its statement once, for the thread that it is; anywhere
 * else once for each thread of the block, so that a test can run the same code.  What a
 * thread holds across barriers is in arrays of XC_BLOCK_HELD.
 */
#ifndef XC_GPU_LINE_FFT_H
#define XC_GPU_LINE_FFT_H

#include "gpu/transform/complex.h"

#ifdef __CUDACC__
#define XC_BLOCK_HELD 1
#define XC_HELD_BY(t) 0
#define XC_EACH_THREAD(t, threads) \
	for (int t = (int)threadIdx.x, t##_once = 1; t##_once; t##_once = 0)
#define XC_BARRIER() __syncthreads()
#define XC_UNROLLED _Pragma("unroll")
#else
#define XC_BLOCK_HELD 1024
#define XC_HELD_BY(t) (t)
#define XC_EACH_THREAD(t, threads) for (int t = 0; t < (threads); t++)
#define XC_BARRIER() ((void)0)
#define XC_UNROLLED
#endif

enum { XC_PER_MOST = 2 };

typedef struct xc_points {
	xc_complex v[8 * XC_PER_MOST];
} xc_points;

/* `lines` lines of n points each in a block; line l, point q lies at
 * (place of q) * along + l * across. */
typedef struct xc_line_shape {
	int n, log_first;             /* log2 of the first pass's radix */
	int lines, threads;           /* lines * n / 8 / per */
	int line_is_fast;             /* thread = line + lines * number, else number + ... */
	int log_fast;                 /* log2 of how many threads differ in the faster one */
	int along, across;
	const xc_complex *roots;      /* exp(-2 pi i m / n), m < n / 8 */
} xc_line_shape;

/* Threads that differ in their lines first: one more place after 8, or steps of 8 points
 * would meet in one bank. */
XC_LINE_INLINE int xc_line_padded(int q)
{
	return q + (q >> 3);
}

/* Threads along a line, 16 (float) or 8 at a time: runs of them that begin at a multiple
 * stay a run, but for their order, and 1, 2, 4 or 8 points every 8 times that many, which is
 * what passes of radix 8 write, lie in different banks, too. */
XC_LINE_INLINE int xc_line_mixed(int q)
{
#if XC_REAL_BITS == 32
	const int h = q >> 4;
	return q ^ ((h << 1 & 14) | (h >> 2 & 1));
#else
	return q ^ (q >> 3 & 7);
#endif
}

XC_LINE_INLINE int xc_line_place(const xc_line_shape *s, int line, int q)
{
	return (s->line_is_fast ? xc_line_padded(q) : xc_line_mixed(q)) * s->along +
	       line * s->across;
}

/* What is the same for all lines of a kind, as constants. */
XC_LINE_INLINE xc_line_shape xc_line_across(const xc_line_shape *shape)
{
	xc_line_shape s = *shape;
	s.line_is_fast = 1;
	s.across = 1;
	return s;
}

XC_LINE_INLINE xc_line_shape xc_line_along(const xc_line_shape *shape)
{
	xc_line_shape s = *shape;
	s.line_is_fast = 0;
	s.along = 1;
	return s;
}

/* The line of a thread, and its number among that line's threads. */
XC_LINE_INLINE int xc_line_of(const xc_line_shape *s, int t)
{
	return s->line_is_fast ? t & ((1 << s->log_fast) - 1) : t >> s->log_fast;
}

XC_LINE_INLINE int xc_number_of(const xc_line_shape *s, int t)
{
	return s->line_is_fast ? t >> s->log_fast : t & ((1 << s->log_fast) - 1);
}

/* The points that a thread starts every pass with: q = number + i n / 8 (and those of
 * the next group, for `per` of 2). */
XC_LINE_INLINE int xc_line_point(const xc_line_shape *s, int number, int i, const int per)
{
	return number + i / 8 * (s->n / 8 / per) + i % 8 * (s->n / 8);
}

XC_LINE_INLINE void xc_line_read(const xc_line_shape *s, const xc_complex *shared,
                                 xc_points *mine, int t, const int per)
{
	const int line = xc_line_of(s, t), number = xc_number_of(s, t);
	XC_UNROLLED
	for (int i = 0; i < 8 * per; i++)
		mine->v[i] = shared[xc_line_place(s, line, xc_line_point(s, number, i, per))];
}

/* The first pass, on what a thread holds; leaves it in shared memory. */
XC_LINE_INLINE void xc_line_first(const xc_line_shape *s, xc_complex *shared, xc_points *mine,
                                  int t, const int per, const int back)
{
	const int line = xc_line_of(s, t), number = xc_number_of(s, t), log = s->log_first;
	XC_UNROLLED
	for (int g = 0; g < per; g++) {
		xc_complex *const x = mine->v + 8 * g;
		const int first = number + g * (s->n / 8 / per);
		if (log == 3) {
			xc_dft8(x, back);
		} else if (log == 2) {
			xc_dft4(x, 2, back);
			xc_dft4(x + 1, 2, back);
		} else {
			XC_UNROLLED
			for (int b = 0; b < 4; b++)
				xc_dft2(x + b, 4);
		}
		/* x[i] is output i / b of butterfly first + (i % b) n / 8, b = 8 / radix. */
		XC_UNROLLED
		for (int i = 0; i < 8; i++) {
			const int b = i & ((8 >> log) - 1), r = i >> (3 - log);
			const int q = ((first + b * (s->n / 8)) << log) + r;
			shared[xc_line_place(s, line, q)] = x[i];
		}
	}
}

/* Where the outputs of a pass over runs of `run` points go: this and every run-th after. */
XC_LINE_INLINE int xc_line_after(int j, int run)
{
	return ((j & ~(run - 1)) << 3) + (j & (run - 1));
}

/* A pass of radix 8 over runs of `run` points, on what a thread holds. */
XC_LINE_INLINE void xc_line_pass(const xc_line_shape *s, xc_points *mine, int t, int run,
                                 const int per, const int back)
{
	const int number = xc_number_of(s, t);
	XC_UNROLLED
	for (int g = 0; g < per; g++) {
		xc_complex *const x = mine->v + 8 * g;
		const int j = number + g * (s->n / 8 / per);
		xc_complex w = s->roots[(j & (run - 1)) * (s->n / 8 / run)];
		if (back)
			w = xc_c_conj(w);
		const xc_complex w2 = xc_c_mul(w, w), w4 = xc_c_mul(w2, w2);
		const xc_complex w3 = xc_c_mul(w2, w);
		x[1] = xc_c_mul(x[1], w);
		x[2] = xc_c_mul(x[2], w2);
		x[3] = xc_c_mul(x[3], w3);
		x[4] = xc_c_mul(x[4], w4);
		x[5] = xc_c_mul(x[5], xc_c_mul(w4, w));
		x[6] = xc_c_mul(x[6], xc_c_mul(w4, w2));
		x[7] = xc_c_mul(x[7], xc_c_mul(w4, w3));
		xc_dft8(x, back);
	}
}

XC_LINE_INLINE void xc_line_write(const xc_line_shape *s, xc_complex *shared,
                                  const xc_points *mine, int t, int run, const int per)
{
	const int line = xc_line_of(s, t), number = xc_number_of(s, t);
	XC_UNROLLED
	for (int i = 0; i < 8 * per; i++) {
		const int j = number + i / 8 * (s->n / 8 / per);
		const int q = xc_line_after(j, run) + i % 8 * run;
		shared[xc_line_place(s, line, q)] = mine->v[i];
	}
}

/* All passes but the first one, whose results are in shared memory; leaves those of
 * the last one with the threads, which is at the points that they start with. */
XC_LINE_INLINE void xc_line_rest(const xc_line_shape *s, xc_complex *shared,
                                 xc_points mine[XC_BLOCK_HELD], const int per, const int back)
{
	for (int run = 1 << s->log_first;; run *= 8) {
		XC_BARRIER();
		XC_EACH_THREAD(t, s->threads) {
			xc_line_read(s, shared, &mine[XC_HELD_BY(t)], t, per);
			xc_line_pass(s, &mine[XC_HELD_BY(t)], t, run, per, back);
		}
		if (run * 8 >= s->n)
			break;
		XC_BARRIER();
		XC_EACH_THREAD(t, s->threads)
			xc_line_write(s, shared, &mine[XC_HELD_BY(t)], t, run, per);
	}
}

/* The FFT of values that threads have put into shared memory, results as xc_line_rest() has
 * them. */
XC_LINE_INLINE void xc_line_through(const xc_line_shape *s, xc_complex *shared,
                                    xc_points mine[XC_BLOCK_HELD], const int per, const int back)
{
	XC_BARRIER();
	XC_EACH_THREAD(t, s->threads)
		xc_line_read(s, shared, &mine[XC_HELD_BY(t)], t, per);
	XC_BARRIER();
	XC_EACH_THREAD(t, s->threads)
		xc_line_first(s, shared, &mine[XC_HELD_BY(t)], t, per, back);
	xc_line_rest(s, shared, mine, per, back);
}

/* Its results to shared memory, where all threads find them. */
XC_LINE_INLINE void xc_line_leave(const xc_line_shape *s, xc_complex *shared,
                                  const xc_points mine[XC_BLOCK_HELD], const int per)
{
	XC_BARRIER();
	XC_EACH_THREAD(t, s->threads)
		xc_line_write(s, shared, &mine[XC_HELD_BY(t)], t, s->n / 8, per);
	XC_BARRIER();
}

#endif
