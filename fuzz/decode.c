/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to xc_decode(): as they are, and with checksums that hold.  The reference
 * decoder is the judge. */
#include <string.h>

#include "fuzz/fuzz.h"

static void decode(const uint8_t *data, size_t size)
{
	xc_context *c = xc_fuzz_context((unsigned)size);
	xc_picture p = {0};
	xc_decode_options go_on = {.keep_going = 1, .jpeg_rounding = size & 1};
	const xc_status s = xc_decode(c, data, size, NULL, &p);
	FUZZ_CHECK((s == XC_OK) == (p.data != NULL), "status %d", (int)s);
	FUZZ_CHECK(s == XC_OK || xc_context_message(c)[0], "no message");
	xc_fuzz_judge(c, s, &p, data, size);
	xc_picture_free(c, &p);
	const xc_status k = xc_decode(c, data, size, &go_on, &p);
	FUZZ_CHECK(k == XC_OK || s != XC_OK, "going on fails: %s", xc_context_message(c));
	/* A file may also end within the CRC of DATA or after it, or have bytes after its end. */
	const int longer = strstr(xc_context_message(c), "too many after the end") != NULL;
	FUZZ_CHECK(k != XC_OK || s == XC_OK || s == XC_ERR_TRUNCATED || go_on.damaged_segments ||
	               longer,
	           "nothing was damaged");
	xc_picture_free(c, &p);
	xc_context_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_fuzz_fixed(data, size, decode);
	return 0;
}
