/* SPDX-License-Identifier: BSD-2-Clause */
/* Which values of a chunk are kept aside, as drawings: tiles of the lossless coder. */
#include <string.h>

#include "lossless/lossless.h"
#include "src/array/array.h"

/* The chunk as rows of x. */
typedef struct sheet {
	uint64_t height;
	uint32_t width;
} sheet;

static sheet sheet_of(const uint32_t size[3])
{
	return (sheet){(uint64_t)size[0] * size[1], size[2]};
}

static xc_lossless_shape tile_at(const sheet *s, uint64_t y, uint32_t x)
{
	const uint64_t high = s->height - y;
	const uint32_t wide = s->width - x;

	return (xc_lossless_shape){
		.width = wide < XC_LOSSLESS_SIDE ? wide : XC_LOSSLESS_SIDE,
		.height = high < XC_LOSSLESS_SIDE ? (uint32_t)high : XC_LOSSLESS_SIDE,
		.channels = 1,
		.depth = 8,
	};
}

size_t xc_kinds_bound(const uint32_t size[3])
{
	const sheet s = sheet_of(size);
	size_t bytes = 0;

	for (uint64_t y = 0; y < s.height; y += XC_LOSSLESS_SIDE)
		for (uint32_t x = 0; x < s.width; x += XC_LOSSLESS_SIDE) {
			const xc_lossless_shape t = tile_at(&s, y, x);
			bytes += 4 + xc_lossless_bound(&t);
		}
	return bytes;
}

/* The first tile is the largest. */
size_t xc_kinds_scratch(const uint32_t size[3], int encode)
{
	const sheet s = sheet_of(size);
	const xc_lossless_shape t = tile_at(&s, 0, 0);

	return encode ? xc_lossless_encode_scratch(&t) : xc_lossless_decode_scratch(&t) + 1024;
}

size_t xc_kinds_encode(xc_cpu cpu, const uint32_t size[3], const uint8_t *kinds, void *scratch,
                       uint8_t *out)
{
	const xc_lossless_options options = {.effort = 2, .drawing = 1};
	const sheet s = sheet_of(size);
	uint8_t *const start = out;

	for (uint64_t y = 0; y < s.height; y += XC_LOSSLESS_SIDE)
		for (uint32_t x = 0; x < s.width; x += XC_LOSSLESS_SIDE) {
			const xc_lossless_shape t = tile_at(&s, y, x);
			const size_t n = xc_lossless_level_get(cpu)->encode(&t, &options,
			                                                    kinds + (size_t)y * s.width + x,
			                                                    s.width, scratch, out + 4);
			for (int i = 0; i < 4; i++)
				out[i] = (uint8_t)(n >> 8 * i);
			out += 4 + n;
		}
	return (size_t)(out - start);
}

int xc_kinds_decode(xc_cpu cpu, const uint32_t size[3], const uint8_t *data, size_t bytes,
                    void *scratch, uint8_t *kinds)
{
	const sheet s = sheet_of(size);

	for (uint64_t y = 0; y < s.height; y += XC_LOSSLESS_SIDE)
		for (uint32_t x = 0; x < s.width; x += XC_LOSSLESS_SIDE) {
			const xc_lossless_shape t = tile_at(&s, y, x);
			if (bytes < 4)
				return 0;
			const size_t n = (size_t)data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16 |
			                 (size_t)data[3] << 24;
			data += 4;
			bytes -= 4;
			if (n > bytes ||
			    !xc_lossless_level_get(cpu)->decode(&t, data, n, scratch,
			                                        kinds + (size_t)y * s.width + x, s.width))
				return 0;
			data += n;
			bytes -= n;
		}
	return !bytes;
}
