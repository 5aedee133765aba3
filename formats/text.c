/* SPDX-License-Identifier: BSD-2-Clause */
#include "formats/text.h"

#include <inttypes.h>

static void skip_line(xc_text *text)
{
	while (text->at < text->size && text->data[text->at] != '\n' && text->data[text->at] != '\r')
		text->at++;
}

void xc_text_skip_space(xc_text *text)
{
	while (text->at < text->size) {
		if (text->data[text->at] == '#')
			skip_line(text);
		else if (xc_text_is_space(text->data[text->at]))
			text->at++;
		else
			return;
	}
}

xc_status xc_text_number(xc_text *text, const char *what, uint32_t most, uint32_t *value)
{
	xc_text_skip_space(text);
	size_t start = text->at;
	uint64_t number = 0;
	while (text->at < text->size) {
		unsigned digit = (unsigned)text->data[text->at] - '0';
		if (digit > 9)
			break;
		number = number * 10 + digit;
		if (number > most)
			return xc_file_fail(text->message, XC_ERR_CORRUPT,
			                    "%s %s is above %" PRIu32 " (at byte %zu)", text->format, what,
			                    most, start);
		text->at++;
	}
	if (text->at == start && start == text->size)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED, "%s ends before its %s (at byte %zu)",
		                    text->format, what, start);
	if (text->at == start)
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "%s has no number for its %s (at byte %zu)", text->format, what, start);
	*value = (uint32_t)number;
	return XC_OK;
}

xc_status xc_text_end_header(xc_text *text)
{
	if (text->at < text->size && text->data[text->at] == '#')
		skip_line(text);
	if (text->at >= text->size)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED,
		                    "%s ends after its header (at byte %zu)", text->format, text->at);
	if (!xc_text_is_space(text->data[text->at]))
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "%s header does not end in white space (at byte %zu)", text->format,
		                    text->at);
	text->at++;
	return XC_OK;
}
