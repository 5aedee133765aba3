/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder that gives rows, and xc_decode(), which takes them all. */
#include "src/decode/decoder.h"

#include <stddef.h>
#include <string.h>

#include "src/decode/describe.h"

/* ---------------------------------------------------------------- opening */

static xc_status check_source(xc_context *c, const xc_source *s)
{
	if (!s || (!s->memory && !s->read && !s->read_at))
		return xc_fail(c, XC_ERR_ARGUMENT, "no file given");
	if (s->memory && s->size > SIZE_MAX)
		return xc_fail(c, XC_ERR_ARGUMENT, "a file of more bytes than memory can have");
	return XC_OK;
}

/* A GPU decodes whole pictures alone. */
static xc_status check_device(xc_context *c)
{
	if (c->device.backend && c->device.choice == XC_DEVICE_NAMED)
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "rows, regions and reduced sizes are decoded by the CPU: choose \"cpu\" or "
		               "\"auto\"");
	return XC_OK;
}

static xc_status make(xc_context *c, const xc_decode_options *options, xc_decoder **decoder)
{
	xc_decoder *d = xc_allocate(c, sizeof *d);
	if (!d)
		return xc_fail_memory(c, sizeof *d);
	/* The codes of the container are large and need no zeros. */
	memset(d, 0, offsetof(xc_decoder, coded) + offsetof(xc_coded, container.codes));
	memset(&d->feed, 0, offsetof(xc_feed, input.buffer));
	*decoder = d;
	d->context = c;
	if (options)
		d->options = *options;
	return XC_OK;
}

static xc_status open_memory(xc_decoder *d, const void *file, size_t size)
{
	d->from_memory = 1;
	d->file_bytes = size;
	return xc_coded_read(d->context, file, size, d->options.keep_going, &d->coded);
}

static void destroy(xc_decoder *d)
{
	if (d) {
		xc_decoder_tear_down(d);
		xc_release(d->context, d);
	}
}

xc_status xc_decoder_new(xc_context *c, const xc_source *source, const xc_decode_options *options,
                         xc_decoder **decoder)
{
	xc_decoder *d = NULL;
	if (decoder)
		*decoder = NULL;
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!decoder)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the decoder");
	xc_status s = check_source(c, source);
	if (!s)
		s = check_device(c);
	if (!s)
		s = make(c, options, &d);
	if (s)
		return s;
	s = source->memory ? open_memory(d, source->memory, (size_t)source->size)
	                   : xc_feed_open(c, &d->feed, source, d->options.keep_going, &d->coded);
	if (!s)
		s = xc_decoder_choose(d);
	if (s)
		destroy(d);
	else
		*decoder = d;
	return s;
}

void xc_decoder_free(xc_decoder *d)
{
	destroy(d);
}

void xc_decoder_info(const xc_decoder *d, xc_info *info)
{
	if (info)
		*info = (xc_info){0};
	if (d && info)
		xc_describe(&d->coded.container, d->from_memory ? d->file_bytes : d->feed.input.offset,
		            info);
}

void xc_decoder_shape(const xc_decoder *d, xc_picture *shape)
{
	if (shape)
		*shape = (xc_picture){0};
	if (!d || !shape)
		return;
	const xc_header *h = &d->coded.container.header;
	*shape = (xc_picture){d->width, d->height, h->channels, h->depth, d->width * d->pixel, NULL};
}

uint64_t xc_decoder_damaged(const xc_decoder *d)
{
	return d ? d->damaged : 0;
}

/* ------------------------------------------------------------------- rows */

/* The waves' own memory.  A wave gives the rows of its tiles and those that waited for it. */
static xc_status make_buffer(xc_decoder *d)
{
	enum { WAITING = 32 };
	const uint32_t tiles = d->wave * xc_inverse_tile_height(&d->part);
	const uint32_t all = xc_reduced_size(d->part.height, d->scale);
	const uint32_t rows = tiles / d->scale + WAITING < all ? tiles / d->scale + WAITING : all;
	const size_t stride = xc_reduced_size(d->part.width, d->scale) * d->pixel;
	if (d->buffer.data)
		return XC_OK;
	d->buffer.stride = stride;
	d->buffer.data = rows < SIZE_MAX / stride ? xc_allocate(d->context, rows * stride) : NULL;
	return d->buffer.data ? XC_OK : xc_fail_memory(d->context, rows * stride);
}

/* The row after the last one that is given, of the part. */
static uint32_t end_of(const xc_decoder *d)
{
	return d->top + d->height;
}

/* 1: the rows of the part are just those that are given. */
static int uncropped(const xc_decoder *d)
{
	return !d->left && !d->top && d->width == xc_reduced_size(d->part.width, d->scale) &&
	       d->height == xc_reduced_size(d->part.height, d->scale);
}

/* Decodes the next wave: to `rows`, which has room for `count`, if it fits there and all of it is
 * wanted, else to memory of its own. */
static xc_status next_wave(xc_decoder *d, void *rows, size_t stride, uint32_t count)
{
	const uint32_t end = xc_decoder_plan_wave(d);
	if (rows && uncropped(d) && d->made == d->given && end - d->made <= count)
		return xc_decoder_run_wave(d, end, rows, stride);
	xc_status s = make_buffer(d);
	return s ? s : xc_decoder_run_wave(d, end, d->buffer.data, d->buffer.stride);
}

static const uint8_t *next_rows(const xc_decoder *d)
{
	return (const uint8_t *)d->buffer.data +
	       (size_t)(d->given - d->window_first) * d->buffer.stride + d->left * d->pixel;
}

/* Takes rows until one is there that is to be given. */
static xc_status wait_for_rows(xc_decoder *d, void *rows, size_t stride, uint32_t count)
{
	xc_status s = d->set_up ? XC_OK : xc_decoder_set_up(d, count == d->height && uncropped(d));
	while (!s && d->made <= d->given && d->given < end_of(d))
		s = next_wave(d, rows, stride, count);
	return s;
}

static xc_status take_rows(xc_decoder *d, uint8_t *to, size_t stride, uint32_t count)
{
	while (count) {
		const xc_status s = wait_for_rows(d, to, stride, count);
		if (s)
			return s;
		const uint32_t there = d->made - d->given, n = there < count ? there : count;
		if (d->window.data == d->buffer.data) {
			const uint8_t *from = next_rows(d);
			for (uint32_t i = 0; i < n; i++)
				memcpy(to + i * stride, from + i * d->buffer.stride, d->width * d->pixel);
		}
		d->given += n;
		to += n * stride;
		count -= n;
	}
	return XC_OK;
}

/* What xc_context_message() tells after a call that went well. */
static void tell_damage(xc_decoder *d)
{
	xc_context *c = d->context;
	c->message[0] = '\0';
	if (d->damaged && d->first_damaged == UINT64_MAX)
		xc_fail(c, XC_OK, "some segment is damaged");
	else if (d->damaged)
		xc_fail_segment(c, &d->coded.container.geometry, d->first_damaged);
	else if (d->coded.container.extra_bytes)
		xc_fail(c, XC_OK, XC_TOO_MANY_BYTES, (unsigned long long)d->coded.container.extra_bytes);
}

static xc_status begin(xc_decoder *d)
{
	if (!d)
		return XC_ERR_ARGUMENT;
	xc_begin(d->context);
	return d->failed ? xc_fail(d->context, XC_ERR_ARGUMENT, "the decoder has failed before")
	                 : XC_OK;
}

static xc_status end(xc_decoder *d, xc_status s)
{
	if (s)
		d->failed = s;
	else
		tell_damage(d);
	return s;
}

xc_status xc_decoder_rows(xc_decoder *d, void *rows, size_t stride, uint32_t count)
{
	xc_status s = begin(d);
	if (s)
		return s;
	if (count > end_of(d) - d->given || (count && !rows))
		return xc_fail(d->context, XC_ERR_ARGUMENT, "%u rows are left, not %u",
		               end_of(d) - d->given, count);
	const xc_header *h = &d->coded.container.header;
	const xc_picture p = {d->width, count, h->channels, h->depth, stride, rows};
	if (count)
		s = xc_picture_check_data(d->context, &p);
	return s ? s : end(d, take_rows(d, rows, stride, count));
}

xc_status xc_decoder_next(xc_decoder *d, const void **rows, size_t *stride, uint32_t *count)
{
	const int places = rows && stride && count;
	if (places) {
		*rows = NULL;
		*stride = 0;
		*count = 0;
	}
	xc_status s = begin(d);
	if (s)
		return s;
	if (!places)
		return xc_fail(d->context, XC_ERR_ARGUMENT, "no place for the rows");
	s = wait_for_rows(d, NULL, 0, 0);
	if (!s && d->given < end_of(d)) {
		const uint32_t stop = d->made < end_of(d) ? d->made : end_of(d);
		*rows = next_rows(d);
		*stride = d->buffer.stride;
		*count = stop - d->given;
		d->given = stop;
	}
	return end(d, s);
}

xc_status xc_decoder_finish(xc_decoder *d)
{
	const xc_status s = begin(d);
	if (s)
		return s;
	return end(d, d->from_memory ? XC_OK : xc_feed_finish(&d->feed));
}

/* -------------------------------------------------------------- xc_decode */

/* Checks the picture the caller gave, or allocates one. */
static xc_status set_up_picture(xc_decoder *d, xc_picture *p)
{
	xc_picture shape;
	xc_decoder_shape(d, &shape);
	if (!p->data) {
		*p = shape;
		return xc_picture_make(d->context, p);
	}
	xc_header h = d->coded.container.header;
	h.width = shape.width;
	h.height = shape.height;
	const xc_status s = xc_header_check_picture(d->context, &h, p);
	return s ? s : xc_picture_check_data(d->context, p);
}

static xc_status decode(xc_decoder *d, xc_picture *p)
{
	xc_context *c = d->context;
	const int mine = !p->data;
	xc_status s = xc_decoder_choose(d);
	if (!s)
		s = set_up_picture(d, p);
	if (!s)
		s = take_rows(d, p->data, p->stride, d->height);
	xc_stage(c, "segments");
	if (!s)
		tell_damage(d);
	if (s && mine)
		xc_picture_free(c, p);
	return s;
}

xc_status xc_decode(xc_context *c, const void *file, size_t size, xc_decode_options *options,
                    xc_picture *picture)
{
	xc_decoder *d = NULL;
	int done = 0;
	if (options)
		options->damaged_segments = 0;
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!picture)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the picture");
	xc_status s = make(c, options, &d);
	if (s)
		return s;
	xc_decode_options *o = &d->options;
	const int whole = !o->region.width && o->scale < 2;
	o->damaged_segments = 0;
	if (!whole)
		s = check_device(c);
	if (!s)
		s = open_memory(d, file, size);
	if (!s && c->device.backend && whole)
		s = c->device.backend->decode(c, &d->coded.container, o, picture, &done);
	if (!s && !done) {
		s = decode(d, picture);
		o->damaged_segments = d->damaged;
	}
	if (options)
		options->damaged_segments = o->damaged_segments;
	destroy(d);
	return s;
}
