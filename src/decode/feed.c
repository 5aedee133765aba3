/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads chunk by chunk with src/container/read.c. Memory grows only as bytes arrive. */
#include "src/decode/feed.h"

#include <string.h>

#include "src/core/crc32c.h"

struct xc_held_chunk {
	xc_held_chunk *next;
	uint64_t size;
};

/* Bytes that are allocated before the file has proved that it has more. */
enum { FIRST_ROOM = 1 << 18, HEAD_ROOM = 4 + XC_LENGTH_BYTES };

/* ------------------------------------------------------------------ bytes */

/* Goes to another offset, which needs read_at. */
static void input_seek(xc_input *in, uint64_t offset)
{
	const uint64_t ahead = offset - in->offset;

	if (ahead <= in->end - in->at)
		in->at += (size_t)ahead;
	else
		in->at = in->end = 0;
	in->offset = offset;
}

static size_t from_source(xc_input *in, uint8_t *to, size_t size)
{
	const xc_source *s = &in->source;

	if (in->failed)
		return 0;
	if (s->read_at) {
		const uint64_t at = in->offset + (in->end - in->at);
		const uint64_t left = at < s->size ? s->size - at : 0;
		size = left < size ? (size_t)left : size;
	}
	if (!size)
		return 0;
	const ptrdiff_t n = s->read_at ? s->read_at(s->user, in->offset, to, size)
	                               : s->read(s->user, to, size);
	in->failed = n < 0;
	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size;
}

/* Copies the next bytes; returns how many, fewer than `size` only at the end. */
static size_t input_read(xc_input *in, void *to, size_t size)
{
	uint8_t *next = to;
	size_t left = size;

	while (left) {
		if (in->at == in->end && left >= sizeof in->buffer) {
			const size_t n = from_source(in, next, left);
			in->offset += n;
			return size - left + n;
		}
		if (in->at == in->end) {
			in->at = in->end = 0;
			in->end = from_source(in, in->buffer, sizeof in->buffer);
		}
		const size_t n = in->end - in->at < left ? in->end - in->at : left;
		if (!n)
			break;
		memcpy(next, in->buffer + in->at, n);
		in->at += n;
		in->offset += n;
		next += n;
		left -= n;
	}
	return size - left;
}

/* Skips bytes; returns how many. */
static uint64_t input_skip(xc_input *in, uint64_t size)
{
	uint64_t left = size;

	if (in->source.read_at) {
		const uint64_t available = in->offset < in->source.size ? in->source.size - in->offset : 0;
		const uint64_t n = available < size ? available : size;
		input_seek(in, in->offset + n);
		return n;
	}
	while (left) {
		if (in->at == in->end) {
			in->at = in->end = 0;
			in->end = from_source(in, in->buffer, sizeof in->buffer);
		}
		const size_t n = in->end - in->at < left ? in->end - in->at : (size_t)left;
		if (!n)
			break;
		in->at += n;
		in->offset += n;
		left -= n;
	}
	return size - left;
}

static xc_status fail_end(xc_feed *f, const char *where)
{
	f->parser.size = f->input.offset;
	if (f->input.failed)
		return xc_fail(f->context, XC_ERR_IO, "the file cannot be read (at byte %llu)",
		               (unsigned long long)f->input.offset);
	return xc_fail_truncated(&f->parser, where);
}

/* Reads up to `size` bytes to *memory + at. *memory has *room bytes and grows as bytes arrive, so a
 * false size allocates little. Returns how many were read; SIZE_MAX: out of memory. */
static size_t read_growing(xc_feed *f, uint8_t **memory, size_t *room, size_t at, uint64_t size)
{
	size_t have = at;

	while (have - at < size) {
		if (have == *room) {
			const uint64_t max = at + size;
			uint64_t more = *room ? 2 * (uint64_t)*room : FIRST_ROOM;
			more = more < max ? more : max;
			uint8_t *larger = more < SIZE_MAX ? xc_allocate(f->context, (size_t)more) : NULL;
			if (!larger) {
				xc_fail_memory(f->context, more < SIZE_MAX ? (size_t)more : SIZE_MAX);
				return SIZE_MAX;
			}
			if (have)
				memcpy(larger, *memory, have);
			xc_release(f->context, *memory);
			*memory = larger;
			*room = (size_t)more;
		}
		const uint64_t left = size - (have - at);
		const size_t n = *room - have < left ? *room - have : (size_t)left;
		const size_t got = input_read(&f->input, *memory + have, n);
		have += got;
		if (got < n)
			break;
	}
	return have - at;
}

static xc_status memory_status(const xc_feed *f)
{
	return f->context->limit_met ? XC_ERR_LIMIT : XC_ERR_MEMORY;
}

/* ----------------------------------------------------------------- chunks */

/* Reads type and length of the next chunk into `head`. */
static xc_status read_chunk_head(xc_feed *f, uint8_t head[HEAD_ROOM], xc_chunk *c)
{
	size_t n = input_read(&f->input, head, 5);

	f->parser.offset = f->input.offset - n;
	while (n >= 5 && n < HEAD_ROOM && head[n - 1] >= 128 && input_read(&f->input, head + n, 1))
		n++;
	f->parser.size = f->input.offset;
	if (f->input.failed)
		return fail_end(f, "");
	return xc_chunk_begin(&f->parser, head, n, c);
}

/* Reads the rest of a chunk after its head into *memory, which the caller releases. */
static xc_status read_chunk_rest(xc_feed *f, xc_chunk *c, xc_held_chunk **memory)
{
	const size_t head = (size_t)(c->payload - c->start), front = sizeof **memory;
	size_t room = front + 64;
	uint8_t *bytes = xc_allocate(f->context, room);

	*memory = NULL;
	if (!bytes)
		return xc_fail_memory(f->context, room);
	memcpy(bytes + front, c->start, head);
	const size_t got = read_growing(f, &bytes, &room, front + head, c->length + 4);
	*memory = (xc_held_chunk *)bytes;
	**memory = (xc_held_chunk){NULL, front + head + c->length + 4};
	c->start = bytes + front;
	c->payload = c->start + head;
	c->available = c->length;
	if (got == SIZE_MAX)
		return memory_status(f);
	return got < c->length + 4 ? fail_end(f, c->type) : xc_chunk_check(&f->parser, c);
}

static int lies_in(const xc_held_chunk *m, const xc_blob *b)
{
	return b->data && (uintptr_t)b->data - (uintptr_t)m < m->size;
}

/* Keeps the memory of a chunk if the container points into it; otherwise releases it. */
static void hold(xc_feed *f, const xc_chunk *c, xc_held_chunk *memory)
{
	const xc_metadata *m = &f->coded->container.metadata;

	if (!memcmp(c->type, "INDX", 4)) {
		xc_release(f->context, f->index);
		f->index = (uint8_t *)memory;
	} else if (lies_in(memory, &m->icc) || lies_in(memory, &m->exif) || lies_in(memory, &m->xmp) ||
	           lies_in(memory, &m->text) || lies_in(memory, &m->iptc)) {
		memory->next = f->held;
		f->held = memory;
	} else {
		xc_release(f->context, memory);
	}
}

static int is_metadata(const xc_chunk *c)
{
	return c->type[0] >= 'a';
}

/* Reads a chunk after its head and parses it, unless it was parsed before (known). */
static xc_status take_chunk(xc_feed *f, xc_chunk *c, int known)
{
	xc_file_parser *p = &f->parser;
	xc_held_chunk *memory;
	xc_status s = read_chunk_rest(f, c, &memory);

	if (!s && !known)
		s = xc_parse_chunk(p, c);
	if (memory && !s && !known)
		hold(f, c, memory);
	else
		xc_release(f->context, memory);
	return s;
}

/* Parses metadata after the segments; errors there are reported when they are reached. */
static void look_ahead(xc_feed *f)
{
	const uint64_t back = f->input.offset;
	uint64_t skip = f->left + 4;

	for (;;) {
		uint8_t head[HEAD_ROOM];
		xc_chunk c;
		if (input_skip(&f->input, skip) < skip || read_chunk_head(f, head, &c) ||
		    !memcmp(c.type, "DONE", 4))
			break;
		skip = is_metadata(&c) ? 0 : c.length + 4;
		if (is_metadata(&c) && take_chunk(f, &c, 0))
			break;
		f->known = f->input.offset;
	}
	f->input.failed = 0;
	f->context->message[0] = '\0';
	input_seek(&f->input, back);
}

/* Reads chunks until the next DATA chunk begins or the file is complete. */
static xc_status read_chunks(xc_feed *f)
{
	xc_file_parser *p = &f->parser;

	while (!(p->seen & XC_SEEN_DONE)) {
		uint8_t head[HEAD_ROOM];
		xc_chunk c;
		xc_status s = read_chunk_head(f, head, &c);
		if (!s && !memcmp(c.type, "DATA", 4)) {
			s = xc_parse_chunk(p, &c);
			if (s)
				return s;
			f->next = xc_index_begin(f->coded->container.pieces);
			f->segments_left = f->coded->container.pieces->segments;
			f->left = c.length;
			f->in_piece = 1;
			f->crc = xc_crc32c(0, c.start, (size_t)(c.payload - c.start));
			return XC_OK;
		}
		if (s)
			return s;
		s = take_chunk(f, &c, is_metadata(&c) && f->input.offset < f->known);
		if (s)
			return s;
	}
	return XC_OK;
}

/* The magic number and HEAD. */
static xc_status read_start(xc_feed *f)
{
	uint8_t start[XC_MAGIC_BYTES + HEAD_ROOM + XC_MAX_HEAD_BYTES + 4];
	xc_chunk c;
	size_t n = input_read(&f->input, start, XC_MAGIC_BYTES);

	if (n == XC_MAGIC_BYTES) {
		const xc_status s = read_chunk_head(f, start + n, &c);
		if (f->input.failed)
			return s;
		/* xc_parse_start() reports what is wrong with it. */
		n = (size_t)f->input.offset;
		if (!s && xc_head_has(&c, XC_HEAD_BYTES))
			n += input_read(&f->input, start + n, (size_t)c.length + 4);
	}
	if (f->input.failed)
		return fail_end(f, "");
	f->parser.size = n;
	f->parser.offset = 0;
	return xc_parse_start(&f->parser, start, n);
}

/* Accepts an early end of the file, after at least one DATA chunk has begun. */
static xc_status accept_end(xc_feed *f)
{
	xc_container *k = &f->coded->container;

	k->data_available = f->input.offset;
	f->context->message[0] = '\0';
	f->ended = 1;
	f->in_piece = 0;
	return xc_check_pieces(&f->parser);
}

/* Begins the next piece; there is none after an accepted early end. */
static xc_status next_piece(xc_feed *f)
{
	const xc_status s = read_chunks(f);

	if (s == XC_ERR_TRUNCATED && f->parser.truncated && f->coded->container.piece_count)
		return accept_end(f);
	if (!s && !f->in_piece)
		return xc_fail(f->context, XC_ERR_CORRUPT, "the index does not fit the picture");
	return s;
}

xc_status xc_feed_whole(xc_context *c, const xc_source *s, uint8_t **file)
{
	uint8_t start[12];

	if (!s->read_at || s->size > SIZE_MAX ||
	    s->read_at(s->user, 0, start, sizeof start) != sizeof start ||
	    !xc_jpeg_is(start, sizeof start))
		return XC_OK;
	*file = xc_allocate(c, (size_t)s->size);
	if (!*file)
		return xc_fail_memory(c, (size_t)s->size);
	const ptrdiff_t got = s->read_at(s->user, 0, *file, (size_t)s->size);
	if (got < 0)
		return xc_fail(c, XC_ERR_IO, "the file cannot be read");
	return (size_t)got == s->size ? XC_OK : xc_fail(c, XC_ERR_TRUNCATED, "the file ends too early");
}

xc_status xc_feed_open(xc_context *c, xc_feed *f, const xc_source *source, int keep_going,
                       xc_coded *coded)
{
	f->context = c;
	f->coded = coded;
	f->input.source = *source;
	f->parser = (xc_file_parser){.context = c,
	                             .truncated = keep_going,
	                             .one_piece = 1,
	                             .out = &coded->container};
	xc_status s = read_start(f);
	if (!s && source->read_at)
		s = xc_container_check_expansion(c, &coded->container, source->size);
	if (!s)
		s = read_chunks(f);
	if (!s && !f->in_piece)
		s = xc_fail(c, XC_ERR_CORRUPT, "there is no DATA chunk");
	if (s)
		return s;
	coded->container.segments = xc_geometry_tiles(&coded->container.geometry);
	if (source->read_at)
		look_ahead(f);
	return xc_parse_tables_end(&f->parser);
}

void xc_feed_close(xc_feed *f)
{
	if (!f->context)
		return;
	while (f->held) {
		xc_held_chunk *next = f->held->next;
		xc_release(f->context, f->held);
		f->held = next;
	}
	xc_release(f->context, f->index);
	xc_release(f->context, f->ends);
	xc_release(f->context, f->bytes);
}

/* Segments of a row of tiles. */
static uint32_t row_segments(const xc_feed *f)
{
	const xc_container *k = &f->coded->container;
	return k->geometry.tiles_wide * k->layers;
}

xc_status xc_feed_rows(xc_feed *f, uint32_t rows)
{
	const size_t segments = (size_t)rows * row_segments(f);

	f->ends = xc_allocate_zeroed(f->context, rows * sizeof *f->ends);
	f->coded->segments = xc_allocate(f->context, segments * sizeof *f->coded->segments);
	return f->ends && f->coded->segments ? XC_OK : xc_fail_memory(f->context, segments);
}

/* --------------------------------------------------------------- segments */

/* Reads the CRC at the end of a piece. */
static xc_status end_piece(xc_feed *f, xc_row_end *end)
{
	uint8_t check[4];
	const size_t n = input_read(&f->input, check, 4);

	f->in_piece = 0;
	if (f->input.failed || (n < 4 && !f->parser.truncated))
		return fail_end(f, "DATA");
	if (end)
		*end = (xc_row_end){1, n == 4, n == 4 ? xc_get_u32(check) : 0, 0};
	return n < 4 ? accept_end(f) : XC_OK;
}

/* Reads a segment, or skips it. */
static xc_status load_segment(xc_feed *f, int wanted, xc_coded_segment *to)
{
	*to = (xc_coded_segment){.start = UINT64_MAX / 2};
	if (f->ended)
		return XC_OK;
	const uint32_t size = xc_index_next(&f->next, &to->check);
	f->segments_left--;
	const uint64_t got = wanted ? read_growing(f, &f->bytes, &f->room, f->used, size)
	                            : input_skip(&f->input, size);
	if (wanted && got == SIZE_MAX)
		return memory_status(f);
	f->left -= size;
	if (f->input.failed || (got < size && !f->parser.truncated))
		return fail_end(f, "DATA");
	if (got < size)
		return accept_end(f);
	if (wanted) {
		to->start = f->used;
		to->size = size;
		f->used += size;
	}
	return XC_OK;
}

/* Loads a tile row. `to` has room for all its segments; NULL: none is wanted. */
static xc_status load_row(xc_feed *f, const xc_tile_span *span, int wanted, xc_coded_segment *to,
                          xc_row_end *end)
{
	const uint32_t n = row_segments(f), layers = f->coded->container.layers;
	xc_coded_segment passed;

	*end = (xc_row_end){0, 0, 0, 0};
	xc_status s = f->in_piece || f->ended ? XC_OK : next_piece(f);
	for (uint32_t i = 0; !s && i < n; i++)
		s = load_segment(f, wanted && i / layers - span->x < span->wide, to ? &to[i] : &passed);
	if (!s && f->in_piece && !f->segments_left)
		s = end_piece(f, end);
	if (!s && end->piece && !f->ended &&
	    f->parser.indexed < f->coded->container.segments * layers) {
		s = next_piece(f);
		end->begin = f->crc;
	}
	return s;
}

/* Skips a tile row. */
static xc_status skip_row(xc_feed *f)
{
	const xc_tile_span none = {0, 0, 0, 0};
	xc_row_end end;
	return load_row(f, &none, 0, NULL, &end);
}

xc_status xc_feed_load(xc_feed *f, const xc_tile_span *span)
{
	static const uint8_t nothing[1];
	xc_coded *d = f->coded;
	const uint32_t n = row_segments(f);
	xc_status s = XC_OK;

	for (; !s && f->row < span->y; f->row++)
		s = skip_row(f);
	const uint32_t crc = f->crc;
	f->used = 0;
	d->first = (uint64_t)f->row * d->container.geometry.tiles_wide;
	for (uint32_t i = 0; !s && i < span->high; i++, f->row++)
		s = load_row(f, span, 1, d->segments + (size_t)i * n, &f->ends[i]);
	f->crc = crc;
	/* If all segments are empty there is no memory, but they need an address. */
	d->data = f->bytes ? f->bytes : nothing;
	d->available = f->used;
	d->data_end = d->data + f->used;
	return s;
}

int xc_feed_intact(xc_feed *f, uint32_t rows, const uint32_t *crcs)
{
	const uint32_t n = row_segments(f);

	for (uint32_t i = 0; i < rows; i++) {
		for (uint32_t j = 0; j < n; j++, crcs++) {
			const uint8_t bytes[4] = {(uint8_t)*crcs, (uint8_t)(*crcs >> 8), (uint8_t)(*crcs >> 16),
			                          (uint8_t)(*crcs >> 24)};
			f->crc = xc_crc32c(f->crc, bytes, 4);
		}
		const xc_row_end *end = &f->ends[i];
		if (end->checked && end->check != f->crc)
			return 0;
		if (end->piece)
			f->crc = end->begin;
	}
	return 1;
}

/* -------------------------------------------------------------- the end */

/* Counts what follows the last chunk. */
static xc_status read_extra(xc_feed *f)
{
	uint8_t byte;
	xc_container *k = &f->coded->container;

	k->extra_bytes = input_read(&f->input, &byte, 1);
	if (k->extra_bytes && !f->parser.truncated && !f->input.source.read_at)
		return xc_fail(f->context, XC_ERR_CORRUPT, "bytes after the end");
	if (k->extra_bytes)
		k->extra_bytes += input_skip(&f->input, UINT64_MAX);
	if (f->input.failed)
		return fail_end(f, "");
	if (k->extra_bytes && !f->parser.truncated)
		return xc_fail(f->context, XC_ERR_CORRUPT, XC_TOO_MANY_BYTES,
		               (unsigned long long)k->extra_bytes, xc_s(k->extra_bytes));
	return XC_OK;
}

xc_status xc_feed_finish(xc_feed *f)
{
	const xc_geometry *g = &f->coded->container.geometry;
	xc_status s = XC_OK;

	for (; !s && !f->ended && f->row < g->tiles_high; f->row++)
		s = skip_row(f);
	if (s || f->ended)
		return s;
	s = read_chunks(f);
	if (s == XC_ERR_TRUNCATED && f->parser.truncated)
		return accept_end(f);
	if (!s && f->in_piece)
		s = xc_fail(f->context, XC_ERR_CORRUPT, "the index does not fit the picture");
	if (!s)
		s = read_extra(f);
	return s ? s : xc_check_pieces(&f->parser);
}
