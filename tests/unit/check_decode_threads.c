/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures so wide that several threads decode runs of a tile row: the pixels, and the count of
 * damaged segments, of one thread. Before that, the lists of tasks.
 */
#define _GNU_SOURCE /* cpu_set_t */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/decode/schedule.h"
#include "tests/support/codec.h"

static const int threads[] = {2, 16};
static int processors = 1; /* that the library finds */

/* In place of the system's, for contexts that take as many threads as pay. */
int sched_getaffinity(pid_t process, size_t size, cpu_set_t *set)
{
	(void)process;
	CPU_ZERO_S(size, set);
	for (int i = 0; i < processors; i++)
		CPU_SET_S(i, size, set);
	return 0;
}

/* What is decoded, and how. */
typedef struct job {
	xc_context *context;
	xc_buffer file;
	xc_decode_options options;
	int rows; /* taken as they come */
} job;

static xc_status take_rows(xc_decoder *d, const xc_picture *p)
{
	xc_status s = XC_OK;

	for (uint32_t y = 0, n; !s && y < p->height; y += n) {
		n = p->height - y < 100 ? p->height - y : 100;
		s = xc_decoder_rows(d, (uint8_t *)p->data + y * p->stride, p->stride, n);
	}
	return s;
}

/* The caller calls free(picture.data). */
static xc_picture decode(const job *j, int count, uint64_t *damaged)
{
	xc_decode_options o = j->options;
	xc_picture p;
	OWN_DECODER d = NULL;
	const xc_source source = {.memory = j->file.data, .size = j->file.size};

	CHECK(!xc_context_set_threads(j->context, count), "%d threads", count);
	CHECK_OK(j->context, xc_decoder_new(j->context, &source, &o, &d));
	xc_decoder_shape(d, &p);
	p.data = malloc(p.height * p.stride);
	if (!p.data)
		abort();
	if (j->rows)
		CHECK_OK(j->context, take_rows(d, &p));
	else
		CHECK_OK(j->context, xc_decode(j->context, j->file.data, j->file.size, &o, &p));
	*damaged = j->rows ? xc_decoder_damaged(d) : o.damaged_segments;
	return p;
}

static void compare(const job *j)
{
	uint64_t damaged, found;
	OWN_PICTURE one = decode(j, 1, &damaged);

	for (size_t i = 0; i < COUNT(threads); i++) {
		OWN_PICTURE p = decode(j, threads[i], &found);
		CHECK(xc_sample_equal(&one, &p), "%d threads: other pixels", threads[i]);
		CHECK(found == damaged, "%d threads: %llu segments are damaged, not %llu", threads[i],
		      (unsigned long long)found, (unsigned long long)damaged);
	}
}

/* A whole picture, its rows, a region, a reduced size, each of them damaged or not. */
static void all_ways(job *j)
{
	static const xc_decode_options ways[] = {
		{.jpeg_rounding = 1},
		{.region = {150, 40, 930, 200}},
		{.scale = 2},
		{.keep_going = 1},
	};

	for (int rows = 0; rows < 2; rows++) {
		j->rows = rows;
		for (size_t i = 0; i < COUNT(ways); i++) {
			j->options = ways[i];
			compare(j);
		}
	}
	/* Bytes of segments, since the index comes first. */
	for (size_t i = 1; i < 8; i++)
		j->file.data[j->file.size / 2 + i * (j->file.size / 20)] ^= 0x41;
	for (j->rows = 0; j->rows < 2; j->rows++)
		compare(j);
}

static void pictures(int transform)
{
	for (int i = 0; i < 8; i++) {
		const uint32_t channels = 3 + (uint32_t)(i % 3 == 0), depth = i % 5 == 1 ? 16 : 8;
		xc_picture p = xc_test_picture(1100 + 37 * (uint32_t)i, 270, channels, depth, 0, 1);
		xc_encode_options o = xc_test_options(i % 3 ? 75 : 25, (xc_subsampling)(i % 4),
		                                      (xc_transform)transform, XC_HUFFMAN_DEFAULT);
		job j = {.context = xc_test_context()};
		xc_test_coding(&o, i / 4 ? XC_TEST_RANS : XC_TEST_BUILT_IN);
		o.effort = 0;
		REQUIRE_OK(j.context, xc_encode(j.context, &p, NULL, &o, &j.file));
		free(p.data);
		all_ways(&j);
		xc_buffer_free(j.context, &j.file);
		xc_context_free(j.context);
	}
}

/* A thread pays for a millisecond of work, so fewer of them decode than processors are found. */
static void as_many_as_pay(int coding)
{
	static const uint32_t sizes[][2] = {{1024, 768}, {640, 1300}, {2100, 400}};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		xc_picture p = xc_test_picture(sizes[i][0], sizes[i][1], 3, 8, 0, 1);
		xc_encode_options o = xc_test_options(50, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT,
		                                      XC_HUFFMAN_DEFAULT);
		job j = {.context = xc_test_context()};
		uint64_t damaged;
		xc_test_coding(&o, coding);
		o.effort = 0;
		REQUIRE_OK(j.context, xc_encode(j.context, &p, NULL, &o, &j.file));
		free(p.data);
		for (j.rows = 0; j.rows < 2; j.rows++) {
			OWN_PICTURE one = decode(&j, 1, &damaged);
			for (processors = 2; processors <= 16; processors += 1 + processors / 6) {
				OWN_PICTURE many = decode(&j, 0, &damaged);
				CHECK(xc_sample_equal(&one, &many), "%ux%u, %d processors: other pixels",
				      sizes[i][0], sizes[i][1], processors);
			}
		}
		xc_buffer_free(j.context, &j.file);
		xc_context_free(j.context);
	}
}

/* ------------------------------------------------------------------ tasks */

/* Each tile is in one task, bands follow each other, and a run comes after its left neighbour. */
static void check_tasks(const xc_schedule *s, uint32_t first, uint32_t end)
{
	OWN_MEMORY uint8_t *seen = calloc((size_t)s->rows * s->wide, 1);
	uint32_t row = first, tiles = 0;

	if (!seen)
		abort();
	for (uint32_t i = 0; i < s->task_count; i++) {
		const xc_tile_task *t = &s->tasks[i], *left = t->x ? t - s->cut_rows : NULL;
		const xc_row_band *b = &t->band;
		const int run = i >= s->first_run;
		CHECK(b->first >= first && b->first < b->end && b->end <= end, "task %u", i);
		CHECK(t->x || b->first == row, "task %u: a gap between bands", i);
		CHECK(!left || (left >= s->tasks + s->first_run && left->x + left->tiles == t->x &&
		                left->band.first == b->first && left->band.index == b->index),
		      "task %u: not its left neighbour", i);
		CHECK(run ? b->first >= s->split && b->end == b->first + 1 : t->tiles == s->wide,
		      "task %u: neither a band nor a run", i);
		CHECK(run || b->end == end || b->end - b->first >= s->band_rows, "task %u: small", i);
		CHECK(b->end - b->first <= xc_schedule_max_band(s), "task %u: large", i);
		CHECK(!t->halo, "task %u: the halo is there", i);
		row = t->x ? row : b->end;
		for (uint32_t y = b->first; y < b->end; y++)
			for (uint32_t x = t->x; x < t->x + t->tiles && x < s->wide; x++)
				tiles += !seen[(size_t)y * s->wide + x]++;
	}
	CHECK(row == end && tiles == (end - first) * s->wide, "%u tiles of rows %u to %u", tiles, first,
	      end);
}

/* An edge waits for the tasks of the bands above and below it, those of this batch. */
static void check_edges(const xc_schedule *s)
{
	for (uint32_t e = 0; e < s->bands; e++) {
		uint32_t beside = 0, row = 0;
		for (uint32_t i = 0; i < s->task_count; i++) {
			const uint32_t band = s->tasks[i].band.index - s->first_band;
			beside += band == e || band + 1 == e;
			row = band == e ? s->tasks[i].band.first : row;
		}
		CHECK(s->edges[e].tasks == beside && s->edges[e].row == row,
		      "edge %u above row %u waits for %u tasks, not %u", e, s->edges[e].row,
		      s->edges[e].tasks, beside);
	}
}

static void lists_of_tasks(void)
{
	OWN_CONTEXT c = xc_test_context();

	for (uint32_t i = 0; i < 4000; i++) {
		const uint32_t rows = 1 + i % 61, wide = 1 + i % 23, batch = 1 + i * 7 % rows;
		const uint32_t workers = 1 + i % 7, cut = workers > 1 && i % 3;
		xc_schedule s = {.rows = rows,
		                 .wide = wide,
		                 .workers = workers,
		                 .band_rows = cut ? 1 : 1 + i % 4,
		                 .batch_rows = i % 5 ? rows : batch,
		                 .split = rows,
		                 .run_tiles = 1 + i % 5};
		if (cut)
			s.split = s.batch_rows < rows ? 0 : rows - rows / 3;
		REQUIRE(!xc_schedule_init(c, &s), "out of memory");
		if (workers == 1) {
			CHECK(s.task_count == 1 && !s.bands && !xc_schedule_edges(&s), "one worker");
			CHECK(xc_schedule_max_band(&s) == rows, "one worker has one band");
		}
		uint32_t next_band = 0;
		for (uint32_t first = 0, end; workers > 1 && first < rows; first = end) {
			end = rows - first < s.batch_rows ? rows : first + s.batch_rows;
			xc_schedule_plan(&s, first, end);
			CHECK(s.first_band == next_band, "the first band is %u", s.first_band);
			next_band += s.bands;
			check_tasks(&s, first, end);
			check_edges(&s);
		}
		xc_schedule_free(c, &s);
	}
}

int main(void)
{
	RUN(lists_of_tasks);
	RUN_FOR("built-in codes", XC_TEST_BUILT_IN, as_many_as_pay);
	RUN_FOR("rANS", XC_TEST_RANS, as_many_as_pay);
	RUN_FOR("DCT", XC_TRANSFORM_DCT, pictures);
	RUN_FOR("LOT", XC_TRANSFORM_LOT, pictures);
	RUN_FOR("TDLT", XC_TRANSFORM_TDLT, pictures);
	return check_done();
}
