/* SPDX-License-Identifier: BSD-2-Clause */
/* What the encoder makes of XC_SUBSAMPLING_AUTO and XC_TRANSFORM_AUTO. */
#include <string.h>

#include <xcodec_pixels.h>

#include "tests/support/memory_checks.h"

/* Soft shapes, coloured stripes two pixels wide, or a few grey lines. */
typedef enum kind { SOFT, STRIPES, DRAWING } kind;

static void paint(const xc_picture *p, uint32_t from, kind k)
{
	for (uint32_t y = from; y < p->height; y++) {
		uint8_t *at = (uint8_t *)p->data + y * p->stride;
		for (uint32_t x = 0; x < p->width; x++, at += 3) {
			const uint32_t soft = 64 + (x * x / 64 + 3 * y + x * y / 32) / 4 % 64;
			at[1] = at[2] = (uint8_t)(k == DRAWING ? (x % 16 && y % 16 ? 250 : 20) : soft);
			at[0] = k == STRIPES && (x + y / 3) % 3 ? 200 : at[1];
		}
	}
}

static void expect(xc_context *c, const xc_buffer *file, xc_subsampling s, xc_transform t)
{
	xc_info i;

	REQUIRE_OK(c, xc_read_info(c, file->data, file->size, &i));
	CHECK(i.subsampling == s && i.transform == t, "subsampling %d, transform %d, not %d, %d",
	      (int)i.subsampling, (int)i.transform, (int)s, (int)t);
}

/* As RGB and BGR; with options that are given, and with planes of 4:2:0. */
static void choice(kind k, int quality, xc_subsampling s, xc_transform t)
{
	static const xc_layout layouts[] = {XC_LAYOUT_RGB, XC_LAYOUT_BGR, XC_LAYOUT_RGB,
	                                    XC_LAYOUT_NV12};
	OWN_CONTEXT c = xc_test_context();
	OWN_PICTURE p = xc_test_picture(300, 200, 3, 8, 0, 1);
	xc_encode_options o = xc_test_defaults();

	o.quality = quality;
	paint(&p, 0, k);
	for (int way = 0; way < 4; way++) {
		const ptrdiff_t stride = way < 3 ? 900 : 300;
		const xc_pixels in = {.layout = layouts[way],
		                      .width = 300,
		                      .height = 200,
		                      .depth = 8,
		                      .plane = {p.data, p.data},
		                      .stride = {stride, stride}};
		OWN_BUFFER(c, file);
		o.transform = way < 2 ? XC_TRANSFORM_AUTO : XC_TRANSFORM_LOT;
		o.subsampling = way == 2 ? XC_SUBSAMPLING_422 : XC_SUBSAMPLING_AUTO;
		CHECK_OK(c, xc_encode_pixels(c, &in, NULL, &o, &file));
		expect(c, &file, way < 2 ? s : (xc_subsampling)(way == 2), way < 2 ? t : XC_TRANSFORM_LOT);
	}
}

static void choices(void)
{
	choice(SOFT, 75, XC_SUBSAMPLING_420, XC_TRANSFORM_TDLT);
	choice(SOFT, 92, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT);
	choice(STRIPES, 75, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT);
	choice(DRAWING, 75, XC_SUBSAMPLING_420, XC_TRANSFORM_DCT);
}

/* The first rows decide, in rows, at another level and with threads too. */
static void first_rows(void)
{
	OWN_PICTURE p = xc_test_picture(1500, 2900, 3, 8, 0, 1);
	OWN_CONTEXT c = xc_test_context();
	OWN_CONTEXT other = xc_test_context();

	paint(&p, 0, STRIPES);
	paint(&p, 2798, DRAWING);
	CHECK_OK(other, xc_context_set_cpu(other, "scalar"));
	CHECK_OK(other, xc_context_set_threads(other, 3));
	/* Effort 3 keeps more rows than decide. */
	for (int effort = 2; effort < 4; effort++) {
		xc_encode_options o = xc_test_defaults();
		OWN_SINK sink = {0};
		OWN_BUFFER(c, file);
		o.effort = effort;
		CHECK_OK(c, xc_encode(c, &p, NULL, &o, &file));
		expect(c, &file, XC_SUBSAMPLING_444, XC_TRANSFORM_TDLT);
		CHECK_OK(other, xc_test_stream(other, &p, NULL, &o, 1, &sink));
		CHECK(sink.bytes.size == file.size && !memcmp(sink.bytes.data, file.data, file.size),
		      "effort %d: other bytes", effort);
	}
}

int main(void)
{
	RUN(choices, first_rows);
	return check_done();
}
