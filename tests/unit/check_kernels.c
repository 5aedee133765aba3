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
#include "src/pixels/kernels.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

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

static unsigned channels_of(int layout)
{
	return (unsigned)layout % 4 + 1;
}

/* Of a sample. */
static unsigned bytes_of(int layout)
{
	return layout < 4 ? 1 : 2;
}

/* Calls a case for every kind, layout, length and pattern. */
static void all_pixels(int kinds, int (*exists)(int kind, int layout),
                       void (*one)(int kind, int layout, int pattern, size_t n))
{
	for (int kind = 0; kind < kinds; kind++)
		for (int layout = 0; layout < XC_PIXEL_KINDS; layout++)
			for (size_t n = 1; exists(kind, layout) && n <= LONGEST; n = next_length(n))
				for (int pattern = 0; pattern < PATTERNS; pattern++)
					one(kind, layout, pattern, n);
}

/* --------------------------------------------------------- pixels to planes */

static uint16_t sample(int pattern, size_t i, uint16_t most)
{
	switch (pattern) {
	case 0:
		return 0;
	case 1:
		return most;
	case 2:
		return i % 2 ? most : 0;
	case 3:
		return (uint16_t)(i * 259) & most;
	case 4:
		return random_bits() & 1 ? most : 0;
	default:
		return (uint16_t)random_bits() & most;
	}
}

/* n pixels and XC_SLACK random ones; 8-bit rows begin at an odd address. */
static uint8_t *make_pixels(int layout, size_t n, int pattern, uint8_t **memory)
{
	const size_t width = bytes_of(layout), samples = n * channels_of(layout);
	const size_t slack = XC_SLACK * channels_of(layout);
	*memory = xc_test_malloc(width + (samples + slack) * width);
	uint8_t *p = *memory + width;
	for (size_t i = 0; i < samples + slack; i++) {
		const uint16_t most = width == 1 ? 255 : 65535;
		const uint16_t v = i < samples ? sample(pattern, i, most) : (uint16_t)random_bits() & most;
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
	uint8_t *p = make_pixels(layout, n, PATTERNS, memory);
	memcpy(p, from, n * channels_of(layout) * bytes_of(layout));
	return p;
}

enum { LUMA, F444, F422, F420 };
static const char *const forward_names[] = {"luma", "4:4:4", "4:2:2", "4:2:0"};

static int forward_exists(int kind, int layout)
{
	return kind == LUMA || channels_of(layout) >= 3;
}

static void forward(const xc_kernels *k, int kind, int layout, const uint8_t *const rows[2],
                    size_t n, float *const o[4])
{
	if (kind == LUMA)
		k->luma[layout](rows[0], n, o[0]);
	else if (kind == F444)
		k->forward_444[layout](rows[0], n, o[0], o[1], o[2]);
	else if (kind == F422)
		k->forward_422[layout](rows[0], n, o[0], o[1], o[2]);
	else
		k->forward_420[layout](rows[0], rows[1], n, o[0], o[3], o[1], o[2]);
}

static void forward_case(int kind, int layout, int pattern, size_t n)
{
	const size_t chroma = kind == LUMA ? 0 : kind == F444 ? n : n / 2;
	const size_t lengths[4] = {n, chroma, chroma, kind == F420 ? n : 0};
	uint8_t *memory[4];
	const uint8_t *rows[2], *copies[2];
	float *a[4], *b[4];
	if (kind >= F422 && n % 2)
		return;
	for (int i = 0; i < 2; i++) {
		rows[i] = make_pixels(layout, n, pattern, &memory[i]);
		copies[i] = copy_pixels(rows[i], layout, n, &memory[2 + i]);
	}
	for (int i = 0; i < 4; i++) {
		a[i] = xc_test_malloc((n + XC_SLACK) * sizeof(float));
		b[i] = xc_test_malloc((n + XC_SLACK) * sizeof(float));
		memset(a[i], 0x55, (n + XC_SLACK) * sizeof(float));
		memset(b[i], 0xaa, (n + XC_SLACK) * sizeof(float));
	}
	forward(scalar, kind, layout, rows, n, a);
	forward(level, kind, layout, copies, n, b);
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
	all_pixels(COUNT(forward_names), forward_exists, forward_case);
}

/* --------------------------------------------------------- planes to pixels */

/* Sample values around the range, on ties, beside them and far outside. */
static float plane_sample(int pattern, float most)
{
	const float v = (float)(random_bits() % 0x1000000) / 0x1000000;
	switch (pattern) {
	case 0:
		return (v - 0.5f) * most;
	case 1:
		return (v - 0.5f) * 4 * most;
	case 2:
		return (float)(int32_t)(v * most) - most / 2 + 0.5f;
	case 3:
		return (float)(int32_t)(v * 2 * most) * 0.25f - most / 2;
	case 4:
		return (random_bits() & 1 ? 1e12f : -1e12f) * v;
	default:
		return random_bits() & 1 ? -0.0f : most / 2;
	}
}

/* n samples, two before them, and random ones in the slack. */
static float *make_plane(int pattern, size_t n, int layout, float **memory)
{
	const float most = layout < 4 ? 255 : 65535;
	*memory = xc_test_malloc((2 + n + XC_SLACK) * sizeof(float));
	for (size_t i = 0; i < 2 + n + XC_SLACK; i++)
		(*memory)[i] = plane_sample(i < 2 + n ? pattern : 0, most);
	return *memory + 2;
}

static float *copy_plane(const float *from, size_t n, int layout, float **memory)
{
	float *p = make_plane(0, n, layout, memory);
	memcpy(p - 2, from - 2, (n + 2) * sizeof(float));
	return p;
}

/* Chroma at full width, at half width, at half width and height, and none. */
enum { FULL, HALF, QUARTER, GREY };
static const char *const output_names[] = {"full", "half", "quarter", "grey"};

static void output(const xc_kernels *k, int kind, int layout, float *const p[3], size_t n,
                   uint8_t *out)
{
	const xc_colour_gains gains = xc_colour_gains_make(kind == FULL ? 1 : 1.0f / 16);
	const xc_chroma_rows near = {p[1], p[2]}, far = {p[2], p[1]};
	if (kind == GREY)
		k->output_grey[layout](p[0], n, out);
	else if (kind == FULL)
		k->output_444[layout](p[0], p[1], p[2], n, &gains, out);
	else if (kind == HALF)
		k->output_422[layout](p[0], p[1], p[2], n, &gains, out);
	else
		k->output_420[layout](p[0], &near, &far, n, &gains, out);
}

static void output_case(int kind, int layout, int pattern, size_t n)
{
	const size_t odd = bytes_of(layout), end = odd + n * channels_of(layout) * bytes_of(layout);
	uint8_t *out[2];
	float *memory[2][3], *p[2][3];
	for (int i = 0; i < 3; i++) {
		/* Half width: (n + 1) / 2 samples and one more. */
		const int half = kind == HALF || kind == QUARTER;
		const size_t samples = i && half ? (n + 1) / 2 + 1 : n;
		p[0][i] = make_plane(pattern, samples, layout, &memory[0][i]);
		p[1][i] = copy_plane(p[0][i], samples, layout, &memory[1][i]);
	}
	for (int k = 0; k < 2; k++) {
		out[k] = xc_test_malloc(end + CANARY);
		memset(out[k], 0xa5, end + CANARY);
		output(k ? level : scalar, kind, layout, p[k], n, out[k] + odd);
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

static int output_exists(int kind, int layout)
{
	return (kind == GREY) == (channels_of(layout) < 3);
}

static void planes_to_pixels(void)
{
	all_pixels(COUNT(output_names), output_exists, output_case);
}

/* --------------------------------------------------------------- transforms */

/* Rows of `blocks` blocks as the encoder has them: inside +-most. */
static float *make_rows(size_t blocks, size_t stride, float most, int pattern)
{
	float *p = xc_test_malloc((7 * stride + blocks * 8 + XC_SLACK) * sizeof(float));
	for (size_t i = 0; i < 7 * stride + blocks * 8 + XC_SLACK; i++) {
		const uint32_t r = random_bits();
		p[i] = pattern == 0   ? most
		       : pattern == 1 ? (i + i / stride) % 2 ? most : -most
		       : pattern == 2 ? r & 1 ? most : -most
		                      : ((float)(r >> 8) / 0x800000 - 1) * most;
	}
	return p;
}

static void fdct_case(xc_transform t, size_t blocks, int deep, int pattern,
                      const uint32_t steps[64])
{
	const size_t stride = blocks * 8 + blocks % 3 * 5 + XC_SLACK, size = deep ? 4 : 2;
	float table[64];
	float *const a = make_rows(blocks, stride, deep ? 32768 : 128, pattern);
	uint8_t *const out[2] = {xc_test_malloc(blocks * 64 * size + CANARY),
	                         xc_test_malloc(blocks * 64 * size + CANARY)};
	xc_quant_forward_table(XC_TRANSFORM_DCT, steps, table);
	for (int i = 0; i < 2; i++) {
		const xc_kernels *k = i ? level : scalar;
		memset(out[i], 0xa5, blocks * 64 * size + CANARY);
		if (deep)
			k->transform[t]->forward32(a, stride, table, blocks, (int32_t *)(void *)out[i]);
		else
			k->transform[t]->forward16(a, stride, table, blocks, (int16_t *)(void *)out[i]);
	}
	CHECK(!memcmp(out[0], out[1], blocks * 64 * size + CANARY),
	      "%zu blocks, stride %zu, deep %d, pattern %d", blocks, stride, deep, pattern);
	for (int i = 0; i < 2; i++)
		free(out[i]);
	free(a);
}

/* Sparse or full blocks, large or small values; every third has only its DC, which
 * the kernels may treat in a short way of their own. */
static void make_coefficients(size_t blocks, int deep, int pattern, int32_t *wide, int16_t *narrow)
{
	for (size_t b = 0; b < blocks; b++) {
		const int dc_only = pattern == 3 || (pattern && random_bits() % 3 == 0);
		for (size_t i = 0; i < 64; i++) {
			const uint32_t r = random_bits();
			const int there = i == 0 || (!dc_only && (pattern == 1 || r % 8 == 0));
			const int32_t v = (int32_t)random_bits() >> (deep ? 4 : 16);
			wide[b * 64 + i] = there ? pattern == 2 ? v >> 8 : v : 0;
			narrow[b * 64 + i] = (int16_t)wide[b * 64 + i];
		}
	}
}

static void idct_case(xc_transform t, size_t blocks, int deep, int pattern,
                      const uint32_t steps[64])
{
	int32_t *const wide = xc_test_malloc(blocks * 64 * sizeof *wide);
	int16_t *const narrow = xc_test_malloc(blocks * 64 * sizeof *narrow);
	const size_t stride = blocks * 8 + XC_SLACK;
	float *out[2], table[64];
	xc_quant_inverse_table(XC_TRANSFORM_DCT, steps, table);
	make_coefficients(blocks, deep, pattern, wide, narrow);
	for (int i = 0; i < 2; i++) {
		const xc_kernels *k = i ? level : scalar;
		out[i] = xc_test_malloc(8 * stride * sizeof(float));
		if (deep)
			k->transform[t]->inverse32(wide, table, blocks, out[i], stride);
		else
			k->transform[t]->inverse16(narrow, table, blocks, out[i], stride);
	}
	for (size_t y = 0; y < 8; y++)
		CHECK(!memcmp(out[0] + y * stride, out[1] + y * stride, blocks * 32),
		      "%zu blocks, deep %d, pattern %d, row %zu", blocks, deep, pattern, y);
	for (int i = 0; i < 2; i++)
		free(out[i]);
	free(wide);
	free(narrow);
}

typedef void transform_case(xc_transform t, size_t blocks, int deep, int pattern,
                            const uint32_t steps[64]);

static void all_transforms(transform_case *one)
{
	xc_quant_tables tables;
	xc_quant_tables_annex_k(&tables);
	for (int deep = 0; deep < 2; deep++) {
		for (int quality = 1; quality <= 100; quality += 33) {
			uint32_t steps[64];
			xc_quant_scale(quality % 2 ? tables.luma : tables.chroma, quality, deep ? 16 : 8,
			               steps);
			for (size_t blocks = 1; blocks <= 19; blocks++)
				for (int t = XC_TRANSFORM_DCT; t <= XC_TRANSFORM_TDLT; t++)
					for (int pattern = 0; pattern < 4; pattern++)
						one((xc_transform)t, blocks, deep, pattern, steps);
		}
	}
}

static void forward_transform(void)
{
	all_transforms(fdct_case);
}

static void inverse_transform(void)
{
	all_transforms(idct_case);
}

/* ------------------------------------------------------- lapped transforms */

typedef void over_rows(float *above, float *below, size_t stride, size_t columns);
typedef void over_sides(float *samples, size_t stride, size_t edges);

/* n edge steps in place on the same samples by both kernels: over rows, and over sides.
 * What lies beside the samples must stay. */
static void in_place(over_rows *const rows[2], over_sides *const sides[2], size_t n,
                     const char *what)
{
	const size_t stride = 8 * n + XC_SLACK, size = (8 * stride + XC_SLACK) * sizeof(float);
	float *const p[2] = {xc_test_malloc(size), xc_test_malloc(size)};
	for (size_t i = 0; i < size / sizeof(float); i++)
		p[0][i] = p[1][i] = ((float)(random_bits() >> 8) / 0x800000 - 1) * 32768;
	for (int i = 0; i < 2; i++)
		rows[i](p[i], p[i] + 4 * stride, stride, 8 * n);
	CHECK(!memcmp(p[0], p[1], size), "%s, rows, %zu", what, n);
	for (int i = 0; i < 2; i++)
		sides[i](p[i], stride, n);
	CHECK(!memcmp(p[0], p[1], size), "%s, sides, %zu", what, n);
	free(p[0]);
	free(p[1]);
}

static void edge_steps(void)
{
	for (int t = XC_TRANSFORM_LOT; t <= XC_TRANSFORM_TDLT; t++) {
		const xc_transform_kernels *p = scalar->transform[t], *k = level->transform[t];
		over_rows *const forward_rows[2] = {p->forward_rows, k->forward_rows};
		over_rows *const inverse_rows[2] = {p->inverse_rows, k->inverse_rows};
		over_sides *const forward_sides[2] = {p->forward_sides, k->forward_sides};
		over_sides *const inverse_sides[2] = {p->inverse_sides, k->inverse_sides};
		for (size_t n = 0; n <= 19; n++) {
			in_place(forward_rows, forward_sides, n, "forward");
			in_place(inverse_rows, inverse_sides, n, "inverse");
		}
	}
}

int main(void)
{
	scalar = xc_kernels_get(XC_CPU_SCALAR);
	/* Scalar against itself: the slack and the canaries matter there as well. */
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		level = xc_kernels_get((xc_cpu)cpu);
		RUN_AS(xc_cpu_name((xc_cpu)cpu), pixels_to_planes, planes_to_pixels, forward_transform,
		       inverse_transform, edge_steps);
	}
	return check_done();
}
