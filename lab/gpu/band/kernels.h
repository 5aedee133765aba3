/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All 8-band transforms in one precision, from the same definitions as those of the
 * processor (lab/cpu/band/kernels_template.h).  A file that includes this has set
 * XC_REAL_BITS.
 *
 * Multiply-adds are fused, as they are at the SIMD levels that can; nothing else is, so
 * results are those of these levels bit for bit.
 */
#ifndef XC_LAB_GPU_BAND_KERNELS_H
#define XC_LAB_GPU_BAND_KERNELS_H

#include <stddef.h>

#include "gpu/runtime/device.h"
#undef XC_V /* the codec's is float */
#if XC_REAL_BITS == 32
#define XC_V float
#define XC_K(c) (c##f)
#define XC_MADD(a, k, c) fmaf(a, k, c)
#define XC_RINT(a) rintf(a)
#else
#define XC_V double
#define XC_K(c) (c)
#define XC_MADD(a, k, c) fma(a, k, c)
#define XC_RINT(a) rint(a)
#endif
#include "lab/real.h"

#include "lab/kernels/dct8_aan.h"
#include "lab/kernels/dct8_direct.h"
#include "lab/kernels/dct8_evenodd.h"
#include "lab/kernels/dct8_flmad.h"
#include "lab/kernels/genlot8.h"
#include "lab/kernels/lot8.h"
#include "lab/kernels/tdlt8.h"

#include "lab/gpu/band/bulk.h"
#include "lab/gpu/band/region.h"

#define XC_BAND_THREADS 256
/* Blocks of threads that a multiprocessor is to hold at least. */
#define XC_BLOCK_CTAS 3

#define XC_RUN definition_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_matrix_forward
#define XC_SCALE 0
#include "lab/gpu/band/template.h"
#define XC_RUN definition_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_matrix_inverse
#define XC_SCALE 0
#include "lab/gpu/band/template.h"

#define XC_RUN separable_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_evenodd_forward
#define XC_SCALE 0
#include "lab/gpu/band/template.h"
#define XC_RUN separable_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_evenodd_inverse
#define XC_SCALE 0
#include "lab/gpu/band/template.h"

#define XC_RUN aan_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_aan_forward
#define XC_SCALE 2
#include "lab/gpu/band/template.h"
#define XC_RUN aan_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_aan_inverse
#define XC_SCALE 1
#include "lab/gpu/band/template.h"

#define XC_RUN flmad_forward
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_flmad_forward
#define XC_SCALE 2
#include "lab/gpu/band/template.h"
#define XC_RUN flmad_inverse
#define XC_SHIFTS 0
#define XC_STAGE_0 xc_dct8_flmad_inverse
#define XC_SCALE 1
#include "lab/gpu/band/template.h"

#define XC_RUN lot_forward
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_lot8_forward_block
#define XC_STAGE_1 xc_lot8_forward_edge
#define XC_SCALE 0
#include "lab/gpu/band/template.h"
#define XC_RUN lot_inverse
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_lot8_inverse_edge
#define XC_STAGE_1 xc_lot8_inverse_block
#define XC_SCALE 0
#include "lab/gpu/band/template.h"

#define XC_RUN tdlt_forward
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_tdlt8_pre_filter
#define XC_STAGE_1 xc_dct8_flmad_forward
#define XC_SCALE 2
#include "lab/gpu/band/template.h"
#define XC_RUN tdlt_inverse
#define XC_SHIFTS 1
#define XC_STAGE_0 xc_dct8_flmad_inverse
#define XC_STAGE_1 xc_tdlt8_post_filter
#define XC_SCALE 1
#include "lab/gpu/band/template.h"

#define XC_RUN genlot_forward
#define XC_SHIFTS 2
#define XC_STAGE_0 xc_genlot8_forward_block
#define XC_STAGE_1 xc_genlot8_forward_edge
#define XC_STAGE_2 xc_genlot8_forward_end
#define XC_SCALE 0
#include "lab/gpu/band/template.h"
#define XC_RUN genlot_inverse
#define XC_SHIFTS 2
#define XC_STAGE_0 xc_genlot8_inverse_end
#define XC_STAGE_1 xc_genlot8_inverse_edge
#define XC_STAGE_2 xc_genlot8_inverse_block
#define XC_SCALE 0
#include "lab/gpu/band/template.h"

/* The tables' entries: a transform's two functions of a kind (work, kernel; bulk, of those
 * that are lapped). */
#define XC_LAPPED_ENTRIES(kind) \
	{lot_forward_##kind, lot_inverse_##kind}, {tdlt_forward_##kind, tdlt_inverse_##kind}, \
	{ \
		genlot_forward_##kind, genlot_inverse_##kind \
	}
#define XC_BAND_ENTRIES(kind) \
	{ \
		{NULL, NULL}, {definition_forward_##kind, definition_inverse_##kind}, \
			{separable_forward_##kind, separable_inverse_##kind}, \
			{aan_forward_##kind, aan_inverse_##kind}, \
			{flmad_forward_##kind, flmad_inverse_##kind}, {NULL, NULL}, XC_LAPPED_ENTRIES(kind) \
	}

#endif
