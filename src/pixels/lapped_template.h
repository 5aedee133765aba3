/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lapped transforms' kernels for one SIMD level; a part of
 * src/pixels/kernels_template.h, whose helpers and rules it shares.
 */
#include "transform/lapped8.h"

/* Eight columns of a vector or all of it. */
XC_INLINE void store_columns(float *to, vf v, int whole)
{
	if (XC_LANES <= 8 || whole)
		v_store(to, v);
	else
		memcpy(to, &v, 32);
}

/* One step of 4 rows and 4 rows, for `columns` columns, a multiple of 8; may read, not
 * write, as many beyond them as a vector has. */
#define DEFINE_ROWS(name, step) \
	static void name(float *above, float *below, size_t stride, size_t columns) \
	{ \
		for (size_t i = 0; i < columns; i += XC_LANES) { \
			const int whole = columns - i >= XC_LANES; \
			vf x[8]; \
			for (size_t y = 0; y < 4; y++) { \
				x[y] = v_load(above + y * stride + i); \
				x[4 + y] = v_load(below + y * stride + i); \
			} \
			step(x); \
			for (size_t y = 0; y < 4; y++) { \
				store_columns(above + y * stride + i, x[y], whole); \
				store_columns(below + y * stride + i, x[4 + y], whole); \
			} \
		} \
	}

/* The same along the rows: `steps` steps of 8 columns, side by side, in 8 rows. */
#define DEFINE_SIDES(name, step) \
	static void name(float *plane, size_t stride, size_t steps) \
	{ \
		for (size_t i = 0; i < steps; i += XC_BLOCKS) { \
			float *at = plane + i * 8; \
			vf r[8 * XC_GROUPS]; \
			for (size_t g = 0; g < XC_GROUPS; g++) \
				for (size_t y = 0; y < 8; y++) \
					r[g * 8 + y] = v_load(at + y * stride + g * XC_LANES); \
			v_transpose8(r); \
			for (int g = 0; g < XC_GROUPS; g++) \
				step(r + g * 8); \
			v_transpose8(r); \
			for (size_t g = 0; g < XC_GROUPS; g++) \
				for (size_t y = 0; y < 8; y++) \
					store_columns(at + y * stride + g * XC_LANES, r[g * 8 + y], \
					              steps - i >= XC_BLOCKS); \
		} \
	}

DEFINE_ROWS(tdlt_forward_rows, xc_tdlt8_forward_edge)
DEFINE_ROWS(tdlt_inverse_rows, xc_tdlt8_inverse_edge)
DEFINE_ROWS(lot_forward_rows, xc_lot8_forward_edge)
DEFINE_ROWS(lot_inverse_rows, xc_lot8_inverse_edge)
DEFINE_SIDES(tdlt_forward_sides, xc_tdlt8_forward_edge)
DEFINE_SIDES(tdlt_inverse_sides, xc_tdlt8_inverse_edge)
DEFINE_SIDES(lot_forward_sides, xc_lot8_forward_edge)
DEFINE_SIDES(lot_inverse_sides, xc_lot8_inverse_edge)

/* ------------------------------------------------------ the LOT's blocks */

#define DEFINE_FLOT(name, type, store_row) \
	static void name(const float *plane, size_t stride, const float table[64], size_t blocks, \
	                 type *out) \
	{ \
		for (size_t i = 0; i < blocks; i += XC_BLOCKS) { \
			vf r[8 * XC_GROUPS]; \
			for (int g = 0; g < XC_GROUPS; g++) { \
				for (size_t y = 0; y < 8; y++) \
					r[(size_t)g * 8 + y] = v_load(plane + i * 8 + y * stride + \
					                              (size_t)g * XC_LANES); \
				xc_lot8_forward_block(r + g * 8); \
			} \
			v_transpose8(r); \
			for (int g = 0; g < XC_GROUPS; g++) { \
				xc_lot8_forward_block(r + g * 8); \
				for (int u = 0; u < 8; u++) { \
					const vf t = load_table(table + u * 8 + g * XC_LANES); \
					store_row(out + i * 64, u, g, v_round(r[g * 8 + u] * t), blocks - i); \
				} \
			} \
		} \
	}

DEFINE_FLOT(flot16, int16_t, store_row16)
DEFINE_FLOT(flot32, int32_t, store_row32)

#define DEFINE_ILOT(name, type, load_row) \
	static void name(const type *in, const float table[64], size_t blocks, float *plane, \
	                 size_t stride) \
	{ \
		for (size_t i = 0; i < blocks; i += XC_BLOCKS) { \
			const size_t n = blocks - i < XC_BLOCKS ? 1 : XC_BLOCKS; \
			vf r[8 * XC_GROUPS]; \
			for (int g = 0; g < XC_GROUPS; g++) { \
				for (int u = 0; u < 8; u++) \
					r[g * 8 + u] = V_CONVERT(vf, load_row(in + i * 64, u, g, n)) * \
					               load_table(table + u * 8 + g * XC_LANES); \
				xc_lot8_inverse_block(r + g * 8); \
			} \
			v_transpose8(r); \
			for (int g = 0; g < XC_GROUPS; g++) { \
				xc_lot8_inverse_block(r + g * 8); \
				for (size_t y = 0; y < 8; y++) \
					store_columns(plane + i * 8 + y * stride + (size_t)g * XC_LANES, \
					              r[(size_t)g * 8 + y], n == XC_BLOCKS); \
			} \
		} \
	}

DEFINE_ILOT(ilot16, int16_t, load_row16)
DEFINE_ILOT(ilot32, int32_t, load_row32)

/* clang-format off */
static const xc_lapped_kernels lot_kernels = {
	.forward_rows = lot_forward_rows, .forward_sides = lot_forward_sides,
	.inverse_rows = lot_inverse_rows, .inverse_sides = lot_inverse_sides,
	.forward16 = flot16, .forward32 = flot32, .inverse16 = ilot16, .inverse32 = ilot32,
};
/* clang-format on */
/* clang-format off */
static const xc_lapped_kernels tdlt_kernels = {
	.forward_rows = tdlt_forward_rows, .forward_sides = tdlt_forward_sides,
	.inverse_rows = tdlt_inverse_rows, .inverse_sides = tdlt_inverse_sides,
	.forward16 = fdct16, .forward32 = fdct32, .inverse16 = idct16, .inverse32 = idct32,
};
/* clang-format on */
