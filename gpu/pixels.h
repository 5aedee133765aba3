/* SPDX-License-Identifier: BSD-2-Clause */
/* Eight pixels of one row as floats, for one thread. */
#ifndef XC_GPU_PIXELS_H
#define XC_GPU_PIXELS_H

#include "gpu/encode_job.h"

/* Grey samples are in r, and the others 0. */
typedef struct xc_gpu_pixels {
	float r[8], g[8], b[8];
} xc_gpu_pixels;

/* Sample i of pixels whose bytes are in words, lowest first. */
#define XC_GPU_SAMPLE(words, i, deep) \
	((float)((deep) ? (words)[(i) / 2] >> 16 * ((i) % 2) & 65535u \
	                : (words)[(i) / 4] >> 8 * ((i) % 4) & 255u))

/* The pixels' bytes, all of them inside the picture and aligned to 8. */
#ifdef __CUDA_ARCH__
#define XC_GPU_LOAD_WORDS(w, row, n) \
	do { \
		const uint2 *from = (const uint2 *)(const void *)(row); \
		_Pragma("unroll") for (int i = 0; i < (n) / 2; i++) { \
			const uint2 v = __ldg(from + i); \
			w[2 * i] = v.x; \
			w[2 * i + 1] = v.y; \
		} \
	} while (0)
#else
#define XC_GPU_LOAD_WORDS(w, row, n) __builtin_memcpy(w, row, (n) * 4)
#endif

#define XC_GPU_LAYOUT(channels, deep) \
	case (channels) + ((deep) ? 4 : 0): { \
		uint32_t w[2 * (channels) * ((deep) ? 2 : 1)]; \
		XC_GPU_LOAD_WORDS(w, row, 2 * (channels) * ((deep) ? 2 : 1)); \
		XC_UNROLL for (int i = 0; i < 8; i++) { \
			const int at = i * (channels), colour = (channels) > 2; \
			p->r[i] = XC_GPU_SAMPLE(w, at, deep); \
			p->g[i] = colour ? XC_GPU_SAMPLE(w, at + colour, deep) : 0; \
			p->b[i] = colour ? XC_GPU_SAMPLE(w, at + 2 * colour, deep) : 0; \
		} \
		break; \
	}

XC_GPU_INLINE void xc_gpu_pixels_aligned(const uint8_t *row, uint32_t channels, uint32_t depth,
                                         xc_gpu_pixels *p)
{
	switch (channels + (depth == 16 ? 4 : 0)) {
		XC_GPU_LAYOUT(1, 0)
		XC_GPU_LAYOUT(2, 0)
		XC_GPU_LAYOUT(3, 0)
		XC_GPU_LAYOUT(4, 0)
		XC_GPU_LAYOUT(1, 1)
		XC_GPU_LAYOUT(2, 1)
		XC_GPU_LAYOUT(3, 1)
	default:
		XC_GPU_LAYOUT(4, 1)
	}
}

XC_GPU_INLINE float xc_gpu_sample(const uint8_t *row, uint32_t i, uint32_t depth)
{
	return depth == 16 ? (float)((const uint16_t *)(const void *)row)[i] : (float)row[i];
}

/* Pixels from column x on; past the right edge the last one goes on. */
XC_GPU_INLINE void xc_gpu_pixels_any(const uint8_t *row, uint32_t x, uint32_t width,
                                     uint32_t channels, uint32_t depth, xc_gpu_pixels *p)
{
	XC_UNROLL for (uint32_t i = 0; i < 8; i++) {
		const uint32_t at = (x + i < width ? x + i : width - 1) * channels;
		p->r[i] = xc_gpu_sample(row, at, depth);
		p->g[i] = channels > 2 ? xc_gpu_sample(row, at + 1, depth) : 0;
		p->b[i] = channels > 2 ? xc_gpu_sample(row, at + 2, depth) : 0;
	}
}

/* Eight pixels of row y from column x, a multiple of 8, on; past the edges the last row
 * and column go on. */
XC_GPU_INLINE void xc_gpu_pixels_load(const xc_gpu_encode_job *j, const uint8_t *picture,
                                      uint32_t x, uint32_t y, xc_gpu_pixels *p)
{
	const uint8_t *row = picture + (size_t)(y < j->height ? y : j->height - 1) * j->stride;
	if (j->fast_loads && x + 8 <= j->width)
		xc_gpu_pixels_aligned(row + (size_t)x * j->channels * (j->depth / 8), j->channels,
		                      j->depth, p);
	else
		xc_gpu_pixels_any(row, x, j->width, j->channels, j->depth, p);
}

#endif
