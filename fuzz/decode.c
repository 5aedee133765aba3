/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to xc_decode(): as they are, and with checksums that hold.  The reference
 * decoder is the judge. */
#include "fuzz/fuzz.h"

#include <string.h>

#include "tests/format/refdec.h"

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	xc_fuzz_file(i, out);
}

static void compare(const xc_picture *p, const refdec_picture *r)
{
	size_t i = 0;
	FUZZ_CHECK(p->width == r->width && p->height == r->height && p->channels == r->channels &&
	               p->depth == r->depth,
	           "%ux%u instead of %ux%u", p->width, p->height, r->width, r->height);
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t c = 0; c < p->channels; c++, i++)
				FUZZ_CHECK(xc_sample_at(p, x, y, c) == r->samples[i],
				           "%u instead of %u at %u,%u channel %u", xc_sample_at(p, x, y, c),
				           r->samples[i], x, y, c);
}

static void decode(const uint8_t *data, size_t size)
{
	xc_context *c = xc_fuzz_context((unsigned)size);
	xc_picture p = {0};
	refdec_picture r;
	xc_decode_options go_on = {.keep_going = 1, .jpeg_rounding = size & 1};
	const xc_status s = xc_decode(c, data, size, NULL, &p);
	FUZZ_CHECK((s == XC_OK) == (p.data != NULL), "status %d", (int)s);
	FUZZ_CHECK(s == XC_OK || xc_context_message(c)[0], "no message");
	const char *error = refdec_decode(data, size, XC_FUZZ_PIXELS, &r);
	FUZZ_CHECK(s != XC_OK || !error, "accepted, but the reference says: %s", error);
	FUZZ_CHECK(s == XC_OK || s == XC_ERR_LIMIT || error, "the reference accepts what gave: %s",
	           xc_context_message(c));
	if (s == XC_OK)
		compare(&p, &r);
	free(r.samples);
	xc_picture_free(c, &p);
	const xc_status k = xc_decode(c, data, size, &go_on, &p);
	FUZZ_CHECK(k == XC_OK || s != XC_OK, "going on fails: %s", xc_context_message(c));
	/* A file may also end within the CRC of DATA or behind it. */
	FUZZ_CHECK(k != XC_OK || s == XC_OK || s == XC_ERR_TRUNCATED || go_on.damaged_segments,
	           "nothing was damaged");
	xc_picture_free(c, &p);
	xc_context_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	decode(data, size);
	uint8_t *copy = xc_test_malloc(size);
	if (size)
		memcpy(copy, data, size);
	xc_file_fix(copy, size);
	if (size && memcmp(copy, data, size))
		decode(copy, size);
	free(copy);
	return 0;
}
