/* SPDX-License-Identifier: BSD-2-Clause */
/* Netpbm's formats: PBM, PGM and PPM, plain (P1 to P3) and binary (P4 to P6), and PAM (P7), the one
 * with alpha; see pbm(5), pgm(5), ppm(5) and pam(5).  Only the first picture of a file is read. */
#include "formats/netpbm.h"

#include <inttypes.h>
#include <string.h>
#include <stdio.h>

/* -------------------------------------------------------------------- text */

static void skip_comment(xc_text *text)
{
	xc_file_kinds_add(text->left_out, "comments");
	for (int c; (c = xc_text_look(text)) >= 0 && c != '\n' && c != '\r';)
		xc_row_input_take(text->input, 1);
}

void xc_text_skip_space(xc_text *text)
{
	for (int c; (c = xc_text_look(text)) >= 0;) {
		if (c == '#')
			skip_comment(text);
		else if (xc_file_is_space((uint8_t)c))
			xc_row_input_take(text->input, 1);
		else
			return;
	}
}

/* Skips white space and comments, then reads a number of at most `max`; what names it in
 * messages. */
static xc_status read_number(xc_text *text, const char *what, uint32_t max, uint32_t *value)
{
	xc_text_skip_space(text);
	const unsigned long long start = xc_text_position(text);
	uint64_t number = 0;
	int c;
	while ((c = xc_text_look(text)) >= '0' && c <= '9') {
		number = number * 10 + (unsigned)(c - '0');
		if (number > max)
			return xc_file_fail(text->message, XC_ERR_CORRUPT, "%s %s is above %u (at byte %llu)",
			                    text->format, what, max, start);
		xc_row_input_take(text->input, 1);
	}
	*value = (uint32_t)number;
	if (xc_text_position(text) != start)
		return XC_OK;
	if (c < 0)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED, "%s ends before its %s (at byte %llu)",
		                    text->format, what, start);
	return xc_file_fail(text->message, XC_ERR_CORRUPT, "%s has no number for its %s (at byte %llu)",
	                    text->format, what, start);
}

xc_status xc_text_size(xc_text *text, uint32_t *width, uint32_t *height)
{
	xc_status status = read_number(text, "width", UINT32_MAX, width);
	return status ? status : read_number(text, "height", UINT32_MAX, height);
}

xc_status xc_text_end_header(xc_text *text)
{
	if (xc_text_look(text) == '#')
		skip_comment(text);
	const int c = xc_text_look(text);
	if (c < 0)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED,
		                    "%s ends after its header (at byte %llu)", text->format,
		                    xc_text_position(text));
	if (!xc_file_is_space((uint8_t)c))
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "%s header does not end in white space (at byte %llu)", text->format,
		                    xc_text_position(text));
	xc_row_input_take(text->input, 1);
	return XC_OK;
}

/* -------------------------------------------------------------------- samples */

static xc_text text_of(xc_row_base *base, const char *format)
{
	return (xc_text){&base->input, base->file.message, format, &base->file.left_out};
}

/* A PNM or PAM file. */
typedef struct raster_reader {
	xc_row_base base;
	const char *name; /* for messages */
	uint32_t maxval;
	uint32_t row; /* the next one */
} raster_reader;

/* Makes sure, where the size of the file is known, that it is long enough for the rows of
 * `row_bytes` that follow. */
static xc_status check_rows(const raster_reader *raster, uint64_t row_bytes)
{
	const xc_row_input *in = &raster->base.input;
	const uint32_t height = raster->base.out.picture.height;

	if (!in->ended || raster->base.file.limits.keep_going ||
	    (in->end - in->at) / row_bytes >= height)
		return XC_OK;
	return xc_file_fail(raster->base.file.message, XC_ERR_TRUNCATED,
	                    "%s ends in row %" PRIu64 " of %u (at byte %" PRIu64 ")", raster->name,
	                    (in->end - in->at) / row_bytes, height, in->before + in->end);
}

static xc_status fail_short(const raster_reader *raster)
{
	return xc_file_fail(raster->base.file.message, XC_ERR_TRUNCATED,
	                    "%s ends in row %u of %u (at byte %" PRIu64 ")", raster->name, raster->row,
	                    raster->base.out.picture.height,
	                    xc_row_input_position(&raster->base.input));
}

/* Sets the shape of a picture whose samples go up to maxval.  Metadata keeps it where the samples are
 * brought to another one, 255 or 65535. */
static xc_status set_shape(raster_reader *raster, uint32_t width, uint32_t height,
                           uint32_t channels)
{
	const uint32_t maxval = raster->maxval;
	raster->base.out.metadata.maxval = (uint16_t)(maxval == 255 || maxval == 65535 ? 0 : maxval);
	return xc_file_shape_rows(&raster->base.file, width, height, channels, maxval > 255 ? 16 : 8);
}

/* These two turn the n samples of a row, as the file has them, into the picture's.  They return
 * how many: fewer than n if the next one is above maxval. */
static size_t convert_bytes(uint8_t *row, size_t n, uint32_t maxval)
{
	uint8_t scaled[256];

	if (maxval == 255)
		return n;
	for (uint32_t v = 0; v <= maxval; v++)
		scaled[v] = (uint8_t)xc_raster_scale(v, maxval, 255);
	for (size_t i = 0; i < n; i++) {
		if (row[i] > maxval)
			return i;
		row[i] = scaled[row[i]];
	}
	return n;
}

static size_t convert_words(uint16_t *row, size_t n, uint32_t maxval)
{
	for (size_t i = 0; i < n; i++) {
		uint32_t value = xc_load_be16((const uint8_t *)&row[i]);
		if (value > maxval)
			return i;
		row[i] = (uint16_t)(maxval == 65535 ? value : xc_raster_scale(value, maxval, 65535));
	}
	return n;
}

/* Brings the samples of a row to the range of their depth. */
static xc_status convert_row(raster_reader *raster, void *row)
{
	const xc_picture *p = &raster->base.out.picture;
	const size_t samples = (size_t)p->width * p->channels;
	const size_t done = p->depth == 8 ? convert_bytes(row, samples, raster->maxval)
	                                  : convert_words(row, samples, raster->maxval);

	if (done == samples)
		return XC_OK;
	return xc_file_fail(raster->base.file.message, XC_ERR_CORRUPT,
	                    "%s sample is above the maximum of %u (in row %u)", raster->name,
	                    raster->maxval, raster->row);
}

/* Rows that follow each other in memory as in the file come in one piece. */
static xc_status read_binary(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	raster_reader *raster = (raster_reader *)base;
	const size_t bytes = base->out.picture.stride;
	const size_t max = stride == bytes ? count : 1;
	uint8_t *row = rows;

	for (uint32_t done = 0; done < count;) {
		const size_t got = xc_row_input_copy(&base->input, row, max * bytes) / bytes;
		for (size_t i = 0; i < got; i++, row += stride, raster->row++) {
			const xc_status s = convert_row(raster, row);
			if (s)
				return s;
		}
		if (got < max)
			return fail_short(raster);
		done += (uint32_t)got;
	}
	return XC_OK;
}

/* One file may hold several pictures, one after another. */
static xc_status finish(xc_row_base *reader)
{
	raster_reader *raster = (raster_reader *)reader;
	xc_text text = text_of(reader, raster->name);
	const uint8_t *next;

	while (xc_file_is_space((uint8_t)xc_text_look(&text)))
		xc_row_input_take(&reader->input, 1);
	const size_t size = xc_row_input_peek(&reader->input, 3, &next);
	if (size >= 3 && next[0] == 'P' && xc_file_format_detect(next, size))
		xc_file_warn(reader->file.message,
		             "a %s file with several pictures: only the first is read", raster->name);
	else
		xc_file_name_rest(reader);
	return XC_OK;
}

/* For binary samples, big-endian if maxval needs two bytes. */
static const xc_row_reader_kind binary = {read_binary, finish, NULL};

/* -------------------------------------------------------------------- PNM */

/* Reads one digit, which need not be separated from the next; 1 is black. */
static xc_status read_bit(xc_text *text, uint32_t *value)
{
	xc_text_skip_space(text);
	const int digit = xc_text_look(text);
	if (digit < 0)
		return xc_file_fail(text->message, XC_ERR_TRUNCATED, "PNM ends too early (at byte %llu)",
		                    xc_text_position(text));
	if (digit != '0' && digit != '1')
		return xc_file_fail(text->message, XC_ERR_CORRUPT,
		                    "PNM bit is neither 0 nor 1 (at byte %llu)", xc_text_position(text));
	xc_row_input_take(text->input, 1);
	*value = digit == '0' ? 255 : 0;
	return XC_OK;
}

static xc_status read_plain_bits(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	xc_text text = text_of(base, "PNM");
	xc_status status = XC_OK;

	for (uint32_t y = 0; y < count && !status; y++) {
		uint8_t *row = (uint8_t *)rows + y * stride;
		for (uint32_t x = 0; x < base->out.picture.width && !status; x++) {
			uint32_t value = 0;
			status = read_bit(&text, &value);
			row[x] = (uint8_t)value;
		}
	}
	return status;
}

static xc_status read_plain(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	const xc_picture *p = &base->out.picture;
	const uint32_t maxval = ((const raster_reader *)base)->maxval,
				   peak = p->depth == 8 ? 255 : 65535;
	const size_t samples = (size_t)p->width * p->channels;
	xc_text text = text_of(base, "PNM");
	xc_status status = XC_OK;

	for (uint32_t y = 0; y < count && !status; y++) {
		void *row = (uint8_t *)rows + y * stride;
		for (size_t i = 0; i < samples && !status; i++) {
			uint32_t value = 0;
			status = read_number(&text, "sample", maxval, &value);
			xc_file_put(row, i, p->depth, xc_raster_scale(value, maxval, peak));
		}
	}
	return status;
}

static size_t bitmap_row(uint32_t width)
{
	return (size_t)width / 8 + (width % 8 != 0);
}

/* A byte holds eight pixels, the most significant bit first; rows are padded to bytes.  The bytes
 * are read to the end of their row and spread from its start. */
static xc_status read_bitmap(xc_row_base *base, void *rows, size_t stride, uint32_t count)
{
	raster_reader *raster = (raster_reader *)base;
	const uint32_t width = base->out.picture.width;
	const size_t bytes = bitmap_row(width);

	for (uint32_t y = 0; y < count; y++, raster->row++) {
		uint8_t *row = (uint8_t *)rows + y * stride, *from = row + width - bytes;
		if (xc_row_input_copy(&base->input, from, bytes) < bytes)
			return fail_short(raster);
		for (uint32_t x = 0; x < width;) {
			const uint8_t byte = *from++;
			for (uint32_t end = x + 8 < width ? x + 8 : width, bit = 7; x < end; x++, bit--)
				row[x] = byte >> bit & 1 ? 0 : 255;
		}
	}
	return XC_OK;
}

static xc_status read_pnm_header(raster_reader *raster, char kind)
{
	xc_text text = text_of(&raster->base, "PNM");
	uint32_t width = 0, height = 0;
	const int bitmap = kind == '1' || kind == '4';

	raster->maxval = 1;
	xc_status status = xc_text_size(&text, &width, &height);
	if (!status && !bitmap)
		status = read_number(&text, "maximum value", 65535, &raster->maxval);
	if (!status && raster->maxval == 0)
		return xc_file_fail(text.message, XC_ERR_CORRUPT,
		                    "PNM maximum value is zero (at byte %llu)", xc_text_position(&text));
	status = status ? status : xc_text_end_header(&text);
	return status ? status : set_shape(raster, width, height, kind == '3' || kind == '6' ? 3 : 1);
}

/* Plain samples take a digit each, and a space except in a bitmap and after the last one. */
static xc_status check_plain(const raster_reader *raster, int bitmap)
{
	const xc_row_input *in = &raster->base.input;
	const xc_picture *p = &raster->base.out.picture;
	const uint64_t samples = (uint64_t)p->width * p->channels;

	if (!in->ended || raster->base.file.limits.keep_going ||
	    (in->end - in->at + 1) / (bitmap ? samples : 2 * samples) >= p->height)
		return XC_OK;
	return xc_file_fail(raster->base.file.message, XC_ERR_TRUNCATED,
	                    "PNM is too short for %u x %u samples (at byte %" PRIu64 ")", p->width,
	                    p->height, in->before + in->end);
}

static xc_status open_pnm(xc_row_base *base)
{
	static const xc_row_reader_kind plain_bits = {read_plain_bits, finish, NULL};
	static const xc_row_reader_kind plain = {read_plain, finish, NULL};
	static const xc_row_reader_kind bitmap = {read_bitmap, finish, NULL};
	raster_reader *raster = (raster_reader *)base;
	uint8_t magic[2] = {0};

	xc_row_input_copy(&base->input, magic, sizeof magic);
	const char kind = (char)magic[1];
	raster->name = "PNM";
	const xc_status status = read_pnm_header(raster, kind);
	if (status)
		return status;
	if (kind <= '3') {
		base->kind = kind == '1' ? &plain_bits : &plain;
		return check_plain(raster, kind == '1');
	}
	base->kind = kind == '4' ? &bitmap : &binary;
	return check_rows(raster,
	                  kind == '4' ? bitmap_row(base->out.picture.width) : base->out.picture.stride);
}

const xc_row_format xc_pnm_rows = {sizeof(raster_reader), open_pnm};

/* -------------------------------------------------------------------- PAM */

enum { KEY_WIDTH, KEY_HEIGHT, KEY_DEPTH, KEY_MAXVAL, KEYS };

/* A longer line is a comment, or no number and no type that is known. */
enum { LINE_MAX_BYTES = 1024 };

typedef struct pam_header {
	uint32_t value[KEYS];
	char tuple_type[32]; /* "": none was given */
} pam_header;

static const struct {
	const char *name;
	uint32_t max;
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
		if (digit > 9 || number > keys[key].max)
			number = 0, i = l->length;
	}
	if (number == 0)
		return xc_file_fail(message, XC_ERR_CORRUPT,
		                    "PAM %s is not a number from 1 to %u (at byte %zu)", keys[key].name,
		                    keys[key].max, l->offset);
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

static xc_status read_pam_header(xc_text *text, pam_header *header)
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
		if (l.length && l.text[0] == '#')
			xc_file_kinds_add(text->left_out, "comments");
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
	raster_reader *raster = (raster_reader *)base;
	xc_text text = text_of(base, "PAM");
	pam_header header;

	raster->name = text.format;
	xc_row_input_take(&base->input, 3); /* "P7\n" */
	xc_status status = read_pam_header(&text, &header);
	status = status ? status : check_tuple_type(&header, text.message);
	raster->maxval = header.value[KEY_MAXVAL];
	if (!status)
		status = set_shape(raster, header.value[KEY_WIDTH], header.value[KEY_HEIGHT],
		                   header.value[KEY_DEPTH]);
	if (status)
		return status;
	base->kind = &binary;
	return check_rows(raster, base->out.picture.stride);
}

const xc_row_format xc_pam_rows = {sizeof(raster_reader), open_pam};

/* ----------------------------------------------------------------------------------- writing */

enum { HEADER_MAX = 160, PIECE = 4096 };

static xc_status check_channels(xc_file_format format, uint32_t channels, char *message)
{
	if (format == XC_FILE_PGM && channels != 1)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "PGM holds 1 channel, not %u: use %s",
		                    channels, channels == 3 ? "ppm, pam or png" : "pam or png");
	if (format == XC_FILE_PPM && channels != 3)
		return xc_file_fail(message, XC_ERR_UNSUPPORTED, "PPM holds 3 channels, not %u: use %s",
		                    channels, channels == 1 ? "pgm, pam or png" : "pam or png");
	return XC_OK;
}

static void make_header(char header[HEADER_MAX], xc_file_format format, const xc_picture *picture,
                        uint32_t maxval)
{
	static const char *const types[5] = {"", "GRAYSCALE", "GRAYSCALE_ALPHA", "RGB", "RGB_ALPHA"};

	if (format == XC_FILE_PAM)
		snprintf(header, HEADER_MAX,
		         "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
		         picture->width, picture->height, picture->channels, maxval,
		         types[picture->channels]);
	else
		snprintf(header, HEADER_MAX, "P%c\n%u %u\n%u\n", format == XC_FILE_PGM ? '5' : '6',
		         picture->width, picture->height, maxval);
}

static xc_status write_bytes(const xc_row_writer *writer, const uint8_t *row, size_t samples)
{
	uint8_t bytes[PIECE];
	const uint32_t maxval = xc_file_maxval(writer->metadata, 8);
	xc_status status = XC_OK;

	for (size_t i = 0, n; i < samples && !status; i += n) {
		n = samples - i < PIECE ? samples - i : PIECE;
		for (size_t k = 0; k < n; k++)
			bytes[k] = (uint8_t)xc_raster_scale(row[i + k], 255, maxval);
		status = xc_row_writer_put(writer, bytes, n);
	}
	return status;
}

static xc_status write_words(const xc_row_writer *writer, const uint16_t *row, size_t samples)
{
	uint8_t bytes[2 * PIECE];
	const uint32_t maxval = xc_file_maxval(writer->metadata, 16);
	xc_status status = XC_OK;

	for (size_t i = 0, n; i < samples && !status; i += n) {
		n = samples - i < PIECE ? samples - i : PIECE;
		for (size_t k = 0; k < n; k++)
			xc_store_be16(bytes + 2 * k, xc_raster_scale(row[i + k], 65535, maxval));
		status = xc_row_writer_put(writer, bytes, 2 * n);
	}
	return status;
}

static xc_status write_rows(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count)
{
	const size_t samples = (size_t)writer->shape.width * writer->shape.channels;
	const int as_it_is = xc_file_maxval(writer->metadata, writer->shape.depth) == 255;
	xc_status status = XC_OK;

	if (as_it_is && stride == samples)
		return xc_row_writer_put(writer, rows, samples * count);
	for (uint32_t y = 0; y < count && !status; y++) {
		const void *row = (const uint8_t *)rows + y * stride;
		status = as_it_is                   ? xc_row_writer_put(writer, row, samples)
		         : writer->shape.depth == 8 ? write_bytes(writer, row, samples)
		                                    : write_words(writer, row, samples);
	}
	return status;
}

static xc_status create(xc_row_writer *writer)
{
	static const xc_row_writer_kind kind = {write_rows, NULL, NULL};
	const uint32_t channels = writer->shape.channels;
	xc_file_format format = writer->format;
	char header[HEADER_MAX];

	/* The channels choose. */
	if (format == XC_FILE_PNM && channels % 2 == 0)
		return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
		                    "PNM holds no alpha: use pam or png");
	if (format == XC_FILE_PNM)
		format = channels == 1 ? XC_FILE_PGM : XC_FILE_PPM;
	const xc_status status = check_channels(format, channels, writer->message);
	if (status)
		return status;
	writer->kind = &kind;
	make_header(header, format, &writer->shape,
	            xc_file_maxval(writer->metadata, writer->shape.depth));
	return xc_row_writer_put(writer, header, strlen(header));
}

const xc_row_output xc_netpbm_row_output = {sizeof(xc_row_writer), create};
