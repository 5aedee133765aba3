/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels of one precision and one SIMD level.  The makefile compiles this file once for
 * each of them and sets XC_REAL_BITS (32, 64 or 80), XC_VECTOR_BYTES (0, 16, 32 or 64) and
 * XC_FRAME_TABLE, the name of the table.
 */
#include "lab/cpu/frame/kernels.h"

#include "lab/cpu/frame/complex_lanes.h"

#include "lab/cpu/frame/turn_kernels.h"

#include "lab/cpu/frame/line_kernels.h"
#include "lab/cpu/frame/pair_kernels.h"
#include "lab/cpu/frame/panel_kernels.h"
#include "lab/cpu/frame/product_kernel.h"

const xc_frame_kernels XC_FRAME_TABLE = {
	/* in the order of xc_line_method */
	.before = {spread, mirror, pad, reorder},
	.after = {gather, fold, crop, restore},
	.rotate = {rotate, rotate, rotate, rotate_pairs},
	.unrotate = {unrotate, unrotate, unrotate, unrotate_pairs},
	.transpose = transpose,
	.from_rows = {load_pair, merge_pair},
	.to_panels = {split_pair, store_pair},
	.turn = turn,
	.turn_back = turn_back,
	.panel_out = panel_out,
	.column = column,
	.product = product,
	.product_rows = XC_TILE_ROWS,
	.product_cols = XC_TILE_COLS,
};
