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

/* Skips white space and comments. */
static const char *skip(const char *p)
{
	for (; xc_file_is_space((uint8_t)*p) || *p == '#'; p++)
		if (*p == '#')
			p += strcspn(p, "\n") - 1;
	return p;
}

/* The locale does not matter, as it would to strtod(): some digit before an exponent is not 0. */
static int scale(const char *p, size_t length)
{
	return strspn(p, "+-.0123456789eE") == length &&
	       strcspn(p, "123456789") < strcspn(p, "eE \t\r\n");
}

/* text: ends with a zero */
static int parse(const char *text, pfm *f)
{
	*f = (pfm){.sizes = {0, 0, 3}, .dimensions = text[1] == 'F' ? 3 : 2};
	const char *p = xc_array_digits(skip(text + 2), &f->sizes[1]);
	p = p && xc_file_is_space((uint8_t)*p) ? xc_array_digits(skip(p), &f->sizes[0]) : NULL;
	if (!p || !xc_file_is_space((uint8_t)*p))
		return 0;
	p = skip(p);
	const size_t length = strcspn(p, " \t\r\n");
	f->big = *p != '-';
	/* One byte of white space; what writes two of them for a line's end does so here, too. */
	f->start = (size_t)(p - text) + length + 1 + !strncmp(p + length, "\r\n", 2);
	return p[length] && scale(p, length);
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

	if (!parse((const char *)r->first, &f))
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

	if (o->header_size > 3 && parse((const char *)o->header, &f) && f.start == o->header_size &&
	    xc_array_shape_set(f.dimensions, f.sizes, &was, &values) && xc_array_same_shape(&was, s)) {
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
	o->memory = o->values * 4;
	return put_header(o);
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
