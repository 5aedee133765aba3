/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forward kernel: pixels to tokens.  A team of XC_GPU_FORWARD_TEAM threads takes
 * j->span MCUs: first all threads turn pixels into planes (gpu/planes.h), then each
 * takes a block through transform, quantization and tokens (gpu/forward_template.h).
 * Two barriers: one between the halves, one when the planes are in registers.
 */
#ifndef XC_GPU_FORWARD_H
#define XC_GPU_FORWARD_H

#include "gpu/lapped.h"

/* Where the columns of coefficients begin, in groups behind the planes' beginning.  On the
 * GPU every thread has its block in registers before the first column is written, so
 * they take the planes' place. */
XC_GPU_INLINE uint32_t xc_gpu_columns_at(const xc_gpu_plane_layout *l)
{
#ifdef __CUDA_ARCH__
	(void)l;
	return 0;
#else
	return l->groups;
#endif
}

XC_GPU_INLINE size_t xc_gpu_column_bytes(const xc_gpu_encode_job *j)
{
	return (size_t)XC_GPU_FORWARD_TEAM * 64 * (j->depth == 16 ? 4 : 2);
}

/* Bytes of shared memory: quantization tables, then planes or columns. */
XC_GPU_INLINE size_t xc_gpu_forward_shared(const xc_gpu_encode_job *j)
{
	const xc_gpu_plane_layout l = xc_gpu_planes(j);
	const size_t planes = (size_t)l.groups * 16, columns = xc_gpu_column_bytes(j);
	return 32 * 16 + (planes > columns ? planes : columns);
}

/* A block of a plane: r[x][y], so that a column is one array. */
XC_GPU_INLINE void xc_gpu_load_block(const xc_gpu_four *block, uint32_t wide, uint32_t half,
                                     float r[8][8])
{
	XC_UNROLL for (int y = 0; y < 8; y++) {
		const xc_gpu_four a = block[y * wide], b = block[y * wide + half];
		r[0][y] = a.x;
		r[1][y] = a.y;
		r[2][y] = a.z;
		r[3][y] = a.w;
		r[4][y] = b.x;
		r[5][y] = b.y;
		r[6][y] = b.z;
		r[7][y] = b.w;
	}
}

/* A number rounded to the nearest integer, ties to even, |v| below 2^22, as the bits of a
 * float that is 1.5 * 2^23 larger: XC_GPU_ROUND_ZERO more than the integer. */
#define XC_GPU_ROUND_ZERO UINT32_C(0x4B400000)

XC_GPU_INLINE uint32_t xc_gpu_round_bits(float v)
{
	return xc_gpu_float_bits(v + 12582912.0f);
}

/* Sets a bit of *mask if a and b differ: on the GPU a comparison and an instruction under
 * its predicate, where the compiler would take three. */
XC_GPU_INLINE void xc_gpu_set_if_other(uint32_t *mask, uint32_t bit, uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
	asm("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, %2;\n\t@p or.b32 %0, %0, %3;\n\t}"
	    : "+r"(*mask) : "r"(a), "r"(b), "r"(bit));
#else
	*mask |= a != b ? bit : 0;
#endif
}

/* Of a number that is not zero. */
XC_GPU_INLINE uint32_t xc_gpu_leading_zeros(uint32_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__clz((int)v);
#else
	return (uint32_t)__builtin_clz(v);
#endif
}

/* v shifted to the left by 1 to 32. */
XC_GPU_INLINE uint32_t xc_gpu_shift_out(uint32_t v, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_lc(0, v, n);
#else
	return (uint32_t)((uint64_t)v << n);
#endif
}

/* A block of a team: its component, the column and row of the MCU of the team that it is
 * in, and the place in that MCU (luma alone). */
typedef struct xc_gpu_block_of {
	uint32_t component, mcu, row, bx, by;
} xc_gpu_block_of;

/* Block `item` of a team of `tall` rows of MCUs.  Luma blocks come first, so that a warp
 * rarely works on two components. */
XC_GPU_INLINE xc_gpu_block_of xc_gpu_block_number(const xc_gpu_encode_job *j, uint32_t tall,
                                                  uint32_t item)
{
	const uint32_t wide = j->span * j->h, luma = wide * j->v * tall, chroma = j->span * tall;
	xc_gpu_block_of b = {0, 0, 0, 0, 0};
	if (item < luma) {
		const uint32_t y = tall == 1 ? item >= wide : item / wide, column = item - y * wide;
		b.row = tall == 1 ? 0 : y / j->v;
		b.by = y - b.row * j->v;
		b.mcu = j->h == 2 ? column / 2 : column;
		b.bx = column - b.mcu * j->h;
	} else {
		b.component = 1 + (item - luma >= chroma);
		b.mcu = item - luma - (b.component - 1) * chroma;
		b.row = tall == 1 ? 0 : b.mcu / j->span;
		b.mcu -= b.row * j->span;
	}
	return b;
}

/* The first group of its samples among the planes. */
XC_GPU_INLINE uint32_t xc_gpu_block_samples(const xc_gpu_encode_job *j,
                                            const xc_gpu_plane_layout *l, const xc_gpu_block_of *b)
{
	/* No index that is not a constant: the layout stays in registers. */
	if (b->component)
		return (b->component == 1 ? l->start[1] : l->start[2]) + l->origin[1] +
		       b->row * 8 * l->wide[1] + b->mcu;
	return l->origin[0] + (b->row * j->v + b->by) * 8 * l->wide[0] + b->mcu * j->h + b->bx;
}

/* Its number among the blocks of the picture in the order of the segments; the team's first
 * MCU is MCU `first` of the picture. */
XC_GPU_INLINE uint32_t xc_gpu_block_home(const xc_gpu_encode_job *j, const xc_gpu_block_of *b,
                                         uint32_t first)
{
	uint32_t mx, my;
	xc_gpu_mcu_place(j, first + b->mcu, &mx, &my);
	my += b->row;
	const xc_gpu_tile t = xc_gpu_tile_at(j, mx / j->tile_wide, my / j->tile_high);
	const uint32_t x = mx - t.mx, y = my - t.my;
	if (b->component == 0)
		return t.first_block + (y * j->v + b->by) * (t.wide * j->h) + x * j->h + b->bx;
	return t.first_block + t.wide * t.high * (j->mcu_blocks - 3 + b->component) + y * t.wide + x;
}

/* Teams for a picture.  With a lapped transform their MCUs form a rectangle. */
XC_GPU_INLINE uint32_t xc_gpu_forward_teams(const xc_gpu_encode_job *j)
{
	return j->transform == XC_TRANSFORM_DCT
	               ? (j->mcus + j->span - 1) / j->span
	               : (j->mcus_wide + j->span - 1) / j->span *
	                         ((j->mcus_high + j->tall - 1) / j->tall);
}

/* A team's MCUs: `count` from MCU `first` of the picture on, and those below them in as many
 * rows as there are. */
typedef struct xc_gpu_share {
	uint32_t first, count, rows;
	uint32_t tall; /* rows, where the picture does not end */
	int lot;
} xc_gpu_share;

XC_GPU_INLINE xc_gpu_share xc_gpu_plain_share(const xc_gpu_encode_job *j, uint32_t team)
{
	const uint32_t first = team * j->span, left = j->mcus - first;
	const xc_gpu_share s = {first, left < j->span ? left : j->span, 1, 1, 0};
	return s;
}

XC_GPU_INLINE xc_gpu_share xc_gpu_lapped_share(const xc_gpu_encode_job *j, uint32_t team)
{
	const xc_gpu_run run = xc_gpu_run_of(j, team);
	const xc_gpu_share s = {run.my * j->mcus_wide + run.mx, run.count, run.rows, j->tall,
	                        j->transform == XC_TRANSFORM_LOT};
	return s;
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
