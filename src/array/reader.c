/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files to arrays: the public functions that decode (include/xcodec_array.h). A reader knows where
 * the segments of all slabs lie; it reads those that a box needs.
 */
#include <math.h>
#include <string.h>

#include "src/array/reader.h"
#include "src/container/parser.h"
#include "src/core/crc32c.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"

/* ------------------------------------------------------------------- bytes */

/* Reads `size` bytes at an offset into `to`, or fewer at the end of the file; returns how many. */
static size_t read_at(xc_array_reader *r, uint64_t offset, void *to, size_t size)
{
	if (offset >= r->source.size)
		return 0;
	if (size > r->source.size - offset)
		size = (size_t)(r->source.size - offset);
	if (r->source.memory) {
		memcpy(to, (const uint8_t *)r->source.memory + offset, size);
		return size;
	}
	const ptrdiff_t got = r->source.read_at(r->source.user, offset, to, size);
	r->failed |= got < 0;
	return got < 0 ? 0 : (size_t)got < size ? (size_t)got : size;
}

/* What looks like a short or damaged file is none where reading failed. */
static xc_status truncated(const xc_array_reader *r)
{
	return r->failed ? xc_fail(r->context, XC_ERR_IO, "the file cannot be read")
	                 : xc_fail(r->context, XC_ERR_TRUNCATED, "the file ends too early");
}

static xc_status corrupt(const xc_array_reader *r, const char *what, uint64_t offset)
{
	if (r->failed)
		return truncated(r);
	return xc_fail(r->context, XC_ERR_CORRUPT, "%s (at byte %llu)", what,
	               (unsigned long long)offset);
}

/* ------------------------------------------------------------------- chunks */

/* Reads a whole chunk of `whole` bytes into new memory and checks its CRC. */
static xc_status read_chunk(xc_array_reader *r, uint64_t offset, uint64_t whole, uint8_t **bytes)
{
	if (whole > r->source.size - offset)
		return truncated(r);
	*bytes = xc_allocate(r->context, xc_bytes_of_values(whole, 1));
	if (!*bytes)
		return xc_fail_memory(r->context, xc_bytes_of_values(whole, 1));
	xc_status s = XC_OK;
	if (read_at(r, offset, *bytes, (size_t)whole) != whole)
		s = truncated(r);
	if (!s) {
		xc_file_parser p = {.context = r->context, .offset = offset};
		xc_chunk k;
		xc_chunk_take_apart(*bytes, (size_t)whole, &k);
		s = xc_chunk_check(&p, &k);
	}
	if (s) {
		xc_release(r->context, *bytes);
		*bytes = NULL;
	}
	return s;
}

/* Checks the CRC of a chunk that is not known, by parts: its length may be any. */
static xc_status check_unknown(xc_array_reader *r, xc_file_parser *p, const xc_chunk *k)
{
	const uint64_t covered = k->whole - 4;
	uint8_t part[1 << 14];
	uint32_t sum = 0;

	for (uint64_t at = 0; at < covered;) {
		const size_t n = covered - at < sizeof part ? (size_t)(covered - at) : sizeof part;
		if (read_at(r, p->offset + at, part, n) != n)
			return truncated(r);
		sum = xc_crc32c(sum, part, n);
		at += n;
	}
	if (read_at(r, p->offset + covered, part, 4) != 4)
		return truncated(r);
	return xc_get_u32(part) == sum ? XC_OK : xc_fail_damaged_chunk(p, k->type);
}

static xc_status take_index(xc_array_reader *r, const xc_chunk *k, uint64_t offset)
{
	const xc_array_header *h = &r->header;
	uint8_t *bytes;

	if (r->indexed == h->slabs)
		return corrupt(r, "there are more slabs than the array has", offset);
	const xc_slab_place p = xc_slab_of(h, r->indexed);
	const uint64_t count = xc_slab_chunks(&p) + 1;
	xc_slab_index *i = &r->slabs[r->indexed];
	if (i->entries && r->salvages) { /* DATA was not to be known as such */
		r->indexed++;
		return take_index(r, k, offset);
	}
	if (i->entries)
		return corrupt(r, "two indices follow each other", offset);
	/* Before memory is taken: sizes have 2 to 4 bytes. */
	const uint64_t each = k->length ? (k->length - 1) / count : 0;
	if (k->length != 1 + count * each || each < 4 || each > 6)
		return corrupt(r, "an index has a wrong length", offset);
	const xc_status s = read_chunk(r, offset, k->whole, &bytes);
	if (s)
		return s;
	const uint8_t *payload = bytes + (k->whole - 4 - k->length);
	r->skipped = 0;
	i->width = payload[0];
	if (i->width != each - 2) {
		xc_release(r->context, bytes);
		return corrupt(r, "an index is damaged", offset);
	}
	memmove(bytes, payload + 1, (size_t)k->length - 1);
	i->entries = bytes;
	i->count = count;
	return XC_OK;
}

xc_status xc_reader_segment(xc_array_reader *r, const xc_slab_index *i, uint64_t n, uint64_t offset,
                            uint8_t **room, const uint8_t **data, uint32_t *sum)
{
	const uint32_t size = xc_segment_size(i, n);

	*data = NULL;
	if (offset > r->source.size || size > r->source.size - offset) /* salvaged */
		return truncated(r);
	if (r->source.memory) {
		*data = (const uint8_t *)r->source.memory + offset;
	} else {
		if (read_at(r, offset, *room, size) != size)
			return truncated(r);
		*data = *room;
		*room += size;
	}
	const uint32_t crc = xc_crc32c(0, *data, size);
	const uint8_t bytes[4] = {(uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16),
	                          (uint8_t)(crc >> 24)};
	*sum = xc_crc32c(*sum, bytes, sizeof bytes);
	if ((crc & 0xffff) == xc_segment_crc(i, n))
		return XC_OK;
	*data = NULL;
	return corrupt(r, "a segment is damaged", offset);
}

static xc_status take_data(xc_array_reader *r, const xc_chunk *k, uint64_t offset)
{
	uint64_t total = 0;

	if (r->indexed == r->header.slabs || !r->slabs[r->indexed].entries)
		return corrupt(r, "segments have no index", offset);
	xc_slab_index *i = &r->slabs[r->indexed];
	for (uint64_t n = 0; n < i->count; n++)
		total += xc_segment_size(i, n);
	if (total != k->length)
		return corrupt(r, "an index does not fit its segments", offset);
	i->data = offset + (k->whole - 4 - k->length);
	i->found = 1;
	r->indexed++;
	return XC_OK;
}

static xc_status take_attached(xc_array_reader *r, const xc_chunk *k, uint64_t offset)
{
	if (k->length < 4) /* no name */
		return XC_OK;
	if (r->attachments == r->attachment_room) {
		const uint64_t room = 2 * r->attachment_room + 8;
		xc_attached *more = xc_allocate(r->context, (size_t)room * sizeof *more);
		if (!more)
			return xc_fail_memory(r->context, (size_t)room * sizeof *more);
		if (r->attachments)
			memcpy(more, r->attached, (size_t)r->attachments * sizeof *more);
		xc_release(r->context, r->attached);
		r->attached = more;
		r->attachment_room = room;
	}
	r->attached[r->attachments++] = (xc_attached){offset, k->whole};
	r->attached_bytes += k->length - 4;
	return XC_OK;
}

static xc_status take_end(xc_array_reader *r, const xc_chunk *k, uint64_t offset)
{
	uint8_t *bytes;

	if (k->length)
		return corrupt(r, "DONE has a wrong length", offset);
	const xc_status s = read_chunk(r, offset, k->whole, &bytes);
	if (!s)
		xc_release(r->context, bytes);
	return s;
}

static xc_status take_header(xc_array_reader *r, const xc_chunk *k, uint64_t offset)
{
	uint8_t *bytes;

	if (memcmp(k->type, "ARRY", 4))
		return xc_fail(r->context, XC_ERR_FORMAT, "the file holds no array");
	if (!xc_head_has(k, XC_ARRAY_HEAD_BYTES))
		return corrupt(r, "ARRY has a wrong length", offset);
	xc_status s = read_chunk(r, offset, k->whole, &bytes);
	if (s)
		return s;
	s = xc_array_header_read(&r->header, bytes + (k->whole - 4 - k->length));
	xc_release(r->context, bytes);
	if (s == XC_ERR_UNSUPPORTED)
		return xc_fail(r->context, s, "a value in ARRY is not known: " XC_NEWER);
	if (s)
		return corrupt(r, "the header is damaged", offset);
	const uint64_t slabs = r->header.slabs;
	/* Each slab has an index with an entry of at least 4 bytes for each of its chunks. */
	if (slabs > r->source.size / 16)
		return truncated(r);
	const size_t bytes_of_slabs = xc_bytes_of_values(slabs, sizeof *r->slabs);
	r->slabs = xc_allocate_zeroed(r->context, bytes_of_slabs);
	return r->slabs ? XC_OK : xc_fail_memory(r->context, bytes_of_slabs);
}

/* Index and segments may be what has a damaged type: slabs after them keep their places. */
static void skip_unknown(xc_array_reader *r)
{
	if (r->indexed == r->header.slabs)
		return;
	r->skipped += 1 + (r->slabs[r->indexed].entries != NULL);
	r->indexed += r->skipped > 1;
	r->skipped %= 2;
}

static xc_status take_chunk(xc_array_reader *r, xc_file_parser *p, const xc_chunk *k, int *ended)
{
	xc_status s = XC_OK;

	if (!r->slabs)
		return take_header(r, k, p->offset);
	if (!memcmp(k->type, "INDX", 4))
		return take_index(r, k, p->offset);
	if (!memcmp(k->type, "atta", 4))
		return take_attached(r, k, p->offset);
	if (!memcmp(k->type, "DONE", 4)) {
		s = take_end(r, k, p->offset);
		*ended = !s;
	} else if (!memcmp(k->type, "DATA", 4)) {
		s = take_data(r, k, p->offset);
		/* It is that of a slab all the same. */
		r->indexed += s && r->salvages && r->indexed < r->header.slabs;
		r->skipped = 0;
	} else {
		s = check_unknown(r, p, k);
		if (s && k->type[0] < 'a')
			skip_unknown(r);
		else if (!s && k->type[0] < 'a')
			s = xc_fail_unknown_chunk(p, k->type);
	}
	return s;
}

/* Slabs that were not found have chunks, too. */
static void count_lost(xc_array_reader *r)
{
	for (uint64_t n = 0; n < r->header.slabs; n++) {
		const xc_slab_place p = xc_slab_of(&r->header, n);
		r->slabs[n].count = xc_slab_chunks(&p) + 1;
	}
}

static xc_status parse(xc_array_reader *r)
{
	xc_file_parser p = {.context = r->context, .size = r->source.size};
	uint8_t start[16];
	int ended = 0;

	if (read_at(r, 0, start, sizeof start) < sizeof start)
		return truncated(r);
	xc_status s = xc_parse_magic(&p, start, sizeof start);
	if (s)
		return s;
	while (!ended) {
		xc_chunk k;
		const size_t n = read_at(r, p.offset, start, 4 + XC_LENGTH_BYTES);
		if (r->failed)
			return truncated(r);
		s = xc_chunk_begin(&p, start, n, &k);
		const uint64_t left = r->source.size - p.offset;
		const int cut = s || k.length > left || k.whole > left;
		if (!s && cut && !(r->salvages && r->slabs && !memcmp(k.type, "DATA", 4)))
			s = truncated(r);
		if (!s)
			s = take_chunk(r, &p, &k, &ended);
		if (s && !(r->salvages && r->slabs && xc_is_damage(s)))
			return s;
		if (cut) /* of a file that is salvaged */
			break;
		p.offset += k.whole;
	}
	if (r->salvages) {
		count_lost(r);
		r->damaged = !ended;
		r->context->message[0] = '\0';
		if (!ended)
			(void)truncated(r);
		else if (p.offset != r->source.size)
			(void)corrupt(r, "there are bytes after the end", p.offset);
		return r->failed ? XC_ERR_IO : XC_OK;
	}
	if (r->indexed != r->header.slabs)
		return corrupt(r, "slabs are missing", p.offset);
	if (p.offset != r->source.size)
		return corrupt(r, "there are bytes after the end", p.offset);
	return XC_OK;
}

int xc_array_is(const void *start, size_t size)
{
	return start && size >= 12 && !memcmp(start, "\x8fXC\r\n\x1a\n", 7) &&
	       !memcmp((const char *)start + 8, "ARRY", 4);
}

void xc_array_origin(const void *start, size_t size, char name[5])
{
	const uint8_t *p = start;
	xc_chunk k;

	name[0] = '\0';
	if (!xc_array_is(start, size) ||
	    !xc_chunk_take_apart(p + XC_MAGIC_BYTES, size - XC_MAGIC_BYTES, &k) ||
	    k.whole > size - XC_MAGIC_BYTES)
		return;
	const size_t at = XC_MAGIC_BYTES + (size_t)k.whole, left = size - at;
	const size_t head = left < 4 ? 0 : xc_chunk_take_apart(p + at, left, &k);
	if (!head || memcmp(k.type, "atta", 4) || left - head < 4)
		return;
	memcpy(name, k.payload, 4);
	name[4] = '\0';
}

static xc_status open_reader(xc_context *c, const xc_source *source, int salvages,
                             const double *instead, xc_array_reader **reader)
{
	XC_DEFAULT_FLOATS;
	xc_status s = XC_BEGIN_RESULT(c, reader);

	if (s)
		return s;
	if (!source || (!source->memory && !source->read_at))
		return xc_fail(c, XC_ERR_ARGUMENT, "an array's file is read from anywhere");
	s = XC_CHECK_RESERVED(c, source, "source");
	if (s)
		return s;
	xc_array_reader *r = xc_allocate_zeroed(c, sizeof *r);
	if (!r)
		return xc_fail_memory(c, sizeof *r);
	r->context = c;
	r->source = *source;
	r->salvages = salvages;
	r->instead = instead ? *instead : NAN;
	s = parse(r);
	if (s)
		xc_array_reader_free(r);
	else
		*reader = r;
	return s;
}

xc_status xc_array_reader_new(xc_context *c, const xc_source *source, xc_array_reader **reader)
{
	return open_reader(c, source, 0, NULL, reader);
}

xc_status xc_array_reader_salvage(xc_context *c, const xc_source *source, const double *instead,
                                  xc_array_reader **reader)
{
	return open_reader(c, source, 1, instead, reader);
}

uint64_t xc_array_reader_damaged(const xc_array_reader *r)
{
	return r ? r->damaged : 0;
}

void xc_array_reader_free(xc_array_reader *r)
{
	if (!r)
		return;
	for (uint64_t i = 0; r->slabs && i < r->header.slabs; i++)
		xc_release(r->context, r->slabs[i].entries);
	xc_release(r->context, r->slabs);
	xc_release(r->context, r->attached);
	xc_release(r->context, r->attached_now);
	xc_release(r->context, r);
}

xc_status xc_array_attached(xc_array_reader *r, char name[5], const void **bytes, size_t *size)
{
	if (!r)
		return XC_ERR_ARGUMENT;
	xc_begin(r->context);
	r->failed = 0;
	if (!name || !bytes || !size)
		return xc_fail(r->context, XC_ERR_ARGUMENT, "no place for the result");
	*size = 0;
	*bytes = NULL;
	name[0] = '\0';
	const xc_attached *a = NULL;
	xc_status s = XC_ERR_CORRUPT;
	while (s) {
		xc_release(r->context, r->attached_now);
		r->attached_now = NULL;
		if (r->next_attached == r->attachments)
			return XC_OK;
		a = &r->attached[r->next_attached++];
		s = read_chunk(r, a->offset, a->size, &r->attached_now);
		if (s && !(r->salvages && xc_is_damage(s)))
			return s;
		r->damaged += s != XC_OK;
		if (s) /* what is salvaged goes on without it */
			r->context->message[0] = '\0';
	}
	xc_chunk k;
	xc_chunk_take_apart(r->attached_now, (size_t)a->size, &k);
	const uint8_t *payload = r->attached_now + (a->size - 4 - k.length);
	memcpy(name, payload, 4);
	name[4] = '\0';
	*bytes = payload + 4;
	*size = (size_t)k.length - 4;
	return XC_OK;
}

/* ------------------------------------------------------------------ reading */

/* A chunk that a box needs. */
typedef struct chunk_job {
	uint64_t index;
	const uint8_t *data; /* NULL: it is damaged */
	uint32_t size;
} chunk_job;

typedef struct box_work {
	xc_array_reader *reader;
	const xc_array_box *box; /* of three dimensions and the list, as all are here */
	uint32_t scale[3];
	uint64_t out[3]; /* its size; of a volume of the list */
	char *to;        /* its values */
	xc_slab_place place;
	xc_slab_model *model;
	xc_array_decode_tables *tables;
	chunk_job *jobs;
	uint64_t count;
	char *scratch;
	size_t scratch_each;
	uint64_t damaged; /* chunks; counted atomically */
} box_work;

/* 1: the box wants slice z of the array of three dimensions; *to: its place in the result. */
static int wanted_slice(const box_work *w, uint64_t z, uint64_t *to)
{
	const xc_array_box *b = w->box;
	const uint64_t depth = w->reader->header.depth;
	/* The differences wrap: slices before the box get numbers beyond its size. */
	const uint64_t item = z / depth - b->first[0], slice = z % depth - b->first[1];

	if (item >= b->size[0] || slice >= b->size[1] || slice % w->scale[0])
		return 0;
	*to = item * w->out[0] + slice / w->scale[0];
	return 1;
}

/* The part of a chunk along dimension k, 1 or 2, that the box wants: points first, first + scale, ...; their
 * number, and the place of the first one in the result. */
static uint64_t wanted(const box_work *w, int k, uint64_t first, uint32_t size, uint64_t *from,
                       uint64_t *to)
{
	const uint64_t b = w->box->first[k + 1], n = w->box->size[k + 1], s = w->scale[k];
	const uint64_t start = first > b ? first : b, end = first + size < b + n ? first + size : b + n;

	*to = (start - b + s - 1) / s;
	*from = b + *to * s;
	if (*from >= end)
		return 0;
	return (end - 1 - *from) / s + 1;
}

static int touches(const box_work *w, uint64_t chunk)
{
	uint32_t first[3], size[3];
	uint64_t from, to;

	xc_chunk_box(&w->reader->header, &w->place, chunk, first, size);
	for (int k = 1; k < 3; k++)
		if (!wanted(w, k, w->place.first[k] + first[k], size[k], &from, &to))
			return 0;
	for (uint32_t z = 0; z < size[0]; z++)
		if (wanted_slice(w, w->place.first[0] + first[0] + z, &to))
			return 1;
	return 0;
}

/* The values of a damaged chunk. */
static void set_instead(const xc_array_reader *r, size_t n, void *values)
{
	const xc_array_type type = r->header.shape.type;
	const double v = isnan(r->instead) && !xc_array_is_float(type) ? 0 : r->instead;
	const float narrow = (float)v;
	uint64_t bits = 0;

	xc_array_unload(type, 0, xc_array_is_wide(type) ? (const void *)&v : &narrow, 1, &bits);
	bits = xc_array_bits(type, &bits, 0);
	for (size_t i = 0; i < n; i++)
		xc_array_set_bits(type, values, i, bits);
}

static void decode_job(void *user, uint64_t item, int worker)
{
	box_work *w = user;
	const xc_array_header *h = &w->reader->header;
	const chunk_job *j = &w->jobs[item];
	const size_t bytes = xc_array_type_size(h->shape.type);
	char *values = w->scratch + (size_t)worker * w->scratch_each;
	char *scratch = values + xc_aligned64(xc_chunk_count(h->chunk) * bytes);
	uint32_t first[3], size[3];
	uint64_t from[3], to[3], n[3];

	xc_chunk_box(h, &w->place, j->index, first, size);
	if (!j->data || !xc_array_chunk_decode(w->reader->context, h, w->model, w->tables, j->data,
	                                       j->size, size, scratch, values)) {
		__atomic_fetch_add(&w->damaged, 1, __ATOMIC_RELAXED);
		if (!w->reader->salvages)
			return;
		set_instead(w->reader, xc_chunk_count(size), values);
	}
	for (int k = 1; k < 3; k++) {
		n[k] = wanted(w, k, w->place.first[k] + first[k], size[k], &from[k], &to[k]);
		from[k] -= w->place.first[k] + first[k];
	}
	for (uint64_t z = 0; z < size[0]; z++)
		for (uint64_t y = 0; y < n[1]; y++) {
			if (!wanted_slice(w, w->place.first[0] + first[0] + z, &to[0]))
				break;
			const char *v = values +
			                ((z * size[1] + from[1] + y * w->scale[1]) * size[2] + from[2]) * bytes;
			char *at = w->to + ((to[0] * w->out[1] + to[1] + y) * w->out[2] + to[2]) * bytes;
			if (w->scale[2] == 1) {
				memcpy(at, v, (size_t)n[2] * bytes);
				continue;
			}
			for (uint64_t x = 0; x < n[2]; x++)
				memcpy(at + x * bytes, v + x * w->scale[2] * bytes, bytes);
		}
}

/* The CRC of DATA before its first segment. */
static uint32_t sum_of_head(const xc_slab_index *i)
{
	uint8_t head[4 + XC_LENGTH_BYTES];
	xc_writer w = {head};
	uint64_t total = 0;

	for (uint64_t n = 0; n < i->count; n++)
		total += xc_segment_size(i, n);
	xc_write_chunk_start(&w, "DATA", total);
	return xc_crc32c(0, head, (size_t)(w.next - head));
}

/* Lists the chunks of a slab that the box needs; returns the bytes of these and of the model. */
static uint64_t list_jobs(box_work *w, const xc_slab_index *i)
{
	uint64_t bytes = i->found ? xc_segment_size(i, 0) : 0;

	w->count = 0;
	for (uint64_t n = 1; n < i->count; n++)
		if (touches(w, n - 1)) {
			const uint32_t size = i->found ? xc_segment_size(i, n) : 0;
			bytes += size;
			w->jobs[w->count++] = (chunk_job){.index = n - 1, .size = size};
		}
	return bytes;
}

/* Has the bytes of these chunks. A damaged one has none in a file that is salvaged, and none has if
 * their model is damaged. */
static xc_status load_slab(box_work *w, const xc_slab_index *i, uint8_t **memory)
{
	xc_array_reader *r = w->reader;
	uint64_t offset = i->data;
	uint32_t sum;
	const uint8_t *model;
	uint8_t check[4];
	uint8_t *room = NULL;

	const uint64_t bytes = list_jobs(w, i);
	if (!w->count)
		return XC_OK;
	if (!i->found)
		return corrupt(r, "a slab is missing", i->data);
	sum = sum_of_head(i);
	if (!r->source.memory) {
		if (bytes > r->source.size && !r->salvages)
			return truncated(r);
		room = *memory = xc_allocate(r->context, xc_bytes_of_values(bytes, 1));
		if (!room)
			return xc_fail_memory(r->context, xc_bytes_of_values(bytes, 1));
	}
	xc_status s = xc_reader_segment(r, i, 0, offset, &room, &model, &sum), first = s;
	if (!s && !xc_slab_model_read(&r->header, w->model, model, xc_segment_size(i, 0)))
		s = corrupt(r, "the model of a slab is damaged", offset);
	if (s)
		return s;
	xc_decode_tables_make(&w->model->model, w->tables);
	uint64_t job = 0;
	offset += xc_segment_size(i, 0);
	for (uint64_t n = 1; n < i->count && job < w->count && (!s || r->salvages); n++) {
		if (w->jobs[job].index == n - 1)
			s = xc_reader_segment(r, i, n, offset, &room, &w->jobs[job++].data, &sum);
		first = first ? first : s;
		offset += xc_segment_size(i, n);
	}
	/* All of them are known: what 16 bits of each may have missed. */
	if (first || w->count < i->count - 1)
		return first;
	if (read_at(r, offset, check, sizeof check) <
	    sizeof check) /* a file that ends there was told of */
		return r->salvages && !r->failed ? XC_OK : truncated(r);
	if (xc_get_u32(check) == sum)
		return XC_OK;
	w->damaged += (uint64_t)r->salvages; /* which one is not known */
	return corrupt(r, "a segment is damaged", i->data);
}

/* How many microseconds one thread takes for these chunks. */
static uint64_t decoding_time(const xc_array_header *h, uint64_t chunks)
{
	return chunks * xc_chunk_count(h->chunk) / 60;
}

static xc_status read_slab(box_work *w, uint64_t slab, int workers)
{
	xc_array_reader *r = w->reader;
	const xc_slab_index *i = &r->slabs[slab];
	uint8_t *memory = NULL;

	w->place = xc_slab_of(&r->header, slab);
	xc_status s = load_slab(w, i, &memory);
	if (s && r->salvages && xc_is_damage(s))
		s = XC_OK;
	if (!s && w->count) {
		const uint64_t time = decoding_time(&r->header, w->count);
		const int used = xc_parallel_workers(r->context, w->count, time);
		const double slabs = (double)r->header.slabs, at = (double)slab / slabs;
		s = xc_parallel_by(r->context, used < workers ? used : workers, w->count, decode_job, w, at,
		                   at + 1 / slabs);
		if (!s && w->damaged && !r->salvages)
			s = corrupt(r, "a segment is damaged", i->data);
	}
	xc_release(r->context, memory);
	return s;
}

/* 0: the box ends before the slab, or begins after it. */
static int may_touch(const box_work *w, uint64_t slab)
{
	const xc_array_header *h = &w->reader->header;
	const xc_slab_place p = xc_slab_of(h, slab);
	const uint64_t *first = w->box->first, *size = w->box->size;
	const int k = h->along;
	const uint64_t list = k ? 0 : h->depth;
	const uint64_t begin = first[0] * list + first[k + 1];
	const uint64_t end = (first[0] + size[0] - 1) * list + first[k + 1] + size[k + 1];

	return p.first[k] < end && p.first[k] + p.size[k] > begin;
}

static xc_status read_box(box_work *w)
{
	xc_array_reader *r = w->reader;
	const xc_array_header *h = &r->header;
	const size_t bytes = xc_array_type_size(h->shape.type);
	xc_status s = XC_OK;

	const xc_slab_place first = xc_slab_of(h, 0);
	const uint64_t most = xc_slab_chunks(&first);
	const int workers = xc_parallel_workers(r->context, most, decoding_time(h, most));
	w->scratch_each = xc_aligned64(xc_chunk_count(h->chunk) * bytes) +
	                  xc_chunk_decode_scratch(h, h->chunk);
	w->model = xc_allocate(r->context, sizeof *w->model);
	w->tables = xc_allocate(r->context, sizeof *w->tables);
	w->jobs = xc_allocate(r->context, xc_bytes_of_values(most, sizeof *w->jobs));
	const size_t scratch = xc_bytes_of_values((uint64_t)workers, w->scratch_each);
	w->scratch = xc_allocate(r->context, scratch);
	if (!w->model || !w->tables || !w->jobs || !w->scratch)
		s = xc_fail_memory(r->context, scratch);
	for (uint64_t slab = 0; slab < h->slabs && !s; slab++)
		if (may_touch(w, slab))
			s = read_slab(w, slab, workers);
	r->damaged += w->damaged;
	xc_release(r->context, w->scratch);
	xc_release(r->context, w->jobs);
	xc_release(r->context, w->tables);
	xc_release(r->context, w->model);
	return s;
}

xc_status xc_array_read(xc_array_reader *r, const xc_array_box *box, uint32_t scale, void *values)
{
	XC_DEFAULT_FLOATS;
	xc_array_box all = {{0}, {1, 1, 1, 1}};
	box_work w = {.reader = r, .box = &all, .to = values};

	if (!r)
		return XC_ERR_ARGUMENT;
	xc_begin(r->context);
	r->failed = 0;
	if (!values || !scale || scale > 64 || (scale & (scale - 1)))
		return xc_fail(r->context, XC_ERR_ARGUMENT,
		               values ? "a scale is 1, 2, 4, 8, 16, 32 or 64" : "no place for the values");
	const xc_array_header *h = &r->header;
	const int n = h->shape.dimensions, skip = XC_ARRAY_DIMENSIONS - n;
	uint64_t count = 1;
	for (int k = 0; k < n; k++) {
		all.first[skip + k] = box ? box->first[k] : 0;
		all.size[skip + k] = box ? box->size[k] : h->shape.size[k];
		if (!all.size[skip + k] || all.size[skip + k] > h->shape.size[k] ||
		    all.first[skip + k] > h->shape.size[k] - all.size[skip + k])
			return xc_fail(r->context, XC_ERR_ARGUMENT, "the box is not in the array");
	}
	for (int k = 0; k < 3; k++) {
		w.scale[k] = (k ? h->size[k] : h->depth) > 1 ? scale : 1;
		w.out[k] = (all.size[k + 1] - 1) / w.scale[k] + 1;
		count *= w.out[k];
	}
	if (count * all.size[0] > r->context->limits.max_pixels)
		return xc_fail(r->context, XC_ERR_LIMIT, "the box has more values than the limit of %llu",
		               (unsigned long long)r->context->limits.max_pixels);
	return read_box(&w);
}
