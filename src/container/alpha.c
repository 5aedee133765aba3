/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/container/alpha.h"

#include <string.h>
#include <zlib.h>

/* Rows of alpha: the one above and the differences to it.  Of 16-bit samples all high bytes come
 * before all low bytes. */
typedef struct rows {
	uint8_t *above, *delta;
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
	r->above = xc_allocate_zeroed(c, 2 * r->bytes);
	if (!r->above)
		return 0;
	r->delta = r->above + r->bytes;
	return 1;
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

struct xc_deflated_alpha {
	xc_context *context;
	rows rows;
	z_stream z;
	const uint8_t *data; /* that inflate has not been given yet */
	size_t left;
	uint32_t row;
};

xc_status xc_deflated_alpha_check(xc_context *c, const xc_blob *alpha)
{
	const uint8_t *data = alpha->data;
	if (!alpha->size)
		return xc_fail(c, XC_ERR_CORRUPT, "damaged alpha (no data)");
	if (data[0] != 1)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "alpha coding %d needs a newer version", data[0]);
	return XC_OK;
}

xc_status xc_deflated_alpha_open(xc_context *c, const xc_blob *alpha, const xc_picture *shape,
                                 xc_deflated_alpha **reader)
{
	const uint8_t *data = alpha->data;
	*reader = NULL;
	const xc_status s = xc_deflated_alpha_check(c, alpha);
	if (s)
		return s;
	xc_deflated_alpha *r = xc_allocate_zeroed(c, sizeof *r);
	if (!r)
		return xc_fail_memory(c, sizeof *r);
	r->context = c;
	r->data = data + 1;
	r->left = alpha->size - 1;
	r->z = (z_stream){.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = c};
	if (!rows_init(c, &r->rows, shape) || inflateInit(&r->z) != Z_OK) {
		xc_deflated_alpha_close(r);
		return xc_fail_memory(c, 2 * r->rows.bytes);
	}
	*reader = r;
	return XC_OK;
}

void xc_deflated_alpha_close(xc_deflated_alpha *r)
{
	if (!r)
		return;
	inflateEnd(&r->z);
	xc_release(r->context, r->rows.above);
	xc_release(r->context, r);
}

static xc_status inflate_row(xc_deflated_alpha *r)
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

xc_status xc_deflated_alpha_next(xc_deflated_alpha *r, const uint8_t **row)
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

xc_status xc_deflated_alpha_decode(xc_context *c, const uint8_t *data, size_t size,
                                   const xc_picture *p)
{
	xc_deflated_alpha *r;
	const uint8_t *row;
	xc_status s = xc_deflated_alpha_open(c, &(xc_blob){data, size}, p, &r);
	for (uint32_t y = 0; !s && y < p->height; y++)
		if (!(s = xc_deflated_alpha_next(r, &row)))
			scatter(p, y, row);
	xc_deflated_alpha_close(r);
	return s;
}
