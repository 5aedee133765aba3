/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What libxct computes: every kind against its definition in long double and against FFTW's r2r kinds, whole arrays at
 * every SIMD level; scalings, quantization, numbers of bands.
 */
#ifdef XC_HAVE_FFTW
#include <fftw3.h>
#endif
#include "src/core/cpu.h"
#include "xct/tests/arrays.h"

static const long double pi = 3.141592653589793238462643383279502884L;
static const xct_precision precisions[] = {XCT_FLOAT32, XCT_FLOAT64, XCT_LONG_DOUBLE};

/* ------------------------------------------------------------ definitions */

/* pi a / b, less whole turns; a is an integer. */
static long double angle(long double a, long double b)
{
	return pi * fmodl(a, 2 * b) / b;
}

/* The formulas of xct.h; IDXST, whose inverse is the sum, where the pairs have it. */
enum { IDXST = XCT_IDCT_IDXST };
static long double basis(xct_kind kind, size_t size, size_t k, size_t n)
{
	const long double N = (long double)size, K = (long double)k, X = (long double)n;
	const long double half = sqrtl(0.5L), s = sqrtl(2 / N);
	const long double end_k = k == 0 || k == size - 1 ? half : 1,
					  end_n = n == 0 || n == size - 1 ? half : 1;

	switch (kind) {
	case XCT_DCT1:
		return sqrtl(2 / (N - 1)) * end_k * end_n * cosl(angle(X * K, N - 1));
	case XCT_DCT2:
		return s * (k ? 1 : half) * cosl(angle((2 * X + 1) * K, 2 * N));
	case XCT_DCT3:
		return s * (n ? 1 : half) * cosl(angle(X * (2 * K + 1), 2 * N));
	case XCT_DCT4:
		return s * cosl(angle((2 * X + 1) * (2 * K + 1), 4 * N));
	case XCT_DST1:
		return sqrtl(2 / (N + 1)) * sinl(angle((X + 1) * (K + 1), N + 1));
	case XCT_DST2:
		return s * (k == size - 1 ? half : 1) * sinl(angle((2 * X + 1) * (K + 1), 2 * N));
	case XCT_DST3:
		return s * (n == size - 1 ? half : 1) * sinl(angle((X + 1) * (2 * K + 1), 2 * N));
	case (xct_kind)IDXST:
		return k ? s * sinl(angle((2 * X + 1) * K, 2 * N)) : 0;
	default:
		return s * sinl(angle((2 * X + 1) * (2 * K + 1), 4 * N));
	}
}

/* Along one axis of n samples, `step` apart, of an array of `total`. */
static void define_axis(long double *data, size_t total, size_t n, size_t step, xct_kind kind,
                        xct_direction direction)
{
	long double *const matrix = malloc(n * n * sizeof *matrix), *const line = malloc(n *
	                                                                                 sizeof *line);

	for (size_t i = 0; i < n * n; i++)
		matrix[i] = direction == XCT_FORWARD ? basis(kind, n, i / n, i % n)
		                                     : basis(kind, n, i % n, i / n);
	for (size_t start = 0; start < total; start++) {
		if (start / step % n)
			continue;
		for (size_t k = 0; k < n; k++) {
			line[k] = 0;
			for (size_t i = 0; i < n; i++)
				line[k] += matrix[k * n + i] * data[start + i * step];
		}
		for (size_t k = 0; k < n; k++)
			data[start + k * step] = line[k];
	}
	free(line);
	free(matrix);
}

static void define(const xct_descriptor *d, long double *data)
{
	const size_t total = samples_of(d);
	size_t step = 1;

	for (int i = d->dimensions; i-- > 0;) {
		const int pair = d->kind == XCT_IDCT_IDXST || d->kind == XCT_IDXST_IDCT;
		const int sine = i == (d->kind == XCT_IDCT_IDXST);
		const xct_kind kind = !pair ? d->kind : sine ? (xct_kind)IDXST : XCT_DCT2;
		define_axis(data, total, d->size[i], step, kind, d->direction);
		step *= d->size[i];
	}
}

/* What the definition, orthonormal, makes of random samples; the caller frees it. */
static long double *defined(const xct_descriptor *d)
{
	const size_t count = samples_of(d);
	long double *const wanted = allocate(count, XCT_LONG_DOUBLE);
	uint64_t state = 1;

	for (size_t i = 0; i < count; i++)
		wanted[i] = sample(&state);
	define(d, wanted);
	return wanted;
}

/* The descriptor on the same samples, estimated. */
static void against_definition(xct_context *context, const xct_descriptor *d,
                               const long double *wanted)
{
	const size_t count = samples_of(d);
	void *const in = allocate(count, d->precision);
	uint64_t state = 1;

	for (size_t i = 0; i < count; i++)
		xc_sample_put(in, d->precision, i, sample(&state));
	void *const out = transformed(context, d, in, count);
	if (out) {
		const long double error = error_of(out, d->precision, wanted, count);
		CHECK(error <= tolerance(d->precision),
		      "%s, kind %d %s, %zux%zux%zux%zu, %d bits: error %.3Lg",
		      d->algorithm ? d->algorithm : "chosen", (int)d->kind,
		      d->direction ? "inverse" : "forward", d->size[0], d->size[1], d->size[2], d->size[3],
		      xc_precision_bits(d->precision), error);
	}
	free(out);
	free(in);
}

static const size_t shapes[][4] = {
	{2},        {3},       {8},          {17},         {30},         {64},    {197},
	{256},      {2, 2},    {3, 5},       {16, 7},      {33, 24},     {2, 64}, {2, 3, 4},
	{5, 16, 9}, {8, 8, 8}, {3, 2, 4, 5}, {4, 4, 4, 4}, {2, 7, 5, 3}, {1},     {5, 1},
	{1, 6},     {3, 1, 4}, {3, 4, 1},    {1, 1, 3},    {2, 1, 1, 3},
};

static int dimensions_of(const size_t *size)
{
	int n = 0;

	while (n < 4 && size[n])
		n++;
	return n;
}

static int has_one(const size_t *size)
{
	return size[0] == 1 || size[1] == 1 || size[2] == 1 || size[3] == 1;
}

static void every_kind(void)
{
	static const char *const names[] = {NULL, "cpu-fft-lines", "cpu-fftw-frame",
	                                    "cpu-definition-lines"};
	xct_context *const context = xct_context_new();
	xct_descriptor d;

	xct_descriptor_default(&d);
	d.estimate = 1;
	for (int kind = XCT_DCT1; kind <= XCT_DST4; kind++)
		for (size_t s = 0; s < 2 * sizeof shapes / sizeof *shapes; s++) {
			if (kind == XCT_DCT1 && has_one(shapes[s / 2]))
				continue; /* which that kind does not take */
			d.kind = (xct_kind)kind;
			d.dimensions = dimensions_of(shapes[s / 2]);
			memcpy(d.size, shapes[s / 2], sizeof d.size);
			d.direction = (xct_direction)(s % 2);
			long double *const wanted = defined(&d);
			for (size_t a = 0; a < sizeof names / sizeof *names; a++)
				for (int i = 0; i < 3; i++) {
					d.algorithm = names[a];
					d.precision = precisions[i];
					if (!names[a] || xct_algorithm_find(names[a])) /* there is FFTW */
						against_definition(context, &d, wanted);
				}
			free(wanted);
		}
	xct_context_free(context);
}

/* The other algorithms of whole arrays, whose kind is DCT2 and its inverse. */
static void other_algorithms(void)
{
	xct_context *const context = xct_context_new();
	const xct_algorithm *a;
	xct_descriptor d;

	xct_descriptor_default(&d);
	d.estimate = 1;
	for (size_t s = 0; s <= sizeof shapes / sizeof *shapes; s++)
		for (int kind = XCT_DCT2; kind <= XCT_DCT3; kind++) {
			/* The last one is more than a block of cpu-dmm. */
			static const size_t large[4] = {250, 190};
			const size_t *const size = s < sizeof shapes / sizeof *shapes ? shapes[s] : large;
			d.kind = (xct_kind)kind;
			d.dimensions = dimensions_of(size);
			memcpy(d.size, size, sizeof d.size);
			long double *const wanted = defined(&d);
			for (size_t i = 0; (a = xct_algorithm_at(i)) != NULL; i++) {
				d.algorithm = a->name;
				if (a->kinds & 1u << XCT_DCT3 && !a->gpu &&
				    d.dimensions <= (a->dimensions < 2 || d.dimensions < 4 ? a->dimensions : 4))
					against_definition(context, &d, wanted);
			}
			free(wanted);
		}
	xct_context_free(context);
}

/* ------------------------------------------------------------ every level */

/* Below 1024 points FFTW plans at once; the vectors' every remainder is here. */
static const size_t level_sizes[][4] = {
	{1, 1},    {1, 2},    {2, 1},     {1, 7},     {7, 1},      {2, 2},     {3, 5},
	{8, 8},    {5, 16},   {16, 30},   {13, 17},   {32, 32},    {31, 37},   {33, 64},
	{40, 96},  {1, 197},  {101, 3},   {36, 131},  {66, 68},    {1, 240},   {2, 1, 1},
	{3, 4, 5}, {7, 1, 9}, {4, 3, 64}, {5, 6, 33}, {19, 3, 17}, {2, 5, 96},
};
enum { LEVEL_SIZES = sizeof level_sizes / sizeof *level_sizes };

/* Against the definition, which is kept; three threads, and working in place, change no bit. */
static void at_level(xct_context *context, xct_descriptor *d, size_t index)
{
	static long double *kept[3][LEVEL_SIZES][2];
	const int pair = d->kind == XCT_IDCT_IDXST ? 1 : d->kind == XCT_IDXST_IDCT ? 2 : 0;
	long double **const wanted = &kept[pair][index][d->direction];
	const size_t count = samples_of(d);
	void *const in = allocate(count, d->precision);
	uint64_t state = index;
	xct_plan *plan;

	if (!*wanted) {
		*wanted = allocate(count, XCT_LONG_DOUBLE);
		for (size_t i = 0; i < count; i++)
			(*wanted)[i] = sample(&state);
		define(d, *wanted);
	}
	state = index;
	for (size_t i = 0; i < count; i++)
		xc_sample_put(in, d->precision, i, sample(&state));
	d->threads = 1;
	void *const one = transformed(context, d, in, count);
	const long double error = one ? error_of(one, d->precision, *wanted, count) : NAN;
	CHECK(error <= 2 * tolerance(d->precision), "%s, %zux%zux%zu, %d bits: error %Lg",
	      d->direction ? "inverse" : "forward", d->size[0], d->size[1], d->size[2],
	      xc_precision_bits(d->precision), error);
	d->threads = 3;
	const int other = !strcmp(d->algorithm, "cpu-fftw-frame"); /* FFTW takes another way */
	void *const three = other ? NULL : transformed(context, d, in, count);
	if (one && xct_plan_new(context, d, &plan) == XCT_OK) {
		CHECK(xct_execute(plan, in, in) == XCT_OK, "%s", xct_context_message(context));
		xct_plan_free(plan);
		int differ = !other && !three;
		for (size_t i = 0; i < count && !other && three; i++) {
			const long double value = xc_sample_get(one, d->precision, i);
			differ |= value != xc_sample_get(three, d->precision, i) ||
			          value != xc_sample_get(in, d->precision, i);
		}
		CHECK(!differ, "%zux%zux%zu: 3 threads, or in place: other bits", d->size[0], d->size[1],
		      d->size[2]);
	}
	free(three);
	free(one);
	free(in);
}

static void algorithm_at_level(xct_context *context, const xct_algorithm *a, int first)
{
	xct_descriptor d;

	xct_descriptor_default(&d);
	d.estimate = 1;
	d.algorithm = a->name;
	d.kind = (xct_kind)(a->kinds & 1u << XCT_DCT2 ? XCT_DCT2 : __builtin_ctz(a->kinds));
	/* Vectors change nothing in 80 bits. */
	for (size_t i = 0; i < (first ? 6 : 4) * (size_t)LEVEL_SIZES; i++) {
		const size_t *const size = level_sizes[i / (first ? 6 : 4)];
		xct_plan_info info;
		d.dimensions = dimensions_of(size);
		memcpy(d.size, size, sizeof d.size);
		d.precision = precisions[i / 2 % (first ? 3 : 2)];
		d.direction = (xct_direction)(i % 2);
		d.threads = 1;
		if (xct_describe(context, &d, &info) == XCT_OK) /* it may take no volumes */
			at_level(context, &d, i / (first ? 6 : 4));
	}
}

static void every_level(void)
{
	static const char *const levels[] = {"scalar", "sse2", "neon", "avx2", "avx512"};
	xct_context *const context = xct_context_new();
	const xct_algorithm *a;

	for (size_t l = 0; l < sizeof levels / sizeof *levels; l++) {
		xc_cpu cpu;
		if (!xc_cpu_by_name(levels[l], &cpu) || !xc_cpu_usable(cpu))
			continue;
		setenv("XC_CPU", levels[l], 1);
		for (size_t i = 0; (a = xct_algorithm_at(i)) != NULL; i++)
			if (!a->gpu && a->kinds & ((1u << XCT_REAL_FFT) - 1) &&
			    (l == 0 || strcmp(a->name, "cpu-fftw-frame") != 0)) {
				check_begin("%s, %s", a->name, levels[l]);
				algorithm_at_level(context, a, l == 0);
				check_end();
			}
	}
	unsetenv("XC_CPU");
	xct_context_free(context);
}

/* Too large for the caches, so that the frame is streamed, and one share of the panels ends where another
 * begins. */
static void large_frame(void)
{
	enum { ROWS = 4096, COLUMNS = 832, COUNT = ROWS * COLUMNS };
	xct_context *const context = xct_context_new();
	float *const in = allocate(COUNT, XCT_FLOAT32), *out[2][2];
	uint64_t state = 5;
	xct_descriptor d;

	if (!xct_algorithm_find("cpu-fft2d"))
		SKIP("no FFTW");
	xct_descriptor_default(&d);
	d.estimate = 1;
	d.dimensions = 2;
	d.size[0] = ROWS;
	d.size[1] = COLUMNS;
	for (size_t i = 0; i < COUNT; i++)
		in[i] = (float)sample(&state);
	for (int i = 0; i < 2; i++) { /* forward and inverse by one thread and three */
		d.threads = 1 + 2 * i;
		d.algorithm = "cpu-fft2d";
		d.direction = XCT_FORWARD;
		out[i][0] = transformed(context, &d, in, COUNT);
		d.direction = XCT_INVERSE;
		out[i][1] = transformed(context, &d, out[0][0], COUNT);
	}
	CHECK(!memcmp(out[0][0], out[1][0], COUNT * sizeof *in) &&
	          !memcmp(out[0][1], out[1][1], COUNT * sizeof *in),
	      "3 threads differ from 1");
	d.algorithm = "cpu-fft-n";
	d.direction = XCT_FORWARD;
	float *const rows = transformed(context, &d, in, COUNT);
	float apart = 0, back = 0;
	for (size_t i = 0; i < COUNT; i++) {
		apart = fmaxf(apart, fabsf(rows[i] - out[0][0][i]));
		back = fmaxf(back, fabsf(in[i] - out[0][1][i]));
	}
	CHECK(apart <= 5e-6F && back <= 2e-6F, "row-column is apart by %g, the inverse by %g",
	      (double)apart, (double)back);
	for (int i = 0; i < 4; i++)
		free(out[i / 2][i % 2]);
	free(rows);
	free(in);
	xct_context_free(context);
}

#ifdef XC_HAVE_FFTW
static void unscaled_is_fftw(void)
{
	static const fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11,
	                                      FFTW_RODFT00, FFTW_RODFT10, FFTW_RODFT01, FFTW_RODFT11};
	static const int inverse[] = {0, 2, 1, 3, 4, 6, 5, 7};
	xct_context *const context = xct_context_new();
	uint64_t state = 7;

	for (int i = 0; i < 2 * 8 * 4; i++) {
		const int sizes[4][3] = {{1, 1, 19}, {1, 12, 10}, {6, 4, 9}, {1, 1, 2}};
		const int kind = i / 8, *const n = sizes[i / 2 % 4];
		const int rank = n[0] > 1 ? 3 : n[1] > 1 ? 2 : 1, of_fftw = i % 2 ? inverse[kind] : kind;
		const size_t count = (size_t)(n[0] * n[1] * n[2]);
		const fftw_r2r_kind all[3] = {kinds[of_fftw], kinds[of_fftw], kinds[of_fftw]};
		double *const in = fftw_malloc(count * sizeof *in), *const found = fftw_malloc(count *
		                                                                               sizeof *in);
		long double *const wanted = allocate(count, XCT_LONG_DOUBLE);
		xct_descriptor d;

		fftw_plan fftw = fftw_plan_r2r(rank, n + 3 - rank, in, found, all, FFTW_ESTIMATE);
		for (size_t s = 0; s < count; s++)
			in[s] = (double)sample(&state);
		fftw_execute(fftw);
		fftw_destroy_plan(fftw);
		for (size_t s = 0; s < count; s++)
			wanted[s] = found[s];
		xct_descriptor_default(&d);
		d.kind = (xct_kind)kind;
		d.direction = (xct_direction)(i % 2);
		d.precision = XCT_FLOAT64;
		d.scaling = XCT_UNSCALED;
		d.dimensions = rank;
		for (int a = 0; a < rank; a++)
			d.size[a] = (size_t)n[3 - rank + a];
		void *const out = transformed(context, &d, in, count);
		const long double error = out ? error_of(out, XCT_FLOAT64, wanted, count) : NAN;
		CHECK(error <= 1e-14L, "kind %d, direction %d, %zu samples: error %Lg", kind, i % 2, count,
		      error);
		free(out);
		free(wanted);
		fftw_free(in);
		fftw_free(found);
	}
	xct_context_free(context);
}
#endif

/* sum over n of x[n] f(n, k), along a line of 6: Jiang's equations and MATLAB's dst. */
static void scalings(void)
{
	enum { N = 6 };
	static const struct {
		xct_scaling scaling;
		xct_kind kind;
		xct_direction direction;
	} cases[] = {
		{XCT_JIANG, XCT_DCT2, XCT_FORWARD},  {XCT_JIANG, XCT_DCT2, XCT_INVERSE},
		{XCT_JIANG, XCT_DCT3, XCT_FORWARD},  {XCT_MATLAB, XCT_DST1, XCT_FORWARD},
		{XCT_MATLAB, XCT_DST1, XCT_INVERSE}, {XCT_MATLAB, XCT_DCT2, XCT_FORWARD},
	};
	xct_context *const context = xct_context_new();
	double in[N * N];
	long double wanted[N];
	xct_descriptor d;
	uint64_t state = 3;

	for (int i = 0; i < N * N; i++)
		in[i] = (double)sample(&state);
	xct_descriptor_default(&d);
	d.precision = XCT_FLOAT64;
	d.dimensions = 1;
	d.size[0] = N;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		d.scaling = cases[c].scaling;
		d.kind = cases[c].kind;
		d.direction = cases[c].direction;
		for (int k = 0; k < N; k++) {
			wanted[k] = 0;
			for (int n = 0; n < N; n++) {
				const long double half = n + 0.5L, up = k + 0.5L;
				const long double f = c == 0   ? cosl(pi * half * k / N)
				                      : c <= 2 ? (n ? cosl(pi * n * up / N) : 0.5L)
				                      : c == 3 ? sinl(pi * (n + 1) * (k + 1) / (N + 1))
				                      : c == 4
				                          ? 2 * sinl(pi * (n + 1) * (k + 1) / (N + 1)) / (N + 1)
				                          : basis(XCT_DCT2, N, (size_t)k, (size_t)n);
				wanted[k] += f * in[n];
			}
		}
		void *const out = transformed(context, &d, in, N);
		CHECK(out && error_of(out, XCT_FLOAT64, wanted, N) <= 1e-14L, "case %zu", c);
		free(out);
	}
#ifdef XC_HAVE_FFTW
	/* Equations 21 and 22: IDXST along rows, IDCT down columns. */
	long double plane[N * N];
	for (int y = 0; y < N; y++)
		for (int x = 0; x < N; x++) {
			long double sum = 0;
			for (int i = 0; i < N * N; i++) {
				const int l = i / N, k = i % N;
				sum += in[i] * (l ? cosl(pi * l * (y + 0.5L) / N) : 0.5L) *
				       sinl(pi * k * (x + 0.5L) / N);
			}
			plane[y * N + x] = sum;
		}
	d = (xct_descriptor){.kind = XCT_IDCT_IDXST,
	                     .direction = XCT_INVERSE,
	                     .precision = XCT_FLOAT64,
	                     .scaling = XCT_JIANG,
	                     .dimensions = 2,
	                     .size = {N, N},
	                     .batch = 1,
	                     .threads = 1,
	                     .device = XCT_CPU};
	void *const out = transformed(context, &d, in, N * N);
	CHECK(out && error_of(out, XCT_FLOAT64, plane, N * N) <= 1e-14L, "IDCT_IDXST");
	free(out);
#endif
	xct_context_free(context);
}

/* 8x8 blocks: FFTW's scaling is 16 times or 4 c times as much; there and back multiplies by 256. */
static void block_scalings(void)
{
	xct_context *const context = xct_context_new();
	xct_descriptor d;
	uint64_t state = 5;
	double in[24 * 16];

	for (size_t i = 0; i < sizeof in / sizeof *in; i++)
		in[i] = (double)sample(&state);
	xct_descriptor_default(&d);
	d.kind = XCT_BLOCK_DCT;
	d.precision = XCT_FLOAT64;
	d.dimensions = 2;
	d.size[0] = 24;
	d.size[1] = 16;
	const xct_algorithm *a;
	for (size_t i = 0; (a = xct_algorithm_at(i)) != NULL; i++) {
		if (!(a->kinds & 1u << XCT_BLOCK_DCT) || !(a->precisions & XCT_FLOAT64) || a->gpu ||
		    a->bands != 8)
			continue;
		d.algorithm = a->name;
		for (int s = XCT_UNSCALED; s <= XCT_JIANG; s += XCT_JIANG - XCT_UNSCALED) {
			const long double gain = s == XCT_UNSCALED ? 256 : 16;
			long double wanted[24 * 16];
			d.scaling = (xct_scaling)s;
			d.direction = XCT_FORWARD;
			double *const out = transformed(context, &d, in, 24 * 16);
			d.direction = XCT_INVERSE;
			void *const back = out ? transformed(context, &d, out, 24 * 16) : NULL;
			long double sum = 0;
			for (size_t x = 0; x < 64; x++)
				sum += in[x / 8 * 16 + x % 8];
			for (size_t x = 0; x < 24 * 16; x++)
				wanted[x] = gain * in[x];
			CHECK(out && fabsl(out[0] - (s == XCT_UNSCALED ? 4 : 1) * sum) < 1e-12L, "%s: DC",
			      a->name);
			CHECK(back && error_of(back, XCT_FLOAT64, wanted, 24 * 16) < 1e-14L, "%s: back",
			      a->name);
			free(back);
			free(out);
		}
	}
	xct_context_free(context);
}

/* Each algorithm against its own coefficients, divided and rounded; the inverse multiplies. */
static void quantized(void)
{
	xct_context *const context = xct_context_new();
	const xct_algorithm *a;
	int found = 0;

	for (size_t i = 0; (a = xct_algorithm_at(i)) != NULL; i++) {
		const xct_precision precision = a->precisions & XCT_FLOAT64 ? XCT_FLOAT64 : XCT_INT16;
		const size_t room = 24 * 40;
		char plain[64];
		xct_descriptor d;
		uint64_t state = 8;
		if (a->kinds != 1u << XCT_BLOCK_DCT_QUANTIZED || a->gpu)
			continue;
		found++;
		void *const in = allocate(room, precision);
		for (size_t s = 0; s < 17 * 33; s++)
			xc_sample_put(in, precision, s, 127 * sample(&state));
		snprintf(plain, sizeof plain, "%.*s", (int)(strstr(a->name, "-quantized") - a->name),
		         a->name);
		xct_descriptor_default(&d);
		d.kind = XCT_BLOCK_DCT;
		d.algorithm = plain;
		d.precision = precision;
		d.dimensions = 2;
		d.size[0] = 17;
		d.size[1] = 33;
		void *const bands = transformed(context, &d, in, room);
		d.kind = XCT_BLOCK_DCT_QUANTIZED;
		d.algorithm = a->name;
		void *const levels = transformed(context, &d, in, room);
		d.direction = XCT_INVERSE;
		void *const back = levels ? transformed(context, &d, levels, room) : NULL;
		size_t apart = 0;
		for (size_t s = 0; bands && levels && s < room; s++) {
			const long double step = xct_quantizers()[s / 40 % 8 * 8 + s % 40 % 8];
			const long double level = xc_sample_get(levels, precision, s);
			const long double wanted = xc_sample_get(bands, precision, s) / step;
			apart += fabsl(level - wanted) > 0.5001L || level != rintl(level);
			xc_sample_put(bands, precision, s, level * step);
		}
		CHECK(bands && levels && !apart, "%s: %zu levels are wrong", a->name, apart);
		d.kind = XCT_BLOCK_DCT;
		d.algorithm = plain;
		void *const wanted = bands ? transformed(context, &d, bands, room) : NULL;
		long double worst = 0;
		for (size_t s = 0; back && wanted && s < 17 * 33; s++)
			worst = fmaxl(worst, fabsl(xc_sample_get(back, precision, s) -
			                           xc_sample_get(wanted, precision, s)));
		CHECK(back && wanted && worst < 1e-11L, "%s: inverse off by %Lg", a->name, worst);
		free(wanted);
		free(back);
		free(levels);
		free(bands);
		free(in);
	}
	CHECK(found >= 5, "%d quantized algorithms", found);
	xct_context_free(context);
}

/* What basis function k of M bands (2 M long, of an edge) has at n, as P0 Z says; or that of a DCT. */
static long double lapped_basis(size_t m, size_t k, size_t n, int lapped)
{
	const size_t half = m / 2, i = k / 2, at = n < m ? n : 2 * m - 1 - n;
	long double sum = 0;

	if (!lapped)
		return basis(XCT_DCT2, m, k, n);
	/* Half the difference of the DCT's functions 2 j and 2 j + 1, the right half mirrored. */
	for (size_t j = 0; j < half; j++) {
		long double turn = 0;
		for (size_t h = 0; h < half && k % 2; h++)
			turn += basis(XCT_DST4, half, i, h) * basis(XCT_DCT3, half, h, j);
		const long double d = (basis(XCT_DCT2, m, 2 * j, at) - basis(XCT_DCT2, m, 2 * j + 1, at)) /
		                      2;
		sum += k % 2 ? turn * (n < m ? d : -d) : j == i ? d : 0;
	}
	return sum;
}

/* An array of three blocks both ways against the basis functions, the edges mirrored; and back. */
static void many_bands(void)
{
	xct_context *const context = xct_context_new();

	for (int c = 0; c < 5 * 3; c++) {
		const int lapped = c / 3 < 3;
		const size_t m = lapped ? (size_t)8 << c / 3 : (size_t)8 << (c / 3 - 2), side = 3 * m;
		const size_t odd = side - 3, count = side * side;
		long double *const wanted = allocate(count, XCT_LONG_DOUBLE);
		long double *const rows = allocate(count, XCT_LONG_DOUBLE);
		xct_descriptor d;
		uint64_t state = 3;
		xct_descriptor_default(&d);
		d.kind = lapped ? XCT_LOT2 : XCT_BLOCK_DCT;
		d.bands = (int)m;
		d.precision = precisions[c % 3];
		d.dimensions = 2;
		d.size[0] = d.size[1] = odd;
		d.threads = 2;
		long double table[32][64];
		for (size_t i = 0; i < m * 2 * m; i++)
			table[i / (2 * m)][i % (2 * m)] = lapped_basis(m, i / (2 * m), i % (2 * m), lapped);
		void *const in = allocate(odd * odd, d.precision);
		for (size_t i = 0; i < odd * odd; i++)
			xc_sample_put(in, d.precision, i, sample(&state));
		for (size_t pass = 0; pass < 2; pass++)
			for (size_t y = 0; y < side; y++)
				for (size_t x = 0; x < side; x++) {
					long double sum = 0;
					for (size_t n = 0; n < (lapped ? 2 * m : m); n++) {
						/* Half a block before the block, mirrored about the whole blocks' ends. */
						ptrdiff_t at = (ptrdiff_t)(y / m * m + n) - (lapped ? (ptrdiff_t)m / 2 : 0);
						at = at < 0                  ? -1 - at
						     : at >= (ptrdiff_t)side ? 2 * (ptrdiff_t)side - 1 - at
						                             : at;
						const size_t row = (size_t)at < odd || pass ? (size_t)at : odd - 1;
						const size_t col = x < odd ? x : odd - 1;
						/* The second pass works on the transpose, which is whole. */
						const long double value = pass ? rows[x * side + (row < side ? row : 0)]
						                               : xc_sample_get(in, d.precision,
						                                               row * odd + col);
						sum += value * table[y % m][n];
					}
					*(pass ? &wanted[x * side + y] : &rows[y * side + x]) = sum;
				}
		void *const out = transformed(context, &d, in, count);
		const long double error = out ? error_of(out, d.precision, wanted, count) : NAN;
		CHECK(error <= tolerance(d.precision), "%zu bands, %s: error %Lg", m,
		      lapped ? "LOT2" : "DCT", error);
		d.direction = XCT_INVERSE;
		void *const back = out ? transformed(context, &d, out, odd * odd) : NULL;
		long double worst = 0;
		for (size_t i = 0; back && i < odd * odd; i++)
			worst = fmaxl(worst, fabsl(xc_sample_get(back, d.precision, i) -
			                           xc_sample_get(in, d.precision, i)));
		CHECK(back && worst <= tolerance(d.precision), "%zu bands: back off by %Lg", m, worst);
		free(back);
		free(out);
		free(in);
		free(rows);
		free(wanted);
	}
	xct_context_free(context);
}

int main(void)
{
	RUN(every_kind, other_algorithms, scalings, block_scalings, quantized, many_bands);
	every_level();
	RUN(large_frame);
#ifdef XC_HAVE_FFTW
	RUN(unscaled_is_fftw);
#endif
	return check_done();
}
