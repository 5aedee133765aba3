/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/registry.h"

#include <stdlib.h>
#include <string.h>

#include "lab/cpu/band/block.h"
#include "lab/cpu/frame/algorithms.h"
#include "lab/gpu.h"
#include "lab/cpu/band/lapped.h"

static const xc_algorithm *const algorithms[] = {
	&xc_algorithm_cpu_naive,
	&xc_algorithm_cpu_definition,
	&xc_algorithm_cpu_separable,
	&xc_algorithm_cpu_short,
	&xc_algorithm_cpu_aan,
#ifdef _OPENMP
	&xc_algorithm_cpu_aan_openmp,
#endif
	&xc_algorithm_cpu_flmad,
#ifdef _OPENMP
	&xc_algorithm_cpu_flmad_openmp,
#endif
	&xc_algorithm_cpu_feig2d,
#ifdef XC_HAVE_FFTW
	&xc_algorithm_cpu_fftw_simple,
	&xc_algorithm_cpu_fftw_advanced,
#endif
	&xc_algorithm_cpu_flot,
#ifdef _OPENMP
	&xc_algorithm_cpu_flot_openmp,
#endif
	&xc_algorithm_cpu_flot_symmetric,
#ifdef _OPENMP
	&xc_algorithm_cpu_flot_symmetric_openmp,
#endif
	&xc_algorithm_cpu_tdlt,
	&xc_algorithm_cpu_genlot,
	&xc_algorithm_cpu_dmm,
#ifdef XC_HAVE_FFTW
	&xc_algorithm_cpu_fft_4n,
	&xc_algorithm_cpu_fft_2n_mirrored,
	&xc_algorithm_cpu_fft_2n_padded,
	&xc_algorithm_cpu_fft_n,
	&xc_algorithm_cpu_fft2d,
	&xc_algorithm_cpu_fft3d,
	&xc_algorithm_cpu_idct_idxst,
	&xc_algorithm_cpu_idxst_idct,
	&xc_algorithm_cpu_fftw_frame,
#endif
	NULL,
};

static const xc_algorithm *const device_algorithms[] = {
	&xc_algorithm_gpu_definition,
	&xc_algorithm_gpu_separable,
	&xc_algorithm_gpu_short,
	&xc_algorithm_gpu_short_quantized,
	&xc_algorithm_gpu_aan,
	&xc_algorithm_gpu_aan_quantized,
	&xc_algorithm_gpu_flmad,
	&xc_algorithm_gpu_flot,
	&xc_algorithm_gpu_flot_symmetric,
	&xc_algorithm_gpu_tdlt,
	&xc_algorithm_gpu_genlot,
	&xc_algorithm_gpu_dmm,
	&xc_algorithm_gpu_dmm_cublas,
	&xc_algorithm_gpu_fft_n,
	&xc_algorithm_gpu_fft2d,
	&xc_algorithm_gpu_fft2d_stages,
	&xc_algorithm_gpu_fft3d,
	&xc_algorithm_gpu_idct_idxst,
	&xc_algorithm_gpu_idxst_idct,
	NULL,
};

const xc_algorithm *const *xc_algorithms(void)
{
	return algorithms;
}

const xc_algorithm *const *xc_device_algorithms(void)
{
	return device_algorithms;
}

static const xc_algorithm *find(const xc_algorithm *const *list, const char *name)
{
	while (*list && strcmp((*list)->name, name) != 0)
		list++;
	return *list;
}

const xc_algorithm *xc_algorithm_find(const char *name)
{
	const xc_algorithm *found = find(algorithms, name);
	return found ? found : find(device_algorithms, name);
}

size_t xc_precision_bytes(xc_precision precision)
{
	switch (precision) {
	case XC_PRECISION_16:
		return 2;
	case XC_PRECISION_32:
		return sizeof(float);
	case XC_PRECISION_64:
		return sizeof(double);
	case XC_PRECISION_80:
		return sizeof(long double);
	}
	return 0;
}

int xc_precision_bits(xc_precision precision)
{
	switch (precision) {
	case XC_PRECISION_16:
		return 16;
	case XC_PRECISION_32:
		return 32;
	case XC_PRECISION_64:
		return 64;
	case XC_PRECISION_80:
		return 128;
	}
	return 0;
}

xc_plan *xc_plan_new(const xc_algorithm *algorithm, xc_direction direction, xc_precision precision,
                     const xc_transform_size *size, int threads)
{
	xc_transform_size bands;
	if (!(algorithm->precisions & (unsigned)precision) || threads < 1 ||
	    algorithm->output_size(XC_FORWARD, size, &bands))
		return NULL;
	xc_plan *plan = calloc(1, sizeof *plan);
	if (!plan)
		return NULL;
	plan->algorithm = algorithm;
	plan->direction = direction;
	plan->precision = precision;
	plan->size = *size;
	plan->threads = algorithm->threaded ? threads : 1;
	if (algorithm->prepare(plan)) {
		free(plan);
		return NULL;
	}
	return plan;
}

void xc_plan_execute(const xc_plan *plan, const void *in, void *out)
{
	plan->algorithm->execute(plan, in, out);
}

const char *xc_plan_failure(const xc_plan *plan)
{
	return plan->algorithm->device ? plan->algorithm->device->failure(plan) : NULL;
}

void xc_plan_free(xc_plan *plan)
{
	if (!plan)
		return;
	plan->algorithm->finish(plan);
	free(plan);
}
