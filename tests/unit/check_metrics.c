/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_compare() and xc_ms_ssim() against values worked out by hand and against the definitions,
 * xc_ssimulacra2() against libjxl's program. */
#include "tests/support/codec.h"
#include "tests/support/memory_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static xc_context *context;

static xc_comparison compared(const xc_picture *a, const xc_picture *b)
{
	xc_comparison result;
	xc_status status = xc_compare(context, a, b, &result);

	CHECK(status == XC_OK, "%d %s", status, xc_context_message(context));
	return result;
}

static double ms_ssim(const xc_picture *a, const xc_picture *b)
{
	double result, too;
	xc_comparison all, single = compared(a, b);
	xc_status status = xc_ms_ssim(context, a, b, &result);

	CHECK(status == XC_OK, "%d %s", status, xc_context_message(context));
	status = xc_compare_all(context, a, b, 0, &all, &too);
	CHECK(status == XC_OK, "%d %s", status, xc_context_message(context));
	CHECK(too == result && all.ssim_y == single.ssim_y && all.mse == single.mse &&
	          all.psnr_chroma[1] == single.psnr_chroma[1] &&
	          all.max_abs_diff == single.max_abs_diff,
	      "not the same at once");
	const double gain = 20 * log10(all.peak / 100.0);
	status = xc_compare_all(context, a, b, 100, &single, &too);
	CHECK(status == XC_OK && single.peak == 100 && single.mse == all.mse &&
	          (all.identical || fabs(all.psnr_rgb - gain - single.psnr_rgb) < 1e-9),
	      "another peak: %g after %g", single.psnr_rgb, all.psnr_rgb);
	return result;
}

#define PICTURE(w, h, c, d, samples) \
	((xc_picture){w, h, c, d, (size_t)(w) * (c) * (d) / 8, samples})

static int near(double a, double b, double tolerance)
{
	return a == b || fabs(a - b) <= tolerance;
}

/* ---- against the definitions */

static double sample(const xc_picture *p, uint32_t x, uint32_t y, uint32_t c, uint32_t depth)
{
	const uint32_t colours = p->channels > 2 ? 3 : 1;

	if (c == 3 && p->channels == colours)
		return depth == 8 ? 255 : 65535;
	const uint32_t channel = c == 3 ? colours : colours == 3 ? c : 0;
	return xc_sample_at(p, x, y, channel) * (p->depth < depth ? 257.0 : 1.0);
}

static double luma(const xc_picture *p, uint32_t x, uint32_t y, uint32_t depth)
{
	double sum = 313524 * sample(p, x, y, 0, depth) + 615514 * sample(p, x, y, 1, depth) +
	             119537 * sample(p, x, y, 2, depth);
	return floor((sum + 524288) / 1048576);
}

/* Cb (blue) or Cr of BT.601, about the middle of the range. */
static double chroma(const xc_picture *p, uint32_t x, uint32_t y, uint32_t depth, int blue)
{
	const double own = sample(p, x, y, blue ? 2 : 0, depth);
	const double sum = 524288 * own - 1048576 * 0.5 *
	                                      (blue ? 0.299 / 0.886 * sample(p, x, y, 0, depth) +
	                                                  0.587 / 0.886 * sample(p, x, y, 1, depth)
	                                            : 0.587 / 0.701 * sample(p, x, y, 1, depth) +
	                                                  0.114 / 0.701 * sample(p, x, y, 2, depth));

	return sum / 1048576;
}

static double gaussian(uint32_t i, uint32_t n)
{
	double distance = i - (n - 1) * 0.5;
	return exp(-(distance * distance) / 4.5);
}

/* The index, and the index without its luminance term. */
typedef struct similarity {
	double index, contrast;
} similarity;

/* One window of n x m at (x, y): two-dimensional sums about the mean. */
static similarity ssim_at(const double *a, const double *b, uint32_t stride, uint32_t n, uint32_t m,
                          double peak)
{
	double weights = 0, mean_a = 0, mean_b = 0, var_a = 0, var_b = 0, covariance = 0;

	for (uint32_t j = 0; j < m; j++)
		for (uint32_t i = 0; i < n; i++) {
			double weight = gaussian(i, n) * gaussian(j, m);
			weights += weight;
			mean_a += weight * a[j * stride + i];
			mean_b += weight * b[j * stride + i];
		}
	mean_a /= weights;
	mean_b /= weights;
	for (uint32_t j = 0; j < m; j++)
		for (uint32_t i = 0; i < n; i++) {
			double weight = gaussian(i, n) * gaussian(j, m) / weights;
			double da = a[j * stride + i] - mean_a, db = b[j * stride + i] - mean_b;
			var_a += weight * da * da;
			var_b += weight * db * db;
			covariance += weight * da * db;
		}
	double c1 = pow(0.01 * peak, 2), c2 = pow(0.03 * peak, 2);
	const double contrast = (2 * covariance + c2) / (var_a + var_b + c2);
	const double luminance = (2 * mean_a * mean_b + c1) / (mean_a * mean_a + mean_b * mean_b + c1);
	return (similarity){luminance * contrast, contrast};
}

static similarity mean_ssim(const double *a, const double *b, uint32_t width, uint32_t height,
                            double peak)
{
	uint32_t n = width < 11 ? width : 11, m = height < 11 ? height : 11;
	double count = (double)(width - n + 1) * (height - m + 1);
	similarity sum = {0, 0};

	for (uint32_t y = 0; y + m <= height; y++)
		for (uint32_t x = 0; x + n <= width; x++) {
			similarity s = ssim_at(a + y * width + x, b + y * width + x, width, n, m, peak);
			sum.index += s.index;
			sum.contrast += s.contrast;
		}
	return (similarity){sum.index / count, sum.contrast / count};
}

/* The means of 2 x 2, in place, from a picture whose last row and column are repeated. */
static void halve(double *a, uint32_t width, uint32_t height)
{
	const uint32_t wide = (width + 1) / 2, high = (height + 1) / 2;

	for (uint32_t y = 0; y < high; y++)
		for (uint32_t x = 0; x < wide; x++) {
			double sum = 0;
			for (uint32_t k = 0; k < 4; k++) {
				uint32_t column = 2 * x + k % 2, row = 2 * y + k / 2;
				column = column < width ? column : width - 1;
				row = row < height ? row : height - 1;
				sum += a[(size_t)row * width + column];
			}
			a[(size_t)y * wide + x] = sum / 4;
		}
}

/* Changes a and b. */
static double multi_scale(double *a, double *b, uint32_t width, uint32_t height, double peak)
{
	static const double weights[5] = {0.0448, 0.2856, 0.3001, 0.2363, 0.1333};
	double product = 1;

	for (int scale = 0; scale < 5; scale++) {
		similarity s = mean_ssim(a, b, width, height, peak);
		double mean = scale < 4 ? s.contrast : s.index;
		product *= mean > 0 ? pow(mean, weights[scale]) : 0;
		halve(a, width, height);
		halve(b, width, height);
		width = (width + 1) / 2;
		height = (height + 1) / 2;
	}
	return product;
}

static void check_definition(const xc_picture *p, const xc_picture *q)
{
	uint32_t depth = p->depth > q->depth ? p->depth : q->depth;
	double peak = depth == 8 ? 255 : 65535, squares[7] = {0}, max = 0;
	size_t pixels = (size_t)p->width * p->height;
	OWN_MEMORY double *a = xc_test_malloc(pixels * sizeof *a),
					  *b = xc_test_malloc(pixels * sizeof *b);

	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++) {
			size_t at = (size_t)y * p->width + x;
			for (uint32_t c = 0; c < 4; c++) {
				double d = sample(p, x, y, c, depth) - sample(q, x, y, c, depth);
				squares[c] += d * d;
				max = fabs(d) > max ? fabs(d) : max;
			}
			a[at] = luma(p, x, y, depth);
			b[at] = luma(q, x, y, depth);
			squares[4] += (a[at] - b[at]) * (a[at] - b[at]);
			for (int c = 5; c < 7; c++) {
				double d = chroma(p, x, y, depth, c == 5) - chroma(q, x, y, depth, c == 5);
				squares[c] += d * d;
			}
		}
	xc_comparison r = compared(p, q);
	double mse = (squares[0] + squares[1] + squares[2]) / 3 / (double)pixels;
	CHECK(near(r.mse, mse, 1e-12 * mse), "mse %.15g, not %.15g", r.mse, mse);
	CHECK(near(r.psnr_rgb, 10 * log10(peak * peak / mse), 1e-12), "psnr_rgb %.15g", r.psnr_rgb);
	for (int c = 0; c < 5; c++) {
		double want = squares[c] > 0 ? 10 * log10(peak * peak * (double)pixels / squares[c])
		                             : HUGE_VAL;
		double found = c == 4 ? r.psnr_y : r.psnr_channel[c];
		CHECK(near(found, want, 1e-12), "psnr %d: %.15g, not %.15g", c, found, want);
	}
	/* Each sample is rounded, which adds at most 1 to a difference. */
	for (int c = 5; c < 7; c++) {
		double rms = sqrt(squares[c] / (double)pixels);
		double found = peak * pow(10, -(c == 5 ? r.psnr_chroma[0] : r.psnr_chroma[1]) / 20);
		CHECK(fabs(found - rms) <= 1, "chroma %d: %.15g, not %.15g", c, found, rms);
	}
	CHECK(r.max_abs_diff == max, "%u, not %g", r.max_abs_diff, max);
	double want = mean_ssim(a, b, p->width, p->height, peak).index;
	CHECK(near(r.ssim_y, want, 1e-9), "%u x %u, %u and %u channels, %u bits: ssim %.12g, not %.12g",
	      p->width, p->height, p->channels, q->channels, depth, r.ssim_y, want);
	want = multi_scale(a, b, p->width, p->height, peak);
	double found = ms_ssim(p, q);
	CHECK(near(found, want, 1e-9), "%u x %u, %u bits: ms_ssim %.12g, not %.12g", p->width,
	      p->height, depth, found, want);
}

/* ---- by hand */

static void grey(void)
{
	uint8_t a[] = {10, 20}, b[] = {12, 17};
	xc_picture p = PICTURE(2, 1, 1, 8, a), q = PICTURE(2, 1, 1, 8, b);
	xc_comparison r = compared(&p, &q);

	CHECK(r.width == 2 && r.height == 1 && r.depth == 8, "%u x %u, %u bits", r.width, r.height,
	      r.depth);
	CHECK(r.mse == 6.5, "mse %g", r.mse);
	CHECK(near(r.psnr_rgb, 40.0016700422506, 1e-12), "psnr_rgb %.15g", r.psnr_rgb);
	CHECK(r.psnr_y == r.psnr_rgb, "psnr_y %.15g", r.psnr_y);
	CHECK(!r.identical && !r.has_alpha, "%d %d", r.identical, r.has_alpha);
	check_definition(&p, &q);
}

static void colour(void)
{
	/* Luma: 100 each, and (313524*110 + 615514*95 + 119537*130 + 2^19) >> 20 = 103. Chroma: 128
	 * each, and 128 + 0.5*130 - 0.168736*110 - 0.331264*95 = 143, 128 + 0.5*110 - 0.418688*95 -
	 * 0.081312*130 = 133. */
	uint8_t a[] = {100, 100, 100}, b[] = {110, 95, 130};
	xc_picture p = PICTURE(1, 1, 3, 8, a), q = PICTURE(1, 1, 3, 8, b);
	xc_comparison r = compared(&p, &q);

	CHECK(near(r.mse, (100 + 25 + 900) / 3.0, 1e-12), "mse %.15g", r.mse);
	CHECK(near(r.psnr_rgb, 10 * log10(65025 * 3 / 1025.0), 1e-12), "psnr_rgb %.15g", r.psnr_rgb);
	CHECK(near(r.psnr_y, 10 * log10(65025 / 9.0), 1e-12), "psnr_y %.15g", r.psnr_y);
	CHECK(near(r.psnr_chroma[0], 10 * log10(65025 / 225.0), 1e-12), "psnr_cb %.15g",
	      r.psnr_chroma[0]);
	CHECK(near(r.psnr_chroma[1], 10 * log10(65025 / 25.0), 1e-12), "psnr_cr %.15g",
	      r.psnr_chroma[1]);
	check_definition(&p, &q);
}

/* Alpha counts for identity and the largest difference, not for the error. */
static void alpha(void)
{
	uint8_t a[] = {1, 2, 3, 255}, b[] = {1, 2, 3, 250}, c[] = {1, 2, 3};
	xc_picture p = PICTURE(1, 1, 4, 8, a), q = PICTURE(1, 1, 4, 8, b), s = PICTURE(1, 1, 3, 8, c);
	xc_comparison r = compared(&p, &q);

	CHECK(r.mse == 0 && r.psnr_rgb == HUGE_VAL && r.psnr_y == HUGE_VAL, "mse %g", r.mse);
	CHECK(!r.identical && r.max_abs_diff == 5 && r.has_alpha, "%u", r.max_abs_diff);
	CHECK(near(r.psnr_channel[3], 10 * log10(65025 / 25.0), 1e-12), "%g", r.psnr_channel[3]);
	r = compared(&p, &s);
	CHECK(r.identical && r.has_alpha && r.max_abs_diff == 0, "opaque and none");
	r = compared(&s, &q);
	CHECK(!r.identical && r.has_alpha && r.max_abs_diff == 5, "none and 250");
}

static void mixed(void)
{
	uint8_t grey8[] = {0, 77, 255}, grey_alpha8[] = {0, 255, 77, 255, 255, 254};
	uint16_t rgb16[] = {0, 0, 0, 77 * 257, 77 * 257, 77 * 257, 65535, 65535, 65535};
	xc_picture g = PICTURE(3, 1, 1, 8, grey8), ga = PICTURE(3, 1, 2, 8, grey_alpha8);
	xc_picture rgb = PICTURE(3, 1, 3, 16, rgb16);
	xc_comparison r = compared(&g, &rgb);

	CHECK(r.identical && r.depth == 16 && r.ssim_y == 1 && r.psnr_rgb == HUGE_VAL, "8 and 16 bits");
	r = compared(&rgb, &ga);
	CHECK(!r.identical && r.depth == 16 && r.max_abs_diff == 257, "%u", r.max_abs_diff);
	rgb16[4] -= 300;
	r = compared(&g, &rgb);
	CHECK(near(r.mse, 90000 / 9.0, 1e-9), "mse %g", r.mse);
	CHECK(near(r.psnr_rgb, 20 * log10(65535 / 100.0), 1e-12), "psnr %.15g", r.psnr_rgb);
	/* Luma falls by 300 * 0.587, rounded: 176. */
	CHECK(near(r.psnr_y, 20 * log10(65535 / 176.0) + 10 * log10(3), 1e-12), "psnr_y %.15g",
	      r.psnr_y);
}

/* Pictures that resemble each other, so that no scale is near 0: q is p with an error of up to
 * `max` in each sample. */
static void similar_pictures(void)
{
	static const uint32_t sizes[][2] = {{160, 161}, {176, 177}, {203, 180}, {322, 100}};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		const uint32_t w = sizes[i][0], h = sizes[i][1], max = 4 << i;
		OWN_PICTURE p = xc_sample_picture(w, h, 3, 8, 1, i),
					q = xc_sample_picture(w, h, 3, 8, 0, i);
		uint8_t *good = p.data, *bad = q.data;
		for (size_t k = 0; k < (size_t)w * h * 3; k++) {
			int sample = good[k] + bad[k] % (int)(2 * max + 1) - (int)max;
			bad[k] = (uint8_t)(sample < 0 ? 0 : sample > 255 ? 255 : sample);
		}
		check_definition(&p, &q);
		CHECK(ms_ssim(&p, &q) > 0.1, "ms_ssim %g", ms_ssim(&p, &q));
	}
}

/* On flat pictures SSIM is its luminance term alone, whatever the window. */
static void flat_ssim(void)
{
	static const uint32_t sizes[][2] = {{1, 1}, {5, 30}, {30, 5}, {12, 11}, {200, 20}};

	for (size_t i = 0; i < COUNT(sizes); i++) {
		uint32_t w = sizes[i][0], h = sizes[i][1];
		uint8_t a[4000], b[4000];
		memset(a, 100, sizeof a);
		memset(b, 110, sizeof b);
		xc_picture p = PICTURE(w, h, 1, 8, a), q = PICTURE(w, h, 1, 8, b);
		double c1 = 2.55 * 2.55, want = (22000 + c1) / (22100 + c1);
		double found = compared(&p, &q).ssim_y;
		CHECK(near(found, want, 1e-9), "%u x %u: %.12g, not %.12g", w, h, found, want);
		found = ms_ssim(&p, &q);
		want = pow(want, 0.1333);
		CHECK(near(found, want, 1e-9), "%u x %u: %.12g, not %.12g", w, h, found, want);
	}
}

static void definitions(void)
{
	/* Around the size of the window and of the strips of columns. */
	static const uint32_t sizes[][2] = {{1, 1},    {2, 7},   {10, 10},  {11, 11},  {12, 3},
	                                    {3, 40},   {13, 25}, {144, 11}, {153, 12}, {154, 13},
	                                    {155, 12}, {160, 9}, {161, 14}, {310, 12}};

	for (size_t i = 0; i < COUNT(sizes); i++)
		for (uint32_t kind = 0; kind < 6; kind++) {
			uint32_t w = sizes[i][0], h = sizes[i][1];
			uint32_t channels[2] = {1 + (uint32_t)(i + kind) % 4, 1 + (kind * 3 + 2) % 4};
			uint32_t depth[2] = {kind & 1 ? 16 : 8, kind & 2 ? 16 : 8};
			xc_picture p[2];
			for (uint64_t k = 0; k < 2; k++)
				p[k] = xc_sample_picture(w, h, channels[k], depth[k], kind % 3, 12 * i + kind + k);
			check_definition(&p[0], &p[1]);
			free(p[0].data);
			free(p[1].data);
		}
}

/* Equal pictures: infinite, 1 to the last bit, and the same both ways round. */
static void equal_and_symmetric(void)
{
	OWN_PICTURE p = xc_sample_picture(170, 20, 3, 8, 0, 1),
				q = xc_sample_picture(170, 20, 3, 8, 0, 2);
	xc_comparison r = compared(&p, &p);

	CHECK(r.identical && r.mse == 0 && r.psnr_rgb == HUGE_VAL && r.psnr_y == HUGE_VAL, "equal");
	CHECK(r.ssim_y == 1, "ssim %.17g", r.ssim_y);
	CHECK(ms_ssim(&p, &p) == 1, "ms_ssim %.17g", ms_ssim(&p, &p));
	CHECK(ms_ssim(&p, &q) == ms_ssim(&q, &p), "ms_ssim of a and b, b and a");
	xc_comparison one = compared(&p, &q), two = compared(&q, &p);
	CHECK(memcmp(&one, &two, sizeof one) == 0, "a and b, b and a");
}

/* Differences as large as they get: sums beyond 32 bits. */
static void extremes(void)
{
	enum { W = 300, H = 40 };
	static uint16_t black[W * H], white[W * H];

	memset(white, 0xff, sizeof white);
	xc_picture p = PICTURE(W, H, 1, 16, black), q = PICTURE(W, H, 1, 16, white);
	xc_comparison r = compared(&p, &q);
	CHECK(r.mse == 65535.0 * 65535.0 && r.psnr_rgb == 0 && r.psnr_y == 0, "mse %.15g", r.mse);
	CHECK(r.max_abs_diff == 65535, "%u", r.max_abs_diff);
	CHECK(near(r.ssim_y, 0.0001 / 1.0001, 1e-9), "ssim %.12g", r.ssim_y);
}

/* ---- SSIMULACRA2 */

/* Made with integers alone, so that any program can make it: tiles with a wave and an error of up to
 * `noise` levels of 8 bits, or white with such an error; `score` is what the program says. */
typedef struct scored {
	uint32_t width, height, channels, depth, noise;
	int white;
	double score;
} scored;

static const scored scores[] = {
	{8, 8, 3, 8, 10, 0, 91.24619217},    {9, 200, 3, 8, 20, 0, 84.56115741},
	{300, 257, 3, 8, 6, 0, 87.26697307}, {130, 140, 1, 8, 12, 0, 73.82722055},
	{131, 66, 3, 16, 5, 0, 78.77151396}, {129, 16, 1, 16, 30, 0, 77.78238779},
	{64, 70, 4, 8, 30, 0, 24.76028567},  {40, 33, 2, 16, 20, 0, 93.39807631},
	{50, 50, 3, 8, 30, 1, -50.54085519}, {120, 90, 3, 8, 200, 0, -63.38075720},
	{1000, 7, 3, 8, 9, 0, NAN},
};

static uint32_t mixed_bits(uint32_t n)
{
	n *= UINT32_C(2654435761);
	n = (n ^ n >> 15) * UINT32_C(2246822519);
	return n ^ n >> 13;
}

static uint32_t scored_sample(const scored *s, uint32_t x, uint32_t y, uint32_t c, int wrong)
{
	const uint32_t wave = (x * (5 + c) + y * (3 + 2 * c)) % 512, max = s->noise * 256;
	const uint32_t tone = (wave < 256 ? wave : 511 - wave) / 2 + 100 * ((x >> 4 ^ y >> 4) & 1);
	const uint32_t n = ((y * s->width + x) * 4 + c) * 2;
	int64_t v = s->white ? 65535 : tone * 256 + (mixed_bits(n) & 255);

	if (wrong)
		v += (int64_t)(mixed_bits(n + 1) % (2 * max + 1)) - max;
	v = v < 0 ? 0 : v > 65535 ? 65535 : v;
	return (uint32_t)v >> (s->depth == 8 ? 8 : 0);
}

static void fill_scored(const scored *s, int wrong, xc_picture *p)
{
	uint8_t *bytes = p->data;
	uint16_t *words = p->data;

	for (uint32_t y = 0, k = 0; y < s->height; y++)
		for (uint32_t x = 0; x < s->width; x++)
			for (uint32_t i = 0; i < s->channels; i++, k++) {
				const int alpha = s->channels % 2 == 0 && i == s->channels - 1;
				const uint32_t v = scored_sample(s, x, y, alpha ? 3 : i, wrong);
				if (p->depth == 8)
					bytes[k] = (uint8_t)v;
				else
					words[k] = (uint16_t)v;
			}
}

static double score_of(const xc_picture *p, const xc_picture *q, uint32_t peak)
{
	double score = 5;
	const xc_status status = xc_ssimulacra2(context, p, q, peak, &score);

	CHECK(status == XC_OK, "%d %s", status, xc_context_message(context));
	return score;
}

static int same_score(double a, double b, double tolerance)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= tolerance;
}

static void check_score(const scored *s)
{
	OWN_PICTURE p = xc_sample_picture(s->width, s->height, s->channels, s->depth, 0, 1),
				q = xc_sample_picture(s->width, s->height, s->channels, s->depth, 0, 1);

	fill_scored(s, 0, &p);
	fill_scored(s, 1, &q);
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		CHECK_OK(context, xc_context_set_cpu(context, xc_cpu_name((xc_cpu)cpu)));
		CHECK_OK(context, xc_context_set_threads(context, cpu % 2 ? 1 : 3));
		const double found = score_of(&p, &q, 0);
		CHECK(same_score(s->score, found, 1e-6), "%u x %u, %s: %.9g, not %.9g", s->width, s->height,
		      xc_cpu_name((xc_cpu)cpu), found, s->score);
	}
	CHECK_OK(context, xc_context_set_cpu(context, NULL));
	CHECK_OK(context, xc_context_set_threads(context, 1));
}

/* Samples of 8 bits in 16, with their own peak; alpha above it is opaque. */
static void peak_of_score(void)
{
	const scored s = scores[1];
	OWN_PICTURE p = xc_sample_picture(s.width, s.height, 4, 16, 0, 1),
				q = xc_sample_picture(s.width, s.height, 3, 16, 0, 1);
	uint16_t *rgba = p.data;

	fill_scored(&(scored){s.width, s.height, 4, 8, 0, 0, 0}, 0, &p);
	fill_scored(&s, 1, &q);
	for (size_t i = 3; i < (size_t)s.width * s.height * 4; i += 4)
		rgba[i] = 4095;
	CHECK(same_score(s.score, score_of(&p, &q, 255), 1e-6), "%.9g", score_of(&p, &q, 255));
	CHECK(score_of(&p, &p, 255) == 100, "equal pictures have %g", score_of(&p, &p, 255));
}

static void ssimulacra2(void)
{
	for (size_t i = 0; i < COUNT(scores); i++)
		check_score(&scores[i]);
	peak_of_score();
}

/* ---- failures */

static void check_refused(const xc_picture *a, const xc_picture *b, xc_status want)
{
	xc_comparison r, empty;

	memset(&r, 0x55, sizeof r);
	memset(&empty, 0, sizeof empty);
	xc_status status = xc_compare(context, a, b, &r);
	CHECK(status == want && xc_context_message(context)[0], "%d", status);
	CHECK(memcmp(&r, &empty, sizeof r) == 0, "the result is not empty");
	double value = 5;
	status = xc_ms_ssim(context, a, b, &value);
	CHECK(status == want && xc_context_message(context)[0], "ms_ssim: %d", status);
	CHECK(value == 0, "the result is %g", value);
	value = 5;
	status = xc_ssimulacra2(context, a, b, 0, &value);
	CHECK(status == want && xc_context_message(context)[0], "ssimulacra2: %d", status);
	CHECK(value == 0, "the result is %g", value);
	value = 5;
	memset(&r, 0x55, sizeof r);
	status = xc_compare_all(context, a, b, 0, &r, &value);
	CHECK(status == want && xc_context_message(context)[0], "compare_all: %d", status);
	CHECK(value == 0 && memcmp(&r, &empty, sizeof r) == 0, "the result is not empty");
}

static void refused(void)
{
	uint8_t samples[64] = {0};
	const xc_picture good = PICTURE(4, 4, 1, 8, samples);
	xc_picture bad = good;
#define REFUSE(field, value, a, b) \
	(bad = good, bad.field = (value), check_refused(a, b, XC_ERR_ARGUMENT))
	REFUSE(width, 3, &good, &bad);
	REFUSE(height, 3, &bad, &good);
	REFUSE(data, NULL, &good, &bad);
	REFUSE(stride, 3, &bad, &bad);
	REFUSE(channels, 5, &bad, &bad);
	REFUSE(depth, 9, &bad, &bad);
	REFUSE(width, 0, &bad, &bad);
	CHECK(xc_ms_ssim(context, &good, &good, NULL) == XC_ERR_ARGUMENT, "no place for the result");
}

static void out_of_memory(void)
{
	uint8_t samples[64] = {0};
	xc_counting counting;
	xc_picture p = PICTURE(8, 8, 1, 8, samples);
	xc_context *kept = context;

	xc_counting_init(&counting, 2); /* the context itself, then nothing */
	context = xc_context_new(&counting.allocator);
	REQUIRE(context, "no context");
	check_refused(&p, &p, XC_ERR_MEMORY);
	xc_context_free(context);
	context = kept;
}

/* Thin pictures take as many bytes a pixel as others: the results below fit in a limit of 14 and 5 MB,
 * with the copies of those that are narrower than 8 pixels. */
static void thin(void)
{
	enum { PIXELS = 200000 };
	uint8_t *samples = malloc(3 * PIXELS + 3);

	REQUIRE(samples, "memory");
	for (uint32_t i = 0; i < 3 * PIXELS + 3; i++)
		samples[i] = (uint8_t)(mixed_bits(i / 24) >> 27);
	xc_test_limits(context, PIXELS, 14 * PIXELS + 5000000, 0);
	for (uint32_t side = 1; side <= 8; side += 7) {
		const xc_picture tall = PICTURE(side, PIXELS / side, 3, 8, samples);
		const xc_picture wide = PICTURE(PIXELS / side, side, 3, 8, samples);
		for (int k = 0; k < 2; k++) {
			const xc_picture *a = k ? &wide : &tall;
			xc_picture b = *a;
			double value[4];
			b.data = samples + 3;
			const xc_comparison c = compared(a, &b);
			REQUIRE_OK(context, xc_ms_ssim(context, a, &b, &value[0]));
			REQUIRE_OK(context, xc_ssimulacra2(context, a, &b, 0, &value[1]));
			REQUIRE_OK(context, xc_butteraugli(context, a, &b, 0, &value[2], &value[3]));
			CHECK(c.width == a->width && c.height == a->height, "%u x %u", c.width, c.height);
			CHECK(c.max_abs_diff == 31 && value[3] > 0, "%u x %u: %g", c.width, c.height, value[3]);
		}
	}
	xc_test_limits(context, UINT64_MAX, UINT64_MAX, UINT64_MAX);
	free(samples);
}

int main(void)
{
	context = xc_test_context();
	RUN(grey, colour, alpha, mixed, flat_ssim, definitions, similar_pictures, equal_and_symmetric,
	    extremes, ssimulacra2, refused, thin, out_of_memory);
	xc_context_free(context);
	return check_done();
}
