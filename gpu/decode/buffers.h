/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the stages of the decoder leave in device memory for each other, by the coding of a picture:
 *
 *	Huffman codes   tokens of each segment, and a record for each block
 *	rANS            symbols of each block, raw bits of each segment, and a record for each block
 *	a kept JPEG     coefficients
 *
 * gpu/decode/huffman/, rans/ and jpeg/ write them, gpu/decode/pixels/ reads them, and neither side knows the other.
 * gpu/decode/job.h says where they lie.
 */
#ifndef XC_GPU_DECODE_BUFFERS_H
#define XC_GPU_DECODE_BUFFERS_H

#include "entropy/rans/model.h"
#include "gpu/runtime/device.h"

/* ------------------------------------------------------------------ records */

/* The data of a block beside its tokens or symbols. */
typedef struct xc_gpu_block_record {
	union {
		uint32_t end; /* Huffman: the word after its last token, from the first of the segment */
		uint32_t first_bit; /* rANS: where its raw bits begin in those of the segment */
	};
	int32_t dc; /* in sixteenths; before xc_gpu_restore_records() the difference in steps */
} __attribute__((aligned(8))) xc_gpu_block_record;

/* ------------------------------------------------------------------ tokens */

/*
 * Tokens of Huffman codes have the position and value of each AC coefficient that is not zero. With 8 bits a sample a token is one word
 *   bits 2-8    the position in the scan, 1 to 63; 0 and 64 mark a filler
 *   bits 16-31  the value, in sixteenths of a step, plus XC_GPU_TOKEN_BIAS
 * and with 16 bits two words, the position and the value. The tokens of a segment are in the order
 * of its blocks and are stored a vec16 at a time. Each decoding thread begins with a new vec16;
 * fillers complete the one before it.
 *
 * Offsets of tokens are counted in words.
 */

enum {
	XC_GPU_TOKEN_BIAS = 32768,
	XC_GPU_NO_TOKEN = (int)0x80000000u, /* the value 0 at position 0 */
	/* Extra words of a segment for each warp that decodes it: the last vec16 of each lane in both
	 * streams, and what the last look-up gives past the end. */
	XC_GPU_TOKEN_MARGIN = 256
};

XC_GPU_INLINE uint32_t xc_gpu_token_words(int depth16)
{
	return depth16 ? 2 : 1;
}

/* Loads the vec16 at `from` through the read-only cache. */
XC_GPU_INLINE void xc_gpu_load_vec16(const uint32_t *from, uint32_t word[XC_GPU_VEC16_WORDS])
{
#ifdef __CUDA_ARCH__
	const uint4 g = __ldg((const uint4 *)from);
	word[0] = g.x, word[1] = g.y, word[2] = g.z, word[3] = g.w;
#else
	XC_GPU_ALIGNED(from, 16);
	for (int i = 0; i < XC_GPU_VEC16_WORDS; i++)
		word[i] = from[i];
#endif
}

/* The value of the token at word[0]. */
XC_GPU_INLINE float xc_gpu_token_value(const uint32_t *word, int depth16)
{
	/* a float of 2^23 plus the number in its lowest bits */
	return depth16 ? (float)(int32_t)word[1]
	               : xc_gpu_float_of(word[0] >> 16 | 0x4b000000) - (8388608 + XC_GPU_TOKEN_BIAS);
}

/* The words that a number of tokens take, rounded up to vec16s. */
XC_GPU_INLINE uint32_t xc_gpu_vec16_words(uint32_t tokens, int depth16)
{
	return (tokens * xc_gpu_token_words(depth16) + XC_GPU_VEC16_WORDS - 1) &
	       ~(uint32_t)(XC_GPU_VEC16_WORDS - 1);
}

/* Writes tokens from word `at` on. A new word enters the vec16 as its last and shifts the others
 * down. */
typedef struct xc_gpu_token_writer {
	uint32_t *tokens;
	uint32_t at;
	uint32_t word[XC_GPU_VEC16_WORDS];
} xc_gpu_token_writer;

XC_GPU_INLINE xc_gpu_token_writer xc_gpu_tokens_to(uint32_t *tokens, uint32_t at)
{
	const xc_gpu_token_writer w = {tokens, at, {0, 0, 0, 0}};
	return w;
}

/* Adds a word if `valid` is 1. */
XC_GPU_INLINE void xc_gpu_token_word(xc_gpu_token_writer *w, uint32_t valid, uint32_t word)
{
	XC_UNROLL
	for (int i = 1; i < XC_GPU_VEC16_WORDS; i++)
		w->word[i - 1] = valid ? w->word[i] : w->word[i - 1];
	w->word[XC_GPU_VEC16_WORDS - 1] = valid ? word : w->word[XC_GPU_VEC16_WORDS - 1];
	w->at += valid;
}

XC_GPU_INLINE void xc_gpu_write_vec16(const xc_gpu_token_writer *w)
{
	xc_gpu_store_vec16(w->tokens + w->at - XC_GPU_VEC16_WORDS, w->word);
}

/* Adds a token if `valid` is 1. position: XC_GPU_NO_TOKEN plus four times the position, 1 to 64.
 * value: in sixteenths of a step. */
XC_GPU_INLINE void xc_gpu_put_token(xc_gpu_token_writer *w, uint32_t valid, uint32_t position,
                                    int32_t value, int depth16)
{
	if (depth16) {
		xc_gpu_token_word(w, valid, position - (uint32_t)XC_GPU_NO_TOKEN);
		xc_gpu_token_word(w, valid, (uint32_t)value);
	} else {
		xc_gpu_token_word(w, valid, ((uint32_t)value << 16) + position);
	}
	uint32_t full = valid && w->at % XC_GPU_VEC16_WORDS == 0;
	XC_OPAQUE(full, "r"); /* nvcc would branch around both */
	if (full)
		xc_gpu_write_vec16(w);
}

/* Completes the last vec16 with fillers. */
XC_GPU_INLINE void xc_gpu_end_tokens(xc_gpu_token_writer *w, int depth16)
{
	if (w->at % XC_GPU_VEC16_WORDS == 0)
		return;
	while (w->at % XC_GPU_VEC16_WORDS)
		xc_gpu_token_word(w, 1, depth16 ? 0 : (uint32_t)XC_GPU_NO_TOKEN);
	xc_gpu_write_vec16(w);
}

/* ------------------------------------------------------------------ symbols */

/* The symbols of a block: four bits each, in transposed order, the first one lowest. */
enum { XC_GPU_SYMBOL_WORDS = 8 };

typedef struct xc_gpu_block_symbols {
	uint32_t word[XC_GPU_SYMBOL_WORDS];
} __attribute__((aligned(16))) xc_gpu_block_symbols;

/* ------------------------------------------------------------------ raw bits */

/* The raw bits of a segment are one stream of words, lowest bit first, after a word with their number of bytes. */

/* Raw bits have fewer bytes than their segment, whose states take twice the bytes that they carry.
 * The margin is for the count, for rounding to words, and for what xc_gpu_raw_window_at() loads
 * past the last bit. */
enum { XC_GPU_RAW_MARGIN = 16 };

typedef struct xc_gpu_raw_stream {
	const uint32_t *words;
	uint32_t bytes, last; /* last: the last word, if there is any */
} xc_gpu_raw_stream;

XC_GPU_INLINE xc_gpu_raw_stream xc_gpu_raw_of(const uint32_t *room)
{
	const uint32_t bytes = room[0];
	const xc_gpu_raw_stream r = {room + 1, bytes, (bytes + 3) / 4 - 1};
	return r;
}

/* Words after the end are 0. */
XC_GPU_INLINE uint32_t xc_gpu_raw_word(const xc_gpu_raw_stream *r, uint32_t i)
{
	return i <= r->last ? r->words[i] : 0;
}

/* The next 32 bits from bit `at` on. */
XC_GPU_INLINE uint32_t xc_gpu_raw_bits(const xc_gpu_raw_stream *r, uint32_t at)
{
	return xc_gpu_funnel(xc_gpu_raw_word(r, at / 32), xc_gpu_raw_word(r, at / 32 + 1), at);
}

/* The number of class bits of a symbol, XC_RANS_FIRST_CLASS or more. *bits: the 32 bits from bit
 * *at on. Both move to the first class bit; an escape first has bits with its number of class bits.
 * */
XC_GPU_INLINE uint32_t xc_gpu_class_bits(uint32_t symbol, uint32_t *bits, uint32_t *at)
{
	if (symbol != XC_RANS_ESCAPE)
		return symbol - 8;
	const uint32_t n = XC_RANS_ESCAPE_MIN + (*bits & ((1u << XC_RANS_ESCAPE_BITS) - 1));
	*at += XC_RANS_ESCAPE_BITS;
	*bits >>= XC_RANS_ESCAPE_BITS;
	return n;
}

/* The magnitude of n class bits. */
XC_GPU_INLINE uint32_t xc_gpu_class_magnitude(uint32_t n, uint32_t bits)
{
	return 7 + (1u << n) + (bits & ((1u << n) - 1));
}

/* The magnitude of a symbol from XC_RANS_FIRST_CLASS on; bits: the next 32 from bit *at on,
 * which moves on to those of the next symbol. Sets *bad if the magnitude has more than `max`
 * bits, 20 or fewer. */
XC_GPU_INLINE uint32_t xc_gpu_raw_magnitude(uint32_t bits, uint32_t symbol, uint32_t max,
                                            uint32_t *at, uint32_t *bad)
{
	const uint32_t n = xc_gpu_class_bits(symbol, &bits, at);

	*at += n;
	if (n >= max) {
		*bad = 1;
		return 0;
	}
	const uint32_t magnitude = xc_gpu_class_magnitude(n, bits);
	*bad |= magnitude >> max != 0;
	return magnitude;
}

/* The first 96 raw bits or so of a block, which suffice for most blocks, loaded at once. The
 * segment is intact. */
typedef struct xc_gpu_raw_window {
	const uint32_t *words; /* the stream */
	uint32_t first;        /* of these */
	uint32_t word[3];
} xc_gpu_raw_window;

XC_GPU_INLINE xc_gpu_raw_window xc_gpu_raw_window_at(const uint32_t *words, uint32_t at)
{
	const uint32_t i = at / 32;
	const xc_gpu_raw_window w = {words, i, {words[i], words[i + 1], words[i + 2]}};
	return w;
}

/* The next 32 bits from bit `at` of the stream on. */
XC_GPU_INLINE uint32_t xc_gpu_window_bits(const xc_gpu_raw_window *w, uint32_t at)
{
	const uint32_t i = at / 32 - w->first;

	if (i > 1)
		return xc_gpu_funnel(w->words[at / 32], w->words[at / 32 + 1], at);
	return xc_gpu_funnel(i ? w->word[1] : w->word[0], i ? w->word[2] : w->word[1], at);
}

/* The magnitude of a symbol whose class bits begin at bit *at, which moves to the next symbol's. */
XC_GPU_INLINE uint32_t xc_gpu_window_magnitude(const xc_gpu_raw_window *w, uint32_t symbol,
                                               uint32_t *at)
{
	uint32_t bits = xc_gpu_window_bits(w, *at);
	const uint32_t n = xc_gpu_class_bits(symbol, &bits, at);

	*at += n;
	return xc_gpu_class_magnitude(n, bits);
}

/* The nonzero ones of eight symbols, and the ones with class bits, as bits 0, 4, 8 and so on. */
XC_GPU_INLINE uint32_t xc_gpu_some_symbols(uint32_t word)
{
	return (word | word >> 1 | word >> 2 | word >> 3) & 0x11111111;
}

XC_GPU_INLINE uint32_t xc_gpu_large_symbols(uint32_t word)
{
	return word >> 3 & (word | word >> 1 | word >> 2) & 0x11111111;
}

/* ------------------------------------------------------------------ coefficients */

/* The coefficients of a kept JPEG, in whole steps: by component, row by row of blocks, in zigzag order. */
typedef struct xc_gpu_jpeg_planes {
	int16_t *of[3];      /* the same for components that do not exist */
	uint32_t columns[3]; /* blocks of a row */
} xc_gpu_jpeg_planes;

#endif
