/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blockwise and lapped transforms of 8 bands, at every SIMD level and in every precision: against
 * their definitions, and back again.  The theory of them: coding gains, linear phase, flat frames.  The
 * transform in 16-bit integers.
 */
#include <float.h>

#include "lab/tests/transform_arrays.h"
#include "tests/support/band_reference.h"

#define XC_V long double
#define XC_REAL long double
#include "lab/kernels/lapped8.h"

/* ------------------------------------------------------------------- plans */

static xct_context *context;

typedef struct plane {
	size_t rows, cols;
} plane;

static xct_descriptor descriptor_of(const xct_algorithm *algorithm, xct_direction direction,
                                    xct_precision precision, const plane *size, int threads)
{
	xct_descriptor d;

	xct_descriptor_default(&d);
	d.algorithm = algorithm->name;
	d.kind = (xct_kind)__builtin_ctz(algorithm->kinds);
	d.direction = direction;
	d.precision = precision;
	d.dimensions = 2;
	d.size[0] = size->rows;
	d.size[1] = size->cols;
	d.threads = threads;
	d.estimate = 1;
	return d;
}

/* Returns 0, or -1 when there is no such plan. */
static int apply(const xct_algorithm *algorithm, xct_direction direction, xct_precision precision,
                 const plane *size, int threads, const void *in, void *out)
{
	const xct_descriptor d = descriptor_of(algorithm, direction, precision, size, threads);
	xct_plan *plan;

	if (xct_plan_new(context, &d, &plan) != XCT_OK)
		return -1;
	const xct_status status = xct_execute(plan, in, out);
	xct_plan_free(plan);
	return status == XCT_OK ? 0 : -1;
}

/* The size of the coefficients. */
static plane banded(const xct_algorithm *algorithm, const plane *size)
{
	const xct_precision any = algorithm->precisions & XCT_FLOAT32 ? XCT_FLOAT32 : XCT_INT16;
	const xct_descriptor d = descriptor_of(algorithm, XCT_FORWARD, any, size, 1);
	xct_plan_info info;

	CHECK(xct_describe(context, &d, &info) == XCT_OK, "%s", xct_context_message(context));
	return (plane){info.out_size[0], info.out_size[1]};
}

static size_t samples_in(const plane *size)
{
	return size->rows * size->cols;
}

/* Those of the list from number *i on that work on the processor in 8 bands and are not quantized: NULL after the last.
 * check_xct has the others. */
static const xct_algorithm *next_banded(size_t *i)
{
	const xct_algorithm *a;

	while ((a = xct_algorithm_at((*i)++)) != NULL)
		if (!a->gpu && a->bands & 8 && a->kinds != 1u << XCT_BLOCK_DCT_QUANTIZED)
			break;
	return a;
}

/* ------------- the GenLOT from its lattice, with the matrices of lapped8.h */

typedef long double lattice[8][24];

/* One stage of the lattice: sums and differences of the two halves, the left neighbour's delayed,
 * and the differences turned by v. */
static void turn_and_join(const lattice in, lattice out, const long double v[4][4], int length)
{
	memset(out, 0, sizeof(lattice));
	for (int i = 0; i < 4; i++) {
		for (int n = 0; n < length; n++) {
			/* The left neighbour's lower half comes 8 samples earlier. */
			out[i][n] += in[4 + i][n] / 2;
			out[i][n + 8] += in[i][n] / 2;
			for (int j = 0; j < 4; j++) {
				out[4 + j][n] += v[j][i] * in[4 + i][n] / 2;
				out[4 + j][n + 8] -= v[j][i] * in[i][n] / 2;
			}
		}
	}
}

static void butterflies(lattice x)
{
	for (int i = 0; i < 4; i++)
		for (int n = 0; n < 24; n++) {
			const long double p = x[i][n], q = x[4 + i][n];
			x[i][n] = p + q;
			x[4 + i][n] = p - q;
		}
}

static void reference_genlot(reference *r)
{
	static const long double odd[4][4] = XC_GENLOT8_ODD, v1[4][4] = XC_GENLOT8_V1;
	static const long double v2[4][4] = XC_GENLOT8_V2;
	static const long double scale[8] = XC_DCT8_FLMAD_SCALES;

	*r = (reference){.length = 24, .first = -8, .edge = REFERENCE_MIRROR};
	lattice a = {{0}}, b, c;
	for (int n = 0; n < 8; n++) {
		for (int i = 0; i < 4; i++) {
			a[i][n] = reference_dct_basis(2 * i, n);
			/* the header has V0 with the DCT's scaling and a factor of 1/4 */
			for (int j = 0; j < 4; j++)
				a[4 + j][n] += 4 * odd[j][i] / scale[2 * i + 1] * reference_dct_basis(2 * i + 1, n);
		}
	}
	butterflies(a);
	turn_and_join(a, b, v1, 8);
	butterflies(b);
	turn_and_join(b, c, v2, 16);
	for (int n = 0; n < 24; n++)
		for (int i = 0; i < 4; i++) {
			r->basis[2 * i][n] = c[i][n];
			r->basis[2 * i + 1][n] = c[4 + i][n];
		}
}

/* Whether the algorithm has kernels for the levels at all. */
static int is_plain(const xct_algorithm *algorithm, xct_precision precision)
{
	return !strcmp(algorithm->name, "cpu-naive") || !strncmp(algorithm->name, "cpu-fftw", 8) ||
	       precision == XCT_LONG_DOUBLE;
}

static void definition_of(const xct_algorithm *algorithm, reference *r)
{
	if (!strcmp(algorithm->name, "cpu-tdlt"))
		reference_tdlt(r);
	else if (!strcmp(algorithm->name, "cpu-genlot"))
		reference_genlot(r);
	else if (!strncmp(algorithm->name, "cpu-flot", 8))
		reference_lot(r, !strstr(algorithm->name, "symmetric"));
	else
		reference_dct(r);
}

/* Relative to the largest coefficient. */
static long double tolerance(xct_precision precision)
{
	return precision == XCT_FLOAT32 ? 2e-6L : precision == XCT_FLOAT64 ? 1e-14L : 32 * LDBL_EPSILON;
}

static void check_size(const xct_algorithm *algorithm, xct_precision precision, size_t rows,
                       size_t cols)
{
	const plane size = {rows, cols};
	const plane bands = banded(algorithm, &size);
	const size_t count = samples_in(&bands);

	OWNED void *in = make_random(precision, samples_in(&size)),
			   *back = make(precision, samples_in(&size));
	OWNED void *out = make(precision, count);
	OWNED long double *samples = make(XCT_LONG_DOUBLE, samples_in(&size));
	OWNED long double *wanted = make(XCT_LONG_DOUBLE, count);
	long double largest = 0, error = 0, before = 0, after = 0;
	reference r;

	definition_of(algorithm, &r);
	for (size_t i = 0; i < samples_in(&size); i++)
		samples[i] = xc_sample_get(in, precision, i);
	CHECK(!reference_forward(&r, samples, rows, cols, wanted), "out of memory");
	CHECK(!apply(algorithm, XCT_FORWARD, precision, &size, 3, in, out), "no plan");
	CHECK(!apply(algorithm, XCT_INVERSE, precision, &size, 3, out, back), "no inverse plan");
	for (size_t i = 0; i < count; i++) {
		const long double x = xc_sample_get(out, precision, i);
		largest = fmaxl(largest, fabsl(wanted[i]));
		if (!(fabsl(x - wanted[i]) <= error))
			error = fabsl(x - wanted[i]);
		after += x * x;
	}
	for (size_t i = 0; i < samples_in(&size); i++)
		before += samples[i] * samples[i];
	const long double returned = largest_difference(in, back, precision, samples_in(&size));
	const long double limit = tolerance(precision) * largest;
	CHECK(error <= limit, "%s %zux%zu: forward error %Lg of %Lg allowed", algorithm->name, rows,
	      cols, error, limit);
	CHECK(returned <= limit, "%s %zux%zu: inverse error %Lg of %Lg allowed", algorithm->name, rows,
	      cols, returned, limit);
	if (rows % 8 == 0 && cols % 8 == 0)
		CHECK(fabsl(after / before - 1) <= 1e-6L, "%s %zux%zu: energy %Lg of %Lg", algorithm->name,
		      rows, cols, after, before);
}

static void definitions(const xct_algorithm *algorithm, xct_precision precision)
{
	/* one block; rows and columns of any number; an odd and an even number of
	 * blocks for vectors of two; more than one tile of the widest */
	static const size_t sizes[][2] = {{8, 8},   {1, 1},   {13, 7},  {16, 24}, {24, 16},
	                                  {31, 33}, {8, 272}, {72, 40}, {40, 187}};

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_size(algorithm, precision, sizes[i][0], sizes[i][1]);
}

static void all_definitions(const char *level)
{
	const xct_algorithm *a;
	static const xct_precision precisions[] = {XCT_FLOAT32, XCT_FLOAT64, XCT_LONG_DOUBLE};

	for (size_t i = 0; (a = next_banded(&i)) != NULL;)
		for (int p = 0; p < 3; p++) {
			const xct_precision precision = precisions[p];
			if (a->bands != 8 || !(a->precisions & (unsigned)precision) ||
			    (is_plain(a, precision) && strcmp(level, "scalar") != 0))
				continue;
			check_begin("%s equals its definition in %d bits, %s", a->name,
			            precision == XCT_LONG_DOUBLE ? 80 : xc_precision_bits(precision), level);
			definitions(a, precision);
			check_end();
		}
}

static void every_size(const xct_algorithm *algorithm, xct_precision precision)
{
	enum { LARGEST = 40 };

	OWNED void *in = make_random(precision, LARGEST * LARGEST);
	OWNED void *out = make(precision, (LARGEST + 16) * (LARGEST + 16));
	OWNED void *back = make(precision, LARGEST * LARGEST);
	for (size_t rows = 1; rows <= LARGEST; rows++) {
		for (size_t cols = 1; cols <= LARGEST; cols++) {
			const plane size = {rows, cols};
			/* largest coefficient at least: 1024 */
			const long double limit = 8192 * tolerance(precision);
			if (apply(algorithm, XCT_FORWARD, precision, &size, 1, in, out) ||
			    apply(algorithm, XCT_INVERSE, precision, &size, 1, out, back)) {
				CHECK(0, "%zux%zu: no plan", rows, cols);
				continue;
			}
			const long double error = largest_difference(in, back, precision, rows * cols);
			CHECK(error <= limit, "%zux%zu: %Lg", rows, cols, error);
		}
	}
}

static void every_size_of_lapped(const char *level)
{
	const xct_algorithm *a;

	for (size_t i = 0; (a = next_banded(&i)) != NULL;) {
		if (a->kinds < 1u << XCT_LOT_STORED || a->threads)
			continue;
		check_begin("%s reconstructs every size from 1x1 to 40x40, %s", a->name, level);
		every_size(a, XCT_FLOAT32);
		every_size(a, XCT_FLOAT64);
		check_end();
	}
}

/* ----------------------------------------- large arrays, and threads */

/* An array that starts `offset` bytes after a cache line does, and its memory. */
static void *make_at(xct_precision precision, size_t count, size_t offset, void **memory)
{
	const size_t bytes = count * xc_precision_bytes(precision) + offset;

	*memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
	if (!*memory) {
		fprintf(stderr, "out of memory\n");
		exit(99);
	}
	memset(*memory, 0, bytes);
	return (char *)*memory + offset;
}

/* Rows of whole lines, of odd half lines, and of neither. */
static const struct {
	xct_precision precision;
	size_t rows, cols, offset;
} large[] = {
	{XCT_FLOAT32, 1024, 2048, 0},  {XCT_FLOAT32, 1000, 2104, 32}, {XCT_FLOAT32, 1000, 2104, 16},
	{XCT_FLOAT32, 1024, 2063, 48}, {XCT_FLOAT64, 1000, 1080, 32}, {XCT_FLOAT64, 1001, 1080, 48},
};
enum { LARGE = sizeof large / sizeof *large };

/* The differences of every level there is from the scalar one: forward and, from the input,
 * inverse. */
static void large_errors(const xct_algorithm *algorithm, size_t n, long double errors[LEVELS][2])
{
	const xct_precision precision = large[n].precision;
	const plane size = {large[n].rows, large[n].cols};
	const plane bands = banded(algorithm, &size);
	const size_t bytes = xc_precision_bytes(precision);

	OWNED void *in = make_random(precision, samples_in(&size));
	OWNED void *plain = make(precision, samples_in(&bands));
	OWNED void *out_memory = NULL, *back_memory = NULL;
	void *out = make_at(precision, samples_in(&bands), large[n].offset, &out_memory);
	void *back = make_at(precision, samples_in(&size), large[n].offset, &back_memory);

	use_level("scalar");
	CHECK(!apply(algorithm, XCT_FORWARD, precision, &size, 1, in, plain), "no plan");
	for (int i = 1; i < LEVELS; i++) {
		if (!use_level(levels[i]))
			continue;
		memset(out, 0, samples_in(&bands) * bytes);
		memset(back, 0, samples_in(&size) * bytes);
		CHECK(!apply(algorithm, XCT_FORWARD, precision, &size, 2, in, out), "no plan");
		CHECK(!apply(algorithm, XCT_INVERSE, precision, &size, 2, out, back), "no plan");
		errors[i][0] = largest_difference(plain, out, precision, samples_in(&bands));
		errors[i][1] = largest_difference(in, back, precision, samples_in(&size));
	}
}

/* Arrays that are written past the caches equal the scalar level's, wherever their rows start in a
 * cache line. */
static void large_arrays(const char *name)
{
	const xct_algorithm *a = xct_algorithm_find(name);
	long double errors[LARGE][LEVELS][2];

	for (size_t n = 0; n < LARGE && a; n++)
		large_errors(a, n, errors[n]);
	for (int i = 1; i < LEVELS; i++) {
		if (!use_level(levels[i]))
			continue;
		check_begin("%s of arrays larger than a cache, %s", name, levels[i]);
		CHECK(a, "missing");
		for (size_t n = 0; n < LARGE && a; n++) {
			const long double limit = 8192 * tolerance(large[n].precision);
			for (int d = 0; d < 2; d++)
				CHECK(errors[n][i][d] <= limit, "%s %zux%zu + %zu: %Lg", d ? "inverse" : "forward",
				      large[n].rows, large[n].cols, large[n].offset, errors[n][i][d]);
		}
		check_end();
	}
}

static void threads_make_no_difference(void)
{
	const plane size = {203, 164};
	const xct_algorithm *a;
	int found = 0;

	for (size_t i = 0; (a = next_banded(&i)) != NULL;) {
		if (!a->threads || !(a->precisions & XCT_FLOAT32))
			continue;
		found = 1;
		const plane bands = banded(a, &size);
		const size_t bytes = samples_in(&bands) * sizeof(float);
		OWNED void *in = make_random(XCT_FLOAT32, samples_in(&size));
		OWNED void *one = make(XCT_FLOAT32, samples_in(&bands));
		OWNED void *many = make(XCT_FLOAT32, samples_in(&bands));
		OWNED void *back = make(XCT_FLOAT32, samples_in(&bands));
		OWNED void *again = make(XCT_FLOAT32, samples_in(&bands));
		apply(a, XCT_FORWARD, XCT_FLOAT32, &size, 1, in, one);
		apply(a, XCT_INVERSE, XCT_FLOAT32, &size, 1, one, back);
		for (int threads = 2; threads < 40; threads += 7) {
			apply(a, XCT_FORWARD, XCT_FLOAT32, &size, threads, in, many);
			apply(a, XCT_INVERSE, XCT_FLOAT32, &size, threads, many, again);
			CHECK(!memcmp(one, many, bytes), "%s, %d threads", a->name, threads);
			CHECK(!memcmp(back, again, samples_in(&size) * sizeof(float)), "%s inverse, %d threads",
			      a->name, threads);
		}
	}
	CHECK(found, "none has threads");
}

/* The basis functions by transforming impulses, from a place without edges. */
static void measure(const xct_algorithm *algorithm, reference *r)
{
	const plane size = {8, 72};

	OWNED double *in = make(XCT_FLOAT64, samples_in(&size)),
				 *out = make(XCT_FLOAT64, samples_in(&size));
	*r = (reference){.length = 24, .first = -8};
	for (size_t n = 0; n < 24; n++) {
		for (size_t i = 0; i < samples_in(&size); i++)
			in[i] = i % 72 == 24 + n;
		CHECK(!apply(algorithm, XCT_FORWARD, XCT_FLOAT64, &size, 1, in, out), "no plan");
		/* constant columns have a DC of sqrt(8) */
		for (size_t k = 0; k < 8; k++)
			r->basis[k][n] = (long double)out[32 + k] / sqrtl(8);
	}
}

static void coding_gains(void)
{
	static const struct {
		const char *name;
		double gain;
	} wanted[] = {
		{"cpu-aan", 8.83},           {"cpu-flmad", 8.83}, {"cpu-feig2d", 8.83},
		{"cpu-flot-symmetric", 9.2}, {"cpu-tdlt", 9.26},  {"cpu-genlot", 9.379},
	};

	setenv("XC_CPU", "scalar", 1);
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		const xct_algorithm *a = xct_algorithm_find(wanted[i].name);
		REQUIRE(a, "%s is missing", wanted[i].name);
		reference r;
		measure(a, &r);
		const double gain = reference_gain(&r, 0.95);
		CHECK(fabs(gain - wanted[i].gain) < 0.01, "%s: %.4f dB instead of %.3f", wanted[i].name,
		      gain, wanted[i].gain);
	}
}

/* Even coefficients have symmetric basis functions, odd ones antisymmetric, and
 * only the first sees a constant. */
static void linear_phase(void)
{
	static const char *const names[] = {"cpu-flot-symmetric", "cpu-tdlt", "cpu-genlot"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		reference r;
		measure(xct_algorithm_find(names[i]), &r);
		for (int k = 0; k < 8; k++) {
			long double sum = 0;
			for (int n = 0; n < 24; n++) {
				const long double mirrored = r.basis[k][23 - n] * (k % 2 ? -1 : 1);
				CHECK(fabsl(r.basis[k][n] - mirrored) < 1e-14L, "%s: band %d at %d", names[i], k,
				      n);
				sum += r.basis[k][n];
			}
			CHECK(fabsl(sum - (k ? 0 : sqrtl(8))) < 1e-14L, "%s: band %d sums to %Lg", names[i], k,
			      sum);
		}
	}
}

/* A flat frame has nothing but DC up to its very edges. */
static void flat_frames_stay_flat(void)
{
	static const char *const names[] = {"cpu-aan", "cpu-flot-symmetric", "cpu-tdlt", "cpu-genlot"};
	const plane size = {24, 40};

	OWNED double *in = make(XCT_FLOAT64, samples_in(&size)),
				 *out = make(XCT_FLOAT64, samples_in(&size));
	for (size_t i = 0; i < samples_in(&size); i++)
		in[i] = 100;
	for (size_t a = 0; a < sizeof names / sizeof *names; a++) {
		apply(xct_algorithm_find(names[a]), XCT_FORWARD, XCT_FLOAT64, &size, 1, in, out);
		for (size_t i = 0; i < samples_in(&size); i++) {
			const double wanted = i / 40 % 8 || i % 8 ? 0 : 800;
			CHECK(fabs(out[i] - wanted) < 1e-10, "%s: %g at %zu", names[a], out[i], i);
		}
	}
}

static void short_blocks(void)
{
	const xct_algorithm *a = xct_algorithm_find("cpu-short");
	const plane size = {83, 107};
	const plane bands = banded(a, &size);

	OWNED int16_t *in = make_random(XCT_INT16, samples_in(&size));
	OWNED int16_t *out = make(XCT_INT16, samples_in(&bands));
	OWNED int16_t *back = make(XCT_INT16, samples_in(&size));
	OWNED long double *samples = make(XCT_LONG_DOUBLE, samples_in(&size));
	OWNED long double *wanted = make(XCT_LONG_DOUBLE, samples_in(&bands));
	reference r;
	reference_dct(&r);
	/* 9 bits, 11 bits, 13 bits */
	static const int allowed[3] = {1, 2, 8}, allowed_back[3] = {1, 1, 4};
	for (int scale = 0; scale < 3; scale++) {
		for (size_t i = 0; i < samples_in(&size); i++) {
			in[i] = (int16_t)(scale ? in[i] * 4 : in[i] / 4);
			samples[i] = in[i];
		}
		CHECK(!reference_forward(&r, samples, size.rows, size.cols, wanted), "no memory");
		CHECK(!apply(a, XCT_FORWARD, XCT_INT16, &size, 1, in, out), "no plan");
		CHECK(!apply(a, XCT_INVERSE, XCT_INT16, &size, 1, out, back), "no plan");
		long double error = 0;
		for (size_t i = 0; i < samples_in(&bands); i++)
			error = fmaxl(error, fabsl(out[i] - wanted[i]));
		CHECK(error < allowed[scale], "scale %d: off by %Lg", scale, error);
		const long double returned = largest_difference(in, back, XCT_INT16, samples_in(&size));
		CHECK(returned <= allowed_back[scale], "scale %d: back to within %Lg", scale, returned);
	}
}

/* Extreme coefficients, which no picture has, saturate. */
static void short_extremes(void)
{
	const plane size = {8, 8};
	int16_t in[64], out[64];
	uint64_t seed = 7;

	for (int run_number = 0; run_number < 100; run_number++) {
		for (int i = 0; i < 64; i++)
			in[i] = check_random(&seed) & 1 ? INT16_MAX : INT16_MIN;
		if (run_number == 0)
			for (int i = 0; i < 64; i++)
				in[i] = INT16_MAX;
		const xct_algorithm *a = xct_algorithm_find("cpu-short");
		CHECK(!apply(a, XCT_FORWARD, XCT_INT16, &size, 1, in, out), "no plan");
		if (run_number == 0)
			CHECK(out[0] == INT16_MAX && out[1] == 0, "%d %d", out[0], out[1]);
		CHECK(!apply(a, XCT_INVERSE, XCT_INT16, &size, 1, in, out), "no plan");
	}
}

int main(void)
{
	context = xct_context_new();
	static const char *const large_names[] = {"cpu-aan", "cpu-feig2d", "cpu-flot",
	                                          "cpu-flot-symmetric", "cpu-genlot"};

	for (int i = 0; i < LEVELS; i++) {
		if (use_level(levels[i])) {
			check_begin("cpu-short, %s", levels[i]);
			short_blocks();
			short_extremes();
			check_end();
		}
	}
	for (int i = 0; i < LEVELS; i++) {
		if (!use_level(levels[i])) {
			check_begin("transforms at level %s", levels[i]);
			check_skip("this processor has no %s", levels[i]);
			check_end();
			continue;
		}
		all_definitions(levels[i]);
		every_size_of_lapped(levels[i]);
	}
	for (size_t i = 0; i < sizeof large_names / sizeof *large_names; i++)
		large_arrays(large_names[i]);
	unsetenv("XC_CPU");
	RUN(threads_make_no_difference, coding_gains, linear_phase, flat_frames_stay_flat);
	xct_context_free(context);
	return check_done();
}
