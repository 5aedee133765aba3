/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/report/html_parts.h"
#include "cli/base/json.h"

#include <math.h>
#include <stdint.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

/* Writes one character of `length` bytes; 0: it is none. */
static void put_character(FILE *out, const unsigned char *text, size_t length)
{
	switch (*text) {
	case '&':
		fputs("&amp;", out);
		return;
	case '<':
		fputs("&lt;", out);
		return;
	case '>':
		fputs("&gt;", out);
		return;
	case '"':
		fputs("&quot;", out);
		return;
	case '\'':
		fputs("&#39;", out);
		return;
	}
	/* U+FFFE and U+FFFF are no characters of XML either. */
	const int none = length == 0 || xc_cli_is_control(text) ||
	                 (*text == 0xef && text[1] == 0xbf && text[2] >= 0xbe);
	if (none)
		fputs(replacement, out);
	else
		fwrite(text, 1, length, out);
}

void xc_sweep_put_text(FILE *out, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at;) {
		const size_t length = xc_cli_utf8_length(at);

		put_character(out, at, length);
		at += length ? length : 1;
	}
}

void xc_sweep_put_number(FILE *out, double value, int digits)
{
	if (isnan(value))
		fputs("\xe2\x80\x93", out); /* U+2013 */
	else if (isinf(value))
		fputs(value < 0 ? "\xe2\x88\x92\xe2\x88\x9e" : "\xe2\x88\x9e", out); /* U+2212, U+221E */
	else
		fprintf(out, "%.*f", digits, value);
}

/* Encodes up to three bytes. */
static void encode_group(const uint8_t *at, size_t size, char to[4])
{
	static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned group = (unsigned)at[0] << 16 | (size > 1 ? at[1] << 8 : 0) |
	                       (size > 2 ? at[2] : 0);

	to[0] = digit[group >> 18];
	to[1] = digit[group >> 12 & 63];
	to[2] = size > 1 ? digit[group >> 6 & 63] : '=';
	to[3] = size > 2 ? digit[group & 63] : '=';
}

void xc_sweep_put_base64(FILE *out, const void *bytes, size_t size)
{
	const uint8_t *at = bytes, *end = at + size;

	while (at < end) {
		char text[4096];
		size_t length = 0;

		while (at < end && length < sizeof text) {
			const size_t taken = end - at < 3 ? (size_t)(end - at) : 3;

			encode_group(at, taken, text + length);
			at += taken;
			length += 4;
		}
		fwrite(text, 1, length, out);
	}
}
