/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry of named transforms, behind libxct: what an algorithm is, and the engines that run it on
 * one dense array of `slices` x `rows` x `cols` samples.  lab/plan.c puts batches, strides, scalings and
 * a fourth dimension around them.
 *
 * All transforms are orthonormal unless an algorithm's `scaling` says otherwise.
 */
#ifndef XC_LAB_REGISTRY_H
#define XC_LAB_REGISTRY_H

#include <stddef.h>
#include <xct.h>

struct xc_pool;

typedef struct xc_plan xc_plan;
typedef struct xc_algorithm xc_algorithm;

typedef struct xc_transform_size {
	size_t slices, rows, cols; /* slices is 1 but for 3-D transforms */
} xc_transform_size;

static inline size_t xc_transform_samples(const xc_transform_size *size)
{
	return size->slices * size->rows * size->cols;
}

enum { XC_DEVICE_MESSAGE = 256 };

/* What an algorithm of a device has in addition. */
typedef struct xc_algorithm_device {
	/* Returns 0 and the device's name, or -1 and why it cannot run here, in one line. */
	int (*usable)(const xc_algorithm *algorithm, int device, char text[XC_DEVICE_MESSAGE]);
	/* Times the transform alone, on arrays that are on the device already: the seconds of
	 * each of `runs` runs.  Returns 0 or -1. */
	int (*measure)(const xc_plan *plan, const void *in, int runs, double *seconds);
	/* The times of the last execution. */
	xct_times (*times)(const xc_plan *plan);
	/* Why the plan, the last execution or measurement failed; NULL when it did not. */
	const char *(*failure)(const xc_plan *plan);
} xc_algorithm_device;

/* What runs an algorithm in one precision. */
typedef struct xc_engine {
	/* Makes tables, scratch and FFT plans for one shape, which timed work does not include: the
	 * plan's state, or NULL when memory is out or the engine does not take the size.  NULL:
	 * nothing to prepare. */
	void *(*prepare)(const xc_plan *plan);
	/* in and out do not overlap, unless they are equal and `in_place` is 1.  A plan runs one
	 * call at a time, for its state holds the scratch. */
	void (*execute)(const xc_plan *plan, const void *in, void *out);
	void (*finish)(void *state); /* frees what prepare() made; never gets NULL */
	/* What one execution does; NULL: not known. */
	void (*count)(const xc_plan *plan, xct_operations *operations);
} xc_engine;

struct xc_algorithm {
	xct_algorithm is;
	/* The size of the output of `direction` for an input of `in` (a LOT with stored boundaries
	 * grows).  Returns 0, or -1 when the size is not possible for this algorithm. */
	int (*output_size)(xct_direction direction, const xc_transform_size *in,
	                   xc_transform_size *out);
	const xc_engine *const *engines;   /* for 16 or 32 bits, 64 and 80 */
	int way;                           /* which of the engine's ways */
	const void *details;               /* the implementation's own */
	const xc_algorithm_device *device; /* NULL: this processor */
};

/* The kinds that transform in blocks or bands, and those of whole arrays. */
enum { XC_KINDS_BANDED = -(1 << XCT_BLOCK_DCT) };
static inline int xc_is_banded(const xct_algorithm *algorithm)
{
	return ((int)algorithm->kinds & XC_KINDS_BANDED) != 0;
}

struct xc_plan {
	const xc_algorithm *algorithm;
	/* DCT3 and DST3 are DCT2 and DST2 in the other direction. */
	xct_kind kind;
	xct_direction direction;
	xct_precision precision;
	xc_transform_size size; /* of the spatial array: input of forward, output of inverse */
	int threads;            /* at least 1 */
	int bands;              /* of a transform in blocks or bands */
	int estimate;           /* FFTW measures nothing */
	struct xc_pool *pool;   /* of the threads; NULL: one after the other */
	/* 1: 8x8 coefficients are multiplied with these besides the algorithm's own. */
	int weighs;
	long double factors[64];
	/* A GPU's own: factors of the samples of its input and output along slices, rows and columns, of the
	 * precision; NULL: 1.  Used by prepare() alone. */
	const void *axis_factors[2][3];
	int still; /* bits 0 to 2: a GPU leaves slices, rows or columns alone, if it does 4 dimensions */
	int device;
	xct_memory memory;
	void *stream;
	void *state;
};

/* All algorithms of this build for this processor, in the order of the documentation; a NULL entry
 * ends the list.  Those that need FFTW are absent when it is. */
extern const xc_algorithm *const xc_cpu_algorithms[];
/* Those for a GPU, whether this machine has one or not. */
extern const xc_algorithm *const xc_gpu_algorithms[];
const xc_algorithm *xc_algorithm_find(const char *name); /* of both; NULL: none */

/* Makes a plan like `wanted`, whose state is not used; xc_plan_free() frees it (it accepts NULL).
 * Returns NULL when the algorithm does not take this size or precision, or memory is out.  A plan for a
 * device is made even when the device fails, as long as there is memory for it: see
 * xc_plan_failure(). */
xc_plan *xc_plan_new(const xc_plan *wanted);
/* The output is defined only if xc_plan_failure() is NULL afterwards. */
void xc_plan_execute(const xc_plan *plan, const void *in, void *out);
/* Why a device failed to prepare the plan or in the last call, in one line; NULL when it did not,
 * or when the plan is the processor's. */
const char *xc_plan_failure(const xc_plan *plan);
xct_operations xc_plan_operations(const xc_plan *plan);
void xc_plan_free(xc_plan *plan);

#endif
