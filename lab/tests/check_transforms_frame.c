/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The whole-frame transforms against the definition, summed up in long double
 * along one axis after the other, at every SIMD level that this machine has.
 */
#include "lab/tests/transform_arrays.h"

typedef enum family { COSINE, SINE_COLS, SINE_ROWS, FAMILIES } family;

/* Below 1024 points FFTW plans at once; the vectors' every remainder is here. */
/* clang-format off */
static const xc_transform_size sizes[] = {
	{1, 1, 1},   {1, 1, 2},   {1, 2, 1},   {1, 1, 7},  {1, 7, 1},   {1, 2, 2},   {1, 3, 5},
	{1, 8, 8},   {1, 5, 16},  {1, 16, 30}, {1, 13, 17}, {1, 32, 32}, {1, 31, 37}, {1, 33, 64},
	{1, 40, 96}, {1, 1, 197}, {1, 101, 3}, {1, 36, 131}, {1, 66, 68}, {1, 1, 240},
	/* volumes */
	{2, 1, 1},   {3, 4, 5},   {7, 1, 9},   {4, 3, 64},  {5, 6, 33},  {19, 3, 17}, {2, 5, 96},
};
/* clang-format on */
enum { SIZES = sizeof sizes / sizeof *sizes };

static const xct_precision precisions[] = {XCT_FLOAT32, XCT_FLOAT64, XCT_LONG_DOUBLE};

/* The input (whole floats, so that every precision starts from the same numbers)
 * and what the definition makes of it; kept until the end. */
static long double *inputs[SIZES];
static long double *wanted[FAMILIES][SIZES][2];

/* The largest error against the largest coefficient. */
static long double tolerance(xct_precision precision)
{
	return precision == XCT_FLOAT32 ? 2e-6L : precision == XCT_FLOAT64 ? 1e-14L : 2e-18L;
}

static int is(const xc_algorithm *algorithm, const char *name)
{
	return !strcmp(algorithm->is.name, name);
}

static family family_of(const xc_algorithm *algorithm)
{
	return is(algorithm, "cpu-idct-idxst")   ? SINE_COLS
	       : is(algorithm, "cpu-idxst-idct") ? SINE_ROWS
	                                         : COSINE;
}

/* The basis function k of an axis of n at position j. */
static long double basis(size_t n, size_t k, size_t j, int sine)
{
	const long double pi = 3.141592653589793238462643383279502884L;
	const long double angle = pi * (long double)((2 * j + 1) * k % (4 * n)) / (2 * (long double)n);

	if (sine)
		return k ? sqrtl(2 / (long double)n) * sinl(angle) : 0;
	return k ? sqrtl(2 / (long double)n) * cosl(angle) : sqrtl(1 / (long double)n);
}

/* All lines of n samples that lie `step` apart. */
static void define_axis(long double *data, size_t total, size_t n, size_t step, int sine,
                        xct_direction direction)
{
	OWNED long double *const matrix = malloc(n * n * sizeof *matrix);
	OWNED long double *const line = malloc(n * sizeof *line);
	for (size_t k = 0; k < n; k++)
		for (size_t j = 0; j < n; j++)
			matrix[direction == XCT_FORWARD ? k * n + j : j * n + k] = basis(n, k, j, sine);
	for (size_t start = 0; start < total; start++) {
		if (start / step % n)
			continue;
		for (size_t k = 0; k < n; k++) {
			line[k] = 0;
			for (size_t j = 0; j < n; j++)
				line[k] += matrix[k * n + j] * data[start + j * step];
		}
		for (size_t k = 0; k < n; k++)
			data[start + k * step] = line[k];
	}
}

static long double *define(const long double *in, const xc_transform_size *size, family kind,
                           xct_direction direction)
{
	const size_t total = xc_transform_samples(size), plane = size->rows * size->cols;
	long double *const data = malloc(total * sizeof *data);

	memcpy(data, in, total * sizeof *data);
	define_axis(data, total, size->cols, 1, kind == SINE_COLS, direction);
	define_axis(data, total, size->rows, size->cols, kind == SINE_ROWS, direction);
	define_axis(data, total, size->slices, plane, 0, direction);
	return data;
}

/* From -1 to 1. */
static float random_sample(uint64_t *state)
{
	return (float)(int64_t)(check_random(state) >> 40) / (1 << 23) - 1;
}

static void make_references(void)
{
	uint64_t state = 4;

	for (size_t i = 0; i < SIZES; i++) {
		const size_t count = xc_transform_samples(&sizes[i]);
		inputs[i] = malloc(count * sizeof *inputs[i]);
		for (size_t s = 0; s < count; s++)
			inputs[i][s] = random_sample(&state);
		for (int f = 0; f < FAMILIES; f++)
			for (int d = 0; d < 2; d++)
				wanted[f][i][d] = define(inputs[i], &sizes[i], (family)f, (xct_direction)d);
	}
}

/* The largest difference over the largest wanted value. */
static long double error_against(const long double *reference, const void *found, size_t count,
                                 xct_precision precision)
{
	OWNED long double *const widened = make(XCT_LONG_DOUBLE, count);
	for (size_t i = 0; i < count; i++)
		widened[i] = xc_sample_get(found, precision, i);
	return relative_error(reference, widened, XCT_LONG_DOUBLE, count);
}

static int transform(const xc_algorithm *algorithm, xct_direction direction,
                     xct_precision precision, const xc_transform_size *size, int threads,
                     const void *in, void *out)
{
	const int failed = run(algorithm, direction, precision, size, threads, in, out);

	CHECK(!failed, "%s makes no plan for %zux%zux%zu", algorithm->is.name, size->slices, size->rows,
	      size->cols);
	return failed;
}

/* Against the definition; three threads and working in place change nothing. */
static void compare(const xc_algorithm *algorithm, xct_direction direction, xct_precision precision,
                    size_t index)
{
	const xc_transform_size *const size = &sizes[index];
	const size_t count = xc_transform_samples(size), bytes = xc_precision_bytes(precision);

	OWNED void *const in = malloc(count * bytes), *const out = malloc(count * bytes);
	OWNED void *const again = malloc(count * bytes);
	for (size_t i = 0; i < count; i++)
		xc_sample_put(in, precision, i, inputs[index][i]);
	memset(out, 0x55, count * bytes);
	if (!transform(algorithm, direction, precision, size, 1, in, out)) {
		const long double *const reference = wanted[family_of(algorithm)][index][direction];
		const long double error = error_against(reference, out, count, precision);
		char what[96];
		snprintf(what, sizeof what, "%s %zux%zux%zu, %d bits", direction ? "inverse" : "forward",
		         size->slices, size->rows, size->cols, xc_precision_bits(precision));
		CHECK(error <= tolerance(precision), "%s: error %.3Lg", what, error);
		memset(again, 0xAA, count * bytes);
		/* FFTW takes another way for another number of threads. */
		if (!is(algorithm, "cpu-fftw-frame")) {
			transform(algorithm, direction, precision, size, 3, in, again);
			CHECK(largest_difference(out, again, precision, count) == 0,
			      "%s: 3 threads differ from 1", what);
		}
		memcpy(again, in, count * bytes);
		if (algorithm->is.in_place) {
			transform(algorithm, direction, precision, size, 1, again, again);
			CHECK(largest_difference(out, again, precision, count) == 0, "%s: in place differs",
			      what);
		}
	}
}

/* inverse(forward(x)) = x, or forward(inverse(X)) = X without what the sine
 * transforms leave out. */
static void round_trip(const xc_algorithm *algorithm, xct_precision precision, size_t index)
{
	const xc_transform_size *const size = &sizes[index];
	const size_t count = xc_transform_samples(size), bytes = xc_precision_bytes(precision);
	const family kind = family_of(algorithm);
	const xct_direction first = kind == COSINE ? XCT_FORWARD : XCT_INVERSE;

	OWNED void *const in = malloc(count * bytes), *const out = malloc(count * bytes);
	OWNED long double *const reference = malloc(count * sizeof *reference);
	for (size_t i = 0; i < count; i++) {
		const size_t row = i / size->cols % size->rows, col = i % size->cols;
		const int ignored = (kind == SINE_COLS && !col) || (kind == SINE_ROWS && !row);
		reference[i] = ignored ? 0 : inputs[index][i];
		xc_sample_put(in, precision, i, reference[i]);
	}
	if (!transform(algorithm, first, precision, size, 1, in, out) &&
	    !transform(algorithm, (xct_direction)!first, precision, size, 1, out, in)) {
		const long double error = error_against(reference, in, count, precision);
		CHECK(error <= tolerance(precision), "there and back %zux%zux%zu, %d bits: error %.3Lg",
		      size->slices, size->rows, size->cols, xc_precision_bits(precision), error);
	}
}

static void check_algorithm(const xc_algorithm *algorithm, const char *level)
{
	check_begin("%s, %s", algorithm->is.name, level);
	for (size_t p = 0; p < sizeof precisions / sizeof *precisions; p++) {
		/* Vectors change nothing in 80 bits. */
		if (precisions[p] == XCT_LONG_DOUBLE && strcmp(level, "scalar"))
			continue;
		for (size_t i = 0; i < SIZES; i++) {
			xc_transform_size out;
			if (algorithm->output_size(XCT_FORWARD, &sizes[i], &out))
				continue; /* a volume */
			CHECK(xc_transform_samples(&out) == xc_transform_samples(&sizes[i]),
			      "the output has another size");
			compare(algorithm, XCT_FORWARD, precisions[p], i);
			compare(algorithm, XCT_INVERSE, precisions[p], i);
			round_trip(algorithm, precisions[p], i);
		}
	}
	check_end();
}

static void all_levels(void)
{
	for (int l = 0; l < LEVELS; l++) {
		/* A level that the machine lacks runs as the best one it has. */
		use_level(levels[l]);
		for (const xc_algorithm *const *a = xc_cpu_algorithms; *a; a++)
			if (is_frame(*a) && (strcmp(levels[l], "scalar") == 0 || !is(*a, "cpu-fftw-frame")))
				check_algorithm(*a, levels[l]);
	}
	unsetenv("XC_CPU");
}

/* Too large for the caches, so that the frame is streamed, and one share of the
 * panels ends where another begins. */
static void large_frame(void)
{
	const xc_algorithm *const fft2d = xc_algorithm_find("cpu-fft2d");
	const xc_algorithm *const rowcol = xc_algorithm_find("cpu-fft-n");

	if (!fft2d || !rowcol)
		SKIP("no FFTW");
	const xc_transform_size size = {1, 4096, 832};
	const size_t count = xc_transform_samples(&size);
	OWNED float *const in = aligned_alloc(64, count * sizeof *in);
	OWNED float *const out = aligned_alloc(64, count * sizeof *out);
	OWNED float *const other = aligned_alloc(64, count * sizeof *other);
	REQUIRE(in && out && other, "out of memory");
	uint64_t state = 5;
	for (size_t i = 0; i < count; i++)
		in[i] = random_sample(&state);
	transform(rowcol, XCT_FORWARD, XCT_FLOAT32, &size, 1, in, other);
	transform(fft2d, XCT_FORWARD, XCT_FLOAT32, &size, 1, in, out);
	const long double worst = largest_difference(out, other, XCT_FLOAT32, count);
	CHECK(worst <= 5e-6L, "row-column and fft2d differ by %Lg", worst);
	transform(fft2d, XCT_FORWARD, XCT_FLOAT32, &size, 3, in, other);
	CHECK(!memcmp(out, other, count * sizeof *out), "3 threads differ from 1");
	transform(fft2d, XCT_INVERSE, XCT_FLOAT32, &size, 1, out, other);
	const long double back = largest_difference(in, other, XCT_FLOAT32, count);
	CHECK(back <= 2e-6L, "inverse(forward(x)) is off by %Lg", back);
	transform(fft2d, XCT_INVERSE, XCT_FLOAT32, &size, 3, out, out);
	CHECK(!memcmp(out, other, count * sizeof *out), "3 threads in place differ from 1");
}

int main(void)
{
	make_references();
	all_levels();
	RUN(large_frame);
	return check_done();
}
