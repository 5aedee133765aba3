/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes indented JSON (RFC 8259).  key is NULL inside arrays and at the top. */
#ifndef XC_CLI_BASE_JSON_H
#define XC_CLI_BASE_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct xc_cli_json {
	FILE *file;
	int depth;     /* open objects and arrays */
	int inline_at; /* from this depth on everything is on one line; 0: nowhere */
	int first;     /* the innermost one is still empty */
	int shown; /* set by the caller: a page shows texts as they are, so controls become U+FFFD */
} xc_cli_json;

/* Returns the length of the well-formed UTF-8 sequence at text, which ends in a zero byte. Returns
 * 0 for anything else, such as overlong forms, surrogates and values past U+10FFFF. */
size_t xc_cli_utf8_length(const unsigned char *text);

/* Whether text begins with a control character: of ASCII, of those that UTF-8 writes as two bytes
 * (C1, U+0080 to U+009F), which terminals obey as well, or one that changes the order of what is
 * shown (bidirectional text) or ends a line. */
int xc_cli_is_control(const unsigned char *text);

void xc_cli_json_start(xc_cli_json *json, FILE *file);
void xc_cli_json_object(xc_cli_json *json, const char *key);
void xc_cli_json_array(xc_cli_json *json, const char *key);
/* An object or array whose contents all go on its line. */
void xc_cli_json_inline_object(xc_cli_json *json, const char *key);
void xc_cli_json_inline_array(xc_cli_json *json, const char *key);
void xc_cli_json_end_object(xc_cli_json *json);
void xc_cli_json_end_array(xc_cli_json *json);

/* text is UTF-8; bytes that are not become U+FFFD. NULL: null. */
void xc_cli_json_text(xc_cli_json *json, const char *key, const char *text);
/* A path, or null for NULL. One that is no UTF-8 has a second member, `key` with "_hex": its bytes in hexadecimal. */
void xc_cli_json_path(xc_cli_json *json, const char *key, const char *path);
void xc_cli_json_integer(xc_cli_json *json, const char *key, uint64_t value);
/* Infinities and NaN become null: JSON has no such numbers. */
void xc_cli_json_number(xc_cli_json *json, const char *key, double value);
void xc_cli_json_boolean(xc_cli_json *json, const char *key, int value);
void xc_cli_json_null(xc_cli_json *json, const char *key);

#endif
