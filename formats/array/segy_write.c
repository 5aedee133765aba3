/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing SEG-Y and SU, of the headers that were attached when such a file was read: no header is
 * made up here. The headers of a group of traces are taken when its first trace is written.
 */
#include "formats/array/segy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct segy_writer {
	segy_layout layout;
	uint8_t *group; /* headers of `traces` traces, of which `used` are written */
	uint64_t traces, used;
	segy_counts counts;
} segy_writer;

static xc_status refuse(xc_array_output *o)
{
	return xc_file_fail(o->message, XC_ERR_UNSUPPORTED,
	                    "a %s file needs the headers of one, of these traces and this type: NPY "
	                    "holds this array",
	                    o->kind->format);
}

static xc_status parse(xc_array_output *o, segy_layout *l)
{
	if (o->kind == &xc_array_su) {
		*l = (segy_layout){.su = 1, .format = 5, .head = SEGY_TRACE};
		l->little = o->header_size == 1 && o->header[0] == 'l';
		return o->shape.type == l->type ? XC_OK : refuse(o);
	}
	if (o->header_size < SEGY_HEADERS || xc_segy_parse(o->header, l) || l->type != o->shape.type)
		return refuse(o);
	return xc_array_put(o, o->header, o->header_size);
}

xc_status xc_segy_create(xc_array_output *o)
{
	segy_writer *w = calloc(1, sizeof *w);

	o->own = w;
	o->same = 1;
	if (!w)
		return xc_file_fail(o->message, XC_ERR_MEMORY, "out of memory for SEG-Y");
	if (!o->header)
		return refuse(o);
	const xc_status status = parse(o, &w->layout);
	w->layout.samples = o->shape.size[o->shape.dimensions - 1];
	o->swap = w->layout.little == xc_array_big_endian();
	return status;
}

/* Columns of differences to headers. */
static void undo(uint8_t *to, const uint8_t *columns, size_t n, size_t head)
{
	for (size_t k = 0; k < head; k++) {
		uint8_t value = 0;
		for (size_t i = 0; i < n; i++)
			to[i * head + k] = value = (uint8_t)(value + columns[k * n + i]);
	}
}

static xc_status take_group(xc_array_output *o, segy_writer *w)
{
	const size_t head = w->layout.head;
	uint8_t *columns = NULL;
	size_t size = 0;
	int is = 0;
	xc_status status = xc_array_look(o, 't', &is);

	if (!status && !is)
		return refuse(o);
	o->pending_known = 0;
	if (!status)
		status = xc_array_unpack(o->message, o->pending_bytes, o->pending_size, &columns, &size);
	free(w->group);
	w->group = status ? NULL : malloc(size + 1);
	w->traces = size / head;
	w->used = 0;
	if (!status && (size % head || !size))
		status = xc_file_fail(o->message, XC_ERR_CORRUPT, "attached trace headers are damaged");
	else if (!status && !w->group)
		status = xc_file_fail(o->message, XC_ERR_MEMORY, "out of memory for trace headers");
	if (!status)
		undo(w->group, columns, (size_t)w->traces, head);
	free(columns);
	return status;
}

static xc_status put_header(xc_array_output *o, segy_writer *w)
{
	const xc_status status = w->used == w->traces ? take_group(o, w) : XC_OK;

	if (status)
		return status;
	return xc_array_put(o, w->group + w->used++ * w->layout.head, w->layout.head);
}

static xc_status put_samples(xc_array_output *o, segy_writer *w, const uint8_t *from,
                             uint64_t count)
{
	float part[512];
	xc_status status = XC_OK;

	if (w->layout.format != 1)
		return xc_array_put_values(o, from, count);
	for (uint64_t n; count && !status; count -= n, from += n * 4) {
		n = count < 512 ? count : 512;
		memcpy(part, from, (size_t)n * 4);
		xc_ibm_from_floats(part, n, &w->counts);
		status = xc_array_put_values(o, part, n);
	}
	return status;
}

xc_status xc_segy_write(xc_array_output *o, const void *values, uint64_t count)
{
	segy_writer *w = o->own;
	const uint64_t samples = w->layout.samples;
	const size_t size = xc_array_value_size(o->shape.type);
	const uint8_t *from = values;
	xc_status status = XC_OK;
	uint64_t n;

	for (uint64_t at = o->at; count && !status; count -= n, at += n, from += n * size) {
		const uint64_t x = at % samples;
		n = samples - x < count ? samples - x : count;
		if (!x)
			status = put_header(o, w);
		if (!status)
			status = put_samples(o, w, from, n);
	}
	return status;
}

xc_status xc_segy_end(xc_array_output *o)
{
	const segy_writer *w = o->own;
	int more = 0;
	const xc_status status = xc_array_look(o, 't', &more);

	if (status || more || w->used < w->traces)
		return status ? status : refuse(o);
	if (w->counts.rounded || w->counts.infinite)
		snprintf(o->message, XC_FILE_MESSAGE,
		         "of %" PRIu64 " values %" PRIu64
		         " were rounded to IBM numbers, by 2^-21 of them at "
		         "most, and %" PRIu64 " are NaN or infinite, which IBM numbers do not have",
		         o->values, w->counts.rounded, w->counts.infinite);
	return XC_OK;
}

void xc_segy_discard(xc_array_output *o)
{
	segy_writer *w = o->own;

	if (w)
		free(w->group);
}
