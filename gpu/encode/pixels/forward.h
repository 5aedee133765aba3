/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The forward kernel: pixels to quantized coefficients in registers, a block a thread, and from there to
 * where a function of another stage leaves them. A thread block of j->cta threads takes j->span MCUs. First all
 * threads convert pixels to planes (gpu/encode/pixels/planes.h), then each takes a block. Barriers: one between
 * the two, and one after the planes are in registers if memory of each thread takes their place. Launched by
 * gpu/encode/forward.cu.
 */
#ifndef XC_GPU_ENCODE_PIXELS_FORWARD_H
#define XC_GPU_ENCODE_PIXELS_FORWARD_H

#include "entropy/points.h"
#include "entropy/scan.h"
#include "gpu/encode/job/segments.h"
#include "gpu/encode/job/tiles.h"
#include "gpu/encode/pixels/lapped.h"
#include "transform/dct8.h"

/* What becomes of a block: a function that leaves its values, whole steps that are XC_GPU_ROUND_ZERO larger, in
 * memory; and the bytes of shared memory that each thread has for that, a multiple of 16. 0: the values are
 * sixteenths of a step. Both are constants. */
typedef void xc_gpu_leave_block(const xc_gpu_encode_job *j, size_t block, const uint32_t q[64],
                                void *row, int depth16);

typedef struct xc_gpu_forward_end {
	xc_gpu_leave_block *leave;
	uint32_t row_bytes;
} xc_gpu_forward_end;

/* The offset of the threads' memory, in vec16s from the planes' beginning. On the GPU every block is in
 * registers before it is written, so it replaces planes. */
XC_GPU_INLINE uint32_t xc_gpu_rows_at(const xc_gpu_plane_map *l)
{
#ifdef __CUDA_ARCH__
	(void)l;
	return 0;
#else
	return l->vecs;
#endif
}

/* Kinds of the forward kernel: with the DCT (gpu/encode/pixels/planes.h) or a lapped transform, for any
 * picture or the most common ones (gpu/encode/pixels/lapped.h). */
enum {
	XC_GPU_FORWARD_DCT,
	XC_GPU_FORWARD_LAPPED,
	XC_GPU_FORWARD_DCT_COMMON,
	XC_GPU_FORWARD_LAPPED_COMMON
};

/* In kind XC_GPU_FORWARD_LAPPED_COMMON each thread takes the edge steps before its block; on the
 * host all steps precede the first block. */
#ifdef __CUDA_ARCH__
#define XC_GPU_EDGES_WITH_BLOCKS 1
#else
#define XC_GPU_EDGES_WITH_BLOCKS 0
#endif

XC_GPU_INLINE xc_gpu_plane_map xc_gpu_planes_of(const xc_gpu_encode_job *j, int kind)
{
	return kind == XC_GPU_FORWARD_LAPPED_COMMON ? xc_gpu_rgb_planes(j) : xc_gpu_general_planes(j);
}

/* Bytes of shared memory: planes, then the threads' memory. */
XC_GPU_INLINE size_t xc_gpu_forward_shared(const xc_gpu_encode_job *j, int kind, uint32_t row_bytes)
{
	const xc_gpu_plane_map l = xc_gpu_planes_of(j, kind);
	const size_t planes = (size_t)l.vecs * 16, rows = (size_t)j->cta * row_bytes;
	return planes > rows ? planes : rows;
}

/* Half a block of a plane: r[x][y], so that a column is one array. */
XC_GPU_INLINE void xc_gpu_load_half(const xc_gpu_four *block, uint32_t wide, float r[4][8])
{
	XC_UNROLL
	for (int y = 0; y < 8; y++) {
		const xc_gpu_four a = block[y * wide];
		r[0][y] = a.x;
		r[1][y] = a.y;
		r[2][y] = a.z;
		r[3][y] = a.w;
	}
}

/* Rounds v, |v| below 2^22, to the nearest integer, ties to even.  The result is the bits of a
 * float 1.5 * 2^23 larger: the integer plus XC_GPU_ROUND_ZERO. */
XC_GPU_INLINE uint32_t xc_gpu_round_bits(float v)
{
	return xc_gpu_float_bits(v + 12582912.0f);
}

/* The same for |v| below 2^23: coefficients of 16-bit pictures in sixteenths of a step. */
XC_GPU_INLINE uint32_t xc_gpu_round_depth16(float v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__float2int_rn(v) + XC_GPU_ROUND_ZERO;
#else
	const uint32_t n = xc_gpu_float_bits((v < 0 ? -v : v) + 8388608.0f) - UINT32_C(0x4B000000);
	return (v < 0 ? 0 - n : n) + XC_GPU_ROUND_ZERO;
#endif
}

/* A block of a thread block: its component, the column and row of its MCU in the thread block, and
 * for luma its position in that MCU. */
typedef struct xc_gpu_cta_block {
	uint32_t component, mcu, row, bx, by;
} xc_gpu_cta_block;

/* Block `item` of a thread block of `tall` rows of MCUs.  Luma blocks come first, so that a warp
 * rarely works on two components. */
XC_GPU_INLINE xc_gpu_cta_block xc_gpu_cta_block_of(const xc_gpu_encode_job *j, uint32_t tall,
                                                   uint32_t item)
{
	const uint32_t wide = j->span * j->h, luma = wide * j->v * tall, chroma = j->span * tall;
	xc_gpu_cta_block b = {0, 0, 0, 0, 0};

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

/* The first vec16 of its samples among the planes. */
XC_GPU_INLINE uint32_t xc_gpu_block_samples(const xc_gpu_encode_job *j, const xc_gpu_plane_map *l,
                                            const xc_gpu_cta_block *b)
{
	/* Every index is a constant, so that the layout stays in registers. */
	if (b->component)
		return (b->component == 1 ? l->start[1] : l->start[2]) + l->origin[1] +
		       b->row * 8 * l->wide[1] + b->mcu;
	return l->origin[0] + (b->row * j->v + b->by) * 8 * l->wide[0] + b->mcu * j->h + b->bx;
}

/* Thread blocks for a picture.  With a lapped transform their MCUs form a rectangle. */
XC_GPU_INLINE uint32_t xc_gpu_forward_ctas(const xc_gpu_encode_job *j)
{
	return j->transform == XC_TRANSFORM_DCT ? (j->picture.mcus + j->span - 1) / j->span
	                                        : (j->picture.mcus_wide + j->span - 1) / j->span *
	                                              ((j->picture.mcus_high + j->tall - 1) / j->tall);
}

/* A thread block's MCUs: with the DCT run.count MCUs from MCU `first` of the picture on; with a
 * lapped transform a rectangle. */
typedef struct xc_gpu_share {
	uint32_t first;
	xc_gpu_run run;
	uint32_t tall; /* rows of a full rectangle; 1 with the DCT */
	int lapped, lot;
} xc_gpu_share;

XC_GPU_INLINE xc_gpu_share xc_gpu_plain_share(const xc_gpu_encode_job *j, uint32_t cta)
{
	const uint32_t first = cta * j->span, left = j->picture.mcus - first;
	const xc_gpu_share s = {first, {0, 0, left < j->span ? left : j->span, 1}, 1, 0, 0};
	return s;
}

XC_GPU_INLINE xc_gpu_share xc_gpu_lapped_share(const xc_gpu_encode_job *j, uint32_t cta)
{
	const xc_gpu_share s = {0, xc_gpu_run_of(j, cta), j->tall, 1, j->transform == XC_TRANSFORM_LOT};
	return s;
}

XC_GPU_INLINE int xc_gpu_block_inside(const xc_gpu_encode_job *j, const xc_gpu_share *s,
                                      const xc_gpu_cta_block *b, uint32_t item)
{
	return item < j->span * s->tall * j->mcu_blocks && b->mcu < s->run.count &&
	       b->row < s->run.rows;
}

/* A block's index in the picture, in the order of the segments. */
XC_GPU_INLINE uint32_t xc_gpu_block_index(const xc_gpu_encode_job *j, const xc_gpu_cta_block *b,
                                          const xc_gpu_share *s)
{
	uint32_t mx = s->run.mx + b->mcu, my = s->run.my + b->row;

	if (!s->lapped)
		xc_gpu_mcu_position(j, s->first + b->mcu, &mx, &my);
	const xc_tile_mcus t = xc_gpu_tile_at(j, mx / j->picture.tile_wide, my / j->picture.tile_high);
	const uint32_t x = mx - t.x, y = my - t.y, first = t.before * j->mcu_blocks;
	if (b->component == 0)
		return first + (y * j->v + b->by) * (t.wide * j->h) + x * j->h + b->bx;
	return first + t.wide * t.high * (j->mcu_blocks - 3 + b->component) + y * t.wide + x;
}

/* On the host: the edge steps between blocks side by side, of all blocks. */
XC_GPU_INLINE void xc_gpu_all_column_edges(const xc_gpu_encode_job *j, xc_cta t,
                                           const xc_gpu_share *s, const xc_gpu_plane_map *l,
                                           xc_gpu_four *planes)
{
	float none[8][8];

	for (uint32_t item = 0; item < j->cta; item++) {
		const xc_gpu_cta_block b = xc_gpu_cta_block_of(j, s->tall, item);
		const uint32_t chroma = b.component != 0;
		if (xc_gpu_block_inside(j, s, &b, item))
			xc_gpu_edges_before(j->transform, planes + xc_gpu_block_samples(j, l, &b),
			                    l->wide[chroma], l->half[chroma], none);
	}
	xc_gpu_edges_after(j, t, &s->run, l, planes);
}

/* The luma blocks across an MCU if a kernel has this shape of the work as constants, else 0. */
XC_GPU_INLINE uint32_t xc_gpu_common(const xc_gpu_encode_job *j)
{
	return j->channels == 3 && j->depth == 8 && j->components == 3 && j->fast_loads && !j->mixes &&
	               j->h == j->v
	           ? j->h
	           : 0;
}

/* Threads of a thread block of such a kernel. */
#define XC_GPU_COMMON_CTA(transform) \
	((transform) == XC_TRANSFORM_DCT ? XC_GPU_FORWARD_CTA : XC_GPU_LAPPED_CTA)

XC_GPU_INLINE int xc_gpu_common_kind(uint32_t transform)
{
	return transform == XC_TRANSFORM_DCT ? XC_GPU_FORWARD_DCT_COMMON : XC_GPU_FORWARD_LAPPED_COMMON;
}

/* Sets the constants of such a kernel. The planes of lapped thread blocks, 8x4 or 16x4 MCUs, take
 * less than the 64 KiB that every GPU has. */
XC_GPU_INLINE void xc_gpu_make_common(xc_gpu_encode_job *j, uint32_t h, uint32_t transform)
{
	j->channels = j->components = 3;
	j->depth = 8;
	j->h = j->v = h;
	j->mcu_blocks = h * h + 2;
	j->transform = transform;
	j->cta = XC_GPU_COMMON_CTA(transform);
	j->tall = transform == XC_TRANSFORM_DCT ? 1 : 4;
	j->span = j->cta / j->mcu_blocks / j->tall;
}

/* ------------------------------------------------ a block, one thread each; depth16: a constant */

/* The block step of the DCT and the TDLT, or of the LOT. */
XC_GPU_INLINE void xc_gpu_forward_step(float x[8], int lot)
{
	if (lot)
		xc_lot8_forward_block(x);
	else
		xc_dct8_forward(x);
}

/* Quantizes coefficients. The tables of luma and chroma have separate branches, so that their
 * numbers are immediate operands. The results are XC_GPU_ROUND_ZERO larger. wide, a constant: they
 * may exceed 2^22. */
XC_GPU_INLINE void xc_gpu_quantize(float *coefficients, const float tables[2][64], uint32_t chroma,
                                   int wide, uint32_t q[64])
{
	if (chroma) {
		XC_UNROLL
		for (int i = 0; i < 64; i++) {
			coefficients[i] *= tables[1][i];
			XC_OPAQUE_AGAIN(coefficients[i], "f"); /* or nvcc merges the two branches */
		}
	} else {
		XC_UNROLL
		for (int i = 0; i < 64; i++)
			coefficients[i] *= tables[0][i];
	}
	XC_UNROLL
	for (int i = 0; i < 64; i++)
		q[i] = wide ? xc_gpu_round_depth16(coefficients[i]) : xc_gpu_round_bits(coefficients[i]);
}

XC_GPU_INLINE void xc_gpu_transform(float r[8][8], int lot)
{
	XC_UNROLL
	for (int x = 0; x < 8; x++)
		xc_gpu_forward_step(r[x], lot);
	float *const flat = &r[0][0];
	XC_UNROLL
	for (int v = 0; v < 8; v++) {
		float line[8];
		XC_UNROLL
		for (int x = 0; x < 8; x++)
			line[x] = flat[x * 8 + v];
		xc_gpu_forward_step(line, lot);
		XC_UNROLL
		for (int u = 0; u < 8; u++)
			flat[u * 8 + v] = line[u];
	}
}

/* Leaves the coefficients of a block in its slot, in scan order. */
XC_GPU_INLINE void xc_gpu_leave_coefficients(const xc_gpu_encode_job *j, size_t block,
                                             const uint32_t q[64], void *row, int depth16)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	xc_gpu_vec16 *const slot = xc_gpu_slot(j, block, depth16);

	(void)row;
	XC_UNROLL
	for (int g = 0; g < (depth16 ? 16 : 8); g++) {
		xc_gpu_vec16 vec;
		XC_UNROLL
		for (int i = 0; i < (depth16 ? 4 : 8); i++) {
			const uint32_t c = q[scan[g * (depth16 ? 4 : 8) + i]];
			if (depth16)
				vec.depth16[i] = c - XC_GPU_ROUND_ZERO;
			else
				vec.plain[i] = (uint16_t)c;
		}
		slot[g * XC_GPU_TOGETHER] = vec;
	}
}

/* Block `item` of a thread block, from planes to where it is left. All threads call it, for its
 * barriers. */
XC_GPU_INLINE void xc_gpu_block(const xc_gpu_encode_job *j, xc_cta t, uint32_t item, int kind,
                                const xc_gpu_share *s, const xc_gpu_plane_map *l,
                                xc_gpu_four *planes, xc_gpu_forward_end end, void *row, int depth16)
{
	const xc_gpu_cta_block b = xc_gpu_cta_block_of(j, s->tall, item);
	const uint32_t chroma = b.component != 0;
	const uint32_t wide = chroma ? l->wide[1] : l->wide[0];
	const uint32_t half = chroma ? l->half[1] : l->half[0];
	const int inside = xc_gpu_block_inside(j, s, &b, item);
	const int steps = end.row_bytes != 0;
	xc_gpu_four *const samples = planes + xc_gpu_block_samples(j, l, &b);
	float r[8][8];
	uint32_t q[64];

	if (kind == XC_GPU_FORWARD_LAPPED_COMMON && XC_GPU_EDGES_WITH_BLOCKS) {
		if (inside)
			xc_gpu_edges_before(j->transform, samples, wide, half, r);
		xc_gpu_edges_after(j, t, &s->run, l, planes);
		XC_CTA_SYNC();
	} else if (inside) {
		xc_gpu_load_half(samples, wide, r);
	}
	if (inside)
		xc_gpu_load_half(samples + half, wide, r + 4);
	if (steps)
		XC_CTA_SYNC(); /* rows replace planes */
	if (!inside)
		return;
	const size_t block = j->picture.first_block + xc_gpu_block_index(j, &b, s);
	xc_gpu_transform(r, s->lot);
	xc_gpu_quantize(r[0], j->quant, chroma, depth16 && !steps, q);
	const int32_t dc = (int32_t)(q[0] - XC_GPU_ROUND_ZERO);
	j->dc[block] = steps ? dc : xc_quantized_value(dc);
	end.leave(j, block, q, row, depth16);
}

/* One thread block's work; kind, end, depth16: constants of the kernel. */
XC_GPU_INLINE void xc_gpu_forward(const xc_gpu_encode_job *j, xc_cta t, uint32_t cta, int kind,
                                  xc_gpu_forward_end end, int depth16, xc_gpu_four *planes)
{
	const xc_gpu_plane_map l = xc_gpu_planes_of(j, kind);
	void *const row = (char *)(planes + xc_gpu_rows_at(&l)) + t.rank * end.row_bytes;
	const int plain = kind == XC_GPU_FORWARD_DCT || kind == XC_GPU_FORWARD_DCT_COMMON;
	const xc_gpu_share s = plain ? xc_gpu_plain_share(j, cta) : xc_gpu_lapped_share(j, cta);

	if (cta == 0)
		xc_gpu_clear_state(j, t);
	if (plain)
		xc_gpu_fill_planes(j, t, s.first,
		                   kind == XC_GPU_FORWARD_DCT_COMMON && j->h == 1 ? XC_GPU_AHEAD : 1, &l,
		                   planes);
	else if (kind == XC_GPU_FORWARD_LAPPED)
		xc_gpu_lapped_planes(j, t, &s.run, &l, planes);
	else
		xc_gpu_rgb_lapped_planes(j, t, &s.run, &l, planes);
	XC_CTA_SYNC();
#ifdef __CUDA_ARCH__
	/* One thread a block. */
	xc_gpu_block(j, t, t.rank, kind, &s, &l, planes, end, row, depth16);
#else
	if (kind == XC_GPU_FORWARD_LAPPED_COMMON)
		xc_gpu_all_column_edges(j, t, &s, &l, planes);
	for (uint32_t item = t.rank; item < j->cta; item += t.size)
		xc_gpu_block(j, t, item, kind, &s, &l, planes, end, row, depth16);
#endif
}

#endif
