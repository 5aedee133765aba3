/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reference decoder for XC files.  It was written from doc/format.md alone and shares no
 * line with the library.  It is short and slow: it walks Huffman codes bit by bit and makes
 * one pixel at a time.  This part makes pixels; refdec_file.c takes the file apart.
 * Numbers in brackets are sections of that document.
 */
#include "tests/format/refdec_internal.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

/* [6.1] Each operation rounds to binary32 by itself. */
_Static_assert(FLT_EVAL_METHOD == 0 && sizeof(float) == 4, "no plain binary32 arithmetic");

void *refdec_allocate(refdec *d, uint64_t items, uint64_t size)
{
	void *p = items > SIZE_MAX / size ? NULL : calloc((size_t)items, (size_t)size);

	if (!p)
		refdec_fail(d, "out of memory");
	return p;
}

/* --------------------------------------------------- [5] entropy coding */

/* [5.1] */
uint32_t refdec_read_bits(refdec *d, int n)
{
	uint32_t v = 0;

	while (n--) {
		if (d->bits == d->bits_end)
			refdec_fail(d, "the bits end");
		v = v << 1 | (*d->bits >> d->bit & 1);
		d->bits += d->bit == 0;
		d->bit = d->bit ? d->bit - 1 : 7;
	}
	return v;
}

/* [5.2] */
int refdec_read_symbol(refdec *d, const refdec_code *c)
{
	int first = 0, before = 0, bits = 0;

	for (int l = 1; l <= 16; l++) {
		bits = bits << 1 | (int)refdec_read_bits(d, 1);
		if (bits - first < c->count[l])
			return c->symbol[before + bits - first];
		before += c->count[l];
		first = (first + c->count[l]) << 1;
	}
	refdec_fail(d, "no such symbol");
}

/* [5.11] */
void refdec_end_bits(refdec *d)
{
	if (d->bit != 7 && refdec_read_bits(d, d->bit + 1))
		refdec_fail(d, "padding is not zero");
	if (d->bits != d->bits_end)
		refdec_fail(d, "a segment is too long");
}

/* [5.6] */
static int largest_ac_size(const refdec *d)
{
	return d->depth == 8 ? 11 : 24;
}

/* [5.6] */
static int32_t read_value(refdec *d, int size, int max)
{
	if (size > max)
		refdec_fail(d, "a value is too large");
	const int64_t b = refdec_read_bits(d, size), half = size ? INT64_C(1) << (size - 1) : 0;
	return (int32_t)(b >= half ? b : b - (2 * half - 1));
}

/* [5.8] The number that stands for the residue of v. */
static int32_t wrap(const refdec *d, int64_t v)
{
	const int64_t half = d->depth == 8 ? INT64_C(1) << 11 : INT64_C(1) << 27;
	v = (v + half) % (2 * half);
	return (int32_t)((v < 0 ? v + 2 * half : v) - half);
}

/* [5.8] dc: that of this block; the blocks of a row of the tile are `wide`. */
static int64_t predict(const refdec *d, const int32_t *dc, uint64_t x, uint64_t y, uint64_t wide)
{
	if (!y)
		return x ? dc[-1] : 0;
	const int64_t up = *(dc - wide);
	if (!x)
		return up;
	const int64_t left = dc[-1], sum = left + up - *(dc - wide - 1);
	const int64_t p = d->depth == 8 ? sum : wrap(d, sum);
	const int64_t low = left < up ? left : up, high = left < up ? up : left;
	return p < low ? low : p > high ? high : p;
}

/* [5.9] The context of the AC symbol that follows this one. */
static int context_after(int symbol)
{
	const int s = symbol % 16;
	return s >= 3 ? 2 : s == 2 ? 3 : symbol == 0x01 ? 4 : 5;
}

/* [5.9, 5.10] c: 0 for Y, 1 for Cb and Cr. */
static void read_ac(refdec *d, int c, int dc_symbol, int32_t q[8][8])
{
	static const uint8_t position[64] = {0,  1,  5,  6,  14, 15, 27, 28, 2,  4,  7,  13, 16,
	                                     26, 29, 42, 3,  8,  12, 17, 25, 30, 41, 43, 9,  11,
	                                     18, 24, 31, 40, 44, 53, 10, 19, 23, 32, 39, 45, 52,
	                                     54, 20, 22, 33, 38, 46, 51, 55, 60, 21, 34, 37, 47,
	                                     50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63};
	int32_t line[64] = {0};
	int context = dc_symbol > 2;

	for (int k = 0; k < 63;) {
		const int symbol = refdec_read_symbol(d, &d->ac[c][d->taken[c][context]]);
		int size = symbol % 16;
		if (symbol == 0)
			break;
		k += symbol == 0xf0 ? 16 : symbol / 16 + 1;
		if (size == 15)
			size += (int)refdec_read_bits(d, 4);
		const int32_t value = read_value(d, size, largest_ac_size(d));
		if (k <= 63)
			line[k] = value;
		context = context_after(symbol);
	}
	for (int i = 1; i < 64; i++)
		q[i / 8][i % 8] = line[position[i]];
}

/* --------------------------------------------------- [6] reconstruction */

/* [6.4.1] Eight values that lie `step` apart. */
static void idct(float *x, uint64_t step)
{
#define X(i) x[(uint64_t)(i)*step]
	const float a = X(0) + X(4), b = X(0) - X(4), c = X(2) + X(6);
	const float d = (X(2) - X(6)) * 1.414213562373095049f - c;
	const float e0 = a + c, e3 = a - c, e1 = b + d, e2 = b - d;

	const float p = X(5) + X(3), m = X(5) - X(3), s = X(1) + X(7), t = X(1) - X(7);
	const float o3 = s + p;
	const float r = (s - p) * 1.414213562373095049f;
	const float q = (m + t) * 1.847759065022573512f;
	const float o0 = q - t * 1.082392200292393968f;
	const float o2 = q - m * 2.613125929752753055f;
	const float w2 = o2 - o3, w1 = r - w2, w0 = o0 - w1;

	X(0) = e0 + o3;
	X(7) = e0 - o3;
	X(1) = e1 + w2;
	X(6) = e1 - w2;
	X(2) = e2 + w1;
	X(5) = e2 - w1;
	X(3) = e3 + w0;
	X(4) = e3 - w0;
#undef X
}

/* [6.4.2] */
static void lot_block(float *x, uint64_t step)
{
	static const float c = 0.917754625683981141f, s = 0.397147890634780614f;
	static const float big_c = 0.876306680043863587f, big_s = 0.481753674101715275f;
	float p[4], q[4];

	for (int i = 0; i < 4; i++) {
		p[i] = x[(uint64_t)(2 * i) * step];
		q[i] = x[(uint64_t)(2 * i + 1) * step];
	}
	const float q2 = q[2] * c + q[3] * s;
	q[3] = q[3] * c - q[2] * s;
	const float q1 = q[1] * big_c + q2 * big_s;
	q[2] = q2 * big_c - q[1] * big_s;
	const float q0 = q[0] * c + q1 * s;
	q[1] = q1 * c - q[0] * s;
	q[0] = q0;
	for (uint64_t i = 0; i < 4; i++) {
		x[i * step] = p[i] + q[i];
		x[(4 + i) * step] = p[i] - q[i];
	}
}

/* [6.4.3] */
static void tdlt_edge(float x[8])
{
	static const float m[4][4] = {{-0.0901872797501459194f, 0.278002888097743312f,
	                               0.0645491460975078198f, 0.0245221587306468680f},
	                              {-0.279469827672189238f, -0.135000083487806722f,
	                               0.195932091377484742f, 0.0168015456258170340f},
	                              {0.0590345110821556215f, -0.198492624008899047f,
	                               -0.0536346092188612778f, 0.0887329850064450224f},
	                              {-0.0215656264361602830f, 0.00949385956644505739f,
	                               -0.0905646797561281805f, -0.00883523215969719670f}};
	float d[4];

	for (int i = 0; i < 4; i++)
		d[i] = x[3 - i] - x[4 + i];
	for (int j = 0; j < 4; j++) {
		float c = d[0] * m[0][j];
		for (int i = 1; i < 4; i++)
			c = c + d[i] * m[i][j];
		x[3 - j] = x[3 - j] + c;
		x[4 + j] = x[4 + j] - c;
	}
}

/* [6.4.3] */
static void lot_edge(float x[8])
{
	static const float even[4] = {0.176776695296636881f, 0.230969883127821689f,
	                              0.176776695296636881f, 0.0956708580912724486f};
	static const float odd[4] = {0.245196320100807612f, 0.207867403075636307f,
	                             0.138892558254900579f, 0.0487725805040320585f};
	float t[8];

	for (int i = 0; i < 4; i++) {
		t[2 * i] = (x[i] + x[4 + i]) * even[i];
		t[2 * i + 1] = (x[i] - x[4 + i]) * odd[i];
	}
	idct(t, 1);
	memcpy(x, t, sizeof t);
}

/* [6.4.3] All edges of one row or column of `blocks` blocks, whose samples are `step`
 * apart. */
static void edges(const refdec *d, float *line, uint64_t blocks, uint64_t step)
{
	for (uint64_t k = d->transform == 2; k <= blocks - (d->transform == 2); k++) {
		float x[8];
		for (uint64_t i = 0; i < 8; i++) {
			const uint64_t at = k == 0 ? i % 4 : k == blocks ? 8 * k - 4 + i % 4 : 8 * k - 4 + i;
			x[i] = line[at * step];
		}
		if (d->transform == 2)
			tdlt_edge(x);
		else
			lot_edge(x);
		for (uint64_t i = k ? 0 : 4; i < (k == blocks ? 4 : 8); i++)
			line[(8 * k - 4 + i) * step] = x[i];
	}
}

/* [6.4] */
static void lapped_planes(const refdec *d)
{
	for (int c = 0; c < d->components; c++) {
		const uint64_t wide = d->stride[c], high = d->mcus_high * 8 * (uint64_t)(c ? 1 : d->v);
		for (uint64_t y = 0; y < high; y++)
			edges(d, d->plane[c] + y * wide, wide / 8, 1);
		for (uint64_t x = 0; x < wide; x++)
			edges(d, d->plane[c] + x, high / 8, wide);
	}
}

/* [6.2.3] In sixteenths of a step from here on. */
static void take_points(const refdec *d, int c, int32_t q[8][8])
{
	for (int i = 0; i < 64; i++) {
		int32_t *value = &q[i / 8][i % 8];
		const int32_t size = *value < 0 ? -*value : *value;
		const int32_t nearer = !i || !size ? 0 : size == 1 ? d->one[c] : d->more[c];
		*value = 16 * *value + (*value < 0 ? nearer : -nearer);
	}
}

/* [6.2.5] a and b: DCs before and after the block. */
static int32_t add_predicted(const refdec *d, int32_t value, int64_t a, int64_t b, int64_t slope)
{
	const int64_t modulus = d->depth == 8 ? 1 << 16 : INT64_C(1) << 32, half = modulus / 2;
	/* A multiple of the divisor more, so that the quotient is rounded down. */
	const int64_t above = INT64_C(1) << 36;
	const int64_t more = (16 * (a - b) * slope + 32768 + above * 65536) / 65536 - above;

	return (int32_t)((value + more + half + above * 65536) % modulus - half);
}

static void add_ac_prediction(const refdec *d, int c, const int32_t *dc, uint64_t wide,
                              uint64_t high)
{
	for (uint64_t i = 0; i < wide * high; i++) {
		const uint64_t x = i % wide, y = i / wide;
		int32_t(*q)[8] = d->blocks[i];
		q[0][1] = add_predicted(d, q[0][1], dc[x ? i - 1 : i], dc[x + 1 < wide ? i + 1 : i],
		                        d->slope[c][0]);
		q[1][0] = add_predicted(d, q[1][0], dc[y ? i - wide : i], dc[y + 1 < high ? i + wide : i],
		                        d->slope[c][1]);
	}
}

/* [6.3, 6.4] c: 0 for Y, 1 for Cb and Cr. */
static void make_block(const refdec *d, int32_t q[8][8], int c, float *out, uint64_t stride)
{
	void (*const step)(float *, uint64_t) = d->transform == 1 ? lot_block : idct;
	float x[8][8];

	for (int v = 0; v < 8; v++) {
		for (int u = 0; u < 8; u++)
			x[v][u] = (float)q[v][u] * d->factor[c][u][v];
		step(x[v], 1);
	}
	for (int u = 0; u < 8; u++)
		step(&x[0][u], 8);
	for (uint64_t v = 0; v < 8; v++)
		memcpy(out + v * stride, x[v], sizeof x[v]);
}

/* [5.7] The AC values; returns that of the DC. */
static int32_t read_block(refdec *d, int c, int32_t q[8][8])
{
	const int symbol = refdec_read_symbol(d, &d->dc[c]);
	const int32_t value = read_value(d, symbol, largest_ac_size(d) + 1);

	read_ac(d, c, symbol, q);
	return value;
}

/* [4.3, 5.7, 5.11] The tile whose first MCU is (mx, my). */
static void read_segment(refdec *d, uint64_t mx, uint64_t my)
{
	int32_t dc[4096];
	const uint64_t left = d->mcus_wide - mx, low = d->mcus_high - my;
	const uint64_t tile_wide = left < d->tile_wide ? left : d->tile_wide;
	const uint64_t tile_high = low < d->tile_high ? low : d->tile_high;
	uint64_t blocks = 0;

	if (d->entropy > 2)
		refdec_read_rans(d, tile_wide, tile_high);
	for (int c = 0; c < d->components; c++) {
		const uint64_t h = c ? 1 : (uint64_t)d->h, v = c ? 1 : (uint64_t)d->v;
		const uint64_t wide = h * tile_wide;
		const uint64_t high = v * tile_high;
		for (uint64_t i = 0; i < wide * high; i++) {
			const uint64_t x = i % wide, y = i / wide;
			int32_t(*q)[8] = d->blocks[i];
			const int32_t value = d->entropy > 2 ? refdec_rans_block(d, blocks++, q)
			                                     : read_block(d, c > 0, q);
			dc[i] = wrap(d, predict(d, dc + i, x, y, wide) + value);
			q[0][0] = dc[i];
			take_points(d, c > 0, q);
		}
		if (d->entropy > 1)
			add_ac_prediction(d, c > 0, dc, wide, high);
		for (uint64_t i = 0; i < wide * high; i++)
			make_block(d, d->blocks[i], c > 0,
			           d->plane[c] + (my * v + i / wide) * 8 * d->stride[c] +
			               (mx * h + i % wide) * 8,
			           d->stride[c]);
	}
	refdec_end_bits(d);
}

/* [5.13] The samples of the tile whose first MCU is (mx, my). */
static void read_samples(refdec *d, uint64_t mx, uint64_t my)
{
	const uint64_t bytes = (uint64_t)d->depth / 8;

	for (int c = 0; c < d->components; c++) {
		const uint64_t h = c ? (uint64_t)d->h : 1, v = c ? (uint64_t)d->v : 1;
		const uint64_t x0 = mx * 8 * (uint64_t)d->h / h, y0 = my * 8 * (uint64_t)d->v / v;
		const uint64_t x1 = x0 + d->tile_wide * 8 * (uint64_t)d->h / h;
		const uint64_t y1 = y0 + d->tile_high * 8 * (uint64_t)d->v / v;
		const uint64_t right = refdec_divide_up(d->width, h), low = refdec_divide_up(d->height, v);
		const uint64_t max_x = d->mcus_wide * 8 * (uint64_t)d->h / h;
		const uint64_t max_y = d->mcus_high * 8 * (uint64_t)d->v / v;
		for (uint64_t y = y0; y < y1 && y < max_y; y++) {
			for (uint64_t x = x0; x < x1 && x < max_x; x++) {
				float *to = d->plane[c] + y * d->stride[c] + x;
				if (x >= right || y >= low) {
					*to = d->plane[c][(y < low ? y : low - 1) * d->stride[c] +
					                  (x < right ? x : right - 1)];
					continue;
				}
				if ((uint64_t)(d->bits_end - d->bits) < bytes)
					refdec_fail(d, "a segment is damaged");
				const int32_t value = bytes == 1 ? (int8_t)d->bits[0]
				                                 : (int16_t)refdec_u16(d->bits);
				*to = (float)(16 * value) * d->factor[c > 0][x % 8][y % 8];
				d->bits += bytes;
			}
		}
	}
	if (d->bits != d->bits_end)
		refdec_fail(d, "a segment is damaged");
}

/* [8] All coefficients of the tile are 0. */
static void clear_tile(refdec *d, uint64_t mx, uint64_t my)
{
	for (int c = 0; c < d->components; c++) {
		const uint64_t h = c ? 8 : 8 * (uint64_t)d->h, v = c ? 8 : 8 * (uint64_t)d->v;
		const uint64_t x = mx * h, x2 = (mx + d->tile_wide) * h;
		const uint64_t y2 = (my + d->tile_high) * v;
		for (uint64_t y = my * v; y < y2 && y < d->mcus_high * v; y++)
			memset(d->plane[c] + y * d->stride[c] + x, 0,
			       ((x2 < d->stride[c] ? x2 : d->stride[c]) - x) * sizeof(float));
	}
}

/* [3.15, 7, 8] The samples of a tile without loss; or mid-grey, opaque ones. */
static void put_exact(refdec *d, uint64_t mx, uint64_t my, int good)
{
	const uint64_t x = mx * 8, y = my * 8, right = d->width - x, low = d->height - y;
	const uint64_t wide = d->tile_wide * 8ull < right ? d->tile_wide * 8ull : right;
	const uint64_t high = d->tile_high * 8ull < low ? d->tile_high * 8ull : low;
	const uint32_t channels = (uint32_t)d->channels, bytes = channels % 2 ? 3 : 4;
	const refdec_rectangle r = {(uint32_t)wide, (uint32_t)high, d->colours ? 1 : channels,
	                            (uint32_t)d->depth, d->max_error};
	const uint8_t *palette = d->chunks[PLTE].payload;

	if (good)
		refdec_read_lossless(d, &r, d->tile_samples);
	for (uint64_t i = 0; i < wide * high * channels; i++) {
		const uint64_t p = i / channels, c = i % channels;
		const int alpha = channels % 2 == 0 && c + 1 == channels;
		uint32_t v = d->depth == 8 ? (alpha ? 255 : 128) : alpha ? 65535 : 32768;
		if (good && d->colours && d->tile_samples[p] >= d->colours)
			refdec_fail(d, "no such colour");
		if (good)
			v = d->colours ? palette[1 + d->tile_samples[p] * bytes + (alpha ? 3 : c)]
			               : d->tile_samples[i];
		d->samples[((y + p / wide) * d->width + x + p % wide) * channels + c] = (uint16_t)v;
	}
}

/* [4.3, 8] Segment i, whose check value holds or does not. */
static void try_segment(refdec *d, uint64_t i, int holds)
{
	const uint64_t wide = refdec_divide_up(d->mcus_wide, d->tile_wide), tile = i / d->layers;
	const uint64_t mx = tile % wide * d->tile_wide, my = tile / wide * d->tile_high;
	const int is_alpha = i % d->layers != 0;

	if (d->damaged && i >= d->max_segments)
		refdec_fail(d, "too many segments");
	d->in_segment = d->damaged != NULL;
	if (!d->in_segment || !setjmp(d->segment_failed)) {
		if (!holds)
			refdec_fail(d, "a segment is damaged");
		if (d->entropy == 6)
			put_exact(d, mx, my, 1);
		else
			(is_alpha          ? refdec_read_alpha
			 : d->entropy == 5 ? read_samples
			                   : read_segment)(d, mx, my);
	} else {
		d->damaged[i] = 1;
		if (d->entropy == 6)
			put_exact(d, mx, my, 0);
		else
			(is_alpha ? refdec_clear_alpha : clear_tile)(d, mx, my);
	}
	d->in_segment = 0;
}

/* [3.4, 3.5, 4.3] The segments of a piece, from number `first` on; returns the
 * number after them. */
static uint64_t read_piece(refdec *d, const refdec_piece *piece, uint64_t first)
{
	const refdec_chunk *index = &piece->index, *data = &piece->data;
	const uint64_t wide = refdec_divide_up(d->mcus_wide, d->tile_wide) * d->layers;
	const uint64_t left = wide * refdec_divide_up(d->mcus_high, d->tile_high) - first;
	const uint32_t width = index->length ? index->payload[0] : 0;

	if (width < 2 || width > 4 || (index->length - 1) % (width + 2))
		refdec_fail(d, "bad INDX");
	const uint64_t n = (index->length - 1) / (width + 2);
	if (!n || n > left || (n < left && n % wide))
		refdec_fail(d, "bad INDX");
	uint32_t crc = refdec_crc32c(0, data->start, (uint64_t)(data->payload - data->start));
	for (uint64_t i = 0; i < n; i++) {
		const int holds = refdec_open_segment(d, piece, i, &crc);
		const uint8_t *end = d->bits_end;
		try_segment(d, first + i, holds);
		d->bits_end = end; /* where a damaged segment ended elsewhere */
	}
	if (d->left)
		refdec_fail(d, "bad INDX");
	if (crc != data->crc && !d->damaged)
		refdec_fail(d, "bad CRC of DATA");
	return first + n;
}

static void read_segments(refdec *d)
{
	const uint64_t segments = refdec_divide_up(d->mcus_wide, d->tile_wide) *
	                          refdec_divide_up(d->mcus_high, d->tile_high) * d->layers;
	uint64_t next = 0;

	for (uint64_t i = 0; i < d->piece_count; i++)
		next = read_piece(d, &d->pieces[i], next);
	for (; d->cut && next < segments; next++)
		try_segment(d, next, 0);
	if (next != segments)
		refdec_fail(d, "segments are missing");
}

/* [6.5] Neighbour of i, before it where x is even and after it where x is odd. */
static uint64_t neighbour(uint64_t i, uint64_t x, uint64_t n)
{
	return x % 2 == 0 ? (i ? i - 1 : 0) : (i + 1 < n ? i + 1 : i);
}

/* [6.5] Chroma of pixel (x, y), 1 / weight times too large. */
static float chroma(const refdec *d, int c, uint64_t x, uint64_t y)
{
	const uint64_t cw = refdec_divide_up(d->width, (uint64_t)d->h), stride = d->stride[c];
	const uint64_t ch = refdec_divide_up(d->height, (uint64_t)d->v);
	const uint64_t i = x / (uint64_t)d->h, j = y / (uint64_t)d->v;
	const uint64_t i2 = neighbour(i, x, cw), j2 = neighbour(j, y, ch);
	const float *row = d->plane[c] + j * stride, *row2 = d->plane[c] + j2 * stride;

	if (d->h == 1)
		return row[i];
	if (d->v == 1)
		return row[i] * 3.0f + row[i2];
	const float near = row[i] * 3.0f + row2[i], far = row[i2] * 3.0f + row2[i2];
	return near * 3.0f + far;
}

/* [6.7] */
static uint16_t to_sample(float v, float max)
{
	v = v > 0.0f ? v : 0.0f;
	v = v < max ? v : max;
	const int32_t down = (int32_t)v; /* v is not negative */
	const float rest = v - (float)down;
	return (uint16_t)(down + (rest > 0.5f || (rest == 0.5f && down % 2)));
}

/* [6.6] Row i of the matrix of COLR. */
static float mix(const refdec *d, int i, const float p[3])
{
	const float *m = d->matrix[i];
	return (p[0] * m[0] + p[1] * m[1]) + p[2] * m[2];
}

/* [6.6] */
static void make_pixels(refdec *d)
{
	const float weight = d->h == 1 ? 1.0f : d->v == 1 ? 0.25f : 0.0625f;
	const float middle = d->depth == 8 ? 128.0f : 32768.0f;
	const float max = d->depth == 8 ? 255.0f : d->range ? (float)d->range : 65535.0f;
	uint16_t *out = d->samples;

	for (uint64_t y = 0; y < d->height; y++) {
		for (uint64_t x = 0; x < d->width; x++, out += d->channels) {
			const float first = d->plane[0][y * d->stride[0] + x];
			if (d->components == 1) {
				out[0] = to_sample(first + middle, max);
				continue;
			}
			const float p[3] = {first, chroma(d, 1, x, y), chroma(d, 2, x, y)};
			const int mixed = d->chunks[COLR].start != NULL;
			const float luma = (mixed ? mix(d, 0, p) : p[0]) + middle;
			const float cb = mixed ? mix(d, 1, p) : p[1], cr = mixed ? mix(d, 2, p) : p[2];
			const float g = luma + cb * (-0.344136286201022f * weight);
			out[0] = to_sample(luma + cr * (1.402f * weight), max);
			out[1] = to_sample(g + cr * (-0.714136286201022f * weight), max);
			out[2] = to_sample(luma + cb * (1.772f * weight), max);
		}
	}
}

static void decode(refdec *d)
{
	refdec_read_file(d);
	d->samples = refdec_allocate(d, (uint64_t)d->width * d->height,
	                             (uint64_t)d->channels * sizeof(uint16_t));
	if (d->entropy == 6) {
		const uint64_t pixels = 64ull * d->tile_wide * d->tile_high;
		refdec_begin_lossless(d, pixels);
		d->tile_samples = refdec_allocate(d, pixels * (uint64_t)d->channels, sizeof(uint16_t));
		read_segments(d);
		return;
	}
	d->blocks = refdec_allocate(d, d->tile_blocks, sizeof *d->blocks);
	for (int c = 0; c < d->components; c++) {
		d->stride[c] = d->mcus_wide * 8 * (uint64_t)(c ? 1 : d->h);
		d->plane[c] = refdec_allocate(d, d->mcus_high * 8 * (uint64_t)(c ? 1 : d->v),
		                              d->stride[c] * sizeof(float));
	}
	if (d->channels % 2 == 0) {
		d->alpha = refdec_allocate(d, (uint64_t)d->width * d->height, sizeof *d->alpha);
		d->tile_alpha = refdec_allocate(d, d->tile_blocks * 64, sizeof *d->tile_alpha);
		refdec_begin_lossless(d, d->tile_blocks * 64);
	}
	read_segments(d);
	if (d->transform % 3)
		lapped_planes(d);
	make_pixels(d);
	for (uint64_t i = 0; d->alpha && i < (uint64_t)d->width * d->height; i++)
		d->samples[(i + 1) * (uint64_t)d->channels - 1] = d->alpha[i];
}

const char *refdec_decode(const uint8_t *file, size_t size, uint64_t max_pixels,
                          refdec_picture *picture)
{
	return refdec_decode_damaged(file, size, max_pixels, NULL, 0, picture);
}

const char *refdec_decode_damaged(const uint8_t *file, size_t size, uint64_t max_pixels,
                                  uint8_t *damaged, uint64_t segments, refdec_picture *picture)
{
	memset(picture, 0, sizeof *picture);
	refdec *d = calloc(1, sizeof *d);
	if (!d)
		return "out of memory";
	d->file = size ? file : (const uint8_t *)"";
	d->end = d->file + size;
	d->max_pixels = max_pixels;
	d->damaged = damaged;
	d->max_segments = segments;
	if (!setjmp(d->failed)) {
		decode(d);
		*picture = (refdec_picture){d->width,           d->height, (uint32_t)d->channels,
		                            (uint32_t)d->depth, d->layers, d->samples};
		d->samples = NULL;
	}
	const char *error = d->error;
	for (int c = 0; c < 3; c++)
		free(d->plane[c]);
	free(d->samples);
	free(d->alpha);
	free(d->tile_alpha);
	free(d->rans);
	free(d->lossless);
	free(d->tile_samples);
	free(d->pieces);
	free(d->blocks);
	free(d);
	return error;
}
