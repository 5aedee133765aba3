/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/forward.h"

#include <string.h>

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
		/* A tile touches too few bytes of each row for the processor to notice a pattern by itself.
		 * What lies after the rows at hand may be fetched in vain. */
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

/* Takes planes, whose subsampling is that of the components. */
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

void xc_forward_colour(const xc_forward *f, xc_forward_scratch *s, uint32_t x, uint32_t w,
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

void xc_forward_block_row(const xc_forward *f, const xc_tile *t, int c, uint32_t b,
                          const float *samples, size_t stride, void *coefficients)
{
	const xc_transform_kernels *k = f->kernels->transform[f->transform];
	const size_t wide = t->blocks_wide[c], at = 64 * (t->first_block[c] + b * wide);
	const float *table = f->tables[c != 0];

	if (f->cache)
		k->forward_exact(samples, stride, wide, xc_coefficient_cache_tile(f, t) + at);
	else if (f->pixels->depth == 16)
		k->forward32(samples, stride, table, wide, (int32_t *)coefficients + at);
	else
		k->forward16(samples, stride, table, wide, (int16_t *)coefficients + at);
}
