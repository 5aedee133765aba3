/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/gpu/frame/frame.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 32768 };

/* C[k][j] = w(k) cos(pi (2 j + 1) k / 2n), or its transpose; only 4 n cosines differ. */
static void fill(void *matrix, size_t n, int wide, int transposed, const double *period)
{
	const double zero = sqrt(1 / (double)n);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			const size_t k = transposed ? j : i, sample = transposed ? i : j;
			const double value = k ? period[(2 * sample + 1) * k % (4 * n)] : zero;
			if (wide)
				((double *)matrix)[i * n + j] = value;
			else
				((float *)matrix)[i * n + j] = (float)value;
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

int xc_dmm_set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	xc_dmm *const d = (xc_dmm *)state;
	const int inverse = job->direction == XCT_INVERSE;

	if (job->in.rows > LONGEST || job->in.cols > LONGEST)
		return xc_lab_refuse(gpu, "sides beyond 32768");
	d->rows = (int)job->in.rows;
	d->cols = (int)job->in.cols;
	d->wide = job->precision == XCT_FLOAT64;
	d->plain = job->way;
	d->left = cosines(job->in.rows, d->wide, inverse, gpu);
	if (job->kind == XC_LAB_PRODUCT)
		return d->left ? 0 : -1;
	d->right = d->left ? cosines(job->in.cols, d->wide, !inverse, gpu) : NULL;
	if (d->right)
		d->middle = xc_lab_memory(gpu, xc_transform_samples(&job->in) *
		                                   xc_precision_bytes(job->precision));
	return d->middle ? 0 : -1;
}

/* The same products by cuBLAS.  The library is opened on demand, so that nothing else needs it; its
 * functions are therefore declared here.  They have not changed since version 4. */

typedef void *handle;
enum { DONE = 0, PLAIN = 0 }; /* CUBLAS_STATUS_SUCCESS, CUBLAS_OP_N */

typedef struct cublas {
	int (*create)(handle *);
	int (*destroy)(handle);
	int (*set_stream)(handle, cudaStream_t);
	int (*sgemm)(handle, int, int, int, int, int, const float *, const float *, int, const float *,
	             int, const float *, float *, int);
	int (*dgemm)(handle, int, int, int, int, int, const double *, const double *, int,
	             const double *, int, const double *, double *, int);
} cublas;

static int load(cublas *functions, xc_lab_gpu *gpu)
{
	static const char *const libraries[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11",
	                                        "libcublas.so"};
	static const char *const names[] = {"cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2",
	                                    "cublasSgemm_v2", "cublasDgemm_v2"};
	void *library = NULL, *found[5];

	for (size_t i = 0; i < sizeof libraries / sizeof *libraries && !library; i++)
		library = dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library)
		return xc_lab_refuse(gpu, "no cuBLAS: libcublas.so was not found");
	for (int i = 0; i < 5; i++) {
		found[i] = dlsym(library, names[i]);
		if (!found[i])
			return xc_lab_refuse(gpu, "this cuBLAS has no %s", names[i]);
	}
	memcpy(functions, found, sizeof *functions);
	return 0;
}

typedef struct state {
	cublas functions;
	xc_dmm dmm;
	handle blas;
} state;

static void close(void *own)
{
	state *const s = (state *)own;
	if (s->blas)
		(void)s->functions.destroy(s->blas);
}

static int set_up(void *own, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	state *const s = (state *)own;

	if (load(&s->functions, gpu) || xc_dmm_set_up(&s->dmm, job, gpu))
		return -1;
	return s->functions.create(&s->blas) == DONE ? 0 : xc_lab_refuse(gpu, "cuBLAS does not start");
}

/* Row by row, C = A B is the transpose of what cuBLAS, column by column, sees: B' A'. */
static int multiply(const state *s, const void *left, const void *right, void *out, int rows,
                    int depth, int cols)
{
	const float one = 1, zero = 0;
	const double one_d = 1, zero_d = 0;

	if (s->dmm.wide)
		return s->functions.dgemm(s->blas, PLAIN, PLAIN, cols, rows, depth, &one_d,
		                          (const double *)right, cols, (const double *)left, depth, &zero_d,
		                          (double *)out, cols);
	return s->functions.sgemm(s->blas, PLAIN, PLAIN, cols, rows, depth, &one, (const float *)right,
	                          cols, (const float *)left, depth, &zero, (float *)out, cols);
}

static int enqueue(void *own, const void *in, void *out, xc_lab_gpu *gpu)
{
	const state *const s = (const state *)own;
	const xc_dmm *const d = &s->dmm;
	int status = s->functions.set_stream(s->blas, gpu->stream);

	if (status == DONE)
		status = multiply(s, d->left, in, d->middle, d->rows, d->rows, d->cols);
	if (status == DONE)
		status = multiply(s, d->middle, d->right, out, d->rows, d->cols, d->cols);
	return status == DONE ? 0 : xc_lab_refuse(gpu, "cuBLAS fails: error %d", status);
}

const xc_lab_work xc_lab_dmm_cublas = {sizeof(state), set_up, enqueue, close};
