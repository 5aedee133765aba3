/* SPDX-License-Identifier: BSD-2-Clause */
/* The segments of a region's tiles, taken out of a file so that nothing else goes to the GPU. */
#include "src/cuda/decoder.h"

#include <string.h>

/* Walks through the segments of colour of a crop, in order: tile `number` of the file begins at byte
 * `start`. */
typedef struct walk {
	const xc_container *container;
	const xc_cuda_crop *crop;
	uint32_t listed;
} walk;

static int wanted(const walk *w, uint64_t number)
{
	const xc_tile_span *s = &w->crop->crop.span;
	const uint32_t wide = w->container->geometry.tiles_wide;
	const uint32_t x = (uint32_t)(number % wide), y = (uint32_t)(number / wide);

	return x - s->x < s->wide && y - s->y < s->high;
}

/* Calls `take` for each segment of the crop, with its place in the file's data. */
static void each(walk *w,
                 void (*take)(walk *, uint64_t start, uint32_t size, uint16_t check, void *),
                 void *user)
{
	const xc_container *k = w->container;
	const uint32_t all = w->crop->crop.span.wide * w->crop->crop.span.high;
	uint64_t number = 0;

	for (const xc_piece *p = k->pieces; p < k->pieces + k->piece_count && w->listed < all; p++) {
		xc_index_reader r = xc_index_begin(p);
		uint64_t start = p->start;
		for (uint64_t i = 0; i < p->segments && w->listed < all; i++) {
			uint16_t check = 0;
			const uint32_t size = p->entries ? xc_index_next(&r, &check) : 0;
			if (i % k->layers == 0 && wanted(w, number++)) {
				take(w, start, size, check, user);
				w->listed++;
			}
			start += size;
		}
	}
}

static void list_one(walk *w, uint64_t start, uint32_t size, uint16_t check, void *user)
{
	xc_cuda_crop *crop = user;
	const int available = size && start + size <= w->container->data_available;

	crop->list[w->listed] = (xc_gpu_listed){crop->bytes, size, check, (uint16_t)available};
	crop->bytes += available ? size : 0;
}

xc_status xc_cuda_crop_list(xc_context *c, const xc_container *k, xc_cuda_crop *crop)
{
	const size_t tiles = (size_t)crop->crop.span.wide * crop->crop.span.high;
	walk w = {k, crop, 0};

	crop->bytes = 0;
	crop->list = xc_allocate_zeroed(c, tiles * sizeof *crop->list);
	if (!crop->list)
		return xc_fail_memory(c, tiles * sizeof *crop->list);
	each(&w, list_one, crop);
	return XC_OK;
}

static void copy_one(walk *w, uint64_t start, uint32_t size, uint16_t check, void *to)
{
	const xc_gpu_listed *s = &w->crop->list[w->listed];

	(void)check;
	if (s->available)
		memcpy((uint8_t *)to + s->start, w->container->data + start, size);
}

void xc_cuda_crop_copy(const xc_container *k, const xc_cuda_crop *crop, uint8_t *to)
{
	walk w = {k, crop, 0};

	each(&w, copy_one, to);
}
