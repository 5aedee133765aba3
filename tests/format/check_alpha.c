/* SPDX-License-Identifier: BSD-2-Clause */
/* The coder of alpha: samples of any size and kind come back, segments are small where they should
 * be, and any bytes are decoded within bounds. */
#include <stdlib.h>
#include <string.h>

#include "entropy/plane.h"
#include "src/container/segment.h"
#include "tests/support/codec.h"

static uint64_t seed = 5;

enum { CONSTANT, OPAQUE, EDGES, RAMPS, NOISE, DOUBLED, SPARSE, FAINT, DITHERED, KINDS };

static uint32_t sample_of(int kind, uint32_t max, size_t x, size_t y)
{
	const uint32_t r = check_below(&seed, max + 1);

	switch (kind) {
	case CONSTANT:
		return max / 3;
	case OPAQUE:
		return max;
	case EDGES:
		return x + y < 40 ? 0 : x + y > 44 ? max : max / 4 * (uint32_t)(x + y - 40);
	case RAMPS:
		return (uint32_t)(3 * x + 5 * y + r % 3) & max;
	case DOUBLED:
		return (r & 255) * (max / 255);
	case SPARSE:
		return check_below(&seed, 3000) ? 7 : r;
	case FAINT:
		return max / 2 + r % 32;
	case DITHERED:
		return (uint32_t)(x / 3 + r % 2) & max;
	default:
		return r;
	}
}

static void *make(int kind, size_t width, size_t height, size_t bytes)
{
	uint8_t *samples = xc_test_malloc(width * height * bytes);

	for (size_t i = 0; i < width * height; i++) {
		const uint16_t v = (uint16_t)sample_of(kind, bytes == 1 ? 255 : 65535, i % width,
		                                       i / width);
		if (bytes == 1)
			samples[i] = (uint8_t)v;
		else
			memcpy(samples + 2 * i, &v, 2);
	}
	return samples;
}

/* A segment that is damaged somewhere is decoded within bounds, and alike on all levels. */
static void check_damaged(const uint8_t *segment, size_t size, size_t width, size_t height,
                          size_t bytes, void *scratch)
{
	const size_t n = width * height;
	OWN_MEMORY uint8_t *changed = xc_test_copy(segment, size), *samples = xc_test_malloc(n * bytes);
	OWN_MEMORY uint8_t *first = xc_test_malloc(n * bytes);
	int good = 0;

	for (size_t i = 0; size && i < 4; i++)
		changed[check_below(&seed, (uint32_t)size)] = (uint8_t)check_random(&seed);
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		const int now = xc_entropy_level_get((xc_cpu)cpu, 0)
		                    ->plane_decode(changed, size, changed + size, width, height, bytes,
		                                   scratch, samples);
		CHECK(!cpu || now == good, "level %d: %d, not %d", cpu, now, good);
		CHECK(!cpu || !now || !memcmp(first, samples, n * bytes), "level %d: samples", cpu);
		if (!cpu)
			memcpy(first, samples, now ? n * bytes : 0);
		good = now;
	}
}

/* Codes and decodes at a level, in memory of just the sizes; returns the bytes of the segment. */
static size_t round_trip_at(const xc_entropy_level *level, const void *samples, size_t width,
                            size_t height, size_t bytes)
{
	const size_t n = width * height;
	OWN_MEMORY void *scratch = xc_test_malloc(xc_plane_scratch(n, bytes));
	OWN_MEMORY uint8_t *out = xc_test_malloc(xc_plane_bound(n, bytes));
	OWN_MEMORY uint8_t *other = xc_test_malloc(xc_plane_bound(n, bytes));
	const size_t size = level->plane_encode(samples, width, height, bytes, scratch, out);
	const size_t usual = xc_plane_encode(samples, width, height, bytes, scratch, other);
	OWN_MEMORY uint8_t *segment = xc_test_copy(out, size), *again = xc_test_malloc(n * bytes);
	const int good = level->plane_decode(segment, size, segment + size, width, height, bytes,
	                                     scratch, again);

	CHECK(size == usual && !memcmp(out, other, size), "%zu bytes, not %zu", size, usual);
	CHECK(good && !memcmp(samples, again, n * bytes), "%zu x %zu, %zu bytes: %s", width, height,
	      bytes, good ? "other samples" : "damaged");
	CHECK(size <= 1 + n * bytes, "%zu bytes for %zu", size, n * bytes);
	/* No shorter one is right, nor a longer one. */
	for (size_t cut = 1; cut < 4 && cut + 3 < size; cut++) {
		OWN_MEMORY uint8_t *shorter = xc_test_copy(segment, size - cut);
		CHECK(!level->plane_decode(shorter, size - cut, shorter + size - cut, width, height, bytes,
		                           scratch, again),
		      "%zu bytes less", cut);
	}
	check_damaged(segment, size, width, height, bytes, scratch);
	return size;
}

static size_t round_trip(const void *samples, size_t width, size_t height, size_t bytes)
{
	size_t size = 0;

	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++)
		if (xc_cpu_usable((xc_cpu)cpu))
			size = round_trip_at(xc_entropy_level_get((xc_cpu)cpu, 0), samples, width, height,
			                     bytes);
	return size;
}

static void sizes(void)
{
	static const size_t of[][2] = {{1, 1}, {1, 3},  {2, 1},   {1, 2},    {7, 1},    {1, 9},
	                               {8, 8}, {17, 3}, {33, 31}, {176, 32}, {513, 16}, {512, 512}};

	for (size_t i = 0; i < COUNT(of); i++) {
		for (int kind = 0; kind < KINDS; kind++) {
			for (size_t bytes = 1; bytes < 3; bytes++) {
				OWN_MEMORY void *samples = make(kind, of[i][0], of[i][1], bytes);
				const size_t size = round_trip(samples, of[i][0], of[i][1], bytes);
				if (kind == OPAQUE)
					CHECK(size == 0, "%zu bytes", size);
				if (kind == CONSTANT)
					CHECK(size == 1, "%zu bytes", size);
			}
		}
	}
}

/* Small where samples can be predicted, and where the bytes of each are equal. */
static void small_segments(void)
{
	for (size_t bytes = 1; bytes < 3; bytes++) {
		static const size_t max[KINDS] = {1, 0, 400, 2200, 5633, 5634, 200, 4500, 1700};
		for (int kind = 0; kind < KINDS; kind++) {
			OWN_MEMORY void *samples = make(kind, 176, 32, bytes);
			const size_t size = round_trip(samples, 176, 32, bytes);
			CHECK(size <= max[kind] * (kind == DOUBLED ? 1 : bytes), "kind %d: %zu bytes", kind,
			      size);
		}
	}
}

/* Any bytes: damaged or not, within bounds. */
static void any_bytes(void)
{
	uint8_t segment[300], scratch[4096], samples[2 * 99];
	int good = 0;
	_Static_assert(sizeof scratch > 99 * 10 + 20, "room");

	for (int i = 0; i < 200000; i++) {
		const size_t size = check_below(&seed, 40), bytes = 1 + check_below(&seed, 2);
		uint8_t *exact;
		for (size_t k = 0; k < size; k++)
			segment[k] = (uint8_t)check_random(&seed);
		segment[0] = (uint8_t)check_below(&seed, 6);
		if (check_below(&seed, 2))
			memcpy(segment + 1, "\1\x11", 2); /* two symbols of a bit each */
		exact = xc_test_copy(segment, size);
		good += xc_plane_decode(exact, size, exact + size, 11, 1 + check_below(&seed, 9), bytes,
		                        scratch, samples);
		free(exact);
	}
	CHECK(good > 1000, "only %d were right", good);
}

int main(void)
{
	RUN(sizes, small_segments, any_bytes);
	return check_done();
}
