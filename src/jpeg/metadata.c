/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a JPEG says beside its first picture. What is damaged, or has no place in xc_metadata, is left out, and its kind
 * is noted. Markers are gone over twice: for the memory that they take, and to copy them.
 */
#include "src/jpeg/metadata.h"

#include <stdio.h>
#include <string.h>

#include "src/container/parser.h"
#include "src/core/blob.h"
#include "src/jpeg/kept.h"

const char *xc_jpeg_left_out(int kind, char app[16])
{
	static const char *const names[] = {"extended XMP",
	                                    "APP2 (MPF)",
	                                    "APP11 (JUMBF)",
	                                    "a second EXIF",
	                                    "a second XMP",
	                                    "a second colour profile",
	                                    "resources of Photoshop",
	                                    "damaged EXIF",
	                                    "a damaged colour profile",
	                                    "damaged IPTC",
	                                    "a comment that is no text",
	                                    "a second picture",
	                                    "a video"};

	if (kind >= XC_LEFT_EXTENDED_XMP)
		return names[kind - XC_LEFT_EXTENDED_XMP];
	snprintf(app, 16, "APP%d", kind);
	return app;
}

void xc_kept_name_left_out(uint32_t kinds, char text[XC_MESSAGE_BYTES])
{
	size_t n = 0;
	char app[16];

	text[0] = '\0';
	for (int i = 1; i < XC_LEFT_KINDS && n < XC_MESSAGE_BYTES; i++)
		if (kinds >> i & 1)
			n += (size_t)snprintf(text + n, XC_MESSAGE_BYTES - n, "%s%s",
			                      n ? ", " : "left out of what the JPEG holds: ",
			                      xc_jpeg_left_out(i, app));
}

/* ------------------------------------------------------------------ markers */

/* A marker before the first scan: APP0 to APP15 or COM. */
typedef struct marker {
	int code;
	const uint8_t *data;
	size_t size;
} marker;

/* Takes the next one from *at on: 0: there are no more. */
static int next_marker(const uint8_t *markers, size_t all, size_t *at, marker *m)
{
	while (*at + 4 <= all && markers[*at] == 0xff) {
		const uint8_t *p = markers + *at;
		const size_t size = p[2] << 8 | p[3];
		m->code = p[1];
		if (m->code == 0xff) {
			++*at;
			continue;
		}
		if (m->code == 0xda || size < 2 || size > all - *at - 2)
			return 0;
		*at += 2 + size;
		m->data = p + 4;
		m->size = size - 2;
		if ((m->code & 0xf0) == 0xe0 || m->code == 0xfe)
			return 1;
	}
	return 0;
}

/* 1: the marker begins with these bytes, which it is then past. */
static int starts(marker *m, int code, const char *mark, size_t size)
{
	if (m->code != code || m->size < size || memcmp(m->data, mark, size) != 0)
		return 0;
	m->data += size;
	m->size -= size;
	return 1;
}
#define STARTS(m, code, mark) starts(m, code, mark, sizeof mark - 1)

/* -1: none; -2: there is one of JFIF, which counts of three components. */
static int transform_of(const xc_jpeg *j)
{
	int adobe = -1;
	marker m;

	for (size_t at = 2; next_marker(j->data, j->size, &at, &m);)
		if (STARTS(&m, 0xe0, "JFIF\0") && m.size >= 9 && j->components == 3)
			return -2;
		else if (STARTS(&m, 0xee, "Adobe") && m.size >= 7)
			adobe = m.data[6];
	return adobe;
}

int xc_kept_is_rgb(const xc_jpeg *j)
{
	const xc_jpeg_component *k = j->component;
	const int adobe = transform_of(j);

	return adobe >= -1 &&
	       (adobe >= 0 ? !adobe : k[0].id == 'R' && k[1].id == 'G' && k[2].id == 'B');
}

int xc_kept_adobe(const xc_jpeg *j)
{
	const int adobe = transform_of(j);

	return j->components == 3 && xc_kept_is_rgb(j) ? 0 : adobe < 0 ? -1 : adobe;
}

/* ----------------------------------------------------------------- metadata */

/* Bytes that are put together; data NULL: they are only counted. */
typedef struct part {
	uint8_t *data;
	size_t size;
} part;

static void append(part *p, const void *bytes, size_t size)
{
	if (p->data && size)
		memcpy(p->data + p->size, bytes, size);
	p->size += size;
}

enum { ICC_PIECES = 255 };

/* What has come so far. */
typedef struct beside {
	xc_metadata *to;
	uint32_t *left_out;
	part exif, xmp, icc, photoshop, text;
	marker first_exif, first_xmp; /* data NULL: none yet */
	marker icc_piece[ICC_PIECES];
	unsigned icc_pieces; /* as the first piece counts them; 0: there is none */
	int icc_damaged;
} beside;

static void leave_out(const beside *b, int kind)
{
	*b->left_out |= 1U << kind;
}

static int is_same(const marker *a, const marker *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static void set_density(const uint8_t *p, xc_metadata *m)
{
	const uint32_t unit = p[2], x = xc_get_u16(p + 3), y = xc_get_u16(p + 5);
	const uint32_t across = (x & 255) << 8 | x >> 8, down = (y & 255) << 8 | y >> 8;

	if (!across || !down || unit > 2 || (!unit && across == down))
		return;
	m->density_unit = unit != 0;
	m->density_x = unit == 1 ? (across * 10000 + 127) / 254 : unit ? 100 * across : across;
	m->density_y = unit == 1 ? (down * 10000 + 127) / 254 : unit ? 100 * down : down;
}

/* EXIF that is too long for a marker goes on in the next one, without another header. */
static void take_exif(beside *b, const marker *m)
{
	const int begins = xc_is_exif(m->data, m->size);
	const int first = !b->first_exif.data;

	if (!first && begins) {
		if (!is_same(m, &b->first_exif) || b->exif.size != m->size)
			leave_out(b, XC_LEFT_SECOND_EXIF);
	} else if (first && !begins) {
		leave_out(b, XC_LEFT_DAMAGED_EXIF);
	} else {
		b->first_exif = first ? *m : b->first_exif;
		append(&b->exif, m->data, m->size);
	}
}

static void take_xmp(beside *b, const marker *m)
{
	if (!m->size || (b->first_xmp.data && is_same(m, &b->first_xmp)))
		return;
	if (b->first_xmp.data) {
		leave_out(b, XC_LEFT_SECOND_XMP);
		return;
	}
	b->first_xmp = *m;
	append(&b->xmp, m->data, m->size);
}

static int has_whole_icc(const beside *b)
{
	for (unsigned i = 0; i < b->icc_pieces; i++)
		if (!b->icc_piece[i].data)
			return 0;
	return b->icc_pieces && !b->icc_damaged;
}

/* A piece of a profile: its number from 1, how many there are, the bytes. Some writers put the profile there twice. */
static void take_icc(beside *b, marker m)
{
	const unsigned number = m.size >= 3 ? m.data[0] : 0, pieces = m.size >= 3 ? m.data[1] : 0;

	if (!b->icc_pieces)
		b->icc_pieces = pieces ? pieces : 1;
	const int fits = number && number <= pieces && pieces == b->icc_pieces;
	marker *const own = &b->icc_piece[fits ? number - 1 : 0];
	if (fits) {
		m.data += 2;
		m.size -= 2;
	}
	if (fits && own->data && is_same(own, &m))
		return;
	if (has_whole_icc(b))
		leave_out(b, XC_LEFT_SECOND_ICC);
	else if (!fits || own->data)
		b->icc_damaged = 1;
	else
		*own = m;
}

/* UTF-8, or if it is none Latin-1. Some writers end it with zero bytes. */
static void take_comment(beside *b, marker m)
{
	while (m.size && !m.data[m.size - 1])
		m.size--;
	if (!m.size)
		return;
	if (memchr(m.data, 0, m.size)) {
		leave_out(b, XC_LEFT_DAMAGED_TEXT);
		return;
	}
	append(&b->text, "Comment", sizeof "Comment");
	if (xc_is_utf8(m.data, m.size))
		append(&b->text, m.data, m.size);
	else
		for (size_t i = 0; i < m.size; i++) {
			const uint8_t c = m.data[i];
			const uint8_t two[2] = {(uint8_t)(0xc0 | c >> 6), (uint8_t)(0x80 | (c & 0x3f))};
			append(&b->text, c < 0x80 ? &c : two, c < 0x80 ? 1 : 2);
		}
	append(&b->text, "", 1);
}

static void take_marker(beside *b, marker m)
{
	static const struct {
		int code;
		const char *mark;
		int kind;
	} known[] = {{0xe1, "http://ns.adobe.com/xmp/extension/", XC_LEFT_EXTENDED_XMP},
	             {0xe2, "MPF", XC_LEFT_MPF},
	             {0xeb, "JP", XC_LEFT_JUMBF}};

	if (STARTS(&m, 0xe0, "JFIF\0") && m.size >= 9)
		set_density(m.data, b->to);
	else if (STARTS(&m, 0xe1, "Exif\0\0"))
		take_exif(b, &m);
	else if (STARTS(&m, 0xe1, "http://ns.adobe.com/xap/1.0/\0"))
		take_xmp(b, &m);
	else if (STARTS(&m, 0xe2, "ICC_PROFILE\0"))
		take_icc(b, m);
	else if (STARTS(&m, 0xed, "Photoshop 3.0\0"))
		append(&b->photoshop, m.data, m.size);
	else if (m.code == 0xfe)
		take_comment(b, m);
	else if (m.code != 0xe0 && m.code != 0xee && m.size) {
		int kind = m.code & 15;
		for (size_t i = 0; i < sizeof known / sizeof *known; i++)
			if (starts(&m, known[i].code, known[i].mark, strlen(known[i].mark)))
				kind = known[i].kind;
		leave_out(b, kind);
	}
}

/* Goes over all markers. */
static void take_markers(const uint8_t *markers, size_t size, beside *b)
{
	marker m;

	for (size_t at = 0; next_marker(markers, size, &at, &m);)
		take_marker(b, m);
	if (b->icc_pieces && !has_whole_icc(b))
		leave_out(b, XC_LEFT_DAMAGED_ICC);
	for (unsigned i = 0; i < b->icc_pieces && has_whole_icc(b); i++)
		append(&b->icc, b->icc_piece[i].data, b->icc_piece[i].size);
}

/* A resource of Photoshop: a mark, its number, a name (its length first, of even size), the size of its data, the data (of
 * even size). Those of IPTC are one list, which is moved to the front. */
static size_t find_iptc(const beside *b)
{
	static const char marks[][5] = {"8BIM", "PHUT", "AgHg", "DCSR", "MeSa"};
	uint8_t *const out = b->photoshop.data;
	size_t n = 0;

	for (size_t at = 0; at + 7 <= b->photoshop.size;) {
		const uint8_t *const p = out + at;
		const size_t left = b->photoshop.size - at, head = 10 + ((p[6] + 2U) & ~1U);
		int good = 0;
		for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
			good |= !memcmp(p, marks[i], 4);
		if (!good || head > left)
			break;
		const uint8_t *const q = p + head - 4, *const data = p + head;
		const size_t size = (size_t)q[0] << 24 | q[1] << 16 | q[2] << 8 | q[3];
		const int iptc = p[4] == 4 && p[5] == 4;
		if (size > left - head) {
			if (iptc)
				leave_out(b, XC_LEFT_DAMAGED_IPTC);
			break;
		}
		if (!iptc)
			leave_out(b, XC_LEFT_PHOTOSHOP);
		else if (size != n || memcmp(out, data, n) != 0) {
			memmove(out + n, data, size);
			n += size;
		}
		at += head + size + (size & 1);
	}
	return n;
}

size_t xc_jpeg_metadata_bytes(const uint8_t *markers, size_t size, size_t parts[XC_JPEG_PARTS])
{
	xc_metadata unused;
	uint32_t kinds = 0;
	beside b = {.to = &unused, .left_out = &kinds};
	const part *const all[] = {&b.exif, &b.xmp, &b.icc, &b.photoshop, &b.text};
	size_t bytes = 0;

	take_markers(markers, size, &b);
	for (int i = 0; i < XC_JPEG_PARTS; i++)
		bytes += parts[i] = all[i]->size;
	return bytes;
}

void xc_jpeg_metadata(const uint8_t *markers, size_t size, const size_t sizes[XC_JPEG_PARTS],
                      uint8_t *room, xc_metadata *to, uint32_t *left_out)
{
	beside b = {.to = to, .left_out = left_out};
	part *const parts[] = {&b.exif, &b.xmp, &b.icc, &b.photoshop, &b.text};
	xc_blob *const blobs[] = {&to->exif, &to->xmp, &to->icc, &to->iptc, &to->text};

	for (int i = 0; i < XC_JPEG_PARTS; room += sizes[i++])
		parts[i]->data = room;
	take_markers(markers, size, &b);
	b.photoshop.size = find_iptc(&b);
	for (int i = 0; i < XC_JPEG_PARTS; i++)
		if (parts[i]->size)
			*blobs[i] = (xc_blob){parts[i]->data, parts[i]->size};
}

xc_status xc_kept_metadata(xc_context *c, const xc_jpeg *j, xc_container *k)
{
	const size_t start = j->size < 2 ? j->size : 2; /* SOI */
	const uint8_t *const markers = j->data + start;
	size_t parts[XC_JPEG_PARTS];
	const size_t bytes = xc_jpeg_metadata_bytes(markers, j->size - start, parts);

	k->owned = xc_allocate(c, bytes + 1);
	if (!k->owned)
		return xc_fail_memory(c, bytes);
	xc_jpeg_metadata(markers, j->size - start, parts, k->owned, &k->metadata, &k->left_out);
	return XC_OK;
}

/* ------------------------------------------------------------- behind it */

/* Notes what bytes that follow the first picture are, by their first ones. */
static void look_into(const uint8_t *p, size_t size, uint32_t *left_out)
{
	for (size_t i = 0; i + 4 <= size && i < 1 << 16; i++) {
		const int video = memcmp(p + i, "ftyp", 4) == 0;
		if (video || memcmp(p + i, "\xff\xd8\xff", 3) == 0) {
			*left_out |= 1U << (video ? XC_LEFT_VIDEO : XC_LEFT_SECOND_PICTURE);
			return;
		}
	}
}

void xc_kept_look_behind(const uint8_t *file, size_t size, uint32_t *left_out)
{
	int pictures = 0;

	for (size_t at = XC_MAGIC_BYTES; at + 5 <= size;) {
		xc_chunk k;
		const size_t head = xc_chunk_take_apart(file + at, size - at, &k);
		if (!head || k.whole > size - at || !memcmp(k.type, "DONE", 4))
			return;
		const int picture = !memcmp(k.type, "PICT", 4);
		if (picture && pictures++)
			*left_out |= 1U << XC_LEFT_SECOND_PICTURE;
		if (!memcmp(k.type, "BYTE", 4) && pictures == 1)
			look_into(k.payload, (size_t)k.length, left_out);
		at += (size_t)k.whole;
	}
}
