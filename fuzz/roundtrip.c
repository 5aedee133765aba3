/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any picture with any options, encoded and decoded.  The input: a byte each for width,
 * height, channels and depth, quality, subsampling with kind of codes, transform and
 * effort, tables, stride, SIMD levels with entropy coding and colour; then samples, repeated as needed.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "tests/support/check.h"

enum { FIELDS = 8 };

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	uint64_t seed = i;
	out->size = 0;
	for (int k = 0; k < FIELDS; k++)
		xc_bytes_add_u8(out, (uint32_t)check_random(&seed));
	for (int k = 0; k < 64; k++)
		xc_bytes_add_u8(out, (uint32_t)(check_random(&seed) >> (i % 2 ? 60 : 56)));
}

static void set_options(xc_encode_options *o, const uint8_t f[FIELDS])
{
	xc_encode_options_default(o);
	o->quality = 1 + f[3] % 100;
	o->subsampling = (xc_subsampling)(f[4] % 4);
	o->huffman = (xc_huffman)(f[4] / 4 % 2);
	o->transform = (xc_transform)(f[4] / 8 % 3);
	o->effort = f[4] / 24 % (XC_MOST_EFFORT + 1);
	o->entropy = (xc_entropy)(f[7] % 2);
	if (o->subsampling == XC_SUBSAMPLING_444)
		o->colour = (xc_colour)(f[7] / 2 % 2);
	if (f[5] & 1)
		xc_quant_tables_flat(&o->tables);
	for (int i = 0; f[5] & 2 && i < 64; i++) {
		o->tables.luma[i] = (uint16_t)(1 + (f[5] >> 2) * i * i);
		o->tables.chroma[i] = (uint16_t)(1 + (f[5] >> 2) * 16 * i);
	}
}

static xc_picture make_picture(const uint8_t f[FIELDS], const uint8_t *samples, size_t n)
{
	const uint32_t depth = f[2] & 4 ? 16 : 8;
	xc_picture p = {1 + f[0] % 160u, 1 + f[1] % 160u, 1 + f[2] % 4u, depth, 0, NULL};
	p.stride = (size_t)p.width * p.channels * (depth / 8) + f[6] % 4 * 2;
	p.data = xc_test_malloc(p.stride * p.height);
	for (size_t i = 0; i < p.stride * p.height; i++)
		((uint8_t *)p.data)[i] = n ? samples[(i * (f[6] | 1) + i / p.stride) % n] : f[6];
	return p;
}

/* As many channels as the file has: colour can be dropped, alpha never. */
static void check_alpha(const xc_picture *in, const xc_picture *out)
{
	FUZZ_CHECK(in->width == out->width && in->height == out->height && in->depth == out->depth,
	           "%ux%u became %ux%u", in->width, in->height, out->width, out->height);
	FUZZ_CHECK(in->channels % 2 == out->channels % 2, "%u channels became %u", in->channels,
	           out->channels);
	for (uint32_t y = 0; in->channels % 2 == 0 && y < in->height; y++)
		for (uint32_t x = 0; x < in->width; x++)
			FUZZ_CHECK(xc_sample_at(in, x, y, in->channels - 1) ==
			               xc_sample_at(out, x, y, out->channels - 1),
			           "alpha differs at %u,%u", x, y);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_encode_options o;
	xc_buffer file, again;
	xc_picture out = {0};
	xc_bit_usage usage;
	if (size < FIELDS)
		return 0;
	xc_picture in = make_picture(data, data + FIELDS, size - FIELDS);
	set_options(&o, data);
	xc_context *one = xc_fuzz_context(data[7] >> 2 & 7), *other = xc_fuzz_context(data[7] >> 5);
	FUZZ_CHECK(xc_encode(one, &in, NULL, &o, &file) == XC_OK, "%s", xc_context_message(one));
	FUZZ_CHECK(xc_encode(other, &in, NULL, &o, &again) == XC_OK, "%s", xc_context_message(other));
	FUZZ_CHECK(file.size == again.size && !memcmp(file.data, again.data, file.size),
	           "%s and %s give other bytes", xc_context_cpu(one), xc_context_cpu(other));
	FUZZ_CHECK(xc_decode(other, file.data, file.size, NULL, &out) == XC_OK, "%s",
	           xc_context_message(other));
	check_alpha(&in, &out);
	xc_fuzz_judge(other, XC_OK, &out, file.data, file.size);
	FUZZ_CHECK(xc_read_bit_usage(one, file.data, file.size, &usage) == XC_OK, "%s",
	           xc_context_message(one));
	xc_buffer_free(one, &file);
	xc_buffer_free(other, &again);
	xc_picture_free(other, &out);
	xc_context_free(one);
	xc_context_free(other);
	free(in.data);
	return 0;
}
