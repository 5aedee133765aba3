/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a segment of rANS, for all SIMD levels and the reference decoder, which must agree,
 * and as its stored frequencies. The input: a byte for the shape, one whose bits are the depth, how
 * many segments are decoded at once, and whether frequencies are stored; if so, a byte with their
 * length, and they; the segment.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "src/container/segment.h"
#include "tests/format/refdec_compare.h"
#include "tests/support/check.h"

enum { SEGMENTS = 3 };

/* h, v: luma blocks across and down an MCU; 0: grey. */
static const struct {
	uint32_t wide, high, h, v;
} kinds[] = {{1, 1, 0, 0}, {16, 3, 0, 0}, {3, 17, 0, 0}, {1, 80, 0, 0}, {80, 1, 0, 0},
             {1, 1, 2, 2}, {4, 4, 2, 2},  {3, 5, 2, 1},  {5, 6, 1, 1},  {2, 17, 1, 1}};

typedef struct segment {
	xc_rans_shape shape;
	xc_rans_frequencies frequencies;
	xc_rans_tables tables;
	int depth16, count;
	const uint8_t *stored, *data; /* stored: frequencies, or NULL */
	size_t stored_size, size;
} segment;

static xc_rans_shape shape_of(unsigned kind)
{
	return refdec_rans_shape(kinds[kind].wide, kinds[kind].high, kinds[kind].h, kinds[kind].v);
}

/* 0: too short, or frequencies that nothing stored. */
static int take(const uint8_t *data, size_t size, segment *s)
{
	if (size < 3)
		return 0;
	const size_t stored = data[1] & 8 ? data[2] : 0;
	s->stored = stored ? data + 3 : NULL;
	s->stored_size = stored;
	s->shape = shape_of(data[0] % COUNT(kinds));
	s->depth16 = data[1] & 1;
	s->count = 1 + (data[1] >> 1) % SEGMENTS;
	if (stored > size - 3)
		return 0;
	s->data = data + 3 + stored;
	s->size = size - 3 - stored;
	xc_rans_builtin_frequencies(&s->frequencies);
	if (stored &&
	    !xc_rans_load(data + 3, stored, s->shape.components == 1 ? 1 : 2, &s->frequencies))
		return 0;
	FUZZ_CHECK(xc_rans_tables_init(&s->tables, &s->frequencies), "frequencies do not add up");
	return 1;
}

static void *memory(size_t size)
{
	void *p = NULL;
	FUZZ_CHECK(!posix_memalign(&p, 64, size), "out of memory");
	return p;
}

/* Decodes as many copies as the segment wants, which must be equal; 1: it is good. */
static int decode(const xc_rans_level *level, const segment *s, const uint8_t *exact, void *out)
{
	const size_t bytes = (size_t)s->shape.blocks * 64 * (s->depth16 ? 4 : 2);
	const uint8_t *data[SEGMENTS];
	size_t size[SEGMENTS];
	void *blocks[SEGMENTS];
	int good[SEGMENTS];

	for (int i = 0; i < s->count; i++) {
		data[i] = exact;
		size[i] = s->size;
		blocks[i] = i ? memory(bytes) : out;
	}
	level[s->depth16].decode(&s->tables, &s->shape, s->count, data, size, blocks, good);
	for (int i = 1; i < s->count; i++) {
		FUZZ_CHECK(good[i] == good[0] && (!good[0] || !memcmp(blocks[i], out, bytes)),
		           "segment %d of %d differs", i, s->count);
		free(blocks[i]);
	}
	return good[0];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static segment s;

	if (!take(data, size, &s))
		return 0;
	const size_t bytes = (size_t)s.shape.blocks * 64 * (s.depth16 ? 4 : 2);
	OWN_MEMORY uint8_t *const exact = xc_test_copy(s.data, s.size);
	OWN_MEMORY void *const first = memory(bytes), *const other = memory(bytes);
	const int good = decode(xc_rans_scalar, &s, exact, first);
	for (int cpu = 1; cpu < XC_CPU_LEVELS; cpu++)
		if (xc_cpu_usable((xc_cpu)cpu) && xc_rans_level_get((xc_cpu)cpu, 0) != xc_rans_scalar)
			FUZZ_CHECK(decode(xc_rans_level_get((xc_cpu)cpu, 0), &s, exact, other) == good &&
			               !memcmp(first, other, bytes),
			           "%s: other coefficients", xc_cpu_name((xc_cpu)cpu));
	const char *objection = refdec_rans_objection(good, first, s.depth16, &s.shape, s.stored,
	                                              s.stored_size, exact, s.size);
	FUZZ_CHECK(!objection, "%s", objection);
	return 0;
}

/* Random coefficients of a shape, coded with the built-in frequencies or with their own. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static segment s;
	static xc_rans_counts counts;
	uint8_t stored[XC_RANS_STORED_BYTES];
	uint64_t seed = i;
	size_t length = 0;

	s.shape = shape_of(i % COUNT(kinds));
	s.depth16 = i & 1;
	const size_t n = (size_t)s.shape.blocks * 64;
	OWN_MEMORY void *const blocks = memory(n * (s.depth16 ? 4 : 2));
	for (size_t k = 0; k < n; k++) {
		const int32_t c = check_below(&seed, 1 + (uint32_t)(k % 64) / 4)
		                      ? 0
		                      : (int32_t)check_below(&seed, 2 + i * 20) - (int32_t)i * 10;
		if (s.depth16)
			((int32_t *)blocks)[k] = c;
		else
			((int16_t *)blocks)[k] = (int16_t)c;
	}
	OWN_MEMORY void *const scratch = memory(xc_rans_scratch(&s.shape));
	OWN_MEMORY uint8_t *const coded = xc_test_malloc(xc_rans_bound(&s.shape));
	xc_rans_builtin_frequencies(&s.frequencies);
	xc_rans_tables_init(&s.tables, &s.frequencies);
	if (i % 3 == 0) {
		memset(&counts, 0, sizeof counts);
		xc_rans_scalar[s.depth16].count(&s.tables, &s.shape, blocks, scratch, &counts);
		length = xc_rans_store(&counts, s.shape.components == 1 ? 1 : 2, &s.frequencies, stored);
		if (length > 255)
			xc_rans_builtin_frequencies(&s.frequencies);
		xc_rans_tables_init(&s.tables, &s.frequencies);
	}
	length = length > 255 ? 0 : length;
	out->size = 0;
	xc_bytes_add_u8(out, i % COUNT(kinds));
	xc_bytes_add_u8(out, (uint32_t)s.depth16 | (i / 3 % SEGMENTS) << 1 | (length ? 8 : 0));
	xc_bytes_add_u8(out, (uint32_t)length);
	xc_bytes_add(out, stored, length);
	xc_bytes_add(out, coded,
	             xc_rans_scalar[s.depth16].encode(&s.tables, &s.shape, blocks, scratch, coded));
}
