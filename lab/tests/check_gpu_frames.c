/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The code of the GPU's transforms of whole frames, run thread by thread on this processor, against
 * the registry's: those of two passes, in both orders of the threads, and the stages around a real
 * FFT.
 */
#ifdef XC_HAVE_FFTW
#include <fftw3.h>
#endif

#include "lab/cpu/frame/frame.h"
#include "lab/tests/gpu_emulated.h"
#include "lab/tests/transform_arrays.h"

/* clang-format off */
static const xc_transform_size sizes[] = {
	/* Every power of two down and along; long lines in narrow frames. */
	{ 1, 256, 256 },  { 1, 512, 256 },  { 1, 256, 512 },  { 1, 1024, 256 }, { 1, 256, 1024 },
	{ 1, 2048, 32 },  { 1, 32, 2048 },  { 1, 4096, 96 },  { 1, 24, 4096 },
	{ 1, 20, 8192 },
	/* A power of two on one side; lines that do not fill its kernel's blocks. */
	{ 1, 256, 384 },  { 1, 360, 256 },  { 1, 4096, 192 }, { 1, 512, 90 },
	{ 1, 1024, 20 },  { 1, 30, 256 },   { 1, 4096, 18 },
	/* All radices, even and odd numbers of points, many lines and few. */
	{ 1, 16, 16 },    { 1, 18, 20 },    { 1, 25, 28 },    { 1, 27, 30 },    { 1, 128, 64 },
	{ 1, 60, 100 },   { 1, 100, 1000 }, { 1, 1000, 100 }, { 1, 105, 210 },  { 1, 343, 98 },
	{ 1, 576, 720 },  { 1, 1080, 48 },  { 1, 2160, 30 },  { 1, 24, 3840 },  { 1, 10000, 16 },
	{ 1, 16, 10000 }, { 1, 6561, 18 },  { 1, 18, 13122 }, { 1, 16, 16384 }, { 1, 14406, 16 },
};
/* clang-format on */

enum { POWERS = 10 }; /* of these */

/* Shared memory of a block of threads: of compute capability 9.0, and of all devices. */
enum { MUCH = 227 << 10, LITTLE = 48 << 10 };

/* The two-pass code in both orders of the threads, or the stages (any other kind). */
static void compare(const xc_algorithm *algorithm, xc_lab_kind kind, xct_direction direction,
                    xct_precision precision, size_t shared, const xc_transform_size *size)
{
	const int narrow = precision == XCT_FLOAT32, fused = kind == XC_LAB_FFT_MULTI;
	const size_t count = size->slices * area(size), bytes = count * xc_precision_bytes(precision);
	const long double max = narrow ? 1e-6L : 2e-15L;
	const xc_lab_job job = {
		.kind = kind,
		.direction = direction,
		.in = *size,
		.out = *size,
		.sine_cols = !strcmp(algorithm->is.name, "cpu-idct-idxst"),
		.sine_rows = !strcmp(algorithm->is.name, "cpu-idxst-idct"),
	};

	OWNED void *in = make_random(precision, count), *wanted = make(precision, count);
	OWNED void *found = make(precision, count), *again = make(precision, count);
	char what[128];

	snprintf(what, sizeof what, "%s %s %zux%zux%zu, %d bits", algorithm->is.name,
	         direction ? "inverse" : "forward", size->slices, size->rows, size->cols,
	         xc_precision_bits(precision));
	memset(found, 0x7f, bytes);
	memset(again, 0x7f, bytes);
	CHECK(!run(algorithm, direction, precision, size, 1, in, wanted), "%s: no plan", what);
	for (int last_first = 0; last_first < (fused ? 2 : 1); last_first++) {
		void *out = last_first ? again : found;
		CHECK(!(fused ? (narrow ? xc_lab_fused_f32 : xc_lab_fused_f64)(&job, shared, last_first, in,
		                                                               out)
		              : (narrow ? xc_lab_stages_f32 : xc_lab_stages_f64)(&job, in, out)),
		      "%s: no size or memory", what);
	}
	const long double error = relative_error(wanted, found, precision, count);
	CHECK(error <= max, "%s: %Lg", what, error);
	CHECK(!fused || !memcmp(found, again, bytes), "%s: threads race", what);
}

/* Both directions in 32 bits and, if `wide`, in 64. */
static void compare_both(const xc_algorithm *algorithm, xc_lab_kind kind, int wide, size_t shared,
                         const xc_transform_size *size)
{
	for (int d = 0; d < 2; d++) {
		compare(algorithm, kind, (xct_direction)d, XCT_FLOAT32, shared, size);
		if (wide)
			compare(algorithm, kind, (xct_direction)d, XCT_FLOAT64, shared, size);
	}
}

/* Fewer columns a block, and rows or columns by the kernels for all sizes. */
static void little_memory(void)
{
	static const xc_transform_size few[] = {
		{1, 2048, 256},
		{1, 3000, 60},
		{1, 1080, 48},
		{1, 60, 3000},
	};
	const xc_algorithm *a = xc_algorithm_find("cpu-fft2d");

	if (!a)
		check_skip("built without FFTW");
	for (size_t i = 0; a && i < sizeof few / sizeof *few; i++)
		compare_both(a, XC_LAB_FFT_MULTI, 1, LITTLE, &few[i]);
}

static int is_smooth(size_t n)
{
	static const size_t primes[] = {2, 3, 5, 7};

	for (int i = 0; i < 4; i++)
		while (n % primes[i] == 0)
			n /= primes[i];
	return n == 1;
}

/* No more threads than the kernels are compiled for. */
static void launches(void)
{
	size_t smooth[1024], count = 0;

	for (size_t n = 16; n <= 16384; n++)
		if (is_smooth(n))
			smooth[count++] = n;
	for (size_t i = 0; i < count; i += 7)
		for (size_t j = i % 5; j < count; j += 5) {
			const xc_transform_size size = {1, smooth[i], smooth[j]};
			const xc_lab_job job = {.in = size, .out = size};
			for (size_t shared = LITTLE; shared <= MUCH; shared += MUCH - LITTLE)
				CHECK(xc_lab_fused_f32(&job, shared, 0, NULL, NULL) != -2 &&
				          xc_lab_fused_f64(&job, shared, 0, NULL, NULL) != -2,
				      "%zux%zu", size.rows, size.cols);
		}
}

static void refused(void)
{
	const xc_transform_size odd[] = {
		{1, 256, 375},   {1, 256, 352},  {1, 352, 256},  {1, 15, 256},  {1, 256, 14},
		{1, 32768, 256}, {1, 16, 65536}, {1, 65536, 16}, {1, 8192, 96}, {1, 1, 1},
	};

	for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
		const xc_lab_job job = {.in = odd[i], .out = odd[i]};
		CHECK(xc_lab_fused_f32(&job, MUCH, 0, NULL, NULL), "%zux%zu was done", odd[i].rows,
		      odd[i].cols);
	}
}

static const xc_transform_size stage_sizes[] = {
	{1, 1, 1},  {1, 1, 2},   {1, 2, 1},  {1, 1, 9},  {1, 9, 1},   {1, 2, 2},   {1, 3, 3},
	{1, 13, 7}, {1, 16, 24}, {1, 7, 30}, {1, 30, 7}, {1, 33, 52}, {1, 4, 64},  {1, 64, 3},
	{3, 4, 5},  {4, 3, 6},   {5, 1, 9},  {5, 9, 1},  {7, 1, 1},   {2, 12, 10}, {8, 8, 8},
};

static void all_stages(const char *name, xc_lab_kind kind)
{
	const xc_algorithm *const a = xc_algorithm_find(name);
	xc_transform_size bands;

	check_begin("%s as a GPU does it", name);
	for (size_t i = 0; a && i < sizeof stage_sizes / sizeof *stage_sizes; i++)
		if ((kind != XC_LAB_FFT_ROWCOL || stage_sizes[i].slices == 1) &&
		    !a->output_size(XCT_FORWARD, &stage_sizes[i], &bands))
			compare_both(a, kind, 1, 0, &stage_sizes[i]);
	if (!a)
		check_skip("built without FFTW");
	check_end();
}

/* A kind, line by line in one of the ways, or in the stages that are compared. */
static void lines_of(xct_context *context, xct_kind kind, int way, const xc_transform_size *size)
{
	const size_t count = xc_transform_samples(size);

	for (int n = 0; n < 4; n++) {
		const xct_precision precision = n & 1 ? XCT_FLOAT64 : XCT_FLOAT32;
		xc_lab_job job = {.direction = n & 2 ? XCT_INVERSE : XCT_FORWARD,
		                  .in = *size,
		                  .out = *size,
		                  .transform_kind = kind,
		                  .way = way < 0 ? -way : way};
		xc_lab_stages_function *const functions[2][2] = {{xc_lab_lines_f32, xc_lab_lines_f64},
		                                                 {xc_lab_stages_f32, xc_lab_stages_f64}};
		OWNED void *in = make_random(precision, count), *found = make(precision, count);
		OWNED long double *wanted = by_definition(context, kind, job.direction, precision, size,
		                                          in);
		CHECK(!functions[way < 0][n & 1](&job, in, found), "too large");
		const long double error = error_to(wanted, found, precision, count);
		CHECK(error <= (n & 1 ? 1e-14L : 1e-6L), "kind %d, way %d, %d, %zux%zux%zu: %Lg", (int)kind,
		      way, n, size->slices, size->rows, size->cols, error);
	}
}

static void all_lines(void)
{
	static const xct_kind kinds[] = {XCT_DCT1, XCT_DCT2, XCT_DCT4, XCT_DST1, XCT_DST2, XCT_DST4};
	xct_context *const context = xct_context_new();

	for (size_t i = 1; i < sizeof stage_sizes / sizeof *stage_sizes; i++) {
		for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
			lines_of(context, kinds[k], XC_LINE_KINDS, &stage_sizes[i]);
		for (int way = XC_LINE_4N; way < XC_LINE_N; way++)
			lines_of(context, XCT_DCT2, way, &stage_sizes[i]);
		for (int way = XC_STAGE_GATHER; way <= XC_STAGE_NAIVE; way++)
			if (stage_sizes[i].slices == 1)
				lines_of(context, XCT_DCT2, -way, &stage_sizes[i]);
	}
	xct_context_free(context);
}

/* Sine transforms are the same as the cosine one but at the ends, so fewer sizes will do. */
static void two_passes(const char *name, int sine)
{
	const xc_algorithm *const a = xc_algorithm_find(name);

	check_begin("%s as a GPU does it", name);
	for (size_t i = 0; a && i < sizeof sizes / sizeof *sizes; i++) {
		const int quick = i < POWERS || area(&sizes[i]) <= 1 << 15;
		if (!sine || quick)
			compare_both(a, XC_LAB_FFT_MULTI, i < 3 || (!sine && quick), MUCH, &sizes[i]);
	}
	if (!a)
		check_skip("built without FFTW");
	check_end();
}

int main(void)
{
#ifdef XC_HAVE_FFTW
	/* FFTW guesses its plans instead of measuring, which here takes longer than all else. */
	fftw_set_timelimit(0);
	fftwf_set_timelimit(0);
#endif
	two_passes("cpu-fft2d", 0);
	two_passes("cpu-idct-idxst", 1);
	two_passes("cpu-idxst-idct", 1);
	RUN(little_memory, launches, refused, all_lines);
	all_stages("cpu-fft2d", XC_LAB_FFT_STAGES);
	all_stages("cpu-idct-idxst", XC_LAB_FFT_STAGES);
	all_stages("cpu-idxst-idct", XC_LAB_FFT_STAGES);
	all_stages("cpu-fft3d", XC_LAB_FFT_STAGES);
	all_stages("cpu-fft-n", XC_LAB_FFT_ROWCOL);
	return check_done();
}
