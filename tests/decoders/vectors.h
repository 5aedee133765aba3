/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The test vectors of tests/vectors: the lines of their MANIFEST, and what decoders make of them in
 * the same words. Running out of memory ends the program.
 */
#ifndef XC_TESTS_DECODERS_VECTORS_H
#define XC_TESTS_DECODERS_VECTORS_H

#include <xcodec.h>

#include "tests/support/bytes.h"

/* The classes of tests/vectors/README.md, in the order of their names there. */
typedef enum xc_vector_class {
	XC_VECTOR_GOOD,
	XC_VECTOR_DAMAGED,
	XC_VECTOR_BAD,
	XC_VECTOR_UNSUPPORTED,
	XC_VECTOR_LIMIT,
	XC_VECTOR_CLASSES
} xc_vector_class;
const char *xc_vector_class_name(xc_vector_class c);

typedef struct xc_vector_result {
	xc_vector_class class;
	uint64_t damaged; /* segments of DAMAGED */
	char shape[80];   /* "picture:60x50x3x8", "array:float32:4x5x6", "jpeg:1234" or "-" */
	char hash[65];    /* SHA-256 of the samples; or "-" */
} xc_vector_result;

/* Fill the result with what was decoded, or with the status of a refusal. Samples are hashed in their
 * order, of more than a byte the lowest first. */
void xc_vector_refused(xc_vector_result *r, xc_status status);
void xc_vector_picture(xc_vector_result *r, const xc_picture *picture);
/* type: an xc_array_type. */
void xc_vector_array(xc_vector_result *r, uint32_t type, uint32_t dimensions, const uint64_t *size,
                     const void *values);
void xc_vector_jpeg(xc_vector_result *r, const void *bytes, uint64_t size);
/* What the library makes of a file; of a damaged picture, if it is told to go on. */
void xc_vector_decode(xc_context *context, const uint8_t *file, size_t size, xc_vector_result *r);
int xc_vector_same(const xc_vector_result *a, const xc_vector_result *b);

typedef struct xc_test_vector {
	char name[80]; /* of the file */
	xc_vector_result wanted;
	xc_bytes file;
} xc_test_vector;

/* Calls `each` with all vectors of $srcdir/tests/vectors. Returns their number; 0 after saying why there are none. */
unsigned xc_vectors_each(void (*each)(const xc_test_vector *vector));

#endif
