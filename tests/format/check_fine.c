/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fine steps. The largest coefficients that samples can make come back, whatever the transform and
 * the depth; errors fall as the quality grows; noise takes no more than its samples; rANS takes no
 * more than Huffman codes.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/format/refdec_compare.h"
#include "tests/support/band_reference.h"
#include "tests/support/codec.h"
#include "tests/support/memory_checks.h"

static const char *const names[] = {"DCT", "LOT", "TDLT"};
static xc_context *context;

static void set(const xc_picture *p, uint32_t x, uint32_t y, uint32_t channel, uint32_t value)
{
	uint8_t *row = (uint8_t *)p->data + y * p->stride;
	const size_t i = (size_t)x * p->channels + channel;

	if (p->depth == 8)
		row[i] = (uint8_t)value;
	else
		((uint16_t *)(void *)row)[i] = (uint16_t)value;
}

static uint32_t largest_error(const xc_picture *a, const xc_picture *b)
{
	uint32_t max = 0;

	for (uint32_t y = 0; y < a->height; y++) {
		for (uint32_t i = 0; i < a->width * a->channels; i++) {
			const int32_t d = (int32_t)xc_sample_at(a, i / a->channels, y, i % a->channels) -
			                  (int32_t)xc_sample_at(b, i / a->channels, y, i % a->channels);
			max = (uint32_t)abs(d) > max ? (uint32_t)abs(d) : max;
		}
	}
	return max;
}

/* How error_of() encodes: as the options say, or in the smallest way; the reference decoder
 * confirms the last. */
enum { AS_TOLD, SMALLEST, CONFIRMED };

/* The largest error of a picture that is encoded and decoded. */
static uint32_t error_of(const xc_picture *p, const xc_encode_options *o, size_t *size, int how)
{
	OWN_BUFFER(context, file);
	OWN_DECODED(context, out);

	CHECK_OK(context, how == AS_TOLD ? xc_test_coded(context, p, o, &file)
	                                 : xc_encode(context, p, NULL, o, &file));
	const xc_status s = xc_decode(context, file.data, file.size, NULL, &out);
	CHECK_OK(context, s);
	const char *objection = how == CONFIRMED
	                            ? refdec_objection(s, &out, file.data, file.size, 1 << 24)
	                            : NULL;
	CHECK(!objection, "the reference decoder: %s", objection);
	const uint32_t error = out.data ? largest_error(p, &out) : UINT32_MAX;
	if (size)
		*size = file.size;
	return error;
}

/* ------------------------------------------------------------------ ranges */

enum { SIDE = 48, BLOCK = 24 };

static xc_encode_options options(int quality, int transform, int entropy, int effort)
{
	xc_encode_options o = xc_test_options(quality, XC_SUBSAMPLING_444, (xc_transform)transform,
	                                      XC_HUFFMAN_OPTIMIZED);

	o.entropy = (xc_entropy)entropy;
	o.effort = effort;
	return o;
}

/* Where the basis function of frequencies (u, v) is positive, samples are the largest, elsewhere 0,
 * or the other way round: its coefficient is as large as any can be. */
static void extreme(const xc_picture *p, const reference *r, int u, int v, int negative)
{
	const uint32_t max = p->depth == 8 ? 255 : 65535;

	for (int y = 0; y < SIDE; y++) {
		for (int x = 0; x < SIDE; x++) {
			const int i = x - BLOCK - r->first, j = y - BLOCK - r->first;
			const int in = i >= 0 && i < r->length && j >= 0 && j < r->length;
			const long double b = in ? r->basis[u][i] * r->basis[v][j] : 0;
			set(p, (uint32_t)x, (uint32_t)y, 0, (b < 0) == negative ? max : 0);
		}
	}
}

static void ranges(int transform)
{
	reference r;
	long double max = 0;

	(transform == XC_TRANSFORM_DCT   ? reference_dct(&r)
	 : transform == XC_TRANSFORM_LOT ? reference_lot(&r, 0)
	                                 : reference_tdlt(&r));
	for (int k = 0; k < 8; k++) {
		long double sum = 0;
		for (int n = 0; n < r.length; n++)
			sum += fabsl(r.basis[k][n]);
		max = sum > max ? sum : max;
	}
	/* What src/encode/plan.c and doc/format.md say. */
	CHECK(max * max * 128 <= 1420 && max * max * 32768 <= 363000, "%.4Lf", max * max);
	for (uint32_t depth = 8; depth <= 16; depth += 8) {
		OWN_PICTURE p = xc_test_picture(SIDE, SIDE, 1, depth, 0, 0);
		for (int k = 0; k < 128; k++) {
			extreme(&p, &r, k % 8, k / 8 % 8, k / 64);
			for (int effort = 0; effort < 3; effort++) {
				const xc_encode_options o = options(100, transform, k % 2, effort);
				const uint32_t error = error_of(&p, &o, NULL, AS_TOLD);
				CHECK(error <= (transform ? 3 : 1), "depth %u, frequencies %d, %d, effort %d: %u",
				      depth, k % 8, k / 8 % 8, effort, error);
			}
		}
	}
}

/* ------------------------------------------------------------------ errors by quality */

enum { EDGES, NOISE, RAMP, KINDS };

static xc_picture made(int kind, uint32_t width, uint32_t height, uint32_t channels, uint32_t depth)
{
	xc_picture p = xc_test_picture(width, height, channels, depth, 0, 0);
	const uint32_t max = depth == 8 ? 255 : 65535;
	uint64_t seed = 1;

	for (uint32_t y = 0; y < height; y++)
		for (uint32_t x = 0; x < width; x++)
			for (uint32_t c = 0; c < channels; c++)
				set(&p, x, y, c,
				    kind == EDGES   ? (x > 20) != (y < 26 + x / 3) ? max : 0
				    : kind == NOISE ? (uint32_t)(check_random(&seed) >> 40) & max
				                    : max / (width + height) * (x + y));
	return p;
}

/* Decisions may give up several coefficients of a block at once, so of them the error
 * is not monotonous. */
static void errors_by_quality(int transform)
{
	for (int i = 0; i < KINDS * 8; i++) {
		const int kind = i % KINDS, effort = i / KINDS % 2, entropy = i / KINDS / 2 % 2;
		const uint32_t depth = i / KINDS / 4 ? 16 : 8;
		OWN_PICTURE p = made(kind, 64, 64, 1, depth);
		uint32_t before = UINT32_MAX;
		for (int quality = 1; quality <= 100; quality++) {
			const xc_encode_options o = options(quality, transform, entropy, effort);
			uint32_t step = 0;
			xc_info info = {0};
			xc_buffer file;
			const uint32_t error = error_of(&p, &o, NULL, AS_TOLD);
			REQUIRE_OK(context, xc_test_coded(context, &p, &o, &file));
			REQUIRE_OK(context, xc_read_info(context, file.data, file.size, &info));
			for (int k = 0; k < 64; k++)
				step = info.quant[0][k] > step ? info.quant[0][k] : step;
			xc_buffer_free(context, &file);
			CHECK(before == UINT32_MAX || error <= before + step,
			      "kind %d of %u, effort %d, quality %d: %u after %u", kind, depth, effort, quality,
			      error, before);
			before = error;
		}
		CHECK(before <= (transform ? 3 : 1), "kind %d of %u, quality 100: %u", kind, depth, before);
	}
}

/* ------------------------------------------------------------------ sizes */

/* Noise of one row more and one column more than blocks have. */
static void noise(int subsampling)
{
	for (int i = 0; i < 24; i++) {
		const uint32_t depth = i % 2 ? 16 : 8,
					   channels = subsampling == XC_SUBSAMPLING_GREY ? 1 : 3;
		OWN_PICTURE p = made(NOISE, 129, 97, channels, depth);
		const size_t all = (size_t)p.width * p.height * channels * depth / 8;
		xc_encode_options o = options(i < 12 ? 100 : 98, i / 2 % 3, i / 6 % 2, i % 3);
		size_t size = 0;
		o.subsampling = (xc_subsampling)subsampling;
		if (i % 5 == 0)
			o.huffman = XC_HUFFMAN_DEFAULT;
		const uint32_t error = error_of(&p, &o, &size, CONFIRMED);
		CHECK(size <= all + all / 100 + 300, "%zu of %zu bytes", size, all);
		CHECK(o.quality < 100 || (channels > 1 && subsampling != XC_SUBSAMPLING_444) ||
		          error <= (channels > 1 ? 3 : 1),
		      "error %u", error);
	}
}

/* Stored samples: of threads, of rows as they come, of regions and of reduced sizes. */
static void stored(void)
{
	xc_picture p = made(NOISE, 501, 333, 1, 8), out = {0}, part = {0};
	const xc_encode_options o = options(100, XC_TRANSFORM_TDLT, XC_ENTROPY_RANS, 2);
	xc_decode_options d = {.region = {100, 50, 200, 120}};
	OWN_SINK sink = {{0}, 0, 0};
	xc_info info;
	xc_bit_usage u;
	OWN_BUFFER(context, file);
	OWN_BUFFER(context, other);

	REQUIRE_OK(context, xc_encode(context, &p, NULL, &o, &file));
	CHECK_OK(context, xc_read_info(context, file.data, file.size, &info));
	CHECK(info.entropy == XC_ENTROPY_NONE && info.transform == XC_TRANSFORM_NONE, "coded");
	CHECK_OK(context, xc_read_bit_usage(context, file.data, file.size, &u));
	CHECK(u.raw_bits[0] == (uint64_t)8 * 501 * 333 && !u.padding_bits, "other bits");
	xc_context_set_threads(context, 3);
	CHECK_OK(context, xc_encode(context, &p, NULL, &o, &other));
	CHECK(other.size == file.size && !memcmp(other.data, file.data, file.size), "threads");
	CHECK_OK(context, xc_test_stream(context, &p, NULL, &o, 5, &sink));
	CHECK(sink.bytes.size == file.size && !memcmp(sink.bytes.data, file.data, file.size), "rows");
	CHECK_OK(context, xc_decode(context, file.data, file.size, NULL, &out));
	CHECK(xc_sample_equal(&p, &out), "grey is not exact");
	CHECK_OK(context, xc_decode(context, file.data, file.size, &d, &part));
	for (uint32_t i = 0; part.data && i < 200 * 120; i++)
		CHECK(xc_sample_at(&part, i % 200, i / 200, 0) ==
		          xc_sample_at(&p, 100 + i % 200, 50 + i / 200, 0),
		      "region, %u", i);
	xc_picture_free(context, &part);
	d = (xc_decode_options){.scale = 8};
	CHECK_OK(context, xc_decode(context, file.data, file.size, &d, &part));
	for (uint32_t i = 0; part.data && i < 62 * 41; i++) {
		double sum = 0;
		for (uint32_t k = 0; k < 64; k++)
			sum += xc_sample_at(&p, i % 62 * 8 + k % 8, i / 62 * 8 + k / 8, 0);
		CHECK(fabs(sum / 64 - xc_sample_at(&part, i % 62, i / 62, 0)) < 0.51, "reduced, %u", i);
	}
	xc_context_set_threads(context, 1);
	xc_picture_free(context, &part);
	xc_picture_free(context, &out);
	free(p.data);
}

/* From quality 97 on. */
static void rans_and_huffman(int depth)
{
	for (int i = 0; i < 24; i++) {
		OWN_PICTURE p = i % 4 < KINDS ? made(i % 4, 150, 130, 1 + i / 4 % 2 * 2, (uint32_t)depth)
		                              : xc_test_picture(150, 130, 3, (uint32_t)depth, 0, 1);
		xc_encode_options o = options(i % 8 < 4 ? 100 : 97, i % 3, XC_ENTROPY_HUFFMAN, 2);
		size_t huffman = 0, rans = 0;
		error_of(&p, &o, &huffman, SMALLEST);
		o.entropy = XC_ENTROPY_RANS;
		error_of(&p, &o, &rans, SMALLEST);
		CHECK(rans <= huffman + huffman / 200, "picture %d: rANS %zu, Huffman %zu", i, rans,
		      huffman);
	}
}

int main(void)
{
	context = xc_test_context();
	xc_context_set_threads(context, 1);
	for (int t = 0; t < 3; t++)
		RUN_FOR(names[t], t, ranges, errors_by_quality);
	for (int s = 0; s <= XC_SUBSAMPLING_GREY; s++)
		RUN_FOR("noise", s, noise);
	RUN(stored);
	RUN_FOR("8 bits", 8, rans_and_huffman);
	RUN_FOR("16 bits", 16, rans_and_huffman);
	xc_context_free(context);
	return check_done();
}
