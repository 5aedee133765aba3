/* SPDX-License-Identifier: BSD-2-Clause */
/*
 *	png [-t THREADS] [-l LEVEL] [-n RUNS] PICTURE
 *
 * Reads the picture and writes it as PNG in memory: by libpng at level 3 and by xcodec in rows at
 * LEVEL (default: the fast one), in turn.  Then both read what libpng wrote.  Prints the least
 * times of RUNS (default 5): of the processor for one thread, and the clock's for THREADS.
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/base/clock.h"
#include "formats/rows_kind.h"
#include "src/core/pool.h"

/* A file in memory. */
typedef struct memory {
	uint8_t *data;
	size_t size, capacity, at;
} memory;

static int add(void *user, const void *bytes, size_t size)
{
	memory *m = user;
	if (size > m->capacity - m->size) {
		m->capacity = m->capacity + m->capacity / 2 + size;
		m->data = realloc(m->data, m->capacity);
		if (!m->data)
			abort();
	}
	memcpy(m->data + m->size, bytes, size);
	m->size += size;
	return 0;
}

static ptrdiff_t take(void *user, void *to, size_t size)
{
	memory *m = user;
	const size_t n = size < m->size - m->at ? size : m->size - m->at;
	memcpy(to, m->data + m->at, n);
	m->at += n;
	return (ptrdiff_t)n;
}

/* ------------------------------------------------------------------ libpng */

static void png_add(png_structp png, png_bytep from, size_t size)
{
	add(png_get_io_ptr(png), from, size);
}

static void png_flushed(png_structp png)
{
	(void)png;
}

static void png_take(png_structp png, png_bytep to, size_t size)
{
	take(png_get_io_ptr(png), to, size);
}

/* With all its filters; errors end the program. */
static void peer_writes(memory *file, const xc_picture *p)
{
	static const int types[5] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
	                             PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
	png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	png_set_write_fn(png, file, png_add, png_flushed);
	png_set_compression_buffer_size(png, 65536);
	png_set_compression_level(png, 3);
	png_set_compression_strategy(png, 0);
	png_set_IHDR(png, info, p->width, p->height, (int)p->depth, types[p->channels], 0, 0, 0);
	png_set_filter(png, 0, PNG_ALL_FILTERS);
	png_write_info(png, info);
	if (p->depth == 16)
		png_set_swap(png);
	for (uint32_t y = 0; y < p->height; y++)
		png_write_row(png, xc_file_row(p, y));
	png_write_end(png, NULL);
	png_destroy_write_struct(&png, &info);
}

static void peer_reads(memory *file, const xc_picture *p, uint8_t *rows)
{
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png_create_info_struct(png);
	png_set_read_fn(png, file, png_take);
	png_read_info(png, info);
	if (p->depth == 16)
		png_set_swap(png);
	png_read_update_info(png, info);
	for (uint32_t y = 0; y < p->height; y++)
		png_read_row(png, rows + y * p->stride, NULL);
	png_read_end(png, NULL);
	png_destroy_read_struct(&png, &info, NULL);
}

/* ------------------------------------------------------------------ rows */

enum { ROWS = 32 }; /* that a decoder gives at a time */

static char message[XC_FILE_MESSAGE];

static void check(xc_status status)
{
	if (status) {
		fprintf(stderr, "png: %s\n", message);
		exit(1);
	}
}

/* Pieces of work that threads take one after another. */
typedef struct pieces {
	void (*work)(void *arg, uint32_t i);
	void *arg;
	uint32_t count, next;
} pieces;

static void take_pieces(void *user, int worker)
{
	pieces *p = user;
	uint32_t i;
	(void)worker;
	while ((i = __atomic_fetch_add(&p->next, 1, __ATOMIC_RELAXED)) < p->count)
		p->work(p->arg, i);
}

static void share_out(void *user, uint32_t count, void (*work)(void *arg, uint32_t i), void *arg)
{
	pieces p = {work, arg, count, 0};
	xc_pool_run(user, (int)count, take_pieces, &p);
}

static void rows_write(memory *file, const xc_picture *p, int level, xc_pool *pool, int threads)
{
	const xc_byte_sink sink = {add, file};
	const xc_row_team team = {share_out, pool, (uint32_t)threads};
	xc_row_writer *writer;
	check(xc_rows_create(XC_FILE_PNG, &sink, p, NULL, level, &team, NULL, &writer, message));
	for (uint32_t y = 0; y < p->height; y += ROWS)
		check(xc_rows_write(writer, xc_file_row(p, y), p->stride,
		                    p->height - y < ROWS ? p->height - y : ROWS, message));
	check(xc_rows_end(writer, message));
	xc_rows_discard(writer);
}

static void rows_read(memory *file, const xc_picture *p, uint8_t *rows)
{
	const xc_byte_source source = {take, file};
	const xc_file_limits limits = {.max_pixels = 0};
	xc_row_reader *reader;
	check(xc_rows_open(&source, &limits, &reader, message));
	for (uint32_t y = 0; y < p->height; y += ROWS)
		check(xc_rows_read(reader, rows + y * p->stride, p->stride,
		                   p->height - y < ROWS ? p->height - y : ROWS, message));
	check(xc_rows_finish(reader, message));
	xc_rows_close(reader);
}

/* ------------------------------------------------------------------ measuring */

static double processor(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Least times, in seconds; `clock`: of the writer with one thread and with several. */
typedef struct times {
	double peer_write, write, peer_read, read, clock[2];
} times;

static void keep_least(double *least, double time)
{
	if (*least == 0 || time < *least)
		*least = time;
}

static void measure(const xc_picture *p, int level, xc_pool *pool, int threads, times *t,
                    size_t bytes[2])
{
	/* Whose memory stays from run to run, so that none has new pages. */
	static memory peer, one, several;
	uint8_t *rows = malloc(p->stride * p->height);
	peer.size = one.size = several.size = peer.at = 0;
	double start = processor();
	peer_writes(&peer, p);
	keep_least(&t->peer_write, processor() - start);
	double begin = xc_cli_seconds();
	start = processor();
	rows_write(&one, p, level, pool, 1);
	keep_least(&t->write, processor() - start);
	keep_least(&t->clock[0], xc_cli_seconds() - begin);
	begin = xc_cli_seconds();
	rows_write(&several, p, level, pool, threads);
	keep_least(&t->clock[1], xc_cli_seconds() - begin);
	if (!rows || several.size != one.size || memcmp(several.data, one.data, one.size))
		abort();
	memset(rows, 0, p->stride * p->height);
	start = processor();
	peer_reads(&peer, p, rows);
	keep_least(&t->peer_read, processor() - start);
	peer.at = 0;
	start = processor();
	rows_read(&peer, p, rows);
	keep_least(&t->read, processor() - start);
	if (memcmp(rows, p->data, p->stride * p->height))
		abort();
	bytes[0] = peer.size;
	bytes[1] = one.size;
	free(rows);
}

static void load(const char *path, xc_file_picture *picture)
{
	memory file = {0};
	uint8_t buffer[65536];
	FILE *f = fopen(path, "rb");
	if (!f) {
		perror(path);
		exit(1);
	}
	for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;)
		add(&file, buffer, n);
	fclose(f);
	check(xc_file_read(file.data, file.size, NULL, NULL, picture, message));
	free(file.data);
}

int main(int argc, char **argv)
{
	int threads = 2, level = -1, runs = 5, option;
	xc_file_picture picture;
	xc_pool pool;
	times t = {0};
	size_t bytes[2] = {0, 0};
	while ((option = getopt(argc, argv, "t:l:n:")) != -1) {
		if (option == '?')
			return 2;
		*(option == 't' ? &threads : option == 'l' ? &level : &runs) = atoi(optarg);
	}
	if (optind + 1 != argc || threads < 1 || xc_pool_init(&pool)) {
		fprintf(stderr, "usage: png [-t THREADS] [-l LEVEL] [-n RUNS] PICTURE\n");
		return 2;
	}
	load(argv[optind], &picture);
	for (int i = 0; i < runs; i++)
		measure(&picture.picture, level, &pool, threads, &t, bytes);
	printf("write  libpng level 3 %8.1f ms %10zu bytes\n", 1e3 * t.peer_write, bytes[0]);
	printf("       rows           %8.1f ms %10zu bytes  %.2f times as fast, %+.2f %%\n",
	       1e3 * t.write, bytes[1], t.peer_write / t.write,
	       100 * ((double)bytes[1] / (double)bytes[0] - 1));
	printf("       rows, clock    %8.1f ms, %d threads %8.1f ms  %.2f times as fast\n",
	       1e3 * t.clock[0], threads, 1e3 * t.clock[1], t.clock[0] / t.clock[1]);
	printf("read   libpng         %8.1f ms\n", 1e3 * t.peer_read);
	printf("       rows           %8.1f ms  %.2f times as fast\n", 1e3 * t.read,
	       t.peer_read / t.read);
	xc_pool_free(&pool);
	xc_file_picture_free(&picture);
	return 0;
}
