/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes, axes and factors of the 8-band transforms, shared by processor and GPU. */
#ifndef XC_LAB_CPU_BAND_PLAN_H
#define XC_LAB_CPU_BAND_PLAN_H

#include "lab/cpu/band/axis.h"
#include "lab/cpu/band/run.h"
#include "lab/registry.h"

/* xc_algorithm.details */
typedef struct xc_band_details {
	xc_band_transform transform;
	int stored_edges; /* the 2006 work's rule instead of the symmetric one */
	int plain;        /* without vectors, whatever the processor has */
} xc_band_details;

/* An axis of n samples of the spatial array. */
xc_band_axis xc_band_make_axis(const xc_band_details *details, xc_direction direction, size_t n);
/* Writes the factors of 64 coefficients that the one-dimensional kernels leave out; returns 0 if
 * they leave out none. */
int xc_band_make_scale(xc_band_transform transform, xc_precision precision, void *scale);

int xc_band_size_same(xc_direction direction, const xc_transform_size *in, xc_transform_size *out);
int xc_band_size_stored(xc_direction direction, const xc_transform_size *in,
                        xc_transform_size *out);

/* frame.c: the engine of all of them but cpu-short. */
extern const xc_engine xc_band_f32, xc_band_f64, xc_band_f80;
/* block_fftw.c: 8x8 DCTs by FFTW. */
typedef enum xc_block_fftw_way {
	XC_BLOCK_FFTW_SIMPLE,  /* one plan, run on each block */
	XC_BLOCK_FFTW_ADVANCED /* one plan for all blocks */
} xc_block_fftw_way;
extern const xc_engine xc_block_fftw_f32, xc_block_fftw_f64, xc_block_fftw_f80;

#endif
