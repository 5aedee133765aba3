/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/engine/mutate_file.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "fuzz/engine/mutate.h"
#include "tests/support/check.h"
#include "tests/support/format_samples.h"

enum { PNG_MAGIC = 8, XC_MAGIC = 8, JPEG_MAGIC = 2, PNG_CHUNK = 12 };
enum { RST0 = 0xd0, EOI = 0xd9, TEM = 1 };

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void add(xc_pieces *p, const void *type, size_t type_length, const uint8_t *payload,
                size_t length)
{
	xc_fuzz_piece *piece = &p->piece[p->count++];
	*piece = (xc_fuzz_piece){.payload = payload, .length = length};
	memcpy(piece->type, type, type_length);
}

static void split_xc(const uint8_t *data, size_t size, xc_pieces *p)
{
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	const int n = xc_file_chunks(data, size, parts);

	p->end = p->start = XC_MAGIC;
	for (int i = 0; i < n; i++) {
		add(p, parts[i].type, 4, data + parts[i].payload, parts[i].length);
		p->end = parts[i].end;
	}
}

static void split_png(const uint8_t *data, size_t size, xc_pieces *p)
{
	p->end = p->start = PNG_MAGIC;
	while (size - p->end >= PNG_CHUNK && p->count < XC_FILE_CHUNKS_MAX) {
		const uint8_t *chunk = data + p->end;
		const uint32_t length = be32(chunk);
		if (length > size - p->end - PNG_CHUNK)
			break;
		add(p, chunk + 4, 4, chunk + 8, length);
		p->end += PNG_CHUNK + (size_t)length;
	}
}

/* The end of what is no marker, or one of those that stand within coded samples. */
static size_t skip_coded(const uint8_t *data, size_t size, size_t at)
{
	while (at < size && !(data[at] == 0xff && at + 1 < size && data[at + 1] &&
	                      data[at + 1] != 0xff && (data[at + 1] & 0xf8) != RST0))
		at++;
	return at;
}

static void split_jpeg(const uint8_t *data, size_t size, xc_pieces *p)
{
	p->end = p->start = JPEG_MAGIC;
	while (size - p->end >= 4 && data[p->end] == 0xff && p->count < XC_FILE_CHUNKS_MAX) {
		const uint8_t *segment = data + p->end;
		const size_t length = (size_t)segment[2] << 8 | segment[3];
		if (segment[1] == EOI || segment[1] == TEM || length < 2 || length > size - p->end - 2)
			break;
		add(p, segment + 1, 1, segment + 4, length - 2);
		const size_t tail = p->end + 2 + length;
		p->end = skip_coded(data, size, tail);
		p->piece[p->count - 1].tail = data + tail;
		p->piece[p->count - 1].tail_length = p->end - tail;
	}
}

/* 0: of no kind. */
static int kind_of(const uint8_t *data, size_t size, xc_pieces_kind *kind)
{
	if (size > XC_MAGIC && !memcmp(data, "\x8fXC\r\n\x1a\n", 7))
		*kind = XC_PIECES_XC;
	else if (size > PNG_MAGIC && !memcmp(data, "\x89PNG\r\n\x1a\n", PNG_MAGIC))
		*kind = XC_PIECES_PNG;
	else if (size > JPEG_MAGIC && !memcmp(data, "\xff\xd8\xff", 3))
		*kind = XC_PIECES_JPEG;
	else
		return 0;
	return 1;
}

int xc_pieces_split(const uint8_t *data, size_t size, xc_pieces *p)
{
	static void (*const split[])(const uint8_t *, size_t, xc_pieces *) =
		{[XC_PIECES_XC] = split_xc, [XC_PIECES_PNG] = split_png, [XC_PIECES_JPEG] = split_jpeg};

	*p = (xc_pieces){.count = 0};
	if (!kind_of(data, size, &p->kind))
		return 0;
	split[p->kind](data, size, p);
	return p->count > 0;
}

static void join_one(const xc_fuzz_piece *piece, xc_pieces_kind kind, xc_bytes *out)
{
	if (kind == XC_PIECES_XC)
		xc_bytes_add_chunk(out, piece->type, piece->payload, piece->length);
	else if (kind == XC_PIECES_PNG)
		xc_sample_png_chunk(out, piece->type, piece->payload, piece->length);
	else
		xc_sample_jpeg_marker(out, (uint8_t)piece->type[0], piece->payload,
		                      piece->length < 65533 ? piece->length : 65533);
	xc_bytes_add(out, piece->tail, piece->tail_length);
}

void xc_pieces_join(const xc_pieces *p, const uint8_t *data, size_t size, xc_bytes *out)
{
	out->size = 0;
	xc_bytes_add(out, data, p->start);
	for (int i = 0; i < p->count; i++)
		join_one(&p->piece[i], p->kind, out);
	xc_bytes_add(out, data + p->end, size - p->end);
	xc_pieces_fix(out->data, out->size);
}

void xc_pieces_fix(uint8_t *data, size_t size)
{
	xc_pieces_kind kind;

	if (!kind_of(data, size, &kind))
		return;
	if (kind == XC_PIECES_XC)
		xc_file_fix(data, size);
	else if (kind == XC_PIECES_PNG)
		xc_sample_png_fix(data, size);
}

enum {
	MORE = 64,           /* bytes that a piece may grow by */
	MAX_PIXELS = 1 << 20 /* bytes of a PNG's rows that are inflated */
};

typedef struct mutator {
	uint64_t *seed;
	xc_change_bytes change;
	xc_pieces pieces;
	xc_bytes made[2]; /* payloads that the original does not have */
} mutator;

static size_t below(mutator *m, size_t n)
{
	return (size_t)(check_random(m->seed) % n);
}

static size_t change_bytes(mutator *m, uint8_t *data, size_t size, size_t room)
{
	if (!room)
		return size;
	return m->change ? m->change(data, size, room) : xc_mutate(data, size, room, m->seed);
}

/* *to becomes a changed copy of the bytes. */
static void changed_copy(mutator *m, const uint8_t *data, size_t size, xc_bytes *to)
{
	static const uint8_t zeros[MORE];

	to->size = 0;
	xc_bytes_add(to, data, size);
	xc_bytes_add(to, zeros, MORE);
	to->size = change_bytes(m, to->data, size, size + MORE);
}

/* ----------------------------------------------------------------- any kind */

/* Quantization steps of each preset, in a payload of the right length, which chance seldom finds. */
static void change_steps(mutator *m, xc_fuzz_piece *p)
{
	const uint32_t preset = (uint32_t)below(m, 5), tables = 1 + (uint32_t)below(m, 2);
	xc_bytes *const made = &m->made[0];

	made->size = 0;
	xc_bytes_add_u8(made, preset);
	for (uint32_t t = 0; t < tables; t++) {
		const uint32_t n = preset == 0 ? 64 : preset == 3 ? (t ? 0 : 2) : preset == 4 ? 7 : 0;
		if (!preset)
			xc_bytes_add_u8(made, 1);
		for (uint32_t i = 0; i < n; i++)
			xc_bytes_add_u8(made, (uint32_t)below(m, 256));
	}
	for (uint32_t t = 0; t < tables; t++)
		xc_bytes_add_u8(made, 0x11 + (uint32_t)below(m, 0xef));
	p->payload = made->data;
	p->length = made->size;
}

static void change_payload(mutator *m, xc_fuzz_piece *p)
{
	xc_bytes *const made = &m->made[0];

	if (m->pieces.kind == XC_PIECES_XC && !strcmp(p->type, "QNTZ") && below(m, 2)) {
		change_steps(m, p);
		return;
	}
	/* Whatever has a length may have none, which changing bytes seldom makes of it. */
	if (!below(m, 8)) {
		*(p->tail_length && below(m, 2) ? &p->tail_length : &p->length) = 0;
		return;
	}
	/* Coded samples are most of a JPEG file. */
	if (p->tail_length && below(m, 4)) {
		changed_copy(m, p->tail, p->tail_length, made);
		p->tail = made->data;
		p->tail_length = made->size;
		return;
	}
	changed_copy(m, p->payload, p->length, made);
	p->payload = made->data;
	p->length = made->size;
}

static void take_out(xc_pieces *p, int at)
{
	p->count--;
	memmove(&p->piece[at], &p->piece[at + 1], (size_t)(p->count - at) * sizeof *p->piece);
}

static void put_in(xc_pieces *p, int at, xc_fuzz_piece piece)
{
	if (p->count == XC_FILE_CHUNKS_MAX)
		return;
	memmove(&p->piece[at + 1], &p->piece[at], (size_t)(p->count - at) * sizeof *p->piece);
	p->piece[at] = piece;
	p->count++;
}

/* A type that some reader knows. */
static void change_type(mutator *m, xc_fuzz_piece *p)
{
	static const char xc[][5] = {"HEAD", "QNTZ", "COLR", "HUFF", "RANS", "rang", "INDX",
	                             "DATA", "DONE", "dens", "iccp", "exif", "xmpp", "cicp",
	                             "gama", "sbit", "iptc", "text", "none", "NONE"};
	static const char png[][5] = {"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "cHRM", "gAMA",
	                              "iCCP", "sBIT", "sRGB", "tEXt", "zTXt", "iTXt", "pHYs",
	                              "eXIf", "cICP", "acTL", "bKGD", "none", "NONE"};
	static const uint8_t jpeg[] = {0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc9, 0xcc, 0xda, 0xdb, 0xdd,
	                               0xe0, 0xe1, 0xe2, 0xed, 0xee, 0xfe, 0xdc, 0xde, 0xd8, 0xf0};
	const size_t i = below(m, COUNT(xc));

	if (m->pieces.kind == XC_PIECES_JPEG)
		p->type[0] = (char)jpeg[i];
	else
		memcpy(p->type, m->pieces.kind == XC_PIECES_XC ? xc[i] : png[i], 4);
}

static void rearrange(mutator *m)
{
	xc_pieces *const p = &m->pieces;
	const int a = (int)below(m, (size_t)p->count), b = (int)below(m, (size_t)p->count);
	const xc_fuzz_piece one = p->piece[a];

	switch (below(m, 5)) {
	case 0:
		take_out(p, a);
		break;
	case 1:
		put_in(p, b, one);
		break;
	case 2:
		p->piece[a] = p->piece[b];
		p->piece[b] = one;
		break;
	case 3:
		p->piece[a].payload = p->piece[b].payload;
		p->piece[a].length = p->piece[b].length;
		break;
	default:
		change_type(m, &p->piece[a]);
	}
}

/* --------------------------------------------------------------------- XC */

static uint32_t le(const uint8_t *p, uint32_t bytes)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < bytes; i++)
		v |= (uint32_t)p[i] << 8 * i;
	return v;
}

/* Empties all segments of a piece. */
static void empty_segments(mutator *m, uint32_t width, size_t entries, xc_fuzz_piece *index,
                           xc_fuzz_piece *data)
{
	xc_bytes *const made = m->made;

	made->size = 0;
	xc_bytes_add(made, index->payload, index->length);
	for (size_t e = 0; e < entries; e++)
		memset(made->data + 1 + e * (width + 2), 0, width);
	index->payload = made->data;
	data->length = 0;
}

/* Changes the bytes of one segment, or leaves it none, and its size in the index. */
static int change_segment(mutator *m, xc_fuzz_piece *index, xc_fuzz_piece *data)
{
	const uint32_t width = index->length ? index->payload[0] : 0;
	const size_t entries = width >= 2 && width <= 4 ? (index->length - 1) / (width + 2) : 0;
	const size_t chosen = entries ? below(m, entries) : 0, how = below(m, 16);
	xc_bytes segment = {0}, *const made = m->made;
	size_t at = 0;

	if (!entries)
		return 0;
	if (!how) {
		empty_segments(m, width, entries, index, data);
		return 1;
	}
	for (size_t e = 0; e < chosen; e++)
		at += le(index->payload + 1 + e * (width + 2), width);
	const size_t entry = 1 + chosen * (width + 2), size = le(index->payload + entry, width);
	if (at > data->length || size > data->length - at)
		return 0;
	if (how > 1)
		changed_copy(m, data->payload + at, size, &segment);
	made[0].size = made[1].size = 0;
	xc_bytes_add(&made[0], index->payload, index->length);
	for (uint32_t i = 0; i < width; i++)
		made[0].data[entry + i] = (uint8_t)(segment.size >> 8 * i);
	xc_bytes_add(&made[1], data->payload, at);
	xc_bytes_add(&made[1], segment.data, segment.size);
	xc_bytes_add(&made[1], data->payload + at + size, data->length - at - size);
	xc_bytes_free(&segment);
	index->payload = made[0].data;
	data->payload = made[1].data;
	data->length = made[1].size;
	return 1;
}

static int change_xc(mutator *m)
{
	xc_pieces *const p = &m->pieces;
	const int first = (int)below(m, (size_t)p->count);

	for (int i = 0; i < p->count - 1; i++) {
		xc_fuzz_piece *const index = &p->piece[(first + i) % (p->count - 1)];
		if (!strcmp(index[0].type, "INDX") && !strcmp(index[1].type, "DATA"))
			return change_segment(m, &index[0], &index[1]);
	}
	return 0;
}

/* -------------------------------------------------------------------- PNG */

/* The bytes of all IDAT chunks; the first becomes all of them. */
static xc_fuzz_piece *gather(mutator *m, xc_bytes *all)
{
	xc_pieces *const p = &m->pieces;
	int first = -1;

	for (int i = 0; i < p->count;) {
		if (strcmp(p->piece[i].type, "IDAT") != 0) {
			i++;
			continue;
		}
		xc_bytes_add(all, p->piece[i].payload, p->piece[i].length);
		if (first < 0)
			first = i++;
		else
			take_out(p, i);
	}
	return first < 0 ? NULL : &p->piece[first];
}

/* Inflates as much as there is. */
static size_t inflate_all(const xc_bytes *from, uint8_t *to)
{
	z_stream z = {.next_in = from->data, .avail_in = (uInt)from->size};

	z.next_out = to;
	z.avail_out = MAX_PIXELS;
	if (inflateInit(&z) != Z_OK)
		return 0;
	(void)inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return MAX_PIXELS - z.avail_out;
}

/* Changes the filtered rows and deflates them again. */
static int change_png(mutator *m)
{
	OWN_BYTES all = {0};
	xc_fuzz_piece *const idat = gather(m, &all);
	OWN_MEMORY uint8_t *const rows = idat ? xc_test_malloc(MAX_PIXELS) : NULL;
	const size_t size = idat ? inflate_all(&all, rows) : 0;

	if (size) {
		changed_copy(m, rows, size, &m->made[1]);
		uLongf coded = compressBound((uLong)m->made[1].size);
		OWN_MEMORY uint8_t *const out = xc_test_malloc(coded);
		if (compress2(out, &coded, m->made[1].data, (uLong)m->made[1].size, 1) != Z_OK)
			coded = 0;
		m->made[0].size = 0;
		xc_bytes_add(&m->made[0], out, coded);
		idat->payload = m->made[0].data;
		idat->length = m->made[0].size;
	}
	return size > 0;
}

/* --------------------------------------------------------------------- all */

static void change_pieces(mutator *m)
{
	xc_pieces *const p = &m->pieces;
	const size_t how = below(m, 8);
	int done = 0;

	if (how < 3 && p->kind == XC_PIECES_XC)
		done = change_xc(m);
	else if (how < 3 && p->kind == XC_PIECES_PNG)
		done = change_png(m);
	if (done)
		return;
	if (how < 6)
		change_payload(m, &p->piece[below(m, (size_t)p->count)]);
	else
		rearrange(m);
}

size_t xc_mutate_file(uint8_t *data, size_t size, size_t room, uint64_t *seed,
                      xc_change_bytes change)
{
	mutator m = {.seed = seed, .change = change};
	OWN_BYTES out = {0};
	const size_t how = below(&m, 16);

	if (how < 4 || !xc_pieces_split(data, size, &m.pieces)) {
		size = change_bytes(&m, data, size, room);
		if (how)
			xc_pieces_fix(data, size);
		return size;
	}
	change_pieces(&m);
	xc_pieces_join(&m.pieces, data, size, &out);
	if (out.size <= room) {
		memcpy(data, out.data, out.size);
		size = out.size;
	}
	xc_bytes_free(&m.made[0]);
	xc_bytes_free(&m.made[1]);
	return size;
}
