/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the sizes of batches, bands and runs, and lists the tasks of each batch. */
#include "src/decode/schedule.h"

#include "src/core/parallel.h"
#include "src/decode/decoder.h"

uint32_t xc_schedule_band_rows(const xc_geometry *g, xc_transform transform, int threads)
{
	/* A lapped transform with chroma of half the height needs two rows of MCUs. */
	const uint32_t smallest = xc_transform_laps(transform) && g->v == 2 && g->tile_mcus_high == 1
	                              ? 2
	                              : 1;

	/* Segments are decoded two at a time, so a narrow picture has more rows in a band. */
	return xc_max_u32(smallest, xc_min_u32(xc_divide_up(4, g->tiles_wide),
	                                       g->tiles_high / (uint32_t)threads));
}

/* Tile rows of each of the next bands, one for each worker, when `left` rows are left. Together
 * they take two thirds of these. */
static uint32_t next_band_rows(const xc_schedule *s, uint32_t left)
{
	const uint64_t share = (uint64_t)left * 2 / 3 / s->workers;
	return s->batch_rows < s->rows ? s->band_rows : xc_max_u32((uint32_t)share, s->band_rows);
}

static uint32_t runs_of(const xc_schedule *s)
{
	return s->split < s->rows ? xc_divide_up(s->wide, s->run_tiles) : 1;
}

xc_status xc_schedule_init(xc_context *c, xc_schedule *s)
{
	const uint32_t whole = xc_min_u32(s->split, s->batch_rows), cut = s->batch_rows - whole;
	const uint64_t tasks = whole + (uint64_t)cut * runs_of(s);
	const size_t bytes = (size_t)tasks * sizeof *s->tasks;

	s->tasks = xc_allocate(c, bytes);
	s->edges = xc_allocate(c, s->batch_rows * sizeof *s->edges);
	if (!s->tasks || !s->edges)
		return xc_fail_memory(c, bytes);
	xc_schedule_plan(s, 0, s->batch_rows);
	return XC_OK;
}

void xc_schedule_free(xc_context *c, xc_schedule *s)
{
	xc_release(c, s->tasks);
	xc_release(c, s->edges);
}

uint32_t xc_schedule_edges(const xc_schedule *s)
{
	if (!s->bands)
		return 0;
	/* The edges within a batch, and those to the batches before and after. */
	return s->batch_rows < s->rows ? s->bands + 1 : s->bands - 1;
}

/* Adds tiles x to `end` - 1 of a band to the list. */
static void add(xc_schedule *s, xc_row_band band, uint32_t x, uint32_t end)
{
	s->tasks[s->task_count++] = (xc_tile_task){band, x, xc_min_u32(end, s->wide) - x, 0};
}

void xc_schedule_plan(xc_schedule *s, uint32_t first, uint32_t end)
{
	const uint32_t whole = xc_min_u32(s->split, end), band = first ? s->first_band + s->bands : 0;
	uint32_t row = first, rows = 0, n = 0;

	s->first_band = band;
	s->bands = s->cut_rows = s->task_count = s->begun = 0;
	s->first_run = 1;
	if (s->workers == 1) {
		add(s, (xc_row_band){0, s->rows, 0}, 0, s->wide);
		return;
	}
	for (; row < whole; row = xc_min_u32(row + rows, end), n++) {
		if (n % s->workers == 0)
			rows = next_band_rows(s, s->rows - row);
		add(s, (xc_row_band){row, xc_min_u32(row + rows, end), band + n}, 0, s->wide);
	}
	s->first_run = n;
	s->cut_rows = end - row;
	s->bands = n + s->cut_rows;
	/* Column by column, so that the run to the left has usually ended. */
	for (uint32_t x = 0; s->cut_rows && x < s->wide; x += s->run_tiles)
		for (uint32_t i = 0; i < s->cut_rows; i++)
			add(s, (xc_row_band){row + i, row + i + 1, band + n + i}, x, x + s->run_tiles);
	for (uint32_t i = 0, above = 0, own; i < s->bands; i++, above = own) {
		own = i < n ? 1 : runs_of(s);
		s->edges[i] = (xc_row_edge){i < n ? s->tasks[i].band.first : row + i - n, above + own};
	}
}

const xc_tile_task *xc_schedule_begin(xc_schedule *s, uint32_t number)
{
	__atomic_add_fetch(&s->begun, 1, __ATOMIC_SEQ_CST);
	return &s->tasks[number];
}

/* 1: this worker must write the pixels of the edge. */
static int take_edge(xc_row_edge *e)
{
	uint32_t tasks = __atomic_load_n(&e->tasks, __ATOMIC_SEQ_CST);

	return !tasks && e->row &&
	       __atomic_compare_exchange_n(&e->tasks, &tasks, UINT32_MAX, 0, __ATOMIC_SEQ_CST,
	                                   __ATOMIC_SEQ_CST);
}

void xc_schedule_end(xc_schedule *s, uint32_t number, const xc_inverse *inv)
{
	const uint32_t above = s->tasks[number].band.index - s->first_band;

	if (!inv->slots)
		return;
	for (uint32_t i = above; i < s->bands && i <= above + 1; i++)
		__atomic_sub_fetch(&s->edges[i].tasks, 1, __ATOMIC_SEQ_CST);
	/* No edge is forgotten: the last task to begin ends later and looks at them, too. */
	if (__atomic_load_n(&s->begun, __ATOMIC_SEQ_CST) < s->task_count)
		return;
	for (uint32_t i = 0; i < s->bands; i++)
		if (take_edge(&s->edges[i]))
			xc_inverse_edge(inv, s->first_band + i, s->edges[i].row);
}

/* The minimum and maximum tiles of a run. Both are even, because two or four segments are decoded
 * at a time. 0 and 0: rows are not cut. */
typedef struct run_range {
	uint32_t min, max;
} run_range;

static run_range run_range_of(const xc_decoder *d)
{
	/* The samples of a halo are made twice, so a run is at least this many halos wide. */
	enum { HALOS = 8 };
	const xc_geometry *g = &d->crop;
	const uint32_t halo = xc_inverse_halo_mcus(g, d->coded.container.header.transform);
	const uint32_t largest = (uint32_t)xc_coded_run(&d->coded) / 2 * 2;
	const uint32_t smallest =
		xc_divide_up(xc_max_u32(2, xc_divide_up(HALOS * halo, g->tile_mcus_wide)), 2) * 2;

	/* Reduced samples of a tile are added to those of the tile before, so rows must not be cut. */
	if (d->schedule.band_rows > 1 || d->scale > 1 || halo > g->tile_mcus_wide ||
	    g->tiles_wide <= xc_min_u32(smallest, largest))
		return (run_range){0, 0};
	return (run_range){xc_min_u32(smallest, largest), largest};
}

/* Tiles of a run if `rows` rows give each worker `runs` runs. */
static uint32_t run_of(const xc_schedule *s, uint32_t runs, uint32_t rows)
{
	return xc_divide_up(xc_divide_up(s->wide, xc_divide_up(runs * s->workers, rows)), 2) * 2;
}

/* Cuts rows `split` to `end` - 1. */
static void cut(xc_schedule *s, const run_range *r, uint32_t split, uint32_t end)
{
	/* Runs for each worker; ENOUGH if MANY runs had fewer tiles than are decoded at a time. */
	enum { MANY = 8, ENOUGH = 4, AT_A_TIME = 4 };
	const uint32_t rows = end - split;
	const uint32_t n = xc_max_u32(run_of(s, MANY, rows) / AT_A_TIME * AT_A_TIME,
	                              xc_min_u32(run_of(s, ENOUGH, rows), AT_A_TIME));

	s->split = split;
	s->run_tiles = xc_max_u32(r->min, xc_min_u32(n, r->max));
}

/* Cuts the bands of one row that are left over after every worker has an equal number of them. */
static void cut_last(xc_schedule *s, const run_range *r)
{
	uint32_t first = 0;

	for (uint32_t n; (n = next_band_rows(s, s->rows - first)) > s->band_rows;)
		first += xc_min_u32(s->workers * n, s->rows - first);
	const uint32_t left = s->rows - first, half = s->workers / 2;
	cut(s, r, first + (left > half ? (left - half) / s->workers * s->workers : 0), s->rows);
}

/* Tile rows of a batch for several workers, if it may have fewer than all. */
static uint64_t batch_of(xc_schedule *s, const run_range *r, uint64_t row_bytes)
{
	/* Maximum bytes of pixels: of a batch with two bands for each worker, and of one that is cut
	 * into EACH runs for each worker. */
	enum { MAX_BYTES = 1 << 24, MAX_CUT = 1 << 25, EACH = 8 };
	const uint64_t rows = (uint64_t)s->band_rows * s->workers;

	if (2 * rows * row_bytes <= MAX_BYTES)
		return 2 * rows;
	if (!r->max)
		return rows;
	const uint32_t room = row_bytes < MAX_CUT ? (uint32_t)(MAX_CUT / row_bytes) : 1;
	const uint32_t enough = xc_divide_up(EACH * s->workers, xc_divide_up(s->wide, r->max));
	const uint32_t batch = xc_min_u32(s->workers, xc_min_u32(room, enough));
	cut(s, r, 0, xc_min_u32(batch, s->rows));
	return batch;
}

xc_status xc_decoder_schedule(xc_decoder *d, int whole)
{
	const xc_geometry *g = &d->crop;
	const xc_transform transform = d->coded.container.header.transform;
	xc_schedule *s = &d->schedule;

	s->rows = s->split = g->tiles_high;
	s->wide = g->tiles_wide;
	/* Counts all threads, even if fewer are used, because runs are cut from bands of this size. */
	s->band_rows = xc_schedule_band_rows(g, transform, xc_context_threads(d->context));
	const run_range range = run_range_of(d);
	const uint64_t tasks = (uint64_t)xc_divide_up(s->rows, s->band_rows) *
	                       (range.min ? xc_divide_up(s->wide, range.min) : 1);
	s->workers = (uint32_t)xc_parallel_workers(d->context, tasks, xc_decoder_time(d));
	uint64_t batch = s->rows;
	s->batch_rows = s->rows;
	if (!whole && s->workers > 1)
		batch = batch_of(s, &range, (uint64_t)g->width * xc_inverse_tile_height(g) * d->pixel);
	else if (!whole)
		batch = xc_divide_up(XC_CODED_RUN, s->wide); /* segments enough to decode several at once */
	else if (s->workers > 1 && range.min)
		cut_last(s, &range);
	s->batch_rows = batch < s->rows ? (uint32_t)batch : s->rows;
	return xc_schedule_init(d->context, s);
}
