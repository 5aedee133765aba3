/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/png.h"

#include <inttypes.h>
#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* As in png_read.c, what must outlive a longjmp() is in the job. */
typedef struct job {
	const xc_picture *picture;
	const xc_png_payload *payloads;
	int level;
	const xc_file_watcher *watcher;
	png_structp png;
	png_infop info;
	uint8_t *data;
	size_t size, capacity;
	char *message;
	xc_status status;
} job;

static void on_error(png_structp png, png_const_charp text)
{
	job *j = png_get_error_ptr(png);
	if (!j->status)
		j->status = xc_file_fail(j->message, XC_ERR_MEMORY, "PNG cannot be written: %s", text);
	png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static void write_bytes(png_structp png, png_bytep from, size_t n)
{
	job *j = png_get_io_ptr(png);
	if (n > j->capacity - j->size) {
		size_t capacity = j->capacity + j->capacity / 2 + n + 65536;
		uint8_t *data = capacity > j->capacity ? realloc(j->data, capacity) : NULL;
		if (!data)
			png_error(png, "out of memory");
		j->data = data;
		j->capacity = capacity;
	}
	memcpy(j->data + j->size, from, n);
	j->size += n;
}

static void flush(png_structp png)
{
	(void)png;
}

/*
 * On the Kodak pictures, themselves or after JPEG at quality 75, zlib's level 3
 * comes within 1 % of the size of level 6 in less than half its time, and its
 * default strategy beats the one that it calls "filtered" (which is libpng's
 * choice) from level 4 on by 2 to 4 %.
 */
static void set_compression(job *j)
{
	png_set_compression_level(j->png, j->level < 0 ? 3 : j->level);
	png_set_compression_strategy(j->png, Z_DEFAULT_STRATEGY);
	/* Without compression filters are lost time. */
	png_set_filter(j->png, PNG_FILTER_TYPE_BASE, j->level == 0 ? PNG_NO_FILTERS : PNG_ALL_FILTERS);
}

static void encode(job *j)
{
	static const int types[5] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
	                             PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
	const xc_picture *picture = j->picture;
	png_set_write_fn(j->png, j, write_bytes, flush);
	png_set_user_limits(j->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	png_set_compression_buffer_size(j->png, 65536);
	png_set_IHDR(j->png, j->info, picture->width, picture->height, (int)picture->depth,
	             types[picture->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
	             PNG_FILTER_TYPE_DEFAULT);
	set_compression(j);
	png_write_info(j->png, j->info);
	for (int i = 0; i < XC_PNG_PAYLOADS; i++)
		if (j->payloads[i].size)
			png_write_chunk(j->png, (png_const_bytep)j->payloads[i].type, j->payloads[i].data,
			                j->payloads[i].size);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (picture->depth == 16)
		png_set_swap(j->png);
#endif
	for (uint32_t y = 0; y < picture->height; y++) {
		png_write_row(j->png, xc_file_row(picture, y));
		xc_file_report(j->watcher, y + 1, picture->height);
	}
	png_write_end(j->png, NULL);
}

static void encode_guarded(job *j)
{
	if (setjmp(png_jmpbuf(j->png)) == 0)
		encode(j);
}

static void write_pixels(job *j)
{
	j->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, j, on_error, on_warning);
	j->info = j->png ? png_create_info_struct(j->png) : NULL;
	if (j->info)
		encode_guarded(j);
	else
		j->status = xc_file_fail(j->message, XC_ERR_MEMORY, "libpng cannot be started");
	png_destroy_write_struct(&j->png, &j->info);
}

xc_status xc_png_write(const xc_picture *picture, const xc_metadata *metadata, int level,
                       const xc_file_watcher *watcher, uint8_t **out, size_t *out_size,
                       char message[XC_FILE_MESSAGE])
{
	if (level < -1 || level > 9)
		return xc_file_fail(message, XC_ERR_ARGUMENT, "compression level %d is not 0 to 9", level);
	if (picture->width > PNG_UINT_31_MAX || picture->height > PNG_UINT_31_MAX)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED,
		                    "%" PRIu32 " x %" PRIu32
		                    " pixels are too many for a PNG: use ppm, pgm or pam",
		                    picture->width, picture->height);
	xc_png_payload payloads[XC_PNG_PAYLOADS];
	job j = {.picture = picture,
	         .payloads = payloads,
	         .level = level,
	         .watcher = watcher,
	         .message = message};
	j.status = xc_png_make_payloads(metadata, picture->channels, payloads, message);
	if (!j.status)
		write_pixels(&j);
	xc_png_free_payloads(payloads);
	if (j.status) {
		free(j.data);
		return j.status;
	}
	*out = j.data;
	*out_size = j.size;
	return XC_OK;
}
