/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lossless coder for one SIMD level; lossless/tile.c calls it. The makefile compiles this file
 * once per level. The model runs forwards and makes a record of every sample; the records are
 * counted for the tables, and then coded backwards (rANS; Duda 2009). State of coding: a state of
 * 32 bits for each lane of each plane. Bound: as many steps as the shape has, and two words of 16
 * bits a sample.
 */
#include "lossless/code.h"
#include "lossless/steps.h"
#include "lossless/transpose.h"

/* A record of a lane: raw bits in bits 0 to 15, their number in 16 to 20, the symbol in 21 to 24,
 * the level in 25 to 30, and 1 in bit 31. Zero: the lane is idle. */
typedef struct record {
	uint32_t of[XC_LANES16];
} record;

/* The samples of a bundle by step. */
static void load_bundle(const xc_bundle *b, int c, int16_t (*steps)[XC_LANES16])
{
	const xc_plane16 *s = &b->part->samples[c];

	for (int x = 0; x < b->steps; x += 16) {
		xc_row16 row[16];
		for (uint32_t i = 0; i < XC_LANES16; i++) {
			const uint32_t y = b->y + (i < b->rows ? i : 0);
			memcpy(&row[i], s->first + (ptrdiff_t)y * s->stride + x - XC_LAG * (int)i,
			       sizeof row[i]);
		}
		transpose16(row);
		memcpy(steps + x, row, sizeof row);
	}
}

/* Quantizes residues so that samples stay within `near` and changes samples to what decoders find. */
static void quantize(const xc_part *p, lanes expected, lanes *residue, lanes *sample, int32_t low,
                     int32_t high)
{
	const int near = p->near, step = 2 * near + 1;
	int32_t d[XC_LANES16], e[XC_LANES16];

	store(d, *residue);
	store(e, expected);
	for (int i = 0; i < XC_LANES16; i++) {
		const int a = ((d[i] < 0 ? -d[i] : d[i]) + near) / step;
		d[i] = d[i] < 0 ? -a : a;
		e[i] += d[i] * step;
		e[i] = e[i] < low ? low : e[i] > high ? high : e[i];
	}
	*residue = load(d);
	*sample = load(e);
}

LANES_INLINE lanes make_record(lanes residue, lanes level, int bits, lane_mask active)
{
	const lanes z = xor(sll(residue, 1), sra(residue, 31)), shift = raw_bits_of(level);
	const lanes v = srlv(z, shift), low = min(v, all_lanes(9));
	const lane_mask large = less(all_lanes(71), v);
	lanes n = sub(sra(to_float(max(sub(v, all_lanes(8)), all_lanes(1))), 23), all_lanes(127));
	const lanes base = sllv(sub(add(sllv(all_lanes(1), n), low), all_lanes(1)), shift);
	const lanes symbol = blend(large, add(low, n), all_lanes(15));
	const lanes raw = blend(large, sub(z, base), z);

	n = blend(large, add(n, shift), all_lanes(bits));
	const lanes r = or (or (raw, sll(n, 16)), or (sll(symbol, 21), sll(level, 25)));
	return blend(active, all_lanes(0), or (r, all_lanes(INT32_MIN)));
}

/* Puts back what decoders find, for the rows below. */
static void put_back(const xc_bundle *b, int c, int x, lanes sample)
{
	const xc_plane16 *s = &b->part->samples[c];
	int32_t v[XC_LANES16];

	store(v, sample);
	for (int i = 0; i < (int)b->rows; i++) {
		const int column = x - XC_LAG * i;
		if (column >= -2 && column <= (int)b->part->width)
			s->first[(ptrdiff_t)(b->y + (uint32_t)i) * s->stride + column] = (int16_t)v[i];
	}
}

LANES_INLINE record *record_step(xc_bundle *b, const int c, int x, const int edge, const int near,
                                 int16_t (*steps)[XC_LANES16], record *out)
{
	const xc_plane_model *m = &b->part->model[c];
	const int bits = (int)m->bits;
	const int32_t high = (1 << (bits - 1)) - 1, low = -high - 1;
	const lane_mask active = mask_with(edge ? lanes_active(b, x) : 0xffff);
	const xc_expected e = bundle_expect(b, c, x);
	const lanes expected = min(max(e.sample, all_lanes(low)), all_lanes(high));
	lanes sample = load_signed16(steps + x), residue = sub(sample, expected);

	if (near)
		quantize(b->part, expected, &residue, &sample, low, high);
	else
		residue = srav(sllv(residue, all_lanes(32 - bits)), all_lanes(32 - bits));
	if (edge)
		sample = blend(active, bundle_idle(b, c, x, &e), sample);
	store(out, make_record(residue, e.level, bits, active));
	lanes magnitude = max(residue, sub(all_lanes(0), residue));
	if (near) {
		magnitude = mul(magnitude, all_lanes(2 * b->part->near + 1));
		put_back(b, c, x, sample);
	}
	magnitude = min(magnitude, all_lanes(32767));
	if (edge)
		magnitude = blend(active, all_lanes(0), magnitude);
	bundle_advance(b, c, x, &e, sample, magnitude);
	return out + 1;
}

LANES_INLINE record *record_bundle(xc_bundle *b, const int planes, const int near,
                                   int16_t (*steps)[XC_STEPS_MOST][XC_LANES16], record *out)
{
	const int full = b->rows == XC_LANES16, end = b->steps + planes - 1;

	for (int t = 0; t < end; t++) {
		const int inside = full && t >= XC_IDLE + planes - 1 && t < (int)b->part->width;
#pragma GCC unroll 3
		for (int c = planes - 1; c >= 0; c--) {
			const int x = t - c;
			if (!b->part->model[c].bits || x < 0 || x >= b->steps)
				continue;
			out = inside ? record_step(b, c, x, 0, near, steps[c], out)
			             : record_step(b, c, x, 1, near, steps[c], out);
		}
	}
	return out;
}

/* Records the samples of a part; returns the end. */
static record *record_part(const xc_part *p, xc_code_memory *mem, record *out)
{
	for (uint32_t y = 0; y < p->height; y += XC_LANES16) {
		xc_bundle b;
		bundle_begin(&b, p, y, mem->sums);
		for (int c = 0; c < p->planes; c++)
			if (p->model[c].bits)
				load_bundle(&b, c, mem->steps[c]);
		if (p->near)
			out = p->planes == 1 ? record_bundle(&b, 1, 1, mem->steps, out)
			                     : record_bundle(&b, 3, 1, mem->steps, out);
		else
			out = p->planes == 1 ? record_bundle(&b, 1, 0, mem->steps, out)
			                     : record_bundle(&b, 3, 0, mem->steps, out);
	}
	return out;
}

/* 1: plane c has records at its step x. */
#define PLANE_AT(p, c, x, steps) ((p)->model[c].bits && (x) >= 0 && (x) < (steps))

static void count_part(const xc_part *p, const record *r, xc_code_memory *mem)
{
	uint32_t(*counts)[2][2048] = mem->counts;

	memset(mem->counts, 0, sizeof mem->counts);
	for (uint32_t y = 0; y < p->height; y += XC_LANES16) {
		const int steps = xc_steps_of(p, y);
		for (int t = 0; t < steps + p->planes - 1; t++)
			for (int c = p->planes - 1; c >= 0; c--) {
				if (!PLANE_AT(p, c, t - c, steps))
					continue;
				for (int i = 0; i < XC_LANES16; i += 2) {
					counts[c][0][r->of[i] >> 21]++;
					counts[c][1][r->of[i + 1] >> 21]++;
				}
				r++;
			}
	}
	/* Idle lanes are counted below 1024. */
	for (int c = 0; c < p->planes; c++)
		for (int i = 0; i < 1024; i++)
			counts[c][0][i] = counts[c][0][1024 + i] + counts[c][1][1024 + i];
}

/* Counts a symbol of each level that may occur; idle lanes have any. Built-in tables need no more. */
static void find_levels(const xc_part *p, const record *r, xc_code_memory *mem)
{
	lanes pairs[XC_PLANES]; /* bit i: of levels 2 i and 2 i + 1 */
	uint32_t of[XC_LANES16];

	for (int c = 0; c < XC_PLANES; c++)
		pairs[c] = all_lanes(0);
	for (uint32_t y = 0; y < p->height; y += XC_LANES16) {
		const int steps = xc_steps_of(p, y);
		for (int t = 0; t < steps + p->planes - 1; t++)
			for (int c = p->planes - 1; c >= 0; c--)
				if (PLANE_AT(p, c, t - c, steps)) {
					const lanes pair = and(srl(load(r++), 26), all_lanes(31));
					pairs[c] = or (pairs[c], sllv(all_lanes(1), pair));
				}
	}
	memset(mem->counts, 0, sizeof mem->counts);
	for (int c = 0; c < p->planes; c++) {
		store(of, pairs[c]);
		for (int i = 1; i < XC_LANES16; i++)
			of[0] |= of[i];
		for (int l = 0; l < XC_LEVELS; l++)
			mem->counts[c][0][l * XC_SYMBOLS] = of[0] >> l / 2 & 1;
	}
}

LANES_INLINE lanes code_record(lanes x, lanes r, const xc_code_plane *code, uint8_t **words)
{
	const lane_mask active = negative(r);
	const lanes n = and(srl(r, 16), all_lanes(31)), raw = and(r, all_lanes(0xffff));
	const lanes top = srlv(srl(x, 1), sub(all_lanes(31), n));
	lanes f, reciprocal;

	x = emit(x, both(active, less(all_lanes(0), top)), words);
	x = blend(active, x, or (sllv(x, n), raw));
	gather_halves(code->symbols, and(srl(r, 21), all_lanes(1023)), &f, &reciprocal);
	const lanes sum = srl(f, 12);
	f = and(f, all_lanes(4095));
	const lane_mask fits = less_unsigned(x, sll(f, 20));
	x = emit(x, both(active, not_mask(fits)), words);
	const lanes low = times(x, reciprocal), more = sub(x, mul(low, f));
	const lane_mask again = not_mask(less(more, f));
	const lanes q = blend(again, low, add(low, all_lanes(1)));
	const lanes left = blend(again, more, sub(more, f));
	const lanes level = and(srl(r, 25), all_lanes(XC_LEVELS - 1));
	/* Idle lanes may have a level without tables: their place is anything. */
	const lanes place = and(add(sum, left), all_lanes(XC_FREQUENCY_ONE - 1));
	const lanes slot = gather16(code->slots, add(sll(level, XC_FREQUENCY_BITS), place));
	return blend(active, x, or (sll(q, XC_FREQUENCY_BITS), slot));
}

/* Codes the records that end at r; returns the first word, before `words`. */
static uint8_t *code_part(const xc_part *p, const record *r, const xc_code_memory *mem,
                          uint8_t *words, uint32_t (*states)[XC_LANES16])
{
	lanes x[XC_PLANES];

	for (int c = 0; c < XC_PLANES; c++)
		x[c] = all_lanes(1 << 16);
	for (uint32_t y = (p->height - 1) / XC_LANES16 * XC_LANES16;; y -= XC_LANES16) {
		const int steps = xc_steps_of(p, y);
		for (int t = steps + p->planes - 2; t >= 0; t--)
			for (int c = 0; c < p->planes; c++)
				if (PLANE_AT(p, c, t - c, steps)) {
					r--;
					x[c] = code_record(x[c], load(r), &mem->code[c], &words);
				}
		if (!y)
			break;
	}
	for (int c = 0; c < XC_PLANES; c++)
		store(states[c], x[c]);
	return words;
}

size_t XC_LEVEL(xc_part_encode)(xc_part *p, int tables, xc_code_memory *mem, uint8_t *out)
{
	record *records = mem->records;
	uint32_t states[XC_PLANES][XC_LANES16];
	const record *end = record_part(p, mem, records);

	(tables ? count_part : find_levels)(p, records, mem);
	xc_part_choose_shapes(p, tables, mem->counts);
	xc_code_make_tables(p, mem);
	uint8_t *words = code_part(p, end, mem, mem->words_end, states);
	uint8_t *to = xc_part_write(p, out);
	to = xc_states_write(p, states, to);
	const size_t n = (size_t)(mem->words_end - words);
	memcpy(to, words, n);
	return (size_t)(to + n - out);
}
