/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to xc_decode(): as they are, and with checksums that hold. All SIMD levels, each with
 * another number of threads, must find the same, and the reference decoder is the judge of it. */
#include <string.h>

#include "fuzz/fuzz.h"

typedef struct result {
	xc_status status;
	xc_picture picture;
	uint64_t damaged;
	int longer; /* bytes after the end of the file */
} result;

static result decode(xc_context *c, const uint8_t *data, size_t size, int keep_going)
{
	xc_decode_options o = {.keep_going = keep_going, .jpeg_rounding = keep_going && (size & 1)};
	result r = {.picture = {0}};

	r.status = xc_decode(c, data, size, keep_going ? &o : NULL, &r.picture);
	r.damaged = o.damaged_segments;
	r.longer = strstr(xc_context_message(c), "too many after the end") != NULL;
	FUZZ_CHECK((r.status == XC_OK) == (r.picture.data != NULL), "status %d", (int)r.status);
	FUZZ_CHECK(r.status == XC_OK || xc_context_message(c)[0], "no message");
	return r;
}

/* More threads may reach a limit of memory that one does not. */
static void compare(const xc_context *c, const result *r, const result *first)
{
	if (r->status == XC_ERR_LIMIT || first->status == XC_ERR_LIMIT)
		return;
	FUZZ_CHECK(r->status == first->status, "%s: status %d, first %d", xc_context_cpu(c),
	           (int)r->status, (int)first->status);
	FUZZ_CHECK(r->damaged == first->damaged, "%s: other damage", xc_context_cpu(c));
	FUZZ_CHECK(r->status || xc_sample_equal(&r->picture, &first->picture), "%s: other pixels",
	           xc_context_cpu(c));
}

/* By all contexts; the first one's picture is left. */
static result decode_by_all(const uint8_t *data, size_t size, int keep_going)
{
	xc_context *c[XC_CPU_LEVELS];
	const int n = xc_fuzz_contexts(c);
	const result first = decode(c[0], data, size, keep_going);

	if (!keep_going)
		xc_fuzz_judge(c[0], first.status, &first.picture, data, size);
	for (int i = 1; i < n; i++) {
		result r = decode(c[i], data, size, keep_going);
		compare(c[i], &r, &first);
		xc_picture_free(c[i], &r.picture);
	}
	return first;
}

static void both_ways(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];

	xc_fuzz_contexts(c);
	result strict = decode_by_all(data, size, 0);
	xc_picture_free(c[0], &strict.picture);
	result r = decode_by_all(data, size, 1);
	FUZZ_CHECK(r.status == XC_OK || strict.status != XC_OK, "going on fails: %d", (int)r.status);
	/* A file may also end within the CRC of DATA or after it, or have bytes after its end. */
	FUZZ_CHECK(r.status != XC_OK || strict.status == XC_OK || strict.status == XC_ERR_TRUNCATED ||
	               r.damaged || r.longer,
	           "nothing was damaged");
	xc_picture_free(c[0], &r.picture);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_fuzz_fixed(data, size, both_ways);
	return 0;
}
