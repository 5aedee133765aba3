/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 8x8 DCTs by FFTW's REDFT10 and REDFT01, through its two interfaces as in Larsen
 * 2006: "simple" is one plan for a block, run on each block after it was copied to
 * where the plan wants it; "advanced" is one plan for all blocks in place in the
 * array.  FFTW leaves the normalisation to us: factors before the inverse and after
 * the forward transform, for each coefficient.
 *
 * M. Frigo, S. G. Johnson, The design and implementation of FFTW3, Proc. IEEE 93
 * (2005).  For a block FFTW 3.3.10 counts (fftw_flops) 320 additions, 160
 * multiplications and 96 multiply-adds forward, 320, 144 and 96 inverse; the
 * normalisation adds 64 multiplications.
 */
#include "lab/cpu/band/block.h"

#include <fftw3.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/band/plan.h"

/* REDFT10 is twice the sum of the definition; REDFT01 takes coefficient 0 once and
 * the others twice. */
static long double normalisation(xc_direction direction, int k)
{
	const long double sqrt_1_8 = 0.35355339059327376220042218105242451964L;
	if (k > 0)
		return 0.25L;
	return direction == XC_FORWARD ? sqrt_1_8 / 2 : sqrt_1_8;
}

#define XC_EACH_REAL "lab/cpu/band/block_fftw_template.h"
#include "lab/each_real.h"

static int prepare_simple(xc_plan *plan)
{
	switch (plan->precision) {
	case XC_PRECISION_32:
		return xc_fftw_prepare_f32(plan, 0);
	case XC_PRECISION_64:
		return xc_fftw_prepare_f64(plan, 0);
	default:
		return xc_fftw_prepare_f80(plan, 0);
	}
}

static int prepare_advanced(xc_plan *plan)
{
	switch (plan->precision) {
	case XC_PRECISION_32:
		return xc_fftw_prepare_f32(plan, 1);
	case XC_PRECISION_64:
		return xc_fftw_prepare_f64(plan, 1);
	default:
		return xc_fftw_prepare_f80(plan, 1);
	}
}

static void execute_simple(const xc_plan *plan, const void *in, void *out)
{
	switch (plan->precision) {
	case XC_PRECISION_32:
		xc_fftw_simple_f32(plan, in, out);
		break;
	case XC_PRECISION_64:
		xc_fftw_simple_f64(plan, in, out);
		break;
	default:
		xc_fftw_simple_f80(plan, in, out);
	}
}

static void execute_advanced(const xc_plan *plan, const void *in, void *out)
{
	switch (plan->precision) {
	case XC_PRECISION_32:
		xc_fftw_advanced_f32(plan, in, out);
		break;
	case XC_PRECISION_64:
		xc_fftw_advanced_f64(plan, in, out);
		break;
	default:
		xc_fftw_advanced_f80(plan, in, out);
	}
}

static void finish(xc_plan *plan)
{
	switch (plan->precision) {
	case XC_PRECISION_32:
		xc_fftw_finish_f32(plan);
		break;
	case XC_PRECISION_64:
		xc_fftw_finish_f64(plan);
		break;
	default:
		xc_fftw_finish_f80(plan);
	}
}

#define FFTW_DCT(symbol, text, what, how) \
	const xc_algorithm xc_algorithm_##symbol = { \
		.name = text, \
		.summary = what, \
		.source = "M. Frigo, S. G. Johnson, The design and implementation of FFTW3, " \
				  "Proc. IEEE 93 (2005)", \
		.scaling = "orthonormal", \
		.kind = XC_KIND_BLOCK_DCT, \
		.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80, \
		.output_size = xc_band_size_same, \
		.prepare = prepare_##how, \
		.execute = execute_##how, \
		.finish = finish, \
	}

FFTW_DCT(cpu_fftw_simple, "cpu-fftw-simple", "8x8 DCT by FFTW, one plan run on each block", simple);
FFTW_DCT(cpu_fftw_advanced, "cpu-fftw-advanced", "8x8 DCT by FFTW, one plan for all blocks",
         advanced);
