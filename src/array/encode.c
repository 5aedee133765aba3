/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A slab of an array to segments: how it is coded is chosen, its chunks become residues, what breaks
 * the bound is listed, and all is coded by frequencies that the chunks share.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/array/array.h"
#include "src/container/container.h"
#include "src/core/arena.h"
#include "src/core/crc32c.h"
#include "src/core/parallel.h"

/* A chunk between its residues and its segment. */
typedef struct chunk_work {
	xc_residues residues;
	void *memory;  /* of the residues, until they are coded */
	uint8_t *head; /* of the segment: kinds and exceptions */
	size_t head_size;
	int flags;
} chunk_work;

typedef struct slab_work {
	xc_context *context;
	const xc_array_header *header;
	const xc_array_options *options;
	const xc_slab_place *place;
	const void *values;
	void *reals;
	uint8_t *kinds; /* NULL: all are values */
	xc_slab_model model;
	xc_array_model plain; /* without ranks */
	int plain_exponent;
	xc_array_check check;
	chunk_work *chunks;
	xc_arena *memory;
	char *scratch; /* of all workers */
	size_t scratch_each;
	uint32_t (*counts)[XC_SYMBOLS]; /* of each worker */
	xc_array_encode_tables *tables;
	xc_segment_bits *segments;
	int failed; /* out of memory; set atomically */
	int predicted;
} slab_work;

/* ---------------------------------------------------------------- specials */

static int is_number(xc_array_type type, uint64_t bits)
{
	if (type == XC_ARRAY_FLOAT32)
		return (bits & 0x7f800000) != 0x7f800000;
	return type != XC_ARRAY_FLOAT64 || (bits & 0x7ff0000000000000ULL) != 0x7ff0000000000000ULL;
}

static void add_special(xc_slab_model *m, uint64_t bits)
{
	for (int i = 0; i < m->specials; i++)
		if (m->special[i] == bits)
			return;
	if (m->specials < XC_SPECIALS)
		m->special[m->specials++] = bits;
}

static int by_bits(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

int xc_array_commonest(const uint64_t *sample, const uint64_t *next, uint64_t *bits)
{
	uint64_t sorted[XC_ARRAY_SAMPLES];
	int count = 0, most = 0, beside = 0;

	memcpy(sorted, sample, sizeof sorted);
	qsort(sorted, XC_ARRAY_SAMPLES, sizeof *sorted, by_bits);
	for (int i = 0; i < XC_ARRAY_SAMPLES; i++) {
		count = i && sorted[i] == sorted[i - 1] ? count + 1 : 1;
		if (count > most) {
			most = count;
			*bits = sorted[i];
		}
	}
	for (int i = 0; i < XC_ARRAY_SAMPLES; i++)
		beside += sample[i] == *bits && next[i] == *bits;
	return most >= XC_ARRAY_SAMPLES / 8 && beside >= most - most / 8;
}

static void add_fill(slab_work *w)
{
	const xc_array_type type = w->header->shape.type;
	const double fill = xc_array_fill(type, w->options);
	double low, high;
	uint64_t bits;

	if (isnan(fill))
		return;
	xc_array_type_range(type, &low, &high);
	if (type == XC_ARRAY_FLOAT64) {
		memcpy(&bits, &fill, sizeof bits);
	} else if (type == XC_ARRAY_FLOAT32) {
		const float f = (float)fill;
		uint32_t b;
		memcpy(&b, &f, sizeof b);
		bits = b;
	} else if (fill < low || fill > high || fill != floor(fill)) {
		return;
	} else {
		const uint64_t all = (uint64_t)(int64_t)fill;
		bits = all & (UINT64_MAX >> (64 - 8 * xc_array_type_size(type)));
	}
	add_special(&w->model, bits);
	if (fill == 0 && xc_array_is_float(type)) /* and the other zero */
		add_special(&w->model, bits ^ 1ULL << (8 * xc_array_type_size(type) - 1));
}

/* What a value must be below for mode REAL, so that rounding takes a sixteenth of the bound at most;
 * 0: nothing may be lost. */
static double end_of_real(const xc_array_header *h)
{
	return ldexp(h->error, h->shape.type == XC_ARRAY_FLOAT64 ? 49 : 20);
}

static int is_apart(double v, double end)
{
	return end > 0 ? fabs(v) >= end : !xc_array_is_whole(v);
}

int xc_slab_sets_apart(const xc_array_header *h, const xc_array_look *look, const uint64_t *sample)
{
	const double end = end_of_real(h);
	int apart = 0, some = 0;

	if (!xc_array_is_float(h->shape.type) || h->kind == XC_BOUND_POINTWISE ||
	    look->low > look->high ||
	    (end > 0 ? fabs(look->low) < end && fabs(look->high) < end : look->whole))
		return 0;
	for (int i = 0; sample && i < XC_ARRAY_SAMPLES; i++) {
		double value;
		xc_array_set_bits(h->shape.type, &value, 0, sample[i]);
		const double v = xc_array_value(h->shape.type, &value, 0);
		some += isfinite(v);
		apart += isfinite(v) && is_apart(v, end);
	}
	return !sample || 2 * apart < some;
}

/* Sets kinds by the specials, if any value has one; end: see is_apart(), NaN: nothing is apart. */
static xc_status set_kinds(slab_work *w, double end)
{
	const xc_array_type type = w->header->shape.type;
	const uint64_t n = xc_slab_values(w->place);
	int any = 0;

	if (!w->kinds)
		w->kinds = xc_allocate_zeroed(w->context, xc_bytes_of_values(n, 1));
	if (!w->kinds)
		return xc_fail_memory(w->context, xc_bytes_of_values(n, 1));
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t bits = xc_array_bits(type, w->values, (size_t)i);
		int kind = is_number(type, bits) ? 0 : XC_KIND_EXCEPTION;
		if (!isnan(end) && is_apart(xc_array_value(type, w->values, (size_t)i), end))
			kind = XC_KIND_EXCEPTION;
		for (int k = 0; k < w->model.specials; k++)
			if (w->model.special[k] == bits)
				kind = k + 1;
		w->kinds[i] = (uint8_t)kind;
		any |= kind;
	}
	if (any)
		return XC_OK;
	xc_release(w->context, w->kinds);
	w->kinds = NULL;
	w->model.specials = 0;
	return XC_OK;
}

/* Values that are apart become special, if at most half are and few of them differ. Else each costs
 * its bytes, and a sixteenth of all may be. What mode REAL has with a smaller step, down to a quarter
 * of rounding's, gains 0.4 bits a value at most. */
static xc_status set_apart(slab_work *w, const xc_array_look *look, const uint64_t *sample)
{
	const xc_array_type type = w->header->shape.type;
	const uint64_t n = xc_slab_values(w->place);
	const double end = end_of_real(w->header);
	const double largest = fmax(fabs(look->low), fabs(look->high));
	const int before = w->model.specials, possible = end > 0 && largest < 4 * end;
	uint64_t apart = 0;

	if (!xc_slab_sets_apart(w->header, look, sample))
		return XC_OK;
	for (uint64_t i = 0; i < n; i++)
		if (!(w->kinds && w->kinds[i]) &&
		    is_apart(xc_array_value(type, w->values, (size_t)i), end)) {
			apart++;
			add_special(&w->model, xc_array_bits(type, w->values, (size_t)i));
		}
	if (w->model.specials == XC_SPECIALS)
		w->model.specials = before;
	if (apart > 0 && apart <= n / (possible ? 128 : w->model.specials > before ? 2 : 16))
		return set_kinds(w, end);
	w->model.specials = before;
	return XC_OK;
}

static const xc_array_look nothing_seen = {.low = 1, .high = 0, .whole = 1};

static xc_array_look look_at_rest(const slab_work *w)
{
	xc_array_look look = nothing_seen;

	xc_array_look_at_some(w->header->shape.type, w->values, w->kinds, NAN, xc_slab_values(w->place),
	                      &look);
	return look;
}

/* Finds what is kept aside, sets kinds, and looks at the rest. */
static xc_status find_kinds(slab_work *w, xc_array_look *look)
{
	const xc_array_type type = w->header->shape.type;
	const uint64_t n = xc_slab_values(w->place);
	uint64_t sample[XC_ARRAY_SAMPLES], next[XC_ARRAY_SAMPLES], commonest;
	const int sampled = n >= 2 * XC_ARRAY_SAMPLES;

	for (uint64_t i = 0; i < XC_ARRAY_SAMPLES && sampled; i++) {
		const size_t at = (size_t)(n * i / XC_ARRAY_SAMPLES);
		sample[i] = xc_array_bits(type, w->values, at);
		next[i] = xc_array_bits(type, w->values, at + 1); /* at + 1 < n, since n is twice as many */
	}
	xc_array_look_at(type, w->values, n, look);
	add_fill(w);
	if (sampled && xc_array_commonest(sample, next, &commonest))
		add_special(&w->model, commonest);
	for (uint64_t i = 0; look->unusual && i < n; i++) {
		const uint64_t bits = xc_array_bits(type, w->values, (size_t)i);
		if (!is_number(type, bits))
			add_special(&w->model, bits);
	}
	xc_status s = w->model.specials ? set_kinds(w, NAN) : XC_OK;
	if (!s && w->kinds)
		*look = look_at_rest(w);
	if (!s)
		s = set_apart(w, look, sampled ? sample : NULL);
	if (!s && w->kinds)
		*look = look_at_rest(w);
	return s;
}

/* -------------------------------------------------------------------- mode */

/* Keys are as close as a share of the value: 2^-23 or 2^-52 of it or less are one. */
static double key_step(int wide, double share)
{
	const double keys = floor((share < 0.5 ? share : 0.5) * (wide ? 0x1p52 : 0x1p23) *
	                          (1 - 0x1p-20));
	const double most = wide ? 0x1p50 : 0x1p22;
	return 2 * (keys < most ? keys : most) + 1;
}

/* The step of numbers: what rounding to the type takes is left off. Below 0: there is none. */
static void set_real(xc_slab_model *m, double error, double largest)
{
	const double ulp = m->model.wide ? 0x1p-53 : 0x1p-24;
	double e;

	frexp(largest, &m->exponent);
	e = ldexp(error, -m->exponent);
	e = e < 4 ? e : 4; /* values are below 1 */
	m->model.mode = XC_MODE_REAL;
	m->model.step = 2 * (e - ulp);
	if (!m->model.wide) {
		float step = (float)m->model.step;
		if ((double)step > m->model.step)
			step = nextafterf(step, 0);
		m->model.step = (double)step;
	}
	if (e >= 4 * ulp)
		return;
	m->exponent = 0;
	m->model.mode = XC_MODE_KEYS;
	m->model.step = 1;
}

void xc_slab_choose_mode(const xc_array_header *h, const xc_array_look *look, xc_slab_model *slab)
{
	xc_array_model *m = &slab->model;
	const double error = h->kind == XC_BOUND_POINTWISE ? 0 : h->error;
	const int whole = !xc_array_is_float(h->shape.type);
	const double largest = fabs(look->low) > fabs(look->high) ? fabs(look->low) : fabs(look->high);

	m->step = 1;
	if (whole || (look->whole && error < 64 && h->kind != XC_BOUND_POINTWISE)) {
		const double most = m->wide ? 0x1p30 : 0x1p16;
		m->mode = XC_MODE_WHOLE;
		m->step = 2 * floor(error < most ? error : most) + 1;
	} else if (h->kind == XC_BOUND_POINTWISE) {
		m->mode = XC_MODE_KEYS;
		m->step = key_step(m->wide, h->bound);
	} else if (error == 0 || look->low > look->high || largest == 0) {
		m->mode = XC_MODE_KEYS;
	} else {
		set_real(slab, error, largest);
	}
	/* Keys are not numbers that could be transformed. */
	m->way = m->mode == XC_MODE_KEYS ? XC_WAY_PREDICTION : (xc_way)h->way;
	m->anchor_level = XC_LEVELS - 1;
	if (m->mode != XC_MODE_KEYS && look->low <= look->high)
		m->anchor_level = xc_anchor_level(
			(ldexp(look->high, -slab->exponent) - ldexp(look->low, -slab->exponent)) / 4 / m->step);
}

/* ------------------------------------------------------------------ chunks */

/* Where parts of a worker's scratch begin, in bytes. */
typedef struct chunk_scratch {
	size_t reals, turned_kinds, kinds, original, decoded, list, work, total;
} chunk_scratch;

static chunk_scratch scratch_of(const xc_array_header *h, int kinds)
{
	const size_t n = xc_chunk_count(h->chunk), type = xc_array_type_size(h->shape.type);
	const int wide = xc_array_is_wide(h->shape.type);
	size_t work = xc_chunk_scratch(wide, h->chunk);
	chunk_scratch s;

	if (kinds) {
		const size_t drawn = xc_kinds_scratch(h->chunk, 1);
		work = drawn > work ? drawn : work;
	}
	s.reals = 0;
	s.turned_kinds = xc_aligned64(n * (wide ? 8 : 4));
	s.kinds = s.turned_kinds + xc_aligned64(n);
	s.original = s.kinds + xc_aligned64(n);
	s.decoded = s.original + xc_aligned64(n * type);
	s.list = s.decoded + xc_aligned64(n * 8);
	s.work = s.list + xc_aligned64(n * 4);
	s.total = s.work + xc_aligned64(work);
	return s;
}

uint8_t *xc_positions_write(const uint32_t *list, size_t count, uint8_t *to)
{
	uint32_t next = 0;

	to = xc_number_put(to, count);
	for (size_t i = 0; i < count; i++) {
		to = xc_number_put(to, list[i] - next);
		next = list[i] + 1;
	}
	return to;
}

static uint8_t *put_value(xc_array_type type, const void *values, size_t i, uint8_t *to)
{
	const uint64_t bits = xc_array_bits(type, values, i);

	for (size_t b = 0; b < xc_array_type_size(type); b++)
		*to++ = (uint8_t)(bits >> 8 * b);
	return to;
}

/* Kinds and exceptions of a chunk: the head of its segment after the first byte. */
static void make_head(slab_work *w, chunk_work *k, const uint32_t size[3], const char *scratch,
                      const chunk_scratch *s, size_t exceptions, int worker)
{
	const xc_array_type type = w->header->shape.type;
	const uint8_t *kinds = (const void *)(scratch + s->kinds);
	const uint32_t *list = (const void *)(scratch + s->list);
	const size_t n = xc_chunk_count(size);
	int any = 0;

	for (size_t i = 0; w->kinds && i < n; i++)
		any |= kinds[i];
	if (!any && !exceptions)
		return;
	const size_t room = (any ? 4 + xc_kinds_bound(size) : 0) + 8 + exceptions * 16;
	uint8_t *to = xc_arena_reserve(&w->memory[worker], room);
	if (!to) {
		__atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
		return;
	}
	k->head = to;
	if (any) {
		const size_t bytes = xc_kinds_encode(w->context->cpu, size, kinds,
		                                     (void *)(scratch + s->work), to + 4);
		for (int b = 0; b < 4; b++)
			to[b] = (uint8_t)(bytes >> 8 * b);
		to += 4 + bytes;
		k->flags |= XC_CHUNK_KINDS;
	}
	if (exceptions) {
		to = xc_positions_write(list, exceptions, to);
		for (size_t i = 0; i < exceptions; i++)
			to = put_value(type, scratch + s->original, list[i], to);
		k->flags |= XC_CHUNK_EXCEPTIONS;
	}
	k->head_size = (size_t)(to - k->head);
	xc_arena_keep(&w->memory[worker], k->head_size);
}

/* The values that a decoder will have wrong, although kinds bring the special ones. */
static size_t find_exceptions(slab_work *w, const uint32_t size[3], char *scratch,
                              const chunk_scratch *s)
{
	const xc_array_type type = w->header->shape.type;
	const size_t n = xc_chunk_count(size), each = xc_array_type_size(type);
	const uint8_t *kinds = (const void *)(scratch + s->kinds);
	const uint8_t *axis = w->model.model.axis;
	const size_t stride[3] = {(size_t)size[1] * size[2], size[2], 1};
	/* Decoded in the model's order of dimensions, into the array's; `work` is free again. */
	void *turned = scratch + s->work;

	xc_slab_unload(type, &w->model, scratch + s->reals, n, turned);
	xc_array_scatter(each, size, axis, turned, scratch + s->decoded, stride);
	for (size_t i = 0; w->kinds && i < n; i++)
		if (kinds[i] && kinds[i] != XC_KIND_EXCEPTION)
			xc_array_set_bits(type, scratch + s->decoded, i, w->model.special[kinds[i] - 1]);
	/* Special values are bits, and equal; comparing numbers would not find NaN so. */
	size_t found = xc_array_breaks(&w->check, scratch + s->original, scratch + s->decoded, n,
	                               (uint32_t *)(void *)(scratch + s->list), n);
	if (!w->kinds)
		return found;
	uint32_t *list = (void *)(scratch + s->list);
	size_t left = 0;
	for (size_t i = 0; i < found; i++)
		if (!kinds[list[i]] || kinds[list[i]] == XC_KIND_EXCEPTION)
			list[left++] = list[i];
	return left;
}

static int is_still(const xc_residues *r)
{
	size_t at = 0;

	for (size_t row = 0; row < r->rows; row++)
		for (uint32_t n = r->row[row] & 0xffffff; n > 0; n--)
			if (xc_residue(r, at++))
				return 0;
	return 1;
}

/* A chunk to residues. */
static void find_residues(void *user, uint64_t index, int worker)
{
	slab_work *w = user;
	const xc_array_header *h = w->header;
	const xc_array_type type = h->shape.type;
	const size_t each = xc_array_type_size(type);
	const chunk_scratch s = scratch_of(h, w->kinds != NULL);
	char *scratch = w->scratch + (size_t)worker * w->scratch_each;
	const size_t stride[3] = {(size_t)w->place->size[1] * w->place->size[2], w->place->size[2], 1};
	static const uint8_t plain[3] = {0, 1, 2};
	const uint8_t *axis = w->model.model.axis;
	chunk_work *k = &w->chunks[index];
	uint32_t first[3], size[3], room[3];

	if (__atomic_load_n(&w->failed, __ATOMIC_RELAXED))
		return;
	xc_chunk_box(h, w->place, index, first, size);
	const size_t at = first[0] * stride[0] + first[1] * stride[1] + first[2];
	const size_t real = w->model.model.wide ? 8 : 4;
	xc_residues_size(&w->model.model, size, room);
	k->memory = xc_allocate(w->context, xc_residues_room(w->model.model.wide, room));
	if (!k->memory) {
		__atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
		return;
	}
	xc_residues_place(&k->residues, w->model.model.wide, room, k->memory);
	xc_array_gather(each, size, plain, (const char *)w->values + at * each, stride,
	                scratch + s.original);
	xc_array_gather(real, size, axis, (const char *)w->reals + at * real, stride,
	                scratch + s.reals);
	xc_chunk_values chunk = {.values = scratch + s.reals};
	for (int d = 0; d < 3; d++)
		chunk.size[d] = size[axis[d]];
	if (w->kinds) {
		xc_array_gather(1, size, plain, w->kinds + at, stride, scratch + s.kinds);
		xc_array_gather(1, size, axis, w->kinds + at, stride, scratch + s.turned_kinds);
		chunk.kind = (const void *)(scratch + s.turned_kinds);
	}
	xc_chunk_residues(&w->model.model, &chunk, &k->residues, scratch + s.work);
	const size_t exceptions = find_exceptions(w, size, scratch, &s);
	make_head(w, k, size, scratch, &s, exceptions, worker);
	if (is_still(&k->residues)) {
		k->residues.rows = 0;
		return;
	}
	k->flags |= XC_CHUNK_RESIDUES;
	xc_residues_count(&k->residues, w->counts + (size_t)worker * XC_ARRAY_SHAPES);
}

/* A chunk's residues to its segment. */
static void code_chunk(void *user, uint64_t index, int worker)
{
	slab_work *w = user;
	chunk_work *k = &w->chunks[index];
	const xc_array_type type = w->header->shape.type;
	uint32_t first[3], size[3];

	if (__atomic_load_n(&w->failed, __ATOMIC_RELAXED))
		return;
	xc_chunk_box(w->header, w->place, index, first, size);
	const size_t n = xc_chunk_count(size), raw = 1 + n * xc_array_type_size(type);
	const size_t most = k->flags & XC_CHUNK_RESIDUES
	                        ? xc_residues_bound(&k->residues, XC_ARRAY_LANES)
	                        : 0;
	uint8_t *to = xc_arena_reserve(&w->memory[worker], 1 + k->head_size + most + raw);
	if (!to) {
		__atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
		return;
	}
	size_t used = 1 + k->head_size;
	to[0] = (uint8_t)k->flags;
	if (k->head_size)
		memcpy(to + 1, k->head, k->head_size);
	if (k->flags & XC_CHUNK_RESIDUES) {
		uint8_t *end = to + used + most;
		uint8_t *begin = xc_residues_encode(&k->residues, w->tables, 32, end);
		/* States of few bytes would be a good part of them. */
		for (int less = 1; less < 3 && end - begin < (less == 1 ? 4096 : 512); less++) {
			to[0] = (uint8_t)(k->flags | less * XC_CHUNK_LANES);
			begin = xc_residues_encode(&k->residues, w->tables, xc_lanes_of(to[0]), end);
		}
		memmove(to + used, begin, (size_t)(end - begin));
		used += (size_t)(end - begin);
	}
	if (used > raw) {
		const size_t stride[2] = {(size_t)w->place->size[1] * w->place->size[2], w->place->size[2]};
		uint8_t *p = to;
		*p++ = XC_CHUNK_RAW;
		for (uint32_t z = 0; z < size[0]; z++)
			for (uint32_t y = 0; y < size[1]; y++)
				for (uint32_t x = 0; x < size[2]; x++)
					p = put_value(type, w->values,
					              (first[0] + z) * stride[0] + (first[1] + y) * stride[1] +
					                  first[2] + x,
					              p);
		used = raw;
	}
	xc_arena_keep(&w->memory[worker], used);
	w->segments[1 + index] = (xc_segment_bits){.data = to,
	                                           .size = (uint32_t)used,
	                                           .crc = xc_crc32c(0, to, used)};
	xc_release(w->context, k->memory);
	k->memory = NULL;
}

/* -------------------------------------------------------------------- slab */

/* The model with frequencies, as the first segment. */
static xc_status code_model(slab_work *w, int workers, uint16_t *slots)
{
	uint32_t(*counts)[XC_SYMBOLS] = w->counts;
	uint8_t *to = xc_arena_reserve(&w->memory[0], XC_SLAB_MODEL_BYTES);

	if (!to)
		return xc_fail_memory(w->context, XC_SLAB_MODEL_BYTES);
	for (int i = 1; i < workers; i++)
		for (int t = 0; t < XC_ARRAY_SHAPES; t++)
			for (int s = 0; s < XC_SYMBOLS; s++)
				counts[t][s] += counts[i * XC_ARRAY_SHAPES + t][s];
	xc_model_shapes(&w->model.model, counts);
	xc_encode_tables_make(&w->model.model, w->tables, slots, counts);
	const size_t used = (size_t)(xc_slab_model_write(w->header, &w->model, to) - to);
	xc_arena_keep(&w->memory[0], used);
	w->segments[0] = (xc_segment_bits){.data = to,
	                                   .size = (uint32_t)used,
	                                   .crc = xc_crc32c(0, to, used)};
	return XC_OK;
}

double xc_slab_numbers(const xc_array_look *look, const xc_slab_model *s)
{
	const xc_array_model *m = &s->model;
	const double range = ldexp(look->high, -s->exponent) - ldexp(look->low, -s->exponent);
	const double numbers = m->mode == XC_MODE_KEYS ? DBL_MAX : range / m->step + 1;

	return m->way || look->low >= look->high || numbers < 4 ||
	               (m->mode == XC_MODE_KEYS && m->step > 1)
	           ? 0
	           : numbers;
}

int xc_slab_choose_ranks(const xc_array_header *h, double numbers, xc_slab_model *s)
{
	xc_array_model *m = &s->model;
	/* Ranks may be off by as many of the largest gaps as the bound holds. */
	const double error = h->kind == XC_BOUND_POINTWISE ? 0 : h->error;
	const double gap = xc_ranks_gap(h->shape.type, s->rank, s->ranks);
	const double by = error < gap * s->ranks ? floor(error / gap) : s->ranks;
	const int lossy = by > 0 || m->step > 1 || m->mode == XC_MODE_REAL;

	if (s->ranks / (2 * by + 1) * (lossy ? 1 : 2) > numbers) {
		s->ranks = 0;
		return 0;
	}
	s->exponent = s->map = 0;
	m->mode = XC_MODE_WHOLE;
	m->step = 2 * by + 1;
	m->low = 0;
	m->high = s->ranks - 1;
	m->anchor_level = xc_anchor_level(m->high / 4 / m->step);
	return 1;
}

static void choose_ranks(slab_work *w, const xc_array_look *look, xc_rank_table *table)
{
	const double numbers = xc_slab_numbers(look, &w->model);

	if (!numbers)
		return;
	w->model.ranks = xc_ranks_find(w->header->shape.type, w->values, w->kinds,
	                               xc_slab_values(w->place), table, w->model.rank);
	if (w->model.ranks)
		xc_slab_choose_ranks(w->header, numbers, &w->model);
}

/* Values as they are coded, and the plan for them; returns the bits of a trial. */
static uint64_t fit_slab(slab_work *w, xc_rank_table *table, void *scratch)
{
	const size_t n = (size_t)xc_slab_values(w->place);
	const xc_array_type type = w->header->shape.type;
	xc_fit_source source = {w->model.model.wide, {0}, {0}, w->reals, w->kinds};

	if (w->model.ranks)
		xc_ranks_load(type, w->values, n, table, w->reals);
	else
		xc_slab_load(type, &w->model, w->values, n, w->reals);
	memcpy(source.size, w->place->size, sizeof source.size);
	memcpy(source.chunk, w->header->chunk, sizeof source.chunk);
	return xc_model_fit(&w->model.model, &source, w->options->effort, scratch);
}

/* Ranks lose nothing where values with a bound may: both are tried. */
static void fit_both(slab_work *w, xc_rank_table *table, void *scratch)
{
	const int lossy = w->plain.mode == XC_MODE_REAL || w->plain.step > 1;
	const uint64_t bits = fit_slab(w, table, scratch);

	if (!w->model.ranks || !lossy || !bits)
		return;
	const xc_array_model ranked = w->model.model;
	const uint32_t ranks = w->model.ranks;
	w->model.model = w->plain;
	w->model.exponent = w->plain_exponent;
	w->model.ranks = 0;
	if (fit_slab(w, table, scratch) <= bits)
		return;
	w->model.model = ranked;
	w->model.exponent = 0;
	w->model.ranks = ranks;
	xc_ranks_load(w->header->shape.type, w->values, (size_t)xc_slab_values(w->place), table,
	              w->reals);
}

/* How the slab is coded, and its values as they are coded. */
static xc_status prepare(slab_work *w)
{
	const uint64_t n = xc_slab_values(w->place);
	xc_array_look look = nothing_seen;
	xc_context *c = w->context;

	xc_slab_model_begin(w->header, &w->model);
	xc_status s = find_kinds(w, &look);
	if (s)
		return s;
	xc_slab_choose_mode(w->header, &look, &w->model);
	w->predicted = w->header->way && !w->model.model.way && look.low < look.high;
	xc_slab_choose_map(w->header, w->values, w->kinds, n, &look, &w->model);
	w->plain = w->model.model;
	w->plain_exponent = w->model.exponent;
	const size_t bytes = xc_bytes_of_values(n, w->model.model.wide ? 8 : 4);
	w->reals = xc_allocate(c, bytes);
	void *scratch = xc_allocate(c, xc_fit_scratch(w->model.model.wide));
	xc_rank_table *table = xc_allocate(c, xc_rank_table_bytes());
	if (w->reals && scratch && table) {
		choose_ranks(w, &look, table);
		xc_stage(c, "look");
		fit_both(w, table, scratch);
		xc_stage(c, "fit");
	} else {
		s = xc_fail_memory(c, bytes);
	}
	xc_release(c, table);
	xc_release(c, scratch);
	return s;
}

static xc_status code_slab(slab_work *w, int workers)
{
	xc_context *c = w->context;
	const uint64_t chunks = xc_slab_chunks(w->place);
	uint16_t *slots = NULL;

	xc_status s = prepare(w);
	if (s)
		return s;
	w->scratch_each = scratch_of(w->header, w->kinds != NULL).total;
	w->scratch = xc_allocate(c, xc_bytes_of_values((uint64_t)workers, w->scratch_each));
	w->counts = xc_allocate_zeroed(c, (size_t)workers * XC_ARRAY_SHAPES * sizeof *w->counts);
	w->tables = xc_allocate(c, sizeof *w->tables);
	w->chunks = xc_allocate_zeroed(c, xc_bytes_of_values(chunks, sizeof *w->chunks));
	slots = xc_allocate(c, XC_ARRAY_SLOTS_BYTES);
	if (!w->scratch || !w->counts || !w->tables || !w->chunks || !slots) {
		xc_release(c, slots);
		return xc_fail_memory(c, (size_t)workers * w->scratch_each);
	}
	s = xc_parallel_by(c, workers, chunks, find_residues, w, 0, 0);
	if (!s && w->failed)
		s = xc_fail_memory(c, 0);
	xc_stage(c, "predict");
	if (!s)
		s = code_model(w, workers, slots);
	if (!s)
		s = xc_parallel_by(c, workers, chunks, code_chunk, w, 0, 0);
	if (!s && w->failed)
		s = xc_fail_memory(c, 0);
	xc_stage(c, "code");
	xc_release(c, slots);
	return s;
}

xc_status xc_slab_encode(xc_context *c, const xc_array_header *h, const xc_array_options *o,
                         const xc_slab_place *p, const void *values, xc_arena *memory, int workers,
                         xc_segment_bits *segments, uint64_t *predicted)
{
	slab_work *w = xc_allocate_zeroed(c, sizeof *w);

	if (!w)
		return xc_fail_memory(c, sizeof *w);
	w->context = c;
	w->header = h;
	w->options = o;
	w->place = p;
	w->values = values;
	w->memory = memory;
	w->segments = segments;
	w->check = (xc_array_check){h->shape.type, h->kind, h->bound, h->error};
	const xc_status s = code_slab(w, workers);
	*predicted += (uint64_t)w->predicted;
	for (uint64_t i = 0; w->chunks && i < xc_slab_chunks(p); i++)
		xc_release(c, w->chunks[i].memory);
	xc_release(c, w->chunks);
	xc_release(c, w->tables);
	xc_release(c, w->counts);
	xc_release(c, w->scratch);
	xc_release(c, w->reals);
	xc_release(c, w->kinds);
	xc_release(c, w);
	return s;
}
