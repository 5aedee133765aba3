/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two halves of train_rans share: the symbols of pictures, and the
 * model fitted to them. */
#ifndef XC_BENCH_TOOLS_TRAIN_RANS_H
#define XC_BENCH_TOOLS_TRAIN_RANS_H

#include <stddef.h>

#include <xcodec.h>

#include "entropy/rans/rans.h"

/* A component of a tile: symbols of its blocks, in transposed order. */
typedef struct xc_train_part {
	uint8_t (*symbols)[64];
	uint32_t wide, high; /* high: at most 16 */
	int chroma;
	double weight; /* of each symbol */
} xc_train_part;

typedef struct xc_train_parts {
	xc_train_part *of;
	size_t count, room;
} xc_train_parts;

/* Adds the parts of a picture, 8-bit RGB, coded in one way: step, TDLT or DCT, 4:2:0 or 4:4:4.
 * Coefficients are decided with the built-in tables. */
void xc_train_add(xc_train_parts *parts, const xc_picture *picture, float step, int dct, int half);

/* Writes the numbers fitted to the parts as entropy/rans/builtin.c. */
void xc_train_fit(const xc_train_parts *parts);

#endif
