/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/alpha.h"

#include <string.h>

/* Pixels of RGBA with 8 bits a sample are taken as words, which compilers turn into vectors. */
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

/* The others, for a constant number of channels. */
static inline __attribute__((always_inline)) void gather8(const uint8_t *restrict from, uint32_t n,
                                                          uint32_t channels, uint8_t *restrict to)
{
	for (uint32_t x = 0; x < n; x++)
		to[x] = from[x * channels + channels - 1];
}

static inline __attribute__((always_inline)) void gather16(const uint16_t *restrict from,
                                                           uint32_t n, uint32_t channels,
                                                           uint16_t *restrict to)
{
	for (uint32_t x = 0; x < n; x++)
		to[x] = from[x * channels + channels - 1];
}

static inline __attribute__((always_inline)) void scatter8(uint8_t *restrict to, uint32_t n,
                                                           uint32_t channels,
                                                           const uint8_t *restrict from)
{
	for (uint32_t x = 0; x < n; x++)
		to[x * channels + channels - 1] = from[x];
}

static inline __attribute__((always_inline)) void scatter16(uint16_t *restrict to, uint32_t n,
                                                            uint32_t channels,
                                                            const uint16_t *restrict from)
{
	for (uint32_t x = 0; x < n; x++)
		to[x * channels + channels - 1] = from[x];
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
			gather8(from, width, 2, to8);
		else if (four)
			gather16(from16, width, 4, to16);
		else
			gather16(from16, width, 2, to16);
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
			scatter8(to, width, 2, from8);
		else if (four)
			scatter16(to16, width, 4, from16);
		else
			scatter16(to16, width, 2, from16);
	}
}

int xc_alpha_opaque(const void *samples, size_t count, uint32_t depth)
{
	const uint8_t *bytes = samples;
	const size_t size = count * (depth / 8);
	return bytes[0] == 255 && !memcmp(bytes, bytes + 1, size - 1);
}
