/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FFTW's real FFT of a plane and nothing else, out of place and planned as all
 * others: what a DCT through such an FFT can be measured against.  The arrays must
 * be aligned to 64 bytes.
 */
#include "lab/cpu/frame/algorithms.h"

#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/dispatch.h"
#include "lab/cpu/frame/fft.h"
#include "lab/cpu/frame/memory.h"
#include "lab/cpu/frame/shape.h"

#define XC_EACH_REAL "lab/cpu/frame/peer_template.h"
#include "lab/each_real.h"

XC_FRAME_DISPATCH(peer);

static int prepare(xc_plan *plan)
{
	plan->state = XC_FRAME_PREPARE(peer, plan);
	return plan->state ? 0 : -1;
}

const xc_algorithm xc_algorithm_fftw_real_fft = {
	.name = "fftw-real-fft",
	.summary = "FFTW's two-dimensional real FFT alone: not a DCT",
	.source = "Frigo, Johnson, The design and implementation of FFTW3, Proc. IEEE 93, 2005",
	.scaling = "none",
	.kind = XC_KIND_FRAME,
	.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80,
	.threaded = 1,
	.output_size = xc_frame_same_plane,
	.prepare = prepare,
	.execute = execute,
	.finish = finish,
};
