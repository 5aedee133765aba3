/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry of named transforms: every classic algorithm through one interface, for the
 * commands `transform` and `bench transforms` and for tests.  The codec does not use it.
 *
 * Arrays are dense, row by row, `slices` x `rows` x `cols` samples of the precision's C type.  All
 * transforms are orthonormal unless an algorithm's `scaling` says otherwise.
 */
#ifndef XC_LAB_REGISTRY_H
#define XC_LAB_REGISTRY_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

typedef enum xc_precision {
	XC_PRECISION_16 = 1, /* int16_t */
	XC_PRECISION_32 = 2, /* float */
	XC_PRECISION_64 = 4, /* double */
	XC_PRECISION_80 = 8  /* long double; "128" in the 2006 work's data files */
} xc_precision;

typedef enum xc_direction { XC_FORWARD = 0, XC_INVERSE = 1 } xc_direction;

typedef enum xc_transform_kind {
	XC_KIND_BLOCK_DCT, /* 8x8 blocks, each alone */
	XC_KIND_LAPPED,    /* 8-band, overlapping */
	XC_KIND_FRAME      /* the whole array at once */
} xc_transform_kind;

typedef struct xc_plan xc_plan;
typedef struct xc_algorithm xc_algorithm;

typedef struct xc_transform_size {
	size_t slices, rows, cols; /* slices is 1 but for 3-D transforms */
} xc_transform_size;

static inline size_t xc_transform_samples(const xc_transform_size *size)
{
	return size->slices * size->rows * size->cols;
}

/* Seconds of one execution.  An algorithm that runs on a device of its own, such as a GPU, moves
 * its arrays there and back. */
typedef struct xc_device_times {
	double upload, kernel, download;
} xc_device_times;

enum { XC_DEVICE_MESSAGE = 256 };

/* What an algorithm of a device has in addition. */
typedef struct xc_algorithm_device {
	/* Returns 0 and the device's name, or -1 and why it cannot run here, in one line. */
	int (*usable)(const xc_algorithm *algorithm, char text[XC_DEVICE_MESSAGE]);
	/* Times the transform alone, on arrays that are on the device already: the seconds of
	 * each of `runs` runs.  Returns 0 or -1. */
	int (*measure)(const xc_plan *plan, const void *in, int runs, double *seconds);
	/* The times of the last execution. */
	xc_device_times (*times)(const xc_plan *plan);
	/* Why the last execution or measurement failed; NULL when it did not. */
	const char *(*failure)(const xc_plan *plan);
} xc_algorithm_device;

/* What runs an algorithm in one precision. */
typedef struct xc_engine {
	/* Makes tables, scratch and FFT plans for one shape, which timed work does not include: the
	 * plan's state, or NULL when memory is out or the engine does not take the size.  NULL:
	 * nothing to prepare. */
	void *(*prepare)(const xc_plan *plan);
	/* in and out do not overlap, unless they are equal and `in_position` is 1.  A plan runs one
	 * call at a time, for its state holds the scratch. */
	void (*execute)(const xc_plan *plan, const void *in, void *out);
	void (*finish)(void *state); /* frees what prepare() made; never gets NULL */
} xc_engine;

struct xc_algorithm {
	const char *name;    /* "cpu-aan" */
	const char *summary; /* one line for --list */
	const char *source;  /* who published it, and where */
	const char *scaling; /* "orthonormal", or what it is */
	xc_transform_kind kind;
	unsigned precisions; /* set of xc_precision */
	int threaded;        /* uses more than one thread when asked */
	/* The size of the output of `direction` for an input of `in` (a LOT with stored boundaries
	 * grows).  Returns 0, or -1 when the size is not possible for this algorithm. */
	int (*output_size)(xc_direction direction, const xc_transform_size *in, xc_transform_size *out);
	int in_position;
	const xc_engine *const *engines;   /* for 16 or 32 bits, 64 and 80 */
	int way;                           /* which of the engine's ways */
	const void *details;               /* the implementation's own */
	const xc_algorithm_device *device; /* NULL: this processor */
};

struct xc_plan {
	const xc_algorithm *algorithm;
	xc_direction direction;
	xc_precision precision;
	xc_transform_size size; /* of the spatial array: input of forward, output of inverse */
	int threads;            /* at least 1 */
	void *state;
};

/* All algorithms of this build for this processor, in the order of the documentation; a NULL entry
 * ends the list.  Those that need FFTW or OpenMP are absent when it is. */
extern const xc_algorithm *const xc_cpu_algorithms[];
/* Those for a GPU, whether this machine has one or not. */
extern const xc_algorithm *const xc_gpu_algorithms[];
const xc_algorithm *xc_algorithm_find(const char *name); /* of both; NULL: none */

static inline size_t xc_precision_bytes(xc_precision precision)
{
	return precision == XC_PRECISION_80 ? sizeof(long double) : 2 * (size_t)precision;
}

/* 16, 32, 64 or 128, as in the data files. */
static inline int xc_precision_bits(xc_precision precision)
{
	return precision == XC_PRECISION_80 ? 128 : 8 * (int)xc_precision_bytes(precision);
}

/* Samples of an array of any precision, one at a time: slow, and exact in long double. */
static inline long double xc_sample_get(const void *samples, xc_precision precision, size_t i)
{
	if (precision == XC_PRECISION_16)
		return ((const int16_t *)samples)[i];
	if (precision == XC_PRECISION_32)
		return (long double)((const float *)samples)[i];
	if (precision == XC_PRECISION_64)
		return (long double)((const double *)samples)[i];
	return ((const long double *)samples)[i];
}

/* 16 bits: rounded to a whole number, which must fit. */
static inline void xc_sample_put(void *samples, xc_precision precision, size_t i, long double value)
{
	if (precision == XC_PRECISION_16)
		((int16_t *)samples)[i] = (int16_t)lrintl(value);
	else if (precision == XC_PRECISION_32)
		((float *)samples)[i] = (float)value;
	else if (precision == XC_PRECISION_64)
		((double *)samples)[i] = (double)value;
	else
		((long double *)samples)[i] = value;
}

/* Makes a plan, which xc_plan_free() frees (it accepts NULL).  Returns NULL when the algorithm does
 * not take this size or precision, or memory is out.  A plan for a device is made even when the
 * device fails, as long as there is memory for it: see xc_plan_failure(). */
xc_plan *xc_plan_new(const xc_algorithm *algorithm, xc_direction direction, xc_precision precision,
                     const xc_transform_size *size, int threads);
/* The output is defined only if xc_plan_failure() is NULL afterwards. */
void xc_plan_execute(const xc_plan *plan, const void *in, void *out);
/* Why a device failed to prepare the plan or in the last call, in one line; NULL when it did not,
 * or when the plan is the processor's. */
const char *xc_plan_failure(const xc_plan *plan);
void xc_plan_free(xc_plan *plan);

#endif
