/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With loss or without, where options leave that open: strips of a drawing are coded both ways, and
 * the smaller ones tell, except that labels never lose anything. Likewise samples that may be off stay
 * exact where that is smaller. src/encode/ and src/cuda/ call it before a picture is encoded.
 */
#include "src/encode/encoder.h"
#include "src/encode/palette.h"

enum {
	STRIPS = 3,      /* of a picture, which are tried */
	STRIP_ROWS = 96, /* of each */
	LABELS = 230,    /* 256ths of pixels that equal a neighbour, in pictures of labels */
	/* A drawing is coded without loss where its strips then have at most 1.3 of the bytes otherwise.
	 * A picture may have less, because strips learn less than it does. */
	TENTHS = 13
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

/* Adds the bytes of the pixels as a file. */
static xc_status try(xc_context *c, const xc_pixels *p, const xc_encode_options *o, size_t *bytes)
{
	const xc_progress_range all = c->range;
	xc_buffer file = {0};

	xc_progress_stage(c, all, 0, 0);
	const xc_status s = xc_encode_once(c, p, NULL, o, &file);
	xc_progress_stage(c, all, 0, 1);
	*bytes += file.size;
	xc_buffer_free(c, &file);
	return s;
}

/* Strip i of those that are tried: the whole picture, or rows spread over it. */
static xc_pixels strip_of(const xc_pixels *p, uint32_t i)
{
	const uint32_t all = xc_encode_choice_rows(p->width, p->height);
	const int whole = all <= STRIPS * STRIP_ROWS;
	/* An even row, for subsampled layouts. */
	const uint32_t middle = all * (2 * i + 1) / (2 * STRIPS), y = (middle - STRIP_ROWS / 2) & ~1U;
	xc_pixels t = *p;

	t.plane[0] = xc_pixels_row(p, 0, 0, whole ? 0 : y);
	t.height = whole ? (i ? 0 : all) : STRIP_ROWS;
	return t;
}

/* Sets the bytes of strips of the picture, coded by each of two options. */
static xc_status try_both(xc_context *c, const xc_pixels *p, const xc_encode_options o[2],
                          size_t bytes[2])
{
	xc_status s = XC_OK;

	bytes[0] = bytes[1] = 0;
	for (uint32_t i = 0; i < 2 * STRIPS && !s; i++) {
		const xc_pixels strip = strip_of(p, i / 2);
		if (!strip.height)
			break;
		s = try(c, &strip, &o[i % 2], &bytes[i % 2]);
	}
	return s;
}

/* Exact samples take fewer bytes than such as may be off where pixels repeat, colours are few, values
 * of 16 bits have gaps, or colours are nearly grey: drawings, palettes, lists of values and the
 * reversible transform are for exact ones alone. */
static xc_status choose_error(xc_context *c, const xc_pixels *p, xc_encode_options *o)
{
	xc_encode_options both[2] = {*o, *o};
	size_t bytes[2];

	both[1].max_error = 0;
	const xc_status s = try_both(c, p, both, bytes);
	const int drawing = xc_encode_share_of_equals(p) >= XC_LOSSLESS_DRAWING;
	if (!s && bytes[1] * 10 <= bytes[0] * (drawing ? TENTHS : 10))
		*o = both[1];
	return s;
}

xc_status xc_encode_choose_mode(xc_context *c, const xc_pixels *p, xc_encode_options *o)
{
	xc_encode_options both[2] = {*o, *o};
	const int open = o->mode == XC_MODE_AUTO;
	size_t bytes[2];

	xc_encode_choose(p, o);
	if (o->max_error)
		return choose_error(c, p, o);
	if (!open || o->mode != XC_MODE_LOSSLESS || are_labels(c, p))
		return XC_OK;
	both[0] = *o;
	both[1].mode = XC_MODE_LOSSY;
	xc_encode_choose(p, &both[1]);
	const xc_status s = try_both(c, p, both, bytes);
	if (!s && bytes[0] * 10 > bytes[1] * TENTHS)
		*o = both[1];
	return s;
}
