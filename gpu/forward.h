/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forward kernel: pixels to tokens.  A team of XC_GPU_FORWARD_TEAM threads takes
 * j->span MCUs: first all threads turn pixels into planes (gpu/planes.h), then each
 * takes a block through transform, quantization and tokens (gpu/forward_template.h).
 * One barrier between the two; shared memory as xc_gpu_forward_shared() says.
 */
#ifndef XC_GPU_FORWARD_H
#define XC_GPU_FORWARD_H

#include "gpu/planes.h"

XC_GPU_INLINE size_t xc_gpu_forward_shared(const xc_gpu_encode_job *j)
{
	const xc_gpu_plane_layout l = xc_gpu_planes(j);
	return ((size_t)32 + l.groups) * 16 +
	       (size_t)XC_GPU_FORWARD_TEAM * 64 * (j->depth == 16 ? 4 : 2);
}

/* To the nearest integer, ties to even; |v| below 2^22. */
XC_GPU_INLINE int32_t xc_gpu_round(float v)
{
	const float t = v + 12582912.0f;
#ifdef __CUDA_ARCH__
	return __float_as_int(t) - 0x4B400000;
#else
	int32_t bits;
	__builtin_memcpy(&bits, &t, sizeof bits);
	return bits - 0x4B400000;
#endif
}

/* The number of the lowest bit that is set. */
XC_GPU_INLINE uint32_t xc_gpu_lowest(uint64_t mask)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__ffsll((long long)mask) - 1;
#else
	return (uint32_t)__builtin_ctzll(mask);
#endif
}

/* Where a block comes from and goes to. */
typedef struct xc_gpu_place {
	uint32_t component;
	uint32_t plane_at; /* its first group */
	uint32_t block;    /* in the order of the segments */
} xc_gpu_place;

/* Block `item` of a team whose MCUs, `left` of them, begin with MCU `first`.  Luma blocks
 * come first, so that a warp rarely works on two components.  0: there is none. */
XC_GPU_INLINE int xc_gpu_block_place(const xc_gpu_encode_job *j, const xc_gpu_plane_layout *l,
                                     uint32_t first, uint32_t left, uint32_t item, xc_gpu_place *p)
{
	const uint32_t luma = l->wide[0] * j->v;
	uint32_t inside, bx = 0, by = 0;
	if (item < luma) {
		by = item >= l->wide[0];
		const uint32_t column = item - by * l->wide[0];
		inside = j->h == 2 ? column / 2 : column;
		bx = column - inside * j->h;
		p->component = 0;
		p->plane_at = by * 8 * l->wide[0] + column;
	} else {
		const uint32_t second = item - luma >= j->span;
		inside = item - luma - second * j->span;
		p->component = 1 + second;
		p->plane_at = l->start[1 + second] + inside;
	}
	if (inside >= left)
		return 0;
	uint32_t mx, my;
	xc_gpu_mcu_place(j, first + inside, &mx, &my);
	const xc_gpu_tile t = xc_gpu_tile_at(j, mx / j->tile_wide, my / j->tile_high);
	const uint32_t mcus = t.wide * t.high, x = mx - t.mx, y = my - t.my;
	if (p->component == 0)
		p->block = t.first_block + (y * j->v + by) * (t.wide * j->h) + x * j->h + bx;
	else
		p->block = t.first_block + mcus * (j->mcu_blocks - 3 + p->component) + y * t.wide + x;
	return 1;
}

/* The kernels behind this one begin with these numbers at zero. */
XC_GPU_INLINE void xc_gpu_clear_state(const xc_gpu_encode_job *j, xc_team t, uint32_t picture)
{
	uint32_t *state = (uint32_t *)(void *)&j->states[picture];
	for (uint32_t i = t.rank; i < sizeof(xc_gpu_picture_state) / 4; i += t.size)
		state[i] = 0;
	if (!j->codes)
		return;
	for (uint32_t i = t.rank; i < 2 * XC_GPU_LENGTHS; i += t.size)
		j->codes[picture].counts[i / XC_GPU_LENGTHS][i % XC_GPU_LENGTHS] = 0;
}

#define DEEP 0
#include "gpu/forward_template.h"
#define DEEP 1
#include "gpu/forward_template.h"

#endif
