/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture and options made of any bytes. The input: a byte each for width, height,
 * channels and depth, quality, subsampling with kind of codes, transform and effort,
 * tables, stride with metadata, entropy coding with colour, tune and parts of quality; then
 * samples, repeated as needed.
 */
#ifndef XC_FUZZ_RECIPE_H
#define XC_FUZZ_RECIPE_H

#include "fuzz/fuzz.h"

enum { XC_RECIPE_BYTES = 8 };

typedef struct xc_recipe {
	xc_picture picture; /* its data is freed with free() */
	xc_encode_options options;
	xc_metadata metadata;
} xc_recipe;

/* size: at least XC_RECIPE_BYTES.  most: of width and height. */
void xc_recipe_make(const uint8_t *data, size_t size, uint32_t max, xc_recipe *recipe);
/* Replaces the bytes by a seed. */
void xc_recipe_seed(unsigned i, xc_bytes *out);

#endif
