/* SPDX-License-Identifier: BSD-2-Clause */
/* The description of a JPEG without its coefficients (jpeg/jpeg.h): numbers of 7 bits a byte, the
 * lowest first, and the skeleton. */
#include <string.h>

#include "jpeg/jpeg.h"

/* Bytes of a file that have been described: no more are believed. */
#define SIZE_LIMIT (1ULL << 48)

typedef struct sink {
	uint8_t *out; /* or NULL */
	size_t size;
} sink;

static void put_bytes(sink *s, const uint8_t *data, size_t size)
{
	if (s->out && size)
		memcpy(s->out + s->size, data, size);
	s->size += size;
}

static void put(sink *s, uint64_t v)
{
	uint8_t bytes[10];

	put_bytes(s, bytes, (size_t)(xc_jpeg_put_number(bytes, v) - bytes));
}

static void put_notes(sink *s, const xc_jpeg_notes *notes, int scan)
{
	uint32_t before[4] = {0};
	size_t count = 0;

	for (size_t i = 0; i < notes->count; i++)
		count += notes->note[i].scan == scan;
	put(s, count);
	for (size_t i = 0; count && i < notes->count; i++) {
		const xc_jpeg_note *n = &notes->note[i];
		if (n->scan != scan)
			continue;
		put(s, n->kind | (uint32_t)n->value << 2);
		put(s, n->index - before[n->kind]);
		before[n->kind] = n->index;
	}
}

size_t xc_jpeg_describe(const xc_jpeg *j, const xc_jpeg_notes *notes, uint8_t *out)
{
	sink s = {out, 0};
	size_t at = 0;

	put(&s, (uint64_t)j->scans);
	for (int i = 0; i < j->scans; i++) {
		const xc_jpeg_found *f = &j->scan[i].found;
		const int stops = f->units < j->scan[i].total;
		put(&s, f->pad | (uint32_t)stops << 1 | (uint32_t)f->lone << 2);
		if (stops)
			put(&s, f->units);
		put(&s, f->coded);
		put(&s, f->tail);
		put_notes(&s, notes, i);
	}
	for (int i = 0; i < j->scans; i++) {
		const xc_jpeg_scan *c = &j->scan[i];
		put_bytes(&s, j->data + at, c->begin - at);
		put_bytes(&s, j->data + c->begin + c->found.coded, c->found.tail);
		at = c->begin + c->size;
	}
	put_bytes(&s, j->data + at, j->size - at);
	return s.size;
}

typedef struct source {
	const uint8_t *next, *end;
	int bad;
} source;

static uint64_t take(source *s)
{
	uint64_t v;
	const uint8_t *after = xc_jpeg_take_number(s->next, s->end, &v);

	s->bad |= !after;
	s->next = after ? after : s->end;
	return after ? v : 0;
}

static uint32_t take32(source *s)
{
	const uint64_t v = take(s);

	s->bad |= v > UINT32_MAX;
	return (uint32_t)v;
}

/* notes: NULL, to count alone. */
static void take_notes(source *s, xc_jpeg_notes *notes, int scan, size_t *count)
{
	uint32_t before[4] = {0};

	for (uint64_t n = take(s); n && !s->bad; n--) {
		const uint32_t kind = take32(s), of = kind & 3;
		before[of] += take32(s);
		if (notes && *count == notes->room)
			s->bad = 1;
		else if (notes)
			notes->note[*count] = (xc_jpeg_note){(uint16_t)scan, (uint8_t)of, (uint8_t)(kind >> 2),
			                                     before[of]};
		++*count;
	}
}

/* Everything before the skeleton; returns how many scans. */
static int take_scans(source *s, xc_jpeg_found found[XC_JPEG_SCANS], xc_jpeg_notes *notes,
                      size_t *count)
{
	const uint64_t scans = take(s);
	uint64_t bytes = 0;

	*count = 0;
	if (!scans || scans > XC_JPEG_SCANS)
		s->bad = 1;
	for (uint64_t i = 0; i < scans && !s->bad; i++) {
		xc_jpeg_found *f = &found[i];
		const uint32_t flags = take32(s);
		s->bad |= flags > 7;
		/* UINT32_MAX: all. */
		f->pad = flags & 1;
		f->lone = flags >> 2 & 1;
		f->units = flags & 2 ? take32(s) : UINT32_MAX;
		f->coded = take(s);
		f->tail = take(s);
		bytes += f->coded;
		s->bad |= bytes > SIZE_LIMIT || bytes > SIZE_MAX / 2;
		take_notes(s, notes, (int)i, count);
	}
	return (int)scans;
}

size_t xc_jpeg_described_notes(const uint8_t *data, size_t size)
{
	source s = {data, data + size, 0};
	xc_jpeg_found found[XC_JPEG_SCANS];
	size_t count;

	take_scans(&s, found, NULL, &count);
	return s.bad ? 0 : count;
}

xc_jpeg_verdict xc_jpeg_described(xc_jpeg *jpeg, const uint8_t *data, size_t size,
                                  xc_jpeg_notes *notes)
{
	source s = {data, data + size, 0};
	xc_jpeg_found found[XC_JPEG_SCANS];
	const int scans = take_scans(&s, found, notes, &notes->count);

	if (s.bad)
		return XC_JPEG_ODD;
	return xc_jpeg_walk(jpeg, s.next, (size_t)(s.end - s.next), found, scans);
}

size_t xc_jpeg_file_size(const xc_jpeg *j)
{
	size_t size = j->size;

	for (int i = 0; i < j->scans; i++)
		size += j->scan[i].found.coded;
	return size;
}
