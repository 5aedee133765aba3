/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a stored set of codes, and then as a segment that these codes decode.  The input:
 * a byte whose bits choose chroma, 16 bits a sample and the SIMD level, a byte of points of
 * reconstruction, the set, the bits of the segment.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "entropy/value.h"
#include "src/container/segment.h"
#include "tests/support/check.h"

enum { WIDE = 5, HIGH = 3, BLOCKS = WIDE * HIGH };

static void built_in_codes(xc_huffman_code codes[2], int chroma)
{
	for (int ac = 0; ac < 2; ac++)
		xc_huffman_default(&codes[ac], ac, chroma);
}

/* Codes made for random counts, stored; then random bits. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static xc_symbol_counts counts;
	static xc_code_set set;
	uint8_t stored[XC_STORED_SET_BYTES];
	xc_huffman_code before[2];
	uint64_t seed = i;

	memset(&counts, 0, sizeof counts);
	for (uint32_t s = 0; s < XC_DC_SYMBOLS; s++)
		counts.dc[s] = check_below(&seed, 3) ? 0 : check_below(&seed, 1000);
	for (uint32_t c = 0; c < XC_AC_CONTEXTS; c++)
		for (uint32_t s = 0; s < XC_AC_SYMBOLS; s++)
			counts.ac[c][s] = check_below(&seed, 4) ? 0
			                                        : check_below(&seed, 100000 >> (s * c % 17));
	built_in_codes(before, i & 1);
	xc_code_set_build(&set, &counts, 1 + i % XC_AC_CONTEXTS);
	out->size = 0;
	xc_bytes_add_u8(out, i);
	xc_bytes_add_u8(out, (uint32_t)check_random(&seed));
	xc_bytes_add(out, stored, xc_code_set_write(&set, before, stored));
	for (int k = 0; k < 300; k++)
		xc_bytes_add_u8(out, (uint32_t)check_random(&seed));
}

/* Lengths of 16 bits can be read, but are never stored. */
static int can_be_stored(const xc_code_set *set)
{
	int max = 0;

	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		max = set->dc.length[s] > max ? set->dc.length[s] : max;
	for (uint32_t c = 0; c < set->ac_codes; c++)
		for (int s = 0; s < XC_AC_SYMBOLS; s++)
			max = set->ac[c].length[s] > max ? set->ac[c].length[s] : max;
	return max <= XC_MAX_STORED_LENGTH;
}

static void store_again(const xc_code_set *set, const xc_huffman_code before[2], size_t taken)
{
	uint8_t stored[XC_STORED_SET_BYTES];
	static xc_code_set again;
	const size_t n = xc_code_set_write(set, before, stored);

	FUZZ_CHECK(n && n <= sizeof stored && n <= taken, "%zu bytes became %zu", taken, n);
	FUZZ_CHECK(xc_code_set_read(&again, before, stored, n) == n, "%zu bytes are no set", n);
	FUZZ_CHECK(!memcmp(set, &again, sizeof again), "another set");
	FUZZ_CHECK(!xc_code_set_read(&again, before, stored, n - 1), "a byte less is a set");
}

/* 1: the segment is right. */
static int decode32(const uint8_t *data, size_t size, const xc_decode_tables *tables, int32_t *out)
{
	xc_stream32 s = {0};

	xc_bit_reader_init(&s.reader, data, size, data + size);
	xc_stream_begin(&s, tables, out, BLOCKS);
	xc_stream_finish32(&s);
	return !s.bad && xc_bit_reader_at_end(&s.reader);
}

static int decode16(const xc_entropy_level *level, const uint8_t *data, size_t size,
                    const xc_decode_tables *tables, int16_t *out)
{
	static int16_t other[BLOCKS * 64 + 1];
	xc_stream16 a = {0}, b = {0};

	xc_bit_reader_init(&a.reader, data, size, data + size);
	xc_bit_reader_init(&b.reader, data, size, data + size);
	xc_stream_begin(&a, tables, out, BLOCKS);
	xc_stream_begin(&b, tables, other, BLOCKS);
	level->run_two(&a, &b);
	level->finish(&a);
	level->finish(&b);
	FUZZ_CHECK(a.bad == b.bad && !memcmp(out, other, BLOCKS * 64 * sizeof *out),
	           "two at once differ");
	return !a.bad && xc_bit_reader_at_end(&a.reader);
}

/* Where 16 bits a coefficient are enough, 32 give the same. */
static void decode(const uint8_t *data, size_t size, const xc_code_set *set, xc_value_points points,
                   unsigned choice)
{
	static xc_decode_tables tables;
	static int32_t depth16[BLOCKS * 64 + 1];
	static int16_t narrow[BLOCKS * 64 + 1];
	xc_cpu cpu = (xc_cpu)(choice % XC_CPU_LEVELS);

	while (!xc_cpu_usable(cpu))
		cpu = (xc_cpu)((cpu + 1) % XC_CPU_LEVELS);
	xc_decode_tables_init(&tables, set, points);
	const int right32 = decode32(data, size, &tables, depth16);
	const int right16 = decode16(xc_entropy_level_get(cpu, 0), data, size, &tables, narrow);
	FUZZ_CHECK(right32 || !right16, "16 bits accept what 32 do not");
	for (int i = 0; right16 && i < BLOCKS * 64; i++)
		FUZZ_CHECK(i % 64 == 0 || depth16[i] == narrow[i], "coefficient %d: %d and %d", i,
		           (int)narrow[i], (int)depth16[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static xc_code_set set;
	xc_huffman_code before[2];

	if (size < 2)
		return 0;
	const xc_value_points points = {(int8_t)((data[1] & 15) - 8), (int8_t)((data[1] >> 4) - 8)};
	built_in_codes(before, data[0] & 1);
	const size_t taken = xc_code_set_read(&set, before, data + 2, size - 2);
	if (!taken || points.one < -XC_MAX_POINT || points.more < -XC_MAX_POINT)
		return 0;
	if (can_be_stored(&set))
		store_again(&set, before, taken);
	OWN_MEMORY uint8_t *bits = xc_test_copy(data + 2 + taken, size - 2 - taken);
	decode(bits, size - 2 - taken, &set, points, data[0] >> 1);
	return 0;
}
