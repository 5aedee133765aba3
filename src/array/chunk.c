/* SPDX-License-Identifier: BSD-2-Clause */
/* A chunk's segment to values; src/array/reader.c calls it. */
#include <string.h>

#include "src/array/array.h"

size_t xc_chunk_decode_scratch(const xc_array_header *h, const uint32_t size[3])
{
	const size_t n = xc_chunk_count(size);
	const int wide = xc_array_is_wide(h->shape.type);
	const size_t kinds = xc_kinds_scratch(size, 0), coding = xc_chunk_scratch(wide, size);
	const size_t work = kinds > coding ? kinds : coding;

	return xc_aligned64(n * (wide ? 8 : 4)) + 2 * xc_aligned64(n) + xc_aligned64(work);
}

static uint64_t get_value(const uint8_t *p, size_t bytes)
{
	uint64_t v = 0;

	for (size_t b = 0; b < bytes; b++)
		v |= (uint64_t)p[b] << 8 * b;
	return v;
}

/* A number below `end_of`; 0: there is none. */
static int get_number(const uint8_t **p, const uint8_t *end, uint64_t end_of, uint64_t *v)
{
	return xc_number_get(p, end, 35, v) && *v < end_of;
}

/* The list of exceptions: positions, then values. */
typedef struct exceptions {
	uint64_t count;
	const uint8_t *positions, *values;
} exceptions;

static int read_exceptions(const uint8_t **p, const uint8_t *end, size_t n, size_t bytes,
                           exceptions *x)
{
	uint64_t at = 0, by;

	if (!get_number(p, end, n + 1, &x->count))
		return 0;
	x->positions = *p;
	for (uint64_t i = 0; i < x->count; i++) {
		if (!get_number(p, end, n - at, &by))
			return 0;
		at += by + 1;
	}
	x->values = *p;
	if ((uint64_t)(end - *p) < x->count * bytes)
		return 0;
	*p += x->count * bytes;
	return 1;
}

static void set_exceptions(const exceptions *x, const uint8_t *end, xc_array_type type,
                           void *values)
{
	const size_t bytes = xc_array_type_size(type);
	const uint8_t *p = x->positions;
	uint64_t at = 0, by;

	for (uint64_t i = 0; i < x->count; i++) {
		get_number(&p, end, UINT64_MAX, &by);
		at += by;
		xc_array_set_bits(type, values, (size_t)at++, get_value(x->values + i * bytes, bytes));
	}
}

static int decode_raw(xc_array_type type, const uint8_t *p, size_t size, size_t n, void *values)
{
	const size_t bytes = xc_array_type_size(type);

	if (size != n * bytes)
		return 0;
	for (size_t i = 0; i < n; i++)
		xc_array_set_bits(type, values, i, get_value(p + i * bytes, bytes));
	return 1;
}

int xc_array_chunk_decode(const xc_context *c, const xc_array_header *h, const xc_slab_model *m,
                          const xc_array_decode_tables *tables, const uint8_t *data, size_t size,
                          const uint32_t chunk[3], void *scratch, void *values)
{
	const xc_array_type type = h->shape.type;
	const size_t n = xc_chunk_count(chunk), real = m->model.wide ? 8 : 4;
	const size_t stride[3] = {(size_t)chunk[1] * chunk[2], chunk[2], 1};
	const uint8_t *p = data + 1, *const end = data + size;
	void *reals = scratch;
	uint8_t *kinds = (uint8_t *)scratch + xc_aligned64(n * real), *turned = kinds + xc_aligned64(n);
	void *work = turned + xc_aligned64(n);
	exceptions x = {0};

	if (!size)
		return 0;
	const int flags = data[0];
	const unsigned lanes = xc_lanes_of(data[0]);
	if (flags == XC_CHUNK_RAW)
		return decode_raw(type, p, size - 1, n, values);
	if (!lanes || flags & XC_CHUNK_RAW)
		return 0;
	xc_chunk_values v = {.values = reals};
	for (int k = 0; k < 3; k++)
		v.size[k] = chunk[m->model.axis[k]];
	if (flags & XC_CHUNK_KINDS) {
		if (end - p < 4)
			return 0;
		const uint64_t bytes = get_value(p, 4);
		p += 4;
		if (bytes > (uint64_t)(end - p) ||
		    !xc_kinds_decode(c->cpu, chunk, p, (size_t)bytes, work, kinds))
			return 0;
		p += bytes;
		xc_array_gather(1, chunk, m->model.axis, kinds, stride, turned);
		v.kind = turned;
	}
	if (flags & XC_CHUNK_EXCEPTIONS && !read_exceptions(&p, end, n, xc_array_type_size(type), &x))
		return 0;
	if (!(flags & XC_CHUNK_RESIDUES) && p != end)
		return 0;
	if (!xc_chunk_decode(&m->model, tables, flags & XC_CHUNK_RESIDUES ? p : NULL, (size_t)(end - p),
	                     lanes, &v, work))
		return 0;
	/* The scratch of decoding is free again, and has room for the values. */
	xc_slab_unload(type, m, reals, n, work);
	xc_array_scatter(xc_array_type_size(type), chunk, m->model.axis, work, values, stride);
	for (size_t i = 0; flags & XC_CHUNK_KINDS && i < n; i++)
		if (kinds[i] && kinds[i] <= m->specials)
			xc_array_set_bits(type, values, i, m->special[kinds[i] - 1]);
	set_exceptions(&x, end, type, values);
	return 1;
}
