/* SPDX-License-Identifier: BSD-2-Clause */
/* Pixels of every colour type, depth and interlacing, with transparency as alpha.  Nothing
 * is converted by gamma or primaries: that is left to the profile. */
#include "formats/png.h"

#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* libpng leaves by longjmp() after an error.  A job holds everything that must outlive that,
 * and belongs to the caller.  No function that calls libpng keeps anything else that is
 * freed or read afterwards. */
typedef struct job {
	xc_file_reader *reader;
	const xc_png_index *index;
	png_structp png;
	png_infop info;
	size_t at; /* in the file */
	int out_of_memory;
	xc_status status;
} job;

static void leave(job *j, xc_status status)
{
	j->status = status;
	png_longjmp(j->png, 1);
}

static void on_error(png_structp png, png_const_charp text)
{
	job *j = png_get_error_ptr(png);
	if (j->out_of_memory)
		j->status = xc_file_fail(j->reader->message, XC_ERR_MEMORY, "out of memory in libpng");
	else
		j->status = xc_file_fail(j->reader->message, XC_ERR_CORRUPT,
		                         "PNG is damaged: %s (before byte %zu)", text, j->at);
	png_longjmp(png, 1);
}

/* The picture is complete in spite of a warning. */
static void on_warning(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static png_voidp allocate(png_structp png, png_alloc_size_t size)
{
	job *j = png_get_mem_ptr(png);
	void *memory = malloc(size);
	if (!memory)
		j->out_of_memory = 1;
	return memory;
}

static void release(png_structp png, png_voidp memory)
{
	(void)png;
	free(memory);
}

static void read_bytes(png_structp png, png_bytep to, size_t n)
{
	job *j = png_get_io_ptr(png);
	if (n > j->reader->size - j->at)
		png_error(png, "the file ends too early");
	memcpy(to, j->reader->data + j->at, n);
	j->at += n;
}

static uint32_t channels_of(const job *j)
{
	int type = png_get_color_type(j->png, j->info);
	uint32_t channels = type & PNG_COLOR_MASK_COLOR ? 3 : 1; /* a palette has that bit too */
	if (type & PNG_COLOR_MASK_ALPHA || png_get_valid(j->png, j->info, PNG_INFO_tRNS))
		channels++;
	return channels;
}

/* Refuses what cannot succeed before the memory for it is allocated. */
static void set_shape(job *j)
{
	xc_file_reader *reader = j->reader;
	uint32_t width = png_get_image_width(j->png, j->info);
	uint32_t height = png_get_image_height(j->png, j->info);
	uint32_t depth = png_get_bit_depth(j->png, j->info) == 16 ? 16 : 8;
	xc_status status = xc_file_shape(reader, width, height, channels_of(j), depth);
	/* libpng holds two rows in its own formats, of at most 8 bytes a pixel. */
	if (!status)
		status = xc_file_reserve(reader, 16 * (uint64_t)width);
	if (status)
		leave(j, status);
	/* deflate makes at most 1032 bytes from one; a pixel takes at least a bit. */
	uint64_t bits = (uint64_t)png_get_bit_depth(j->png, j->info) *
	                png_get_channels(j->png, j->info);
	uint64_t most_bits = (j->index->idat_bytes + 1) * 1032 * 8;
	if ((uint64_t)width * height > most_bits / bits)
		leave(j, xc_file_fail(reader->message, XC_ERR_CORRUPT,
		                      "PNG has only %" PRIu64 " bytes of picture data for %u x %u pixels",
		                      j->index->idat_bytes, width, height));
}

/* Returns the number of passes over the picture. */
static int set_transformations(job *j)
{
	png_set_expand(j->png); /* palette to RGB, grey to 8 bits, tRNS to alpha */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (png_get_bit_depth(j->png, j->info) == 16)
		png_set_swap(j->png);
#endif
	int passes = png_set_interlace_handling(j->png);
	png_read_update_info(j->png, j->info);
	if (png_get_rowbytes(j->png, j->info) != j->reader->out->picture.stride)
		png_error(j->png, "its header and palette contradict each other");
	return passes;
}

static void decode(job *j)
{
	const xc_picture *picture = &j->reader->out->picture;
	png_set_read_fn(j->png, j, read_bytes);
	/* libpng drops all but the five chunks that the pixels need: xc_png_scan() has the others. */
	png_set_keep_unknown_chunks(j->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
	png_set_user_limits(j->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	/* The scan made sure that every chunk ends inside the file. */
	png_set_chunk_malloc_max(j->png, j->reader->size);
	png_read_info(j->png, j->info);
	set_shape(j);
	int passes = set_transformations(j);
	xc_status status = xc_file_allocate(j->reader);
	if (status)
		leave(j, status);
	uint64_t rows = (uint64_t)passes * picture->height;
	for (uint64_t done = 0; done < rows; done++) {
		png_read_row(j->png, xc_file_row(picture, (uint32_t)(done % picture->height)), NULL);
		xc_file_report(j->reader->watcher, done + 1, rows);
	}
	png_read_end(j->png, NULL);
}

static void decode_guarded(job *j)
{
	if (setjmp(png_jmpbuf(j->png)) == 0)
		decode(j);
}

static xc_status read_pixels(xc_file_reader *reader, const xc_png_index *index)
{
	job j = {.reader = reader, .index = index};
	j.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &j, on_error, on_warning, &j, allocate,
	                                 release);
	j.info = j.png ? png_create_info_struct(j.png) : NULL;
	if (j.info)
		decode_guarded(&j);
	else
		j.status = xc_file_fail(reader->message, XC_ERR_MEMORY, "libpng cannot be started");
	png_destroy_read_struct(&j.png, &j.info, NULL);
	return j.status;
}

xc_status xc_png_read(xc_file_reader *reader)
{
	xc_png_index index;
	xc_status status = xc_png_scan(reader, &index);
	if (!status)
		status = read_pixels(reader, &index);
	return status ? status : xc_png_read_metadata(reader, &index);
}
