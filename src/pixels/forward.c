/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/pixels/forward.h"

#include <string.h>

#include "src/core/arena.h"

xc_status xc_forward_scratch_init(xc_context *c, xc_forward_scratch *s, const xc_forward *f)
{
	const xc_geometry *g = f->geometry;
	const int lapped = f->transform != XC_TRANSFORM_DCT;
	const size_t reach = lapped ? 2 * XC_REACH * (size_t)g->h : 0;
	const size_t width = (size_t)g->tile_mcus_wide * 8 * (size_t)g->h + reach;
	const size_t stride = (width + XC_SLACK + 15) / 16 * 16;
	const size_t chroma = stride * XC_BLOCK_ROWS * (lapped ? 2 : 1), luma = chroma * (size_t)g->v;
	const size_t row = (stride + XC_SLACK) * xc_picture_pixel_bytes(f->picture);
	const size_t bytes = (luma + 2 * chroma) * sizeof(float) + 2 * row;

	s->memory = xc_scratch_allocate(c, bytes);
	if (!s->memory)
		return xc_fail_memory(c, bytes);
	/* What lies past the samples is computed with, although nothing comes of it. */
	memset(s->memory, 0, bytes);
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

enum { PREFETCH_ROWS = 4 };

/* `width` pixels of row y from column x on, with XC_SLACK more to touch; past the
 * right and lower edge the last pixel and row go on. */
static const void *pixel_row(const xc_picture *p, uint32_t x, uint32_t y, uint32_t width,
                             uint8_t *copy)
{
	const size_t bytes = xc_picture_pixel_bytes(p);
	const uint32_t row = y < p->height ? y : p->height - 1;
	const uint8_t *from = (const uint8_t *)p->data + (size_t)row * p->stride + x * bytes;
	const uint32_t there = p->width - x;
	if (there >= width + XC_SLACK) {
		/* A tile touches few bytes of each row, too few for the processor to notice a
		 * pattern by itself. */
		const size_t ahead = y + PREFETCH_ROWS < p->height ? PREFETCH_ROWS * p->stride : 0;
		for (size_t i = 0; i < width * bytes; i += 64)
			__builtin_prefetch(from + ahead + i);
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
	const unsigned layout = xc_layout_index(f->picture->channels, f->picture->depth);
	for (uint32_t i = 0; i < rows; i++) {
		float *luma = planes[0] + i * s->stride;
		const size_t at = (i / (uint32_t)g->v) * s->stride;
		const void *row = pixel_row(f->picture, x, y + i, w, s->rows[0]);
		if (g->components == 1) {
			k->luma[layout](row, w, luma);
			continue;
		}
		float *cb = planes[1] + at, *cr = planes[2] + at;
		if (g->v == 2) {
			const void *next = pixel_row(f->picture, x, y + ++i, w, s->rows[1]);
			k->forward_420[layout](row, next, w, luma, luma + s->stride, cb, cr);
		} else if (g->h == 2) {
			k->forward_422[layout](row, w, luma, cb, cr);
		} else {
			k->forward_444[layout](row, w, luma, cb, cr);
		}
	}
}

void xc_forward_tile(const xc_forward *f, xc_forward_scratch *s, const xc_tile *t,
                     void *coefficients)
{
	if (f->transform != XC_TRANSFORM_DCT) {
		xc_forward_tile_lapped(f, s, t, coefficients);
		return;
	}
	const xc_geometry *g = f->geometry;
	const int deep = f->picture->depth == 16;
	const uint32_t mcu_rows = t->blocks_high[0] / (uint32_t)g->v;
	const uint32_t rows = 8 * (uint32_t)g->v;
	for (uint32_t m = 0; m < mcu_rows; m++) {
		xc_forward_colour(f, s, t->x, t->width, t->y + m * rows, rows, s->planes);
		for (int c = 0; c < g->components; c++) {
			const uint32_t high = c ? 1 : (uint32_t)g->v, wide = t->blocks_wide[c];
			for (uint32_t r = 0; r < high; r++) {
				const float *plane = s->planes[c] + r * 8 * s->stride;
				const size_t at = 64 * (t->first_block[c] + (size_t)(m * high + r) * wide);
				if (deep)
					f->kernels->fdct32(plane, s->stride, f->tables[c != 0], wide,
					                   (int32_t *)coefficients + at);
				else
					f->kernels->fdct16(plane, s->stride, f->tables[c != 0], wide,
					                   (int16_t *)coefficients + at);
			}
		}
	}
}
