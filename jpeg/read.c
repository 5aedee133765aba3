/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the scans of a JPEG (jpeg/jpeg.h), a band of MCU rows of all of them at a time. Each scan has
 * a cursor that stays where the band ends. Where codes end or make no sense, the scan ends before
 * that unit: the writer stops there, and the rest of the data is the scan's tail.
 */
#include <string.h>

#include "jpeg/scan.h"

/* The next bits are the highest ones; `count` of them are there, fewer than none after the end. */
typedef struct bit_reader {
	uint64_t bits;
	const uint8_t *next, *end;
	int32_t count;
	int bad; /* a code that does not exist, or a value out of range */
} bit_reader;

typedef struct cursor {
	bit_reader in;
	const uint8_t *good; /* `next` and `count` after the last good unit */
	int32_t good_count;
	int done, padded, odd, long_run;
	uint32_t unit;
	int32_t dc[XC_JPEG_COMPONENTS];
	/* The run of ended blocks: how many are to come, and what the writer will have counted. */
	uint32_t run, blocks, corrections, waiting;
	int open;  /* it has ended, and the writer would go on with it, */
	int alone; /* but not where runs are lone: its only block has codes of its own */
	int known; /* a run of this scan has shown whether its runs are lone */
} cursor;

struct xc_jpeg_reader {
	xc_jpeg *jpeg;
	xc_jpeg_notes *notes;
	int full; /* there was no room for a note */
	cursor *cursors;
	xc_jpeg_decode_table *tables;
};

typedef struct place {
	xc_jpeg_reader *r;
	const xc_jpeg_scan *s;
	cursor *c;
	int index; /* of the scan */
} place;

size_t xc_jpeg_reader_size(const xc_jpeg *j)
{
	return xc_jpeg_aligned(sizeof(xc_jpeg_reader)) +
	       xc_jpeg_aligned(sizeof(cursor) * (size_t)j->scans) +
	       sizeof(xc_jpeg_decode_table) * (size_t)j->tables;
}

xc_jpeg_verdict xc_jpeg_reader_begin(xc_jpeg_reader *r, xc_jpeg *j, xc_jpeg_notes *notes)
{
	uint8_t *const memory = (uint8_t *)r + xc_jpeg_aligned(sizeof *r);

	*r = (xc_jpeg_reader){.jpeg = j, .notes = notes, .cursors = (void *)memory};
	r->tables = (void *)(memory + xc_jpeg_aligned(sizeof(cursor) * (size_t)j->scans));
	notes->count = 0;
	for (int i = 0; i < j->tables; i++) {
		const int used = xc_jpeg_table_used(j, i), seconds = used == 2 && !j->progressive;
		if (used && !xc_jpeg_decode_table_make(j->table[i], seconds, &r->tables[i]))
			return XC_JPEG_ODD;
	}
	for (int i = 0; i < j->scans; i++) {
		const uint8_t *const at = j->data + j->scan[i].begin;
		r->cursors[i] = (cursor){.in = {.next = at, .end = at + j->scan[i].size}, .good = at};
		j->scan[i].found.pad = 1;
		j->scan[i].found.lone = 0;
	}
	return XC_JPEG_GOOD;
}

static void note(const place *p, xc_jpeg_note_kind kind, uint32_t index, uint32_t value)
{
	xc_jpeg_notes *n = p->r->notes;

	if (n->count == n->room)
		p->r->full = 1;
	else
		n->note[n->count++] = (xc_jpeg_note){(uint16_t)p->index, (uint8_t)kind, (uint8_t)value,
		                                     index};
}

/* ------------------------------------------------------------------ bits */

static __attribute__((noinline)) bit_reader refilled(bit_reader b)
{
	if (b.count < 64)
		b.bits &= b.count > 0 ? ~0ULL << (64 - b.count) : 0;
	while (b.count >= 0 && b.count <= 56 && b.next < b.end) {
		if (*b.next == 0xff) {
			if (b.end - b.next < 2 || b.next[1])
				break;
			b.next++;
			b.bits |= 255ULL << (56 - b.count);
		} else
			b.bits |= (uint64_t)*b.next << (56 - b.count);
		b.next++;
		b.count += 8;
	}
	return b;
}

/* Leaves at least 32 bits if there are as many. What lies below them in `bits` is the same as what
 * comes, or zero. */
static XC_JPEG_INLINE void refill_to(bit_reader *b, int min)
{
	uint64_t v;

	if (b->count >= min)
		return;
	if (b->end - b->next < 8 || b->count < 0) {
		*b = refilled(*b);
		return;
	}
	memcpy(&v, b->next, 8);
	if ((~v - 0x0101010101010101) & v & 0x8080808080808080) {
		*b = refilled(*b);
		return;
	}
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	const int32_t bytes = (63 - b->count) >> 3;
	b->bits |= v >> b->count;
	b->next += bytes;
	b->count += 8 * bytes;
}

static XC_JPEG_INLINE void refill(bit_reader *b)
{
	refill_to(b, 32);
}

static inline uint32_t take_bits(bit_reader *b, uint32_t n)
{
	refill(b);
	const uint32_t v = n ? (uint32_t)(b->bits >> (64 - n)) : 0;
	b->bits <<= n;
	b->count -= (int32_t)n;
	return v;
}

/* The entry of a code that is longer than the table's. */
static __attribute__((noinline)) uint32_t long_code(uint32_t code, const xc_jpeg_decode_table *t)
{
	uint32_t n = XC_JPEG_FAST + 1;

	while (n <= 16 && code >= t->end[n])
		n++;
	return n > 16 ? 0 : (uint32_t)t->symbol[(int32_t)(code >> (16 - n)) + t->first[n]] << 8 | n;
}

/* Takes the first symbol of an entry, and the value whose bits its lower half counts. */
static XC_JPEG_INLINE uint32_t take_first(bit_reader *b, const xc_jpeg_decode_table *t, uint64_t e,
                                          uint32_t n, int32_t *value)
{
	*value = (int16_t)(e >> 16);
	if (e & XC_JPEG_LONG) {
		uint32_t of = (uint32_t)e & 31;
		if (!of) {
			e = long_code((uint32_t)(b->bits >> 48), t);
			of = (uint32_t)e & 31;
		}
		/* Code and value have at most 30 bits, which are there. */
		const uint32_t size = (uint32_t)e >> 8 & 15;
		b->bad |= !of || size == 15;
		*value = xc_jpeg_extended((uint32_t)(b->bits << of >> 1 >> (63 - size)), size);
		n = of + size;
	}
	b->bits <<= n;
	b->count -= (int32_t)n;
	return (uint32_t)e >> 8 & 255;
}

/* The same of a table without second symbols. */
static XC_JPEG_INLINE uint32_t take_symbol(bit_reader *b, const xc_jpeg_decode_table *t,
                                           int32_t *value)
{
	refill(b);
	const uint64_t e = t->fast[b->bits >> (64 - XC_JPEG_FAST)];
	return take_first(b, t, e, (uint32_t)e & 63, value);
}

/* The place of a byte that is `back` bytes of data before p. */
static const uint8_t *before(const uint8_t *p, int32_t back, const uint8_t *begin)
{
	for (; back > 0; back--)
		p -= p - begin >= 2 && !p[-1] && p[-2] == 0xff ? 2 : 1;
	return p;
}

/* ---------------------------------------------------------------- blocks */

static inline void take_dc(bit_reader *b, const xc_jpeg_decode_table *t, int32_t *dc, uint32_t low,
                           int16_t *block)
{
	int32_t value;
	const uint32_t symbol = take_symbol(b, t, &value);

	*dc += value;
	const int32_t v = *dc * (1 << low);
	if (symbol > 15 || v > XC_JPEG_COEFFICIENT || -v > XC_JPEG_COEFFICIENT)
		b->bad = 1;
	block[0] = (int16_t)v;
}

/* The coefficients of a block of a sequential scan after the first. */
static inline void take_ac(const place *p, bit_reader *from, const xc_jpeg_decode_table *t,
                           uint32_t index, int16_t *block)
{
	bit_reader b = *from;
	uint32_t zeros = 0, after_zeros = 0, k = 1;
	const int16_t dc = block[0];

	while (k < 64) {
		refill_to(&b, XC_JPEG_FAST);
		const uint64_t e = t->fast[b.bits >> (64 - XC_JPEG_FAST)];
		if (!(e & XC_JPEG_LONG) && k + (e >> 12 & 15) < 63) {
			/* Two values, or a zero for each that is none, be it in DC's place. */
			b.bits <<= e & 63;
			b.count -= (int32_t)(e & 63);
			k += (uint32_t)e >> 12 & 15;
			block[k] = (int16_t)(e >> 16);
			k += (uint32_t)(e >> 48 & 31);
			block[k & 63] = (int16_t)(e >> 32);
			k += (uint32_t)(e >> 57);
			continue;
		}
		int32_t value;
		const uint32_t before = k;
		refill(&b);
		const uint32_t symbol = take_first(&b, t, e, (uint32_t)(e >> 53 & 15), &value);
		k += symbol >> 4;
		if (!(symbol & 15)) {
			if (symbol != 0xf0) {
				b.bad |= symbol != 0;
				k += XC_JPEG_ENDED;
				break;
			}
			zeros = before == after_zeros ? zeros + 1 : 1;
			after_zeros = k + 1;
		}
		/* Beyond the last one it is damage. */
		block[k & 63] = (int16_t)value;
		k++;
	}
	block[0] = dc;
	b.bad |= k == 64 ? after_zeros == 64 : k < XC_JPEG_ENDED;
	*from = b;
	if (k == after_zeros + XC_JPEG_ENDED)
		note(p, XC_JPEG_ZEROS, index, zeros);
}

/* After a block that a run ends; it has as many bits that correct. coded: codes of its own, too. */
static void end_block(const place *p, uint32_t index, uint32_t corrections, int coded)
{
	cursor *c = p->c;
	const int lone = coded && p->s->found.lone;

	c->blocks++;
	c->run--;
	c->corrections += corrections;
	c->waiting += corrections;
	c->long_run |= c->waiting > XC_JPEG_CORRECTIONS - 64;
	const int ends = lone || xc_jpeg_run_ends(c->blocks, c->corrections);
	if (c->run && ends) {
		note(p, XC_JPEG_JOIN, index, 0);
		c->corrections = lone ? c->corrections : 0;
	}
	c->open = !c->run && !ends;
	c->alone = c->open && coded;
	c->known |= c->run && coded;
}

static void begin_run(const place *p, bit_reader *b, uint32_t bits, uint32_t index, int coded)
{
	cursor *c = p->c;

	if (c->open && !coded) {
		if (c->alone && !c->known)
			p->r->jpeg->scan[p->index].found.lone = 1;
		else
			note(p, XC_JPEG_SPLIT, index, 0);
		c->known |= c->alone;
	}
	c->run = (1U << bits) + take_bits(b, bits);
	c->blocks = c->corrections = c->waiting = 0;
}

static inline void take_ac_first(const place *p, bit_reader *b, const xc_jpeg_decode_table *t,
                                 uint32_t index, int16_t *block)
{
	const xc_jpeg_scan *s = p->s;
	uint32_t zeros = 0;
	int coded = 0;

	for (uint32_t k = s->from; !p->c->run; k++) {
		int32_t value;
		if (k > s->to) {
			b->bad |= zeros != 0;
			p->c->open = 0;
			return;
		}
		const uint32_t symbol = take_symbol(b, t, &value), r = symbol >> 4;
		if (symbol & 15) {
			k += r;
			value *= 1 << s->low;
			if (k > s->to || value > XC_JPEG_COEFFICIENT || -value > XC_JPEG_COEFFICIENT) {
				b->bad = 1;
				return;
			}
			block[k] = (int16_t)value;
			zeros = 0;
		} else if (r < 15) {
			begin_run(p, b, r, index, coded);
			if (zeros)
				note(p, XC_JPEG_ZEROS, index, zeros);
		} else {
			k += 15;
			zeros++;
		}
		coded |= !p->c->run;
	}
	end_block(p, index, 0, coded);
}

/* Takes a bit for each of some coefficients; returns how many. Branches would be mispredicted. */
static inline uint32_t correct(bit_reader *b, int16_t *block, uint64_t which, int32_t step)
{
	uint32_t n = 0;

	for (; which; which &= which - 1, n++) {
		int16_t *const v = &block[__builtin_ctzll(which)];
		const int32_t minus = *v < 0 ? -1 : 0;
		*v = (int16_t)(*v + (((step ^ minus) - minus) & -(int32_t)take_bits(b, 1)));
	}
	return n;
}

static void take_ac_more(const place *p, bit_reader *to, const xc_jpeg_decode_table *t,
                         uint32_t index, int16_t *block)
{
	const xc_jpeg_scan *s = p->s;
	const int32_t step = 1 << s->low;
	const uint64_t old = xc_jpeg_nonzero(s, block, 0);
	bit_reader b = *to;
	/* What is to come of the band. */
	uint64_t rest = ~0ULL << s->from & ~0ULL >> (63 - s->to);
	uint32_t corrections = 0;
	int coded = 0, zeros = 0;

	while (!p->c->run && !b.bad) {
		int32_t value;
		if (!rest) {
			b.bad |= zeros;
			p->c->open = 0;
			break;
		}
		const uint32_t symbol = take_symbol(&b, t, &value);
		uint32_t r = symbol >> 4;
		b.bad |= (symbol & 15) > 1;
		zeros = !(symbol & 15);
		if (zeros && r < 15) {
			begin_run(p, &b, r, index, coded);
			/* Codes of 16 zeros before it would not be written again. */
			b.bad |= coded == 2;
			break;
		}
		coded = 1 + zeros;
		/* The place is that of zero r + 1. */
		uint64_t z = rest & ~old;
		for (; r && z; r--)
			z &= z - 1;
		b.bad |= !z;
		const uint64_t before = z ? (z & -z) - 1 : 0;
		correct(&b, block, rest & old & before, step);
		if (z && !zeros)
			block[__builtin_ctzll(z)] = (int16_t)(value * step);
		rest &= ~(before << 1 | 1);
	}
	if (p->c->run)
		corrections = correct(&b, block, rest & old, step);
	*to = b;
	if (p->c->run)
		end_block(p, index, corrections, coded);
}

/* ----------------------------------------------------------------- units */

static inline void take_block(const place *p, bit_reader *b, int i, uint32_t index, int16_t *block,
                              const enum xc_jpeg_kind kind)
{
	const xc_jpeg_scan *s = p->s;
	const xc_jpeg_decode_table *const t = p->r->tables;

	if (kind == SEQUENTIAL || kind == DC_FIRST)
		take_dc(b, &t[s->dc[i]], &p->c->dc[i], s->low, block);
	if (kind == SEQUENTIAL)
		take_ac(p, b, &t[s->ac[i]], index, block);
	if (kind == AC_FIRST)
		take_ac_first(p, b, &t[s->ac[i]], index, block);
	if (kind == AC_MORE)
		take_ac_more(p, b, &t[s->ac[i]], index, block);
	if (kind == DC_MORE)
		block[0] = (int16_t)(block[0] | (int16_t)(take_bits(b, 1) << s->low));
}

/* The bits that fill the last byte of an interval. */
static void take_pad(const place *p, bit_reader *b)
{
	cursor *c = p->c;
	xc_jpeg_scan *s = &p->r->jpeg->scan[p->index];
	const uint32_t n = (uint32_t)b->count & 7, bits = take_bits(b, n), ones = (1U << n) - 1;

	if (n && !c->padded && (bits == 0 || bits == ones)) {
		c->padded = 1;
		s->found.pad = bits != 0;
	}
	if (bits != (s->found.pad ? ones : 0))
		note(p, XC_JPEG_PAD, c->unit, bits);
}

/* Goes over the marker between two intervals. */
static int take_restart(const place *p, bit_reader *b)
{
	cursor *c = p->c;
	const uint8_t marker = (uint8_t)(0xd0 + ((c->unit / p->s->restart - 1) & 7));

	c->odd |= c->run != 0;
	if (b->count > 7 || b->end - b->next < 2 || b->next[0] != 0xff || b->next[1] != marker)
		return 0;
	take_pad(p, b);
	*b = (bit_reader){.next = b->next + 2, .end = b->end};
	memset(c->dc, 0, sizeof c->dc);
	c->open = 0;
	return 1;
}

/* Reads a unit; 0: the scan ends before it. */
static inline int take_unit(const place *p, bit_reader *b, const xc_jpeg_units *u,
                            const enum xc_jpeg_kind kind)
{
	cursor *c = p->c;
	const uint32_t run = c->run;
	int16_t old[64];

	if (p->s->restart && c->unit && c->unit % p->s->restart == 0 && !take_restart(p, b))
		return 0;
	if (kind == AC_MORE)
		memcpy(old, u->block[0], sizeof old);
	for (uint32_t i = 0; i < u->blocks; i++)
		take_block(p, b, u->of[i], c->unit * u->blocks + i, u->block[i], kind);
	if (!b->bad && b->count >= 0) {
		c->good = b->next;
		c->good_count = b->count;
		c->unit++;
		return 1;
	}
	/* The writer would end the run here, not the file. */
	c->odd |= run != 0;
	c->run = 0;
	for (uint32_t i = 0; i < u->blocks; i++)
		if (kind == AC_MORE)
			memcpy(u->block[0], old, sizeof old);
		else if (kind == DC_MORE)
			u->block[i][0] = (int16_t)(u->block[i][0] & ~(1 << p->s->low));
		else
			memset(u->block[i] + p->s->from, 0, sizeof(int16_t) * (p->s->to - p->s->from + 1U));
	return 0;
}

/* Goes over blocks of a row that are in a run, but the last one of it. 1: there is only the next one. */
static uint32_t skip_run(const place *p, uint32_t left)
{
	cursor *c = p->c;
	const uint32_t interval = p->s->restart ? p->s->restart - c->unit % p->s->restart : left;
	uint32_t n = c->run - 1 < left ? c->run - 1 : left;

	/* A new interval begins by its marker. */
	if (p->s->restart && interval == p->s->restart)
		return 1;
	n = n < interval ? n : interval;
	if (n > 1) {
		c->run -= n;
		c->blocks += n;
		c->unit += n;
	}
	return n ? n : 1;
}

static inline void take_rows(const place *p, const xc_jpeg_band *band, const enum xc_jpeg_kind kind)
{
	const xc_jpeg *j = p->r->jpeg;
	bit_reader b = p->c->in;
	xc_jpeg_units u;

	xc_jpeg_units_begin(j, p->s, band, &u);
	for (uint32_t y = 0; y < u.rows && !p->c->done; y++) {
		xc_jpeg_units_row(j, p->s, band, y, &u);
		for (uint32_t x = 0, n; x < u.columns && !p->c->done; x += n) {
			n = kind == AC_FIRST && p->c->run > 1 ? skip_run(p, u.columns - x) : 1;
			if (n == 1)
				p->c->done = !take_unit(p, &b, &u, kind);
			for (uint32_t i = 0; i < u.blocks; i++)
				u.block[i] += n * u.step[i];
		}
	}
	p->c->in = b;
}

static xc_jpeg_verdict verdict(const xc_jpeg_reader *r)
{
	for (int i = 0; i < r->jpeg->scans; i++)
		if (r->cursors[i].odd || r->cursors[i].long_run)
			return r->cursors[i].odd ? XC_JPEG_ODD : XC_JPEG_LONG_RUN;
	return r->full ? XC_JPEG_BUDGET : XC_JPEG_GOOD;
}

xc_jpeg_verdict xc_jpeg_read(xc_jpeg_reader *r, const xc_jpeg_band *band)
{
	const xc_jpeg *j = r->jpeg;

	for (uint32_t y = 0; y < band->rows; y++) {
		const xc_jpeg_band row = xc_jpeg_band_row(j, band, y);
		for (int c = 0; c < j->components; c++)
			memset(row.blocks[c], 0, 128 * xc_jpeg_band_blocks(j, c, 1));
		for (int i = 0; i < j->scans; i++) {
			const place p = {r, &j->scan[i], &r->cursors[i], i};
			if (!p.c->done)
				XC_JPEG_BY_KIND(j, p.s, take_rows, &p, &row)
		}
	}
	return verdict(r);
}

xc_jpeg_verdict xc_jpeg_reader_end(xc_jpeg_reader *r)
{
	xc_jpeg *j = r->jpeg;

	for (int i = 0; i < j->scans; i++) {
		xc_jpeg_scan *s = &j->scan[i];
		cursor *c = &r->cursors[i];
		const place p = {r, s, c, i};
		const uint8_t *const begin = j->data + s->begin;
		int32_t back = (c->good_count + 7) >> 3;
		s->found.units = c->unit;
		c->odd |= c->run != 0;
		if (c->unit == s->total) {
			back = c->good_count >> 3;
			take_pad(&p, &c->in);
		}
		s->found.coded = (size_t)(before(c->good, back, begin) - begin);
		s->found.tail = s->size - s->found.coded;
	}
	return verdict(r);
}
