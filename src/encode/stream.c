/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder that takes rows: a window of rows slides over the picture. If a device may encode the
 * picture, the window holds all of it. */
#include <string.h>

#include "src/encode/encoder.h"
#include "src/core/floats.h"

/* ------------------------------------------------------------ memory of the window */

/* A window that holds a whole picture for a device stays with the context for the next picture, so
 * that its pages are not fresh ones and stay pinned for the device. */

/* The header before the rows. */
typedef struct head {
	size_t size; /* of the rows */
	int kept;    /* from call to call */
	char pad[64 - sizeof(size_t) - sizeof(int)];
} head;

/* Larger windows are not cached, so that contexts hold little between calls. */
static const size_t max_cached = (size_t)64 << 20;

/* Up to this size a window is pinned at once: a copy from other memory would cost as much. Larger
 * ones are pinned when a second picture uses them. */
static const size_t max_pinned_at_once = (size_t)4 << 20;

static void close_window(xc_context *c, void *window)
{
	if (c->device.backend)
		c->device.backend->unpin(c, window);
	xc_release(c, window);
}

static void pin(xc_context *c, head *h)
{
	c->device.backend->pin(c, h, sizeof *h + h->size);
}

/* Takes the cached window if it is large enough. */
static head *take_cached(xc_context *c, size_t size)
{
	xc_attachment *kept = &c->attached[XC_ATTACHED_WINDOW];
	head *h = kept->data;

	if (!h || h->size < size)
		return NULL;
	kept->data = NULL;
	pin(c, h);
	return h;
}

static head *make_head(xc_context *c, size_t size, int kept)
{
	head *h = size <= SIZE_MAX - sizeof *h ? xc_allocate(c, sizeof *h + size) : NULL;

	if (h)
		*h = (head){.size = size, .kept = kept};
	return h;
}

static int may_cache(const xc_context *c, size_t size)
{
	return size <= max_cached && xc_context_may_cache(c, size);
}

/* A new window is half as large again, so that pictures of any sizes soon fit. */
static head *take_whole(xc_context *c, size_t size)
{
	head *h = take_cached(c, size);

	if (h)
		return h;
	const head *before = c->attached[XC_ATTACHED_WINDOW].data;
	const size_t grown = before ? before->size + before->size / 2 : 0;
	const size_t wanted = grown > size && may_cache(c, grown) ? grown : size;
	xc_detach(c, XC_ATTACHED_WINDOW);
	h = make_head(c, wanted, may_cache(c, wanted));
	if (h && h->kept && wanted <= max_pinned_at_once)
		pin(c, h);
	return h;
}

/* Takes `size` bytes, aligned to 64; NULL: out of memory. whole: for a device. */
static uint8_t *take_window(xc_context *c, size_t size, int whole)
{
	head *h = whole ? take_whole(c, size) : make_head(c, size, 0);
	return h ? (uint8_t *)(h + 1) : NULL;
}

void xc_encode_window_give(xc_context *c, uint8_t *window)
{
	head *h = window ? (head *)(void *)window - 1 : NULL;

	if (!h)
		return;
	if (h->kept) {
		xc_detach(c, XC_ATTACHED_WINDOW);
		c->attached[XC_ATTACHED_WINDOW] = (xc_attachment){h, close_window};
	} else {
		xc_release(c, h);
	}
}

/* ----------------------------------------------------------------------- set-up */

static xc_status check_shape(xc_context *c, const xc_picture *shape)
{
	const xc_status s = xc_picture_check(c, shape);

	if (s)
		return s;
	return (uint64_t)shape->width * xc_picture_pixel_bytes(shape) > PTRDIFF_MAX - 64
	           ? xc_fail(c, XC_ERR_LIMIT, "a row is longer than memory can be")
	           : XC_OK;
}

/* Lays out the planes in memory from `base` on for `rows` rows, and returns its size. */
static uint64_t set_planes(xc_pixels *p, uint8_t *base, uint64_t rows)
{
	enum { LINE = 64 };
	const xc_layout_parts *l = xc_layout_get(p->layout);
	uint64_t size = 0;

	for (int i = 0; i < l->planes; i++) {
		const size_t row = xc_pixels_columns(p, i) * xc_pixels_step(p, i);
		p->stride[i] = (ptrdiff_t)((row + LINE - 1) / LINE * LINE);
		p->plane[i] = base ? base + size : NULL;
		size += (i && l->v == 2 ? rows / 2 + rows % 2 : rows) * (uint64_t)p->stride[i];
	}
	return size;
}

/* Also replaces a window, whose rows are all that there are. */
static xc_status make_window(xc_encoder *e)
{
	xc_pixels *p = &e->pixels;
	const xc_pixels before = *p;
	uint8_t *const window = e->window;
	const uint64_t rows = e->whole      ? p->height
	                      : e->choosing ? e->choosing
	                                    : xc_encode_window_rows(e);

	set_planes(p, NULL, rows);
	/* Three planes at the most, of which the first has the longest rows. */
	const int fits = rows <= PTRDIFF_MAX / 3 / (uint64_t)p->stride[0];
	const uint64_t size = fits ? set_planes(p, NULL, rows) : 0;
	e->window = fits ? take_window(e->context, (size_t)size, e->device) : NULL;
	set_planes(p, e->window, rows);
	xc_pixels_are_picture(p, &e->rows);
	if (e->window && e->arrived)
		xc_pixels_copy(p, 0, &before, 0, 0, 0, e->arrived);
	xc_encode_window_give(e->context, window);
	return e->window ? XC_OK : xc_fail_memory(e->context, fits ? (size_t)size : SIZE_MAX);
}

/* Prepares everything but the window. */
static xc_status set_up(xc_encoder *e)
{
	const xc_status s = xc_encode_choose_mode(e->context, &e->pixels, &e->options);

	if (s)
		return s;
	e->choosing = 0;
	e->fine = e->options.mode != XC_MODE_LOSSLESS &&
	          xc_encode_plan_is_fine(&e->options, e->rows.depth, XC_FINE_STEP);
	return xc_encode_set_up(e);
}

static xc_status open_on_processor(xc_encoder *e)
{
	e->choosing = xc_encode_chooses(&e->options, e->pixels.layout)
	                  ? xc_encode_choice_rows(e->rows.width, e->rows.height)
	                  : 0;
	const xc_status s = e->choosing ? XC_OK : set_up(e);
	return s ? s : make_window(e);
}

/* All rows that decide are in the window; coding may need a larger one. */
static xc_status choose(xc_encoder *e)
{
	const uint32_t rows = e->choosing;
	const xc_status s = set_up(e);

	return s || xc_encode_window_rows(e) <= rows ? s : make_window(e);
}

static xc_status open_encoder(xc_encoder *e)
{
	xc_context *c = e->context;

	e->device = c->device.backend && c->device.backend->wants(c, &e->rows, &e->options);
	e->whole = e->device;
	xc_status s = e->device ? make_window(e) : open_on_processor(e);
	/* With "auto" the CPU streams a picture that does not fit in memory. */
	if (s && e->device && c->device.choice == XC_DEVICE_AUTO) {
		e->device = e->whole = 0;
		c->device.used[0] = '\0';
		xc_resume(c);
		s = open_on_processor(e);
	}
	xc_stage(c, "set-up");
	return s;
}

xc_status xc_encoder_new(xc_context *c, const xc_picture *shape, const xc_metadata *metadata,
                         const xc_encode_options *options, xc_write write, void *user,
                         xc_encoder **encoder)
{
	XC_DEFAULT_FLOATS;
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
	if (!s)
		s = xc_metadata_check_depth(c, metadata, shape->depth);
	if (s)
		return s;
	xc_encoder *e = xc_encode_new(c, &o, metadata);
	if (!e)
		return xc_fail_memory(c, sizeof *e);
	e->rows = (xc_picture){shape->width, shape->height, shape->channels, shape->depth, 0, NULL};
	e->pixels = xc_pixels_of(&e->rows);
	e->out.write = write;
	e->out.user = user;
	s = open_encoder(e);
	if (s)
		xc_encoder_free(e);
	else
		*encoder = e;
	return s;
}

/* Starts a call, which fails if an earlier one has failed. */
static xc_status resume(xc_encoder *e)
{
	if (!e)
		return XC_ERR_ARGUMENT;
	if (!e->failed) {
		xc_resume(e->context);
		return XC_OK;
	}
	/* Another call on the context may have cleared the message. */
	return *e->context->message ? e->failed : xc_fail(e->context, e->failed, "encoding had failed");
}

/* Notes the result of work that cannot be repeated. */
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
		s = xc_metadata_check_depth(e->context, metadata, e->pixels.depth);
	if (s)
		return s;
	/* The palette is that of xc_encoder_new(). */
	const xc_blob palette = e->metadata.palette;
	const uint8_t bits = e->metadata.palette_bits;
	e->metadata = metadata ? *metadata : (xc_metadata){0};
	e->metadata.palette = palette;
	e->metadata.palette_bits = bits;
	return XC_OK;
}

/* -------------------------------------------------------------- rows */

static uint8_t *next_row(const xc_encoder *e)
{
	return xc_pixels_row(&e->pixels, 0, e->forward.first, e->arrived);
}

/* The rows that fit into the window; it always has room for the next batch. */
static uint32_t room(const xc_encoder *e)
{
	return (e->choosing ? e->choosing : xc_encode_rows_needed(e)) - e->arrived;
}

static xc_status fail_other_layout(xc_encoder *e)
{
	return xc_fail(e->context, XC_ERR_ARGUMENT, "the rows before had another layout");
}

xc_status xc_encoder_room(xc_encoder *e, void **rows, size_t *stride, uint32_t *count)
{
	const xc_status s = resume(e);

	if (s)
		return s;
	if (!rows || !stride || !count)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "no place for the result");
	if (e->own_layout)
		return fail_other_layout(e);
	*count = room(e);
	*rows = *count ? next_row(e) : NULL;
	*stride = e->rows.stride;
	return XC_OK;
}

/* Drops the rows that no tile needs any more. */
static void slide(xc_encoder *e)
{
	const uint32_t first = xc_encode_first_row(e), before = e->forward.first;

	for (int i = 0; first > before && i < xc_layout_get(e->pixels.layout)->planes; i++) {
		const uint8_t *from = xc_pixels_row(&e->pixels, i, before, first);
		const uint8_t *end = xc_pixels_row(&e->pixels, i, before, e->arrived);
		memmove(e->pixels.plane[i], from, (size_t)(end - from));
	}
	e->forward.first = first;
}

/* Takes rows that fit into the window. The planes of `given` point to row `first`. */
static xc_status take(xc_encoder *e, const xc_pixels *given, uint32_t first, uint32_t count)
{
	if (given->plane[0] != next_row(e) || first != e->arrived)
		xc_pixels_copy(&e->pixels, e->forward.first, given, first, 0, e->arrived, count);
	e->arrived += count;
	if (e->whole || e->arrived < e->choosing)
		return XC_OK;
	xc_status s = e->choosing ? choose(e) : XC_OK;
	if (!s)
		s = xc_encode_advance(e);
	if (!s)
		slide(e);
	return s;
}

static xc_status check_count(const xc_encoder *e, uint32_t count)
{
	const uint32_t missing = e->rows.height - e->arrived;

	if (count > missing)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "%u rows more, where %u are missing", count,
		               missing);
	return XC_OK;
}

static xc_status check_rows(xc_encoder *e, const void *rows, size_t stride, uint32_t count)
{
	xc_picture given = e->rows;

	if (e->own_layout)
		return fail_other_layout(e);
	const xc_status s = check_count(e, count);
	if (s || !count)
		return s;
	if (rows == next_row(e) && (count > room(e) || stride != given.stride))
		return xc_fail(e->context, XC_ERR_ARGUMENT, "more rows than there was room for");
	given.height = count;
	given.stride = stride;
	given.data = (void *)(uintptr_t)rows;
	return xc_picture_check_data(e->context, &given);
}

static xc_status take_all(xc_encoder *e, const xc_pixels *rows)
{
	const uint32_t first = e->arrived, end = first + rows->height;
	xc_status s = XC_OK;

	while (!s && e->arrived < end) {
		const uint32_t left = end - e->arrived, max = room(e);
		s = take(e, rows, first, left < max ? left : max);
	}
	return keep(e, s);
}

xc_status xc_encoder_rows(xc_encoder *e, const void *rows, size_t stride, uint32_t count)
{
	XC_DEFAULT_FLOATS;
	xc_status s = resume(e);

	if (!s)
		s = check_rows(e, rows, stride, count);
	if (s || !count)
		return s;
	const xc_pixels given = {.layout = e->pixels.layout,
	                         .width = e->rows.width,
	                         .height = count,
	                         .depth = e->rows.depth,
	                         .plane = {(void *)(uintptr_t)rows},
	                         .stride = {(ptrdiff_t)stride}};
	return take_all(e, &given);
}

static xc_status check_pixels(xc_encoder *e, const xc_pixels *rows)
{
	xc_status s = xc_pixels_check(e->context, rows);

	if (!s)
		s = check_count(e, rows->height);
	if (s)
		return s;
	const xc_layout_parts *l = xc_layout_get(rows->layout);
	if (rows->width != e->rows.width || rows->depth != e->rows.depth ||
	    l->channels != e->rows.channels)
		return xc_fail(e->context, XC_ERR_ARGUMENT,
		               "rows of %u pixels, %u channel%s and %u bits, where others are wanted",
		               rows->width, l->channels, xc_s(l->channels), rows->depth);
	if (rows->layout != e->pixels.layout && e->arrived)
		return fail_other_layout(e);
	if (rows->height % l->v && rows->height < e->rows.height - e->arrived)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "rows of 4:2:0 come two by two");
	return XC_OK;
}

/* Replaces the window by one of another layout, before any row has arrived. */
static xc_status change_layout(xc_encoder *e, xc_layout layout)
{
	if (layout == e->pixels.layout)
		return XC_OK;
	const xc_status s = xc_encode_check_layout(e->context, layout, &e->options);
	if (s)
		return s;
	e->pixels.layout = layout;
	e->own_layout = 1;
	if (!e->device && !e->choosing)
		return keep(e, make_window(e));
	e->device = e->whole = 0;
	return keep(e, open_on_processor(e));
}

xc_status xc_encoder_pixels(xc_encoder *e, const xc_pixels *rows)
{
	XC_DEFAULT_FLOATS;
	xc_status s = resume(e);

	if (!s)
		s = check_pixels(e, rows);
	if (!s)
		s = change_layout(e, rows->layout);
	return s ? s : take_all(e, rows);
}

/* --------------------------------------------------------------- end */

/* All rows are collected: the device encodes them, or the CPU if the device declines. */
static xc_status encode_collected(xc_encoder *e)
{
	xc_context *c = e->context;
	xc_buffer file = {0};
	const xc_encode_options given = e->options;
	int done = 0;
	xc_status s = xc_encode_choose_mode(c, &e->pixels, &e->options);

	if (s)
		return s;
	if (!xc_encode_is_own_choice(&given, &e->options))
		s = c->device.backend->encode(c, &e->rows, &e->metadata, &e->options, &file, &done);
	if (done) {
		if (!s && e->out.write(e->out.user, file.data, file.size))
			s = xc_fail(c, XC_ERR_IO, "the output cannot be written");
		xc_buffer_free(c, &file);
		return s;
	}
	s = set_up(e);
	if (!s)
		s = xc_encode_advance(e);
	return s ? s : xc_encode_finish(e);
}

xc_status xc_encoder_end(xc_encoder *e)
{
	XC_DEFAULT_FLOATS;
	const xc_status s = resume(e);

	if (s)
		return s;
	const uint32_t missing = e->rows.height - e->arrived;
	if (missing)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "%u row%s missing", missing,
		               missing == 1 ? " is" : "s are");
	if (e->ended)
		return xc_fail(e->context, XC_ERR_ARGUMENT, "the file is complete");
	e->ended = 1;
	return keep(e, e->device ? encode_collected(e) : xc_encode_finish(e));
}
