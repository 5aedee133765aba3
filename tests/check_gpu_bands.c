/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of the GPU's 8-band transforms, lane by lane on this processor, against the
 * registry's: the same bits as at the SIMD levels that have fused multiply-adds.
 */
#include "tests/gpu_bands.h"
#include "tests/transform_arrays.h"
#include "transform/band/plan.h"

static const size_t sizes[][2] = {
	{ 8, 8 },   { 1, 1 },    { 13, 7 },   { 16, 24 },  { 24, 16 },  { 31, 33 },
	{ 8, 272 }, { 72, 140 }, { 40, 187 }, { 200, 120 }, { 17, 256 }, { 24, 400 },
	{ 8, 1000 },
};

static xc_gpu_job job_of(const xc_algorithm *algorithm, xc_direction direction,
                         xc_precision precision, const xc_transform_size *size)
{
	const xc_band_details *details = algorithm->details;
	xc_gpu_job job = {
		.kind = XC_GPU_BAND,
		.direction = direction,
		.precision = precision,
		.transform = details->transform,
		.rows = xc_band_make_axis(details, direction, size->rows),
		.cols = xc_band_make_axis(details, direction, size->cols),
	};
	xc_band_make_scale(details->transform, precision, &job.scale);
	return job;
}

static void check_size(const xc_algorithm *algorithm, xc_direction direction,
                       xc_precision precision, size_t rows, size_t cols)
{
	const xc_transform_size size = { 1, rows, cols };
	const xc_transform_size bands = bands_of(algorithm, &size);
	const size_t count = direction == XC_FORWARD ? area(&bands) : area(&size);
	const xc_gpu_job job = job_of(algorithm, direction, precision, &size);
	void *in = make_random(precision, area(&bands));
	void *wanted = make(precision, area(&bands));
	void *found = make(precision, area(&bands));

	memset(found, 0x7f, count * xc_precision_bytes(precision));
	CHECK(!run(algorithm, direction, precision, &size, 1, in, wanted), "no plan");
	CHECK(!(precision == XC_PRECISION_32 ? xc_gpu_bands_f32(&job, in, found)
	                                     : xc_gpu_bands_f64(&job, in, found)), "too large");
	CHECK(!memcmp(wanted, found, count * xc_precision_bytes(precision)),
	      "%s %s %zux%zu, %d bits: largest difference %Lg", algorithm->name,
	      direction ? "inverse" : "forward", rows, cols, xc_precision_bits(precision),
	      largest_difference(wanted, found, precision, count));
	free(in);
	free(wanted);
	free(found);
}

static void every_transform(void)
{
	static const char *const names[] = { "cpu-definition", "cpu-separable", "cpu-aan",
		                             "cpu-flmad", "cpu-flot", "cpu-flot-symmetric",
		                             "cpu-tdlt", "cpu-genlot" };
	for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
		const xc_algorithm *a = xc_algorithm_find(names[n]);
		check_begin("%s as a GPU does it", names[n]);
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			for (int d = 0; d < 2; d++) {
				check_size(a, (xc_direction)d, XC_PRECISION_32, sizes[i][0], sizes[i][1]);
				check_size(a, (xc_direction)d, XC_PRECISION_64, sizes[i][0], sizes[i][1]);
			}
		}
		check_end();
	}
}

int main(void)
{
	if (!use_level("avx2")) {
		printf("# skipped: no fused multiply-adds here\n");
		return CHECK_SKIPPED;
	}
	every_transform();
	return check_done();
}
