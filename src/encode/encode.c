/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xc_encode(): the first pass transforms and tokenizes all tiles and counts their symbols.  Then
 * the codes are built, the second pass codes all tokens, and the segments are put together.
 * With built-in codes there is only the second pass.
 *
 * The tokens of a picture are kept between the passes as long as they take no more memory than
 * the picture itself; tiles beyond that are transformed again.
 */
#include <string.h>

#include "src/container/alpha.h"
#include "src/container/container.h"
#include "src/container/segment.h"
#include "src/core/crc32c.h"
#include "src/core/parallel.h"
#include "src/encode/plan.h"
#include "src/pixels/forward.h"

typedef struct segment {
	xc_tile_tokens tokens;
	const uint8_t *bits;
	uint64_t offset; /* among the segments */
	uint32_t size, crc;
} segment;

/* How often each symbol occurs. */
typedef struct sums {
	uint64_t dc[XC_DC_SYMBOLS], ac[XC_AC_SYMBOLS];
} sums;

typedef struct worker {
	xc_forward_scratch forward;
	void *coefficients;
	xc_arena tokens, bits;
	xc_token_counts counts[2];
	uint64_t counted; /* bytes of tokens in counts, which have 32 bits */
	sums sums[2];
} worker;

typedef struct encoder {
	xc_context *context;
	const xc_metadata *metadata;
	xc_encode_plan plan;
	xc_forward forward;
	const xc_entropy_level *level;
	xc_huffman_code codes[2][2];
	xc_coder_tables tables[2];
	segment *segments;
	uint64_t count;
	uint64_t time; /* of coding, see src/core/parallel.h */
	worker *workers;
	int worker_count;
	uint64_t kept, budget; /* bytes of tokens */
	int out_of_memory;
	xc_buffer alpha;
	uint8_t *data; /* where the segments go */
} encoder;

static xc_status set_up_workers(encoder *e)
{
	xc_context *c = e->context;
	const size_t coefficients = (size_t)xc_geometry_tile_blocks(&e->plan.geometry) * 64 *
	                            e->level->width;
	const size_t n = (size_t)xc_parallel_workers(c, e->count, e->time);
	e->workers = xc_allocate_zeroed(c, n * sizeof *e->workers);
	if (!e->workers)
		return xc_fail_memory(c, n * sizeof *e->workers);
	e->worker_count = (int)n;
	for (size_t i = 0; i < n; i++) {
		worker *w = &e->workers[i];
		w->tokens.context = w->bits.context = c;
		const xc_status s = xc_forward_scratch_init(c, &w->forward, &e->forward);
		if (s)
			return s;
		w->coefficients = xc_scratch_allocate(c, coefficients);
		if (!w->coefficients)
			return xc_fail_memory(c, coefficients);
	}
	return XC_OK;
}

static xc_status set_up(encoder *e, const xc_picture *p, const xc_encode_options *o)
{
	xc_context *c = e->context;
	xc_encode_plan_init(&e->plan, p, o);
	e->forward = (xc_forward){
		.picture = p,
		.geometry = &e->plan.geometry,
		.kernels = xc_kernels_get(c->cpu),
		.transform = o->transform,
	};
	memcpy(e->forward.tables, e->plan.tables, sizeof e->forward.tables);
	e->level = xc_entropy_level_get(c->cpu, p->depth == 16);
	e->budget = (uint64_t)p->width * p->height * xc_picture_pixel_bytes(p);
	e->count = xc_geometry_tiles(&e->plan.geometry);
	e->time = xc_parallel_coding_time((uint64_t)p->width * p->height);
	if (e->count > SIZE_MAX / sizeof *e->segments)
		return xc_fail_memory(c, SIZE_MAX);
	e->segments = xc_allocate_zeroed(c, (size_t)e->count * sizeof *e->segments);
	if (!e->segments)
		return xc_fail_memory(c, (size_t)e->count * sizeof *e->segments);
	const xc_status s = set_up_workers(e);
	if (s || p->channels % 2)
		return s;
	return xc_alpha_encode(c, p, &e->alpha);
}

static int tokenize(encoder *e, worker *w, uint64_t item, xc_tile_tokens *tokens)
{
	xc_tile tile;
	xc_geometry_tile(&e->plan.geometry, item, &tile);
	xc_forward_tile(&e->forward, &w->forward, &tile, w->coefficients);
	if (xc_tile_tokenize(&w->tokens, e->level, &e->plan.geometry, &tile, w->coefficients, tokens))
		return 1;
	__atomic_store_n(&e->out_of_memory, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Adds the counts to the sums and clears them. */
static void fold_counts(worker *w)
{
	for (int class = 0; class < 2; class ++)
		xc_token_counts_fold(&w->counts[class], w->sums[class].dc, w->sums[class].ac);
	memset(w->counts, 0, sizeof w->counts);
	w->counted = 0;
}

static void count_tile(void *user, uint64_t item, int index)
{
	encoder *e = user;
	worker *w = &e->workers[index];
	xc_tile_tokens *tokens = &e->segments[item].tokens;
	if (!tokenize(e, w, item, tokens))
		return;
	if (w->counted + tokens->bytes > UINT32_MAX)
		fold_counts(w);
	w->counted += tokens->bytes;
	xc_tile_count(e->level, tokens, e->plan.geometry.components, w->counts);
	if (__atomic_add_fetch(&e->kept, tokens->bytes, __ATOMIC_RELAXED) <= e->budget)
		xc_arena_keep(&w->tokens, tokens->bytes);
	else
		tokens->bytes = 0;
}

static void code_tile(void *user, uint64_t item, int index)
{
	encoder *e = user;
	worker *w = &e->workers[index];
	segment *s = &e->segments[item];
	xc_tile tile;
	if (!s->tokens.bytes && !tokenize(e, w, item, &s->tokens))
		return;
	xc_geometry_tile(&e->plan.geometry, item, &tile);
	uint8_t *out = xc_arena_reserve(&w->bits, xc_tile_code_bound(&tile));
	if (!out) {
		__atomic_store_n(&e->out_of_memory, 1, __ATOMIC_RELAXED);
		return;
	}
	const uint8_t *end = xc_tile_code(e->level, &s->tokens, e->plan.geometry.components, e->tables,
	                                  out);
	s->bits = out;
	s->size = (uint32_t)(end - out);
	s->crc = xc_crc32c(0, out, s->size);
	xc_arena_keep(&w->bits, s->size);
}

/* What all workers have counted. */
static sums sum_counts(const encoder *e, int class)
{
	sums s = {0};
	for (int i = 0; i < e->worker_count; i++) {
		const worker *w = &e->workers[i];
		xc_token_counts_fold(&w->counts[class], s.dc, s.ac);
		for (int k = 0; k < XC_DC_SYMBOLS; k++)
			s.dc[k] += w->sums[class].dc[k];
		for (int k = 0; k < XC_AC_SYMBOLS; k++)
			s.ac[k] += w->sums[class].ac[k];
	}
	return s;
}

static void build_codes(encoder *e, int optimized)
{
	for (int class = 0; class < 2; class ++) {
		if (optimized) {
			const sums s = sum_counts(e, class);
			xc_huffman_build(&e->codes[class][0], s.dc, XC_DC_SYMBOLS, XC_MAX_STORED_LENGTH);
			xc_huffman_build(&e->codes[class][1], s.ac, XC_AC_SYMBOLS, XC_MAX_STORED_LENGTH);
		} else {
			memcpy(e->codes[class], xc_default_codes(e->context)[class], sizeof e->codes[class]);
		}
		xc_coder_tables_init(&e->tables[class], &e->codes[class][0], &e->codes[class][1]);
	}
}

static void copy_segment(void *user, uint64_t item, int index)
{
	const encoder *e = user;
	const segment *s = &e->segments[item];
	(void)index;
	memcpy(e->data + s->offset, s->bits, s->size);
}

static uint32_t index_width(const encoder *e)
{
	uint32_t most = 0;
	for (uint64_t i = 0; i < e->count; i++)
		most = e->segments[i].size > most ? e->segments[i].size : most;
	return most < 1 << 16 ? 2 : most < 1 << 24 ? 3 : 4;
}

static void write_index(const encoder *e, xc_writer *w, uint32_t width)
{
	const uint8_t *start = xc_write_chunk_start(w, "INDX", 1 + e->count * (width + 2));
	*w->next++ = (uint8_t)width;
	for (uint64_t i = 0; i < e->count; i++) {
		const segment *s = &e->segments[i];
		for (uint32_t b = 0; b < width; b++)
			*w->next++ = (uint8_t)(s->size >> 8 * b);
		*w->next++ = (uint8_t)s->crc;
		*w->next++ = (uint8_t)(s->crc >> 8);
	}
	xc_write_chunk_end(w, start);
}

/* The CRC of DATA covers its type and length and then, instead of the payload, the
 * CRCs of all segments. */
static void write_data(encoder *e, xc_writer *w, uint64_t total)
{
	const uint8_t *start = xc_write_chunk_start(w, "DATA", total);
	uint32_t crc = xc_crc32c(0, start, (size_t)(w->next - start));
	e->data = w->next;
	xc_parallel_for(e->context, e->count, xc_parallel_copying_time(total), copy_segment, e, 0.97,
	                1);
	for (uint64_t i = 0; i < e->count; i++) {
		const uint32_t s = e->segments[i].crc;
		const uint8_t bytes[4] = {(uint8_t)s, (uint8_t)(s >> 8), (uint8_t)(s >> 16),
		                          (uint8_t)(s >> 24)};
		crc = xc_crc32c(crc, bytes, sizeof bytes);
	}
	w->next += total;
	xc_write_u32(w, crc);
}

static xc_status assemble(encoder *e, xc_buffer *out)
{
	uint64_t total = 0;
	for (uint64_t i = 0; i < e->count; i++) {
		e->segments[i].offset = total;
		total += e->segments[i].size;
	}
	const uint32_t width = index_width(e);
	const uint64_t bound = xc_container_overhead(e->metadata, e->alpha.size) +
	                       e->count * (width + 2) + total;
	if (bound > SIZE_MAX)
		return xc_fail_memory(e->context, SIZE_MAX);
	out->data = xc_allocate(e->context, (size_t)bound);
	if (!out->data)
		return xc_fail_memory(e->context, (size_t)bound);

	xc_writer w = {out->data};
	const int tables = e->plan.geometry.components == 1 ? 1 : 2;
	xc_write_magic(&w);
	xc_write_head(&w, &e->plan.header);
	xc_write_metadata(&w, e->metadata);
	xc_write_quant(&w, e->plan.quant_preset, tables, e->plan.steps);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_STORED)
		xc_write_codes(&w, e->plan.geometry.components, e->codes);
	if (e->alpha.size)
		xc_write_alpha(&w, e->alpha.data, e->alpha.size);
	write_index(e, &w, width);
	write_data(e, &w, total);
	xc_write_done(&w);
	out->size = (size_t)(w.next - out->data);
	return XC_OK;
}

static xc_status run(encoder *e, const xc_picture *p, const xc_encode_options *o, xc_buffer *out)
{
	xc_context *c = e->context;
	const int optimized = o->huffman == XC_HUFFMAN_OPTIMIZED;
	xc_status s = set_up(e, p, o);
	if (s)
		return s;
	xc_stage(c, "set-up");
	if (optimized) {
		xc_parallel_for(c, e->count, e->time, count_tile, e, 0, 0.7);
		if (e->out_of_memory)
			return xc_fail_memory(c, (size_t)e->kept);
		xc_stage(c, "transform");
	}
	build_codes(e, optimized);
	xc_stage(c, "tables");
	xc_parallel_for(c, e->count, e->time, code_tile, e, optimized ? 0.7 : 0, 0.97);
	if (e->out_of_memory)
		return xc_fail_memory(c, (size_t)e->kept);
	xc_stage(c, optimized ? "coding" : "transform and coding");
	s = assemble(e, out);
	xc_stage(c, "assembly");
	return s;
}

static void tear_down(encoder *e)
{
	xc_context *c = e->context;
	for (int i = 0; i < e->worker_count; i++) {
		worker *w = &e->workers[i];
		xc_forward_scratch_free(c, &w->forward);
		xc_scratch_free(c, w->coefficients);
		xc_arena_free(&w->tokens);
		xc_arena_free(&w->bits);
	}
	xc_release(c, e->workers);
	xc_release(c, e->segments);
	xc_buffer_free(c, &e->alpha);
	xc_release(c, e);
}

xc_status xc_encode(xc_context *c, const xc_picture *picture, const xc_metadata *metadata,
                    const xc_encode_options *options, xc_buffer *out)
{
	xc_encode_options o;
	xc_begin(c);
	if (!out)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*out = (xc_buffer){0};
	xc_status s = xc_picture_check_data(c, picture);
	if (!s)
		s = xc_encode_take_options(c, options, metadata, &o);
	if (s)
		return s;
	int done = 0;
	if (c->device.backend)
		s = c->device.backend->encode(c, picture, metadata, &o, out, &done);
	if (done)
		return s;
	encoder *e = xc_allocate_zeroed(c, sizeof *e);
	if (!e)
		return xc_fail_memory(c, sizeof *e);
	e->context = c;
	e->metadata = metadata;
	s = run(e, picture, &o, out);
	tear_down(e);
	if (s)
		xc_buffer_free(c, out);
	return s;
}
