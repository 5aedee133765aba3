/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of the GPU's transforms of whole frames around a real FFT, run thread by thread on
 * this processor, against the registry's.
 */
#include "lab/tests/gpu_emulated.h"
#include "lab/tests/gpu_frames.h"

static const xc_transform_size sizes[] = {
	{1, 1, 1},  {1, 1, 2},   {1, 2, 1},  {1, 1, 9},  {1, 9, 1},   {1, 2, 2},   {1, 3, 3},
	{1, 13, 7}, {1, 16, 24}, {1, 7, 30}, {1, 30, 7}, {1, 33, 52}, {1, 4, 64},  {1, 64, 3},
	{3, 4, 5},  {4, 3, 6},   {5, 1, 9},  {5, 9, 1},  {7, 1, 1},   {2, 12, 10}, {8, 8, 8},
};

static void compare(const xc_algorithm *algorithm, xc_lab_kind kind, xc_direction direction,
                    xc_precision precision, const xc_transform_size *size)
{
	const size_t count = size->slices * area(size);
	const xc_lab_job job = frame_job(algorithm, kind, direction, size);
	void *in = make_random(precision, count), *wanted = make(precision, count);
	void *found = make(precision, count);
	memset(found, 0x7f, count * xc_precision_bytes(precision));
	CHECK(!run(algorithm, direction, precision, size, 1, in, wanted), "no plan");
	CHECK(!(precision == XC_PRECISION_32 ? xc_lab_stages_f32(&job, in, found)
	                                     : xc_lab_stages_f64(&job, in, found)),
	      "no memory");
	check_frame(algorithm, direction, precision, size, wanted, found);
	free(in);
	free(wanted);
	free(found);
}

static void all_sizes(const char *name, xc_lab_kind kind)
{
	const xc_algorithm *const a = xc_algorithm_find(name);
	check_begin("%s as a GPU does it", name);
	for (size_t i = 0; a && i < sizeof sizes / sizeof *sizes; i++) {
		xc_transform_size bands;
		if (a->output_size(XC_FORWARD, &sizes[i], &bands))
			continue;
		for (int d = 0; d < 2; d++) {
			compare(a, kind, (xc_direction)d, XC_PRECISION_32, &sizes[i]);
			compare(a, kind, (xc_direction)d, XC_PRECISION_64, &sizes[i]);
		}
	}
	if (!a)
		check_skip("built without FFTW");
	check_end();
}

int main(void)
{
	all_sizes("cpu-fft2d", XC_LAB_FFT_STAGES);
	all_sizes("cpu-idct-idxst", XC_LAB_FFT_STAGES);
	all_sizes("cpu-idxst-idct", XC_LAB_FFT_STAGES);
	all_sizes("cpu-fft3d", XC_LAB_FFT_STAGES);
	all_sizes("cpu-fft-n", XC_LAB_FFT_ROWCOL);
	return check_done();
}
