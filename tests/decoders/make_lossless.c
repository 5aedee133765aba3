/* SPDX-License-Identifier: BSD-2-Clause */
/* Good pictures without loss, and alpha. */
#include "tests/decoders/make.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/geometry.h"

/* ----------------------------------------------------------------- lossless */

/* Alpha of a kind; the colour is smooth. */
static void set_alpha(xc_picture *p, int kind)
{
	uint64_t seed = 5;

	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++) {
			const uint32_t v = kind == 0             ? 255
			                   : kind == 1           ? 77
			                   : kind == 2           ? check_below(&seed, 256)
			                   : kind == 3           ? (x + y) * 2 % 256
			                   : (x / 7 + y / 5) % 3 ? 255
			                                         : 0;
			uint8_t *s = (uint8_t *)p->data + y * p->stride +
			             (size_t)x * p->channels * (p->depth / 8) +
			             (size_t)(p->channels - 1) * (p->depth / 8);
			s[0] = (uint8_t)v;
			if (p->depth == 16)
				s[1] = (uint8_t)v;
		}
}

void make_alpha(void)
{
	static const char *const kinds[] = {"opaque", "one-value", "noise", "slope", "mask"};

	for (uint32_t i = 0; i < 10; i++) {
		const xc_encode_options o = coding(i % 2 ? 3 : 1, 40,
		                                   i < 5 ? XC_SUBSAMPLING_420 : XC_SUBSAMPLING_GREY,
		                                   XC_TRANSFORM_DCT);
		OWN_PICTURE p = xc_smooth_picture(41, 37, i < 5 ? 4 : 2, i % 5 && i > 4 ? 16 : 8, 2);
		char name[96], text[96];
		set_alpha(&p, (int)i % 5);
		snprintf(name, sizeof name, "good-alpha-%s-%u", kinds[i % 5], p.depth + p.channels);
		snprintf(text, sizeof text, "lossy, %u bits, alpha: %s", p.depth, kinds[i % 5]);
		put(name, encoded(&p, NULL, &o), text);
	}
}

/* The picture in tiles of 16 x 16 pixels, each coded as a picture of its own. */
static xc_bytes lossless_tiles(const xc_picture *p)
{
	const xc_encode_options o = exactly(2, 0);
	OWN_BYTES index = {0};
	OWN_BYTES data = {0};
	xc_bytes f = {0};

	xc_bytes_add_u8(&index, 2);
	for (uint32_t y = 0; y < p->height; y += 16)
		for (uint32_t x = 0; x < p->width; x += 16) {
			const size_t pixel = (size_t)p->channels * (p->depth / 8);
			const xc_picture tile = {xc_min_u32(16, p->width - x),
			                         xc_min_u32(16, p->height - y),
			                         p->channels,
			                         p->depth,
			                         p->stride,
			                         (uint8_t *)p->data + y * p->stride + x * pixel};
			OWN_BYTES one = encoded(&tile, NULL, &o);
			const xc_file_chunk d = *part(&one, "DATA");
			if (part(&one, "PLTE"))
				abort();
			xc_bytes_add(&data, one.data + d.payload, d.length);
			xc_bytes_add_le16(&index, (uint32_t)d.length);
			xc_bytes_add_le16(&index, 0);
		}
	xc_bytes_add_magic(&f);
	xc_bytes_add_head(&f, &(xc_head){p->width, p->height, p->channels, p->depth,
	                                 p->channels < 3 ? 3 : 2, 3, 6, 75, 2, 2});
	xc_bytes_add_chunk(&f, "INDX", index.data, index.size);
	xc_bytes_add_chunk(&f, "DATA", data.data, data.size);
	xc_bytes_add_chunk(&f, "DONE", NULL, 0);
	xc_file_fix(f.data, f.size);
	return f;
}

void make_lossless(void)
{
	unsigned n = 0;

	for (uint32_t channels = 1; channels <= 4; channels++)
		for (uint32_t depth = 8; depth <= 16; depth += 8)
			for (int effort = 0; effort < 4; effort += 3, n++) {
				const xc_encode_options o = exactly(effort, 0);
				OWN_PICTURE p = xc_smooth_picture(23 + n, 35 - n, channels, depth, n);
				char name[96], text[96];
				snprintf(name, sizeof name, "good-lossless-%s%u-%d", channel_names[channels], depth,
				         effort);
				snprintf(text, sizeof text, "lossless, %u channels, %u bits, effort %d", channels,
				         depth, effort);
				put(name, encoded(&p, NULL, &o), text);
			}
	for (uint32_t i = 0; i < 4; i++) {
		static const uint32_t errors[] = {1, 5, 300, 4095};
		const xc_encode_options o = exactly(2, errors[i]);
		OWN_PICTURE p = xc_sample_picture(30, 20, 1 + i % 2 * 2, i < 2 ? 8 : 16, 0, i);
		char name[96], text[96];
		snprintf(name, sizeof name, "good-near-%u", errors[i]);
		snprintf(text, sizeof text, "NEAR, errors of up to %u, %u bits", errors[i], p.depth);
		put(name, encoded(&p, NULL, &o), text);
	}
	for (uint32_t i = 0; i < 4; i++) {
		const xc_encode_options o = exactly(2, i < 2 ? 4 : 200);
		OWN_PICTURE p = xc_smooth_picture(37, 29, 2 + i % 2 * 2, i < 2 ? 8 : 16, i);
		char name[96], text[96];
		set_alpha(&p, 3 + (int)i / 2);
		snprintf(name, sizeof name, "good-near-%s%u", channel_names[p.channels], p.depth);
		snprintf(text, sizeof text, "NEAR and exact alpha, %u channels, %u bits", p.channels,
		         p.depth);
		put(name, encoded(&p, NULL, &o), text);
	}
	for (uint32_t i = 0; i < 6; i++) {
		const xc_encode_options o = exactly((int)i % 4, 0);
		OWN_PICTURE p = drawing(i == 5 ? 200 : 90, i == 5 ? 140 : 61, 1 + i % 4, i < 3 ? 3 : 40,
		                        i < 4 ? 0 : 8);
		char name[96], text[96];
		snprintf(name, sizeof name, "good-drawing-%s-%u", channel_names[p.channels], i);
		snprintf(text, sizeof text, "lossless drawing, %u channels%s", p.channels,
		         i == 5 ? ", several tiles" : "");
		put(name, encoded(&p, NULL, &o), text);
	}
	for (uint32_t i = 0; i < 3; i++) {
		OWN_PICTURE p = xc_smooth_picture(41, 27, 2 + i % 2, i < 2 ? 8 : 16, 4);
		OWN_PICTURE d = drawing(41, 27, 3, 5, 4);
		char name[96];
		snprintf(name, sizeof name, "good-lossless-tiles-%u", i);
		put(name, lossless_tiles(i == 1 ? &d : &p), "lossless, tiles of 16 x 16 pixels");
	}
	OWN_PICTURE both = drawing(128, 64, 3, 4, 0);
	OWN_PICTURE photo = xc_sample_picture(128, 64, 3, 8, 0, 3);
	for (uint32_t y = 0; y < 32; y++)
		memcpy((uint8_t *)both.data + y * both.stride + 96,
		       (uint8_t *)photo.data + y * photo.stride, 96);
	const xc_encode_options most = exactly(3, 0);
	put("good-drawing-squares", encoded(&both, NULL, &most), "a drawing with a photograph in it");
	for (uint32_t i = 0; i < 4; i++) { /* constant, two rows, 12 bits of 16, noise */
		static const char *const names[] = {"constant", "low", "12-of-16", "noise"};
		const xc_encode_options o = exactly(2, 0);
		OWN_PICTURE p = xc_sample_picture(i == 1 ? 60 : 20, i == 1 ? 2 : 20, i == 2 ? 1 : 3,
		                                  i == 2 ? 16 : 8, 0, i);
		uint64_t seed = 3;
		for (uint32_t y = 0; y < p.height; y++)
			for (size_t x = 0; x < (size_t)p.width * p.channels; x++) {
				uint8_t *row = (uint8_t *)p.data + y * p.stride;
				if (i == 0)
					row[x] = (uint8_t)(40 * (x % 3));
				if (i == 3)
					row[x] = (uint8_t)check_below(&seed, 256);
				if (i == 2)
					((uint16_t *)(void *)row)[x] = (uint16_t)(((x * 40 + y * 9) % 4096) * 65535 /
					                                          4095);
			}
		char name[96], text[96];
		snprintf(name, sizeof name, "good-lossless-%s", names[i]);
		snprintf(text, sizeof text, "lossless: %s", names[i]);
		put(name, encoded(&p, NULL, &o), text);
	}
	for (uint32_t i = 0; i < 5; i++) {
		static const uint32_t counts[] = {2, 4, 16, 100, 5};
		static const uint8_t bits[] = {1, 2, 4, 8, 0};
		uint8_t palette[256][4];
		const xc_encode_options o = exactly(2, 0);
		OWN_PICTURE p = xc_smooth_picture(33, 29, i < 4 ? 3 : 2, 8, 1);
		uint64_t seed = i;
		for (unsigned k = 0; k < counts[i]; k++)
			for (unsigned c = 0; c < 4; c++)
				palette[k][c] = (uint8_t)(k * (29 + 30 * (p.channels < 3 ? 0 : c)) + 17);
		for (uint32_t y = 0; y < p.height; y++)
			for (uint32_t x = 0; x < p.width; x++) {
				const uint32_t k = check_below(&seed, 8) ? (x / 4 + y / 5) % counts[i]
				                                         : check_below(&seed, counts[i]);
				memcpy((uint8_t *)p.data + y * p.stride + (size_t)x * p.channels, palette[k],
				       p.channels);
			}
		for (unsigned k = 0; k < counts[i]; k++)
			palette[k][3] = 255;
		const xc_metadata m = {.palette = {palette, 4 * (size_t)counts[i]},
		                       .palette_bits = bits[i]};
		char name[96], text[96];
		snprintf(name, sizeof name, "good-palette-%u", counts[i]);
		snprintf(text, sizeof text, "%u colours%s", counts[i],
		         i < 4 ? ", PLTE of the original" : ", grey and alpha");
		put(name, encoded(&p, i < 4 ? &m : NULL, &o), text);
	}
}
