/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's decoder against the reference decoder (refdec.h): every sample must
 * be equal, whatever the size, the options, the SIMD level and the threads.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/format/refdec.h"
#include "tests/support/xc_files.h"

static const char *const levels[] = {"scalar", "sse2", "avx2", "avx512", "neon"};
enum { LEVELS = sizeof levels / sizeof *levels };

static uint32_t choose(uint64_t *seed, uint32_t n)
{
	return (uint32_t)((check_random(seed) >> 32) * n >> 32);
}

/* Takes one level after the other, of those that there are. */
static void next_level(xc_context *c, uint32_t i)
{
	while (xc_context_set_cpu(c, levels[i % LEVELS]) == XC_ERR_UNSUPPORTED)
		i++;
}

static uint64_t differences(const xc_picture *p, const refdec_picture *r)
{
	uint64_t n = 0, i = 0;
	if (p->width != r->width || p->height != r->height || p->channels != r->channels ||
	    p->depth != r->depth)
		return UINT64_MAX;
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t ch = 0; ch < p->channels; ch++)
				n += xc_sample_at(p, x, y, ch) != r->samples[i++];
	return n;
}

/* Both decoders on one file. */
static void compare(xc_context *c, const uint8_t *file, size_t size, const char *what)
{
	xc_picture p = {0};
	refdec_picture r;
	const xc_status s = xc_decode(c, file, size, NULL, &p);
	const char *error = refdec_decode(file, size, UINT64_C(1) << 24, &r);
	CHECK(s == XC_OK, "%s: %s", what, xc_context_message(c));
	CHECK(!error, "%s: %s", what, error);
	if (s == XC_OK && !error)
		CHECK(differences(&p, &r) == 0, "%s, %s: %llu samples differ", what, xc_context_cpu(c),
		      (unsigned long long)differences(&p, &r));
	xc_picture_free(c, &p);
	free(r.samples);
}

static void choose_options(uint64_t *seed, xc_encode_options *o)
{
	static const int qualities[] = {1, 10, 25, 49, 50, 75, 90, 100};
	xc_encode_options_default(o);
	o->quality = qualities[choose(seed, 8)];
	o->subsampling = (xc_subsampling)choose(seed, 4);
	o->transform = (xc_transform)choose(seed, 3);
	o->huffman = (xc_huffman)choose(seed, 2);
	const uint32_t kind = choose(seed, 4), most = kind == 2 ? 255 : 65535;
	if (kind == 1)
		xc_quant_tables_flat(&o->tables);
	for (int i = 0; kind > 1 && i < 64; i++) {
		o->tables.luma[i] = (uint16_t)(1 + choose(seed, most));
		o->tables.chroma[i] = (uint16_t)(1 + choose(seed, most));
	}
}

/* A picture encoded with random options, then decoded. */
static void one(xc_context *c, uint32_t width, uint32_t height, uint64_t seed)
{
	char what[160];
	const uint32_t channels = 1 + choose(&seed, 4), depth = choose(&seed, 2) ? 16 : 8;
	const uint32_t kind = choose(&seed, 3);
	xc_picture p = kind == 0   ? xc_smooth_picture(width, height, channels, depth, seed)
	               : kind == 1 ? xc_extreme_picture(width, height, channels, depth, seed)
	                           : xc_sample_picture(width, height, channels, depth, 3, seed);
	xc_encode_options o;
	xc_buffer file;
	choose_options(&seed, &o);
	snprintf(what, sizeof what,
	         "%ux%u, %u channels of %u, quality %d, subsampling %d, transform %d, kind %u", width,
	         height, channels, depth, o.quality, (int)o.subsampling, (int)o.transform, kind);
	next_level(c, choose(&seed, LEVELS));
	CHECK(xc_encode(c, &p, NULL, &o, &file) == XC_OK, "%s: %s", what, xc_context_message(c));
	next_level(c, choose(&seed, LEVELS));
	if (file.data)
		compare(c, file.data, file.size, what);
	xc_buffer_free(c, &file);
	free(p.data);
}

static void small_pictures(void)
{
	xc_context *c = xc_context_new(NULL);
	REQUIRE(c, "out of memory");
	xc_context_set_threads(c, 1);
	for (uint32_t width = 1; width <= 40; width++)
		for (uint32_t height = 1; height <= 40; height++)
			one(c, width, height, width * 100 + height);
	xc_context_free(c);
}

/* Several tiles in both directions, and more than one thread. */
static void larger_pictures(void)
{
	xc_context *c = xc_context_new(NULL);
	REQUIRE(c, "out of memory");
	for (uint32_t i = 0; i < 24; i++) {
		uint64_t seed = i;
		xc_context_set_threads(c, 1 + (int)i % 3);
		one(c, 200 + choose(&seed, 500), 60 + choose(&seed, 120), 7777 + i);
		one(c, 1 + choose(&seed, 30), 300 + choose(&seed, 900), 8888 + i);
	}
	xc_context_free(c);
}

/* Tile sizes, codes, orders and coefficients that the encoder does not make. */
static void random_files(int wild)
{
	xc_context *c = xc_context_new(NULL);
	xc_bytes file = {0};
	REQUIRE(c, "out of memory");
	for (uint32_t i = 0; i < 1500; i++) {
		char what[32];
		xc_random_file(&file, i, wild);
		snprintf(what, sizeof what, "random file %u", i);
		xc_context_set_threads(c, 1 + (i % 16 == 0));
		next_level(c, i);
		compare(c, file.data, file.size, what);
	}
	xc_bytes_free(&file);
	xc_context_free(c);
}

static void tame_random_files(void)
{
	random_files(0);
}

static void wild_random_files(void)
{
	random_files(1);
}

int main(void)
{
	RUN(small_pictures);
	RUN(larger_pictures);
	RUN(tame_random_files);
	RUN(wild_random_files);
	return check_done();
}
