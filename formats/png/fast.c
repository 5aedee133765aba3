/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pixels that need nothing but inflating and unfiltering.  A block of rows is inflated and turned
 * into samples in place, and the rows leave it when they are asked for.
 */
#include "formats/png/png.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a block: as they are, they go through the second-level cache. */
enum { BLOCK = 1 << 18 };

typedef struct xc_png_fast {
	xc_inflater *inflater;
	const uint8_t *from; /* compressed bytes that were not taken yet */
	size_t from_size;
	int ended;       /* the compressed stream, in its checksum */
	int damaged;     /* what follows in the stream makes no sense */
	uint8_t *memory; /* the row above, without its filter, and the block of rows */
	uint8_t *block;
	size_t row;              /* bytes of a row */
	uint32_t pixel;          /* bytes of a pixel */
	uint32_t rows, capacity; /* in the block */
	uint32_t given;          /* of these */
	uint32_t filled;         /* rows of the picture that were in a block so far */
} xc_png_fast;

xc_status xc_png_fast_open(xc_png_reader *r)
{
	const xc_picture *picture = &r->base.out.picture;
	const uint64_t row = (uint64_t)picture->stride + 1;
	/* Whole ranks, so that only the last block has rows that are not in one. */
	uint64_t rows = (BLOCK / row / XC_PNG_ABREAST + 1) * XC_PNG_ABREAST;

	rows = rows < picture->height ? rows : picture->height;
	if (rows > (SIZE_MAX / 2 - row) / row)
		return xc_file_fail(r->base.file.message, XC_ERR_LIMIT,
		                    "the picture is too large for memory (%u x %u)", picture->width,
		                    picture->height);
	const uint64_t size = picture->stride + rows * row + XC_PNG_FILTER_SLACK;
	const xc_status status = xc_file_reserve(&r->base.file, size);
	if (status)
		return status;
	xc_png_fast *f = r->fast = calloc(1, sizeof *f);
	if (f) {
		f->inflater = xc_inflater_new();
		f->memory = malloc(size);
	}
	if (!f || !f->inflater || !f->memory)
		return xc_file_fail(r->base.file.message, XC_ERR_MEMORY, "out of memory for rows");
	memset(f->memory, 0, picture->stride);
	f->block = f->memory + picture->stride;
	f->row = picture->stride;
	f->pixel = picture->channels * picture->depth / 8;
	f->capacity = (uint32_t)rows;
	return XC_OK;
}

void xc_png_fast_close(xc_png_reader *r)
{
	if (!r->fast)
		return;
	xc_inflater_free(r->fast->inflater);
	free(r->fast->memory);
	free(r->fast);
}

/* Inflates until `size` bytes are at `to`, or the stream ends or is damaged; *made: how many. */
static xc_status inflate_some(xc_png_reader *r, uint8_t *to, size_t size, size_t *made)
{
	xc_png_fast *f = r->fast;
	size_t room = size;
	int dry = 0;

	while (room && !f->ended && !f->damaged) {
		if (f->from_size == 0) {
			const xc_status status = xc_png_take_pixels(r, &f->from, &f->from_size);
			if (status)
				return status;
			/* The library may hold output back when the last input is used. */
			if (f->from_size == 0 && dry)
				return xc_png_damaged(&r->chunks, "the pixels before it end too early");
			dry = f->from_size == 0;
		}
		const xc_inflate_result result = xc_inflater_run(f->inflater, &f->from, &f->from_size, &to,
		                                                 &room);
		f->ended = result == XC_INFLATE_END;
		f->damaged = result == XC_INFLATE_DAMAGED;
	}
	*made = size - room;
	return XC_OK;
}

static xc_status damaged(const xc_png_reader *r)
{
	return xc_png_damaged(&r->chunks, "the compressed pixels make no sense");
}

/* Inflates and unfilters the next block. */
static xc_status fill(xc_png_reader *r)
{
	xc_png_fast *f = r->fast;
	const uint32_t left = r->height - f->filled;

	if (f->rows)
		memcpy(f->memory, f->block + f->rows * (f->row + 1) - f->row, f->row);
	f->rows = left < f->capacity ? left : f->capacity;
	f->filled += f->rows;
	f->given = 0;
	size_t made;
	const xc_status status = inflate_some(r, f->block, f->rows * (f->row + 1), &made);
	if (status)
		return status;
	if (f->damaged)
		return damaged(r);
	if (made < f->rows * (f->row + 1))
		return xc_png_damaged(&r->chunks, "the pixels end too early");
	if (xc_png_unfilter(f->block, f->row, f->pixel, f->rows) < f->rows)
		return xc_png_damaged(&r->chunks, "a filter of rows is unknown");
	return XC_OK;
}

xc_status xc_png_fast_read(xc_png_reader *r, uint8_t *rows, size_t stride, uint32_t count)
{
	xc_png_fast *f = r->fast;
	const int swaps = xc_png_swaps(&r->base.out.picture);

	for (uint32_t i = 0; i < count; i++) {
		if (f->given == f->rows) {
			const xc_status status = fill(r);
			if (status)
				return status;
		}
		const uint8_t *from = f->block + f->given * (f->row + 1) + 1;
		if (swaps)
			xc_png_swap(rows + i * stride, from, f->row);
		else
			memcpy(rows + i * stride, from, f->row);
		f->given++;
	}
	return XC_OK;
}

xc_status xc_png_fast_finish(xc_png_reader *r)
{
	/* Bytes of the stream beyond the picture do no harm.  But its checksum must
	 * hold if that is what comes next. */
	uint8_t beyond[1024];
	size_t made;
	const xc_status status = inflate_some(r, beyond, sizeof beyond, &made);

	return !status && r->fast->damaged && made == 0 ? damaged(r) : status;
}
