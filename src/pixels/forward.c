/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels of a tile to coefficients, for src/encode/tiles.c. The pixels of a row of MCUs become
 * planes in the scratch, which are transformed; the coefficients are quantized at once, or cached
 * for other qualities. */
#include "src/pixels/forward.h"

#include <string.h>

#include "src/core/arena.h"

/* ------------------------------------------------- coefficients before quantization */

void xc_coefficient_cache_prepare(xc_context *c, xc_coefficient_cache *k, const xc_geometry *g)
{
	/* About a core's share of the caches: fetching more takes longer than making them. */
	enum { MAX_BYTES = 1 << 24 };
	const uint64_t tiles = xc_geometry_tiles(g), block = 64 * sizeof(float);
	const int alike = k->tile_mcus_wide == g->tile_mcus_wide &&
	                  k->tile_mcus_high == g->tile_mcus_high && k->blocks == xc_geometry_blocks(g);

	if (!k->wanted || (k->coefficients && alike))
		return;
	xc_coefficient_cache_free(c, k);
	if (xc_geometry_blocks(g) <= MAX_BYTES / block)
		k->coefficients = xc_allocate(c, (size_t)(xc_geometry_blocks(g) * block));
	k->made = k->coefficients ? xc_allocate_zeroed(c, (size_t)tiles) : NULL;
	if (!k->made) {
		/* The cache is optional, so a limit that forbids it is no failure. */
		c->limit_met = 0;
		xc_coefficient_cache_free(c, k);
		return;
	}
	k->wanted = 1;
	k->tile_mcus_wide = g->tile_mcus_wide;
	k->tile_mcus_high = g->tile_mcus_high;
	k->blocks = xc_geometry_blocks(g);
}

void xc_coefficient_cache_free(xc_context *c, xc_coefficient_cache *k)
{
	xc_release(c, k->coefficients);
	xc_release(c, k->made);
	*k = (xc_coefficient_cache){0};
}

static uint32_t mcus_across(const xc_forward *f, const xc_tile *t)
{
	return t->x / (8 * (uint32_t)f->geometry->h);
}

static uint32_t mcus_down(const xc_forward *f, const xc_tile *t)
{
	return t->y / (8 * (uint32_t)f->geometry->v);
}

/* 1: the coefficients of the tile are in the cache. */
static uint8_t *cache_made(const xc_forward *f, const xc_tile *t)
{
	const xc_geometry *g = f->geometry;
	return &f->cache->made[(size_t)(mcus_down(f, t) / g->tile_mcus_high) * g->tiles_wide +
	                       mcus_across(f, t) / g->tile_mcus_wide];
}

/* The cached coefficients of a tile. */
static float *cache_tile(const xc_forward *f, const xc_tile *t)
{
	const xc_geometry *g = f->geometry;
	const size_t high = t->blocks_high[0] / (uint32_t)g->v;
	const size_t before = (size_t)mcus_down(f, t) * g->mcus_wide + mcus_across(f, t) * high;

	return f->cache->coefficients + before * xc_geometry_mcu_blocks(g) * 64;
}

static void cache_quantize(const xc_forward *f, const xc_tile *t, void *coefficients)
{
	const float *from = cache_tile(f, t);

	for (int c = 0; c < f->geometry->components; c++) {
		const size_t at = 64 * (size_t)t->first_block[c];
		const size_t n = (size_t)t->blocks_wide[c] * t->blocks_high[c];
		const float *table = f->tables[c != 0];
		if (f->pixels->depth == 16)
			f->kernels->quantize32(from + at, table, n, (int32_t *)coefficients + at);
		else
			f->kernels->quantize16(from + at, table, n, (int16_t *)coefficients + at);
	}
}

/* ------------------------------------------------------------------ scratch */

xc_status xc_forward_scratch_init(xc_context *c, xc_forward_scratch *s, const xc_forward *f)
{
	const xc_geometry *g = f->geometry;
	const int lapped = xc_transform_laps(f->transform);
	const size_t reach = lapped ? 2 * XC_REACH * (size_t)g->h : 0;
	const size_t width = (size_t)g->tile_mcus_wide * 8 * (size_t)g->h + reach;
	const size_t stride = (width + XC_SLACK + 15) / 16 * 16;
	const size_t chroma = stride * XC_BLOCK_ROWS * (lapped ? 2 : 1), luma = chroma * (size_t)g->v;
	/* Large enough for any layout, because the first rows set the layout. */
	const size_t row = (stride + XC_SLACK) * 4 * (f->pixels->depth / 8);
	const size_t bytes = (luma + 2 * chroma) * sizeof(float) + 2 * row;

	s->memory = xc_scratch_allocate(c, bytes);
	if (!s->memory)
		return xc_fail_memory(c, bytes);
	s->dirty = bytes;
	s->stride = stride;
	s->planes[0] = s->memory;
	s->planes[1] = s->planes[0] + luma;
	s->planes[2] = s->planes[1] + chroma;
	s->rows[0] = (uint8_t *)(s->planes[2] + chroma);
	s->rows[1] = s->rows[0] + row;
	return XC_OK;
}

void xc_forward_scratch_free(xc_context *c, xc_forward_scratch *s)
{
	xc_scratch_free(c, s->memory);
	*s = (xc_forward_scratch){0};
}

/* --------------------------------------------- the steps that all transforms share */

enum { PREFETCH_ROWS = 4 };

/* Returns `width` samples of a plane, or pixels, from (x, y) of the picture on, after which
 * XC_SLACK more can be read. The last column and row are repeated past the right and lower edge. */
static const void *row_of(const xc_forward *f, int plane, uint32_t x, uint32_t y, uint32_t width,
                          uint8_t *copy)
{
	const xc_pixels *p = f->pixels;
	const xc_layout_parts *l = xc_layout_get(p->layout);
	const uint32_t h = plane ? l->h : 1, v = plane ? l->v : 1;
	const size_t bytes = xc_pixels_step(p, plane);
	const uint32_t row = ((y < p->height ? y : p->height - 1) - f->first) / v;
	const uint8_t *from = (const uint8_t *)p->plane[plane] + (ptrdiff_t)row * p->stride[plane] +
	                      x / h * bytes;
	const uint32_t left = (p->width + h - 1) / h - x / h;

	if (left >= width + XC_SLACK) {
		/* A tile touches too few bytes of each row for the hardware prefetcher. The prefetch may
		 * reach past the rows in memory, which does no harm. */
		const uintptr_t ahead = (uintptr_t)from + PREFETCH_ROWS * (uintptr_t)p->stride[plane];
		for (size_t i = 0; i < width * bytes; i += 64)
			__builtin_prefetch((const void *)(ahead + i));
		return from;
	}
	const uint32_t n = left < width ? left : width;
	memcpy(copy, from, n * bytes);
	const uint8_t *last = from + (n - 1) * bytes;
	for (uint32_t i = n; i < width; i++)
		memcpy(copy + i * bytes, last, bytes);
	return copy;
}

/* Reads planes, which have the subsampling of the components. */
static void take_planes(const xc_forward *f, xc_forward_scratch *s, uint32_t x, uint32_t w,
                        uint32_t y, uint32_t rows, float *const planes[])
{
	const xc_geometry *g = f->geometry;
	const xc_kernels *k = f->kernels;
	const uint32_t v = (uint32_t)g->v, n = w / (uint32_t)g->h;

	for (uint32_t i = 0; i < rows; i++)
		k->luma[XC_LAYOUT_GREY](row_of(f, 0, x, y + i, w, s->rows[0]), w,
		                        planes[0] + i * s->stride);
	for (uint32_t i = 0; g->components > 1 && i < rows; i += v) {
		const size_t at = i / v * s->stride;
		const void *row = row_of(f, 1, x, y + i, n, s->rows[0]);
		if (f->pixels->layout == XC_LAYOUT_NV12) {
			k->forward_pairs(row, n, planes[1] + at, planes[2] + at);
			continue;
		}
		k->luma[XC_LAYOUT_GREY](row, n, planes[1] + at);
		k->luma[XC_LAYOUT_GREY](row_of(f, 2, x, y + i, n, s->rows[0]), n, planes[2] + at);
	}
}

/* Fills `planes` with rows y ... y + rows - 1 of the picture, a multiple of v, from pixel x on: w
 * pixels. The last pixel and row are repeated past the right and lower edge. */
static void colour_rows(const xc_forward *f, xc_forward_scratch *s, uint32_t x, uint32_t w,
                        uint32_t y, uint32_t rows, float *const planes[])
{
	const xc_geometry *g = f->geometry;
	const xc_kernels *k = f->kernels;
	const unsigned kind = xc_pixel_kind(f->pixels->layout, f->pixels->depth);

	if (xc_layout_is_planar(f->pixels->layout)) {
		take_planes(f, s, x, w, y, rows, planes);
		return;
	}
	for (uint32_t i = 0; i < rows; i++) {
		float *luma = planes[0] + i * s->stride;
		const size_t at = (i / (uint32_t)g->v) * s->stride;
		const void *row = row_of(f, 0, x, y + i, w, s->rows[0]);
		if (g->components == 1) {
			k->luma[kind](row, w, luma);
			continue;
		}
		float *cb = planes[1] + at, *cr = planes[2] + at;
		if (g->v == 2) {
			const void *next = row_of(f, 0, x, y + ++i, w, s->rows[1]);
			k->forward_420[kind](row, next, w, luma, luma + s->stride, cb, cr);
		} else if (g->h == 2) {
			k->forward_422[kind](row, w, luma, cb, cr);
		} else {
			k->forward_444[kind](row, w, luma, cb, cr);
			if (f->colours)
				k->mix((const float *const[]){luma, cb, cr}, w, f->colours,
				       (float *const[]){luma, cb, cr});
		}
	}
}

/* Transforms row b of the blocks of component c, whose first sample is given, and quantizes it to
 * its place in `coefficients`. For a lapped transform these are the block steps. */
static void block_row(const xc_forward *f, const xc_tile *t, int c, uint32_t b,
                      const float *samples, size_t stride, void *coefficients)
{
	const xc_transform_kernels *k = f->kernels->transform[f->transform];
	const size_t wide = t->blocks_wide[c], at = 64 * (t->first_block[c] + b * wide);
	const float *table = f->tables[c != 0];

	if (f->cache)
		k->forward_exact(samples, stride, wide, cache_tile(f, t) + at);
	else if (f->pixels->depth == 16)
		k->forward32(samples, stride, table, wide, (int32_t *)coefficients + at);
	else
		k->forward16(samples, stride, table, wide, (int16_t *)coefficients + at);
}

/* ------------------------------------------------------------ lapped transforms */

/* The scratch holds two rows of MCUs, which take turns. Once the samples of a row exist, the edge
 * steps at its upper edge complete the last blocks of the row before, and its own edge steps
 * complete all of its blocks but the last. Each row of samples begins XC_REACH samples of chroma,
 * or the pixels under them, left of the tile. A tile makes the samples within XC_REACH of its sides
 * anew, so tiles can be done in any order. */

/* The tile being transformed. */
typedef struct work {
	const xc_forward *f;
	xc_forward_scratch *s;
	const xc_tile *tile;
	void *coefficients;
	uint32_t mcu_rows;
	int left, right, top, bottom; /* the tile is at this edge of the picture */
} work;

static const xc_transform_kernels *kernels(const work *w)
{
	return w->f->kernels->transform[w->f->transform];
}

static uint32_t across(const work *w, int c)
{
	return c ? 1 : (uint32_t)w->f->geometry->h;
}

static uint32_t down(const work *w, int c)
{
	return c ? 1 : (uint32_t)w->f->geometry->v;
}

/* Row r of samples of row m of MCUs, at the tile's first column; m may be -1. */
static float *sample_row(const work *w, int c, int64_t m, size_t r)
{
	const size_t first = m & 1 ? XC_BLOCK_ROWS * down(w, c) : 0;
	return w->s->planes[c] + (first + r) * w->s->stride + XC_REACH * across(w, c);
}

/* Makes rows `first` to `first` + count - 1, in rows of chroma, of row m of MCUs. */
static void fill_rows(const work *w, int64_t m, uint32_t first, uint32_t count)
{
	const xc_geometry *g = w->f->geometry;
	const uint32_t v = (uint32_t)g->v, reach = XC_REACH * (uint32_t)g->h;
	const uint32_t before = w->left ? 0 : reach;
	const int64_t y = w->tile->y + (m * XC_BLOCK_ROWS + first) * v;
	float *planes[XC_MAX_COMPONENTS] = {NULL, NULL, NULL};

	for (int c = 0; c < g->components; c++) {
		const size_t n = XC_REACH * across(w, c);
		float *start = sample_row(w, c, m, first * down(w, c)) - n;
		planes[c] = start + (w->left ? n : 0);
		/* The kernels read left of the picture and discard the result. */
		for (size_t i = 0; w->left && i < count * down(w, c); i++)
			memset(start + i * w->s->stride, 0, n * sizeof(float));
	}
	colour_rows(w->f, w->s, w->tile->x - before, before + w->tile->width + reach, (uint32_t)y,
	            count * v, planes);
}

/* The edge steps before row r of samples of row m of MCUs. */
static void row_edge(const work *w, int c, int64_t m, size_t r)
{
	const size_t n = w->tile->blocks_wide[c] * 8 + 2 * XC_REACH, stride = w->s->stride;
	const size_t last = XC_BLOCK_ROWS * down(w, c) - 4;
	float *above = (r ? sample_row(w, c, m, r - 4) : sample_row(w, c, m - 1, last)) - XC_REACH;
	float *below = sample_row(w, c, m, r) - XC_REACH;

	if (m == 0 && r == 0 && w->top)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_FIRST, below, stride, n, 1);
	else if (m == w->mcu_rows && w->bottom)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_LAST, above, stride, n, 1);
	else
		kernels(w)->forward_rows(above, below, stride, n);
}

/* The other steps for row b of the blocks of row m of MCUs. */
static void blocks(const work *w, int c, uint32_t m, uint32_t b)
{
	const size_t stride = w->s->stride, wide = w->tile->blocks_wide[c];
	const size_t first = w->left ? 1 : 0, edges = wide + 1 - first - (w->right ? 1 : 0);
	float *samples = sample_row(w, c, m, b * XC_BLOCK_ROWS);

	kernels(w)->forward_sides(samples + first * 8 - 4, stride, edges);
	if (w->left)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_FIRST, samples, 1, 8, stride);
	if (w->right)
		xc_lapped_end(w->f->transform, 0, XC_PLANE_LAST, samples + wide * 8 - 4, 1, 8, stride);
	block_row(w->f, w->tile, c, m * down(w, c) + b, samples, stride, w->coefficients);
}

static void component(const work *w, int c, uint32_t m)
{
	const uint32_t v = down(w, c);

	row_edge(w, c, m, 0);
	if (m)
		blocks(w, c, m - 1, v - 1);
	for (uint32_t b = 1; b < v && m < w->mcu_rows; b++) {
		row_edge(w, c, m, b * XC_BLOCK_ROWS);
		blocks(w, c, m, b - 1);
	}
}

static void transform_lapped(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                             void *coefficients)
{
	const xc_geometry *g = f->geometry;
	/* clang-format off */
	const work w = {
		.f = f, .s = s, .tile = t, .coefficients = coefficients,
		.mcu_rows = t->blocks_high[0] / (uint32_t)g->v,
		.left = t->x == 0, .top = t->y == 0,
		.right = t->x + t->width >= g->width, .bottom = t->y + t->height >= g->height,
	};

	/* clang-format on */
	if (!w.top)
		fill_rows(&w, -1, XC_BLOCK_ROWS - XC_REACH, XC_REACH);
	for (uint32_t m = 0; m <= w.mcu_rows; m++) {
		if (m < w.mcu_rows)
			fill_rows(&w, m, 0, XC_BLOCK_ROWS);
		else if (!w.bottom)
			fill_rows(&w, m, 0, XC_REACH);
		for (int c = 0; c < g->components; c++)
			component(&w, c, m);
	}
}

/* --------------------------------------------------------------------- tiles */

static void transform_dct(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                          void *coefficients)
{
	const xc_geometry *g = f->geometry;
	const uint32_t v = (uint32_t)g->v, mcu_rows = t->blocks_high[0] / v;

	for (uint32_t m = 0; m < mcu_rows; m++) {
		colour_rows(f, s, t->x, t->width, t->y + m * 8 * v, 8 * v, s->planes);
		for (int c = 0; c < g->components; c++) {
			const uint32_t high = c ? 1 : v;
			for (uint32_t r = 0; r < high; r++)
				block_row(f, t, c, m * high + r, s->planes[c] + r * 8 * s->stride, s->stride,
				          coefficients);
		}
	}
}

/* The kernels read padding and discard the result, so it must hold defined values. */
static void begin(xc_forward_scratch *s)
{
	memset(s->memory, 0, s->dirty);
	s->dirty = 0;
}

void xc_forward_tile(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                     void *coefficients)
{
	begin(s);
	uint8_t *made = f->cache ? cache_made(f, t) : NULL;
	if (!made || !*made) {
		if (!xc_transform_laps(f->transform))
			transform_dct(f, s, t, coefficients);
		else
			transform_lapped(f, s, t, coefficients);
	}
	if (made) {
		*made = 1;
		cache_quantize(f, t, coefficients);
	}
}
