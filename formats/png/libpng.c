/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pixels of every colour type, depth and interlacing by libpng, with transparency as alpha.
 * Nothing is converted by gamma or primaries: that is left to the profile.  libpng sees a file made
 * for it: the head, IDAT chunks, whose data were checked already, and IEND.
 */
#include "formats/png/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* libpng leaves by longjmp() after an error.  What must outlive that is here or in the reader, and
 * no function that calls libpng keeps anything else that is freed or read afterwards. */
typedef struct xc_png_slow {
	xc_png_reader *reader;
	png_structp png;
	png_infop info;
	const uint8_t *next; /* the bytes that libpng gets next */
	size_t next_size;
	enum { CHUNK, DATA, CHECKSUM } part; /* what comes after these */
	const uint8_t *pixels;               /* the data of the IDAT that has just begun */
	size_t pixels_size;
	uint8_t chunk[8]; /* length and type, or a checksum, which libpng does not look at */
	uint8_t *picture; /* an interlaced one, whose rows come seven times; else NULL */
	int out_of_memory;
	xc_status status;
} xc_png_slow;

static void leave(xc_png_slow *s, xc_status status)
{
	s->status = status;
	png_longjmp(s->png, 1);
}

static void on_error(png_structp png, png_const_charp text)
{
	xc_png_slow *s = png_get_error_ptr(png);

	if (s->out_of_memory)
		leave(s,
		      xc_file_fail(s->reader->base.file.message, XC_ERR_MEMORY, "out of memory in libpng"));
	leave(s, xc_png_damaged(&s->reader->chunks, text));
}

/* The picture is complete in spite of a warning. */
static void on_warning(png_structp png, png_const_charp text)
{
	(void)png, (void)text;
}

static png_voidp allocate_for_libpng(png_structp png, png_alloc_size_t size)
{
	xc_png_slow *s = png_get_mem_ptr(png);
	void *memory = malloc(size);

	s->out_of_memory |= !memory;
	return memory;
}

static void release(png_structp png, png_voidp memory)
{
	(void)png;
	free(memory);
}

/* After the head come chunks of the compressed pixels, and IEND. */
static void refill(xc_png_slow *s)
{
	s->next = s->chunk;
	switch (s->part) {
	case CHUNK: {
		const xc_status status = xc_png_take_pixels(s->reader, &s->pixels, &s->pixels_size);
		if (status)
			leave(s, status);
		xc_store_be32(s->chunk, (uint32_t)s->pixels_size);
		memcpy(s->chunk + 4, s->pixels_size ? "IDAT" : "IEND", 4);
		s->next_size = sizeof s->chunk;
		s->part = s->pixels_size ? DATA : CHECKSUM;
		break;
	}
	case DATA:
		s->next = s->pixels;
		s->next_size = s->pixels_size;
		s->part = CHECKSUM;
		break;
	case CHECKSUM:
		s->next_size = 4;
		s->part = CHUNK;
		break;
	}
}

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
	xc_png_slow *s = png_get_io_ptr(png);

	while (n) {
		if (s->next_size == 0)
			refill(s);
		const size_t some = n < s->next_size ? n : s->next_size;
		memcpy(to, s->next, some);
		s->next += some;
		s->next_size -= some;
		to += some;
		n -= some;
	}
}

static void set_transformations(xc_png_slow *s)
{
	const xc_picture *picture = &s->reader->base.out.picture;

	png_set_expand(s->png); /* palette to RGB, grey to 8 bits, tRNS to alpha */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (picture->depth == 16)
		png_set_swap(s->png);
#endif
	png_set_interlace_handling(s->png);
	png_read_update_info(s->png, s->info);
	if (png_get_rowbytes(s->png, s->info) != picture->stride)
		png_error(s->png, "its header and palette contradict each other");
}

static void read_head(xc_png_slow *s)
{
	if (setjmp(png_jmpbuf(s->png)))
		return;
	png_set_read_fn(s->png, s, read_bytes);
	png_set_user_limits(s->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	png_set_crc_action(s->png, PNG_CRC_QUIET_USE, PNG_CRC_QUIET_USE);
	png_read_info(s->png, s->info);
	set_transformations(s);
}

/* libpng holds two rows in its own formats, of at most 8 bytes a pixel. */
static xc_status allocate(xc_png_slow *s)
{
	xc_file_reader *file = &s->reader->base.file;
	const xc_picture *picture = &file->out->picture;
	const uint64_t whole = s->reader->interlaced ? (uint64_t)picture->stride * picture->height : 0;
	xc_status status = whole ? xc_file_check_whole(file) : XC_OK;

	status = status ? status : xc_file_reserve(file, 16 * (uint64_t)picture->width + whole);
	if (status || !whole)
		return status;
	s->picture = whole < SIZE_MAX / 2 ? malloc(whole) : NULL;
	if (!s->picture)
		return xc_file_fail(file->message, XC_ERR_MEMORY, "out of memory for %u x %u pixels",
		                    picture->width, picture->height);
	return XC_OK;
}

xc_status xc_png_slow_open(xc_png_reader *r)
{
	xc_png_slow *s = r->slow = calloc(1, sizeof *s);

	if (s) {
		*s = (xc_png_slow){.reader = r, .next = r->head, .next_size = r->head_size};
		s->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, s, on_error, on_warning, s,
		                                  allocate_for_libpng, release);
		s->info = s->png ? png_create_info_struct(s->png) : NULL;
	}
	if (!s || !s->info)
		return xc_file_fail(r->base.file.message, XC_ERR_MEMORY, "libpng cannot be started");
	const xc_status status = allocate(s);
	if (status)
		return status;
	read_head(s);
	return s->status;
}

static void read_rows(xc_png_slow *s, uint8_t *rows, size_t stride, uint32_t count)
{
	if (setjmp(png_jmpbuf(s->png)))
		return;
	for (uint32_t i = 0; i < count; i++)
		png_read_row(s->png, rows + i * stride, NULL);
}

/* All seven passes of an interlaced picture. */
static void read_picture(xc_png_slow *s)
{
	const xc_picture *picture = &s->reader->base.out.picture;
	for (int pass = 0; pass < 7 && !s->status; pass++)
		read_rows(s, s->picture, picture->stride, picture->height);
}

xc_status xc_png_slow_read(xc_png_reader *r, uint8_t *rows, size_t stride, uint32_t count)
{
	xc_png_slow *s = r->slow;
	const size_t row = r->base.out.picture.stride;

	if (!s->picture) {
		read_rows(s, rows, stride, count);
		return s->status;
	}
	if (r->done == 0)
		read_picture(s);
	for (uint32_t i = 0; i < count && !s->status; i++)
		memcpy(rows + i * stride, s->picture + (r->done + i) * row, row);
	return s->status;
}

void xc_png_slow_close(xc_png_reader *r)
{
	if (!r->slow)
		return;
	png_destroy_read_struct(&r->slow->png, &r->slow->info, NULL);
	free(r->slow->picture);
	free(r->slow);
}
