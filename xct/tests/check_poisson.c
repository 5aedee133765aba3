/* SPDX-License-Identifier: BSD-2-Clause */
/* The potential and the field of a density: against what is known in closed form, and the sums of xct.h in long double. */
#include "xct/tests/arrays.h"

static const long double pi = 3.141592653589793238462643383279502884L;
static const xct_precision precisions[] = {XCT_FLOAT32, XCT_FLOAT64, XCT_LONG_DOUBLE};
static const char *const names[] = {"potential", "force_x", "force_y"};

/* Against wanted[0 ... 2].  Errors count over the largest value of the potential or of both forces, since one that
 * is 0 is not exact, or over `scale` times the lowest frequency's 1 / square, or its root, if that is more. */
static void solve(xct_context *context, const xct_poisson_descriptor *d, const long double *density,
                  long double *const wanted[3], long double scale, const char *what)
{
	const size_t count = d->rows * d->columns;
	void *const in = allocate(count, d->precision);
	void *out[3];
	xct_poisson *p;

	for (size_t i = 0; i < count; i++)
		xc_sample_put(in, d->precision, i, density[i]);
	for (int i = 0; i < 3; i++)
		out[i] = allocate(count, d->precision);
	REQUIRE(xct_poisson_new(context, d, &p) == XCT_OK, "%s", xct_context_message(context));
	CHECK(xct_poisson_execute(p, in, out[0], out[1], out[2]) == XCT_OK, "%s",
	      xct_context_message(context));
	xct_poisson_free(p);
	for (int i = 0; i < 3; i++) {
		const long double wide = d->columns * (long double)d->column_step / pi;
		const long double high = d->rows * (long double)d->row_step / pi;
		const long double lowest = fmaxl(d->columns > 1 ? wide : 0, d->rows > 1 ? high : 0);
		long double worst = 0, largest = scale * (i ? lowest : lowest * lowest);
		for (size_t s = 0; s < count; s++) {
			worst = fmaxl(worst, fabsl(xc_sample_get(out[i], d->precision, s) - wanted[i][s]));
			largest = fmaxl(largest, fabsl(wanted[i][s]));
			if (i)
				largest = fmaxl(largest, fabsl(wanted[3 - i][s]));
		}
		CHECK(worst <= tolerance(d->precision) * (largest > 0 ? largest : 1),
		      "%s, %zux%zu, %d bits, %s: %Lg of %Lg", what, d->rows, d->columns,
		      xc_precision_bits(d->precision), names[i], worst, largest);
		free(out[i]);
	}
	free(in);
}

/* cos(p x) cos(q y) with p and q 0, the lowest and the highest frequency; a constant, which has no potential, is
 * added.  A density's rounding errors have parts of low frequencies, whose potential is large, so that errors
 * count over that of a density of 1 at the lowest frequency. */
static void cosines(void)
{
	static const size_t sizes[][2] = {{8, 8}, {5, 9}, {16, 7}, {1, 12}, {10, 1}, {1, 1}, {33, 64}};
	xct_context *const context = xct_context_new();
	xct_poisson_descriptor d;

	xct_poisson_default(&d);
	d.estimate = 1;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (int i = 0; i < 3 * 9; i++) {
			const size_t rows = sizes[s][0], columns = sizes[s][1], count = rows * columns;
			const size_t us[3] = {0, columns > 1, columns - 1}, vs[3] = {0, rows > 1, rows - 1};
			const size_t u = us[i % 3], v = vs[i / 3 % 3];
			d.rows = rows;
			d.columns = columns;
			d.row_step = i % 2 ? 1 : 0.25;
			d.column_step = i % 2 ? 1 : 3;
			d.precision = precisions[i / 9];
			const long double p = pi * (long double)u / (columns * (long double)d.column_step);
			const long double q = pi * (long double)v / (rows * (long double)d.row_step);
			const long double square = u + v ? p * p + q * q : 1;
			long double *const density = allocate(count, XCT_LONG_DOUBLE), *wanted[3];
			for (int w = 0; w < 3; w++)
				wanted[w] = allocate(count, XCT_LONG_DOUBLE);
			for (size_t at = 0; at < count && u + v; at++) {
				const long double x = (at % columns + 0.5L) * (long double)d.column_step;
				const long double y = (at / columns + 0.5L) * (long double)d.row_step;
				density[at] = cosl(p * x) * cosl(q * y);
				wanted[0][at] = density[at] / square;
				wanted[1][at] = p * sinl(p * x) * cosl(q * y) / square;
				wanted[2][at] = q * cosl(p * x) * sinl(q * y) / square;
			}
			for (size_t at = 0; at < count; at++)
				density[at] += 0.5L;
			solve(context, &d, density, wanted, 1, "a cosine");
			for (int w = 0; w < 3; w++)
				free(wanted[w]);
			free(density);
		}
	xct_context_free(context);
}

/* cos or sin of pi k (n + 1/2) / size */
static long double wave(int sine, size_t size, size_t k, size_t n)
{
	const long double angle = pi * (long double)((2 * n + 1) * k % (4 * size)) /
	                          (2 * (long double)size);
	return sine ? sinl(angle) : cosl(angle);
}

/* The sums of xct.h, term by term. */
static void define(const xct_poisson_descriptor *d, const long double *density,
                   long double *const wanted[3])
{
	const size_t rows = d->rows, columns = d->columns, count = rows * columns;
	const long double norm = 2 / sqrtl((long double)count);

	for (size_t k = 1; k < count; k++) {
		const size_t u = k % columns, v = k / columns;
		const long double c = norm * (u ? 1 : sqrtl(0.5L)) * (v ? 1 : sqrtl(0.5L));
		const long double p = pi * (long double)u / (columns * (long double)d->column_step);
		const long double q = pi * (long double)v / (rows * (long double)d->row_step);
		long double a = 0;
		for (size_t i = 0; i < count; i++)
			a += c * density[i] * wave(0, columns, u, i % columns) * wave(0, rows, v, i / columns);
		a *= c / (p * p + q * q);
		for (size_t i = 0; i < count; i++) {
			const size_t x = i % columns, y = i / columns;
			wanted[0][i] += a * wave(0, columns, u, x) * wave(0, rows, v, y);
			wanted[1][i] += a * p * wave(1, columns, u, x) * wave(0, rows, v, y);
			wanted[2][i] += a * q * wave(0, columns, u, x) * wave(1, rows, v, y);
		}
	}
}

static void definitions(void)
{
	static const size_t sizes[][2] = {{7, 5}, {16, 16}, {13, 24}, {20, 9}};
	xct_context *const context = xct_context_new();
	xct_poisson_descriptor d;
	uint64_t state = 3;

	xct_poisson_default(&d);
	d.row_step = 2;
	d.column_step = 0.5;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const size_t count = sizes[s][0] * sizes[s][1];
		long double *const density = allocate(count, XCT_LONG_DOUBLE), *wanted[3];
		d.rows = sizes[s][0];
		d.columns = sizes[s][1];
		for (int w = 0; w < 3; w++)
			wanted[w] = allocate(count, XCT_LONG_DOUBLE);
		for (size_t i = 0; i < count; i++)
			density[i] = 1 + sample(&state);
		define(&d, density, wanted);
		for (int i = 0; i < 3; i++) {
			d.precision = precisions[i];
			solve(context, &d, density, wanted, 0, "random");
		}
		for (int w = 0; w < 3; w++)
			free(wanted[w]);
		free(density);
	}
	xct_context_free(context);
}

/* Threads, outputs that are not wanted, and a density that is replaced change nothing. */
static void ways(void)
{
	enum { ROWS = 40, COLUMNS = 50, COUNT = ROWS * COLUMNS };
	xct_context *const context = xct_context_new();
	xct_poisson_descriptor d;
	static float density[COUNT], first[3][COUNT], out[3][COUNT];
	uint64_t state = 4;

	for (int i = 0; i < COUNT; i++)
		density[i] = (float)sample(&state);
	xct_poisson_default(&d);
	d.rows = ROWS;
	d.columns = COLUMNS;
	d.estimate = 1;
	for (int wanted = 15; wanted >= 0; wanted--) {
		xct_poisson *p;
		d.threads = 1 + wanted % 4;
		memset(out, 0, sizeof out);
		memcpy(out[0], density, sizeof density);
		REQUIRE(xct_poisson_new(context, &d, &p) == XCT_OK, "%s", xct_context_message(context));
		CHECK(xct_poisson_execute(p, wanted & 8 ? out[0] : density, wanted & 1 ? out[0] : NULL,
		                          wanted & 2 ? out[1] : NULL, wanted & 4 ? out[2] : NULL) == XCT_OK,
		      "%s", xct_context_message(context));
		xct_poisson_free(p);
		if (wanted == 15)
			memcpy(first, out, sizeof first);
		for (int i = 0; i < 3; i++)
			CHECK(!(wanted & 1 << i) || !memcmp(first[i], out[i], sizeof density), "%d: %s differs",
			      wanted, names[i]);
	}
	xct_context_free(context);
}

static void refused(void)
{
	xct_context *const context = xct_context_new();
	xct_poisson_descriptor good, d;
	xct_poisson *p;
	float x[4] = {0};

	xct_poisson_default(NULL);
	xct_poisson_free(NULL);
	xct_poisson_default(&good);
	CHECK(xct_poisson_new(context, &good, &p) == XCT_ERR_ARGUMENT && !p, "no rows");
	good.rows = good.columns = 2;
	CHECK(xct_poisson_new(NULL, &good, &p) == XCT_ERR_ARGUMENT && !p, "no context");
	CHECK(xct_poisson_new(context, NULL, &p) == XCT_ERR_ARGUMENT && !p, "no descriptor");
	CHECK(xct_poisson_new(context, &good, NULL) == XCT_ERR_ARGUMENT, "no place");
	d = good;
	d.row_step = 0;
	CHECK(xct_poisson_new(context, &d, &p) == XCT_ERR_ARGUMENT && !p, "no step");
	d.row_step = 1e9;
	d.column_step = 1e-9;
	CHECK(xct_poisson_new(context, &d, &p) == XCT_ERR_ARGUMENT && !p, "steps too far apart");
	d = good;
	d.rows = d.columns = (size_t)1 << (sizeof(size_t) * 4);
	CHECK(xct_poisson_new(context, &d, &p) != XCT_OK && !p, "larger than memory");
	d = good;
	d.precision = XCT_INT16;
	CHECK(xct_poisson_new(context, &d, &p) == XCT_ERR_UNSUPPORTED && !p &&
	          *xct_context_message(context),
	      "integers");
	CHECK(xct_poisson_execute(NULL, x, x, NULL, NULL) == XCT_ERR_ARGUMENT, "no plan");
	REQUIRE(xct_poisson_new(context, &good, &p) == XCT_OK, "%s", xct_context_message(context));
	CHECK(xct_poisson_execute(p, NULL, x, NULL, NULL) == XCT_ERR_ARGUMENT, "no density");
	CHECK(xct_poisson_execute(p, x, NULL, NULL, NULL) == XCT_OK, "nothing wanted");
	xct_poisson_free(p);
	xct_context_free(context);
}

int main(void)
{
	RUN(cosines, definitions, ways, refused);
	return check_done();
}
