/* SPDX-License-Identifier: BSD-2-Clause */
/* A lossless coder of planes of samples of 8 or 16 bits, today used for alpha: samples of a tile to
 * a segment and back (doc/format.md, 7). An empty segment is a plane of the largest sample, which
 * alpha mostly is. */
#ifndef XC_ENTROPY_PLANE_H
#define XC_ENTROPY_PLANE_H

#include <stddef.h>
#include <stdint.h>

/* The first byte of a segment of two bytes or more. Without bytes all samples are the largest, and
 * the byte of a segment of one is that of all samples. */
enum {
	XC_PLANE_CONSTANT = 0, /* all samples equal this one, of 16 bits */
	XC_PLANE_RAW = 1,      /* all samples */
	XC_PLANE_ABOVE = 2,    /* codes and residues of predictions: the sample above */
	XC_PLANE_PLANAR = 3,   /* a plane through three neighbours */
	XC_PLANE_DOUBLED = 4   /* both bytes of each sample are equal: a segment of 8 bits */
};

/* Symbols: classes of runs of zeros, residues, and an escape before a residue of eight bits. */
enum {
	XC_PLANE_RUNS = 32,
	XC_PLANE_MAX_RUN = 1 << 16,
	XC_PLANE_ESCAPE = 255,
	XC_PLANE_MAX_LENGTH = 11, /* of codes */
	XC_PLANE_TOUCHED = 64     /* bytes after an array in the scratch that are touched */
};

/* Bytes of scratch, aligned for uint32_t, for either function; the most bytes of a segment,
 * including bytes after its end that encoding may touch. samples: width * height; bytes: of a
 * sample, 1 or 2. */
size_t xc_plane_scratch(size_t samples, size_t bytes);
size_t xc_plane_bound(size_t samples, size_t bytes);

/* samples: uint8_t or uint16_t, row by row without gaps.  Returns the bytes of the segment. */
typedef size_t xc_plane_encoder(const void *samples, size_t width, size_t height, size_t bytes,
                                void *scratch, uint8_t *out);
/* No byte from `readable` on is read.  0: the segment is damaged, and the samples are undefined. */
typedef int xc_plane_decoder(const uint8_t *segment, size_t size, const uint8_t *readable,
                             size_t width, size_t height, size_t bytes, void *scratch,
                             void *samples);

xc_plane_encoder xc_plane_encode, xc_plane_encode_bmi2;
xc_plane_decoder xc_plane_decode, xc_plane_decode_bmi2;

#endif
