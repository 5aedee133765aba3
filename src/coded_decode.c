/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decoding a run of segments.  Two slots hold a segment each; both advance together
 * until one of them reaches the end of a component, where it goes on alone to that
 * end and takes up its next component or the next segment.
 */
#include <string.h>

#include "src/coded.h"

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
	uint64_t next, end; /* segments not yet taken up */
	uint32_t *crcs;
	xc_coded_done done;
	void *user;
} run;

static size_t coefficient_bytes(const xc_coded *d)
{
	return d->deep ? sizeof(int32_t) : sizeof(int16_t);
}

xc_status xc_coded_scratch_init(xc_context *c, xc_coded_scratch *s, const xc_coded *d)
{
	const size_t n = (size_t)xc_geometry_tile_blocks(&d->container.geometry) * 64 + 1;
	for (int i = 0; i < 2; i++) {
		s->coefficients[i] = xc_allocate(c, n * coefficient_bytes(d));
		if (!s->coefficients[i])
			return xc_fail_memory(c, n * coefficient_bytes(d));
	}
	return XC_OK;
}

void xc_coded_scratch_free(xc_context *c, xc_coded_scratch *s)
{
	for (int i = 0; i < 2; i++)
		xc_release(c, s->coefficients[i]);
	*s = (xc_coded_scratch){{NULL, NULL}};
}

static void clear(const xc_coded *d, slot *s)
{
	memset(s->coefficients, 0, (size_t)s->tile.blocks * 64 * coefficient_bytes(d));
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

/* Takes up the next segment that is whole; damaged ones are handed over at once. */
static void take_up(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	s->active = 0;
	while (!s->active && r->next < r->end) {
		const uint64_t i = r->next++;
		s->segment = i;
		s->component = 0;
		xc_geometry_tile(&d->container.geometry, i, &s->tile);
		clear(d, s);
		if (!xc_coded_intact(d, i, &r->crcs[i])) {
			r->done(r->user, i, &s->tile, s->coefficients, 0);
			continue;
		}
		s->active = 1;
		xc_bit_reader *reader = d->deep ? &s->u.s32.reader : &s->u.s16.reader;
		memset(&s->u, 0, sizeof s->u);
		xc_bit_reader_init(reader, d->container.data + d->offsets[i],
		                   (size_t)(d->offsets[i + 1] - d->offsets[i]), d->file_end);
		begin_component(d, s);
	}
}

static void hand_over(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	const int good = d->deep ? xc_stream_good(&s->u.s32) &&
	                                   xc_bit_reader_at_end(&s->u.s32.reader)
	                         : xc_stream_good(&s->u.s16) &&
	                                   xc_bit_reader_at_end(&s->u.s16.reader);
	if (!good)
		clear(d, s);
	r->done(r->user, s->segment, &s->tile, s->coefficients, good);
}

/* Decodes the rest of the slot's component and sets it to what follows. */
static void finish_component(run *r, slot *s)
{
	const xc_coded *d = r->coded;
	const xc_tile *t = &s->tile;
	const int c = s->component;
	const size_t first = (size_t)t->first_block[c] * 64;
	if (d->deep) {
		xc_stream_finish32(&s->u.s32);
		xc_restore_dc32((int32_t *)s->coefficients + first, t->blocks_wide[c],
		                t->blocks_high[c]);
	} else {
		d->level->finish(&s->u.s16);
		xc_restore_dc16((int16_t *)s->coefficients + first, t->blocks_wide[c],
		                t->blocks_high[c]);
	}
	if (++s->component < d->container.geometry.components) {
		begin_component(d, s);
	} else {
		hand_over(r, s);
		take_up(r, s);
	}
}

static size_t coefficients_left(const slot *s)
{
	return (size_t)(s->u.s16.end - s->u.s16.block);
}

void xc_coded_decode(const xc_coded *d, xc_coded_scratch *scratch, uint64_t first, uint64_t count,
                     uint32_t *crcs, xc_coded_done done, void *user)
{
	run r = {d, first, first + count, crcs, done, user};
	slot slots[2] = {{.coefficients = scratch->coefficients[0]},
	                 {.coefficients = scratch->coefficients[1]}};
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
