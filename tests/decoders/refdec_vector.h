/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_TESTS_DECODERS_REFDEC_VECTOR_H
#define XC_TESTS_DECODERS_REFDEC_VECTOR_H

#include "tests/decoders/vectors.h"

/* What the reference decoders make of a file of any kind. Returns what is wrong with it, or NULL. */
const char *refdec_vector(const uint8_t *file, size_t size, xc_vector_result *r);

#endif
