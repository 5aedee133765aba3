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

/* Both decoders on one file. good: 0: it may be damaged. */
static void compare(xc_context *c, const uint8_t *file, size_t size, const char *what, int good)
{
	xc_picture p = {0};
	const xc_status s = xc_decode(c, file, size, NULL, &p);
	const char *objection = refdec_objection(s, &p, file, size, UINT64_C(1) << 24);

	CHECK(s == XC_OK || !good, "%s: %s", what, xc_context_message(c));
	CHECK(!objection, "%s, %s: %s", what, xc_context_cpu(c), objection);
	xc_picture_free(c, &p);
}

static void choose_options(uint64_t *seed, xc_encode_options *o)
{
	static const int qualities[] = {1, 10, 25, 49, 50, 75, 90, 100};

	xc_encode_options_default(o);
	o->mode = XC_MODE_LOSSY;
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
		compare(c, file.data, file.size, what, 1);
	xc_buffer_free(c, &file);
	free(p.data);
}

/* Sample c of colour i of a palette; alpha, the fourth, is 77 where there is alpha. */
static uint8_t colour_sample(uint32_t i, uint32_t c, uint32_t channels)
{
	return (uint8_t)(c == 3 ? (channels % 2 ? 255 : 77) : i + (channels > 2 ? 50 * c : 0));
}

/* Changes a picture to a drawing, to few values, to a constant channel, or to the palette's colours. */
static void change(xc_picture *p, uint32_t kind, uint64_t seed)
{
	const uint32_t bytes = p->depth / 8, n = p->width * p->channels;
	const uint32_t least = 1 + check_below(&seed, 12), colours = 2 + check_below(&seed, 12);

	for (uint32_t i = 0; i < p->height * n && kind; i++) {
		uint8_t *s = (uint8_t *)p->data + i / n * p->stride + i % n * bytes;
		const uint32_t x = i % n / p->channels, c = i % p->channels, y = i / n;
		const uint32_t v = s[0] | (bytes > 1 ? (uint32_t)s[1] << 8 : 0);
		const uint32_t bar = (x / least + y / (least + 2) * 5) % colours;
		const uint32_t drawn = (x * 31 + y * 17) % 97 < 3 ? v : bar * (bytes > 1 ? 4001 : 19) + c;
		const uint32_t changed = kind == 1   ? drawn
		                         : kind == 2 ? (v >> (8 * bytes - 6)) * (bytes > 1 ? 1013 : 4)
		                         : kind == 3 ? (c ? v >> 8 * (bytes - 1) & 7 : 5)
		                                     : colour_sample(*(s - c), p->channels == 2 ? 3 * c : c,
		                                                     p->channels);
		s[0] = (uint8_t)changed;
		if (bytes > 1)
			s[1] = (uint8_t)(changed >> 8);
	}
}

/* A picture without loss, or nearly, then damaged: both refuse it or neither. */
static void one_exact(xc_context *c, uint32_t width, uint32_t height, uint64_t seed)
{
	const uint32_t channels = 1 + check_below(&seed, 4), depth = check_below(&seed, 2) ? 16 : 8;
	const uint32_t kind = check_below(&seed, depth == 8 ? 5 : 4);
	OWN_PICTURE p = kind ? xc_smooth_picture(width, height, channels, depth, seed)
	                     : xc_sample_picture(width, height, channels, depth, 3, seed);
	uint8_t colours[1024];
	const xc_metadata m = {.palette = {colours, kind == 4 ? 1024 : 0}, .palette_bits = 8};
	xc_encode_options o;
	char what[100];
	OWN_BUFFER(c, file);

	xc_encode_options_default(&o);
	o.mode = XC_MODE_LOSSLESS;
	o.effort = (int)check_below(&seed, XC_MOST_EFFORT + 1);
	o.max_error = check_below(&seed, 3) || kind == 4 ? 0 : 1 + check_below(&seed, depth * depth);
	for (uint32_t i = 0; i < 1024; i++)
		colours[i] = colour_sample(i / 4, i % 4, channels);
	change(&p, kind, seed);
	snprintf(what, sizeof what, "%ux%u, %u channels of %u, kind %u, effort %d, error %u", width,
	         height, channels, depth, kind, o.effort, o.max_error);
	next_level(c, check_below(&seed, XC_CPU_LEVELS));
	REQUIRE_OK(c, xc_encode(c, &p, kind == 4 ? &m : NULL, &o, &file));
	next_level(c, check_below(&seed, XC_CPU_LEVELS));
	compare(c, file.data, file.size, what, 1);
	for (int i = 0; i < 4; i++) {
		file.data[file.size - 14 - check_below(&seed, file.size / 2)] ^= 1u << i;
		xc_file_fix(file.data, file.size);
		compare(c, file.data, file.size, what, 0);
	}
}

static void exact_pictures(void)
{
	xc_context *c = xc_test_context();

	xc_context_set_threads(c, 1);
	for (uint32_t i = 0; i < check_repeats(1000); i++) {
		uint64_t seed = i;
		const uint32_t width = 1 + check_below(&seed, 70), height = 1 + check_below(&seed, 70);
		one_exact(c, width, height, seed);
	}
	for (uint32_t i = 0; i < 12; i++)
		one_exact(c, i % 2 ? 600 - i : 90 + i, i % 2 ? 90 - i : 530 + i, i);
	xc_context_free(c);
}

static void small_pictures(void)
{
	enum { STEP = CHECK_SANITIZED ? 4 : 1 };
	xc_context *c = xc_test_context();

	xc_context_set_threads(c, 1);
	for (uint32_t width = 1; width <= 40; width++)
		for (uint32_t height = 1 + width % STEP; height <= 40; height += STEP)
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

	for (uint32_t i = 0; i < check_repeats(1500); i++) {
		char what[32];
		xc_random_file(&file, i, wild);
		snprintf(what, sizeof what, "random file %u", i);
		xc_context_set_threads(c, 1 + (i % 16 == 0));
		next_level(c, i);
		compare(c, file.data, file.size, what, 1);
	}
	xc_bytes_free(&file);
	xc_context_free(c);
}

int main(void)
{
	RUN(small_pictures, larger_pictures, exact_pictures);
	RUN_FOR("tame", 0, random_files);
	RUN_FOR("wild", 1, random_files);
	return check_done();
}
