/* SPDX-License-Identifier: BSD-2-Clause */
/* What array/slab.h says of models: frequencies, and the model as bits. src/array/ calls it. */
#include "array/slab.h"

#include <math.h>
#include <string.h>

#include "lossless/bits.h"

size_t xc_chunk_scratch(int wide, const uint32_t size[3])
{
	size_t bytes = 0;

	/* The grids take most where rows are short. */
	for (int k = 0; k < 3; k++) {
		const uint32_t turned[3] = {size[(k + 1) % 3], size[(k + 2) % 3], size[k]};
		const size_t n = wide ? xc_chunk_scratch_double(turned) : xc_chunk_scratch_float(turned);
		bytes = n > bytes ? n : bytes;
	}
	return bytes;
}

void xc_chunk_residues(const xc_array_model *model, const xc_chunk_values *chunk, xc_residues *r,
                       void *scratch)
{
	(model->wide ? xc_chunk_residues_double : xc_chunk_residues_float)(model, chunk, r, scratch);
}

int xc_chunk_decode(const xc_array_model *model, const xc_array_decode_tables *tables,
                    const uint8_t *data, size_t size, unsigned lanes, const xc_chunk_values *chunk,
                    void *scratch)
{
	return (model->wide ? xc_chunk_decode_double : xc_chunk_decode_float)(model, tables, data, size,
	                                                                      lanes, chunk, scratch);
}

size_t xc_residues_room(int wide, const uint32_t size[3])
{
	const size_t n = xc_chunk_count(size);
	return xc_aligned64(n) + xc_aligned64(n * (wide ? 8 : 4)) + xc_aligned64(n * 4);
}

void xc_residues_size(const xc_array_model *model, const uint32_t size[3], uint32_t as[3])
{
	uint32_t all = XC_FREQUENCIES, whole = 1;

	memcpy(as, size, 3 * sizeof *as);
	if (!model->way)
		return;
	for (int k = 0; k < 3; k++)
		whole *= model->plan.size[k] < XC_BLOCK_MIN ? size[k] : (size[k] + 7) / 8 * 8;
	all += whole + (uint32_t)xc_chunk_count(size);
	as[0] = as[1] = 1;
	as[2] = all;
}

void xc_residues_place(xc_residues *r, int wide, const uint32_t size[3], void *memory)
{
	const size_t n = xc_chunk_count(size);
	char *at = memory;

	*r = (xc_residues){.level = memory};
	at += xc_aligned64(n);
	if (wide)
		r->wide = (void *)at;
	else
		r->narrow = (void *)at;
	r->row = (void *)(at + xc_aligned64(n * (wide ? 8 : 4)));
}

double xc_pass_step(const xc_array_model *m, unsigned fine)
{
	const double step = xc_finer(m->step, fine);

	if (m->mode == XC_MODE_REAL)
		return m->wide ? step : (double)(float)step;
	return !fine ? m->step : step < 1 ? 1 : 2 * floor((step - 1) / 2) + 1;
}

/* ----------------------------------------------------------- frequencies */

unsigned xc_anchor_level(double mean)
{
	unsigned level = 0;

	for (double m = mean * 64; m >= 2 && level < XC_LEVELS - 2; m /= 2)
		level += 2;
	return level;
}

uint64_t xc_counts_bits(int wide, uint32_t (*counts)[XC_SYMBOLS], double share)
{
	uint64_t bits = 0;

	for (int i = 0; i < XC_ARRAY_SHAPES; i++) {
		const uint8_t *built_in = xc_array_shapes[i % XC_LEVELS];
		const unsigned c = xc_raw_bits((unsigned)i % XC_LEVELS);
		uint64_t raw = 0, some = 0;
		for (unsigned s = 0; s < XC_SYMBOLS; s++) {
			const unsigned more = s > 9 ? s - 9 : 0;
			some |= counts[i][s];
			raw += (uint64_t)counts[i][s] * (s == XC_SYMBOL_ESCAPE ? wide ? 64 : 32 : c + more);
		}
		if (!some)
			continue;
		xc_shape_index own;
		xc_shape_of_counts(counts[i], own);
		const uint64_t table = (uint64_t)(xc_shape_bits(own, built_in) * share);
		const uint64_t a = xc_shape_cost(counts[i], own) / 64 + table;
		const uint64_t b = xc_shape_cost(counts[i], built_in) / 64;
		bits += raw + (a < b ? a : b);
	}
	return bits;
}

void xc_model_shapes(xc_array_model *m, uint32_t (*counts)[XC_SYMBOLS])
{
	const uint8_t *before = NULL;

	for (int i = 0; i < XC_ARRAY_SHAPES; i++) {
		const uint8_t *built_in = xc_array_shapes[i % XC_LEVELS];
		uint32_t some = 0;
		if (i % XC_LEVELS == 0)
			before = NULL;
		for (int s = 0; s < XC_SYMBOLS; s++)
			some |= counts[i][s];
		memcpy(m->shapes[i], built_in, sizeof m->shapes[i]);
		m->own[i] = 0;
		if (!some)
			continue;
		xc_shape_index own;
		xc_shape_of_counts(counts[i], own);
		const uint32_t bits = xc_shape_bits(own, before ? before : built_in);
		if (xc_shape_cost(counts[i], own) + 64 * (uint64_t)bits >=
		    xc_shape_cost(counts[i], built_in))
			continue;
		memcpy(m->shapes[i], own, sizeof own);
		m->own[i] = 1;
		before = m->shapes[i];
	}
}

void xc_encode_tables_make(const xc_array_model *model, xc_array_encode_tables *t, uint16_t *slots,
                           uint32_t (*counts)[XC_SYMBOLS])
{
	for (int i = 0; i < XC_ARRAY_SHAPES; i++) {
		uint16_t f[XC_SYMBOLS];
		xc_bucket buckets[XC_SYMBOLS];
		uint32_t some = 0;
		for (int s = 0; s < XC_SYMBOLS; s++)
			some |= counts[i][s];
		t->slots[i] = slots + (size_t)i * XC_FREQUENCY_ONE;
		if (!some)
			continue;
		xc_shape_frequencies(model->shapes[i], f);
		xc_buckets_make(f, buckets);
		xc_code_make(f, buckets, t->symbols[i], t->slots[i]);
	}
}

void xc_decode_tables_make(const xc_array_model *model, xc_array_decode_tables *t)
{
	for (int i = 0; i < XC_ARRAY_SHAPES; i++) {
		uint16_t f[XC_SYMBOLS];
		xc_shape_frequencies(model->shapes[i], f);
		xc_buckets_make(f, t->buckets[i]);
	}
}

/* ------------------------------------------------------------------ bits */

/* Bits of a number in two's complement. */
static unsigned width_of(int32_t v)
{
	unsigned n = 1;

	while (v < -(1 << (n - 1)) || v >= 1 << (n - 1))
		n++;
	return n;
}

static int32_t get_signed(xc_side_reader *r, unsigned bits)
{
	const int32_t v = (int32_t)xc_get_bits(r, bits);
	return v < 1 << (bits - 1) ? v : v - (1 << bits);
}

/* The first tap is the known neighbour before, with what makes the sum one. */
static void put_pass(xc_side_writer *w, const xc_pass *p, const uint32_t size[3])
{
	unsigned offsets = 1, weights = 1, whole = 0;

	xc_put_bits(w, 4, p->fine);
	xc_put_bits(w, 1, p->fitted);
	if (!p->fitted)
		return;
	for (int i = 1; i < p->taps; i++) {
		whole |= (unsigned)p->tap[i].weight;
		for (int k = 0; k < 3; k++)
			if (offsets < width_of(p->tap[i].offset[k]))
				offsets = width_of(p->tap[i].offset[k]);
	}
	const unsigned drop = whole ? (unsigned)__builtin_ctz(whole | XC_TAP_SCALE) : 0;
	for (int i = 1; i < p->taps; i++)
		if (weights < width_of(p->tap[i].weight >> drop))
			weights = width_of(p->tap[i].weight >> drop);
	xc_put_bits(w, 5, (uint32_t)p->taps - 1);
	xc_put_bits(w, 2, offsets - 1);
	xc_put_bits(w, 4, drop);
	xc_put_bits(w, 4, weights - 1);
	for (int i = 1; i < p->taps; i++) {
		for (int k = 0; k < 3; k++)
			if (size[k] > 1)
				xc_put_bits(w, offsets, (uint32_t)p->tap[i].offset[k] & ((1U << offsets) - 1));
		xc_put_bits(w, weights, (uint32_t)(p->tap[i].weight >> drop) & ((1U << weights) - 1));
	}
}

static void get_pass(xc_side_reader *r, xc_pass *p, const uint32_t size[3])
{
	int32_t rest = XC_TAP_SCALE;
	uint32_t sum = 0;

	p->fine = xc_get_bits(r, 4);
	p->fitted = (int)xc_get_bits(r, 1);
	if (!p->fitted)
		return;
	p->taps = 1 + (int)xc_get_bits(r, 5);
	const unsigned offsets = 1 + xc_get_bits(r, 2), drop = xc_get_bits(r, 4);
	const unsigned weights = 1 + xc_get_bits(r, 4);
	r->bad |= p->taps > XC_TAPS || drop + weights > 16;
	memset(p->tap, 0, sizeof p->tap);
	p->tap[0].offset[p->d] = -1;
	for (int i = 1; i < p->taps && !r->bad; i++) {
		for (int k = 0; k < 3; k++)
			if (size[k] > 1)
				p->tap[i].offset[k] = (int8_t)get_signed(r, offsets);
		p->tap[i].weight = get_signed(r, weights) * (1 << drop);
		rest -= p->tap[i].weight;
		sum += (uint32_t)(p->tap[i].weight < 0 ? -p->tap[i].weight : p->tap[i].weight);
	}
	p->tap[0].weight = rest;
	sum += (uint32_t)(rest < 0 ? -rest : rest);
	r->bad |= sum > XC_TAP_SUM;
}

static void put_shapes(xc_side_writer *w, const xc_array_model *m, int set)
{
	const uint8_t *own = m->own + set * XC_LEVELS;
	const uint8_t *before = NULL;
	int first = 0, last = XC_LEVELS - 1;

	while (first < XC_LEVELS && !own[first])
		first++;
	xc_put_bits(w, 1, first < XC_LEVELS);
	if (first == XC_LEVELS)
		return;
	while (!own[last])
		last--;
	xc_put_bits(w, 6, (uint32_t)first);
	xc_put_bits(w, 6, (uint32_t)last);
	for (int l = first; l <= last; l++) {
		const uint8_t *shape = m->shapes[set * XC_LEVELS + l];
		xc_put_bits(w, 1, own[l]);
		if (!own[l])
			continue;
		xc_put_shape(w, shape, before ? before : xc_array_shapes[l]);
		before = shape;
	}
}

static void get_shapes(xc_side_reader *r, xc_array_model *m, int set)
{
	const uint8_t *before = NULL;

	for (int l = 0; l < XC_LEVELS; l++)
		memcpy(m->shapes[set * XC_LEVELS + l], xc_array_shapes[l], sizeof *m->shapes);
	if (!xc_get_bits(r, 1))
		return;
	const int first = (int)xc_get_bits(r, 6), last = (int)xc_get_bits(r, 6);
	for (int l = first; l <= last && !r->bad; l++) {
		uint8_t *shape = m->shapes[set * XC_LEVELS + l];
		if (!xc_get_bits(r, 1))
			continue;
		r->bad |= !xc_get_shape(r, before ? before : xc_array_shapes[l], shape);
		before = shape;
	}
}

static void put_number(xc_side_writer *w, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof bits);
	xc_put_bits(w, 32, (uint32_t)(bits >> 32));
	xc_put_bits(w, 32, (uint32_t)bits);
}

static double get_number(xc_side_reader *r)
{
	uint64_t bits = 0;
	double number;

	for (int i = 0; i < 4; i++)
		bits = bits << 16 | xc_get_bits(r, 16);
	memcpy(&number, &bits, sizeof number);
	return number;
}

uint8_t *xc_model_write(const xc_array_model *m, uint8_t *out)
{
	xc_side_writer w = {.next = out};

	xc_put_bits(&w, 2, m->way ? 3 : (uint32_t)m->mode);
	xc_put_bits(&w, 6, m->anchor_level);
	put_number(&w, m->smooth ? -m->step : m->step);
	if (m->way) {
		xc_put_bits(&w, 2, m->way);
		xc_put_bits(&w, 1, m->mode == XC_MODE_WHOLE);
		xc_put_bits(&w, 1, (uint32_t)m->flat);
		put_number(&w, m->coefficient_step);
	}
	for (int k = 0; k < 3 && !m->way; k++) {
		xc_put_bits(&w, 2, m->axis[k]);
		xc_put_bits(&w, 2, m->plan.order[k]);
		xc_put_bits(&w, 3, m->plan.lag[k]);
	}
	for (int i = 0; i < m->plan.passes && !m->way; i++)
		put_pass(&w, &m->plan.pass[i], m->plan.size);
	for (int set = 0; set < XC_ARRAY_SETS; set++)
		put_shapes(&w, m, set);
	return xc_end_bits(&w);
}

static int is_order(const uint8_t a[3])
{
	return a[0] < 3 && a[1] < 3 && a[2] < 3 && a[0] != a[1] && a[0] != a[2] && a[1] != a[2];
}

/* A step of numbers. */
static int is_real_step(int wide, double step)
{
	return step > 0 && (wide ? step <= 1e200 && step >= 1e-200
	                         : step <= 1e20 && step >= 1e-20 && (double)(float)step == step);
}

/* Steps that coding gives; see xc_array_mode. */
static int is_step(const xc_array_model *m)
{
	if (m->mode == XC_MODE_REAL)
		return is_real_step(m->wide, m->step);
	const double most = m->mode == XC_MODE_WHOLE ? 0x1p32 : m->wide ? 0x1p52 : 0x1p24;
	return m->step >= 1 && m->step < most && fmod(m->step, 2) == 1;
}

const uint8_t *xc_model_read(xc_array_model *m, const uint8_t *data, const uint8_t *end)
{
	xc_side_reader r = {.next = data, .end = end};
	uint32_t size[3];

	memcpy(size, m->plan.size, sizeof size);
	m->mode = (xc_array_mode)xc_get_bits(&r, 2);
	m->anchor_level = xc_get_bits(&r, 6);
	m->step = get_number(&r);
	m->smooth = m->step < 0 && m->mode <= XC_MODE_WHOLE;
	m->step = m->smooth ? -m->step : m->step;
	m->way = XC_WAY_PREDICTION;
	if ((int)m->mode == 3) {
		m->way = (xc_way)xc_get_bits(&r, 2);
		m->mode = xc_get_bits(&r, 1) ? XC_MODE_WHOLE : XC_MODE_REAL;
		m->flat = (int)xc_get_bits(&r, 1);
		m->coefficient_step = get_number(&r);
		r.bad |= !m->way || !is_real_step(m->wide, m->coefficient_step);
	}
	for (int k = 0; k < 3; k++) {
		m->axis[k] = m->plan.order[k] = (uint8_t)k;
		m->plan.lag[k] = 0;
		if (m->way)
			continue;
		m->axis[k] = (uint8_t)xc_get_bits(&r, 2);
		m->plan.order[k] = (uint8_t)xc_get_bits(&r, 2);
		m->plan.lag[k] = (uint8_t)xc_get_bits(&r, 3);
	}
	if (r.bad || m->mode > XC_MODE_KEYS || !is_step(m) || !is_order(m->axis) ||
	    !is_order(m->plan.order))
		return NULL;
	for (int k = 0; k < 3; k++)
		m->plan.size[k] = size[m->axis[k]];
	xc_plan_make(&m->plan);
	for (int i = 0; i < m->plan.passes && !m->way && !r.bad; i++)
		get_pass(&r, &m->plan.pass[i], m->plan.size);
	for (int set = 0; set < XC_ARRAY_SETS && !r.bad; set++)
		get_shapes(&r, m, set);
	return r.bad ? NULL : r.next;
}
