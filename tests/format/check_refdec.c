/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's decoder against the reference decoder (refdec.h): every sample must
 * be equal, whatever the size, the options, the SIMD level and the threads.
 */
#include <stdlib.h>
#include <string.h>

#include "src/core/cpu.h"
#include "tests/format/refdec_compare.h"
#include "tests/support/codec.h"
#include "tests/support/xc_files.h"

/* Takes one level after the other, of those that this machine has. */
static void next_level(xc_context *c, uint32_t i)
{
	while (xc_context_set_cpu(c, xc_cpu_name((xc_cpu)(i % XC_CPU_LEVELS))) == XC_ERR_UNSUPPORTED)
		i++;
}

/* Both decoders on one file. */
static void compare(xc_context *c, const uint8_t *file, size_t size, const char *what)
{
	xc_picture p = {0};
	const xc_status s = xc_decode(c, file, size, NULL, &p);
	const char *objection = refdec_objection(s, &p, file, size, UINT64_C(1) << 24);

	CHECK(s == XC_OK, "%s: %s", what, xc_context_message(c));
	CHECK(!objection, "%s, %s: %s", what, xc_context_cpu(c), objection);
	xc_picture_free(c, &p);
}

static void choose_options(uint64_t *seed, xc_encode_options *o)
{
	static const int qualities[] = {1, 10, 25, 49, 50, 75, 90, 100};

	xc_encode_options_default(o);
	o->quality = qualities[check_below(seed, 8)];
	o->subsampling = (xc_subsampling)check_below(seed, 4);
	o->transform = (xc_transform)check_below(seed, 3);
	o->huffman = (xc_huffman)check_below(seed, 2);
	o->effort = (int)check_below(seed, XC_MOST_EFFORT + 1);
	o->colour = o->subsampling == XC_SUBSAMPLING_444 ? (xc_colour)check_below(seed, 2)
	                                                 : XC_COLOUR_YCBCR;
	o->entropy = (xc_entropy)check_below(seed, 2);
	o->range = check_below(seed, 4) ? 0 : 255 + check_below(seed, 65281);
	o->segment_blocks = check_below(seed, 3) ? 0 : 32 + (int)check_below(seed, 300);
	const uint32_t kind = check_below(seed, 5), max = kind == 2 ? 255 : 65535;
	if (kind == 1)
		xc_quant_tables_flat(&o->tables);
	if (kind == 4)
		xc_quant_tables_sloped(&o->tables);
	for (int i = 0; kind > 1 && kind < 4 && i < 64; i++) {
		o->tables.luma[i] = (uint16_t)(1 + check_below(seed, max));
		o->tables.chroma[i] = (uint16_t)(1 + check_below(seed, max));
	}
}

/* A picture encoded with random options, then decoded. */
static void one(xc_context *c, uint32_t width, uint32_t height, uint64_t seed)
{
	char what[160];
	const uint32_t channels = 1 + check_below(&seed, 4), depth = check_below(&seed, 2) ? 16 : 8;
	const uint32_t kind = check_below(&seed, 3);
	xc_picture p = kind == 0   ? xc_smooth_picture(width, height, channels, depth, seed)
	               : kind == 1 ? xc_extreme_picture(width, height, channels, depth, seed)
	                           : xc_sample_picture(width, height, channels, depth, 3, seed);
	xc_encode_options o;
	xc_buffer file;

	choose_options(&seed, &o);
	snprintf(
		what, sizeof what,
		"%ux%u, %u channels of %u, quality %d, subsampling %d, transform %d, effort %d, colour %d, entropy %d, kind %u",
		width, height, channels, depth, o.quality, (int)o.subsampling, (int)o.transform, o.effort,
		(int)o.colour, (int)o.entropy, kind);
	next_level(c, check_below(&seed, XC_CPU_LEVELS));
	CHECK(xc_encode(c, &p, NULL, &o, &file) == XC_OK, "%s: %s", what, xc_context_message(c));
	next_level(c, check_below(&seed, XC_CPU_LEVELS));
	if (file.data)
		compare(c, file.data, file.size, what);
	xc_buffer_free(c, &file);
	free(p.data);
}

static void small_pictures(void)
{
	xc_context *c = xc_test_context();

	xc_context_set_threads(c, 1);
	for (uint32_t width = 1; width <= 40; width++)
		for (uint32_t height = 1; height <= 40; height++)
			one(c, width, height, width * 100 + height);
	xc_context_free(c);
}

/* Several tiles in both directions, and more than one thread. */
static void larger_pictures(void)
{
	xc_context *c = xc_test_context();

	for (uint32_t i = 0; i < 24; i++) {
		uint64_t seed = i;
		xc_context_set_threads(c, 1 + (int)i % 3);
		one(c, 200 + check_below(&seed, 500), 60 + check_below(&seed, 120), 7777 + i);
		one(c, 1 + check_below(&seed, 30), 300 + check_below(&seed, 900), 8888 + i);
	}
	xc_context_free(c);
}

/* Tile sizes, codes, orders and coefficients that the encoder does not make. */
static void random_files(int wild)
{
	xc_context *c = xc_test_context();
	xc_bytes file = {0};

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

int main(void)
{
	RUN(small_pictures, larger_pictures);
	RUN_FOR("tame", 0, random_files);
	RUN_FOR("wild", 1, random_files);
	return check_done();
}
