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

static void product(size_t depth, const XC_REAL *left, const XC_REAL *right, XC_REAL *tile,
                    size_t stride, int add)
{
	xc_v sum[XC_TILE_ROWS][XC_TILE_VECTORS];
	for (size_t i = 0; i < XC_TILE_ROWS; i++)
		for (size_t j = 0; j < XC_TILE_VECTORS; j++)
			sum[i][j] = xc_splat(0);
	for (size_t d = 0; d < depth; d++) {
		const xc_v r0 = xc_load(right), r1 = xc_load(right + XC_LANES);
		for (size_t i = 0; i < XC_TILE_ROWS; i++) {
			const xc_v l = xc_splat(left[i]);
			sum[i][0] = xc_multiply_add(l, r0, sum[i][0]);
			sum[i][1] = xc_multiply_add(l, r1, sum[i][1]);
		}
		left += XC_TILE_ROWS;
		right += XC_TILE_COLS;
	}
	for (size_t i = 0; i < XC_TILE_ROWS; i++) {
		XC_REAL *const p = tile + i * stride;
		for (size_t j = 0; j < XC_TILE_VECTORS; j++) {
			const xc_v s = sum[i][j];
			xc_store(p + j * XC_LANES, add ? xc_load(p + j * XC_LANES) + s : s);
		}
	}
}
