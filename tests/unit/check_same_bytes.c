/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes and pixels are the same whatever the number of threads, the SIMD level and the
 * padding of the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "src/core/cpu.h"
#include "tests/support/codec.h"

/* Ways to do it: plain C with one thread; each SIMD level, and one, two and seven threads. */
typedef struct way {
	const char *level;
	int threads;
	xc_context *context;
} way;
static way ways[XC_CPU_LEVELS + 2];
static size_t count;

static void add_way(const char *level, int threads)
{
	way *w = &ways[count++];

	*w = (way){level, threads, xc_test_context()};
	if (xc_context_set_threads(w->context, threads) || xc_context_set_cpu(w->context, level))
		abort();
}

static void add_ways(void)
{
	static const int threads[] = {1, 2, 7};

	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++)
		if (xc_cpu_usable((xc_cpu)cpu))
			add_way(xc_cpu_name((xc_cpu)cpu), threads[count % 3]);
	while (count < 3)
		add_way("auto", threads[count]);
}

/* What one way gives. */
typedef struct result {
	const way *way;
	xc_buffer file;
	xc_picture picture;
} result;

static result get(const way *w, const xc_picture *in, const xc_encode_options *o)
{
	result r = {.way = w};

	CHECK_OK(w->context, xc_encode(w->context, in, NULL, o, &r.file));
	CHECK_OK(w->context, xc_decode(w->context, r.file.data, r.file.size, NULL, &r.picture));
	return r;
}

static void done(result *r)
{
	xc_buffer_free(r->way->context, &r->file);
	xc_picture_free(r->way->context, &r->picture);
}
#define OWN_RESULT __attribute__((cleanup(done))) result

static void compare(const result *a, const result *b, const xc_encode_options *o)
{
	const int same_bytes = a->file.size == b->file.size && a->file.size &&
	                       !memcmp(a->file.data, b->file.data, a->file.size);

	CHECK(same_bytes && xc_sample_equal(&a->picture, &b->picture),
	      "%s, %d threads, quality %d, subsampling %d, transform %d, effort %d, entropy %d, colour "
	      "%d: other %s",
	      b->way->level, b->way->threads, o->quality, o->subsampling, o->transform, o->effort,
	      o->entropy, o->colour, same_bytes ? "pixels" : "bytes");
}

/* One picture, done in every way and by plain C with one thread. */
static void all_ways(const xc_picture *in, const xc_encode_options *o)
{
	OWN_RESULT plain = get(&ways[0], in, o);

	for (size_t i = 1; i < count; i++) {
		OWN_RESULT other = get(&ways[i], in, o);
		compare(&plain, &other, o);
	}
}

static void all_options(const xc_picture *in)
{
	static const int qualities[] = {5, 60, 100};
	const int max = in->channels < 3 ? 1 : XC_SUBSAMPLING_GREY + 1;

	for (int s = 0; s < max; s++) {
		for (size_t q = 0; q < COUNT(qualities) * XC_TEST_CODINGS; q++) {
			const size_t i = q % COUNT(qualities);
			const int coding = (int)(q / COUNT(qualities));
			const int rans = coding & XC_TEST_RANS;
			const int has_components = s == XC_SUBSAMPLING_444 && in->channels > 2;
			if ((coding & XC_TEST_COMPONENTS && !has_components) ||
			    (coding & XC_TEST_BUILT_IN && (rans || (i + in->width) % 2)))
				continue;
			const xc_transform transform = (xc_transform)((i + in->channels + (unsigned)s) % 3);
			xc_encode_options o = xc_test_options(qualities[i], (xc_subsampling)s, transform,
			                                      XC_HUFFMAN_OPTIMIZED);
			xc_test_coding(&o, coding);
			o.effort = (int)((2 * i + in->channels + in->height / 2) % (XC_MOST_EFFORT + 1));
			o.segment_blocks = q % 5 == 3 ? 32 + 11 * (int)q : 0;
			all_ways(in, &o);
		}
	}
}

static void size(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
                 uint32_t padding)
{
	check_begin("%ux%u, %u channels of %u bits: %zu ways", width, height, channels, depth, count);
	xc_picture p = xc_test_picture(width, height, channels, depth, padding, 1);
	all_options(&p);
	free(p.data);
	check_end();
}

/* All layouts; odd sizes; several tiles both ways, narrow and low pictures. */
static void all_pictures(void)
{
	static const uint32_t sizes[][2] = {{345, 69}, {1, 1}, {17, 3}, {2, 260}, {600, 5}, {96, 64}};

	for (uint32_t i = 0; i < COUNT(sizes); i++)
		for (uint32_t channels = 1; channels <= 4; channels++)
			size(sizes[i][0], sizes[i][1], channels, i % 2 == channels % 2 || i == 0 ? 8 : 16,
			     2 * (i % 3));
	/* Many tile rows, so that threads meet often. */
	size(40, 400, 3, 8, 0);
	size(345, 69, 3, 16, 0);
}

/* Bytes between rows are neither read into the file nor written by decoding. */
static void padding(void)
{
	for (uint32_t channels = 1; channels <= 4; channels++) {
		xc_encode_options o = xc_test_defaults();
		OWN_PICTURE p = xc_test_picture(77, 41, channels, 16, 0, 1);
		OWN_PICTURE q = xc_test_picture(77, 41, channels, 16, 38, 1);
		OWN_RESULT a = get(&ways[1], &p, &o), b = get(&ways[1], &q, &o);
		compare(&a, &b, &o);
		CHECK_OK(a.way->context, xc_decode(a.way->context, a.file.data, a.file.size, NULL, &q));
		CHECK(xc_sample_equal(&q, &a.picture), "other pixels in padded rows");
		for (uint32_t y = 0; y < q.height; y++) {
			const uint8_t *line = (const uint8_t *)q.data + y * q.stride;
			for (size_t i = p.stride; i < q.stride; i++)
				CHECK(line[i] == 0xee, "row %u: byte %zu was written", y, i);
		}
	}
}

int main(void)
{
	add_ways();
	all_pictures();
	RUN(padding);
	while (count)
		xc_context_free(ways[--count].context);
	return check_done();
}
