/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding a run of segments.  Two slots hold a segment each, and both advance together until
 * one of them is near the end of a component.  That slot goes on alone to the end and takes up
 * its next component or the next segment.  Segments of rANS are decoded two at a time as a whole.
 */
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
		xc_stream16 s16;
		xc_stream32 s32;
	} u;
} slot;

typedef struct run {
	const xc_coded *coded;
	xc_coded_scratch *scratch;
	uint64_t first, next, end; /* segments; those from `next` on have not begun */
	uint32_t *crcs;
} run;

xc_status xc_coded_scratch_init(xc_context *c, xc_coded_scratch *s, const xc_coded *d,
                                uint64_t segments)
{
	const size_t n = (size_t)xc_geometry_tile_blocks(&d->container.geometry) * 64;
	s->segments = segments < XC_CODED_RUN ? segments : XC_CODED_RUN;
	/* Decoding a segment may touch one coefficient after it.  A gap of a whole cache line
	 * keeps the segments aligned. */
	s->bytes = n * d->level->width + 64;
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

static void begin_component(const xc_coded *d, slot *s)
{
	const int c = s->component;
	const size_t first = (size_t)s->tile.first_block[c] * 64;
	const size_t n = (size_t)s->tile.blocks_wide[c] * s->tile.blocks_high[c];
	const xc_decode_tables *t = &d->tables[c != 0];
	if (d->deep)
		xc_stream_begin(&s->u.s32, t, (int32_t *)s->coefficients + first, n);
	else
		xc_stream_begin(&s->u.s16, t, (int16_t *)s->coefficients + first, n);
}

/* Puts the next intact segment into the slot. */
static void take_up(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	s->active = 0;
	while (!s->active && r->next < r->end) {
		const uint64_t i = r->next++;
		s->segment = i;
		s->component = 0;
		s->coefficients = r->scratch->memory + (i - r->first) * r->scratch->bytes;
		xc_geometry_tile(&d->container.geometry, i, &s->tile);
		s->active = xc_coded_intact(d, i, &r->crcs[i]);
		if (!s->active)
			clear(d, s);
		r->scratch->intact[i - r->first] = s->active;
	}
	if (!s->active)
		return;
	xc_bit_reader *reader = d->deep ? &s->u.s32.reader : &s->u.s16.reader;
	memset(&s->u, 0, sizeof s->u);
	const xc_coded_segment *at = &d->segments[s->segment];
	xc_bit_reader_init(reader, d->container.data + at->start, at->size, d->file_end);
	begin_component(d, s);
}

static void check_end(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	const int good = d->deep ? !s->u.s32.bad && xc_bit_reader_at_end(&s->u.s32.reader)
	                         : !s->u.s16.bad && xc_bit_reader_at_end(&s->u.s16.reader);
	r->scratch->intact[s->segment - r->first] = good;
	if (!good)
		clear(d, s);
}

/* Decodes the rest of the slot's component, then begins its next component or segment. */
static void finish_component(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	const xc_tile *t = &s->tile;
	const int c = s->component;
	if (d->deep)
		xc_stream_finish32(&s->u.s32);
	else
		d->level->finish(&s->u.s16);
	d->level->restore_dc((char *)s->coefficients + t->first_block[c] * 64 * d->level->width,
	                     t->blocks_wide[c], t->blocks_high[c]);
	if (++s->component < d->container.geometry.components) {
		begin_component(d, s);
	} else {
		check_end(r, s);
		take_up(r, s);
	}
}

static size_t coefficients_left(const slot *s)
{
	return (size_t)(s->u.s16.end - s->u.s16.block);
}

/* --------------------------------------------------------------------- rANS */

/* Decodes `count` intact segments of one shape, 1 or 2. */
static void decode_rans(run *r, const uint64_t *segments, int count, const xc_tile *tiles)
{
	const xc_coded *d = r->coded;
	const xc_rans_level *level = d->rans_level;
	const xc_rans_shape shape = xc_tile_rans_shape(&d->container.geometry, &tiles[0]);
	const uint8_t *data[2];
	size_t size[2];
	void *to[2];
	int good[2];
	for (int i = 0; i < count; i++) {
		data[i] = d->container.data + d->segments[segments[i]].start;
		size[i] = d->segments[segments[i]].size;
		to[i] = r->scratch->memory + (segments[i] - r->first) * r->scratch->bytes;
	}
	if (count == 2)
		level->decode_two(d->rans, &shape, (const uint8_t *const *)data, size, to, good);
	else
		good[0] = level->decode(d->rans, &shape, data[0], size[0], to[0]);
	for (int i = 0; i < count; i++) {
		r->scratch->intact[segments[i] - r->first] = good[i];
		if (!good[i])
			memset(to[i], 0, (size_t)tiles[i].blocks * 64 * d->level->width);
	}
}

static void decode_all_rans(run *r)
{
	const xc_coded *d = r->coded;
	uint64_t waiting[2];
	xc_tile tiles[2];
	int count = 0;
	for (; r->next < r->end; r->next++) {
		const uint64_t i = r->next;
		const int intact = xc_coded_intact(d, i, &r->crcs[i]);
		xc_geometry_tile(&d->container.geometry, i, &tiles[count]);
		r->scratch->intact[i - r->first] = intact;
		if (!intact) {
			memset(r->scratch->memory + (i - r->first) * r->scratch->bytes, 0,
			       (size_t)tiles[count].blocks * 64 * d->level->width);
			continue;
		}
		waiting[count++] = i;
		/* Tiles of a row are of one height, and all but the last of one width. */
		if (count == 2 && tiles[0].blocks_wide[0] == tiles[1].blocks_wide[0] &&
		    tiles[0].blocks_high[0] == tiles[1].blocks_high[0]) {
			decode_rans(r, waiting, 2, tiles);
			count = 0;
		} else if (count == 2) {
			decode_rans(r, waiting, 1, tiles);
			waiting[0] = waiting[1];
			tiles[0] = tiles[1];
			count = 1;
		}
	}
	if (count)
		decode_rans(r, waiting, 1, tiles);
}

void xc_coded_decode(const xc_coded *d, xc_coded_scratch *scratch, uint64_t first, uint64_t count,
                     uint32_t *crcs)
{
	run r = {d, scratch, first, first, first + count, crcs};
	if (d->rans) {
		decode_all_rans(&r);
		return;
	}
	slot slots[2] = {{0}, {0}};
	for (int i = 0; i < 2; i++)
		take_up(&r, &slots[i]);
	while (slots[0].active || slots[1].active) {
		int which = slots[0].active ? 0 : 1;
		if (!d->deep && slots[0].active && slots[1].active) {
			d->level->run_two(&slots[0].u.s16, &slots[1].u.s16);
			which = coefficients_left(&slots[1]) < coefficients_left(&slots[0]);
		}
		finish_component(&r, &slots[which]);
	}
}

xc_status xc_coded_visit(xc_context *c, const xc_coded *d, xc_coded_visitor visit, void *user)
{
	const uint64_t n = d->container.segments;
	xc_coded_scratch scratch = {0};
	uint32_t *crcs = xc_allocate(c, (size_t)n * sizeof *crcs);
	xc_status s = crcs ? xc_coded_scratch_init(c, &scratch, d, n)
	                   : xc_fail_memory(c, (size_t)n * sizeof *crcs);
	for (uint64_t first = 0; !s && first < n; first += scratch.segments) {
		const uint64_t count = n - first < scratch.segments ? n - first : scratch.segments;
		xc_coded_decode(d, &scratch, first, count, crcs);
		for (uint64_t i = 0; !s && i < count; i++) {
			xc_tile t;
			xc_geometry_tile(&d->container.geometry, first + i, &t);
			s = scratch.intact[i] ? visit(user, &t, xc_coded_coefficients(&scratch, i))
			                      : xc_fail_segment(c, &d->container.geometry, first + i);
		}
	}
	xc_coded_scratch_free(c, &scratch);
	xc_release(c, crcs);
	return s;
}
