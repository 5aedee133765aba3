/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays made to test with, of every type and kind, with options from one extreme to the other; and
 * whether what was decoded of them keeps the bound, by arithmetic of its own. All is made by exact or
 * correctly rounded operations, so that a seed gives the same array on every machine.
 */
#ifndef XC_TESTS_SUPPORT_ARRAYS_H
#define XC_TESTS_SUPPORT_ARRAYS_H

#include <stddef.h>
#include <stdlib.h>
#include <xcodec_array.h>

typedef struct xc_made_array {
	xc_array_shape shape;
	xc_array_options options;
	size_t count, each; /* values, bytes of one */
	void *values;
	double low,
		high; /* of the finite ones that are not the fill value; low above high: there are none */
} xc_made_array;

/* At most `most` values. Running out of memory ends the program. */
void xc_made_array_make(uint64_t seed, size_t most, xc_made_array *a);
/* Sets low and high, and the options' where they ask for a bound by the range. */
void xc_made_array_look(xc_made_array *a);
/* The first value that is not as the options promise; -1: none, -2: PSNR or SNR is too low. */
ptrdiff_t xc_made_array_wrong(const xc_made_array *a, const void *decoded);

static inline void xc_made_array_free(const xc_made_array *a)
{
	free(a->values);
}
#define OWN_TEST_ARRAY __attribute__((cleanup(xc_made_array_free))) xc_made_array

static inline void xc_made_reader_free(xc_array_reader *const *r)
{
	xc_array_reader_free(*r);
}
#define OWN_READER __attribute__((cleanup(xc_made_reader_free))) xc_array_reader *

/* A file in memory, or by functions. */
xc_source xc_made_source(const void *file, size_t size, int functions);

#endif
