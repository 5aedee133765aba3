/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The codec's lapped transforms.  The steps of transform/lapped8.h make an orthogonal
 * transform with the known coding gain; the encoder's coefficients are those of the
 * definition; with fine steps every size comes back exactly, whatever its tiles and groups.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "quant/tables.h"
#include "src/core/context.h"
#include "src/pixels/forward.h"
#include "src/decode/schedule.h"
#include "tests/support/band_reference.h"
#include "tests/support/codec.h"

#define XC_V double
#include "transform/lapped8.h"

static const char *const names[] = {"DCT", "LOT", "TDLT"};
static xc_context *context;

/* ------------------------------------------------------------ definition */

enum { LINE = 64 };

/* A line of LINE samples to orthonormal coefficients. */
static void forward_line(xc_transform transform, double x[LINE])
{
	static const double scale[8] = XC_AAN_SCALES;
	double t[8];

	for (int i = 4; i < LINE - 4; i += 8) {
		if (transform == XC_TRANSFORM_LOT)
			xc_lot8_forward_edge(x + i);
		else
			xc_tdlt8_forward_edge(x + i);
	}
	for (int end = 0; transform == XC_TRANSFORM_LOT && end < 2; end++) {
		double *s = end ? x + LINE - 4 : x;
		for (int i = 0; i < 4; i++)
			t[end ? i : 4 + i] = t[end ? 7 - i : 3 - i] = s[i];
		xc_lot8_forward_edge(t);
		memcpy(s, end ? t : t + 4, 4 * sizeof *s);
	}
	for (int b = 0; b < LINE; b += 8) {
		if (transform == XC_TRANSFORM_LOT)
			xc_lot8_forward_block(x + b);
		else
			xc_dct8_forward(x + b);
		for (int i = 0; transform != XC_TRANSFORM_LOT && i < 8; i++)
			x[b + i] /= 2 * sqrt(2) * scale[i];
	}
}

/* The constants have eight digits. */
static void orthogonal(int transform)
{
	static double columns[LINE][LINE]; /* what each sample gives */
	double worst = 0;

	for (int i = 0; i < LINE; i++) {
		memset(columns[i], 0, sizeof columns[i]);
		columns[i][i] = 1;
		forward_line((xc_transform)transform, columns[i]);
	}
	for (int i = 0; i < LINE; i++) {
		for (int j = 0; j < LINE; j++) {
			double sum = 0;
			for (int k = 0; k < LINE; k++)
				sum += columns[i][k] * columns[j][k];
			worst = fmax(worst, fabs(sum - (i == j)));
		}
	}
	CHECK(worst < 5e-7, "T T' differs from I by %g", worst);

	/* All of a block inside the line. */
	reference r = {.length = 24};
	for (int k = 0; k < 8; k++)
		for (int n = 0; n < 24; n++)
			r.basis[k][n] = columns[16 + n][24 + k];
	const double gain = reference_gain(&r, 0.95);
	const double wanted = transform == XC_TRANSFORM_LOT ? 9.20 : 9.26;
	printf("# coding gain %.4f dB\n", gain);
	CHECK(fabs(gain - wanted) < 0.01, "coding gain %.4f dB, not %.2f", gain, wanted);
}

/* Back from the transform of a line: the inverse steps are the transposed ones. */
static void steps_back(int transform)
{
	uint64_t seed = 5;

	for (int n = 0; n < 100; n++) {
		double x[8], y[8];
		for (int i = 0; i < 8; i++)
			x[i] = y[i] = (double)(check_random(&seed) >> 56) - 128;
		if (transform == XC_TRANSFORM_LOT) {
			xc_lot8_forward_edge(y);
			xc_lot8_inverse_edge(y);
		} else {
			xc_tdlt8_forward_edge(y);
			xc_tdlt8_inverse_edge(y);
		}
		/* The butterflies of the LOT carry a factor of 1/sqrt(2) in each direction. */
		const double factor = transform == XC_TRANSFORM_LOT ? 2 : 1;
		for (int i = 0; i < 8; i++)
			CHECK(fabs(y[i] * factor - x[i]) < 1e-4, "edge step, %d: %g became %g", i, x[i],
			      y[i] * factor);
		memcpy(y, x, sizeof y);
		xc_lot8_forward_block(y);
		xc_lot8_inverse_block(y);
		for (int i = 0; i < 8; i++)
			CHECK(fabs(y[i] / 2 - x[i]) < 1e-4, "block step, %d: %g became %g", i, x[i], y[i] / 2);
	}
}

/* At quality 100 with flat tables all steps are 1: within 1/2 of the definition. */
static void coefficients(xc_transform transform, uint32_t width, uint32_t height, uint32_t depth)
{
	OWN_PICTURE p = xc_test_picture(width, height, 1, depth, 0, 1);
	const size_t cols = (width + 7) / 8 * 8, rows = (height + 7) / 8 * 8;
	long double *in = xc_test_malloc(cols * rows * sizeof *in),
				*out = xc_test_malloc(cols * rows * sizeof *out);
	const long double middle = depth == 8 ? 128 : 32768, tolerance = 1e-5L * middle;
	reference r;
	xc_encode_options o = xc_test_options(100, XC_SUBSAMPLING_420, transform, XC_HUFFMAN_OPTIMIZED);
	OWN_BUFFER(context, file);
	xc_coefficients q = {0};

	for (size_t y = 0; y < rows; y++) {
		for (size_t x = 0; x < cols; x++) {
			const size_t px = x < width ? x : width - 1, py = y < height ? y : height - 1;
			in[y * cols + x] = xc_sample_at(&p, (uint32_t)px, (uint32_t)py, 0) - middle;
		}
	}
	if (transform == XC_TRANSFORM_LOT)
		reference_lot(&r, 0);
	else
		reference_tdlt(&r);
	xc_quant_tables_flat(&o.tables);
	o.effort = 0; /* rounds to the nearest value */
	CHECK_OK(context, xc_test_coded(context, &p, &o, &file));
	CHECK_OK(context, xc_decode_coefficients(context, file.data, file.size, &q));
	CHECK(!reference_forward(&r, in, rows, cols, out), "no memory");
	for (size_t i = 0; q.components && i < rows * cols; i++) {
		const size_t y = i / cols, x = i % cols, block = y / 8 * (cols / 8) + x / 8;
		const int32_t found = q.plane[0].data[block * 64 + y % 8 * 8 + x % 8];
		CHECK(fabsl(found - out[i]) <= 0.5L + tolerance, "%ux%u, at %zu,%zu: %d for %.4Lf", width,
		      height, x, y, (int)found, out[i]);
	}
	xc_coefficients_free(context, &q);
	free(in);
	free(out);
}

static void definition(int transform)
{
	for (uint32_t n = 1; n <= 40; n++) {
		coefficients((xc_transform)transform, n, 1 + n * 7 % 40, 8);
		coefficients((xc_transform)transform, 1 + n * 11 % 40, n, 16);
	}
	coefficients((xc_transform)transform, 401, 77, 8);
	coefficients((xc_transform)transform, 77, 301, 16);
}

/* ------------------------------------------------------------- every size */

/* Steps of 1/16 of a level: samples are off by 0.02 on average, colours by 0.03, far from
 * the 1/2 that would show, and there is still room for them in the rounding of 16-bit
 * pictures. */
enum { FINE = 16, SWING = 30000 };

typedef struct codec {
	xc_geometry geometry;
	xc_forward forward;
	xc_inverse inverse;
	xc_schedule schedule;
	xc_forward_scratch fs;
	xc_inverse_scratch is;
	int32_t *blocks;
} codec;

static void set_tables(codec *c)
{
	uint32_t one[64];

	for (int i = 0; i < 64; i++)
		one[i] = 1;
	for (int t = 0; t < 2; t++) {
		xc_quant_forward_table(c->forward.transform, one, 1, c->forward.tables[t]);
		xc_quant_inverse_table(c->inverse.transform, one, 1, c->inverse.tables[t]);
		for (int i = 0; i < 64; i++) {
			c->forward.tables[t][i] *= FINE;
			c->inverse.tables[t][i] /= FINE;
		}
	}
}

/* Tile by tile there and back; the tiles' encoding backwards, since their order must
 * not matter. */
static void run(codec *c)
{
	const uint64_t tiles = xc_geometry_tiles(&c->geometry);
	const size_t n = (size_t)xc_geometry_tile_blocks(&c->geometry) * 64;

	c->blocks = xc_test_malloc((size_t)tiles * n * sizeof *c->blocks);
	CHECK(!xc_forward_scratch_init(context, &c->fs, &c->forward) &&
	          !xc_schedule_init(context, &c->schedule),
	      "out of memory");
	c->inverse.band_rows = xc_schedule_max_band(&c->schedule);
	c->inverse.slots = xc_schedule_edges(&c->schedule);
	CHECK(!xc_inverse_init(context, &c->inverse) &&
	          !xc_inverse_scratch_init(context, &c->is, &c->inverse),
	      "out of memory");
	for (uint64_t i = tiles; i--;) {
		xc_tile t;
		xc_geometry_tile(&c->geometry, i, &t);
		xc_forward_tile(&c->forward, &c->fs, &t, c->blocks + i * n);
	}
	uint64_t next = 0;
	for (uint32_t task = 0; task < c->schedule.task_count; task++) {
		const xc_row_band *band = &xc_schedule_begin(&c->schedule, task)->band;
		for (; next < (uint64_t)band->end * c->geometry.tiles_wide; next++) {
			xc_tile t;
			xc_geometry_tile(&c->geometry, next, &t);
			xc_inverse_tile(&c->inverse, &c->is, band, &t, c->blocks + next * n);
		}
		xc_schedule_end(&c->schedule, task, &c->inverse);
	}
	xc_schedule_free(context, &c->schedule);
	xc_forward_scratch_free(context, &c->fs);
	xc_inverse_scratch_free(context, &c->is);
	xc_inverse_free(context, &c->inverse);
	free(c->blocks);
}

/* The size chooses how many MCUs a tile and how many tile rows a band has. */
static void back_again(xc_transform transform, uint32_t width, uint32_t height, xc_subsampling s,
                       xc_cpu cpu)
{
	const uint32_t channels = s == XC_SUBSAMPLING_GREY ? 1 : 3;
	const size_t stride = (size_t)width * channels * 2;
	/* With chroma of half the size colours cannot come back. */
	const int grey = s != XC_SUBSAMPLING_444;
	OWN_MEMORY uint16_t *from = xc_test_malloc(stride * height),
						*to = xc_test_malloc(stride * height);
	const xc_picture from_picture = {width, height, channels, 16, stride, from};
	const xc_picture to_picture = {width, height, channels, 16, stride, to};
	const xc_pixels in = xc_pixels_of(&from_picture), out = xc_pixels_of(&to_picture);
	uint64_t seed = width * 64 + height;
	codec c = {.geometry = {0}};
	xc_geometry *g = &c.geometry;

	for (size_t i = 0; i < (size_t)width * height * channels; i++)
		from[i] = grey && i % channels
		              ? from[i - 1]
		              : (uint16_t)(32768 - SWING + (check_random(&seed) >> 32) % (2 * SWING));
	xc_geometry_init(g, width, height, s);
	CHECK(xc_geometry_set_tiles(g, 1 + width % 5 % g->mcus_wide, 1 + height % 3 % g->mcus_high),
	      "no such tiles");
	const uint32_t min = g->v == 2 && g->tile_mcus_high == 1 ? 2 : 1;
	c.forward = (xc_forward){.pixels = &in,
	                         .geometry = g,
	                         .kernels = xc_kernels_get(cpu),
	                         .transform = transform};
	c.inverse = (xc_inverse){.pixels = &out,
	                         .geometry = g,
	                         .kernels = xc_kernels_get(cpu),
	                         .transform = transform};
	c.schedule = (xc_schedule){.rows = g->tiles_high,
	                           .wide = g->tiles_wide,
	                           .workers = 1 + height % 4,
	                           .band_rows = min + (width + height) % 3,
	                           .batch_rows = g->tiles_high,
	                           .split = g->tiles_high};
	set_tables(&c);
	run(&c);
	CHECK(!memcmp(from, to, stride * height),
	      "%s, %ux%u, subsampling %d, tiles of %ux%u, %u tile rows, %u workers", names[transform],
	      width, height, (int)s, g->tile_mcus_wide, g->tile_mcus_high, c.schedule.band_rows,
	      c.schedule.workers);
}

static void every_size(int transform)
{
	for (uint32_t width = 1; width <= 40; width++)
		for (uint32_t height = 1; height <= 40; height++)
			for (int s = 0; s <= XC_SUBSAMPLING_GREY; s++)
				back_again((xc_transform)transform, width, height, (xc_subsampling)s,
				           XC_CPU_SCALAR);
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++)
		for (uint32_t i = 0; xc_cpu_usable((xc_cpu)cpu) && i < 40; i++)
			back_again((xc_transform)transform, 1 + i * 37 % 300, 1 + i * 53 % 200,
			           (xc_subsampling)(i % 4), (xc_cpu)cpu);
}

int main(void)
{
	context = xc_test_context();
	for (int t = XC_TRANSFORM_LOT; t <= XC_TRANSFORM_TDLT; t++)
		RUN_FOR(names[t], t, orthogonal, steps_back, definition, every_size);
	xc_context_free(context);
	return check_done();
}
