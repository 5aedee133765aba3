/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registry's transforms on a GPU against those on the processor.  Those of 8 bands have the
 * bits of a processor that has fused multiply-adds; those of whole frames are as close to the
 * definition as the processor's.  With arguments: only those whose names begin with one.
 */
#include "lab/tests/transform_arrays.h"
#include "lab/algorithms.h"

/* clang-format off */
static const xc_transform_size sizes[] = {
	{ 1, 8, 8 },     { 1, 1, 1 },     { 1, 13, 7 },     { 1, 16, 24 },  { 1, 31, 33 },
	{ 1, 8, 272 },   { 1, 72, 140 },  { 1, 40, 187 },   { 1, 17, 256 }, { 1, 64, 64 },
	{ 1, 128, 64 },  { 1, 256, 512 }, { 1, 1024, 128 }, { 1, 2048, 64 }, { 1, 64, 2048 },
	{ 1, 300, 1024 }, { 1, 512, 97 }, { 1, 64, 4096 },  { 1, 4096, 64 }, { 1, 64, 8192 },
	{ 1, 8192, 64 }, { 3, 4, 5 },     { 16, 32, 64 },   { 7, 1, 9 },
	{ 1, 256, 4096 }, { 1, 4096, 256 }, { 1, 256, 8192 }, { 1, 8192, 256 },
	/* No powers of two, or on one side alone. */
	{ 1, 16, 18 },    { 1, 105, 210 },  { 1, 576, 720 },
	{ 1, 100, 10000 }, { 1, 10000, 100 }, { 1, 2160, 240 }, { 1, 240, 3840 }, { 1, 4000, 60 },
	{ 1, 60, 4000 },  { 1, 256, 360 },  { 1, 360, 512 },  { 1, 4096, 288 }, { 1, 8192, 90 },
};
/* clang-format on */
enum { SIZES = sizeof sizes / sizeof *sizes };

static int is_quantized(const xc_algorithm *algorithm)
{
	return strstr(algorithm->is.name, "-quantized") != NULL;
}

/* cuBLAS and plain products add up a long line one after the other. */
static int adds_in_turn(const char *name)
{
	return strstr(name, "-cublas") || strstr(name, "-plain");
}

static long double tolerance(const xc_algorithm *algorithm, xct_precision precision)
{
	if (adds_in_turn(algorithm->is.name))
		return precision == XCT_FLOAT32 ? 1e-5L : 5e-14L;
	return precision == XCT_FLOAT32 ? 2e-6L : precision == XCT_FLOAT64 ? 1e-14L : 0;
}

/* The processor's algorithm of the same name, less what a GPU adds to it; NULL if this build has none.  Plain
 * products would take minutes. */
static const xc_algorithm *twin(const xc_algorithm *algorithm)
{
	const xc_algorithm *found = NULL;
	char name[64], *end = name;

	snprintf(name, sizeof name, "cpu%s", algorithm->is.name + strlen("gpu"));
	while (end && (strstr(name, "-plain") || !(found = xc_algorithm_find(name))))
		if ((end = strrchr(name, '-')))
			*end = '\0';
	return found;
}

/* How many values are off by more than `limit`, and whether one is by more than 1.001. */
static size_t far(const void *found, const void *wanted, xct_precision precision, size_t count,
                  long double limit)
{
	size_t far_ones = 0;

	for (size_t i = 0; i < count; i++) {
		const long double d = fabsl(xc_sample_get(found, precision, i) -
		                            xc_sample_get(wanted, precision, i));
		far_ones += !(d <= limit);
		if (!(d <= 1.001L))
			return count;
	}
	return far_ones;
}

typedef struct trial {
	const xc_algorithm *algorithm, *reference;
	xct_precision precision;
	const xc_transform_size *size;
	xc_transform_size bands;
	void *in, *wanted, *found;
	long double worst; /* over the sizes */
} trial;

static int execute(const xc_algorithm *algorithm, const trial *t, xct_direction direction,
                   const void *in, void *out)
{
	xc_plan *plan = plan_of(algorithm, direction, t->precision, t->size, 1);

	CHECK(plan, "%s makes no plan", algorithm->is.name);
	if (!plan)
		return -1;
	xc_plan_execute(plan, in, out);
	const char *why = xc_plan_failure(plan);
	CHECK(!why, "%s %zux%zux%zu: %s", algorithm->is.name, t->size->slices, t->size->rows,
	      t->size->cols, why);
	const int status = why ? -1 : 0;
	xc_plan_free(plan);
	return status;
}

/* The processor works with half precision in float. */
static int execute_reference(const trial *t, xct_direction direction, const void *in, void *out)
{
	if (t->precision == XCT_FLOAT16)
		return run_as(XCT_FLOAT32, t->reference, direction, t->precision, t->size, in, out);
	return execute(t->reference, t, direction, in, out);
}

static void judge(trial *t, xct_direction direction, size_t count)
{
	const int quantized = is_quantized(t->algorithm);
	const size_t bytes = count * xc_precision_bytes(t->precision);

	if (xc_is_banded(&t->algorithm->is) && !quantized) {
		CHECK(!memcmp(t->wanted, t->found, bytes), "%s %s %zux%zu, %d bits: other bits, by %Lg",
		      t->algorithm->is.name, direction ? "inverse" : "forward", t->size->rows,
		      t->size->cols, xc_precision_bits(t->precision),
		      largest_difference(t->wanted, t->found, t->precision, count));
		return;
	}
	if (quantized && (direction == XCT_FORWARD || t->precision == XCT_INT16)) {
		/* One step apart where the quotient lies between two of them. */
		const size_t apart = far(t->found, t->wanted, t->precision, count, 0);
		CHECK(apart <= count / 100 + 1, "%s %zux%zu: %zu of %zu differ", t->algorithm->is.name,
		      t->size->rows, t->size->cols, apart, count);
		return;
	}
	const long double error = relative_error(t->wanted, t->found, t->precision, count);
	CHECK(error <= tolerance(t->algorithm, t->precision), "%s %s %zux%zux%zu, %d bits: error %Lg",
	      t->algorithm->is.name, direction ? "inverse" : "forward", t->size->slices, t->size->rows,
	      t->size->cols, xc_precision_bits(t->precision), error);
	if (!(error <= t->worst))
		t->worst = error;
}

static void both_ways(trial *t)
{
	const size_t bytes = xc_transform_samples(&t->bands) * xc_precision_bytes(t->precision);

	memset(t->found, 0x7f, bytes);
	if (!execute_reference(t, XCT_FORWARD, t->in, t->wanted) &&
	    !execute(t->algorithm, t, XCT_FORWARD, t->in, t->found))
		judge(t, XCT_FORWARD, xc_transform_samples(&t->bands));
	/* The inverse of those coefficients. */
	void *bands = make(t->precision, xc_transform_samples(&t->bands));
	memcpy(bands, t->wanted, bytes);
	memset(t->found, 0x7f, bytes);
	if (!execute(t->algorithm, t, XCT_INVERSE, bands, t->found) &&
	    !execute_reference(t, XCT_INVERSE, bands, t->wanted))
		judge(t, XCT_INVERSE, xc_transform_samples(t->size));
	free(bands);
}

static void all_sizes(const xc_algorithm *algorithm, xct_precision precision)
{
	trial t = {.algorithm = algorithm, .reference = twin(algorithm), .precision = precision};

	check_begin("%s, %d bits", algorithm->is.name, xc_precision_bits(precision));
	for (size_t i = 0; i < SIZES && t.reference; i++) {
		t.size = &sizes[i];
		const int product = strstr(algorithm->is.name, "-dmm") != NULL;
		if ((product && xc_transform_samples(t.size) > 1 << 19) || /* minutes on a processor */
		    algorithm->output_size(XCT_FORWARD, t.size, &t.bands))
			continue;
		t.in = make_random(precision, xc_transform_samples(&t.bands));
		t.wanted = make(precision, xc_transform_samples(&t.bands));
		t.found = make(precision, xc_transform_samples(&t.bands));
		both_ways(&t);
		free(t.in);
		free(t.wanted);
		free(t.found);
	}
	if (!t.reference)
		check_skip("built without FFTW");
	else if (t.worst > 0)
		printf("# %s, %d bits: largest relative error %.2Lg\n", algorithm->is.name,
		       xc_precision_bits(precision), t.worst);
	check_end();
}

/* Runs a plan of the GPU, and compares. */
static void against(xct_context *context, const xct_descriptor *d, const void *in,
                    const long double *wanted, size_t count)
{
	OWNED void *found = make(d->precision, count);
	xct_plan *plan = NULL;

	CHECK(xct_plan_new(context, d, &plan) == XCT_OK && xct_execute(plan, in, found) == XCT_OK, "%s",
	      xct_context_message(context));
	xct_plan_free(plan);
	const long double error = error_to(wanted, found, d->precision, count);
	CHECK(error <=
	          (d->precision == XCT_FLOAT32 ? 1e-6L : 1e-14L) * (adds_in_turn(d->algorithm) ? 2 : 1),
	      "%s, kind %d, direction %d, %d bits, %d dimensions, %zux%zux%zu: %Lg", d->algorithm,
	      (int)d->kind, (int)d->direction, xc_precision_bits(d->precision), d->dimensions,
	      d->size[0], d->size[1], d->size[2], error);
}

/* All kinds of whole arrays against their definitions. */
static void definitions(void)
{
	static const xc_transform_size few[] = {
		{1, 1, 2},  {1, 1, 9},   {1, 9, 1},    {1, 7, 30}, {1, 30, 7}, {1, 33, 52},
		{1, 2, 64}, {1, 1, 499}, {1, 1, 1000}, {3, 4, 5},  {5, 1, 9},  {12, 10, 21},
	};
	xct_context *const context = xct_context_new();

	for (const xc_algorithm *const *a = xc_gpu_algorithms; *a; a++)
		for (int n = 0; n < 4 * (XCT_DST4 + 1) && !(*a)->device->usable(*a, 0, (char[256]){0}); n++)
			for (size_t i = 0; i < sizeof few / sizeof *few; i++) {
				const size_t count = xc_transform_samples(&few[i]);
				const xct_descriptor d = frame_descriptor((*a)->is.name, (xct_kind)(n / 4),
				                                          n & 2 ? XCT_INVERSE : XCT_FORWARD,
				                                          n & 1 ? XCT_FLOAT64 : XCT_FLOAT32,
				                                          &few[i]);
				if (!((*a)->is.kinds & 1u << d.kind) || (*a)->is.dimensions < d.dimensions)
					continue;
				OWNED void *in = make_random(d.precision, count);
				OWNED long double *wanted = by_definition(context, d.kind, d.direction, d.precision,
				                                          &few[i], in);
				against(context, &d, in, wanted, count);
			}
	xct_context_free(context);
}

/* The DCT2 down the columns, in place. */
static void down(xct_context *context, long double *x, size_t rows, size_t cols, int inverse)
{
	xct_descriptor d = frame_descriptor("cpu-definition-lines", XCT_DCT2, (xct_direction)inverse,
	                                    XCT_LONG_DOUBLE, &(xc_transform_size){1, 1, rows});
	xct_plan *plan = NULL;

	d.batch = d.in_stride[0] = d.out_stride[0] = cols;
	d.in_distance = d.out_distance = 1;
	CHECK(xct_plan_new(context, &d, &plan) == XCT_OK && xct_execute(plan, x, x) == XCT_OK, "%s",
	      xct_context_message(context));
	xct_plan_free(plan);
}

/* `apart`: from a pair to the next one of its line, of n; the line begins at x. */
static void dft(long double *x, size_t n, size_t apart, int inverse)
{
	OWNED long double *sums = make(XCT_LONG_DOUBLE, 2 * n);

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++) {
			const long double angle = (inverse ? 2 : -2) * acosl(-1) * (long double)(i * k % n) /
			                          (long double)n;
			const long double *const z = x + 2 * apart * i;
			sums[2 * k] += z[0] * cosl(angle) - z[1] * sinl(angle);
			sums[2 * k + 1] += z[0] * sinl(angle) + z[1] * cosl(angle);
		}
	for (size_t k = 0; k < 2 * n; k++)
		x[2 * apart * (k / 2) + k % 2] = sums[k];
}

static void plane(xct_context *context, const char *name, int way, size_t rows, size_t cols)
{
	const xc_transform_size size = {1, rows, cols};
	const xct_kind kind = strstr(name, "complex") ? XCT_COMPLEX_FFT : XCT_MATRIX_PRODUCT;
	const xct_descriptor d = frame_descriptor(name, kind, (xct_direction)(way & 1),
	                                          way & 2 ? XCT_FLOAT64 : XCT_FLOAT32, &size);
	OWNED void *in = make_random(d.precision, rows * cols);
	OWNED long double *wanted = make(XCT_LONG_DOUBLE, rows * cols);

	for (size_t i = 0; i < rows * cols; i++)
		wanted[i] = xc_sample_get(in, d.precision, i);
	if (kind == XCT_MATRIX_PRODUCT)
		down(context, wanted, rows, cols, way & 1);
	for (size_t y = 0; y < rows && kind == XCT_COMPLEX_FFT; y++)
		dft(wanted + y * cols, cols / 2, 1, way & 1);
	for (size_t x = 0; x < cols / 2 && kind == XCT_COMPLEX_FFT; x++)
		dft(wanted + 2 * x, rows, cols / 2, way & 1);
	against(context, &d, in, wanted, rows * cols);
}

static void products_and_pairs(void)
{
	static const char *const names[] = {"gpu-product", "gpu-product-plain", "gpu-fft-complex"};
	xct_context *const context = xct_context_new();

	for (int i = 0; i < 12; i++) {
		plane(context, names[i % 3], i / 3, 13, 18);
		plane(context, names[i % 3], i / 3, 200, 40);
	}
	xct_context_free(context);
}

/* A measurement gives times, and a plan that cannot be made says why. */
static void measuring(void)
{
	const xc_transform_size size = {1, 256, 256};
	const xc_algorithm *algorithm = xc_algorithm_find("gpu-aan");
	xc_plan *plan = plan_of(algorithm, XCT_FORWARD, XCT_FLOAT32, &size, 1);
	void *in = make_random(XCT_FLOAT32, xc_transform_samples(&size));
	double seconds[3] = {0};

	REQUIRE(plan && !xc_plan_failure(plan), "no plan");
	CHECK(!algorithm->device->measure(plan, in, 3, seconds), "%s", xc_plan_failure(plan));
	for (int i = 0; i < 3; i++)
		CHECK(seconds[i] > 0 && seconds[i] < 1, "%g s", seconds[i]);
	xc_plan_free(plan);
	free(in);
	const xc_transform_size huge = {1, (size_t)1 << 24, (size_t)1 << 24};
	plan = plan_of(algorithm, XCT_FORWARD, XCT_FLOAT32, &huge, 1);
	CHECK(plan && xc_plan_failure(plan), "2^50 bytes are there");
	xc_plan_free(plan);
}

/* What libxct does at once, or on several GPUs: batches, and four dimensions, in host memory. */
static void batch_of(xct_context *context, const xct_descriptor *wanted)
{
	xct_descriptor d = *wanted, reference = *wanted;
	size_t count = d.batch;
	xct_plan *plan = NULL, *other = NULL;

	reference.algorithm = d.kind == XCT_BLOCK_DCT ? "cpu-naive" : "cpu-definition-lines";
	reference.device = XCT_CPU;
	reference.devices = 0;
	for (int i = 0; i < d.dimensions; i++)
		count *= d.size[i];
	OWNED void *in = make_random(d.precision, count), *values = make(d.precision, count);
	OWNED void *found = make(d.precision, count);
	CHECK(xct_plan_new(context, &reference, &other) == XCT_OK &&
	          xct_execute(other, in, values) == XCT_OK,
	      "%s", xct_context_message(context));
	const xct_status status = xct_plan_new(context, &d, &plan);
	if (status != XCT_ERR_DEVICE || d.devices < 2) /* there is one GPU alone */
		CHECK(status == XCT_OK && xct_execute(plan, in, found) == XCT_OK &&
		          relative_error(values, found, d.precision, count) < 1e-6L,
		      "%s, %d dimensions, %zu arrays, %d devices: %s, %Lg", d.algorithm, d.dimensions,
		      d.batch, d.devices, xct_context_message(context),
		      relative_error(values, found, d.precision, count));
	xct_plan_free(plan);
	xct_plan_free(other);
}

static void batches(void)
{
	static const size_t sizes_of[][4] = {{3, 4, 5, 6}, {5, 1, 2, 30}, {7, 18, 9, 4}};
	xct_context *const context = xct_context_new();

	for (int i = 0; i < 48; i++) {
		xct_descriptor d;
		xct_descriptor_default(&d);
		d.kind = i & 16 ? XCT_DST4 : XCT_DCT2;
		d.algorithm = "gpu-fft-lines";
		d.dimensions = 1 + i % 4;
		d.batch = (size_t[]){1, 3, 5}[i % 3];
		d.direction = (xct_direction)(i / 4 % 2);
		d.device = 0;
		d.devices = i / 8 % 2 * 2;
		memcpy(d.size, sizes_of[i % 3], sizeof d.size);
		batch_of(context, &d);
		d.kind = XCT_BLOCK_DCT;
		d.algorithm = "gpu-aan";
		d.dimensions = 2;
		d.size[0] = 24;
		d.size[1] = 16;
		batch_of(context, &d);
	}
	xct_context_free(context);
}

static int wanted(const xc_algorithm *algorithm, char **names)
{
	int any = !*names;

	for (; *names; names++)
		any |= !strncmp(algorithm->is.name, *names, strlen(*names));
	return any;
}

int main(int argc, char **argv)
{
	static const xct_precision precisions[] = {XCT_INT16, XCT_FLOAT16, XCT_FLOAT32, XCT_FLOAT64};
	char text[XC_DEVICE_MESSAGE];

	if (xc_algorithm_find("gpu-aan")->device->usable(xc_algorithm_find("gpu-aan"), 0, text)) {
		printf("# skipped: %s\n", text);
		return CHECK_SKIPPED;
	}
	printf("# on %s\n", text);
	if (!use_level("avx2")) {
		printf("# skipped: this processor has no fused multiply-adds to compare with\n");
		return CHECK_SKIPPED;
	}
	for (const xc_algorithm *const *a = xc_gpu_algorithms; *a; a++) {
		if (!wanted(*a, argv + (argc > 0)))
			continue;
		if ((*a)->device->usable(*a, 0, text)) {
			check_begin("%s", (*a)->is.name);
			check_skip("%s", text);
			check_end();
			continue;
		}
		for (size_t p = 0; p < sizeof precisions / sizeof *precisions; p++)
			if ((*a)->is.precisions & (unsigned)precisions[p] &&
			    (*a)->is.kinds != 1u << XCT_COMPLEX_FFT &&
			    (*a)->is.kinds != 1u << XCT_MATRIX_PRODUCT)
				all_sizes(*a, precisions[p]);
	}
	if (argc < 2)
		RUN(measuring);
	if (argc < 2 &&
	    !xc_algorithm_find("gpu-dmm")->device->usable(xc_algorithm_find("gpu-dmm"), 0, text))
		RUN(definitions, products_and_pairs, batches);
	return check_done();
}
