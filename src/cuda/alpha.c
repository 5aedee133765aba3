/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/cuda/decoder.h"

#include <string.h>

#include "src/container/parser.h"
#include "src/core/arena.h"
#include "src/core/crc32c.h"
#include "src/core/layout.h"
#include "src/core/parallel.h"
#include "src/encode/encoder.h"
#include "src/encode/plan.h"

/* --------------------------------------------------------------- encoding */

typedef struct worker {
	uint8_t *scratch;
	xc_arena arena;
} worker;

typedef struct interleaver {
	xc_cpu cpu;
	int effort;
	const xc_picture *picture;
	xc_geometry geometry;
	xc_segment_bits *segments; /* two a tile */
	worker *workers;
	int worker_count, out_of_memory;
} interleaver;

static void code_tile(void *user, uint64_t item, int index)
{
	interleaver *v = user;
	worker *w = &v->workers[index];
	const xc_pixels p = xc_pixels_of(v->picture);
	size_t size;
	const uint8_t *out = xc_alpha_tile_encode(v->cpu, v->effort, &v->geometry, item, &p, 0,
	                                          w->scratch, &w->arena, &size);

	if (out)
		v->segments[2 * item + 1] = (xc_segment_bits){out, 0, (uint32_t)size,
		                                              xc_crc32c(0, out, size)};
	else
		__atomic_store_n(&v->out_of_memory, 1, __ATOMIC_RELAXED);
}

/* Scratch of which a coder has as much as `size` says, and the samples of a tile after it. */
static uint8_t *scratch_for(xc_context *c, const xc_geometry *g, uint32_t depth,
                            size_t (*size)(const xc_lossless_shape *))
{
	xc_tile t; /* the first tile is the largest */
	const xc_lossless_shape s = xc_alpha_tile(g, 0, depth, &t);
	return xc_scratch_allocate(c, size(&s) + xc_lossless_bound(&s));
}

static xc_status code_tiles(xc_context *c, interleaver *v)
{
	const uint64_t tiles = xc_geometry_tiles(&v->geometry);
	const uint64_t time = xc_parallel_coding_time((uint64_t)v->picture->width * v->picture->height);
	const size_t n = (size_t)xc_parallel_workers(c, tiles, time);

	v->segments = xc_allocate_zeroed(c, (size_t)tiles * 2 * sizeof *v->segments);
	v->workers = xc_allocate_zeroed(c, n * sizeof *v->workers);
	if (!v->segments || !v->workers)
		return xc_fail_memory(c, (size_t)tiles * 2 * sizeof *v->segments);
	for (; v->worker_count < (int)n; v->worker_count++) {
		worker *w = &v->workers[v->worker_count];
		w->arena.context = c;
		w->scratch = scratch_for(c, &v->geometry, v->picture->depth, xc_lossless_encode_scratch);
		if (!w->scratch)
			return xc_fail_memory(c, 0);
	}
	const xc_status s = xc_parallel_for(c, tiles, time, code_tile, v, 1, 1);
	return v->out_of_memory ? xc_fail_memory(c, 0) : s;
}

/* Takes the next chunk of a file that is right. */
static const uint8_t *next_chunk(const uint8_t *at, xc_chunk *chunk)
{
	(void)xc_chunk_take_apart(at, 4 + XC_LENGTH_BYTES, chunk);
	return at + chunk->whole;
}

/* The segments of colour of a piece, whose first tile is given; returns how many. */
static uint64_t take_piece(interleaver *v, const xc_chunk *index, const xc_chunk *data,
                           uint64_t tile)
{
	const uint32_t width = index->payload[0];
	const uint64_t n = (index->length - 1) / (width + 2);
	const xc_piece piece = {.entries = index->payload + 1, .size_bytes = width, .segments = n};
	xc_index_reader r = xc_index_begin(&piece);
	const uint8_t *from = data->payload;

	for (uint64_t i = 0; i < n; i++) {
		uint16_t check;
		const uint32_t size = xc_index_next(&r, &check);
		v->segments[2 * (tile + i)] = (xc_segment_bits){from, 0, size, xc_crc32c(0, from, size)};
		from += size;
	}
	return n;
}

static void write_piece(xc_writer *w, xc_segment_bits *s, uint64_t n)
{
	uint64_t total;
	const uint32_t crc = xc_write_piece_start(w, s, n, &total);

	for (uint64_t i = 0; i < n; i++) {
		if (s[i].size)
			memcpy(w->next, s[i].data, s[i].size);
		w->next += s[i].size;
	}
	xc_write_u32(w, crc);
}

/* What the file takes at most: a piece has a row of tiles at least. */
static uint64_t file_bound(const interleaver *v, size_t size)
{
	const uint64_t tiles = xc_geometry_tiles(&v->geometry);
	uint64_t bound = size + xc_piece_overhead(2 * tiles) +
	                 v->geometry.tiles_high * xc_piece_overhead(0);

	for (uint64_t i = 0; i < tiles; i++)
		bound += v->segments[2 * i + 1].size;
	return bound;
}

static size_t interleave(interleaver *v, const xc_buffer *file, uint8_t *out)
{
	const uint8_t *at = file->data + XC_MAGIC_BYTES, *end = file->data + file->size;
	xc_writer w = {out};
	uint64_t tile = 0;

	memcpy(w.next, file->data, XC_MAGIC_BYTES);
	w.next += XC_MAGIC_BYTES;
	while (at < end) {
		xc_chunk c, data;
		at = next_chunk(at, &c);
		if (memcmp(c.type, "INDX", 4)) {
			memcpy(w.next, c.start, (size_t)c.whole);
			w.next += c.whole;
			continue;
		}
		at = next_chunk(at, &data);
		const uint64_t n = take_piece(v, &c, &data, tile);
		write_piece(&w, v->segments + 2 * tile, 2 * n);
		tile += n;
	}
	return (size_t)(w.next - out);
}

xc_status xc_cuda_interleave_alpha(xc_context *c, const xc_picture *p, const xc_encode_options *o,
                                   xc_buffer *file)
{
	xc_encode_plan plan;

	xc_encode_plan_init(&plan, p, o);
	interleaver v = {.cpu = c->cpu, .effort = o->effort, .picture = p, .geometry = plan.geometry};
	xc_status s = code_tiles(c, &v);
	const uint64_t bound = s ? 0 : file_bound(&v, file->size);
	uint8_t *out = s ? NULL : xc_allocate(c, (size_t)bound);
	if (!s && !out)
		s = xc_fail_memory(c, (size_t)bound);
	if (!s) {
		const size_t size = interleave(&v, file, out);
		xc_buffer_free(c, file);
		*file = (xc_buffer){out, size};
	}
	for (int i = 0; i < v.worker_count; i++) {
		xc_scratch_free(c, v.workers[i].scratch);
		xc_arena_free(&v.workers[i].arena);
	}
	xc_release(c, v.workers);
	xc_release(c, v.segments);
	return s;
}

/* --------------------------------------------------------------- decoding */

typedef struct reader {
	xc_cpu cpu;
	const xc_container *container;
	const xc_picture *plane;
	uint8_t *scratch;
} reader;

/* Decodes the segment that starts `start` bytes after the first of all; 0: it is damaged. */
static int decode_tile(const reader *r, uint64_t tile, uint64_t start, uint32_t size,
                       uint16_t check, uint32_t *crc)
{
	const xc_container *k = r->container;
	const xc_picture *p = r->plane;
	const size_t bytes = p->depth / 8;
	const uint8_t *at = k->data + start;
	xc_tile t;
	const xc_lossless_shape shape = xc_alpha_tile(&k->geometry, tile, p->depth, &t);
	uint8_t *samples = r->scratch + xc_lossless_decode_scratch(&shape);
	int intact = start + size <= k->data_available;

	if (intact) {
		*crc = xc_crc32c(0, at, size);
		intact = (*crc & 0xffff) == check;
	}
	if (!xc_lossless_decode_alpha(r->cpu, &shape, at, intact ? size : 0, r->scratch, samples))
		intact = 0;
	for (uint32_t y = 0; y < t.height; y++)
		memcpy((uint8_t *)p->data + (t.y + y) * p->stride + t.x * bytes,
		       samples + (size_t)y * t.width * bytes, t.width * bytes);
	return intact;
}

xc_status xc_cuda_decode_alpha(xc_context *c, const xc_container *k, const xc_picture *plane,
                               uint32_t *crcs, uint8_t *intact)
{
	const reader r = {c->cpu, k, plane,
	                  scratch_for(c, &k->geometry, plane->depth, xc_lossless_decode_scratch)};
	uint64_t tile = 0;

	if (!r.scratch)
		return xc_fail_memory(c, 0);
	for (uint64_t i = 0; i < k->piece_count; i++) {
		const xc_piece *piece = &k->pieces[i];
		xc_index_reader next = xc_index_begin(piece);
		uint64_t start = piece->start;
		for (uint64_t j = 0; j < piece->segments; j += 2, tile++) {
			uint16_t check = 0;
			uint32_t size = 0;
			if (piece->entries) {
				start += xc_index_next(&next, &check);
				size = xc_index_next(&next, &check);
			}
			intact[tile] = (uint8_t)decode_tile(&r, tile, start, size, check, &crcs[2 * tile + 1]);
			start += size;
		}
	}
	xc_scratch_free(c, r.scratch);
	return XC_OK;
}
