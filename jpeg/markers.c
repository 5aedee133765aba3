/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the markers of a JPEG (jpeg/jpeg.h): its frame, tables and scans. xc_jpeg_open() goes
 * through a file, xc_jpeg_described() through a skeleton.
 */
#include <string.h>

#include "jpeg/jpeg.h"

enum {
	SOF0 = 0xc0,
	SOF2 = 0xc2,
	DHT = 0xc4,
	RST0 = 0xd0,
	SOI = 0xd8,
	EOI = 0xd9,
	SOS = 0xda,
	DQT = 0xdb,
	DNL = 0xdc,
	DRI = 0xdd,
	/* Visits of blocks that a byte of the file may ask for, and those of any file. */
	VISITS = 256,
	VISITS_LEAST = 1 << 22
};

typedef struct walk {
	xc_jpeg *j;
	size_t end;            /* of the data */
	uint8_t dht[2][4];     /* tables in effect */
	uint16_t steps[4][64]; /* likewise */
	uint32_t restart;
	uint64_t visits;
	uint8_t missing[XC_JPEG_COMPONENTS]
				   [64];        /* bits of a coefficient that scans have not given, + 1 */
	int framed;                 /* SOF was seen */
	const xc_jpeg_found *found; /* by scan: this is a skeleton */
	int scans;
	uint64_t bytes; /* of the file */
} walk;

enum { NOTHING_YET = 255 };

static uint32_t two(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t divided_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static xc_jpeg_verdict set_quant(walk *w, const uint8_t *p, size_t n)
{
	while (n) {
		const uint32_t wide = p[0] >> 4, t = p[0] & 15;
		const size_t size = 1 + (wide ? 128U : 64U);
		if (wide > 1 || t > 3 || n < size)
			return XC_JPEG_ODD;
		for (int k = 0; k < 64; k++) {
			const uint32_t step = wide ? two(p + 1 + 2 * k) : p[1 + k];
			w->steps[t][k] = (uint16_t)(step ? step : 1);
		}
		p += size;
		n -= size;
	}
	return XC_JPEG_GOOD;
}

static xc_jpeg_verdict set_huffman(walk *w, const uint8_t *p, size_t n)
{
	while (n) {
		size_t size = 17;
		if (n < size || (p[0] & 0xef) > 3)
			return XC_JPEG_ODD;
		for (int i = 1; i <= 16; i++)
			size += p[i];
		if (n < size || size > 17 + 256)
			return XC_JPEG_ODD;
		if (w->j->tables == XC_JPEG_TABLES)
			return XC_JPEG_BUDGET;
		w->dht[p[0] >> 4][p[0] & 15] = (uint8_t)w->j->tables;
		w->j->table[w->j->tables++] = p + 1;
		p += size;
		n -= size;
	}
	return XC_JPEG_GOOD;
}

static xc_jpeg_verdict set_frame(walk *w, int marker, const uint8_t *p, size_t n)
{
	xc_jpeg *j = w->j;

	if (marker > SOF2)
		return marker == 0xc9 || marker == 0xca ? XC_JPEG_ARITHMETIC : XC_JPEG_PROCESS;
	if (w->framed++ || n < 6)
		return XC_JPEG_ODD;
	if (p[0] != 8)
		return XC_JPEG_DEPTH;
	j->progressive = marker == SOF2;
	j->height = two(p + 1);
	j->width = two(p + 3);
	j->components = p[5];
	if (!j->width || !j->height || j->components < 1 || j->components > XC_JPEG_COMPONENTS ||
	    n != 6 + 3 * (size_t)j->components)
		return XC_JPEG_ODD;
	for (int c = 0; c < j->components; c++) {
		xc_jpeg_component *k = &j->component[c];
		*k = (xc_jpeg_component){p[6 + 3 * c],
		                         p[7 + 3 * c] >> 4,
		                         p[7 + 3 * c] & 15,
		                         p[8 + 3 * c],
		                         0,
		                         0,
		                         0,
		                         0};
		if (!k->h || k->h > 4 || !k->v || k->v > 4 || k->quant > 3)
			return XC_JPEG_ODD;
		j->most_h = k->h > j->most_h ? k->h : j->most_h;
		j->most_v = k->v > j->most_v ? k->v : j->most_v;
	}
	j->mcu_columns = divided_up(j->width, 8U * j->most_h);
	j->mcu_rows = divided_up(j->height, 8U * j->most_v);
	for (int c = 0; c < j->components; c++) {
		xc_jpeg_component *k = &j->component[c];
		k->wide = divided_up(divided_up(j->width * k->h, j->most_h), 8);
		k->high = divided_up(divided_up(j->height * k->v, j->most_v), 8);
		k->columns = j->mcu_columns * k->h;
		k->rows = j->mcu_rows * k->v;
	}
	memset(w->missing, NOTHING_YET, sizeof w->missing);
	return XC_JPEG_GOOD;
}

/* Each bit of a coefficient may come once, the highest first: what else scans do cannot be undone. */
static int takes_bits(walk *w, const xc_jpeg_scan *s, int component)
{
	for (int k = s->from; k <= s->to; k++) {
		uint8_t *missing = &w->missing[component][k];
		if (s->high ? *missing != s->high || s->low != s->high - 1 : *missing != NOTHING_YET)
			return 0;
		*missing = s->low;
	}
	return 1;
}

static int scan_is_good(walk *w, xc_jpeg_scan *s)
{
	const xc_jpeg *j = w->j;

	/* Sequential scans say nothing else, whatever is written there. */
	if (!j->progressive) {
		s->from = s->high = s->low = 0;
		s->to = 63;
	} else if (s->from > s->to || s->to > 63 || s->low > 13 || (!s->from && s->to) ||
	           (s->from && s->components > 1))
		return 0;
	for (int i = 0; i < s->components; i++) {
		for (int k = 0; k < i; k++)
			if (s->component[k] == s->component[i])
				return 0;
		const int no_dc = s->dc[i] == XC_JPEG_NO_TABLE, no_ac = s->ac[i] == XC_JPEG_NO_TABLE;
		if ((!s->from && !s->high && no_dc) || (s->to && no_ac) ||
		    !takes_bits(w, s, s->component[i]))
			return 0;
		s->dc[i] = s->from || s->high ? XC_JPEG_NO_TABLE : s->dc[i];
		s->ac[i] = s->to ? s->ac[i] : XC_JPEG_NO_TABLE;
	}
	return 1;
}

static int component_of(const xc_jpeg *j, int id)
{
	for (int c = 0; c < j->components; c++)
		if (j->component[c].id == id)
			return c;
	return -1;
}

static xc_jpeg_verdict set_scan(walk *w, const uint8_t *p, size_t n)
{
	xc_jpeg *j = w->j;
	xc_jpeg_scan *s = &j->scan[j->scans];
	uint32_t blocks = 0;

	if (!w->framed || n < 1 || !p[0] || p[0] > j->components || n != 4 + 2 * (size_t)p[0])
		return XC_JPEG_ODD;
	if (j->scans == XC_JPEG_SCANS)
		return XC_JPEG_BUDGET;
	memset(s, 0, sizeof *s);
	s->components = p[0];
	s->restart = w->restart;
	p++;
	for (int i = 0; i < s->components; i++, p += 2) {
		const int c = component_of(j, p[0]);
		if (c < 0 || (p[1] & 15) > 3 || p[1] >> 4 > 3)
			return XC_JPEG_ODD;
		s->component[i] = (uint8_t)c;
		s->dc[i] = w->dht[0][p[1] >> 4];
		s->ac[i] = w->dht[1][p[1] & 15];
		blocks += (uint32_t)j->component[c].h * j->component[c].v;
		if (!s->from)
			memcpy(j->steps[c], w->steps[j->component[c].quant], sizeof j->steps[c]);
	}
	s->from = p[0];
	s->to = p[1];
	s->high = p[2] >> 4;
	s->low = p[2] & 15;
	const xc_jpeg_component *k = &j->component[s->component[0]];
	s->total = s->components == 1 ? k->wide * k->high : j->mcu_columns * j->mcu_rows;
	w->visits += (uint64_t)s->total * (s->components == 1 ? 1 : blocks);
	if (s->components > 1 && blocks > XC_JPEG_MCU_BLOCKS)
		return XC_JPEG_ODD;
	if (w->visits > VISITS_LEAST + VISITS * w->bytes)
		return XC_JPEG_BUDGET;
	return scan_is_good(w, s) ? XC_JPEG_GOOD : XC_JPEG_ODD;
}

/* The end of coded data: a marker that is no restart. */
static size_t end_of_data(const uint8_t *data, size_t at, size_t end)
{
	while (at < end) {
		const uint8_t *p = memchr(data + at, 0xff, end - at);
		if (!p)
			return end;
		at = (size_t)(p - data);
		if (at + 1 < end && data[at + 1] && data[at + 1] != 0xff && (data[at + 1] & 0xf8) != RST0)
			return at;
		/* A byte of filling may come before a marker. */
		at += at + 1 < end && data[at + 1] == 0xff ? 1 : 2;
	}
	return end;
}

static xc_jpeg_verdict segment(walk *w, int marker, const uint8_t *p, size_t n)
{
	switch (marker) {
	case DQT:
		return set_quant(w, p, n);
	case DHT:
		return set_huffman(w, p, n);
	case DRI:
		if (n != 2)
			return XC_JPEG_ODD;
		w->restart = two(p);
		return XC_JPEG_GOOD;
	case DNL:
		return XC_JPEG_ODD;
	case SOS:
		return set_scan(w, p, n);
	default:
		return marker >= SOF0 && marker <= 0xcf ? set_frame(w, marker, p, n) : XC_JPEG_GOOD;
	}
}

/* The next marker, whose code is at *at; 0: there is none. */
static int next_marker(const walk *w, size_t *at)
{
	const uint8_t *data = w->j->data;

	while (*at < w->end) {
		const uint8_t *p = memchr(data + *at, 0xff, w->end - *at);
		if (!p)
			return 0;
		*at = (size_t)(p - data);
		while (*at < w->end && data[*at] == 0xff)
			++*at;
		if (*at < w->end && data[*at])
			return data[*at];
	}
	return 0;
}

/* Takes the data of the scan that has just begun. */
static xc_jpeg_verdict enter_scan(walk *w, size_t *at)
{
	xc_jpeg_scan *s = &w->j->scan[w->j->scans];

	s->begin = *at;
	if (w->found) {
		if (w->j->scans == w->scans)
			return XC_JPEG_ODD;
		s->found = w->found[w->j->scans];
		if (s->found.units == UINT32_MAX)
			s->found.units = s->total;
		if (s->found.tail > w->end - *at || s->found.units > s->total)
			return XC_JPEG_ODD;
		*at += s->found.tail;
	} else {
		*at = end_of_data(w->j->data, *at, w->end);
		s->size = *at - s->begin;
	}
	w->j->scans++;
	return XC_JPEG_GOOD;
}

xc_jpeg_verdict xc_jpeg_walk(xc_jpeg *j, const uint8_t *data, size_t size,
                             const xc_jpeg_found *found, int scans)
{
	walk w = {.j = j, .end = size, .found = found, .scans = scans, .bytes = size};
	size_t at = 2;
	int marker;

	for (int i = 0; i < scans; i++)
		w.bytes += found[i].coded;
	memset(j, 0, offsetof(xc_jpeg, scan));
	j->data = data;
	j->size = size;
	memset(w.dht, XC_JPEG_NO_TABLE, sizeof w.dht);
	for (int i = 0; i < 4 * 64; i++)
		w.steps[i / 64][i % 64] = 1;
	memcpy(j->steps, w.steps, sizeof j->steps);
	if (size < 4 || data[0] != 0xff || data[1] != SOI)
		return XC_JPEG_FOREIGN;
	while ((marker = next_marker(&w, &at))) {
		at++;
		if (marker == EOI) {
			j->size = at;
			j->ended = 1;
			break;
		}
		if (marker == 1 || (marker >= RST0 && marker <= SOI))
			continue;
		/* What breaks off here is kept as it is, behind the last scan. */
		if (size - at < 2 || two(data + at) < 2 || two(data + at) > size - at)
			break;
		const size_t n = two(data + at);
		xc_jpeg_verdict v = segment(&w, marker, data + at + 2, n - 2);
		at += n;
		if (v == XC_JPEG_GOOD && marker == SOS)
			v = enter_scan(&w, &at);
		if (v != XC_JPEG_GOOD)
			return v;
	}
	if (w.found && (j->scans != w.scans || j->size != size))
		return XC_JPEG_ODD;
	return j->scans ? XC_JPEG_GOOD : XC_JPEG_FOREIGN;
}

xc_jpeg_verdict xc_jpeg_open(xc_jpeg *jpeg, const uint8_t *data, size_t size)
{
	return xc_jpeg_walk(jpeg, data, size, NULL, 0);
}

uint64_t xc_jpeg_scan_blocks(const xc_jpeg *j, uint64_t *missing)
{
	uint64_t all = 0;
	unsigned begun = 0; /* components */

	*missing = 0;
	for (const xc_jpeg_scan *s = j->scan; s < j->scan + j->scans; s++) {
		uint32_t each = 0;
		for (int i = 0; i < s->components; i++) {
			const xc_jpeg_component *k = &j->component[s->component[i]];
			each += s->components == 1 ? 1 : (uint32_t)k->h * k->v;
			begun |= 1U << s->component[i];
		}
		all += (uint64_t)each * s->total;
		*missing += (uint64_t)each * (s->total - s->found.units);
	}
	for (int c = 0; c < j->components; c++) {
		const uint64_t n = (uint64_t)j->component[c].wide * j->component[c].high;
		all += begun >> c & 1 ? 0 : n;
		*missing += begun >> c & 1 ? 0 : n;
	}
	return all;
}

/* Encoders and transports leave up to 8 bytes, or any number of equal ones; what damaged codes leave looks like noise. */
static int is_padding(const uint8_t *p, size_t size)
{
	for (size_t i = 1; i < size && size > 8; i++)
		if (p[i] != p[0])
			return 0;
	return 1;
}

int xc_jpeg_has_rest(const xc_jpeg *j)
{
	int has = 0;

	for (const xc_jpeg_scan *s = j->scan; s < j->scan + j->scans; s++) {
		/* A skeleton has no codes, and its scans no size. */
		const uint8_t *const tail = j->data + s->begin + (s->size ? s->found.coded : 0);
		has |= s->found.units == s->total && !is_padding(tail, s->found.tail);
	}
	return has;
}
