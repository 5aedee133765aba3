/* SPDX-License-Identifier: BSD-2-Clause */
/* What lossless segments and arrays share in the reference decoder: sets of frequencies, states and
 * words. Numbers in brackets are sections of doc/format.md. */
#include "tests/format/refdec_internal.h"

#include <string.h>

static void need(refdec *d, int condition)
{
	if (!condition)
		refdec_fail(d, "a segment is damaged");
}

uint32_t refdec_read_u32(refdec *d)
{
	need(d, d->bits_end - d->bits >= 4);
	d->bits += 4;
	return refdec_u16(d->bits - 4) | refdec_u16(d->bits - 2) << 16;
}

void refdec_end_byte(refdec *d)
{
	if (d->bit != 7)
		(void)refdec_read_bits(d, d->bit + 1);
}

/* ---------------------------------------------------------- [7.2] frequencies */

uint64_t refdec_read_rice(refdec *d, int k)
{
	uint64_t n = 0;

	while (refdec_read_bits(d, 1))
		n++;
	return (n << k) + refdec_read_bits(d, k);
}

void refdec_read_shape(refdec *d, uint8_t shape[16])
{
	const int k = (int)refdec_read_bits(d, 2);

	for (int i = 0; i < 16; i++) {
		const uint64_t z = refdec_read_rice(d, k);
		const int index = z > 200 ? -1 : shape[i] + (z % 2 ? -(int)(z / 2) - 1 : (int)(z / 2));
		need(d, index >= 0 && index <= 97);
		shape[i] = (uint8_t)index;
	}
}

void refdec_make_set(refdec_set *s, const uint8_t shape[16])
{
	uint32_t weight[16], total = 0, sum = 0, left[16];
	int largest = 0, poor[16], rich[16], poors = 0, riches = 0;

	for (int i = 0; i < 16; i++) {
		weight[i] = shape[i] ? (8 + (shape[i] - 1u) % 8) << (shape[i] - 1) / 8 : 0;
		total += weight[i];
	}
	for (int i = 0; i < 16; i++) {
		const uint64_t f = total ? UINT64_C(4096) * weight[i] / total : 256;
		s->frequency[i] = weight[i] && !f ? 1 : (uint32_t)f;
		sum += s->frequency[i];
		largest = s->frequency[i] > s->frequency[largest] ? i : largest;
	}
	s->frequency[largest] += 4096 - sum;
	if (s->frequency[largest] == 4096) {
		s->frequency[largest] = 4095;
		s->frequency[(largest + 1) % 16] = 1;
	}
	for (int i = 0; i < 16; i++) {
		left[i] = s->frequency[i];
		s->first[i] = 256;
		if (left[i] < 256)
			poor[poors++] = i;
		if (left[i] > 256)
			rich[riches++] = i;
	}
	while (poors && riches) {
		const int i = poor[--poors], j = rich[riches - 1];
		s->first[i] = left[i];
		s->other[i] = (uint32_t)j;
		s->start[i] = left[j] -= 256 - left[i];
		riches -= left[j] <= 256;
		if (left[j] < 256)
			poor[poors++] = j;
	}
}

/* [7.5, 11.3] */
void refdec_read_shapes(refdec *d, refdec_set sets[64], const uint8_t builtin[64][16])
{
	uint8_t shape[16];
	int some = 0;

	for (int l = 0; l < 64; l++)
		refdec_make_set(&sets[l], builtin[l]);
	if (!refdec_read_bits(d, 1))
		return;
	const uint32_t first = refdec_read_bits(d, 6), last = refdec_read_bits(d, 6);
	for (uint32_t l = first; l <= last; l++) {
		if (!refdec_read_bits(d, 1))
			continue;
		if (!some++)
			memcpy(shape, builtin[l], sizeof shape);
		refdec_read_shape(d, shape);
		refdec_make_set(&sets[l], shape);
	}
}

/* --------------------------------------------- [7.3] states, words and numbers */

void refdec_fill(refdec *d, uint32_t *x)
{
	if (*x >> 16)
		return;
	need(d, d->bits_end - d->bits >= 2);
	*x = *x << 16 | refdec_u16(d->bits);
	d->bits += 2;
}

int refdec_take_symbol(refdec *d, uint32_t *x, const refdec_set *s)
{
	const uint32_t i = *x % 4096 / 256, r = *x % 256;
	const int own = r < s->first[i];
	const uint32_t symbol = own ? i : s->other[i], place = own ? r : s->start[i] + r - s->first[i];

	*x = s->frequency[symbol] * (*x / 4096) + place;
	refdec_fill(d, x);
	return (int)symbol;
}

uint32_t refdec_take_raw(refdec *d, uint32_t *x, int n)
{
	const uint32_t raw = *x % (1u << n);

	*x >>= n;
	refdec_fill(d, x);
	return raw;
}
