/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Raw values, which a description explains: "f32,512x512x300,little+128".
 *
 * The attached header is the letter of the byte order, l or b, the number of values (eight bytes,
 * little-endian), and the bytes before the values. There is none for little-endian values alone.
 */
#include "formats/array/kind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { RAW_HEAD = 9, RAW_DIMENSIONS = 8 };

typedef struct description {
	xc_array_type type;
	int dimensions, big;
	uint64_t sizes[RAW_DIMENSIONS], offset;
} description;

static const char *parse_sizes(const char *p, description *d)
{
	do {
		p = d->dimensions < RAW_DIMENSIONS ? xc_array_digits(p + 1, &d->sizes[d->dimensions++])
		                                   : NULL;
	} while (p && (*p == 'x' || *p == 'X'));
	return p;
}

static int parse(const char *text, description *d)
{
	const size_t length = strcspn(text, ",");
	const int type = xc_array_type_by_name(text, length);
	const char *p = text + length;

	*d = (description){.type = (xc_array_type)type};
	if (type < 0 || *p != ',')
		return 0;
	p = parse_sizes(p, d);
	if (p && *p == ',') {
		const size_t order = strcspn(++p, "+");
		d->big = order == 3 && !strncasecmp(p, "big", 3);
		if (!d->big && !(order == 6 && !strncasecmp(p, "little", 6)))
			return 0;
		p += order;
	}
	if (p && *p == '+')
		p = xc_array_digits(p + 1, &d->offset);
	return p && !*p;
}

int xc_array_raw_is(const char *text)
{
	description d;

	return parse(text, &d);
}

static xc_status keep(xc_array_reading *r, int big)
{
	const xc_status status = xc_array_keep_header(r);

	if (status)
		return status;
	uint8_t *header = malloc(RAW_HEAD + r->header_size);
	if (!header)
		return xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for a header");
	header[0] = big ? 'b' : 'l';
	xc_store_le(header + 1, r->input.values, 8);
	memcpy(header + RAW_HEAD, r->header, r->header_size);
	free(r->header);
	r->header = header;
	r->header_size += RAW_HEAD;
	return XC_OK;
}

static xc_status raw_open(xc_array_reading *r)
{
	description d;

	if (!r->raw)
		return xc_file_fail(r->message, XC_ERR_FORMAT,
		                    "a file of raw values: a description such as --raw "
		                    "f32,512x512x300,little says what it holds");
	if (!parse(r->raw, &d))
		return xc_file_fail(r->message, XC_ERR_ARGUMENT, "'%.64s' is not " XC_ARRAY_RAW_RULE,
		                    r->raw);
	const xc_status status = xc_array_shape_file(r, d.type, d.dimensions, d.sizes, d.offset);
	if (status)
		return status;
	const uint64_t size = r->bytes.source.size;
	if (size != XC_ARRAY_SIZE_UNKNOWN && size != r->end)
		return xc_file_fail(r->message, XC_ERR_CORRUPT,
		                    "the description means %" PRIu64 " bytes, but the file has %" PRIu64,
		                    r->end, size);
	r->swap = d.big != xc_array_big_endian();
	return d.big || d.offset ? keep(r, d.big) : XC_OK;
}

static xc_status raw_create(xc_array_output *o)
{
	const uint8_t *h = o->header;

	if (!h || o->header_size < RAW_HEAD || xc_load_le64(h + 1) != o->values)
		return XC_OK;
	o->same = 1;
	o->swap = (h[0] == 'b') != xc_array_big_endian();
	return xc_array_put(o, h + RAW_HEAD, o->header_size - RAW_HEAD);
}

const xc_array_kind xc_array_raw = {
	.format = "raw",
	.letters = "raw",
	.suffixes = {"raw", "bin", "dat"},
	.open = raw_open,
	.create = raw_create,
};
