/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first half of the forward kernel (gpu/encode/pixels/forward.h): the pixels of a thread block's MCUs
 * to planes of floats in shared memory.
 *
 * A thread block takes j->span MCUs in the picture's raster order. A component's plane holds its
 * blocks row by row, `wide` blocks in a row. A block's row of eight samples is split: samples 0 to
 * 3 are in the plane's first half, 4 to 7 in its second. So the threads of a warp, which read a row
 * of their own blocks as two vec16s, have no bank conflicts. With a lapped transform planes have a
 * margin (gpu/encode/pixels/lapped.h).
 */
#ifndef XC_GPU_ENCODE_PIXELS_PLANES_H
#define XC_GPU_ENCODE_PIXELS_PLANES_H

#include "gpu/encode/job/job.h"
#include "transform/colour.h"

/* Eight pixels of one row as floats, for one thread. */

/* Grey samples are in r, and the others 0. */
typedef struct xc_gpu_pixels {
	float r[8], g[8], b[8];
} xc_gpu_pixels;

/* Eight pixels as they lie in memory, lowest bytes first, loaded long before use. */
typedef struct xc_gpu_raw {
	uint32_t w[16];
} xc_gpu_raw;

/* Byte i of a word as a float. Building the float 2^23 + byte costs the GPU less than a conversion.
 * */
XC_GPU_INLINE float xc_gpu_byte(uint32_t w, uint32_t i)
{
#ifdef __CUDA_ARCH__
	return xc_gpu_float_of(__byte_perm(w, 0x4B000000u, 0x7440u | i)) - 8388608.0f;
#else
	return (float)(w >> 8 * i & 255);
#endif
}

/* Sample i of pixels whose bytes are in words. */
#define XC_GPU_SAMPLE(words, i, depth16) \
	((depth16) ? (float)((words)[(i) / 2] >> 16 * ((i) % 2) & 65535u) \
	           : xc_gpu_byte((words)[(i) / 4], (uint32_t)(i) % 4))

#define XC_GPU_UNPACK(channels, depth16) \
	case (channels) + ((depth16) ? 4 : 0): \
		{ \
			XC_UNROLL \
			for (int i = 0; i < 8; i++) { \
				const int at = i * (channels), colour = (channels) > 2; \
				p->r[i] = XC_GPU_SAMPLE(raw->w, at, depth16); \
				p->g[i] = colour ? XC_GPU_SAMPLE(raw->w, at + colour, depth16) : 0; \
				p->b[i] = colour ? XC_GPU_SAMPLE(raw->w, at + 2 * colour, depth16) : 0; \
			} \
			break; \
		}

XC_GPU_INLINE void xc_gpu_unpack(const xc_gpu_raw *raw, uint32_t channels, uint32_t depth,
                                 xc_gpu_pixels *p)
{
	switch (channels + (depth == 16 ? 4 : 0)) {
		XC_GPU_UNPACK(1, 0)
		XC_GPU_UNPACK(2, 0)
		XC_GPU_UNPACK(3, 0)
		XC_GPU_UNPACK(4, 0)
		XC_GPU_UNPACK(1, 1)
		XC_GPU_UNPACK(2, 1)
		XC_GPU_UNPACK(3, 1)
	default:
		XC_GPU_UNPACK(4, 1)
	}
}

#undef XC_GPU_UNPACK
#undef XC_GPU_SAMPLE

/* Loads `words` words, all inside the picture and aligned to 8 bytes. */
XC_GPU_INLINE void xc_gpu_load_aligned(const uint8_t *from, uint32_t words, xc_gpu_raw *raw)
{
	XC_UNROLL
	for (uint32_t i = 0; i < 16; i += 2) {
		if (i >= words)
			break;
#ifdef __CUDA_ARCH__
		const uint2 v = __ldg((const uint2 *)(const void *)from + i / 2);
		raw->w[i] = v.x;
		raw->w[i + 1] = v.y;
#else
		__builtin_memcpy(raw->w + i, from + i * 4, 8);
#endif
	}
}

/* Loads byte by byte from a row of `width` pixels of `bytes` bytes; the last one is repeated past
 * the right edge. */
XC_GPU_INLINE void xc_gpu_load_any(const uint8_t *row, uint32_t x, uint32_t width, uint32_t bytes,
                                   xc_gpu_raw *raw)
{
	uint32_t pixel = 0, byte = 0;

	XC_UNROLL
	for (uint32_t i = 0; i < 16; i++) {
		raw->w[i] = 0;
		for (uint32_t b = 0; b < 4 && i < 2 * bytes; b++) {
			const uint32_t at = x + pixel < width ? x + pixel : width - 1;
			raw->w[i] |= (uint32_t)row[(size_t)at * bytes + byte] << 8 * b;
			if (++byte == bytes) {
				byte = 0;
				pixel++;
			}
		}
	}
}

/* Eight pixels of row y from column x on, a multiple of 8.  The last row and column are repeated
 * past the edges. */
XC_GPU_INLINE void xc_gpu_load_pixels(const xc_gpu_encode_job *j, uint32_t x, uint32_t y,
                                      xc_gpu_raw *raw)
{
	const uint8_t *row = j->picture.pixels +
	                     (size_t)(y < j->picture.height ? y : j->picture.height - 1) *
	                         j->picture.stride;
	const uint32_t bytes = j->channels * (j->depth / 8);

	if (j->fast_loads && x + 8 <= j->picture.width)
		xc_gpu_load_aligned(row + (size_t)x * bytes, 2 * bytes, raw);
	else
		xc_gpu_load_any(row, x, j->picture.width, bytes, raw);
}

/* A vec16 of four floats. */
typedef struct xc_gpu_four {
	float x, y, z, w;
} __attribute__((aligned(16))) xc_gpu_four;

enum { XC_GPU_HALF_PAD = 4 }; /* vec16s between the halves, to shift banks */

typedef struct xc_gpu_plane_map {
	uint32_t wide[2];   /* blocks of one row of luma, of chroma */
	uint32_t half[2];   /* vec16s from a plane's first half to its second */
	uint32_t start[3];  /* of each component's plane, in vec16s */
	uint32_t vecs;      /* of all planes */
	uint32_t origin[2]; /* the first block's first vec16 in a plane of luma, of chroma */
} xc_gpu_plane_map;

XC_GPU_INLINE xc_gpu_plane_map xc_gpu_general_planes(const xc_gpu_encode_job *j)
{
	const uint32_t around = j->transform != XC_TRANSFORM_DCT;
	xc_gpu_plane_map l;

	l.wide[0] = j->span * j->h + around;
	l.wide[1] = j->span + around;
	l.half[0] = l.wide[0] * 8 * (j->v * j->tall + around) + XC_GPU_HALF_PAD + around;
	l.half[1] = l.wide[1] * 8 * (j->tall + around) + XC_GPU_HALF_PAD + around;
	l.origin[0] = around * 4 * l.wide[0];
	l.origin[1] = around * 4 * l.wide[1];
	l.start[0] = 0;
	l.start[1] = 2 * l.half[0];
	l.start[2] = l.start[1] + 2 * l.half[1];
	l.vecs = j->components == 1 ? l.start[1] : l.start[2] + 2 * l.half[1];
	return l;
}

/* The halves of eight samples to store. */
enum { XC_GPU_FIRST_HALF = 1, XC_GPU_SECOND_HALF = 2, XC_GPU_HALVES = 3 };

XC_GPU_INLINE void xc_gpu_store8(xc_gpu_four *plane, uint32_t half, uint32_t at, int halves,
                                 const float v[8])
{
	const xc_gpu_four a = {v[0], v[1], v[2], v[3]}, b = {v[4], v[5], v[6], v[7]};

	if (halves & XC_GPU_FIRST_HALF)
		plane[at] = a;
	if (halves & XC_GPU_SECOND_HALF)
		plane[at + half] = b;
}

/* The column and row of MCU number `mcu` of the picture. */
XC_GPU_INLINE void xc_gpu_mcu_position(const xc_gpu_encode_job *j, uint32_t mcu, uint32_t *mx,
                                       uint32_t *my)
{
	*my = mcu / j->picture.mcus_wide;
	*mx = mcu - *my * j->picture.mcus_wide;
}

/* Luma of eight pixels; leaves B - Y and R - Y in b and r. */
XC_GPU_INLINE void xc_gpu_luma8(const xc_gpu_encode_job *j, xc_gpu_pixels *p, float y[8])
{
	const float middle = j->depth == 16 ? 32768.0f : 128.0f;

	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		float l = p->r[i];
		if (j->channels > 2) {
			l = xc_luma(p->r[i], p->g[i], p->b[i]);
			p->b[i] = p->b[i] - l;
			p->r[i] = p->r[i] - l;
		}
		y[i] = l - middle;
	}
}

/* Converts Y, Cb and Cr of eight pixels to components made for the picture. */
XC_GPU_INLINE void xc_gpu_mix8(const float matrix[9], float y[8], float cb[8], float cr[8])
{
	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		const float a = y[i], b = cb[i], c = cr[i];
		y[i] = xc_colour_mix(a, b, c, matrix);
		cb[i] = xc_colour_mix(a, b, c, matrix + 3);
		cr[i] = xc_colour_mix(a, b, c, matrix + 6);
	}
}

/* Eight raw pixels of a row, and of the row below if chroma is halved down. */
typedef struct xc_gpu_raw_rows {
	xc_gpu_raw upper, lower;
} xc_gpu_raw_rows;

XC_GPU_INLINE void xc_gpu_load_rows(const xc_gpu_encode_job *j, uint32_t px, uint32_t py,
                                    xc_gpu_raw_rows *raw)
{
	xc_gpu_load_pixels(j, px, py, &raw->upper);
	if (j->v == 2)
		xc_gpu_load_pixels(j, px, py + 1, &raw->lower);
}

/* Converts pixels to luma and halved chroma. at: their vec16 in the first half of the luma plane,
 * halves: the halves to store; chroma_at: their vec16 in the planes of chroma. */
XC_GPU_INLINE void xc_gpu_halved_row(const xc_gpu_encode_job *j, const xc_gpu_raw_rows *raw,
                                     const xc_gpu_plane_map *l, uint32_t at, int halves,
                                     uint32_t chroma_at, xc_gpu_four *planes)
{
	xc_gpu_pixels p;
	float y[8], cb[4], cr[4];

	xc_gpu_unpack(&raw->upper, j->channels, j->depth, &p);
	xc_gpu_luma8(j, &p, y);
	xc_gpu_store8(planes, l->half[0], at, halves, y);
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		cb[i] = p.b[2 * i] + p.b[2 * i + 1];
		cr[i] = p.r[2 * i] + p.r[2 * i + 1];
	}
	if (j->v == 2) {
		xc_gpu_unpack(&raw->lower, j->channels, j->depth, &p);
		xc_gpu_luma8(j, &p, y);
		xc_gpu_store8(planes, l->half[0], at + l->wide[0], halves, y);
		XC_UNROLL
		for (int i = 0; i < 4; i++) {
			cb[i] = cb[i] + (p.b[2 * i] + p.b[2 * i + 1]);
			cr[i] = cr[i] + (p.r[2 * i] + p.r[2 * i + 1]);
		}
	}
	const float kb = j->v == 2 ? XC_KCB * 0.25f : XC_KCB * 0.5f;
	const float kr = j->v == 2 ? XC_KCR * 0.25f : XC_KCR * 0.5f;
	const xc_gpu_four b = {cb[0] * kb, cb[1] * kb, cb[2] * kb, cb[3] * kb};
	const xc_gpu_four r = {cr[0] * kr, cr[1] * kr, cr[2] * kr, cr[3] * kr};
	planes[l->start[1] + chroma_at] = b;
	planes[l->start[2] + chroma_at] = r;
}

/* The same without subsampling, and for grey. */
XC_GPU_INLINE void xc_gpu_full_row(const xc_gpu_encode_job *j, const xc_gpu_raw_rows *raw,
                                   const xc_gpu_plane_map *l, uint32_t at, int halves,
                                   xc_gpu_four *planes)
{
	xc_gpu_pixels p;
	float y[8];

	xc_gpu_unpack(&raw->upper, j->channels, j->depth, &p);
	xc_gpu_luma8(j, &p, y);
	if (j->components == 1) {
		xc_gpu_store8(planes, l->half[0], at, halves, y);
		return;
	}
	XC_UNROLL
	for (int i = 0; i < 8; i++) {
		p.b[i] = p.b[i] * XC_KCB;
		p.r[i] = p.r[i] * XC_KCR;
	}
	if (j->mixes)
		xc_gpu_mix8(j->mix, y, p.b, p.r);
	xc_gpu_store8(planes, l->half[0], at, halves, y);
	xc_gpu_store8(planes + l->start[1], l->half[1], at, halves, p.b);
	xc_gpu_store8(planes + l->start[2], l->half[1], at, halves, p.r);
}

enum { XC_GPU_AHEAD = 3 }; /* maximum of rows in flight */

/* Fills the planes. A thread takes every step-th row of a column of eight pixels. ahead, a
 * constant: rows in flight, at most XC_GPU_AHEAD. */
XC_GPU_INLINE void xc_gpu_fill_planes(const xc_gpu_encode_job *j, xc_cta t, uint32_t first_mcu,
                                      uint32_t ahead, const xc_gpu_plane_map *l,
                                      xc_gpu_four *planes)
{
	const uint32_t wide = l->wide[0], together = t.size < wide ? t.size : wide;
	const uint32_t first_row = t.rank / together, step = t.size / together;

	for (uint32_t column = t.rank % together; column < wide; column += together) {
		const uint32_t inside = j->h == 2 ? column / 2 : column;
		uint32_t mx, my;
		if (first_mcu + inside >= j->picture.mcus)
			continue;
		xc_gpu_mcu_position(j, first_mcu + inside, &mx, &my);
		const uint32_t x = (mx * j->h + (column - inside * j->h)) * 8, y = my * 8 * j->v;
		const uint32_t chroma_at = inside + (column % 2 ? l->half[1] : 0);
		for (uint32_t next = first_row; next < 8; next += ahead * step) {
			xc_gpu_raw_rows raw[XC_GPU_AHEAD];
			XC_UNROLL
			for (uint32_t i = 0; i < ahead; i++)
				if (next + i * step < 8)
					xc_gpu_load_rows(j, x, y + (next + i * step) * j->v, &raw[i]);
			XC_UNROLL
			for (uint32_t i = 0; i < ahead; i++) {
				const uint32_t row = next + i * step, at = row * j->v * wide + column;
				if (row >= 8)
					continue;
				if (j->h == 2)
					xc_gpu_halved_row(j, &raw[i], l, at, XC_GPU_HALVES,
					                  row * l->wide[1] + chroma_at, planes);
				else
					xc_gpu_full_row(j, &raw[i], l, at, XC_GPU_HALVES, planes);
			}
		}
	}
}

#endif
