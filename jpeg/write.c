/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the scans of a JPEG (jpeg/jpeg.h), a band of MCU rows of all of them at a time, each to its
 * place in the file. It chooses codes as the IJG's encoder does, except where notes say otherwise.
 * jpeg/count.c includes it, to count symbols in the place of codes.
 */
#include <string.h>

#include "jpeg/scan.h"

typedef struct bit_writer {
	uint64_t bits; /* the highest `count` are not written; fewer than 8 between calls */
	uint32_t count;
	int bad; /* there is no room, or no code */
	uint8_t *next, *end;
} bit_writer;

typedef struct cursor {
	bit_writer out;
	uint32_t unit;
	int32_t dc[XC_JPEG_COMPONENTS];
	const xc_jpeg_note *note, *last; /* the next one, and the end */
	/* The run of ended blocks that has no code yet: its blocks, and bits that correct. */
	uint32_t blocks, corrections, waiting;
	uint32_t bits[XC_JPEG_CORRECTIONS / 32 + 2];
} cursor;

struct xc_jpeg_writer {
	const xc_jpeg *jpeg;
	cursor *cursors;
	xc_jpeg_encode_table *tables;
};

typedef struct place {
	xc_jpeg_writer *w;
	const xc_jpeg_scan *s;
	cursor *c;
} place;

size_t xc_jpeg_writer_size(const xc_jpeg *j)
{
	return xc_jpeg_aligned(sizeof(xc_jpeg_writer)) +
	       xc_jpeg_aligned(sizeof(cursor) * (size_t)j->scans) +
	       sizeof(xc_jpeg_encode_table) * (size_t)j->tables;
}

#ifndef XC_JPEG_COUNTS
/* Copies the skeleton to `out`, and sets the cursors to the gaps. */
static void copy_skeleton(xc_jpeg_writer *w, const xc_jpeg_notes *notes, uint8_t *out)
{
	const xc_jpeg *j = w->jpeg;
	const xc_jpeg_note *n = notes->note, *const last = n ? n + notes->count : n;
	size_t at = 0;

	for (int i = 0; i < j->scans; i++) {
		const xc_jpeg_scan *s = &j->scan[i];
		cursor *c = &w->cursors[i];
		memcpy(out, j->data + at, s->begin - at);
		out += s->begin - at;
		at = s->begin;
		c->out = (bit_writer){.next = out, .end = out + s->found.coded};
		out += s->found.coded;
		for (c->note = n; n < last && n->scan == i; n++) {
		}
		c->last = n;
		c->unit = c->blocks = c->corrections = c->waiting = 0;
		memset(c->dc, 0, sizeof c->dc);
	}
	memcpy(out, j->data + at, j->size - at);
}
#endif

int xc_jpeg_writer_begin(xc_jpeg_writer *w, const xc_jpeg *j, const xc_jpeg_notes *notes,
                         uint8_t *out)
{
	uint8_t *const memory = (uint8_t *)w + xc_jpeg_aligned(sizeof *w);

	*w = (xc_jpeg_writer){.jpeg = j, .cursors = (void *)memory};
	w->tables = (void *)(memory + xc_jpeg_aligned(sizeof(cursor) * (size_t)j->scans));
#ifdef XC_JPEG_COUNTS
	memset(memory, 0, xc_jpeg_writer_size(j) - xc_jpeg_aligned(sizeof *w));
	(void)notes, (void)out;
	return 1;
#else
	for (int i = 0; i < j->tables; i++)
		if (xc_jpeg_table_used(j, i) && !xc_jpeg_encode_table_make(j->table[i], &w->tables[i]))
			return 0;
	copy_skeleton(w, notes, out);
	return 1;
#endif
}

/* ------------------------------------------------------------------ bits */

static inline uint32_t size_of(uint32_t magnitude)
{
	return 31 - (uint32_t)__builtin_clz(2 * magnitude + 1);
}

#ifdef XC_JPEG_COUNTS
static inline void put(bit_writer *b, uint32_t bits, uint32_t n)
{
	(void)bits;
	b->bits += n;
}

static inline void put_symbol(bit_writer *b, const xc_jpeg_encode_table *t, uint32_t symbol,
                              uint32_t bits, uint32_t n)
{
	/* The caller's, which are no constants. */
	++*(uint32_t *)(uintptr_t)&t->code[symbol];
	put(b, bits, n);
}
#else
/* Writes the whole bytes. */
static __attribute__((noinline)) bit_writer with_bytes(bit_writer b)
{
	for (; b.count >= 8; b.count -= 8, b.bits <<= 8) {
		const uint8_t byte = (uint8_t)(b.bits >> 56);
		if (b.end - b.next < 1 + (byte == 0xff)) {
			b.bad = 1;
			continue;
		}
		*b.next++ = byte;
		if (byte == 0xff)
			*b.next++ = 0;
	}
	return b;
}

/* n: at most 31. */
static XC_JPEG_INLINE void put(bit_writer *b, uint32_t bits, uint32_t n)
{
	b->count += n;
	b->bits |= (uint64_t)bits << 1 << (63 - b->count);
	if (b->end - b->next < 8 || ((~b->bits - 0x0101010101010101) & b->bits & 0x8080808080808080)) {
		*b = with_bytes(*b);
		return;
	}
	uint64_t v = b->bits;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	memcpy(b->next, &v, 8);
	b->next += b->count / 8;
	b->bits <<= b->count & ~7U;
	b->count &= 7;
}

/* A symbol, and n more bits. */
static XC_JPEG_INLINE void put_symbol(bit_writer *b, const xc_jpeg_encode_table *t, uint32_t symbol,
                                      uint32_t bits, uint32_t n)
{
	const uint32_t code = t->code[symbol];

	b->bad |= !code;
	put(b, (code & 0xffff) << n | bits, (code >> 16) + n);
}

#endif

/* A symbol whose lower half is the size of a value, and the value. */
static XC_JPEG_INLINE void put_value(bit_writer *b, const xc_jpeg_encode_table *t, uint32_t zeros,
                                     int32_t value)
{
	const uint32_t n = size_of((uint32_t)(value < 0 ? -value : value)) & 15;

	b->bad |= value != (int16_t)value || value == INT16_MIN;
	put_symbol(b, t, zeros << 4 | n, (uint32_t)(value + (value >> 31)) & ((1U << n) - 1), n);
}

/* The next note, if it is this one. */
static const xc_jpeg_note *noted(cursor *c, xc_jpeg_note_kind kind, uint32_t index)
{
	if (c->note == c->last || c->note->kind != kind || c->note->index != index)
		return NULL;
	return c->note++;
}

static void end_interval(const place *p)
{
	cursor *c = p->c;
	const uint32_t n = (8 - c->out.count) & 7;
	const xc_jpeg_note *own = noted(c, XC_JPEG_PAD, c->unit);
	const uint32_t bits = own ? own->value : p->s->found.pad ? 255 : 0;

	put(&c->out, bits & ((1U << n) - 1), n);
}

/* ---------------------------------------------------------------- blocks */

static inline void put_dc(bit_writer *b, const xc_jpeg_encode_table *t, int32_t *dc, int32_t value)
{
	const int32_t difference = value - *dc;

	*dc = value;
	put_value(b, t, 0, difference);
}

static inline void put_ac(const place *p, bit_writer *to, const xc_jpeg_encode_table *t,
                          uint32_t index, const int16_t *block)
{
	bit_writer b = *to;
	uint32_t after = 1;

	for (uint64_t mask = xc_jpeg_nonzero(p->s, block, 0) & ~1ULL; mask; mask &= mask - 1) {
		const uint32_t k = (uint32_t)__builtin_ctzll(mask);
		uint32_t zeros = k - after;
		for (; zeros > 15; zeros -= 16)
			put_symbol(&b, t, 0xf0, 0, 0);
		put_value(&b, t, zeros, block[k]);
		after = k + 1;
	}
	if (after < 64) {
		const xc_jpeg_note *n = noted(p->c, XC_JPEG_ZEROS, index);
		for (int i = n ? n->value : 0; i; i--)
			put_symbol(&b, t, 0xf0, 0, 0);
		put_symbol(&b, t, 0, 0, 0);
	}
	*to = b;
}

/* Codes the run that is waiting. */
static void put_run(cursor *c, bit_writer *b, const xc_jpeg_encode_table *t)
{
	if (!c->blocks)
		return;
	const uint32_t n = size_of(c->blocks) - 1;
	put_symbol(b, t, n << 4, c->blocks & ((1U << n) - 1), n);
	for (uint32_t i = 0; i < c->waiting; i += 16) {
		const uint32_t some = c->waiting - i < 16 ? c->waiting - i : 16;
		put(b, (c->bits[i / 32] << i % 32) >> (32 - some), some);
	}
	c->blocks = c->corrections = c->waiting = 0;
}

/* A block ends by a run; lone: that no other block has. Bits of corrections of its end are c->bits[c->waiting] on. */
static void end_block(cursor *c, bit_writer *b, const xc_jpeg_encode_table *t, uint32_t index,
                      uint32_t corrections, int lone)
{
	c->blocks++;
	c->waiting += corrections;
	c->corrections += corrections;
	if (c->waiting > XC_JPEG_CORRECTIONS - 64)
		b->bad = 1;
	if (c->blocks == 0x7fff || b->bad)
		put_run(c, b, t);
	else if (lone || xc_jpeg_run_ends(c->blocks, c->corrections)) {
		if (noted(c, XC_JPEG_JOIN, index))
			c->corrections = lone ? c->corrections : 0;
		else
			put_run(c, b, t);
	}
}

static inline void put_ac_first(const place *p, bit_writer *b, const xc_jpeg_encode_table *t,
                                uint32_t index, const int16_t *block)
{
	cursor *c = p->c;
	const uint32_t low = p->s->low;
	uint32_t after = p->s->from;
	int coded = 0;

	for (uint64_t mask = xc_jpeg_nonzero(p->s, block, low); mask; mask &= mask - 1) {
		const uint32_t k = (uint32_t)__builtin_ctzll(mask);
		const int32_t v = block[k], value = v < 0 ? -(-v >> low) : v >> low;
		put_run(c, b, t);
		uint32_t zeros = k - after;
		for (; zeros > 15; zeros -= 16)
			put_symbol(b, t, 0xf0, 0, 0);
		put_value(b, t, zeros, value);
		after = k + 1;
		coded = 1;
	}
	if (after > p->s->to)
		return;
	const xc_jpeg_note *n = noted(c, XC_JPEG_ZEROS, index);
	if (n || noted(c, XC_JPEG_SPLIT, index))
		put_run(c, b, t);
	for (int i = n ? n->value : 0; i; i--)
		put_symbol(b, t, 0xf0, 0, 0);
	end_block(c, b, t, index, 0, p->s->found.lone && (coded || n));
}

/* Bits that correct, the first one the highest of `count`. */
typedef struct corrections {
	uint64_t bits;
	uint32_t count;
} corrections;

/* Those of some coefficients. */
static XC_JPEG_INLINE corrections corrections_of(const int16_t *block, uint64_t which, uint32_t low)
{
	corrections k = {0, 0};

	for (; which; which &= which - 1, k.count++) {
		const int32_t v = block[__builtin_ctzll(which)];
		k.bits = k.bits << 1 | ((uint32_t)(v < 0 ? -v : v) >> low & 1);
	}
	return k;
}

static XC_JPEG_INLINE void put_corrections(bit_writer *b, corrections k)
{
	for (; k.count > 16; k.count -= 16)
		put(b, k.bits >> (k.count - 16) & 0xffff, 16);
	put(b, k.bits & ((1U << k.count) - 1), k.count);
}

/* Appends them to those that wait. */
static void keep_corrections(cursor *c, corrections k)
{
	for (uint32_t at = c->waiting; k.count;) {
		const uint32_t room = 32 - at % 32, n = k.count < room ? k.count : room;
		const uint64_t some = k.bits >> (k.count - n) & ((1ULL << n) - 1);
		c->bits[at / 32] = (at % 32 ? c->bits[at / 32] : 0) | (uint32_t)(some << (room - n));
		k.count -= n;
		at += n;
	}
}

static uint32_t count_of(uint64_t a)
{
	const uint64_t four = 0x3333333333333333;

	a -= a >> 1 & 0x5555555555555555;
	a = (a & four) + (a >> 2 & four);
	return (uint32_t)(((a + (a >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

static void put_ac_more(const place *p, bit_writer *to, const xc_jpeg_encode_table *t,
                        uint32_t index, const int16_t *block)
{
	cursor *c = p->c;
	const xc_jpeg_scan *s = p->s;
	const uint64_t old = xc_jpeg_nonzero(s, block, s->low + 1U);
	uint64_t new = xc_jpeg_nonzero(s, block, s->low) & ~old;
	/* What is to come of the band. */
	uint64_t rest = ~0ULL << s->from & ~0ULL >> (63 - s->to);
	const int lone = s->found.lone && new;
	bit_writer b = *to;

	for (; new; new &= new - 1) {
		const uint64_t before = (new & -new) - 1;
		uint32_t zeros = count_of(rest & before & ~old);
		put_run(c, &b, t);
		for (; zeros > 15; zeros -= 16) {
			uint64_t z = rest & ~old;
			for (int i = 0; i < 15; i++)
				z &= z - 1;
			put_symbol(&b, t, 0xf0, 0, 0);
			put_corrections(&b, corrections_of(block, rest & old & ((z & -z) - 1), s->low));
			rest &= ~((z & -z) - 1) & ~(z & -z);
		}
		put_symbol(&b, t, zeros << 4 | 1, block[__builtin_ctzll(new)] > 0, 1);
		put_corrections(&b, corrections_of(block, rest & old & before, s->low));
		rest &= ~(before << 1 | 1);
	}
	if (rest && noted(c, XC_JPEG_SPLIT, index))
		put_run(c, &b, t);
	if (rest) {
		const corrections k = corrections_of(block, rest & old, s->low);
		keep_corrections(c, k);
		end_block(c, &b, t, index, k.count, lone);
	}
	*to = b;
}

/* ----------------------------------------------------------------- units */

static inline void put_block(const place *p, bit_writer *b, int i, uint32_t index,
                             const int16_t *block, const enum xc_jpeg_kind kind)
{
	const xc_jpeg_scan *s = p->s;
	const xc_jpeg_encode_table *const t = p->w->tables;

	if (kind == SEQUENTIAL || kind == DC_FIRST)
		put_dc(b, &t[s->dc[i]], &p->c->dc[i], block[0] >> s->low);
	if (kind == SEQUENTIAL)
		put_ac(p, b, &t[s->ac[i]], index, block);
	if (kind == AC_FIRST)
		put_ac_first(p, b, &t[s->ac[i]], index, block);
	if (kind == AC_MORE)
		put_ac_more(p, b, &t[s->ac[i]], index, block);
	if (kind == DC_MORE)
		put(b, (uint32_t)(block[0] >> s->low) & 1, 1);
}

static void end_runs(const place *p)
{
	if (p->s->from)
		put_run(p->c, &p->c->out, &p->w->tables[p->s->ac[0]]);
}

static void put_restart(const place *p)
{
	cursor *c = p->c;

	end_runs(p);
	end_interval(p);
	if (c->out.end - c->out.next < 2) {
		c->out.bad = 1;
		return;
	}
	*c->out.next++ = 0xff;
	*c->out.next++ = (uint8_t)(0xd0 + ((c->unit / p->s->restart - 1) & 7));
	memset(c->dc, 0, sizeof c->dc);
}

static inline void put_row(const place *p, const xc_jpeg_units *u, const enum xc_jpeg_kind kind)
{
	cursor *c = p->c;

	for (uint32_t x = 0; x < u->columns && c->unit < p->s->found.units && !c->out.bad; x++) {
		if (p->s->restart && c->unit && c->unit % p->s->restart == 0)
			put_restart(p);
		bit_writer b = c->out;
		for (uint32_t i = 0; i < u->blocks; i++)
			put_block(p, &b, u->of[i], c->unit * u->blocks + i,
			          u->block[i] + (size_t)x * u->step[i], kind);
		c->out = b;
		c->unit++;
	}
}

static inline void put_rows(const place *p, const xc_jpeg_band *band, const enum xc_jpeg_kind kind)
{
	xc_jpeg_units u;

	xc_jpeg_units_begin(p->w->jpeg, p->s, band, &u);
	for (uint32_t y = 0; y < u.rows; y++) {
		xc_jpeg_units_row(p->w->jpeg, p->s, band, y, &u);
		put_row(p, &u, kind);
	}
}

int xc_jpeg_write(xc_jpeg_writer *w, const xc_jpeg_band *band)
{
	const xc_jpeg *j = w->jpeg;
	int bad = 0;

	for (uint32_t y = 0; y < band->rows; y++) {
		const xc_jpeg_band row = xc_jpeg_band_row(j, band, y);
		for (int i = 0; i < j->scans; i++) {
			const place p = {w, &j->scan[i], &w->cursors[i]};
			XC_JPEG_BY_KIND(j, p.s, put_rows, &p, &row)
			bad |= p.c->out.bad;
		}
	}
	return !bad;
}

int xc_jpeg_writer_sizes(xc_jpeg_writer *w, size_t *sizes)
{
	int good = 1;

	for (int i = 0; i < w->jpeg->scans; i++) {
		const place p = {w, &w->jpeg->scan[i], &w->cursors[i]};
		bit_writer *b = &p.c->out;
		end_runs(&p);
		/* Where the scan breaks off, its last bits are in the tail. */
		if (p.s->found.units == p.s->total)
			end_interval(&p);
		good &= !b->bad;
#ifdef XC_JPEG_COUNTS
		sizes[i] = (size_t)b->bits;
#else
		sizes[i] = p.s->found.coded - (size_t)(b->end - b->next);
#endif
	}
	return good;
}

#ifndef XC_JPEG_COUNTS
int xc_jpeg_writer_end(xc_jpeg_writer *w)
{
	size_t sizes[XC_JPEG_SCANS];
	int good = xc_jpeg_writer_sizes(w, sizes);

	for (int i = 0; i < w->jpeg->scans; i++)
		good &= sizes[i] == w->jpeg->scan[i].found.coded;
	return good;
}
#endif
