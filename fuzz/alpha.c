/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a segment of alpha: a byte for the width, one whose bits are the height and the
 * depth, then the segment. What is decoded is coded again and must come back.
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "entropy/plane.h"
#include "tests/support/check.h"

static size_t width_of(uint8_t byte)
{
	return 1 + byte % 64;
}

static size_t height_of(uint8_t byte)
{
	return 1 + (byte >> 1) % 32;
}

/* Samples that are noisy here and constant there, coded. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	const uint8_t wide = (uint8_t)(i * 37), high = (uint8_t)(i * 11 + i / 8);
	const size_t n = width_of(wide) * height_of(high), bytes = 1 + (high & 1);
	uint64_t seed = i;
	OWN_MEMORY uint8_t *samples = xc_test_malloc(n * bytes),
					   *segment = xc_test_malloc(xc_plane_bound(n, bytes));
	OWN_MEMORY void *scratch = xc_test_malloc(xc_plane_scratch(n, bytes));
	uint32_t value = i * 5;

	for (size_t k = 0; k < n * bytes; k++) {
		value = check_below(&seed, 6 + i % 90) ? value : check_below(&seed, 256);
		samples[k] = (uint8_t)(value + (i % 3 ? 0 : k / 4));
	}
	out->size = 0;
	xc_bytes_add_u8(out, wide);
	xc_bytes_add_u8(out, high);
	xc_bytes_add(out, segment,
	             xc_plane_encode(samples, width_of(wide), height_of(high), bytes, scratch,
	                             segment));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	const size_t wide = width_of(data[0]), high = height_of(data[1]), bytes = 1 + (data[1] & 1);
	const size_t n = wide * high;
	OWN_MEMORY uint8_t *segment = xc_test_copy(data + 2, size - 2);
	OWN_MEMORY uint8_t *samples = xc_test_malloc(n * bytes), *again = xc_test_malloc(n * bytes);
	OWN_MEMORY uint8_t *out = xc_test_malloc(xc_plane_bound(n, bytes));
	OWN_MEMORY void *scratch = xc_test_malloc(xc_plane_scratch(n, bytes));
	if (xc_plane_decode(segment, size - 2, segment + size - 2, wide, high, bytes, scratch,
	                    samples)) {
		const size_t coded = xc_plane_encode(samples, wide, high, bytes, scratch, out);
		FUZZ_CHECK(coded <= 1 + n * bytes, "%zu bytes", coded);
		FUZZ_CHECK(xc_plane_decode(out, coded, out + coded, wide, high, bytes, scratch, again),
		           "its own segment is damaged");
		FUZZ_CHECK(!memcmp(samples, again, n * bytes), "other samples");
	}
	return 0;
}
