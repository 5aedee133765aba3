/* SPDX-License-Identifier: BSD-2-Clause */
/* Compiled once with XC_REAL_BITS 32 and once with 64. */
#include <math.h>
#include <stddef.h>

/* Threads one after the other, or the last one first: between barriers the order must not
 * matter. */
static int backwards;
#define XC_FOR_THREADS(t, threads) \
	for (int t##_i = 0, t = backwards ? (threads)-1 : 0; t##_i < (threads); \
	     t##_i++, t += backwards ? -1 : 1)

#include "lab/gpu/fused/plan.h"

#include "lab/tests/gpu_emulated.h"

static void run_block(const xc_axis_plan *a, xc_complex *shared, int block, int back)
{
	if (a->engine == XC_AXIS_POWER) {
		xc_power_block(&a->job.axis, shared, block, a->threads, a->log, a->down, back);
	} else if (a->engine == XC_AXIS_SPLIT) {
		const xc_split_work work = xc_split_work_of(&a->job.split, block, a->log);
		xc_split_block(&a->job.split, &work, shared, a->log, back);
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
		/* More groups than narrow frames have otherwise. */
		if (a->engine == XC_AXIS_SPLIT && a->job.split.strips % 2 == 0)
			a->job.split.group = 2;
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
	const int back = job->direction == XC_INVERSE;
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
