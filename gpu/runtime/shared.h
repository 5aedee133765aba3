/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared memory: loads and stores of four numbers, and of one if a condition holds. */
#ifndef XC_GPU_RUNTIME_SHARED_H
#define XC_GPU_RUNTIME_SHARED_H

#include <string.h>

#include "gpu/runtime/device.h"

/* The same pointer to shared memory, which nvcc then keeps, and does not find again at each use. */
XC_GPU_INLINE void *xc_gpu_opaque_shared_ptr(void *p)
{
#ifdef __CUDA_ARCH__
	uint32_t at = xc_gpu_shared_address(p);
	XC_OPAQUE(at, "r");
	return __cvta_shared_to_generic(at);
#else
	return p;
#endif
}

XC_GPU_INLINE void xc_gpu_load_four(const float *from, float v[4])
{
#ifdef __CUDA_ARCH__
	const float4 f = *(const float4 *)from;
	v[0] = f.x, v[1] = f.y, v[2] = f.z, v[3] = f.w;
#else
	XC_GPU_ALIGNED(from, 16);
	memcpy(v, from, 4 * sizeof *v);
#endif
}

XC_GPU_INLINE void xc_gpu_store_four(float *to, const float v[4])
{
#ifdef __CUDA_ARCH__
	/* One store of nvcc's becomes four where registers side by side are hard to come by. */
	asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(xc_gpu_shared_address(to)),
	             "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])
	             : "memory");
#else
	XC_GPU_ALIGNED(to, 16);
	memcpy(to, v, 4 * sizeof *v);
#endif
}

/* A number in shared memory, or 0. nvcc would make a branch of the condition, and find
 * the place after it. */
XC_GPU_INLINE float xc_gpu_load_if(const float *from, int wanted)
{
#ifdef __CUDA_ARCH__
	float v;
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\tmov.f32 %0, 0f00000000;\n\t"
	             "@p ld.shared.f32 %0, [%1];\n\t}"
	             : "=f"(v)
	             : "r"(xc_gpu_shared_address(from)), "r"(wanted)
	             : "memory");
	return v;
#else
	return wanted ? *from : 0;
#endif
}

/* Stores a number in shared memory, or not. nvcc would make a branch of the condition. After the
 * last of such stores is xc_gpu_stored(). */
XC_GPU_INLINE void xc_gpu_store_if(float *to, float v, int wanted)
{
#ifdef __CUDA_ARCH__
	asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.s32 p, %2, 0;\n\t@p st.shared.f32 [%0], %1;\n\t}" ::
	                 "r"(xc_gpu_shared_address(to)),
	             "f"(v), "r"(wanted));
#else
	if (wanted)
		*to = v;
#endif
}

XC_GPU_INLINE void xc_gpu_stored(void)
{
#ifdef __CUDA_ARCH__
	asm volatile("" ::: "memory");
#endif
}

#endif
