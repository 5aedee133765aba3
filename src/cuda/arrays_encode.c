/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays in device memory to files: xc_cuda_array_encode() of include/xcodec_cuda.h. The GPU looks at
 * values, predicts and codes them; the host chooses models and frequencies as src/array/encode.c
 * does, and writes the container. Slabs with masks or ranks are coded by the host, from a copy, and
 * so are arrays of types that the GPU does not have.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "src/container/container.h"
#include "src/core/arena.h"
#include "src/core/crc32c.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"
#include "src/cuda/arrays.h"

/* A slab under way. */
typedef struct slab {
	xc_slab_place place;
	xc_slab_model *model;
	uint8_t *model_bytes; /* XC_SLAB_MODEL_BYTES */
	size_t model_size;
	int by_host;
	uint32_t chunk, chunks; /* of those that the GPU codes */
	xc_arena *memory;       /* by the host: of its segments */
	int arenas;
	uint64_t copied; /* where its values begin among the copies */
	xc_segment_bits *segments;
	uint64_t n;         /* segments */
	uint64_t at, start; /* where it begins among the batch's bytes, and its first segment */
} slab;

/* A call, and a batch of its slabs. */
typedef struct job {
	xc_cuda *gpu;
	xc_context *context;
	xc_array_header header;
	xc_array_options options;
	const char *values; /* in device memory */
	void *stream;
	xc_write write;
	void *user;
	xc_gpu_array_type type;
	xc_gpu_array_look *looks; /* of all slabs */
	/* The batch has: */
	uint64_t first;
	uint32_t slabs, coded; /* all, and those that the GPU codes */
	slab *slab;
	const uint32_t *seen; /* see xc_gpu_array_ops; NULL: floats */
	const uint32_t *many;
	const char *copies; /* values of the slabs that are fitted; NULL: none are needed */
	uint32_t *order;    /* of the slabs that the GPU codes */
	uint32_t *counts;
	xc_gpu_array_tables *tables;
	xc_gpu_array_chunk *chunk;
	xc_gpu_array_outcome *outcome;
	uint32_t *places, *bits; /* of exceptions */
	uint8_t *file;
	int failed; /* out of memory; set atomically */
	xc_gpu_memory_list memory;
} job;

static void out_of_memory(job *j)
{
	__atomic_store_n(&j->failed, 1, __ATOMIC_RELAXED);
}

static size_t value_bytes(const job *j)
{
	return xc_array_type_size(j->header.shape.type);
}

static const char *values_of(const job *j, const slab *s)
{
	return j->values + xc_gpu_array_first(&j->header, &s->place) * value_bytes(j);
}

/* ------------------------------------------------------------------ looking */

static double number_of_key(uint32_t key)
{
	const uint32_t bits = key >> 31 ? key ^ 0x80000000U : ~key;
	float f;

	memcpy(&f, &bits, sizeof f);
	return (double)f;
}

static xc_array_look look_of(const xc_gpu_array_look *l)
{
	xc_array_look look = {.low = 1, .high = 0, .unusual = l->unusual, .whole = !l->broken};

	if (l->low <= l->high) {
		look.low = number_of_key(l->low);
		look.high = number_of_key(l->high);
	}
	return look;
}

/* Looks at all slabs. */
static xc_status look(job *j)
{
	const xc_array_header *h = &j->header;
	const uint64_t n = h->slabs;
	xc_gpu_memory_list m = {.gpu = j->gpu};
	xc_gpu_array_part *parts = xc_gpu_memory_take(&m, XC_GPU_PINNED_MEMORY, n, sizeof *parts);
	void *list = xc_gpu_memory_take(&m, XC_GPU_DEVICE_MEMORY, n, sizeof *parts);
	void *looks = xc_gpu_memory_take(&m, XC_GPU_DEVICE_MEMORY, n, sizeof *j->looks);

	xc_status s = m.status;
	for (uint64_t i = 0; i < n && !s; i++) {
		const xc_slab_place p = xc_slab_of(h, i);
		parts[i] = (xc_gpu_array_part){xc_gpu_array_first(h, &p), xc_slab_values(&p)};
		memset(&j->looks[i], 0, sizeof *j->looks);
		j->looks[i].low = UINT32_MAX;
	}
	xc_gpu_copy(j->gpu, &s, list, parts, (size_t)n * sizeof *parts, j->stream);
	xc_gpu_copy(j->gpu, &s, looks, j->looks, (size_t)n * sizeof *j->looks, j->stream);
	for (uint64_t i = 0; i < n && !s; i += 32768) {
		const uint32_t some = (uint32_t)(n - i < 32768 ? n - i : 32768);
		s = xc_cuda_check(j->gpu, j->gpu->module->arrays->look(j->gpu->gpu, j->type, j->values,
		                                                       (const xc_gpu_array_part *)list + i,
		                                                       some, (xc_gpu_array_look *)looks + i,
		                                                       j->stream, &j->gpu->error));
	}
	xc_gpu_copy(j->gpu, &s, j->looks, looks, (size_t)n * sizeof *j->looks, j->stream);
	xc_gpu_wait(j->gpu, &s, j->stream);
	xc_gpu_memory_free(&m);
	return s;
}

/* The range of all finite values, for bounds by it. */
static void set_range(job *j)
{
	xc_array_options *o = &j->options;
	const uint64_t n = j->header.slabs;
	int any = 0;

	if (o->kind != XC_BOUND_RELATIVE || o->has_range)
		return;
	o->low = o->high = 0;
	o->has_range = 1;
	for (uint64_t i = 0; i < n; i++) {
		const xc_array_look l = look_of(&j->looks[i]);
		if (l.low > l.high)
			continue;
		o->low = !any || l.low < o->low ? l.low : o->low;
		o->high = !any || l.high > o->high ? l.high : o->high;
		any = 1;
	}
}

/* What xc_ranks_find() finds in values of 8 or 16 bits, by where each is first seen. */
static uint32_t ranks_seen(xc_array_type type, const uint32_t *seen, uint64_t count, uint64_t *rank)
{
	const int is_signed = type == XC_ARRAY_INT8 || type == XC_ARRAY_INT16;
	const uint32_t all = 1U << 8 * xc_array_type_size(type);
	uint32_t n = 0;

	for (uint32_t i = 0; i < all; i++) {
		const uint32_t bits = is_signed ? i ^ all / 2 : i;
		if (seen[bits] == UINT32_MAX)
			continue;
		if (n == XC_RANKS)
			return 0;
		rank[n++] = bits;
	}
	if ((uint64_t)n * 16 > count)
		return 0;
	/* The order in which they were new: the k-th may come after 8 (k - 2048) values at the soonest. */
	uint32_t soon[1 + (XC_RANKS - 2048)] = {0};
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = seen[rank[i]] / 8;
		soon[at < XC_RANKS - 2048 ? at : XC_RANKS - 2048]++;
	}
	for (uint32_t i = 0, before = 0; i <= XC_RANKS - 2048; before += soon[i++])
		if (soon[i] && before + soon[i] - 1 > 2048 + i)
			return 0;
	return n;
}

/* Chooses mode and step of a slab, or that the host codes it, as it does where values may be set apart
 * and where floats are so few that ranks might do. */
static void choose(void *user, uint64_t item, int worker)
{
	job *j = user;
	slab *s = &j->slab[item];
	const xc_gpu_array_look *l = &j->looks[j->first + item];
	const xc_array_type type = j->header.shape.type;
	const uint64_t n = xc_slab_values(&s->place);
	const xc_array_look look = look_of(l);
	uint64_t sample[XC_ARRAY_SAMPLES], next[XC_ARRAY_SAMPLES], bits;

	(void)worker;
	xc_slab_model_begin(&j->header, s->model);
	for (int i = 0; i < XC_ARRAY_SAMPLES; i++) {
		sample[i] = l->sample[i];
		next[i] = l->next[i];
	}
	const int sampled = n >= 2 * XC_ARRAY_SAMPLES;
	s->by_host = l->unusual > 0 || (sampled && xc_array_commonest(sample, next, &bits)) ||
	             xc_slab_sets_apart(&j->header, &look, sampled ? sample : NULL);
	if (s->by_host)
		return;
	xc_slab_choose_mode(&j->header, &look, s->model);
	const double numbers = xc_slab_numbers(&look, s->model);
	if (!numbers)
		return;
	if (j->seen) {
		s->model->ranks = ranks_seen(type, j->seen + item * 65536, n, s->model->rank);
		s->by_host = s->model->ranks && xc_slab_choose_ranks(&j->header, numbers, s->model);
		return;
	}
	s->by_host = !j->many[item];
}

/* The slabs of the batch, and how each is coded. */
static xc_status choose_all(job *j)
{
	xc_gpu_memory_list *m = &j->memory;
	const size_t n = j->slabs;
	const int floats = j->header.shape.type == XC_ARRAY_FLOAT32;
	xc_gpu_array_part *parts = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, n, sizeof *parts);
	void *list = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, n, sizeof *parts);
	void *seen = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, n, 65536 * sizeof *j->seen);
	void *many = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, n, sizeof *j->many);
	uint32_t *own = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, floats ? n : n * 65536,
	                                   sizeof *own);

	xc_status s = m->status;
	for (size_t i = 0; i < n && !s; i++)
		parts[i] = (xc_gpu_array_part){xc_gpu_array_first(&j->header, &j->slab[i].place),
		                               xc_slab_values(&j->slab[i].place)};
	xc_gpu_copy(j->gpu, &s, list, parts, n * sizeof *parts, j->stream);
	if (!s)
		s = xc_cuda_check(j->gpu, j->gpu->module->arrays->see(j->gpu->gpu, j->type, j->values, list,
		                                                      j->slabs, seen, many, j->stream,
		                                                      &j->gpu->error));
	xc_gpu_copy(j->gpu, &s, own, floats ? many : seen, n * (floats ? 1 : 65536) * sizeof *own,
	            j->stream);
	xc_gpu_wait(j->gpu, &s, j->stream);
	if (s)
		return s;
	j->many = floats ? own : NULL;
	j->seen = floats ? NULL : own;
	return xc_parallel_for(j->context, n, 100 * n, choose, j, 0, 0);
}

/* ------------------------------------------------------------------- models */

/* Copies a slab's values to host memory. */
static xc_status copy_slab(job *j, const slab *s, void *to)
{
	xc_status status = XC_OK;

	xc_gpu_copy(j->gpu, &status, to, values_of(j, s),
	            (size_t)xc_slab_values(&s->place) * value_bytes(j), j->stream);
	xc_gpu_wait(j->gpu, &status, j->stream);
	return status;
}

/* Fits a slab's model to a copy of its values. */
static void fit(void *user, uint64_t item, int worker)
{
	job *j = user;
	slab *s = &j->slab[j->order[item]];
	const size_t n = (size_t)xc_slab_values(&s->place), each = value_bytes(j);
	xc_fit_source source = {.wide = 0};
	void *reals = NULL, *scratch = xc_allocate(j->context, xc_fit_scratch(0));

	(void)worker;
	memcpy(source.size, s->place.size, sizeof source.size);
	memcpy(source.chunk, j->header.chunk, sizeof source.chunk);
	if (j->copies) {
		reals = xc_allocate(j->context, n * sizeof(float));
		if (reals)
			xc_array_load(j->header.shape.type, s->model->exponent, j->copies + s->copied * each, n,
			              reals);
		source.values = reals;
	}
	if (scratch && (reals || !j->copies))
		xc_model_fit(&s->model->model, &source, j->options.effort, scratch);
	else
		out_of_memory(j);
	xc_release(j->context, scratch);
	xc_release(j->context, reals);
}

/* Fits all models. Effort 0 needs no values. */
static xc_status fit_all(job *j)
{
	uint64_t values = 0;
	xc_status s = XC_OK;

	if (j->options.effort) {
		for (uint32_t i = 0; i < j->coded; i++)
			values += xc_slab_values(&j->slab[j->order[i]].place);
		char *copies = xc_gpu_memory_take(&j->memory, XC_GPU_PINNED_MEMORY, values, value_bytes(j));
		s = j->memory.status;
		values = 0;
		for (uint32_t i = 0; i < j->coded && !s; i++) {
			slab *k = &j->slab[j->order[i]];
			k->copied = values;
			s = copy_slab(j, k, copies + values * value_bytes(j));
			values += xc_slab_values(&k->place);
		}
		j->copies = copies;
	}
	/* A slab takes 20 milliseconds of a thread. */
	if (!s)
		s = xc_parallel_for(j->context, j->coded, (j->copies ? 20000 : 20) * (uint64_t)j->coded,
		                    fit, j, 0, 0);
	return !s && j->failed ? xc_fail_memory(j->context, 0) : s;
}

/* Shapes of a slab by its counts, its buckets, and the model as bits. */
static void shape(void *user, uint64_t item, int worker)
{
	job *j = user;
	slab *s = &j->slab[j->order[item]];
	uint32_t(*counts)[XC_SYMBOLS] = (void *)(j->counts + item * XC_ARRAY_SHAPES * XC_SYMBOLS);

	(void)worker;
	xc_model_shapes(&s->model->model, counts);
	for (int i = 0; i < XC_ARRAY_SHAPES; i++) {
		uint16_t f[XC_SYMBOLS];
		uint32_t some = 0;
		for (int k = 0; k < XC_SYMBOLS; k++)
			some |= counts[i][k];
		if (!some)
			continue;
		xc_shape_frequencies(s->model->model.shapes[i], f);
		xc_buckets_make(f, (xc_bucket *)(void *)j->tables[item].bucket[i]);
	}
	s->model_size = (size_t)(xc_slab_model_write(&j->header, s->model, s->model_bytes) -
	                         s->model_bytes);
}

/* ----------------------------------------------------------------- the batch */

/* A slab by the host. */
static xc_status code_by_host(job *j, slab *s)
{
	xc_context *c = j->context;
	const size_t bytes = xc_bytes_of_values(xc_slab_values(&s->place), value_bytes(j));
	const int workers = xc_parallel_workers(c, s->n - 1, xc_slab_values(&s->place) / 30);
	void *values = xc_allocate(c, bytes);

	s->memory = xc_allocate_zeroed(c, (size_t)workers * sizeof *s->memory);
	if (!values || !s->memory) {
		xc_release(c, values);
		return xc_fail_memory(c, bytes);
	}
	s->arenas = workers;
	for (int i = 0; i < workers; i++)
		s->memory[i].context = c;
	xc_status status = copy_slab(j, s, values);
	uint64_t predicted = 0;
	if (!status)
		status = xc_slab_encode(c, &j->header, &j->options, &s->place, values, s->memory, workers,
		                        s->segments, &predicted);
	xc_release(c, values);
	return status;
}

/* Lists what breaks the bound; the chunks get their places in the lists. */
static xc_status list_breaks(job *j, xc_gpu_array_work *w, void *device_chunks, uint32_t chunks)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < chunks; i++) {
		j->chunk[i].exception = (uint32_t)n;
		j->chunk[i].exceptions = j->outcome[i].breaks;
		n += j->outcome[i].breaks;
	}
	if (!n)
		return XC_OK;
	xc_gpu_memory_list *m = &j->memory;
	void *places = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, n, 4);
	void *bits = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, n, 4);
	j->places = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, n, 4);
	j->bits = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, n, 4);
	xc_status s = m->status;
	xc_gpu_copy(j->gpu, &s, device_chunks, j->chunk, chunks * sizeof *j->chunk, j->stream);
	if (!s)
		s = xc_cuda_check(j->gpu, j->gpu->module->arrays->list(j->gpu->gpu, w, places, bits,
		                                                       j->stream, &j->gpu->error));
	xc_gpu_copy(j->gpu, &s, j->places, places, (size_t)n * 4, j->stream);
	xc_gpu_copy(j->gpu, &s, j->bits, bits, (size_t)n * 4, j->stream);
	xc_gpu_wait(j->gpu, &s, j->stream);
	return s;
}

/* What stands before a chunk's residues, at most 1 + 10 + 9 bytes an exception. */
static size_t write_head(const job *j, uint32_t chunk, uint8_t *to)
{
	const xc_gpu_array_chunk *k = &j->chunk[chunk];
	const xc_gpu_array_outcome *o = &j->outcome[chunk];
	const uint32_t less = o->lanes == 8 ? 1 : o->lanes == 2 ? 2 : 0;
	uint8_t *p = to;

	*p++ = (uint8_t)((o->lanes ? XC_CHUNK_RESIDUES : 0) |
	                 (k->exceptions ? XC_CHUNK_EXCEPTIONS : 0) | less * XC_CHUNK_LANES);
	if (!k->exceptions)
		return 1;
	p = xc_positions_write(j->places + k->exception, k->exceptions, p);
	for (uint32_t i = 0; i < k->exceptions; i++)
		for (size_t b = 0; b < value_bytes(j); b++)
			*p++ = (uint8_t)(j->bits[k->exception + i] >> 8 * b);
	return (size_t)(p - to);
}

/* The bytes of a chunk's head. */
static size_t head_size(const job *j, uint32_t chunk)
{
	const xc_gpu_array_chunk *k = &j->chunk[chunk];
	size_t n = 1;
	uint32_t next = 0;

	if (!k->exceptions)
		return n;
	uint8_t number[10];
	n += (size_t)(xc_number_put(number, k->exceptions) - number);
	for (uint32_t i = 0; i < k->exceptions; i++) {
		const uint32_t at = j->places[k->exception + i];
		n += (size_t)(xc_number_put(number, at - next) - number);
		next = at + 1;
	}
	return n + k->exceptions * value_bytes(j);
}

/* Sizes of a slab's segments, and which chunks are raw; returns where the slab ends. */
static uint64_t lay_out(job *j, slab *s, uint64_t at, uint32_t *max_bytes, int *raw,
                        xc_gpu_array_move *moves, uint8_t *start)
{
	uint64_t total;

	if (!s->by_host) {
		s->segments[0].size = (uint32_t)s->model_size;
		for (uint32_t i = 0; i < s->chunks; i++) {
			xc_gpu_array_chunk *k = &j->chunk[s->chunk + i];
			const xc_gpu_array_outcome *o = &j->outcome[s->chunk + i];
			const uint64_t whole = xc_chunk_count(k->size) * value_bytes(j);
			const uint64_t coded = head_size(j, s->chunk + i) + (o->lanes ? o->bytes : 0);
			k->raw = coded > 1 + whole;
			*raw |= k->raw != 0;
			s->segments[1 + i].size = (uint32_t)(k->raw ? 1 + whole : coded);
		}
	}
	xc_writer w = {start};
	xc_write_piece_start(&w, s->segments, s->n, &total);
	s->at = at;
	s->start = at + (uint64_t)(w.next - start);
	for (uint32_t i = 0; i < s->chunks && !s->by_host; i++) {
		xc_gpu_array_chunk *k = &j->chunk[s->chunk + i];
		const xc_gpu_array_outcome *o = &j->outcome[s->chunk + i];
		const uint32_t head = k->raw ? 1 : (uint32_t)head_size(j, s->chunk + i);
		xc_gpu_array_move *m = &moves[s->chunk + i];
		m->bytes = k->raw || o->lanes ? s->segments[1 + i].size - head : 0;
		m->from = k->code + k->bytes - m->bytes;
		m->to = s->start + s->segments[1 + i].offset + head;
		*max_bytes = m->bytes > *max_bytes ? m->bytes : *max_bytes;
	}
	return s->start + total + 4;
}

/* Heads, models, CRCs and index of a slab whose coded bytes are there. */
static void finish(void *user, uint64_t item, int worker)
{
	job *j = user;
	slab *s = &j->slab[item];
	uint8_t *const body = j->file + s->start;
	uint64_t total;

	(void)worker;
	for (uint64_t i = 0; i < s->n; i++) {
		xc_segment_bits *g = &s->segments[i];
		uint8_t *to = body + g->offset;
		if (s->by_host) {
			memcpy(to, g->data, g->size);
			continue;
		}
		if (i == 0)
			memcpy(to, s->model_bytes, g->size);
		else if (j->chunk[s->chunk + i - 1].raw)
			*to = XC_CHUNK_RAW;
		else
			write_head(j, s->chunk + (uint32_t)i - 1, to);
		g->crc = xc_crc32c(0, to, g->size);
	}
	xc_writer w = {j->file + s->at};
	const uint32_t crc = xc_write_piece_start(&w, s->segments, s->n, &total);
	w.next = body + total;
	xc_write_u32(&w, crc);
}

/* Device memory for the batch, and its chunks and slabs there. */
static xc_status set_work(job *j, xc_gpu_array_work *w, uint32_t chunks)
{
	xc_gpu_memory_list *m = &j->memory;
	const size_t each = value_bytes(j);
	xc_gpu_array_slab *slabs = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, j->coded, sizeof *slabs);
	uint64_t code = 0;

	*w = (xc_gpu_array_work){.type = j->type, .slabs = j->coded, .array = (void *)j->values};
	j->chunk = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, chunks, sizeof *j->chunk);
	if (m->status)
		return m->status;
	for (uint32_t i = 0; i < j->coded; i++) {
		slab *s = &j->slab[j->order[i]];
		s->chunk = w->chunks;
		s->chunks = xc_gpu_array_chunks(&j->header, &s->place, i, w->values, j->chunk + w->chunks);
		xc_gpu_array_slab_set(&slabs[i], s->model);
		w->chunks += s->chunks;
		w->values += xc_slab_values(&s->place);
	}
	for (uint32_t i = 0; i < w->chunks; i++) {
		xc_gpu_array_chunk *k = &j->chunk[i];
		const uint32_t n = (uint32_t)xc_chunk_count(k->size);
		const uint32_t rows = k->size[0] * k->size[1];
		w->max_values = n > w->max_values ? n : w->max_values;
		w->max_rows = rows > w->max_rows ? rows : w->max_rows;
		k->code = code;
		k->bytes = (uint32_t)(n * each) + XC_GPU_ARRAY_SLACK;
		code += xc_aligned64(k->bytes);
	}
	xc_gpu_array_strides(&j->header, w->stride);
	w->error = j->header.kind == XC_BOUND_POINTWISE ? 0 : j->header.error;
	w->share = j->header.kind == XC_BOUND_POINTWISE ? j->header.bound : 0;
	void *models = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, j->coded, sizeof *w->slab);
	void *chunk = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, chunks, sizeof *w->chunk);
	const size_t shapes = XC_ARRAY_SHAPES * XC_SYMBOLS;
	w->outcome = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, chunks, sizeof *w->outcome);
	w->value = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, w->values, sizeof *w->value);
	w->magnitude = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, w->values, sizeof *w->magnitude);
	w->residue = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, w->values, sizeof *w->residue);
	w->level = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, w->values, 1);
	w->code = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, code, 1);
	w->counts = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, j->coded, shapes * 4);
	w->symbols = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, j->coded, shapes * 4);
	w->slots = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, j->coded,
	                              (size_t)XC_ARRAY_SHAPES * XC_FREQUENCY_ONE * 2);
	w->tables = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, j->coded, sizeof *w->tables);
	j->counts = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, j->coded, shapes * 4);
	j->tables = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, j->coded, sizeof *j->tables);
	j->outcome = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, chunks, sizeof *j->outcome);
	w->slab = models;
	w->chunk = chunk;
	xc_status s = m->status;
	xc_gpu_copy(j->gpu, &s, models, slabs, j->coded * sizeof *slabs, j->stream);
	xc_gpu_copy(j->gpu, &s, chunk, j->chunk, chunks * sizeof *j->chunk, j->stream);
	return s;
}

/* The slabs that the GPU codes, up to coded bytes in their rooms. */
static xc_status code(job *j, xc_gpu_array_work *w)
{
	xc_cuda *gpu = j->gpu;
	const size_t shapes = (size_t)j->coded * XC_ARRAY_SHAPES * XC_SYMBOLS;
	const size_t outcomes = w->chunks * sizeof *j->outcome;
	const xc_gpu_array_ops *ops = gpu->module->arrays;

	xc_status s = xc_cuda_check(gpu, ops->predict(gpu->gpu, w, j->stream, &gpu->error));
	xc_gpu_copy(gpu, &s, j->counts, w->counts, shapes * 4, j->stream);
	xc_gpu_copy(gpu, &s, j->outcome, w->outcome, outcomes, j->stream);
	xc_gpu_wait(gpu, &s, j->stream);
	if (!s)
		s = list_breaks(j, w, (void *)w->chunk, w->chunks);
	if (!s)
		s = xc_parallel_for(j->context, j->coded, 300 * (uint64_t)j->coded, shape, j, 0, 0);
	xc_gpu_copy(gpu, &s, (void *)w->tables, j->tables, j->coded * sizeof *j->tables, j->stream);
	if (!s)
		s = xc_cuda_check(gpu, ops->code(gpu->gpu, w, j->stream, &gpu->error));
	xc_gpu_copy(gpu, &s, j->outcome, w->outcome, outcomes, j->stream);
	xc_gpu_wait(gpu, &s, j->stream);
	return s;
}

/* The batch's part of the file. */
static xc_status assemble(job *j, xc_gpu_array_work *w)
{
	xc_gpu_memory_list *m = &j->memory;
	xc_cuda *gpu = j->gpu;
	uint64_t end = 0, max_segments = 0;
	uint32_t max_bytes = 0;
	int raw = 0;

	for (uint32_t i = 0; i < j->slabs; i++)
		max_segments = j->slab[i].n > max_segments ? j->slab[i].n : max_segments;
	xc_gpu_array_move *moves = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, w->chunks,
	                                              sizeof *moves);
	void *list = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, w->chunks, sizeof *moves);
	uint8_t *start = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, xc_piece_overhead(max_segments),
	                                    1);
	if (m->status)
		return m->status;
	for (uint32_t i = 0; i < j->slabs; i++)
		end = lay_out(j, &j->slab[i], end, &max_bytes, &raw, moves, start);
	void *file = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, end, 1);
	j->file = xc_gpu_memory_take(m, XC_GPU_PINNED_MEMORY, end, 1);
	xc_status s = m->status;
	if (w->chunks) {
		xc_gpu_copy(gpu, &s, (void *)w->chunk, j->chunk, w->chunks * sizeof *j->chunk, j->stream);
		xc_gpu_copy(gpu, &s, list, moves, w->chunks * sizeof *moves, j->stream);
		if (!s)
			s = xc_cuda_check(gpu, gpu->module->arrays->pack(gpu->gpu, w, raw, list, max_bytes,
			                                                 file, j->stream, &gpu->error));
		xc_gpu_copy(gpu, &s, j->file, file, (size_t)end, j->stream);
		xc_gpu_wait(gpu, &s, j->stream);
	}
	if (!s)
		s = xc_parallel_for(j->context, j->slabs, end / 5000, finish, j, 0, 0);
	if (!s && j->write(j->user, j->file, (size_t)end))
		s = xc_fail(j->context, XC_ERR_IO, "writing failed");
	return s;
}

static xc_status take_slabs(job *j)
{
	xc_context *c = j->context;

	j->slab = xc_allocate_zeroed(c, j->slabs * sizeof *j->slab);
	j->order = xc_allocate(c, j->slabs * sizeof *j->order);
	if (!j->slab || !j->order)
		return xc_fail_memory(c, j->slabs * sizeof *j->slab);
	for (uint32_t i = 0; i < j->slabs; i++) {
		slab *s = &j->slab[i];
		s->place = xc_slab_of(&j->header, j->first + i);
		s->n = xc_slab_chunks(&s->place) + 1;
		s->model = xc_allocate(c, sizeof *s->model);
		s->model_bytes = xc_allocate(c, XC_SLAB_MODEL_BYTES);
		s->segments = xc_allocate_zeroed(c, xc_bytes_of_values(s->n, sizeof *s->segments));
		if (!s->model || !s->model_bytes || !s->segments)
			return xc_fail_memory(c, XC_SLAB_MODEL_BYTES);
	}
	return XC_OK;
}

static void free_slabs(job *j)
{
	xc_context *c = j->context;

	for (uint32_t i = 0; j->slab && i < j->slabs; i++) {
		slab *s = &j->slab[i];
		for (int k = 0; k < s->arenas; k++)
			xc_arena_free(&s->memory[k]);
		xc_release(c, s->memory);
		xc_release(c, s->segments);
		xc_release(c, s->model_bytes);
		xc_release(c, s->model);
	}
	xc_release(c, j->slab);
	xc_release(c, j->order);
	xc_gpu_memory_free(&j->memory);
}

static xc_status encode_batch(job *j)
{
	xc_gpu_array_work w = {.chunks = 0};
	uint32_t chunks = 0;

	xc_status s = take_slabs(j);
	if (!s)
		s = choose_all(j);
	j->coded = 0;
	for (uint32_t i = 0; i < j->slabs && !s; i++) {
		if (j->slab[i].by_host) {
			s = code_by_host(j, &j->slab[i]);
			continue;
		}
		chunks += (uint32_t)j->slab[i].n - 1;
		j->order[j->coded++] = i;
	}
	if (!s && j->coded)
		s = fit_all(j);
	if (!s && j->coded)
		s = set_work(j, &w, chunks);
	if (!s && j->coded)
		s = code(j, &w);
	return s ? s : assemble(j, &w);
}

/* ------------------------------------------------------------------ the call */

static xc_status write_start(job *j)
{
	uint8_t head[XC_ARRAY_HEAD_BYTES], bytes[XC_MAGIC_BYTES + XC_CHUNK_OVERHEAD + sizeof head];
	xc_writer to = {bytes};

	xc_array_header_write(&j->header, head);
	xc_write_magic(&to);
	xc_write_chunk(&to, "ARRY", head, sizeof head);
	return j->write(j->user, bytes, (size_t)(to.next - bytes))
	           ? xc_fail(j->context, XC_ERR_IO, "writing failed")
	           : XC_OK;
}

static xc_status write_end(job *j)
{
	uint8_t bytes[XC_CHUNK_OVERHEAD];
	xc_writer to = {bytes};

	xc_write_chunk(&to, "DONE", NULL, 0);
	return j->write(j->user, bytes, (size_t)(to.next - bytes))
	           ? xc_fail(j->context, XC_ERR_IO, "writing failed")
	           : XC_OK;
}

/* Everything by the host, from a copy. */
static xc_status encode_by_host(job *j, const xc_array_shape *shape)
{
	xc_context *c = j->context;
	const xc_array_header *h = &j->header;
	const uint64_t n = h->size[0] * h->size[1] * h->size[2];
	const size_t bytes = xc_bytes_of_values(n, value_bytes(j));
	void *values = xc_allocate(c, bytes);
	xc_buffer file = {0};

	xc_status s = values ? XC_OK : xc_fail_memory(c, bytes);
	xc_gpu_copy(j->gpu, &s, values, j->values, bytes, j->stream);
	xc_gpu_wait(j->gpu, &s, j->stream);
	if (!s)
		s = xc_array_encode(c, shape, values, &j->options, &file);
	if (!s && j->write(j->user, file.data, file.size))
		s = xc_fail(c, XC_ERR_IO, "writing failed");
	xc_buffer_free(c, &file);
	xc_release(c, values);
	return s;
}

static xc_status encode_by_gpu(job *j, const xc_array_shape *shape)
{
	const uint64_t slabs = j->header.slabs;
	const size_t bytes = xc_bytes_of_values(slabs, sizeof *j->looks);

	j->looks = xc_allocate(j->context, bytes);
	xc_status s = j->looks ? look(j) : xc_fail_memory(j->context, bytes);
	if (!s) {
		set_range(j);
		s = xc_array_header_begin(j->context, shape, &j->options, 0, &j->header);
	}
	if (!s)
		s = write_start(j);
	for (j->first = 0; j->first < slabs && !s; j->first += j->slabs) {
		uint32_t chunks;
		uint64_t values;
		j->slabs = xc_gpu_array_batch(&j->header, j->first, &chunks, &values);
		j->memory = (xc_gpu_memory_list){.gpu = j->gpu};
		s = encode_batch(j);
		free_slabs(j);
		j->slab = NULL;
		j->order = NULL;
	}
	xc_release(j->context, j->looks);
	return s ? s : write_end(j);
}

xc_status xc_cuda_array_encode(xc_cuda *gpu, const xc_array_shape *shape, const void *values,
                               const xc_array_options *options, void *stream, xc_write write,
                               void *user)
{
	XC_DEFAULT_FLOATS;
	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_context *c = gpu->context;
	job j = {.gpu = gpu,
	         .context = c,
	         .values = values,
	         .stream = stream,
	         .write = write,
	         .user = user};
	xc_begin(c);
	if (!shape || !values || !write)
		return xc_fail(c, XC_ERR_ARGUMENT, "no array, or no function that writes");
	xc_array_options_default(&j.options);
	if (options)
		j.options = *options;
	const xc_array_options *o = &j.options;
	xc_status s = xc_array_header_make(c, shape, o, &j.header);
	if (s)
		return s;
	const int by_host = o->way || o->kind == XC_BOUND_PSNR || o->kind == XC_BOUND_SNR ||
	                    !isnan(xc_array_fill(shape->type, o)) ||
	                    !xc_gpu_array_has(shape->type, &j.type) || !xc_gpu_array_fits(&j.header);
	return by_host ? encode_by_host(&j, shape) : encode_by_gpu(&j, shape);
}
