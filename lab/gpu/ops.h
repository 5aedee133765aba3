/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface between the registry of transforms and the module xcodec-lab-cuda.so, which has
 * the transforms for a GPU: plain C and nothing of CUDA.  The makefile sets XC_LAB_ABI to a
 * checksum of all headers that declare what passes between them.
 *
 * A function that fails leaves one line without a newline in `why`.
 */
#ifndef XC_LAB_GPU_OPS_H
#define XC_LAB_GPU_OPS_H

#include <stdint.h>

#include "lab/cpu/band/band.h"
#include "lab/registry.h"

typedef enum xc_lab_kind {
	XC_LAB_COPY,  /* device to device: what others are measured against */
	XC_LAB_BAND,  /* 8 bands: transform, rows, cols, scale, rounds */
	XC_LAB_SHORT, /* 8x8 in 16 bits: rounds, scale.f32 */
	XC_LAB_DMM,   /* whole frames, here and below: two matrix products */
	XC_LAB_DMM_CUBLAS,
	XC_LAB_PRODUCT,    /* the first of these products alone */
	XC_LAB_LINES,      /* every kind, line by line: transform_kind, way */
	XC_LAB_FFT_ROWCOL, /* one axis after the other, by batches of one-dimensional FFTs */
	XC_LAB_FFT_MULTI,  /* in two passes, where sizes allow it, else in three stages */
	XC_LAB_FFT_STAGES, /* one FFT of all axes, a stage before it and one after it */
	XC_LAB_REAL_FFT,   /* cuFFT's R2C or C2R alone */
	XC_LAB_COMPLEX_FFT /* its C2C */
} xc_lab_kind;

/* In XC_LAB_FFT_STAGES a thread takes 16 bytes and all that is symmetric to a value; or one sample, from
 * or to its place in Makhoul's order; or one value alone. */
typedef enum xc_stage_way {
	XC_STAGE_RUNS,
	XC_STAGE_GATHER,
	XC_STAGE_SCATTER,
	XC_STAGE_NAIVE
} xc_stage_way;

typedef struct xc_lab_job {
	xc_lab_kind kind;
	xct_direction direction;
	xct_precision precision;
	xc_transform_size in, out; /* of the arrays */
	xct_kind transform_kind;
	int way; /* an xc_line_method, an xc_stage_way, or 1: a plain product */
	xc_band_transform transform;
	xc_band_axis rows, cols;
	union {
		float f32[64];
		double f64[64];
	} scale; /* forward: after the transform; inverse: before */
	/* Whole arrays alone: factors of the samples of `in` and `out` along slices, rows and columns, in the
	 * processor's memory until prepare() ends; NULL: 1 along all axes. */
	const void *factors[2][3];
	int still;                /* XC_LAB_LINES: bits 0 to 2: slices, rows, columns are left alone */
	int device;               /* its number */
	void *stream;             /* a cudaStream_t; NULL: one of the plan's own */
	int on_device;            /* the arrays are there: enqueue() alone is called */
	int rounds;               /* quantized: coefficients are rounded */
	int sine_cols, sine_rows; /* along each row; down the columns */
} xc_lab_job;

typedef struct xc_lab_ops {
	uint32_t abi;   /* XC_LAB_ABI */
	int has_frames; /* the transforms of whole frames are built: XC_LAB_DMM and what follows */
	/* 0 and the device's name, or -1 and why it cannot be used. */
	int (*probe)(int number, char device[XC_DEVICE_MESSAGE], char why[XC_DEVICE_MESSAGE]);
	/* Memory, tables and FFT plans on the device; NULL: why. */
	void *(*prepare)(const xc_lab_job *job, char why[XC_DEVICE_MESSAGE]);
	/* From an array in memory to another one, timed.  0 or -1. */
	int (*execute)(void *state, const void *in, void *out, xct_times *times,
	               char why[XC_DEVICE_MESSAGE]);
	/* From an array of the device to another one or to itself, in the job's stream, without waiting.
	 * 0 or -1. */
	int (*enqueue)(void *state, const void *in, void *out, char why[XC_DEVICE_MESSAGE]);
	/* The transform alone: seconds[i] is the mean of several in a row, each with other arrays,
	 * so that they are not in a cache.  times->stage is filled in.  0 or -1. */
	int (*measure)(void *state, const void *in, int runs, double *seconds, xct_times *times,
	               char why[XC_DEVICE_MESSAGE]);
	void (*finish)(void *state); /* accepts NULL */
} xc_lab_ops;

#endif
