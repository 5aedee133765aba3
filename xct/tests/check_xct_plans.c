/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libxct's plans and contexts: batches, strides, threads, in place, at once; what is refused, and NULL everywhere.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "xct/tests/arrays.h"

/* -------------------------------------------------------- layouts, batches */

/* Three arrays of 5 x 7 samples, every second row and third column of a larger one, to columns: the
 * transform of each as if it were alone; in threads; and in place. */
static void layouts(void)
{
	enum { ROWS = 5, COLS = 7, COUNT = ROWS * COLS, BATCH = 3, ROOM = 400 };
	xct_context *const context = xct_context_new();
	xct_descriptor alone, d;
	uint64_t state = 9;
	float in[ROOM], out[ROOM], dense[COUNT];
	xct_plan *plan;

	xct_descriptor_default(&alone);
	alone.kind = XCT_DST3;
	alone.dimensions = 2;
	alone.size[0] = ROWS;
	alone.size[1] = COLS;
	alone.scaling = XCT_UNSCALED;
	d = alone;
	d.batch = BATCH;
	d.in_stride[0] = 2 * 25;
	d.in_stride[1] = 3;
	d.in_distance = 1;
	d.out_stride[0] = 1;
	d.out_stride[1] = ROWS;
	d.out_distance = COUNT + 2;
	for (int threads = 1; threads <= 4; threads++) {
		for (int i = 0; i < ROOM; i++) {
			in[i] = (float)sample(&state);
			out[i] = 77;
		}
		d.threads = threads;
		REQUIRE(xct_plan_new(context, &d, &plan) == XCT_OK, "%s", xct_context_message(context));
		CHECK(xct_execute(plan, in, out) == XCT_OK, "%s", xct_context_message(context));
		xct_plan_free(plan);
		int wrong = 0, touched = 0;
		for (int b = 0; b < BATCH; b++) {
			for (int i = 0; i < COUNT; i++)
				dense[i] = in[b + i / COLS * 50 + i % COLS * 3];
			float *const wanted = transformed(context, &alone, dense, COUNT);
			for (int i = 0; wanted && i < COUNT; i++)
				wrong += out[b * (COUNT + 2) + i % COLS * ROWS + i / COLS] != wanted[i];
			free(wanted);
		}
		for (int i = 0; i < ROOM; i++)
			touched += (i >= BATCH * (COUNT + 2) || i % (COUNT + 2) >= COUNT) && out[i] != 77;
		CHECK(!wrong && !touched, "%d threads: %d wrong, %d touched", threads, wrong, touched);
	}
	/* In place, and an algorithm that needs memory for that. */
	d = alone;
	d.batch = BATCH;
	d.scaling = XCT_ORTHONORMAL;
	d.algorithm = xct_algorithm_find("cpu-fftw-frame") ? "cpu-fftw-frame" : "cpu-definition-lines";
	float *const wanted = transformed(context, &d, in, BATCH * COUNT);
	REQUIRE(xct_plan_new(context, &d, &plan) == XCT_OK, "%s", xct_context_message(context));
	CHECK(xct_execute(plan, in, in) == XCT_OK && wanted &&
	          !memcmp(in, wanted, BATCH * COUNT * sizeof *in),
	      "in place differs");
	free(wanted);
	xct_plan_free(plan);
	d.in_distance = 50;
	REQUIRE(xct_plan_new(context, &d, &plan) == XCT_OK, "%s", xct_context_message(context));
	CHECK(xct_execute(plan, in, in) == XCT_ERR_ARGUMENT, "in place, and laid out otherwise");
	xct_plan_free(plan);
	xct_context_free(context);
}

/* Large and many arrays: any number of threads gives the same bits. */
static void threads(void)
{
	static const size_t sizes[][2] = {{16, 24}, {400, 300}};
	xct_context *const context = xct_context_new();
	uint64_t state = 2;

	for (int s = 0; s < 2; s++) {
		const size_t batch = s ? 2 : 40, count = batch * sizes[s][0] * sizes[s][1];
		float *const in = allocate(count, XCT_FLOAT32);
		for (size_t i = 0; i < count; i++)
			in[i] = (float)sample(&state);
		for (int kind = XCT_DCT1; kind <= XCT_BLOCK_DCT; kind++) {
			xct_descriptor d;
			xct_plan_info info;
			xct_descriptor_default(&d);
			d.kind = (xct_kind)kind;
			d.dimensions = 2;
			d.size[0] = sizes[s][0];
			d.size[1] = sizes[s][1];
			d.batch = batch;
			d.estimate = 1;
			if (kind == XCT_REAL_FFT || xct_describe(context, &d, &info) == XCT_ERR_UNSUPPORTED)
				continue;
			d.algorithm = kind == XCT_BLOCK_DCT ? "cpu-aan-openmp" : info.algorithm->name;
			const size_t room = batch * info.out_size[0] * info.out_size[1];
			void *const one = transformed(context, &d, in, room);
			d.threads = 3;
			void *const three = transformed(context, &d, in, room);
			CHECK(one && three && !memcmp(one, three, room * sizeof(float)),
			      "kind %d: 3 threads differ", kind);
			free(one);
			free(three);
		}
		free(in);
	}
	xct_context_free(context);
}

/* ----------------------------------------------------------------- errors */

/* Sizes that cannot be are refused by every algorithm, not tried. */
static void impossible_sizes(void)
{
	static const size_t sizes[][2] = {
		{0, 8},
		{8, 0},
		{SIZE_MAX / 2, 8},
		{8, SIZE_MAX / 2},
		{SIZE_MAX / 8, 1},
		{(size_t)1 << 31, (size_t)1 << 31},
		{(size_t)1 << 31, 1},
	};
	xct_context *const context = xct_context_new();
	const xct_algorithm *a;

	for (size_t i = 0; (a = xct_algorithm_at(i)) != NULL; i++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			const int banded = a->bands != 0,
					  yardstick = a->kinds & (1u << XCT_COPY | 1u << XCT_REAL_FFT);
			xct_descriptor d;
			xct_plan *plan;
			if (a->gpu || yardstick || (banded && s == 6))
				continue; /* that one takes no more than 32 GiB */
			xct_descriptor_default(&d);
			d.algorithm = a->name;
			d.kind = (xct_kind)(a->kinds & 1u << XCT_DCT2 ? XCT_DCT2 : __builtin_ctz(a->kinds));
			d.precision = a->precisions & XCT_FLOAT64 ? XCT_FLOAT64 : XCT_INT16;
			d.bands = (int)(a->bands & -a->bands);
			d.dimensions = 2;
			memcpy(d.size, sizes[s], sizeof sizes[s]);
			CHECK(xct_plan_new(context, &d, &plan) != XCT_OK && !plan,
			      "%s made a plan for size %zu", a->name, s);
			xct_plan_free(plan);
		}
	xct_context_free(context);
}

static void refused(void)
{
	xct_context *const context = xct_context_new();
	xct_descriptor good, d;
	xct_plan *plan;
	xct_plan_info info;

	xct_descriptor_default(&good);
	good.dimensions = 2;
	good.size[0] = good.size[1] = 16;
	CHECK(xct_describe(context, &good, &info) == XCT_OK && info.algorithm, "%s",
	      xct_context_message(context));
#define REFUSED(status, member, value) \
	do { \
		d = good; \
		d.member = value; \
		CHECK(xct_plan_new(context, &d, &plan) == status && !plan && \
		          *xct_context_message(context), \
		      #member " = " #value ": %s", xct_context_message(context)); \
	} while (0)
	REFUSED(XCT_ERR_ARGUMENT, kind, (xct_kind)99);
	REFUSED(XCT_ERR_ARGUMENT, direction, (xct_direction)2);
	REFUSED(XCT_ERR_ARGUMENT, precision, (xct_precision)3);
	REFUSED(XCT_ERR_ARGUMENT, precision, (xct_precision)0);
	REFUSED(XCT_ERR_UNSUPPORTED, precision, XCT_FLOAT16);
	REFUSED(XCT_ERR_ARGUMENT, scaling, (xct_scaling)9);
	REFUSED(XCT_ERR_ARGUMENT, dimensions, 0);
	REFUSED(XCT_ERR_ARGUMENT, dimensions, 5);
	REFUSED(XCT_ERR_ARGUMENT, size[1], 0);
	REFUSED(XCT_ERR_ARGUMENT, size[1], SIZE_MAX / 4);
	REFUSED(XCT_ERR_ARGUMENT, bands, 12);
	REFUSED(XCT_ERR_ARGUMENT, batch, 0);
	REFUSED(XCT_ERR_ARGUMENT, batch, SIZE_MAX / 4);
	REFUSED(XCT_ERR_ARGUMENT, threads, 0);
	REFUSED(XCT_ERR_ARGUMENT, threads, 5000);
	REFUSED(XCT_ERR_ARGUMENT, memory, XCT_DEVICE);
	REFUSED(XCT_ERR_ARGUMENT, in_stride[0], 3);
	REFUSED(XCT_ERR_ARGUMENT, algorithm, "cpu-none");
	REFUSED(XCT_ERR_UNSUPPORTED, algorithm, "cpu-aan");
	REFUSED(XCT_ERR_UNSUPPORTED, algorithm, "gpu-fft2d");
	good.kind = XCT_IDCT_IDXST;
	good.size[2] = 2;
	REFUSED(XCT_ERR_UNSUPPORTED, dimensions, 3);
	good.kind = XCT_TDLT;
	REFUSED(XCT_ERR_ARGUMENT, scaling, XCT_UNSCALED);
	good.kind = XCT_DST2;
	REFUSED(XCT_ERR_ARGUMENT, scaling, XCT_MATLAB);
	REFUSED(XCT_ERR_ARGUMENT, scaling, XCT_JIANG);
	good.kind = XCT_DCT1;
	REFUSED(XCT_ERR_ARGUMENT, size[0], 1);
	CHECK(xct_plan_new(context, &good, &plan) == XCT_OK && !*xct_context_message(context),
	      "the good one");
	double seconds;
	CHECK(xct_measure(plan, &good, 1, &seconds) == XCT_ERR_ARGUMENT, "measured");
	xct_plan_free(plan);
	xct_context_free(context);
}

static void nulls(void)
{
	xct_context *const context = xct_context_new();
	xct_descriptor d;
	xct_plan *plan = NULL;
	xct_plan_info info;
	xct_times times;
	double seconds;
	float x[4] = {1, 2, 3, 4};

	xct_context_free(NULL);
	xct_plan_free(NULL);
	xct_release(NULL);
	xct_descriptor_default(NULL);
	xct_descriptor_default(&d);
	d.dimensions = 1;
	d.size[0] = 4;
	CHECK(!*xct_context_message(NULL), "a message");
	CHECK(!xct_algorithm_find(NULL) && !xct_algorithm_find("none") && !xct_algorithm_at(1000),
	      "an algorithm");
	CHECK(xct_plan_new(NULL, &d, &plan) == XCT_ERR_ARGUMENT && !plan, "no context");
	CHECK(xct_plan_new(context, NULL, &plan) == XCT_ERR_ARGUMENT, "no descriptor");
	CHECK(xct_plan_new(context, &d, NULL) == XCT_ERR_ARGUMENT, "no plan");
	CHECK(xct_describe(NULL, &d, &info) == XCT_ERR_ARGUMENT &&
	          xct_describe(context, NULL, &info) == XCT_ERR_ARGUMENT &&
	          xct_describe(context, &d, NULL) == XCT_ERR_ARGUMENT,
	      "described");
	CHECK(xct_algorithm_usable(NULL, NULL, 0, NULL) == XCT_ERR_ARGUMENT &&
	          xct_algorithm_usable(context, NULL, 0, NULL) == XCT_ERR_ARGUMENT &&
	          xct_algorithm_usable(context, xct_algorithm_at(0), 0, NULL) == XCT_OK,
	      "usable");
	CHECK(xct_execute(NULL, x, x) == XCT_ERR_ARGUMENT, "no plan");
	CHECK(xct_plan_describe(NULL, &info) == XCT_ERR_ARGUMENT &&
	          xct_plan_times(NULL, &times) == XCT_ERR_ARGUMENT &&
	          xct_measure(NULL, x, 1, &seconds) == XCT_ERR_ARGUMENT,
	      "no plan");
	REQUIRE(xct_plan_new(context, &d, &plan) == XCT_OK, "%s", xct_context_message(context));
	CHECK(xct_execute(plan, NULL, x) == XCT_ERR_ARGUMENT &&
	          xct_execute(plan, x, NULL) == XCT_ERR_ARGUMENT,
	      "no array");
	CHECK(xct_plan_describe(plan, NULL) == XCT_ERR_ARGUMENT &&
	          xct_plan_times(plan, NULL) == XCT_ERR_ARGUMENT,
	      "no result");
	CHECK(xct_plan_times(plan, &times) == XCT_OK && times.kernel == 0, "times");
	xct_plan_free(plan);
	for (int s = 0; s < 12; s++)
		CHECK(*xct_status_string((xct_status)s), "status %d", s);
	char *const memory = xct_allocate(3 << 20);
	CHECK(memory && (uintptr_t)memory % 64 == 0 && !memory[3 << 19], "memory");
	xct_release(memory);
	CHECK(!xct_allocate(SIZE_MAX), "that much memory");
	xct_context_free(context);
}

/* Larsen's table 3.1: what two dimensions of a block take. */
static void operations(void)
{
	xct_context *const context = xct_context_new();
	xct_descriptor d;
	xct_plan *plan;
	xct_plan_info info;

	xct_descriptor_default(&d);
	d.kind = XCT_BLOCK_DCT;
	d.dimensions = 2;
	d.size[0] = 8;
	d.size[1] = 9; /* two blocks */
	d.algorithm = "cpu-aan";
	REQUIRE(xct_plan_new(context, &d, &plan) == XCT_OK, "%s", xct_context_message(context));
	CHECK(xct_plan_describe(plan, &info) == XCT_OK && info.operations.additions == 2 * 464 &&
	          info.operations.multiplications == 2 * 80 && info.operations.scaling == 128 &&
	          info.out_size[1] == 16,
	      "%g additions", info.operations.additions);
	xct_plan_free(plan);
	xct_context_free(context);
}

/* ------------------------------------------------------------ out of memory */

/* The linker sends the library's allocations here (--wrap); number `failing` from 0 fails. */
static atomic_long failing = -1;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static int fails(void)
{
	return failing >= 0 && failing-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

/* Each allocation of each algorithm's plan fails once, in layouts that need all memory there can be. */
static void out_of_memory(void)
{
	xct_context *const context = xct_context_new();
	const xct_algorithm *a;
	float in[2400], out[2000]; /* bands have up to 32 rows of 40 */

	memset(in, 0, sizeof in);
	for (size_t i = 0; (a = xct_algorithm_at(i)) != NULL; i++)
		for (int direction = 0; direction < 2; direction++) {
			xct_descriptor d;
			xct_plan *plan = NULL;
			long n = 0;
			if (a->gpu)
				continue;
			xct_descriptor_default(&d);
			d.algorithm = a->name;
			d.kind = (xct_kind)(a->kinds & 1u << XCT_DCT2 ? XCT_DCT2 : __builtin_ctz(a->kinds));
			d.direction = (xct_direction)direction;
			d.precision = a->precisions & XCT_FLOAT32 ? XCT_FLOAT32 : XCT_INT16;
			d.scaling = d.kind == XCT_DCT2 ? XCT_UNSCALED : XCT_ORTHONORMAL;
			d.bands = (int)(a->bands & -a->bands);
			d.dimensions = 2;
			d.size[0] = 20;
			d.size[1] = 12;
			d.in_stride[0] = 40;
			d.in_stride[1] = 1;
			d.batch = 2;
			d.in_distance = 20 * 40;
			d.threads = 2;
			d.estimate = 1;
			for (int made = 0; !made && n < 100; n++) {
				failing = n;
				const xct_status status = xct_plan_new(context, &d, &plan);
				made = status == XCT_OK;
				if (!made && status != XCT_ERR_MEMORY)
					break;
				CHECK(made == !!plan, "%s: a plan after a failure", a->name);
			}
			failing = -1;
			CHECK(plan && n > 2, "%s: %ld allocations: %s", a->name, n,
			      xct_context_message(context));
			if (plan && d.precision == XCT_FLOAT32)
				CHECK(xct_execute(plan, in, out) == XCT_OK, "%s: %s", a->name,
				      xct_context_message(context));
			xct_plan_free(plan);
		}
	xct_poisson_descriptor field;
	xct_poisson *poisson = NULL;
	xct_poisson_default(&field);
	field.rows = field.columns = 20;
	field.estimate = 1;
	for (long n = 0; !poisson && n < 100; n++) {
		failing = n;
		const xct_status status = xct_poisson_new(context, &field, &poisson);
		CHECK(status == XCT_ERR_MEMORY || (status == XCT_OK && n > 8), "poisson: %d", (int)status);
	}
	failing = -1;
	xct_poisson_free(poisson);
	failing = 0;
	CHECK(!xct_context_new(), "a context without memory");
	failing = -1;
	xct_context_free(context);
}

static void *work(void *failed)
{
	xct_context *const context = xct_context_new();
	uint64_t state = 4;

	for (size_t n = 60; n < 90; n++) {
		xct_descriptor d;
		float *const in = allocate(n * n, XCT_FLOAT32);
		xct_plan *plan = NULL;
		for (size_t i = 0; i < n * n; i++)
			in[i] = (float)sample(&state);
		xct_descriptor_default(&d);
		d.dimensions = 2;
		d.size[0] = d.size[1] = n;
		d.estimate = 1;
		d.threads = 2;
		if (xct_plan_new(context, &d, &plan) != XCT_OK || xct_execute(plan, in, in) != XCT_OK)
			*(int *)failed = 1;
		xct_plan_free(plan);
		free(in);
	}
	xct_context_free(context);
	return NULL;
}

/* Contexts in threads of their own plan and run at once. */
static void contexts(void)
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	int failed[THREADS] = {0};

	for (int i = 0; i < THREADS; i++)
		REQUIRE(!pthread_create(&thread[i], NULL, work, &failed[i]), "no thread");
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		CHECK(!failed[i], "thread %d", i);
	}
}

int main(void)
{
	RUN(layouts, threads, impossible_sizes, refused, nulls, operations, out_of_memory, contexts);
	return check_done();
}
