/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xc_decode(): one thread decodes a group of tile rows and turns each tile into pixels while it
 * is in that core's cache.  The few rows between groups follow at the end.
 */
#include <string.h>

#include "quant/tables.h"
#include "src/container/alpha.h"
#include "src/core/parallel.h"
#include "quant/colours.h"
#include "src/decode/coded.h"
#include "src/pixels/inverse.h"

typedef struct worker {
	xc_inverse_scratch inverse;
	xc_coded_scratch coded;
} worker;

typedef struct decoder {
	xc_context *context;
	xc_coded coded;
	xc_inverse inverse;
	worker *workers;
	int worker_count;
	float colours[9]; /* see inverse.colours */
	uint32_t *crcs;   /* of all segments */
	uint64_t damaged, first_damaged;
} decoder;

static void note_damage(decoder *d, uint64_t segment)
{
	__atomic_add_fetch(&d->damaged, 1, __ATOMIC_RELAXED);
	uint64_t first = __atomic_load_n(&d->first_damaged, __ATOMIC_RELAXED);
	while (segment < first && !__atomic_compare_exchange_n(&d->first_damaged, &first, segment, 0,
	                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void decode_group(void *user, uint64_t item, int index)
{
	decoder *d = user;
	worker *w = &d->workers[index];
	const xc_geometry *g = &d->coded.container.geometry;
	const uint64_t segments = d->coded.container.segments;
	const uint64_t step = (uint64_t)d->inverse.group * g->tiles_wide;
	const uint64_t end = segments - item * step < step ? segments : (item + 1) * step;
	uint64_t next = item * step;
	while (next < end) {
		const uint64_t n = end - next < w->coded.segments ? end - next : w->coded.segments;
		xc_coded_decode(&d->coded, &w->coded, next, n, d->crcs);
		for (uint64_t i = 0; i < n; i++, next++) {
			xc_tile tile;
			xc_geometry_tile(g, next, &tile);
			if (!w->coded.intact[i])
				note_damage(d, next);
			xc_coded_add_slopes(&d->coded, &tile, xc_coded_coefficients(&w->coded, i));
			xc_inverse_tile(&d->inverse, &w->inverse, &tile, xc_coded_coefficients(&w->coded, i));
		}
	}
}

static void decode_edge(void *user, uint64_t item, int index)
{
	const decoder *d = user;
	(void)index;
	xc_inverse_edge(&d->inverse, (uint32_t)item);
}

static uint64_t groups(const decoder *d)
{
	return (d->coded.container.geometry.tiles_high + (uint64_t)d->inverse.group - 1) /
	       d->inverse.group;
}

static uint64_t time_of(const decoder *d)
{
	const xc_header *h = &d->coded.container.header;
	return xc_parallel_coding_time((uint64_t)h->width * h->height);
}

/* The rows around the edges between groups take about this part of the whole time. */
enum { EDGE_SHARE = 32 };

static xc_status set_up_workers(decoder *d)
{
	xc_context *c = d->context;
	const xc_geometry *g = &d->coded.container.geometry;
	const size_t n = (size_t)xc_parallel_workers(c, groups(d), time_of(d));
	d->workers = xc_allocate_zeroed(c, n * sizeof *d->workers);
	if (!d->workers)
		return xc_fail_memory(c, n * sizeof *d->workers);
	d->worker_count = (int)n;
	for (size_t i = 0; i < n; i++) {
		worker *w = &d->workers[i];
		xc_status s = xc_inverse_scratch_init(c, &w->inverse, &d->inverse);
		if (!s)
			s = xc_coded_scratch_init(c, &w->coded, &d->coded,
			                          (uint64_t)d->inverse.group * g->tiles_wide);
		if (s)
			return s;
	}
	return XC_OK;
}

/* Checks the picture the caller gave, or allocates one. */
static xc_status set_up_picture(decoder *d, xc_picture *p)
{
	const xc_header *h = &d->coded.container.header;
	if (!p->data) {
		*p = (xc_picture){h->width, h->height, h->channels, h->depth, 0, NULL};
		return xc_picture_make(d->context, p);
	}
	const xc_status s = xc_header_check_picture(d->context, h, p);
	return s ? s : xc_picture_check_data(d->context, p);
}

static xc_status set_up(decoder *d, const xc_decode_options *options, xc_picture *p)
{
	xc_context *c = d->context;
	xc_status s = xc_coded_prepare(c, &d->coded);
	if (!s)
		s = set_up_picture(d, p);
	if (s)
		return s;
	const xc_container *k = &d->coded.container;
	d->first_damaged = UINT64_MAX;
	d->crcs = xc_allocate_zeroed(c, (size_t)k->segments * sizeof *d->crcs);
	if (!d->crcs)
		return xc_fail_memory(c, (size_t)k->segments * sizeof *d->crcs);
	d->inverse.picture = p;
	d->inverse.geometry = &k->geometry;
	d->inverse.kernels = xc_kernels_get(c->cpu);
	d->inverse.transform = k->header.transform;
	d->inverse.group = xc_inverse_group(&k->geometry, k->header.transform, xc_context_threads(c));
	d->inverse.integers = options->jpeg_rounding;
	if (k->has_colours) {
		xc_colours_inverse(k->colours, d->colours);
		d->inverse.colours = d->colours;
	}
	for (int i = 0; i < 2; i++) {
		const uint32_t *steps = k->quant[k->geometry.components == 1 ? 0 : i];
		xc_quant_inverse_table(k->header.transform, steps, XC_STEP_PARTS, d->inverse.tables[i]);
	}
	s = xc_inverse_init(c, &d->inverse);
	return s ? s : set_up_workers(d);
}

static xc_status check_damage(decoder *d, int keep_going)
{
	if (d->damaged) {
		const xc_status s = xc_fail_segment(d->context, &d->coded.container.geometry,
		                                    d->first_damaged);
		return keep_going ? XC_OK : s;
	}
	/* Each segment looked right, so this finds the damage that their 16 bits missed. */
	if (!xc_coded_data_intact(&d->coded.container, d->crcs)) {
		const xc_status s = xc_fail(d->context, XC_ERR_CORRUPT, "some segment is damaged");
		d->damaged = 1;
		return keep_going ? XC_OK : s;
	}
	return XC_OK;
}

static xc_status run(decoder *d, const xc_decode_options *options, xc_picture *p)
{
	xc_context *c = d->context;
	xc_status s = set_up(d, options, p);
	if (s)
		return s;
	const xc_container *k = &d->coded.container;
	xc_stage(c, "set-up");
	xc_parallel_for(c, groups(d), time_of(d), decode_group, d, 0, 0.95);
	xc_stage(c, "bands");
	if ((s = check_damage(d, options->keep_going)))
		return s;
	if (xc_inverse_edges(&d->inverse))
		xc_parallel_for(c, xc_inverse_edges(&d->inverse), time_of(d) / EDGE_SHARE, decode_edge, d,
		                0.95, 1);
	xc_stage(c, "band edges");
	if (k->header.channels % 2 == 0) {
		s = xc_alpha_decode(c, k->alpha.data, k->alpha.size, p);
		xc_stage(c, "alpha");
	}
	return s;
}

static void tear_down(decoder *d)
{
	xc_context *c = d->context;
	for (int i = 0; i < d->worker_count; i++) {
		xc_inverse_scratch_free(c, &d->workers[i].inverse);
		xc_coded_scratch_free(c, &d->workers[i].coded);
	}
	xc_release(c, d->workers);
	xc_release(c, d->crcs);
	xc_inverse_free(c, &d->inverse);
	xc_coded_close(c, &d->coded);
	xc_release(c, d);
}

xc_status xc_decode(xc_context *c, const void *file, size_t size, xc_decode_options *options,
                    xc_picture *picture)
{
	xc_decode_options o = options ? *options : (xc_decode_options){0};
	int done = 0;
	xc_begin(c);
	o.damaged_segments = 0;
	if (options)
		options->damaged_segments = 0;
	if (!picture)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the picture");
	const int mine = !picture->data;
	decoder *d = xc_allocate_zeroed(c, sizeof *d);
	if (!d)
		return xc_fail_memory(c, sizeof *d);
	d->context = c;
	xc_status s = xc_coded_read(c, file, size, o.keep_going, &d->coded);
	if (!s && c->device.backend)
		s = c->device.backend->decode(c, &d->coded.container, &o, picture, &done);
	if (!s && !done) {
		s = run(d, &o, picture);
		o.damaged_segments = d->damaged;
	}
	if (options)
		options->damaged_segments = o.damaged_segments;
	tear_down(d);
	if (s && mine)
		xc_picture_free(c, picture);
	return s;
}
