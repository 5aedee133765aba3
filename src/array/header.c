/* SPDX-License-Identifier: BSD-2-Clause */
/* The chunk ARRY, how an array is cut, and what precedes the model of a slab. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "src/array/array.h"

/* ------------------------------------------------------------------ cutting */

void xc_array_header_derive(xc_array_header *h)
{
	const int n = h->shape.dimensions;
	uint64_t layer;

	for (int k = 0; k < 3; k++)
		h->size[2 - k] = k < n ? h->shape.size[n - 1 - k] : 1;
	h->depth = h->size[0];
	if (n == 4)
		h->size[0] *= h->shape.size[0];
	h->along = h->size[0] > 1 ? 0 : h->size[1] > 1 ? 1 : 2;
	layer = h->chunk[h->along];
	for (int k = h->along + 1; k < 3; k++)
		layer *= h->size[k];
	h->layers = layer < XC_SLAB_VALUES ? XC_SLAB_VALUES / layer : 1;
	h->slabs = (h->size[h->along] - 1) / (h->layers * h->chunk[h->along]) + 1;
}

xc_slab_place xc_slab_of(const xc_array_header *h, uint64_t slab)
{
	const uint64_t high = h->layers * h->chunk[h->along];
	xc_slab_place p;

	for (int k = 0; k < 3; k++) {
		uint64_t n = h->size[k];
		p.first[k] = 0;
		if (k == h->along) {
			p.first[k] = slab * high;
			n = n - p.first[k] < high ? n - p.first[k] : high;
		}
		p.size[k] = (uint32_t)n;
		p.chunks[k] = xc_points(p.size[k], h->chunk[k]);
	}
	return p;
}

void xc_chunk_box(const xc_array_header *h, const xc_slab_place *p, uint64_t chunk,
                  uint32_t first[3], uint32_t size[3])
{
	for (int k = 3; k-- > 0; chunk /= p->chunks[k]) {
		first[k] = (uint32_t)(chunk % p->chunks[k]) * h->chunk[k];
		size[k] = p->size[k] - first[k] < h->chunk[k] ? p->size[k] - first[k] : h->chunk[k];
	}
}

/* About equal parts of a dimension, none above `most`, of a multiple of 4 if there are several. */
static uint32_t part(uint64_t n, uint32_t most)
{
	const uint64_t parts = (n - 1) / most + 1;
	const uint64_t size = (n - 1) / parts + 1;

	return (uint32_t)(parts > 1 ? (size + 3) / 4 * 4 : size);
}

/* A slice along a volume's slowest dimension is a small part of it, and sections are whole, as are
 * small volumes. */
enum { SMALL = 1 << 18, FEW = 1 << 15, SLICES = 8 };
static void choose_chunk(const uint64_t volume[3], uint32_t chunk[3])
{
	if (volume[0] > 1 && volume[0] * volume[1] <= SMALL / volume[2]) {
		for (int k = 0; k < 3; k++)
			chunk[k] = (uint32_t)volume[k];
	} else if (volume[0] > 1) {
		chunk[0] = part(volume[0], volume[0] > 160 ? SLICES : 2 * SLICES);
		chunk[1] = part(volume[1], 128);
		chunk[2] = part(volume[2], 128);
	} else if (volume[1] > 1) {
		chunk[0] = 1;
		chunk[1] = part(volume[1], 512);
		chunk[2] = part(volume[2], 512);
	} else {
		chunk[0] = chunk[1] = 1;
		chunk[2] = part(volume[2], XC_CHUNK_SIDE);
	}
}

/* Chunks of a list: those of a volume, or several whole volumes where these have few slices. A list of
 * slices is one volume. Where other dimensions are small, as of a few points over a long time, a chunk
 * is longer: frequencies need values to be learned from. A region of such an array still decodes few. */
static void choose_chunk_of(const xc_array_header *h, uint32_t chunk[3])
{
	const uint64_t volume[3] = {h->depth > 1 ? h->depth : h->size[0], h->size[1], h->size[2]};

	choose_chunk(volume, chunk);
	if (chunk[0] < SLICES)
		chunk[0] = SLICES < h->size[0] ? SLICES : (uint32_t)h->size[0];
	for (int k = 3; k-- > 0;) {
		const uint64_t beside = (uint64_t)chunk[(k + 1) % 3] * chunk[(k + 2) % 3];
		if (beside * chunk[k] < FEW) {
			const uint32_t size = part(h->size[k], (uint32_t)(FEW / beside));
			chunk[k] = size > chunk[k] ? size : chunk[k];
		}
	}
}

/* Where it can be helped no chunk has a part of one volume and a part of another one. exactly: it may
 * become smaller for that. */
static uint32_t fit_volumes(const xc_array_header *h, uint32_t chunk, int exactly)
{
	if (h->shape.dimensions < 4)
		return chunk;
	if (chunk >= h->depth)
		return (uint32_t)(chunk / h->depth * h->depth);
	for (uint32_t n = chunk; exactly && n > chunk / 2; n--)
		if (h->depth % n == 0)
			return n;
	return chunk;
}

/* What is wrong with a shape; NULL: nothing. */
static const char *fault_of(const xc_array_shape *s)
{
	uint64_t values = 1;

	if (!xc_array_type_size(s->type))
		return "there is no such type of values";
	if (s->dimensions < 1 || s->dimensions > XC_ARRAY_DIMENSIONS)
		return "an array has 1 to 4 dimensions";
	for (int k = 0; k < s->dimensions; k++) {
		if (!s->size[k])
			return "a dimension of the array has no values";
		if (s->size[k] > UINT32_MAX || values > (1ULL << 48) / s->size[k])
			return "the array has too many values";
		values *= s->size[k];
	}
	return NULL;
}

static xc_status check_bound(xc_context *c, const xc_array_options *o)
{
	const xc_status s = XC_CHECK_RESERVED(c, o, "options");
	if (s)
		return s;
	if ((unsigned)o->kind > XC_BOUND_SNR)
		return xc_fail(c, XC_ERR_ARGUMENT, "there is no such kind of bound");
	if (o->kind != XC_BOUND_LOSSLESS && !(o->bound >= 0 && o->bound <= DBL_MAX))
		return xc_fail(c, XC_ERR_ARGUMENT, "a bound is a number from 0 on");
	if ((unsigned)o->way > XC_ARRAY_TDLT)
		return xc_fail(c, XC_ERR_ARGUMENT, "there is no such way of coding arrays");
	if (o->effort < 0 || o->effort > XC_MOST_EFFORT)
		return xc_fail(c, XC_ERR_ARGUMENT, "an effort is a number from 0 to 3");
	return XC_OK;
}

xc_status xc_array_header_make(xc_context *c, const xc_array_shape *shape,
                               const xc_array_options *o, xc_array_header *h)
{
	const char *fault = fault_of(shape);
	const xc_status s = fault ? xc_fail(c, XC_ERR_ARGUMENT, "%s", fault) : check_bound(c, o);

	if (s)
		return s;
	*h = (xc_array_header){.shape = *shape, .kind = o->kind, .way = o->way, .bound = o->bound};
	if (o->kind == XC_BOUND_LOSSLESS)
		h->bound = 0;
	for (int k = shape->dimensions; k < XC_ARRAY_DIMENSIONS; k++)
		h->shape.size[k] = 0;
	h->chunk[0] = h->chunk[1] = h->chunk[2] = 1;
	xc_array_header_derive(h);
	uint32_t chosen[3];
	choose_chunk_of(h, chosen);
	uint64_t values = 1;
	for (int k = 0; k < 3; k++) {
		if (o->way != XC_ARRAY_PREDICTION) /* whole blocks */
			chosen[k] = (chosen[k] + 7) / 8 * 8;
		h->chunk[k] = o->chunk[k] ? o->chunk[k] : chosen[k];
		if (h->chunk[k] > XC_CHUNK_SIDE)
			return xc_fail(c, XC_ERR_ARGUMENT, "a chunk has at most %d values along a dimension",
			               XC_CHUNK_SIDE);
		if (h->chunk[k] > h->size[k])
			h->chunk[k] = (uint32_t)h->size[k];
		if (k == 0)
			h->chunk[k] = fit_volumes(h, h->chunk[k], !o->chunk[k] && !o->way);
		values *= h->chunk[k];
	}
	if (values > XC_CHUNK_VALUES)
		return xc_fail(c, XC_ERR_ARGUMENT, "a chunk has at most %d values", XC_CHUNK_VALUES);
	xc_array_header_derive(h);
	return XC_OK;
}

/* -------------------------------------------------------------------- bytes */

static uint8_t *put(uint8_t *p, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		*p++ = (uint8_t)(value >> 8 * i);
	return p;
}

static uint64_t get(const uint8_t **p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t) * (*p)++ << 8 * i;
	return value;
}

static uint64_t bits_of(double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static double number_of(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}

void xc_array_header_write(const xc_array_header *h, uint8_t out[XC_ARRAY_HEAD_BYTES])
{
	uint8_t *p = out;

	p = put(p, (uint64_t)h->shape.type, 1);
	p = put(p, (uint64_t)h->shape.dimensions, 1);
	p = put(p, (uint64_t)h->kind, 1);
	for (int k = 0; k < XC_ARRAY_DIMENSIONS; k++)
		p = put(p, h->shape.size[k], 8);
	for (int k = 0; k < 3; k++)
		p = put(p, h->chunk[k], 4);
	p = put(p, bits_of(h->bound), 8);
	p = put(p, bits_of(h->error), 8);
	p = put(p, (uint64_t)h->way, 1);
	put(p, 0, 7); /* for later versions */
}

xc_status xc_array_header_read(xc_array_header *h, const uint8_t in[XC_ARRAY_HEAD_BYTES])
{
	uint64_t chunk = 1;

	memset(h, 0, sizeof *h);
	h->shape.type = (xc_array_type)get(&in, 1);
	h->shape.dimensions = (int)get(&in, 1);
	h->kind = (xc_array_bound)get(&in, 1);
	for (int k = 0; k < XC_ARRAY_DIMENSIONS; k++)
		h->shape.size[k] = get(&in, 8);
	for (int k = 0; k < 3; k++)
		h->chunk[k] = (uint32_t)get(&in, 4);
	h->bound = number_of(get(&in, 8));
	h->error = number_of(get(&in, 8));
	h->way = (xc_array_way)get(&in, 1);
	if (get(&in, 7) || (unsigned)h->shape.type > XC_ARRAY_UINT32 ||
	    (unsigned)(h->shape.dimensions - 1) >= XC_ARRAY_DIMENSIONS ||
	    (unsigned)h->way > XC_ARRAY_TDLT || (unsigned)h->kind > XC_BOUND_SNR)
		return XC_ERR_UNSUPPORTED;
	if (fault_of(&h->shape) || !(h->bound >= 0 && h->bound <= DBL_MAX) ||
	    !(h->error >= 0 && h->error <= DBL_MAX))
		return XC_ERR_CORRUPT;
	for (int k = h->shape.dimensions; k < XC_ARRAY_DIMENSIONS; k++)
		if (h->shape.size[k])
			return XC_ERR_CORRUPT;
	for (int k = 0; k < 3; k++) {
		if (!h->chunk[k] || h->chunk[k] > XC_CHUNK_SIDE)
			return XC_ERR_CORRUPT;
		chunk *= h->chunk[k];
	}
	if (chunk > XC_CHUNK_VALUES)
		return XC_ERR_CORRUPT;
	xc_array_header_derive(h);
	for (int k = 0; k < 3; k++)
		if (h->chunk[k] > h->size[k])
			return XC_ERR_CORRUPT;
	return XC_OK;
}

/* -------------------------------------------------------------------- model */

void xc_slab_model_begin(const xc_array_header *h, xc_slab_model *m)
{
	memset(m, 0,
	       offsetof(xc_slab_model, rank)); /* ranks are many, and read only if there are some */
	m->model.wide = xc_array_is_wide(h->shape.type);
	xc_array_type_range(h->shape.type, &m->model.low, &m->model.high);
	if (xc_array_is_float(h->shape.type)) {
		m->model.high = 2097152;
		m->model.low = -m->model.high;
	}
	memcpy(m->model.plan.size, h->chunk, sizeof h->chunk);
}

uint8_t *xc_slab_model_write(const xc_array_header *h, const xc_slab_model *m, uint8_t *out)
{
	const int size = (int)xc_array_type_size(h->shape.type);

	out = put(out, (uint64_t)((m->map ? m->map : m->exponent) & 0xffff), 2);
	out = put(out, (uint64_t)m->specials, 1);
	for (int i = 0; i < m->specials; i++)
		out = put(out, m->special[i], size);
	out = put(out, m->ranks, 2);
	out = xc_ranks_write(h->shape.type, m->rank, m->ranks, out);
	return xc_model_write(&m->model, out);
}

int xc_slab_model_read(const xc_array_header *h, xc_slab_model *m, const uint8_t *data, size_t size)
{
	const int each = (int)xc_array_type_size(h->shape.type);
	/* That of the least number and of the largest. Half of it is a power of two of the type. */
	const int most = h->shape.type == XC_ARRAY_FLOAT64   ? 1074
	                 : h->shape.type == XC_ARRAY_FLOAT32 ? 149
	                                                     : 0;
	const uint8_t *p = data;

	xc_slab_model_begin(h, m);
	if (size < 3)
		return 0;
	m->exponent = (int16_t)get(&p, 2);
	m->specials = (int)get(&p, 1);
	if (m->specials > XC_SPECIALS || size - 3 < (size_t)(m->specials * each) ||
	    m->exponent < -most || m->exponent > most)
		return 0;
	for (int i = 0; i < m->specials; i++)
		m->special[i] = get(&p, each);
	if (data + size - p < 2)
		return 0;
	m->ranks = (uint32_t)get(&p, 2);
	if (m->ranks > XC_RANKS)
		return 0;
	p = xc_ranks_read(h->shape.type, m->rank, m->ranks, p, data + size);
	if (!p)
		return 0;
	if (m->ranks) {
		m->model.low = 0;
		m->model.high = m->ranks - 1;
	}
	p = xc_model_read(&m->model, p, data + size);
	if (m->ranks && (m->model.mode != XC_MODE_WHOLE || m->model.way))
		return 0;
	if (p != data + size || (m->model.way && (int)m->model.way != (int)h->way))
		return 0;
	if (!m->exponent || m->model.mode == XC_MODE_REAL)
		return 1;
	/* Numbers that are none are coded by their keys, in their own range. */
	if (m->model.mode != XC_MODE_WHOLE || m->model.way || m->ranks ||
	    h->shape.type != XC_ARRAY_FLOAT64 || m->exponent > XC_MAP_LAST)
		return 0;
	m->map = m->exponent;
	m->exponent = 0;
	xc_map_range(m->map, &m->model.low, &m->model.high);
	return 1;
}
