/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as quantization tables. */
#include "fuzz/fuzz.h"

#include <string.h>

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static const char *const between[] = {" ", ",", "\n", "\t, ", " # comment 7\n", "\r\n"};

	out->size = 0;
	if (i % 2)
		xc_bytes_add_text(out, "# steps\n");
	for (unsigned k = 0; k < (i % 3 ? 64u : 128u) + (i % 7 == 6); k++) {
		char text[16];
		snprintf(text, sizeof text, "%u", 1 + k * (i + 1) * 37 % 65535);
		xc_bytes_add_text(out, text);
		xc_bytes_add_text(out, between[(i + k) % 6]);
	}
}

static void parse_again(xc_context *c, const xc_quant_tables *t)
{
	OWN_BYTES text = {0};
	xc_quant_tables again;

	for (int i = 0; i < 128; i++) {
		char number[16];
		const unsigned step = i < 64 ? t->luma[i] : t->chroma[i - 64];
		FUZZ_CHECK(step, "a step of zero");
		snprintf(number, sizeof number, "%u ", step);
		xc_bytes_add_text(&text, number);
	}
	FUZZ_OK(c, xc_quant_tables_parse(c, (const char *)text.data, text.size, &again));
	FUZZ_CHECK(!memcmp(t, &again, sizeof again), "other steps");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	OWN_CONTEXT c = xc_fuzz_context(0);
	xc_quant_tables t;
	/* A copy of exactly this size: the text does not end in a zero byte. */
	OWN_MEMORY char *text = xc_test_copy(data, size);
	const xc_status s = xc_quant_tables_parse(c, text, size, &t);

	FUZZ_CHECK(s == XC_OK || s == XC_ERR_CORRUPT, "status %d", (int)s);
	FUZZ_CHECK(s == XC_OK || strstr(xc_context_message(c), "line"), "no line: %s",
	           xc_context_message(c));
	if (s == XC_OK)
		parse_again(c, &t);
	return 0;
}
