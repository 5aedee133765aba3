/* SPDX-License-Identifier: BSD-2-Clause */
/* The registry's side of the 8-band transforms: sizes, plans and threads. */
#include "lab/cpu/band/plan.h"

#include <stdint.h>
#include <stdlib.h>

#include "src/core/cpu.h"
#include "lab/cpu/band/frame.h"
#include "lab/kernels/dct8_aan.h"
#include "lab/kernels/dct8_flmad.h"

/* Outputs from this size on are written past the caches: they will not be there
 * when they are read again. */
enum { STREAM_BYTES = 8 << 20 };

/* ---------------------------------------------------------------- sizes */

/* Far above every array there is, and far below what overflows. */
static const size_t size_limit = SIZE_MAX / 64;

static int plausible(const xc_transform_size *size)
{
	return size->slices == 1 && size->rows > 0 && size->cols > 0 && size->rows < size_limit &&
	       size->cols < size_limit && size->rows + 16 < size_limit / (size->cols + 16);
}

static size_t whole_blocks(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

int xc_band_size_same(xc_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	if (!plausible(in) || (direction == XC_INVERSE && ((in->rows | in->cols) & 7)))
		return -1;
	*out = (xc_transform_size){1, whole_blocks(in->rows), whole_blocks(in->cols)};
	return 0;
}

int xc_band_size_stored(xc_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	if (xc_band_size_same(direction, in, out))
		return -1;
	if (direction == XC_FORWARD) {
		out->rows += 8;
		out->cols += 8;
		return 0;
	}
	if (in->rows < 16 || in->cols < 16)
		return -1;
	out->rows -= 8;
	out->cols -= 8;
	return 0;
}

/* ----------------------------------------------------------------- plan */

/* An axis of n samples.  The LOT and the TDLT read their first block 4 samples
 * before the frame, so the first one that completes an output starts at 4, and
 * the inverse's first output at -4.  With stored edges, the blocks are on the grid:
 * the first (of zeros) before the frame, or the frame's edge, read in advance. */
xc_band_axis xc_band_make_axis(const xc_band_details *details, xc_direction direction, size_t n)
{
	const ptrdiff_t size = (ptrdiff_t)n, padded = (ptrdiff_t)whole_blocks(n);
	const ptrdiff_t bands = details->stored_edges ? padded + 8 : padded;
	const size_t shifts = xc_band_shifts(details->transform);
	const int inverse = direction == XC_INVERSE;
	xc_band_axis axis = {
		.in_size = inverse ? bands : size,
		.out_size = inverse ? size : bands,
		.padded = inverse ? bands : padded,
		.blocks = padded / 8,
		.edge = XC_EDGE_REPEAT,
	};
	if (details->stored_edges) {
		axis.edge = XC_EDGE_ZERO;
		axis.in_first = inverse ? 8 : 0;
		axis.blocks += inverse ? 0 : 1;
	} else if (shifts == 1) {
		axis.edge = inverse ? XC_EDGE_MIRROR_BANDS : XC_EDGE_MIRROR;
		axis.in_first = inverse ? 0 : 4;
		axis.out_first = inverse ? -4 : 0;
		axis.blocks += inverse ? 1 : 0;
	} else if (shifts == 2) {
		axis.edge = inverse ? XC_EDGE_MIRROR_BANDS : XC_EDGE_MIRROR;
		axis.in_first = 8;
	}
	return axis;
}

static const xc_band_kernels *kernels_for(xc_precision precision, xc_cpu cpu)
{
	static const xc_band_kernels *const f32[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_band_scalar_f32,
	     XC_CPU_ENTRY_SSE2(&xc_band_base_f32) XC_CPU_ENTRY_NEON(&xc_band_base_f32)
	         XC_CPU_ENTRY_AVX2(&xc_band_avx2_f32) XC_CPU_ENTRY_AVX512(&xc_band_avx512_f32)};
	static const xc_band_kernels *const f64[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_band_scalar_f64,
	     XC_CPU_ENTRY_SSE2(&xc_band_base_f64) XC_CPU_ENTRY_NEON(&xc_band_base_f64)
	         XC_CPU_ENTRY_AVX2(&xc_band_avx2_f64) XC_CPU_ENTRY_AVX512(&xc_band_avx512_f64)};
	if (precision == XC_PRECISION_80)
		return &xc_band_scalar_f80;
	return (precision == XC_PRECISION_64 ? f64 : f32)[cpu];
}

int xc_band_make_scale(xc_band_transform transform, xc_precision precision, void *scale)
{
	static const long double aan[8] = XC_DCT8_AAN_SCALES, flmad[8] = XC_DCT8_FLMAD_SCALES;
	const long double *factor = NULL;
	if (transform == XC_BAND_AAN || transform == XC_BAND_FEIG2D)
		factor = aan;
	if (transform == XC_BAND_FLMAD || transform == XC_BAND_TDLT)
		factor = flmad;
	for (int i = 0; factor && i < 64; i++) {
		const long double value = factor[i / 8] * factor[i % 8];
		if (precision == XC_PRECISION_32)
			((float *)scale)[i] = (float)value;
		else if (precision == XC_PRECISION_64)
			((double *)scale)[i] = (double)value;
		else
			((long double *)scale)[i] = value;
	}
	return factor != NULL;
}

static size_t scratch_bytes(const xc_band_frame *frame, xc_precision precision)
{
	switch (precision) {
	case XC_PRECISION_32:
		return xc_band_scratch_f32(frame);
	case XC_PRECISION_64:
		return xc_band_scratch_f64(frame);
	default:
		return xc_band_scratch_f80(frame);
	}
}

int xc_band_prepare(xc_plan *plan)
{
	const xc_band_details *details = plan->algorithm->details;
	const size_t shifts = xc_band_shifts(details->transform);
	xc_band_frame *frame = aligned_alloc(64, (sizeof *frame + 63) & ~(size_t)63);
	if (!frame)
		return -1;
	*frame = (xc_band_frame){
		.kernels = kernels_for(plan->precision, details->plain ? XC_CPU_SCALAR : xc_cpu_auto()),
		.shifts = shifts,
		.rows = xc_band_make_axis(details, plan->direction, plan->size.rows),
		.cols = xc_band_make_axis(details, plan->direction, plan->size.cols),
	};
	frame->run = frame->kernels->run[details->transform][plan->direction];
	frame->tile = xc_band_tile(frame->kernels, details->transform);
	frame->lead = (8 * shifts + frame->tile - 1) / frame->tile;
	frame->stream = (size_t)frame->rows.out_size * (size_t)frame->cols.out_size >=
	                STREAM_BYTES / xc_precision_bytes(plan->precision);
	frame->shares = plan->threads < frame->rows.blocks ? plan->threads : (int)frame->rows.blocks;
	frame->has_scale = xc_band_make_scale(details->transform, plan->precision, frame->scale);
	frame->scratch_bytes = scratch_bytes(frame, plan->precision);
	if (frame->scratch_bytes < size_limit / (size_t)frame->shares)
		frame->scratch = aligned_alloc(64, frame->scratch_bytes * (size_t)frame->shares);
	plan->state = frame;
	if (frame->scratch)
		return 0;
	xc_band_finish(plan);
	return -1;
}

void xc_band_execute(const xc_plan *plan, const void *in, void *out)
{
	const xc_band_frame *frame = plan->state;
	const xc_band_work work = plan->precision == XC_PRECISION_32   ? xc_band_work_f32
	                          : plan->precision == XC_PRECISION_64 ? xc_band_work_f64
	                                                               : xc_band_work_f80;
#ifdef _OPENMP
	if (frame->shares > 1) {
#pragma omp parallel for schedule(static, 1) num_threads(frame->shares)
		for (int i = 0; i < frame->shares; i++)
			work(frame, in, out, i);
		return;
	}
#endif
	for (int i = 0; i < frame->shares; i++)
		work(frame, in, out, i);
}

void xc_band_finish(xc_plan *plan)
{
	xc_band_frame *frame = plan->state;
	if (frame)
		free(frame->scratch);
	free(frame);
	plan->state = NULL;
}
