/* SPDX-License-Identifier: BSD-2-Clause */
/* Template: included with XC_REAL_BITS defined. */
#include <math.h>
#include <stddef.h>

#define XC_DEVICE
#include "gpu/transform/fused.h"
#include "gpu/transform/fused_plan.h"

#include "tests/gpu_fused.h"

int XC_T(xc_gpu_fused)(const xc_gpu_job *job, const XC_REAL *in, XC_REAL *out)
{
	xc_fused_plan p;
	if (xc_fused_make(&p, job->in.rows, job->in.cols, 227 << 10))
		return -1;
	xc_complex *table = malloc(p.table * sizeof *table);
	xc_complex *shared = malloc(p.column_shared + p.row_shared);
	if (table && shared) {
		xc_fused_table(&p, table);
		xc_fused_attach(&p, table, job->sine_cols, job->sine_rows);
		p.columns.in = in;
		p.columns.out = out;
		p.rows.in = p.rows.out = out;
		for (int b = 0; b < p.column_blocks; b++) {
			if (job->direction == XC_FORWARD)
				xc_fused_columns_forward(&p.columns, shared, b, p.per);
			else
				xc_fused_columns_inverse(&p.columns, shared, b, p.per);
		}
		for (int b = 0; b < p.row_blocks; b++) {
			if (job->direction == XC_FORWARD)
				xc_fused_rows_forward(&p.rows, shared, b);
			else
				xc_fused_rows_inverse(&p.rows, shared, b);
		}
	}
	const int failed = !table || !shared;
	free(table);
	free(shared);
	return failed ? -1 : 0;
}
