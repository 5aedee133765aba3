/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Residues of a chunk to words and back: a symbol of 16 by the frequencies of set and level, then
 * raw bits, by rANS in lanes. For array/chunk.h.
 *
 * The values of a row are taken in groups of `lanes`, a lane each. All lanes of a group take their
 * symbol, and then, as long as there are any, all take up to 16 raw bits.
 */
#ifndef XC_ARRAY_CODE_H
#define XC_ARRAY_CODE_H

#include <stddef.h>
#include <stdint.h>

#include "array/plan.h"
#include "lossless/tables.h"

enum {
	XC_ARRAY_LANES = 32, /* at most */
	XC_ARRAY_SHAPES = XC_ARRAY_SETS * XC_LEVELS,
	XC_LEVEL_IDLE = 255, /* of a value that is not coded */
	XC_RAW_FROM = 14,    /* from this level on, every other one has a raw bit more */
	XC_SYMBOL_ESCAPE = 15,
	XC_STATE_MIN = 1 << 16
};

/* Bits of a folded residue that are raw whatever the symbol. */
static inline XC_DEVICE unsigned xc_raw_bits(unsigned level)
{
	return level > XC_RAW_FROM ? (level - XC_RAW_FROM) / 2 : 0;
}

/* The level whose frequencies a level of 64-bit residues has: above XC_LEVELS only raw bits become
 * more. */
static inline unsigned xc_shape_level(unsigned level)
{
	return level < XC_LEVELS ? level : XC_LEVELS - 2 + level % 2;
}

/* The symbol of a folded residue and its raw bits; wide: raw bits of an escape. */
static inline XC_DEVICE unsigned xc_symbol_of(uint64_t z, unsigned level, unsigned wide,
                                              unsigned *bits, uint64_t *raw)
{
	const unsigned c = xc_raw_bits(level);
	const uint64_t t = z >> c;

	if (t < 10) {
		*bits = c;
		*raw = z & ((1ULL << c) - 1);
		return (unsigned)t;
	}
	if (t >= 72) {
		*bits = wide;
		*raw = z;
		return XC_SYMBOL_ESCAPE;
	}
	const unsigned n = 31 - (unsigned)__builtin_clz((unsigned)t - 8);
	*bits = n + c;
	*raw = z - ((uint64_t)((1U << n) + 8) << c);
	return 9 + n;
}

/* What all residues of a chunk are, in their order. */
typedef struct xc_residues {
	uint8_t *level;   /* of each value, or XC_LEVEL_IDLE */
	uint64_t *wide;   /* folded residues of 64 bits, or NULL and */
	uint32_t *narrow; /* those of 32 */
	uint32_t *row;    /* of each row: its values, and its set in bits 24 and above */
	size_t rows;
} xc_residues;

static inline uint64_t xc_residue(const xc_residues *r, size_t i)
{
	return r->wide ? r->wide[i] : r->narrow[i];
}

/* Tables of coding and decoding, by set and level. */
typedef struct xc_array_encode_tables {
	xc_code_symbol symbols[XC_ARRAY_SHAPES][XC_SYMBOLS];
	uint16_t *slots[XC_ARRAY_SHAPES]; /* XC_FREQUENCY_ONE each; NULL: not used */
} xc_array_encode_tables;

typedef struct xc_array_decode_tables {
	xc_bucket buckets[XC_ARRAY_SHAPES][XC_SYMBOLS];
} xc_array_decode_tables;

/* Counts the symbols of residues into counts; returns the raw bits that levels above XC_LEVELS add to
 * those of the frequencies they have. */
uint64_t xc_residues_count(const xc_residues *r, uint32_t (*counts)[XC_SYMBOLS]);
/* An upper bound of the bytes that xc_residues_encode() writes. */
size_t xc_residues_bound(const xc_residues *r, unsigned lanes);
/* Writes states and words before `end`; returns where they begin. */
uint8_t *xc_residues_encode(const xc_residues *r, const xc_array_encode_tables *tables,
                            unsigned lanes, uint8_t *end);

typedef struct xc_residue_reader {
	const uint8_t *next, *end;
	unsigned lanes;
	uint32_t state[XC_ARRAY_LANES];
	int bad; /* words were missing */
} xc_residue_reader;

/* Reads the states; 0: they are damaged. */
int xc_residues_begin(xc_residue_reader *r, const uint8_t *data, size_t size, unsigned lanes);
/* Decodes the folded residues of a row whose levels are known; 0 where they are idle. */
void xc_residues_row32(xc_residue_reader *r, const xc_array_decode_tables *tables, int set,
                       const uint8_t *level, uint32_t n, uint32_t *z);
void xc_residues_row64(xc_residue_reader *r, const xc_array_decode_tables *tables, int set,
                       const uint8_t *level, uint32_t n, uint64_t *z);
/* 0: words are missing or left over. */
int xc_residues_end(const xc_residue_reader *r);

#endif
