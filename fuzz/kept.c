/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An XC file with a JPEG: once as it is and once with checksums put right, by all SIMD levels, each
 * with another number of threads; all must agree. Other bytes are a JPEG, or follow the start of one,
 * and must come back.
 */
#include <string.h>
#include <xcodec_jpeg.h>

#include "fuzz/fuzz.h"
#include "src/core/sha256.h"
#include "tests/support/check.h"
#include "tests/support/jpeg_files.h"

unsigned xc_fuzz_mutations = 20;

/* The hash stops what is damaged at the very end, so it is the file's own. */
static void read_all(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];
	const int n = xc_fuzz_contexts(c);
	xc_status first = XC_OK;
	xc_jpeg_info info;

	xc_jpeg_read_info(c[0], data, size, &info);
	/* What the bytes say of a picture that a JPEG's check allows, its pixels do. */
	for (uint32_t k = 0; k < 2; k++) {
		xc_decode_options o = {.keep_going = (int)k, .scale = 1U << size % 4};
		xc_picture pixels = {.data = NULL};
		o.region = (xc_rectangle){.width = k * (uint32_t)(size % 50), .height = 9};
		xc_decode(c[size % (size_t)n], data, size, &o, &pixels);
		xc_picture_free(c[size % (size_t)n], &pixels);
	}
	for (int i = 0; i < n; i++) {
		xc_buffer jpeg;
		const xc_status s = xc_jpeg_decode(c[i], data, size, &jpeg);
		FUZZ_CHECK(s || jpeg.size == info.jpeg_size, "%zu bytes", jpeg.size);
		first = i ? first : s;
		/* What another number of threads lacks memory for decides nothing. */
		FUZZ_CHECK(s == first || s == XC_ERR_LIMIT || first == XC_ERR_LIMIT, "%d and %d", (int)s,
		           (int)first);
		xc_buffer_free(c[i], &jpeg);
	}
}

static void code(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];
	const int n = xc_fuzz_contexts(c);
	xc_buffer file, back;
	const xc_status s = xc_jpeg_encode(c[0], data, size, NULL, NULL, &file);

	FUZZ_CHECK(!s || s == XC_ERR_LIMIT || s == XC_ERR_FORMAT, "%s", xc_context_message(c[0]));
	if (s)
		return;
	FUZZ_CHECK(file.size <= size + 100, "%zu bytes of %zu", file.size, size);
	const xc_status t = xc_jpeg_decode(c[n - 1], file.data, file.size, &back);
	FUZZ_CHECK(t == XC_ERR_LIMIT || (!t && back.size == size && !memcmp(back.data, data, size)),
	           "%s", xc_context_message(c[n - 1]));
	xc_buffer_free(c[n - 1], &back);
	xc_buffer_free(c[0], &file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 12 && data[0] == 0x8f && data[1] == 'X')
		xc_fuzz_fixed(data, size, read_all);
	else
		code(data, size);
	return 0;
}

/* Two of three are files, of one picture or two; most small JPEGs would be stored. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	OWN_CONTEXT c = xc_fuzz_context(i);
	xc_jpeg_info info = {.stored = 1};
	OWN_BYTES jpeg = {0};

	for (unsigned n = i; info.stored; n += 100) {
		xc_buffer file;
		jpeg.size = 0;
		xc_test_jpeg_make(&jpeg, n);
		if (i % 3 == 1)
			xc_test_jpeg_make(&jpeg, n);
		FUZZ_OK(c, xc_jpeg_encode(c, jpeg.data, jpeg.size, NULL, &info, &file));
		out->size = 0;
		xc_bytes_add(out, file.data, file.size);
		xc_buffer_free(c, &file);
	}
	if (i % 3 == 2) {
		out->size = 0;
		xc_bytes_add(out, jpeg.data, jpeg.size);
	}
}
