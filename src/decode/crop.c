/* SPDX-License-Identifier: BSD-2-Clause */
/* What a decoder decodes of a file, and how much at a time. */
#include "src/decode/decoder.h"

#include "transform/colour_matrix.h"
#include "quant/tables.h"
#include "src/core/parallel.h"

/* Pixels around a region that its pixels may depend on: edge steps of halved chroma reach 8 and
 * its filter 2, and the part's own edges reach no further. */
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

/* ------------------------------------------------------------------ waves */

uint64_t xc_decoder_time(const xc_decoder *d)
{
	return xc_parallel_coding_time((uint64_t)d->crop.width * d->crop.height);
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t quotient(uint32_t a, uint32_t b)
{
	return a / b + (a % b != 0);
}

/* The fewest and most tiles of a stretch: both are even, because two or four segments are
 * decoded at a time.  0 and 0: rows are not cut. */
typedef struct stretch_range {
	uint32_t min, max;
} stretch_range;

static stretch_range stretch_range_of(const xc_decoder *d, uint32_t group)
{
	/* The samples of a lead are made twice: so many times as wide, at least, is a stretch. */
	enum { LEADS = 8 };
	const xc_geometry *g = &d->crop;
	const uint32_t lead = xc_inverse_lead_mcus(g, d->coded.container.header.transform);
	const uint32_t max = (uint32_t)xc_coded_run(&d->coded) / 2 * 2;
	const uint32_t min = quotient(max_u32(2, quotient(LEADS * lead, g->tile_mcus_wide)), 2) * 2;
	/* A tile's reduced samples are added to those of the tile before. */
	if (group > 1 || d->scale > 1 || lead > g->tile_mcus_wide || g->tiles_wide <= min_u32(min, max))
		return (stretch_range){0, 0};
	return (stretch_range){min_u32(min, max), max};
}

/* Tiles of a stretch if each worker is to have so many stretches of `rows` rows. */
static uint32_t stretch_of(const xc_decoder *d, uint32_t stretches, uint32_t rows)
{
	const uint32_t all = stretches * (uint32_t)d->worker_count;
	return quotient(quotient(d->span.wide, quotient(all, rows)), 2) * 2;
}

/* Cuts the groups from row `split` to row `end`. */
static void cut_groups(xc_decoder *d, const stretch_range *r, uint32_t split, uint32_t end)
{
	/* Stretches for each worker; fewer if they had less than the segments that are decoded at a time. */
	enum { MANY = 8, ENOUGH = 4, RUN = 4 };
	const uint32_t rows = end - split, tiles = stretch_of(d, MANY, rows);
	const uint32_t n = tiles < RUN ? min_u32(RUN, stretch_of(d, ENOUGH, rows)) : tiles / RUN * RUN;
	d->groups.split = split;
	d->stretch_tiles = n < r->min ? r->min : min_u32(n, r->max);
	d->groups.stretches = quotient(d->span.wide, d->stretch_tiles);
}

/* Of the groups of one row that come last, those that all workers have not as many of. */
static void cut_last_groups(xc_decoder *d, const stretch_range *r)
{
	const uint32_t first = xc_groups_min_from(&d->groups), workers = (uint32_t)d->worker_count;
	const uint32_t left = d->crop.tiles_high - first;
	const uint32_t whole = left > workers / 2 ? (left - workers / 2) / workers * workers : 0;
	cut_groups(d, r, first + whole, d->crop.tiles_high);
}

/* The rows of tiles of a wave of groups of one size. */
static uint64_t wave_of(xc_decoder *d, const stretch_range *r)
{
	/* Bytes of pixels, at most: of a wave that gives each worker two groups, and of one whose groups are cut
	 * so that each worker gets EACH stretches, or less than a group. */
	enum { MAX_BYTES = 1 << 24, MAX_CUT = 1 << 25, EACH = 8 };
	const uint32_t workers = (uint32_t)d->worker_count;
	const uint64_t rows = (uint64_t)d->groups.size * workers;
	const uint64_t row = (uint64_t)d->crop.width * xc_inverse_tile_height(&d->crop) * d->pixel;
	if (2 * rows * row <= MAX_BYTES)
		return 2 * rows;
	if (!r->max)
		return rows;
	const uint32_t room = row < MAX_CUT ? (uint32_t)(MAX_CUT / row) : 1;
	const uint32_t enough = quotient(EACH * workers, quotient(d->span.wide, r->max));
	const uint32_t wave = min_u32(workers, min_u32(room, enough));
	cut_groups(d, r, 0, min_u32(wave, d->crop.tiles_high));
	return wave;
}

/* How many rows of tiles make a wave, and how they are shared out. */
static void choose_wave(xc_decoder *d, int whole)
{
	const xc_geometry *g = &d->crop;
	/* Of all threads, also where fewer of them pay: stretches are cut from groups of just this size. */
	const uint32_t min = xc_inverse_min_group(g, d->coded.container.header.transform,
	                                          xc_context_threads(d->context));
	const stretch_range range = stretch_range_of(d, min);
	const uint32_t each = range.min ? quotient(g->tiles_wide, range.min) : 1;
	uint64_t wave = g->tiles_high;
	d->worker_count = xc_parallel_workers(d->context, (uint64_t)quotient(g->tiles_high, min) * each,
	                                      xc_decoder_time(d));
	d->groups = xc_inverse_groups(g, min, d->worker_count);
	if (whole) {
		if (d->worker_count > 1 && range.min)
			cut_last_groups(d, &range);
	} else if (d->worker_count > 1) {
		d->groups.threads = 0;
		wave = wave_of(d, &range);
	} else {
		/* Segments enough to decode several at once. */
		wave = quotient(XC_CODED_RUN, g->tiles_wide);
	}
	d->wave = wave < g->tiles_high ? (uint32_t)wave : g->tiles_high;
}

static xc_status set_up_workers(xc_decoder *d)
{
	xc_context *c = d->context;
	const size_t n = (size_t)d->worker_count;
	const uint64_t max = (uint64_t)min_u32(xc_groups_max(&d->groups), d->wave) * d->span.wide;
	d->workers = xc_allocate_zeroed(c, n * sizeof *d->workers);
	if (!d->workers)
		return xc_fail_memory(c, n * sizeof *d->workers);
	for (size_t i = 0; i < n; i++) {
		xc_status s = xc_coded_scratch_init(c, &d->workers[i].coded, &d->coded, max);
		if (!s && d->scale == 1)
			s = xc_inverse_scratch_init(c, &d->workers[i].inverse, &d->inverse);
		if (s)
			return s;
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
	inv->groups = d->groups;
	inv->integers = d->options.jpeg_rounding;
	inv->slots = d->wave / d->groups.size + 2;
	if (k->has_colours) {
		xc_colours_inverse(k->colours, d->colours);
		inv->colours = d->colours;
	}
	for (int i = 0; i < 2; i++) {
		const uint32_t *steps = k->quant[k->geometry.components == 1 ? 0 : i];
		xc_quant_inverse_table(k->header.transform, steps, XC_STEP_PARTS, inv->tables[i]);
	}
}

/* Classes of which the DCs are enough are skimmed, if the picture is so large that it is worth the tables. */
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
	choose_wave(d, whole && d->from_memory && d->scale == 1 && k->layers == 1);
	s = d->from_memory ? xc_coded_index(c, &d->coded) : xc_feed_rows(&d->feed, d->wave);
	const uint64_t tiles = d->from_memory ? k->segments
	                                      : (uint64_t)d->wave * k->geometry.tiles_wide;
	const uint64_t n = tiles * k->layers;
	if (!s && !(d->crcs = xc_allocate_zeroed(c, (size_t)n * sizeof *d->crcs)))
		s = xc_fail_memory(c, (size_t)n * sizeof *d->crcs);
	if (s)
		return s;
	if (d->scale == 1) {
		set_up_inverse(d, &d->inverse);
		s = xc_inverse_init(c, &d->inverse);
		const size_t bytes = d->inverse.slots * sizeof *d->edge_items;
		if (!s && bytes && !(d->edge_items = xc_allocate(c, bytes)))
			s = xc_fail_memory(c, bytes);
	} else {
		set_up_inverse(d, &d->reduced.output);
		d->reduced.output.integers = 0;
		d->reduced.geometry = &d->crop;
		d->reduced.scale = d->scale;
		s = xc_reduced_init(c, &d->reduced, d->wave, (uint32_t)d->worker_count);
		if (!s)
			s = set_up_dc_only(d);
	}
	if (!s)
		s = set_up_workers(d);
	if (!s)
		s = xc_decoder_leads_set_up(d);
	return s ? s : xc_decoder_alpha_set_up(d);
}

void xc_decoder_tear_down(xc_decoder *d)
{
	xc_context *c = d->context;
	for (int i = 0; d->workers && i < d->worker_count; i++) {
		xc_inverse_scratch_free(c, &d->workers[i].inverse);
		xc_coded_scratch_free(c, &d->workers[i].coded);
	}
	xc_decoder_alpha_tear_down(d);
	xc_decoder_leads_tear_down(d);
	xc_release(c, d->workers);
	xc_release(c, d->crcs);
	xc_release(c, d->edge_items);
	xc_release(c, d->buffer.plane[0]);
	xc_inverse_free(c, &d->inverse);
	xc_reduced_free(c, &d->reduced);
	xc_coded_close(c, &d->coded);
	xc_feed_close(&d->feed);
}
