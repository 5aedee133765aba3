/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder decodes of a file, and the memory for it. */
#include "src/decode/decoder.h"

#include "transform/colour_matrix.h"
#include "quant/tables.h"
#include "src/core/parallel.h"

/* Pixels around a region that its pixels may depend on: edge steps of halved chroma reach 8 and its
 * filter 2, and the part's own edges reach no further. */
enum { REACH = 16 };

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The tiles that have a part in pixels `from` to `to` - 1, and which of them is the first. */
static void tiles_of(uint32_t from, uint32_t to, uint32_t tile, uint32_t all, uint32_t *first,
                     uint32_t *count)
{
	*first = (from > REACH ? from - REACH : 0) / tile;
	const uint64_t end = ((uint64_t)to + REACH + tile - 1) / tile;
	*count = (end < all ? (uint32_t)end : all) - *first;
}

static void choose_crop(xc_decoder *d, const xc_rectangle *r)
{
	const xc_geometry *g = &d->coded.container.geometry;
	const uint32_t wide = g->tile_mcus_wide * 8 * (uint32_t)g->h;
	const uint32_t high = xc_inverse_tile_height(g);
	xc_tile_span *t = &d->span;

	tiles_of(r->x / d->scale * d->scale, r->x + r->width, wide, g->tiles_wide, &t->x, &t->wide);
	tiles_of(r->y / d->scale * d->scale, r->y + r->height, high, g->tiles_high, &t->y, &t->high);
	const uint32_t x = t->x * wide, y = t->y * high;
	d->crop = *g;
	d->crop.tiles_wide = t->wide;
	d->crop.tiles_high = t->high;
	d->crop.width = t->x + t->wide < g->tiles_wide ? t->wide * wide : g->width - x;
	d->crop.height = t->y + t->high < g->tiles_high ? t->high * high : g->height - y;
	d->crop.mcus_wide = min_u32(t->wide * g->tile_mcus_wide,
	                            g->mcus_wide - t->x * g->tile_mcus_wide);
	d->crop.mcus_high = min_u32(t->high * g->tile_mcus_high,
	                            g->mcus_high - t->y * g->tile_mcus_high);
	d->left = r->x / d->scale - x / d->scale;
	d->top = r->y / d->scale - y / d->scale;
	d->width = xc_reduced_size(r->x + r->width, d->scale) - r->x / d->scale;
	d->height = xc_reduced_size(r->y + r->height, d->scale) - r->y / d->scale;
}

xc_status xc_decoder_choose(xc_decoder *d)
{
	const xc_header *h = &d->coded.container.header;
	xc_rectangle r = d->options.region;

	d->scale = d->options.scale ? d->options.scale : 1;
	if (d->scale > 8 || (d->scale & (d->scale - 1)))
		return xc_fail(d->context, XC_ERR_ARGUMENT, "a scale of 1/%u; 1, 1/2, 1/4 and 1/8 exist",
		               d->scale);
	if (!r.width)
		r = (xc_rectangle){0, 0, h->width, h->height};
	if (!r.height || r.x >= h->width || r.width > h->width - r.x || r.y >= h->height ||
	    r.height > h->height - r.y)
		return xc_fail(d->context, XC_ERR_ARGUMENT,
		               "a region of %ux%u at %u,%u is not within the %ux%u pixels", r.width,
		               r.height, r.x, r.y, h->width, h->height);
	choose_crop(d, &r);
	d->given = d->top;
	return xc_decoder_choose_layout(d, xc_layout_of(h->channels));
}

/* Planes get the file's own components. */
static xc_status check_planes(const xc_decoder *d, const xc_layout_parts *l)
{
	xc_context *c = d->context;
	const xc_container *k = &d->coded.container;

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

xc_status xc_decoder_choose_layout(xc_decoder *d, xc_layout layout)
{
	const xc_layout_parts *l = xc_layout_get(layout);
	const xc_container *k = &d->coded.container;
	const xc_status s = l->planes > 1 ? check_planes(d, l) : XC_OK;

	if (s)
		return s;
	d->layout = layout;
	d->pixel = l->samples[0] * (size_t)(k->header.depth / 8);
	/* Grey is Y, and needs no other component. */
	d->crop.components = l->channels < 3 && !k->has_colours ? 1 : k->geometry.components;
	return XC_OK;
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
	const uint64_t max = (uint64_t)min_u32(xc_schedule_max_band(s), s->batch_rows) * s->wide;

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

/* What the inverse and the reduced one have in common. */
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

/* None are needed where no row is cut, or tiles do not depend on each other. */
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

/* Classes of which the DCs are enough are skimmed, if the picture is so large that it is worth the
 * tables. */
static xc_status set_up_dc_only(xc_decoder *d)
{
	enum { MIN = 1 << 18 }; /* pixels */
	xc_reduced *r = &d->reduced;
	const int large = (uint64_t)d->crop.width * d->crop.height >= MIN;
	xc_status s = XC_OK;

	for (int i = 0; !s && large && !d->coded.rans && i < (d->crop.components > 1 ? 2 : 1); i++)
		if (xc_reduced_flat(r, i) && !(s = xc_coded_dc_only(d->context, &d->coded, i)))
			r->packed[i] = 1;
	return s;
}

xc_status xc_decoder_set_up(xc_decoder *d, int whole)
{
	xc_context *c = d->context;
	const xc_container *k = &d->coded.container;

	d->set_up = 1;
	d->first_damaged = UINT64_MAX;
	d->window = (xc_pixels){.layout = d->layout,
	                        .width = d->crop.width,
	                        .height = d->crop.height,
	                        .depth = k->header.depth};
	/* Alpha is added to pixels that are still in the cache. */
	xc_status s = xc_coded_tables(c, &d->coded);
	if (s)
		return s;
	s = xc_decoder_schedule(d, whole && d->from_memory && d->scale == 1 && k->layers == 1);
	const uint32_t batch = d->schedule.batch_rows;
	if (!s)
		s = d->from_memory ? xc_coded_index(c, &d->coded) : xc_feed_rows(&d->feed, batch);
	const uint64_t tiles = d->from_memory ? k->segments : (uint64_t)batch * k->geometry.tiles_wide;
	const uint64_t n = tiles * k->layers;
	if (!s && !(d->crcs = xc_allocate_zeroed(c, (size_t)n * sizeof *d->crcs)))
		s = xc_fail_memory(c, (size_t)n * sizeof *d->crcs);
	if (s)
		return s;
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

void xc_decoder_tear_down(xc_decoder *d)
{
	xc_context *c = d->context;

	for (uint32_t i = 0; d->workers && i < d->schedule.workers; i++) {
		xc_inverse_scratch_free(c, &d->workers[i].inverse);
		xc_coded_scratch_free(c, &d->workers[i].coded);
	}
	xc_decoder_alpha_tear_down(d);
	xc_scratch_free(c, d->halos);
	xc_schedule_free(c, &d->schedule);
	xc_release(c, d->workers);
	xc_release(c, d->crcs);
	xc_release(c, d->buffer.plane[0]);
	xc_inverse_free(c, &d->inverse);
	xc_reduced_free(c, &d->reduced);
	xc_coded_close(c, &d->coded);
	xc_feed_close(&d->feed);
}
