/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any picture with any options (xc_recipe_make()), its rows given to an encoder in portions, in any
 * packed layout and by way of the encoder's own memory: the file must be that of xc_encode(). A
 * decoder then gives them back in portions and layouts, and must agree with xc_decode().
 */
#include <string.h>
#include <xcodec_pixels.h>

#include "fuzz/fuzz.h"
#include "tests/support/check.h"

unsigned xc_fuzz_mutations = 20;

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	xc_recipe_seed(i, out);
}

static int keep(void *user, const void *data, size_t size)
{
	xc_bytes_add(user, data, size);
	return 0;
}

/* ------------------------------------------------------------------ layouts */

/* Where each channel of a picture stands in a pixel of a layout; 4: nowhere. */
typedef struct order {
	xc_layout layout;
	uint32_t channels, samples; /* of the picture; in a pixel */
	uint8_t at[4];
} order;

static const order orders[] = {
	{XC_LAYOUT_GREY, 1, 1, {0}},       {XC_LAYOUT_GREY_ALPHA, 2, 2, {0, 1}},
	{XC_LAYOUT_RGB, 3, 3, {0, 1, 2}},  {XC_LAYOUT_RGBA, 4, 4, {0, 1, 2, 3}},
	{XC_LAYOUT_BGR, 3, 3, {2, 1, 0}},  {XC_LAYOUT_BGRA, 4, 4, {2, 1, 0, 3}},
	{XC_LAYOUT_RGBX, 3, 4, {0, 1, 2}}, {XC_LAYOUT_BGRX, 3, 4, {2, 1, 0}},
};

static const order *order_for(const xc_picture *p, uint64_t *seed)
{
	const order *o;

	do
		o = &orders[check_below(seed, COUNT(orders))];
	while (o->channels != p->channels);
	return o;
}

/* Memory for rows of a picture in another order, upside down if the seed says so. */
typedef struct block {
	const order *order;
	xc_pixels pixels;
	uint8_t *memory;
} block;

static block make_block(const xc_picture *p, const order *o, uint32_t rows, uint64_t *seed)
{
	const size_t stride = (size_t)p->width * o->samples * p->depth / 8 + 2 * check_below(seed, 3);
	const int turned = check_below(seed, 2) != 0;
	block b =
		{.order = o,
	     .pixels = {.layout = o->layout, .width = p->width, .height = rows, .depth = p->depth}};

	b.memory = xc_test_malloc(stride * rows);
	memset(b.memory, 0x5a, stride * rows);
	b.pixels.plane[0] = b.memory + (turned ? (rows - 1) * stride : 0);
	b.pixels.stride[0] = turned ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
	return b;
}

static uint8_t *sample_at(const block *b, uint32_t x, uint32_t y, uint32_t channel)
{
	const size_t bytes = b->pixels.depth / 8;
	return (uint8_t *)b->pixels.plane[0] + (ptrdiff_t)y * b->pixels.stride[0] +
	       ((size_t)x * b->order->samples + b->order->at[channel]) * bytes;
}

static void fill(block *b, const xc_picture *p, uint32_t first)
{
	const size_t bytes = p->depth / 8;

	for (uint32_t y = 0; y < b->pixels.height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t c = 0; c < p->channels; c++)
				memcpy(sample_at(b, x, y, c),
				       (const uint8_t *)p->data + (first + y) * p->stride +
				           ((size_t)x * p->channels + c) * bytes,
				       bytes);
}

static void compare(const block *b, const xc_picture *p, uint32_t first)
{
	const size_t bytes = p->depth / 8;

	for (uint32_t y = 0; y < b->pixels.height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t c = 0; c < p->channels; c++)
				FUZZ_CHECK(!memcmp(sample_at(b, x, y, c),
				                   (const uint8_t *)p->data + (first + y) * p->stride +
				                       ((size_t)x * p->channels + c) * bytes,
				                   bytes),
				           "layout %d: another sample at %u,%u", (int)b->order->layout, x,
				           first + y);
}

/* ----------------------------------------------------------------- encoding */

static void give_own_rows(xc_encoder *e, const xc_picture *p, uint32_t y, uint32_t *n)
{
	void *rows;
	size_t stride;

	FUZZ_CHECK(xc_encoder_room(e, &rows, &stride, n) == XC_OK && *n, "no room at row %u", y);
	for (uint32_t i = 0; i < *n; i++)
		memcpy((uint8_t *)rows + i * stride, (const uint8_t *)p->data + (y + i) * p->stride,
		       (size_t)p->width * p->channels * p->depth / 8);
	FUZZ_CHECK(xc_encoder_rows(e, rows, stride, *n) == XC_OK, "rows in place at %u", y);
}

static void encode_rows(xc_context *c, const xc_recipe *r, uint64_t seed, xc_bytes *file)
{
	const xc_picture *p = &r->picture;
	const order *const o = order_for(p, &seed);
	const int own = o->channels == o->samples && o->layout <= XC_LAYOUT_RGBA;
	OWN_ENCODER e = NULL;

	FUZZ_OK(c, xc_encoder_new(c, p, NULL, &r->options, keep, file, &e));
	for (uint32_t y = 0, n; y < p->height; y += n) {
		n = 1 + check_below(&seed, p->height - y);
		if (own && check_below(&seed, 2)) {
			give_own_rows(e, p, y, &n);
		} else if (own && check_below(&seed, 2)) {
			FUZZ_CHECK(xc_encoder_rows(e, (const uint8_t *)p->data + y * p->stride, p->stride, n) ==
			               XC_OK,
			           "%s", xc_context_message(c));
		} else {
			block b = make_block(p, o, n, &seed);
			fill(&b, p, y);
			FUZZ_OK(c, xc_encoder_pixels(e, &b.pixels));
			free(b.memory);
		}
	}
	FUZZ_CHECK(xc_encoder_metadata(e, &r->metadata) == XC_OK && xc_encoder_end(e) == XC_OK, "%s",
	           xc_context_message(c));
}

/* ----------------------------------------------------------------- decoding */

static void decode_rows(xc_context *c, const xc_bytes *file, const xc_picture *whole, uint64_t seed)
{
	const xc_source source = {.memory = file->data, .size = file->size};
	const order *const o = order_for(whole, &seed);
	xc_decoder *d;

	FUZZ_OK(c, xc_decoder_new(c, &source, NULL, &d));
	for (uint32_t y = 0, n; y < whole->height; y += n) {
		n = 1 + check_below(&seed, whole->height - y);
		block b = make_block(whole, o, n, &seed);
		FUZZ_OK(c, xc_decoder_pixels(d, &b.pixels));
		compare(&b, whole, y);
		free(b.memory);
	}
	FUZZ_OK(c, xc_decoder_finish(d));
	xc_decoder_free(d);
	block b = make_block(whole, order_for(whole, &seed), whole->height, &seed);
	FUZZ_OK(c, xc_decode_pixels(c, file->data, file->size, NULL, &b.pixels));
	compare(&b, whole, 0);
	free(b.memory);
}

/* The planes of a file as they are, into planes and from there into the same file
 * but for the codes. */
static void through_planes(xc_context *c, const xc_bytes *file, const xc_recipe *r)
{
	static const xc_layout layouts[] = {XC_LAYOUT_YCBCR_420, XC_LAYOUT_YCBCR_422,
	                                    XC_LAYOUT_YCBCR_444};
	const xc_picture *const p = &r->picture;
	xc_info info;

	FUZZ_OK(c, xc_read_info(c, file->data, file->size, &info));
	const xc_subsampling s = info.subsampling;
	if (info.lossless || s == XC_SUBSAMPLING_GREY || p->depth != 8 || p->channels != 3 ||
	    r->options.colour != XC_COLOUR_YCBCR)
		return;
	const int nv12 = s == XC_SUBSAMPLING_420 && (p->width & 1);
	const uint32_t wide = s == XC_SUBSAMPLING_444 ? p->width : (p->width + 1) / 2;
	const uint32_t high = s == XC_SUBSAMPLING_420 ? (p->height + 1) / 2 : p->height;
	OWN_MEMORY uint8_t *luma = xc_test_malloc((size_t)p->width * p->height);
	OWN_MEMORY uint8_t *chroma = xc_test_malloc((size_t)wide * high * 2);
	xc_pixels planes = {.layout = nv12 ? XC_LAYOUT_NV12 : layouts[s],
	                    .width = p->width,
	                    .height = p->height,
	                    .depth = 8,
	                    .plane = {luma, chroma, nv12 ? NULL : chroma + (size_t)wide * high},
	                    .stride = {p->width, nv12 ? 2 * wide : wide, nv12 ? 0 : wide}};
	OWN_BUFFER(c, again);
	FUZZ_OK(c, xc_decode_pixels(c, file->data, file->size, NULL, &planes));
	FUZZ_OK(c, xc_encode_pixels(c, &planes, NULL, &r->options, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];
	OWN_BYTES rows = {0};
	xc_recipe r;
	xc_buffer file;
	xc_picture whole = {0};

	if (size < XC_RECIPE_BYTES)
		return 0;
	const size_t n = (size_t)xc_fuzz_contexts(c);
	xc_context *const one = c[size % n], *const other = c[(size + 1) % n];
	xc_recipe_make(data, size, 160, &r);
	encode_rows(one, &r, size, &rows);
	FUZZ_OK(other, xc_encode(other, &r.picture, &r.metadata, &r.options, &file));
	FUZZ_CHECK(file.size == rows.size && !memcmp(file.data, rows.data, file.size),
	           "rows give another file");
	FUZZ_OK(other, xc_decode(other, file.data, file.size, NULL, &whole));
	decode_rows(one, &rows, &whole, size);
	through_planes(one, &rows, &r);
	xc_buffer_free(other, &file);
	xc_picture_free(other, &whole);
	free(r.picture.data);
	return 0;
}
