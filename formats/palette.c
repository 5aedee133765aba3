/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Palettes, for the readers that meet one, and for the writer that makes indices of colours again.
 * A palette has 1 to 256 colours of 4 bytes, as xc_metadata has it. Where colours are equal the
 * first of them counts.
 */
#include "formats/rows_kind.h"

#include <string.h>

xc_status xc_file_keep_palette(xc_file_reader *reader, const uint8_t (*rgb)[3], uint32_t count,
                               const uint8_t *alpha, uint32_t alphas, int bits)
{
	xc_metadata *m = &reader->out->metadata;
	uint8_t colours[XC_PALETTE_MAX][4];

	for (uint32_t i = 0; i < count; i++) {
		memcpy(colours[i], rgb[i], 3);
		colours[i][3] = i < alphas ? alpha[i] : 255;
	}
	const xc_status status = xc_file_copy(reader, colours, (size_t)4 * count, &m->palette);
	reader->out->owned[XC_OWNED_PALETTE] = (void *)(uintptr_t)m->palette.data;
	m->palette_bits = (uint8_t)bits;
	return status;
}

/* Where the colour is, or the free place for it. The table is never full. */
static uint32_t place_of(const xc_palette_map *map, uint32_t colour)
{
	uint32_t at = (colour * 2654435761u) >> 22;

	_Static_assert(XC_PALETTE_PLACES == 1 << (32 - 22), "places of a hash");
	while (map->entry[at] && map->colour[at] != colour)
		at = (at + 1) % XC_PALETTE_PLACES;
	return at;
}

uint32_t xc_palette_map_fill(xc_palette_map *map, const xc_blob *palette)
{
	const uint8_t *p = palette->data;
	const uint32_t count = (uint32_t)(palette->size / 4);
	uint32_t equal = 0;

	memset(map->entry, 0, sizeof map->entry);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t colour = xc_load_le32(p + (size_t)4 * i), at = place_of(map, colour);
		equal += map->entry[at] != 0;
		if (map->entry[at])
			continue;
		map->colour[at] = colour;
		map->entry[at] = (uint16_t)(i + 1);
	}
	return equal;
}

static uint32_t colour_of(const uint8_t *pixel, uint32_t channels)
{
	const uint32_t alpha = channels % 2 ? 255 : pixel[channels - 1];

	return channels < 3
	           ? pixel[0] * 0x010101u | alpha << 24
	           : pixel[0] | (uint32_t)pixel[1] << 8 | (uint32_t)pixel[2] << 16 | alpha << 24;
}

int xc_palette_map_find(const xc_palette_map *map, const uint8_t *pixels, uint32_t channels,
                        uint32_t count, uint8_t *indices)
{
	uint32_t last = 0, entry = 0;

	for (uint32_t i = 0; i < count; i++, pixels += channels) {
		const uint32_t colour = colour_of(pixels, channels);
		if (!entry || colour != last)
			entry = map->entry[place_of(map, colour)];
		if (!entry)
			return 0;
		last = colour;
		if (indices)
			indices[i] = (uint8_t)(entry - 1);
	}
	return 1;
}

int xc_palette_is_valid(const xc_metadata *m)
{
	return m && m->palette.data && m->palette.size && m->palette.size % 4 == 0 &&
	       m->palette.size <= (size_t)4 * XC_PALETTE_MAX;
}

int xc_palette_holds(const xc_metadata *m, const xc_picture *p)
{
	xc_palette_map map;
	int holds = xc_palette_is_valid(m) && p->depth == 8;

	if (holds)
		xc_palette_map_fill(&map, &m->palette);
	for (uint32_t y = 0; y < p->height && holds; y++)
		holds = xc_palette_map_find(&map, xc_file_row(p, y), p->channels, p->width, NULL);
	return holds;
}

uint32_t xc_file_equal_colours(const xc_metadata *m)
{
	xc_palette_map map;

	return xc_palette_is_valid(m) ? xc_palette_map_fill(&map, &m->palette) : 0;
}
