/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/forward.h"

#include <string.h>

enum { PREFETCH_ROWS = 4 };

/* Returns `width` pixels of row y from column x on, after which XC_SLACK more can be read.  The
 * last pixel and row are repeated past the right and lower edge. */
static const void *pixel_row(const xc_forward *f, uint32_t x, uint32_t y, uint32_t width,
                             uint8_t *copy)
{
	const xc_picture *p = f->picture;
	const size_t bytes = xc_picture_pixel_bytes(p);
	const uint32_t row = (y < p->height ? y : p->height - 1) - f->first;
	const uint8_t *from = (const uint8_t *)p->data + (size_t)row * p->stride + x * bytes;
	const uint32_t there = p->width - x;
	if (there >= width + XC_SLACK) {
		/* A tile touches too few bytes of each row for the processor to notice a pattern by
		 * itself.  What lies after the rows at hand may be fetched in vain. */
		const uintptr_t ahead = (uintptr_t)from + PREFETCH_ROWS * p->stride;
		for (size_t i = 0; i < width * bytes; i += 64)
			__builtin_prefetch((const void *)(ahead + i));
		return from;
	}
	const uint32_t n = there < width ? there : width;
	memcpy(copy, from, n * bytes);
	const uint8_t *last = from + (n - 1) * bytes;
	for (uint32_t i = n; i < width; i++)
		memcpy(copy + i * bytes, last, bytes);
	return copy;
}

void xc_forward_colour(const xc_forward *f, xc_forward_scratch *s, uint32_t x, uint32_t w,
                       uint32_t y, uint32_t rows, float *const planes[])
{
	const xc_geometry *g = f->geometry;
	const xc_kernels *k = f->kernels;
	const unsigned kind = xc_pixel_kind(f->picture->channels, f->picture->depth);
	for (uint32_t i = 0; i < rows; i++) {
		float *luma = planes[0] + i * s->stride;
		const size_t at = (i / (uint32_t)g->v) * s->stride;
		const void *row = pixel_row(f, x, y + i, w, s->rows[0]);
		if (g->components == 1) {
			k->luma[kind](row, w, luma);
			continue;
		}
		float *cb = planes[1] + at, *cr = planes[2] + at;
		if (g->v == 2) {
			const void *next = pixel_row(f, x, y + ++i, w, s->rows[1]);
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
	if (f->picture->depth == 16)
		k->forward32(samples, stride, table, wide, (int32_t *)coefficients + at);
	else
		k->forward16(samples, stride, table, wide, (int16_t *)coefficients + at);
}
