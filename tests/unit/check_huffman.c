/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Huffman codes: package-merge against exhaustive search and against another algorithm, canonical
 * order, the stored form and damage to it, and the built-in codes against the tables of libjpeg.
 * And sets of codes: stored and read again, and how many codes the contexts get. What a set costs
 * is the bits of the symbols and those of the stored set.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entropy/contexts.h"
#include "entropy/huffman.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

#ifdef XC_HAVE_LIBJPEG
#include <jpeglib.h>
#endif

static uint64_t seed = 4;

/* Complete, canonical, and no longer than max_length. */
static void check_code(const xc_huffman_code *code, int max_length, const char *what)
{
	/* In order of length, then symbol, the codes count up from zero to the end. */
	uint32_t next = 0; /* left-aligned in 16 bits, and so Kraft's sum */

	for (int l = 1; l <= 16; l++) {
		for (uint32_t s = 0; s < code->symbols; s++) {
			if (code->length[s] != l)
				continue;
			CHECK(next == (uint32_t)code->code[s] << (16 - l), "%s: code of symbol %u", what, s);
			next += UINT32_C(1) << (16 - l);
		}
	}
	CHECK(next == 65536, "%s: Kraft sum %u / 65536", what, next);
	for (uint32_t s = 0; s < code->symbols; s++)
		CHECK(code->length[s] <= max_length, "%s: symbol %u has %d bits", what, s, code->length[s]);
}

/* ------------------------------------------------------------ package-merge */

/* Bits of coding these counts, without value bits. */
static uint64_t cost_of(const xc_huffman_code *code, const uint64_t *counts)
{
	uint64_t bits = 0;

	for (uint32_t s = 0; s < code->symbols; s++)
		bits += counts[s] * code->length[s];
	return bits;
}

static uint64_t cost_of_built(const uint64_t *counts, uint32_t symbols, int limit, const char *what)
{
	xc_huffman_code code;

	xc_huffman_build(&code, counts, symbols, limit);
	check_code(&code, limit, what);
	for (uint32_t s = 0; s < symbols; s++)
		CHECK(!counts[s] == !code.length[s], "%s: symbol %u", what, s);
	return cost_of(&code, counts);
}

/* The least number of bits that can hold n symbols. */
static int min_limit(int n)
{
	int limit = 1;

	while (1 << limit < n)
		limit++;
	return limit;
}

static int descending(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? 1 : x > y ? -1 : 0;
}

/* The cheapest way to give n weights, heaviest first, lengths from `length` on, when
 * `left` units of 2^-limit of Kraft's sum are left: all ways are tried. */
static uint64_t exhaustive(const uint64_t *weight, int n, int length, int limit, uint32_t left)
{
	if (n == 0)
		return left == 0 ? 0 : UINT64_MAX;
	uint64_t best = UINT64_MAX;
	for (int l = length; l <= limit; l++) {
		const uint32_t unit = UINT32_C(1) << (limit - l);
		if (unit > left || left > (uint32_t)n * unit)
			continue;
		const uint64_t rest = exhaustive(weight + 1, n - 1, l, limit, left - unit);
		if (rest != UINT64_MAX && rest + *weight * (uint64_t)l < best)
			best = rest + *weight * (uint64_t)l;
	}
	return best;
}

static void small_alphabets_by_exhaustive_search(void)
{
	for (int round = 0; round < 3000; round++) {
		const int n = 2 + (int)check_below(&seed, 9);
		const int limit = min_limit(n) + (int)check_below(&seed, 4);
		uint64_t counts[XC_DC_SYMBOLS] = {0}, sorted[10];
		/* Some symbols between them do not occur. */
		for (int i = 0; i < n; i++)
			sorted[i] = counts[3 * i] = 1 + check_random(&seed) %
			                                    (UINT64_C(1) << check_below(&seed, 40));
		qsort(sorted, (size_t)n, sizeof *sorted, descending);
		const uint64_t cost = cost_of_built(counts, XC_DC_SYMBOLS, limit, "small");
		const uint64_t best = exhaustive(sorted, n, 1, limit, UINT32_C(1) << limit);
		CHECK(cost == best, "%d symbols, %d bits: cost %llu instead of %llu", n, limit,
		      (unsigned long long)cost, (unsigned long long)best);
	}
}

/* The cost by dynamic programming from the root down (not from the leaves up as
 * package-merge): at each depth some of the open nodes become leaves, the heaviest
 * weights first, and each of the others opens two; every weight not yet placed then
 * pays one bit more. */
enum { DP = 64 };
static uint64_t dynamic_programming(const uint64_t *weight, int n, int limit)
{
	static uint64_t cost[DP + 1][DP + 1]; /* [leaves placed][open nodes] at one depth */
	static uint64_t below[DP + 1][DP + 1];
	uint64_t rest[DP + 1];

	rest[n] = 0;
	for (int i = n; i > 0; i--)
		rest[i - 1] = rest[i] + weight[i - 1];
	for (int i = 0; i <= n; i++)
		for (int open = 0; open <= n; open++)
			below[i][open] = i + open == n ? 0 : UINT64_MAX;
	for (int depth = limit - 1; depth >= 0; depth--) {
		for (int i = 0; i <= n; i++) {
			for (int open = 0; open <= n - i; open++) {
				cost[i][open] = i == n && !open ? 0 : UINT64_MAX;
				for (int leaves = 0; leaves < open; leaves++) {
					const int wider = 2 * (open - leaves);
					if (i + leaves + wider > n || below[i + leaves][wider] == UINT64_MAX)
						continue;
					const uint64_t c = below[i + leaves][wider] + rest[i + leaves];
					cost[i][open] = c < cost[i][open] ? c : cost[i][open];
				}
				if (i + open == n)
					cost[i][open] = 0;
			}
		}
		memcpy(below, cost, sizeof below);
	}
	return cost[0][1];
}

/* Counts of many shapes; the Fibonacci numbers make the deepest trees. */
static void make_counts(uint64_t *counts, int n, int shape)
{
	uint64_t a = 1, b = 1;

	for (int i = 0; i < n; i++) {
		const uint64_t r = check_random(&seed);
		counts[i] = shape == 0   ? a
		            : shape == 1 ? 1 + r % 4
		            : shape == 2 ? 1 + r % 1000000
		            : shape == 3 ? 1 + (r >> (34 + r % 30))
		                         : 1;
		b += a;
		a = b - a;
	}
}

static void limits_by_dynamic_programming(void)
{
	for (int shape = 0; shape < 5; shape++) {
		for (int n = 2; n <= DP; n += n < 12 ? 1 : 13) {
			for (int limit = min_limit(n); limit <= XC_MAX_CODE_LENGTH;
			     limit += limit < 9 ? 1 : 3) {
				uint64_t counts[XC_AC_SYMBOLS] = {0}, sorted[DP];
				make_counts(counts, n, shape);
				memcpy(sorted, counts, sizeof *sorted * (size_t)n);
				qsort(sorted, (size_t)n, sizeof *sorted, descending);
				const uint64_t cost = cost_of_built(counts, XC_AC_SYMBOLS, limit, "limited");
				const uint64_t best = dynamic_programming(sorted, n, limit);
				CHECK(cost == best, "shape %d, %d symbols, %d bits: %llu instead of %llu", shape, n,
				      limit, (unsigned long long)cost, (unsigned long long)best);
			}
		}
	}
}

static void all_symbols_at_every_limit(void)
{
	uint64_t counts[XC_AC_SYMBOLS], last = UINT64_MAX;

	make_counts(counts, XC_AC_SYMBOLS, 3);
	for (int limit = 8; limit <= XC_MAX_CODE_LENGTH; limit++) {
		const uint64_t cost = cost_of_built(counts, XC_AC_SYMBOLS, limit, "all symbols");
		CHECK(cost <= last, "a limit of %d costs more than %d", limit, limit - 1);
		last = cost;
	}
}

/* A code has two symbols even where fewer occur, those that occur among them. */
static void fewer_than_two_symbols(void)
{
	for (uint32_t s = 0; s <= XC_DC_SYMBOLS; s++) {
		uint64_t counts[XC_DC_SYMBOLS] = {0};
		if (s < XC_DC_SYMBOLS)
			counts[s] = 1 + check_below(&seed, 1000);
		xc_huffman_code code;
		xc_huffman_build(&code, counts, XC_DC_SYMBOLS, XC_MAX_STORED_LENGTH);
		check_code(&code, 1, "one symbol");
		CHECK(s == XC_DC_SYMBOLS || code.length[s] == 1, "symbol %u has no code", s);
	}
}

/* ------------------------------------------------------- lengths and storage */

/* A random complete code of n symbols: leaves are split at random. */
static void random_code(xc_huffman_code *code, uint32_t symbols, uint32_t n)
{
	uint8_t length[XC_MAX_SYMBOLS] = {1, 1};
	uint32_t leaves = 2;

	while (leaves < n) {
		const uint32_t i = check_below(&seed, leaves);
		if (length[i] < XC_MAX_STORED_LENGTH)
			length[leaves++] = ++length[i];
	}
	memset(code, 0, sizeof *code);
	code->symbols = symbols;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = check_below(&seed, symbols);
		while (code->length[s])
			s = (s + 1) % symbols;
		code->length[s] = length[i];
	}
}

static void only_complete_codes_are_assigned(void)
{
	for (int round = 0; round < 2000; round++) {
		xc_huffman_code code;
		random_code(&code, XC_DC_SYMBOLS, 2 + check_below(&seed, XC_DC_SYMBOLS - 1));
		CHECK(xc_huffman_assign(&code), "round %d", round);
		check_code(&code, XC_MAX_STORED_LENGTH, "random");
		/* Any other length of one symbol makes it incomplete or too full. */
		const uint32_t s = check_below(&seed, XC_DC_SYMBOLS);
		const uint8_t was = code.length[s];
		for (int l = 0; l <= 40; l++) {
			code.length[s] = (uint8_t)(l < 40 ? l : 255);
			CHECK(xc_huffman_assign(&code) == (code.length[s] == was), "%d bits instead of %d",
			      code.length[s], was);
		}
	}
	xc_huffman_code empty = {.symbols = XC_AC_SYMBOLS};
	CHECK(!xc_huffman_assign(&empty), "no symbols");
}

static void stored_form(void)
{
	for (int round = 0; round < 3000; round++) {
		const uint32_t symbols = round % 2 ? XC_AC_SYMBOLS : XC_DC_SYMBOLS;
		xc_huffman_code code, back;
		uint8_t bytes[XC_STORED_CODE_BYTES + 1];
		random_code(&code, symbols, 2 + check_below(&seed, round % 3 ? 20 : symbols - 1));
		CHECK(xc_huffman_assign(&code), "round %d", round);
		const size_t n = xc_huffman_write(&code, bytes);
		CHECK(n && n <= XC_STORED_CODE_BYTES, "%zu bytes", n);
		/* Whatever follows is not touched. */
		CHECK(xc_huffman_read(&back, symbols, bytes, n) == n, "%zu bytes", n);
		CHECK(!memcmp(&back, &code, sizeof code), "another code, round %d", round);
		CHECK(xc_huffman_read(&back, symbols, bytes, sizeof bytes) == n, "%zu bytes", n);
		for (size_t cut = 0; cut < n; cut++)
			CHECK(!xc_huffman_read(&back, symbols, bytes, cut), "cut off at %zu of %zu", cut, n);
	}
}

static void damaged_stored_form(void)
{
	for (int round = 0; round < 200000; round++) {
		const uint32_t symbols = round % 2 ? XC_AC_SYMBOLS : XC_DC_SYMBOLS;
		/* Exactly this size, so that ASan sees every byte past its end. */
		const size_t size = check_below(&seed, 40);
		OWN_MEMORY uint8_t *bytes = xc_test_malloc(size);
		for (size_t i = 0; i < size; i++)
			bytes[i] = (uint8_t)(round % 4 < 2 ? check_below(&seed, 256)
			                                   : check_below(&seed, 6) * 17);
		xc_huffman_code code;
		const size_t n = xc_huffman_read(&code, symbols, bytes, size);
		CHECK(n <= size, "%zu of %zu bytes", n, size);
		if (n)
			check_code(&code, XC_MAX_STORED_LENGTH, "from random bytes");
	}
}

/* ------------------------------------------------------------ built-in codes */

/* Every symbol an encoder can need; AC symbols of size 0 are ends and 16 zeros. */
static void defaults_cover_all_symbols(void)
{
	for (int chroma = 0; chroma < 2; chroma++) {
		for (int ac = 0; ac < 2; ac++) {
			xc_huffman_code code;
			xc_huffman_default(&code, ac, chroma);
			check_code(&code, XC_MAX_CODE_LENGTH, "default");
			for (uint32_t s = 0; s < code.symbols; s++) {
				const int needed = !ac || s % 16 || s == 0 || s == 0xf0;
				CHECK(!needed == !code.length[s], "AC %d, chroma %d, symbol %02x: %d bits", ac,
				      chroma, s, code.length[s]);
			}
		}
	}
}

#ifdef XC_HAVE_LIBJPEG
/* The code that follows from libjpeg's copy of Annex K by the rule that
 * entropy/huffman.c states. */
static void check_default(const JHUFF_TBL *table, int ac, int chroma)
{
	const uint32_t symbols = ac ? XC_AC_SYMBOLS : XC_DC_SYMBOLS;
	uint64_t counts[XC_MAX_SYMBOLS], weights[XC_MAX_SYMBOLS] = {0};
	uint8_t length[XC_MAX_SYMBOLS] = {0};
	int next = 0;

	for (int l = 1; l <= 16; l++)
		for (int i = 0; i < table->bits[l]; i++)
			length[table->huffval[next++]] = (uint8_t)l;
	for (uint32_t s = 0; s < symbols; s++) {
		const int impossible = ac && s % 16 == 0 && s != 0 && s != 0xf0;
		counts[s] = length[s] ? UINT64_C(16) << (16 - length[s]) : !impossible;
		weights[s] = length[s] ? UINT64_C(1) << (16 - length[s]) : 0;
	}
	xc_huffman_code code, wanted;
	xc_huffman_build(&wanted, counts, symbols, XC_MAX_CODE_LENGTH);
	xc_huffman_default(&code, ac, chroma);
	CHECK(!memcmp(code.length, wanted.length, sizeof code.length), "AC %d, chroma %d", ac, chroma);

	/* On data that suit Annex K's own lengths, the room for the other symbols must cost at
	 * most a hundredth more. */
	uint64_t annex_k = 0;
	for (uint32_t s = 0; s < symbols; s++)
		annex_k += weights[s] * length[s];
	CHECK(cost_of(&code, weights) * 100 <= annex_k * 101, "AC %d, chroma %d: %llu for %llu", ac,
	      chroma, (unsigned long long)cost_of(&code, weights), (unsigned long long)annex_k);
}

static void defaults_follow_from_libjpegs_tables(void)
{
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr errors;

	jpeg.err = jpeg_std_error(&errors);
	jpeg_create_compress(&jpeg);
	jpeg.input_components = 3;
	jpeg.in_color_space = JCS_RGB;
	jpeg_set_defaults(&jpeg);
	for (int chroma = 0; chroma < 2; chroma++) {
		check_default(jpeg.dc_huff_tbl_ptrs[chroma], 0, chroma);
		check_default(jpeg.ac_huff_tbl_ptrs[chroma], 1, chroma);
	}
	jpeg_destroy_compress(&jpeg);
}
#else
static void defaults_follow_from_libjpegs_tables(void)
{
	SKIP("built without libjpeg");
}
#endif

/* ------------------------------------------------------------- sets of codes */

enum { SETS = 3000 };

static uint64_t seed_of_sets = 21;

static uint32_t below(uint32_t n)
{
	return check_below(&seed_of_sets, n);
}

static void built_in_codes(xc_huffman_code codes[2], int chroma)
{
	for (int ac = 0; ac < 2; ac++)
		xc_huffman_default(&codes[ac], ac, chroma);
}

/* ------------------------------------------------------------- stored form */

/* A code of lengths as far apart as `spread`, 0 to 15, allows; density: of 100 symbols. */
static void random_code_of_sets(xc_huffman_code *code, uint32_t symbols, uint32_t spread,
                                uint32_t density)
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
	random_code_of_sets(&set->dc, XC_DC_SYMBOLS, below(16), below(101));
	for (uint32_t i = 0; i < set->ac_codes; i++)
		random_code_of_sets(&set->ac[i], XC_AC_SYMBOLS, below(16), below(101));
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
	OWN_MEMORY uint8_t *stored = xc_test_copy(room, n), *cut = xc_test_copy(room, n - 1);
	CHECK(xc_code_set_read(&back, before, stored, n) == n && same_set(set, &back),
	      "not the same after %zu bytes", n);
	CHECK(xc_code_set_read(&back, before, room, sizeof room) == n, "more bytes after it");
	CHECK(!xc_code_set_read(&back, before, cut, n - 1), "a byte less is a set");
	CHECK(!xc_code_set_read(&back, before, stored, 0), "nothing is a set");
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
	random_code_of_sets(&set.dc, XC_DC_SYMBOLS, 15, 100);
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
	uint8_t bytes[300], stored[XC_STORED_SET_BYTES];
	xc_huffman_code before[2];
	unsigned sets = 0;
	size_t n = 0;

	for (int i = 0; i < 80000; i++) {
		/* Making a set takes longer than reading it, so each is damaged in sixteen ways. */
		if (i % 16 == 0) {
			random_set(&set);
			built_in_codes(before, i / 16 % 2);
			n = xc_code_set_write(&set, before, stored);
		}
		const size_t used = n < sizeof bytes ? n : sizeof bytes;
		memcpy(bytes, stored, used);
		for (uint32_t k = 1 + below(3); k; k--) {
			uint8_t *const damaged = &bytes[below((uint32_t)used)];

			*damaged ^= (uint8_t)(1u << below(8));
		}
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
	double bits = (double)cost_of(&set->dc, counts->dc);

	for (int k = 0; k < XC_AC_CONTEXTS; k++)
		bits += (double)cost_of(&set->ac[set->ac_code[k]], counts->ac[k]);
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
	RUN(small_alphabets_by_exhaustive_search, limits_by_dynamic_programming,
	    all_symbols_at_every_limit, fewer_than_two_symbols, only_complete_codes_are_assigned,
	    stored_form, damaged_stored_form, defaults_cover_all_symbols,
	    defaults_follow_from_libjpegs_tables);
	RUN(stored_and_read, largest_set, random_bytes, alike_and_different);
	RUN_FOR("one code", 1, never_worse);
	RUN_FOR("six codes", XC_AC_CONTEXTS, never_worse);
	return check_done();
}
