/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/reduced.h"

#include <string.h>

#include "src/pixels/inverse_output.h"

#define XC_V float
#include "transform/lapped8.h"

/* ---------------------------------------------------------------- weights */

static void block_step(xc_transform transform, float x[8])
{
	if (transform == XC_TRANSFORM_LOT)
		xc_lot8_inverse_block(x);
	else
		xc_dct8_inverse(x);
}

static void edge_step(xc_transform transform, float x[8])
{
	if (transform == XC_TRANSFORM_LOT)
		xc_lot8_inverse_edge(x);
	else
		xc_tdlt8_inverse_edge(x);
}

/* The 16 samples from 4 before a block to 4 after it that its coefficients x take part in, where the
 * neighbours' are zero.  at: 1 the block is the first of the plane, 2 the last. */
static void spread(xc_transform transform, const float x[8], int at, float out[16])
{
	float left[8] = {0}, right[8] = {0};
	memcpy(left + 4, x, 4 * sizeof *x);
	memcpy(right, x + 4, 4 * sizeof *x);
	if (transform == XC_TRANSFORM_LOT && at & 1)
		memcpy(left, x, 4 * sizeof *x);
	if (transform == XC_TRANSFORM_LOT && at & 2)
		memcpy(right + 4, x + 4, 4 * sizeof *x);
	if (transform == XC_TRANSFORM_LOT || !(at & 1))
		edge_step(transform, left);
	if (transform == XC_TRANSFORM_LOT || !(at & 2))
		edge_step(transform, right);
	memcpy(out, left, sizeof left);
	memcpy(out + 8, right, sizeof right);
	/* What lies beyond the plane. */
	for (int i = 0; i < 4; i++) {
		out[i] = at & 1 ? 0 : out[i];
		out[12 + i] = at & 2 ? 0 : out[12 + i];
	}
}

/* mean: samples of the plane that one of the result stands for. */
static void side_init(xc_reduced_side *s, xc_transform transform, uint32_t mean)
{
	const int lap = transform != XC_TRANSFORM_DCT;
	const uint32_t box = lap && mean == 8 ? 4 : mean;
	s->hop = 8 / box;
	s->span = lap ? 2 * s->hop : s->hop;
	s->join = mean / box;
	memset(s->weight, 0, sizeof s->weight);
	for (int at = 0; at < 4; at++) {
		for (int k = 0; k < 8; k++) {
			float x[8] = {0}, samples[16];
			x[k] = 1;
			block_step(transform, x);
			memcpy(samples, x, sizeof x);
			if (lap)
				spread(transform, x, at, samples);
			for (uint32_t i = 0; i < s->span * box; i++)
				s->weight[at][k][i / box] += samples[i] / (float)mean;
		}
	}
}

/* ----------------------------------------------------------------- memory */

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
		side_init(&p->across, r->output.transform, r->scale / h);
		side_init(&p->down, r->output.transform, r->scale / v);
		p->blocks_wide = g->mcus_wide * (i ? 1 : (uint32_t)g->h);
		p->blocks_high = g->mcus_high * (i ? 1 : (uint32_t)g->v);
		/* A row of pixels may lie in three rows of blocks, of which the first two are those of the
		 * tile rows before. */
		r->ring = (tile_rows * g->tile_mcus_high + 2) * (uint32_t)g->v;
		p->stride = ((size_t)p->blocks_wide + 1) * p->across.hop + 16;
		const uint64_t bytes = (uint64_t)r->ring * p->down.span * p->stride * sizeof(float);
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

/* ----------------------------------------------------------------- blocks */

/* Rows of means that row `block` of the blocks takes part in. */
static float *means(const xc_reduced *r, const xc_reduced_component *p, uint32_t block)
{
	return p->rows + (size_t)(block % r->ring) * p->down.span * p->stride;
}

/* Adds a block to the means at `to`; high, wide: spans.  Coefficients are in transposed order. */
static inline __attribute__((always_inline)) void
add_block(const void *block, int deep, const float table[64], const float (*down)[16],
          const float (*across)[16], uint32_t high, uint32_t wide, float *to, size_t stride)
{
	float sum[16][16] = {{0}};
	for (int u = 0; u < 8; u++) {
		const int16_t *narrow = (const int16_t *)block + u * 8;
		const int32_t *broad = (const int32_t *)block + u * 8;
		uint64_t some[4] = {0};
		memcpy(some, deep ? (const void *)broad : narrow, deep ? 32 : 16);
		/* Most columns of frequencies are empty. */
		if (!(some[0] | some[1] | some[2] | some[3]))
			continue;
		float column[16];
		for (uint32_t j = 0; j < high; j++)
			column[j] = 0;
		for (int v = 0; v < 8; v++) {
			const float x = (float)(deep ? broad[v] : narrow[v]) * table[u * 8 + v];
			for (uint32_t j = 0; j < high; j++)
				column[j] += x * down[v][j];
		}
		for (uint32_t j = 0; j < high; j++)
			for (uint32_t i = 0; i < wide; i++)
				sum[j][i] += column[j] * across[u][i];
	}
	for (uint32_t j = 0; j < high; j++)
		for (uint32_t i = 0; i < wide; i++)
			to[j * stride + i] += sum[j][i];
}

static void add_any(const void *block, int deep, const float table[64], const float (*down)[16],
                    const float (*across)[16], uint32_t high, uint32_t wide, float *to,
                    size_t stride)
{
	if (high == 1 && wide == 1)
		*to += (float)(deep ? *(const int32_t *)block : *(const int16_t *)block) * table[0] *
		       down[0][0] * across[0][0];
	else if (high == 4 && wide == 4 && !deep)
		add_block(block, 0, table, down, across, 4, 4, to, stride);
	else if (high == 8 && wide == 8 && !deep)
		add_block(block, 0, table, down, across, 8, 8, to, stride);
	else if (high == 2 && wide == 2 && !deep)
		add_block(block, 0, table, down, across, 2, 2, to, stride);
	else
		add_block(block, deep, table, down, across, high, wide, to, stride);
}

static int place(uint32_t block, uint32_t blocks)
{
	return (block == 0) | (block + 1 == blocks) << 1;
}

void xc_reduced_tile(xc_reduced *r, const xc_tile *t, const void *coefficients)
{
	const int deep = r->output.picture->depth == 16;
	const size_t bytes = deep ? 256 : 128;
	for (int c = 0; c < r->geometry->components; c++) {
		xc_reduced_component *p = &r->component[c];
		const uint32_t x0 = t->x / 8 / (c ? (uint32_t)r->geometry->h : 1);
		const uint32_t y0 = t->y / 8 / (c ? (uint32_t)r->geometry->v : 1);
		const char *block = (const char *)coefficients + t->first_block[c] * bytes;
		for (uint32_t y = y0; y < y0 + t->blocks_high[c]; y++) {
			float *row = means(r, p, y);
			const float(*down)[16] = p->down.weight[place(y, p->blocks_high)];
			if (!x0)
				memset(row, 0, p->down.span * p->stride * sizeof *row);
			for (uint32_t x = x0; x < x0 + t->blocks_wide[c]; x++, block += bytes)
				add_any(block, deep, r->output.tables[c != 0], down,
				        p->across.weight[place(x, p->blocks_wide)], p->down.span, p->across.span,
				        row + (size_t)x * p->across.hop, p->stride);
		}
	}
}

/* ----------------------------------------------------------------- pixels */

uint32_t xc_reduced_rows(const xc_reduced *r, uint32_t tile_rows)
{
	const xc_geometry *g = r->geometry;
	uint32_t rows = r->height;
	for (int c = 0; c < g->components && tile_rows < g->tiles_high; c++) {
		const xc_reduced_side *s = &r->component[c].down;
		const uint32_t blocks = tile_rows * g->tile_mcus_high * (c ? 1 : (uint32_t)g->v);
		const uint32_t means = blocks * s->hop - (blocks ? (s->span - s->hop) / 2 : 0);
		rows = means / s->join < rows ? means / s->join : rows;
	}
	return rows;
}

/* Adds a row of means to `to`, of n samples. */
static void add_row(const xc_reduced_side *across, const float *from, uint32_t n, float *to)
{
	from += (across->span - across->hop) / 2;
	if (across->join == 2)
		for (uint32_t i = 0; i < n; i++)
			to[i] += from[2 * i] + from[2 * i + 1];
	else
		for (uint32_t i = 0; i < n; i++)
			to[i] += from[i];
}

/* Row y of a component. */
static void line(const xc_reduced *r, const xc_reduced_component *p, uint32_t y, float *to)
{
	const xc_reduced_side *s = &p->down;
	memset(to, 0, r->width * sizeof *to);
	for (uint32_t k = y * s->join; k < (y + 1) * s->join; k++) {
		const uint32_t at = k + (s->span - s->hop) / 2, b = at / s->hop, j = at % s->hop;
		if (s->span > s->hop && b)
			add_row(&p->across, means(r, p, b - 1) + (j + s->hop) * p->stride, r->width, to);
		if (b < p->blocks_high)
			add_row(&p->across, means(r, p, b) + j * p->stride, r->width, to);
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
