/* SPDX-License-Identifier: BSD-2-Clause */
/* Alpha of the rows that a batch makes: the samples of its tiles, at the size of the output, lie in
 * a window of rows until the other samples of their pixels are complete. */
#include <string.h>

#include "entropy/plane.h"
#include "src/core/parallel.h"
#include "src/decode/decoder.h"
#include "src/pixels/alpha.h"

/* Rows that wait for the next batch, at most. */
enum { WAITING = 32 };

static size_t sample_bytes(const xc_decoder *d)
{
	return d->window.depth / 8;
}

static size_t width(const xc_decoder *d)
{
	return xc_reduced_size(d->crop.width, d->scale);
}

/* The window's sample in column x of row y, of the output. */
static uint8_t *pixel_at(const xc_decoder *d, uint32_t x, uint32_t y)
{
	return d->alpha.window + ((size_t)(y - d->alpha.first) * width(d) + x) * sample_bytes(d);
}

static uint32_t sample_at(const xc_decoder *d, const void *samples, size_t i)
{
	return d->window.depth == 8 ? ((const uint8_t *)samples)[i] : ((const uint16_t *)samples)[i];
}

/* The mean of a square of samples, rounded half up. */
static uint32_t mean(const xc_decoder *d, const void *samples, size_t stride, uint32_t wide,
                     uint32_t high)
{
	const uint32_t n = wide * high;
	uint32_t sum = n / 2;

	for (uint32_t y = 0; y < high; y++)
		for (uint32_t x = 0; x < wide; x++)
			sum += sample_at(d, samples, y * stride + x);
	return sum / n;
}

/* Puts samples of wide x high pixels into the window, with column x and row y of the output
 * first. */
static void put(const xc_decoder *d, uint32_t x, uint32_t y, const uint8_t *samples, uint32_t wide,
                uint32_t high)
{
	const uint32_t scale = d->scale;
	const size_t bytes = sample_bytes(d);

	for (uint32_t j = 0; j < high; j += scale, y++) {
		uint8_t *to = pixel_at(d, x, y);
		const uint8_t *from = samples + (size_t)j * wide * bytes;
		if (scale == 1) {
			memcpy(to, from, wide * bytes);
			continue;
		}
		for (uint32_t i = 0; i < wide; i += scale, to += bytes) {
			const uint16_t v = (uint16_t)mean(d, from + i * bytes, wide,
			                                  wide - i < scale ? wide - i : scale,
			                                  high - j < scale ? high - j : scale);
			if (bytes == 1)
				*to = (uint8_t)v;
			else
				memcpy(to, &v, 2);
		}
	}
}

/* ------------------------------------------------------------------ tiles */

int xc_decoder_alpha_tile(xc_decoder *d, xc_decode_worker *w, uint64_t index, uint64_t number)
{
	const xc_coded *k = &d->coded;
	const uint64_t at = xc_coded_index_of(k, number) + 1;
	const xc_coded_segment *s = &k->segments[at];
	const size_t bytes = sample_bytes(d);
	xc_tile t;

	xc_geometry_tile(&d->crop, index, &t);
	xc_geometry_clip(&d->crop, &t);
	const size_t n = (size_t)t.width * t.height;
	int intact = xc_coded_intact(k, at, &d->crcs[at]);
	/* Pixels without alpha want the checksum alone. */
	if (!d->alpha.window)
		return intact;
	uint8_t *samples = w->alpha + xc_plane_scratch(n, bytes);
	intact = intact && k->level->plane_decode(k->data + s->start, s->size, k->data_end, t.width,
	                                          t.height, bytes, w->alpha, samples);
	if (!intact)
		memset(samples, 255, n * bytes);
	if (!xc_alpha_opaque(samples, n, d->window.depth))
		__atomic_store_n(&d->alpha.seen, 1, __ATOMIC_RELAXED);
	put(d, t.x / d->scale, t.y / d->scale, samples, t.width, t.height);
	return intact;
}

/* ----------------------------------------------------------------- output */

typedef struct rows_job {
	const xc_decoder *decoder;
	uint32_t first, end, each; /* rows; those of an item */
} rows_job;

static void scatter(void *user, uint64_t item, int worker)
{
	const rows_job *j = user;
	const xc_decoder *d = j->decoder;
	const uint32_t y = j->first + (uint32_t)item * j->each;

	(void)worker;
	if (y < j->end)
		xc_alpha_scatter(&d->window, xc_pixels_row(&d->window, 0, d->window_first, y),
		                 (uint32_t)width(d), j->end - y < j->each ? j->end - y : j->each,
		                 pixel_at(d, 0, y));
}

xc_status xc_decoder_alpha_rows(xc_decoder *d, uint32_t end)
{
	const uint32_t workers = d->schedule.workers;
	const rows_job j = {d, d->made, end, (end - d->made + workers - 1) / workers};
	const uint64_t tiles_end = (uint64_t)d->batch_end * xc_inverse_tile_height(&d->crop);
	const uint32_t all = xc_reduced_size(d->crop.height, d->scale);
	const uint32_t stop = tiles_end / d->scale < all ? (uint32_t)(tiles_end / d->scale) : all;
	xc_status s = XC_OK;

	if (d->alpha.seen)
		s = xc_parallel_for(d->context, workers,
		                    xc_parallel_copying_time((uint64_t)(end - d->made) * width(d) *
		                                             d->pixel),
		                    scatter, (void *)(uintptr_t)&j, 1, 1);
	if (s)
		return s;
	/* What waits is looked at again. */
	const size_t waiting = stop < end ? 0 : stop - end;
	if (waiting)
		memmove(d->alpha.window, pixel_at(d, 0, end), waiting * width(d) * sample_bytes(d));
	d->alpha.first = end;
	d->alpha.seen = waiting &&
	                !xc_alpha_opaque(d->alpha.window, waiting * width(d), d->window.depth);
	return XC_OK;
}

/* ----------------------------------------------------------------- set-up */

xc_status xc_decoder_alpha_set_up(xc_decoder *d)
{
	const xc_container *k = &d->coded.container;

	if (k->header.channels % 2 || xc_layout_get(d->layout)->channels % 2)
		return XC_OK;
	const uint64_t tiles = (uint64_t)d->schedule.batch_rows * xc_inverse_tile_height(&d->crop) /
	                       d->scale;
	const uint32_t all = xc_reduced_size(d->crop.height, d->scale);
	const size_t rows = tiles + WAITING < all ? (size_t)tiles + WAITING : all;
	const size_t row = width(d) * sample_bytes(d);
	d->alpha.window = rows < SIZE_MAX / row ? xc_allocate(d->context, rows * row) : NULL;
	if (!d->alpha.window)
		return xc_fail_memory(d->context, rows < SIZE_MAX / row ? rows * row : SIZE_MAX);
	xc_tile t;
	xc_geometry_tile(&d->crop, 0, &t);
	xc_geometry_clip(&d->crop, &t);
	const size_t n = (size_t)t.width * t.height, bytes = sample_bytes(d);
	const size_t size = xc_plane_scratch(n, bytes) + n * bytes;
	for (uint32_t i = 0; i < d->schedule.workers; i++)
		if (!(d->workers[i].alpha = xc_scratch_allocate(d->context, size)))
			return xc_fail_memory(d->context, size);
	return XC_OK;
}

void xc_decoder_alpha_tear_down(xc_decoder *d)
{
	for (uint32_t i = 0; d->workers && i < d->schedule.workers; i++)
		xc_scratch_free(d->context, d->workers[i].alpha);
	xc_release(d->context, d->alpha.window);
}
