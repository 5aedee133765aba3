/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEG with libjpeg's defaults: chroma halved both ways, the Huffman codes of Annex K. */
#include "formats/jpeg/jpeg.h"

#include <jerror.h>
#include <setjmp.h>
#include <string.h>

enum { DEFAULT_QUALITY = 90, BUFFER = 1 << 16, ROWS = 16 };

/* Pixels a metre as pixels an inch, rounded; 1 pixel an inch at least. */
static uint32_t per_inch(uint32_t per_metre)
{
	const uint64_t dots = ((uint64_t)per_metre * 254 + 5000) / 10000;
	return dots < 1 ? 1 : dots > 65535 ? 65535 : (uint32_t)dots;
}

static int is_per_centimetre(uint32_t per_metre)
{
	return per_metre % 100 == 0 && per_metre <= 6553500 && per_metre >= 100;
}

static int is_per_inch(uint32_t per_metre)
{
	return (per_inch(per_metre) * 10000 + 127) / 254 == per_metre;
}

/* Sets the density of a JFIF header. */
static void set_density(struct jpeg_compress_struct *jpeg, const xc_metadata *m)
{
	uint32_t x = m->density_x, y = m->density_y;

	if (!x || !y)
		return;
	if (m->density_unit == 0) {
		while (x > 65535 || y > 65535) {
			x = x / 2 ? x / 2 : 1;
			y = y / 2 ? y / 2 : 1;
		}
		jpeg->density_unit = 0;
	} else if (is_per_centimetre(x) && is_per_centimetre(y) &&
	           !(is_per_inch(x) && is_per_inch(y))) {
		jpeg->density_unit = 2;
		x /= 100;
		y /= 100;
	} else {
		jpeg->density_unit = 1;
		x = per_inch(x);
		y = per_inch(y);
	}
	jpeg->X_density = (UINT16)x;
	jpeg->Y_density = (UINT16)y;
}

/* Writes a marker whose payload is `start` and `data`. */
static void write_marker(struct jpeg_compress_struct *jpeg, int code, const void *start,
                         size_t start_size, const void *data, size_t size)
{
	const uint8_t *first = start, *second = data;

	jpeg_write_m_header(jpeg, code, (unsigned)(start_size + size));
	for (size_t i = 0; i < start_size; i++)
		jpeg_write_m_byte(jpeg, first[i]);
	for (size_t i = 0; i < size; i++)
		jpeg_write_m_byte(jpeg, second[i]);
}

static void write_app1(struct jpeg_compress_struct *jpeg, const char *mark, size_t mark_size,
                       const xc_blob *blob, const char *name, char *message)
{
	if (!blob->data || blob->size == 0)
		return;
	if (blob->size > XC_JPEG_PAYLOAD - mark_size)
		xc_file_warn(message, "the %s is too large for a JPEG: left out", name);
	else
		write_marker(jpeg, JPEG_APP0 + 1, mark, mark_size, blob->data, blob->size);
}

static void write_icc(struct jpeg_compress_struct *jpeg, const xc_blob *icc, char *message)
{
	enum { PIECE = XC_JPEG_PAYLOAD - sizeof XC_JPEG_ICC - 2 };
	const size_t parts = (icc->size + PIECE - 1) / PIECE;
	uint8_t start[sizeof XC_JPEG_ICC + 2] = XC_JPEG_ICC;

	if (!icc->data)
		return;
	if (parts > XC_JPEG_ICC_PARTS) {
		xc_file_warn(message, "the colour profile is too large for a JPEG: left out");
		return;
	}
	start[sizeof start - 1] = (uint8_t)parts;
	for (size_t i = 0; i < parts; i++) {
		const size_t at = i * PIECE, left = icc->size - at;
		start[sizeof start - 2] = (uint8_t)(i + 1);
		write_marker(jpeg, JPEG_APP0 + 2, start, sizeof start, (const uint8_t *)icc->data + at,
		             left < PIECE ? left : PIECE);
	}
}

/* One resource of Photoshop without a name, in as many markers as it needs. */
static void write_iptc(struct jpeg_compress_struct *jpeg, const xc_blob *iptc)
{
	enum { MARK = sizeof XC_JPEG_PHOTOSHOP, RESOURCE = 12, START = MARK + RESOURCE };
	uint8_t start[START + 1] = XC_JPEG_PHOTOSHOP;
	const uint8_t *from = iptc->data;
	size_t left = iptc->data ? iptc->size : 0, start_size = START;

	if (left == 0)
		return;
	memcpy(start + MARK, "8BIM\x04\x04\0\0", 8);
	xc_store_be32(start + MARK + 8, (uint32_t)iptc->size);
	while (left) {
		const size_t room = XC_JPEG_PAYLOAD - START, n = left < room ? left : room;
		write_marker(jpeg, JPEG_APP0 + 13, start, start_size, from, n);
		from += n;
		left -= n;
		start_size = MARK;
	}
}

/* Writes the markers of metadata after the JFIF header.  What is too large is left out with a warning. */
static void write_markers(struct jpeg_compress_struct *jpeg, const xc_metadata *m, int with_icc,
                          char message[XC_FILE_MESSAGE])
{
	const char *key, *value;

	write_app1(jpeg, XC_JPEG_EXIF, sizeof XC_JPEG_EXIF, &m->exif, "EXIF", message);
	write_app1(jpeg, XC_JPEG_XMP, sizeof XC_JPEG_XMP, &m->xmp, "XMP", message);
	if (with_icc)
		write_icc(jpeg, &m->icc, message);
	write_iptc(jpeg, &m->iptc);
	for (size_t at = 0; xc_file_next_pair(&m->text, &at, &key, &value);) {
		const size_t size = strlen(value);
		if (strcmp(key, "Comment") != 0)
			continue;
		if (size <= XC_JPEG_PAYLOAD)
			write_marker(jpeg, JPEG_COM, NULL, 0, value, size);
		else
			xc_file_warn(message, "a comment is too long for a JPEG: left out");
	}
}

/* As in read.c, the writer holds what must outlive a longjmp(). */
typedef struct writer {
	xc_row_writer base;
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr errors;
	struct jpeg_destination_mgr destination;
	uint8_t buffer[BUFFER];
	jmp_buf leave;
	xc_status status;
} writer;

static void leave(writer *w, xc_status status)
{
	w->status = status;
	longjmp(w->leave, 1);
}

static void on_error(j_common_ptr jpeg)
{
	writer *w = jpeg->client_data;
	char text[JMSG_LENGTH_MAX];

	w->errors.format_message(jpeg, text);
	leave(w, xc_file_fail(w->base.message, XC_ERR_MEMORY, "JPEG cannot be written: %s", text));
}

static void on_message(j_common_ptr jpeg, int level)
{
	(void)jpeg, (void)level;
}

static void empty_buffer(writer *w)
{
	w->destination.next_output_byte = w->buffer;
	w->destination.free_in_buffer = sizeof w->buffer;
}

static void start_output(j_compress_ptr jpeg)
{
	empty_buffer(jpeg->client_data);
}

static void put(writer *w, size_t size)
{
	const xc_status status = xc_row_writer_put(&w->base, w->buffer, size);

	if (status)
		leave(w, status);
	empty_buffer(w);
}

static boolean put_buffer(j_compress_ptr jpeg)
{
	put(jpeg->client_data, BUFFER);
	return TRUE;
}

static void end_output(j_compress_ptr jpeg)
{
	writer *w = jpeg->client_data;
	put(w, sizeof w->buffer - w->destination.free_in_buffer);
}

static void start(writer *w)
{
	const xc_picture *shape = &w->base.shape;

	w->jpeg.err = jpeg_std_error(&w->errors);
	w->errors.error_exit = on_error;
	w->errors.emit_message = on_message;
	w->jpeg.client_data = w;
	jpeg_create_compress(&w->jpeg);
	w->destination = (struct jpeg_destination_mgr){
		.init_destination = start_output,
		.empty_output_buffer = put_buffer,
		.term_destination = end_output,
	};
	w->jpeg.dest = &w->destination;
	w->jpeg.image_width = shape->width;
	w->jpeg.image_height = shape->height;
	w->jpeg.input_components = (int)shape->channels;
	w->jpeg.in_color_space = shape->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(&w->jpeg);
	const int quality = w->base.level < 0 ? 0 : w->base.level % XC_JPEG_PROGRESSIVE;
	jpeg_set_quality(&w->jpeg, quality ? quality : DEFAULT_QUALITY, TRUE);
	if (w->base.level >= XC_JPEG_PROGRESSIVE)
		jpeg_simple_progression(&w->jpeg);
	if (w->base.metadata)
		set_density(&w->jpeg, w->base.metadata);
	jpeg_start_compress(&w->jpeg, TRUE);
	if (w->base.metadata)
		write_markers(&w->jpeg, w->base.metadata, xc_row_writer_profile_fits(&w->base),
		              w->base.message);
}

static void write_some(writer *w, const uint8_t *rows, size_t stride, uint32_t count)
{
	JSAMPROW row[ROWS];

	while (count) {
		const uint32_t n = count < ROWS ? count : ROWS;
		for (uint32_t i = 0; i < n; i++)
			row[i] = (JSAMPROW)(uintptr_t)(rows + i * stride);
		const uint32_t done = jpeg_write_scanlines(&w->jpeg, row, n);
		rows += done * stride;
		count -= done;
	}
}

static xc_status write_rows(xc_row_writer *base, const void *rows, size_t stride, uint32_t count)
{
	writer *w = (writer *)base;

	if (setjmp(w->leave) == 0)
		write_some(w, rows, stride, count);
	return w->status;
}

static xc_status end(xc_row_writer *base)
{
	writer *w = (writer *)base;

	if (setjmp(w->leave) == 0)
		jpeg_finish_compress(&w->jpeg);
	return w->status;
}

static void discard(xc_row_writer *base)
{
	jpeg_destroy_compress(&((writer *)base)->jpeg);
}

static xc_status check(const xc_row_writer *base)
{
	const xc_picture *shape = &base->shape;

	if (base->level < -1 || base->level == 0 || base->level % XC_JPEG_PROGRESSIVE > 100 ||
	    base->level > XC_JPEG_PROGRESSIVE + 100)
		return xc_file_fail(base->message, XC_ERR_ARGUMENT, "JPEG quality %d is not 1 to 100",
		                    base->level);
	if (shape->channels % 2 == 0)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "JPEG holds no alpha: use png or pam");
	if (shape->depth != 8)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "JPEG holds 8 bits a sample, not %u: use png, pam or %s", shape->depth,
		                    shape->channels == 1 ? "pgm" : "ppm");
	if (shape->width > JPEG_MAX_DIMENSION || shape->height > JPEG_MAX_DIMENSION)
		return xc_file_fail(base->message, XC_ERR_UNSUPPORTED,
		                    "%u x %u pixels are too many for a JPEG: use png or ppm", shape->width,
		                    shape->height);
	return XC_OK;
}

static xc_status create(xc_row_writer *base)
{
	static const xc_row_writer_kind kind = {write_rows, end, discard};
	writer *w = (writer *)base;
	const xc_status status = check(base);

	if (status)
		return status;
	base->kind = &kind;
	if (setjmp(w->leave) == 0)
		start(w);
	return w->status;
}

const xc_row_output xc_jpeg_row_output = {sizeof(writer), create};
