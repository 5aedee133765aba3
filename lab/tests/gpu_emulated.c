/* SPDX-License-Identifier: BSD-2-Clause */
/* The code of the module, thread by thread.  Compiled with XC_REAL_BITS 16, 32 and 64. */
#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Threads one after the other, or the last one first: between barriers the order must not
 * matter. */
static int backwards;
#define XC_FOR_THREADS(t, threads) \
	for (int t##_i = 0, t = backwards ? (threads)-1 : 0; t##_i < (threads); \
	     t##_i++, t += backwards ? -1 : 1)

#include "lab/gpu/band/kernels.h"
#if XC_REAL_BITS != 16
#include "lab/gpu/frame/lines.h"
#include "lab/gpu/fused/plan.h"
#endif

#include "lab/tests/gpu_emulated.h"

int XC_T(xc_lab_bands)(const xc_lab_job *job, int accelerator, const void *in, void *out)
{
	const xc_band_transform transform = job->transform;
	const int back = job->direction == XCT_INVERSE;
	enum { REGION = XC_REGION_SAMPLES(1), WARP = XC_WARP_SAMPLES };
	XC_SAMPLE shared[REGION > WARP ? REGION : WARP];
	const xc_bulk_maps maps = {0, 0};
	uint64_t barriers[XC_REGION_STAGES];
	xc_warp_job mine;

	/* Few regions at a time, so that each has several strips. */
	backwards = 0;
	if (xc_warp_job_of(job, 5, 3, &mine))
		return -1;
	mine.in = in;
	mine.out = out;
	mine.bulk = accelerator && mine.bulk;
	memset(shared, 0x7f, sizeof shared);
	for (int w = 0; w < mine.across * mine.down; w++)
		if (xc_band_shifts(transform))
			xc_region_work(transform, back, &mine, &maps, mine.scale, shared, barriers, w);
		else
			xc_warp_work(transform, back, &mine, mine.scale, shared, w);
	return 0;
}

#if XC_REAL_BITS != 16
/* ------------------------------------------- whole frames in two passes */

static void run_block(const xc_axis_plan *a, xc_complex *shared, int block, int back)
{
	if (a->engine == XC_AXIS_POWER) {
		xc_power_block(&a->job.axis, shared, block, a->threads, a->log, a->down, back);
	} else {
		xc_mixed_block(&a->job.mixed, shared, block, a->threads, a->down, back);
	}
}

static int run_axis(xc_axis_plan *a, int back, int sine, const XC_REAL *in, XC_REAL *out)
{
	xc_complex *const table = malloc(a->table * sizeof *table);
	xc_complex *const shared = malloc(a->shared);
	const int failed = !table || !shared;

	if (!failed) {
		xc_axis_table(a, table);
		xc_axis_attach(a, table, sine);
		a->job.axis.in = in;
		a->job.axis.out = out;
		for (int b = 0; b < a->blocks; b++)
			run_block(a, shared, b, back);
	}
	free(table);
	free(shared);
	return failed;
}

int XC_T(xc_lab_fused)(const xc_lab_job *job, size_t shared_max, int last_first, const void *in,
                       void *out)
{
	const int back = job->direction == XCT_INVERSE;
	xc_fused_plan p;

	backwards = last_first;
	if (xc_fused_make(&p, job->in.rows, job->in.cols, shared_max))
		return -1;
	if (p.columns.threads > XC_MIXED_THREADS || p.rows.threads > XC_MIXED_THREADS)
		return -2;
	if (!in)
		return 0;
	return run_axis(&p.columns, back, job->sine_rows, in, out) ||
	               run_axis(&p.rows, back, job->sine_cols, out, out)
	           ? -1
	           : 0;
}

/* ------------------------------------------------ stages around a real FFT */

/* DFTs of `length` values `step` apart. */
static void dft_line(double complex *x, double complex *y, int length, size_t step, int sign)
{
	const double turn = sign * 2 * acos(-1) / length;

	for (int k = 0; k < length; k++) {
		y[k] = 0;
		for (int i = 0; i < length; i++)
			y[k] += x[(size_t)i * step] * cexp(I * turn * (double)((long)i * k % length));
	}
	for (int k = 0; k < length; k++)
		x[(size_t)k * step] = y[k];
}

static void dft_axis(double complex *x, const xc_stage_axis *axis, size_t count, size_t step,
                     int sign)
{
	double complex *const y = calloc((size_t)axis->size + 1, sizeof *y);

	for (size_t i = 0; y && axis->size && i < count; i++)
		if (i / step % (size_t)axis->size == 0)
			dft_line(x + i, y, axis->size, step, sign);
	free(y);
}

/* Over all axes, as the library's real FFT does it: half of the spectrum, not normalized. */
static void real_dft(const xc_stage_plan *p, XC_REAL *samples, xc_complex *spectrum)
{
	const xc_stages *const s = &p->s;
	const size_t cols = (size_t)s->cols.count, rows = (size_t)s->rows.count;
	const size_t count = p->lines * cols;
	double complex *const x = calloc(count, sizeof *x);

	for (size_t i = 0; x && i < count; i++) {
		const size_t row = i / cols % rows, slice = i / cols / rows, col = i % cols;
		const size_t other_row = s->rows.size ? (rows - row) % rows : row;
		const size_t other_slice = s->slices.size ? (p->lines / rows - slice) % (p->lines / rows)
		                                          : slice;
		const xc_complex *const here = spectrum + i / cols * (size_t)s->width + col;
		const xc_complex *const value = spectrum +
		                                (other_slice * rows + other_row) * (size_t)s->width + cols -
		                                col;
		if (!p->back)
			x[i] = samples[i];
		else if (col <= cols / 2)
			x[i] = here->re + I * here->im;
		else
			x[i] = value->re - I * value->im;
	}
	const int sign = p->back ? 1 : -1;
	dft_axis(x, &s->cols, count, 1, sign);
	dft_axis(x, &s->rows, count, cols, sign);
	dft_axis(x, &s->slices, count, cols * rows, sign);
	for (size_t i = 0; x && i < count; i++) {
		xc_complex *const here = spectrum + i / cols * (size_t)s->width + i % cols;
		if (p->back)
			samples[i] = (XC_REAL)creal(x[i]);
		else if (i % cols <= cols / 2)
			here->re = (XC_REAL)creal(x[i]), here->im = (XC_REAL)cimag(x[i]);
	}
	free(x);
}

/* Threads one after the other, a few more than it takes. */
static void permute(const xc_stage_plan *p, const XC_REAL *in, XC_REAL *out)
{
	const int scatter = p->way == XC_STAGE_SCATTER;

	if (scatter || p->way == XC_STAGE_GATHER) {
		for (unsigned n = 0; n < p->samples.count + 5; n++)
			xc_stage_move(&p->s, &p->samples, n, in, out, scatter, p->back);
		return;
	}
	for (unsigned n = 0; n < p->runs.count + 5; n++) {
		xc_stage_samples t = xc_stage_fetch(&p->s, &p->runs, n, in, p->aligned, p->back);
		xc_stage_store(&p->s, &t, out, p->aligned, p->back);
	}
}

static void combine(const xc_stage_plan *p, const XC_REAL *in, xc_complex *spectrum, XC_REAL *out)
{
	if (p->way == XC_STAGE_NAIVE) {
		for (unsigned n = 0; n < p->alone.count + 5; n++)
			xc_stage_alone(&p->s, &p->own, &p->alone, n, p->back ? (const void *)in : spectrum,
			               p->back ? (void *)spectrum : out, p->back);
		return;
	}
	for (unsigned n = 0; n < p->own.count + 5; n++) {
		xc_stage_values v;
		if (p->back) {
			v = xc_stage_fetch_coefficients(&p->s, &p->own, n, in, p->axes);
			xc_stage_store_spectrum(&p->s, &v, spectrum, p->axes);
		} else {
			v = xc_stage_fetch_spectrum(&p->s, &p->own, n, spectrum, p->axes);
			xc_stage_store_coefficients(&p->s, &v, out, p->axes);
		}
	}
}

static int stages(const xc_lab_job *job, const xc_transform_size *size, int only_rows,
                  const XC_REAL *in, XC_REAL *out)
{
	xc_stage_plan p = {.back = 0};

	if (xc_stage_plan_make(&p, job, size, only_rows))
		return -1;
	if (p.zero) {
		for (size_t i = 0; i < p.lines * (size_t)p.s.cols.count; i++)
			out[i] = 0;
		return 0;
	}
	xc_stage_axis *const axes[3] = {&p.s.slices, &p.s.rows, &p.s.cols};
	xc_complex *turns[3] = {NULL};
	for (int i = 0; i < 3; i++)
		if (axes[i]->size)
			axes[i]->turns = turns[i] = xc_stage_turns(axes[i], p.back);
	XC_REAL *samples = calloc(p.lines * (size_t)p.s.cols.count, sizeof *samples);
	xc_complex *spectrum = calloc(p.lines * (size_t)p.s.width, sizeof *spectrum);
	const int failed = !samples || !spectrum || !p.s.cols.turns;
	if (!failed && p.back) {
		combine(&p, in, spectrum, NULL);
		real_dft(&p, samples, spectrum);
		permute(&p, samples, out);
	} else if (!failed) {
		permute(&p, in, samples);
		real_dft(&p, samples, spectrum);
		combine(&p, NULL, spectrum, out);
	}
	for (int i = 0; i < 3; i++)
		free(turns[i]);
	free(samples);
	free(spectrum);
	return failed ? -1 : 0;
}

int XC_T(xc_lab_stages)(const xc_lab_job *job, const void *in, void *found)
{
	const size_t rows = job->in.rows, cols = job->in.cols, count = rows * cols;
	const xc_transform_size sizes[2] = {job->in, {1, cols, rows}};
	XC_REAL *const out = found;

	if (job->kind != XC_LAB_FFT_ROWCOL)
		return stages(job, &job->in, 0, in, out);
	XC_REAL *const other = calloc(count, sizeof *other);
	int failed = !other;
	for (int axis = 0; axis < 2 && !failed; axis++) {
		failed = stages(job, &sizes[axis], 1, axis ? other : in, out);
		for (size_t i = 0; i < count; i++)
			other[i % sizes[axis].cols * sizes[axis].rows + i / sizes[axis].cols] = out[i];
	}
	if (!failed)
		memcpy(out, other, count * sizeof *out);
	free(other);
	return failed ? -1 : 0;
}

/* ------------------------------------------------------- axis by axis */

/* cuFFT's batch. */
static void dft_lines(const xc_rowcol *l, const void *first, void *second, double complex *x,
                      double complex *y)
{
	for (size_t line = 0; line < l->lines; line++) {
		const size_t from = l->inner == 1 ? line * (size_t)l->elements[0] : line;
		const size_t to = l->inner == 1 ? line * (size_t)l->elements[1] : line;
		for (int e = 0; e < l->elements[0]; e++) {
			const size_t at = from + (size_t)e * l->step;
			const xc_complex z = l->fft == XC_ROWCOL_FORWARD ? xc_c(((const XC_REAL *)first)[at], 0)
			                                                 : ((const xc_complex *)first)[at];
			x[e] = z.re + I * z.im;
			if (l->fft == XC_ROWCOL_BACK)
				x[(l->points - e) % l->points] = e ? conj(x[e]) : z.re;
		}
		dft_line(x, y, l->points, 1, l->fft == XC_ROWCOL_BACK ? 1 : -1);
		for (int e = 0; e < l->elements[1]; e++) {
			const size_t at = to + (size_t)e * l->step;
			if (l->fft == XC_ROWCOL_BACK)
				((XC_REAL *)second)[at] = (XC_REAL)creal(x[e]);
			else
				((xc_complex *)second)[at] = xc_c((XC_REAL)creal(x[e]), (XC_REAL)cimag(x[e]));
		}
	}
}

static int run_lines(const xc_lab_job *job, size_t n, size_t inner, const XC_REAL *in, XC_REAL *out)
{
	xc_rowcol l;

	if (xc_rowcol_make(&l, job, n, xc_transform_samples(&job->in) / n / inner, inner))
		return -1;
	const size_t room = l.lines * ((size_t)l.points + 1);
	xc_complex *const turns = xc_rowcol_turns(&l), *const first = calloc(room, sizeof *first);
	xc_complex *const second = calloc(room, sizeof *second);
	double complex *const x = calloc(2 * (size_t)l.points, sizeof *x);
	const int failed = !turns || !first || !second || !x;
	l.turns = turns;
	for (unsigned i = 0; !failed && i < l.work[0].count + 5; i++)
		xc_rowcol_before(&l, i, in, first);
	if (!failed)
		dft_lines(&l, first, second, x, x + l.points);
	for (unsigned i = 0; !failed && i < l.work[1].count + 5; i++)
		xc_rowcol_after(&l, i, second, out);
	free(turns);
	free(first);
	free(second);
	free(x);
	return failed ? -1 : 0;
}

int XC_T(xc_lab_lines)(const xc_lab_job *job, const void *in, void *out)
{
	const size_t size[3] = {job->in.slices, job->in.rows, job->in.cols};
	size_t inner = 1;

	for (int i = 3; i-- > 0; inner *= size[i])
		if (size[i] > 1) {
			if (run_lines(job, size[i], inner, in, out))
				return -1;
			in = out;
		}
	return 0;
}
#endif
