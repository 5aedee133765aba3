/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes a run of segments to coefficients. Two slots hold a segment each, and both advance
 * together until one is near the end of a component. That slot then finishes the component alone
 * and begins its next component or segment. If only luma or only chroma is decoded as DCs alone,
 * luma of all segments is decoded first. rANS segments are decoded several at a time. */
#include <string.h>

#include "src/core/arena.h"
#include "src/decode/coded.h"

typedef struct slot {
	int active;
	uint64_t segment;
	xc_tile tile;
	int component; /* being decoded */
	void *coefficients;
	union {
		xc_bit_reader reader; /* the first member of the others */
		xc_stream16 s16;
		xc_stream32 s32;
		xc_dc_only dc_only;
	} u;
} slot;

/* A segment between two passes. */
typedef struct pause {
	xc_bit_reader reader;
	int bad;
} pause;

typedef struct run {
	const xc_coded *coded;
	xc_coded_scratch *scratch;
	uint64_t first, next, end; /* segments; those from `next` on have not begun */
	uint32_t *crcs;
	/* The components of this pass through all segments. */
	int begin_component, end_component;
	int dc_only; /* the pass decodes DCs alone */
	pause paused[XC_CODED_RUN];
} run;

static size_t segment_bytes(const xc_coded *d)
{
	const size_t n = (size_t)xc_geometry_tile_blocks(&d->container.geometry) * 64;

	/* Decoding may write one coefficient past a segment; a cache line keeps the alignment. */
	return n * d->level->width + 64;
}

uint64_t xc_coded_run(const xc_coded *d)
{
	const size_t fit = XC_CODED_RUN_BYTES / segment_bytes(d);
	return fit < XC_CODED_MIN_RUN ? XC_CODED_MIN_RUN : fit < XC_CODED_RUN ? fit : XC_CODED_RUN;
}

xc_status xc_coded_scratch_init(xc_context *c, xc_coded_scratch *s, const xc_coded *d,
                                uint64_t segments)
{
	const uint64_t max = xc_coded_run(d);

	s->bytes = segment_bytes(d);
	s->segments = segments < max ? segments : max;
	s->memory = xc_scratch_allocate(c, (size_t)s->segments * s->bytes);
	return s->memory ? XC_OK : xc_fail_memory(c, (size_t)s->segments * s->bytes);
}

void xc_coded_scratch_free(xc_context *c, xc_coded_scratch *s)
{
	xc_scratch_free(c, s->memory);
	*s = (xc_coded_scratch){0};
}

static void clear(const xc_coded *d, slot *s)
{
	memset(s->coefficients, 0, (size_t)s->tile.blocks * 64 * d->level->width);
}

static void begin_component(const run *r, slot *s)
{
	const xc_coded *d = r->coded;
	const int c = s->component;
	char *first = (char *)s->coefficients + (size_t)s->tile.first_block[c] * 64 * d->level->width;
	const size_t n = (size_t)s->tile.blocks_wide[c] * s->tile.blocks_high[c];
	const xc_decode_tables *t = &d->tables[c != 0];

	if (r->dc_only)
		xc_dc_only_begin(&s->u.dc_only, t, (const xc_dc_only_table *)d->dc_only[c != 0], first,
		                 n * d->level->width);
	else if (d->depth16)
		xc_stream_begin(&s->u.s32, t, (int32_t *)(void *)first, n);
	else
		xc_stream_begin(&s->u.s16, t, (int16_t *)(void *)first, n);
}

static int *bad_of(const run *r, slot *s)
{
	return r->dc_only ? &s->u.dc_only.bad : r->coded->depth16 ? &s->u.s32.bad : &s->u.s16.bad;
}

/* Sets the reader to the start of a segment. 0: it is damaged. */
static int begin_segment(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	const uint64_t segment_index = xc_coded_index_of(d, s->segment);
	const xc_coded_segment *at = &d->segments[segment_index];

	if (!xc_coded_intact(d, segment_index, &r->crcs[segment_index])) {
		clear(d, s);
		return 0;
	}
	xc_bit_reader_init(&s->u.reader, d->data + at->start, at->size, d->data_end);
	return 1;
}

/* Puts the next intact segment into the slot. */
static void take_up(run *r, slot *s)
{
	s->active = 0;
	while (!s->active && r->next < r->end) {
		const uint64_t i = r->next - r->first;
		int *intact = &r->scratch->intact[i];
		s->segment = r->next++;
		s->component = r->begin_component;
		s->coefficients = r->scratch->memory + i * r->scratch->bytes;
		xc_geometry_tile(&r->coded->container.geometry, s->segment, &s->tile);
		memset(&s->u, 0, sizeof s->u);
		if (!s->component) {
			*intact = begin_segment(r, s);
		} else {
			s->u.reader = r->paused[i].reader;
			*bad_of(r, s) = r->paused[i].bad;
		}
		s->active = *intact;
	}
	if (s->active)
		begin_component(r, s);
}

static void end_segment(run *r, slot *s)
{
	const uint64_t i = s->segment - r->first;
	const int bad = *bad_of(r, s);

	if (r->end_component < r->coded->container.geometry.components) {
		r->paused[i] = (pause){s->u.reader, bad};
		return;
	}
	r->scratch->intact[i] = !bad && xc_bit_reader_at_end(&s->u.reader);
	if (!r->scratch->intact[i])
		clear(r->coded, s);
}

/* Decodes the rest of the slot's component, then begins its next component or segment. */
static void finish_component(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	const xc_entropy_level *level = d->level;
	const xc_tile *t = &s->tile;
	const int c = s->component;

	if (r->dc_only)
		level->dc_only_finish(&s->u.dc_only);
	else if (d->depth16)
		xc_stream_finish32(&s->u.s32);
	else
		level->finish(&s->u.s16);
	(r->dc_only
	     ? level->restore_dc_only
	     : level->restore_dc)((char *)s->coefficients + t->first_block[c] * 64 * level->width,
	                          t->blocks_wide[c], t->blocks_high[c]);
	if (++s->component < r->end_component) {
		begin_component(r, s);
	} else {
		end_segment(r, s);
		take_up(r, s);
	}
}

/* Bytes of the slot's component that are not decoded yet. */
static ptrdiff_t left_of(const run *r, const slot *s)
{
	return r->dc_only ? s->u.dc_only.end - s->u.dc_only.next
	                  : (char *)s->u.s16.end - (char *)s->u.s16.block;
}

/* Decodes components `begin` to `end` - 1 of all segments. */
static void decode_pass(run *r, int begin, int end)
{
	const xc_coded *d = r->coded;
	slot slots[2] = {{0}, {0}};

	r->begin_component = begin;
	r->end_component = end;
	r->dc_only = d->dc_only[begin != 0] != NULL;
	r->next = r->first;
	for (int i = 0; i < 2; i++)
		take_up(r, &slots[i]);
	while (slots[0].active || slots[1].active) {
		int which = slots[0].active ? 0 : 1;
		if (!d->depth16 && slots[0].active && slots[1].active) {
			if (r->dc_only)
				d->level->dc_only_two(&slots[0].u.dc_only, &slots[1].u.dc_only);
			else
				d->level->run_two(&slots[0].u.s16, &slots[1].u.s16);
			which = left_of(r, &slots[1]) < left_of(r, &slots[0]);
		}
		finish_component(r, &slots[which]);
	}
}

/* --------------------------------------------------------------------- rANS */

/* Intact segments of one shape that are decoded together. */
typedef struct queue {
	xc_rans_shape shape;
	int count;
	uint64_t segment[XC_CODED_RUN];
	const uint8_t *data[XC_CODED_RUN];
	size_t size[XC_CODED_RUN];
	void *to[XC_CODED_RUN];
	int good[XC_CODED_RUN];
} queue;

static void decode_queue(run *r, queue *q)
{
	const xc_coded *d = r->coded;

	d->rans_level->decode(d->rans, &q->shape, q->count, q->data, q->size, q->to, q->good);
	for (int i = 0; i < q->count; i++) {
		r->scratch->intact[q->segment[i] - r->first] = q->good[i];
		if (!q->good[i])
			memset(q->to[i], 0, (size_t)q->shape.blocks * 64 * d->level->width);
	}
	q->count = 0;
}

static void decode_all_rans(run *r)
{
	const xc_coded *d = r->coded;
	queue q = {.count = 0};

	for (; r->next < r->end; r->next++) {
		const uint64_t i = r->next;
		const uint64_t segment_index = xc_coded_index_of(d, i);
		const int intact = xc_coded_intact(d, segment_index, &r->crcs[segment_index]);
		void *to = r->scratch->memory + (i - r->first) * r->scratch->bytes;
		xc_tile tile;
		xc_geometry_tile(&d->container.geometry, i, &tile);
		r->scratch->intact[i - r->first] = intact;
		if (!intact) {
			memset(to, 0, (size_t)tile.blocks * 64 * d->level->width);
			continue;
		}
		/* Tiles of a row have one height, and all but the last have one width. */
		const xc_rans_shape shape = xc_tile_rans_shape(&d->container.geometry, &tile);
		if (q.count && (shape.wide[0] != q.shape.wide[0] || shape.high[0] != q.shape.high[0]))
			decode_queue(r, &q);
		q.shape = shape;
		q.segment[q.count] = i;
		q.data[q.count] = d->data + d->segments[segment_index].start;
		q.size[q.count] = d->segments[segment_index].size;
		q.to[q.count++] = to;
	}
	if (q.count)
		decode_queue(r, &q);
}

/* ------------------------------------------------------------------ samples */

static void take_samples(const run *r)
{
	const xc_coded *d = r->coded;
	const xc_geometry *g = &d->container.geometry;

	for (uint64_t i = 0; i < r->end - r->first; i++) {
		const uint64_t segment_index = xc_coded_index_of(d, r->first + i);
		const xc_coded_segment *s = &d->segments[segment_index];
		void *to = r->scratch->memory + i * r->scratch->bytes;
		xc_tile tile;
		xc_geometry_tile(g, r->first + i, &tile);
		r->scratch->intact[i] = xc_coded_intact(d, segment_index, &r->crcs[segment_index]) &&
		                        s->size == xc_tile_samples_size(g, &tile, d->depth16);
		if (r->scratch->intact[i])
			xc_tile_samples_read(g, &tile, d->depth16, d->data + s->start, to);
		else
			memset(to, 0, (size_t)tile.blocks * 64 * d->level->width);
	}
}

/* ------------------------------------------------------------------- JPEGs */

/* Sixteenths of a step fit 16 bits; larger coefficients, which 8 bits a sample never need, do not. */
static void take_jpeg(const xc_kept *k, const xc_tile *t, int component, uint32_t x, uint32_t y,
                      int16_t *to)
{
	enum { MAX = INT16_MAX / 16 };
	const uint32_t columns = k->columns[component];
	const int16_t *row = k->blocks[component] +
	                     64 * ((size_t)(y - k->row[component]) * columns + x);

	for (uint32_t i = 0; i < t->blocks_high[component]; i++, row += 64 * (size_t)columns) {
		const int16_t *from = row;
		for (uint32_t n = 0; n < t->blocks_wide[component]; n++, from += 64, to += 64)
			for (int z = 0; z < 64; z++) {
				const int v = from[xc_jpeg_zigzag[z]];
				to[z % 8 * 8 + z / 8] = (int16_t)(16 * (v > MAX ? MAX : v < -MAX ? -MAX : v));
			}
	}
}

static void take_jpegs(const run *r)
{
	const xc_geometry *g = &r->coded->container.geometry;

	for (uint64_t i = 0; i < r->end - r->first; i++) {
		int16_t *to = (void *)(r->scratch->memory + i * r->scratch->bytes);
		xc_tile t;
		xc_geometry_tile(g, r->first + i, &t);
		for (int c = 0; c < g->components; c++)
			take_jpeg(&r->coded->kept, &t, c, t.x / (8 * (uint32_t)(c ? g->h : 1)),
			          t.y / (8 * (uint32_t)(c ? g->v : 1)), to + 64 * (size_t)t.first_block[c]);
		r->scratch->intact[i] = 1;
	}
}

void xc_coded_decode(const xc_coded *d, xc_coded_scratch *scratch, uint64_t first, uint64_t count,
                     uint32_t *crcs)
{
	run r;

	r.coded = d;
	r.scratch = scratch;
	r.first = r.next = first;
	r.end = first + count;
	r.crcs = crcs;
	if (d->container.jpeg) {
		take_jpegs(&r);
		return;
	}
	if (d->container.header.entropy == XC_ENTROPY_SAMPLES) {
		take_samples(&r);
		return;
	}
	if (d->rans) {
		decode_all_rans(&r);
		return;
	}
	const int components = d->container.geometry.components;
	const int apart = components > 1 && !d->dc_only[0] != !d->dc_only[1];
	decode_pass(&r, 0, apart ? 1 : components);
	if (apart)
		decode_pass(&r, 1, components);
}

/* Checks alpha and the CRCs of DATA. crcs: of the segments of colour. */
static xc_status check_rest(xc_context *c, const xc_coded *d, uint32_t *crcs)
{
	const xc_container *k = &d->container;

	for (uint64_t i = 0; k->layers > 1 && i < k->segments; i++)
		if (!xc_coded_intact(d, 2 * i + 1, &crcs[2 * i + 1]))
			return xc_fail_segment(c, &k->geometry, i, 1);
	return xc_coded_data_intact(k, crcs) ? XC_OK
	                                     : xc_fail(c, XC_ERR_CORRUPT, "some segment is damaged");
}

xc_status xc_coded_visit(xc_context *c, const xc_coded *d, xc_coded_visitor visit, void *user)
{
	const uint64_t n = d->container.segments;
	xc_coded_scratch scratch = {0};
	const size_t bytes = (size_t)n * d->container.layers * sizeof(uint32_t);
	uint32_t *crcs = xc_allocate(c, bytes);
	xc_status s = crcs ? xc_coded_scratch_init(c, &scratch, d, n) : xc_fail_memory(c, bytes);

	for (uint64_t first = 0; !s && first < n; first += scratch.segments) {
		const uint64_t count = n - first < scratch.segments ? n - first : scratch.segments;
		xc_coded_decode(d, &scratch, first, count, crcs);
		for (uint64_t i = 0; !s && i < count; i++) {
			xc_tile t;
			xc_geometry_tile(&d->container.geometry, first + i, &t);
			s = scratch.intact[i] ? visit(user, &t, xc_coded_coefficients(&scratch, i))
			                      : xc_fail_segment(c, &d->container.geometry, first + i, 0);
		}
		if (!s)
			s = xc_report_progress(c, (double)(first + count) / (double)n);
	}
	if (!s)
		s = check_rest(c, d, crcs);
	xc_coded_scratch_free(c, &scratch);
	xc_release(c, crcs);
	return s;
}
