/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the palette of a picture and the index of each pixel, by a hash of colours. */
#include "src/encode/palette.h"

#include <stdlib.h>
#include <string.h>

/* Where the samples of a pixel are; alpha 0: there is none. */
typedef struct pixel_places {
	uint8_t red, green, blue, alpha;
} pixel_places;

static pixel_places places_of(xc_layout l)
{
	const uint8_t channels = xc_layout_get(l)->channels;
	const uint8_t alpha = channels % 2 ? 0 : (uint8_t)(channels - 1);

	return channels < 3          ? (pixel_places){0, 0, 0, alpha}
	       : xc_layout_is_bgr(l) ? (pixel_places){2, 1, 0, alpha}
	                             : (pixel_places){0, 1, 2, alpha};
}

/* Its four bytes are R, G, B and alpha, from the lowest on. */
static inline uint32_t key_of(const uint8_t *pixel, pixel_places at, int clear)
{
	const uint32_t a = at.alpha ? pixel[at.alpha] : 255;
	const uint32_t rgb = pixel[at.red] | (uint32_t)pixel[at.green] << 8 |
	                     (uint32_t)pixel[at.blue] << 16;

	return clear && !a ? 0 : rgb | a << 24;
}

/* The slot of a colour, or where it would be. */
static inline uint32_t slot_of(const xc_encode_palette *p, uint32_t key)
{
	uint32_t i = key * 2654435761u >> 22;

	while (p->index[i] && p->key[i] != key)
		i = (i + 1) % XC_PALETTE_SLOTS;
	return i;
}

static void set_key(xc_encode_palette *p, uint32_t index, uint32_t key)
{
	const uint32_t i = slot_of(p, key);

	for (uint32_t c = 0; c < 4; c++)
		p->colour[index][c] = (uint8_t)(key >> 8 * c);
	/* An original may have a colour twice. */
	if (p->index[i])
		return;
	p->key[i] = key;
	p->index[i] = (uint16_t)(index + 1);
}

static void begin(xc_encode_palette *p)
{
	p->count = p->bits = 0;
	memset(p->index, 0, sizeof p->index);
}

xc_status xc_encode_palette_take(xc_context *c, const xc_picture *shape, const xc_metadata *m,
                                 xc_encode_palette *p)
{
	const uint8_t *b = m->palette.data;
	const size_t n = m->palette.size / 4;

	if (m->palette.size % 4 || !n || n > XC_PALETTE_COLOURS || m->palette_bits > 8 ||
	    (m->palette_bits & (m->palette_bits - 1)) ||
	    (m->palette_bits && n > (size_t)1 << m->palette_bits))
		return xc_fail(c, XC_ERR_ARGUMENT, "a palette has 1 to 256 colours of 4 bytes");
	if (shape->depth != 8)
		return xc_fail(c, XC_ERR_ARGUMENT, "a palette is for samples of 8 bits");
	begin(p);
	p->count = (uint32_t)n;
	p->bits = m->palette_bits;
	const pixel_places at = {0, 1, 2, shape->channels % 2 ? 0 : 3};
	for (uint32_t i = 0; i < n; i++, b += 4) {
		if (shape->channels < 3 && (b[0] != b[1] || b[0] != b[2]))
			return xc_fail(c, XC_ERR_ARGUMENT, "a palette of colours for a grey picture");
		set_key(p, i, key_of(b, at, 0));
	}
	return XC_OK;
}

static uint32_t luma(uint32_t key)
{
	return 77 * (key & 255) + 150 * (key >> 8 & 255) + 29 * (key >> 16 & 255);
}

static int by_luma(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint32_t u = luma(x), v = luma(y);

	return u != v ? (u < v ? -1 : 1) : x < y ? -1 : x > y;
}

int xc_encode_palette_find(const xc_pixels *pixels, int clear, xc_encode_palette *p)
{
	enum { WORTH = 16 }; /* pixels for each colour */
	const pixel_places places = places_of(pixels->layout);
	const size_t step = xc_pixels_step(pixels, 0);
	const uint64_t most = (uint64_t)pixels->width * pixels->height / WORTH;
	uint32_t found[XC_PALETTE_COLOURS], n = 0, before = 0;

	begin(p);
	for (uint32_t y = 0; y < pixels->height; y++) {
		const uint8_t *at = xc_pixels_row(pixels, 0, 0, y);
		for (uint32_t x = 0; x < pixels->width; x++, at += step) {
			const uint32_t key = key_of(at, places, clear);
			if (n && key == before)
				continue;
			before = key;
			if (p->index[slot_of(p, key)])
				continue;
			if (n == XC_PALETTE_COLOURS || n == most)
				return 0;
			set_key(p, n, key);
			found[n++] = key;
		}
	}
	qsort(found, n, sizeof *found, by_luma);
	begin(p);
	p->count = n;
	for (uint32_t i = 0; i < n; i++)
		set_key(p, i, found[i]);
	return 1;
}

uint32_t xc_encode_palette_map(const xc_encode_palette *p, const xc_pixels *pixels,
                               const uint8_t *row, uint32_t n, int clear, uint8_t *indices)
{
	const pixel_places places = places_of(pixels->layout);
	const size_t step = xc_pixels_step(pixels, 0);
	uint32_t before = 0, index = 0;

	for (uint32_t x = 0; x < n; x++, row += step) {
		const uint32_t key = key_of(row, places, clear);
		if (!index || key != before)
			index = p->index[slot_of(p, key)];
		if (!index)
			return x;
		before = key;
		indices[x] = (uint8_t)(index - 1);
	}
	return n;
}
