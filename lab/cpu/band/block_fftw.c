/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 8x8 DCTs by FFTW's REDFT10 and REDFT01, through its two interfaces as in Larsen 2006: "simple" is
 * one plan for a block, run on a copy of each block; "advanced" is one plan for all blocks in place
 * in the array.  FFTW leaves the normalisation to us: factors before the inverse and after the
 * forward transform, for each coefficient.
 *
 * M. Frigo, S. G. Johnson, The design and implementation of FFTW3, Proc. IEEE 93 (2005).  For a
 * block FFTW 3.3.10 counts (fftw_flops) 320 additions, 160 multiplications and 96 multiply-adds
 * forward, 320, 144 and 96 inverse; the normalisation adds 64 multiplications.
 */
#include "lab/cpu/band/band.h"

#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/fft.h"
#include "lab/cpu/shares.h"

/* REDFT10 is twice the sum of the definition; REDFT01 takes coefficient 0 once and
 * the others twice. */
static long double normalisation(xct_direction direction, int k)
{
	const long double sqrt_1_8 = 0.35355339059327376220042218105242451964L;

	if (k > 0)
		return 0.25L;
	return direction == XCT_FORWARD ? sqrt_1_8 / 2 : sqrt_1_8;
}

typedef struct block_fftw {
	XC_F(plan) plan;
	XC_REAL factor[64];
	size_t in_rows, in_cols, out_rows, out_cols; /* of the arrays */
	size_t rows, cols;                           /* in whole blocks */
	/* simple: blocks before and after the plan, for each thread; advanced: the whole array, when the
	 * caller's has no whole blocks. */
	XC_REAL *before, *after;
} block_fftw;

/* One plan for all blocks, from one array to another or (inverse) in place.  It runs on the
 * caller's arrays, of unknown alignment; planning overwrites its arrays, so it has its own. */
static XC_F(plan) plan_all(const xc_plan *wanted, size_t rows, size_t cols)
{
	const xct_direction direction = wanted->direction;
	const ptrdiff_t width = (ptrdiff_t)cols;
	const XC_F(iodim64) block[2] = {{8, width, width}, {8, 1, 1}};
	const XC_F(iodim64)
		blocks[2] = {{(ptrdiff_t)rows / 8, 8 * width, 8 * width}, {width / 8, 8, 8}};
	const int inverse = direction == XCT_INVERSE;
	const fftw_r2r_kind kind = inverse ? FFTW_REDFT01 : FFTW_REDFT10;
	const fftw_r2r_kind kinds[2] = {kind, kind};
	XC_REAL *in = XC_F(malloc)(rows * cols * sizeof *in);
	XC_REAL *out = inverse ? in : XC_F(malloc)(rows * cols * sizeof *out);

	XC_F(plan) plan = NULL;
	xc_fft_use_threads(wanted->threads);
	if (in && out)
		plan = XC_F(plan_guru64_r2r)(2, block, 2, blocks, in, out, kinds,
		                             (wanted->estimate ? FFTW_ESTIMATE : FFTW_MEASURE) |
		                                 FFTW_UNALIGNED);
	xc_fft_use_threads(1);
	if (!inverse)
		XC_F(free)(out);
	XC_F(free)(in);
	return plan;
}

static void finish(void *state)
{
	block_fftw *s = state;

	XC_F(destroy_plan)(s->plan); /* which accepts NULL */
	XC_F(free)(s->before);
	XC_F(free)(s->after);
	free(s);
}

static void *prepare(const xc_plan *plan)
{
	const int advanced = plan->algorithm->way == XC_BLOCK_FFTW_ADVANCED;
	block_fftw *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	const int inverse = plan->direction == XCT_INVERSE;
	s->rows = (plan->size.rows + 7) & ~(size_t)7;
	s->cols = (plan->size.cols + 7) & ~(size_t)7;
	s->in_rows = inverse ? s->rows : plan->size.rows;
	s->in_cols = inverse ? s->cols : plan->size.cols;
	s->out_rows = inverse ? plan->size.rows : s->rows;
	s->out_cols = inverse ? plan->size.cols : s->cols;
	for (int i = 0; i < 64; i++)
		s->factor[i] = (XC_REAL)(normalisation(plan->direction, i / 8) *
		                         normalisation(plan->direction, i % 8) *
		                         (plan->weighs ? plan->factors[i] : 1));

	const int whole = s->rows == plan->size.rows && s->cols == plan->size.cols;
	const size_t buffer = advanced ? s->rows * s->cols : 64 * (size_t)plan->threads;
	if (!advanced || !whole)
		s->before = XC_F(malloc)(buffer * sizeof(XC_REAL));
	if (!advanced)
		s->after = XC_F(malloc)(buffer * sizeof(XC_REAL));
	if ((!s->before && !(advanced && whole)) || (!s->after && !advanced)) {
		finish(s);
		return NULL;
	}
	const fftw_r2r_kind kind = inverse ? FFTW_REDFT01 : FFTW_REDFT10;
	if (advanced)
		s->plan = plan_all(plan, s->rows, s->cols);
	else
		s->plan = XC_F(plan_r2r_2d)(8, 8, s->before, s->after, kind, kind,
		                            plan->estimate ? FFTW_ESTIMATE : FFTW_MEASURE);
	if (s->plan)
		return s;
	finish(s);
	return NULL;
}

/* rows x cols samples from (row, col) on; the array's last row and column are repeated. */
static void read_padded(const block_fftw *s, const XC_REAL *in, size_t row, size_t col,
                        XC_REAL *out, size_t rows, size_t cols)
{
	for (size_t y = 0; y < rows; y++) {
		const XC_REAL *from = in + (row + y < s->in_rows ? row + y : s->in_rows - 1) * s->in_cols;
		for (size_t x = 0; x < cols; x++)
			out[y * cols + x] = from[col + x < s->in_cols ? col + x : s->in_cols - 1];
	}
}

static void write_block(const block_fftw *s, XC_REAL *out, size_t row, size_t col,
                        const XC_REAL *block)
{
	for (size_t i = 0; i < 64; i++) {
		const size_t y = row + i / 8, x = col + i % 8;
		if (y < s->out_rows && x < s->out_cols)
			out[y * s->out_cols + x] = block[i];
	}
}

typedef struct simple_job {
	const block_fftw *state;
	int inverse;
	const XC_REAL *in;
	XC_REAL *out;
} simple_job;

/* Every 64 samples are as aligned as the plan's. */
static void run_simple(void *context, int share, int shares)
{
	const simple_job *const job = context;
	const block_fftw *const s = job->state;
	XC_REAL *const before = s->before + 64 * (size_t)share, *const after = s->after +
	                                                                       64 * (size_t)share;
	const size_t end = 8 * xc_share_first(s->rows / 8, share + 1, shares);

	for (size_t row = 8 * xc_share_first(s->rows / 8, share, shares); row < end; row += 8)
		for (size_t col = 0; col < s->cols; col += 8) {
			read_padded(s, job->in, row, col, before, 8, 8);
			for (size_t i = 0; i < 64 && job->inverse; i++)
				before[i] *= s->factor[i];
			XC_F(execute_r2r)(s->plan, before, after);
			for (size_t i = 0; i < 64 && !job->inverse; i++)
				after[i] *= s->factor[i];
			write_block(s, job->out, row, col, after);
		}
}

static void normalise(const block_fftw *s, const XC_REAL *in, XC_REAL *out)
{
	for (size_t y = 0; y < s->rows; y++) {
		const XC_REAL *factor = s->factor + y % 8 * 8;
		for (size_t x = 0; x < s->cols; x += 8)
			for (size_t i = 0; i < 8; i++)
				out[y * s->cols + x + i] = in[y * s->cols + x + i] * factor[i];
	}
}

static void run_advanced(const block_fftw *s, int inverse, const XC_REAL *in, XC_REAL *out)
{
	if (!inverse) {
		if (s->before)
			read_padded(s, in, 0, 0, s->before, s->rows, s->cols);
		/* FFTW's type says otherwise, but it does not write to its input. */
		XC_F(execute_r2r)(s->plan, s->before ? s->before : (XC_REAL *)in, out);
		normalise(s, out, out);
		return;
	}
	XC_REAL *whole = s->before ? s->before : out;
	normalise(s, in, whole);
	XC_F(execute_r2r)(s->plan, whole, whole);
	for (size_t y = 0; s->before && y < s->out_rows; y++)
		memcpy(out + y * s->out_cols, whole + y * s->cols, s->out_cols * sizeof *out);
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const int inverse = plan->direction == XCT_INVERSE;
	simple_job job = {plan->state, inverse, in, out};

	if (plan->algorithm->way == XC_BLOCK_FFTW_ADVANCED)
		run_advanced(plan->state, inverse, in, out);
	else
		xc_shares_run(plan->pool, plan->threads, run_simple, &job);
}

static void count(const xc_plan *plan, xct_operations *operations)
{
	const block_fftw *const s = plan->state;
	const double blocks = (double)(s->rows / 8) * (double)(s->cols / 8);

	XC_T(xc_fft_count)
	(s->plan, plan->algorithm->way == XC_BLOCK_FFTW_ADVANCED ? 1 : blocks, operations);
	operations->scaling = 64 * blocks;
}

const xc_engine XC_T(xc_block_fftw) = {prepare, execute, finish, count};
