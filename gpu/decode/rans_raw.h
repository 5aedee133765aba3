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
#include "gpu/rans/columns.h"

/* Raw bits have fewer bytes than their segment, whose states take twice those that they carry.  The
 * margin is for their number and for whole words. */
enum { XC_GPU_RAW_MARGIN = 12 };

typedef struct xc_gpu_raw_stream {
	const uint32_t *words;
	uint32_t bytes, last; /* last: the last word, if there is any */
} xc_gpu_raw_stream;

/* Where the number of bytes stands, and then the stream. */
XC_GPU_INLINE uint32_t *xc_gpu_raw_room(const xc_gpu_decode_job *p, const xc_gpu_segment *s,
                                        uint32_t tile)
{
	return p->raw + s->start / 4 + (size_t)tile * (XC_GPU_RAW_MARGIN / 4);
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

/* The next 32 bits from bit `at` on. */
XC_GPU_INLINE uint32_t xc_gpu_raw_bits(const xc_gpu_raw_stream *r, uint32_t at)
{
	const uint32_t low = xc_gpu_raw_word(r, at / 32), high = xc_gpu_raw_word(r, at / 32 + 1);
#ifdef __CUDA_ARCH__
	return __funnelshift_r(low, high, at);
#else
	return at % 32 ? low >> at % 32 | high << (32 - at % 32) : low;
#endif
}

/* The class bits of a symbol from XC_RANS_FIRST_CLASS on, whose bits begin at *at, which moves on to
 * those of the next one.  Sets *bad if the magnitude has more than `most` bits. */
XC_GPU_INLINE uint32_t xc_gpu_raw_magnitude(const xc_gpu_raw_stream *r, uint32_t symbol,
                                            uint32_t most, uint32_t *at, uint32_t *bad)
{
	uint32_t bits = xc_gpu_raw_bits(r, *at), n = symbol - 8;
	if (symbol == XC_RANS_ESCAPE) {
		n = XC_RANS_ESCAPE_LEAST + (bits & ((1u << XC_RANS_ESCAPE_BITS) - 1));
		*at += XC_RANS_ESCAPE_BITS;
		bits = xc_gpu_raw_bits(r, *at);
	}
	*at += n;
	if (n >= most) {
		*bad = 1;
		return 0;
	}
	const uint32_t magnitude = 7 + (1u << n) + (bits & ((1u << n) - 1));
	*bad |= magnitude >> most != 0;
	return magnitude;
}

/* The symbols of eight places that are not 0, and those that have class bits, as bits 0, 4, 8 and so
 * on. */
XC_GPU_INLINE uint32_t xc_gpu_some_symbols(uint32_t word)
{
	return (word | word >> 1 | word >> 2 | word >> 3) & 0x11111111;
}

XC_GPU_INLINE uint32_t xc_gpu_large_symbols(uint32_t word)
{
	return word >> 3 & (word | word >> 1 | word >> 2) & 0x11111111;
}

#endif
