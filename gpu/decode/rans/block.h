/* SPDX-License-Identifier: BSD-2-Clause */
/* The coefficients of a block of the rANS mode, by one thread, from its symbols and raw bits. */
#ifndef XC_GPU_DECODE_RANS_BLOCK_H
#define XC_GPU_DECODE_RANS_BLOCK_H

#include "gpu/decode/block.h"
#include "gpu/decode/rans/raw.h"

/* What symbols without class bits stand for, of a class of components: coefficients in sixteenths
 * of a step. 0 for the others. */
enum { XC_GPU_SYMBOL_VALUES = 16 };

XC_GPU_INLINE float xc_gpu_symbol_value(uint32_t symbol, xc_value_points points)
{
	return symbol < XC_RANS_FIRST_CLASS ? (float)xc_reconstruct((int32_t)symbol, points) : 0.0f;
}

/* What blocks of a class have in common. */
typedef struct xc_gpu_rans_class {
	/* In shared memory, at a multiple of 64 bytes: 64 steps in transposed
	 * order, and then values. */
	const float *steps;
	xc_value_points points;
	int predicted, depth16;
} xc_gpu_rans_class;

/* Whether a slope is to be added to the coefficient of place k, with 16 bits a sample: then it
 * keeps all bits of its number. */
XC_GPU_INLINE int xc_gpu_is_whole(const xc_gpu_rans_class *c, uint32_t k)
{
	return c->depth16 && c->predicted && (k == 1 || k == 8);
}

/* The lowest bytes of where four symbols' values are, 64 floats earlier; symbols: each in bits
 * 2 to 5 of a byte. */
XC_GPU_INLINE uint32_t xc_gpu_value_bytes(const float *steps, uint32_t symbols)
{
	const uint32_t four = symbols & 0x3c3c3c3c;
#ifdef __CUDA_ARCH__
	return four | (xc_gpu_shared_address(steps) & 0xc0) * 0x01010101;
#else
	(void)steps;
	return four;
#endif
}

/* The value of symbol i of these four. */
XC_GPU_INLINE float xc_gpu_value_of(const float *steps, uint32_t bytes, uint32_t i)
{
#ifdef __CUDA_ARCH__
	const uint32_t at = __byte_perm(bytes, xc_gpu_shared_address(steps), 0x7650 | i);
	float value;
	asm("ld.shared.f32 %0, [%1 + 256];" : "=f"(value) : "r"(at));
	return value;
#else
	return steps[64 + (bytes >> 8 * i & 60) / 4];
#endif
}

/* The signs of the symbols after one, which is masked out of its word. */
XC_GPU_INLINE uint32_t xc_gpu_next_signs(uint32_t signs, uint32_t symbol)
{
#ifdef __CUDA_ARCH__
	/* In two instructions, with the mask, where nvcc would take three. */
	asm("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t@p shl.b32 %0, %0, 1;\n\t}"
	    : "+r"(signs)
	    : "r"(symbol));
	return signs;
#else
	return symbol ? signs << 1 : signs;
#endif
}

/* Eight coefficients, from place `first` on. Those of symbols with class bits become 0 with their
 * signs, and those of symbols that are 0 have any sign. signs: of the symbols from here on that are
 * not 0, the first one highest. */
XC_GPU_INLINE void xc_gpu_load_values8(const xc_gpu_rans_class *c, uint32_t word, uint32_t first,
                                       uint32_t *signs, float f[8])
{
	const uint32_t even = xc_gpu_value_bytes(c->steps, word << 2);
	const uint32_t odd = xc_gpu_value_bytes(c->steps, word >> 2);

	XC_UNROLL
	for (uint32_t four = 0; four < 8; four += 4) {
		float step[4];
		xc_gpu_load_four(c->steps + first + four, step);
		XC_UNROLL
		for (uint32_t i = four; i < four + 4; i++) {
			const uint32_t present = word & 15u << 4 * i, sign = *signs & 1u << 31;
			const float size = xc_gpu_value_of(c->steps, i % 2 ? odd : even, i / 2);
			const float value = xc_gpu_float_of(xc_gpu_float_bits(size) ^ sign);
			*signs = xc_gpu_next_signs(*signs, present);
			f[i] = value * step[i - four];
			if (xc_gpu_is_whole(c, first + i))
				f[i] = xc_gpu_float_of((uint32_t)(int32_t)value |
				                       (present && size == 0 ? sign : 0));
		}
	}
}

/* Where a thread leaves the magnitudes of symbols with class bits for a while: where the samples of
 * its block will be, in rows of two zones of four that are `apart` floats apart. */
typedef struct xc_gpu_block_room {
	float *left, *right;
	uint32_t apart;
} xc_gpu_block_room;

XC_GPU_INLINE float *xc_gpu_room_at(const xc_gpu_block_room *room, uint32_t row, uint32_t i)
{
	return (i < 4 ? room->left : room->right) + row * room->apart + i % 4;
}

/* Takes those of eight coefficients, from place k on, from the room; large: see
 * xc_gpu_large_symbols(). */
XC_GPU_INLINE void xc_gpu_take_large(const xc_gpu_rans_class *c, uint32_t large, uint32_t k,
                                     const xc_gpu_block_room *room, float f[8])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 8; i++) {
		if (!(large >> 4 * i & 1))
			continue;
		const uint32_t sign = xc_gpu_float_bits(f[i]) & 1u << 31;
		const uint32_t size = xc_gpu_float_bits(*xc_gpu_room_at(room, k / 8, i));
		f[i] = xc_gpu_float_of(!xc_gpu_is_whole(c, k + i) ? size | sign : sign ? 0 - size : size);
	}
}

/* Four words of symbols. */
XC_GPU_INLINE void xc_gpu_many_values(const xc_gpu_rans_class *c, const uint32_t word[4],
                                      uint32_t first, uint32_t signs, const xc_gpu_block_room *room,
                                      float f[32])
{
	XC_UNROLL
	for (uint32_t i = 0; i < 4; i++) {
		if (word[i]) {
			/* That of the DC is not needed. */
			const uint32_t large = xc_gpu_large_symbols(word[i]) & ~(first + i ? 0u : 1u);
			xc_gpu_load_values8(c, word[i], first + 8 * i, &signs, f + 8 * i);
			if (large)
				xc_gpu_take_large(c, large, first + 8 * i, room, f + 8 * i);
			continue;
		}
		XC_UNROLL
		for (uint32_t j = 0; j < 8; j++)
			f[8 * i + j] = 0;
	}
}

/* Leaves the magnitudes of the AC symbols with class bits, which begin at bit `at`, in the room,
 * times the steps or whole. words: a bit for each of the block's words that has any. */
XC_GPU_INLINE void xc_gpu_leave_large(const uint32_t *symbols, const xc_gpu_raw_window *window,
                                      const xc_gpu_rans_class *c, uint32_t words, uint32_t at,
                                      const xc_gpu_block_room *room)
{
	XC_ROLLED
	for (; words; words &= words - 1) {
		const uint32_t i = (uint32_t)xc_gpu_lowest(words), word = symbols[i];
		uint32_t left = xc_gpu_large_symbols(word) & ~(i ? 0u : 1u);
		XC_ROLLED
		for (; left; left &= left - 1) {
			const uint32_t shift = (uint32_t)xc_gpu_lowest(left), k = 8 * i + shift / 4;
			const uint32_t size = xc_gpu_window_magnitude(window, word >> shift & 15, &at);
			const int32_t value = xc_reconstruct((int32_t)size, c->points);
			*xc_gpu_room_at(room, i, shift / 4) = xc_gpu_is_whole(c, k)
			                                          ? xc_gpu_float_of((uint32_t)value)
			                                          : (float)value * c->steps[k];
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

/* Symbols of four words that are not 0. */
XC_GPU_INLINE uint32_t xc_gpu_count_some(const uint32_t word[4])
{
	uint32_t some = 0;

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		some += xc_gpu_count_bits(xc_gpu_some_symbols(word[i]));
	return some;
}

/* A bit for each of four words that has symbols with class bits. */
XC_GPU_INLINE uint32_t xc_gpu_find_large(const uint32_t word[4])
{
	uint32_t large = 0;

	XC_UNROLL
	for (int i = 0; i < 4; i++)
		large |= xc_gpu_large_symbols(word[i]) ? 1u << i : 0u;
	return large;
}

/* The block's AC in transposed order; f[0] becomes undefined.  symbols: of the block. */
XC_GPU_INLINE void xc_gpu_rans_coefficients(const xc_gpu_block_source *b, const uint32_t *symbols,
                                            const xc_gpu_rans_class *c,
                                            const xc_gpu_block_room *room, float f[64])
{
	const xc_gpu_raw_window window = xc_gpu_raw_window_at(b->tokens + 1, b->first);
	uint32_t low[4], high[4];

	xc_gpu_load_vec16(symbols, low);
	xc_gpu_load_vec16(symbols + 4, high);
	const uint32_t signs = xc_gpu_funnel(window.word[0], window.word[1], b->first);
	const uint32_t more = xc_gpu_funnel(window.word[1], window.word[2], b->first);
	const uint32_t lower = low[0] | low[1] | low[2] | low[3];
	const uint32_t upper = high[0] | high[1] | high[2] | high[3];
	const uint32_t some = xc_gpu_count_some(low);
	if ((lower | upper) & 0x88888888) {
		const uint32_t dc = low[0] & 15;
		uint32_t classes = b->first + some + xc_gpu_count_some(high);
		if (dc >= XC_RANS_FIRST_CLASS)
			(void)xc_gpu_window_magnitude(&window, dc, &classes);
		xc_gpu_leave_large(symbols, &window, c,
		                   xc_gpu_find_large(low) | xc_gpu_find_large(high) << 4, classes, room);
	}
	xc_gpu_many_values(c, low, 0, xc_gpu_reversed(signs), room, f);
	if (upper) {
		/* Again, so that no registers hold them meanwhile. */
		XC_OPAQUE(symbols, "l");
		xc_gpu_load_vec16(symbols + 4, high);
		xc_gpu_many_values(c, high, 32, xc_gpu_reversed(xc_gpu_bits_from(signs, more, some)), room,
		                   f + 32);
		return;
	}
	XC_UNROLL
	for (int k = 32; k < 64; k++)
		f[k] = 0;
}

#endif
