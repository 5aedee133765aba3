/* SPDX-License-Identifier: BSD-2-Clause */
/* The side information of a part: predictors, classes of cells, and shapes of frequencies, to bits
 * and back. lossless/encode.c, decode.c and tile.c call it. */
#include <string.h>

#include "lossless/bits.h"
#include "lossless/code.h"

/* ------------------------------------------------------------------ shapes */

/* The differences of indices, folded, in a Rice code whose parameter has two bits. */
enum { PARAMETERS = 4, PARAMETER_BITS = 2 };

static uint32_t folded(const xc_shape_index shape, const xc_shape_index before, int i)
{
	const int d = shape[i] - before[i];
	return (uint32_t)(d < 0 ? -2 * d - 1 : 2 * d);
}

static uint32_t bits_with(const xc_shape_index shape, const xc_shape_index before, unsigned k)
{
	uint32_t bits = PARAMETER_BITS;

	for (int i = 0; i < XC_SYMBOLS; i++)
		bits += (folded(shape, before, i) >> k) + 1 + k;
	return bits;
}

static unsigned best_parameter(const xc_shape_index shape, const xc_shape_index before)
{
	unsigned best = 0;

	for (unsigned k = 1; k < PARAMETERS; k++)
		if (bits_with(shape, before, k) < bits_with(shape, before, best))
			best = k;
	return best;
}

uint32_t xc_shape_bits(const xc_shape_index shape, const xc_shape_index before)
{
	return bits_with(shape, before, best_parameter(shape, before));
}

void xc_put_shape(xc_side_writer *w, const xc_shape_index shape, const xc_shape_index before)
{
	const unsigned k = best_parameter(shape, before);

	xc_put_bits(w, PARAMETER_BITS, k);
	for (int i = 0; i < XC_SYMBOLS; i++)
		xc_put_rice(w, k, folded(shape, before, i));
}

int xc_get_shape(xc_side_reader *r, const xc_shape_index before, xc_shape_index shape)
{
	const unsigned k = xc_get_bits(r, PARAMETER_BITS);

	for (int i = 0; i < XC_SYMBOLS; i++) {
		const uint64_t z = xc_get_rice(r, k, 2 * XC_SHAPE_INDICES);
		const int v = before[i] + ((int)(z >> 1) ^ -(int)(z & 1));
		if (v < 0 || v >= XC_SHAPE_INDICES)
			return 0;
		shape[i] = (uint8_t)v;
	}
	return !r->bad;
}

/* log2(1 + m) is about m + 0.35 m (1 - m). */
uint32_t xc_symbol_cost(uint32_t f)
{
	const unsigned octave = 31 - (unsigned)__builtin_clz(f);
	const uint32_t m = octave > 10 ? (f >> (octave - 10)) & 1023 : (f << (10 - octave)) & 1023;
	const uint32_t log = 64 * octave + (m * 64 + m * (1024 - m) * 22 / 1024) / 1024;

	return 64 * XC_FREQUENCY_BITS - log;
}

uint64_t xc_shape_cost(const uint32_t counts[XC_SYMBOLS], const xc_shape_index shape)
{
	uint16_t f[XC_SYMBOLS];
	uint64_t sum = 0;

	xc_shape_frequencies(shape, f);
	for (int i = 0; i < XC_SYMBOLS; i++)
		if (counts[i])
			sum += (uint64_t)counts[i] * (f[i] ? xc_symbol_cost(f[i]) : 1 << 20);
	return sum;
}

void xc_part_choose_shapes(xc_part *p, int tables, uint32_t (*counts)[2][2048])
{
	for (int c = 0; c < p->planes; c++) {
		const xc_shape_index *builtin = xc_builtin_shapes[c];
		const uint8_t *before = NULL;
		p->own[c] = 0;
		for (int l = 0; l < XC_LEVELS; l++) {
			const uint32_t *n = counts[c][0] + l * XC_SYMBOLS;
			uint32_t some = 0;
			for (int i = 0; i < XC_SYMBOLS; i++)
				some |= n[i];
			uint8_t *shape = p->shapes[c][l];
			memcpy(shape, builtin[l], sizeof *builtin);
			if (!some || !tables)
				continue;
			xc_shape_index own;
			xc_shape_of_counts(n, own);
			const uint32_t table = xc_shape_bits(own, before ? before : builtin[l]);
			if (xc_shape_cost(n, own) + 64 * (uint64_t)table >= xc_shape_cost(n, builtin[l]))
				continue;
			memcpy(shape, own, sizeof own);
			p->own[c] |= 1ULL << l;
			before = shape;
		}
	}
}

static void put_shapes(xc_side_writer *w, const xc_part *p, int c)
{
	const uint64_t own = p->own[c];
	const uint8_t *before = NULL;

	xc_put_bits(w, 1, own != 0);
	if (!own)
		return;
	const int first = __builtin_ctzll(own), last = 63 - __builtin_clzll(own);
	xc_put_bits(w, 6, (uint32_t)first);
	xc_put_bits(w, 6, (uint32_t)last);
	for (int l = first; l <= last; l++) {
		xc_put_bits(w, 1, own >> l & 1);
		if (own >> l & 1) {
			xc_put_shape(w, p->shapes[c][l], before ? before : xc_builtin_shapes[c][l]);
			before = p->shapes[c][l];
		}
	}
}

static int get_shapes(xc_side_reader *r, xc_part *p, int c)
{
	const uint8_t *before = NULL;

	memcpy(p->shapes[c], xc_builtin_shapes[c], sizeof p->shapes[c]);
	p->own[c] = 0;
	if (!xc_get_bits(r, 1))
		return 1;
	const uint32_t first = xc_get_bits(r, 6), last = xc_get_bits(r, 6);
	for (uint32_t l = first; l <= last; l++) {
		if (!xc_get_bits(r, 1))
			continue;
		if (!xc_get_shape(r, before ? before : xc_builtin_shapes[c][l], p->shapes[c][l]))
			return 0;
		p->own[c] |= 1ULL << l;
		before = p->shapes[c][l];
	}
	return !r->bad;
}

/* --------------------------------------------------------------- predictors */

void xc_plane_model_complete(xc_part *p, int plane)
{
	xc_plane_model *m = &p->model[plane];

	m->has_median = 0;
	memset(m->pairs, 0, sizeof m->pairs);
	for (uint32_t k = 0; k < XC_CLASSES; k++) {
		const int8_t *t = m->taps[k];
		m->median[k] = k < m->classes && m->kind[k] == XC_MEDIAN ? -1 : 0;
		m->has_median |= m->median[k];
		if (k >= m->classes || m->median[k])
			continue;
		if (m->kind[k] >= XC_FIXED)
			t = xc_fixed_taps[!p->transform][plane][m->kind[k] - XC_FIXED];
		const int w = (1 << XC_TAP_BITS) - t[0] - t[1] - t[2] - t[3] - t[4] - t[5];
		/* WW W, N NE, NW -, NN NNE */
		const int own[8] = {t[0], w, t[1], t[2], t[3], 0, t[4], t[5]};
		for (int i = 0; i < 4; i++)
			m->pairs[i][k] = (int32_t)((uint16_t)own[2 * i] | (uint32_t)own[2 * i + 1] << 16);
		for (int q = 0; q < plane; q++) {
			const int8_t *e = t + 6 + 3 * q;
			const int before = -(e[0] + e[1] + e[2]);
			m->pairs[4 + 2 * q][k] = (int32_t)((uint16_t)before | (uint32_t)e[0] << 16);
			m->pairs[5 + 2 * q][k] = (int32_t)((uint16_t)e[1] | (uint32_t)e[2] << 16);
		}
	}
}

static unsigned class_bits(uint32_t classes)
{
	return classes > 4 ? 3 : classes > 2 ? 2 : classes - 1;
}

static void put_model(xc_side_writer *w, const xc_part *p, int c)
{
	const xc_plane_model *m = &p->model[c];

	xc_put_bits(w, 1, m->bits != 0);
	if (!m->bits) {
		xc_put_bits(w, 16, (uint16_t)m->value);
		return;
	}
	xc_put_bits(w, 3, m->classes - 1);
	for (uint32_t k = 0; k < m->classes; k++) {
		xc_put_bits(w, 4, m->kind[k]);
		for (int i = 0; i < xc_taps(c) && m->kind[k] == XC_OWN_TAPS; i++)
			xc_put_bits(w, 8, (uint8_t)m->taps[k][i]);
	}
	for (uint32_t i = 0; i < p->cells_wide * p->cells_high && m->classes > 1; i++)
		xc_put_bits(w, class_bits(m->classes), p->class[c][i]);
	put_shapes(w, p, c);
}

static int get_model(xc_side_reader *r, xc_part *p, int c)
{
	xc_plane_model *m = &p->model[c];

	m->bits = xc_get_bits(r, 1) ? p->bits + (p->transform && c > 0) : 0;
	if (!m->bits) {
		/* Nothing is coded, but buckets are made for all planes. */
		memcpy(p->shapes[c], xc_builtin_shapes[c], sizeof p->shapes[c]);
		m->value = (int16_t)xc_get_bits(r, 16);
		return !r->bad;
	}
	m->classes = xc_get_bits(r, 3) + 1;
	for (uint32_t k = 0; k < m->classes; k++) {
		m->kind[k] = (uint8_t)xc_get_bits(r, 4);
		if (m->kind[k] >= XC_FIXED + XC_FIXED_COUNT)
			return 0;
		for (int i = 0; i < xc_taps(c) && m->kind[k] == XC_OWN_TAPS; i++)
			m->taps[k][i] = (int8_t)xc_get_bits(r, 8);
	}
	const uint32_t cells = p->cells_wide * p->cells_high;
	if (m->classes == 1)
		memset(p->class[c], 0, cells);
	for (uint32_t i = 0; i < cells && m->classes > 1; i++) {
		p->class[c][i] = (uint8_t)xc_get_bits(r, class_bits(m->classes));
		if (p->class[c][i] >= m->classes)
			return 0;
	}
	xc_plane_model_complete(p, c);
	return get_shapes(r, p, c);
}

/* ------------------------------------------------------------------- values */

/* The differences of values that occur, less 1, in a Rice code. */
static void put_values(xc_side_writer *w, const xc_part *p)
{
	const uint32_t n = p->value_count;

	xc_put_bits(w, 1, n > 0);
	if (!n)
		return;
	const unsigned k = xc_rice_parameter(p->values[n - 1] / n);
	xc_put_bits(w, 16, n);
	xc_put_bits(w, 4, k);
	for (uint32_t i = 0, next = 0; i < n; next = p->values[i++] + 1U)
		xc_put_rice(w, k, p->values[i] - next);
}

static int get_values(xc_side_reader *r, xc_part *p)
{
	p->value_count = 0;
	if (!xc_get_bits(r, 1))
		return 1;
	if (!p->values)
		return 0;
	const uint32_t n = xc_get_bits(r, 16), k = xc_get_bits(r, 4);
	uint64_t next = 0;
	for (uint32_t i = 0; i < n; i++, next++) {
		next += xc_get_rice(r, k, 65535);
		if (r->bad || next > 65535)
			return 0;
		p->values[i] = (uint16_t)next;
	}
	p->value_count = n;
	return n > 0 && p->bits <= 16 && n > 1U << (p->bits - 1) && n <= 1U << p->bits;
}

/* -------------------------------------------------------------------- parts */

size_t xc_part_side_bound(const xc_part *p)
{
	/* A shape takes less than 16 (98 * 2 + 1) bits with the worst parameter, and the best one is taken. */
	const size_t shapes = XC_LEVELS * (XC_SYMBOLS * (2 * XC_SHAPE_INDICES / 8 + 4) + 8) / 8;
	return (p->value_count ? 65536 / 8 * 3 + 16 : 1) +
	       (size_t)p->planes * (64 + XC_CLASSES * XC_TAPS + shapes) +
	       (size_t)p->planes * p->cells_wide * p->cells_high;
}

uint8_t *xc_part_write(const xc_part *p, uint8_t *out)
{
	xc_side_writer w = {.next = out};

	xc_put_bits(&w, 4, p->bits - 1);
	put_values(&w, p);
	for (int c = 0; c < p->planes; c++)
		put_model(&w, p, c);
	return xc_end_bits(&w);
}

const uint8_t *xc_part_read(xc_part *p, const uint8_t *from, const uint8_t *end)
{
	xc_side_reader r = {from, end, 0, 0, 0};

	p->bits = xc_get_bits(&r, 4) + 1;
	if ((p->transform && p->bits == 16) || !get_values(&r, p))
		return NULL;
	for (int c = 0; c < p->planes; c++)
		if (!get_model(&r, p, c))
			return NULL;
	return r.bad ? NULL : r.next;
}

uint8_t *xc_states_write(const xc_part *p, uint32_t (*states)[16], uint8_t *out)
{
	for (int c = 0; c < p->planes; c++)
		for (uint32_t i = 0; i < 16 && i < p->height && p->model[c].bits; i++)
			out = xc_put_le32(out, states[c][i]);
	return out;
}

const uint8_t *xc_states_read(const xc_part *p, const uint8_t *from, const uint8_t *end,
                              uint32_t (*states)[16])
{
	for (int c = 0; c < p->planes; c++)
		for (uint32_t i = 0; i < 16; i++) {
			states[c][i] = 1 << 16;
			if (i >= p->height || !p->model[c].bits)
				continue;
			if (end - from < 4)
				return NULL;
			states[c][i] = xc_get_le32(from);
			from += 4;
			if (states[c][i] < 1 << 16)
				return NULL;
		}
	return from;
}

/* ------------------------------------------------------------------- tables */

void xc_code_make_tables(const xc_part *p, xc_code_memory *mem)
{
	for (int c = 0; c < p->planes; c++)
		for (int l = 0; l < XC_LEVELS; l++) {
			uint32_t some = 0;
			for (int i = 0; i < XC_SYMBOLS; i++)
				some |= mem->counts[c][0][l * XC_SYMBOLS + i];
			/* Idle lanes look up the first symbol of level 0. */
			if (!some && l)
				continue;
			uint16_t f[XC_SYMBOLS];
			xc_bucket b[XC_SYMBOLS];
			xc_shape_frequencies(p->shapes[c][l], f);
			xc_buckets_make(f, b);
			xc_code_make(f, b, &mem->code[c].symbols[l * XC_SYMBOLS],
			             &mem->code[c].slots[l * XC_FREQUENCY_ONE]);
		}
}
