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
	.before = {[XC_LINE_4N] = spread,
               [XC_LINE_2N_MIRRORED] = mirror,
               [XC_LINE_2N_PADDED] = pad,
               [XC_LINE_N] = reorder},
	.after = {[XC_LINE_4N] = gather,
              [XC_LINE_2N_MIRRORED] = fold,
              [XC_LINE_2N_PADDED] = crop,
              [XC_LINE_N] = restore},
	.rotate_pairs = rotate_pairs,
	.unrotate_pairs = unrotate_pairs,
	.rotate = rotate,
	.unrotate = unrotate,
	.transpose = transpose,
	.load_pair = load_pair,
	.store_pair = store_pair,
	.split_pair = split_pair,
	.merge_pair = merge_pair,
	.turn = turn,
	.turn_back = turn_back,
	.panel_out = panel_out,
	.column_out = column_out,
	.column_in = column_in,
	.product = product,
	.product_rows = XC_TILE_ROWS,
	.product_cols = XC_TILE_COLS,
};
