/* SPDX-License-Identifier: BSD-2-Clause */
/* The forward kernel: pixels (gpu/encode/pixels/forward.h) to tokens (gpu/encode/huffman/tokens.h), or to
 * coefficients in sixteenths of a step. The grid is XC_GPU_GRID_FORWARD. */
#include "gpu/encode/huffman/tokens.h"
#include "gpu/encode/job/launch.h"
#include "gpu/encode/pixels/forward.h"

extern __shared__ xc_gpu_four forward_shared[];

/* Pictures of 8 bits: any, or RGB; and of 16 bits. */
enum { ANY, RGB, DEPTH16 };

/* The minimum of thread blocks a multiprocessor; RGB gets 80 registers, which just suffices. */
static constexpr int min_ctas(int kind, int shape)
{
	return shape == DEPTH16 ? 0 : kind != XC_GPU_FORWARD_DCT ? 6 : shape == RGB ? 8 : 7;
}

/* What becomes of blocks. */
static inline __host__ __device__ xc_gpu_forward_end end_of(int tokens, int depth16)
{
	const xc_gpu_forward_end end = {tokens ? xc_gpu_leave_tokens : xc_gpu_leave_coefficients,
	                                tokens ? xc_gpu_row_bytes(depth16) : 0};
	return end;
}

template <int KIND, int SHAPE, int TOKENS>
static __global__ void __launch_bounds__(XC_GPU_FORWARD_CTA, min_ctas(KIND, SHAPE))
	general(const __grid_constant__ xc_gpu_encode_job launched)
{
	const xc_cta t = {threadIdx.x, XC_GPU_FORWARD_CTA};
	xc_gpu_encode_job j = launched; /* in registers, where not constant */
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_FORWARD);

	j.cta = XC_GPU_FORWARD_CTA;
	if (SHAPE == RGB) {
		j.channels = 3;
		j.depth = 8;
	}
	xc_gpu_forward(&j, t, cta, KIND, end_of(TOKENS, SHAPE == DEPTH16), SHAPE == DEPTH16,
	               forward_shared);
}

/* The most common pictures; the shape of the work is a constant. Minimum blocks: what shared memory
 * allows. */
template <uint32_t H, uint32_t TRANSFORM, int TOKENS>
static __global__ void __launch_bounds__(XC_GPU_COMMON_CTA(TRANSFORM),
                                         TRANSFORM == XC_TRANSFORM_DCT ? 8 : 3)
	common(const __grid_constant__ xc_gpu_encode_job launched)
{
	const xc_cta t = {threadIdx.x, XC_GPU_COMMON_CTA(TRANSFORM)};
	xc_gpu_encode_job j = launched;
	const uint32_t cta = xc_gpu_enter_picture(&j, XC_GPU_GRID_FORWARD);

	xc_gpu_make_common(&j, H, TRANSFORM);
	xc_gpu_forward(&j, t, cta, xc_gpu_common_kind(TRANSFORM), end_of(TOKENS, 0), 0, forward_shared);
}

typedef void (*kernel)(const xc_gpu_encode_job j);

/* A kernel and what it is launched with. */
typedef struct choice {
	kernel run;
	uint32_t threads;
	size_t shared;
} choice;

#define COMMON_OF(h, tokens) \
	{ \
		common<h, XC_TRANSFORM_DCT, tokens>, common<h, XC_TRANSFORM_LOT, tokens>, \
			common<h, XC_TRANSFORM_TDLT, tokens> \
	}
#define COMMON(tokens) \
	{ \
		COMMON_OF(1, tokens), COMMON_OF(2, tokens) \
	}

static choice choose_common(const xc_gpu_encode_job *j)
{
	static const kernel all[2][2][3] = {COMMON(0), COMMON(1)};
	xc_gpu_encode_job c = *j;

	xc_gpu_make_common(&c, j->h, j->transform);
	const choice k = {all[!j->ranses][j->h - 1][j->transform], c.cta,
	                  xc_gpu_forward_shared(&c, xc_gpu_common_kind(j->transform),
	                                        end_of(!j->ranses, 0).row_bytes)};
	return k;
}

#define GENERAL_OF(kind, tokens) \
	{ \
		general<kind, ANY, tokens>, general<kind, RGB, tokens>, general<kind, DEPTH16, tokens> \
	}
#define GENERAL(tokens) \
	{ \
		GENERAL_OF(XC_GPU_FORWARD_DCT, tokens), GENERAL_OF(XC_GPU_FORWARD_LAPPED, tokens) \
	}

static choice choose_general(const xc_gpu_encode_job *j)
{
	static const kernel all[2][2][3] = {GENERAL(0), GENERAL(1)};
	const int kind = j->transform == XC_TRANSFORM_DCT ? XC_GPU_FORWARD_DCT : XC_GPU_FORWARD_LAPPED;
	const choice k = {all[!j->ranses][kind][j->depth == 16 ? (int)DEPTH16 : j->channels == 3],
	                  j->cta,
	                  xc_gpu_forward_shared(j, kind, end_of(!j->ranses, j->depth == 16).row_bytes)};

	return k;
}

xc_status xc_gpu_forward_prepare(const xc_gpu *gpu, const xc_gpu_encode_job *j, xc_gpu_error *e)
{
	const choice k = xc_gpu_common(j) ? choose_common(j) : choose_general(j);

	return xc_gpu_allow_shared(gpu, (const void *)k.run, e);
}

xc_status xc_gpu_forward_launch(const xc_gpu_encode_call *c)
{
	const xc_gpu_encode_job *const j = &c->group->job;
	const choice k = xc_gpu_common(j) ? choose_common(j) : choose_general(j);
	return xc_gpu_launch_encode("forward", c, XC_GPU_GRID_FORWARD, k.run, k.threads, k.shared);
}
