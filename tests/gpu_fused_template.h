/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: included with XC_REAL_BITS defined. */
#include <math.h>
#include <stddef.h>

/* Threads one after the other, or the last one first: between barriers that is all the same. */
static int backwards;
#define XC_EACH_THREAD(t, threads) \
	for (int t##_i = 0, t = backwards ? (threads) - 1 : 0; t##_i < (threads); \
	     t##_i++, t += backwards ? -1 : 1)

#define XC_DEVICE
#include "gpu/transform/fused_split.h"
#include "gpu/transform/fused_plan.h"

#include "tests/gpu_fused.h"

static void columns(const xc_fused_plan *p, xc_complex *shared, int back)
{
	const int log = p->column_log;
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

int XC_T(xc_gpu_fused)(const xc_gpu_job *job, int last_first, const XC_REAL *in, XC_REAL *out)
{
	xc_fused_plan p;
	backwards = last_first;
	if (xc_fused_make(&p, job->in.rows, job->in.cols, 227 << 10))
		return -1;
	if (p.split)
		p.split_columns.group = 2; /* more groups than narrow frames have otherwise */
	xc_complex *table = malloc(p.table * sizeof *table);
	xc_complex *shared = malloc(p.column_shared + p.row_shared + p.split_shared);
	if (table && shared) {
		xc_fused_table(&p, table);
		xc_fused_attach(&p, table, job->sine_cols, job->sine_rows);
		xc_fused_point(&p, in, out);
		columns(&p, shared, job->direction == XC_INVERSE);
		for (int b = 0; b < p.row_blocks; b++) {
			if (job->direction == XC_FORWARD)
				xc_fused_rows_forward(&p.rows, shared, b, p.row_threads,
				                      p.row_log);
			else
				xc_fused_rows_inverse(&p.rows, shared, b, p.row_threads,
				                      p.row_log);
		}
	}
	const int failed = !table || !shared;
	free(table);
	free(shared);
	return failed ? -1 : 0;
}
