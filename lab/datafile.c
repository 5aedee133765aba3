/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/datafile.h"

#include "lab/registry.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* No number needs more characters; longer words are not numbers. */
enum { WORD_MAX = 127 };

__attribute__((format(printf, 2, 3))) static int fail(xc_data_reader *reader, const char *format,
                                                      ...)
{
	va_list arguments;
	int used = snprintf(reader->message, sizeof reader->message, "line %zu: ", reader->line);

	va_start(arguments, format);
	vsnprintf(reader->message + used, sizeof reader->message - (size_t)used, format, arguments);
	va_end(arguments);
	return -1;
}

static int is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_space(xc_data_reader *reader)
{
	for (; reader->at < reader->size && is_space(reader->text[reader->at]); reader->at++)
		reader->line += reader->text[reader->at] == '\n';
}

/* Reads the next word, cut off when it is too long to be anything, and returns its whole
 * length; 0 at the end. */
static size_t next_word(xc_data_reader *reader, char word[WORD_MAX + 1])
{
	skip_space(reader);
	const size_t start = reader->at;
	while (reader->at < reader->size && !is_space(reader->text[reader->at]))
		reader->at++;
	const size_t length = reader->at - start;
	const size_t copied = length < WORD_MAX ? length : WORD_MAX;
	memcpy(word, reader->text + start, copied);
	word[copied] = 0;
	return length;
}

/* The beginning of a word, for messages. */
static const char *quoted(const char *word, char text[24])
{
	snprintf(text, 24, "%.19s%s", word, strlen(word) > 19 ? "..." : "");
	return text;
}

/* A decimal number between two colons; *text moves past it. */
static int parse_count(const char **text, size_t *count)
{
	*count = 0;
	if (**text < '0' || **text > '9')
		return -1;
	for (; **text >= '0' && **text <= '9'; ++*text)
		if (__builtin_mul_overflow(*count, 10, count) ||
		    __builtin_add_overflow(*count, (size_t)(**text - '0'), count))
			return -1;
	return 0;
}

/* "!dct:N:M:precision"; 1, or -1.  length: of the word, which may hold zero bytes. */
static int parse_header(xc_data_reader *reader, const char *word, size_t length, xc_data_set *set)
{
	const char *text = word + 5;
	size_t bits;
	char quote[24];

	if (!strncmp(word, "!lot:", 5))
		set->kind = XC_DATA_LOT;
	else if (!strncmp(word, "!dct:", 5))
		set->kind = XC_DATA_DCT;
	else
		return fail(reader, "'%s' where a set should start (!dct:N:M:precision)",
		            quoted(word, quote));
	if (parse_count(&text, &set->rows) || *text++ != ':' || parse_count(&text, &set->cols) ||
	    *text++ != ':' || parse_count(&text, &bits) ||
	    (*text == ':' && (text++, parse_count(&text, &set->array_rows) || *text++ != ':' ||
	                                  parse_count(&text, &set->array_cols))) ||
	    text != word + length)
		return fail(reader, "'%s' is not !dct:N:M:precision", quoted(word, quote));
	set->precision = XCT_INT16;
	while (set->precision <= XCT_LONG_DOUBLE && bits != (size_t)xc_precision_bits(set->precision))
		set->precision <<= 1;
	if (set->precision > XCT_LONG_DOUBLE)
		return fail(reader, "%zu bits (16, 32, 64 or 128 are possible)", bits);
	if (set->array_rows > set->rows || set->array_cols > set->cols ||
	    !set->array_rows != !set->array_cols)
		return fail(reader, "%zu x %zu are no coefficients of %zu x %zu", set->rows, set->cols,
		            set->array_rows, set->array_cols);
	if (!set->rows || !set->cols)
		return fail(reader, "a set without numbers (%zu x %zu)", set->rows, set->cols);
	return 1;
}

/* strtod() also takes names and hexadecimal numbers. */
static int is_decimal(const char *word)
{
	return word[strspn(word, "0123456789+-.eE")] == 0;
}

/* Puts one number into place i.  Returns what is wrong with it, or NULL. */
static const char *parse_sample(const char *word, xct_precision precision, void *samples, size_t i)
{
	char *end;

	if (!is_decimal(word))
		return "is not a number";
	long double value = precision == XCT_FLOAT32   ? (long double)strtof(word, &end)
	                    : precision == XCT_FLOAT64 ? (long double)strtod(word, &end)
	                                               : strtold(word, &end);
	if (*end || end == word)
		return "is not a number";
	if (!isfinite(value))
		return "is too large for the precision";
	if (precision == XCT_FLOAT16 && !isfinite(xc_half_to_float(xc_half_of((float)value))))
		return "is too large for half precision";
	if (precision == XCT_INT16 && (rintl(value) < INT16_MIN || rintl(value) > INT16_MAX))
		return "does not fit in 16 bits";
	xc_sample_put(samples, precision, i, value);
	return NULL;
}

static int read_samples(xc_data_reader *reader, xc_data_set *set, size_t count)
{
	char word[WORD_MAX + 1], quote[24];

	for (size_t i = 0; i < count; i++) {
		const size_t length = next_word(reader, word);
		if (!length || *word == '!')
			return fail(reader, "%s after %zu of %zu x %zu numbers",
			            length ? "the next set starts" : "the file ends", i, set->rows, set->cols);
		const char *const wrong = length != strlen(word)
		                              ? "is not a number"
		                              : parse_sample(word, set->precision, set->samples, i);
		if (wrong)
			return fail(reader, "'%s' %s (row %zu, column %zu)", quoted(word, quote), wrong,
			            i / set->cols, i % set->cols);
	}
	return 1;
}

int xc_data_detect(const void *text, size_t size)
{
	const char *p = text;

	while (size && is_space(*p)) {
		p++;
		size--;
	}
	return size >= 5 && (!memcmp(p, "!dct:", 5) || !memcmp(p, "!lot:", 5));
}

void xc_data_reader_start(xc_data_reader *reader, const char *text, size_t size)
{
	*reader = (xc_data_reader){.text = text, .size = size, .line = 1, .max = SIZE_MAX};
}

int xc_data_read(xc_data_reader *reader, int precision, xc_data_set *set)
{
	char word[WORD_MAX + 1];
	size_t count;

	*set = (xc_data_set){.rows = 0};
	const size_t length = next_word(reader, word);
	if (!length)
		return 0;
	if (parse_header(reader, word, length, set) < 0)
		return -1;
	/* Every number takes at least a digit and the space before it. */
	if (__builtin_mul_overflow(set->rows, set->cols, &count) ||
	    count > (reader->size - reader->at) / 2)
		return fail(reader, "the file is too short for %zu x %zu numbers", set->rows, set->cols);
	if (precision)
		set->precision = (xct_precision)precision;
	if (count > reader->max / xc_precision_bytes(set->precision))
		return fail(reader, "%zu x %zu numbers do not fit into %zu bytes of memory", set->rows,
		            set->cols, reader->max);
	set->samples = malloc(count * xc_precision_bytes(set->precision));
	if (!set->samples)
		return fail(reader, "out of memory for %zu x %zu numbers", set->rows, set->cols);
	if (read_samples(reader, set, count) < 0) {
		xc_data_set_free(set);
		return -1;
	}
	return 1;
}

void xc_data_set_free(xc_data_set *set)
{
	free(set->samples);
	*set = (xc_data_set){.rows = 0};
}

/* Makes room for `more` bytes after the text so far. */
static int reserve(xc_data_writer *writer, size_t more)
{
	size_t room = writer->room ? writer->room : 4096;

	if (more <= writer->room - writer->size)
		return 0;
	while (room - writer->size < more)
		if (__builtin_mul_overflow(room, 2, &room))
			return -1;
	char *const text = realloc(writer->text, room);
	if (!text)
		return -1;
	writer->text = text;
	writer->room = room;
	return 0;
}

int xc_data_write(xc_data_writer *writer, const xc_data_set *set)
{
	enum { LONGEST = 64 }; /* of a number, and half of a header at most */
	/* As many digits as it takes to read the same sample again. */
	static const int digits[] = {
		[XCT_INT16] = 5,    [XCT_FLOAT32] = 9,
		[XCT_FLOAT64] = 17, [XCT_LONG_DOUBLE] = LDBL_DECIMAL_DIG,
		[XCT_FLOAT16] = 9,
	};

	if (reserve(writer, 3 * LONGEST))
		return -1;
	writer->size += (size_t)snprintf(writer->text + writer->size, 2 * LONGEST, "!%s:%zu:%zu:%d\n",
	                                 set->kind == XC_DATA_LOT ? "lot" : "dct", set->rows, set->cols,
	                                 set->precision == XCT_FLOAT16
	                                     ? 32
	                                     : xc_precision_bits(set->precision));
	if (set->array_rows && (set->array_rows != set->rows || set->array_cols != set->cols))
		writer->size += (size_t)snprintf(writer->text + writer->size - 1, LONGEST, ":%zu:%zu\n",
		                                 set->array_rows, set->array_cols) -
		                1;
	for (size_t i = 0; i < set->rows * set->cols; i++) {
		if (reserve(writer, LONGEST))
			return -1;
		writer->size += (size_t)snprintf(writer->text + writer->size, LONGEST - 1, "%.*Lg",
		                                 digits[set->precision],
		                                 xc_sample_get(set->samples, set->precision, i));
		writer->text[writer->size++] = (i + 1) % set->cols ? ' ' : '\n';
	}
	return 0;
}
