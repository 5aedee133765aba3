/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: included with XC_REAL_BITS defined. */
#include <math.h>
#include <stddef.h>

#define XC_DEVICE
#include "gpu/transform/fused_split.h"
#include "gpu/transform/fused_plan.h"

#include "tests/gpu_fused.h"

static void columns(const xc_fused_plan *p, xc_complex *shared, int back)
{
	const int log = p->column_log;
	if (p->split) {
		for (int b = 0; b < p->short_blocks && back; b++)
			xc_fused_split_short_inverse(&p->split_short, shared, b, log);
		for (int b = 0; b < p->long_blocks; b++) {
			if (back)
				xc_fused_split_long_inverse(&p->split_long, shared, b, log);
			else
				xc_fused_split_long_forward(&p->split_long, shared, b, log);
		}
		for (int b = 0; b < p->short_blocks && !back; b++)
			xc_fused_split_short_forward(&p->split_short, shared, b, log);
		return;
	}
	for (int b = 0; b < p->column_blocks; b++) {
		if (back)
			xc_fused_columns_inverse(&p->columns, shared, b, log);
		else
			xc_fused_columns_forward(&p->columns, shared, b, log);
	}
}

int XC_T(xc_gpu_fused)(const xc_gpu_job *job, size_t shared_most, const XC_REAL *in,
                       XC_REAL *out)
{
	xc_fused_plan p;
	if (xc_fused_make(&p, job->in.rows, job->in.cols, shared_most))
		return -1;
	xc_complex *table = malloc(p.table * sizeof *table);
	xc_complex *shared = malloc(p.column_shared + p.row_shared + p.split_shared);
	if (table && shared) {
		xc_fused_table(&p, table);
		xc_fused_attach(&p, table, job->sine_cols, job->sine_rows);
		xc_fused_point(&p, in, out, job->direction == XC_INVERSE);
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
