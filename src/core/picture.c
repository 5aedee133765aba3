/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/core/picture.h"

#include <string.h>

xc_status xc_picture_check(xc_context *c, const xc_picture *p)
{
	if (!p || !p->width || !p->height)
		return xc_fail(c, XC_ERR_ARGUMENT, "the picture has no pixels");
	if (p->channels < 1 || p->channels > 4)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u channels; 1 to 4 are possible", p->channels);
	if (p->depth != 8 && p->depth != 16)
		return xc_fail(c, XC_ERR_ARGUMENT, "%u bits a sample; 8 and 16 are possible", p->depth);
	if (p->width > INT32_MAX || p->height > INT32_MAX ||
	    (uint64_t)p->width * p->height > c->limits.max_pixels)
		return xc_fail(c, XC_ERR_LIMIT, "%ux%u is more than the limit of %llu pixels", p->width,
		               p->height, (unsigned long long)c->limits.max_pixels);
	return XC_OK;
}

size_t xc_picture_pixel_bytes(const xc_picture *p)
{
	return (size_t)p->channels * (p->depth / 8);
}

xc_status xc_picture_check_data(xc_context *c, const xc_picture *p)
{
	const xc_status s = xc_picture_check(c, p);

	if (s)
		return s;
	if (!p->data)
		return xc_fail(c, XC_ERR_ARGUMENT, "the picture has no data");
	const uint64_t row = (uint64_t)p->width * xc_picture_pixel_bytes(p);
	if (p->stride < row)
		return xc_fail(c, XC_ERR_ARGUMENT, "the stride is shorter than a row");
	if (row > PTRDIFF_MAX || (p->height > 1 && p->stride > (PTRDIFF_MAX - row) / (p->height - 1)))
		return xc_fail(c, XC_ERR_ARGUMENT, "the stride is longer than memory can be");
	if (p->depth == 16 && (p->stride % 2 || (uintptr_t)p->data % 2))
		return xc_fail(c, XC_ERR_ARGUMENT, "16-bit samples need even addresses");
	return XC_OK;
}

static xc_status make(xc_context *c, xc_picture *p)
{
	const xc_status s = xc_picture_check(c, p);

	if (s)
		return s;
	const uint64_t row = (uint64_t)p->width * xc_picture_pixel_bytes(p);
	if (p->height > SIZE_MAX / row)
		return xc_fail(c, XC_ERR_LIMIT, "%ux%u does not fit this machine's memory", p->width,
		               p->height);
	p->stride = (size_t)row;
	p->data = xc_allocate(c, (size_t)row * p->height);
	return p->data ? XC_OK : xc_fail_memory(c, (size_t)row * p->height);
}

xc_status xc_picture_make(xc_context *c, xc_picture *p)
{
	const xc_status s = make(c, p);

	if (s && p)
		*p = (xc_picture){0};
	return s;
}

xc_status xc_picture_allocate(xc_context *c, xc_picture *p)
{
	if (!c) {
		if (p)
			*p = (xc_picture){0};
		return XC_ERR_ARGUMENT;
	}
	xc_begin(c);
	return xc_picture_make(c, p);
}

void xc_picture_free(xc_context *c, xc_picture *p)
{
	if (c && p) {
		xc_release(c, p->data);
		memset(p, 0, sizeof *p);
	}
}

void xc_buffer_free(xc_context *c, xc_buffer *buffer)
{
	if (c && buffer) {
		xc_release(c, buffer->data);
		*buffer = (xc_buffer){0};
	}
}
