/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lossless coder: samples of a tile to the bytes of a segment and back (doc/format.md, section
 * 7). It codes colour, grey, indices of a palette, and alpha. src/encode/ and src/decode/ call it.
 * It knows nothing of files.
 */
#ifndef XC_LOSSLESS_LOSSLESS_H
#define XC_LOSSLESS_LOSSLESS_H

#include <stddef.h>
#include <stdint.h>

#include "src/core/cpu.h"

enum {
	XC_LOSSLESS_SIDE = 1024,     /* the most of a tile's width and height */
	XC_LOSSLESS_MAX_ERROR = 4095 /* see xc_lossless_shape */
};

/* What encoder and decoder both know of a tile. */
typedef struct xc_lossless_shape {
	uint32_t width, height; /* 1 to XC_LOSSLESS_SIDE */
	uint32_t channels;      /* 1 to 4, interleaved; the last of 2 and 4 is alpha */
	uint32_t depth;         /* 8: samples are uint8_t; 16: uint16_t */
	uint32_t max_error; /* the most by which a decoded sample may be off, but alpha beside others */
} xc_lossless_shape;

typedef struct xc_lossless_options {
	int effort;            /* 0 to 3 */
	int drawing;           /* 1: try pixels as a whole first; 0: predict samples */
	int clear_transparent; /* 1: colours of pixels whose alpha is 0 need not be kept */
} xc_lossless_options;

/* Bytes that a segment has at most, and bytes of memory that coding needs besides (aligned to 64). */
size_t xc_lossless_bound(const xc_lossless_shape *shape);
size_t xc_lossless_encode_scratch(const xc_lossless_shape *shape);
size_t xc_lossless_decode_scratch(const xc_lossless_shape *shape);

/* The functions of a SIMD level. All levels make the same bytes. */
typedef struct xc_lossless_level {
	/* Codes the tile whose rows are `stride` bytes apart; returns the bytes of the segment. */
	size_t (*encode)(const xc_lossless_shape *shape, const xc_lossless_options *options,
	                 const void *samples, size_t stride, void *scratch, uint8_t *out);
	/* Decodes `size` bytes at `data`. 0: they are damaged, and
	 * the samples are undefined. */
	int (*decode)(const xc_lossless_shape *shape, const uint8_t *data, size_t size, void *scratch,
	              void *samples, size_t stride);
} xc_lossless_level;

const xc_lossless_level *xc_lossless_level_get(xc_cpu cpu);

/*
 * Alpha beside colours with loss: a shape of one channel without max_error, rows without gaps. A
 * segment without bytes is opaque, and one of a byte has that byte in all samples, twice if these
 * have 16 bits. effort: of the encoder. Damaged segments become opaque.
 */
size_t xc_lossless_encode_alpha(xc_cpu cpu, int effort, const xc_lossless_shape *shape,
                                const void *samples, void *scratch, uint8_t *out);
int xc_lossless_decode_alpha(xc_cpu cpu, const xc_lossless_shape *shape, const uint8_t *data,
                             size_t size, void *scratch, void *samples);

/* The share of pixels that equal a neighbour to the left or above, in 256ths, of the pixels of every
 * fourth row; counts of 0.6 and more make a drawing. bytes: of a pixel that count; step: from one
 * to the next. */
uint32_t xc_lossless_share_of_equals(const void *pixels, ptrdiff_t stride, uint32_t width,
                                     uint32_t height, uint32_t bytes, uint32_t step);
enum { XC_LOSSLESS_DRAWING = 154 };
/* A tile of so few pixels is tried as a drawing in any case, but at effort 0. */
enum { XC_LOSSLESS_SMALL = 1 << 14 };

#endif
