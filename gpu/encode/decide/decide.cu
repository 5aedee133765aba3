/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernels that choose values and make them symbols; see gpu/encode/decide/decide.h. */
#include "gpu/encode/decide/decide.h"
#include "gpu/encode/job/launch.h"

template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE, DEPTH16 ? 4 : 6)
	symbols(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_tile_offsets offsets;
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	xc_gpu_encode_job j = launched;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_SLICES);
	const uint32_t slices = xc_gpu_slices(&j), tile = cta / slices;

	xc_gpu_slice_symbols(&j, t, tile, cta - tile * slices, &offsets, DEPTH16,
	                     xc_gpu_round_block_symbols);
}

template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE, DEPTH16 ? 4 : 6)
	sizes(const __grid_constant__ xc_gpu_encode_job launched)
{
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	xc_gpu_encode_job j = launched;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_SLICES);
	const uint32_t slices = xc_gpu_slices(&j), tile = cta / slices;

	xc_gpu_make_sizes(&j, t, tile, cta - tile * slices, DEPTH16);
}

static __global__ void __launch_bounds__(XC_GPU_DECIDE_CTA, 4)
	decide(const __grid_constant__ xc_gpu_encode_job launched, uint32_t kind)
{
	__shared__ xc_gpu_decide_shared s;
	const xc_cta t = {threadIdx.x, XC_GPU_DECIDE_CTA};
	xc_gpu_encode_job j = launched;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_DECISIONS);
	const uint32_t parts = xc_gpu_decide_ctas(&j), tile = cta / parts;
	const uint32_t *const contexts = (const uint32_t *)&j.rans.model->contexts;
	const uint32_t *const decisions = (const uint32_t *)&j.rans.model->decisions;

	for (uint32_t i = threadIdx.x; i < sizeof s.contexts / 4; i += XC_GPU_DECIDE_CTA)
		((uint32_t *)&s.contexts)[i] = contexts[i];
	for (uint32_t i = threadIdx.x; i < sizeof s.decisions / 4; i += XC_GPU_DECIDE_CTA)
		((uint32_t *)&s.decisions)[i] = decisions[i];
	__syncthreads();
	xc_gpu_decide_part(&j, t, tile, cta - tile * parts, kind, &s);
}

template <int DEPTH16>
static __global__ void __launch_bounds__(XC_GPU_SLICE)
	take(const __grid_constant__ xc_gpu_encode_job launched)
{
	__shared__ xc_gpu_tile_offsets offsets;
	const xc_cta t = {threadIdx.x, XC_GPU_SLICE};
	xc_gpu_encode_job j = launched;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_SLICES);
	const uint32_t slices = xc_gpu_slices(&j), tile = cta / slices;

	xc_gpu_slice_symbols(&j, t, tile, cta - tile * slices, &offsets, DEPTH16, xc_gpu_take_block);
}

/* Launches a kernel whose thread blocks are the slices of all tiles. */
static xc_status launch_slices(const char *name, const xc_gpu_encode_call *c,
                               void (*of16)(xc_gpu_encode_job), void (*of8)(xc_gpu_encode_job))
{
	return xc_gpu_launch_encode(name, c, XC_GPU_GRID_SLICES, c->group->job.depth == 16 ? of16 : of8,
	                            XC_GPU_SLICE, 0);
}

xc_status xc_gpu_symbols_launch(const xc_gpu_encode_call *c)
{
	return launch_slices("symbols", c, symbols<1>, symbols<0>);
}

xc_status xc_gpu_sizes_launch(const xc_gpu_encode_call *c)
{
	return launch_slices("rdo", c, sizes<1>, sizes<0>);
}

xc_status xc_gpu_decide_launch(const xc_gpu_encode_call *c)
{
	xc_status s = XC_OK;

	for (uint32_t kind = 0; kind < 2 && !s; kind++)
		s = xc_gpu_launch_encode("decide", c, XC_GPU_GRID_DECISIONS, decide, XC_GPU_DECIDE_CTA, 0,
		                         kind);
	return s;
}

xc_status xc_gpu_take_launch(const xc_gpu_encode_call *c)
{
	return launch_slices("take", c, take<1>, take<0>);
}
