/* SPDX-License-Identifier: BSD-2-Clause */
/* Any text as qualities of a sweep, as words of a configuration, and as a name that is shown. */
#include <errno.h>
#include <string.h>

#include "cli/base/json.h"
#include "cli/base/report.h"
#include "fuzz/fuzz.h"
#include "sweep/run/config.h"

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static const char *const texts[] = {"75",
	                                    "10:90:5",
	                                    "30,50,75:95:10",
	                                    "0.5:2:.25",
	                                    "cmd: 'a b' \"c d\" e",
	                                    "-q 75 --effort 2",
	                                    "na\303\257ve \302\233m \360\237\231\202",
	                                    "\xff\xc0\x80\xed\xa0\x80"};

	out->size = 0;
	xc_bytes_add_text(out, texts[i % 8]);
	for (unsigned k = 0; k < i / 8; k++)
		xc_bytes_add_text(out, texts[(i + k) % 8]);
}

static void qualities(const char *text, int xcodec)
{
	xc_sweep_qualities list;

	if (xc_sweep_qualities_parse(text, xcodec, &list))
		return;
	FUZZ_CHECK(list.count > 0 && list.count <= XC_SWEEP_CURVE_POINTS, "%d of them", list.count);
	for (int i = 0; i < list.count; i++) {
		FUZZ_CHECK(!i || list.value[i] > list.value[i - 1], "they do not rise");
		FUZZ_CHECK(!xcodec || (list.value[i] >= 1 && list.value[i] <= 100), "%g", list.value[i]);
	}
}

static void words(const char *text)
{
	xc_sweep_words w;

	if (xc_sweep_split(text, &w)) {
		FUZZ_CHECK(errno == EINVAL, "%s", strerror(errno));
		return;
	}
	size_t bytes = 0;
	for (size_t i = 0; i < w.count; i++)
		bytes += strlen(w.word[i]);
	FUZZ_CHECK(!w.word[w.count] && bytes <= strlen(text), "%zu words of %zu bytes", w.count, bytes);
	xc_sweep_words_free(&w);
}

/* What is shown has no control characters, and fits. */
static void shown(const char *text, size_t room)
{
	OWN_MEMORY char *out = xc_test_malloc(room);
	const size_t n = xc_cli_escape(out, room, text);

	FUZZ_CHECK(n < room && strlen(out) == n, "%zu bytes in %zu", n, room);
	for (const unsigned char *at = (const unsigned char *)out; *at; at += xc_cli_utf8_length(at))
		FUZZ_CHECK(!xc_cli_is_control(at) && xc_cli_utf8_length(at), "byte %02x", *at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	OWN_MEMORY char *text = xc_test_malloc(size + 1);

	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	qualities(text, 0);
	qualities(text, 1);
	words(text);
	shown(text, 1 + size % 40);
	shown(text, 4 * size + 8);
	return 0;
}
