/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From decoded pixels to arrays (xcodec_batch.h): a crop, other channels, planes, floats. The work
 * of one thread, for the kernel in gpu/decode/pixels/arrays.cu and for the tests that run it on the host.
 *
 * It is bound by memory: a sample is read once and written once. The floats of samples of 8 bits
 * are looked up, because two divisions a sample would take longer than that.
 */
#ifndef XC_GPU_DECODE_PIXELS_ARRAYS_H
#define XC_GPU_DECODE_PIXELS_ARRAYS_H

#include "gpu/module.h"
#include "gpu/runtime/device.h"
#include "transform/samples.h"

/* The floats of all samples of 8 bits, by channel. */
typedef struct xc_gpu_sample_floats {
	float of[4][256];
} xc_gpu_sample_floats;

/* Whether arrays of a plan use them. */
XC_GPU_INLINE int xc_gpu_uses_floats(const xc_gpu_array_plan *plan, const xc_gpu_array *a)
{
	return a->depth == 8 && plan->type >= XC_SAMPLE_FLOAT16;
}

XC_GPU_INLINE void xc_gpu_fill_floats(const xc_gpu_array_plan *plan, xc_gpu_sample_floats *floats,
                                      uint32_t thread, uint32_t threads)
{
	for (uint32_t i = thread; i < 4 * 256; i += threads)
		floats->of[i / 256][i % 256] = xc_sample_float((float)(i % 256), 255, plan->mean[i / 256],
		                                               plan->deviation[i / 256]);
}

/* The sample of the pixels that becomes sample c of the array; -1: the largest one, for opaque
 * alpha. */
XC_GPU_INLINE int xc_gpu_source_channel(const xc_gpu_array *a, uint32_t c)
{
	if (a->array_channels % 2 == 0 && c + 1 == a->array_channels)
		return a->channels % 2 == 0 ? (int)a->channels - 1 : -1;
	return a->channels < 3 ? 0 : (int)c;
}

/* Writes sample v of channel c to place `at` of the array. */
XC_GPU_INLINE void xc_gpu_store_sample(const xc_gpu_array_plan *plan, const xc_gpu_array *a,
                                       const xc_gpu_sample_floats *floats, uint32_t c, uint32_t v,
                                       uint64_t at)
{
	if (plan->type == XC_SAMPLE_UINT8) {
		((uint8_t *)a->array)[at] = (uint8_t)v;
	} else if (plan->type == XC_SAMPLE_UINT16) {
		((uint16_t *)a->array)[at] = (uint16_t)v;
	} else {
		const float f = a->depth == 8
		                    ? floats->of[c][v]
		                    : xc_sample_float((float)v, 65535, plan->mean[c], plan->deviation[c]);
		if (plan->type == XC_SAMPLE_FLOAT32)
			((float *)a->array)[at] = f;
		else
			((uint16_t *)a->array)[at] = xc_half_bits(f);
	}
}

/* Makes the pixels from number `first` on, every `step`th of `count`. */
XC_GPU_INLINE void xc_gpu_arrange_pixels(const xc_gpu_array_plan *plan, const xc_gpu_array *a,
                                         const xc_gpu_sample_floats *floats, uint64_t first,
                                         uint32_t step, uint32_t count)
{
	const uint64_t pixels = (uint64_t)a->width * a->height;
	const uint64_t row = first / a->width;
	uint32_t x = (uint32_t)(first - row * a->width), y = (uint32_t)row;

	for (uint32_t k = 0; k < count && first < pixels; k++, first += step) {
		const uint8_t *p = a->pixels + y * a->stride + (size_t)x * a->channels * (a->depth / 8);
		for (uint32_t c = 0; c < a->array_channels; c++) {
			const int source = xc_gpu_source_channel(a, c);
			const uint32_t v = source < 0      ? a->depth == 8 ? 255u : 65535u
			                   : a->depth == 8 ? p[source]
			                                   : ((const uint16_t *)(const void *)p)[source];
			const uint64_t at = plan->planar ? c * pixels + first : first * a->array_channels + c;
			xc_gpu_store_sample(plan, a, floats, c, v, at);
		}
		x += step;
		y += x / a->width;
		x %= a->width;
	}
}

#endif
