/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every size from 1x1 to 33x33, every layout, depth and subsampling: colours come back
 * nearly, alpha exactly.  And how near 16-bit samples come at quality 100.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/codec.h"

enum { MAX = 33 }; /* two MCUs of 16 and a pixel */

/* A layout takes every third or seventh size, and other layouts begin at other ones. Odd steps meet both ways to code. */
static unsigned every(void)
{
	return getenv("XC_FULL") ? 3 : 7;
}

static xc_context *context;

static int has_alpha(const xc_picture *p)
{
	return p->channels % 2 == 0;
}

static uint32_t colours(const xc_picture *p)
{
	return p->channels < 3 ? 1 : 3;
}

/* What a sample of the decoded picture should be: the original's, or its luma where
 * the colour was dropped. */
static double wanted(const xc_picture *in, const xc_picture *out, uint32_t x, uint32_t y,
                     uint32_t c)
{
	if (colours(in) == colours(out))
		return xc_sample_at(in, x, y, c);
	return 0.299 * xc_sample_at(in, x, y, 0) + 0.587 * xc_sample_at(in, x, y, 1) +
	       0.114 * xc_sample_at(in, x, y, 2);
}

typedef struct error {
	double mse, max;
} error;

static error compare(const xc_picture *in, const xc_picture *out)
{
	error e = {0, 0};

	for (uint32_t y = 0; y < in->height; y++) {
		for (uint32_t x = 0; x < in->width; x++) {
			for (uint32_t c = 0; c < colours(out); c++) {
				const double d = fabs(wanted(in, out, x, y, c) - xc_sample_at(out, x, y, c));
				e.mse += d * d;
				e.max = fmax(e.max, d);
			}
			if (has_alpha(in))
				CHECK(xc_sample_at(in, x, y, in->channels - 1) ==
				          xc_sample_at(out, x, y, out->channels - 1),
				      "alpha at %u,%u", x, y);
		}
	}
	e.mse /= (double)in->width * in->height * colours(out);
	return e;
}

/* 0: failed, said so. */
static int back_again(const xc_picture *in, const xc_encode_options *o, error *e)
{
	OWN_BUFFER(context, file);
	OWN_DECODED(context, out);
	xc_status s = xc_encode(context, in, NULL, o, &file);

	if (!s)
		s = xc_decode(context, file.data, file.size, NULL, &out);
	CHECK(!s, "%ux%u: %s", in->width, in->height, xc_context_message(context));
	if (!s) {
		const uint32_t channels = o->subsampling == XC_SUBSAMPLING_GREY && colours(in) == 3
		                              ? in->channels - 2
		                              : in->channels;
		CHECK(out.width == in->width && out.height == in->height && out.depth == in->depth &&
		          out.channels == channels,
		      "%ux%u: got %ux%u, %u channels of %u bits", in->width, in->height, out.width,
		      out.height, out.channels, out.depth);
		*e = compare(in, &out);
	}
	return !s;
}

/* At quality 100 coefficients have a uniform error of variance 1/12, and so have samples
 * of Y, Cb and Cr.  Colours add these with gains of at most 1 + 1.772^2, and rounding adds
 * another 1/12: a mean squared error of 0.43 levels, around which the smallest pictures
 * scatter.  Halved chroma loses what the filter cannot restore of the slow waves, which is
 * below 1.5 levels of 8 bits.  Effort above 0 takes more error for fewer bits: no more than
 * twice as much where all steps are 1. */
static double max_mse(uint32_t depth, xc_subsampling s, int effort)
{
	const double unit = depth == 8 ? 1 : 257;

	if (s == XC_SUBSAMPLING_420 || s == XC_SUBSAMPLING_422)
		return 1.5 * 1.5 * unit * unit;
	return effort ? 2 : 1;
}

static void check_sizes(uint32_t channels, uint32_t depth, xc_subsampling s, xc_huffman huffman,
                        xc_transform transform)
{
	double worst = 0;
	xc_encode_options o = xc_test_options(100, s, transform, huffman);
	/* Each size is a corner of one picture. */
	xc_picture in = xc_test_picture(MAX, MAX, channels, depth, 6, 0);

	for (uint32_t h = 1; h <= MAX; h++) {
		for (uint32_t w = 1; w <= MAX; w++) {
			error e;
			if ((w + h + channels + depth / 8 + s + transform) % every())
				continue;
			in.width = w;
			in.height = h;
			o.effort = (int)(w % (XC_MOST_EFFORT + 1));
			xc_test_coding(&o, huffman | (h % 2 ? XC_TEST_RANS : 0) |
			                       (w / 4 % 2 ? XC_TEST_COMPONENTS : 0));
			const xc_subsampling used = channels < 3 ? XC_SUBSAMPLING_GREY : s;
			if (back_again(&in, &o, &e)) {
				CHECK(e.mse <= max_mse(depth, used, o.effort),
				      "%ux%u, effort %d: mean squared error %g", w, h, o.effort, e.mse);
				worst = fmax(worst, e.mse);
			}
		}
	}
	free(in.data);
	printf("# worst mean squared error %.3f\n", worst);
}

static void all_sizes(void)
{
	static const char *const subsamplings[] = {"4:2:0", "4:2:2", "4:4:4", "grey"};
	static const char *const transforms[] = {"DCT", "LOT", "TDLT"};
	static const char *const layouts[] = {"", "grey", "grey+alpha", "RGB", "RGBA"};

	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		for (uint32_t channels = 1; channels <= 4; channels++) {
			for (int s = channels < 3 ? XC_SUBSAMPLING_GREY : 0; s <= XC_SUBSAMPLING_GREY; s++) {
				for (int t = 0; t <= XC_TRANSFORM_TDLT; t++) {
					/* The lapped ones with the plain layouts. */
					if (t && channels % 2 == 0)
						continue;
					check_begin("%s of %u bits, %s, %s, all sizes", layouts[channels], depth,
					            subsamplings[s], transforms[t]);
					check_sizes(channels, depth, (xc_subsampling)s,
					            (channels + depth) % 3 ? XC_HUFFMAN_OPTIMIZED : XC_HUFFMAN_DEFAULT,
					            (xc_transform)t);
					check_end();
				}
			}
		}
	}
}

/* The largest error of a 16-bit sample at quality 100, where all steps are 1: each
 * coefficient is off by at most 1/2, so a sample by half the sum of the magnitudes of
 * its 64 basis values; colours add chroma's with 1.772 at most; then comes rounding.
 * What float arithmetic adds is bounded by 16 operations of 2^-24 on values up to
 * 2^19 on either way: 1. */
static double sixteen_bit_bound(double gains)
{
	double max = 0;

	for (int x = 0; x < 8; x++) {
		double sum = 0;
		for (int u = 0; u < 8; u++)
			sum += fabs(xc_test_dct(u, x));
		max = fmax(max, sum);
	}
	return 0.5 * max * max * gains + 0.5 + gains;
}

static void sixteen_bits(int of)
{
	const uint32_t channels = (uint32_t)of;
	xc_encode_options o = xc_test_options(100, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT,
	                                      XC_HUFFMAN_OPTIMIZED);
	error e;

	o.effort = 0;
	const double bound = sixteen_bit_bound(channels == 1 ? 1 : 2.772);
	OWN_PICTURE in = xc_test_picture(301, 203, channels, 16, 0, 1);
	/* Full contrast and noise in parts of it. */
	uint64_t seed = 6;
	for (uint32_t y = 0; y < 100; y++) {
		uint16_t *row = (uint16_t *)((uint8_t *)in.data + y * in.stride);
		for (uint32_t i = 0; i < in.width * channels; i++)
			row[i] = (uint16_t)(check_random(&seed) >> 48 | (y < 50 ? 0u : (i & 1) * 65535u));
	}
	if (back_again(&in, &o, &e)) {
		printf("# largest error %g of %.2f, PSNR %.2f dB\n", e.max, bound,
		       10 * log10(65535.0 * 65535.0 / e.mse));
		CHECK(e.max <= bound, "largest error %g, not %g", e.max, bound);
		CHECK(e.mse <= 1, "mean squared error %g", e.mse);
	}
}

/* A picture of one level keeps it exactly at quality 100, at any level, and within
 * half a step of the DC at any quality.  Effort above 0 rounds to sixteenths of a step
 * first, which can add a half of one. */
static void constant_pictures(int effort)
{
	for (int quality = 100; quality > 0; quality -= 33) {
		for (unsigned v = 0; v < 256; v++) {
			uint8_t pixels[13 * 17], back[13 * 17];
			xc_encode_options o = xc_test_defaults();
			xc_picture in = {13, 17, 1, 8, 13, pixels}, out = {13, 17, 1, 8, 13, back};
			xc_buffer file;
			xc_info info;
			memset(pixels, (int)v, sizeof pixels);
			o.quality = quality;
			o.effort = effort;
			REQUIRE_OK(context, xc_encode(context, &in, NULL, &o, &file));
			CHECK_OK(context, xc_decode(context, file.data, file.size, NULL, &out));
			CHECK_OK(context, xc_read_info(context, file.data, file.size, &info));
			xc_buffer_free(context, &file);
			const unsigned max = info.quant[0][0] * (effort ? 17u : 16u) / 256 + (quality < 100);
			for (size_t i = 0; i < sizeof back; i++)
				CHECK((unsigned)abs(back[i] - (int)v) <= max, "quality %d: %u became %u", quality,
				      v, back[i]);
		}
	}
}

int main(void)
{
	context = xc_test_context();
	xc_context_set_threads(context, 1);
	all_sizes();
	RUN_FOR("grey", 1, sixteen_bits);
	RUN_FOR("colour", 3, sixteen_bits);
	RUN_FOR("effort 0", 0, constant_pictures);
	RUN_FOR("effort 2", 2, constant_pictures);
	xc_context_free(context);
	return check_done();
}
