/* SPDX-License-Identifier: BSD-2-Clause */
/* The reference decoder's arrays: a second reading of section 11 of doc/format.md. */
#ifndef XC_TESTS_FORMAT_REFDEC_ARRAY_H
#define XC_TESTS_FORMAT_REFDEC_ARRAY_H

#include <stddef.h>
#include <stdint.h>

typedef struct refdec_array {
	uint32_t type, dimensions; /* [11.1] */
	uint64_t size[4];
	void *values; /* in the machine's byte order, freed by the caller */
} refdec_array;

/* Returns NULL, or what is wrong with the file; the array is then empty. Files of more than
 * max_values are refused. */
const char *refdec_decode_array(const uint8_t *file, size_t size, uint64_t max_values,
                                refdec_array *array);

#endif
