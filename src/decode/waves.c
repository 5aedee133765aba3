/* SPDX-License-Identifier: BSD-2-Clause */
#include <sched.h>
#include <string.h>

#include "src/core/parallel.h"
#include "src/decode/decoder.h"

/* ----------------------------------------------------------------- groups */

static void note_damage(xc_decoder *d, uint64_t tile, uint32_t layer)
{
	const uint64_t segment = tile * d->coded.container.layers + layer;
	__atomic_add_fetch(&d->damaged, 1, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&d->first_damaged, __ATOMIC_RELAXED);
	while (segment < first && !__atomic_compare_exchange_n(&d->first_damaged, &first, segment, 0,
	                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void decode_tile(xc_decoder *d, xc_decode_worker *w, uint64_t index, const void *block)
{
	xc_tile tile;
	xc_geometry_tile(&d->crop, index, &tile);
	if (d->scale == 1)
		xc_inverse_tile(&d->inverse, &w->inverse, &tile, block);
	else
		xc_reduced_tile(&d->reduced, &tile, block);
}

/* By the calling thread. */
static void report(const xc_decoder *d)
{
	const uint64_t done = __atomic_load_n(&d->tiles, __ATOMIC_RELAXED);
	xc_report_progress(d->context,
	                   (double)done / ((double)d->crop.tiles_wide * d->crop.tiles_high));
}

/* The first worker tells what all have done, since groups are large: 1 to go no further. */
static int told(xc_decoder *d, const xc_decode_worker *w, uint64_t tiles)
{
	__atomic_add_fetch(&d->tiles, tiles, __ATOMIC_RELAXED);
	if (w == d->workers)
		report(d);
	return __atomic_load_n(&d->context->cancelled, __ATOMIC_RELAXED);
}

/* The place in the file of a tile of the part. */
static uint64_t number_of(const xc_decoder *d, uint64_t index)
{
	const uint64_t row = d->span.y + index / d->span.wide;
	return row * d->coded.container.geometry.tiles_wide + d->span.x + index % d->span.wide;
}

/* Completes the coefficients of the worker's segment i, which is the tile `number` of the picture. */
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
	if (d->coded.container.layers > 1 && !xc_decoder_alpha_tile(d, w, index, number))
		note_damage(d, number, 1);
}

/* Decodes tiles of the part that follow each other in the file as well. */
static void decode_run(xc_decoder *d, xc_decode_worker *w, uint64_t index, uint64_t count)
{
	const uint64_t first = number_of(d, index);
	for (uint64_t done = 0; done < count;) {
		const uint64_t left = count - done;
		const uint64_t n = left < w->coded.segments ? left : w->coded.segments;
		xc_coded_decode(&d->coded, &w->coded, first + done, n, d->crcs);
		for (uint64_t i = 0; i < n; i++, done++) {
			complete_segment(d, w, i, first + done);
			decode_tile(d, w, index + done, xc_coded_coefficients(&w->coded, i));
			decode_alpha(d, w, index + done, first + done);
		}
		if (told(d, w, n))
			return;
	}
}

/* Decodes a stretch of a row of tiles, whose segments the worker holds all at once. */
static void decode_stretch(xc_decoder *d, xc_decode_worker *w, const xc_group_item *item)
{
	const uint64_t wide = d->span.wide, row = item->group.first;
	const uint64_t x = (uint64_t)item->stretch * d->stretch_tiles, begin = row * wide + x;
	const uint64_t n = wide - x < d->stretch_tiles ? wide - x : d->stretch_tiles;
	const uint64_t first = number_of(d, begin);
	xc_tile tile;
	xc_coded_decode(&d->coded, &w->coded, first, n, d->crcs);
	for (uint64_t i = 0; i < n; i++)
		complete_segment(d, w, i, first + i);
	if (item->stretch + 1 < item->stretches) {
		xc_geometry_tile(&d->crop, begin + n - 1, &tile);
		xc_decoder_leads_give(d, item->group.first, item->stretch, &tile,
		                      xc_coded_coefficients(&w->coded, n - 1));
	}
	if (item->stretch) {
		xc_geometry_tile(&d->crop, begin - 1, &tile);
		xc_decoder_leads_take(d, w, item->group.first, item->stretch - 1, &tile);
	}
	for (uint64_t i = 0; i < n; i++) {
		decode_tile(d, w, begin + i, xc_coded_coefficients(&w->coded, i));
		decode_alpha(d, w, begin + i, first + i);
	}
	told(d, w, n);
}

/* ------------------------------------------------------------------ edges */

/* Items of a group that the wave decodes. */
static uint32_t items_of(const xc_decoder *d, uint32_t group)
{
	const xc_group g = xc_groups_get(&d->groups, group);
	if (g.first < d->tile_row)
		return 0;
	return d->groups.stretches > 1 && g.first >= d->groups.split ? d->groups.stretches : 1;
}

/* Edges between a group of the wave and the one before it, if rows were put aside there. */
static void begin_edges(xc_decoder *d)
{
	if (!d->inverse.slots)
		return;
	const uint32_t first = xc_groups_at(&d->groups, d->tile_row).index;
	const uint32_t end = xc_groups_at(&d->groups, d->wave_end).index;
	d->first_edge = first ? first - 1 : 0;
	d->end_edge = end ? end - 1 : 0;
	for (uint32_t e = d->first_edge; e < d->end_edge; e++)
		d->edge_items[e % d->inverse.slots] = items_of(d, e) + items_of(d, e + 1);
}

/* An item is done that the edge waits for. */
static void item_done(xc_decoder *d, uint32_t edge)
{
	if (edge >= d->first_edge && edge < d->end_edge)
		__atomic_sub_fetch(&d->edge_items[edge % d->inverse.slots], 1, __ATOMIC_RELEASE);
}

/* Edges come after all items of groups, so what this waits for is under way or done. */
static void decode_edge(xc_decoder *d, uint32_t edge)
{
	while (__atomic_load_n(&d->edge_items[edge % d->inverse.slots], __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&d->context->cancelled, __ATOMIC_RELAXED))
			return;
		sched_yield();
	}
	xc_inverse_edge(&d->inverse, edge);
}

/* ------------------------------------------------------------------ items */

/* Decodes rows of tiles `row` to `end` - 1. */
static void decode_rows(xc_decoder *d, xc_decode_worker *w, uint32_t row, uint32_t end)
{
	const uint32_t wide = d->span.wide;
	const uint32_t at_once = wide == d->coded.container.geometry.tiles_wide ? end - row : 1;
	for (; row < end; row += at_once)
		decode_run(d, w, (uint64_t)row * wide, (uint64_t)at_once * wide);
}

static void decode_item(void *user, uint64_t number, int index)
{
	xc_decoder *d = user;
	xc_decode_worker *w = &d->workers[index];
	if (number >= d->items) {
		decode_edge(d, d->first_edge + (uint32_t)(number - d->items));
		return;
	}
	const xc_group_item item = xc_groups_item(&d->groups, d->tile_row, d->wave_end, number);
	const xc_group group = item.group;
	if (item.stretches > 1)
		decode_stretch(d, w, &item);
	else
		decode_rows(d, w, number ? group.first : d->tile_row,
		            group.end < d->wave_end ? group.end : d->wave_end);
	if (__atomic_load_n(&d->context->cancelled, __ATOMIC_RELAXED))
		return;
	if (group.index)
		item_done(d, group.index - 1);
	item_done(d, group.index);
}

/* Rows of pixels that are made after so many rows of tiles. */
static uint32_t complete_rows(const xc_decoder *d, uint32_t tile_rows)
{
	const xc_geometry *g = &d->crop;
	const uint32_t lap = xc_transform_laps(d->coded.container.header.transform) ? 4 : 0;
	if (d->scale > 1)
		return xc_reduced_rows(&d->reduced, tile_rows);
	if (tile_rows == g->tiles_high)
		return g->height;
	return tile_rows * xc_inverse_tile_height(g) - (g->v == 1 ? lap : 2 * lap + 1);
}

uint32_t xc_decoder_plan_wave(xc_decoder *d)
{
	const uint32_t left = d->crop.tiles_high - d->tile_row;
	d->wave_end = d->tile_row + (d->wave < left ? d->wave : left);
	return complete_rows(d, d->wave_end);
}

/* ------------------------------------------------------------------ pixels */

typedef struct rows_job {
	xc_decoder *decoder;
	uint32_t end, each; /* rows of an item */
} rows_job;

static void reduce_lines(void *user, uint64_t item, int worker)
{
	const rows_job *j = user;
	const uint32_t first = j->decoder->made + (uint32_t)item * j->each;
	for (uint32_t y = first; y < j->end && y - first < j->each; y++)
		xc_reduced_line(&j->decoder->reduced, y, worker);
}

/* Makes the pixels that wait until all groups are done. */
static xc_status finish_pixels(xc_decoder *d, uint32_t end)
{
	/* No more items than workers, each of which has a line of its own. */
	const uint32_t workers = (uint32_t)d->worker_count;
	rows_job j = {d, end, (end - d->made + workers - 1) / workers};
	return xc_parallel_for(d->context, workers, xc_decoder_time(d), reduce_lines, &j, 1, 1);
}

/* -------------------------------------------------------------------- wave */

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
	const int last = d->wave_end == d->crop.tiles_high;
	int intact = 1;
	if (whole && !d->from_memory)
		intact = xc_feed_intact(&d->feed, d->wave_end - d->tile_row, d->crcs);
	else if (whole && last && !d->damaged)
		intact = xc_coded_data_intact(&d->coded.container, d->crcs);
	xc_status s = XC_OK;
	if (d->damaged && !d->options.keep_going)
		s = xc_decoder_fail_segment(d);
	else if (!intact && !d->damaged) {
		/* Each segment looked right, so this is the damage that their 16 bits missed. */
		d->damaged = 1;
		s = d->options.keep_going ? XC_OK
		                          : xc_fail(d->context, XC_ERR_CORRUPT, "some segment is damaged");
	}
	return s;
}

/* Of a file that is read in order nobody knows the size, so what has come of it must do for the rows
 * up to `end`. */
static xc_status check_expansion(xc_decoder *d, uint32_t end)
{
	const uint64_t rows = (uint64_t)end * d->scale;
	return d->from_memory || d->feed.input.source.read_at
	           ? XC_OK
	           : xc_check_expansion(d->context, rows * d->crop.width, d->feed.input.offset);
}

static xc_status load(xc_decoder *d)
{
	const xc_tile_span rows = {d->span.x, d->span.y + d->tile_row, d->span.wide,
	                           d->wave_end - d->tile_row};
	return d->from_memory ? XC_OK : xc_feed_load(&d->feed, &rows);
}

xc_status xc_decoder_run_wave(xc_decoder *d, uint32_t end, const xc_pixels *to)
{
	xc_status s = load(d);
	if (!s)
		s = check_expansion(d, end);
	if (s)
		return s;
	memcpy(d->window.plane, to->plane, sizeof to->plane);
	memcpy(d->window.stride, to->stride, sizeof to->stride);
	d->window_first = d->inverse.first_row = d->reduced.output.first_row = d->made;
	xc_decoder_leads_begin(d);
	begin_edges(d);
	d->items = xc_groups_items(&d->groups, d->tile_row, d->wave_end);
	/* There may be more edges than workers have memory. */
	const int workers = d->items < (uint64_t)d->worker_count ? (int)d->items : d->worker_count;
	s = xc_parallel_by(d->context, workers, d->items + d->end_edge - d->first_edge, decode_item, d,
	                   1, 1);
	/* The others may have done all of a short one. */
	if (!s)
		report(d);
	if (!s)
		s = check_damage(d);
	if (!s && d->scale > 1)
		s = finish_pixels(d, end);
	if (!s && d->alpha.window)
		s = xc_decoder_alpha_rows(d, end);
	d->tile_row = d->wave_end;
	d->made = end;
	return s;
}
