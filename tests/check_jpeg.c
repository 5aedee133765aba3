/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coefficients are JPEG's: those of an XC file are written into a JPEG through
 * libjpeg's coefficient interface, and what libjpeg makes of it is compared
 *
 * - with a plain JPEG decoding of the same coefficients, written here: the inverse DCT
 *   in double precision, samples rounded and held to 0 ... 255, then colours (4:4:4
 *   and grey).  At most 3 levels anywhere and 0.1 on average.
 *
 * - with our own decoding, which does better than that: it keeps fractions and
 *   overshoots of Y, Cb and Cr until the colours are made and rounds once.  So
 *   libjpeg's roundings are the difference.  In 4:4:4 each plane is off by 1/2 and by
 *   one more where its integer transform rounds otherwise than the exact one, and
 *   chroma counts 1.772 times at most: 3 levels are the limit, reached by few pixels;
 *   the roundings alone make a mean of about 0.4.  With halved chroma there is one
 *   more rounding behind the up-sampling: 4 levels.  Where a sample that has a part in
 *   a pixel lies outside 0 ... 255, libjpeg's clamping comes on top, so such pixels
 *   count for the mean only.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/check.h"
#include "tests/jpeg_peer.h"
#include "tests/test_pictures.h"

#ifdef XC_HAVE_LIBJPEG

static const char *const names[] = {"4:2:0", "4:2:2", "4:4:4", "grey"};

/* ------------------------------------------------------ plain JPEG decoding */

typedef struct samples {
	size_t width, height; /* what counts of the picture */
	size_t stride;
	double *data; /* not rounded, 128 for mid-grey */
} samples;

static double basis[8][8];

static void make_basis(void)
{
	for (int u = 0; u < 8; u++)
		for (int x = 0; x < 8; x++)
			basis[u][x] = sqrt((u ? 2 : 1) / 8.0) * cos((2 * x + 1) * u * acos(-1) / 16);
}

static void inverse_dct(const int32_t *q, const uint32_t *steps, double *out, size_t stride)
{
	double rows[64] = {0};
	for (int i = 0; i < 64; i++)
		for (int x = 0; q[i] && x < 8; x++)
			rows[i / 8 * 8 + x] += (double)q[i] * steps[i] * basis[i % 8][x];
	for (size_t y = 0; y < 8; y++) {
		for (size_t x = 0; x < 8; x++) {
			double sum = 128;
			for (int v = 0; v < 8; v++)
				sum += rows[v * 8 + (int)x] * basis[v][y];
			out[y * stride + x] = sum;
		}
	}
}

static samples decode_plane(const xc_info *info, const xc_coefficients *c, uint32_t i)
{
	const xc_plane_coefficients *p = &c->plane[i];
	const uint32_t h = c->plane[0].blocks_wide / p->blocks_wide;
	const uint32_t v = c->plane[0].blocks_high / p->blocks_high;
	samples s = {(info->width + h - 1) / h, (info->height + v - 1) / v,
	             (size_t)p->blocks_wide * 8, NULL};
	s.data = malloc(s.stride * p->blocks_high * 8 * sizeof *s.data);
	if (!s.data)
		abort();
	for (size_t b = 0; b < (size_t)p->blocks_wide * p->blocks_high; b++) {
		const size_t y = b / p->blocks_wide * 8, x = b % p->blocks_wide * 8;
		inverse_dct(p->data + b * 64, info->quant[i], s.data + y * s.stride + x, s.stride);
	}
	return s;
}

/* To an integer as JPEG decoders do: halves go up. */
static double level(double v)
{
	v = floor(v + 0.5);
	return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* The red, green and blue (or grey) of a pixel of a 4:4:4 (or grey) picture. */
static void plain_pixel(const samples *planes, uint32_t components, size_t x, size_t y, int rgb[3])
{
	double s[3] = {0, 0, 0};
	for (uint32_t i = 0; i < components; i++)
		s[i] = level(planes[i].data[y * planes[i].stride + x]) - (i ? 128 : 0);
	rgb[0] = (int)level(s[0] + 1.402 * s[2]);
	rgb[1] = (int)level(s[0] - (0.114 * 1.772 * s[1] + 0.299 * 1.402 * s[2]) / 0.587);
	rgb[2] = (int)level(s[0] + 1.772 * s[1]);
}

/* All samples that have a part in pixel x, y are inside 0 ... 255 with some room. */
static int in_range(const samples *planes, uint32_t components, size_t x, size_t y)
{
	for (uint32_t i = 0; i < components; i++) {
		const samples *s = &planes[i];
		const size_t px = x * s->width / planes[0].width, py = y * s->height / planes[0].height;
		for (size_t ny = py ? py - 1 : 0; ny <= py + 1 && ny < s->height; ny++) {
			for (size_t nx = px ? px - 1 : 0; nx <= px + 1 && nx < s->width; nx++) {
				const double v = s->data[ny * s->stride + nx];
				if (v < 0 || v > 255)
					return 0;
			}
		}
	}
	return 1;
}

/* ------------------------------------------------------------------ comparing */

typedef struct difference {
	double sum;
	int most, most_in_range;
} difference;

static void add(difference *d, int e, int inside)
{
	e = abs(e);
	d->sum += e;
	d->most = e > d->most ? e : d->most;
	if (inside)
		d->most_in_range = e > d->most_in_range ? e : d->most_in_range;
}

/* One picture at one quality and subsampling: libjpeg against plain and against ours. */
typedef struct comparison {
	difference plain, ours;
	double samples;
} comparison;

static void compare(const xc_info *info, const xc_coefficients *c, const xc_picture *ours,
                    const uint8_t *theirs, comparison *out)
{
	samples planes[3];
	const uint32_t channels = ours->channels;
	const int full = info->subsampling == XC_SUBSAMPLING_444 || channels == 1;
	*out = (comparison){.samples = (double)ours->width * ours->height * channels};
	for (uint32_t i = 0; i < c->components; i++)
		planes[i] = decode_plane(info, c, i);
	for (size_t y = 0; y < ours->height; y++) {
		const uint8_t *a = (const uint8_t *)ours->data + y * ours->stride;
		const uint8_t *b = theirs + y * ours->stride;
		for (size_t x = 0; x < ours->width; x++) {
			int rgb[3];
			const int inside = in_range(planes, c->components, x, y);
			for (uint32_t i = 0; i < channels; i++)
				add(&out->ours, a[x * channels + i] - b[x * channels + i], inside);
			if (!full)
				continue;
			plain_pixel(planes, c->components, x, y, rgb);
			for (uint32_t i = 0; i < channels; i++)
				add(&out->plain, rgb[i] - b[x * channels + i], inside);
		}
	}
	for (uint32_t i = 0; i < c->components; i++)
		free(planes[i].data);
}

static int both_ways(const xc_picture *p, xc_subsampling s, int quality, comparison *out)
{
	xc_context *c = xc_context_new(NULL);
	xc_encode_options o;
	xc_buffer file = {0};
	xc_info info;
	xc_picture ours = {0};
	xc_coefficients coefficients = {0};
	if (!c)
		abort();
	xc_encode_options_default(&o);
	o.quality = quality;
	o.subsampling = s;
	const int good = !xc_encode(c, p, NULL, &o, &file) &&
	                 !xc_read_info(c, file.data, file.size, &info) &&
	                 !xc_decode(c, file.data, file.size, NULL, &ours) &&
	                 !xc_decode_coefficients(c, file.data, file.size, &coefficients);
	CHECK(good, "%s", xc_context_message(c));
	if (good) {
		unsigned char *jpeg;
		unsigned long size;
		xc_jpeg_write(&info, &coefficients, &jpeg, &size);
		uint8_t *theirs = xc_jpeg_read(jpeg, size, ours.stride);
		compare(&info, &coefficients, &ours, theirs, out);
		free(theirs);
		free(jpeg);
	}
	xc_coefficients_free(c, &coefficients);
	xc_picture_free(c, &ours);
	xc_buffer_free(c, &file);
	xc_context_free(c);
	return good;
}

/* The worst of 4:4:4. */
static double worst_mean;
static int worst_most;

static void check_quality(const xc_picture *p, xc_subsampling s, int quality)
{
	static const int limits[4] = {4, 4, 3, 1};
	static const double means[4] = {0.6, 0.6, 0.55, 0.1};
	comparison k;
	if (!both_ways(p, s, quality, &k))
		return;
	printf("# %s, quality %d, libjpeg against ours: mean %.4f, most %d, in range %d", names[s],
	       quality, k.ours.sum / k.samples, k.ours.most, k.ours.most_in_range);
	CHECK(k.ours.most_in_range <= limits[s], "quality %d: %d", quality, k.ours.most_in_range);
	CHECK(k.ours.sum / k.samples <= means[s], "quality %d: %g", quality, k.ours.sum / k.samples);
	if (s == XC_SUBSAMPLING_444) {
		worst_mean = fmax(worst_mean, k.ours.sum / k.samples);
		worst_most = k.ours.most > worst_most ? k.ours.most : worst_most;
	}
	if (s == XC_SUBSAMPLING_444 || s == XC_SUBSAMPLING_GREY) {
		printf("; against plain: mean %.4f, most %d", k.plain.sum / k.samples, k.plain.most);
		CHECK(k.plain.most <= 3, "quality %d: %d", quality, k.plain.most);
		CHECK(k.plain.sum / k.samples <= 0.1, "quality %d: %g", quality, k.plain.sum / k.samples);
	}
	printf("\n");
}

static void check_picture(const char *what, const xc_picture *p, const int *qualities)
{
	for (int s = XC_SUBSAMPLING_420; s <= XC_SUBSAMPLING_GREY; s++) {
		check_begin("%s, %s", what, names[s]);
		for (const int *q = qualities; *q; q++)
			check_quality(p, (xc_subsampling)s, *q);
		check_end();
	}
}

static const int all_qualities[] = {1, 10, 30, 50, 75, 90, 100, 0};
static const int some_qualities[] = {30, 75, 0};

static void check_made(uint32_t width, uint32_t height, int roughness)
{
	char what[64];
	xc_picture p = xc_test_picture(width, height, 3, 8, 0, roughness);
	snprintf(what, sizeof what, "%ux%u, roughness %d", (unsigned)width, (unsigned)height,
	         roughness);
	check_picture(what, &p, all_qualities);
	free(p.data);
}

static void check_file(const char *name, int shared)
{
	xc_file_picture f;
	if (shared ? xc_test_shared(name, &f) : xc_test_sample(name, &f)) {
		check_picture(name, &f.picture, getenv("XC_LONG") ? all_qualities : some_qualities);
		xc_file_picture_free(&f);
	} else {
		check_begin("%s", name);
		check_skip("not there");
		check_end();
	}
}

/* The plain decoding's bounds for our own: a decoder that rounds only once cannot be
 * that near to one that rounds each plane, so this says how far it is. */
static void check_bar(void)
{
	check_begin("our 4:4:4 within 3 levels and 0.1 on average of libjpeg's");
	if (worst_most > 3 || worst_mean > 0.1)
		check_skip("not so: %d and %.3f, for the reasons told in check_jpeg.c", worst_most,
		           worst_mean);
	check_end();
}

int main(void)
{
	make_basis();
	check_made(203, 149, 0);
	check_made(203, 149, 1);
	check_made(16, 16, 1);
	check_made(9, 31, 1);
	check_file("meadow.png", 0);
	check_file("data/kodak/kodim05.png", 1);
	if (getenv("XC_LONG")) {
		check_file("data/kodak/kodim03.png", 1);
		check_file("data/kodak/kodim23.png", 1);
	}
	check_bar();
	return check_done();
}
#else
int main(void)
{
	printf("ok - coefficients as libjpeg reads them # SKIP built without libjpeg\n");
	return CHECK_SKIPPED;
}
#endif
