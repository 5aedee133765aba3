/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plain C kernels against their definitions, written here in double precision: JFIF's
 * colours (ITU-T T.871), averaging to smaller chroma, the triangle filter to larger, the
 * orthonormal 8x8 DCT (ITU-T T.81, A.3.3), quantization.
 *
 * Tolerances.  A float operation is wrong by at most 2^-24 of its result.  Colour takes
 * fewer than 8 operations on values below the range of the samples: 8 / 2^24 of that range.
 * A transform takes two passes of at most 8 operations in a row on values below 8 times
 * the range, the largest that a coefficient can be: 16 / 2^24 of that.
 */
#include <math.h>
#include <string.h>

#include "quant/tables.h"
#include "tests/support/codec.h"
#include "tests/support/kernel_calls.h"

#define XC_V float
#include "transform/dct8.h"

enum { N = 62 };

static const double ulp = 1.0 / 16777216;
static const xc_kernels *k;
static uint64_t seed = 2;

static double uniform(double low, double high)
{
	return low + (high - low) * (double)(check_random(&seed) >> 11) / 9007199254740992.0;
}

static double range_of(int layout)
{
	return is_depth16(layout) ? 65536 : 256;
}

static double middle_of(int layout)
{
	return range_of(layout) / 2;
}

/* Sample i of a row of pixels. */
static double sample_at(const void *pixels, int layout, size_t i)
{
	return is_depth16(layout) ? ((const uint16_t *)pixels)[i] : ((const uint8_t *)pixels)[i];
}

static void set_sample(void *pixels, int layout, size_t i, double value)
{
	if (is_depth16(layout))
		((uint16_t *)pixels)[i] = (uint16_t)value;
	else
		((uint8_t *)pixels)[i] = (uint8_t)value;
}

/* ----------------------------------------------------------------- colour */

typedef struct colour {
	double y, cb, cr;
} colour;

static colour colour_of(double r, double g, double b)
{
	const double y = 0.299 * r + 0.587 * g + 0.114 * b;
	const colour c = {y, (b - y) / (2 * (1 - 0.114)), (r - y) / (2 * (1 - 0.299))};
	return c;
}

/* A row of pixels, with slack, and what their colours are. */
typedef struct row {
	uint16_t pixels[(N + XC_SLACK) * 4];
	colour colour[N];
} row;

static void make_row(row *r, int layout)
{
	const unsigned channels = channels_of(layout);

	for (size_t i = 0; i < (N + XC_SLACK) * 4; i++)
		set_sample(r->pixels, layout, i, floor(uniform(0, range_of(layout))));
	for (size_t i = 0; i < N; i++) {
		const size_t at = i * channels;
		const double first = sample_at(r->pixels, layout, at + (is_bgr(layout) ? 2 : 0));
		r->colour[i] = channels < 3
		                   ? (colour){first, 0, 0}
		                   : colour_of(first, sample_at(r->pixels, layout, at + 1),
		                               sample_at(r->pixels, layout, at + (is_bgr(layout) ? 0 : 2)));
	}
}

#define CLOSE(found, wanted, tolerance, ...) \
	CHECK(fabs((found) - (wanted)) <= (tolerance), __VA_ARGS__)

/* The mean chroma of a rectangle of pixels of one or two rows. */
static colour mean(const row *rows, size_t x, size_t wide, size_t high)
{
	colour m = {0, 0, 0};

	for (size_t j = 0; j < high; j++) {
		for (size_t i = x; i < x + wide; i++) {
			m.cb += rows[j].colour[i].cb / (double)(wide * high);
			m.cr += rows[j].colour[i].cr / (double)(wide * high);
		}
	}
	return m;
}

/* Luma, or the grey itself, and chroma averaged over h x v pixels. */
static void forward(int kind)
{
	const size_t h = kind >= F422 ? 2 : 1, v = kind == F420 ? 2 : 1;

	for (int layout = 0; layout < XC_PIXEL_KINDS; layout++) {
		row r[2];
		float y[2][N + XC_SLACK], cb[N + XC_SLACK], cr[N + XC_SLACK];
		const double tolerance = 8 * ulp * range_of(layout);
		if (kind != LUMA && channels_of(layout) < 3)
			continue;
		make_row(&r[0], layout);
		make_row(&r[1], layout);
		const void *const rows[2] = {r[0].pixels, r[1].pixels};
		float *const planes[4] = {y[0], cb, cr, y[1]};
		call_forward(k, kind, layout, rows, N, planes);
		for (size_t j = 0; j < v; j++)
			for (size_t i = 0; i < N; i++)
				CLOSE((double)y[j][i], r[j].colour[i].y - middle_of(layout), tolerance,
				      "layout %d, row %zu, pixel %zu: %.9g", layout, j, i, (double)y[j][i]);
		for (size_t i = 0; kind != LUMA && i < N / h; i++) {
			const colour m = mean(r, i * h, h, v);
			CLOSE((double)cb[i], m.cb, tolerance, "layout %d, Cb %zu", layout, i);
			CLOSE((double)cr[i], m.cr, tolerance, "layout %d, Cr %zu", layout, i);
		}
	}
}

/* ------------------------------------------------------------------ output */

static double clamp(double v, double max)
{
	return v < 0 ? 0 : v > max ? max : v;
}

/* Pixel i of a row must be this colour, rounded, with an opaque alpha. */
static void check_pixel(const void *pixels, int layout, size_t i, double y, double cb, double cr)
{
	const unsigned channels = channels_of(layout);
	const double max = range_of(layout) - 1, tolerance = 0.5 + 16 * ulp * range_of(layout);
	const double wanted[3] = {y + 1.402 * cr, y - (0.114 * 1.772 * cb + 0.299 * 1.402 * cr) / 0.587,
	                          y + 1.772 * cb};
	const size_t at = i * channels;

	for (size_t c = 0; c < (channels < 3 ? 1 : 3); c++) {
		const double found = sample_at(pixels, layout, at + (is_bgr(layout) ? 2 - c : c));
		CLOSE(found, clamp(channels < 3 ? y : wanted[c], max), tolerance,
		      "layout %d, pixel %zu, channel %zu: %g for %.9g", layout, i, c, found,
		      channels < 3 ? y : wanted[c]);
	}
	if (channels % 2 == 0)
		CHECK(sample_at(pixels, layout, at + channels - 1) == max, "layout %d, pixel %zu: alpha",
		      layout, i);
}

/* Planes with one sample before the first; colours somewhat out of gamut. */
typedef struct sampled {
	float y[N + XC_SLACK], memory[2][1 + N + XC_SLACK];
	float *cb, *cr;
} sampled;

static void make_sampled(sampled *s, int layout)
{
	const double max = range_of(layout);

	for (size_t i = 0; i < N + XC_SLACK; i++)
		s->y[i] = (float)uniform(-0.6 * max, 0.6 * max);
	for (size_t i = 0; i < 1 + N + XC_SLACK; i++) {
		s->memory[0][i] = (float)uniform(-0.5 * max, 0.5 * max);
		s->memory[1][i] = (float)uniform(-0.5 * max, 0.5 * max);
	}
	s->cb = s->memory[0] + 1;
	s->cr = s->memory[1] + 1;
}

/* The horizontal half of the triangle filter: 3/4 of the nearer sample, 1/4 of the
 * one on the other side. */
static double triangle(const double *c, size_t i)
{
	return 0.75 * c[i / 2] + 0.25 * (i % 2 ? c[i / 2 + 1] : c[(ptrdiff_t)(i / 2) - 1]);
}

/* Chroma is h times narrower and v times lower; a row that is lower lies nearer to the
 * first of two. */
static void output(int kind)
{
	const size_t h = kind >= HALF ? 2 : 1, v = kind == QUARTER ? 2 : 1;
	const int grey = kind == GREY;
	const float gain = v == 2 ? 1.0f / 16 : h == 2 ? 1.0f / 4 : 1;

	for (int layout = 0; layout < XC_PIXEL_KINDS; layout++) {
		sampled near, far;
		double cb[2 + N] = {0}, cr[2 + N] = {0};
		uint16_t out[(N + XC_SLACK) * 4];
		const size_t n = h == 2 ? N - 1 : N;
		if (channels_of(layout) < 3 && !grey)
			continue;
		make_sampled(&near, layout);
		make_sampled(&far, layout);
		const xc_chroma_rows n_rows = {near.cb, near.cr}, f_rows = {far.cb, far.cr};
		for (size_t i = 0; !grey && i < 2 + (n + h - 1) / h; i++) {
			const ptrdiff_t at = (ptrdiff_t)i - 1;
			const double weight = v == 2 ? 0.25 : 0;
			cb[i] = (1 - weight) * (double)near.cb[at] + weight * (double)far.cb[at];
			cr[i] = (1 - weight) * (double)near.cr[at] + weight * (double)far.cr[at];
		}
		call_output(k, kind, layout, near.y, &n_rows, &f_rows, n, gain, out);
		for (size_t i = 0; i < n; i++)
			check_pixel(out, layout, i, (double)near.y[i] + middle_of(layout),
			            h == 2 ? triangle(cb + 1, i) : cb[1 + i],
			            h == 2 ? triangle(cr + 1, i) : cr[1 + i]);
	}
}

/* -------------------------------------------------------------- transform */

/* The coefficient of vertical frequency i and horizontal frequency j; inverse: the sample
 * of row i and column j. */
static double transformed(const double in[64], int i, int j, int inverse)
{
	double sum = 0;

	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 8; x++)
			sum += in[y * 8 + x] * (inverse ? xc_test_dct(y, i) * xc_test_dct(x, j)
			                                : xc_test_dct(i, y) * xc_test_dct(j, x));
	return sum;
}

/* Noise, full contrast, single samples, waves: inside +-most. */
static void make_block(double block[64], int kind, double max)
{
	const int fu = (int)uniform(0, 8), fv = (int)uniform(0, 8), one = (int)uniform(0, 64);

	for (int i = 0; i < 64; i++) {
		const double wave = xc_test_dct(fv, i / 8) * xc_test_dct(fu, i % 8);
		const double v = kind == 0   ? uniform(-max, max)
		                 : kind == 1 ? uniform(-1, 1) < 0 ? -max : max
		                 : kind == 2 ? i == one ? max : 0
		                 : kind == 3 ? wave < 0 ? -max : max
		                             : 3 * wave * max;
		block[i] = (double)(float)v;
	}
}

static void steps_for(int kind, unsigned depth, uint32_t steps[64])
{
	static const int qualities[] = {100, 90, 50, 10};
	xc_quant_tables t;

	xc_quant_tables_annex_k(&t);
	xc_quant_scale(t.luma, qualities[kind % 4], depth == 16 ? 65535 : 255, steps);
}

/* Quantized: within half a step of the definition's coefficient.  With `fine` steps of
 * 1/1024 (1/8 for 16 bits), whose coefficients just fit the 22 bits that the rounding is
 * good for, the transform's own error shows. */
static void check_forward(int kind, int depth16, int fine)
{
	const double max = depth16 ? 32768 : 128, tolerance = 16 * ulp * 16 * max;
	const double scale = !fine ? 1 : depth16 ? 8 : 1024;
	double block[64];
	float plane[8 * 8 + XC_SLACK] = {0}, table[64];
	uint32_t steps[64];
	int16_t narrow[64];
	int32_t wide[64];

	make_block(block, kind % 5, max);
	steps_for(kind / 5, depth16 ? 16 : 8, steps);
	for (int i = 0; i < 64; i++) {
		steps[i] = fine ? 1 : steps[i];
		plane[i] = (float)block[i];
	}
	xc_quant_forward_table(XC_TRANSFORM_DCT, steps, 1, table);
	for (int i = 0; i < 64; i++)
		table[i] *= (float)scale;
	if (depth16 || fine)
		k->transform[XC_TRANSFORM_DCT]->forward32(plane, 8, table, 1, wide);
	else
		k->transform[XC_TRANSFORM_DCT]->forward16(plane, 8, table, 1, narrow);
	for (int v = 0; v < 8; v++) {
		for (int u = 0; u < 8; u++) {
			const double step = steps[v * 8 + u] / scale;
			const double found = depth16 || fine ? wide[u * 8 + v] : narrow[u * 8 + v];
			const double wanted = transformed(block, v, u, 0) / step;
			CLOSE(found, wanted, 0.5 + tolerance / step,
			      "kind %d, deep %d, fine %d, coefficient %d,%d: %g for %.9g", kind, depth16, fine,
			      v, u, found, wanted);
		}
	}
}

static void check_inverse(int kind, int depth16)
{
	const double max = depth16 ? 32768 : 128, tolerance = 16 * ulp * 16 * max;
	double block[64], c[64];
	float plane[8 * (8 + XC_SLACK)], table[64];
	uint32_t steps[64];
	int16_t narrow[64];
	int32_t wide[64];

	make_block(block, kind % 5, max);
	steps_for(kind / 5, depth16 ? 16 : 8, steps);
	xc_quant_inverse_table(XC_TRANSFORM_DCT, steps, 1, table);
	for (int v = 0; v < 8; v++) {
		for (int u = 0; u < 8; u++) {
			const long q = lrint(transformed(block, v, u, 0) / steps[v * 8 + u]);
			c[v * 8 + u] = (double)q * steps[v * 8 + u];
			wide[u * 8 + v] = (int32_t)q;
			narrow[u * 8 + v] = (int16_t)q;
		}
	}
	if (depth16)
		k->transform[XC_TRANSFORM_DCT]->inverse32(wide, table, 1, plane, 8 + XC_SLACK);
	else
		k->transform[XC_TRANSFORM_DCT]->inverse16(narrow, table, 1, plane, 8 + XC_SLACK);
	for (int y = 0; y < 8; y++) {
		for (int x = 0; x < 8; x++) {
			const double found = (double)plane[y * (8 + XC_SLACK) + x];
			const double wanted = transformed(c, y, x, 1);
			CLOSE(found, wanted, tolerance, "kind %d, deep %d, sample %d,%d: %.9g for %.9g", kind,
			      depth16, y, x, found, wanted);
		}
	}
}

enum { FORWARD, PRECISION, INVERSE };
static const char *const transform_names[] = {"forward", "precision", "inverse"};

static void transform(int which)
{
	for (int kind = 0; kind < 400; kind++) {
		for (int depth16 = 0; depth16 < 2; depth16++) {
			if (which == INVERSE)
				check_inverse(kind, depth16);
			else
				check_forward(kind, depth16, which == PRECISION);
		}
	}
}

/* The inverse that leaves out what is 0 gives the numbers of the other one; zeros may
 * differ in their signs. */
static void inverse_first(void)
{
	for (int i = 0; i < 20000; i++) {
		const int n = 1 + i % 6;
		float all[8] = {0}, first[8];
		for (int j = 0; j < 8; j++) {
			first[j] = NAN;
			if (j < n)
				all[j] = first[j] = check_below(&seed, 4) ? (float)uniform(-4096, 4096) : 0;
		}
		xc_dct8_inverse(all);
		xc_dct8_inverse_first(first, n);
		for (int j = 0; j < 8; j++)
			CHECK(all[j] == first[j], "%d inputs: output %d is %.9g, not %.9g", n, j, first[j],
			      all[j]);
	}
}

int main(void)
{
	k = xc_kernels_get(XC_CPU_SCALAR);
	for (int i = LUMA; i <= F420; i++)
		RUN_FOR(forward_names[i], i, forward);
	for (int i = GREY; i <= QUARTER; i++)
		RUN_FOR(output_names[i], i, output);
	for (int i = FORWARD; i <= INVERSE; i++)
		RUN_FOR(transform_names[i], i, transform);
	RUN(inverse_first);
	return check_done();
}
