/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tiles to segments and back, for one SIMD level: samples to centred planes, constant planes, the
 * choice between ways to code. src/encode/ and src/decode/ call it by xc_lossless_level_get().
 */
#include <stdlib.h>
#include <string.h>

#include "lossless/bits.h"
#include "lossless/code.h"
#include "lossless/draw.h"

/* The first byte of a segment. */
enum {
	STORED = 0,    /* samples as they are */
	PREDICTED = 1, /* parts follow */
	COLOURS = 2,   /* added: the first three planes are those of the reversible transform */
	DRAWN = 4,     /* a drawing follows */
	SQUARES = 16   /* added: before it squares of it, as a predicted segment */
};

enum { ALIGN = 64, BUNDLE = 16 };

static size_t aligned(size_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* A piece of scratch. */
static void *take(uint8_t **memory, size_t n)
{
	void *p = *memory;

	*memory += aligned(n);
	return p;
}

static uint32_t colours_of(const xc_lossless_shape *s)
{
	return s->channels - (s->channels % 2 == 0);
}

/* Planes of the largest part. */
static int most_planes(const xc_lossless_shape *s)
{
	return s->channels > 2 ? XC_PLANES : 1;
}

static size_t raw_bytes(const xc_lossless_shape *s)
{
	return (size_t)s->width * s->height * s->channels * (s->depth / 8);
}

static ptrdiff_t stride_of(const xc_lossless_shape *s)
{
	return (ptrdiff_t)((s->width + 3 * XC_MARGIN + 31) / 32 * 32);
}

/* Bytes of a plane of which some rows are in memory. */
static size_t plane_bytes(const xc_lossless_shape *s, uint32_t rows)
{
	return aligned((size_t)stride_of(s) * (rows + 4) * sizeof(int16_t));
}

static size_t cells_of(const xc_lossless_shape *s)
{
	return (size_t)((s->width + XC_CELL - 1) / XC_CELL) * ((s->height + XC_CELL - 1) / XC_CELL);
}

static size_t squares_of(const xc_lossless_shape *s)
{
	return (size_t)xc_draw_squares(s->width) * xc_draw_squares(s->height);
}

/* The most by which samples of the part from this channel on may be off. Alpha beside colours is exact. */
static uint32_t part_error(const xc_lossless_shape *s, uint32_t first)
{
	return first ? 0 : s->max_error;
}

/* Bytes of all values of a part, or of all numbers of values: none if it is not exact. */
static size_t values_bytes(const xc_lossless_shape *s, uint32_t first)
{
	return s->depth == 16 && !part_error(s, first) ? 65536 * sizeof(uint16_t) : 0;
}

/* Bytes of the memory of a part: planes, classes, shapes. */
static size_t part_bytes(const xc_lossless_shape *s, uint32_t rows)
{
	return (size_t)most_planes(s) * (plane_bytes(s, rows) + aligned(cells_of(s))) +
	       aligned(XC_PLANES * XC_LEVELS * sizeof(xc_shape_index)) +
	       2 * values_bytes(s, s->channels % 2 ? 0 : s->channels - 1);
}

/* first: its first channel. */
static void part_begin(xc_part *p, const xc_lossless_shape *s, uint32_t first, uint32_t rows,
                       uint8_t **memory)
{
	const int planes = first ? 1 : (int)colours_of(s);

	memset(p, 0, sizeof *p);
	p->width = s->width;
	p->height = s->height;
	p->cells_wide = (s->width + XC_CELL - 1) / XC_CELL;
	p->cells_high = (s->height + XC_CELL - 1) / XC_CELL;
	p->planes = planes;
	p->near = (int)part_error(s, first);
	for (int c = 0; c < planes; c++) {
		int16_t *memory16 = take(memory, plane_bytes(s, rows));
		p->samples[c].stride = stride_of(s);
		p->samples[c].first = memory16 + 3 * stride_of(s) + XC_MARGIN;
		p->class[c] = take(memory, cells_of(s));
	}
	p->shapes = take(memory, XC_PLANES * XC_LEVELS * sizeof(xc_shape_index));
	p->values = values_bytes(s, first) ? take(memory, 2 * values_bytes(s, first)) : NULL;
}

/* ----------------------------------------------------------------- encoding */

static size_t records_bytes(const xc_lossless_shape *s)
{
	const size_t bundles = (s->height + 15) / 16;
	return aligned(bundles * (s->width + 30 + 16) * (size_t)most_planes(s) * 64);
}

static size_t words_bytes(const xc_lossless_shape *s)
{
	return aligned((size_t)s->width * s->height * (size_t)most_planes(s) * 4 + 64);
}

static size_t code_bytes(const xc_lossless_shape *s)
{
	return sizeof(xc_code_memory) + (size_t)most_planes(s) * sizeof(xc_code_plane);
}

static size_t coded_bytes(const xc_lossless_shape *s)
{
	const xc_part p = {.planes = most_planes(s),
	                   .cells_wide = (uint32_t)cells_of(s),
	                   .cells_high = 1,
	                   .value_count = 1};
	const size_t parts = s->channels % 2 ? 1 : 2;
	return aligned(parts * (words_bytes(s) + xc_part_side_bound(&p) + 256));
}

static int may_be_drawn(const xc_lossless_shape *s)
{
	return xc_draw_fits(s) && !s->max_error;
}

/* Two drawings, one of them with predicted squares. */
static size_t drawn_bytes(const xc_lossless_shape *s)
{
	enum { HEAD = XC_DRAW_SQUARES / 8 + 8 };
	return may_be_drawn(s) ? aligned(2 * raw_bytes(s) + HEAD + coded_bytes(s)) : 0;
}

/* Samples whose clear pixels have no colours; those of squares. */
static size_t cleared_bytes(const xc_lossless_shape *s)
{
	return s->channels % 2 ? 0 : aligned(raw_bytes(s));
}

static size_t copy_bytes(const xc_lossless_shape *s)
{
	return may_be_drawn(s) ? aligned(raw_bytes(s)) : 0;
}

/* Prediction and drawings follow each other, in the same memory. */
size_t XC_LEVEL(xc_tile_encode_scratch)(const xc_lossless_shape *s)
{
	const size_t predicts = part_bytes(s, s->height) + aligned(code_bytes(s)) + records_bytes(s) +
	                        words_bytes(s) + aligned(cells_of(s) * XC_FIT_CELL_BYTES);
	const size_t draws = may_be_drawn(s) ? XC_LEVEL(xc_draw_encode_scratch)(s) : 0;

	return coded_bytes(s) + drawn_bytes(s) + cleared_bytes(s) + copy_bytes(s) + ALIGN +
	       (predicts > draws ? predicts : draws);
}

/* What is not a sample of the tile but is predicted from: see doc/format.md. */
static void fill_margins(const xc_part *p, int c)
{
	const xc_plane16 *s = &p->samples[c];
	const ptrdiff_t stride = s->stride, w = (ptrdiff_t)p->width;
	int16_t *first = s->first;

	for (ptrdiff_t x = -2; x <= w + XC_CELL; x++)
		first[x - stride] = first[x - 2 * stride] = x < 2 ? 0 : first[x - 2 < w ? x - 2 : w - 1];
	for (ptrdiff_t y = 0; y < (ptrdiff_t)p->height; y++) {
		int16_t *row = first + y * stride;
		row[-1] = y > 0 ? row[-stride] : 0;
		row[-2] = y > 1 ? row[-2 * stride] : 0;
		for (int i = 0; i < XC_CELL; i++)
			row[w + i] = row[w - 1];
	}
}

/* The number of bits of the largest sample of some channels. */
static uint32_t bits_of_channels(const xc_lossless_shape *s, const void *samples, size_t stride,
                                 uint32_t first, uint32_t end)
{
	const size_t n = (size_t)s->width * s->channels;
	uint32_t all = 0;

	for (uint32_t y = 0; y < s->height && !(all >> (s->depth - 1)); y++) {
		const uint8_t *row = (const uint8_t *)samples + y * stride;
		const uint16_t *row16 = (const void *)row;
		for (uint32_t c = first; c < end; c++)
			for (size_t x = c; x < n; x += s->channels)
				all |= s->depth == 8 ? row[x] : row16[x];
	}
	return all ? 32 - (uint32_t)__builtin_clz(all) : 1;
}

/* Lists the values that occur if they are at most half of those up to the largest one; sets the
 * number of each. Returns the number of values, or 0. */
static uint32_t find_values(const xc_lossless_shape *s, const void *samples, size_t stride,
                            uint32_t first, uint32_t end, uint16_t *values, uint16_t *numbers)
{
	const size_t n = (size_t)s->width * s->channels;
	uint32_t count = 0, largest = 0;

	memset(numbers, 0, values_bytes(s, first));
	for (uint32_t y = 0; y < s->height; y++) {
		const uint16_t *row = (const void *)((const uint8_t *)samples + y * stride);
		for (uint32_t c = first; c < end; c++)
			for (size_t x = c; x < n; x += s->channels)
				numbers[row[x]] = 1;
	}
	for (uint32_t v = 0; v < 65536; v++)
		if (numbers[v]) {
			largest = v;
			values[count] = (uint16_t)v;
			numbers[v] = (uint16_t)count++;
		}
	return count > 1 && count <= (largest + 1) / 2 ? count : 0;
}

static void take_numbers(const uint16_t *from, size_t step, size_t n, int middle,
                         const uint16_t *numbers, int16_t *to)
{
	for (size_t x = 0; x < n; x++)
		to[x] = (int16_t)(numbers[from[x * step]] - middle);
}

/* The samples of a row, one channel of `step`. */
static void take8(const uint8_t *from, size_t step, size_t n, int middle, int16_t *to)
{
	for (size_t x = 0; x < n; x++)
		to[x] = (int16_t)(from[x * step] - middle);
}

static void take16(const uint16_t *from, size_t step, size_t n, int middle, int16_t *to)
{
	for (size_t x = 0; x < n; x++)
		to[x] = (int16_t)(from[x * step] - middle);
}

/* G, R and B to those of the reversible transform of JPEG 2000. */
static void transform_row(int16_t *a, int16_t *b, int16_t *c, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		const int u = c[x] - a[x], v = b[x] - a[x];
		a[x] = (int16_t)(a[x] + ((u + v) >> 2));
		b[x] = (int16_t)v;
		c[x] = (int16_t)u;
	}
}

/* The same of samples of eight bits at once; step, a constant, is 3 or 4. */
static inline __attribute__((always_inline)) void take_colours(const uint8_t *from, const int step,
                                                               size_t n, int middle, int16_t *a,
                                                               int16_t *b, int16_t *c)
{
	for (size_t x = 0; x < n; x++, from += step) {
		const int g = from[1], v = from[0] - g, u = from[2] - g;
		a[x] = (int16_t)(g - middle + ((u + v) >> 2));
		b[x] = (int16_t)v;
		c[x] = (int16_t)u;
	}
}

/* Sets the planes of channels first to first + planes - 1; colours as G, R, B. */
static void load_part(xc_part *p, const xc_lossless_shape *s, const void *samples, size_t stride,
                      uint32_t first)
{
	static const uint32_t order[3] = {1, 0, 2};
	const uint32_t end = first + (uint32_t)p->planes;
	uint32_t bits = bits_of_channels(s, samples, stride, first, end);
	uint16_t *numbers = p->values ? p->values + 65536 : NULL;
	if (numbers)
		p->value_count = find_values(s, samples, stride, first, end, p->values, numbers);
	if (p->value_count)
		bits = 32 - (uint32_t)__builtin_clz(p->value_count - 1);
	const int transform = p->planes == 3 && !p->near && bits < 16;

	p->bits = bits;
	p->transform = transform;
	for (uint32_t y = 0; y < s->height; y++) {
		const uint8_t *row = (const uint8_t *)samples + y * stride;
		int16_t *to[XC_PLANES] = {0};
		for (int c = 0; c < p->planes; c++)
			to[c] = p->samples[c].first + (ptrdiff_t)y * p->samples[c].stride;
		if (transform && s->depth == 8) {
			if (s->channels == 3)
				take_colours(row, 3, s->width, 1 << (bits - 1), to[0], to[1], to[2]);
			else
				take_colours(row, 4, s->width, 1 << (bits - 1), to[0], to[1], to[2]);
			continue;
		}
		for (int c = 0; c < p->planes; c++) {
			const uint32_t channel = p->planes == 3 ? order[c] : first;
			if (s->depth == 8)
				take8(row + channel, s->channels, s->width, 1 << (bits - 1), to[c]);
			else if (p->value_count)
				take_numbers((const uint16_t *)(const void *)row + channel, s->channels, s->width,
				             1 << (bits - 1), numbers, to[c]);
			else
				take16((const uint16_t *)(const void *)row + channel, s->channels, s->width,
				       1 << (bits - 1), to[c]);
		}
		if (transform)
			transform_row(to[0], to[1], to[2], s->width);
	}
	for (int c = 0; c < p->planes; c++) {
		int same = 1;
		const int16_t *row = p->samples[c].first;
		const int16_t value = row[0];
		for (uint32_t y = 0; y < s->height && same; y++, row += p->samples[c].stride)
			for (uint32_t x = 0; x < s->width; x++)
				same &= row[x] == value;
		p->model[c].bits = same ? 0 : bits + (transform && c > 0);
		if (same)
			p->model[c].value = value;
		fill_margins(p, c);
	}
}

/* Copies samples with colours 0 where alpha is 0. */
static void clear_pixels(const xc_lossless_shape *s, const void *samples, size_t stride,
                         uint8_t *to)
{
	static const uint8_t zero[2] = {0};
	const size_t bytes = s->depth / 8, pixel = s->channels * bytes, row = s->width * pixel;

	for (uint32_t y = 0; y < s->height; y++, to += row) {
		memcpy(to, (const uint8_t *)samples + y * stride, row);
		for (size_t x = 0; x < row; x += pixel)
			if (!memcmp(to + x + pixel - bytes, zero, bytes))
				memset(to + x, 0, pixel);
	}
}

/* Samples as the machine has them to bytes whose lowest comes first, and back. */
static void copy_samples(uint8_t *to, const uint8_t *from, size_t bytes, uint32_t depth)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || depth == 8)
		memcpy(to, from, bytes);
	else
		for (size_t i = 0; i < bytes; i++)
			to[i] = from[i ^ 1];
}

static size_t store_samples(const xc_lossless_shape *s, const void *samples, size_t stride,
                            uint8_t *out)
{
	const size_t row = (size_t)s->width * s->channels * (s->depth / 8);

	*out++ = STORED;
	for (uint32_t y = 0; y < s->height; y++, out += row)
		copy_samples(out, (const uint8_t *)samples + y * stride, row, s->depth);
	return 1 + s->height * row;
}

/* Where a tile is coded. */
typedef struct work {
	const xc_lossless_shape *shape;
	const xc_lossless_options *options;
	uint8_t *coded, *drawn; /* segments */
	uint8_t *copy;          /* of samples of squares */
	uint8_t *rest;
} work;

/* Codes samples by prediction into w->coded. */
static size_t predict(const work *w, const void *samples, size_t stride)
{
	const xc_lossless_shape *s = w->shape;
	const uint32_t colours = colours_of(s);
	uint8_t *to = w->coded + 1, *memory = w->rest;
	xc_code_memory *mem = take(&memory, code_bytes(s));
	void *fit = take(&memory, cells_of(s) * XC_FIT_CELL_BYTES);

	mem->records = take(&memory, records_bytes(s));
	mem->words_end = (uint8_t *)take(&memory, words_bytes(s)) + words_bytes(s) - 64;
	w->coded[0] = PREDICTED;
	for (uint32_t first = 0; first < s->channels; first += colours) {
		uint8_t *rest = memory;
		xc_part p;
		part_begin(&p, s, first, s->height, &rest);
		load_part(&p, s, samples, stride, first);
		w->coded[0] |= p.transform ? COLOURS : 0;
		XC_LEVEL(xc_part_fit)(&p, w->options->effort, fit);
		uint8_t *at = first == 0 && s->channels > colours ? to + 4 : to;
		const size_t n = XC_LEVEL(xc_part_encode)(&p, w->options->effort > 0, mem, at);
		if (at != to)
			xc_put_le32(to, (uint32_t)n);
		to = at + n;
	}
	return (size_t)(to - w->coded);
}

/* Copies the squares of a drawing that are given; the others become 0. */
static void copy_squares(const work *w, const uint8_t *given, const uint8_t *samples, size_t stride)
{
	const xc_lossless_shape *s = w->shape;
	const size_t pixel = s->channels * (s->depth / 8), row = s->width * pixel;
	const size_t square = XC_DRAW_SQUARE * pixel, wide = (row + square - 1) / square;

	memset(w->copy, 0, s->height * row);
	for (uint32_t y = 0; y < s->height; y++)
		for (size_t i = 0; i < wide; i++)
			if (given[y / XC_DRAW_SQUARE * wide + i])
				memcpy(w->copy + y * row + i * square, samples + y * stride + i * square,
				       row - i * square < square ? row - i * square : square);
}

static uint8_t *put_squares(const uint8_t *given, size_t n, uint8_t *to)
{
	for (size_t i = 0; i < n; i++) {
		if (i % 8 == 0)
			*to = 0;
		*to |= (uint8_t)(given[i] << i % 8);
		to += i % 8 == 7 || i + 1 == n;
	}
	return to;
}

/* Codes a drawing whose busy squares are predicted, to `to`. Returns its bytes, or 0. */
static size_t draw_squares(const work *w, const void *samples, size_t stride, const uint8_t *busy,
                           uint8_t *to, size_t limit)
{
	const xc_lossless_shape *s = w->shape;
	uint8_t *const first = to;

	copy_squares(w, busy, samples, stride);
	const size_t predicted = predict(w, w->copy, raw_bytes(s) / s->height);
	*to++ = DRAWN | SQUARES;
	to = put_squares(busy, squares_of(s), to);
	to = xc_put_le32(to, (uint32_t)predicted);
	memcpy(to, w->coded, predicted);
	to += predicted;
	XC_LEVEL(xc_draw_look)(s, samples, stride, busy, w->rest, NULL);
	const size_t drawn = XC_LEVEL(xc_draw_code)(samples, stride, w->rest, to, limit);
	return drawn ? (size_t)(to - first) + drawn : 0;
}

/* How a tile is tried as a drawing. */
enum { WHOLE = 1, BY_SQUARES = 2 };

/* What cannot win is not tried: squares where few or all of them are busy, the whole drawing where
 * many are, and neither where next to nothing is flat or the other squares have many escapes, too, as
 * photographs. Measured on screens, pages with photographs, cuts with alpha and photographs. Small
 * tiles and effort 3 try all. */
static int ways_to_draw(const work *w, const xc_draw_found *f)
{
	enum { FEW_SQUARES = 16 };
	const size_t squares = squares_of(w->shape), n = (size_t)w->shape->width * w->shape->height;

	if (squares > FEW_SQUARES && w->options->effort < 3) {
		if (f->pixels > n / 10 * 9 && f->escapes > n / 10)
			return 0;
		if (f->busy_count * 32 < squares)
			return WHOLE;
		if (f->busy_count * 8 > squares && f->busy_count < squares)
			return f->quiet_escapes * 5 > f->quiet_pixels ? 0 : BY_SQUARES;
	}
	return f->busy_count && f->busy_count < squares ? WHOLE | BY_SQUARES : WHOLE;
}

/* Codes a drawing into w->drawn; `limit` is the most that it may take. Returns its bytes, or 0. */
static size_t draw(const work *w, const void *samples, size_t stride, size_t limit,
                   xc_draw_found *found)
{
	size_t n = 0, both = 0;

	XC_LEVEL(xc_draw_look)(w->shape, samples, stride, NULL, w->rest, found);
	const int ways = ways_to_draw(w, found);
	if (ways & WHOLE) {
		w->drawn[0] = DRAWN;
		n = XC_LEVEL(xc_draw_code)(samples, stride, w->rest, w->drawn + 1, limit);
		n += n > 0;
	}
	if (ways & BY_SQUARES)
		both = draw_squares(w, samples, stride, found->busy, w->drawn + n, limit);
	if (!both || (n && n <= both))
		return n;
	memmove(w->drawn, w->drawn + n, both);
	return both;
}

/* The samples of every eighth row as load_part() has them, and those above; an estimate of the bytes
 * of a predicted segment from the medians of W, N and W + N - NW. A residue of n bits takes 2 n + 1/2 of
 * them. No predicted segment took less than 0.65 of the estimate, on drawings of all kinds. */
static uint64_t estimate_row(const int16_t *row, const int16_t *up, uint32_t width)
{
	uint32_t sum = 0;

	for (uint32_t x = 1; x < width; x++) {
		const int w = row[x - 1], n = up[x], v = w + n - up[x - 1];
		const int low = w < n ? w : n, high = w < n ? n : w;
		const int d = abs(row[x] - (v < low ? low : v > high ? high : v));
		const float f = (float)d;
		int32_t bits;
		memcpy(&bits, &f, sizeof bits);
		sum += d ? 4 * (uint32_t)((bits >> 23) - 127) + 5 : 0;
	}
	return sum;
}

static size_t estimate(const xc_lossless_shape *s, const void *samples, size_t stride)
{
	enum { STEP = 8 };
	int16_t rows[4][2][XC_LOSSLESS_SIDE];
	uint64_t halves = 0;

	for (uint32_t y = STEP / 2; y < s->height; y += STEP) {
		for (uint32_t i = 0; i < 2; i++) {
			const uint8_t *row = (const uint8_t *)samples + (y - i) * stride;
			for (uint32_t c = 0; c < s->channels; c++)
				if (s->depth == 8)
					take8(row + c, s->channels, s->width, 0, rows[c][i]);
				else
					take16((const uint16_t *)(const void *)row + c, s->channels, s->width, 1 << 15,
					       rows[c][i]);
			if (s->channels > 2)
				transform_row(rows[1][i], rows[0][i], rows[2][i], s->width);
		}
		for (uint32_t c = 0; c < s->channels; c++)
			halves += estimate_row(rows[c][0], rows[c][1], s->width);
	}
	return (size_t)(halves * STEP / 16);
}

/* 1: a drawing needs no predicted segment beside it. On the drawings that were measured none with
 * squares below 0.9 of the estimate was larger than the predicted segment, none that is flat in half
 * of its pixels below 1.2, and no other one below 0.75; of one channel, as smooth edges are, none
 * below 0.65. The estimate does not know how few values of 16 bits may occur. */
static int is_surely_smaller(const work *w, const void *samples, size_t stride, size_t drawn,
                             const xc_draw_found *f)
{
	enum { SURELY = 200 }; /* samples' bytes by those of a drawing of which nothing more is asked */
	const xc_lossless_shape *s = w->shape;

	if (drawn < raw_bytes(s) / SURELY)
		return 1;
	if (w->options->effort > 2 || s->depth > 8)
		return 0;
	const int flat = f->pixels < s->width * s->height / 2;
	const size_t hundredths = s->channels == 1 ? 65 : w->drawn[0] & SQUARES ? 90 : flat ? 120 : 75;
	return drawn * 100 < estimate(s, samples, stride) * hundredths;
}

size_t XC_LEVEL(xc_tile_encode)(const xc_lossless_shape *s, const xc_lossless_options *o,
                                const void *samples, size_t stride, void *scratch, uint8_t *out)
{
	uint8_t *memory = (uint8_t *)(((uintptr_t)scratch + ALIGN - 1) / ALIGN * ALIGN);
	const size_t limit = raw_bytes(s);
	work w = {.shape = s, .options = o};
	xc_draw_found found;
	size_t drawn = 0;

	w.coded = take(&memory, coded_bytes(s));
	w.drawn = take(&memory, drawn_bytes(s));
	w.copy = take(&memory, copy_bytes(s));
	if (o->clear_transparent && s->channels % 2 == 0) {
		uint8_t *const cleared = take(&memory, cleared_bytes(s));
		clear_pixels(s, samples, stride, cleared);
		samples = cleared;
		stride = limit / s->height;
	}
	w.rest = memory;
	if (o->drawing && may_be_drawn(s))
		drawn = draw(&w, samples, stride, limit, &found);
	if (drawn > limit)
		drawn = 0;
	const int surely = drawn && is_surely_smaller(&w, samples, stride, drawn, &found);
	const size_t size = surely ? 0 : predict(&w, samples, stride);
	if (surely || (drawn && drawn < size)) {
		memcpy(out, w.drawn, drawn);
		return drawn;
	}
	if (size > limit)
		return store_samples(s, samples, stride, out);
	memcpy(out, w.coded, size);
	return size;
}

/* ----------------------------------------------------------------- decoding */

size_t XC_LEVEL(xc_tile_decode_scratch)(const xc_lossless_shape *s)
{
	return part_bytes(s, BUNDLE) + aligned(sizeof(xc_decode_memory)) + ALIGN +
	       XC_LEVEL(xc_draw_decode_scratch)(s);
}

static int load_stored(const xc_lossless_shape *s, const uint8_t *data, size_t size, void *samples,
                       size_t stride)
{
	const size_t row = (size_t)s->width * s->channels * (s->depth / 8);

	if (size != s->height * row)
		return 0;
	for (uint32_t y = 0; y < s->height; y++)
		copy_samples((uint8_t *)samples + y * stride, data + y * row, row, s->depth);
	return 1;
}

static void scatter8(const int16_t *from, size_t step, size_t n, int middle, uint8_t *to)
{
	for (size_t x = 0; x < n; x++)
		to[x * step] = (uint8_t)(from[x] + middle);
}

static void scatter16(const int16_t *from, size_t step, size_t n, int middle, uint16_t *to)
{
	for (size_t x = 0; x < n; x++)
		to[x * step] = (uint16_t)(from[x] + middle);
}

static void put_values(const int16_t *from, size_t step, size_t n, int middle,
                       const uint16_t *values, uint32_t count, uint16_t *to)
{
	for (size_t x = 0; x < n; x++) {
		const uint32_t i = (uint32_t)(from[x] + middle);
		to[x * step] = values[i < count ? i : count - 1];
	}
}

/* (b + c) >> 2 without a seventeenth bit. */
static inline int16_t quarter(int16_t b, int16_t c)
{
	return (int16_t)((b >> 2) + (c >> 2) + (((b & 3) + (c & 3)) >> 2));
}

/* G, R and B of the reversible transform's, modulo 2^16. */
static void inverse_row(int16_t *restrict a, int16_t *restrict b, int16_t *restrict c, size_t n)
{
	for (size_t x = 0; x < n; x++) {
		const int16_t v = b[x], u = c[x];
		const int16_t g = (int16_t)(a[x] - quarter(v, u));
		a[x] = g;
		b[x] = (int16_t)(v + g);
		c[x] = (int16_t)(u + g);
	}
}

/* G, R and B, or those of the transform, to pixels of three bytes. */
static void interleave8(const int16_t *restrict a, const int16_t *restrict b,
                        const int16_t *restrict c, size_t n, int middle, int transform,
                        uint8_t *restrict to)
{
	for (size_t x = 0; x < n; x++) {
		const int16_t v = b[x], u = c[x];
		const int16_t g = (int16_t)((transform ? a[x] - quarter(v, u) : a[x]) + middle);
		to[3 * x] = (uint8_t)(transform ? v + g : v + middle);
		to[3 * x + 1] = (uint8_t)g;
		to[3 * x + 2] = (uint8_t)(transform ? u + g : u + middle);
	}
}

static void fill_constant(const xc_part *p, int c, uint32_t rows)
{
	for (uint32_t y = 0; y < rows; y++)
		for (uint32_t x = 0; x < p->width; x++)
			p->samples[c].first[(ptrdiff_t)y * p->samples[c].stride + x] =
				(int16_t)p->model[c].value;
}

/* Where samples of a part go. */
typedef struct place {
	const xc_lossless_shape *shape;
	uint8_t *samples;
	size_t stride;
	uint32_t channel; /* the first one */
} place;

static void save_rows(const xc_part *p, uint32_t rows, void *to)
{
	static const uint32_t order[3] = {1, 0, 2};
	const place *at = to;
	const xc_lossless_shape *s = at->shape;
	const int middle = 1 << (p->bits - 1);

	for (int c = 0; c < p->planes; c++)
		if (!p->model[c].bits)
			fill_constant(p, c, rows);
	for (uint32_t y = 0; y < rows; y++) {
		uint8_t *row = at->samples + (p->first_row + y) * at->stride;
		int16_t *from[XC_PLANES] = {0};
		for (int c = 0; c < p->planes; c++)
			from[c] = p->samples[c].first + (ptrdiff_t)y * p->samples[c].stride;
		if (s->depth == 8 && s->channels == 3) {
			interleave8(from[0], from[1], from[2], s->width, middle, p->transform, row);
			continue;
		}
		if (p->transform)
			inverse_row(from[0], from[1], from[2], s->width);
		for (int c = 0; c < p->planes; c++) {
			const uint32_t channel = p->planes == 3 ? order[c] : at->channel;
			uint16_t *row16 = (uint16_t *)(void *)row;
			if (s->depth == 8)
				scatter8(from[c], s->channels, s->width, middle, row + channel);
			else if (p->value_count)
				put_values(from[c], s->channels, s->width, middle, p->values, p->value_count,
				           row16 + channel);
			else
				scatter16(from[c], s->channels, s->width, middle, row16 + channel);
		}
	}
}

/* Decodes the parts of a predicted segment. */
static int unpredict(const xc_lossless_shape *s, const uint8_t *data, size_t size, uint8_t *memory,
                     void *samples, size_t stride)
{
	xc_decode_memory *mem = take(&memory, sizeof *mem);
	const uint32_t colours = colours_of(s);
	const uint8_t *end = data + size, *at = data + 1;

	if (!size || (data[0] != PREDICTED && (data[0] != (PREDICTED | COLOURS) || colours < 3)))
		return 0;
	for (uint32_t first = 0; first < s->channels; first += colours) {
		uint8_t *rest = memory;
		const uint8_t *part_end = end;
		xc_part p;
		part_begin(&p, s, first, BUNDLE, &rest);
		p.transform = !first && p.planes == 3 && data[0] & COLOURS;
		if (!first && s->channels > colours) {
			if (end - at < 4 || xc_get_le32(at) > (size_t)(end - at - 4))
				return 0;
			part_end = at + 4 + xc_get_le32(at);
			at += 4;
		}
		const uint8_t *from = xc_part_read(&p, at, part_end);
		place to = {s, samples, stride, first};
		if (!from || !XC_LEVEL(xc_part_decode)(&p, from, part_end, mem, save_rows, &to))
			return 0;
		at = part_end;
	}
	return 1;
}

static int undraw(const xc_lossless_shape *s, const uint8_t *data, size_t size, uint8_t *memory,
                  void *samples, size_t stride)
{
	const size_t squares = squares_of(s), bytes = (squares + 7) / 8;
	uint8_t given[XC_DRAW_SQUARES];

	if (!xc_draw_fits(s) || s->max_error)
		return 0;
	if (data[0] == DRAWN)
		return XC_LEVEL(xc_draw_decode)(s, data + 1, size - 1, NULL, memory, samples, stride);
	if (size < 5 + bytes)
		return 0;
	for (size_t i = 0; i < squares; i++)
		given[i] = data[1 + i / 8] >> i % 8 & 1;
	data += 5 + bytes;
	size -= 5 + bytes;
	const uint32_t n = xc_get_le32(data - 4);
	return n <= size && unpredict(s, data, n, memory, samples, stride) &&
	       XC_LEVEL(xc_draw_decode)(s, data + n, size - n, given, memory, samples, stride);
}

int XC_LEVEL(xc_tile_decode)(const xc_lossless_shape *s, const uint8_t *data, size_t size,
                             void *scratch, void *samples, size_t stride)
{
	uint8_t *memory = (uint8_t *)(((uintptr_t)scratch + ALIGN - 1) / ALIGN * ALIGN);

	if (!size || size > raw_bytes(s) + 1)
		return 0;
	if (data[0] == STORED)
		return load_stored(s, data + 1, size - 1, samples, stride);
	return data[0] == DRAWN || data[0] == (DRAWN | SQUARES)
	           ? undraw(s, data, size, memory, samples, stride)
	           : unpredict(s, data, size, memory, samples, stride);
}
