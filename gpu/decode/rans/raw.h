/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The raw bits of a segment of the rANS mode: one stream of words, the first bit of which is the
 * lowest of the first word, and what they say about symbols.
 */
#ifndef XC_GPU_DECODE_RANS_RAW_H
#define XC_GPU_DECODE_RANS_RAW_H

#include "entropy/rans/model.h"
#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/decode/rans/columns.h"

/* Raw bits have fewer bytes than their segment, whose states take twice those that they carry.
 * The margin is for their number, for whole words, and for what xc_gpu_raw_window_at() loads
 * after the last bit. */
enum { XC_GPU_RAW_MARGIN = 16 };

typedef struct xc_gpu_raw_stream {
	const uint32_t *words;
	uint32_t bytes, last; /* last: the last word, if there is any */
} xc_gpu_raw_stream;

/* The word of the picture's raw bits where their number of bytes stands, and then the stream. */
XC_GPU_INLINE uint64_t xc_gpu_raw_offset(const xc_gpu_segment *s, uint32_t tile)
{
	return s->start / 4 + (uint64_t)tile * (XC_GPU_RAW_MARGIN / 4);
}

XC_GPU_INLINE uint32_t *xc_gpu_raw_room(const xc_gpu_decode_job *p, const xc_gpu_segment *s,
                                        uint32_t tile)
{
	return p->raw + xc_gpu_raw_offset(s, tile);
}

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

/* The 32 bits from bit n % 32 on of two words, the first one lower. */
XC_GPU_INLINE uint32_t xc_gpu_funnel(uint32_t low, uint32_t high, uint32_t n)
{
#ifdef __CUDA_ARCH__
	return __funnelshift_r(low, high, n);
#else
	return n % 32 ? low >> n % 32 | high << (32 - n % 32) : low;
#endif
}

/* The next 32 bits from bit `at` on. */
XC_GPU_INLINE uint32_t xc_gpu_raw_bits(const xc_gpu_raw_stream *r, uint32_t at)
{
	return xc_gpu_funnel(xc_gpu_raw_word(r, at / 32), xc_gpu_raw_word(r, at / 32 + 1), at);
}

/* How many class bits a symbol from XC_RANS_FIRST_CLASS on has. *bits: the next 32 bits, from
 * bit *at on. Both move on to the first class bit: that of an escape comes after bits that say
 * how many there are. */
XC_GPU_INLINE uint32_t xc_gpu_class_bits(uint32_t symbol, uint32_t *bits, uint32_t *at)
{
	if (symbol != XC_RANS_ESCAPE)
		return symbol - 8;
	const uint32_t n = XC_RANS_ESCAPE_MIN + (*bits & ((1u << XC_RANS_ESCAPE_BITS) - 1));
	*at += XC_RANS_ESCAPE_BITS;
	*bits >>= XC_RANS_ESCAPE_BITS;
	return n;
}

/* The magnitude that n class bits say. */
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

/* The first bits of a block of a segment that is intact, so that those of most blocks
 * are loaded at once. */
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

/* The magnitude of a symbol of the block, whose class bits begin at bit *at, which moves on to
 * those of the next symbol. */
XC_GPU_INLINE uint32_t xc_gpu_window_magnitude(const xc_gpu_raw_window *w, uint32_t symbol,
                                               uint32_t *at)
{
	uint32_t bits = xc_gpu_window_bits(w, *at);
	const uint32_t n = xc_gpu_class_bits(symbol, &bits, at);

	*at += n;
	return xc_gpu_class_magnitude(n, bits);
}

/* The symbols of eight places that are not 0, and those that have class bits, as bits
 * 0, 4, 8 and so on. */
XC_GPU_INLINE uint32_t xc_gpu_some_symbols(uint32_t word)
{
	return (word | word >> 1 | word >> 2 | word >> 3) & 0x11111111;
}

XC_GPU_INLINE uint32_t xc_gpu_large_symbols(uint32_t word)
{
	return word >> 3 & (word | word >> 1 | word >> 2) & 0x11111111;
}

#endif
