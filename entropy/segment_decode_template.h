/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding of one component.  The stub sets
 *   COEF         the type of a coefficient
 *   NAME         the function
 *   MOST_SIZE    the largest size that a value may have
 */
#include "entropy/bitread.h"
#include "entropy/scan.h"
#include "entropy/segment_decode.h"
#include "entropy/value.h"

/* Where position k of the scan is stored.  Positions past 63, reached by the end of
 * a block and by damaged data, lead to the next block's DC, written later. */
static const uint8_t scan[64 + XC_END_STEP] = {XC_SCAN_TABLE,
#define S4 64, 64, 64, 64
#define S16 S4, S4, S4, S4
	S16, S16, S16, S16, S16, S16, S16, S16};

/* Symbols and values that the look-up did not resolve.  *entry becomes one that
 * consumes nothing more; 0: impossible. */
static __attribute__((noinline)) int decode_slow(xc_bit_reader *r, const xc_decode_table *t,
                                                 uint32_t entry, int ac, unsigned *step,
                                                 int32_t *value)
{
	refill(r);
	uint32_t symbol = entry >> 16;
	unsigned length = entry & 63;
	if (!length)
		symbol = long_symbol(r, t, &length);
	consume(r, length);
	unsigned size = ac ? symbol & 15 : symbol;
	*step = symbol == 0 && ac ? XC_END_STEP : symbol == 0xf0 ? 16 : (symbol >> 4) + 1;
	if (ac && size == 15)
		size += read_bits(r, 4);
	refill(r);
	if (size > MOST_SIZE)
		return 0;
	*value = xc_value_from_bits(size ? read_bits(r, size) : 0, size);
	return 1;
}

static inline int32_t median_edge(int32_t left, int32_t up, int32_t corner)
{
	const int32_t low = left < up ? left : up, high = left < up ? up : left;
	const int32_t p = (int32_t)((uint32_t)left + (uint32_t)up - (uint32_t)corner);
	return p < low ? low : p > high ? high : p;
}

/* As xc_predict_dc(), from blocks already decoded. */
static inline int32_t predict(const COEF *here, uint32_t x, uint32_t y, uint32_t wide)
{
	const COEF *above = here - (size_t)wide * 64;
	if (x && y)
		return median_edge(here[-64], above[0], above[-64]);
	return x ? here[-64] : y ? above[0] : 0;
}

int NAME(xc_bit_reader *reader, const xc_decode_table *dc, const xc_decode_table *ac,
         uint32_t wide, uint32_t high, COEF *blocks, uint8_t *dc_only)
{
	xc_bit_reader r = *reader;
	int good = 1;
	COEF *block = blocks;
	for (uint32_t y = 0; y < high; y++) {
		for (uint32_t x = 0; x < wide; x++, block += 64) {
			int32_t value;
			unsigned k = 0;

			refill(&r);
			uint32_t e = dc->entry[r.bits >> (64 - XC_LOOKUP_BITS)];
			if (e & XC_ENTRY_SLOW) {
				unsigned step;
				if (!decode_slow(&r, dc, e, 0, &step, &value))
					value = 0, good = 0;
				refill(&r);
			} else {
				consume(&r, e & 63);
				value = (int32_t)e >> 16;
			}
			memset(block, 0, 64 * sizeof *block);
			block[0] = (COEF)((uint32_t)predict(block, x, y, wide) + (uint32_t)value);

			/* After a refill there are at least 56 bits: four look-ups behind
			 * the DC's, of up to XC_LOOKUP_BITS each. */
			unsigned looks = 1;
			unsigned first = 0;
			do {
				if (++looks > 5) {
					refill(&r);
					looks = 1;
				}
				e = ac->entry[r.bits >> (64 - XC_LOOKUP_BITS)];
				if (__builtin_expect(e & XC_ENTRY_SLOW, 0)) {
					unsigned step = XC_END_STEP;
					if (!decode_slow(&r, ac, e, 1, &step, &value))
						value = 0, good = 0;
					refill(&r);
					looks = 0;
					k += step;
				} else {
					consume(&r, e & 63);
					k += e >> 6 & 255;
					value = (int32_t)e >> 16;
				}
				first = first ? first : k;
				block[scan[k]] = (COEF)value;
			} while (k < 63);
			good &= k == 63 || k >= XC_END_STEP;
			*dc_only++ = first == XC_END_STEP;
		}
	}
	*reader = r;
	return good;
}
