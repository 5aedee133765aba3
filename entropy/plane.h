/* SPDX-License-Identifier: BSD-2-Clause */
/* The coder of alpha: samples of a tile to a segment and back, without loss (doc/format.md, 7). */
#ifndef XC_ENTROPY_ALPHA_H
#define XC_ENTROPY_ALPHA_H

#include <stddef.h>
#include <stdint.h>

/* The first byte of a segment of two bytes or more.  Without bytes it is opaque, and the byte of
 * a segment of one is that of all samples. */
enum {
	XC_ALPHA_CONSTANT = 0, /* one sample, which all are equal to; of 16 bits */
	XC_ALPHA_RAW = 1,      /* all samples */
	XC_ALPHA_ABOVE = 2,    /* codes and residues of predictions: the sample above */
	XC_ALPHA_PLANE = 3,    /* a plane through three neighbours */
	XC_ALPHA_DOUBLED = 4   /* both bytes of each sample are equal: a segment of 8 bits */
};

/* Symbols: 0 to 31 a run of zeros by its class, then residues, then any residue as eight bits. */
enum {
	XC_ALPHA_RUNS = 32,
	XC_ALPHA_MOST_RUN = 1 << 16,
	XC_ALPHA_ESCAPE = 255,
	XC_ALPHA_MOST_LENGTH = 11, /* of codes */
	XC_ALPHA_TOUCHED = 64      /* bytes after an array in the scratch that are touched */
};

/* Bytes of scratch, aligned for uint32_t, that either function takes; and of a segment at most, with
 * those after its end that encoding may touch.  samples: width * height; bytes: of a sample, 1 or 2. */
size_t xc_alpha_scratch(size_t samples, size_t bytes);
size_t xc_alpha_bound(size_t samples, size_t bytes);

/* samples: uint8_t or uint16_t, row by row without gaps.  Returns the bytes of the segment. */
typedef size_t xc_alpha_encoder(const void *samples, size_t width, size_t height, size_t bytes,
                                void *scratch, uint8_t *out);
/* No byte from `readable` on is read.  0: the segment is damaged, and the samples are undefined. */
typedef int xc_alpha_decoder(const uint8_t *segment, size_t size, const uint8_t *readable,
                             size_t width, size_t height, size_t bytes, void *scratch,
                             void *samples);

xc_alpha_encoder xc_alpha_encode, xc_alpha_encode_bmi2;
xc_alpha_decoder xc_alpha_decode, xc_alpha_decode_bmi2;

#endif
