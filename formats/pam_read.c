/* SPDX-License-Identifier: BSD-2-Clause */
/* PAM (P7), the netpbm format with alpha; see pam(5) of netpbm. */
#include "formats/netpbm.h"

#include <string.h>

enum { KEY_WIDTH, KEY_HEIGHT, KEY_DEPTH, KEY_MAXVAL, KEYS };

/* What is longer is a comment, or no number and no type that is known. */
enum { LINE_MAX_BYTES = 1024 };

typedef struct pam_header {
	uint32_t value[KEYS];
	char tuple_type[32]; /* "": none was given */
} pam_header;

static const struct {
	const char *name;
	uint32_t most;
} keys[KEYS] = {
	[KEY_WIDTH] = {"WIDTH", UINT32_MAX},
	[KEY_HEIGHT] = {"HEIGHT", UINT32_MAX},
	[KEY_DEPTH] = {"DEPTH", UINT32_MAX},
	[KEY_MAXVAL] = {"MAXVAL", 65535},
};

static const struct {
	const char *name;
	uint32_t depth;
} tuple_types[] = {
	{"BLACKANDWHITE", 1}, {"BLACKANDWHITE_ALPHA", 2}, {"GRAYSCALE", 1}, {"GRAYSCALE_ALPHA", 2},
	{"RGB", 3},           {"RGB_ALPHA", 4},
};

/* A line of the header without white space around it. */
typedef struct line {
	const char *text;
	size_t length, offset;
} line;

static line trimmed(const char *text, size_t length, size_t offset)
{
	while (length && xc_file_is_space((uint8_t)*text))
		text++, length--, offset++;
	while (length && xc_file_is_space((uint8_t)text[length - 1]))
		length--;
	return (line){text, length, offset};
}

/* Removes the key from the front of the line, which leaves its value. */
static int take_key(line *l, const char *key)
{
	size_t n = strlen(key);
	if (l->length < n || memcmp(l->text, key, n) != 0 ||
	    (l->length > n && !xc_file_is_space((uint8_t)l->text[n])))
		return 0;
	*l = trimmed(l->text + n, l->length - n, l->offset + n);
	return 1;
}

static xc_status read_value(const line *l, int key, char *message, uint32_t *value)
{
	uint64_t number = 0;
	for (size_t i = 0; i < l->length; i++) {
		unsigned digit = (unsigned)(unsigned char)l->text[i] - '0';
		number = number * 10 + digit;
		if (digit > 9 || number > keys[key].most)
			number = 0, i = l->length;
	}
	if (number == 0)
		return xc_file_fail(message, XC_ERR_CORRUPT,
		                    "PAM %s is not a number from 1 to %u (at byte %zu)", keys[key].name,
		                    keys[key].most, l->offset);
	*value = (uint32_t)number;
	return XC_OK;
}

/* Joins several TUPLTYPE lines, with a space between them. */
static void add_tuple_type(pam_header *header, const line *l)
{
	char *type = header->tuple_type;
	size_t at = strlen(type);
	if (at && at + 1 < sizeof header->tuple_type)
		type[at++] = ' ';
	for (size_t i = 0; i < l->length && at + 1 < sizeof header->tuple_type; i++) {
		char c = l->text[i];
		type[at++] = c > ' ' && c <= '~' ? c : '?';
	}
	type[at] = '\0';
}

static xc_status read_line(pam_header *header, line l, char *message)
{
	for (int key = 0; key < KEYS; key++)
		if (take_key(&l, keys[key].name))
			return read_value(&l, key, message, &header->value[key]);
	if (take_key(&l, "TUPLTYPE")) {
		add_tuple_type(header, &l);
		return XC_OK;
	}
	return xc_file_fail(message, XC_ERR_CORRUPT,
	                    "PAM header has a line that is not known (at byte %zu)", l.offset);
}

/* Reads a line of at most `room` bytes without its end: 1, or 0 at the end of the file. */
static int get_line(xc_text *text, char *to, size_t room, size_t *length)
{
	*length = 0;
	for (int c; (c = xc_text_look(text)) >= 0;) {
		xc_row_input_take(text->input, 1);
		if (c == '\n')
			return 1;
		if (*length < room)
			to[(*length)++] = (char)c;
	}
	return 0;
}

static xc_status read_header(xc_text *text, pam_header *header)
{
	char bytes[LINE_MAX_BYTES];
	*header = (pam_header){.tuple_type = ""};
	for (;;) {
		const size_t at = (size_t)xc_text_position(text);
		size_t length;
		if (!get_line(text, bytes, sizeof bytes, &length))
			return xc_file_fail(text->message, XC_ERR_TRUNCATED,
			                    "PAM ends in its header (at byte %llu)", xc_text_position(text));
		line l = trimmed(bytes, length, at);
		if (l.length == 0 || l.text[0] == '#')
			continue;
		if (take_key(&l, "ENDHDR"))
			break;
		xc_status status = read_line(header, l, text->message);
		if (status)
			return status;
	}
	for (int key = 0; key < KEYS; key++)
		if (header->value[key] == 0)
			return xc_file_fail(text->message, XC_ERR_CORRUPT,
			                    "PAM header lacks %s (before byte %llu)", keys[key].name,
			                    xc_text_position(text));
	return XC_OK;
}

static xc_status check_tuple_type(const pam_header *header, char *message)
{
	uint32_t depth = header->value[KEY_DEPTH];
	if (depth > 4)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "PAM has %u channels, more than 4", depth);
	if (header->tuple_type[0] == '\0')
		return XC_OK;
	for (size_t i = 0; i < sizeof tuple_types / sizeof *tuple_types; i++) {
		if (strcmp(header->tuple_type, tuple_types[i].name) != 0)
			continue;
		if (depth != tuple_types[i].depth)
			return xc_file_fail(message, XC_ERR_CORRUPT, "PAM of type %s has a depth of %u",
			                    tuple_types[i].name, depth);
		return XC_OK;
	}
	return xc_file_fail(message, XC_ERR_UNSUPPORTED, "PAM type %s is not known",
	                    header->tuple_type);
}

static xc_status open_pam(xc_row_base *base)
{
	xc_raster *raster = (xc_raster *)base;
	xc_text text = {&base->input, base->file.message, "PAM"};
	pam_header header;
	raster->name = text.format;
	xc_row_input_take(&base->input, 3); /* "P7\n" */
	xc_status status = read_header(&text, &header);
	if (!status)
		status = check_tuple_type(&header, text.message);
	raster->maxval = header.value[KEY_MAXVAL];
	if (!status)
		status = xc_raster_shape(raster, header.value[KEY_WIDTH], header.value[KEY_HEIGHT],
		                         header.value[KEY_DEPTH]);
	if (status)
		return status;
	base->kind = &xc_raster_binary;
	return xc_raster_check(raster, base->out.picture.stride);
}

const xc_row_format xc_pam_rows = {sizeof(xc_raster), open_pam};
