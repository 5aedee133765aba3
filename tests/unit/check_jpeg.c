/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The coefficients are JPEG's.  Those of an XC file are written into a JPEG through
 * libjpeg's coefficient interface, and what libjpeg decodes is compared
 *
 * - with our own decoding that rounds where JPEG decoders do (jpeg_rounding).  In 4:4:4
 *   and grey at most 3 levels anywhere and 0.1 on average: libjpeg's integer transform
 *   may round otherwise than an exact one does, and chroma counts up to 1.772 times.  With
 *   halved chroma libjpeg rounds once more, after the up-sampling (halves go up and
 *   down in turn), where we do not: another 1.772 / 2 at most, 4 levels, and a mean of
 *   up to 0.5.
 *
 * - with our own exact decoding, where each of libjpeg's roundings makes a difference:
 *   the same limits anywhere, but a mean of about 0.4.  Pixels that depend on a sample
 *   outside 0 ... 255 count for the mean only, because libjpeg clamps that sample.
 *
 * - with a plain JPEG decoding written here (4:4:4 and grey): the inverse DCT in double
 *   precision, samples rounded and held to 0 ... 255, then colours.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/codec.h"
#include "tests/support/test_pictures.h"

#ifdef XC_HAVE_LIBJPEG
#include <jpeglib.h>

static const char *const names[] = {"4:2:0", "4:2:2", "4:4:4", "grey"};

/* ------------------------------------------------------ libjpeg */

/* Coarse steps make libjpeg warn that a file is no baseline JPEG. */
static void say_nothing(j_common_ptr jpeg, int level)
{
	(void)jpeg;
	(void)level;
}

static void set_up(struct jpeg_compress_struct *j, const xc_info *info)
{
	const int grey = info->components == 1;

	j->image_width = info->width;
	j->image_height = info->height;
	j->input_components = grey ? 1 : 3;
	j->in_color_space = grey ? JCS_GRAYSCALE : JCS_RGB;
	jpeg_set_defaults(j);
	j->comp_info[0].h_samp_factor = info->subsampling <= XC_SUBSAMPLING_422 ? 2 : 1;
	j->comp_info[0].v_samp_factor = info->subsampling == XC_SUBSAMPLING_420 ? 2 : 1;
	for (int t = 0; t < (grey ? 1 : 2); t++) {
		unsigned steps[64];
		for (int i = 0; i < 64; i++)
			steps[i] = info->quant[t][i];
		jpeg_add_quant_table(j, t, steps, 100, FALSE);
	}
	j->optimize_coding = TRUE;
}

static void fill_plane(struct jpeg_compress_struct *j, jvirt_barray_ptr array,
                       const xc_plane_coefficients *p)
{
	for (uint32_t y = 0; y < p->blocks_high; y++) {
		JBLOCKARRAY row = j->mem->access_virt_barray((j_common_ptr)j, array, y, 1, TRUE);
		for (uint32_t x = 0; x < p->blocks_wide; x++)
			for (int i = 0; i < 64; i++)
				row[0][x][i] = (JCOEF)p->data[((size_t)y * p->blocks_wide + x) * 64 + i];
	}
}

/* The coefficients as a JPEG file, *out, which is to be freed with free(). */
static void write_jpeg(const xc_info *info, const xc_coefficients *c, unsigned char **out,
                       unsigned long *size)
{
	struct jpeg_compress_struct j;
	struct jpeg_error_mgr errors;
	jvirt_barray_ptr arrays[3];

	*out = NULL;
	*size = 0;
	j.err = jpeg_std_error(&errors);
	errors.emit_message = say_nothing;
	jpeg_create_compress(&j);
	jpeg_mem_dest(&j, out, size);
	set_up(&j, info);
	for (uint32_t i = 0; i < c->components; i++) {
		const xc_plane_coefficients *p = &c->plane[i];
		arrays[i] = j.mem->request_virt_barray((j_common_ptr)&j, JPOOL_IMAGE, FALSE, p->blocks_wide,
		                                       p->blocks_high,
		                                       (JDIMENSION)j.comp_info[i].v_samp_factor);
	}
	/* This makes the arrays real; they are read when the compression is finished. */
	jpeg_write_coefficients(&j, arrays);
	for (uint32_t i = 0; i < c->components; i++)
		fill_plane(&j, arrays[i], &c->plane[i]);
	jpeg_finish_compress(&j);
	jpeg_destroy_compress(&j);
}

/* What libjpeg decodes with its defaults, as djpeg does; to be freed with free(). */
static uint8_t *read_jpeg(const unsigned char *data, unsigned long size, size_t stride)
{
	struct jpeg_decompress_struct j;
	struct jpeg_error_mgr errors;

	j.err = jpeg_std_error(&errors);
	errors.emit_message = say_nothing;
	jpeg_create_decompress(&j);
	jpeg_mem_src(&j, data, size);
	jpeg_read_header(&j, TRUE);
	jpeg_start_decompress(&j);
	uint8_t *pixels = xc_test_malloc(stride * j.output_height);
	while (j.output_scanline < j.output_height) {
		JSAMPROW row = pixels + j.output_scanline * stride;
		jpeg_read_scanlines(&j, &row, 1);
	}
	jpeg_finish_decompress(&j);
	jpeg_destroy_decompress(&j);
	return pixels;
}
/* ------------------------------------------------------ plain JPEG decoding */

typedef struct samples {
	size_t width, height; /* what counts of the picture */
	size_t stride;
	double *data; /* not rounded, 128 for mid-grey */
} samples;

static void inverse_dct(const int32_t *q, const uint32_t *steps, double *out, size_t stride)
{
	double rows[64] = {0};

	for (int i = 0; i < 64; i++)
		for (int x = 0; q[i] && x < 8; x++)
			rows[i / 8 * 8 + x] += (double)q[i] * steps[i] * xc_test_dct(i % 8, x);
	for (size_t y = 0; y < 8; y++) {
		for (size_t x = 0; x < 8; x++) {
			double sum = 128;
			for (int v = 0; v < 8; v++)
				sum += rows[v * 8 + (int)x] * xc_test_dct(v, (int)y);
			out[y * stride + x] = sum;
		}
	}
}

static samples decode_plane(const xc_info *info, const xc_coefficients *c, uint32_t i)
{
	const xc_plane_coefficients *p = &c->plane[i];
	const uint32_t h = c->plane[0].blocks_wide / p->blocks_wide;
	const uint32_t v = c->plane[0].blocks_high / p->blocks_high;
	samples s = {(info->width + h - 1) / h, (info->height + v - 1) / v, (size_t)p->blocks_wide * 8,
	             NULL};

	s.data = xc_test_malloc(s.stride * p->blocks_high * 8 * sizeof *s.data);
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
	int max, max_in_range;
} difference;

static void add(difference *d, int e, int inside)
{
	e = abs(e);
	d->sum += e;
	d->max = e > d->max ? e : d->max;
	if (inside)
		d->max_in_range = e > d->max_in_range ? e : d->max_in_range;
}

/* One picture at one quality and subsampling: libjpeg against each of the three. */
typedef struct comparison {
	difference plain, rounded, exact;
	double samples;
} comparison;

static void compare(const xc_info *info, const xc_coefficients *c, const xc_picture *exact,
                    const xc_picture *rounded, const uint8_t *theirs, comparison *out)
{
	samples planes[3];
	const uint32_t channels = exact->channels;
	const int full = info->subsampling == XC_SUBSAMPLING_444 || channels == 1;

	*out = (comparison){.samples = (double)exact->width * exact->height * channels};
	for (uint32_t i = 0; i < c->components; i++)
		planes[i] = decode_plane(info, c, i);
	for (size_t y = 0; y < exact->height; y++) {
		const uint8_t *a = (const uint8_t *)exact->data + y * exact->stride;
		const uint8_t *r = (const uint8_t *)rounded->data + y * exact->stride;
		const uint8_t *b = theirs + y * exact->stride;
		for (size_t x = 0; x < exact->width; x++) {
			int rgb[3];
			const int inside = in_range(planes, c->components, x, y);
			for (uint32_t i = 0; i < channels; i++) {
				add(&out->exact, a[x * channels + i] - b[x * channels + i], inside);
				add(&out->rounded, r[x * channels + i] - b[x * channels + i], inside);
			}
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
	OWN_CONTEXT c = xc_test_context();
	xc_encode_options o = xc_test_options(quality, s, XC_TRANSFORM_DCT, XC_HUFFMAN_OPTIMIZED);
	OWN_BUFFER(c, file);
	xc_info info;
	OWN_DECODED(c, exact);
	OWN_DECODED(c, rounded);
	xc_decode_options rounding = {.jpeg_rounding = 1};
	xc_coefficients coefficients = {0};

	o.effort = 0; /* JPEG has no points of reconstruction */
	const int good = !xc_encode(c, p, NULL, &o, &file) &&
	                 !xc_read_info(c, file.data, file.size, &info) &&
	                 !xc_decode(c, file.data, file.size, NULL, &exact) &&
	                 !xc_decode(c, file.data, file.size, &rounding, &rounded) &&
	                 !xc_decode_coefficients(c, file.data, file.size, &coefficients);
	CHECK(good, "%s", xc_context_message(c));
	if (good) {
		unsigned char *jpeg;
		unsigned long size;
		write_jpeg(&info, &coefficients, &jpeg, &size);
		OWN_MEMORY uint8_t *theirs = read_jpeg(jpeg, size, exact.stride);
		compare(&info, &coefficients, &exact, &rounded, theirs, out);
		free(jpeg);
	}
	xc_coefficients_free(c, &coefficients);
	return good;
}

/* What JPEG-like decodings must keep to. */
static void check_near(const char *what, const difference *d, double count, int limit, double mean,
                       int quality)
{
	printf("; %s: mean %.4f, most %d", what, d->sum / count, d->max);
	CHECK(d->max <= limit, "%s, quality %d: %d", what, quality, d->max);
	CHECK(d->sum / count <= mean, "%s, quality %d: %g", what, quality, d->sum / count);
}

static void check_quality(const xc_picture *p, xc_subsampling s, int quality)
{
	static const int limits[4] = {4, 4, 3, 1};
	static const double means[4] = {0.5, 0.5, 0.1, 0.1}, exact_means[4] = {0.6, 0.6, 0.55, 0.1};
	comparison k;

	if (!both_ways(p, s, quality, &k))
		return;
	printf("# %s, quality %d, exact: mean %.4f, most %d, in range %d", names[s], quality,
	       k.exact.sum / k.samples, k.exact.max, k.exact.max_in_range);
	check_near("rounded", &k.rounded, k.samples, limits[s], means[s], quality);
	if (s == XC_SUBSAMPLING_444 || s == XC_SUBSAMPLING_GREY)
		check_near("plain", &k.plain, k.samples, limits[s], means[s], quality);
	printf("\n");
	CHECK(k.exact.max_in_range <= limits[s], "quality %d: %d", quality, k.exact.max_in_range);
	CHECK(k.exact.sum / k.samples <= exact_means[s], "quality %d: %g", quality,
	      k.exact.sum / k.samples);
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
	OWN_PICTURE p = xc_test_picture(width, height, 3, 8, 0, roughness);

	snprintf(what, sizeof what, "%ux%u, roughness %d", width, height, roughness);
	check_picture(what, &p, all_qualities);
}

static void check_file(const char *name, int shared)
{
	xc_file_picture f;

	if (shared ? xc_test_shared(name, &f) : xc_test_sample(name, &f)) {
		check_picture(name, &f.picture, getenv("XC_LONG") ? all_qualities : some_qualities);
		xc_file_picture_free(&f);
	} else {
		check_begin("%s", name);
		check_skip("no such file");
		check_end();
	}
}

int main(void)
{
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
	return check_done();
}
#else
int main(void)
{
	printf("ok - coefficients as libjpeg reads them # SKIP built without libjpeg\n");
	return CHECK_SKIPPED;
}
#endif
