/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes alpha out of pixels and puts it back. Constant strides help compilers vectorize. */
#include "src/pixels/alpha.h"

#include <string.h>

/* RGBA pixels of 8 bits a sample are read as words, which compilers vectorize. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { ALPHA_SHIFT = 0 };
#else
enum { ALPHA_SHIFT = 24 };
#endif

static void gather_words(const uint8_t *restrict from, uint32_t n, uint8_t *restrict to)
{
	for (uint32_t x = 0; x < n; x++) {
		uint32_t pixel;
		memcpy(&pixel, from + (size_t)x * 4, 4);
		to[x] = (uint8_t)(pixel >> ALPHA_SHIFT);
	}
}

static void scatter_words(uint8_t *restrict to, uint32_t n, const uint8_t *restrict from)
{
	for (uint32_t x = 0; x < n; x++) {
		uint32_t pixel;
		memcpy(&pixel, to + (size_t)x * 4, 4);
		pixel = (pixel & ~(UINT32_C(255) << ALPHA_SHIFT)) | (uint32_t)from[x] << ALPHA_SHIFT;
		memcpy(to + (size_t)x * 4, &pixel, 4);
	}
}

/* Copies n samples that are `from_step` and `to_step` apart, both constant. */
static inline __attribute__((always_inline)) void move8(const uint8_t *restrict from,
                                                        size_t from_step, uint8_t *restrict to,
                                                        size_t to_step, uint32_t n)
{
	for (uint32_t x = 0; x < n; x++)
		to[x * to_step] = from[x * from_step];
}

static inline __attribute__((always_inline)) void move16(const uint16_t *restrict from,
                                                         size_t from_step, uint16_t *restrict to,
                                                         size_t to_step, uint32_t n)
{
	for (uint32_t x = 0; x < n; x++)
		to[x * to_step] = from[x * from_step];
}

void xc_alpha_gather(const xc_pixels *p, const uint8_t *from, uint32_t width, uint32_t height,
                     void *samples)
{
	const int four = xc_layout_get(p->layout)->samples[0] == 4;
	uint8_t *to8 = samples;
	uint16_t *to16 = samples;

	for (uint32_t y = 0; y < height; y++, from += p->stride[0], to8 += width, to16 += width) {
		const uint16_t *from16 = (const uint16_t *)(const void *)from;
		if (p->depth == 8 && four)
			gather_words(from, width, to8);
		else if (p->depth == 8)
			move8(from + 1, 2, to8, 1, width);
		else if (four)
			move16(from16 + 3, 4, to16, 1, width);
		else
			move16(from16 + 1, 2, to16, 1, width);
	}
}

void xc_alpha_scatter(const xc_pixels *p, uint8_t *to, uint32_t width, uint32_t height,
                      const void *samples)
{
	const int four = xc_layout_get(p->layout)->samples[0] == 4;
	const uint8_t *from8 = samples;
	const uint16_t *from16 = samples;

	for (uint32_t y = 0; y < height; y++, to += p->stride[0], from8 += width, from16 += width) {
		uint16_t *to16 = (uint16_t *)(void *)to;
		if (p->depth == 8 && four)
			scatter_words(to, width, from8);
		else if (p->depth == 8)
			move8(from8, 1, to + 1, 2, width);
		else if (four)
			move16(from16, 1, to16 + 3, 4, width);
		else
			move16(from16, 1, to16 + 1, 2, width);
	}
}

int xc_alpha_opaque(const void *samples, size_t count, uint32_t depth)
{
	const uint8_t *bytes = samples;
	const size_t size = count * (depth / 8);
	return bytes[0] == 255 && !memcmp(bytes, bytes + 1, size - 1);
}
