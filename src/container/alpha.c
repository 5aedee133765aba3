/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/container/alpha.h"

#include <string.h>
#include <zlib.h>

/* Rows of alpha: the one above, this one and their differences.  Of 16-bit samples all high
 * bytes, which change least, come before all low bytes. */
typedef struct rows {
	uint8_t *above, *here, *delta;
	size_t bytes;
} rows;

static void *zlib_allocate(void *context, unsigned items, unsigned size)
{
	return xc_allocate(context, (size_t)items * size);
}

static void zlib_release(void *context, void *memory)
{
	xc_release(context, memory);
}

static int rows_init(xc_context *c, rows *r, const xc_picture *p)
{
	r->bytes = (size_t)p->width * (p->depth / 8);
	r->above = xc_allocate_zeroed(c, 3 * r->bytes);
	if (!r->above)
		return 0;
	r->here = r->above + r->bytes;
	r->delta = r->here + r->bytes;
	return 1;
}

static void gather(const xc_picture *p, uint32_t y, uint8_t *row)
{
	const uint8_t *line = (const uint8_t *)p->data + (size_t)y * p->stride;
	const size_t n = p->width, step = p->channels;
	for (size_t x = 0; x < n; x++) {
		if (p->depth == 8) {
			row[x] = line[x * step + step - 1];
		} else {
			uint16_t v;
			memcpy(&v, line + 2 * (x * step + step - 1), 2);
			row[x] = (uint8_t)(v >> 8);
			row[n + x] = (uint8_t)v;
		}
	}
}

static void scatter(const xc_picture *p, uint32_t y, const uint8_t *row)
{
	uint8_t *line = (uint8_t *)p->data + (size_t)y * p->stride;
	const size_t n = p->width, step = p->channels;
	for (size_t x = 0; x < n; x++) {
		if (p->depth == 8) {
			line[x * step + step - 1] = row[x];
		} else {
			const uint16_t v = (uint16_t)(row[x] << 8 | row[n + x]);
			memcpy(line + 2 * (x * step + step - 1), &v, 2);
		}
	}
}

struct xc_alpha_encoder {
	rows rows;
	z_stream z;
	xc_buffer out; /* size: its room */
	size_t used;
};

/* Makes room for more output of deflate. */
static int grow(xc_context *c, xc_alpha_encoder *a)
{
	const size_t size = a->out.size ? 2 * a->out.size : 4096;
	uint8_t *data = xc_allocate(c, size);
	if (!data)
		return 0;
	if (a->used)
		memcpy(data, a->out.data, a->used);
	xc_release(c, a->out.data);
	a->out = (xc_buffer){data, size};
	return 1;
}

/* Deflates what z->next_in has; last: to the end of the stream. */
static xc_status deflate_input(xc_context *c, xc_alpha_encoder *a, int last)
{
	z_stream *z = &a->z;
	do {
		if (a->used == a->out.size && !grow(c, a))
			return xc_fail_memory(c, 2 * a->used);
		const size_t room = a->out.size - a->used;
		z->next_out = a->out.data + a->used;
		z->avail_out = room > UINT32_MAX ? UINT32_MAX : (uInt)room;
		const uInt before = z->avail_out;
		const int status = deflate(z, last ? Z_FINISH : Z_NO_FLUSH);
		a->used += before - z->avail_out;
		if (status == Z_STREAM_END)
			break;
	} while (last || z->avail_in || !z->avail_out);
	return XC_OK;
}

xc_status xc_alpha_encoder_new(xc_context *c, const xc_picture *p, xc_alpha_encoder **encoder)
{
	xc_alpha_encoder *a = xc_allocate_zeroed(c, sizeof *a);
	*encoder = a;
	if (!a)
		return xc_fail_memory(c, sizeof *a);
	a->z = (z_stream){.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = c};
	if (rows_init(c, &a->rows, p) && deflateInit(&a->z, 6) == Z_OK)
		return XC_OK;
	xc_alpha_encoder_free(c, a);
	*encoder = NULL;
	return xc_fail_memory(c, 3 * (size_t)p->width * (p->depth / 8));
}

xc_status xc_alpha_encoder_rows(xc_context *c, xc_alpha_encoder *a, const xc_picture *p)
{
	rows *r = &a->rows;
	xc_status s = XC_OK;
	for (uint32_t y = 0; !s && y < p->height; y++) {
		gather(p, y, r->here);
		for (size_t i = 0; i < r->bytes; i++)
			r->delta[i] = (uint8_t)(r->here[i] - r->above[i]);
		memcpy(r->above, r->here, r->bytes);
		a->z.next_in = r->delta;
		a->z.avail_in = (uInt)r->bytes;
		s = deflate_input(c, a, 0);
	}
	return s;
}

xc_status xc_alpha_encoder_end(xc_context *c, xc_alpha_encoder *a, xc_blob *out)
{
	const xc_status s = deflate_input(c, a, 1);
	*out = (xc_blob){a->out.data, a->used};
	return s;
}

void xc_alpha_encoder_free(xc_context *c, xc_alpha_encoder *a)
{
	if (!a)
		return;
	deflateEnd(&a->z);
	xc_release(c, a->rows.above);
	xc_buffer_free(c, &a->out);
	xc_release(c, a);
}

xc_status xc_alpha_encode(xc_context *c, const xc_picture *p, xc_buffer *out)
{
	xc_alpha_encoder *a;
	xc_blob blob;
	*out = (xc_buffer){0};
	xc_status s = xc_alpha_encoder_new(c, p, &a);
	if (!s)
		s = xc_alpha_encoder_rows(c, a, p);
	if (!s)
		s = xc_alpha_encoder_end(c, a, &blob);
	if (!s) {
		*out = (xc_buffer){a->out.data, a->used};
		a->out.data = NULL;
	}
	xc_alpha_encoder_free(c, a);
	return s;
}

static xc_status inflate_rows(xc_context *c, const xc_picture *p, rows *r, z_stream *z,
                              const uint8_t *data, size_t size)
{
	size_t given = 0;
	for (uint32_t y = 0; y < p->height; y++) {
		z->next_out = r->delta;
		z->avail_out = (uInt)r->bytes;
		while (z->avail_out) {
			if (!z->avail_in) {
				const size_t left = size - given;
				z->next_in = (Bytef *)(uintptr_t)(data + given);
				z->avail_in = left > UINT32_MAX ? UINT32_MAX : (uInt)left;
				given += z->avail_in;
			}
			const int status = inflate(z, Z_NO_FLUSH);
			if (status == Z_MEM_ERROR)
				return xc_fail_memory(c, 1 << 16);
			if (z->avail_out && status != Z_OK)
				return xc_fail(c, XC_ERR_CORRUPT, "damaged alpha (row %u)", y);
		}
		for (size_t i = 0; i < r->bytes; i++)
			r->here[i] = (uint8_t)(r->above[i] + r->delta[i]);
		memcpy(r->above, r->here, r->bytes);
		scatter(p, y, r->here);
	}
	return XC_OK;
}

xc_status xc_alpha_decode(xc_context *c, const uint8_t *data, size_t size, const xc_picture *p)
{
	if (!size)
		return xc_fail(c, XC_ERR_CORRUPT, "damaged alpha (no data)");
	if (data[0] != 1)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "alpha coding %d needs a newer version", data[0]);
	rows r = {0};
	z_stream z = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = c};
	xc_status s;
	if (!rows_init(c, &r, p) || inflateInit(&z) != Z_OK)
		s = xc_fail_memory(c, 3 * r.bytes);
	else
		s = inflate_rows(c, p, &r, &z, data + 1, size - 1);
	inflateEnd(&z);
	xc_release(c, r.above);
	return s;
}
