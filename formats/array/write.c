/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing array files of all formats: xc_array_output_new() and what follows it. Bytes leave through
 * a buffer, in order.
 */
#include "formats/array/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- bytes */

static xc_status flush(xc_array_output *o)
{
	const size_t used = o->used;

	o->used = 0;
	if (used && o->sink.write(o->sink.user, o->buffer, used))
		return xc_file_fail(o->message, XC_ERR_IO, "the file cannot be written");
	return XC_OK;
}

xc_status xc_array_put(xc_array_output *o, const void *bytes, size_t size)
{
	const uint8_t *from = bytes;

	while (size) {
		const size_t room = XC_ARRAY_BUFFER - o->used, n = size < room ? size : room;
		memcpy(o->buffer + o->used, from, n);
		o->used += n;
		from += n;
		size -= n;
		const xc_status status = o->used == XC_ARRAY_BUFFER ? flush(o) : XC_OK;
		if (status)
			return status;
	}
	return XC_OK;
}

xc_status xc_array_put_values(xc_array_output *o, const void *values, uint64_t count)
{
	const size_t size = xc_array_value_size(o->shape.type);
	const uint8_t *from = values;
	uint64_t swapped[512];
	const uint64_t most = sizeof swapped / size;
	xc_status status = XC_OK;

	if (!o->swap)
		return xc_array_put(o, values, (size_t)count * size);
	for (uint64_t n; count && !status; count -= n, from += n * size) {
		n = count < most ? count : most;
		memcpy(swapped, from, (size_t)n * size);
		xc_array_swap(swapped, n, size);
		status = xc_array_put(o, swapped, (size_t)n * size);
	}
	return status;
}

/* --------------------------------------------------------------- attachments */

xc_status xc_array_look(xc_array_output *o, char letter, int *is)
{
	xc_status status = XC_OK;

	if (!o->pending_known && o->attachments.next)
		status = o->attachments.next(o->attachments.user, o->pending, &o->pending_bytes,
		                             &o->pending_size);
	if (status)
		return xc_file_fail(o->message, status, "attached headers cannot be read");
	if (!o->pending_known && (!o->attachments.next || !o->pending_size))
		o->pending[0] = '\0';
	o->pending_known = 1;
	*is = !strncmp(o->pending, o->kind->letters, 3) && o->pending[3] == letter;
	return XC_OK;
}

/* A header of another format stays where it is. */
static xc_status look_at_other(xc_array_output *o)
{
	xc_array_input about = {.slope = 1};

	if (o->pending[0] == '\0')
		return XC_OK;
	const xc_status status = xc_array_input_about(&about, o->pending, o->pending_bytes,
	                                              o->pending_size, o->message);
	if (!status && (about.slope != 1 || about.intercept != 0))
		snprintf(o->message, XC_FILE_MESSAGE,
		         "values are as stored: those of the NIfTI file are %.9g times them plus %.9g",
		         about.slope, about.intercept);
	return status;
}

static xc_status take_header(xc_array_output *o)
{
	int is = 0;
	xc_status status = xc_array_look(o, 'h', &is);

	if (status || !is)
		return status ? status : look_at_other(o);
	o->pending_known = 0;
	return xc_array_unpack(o->message, o->pending_bytes, o->pending_size, &o->header,
	                       &o->header_size);
}

static xc_status put_trailing(xc_array_output *o)
{
	xc_status status = XC_OK;
	int is = 1;

	while (!status && !(status = xc_array_look(o, 'z', &is)) && is) {
		uint8_t *bytes;
		size_t size;
		o->pending_known = 0;
		status = xc_array_unpack(o->message, o->pending_bytes, o->pending_size, &bytes, &size);
		if (!status)
			status = xc_array_put(o, bytes, size);
		free(bytes);
	}
	return status;
}

/* ------------------------------------------------------------------- a file */

static xc_status check(const char *name, const xc_array_shape *shape, xc_array_output *o)
{
	const xc_array_kind *kind = xc_array_kind_by_name(name);

	if (!kind)
		return xc_file_fail(o->message, XC_ERR_UNSUPPORTED,
		                    "no format of arrays that is written: .npy, .sgy, .su, .nii, .tif, "
		                    ".pfm, .raw");
	o->shape.type = shape->type;
	if ((unsigned)shape->type >= XC_ARRAY_TYPES || shape->dimensions < 1 ||
	    shape->dimensions > XC_ARRAY_DIMENSIONS ||
	    !xc_array_shape_set(shape->dimensions, shape->size, &o->shape, &o->values))
		return xc_file_fail(o->message, XC_ERR_ARGUMENT, "the array has an impossible shape");
	o->kind = kind;
	return XC_OK;
}

static xc_status begin(xc_array_output *o)
{
	o->buffer = malloc(XC_ARRAY_BUFFER);
	if (!o->buffer)
		return xc_file_fail(o->message, XC_ERR_MEMORY, "out of memory for writing");
	const xc_status status = take_header(o);
	o->swap = xc_array_big_endian();
	return status ? status : o->kind->create(o);
}

xc_status xc_array_output_new(const char *name, const xc_byte_sink *sink,
                              const xc_array_shape *shape, const xc_array_part *part,
                              const xc_array_attachments *attachments, xc_array_output **output,
                              char message[XC_FILE_MESSAGE])
{
	xc_array_output *o = calloc(1, sizeof *o);

	message[0] = '\0';
	*output = NULL;
	if (!o)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for writing");
	o->message = message;
	o->sink = *sink;
	if (attachments)
		o->attachments = *attachments;
	o->part = part;
	xc_status status = check(name, shape, o);
	if (!status)
		status = begin(o);
	if (status)
		xc_array_output_free(o);
	else
		*output = o;
	return status;
}

uint64_t xc_array_output_memory(const xc_array_output *o)
{
	return o->memory;
}

xc_status xc_array_output_write(xc_array_output *o, const void *values, uint64_t count,
                                char message[XC_FILE_MESSAGE])
{
	message[0] = '\0';
	o->message = message;
	if (count > o->values - o->at)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "more values are written than there are");
	if (o->memory && !o->own) {
		o->own = o->memory > SIZE_MAX / 2 ? NULL : malloc((size_t)o->memory);
		if (!o->own)
			return xc_file_fail(message, XC_ERR_MEMORY,
			                    "out of memory for the %s file, which is "
			                    "written from memory",
			                    o->kind->format);
	}
	const xc_status status = o->kind->write ? o->kind->write(o, values, count)
	                                        : xc_array_put_values(o, values, count);
	o->at += status ? 0 : count;
	return status;
}

xc_status xc_array_output_end(xc_array_output *o, char message[XC_FILE_MESSAGE])
{
	xc_status status = XC_OK;

	message[0] = '\0';
	o->message = message;
	if (o->at < o->values)
		return xc_file_fail(message, XC_ERR_ARGUMENT,
		                    "%" PRIu64 " of %" PRIu64 " values are missing", o->values - o->at,
		                    o->values);
	if (o->kind->end)
		status = o->kind->end(o);
	if (!status && o->same)
		status = put_trailing(o);
	return status ? status : flush(o);
}

void xc_array_output_free(xc_array_output *o)
{
	if (!o)
		return;
	if (o->kind && o->kind->discard)
		o->kind->discard(o);
	free(o->buffer);
	free(o->header);
	free(o->own);
	free(o);
}
