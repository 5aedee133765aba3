/* SPDX-License-Identifier: BSD-2-Clause */
/* Tiles of files without loss to pixels, for src/decode/batch.c and src/decode/decoder.c. No tile
 * depends on another one. Each worker has scratch, and room for the samples of a tile that are not
 * decoded in place. */
#include <string.h>

#include "src/core/parallel.h"
#include "src/decode/decoder.h"
#include "src/pixels/samples.h"

static xc_lossless_shape shape_of(const xc_decoder *d, const xc_tile *t)
{
	const xc_container *k = &d->coded.container;
	return (xc_lossless_shape){t->width, t->height, k->palette_count ? 1 : k->header.channels,
	                           k->header.depth, k->max_error};
}

xc_status xc_decoder_lossless_schedule(xc_decoder *d, int whole)
{
	enum { EACH = 2 }; /* tiles of a batch for each worker */
	xc_schedule *s = &d->schedule;
	const uint64_t tiles = xc_geometry_tiles(&d->crop);

	s->rows = s->split = d->crop.tiles_high;
	s->wide = d->crop.tiles_wide;
	s->workers = (uint32_t)xc_parallel_workers(d->context, tiles, xc_decoder_time(d));
	const uint32_t rows = s->workers > 1 ? xc_divide_up(EACH * s->workers, s->wide) : 1;
	s->batch_rows = whole ? s->rows : xc_min_u32(rows, s->rows);
	return XC_OK;
}

xc_status xc_decoder_lossless_set_up(xc_decoder *d)
{
	const xc_container *k = &d->coded.container;
	xc_context *c = d->context;
	xc_tile t; /* the first tile is the largest */

	xc_geometry_tile(&d->crop, 0, &t);
	xc_geometry_clip(&d->crop, &t);
	const xc_lossless_shape shape = shape_of(d, &t);
	const size_t pixels = (size_t)t.width * t.height;
	/* Samples, and indices of the palette after them. */
	const size_t bytes = xc_lossless_decode_scratch(&shape) +
	                     pixels * k->header.channels * (shape.depth / 8) +
	                     (k->palette_count ? pixels : 0);
	d->lossless = xc_lossless_level_get(c->cpu);
	d->workers = xc_allocate_zeroed(c, d->schedule.workers * sizeof *d->workers);
	if (!d->workers)
		return xc_fail_memory(c, d->schedule.workers * sizeof *d->workers);
	for (uint32_t i = 0; i < d->schedule.workers; i++)
		if (!(d->workers[i].lossless = xc_scratch_allocate(c, bytes)))
			return xc_fail_memory(c, bytes);
	return XC_OK;
}

/* Indices to colours. 0: an index is beyond the palette. */
static int put_colours(const xc_container *k, const uint8_t *indices, size_t n, uint8_t *to)
{
	const uint32_t channels = k->header.channels;

	for (size_t i = 0; i < n; i++, to += channels) {
		if (indices[i] >= k->palette_count)
			return 0;
		const uint8_t *colour = k->palette[indices[i]];
		if (channels > 2)
			memcpy(to, colour, channels);
		else
			to[0] = colour[0];
		if (channels == 2)
			to[1] = colour[3];
	}
	return 1;
}

/* What a damaged tile becomes: mid-grey, opaque. */
static void fill(const xc_lossless_shape *s, uint32_t channels, uint8_t *to, size_t stride)
{
	for (uint32_t y = 0; y < s->height; y++)
		for (size_t i = 0; i < (size_t)s->width * channels; i++) {
			const int alpha = channels % 2 == 0 && i % channels == channels - 1;
			const uint16_t wide = alpha ? 65535 : 32768;
			if (s->depth == 16)
				memcpy(to + y * stride + 2 * i, &wide, 2);
			else
				to[y * stride + i] = (uint8_t)(wide >> 8);
		}
}

int xc_decoder_lossless_tile(xc_decoder *d, const xc_decode_worker *w, uint64_t index,
                             uint64_t number)
{
	const xc_coded *k = &d->coded;
	const uint64_t at = xc_coded_index_of(k, number);
	const xc_coded_segment *s = &k->segments[at];
	const uint32_t channels = k->container.header.channels;
	const int colours = k->container.palette_count > 0;
	xc_tile t;

	xc_geometry_tile(&d->crop, index, &t);
	xc_geometry_clip(&d->crop, &t);
	const xc_lossless_shape shape = shape_of(d, &t);
	const size_t row = (size_t)t.width * channels * (shape.depth / 8);
	uint8_t *to = xc_pixels_row(&d->window, 0, d->window_first, t.y / d->scale) +
	              t.x / d->scale * d->pixel;
	const int direct = !colours && d->scale == 1 && d->layout == xc_layout_of(channels) &&
	                   d->window.stride[0] > 0;
	uint8_t *samples = direct ? to : w->lossless + xc_lossless_decode_scratch(&shape);
	const size_t stride = direct ? (size_t)d->window.stride[0] : row;
	uint8_t *indices = colours ? samples + row * t.height : samples;
	int intact = xc_coded_intact(k, at, &d->crcs[at]) &&
	             d->lossless->decode(&shape, k->data + s->start, s->size, w->lossless, indices,
	                                 colours ? t.width : stride);
	if (intact && colours)
		intact = put_colours(&k->container, indices, (size_t)t.width * t.height, samples);
	if (!intact)
		fill(&shape, channels, samples, stride);
	if (direct)
		return intact;
	if (d->scale > 1)
		xc_samples_reduce(samples, channels, shape.depth, t.width, t.height, d->scale);
	const uint32_t width = xc_reduced_size(t.width, d->scale);
	xc_samples_scatter(samples, (size_t)width * channels * (shape.depth / 8), channels, &d->window,
	                   to, width, xc_reduced_size(t.height, d->scale));
	return intact;
}
