/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-fft2d, cpu-fft3d, cpu-idct-idxst, cpu-idxst-idct: the multi-dimensional DCT through one
 * multi-dimensional real FFT of the same size, with the permutation before it and the rotations
 * after it fused into its passes (Jiang, Gu, Pan, "A New Acceleration Paradigm for Discrete Cosine
 * Transform and Other Fourier-Related Transforms", algorithm 2 and equations 13 to 18, 21, 22;
 * Makhoul, "A fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28, 1980).
 *
 * A real FFT over a plane is an FFT of every row, then one of every column of half the spectrum.
 * This engine splits it between the two and does everything else while the data are in a cache
 * anyway:
 *
 *  - Two rows at a time, as one complex row, are loaded in permuted order, transformed, taken apart
 *    and rotated by exp(-i pi k / 2N) (the factor b of equation 18, which does not depend on the
 *    row and so may come first).  The result is written in panels, 16 (of float) complex columns
 *    each, in permuted row order.  Coefficients 0 and N / 2 of a row are real and share column 0.
 *  - One panel at a time is transposed and its columns transformed.  Values k and N - k are
 *    combined with the factor a of equation 18; each complex value gives two coefficients, in
 *    columns k and N - k of the frame.
 *
 * The inverse rotates two rows of coefficients at a time, puts them together, transforms them and
 * writes them in panels, two real columns to a complex one.  Then it combines values k and N - k of
 * each panel, transforms its columns and writes them to the frame in permuted row order.
 *
 * So a plane passes twice through memory, in and out.  Three separate stages take four passes, two
 * of them for the FFT alone.  A volume has one more axis, which stays within the panel.
 *
 * Arithmetic a sample, besides complex FFTs of half as many points as samples: taking apart 1
 * addition, rotation 2 multiplications and 1 addition, combining 2 multiplications and 2 additions
 * (for each axis but the rows').
 *
 * The sine relatives need no further work: IDXST is the IDCT of the coefficients in reversed order
 * with the sign of every second sample changed.  To reverse the order, k and N - k are exchanged
 * where they are combined anyway; the signs go into the permutation or into the factors.
 */
#include "lab/cpu/frame/frame.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/fft.h"
#include "lab/cpu/frame/kernels.h"
#include "lab/cpu/lanes.h"
#include "lab/cpu/shares.h"

/* A frame of this size or more is written past the caches, which saves reading the lines that it
 * overwrites.  Smaller ones are better left in the caches. */
#define XC_MULTI_STREAM_BYTES ((size_t)12 << 20)

/* Where line q of n goes: even ones forwards, then odd ones backwards. */
static size_t permuted(size_t n, size_t q)
{
	return q % 2 ? n - 1 - q / 2 : q / 2;
}

static size_t unpermuted(size_t n, size_t q)
{
	return q < (n + 1) / 2 ? 2 * q : 2 * (n - 1 - q) + 1;
}

typedef struct fft_axis {
	size_t length;
	XC_REAL *twiddles;
	XC_F(plan) fft;
} fft_axis;

typedef struct multi {
	const xc_frame_kernels *kernels;
	xc_multi_kind kind;
	size_t slices, rows, cols;
	size_t columns, panels; /* complex columns, and panels of them */
	size_t slice_stride;    /* samples from slice to slice in a panel */
	size_t pitch;           /* samples from column to column of a transposed panel */
	xc_row_pair pair, single;
	int stream;    /* the frame is too large for the caches */
	XC_REAL *data; /* the panels */
	XC_REAL *row_twiddles[2];
	XC_REAL *zeros; /* a row of them; NULL where none is needed */
	XC_F(plan) row_fft;
	fft_axis down, across; /* the columns of a slice, and the slices */
	size_t scratch, carry; /* samples of scratch for each thread; where the carry starts */
	XC_REAL *memory;
} multi;

typedef struct multi_job {
	const multi *state;
	xct_direction direction;
	const XC_REAL *in;
	XC_REAL *out;
	int stream;
} multi_job;

static void finish(void *state)
{
	multi *const s = state;
	const fft_axis *const axes[] = {&s->down, &s->across};

	for (int i = 0; i < 2; i++) {
		XC_F(destroy_plan)(axes[i]->fft); /* which accepts NULL */
		free(axes[i]->twiddles);
	}
	XC_F(destroy_plan)(s->row_fft);
	free(s->row_twiddles[0]);
	free(s->row_twiddles[1]);
	free(s->zeros);
	free(s->data);
	free(s->memory);
	free(s);
}

/* Sizes; -1 when they overflow or are beyond FFTW's. */
static int multi_shape(multi *s, const xc_transform_size *size)
{
	if (!xc_fft_possible(size))
		return -1;
	s->slices = size->slices;
	s->rows = size->rows;
	s->cols = size->cols;
	s->columns = (s->cols + 1) / 2;
	const size_t width = s->columns < XC_LINE ? s->columns : XC_LINE;
	s->panels = (s->columns + width - 1) / width;
	s->slice_stride = xc_frame_whole_lines(s->rows * 2 * width);
	s->pair.n = s->cols;
	s->pair.width = width;
	/* Two cache lines beyond a power of two: a row's parts in all panels would
	 * otherwise compete for the same cache sets. */
	s->pair.panel_stride = xc_frame_multiply(s->slices, s->slice_stride);
	if (s->pair.panel_stride > SIZE_MAX / 2 / sizeof(XC_REAL))
		return -1;
	s->pair.panel_stride += 2 * XC_LINE;
	/* The scratch is either z and one more complex value, or the columns of a
	 * panel (again a cache line apart); the carry comes after both. */
	const size_t longest = s->rows > s->slices ? s->rows : s->slices;
	const size_t z = xc_frame_whole_lines(2 * (s->cols + 1));
	s->pitch = xc_frame_whole_lines(2 * longest) + XC_LINE;
	s->carry = s->pitch * width > z ? s->pitch * width : z;
	s->scratch = s->carry + xc_frame_whole_lines(s->rows);
	return 0;
}

static XC_F(plan) multi_fft(const xc_plan *plan, size_t n, XC_REAL *data)
{
	XC_F(complex) *const z = (XC_F(complex) *)data;
	return XC_F(plan_dft_1d)((int)n, z, z,
	                         plan->direction == XCT_FORWARD ? FFTW_FORWARD : FFTW_BACKWARD,
	                         xc_fft_effort(plan, n));
}

static int axis_prepare(fft_axis *axis, const xc_plan *plan, size_t n, XC_REAL *data)
{
	axis->length = n;
	axis->twiddles = xc_fft_twiddles(n, n / 2 + 1, sqrtl(1 / (long double)n),
	                                 sqrtl(0.5L / (long double)n), 1);
	axis->fft = multi_fft(plan, n, data);
	return axis->twiddles && axis->fft ? 0 : -1;
}

static int rows_prepare(multi *s, const xc_plan *plan)
{
	const xct_direction direction = plan->direction;
	const size_t n = s->cols;
	const int sine_rows = s->kind == XC_MULTI_SINE_ROWS;
	/* The forward sine transform down the columns changes the sign of every
	 * second row.  All others share one table, which then stays in the cache. */
	const int tables = sine_rows && direction == XCT_FORWARD ? 2 : 1;

	for (int i = 0; i < tables; i++) {
		const long double sign = i ? -1 : 1;
		s->row_twiddles[i] = xc_fft_twiddles(n, s->columns, sign * sqrtl(1 / (long double)n),
		                                     sign * sqrtl(0.5L / (long double)n), -1);
		if (!s->row_twiddles[i])
			return -1;
	}
	if (sine_rows && direction == XCT_INVERSE) {
		s->zeros = xc_frame_allocate(n, sizeof *s->zeros);
		if (!s->zeros)
			return -1;
	}
	s->pair.twiddles[0] = s->row_twiddles[0];
	s->pair.twiddles[1] = s->row_twiddles[tables - 1];
	s->pair.sine = s->kind == XC_MULTI_SINE_COLS;
	s->pair.stream = s->stream;
	s->single = s->pair;
	s->single.twiddles[1] = s->row_twiddles[0];
	s->row_fft = multi_fft(plan, n, s->memory);
	return s->row_fft ? 0 : -1;
}

static void *prepare(const xc_plan *plan)
{
	multi *const s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->kernels = XC_T(xc_frame_kernels_best)();
	s->kind = (xc_multi_kind)plan->algorithm->way;
	if (multi_shape(s, &plan->size))
		goto fail;
	s->data = xc_frame_allocate(xc_frame_multiply(s->panels, s->pair.panel_stride),
	                            sizeof *s->data);
	s->memory = xc_frame_allocate(xc_frame_multiply((size_t)plan->threads, s->scratch),
	                              sizeof *s->memory);
	if (!s->data || !s->memory)
		goto fail;
	s->stream = s->pair.width == XC_LINE &&
	            s->panels * s->pair.panel_stride > XC_MULTI_STREAM_BYTES / sizeof(XC_REAL);
	if (!rows_prepare(s, plan) && !axis_prepare(&s->down, plan, s->rows, s->memory) &&
	    !axis_prepare(&s->across, plan, s->slices, s->memory))
		return s;
fail:
	finish(s);
	return NULL;
}

/* Row q of all rows of all slices, in the first panel.  Before the column FFT of
 * the forward transform both axes are permuted as Makhoul's line is. */
static XC_REAL *multi_line(const multi *s, size_t q, xct_direction direction)
{
	size_t slice = q / s->rows, row = q % s->rows;

	if (direction == XCT_FORWARD) {
		slice = permuted(s->slices, slice);
		row = permuted(s->rows, row);
	} else if (s->kind == XC_MULTI_SINE_ROWS && row) {
		row = s->rows - row;
	}
	return s->data + slice * s->slice_stride + row * 2 * s->pair.width;
}

/* The first of the two passes. */
static void multi_rows(void *context, int share, int shares)
{
	const multi_job *const job = context;
	const multi *const s = job->state;
	XC_REAL *const z = s->memory + (size_t)share * s->scratch;
	const size_t total = s->slices * s->rows, pairs = (total + 1) / 2;
	const size_t end = xc_share_first(pairs, share + 1, shares);

	for (size_t p = xc_share_first(pairs, share, shares); p < end; p++) {
		/* A last row without a partner is its own. */
		const size_t qa = 2 * p, qb = qa + 1 < total ? qa + 1 : qa;
		const xc_row_pair *const rows = qa == qb ? &s->single : &s->pair;
		const XC_REAL *a = job->in + qa * s->cols, *const b = job->in + qb * s->cols;
		XC_REAL *const la = multi_line(s, qa, job->direction);
		XC_REAL *const lb = multi_line(s, qb, job->direction);
		/* The inverse sine transform down the columns ignores row 0. */
		if (s->zeros && qa == 0)
			a = s->zeros;
		s->kernels->from_rows[job->direction](rows, a, qa == qb ? a : b, z);
		XC_F(execute_dft)(s->row_fft, (XC_F(complex) *)z, (XC_F(complex) *)z);
		s->kernels->to_panels[job->direction](rows, z, la, lb);
	}
	xc_stream_end();
}

/* Transforms the columns of a transposed panel along one axis.  The forward transform's last
 * axis is combined on its way out, by panel_out(). */
static void multi_axis(const multi *s, const fft_axis *axis, size_t count, XC_REAL *columns,
                       xct_direction direction, int last)
{
	for (size_t j = 0; j < count; j++, columns += s->pitch) {
		if (direction == XCT_INVERSE)
			s->kernels->column(axis->length, axis->twiddles, columns, XCT_INVERSE);
		XC_F(execute_dft)(axis->fft, (XC_F(complex) *)columns, (XC_F(complex) *)columns);
		if (direction == XCT_FORWARD && !last)
			s->kernels->column(axis->length, axis->twiddles, columns, XCT_FORWARD);
	}
}

/* The rows of the spectrum, from right to left: see emit() in multi_kernels.h. */
static void multi_emit(const multi_job *job, const fft_axis *axis, size_t first, size_t count,
                       XC_REAL *columns, size_t row, int carried, int final)
{
	const multi *const s = job->state;
	const int stream = job->stream && s->slices == 1;
	const xc_panel panel = {
		.columns = columns,
		.pitch = s->pitch,
		.length = axis->length,
		.rows = job->out + row * s->cols,
		.row_stride = s->slices > 1 ? s->rows * s->cols : s->cols,
		.n = s->cols,
		.first = first,
		.count = count,
		.twiddles = axis->twiddles,
		.reversed = s->kind == XC_MULTI_SINE_ROWS,
		.stream = stream,
		.carried = carried,
		.last = final,
		.carry = stream ? columns + s->carry : NULL,
	};

	s->kernels->panel_out(&panel);
}

/* The samples of the inverse, two real columns in each complex one: even rows
 * are in the first half of the column, odd ones, backwards, in the second. */
static void multi_deliver(const multi_job *job, const fft_axis *axis, size_t first, size_t count,
                          const XC_REAL *columns, size_t row)
{
	const multi *const s = job->state;
	const size_t length = axis->length, even = (length + 1) / 2, odd = length / 2;
	const size_t stride = s->slices > 1 ? s->rows * s->cols : s->cols;
	const size_t whole = 2 * (first + count) > s->cols ? count - 1 : count;
	const XC_REAL sign = s->kind == XC_MULTI_SINE_ROWS ? -1 : 1;
	XC_REAL *const corner = job->out + row * s->cols + 2 * first;

	s->kernels->turn_back(whole, even, columns, s->pitch, corner, 2 * (ptrdiff_t)stride, 1,
	                      job->stream);
	if (odd)
		s->kernels->turn_back(whole, odd, columns + 2 * even, s->pitch,
		                      corner + (2 * odd - 1) * stride, -2 * (ptrdiff_t)stride, sign,
		                      job->stream);
	if (whole == count)
		return;
	for (size_t q = 0; q < length; q++) {
		const XC_REAL value = columns[whole * s->pitch + 2 * q];
		if (q < even)
			corner[2 * q * stride + 2 * whole] = value;
		else
			corner[(2 * (length - 1 - q) + 1) * stride + 2 * whole] = value * sign;
	}
}

/* A panel of a volume: in each slice the columns, then, for each row, the tubes
 * that it makes through all slices. */
static void multi_volume(const multi_job *job, size_t first, size_t count, XC_REAL *data,
                         XC_REAL *columns)
{
	const multi *const s = job->state;
	const xc_frame_kernels *const kernels = s->kernels;
	const size_t line = 2 * s->pair.width;

	for (size_t i = 0; i < s->slices; i++) {
		XC_REAL *const slice = data + i * s->slice_stride;
		kernels->turn(s->rows, count, slice, line, columns, s->pitch);
		multi_axis(s, &s->down, count, columns, job->direction, 0);
		kernels->turn_back(count, s->rows, columns, s->pitch, slice, (ptrdiff_t)line, 1, 0);
	}
	for (size_t q = 0; q < s->rows; q++) {
		kernels->turn(s->slices, count, data + q * line, s->slice_stride, columns, s->pitch);
		multi_axis(s, &s->across, count, columns, job->direction, 1);
		if (job->direction == XCT_FORWARD)
			multi_emit(job, &s->across, first, count, columns, q, 0, 0);
		else
			multi_deliver(job, &s->across, first, count, columns, unpermuted(s->rows, q));
	}
}

/* The second pass. */
static void multi_panels(void *context, int share, int shares)
{
	const multi_job *const job = context;
	const multi *const s = job->state;
	XC_REAL *const columns = s->memory + (size_t)share * s->scratch;
	const size_t start = xc_share_first(s->panels, share, shares);
	const size_t end = xc_share_first(s->panels, share + 1, shares);

	for (size_t p = end; p-- > start;) {
		const size_t first = p * s->pair.width, left = s->columns - first;
		const size_t count = left < s->pair.width ? left : s->pair.width;
		XC_REAL *const data = s->data + p * s->pair.panel_stride;
		if (s->slices > 1) {
			multi_volume(job, first, count, data, columns);
			continue;
		}
		s->kernels->turn(s->rows, count, data, 2 * s->pair.width, columns, s->pitch);
		multi_axis(s, &s->down, count, columns, job->direction, 1);
		if (job->direction == XCT_FORWARD)
			multi_emit(job, &s->down, first, count, columns, 0, p + 1 < end, p == start);
		else
			multi_deliver(job, &s->down, first, count, columns, 0);
	}
	xc_stream_end();
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const multi *const s = plan->state;
	multi_job job = {.state = s, .direction = plan->direction, .in = in, .out = out};

	job.stream = s->stream && s->cols % (2 * XC_LINE) == 0 && (uintptr_t)out % 64 == 0;
	xc_shares_run(plan->pool, plan->threads, multi_rows, &job);
	xc_shares_run(plan->pool, plan->threads, multi_panels, &job);
}

/* What the comment on top says, and the FFTs: of a row for two rows, of a column for two columns. */
static void count(const xc_plan *plan, xct_operations *operations)
{
	const multi *const s = plan->state;
	const double slices = (double)s->slices, rows = (double)s->rows, cols = (double)s->cols;
	const double axes = (rows > 1) + (slices > 1), samples = slices * rows * cols;

	XC_T(xc_fft_count)(s->row_fft, slices * rows / 2, operations);
	XC_T(xc_fft_count)(s->down.fft, slices * cols / 2, operations);
	XC_T(xc_fft_count)(s->across.fft, rows * cols / 2, operations);
	operations->additions += samples * (2 + 2 * axes);
	operations->multiplications += samples * (2 + 2 * axes);
}

const xc_engine XC_T(xc_multi) = {prepare, execute, finish, count};
