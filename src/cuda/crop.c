/* SPDX-License-Identifier: BSD-2-Clause */
/* The segments of a region's tiles, taken out of a file so that nothing else goes to the GPU. */
#include "src/cuda/decoder.h"

#include <string.h>

static int is_in(const xc_tile_span *s, uint32_t x, uint32_t y)
{
	return x - s->x < s->wide && y - s->y < s->high;
}

/* Lists the segments of a crop. */
static xc_status list_segments(xc_context *c, const xc_container *k, xc_cuda_crop *crop)
{
	const uint32_t tiles = crop->crop.span.wide * crop->crop.span.high;
	const size_t each = sizeof *crop->list + sizeof *crop->from;
	uint32_t listed = 0;
	uint64_t number = 0;

	crop->bytes = 0;
	crop->list = xc_allocate_zeroed(c, tiles * each);
	if (!crop->list)
		return xc_fail_memory(c, tiles * each);
	crop->from = (uint64_t *)(void *)(crop->list + tiles);
	for (const xc_piece *p = k->pieces; p < k->pieces + k->piece_count && listed < tiles; p++) {
		xc_index_reader r = xc_index_begin(p);
		uint64_t start = p->start;
		for (uint64_t i = 0; i < p->segments && listed < tiles; i++, number++) {
			uint16_t check = 0;
			const uint32_t size = p->entries ? xc_index_next(&r, &check) : 0;
			const int available = size && start + size <= k->data_available;
			if (is_in(&crop->crop.span, (uint32_t)(number % k->geometry.tiles_wide),
			          (uint32_t)(number / k->geometry.tiles_wide))) {
				crop->from[listed] = start;
				crop->list[listed++] = (xc_listed_segment){crop->bytes, size, check,
				                                           (uint16_t)available};
				crop->bytes += available ? size : 0;
			}
			start += size;
		}
	}
	return XC_OK;
}

/* Files with alpha, whose segments lie between those of colour, and JPEGs are not cropped. */
xc_status xc_cuda_crop_choose(xc_context *c, const xc_container *k, const xc_rectangle *region,
                              uint32_t scale, xc_cuda_crop *crop)
{
	xc_crop part;

	crop->list = NULL;
	crop->bytes = k->data_available;
	crop->crop.picture = k->geometry;
	crop->crop.left = region->x / scale;
	crop->crop.top = region->y / scale;
	if (!region->width || k->header.channels % 2 == 0 || k->jpeg)
		return XC_OK;
	xc_crop_make(k, region, scale, &part);
	if ((uint64_t)part.span.wide * part.span.high == xc_geometry_tiles(&k->geometry))
		return XC_OK;
	crop->crop = part;
	return list_segments(c, k, crop);
}

void xc_cuda_crop_copy(const xc_container *k, const xc_cuda_crop *crop, uint8_t *to)
{
	for (uint32_t i = 0; i < crop->crop.span.wide * crop->crop.span.high; i++)
		if (crop->list[i].available)
			memcpy(to + crop->list[i].start, k->data + crop->from[i], crop->list[i].size);
}
