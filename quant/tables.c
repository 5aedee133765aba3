/* SPDX-License-Identifier: BSD-2-Clause */
/* The built-in tables and their scaling. All steps are integers, and the tables of the kernels are
 * rounded once from double, so that every machine gets the same. */
#include "quant/tables.h"

#include <math.h>
#include <string.h>

#define XC_V float
#include "transform/dct8.h"

/* ITU-T T.81, Annex K, tables K.1 and K.2. */
static const uint16_t annex_k_luma[64] = {
	16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
	14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
	18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
	49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
};
static const uint16_t annex_k_chroma[64] = {
	17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
	99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
	99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
};

void xc_quant_tables_annex_k(xc_quant_tables *tables)
{
	if (!tables)
		return;
	memcpy(tables->luma, annex_k_luma, sizeof tables->luma);
	memcpy(tables->chroma, annex_k_chroma, sizeof tables->chroma);
}

void xc_quant_tables_flat(xc_quant_tables *tables)
{
	if (!tables)
		return;
	for (int i = 0; i < 64; i++)
		tables->luma[i] = tables->chroma[i] = 16;
}

void xc_quant_tables_sloped(xc_quant_tables *tables)
{
	if (!tables)
		return;
	for (int i = 0; i < 64; i++) {
		const int along = i / 8 + i % 8;
		tables->luma[i] = (uint16_t)((160 + 16 * along + 5) / 10);
		tables->chroma[i] = (uint16_t)(20 + 2 * along);
	}
}

static uint64_t percentage(int quality)
{
	return quality < 50 ? 5000 / (uint64_t)quality : 200 - 2 * (uint64_t)quality;
}

/* Steps of base * scale / one, of samples up to a peak. */
static void scale_steps(const uint16_t base[64], uint64_t scale, uint64_t one, uint32_t peak,
                        uint32_t steps[64])
{
	const uint64_t whole = 255 * one, max = 65535;

	for (int i = 0; i < 64; i++) {
		const uint64_t step = (base[i] * scale * peak + whole / 2) / whole;
		steps[i] = (uint32_t)(step < 1 ? 1 : step > max ? max : step);
	}
}

void xc_quant_scale(const uint16_t base[64], int quality, uint32_t peak, uint32_t steps[64])
{
	scale_steps(base, percentage(quality), 100, peak, steps);
}

uint32_t xc_quant_sloped_scale(int quality)
{
	/* Roots and products are rounded exactly, so this is the same everywhere. */
	const double p = (double)percentage(quality) / 100;
	const double curve = p > 1 ? sqrt(p * sqrt(sqrt(p))) : sqrt(p * sqrt(p));

	return (uint32_t)(244 * curve + 0.5);
}

void xc_quant_scale_by(const uint16_t base[64], uint32_t scale, uint32_t peak, uint32_t steps[64])
{
	scale_steps(base, scale, 256, peak, steps);
}

/* Reverses the bits of a number below 64: neighbours get numbers far apart. */
static uint32_t reverse(uint32_t i)
{
	return (i & 1) << 5 | (i & 2) << 3 | (i & 4) << 1 | (i & 8) >> 1 | (i & 16) >> 3 | i >> 5;
}

void xc_quant_curve_steps(const xc_quant_curve *curve, uint32_t peak, uint32_t steps[64])
{
	/* The unit of a product: 64ths of a factor, 144ths of x (1 - x), 256ths of a scale, and a peak.
	 * A factor is 0 to 50508, so 128 times the product of all is below 2^55. */
	const uint64_t whole = UINT64_C(64) * 144 * 256 * 255, max = 65535;

	for (uint32_t i = 0; i < 64; i++) {
		const int d = (int)(i / 8 + i % 8), x = d - 2;
		const int factor = d < 3 ? 144 * curve->low[d]
		                         : 144 * 64 + 12 * curve->slope * x + curve->bend * x * (12 - x);
		const uint64_t exact = (uint64_t)factor * curve->scale * peak;
		const uint64_t step = (128 * exact + whole * (2 * reverse(i) + 1)) / (128 * whole);
		steps[i] = (uint32_t)(step < 1 ? 1 : step > max ? max : step);
	}
}

/* Points of a function of quality, with straight lines between them. */
typedef struct point {
	uint8_t quality;
	int16_t value[11]; /* luma's low factors, slope and bend, chroma's, and its ratio to luma */
} point;

static const point eye_half[] = {
	{28, {27, 37, 64, 160, 38, 19, 40, 49, 38, -26, 66}},
	{74, {32, 46, 64, 147, 38, 23, 50, 61, 26, 13, 66}},
	{94, {28, 46, 64, 70, 26, 19, 41, 49, 38, -13, 66}},
};
static const point eye_full[] = {
	{41, {22, 29, 49, 93, -13, 26, 64, 74, 122, 48, 94}},
	{84, {24, 32, 48, 74, -19, 28, 56, 79, 154, 48, 95}},
	{95, {25, 35, 49, 54, -51, 21, 52, 55, 102, 29, 108}},
};
/* The scale of luma. */
static const struct {
	uint8_t quality;
	uint16_t scale[2]; /* with chroma of half size, of full size */
} eye_scales[] = {
	{1, {60000, 65000}}, {10, {16000, 19500}}, {20, {8150, 10200}}, {30, {6080, 7800}},
	{40, {4830, 6300}},  {50, {4260, 5650}},   {60, {3730, 5060}},  {70, {3040, 4250}},
	{75, {2730, 3810}},  {80, {2360, 3250}},   {85, {1970, 2720}},  {90, {1475, 2050}},
	{92, {1300, 1750}},  {95, {860, 870}},     {97, {560, 560}},    {98, {420, 420}},
	{99, {270, 270}},    {100, {0, 0}},
};

/* The value of a line from a to b at a quality in 256ths between theirs; beyond them, a's or b's. */
static int32_t between(uint32_t quality, int32_t from, int32_t to, int32_t a, int32_t b)
{
	const int32_t way = 256 * (to - from), done = (int32_t)quality - 256 * from;
	const int32_t held = done < 0 ? 0 : done > way ? way : done;

	return a + ((b - a) * held + (b > a ? way : -way) / 2) / way;
}

void xc_quant_eye_curves(uint32_t quality, int full, xc_quant_curve curves[2])
{
	const point *p = full ? eye_full : eye_half;
	int32_t v[11];
	int i = 1;

	p += quality > 256u * p[1].quality;
	for (int k = 0; k < 11; k++)
		v[k] = between(quality, p[0].quality, p[1].quality, p[0].value[k], p[1].value[k]);
	while (quality > 256u * eye_scales[i].quality)
		i++;
	const int32_t scale = between(quality, eye_scales[i - 1].quality, eye_scales[i].quality,
	                              eye_scales[i - 1].scale[full], eye_scales[i].scale[full]);
	for (int c = 0; c < 2; c++) {
		const int32_t *of = v + 5 * c, scaled = c ? (scale * v[10] + 32) / 64 : scale;
		curves[c] = (xc_quant_curve){(uint16_t)(scaled < 65535 ? scaled : 65535),
		                             {(uint8_t)of[0], (uint8_t)of[1], (uint8_t)of[2]},
		                             (uint8_t)of[3],
		                             (int8_t)of[4]};
	}
}

void xc_quant_between(const uint32_t coarse[64], const uint32_t fine[64], uint32_t part, int chroma,
                      uint32_t steps[64])
{
	for (uint32_t i = 0; i < 64; i++) {
		const uint64_t way = (uint64_t)(coarse[i] - fine[i]) * part;
		const uint32_t turn = 4 * reverse(i) + (chroma ? 2 : 0);
		steps[i] = coarse[i] - (uint32_t)((way + turn) / 256);
	}
}

static const double aan[8] = XC_AAN_SCALES;

/* 1: the block step is the DCT of transform/dct8.h, with its scaling. */
static int has_dct(xc_transform t)
{
	return t == XC_TRANSFORM_DCT || t == XC_TRANSFORM_TDLT;
}

/* The factor, except for a power of two, by which the coefficient of frequencies u and v exceeds
 * the orthonormal one after the forward transform, and before the inverse. */
static double scale(xc_transform t, int u, int v)
{
	return has_dct(t) ? aan[u] * aan[v] : 1;
}

static double power(xc_transform t)
{
	return has_dct(t) ? 8 : 1;
}

void xc_quant_forward_table(xc_transform t, const uint32_t steps[64], int parts, float table[64])
{
	for (int u = 0; u < 8; u++)
		for (int v = 0; v < 8; v++)
			table[u * 8 + v] = (float)(parts / (power(t) * scale(t, u, v) * steps[v * 8 + u]));
}

void xc_quant_inverse_table(xc_transform t, const uint32_t steps[64], int parts, float table[64])
{
	for (int u = 0; u < 8; u++)
		for (int v = 0; v < 8; v++)
			table[u * 8 + v] = (float)(scale(t, u, v) * steps[v * 8 + u] / (power(t) * parts));
}
