/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of the GPU's 8-band transforms, run lane by lane on this processor, gives the same
 * bits as the registry's at the SIMD levels that have fused multiply-adds.
 */
#include <math.h>

#include "lab/gpu/band/short.h"
#include "lab/tests/gpu_emulated.h"
#include "lab/tests/transform_arrays.h"
#include "lab/cpu/band/band.h"

static const size_t sizes[][2] = {
	{8, 8},    {1, 1},    {13, 7},    {16, 24},  {24, 16},  {31, 33},  {8, 272},
	{72, 140}, {40, 187}, {200, 120}, {17, 256}, {24, 400}, {8, 1000},
};

static xc_lab_job job_of(const xc_algorithm *algorithm, xct_direction direction,
                         xct_precision precision, const xc_transform_size *size)
{
	const xc_band_details *details = algorithm->details;
	xc_lab_job job = {
		.kind = XC_LAB_BAND,
		.direction = direction,
		.precision = precision,
		.transform = details->transform,
		.rows = xc_band_make_axis(details, direction, size->rows),
		.cols = xc_band_make_axis(details, direction, size->cols),
	};

	xc_band_make_scale(details->transform, NULL, precision, &job.scale);
	return job;
}

static void check_size(const xc_algorithm *algorithm, xct_direction direction,
                       xct_precision precision, size_t rows, size_t cols, int bulk)
{
	xc_lab_bands_function *const on_gpu = precision == XCT_FLOAT64   ? xc_lab_bands_f64
	                                      : precision == XCT_FLOAT32 ? xc_lab_bands_f32
	                                                                 : xc_lab_bands_f16;
	const xc_transform_size size = {1, rows, cols};
	const xc_transform_size bands = bands_of(algorithm, &size);
	const size_t count = direction == XCT_FORWARD ? area(&bands) : area(&size);
	/* Half precision is worked with in float. */
	const xct_precision work = precision == XCT_FLOAT16 ? XCT_FLOAT32 : precision;
	const xc_lab_job job = job_of(algorithm, direction, work, &size);

	OWNED void *in = make_random(precision, area(&bands));
	OWNED void *wanted = make(precision, area(&bands));
	OWNED void *found = make(precision, area(&bands));

	memset(found, 0x7f, count * xc_precision_bytes(precision));
	CHECK(!run_as(work, algorithm, direction, precision, &size, in, wanted), "no plan");
	CHECK(!on_gpu(&job, bulk, in, found), "too large");
	CHECK(!memcmp(wanted, found, count * xc_precision_bytes(precision)),
	      "%s %s %zux%zu, %d bits%s: largest difference %Lg", algorithm->is.name,
	      direction ? "inverse" : "forward", rows, cols, xc_precision_bits(precision),
	      bulk ? ", bulk copies" : "", largest_difference(wanted, found, precision, count));
}

static void every_size(const xc_algorithm *a, xct_direction direction, int bulk)
{
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		check_size(a, direction, XCT_FLOAT16, sizes[i][0], sizes[i][1], bulk);
		check_size(a, direction, XCT_FLOAT32, sizes[i][0], sizes[i][1], bulk);
		check_size(a, direction, XCT_FLOAT64, sizes[i][0], sizes[i][1], bulk);
	}
}

static void every_transform(void)
{
	static const char *const names[] = {"cpu-definition", "cpu-separable", "cpu-aan",
	                                    "cpu-flmad",      "cpu-flot",      "cpu-flot-symmetric",
	                                    "cpu-tdlt",       "cpu-genlot"};

	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		const xc_algorithm *a = xc_algorithm_find(names[n]);
		const xc_band_details *details = a->details;
		check_begin("%s as a GPU does it", names[n]);
		for (int bulk = 0; bulk < (xc_band_shifts(details->transform) ? 2 : 1); bulk++)
			for (int d = 0; d < 2; d++)
				every_size(a, (xct_direction)d, bulk);
		check_end();
	}
}

/* Samples of up to `max` of either sign.  The first 64 blocks have the largest sums that are
 * possible: the signs of each of the DCT's basis functions, forward or inverse. */
static void fill_short(int16_t *in, size_t rows, size_t cols, int max, xct_direction direction)
{
	unsigned seed = (unsigned)max;

	for (size_t i = 0; i < rows * cols; i++) {
		const size_t y = i / cols, x = i % cols;
		const size_t u = y / 8 % 8, v = x / 8 % 8, down = y % 8, right = x % 8;
		const double sign = direction == XCT_FORWARD
		                        ? cos(3.14159265358979 / 16 * (double)((2 * down + 1) * u)) *
		                              cos(3.14159265358979 / 16 * (double)((2 * right + 1) * v))
		                        : cos(3.14159265358979 / 16 * (double)((2 * u + 1) * down)) *
		                              cos(3.14159265358979 / 16 * (double)((2 * v + 1) * right));
		seed = seed * 1664525 + 1013904223;
		in[i] = (int16_t)((int)(seed >> 8) % (2 * max + 1) - max);
		if (y < 64)
			in[i] = (int16_t)(sign < 0 ? -max : max);
	}
}

static void short_blocks(xct_direction direction, int rounds, int max, size_t rows, size_t cols)
{
	const xc_algorithm *const registry = xc_algorithm_find(rounds ? "cpu-short-quantized"
	                                                              : "cpu-short");
	const xc_transform_size size = {1, rows, cols}, bands = bands_of(registry, &size);
	const size_t count = direction == XCT_FORWARD ? area(&bands) : area(&size);
	xc_lab_job job = {
		.direction = direction,
		.in = direction == XCT_FORWARD ? size : bands,
		.out = direction == XCT_FORWARD ? bands : size,
		.rounds = rounds,
	};
	xc_short_job mine;

	OWNED int16_t *in = make(XCT_INT16, area(&bands));
	OWNED int16_t *wanted = make(XCT_INT16, area(&bands));
	OWNED int16_t *found = make(XCT_INT16, area(&bands));
	for (int i = 0; i < 64; i++)
		job.scale.f32[i] = direction == XCT_INVERSE ? xct_quantizers()[i]
		                                            : 1.0F / xct_quantizers()[i];
	fill_short(in, job.in.rows, job.in.cols, max, direction);
	CHECK(!xc_short_set_up(&mine, &job), "too many blocks");
	mine.in = in;
	mine.out = found;
	for (unsigned unit = 0; unit < mine.units; unit++)
		xc_short_block(&mine, unit, direction == XCT_INVERSE, rounds);
	CHECK(!run(registry, direction, XCT_INT16, &size, 1, in, wanted), "no plan");
	/* A quotient that lies between two whole numbers may become either. */
	const long double most = rounds && direction == XCT_FORWARD ? 1 : 0;
	CHECK(largest_difference(wanted, found, XCT_INT16, count) <= most,
	      "%s, %zux%zu up to %d, %squantized: not the registry's",
	      direction ? "inverse" : "forward", rows, cols, max, rounds ? "" : "not ");
}

static void every_short(void)
{
	static const int max[] = {1, 40, 128, 255, 1000, 4000, 8191, 32767};

	for (int d = 0; d < 2; d++)
		for (int rounds = 0; rounds < 2; rounds++) {
			for (size_t i = 0; i < sizeof max / sizeof *max; i++)
				short_blocks((xct_direction)d, rounds, max[i], 128, 64);
			for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
				short_blocks((xct_direction)d, rounds, 40, sizes[i][0], sizes[i][1]);
		}
}

int main(void)
{
	if (!use_level("avx2")) {
		printf("# skipped: no fused multiply-adds here\n");
		return CHECK_SKIPPED;
	}
	every_transform();
	RUN(every_short);
	return check_done();
}
