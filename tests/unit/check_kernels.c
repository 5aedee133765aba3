/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every SIMD level's kernels against the plain C ones, bit by bit: all layouts, odd
 * lengths, odd addresses, extreme values.  What lies in the slack past the input
 * differs from call to call and must not matter; nothing may be written past the
 * last pixel.  tests/unit/check_kernels_definition.c holds plain C to the definitions.
 */
#include <stdlib.h>
#include <string.h>

#include "quant/tables.h"
#include "src/pixels/kernels.h"
#include "tests/support/check.h"

enum { LONGEST = 1027, CANARY = 64, PATTERNS = 6 };

static const xc_kernels *scalar, *level;
static uint64_t seed = 1;

/* Memory of exactly this size, so that ASan sees every byte past its end. */
static void *get(size_t size)
{
	void *p = malloc(size);
	if (!p)
		abort();
	return p;
}

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

static unsigned bytes_of(int layout)
{
	return layout < 4 ? 1 : 2;
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
	*memory = get(width + (samples + slack) * width);
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

typedef struct planes {
	float *plane[4];
} planes;

static planes make_planes(size_t n)
{
	planes p;
	for (int i = 0; i < 4; i++) {
		p.plane[i] = get((n + XC_SLACK) * sizeof(float));
		memset(p.plane[i], 0x55, (n + XC_SLACK) * sizeof(float));
	}
	return p;
}

static void free_planes(planes *p)
{
	for (int i = 0; i < 4; i++)
		free(p->plane[i]);
}

enum { LUMA, F444, F422, F420 };
static const char *const forward_names[] = {"luma", "4:4:4", "4:2:2", "4:2:0"};

static int forward_exists(int kind, int layout)
{
	return kind == LUMA || channels_of(layout) >= 3;
}

static void forward(const xc_kernels *k, int kind, int layout, const uint8_t *const rows[2],
                    size_t n, planes *p)
{
	float *const *const o = p->plane;
	if (kind == LUMA)
		k->luma[layout](rows[0], n, o[0]);
	else if (kind == F444)
		k->forward_444[layout](rows[0], n, o[0], o[1], o[2]);
	else if (kind == F422)
		k->forward_422[layout](rows[0], n, o[0], o[1], o[2]);
	else
		k->forward_420[layout](rows[0], rows[1], n, o[0], o[3], o[1], o[2]);
}

static void compare_planes(int kind, int layout, int pattern, size_t n, const planes *a,
                           const planes *b)
{
	const size_t chroma = kind == F444 ? n : n / 2;
	const size_t lengths[4] = {n, kind == LUMA ? 0 : chroma, kind == LUMA ? 0 : chroma,
	                           kind == F420 ? n : 0};
	for (int i = 0; i < 4; i++)
		CHECK(!memcmp(a->plane[i], b->plane[i], lengths[i] * sizeof(float)),
		      "%s, layout %d, pattern %d, %zu pixels, plane %d", forward_names[kind], layout,
		      pattern, n, i);
}

static void forward_case(int kind, int layout, int pattern, size_t n)
{
	uint8_t *memory[4];
	const uint8_t *rows[2], *copies[2];
	for (int i = 0; i < 2; i++) {
		rows[i] = make_pixels(layout, n, pattern, &memory[i]);
		copies[i] = copy_pixels(rows[i], layout, n, &memory[2 + i]);
	}
	planes a = make_planes(n), b = make_planes(n);
	forward(scalar, kind, layout, rows, n, &a);
	forward(level, kind, layout, copies, n, &b);
	compare_planes(kind, layout, pattern, n, &a, &b);
	free_planes(&a);
	free_planes(&b);
	for (int i = 0; i < 4; i++)
		free(memory[i]);
}

static void pixels_to_planes(void)
{
	for (int kind = LUMA; kind <= F420; kind++)
		for (int layout = 0; layout < XC_PIXEL_KINDS; layout++)
			for (size_t n = 1; forward_exists(kind, layout) && n <= LONGEST; n = next_length(n))
				for (int pattern = 0; pattern < PATTERNS; pattern++)
					if (kind < F422 || n % 2 == 0)
						forward_case(kind, layout, pattern, n);
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
	*memory = get((2 + n + XC_SLACK) * sizeof(float));
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
	const size_t pixel = channels_of(layout) * bytes_of(layout), odd = bytes_of(layout);
	uint8_t *const a = get(odd + n * pixel + CANARY), *const b = get(odd + n * pixel + CANARY);
	float *memory[6], *p[3], *q[3];
	memset(a, 0xa5, odd + n * pixel + CANARY);
	memset(b, 0xa5, odd + n * pixel + CANARY);
	for (int i = 0; i < 3; i++) {
		/* Half width: (n + 1) / 2 samples and one more. */
		const int half = kind == HALF || kind == QUARTER;
		const size_t samples = i && half ? (n + 1) / 2 + 1 : n;
		p[i] = make_plane(pattern, samples, layout, &memory[i]);
		q[i] = copy_plane(p[i], samples, layout, &memory[3 + i]);
	}
	output(scalar, kind, layout, p, n, a + odd);
	output(level, kind, layout, q, n, b + odd);
	CHECK(!memcmp(a, b, odd + n * pixel), "%s width, layout %d, pattern %d, %zu pixels",
	      output_names[kind], layout, pattern, n);
	for (size_t i = 0; i < CANARY; i++)
		CHECK(a[odd + n * pixel + i] == 0xa5 && b[odd + n * pixel + i] == 0xa5,
		      "%s width, layout %d, %zu pixels: byte %zu past the end", output_names[kind], layout,
		      n, i);
	for (int i = 0; i < 6; i++)
		free(memory[i]);
	free(a);
	free(b);
}

static void planes_to_pixels(void)
{
	for (int kind = FULL; kind <= GREY; kind++)
		for (int layout = 0; layout < XC_PIXEL_KINDS; layout++)
			for (size_t n = 1; (kind == GREY) == (channels_of(layout) < 3) && n <= LONGEST;
			     n = next_length(n))
				for (int pattern = 0; pattern < PATTERNS; pattern++)
					output_case(kind, layout, pattern, n);
}

/* --------------------------------------------------------------- transforms */

/* Rows of `blocks` blocks as the encoder has them: inside +-most. */
static float *make_rows(size_t blocks, size_t stride, float most, int pattern)
{
	float *p = get((7 * stride + blocks * 8 + XC_SLACK) * sizeof(float));
	for (size_t i = 0; i < 7 * stride + blocks * 8 + XC_SLACK; i++) {
		const uint32_t r = random_bits();
		p[i] = pattern == 0   ? most
		       : pattern == 1 ? (i + i / stride) % 2 ? most : -most
		       : pattern == 2 ? r & 1 ? most : -most
		                      : ((float)(r >> 8) / 0x800000 - 1) * most;
	}
	return p;
}

static void make_table(int quality, unsigned depth, int inverse, float table[64])
{
	xc_quant_tables t;
	uint32_t steps[64];
	xc_quant_tables_annex_k(&t);
	xc_quant_scale(quality % 2 ? t.luma : t.chroma, quality, depth, steps);
	if (inverse)
		xc_quant_inverse_table(XC_TRANSFORM_DCT, steps, table);
	else
		xc_quant_forward_table(XC_TRANSFORM_DCT, steps, table);
}

static void fdct_case(xc_transform t, size_t blocks, size_t pad, int deep, int pattern,
                      const float table[64])
{
	const size_t stride = blocks * 8 + pad, size = deep ? 4 : 2;
	float *const a = make_rows(blocks, stride, deep ? 32768 : 128, pattern);
	uint8_t *const out[2] = {get(blocks * 64 * size + CANARY), get(blocks * 64 * size + CANARY)};
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

static void forward_transform(void)
{
	for (int deep = 0; deep < 2; deep++) {
		for (int quality = 1; quality <= 100; quality += 33) {
			float table[64];
			make_table(quality, deep ? 16 : 8, 0, table);
			for (size_t blocks = 1; blocks <= 19; blocks++)
				for (int pattern = 0; pattern < 12; pattern++)
					fdct_case((xc_transform)(pattern / 4), blocks, blocks % 3 * 5 + XC_SLACK, deep,
					          pattern % 4, table);
		}
	}
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

static void idct_case(xc_transform t, size_t blocks, int deep, int pattern, const float table[64])
{
	int32_t *const wide = get(blocks * 64 * sizeof *wide);
	int16_t *const narrow = get(blocks * 64 * sizeof *narrow);
	const size_t stride = blocks * 8 + XC_SLACK;
	float *out[2];
	make_coefficients(blocks, deep, pattern, wide, narrow);
	for (int i = 0; i < 2; i++) {
		const xc_kernels *k = i ? level : scalar;
		out[i] = get(8 * stride * sizeof(float));
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

static void inverse_transform(void)
{
	for (int deep = 0; deep < 2; deep++) {
		for (int quality = 1; quality <= 100; quality += 33) {
			float table[64];
			make_table(quality, deep ? 16 : 8, 1, table);
			for (size_t blocks = 1; blocks <= 19; blocks++)
				for (int pattern = 0; pattern < 12; pattern++)
					idct_case((xc_transform)(pattern / 4), blocks, deep, pattern % 4, table);
		}
	}
}

/* ------------------------------------------------------- lapped transforms */

typedef void over_rows(float *above, float *below, size_t stride, size_t columns);
typedef void over_sides(float *samples, size_t stride, size_t edges);

/* n edge steps in place on the same samples by both kernels, those over rows or those over
 * sides; what lies beside the samples must stay. */
static void in_place(over_rows *plain_rows, over_rows *rows, over_sides *plain_sides,
                     over_sides *sides, size_t n, const char *what)
{
	const size_t stride = 8 * n + XC_SLACK, size = (8 * stride + XC_SLACK) * sizeof(float);
	float *const a = get(size), *const b = get(size);
	for (size_t i = 0; i < size / sizeof(float); i++)
		a[i] = b[i] = ((float)(random_bits() >> 8) / 0x800000 - 1) * 32768;
	if (rows) {
		plain_rows(a, a + 4 * stride, stride, 8 * n);
		rows(b, b + 4 * stride, stride, 8 * n);
	} else {
		plain_sides(a, stride, n);
		sides(b, stride, n);
	}
	CHECK(!memcmp(a, b, size), "%s, %zu", what, n);
	free(a);
	free(b);
}

static void edge_steps(void)
{
	for (int t = XC_TRANSFORM_LOT; t <= XC_TRANSFORM_TDLT; t++) {
		const xc_transform_kernels *p = scalar->transform[t], *k = level->transform[t];
		for (size_t n = 0; n <= 19; n++) {
			in_place(p->forward_rows, k->forward_rows, NULL, NULL, n, "forward, rows");
			in_place(p->inverse_rows, k->inverse_rows, NULL, NULL, n, "inverse, rows");
			in_place(NULL, NULL, p->forward_sides, k->forward_sides, n, "forward, sides");
			in_place(NULL, NULL, p->inverse_sides, k->inverse_sides, n, "inverse, sides");
		}
	}
}

int main(void)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"pixels to planes", pixels_to_planes},          {"planes to pixels", planes_to_pixels},
		{"forward transform", forward_transform},        {"inverse transform", inverse_transform},
		{"edge steps of lapped transforms", edge_steps},
	};
	scalar = xc_kernels_get(XC_CPU_SCALAR);
	/* Scalar against itself: the slack and the canaries matter there as well. */
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		level = xc_kernels_get((xc_cpu)cpu);
		for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
			check_begin("%s: %s", xc_cpu_name((xc_cpu)cpu), cases[i].name);
			cases[i].run();
			check_end();
		}
	}
	return check_done();
}
