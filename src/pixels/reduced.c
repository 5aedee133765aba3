/* SPDX-License-Identifier: BSD-2-Clause */
/* Coefficients to pixels of reduced size, for src/decode/batch.c. gpu/decode/pixels/reduced.h does the
 * same additions in the same order: across, from each block's lowest frequency on and from the left block
 * on; then down, from the uppermost block on and there from the lowest frequency on. */
#include "src/pixels/reduced.h"

#include <string.h>

_Static_assert((int)XC_TRANSFORM_DCT == XC_MEAN_DCT && (int)XC_TRANSFORM_LOT == XC_MEAN_LOT &&
                   (int)XC_TRANSFORM_TDLT == XC_MEAN_TDLT &&
                   (int)XC_TRANSFORM_NONE == XC_MEAN_SAMPLES,
               "one order");

xc_status xc_reduced_init(xc_context *c, xc_reduced *r, uint32_t tile_rows, uint32_t workers)
{
	const xc_geometry *g = r->geometry;

	r->width = xc_reduced_size(g->width, r->scale);
	r->height = xc_reduced_size(g->height, r->scale);
	r->flat = *g;
	r->flat.h = r->flat.v = 1;
	r->output.geometry = &r->flat;
	r->output.gains = xc_colour_gains_make(1);
	const size_t line = ((size_t)r->width + 2 * XC_SLACK) * sizeof(float);
	r->lines = xc_allocate_zeroed(c, workers * (size_t)g->components * line);
	if (!r->lines)
		return xc_fail_memory(c, line);
	for (int i = 0; i < g->components; i++) {
		xc_reduced_component *p = &r->component[i];
		const uint32_t h = i ? (uint32_t)g->h : 1, v = i ? (uint32_t)g->v : 1;
		xc_mean_side_init(&p->across, (xc_mean_steps)r->output.transform, r->scale / h);
		xc_mean_side_init(&p->down, (xc_mean_steps)r->output.transform, r->scale / v);
		p->blocks_wide = g->mcus_wide * (i ? 1 : (uint32_t)g->h);
		p->blocks_high = g->mcus_high * (i ? 1 : (uint32_t)g->v);
		/* A row of pixels may depend on two rows of blocks of the tile row before. */
		r->ring = (tile_rows * g->tile_mcus_high + 2) * (uint32_t)g->v;
		p->stride = (size_t)p->blocks_wide * p->across.hop + 32;
		const uint64_t bytes = (uint64_t)r->ring * 8 * p->stride * sizeof(float);
		p->rows = bytes < SIZE_MAX ? xc_allocate(c, (size_t)bytes) : NULL;
		if (!p->rows)
			return xc_fail_memory(c, bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX);
	}
	return XC_OK;
}

void xc_reduced_free(xc_context *c, xc_reduced *r)
{
	for (int i = 0; i < XC_MAX_COMPONENTS; i++) {
		xc_release(c, r->component[i].rows);
		r->component[i].rows = NULL;
	}
	xc_release(c, r->lines);
	r->lines = NULL;
}

/* The means that row `block` of the blocks adds to. */
static float *means(const xc_reduced *r, const xc_reduced_component *p, uint32_t block)
{
	return p->rows + (size_t)(block % r->ring) * 8 * p->stride;
}

/* Adds the means of whole DCT blocks, whose DCs are `stride` coefficients apart. */
static void flat_blocks(const void *dcs, size_t count, size_t stride, int depth16, float weight,
                        float *to)
{
	const int16_t *narrow = dcs;
	const int32_t *wide = dcs;

	for (size_t i = 0; i < count; i++)
		to[i] += weight * (float)(depth16 ? wide[i * stride] : narrow[i * stride]);
}

/* Adds a row of a tile's blocks, the first of which is block x of the component. */
static void row_of_blocks(const xc_reduced *r, int c, uint32_t x, uint32_t count,
                          const void *blocks, float *to)
{
	const xc_reduced_component *p = &r->component[c];
	const xc_mean_side *s = &p->across;
	const float *table = r->output.tables[c != 0];
	const int depth16 = r->output.pixels->depth == 16;

	if (xc_reduced_flat(r, c)) {
		flat_blocks(blocks, count, r->packed[c != 0] ? 1 : 64, depth16,
		            table[0] * s->weight[0][0][0], to + x);
		return;
	}
	/* The blocks at the picture's sides have weights of their own. */
	for (uint32_t end = x + count, n; x < end; x += n) {
		const int at = xc_mean_at(x, p->blocks_wide);
		n = at ? 1 : end < p->blocks_wide ? end - x : end - x - 1;
		r->output.kernels->reduce_across(blocks, n, depth16, table, s->weight[at], s->hop, s->span,
		                                 to + (size_t)x * s->hop, p->stride);
		blocks = (const char *)blocks + n * (depth16 ? 256 : 128);
	}
}

void xc_reduced_tile(xc_reduced *r, const xc_tile *t, const void *coefficients)
{
	const size_t bytes = r->output.pixels->depth == 16 ? 256 : 128;

	for (int c = 0; c < r->geometry->components; c++) {
		const xc_reduced_component *p = &r->component[c];
		const size_t block = r->packed[c != 0] ? bytes / 64 : bytes;
		const uint32_t x = t->x / 8 / (c ? (uint32_t)r->geometry->h : 1);
		const uint32_t y = t->y / 8 / (c ? (uint32_t)r->geometry->v : 1);
		const char *blocks = (const char *)coefficients + t->first_block[c] * bytes;
		for (uint32_t i = 0; i < t->blocks_high[c]; i++, blocks += t->blocks_wide[c] * block) {
			float *to = means(r, p, y + i);
			if (!x)
				memset(to, 0, 8 * p->stride * sizeof *to);
			row_of_blocks(r, c, x, t->blocks_wide[c], blocks, to);
		}
	}
}

uint32_t xc_reduced_rows(const xc_reduced *r, uint32_t tile_rows)
{
	const xc_geometry *g = r->geometry;
	uint32_t rows = r->height;

	for (int c = 0; c < g->components && tile_rows < g->tiles_high; c++) {
		const xc_mean_side *s = &r->component[c].down;
		const uint32_t blocks = tile_rows * g->tile_mcus_high * (c ? 1 : (uint32_t)g->v);
		const uint32_t means = blocks * s->hop - (blocks ? (s->span - s->hop) / 2 : 0);
		rows = means < rows ? means : rows;
	}
	return rows;
}

/* Makes row y of a component: the sum of the contributions of its blocks, from the uppermost on. */
static void line(const xc_reduced *r, const xc_reduced_component *p, uint32_t y, float *to)
{
	const xc_mean_side *s = &p->down;
	const uint32_t at = y + (s->span - s->hop) / 2, last = at / s->hop;
	const uint32_t before = (s->span - 1) / s->hop;

	memset(to, 0, r->width * sizeof *to);
	for (uint32_t b = last > before ? last - before : 0; b <= last && b < p->blocks_high; b++) {
		if (at - b * s->hop >= s->span)
			continue;
		const float *from = means(r, p, b) + (p->across.span - p->across.hop) / 2;
		const xc_mean_weights *w = &s->weight[xc_mean_at(b, p->blocks_high)];
		if (s->flat)
			for (uint32_t i = 0; i < r->width; i++)
				to[i] += from[i] * (*w)[0][0];
		else
			r->output.kernels->reduce_down(from, p->stride, *w, at - b * s->hop, r->width, to);
	}
}

void xc_reduced_line(xc_reduced *r, uint32_t y, int worker)
{
	const int components = r->geometry->components;
	const size_t stride = r->width + 2 * XC_SLACK;
	float *lines = r->lines + (size_t)worker * (size_t)components * stride;
	xc_chroma_lines chroma = {{0}, {0}};

	for (int c = 0; c < components; c++)
		line(r, &r->component[c], y, lines + (size_t)c * stride);
	if (components > 1)
		chroma.near = (xc_chroma_rows){lines + stride, lines + 2 * stride};
	xc_inverse_output(&r->output, 0, y, r->width, lines, &chroma);
}
