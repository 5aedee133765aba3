/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pictures so wide that several threads decode stretches of a row of tiles: the pixels, and the count of damaged
 * segments, of one thread.
 */
#define _GNU_SOURCE /* cpu_set_t */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

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
	xc_decoder *d = NULL;
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
	xc_decoder_free(d);
	return p;
}

static void compare(const job *j)
{
	uint64_t damaged, found;
	xc_picture one = decode(j, 1, &damaged);
	for (size_t i = 0; i < COUNT(threads); i++) {
		xc_picture p = decode(j, threads[i], &found);
		CHECK(xc_sample_equal(&one, &p), "%d threads: other pixels", threads[i]);
		CHECK(found == damaged, "%d threads: %llu segments are damaged, not %llu", threads[i],
		      (unsigned long long)found, (unsigned long long)damaged);
		free(p.data);
	}
	free(one.data);
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
			xc_picture one = decode(&j, 1, &damaged);
			for (processors = 2; processors <= 16; processors += 1 + processors / 6) {
				xc_picture many = decode(&j, 0, &damaged);
				CHECK(xc_sample_equal(&one, &many), "%ux%u, %d processors: other pixels",
				      sizes[i][0], sizes[i][1], processors);
				free(many.data);
			}
			free(one.data);
		}
		xc_buffer_free(j.context, &j.file);
		xc_context_free(j.context);
	}
}

int main(void)
{
	RUN_FOR("built-in codes", XC_TEST_BUILT_IN, as_many_as_pay);
	RUN_FOR("rANS", XC_TEST_RANS, as_many_as_pay);
	RUN_FOR("DCT", XC_TRANSFORM_DCT, pictures);
	RUN_FOR("LOT", XC_TRANSFORM_LOT, pictures);
	RUN_FOR("TDLT", XC_TRANSFORM_TDLT, pictures);
	return check_done();
}
