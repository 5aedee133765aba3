/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Quantization tables: Annex K and the quality curve against libjpeg's for every
 * quality, depth 16, the kernels' forms of a table, curves, and tables read from text.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef XC_HAVE_LIBJPEG
#include <jpeglib.h>
#endif

#include "quant/tables.h"
#include "tests/support/codec.h"

static void annex_k_at_all_qualities_as_libjpeg(void)
{
#ifdef XC_HAVE_LIBJPEG
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr errors;
	xc_quant_tables annex_k;
	xc_quant_tables_annex_k(&annex_k);
	jpeg.err = jpeg_std_error(&errors);
	jpeg_create_compress(&jpeg);
	jpeg.input_components = 3;
	jpeg.in_color_space = JCS_RGB;
	jpeg_set_defaults(&jpeg);
	for (int quality = 1; quality <= 100; quality++) {
		jpeg_set_quality(&jpeg, quality, FALSE);
		for (int t = 0; t < 2; t++) {
			uint32_t steps[64];
			xc_quant_scale(t ? annex_k.chroma : annex_k.luma, quality, 255, steps);
			for (int i = 0; i < 64; i++)
				CHECK(steps[i] == jpeg.quant_tbl_ptrs[t]->quantval[i],
				      "quality %d, table %d, step %d: %u, libjpeg has %u", quality, t, i, steps[i],
				      jpeg.quant_tbl_ptrs[t]->quantval[i]);
		}
	}
	jpeg_destroy_compress(&jpeg);
#else
	SKIP("built without libjpeg");
#endif
}

/* 255ths of the largest sample, up to what 16 bits hold; the finest is one level. */
static void sixteen_bits(void)
{
	static const int percents[][2] = {{100, 0}, {75, 50}, {50, 100}, {25, 200}, {10, 500}};
	const uint16_t base[64] = {1, 2, 10, 16, 99, 255, 1000, 65535};
	static const uint32_t peaks[] = {65535, 4095, 1000, 255};

	for (size_t q = 0; q < COUNT(percents) * COUNT(peaks); q++) {
		const uint32_t peak = peaks[q % COUNT(peaks)];
		const int *const percent = percents[q / COUNT(peaks)];
		uint32_t steps[64];
		xc_quant_scale(base, percent[0], peak, steps);
		for (int i = 0; i < 8; i++) {
			const double exact = (double)base[i] * peak * percent[1] / 25500;
			const double wanted = fmin(fmax(floor(exact + 0.5), 1), 65535);
			CHECK(steps[i] == wanted, "quality %d, base %d: %u instead of %g", percent[0], base[i],
			      steps[i], wanted);
		}
	}
}

/* The scale factors of the scaled DCT cancel between the two forms, whose product is
 * 1/64: each pass of the transform multiplies by 8 on the way there and back. */
static void forward_and_inverse_tables(void)
{
	const double pi = acos(-1);
	xc_quant_tables annex_k;

	xc_quant_tables_annex_k(&annex_k);
	for (int quality = 1; quality <= 100; quality += 9) {
		uint32_t steps[64];
		float forward[64], inverse[64];
		xc_quant_scale(annex_k.luma, quality, 255, steps);
		xc_quant_forward_table(XC_TRANSFORM_DCT, steps, 1, forward);
		xc_quant_inverse_table(XC_TRANSFORM_DCT, steps, 1, inverse);
		for (int u = 0; u < 8; u++) {
			for (int v = 0; v < 8; v++) {
				const double su = u ? sqrt(2) * cos(u * pi / 16) : 1;
				const double sv = v ? sqrt(2) * cos(v * pi / 16) : 1;
				const double wanted = su * sv * steps[v * 8 + u] / 8;
				const double product = (double)forward[u * 8 + v] * (double)inverse[u * 8 + v];
				CHECK(fabs((double)inverse[u * 8 + v] / wanted - 1) < 1e-7,
				      "quality %d, coefficient %d,%d", quality, v, u);
				CHECK(fabs(product * 64 - 1) < 2e-7, "quality %d, coefficient %d,%d", quality, v,
				      u);
			}
		}
	}
}

/* Between two qualities every part of the way has steps no larger than the part before, and some
 * part has one step smaller where the two differ. */
static void steps_between(void)
{
	xc_quant_tables annex_k;

	xc_quant_tables_annex_k(&annex_k);
	for (int quality = 1; quality < 100; quality++) {
		uint32_t coarse[64], fine[64], before[64], steps[64];
		unsigned changes = 0;
		xc_quant_scale(annex_k.luma, quality, 255, coarse);
		xc_quant_scale(annex_k.luma, quality + 1, 255, fine);
		memcpy(before, coarse, sizeof before);
		for (uint32_t part = 0; part < 256; part++) {
			xc_quant_between(coarse, fine, part, quality % 2, steps);
			for (int i = 0; i < 64; i++)
				CHECK(steps[i] <= before[i] && steps[i] >= fine[i], "quality %d, part %u, step %d",
				      quality, part, i);
			CHECK(part || !memcmp(steps, coarse, sizeof steps), "quality %d", quality);
			changes += memcmp(steps, before, sizeof steps) != 0;
			memcpy(before, steps, sizeof before);
		}
		unsigned differ = 0;
		for (int i = 0; i < 64; i++)
			differ += coarse[i] != fine[i];
		/* One at a time at least, but for the one whose turn comes last. */
		CHECK(changes + 1 >= differ || changes > 32, "quality %d: %u changes of %u", quality,
		      changes, differ);
	}
}

/* ------------------------------------------------------------------- curves */

static double factor(const xc_quant_curve *k, int d)
{
	const double x = (d - 2) / 12.0;

	return (d < 3 ? k->low[d] : 64 + k->slope * x + k->bend * x * (1 - x)) / 64;
}

/* Steps of a curve against a calculation in double, at the ends of what its fields hold; over all places they
 * miss the curve by less than a 64th. */
static void curve_steps(void)
{
	static const uint16_t scales[] = {0, 1, 255, 256, 300, 2601, 30000, 65535};
	static const uint8_t lows[] = {0, 1, 64, 255}, slopes[] = {0, 1, 97, 255};
	static const int8_t bends[] = {-128, -1, 0, 127};
	static const uint32_t peaks[] = {255, 1000, 65535};

	for (int n = 0; n < 8 * 4 * 4 * 4 * 3; n++) {
		const uint8_t low = lows[n / 8 % 4];
		const xc_quant_curve k = {scales[n % 8],
		                          {low, 64, (uint8_t)(255 - low)},
		                          slopes[n / 32 % 4],
		                          bends[n / 128 % 4]};
		const uint32_t peak = peaks[n / 512];
		uint32_t steps[64];
		xc_quant_curve_steps(&k, peak, steps);
		for (int i = 0; i < 64; i++) {
			const int place = (i & 1) * 32 + (i & 2) * 8 + (i & 4) * 2 + (i & 8) / 2 +
			                  (i & 16) / 8 + (i & 32) / 32;
			const double exact = factor(&k, i / 8 + i % 8) * k.scale / 256 * peak / 255;
			const double up = exact + (2 * place + 1) / 128.0, close = 1e-9;
			CHECK(steps[i] >= fmin(fmax(floor(up - close), 1), 65535) &&
			          steps[i] <= fmin(fmax(floor(up + close), 1), 65535),
			      "curve %d, step %d: %u instead of %g", n, i, steps[i], exact);
		}
	}
	for (uint32_t scale = 256; scale < 65535; scale += 7) {
		const xc_quant_curve level = {(uint16_t)scale, {64, 64, 64}, 0, 0};
		uint32_t steps[64], sum = 0;
		xc_quant_curve_steps(&level, 255, steps);
		for (int i = 0; i < 64; i++)
			sum += steps[i];
		CHECK(fabs(sum / 64.0 - scale / 256.0) < 1 / 64.0, "scale %u: %u", scale, sum);
	}
}

static double mean_log(const xc_quant_curve *k, uint32_t peak, uint32_t *largest)
{
	uint32_t steps[64];
	double sum = 0;

	*largest = 0;
	xc_quant_curve_steps(k, peak, steps);
	for (int i = 0; i < 64; i++) {
		sum += log(steps[i]);
		*largest = steps[i] > *largest ? steps[i] : *largest;
	}
	return sum / 64;
}

/* From each quality to one higher by one, steps become smaller, the geometric mean of all; between the two, it never
 * grows by more than the 64th that factors are rounded to. full: whether chroma has the size of luma. */
static void eye_curves(int full)
{
	double before[2][256], least[2] = {HUGE_VAL, HUGE_VAL};

	for (uint32_t quality = 256; quality <= 25600; quality++) {
		xc_quant_curve curves[2];
		xc_quant_eye_curves(quality, full, curves);
		for (int k = 0; k < 2; k++) {
			uint32_t largest;
			const double mean = mean_log(&curves[k], 4095, &largest);
			CHECK(mean <= least[k] + 1 / 64.0, "quality %u, table %d: %g after %g", quality, k,
			      mean, least[k]);
			const int coarsest = curves[k].scale == 65535;
			CHECK(quality < 512 || mean < before[k][quality % 256] + (coarsest ? 1e-9 : 0),
			      "quality %u, table %d: %g, one lower %g", quality, k, mean,
			      before[k][quality % 256]);
			before[k][quality % 256] = mean;
			least[k] = fmin(least[k], mean);
			mean_log(&curves[k], 255, &largest);
			CHECK(quality < 25600 || k || largest <= 2, "quality 100: a step of %u", largest);
		}
	}
}

/* --------------------------------------------------------------------- text */

static void flat(void)
{
	xc_quant_tables t;

	xc_quant_tables_flat(&t);
	for (int i = 0; i < 64; i++)
		CHECK(t.luma[i] == 16 && t.chroma[i] == 16, "step %d", i);
}

static xc_context *c;
static char text[4096];
static xc_quant_tables t; /* what is read from it */

/* `count` numbers i + 1 with separators of every kind. */
static size_t write_numbers(int count)
{
	static const char *const separators[] = {" ", ",", "\t", "\n", "\r\n", " , ", "# 9 9\n"};
	size_t n = 0;

	for (int i = 0; i < count; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%d%s", i + 1, separators[i % 7]);
	return n;
}

static void parse_numbers(void)
{
	for (int count = 0; count <= 130; count++) {
		const size_t n = write_numbers(count);
		const xc_status s = xc_quant_tables_parse(c, text, n, &t);
		if (count != 64 && count != 128) {
			CHECK(s == XC_ERR_CORRUPT, "%d numbers: %s", count, xc_status_string(s));
			CHECK(strstr(xc_context_message(c), "line"), "%s", xc_context_message(c));
			continue;
		}
		CHECK(s == XC_OK, "%d numbers: %s", count, xc_context_message(c));
		for (int i = 0; !s && i < 64; i++) {
			CHECK(t.luma[i] == i + 1, "luma %d is %d", i, t.luma[i]);
			CHECK(t.chroma[i] == (count == 64 ? i + 1 : i + 65), "chroma %d is %d", i, t.chroma[i]);
		}
	}
}

/* The 64th of otherwise good numbers, and its line. */
static void parse_errors(void)
{
	/* clang-format off */
	static const char *const wrong[] = {
		"0", "65536", "99999999999999999999", "-1", "1.5", "0x10", "1e3", "x", "1x", "1;", "\"1\"",
	};
	/* clang-format on */
	size_t n = 0;

	for (int i = 0; i < 63; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%d\n", i + 1);
	for (size_t w = 0; w < COUNT(wrong); w++) {
		strcpy(text + n, wrong[w]);
		CHECK(xc_quant_tables_parse(c, text, n + strlen(wrong[w]), &t) == XC_ERR_CORRUPT, "'%s'",
		      wrong[w]);
		CHECK(strstr(xc_context_message(c), "line 64"), "'%s': %s", wrong[w],
		      xc_context_message(c));
	}
	/* Cut off before the wrong number there is one too few. */
	CHECK(xc_quant_tables_parse(c, text, n, &t) == XC_ERR_CORRUPT, "63 numbers");
}

static void parse_extremes(void)
{
	size_t n = 0;

	for (int i = 0; i < 64; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s ", i % 2 ? "65535" : "00001");
	/* No byte after the last digit. */
	CHECK_OK(c, xc_quant_tables_parse(c, text, n - 1, &t));
	CHECK(t.luma[0] == 1 && t.luma[63] == 65535, "%d %d", t.luma[0], t.luma[63]);
}

int main(void)
{
	c = xc_test_context();
	RUN(annex_k_at_all_qualities_as_libjpeg, sixteen_bits, forward_and_inverse_tables,
	    steps_between, curve_steps, flat, parse_numbers, parse_errors, parse_extremes);
	RUN_FOR("chroma of half size", 0, eye_curves);
	RUN_FOR("chroma of full size", 1, eye_curves);
	xc_context_free(c);
	return check_done();
}
