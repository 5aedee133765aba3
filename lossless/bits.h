/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of side information, the highest first. For lossless/ alone. */
#ifndef XC_LOSSLESS_BITS_H
#define XC_LOSSLESS_BITS_H

#include <stddef.h>
#include <stdint.h>

#include "lossless/tables.h"

typedef struct xc_side_writer {
	uint8_t *next;
	uint64_t bits; /* the last `count` are not written */
	unsigned count;
	const uint8_t *end; /* NULL: there is room */
	int full;           /* more was written than there is room before the end */
} xc_side_writer;

static inline void xc_put_bits(xc_side_writer *w, unsigned n, uint32_t value)
{
	w->bits = w->bits << n | value;
	for (w->count += n; w->count >= 8; w->count -= 8)
		if (w->next == w->end)
			w->full = 1;
		else
			*w->next++ = (uint8_t)(w->bits >> (w->count - 8));
}

static inline uint8_t *xc_end_bits(xc_side_writer *w)
{
	xc_put_bits(w, (8 - w->count) & 7, 0);
	return w->next;
}

typedef struct xc_side_reader {
	const uint8_t *next, *end;
	uint64_t bits;
	unsigned count;
	int bad; /* more bits were wanted than there are */
} xc_side_reader;

static inline void xc_refill_bits(xc_side_reader *r, unsigned n)
{
	while (r->count < n) {
		r->bad |= r->next == r->end;
		r->bits = r->bits << 8 | (r->next < r->end ? *r->next++ : 0);
		r->count += 8;
	}
}

static inline uint32_t xc_get_bits(xc_side_reader *r, unsigned n)
{
	xc_refill_bits(r, n);
	r->count -= n;
	return (uint32_t)(r->bits >> r->count) & ((1U << n) - 1);
}

/* A number in a Rice code of parameter k, below 32: as many ones as there are 2^k, a zero, k bits. */
static inline void xc_put_rice(xc_side_writer *w, unsigned k, uint32_t value)
{
	for (uint32_t n = value >> k; n; n--)
		xc_put_bits(w, 1, 1);
	xc_put_bits(w, 1, 0);
	xc_put_bits(w, k, value & ((1U << k) - 1));
}

/* A number above max is damage, and not read to its end. */
static inline uint64_t xc_get_rice(xc_side_reader *r, unsigned k, uint32_t max)
{
	uint64_t value = 0;

	while (!r->bad && value <= max) {
		if (!r->count)
			xc_refill_bits(r, 1);
		/* Ones at the top of the bits that are there. */
		const uint64_t top = ~(r->bits << (64 - r->count));
		const unsigned ones = top ? (unsigned)__builtin_clzll(top) : 64;
		value += (uint64_t)(ones < r->count ? ones : r->count) << k;
		if (ones < r->count) {
			r->count -= ones + 1;
			break;
		}
		r->count = 0;
	}
	return value + xc_get_bits(r, k);
}

/* The parameter for numbers of that mean. */
static inline unsigned xc_rice_parameter(uint32_t mean)
{
	return mean > 1 ? 31 - (unsigned)__builtin_clz(mean) : 0;
}

/* Numbers of 32 bits, the lowest byte first. */
static inline uint8_t *xc_put_le32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

static inline uint32_t xc_get_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* The cost of a symbol of a frequency above 0, in 1/64 bits. */
uint32_t xc_symbol_cost(uint32_t frequency);

/* A shape by its differences from another one. */
void xc_put_shape(xc_side_writer *w, const xc_shape_index shape, const xc_shape_index before);
/* 0: it is damaged. */
int xc_get_shape(xc_side_reader *r, const xc_shape_index before, xc_shape_index shape);
/* The bits that it takes. */
uint32_t xc_shape_bits(const xc_shape_index shape, const xc_shape_index before);
/* The cost of symbols that were counted, in 1/64 bits. */
uint64_t xc_shape_cost(const uint32_t counts[XC_SYMBOLS], const xc_shape_index shape);

#endif
