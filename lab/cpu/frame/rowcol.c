/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-fft-4n, cpu-fft-2n-mirrored, cpu-fft-2n-padded, cpu-fft-n: the DCT of a line through one real
 * FFT, the four ways that Jiang, Gu and Pan compare ("A New Acceleration Paradigm for Discrete
 * Cosine Transform and Other Fourier-Related Transforms", algorithm 1; the last after Makhoul, "A
 * fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28, 1980), applied to every
 * row and then to every column.  A single row (or column) is the one-dimensional transform.
 *
 * Arithmetic of a line of N, besides a real FFT of the length in the name (about 2.5 L log2 L
 * operations for L points): 2 multiplications and 1 addition a coefficient.  4N and both 2N need
 * only the real part of a complex product; N needs half a complex product, because each complex
 * value gives two coefficients.  The permutations cost nothing.
 *
 * Passes over memory: two.  Rows go in and out once; columns go in and out once, a cache line's
 * worth of them at a time, transposed in registers on the way, so that every line lies in the
 * first-level cache while it is worked on.
 */
#include "lab/cpu/frame/frame.h"

#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/fft.h"
#include "lab/cpu/frame/kernels.h"
#include "lab/cpu/shares.h"

typedef struct line_dct {
	const xc_frame_kernels *kernels;
	xc_line_method method;
	xc_direction direction;
	size_t n, points; /* the line, and its FFT */
	size_t spectrum;  /* where the spectrum starts in the scratch */
	size_t scratch;   /* samples of scratch for one thread */
	XC_REAL *twiddles;
	XC_F(plan) fft;
} line_dct;

static void line_finish(line_dct *line)
{
	XC_F(destroy_plan)(line->fft); /* which accepts NULL */
	free(line->twiddles);
	line->fft = NULL;
	line->twiddles = NULL;
}

/* The scale of coefficient 0 and of the others.  The FFT's sums are 1, 2 or (of
 * a folded line) 4 times the DCT's; c2r counts every coefficient but 0 twice. */
static XC_REAL *line_twiddles(const line_dct *line)
{
	const size_t n = line->n;
	const int forward = line->direction == XC_FORWARD;
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

static int line_prepare(line_dct *line, xc_line_method method, xc_direction direction, size_t n)
{
	static const size_t factors[] = {
		[XC_LINE_4N] = 4,
		[XC_LINE_2N_MIRRORED] = 2,
		[XC_LINE_2N_PADDED] = 2,
		[XC_LINE_N] = 1,
	};

	line->kernels = XC_T(xc_frame_kernels_best)();
	line->method = method;
	line->direction = direction;
	line->n = n;
	line->points = factors[method] * n;
	line->spectrum = xc_frame_whole_lines(line->points);
	line->scratch = line->spectrum + xc_frame_whole_lines(line->points + 2);
	line->twiddles = line_twiddles(line);
	XC_REAL *const time = xc_frame_allocate(line->scratch, sizeof *time);
	if (line->twiddles && time) {
		XC_F(complex) *const spectrum = (XC_F(complex) *)(time + line->spectrum);
		const int points = (int)line->points;
		const unsigned effort = xc_fft_effort(line->points);
		if (direction == XC_FORWARD)
			line->fft = XC_F(plan_dft_r2c_1d)(points, time, spectrum, effort);
		else
			line->fft = XC_F(plan_dft_c2r_1d)(points, spectrum, time, effort);
	}
	free(time);
	if (line->fft)
		return 0;
	line_finish(line);
	return -1;
}

/* in and out may be the same line.  The inverse is step by step the transpose of the forward
 * transform, which is orthogonal. */
static void line_run(const line_dct *line, const XC_REAL *in, XC_REAL *out, XC_REAL *time)
{
	const xc_frame_kernels *const kernels = line->kernels;
	XC_REAL *const spectrum = time + line->spectrum;
	const size_t n = line->n;

	if (line->direction == XC_FORWARD) {
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

typedef struct rowcol {
	size_t rows, cols;
	size_t pitch;         /* samples from column to column in a panel */
	size_t scratch;       /* samples for each thread */
	line_dct row, column; /* column is unused when there is one row */
	XC_REAL *memory;
} rowcol;

typedef struct rowcol_job {
	const rowcol *state;
	const XC_REAL *in;
	XC_REAL *out;
} rowcol_job;

static void finish(void *state)
{
	rowcol *const s = state;

	line_finish(&s->row);
	line_finish(&s->column);
	free(s->memory);
	free(s);
}

static void *prepare(const xc_plan *plan)

{
	const xc_line_method method = (xc_line_method)plan->algorithm->way;
	rowcol *const s = xc_fft_possible(&plan->size) ? calloc(1, sizeof *s) : NULL;

	if (!s)
		return NULL;
	s->rows = plan->size.rows;
	s->cols = plan->size.cols;
	if (s->cols == 1) { /* a single column is a row to memory */
		s->cols = s->rows;
		s->rows = 1;
	}
	if (line_prepare(&s->row, method, plan->direction, s->cols))
		goto fail;
	s->scratch = s->row.scratch;
	if (s->rows > 1) {
		if (line_prepare(&s->column, method, plan->direction, s->rows))
			goto fail;
		/* One cache line more than whole ones: else the columns of a panel
		 * would all compete for the same cache sets. */
		s->pitch = xc_frame_whole_lines(s->rows) + XC_LINE;
		if (s->column.scratch > s->scratch)
			s->scratch = s->column.scratch;
		s->scratch += s->pitch * XC_LINE;
	}
	s->memory = xc_frame_allocate(xc_frame_multiply((size_t)plan->threads, s->scratch),
	                              sizeof *s->memory);
	if (s->memory)
		return s;
fail:
	finish(s);
	return NULL;
}

static void rowcol_rows(void *context, int share, int shares)
{
	const rowcol_job *const job = context;
	const rowcol *const s = job->state;
	XC_REAL *const scratch = s->memory + (size_t)share * s->scratch;
	const size_t end = xc_share_first(s->rows, share + 1, shares);

	for (size_t i = xc_share_first(s->rows, share, shares); i < end; i++)
		line_run(&s->row, job->in + i * s->cols, job->out + i * s->cols, scratch);
}

/* A cache line's worth of columns at a time, turned into lines and back. */
static void rowcol_columns(void *context, int share, int shares)
{
	const rowcol_job *const job = context;
	const rowcol *const s = job->state;
	XC_REAL *const panel = s->memory + (size_t)share * s->scratch;
	XC_REAL *const scratch = panel + s->pitch * XC_LINE;
	const size_t panels = (s->cols + XC_LINE - 1) / XC_LINE;
	const size_t end = xc_share_first(panels, share + 1, shares);

	for (size_t p = xc_share_first(panels, share, shares); p < end; p++) {
		XC_REAL *const corner = job->out + p * XC_LINE;
		const size_t left = s->cols - p * XC_LINE;
		const size_t width = left < XC_LINE ? left : XC_LINE;
		s->row.kernels->transpose(s->rows, width, corner, s->cols, panel, s->pitch);
		for (size_t j = 0; j < width; j++)
			line_run(&s->column, panel + j * s->pitch, panel + j * s->pitch, scratch);
		s->row.kernels->transpose(width, s->rows, panel, s->pitch, corner, s->cols);
	}
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	rowcol_job job = {.state = plan->state, .in = in, .out = out};

	xc_shares_run(plan->threads, rowcol_rows, &job);
	if (job.state->rows > 1)
		xc_shares_run(plan->threads, rowcol_columns, &job);
}

const xc_engine XC_T(xc_rowcol) = {prepare, execute, finish};
