/* SPDX-License-Identifier: BSD-2-Clause */
/* The dialect in which code for one CUDA thread is written, so that tests also run it on the host.
 * Include it before the arithmetic that GPU and CPU share (transform/, entropy/value.h), which uses
 * XC_V.
 */
#ifndef XC_GPU_RUNTIME_DEVICE_H
#define XC_GPU_RUNTIME_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* XC_GPU_CONSTANT marks functions that the compiler evaluates for array sizes and tables.
 * XC_GPU_ALIGNED() traps on the host where a GPU would fault, if `pointer` is not a multiple of n
 * bytes. */
#ifdef __CUDACC__
#define XC_DEVICE __host__ __device__
#define XC_GPU_CONSTANT static constexpr __host__ __device__
#define XC_GPU_ALIGNED(pointer, n) ((void)(pointer))
#else
#define XC_DEVICE
#define XC_GPU_CONSTANT static inline __attribute__((unused))
#define XC_GPU_ALIGNED(pointer, n) ((uintptr_t)(pointer) % (n) ? __builtin_trap() : (void)0)
#endif

#define XC_GPU_INLINE static inline __attribute__((always_inline, unused)) XC_DEVICE

/* The shared memory that a thread block can have on every supported GPU; compute capability 7.5 has
 * the minimum. */
enum { XC_GPU_MIN_SHARED = 65536 };

#define XC_V float

/* XC_OPAQUE() hides from nvcc how a number ("r") or pointer ("l") was computed. XC_OPAQUE_AGAIN()
 * does so in each iteration of a loop, so that nothing derived from it is hoisted. XC_GPU_GLOBAL()
 * and XC_GPU_SHARED() tell nvcc the memory space of a pointer: generic loads and stores cost more.
 * */
#ifdef __CUDA_ARCH__
#define XC_UNROLL _Pragma("unroll")
#define XC_UNROLL_2 _Pragma("unroll 2")
#define XC_UNROLL_4 _Pragma("unroll 4")
#define XC_ROLLED _Pragma("unroll 1")
#define XC_OPAQUE(value, kind) asm("" : "+" kind(value))
#define XC_OPAQUE_AGAIN(value, kind) asm volatile("" : "+" kind(value))
#define XC_GPU_GLOBAL(pointer) __builtin_assume(__isGlobal(pointer))
#define XC_GPU_SHARED(pointer) __builtin_assume(__isShared(pointer))
#else
#define XC_UNROLL
#define XC_UNROLL_2
#define XC_UNROLL_4
#define XC_ROLLED
#define XC_OPAQUE(value, kind) ((void)0)
#define XC_OPAQUE_AGAIN(value, kind) ((void)0)
#define XC_GPU_GLOBAL(pointer) ((void)0)
#define XC_GPU_SHARED(pointer) ((void)0)
#endif

/* A vec16 of words: 16 aligned bytes, stored by one instruction. */
enum { XC_GPU_VEC16_WORDS = 4 };

XC_GPU_INLINE void xc_gpu_store_vec16(uint32_t *to, const uint32_t word[XC_GPU_VEC16_WORDS])
{
#ifdef __CUDA_ARCH__
	*(uint4 *)to = make_uint4(word[0], word[1], word[2], word[3]);
#else
	XC_GPU_ALIGNED(to, 16);
	for (int i = 0; i < XC_GPU_VEC16_WORDS; i++)
		to[i] = word[i];
#endif
}

#ifdef __CUDA_ARCH__
/* Shared addresses have 32 bits; with a pointer nvcc would calculate in 64. */
XC_GPU_INLINE uint32_t xc_gpu_shared_address(const void *shared)
{
	return (uint32_t)__cvta_generic_to_shared(shared);
}
#endif

/* a / b for numbers below 2^20, b not 0, in a third of a division's instructions. It is exact: (a +
 * 0.5) / b is at least 0.5 / b away from each integer, and the error of the product is less than a
 * / b * 2^-21. */
XC_GPU_INLINE uint32_t xc_gpu_quotient(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
	float inverse;
	asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"((float)b));
	return (uint32_t)(((float)a + 0.5f) * inverse);
#else
	return a / b;
#endif
}

/* 2^32 / d, rounded down, for xc_gpu_divide(); d: 1 or more. */
XC_GPU_INLINE uint32_t xc_gpu_inverse_of(uint32_t d)
{
	return d > 1 ? (uint32_t)(((uint64_t)1 << 32) / d) : UINT32_MAX;
}

/* a / d for any numbers, where d is known before the launch. The product is below a / d by less
 * than 1, so its integer part is the quotient or 1 less. */
XC_GPU_INLINE uint32_t xc_gpu_divide(uint32_t a, uint32_t d, uint32_t inverse)
{
	const uint32_t q = (uint32_t)((uint64_t)a * inverse >> 32);
	return q + (a - q * d >= d);
}

/* Prefetches the 32-byte sector at p into L2. */
XC_GPU_INLINE void xc_gpu_prefetch(const void *p)
{
#ifdef __CUDA_ARCH__
	asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
#else
	(void)p;
#endif
}

XC_GPU_INLINE uint32_t xc_gpu_min(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

XC_GPU_INLINE uint32_t xc_gpu_max(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The number of bits that are set. */
XC_GPU_INLINE uint32_t xc_gpu_count_bits(uint32_t x)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popc(x);
#else
	return (uint32_t)__builtin_popcount(x);
#endif
}

/* The number of the lowest bit that is set. */
XC_GPU_INLINE int xc_gpu_lowest(uint32_t mask)
{
#ifdef __CUDA_ARCH__
	return __ffs((int)mask) - 1;
#else
	return __builtin_ctz(mask);
#endif
}

/* c and the products of the four bytes of a and b. */
XC_GPU_INLINE uint32_t xc_gpu_dot(uint32_t a, uint32_t b, uint32_t c)
{
#ifdef __CUDA_ARCH__
	return __dp4a(a, b, c);
#else
	for (int i = 0; i < 32; i += 8)
		c += (a >> i & 255) * (b >> i & 255);
	return c;
#endif
}

/* The upper half of (high, low) << (n mod 32). */
XC_GPU_INLINE uint32_t xc_gpu_shift_in(uint32_t high, uint32_t low, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_l(low, high, n);
#else
	return n & 31 ? high << (n & 31) | low >> (32 - (n & 31)) : high;
#endif
}

/* The 32 bits from bit n % 32 on of two words, the first one lower. */
XC_GPU_INLINE uint32_t xc_gpu_funnel(uint32_t low, uint32_t high, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_r(low, high, n);
#else
	return n % 32 ? low >> n % 32 | high << (32 - n % 32) : low;
#endif
}

/* The bytes of a word in the other order. */
XC_GPU_INLINE uint32_t xc_gpu_swap(uint32_t w)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(w, 0, 0x0123);
#else
	return __builtin_bswap32(w);
#endif
}

/* Selects four bytes out of eight: 0 to 3 are the bytes of a, 4 to 7 the bytes of b, lowest first.
 * */
XC_GPU_INLINE uint32_t xc_gpu_pick(uint32_t a, uint32_t b, uint32_t selector)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(a, b, selector);
#else
	const uint64_t both = (uint64_t)b << 32 | a;
	uint32_t w = 0;
	for (uint32_t i = 0; i < 4; i++)
		w |= (uint32_t)(both >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i;
	return w;
#endif
}

/* Byte 2 of a word, 0 being the lowest. */
XC_GPU_INLINE uint32_t xc_gpu_byte2(uint32_t w)
{
#ifdef __CUDA_ARCH__
	return __byte_perm(w, 0, 0x4442);
#else
	return w >> 16 & 255;
#endif
}

XC_GPU_INLINE float xc_gpu_float_of(uint32_t bits)
{
#ifdef __CUDA_ARCH__
	return __uint_as_float(bits);
#else
	float v;
	__builtin_memcpy(&v, &bits, sizeof v);
	return v;
#endif
}

XC_GPU_INLINE uint32_t xc_gpu_float_bits(float v)
{
#ifdef __CUDA_ARCH__
	return __float_as_uint(v);
#else
	uint32_t bits;
	__builtin_memcpy(&bits, &v, sizeof bits);
	return bits;
#endif
}

/* Shared memory: loads and stores of four numbers, and conditional ones of one number. */

/* The same pointer to shared memory; nvcc keeps it in a register instead of recomputing it at each
 * use. */
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
	/* nvcc splits the store in four when it has no four adjacent registers left. */
	asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(xc_gpu_shared_address(to)),
	             "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3])
	             : "memory");
#else
	XC_GPU_ALIGNED(to, 16);
	memcpy(to, v, 4 * sizeof *v);
#endif
}

/* Loads a number from shared memory if `wanted`, else 0. Predicated, because nvcc would branch and
 * compute the address after the branch. */
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

/* Stores a number in shared memory if `wanted`. Predicated, because nvcc would branch.
 * xc_gpu_stored() follows the last such store. */
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

/* Four words from 16 bytes. */
XC_GPU_INLINE void xc_gpu_load_words(const uint32_t *from, uint32_t word[4])
{
#ifdef __CUDA_ARCH__
	const uint4 g = *(const uint4 *)from;
	word[0] = g.x, word[1] = g.y, word[2] = g.z, word[3] = g.w;
#else
	XC_GPU_ALIGNED(from, 16);
	for (int i = 0; i < 4; i++)
		word[i] = from[i];
#endif
}

/* Two words from 8 bytes. */
XC_GPU_INLINE void xc_gpu_load_two(const uint32_t *from, uint32_t word[2])
{
#ifdef __CUDA_ARCH__
	const uint2 g = *(const uint2 *)from;
	word[0] = g.x, word[1] = g.y;
#else
	XC_GPU_ALIGNED(from, 8);
	word[0] = from[0], word[1] = from[1];
#endif
}

/* Partitioning of memory: every piece begins at a multiple of 256 bytes. */

/* Reserves `bytes` bytes at offset *size, which grows and becomes SIZE_MAX on overflow. Returns the
 * offset of the piece. */
static inline size_t xc_gpu_take_room(size_t *size, uint64_t bytes)
{
	const size_t at = *size;
	const uint64_t room = (bytes + 255) / 256 * 256;

	*size = room > SIZE_MAX / 2 || at > SIZE_MAX / 2 ? SIZE_MAX : at + (size_t)room;
	return at;
}

/* The same as a pointer into the memory at `base`; a NULL base only measures and gives NULL. */
static inline void *xc_gpu_partition(char *base, size_t *size, uint64_t bytes)
{
	const size_t at = xc_gpu_take_room(size, bytes);
	return base ? base + at : NULL;
}

#endif
