/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The two kernels of power.h for sides that are other products of 2, 3, 5 and 7, by the FFTs of
 * mixed radices: samples go to shared memory in Makhoul's order, the FFT follows, and then pairs
 * of values k and n - k become coefficients (power.h).  The inverse goes the other way round.
 *
 * A row of M is a complex line of M / 2, so rows have an even number of samples; columns are two
 * real ones side by side.  A block may have lines beyond the last one.  These are transformed,
 * but neither read nor written.
 */
#ifndef XC_LAB_GPU_FUSED_MIXED_H
#define XC_LAB_GPU_FUSED_MIXED_H

#include "lab/gpu/fused/power.h"

/* FFTs of lines whose number of points is a product of small radices.  Their shape is known at
 * run time.  (line.h is compiled for each power of two.)
 *
 * Lines lie in shared memory.  A pass of decimation in frequency takes butterflies of its radix and
 * leaves their values where their elements were, so threads wait only between passes.  Afterwards
 * the digits of k in reverse order give the place of value k; a table holds these places.  The
 * inverse is the same graph backwards: by decimation in time, from values in that order to samples
 * in theirs. */

/* ----------------------------- butterflies of the radices that line.h does not have */

/* The largest radix; a thread's registers grow with it. */
enum { XC_MIXED_RADIX = XC_REAL_BITS == 32 ? 16 : 10 };

/* exp(2 pi i k / radix), for a constant k >= 0 and an odd radix up to 9. */
XC_GPU_INLINE xc_complex xc_c_odd_root(const int radix, const int k)
{
	static const double cosines[4][5] = {
		{1, -0.5},
		{1, 0.30901699437494742410, -0.80901699437494742410},
		{1, 0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624},
		{1, 0.76604444311897803520, 0.17364817766693034885, -0.5, -0.93969262078590838405},
	};
	static const double sines[4][5] = {
		{0, 0.86602540378443864676},
		{0, 0.95105651629515357212, 0.58778525229247312917},
		{0, 0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048},
		{0, 0.64278760968653932632, 0.98480775301220805937, 0.86602540378443864676,
	     0.34202014332566873304},
	};
	const int in_turn = k % radix, below = 2 * in_turn > radix;
	const int i = below ? radix - in_turn : in_turn, table = radix / 2 - 1;
	const XC_REAL re = (XC_REAL)cosines[table][i], im = (XC_REAL)sines[table][i];

	return xc_c(re, below ? -im : im);
}

/* An odd radix, by its definition: elements i and radix - i have the same cosines, and
 * opposite sines. */
XC_GPU_INLINE void xc_dft_odd(xc_complex *v, const int radix, const int back)
{
	const xc_complex first = v[0];
	xc_complex sums[4], differences[4];

	XC_UNROLL
	for (int i = 1; i <= radix / 2; i++) {
		sums[i - 1] = xc_c_add(v[i], v[radix - i]);
		differences[i - 1] = xc_c_sub(v[i], v[radix - i]);
		v[0] = xc_c_add(v[0], sums[i - 1]);
	}
	XC_UNROLL
	for (int k = 1; k <= radix / 2; k++) {
		xc_complex even = first, odd = xc_c(0, 0);
		XC_UNROLL
		for (int i = 1; i <= radix / 2; i++) {
			const xc_complex root = xc_c_odd_root(radix, i * k);
			even = xc_c_more(even, sums[i - 1], root.re);
			odd = i == 1 ? xc_c_scale(differences[0], root.im)
			             : xc_c_more(odd, differences[i - 1], root.im);
		}
		odd = xc_c_quarter(odd, back);
		v[k] = xc_c_add(even, odd);
		v[radix - k] = xc_c_sub(even, odd);
	}
}

/* radix = a b, where a and b have no common factor (Good).  Elements b i + a j and values
 * a' k + b' m, with a' 0 modulo b and 1 modulo a, need no factors in between. */
XC_GPU_INLINE void xc_dft_coprime(xc_complex *v, const int a, const int b, const int back)
{
	const int radix = a * b;
	int of_a = b, of_b = a;
	xc_complex x[16], line[5];

	XC_UNROLL
	for (int i = 1; i < 5; i++) {
		of_a += of_a % a == 1 ? 0 : b;
		of_b += of_b % b == 1 ? 0 : a;
	}
	XC_UNROLL
	for (int j = 0; j < b; j++) {
		XC_UNROLL
		for (int i = 0; i < a; i++)
			line[i] = v[(b * i + a * j) % radix];
		if (a == 2)
			xc_dft2(line, 1);
		else if (a == 3)
			xc_dft_odd(line, 3, back);
		else
			xc_dft4(line, 1, back);
		XC_UNROLL
		for (int i = 0; i < a; i++)
			x[b * i + j] = line[i];
	}
	XC_UNROLL
	for (int k = 0; k < a; k++) {
		xc_dft_odd(x + b * k, b, back);
		XC_UNROLL
		for (int m = 0; m < b; m++)
			v[(of_a * k + of_b * m) % radix] = x[b * k + m];
	}
}

XC_GPU_INLINE void xc_mixed_dft(xc_complex *v, const int radix, const int back)
{
	switch (radix) {
	case 2:
		xc_dft2(v, 1);
		break;
	case 4:
		xc_dft4(v, 1, back);
		break;
	case 6:
		xc_dft_coprime(v, 2, 3, back);
		break;
	case 8:
		xc_dft8(v, 1, back);
		break;
	case 10:
		xc_dft_coprime(v, 2, 5, back);
		break;
	case 12:
		xc_dft_coprime(v, 4, 3, back);
		break;
	case 15:
		xc_dft_coprime(v, 3, 5, back);
		break;
	case 16:
		xc_dft16(v, 1, back);
		break;
	default:
		xc_dft_odd(v, radix, back);
	}
}

enum { XC_MIXED_PASSES = 6 };
/* The most threads of a block: together they have all of a multiprocessor's registers. */
enum { XC_MIXED_THREADS = XC_REAL_BITS == 32 ? 1024 : 768 };

/* A pass of butterflies over elements that are `apart`. */
typedef struct xc_mixed_pass {
	int radix, apart;
	unsigned reciprocal; /* of `apart`: see xc_mixed_divide() */
	int factors;         /* where they begin in the table: exp(-2 pi i e j / m), m =
	                               * radix apart, j < apart, for each stored exponent e */
} xc_mixed_pass;

/* All lines of an axis. */
typedef struct xc_mixed_shape {
	int points, passes;
	xc_mixed_pass pass[XC_MIXED_PASSES];
	int across;      /* log2 of the lines side by side, neighbouring threads in
	                               * neighbouring lines; or -1: neighbours along a line */
	int log_threads; /* of one of the latter lines */
	const xc_complex *table;
	const unsigned short *positions; /* of values */
} xc_mixed_shape;

/* A line as one of its threads sees it: points number, number + step, ... */
typedef struct xc_mixed_line {
	int number, step, beside;
	int line; /* which of its block */
	xc_complex *at;
} xc_mixed_line;

XC_GPU_INLINE xc_mixed_line xc_mixed_line_at(const xc_mixed_shape *s, xc_complex *shared,
                                             int threads, int t)
{
	xc_mixed_line l;

	if (s->across >= 0) {
		l.beside = s->across;
		l.line = t & ((1 << s->across) - 1);
		l.number = t >> s->across;
		l.step = threads >> s->across;
		l.at = shared + l.line;
	} else {
		l.beside = 0;
		l.line = t >> s->log_threads;
		l.number = t & ((1 << s->log_threads) - 1);
		l.step = 1 << s->log_threads;
		l.at = shared + l.line * s->points;
	}
	return l;
}

XC_GPU_INLINE xc_complex *xc_mixed_point(const xc_mixed_line *l, int q)
{
	return l->at + (q << l->beside);
}

XC_GPU_INLINE xc_complex *xc_mixed_value(const xc_mixed_shape *s, const xc_mixed_line *l, int k)
{
	return l->at + (s->positions[k] << l->beside);
}

/* b / apart, for b < 2^16 and apart < 2^15, the reciprocal being 2^31 / apart, rounded up. */
XC_GPU_INLINE int xc_mixed_divide(int b, unsigned reciprocal)
{
	return (int)((unsigned long long)(unsigned)b * reciprocal >> 31);
}

/* The number of powers of a factor that are stored for a radix: see xc_line_exponent(). */
XC_GPU_CONSTANT int xc_mixed_stored(int radix)
{
	return radix <= 4 ? radix - 1 : radix <= 8 ? 4 : radix <= 12 ? 5 : 6;
}

XC_GPU_INLINE void xc_mixed_turn(const xc_complex *table, int apart, xc_complex *v, const int radix,
                                 const int back)
{
	xc_complex w[XC_LINE_STORED];

	XC_UNROLL
	for (int i = 0; i < xc_mixed_stored(radix); i++)
		w[i] = table[i * apart];
	XC_UNROLL
	for (int i = 1; i < radix; i++) {
		const xc_complex turn = xc_line_power(w, i);
		v[i] = xc_c_mul(v[i], back ? xc_c_conj(turn) : turn);
	}
}

/* The last pass has no factors. */
XC_GPU_INLINE void xc_mixed_butterflies(const xc_mixed_shape *s, const xc_mixed_line *l,
                                        const xc_mixed_pass *p, const int radix, const int back)
{
	const int apart = p->apart, count = s->points / radix;
	const xc_complex *const table = s->table + p->factors;

	for (int b = l->number; b < count; b += l->step) {
		const int run = xc_mixed_divide(b, p->reciprocal), j = b - run * apart;
		const int q = run * apart * radix + j;
		xc_complex v[XC_MIXED_RADIX];
		XC_UNROLL
		for (int i = 0; i < radix; i++)
			v[i] = *xc_mixed_point(l, q + i * apart);
		if (back && apart > 1)
			xc_mixed_turn(table + j, apart, v, radix, 1);
		xc_mixed_dft(v, radix, back);
		if (!back && apart > 1)
			xc_mixed_turn(table + j, apart, v, radix, 0);
		XC_UNROLL
		for (int i = 0; i < radix; i++)
			*xc_mixed_point(l, q + i * apart) = v[i];
	}
}

XC_GPU_INLINE void xc_mixed_run_pass(const xc_mixed_shape *s, const xc_mixed_line *l,
                                     const xc_mixed_pass *p, const int back)
{
#define XC_MIXED_CASE(radix) \
	case radix: \
		xc_mixed_butterflies(s, l, p, radix, back); \
		break;
	switch (p->radix) {
		XC_MIXED_CASE(2)
		XC_MIXED_CASE(3)
		XC_MIXED_CASE(4)
		XC_MIXED_CASE(5)
		XC_MIXED_CASE(6)
		XC_MIXED_CASE(7)
		XC_MIXED_CASE(8)
		XC_MIXED_CASE(9)
		XC_MIXED_CASE(10)
#if XC_REAL_BITS == 32
		XC_MIXED_CASE(12)
		XC_MIXED_CASE(15)
		XC_MIXED_CASE(16)
#endif
	}
#undef XC_MIXED_CASE
}

/* Samples to values, in place, or back.  Begins and ends with a barrier. */
XC_GPU_INLINE void xc_mixed_fft(const xc_mixed_shape *s, xc_complex *shared, int threads,
                                const int back)
{
	for (int i = 0; i < s->passes; i++) {
		const xc_mixed_pass *const p = &s->pass[back ? s->passes - 1 - i : i];
		XC_CTA_SYNC();
		XC_FOR_THREADS(t, threads) {
			const xc_mixed_line l = xc_mixed_line_at(s, shared, threads, t);
			xc_mixed_run_pass(s, &l, p, back);
		}
	}
	XC_CTA_SYNC();
}

/* Values that a thread has on their way from memory at a time. */
enum { XC_MIXED_BATCH = 4 };

/* The table of rows has both factors of a pair side by side. */
typedef struct xc_mixed_axis {
	xc_fused_axis all;
	int rows; /* of the frame */
	xc_mixed_shape shape;
} xc_mixed_axis;

/* The place of sample i of n in Makhoul's order. */
XC_GPU_INLINE int xc_mixed_order(int n, int i)
{
	return i & 1 ? n - 1 - (i >> 1) : i >> 1;
}

XC_GPU_INLINE int xc_mixed_min(int a, int b)
{
	return a < b ? a : b;
}

/* A thread's line of the frame: a column or a row.  Threads beyond the last line have no points. */
typedef struct xc_mixed_own {
	xc_mixed_line l;
	int points; /* of a row: half of its samples */
	int width;  /* complex values from point to point in memory */
	size_t at;  /* where the line begins there */
} xc_mixed_own;

XC_GPU_INLINE xc_mixed_own xc_mixed_own_of(const xc_mixed_axis *f, xc_complex *shared, int block,
                                           int threads, int t, const int down)
{
	const int lines = down ? 1 << f->shape.across : threads >> f->shape.log_threads;
	xc_mixed_own m;

	m.l = xc_mixed_line_at(&f->shape, shared, threads, t);
	const int line = block * lines + m.l.line;
	m.width = down ? f->all.cols / 2 : 1;
	m.points = line < (down ? m.width : f->rows) ? f->shape.points : 0;
	m.at = (size_t)line * 2 * (size_t)(down ? 1 : f->shape.points);
	return m;
}

XC_GPU_INLINE xc_complex xc_mixed_sign(xc_complex z, int row, int sine)
{
	return sine && (row & 1) ? xc_c(-z.re, -z.im) : z;
}

/* Real value p of a row in Makhoul's order, two of which are a complex one. */
XC_GPU_INLINE XC_REAL *xc_mixed_half(const xc_mixed_own *m, int p)
{
	return (XC_REAL *)(void *)xc_mixed_point(&m->l, p >> 1) + (p & 1);
}

/* Moves sample s of a column, or samples 2 s and 2 s + 1 of a row, which are values s and M - 1 - s,
 * to shared memory, or from there. */
XC_GPU_INLINE void xc_mixed_sample(const xc_mixed_axis *f, const xc_mixed_own *m, int s,
                                   xc_complex *z, const int down, const int put)
{
	if (down) {
		xc_complex *const point = xc_mixed_point(&m->l, xc_mixed_order(m->points, s));
		if (put)
			*point = xc_mixed_sign(*z, s, f->all.sine);
		else
			*z = xc_mixed_sign(*point, s, f->all.sine);
	} else {
		XC_REAL *const even = xc_mixed_half(m, s);
		XC_REAL *const odd = xc_mixed_half(m, 2 * m->points - 1 - s);
		if (put) {
			*even = z->re;
			*odd = f->all.sine ? -z->im : z->im;
		} else {
			*z = xc_c(*even, f->all.sine ? -*odd : *odd);
		}
	}
}

XC_GPU_INLINE void xc_mixed_load(const xc_mixed_axis *f, const xc_mixed_own *m, const int down)
{
	const xc_complex *const in = xc_fused_at(f->all.in + m->at, 0);
	const int n = m->points, step = m->l.step;
	xc_complex v[XC_MIXED_BATCH];

	for (int first = m->l.number; first < n; first += XC_MIXED_BATCH * step) {
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const xc_complex *const p = in + xc_mixed_min(first + i * step, n - 1) * m->width;
			v[i] = down ? xc_c_load_once(p) : *p;
		}
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++)
			if (first + i * step < n)
				xc_mixed_sample(f, m, first + i * step, &v[i], down, 1);
	}
}

XC_GPU_INLINE void xc_mixed_store(const xc_mixed_axis *f, const xc_mixed_own *m, const int down)
{
	xc_complex *const out = xc_fused_at(f->all.out + m->at, 0);

	for (int s = m->l.number; s < m->points; s += m->l.step) {
		xc_complex z;
		xc_mixed_sample(f, m, s, &z, down, 0);
		out[s * m->width] = z;
	}
}

/* Thread 0 does coefficient 0 of a column, which has no partner and is 0 in a sine transform, or
 * coefficients 0 and n of a row. */
XC_GPU_INLINE void xc_mixed_first(const xc_mixed_axis *f, const xc_mixed_own *m, const int down,
                                  const int back)
{
	xc_complex *const value = xc_mixed_value(&f->shape, &m->l, 0);
	const XC_REAL *const in = f->all.in + m->at;
	XC_REAL *const out = f->all.out + m->at;

	if (!m->points || m->l.number)
		return;
	if (down) {
		const xc_complex z = back ? *xc_fused_at(in, 0) : *value;
		*(back ? value : xc_fused_at(out, 0)) = f->all.sine ? xc_c(0, 0)
		                                                    : xc_c_scale(z, f->all.first);
	} else if (back) {
		const XC_REAL sum = f->all.sine ? 0 : in[0], difference = in[m->points];
		*value = xc_c((sum + difference) * f->all.first, (sum - difference) * f->all.first);
	} else {
		out[0] = f->all.sine ? 0 : (value->re + value->im) * f->all.first;
		out[m->points] = (value->re - value->im) * f->all.first;
	}
}

/* The rows of values k and n - k; the middle one of an even n is its own partner. */
XC_GPU_INLINE xc_fused_position xc_mixed_rows_of(const xc_mixed_axis *f, const xc_mixed_own *m,
                                                 int k)
{
	const int low = k * m->width, high = (m->points - k) * m->width;
	const xc_fused_position at = {f->all.sine ? high : low, f->all.sine ? low : high};

	return at;
}

XC_GPU_INLINE xc_fused_two xc_mixed_turns(const xc_mixed_axis *f, int j)
{
	const xc_fused_two t = {f->all.table[2 * j], f->all.table[2 * j + 1]};
	return t;
}

/* Coefficients k and n - k of a column; k and M - k, n - k and n + k of a row. */
XC_GPU_INLINE void xc_mixed_out(const xc_mixed_axis *f, const xc_mixed_own *m, const int down)
{
	XC_REAL *const out = f->all.out + m->at;
	const int n = m->points, sine = f->all.sine;

	xc_mixed_first(f, m, down, 0);
	for (int k = 1 + m->l.number; 2 * k <= n; k += m->l.step) {
		xc_complex low = *xc_mixed_value(&f->shape, &m->l, k);
		xc_complex high = *xc_mixed_value(&f->shape, &m->l, n - k);
		if (down) {
			const xc_fused_position at = xc_mixed_rows_of(f, m, k);
			xc_c_rotate(f->all.table[k], &low, &high);
			*xc_fused_at(out, at.low) = low;
			*xc_fused_at(out, at.high) = high;
		} else {
			const xc_fused_two t = xc_mixed_turns(f, k);
			xc_fused_row_pair_out(&low, &high, &t);
			low = xc_fused_sides(low, sine);
			high = xc_fused_sides(high, sine);
			XC_STORE_LAST(out + k, low.re);
			XC_STORE_LAST(out + 2 * n - k, -low.im);
			XC_STORE_LAST(out + n - k, high.re);
			XC_STORE_LAST(out + n + k, -high.im);
		}
	}
}

XC_GPU_INLINE void xc_mixed_in(const xc_mixed_axis *f, const xc_mixed_own *m, const int down)
{
	const XC_REAL *const in = f->all.in + m->at;
	const int n = m->points, step = m->l.step, sine = f->all.sine;
	xc_complex low[XC_MIXED_BATCH], high[XC_MIXED_BATCH];

	xc_mixed_first(f, m, down, 1);
	for (int first = 1 + m->l.number; 2 * first <= n; first += XC_MIXED_BATCH * step) {
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int k = xc_mixed_min(first + i * step, n / 2);
			const xc_fused_position at = xc_mixed_rows_of(f, m, k);
			low[i] = down ? xc_c_load_once(xc_fused_at(in, at.low)) : xc_c(in[k], -in[2 * n - k]);
			high[i] = down ? xc_c_load_once(xc_fused_at(in, at.high)) : xc_c(in[n - k], -in[n + k]);
		}
		XC_UNROLL
		for (int i = 0; i < XC_MIXED_BATCH; i++) {
			const int k = first + i * step;
			if (2 * k > n)
				continue;
			if (down) {
				xc_c_unrotate(f->all.table[k], &low[i], &high[i]);
			} else {
				const xc_fused_two t = xc_mixed_turns(f, k);
				low[i] = xc_fused_sides(low[i], sine);
				high[i] = xc_fused_sides(high[i], sine);
				xc_fused_row_pair_in(&low[i], &high[i], &t);
			}
			*xc_mixed_value(&f->shape, &m->l, k) = low[i];
			*xc_mixed_value(&f->shape, &m->l, n - k) = high[i];
		}
	}
}

/* The step before the FFT, or (`after`) the one after it. */
XC_GPU_INLINE void xc_mixed_step(const xc_mixed_axis *f, xc_complex *shared, int block, int threads,
                                 int t, const int down, const int back, const int after)
{
	const xc_mixed_own m = xc_mixed_own_of(f, shared, block, threads, t, down);

	if (after)
		back ? xc_mixed_store(f, &m, down) : xc_mixed_out(f, &m, down);
	else
		back ? xc_mixed_in(f, &m, down) : xc_mixed_load(f, &m, down);
}

XC_GPU_FUNCTION void xc_mixed_block(const xc_mixed_axis *f, xc_complex *shared, int block,
                                    int threads, const int down, const int back)
{
	XC_FOR_THREADS(t, threads)
		xc_mixed_step(f, shared, block, threads, t, down, back, 0);
	xc_mixed_fft(&f->shape, shared, threads, back);
	XC_FOR_THREADS(t, threads)
		xc_mixed_step(f, shared, block, threads, t, down, back, 1);
}

#endif
