/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Template: the innermost tile of the matrix product.  left holds `depth` columns
 * of XC_TILE_ROWS samples, right `depth` rows of XC_TILE_COLS; the tile of sums
 * stays in registers: 24 vectors of 32 with AVX-512, 12 of 16 with AVX2 or SSE2.
 */
#if XC_VECTOR_BYTES == 64
#define XC_TILE_ROWS 12
#elif XC_LANES > 1
#define XC_TILE_ROWS 6
#else
#define XC_TILE_ROWS 4
#endif
#define XC_TILE_VECTORS 2
#define XC_TILE_COLS (XC_TILE_VECTORS * XC_LANES)

#if XC_LANES == 1
typedef XC_REAL tile_vec;
#define TILE_LOAD(p) (*(p))
#define TILE_STORE(p, v) (*(p) = (v))
#define TILE_SPLAT(x) (x)
#define TILE_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#else
typedef vec tile_vec;
#define TILE_LOAD load
#define TILE_STORE store
#define TILE_SPLAT splat
#define TILE_MULTIPLY_ADD multiply_add
#endif

static void product(size_t depth, const XC_REAL *left, const XC_REAL *right, XC_REAL *tile,
                    size_t stride, int add)
{
	tile_vec sum[XC_TILE_ROWS][XC_TILE_VECTORS];
	for (size_t i = 0; i < XC_TILE_ROWS; i++)
		for (size_t j = 0; j < XC_TILE_VECTORS; j++)
			sum[i][j] = TILE_SPLAT((XC_REAL)0);
	for (size_t d = 0; d < depth; d++) {
		const tile_vec r0 = TILE_LOAD(right), r1 = TILE_LOAD(right + XC_LANES);
		for (size_t i = 0; i < XC_TILE_ROWS; i++) {
			const tile_vec l = TILE_SPLAT(left[i]);
			sum[i][0] = TILE_MULTIPLY_ADD(l, r0, sum[i][0]);
			sum[i][1] = TILE_MULTIPLY_ADD(l, r1, sum[i][1]);
		}
		left += XC_TILE_ROWS;
		right += XC_TILE_COLS;
	}
	for (size_t i = 0; i < XC_TILE_ROWS; i++) {
		XC_REAL *const p = tile + i * stride;
		for (size_t j = 0; j < XC_TILE_VECTORS; j++) {
			const tile_vec s = sum[i][j];
			TILE_STORE(p + j * XC_LANES, add ? TILE_LOAD(p + j * XC_LANES) + s : s);
		}
	}
}
