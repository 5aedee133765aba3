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

/* Positions of exceptions, then their values. */
static int read_exceptions(const uint8_t **p, const uint8_t *end, size_t n, size_t bytes,
                           xc_chunk_head *h)
{
	uint64_t at = 0, by;

	if (!get_number(p, end, n + 1, &h->exceptions))
		return 0;
	h->positions = *p;
	for (uint64_t i = 0; i < h->exceptions; i++) {
		if (!get_number(p, end, n - at, &by))
			return 0;
		at += by + 1;
	}
	h->values = *p;
	if ((uint64_t)(end - *p) < h->exceptions * bytes)
		return 0;
	*p += h->exceptions * bytes;
	return 1;
}

int xc_chunk_head_read(xc_array_type type, size_t n, const uint8_t *data, size_t size,
                       xc_chunk_head *h)
{
	const uint8_t *p = data + 1, *const end = data + size;

	memset(h, 0, sizeof *h);
	if (!size)
		return 0;
	h->flags = data[0];
	h->lanes = xc_lanes_of(data[0]);
	if (h->flags == XC_CHUNK_RAW) {
		h->residues = p;
		h->bytes = size - 1;
		return h->bytes == n * xc_array_type_size(type);
	}
	if (!h->lanes || h->flags & XC_CHUNK_RAW)
		return 0;
	if (h->flags & XC_CHUNK_KINDS) {
		if (end - p < 4)
			return 0;
		h->kinds_bytes = (size_t)get_value(p, 4);
		h->kinds = p += 4;
		if (h->kinds_bytes > (size_t)(end - p))
			return 0;
		p += h->kinds_bytes;
	}
	if (h->flags & XC_CHUNK_EXCEPTIONS && !read_exceptions(&p, end, n, xc_array_type_size(type), h))
		return 0;
	h->residues = h->flags & XC_CHUNK_RESIDUES ? p : NULL;
	h->bytes = (size_t)(end - p);
	return h->residues || p == end;
}

uint32_t xc_chunk_exception(const xc_chunk_head *h, const uint8_t **p, uint32_t at, uint64_t i,
                            size_t bytes, uint64_t *bits)
{
	uint64_t by;

	get_number(p, h->values, UINT64_MAX, &by);
	*bits = get_value(h->values + i * bytes, bytes);
	return at + (uint32_t)by;
}

static void set_exceptions(const xc_chunk_head *h, xc_array_type type, void *values)
{
	const uint8_t *p = h->positions;
	uint32_t at = 0;
	uint64_t bits;

	for (uint64_t i = 0; i < h->exceptions; i++) {
		at = xc_chunk_exception(h, &p, at, i, xc_array_type_size(type), &bits);
		xc_array_set_bits(type, values, at++, bits);
	}
}

static void decode_raw(xc_array_type type, const uint8_t *p, size_t n, void *values)
{
	const size_t bytes = xc_array_type_size(type);

	for (size_t i = 0; i < n; i++)
		xc_array_set_bits(type, values, i, get_value(p + i * bytes, bytes));
}

int xc_array_chunk_decode(const xc_context *c, const xc_array_header *h, const xc_slab_model *m,
                          const xc_array_decode_tables *tables, const uint8_t *data, size_t size,
                          const uint32_t chunk[3], void *scratch, void *values)
{
	const xc_array_type type = h->shape.type;
	const size_t n = xc_chunk_count(chunk), real = m->model.wide ? 8 : 4;
	const size_t stride[3] = {(size_t)chunk[1] * chunk[2], chunk[2], 1};
	void *reals = scratch;
	uint8_t *kinds = (uint8_t *)scratch + xc_aligned64(n * real), *turned = kinds + xc_aligned64(n);
	void *work = turned + xc_aligned64(n);
	xc_chunk_head k;

	if (!xc_chunk_head_read(type, n, data, size, &k))
		return 0;
	if (k.flags == XC_CHUNK_RAW) {
		decode_raw(type, k.residues, n, values);
		return 1;
	}
	xc_chunk_values v = {.values = reals};
	for (int d = 0; d < 3; d++)
		v.size[d] = chunk[m->model.axis[d]];
	if (k.kinds) {
		if (!xc_kinds_decode(c->cpu, chunk, k.kinds, k.kinds_bytes, work, kinds))
			return 0;
		xc_array_gather(1, chunk, m->model.axis, kinds, stride, turned);
		v.kind = turned;
	}
	if (!xc_chunk_decode(&m->model, tables, k.residues, k.bytes, k.lanes, &v, work))
		return 0;
	/* The scratch of decoding is free again, and has room for the values. */
	xc_slab_unload(type, m, reals, n, work);
	xc_array_scatter(xc_array_type_size(type), chunk, m->model.axis, work, values, stride);
	for (size_t i = 0; k.kinds && i < n; i++)
		if (kinds[i] && kinds[i] <= m->specials)
			xc_array_set_bits(type, values, i, m->special[kinds[i] - 1]);
	set_exceptions(&k, type, values);
	return 1;
}
