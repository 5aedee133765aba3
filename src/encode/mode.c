/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With loss or without, where options leave that open: a drawing is coded both ways, and the smaller
 * file tells, except that labels never lose anything. src/encode/ and src/cuda/ call it before a
 * picture is encoded.
 */
#include "src/encode/encoder.h"
#include "src/encode/palette.h"

enum {
	TRIAL_PIXELS = 1 << 20, /* of a large picture's first ones, those in the middle */
	LABELS = 230,           /* 256ths of pixels that equal a neighbour, in pictures of labels */
	TENTHS = 12             /* of the bytes with loss: what a file without loss may have */
};

/* 1: pixels are numbers of classes, or colours for them: large areas of few values. */
static int are_labels(xc_context *c, const xc_pixels *p)
{
	if (xc_encode_share_of_equals(p) < LABELS)
		return 0;
	if (xc_layout_get(p->layout)->channels == 1)
		return 1;
	if (p->depth != 8)
		return 0;
	xc_encode_palette *palette = xc_allocate(c, sizeof *palette);
	xc_pixels first = *p;
	first.height = xc_encode_choice_rows(p->width, p->height);
	const int few = palette && xc_encode_palette_find(&first, 0, palette);
	xc_release(c, palette);
	return few;
}

static xc_status try(xc_context *c, const xc_pixels *p, const xc_encode_options *o, size_t *bytes)
{
	const xc_progress progress = c->progress;
	xc_buffer file = {0};

	c->progress = NULL;
	const xc_status s = xc_encode_once(c, p, NULL, o, &file);
	c->progress = progress;
	*bytes = file.size;
	xc_buffer_free(c, &file);
	return s;
}

/* The rows that are tried. */
static xc_pixels trial_rows(const xc_pixels *p)
{
	const uint32_t all = xc_encode_choice_rows(p->width, p->height);
	const uint32_t most = TRIAL_PIXELS / p->width > 64 ? TRIAL_PIXELS / p->width : 64;
	const uint32_t rows = all < most ? all : most;
	xc_pixels t = *p;

	t.plane[0] = xc_pixels_row(p, 0, 0, (all - rows) / 2);
	t.height = rows;
	return t;
}

xc_status xc_encode_choose_mode(xc_context *c, const xc_pixels *p, xc_encode_options *o)
{
	xc_encode_options lossy = *o;
	const int open = o->mode == XC_MODE_AUTO;
	size_t with = 0, without = 0;

	xc_encode_choose(p, o);
	if (!open || o->mode != XC_MODE_LOSSLESS || are_labels(c, p))
		return XC_OK;
	const xc_pixels rows = trial_rows(p);
	lossy.mode = XC_MODE_LOSSY;
	xc_encode_choose(p, &lossy);
	xc_status s = try(c, &rows, o, &without);
	if (!s)
		s = try(c, &rows, &lossy, &with);
	if (!s && without * 10 > with * TENTHS)
		*o = lossy;
	return s;
}
