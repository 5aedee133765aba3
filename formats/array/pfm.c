/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PFM (pfm(5) of netpbm): 32-bit floats, the bottom row first. Arrays have the top row first, as
 * pictures do, so reading goes backwards and writing holds the picture until its last row is there.
 * The scale's sign tells the byte order (negative: little-endian); the scale itself is kept in the
 * header that is attached, and not applied.
 */
#include "formats/array/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pfm {
	uint64_t sizes[3]; /* rows, columns, and 3 in colour */
	int dimensions, big;
	size_t start;
} pfm;

/* The next word of the header: its length; at is set behind it. */
static size_t word(const uint8_t *p, size_t size, size_t *at)
{
	for (int comment = 0; *at < size && (comment || xc_file_is_space(p[*at]) || p[*at] == '#');
	     ++*at)
		comment = p[*at] == '#' || (comment && p[*at] != '\n');
	const size_t begin = *at;
	while (*at < size && !xc_file_is_space(p[*at]))
		++*at;
	return *at < size ? *at - begin : 0;
}

static int number(const uint8_t *p, size_t size, size_t *at, uint64_t *value)
{
	const size_t length = word(p, size, at);

	*value = 0;
	for (size_t i = *at - length; i < *at; i++) {
		if (p[i] < '0' || p[i] > '9' || *value > UINT32_MAX)
			return 0;
		*value = *value * 10 + (uint64_t)(p[i] - '0');
	}
	return length > 0;
}

/* The locale does not matter, as it would to strtod(): a sign, and some digit that is not 0. */
static int scale(const uint8_t *p, size_t length, int *big)
{
	int nonzero = 0, mantissa = 1;

	*big = length && p[0] != '-';
	for (size_t i = 0; i < length; i++) {
		if (!strchr("+-.0123456789eE", p[i]))
			return 0;
		mantissa &= p[i] != 'e' && p[i] != 'E';
		nonzero |= mantissa && p[i] >= '1' && p[i] <= '9';
	}
	return nonzero;
}

static int parse(const uint8_t *p, size_t size, pfm *f)
{
	size_t at = 2;

	*f = (pfm){.sizes = {0, 0, 3}};
	if (size < 3 || p[0] != 'P' || (p[1] != 'f' && p[1] != 'F') || !xc_file_is_space(p[2]))
		return 0;
	f->dimensions = p[1] == 'F' ? 3 : 2;
	if (!number(p, size, &at, &f->sizes[1]) || !number(p, size, &at, &f->sizes[0]))
		return 0;
	const size_t length = word(p, size, &at);
	/* One byte of white space; what writes two of them for a line's end does so here, too. */
	f->start = at + 1 + (at + 1 < size && p[at] == '\r' && p[at + 1] == '\n');
	return scale(p + at - length, length, &f->big);
}

static int pfm_is(const uint8_t *first, size_t size, int suffix)
{
	(void)suffix;
	return size >= 3 && first[0] == 'P' && (first[1] == 'f' || first[1] == 'F') &&
	       xc_file_is_space(first[2]);
}

static xc_status pfm_open(xc_array_reading *r)
{
	pfm f;

	if (!parse(r->first, r->first_size, &f))
		return xc_file_fail(r->message, XC_ERR_CORRUPT,
		                    "the PFM header has no width, height and scale");
	const xc_status status = xc_array_shape_file(r, XC_ARRAY_FLOAT32, f.dimensions, f.sizes,
	                                             f.start);
	if (status)
		return status;
	r->swap = f.big != xc_array_big_endian();
	return xc_array_keep_header(r);
}

static uint64_t row_of(const xc_array_shape *shape)
{
	return shape->size[1] * (shape->dimensions == 3 ? 3 : 1);
}

static xc_status pfm_read(xc_array_reading *r, void *values, uint64_t count)
{
	const uint64_t row = row_of(&r->input.shape), rows = r->input.shape.size[0];
	uint8_t *to = values;
	uint64_t at = r->at, n;

	for (uint64_t left = count; left; left -= n, at += n, to += n * 4) {
		const uint64_t y = rows - 1 - at / row, x = at % row;
		n = row - x < left ? row - x : left;
		if (xc_array_get(&r->bytes, r->start + (y * row + x) * 4, to, (size_t)n * 4, 0) < n * 4)
			return xc_array_short(r);
	}
	if (r->swap)
		xc_array_swap(values, count, 4);
	return XC_OK;
}

/* ------------------------------------------------------------------- writing */

static xc_status put_header(xc_array_output *o)
{
	const xc_array_shape *s = &o->shape;
	char header[64];
	pfm f;
	xc_array_shape was = {.type = XC_ARRAY_FLOAT32};
	uint64_t values;

	if (o->header && parse(o->header, o->header_size, &f) && f.start == o->header_size &&
	    xc_array_fold(f.dimensions, f.sizes, &was, &values) && xc_array_same_shape(&was, s)) {
		o->same = 1;
		o->swap = f.big != xc_array_big_endian();
		return xc_array_put(o, o->header, o->header_size);
	}
	const int n = snprintf(header, sizeof header, "P%c\n%" PRIu64 " %" PRIu64 "\n-1.0\n",
	                       s->dimensions == 3 ? 'F' : 'f', s->size[1], s->size[0]);
	return xc_array_put(o, header, (size_t)n);
}

static xc_status pfm_create(xc_array_output *o)
{
	const xc_array_shape *s = &o->shape;

	if (s->type != XC_ARRAY_FLOAT32 || s->dimensions < 2 || s->dimensions > 3 ||
	    (s->dimensions == 3 && s->size[2] != 3))
		return xc_file_fail(o->message, XC_ERR_UNSUPPORTED,
		                    "PFM holds float32 of rows x columns, or x 3; NPY holds this array");
	o->own = o->values > SIZE_MAX / 4 ? NULL : malloc((size_t)o->values * 4);
	return o->own ? put_header(o)
	              : xc_file_fail(o->message, XC_ERR_MEMORY, "out of memory for a PFM");
}

static xc_status pfm_write(xc_array_output *o, const void *values, uint64_t count)
{
	memcpy((uint8_t *)o->own + o->at * 4, values, (size_t)count * 4);
	return XC_OK;
}

static xc_status pfm_end(xc_array_output *o)
{
	const uint64_t row = row_of(&o->shape);
	xc_status status = XC_OK;

	for (uint64_t y = o->shape.size[0]; !status && y-- > 0;)
		status = xc_array_put_values(o, (const uint8_t *)o->own + y * row * 4, row);
	return status;
}

const xc_array_kind xc_array_pfm = {
	.format = "PFM",
	.letters = "pfm",
	.suffixes = {"pfm"},
	.seeks = 1,
	.is = pfm_is,
	.open = pfm_open,
	.read = pfm_read,
	.create = pfm_create,
	.write = pfm_write,
	.end = pfm_end,
};
