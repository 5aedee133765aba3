/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An encoder that takes rows: a window of them slides over the picture.  Where a device may want
 * the picture the window is as high as that.
 */
#include <string.h>

#include "src/encode/encoder.h"

static xc_status check_shape(xc_context *c, const xc_picture *shape)
{
	const xc_status s = xc_picture_check(c, shape);
	if (s)
		return s;
	return (uint64_t)shape->width * xc_picture_pixel_bytes(shape) > PTRDIFF_MAX - 64
	           ? xc_fail(c, XC_ERR_LIMIT, "a row is longer than memory can be")
	           : XC_OK;
}

static xc_status make_window(xc_encoder *e)
{
	enum { LINE = 64 };
	xc_picture *p = &e->rows;
	const uint64_t rows = e->whole ? p->height : xc_encode_window_rows(e);
	p->stride = ((size_t)p->width * xc_picture_pixel_bytes(p) + LINE - 1) / LINE * LINE;
	const uint64_t most = PTRDIFF_MAX / p->stride;
	e->window = rows > most ? NULL : xc_allocate(e->context, (size_t)rows * p->stride);
	p->data = e->window;
	return e->window
	           ? XC_OK
	           : xc_fail_memory(e->context, rows > most ? SIZE_MAX : (size_t)rows * p->stride);
}

static xc_status open_encoder(xc_encoder *e)
{
	xc_context *c = e->context;
	e->device = c->device.backend && c->device.backend->wants(c, &e->rows, &e->options);
	e->whole = e->device;
	xc_status s = e->device ? XC_OK : xc_encode_set_up(e);
	if (!s)
		s = make_window(e);
	xc_stage(c, "set-up");
	return s;
}

xc_status xc_encoder_new(xc_context *c, const xc_picture *shape, const xc_metadata *metadata,
                         const xc_encode_options *options, xc_write write, void *user,
                         xc_encoder **encoder)
{
	xc_encode_options o;
	if (encoder)
		*encoder = NULL;
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!encoder || !write)
		return xc_fail(c, XC_ERR_ARGUMENT, "no function that writes, or no place for the encoder");
	xc_status s = check_shape(c, shape);
	if (!s)
		s = xc_encode_take_options(c, options, metadata, &o);
	if (s)
		return s;
	xc_encoder *e = xc_encode_new(c, &o, metadata);
	if (!e)
		return xc_fail_memory(c, sizeof *e);
	e->rows = (xc_picture){shape->width, shape->height, shape->channels, shape->depth, 0, NULL};
	e->out.write = write;
	e->out.user = user;
	s = open_encoder(e);
	if (s)
		xc_encode_tear_down(e);
	else
		*encoder = e;
	return s;
}

void xc_encoder_free(xc_encoder *e)
{
	xc_encode_tear_down(e);
}

/* Starts a call; a failure is one of before. */
static xc_status resume(xc_encoder *e)
{
	if (!e)
		return XC_ERR_ARGUMENT;
	if (!e->failed)
		xc_resume(e->context);
	return e->failed;
}

/* What cannot be repeated. */
static xc_status keep(xc_encoder *e, xc_status s)
{
	e->failed = s;
	return s;
}

xc_status xc_encoder_metadata(xc_encoder *e, const xc_metadata *metadata)
{
	xc_status s = resume(e);
	if (!s && e->ended)
		s = xc_fail(e->context, XC_ERR_ARGUMENT, "the file is complete");
	if (!s)
		s = xc_metadata_check(e->context, metadata);
	if (!s)
		e->metadata = metadata ? *metadata : (xc_metadata){0};
	return s;
}

/* -------------------------------------------------------------- rows */

static uint8_t *next_row(const xc_encoder *e)
{
	return e->window + (size_t)(e->arrived - e->forward.first) * e->rows.stride;
}

/* Rows that the window has room for; there is room until the next step can be done. */
static uint32_t room(const xc_encoder *e)
{
	return (e->whole ? e->rows.height : xc_encode_rows_needed(e)) - e->arrived;
}

xc_status xc_encoder_room(xc_encoder *e, void **rows, size_t *stride, uint32_t *count)
{
	const xc_status s = resume(e);
	if (s)
		return s;
	if (!rows || !stride || !count)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "no place for the result");
	*count = room(e);
	*rows = *count ? next_row(e) : NULL;
	*stride = e->rows.stride;
	return XC_OK;
}

/* Drops the rows that no tile needs any more. */
static void slide(xc_encoder *e)
{
	const uint32_t first = xc_encode_first_row(e), gone = first - e->forward.first;
	const size_t stride = e->rows.stride;
	if (gone)
		memmove(e->window, e->window + gone * stride, (e->arrived - first) * stride);
	e->forward.first = first;
}

/* Takes as many rows as there is room for. */
static xc_status take(xc_encoder *e, const uint8_t *rows, size_t stride, uint32_t count)
{
	xc_picture taken = e->rows;
	uint8_t *to = next_row(e);
	const size_t bytes = (size_t)taken.width * xc_picture_pixel_bytes(&taken);
	xc_status s = XC_OK;
	for (uint32_t y = 0; rows != to && y < count; y++)
		memcpy(to + y * taken.stride, rows + y * stride, bytes);
	taken.data = to;
	taken.height = count;
	if (e->alpha)
		s = xc_alpha_encoder_rows(e->context, e->alpha, &taken);
	e->arrived += count;
	if (s || e->whole)
		return s;
	s = xc_encode_advance(e);
	if (!s)
		slide(e);
	return s;
}

static xc_status check_rows(const xc_encoder *e, const void *rows, size_t stride, uint32_t count)
{
	xc_picture given = e->rows;
	if (count > given.height - e->arrived)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "%u rows more, where %u are missing", count,
		               given.height - e->arrived);
	if (!count)
		return XC_OK;
	if (rows == next_row(e) && (count > room(e) || stride != given.stride))
		return xc_fail(e->context, XC_ERR_ARGUMENT, "more rows than there was room for");
	given.height = count;
	given.stride = stride;
	given.data = (void *)(uintptr_t)rows;
	return xc_picture_check_data(e->context, &given);
}

xc_status xc_encoder_rows(xc_encoder *e, const void *rows, size_t stride, uint32_t count)
{
	xc_status s = resume(e);
	if (!s)
		s = check_rows(e, rows, stride, count);
	if (s)
		return s;
	const uint8_t *from = rows;
	for (uint32_t n; !s && count; count -= n, from += n * stride) {
		n = count < room(e) ? count : room(e);
		s = take(e, from, stride, n);
	}
	return keep(e, s);
}

/* --------------------------------------------------------------- end */

/* The picture is collected: the device's turn, or that of the processor if it declines. */
static xc_status encode_collected(xc_encoder *e)
{
	xc_context *c = e->context;
	xc_buffer file = {0};
	int done = 0;
	xc_status s = c->device.backend->encode(c, &e->rows, &e->metadata, &e->options, &file, &done);
	if (done) {
		if (!s && e->out.write(e->out.user, file.data, file.size))
			s = xc_fail(c, XC_ERR_IO, "the output cannot be written");
		xc_buffer_free(c, &file);
		return s;
	}
	s = xc_encode_set_up(e);
	if (!s && e->alpha)
		s = xc_alpha_encoder_rows(c, e->alpha, &e->rows);
	if (!s)
		s = xc_encode_advance(e);
	return s ? s : xc_encode_finish(e);
}

xc_status xc_encoder_end(xc_encoder *e)
{
	const xc_status s = resume(e);
	if (s)
		return s;
	const uint32_t missing = e->rows.height - e->arrived;
	if (missing)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "%u rows are missing", missing);
	if (e->ended)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "the file is complete");
	e->ended = 1;
	return keep(e, e->device ? encode_collected(e) : xc_encode_finish(e));
}
