/* SPDX-License-Identifier: BSD-2-Clause */
/* From symbols and raw bits to coefficients, ALL_BLOCKS blocks of a segment at a time, a thread each.
 * Part of bench/tools/gpu_rans. */
#ifndef XC_BENCH_GPU_RANS_VALUES_H
#define XC_BENCH_GPU_RANS_VALUES_H

#include "bench/tools/gpu_rans.h"

/* The raw bits of a segment. */
typedef struct raw {
	const uint8_t *carried, *rest;
	uint32_t bytes; /* carried */
} raw;

/* A block on its way. */
typedef struct block {
	uint32_t packed[8];
	uint64_t some, large; /* symbols that are not 0, and that have class bits, by place */
	uint32_t bits;        /* raw ones */
	int escapes;
} block;

DEVICE raw raw_of(const job &j, uint32_t s)
{
	const segment *at = &j.segments[s];
	return raw{(const uint8_t *)(j.carried + s * LANES), j.data + at->data + j.end[s],
	           2 * at->lanes};
}

/* n bits, at most 32, from bit `at` on. */
DEVICE uint32_t read_bits(const raw &r, uint32_t at, uint32_t n)
{
	const uint32_t byte = at / 8;
	uint64_t v = 0;
	if (byte >= r.bytes) {
		const uint8_t *p = r.rest + (byte - r.bytes);
		const uint32_t *word = (const uint32_t *)((uintptr_t)p & ~(uintptr_t)3);
		const uint32_t shift = 8 * (uint32_t)((uintptr_t)p & 3) + at % 8;
		v = (word[0] | (uint64_t)word[1] << 32) >> shift;
		if (shift)
			v |= (uint64_t)word[2] << (64 - shift);
	} else {
		for (uint32_t i = 0; i < 5; i++) {
			const uint32_t b = byte + i;
			v |= (uint64_t)(b < r.bytes ? r.carried[b] : r.rest[b - r.bytes]) << 8 * i;
		}
		v >>= at % 8;
	}
	return (uint32_t)(v & ((UINT64_C(1) << n) - 1));
}

#ifdef __CUDACC__
DEVICE uint32_t lowest(uint32_t x)
{
	return (uint32_t)__ffs((int)x) - 1;
}
DEVICE uint32_t lowest64(uint64_t x)
{
	return (uint32_t)__ffsll((long long)x) - 1;
}
#else
DEVICE uint32_t lowest(uint32_t x)
{
	return (uint32_t)__builtin_ctz(x);
}
DEVICE uint32_t lowest64(uint64_t x)
{
	return (uint32_t)__builtin_ctzll(x);
}
#endif

/* Its symbols, and how many raw bits it has, but for the class bits of escapes. */
DEVICE void load_block(block &b, const job &j, uint32_t number, int16_t *symbols)
{
	const four *from = (const four *)(j.symbols + (size_t)number * 8);
	const four low = from[0], high = from[1];
	for (int i = 0; i < 4; i++) {
		b.packed[i] = low.word[i];
		b.packed[i + 4] = high.word[i];
	}
	b.some = b.large = 0;
	b.bits = 0;
	b.escapes = 0;
#pragma unroll
	for (int i = 0; i < 8; i++) {
		const uint32_t x = b.packed[i];
		for (uint32_t some = (x | x >> 1 | x >> 2 | x >> 3) & 0x11111111; some; some &= some - 1) {
			const uint32_t at = lowest(some), s = x >> at & 15;
			const uint32_t place = model.scan[8 * i + 7 - (int)at / 4];
			symbols[place] = (int16_t)s;
			b.some |= UINT64_C(1) << place;
			b.bits++;
			if (s >= FIRST_CLASS) {
				b.large |= UINT64_C(1) << place;
				b.bits += s == ESCAPE ? 5 : s - 8;
				b.escapes += s == ESCAPE;
			}
		}
	}
}

DEVICE uint32_t signs_of(const block &b)
{
	return count_bits((uint32_t)b.some) + count_bits((uint32_t)(b.some >> 32));
}

/* The class bits of escapes in a block whose raw bits begin at `at`. */
DEVICE uint32_t escaped_bits(const block &b, const raw &r, uint32_t at, const int16_t *symbols)
{
	at += signs_of(b);
	uint32_t more = 0;
	for (uint64_t large = b.large; large; large &= large - 1) {
		const uint32_t s = (uint32_t)symbols[lowest64(large)];
		uint32_t n = s - 8;
		if (s == ESCAPE) {
			n = 7 + read_bits(r, at, 5);
			at += 5;
			more += n;
		}
		at += n;
	}
	return more;
}

DEVICE int32_t reconstruct(uint32_t size, uint32_t place, xc_value_points p)
{
	const int32_t whole = (int32_t)size * XC_STEP_PARTS;
	return place == 0 ? whole : whole - (size == 1 ? p.one : p.more);
}

/* Symbols become coefficients. */
DEVICE void finish_block(const block &b, const raw &r, uint32_t at, xc_value_points p, int16_t *c)
{
	uint32_t classes = at + signs_of(b), left = 0, signs = 0;
	for (uint64_t some = b.some; some; some &= some - 1) {
		const uint32_t place = lowest64(some);
		if (!left) {
			signs = read_bits(r, at, 32);
			at += 32;
			left = 32;
		}
		uint32_t size = (uint32_t)c[place];
		if (size >= FIRST_CLASS) {
			uint32_t n = size - 8;
			if (size == ESCAPE) {
				n = 7 + read_bits(r, classes, 5);
				classes += 5;
			}
			size = 7 + (1u << n) + read_bits(r, classes, n);
			classes += n;
		}
		const int32_t value = reconstruct(size, place, p);
		c[place] = (int16_t)(signs & 1 ? -value : value);
		signs >>= 1;
		left--;
	}
}

/* The DC of lane `row` of a component at a time; dc: [high][wide]. */
DEVICE void restore_dc(int16_t *dc, uint32_t wide, uint32_t y, uint32_t x)
{
	int16_t *here = dc + (size_t)y * wide + x;
	int32_t p = 0;
	if (x && y) {
		const int32_t left = here[-1], up = *(here - wide), corner = *(here - wide - 1);
		const int32_t low = left < up ? left : up, high = left < up ? up : left;
		const int32_t sum = left + up - corner;
		p = sum < low ? low : sum > high ? high : sum;
	} else if (x) {
		p = here[-1];
	} else if (y) {
		p = *(here - wide);
	}
	*here = (int16_t)((uint32_t)*here + (uint32_t)p);
}

#endif
