/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder of rows, and xc_decode(), which takes all rows. The crop is chosen first; memory is
 * allocated when the first rows are wanted. */
#include "src/decode/decoder.h"

#include <stddef.h>
#include <string.h>

#include "quant/tables.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"
#include "transform/colour_matrix.h"

/* ------------------------------------------------------------------- crop */

static int is_lossless(const xc_decoder *d)
{
	return xc_header_is_lossless(&d->coded.container.header);
}

static void choose_crop(xc_decoder *d, const xc_rectangle *r)
{
	xc_crop crop;

	xc_crop_make(&d->coded.container, r, d->scale, &crop);
	d->span = crop.span;
	d->crop = crop.picture;
	d->left = crop.left;
	d->top = crop.top;
	xc_region_size(r, d->scale, &d->width, &d->height);
}

/* Planes get the components of the file without conversion. */
static xc_status check_planes(const xc_decoder *d, const xc_layout_parts *l)
{
	xc_context *c = d->context;
	const xc_container *k = &d->coded.container;

	if (is_lossless(d))
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "the file is without loss: it has no planes of Y, Cb and Cr");
	if (k->geometry.components == 1)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "the file is grey: it has no planes of Cb and Cr");
	if (k->has_colours)
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "the file has components made for the picture, not Y, Cb and Cr");
	if (k->header.depth != 8)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "the file has 16 bits a sample; planes have 8");
	if (l->h != k->geometry.h || l->v != k->geometry.v)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "the file has another subsampling than the planes");
	if (d->scale > 1)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "planes are decoded in full size alone");
	if (d->left % l->h || d->top % l->v)
		return xc_fail(c, XC_ERR_ARGUMENT, "a region for planes begins between samples of chroma");
	return XC_OK;
}

static xc_status choose_layout(xc_decoder *d, xc_layout layout)
{
	const xc_layout_parts *l = xc_layout_get(layout);
	const xc_container *k = &d->coded.container;
	const xc_status s = l->planes > 1 ? check_planes(d, l) : XC_OK;

	if (s)
		return s;
	d->layout = layout;
	d->pixel = l->samples[0] * (size_t)(k->header.depth / 8);
	/* Grey is Y and needs no other component. */
	d->crop.components = l->channels < 3 && !k->has_colours ? 1 : k->geometry.components;
	return XC_OK;
}

xc_status xc_decode_options_check(xc_context *c, const xc_decode_options *o)
{
	return o ? XC_CHECK_FLAGS(c, o, "options", o->keep_going, o->jpeg_rounding) : XC_OK;
}

xc_status xc_scale_check(xc_context *c, uint32_t scale)
{
	if (scale > 8 || (scale & (scale - 1)))
		return xc_fail(c, XC_ERR_ARGUMENT, "a scale of 1/%u; 1, 1/2, 1/4 and 1/8 exist", scale);
	return XC_OK;
}

xc_status xc_region_check(xc_context *c, uint32_t width, uint32_t height, uint32_t scale,
                          xc_rectangle *r)
{
	const xc_status s = xc_scale_check(c, scale);

	if (s)
		return s;
	if (!r->width)
		*r = (xc_rectangle){0, 0, width, height};
	if (!r->height || r->x >= width || r->width > width - r->x || r->y >= height ||
	    r->height > height - r->y)
		return xc_fail(c, XC_ERR_ARGUMENT,
		               "a region of %ux%u at %u,%u is not within the %ux%u pixels", r->width,
		               r->height, r->x, r->y, width, height);
	return XC_OK;
}

static xc_status choose_tiles(xc_decoder *d)
{
	const xc_header *h = &d->coded.container.header;
	xc_rectangle r = d->options.region;

	d->scale = d->options.scale ? d->options.scale : 1;
	const xc_status s = xc_region_check(d->context, h->width, h->height, d->scale, &r);
	if (s)
		return s;
	choose_crop(d, &r);
	d->given = d->top;
	return choose_layout(d, xc_layout_of(h->channels));
}

/* ----------------------------------------------------------------- set-up */

uint64_t xc_decoder_time(const xc_decoder *d)
{
	return xc_parallel_coding_time((uint64_t)d->crop.width * d->crop.height);
}

static xc_status set_up_workers(xc_decoder *d)
{
	xc_context *c = d->context;
	const xc_schedule *s = &d->schedule;
	const size_t n = s->workers;
	const uint64_t max = (uint64_t)xc_min_u32(xc_schedule_max_band(s), s->batch_rows) * s->wide;

	d->workers = xc_allocate_zeroed(c, n * sizeof *d->workers);
	if (!d->workers)
		return xc_fail_memory(c, n * sizeof *d->workers);
	for (size_t i = 0; i < n; i++) {
		xc_status status = xc_coded_scratch_init(c, &d->workers[i].coded, &d->coded, max);
		if (!status && d->scale == 1)
			status = xc_inverse_scratch_init(c, &d->workers[i].inverse, &d->inverse);
		if (status)
			return status;
	}
	return XC_OK;
}

/* Sets what full-size and reduced output have in common. */
static void set_up_inverse(xc_decoder *d, xc_inverse *inv)
{
	const xc_container *k = &d->coded.container;

	inv->pixels = &d->window;
	inv->geometry = &d->crop;
	inv->kernels = xc_kernels_get(d->context->cpu);
	inv->transform = k->header.transform;
	inv->integers = d->options.jpeg_rounding;
	inv->band_rows = xc_schedule_max_band(&d->schedule);
	inv->slots = xc_schedule_edges(&d->schedule);
	if (k->has_colours) {
		xc_colours_inverse(k->colours, d->colours);
		inv->colours = d->colours;
	}
	for (int i = 0; i < 2; i++) {
		const uint32_t *steps = k->quant[k->geometry.components == 1 ? 0 : i];
		xc_quant_inverse_table(k->header.transform, steps, XC_STEP_PARTS, inv->tables[i]);
	}
}

/* Allocates halos, unless no row is cut or tiles do not depend on each other. */
static xc_status set_up_halos(xc_decoder *d)
{
	const xc_geometry *g = &d->crop;
	const xc_schedule *s = &d->schedule;
	const uint32_t mcus = xc_inverse_halo_mcus(g, d->coded.container.header.transform);

	d->halo_bytes = (size_t)mcus * g->tile_mcus_high * xc_geometry_mcu_blocks(g) * 64 *
	                d->coded.level->width;
	/* The last run of a row gives none. */
	const size_t bytes = (s->task_count - s->first_run - s->cut_rows) * d->halo_bytes;
	if (bytes && !(d->halos = xc_scratch_allocate(d->context, bytes)))
		return xc_fail_memory(d->context, bytes);
	return XC_OK;
}

/* Decodes only DCs where these suffice, if the picture is large enough to pay for the tables. */
static xc_status set_up_dc_only(xc_decoder *d)
{
	enum { MIN = 1 << 18 }; /* pixels */
	xc_reduced *r = &d->reduced;
	const int large = (uint64_t)d->crop.width * d->crop.height >= MIN;
	xc_status s = XC_OK;

	for (int i = 0; !s && large && !d->coded.rans && !d->coded.container.jpeg &&
	                i < (d->crop.components > 1 ? 2 : 1);
	     i++)
		if (xc_reduced_flat(r, i) && !(s = xc_coded_dc_only(d->context, &d->coded, i)))
			r->packed[i] = 1;
	return s;
}

static xc_status set_up_schedule(xc_decoder *d, int whole)
{
	const int at_once = whole && d->from_memory && d->scale == 1;

	if (is_lossless(d))
		return xc_decoder_lossless_schedule(d, at_once);
	const uint32_t y = d->span.y * xc_inverse_tile_height(&d->crop);
	const xc_progress_range all = d->context->range;
	if (d->coded.container.jpeg) /* coefficients take about as long as their pixels */
		xc_progress_stage(d->context, all, 0, 0.5);
	const xc_status s = d->coded.container.jpeg
	                        ? xc_coded_take_jpeg(d->context, &d->coded, y, d->crop.height,
	                                             d->options.keep_going)
	                        : xc_coded_tables(d->context, &d->coded);
	const xc_kept *kept = &d->coded.kept;
	d->context->range = xc_progress_rest(d->context, all);
	d->damaged = kept->damaged ? kept->damaged : (uint64_t)kept->doubtful;
	/* With alpha batches are small: it is added to pixels that are still in the cache. */
	return s ? s : xc_decoder_schedule(d, at_once && d->coded.container.layers == 1);
}

static xc_status set_up(xc_decoder *d, int whole)
{
	xc_context *c = d->context;
	const xc_container *k = &d->coded.container;

	d->set_up = 1;
	d->first_damaged = UINT64_MAX;
	d->window = (xc_pixels){.layout = d->layout,
	                        .width = d->crop.width,
	                        .height = d->crop.height,
	                        .depth = k->header.depth};
	xc_status s = set_up_schedule(d, whole);
	const uint32_t batch = d->schedule.batch_rows;
	if (!s && !d->coded.container.jpeg)
		s = d->from_memory ? xc_coded_index(c, &d->coded) : xc_feed_rows(&d->feed, batch);
	const uint64_t tiles = d->from_memory ? k->segments : (uint64_t)batch * k->geometry.tiles_wide;
	const uint64_t n = tiles * k->layers;
	if (!s && !(d->crcs = xc_allocate_zeroed(c, (size_t)n * sizeof *d->crcs)))
		s = xc_fail_memory(c, (size_t)n * sizeof *d->crcs);
	if (s || is_lossless(d))
		return s ? s : xc_decoder_lossless_set_up(d);
	if (d->scale == 1) {
		set_up_inverse(d, &d->inverse);
		s = xc_inverse_init(c, &d->inverse);
	} else {
		set_up_inverse(d, &d->reduced.output);
		d->reduced.output.integers = 0;
		d->reduced.geometry = &d->crop;
		d->reduced.scale = d->scale;
		s = xc_reduced_init(c, &d->reduced, batch, d->schedule.workers);
		if (!s)
			s = set_up_dc_only(d);
	}
	if (!s)
		s = set_up_workers(d);
	if (!s)
		s = set_up_halos(d);
	return s ? s : xc_decoder_alpha_set_up(d);
}

static void tear_down(xc_decoder *d)
{
	xc_context *c = d->context;

	for (uint32_t i = 0; d->workers && i < d->schedule.workers; i++) {
		xc_inverse_scratch_free(c, &d->workers[i].inverse);
		xc_coded_scratch_free(c, &d->workers[i].coded);
		xc_scratch_free(c, d->workers[i].lossless);
	}
	xc_decoder_alpha_tear_down(d);
	xc_scratch_free(c, d->halos);
	xc_schedule_free(c, &d->schedule);
	xc_release(c, d->workers);
	xc_release(c, d->crcs);
	xc_release(c, d->buffer.plane[0]);
	xc_release(c, d->file);
	xc_inverse_free(c, &d->inverse);
	xc_reduced_free(c, &d->reduced);
	xc_coded_close(c, &d->coded);
	xc_feed_close(&d->feed);
}

/* ---------------------------------------------------------------- opening */

static xc_status check_source(xc_context *c, const xc_source *s)
{
	if (!s || (!s->memory && !s->read && !s->read_at))
		return xc_fail(c, XC_ERR_ARGUMENT, "no file given");
	if (s->memory && s->size > SIZE_MAX)
		return xc_fail(c, XC_ERR_ARGUMENT, "a file of more bytes than memory can have");
	return XC_CHECK_RESERVED(c, s, "source");
}

/* A GPU decodes no rows. */
static xc_status check_device(xc_context *c)
{
	if (c->device.backend && c->device.choice == XC_DEVICE_NAMED)
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "rows are decoded by the CPU: choose \"cpu\" or \"auto\"");
	return XC_OK;
}

static xc_status make(xc_context *c, const xc_decode_options *options, xc_decoder **decoder)
{
	const xc_status s = xc_decode_options_check(c, options);

	if (s)
		return s;
	xc_decoder *d = xc_allocate(c, sizeof *d);
	if (!d)
		return xc_fail_memory(c, sizeof *d);
	/* The codes of the container are large and need not be zero. */
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
	if (xc_jpeg_is(file, size)) {
		/* A JPEG's pixels are what its decoders give. */
		d->options.jpeg_rounding = 1;
		return xc_coded_read_jpeg(d->context, file, size, &d->coded);
	}
	const xc_status s = xc_coded_read(d->context, file, size, d->options.keep_going, &d->coded);
	return s ? s : xc_container_check_expansion(d->context, &d->coded.container, size);
}

static xc_status open_functions(xc_decoder *d, const xc_source *s)
{
	const xc_status status = xc_feed_whole(d->context, s, &d->file);

	return status    ? status
	       : d->file ? open_memory(d, d->file, (size_t)s->size)
	                 : xc_feed_open(d->context, &d->feed, s, d->options.keep_going, &d->coded);
}

void xc_decoder_free(xc_decoder *d)
{
	if (d) {
		tear_down(d);
		xc_release(d->context, d);
	}
}

xc_status xc_decoder_new(xc_context *c, const xc_source *source, const xc_decode_options *options,
                         xc_decoder **decoder)
{
	XC_DEFAULT_FLOATS;
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
	                   : open_functions(d, source);
	if (!s)
		s = choose_tiles(d);
	if (s)
		xc_decoder_free(d);
	else
		*decoder = d;
	return s;
}

void xc_decoder_info(const xc_decoder *d, xc_info *info)
{
	if (info)
		*info = (xc_info){0};
	if (d && info)
		xc_describe(&d->coded, d->from_memory ? d->file_bytes : d->feed.input.offset, info);
}

void xc_decoder_shape(const xc_decoder *d, xc_picture *shape)
{
	if (shape)
		*shape = (xc_picture){0};
	if (!d || !shape)
		return;
	const xc_header *h = &d->coded.container.header;
	const size_t row = (size_t)d->width * h->channels * (h->depth / 8);
	*shape = (xc_picture){d->width, d->height, h->channels, h->depth, row, NULL};
}

uint64_t xc_decoder_damaged(const xc_decoder *d)
{
	return d ? d->damaged : 0;
}

/* ------------------------------------------------------------------- rows */

/* The memory of batches that are not decoded to the caller's. A batch gives the rows of its tiles
 * and the rows that waited for it. */
static xc_status make_buffer(xc_decoder *d)
{
	enum { WAITING = 32 };
	xc_pixels *b = &d->buffer;
	const uint32_t tiles = d->schedule.batch_rows * xc_inverse_tile_height(&d->crop);
	const uint32_t all = xc_reduced_size(d->crop.height, d->scale);
	const uint32_t rows = tiles / d->scale + WAITING < all ? tiles / d->scale + WAITING : all;
	const xc_layout_parts *l = xc_layout_get(d->layout);
	size_t row = 0, offset[3] = {0};

	if (b->plane[0])
		return XC_OK;
	*b = d->window;
	b->width = xc_reduced_size(d->crop.width, d->scale);
	for (int i = 0; i < l->planes; i++) {
		const size_t bytes = xc_pixels_columns(b, i) * xc_pixels_step(b, i);
		b->stride[i] = (ptrdiff_t)bytes;
		offset[i] = row;
		row += bytes;
	}
	/* Each plane has room for `rows` rows. */
	uint8_t *memory = rows < SIZE_MAX / row ? xc_allocate(d->context, rows * row) : NULL;
	for (int i = 0; i < l->planes; i++)
		b->plane[i] = memory ? memory + rows * offset[i] : NULL;
	return memory ? XC_OK : xc_fail_memory(d->context, rows * row);
}

/* The row of the crop after the last one that is given. */
static uint32_t end_of(const xc_decoder *d)
{
	return d->top + d->height;
}

/* 1: all rows and columns of the crop are given. */
static int uncropped(const xc_decoder *d)
{
	return !d->left && !d->top && d->width == xc_reduced_size(d->crop.width, d->scale) &&
	       d->height == xc_reduced_size(d->crop.height, d->scale);
}

/* Decodes the next batch. It goes to `to`, whose planes point to row `first` and have room up to
 * row `stop`, if it fits and nothing is cropped, otherwise to the buffer. */
static xc_status next_batch(xc_decoder *d, const xc_pixels *to, uint32_t first, uint32_t stop)
{
	const uint32_t end = xc_decoder_plan_batch(d);

	if (to && uncropped(d) && d->made == d->given && end <= stop) {
		xc_pixels rest = *to;
		for (int i = 0; i < xc_layout_get(to->layout)->planes; i++)
			rest.plane[i] = xc_pixels_row(to, i, first, d->made);
		return xc_decoder_run_batch(d, end, &rest);
	}
	xc_status s = make_buffer(d);
	return s ? s : xc_decoder_run_batch(d, end, &d->buffer);
}

/* Decodes batches until a row can be given. */
static xc_status wait_for_rows(xc_decoder *d, const xc_pixels *to, uint32_t first, uint32_t stop)
{
	xc_status s = XC_OK;

	if (!d->set_up)
		s = set_up(d, to && to->height == d->height && uncropped(d));
	while (!s && d->made <= d->given && d->given < end_of(d))
		s = next_batch(d, to, first, stop);
	return s;
}

/* Clamps samples of 16 bits with loss, but not alpha, to the range of the file. */
static void hold(const xc_decoder *d, const xc_pixels *p)
{
	const xc_container *k = &d->coded.container;
	const uint16_t range = xc_header_is_lossless(&k->header) ? 0 : k->metadata.range;
	const size_t step = xc_layout_get(p->layout)->samples[0], n = p->width * step;

	for (uint32_t y = 0; y < p->height && p->depth == 16 && range; y++) {
		uint16_t *row = (void *)xc_pixels_row(p, 0, 0, y);
		for (size_t i = 0; i < n; i++)
			if (row[i] > range && (step % 2 || i % step < step - 1))
				row[i] = range;
	}
}

/* Fills `to`, which has d->layout. */
static xc_status take_rows(xc_decoder *d, const xc_pixels *to)
{
	const uint32_t first = d->given, stop = first + to->height;

	while (d->given < stop) {
		const xc_status s = wait_for_rows(d, to, first, stop);
		if (s)
			return s;
		const uint32_t available = d->made - d->given, left = stop - d->given;
		const uint32_t n = available < left ? available : left;
		if (d->window.plane[0] == d->buffer.plane[0])
			xc_pixels_copy(to, first, &d->buffer, d->window_first, d->left, d->given, n);
		d->given += n;
	}
	hold(d, to);
	return XC_OK;
}

/* Sets what xc_context_message() returns after a successful call. */
static void tell_damage(xc_decoder *d)
{
	xc_context *c = d->context;

	c->message[0] = '\0';
	if (d->coded.kept.damaged)
		xc_jpeg_fail_segment(c, &d->coded.kept.plan, d->coded.kept.first_damaged);
	else if (d->damaged && d->first_damaged == UINT64_MAX)
		xc_fail(c, XC_OK, "some segment is damaged");
	else if (d->damaged)
		xc_decoder_fail_segment(d);
	else if (d->coded.container.later_damaged)
		xc_fail(c, XC_OK, "after the first picture %llu segment%s damaged",
		        (unsigned long long)d->coded.container.later_damaged,
		        d->coded.container.later_damaged == 1 ? " is" : "s are");
	else if (d->coded.container.extra_bytes)
		xc_fail(c, XC_OK, XC_TOO_MANY_BYTES, (unsigned long long)d->coded.container.extra_bytes,
		        xc_s(d->coded.container.extra_bytes));
}

static xc_status begin(xc_decoder *d)
{
	if (!d)
		return XC_ERR_ARGUMENT;
	xc_begin(d->context);
	return d->failed ? xc_fail(d->context, XC_ERR_ARGUMENT, "the decoder has failed before")
	                 : XC_OK;
}

/* After xc_decoder_finish() the source has been read past the rows. */
static xc_status begin_rows(xc_decoder *d)
{
	const xc_status s = begin(d);
	return s || !d->finished ? s
	                         : xc_fail(d->context, XC_ERR_ARGUMENT, "rows after the decoder's end");
}

static xc_status end(xc_decoder *d, xc_status s)
{
	if (s)
		d->failed = s;
	else
		tell_damage(d);
	return s;
}

static xc_status check_count(const xc_decoder *d, uint32_t count)
{
	const uint32_t left = end_of(d) - d->given;

	return count > left ? xc_fail(d->context, XC_ERR_ARGUMENT, "%u row%s left, not %u", left,
	                              left == 1 ? " is" : "s are", count)
	                    : XC_OK;
}

/* Sets the layout with the first rows; later rows must have the same. */
static xc_status take_layout(xc_decoder *d, xc_layout layout)
{
	if (!d->set_up)
		return choose_layout(d, layout);
	return layout == d->layout
	           ? XC_OK
	           : xc_fail(d->context, XC_ERR_ARGUMENT, "the rows before had another layout");
}

static xc_layout own_layout(const xc_decoder *d)
{
	return xc_layout_of(d->coded.container.header.channels);
}

xc_status xc_decoder_rows(xc_decoder *d, void *rows, size_t stride, uint32_t count)
{
	XC_DEFAULT_FLOATS;
	xc_status s = begin_rows(d);

	if (s)
		return s;
	if (count && !rows)
		return xc_fail(d->context, XC_ERR_ARGUMENT, "no place for the rows");
	const xc_header *h = &d->coded.container.header;
	const xc_picture p = {d->width, count, h->channels, h->depth, stride, rows};
	s = check_count(d, count);
	if (s || !count)
		return s;
	s = xc_picture_check_data(d->context, &p);
	if (!s)
		s = take_layout(d, own_layout(d));
	if (s)
		return s;
	const xc_pixels to = xc_pixels_of(&p);
	return end(d, take_rows(d, &to));
}

static xc_status check_rows(xc_decoder *d, const xc_pixels *rows)
{
	xc_status s = xc_pixels_check(d->context, rows);

	if (!s)
		s = check_count(d, rows->height);
	if (s)
		return s;
	const uint32_t depth = d->coded.container.header.depth;
	if (rows->width != d->width || rows->depth != depth)
		return xc_fail(d->context, XC_ERR_ARGUMENT,
		               "the rows have %u pixels of %u bits, not what was given", d->width, depth);
	if (rows->height % xc_layout_get(rows->layout)->v && rows->height < end_of(d) - d->given)
		return xc_fail(d->context, XC_ERR_ARGUMENT, "rows of 4:2:0 come two by two");
	return take_layout(d, rows->layout);
}

xc_status xc_decoder_pixels(xc_decoder *d, const xc_pixels *rows)
{
	XC_DEFAULT_FLOATS;
	xc_status s = begin_rows(d);

	if (!s)
		s = check_rows(d, rows);
	return s ? s : end(d, take_rows(d, rows));
}

xc_status xc_decoder_next(xc_decoder *d, const void **rows, size_t *stride, uint32_t *count)
{
	const int places = rows && stride && count;

	if (places) {
		*rows = NULL;
		*stride = 0;
		*count = 0;
	}
	xc_status s = begin_rows(d);
	if (s)
		return s;
	if (!places)
		return xc_fail(d->context, XC_ERR_ARGUMENT, "no place for the rows");
	s = take_layout(d, own_layout(d));
	if (s)
		return s;
	s = wait_for_rows(d, NULL, 0, 0);
	if (!s && d->given < end_of(d)) {
		const uint32_t stop = d->made < end_of(d) ? d->made : end_of(d);
		*rows = xc_pixels_row(&d->window, 0, d->window_first, d->given) + d->left * d->pixel;
		*stride = (size_t)d->window.stride[0];
		*count = stop - d->given;
		d->given = stop;
		xc_pixels given = d->window;
		given.width = d->width;
		given.height = *count;
		given.plane[0] = (void *)(uintptr_t)*rows;
		hold(d, &given);
	}
	return end(d, s);
}

xc_status xc_decoder_finish(xc_decoder *d)
{
	XC_DEFAULT_FLOATS;
	const xc_status s = begin(d);

	if (s || d->finished)
		return s;
	d->finished = 1;
	return end(d, d->from_memory ? XC_OK : xc_feed_finish(&d->feed));
}

/* -------------------------------------------------------------- xc_decode */

/* Checks the caller's picture, or allocates one. */
static xc_status set_up_picture(xc_decoder *d, xc_picture *p)
{
	xc_picture shape;

	xc_decoder_shape(d, &shape);
	if (p->channels)
		shape.channels = p->channels;
	if (!p->data) {
		*p = shape;
		return xc_picture_make(d->context, p);
	}
	return xc_picture_check_data(d->context, p);
}

static xc_status decode_pixels(xc_decoder *d, const xc_pixels *p)
{
	xc_header h = d->coded.container.header;
	const xc_picture given = {p->width, p->height, h.channels, p->depth, 0, NULL};

	h.width = d->width;
	h.height = d->height;
	xc_status s = xc_header_check_picture(d->context, &h, &given);
	if (!s)
		s = choose_layout(d, p->layout);
	return s ? s : take_rows(d, p);
}

/* Decodes to the picture or, if that is NULL, to the pixels. */
static xc_status decode(xc_decoder *d, xc_picture *p, const xc_pixels *pixels)
{
	xc_context *c = d->context;
	const int mine = p && !p->data;
	xc_status s = choose_tiles(d);

	if (!s && p)
		s = set_up_picture(d, p);
	if (!s) {
		const xc_pixels to = p ? xc_pixels_of(p) : *pixels;
		s = decode_pixels(d, &to);
	}
	xc_stage(c, "segments");
	if (!s)
		tell_damage(d);
	if (s && mine)
		xc_picture_free(c, p);
	return s;
}

/* Tries the GPU if it can do what is wanted, then uses the CPU. */
static xc_status decode_by_any(xc_decoder *d, xc_picture *p, const xc_pixels *pixels)
{
	xc_context *c = d->context;
	xc_decode_options *o = &d->options;
	xc_container *k = &d->coded.container;
	const int own = p && (!p->channels || p->channels == k->header.channels);
	int done = 0;
	xc_status s = xc_scale_check(c, o->scale);

	if (s)
		return s;
	if (own && c->device.backend)
		s = c->device.backend->decode(c, k, o, p, &done);
	else if (!own)
		s = xc_layout_check_device(c);
	if (s || done)
		return s;
	s = decode(d, p, pixels);
	o->damaged_segments = d->damaged;
	return s;
}

xc_status xc_decode_file(xc_context *c, const void *file, size_t size, xc_decode_options *options,
                         xc_picture *picture, const xc_pixels *pixels)
{
	xc_decoder *d = NULL;
	xc_status s = make(c, options, &d);

	if (s)
		return s;
	d->options.damaged_segments = 0;
	s = open_memory(d, file, size);
	if (!s)
		s = decode_by_any(d, picture, pixels);
	if (options)
		options->damaged_segments = d->options.damaged_segments;
	xc_decoder_free(d);
	return s;
}

xc_status xc_decode(xc_context *c, const void *file, size_t size, xc_decode_options *options,
                    xc_picture *picture)
{
	XC_DEFAULT_FLOATS;
	if (options)
		options->damaged_segments = 0;
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!picture)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the picture");
	return xc_decode_file(c, file, size, options, picture, NULL);
}

xc_status xc_decode_pixels(xc_context *c, const void *file, size_t size, xc_decode_options *options,
                           const xc_pixels *pixels)
{
	XC_DEFAULT_FLOATS;
	xc_picture picture;

	if (options)
		options->damaged_segments = 0;
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	const xc_status s = xc_pixels_check(c, pixels);
	if (s)
		return s;
	if (xc_pixels_are_picture(pixels, &picture))
		return xc_decode_file(c, file, size, options, &picture, NULL);
	return xc_decode_file(c, file, size, options, NULL, pixels);
}
