/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder's schedule: which worker does what, and what waits for what.
 *
 * A *batch* is the tile rows that are loaded and decoded at once; a whole picture in memory is one.
 * A batch is a list of *tasks*, and each worker takes the next task of the list until none is left.
 * A task decodes the segments of its tiles and makes their pixels. Its tiles are a *row band*, a
 * few whole tile rows in sequence. Where a row is too large for one task, a task is a *tile run*,
 * some tiles of a row, and the band has several tasks:
 *
 *     band 0   | task 0, rows 0 to 3                |
 *              +------------ edge 1 ----------------+
 *     band 1   | task 1, rows 4 and 5               |
 *              +------------ edge 2 ----------------+
 *     band 2   | task 2 -> halo -> task 4 -> halo.. |
 *              +------------ edge 3 ----------------+
 *     band 3   | task 3 -> halo -> task 5 -> halo.. |
 *
 * Tasks depend on each other in two ways alone:
 *
 * - A run needs the *halo* of the run to its left: the coefficients at the end of its last tile.
 *   Every worker gives its halo when its segments are decoded, before it waits for another one. The
 *   left task began earlier, so the wait always ends, and usually there is none.
 * - The rows around an *edge* between two bands need both, which put them aside. Each edge counts
 *   the tasks that it waits for. A worker that finds the list empty writes the pixels of edges that
 *   wait for nothing; whoever ends the last task of another edge does the same. The edge below the
 *   last band of a batch belongs to the next batch.
 *
 * Large bands have few edges, and small ones let all workers end together. So bands shrink towards
 * the end of a picture, and its last rows are cut into runs. One worker has one band, the whole
 * picture, and no edges.
 */
#ifndef XC_SRC_DECODE_SCHEDULE_H
#define XC_SRC_DECODE_SCHEDULE_H

#include "src/pixels/inverse.h"

typedef struct xc_tile_task {
	xc_row_band band;
	uint32_t x, tiles; /* of each of its rows, from tile x on: all, or a run */
	uint32_t halo;     /* 1: the next run can take the halo; see xc_pool_wait() */
} xc_tile_task;

/* The edge above a band. */
typedef struct xc_row_edge {
	uint32_t row;   /* the tile row below it; 0: the picture's upper end, which is no edge */
	uint32_t tasks; /* that it waits for, changed atomically; UINT32_MAX: a worker has taken it */
} xc_row_edge;

typedef struct xc_schedule {
	/* The division into bands and runs, set before xc_schedule_init(). */
	uint32_t rows, wide; /* tile rows, and the tiles of each */
	uint32_t workers;
	uint32_t band_rows;  /* the minimum of a band */
	uint32_t batch_rows; /* bands shrink if these are all rows */
	uint32_t split;      /* rows from this one on, which are bands of one row, are cut into runs */
	uint32_t run_tiles;  /* of each run but the last one of a row */
	/* The batch. */
	xc_tile_task *tasks;
	uint32_t task_count;
	uint32_t first_run, cut_rows; /* the task; a run's left neighbour is cut_rows tasks before it */
	uint32_t first_band, bands;   /* bands: how many, 0 if there are no edges */
	xc_row_edge *edges;           /* [bands] */
	uint32_t begun;               /* tasks, changed atomically */
} xc_schedule;

/* The minimum of tile rows of a band if `threads` threads decode. */
uint32_t xc_schedule_band_rows(const xc_geometry *geometry, xc_transform transform, int threads);

/* Plans the first batch, the largest. xc_schedule_free() must follow, also after a failure. */
xc_status xc_schedule_init(xc_context *context, xc_schedule *schedule);
void xc_schedule_free(xc_context *context, xc_schedule *schedule);

/* Lists the tasks of the batch of rows `first` to `end` - 1, which follows the one before. */
void xc_schedule_plan(xc_schedule *schedule, uint32_t first, uint32_t end);

/* Tile rows of the largest band. */
static inline uint32_t xc_schedule_max_band(const xc_schedule *schedule)
{
	return schedule->tasks[0].band.end - schedule->tasks[0].band.first;
}

/* The number of edges that hold rows at a time. */
uint32_t xc_schedule_edges(const xc_schedule *schedule);

/* Begin and end task `number` of the batch. After the last begin, an end also writes the pixels of
 * edges that wait for nothing. */
const xc_tile_task *xc_schedule_begin(xc_schedule *schedule, uint32_t number);
void xc_schedule_end(xc_schedule *schedule, uint32_t number, const xc_inverse *inverse);

#endif
