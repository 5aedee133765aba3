/* SPDX-License-Identifier: BSD-2-Clause */
/* A PNG file: the chunks that hold the metadata, and the pixels. */
#include "formats/png.h"
#include "formats/png/beside.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A chunk's length has 31 bits. */
#define CHUNK_MAX ((size_t)0x7fffffff)

static const char icc_prefix[] = "ICC profile\0"; /* its name; compression method 0 */
/* Not compressed, as XMP demands, so that other programs find it by its marks; no language
 * and no translation. */
static const char xmp_prefix[] = XC_PNG_XMP_KEYWORD "\0\0\0\0";

/* A chunk to be written; data is malloc'ed. */
typedef struct chunk {
	char type[5];
	uint8_t *data;
	size_t size; /* 0: the chunk is not needed */
} chunk;

/* In the order in which they are written: iCCP, pHYs, eXIf, iTXt. */
enum { CHUNKS = 4 };

static uint8_t *start_chunk(chunk *c, const char *type, const char *prefix, size_t prefix_size,
                            size_t room)
{
	memcpy(c->type, type, sizeof c->type);
	c->data = malloc(prefix_size + room);
	c->size = 0;
	if (!c->data)
		return NULL;
	memcpy(c->data, prefix, prefix_size);
	c->size = prefix_size;
	return c->data + prefix_size;
}

static int make_icc(chunk *c, const xc_blob *icc)
{
	uLong bound = compressBound((uLong)icc->size);
	uint8_t *to = start_chunk(c, "iCCP", icc_prefix, sizeof icc_prefix, bound);
	if (!to || compress2(to, &bound, icc->data, (uLong)icc->size, Z_BEST_COMPRESSION) != Z_OK)
		return 0;
	c->size += bound;
	return 1;
}

static int make_copy(chunk *c, const char *type, const char *prefix, size_t prefix_size,
                     const xc_blob *blob)
{
	uint8_t *to = start_chunk(c, type, prefix, prefix_size, blob->size);
	if (!to)
		return 0;
	memcpy(to, blob->data, blob->size);
	c->size += blob->size;
	return 1;
}

static int make_density(chunk *c, const xc_metadata *metadata)
{
	uint8_t *to = start_chunk(c, "pHYs", "", 0, 9);
	if (!to)
		return 0;
	xc_store_be32(to, metadata->density_x);
	xc_store_be32(to + 4, metadata->density_y);
	to[8] = metadata->density_unit;
	c->size = 9;
	return 1;
}

/* PNG forbids a colour profile in a grey picture and a grey one in a colour picture.  Byte
 * 16 of a profile begins the name of its colour space. */
static int profile_fits(const xc_blob *icc, uint32_t channels)
{
	const uint8_t *p = icc->data;
	if (icc->size < 20)
		return 1;
	return memcmp(p + 16, channels < 3 ? "RGB " : "GRAY", 4) != 0;
}

static int is_wanted(const xc_blob *blob, const char *name, char *message)
{
	if (!blob->data || blob->size == 0)
		return 0;
	if (blob->size <= CHUNK_MAX / 2)
		return 1;
	xc_file_warn(message, "the %s is too large for a PNG: left out", name);
	return 0;
}

static xc_status make_chunks(const xc_file_writer *w, chunk chunks[CHUNKS])
{
	const xc_metadata *m = w->metadata;
	int made = 1;
	if (!m)
		return XC_OK;
	if (is_wanted(&m->icc, "colour profile", w->message)) {
		if (profile_fits(&m->icc, w->picture->channels))
			made = make_icc(&chunks[0], &m->icc);
		else
			xc_file_warn(w->message, "the colour profile is not one for %s pictures: left out",
			             w->picture->channels < 3 ? "grey" : "colour");
	}
	if (made && (m->density_x || m->density_y))
		made = make_density(&chunks[1], m);
	if (made && is_wanted(&m->exif, "EXIF", w->message))
		made = make_copy(&chunks[2], "eXIf", "", 0, &m->exif);
	if (made && is_wanted(&m->xmp, "XMP", w->message))
		made = make_copy(&chunks[3], "iTXt", xmp_prefix, sizeof xmp_prefix, &m->xmp);
	return made ? XC_OK : xc_file_fail(w->message, XC_ERR_MEMORY, "out of memory for metadata");
}

/* ------------------------------------------------------------------ pixels */

/* As in png_read.c, a job holds what must outlive a longjmp(). */
typedef struct job {
	const xc_file_writer *writer;
	chunk chunks[CHUNKS];
	png_structp png;
	png_infop info;
	uint8_t *data;
	size_t size, capacity;
	xc_status status;
} job;

static void on_error(png_structp png, png_const_charp text)
{
	job *j = png_get_error_ptr(png);
	if (!j->status)
		j->status = xc_file_fail(j->writer->message, XC_ERR_MEMORY, "PNG cannot be written: %s",
		                         text);
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

/* On the Kodak pictures, themselves or after JPEG at quality 75, zlib's level 3 comes within 1 % of
 * the size of level 6 in less than half its time.  From level 4 on its default strategy beats
 * "filtered", which is libpng's choice, by 2 to 4 %. */
static void set_compression(job *j)
{
	png_set_compression_level(j->png, j->writer->level < 0 ? 3 : j->writer->level);
	png_set_compression_strategy(j->png, Z_DEFAULT_STRATEGY);
	/* Without compression, filters only take time. */
	png_set_filter(j->png, PNG_FILTER_TYPE_BASE,
	               j->writer->level == 0 ? PNG_NO_FILTERS : PNG_ALL_FILTERS);
}

static void put_chunk(void *user, const char type[5], const void *head, size_t head_size,
                      const void *data, size_t size)
{
	const job *j = user;
	png_write_chunk_start(j->png, (png_const_bytep)type, (png_uint_32)(head_size + size));
	if (head_size)
		png_write_chunk_data(j->png, head, head_size);
	if (size)
		png_write_chunk_data(j->png, data, size);
	png_write_chunk_end(j->png);
}

static void encode(job *j)
{
	static const int types[5] = {0, PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA,
	                             PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA};
	const xc_picture *picture = j->writer->picture;
	png_set_write_fn(j->png, j, write_bytes, flush);
	png_set_user_limits(j->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
	png_set_compression_buffer_size(j->png, 65536);
	png_set_IHDR(j->png, j->info, picture->width, picture->height, (int)picture->depth,
	             types[picture->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
	             PNG_FILTER_TYPE_DEFAULT);
	set_compression(j);
	png_write_info(j->png, j->info);
	for (const chunk *c = j->chunks; c < j->chunks + CHUNKS; c++)
		if (c->size)
			png_write_chunk(j->png, (png_const_bytep)c->type, c->data, c->size);
	if (j->writer->metadata)
		xc_png_put_beside(j->writer->metadata, picture, put_chunk, j, j->writer->message);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (picture->depth == 16)
		png_set_swap(j->png);
#endif
	for (uint32_t y = 0; y < picture->height; y++) {
		png_write_row(j->png, xc_file_row(picture, y));
		xc_file_report(j->writer->watcher, y + 1, picture->height);
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
		j->status = xc_file_fail(j->writer->message, XC_ERR_MEMORY, "libpng cannot be started");
	png_destroy_write_struct(&j->png, &j->info);
}

xc_status xc_png_write(const xc_file_writer *writer)
{
	uint32_t width = writer->picture->width, height = writer->picture->height;
	job j = {.writer = writer};
	if (writer->level < -1 || writer->level > 9)
		return xc_file_fail(writer->message, XC_ERR_ARGUMENT, "compression level %d is not 0 to 9",
		                    writer->level);
	if (width > PNG_UINT_31_MAX || height > PNG_UINT_31_MAX)
		return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
		                    "%u x %u pixels are too many for a PNG: use ppm, pgm or pam", width,
		                    height);
	j.status = make_chunks(writer, j.chunks);
	if (!j.status)
		write_pixels(&j);
	for (int i = 0; i < CHUNKS; i++)
		free(j.chunks[i].data);
	if (j.status) {
		free(j.data);
		return j.status;
	}
	*writer->out = j.data;
	*writer->out_size = j.size;
	return XC_OK;
}
