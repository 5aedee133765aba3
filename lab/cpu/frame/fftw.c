/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-fftw-frame: FFTW's own DCT of a frame or volume (REDFT10, REDFT01), scaled to
 * orthonormal: the reference that the others are measured against (Frigo, Johnson,
 * "The design and implementation of FFTW3", Proc. IEEE 93, 2005).
 *
 * Arithmetic: FFTW's, about 2.5 log2 N operations a sample and axis, and one
 * multiplication a sample for the scale.  The scale costs a pass of its own over
 * the frame, as it costs every user of FFTW who needs it.
 */
#include "lab/cpu/frame/algorithms.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "lab/cpu/frame/fft.h"
#include "lab/cpu/frame/dispatch.h"
#include "lab/cpu/frame/memory.h"
#include "lab/cpu/frame/shape.h"

#define XC_EACH_REAL "lab/cpu/frame/fftw_template.h"
#include "lab/each_real.h"

XC_FRAME_DISPATCH(fftw);

static int prepare(xc_plan *plan)
{
	plan->state = XC_FRAME_PREPARE(fftw, plan);
	return plan->state ? 0 : -1;
}

const xc_algorithm xc_algorithm_cpu_fftw_frame = {
	.name = "cpu-fftw-frame",
	.summary = "whole-frame DCT by FFTW's own REDFT10 and REDFT01",
	.source = "Frigo, Johnson, The design and implementation of FFTW3, Proc. IEEE 93, 2005",
	.scaling = "orthonormal",
	.kind = XC_KIND_FRAME,
	.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80,
	.threaded = 1,
	.output_size = xc_frame_same_size,
	.prepare = prepare,
	.execute = execute,
	.finish = finish,
	.in_place = 0,
};
