/* SPDX-License-Identifier: BSD-2-Clause */
/* The second entropy mode: context-modelled rANS in sixteen lanes (doc/format.md tells the coding,
 * entropy/rans/model.h the model). One call codes or decodes one segment. */
#ifndef XC_ENTROPY_RANS_RANS_H
#define XC_ENTROPY_RANS_RANS_H

#include <stddef.h>

#include "entropy/rans/tables.h"
#include "src/core/cpu.h"

/* The components of a segment: luma and perhaps two of chroma, in blocks. Coefficients lie as
 * [blocks][64], in transposed order; component c begins with block first[c], row by row. */
typedef struct xc_rans_shape {
	int components; /* 1 or 3 */
	uint32_t wide[3], high[3], first[3];
	uint32_t blocks; /* of all components; at most 2^16 */
} xc_rans_shape;

/* Bytes that a segment can take at most, and bytes of scratch memory that coding one takes. */
size_t xc_rans_bound(const xc_rans_shape *shape);
size_t xc_rans_scratch(const xc_rans_shape *shape);

/* Steps that the lanes take to go through a segment, a block of each at a time. */
size_t xc_rans_steps(const xc_rans_shape *shape);

/* Decodes `count` segments of one shape, several at a time. Sets all their coefficients, in
 * sixteenths of a step (entropy/points.h). good[i]: 0 if segment i is damaged; then its
 * coefficients are within the range of their type and mean nothing. It reads size[i] bytes at
 * data[i], no more. */
typedef void xc_rans_decode(const xc_rans_tables *tables, const xc_rans_shape *shape, int count,
                            const uint8_t *const *data, const size_t *size, void *const *blocks,
                            int *good);

/* The functions of one SIMD level, for coefficients of 16 or 32 bits. All levels give the same. */
typedef struct xc_rans_level {
	/* Writes the segment of these coefficients to `out`, which has room for xc_rans_bound(), and
	 * returns its size. scratch: xc_rans_scratch() bytes, aligned to 64. */
	size_t (*encode)(const xc_rans_tables *tables, const xc_rans_shape *shape, const void *blocks,
	                 void *scratch, uint8_t *out);
	/* Adds to `counts` how often each symbol occurs in each context. */
	void (*count)(const xc_rans_tables *tables, const xc_rans_shape *shape, const void *blocks,
	              void *scratch, xc_rans_counts *counts);
	xc_rans_decode *decode;
} xc_rans_level;

extern const xc_rans_level xc_rans_scalar[2];
#ifdef XC_HAVE_AVX2
extern const xc_rans_level xc_rans_avx2[2];
#endif
#ifdef XC_HAVE_AVX512
extern const xc_rans_level xc_rans_avx512[2];
#endif

const xc_rans_level *xc_rans_level_get(xc_cpu cpu, int depth16);

/* The names of the level that is being compiled; decode.c has its decoders. */
#ifdef XC_RANS
#define XC_RANS_PASTE(level, name) level##_##name
#define XC_RANS_EXPAND(level, name) XC_RANS_PASTE(level, name)
#define XC_RANS_OF(name) XC_RANS_EXPAND(XC_RANS, name)
xc_rans_decode XC_RANS_OF(decode16), XC_RANS_OF(decode32);
#endif

#endif
