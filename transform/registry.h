/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry of named transforms: every classic algorithm behind one
 * interface, for the commands `transform` and `bench transforms` and for tests.
 * The codec's own path does not go through here.
 *
 * Arrays are dense, row-major, `slices` x `rows` x `cols` samples of the
 * precision's C type.  All transforms are orthonormal unless an algorithm's
 * `scaling` line says otherwise.
 */
#ifndef XC_TRANSFORM_REGISTRY_H
#define XC_TRANSFORM_REGISTRY_H

#include <stddef.h>

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

typedef struct xc_transform_size {
	size_t slices, rows, cols; /* slices is 1 but for 3-D transforms */
} xc_transform_size;

typedef struct xc_algorithm {
	const char *name;       /* "cpu-aan" */
	const char *summary;    /* one line for --list */
	const char *source;     /* who published it, and where */
	const char *scaling;    /* "orthonormal", or what it is */
	xc_transform_kind kind;
	unsigned precisions;    /* set of xc_precision */
	int threaded;           /* uses more than one thread when asked */
	/* The size of the output of `direction` for an input of `in` (a LOT with
	 * stored boundaries grows).  Returns 0, or -1 when the size is not
	 * possible for this algorithm. */
	int (*output_size)(xc_direction direction, const xc_transform_size *in,
	                   xc_transform_size *out);
	/* Tables, scratch and FFT plans for one shape; not part of timed work.
	 * size is the size of the *spatial* array (input of forward, output of
	 * inverse).  Returns 0 and sets plan->state, or -1 (out of memory, size). */
	int (*prepare)(xc_plan *plan);
	/* in and out do not overlap, unless they are equal and `in_place` is 1.  One
	 * call at a time for one plan: state holds the scratch memory. */
	void (*execute)(const xc_plan *plan, const void *in, void *out);
	void (*finish)(xc_plan *plan); /* frees plan->state; accepts NULL state */
	int in_place;
	const void *details;    /* the implementation's own */
} xc_algorithm;

struct xc_plan {
	const xc_algorithm *algorithm;
	xc_direction direction;
	xc_precision precision;
	xc_transform_size size; /* of the spatial array */
	int threads;            /* at least 1 */
	void *state;
};

/* All algorithms of this build, in the order of the documentation; ends with a
 * NULL entry.  Those that need FFTW are there only when it was found. */
const xc_algorithm *const *xc_algorithms(void);
const xc_algorithm *xc_algorithm_find(const char *name); /* NULL: none */

size_t xc_precision_bytes(xc_precision precision);
int xc_precision_bits(xc_precision precision); /* 16, 32, 64, 128 as in the data files */

/* A plan, freed by xc_plan_free() (accepts NULL); NULL when the algorithm does
 * not do this size or precision, or memory is out. */
xc_plan *xc_plan_new(const xc_algorithm *algorithm, xc_direction direction, xc_precision precision,
                     const xc_transform_size *size, int threads);
void xc_plan_execute(const xc_plan *plan, const void *in, void *out);
void xc_plan_free(xc_plan *plan);

#endif
