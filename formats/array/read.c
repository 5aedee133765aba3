/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading array files of all formats: xc_array_input_new() and what follows it. A format says where
 * its values are, or reads them itself.
 */
#include "formats/array/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

xc_status xc_array_short(xc_array_reading *r)
{
	const uint64_t size = r->bytes.source.size;

	if (r->bytes.failed)
		return xc_file_fail(r->message, XC_ERR_IO, "the file cannot be read");
	if (size == XC_ARRAY_SIZE_UNKNOWN)
		return xc_file_fail(r->message, XC_ERR_TRUNCATED,
		                    "the %s file ends too early, or is damaged", r->kind->format);
	return xc_file_fail(r->message, XC_ERR_TRUNCATED,
	                    "the %s file ends too early (it has %" PRIu64 " bytes)", r->kind->format,
	                    size);
}

xc_status xc_array_shape_file(xc_array_reading *r, xc_array_type type, int dimensions,
                              const uint64_t *sizes, uint64_t start)
{
	xc_array_input *in = &r->input;

	in->shape.type = type;
	if (dimensions > XC_ARRAY_DIMENSIONS)
		return xc_file_fail(
			r->message, XC_ERR_UNSUPPORTED,
			"the %s file has %d dimensions, and an XC file has up to %d: reshape the "
			"array first",
			r->kind->format, dimensions, XC_ARRAY_DIMENSIONS);
	if (!xc_array_shape_set(dimensions, sizes, &in->shape, &in->values))
		return xc_file_fail(r->message, XC_ERR_CORRUPT,
		                    "the %s file has an impossible shape (no values, or above 2^63 bytes)",
		                    r->kind->format);
	const uint64_t bytes = in->values * xc_array_value_size(type);
	if (start > INT64_MAX || start > r->bytes.limit || bytes > r->bytes.limit - start)
		return xc_file_fail(r->message, XC_ERR_TRUNCATED,
		                    "the %s file is shorter than its shape says: %" PRIu64
		                    " values need %" PRIu64 " bytes after the header",
		                    r->kind->format, in->values, bytes);
	r->start = start;
	r->end = start + bytes;
	return XC_OK;
}

xc_status xc_array_keep_header(xc_array_reading *r)
{
	if (r->start > XC_ARRAY_HEADER_MAX)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "the %s header is above 64 MiB",
		                    r->kind->format);
	r->header_size = (size_t)r->start;
	r->header = malloc(r->header_size + 1);
	if (!r->header)
		return xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for a header");
	if (xc_array_get(&r->bytes, 0, r->header, r->header_size, XC_ARRAY_FIRST) < r->header_size)
		return xc_array_short(r);
	r->header[r->header_size] = 0;
	return XC_OK;
}

/* ------------------------------------------------------------------- opening */

static xc_status find_kind(xc_array_reading *r, const char *name, const char *raw)
{
	r->kind = raw ? &xc_array_raw : xc_array_kind_of(r->first, r->first_size, name);
	if (!r->kind && r->bytes.failed)
		return xc_file_fail(r->message, XC_ERR_IO, "the file cannot be read");
	if (!r->kind)
		return xc_file_fail(r->message, XC_ERR_FORMAT,
		                    "not an array file that can be read: NPY, SEG-Y, SU, NIfTI, PFM, TIFF, "
		                    "or raw values with a description");
	if (r->kind->seeks && (r->bytes.gunzip || !r->bytes.source.seek))
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "a %s file %s", r->kind->format,
		                    r->bytes.gunzip ? "in gzip: 'gzip -d' first"
		                                    : "cannot come from a pipe: give a file");
	r->name = name;
	r->raw = raw;
	return XC_OK;
}

static xc_status open_reading(xc_array_reading *r, const xc_array_source *source, const char *name,
                              const char *raw)
{
	uint8_t first[XC_ARRAY_FIRST + 1];
	xc_status status = xc_array_bytes_open(&r->bytes, source, r->message);

	if (!status && !raw)
		status = xc_array_bytes_inflate(&r->bytes, r->message);
	if (status)
		return status;
	r->first = first;
	r->first_size = xc_array_get(&r->bytes, 0, first, XC_ARRAY_FIRST, XC_ARRAY_FIRST);
	first[r->first_size] = 0;
	status = find_kind(r, name, raw);
	if (!status)
		status = r->kind->open(r);
	r->first = NULL;
	r->name = r->raw = NULL;
	return status;
}

xc_status xc_array_input_about(xc_array_input *input, const char name[5], const void *bytes,
                               size_t size, char message[XC_FILE_MESSAGE])
{
	const xc_array_kind *kind = size ? xc_array_kind_of_attached(name) : NULL;
	uint8_t *header = NULL;
	size_t header_size;

	message[0] = '\0';
	if (!kind || !kind->about || name[3] != 'h')
		return XC_OK;
	const xc_status status = xc_array_unpack(message, bytes, size, &header, &header_size);
	if (!status)
		kind->about(header, header_size, input);
	free(header);
	return status;
}

xc_status xc_array_input_new(const xc_array_source *source, const char *name, const char *raw,
                             xc_array_input **input, char message[XC_FILE_MESSAGE])
{
	xc_array_reading *r = calloc(1, sizeof *r);

	message[0] = '\0';
	*input = NULL;
	if (!r)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for reading");
	r->message = message;
	r->input.slope = 1;
	const xc_status status = open_reading(r, source, name, raw);
	if (status) {
		xc_array_input_free(&r->input);
		return status;
	}
	r->input.format = r->kind->format;
	*input = &r->input;
	return XC_OK;
}

void xc_array_input_free(xc_array_input *input)
{
	xc_array_reading *r = (xc_array_reading *)input;

	if (!r)
		return;
	if (r->kind && r->kind->close)
		r->kind->close(r);
	xc_array_bytes_close(&r->bytes);
	free(r->own);
	free(r->header);
	free(r->packed);
	free(r);
}

/* -------------------------------------------------------------------- values */

xc_status xc_array_read_flat(xc_array_reading *r, void *values, uint64_t count)
{
	const size_t size = xc_array_value_size(r->input.shape.type);
	const size_t bytes = (size_t)count * size;

	if (xc_array_get(&r->bytes, r->start + r->at * size, values, bytes, XC_ARRAY_BUFFER) < bytes)
		return xc_array_short(r);
	if (r->swap)
		xc_array_swap(values, count, size);
	return XC_OK;
}

xc_status xc_array_input_read(xc_array_input *input, void *values, uint64_t count,
                              char message[XC_FILE_MESSAGE])
{
	xc_array_reading *r = (xc_array_reading *)input;

	message[0] = '\0';
	r->message = message;
	if (count > input->values - r->at)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "more values are read than there are");
	const xc_status status = r->kind->read ? r->kind->read(r, values, count)
	                                       : xc_array_read_flat(r, values, count);
	r->at += status ? 0 : count;
	return status;
}

xc_status xc_array_input_rewind(xc_array_input *input, char message[XC_FILE_MESSAGE])
{
	xc_array_reading *r = (xc_array_reading *)input;

	message[0] = '\0';
	if (r->at &&
	    (r->bytes.gunzip ? r->bytes.limit == XC_ARRAY_SIZE_UNKNOWN : !r->bytes.source.seek))
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "the values of a pipe cannot be read twice: give a file");
	r->at = 0;
	return XC_OK;
}

void xc_array_input_end(const xc_array_input *input, char message[XC_FILE_MESSAGE])
{
	const xc_array_reading *r = (const xc_array_reading *)input;

	message[0] = '\0';
	if (r->kind->input_end)
		r->kind->input_end(r, message);
}

/* --------------------------------------------------------------- attachments */

static xc_status attach_header(xc_array_reading *r, size_t *size)
{
	const xc_status status = xc_array_pack(r, r->header, r->header_size, size);

	free(r->header);
	r->header = NULL;
	return status;
}

/* What follows the values. */
static xc_status attach_trailing(xc_array_reading *r, size_t *size)
{
	uint8_t *bytes = malloc(XC_ARRAY_PIECE);

	if (!bytes)
		return xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for reading");
	const size_t n = xc_array_get(&r->bytes, r->end + r->trailing, bytes, XC_ARRAY_PIECE,
	                              XC_ARRAY_BUFFER);
	r->trailing += n;
	const xc_status status = n ? xc_array_pack(r, bytes, n, size) : XC_OK;
	free(bytes);
	return status;
}

/* Whether the header is to be attached now. */
static int header_is_due(xc_array_reading *r)
{
	uint8_t more;

	if (!r->header || !r->header_late)
		return r->header != NULL;
	return r->at == r->input.values && xc_array_get(&r->bytes, r->end, &more, 1, XC_ARRAY_BUFFER);
}

xc_status xc_array_input_attached(xc_array_input *input, char name[5], const void **bytes,
                                  size_t *size, char message[XC_FILE_MESSAGE])
{
	xc_array_reading *r = (xc_array_reading *)input;
	xc_status status = XC_OK;
	char letter = 'h';

	message[0] = '\0';
	r->message = message;
	*size = 0;
	if (header_is_due(r)) {
		status = attach_header(r, size);
	} else {
		letter = 't';
		if (r->kind->attached)
			status = r->kind->attached(r, size);
		if (!status && !*size && r->at == input->values && r->end) {
			letter = 'z';
			status = attach_trailing(r, size);
		}
	}
	snprintf(name, 5, "%s%c", r->kind->letters, letter);
	*bytes = *size ? r->packed : NULL;
	return status;
}
