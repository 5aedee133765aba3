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
	const uint8_t *line = (const uint8_t *)p->data + (ptrdiff_t)y * (ptrdiff_t)p->stride;
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
	uint8_t *line = (uint8_t *)p->data + (ptrdiff_t)y * (ptrdiff_t)p->stride;
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

struct xc_alpha_reader {
	xc_context *context;
	rows rows;
	z_stream z;
	const uint8_t *data; /* that inflate has not been given yet */
	size_t left;
	uint32_t row;
};

xc_status xc_alpha_open(xc_context *c, const xc_blob *alpha, const xc_picture *shape,
                        xc_alpha_reader **reader)
{
	const uint8_t *data = alpha->data;
	*reader = NULL;
	if (!alpha->size)
		return xc_fail(c, XC_ERR_CORRUPT, "damaged alpha (no data)");
	if (data[0] != 1)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "alpha coding %d needs a newer version", data[0]);
	xc_alpha_reader *r = xc_allocate_zeroed(c, sizeof *r);
	if (!r)
		return xc_fail_memory(c, sizeof *r);
	r->context = c;
	r->data = data + 1;
	r->left = alpha->size - 1;
	r->z = (z_stream){.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = c};
	if (!rows_init(c, &r->rows, shape) || inflateInit(&r->z) != Z_OK) {
		xc_alpha_close(r);
		return xc_fail_memory(c, 3 * (size_t)shape->width);
	}
	*reader = r;
	return XC_OK;
}

void xc_alpha_close(xc_alpha_reader *r)
{
	if (!r)
		return;
	inflateEnd(&r->z);
	xc_release(r->context, r->rows.above);
	xc_release(r->context, r);
}

static xc_status inflate_row(xc_alpha_reader *r)
{
	z_stream *z = &r->z;
	z->next_out = r->rows.delta;
	z->avail_out = (uInt)r->rows.bytes;
	while (z->avail_out) {
		if (!z->avail_in) {
			z->next_in = (Bytef *)(uintptr_t)r->data;
			z->avail_in = r->left > UINT32_MAX ? UINT32_MAX : (uInt)r->left;
			r->data += z->avail_in;
			r->left -= z->avail_in;
		}
		const int status = inflate(z, Z_NO_FLUSH);
		if (status == Z_MEM_ERROR)
			return xc_fail_memory(r->context, 1 << 16);
		if (z->avail_out && status != Z_OK)
			return xc_fail(r->context, XC_ERR_CORRUPT, "damaged alpha (row %u)", r->row);
	}
	r->row++;
	return XC_OK;
}

xc_status xc_alpha_next(xc_alpha_reader *r, const uint8_t **row)
{
	const xc_status s = inflate_row(r);
	if (s)
		return s;
	uint8_t *above = r->rows.above;
	for (size_t i = 0; i < r->rows.bytes; i++)
		above[i] = (uint8_t)(above[i] + r->rows.delta[i]);
	*row = above;
	return XC_OK;
}

xc_status xc_alpha_decode(xc_context *c, const uint8_t *data, size_t size, const xc_picture *p)
{
	xc_alpha_reader *r;
	const uint8_t *row;
	xc_status s = xc_alpha_open(c, &(xc_blob){data, size}, p, &r);
	for (uint32_t y = 0; !s && y < p->height; y++)
		if (!(s = xc_alpha_next(r, &row)))
			scatter(p, y, row);
	xc_alpha_close(r);
	return s;
}
