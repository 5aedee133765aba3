/* SPDX-License-Identifier: BSD-2-Clause */
/* Eight pixels of one row as floats, for one thread. */
#ifndef XC_GPU_ENCODE_PIXELS_H
#define XC_GPU_ENCODE_PIXELS_H

#include "gpu/encode/job.h"

/* Grey samples are in r, and the others 0. */
typedef struct xc_gpu_pixels {
	float r[8], g[8], b[8];
} xc_gpu_pixels;

/* The same as they lie in memory, the lowest bytes first, loaded long before they are needed. */
typedef struct xc_gpu_raw {
	uint32_t w[16];
} xc_gpu_raw;

/* Byte i of a word.  The lowest bits of 2^23 + byte cost the GPU less than a conversion. */
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

/* `words` of them, all inside the picture and aligned to 8 bytes. */
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

/* Byte by byte, from a row of `width` pixels of `bytes` bytes; the last one is repeated past the
 * right edge. */
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
XC_GPU_INLINE void xc_gpu_load_pixels(const xc_gpu_encode_job *j, const uint8_t *picture,
                                      uint32_t x, uint32_t y, xc_gpu_raw *raw)
{
	const uint8_t *row = picture + (size_t)(y < j->height ? y : j->height - 1) * j->stride;
	const uint32_t bytes = j->channels * (j->depth / 8);

	if (j->fast_loads && x + 8 <= j->width)
		xc_gpu_load_aligned(row + (size_t)x * bytes, 2 * bytes, raw);
	else
		xc_gpu_load_any(row, x, j->width, bytes, raw);
}

#endif
