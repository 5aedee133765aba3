/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the coder of coefficients (jpeg/model.h, jpeg/code.h), and what its levels share. */
#include <string.h>

#include "jpeg/code.h"
#include "lossless/bits.h"

/* clang-format off */
const uint8_t xc_jpeg_inner[XC_JPEG_INNER] = {
	4, 7, 8, 11, 12, 13, 16, 17, 18, 19, 22, 23, 24, 25, 26, 29, 30, 31, 32, 33, 34, 36, 37, 38,
	39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
	63};

const uint8_t xc_jpeg_zigzag[64] = {
	0, 1, 5, 6, 14, 15, 27, 28, 2, 4, 7, 13, 16, 26, 29, 42, 3, 8, 12, 17, 25, 30, 41, 43,
	9, 11, 18, 24, 31, 40, 44, 53, 10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38, 46, 51, 55, 60,
	21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63};

const xc_jpeg_near xc_jpeg_nears[64] = {
	{64, 64, 64, 64, 64, 64, 64, 64}, {64, 64, 4, 8, 5, 6, 7, 64}, {64, 64, 4, 7, 3, 9, 8, 64},
	{2, 64, 8, 12, 9, 10, 11, 4}, {1, 2, 8, 7, 12, 11, 13, 64}, {64, 1, 7, 12, 6, 14, 13, 4},
	{64, 5, 13, 17, 14, 15, 16, 7}, {5, 4, 12, 13, 17, 18, 16, 8}, {4, 3, 11, 12, 18, 19, 17, 64},
	{3, 64, 11, 18, 10, 20, 19, 8}, {9, 64, 19, 23, 20, 21, 22, 11}, {8, 9, 19, 18, 23, 22, 24, 12},
	{7, 8, 18, 17, 24, 23, 25, 13}, {6, 7, 17, 16, 25, 24, 26, 64}, {64, 6, 16, 25, 15, 27, 26, 13},
	{64, 14, 26, 30, 27, 28, 29, 16}, {14, 13, 25, 26, 30, 31, 29, 17}, {13, 12, 24, 25, 31, 32, 30, 18},
	{12, 11, 23, 24, 32, 33, 31, 19}, {11, 10, 22, 23, 33, 34, 32, 64}, {10, 64, 22, 33, 21, 35, 34, 19},
	{20, 64, 34, 37, 35, 64, 36, 22}, {19, 20, 34, 33, 37, 36, 38, 23}, {18, 19, 33, 32, 38, 37, 39, 24},
	{17, 18, 32, 31, 39, 38, 40, 25}, {16, 17, 31, 30, 40, 39, 41, 26}, {15, 16, 30, 29, 41, 40, 42, 64},
	{64, 15, 29, 41, 28, 64, 42, 26}, {64, 27, 42, 43, 64, 64, 64, 29}, {27, 26, 41, 42, 43, 44, 64, 30},
	{26, 25, 40, 41, 44, 45, 43, 31}, {25, 24, 39, 40, 45, 46, 44, 32}, {24, 23, 38, 39, 46, 47, 45, 33},
	{23, 22, 37, 38, 47, 48, 46, 34}, {22, 21, 36, 37, 48, 64, 47, 64}, {21, 64, 36, 48, 64, 64, 64, 34},
	{34, 35, 64, 48, 64, 64, 49, 37}, {33, 34, 48, 47, 49, 64, 50, 38}, {32, 33, 47, 46, 50, 49, 51, 39},
	{31, 32, 46, 45, 51, 50, 52, 40}, {30, 31, 45, 44, 52, 51, 53, 41}, {29, 30, 44, 43, 53, 52, 64, 42},
	{28, 29, 43, 64, 64, 53, 64, 64}, {42, 41, 53, 64, 64, 54, 64, 44}, {41, 40, 52, 53, 54, 55, 64, 45},
	{40, 39, 51, 52, 55, 56, 54, 46}, {39, 38, 50, 51, 56, 57, 55, 47}, {38, 37, 49, 50, 57, 64, 56, 48},
	{37, 36, 64, 49, 64, 64, 57, 64}, {47, 48, 64, 57, 64, 64, 58, 50}, {46, 47, 57, 56, 58, 64, 59, 51},
	{45, 46, 56, 55, 59, 58, 60, 52}, {44, 45, 55, 54, 60, 59, 64, 53}, {43, 44, 54, 64, 64, 60, 64, 64},
	{53, 52, 60, 64, 64, 61, 64, 55}, {52, 51, 59, 60, 61, 62, 64, 56}, {51, 50, 58, 59, 62, 64, 61, 57},
	{50, 49, 64, 58, 64, 64, 62, 64}, {56, 57, 64, 62, 64, 64, 63, 59}, {55, 56, 62, 61, 63, 64, 64, 60},
	{54, 55, 61, 64, 64, 63, 64, 64}, {60, 59, 63, 64, 64, 64, 64, 62}, {59, 58, 64, 63, 64, 64, 64, 64},
	{61, 62, 64, 64, 64, 64, 64, 64}};
/* clang-format on */

/* ------------------------------------------------------------------ files */

/* The square root of 2 times a cosine that falls with the frequency, in 1/1024. */
static const uint16_t across[8] = {1024, 1443, 1426, 1398, 1359, 1309, 1249, 1180};

static int32_t weight(const uint16_t steps[64], int at, int from, int frequency)
{
	const uint32_t to = steps[xc_jpeg_zigzag[at]];
	const uint32_t w = ((uint32_t)across[frequency] * steps[xc_jpeg_zigzag[from]] + to / 2) / to;

	return w > INT16_MAX ? INT16_MAX : (int32_t)w;
}

void xc_jpeg_coding_make(const xc_jpeg *j, xc_jpeg_coding *coding)
{
	static const uint8_t pairs[4][2] = {{1, 3}, {5, 7}, {2, 4}, {6, 0}};

	memset(coding, 0, sizeof *coding);
	coding->components = j->components;
	for (int i = 0; i < 2 * 64; i++)
		for (int w = 0; w < XC_JPEG_WEIGHTS; w++)
			coding->weights[i / 64][i % 64][w] = xc_jpeg_weights[i / 64][i % 64][w] * 0x10001U;
	for (int c = 0; c < j->components; c++) {
		coding->columns[c] = j->component[c].columns;
		coding->h[c] = j->component[c].h;
		coding->v[c] = j->component[c].v;
		coding->chroma[c] = j->components == 3 && c > 0;
		for (int i = 0; i < 8; i++)
			for (int p = 0; p < 4; p++) {
				const int a = pairs[p][0], b = pairs[p][1];
				int32_t *const left = &coding->across[c][0][i][p], *const up =
																	   &coding->across[c][1][i][p];
				*left = weight(j->steps[c], 8 * i, 8 * i + a, a);
				*up = weight(j->steps[c], i, 8 * a + i, a);
				if (!b)
					continue;
				*left |= weight(j->steps[c], 8 * i, 8 * i + b, b) << 16;
				*up |= weight(j->steps[c], i, 8 * b + i, b) << 16;
			}
	}
}

uint32_t xc_jpeg_bundle_of(const xc_jpeg_coding *k, const xc_jpeg_band *b)
{
	uint64_t blocks = 0;

	for (int c = 0; c < k->components; c++)
		blocks += (uint64_t)b->rows * k->v[c] * (b->columns ? b->columns * k->h[c] : k->columns[c]);
	return XC_JPEG_BUNDLE(blocks);
}

uint32_t xc_jpeg_lanes_of(const xc_jpeg_coding *k, const xc_jpeg_band *b)
{
	const uint32_t bundle = xc_jpeg_bundle_of(k, b);
	uint32_t rows = 0;

	for (int c = 0; c < k->components; c++)
		rows = k->v[c] * b->rows > rows ? k->v[c] * b->rows : rows;
	return rows < bundle ? rows : bundle;
}

/* Steps of lanes through the blocks of a band, or of a smaller one, at most. With n < 16 lanes there are fewer than
 * 64 n blocks, which take 64 steps where all lanes work; the others are in the last bundle of a component, and where
 * lanes begin late. */
static size_t steps_of(const xc_jpeg_coding *k, uint32_t rows)
{
	size_t full = 0, fewer = 64;

	for (int c = 0; c < k->components; c++) {
		full += ((size_t)k->v[c] * rows + 15) / 16 * ((size_t)k->columns[c] + 15);
		fewer += (size_t)k->columns[c] + (size_t)k->v[c] * rows + 8;
	}
	return full > fewer ? full : fewer;
}

size_t xc_jpeg_above_bytes(const xc_jpeg_coding *k)
{
	uint32_t max = 0;

	for (int c = 0; c < k->components; c++)
		max = k->columns[c] > max ? k->columns[c] : max;
	/* The states of a coded segment may come before its first record: 128 bytes. */
	return (max * sizeof(xc_jpeg_above) + 64 + 63) / 64 * 64;
}

size_t xc_jpeg_decode_scratch(const xc_jpeg_coding *k)
{
	return xc_jpeg_above_bytes(k);
}

size_t xc_jpeg_encode_scratch(const xc_jpeg_coding *k, uint32_t rows)
{
	/* A class, two last coefficients, 64 numbers. */
	return xc_jpeg_above_bytes(k) + steps_of(k, rows) * 67 * sizeof(xc_jpeg_record);
}

/* ----------------------------------------------------------------- shapes */

void xc_jpeg_encode_codes_make(xc_shape_index shapes[XC_JPEG_SHAPES],
                               const uint8_t used[XC_JPEG_SHAPES], xc_jpeg_encode_codes *k)
{
	for (int i = 0; i < XC_JPEG_SHAPES; i++) {
		if (!used[i])
			continue;
		xc_bucket *b = k->buckets + XC_SYMBOLS * i;
		uint16_t f[XC_SYMBOLS], slot[XC_FREQUENCY_ONE],
			*to = k->bucket_of + XC_FREQUENCY_ONE / 4 * i;
		xc_shape_frequencies(shapes[i], f);
		xc_buckets_make(f, b);
		xc_code_make(f, b, k->symbols + XC_SYMBOLS * i, slot);
		for (const uint16_t *s = slot; s < slot + XC_FREQUENCY_ONE; s += 4)
			*to++ = (uint16_t)(s[0] >> 8 | s[1] >> 8 << 4 | s[2] >> 8 << 8 | s[3] >> 8 << 12);
	}
}

void xc_jpeg_decode_codes_make(xc_shape_index shapes[XC_JPEG_SHAPES], xc_jpeg_decode_codes *k)
{
	for (int i = 0; i < XC_JPEG_SHAPES; i++) {
		uint16_t f[XC_SYMBOLS];
		xc_shape_frequencies(shapes[i], f);
		xc_buckets_make(f, k->buckets + XC_SYMBOLS * i);
	}
}

void xc_jpeg_choose_shapes(xc_jpeg_counts *counts, int n, xc_shape_index shapes[XC_JPEG_SHAPES],
                           uint8_t used[XC_JPEG_SHAPES])
{
	for (int i = 0; i < XC_JPEG_SHAPES; i++) {
		uint32_t sum[XC_SYMBOLS] = {0}, some = 0;
		xc_shape_index own;
		for (int k = 0; k < 2 * n; k++)
			for (int s = 0; s < XC_SYMBOLS; s++)
				sum[s] += counts[k / 2][k % 2][i][s];
		for (int s = 0; s < XC_SYMBOLS; s++)
			some |= sum[s];
		/* Lanes without a symbol look the first one up. */
		used[i] = some || !i;
		if (!some)
			continue;
		xc_shape_of_counts(sum, own);
		const uint64_t table = 64 * (uint64_t)xc_shape_bits(own, shapes[i]);
		if (xc_shape_cost(sum, own) + table < xc_shape_cost(sum, shapes[i]))
			memcpy(shapes[i], own, sizeof own);
	}
}

uint8_t *xc_jpeg_shapes_write(xc_shape_index shapes[XC_JPEG_SHAPES], uint8_t *out)
{
	xc_side_writer w = {.next = out};
	xc_shape_index builtin[XC_JPEG_SHAPES];

	xc_jpeg_builtin_shapes(builtin);
	const int own = memcmp(builtin, shapes, sizeof builtin) != 0;
	xc_put_bits(&w, 1, (uint32_t)own);
	for (int i = 0; own && i < XC_JPEG_SHAPES; i++) {
		const int differs = memcmp(builtin[i], shapes[i], sizeof *builtin) != 0;
		xc_put_bits(&w, 1, (uint32_t)differs);
		if (differs)
			xc_put_shape(&w, shapes[i], builtin[i]);
	}
	return xc_end_bits(&w);
}

const uint8_t *xc_jpeg_shapes_read(const uint8_t *data, const uint8_t *end,
                                   xc_shape_index shapes[XC_JPEG_SHAPES])
{
	xc_side_reader r = {.next = data, .end = end};

	xc_jpeg_builtin_shapes(shapes);
	const uint32_t own = xc_get_bits(&r, 1);
	for (int i = 0; own && i < XC_JPEG_SHAPES; i++) {
		xc_shape_index builtin;
		memcpy(builtin, shapes[i], sizeof builtin);
		if (xc_get_bits(&r, 1) && !xc_get_shape(&r, builtin, shapes[i]))
			return NULL;
	}
	return r.bad ? NULL : r.next;
}

/* ----------------------------------------------------------------- levels */

extern const xc_jpeg_level xc_jpeg_scalar, xc_jpeg_avx2, xc_jpeg_avx512;

const xc_jpeg_level *xc_jpeg_level_get(xc_cpu cpu)
{
	static const xc_jpeg_level *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &xc_jpeg_scalar,
	     XC_CPU_ENTRY_SSE2(&xc_jpeg_scalar) XC_CPU_ENTRY_NEON(&xc_jpeg_scalar)
	         XC_CPU_ENTRY_AVX2(&xc_jpeg_avx2) XC_CPU_ENTRY_AVX512(&xc_jpeg_avx512)};

	return levels[cpu];
}
