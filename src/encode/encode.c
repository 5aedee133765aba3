/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xc_encode(): a pass transforms and tokenizes all tiles and counts their symbols.  Then
 * the codes are built, the next pass codes all tokens, and the segments are put together.
 * With built-in codes there is only the last pass.
 *
 * Decisions about values weigh the bits that these take, so they need codes before there are any:
 * those of a sample of the tiles, decided by a dead zone, or those of the pass before.
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
#include "src/encode/decide.h"
#include "src/encode/gradients.h"
#include "src/encode/plan.h"
#include "src/pixels/forward.h"

typedef struct segment {
	xc_tile_tokens tokens;
	const uint8_t *bits;
	uint64_t offset; /* among the segments */
	uint32_t size, crc;
} segment;

typedef struct worker {
	xc_forward_scratch forward;
	void *coefficients, *dc; /* of a tile; room for decisions */
	void *rans;              /* scratch of that coder */
	xc_arena tokens, bits;
	xc_token_counts counts[2][XC_AC_CONTEXTS];
	uint64_t counted; /* bytes of tokens in counts, which have 32 bits */
	xc_symbol_counts sums[2];
	xc_offsets offsets[2];
} worker;

typedef struct encoder {
	xc_context *context;
	const xc_metadata *metadata;
	xc_encode_plan plan;
	xc_forward forward;
	float colours[9];
	const xc_entropy_level *level;
	int counting, deciding; /* codes are made for the picture; values are weighed */
	xc_rans_tables *rans;   /* NULL: there are Huffman codes */
	const xc_rans_level *rans_level;
	xc_rans_decision *rans_decision; /* NULL: values are rounded, perhaps with a dead zone */
	xc_code_set codes[2];
	xc_coder coders[2];
	xc_token_contexts contexts;
	xc_decision decisions[2];
	segment *segments;
	uint64_t count, stride; /* tiles; the pass takes every stride-th of them */
	uint64_t time;          /* of coding, see src/core/parallel.h */
	worker *workers;
	int worker_count;
	int keep;              /* the tokens of the pass */
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
	xc_tile whole; /* the first tile is the largest */
	xc_geometry_tile(&e->plan.geometry, 0, &whole);
	const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, &whole);
	const size_t rans = xc_rans_scratch(&shape);
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
		w->coefficients = xc_scratch_allocate(c, coefficients + coefficients / 64);
		if (!w->coefficients)
			return xc_fail_memory(c, coefficients);
		w->dc = (char *)w->coefficients + coefficients;
		if (!e->rans)
			continue;
		w->rans = xc_scratch_allocate(c, rans);
		if (!w->rans)
			return xc_fail_memory(c, rans);
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
	if (o->colour == XC_COLOUR_PICTURE && e->plan.geometry.components > 1) {
		xc_gradients gradients;
		xc_gradients_sample(p, &gradients);
		xc_colours_choose(&gradients, e->plan.colours);
		xc_colours_forward(e->plan.colours, e->colours);
		e->plan.has_colours = 1;
		e->forward.colours = e->colours;
	}
	memcpy(e->forward.tables, e->plan.tables, sizeof e->forward.tables);
	e->counting = o->huffman == XC_HUFFMAN_OPTIMIZED && o->entropy == XC_ENTROPY_HUFFMAN;
	e->deciding = o->effort > 0;
	xc_token_contexts_init(&e->contexts);
	if (o->entropy == XC_ENTROPY_RANS) {
		xc_rans_frequencies frequencies;
		e->rans_level = xc_rans_level_get(c->cpu, p->depth == 16);
		e->rans = xc_allocate(c, sizeof *e->rans);
		if (!e->rans)
			return xc_fail_memory(c, sizeof *e->rans);
		xc_rans_builtin_frequencies(&frequencies);
		xc_rans_tables_init(e->rans, &frequencies);
		if (o->effort > 1) {
			e->rans_decision = xc_allocate_zeroed(c, sizeof *e->rans_decision);
			if (!e->rans_decision)
				return xc_fail_memory(c, sizeof *e->rans_decision);
			xc_rans_decision_init(e->rans_decision, &frequencies, XC_LAMBDA);
		}
	}
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

/* Makes quantized coefficients of a tile. */
static void transform(const encoder *e, worker *w, uint64_t item, xc_tile *tile)
{
	xc_geometry_tile(&e->plan.geometry, item, tile);
	xc_forward_tile(&e->forward, &w->forward, tile, w->coefficients);
	if (e->rans_decision) {
		const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, tile);
		e->rans_level->decide(e->rans, e->rans_decision, &shape, w->rans, w->coefficients,
		                      w->offsets);
		return;
	}
	for (int c = 0; e->deciding && c < e->plan.geometry.components; c++) {
		const size_t first = tile->first_block[c] * 64 * e->level->width;
		xc_decide(&e->decisions[c != 0], e->level, (char *)w->coefficients + first,
		          tile->blocks_wide[c], tile->blocks_high[c], w->dc, &w->offsets[c != 0]);
	}
}

static int tokenize(encoder *e, worker *w, uint64_t item, xc_tile_tokens *tokens)
{
	xc_tile tile;
	transform(e, w, item, &tile);
	if (xc_tile_tokenize(&w->tokens, e->level, &e->plan.geometry, &tile, w->coefficients, tokens))
		return 1;
	__atomic_store_n(&e->out_of_memory, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Adds the counts to the sums and clears them. */
static void fold_counts(const encoder *e, worker *w)
{
	const uint32_t contexts = e->deciding ? XC_AC_CONTEXTS : 1;
	for (int class = 0; class < 2; class ++)
		xc_token_counts_fold(w->counts[class], contexts, &w->sums[class]);
	memset(w->counts, 0, sizeof w->counts);
	w->counted = 0;
}

static void count_tile(void *user, uint64_t item, int index)
{
	encoder *e = user;
	worker *w = &e->workers[index];
	item *= e->stride;
	xc_tile_tokens *tokens = &e->segments[item].tokens;
	if (!tokenize(e, w, item, tokens))
		return;
	if (w->counted + tokens->bytes > UINT32_MAX)
		fold_counts(e, w);
	w->counted += tokens->bytes;
	xc_tile_count(e->level, tokens, e->plan.geometry.components, e->deciding ? &e->contexts : NULL,
	              w->counts);
	if (e->keep && __atomic_add_fetch(&e->kept, tokens->bytes, __ATOMIC_RELAXED) <= e->budget)
		xc_arena_keep(&w->tokens, tokens->bytes);
	else
		tokens->bytes = 0;
}

/* Codes a tile by rANS. */
static void code_tile_rans(void *user, uint64_t item, int index)
{
	encoder *e = user;
	worker *w = &e->workers[index];
	segment *s = &e->segments[item];
	xc_tile tile;
	transform(e, w, item, &tile);
	const xc_rans_shape shape = xc_tile_rans_shape(&e->plan.geometry, &tile);
	uint8_t *out = xc_arena_reserve(&w->bits, xc_rans_bound(&shape));
	if (!out) {
		__atomic_store_n(&e->out_of_memory, 1, __ATOMIC_RELAXED);
		return;
	}
	s->bits = out;
	s->size = (uint32_t)e->rans_level->encode(e->rans, &shape, w->coefficients, w->rans, out);
	s->crc = xc_crc32c(0, out, s->size);
	xc_arena_keep(&w->bits, s->size);
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
	const uint8_t *end = xc_tile_code(e->level, &s->tokens, e->plan.geometry.components, e->coders,
	                                  out);
	s->bits = out;
	s->size = (uint32_t)(end - out);
	s->crc = xc_crc32c(0, out, s->size);
	xc_arena_keep(&w->bits, s->size);
}

/* Takes away what all workers have counted. */
static void take_counts(encoder *e, int class, xc_symbol_counts *sum, xc_offsets *offsets)
{
	memset(sum, 0, sizeof *sum);
	memset(offsets, 0, sizeof *offsets);
	for (int i = 0; i < e->worker_count; i++) {
		worker *w = &e->workers[i];
		xc_symbol_counts *s = &w->sums[class];
		xc_token_counts_fold(w->counts[class], e->deciding ? XC_AC_CONTEXTS : 1, s);
		for (int k = 0; k < XC_DC_SYMBOLS; k++)
			sum->dc[k] += s->dc[k];
		for (int c = 0; c < XC_AC_CONTEXTS; c++)
			for (int k = 0; k < XC_AC_SYMBOLS; k++)
				sum->ac[c][k] += s->ac[c][k];
		for (int k = 0; k < 2; k++) {
			offsets->sum[k] += w->offsets[class].sum[k];
			offsets->count[k] += w->offsets[class].count[k];
		}
		memset(w->counts[class], 0, sizeof w->counts[class]);
		memset(s, 0, sizeof *s);
		memset(&w->offsets[class], 0, sizeof w->offsets[class]);
	}
}

/* Points for the decisions of a single pass. */
static void set_points(encoder *e)
{
	for (int class = 0; class < 2; class ++) {
		xc_offsets sum = {{0, 0}, {0, 0}};
		for (int i = 0; i < e->worker_count; i++) {
			for (int k = 0; k < 2; k++) {
				sum.sum[k] += e->workers[i].offsets[class].sum[k];
				sum.count[k] += e->workers[i].offsets[class].count[k];
			}
		}
		e->plan.points[class] = xc_offsets_points(&sum);
	}
}

/* Counts the symbols of every stride-th tile and builds codes for them.  Decisions of the next pass
 * follow from them; last: the tokens are coded with them. */
static xc_status count_and_build(encoder *e, uint64_t stride, int last, double from, double to)
{
	xc_symbol_counts sum;
	xc_offsets offsets;
	e->stride = stride;
	e->keep = last;
	xc_parallel_for(e->context, (e->count + stride - 1) / stride, e->time / stride, count_tile, e,
	                from, to);
	if (e->out_of_memory)
		return xc_fail_memory(e->context, (size_t)e->kept);
	for (int class = 0; class < 2; class ++) {
		take_counts(e, class, &sum, &offsets);
		xc_code_set_build(&e->codes[class], &sum, e->deciding ? XC_AC_CONTEXTS : 1);
		e->plan.points[class] = xc_offsets_points(&offsets);
		if (!last) {
			xc_decision_take_codes(&e->decisions[class], &e->codes[class]);
			e->decisions[class].points = e->plan.points[class];
		}
	}
	return XC_OK;
}

/* How the levels of effort decide: how many coefficients back a value is weighed, and how often
 * all tiles are decided for codes that the last time gave. */
static const struct effort {
	uint32_t window, passes;
} efforts[XC_MOST_EFFORT + 1] = {{0, 1}, {0, 1}, {3, 1}, {63, 3}};

static xc_status make_codes(encoder *e, int effort)
{
	xc_status s = XC_OK;
	const struct effort *f = &efforts[effort];
	if (!e->counting) {
		for (int class = 0; class < 2; class ++) {
			const xc_huffman_code *codes = xc_default_codes(e->context)[class];
			xc_code_set_single(&e->codes[class], &codes[0], &codes[1]);
			xc_decision_take_codes(&e->decisions[class], &e->codes[class]);
		}
	}
	if (e->counting && f->window) {
		enum { MOST_STRIDE = 8, LEAST_TILES = 8 };
		const uint64_t stride = e->count / LEAST_TILES;
		s = count_and_build(e,
		                    stride < 1             ? 1
		                    : stride < MOST_STRIDE ? stride
		                                           : MOST_STRIDE,
		                    0, 0, 0.1);
		xc_stage(e->context, "sample");
	}
	for (int class = 0; class < 2; class ++)
		e->decisions[class].window = f->window;
	for (uint32_t i = 0; e->counting && !s && i < f->passes; i++) {
		s = count_and_build(e, 1, i + 1 == f->passes, 0.1, 0.7);
		xc_stage(e->context, "transform");
	}
	for (int class = 0; class < 2; class ++)
		xc_coder_init(&e->coders[class], &e->codes[class], &e->contexts);
	return s;
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
	xc_write_quant(&w, e->plan.quant_preset, tables, e->plan.steps, e->plan.points);
	if (e->plan.has_colours)
		xc_write_colours(&w, e->plan.colours);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_STORED)
		xc_write_codes(&w, e->plan.geometry.components, e->codes);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS)
		xc_write_context_codes(&w, e->plan.geometry.components, e->codes,
		                       xc_default_codes(e->context));
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
	xc_status s = set_up(e, p, o);
	if (s)
		return s;
	xc_stage(c, "set-up");
	if (!e->rans)
		s = make_codes(e, o->effort);
	if (s)
		return s;
	xc_parallel_for(c, e->count, e->time, e->rans ? code_tile_rans : code_tile, e,
	                e->counting ? 0.7 : 0, 0.97);
	if (e->out_of_memory)
		return xc_fail_memory(c, (size_t)e->kept);
	if (!e->counting)
		set_points(e);
	xc_stage(c, e->counting ? "coding" : "transform and coding");
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
		xc_scratch_free(c, w->rans);
		xc_arena_free(&w->tokens);
		xc_arena_free(&w->bits);
	}
	xc_release(c, e->workers);
	xc_release(c, e->rans);
	xc_release(c, e->rans_decision);
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
