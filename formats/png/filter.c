/* SPDX-License-Identifier: BSD-2-Clause */
/* The filters on vectors of 16 bytes, in GCC's and clang's vector extension. */
#include "formats/png/png.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

typedef uint8_t v8 __attribute__((vector_size(16)));
typedef uint16_t v16 __attribute__((vector_size(16)));
typedef uint32_t v32 __attribute__((vector_size(16)));
typedef uint64_t v64 __attribute__((vector_size(16)));

/* What the extension lacks in C, or compilers make long code of: the larger and the lesser value,
 * the difference or 0, the sum of the bytes in each half, and all places moved up by one of
 * `size` bytes. */
/* clang-format off */
#if defined __SSE2__
#include <emmintrin.h>
INLINE v8 v_max(v8 a, v8 b) { return (v8)_mm_max_epu8((__m128i)a, (__m128i)b); }
INLINE v8 v_min(v8 a, v8 b) { return (v8)_mm_min_epu8((__m128i)a, (__m128i)b); }
INLINE v8 v_over(v8 a, v8 b) { return (v8)_mm_subs_epu8((__m128i)a, (__m128i)b); }
INLINE v64 v_total(v8 a) { return (v64)_mm_sad_epu8((__m128i)a, _mm_setzero_si128()); }
#define V_MOVE(a, size) ((v8)_mm_slli_si128((__m128i)(a), size))
#else
INLINE v8 v_over(v8 a, v8 b) { return (a - b) & (v8)(a > b); }
INLINE v8 v_max(v8 a, v8 b) { return b + v_over(a, b); }
INLINE v8 v_min(v8 a, v8 b) { return a - v_over(a, b); }
INLINE v64 v_total(v8 a)
{
	v64 sum = {0, 0};

	for (int i = 0; i < 16; i++)
		sum[i / 8] += a[i];
	return sum;
}
#define V_MOVE(a, size) \
	((size) == 2   ? (v8)__builtin_shufflevector((v16)(a), (v16){0}, 8, 0, 1, 2, 3, 4, 5, 6) \
	 : (size) == 4 ? (v8)__builtin_shufflevector((v32)(a), (v32){0}, 4, 0, 1, 2) \
	               : (v8)__builtin_shufflevector((v64)(a), (v64){0}, 2, 0))
#endif
/* clang-format on */

INLINE v8 v_load(const uint8_t *p)
{
	v8 v;
	memcpy(&v, p, sizeof v);
	return v;
}

INLINE void v_store(uint8_t *p, v8 v)
{
	memcpy(p, &v, sizeof v);
}

INLINE v8 v_average(v8 a, v8 b)
{
	return (a & b) + ((a ^ b) >> 1);
}

/* Returns the left, upper or corner byte nearest to a + b - c.  That is `high - c` from the lesser of a
 * and b and `c - low` from the larger one, where c lies between the two.  Where it does not, one of
 * these is below 0, the nearest is that end, and 0 leads there too. */
INLINE v8 v_paeth(v8 a, v8 b, v8 c)
{
	const v8 low = v_min(a, b), high = v_max(a, b);
	const v8 to_low = v_over(high, c), to_high = v_over(c, low);
	/* x <= y - x: one end is as near as the corner. */
	const v8 is_low = (v8)(v_over(to_low, v_over(to_high, to_low)) == 0);
	const v8 is_high = (v8)(v_over(to_high, v_over(to_low, to_high)) == 0);

	/* Where both hold all three are the same. */
	return ((low & is_low) | (high & is_high)) | (c & ~(is_low | is_high));
}

uint8_t xc_png_predict(int filter, uint8_t left, uint8_t above, uint8_t corner)
{
	const int a = left, b = above, c = corner, p = a + b - c;
	const int to_a = p > a ? p - a : a - p, to_b = p > b ? p - b : b - p;
	const int to_c = p > c ? p - c : c - p;

	switch (filter) {
	case XC_PNG_SUB:
		return left;
	case XC_PNG_UP:
		return above;
	case XC_PNG_AVERAGE:
		return (uint8_t)((a + b) / 2);
	case XC_PNG_PAETH:
		return to_a <= to_b && to_a <= to_c ? left : to_b <= to_c ? above : corner;
	default:
		return 0;
	}
}

static void unfilter_row(int filter, uint8_t *row, const uint8_t *above, size_t bytes,
                         uint32_t pixel)
{
	if (filter == XC_PNG_UP)
		for (size_t i = 0; i < bytes; i++)
			row[i] = (uint8_t)(row[i] + above[i]);
	else if (filter != XC_PNG_NONE)
		for (size_t i = 0; i < bytes; i++)
			row[i] = (uint8_t)(row[i] + xc_png_predict(filter, i < pixel ? 0 : row[i - pixel],
			                                           above[i], i < pixel ? 0 : above[i - pixel]));
}

/*
 * In Sub, Average and Paeth a pixel waits for its left neighbour. So as many rows as a vector has
 * places of 2, 4 or 8 bytes go side by side, each a pixel after the row above it: what the place
 * before had in the last step is the pixel above, and in the step before that the corner. Where a
 * filter does not use a neighbour, a mask makes it 0; Paeth then is None, Sub or Up. In the bytes
 * of a place beyond its pixel all masks are 0, so that they are stored as they were.
 */
typedef struct rank {
	uint8_t *row[XC_PNG_ABREAST];
	const uint8_t *above; /* of row 0 */
	size_t pixels;
	v8 left, up, corner, average; /* masks */
	v8 a, b;                      /* what the last step made, and what was above that */
} rank;

/* The raw pixel x of a row in a place; moving more bytes than a pixel has is cheaper for 3 and
 * 6. */
INLINE uint64_t load_pixel(const uint8_t *p, uint32_t pixel)
{
	uint64_t value = 0;
	memcpy(&value, p, pixel == 3 ? 4 : pixel == 6 ? 8 : pixel);
	return value;
}

INLINE void store_pixel(uint8_t *p, uint64_t value, uint32_t pixel)
{
	memcpy(p, &value, pixel == 3 ? 4 : pixel == 6 ? 8 : pixel);
}

/* x: raw.  above: what is above place 0; the others have it from the last step. */
INLINE v8 next_pixels(rank *g, v8 x, uint64_t above, int slots, int averages)
{
	const v8 moved = slots == 8 ? V_MOVE(g->a, 2) : slots == 4 ? V_MOVE(g->a, 4) : V_MOVE(g->a, 8);
	const v8 b = moved | (v8)(v64){above};
	const v8 a = g->a & g->left, up = b & g->up, c = g->b & g->corner;
	v8 guess = v_paeth(a, up, c);

	if (averages)
		guess = (guess & ~g->average) | (v_average(a, up) & g->average);
	g->b = b;
	g->a = x + guess;
	return g->a;
}

/* A step at which some rows have not begun or have ended; those places stay or become 0. */
INLINE void edge_step(rank *g, size_t step, uint32_t pixel, int slots)
{
	uint8_t x[16] = {0}, made[16];
	uint64_t above = 0;
	const uint32_t size = 16 / (uint32_t)slots;
	v8 inside = {0};

	if (step < g->pixels)
		memcpy(&above, g->above + step * pixel, pixel);
	for (uint32_t r = 0; r < (uint32_t)slots; r++)
		if (step >= r && step - r < g->pixels) {
			memcpy(x + r * size, g->row[r] + (step - r) * pixel, pixel);
			memset((uint8_t *)&inside + r * size, 0xff, size);
		}
	v_store(made, next_pixels(g, v_load(x), above, slots, 1));
	g->a &= inside;
	for (uint32_t r = 0; r < (uint32_t)slots; r++)
		if (step >= r && step - r < g->pixels)
			memcpy(g->row[r] + (step - r) * pixel, made + r * size, pixel);
}

/* Bits by which a place's bytes, loaded as the first ones of eight, are not the lowest. */
INLINE unsigned shift_of(int slots)
{
	return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 64 - 128 / (unsigned)slots : 0;
}

INLINE v8 join(const uint64_t *p, int slots)
{
	if (slots == 8)
		return (v8)(v16){(uint16_t)p[0], (uint16_t)p[1], (uint16_t)p[2], (uint16_t)p[3],
		                 (uint16_t)p[4], (uint16_t)p[5], (uint16_t)p[6], (uint16_t)p[7]};
	if (slots == 4)
		return (v8)(v32){(uint32_t)p[0], (uint32_t)p[1], (uint32_t)p[2], (uint32_t)p[3]};
	return (v8)(v64){p[0], p[1]};
}

INLINE uint64_t slot(v8 v, size_t r, int slots)
{
	return slots == 8 ? ((v16)v)[r] : slots == 4 ? ((v32)v)[r] : ((v64)v)[r];
}

/* Loads come a step before they are used, so that none overlaps what was just stored. */
INLINE v8 load_step(const rank *g, size_t step, uint32_t pixel, int slots)
{
	uint64_t p[XC_PNG_ABREAST];

	for (size_t r = 0; r < (size_t)slots; r++)
		p[r] = load_pixel(g->row[r] + (step - r) * pixel, pixel) >> shift_of(slots);
	return join(p, slots);
}

INLINE void inner_steps(rank *whole, uint32_t pixel, int slots, int averages)
{
	rank g = *whole; /* in registers, where no store to a row can change it */
	const size_t first = (size_t)slots - 1;
	v8 x = load_step(&g, first, pixel, slots);

	for (size_t step = first; step < g.pixels; step++) {
		const v8 next = step + 1 < g.pixels ? load_step(&g, step + 1, pixel, slots) : x;
		const v8 made = next_pixels(&g, x, load_pixel(g.above + step * pixel, pixel), slots,
		                            averages);
		for (size_t r = 0; r < (size_t)slots; r++)
			store_pixel(g.row[r] + (step - r) * pixel, slot(made, r, slots) << shift_of(slots),
			            pixel);
		x = next;
	}
	*whole = g;
}

INLINE void all_steps(rank *g, uint32_t pixel, int slots)
{
	const size_t steps = g->pixels + (size_t)slots - 1;
	size_t step = 0;

	for (; step < (size_t)slots - 1; step++)
		edge_step(g, step, pixel, slots);
	if (((v64)g->average)[0] | ((v64)g->average)[1])
		inner_steps(g, pixel, slots, 1);
	else
		inner_steps(g, pixel, slots, 0);
	for (step = step > g->pixels ? step : g->pixels; step < steps; step++)
		edge_step(g, step, pixel, slots);
}

/* `slots` rows from the first one on; their filters need a left neighbour, or not. */
static void unfilter_rank(uint8_t *rows, size_t bytes, uint32_t pixel, uint32_t slots)
{
	rank g = {.above = rows - bytes, .pixels = bytes / pixel};
	const uint32_t size = 16 / slots;

	for (uint32_t r = 0; r < slots; r++) {
		const int filter = rows[r * (bytes + 1)];
		g.row[r] = rows + r * (bytes + 1) + 1;
		for (uint32_t i = r * size; i < r * size + pixel; i++) {
			g.left[i] = filter == XC_PNG_NONE || filter == XC_PNG_UP ? 0 : 0xff;
			g.up[i] = filter == XC_PNG_NONE || filter == XC_PNG_SUB ? 0 : 0xff;
			g.corner[i] = filter == XC_PNG_PAETH ? 0xff : 0;
			g.average[i] = filter == XC_PNG_AVERAGE ? 0xff : 0;
		}
	}
	switch (pixel) {
	case 1:
		all_steps(&g, 1, 8);
		break;
	case 2:
		all_steps(&g, 2, 8);
		break;
	case 3:
		all_steps(&g, 3, 4);
		break;
	case 4:
		all_steps(&g, 4, 4);
		break;
	case 6:
		all_steps(&g, 6, 2);
		break;
	default:
		all_steps(&g, 8, 2);
		break;
	}
}

/* Rows must be as long as a rank is slanted.  And in narrower ones a place of 8 bytes would store
 * back what the row below begins with, as it was before that became a sample. */
static int is_for_rank(const uint8_t *rows, size_t bytes, uint32_t pixel, uint32_t count)
{
	enum { NARROW = XC_PNG_ABREAST };
	int waits = 0;

	if (bytes < NARROW * pixel)
		return 0;
	for (uint32_t r = 0; r < count; r++) {
		const int filter = rows[r * (bytes + 1)];
		waits |= filter != XC_PNG_NONE && filter != XC_PNG_UP;
	}
	return waits;
}

uint32_t xc_png_unfilter(uint8_t *rows, size_t bytes, uint32_t pixel, uint32_t count)
{
	const uint32_t slots = pixel > 4 ? 2 : pixel > 2 ? 4 : 8;
	uint32_t valid = 0, done = 0;

	while (valid < count && rows[valid * (bytes + 1)] < XC_PNG_FILTERS)
		valid++;
	while (done < valid) {
		uint8_t *row = rows + done * (bytes + 1);
		if (valid - done >= slots && is_for_rank(row, bytes, pixel, slots)) {
			unfilter_rank(row, bytes, pixel, slots);
			done += slots;
		} else {
			unfilter_row(row[0], row + 1, row - bytes, bytes, pixel);
			done++;
		}
	}
	return valid;
}

INLINE v8 v_predict(int filter, const uint8_t *row, const uint8_t *above, size_t i, uint32_t pixel)
{
	switch (filter) {
	case XC_PNG_SUB:
		return v_load(row + i - pixel);
	case XC_PNG_UP:
		return v_load(above + i);
	case XC_PNG_AVERAGE:
		return v_average(v_load(row + i - pixel), v_load(above + i));
	case XC_PNG_PAETH:
		return v_paeth(v_load(row + i - pixel), v_load(above + i), v_load(above + i - pixel));
	default:
		return (v8){0};
	}
}

INLINE uint8_t filter_byte(int filter, const uint8_t *row, const uint8_t *above, size_t i,
                           uint32_t pixel)
{
	return (uint8_t)(row[i] - xc_png_predict(filter, i < pixel ? 0 : row[i - pixel], above[i],
	                                         i < pixel ? 0 : above[i - pixel]));
}

INLINE void filter_row(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes,
                       uint32_t pixel, int filter)
{
	size_t i = 0;

	for (; i < pixel; i++)
		to[i] = filter_byte(filter, row, above, i, pixel);
	for (; i + 16 <= bytes; i += 16)
		v_store(to + i, v_load(row + i) - v_predict(filter, row, above, i, pixel));
	for (; i < bytes; i++)
		to[i] = filter_byte(filter, row, above, i, pixel);
}

INLINE v8 v_magnitude(v8 v)
{
	return v_min(v, -v);
}

/* The sums leave out the bytes that do not fill a vector, and in long rows three vectors of four:
 * the choice is nearly the same. */
static int best_filter(const uint8_t *row, const uint8_t *above, size_t bytes, uint32_t pixel)
{
	enum { LONG = 1024 };
	v64 sum[XC_PNG_FILTERS] = {0};

	for (size_t i = pixel; i + 16 <= bytes; i += bytes < LONG ? 16 : 64) {
		const v8 x = v_load(row + i);
		for (int f = 0; f < XC_PNG_FILTERS; f++)
			sum[f] += v_total(v_magnitude(x - v_predict(f, row, above, i, pixel)));
	}
	int best = XC_PNG_PAETH;
	for (int f = 0; f < XC_PNG_FILTERS; f++)
		if (sum[f][0] + sum[f][1] < sum[best][0] + sum[best][1])
			best = f;
	return best;
}

void xc_png_filter(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes,
                   uint32_t pixel, int filter)
{
	const int f = filter < XC_PNG_FILTERS ? filter : best_filter(row, above, bytes, pixel);

	*to++ = (uint8_t)f;
	switch (f) {
	case XC_PNG_NONE:
		memcpy(to, row, bytes);
		break;
	case XC_PNG_SUB:
		filter_row(to, row, above, bytes, pixel, XC_PNG_SUB);
		break;
	case XC_PNG_UP:
		filter_row(to, row, above, bytes, pixel, XC_PNG_UP);
		break;
	case XC_PNG_AVERAGE:
		filter_row(to, row, above, bytes, pixel, XC_PNG_AVERAGE);
		break;
	default:
		filter_row(to, row, above, bytes, pixel, XC_PNG_PAETH);
		break;
	}
}
