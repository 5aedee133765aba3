/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a JPEG. The first one: MCU rows of a segment. A picture that the parser keeps must come
 * back byte for byte.
 */
#include "fuzz/fuzz.h"
#include "tests/support/jpeg_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	OWN_MEMORY uint8_t *const exact = xc_test_copy(data + 1, size - 1);
	const char *wrong;
	size_t coded;
	const xc_jpeg_verdict v = xc_test_jpeg_same(exact, size - 1, 1 + data[0] % 20U, &wrong, &coded);
	FUZZ_CHECK(v != XC_JPEG_GOOD || !wrong, "%s", wrong);
	return 0;
}

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	out->size = 0;
	xc_bytes_add_u8(out, i);
	xc_test_jpeg_make(out, i);
}
