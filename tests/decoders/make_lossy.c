/* SPDX-License-Identifier: BSD-2-Clause */
/* Good pictures with loss: shapes, tiles, steps, colours, entropy coding. */
#include "tests/decoders/make.h"

#include <stdlib.h>
#include <string.h>

#include "entropy/huffman.h"

void make_lossy(void)
{
	static const uint32_t sizes[][2] = {{17, 13}, {9, 33},  {40, 21}, {24, 24},
	                                    {31, 8},  {12, 47}, {50, 7}};
	unsigned n = 0;

	for (unsigned t = 0; t < 3; t++)
		for (unsigned shape = 0; shape < 16; shape++, n++) {
			const uint32_t kind = shape % 8, depth = shape < 8 ? 8 : 16;
			const uint32_t channels = kind < 2 ? 1 + kind : 3 + kind % 2;
			const unsigned s = channels < 3 ? 3 : (kind - 2) / 2;
			const int e = (int)(shape + 2 * t + shape / 5) % 5;
			const uint32_t *size = sizes[n % COUNT(sizes)];
			const xc_encode_options o = coding(e, 60 + (int)n % 35, (xc_subsampling)s,
			                                   (xc_transform)t);
			OWN_PICTURE p = xc_smooth_picture(size[0], size[1], channels, depth, n);
			char name[96], text[160];
			xc_bytes f = encoded(&p, NULL, &o);
			if (e == 4 && entropy_of(&f) == 3) {
				const xc_bytes g = with_frequencies(&f, channels < 3 ? 1 : 2);
				xc_bytes_free(&f);
				f = g;
			}
			if (entropy_of(&f) != (uint32_t)e) {
				fprintf(stderr, "entropy %u, not %d\n", entropy_of(&f), e);
				wrong++;
			}
			snprintf(name, sizeof name, "good-lossy-%s%u-%s-%s-%s", channel_names[channels], depth,
			         subsamplings[s], transforms[t], entropies[e]);
			snprintf(text, sizeof text, "%u channels, %u bits, %s, %s, %s", channels, depth,
			         subsamplings[s], transforms[t], entropy_texts[e]);
			put(name, f, text);
		}
}

void make_sizes(void)
{
	static const struct {
		uint32_t width, height, channels, depth;
		xc_subsampling s;
		xc_transform t;
		int entropy;
	} kinds[] = {
		{1, 1, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 3},
		{1, 1, 4, 16, XC_SUBSAMPLING_422, XC_TRANSFORM_LOT, 2},
		{1, 100, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_LOT, 1},
		{300, 1, 3, 8, XC_SUBSAMPLING_422, XC_TRANSFORM_TDLT, 3},
		{257, 2, 1, 8, XC_SUBSAMPLING_GREY, XC_TRANSFORM_DCT, 0},
		{8, 8, 3, 8, XC_SUBSAMPLING_444, XC_TRANSFORM_LOT, 3},
		{16, 16, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 0},
		{15, 17, 3, 8, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 1},
		{2, 3, 3, 16, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 2},
	};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		const xc_encode_options o = coding(kinds[i].entropy, 80, kinds[i].s, kinds[i].t);
		OWN_PICTURE p = xc_smooth_picture(kinds[i].width, kinds[i].height, kinds[i].channels,
		                                  kinds[i].depth, i);
		char name[96], text[160];
		snprintf(name, sizeof name, "good-size-%ux%u-%s", p.width, p.height,
		         subsamplings[kinds[i].s]);
		snprintf(text, sizeof text, "%u x %u pixels, %s, %s, %s", p.width, p.height,
		         subsamplings[kinds[i].s], transforms[kinds[i].t], entropy_texts[kinds[i].entropy]);
		put(name, encoded(&p, NULL, &o), text);
	}
}

void make_tiles(void)
{
	static const struct {
		xc_subsampling s;
		xc_transform t;
		int entropy;
		uint32_t channels, width, rows;
	} kinds[] = {
		{XC_SUBSAMPLING_420, XC_TRANSFORM_DCT, 0, 3, 2, 99},
		{XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT, 3, 3, 3, 1},
		{XC_SUBSAMPLING_422, XC_TRANSFORM_LOT, 1, 3, 4, 2},
		{XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT, 2, 4, 2, 1},
		{XC_SUBSAMPLING_444, XC_TRANSFORM_LOT, 3, 3, 2, 99},
		{XC_SUBSAMPLING_GREY, XC_TRANSFORM_TDLT, 3, 2, 4, 99},
	};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		OWN_BYTES f = tiled(kinds[i].s, kinds[i].t, kinds[i].entropy, kinds[i].channels);
		char name[96], text[160];
		snprintf(name, sizeof name, "good-tiles-%s-%s-%s", subsamplings[kinds[i].s],
		         transforms[kinds[i].t], entropies[kinds[i].entropy]);
		snprintf(text, sizeof text, "many tiles, sizes of %u bytes in the index, %s, %s, %s",
		         kinds[i].width,
		         kinds[i].rows > 9   ? "one piece"
		         : kinds[i].rows > 1 ? "pieces of two rows"
		                             : "pieces of one row",
		         transforms[kinds[i].t], entropy_texts[kinds[i].entropy]);
		put(name, in_pieces(&f, kinds[i].width, kinds[i].rows, tiles_wide(&f)), text);
	}
}

void make_steps(void)
{
	OWN_BYTES rgb = small_file(3, 8, 1);
	OWN_BYTES rgb16 = small_file(3, 16, 3);
	OWN_BYTES grey = small_file(1, 8, 3);
	const struct {
		const char *name;
		const xc_bytes *from;
		uint32_t quality;
		size_t size;
		uint8_t payload[20];
		const char *text;
	} kinds[] = {
		{"k-1", &rgb, 1, 3, {1, 0x88, 0x88}, "preset 1, quality 1"},
		{"k-49", &rgb, 49, 3, {1, 0x88, 0x88}, "preset 1, quality 49"},
		{"k-50-16", &rgb16, 50, 3, {1, 0x88, 0x88}, "preset 1, quality 50, 16 bits"},
		{"k-100", &rgb, 100, 3, {1, 0x88, 0x88}, "preset 1, quality 100"},
		{"k-100-16", &rgb16, 100, 3, {1, 0x88, 0x88}, "preset 1, quality 100, 16 bits"},
		{"flat-1-16", &rgb16, 1, 3, {2, 0x88, 0x88}, "preset 2, quality 1, 16 bits"},
		{"flat-90", &rgb, 90, 3, {2, 0x88, 0x88}, "preset 2, quality 90"},
		{"sloped-0", &rgb, 5, 5, {3, 0, 0, 0x88, 0x88}, "preset 3, scale 0: steps of 1"},
		{"sloped-300", &grey, 5, 4, {3, 44, 1, 0x88}, "preset 3, scale 300, grey"},
		{"sloped-max", &rgb16, 5, 5, {3, 255, 255, 0x88, 0x88}, "preset 3, scale 65535, 16 bits"},
		{"curve",
	     &rgb,
	     5,
	     17,
	     {4, 0, 1, 64, 70, 80, 30, 3, 80, 1, 60, 66, 90, 20, 253, 0x88, 0x88},
	     "preset 4, two curves"},
		{"curve-0",
	     &rgb,
	     5,
	     17,
	     {4, 0, 0, 0, 0, 0, 0, 0, 255, 255, 0, 0, 0, 0, 128, 0x88, 0x88},
	     "preset 4, the minimum of each number"},
		{"curve-max",
	     &rgb16,
	     5,
	     17,
	     {4, 255, 255, 255, 255, 255, 255, 127, 255, 255, 255, 255, 255, 255, 127, 0x88, 0x88},
	     "preset 4, the largest numbers, 16 bits"},
		{"curve-down",
	     &grey,
	     5,
	     9,
	     {4, 0, 2, 64, 64, 64, 0, 128, 0x88},
	     "preset 4, grey, bend -128"},
		{"points-min", &rgb, 30, 3, {1, 0x11, 0x11}, "points of reconstruction -7"},
		{"points-max", &rgb, 30, 3, {1, 0xff, 0xff}, "points of reconstruction 7"},
		{"points-mixed",
	     &rgb16,
	     30,
	     3,
	     {2, 0x1f, 0xa6},
	     "different points of reconstruction, rANS"},
	};
	uint8_t stored[260];

	for (size_t i = 0; i < COUNT(kinds); i++) {
		OWN_BYTES f = with(kinds[i].from, "QNTZ", kinds[i].payload, kinds[i].size);
		char name[96];
		snprintf(name, sizeof name, "good-steps-%s", kinds[i].name);
		put(name, with_byte(&f, "HEAD", 13, kinds[i].quality), kinds[i].text);
	}
	stored[0] = 0;
	stored[1] = 1;
	stored[66] = 2;
	for (unsigned k = 0; k < 64; k++) {
		stored[2 + k] = (uint8_t)(1 + 4 * k);
		stored[67 + 2 * k] = (uint8_t)(k * k);
		stored[68 + 2 * k] = (uint8_t)(k ? k * 4 : 1);
	}
	stored[195] = 0x78;
	stored[196] = 0x97;
	put("good-steps-stored", with(&rgb, "QNTZ", stored, 197),
	    "preset 0, one byte a step for luma and two for chroma");
	put("good-steps-stored-16", with(&rgb16, "QNTZ", stored, 197), "preset 0, 16 bits");
}

void make_colours(void)
{
	static const int16_t none[9] = {8192, 0, 0, 0, 8192, 0, 0, 0, 8192};
	static const int16_t wild[9] = {32767, -32768, 1, -1, 0, 32767, -32768, -32768, 9};
	OWN_PICTURE p = xc_smooth_picture(21, 18, 3, 8, 5);
	OWN_PICTURE p16 = xc_smooth_picture(21, 18, 4, 16, 5);
	OWN_BYTES rgb = small_file(3, 8, 0);
	uint8_t payload[18];

	for (int w = 0; w < 2; w++) {
		for (int i = 0; i < 9; i++) {
			const uint16_t m = (uint16_t)(w ? wild : none)[i];
			payload[2 * i] = (uint8_t)m;
			payload[2 * i + 1] = (uint8_t)(m >> 8);
		}
		put(w ? "good-colours-extreme" : "good-colours-none",
		    with_new(&rgb, "QNTZ", "COLR", payload, 18),
		    w ? "COLR with the minimum and the maximum of its elements"
		      : "COLR that changes nothing");
	}
	for (int i = 0; i < 3; i++) {
		xc_encode_options o = coding(2 + i, 85, XC_SUBSAMPLING_444, (xc_transform)i);
		char name[96];
		o.colour = XC_COLOUR_PICTURE;
		snprintf(name, sizeof name, "good-colours-picture-%s", transforms[i]);
		put(name, encoded(i == 1 ? &p16 : &p, NULL, &o),
		    i == 1 ? "COLR made for the picture, alpha, 16 bits" : "COLR made for the picture");
	}
}

/* ---------------------------------------------------------------- entropy coding */

static uint32_t rank(uint32_t symbol)
{
	const uint32_t run = symbol >> 4, size = symbol & 15;
	return size ? (run + 4) * size : symbol == 0 ? 0 : symbol == 0xf0 ? 18 : 1000;
}

/* A set of six codes of AC that are all the built-in one, whose longest have 16 bits: each length is
 * that of the code before. */
static void add_built_in_set(xc_bytes *out, int chroma)
{
	xc_test_bits w = {.out = out};
	xc_huffman_code dc, ac;

	xc_huffman_default(&dc, 0, chroma);
	xc_huffman_default(&ac, 1, chroma);
	xc_test_bits_put(&w, 5, 3);
	for (uint32_t i = 0; i < 6; i++)
		xc_test_bits_put(&w, 5 - i, 3);
	xc_test_bits_put(&w, 31, 8);
	for (int i = 0; i < 32; i++)
		xc_test_bits_put(&w, 0, 2);
	for (int code = 0; code < 6; code++) {
		xc_test_bits_put(&w, 255, 8);
		for (uint32_t r = 0; r <= 1000; r++)
			for (uint32_t s = 0; s < 256; s++)
				if (rank(s) == r)
					xc_test_bits_put(&w, !ac.length[s], ac.length[s] ? 2 : 1);
	}
	xc_test_bits_put(&w, 0, (8 - w.count) % 8);
}

void make_codes(void)
{
	OWN_BYTES built_in = small_file(3, 8, 0);
	OWN_BYTES grey = small_file(1, 16, 3);
	OWN_BYTES rgb = small_file(3, 8, 3);
	OWN_BYTES sets = {0};

	add_built_in_set(&sets, 0);
	add_built_in_set(&sets, 1);
	OWN_BYTES f = with_byte(&built_in, "HEAD", ENTROPY, 2);
	put("good-huff-16-bits", with_new(&f, "INDX", "HUFF", sets.data, sets.size),
	    "HUFF by context: six codes of AC, lengths of 16, words of the same length");
	put("good-rans-none-stored", with_frequencies(&rgb, 2), "RANS that stores no level");
	put("good-rans-none-stored-grey-16", with_frequencies(&grey, 1),
	    "RANS that stores no level, grey, 16 bits");
	for (unsigned seed = 0; seed < 24; seed++) {
		const int wild = seed % 2;
		OWN_BYTES random = {0};
		char name[96], text[160];
		xc_random_file(&random, 1000 + seed, wild);
		if (random.size > 6000)
			continue;
		snprintf(name, sizeof name, "good-%s-%u", wild ? "wild" : "random", seed);
		snprintf(text, sizeof text,
		         "random tiles, codes, points and ancillary chunks, Huffman coding %u%s",
		         entropy_of(&random),
		         wild ? ", values and steps up to the largest, runs out of the block" : "");
		add(name, &random, text);
	}
}

void make_samples(void)
{
	static const struct {
		uint32_t channels, depth;
		xc_subsampling s;
	} kinds[] = {{3, 8, XC_SUBSAMPLING_444},   {3, 8, XC_SUBSAMPLING_420},
	             {3, 16, XC_SUBSAMPLING_422},  {1, 8, XC_SUBSAMPLING_GREY},
	             {2, 16, XC_SUBSAMPLING_GREY}, {4, 8, XC_SUBSAMPLING_444}};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		xc_encode_options o = coding(1, 100, kinds[i].s, XC_TRANSFORM_DCT);
		OWN_PICTURE p = xc_extreme_picture(18, 11, kinds[i].channels, kinds[i].depth, i);
		xc_buffer made;
		char name[96];
		o.entropy = XC_ENTROPY_RANS;
		o.subsampling = kinds[i].s;
		const xc_status s = xc_encode(context, &p, NULL, &o, &made);
		xc_bytes f = taken(s, &made);
		if (entropy_of(&f) != 5) {
			fprintf(stderr, "samples %zu: entropy %u\n", i, entropy_of(&f));
			xc_bytes_free(&f);
			continue;
		}
		snprintf(name, sizeof name, "good-samples-%s%u-%s", channel_names[p.channels], p.depth,
		         subsamplings[kinds[i].s]);
		put(name, f, "stored samples");
	}
}
