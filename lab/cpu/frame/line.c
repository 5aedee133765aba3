/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The DCT2 of a line through one real FFT, the four ways that Jiang, Gu and Pan compare ("A New Acceleration
 * Paradigm for Discrete Cosine Transform and Other Fourier-Related Transforms", algorithm 1; the last
 * after Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28, 1980); and all
 * kinds of DCT and DST of any length by one FFT each:
 *
 *   DCT1, DST1  a real FFT of the line continued to both sides, of 2 (N - 1) or 2 (N + 1) points.  (Half
 *               as many would do, but lose half the digits.)
 *   DCT2        Makhoul's permutation and N points; the DCT3 is its transpose
 *   DST2        the DCT2 of the line with every second sign changed, its coefficients in reverse order
 *   DCT4        even N: samples 2n and N - 1 - 2n as one complex value, N / 2 points; odd N: 2N points,
 *               half of them zero
 *   DST4        the DCT4 of the reversed line with every second sign changed
 *
 * Arithmetic of a DCT2, besides a real FFT of the length in the name (about 2.5 L log2 L operations for L
 * points): 2 multiplications and 1 addition a coefficient.  4N and both 2N need only the real part of a
 * complex product; N needs half a complex product, because each complex value gives two coefficients.
 * The permutations cost nothing.
 */
#include "lab/cpu/frame/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const long double pi = 3.141592653589793238462643383279502884L;

/* The definition.  Element (k, n) of the orthonormal matrix is sqrt(2 / N), or of DCT1 and DST1 that of N
 * - 1 and N + 1, times both weights and the cosine or sine of pi (a n + b) (c k + d) / half.  A table has
 * those of a whole turn. */
typedef struct definition {
	size_t step[2], first[2]; /* a and c, b and d */
	size_t half;
	int sine;
} definition;

static definition definition_of(const xc_frame_line *line)
{
	const xct_kind kind = line->kind;
	const int first = kind == XCT_DCT1 || kind == XCT_DST1;
	const int fourth = kind == XCT_DCT4 || kind == XCT_DST4;
	const size_t sine = kind == XCT_DST1 || kind == XCT_DST2 || kind == XCT_DST4;
	definition d = {{first ? 1 : 2, fourth ? 2 : 1}, {first ? sine : 1, fourth ? 1 : sine}, 0, 0};

	d.half = first ? line->n - 1 + 2 * sine : d.step[0] * d.step[1] * line->n;
	d.sine = sine != 0;
	return d;
}

/* The weight of sample or coefficient i. */
static XC_REAL weight(const xc_frame_line *line, int coefficient, size_t i)
{
	const int first = i == 0, last = i == line->n - 1;
	const int halved = line->kind == XCT_DCT1   ? first || last
	                   : line->kind == XCT_DCT2 ? coefficient && first
	                                            : line->kind == XCT_DST2 && coefficient && last;

	return halved ? (XC_REAL)sqrtl(0.5L) : 1;
}

static int prepare_definition(xc_frame_line *line)
{
	enum { LONGEST = 1 << 14 }; /* longer ones take seconds */
	const definition d = definition_of(line);
	const long double length = (long double)d.half / (long double)(d.step[0] * d.step[1]);

	line->scratch = xc_frame_whole_lines(line->n);
	if (line->n > LONGEST)
		return -1;
	line->twiddles = xc_frame_allocate(2 * d.half, sizeof *line->twiddles);
	for (size_t i = 0; line->twiddles && i < 2 * d.half; i++) {
		const long double angle = pi * (long double)i / (long double)d.half;
		line->twiddles[i] = (XC_REAL)(sqrtl(2 / length) * (d.sine ? sinl(angle) : cosl(angle)));
	}
	return line->twiddles ? 0 : -1;
}

/* Four sums, so that rounding errors grow more slowly. */
static void run_definition(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out, XC_REAL *x)
{
	const int to = line->direction == XCT_FORWARD, from = !to;
	const definition d = definition_of(line);
	const size_t n = line->n, turn = 2 * d.half;

	for (size_t i = 0; i < n; i++)
		x[i] = weight(line, from, i) * in[i];
	for (size_t k = 0; k < n; k++) {
		const size_t angle = d.step[to] * k + d.first[to], step = d.step[from] * angle % turn;
		size_t at = d.first[from] * angle % turn;
		XC_REAL sum[4] = {0, 0, 0, 0};
		for (size_t i = 0; i < n; i++) {
			sum[i % 4] += line->twiddles[at] * x[i];
			at += step;
			at -= at >= turn ? turn : 0;
		}
		out[k] = weight(line, to, k) * ((sum[0] + sum[1]) + (sum[2] + sum[3]));
	}
}

void XC_T(xc_line_finish)(xc_frame_line *line)
{
#ifdef XC_HAVE_FFTW
	XC_F(destroy_plan)(line->fft); /* which accepts NULL */
	line->fft = NULL;
#endif
	free(line->twiddles);
	line->twiddles = NULL;
}

#ifdef XC_HAVE_FFTW
/* -------------------------------------------------------- DCT2, DST2 */

/* The scale of coefficient 0 and of the others.  The FFT's sums are 1, 2 or (of
 * a folded line) 4 times the DCT's; c2r counts every coefficient but 0 twice. */
static XC_REAL *line_twiddles(const xc_frame_line *line)
{
	const size_t n = line->n;
	const int forward = line->direction == XCT_FORWARD;
	const int doubled = line->method == XC_LINE_2N_MIRRORED ||
	                    (forward && line->method == XC_LINE_4N);
	const long double gain = doubled ? 0.5L : 1;
	const long double first = gain * sqrtl(1 / (long double)n);
	const long double rest = gain * sqrtl(2 / (long double)n) * (forward ? 1 : 0.5L);
	const size_t count = line->method == XC_LINE_N ? n / 2 + 1 : n;
	XC_REAL *const w = xc_fft_twiddles(n, count, first, rest, -1);

	if (w && line->method == XC_LINE_4N) {
		/* The shift by half a sample is in the positions: no rotation left. */
		for (size_t k = 1; k < n; k++) {
			w[2 * k] = (XC_REAL)rest;
			w[2 * k + 1] = 0;
		}
	}
	return w;
}

/* in and out may be the same line. The inverse is step by step the transpose of the forward
 * transform, which is orthogonal. */
static void run_dct2(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out, XC_REAL *time)
{
	const xc_frame_kernels *const kernels = line->kernels;
	XC_REAL *const spectrum = time + line->spectrum;
	const size_t n = line->n;

	if (line->direction == XCT_FORWARD) {
		kernels->before[line->method](n, in, time);
		XC_F(execute_dft_r2c)(line->fft, time, (XC_F(complex) *)spectrum);
		kernels->rotate[line->method](n, spectrum, line->twiddles, out);
	} else {
		kernels->unrotate[line->method](n, in, line->twiddles, spectrum);
		if (line->method != XC_LINE_N)
			memset(spectrum + 2 * n, 0, (line->points + 2 - 2 * n) * sizeof *in);
		XC_F(execute_dft_c2r)(line->fft, (XC_F(complex) *)spectrum, time);
		kernels->after[line->method](n, time, out);
	}
}

/* `x` is scratch beyond that of the DCT2. */
static void run_dst2(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out, XC_REAL *time)
{
	const size_t n = line->n;
	const int forward = line->direction == XCT_FORWARD;
	XC_REAL *const x = time + line->scratch - xc_frame_whole_lines(n);

	for (size_t i = 0; i < n; i++)
		x[i] = forward ? (i % 2 ? -in[i] : in[i]) : in[n - 1 - i];
	run_dct2(line, x, x, time);
	for (size_t i = 0; i < n; i++)
		out[i] = forward ? x[n - 1 - i] : i % 2 ? -x[i] : x[i];
}

/* -------------------------------------------------------- DCT1, DST1 */

static void run_dct1(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out, XC_REAL *time)
{
	const XC_REAL *const spectrum = time + line->spectrum;
	const size_t last = line->n - 1;
	const XC_REAL end = line->twiddles[0], scale = line->twiddles[1];

	time[0] = in[0] * end;
	time[last] = in[last] * end;
	for (size_t i = 1; i < last; i++)
		time[i] = time[2 * last - i] = in[i] * (XC_REAL)0.5;
	XC_F(execute_dft_r2c)(line->fft, time, (XC_F(complex) *)(time + line->spectrum));
	for (size_t k = 0; k <= last; k++)
		out[k] = spectrum[2 * k] * scale;
	out[0] *= end;
	out[last] *= end;
}

static void run_dst1(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out, XC_REAL *time)
{
	const XC_REAL *const spectrum = time + line->spectrum;
	const size_t n = line->n;
	const XC_REAL scale = line->twiddles[1] / 2;

	time[0] = time[n + 1] = 0;
	for (size_t i = 0; i < n; i++) {
		time[i + 1] = in[i];
		time[2 * n + 1 - i] = -in[i];
	}
	XC_F(execute_dft_r2c)(line->fft, time, (XC_F(complex) *)(time + line->spectrum));
	for (size_t k = 0; k < n; k++)
		out[k] = -spectrum[2 * k + 3] * scale;
}

/* -------------------------------------------------------- DCT4, DST4 */

/* Factor i of both rotations: (2/N)^(1/4) exp(-i pi (i + 1/8) / N), of odd N by half the angles and an
 * eighth more. */
static XC_REAL *quarter_twiddles(const xc_frame_line *line)
{
	const size_t n = line->n, count = n % 2 ? n : n / 2;
	XC_REAL *const w = xc_frame_allocate(2 * count, sizeof *w);
	const long double scale = powl(2 / (long double)n, 0.25L);

	for (size_t i = 0; w && i < count; i++) {
		const long double angle = n % 2 ? pi * (4 * (long double)i + 1) / (8 * (long double)n)
		                                : pi * (8 * (long double)i + 1) / (8 * (long double)n);
		w[2 * i] = (XC_REAL)(scale * cosl(angle));
		w[2 * i + 1] = (XC_REAL)(-scale * sinl(angle));
	}
	return w;
}

static void run_dct4(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out, XC_REAL *z)
{
	const size_t n = line->n, step = line->kind == XCT_DST4;
	const size_t count = n % 2 ? n : n / 2;
	const XC_REAL *const w = line->twiddles;

	for (size_t i = 0; i < count; i++) {
		const size_t even = n % 2 ? i : 2 * i, odd = n - 1 - even;
		const XC_REAL a = in[step ? odd : even], b = n % 2 ? 0 : in[step ? even : odd];
		z[2 * i] = a * w[2 * i] - b * w[2 * i + 1];
		z[2 * i + 1] = a * w[2 * i + 1] + b * w[2 * i];
	}
	if (n % 2)
		memset(z + 2 * n, 0, 2 * n * sizeof *z);
	XC_F(execute_dft)(line->fft, (XC_F(complex) *)z, (XC_F(complex) *)z);
	for (size_t k = 0; k < count; k++) {
		const size_t even = n % 2 ? k : 2 * k;
		const XC_REAL re = z[2 * k] * w[2 * k] - z[2 * k + 1] * w[2 * k + 1];
		const XC_REAL im = z[2 * k] * w[2 * k + 1] + z[2 * k + 1] * w[2 * k];
		out[even] = step && even % 2 ? -re : re;
		if (n % 2 == 0) /* N - 1 - 2k is odd */
			out[n - 1 - even] = step ? im : -im;
	}
}

/* --------------------------------------------------------------- plan */

static size_t points_of(const xc_frame_line *line)
{
	static const size_t factors[] = {
		[XC_LINE_4N] = 4,
		[XC_LINE_2N_MIRRORED] = 2,
		[XC_LINE_2N_PADDED] = 2,
		[XC_LINE_N] = 1,
	};

	switch (line->kind) {
	case XCT_DCT1:
		return 2 * (line->n - 1);
	case XCT_DST1:
		return 2 * (line->n + 1);
	case XCT_DCT4:
	case XCT_DST4:
		return line->n % 2 ? 2 * line->n : line->n / 2;
	default:
		return factors[line->method] * line->n;
	}
}

static int make_tables(xc_frame_line *line)
{
	const long double n = (long double)line->n;

	if (line->kind == XCT_DCT2 || line->kind == XCT_DST2) {
		line->twiddles = line_twiddles(line);
	} else if (line->kind == XCT_DCT4 || line->kind == XCT_DST4) {
		line->twiddles = quarter_twiddles(line);
	} else {
		line->twiddles = xc_frame_allocate(2, sizeof *line->twiddles);
		if (line->twiddles) {
			line->twiddles[0] = (XC_REAL)sqrtl(0.5L);
			line->twiddles[1] = (XC_REAL)sqrtl(2 / (line->kind == XCT_DCT1 ? n - 1 : n + 1));
		}
	}
	return line->twiddles ? 0 : -1;
}

static XC_F(plan) make_fft(const xc_frame_line *line, XC_REAL *time, unsigned effort)
{
	XC_F(complex) *const spectrum = (XC_F(complex) *)(time + line->spectrum);
	const int points = (int)line->points;

	if (line->kind == XCT_DCT4 || line->kind == XCT_DST4)
		return XC_F(plan_dft_1d)(points, (XC_F(complex) *)time, (XC_F(complex) *)time, FFTW_FORWARD,
		                         effort);
	/* DCT1 and DST1 are their own inverses. */
	if (line->direction == XCT_FORWARD || line->kind == XCT_DCT1 || line->kind == XCT_DST1)
		return XC_F(plan_dft_r2c_1d)(points, time, spectrum, effort);
	return XC_F(plan_dft_c2r_1d)(points, spectrum, time, effort);
}

static int prepare_fft(xc_frame_line *line, const xc_plan *plan)
{
	if (line->method >= XC_LINE_METHODS)
		line->method = XC_LINE_N;
	line->points = points_of(line);
	line->spectrum = xc_frame_whole_lines(line->points);
	line->scratch = line->spectrum + xc_frame_whole_lines(line->points + 2) +
	                (line->kind == XCT_DST2 ? xc_frame_whole_lines(line->n) : 0);
	XC_REAL *const time = xc_frame_allocate(line->scratch, sizeof *time);
	if (!make_tables(line) && time)
		line->fft = make_fft(line, time, xc_fft_effort(plan, line->points));
	free(time);
	return line->fft ? 0 : -1;
}
#endif

int XC_T(xc_line_prepare)(xc_frame_line *line, const xc_plan *plan, size_t n)
{
	int failed;

	line->kernels = XC_T(xc_frame_kernels_best)();
	line->method = (xc_line_method)plan->algorithm->way;
	line->kind = plan->kind;
	line->direction = plan->direction;
	line->n = n;
#ifdef XC_HAVE_FFTW
	if (line->method != XC_LINE_DEFINITION)
		failed = prepare_fft(line, plan);
	else
#endif
		failed = prepare_definition(line);
	if (failed)
		XC_T(xc_line_finish)(line);
	return failed;
}

void XC_T(xc_line_run)(const xc_frame_line *line, const XC_REAL *in, XC_REAL *out, XC_REAL *scratch)
{
#ifdef XC_HAVE_FFTW
	static void (*const runs[])(const xc_frame_line *, const XC_REAL *, XC_REAL *, XC_REAL *) = {
		[XCT_DCT1] = run_dct1, [XCT_DCT2] = run_dct2, [XCT_DCT4] = run_dct4,
		[XCT_DST1] = run_dst1, [XCT_DST2] = run_dst2, [XCT_DST4] = run_dct4,
	};

	if (line->method != XC_LINE_DEFINITION) {
		runs[line->kind](line, in, out, scratch);
		return;
	}
#endif
	run_definition(line, in, out, scratch);
}

/* The rotation takes 2 multiplications and 1 addition a coefficient, two rotations twice that, and the
 * ends of a DCT1 or DST1 no more than a multiplication. */
void XC_T(xc_line_count)(const xc_frame_line *line, double lines, xct_operations *operations)
{
	const double samples = lines * (double)line->n;

	if (line->method == XC_LINE_DEFINITION) {
		operations->multiply_adds += samples * (double)line->n;
		return;
	}
#ifdef XC_HAVE_FFTW
	const int twice = line->kind == XCT_DCT4 || line->kind == XCT_DST4;
	const int rotates = line->kind != XCT_DCT1 && line->kind != XCT_DST1;

	XC_T(xc_fft_count)(line->fft, lines, operations);
	operations->additions += samples * (twice ? 2 : rotates);
	operations->multiplications += samples * (twice ? 4 : 2);
#endif
}
