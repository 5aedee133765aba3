/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transforms of whole arrays line by line: every row, then every column, then every tube through the slices of
 * a volume.  A single row (or column) is the one-dimensional transform.  line.c has the lines.
 *
 * Passes over memory: one an axis.  Rows go in and out once; columns and tubes go in and out once, a cache
 * line's worth of them at a time, transposed in registers on the way, so that every line lies in the
 * first-level cache while it is worked on.
 */
#include "lab/cpu/frame/frame.h"

#include <stdlib.h>

#include "lab/cpu/frame/line.h"
#include "lab/cpu/shares.h"

typedef struct rowcol {
	size_t slices, rows, cols;
	size_t pitch;                      /* samples from line to line in a panel */
	size_t panel, scratch;             /* samples of a panel, and of all that a thread needs */
	xc_frame_line row, column, across; /* unused where there is one sample */
	XC_REAL *memory;
} rowcol;

/* Lines of one axis that is not the last: `lines` side by side in each of `groups` groups. */
typedef struct rowcol_job {
	const rowcol *state;
	const xc_frame_line *line;
	const XC_REAL *in;
	XC_REAL *out;
	size_t groups, group_stride, lines;
} rowcol_job;

static void finish(void *state)
{
	rowcol *const s = state;

	XC_T(xc_line_finish)(&s->row);
	XC_T(xc_line_finish)(&s->column);
	XC_T(xc_line_finish)(&s->across);
	free(s->memory);
	free(s);
}

static void widen(size_t *size, size_t other)
{
	*size = other > *size ? other : *size;
}

static int prepare_lines(rowcol *s, const xc_plan *plan)
{
	const size_t longest = s->rows > s->slices ? s->rows : s->slices;

	if (XC_T(xc_line_prepare)(&s->row, plan, s->cols) ||
	    (s->rows > 1 && XC_T(xc_line_prepare)(&s->column, plan, s->rows)) ||
	    (s->slices > 1 && XC_T(xc_line_prepare)(&s->across, plan, s->slices)))
		return -1;
	/* One cache line more than whole ones: else the columns of a panel would all compete for the
	 * same cache sets. */
	if (longest > 1)
		s->pitch = xc_frame_whole_lines(longest) + XC_LINE;
	s->panel = s->pitch * XC_LINE;
	widen(&s->scratch, s->row.scratch);
	widen(&s->scratch, s->column.scratch);
	widen(&s->scratch, s->across.scratch);
	s->scratch += s->panel;
	return 0;
}

static void *prepare(const xc_plan *plan)
{
	/* FFTW counts in int. */
	const size_t max = INT32_MAX / 8;
	const xc_transform_size *const size = &plan->size;
	rowcol *const s = size->slices <= max && size->rows <= max && size->cols <= max
	                      ? calloc(1, sizeof *s)
	                      : NULL;

	if (!s)
		return NULL;
	s->slices = size->slices;
	s->rows = size->rows;
	s->cols = size->cols;
	if (s->cols == 1 && s->slices == 1) { /* a single column is a row to memory */
		s->cols = s->rows;
		s->rows = 1;
	}
	if (!prepare_lines(s, plan))
		s->memory = xc_frame_allocate(xc_frame_multiply((size_t)plan->threads, s->scratch),
		                              sizeof *s->memory);
	if (s->memory)
		return s;
	finish(s);
	return NULL;
}

static void run_rows(void *context, int share, int shares)
{
	const rowcol_job *const job = context;
	const rowcol *const s = job->state;
	const size_t rows = s->slices * s->rows;
	XC_REAL *const scratch = s->memory + (size_t)share * s->scratch + s->panel;
	const size_t end = xc_share_first(rows, share + 1, shares);

	for (size_t i = xc_share_first(rows, share, shares); i < end; i++)
		XC_T(xc_line_run)(&s->row, job->in + i * s->cols, job->out + i * s->cols, scratch);
}

/* A cache line's worth of columns at a time, turned into lines and back. */
static void run_columns(void *context, int share, int shares)
{
	const rowcol_job *const job = context;
	const rowcol *const s = job->state;
	const xc_frame_kernels *const kernels = job->line->kernels;
	XC_REAL *const panel = s->memory + (size_t)share * s->scratch;
	XC_REAL *const scratch = panel + s->panel;
	const size_t n = job->line->n, panels = (job->lines + XC_LINE - 1) / XC_LINE;
	const size_t end = xc_share_first(job->groups * panels, share + 1, shares);

	for (size_t p = xc_share_first(job->groups * panels, share, shares); p < end; p++) {
		const size_t first = p % panels * XC_LINE, left = job->lines - first;
		const size_t width = left < XC_LINE ? left : XC_LINE;
		XC_REAL *const corner = job->out + p / panels * job->group_stride + first;
		kernels->transpose(n, width, corner, job->lines, panel, s->pitch);
		for (size_t j = 0; j < width; j++)
			XC_T(xc_line_run)(job->line, panel + j * s->pitch, panel + j * s->pitch, scratch);
		kernels->transpose(width, n, panel, s->pitch, corner, job->lines);
	}
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const rowcol *const s = plan->state;
	const size_t plane = s->rows * s->cols;
	rowcol_job job = {.state = s, .in = in, .out = out};

	xc_shares_run(plan->pool, plan->threads, run_rows, &job);
	if (s->rows > 1) {
		job = (rowcol_job){s, &s->column, NULL, out, s->slices, plane, s->cols};
		xc_shares_run(plan->pool, plan->threads, run_columns, &job);
	}
	if (s->slices > 1) {
		job = (rowcol_job){s, &s->across, NULL, out, 1, 0, plane};
		xc_shares_run(plan->pool, plan->threads, run_columns, &job);
	}
}

static void count(const xc_plan *plan, xct_operations *operations)
{
	const rowcol *const s = plan->state;
	const double slices = (double)s->slices, rows = (double)s->rows, cols = (double)s->cols;

	XC_T(xc_line_count)(&s->row, slices * rows, operations);
	if (s->rows > 1)
		XC_T(xc_line_count)(&s->column, slices * cols, operations);
	if (s->slices > 1)
		XC_T(xc_line_count)(&s->across, rows * cols, operations);
}

const xc_engine XC_T(xc_rowcol) = {prepare, execute, finish, count};
