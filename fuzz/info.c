/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to the functions that describe a file. */
#include <xcodec_jpeg.h>

#include "fuzz/fuzz.h"

static void check_info(const xc_info *i, size_t size)
{
	FUZZ_CHECK(i->file_bytes == size, "%llu bytes", (unsigned long long)i->file_bytes);
	FUZZ_CHECK(i->width && i->height && (uint64_t)i->width * i->height <= XC_FUZZ_PIXELS, "%ux%u",
	           i->width, i->height);
	FUZZ_CHECK(i->components == 1 || i->components == 3, "%u components", i->components);
	FUZZ_CHECK(i->segments, "no segments");
	for (uint32_t c = 0; c < i->components; c++)
		for (int k = 0; k < 64; k++)
			FUZZ_CHECK(i->quant[c][k] >= 1 && i->quant[c][k] <= 65535, "step %u", i->quant[c][k]);
}

static void segments(xc_context *c, const uint8_t *data, size_t size, const xc_info *info)
{
	uint64_t pixels = 0, i = 0;
	xc_segment_info s;

	for (; i < info->segments && i < 200; i++) {
		FUZZ_OK(c, xc_read_segments(c, data, size, i, 1, &s));
		FUZZ_CHECK(!s.intact || s.offset + s.size <= size, "segment %llu is not in the file",
		           (unsigned long long)i);
		FUZZ_CHECK(s.x + (uint64_t)s.width <= info->width &&
		               s.y + (uint64_t)s.height <= info->height,
		           "segment %llu lies outside", (unsigned long long)i);
		pixels += (uint64_t)s.width * s.height;
	}
	FUZZ_CHECK(i < info->segments || pixels == (uint64_t)info->width * info->height, "%llu pixels",
	           (unsigned long long)pixels);
}

static void usage(const xc_bit_usage *u, const xc_info *info)
{
	uint64_t bits = u->padding_bits;

	for (uint32_t c = 0; c < info->components; c++) {
		bits += u->dc_bits[c] + u->ac_bits[c];
		FUZZ_CHECK(u->nonzero[c] <= 63 * u->blocks[c], "too many coefficients");
	}
	/* More than there are is possible: reserved symbols are weighed as if made anew. */
	FUZZ_CHECK(bits + 8 * 32 > info->segment_bytes * 8, "%llu bits of %llu bytes",
	           (unsigned long long)bits, (unsigned long long)info->segment_bytes);
	FUZZ_CHECK(u->padding_bits <= info->segment_bytes * 8, "%llu bits of padding",
	           (unsigned long long)u->padding_bits);
}

static void describe(const uint8_t *data, size_t size)
{
	OWN_CONTEXT c = xc_fuzz_context(0);
	xc_info info;
	xc_bit_usage u;
	xc_coefficients k;
	const int described = xc_read_info(c, data, size, &info) == XC_OK;

	if (described)
		check_info(&info, size);
	if (described && !xc_jpeg_is(data, size))
		segments(c, data, size, &info);
	if (xc_read_bit_usage(c, data, size, &u) == XC_OK) {
		FUZZ_CHECK(described, "bits of a file that cannot be described");
		usage(&u, &info);
	}
	if (xc_decode_coefficients(c, data, size, &k) == XC_OK)
		FUZZ_CHECK(described && k.components == info.components, "%u components", k.components);
	xc_coefficients_free(c, &k);
	xc_buffer jpeg;
	xc_jpeg_transcode(c, data, size, (int)(size & 1), &jpeg);
	xc_buffer_free(c, &jpeg);
	uint64_t damaged;
	const xc_status s = xc_jpeg_rescue(c, data, size, &jpeg, &damaged);
	FUZZ_CHECK(!s == (jpeg.data != NULL), "status %d and %zu bytes", s, jpeg.size);
	FUZZ_CHECK(s || !damaged || *xc_context_message(c), "nothing is said of %llu damaged segments",
	           (unsigned long long)damaged);
	xc_buffer_free(c, &jpeg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_fuzz_fixed(data, size, describe);
	return 0;
}
