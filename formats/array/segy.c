/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading SEG-Y (SEG's revisions 0, 1 and 2) and SU: traces of one length.
 *
 * The file is read twice before its values: for the numbers of inlines and crosslines and the lengths
 * of traces, and for the headers that are attached. Trace headers are attached in groups, by columns
 * of bytes, each less the byte above it; most of these are 0.
 */
#include "formats/array/segy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGY_FORMATS = 17, SEGY_STANZAS_MAX = 1024, SEGY_NAME = 32, SEGY_END = 15, SEGY_ANY = 6 };

typedef struct segy {
	segy_layout layout;
	uint64_t stride, traces;
	uint64_t attached; /* traces whose headers were given */
	segy_counts counts;
} segy;

/* -------------------------------------------------------------------- layout */

static const struct {
	const char *name; /* or why it is refused */
	int type;         /* -1: refused */
} formats[SEGY_FORMATS] = {
	{NULL, -1},
	{"IBM floats", XC_ARRAY_FLOAT32},
	{"int32", XC_ARRAY_INT32},
	{"int16", XC_ARRAY_INT16},
	{"has fixed point with gain", -1},
	{"IEEE floats", XC_ARRAY_FLOAT32},
	{"float64", XC_ARRAY_FLOAT64},
	{"has 24-bit integers", -1},
	{"int8", XC_ARRAY_INT8},
	{"has 64-bit integers", -1},
	{"uint32", XC_ARRAY_UINT32},
	{"uint16", XC_ARRAY_UINT16},
	{"has 64-bit integers", -1},
	{NULL, -1},
	{NULL, -1},
	{"has 24-bit integers", -1},
	{"uint8", XC_ARRAY_UINT8},
};

static int is_format(uint64_t code)
{
	return code < SEGY_FORMATS && formats[code].name;
}

/* Revision 2 has a number for the byte order. Files of older ones that are little-endian all the
 * same are known by their format's number. */
static int order_of(const uint8_t *b, int *little)
{
	const uint64_t constant = xc_array_number(b + 96, 4, 0);

	*little = constant == 0x04030201 ||
	          (constant != 0x01020304 && !is_format(xc_array_number(b + 24, 2, 0)) &&
	           is_format(xc_array_number(b + 24, 2, 1)));
	return constant != 0x02010403;
}

/* Revision 2.0 counts additional trace headers in four bytes, 2.1 in the first two of them. */
static void parse_rev2(const uint8_t *b, segy_layout *l)
{
	const uint64_t samples = xc_array_number(b + 68, 4, l->little),
				   start = xc_array_number(b + 320, 8, l->little);
	uint64_t more = xc_array_number(b + 306, 4, l->little);

	if (b[301] || more > 255)
		more = xc_array_number(b + 306, 2, l->little);
	l->samples = samples ? samples : l->samples;
	l->head = SEGY_TRACE * (1 + (uint32_t)(more < 256 ? more : 256));
	l->traces = xc_array_number(b + 312, 8, l->little);
	l->stanzas = (int32_t)xc_array_number(b + 328, 4, l->little);
	if (start >= SEGY_HEADERS && l->texts >= 0)
		l->start = start;
}

const char *xc_segy_parse(const uint8_t *headers, segy_layout *l)
{
	const uint8_t *b = headers + SEGY_TEXT;

	*l = (segy_layout){.head = SEGY_TRACE};
	if (!order_of(b, &l->little))
		return "has its bytes exchanged in pairs";
	l->rev = b[300] ? b[300] : l->little ? b[301] : 0;
	l->format = (int)xc_array_number(b + 24, 2, l->little);
	l->samples = xc_array_number(b + 20, 2, l->little);
	l->texts = (int16_t)xc_array_number(b + 304, 2, l->little);
	l->texts = l->texts < -1 ? 0 : l->texts;
	l->start = SEGY_HEADERS + SEGY_TEXT * (uint64_t)(l->texts > 0 ? l->texts : 0);
	if (l->rev > 2) /* of revision 0, where nothing is here */
		l->rev = 0;
	if (l->rev == 2)
		parse_rev2(b, l);
	if (l->head > SEGY_TRACE_MAX)
		return "has more than 255 headers for each trace";
	if (!is_format(l->format))
		return "has samples of an unknown format";
	l->type = (xc_array_type)formats[l->format].type;
	return formats[l->format].type < 0 ? formats[l->format].name : NULL;
}

/* Whether a stanza begins with the first `length` letters of ((SEG:EndText)), in ASCII or EBCDIC,
 * whatever its blanks and case, which is one bit in both. */
static int is_stanza(const uint8_t stanza[SEGY_NAME], int length)
{
	static const uint8_t texts[2][16] =
		{"((SEG:ENDTEXT))", "\x4d\x4d\xe2\xc5\xc7\x7a\xc5\xd5\xc4\xe3\xc5\xe7\xe3\x5d\x5d"};

	for (int code = 0; code < 2; code++) {
		const int blank = code ? 0x40 : 0x20; /* and the bit of the case */
		int found = 0;
		for (int i = 0; i < SEGY_NAME && found >= 0 && found < length; i++)
			if (stanza[i] != blank)
				found = (stanza[i] ^ texts[code][found]) & ~blank ? -1 : found + 1;
		if (found == length)
			return 1;
	}
	return 0;
}

/* Finds the end of extended textual headers whose number is not given. Revision 0 has none, though
 * some files of it do. */
static xc_status find_start(xc_array_reading *r, segy_layout *l)
{
	uint8_t text[SEGY_NAME];

	for (int i = 0; l->texts < 0 && i < SEGY_STANZAS_MAX; i++) {
		if (xc_array_get(&r->bytes, l->start, text, sizeof text, XC_ARRAY_BUFFER) < sizeof text)
			break;
		l->start += SEGY_TEXT;
		if (is_stanza(text, SEGY_END))
			l->texts = i + 1;
	}
	if (l->texts < 0 && l->rev)
		return xc_file_fail(r->message, XC_ERR_CORRUPT,
		                    "the SEG-Y file has extended headers without an end");
	if (l->texts < 0)
		l->start = SEGY_HEADERS;
	return XC_OK;
}

static uint64_t stride_of(const segy_layout *l)
{
	return l->head + l->samples * xc_array_value_size(l->type);
}

/* Whether the file is headers, whole traces, and the stanzas that were announced. */
static int fits(xc_array_reading *r, const segy_layout *l, uint64_t *traces)
{
	const uint64_t size = r->bytes.source.size, stride = stride_of(l);
	const uint64_t body = size > l->start ? size - l->start : 0;
	uint8_t text[SEGY_NAME] = {0};

	*traces = l->traces;
	if (!l->samples || (l->traces && l->traces <= body / stride))
		return l->samples > 0;
	const int64_t last = l->stanzas < 0 ? SEGY_STANZAS_MAX : l->stanzas;
	for (uint64_t k = l->stanzas < 0 ? 0 : (uint64_t)last; k <= (uint64_t)last; k++) {
		if (k > body / SEGY_TEXT)
			break;
		*traces = (body - k * SEGY_TEXT) / stride;
		if (!*traces || (body - k * SEGY_TEXT) % stride)
			continue;
		if (!k || l->stanzas >= 0)
			return 1;
		xc_array_get(&r->bytes, size - k * SEGY_TEXT, text, sizeof text, 0);
		if (is_stanza(text, SEGY_ANY))
			return 1;
	}
	return 0;
}

/* Tries what the binary header says, then the length of the first trace, and then, for revision 0,
 * where the field was not defined, no extended headers. */
static int find_traces(xc_array_reading *r, segy_layout *l, uint64_t *traces)
{
	for (int again = 0; again < 2; again++) {
		const uint64_t samples = l->samples;
		uint8_t length[2] = {0};
		if (fits(r, l, traces))
			return 1;
		xc_array_get(&r->bytes, l->start + 114, length, 2, SEGY_TRACE);
		l->samples = xc_array_number(length, 2, l->little);
		if (fits(r, l, traces))
			return 1;
		l->samples = samples;
		if (l->su || l->rev || l->start == SEGY_HEADERS)
			return 0;
		l->start = SEGY_HEADERS;
	}
	return 0;
}

/* ---------------------------------------------------------------------- grid */

/* Whether the numbers of traces so far are those of a grid: one of the two numbers, the fast one, runs
 * in equal steps, as often as the other one takes a step. */
typedef struct grid {
	uint64_t at, columns;      /* columns: 0: the first row has not ended */
	int64_t first[2], step[2]; /* of inline and crossline */
	int fast, broken;
} grid;

static void grid_second(grid *g, const int64_t number[2])
{
	g->fast = number[0] == g->first[0];
	g->step[g->fast] = number[g->fast] - g->first[g->fast];
	g->broken = !g->step[g->fast] || number[!g->fast] != g->first[!g->fast];
}

static void grid_add(grid *g, const int64_t number[2])
{
	const int f = g->fast, s = !f;
	const uint64_t at = g->at++;

	if (at == 0) {
		memcpy(g->first, number, sizeof g->first);
		return;
	}
	if (at == 1)
		grid_second(g, number);
	if (at == 1 || g->broken)
		return;
	if (!g->columns && number[s] != g->first[s]) {
		g->columns = at;
		g->step[s] = number[s] - g->first[s];
	}
	const uint64_t row = g->columns ? at / g->columns : 0, column = at - row * g->columns;
	g->broken = number[f] != g->first[f] + (int64_t)column * g->step[f] ||
	            number[s] != g->first[s] + (int64_t)row * g->step[s];
}

static int is_grid(const grid *g)
{
	return !g->broken && g->columns && g->at % g->columns == 0;
}

static xc_status scan(xc_array_reading *r, const segy *s, grid *g)
{
	const segy_layout *l = &s->layout;
	/* Long traces are not read for the sake of their headers. */
	const size_t ahead = s->stride > 1 << 14 ? SEGY_TRACE : XC_ARRAY_BUFFER;
	uint64_t length = 0;

	for (uint64_t i = 0; i < s->traces; i++) {
		uint8_t h[SEGY_TRACE];
		if (xc_array_get(&r->bytes, l->start + i * s->stride, h, sizeof h, ahead) < sizeof h)
			return xc_array_short(r);
		const uint64_t samples = xc_array_number(h + 114, 2, l->little);
		length = i ? length : samples;
		if (samples != length && length == (l->samples & 0xffff))
			return xc_file_fail(r->message, XC_ERR_UNSUPPORTED,
			                    "trace %" PRIu64 " has %" PRIu64
			                    " samples and the first one %" PRIu64
			                    ": only traces of one length are read",
			                    i + 1, samples, length);
		grid_add(g, (const int64_t[2]){(int32_t)xc_array_number(h + 188, 4, l->little),
		                               (int32_t)xc_array_number(h + 192, 4, l->little)});
	}
	return XC_OK;
}

/* ------------------------------------------------------------------- opening */

static xc_status set_shape(xc_array_reading *r, const segy *s, const grid *g)
{
	const segy_layout *l = &s->layout;
	const uint64_t flat[] = {s->traces, l->samples};
	const uint64_t cube[] = {is_grid(g) ? s->traces / g->columns : 0, g->columns, l->samples};
	const int is = is_grid(g);
	const xc_status status = xc_array_shape_file(r, l->type, is ? 3 : 2, is ? cube : flat,
	                                             l->start);

	r->end = l->start + s->traces * s->stride;
	r->input.rounding = l->format == 1 ? 1.0 / (1 << 21) : 0;
	if (l->su)
		snprintf(r->input.detail, sizeof r->input.detail, "%s", formats[l->format].name);
	else
		snprintf(r->input.detail, sizeof r->input.detail, "rev %d, %s%s", l->rev,
		         formats[l->format].name, l->little ? ", little-endian" : "");
	return status;
}

/* Whether traces of the lengths that their own headers say fill the file; *other: the first one that is
 * not as long as the first of all, counted from 1. */
static int is_varying(xc_array_reading *r, const segy_layout *l, uint64_t *other)
{
	const uint64_t size = r->bytes.source.size;
	uint64_t at = l->start, first = 0;

	*other = 0;
	for (uint64_t i = 1; at < size; i++) {
		uint8_t length[2];
		if (xc_array_get(&r->bytes, at + 114, length, 2, SEGY_TRACE) < 2)
			return 0;
		const uint64_t samples = xc_array_number(length, 2, l->little);
		first = i == 1 ? samples : first;
		*other = !*other && samples != first ? i : *other;
		if (!samples)
			return 0;
		at += l->head + samples * xc_array_value_size(l->type);
	}
	return at == size && *other;
}

static xc_status open_layout(xc_array_reading *r, segy *s)
{
	segy_layout *l = &s->layout;
	const uint64_t size = r->bytes.source.size;
	const int whole = find_traces(r, l, &s->traces) && s->traces;
	uint64_t other;
	grid g = {0};

	if (!whole && is_varying(r, l, &other))
		return xc_file_fail(
			r->message, XC_ERR_UNSUPPORTED,
			"trace %" PRIu64
			" has not as many samples as the first one: only traces of one length are "
			"read",
			other);
	if (!whole)
		return xc_file_fail(r->message, r->bytes.failed ? XC_ERR_IO : XC_ERR_CORRUPT,
		                    "the %s file is no whole number of traces: %" PRIu64
		                    " bytes after %" PRIu64 " of headers, for traces of %" PRIu64
		                    " samples",
		                    r->kind->format, size > l->start ? size - l->start : 0, l->start,
		                    l->samples);
	s->stride = stride_of(l);
	xc_status status = scan(r, s, &g);
	if (!status)
		status = set_shape(r, s, &g);
	if (!status && !l->su)
		status = xc_array_keep_header(r);
	return status;
}

static xc_status allocate(xc_array_reading *r)
{
	r->own = calloc(1, sizeof(segy));
	return r->own ? XC_OK : xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for SEG-Y");
}

static xc_status segy_open(xc_array_reading *r)
{
	xc_status status = allocate(r);

	if (status || r->first_size < SEGY_HEADERS)
		return status ? status : xc_array_short(r);
	segy *s = r->own;
	const char *why = xc_segy_parse(r->first, &s->layout);
	if (why)
		return xc_file_fail(r->message, XC_ERR_UNSUPPORTED, "the SEG-Y file is not read: it %s",
		                    why);
	status = find_start(r, &s->layout);
	return status ? status : open_layout(r, s);
}

static xc_status su_open(xc_array_reading *r)
{
	xc_status status = allocate(r);

	if (status || r->first_size < SEGY_TRACE)
		return status ? status : xc_array_short(r);
	segy *s = r->own;
	/* Little-endian, if that makes whole traces. */
	s->layout = (segy_layout){.su = 1, .little = 1, .format = 5, .head = SEGY_TRACE};
	s->layout.little = find_traces(r, &s->layout, &s->traces);
	s->layout.samples = 0;
	status = open_layout(r, s);
	if (status)
		return status;
	r->header = malloc(1);
	if (!r->header)
		return xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for a header");
	r->header[0] = s->layout.little ? 'l' : 'b';
	r->header_size = 1;
	return XC_OK;
}

/* A textual header begins with C in EBCDIC, as a rule, or in ASCII. */
static int segy_is(const uint8_t *first, size_t size, int suffix)
{
	segy_layout l;

	if (suffix || size < SEGY_HEADERS + SEGY_TRACE || (first[0] != 0xc3 && first[0] != 'C'))
		return suffix;
	return !xc_segy_parse(first, &l) && l.samples;
}

/* -------------------------------------------------------------------- values */

static xc_status segy_read(xc_array_reading *r, void *values, uint64_t count)
{
	segy *s = r->own;
	const segy_layout *l = &s->layout;
	const size_t size = xc_array_value_size(l->type);
	uint8_t *to = values;
	uint64_t n;

	if (!r->at)
		s->counts = (segy_counts){0};
	for (uint64_t at = r->at, left = count; left; left -= n, at += n, to += n * size) {
		const uint64_t x = at % l->samples;
		const uint64_t from = l->start + at / l->samples * s->stride + l->head + x * size;
		n = l->samples - x < left ? l->samples - x : left;
		if (xc_array_get(&r->bytes, from, to, (size_t)n * size, XC_ARRAY_BUFFER) < n * size)
			return xc_array_short(r);
	}
	if (l->little == xc_array_big_endian())
		xc_array_swap(values, count, size);
	if (l->format == 1)
		xc_ibm_to_floats(values, count, &s->counts);
	return XC_OK;
}

static void segy_input_end(const xc_array_reading *r, char message[XC_FILE_MESSAGE])
{
	const segy *s = r->own;

	if (s->counts.changed)
		snprintf(message, XC_FILE_MESSAGE,
		         "%" PRIu64 " of %" PRIu64 " IBM numbers are not normalized, or no float32: their "
		         "bytes will not be the same",
		         s->counts.changed, r->input.values);
}

/* The headers of the next traces, by columns, each byte less that of the trace before. */
static xc_status segy_attached(xc_array_reading *r, size_t *size)
{
	segy *s = r->own;
	const segy_layout *l = &s->layout;
	const uint64_t left = s->traces - s->attached, group = xc_segy_group(l);
	const size_t n = (size_t)(left < group ? left : group), head = l->head;
	const size_t ahead = s->stride > 1 << 14 ? head : XC_ARRAY_BUFFER;

	if (!n)
		return XC_OK;
	uint8_t *columns = malloc(n * head), *h = calloc(2, head);
	xc_status status = columns && h ? XC_OK : XC_ERR_MEMORY;
	if (status)
		xc_file_fail(r->message, status, "out of memory for trace headers");
	for (size_t i = 0; i < n && !status; i++) {
		uint8_t *now = h + i % 2 * head;
		const uint8_t *before = h + !(i % 2) * head;
		const uint64_t from = l->start + (s->attached + i) * s->stride;
		if (xc_array_get(&r->bytes, from, now, head, ahead) < head)
			status = xc_array_short(r);
		for (size_t k = 0; k < head; k++)
			columns[k * n + i] = (uint8_t)(now[k] - before[k]);
	}
	s->attached += n;
	if (!status)
		status = xc_array_pack(r, columns, n * head, size);
	free(columns);
	free(h);
	return status;
}

const xc_array_kind xc_array_segy = {
	.format = "SEG-Y",
	.letters = "sgy",
	.suffixes = {"sgy", "segy", "seg"},
	.seeks = 1,
	.is = segy_is,
	.open = segy_open,
	.read = segy_read,
	.attached = segy_attached,
	.input_end = segy_input_end,
	.create = xc_segy_create,
	.write = xc_segy_write,
	.end = xc_segy_end,
	.discard = xc_segy_discard,
};

const xc_array_kind xc_array_su = {
	.format = "SU",
	.letters = "su_",
	.suffixes = {"su"},
	.seeks = 1,
	.open = su_open,
	.read = segy_read,
	.attached = segy_attached,
	.create = xc_segy_create,
	.write = xc_segy_write,
	.end = xc_segy_end,
	.discard = xc_segy_discard,
};
