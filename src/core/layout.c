/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the samples of any layout lie, and the checks of pictures and pixels that callers give. All
 * sizes are checked here, so other files compute with them freely. */
#include "src/core/layout.h"

#include <string.h>

const xc_layout_parts *xc_layout_get(xc_layout layout)
{
	static const xc_layout_parts parts[] = {
		[XC_LAYOUT_GREY] = {1, 1, 1, 1, {1, 0}},      [XC_LAYOUT_GREY_ALPHA] = {2, 1, 1, 1, {2, 0}},
		[XC_LAYOUT_RGB] = {3, 1, 1, 1, {3, 0}},       [XC_LAYOUT_RGBA] = {4, 1, 1, 1, {4, 0}},
		[XC_LAYOUT_BGR] = {3, 1, 1, 1, {3, 0}},       [XC_LAYOUT_BGRA] = {4, 1, 1, 1, {4, 0}},
		[XC_LAYOUT_RGBX] = {3, 1, 1, 1, {4, 0}},      [XC_LAYOUT_BGRX] = {3, 1, 1, 1, {4, 0}},
		[XC_LAYOUT_YCBCR_420] = {3, 3, 2, 2, {1, 1}}, [XC_LAYOUT_YCBCR_422] = {3, 3, 2, 1, {1, 1}},
		[XC_LAYOUT_YCBCR_444] = {3, 3, 1, 1, {1, 1}}, [XC_LAYOUT_NV12] = {3, 2, 2, 2, {1, 2}},
	};

	return &parts[layout];
}

xc_pixels xc_pixels_of(const xc_picture *p)
{
	return (xc_pixels){.layout = xc_layout_of(p->channels),
	                   .width = p->width,
	                   .height = p->height,
	                   .depth = p->depth,
	                   .plane = {p->data},
	                   .stride = {(ptrdiff_t)p->stride}};
}

int xc_pixels_are_picture(const xc_pixels *p, xc_picture *picture)
{
	*picture = (xc_picture){p->width,
	                        p->height,
	                        xc_layout_get(p->layout)->channels,
	                        p->depth,
	                        (size_t)p->stride[0],
	                        p->plane[0]};
	return p->layout <= XC_LAYOUT_RGBA && p->stride[0] > 0;
}

size_t xc_pixels_columns(const xc_pixels *p, int plane)
{
	const uint32_t h = plane ? xc_layout_get(p->layout)->h : 1;
	return p->width / h + (p->width % h != 0);
}

uint32_t xc_pixels_rows(const xc_pixels *p, int plane, uint32_t y)
{
	const uint32_t v = plane ? xc_layout_get(p->layout)->v : 1;
	return y / v + (y % v != 0);
}

static xc_status check_plane(xc_context *c, const xc_pixels *p, int i)
{
	const uint64_t rows = xc_pixels_rows(p, i, p->height);
	const uint64_t row = (uint64_t)xc_pixels_columns(p, i) * xc_pixels_step(p, i);
	const ptrdiff_t given = p->stride[i];
	const uint64_t stride = given < 0 ? -(uint64_t)given : (uint64_t)given;

	if (!p->plane[i])
		return xc_fail(c, XC_ERR_ARGUMENT, "plane %d has no data", i);
	if (stride < row)
		return xc_fail(c, XC_ERR_ARGUMENT, "the stride is shorter than a row");
	if (row > PTRDIFF_MAX || (rows > 1 && stride > (PTRDIFF_MAX - row) / (rows - 1)))
		return xc_fail(c, XC_ERR_ARGUMENT, "the stride is longer than memory can be");
	if (p->depth == 16 && (given % 2 || (uintptr_t)p->plane[i] % 2))
		return xc_fail(c, XC_ERR_ARGUMENT, "16-bit samples need even addresses");
	return XC_OK;
}

xc_status xc_pixels_check(xc_context *c, const xc_pixels *p)
{
	if (!p)
		return xc_fail(c, XC_ERR_ARGUMENT, "no pixels given");
	xc_status s = XC_CHECK_RESERVED(c, p, "pixels");
	if (s)
		return s;
	if ((unsigned)p->layout > XC_LAYOUT_NV12)
		return xc_fail(c, XC_ERR_ARGUMENT, "unknown layout");
	const xc_layout_parts *l = xc_layout_get(p->layout);
	const xc_picture shape = {p->width, p->height, l->channels, p->depth, 0, NULL};
	s = xc_picture_check(c, &shape);
	if (!s && l->planes > 1 && p->depth != 8)
		s = xc_fail(c, XC_ERR_ARGUMENT, "planes have 8 bits a sample, not %u", p->depth);
	for (int i = 0; !s && i < l->planes; i++)
		s = check_plane(c, p, i);
	return s;
}

xc_status xc_layout_check_device(xc_context *c)
{
	if (c->device.backend && c->device.choice == XC_DEVICE_NAMED)
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "a GPU takes grey, RGB and RGBA from the upper row on: choose \"cpu\" or "
		               "\"auto\"");
	return XC_OK;
}

void xc_pixels_copy(const xc_pixels *to, uint32_t to_first, const xc_pixels *from,
                    uint32_t from_first, uint32_t x, uint32_t y, uint32_t count)
{
	const xc_layout_parts *l = xc_layout_get(to->layout);

	for (int i = 0; i < l->planes; i++) {
		const size_t step = xc_pixels_step(to, i), bytes = xc_pixels_columns(to, i) * step;
		const uint8_t *in = xc_pixels_row(from, i, from_first, y) + x / (i ? l->h : 1) * step;
		uint8_t *out = xc_pixels_row(to, i, to_first, y);
		const uint32_t rows = xc_pixels_rows(to, i, y + count) - xc_pixels_rows(to, i, y);
		for (uint32_t r = 0; r < rows; r++)
			memcpy(out + (ptrdiff_t)r * to->stride[i], in + (ptrdiff_t)r * from->stride[i], bytes);
	}
}

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
