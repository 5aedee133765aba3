/* SPDX-License-Identifier: BSD-2-Clause */
/* Lossless segments of the reference decoder: one sample or pixel at a time, with neighbours looked
 * up by their place. Numbers in brackets are sections of doc/format.md. Of the library it has the
 * built-in numbers alone, which belong to the format. */
#include <stdlib.h>
#include <string.h>

#include "lossless/part.h"
#include "tests/format/refdec_lossless.h"

void refdec_begin_lossless(refdec *d, uint64_t pixels)
{
	d->lossless = refdec_allocate(d, 1, sizeof *d->lossless + pixels * 8 * sizeof(int32_t));
}

/* ----------------------------------------------------- [7.5] side information */

static void read_values(refdec *d, part *p, int may)
{
	p->values = 0;
	if (!refdec_read_bits(d, 1))
		return;
	const int n = (int)refdec_read_bits(d, 16), k = (int)refdec_read_bits(d, 4);
	need(d, may && n > 1 << (p->bits - 1) && n <= 1 << p->bits);
	for (uint64_t next = 0; p->values < n; next++) {
		next += refdec_read_rice(d, k);
		need(d, next <= 65535);
		p->value[p->values++] = (uint16_t)next;
	}
}

static void read_plane(refdec *d, const part *p, int number, plane *q)
{
	const int h = d->lossless->h;

	q->w = d->lossless->w;
	q->constant = !refdec_read_bits(d, 1);
	q->outside = q->constant ? (int16_t)refdec_read_bits(d, 16) : 0;
	for (int i = 0; i < q->w * h; i++)
		q->v[i] = q->outside;
	memset(q->g, 0, (size_t)(q->w * h) * sizeof *q->g);
	if (q->constant)
		return;
	q->bits = p->bits + (p->transform && number);
	q->classes = (int)refdec_read_bits(d, 3) + 1;
	for (int k = 0; k < q->classes; k++) {
		const int kind = q->kind[k] = (int)refdec_read_bits(d, 4);
		need(d, kind < 10);
		for (int i = 0; i < 6 + 3 * number && kind != 1; i++)
			q->c[k][i] = kind ? xc_fixed_taps[!p->transform][number][kind - 2][i]
			                  : (int8_t)refdec_read_bits(d, 8);
	}
	const int bits = q->classes > 4 ? 3 : q->classes > 2 ? 2 : q->classes - 1;
	for (int i = 0; i < (q->w + 15) / 16 * ((h + 15) / 16); i++) {
		q->class[i] = (uint8_t)refdec_read_bits(d, bits);
		need(d, q->class[i] < q -> classes);
	}
	refdec_read_shapes(d, q->sets, xc_builtin_shapes[number]);
}

static void read_side(refdec *d, part *p, int may_have_values)
{
	d->bit = 7;
	p->bits = (int)refdec_read_bits(d, 4) + 1;
	need(d, !p->transform || p->bits < 16);
	read_values(d, p, may_have_values);
	for (int i = 0; i < p->planes; i++)
		read_plane(d, p, i, &p->plane[i]);
	refdec_end_byte(d);
}

/* -------------------------------------------------------------- [7.7] to [7.10] */

static int g_at(const plane *q, int x, int y)
{
	x -= y < 0 ? 2 : 0;
	return x < 0 || x == q->w ? 0 : q->g[(y < 0 ? 0 : y) * q->w + x];
}

static int distance(int a, int b)
{
	return clamp(abs(a - b), 0, 32767);
}

/* [7.8] */
static int predict(const part *p, int number, int x, int y)
{
	static const int own[6][2] = {{-2, 0}, {0, -1}, {1, -1}, {-1, -1}, {0, -2}, {1, -2}};
	static const int earlier[3][2] = {{0, 0}, {0, -1}, {1, -1}};
	const plane *q = &p->plane[number];
	const int k = q->class[y / 16 * ((q->w + 15) / 16) + x / 16], *c = q->c[k];
	const int half = 1 << (q->bits - 1);
	int w = v_at(q, x - 1, y), sum = 32 + 64 * w;

	if (q->kind[k] == 1)
		return clamp(median(w, v_at(q, x, y - 1), v_at(q, x - 1, y - 1)), -half, half - 1);
	for (int i = 0; i < 6; i++)
		sum += *c++ * (v_at(q, x + own[i][0], y + own[i][1]) - w);
	while (q > p->plane) {
		w = v_at(--q, x - 1, y);
		for (int i = 0; i < 3; i++)
			sum += *c++ * (v_at(q, x + earlier[i][0], y + earlier[i][1]) - w);
	}
	return clamp(sum >> 6, -half, half - 1);
}

/* [7.9] */
static int logarithm(int64_t n)
{
	int o = 0;

	while (n >> (o + 1))
		o++;
	return (int)(((int64_t)o << 23) + ((n - ((int64_t)1 << o)) << (23 - o)));
}

static int level_of(const part *p, int number, int x, int y, int e)
{
	static const int place[5][2] = {{-1, 0}, {-2, 0}, {0, -1}, {1, -1}, {-1, -1}};
	static const int weights[3][9] = {{21, 16, 21, 18, 16, 3, 4, 0, 0},
	                                  {14, 6, 9, 13, 8, 6, 11, 6, 0},
	                                  {13, 5, 9, 9, 8, 4, 6, 12, 4}};
	const plane *q = &p->plane[number];
	const int *a = weights[number], n = v_at(q, x, y - 1);
	int s = a[5] * (distance(n, v_at(q, x - 1, y - 1)) + distance(v_at(q, x + 1, y - 1), n)) +
	        a[6] * distance(v_at(q, x - 1, y), n);

	for (int i = 0; i < 5; i++)
		s += a[i] * g_at(q, x + place[i][0], y + place[i][1]);
	for (int i = 1; i <= number; i++)
		s += a[6 + i] * g_at(q - i, x, y);
	return s ? clamp((logarithm(s) - logarithm(2 * e + 1) - 20258488) >> 21, 0, 63) : 0;
}

/* [7.10] */
static void put_sample(const part *p, int number, int x, int y, int r, int e)
{
	const plane *q = &p->plane[number];
	const int range = 1 << q->bits, half = range / 2;
	const int v = predict(p, number, x, y) + (2 * e + 1) * r + half;

	q->v[y * q->w + x] = (e ? clamp(v, 0, range - 1) : (v % range + range) % range) - half;
	q->g[y * q->w + x] = clamp(abs((2 * e + 1) * r), 0, 32767);
}

/* [7.6] Step t of a plane in the bundle that begins at row y: all symbols, then all raw bits. */
static void decode_step(refdec *d, const part *p, int number, int y, int t, uint32_t *state, int e)
{
	const plane *q = &p->plane[number];
	int level[16], symbol[16];

	for (int k = 0; k < 32; k++) {
		const int i = k % 16, x = t - number - 2 * i;
		if (y + i >= d->lossless->h || x < 0 || x >= q->w)
			continue;
		if (k < 16) {
			level[i] = level_of(p, number, x, y + i, e);
			symbol[i] = refdec_take_symbol(d, &state[i], &q->sets[level[i]]);
		} else {
			const int c = level[i] > 19 ? (level[i] - 19) / 4 : 0;
			put_sample(p, number, x, y + i, take_residue(d, &state[i], symbol[i], c, q->bits), e);
		}
	}
}

static void decode_part(refdec *d, const part *p, int e)
{
	refdec_lossless *l = d->lossless;

	for (int y = 0; y < l->h; y += 16)
		for (int t = 0; t < l->w + 2 + 2 * 15; t++)
			for (int i = p->planes - 1; i >= 0; i--)
				if (!p->plane[i].constant)
					decode_step(d, p, i, y, t, l->state[i], e);
}

/* [7.4] The states of a part. */
static void own_states(refdec *d, const part *p, int end)
{
	for (int i = 0; i < p->planes; i++)
		take_states(d, d->lossless->state[i], p->plane[i].constant ? 0 : 16, end);
}

/* [7.4] */
static void put_part(const refdec_lossless *l, const part *p, const refdec_rectangle *r,
                     uint32_t channel, uint16_t *samples)
{
	static const uint32_t channels[3] = {1, 0, 2};

	for (int i = 0; i < l->w * l->h; i++, samples += r->channels) {
		int v[3] = {p->plane[0].v[i]};
		for (int k = 1; k < p->planes; k++)
			v[k] = p->plane[k].v[i];
		if (p->transform) {
			v[0] -= (v[1] + v[2]) >> 2;
			v[1] = (int16_t)(v[1] + v[0]);
			v[2] = (int16_t)(v[2] + v[0]);
			v[0] = (int16_t)v[0];
		}
		for (int k = 0; k < p->planes; k++) {
			const int n = v[k] + (1 << (p->bits - 1)), last = p->values - 1;
			samples[p->planes == 3 ? channels[k] : channel] =
				(uint16_t)(p->values       ? p->value[n < 0 || n > last ? last : n]
			               : r->depth == 8 ? n & 255
			                               : n);
		}
	}
}

/* [7.4] */
void refdec_read_parts(refdec *d, const refdec_rectangle *r, uint32_t form, uint16_t *samples)
{
	refdec_lossless *l = d->lossless;
	const uint8_t *end = d->bits_end;
	const int parts = r->channels % 2 ? 1 : 2;
	int32_t *numbers = l->numbers;

	for (int k = 0; k < parts; k++) {
		const int e = k ? 0 : (int)r->max_error;
		part *p = &l->parts[k];
		p->planes = !k && r->channels > 2 ? 3 : 1;
		p->transform = !k && form == 3;
		for (int i = 0; i < p->planes; i++, numbers += 2 * l->w * l->h) {
			p->plane[i].v = numbers;
			p->plane[i].g = numbers + l->w * l->h;
		}
		if (!k && parts == 2) {
			const uint32_t size = refdec_read_u32(d);
			need(d, size <= d->bits_end - d->bits);
			d->bits_end = d->bits + size;
		}
		read_side(d, p, r->depth == 16 && !e);
		own_states(d, p, 0);
		decode_part(d, p, e);
		own_states(d, p, 1);
		need(d, d->bits == d->bits_end);
		d->bits_end = end;
	}
	for (int k = 0; k < parts; k++)
		put_part(l, &l->parts[k], r, k ? r->channels - 1 : 0, samples);
}

/* [7.1] */
void refdec_read_lossless(refdec *d, const refdec_rectangle *r, uint16_t *samples)
{
	refdec_lossless *l = d->lossless;
	const uint64_t n = (uint64_t)r->width * r->height * r->channels, bytes = n * (r->depth / 8);
	const uint64_t size = (uint64_t)(d->bits_end - d->bits);
	const uint32_t form = size ? *d->bits++ : 255;

	need(d, size <= bytes + 1);
	l->w = (int)r->width;
	l->h = (int)r->height;
	if (form == 0) {
		need(d, size == bytes + 1);
		for (uint64_t i = 0; i < n; i++, d->bits += r->depth / 8)
			samples[i] = (uint16_t)(r->depth == 8 ? *d->bits : refdec_u16(d->bits));
	} else if (form == 4 || form == 20) {
		refdec_read_drawing(d, r, form, samples);
	} else {
		need(d, form == 1 || (form == 3 && r->channels > 2));
		refdec_read_parts(d, r, form, samples);
	}
	need(d, d->bits == d->bits_end);
}

const char *refdec_decode_lossless(const uint32_t shape[5], const uint8_t *segment, size_t size,
                                   uint16_t *samples)
{
	refdec *d = calloc(1, sizeof *d);

	if (!d)
		return "out of memory";
	d->bits = segment;
	d->bits_end = segment + size;
	if (!setjmp(d->failed)) {
		refdec_begin_lossless(d, (uint64_t)shape[0] * shape[1]);
		refdec_read_lossless(d,
		                     &(refdec_rectangle){shape[0], shape[1], shape[2], shape[3], shape[4]},
		                     samples);
	}
	const char *error = d->error;
	free(d->lossless);
	free(d);
	return error;
}
