/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: a line transform on every row, then on every column. */
#include "lab/cpu/frame/line_template.h"

typedef struct XC_T(rowcol) {
	size_t rows, cols;
	size_t pitch;           /* samples from column to column in a panel */
	size_t scratch;         /* samples a thread */
	XC_T(line) row, column; /* column is unused when there is one row */
	XC_REAL *memory;
} XC_T(rowcol);

typedef struct XC_T(rowcol_job) {
	const XC_T(rowcol) * state;
	const XC_REAL *in;
	XC_REAL *out;
} XC_T(rowcol_job);

static void XC_T(rowcol_finish)(void *state)
{
	XC_T(rowcol) *const s = state;
	XC_T(line_finish)(&s->row);
	XC_T(line_finish)(&s->column);
	free(s->memory);
	free(s);
}

static void *XC_T(rowcol_prepare)(const xc_plan *plan, xc_line_method method)
{
	XC_T(rowcol) *const s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->rows = plan->size.rows;
	s->cols = plan->size.cols;
	if (s->cols == 1) { /* a single column is a row to memory */
		s->cols = s->rows;
		s->rows = 1;
	}
	if (XC_T(line_prepare)(&s->row, method, plan->direction, s->cols))
		goto fail;
	s->scratch = s->row.scratch;
	if (s->rows > 1) {
		if (XC_T(line_prepare)(&s->column, method, plan->direction, s->rows))
			goto fail;
		/* One cache line more than whole ones: else the columns of a panel
		 * would all compete for the same cache sets. */
		s->pitch = (s->rows + XC_LINE - 1) / XC_LINE * XC_LINE + XC_LINE;
		if (s->column.scratch > s->scratch)
			s->scratch = s->column.scratch;
		s->scratch += s->pitch * XC_LINE;
	}
	s->memory = xc_frame_allocate(xc_frame_multiply((size_t)plan->threads, s->scratch),
	                              sizeof *s->memory);
	if (s->memory)
		return s;
fail:
	XC_T(rowcol_finish)(s);
	return NULL;
}

static void XC_T(rowcol_rows)(void *context, int share, int shares)
{
	const XC_T(rowcol_job) *const job = context;
	const XC_T(rowcol) *const s = job->state;
	XC_REAL *const scratch = s->memory + (size_t)share * s->scratch;
	const size_t end = xc_team_first(s->rows, share + 1, shares);
	for (size_t i = xc_team_first(s->rows, share, shares); i < end; i++)
		XC_T(line_run)(&s->row, job->in + i * s->cols, job->out + i * s->cols, scratch);
}

/* A cache line's worth of columns at a time, turned into lines and back. */
static void XC_T(rowcol_columns)(void *context, int share, int shares)
{
	const XC_T(rowcol_job) *const job = context;
	const XC_T(rowcol) *const s = job->state;
	XC_REAL *const panel = s->memory + (size_t)share * s->scratch;
	XC_REAL *const scratch = panel + s->pitch * XC_LINE;
	const size_t panels = (s->cols + XC_LINE - 1) / XC_LINE;
	const size_t end = xc_team_first(panels, share + 1, shares);
	for (size_t p = xc_team_first(panels, share, shares); p < end; p++) {
		XC_REAL *const corner = job->out + p * XC_LINE;
		const size_t left = s->cols - p * XC_LINE;
		const size_t width = left < XC_LINE ? left : XC_LINE;
		s->row.kernels->transpose(s->rows, width, corner, s->cols, panel, s->pitch);
		for (size_t j = 0; j < width; j++)
			XC_T(line_run)(&s->column, panel + j * s->pitch, panel + j * s->pitch, scratch);
		s->row.kernels->transpose(width, s->rows, panel, s->pitch, corner, s->cols);
	}
}

static void XC_T(rowcol_execute)(const xc_plan *plan, const void *in, void *out)
{
	XC_T(rowcol_job) job = {.state = plan->state, .in = in, .out = out};
	xc_team_run(plan->threads, XC_T(rowcol_rows), &job);
	if (job.state->rows > 1)
		xc_team_run(plan->threads, XC_T(rowcol_columns), &job);
}
