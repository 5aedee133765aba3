/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled once with XC_REAL_BITS 32 and once with 64. */
#include <math.h>
#include <stddef.h>

/* Threads one after the other, or the last one first: between barriers that is all the same. */
static int backwards;
#define XC_EACH_THREAD(t, threads) \
	for (int t##_i = 0, t = backwards ? (threads)-1 : 0; t##_i < (threads); \
	     t##_i++, t += backwards ? -1 : 1)

#define XC_DEVICE
#include "lab/gpu/fused/fused_split.h"
#include "lab/gpu/fused/mixed.h"
#include "lab/gpu/fused/fused_plan.h"

#include "lab/tests/gpu_fused.h"

static void columns(const xc_fused_plan *p, xc_complex *shared, int back)
{
	const int log = p->column_log;
	for (int b = 0; b < p->column_launch.blocks; b++)
		xc_mixed_columns_block(&p->mixed_columns, shared, b, p->column_launch.threads, back);
	for (int b = 0; b < p->split_blocks; b++) {
		const xc_split_work work = xc_split_work_of(&p->split_columns, b, log);
		xc_fused_split_block(&p->split_columns, &work, shared, log, back);
	}
	for (int b = 0; b < p->column_blocks; b++) {
		if (back)
			xc_fused_columns_inverse(&p->columns, shared, b, log);
		else
			xc_fused_columns_forward(&p->columns, shared, b, log);
	}
}

static void rows(const xc_fused_plan *p, xc_complex *shared, int back)
{
	const int log = p->row_log;
	for (int b = 0; b < p->row_launch.blocks; b++)
		xc_mixed_rows_block(&p->mixed_rows, shared, b, p->row_launch.threads, back);
	for (int b = 0; b < p->row_blocks; b++) {
		if (back)
			xc_fused_rows_inverse(&p->rows, shared, b, p->row_threads, log);
		else
			xc_fused_rows_forward(&p->rows, shared, b, p->row_threads, log);
	}
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* What either kernel takes. */
static size_t shared_of(const xc_fused_plan *p)
{
	return larger(larger(p->column_shared + p->split_shared, p->column_launch.shared),
	              larger(p->row_shared, p->row_launch.shared));
}

int XC_T(xc_gpu_fused)(const xc_gpu_job *job, size_t shared_most, int last_first, const XC_REAL *in,
                       XC_REAL *out)
{
	xc_fused_plan p;
	backwards = last_first;
	if (xc_fused_make(&p, job->in.rows, job->in.cols, shared_most))
		return -1;
	if (p.column_launch.threads > XC_MIXED_THREADS || p.row_launch.threads > XC_MIXED_THREADS)
		return -2;
	if (!in)
		return 0;
	if (p.split && p.split_columns.strips % 2 == 0)
		p.split_columns.group = 2; /* more groups than narrow frames have otherwise */
	xc_complex *table = malloc(p.table * sizeof *table);
	xc_complex *shared = malloc(shared_of(&p));
	if (table && shared) {
		xc_fused_table(&p, table);
		xc_fused_attach(&p, table, job->sine_cols, job->sine_rows);
		xc_fused_point(&p, in, out);
		columns(&p, shared, job->direction == XC_INVERSE);
		rows(&p, shared, job->direction == XC_INVERSE);
	}
	const int failed = !table || !shared;
	free(table);
	free(shared);
	return failed ? -1 : 0;
}
