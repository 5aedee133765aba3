/* SPDX-License-Identifier: BSD-2-Clause */
/* Raw bits of the rANS mode: signs, and what symbols leave open. The first bit of a byte is its
 * lowest. The first bytes are what the lanes' states carry; the others end the segment. */
#ifndef XC_ENTROPY_RANS_RAW_H
#define XC_ENTROPY_RANS_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "entropy/byte_order.h"
#include "entropy/rans/lanes.h"

enum { XC_RANS_CARRIED = 32 }; /* bytes that sixteen states carry */

typedef struct xc_raw_reader {
	const uint8_t *start; /* of what follows the carried bytes */
	size_t carried, size; /* bytes carried, and in all */
	size_t direct;        /* offsets after `start` from which eight bytes can be read */
	uint8_t head[XC_RANS_CARRIED];
} xc_raw_reader;

static inline void xc_raw_reader_init(xc_raw_reader *r, const uint8_t *carried, size_t n,
                                      const uint8_t *rest, const uint8_t *end)
{
	const size_t left = (size_t)(end - rest);

	memcpy(r->head, carried, n);
	r->start = rest;
	r->carried = n;
	r->size = n + left;
	r->direct = left < 8 ? 0 : left - 7;
}

/* A byte of the segment's raw bits; 0 after the last one. */
static inline uint8_t xc_raw_byte(const xc_raw_reader *r, size_t at)
{
	if (at < r->carried)
		return r->head[at];
	return at < r->size ? r->start[at - r->carried] : 0;
}

/* Eight bytes, of which some are carried or past the end. */
static __attribute__((noinline, unused)) uint64_t xc_raw_edge(const xc_raw_reader *r, size_t at)
{
	uint64_t word = 0;

	for (unsigned i = 0; i < 8; i++)
		word |= (uint64_t)xc_raw_byte(r, at + i) << 8 * i;
	return word;
}

/* The bits from bit `at` on: 57 at least. */
static inline uint64_t xc_raw_peek(const xc_raw_reader *r, uint64_t at)
{
	/* For carried bytes it wraps around and exceeds any size. */
	const size_t byte = (size_t)(at >> 3), after = byte - r->carried;
	uint64_t word;

	if (__builtin_expect(after >= r->direct, 0)) {
		word = xc_raw_edge(r, byte);
	} else {
		memcpy(&word, r->start + after, 8);
		word = xc_lowest_first64(word);
	}
	return word >> (at & 7);
}

/* Takes n bits, 0 to 32. */
static inline uint32_t xc_raw_take(const xc_raw_reader *r, uint64_t *at, unsigned n)
{
	const uint64_t word = xc_raw_peek(r, *at);
	*at += n;
	return (uint32_t)(word & ((UINT64_C(1) << n) - 1));
}

/* 1: the segment ends with the byte of the last of `bits` bits, or none but carried bytes are left,
 * and the bits that are left are 0. */
static inline int xc_raw_reader_at_end(const xc_raw_reader *r, uint64_t bits)
{
	const uint64_t used = (bits + 7) / 8;

	if (used > r->size || (used < r->size && r->size > r->carried))
		return 0;
	unsigned taken = bits % 8;
	for (uint64_t i = bits / 8; i < r->size; i++, taken = 0)
		if (xc_raw_byte(r, (size_t)i) >> taken)
			return 0;
	return 1;
}

typedef struct xc_raw_writer {
	uint8_t *next;
	uint64_t bits;
	unsigned count; /* below 8 between calls */
} xc_raw_writer;

/* Appends the lowest n bits of v, at most 56; its others are 0.  It stores 8 bytes. */
static inline void xc_raw_put(xc_raw_writer *w, uint64_t v, unsigned n)
{
	w->bits |= v << w->count;
	w->count += n;
	const uint64_t bits = w->bits;
	for (unsigned i = 0; i < 8; i++)
		w->next[i] = (uint8_t)(bits >> 8 * i);
	w->next += w->count >> 3;
	w->bits >>= w->count & 56;
	w->count &= 7;
}

/* Masks and access that coder and decoder share. */

/* Masks by index: symbols that are not 0, which have a sign, and symbols that have raw bits. */
typedef struct masks {
	uint64_t some, large;
} masks;

XC_RANS_INLINE masks masks_of(const uint8_t symbols[64])
{
#ifdef __AVX512VBMI2__
	const __m512i s = _mm512_loadu_si512(symbols);
	return (masks){_mm512_test_epi8_mask(s, s),
	               _mm512_cmpge_epu8_mask(s, _mm512_set1_epi8(XC_RANS_FIRST_CLASS))};
#elif defined __AVX2__
	masks m = {0, 0};
	for (int part = 0; part < 64; part += 32) {
		const __m256i s = _mm256_loadu_si256((const __m256i *)(symbols + part));
		const __m256i some = _mm256_cmpgt_epi8(s, _mm256_setzero_si256());
		const __m256i large = _mm256_cmpgt_epi8(s, _mm256_set1_epi8(XC_RANS_FIRST_CLASS - 1));
		m.some |= (uint64_t)(uint32_t)_mm256_movemask_epi8(some) << part;
		m.large |= (uint64_t)(uint32_t)_mm256_movemask_epi8(large) << part;
	}
	return m;
#elif defined __wasm_simd128__
	masks m = {0, 0};
	for (int part = 0; part < 64; part += 16) {
		const v128_t s = wasm_v128_load(symbols + part);
		const v128_t some = wasm_i8x16_gt(s, wasm_i8x16_const_splat(0));
		const v128_t large = wasm_i8x16_gt(s, wasm_i8x16_const_splat(XC_RANS_FIRST_CLASS - 1));
		m.some |= (uint64_t)wasm_i8x16_bitmask(some) << part;
		m.large |= (uint64_t)wasm_i8x16_bitmask(large) << part;
	}
	return m;
#else
	masks m = {0, 0};
	for (int part = 0; part < 64; part += 8) {
		/* Symbols are below 16: the highest bit of a byte is free, and gathering the eight of a
		 * word is one multiplication. */
		uint64_t s = 0;
		for (int i = 0; i < 8; i++)
			s |= (uint64_t)symbols[part + i] << 8 * i;
		const uint64_t ones = UINT64_C(0x0101010101010101), gather = UINT64_C(0x0102040810204080);
		const uint64_t some = (s + ones * 127) >> 7 & ones;
		const uint64_t large = (s + ones * (128 - XC_RANS_FIRST_CLASS)) >> 7 & ones;
		m.some |= (some * gather >> 56) << part;
		m.large |= (large * gather >> 56) << part;
	}
	return m;
#endif
}

#endif
