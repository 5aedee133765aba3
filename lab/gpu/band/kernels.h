/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All 8-band transforms in one precision, from the same definitions as those of the processor
 * (lab/kernels/stages.h).  A file that includes this has set XC_REAL_BITS.
 *
 * Multiply-adds are fused, and nothing else is.  The SIMD levels that have fused multiply-adds
 * do the same, so the results equal theirs bit for bit.
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

#define XC_EACH_STAGES "lab/gpu/band/template.h"
#include "lab/kernels/stages.h"

/* The tables' entries: a transform's two functions of a kind, which is work or kernel, or bulk
 * of those that are lapped. */
#define XC_BAND_ENTRY(name, kind) \
	{ \
		xc_band_##name##_forward_##kind, xc_band_##name##_inverse_##kind \
	}
#define XC_LAPPED_ENTRIES(kind) \
	XC_BAND_ENTRY(lot, kind), XC_BAND_ENTRY(tdlt, kind), XC_BAND_ENTRY(genlot, kind)
#define XC_BAND_ENTRIES(kind) \
	{ \
		{NULL, NULL}, XC_BAND_ENTRY(definition, kind), XC_BAND_ENTRY(separable, kind), \
			XC_BAND_ENTRY(aan, kind), XC_BAND_ENTRY(flmad, kind), {NULL, NULL}, \
			XC_LAPPED_ENTRIES(kind) \
	}

#endif
