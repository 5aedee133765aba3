/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of codes: stored and read again, and how many codes the contexts get.  What a set costs
 * is the bits of the symbols and those of the stored set.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "entropy/contexts.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

/* Bits of coding these counts, without value bits. */
static uint64_t bits_of(const xc_huffman_code *code, const uint64_t *counts)
{
	uint64_t bits = 0;
	for (uint32_t s = 0; s < code->symbols; s++)
		bits += counts[s] * code->length[s];
	return bits;
}

enum { SETS = 3000 };

static uint64_t seed = 21;

static uint32_t below(uint32_t n)
{
	return check_below(&seed, n);
}

static void built_in_codes(xc_huffman_code codes[2], int chroma)
{
	for (int ac = 0; ac < 2; ac++)
		xc_huffman_default(&codes[ac], ac, chroma);
}

/* ------------------------------------------------------------- stored form */

/* A code of lengths as far apart as `spread`, 0 to 15, allows; density: of 100 symbols. */
static void random_code(xc_huffman_code *code, uint32_t symbols, uint32_t spread, uint32_t density)
{
	uint64_t counts[XC_MAX_SYMBOLS] = {0};
	for (uint32_t s = 0; s < symbols; s++)
		if (below(100) < density)
			counts[s] = UINT64_C(1) << below(spread + 1);
	xc_huffman_build(code, counts, symbols, XC_MAX_STORED_LENGTH);
}

static void random_set(xc_code_set *set)
{
	memset(set, 0, sizeof *set);
	set->ac_codes = 1 + below(XC_AC_CONTEXTS);
	for (int i = 0; i < XC_AC_CONTEXTS; i++)
		set->ac_code[i] = (uint8_t)below(set->ac_codes);
	random_code(&set->dc, XC_DC_SYMBOLS, below(16), below(101));
	for (uint32_t i = 0; i < set->ac_codes; i++)
		random_code(&set->ac[i], XC_AC_SYMBOLS, below(16), below(101));
}

static int same_code(const xc_huffman_code *a, const xc_huffman_code *b)
{
	return a->symbols == b->symbols && !memcmp(a->length, b->length, a->symbols) &&
	       !memcmp(a->code, b->code, a->symbols * sizeof *a->code);
}

static int same_set(const xc_code_set *a, const xc_code_set *b)
{
	if (a->ac_codes != b->ac_codes || memcmp(a->ac_code, b->ac_code, sizeof a->ac_code) ||
	    !same_code(&a->dc, &b->dc))
		return 0;
	for (uint32_t i = 0; i < a->ac_codes; i++)
		if (!same_code(&a->ac[i], &b->ac[i]))
			return 0;
	return 1;
}

/* Returns its bytes. */
static size_t check_stored(const xc_code_set *set, int chroma)
{
	static xc_code_set back;
	enum { GUARD = 16 };
	uint8_t room[XC_STORED_SET_BYTES + GUARD];
	xc_huffman_code before[2];
	built_in_codes(before, chroma);
	memset(room, 0xa5, sizeof room);
	const size_t n = xc_code_set_write(set, before, room);
	CHECK(n && n <= XC_STORED_SET_BYTES, "%zu bytes", n);
	for (size_t i = n; i < sizeof room; i++)
		CHECK(room[i] == 0xa5, "byte %zu of %zu is written", i, n);
	/* A copy of exactly this size: a sanitizer sees a read past it. */
	uint8_t *stored = xc_test_copy(room, n), *cut = xc_test_copy(room, n - 1);
	CHECK(xc_code_set_read(&back, before, stored, n) == n && same_set(set, &back),
	      "not the same after %zu bytes", n);
	CHECK(xc_code_set_read(&back, before, room, sizeof room) == n, "more bytes after it");
	CHECK(!xc_code_set_read(&back, before, cut, n - 1), "a byte less is a set");
	CHECK(!xc_code_set_read(&back, before, stored, 0), "nothing is a set");
	free(stored);
	free(cut);
	return n;
}

static void stored_and_read(void)
{
	static xc_code_set set;
	size_t max = 0;
	for (int i = 0; i < SETS; i++) {
		random_set(&set);
		const size_t n = check_stored(&set, i % 2);
		max = n > max ? n : max;
	}
	printf("# at most %zu bytes of %d\n", max, (int)XC_STORED_SET_BYTES);
}

/* All symbols and lengths that differ by more than 3 from code to code take the longest words. */
static void largest_set(void)
{
	static xc_code_set set;
	memset(&set, 0, sizeof set);
	set.ac_codes = XC_AC_CONTEXTS;
	random_code(&set.dc, XC_DC_SYMBOLS, 15, 100);
	for (uint32_t i = 0; i < XC_AC_CONTEXTS; i++) {
		xc_huffman_code *code = &set.ac[i];
		set.ac_code[i] = (uint8_t)i;
		code->symbols = XC_AC_SYMBOLS;
		/* 16 symbols of 5 bits, 112 of 8 bits and 128 of 14 or 11 bits, in turns. */
		for (uint32_t s = 0; s < XC_AC_SYMBOLS; s++) {
			const uint32_t k = (s + (i % 2) * 128) % 256;
			code->length[s] = k < 8 ? 4 : k < 128 ? 8 : k < 254 ? 13 : 12;
		}
		/* Whatever is left of Kraft's sum goes to the first symbols. */
		uint64_t counts[XC_AC_SYMBOLS];
		for (uint32_t s = 0; s < XC_AC_SYMBOLS; s++)
			counts[s] = UINT64_C(1) << (15 - code->length[s]);
		xc_huffman_build(code, counts, XC_AC_SYMBOLS, XC_MAX_STORED_LENGTH);
	}
	const size_t n = check_stored(&set, 0);
	CHECK(n > 1000, "only %zu bytes", n);
	printf("# %zu bytes of %d\n", n, (int)XC_STORED_SET_BYTES);
}

/* Whatever the bytes are: no set, or one that is complete. */
static void random_bytes(void)
{
	static xc_code_set set;
	uint8_t bytes[300];
	xc_huffman_code before[2];
	unsigned sets = 0;
	for (int i = 0; i < 40000; i++) {
		random_set(&set);
		built_in_codes(before, i % 2);
		uint8_t stored[XC_STORED_SET_BYTES];
		const size_t n = xc_code_set_write(&set, before, stored);
		const size_t used = n < sizeof bytes ? n : sizeof bytes;
		memcpy(bytes, stored, used);
		for (uint32_t k = 1 + below(3); k; k--)
			bytes[below((uint32_t)used)] ^= (uint8_t)(1u << below(8));
		const size_t taken = xc_code_set_read(&set, before, bytes, used);
		if (!taken)
			continue;
		sets++;
		CHECK(taken <= used && set.ac_codes >= 1 && set.ac_codes <= XC_AC_CONTEXTS, "%u codes",
		      set.ac_codes);
		for (int k = 0; k < XC_AC_CONTEXTS; k++)
			CHECK(set.ac_code[k] < set.ac_codes, "context %d takes code %d", k, set.ac_code[k]);
	}
	CHECK(sets > 20, "only %u of them are sets", sets);
}

/* --------------------------------------------------------- codes that are shared */

/* Counts as pictures have them: they fall off with the run and with the size, which both differ
 * with the slopes. */
static void falling_counts(uint64_t counts[XC_AC_SYMBOLS], double total, double run_slope,
                           double size_slope)
{
	memset(counts, 0, XC_AC_SYMBOLS * sizeof *counts);
	for (uint32_t s = 0; s < XC_AC_SYMBOLS; s++)
		if (s % 16 || s == 0xf0)
			counts[s] = (uint64_t)(total * exp(-run_slope * (s >> 4) - size_slope * (s & 15)));
	counts[0] = (uint64_t)(total * size_slope / 3);
}

static double bits_of_symbols(const xc_code_set *set, const xc_symbol_counts *counts)
{
	double bits = (double)bits_of(&set->dc, counts->dc);
	for (int k = 0; k < XC_AC_CONTEXTS; k++)
		bits += (double)bits_of(&set->ac[set->ac_code[k]], counts->ac[k]);
	return bits;
}

static double bits_of_set(const xc_code_set *set)
{
	uint8_t stored[XC_STORED_SET_BYTES];
	xc_huffman_code before[2];
	built_in_codes(before, 0);
	return 8 * (double)xc_code_set_write(set, before, stored);
}

/* Each context has a code with all its symbols, and no number is left out. */
static void check_set(const xc_code_set *set, const xc_symbol_counts *counts, uint32_t max)
{
	unsigned taken = 0;
	CHECK(set->ac_codes >= 1 && set->ac_codes <= max, "%u codes of %u", set->ac_codes, max);
	for (int k = 0; k < XC_AC_CONTEXTS; k++) {
		CHECK(set->ac_code[k] < set->ac_codes, "code %d", set->ac_code[k]);
		taken |= 1u << set->ac_code[k];
		for (int s = 0; s < XC_AC_SYMBOLS; s++)
			CHECK(!counts->ac[k][s] || set->ac[set->ac_code[k]].length[s],
			      "context %d has no code for %02x", k, s);
	}
	CHECK(taken == (1u << set->ac_codes) - 1, "a code that no context takes");
}

static void alike_and_different(void)
{
	static xc_symbol_counts counts;
	static xc_code_set set;
	for (double total = 100; total < 1e5; total *= 10) {
		memset(&counts, 0, sizeof counts);
		for (uint32_t k = 0; k < XC_AC_CONTEXTS; k++)
			falling_counts(counts.ac[k], total, 0.4, 0.9);
		xc_code_set_build(&set, &counts, XC_AC_CONTEXTS);
		check_set(&set, &counts, 1);
		for (uint32_t k = 0; k < XC_AC_CONTEXTS; k++)
			falling_counts(counts.ac[k], total, 0.1 + 0.3 * k, 2 - 0.35 * k);
		for (uint32_t max = 1; max <= XC_AC_CONTEXTS; max++) {
			xc_code_set_build(&set, &counts, max);
			check_set(&set, &counts, max);
			CHECK(total < 1e4 || set.ac_codes == max, "%u codes of %u for %g", set.ac_codes, max,
			      total);
		}
	}
	memset(&counts, 0, sizeof counts);
	xc_code_set_build(&set, &counts, XC_AC_CONTEXTS);
	check_set(&set, &counts, 1);
}

/* Contexts from alike to different, with few symbols to many. */
static void random_counts(xc_symbol_counts *counts)
{
	const double alike = below(101) / 100.0;
	const uint32_t size = below(24);
	memset(counts, 0, sizeof *counts);
	for (uint32_t s = 0; s < 12; s++)
		counts->dc[s] = below(1u << (1 + size)) >> s;
	for (uint32_t k = 0; k < XC_AC_CONTEXTS; k++) {
		uint64_t other[XC_AC_SYMBOLS];
		falling_counts(counts->ac[k], pow(2, below(size + 1)), 0.3, 0.8);
		falling_counts(other, pow(2, below(size + 1)), (1 + below(20)) * 0.1,
		               (2 + below(20)) * 0.1);
		for (int s = 0; s < XC_AC_SYMBOLS; s++)
			counts->ac[k][s] = (uint64_t)(alike * (double)counts->ac[k][s] +
			                              (1 - alike) * (double)other[s]);
	}
}

static void six_codes(xc_code_set *set, const xc_symbol_counts *counts)
{
	xc_code_set_build(set, counts, 1);
	set->ac_codes = XC_AC_CONTEXTS;
	for (int k = 0; k < XC_AC_CONTEXTS; k++) {
		set->ac_code[k] = (uint8_t)k;
		xc_huffman_build(&set->ac[k], counts->ac[k], XC_AC_SYMBOLS, XC_MAX_STORED_LENGTH);
	}
}

/* A set is chosen by an estimate of its cost: entropies for symbols, and 3 bits for each
 * length.  It may cost more than one code for all contexts, or than one for each, by what the
 * estimate is off: 300 bits for each further code, and a thousandth of the whole, which is as
 * near as its logarithms come.  On average it saves. */
static void never_worse(int codes)
{
	static xc_symbol_counts counts;
	static xc_code_set one, several;
	double worst = 0, ratios = 0;
	int histogram[XC_AC_CONTEXTS + 1] = {0};
	for (int i = 0; i < SETS; i++) {
		random_counts(&counts);
		if (codes == 1)
			xc_code_set_build(&one, &counts, 1);
		else
			six_codes(&one, &counts);
		xc_code_set_build(&several, &counts, XC_AC_CONTEXTS);
		check_set(&one, &counts, (uint32_t)codes);
		histogram[several.ac_codes]++;
		check_set(&several, &counts, XC_AC_CONTEXTS);
		CHECK(same_code(&one.dc, &several.dc), "other codes of DC");
		const double cost = bits_of_symbols(&one, &counts) + bits_of_set(&one);
		const double more = bits_of_symbols(&several, &counts) + bits_of_set(&several) - cost;
		const double slack = 300 * (fmax(several.ac_codes, one.ac_codes) - 1) + cost / 1000;
		CHECK(more <= slack, "%u codes cost %g bits more than %g", several.ac_codes, more, cost);
		worst = fmax(worst, more);
		ratios += (cost + more) / cost;
	}
	CHECK(ratios < SETS, "%g of the cost on average", ratios / SETS);
	for (int k = 1; k <= XC_AC_CONTEXTS; k++)
		CHECK(histogram[k] > 10, "%d sets of %d codes", histogram[k], k);
	printf("# at most %.0f bits more; %.4f of the cost on average\n", worst, ratios / SETS);
}

int main(void)
{
	RUN(stored_and_read, largest_set, random_bytes, alike_and_different);
	RUN_FOR("one code", 1, never_worse);
	RUN_FOR("six codes", XC_AC_CONTEXTS, never_worse);
	return check_done();
}
