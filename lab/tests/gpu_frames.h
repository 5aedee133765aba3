/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of a GPU's transforms of whole frames on this processor have in common. */
#ifndef XC_LAB_TESTS_GPU_FRAMES_H
#define XC_LAB_TESTS_GPU_FRAMES_H

#include "lab/gpu/ops.h"
#include "lab/tests/transform_arrays.h"

/* The job that the registry's algorithm of a whole frame is. */
static xc_lab_job frame_job(const xc_algorithm *algorithm, xc_lab_kind kind, xc_direction direction,
                            const xc_transform_size *size)
{
	const xc_lab_job job = {
		.kind = kind,
		.direction = direction,
		.in = *size,
		.out = *size,
		.sine_cols = !strcmp(algorithm->name, "cpu-idct-idxst"),
		.sine_rows = !strcmp(algorithm->name, "cpu-idxst-idct"),
	};
	return job;
}

static void check_frame(const xc_algorithm *algorithm, xc_direction direction,
                        xc_precision precision, const xc_transform_size *size, const void *wanted,
                        const void *found)
{
	const long double most = precision == XC_PRECISION_32 ? 1e-6L : 2e-15L;
	const long double error = relative_error(wanted, found, precision, size->slices * area(size));
	CHECK(error <= most, "%s %s %zux%zux%zu, %d bits: %Lg", algorithm->name,
	      direction ? "inverse" : "forward", size->slices, size->rows, size->cols,
	      xc_precision_bits(precision), error);
}

#endif
