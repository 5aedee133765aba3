/* SPDX-License-Identifier: BSD-2-Clause */
/* Any picture with any options (xc_recipe_make()), encoded, decoded and compared by all SIMD levels
 * with several numbers of threads, which must agree. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	xc_recipe_seed(i, out);
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

static void same_file(xc_context *c, const xc_recipe *r, const xc_buffer *file)
{
	OWN_BUFFER(c, again);

	FUZZ_OK(c, xc_encode(c, &r->picture, &r->metadata, &r->options, &again));
	FUZZ_CHECK(file->size == again.size && !memcmp(file->data, again.data, file->size),
	           "%s with %d threads gives other bytes", xc_context_cpu(c), xc_context_threads(c));
}

/* Without loss every sample is within `most`. */
static void check_bound(xc_context *c, const xc_recipe *r, uint32_t most)
{
	xc_encode_options o = r->options;
	const xc_picture *p = &r->picture;
	OWN_BUFFER(c, file);
	xc_picture out = {0};

	o.mode = XC_MODE_LOSSLESS;
	o.max_error = most;
	FUZZ_OK(c, xc_encode(c, p, &r->metadata, &o, &file));
	FUZZ_OK(c, xc_decode(c, file.data, file.size, NULL, &out));
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t i = 0; i < p->channels; i++) {
				const int d = (int)xc_sample_at(p, x, y, i) - (int)xc_sample_at(&out, x, y, i);
				FUZZ_CHECK((uint32_t)abs(d) <= most, "a sample is off by %d at %u,%u", d, x, y);
			}
	xc_picture_free(c, &out);
}

static void same_picture(xc_context *c, const xc_buffer *file, const xc_picture *out)
{
	OWN_DECODED(c, again);

	FUZZ_OK(c, xc_decode(c, file->data, file->size, NULL, &again));
	FUZZ_CHECK(xc_sample_equal(&again, out), "%s with %d threads gives other pixels",
	           xc_context_cpu(c), xc_context_threads(c));
}

/* Metrics are the same, too, however they are asked for. */
static void same_metrics(xc_context *c, xc_context *first, const xc_picture *a, const xc_picture *b)
{
	xc_comparison one, other, single;
	double one_ms, other_ms, single_ms;

	if (a->channels != b->channels)
		return;
	FUZZ_OK(first, xc_compare_all(first, a, b, 0, &one, &one_ms));
	FUZZ_OK(c, xc_compare_all(c, a, b, 0, &other, &other_ms));
	FUZZ_CHECK(xc_compare(c, a, b, &single) == XC_OK && xc_ms_ssim(c, a, b, &single_ms) == XC_OK,
	           "%s", xc_context_message(c));
	FUZZ_CHECK(!memcmp(&one, &other, sizeof one) && !memcmp(&one_ms, &other_ms, sizeof one_ms),
	           "%s: other metrics", xc_context_cpu(c));
	FUZZ_CHECK(!memcmp(&one, &single, sizeof one) && !memcmp(&one_ms, &single_ms, sizeof one_ms),
	           "%s: other metrics alone", xc_context_cpu(c));
}

unsigned xc_fuzz_mutations = 12;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];
	xc_recipe r;
	xc_buffer file;
	xc_picture out = {0};
	xc_bit_usage usage;
	xc_info info;

	if (size < XC_RECIPE_BYTES)
		return 0;
	xc_recipe_make(data, size, 112, &r);
	const int n = xc_fuzz_contexts(c);
	FUZZ_OK(c[0], xc_encode(c[0], &r.picture, &r.metadata, &r.options, &file));
	FUZZ_OK(c[0], xc_decode(c[0], file.data, file.size, NULL, &out));
	check_alpha(&r.picture, &out);
	xc_fuzz_judge(c[0], XC_OK, &out, file.data, file.size);
	FUZZ_OK(c[0], xc_read_info(c[0], file.data, file.size, &info));
	if (!info.lossless)
		FUZZ_OK(c[0], xc_read_bit_usage(c[0], file.data, file.size, &usage));
	check_bound(c[0], &r, data[0] % 4 * (data[1] % 8));
	for (int i = 1; i < n; i++) {
		same_file(c[i], &r, &file);
		same_picture(c[i], &file, &out);
		same_metrics(c[i], c[0], &r.picture, &out);
	}
	xc_buffer_free(c[0], &file);
	xc_picture_free(c[0], &out);
	free(r.picture.data);
	return 0;
}
