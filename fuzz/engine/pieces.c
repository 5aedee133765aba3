/* SPDX-License-Identifier: BSD-2-Clause */
#include "fuzz/engine/pieces.h"

#include <string.h>

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
