/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of array files: from any place of a source, through gzip, and attachments through zlib.
 *
 * An attachment is eight bytes, the size of what it holds (little-endian), and a zlib stream. Who
 * reads a hostile one allocates no more than XC_ARRAY_HEADER_MAX, nor more than the stream could give.
 */
#include "formats/array/kind.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* -------------------------------------------------------------------- files */

static ptrdiff_t read_file(void *user, void *to, size_t size)
{
	const size_t n = fread(to, 1, size, user);

	return n < size && ferror((FILE *)user) ? -1 : (ptrdiff_t)n;
}

static int seek_file(void *user, uint64_t to)
{
	return to > INT64_MAX || fseeko(user, (off_t)to, SEEK_SET) ? -1 : 0;
}

xc_array_source xc_array_source_file(FILE *file)
{
	xc_array_source source = {{read_file, file}, NULL, XC_ARRAY_SIZE_UNKNOWN};

	if (fseeko(file, 0, SEEK_END))
		return source;
	const off_t size = ftello(file);
	if (size >= 0 && !fseeko(file, 0, SEEK_SET)) {
		source.seek = seek_file;
		source.size = (uint64_t)size;
	}
	return source;
}

/* ------------------------------------------------------------- any place of one */

xc_status xc_array_bytes_open(xc_array_bytes *b, const xc_array_source *source, char *message)
{
	*b = (xc_array_bytes){.source = *source, .limit = source->size};
	b->buffer = malloc(XC_ARRAY_BUFFER);
	if (!b->buffer)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for reading");
	if (source->seek && source->seek(source->bytes.user, 0))
		return xc_file_fail(message, XC_ERR_IO, "the file cannot be read");
	return XC_OK;
}

static size_t pull(xc_array_bytes *b, void *to, size_t size)
{
	const ptrdiff_t got = b->source.bytes.read(b->source.bytes.user, to, size);
	const size_t n = got > 0 ? (size_t)got : 0;

	b->failed |= got < 0;
	b->next += n;
	return n;
}

/* Makes `at` the byte that comes next: 1, or 0 if the file ends before, or was read further. */
static int go_to(xc_array_bytes *b, uint64_t at)
{
	if (at == b->next)
		return 1;
	if (b->source.seek) {
		b->failed |= b->source.seek(b->source.bytes.user, at) != 0;
		b->next = at;
		return !b->failed;
	}
	b->failed |= at < b->next;
	while (!b->failed && b->next < at) {
		const uint64_t left = at - b->next;
		b->have = 0;
		if (!pull(b, b->buffer, left < XC_ARRAY_BUFFER ? (size_t)left : XC_ARRAY_BUFFER))
			return 0;
	}
	return !b->failed;
}

size_t xc_array_get(xc_array_bytes *b, uint64_t at, void *to, size_t size, size_t ahead)
{
	size_t done = 0, n;

	ahead = ahead < XC_ARRAY_BUFFER ? ahead : XC_ARRAY_BUFFER;
	for (; done < size; done += n, at += n) {
		const size_t left = size - done;
		if (at >= b->begin && at - b->begin < b->have) {
			const size_t from = (size_t)(at - b->begin);
			n = b->have - from < left ? b->have - from : left;
			memcpy((uint8_t *)to + done, b->buffer + from, n);
			continue;
		}
		if (!go_to(b, at))
			break;
		n = 0;
		if (left >= XC_ARRAY_BUFFER) {
			n = pull(b, (uint8_t *)to + done, left);
		} else {
			const size_t got = pull(b, b->buffer, ahead > left ? ahead : left);
			if (!got)
				break;
			b->begin = at;
			b->have = got;
		}
		if (!n && left >= XC_ARRAY_BUFFER)
			break;
	}
	return done;
}

/* -------------------------------------------------------------------- gzip */

struct xc_array_gunzip {
	xc_array_source source;
	z_stream z;
	uint64_t at; /* bytes that were given */
	int ended;
	uint8_t in[1 << 16];
};

static int refill(struct xc_array_gunzip *g)
{
	const ptrdiff_t got = g->source.bytes.read(g->source.bytes.user, g->in, sizeof g->in);

	g->z.next_in = g->in;
	g->z.avail_in = got > 0 ? (uInt)got : 0;
	return got > 0;
}

/* Files may consist of several streams, as those of parallel compressors do. */
static ptrdiff_t read_gzip(void *user, void *to, size_t size)
{
	struct xc_array_gunzip *g = user;
	size_t done = 0;

	while (done < size && !g->ended) {
		if (!g->z.avail_in && !refill(g)) {
			g->ended = 1;
			break;
		}
		const uInt room = size - done < 1 << 30 ? (uInt)(size - done) : 1 << 30;
		g->z.next_out = (uint8_t *)to + done;
		g->z.avail_out = room;
		const int result = inflate(&g->z, Z_NO_FLUSH);
		done += room - g->z.avail_out;
		if (result == Z_STREAM_END)
			inflateReset(&g->z);
		/* What is no stream after the last one is ignored, as gzip does. */
		else if (result != Z_OK && result != Z_BUF_ERROR)
			g->ended = 1;
	}
	g->at += done;
	return (ptrdiff_t)done;
}

static int seek_gzip(void *user, uint64_t to)
{
	struct xc_array_gunzip *g = user;

	if (to < g->at) {
		if (!g->source.seek || g->source.seek(g->source.bytes.user, 0) || inflateReset(&g->z))
			return -1;
		g->z.avail_in = 0;
		g->at = 0;
		g->ended = 0;
	}
	while (g->at < to) {
		uint8_t skipped[1 << 12];
		const uint64_t left = to - g->at;
		if (read_gzip(g, skipped, left < sizeof skipped ? (size_t)left : sizeof skipped) <= 0)
			return -1;
	}
	return 0;
}

size_t xc_array_gunzip_start(const void *start, size_t size, uint8_t *to, size_t room)
{
	const uint8_t *p = start;
	z_stream z = {.next_out = to, .avail_out = (uInt)room};

	if (size < 2 || p[0] != 0x1f || p[1] != 0x8b || inflateInit2(&z, 15 + 16) != Z_OK)
		return 0;
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = size < 1 << 30 ? (uInt)size : 1 << 30;
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return room - z.avail_out;
}

/* The first bytes, which are read already, are given to the stream once more. */
xc_status xc_array_bytes_inflate(xc_array_bytes *b, char *message)
{
	uint8_t magic[2] = {0};

	if (xc_array_get(b, 0, magic, 2, XC_ARRAY_FIRST) < 2 || magic[0] != 0x1f || magic[1] != 0x8b)
		return XC_OK;
	struct xc_array_gunzip *g = calloc(1, sizeof *g);
	if (!g || b->have > sizeof g->in || inflateInit2(&g->z, 15 + 16) != Z_OK) {
		free(g);
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for gzip");
	}
	g->source = b->source;
	memcpy(g->in, b->buffer, b->have);
	g->z.next_in = g->in;
	g->z.avail_in = (uInt)b->have;
	b->source = (xc_array_source){{read_gzip, g}, seek_gzip, XC_ARRAY_SIZE_UNKNOWN};
	if (b->limit < UINT64_MAX / XC_ARRAY_DEFLATE)
		b->limit *= XC_ARRAY_DEFLATE;
	b->gunzip = g;
	b->have = 0;
	b->next = 0;
	return XC_OK;
}

void xc_array_bytes_close(xc_array_bytes *b)
{
	if (b->gunzip)
		inflateEnd(&b->gunzip->z);
	free(b->gunzip);
	free(b->buffer);
}

/* -------------------------------------------------------------- attachments */

enum { PACKED_HEAD = 8 };

xc_status xc_array_pack(xc_array_reading *r, const void *bytes, size_t size, size_t *packed)
{
	uLongf length = compressBound((uLong)size);

	free(r->packed);
	r->packed = malloc(PACKED_HEAD + length);
	if (!r->packed || compress2(r->packed + PACKED_HEAD, &length, bytes, (uLong)size, 9) != Z_OK)
		return xc_file_fail(r->message, XC_ERR_MEMORY, "out of memory for headers");
	xc_store_le(r->packed, size, 8);
	*packed = PACKED_HEAD + length;
	return XC_OK;
}

xc_status xc_array_unpack(char *message, const void *packed, size_t packed_size, uint8_t **bytes,
                          size_t *size)
{
	const uint8_t *from = packed;
	const uint64_t says = packed_size < PACKED_HEAD ? UINT64_MAX : xc_load_le64(from);
	uLongf length = (uLongf)says;

	*bytes = NULL;
	if (says > XC_ARRAY_HEADER_MAX || says / XC_ARRAY_DEFLATE > packed_size)
		return xc_file_fail(message, XC_ERR_CORRUPT, "attached headers are damaged");
	*bytes = calloc(1, length + 1);
	*size = length;
	if (!*bytes)
		return xc_file_fail(message, XC_ERR_MEMORY, "out of memory for headers");
	if (uncompress(*bytes, &length, from + PACKED_HEAD, (uLong)(packed_size - PACKED_HEAD)) ==
	        Z_OK &&
	    length == *size)
		return XC_OK;
	free(*bytes);
	*bytes = NULL;
	return xc_file_fail(message, XC_ERR_CORRUPT, "attached headers are damaged");
}
