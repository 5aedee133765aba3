/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every SIMD level's kernels against the plain C ones, bit by bit: all layouts, odd
 * lengths, odd addresses, extreme values.  The slack after the input differs from call to
 * call and must not matter; nothing may be written past the last pixel.
 * tests/unit/check_kernels_definition.c holds plain C to the definitions.
 */
#include <stdlib.h>
#include <string.h>

#include "quant/tables.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"
#include "tests/support/kernel_calls.h"

enum { LONGEST = 1027, CANARY = 64, PATTERNS = 6 };

static const xc_kernels *scalar, *level;
static uint64_t seed = 1;

static uint32_t random_bits(void)
{
	return (uint32_t)(check_random(&seed) >> 32);
}

/* All lengths up to four of the longest vectors, then some long ones. */
static size_t next_length(size_t n)
{
	return n < 70 ? n + 1 : n < 255 ? 255 : n < 256 ? 256 : n < 1000 ? 1000 : n + 27;
}

/* Bytes of a sample. */
static unsigned bytes_of(int layout)
{
	return is_depth16(layout) ? 2 : 1;
}

/* Calls a case for every kind, layout, length and pattern. */
static void all_pixels(int kinds, void (*one)(int kind, int layout, int pattern, size_t n))
{
	for (int kind = 0; kind < kinds; kind++)
		for (int layout = 0; layout < XC_PIXEL_KINDS; layout++)
			for (size_t n = 1; n <= LONGEST; n = next_length(n))
				for (int pattern = 0; pattern < PATTERNS; pattern++)
					one(kind, layout, pattern, n);
}

/* --------------------------------------------------------- pixels to planes */

static uint16_t sample(int pattern, size_t i, uint16_t max)
{
	const uint32_t r = random_bits();
	const uint32_t samples[PATTERNS] = {0, max, i % 2 ? max : 0, i * 259, r & 1 ? max : 0, r};
	return (uint16_t)samples[pattern] & max;
}

/* n pixels and XC_SLACK random ones; 8-bit rows begin at an odd address. */
static uint8_t *make_pixels(int layout, size_t n, int pattern, uint8_t **memory)
{
	const size_t width = bytes_of(layout), samples = n * channels_of(layout);
	const size_t slack = XC_SLACK * channels_of(layout);

	*memory = xc_test_malloc(width + (samples + slack) * width);
	uint8_t *p = *memory + width;
	for (size_t i = 0; i < samples + slack; i++) {
		const uint16_t max = width == 1 ? 255 : 65535;
		const uint16_t v = i < samples ? sample(pattern, i, max) : (uint16_t)random_bits() & max;
		if (width == 1)
			p[i] = (uint8_t)v;
		else
			memcpy(p + 2 * i, &v, 2);
	}
	return p;
}

/* A copy of them with another slack. */
static uint8_t *copy_pixels(const uint8_t *from, int layout, size_t n, uint8_t **memory)
{
	uint8_t *p = make_pixels(layout, n, 0, memory);
	memcpy(p, from, n * channels_of(layout) * bytes_of(layout));
	return p;
}

static void forward_case(int kind, int layout, int pattern, size_t n)
{
	const size_t chroma = kind == LUMA ? 0 : kind == F444 ? n : n / 2;
	const size_t lengths[4] = {n, chroma, chroma, kind == F420 ? n : 0};
	uint8_t *memory[4];
	const void *rows[2], *copies[2];
	float *a[4], *b[4];
	const size_t room = (n + XC_SLACK) * sizeof(float);

	if ((kind != LUMA && channels_of(layout) < 3) || (kind >= F422 && n % 2))
		return;
	for (int i = 0; i < 2; i++) {
		rows[i] = make_pixels(layout, n, pattern, &memory[i]);
		copies[i] = copy_pixels(rows[i], layout, n, &memory[2 + i]);
	}
	for (int i = 0; i < 4; i++) {
		a[i] = memset(xc_test_malloc(room), 0x55, room);
		b[i] = memset(xc_test_malloc(room), 0xaa, room);
	}
	call_forward(scalar, kind, layout, rows, n, a);
	call_forward(level, kind, layout, copies, n, b);
	for (int i = 0; i < 4; i++) {
		CHECK(!memcmp(a[i], b[i], lengths[i] * sizeof(float)),
		      "%s, layout %d, pattern %d, %zu pixels, plane %d", forward_names[kind], layout,
		      pattern, n, i);
		free(memory[i]);
		free(a[i]);
		free(b[i]);
	}
}

static void pixels_to_planes(void)
{
	all_pixels(COUNT(forward_names), forward_case);
}

/* --------------------------------------------------------- planes to pixels */

/* Around the range, far outside, on ties, beside them, extreme, and at the range's ends. */
static float plane_sample(int pattern, float max)
{
	const float v = (float)(random_bits() % 0x1000000) / 0x1000000;
	const int coin = random_bits() & 1;
	const float samples[PATTERNS] = {
		(v - 0.5f) * max,
		(v - 0.5f) * 4 * max,
		(float)(int32_t)(v * max) - max / 2 + 0.5f,
		(float)(int32_t)(v * 2 * max) * 0.25f - max / 2,
		(coin ? 1e12f : -1e12f) * v,
		coin ? -0.0f : max / 2,
	};

	return samples[pattern];
}

/* n samples, two before them, and random ones in the slack. */
static float *make_plane(int pattern, size_t n, int layout, float **memory)
{
	const float max = is_depth16(layout) ? 65535 : 255;

	*memory = xc_test_malloc((2 + n + XC_SLACK) * sizeof(float));
	for (size_t i = 0; i < 2 + n + XC_SLACK; i++)
		(*memory)[i] = plane_sample(i < 2 + n ? pattern : 0, max);
	return *memory + 2;
}

static float *copy_plane(const float *from, size_t n, int layout, float **memory)
{
	float *p = make_plane(0, n, layout, memory);
	memcpy(p - 2, from - 2, (n + 2) * sizeof(float));
	return p;
}

static void output_case(int kind, int layout, int pattern, size_t n)
{
	const size_t odd = bytes_of(layout), end = odd + n * channels_of(layout) * bytes_of(layout);
	uint8_t *out[2];
	float *memory[2][3], *p[2][3];

	if (kind != GREY && channels_of(layout) < 3)
		return;
	for (int i = 0; i < 3; i++) {
		/* Half width: (n + 1) / 2 samples and one more. */
		const int half = kind == HALF || kind == QUARTER;
		const size_t samples = i && half ? (n + 1) / 2 + 1 : n;
		p[0][i] = make_plane(pattern, samples, layout, &memory[0][i]);
		p[1][i] = copy_plane(p[0][i], samples, layout, &memory[1][i]);
	}
	for (int k = 0; k < 2; k++) {
		out[k] = memset(xc_test_malloc(end + CANARY), 0xa5, end + CANARY);
		const xc_chroma_rows near = {p[k][1], p[k][2]}, far = {p[k][2], p[k][1]};
		call_output(k ? level : scalar, kind, layout, p[k][0], &near, &far, n,
		            kind == FULL ? 1 : 1.0f / 16, out[k] + odd);
	}
	CHECK(!memcmp(out[0], out[1], end), "%s width, layout %d, pattern %d, %zu pixels",
	      output_names[kind], layout, pattern, n);
	for (int k = 0; k < 2; k++) {
		for (size_t i = 0; i < CANARY; i++)
			CHECK(out[k][end + i] == 0xa5, "%s width, layout %d, %zu pixels: byte %zu past the end",
			      output_names[kind], layout, n, i);
		for (int i = 0; i < 3; i++)
			free(memory[k][i]);
		free(out[k]);
	}
}

static void planes_to_pixels(void)
{
	all_pixels(COUNT(output_names), output_case);
}

/* -------------------------------------------------------------------- pairs */

/* The scalar kernel is held to a plain loop, and the level to the scalar kernel. */
static void pairs_of(size_t n)
{
	uint8_t *pairs = xc_test_malloc(2 * (n + XC_SLACK) + 1), *in = pairs + 1;
	float *p[2], *memory[2];
	uint8_t *out[2];

	for (size_t i = 0; i < 2 * (n + XC_SLACK); i++)
		in[i] = (uint8_t)random_bits();
	for (int k = 0; k < 2; k++) {
		p[k] = xc_test_malloc((n + XC_SLACK) * sizeof(float));
		out[k] = memset(xc_test_malloc(2 * n + CANARY), 0xa5, 2 * n + CANARY);
	}
	level->forward_pairs(in, n, p[0], p[1]);
	for (size_t i = 0; i < 2 * n; i++)
		CHECK(p[i % 2][i / 2] == (float)in[i] - 128, "%zu pairs, sample %zu", n, i);
	for (int k = 0; k < 2; k++)
		free(p[k]);
	for (int k = 0; k < 2; k++)
		p[k] = make_plane(k, n, 0, &memory[k]);
	scalar->output_pairs(p[0], p[1], n, out[0]);
	level->output_pairs(p[0], p[1], n, out[1]);
	CHECK(!memcmp(out[0], out[1], 2 * n + CANARY), "%zu pairs", n);
	for (int k = 0; k < 2; k++) {
		OWN_MEMORY uint8_t *row = xc_test_malloc(n + 1);
		level->output_grey[XC_LAYOUT_GREY](p[k], n, row);
		for (size_t i = 0; i < n; i++)
			CHECK(out[1][2 * i + (size_t)k] == row[i], "%zu pairs, pair %zu, %d", n, i, k);
		for (size_t i = 0; i < CANARY; i++)
			CHECK(out[k][2 * n + i] == 0xa5, "%zu pairs: byte %zu past the end", n, i);
	}
	for (int k = 0; k < 2; k++) {
		free(memory[k]);
		free(out[k]);
	}
	free(pairs);
}

static void pairs(void)
{
	for (size_t n = 1; n <= LONGEST; n = next_length(n))
		pairs_of(n);
}

/* --------------------------------------------------------------- transforms */

/* Rows of `blocks` blocks as the encoder has them: inside +-most. */
static float *make_rows(size_t blocks, size_t stride, float max, int pattern)
{
	float *p = xc_test_malloc((7 * stride + blocks * 8 + XC_SLACK) * sizeof(float));

	for (size_t i = 0; i < 7 * stride + blocks * 8 + XC_SLACK; i++) {
		const uint32_t r = random_bits();
		p[i] = pattern == 0   ? max
		       : pattern == 1 ? (i + i / stride) % 2 ? max : -max
		       : pattern == 2 ? r & 1 ? max : -max
		                      : ((float)(r >> 8) / 0x800000 - 1) * max;
	}
	return p;
}

static void fdct_case(xc_transform t, size_t blocks, int depth16, int pattern,
                      const uint32_t steps[64])
{
	const size_t stride = blocks * 8 + blocks % 3 * 5 + XC_SLACK, size = depth16 ? 4 : 2;
	float table[64];
	OWN_MEMORY float *const a = make_rows(blocks, stride, depth16 ? 32768 : 128, pattern);
	uint8_t *const out[2] = {xc_test_malloc(blocks * 64 * size + CANARY),
	                         xc_test_malloc(blocks * 64 * size + CANARY)};

	xc_quant_forward_table(XC_TRANSFORM_DCT, steps, 1, table);
	for (int i = 0; i < 2; i++) {
		const xc_kernels *k = i ? level : scalar;
		memset(out[i], 0xa5, blocks * 64 * size + CANARY);
		if (depth16)
			k->transform[t]->forward32(a, stride, table, blocks, (int32_t *)(void *)out[i]);
		else
			k->transform[t]->forward16(a, stride, table, blocks, (int16_t *)(void *)out[i]);
	}
	CHECK(!memcmp(out[0], out[1], blocks * 64 * size + CANARY),
	      "%zu blocks, stride %zu, deep %d, pattern %d", blocks, stride, depth16, pattern);
	for (int i = 0; i < 2; i++)
		free(out[i]);
}

/* The transform alone, by any level, and then quantization give what both at once give. */
static void exact_case(xc_transform t, size_t blocks, int depth16, int pattern,
                       const uint32_t steps[64])
{
	const size_t stride = blocks * 8 + XC_SLACK, bytes = blocks * 64 * (depth16 ? 4 : 2);
	float table[64];
	OWN_MEMORY float *const a = make_rows(blocks, stride, depth16 ? 32768 : 128, pattern);
	OWN_MEMORY float *const exact = xc_test_malloc(blocks * 64 * sizeof *exact);
	uint8_t *const out[2] = {xc_test_malloc(bytes + CANARY), xc_test_malloc(bytes + CANARY)};

	xc_quant_forward_table(XC_TRANSFORM_DCT, steps, 1, table);
	for (int i = 0; i < 2; i++)
		memset(out[i], 0xa5, bytes + CANARY);
	level->transform[t]->forward_exact(a, stride, blocks, exact);
	if (depth16) {
		scalar->transform[t]->forward32(a, stride, table, blocks, (int32_t *)(void *)out[0]);
		level->quantize32(exact, table, blocks, (int32_t *)(void *)out[1]);
	} else {
		scalar->transform[t]->forward16(a, stride, table, blocks, (int16_t *)(void *)out[0]);
		level->quantize16(exact, table, blocks, (int16_t *)(void *)out[1]);
	}
	CHECK(!memcmp(out[0], out[1], bytes + CANARY), "%zu blocks, deep %d, pattern %d", blocks,
	      depth16, pattern);
	for (int i = 0; i < 2; i++)
		free(out[i]);
}

/* Sparse or full blocks, large or small values; every third has only its DC, which
 * the kernels may treat in a short way of their own. */
static void make_coefficients(size_t blocks, int depth16, int pattern, int32_t *wide,
                              int16_t *narrow)
{
	for (size_t b = 0; b < blocks; b++) {
		const int dc_only = pattern == 3 || (pattern && random_bits() % 3 == 0);
		for (size_t i = 0; i < 64; i++) {
			const uint32_t r = random_bits();
			const int available = i == 0 || (!dc_only && (pattern == 1 || r % 8 == 0));
			const int32_t v = (int32_t)random_bits() >> (depth16 ? 4 : 16);
			wide[b * 64 + i] = available ? pattern == 2 ? v >> 8 : v : 0;
			narrow[b * 64 + i] = (int16_t)wide[b * 64 + i];
		}
	}
}

static void idct_case(xc_transform t, size_t blocks, int depth16, int pattern,
                      const uint32_t steps[64])
{
	OWN_MEMORY int32_t *const wide = xc_test_malloc(blocks * 64 * sizeof *wide);
	OWN_MEMORY int16_t *const narrow = xc_test_malloc(blocks * 64 * sizeof *narrow);
	const size_t stride = blocks * 8 + XC_SLACK;
	float *out[2], table[64];

	xc_quant_inverse_table(XC_TRANSFORM_DCT, steps, 1, table);
	make_coefficients(blocks, depth16, pattern, wide, narrow);
	for (int i = 0; i < 2; i++) {
		const xc_kernels *k = i ? level : scalar;
		out[i] = xc_test_malloc(8 * stride * sizeof(float));
		if (depth16)
			k->transform[t]->inverse32(wide, table, blocks, out[i], stride);
		else
			k->transform[t]->inverse16(narrow, table, blocks, out[i], stride);
	}
	for (size_t y = 0; y < 8; y++)
		CHECK(!memcmp(out[0] + y * stride, out[1] + y * stride, blocks * 32),
		      "%zu blocks, deep %d, pattern %d, row %zu", blocks, depth16, pattern, y);
	for (int i = 0; i < 2; i++)
		free(out[i]);
}

typedef void transform_case(xc_transform t, size_t blocks, int depth16, int pattern,
                            const uint32_t steps[64]);

static void all_transforms(transform_case *one)
{
	xc_quant_tables tables;

	xc_quant_tables_annex_k(&tables);
	for (int depth16 = 0; depth16 < 2; depth16++) {
		for (int quality = 1; quality <= 100; quality += 33) {
			uint32_t steps[64];
			xc_quant_scale(quality % 2 ? tables.luma : tables.chroma, quality,
			               depth16 ? 65535 : 255, steps);
			for (size_t blocks = 1; blocks <= 19; blocks++)
				for (int t = XC_TRANSFORM_DCT; t <= XC_TRANSFORM_TDLT; t++)
					for (int pattern = 0; pattern < 4; pattern++)
						one((xc_transform)t, blocks, depth16, pattern, steps);
		}
	}
}

static void forward_transform(void)
{
	all_transforms(fdct_case);
}

static void transform_and_quantization(void)
{
	all_transforms(exact_case);
}

static void inverse_transform(void)
{
	all_transforms(idct_case);
}

/* ------------------------------------------------------- lapped transforms */

/* n edge steps in place on the same samples by both kernels: over rows, and over sides.
 * What lies beside the samples must stay. */
static void in_place(int transform, int inverse, size_t n)
{
	const xc_transform_kernels *const k[2] = {scalar->transform[transform],
	                                          level->transform[transform]};
	const size_t stride = 8 * n + XC_SLACK, size = (8 * stride + XC_SLACK) * sizeof(float);
	float *const p[2] = {xc_test_malloc(size), xc_test_malloc(size)};

	for (size_t i = 0; i < size / sizeof(float); i++)
		p[0][i] = p[1][i] = ((float)(random_bits() >> 8) / 0x800000 - 1) * 32768;
	for (int i = 0; i < 2; i++)
		(inverse ? k[i]->inverse_rows : k[i]->forward_rows)(p[i], p[i] + 4 * stride, stride, 8 * n);
	CHECK(!memcmp(p[0], p[1], size), "inverse %d, rows, %zu", inverse, n);
	for (int i = 0; i < 2; i++)
		(inverse ? k[i]->inverse_sides : k[i]->forward_sides)(p[i], stride, n);
	CHECK(!memcmp(p[0], p[1], size), "inverse %d, sides, %zu", inverse, n);
	free(p[0]);
	free(p[1]);
}

static void edge_steps(void)
{
	for (int t = XC_TRANSFORM_LOT; t <= XC_TRANSFORM_TDLT; t++)
		for (size_t n = 0; n <= 19; n++)
			for (int inverse = 0; inverse < 2; inverse++)
				in_place(t, inverse, n);
}

int main(void)
{
	scalar = xc_kernels_get(XC_CPU_SCALAR);
	/* Scalar against itself: the slack and the canaries matter there as well. */
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		level = xc_kernels_get((xc_cpu)cpu);
		RUN_AS(xc_cpu_name((xc_cpu)cpu), pixels_to_planes, planes_to_pixels, pairs,
		       forward_transform, transform_and_quantization, inverse_transform, edge_steps);
	}
	return check_done();
}
