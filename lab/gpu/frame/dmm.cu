/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/frame/dmm.h"

#include <math.h>
#include <stdlib.h>

enum { LONGEST = 32768 };

/* C[k][j] = w(k) cos(pi (2 j + 1) k / 2n), or its transpose; only 4 n cosines differ. */
static void fill(void *matrix, size_t n, int wide, int transposed, const double *period)
{
	const double zero = sqrt(1 / (double)n);
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			const size_t k = transposed ? j : i, sample = transposed ? i : j;
			const double value = k ? period[(2 * sample + 1) * k % (4 * n)] : zero;
			if (wide)
				((double *)matrix)[i * n + j] = value;
			else
				((float *)matrix)[i * n + j] = (float)value;
		}
	}
}

static void *cosines(size_t n, int wide, int transposed, xc_lab_gpu *gpu)
{
	const long double pi = 3.141592653589793238462643383279502884L;
	const size_t size = n * n * (wide ? sizeof(double) : sizeof(float));
	double *const period = (double *)malloc(4 * n * sizeof *period);
	void *const matrix = malloc(size);
	void *table = NULL;
	if (period && matrix) {
		for (size_t i = 0; i < 4 * n; i++)
			period[i] = (double)(sqrtl(2 / (long double)n) *
			                     cosl(pi * (long double)i / (2 * (long double)n)));
		fill(matrix, n, wide, transposed, period);
		table = xc_lab_table(gpu, matrix, size);
	} else {
		xc_lab_refuse(gpu, "out of memory");
	}
	free(period);
	free(matrix);
	return table;
}

int xc_dmm_set_up(xc_dmm *d, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	const int inverse = job->direction == XC_INVERSE;
	if (job->in.rows > LONGEST || job->in.cols > LONGEST)
		return xc_lab_refuse(gpu, "sides beyond 32768");
	d->rows = (int)job->in.rows;
	d->cols = (int)job->in.cols;
	d->wide = job->precision == XC_PRECISION_64;
	d->left = cosines(job->in.rows, d->wide, inverse, gpu);
	d->right = d->left ? cosines(job->in.cols, d->wide, !inverse, gpu) : NULL;
	if (d->right)
		d->middle = xc_lab_memory(gpu,
		                          xc_lab_samples(&job->in) * xc_precision_bytes(job->precision));
	return d->middle ? 0 : -1;
}
