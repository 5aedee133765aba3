/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernels of bench/tools/gpu_rans: segments of the rANS mode to coefficients.
 *
 * Half a warp decodes the symbols of a segment, one lane each row of blocks.  Code is written for
 * all lanes of a team: each() runs it for one of them on a GPU and for one after another on a CPU,
 * where a compiler without CUDA makes the same kernels for tests.
 */
#ifndef XC_BENCH_GPU_RANS_H
#define XC_BENCH_GPU_RANS_H

#include <stdint.h>
#include <string.h>

#include "entropy/points.h"
#include "entropy/predict.h"
#include "entropy/rans/model.h"
#include "entropy/scan.h"

#ifdef __CUDACC__
#define DEVICE static __device__ __forceinline__
#define CONSTANT __constant__
#define BOTH static __host__ __device__
#else
#define DEVICE static inline
#define CONSTANT static
#define BOTH static
#endif

enum { WARP = 32, LANES = 16, ALL_BLOCKS = 128, ROW_WORDS = 33, FIRST_CLASS = 9, ESCAPE = 15 };

/* Where the context of a position looks in a warp's memory. */
typedef struct offsets {
	uint32_t own[4], beyond[2];
} offsets;

/* That, and the weights of four symbols at a time.  Those of the last symbol decoded are in
 * `before` alone, so that all other terms can be added up while that symbol is being decoded. */
typedef struct look {
	offsets at;
	uint32_t of_own, of_left, of_up; /* the highest byte of of_up is the constant */
	uint32_t before;
} look;

/* The offset of a frequency that is not the DC. */
BOTH constexpr uint32_t offset_of(int u, int v)
{
	const uint8_t scan[] = {XC_SCAN_TABLE};
	uint32_t k = 64;
	for (uint32_t i = 1; i < 64 && u >= 0 && u < 8 && v >= 0 && v < 8; i++)
		k = scan[i] == u * 8 + v ? i : k;
	return k * WARP;
}

BOTH constexpr offsets offsets_of(int k)
{
	const uint8_t scan[] = {XC_SCAN_TABLE};
	const uint32_t none = 64 * WARP;
	offsets o = {{none, none, none, none}, {none, none}};
	if (k < 1 || k > 63)
		return o;
	const int u = scan[k] / 8, v = scan[k] % 8;
	const uint32_t seen[4] = {offset_of(u - 1, v), offset_of(u - 2, v), offset_of(u, v - 1),
	                          offset_of(u, v - 2)};
	int n = 0;
	for (int i = 0; i < 4; i++)
		if (seen[i] != none && seen[i] != (uint32_t)(k - 1) * WARP)
			o.own[n++] = seen[i];
	if (k == 2)
		o.own[n] = 0;
	o.beyond[0] = offset_of(u + 1, v);
	o.beyond[1] = offset_of(u, v + 1);
	return o;
}

typedef struct constants {
	look at[2][65];
	uint32_t dc[2][XC_RANS_DC_WEIGHTS], flag[2][XC_RANS_GROUPS][XC_RANS_FLAG_WEIGHTS];
	uint8_t scan[64];
} constants;

CONSTANT constants model;

typedef struct alignas(16) four {
	uint32_t word[4];
} four;

/* What symbols are compared with, by bin.  A row holds -(16 * c + s) for symbols s of 1 to 15, whose
 * least slot is c, and that of symbol 1 once more. */
typedef struct symbol_rows {
	four low[XC_RANS_BINS], high[XC_RANS_BINS];
} symbol_rows;

typedef struct rows {
	symbol_rows of[2][XC_RANS_FLAG_SET];
	uint16_t zeros[2][XC_RANS_GROUPS][XC_RANS_BINS]; /* frequencies of flags that are 0 */
} rows;

typedef struct segment {
	uint64_t data;        /* its first byte */
	uint32_t size, block; /* block: its first one, of all segments */
	uint32_t wide[2], high[2];
	uint32_t blocks, luma, lanes;
} segment;

typedef struct job {
	const uint8_t *data;
	const segment *segments;
	const rows *tables;
	uint32_t *symbols; /* [blocks][8]: positions of the scan, four bits each, highest first */
	uint16_t *carried; /* [segments][16] */
	uint32_t *end;     /* [segments]: of the words, from the segment's first byte */
	int16_t *coefficients;
	uint32_t count;  /* segments */
	uint32_t a_warp; /* segments a warp, 1 or 2 */
	xc_value_points points[2];
} job;

/* A warp's memory.  Each lane has a column: symbols of its block up to where it is, and from there
 * on those of the block to the left. */
typedef struct warp_memory {
	alignas(16) uint8_t symbol[65][WARP];
	alignas(16) uint32_t packed[8][WARP];
} warp_memory;

/* ---------------------------------------------------------------- what GPUs have */

#ifdef __CUDACC__
DEVICE uint32_t count_bits(uint32_t x)
{
	return (uint32_t)__popc(x);
}
DEVICE uint32_t add_min(uint32_t a, uint32_t b, uint32_t c)
{
	return __viaddmin_u16x2(a, b, c);
}
DEVICE uint32_t add_max(uint32_t a, uint32_t b, uint32_t c)
{
	return __viaddmax_u16x2(a, b, c);
}
DEVICE uint32_t dot(uint32_t a, uint32_t b, uint32_t c)
{
	return __dp4a(a, b, c);
}
DEVICE uint32_t byte_at(const uint8_t *p)
{
	return __ldg(p);
}
DEVICE void fetch(const uint8_t *p)
{
	asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
}
#else
DEVICE uint32_t count_bits(uint32_t x)
{
	return (uint32_t)__builtin_popcount(x);
}
DEVICE uint32_t add_min(uint32_t a, uint32_t b, uint32_t c)
{
	const uint16_t low = (uint16_t)(a + b), high = (uint16_t)((a >> 16) + (b >> 16));
	const uint16_t l = (uint16_t)c, h = (uint16_t)(c >> 16);
	return (uint32_t)(low < l ? low : l) | (uint32_t)(high < h ? high : h) << 16;
}
DEVICE uint32_t add_max(uint32_t a, uint32_t b, uint32_t c)
{
	const uint16_t low = (uint16_t)(a + b), high = (uint16_t)((a >> 16) + (b >> 16));
	const uint16_t l = (uint16_t)c, h = (uint16_t)(c >> 16);
	return (uint32_t)(low > l ? low : l) | (uint32_t)(high > h ? high : h) << 16;
}
DEVICE uint32_t dot(uint32_t a, uint32_t b, uint32_t c)
{
	for (int i = 0; i < 32; i += 8)
		c += (a >> i & 255) * (b >> i & 255);
	return c;
}
DEVICE uint32_t byte_at(const uint8_t *p)
{
	return *p;
}
DEVICE void fetch(const uint8_t *)
{
}
#endif

#endif
