/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a batch of tile rows for src/decode/decoder.c: loads their segments, runs the tasks of
 * the schedule, and checks for damage. */
#include <string.h>

#include "src/core/parallel.h"
#include "src/decode/decoder.h"
#include "src/pixels/alpha.h"

/* Rows that end before `end`, `each` for each worker. */
typedef struct rows_job {
	xc_decoder *decoder;
	uint32_t end, each; /* rows of an item */
} rows_job;

/* ------------------------------------------------------------------ alpha */

/* The alpha of a batch lies in a window of rows, at the size of the output, until the other samples
 * of the pixels are complete. */

/* The most rows that wait for the next batch. */
enum { WAITING = 32 };

static size_t sample_bytes(const xc_decoder *d)
{
	return d->window.depth / 8;
}

static size_t width(const xc_decoder *d)
{
	return xc_reduced_size(d->crop.width, d->scale);
}

/* The window's sample at column x and row y of the output. */
static uint8_t *alpha_at(const xc_decoder *d, uint32_t x, uint32_t y)
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

/* Puts wide x high samples into the window, from column x and row y of the output on. */
static void put(const xc_decoder *d, uint32_t x, uint32_t y, const uint8_t *samples, uint32_t wide,
                uint32_t high)
{
	const uint32_t scale = d->scale;
	const size_t bytes = sample_bytes(d);

	for (uint32_t j = 0; j < high; j += scale, y++) {
		uint8_t *to = alpha_at(d, x, y);
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

/* Decodes the alpha of tile `index` of the crop, which is the tile `number` of the picture. 0: its
 * segment is damaged, and it becomes opaque. */
static int decode_alpha_tile(xc_decoder *d, xc_decode_worker *w, uint64_t index, uint64_t number)
{
	const xc_coded *k = &d->coded;
	const uint64_t at = xc_coded_index_of(k, number) + 1;
	const xc_coded_segment *s = &k->segments[at];
	xc_tile t;

	xc_geometry_tile(&d->crop, index, &t);
	xc_geometry_clip(&d->crop, &t);
	const xc_lossless_shape shape = {t.width, t.height, 1, d->window.depth, 0};
	int intact = xc_coded_intact(k, at, &d->crcs[at]);
	/* Pixels without alpha need only the check of the CRC. */
	if (!d->alpha.window)
		return intact;
	uint8_t *samples = w->alpha + xc_lossless_decode_scratch(&shape);
	if (!xc_lossless_decode_alpha(d->context->cpu, &shape, k->data + s->start, intact ? s->size : 0,
	                              w->alpha, samples))
		intact = 0;
	if (!xc_alpha_opaque(samples, (size_t)t.width * t.height, d->window.depth))
		__atomic_store_n(&d->alpha.seen, 1, __ATOMIC_RELAXED);
	put(d, t.x / d->scale, t.y / d->scale, samples, t.width, t.height);
	return intact;
}

static void scatter(void *user, uint64_t item, int worker)
{
	const rows_job *j = user;
	const xc_decoder *d = j->decoder;
	const uint32_t y = d->made + (uint32_t)item * j->each;

	(void)worker;
	if (y < j->end)
		xc_alpha_scatter(&d->window, xc_pixels_row(&d->window, 0, d->window_first, y),
		                 (uint32_t)width(d), j->end - y < j->each ? j->end - y : j->each,
		                 alpha_at(d, 0, y));
}

/* Gives it to the pixels of rows `made` to `end` - 1. */
static xc_status put_alpha_rows(xc_decoder *d, uint32_t end)
{
	const uint32_t workers = d->schedule.workers;
	rows_job j = {d, end, (end - d->made + workers - 1) / workers};
	const uint64_t tiles_end = (uint64_t)d->batch_end * xc_inverse_tile_height(&d->crop);
	const uint32_t all = xc_reduced_size(d->crop.height, d->scale);
	const uint32_t stop = tiles_end / d->scale < all ? (uint32_t)(tiles_end / d->scale) : all;
	xc_status s = XC_OK;

	if (d->alpha.seen)
		s = xc_parallel_for(d->context, workers,
		                    xc_parallel_copying_time((uint64_t)(end - d->made) * width(d) *
		                                             d->pixel),
		                    scatter, &j, 1, 1);
	if (s)
		return s;
	/* The waiting rows are checked again. */
	const size_t waiting = stop < end ? 0 : stop - end;
	if (waiting)
		memmove(d->alpha.window, alpha_at(d, 0, end), waiting * width(d) * sample_bytes(d));
	d->alpha.first = end;
	d->alpha.seen = waiting &&
	                !xc_alpha_opaque(d->alpha.window, waiting * width(d), d->window.depth);
	return XC_OK;
}

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
	const xc_lossless_shape shape = {t.width, t.height, 1, d->window.depth, 0};
	const size_t size = xc_lossless_decode_scratch(&shape) + xc_lossless_bound(&shape);
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

/* ------------------------------------------------------------------ tiles */

static void note_damage(xc_decoder *d, uint64_t tile, uint32_t layer)
{
	const uint64_t segment = tile * d->coded.container.layers + layer;

	__atomic_add_fetch(&d->damaged, 1, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&d->first_damaged, __ATOMIC_RELAXED);
	while (segment < first && !__atomic_compare_exchange_n(&d->first_damaged, &first, segment, 0,
	                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void decode_tile(xc_decoder *d, xc_decode_worker *w, const xc_row_band *band, uint64_t index,
                        const void *block)
{
	xc_tile tile;

	xc_geometry_tile(&d->crop, index, &tile);
	if (d->scale == 1)
		xc_inverse_tile(&d->inverse, &w->inverse, band, &tile, block);
	else
		xc_reduced_tile(&d->reduced, &tile, block);
}

/* Only the calling thread calls this. */
static void report(const xc_decoder *d)
{
	const uint64_t done = __atomic_load_n(&d->tiles, __ATOMIC_RELAXED);
	xc_report_progress(d->context,
	                   (double)done / ((double)d->crop.tiles_wide * d->crop.tiles_high));
}

/* Counts tiles. The first worker reports the progress of all. 1: the call is cancelled. */
static int told(xc_decoder *d, const xc_decode_worker *w, uint64_t tiles)
{
	__atomic_add_fetch(&d->tiles, tiles, __ATOMIC_RELAXED);
	if (w == d->workers)
		report(d);
	return __atomic_load_n(&d->context->cancelled, __ATOMIC_RELAXED);
}

/* The number in the picture of tile `index` of the crop. */
static uint64_t number_of(const xc_decoder *d, uint64_t index)
{
	const uint64_t row = d->span.y + index / d->span.wide;
	return row * d->coded.container.geometry.tiles_wide + d->span.x + index % d->span.wide;
}

/* Adds the AC prediction to the worker's segment i, which is tile `number` of the picture. */
static void complete_segment(xc_decoder *d, xc_decode_worker *w, uint64_t i, uint64_t number)
{
	xc_tile whole;

	if (!w->coded.intact[i])
		note_damage(d, number, 0);
	xc_geometry_tile(&d->coded.container.geometry, number, &whole);
	xc_coded_add_ac_prediction(&d->coded, &whole, xc_coded_coefficients(&w->coded, i));
}

static void decode_alpha(xc_decoder *d, xc_decode_worker *w, uint64_t index, uint64_t number)
{
	if (d->coded.container.layers > 1 && !decode_alpha_tile(d, w, index, number))
		note_damage(d, number, 1);
}

/* ------------------------------------------------------------------ tasks */

/* Halos are indexed by the task that gives them, from the first run on. */
static char *halo_of(const xc_decoder *d, uint32_t task)
{
	return d->halos + (task - d->schedule.first_run) * d->halo_bytes;
}

/* Gives the halo of a run, the end of tile `index`, to the next run. */
static void give_halo(xc_decoder *d, uint32_t task, uint64_t index, const void *coefficients)
{
	const size_t block = 64 * d->coded.level->width;
	char *to = halo_of(d, task);
	xc_tile t;

	xc_geometry_tile(&d->crop, index, &t);
	const xc_tile halo = xc_inverse_halo_of(&d->inverse, &t);
	for (int c = 0; c < d->crop.components; c++) {
		const size_t n = halo.blocks_wide[c] * block;
		const char *from = (const char *)coefficients + t.first_block[c] * block;
		for (uint32_t b = 1; b <= t.blocks_high[c]; b++, to += n)
			memcpy(to, from + (size_t)b * t.blocks_wide[c] * block - n, n);
	}
	xc_pool_raise(&d->context->pool, &d->schedule.tasks[task].halo);
}

/* Takes the halo of a run, whose last tile is `index`, after its task has given it. */
static void take_halo(xc_decoder *d, xc_decode_worker *w, uint32_t task, uint64_t index)
{
	xc_tile t;

	xc_pool_wait(&d->context->pool, &d->schedule.tasks[task].halo);
	xc_geometry_tile(&d->crop, index, &t);
	const xc_tile halo = xc_inverse_halo_of(&d->inverse, &t);
	xc_inverse_halo(&d->inverse, &w->inverse, &halo, halo_of(d, task));
}

/* Decodes consecutive tiles of a task; those of a run all at once. */
static void decode_tiles(xc_decoder *d, xc_decode_worker *w, uint32_t number, uint64_t index,
                         uint64_t count)
{
	const xc_tile_task *t = &d->schedule.tasks[number];
	const int run = number >= d->schedule.first_run;
	const uint64_t first = number_of(d, index);

	for (uint64_t done = 0, n; done < count; done += n) {
		n = count - done < w->coded.segments ? count - done : w->coded.segments;
		xc_coded_decode(&d->coded, &w->coded, first + done, n, d->crcs);
		for (uint64_t i = 0; run && i < n; i++)
			complete_segment(d, w, i, first + i);
		if (run && d->halos && t->x + n < d->span.wide)
			give_halo(d, number, index + n - 1, xc_coded_coefficients(&w->coded, n - 1));
		if (run && d->halos && t->x)
			take_halo(d, w, number - d->schedule.cut_rows, index - 1);
		for (uint64_t i = 0; i < n; i++) {
			/* In a band each segment is completed just before use, in the first-level cache. */
			if (!run)
				complete_segment(d, w, i, first + done + i);
			decode_tile(d, w, &t->band, index + done + i, xc_coded_coefficients(&w->coded, i));
			decode_alpha(d, w, index + done + i, first + done + i);
		}
		if (told(d, w, n))
			return;
	}
}

static void run_task(void *user, uint64_t number, int worker)
{
	xc_decoder *d = user;
	const xc_tile_task *t = xc_schedule_begin(&d->schedule, (uint32_t)number);
	const uint32_t end = t->band.end < d->batch_end ? t->band.end : d->batch_end;
	uint32_t row = t->band.first > d->tile_row ? t->band.first : d->tile_row;
	const uint32_t at_once = t->tiles == d->coded.container.geometry.tiles_wide ? end - row : 1;

	for (; row < end; row += at_once)
		decode_tiles(d, &d->workers[worker], (uint32_t)number, (uint64_t)row * d->span.wide + t->x,
		             (uint64_t)at_once * t->tiles);
	if (!__atomic_load_n(&d->context->cancelled, __ATOMIC_RELAXED))
		xc_schedule_end(&d->schedule, (uint32_t)number, &d->inverse);
}

/* Decodes a tile of the batch of a file without loss. */
static void run_lossless(void *user, uint64_t item, int worker)
{
	xc_decoder *d = user;
	xc_decode_worker *w = &d->workers[worker];
	const uint64_t index = (uint64_t)d->tile_row * d->span.wide + item;
	const uint64_t number = number_of(d, index);

	if (!xc_decoder_lossless_tile(d, w, index, number))
		note_damage(d, number, 0);
	told(d, w, 1);
}

static xc_status run_tasks(xc_decoder *d)
{
	const uint64_t tiles = (uint64_t)(d->batch_end - d->tile_row) * d->span.wide;

	if (d->lossless)
		return xc_parallel_by(d->context, (int)d->schedule.workers, tiles, run_lossless, d, 1, 1);
	xc_schedule_plan(&d->schedule, d->tile_row, d->batch_end);
	return xc_parallel_by(d->context, (int)d->schedule.workers, d->schedule.task_count, run_task, d,
	                      1, 1);
}

/* ------------------------------------------------------------------ batch */

uint32_t xc_decoder_plan_batch(xc_decoder *d)
{
	const uint32_t left = d->crop.tiles_high - d->tile_row, n = d->schedule.batch_rows;

	d->batch_end = d->tile_row + (n < left ? n : left);
	if (d->lossless)
		return xc_reduced_size(xc_min_u32(d->batch_end * xc_inverse_tile_height(&d->crop),
		                                  d->crop.height),
		                       d->scale);
	return d->scale > 1 ? xc_reduced_rows(&d->reduced, d->batch_end)
	                    : xc_inverse_rows(&d->inverse, d->batch_end);
}

static void reduce_lines(void *user, uint64_t item, int worker)
{
	const rows_job *j = user;
	const uint32_t first = j->decoder->made + (uint32_t)item * j->each;

	for (uint32_t y = first; y < j->end && y - first < j->each; y++)
		xc_reduced_line(&j->decoder->reduced, y, worker);
}

/* Makes the pixels of a reduced picture, which need all tasks to be done. */
static xc_status finish_pixels(xc_decoder *d, uint32_t end)
{
	/* Each worker has a line of its own, so there are no more items than workers. */
	const uint32_t workers = d->schedule.workers;
	rows_job j = {d, end, (end - d->made + workers - 1) / workers};

	return xc_parallel_for(d->context, workers, xc_decoder_time(d), reduce_lines, &j, 1, 1);
}

xc_status xc_decoder_fail_segment(xc_decoder *d)
{
	const xc_container *k = &d->coded.container;
	return xc_fail_segment(d->context, &k->geometry, d->first_damaged / k->layers,
	                       (uint32_t)(d->first_damaged % k->layers));
}

static xc_status check_damage(xc_decoder *d)
{
	const int whole = d->span.wide == d->coded.container.geometry.tiles_wide &&
	                  d->span.high == d->coded.container.geometry.tiles_high;
	const int last = d->batch_end == d->crop.tiles_high;
	int intact = 1;

	if (whole && !d->from_memory)
		intact = xc_feed_intact(&d->feed, d->batch_end - d->tile_row, d->crcs);
	else if (whole && last && !d->damaged)
		intact = xc_coded_data_intact(&d->coded.container, d->crcs);
	xc_status s = XC_OK;
	if (d->damaged && !d->options.keep_going)
		s = xc_decoder_fail_segment(d);
	else if (!intact && !d->damaged) {
		/* Every segment passed its check of 16 bits, which missed this damage. */
		d->damaged = 1;
		s = d->options.keep_going ? XC_OK
		                          : xc_fail(d->context, XC_ERR_CORRUPT, "some segment is damaged");
	}
	return s;
}

/* The size of a file read in order is unknown: the bytes so far must do for rows up to `end`. */
static xc_status check_expansion(xc_decoder *d, uint32_t end)
{
	const uint64_t rows = (uint64_t)end * d->scale;

	return d->from_memory || d->feed.input.source.read_at
	           ? XC_OK
	           : xc_check_expansion(d->context, d->lossless != NULL, rows * d->crop.width,
	                                d->feed.input.offset);
}

static xc_status load(xc_decoder *d)
{
	const xc_tile_span rows = {d->span.x, d->span.y + d->tile_row, d->span.wide,
	                           d->batch_end - d->tile_row};
	return d->from_memory ? XC_OK : xc_feed_load(&d->feed, &rows);
}

xc_status xc_decoder_run_batch(xc_decoder *d, uint32_t end, const xc_pixels *to)
{
	xc_status s = load(d);

	if (!s)
		s = check_expansion(d, end);
	if (s)
		return s;
	memcpy(d->window.plane, to->plane, sizeof to->plane);
	memcpy(d->window.stride, to->stride, sizeof to->stride);
	d->window_first = d->inverse.first_row = d->reduced.output.first_row = d->made;
	s = run_tasks(d);
	/* The other workers may have done all tasks. */
	if (!s)
		report(d);
	if (!s)
		s = check_damage(d);
	if (!s && d->scale > 1 && !d->lossless)
		s = finish_pixels(d, end);
	if (!s && d->alpha.window)
		s = put_alpha_rows(d, end);
	d->tile_row = d->batch_end;
	d->made = end;
	return s;
}
