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

static void *cosines(size_t n, int wide, int transposed, char why[XC_DEVICE_MESSAGE])
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
		table = xc_gpu_table(matrix, size, why);
	} else {
		xc_gpu_refuse(why, "out of memory");
	}
	free(period);
	free(matrix);
	return table;
}

xc_dmm *xc_dmm_new(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE])
{
	const int inverse = job->direction == XC_INVERSE;
	xc_dmm *const d = (xc_dmm *)calloc(1, sizeof *d);
	if (!d || job->in.rows > LONGEST || job->in.cols > LONGEST) {
		xc_gpu_refuse(why, d ? "sides beyond 32768" : "out of memory");
		free(d);
		return NULL;
	}
	d->rows = (int)job->in.rows;
	d->cols = (int)job->in.cols;
	d->wide = job->precision == XC_PRECISION_64;
	d->left = cosines(job->in.rows, d->wide, inverse, why);
	d->right = d->left ? cosines(job->in.cols, d->wide, !inverse, why) : NULL;
	d->middle = !d->right ? NULL
	                      : xc_gpu_memory_of(xc_gpu_samples(&job->in) *
	                                             xc_precision_bytes(job->precision),
	                                         why);
	if (d->middle)
		return d;
	xc_dmm_free(d);
	return NULL;
}

void xc_dmm_free(void *dmm)
{
	xc_dmm *const d = (xc_dmm *)dmm;
	if (!d)
		return;
	(void)cudaFree(d->left);
	(void)cudaFree(d->right);
	(void)cudaFree(d->middle);
	free(d);
}
