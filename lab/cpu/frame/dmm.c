/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-dmm: the DCT of an N x M frame by direct matrix multiplication with
 * precomputed cosines, Y = C X C' (Ye, Shi, "CUDA based implementation of DCT/IDCT
 * on GPU", section B).  Only 4N different cosines exist for an axis of N; they are
 * kept, and the matrix is written out from them block by block.
 *
 * Arithmetic: N M (N + M) multiplications and as many additions.  The product
 * runs on packed blocks: 240 x 256 of the left factor (second-level cache) times
 * 256 x 2048 of the right one (third level), in tiles that stay in registers.
 * Summing in runs of 256 also keeps rounding errors down.
 */
#include "lab/cpu/frame/algorithms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/dispatch.h"
#include "lab/cpu/frame/kernels.h"
#include "lab/cpu/frame/memory.h"
#include "lab/cpu/frame/shape.h"
#include "lab/team.h"

#define XC_DMM_PI 3.141592653589793238462643383279502884L

enum {
	XC_DMM_ROWS = 240, /* a multiple of every tile height (4, 6, 12) */
	XC_DMM_DEPTH = 256,
	XC_DMM_COLS = 2048,
	XC_DMM_TILE_MAX = 12 * 32,
	XC_DMM_LONGEST = 1 << 24 /* (2 j + 1) k stays far below 2^64 */
};

#define XC_EACH_REAL "lab/cpu/frame/dmm_template.h"
#include "lab/each_real.h"

XC_FRAME_DISPATCH(dmm);

static int prepare(xc_plan *plan)
{
	plan->state = XC_FRAME_PREPARE(dmm, plan);
	return plan->state ? 0 : -1;
}

const xc_algorithm xc_algorithm_cpu_dmm = {
	.name = "cpu-dmm",
	.summary = "whole-frame DCT by multiplication with two cosine matrices",
	.source = "Ye, Shi, CUDA based implementation of DCT/IDCT on GPU, section B",
	.scaling = "orthonormal",
	.kind = XC_KIND_FRAME,
	.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80,
	.threaded = 1,
	.output_size = xc_frame_same_plane,
	.prepare = prepare,
	.execute = execute,
	.finish = finish,
	.in_place = 1,
};
