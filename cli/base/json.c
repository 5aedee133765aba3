/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/json.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "src/core/blob.h"

size_t xc_cli_utf8_length(const unsigned char *text)
{
	return xc_utf8_length(text, 4); /* which goes no further than a zero byte */
}

/* The number of the character at `text`, which has `length` bytes; 0xfffd if that is 0. */
static unsigned code_point(const unsigned char *text, size_t length)
{
	unsigned code = length == 1 ? text[0] : length ? text[0] & (0x7fu >> length) : 0xfffd;

	for (size_t i = 1; i < length; i++)
		code = code << 6 | (text[i] & 0x3fu);
	return code;
}

int xc_cli_is_control(const unsigned char *text)
{
	const unsigned c = code_point(text, xc_cli_utf8_length(text));

	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c < 0x202f) || (c >= 0x2066 && c < 0x206a);
}

static void put_string(xc_cli_json *json, const char *string)
{
	const unsigned char *text = (const unsigned char *)string;
	FILE *file = json->file;

	putc('"', file);
	while (*text) {
		size_t length = xc_cli_utf8_length(text);

		if (*text == '"' || *text == '\\')
			fprintf(file, "\\%c", *text);
		else if (length == 0 || (json->shown && xc_cli_is_control(text)))
			fputs("\\ufffd", file);
		else if (xc_cli_is_control(text))
			fprintf(file, "\\u%04x", code_point(text, length));
		else
			fwrite(text, 1, length, file);
		text += length ? length : 1;
	}
	putc('"', file);
}

/* Writes what precedes a value: the comma, the line break and the key. */
static void lead_in(xc_cli_json *json, const char *key)
{
	int on_one_line = json->inline_at && json->depth >= json->inline_at;

	if (!json->first)
		putc(',', json->file);
	if (json->depth && !on_one_line)
		fprintf(json->file, "\n%*s", 2 * json->depth, "");
	else if (!json->first)
		putc(' ', json->file);
	json->first = 0;
	if (key) {
		put_string(json, key);
		fputs(": ", json->file);
	}
}

static void open_level(xc_cli_json *json, const char *key, char bracket, int on_one_line)
{
	lead_in(json, key);
	putc(bracket, json->file);
	json->depth++;
	json->first = 1;
	if (on_one_line && !json->inline_at)
		json->inline_at = json->depth;
}

static void close_level(xc_cli_json *json, char bracket)
{
	int on_one_line = json->inline_at && json->depth >= json->inline_at;

	if (json->inline_at == json->depth)
		json->inline_at = 0;
	json->depth--;
	if (!on_one_line && !json->first)
		fprintf(json->file, "\n%*s", 2 * json->depth, "");
	putc(bracket, json->file);
	json->first = 0;
	if (json->depth == 0)
		putc('\n', json->file);
}

void xc_cli_json_start(xc_cli_json *json, FILE *file)
{
	*json = (xc_cli_json){.file = file, .first = 1};
}

void xc_cli_json_object(xc_cli_json *json, const char *key)
{
	open_level(json, key, '{', 0);
}

void xc_cli_json_array(xc_cli_json *json, const char *key)
{
	open_level(json, key, '[', 0);
}

void xc_cli_json_inline_object(xc_cli_json *json, const char *key)
{
	open_level(json, key, '{', 1);
}

void xc_cli_json_inline_array(xc_cli_json *json, const char *key)
{
	open_level(json, key, '[', 1);
}

void xc_cli_json_end_object(xc_cli_json *json)
{
	close_level(json, '}');
}

void xc_cli_json_end_array(xc_cli_json *json)
{
	close_level(json, ']');
}

void xc_cli_json_text(xc_cli_json *json, const char *key, const char *text)
{
	if (!text) {
		xc_cli_json_null(json, key);
		return;
	}
	lead_in(json, key);
	put_string(json, text);
}

void xc_cli_json_path(xc_cli_json *json, const char *key, const char *path)
{
	const unsigned char *at = (const unsigned char *)path;
	char hex[32];

	xc_cli_json_text(json, key, path);
	while (at && *at && xc_cli_utf8_length(at))
		at += xc_cli_utf8_length(at);
	if (!at || !*at)
		return;
	snprintf(hex, sizeof hex, "%s_hex", key);
	lead_in(json, hex);
	putc('"', json->file);
	for (at = (const unsigned char *)path; *at; at++)
		fprintf(json->file, "%02x", *at);
	putc('"', json->file);
}

void xc_cli_json_integer(xc_cli_json *json, const char *key, uint64_t value)
{
	lead_in(json, key);
	fprintf(json->file, "%llu", (unsigned long long)value);
}

void xc_cli_json_number(xc_cli_json *json, const char *key, double value)
{
	char digits[32];

	lead_in(json, key);
	if (!isfinite(value)) {
		fputs("null", json->file);
		return;
	}
	/* the shortest form that reads back as the same double */
	for (int precision = 6; precision <= 17; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	fputs(digits, json->file);
}

void xc_cli_json_boolean(xc_cli_json *json, const char *key, int value)
{
	lead_in(json, key);
	fputs(value ? "true" : "false", json->file);
}

void xc_cli_json_null(xc_cli_json *json, const char *key)
{
	lead_in(json, key);
	fputs("null", json->file);
}
