/* SPDX-License-Identifier: BSD-2-Clause */
/* The coefficients of a block of the rANS mode, by one thread, from its symbols and raw bits. */
#ifndef XC_GPU_DECODE_RANS_BLOCK_H
#define XC_GPU_DECODE_RANS_BLOCK_H

#include "gpu/decode/block.h"
#include "gpu/decode/rans_raw.h"

/* What symbols without class bits stand for, of a class of components: coefficients in sixteenths of a
 * step.  0 for the others. */
enum { XC_GPU_SYMBOL_VALUES = 16 };

XC_GPU_INLINE float xc_gpu_symbol_value(uint32_t symbol, xc_value_points points)
{
	return symbol < XC_RANS_FIRST_CLASS ? (float)xc_reconstruct((int32_t)symbol, points) : 0.0f;
}

/* What blocks of a class have in common. */
typedef struct xc_gpu_rans_class {
	const float *values, *steps; /* in shared memory; steps in transposed order */
	xc_value_points points;
	int sloped, deep;
} xc_gpu_rans_class;

/* Whether a slope is to be added to the coefficient of place k, with 16 bits a sample: then it keeps all
 * bits of its number. */
XC_GPU_INLINE int xc_gpu_is_whole(const xc_gpu_rans_class *c, uint32_t k)
{
	return c->deep && c->sloped && (k == 1 || k == 8);
}

/* Eight coefficients, from place `first` on.  Those of symbols with class bits become 0 with their signs,
 * and those of symbols that are 0 have any sign.  signs: of the symbols from here on that are not 0, the
 * first one highest. */
XC_GPU_INLINE void xc_gpu_eight_values(const xc_gpu_rans_class *c, uint32_t word, uint32_t first,
                                       uint32_t *signs, float f[8])
{
	XC_UNROLL
	for (uint32_t four = 0; four < 8; four += 4) {
		float step[4];
		xc_gpu_load_four(c->steps + first + four, step);
		XC_UNROLL
		for (uint32_t i = four; i < four + 4; i++) {
			const uint32_t at = (i ? word >> (4 * i - 2) : word << 2) & 60; /* in bytes */
			const float size = *(const float *)(const void *)((const char *)c->values + at);
			const uint32_t sign = *signs & 1u << 31;
			const float value = xc_gpu_float_of(xc_gpu_float_bits(size) ^ sign);
			*signs = at ? *signs << 1 : *signs;
			f[i] = value * step[i - four];
			if (xc_gpu_is_whole(c, first + i))
				f[i] = xc_gpu_float_of((uint32_t)(int32_t)value | (at && size == 0 ? sign : 0));
		}
	}
}

/* Four words of symbols. */
XC_GPU_INLINE void xc_gpu_many_values(const xc_gpu_rans_class *c, const uint32_t word[4],
                                      uint32_t first, uint32_t signs, float f[32])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 4; i++) {
		if (word[i]) {
			xc_gpu_eight_values(c, word[i], first + 8 * i, &signs, f + 8 * i);
			continue;
		}
		XC_UNROLL
		for (uint32_t j = 0; j < 8; j++)
			f[8 * i + j] = 0;
	}
}

/* The coefficient of place k and of magnitude `size`, with the sign that is there. */
XC_GPU_INLINE float xc_gpu_class_value(const xc_gpu_rans_class *c, uint32_t k, int32_t size,
                                       float there)
{
	const uint32_t sign = xc_gpu_float_bits(there) & 1u << 31;
	const int32_t value = xc_reconstruct(size, c->points);
	if (xc_gpu_is_whole(c, k))
		return xc_gpu_float_of((uint32_t)(sign ? -value : value));
	return xc_gpu_float_of(xc_gpu_float_bits((float)value * c->steps[k]) | sign);
}

/* Symbols of XC_RANS_FIRST_CLASS - 1 and more in four words: bit 4 j + i is that of symbol j of word i. */
XC_GPU_INLINE uint32_t xc_gpu_large_of_four(const uint32_t word[4])
{
	const uint32_t top = 0x88888888;
	return (word[0] & top) >> 3 | (word[1] & top) >> 2 | (word[2] & top) >> 1 | (word[3] & top);
}

/* Number shift / 4 of eight, which stay in registers. */
XC_GPU_INLINE float xc_gpu_take_of_eight(const float f[8], uint32_t shift)
{
	float v = f[0];
	XC_UNROLL
	for (uint32_t i = 1; i < 8; i++)
		v = 4 * i == shift ? f[i] : v;
	return v;
}

XC_GPU_INLINE void xc_gpu_put_of_eight(float f[8], uint32_t shift, float v)
{
	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++)
		f[i] = 4 * i == shift ? v : f[i];
}

/* The AC symbols with class bits, from bit `at` of `raw` on; large: those of both halves of the words that
 * might be such ones.  One loop for all words, because code is large. */
XC_GPU_INLINE void xc_gpu_class_values(const uint32_t *symbols, const xc_gpu_raw_stream *raw,
                                       const xc_gpu_rans_class *c, const uint32_t large[2],
                                       uint32_t at, float f[64])
{
	XC_ROLLED
	for (uint32_t i = 0; i < XC_GPU_SYMBOL_WORDS; i++) {
		uint32_t left = (i < 4 ? large[0] : large[1]) >> i % 4 & 0x11111111;
		XC_ROLLED
		for (; left; left &= left - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(left), symbol = symbols[i] >> shift & 15;
			uint32_t bad = 0;
			if (symbol < XC_RANS_FIRST_CLASS)
				continue;
			const int32_t size = (int32_t)xc_gpu_raw_magnitude(raw, symbol,
			                                                   xc_gpu_most_size(1, c->deep), &at,
			                                                   &bad);
			float v = 0;
			XC_UNROLL
			for (uint32_t n = 0; n < XC_GPU_SYMBOL_WORDS; n++)
				if (n == i)
					v = xc_gpu_take_of_eight(f + 8 * n, shift);
			v = xc_gpu_class_value(c, 8 * i + shift / 4, size, v);
			XC_UNROLL
			for (uint32_t n = 0; n < XC_GPU_SYMBOL_WORDS; n++)
				if (n == i)
					xc_gpu_put_of_eight(f + 8 * n, shift, v);
		}
	}
}

XC_GPU_INLINE uint32_t xc_gpu_reversed(uint32_t w)
{
#ifdef __CUDA_ARCH__
	return __brev(w);
#else
	uint32_t r = 0;
	for (int i = 0; i < 32; i++)
		r |= (w >> i & 1) << (31 - i);
	return r;
#endif
}

/* The bits from n on, 0 to 32, of two words, the first one lower. */
XC_GPU_INLINE uint32_t xc_gpu_bits_from(uint32_t low, uint32_t high, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_rc(low, high, n);
#else
	return (uint32_t)(((uint64_t)high << 32 | low) >> n);
#endif
}

XC_GPU_INLINE uint32_t xc_gpu_count_four(const uint32_t word[4])
{
	uint32_t n = 0;
	XC_UNROLL
	for (int i = 0; i < 4; i++)
		n += xc_gpu_count_bits(xc_gpu_some_symbols(word[i]));
	return n;
}

/* The block's AC in transposed order; f[0] becomes undefined.  symbols: of the block. */
XC_GPU_INLINE void xc_gpu_rans_coefficients(const xc_gpu_block_source *b, const uint32_t *symbols,
                                            const xc_gpu_rans_class *c, float f[64])
{
	const xc_gpu_raw_stream raw = xc_gpu_raw_of(b->tokens);
	uint32_t low[4], high[4];
	xc_gpu_load_group(symbols, low);
	xc_gpu_load_group(symbols + 4, high);
	const uint32_t signs = xc_gpu_raw_bits(&raw, b->first), some = xc_gpu_count_four(low);
	const uint32_t upper = high[0] | high[1] | high[2] | high[3];
	/* Large DCs are many, but their class bits need only be passed over. */
	const uint32_t dc = low[0] & 15;
	const uint32_t large[2] = {xc_gpu_large_of_four(low) & ~1u, xc_gpu_large_of_four(high)};
	uint32_t classes = b->first + some + xc_gpu_count_four(high);
	xc_gpu_many_values(c, low, 0, xc_gpu_reversed(signs), f);
	if (upper) {
		/* Again, so that no registers hold them meanwhile. */
		XC_OPAQUE(symbols, "l");
		xc_gpu_load_group(symbols + 4, high);
		const uint32_t more = xc_gpu_raw_bits(&raw, b->first + 32);
		xc_gpu_many_values(c, high, 32, xc_gpu_reversed(xc_gpu_bits_from(signs, more, some)),
		                   f + 32);
	} else {
		XC_UNROLL
		for (int k = 32; k < 64; k++)
			f[k] = 0;
	}
	if (large[0] | large[1]) {
		uint32_t bad = 0;
		if (dc >= XC_RANS_FIRST_CLASS)
			(void)xc_gpu_raw_magnitude(&raw, dc, xc_gpu_most_size(0, c->deep), &classes, &bad);
		xc_gpu_class_values(symbols, &raw, c, large, classes, f);
	}
}

#endif
