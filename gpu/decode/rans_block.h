/* SPDX-License-Identifier: BSD-2-Clause */
/* The coefficients of a block of the rANS mode, by one thread, from its symbols and raw bits.  They go
 * to a column as those of gpu/decode/block.h, but in transposed order. */
#ifndef XC_GPU_DECODE_RANS_BLOCK_H
#define XC_GPU_DECODE_RANS_BLOCK_H

#include "gpu/decode/block.h"
#include "gpu/decode/rans_raw.h"

/* The raw bits of a block: signs, and the class bits after them. */
typedef struct xc_gpu_block_bits {
	xc_gpu_raw_stream raw;
	uint32_t at, signs, left; /* the next signs; how many bits of `signs` are they */
	uint32_t classes;         /* the next class bits */
} xc_gpu_block_bits;

/* 1: the next symbol that is not 0 is negative. */
XC_GPU_INLINE uint32_t xc_gpu_take_sign(xc_gpu_block_bits *b)
{
	if (!b->left) {
		b->at += 32;
		b->signs = xc_gpu_raw_bits(&b->raw, b->at);
		b->left = 32;
	}
	const uint32_t sign = b->signs & 1;
	b->signs >>= 1;
	b->left--;
	return sign;
}

/* The coefficient of a symbol, in sixteenths of a step. */
XC_GPU_INLINE int32_t xc_gpu_coefficient(xc_gpu_block_bits *b, uint32_t symbol, uint32_t most,
                                         xc_value_points points)
{
	uint32_t bad = 0;
	const uint32_t negative = xc_gpu_take_sign(b);
	if (symbol >= XC_RANS_FIRST_CLASS)
		symbol = xc_gpu_raw_magnitude(&b->raw, symbol, most, &b->classes, &bad);
	return xc_reconstruct(negative ? -(int32_t)symbol : (int32_t)symbol, points);
}

/* Puts the coefficients of the symbols of eight places, from place 8 i on, into the column.  As in
 * xc_gpu_scatter_group() slopes are still to be added to those of places 1 and 8. */
XC_GPU_INLINE void xc_gpu_scatter_symbols(xc_gpu_block_bits *b, uint32_t word, uint32_t i,
                                          xc_value_points points, const float steps[64],
                                          float *column, uint32_t stride, int sloped, int deep)
{
	uint32_t some = xc_gpu_some_symbols(word);
	if (i == 0 && some & 1) {
		/* The DC is known. */
		(void)xc_gpu_coefficient(b, word & 15, xc_gpu_most_size(0, deep), points);
		some &= some - 1;
	}
	while (some) {
		const uint32_t shift = (uint32_t)xc_gpu_lowest(some), k = 8 * i + shift / 4;
		const int32_t value = xc_gpu_coefficient(b, word >> shift & 15, xc_gpu_most_size(1, deep),
		                                         points);
		float v = (float)value * steps[k];
		if (deep && sloped && (k == 1 || k == 8))
			v = xc_gpu_float_of((uint32_t)value);
		column[k * stride] = v;
		some &= some - 1;
	}
}

XC_GPU_INLINE void xc_gpu_rans_scatter(const xc_gpu_block_source *s, const uint32_t *symbols,
                                       xc_value_points points, const float steps[64], float *column,
                                       uint32_t stride, int sloped, int deep)
{
	uint32_t word[XC_GPU_SYMBOL_WORDS], all = 0, signs = 0;
	xc_gpu_load_group(symbols, word);
	xc_gpu_load_group(symbols + 4, word + 4);
	xc_gpu_block_bits b = {xc_gpu_raw_of(s->tokens), s->first, 0, 32, 0};
	b.signs = xc_gpu_raw_bits(&b.raw, b.at);
	XC_UNROLL
	for (int i = 0; i < XC_GPU_SYMBOL_WORDS; i++)
		all |= word[i];
	if (all & 0x88888888) {
		XC_UNROLL
		for (int i = 0; i < XC_GPU_SYMBOL_WORDS; i++)
			signs += xc_gpu_count_bits(xc_gpu_some_symbols(word[i]));
		b.classes = b.at + signs;
	}
	XC_UNROLL
	for (uint32_t i = 0; i < XC_GPU_SYMBOL_WORDS; i++)
		xc_gpu_scatter_symbols(&b, word[i], i, points, steps, column, stride, sloped, deep);
}

#endif
