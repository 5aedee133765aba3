/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rANS mode: every level writes the same bytes and gives the coefficients back, for all
 * shapes, kinds of coefficients and both widths; the reference decoder agrees; what is damaged
 * is found or harmless.
 */
#include <stdlib.h>
#include <string.h>

#include "src/container/segment.h"
#include "src/core/cpu.h"
#include "src/encode/decide.h"
#include "tests/format/refdec_compare.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

static uint64_t seed = 11;
static xc_rans_tables tables;

/* NULL: this processor has no such level, or it is that of another. */
static const xc_rans_level *level_of(xc_cpu cpu)
{
	const xc_rans_level *level = xc_cpu_usable(cpu) ? xc_rans_level_get(cpu, 0) : NULL;

	return cpu != XC_CPU_SCALAR && level == xc_rans_scalar ? NULL : level; /* once is enough */
}

/* ------------------------------------------------------------------ shapes and coefficients */

/* h, v: luma blocks across and down an MCU; 0: grey. */
typedef struct kind {
	uint32_t wide, high, h, v;
} kind;

static const kind kinds[] = {
	{1, 1, 0, 0},    {16, 16, 0, 0},  {64, 16, 0, 0},  {5, 33, 0, 0},
	{256, 16, 0, 0}, {1, 4096, 0, 0}, {4096, 1, 0, 0}, {1, 1, 2, 2},
	{8, 8, 2, 2},    {16, 5, 2, 2},   {3, 13, 2, 2},   {16, 16, 2, 1},
	{7, 9, 2, 1},    {16, 16, 1, 1},  {32, 17, 1, 1},  {2, 1, 1, 1},
};

enum content { ZEROS, SPARSE, NATURAL, DENSE, EXTREME, CONTENTS };

/* A coefficient of a place, u and v its frequencies. */
static int32_t coefficient(enum content content, int place, int depth16)
{
	const int u = place / 8, v = place % 8;
	const uint32_t max = depth16 ? (1u << 24) - 1 : 2047;
	int32_t magnitude = 0;

	switch (content) {
	case SPARSE:
		magnitude = check_below(&seed, 50) == 0;
		break;
	case NATURAL:
		if (!check_below(&seed, (uint32_t)(1 + (u + v) * (u + v) / 2)))
			magnitude = (int32_t)check_below(&seed, 60u / (uint32_t)(1 + u + v) + 2);
		break;
	case DENSE:
		magnitude = (int32_t)check_below(&seed, depth16 ? 1u << check_below(&seed, 24) : 40);
		break;
	case EXTREME:
		magnitude = check_below(&seed, 2) ? (int32_t)max : (int32_t)check_below(&seed, max);
		break;
	default:
		break;
	}
	return check_below(&seed, 2) ? -magnitude : magnitude;
}

typedef struct segment {
	xc_rans_shape shape;
	int depth16;
	size_t bytes; /* of the coefficients */
	void *blocks, *back, *scratch;
	uint8_t *out, *other;
	size_t size;
} segment;

/* Memory of exactly this size, aligned, so that the sanitizers see what passes its end. */
static void *memory(size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, size ? size : 1))
		abort();
	return p;
}

static segment make(const kind *k, enum content content, int depth16)
{
	segment s = {.shape = refdec_rans_shape(k->wide, k->high, k->h, k->v), .depth16 = depth16};
	const size_t n = (size_t)s.shape.blocks * 64;

	s.bytes = n * (depth16 ? 4 : 2);
	s.blocks = memory(s.bytes);
	s.back = memory(s.bytes);
	s.scratch = memory(xc_rans_scratch(&s.shape));
	s.out = memory(xc_rans_bound(&s.shape));
	s.other = memory(xc_rans_bound(&s.shape));
	for (size_t i = 0; i < n; i++) {
		const int32_t c = coefficient(content, (int)(i % 64), depth16);
		if (depth16)
			((int32_t *)s.blocks)[i] = c;
		else
			((int16_t *)s.blocks)[i] = (int16_t)c;
	}
	return s;
}

static void drop(segment *s)
{
	free(s->blocks);
	free(s->back);
	free(s->scratch);
	free(s->out);
	free(s->other);
}
#define OWN_SEGMENT __attribute__((cleanup(drop))) segment

/* ---------------------------------------------------------------------------------- cases */

static int32_t value_at(const void *blocks, size_t i, int depth16)
{
	return depth16 ? ((const int32_t *)blocks)[i] : ((const int16_t *)blocks)[i];
}

static void put_value(void *blocks, size_t i, int depth16, int32_t value)
{
	if (depth16)
		((int32_t *)blocks)[i] = value;
	else
		((int16_t *)blocks)[i] = (int16_t)value;
}

/* From sixteenths of a step to values: the points are those of no one's tables, 0. */
static void to_values(const segment *s, void *blocks)
{
	for (size_t i = 0; i < (size_t)s->shape.blocks * 64; i++) {
		if (s->depth16)
			((int32_t *)blocks)[i] /= 16;
		else
			((int16_t *)blocks)[i] /= 16;
	}
}

static int decode(const xc_rans_level *level, const xc_rans_tables *with, const segment *s,
                  const uint8_t *data, size_t size)
{
	int good;
	void *blocks = s->back;

	level[s->depth16].decode(with, &s->shape, 1, &data, &size, &blocks, &good);
	return good;
}

/* The reference decoder agrees about a segment with the built-in frequencies. */
static void check_plain(segment *s, const uint8_t *data, size_t size)
{
	const int good = decode(xc_rans_scalar, &tables, s, data, size);
	const char *objection = refdec_rans_objection(good, s->back, s->depth16, &s->shape, NULL, 0,
	                                              data, size);

	CHECK(!objection, "%s", objection);
}

/* Codes and decodes with every level; the first one's bytes are everyone's. */
static void check_segment(segment *s)
{
	int first = 1;

	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		const xc_rans_level *level = level_of((xc_cpu)cpu);
		if (!level)
			continue;
		uint8_t *out = first ? s->out : s->other;
		const char *name = xc_cpu_name((xc_cpu)cpu);
		const size_t size = level[s->depth16].encode(&tables, &s->shape, s->blocks, s->scratch,
		                                             out);
		REQUIRE(size <= xc_rans_bound(&s->shape), "%s: %zu bytes", name, size);
		if (first)
			s->size = size;
		CHECK(size == s->size && !memcmp(out, s->out, size), "%s: other bytes, %zu and %zu", name,
		      size, s->size);
		first = 0;
		OWN_MEMORY uint8_t *exact = memory(s->size);
		memcpy(exact, s->out, s->size);
		memset(s->back, 0x55, s->bytes);
		CHECK(decode(level, &tables, s, exact, s->size), "%s: damaged", name);
		to_values(s, s->back);
		CHECK(!memcmp(s->back, s->blocks, s->bytes), "%s: other coefficients", name);
	}
	check_plain(s, s->out, s->size);
}

static void round_trip(int depth16)
{
	for (size_t k = 0; k < COUNT(kinds); k++) {
		for (int content = 0; content < CONTENTS; content++) {
			OWN_SEGMENT s = make(&kinds[k], (enum content)content, depth16);
			check_segment(&s);
		}
	}
}

/* All levels find the same of a damaged segment: that it is, and if not, the same coefficients. */
static void check_damaged(segment *s, const uint8_t *data, size_t size)
{
	OWN_MEMORY uint8_t *exact = memory(size);
	OWN_MEMORY void *expected = memory(s->bytes);
	int good = -1;

	memcpy(exact, data, size);
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		const xc_rans_level *level = level_of((xc_cpu)cpu);
		if (!level)
			continue;
		const int found = decode(level, &tables, s, exact, size);
		if (good < 0) {
			good = found;
			memcpy(expected, s->back, s->bytes);
		}
		CHECK(found == good && !memcmp(expected, s->back, s->bytes), "%s: %d, not %d",
		      xc_cpu_name((xc_cpu)cpu), found, good);
	}
	check_plain(s, exact, size);
}

static void damage(int depth16)
{
	for (unsigned round = 0; round < check_repeats(400); round++) {
		static const kind small[] = {{4, 4, 0, 0}, {3, 2, 2, 2}, {2, 17, 1, 1}};
		OWN_SEGMENT s = make(&small[round % 3], (enum content)(round % CONTENTS), depth16);
		check_segment(&s);
		const uint32_t byte = check_below(&seed, (uint32_t)s.size);
		s.out[byte] ^= (uint8_t)(1 << check_below(&seed, 8));
		check_damaged(&s, s.out, s.size);
		check_damaged(&s, s.out, check_below(&seed, (uint32_t)s.size));
	}
}

/* A shorter segment, or one with a byte too many, is damaged. */
static void wrong_size(int depth16)
{
	static const kind small = {3, 3, 2, 2};
	OWN_SEGMENT s = make(&small, NATURAL, depth16);

	check_segment(&s);
	for (size_t size = 0; size < s.size; size++)
		CHECK(!decode(xc_rans_scalar, &tables, &s, s.out, size), "%zu of %zu bytes", size, s.size);
	s.out[s.size] = 0;
	CHECK(!decode(xc_rans_scalar, &tables, &s, s.out, s.size + 1), "a zero more");
}

/* What all symbols cost, in bytes. */
static double cost_of(const xc_rans_counts *counts, const xc_rans_tables *with)
{
	uint64_t cost[XC_RANS_SETS][2];
	double sum = 0;

	for (int chroma = 0; chroma < 2; chroma++) {
		xc_rans_costs(counts, with, chroma, cost);
		for (int i = 0; i < XC_RANS_SETS; i++)
			sum += (double)(cost[i][0] + cost[i][1]);
	}
	return sum / 65536 / 8;
}

/* Tables made for a segment make it smaller by what xc_rans_cost() says. */
static void own_tables(int depth16)
{
	static xc_rans_frequencies own;
	static xc_rans_counts counts;
	OWN_MEMORY xc_rans_tables *made = memory(sizeof *made);
	OWN_SEGMENT s = make(&kinds[2], DENSE, depth16);

	check_segment(&s);
	memset(&counts, 0, sizeof counts);
	xc_rans_scalar[depth16].count(&tables, &s.shape, s.blocks, s.scratch, &counts);
	xc_rans_fit(&counts, &own);
	CHECK(xc_rans_tables_init(made, &own), "no tables");
	const size_t size = xc_rans_scalar[depth16].encode(made, &s.shape, s.blocks, s.scratch,
	                                                   s.other);
	const double expected = cost_of(&counts, &tables) - cost_of(&counts, made),
				 found = (double)s.size - (double)size;
	CHECK(found > expected - 40 && found < expected + 40, "%g bytes smaller, not %g", found,
	      expected);
	CHECK(decode(xc_rans_scalar, made, &s, s.other, size), "damaged");
	to_values(&s, s.back);
	CHECK(!memcmp(s.back, s.blocks, s.bytes), "other coefficients");
}

/* All levels decide alike, and what they choose takes fewer bits than rounding. */
static void decisions(int depth16)
{
	static xc_rans_frequencies builtin;
	OWN_MEMORY xc_rans_decision *d = memory(sizeof *d);
	OWN_SEGMENT s = make(&kinds[10], NATURAL, depth16);
	const size_t n = (size_t)s.shape.blocks * 64;
	OWN_MEMORY void *parts = memory(s.bytes), *first = memory(s.bytes);

	for (size_t i = 0; i < n; i++) {
		const int32_t noise = (int32_t)check_below(&seed, 16) - 8;
		const int32_t v = 16 * value_at(s.blocks, i, depth16);
		put_value(parts, i, depth16, v == 0 && noise == -8 ? 0 : v + noise);
	}
	xc_rans_builtin_frequencies(&builtin);
	xc_rans_decision_init(d, &builtin, 28);
	d->points[0] = d->points[1] = (xc_value_points){1, -1};
	OWN_MEMORY uint16_t *factors = memory(s.shape.blocks * sizeof *factors);
	for (uint32_t i = 0; i < s.shape.blocks; i++)
		factors[i] = (uint16_t)(8 + check_below(&seed, 57));
	const size_t rounded = xc_rans_scalar[depth16].encode(&tables, &s.shape, s.blocks, s.scratch,
	                                                      s.out);
	int have = 0;
	xc_offsets wanted[2], offsets[2];
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		memcpy(s.back, parts, s.bytes);
		memset(offsets, 0, sizeof offsets);
		xc_rans_decide_get((xc_cpu)cpu, depth16)(&tables, d, &s.shape, factors, s.scratch, s.back,
		                                         offsets);
		if (!have) {
			memcpy(first, s.back, s.bytes);
			memcpy(wanted, offsets, sizeof offsets);
		}
		CHECK(!memcmp(first, s.back, s.bytes), "%s decides otherwise", xc_cpu_name((xc_cpu)cpu));
		CHECK(!memcmp(wanted, offsets, sizeof offsets), "%s: offsets", xc_cpu_name((xc_cpu)cpu));
		have = 1;
	}
	const size_t size = xc_rans_scalar[depth16].encode(&tables, &s.shape, first, s.scratch, s.out);
	CHECK(size < rounded, "%zu bytes, %zu rounded", size, rounded);
	/* The nearest value, the one below, or 0. */
	for (size_t i = 0; i < n; i++) {
		const int32_t c = value_at(parts, i, depth16), v = value_at(first, i, depth16);
		const int32_t size_of = c < 0 ? -c : c, nearest = (size_of + 8) / 16;
		const int32_t magnitude = v < 0 ? -v : v;
		CHECK(!v || (c < 0) == (v < 0), "a sign");
		CHECK(magnitude == nearest || (i % 64 && (!v || magnitude == nearest - 1)),
		      "%d of %d sixteenths", v, c);
	}
}

/* As many at once as there may be, some of them damaged: each comes out as it does alone. */
static void several(int depth16)
{
	enum { MAX = 9 };

	for (int round = 0; round < 30; round++) {
		const int count = 1 + round % MAX;
		segment s[MAX];
		const uint8_t *data[MAX];
		size_t size[MAX];
		void *to[MAX];
		int good[MAX], expected[MAX];
		for (int i = 0; i < count; i++) {
			s[i] = make(&kinds[round < 20 ? 9 : 10], (enum content)((round + i) % CONTENTS),
			            depth16);
			check_segment(&s[i]);
			if (round >= 15 && check_below(&seed, 2))
				s[i].out[check_below(&seed, (uint32_t)s[i].size)] ^= 16;
			data[i] = s[i].out;
			size[i] = check_below(&seed, 9) ? s[i].size : check_below(&seed, (uint32_t)s[i].size);
			expected[i] = decode(xc_rans_scalar, &tables, &s[i], data[i], size[i]);
			memcpy(s[i].blocks, s[i].back, s[i].bytes);
			to[i] = s[i].back;
		}
		for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
			const xc_rans_level *level = level_of((xc_cpu)cpu);
			if (!level)
				continue;
			level[depth16].decode(&tables, &s[0].shape, count, data, size, to, good);
			for (int i = 0; i < count; i++)
				CHECK(good[i] == expected[i] && !memcmp(s[i].back, s[i].blocks, s[i].bytes),
				      "%s: segment %d of %d", xc_cpu_name((xc_cpu)cpu), i, count);
		}
		for (int i = 0; i < count; i++)
			drop(&s[i]);
	}
}

/* Stored frequencies come back, and pay. */
static void stored(int depth16)
{
	static xc_rans_frequencies builtin, own, back;
	static xc_rans_counts counts;
	uint8_t data[XC_RANS_STORED_BYTES];
	OWN_SEGMENT s = make(&kinds[14], DENSE, depth16);

	memset(&counts, 0, sizeof counts);
	xc_rans_scalar[depth16].count(&tables, &s.shape, s.blocks, s.scratch, &counts);
	const size_t size = xc_rans_store(&counts, 2, &own, data);
	CHECK(size <= sizeof data, "%zu bytes", size);
	CHECK(xc_rans_load(data, size, 2, &back), "not loaded");
	CHECK(!memcmp(&own, &back, sizeof own), "other frequencies");
	xc_rans_builtin_frequencies(&builtin);
	const uint64_t before = xc_rans_cost(&counts, &builtin), after = xc_rans_cost(&counts, &own);
	CHECK(after + ((uint64_t)size << 19) < before, "%g bits, %g before", (double)after / 65536,
	      (double)before / 65536);
	for (size_t n = 0; n < size; n++)
		CHECK(!xc_rans_load(data, n, 2, &back), "%zu of %zu bytes", n, size);
	xc_rans_tables *t = memory(sizeof *t);
	for (unsigned round = 0; round < check_repeats(2000); round++) {
		data[check_below(&seed, (uint32_t)size)] = (uint8_t)check_below(&seed, 256);
		CHECK(!xc_rans_load(data, size, 2, &back) || xc_rans_tables_init(t, &back),
		      "frequencies that cannot be");
	}
	free(t);
}

static void bad_frequencies(void)
{
	static xc_rans_frequencies f;
	OWN_MEMORY xc_rans_tables *t = memory(sizeof *t);

	xc_rans_builtin_frequencies(&f);
	f.of[1][0][3][1]++;
	CHECK(!xc_rans_tables_init(t, &f), "a sum of 4097");
	f.of[1][0][3][1]--;
	f.of[0][XC_RANS_FLAG_SET][0][0] = XC_RANS_ONE;
	f.of[0][XC_RANS_FLAG_SET][0][1] = 0;
	CHECK(!xc_rans_tables_init(t, &f), "a frequency of 0");
}

int main(void)
{
	static xc_rans_frequencies builtin;

	xc_rans_builtin_frequencies(&builtin);
	if (!xc_rans_tables_init(&tables, &builtin))
		return 1;
	RUN_FOR("16 bits", 0, round_trip, damage, wrong_size, own_tables, decisions, several, stored);
	RUN_FOR("32 bits", 1, round_trip, damage, wrong_size, own_tables, decisions, several, stored);
	RUN(bad_frequencies);
	return check_done();
}
