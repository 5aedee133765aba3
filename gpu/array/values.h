/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of arrays as numbers, bits, and what is coded; for the kernels of gpu/array/. See
 * src/array/values.c. */
#ifndef XC_GPU_ARRAY_VALUES_H
#define XC_GPU_ARRAY_VALUES_H

#include "gpu/array/array.h"

static __device__ __forceinline__ float xc_gpu_number(xc_gpu_array_type type, const void *values,
                                                      uint64_t i)
{
	switch (type) {
	case XC_GPU_INT8:
		return ((const int8_t *)values)[i];
	case XC_GPU_INT16:
		return ((const int16_t *)values)[i];
	case XC_GPU_UINT8:
		return ((const uint8_t *)values)[i];
	case XC_GPU_UINT16:
		return ((const uint16_t *)values)[i];
	default:
		return ((const float *)values)[i];
	}
}

static __device__ __forceinline__ uint32_t xc_gpu_array_bits(xc_gpu_array_type type,
                                                             const void *values, uint64_t i)
{
	switch (type) {
	case XC_GPU_INT8:
	case XC_GPU_UINT8:
		return ((const uint8_t *)values)[i];
	case XC_GPU_INT16:
	case XC_GPU_UINT16:
		return ((const uint16_t *)values)[i];
	default:
		return ((const uint32_t *)values)[i];
	}
}

static __device__ __forceinline__ void xc_gpu_set_bits(xc_gpu_array_type type, void *values,
                                                       uint64_t i, uint32_t bits)
{
	switch (type) {
	case XC_GPU_INT8:
	case XC_GPU_UINT8:
		((uint8_t *)values)[i] = (uint8_t)bits;
		break;
	case XC_GPU_INT16:
	case XC_GPU_UINT16:
		((uint16_t *)values)[i] = (uint16_t)bits;
		break;
	default:
		((uint32_t *)values)[i] = bits;
	}
}

/* The number that bits of the type are. */
static __device__ __forceinline__ float xc_gpu_number_of_bits(xc_gpu_array_type type, uint32_t bits)
{
	switch (type) {
	case XC_GPU_INT8:
		return (int8_t)bits;
	case XC_GPU_INT16:
		return (int16_t)bits;
	case XC_GPU_FLOAT32:
		return __uint_as_float(bits);
	default:
		return (float)bits;
	}
}

/* What is coded of a number, and the bits of what a coded number stands for; see xc_slab_unload(). */
static __device__ __forceinline__ float xc_gpu_loaded(const xc_gpu_array_slab *s, float v)
{
	return s->load[0] != 1 || s->load[1] != 1 ? v * s->load[0] * s->load[1] : v;
}

static __device__ __forceinline__ uint32_t xc_gpu_unloaded(const xc_gpu_array_work *w,
                                                           const xc_gpu_array_slab *s, float v)
{
	if (s->ranks) {
		const float most = (float)(s->ranks - 1);
		return w->ranks[s->rank + (uint32_t)(v > 0 ? v < most ? v : most : 0)];
	}
	switch (w->type) {
	case XC_GPU_INT8:
		return (uint32_t)(int32_t)(v > -128 ? v < 127 ? v : 127 : -128) & 0xff;
	case XC_GPU_INT16:
		return (uint32_t)(int32_t)(v > -32768 ? v < 32767 ? v : 32767 : -32768) & 0xffff;
	case XC_GPU_UINT8:
		return (uint32_t)(v > 0 ? v < 255 ? v : 255 : 0);
	case XC_GPU_UINT16:
		return (uint32_t)(v > 0 ? v < 65535 ? v : 65535 : 0);
	default:
		return __float_as_uint(
			s->unload[0] != 1 || s->unload[1] != 1 ? v * s->unload[0] * s->unload[1] : v);
	}
}

/* 1: the bound is broken; see xc_array_breaks(). */
static __device__ __forceinline__ int xc_gpu_breaks(const xc_gpu_array_work *w, uint32_t own,
                                                    uint32_t decoded)
{
	if (w->error == 0 && w->share == 0)
		return own != decoded;
	const double x = (double)xc_gpu_number_of_bits(w->type, own);
	const double y = (double)xc_gpu_number_of_bits(w->type, decoded), d = y - x, by = fabs(d);
	if (by < w->error + w->share * fabs(x) || x == y)
		return 0;
	const double back = d + x, off = (y - back) - (x - (back - d));
	return !(by == w->error && (d < 0 ? -off : off) <= 0);
}

#endif
