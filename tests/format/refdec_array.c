/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays of the reference decoder, one value at a time, with neighbours looked up by their indices.
 * It was written from doc/format.md alone; of the library it has the built-in shapes, which belong to
 * the format. Numbers in brackets are sections of that document. Sizes, steps and indices of a chunk
 * are along its dimensions a, b and c [11.4].
 */
#include "tests/format/refdec_array_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In array/builtin.c. */
extern const uint8_t xc_array_shapes[64][16];

/* The numbers of a type, or those to which mode 1 clamps [11.6]. */
static const struct {
	size_t bytes;
	int is_float;
	double low, high;
} types[8] = {
	{4, 1, -2097152.0, 2097152.0}, {8, 1, -2097152.0, 2097152.0},       {1, 0, -128.0, 127.0},
	{2, 0, -32768.0, 32767.0},     {4, 0, -2147483648.0, 2147483647.0}, {1, 0, 0.0, 255.0},
	{2, 0, 0.0, 65535.0},          {4, 0, 0.0, 4294967295.0},
};

static void need(const array *a, int condition)
{
	if (!condition)
		refdec_fail(a->d, "an array is damaged");
}

/* An integer of n bytes at d->bits. */
static uint64_t take_bytes(array *a, size_t n)
{
	refdec *d = a->d;
	uint64_t v = 0;

	need(a, (uint64_t)(d->bits_end - d->bits) >= n);
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)*d->bits++ << 8 * i;
	return v;
}

/* [11.9] Seven bits a byte. */
static uint64_t take_number(array *a)
{
	uint64_t v = 0, byte = 128;

	for (int shift = 0; byte & 128; shift += 7) {
		need(a, shift < 63);
		byte = take_bytes(a, 1);
		v |= (byte & 127) << shift;
	}
	return v;
}

/* ------------------------------------------------------------ [11] reals as numbers and as bits */

static double of_bits(int wide, uint64_t bits)
{
	const uint32_t half = (uint32_t)bits;
	double v;
	float f;

	memcpy(&v, &bits, sizeof v);
	memcpy(&f, &half, sizeof f);
	return wide ? v : (double)f;
}

static uint64_t to_bits(int wide, double v)
{
	const float f = (float)v;
	uint64_t bits;
	uint32_t half;

	memcpy(&bits, &v, sizeof bits);
	memcpy(&half, &f, sizeof half);
	return wide ? bits : half;
}

/* -------------------------------------------------------------------------- [11.3, 11.4] the model */

static int take_signed(array *a, int n)
{
	const int v = (int)refdec_read_bits(a->d, n);
	return v < 1 << (n - 1) ? v : v - (1 << n);
}

void refdec_plan_passes(array *a)
{
	int64_t step[AXES];
	int due[AXES], d;

	for (int k = 0; k < AXES; k++) {
		const int64_t size = a->chunk[a->axis[k]];
		for (step[k] = 64; step[k] > 1 && step[k] >= size + (size == 2);)
			step[k] /= 2;
		a->top[k] = step[k];
		due[k] = a->lag[k];
		for (int64_t s = step[k]; s < 128; s *= 2)
			due[k]++;
	}
	for (a->passes = 0;; a->passes++) {
		d = -1;
		for (int i = 0; i < AXES; i++) {
			const int k = a->order[i];
			if (step[k] > 1 && (d < 0 || due[k] < due[d]))
				d = k;
		}
		if (d < 0)
			return;
		step[d] /= 2;
		due[d]++;
		a->pass[a->passes].d = d;
		memcpy(a->pass[a->passes].step, step, sizeof step);
	}
}

static double size_of_pass(const array *a, double s, int fine)
{
	const double size = s * (fine % 2 ? 0.75 : 1.0) / (double)(1 << fine / 2);

	if (a->mode == REAL || !fine)
		return a->mode == KEYS ? size : real(a, size);
	const int64_t half = size < 1.0 ? 0 : (int64_t)((size - 1.0) / 2.0);
	return a->mode == KEYS ? (double)(2 * half + 1) : real(a, (double)(2 * half + 1));
}

static void read_taps(array *a, pass *p)
{
	static const int cubic[4] = {-256, 2304, 2304, -256};

	memset(p->offset, 0, sizeof p->offset);
	p->taps = 4;
	for (int t = 0; t < 4; t++) {
		p->offset[t][p->d] = 2 * t - 3;
		p->weight[t] = cubic[t] / 4096.0;
	}
	if (!refdec_read_bits(a->d, 1))
		return;
	int sum = 0, first = 4096;
	p->taps = 1 + (int)refdec_read_bits(a->d, 5);
	const int offsets = 1 + (int)refdec_read_bits(a->d, 2);
	const int drop = (int)refdec_read_bits(a->d, 4), bits = 1 + (int)refdec_read_bits(a->d, 4);
	need(a, p->taps <= MOST_TAPS && drop + bits <= 16);
	memset(p->offset, 0, sizeof p->offset);
	p->offset[0][p->d] = -1;
	for (int t = 1; t < p->taps; t++) {
		for (int k = 0; k < AXES; k++)
			if (a->chunk[a->axis[k]] > 1)
				p->offset[t][k] = take_signed(a, offsets);
		const int weight = take_signed(a, bits) * (1 << drop);
		p->weight[t] = weight / 4096.0;
		sum += abs(weight);
		first -= weight;
	}
	p->weight[0] = first / 4096.0;
	need(a, sum + abs(first) <= 1 << 17);
}

/* [11.10] */
static void read_ranks(array *a)
{
	const int bits = 8 * (int)types[a->type].bytes, whole = types[a->type].low != 0;
	const uint64_t sign = 1ULL << (bits - 1), all = UINT64_MAX >> (64 - bits);
	uint64_t number = 0, by = 0;

	a->ranks = (int)take_bytes(a, 2);
	need(a, a->ranks <= MOST_RANKS);
	for (int i = 0; i < a->ranks; i++) {
		uint64_t z = 0, byte = 128;
		for (int shift = 0; byte & 128; shift += 7) {
			need(a, shift < 64);
			byte = take_bytes(a, 1);
			z |= (byte & 127) << shift;
		}
		by += z % 2 ? ~(z / 2) : z / 2;
		need(a, (!i || number + by > number) && number + by <= all);
		number += by;
		const int inverted = types[a->type].is_float && !(number & sign);
		a->rank[i] = inverted ? ~number & all : whole ? number ^ sign : number;
	}
}

static double take_double(const array *a)
{
	uint64_t bits = 0;

	for (int i = 0; i < 4; i++)
		bits = bits << 16 | refdec_read_bits(a->d, 16);
	return of_bits(1, bits);
}

static int is_size(const array *a, double size)
{
	const double most = a->wide ? 1e200 : 1e20;
	return size >= 1.0 / most && size <= most && real(a, size) == size;
}

static void read_model(array *a)
{
	refdec *d = a->d;

	a->exponent = (int16_t)take_bytes(a, 2);
	a->specials = (int)take_bytes(a, 1);
	need(a, a->specials <= MOST_SPECIALS && abs(a->exponent) <= (a->wide ? 1074 : 149));
	for (int i = 0; i < a->specials; i++)
		a->special[i] = take_bytes(a, types[a->type].bytes);
	read_ranks(a);
	a->mode = (int)refdec_read_bits(d, 2);
	a->anchor_level = (int)refdec_read_bits(d, 6);
	const double stored = take_double(a), size = a->mode <= WHOLE ? fabs(stored) : stored;
	a->smooth = size != stored;
	a->way = 0;
	if (a->mode == 3) {
		a->way = (int)refdec_read_bits(d, 2);
		a->mode = refdec_read_bits(d, 1) ? WHOLE : REAL;
		a->flat = (int)refdec_read_bits(d, 1);
		a->coefficient_size = take_double(a);
		need(a, a->way && a->way == a->asked && !a->ranks && is_size(a, a->coefficient_size));
	}
	int axes = 0, orders = 0;
	for (int k = 0; k < AXES; k++) {
		axes |= 1 << (a->axis[k] = a->way ? k : (int)refdec_read_bits(d, 2));
		orders |= 1 << (a->order[k] = a->way ? k : (int)refdec_read_bits(d, 2));
		a->lag[k] = a->way ? 0 : (int)refdec_read_bits(d, 3);
	}
	need(a, a->mode <= KEYS && axes == 7 && orders == 7);
	const double most = a->mode != KEYS ? 0x1p32 : a->wide ? 0x1p52 : 0x1p24;
	const int whole = size >= 1 && size < most && (int64_t)size % 2 && size == floor(size);
	need(a, a->mode == REAL ? is_size(a, size) : whole);
	need(a, !a->ranks || a->mode == WHOLE);
	a->map = a->mode == WHOLE && a->type == 1 && !a->way && !a->ranks ? a->exponent : 0;
	need(a, !a->exponent || a->map || (a->mode == REAL && types[a->type].is_float));
	need(a, a->map <= 24);
	refdec_plan_passes(a);
	a->anchor_size = size_of_pass(a, size, 0);
	for (int i = 0; i < a->passes && !a->way; i++) {
		a->pass[i].size = size_of_pass(a, size, (int)refdec_read_bits(d, 4));
		read_taps(a, &a->pass[i]);
	}
	if (a->passes && !a->way)
		a->anchor_size = a->pass[0].size;
	for (int i = 0; i < 6; i++)
		refdec_read_shapes(d, a->sets[i], xc_array_shapes);
	refdec_end_byte(d);
	need(a, d->bits == d->bits_end);
}

/* ------------------------------------------------------------------ [11.5] where an offset leads */

typedef struct found {
	int64_t j[AXES];
	int beyond; /* the value beyond this point */
} found;

/* Points along dimension k, known ones and those of the pass. */
static int64_t points(const array *a, int k)
{
	return (a->n[k] + a->p->step[k] - 1) / a->p->step[k];
}

static found find(const array *a, const int o[AXES])
{
	const int d = a->p->d, own = o[d] % 2 == 0;
	const int64_t *i = a->i, last = points(a, d) - 1;
	const int64_t even = last - last % 2, odd = last - !(last % 2);
	found f = {{i[A] + o[A], i[B] + o[B], i[C] + o[C]}, 0};
	int64_t *j = f.j;

	for (int k = 0; k < AXES; k++)
		if (k != d)
			j[k] = limit(j[k], 0, points(a, k) - 1);
	if (own && d != C && j[d] > odd)
		j[d] = odd;
	const int precedes = j[A] < i[A] || (j[A] == i[A] && j[B] < i[B]);
	if (own && d != C) {
		j[d] = precedes && j[d] >= 0 ? j[d] : i[d] - 1;
	} else if (own && precedes) {
		j[C] = limit(j[C], 1, odd);
	} else {
		j[d] -= own;
		f.beyond = j[d] > even;
		j[d] = limit(j[d], 0, even);
	}
	return f;
}

static cell *cell_at(const array *a, const int64_t j[AXES])
{
	cell *c = a->cells;

	for (int k = 0; k < AXES; k++)
		c += j[k] * a->p->step[k] * a->stride[k];
	return c;
}

static double value_of(const array *a, found f)
{
	const double v = cell_at(a, f.j)->value;

	if (!f.beyond || !f.j[a->p->d])
		return v;
	f.j[a->p->d] -= 2;
	return real(a, v + real(a, v - cell_at(a, f.j)->value));
}

/* The point at an offset of `at` along d, `by` along e and `ob` along b. */
static found look(const array *a, int at, int e, int by, int ob)
{
	int o[AXES] = {0};

	o[a->p->d] += at;
	o[e] += by;
	o[B] += ob;
	return find(a, o);
}

static float m(const array *a, int at, int e, int by, int ob)
{
	return cell_at(a, look(a, at, e, by, ob).j)->magnitude;
}

/* [11.7] The magnitudes before and after the point in its row. */
static float beside(const array *a, found f)
{
	const int64_t by = a->p->d == C ? 2 : 1, first = a->p->d == C ? f.j[C] % 2 : 0;
	const int64_t last = points(a, C) - 1, most = last - (last - first) % by;
	found after = f;

	f.j[C] = limit(f.j[C] - by, first, most);
	after.j[C] = limit(after.j[C] + by, first, most);
	return cell_at(a, f.j)->magnitude + cell_at(a, after.j)->magnitude;
}

/* ------------------------------------------------------------ [11.6] predictions, [11.7] levels */

double refdec_limit(const array *a, double v)
{
	const double whole = 6755399441055744.0;
	const double low = a->ranks      ? 0
	                   : a->map == 1 ? -2139095040.0
	                   : a->map      ? -0x1p51
	                                 : types[a->type].low;
	const double high = a->ranks      ? a->ranks - 1
	                    : a->map == 1 ? 2139095039.0
	                    : a->map      ? 0x1p51
	                                  : types[a->type].high;

	if (a->mode != WHOLE)
		return isfinite(v) ? v : 0.0;
	v = v < low ? low : v > high ? high : v;
	return (v + whole) - whole; /* 1.5 * 2^52: rounds to an integer, ties to even */
}

static double predict(const array *a)
{
	double v, sum = 0.0;

	for (int t = 0; t<a->p->taps; t++, sum = t> 1 ? real(a, sum + v) : v)
		v = real(a, a->p->weight[t] * value_of(a, find(a, a->p->offset[t])));
	return refdec_limit(a, sum);
}

int refdec_level(const array *a, float sum)
{
	return (int)limit(((int64_t)to_bits(0, sum) - 0x3c800000) / (1 << 22), 0, a->wide ? 127 : 63);
}

static int level_of(const array *a, double predicted)
{
	const int d = a->p->d, r = d == B ? -2 : -1, p = d == A ? -2 : -1;
	const int e = d == C ? B : C;
	float s = 0.2f + 0.03f * (m(a, -1, A, 0, 0) + m(a, 1, A, 0, 0));

	if (points(a, e) > 1)
		s += 0.01f *
		     ((m(a, -1, e, -1, 0) + m(a, -1, e, 1, 0)) + (m(a, 1, e, -1, 0) + m(a, 1, e, 1, 0)));
	if (a->mode != KEYS && !a->smooth) {
		const double v = value_of(a, look(a, -1, A, 0, 0)), w = value_of(a, look(a, 1, A, 0, 0));
		const double over = real(a, 1.0 / a->p->size), middle = real(a, real(a, v + w) * 0.5);
		const float slope = (float)real(a, fabs(real(a, v - w)) * over);
		const float bend = (float)real(a, fabs(real(a, predicted - middle)) * over);
		s += 0.005f * slope + 0.1f * bend;
	}
	if (points(a, A) > (d == A ? 2 : 1)) {
		const float around = m(a, 0, A, p, r) + m(a, 0, A, p, -r);
		s += 0.06f * m(a, 0, A, p, 0) + 0.01f * (beside(a, look(a, 0, A, p, 0)) + around);
	}
	s += 0.17f * m(a, 0, A, 0, r) + 0.03f * beside(a, look(a, 0, A, 0, r));
	s += 0.1f * m(a, 0, A, 0, 2 * r);
	return refdec_level(a, s);
}

/* ------------------------------------------------------------------------------- [11.8] values */

/* The integer that stands for bits of `real`, and back, modulo 2^32 or 2^64. */
static uint64_t swap_key(int wide, uint64_t bits)
{
	const uint64_t high = UINT64_C(1) << (wide ? 63 : 31);
	return bits & high ? bits ^ (high - 1) : bits;
}

void refdec_put_point(const array *a, const point *o, double size)
{
	const int64_t r = residue_of(o);
	double v;

	o->to->magnitude = (float)(r < 0 ? 0 - (uint64_t)r : (uint64_t)r);
	if (a->mode == KEYS) {
		const uint64_t by = (uint64_t)r * (uint64_t)(int64_t)size;
		const uint64_t key = swap_key(a->wide, to_bits(a->wide, o->predicted)) + by;
		v = of_bits(a->wide, swap_key(a->wide, a->wide ? key : (uint32_t)key));
	} else {
		v = real(a, o->predicted + real(a, real(a, (double)r) * size));
	}
	o->to->value = isfinite(v) ? v : o->predicted;
}

/* [11.9] Points of a row, at most one a lane. */
void refdec_take_numbers(array *a, point *group, int n, int set)
{
	for (int i = 0; i < n && a->lanes; i++) {
		point *o = &group[i];
		if (o->to->kind)
			continue;
		const refdec_set *shape = &a->sets[set][o->level > 63 ? 62 + o->level % 2 : o->level];
		const int s = refdec_take_symbol(a->d, &a->state[i], shape);
		const int c = o->level > 14 ? (o->level - 14) / 2 : 0, more = s > 9 ? s - 9 : 0;
		o->base = s == 15 ? 0 : ((UINT64_C(1) << more) - 1 + (uint64_t)(s < 9 ? s : 9)) << c;
		o->left = s < 15 ? more + c : a->wide ? 64 : 32;
	}
	for (int round = 0; round < 4; round++)
		for (int i = 0; i < n; i++) {
			point *o = &group[i];
			const int bits = o->left < 16 ? o->left : 16;
			if (bits)
				o->raw |= (uint64_t)refdec_take_raw(a->d, &a->state[i], bits) << 16 * round;
			o->left -= bits;
		}
}

static void take_group(array *a, point *group, int n, int set, double size)
{
	refdec_take_numbers(a, group, n, a->one_set ? 5 : set);
	for (int i = 0; i < n; i++)
		refdec_put_point(a, &group[i], size);
}

static void take_anchors(array *a)
{
	const int64_t *top = a->top;
	double before = 0.0;

	for (int64_t i = 0; i < a->n[A]; i += top[A])
		for (int64_t j = 0; j < a->n[B]; j += top[B])
			for (int64_t k = 0; k < a->n[C]; k += top[C]) {
				cell *c = &a->cells[i * a->stride[A] + j * a->stride[B] + k * a->stride[C]];
				point o = {.to = c, .predicted = refdec_limit(a, before), .level = a->anchor_level};
				take_group(a, &o, 1, 5, a->anchor_size);
				c->magnitude = 0.0f;
				before = c->value;
			}
}

static void take_row(array *a)
{
	const int most = a->lanes ? a->lanes : 1, by = a->p->d == C ? 2 : 1;
	const int set = (int)(&a->pass[a->passes - 1] - a->p); /* [11.8] */
	point group[MOST_LANES];
	int n = 0;

	for (a->i[C] = by - 1; a->i[C] < points(a, C); a->i[C] += by) {
		const double predicted = predict(a);
		group[n++] = (point){.to = cell_at(a, a->i),
		                     .predicted = predicted,
		                     .level = level_of(a, predicted)};
		if (n < most && a->i[C] + by < points(a, C))
			continue;
		take_group(a, group, n, set < 5 ? set : 5, a->p->size);
		n = 0;
	}
}

static void take_pass(array *a, const pass *p)
{
	const int da = p->d == A, db = p->d == B;

	a->p = p;
	for (a->i[A] = da; a->i[A] < points(a, A); a->i[A] += 1 + da)
		for (a->i[B] = db; a->i[B] < points(a, B); a->i[B] += 1 + db)
			take_row(a);
}

void refdec_take_passes(array *a)
{
	take_anchors(a);
	for (int i = 0; i < a->passes; i++)
		take_pass(a, &a->pass[i]);
}

/* [11.8] What an integer stands for in a slab with a map. */
static double mapped(const array *a, double v)
{
	double power = 1.0;

	v = refdec_limit(a, v);
	if (a->map == 1)
		return of_bits(0, swap_key(0, (uint32_t)(int64_t)v));
	if (a->map < 0)
		return v * ldexp(1.0, a->map);
	for (int i = 2; i < a->map; i++)
		power *= 10.0;
	return v / power;
}

static uint64_t bits_of_type(const array *a, double v)
{
	const double low = types[a->type].low, high = types[a->type].high;
	const int half = a->exponent / 2;

	if (a->ranks)
		return a->rank[(int)limit((int64_t)fmin(fmax(v, 0), MOST_RANKS), 0, a->ranks - 1)];
	if (a->map)
		return to_bits(1, mapped(a, v));
	if (!types[a->type].is_float)
		return (uint64_t)(int64_t)(v < low ? low : v > high ? high : v);
	v = real(a, v * ldexp(1.0, half));
	return to_bits(a->wide, real(a, v * ldexp(1.0, a->exponent - half)));
}

/* ----------------------------------------------------------------------------- [11.9] chunks */

/* Value number i of the chunk, in the array's order. */
static void put_value(array *a, int64_t i, uint64_t bits)
{
	const int64_t x = i % a->extent[2], y = i / a->extent[2] % a->extent[1];
	const int64_t z = i / a->extent[2] / a->extent[1];
	const int64_t at = ((a->first[0] + z) * a->size[1] + a->first[1] + y) * a->size[2] +
	                   a->first[2] + x;
	const size_t bytes = types[a->type].bytes;
	uint8_t *out = a->values + (size_t)at * bytes;

	if (bytes == 1)
		*out = (uint8_t)bits;
	else if (bytes == 2)
		memcpy(out, &(uint16_t){(uint16_t)bits}, 2);
	else if (bytes == 4)
		memcpy(out, &(uint32_t){(uint32_t)bits}, 4);
	else
		memcpy(out, &bits, 8);
}

static void read_kinds(array *a)
{
	refdec *d = a->d;
	const uint64_t bytes = take_bytes(a, 4);
	const int64_t width = a->extent[2], height = a->extent[0] * a->extent[1];
	const uint8_t *end = d->bits_end;

	need(a, bytes <= (uint64_t)(end - d->bits));
	d->bits_end = d->bits + bytes;
	for (int64_t y = 0; y < height; y += 1024)
		for (int64_t x = 0; x < width; x += 1024) {
			const int64_t w = width - x < 1024 ? width - x : 1024;
			const int64_t h = height - y < 1024 ? height - y : 1024;
			const uint32_t shape[5] = {(uint32_t)w, (uint32_t)h, 1, 8, 0};
			const uint64_t size = take_bytes(a, 4);
			need(a, size <= (uint64_t)(d->bits_end - d->bits));
			need(a, !refdec_decode_lossless(shape, d->bits, (size_t)size, a->samples));
			d->bits += size;
			for (int64_t i = 0; i < w * h; i++)
				a->cells[(y + i / w) * width + x + i % w].kind = (uint8_t)a->samples[i];
		}
	need(a, d->bits == d->bits_end);
	d->bits_end = end;
}

static void read_exceptions(array *a, uint64_t values)
{
	const uint64_t count = take_number(a);
	uint64_t next = 0;

	need(a, count <= values);
	for (uint64_t i = 0; i < count; i++, next++) {
		const uint64_t gap = take_number(a);
		need(a, gap < values - next);
		next += gap;
		a->cells[next].done = 1;
	}
	for (uint64_t i = 0; i < values; i++)
		if (a->cells[i].done)
			put_value(a, (int64_t)i, take_bytes(a, types[a->type].bytes));
}

static void take_residues(array *a, int64_t values)
{
	for (int i = 0; i < a->lanes; i++) {
		a->state[i] = refdec_read_u32(a->d);
		need(a, a->state[i] >= 65536);
	}
	if (a->way)
		refdec_take_blocks(a);
	else
		refdec_take_passes(a);
	for (int i = 0; i < a->lanes; i++)
		need(a, a->state[i] == 65536);
	for (int64_t i = 0; i < values; i++) {
		const cell *c = &a->cells[i];
		if (!c->done && c->kind && c->kind <= a->specials)
			put_value(a, i, a->special[c->kind - 1]);
		else if (!c->done)
			put_value(a, i, bits_of_type(a, c->value));
	}
}

static void read_chunk(array *a)
{
	static const int lanes[3] = {32, 8, 2};
	const int64_t values = a->extent[0] * a->extent[1] * a->extent[2];
	const int flags = (int)take_bytes(a, 1);

	for (int k = 0; k < AXES; k++) {
		const int z = a->axis[k];
		a->n[k] = a->extent[z];
		a->stride[k] = (z < 2 ? a->extent[2] : 1) * (z < 1 ? a->extent[1] : 1);
	}
	memset(a->cells, 0, (size_t)values * sizeof *a->cells);
	if (flags == 8) {
		for (int64_t i = 0; i < values; i++)
			put_value(a, i, take_bytes(a, types[a->type].bytes));
	} else {
		need(a, !(flags & 8) && flags / 16 < 3);
		if (flags & 2)
			read_kinds(a);
		if (flags & 4)
			read_exceptions(a, (uint64_t)values);
		a->lanes = flags & 1 ? lanes[flags / 16] : 0;
		take_residues(a, values);
	}
	need(a, a->d->bits == a->d->bits_end);
}

/* ---------------------------------------------------- [11.1, 11.2] the array, its slabs and pieces */

/* The slab from `from` to `to` along each dimension. */
static void read_slab(array *a, const refdec_piece *p, const int64_t from[3], const int64_t to[3])
{
	const uint8_t *start = p->data.start;
	const uint32_t width = p->index.length ? p->index.payload[0] : 0;
	uint32_t crc = refdec_crc32c(0, start, (uint64_t)(p->data.payload - start));
	uint64_t count = 1;

	for (int k = 0; k < 3; k++)
		count *= (uint64_t)((to[k] - from[k] + a->chunk[k] - 1) / a->chunk[k]);
	need(a, width >= 2 && width <= 4 && p->index.length == 1 + (count + 1) * (width + 2));
	need(a, refdec_open_segment(a->d, p, 0, &crc));
	read_model(a);
	for (uint64_t i = 1; i <= count; i++) {
		uint64_t rest = i - 1;
		for (int k = 2; k >= 0; k--) {
			const uint64_t chunks = (uint64_t)((to[k] - from[k] + a->chunk[k] - 1) / a->chunk[k]);
			a->first[k] = from[k] + (int64_t)(rest % chunks) * a->chunk[k];
			a->extent[k] = to[k] - a->first[k] < a->chunk[k] ? to[k] - a->first[k] : a->chunk[k];
			rest /= chunks;
		}
		need(a, refdec_open_segment(a->d, p, i, &crc));
		read_chunk(a);
	}
	need(a, a->d->bits == p->data.payload + p->data.length && crc == p->data.crc);
}

static void read_slabs(array *a)
{
	const int s = a->size[0] > 1 ? 0 : a->size[1] > 1 ? 1 : 2;
	int64_t n = a->chunk[s], most = 1;
	uint64_t piece = 0;

	for (int k = s + 1; k < 3; k++)
		n *= a->size[k];
	most = (INT64_C(1) << 22) / n > 1 ? (INT64_C(1) << 22) / n : 1;
	for (int64_t i = 0; i < a->size[s]; i += most * a->chunk[s]) {
		int64_t from[3] = {0, 0, 0}, to[3] = {a->size[0], a->size[1], a->size[2]};
		from[s] = i;
		to[s] = i + most * a->chunk[s] < to[s] ? i + most * a->chunk[s] : to[s];
		need(a, piece < a->d->piece_count);
		read_slab(a, &a->d->pieces[piece++], from, to);
	}
	need(a, piece == a->d->piece_count);
}

static void read_arry(array *a, const refdec_chunk *c)
{
	refdec *d = a->d;

	d->bits = c->payload;
	d->bits_end = c->payload + c->length;
	need(a, refdec_is_head(c, "ARRY", 71));
	a->type = (uint32_t)take_bytes(a, 1);
	a->dimensions = (uint32_t)take_bytes(a, 1);
	int later = a->type > 7 || a->dimensions < 1 || a->dimensions > 4 || take_bytes(a, 1) > 5;
	for (int i = 63; i < 71; i++)
		later |= c->payload[i] > (i > 63 ? 0 : 3);
	if (later)
		refdec_fail(d, REFDEC_UNSUPPORTED "a value in ARRY");
	a->wide = a->type == 1 || a->type == 4 || a->type == 7;
	uint64_t values = 1, chunk = 1;
	uint64_t volumes = 1;
	a->size[0] = a->size[1] = a->size[2] = 1;
	for (uint32_t k = 0; k < 4; k++) {
		const uint64_t size = a->stored[k] = take_bytes(a, 8);
		need(a, k < a->dimensions ? size && size <= UINT32_MAX : !size);
		if (k >= a->dimensions)
			continue;
		if (values > d->max_pixels / size)
			refdec_fail(d, REFDEC_LIMIT "too many values");
		values *= size;
		if (k + 3 < a->dimensions)
			volumes = size;
		else
			a->size[k + 3 - a->dimensions] = (int64_t)size;
	}
	a->size[0] *= (int64_t)volumes;
	for (int k = 0; k < 3; k++) {
		a->chunk[k] = (int64_t)take_bytes(a, 4);
		need(a, a->chunk[k] >= 1 && a->chunk[k] <= 65536 && a->chunk[k] <= a->size[k]);
		chunk *= (uint64_t)a->chunk[k];
	}
	const double bound = of_bits(1, take_bytes(a, 8)), error = of_bits(1, take_bytes(a, 8));
	need(a, chunk <= 1 << 21 && isfinite(bound) && bound >= 0.0 && isfinite(error) && error >= 0.0);
	a->asked = (int)take_bytes(a, 1);
	a->values = refdec_allocate(d, values, types[a->type].bytes);
	a->cells = refdec_allocate(d, chunk, sizeof *a->cells);
	a->samples = refdec_allocate(d, 1024 * 1024, sizeof *a->samples);
}

static void read_array(array *a)
{
	refdec *d = a->d;
	const uint8_t *p = d->file + 8;
	refdec_chunk c;

	refdec_check_magic(d);
	p = refdec_read_chunk(d, p, &c);
	need(a, !memcmp(c.start, "ARRY", 4));
	read_arry(a, &c);
	for (;;) {
		p = refdec_read_chunk(d, p, &c);
		if (!memcmp(c.start, "INDX", 4))
			refdec_add_index(d, &c);
		else if (!memcmp(c.start, "DATA", 4))
			refdec_add_data(d, &c);
		else if (!memcmp(c.start, "DONE", 4))
			break;
		else if (c.start[0] < 'a')
			refdec_fail_unknown(d);
	}
	need(a, !d->index_open && p == d->end && !c.length);
	read_slabs(a);
}

const char *refdec_decode_array(const uint8_t *file, size_t size, uint64_t max_values,
                                refdec_array *result)
{
	refdec *d = calloc(1, sizeof *d);
	array *a = calloc(1, sizeof *a);
	const char *error = "out of memory";

	*result = (refdec_array){0};
	if (d && a) {
		*d = (refdec){.file = file, .end = file + size, .max_pixels = max_values};
		a->d = d;
		if (!setjmp(d->failed)) {
			read_array(a);
			*result = (refdec_array){.type = a->type, .dimensions = a->dimensions};
			memcpy(result->size, a->stored, sizeof a->stored);
			result->values = a->values;
			a->values = NULL;
		}
		error = d->error;
		free(d->pieces);
		free(a->values);
		free(a->cells);
		free(a->coefficients);
		free(a->magnitudes);
		if (a->dc)
			free(a->dc->cells);
		free(a->dc);
		free(a->samples);
	}
	free(a);
	free(d);
	return error;
}
