/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the kernels alone, by the device's own clock, from and to arrays that are on the
 * device already and together too large for its caches; a copy of the same bytes in the same
 * way; and upload and download as the processor's arrays need them.
 */
#include "lab/command/bench_device.h"

#include "lab/command/arrays.h"
#include "cli/base/report.h"

#include "lab/gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames up to this size are compared with what the processor finds. */
enum { CHECK_MAX = 1 << 20 };

typedef struct gpu_row {
	const xc_algorithm *algorithm;
	xc_direction direction;
	xc_precision precision;
	xc_transform_size in, out;
	double kernel;         /* median of the runs, seconds */
	xc_device_times times; /* of one execution; all 0: none */
	double error;          /* over the largest value; -1: not known */
	int same;              /* 1: the processor's bits */
} gpu_row;

typedef struct gpu_arrays {
	void *in, *out, *wanted;
	size_t samples;
} gpu_arrays;

static size_t samples_of(const xc_transform_size *size)
{
	return size->slices * size->rows * size->cols;
}

/* ------------------------------------------------------------ comparing */

static double get(const void *samples, size_t i, xc_precision precision)
{
	const xc_data_set set = {.precision = precision, .samples = (void *)samples};

	return xc_cli_array_get(&set, i);
}

static void compare(gpu_row *row, const xc_transform_size *size, const gpu_arrays *a)
{
	const xc_algorithm *reference = xc_lab_twin(row->algorithm);
	const size_t count = samples_of(&row->out);
	double worst = 0, largest = 0;

	/* The processor has no quantized ones. */
	if (!reference || strstr(row->algorithm->name, "-quantized") ||
	    samples_of(&row->in) > CHECK_MAX)
		return;
	xc_plan *plan = xc_plan_new(reference, row->direction, row->precision, size, 1);
	if (!plan)
		return;
	xc_plan_execute(plan, a->in, a->wanted);
	xc_plan_free(plan);
	row->same = !memcmp(a->out, a->wanted, count * xc_precision_bytes(row->precision));
	for (size_t i = 0; i < count; i++) {
		const double wanted = get(a->wanted, i, row->precision);
		const double error = fabs(get(a->out, i, row->precision) - wanted);

		if (!(error <= worst))
			worst = error; /* or not a number, which stays */
		largest = fmax(largest, fabs(wanted));
	}
	row->error = largest > 0 ? worst / largest : -1;
}

/* ------------------------------------------------------------ measuring */

static int by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int failed(const xc_algorithm *algorithm, const char *why)
{
	xc_cli_error(algorithm->name, "%s", why ? why : "out of memory");
	return -1;
}

static int measure_plan(gpu_row *row, const xc_plan *plan, const xc_transform_size *size,
                        const gpu_arrays *a, int runs)
{
	const xc_algorithm_device *device = row->algorithm->device;
	double *seconds = calloc((size_t)runs, sizeof *seconds);
	int status = -1;

	if (!seconds)
		return failed(row->algorithm, NULL);
	if (!xc_plan_failure(plan) && !device->measure(plan, a->in, runs, seconds)) {
		qsort(seconds, (size_t)runs, sizeof *seconds, by_size);
		row->kernel = (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2;
		status = 0;
	}
	free(seconds);
	if (!status && row->algorithm != xc_algorithm_gpu_copy &&
	    row->algorithm != xc_algorithm_gpu_real_fft) {
		xc_plan_execute(plan, a->in, a->out);
		xc_plan_execute(plan, a->in, a->out);
		row->times = device->times(plan);
		status = xc_plan_failure(plan) ? -1 : 0;
		if (!status)
			compare(row, size, a);
	}
	return status ? failed(row->algorithm, xc_plan_failure(plan)) : 0;
}

/* 1: measured; 0: not possible for this size; -1: failed, and reported. */
static int measure(gpu_row *row, const xc_transform_size *size, const gpu_arrays *a, int runs)
{
	xc_transform_size bands;

	if (!(row->algorithm->precisions & (unsigned)row->precision) ||
	    row->algorithm->output_size(XC_FORWARD, size, &bands))
		return 0;
	row->in = row->direction == XC_FORWARD ? *size : bands;
	row->out = row->direction == XC_FORWARD ? bands : *size;
	row->error = -1;
	xc_plan *plan = xc_plan_new(row->algorithm, row->direction, row->precision, size, 1);
	if (!plan)
		return failed(row->algorithm, NULL);
	int status = measure_plan(row, plan, size, a, runs);
	xc_plan_free(plan);
	return status ? -1 : 1;
}

/* ------------------------------------------------------------ reporting */

typedef struct gpu_table {
	const xc_transform_size *size;
	double copy[3]; /* seconds a byte, read and written: of 16, 32 and 64 bits */
	double fft[2];  /* R2C and C2R */
	int lines;
} gpu_table;

static int index_of(xc_precision precision)
{
	return precision == XC_PRECISION_16 ? 0 : precision == XC_PRECISION_32 ? 1 : 2;
}

static double bytes_of(const gpu_row *row)
{
	return (double)(samples_of(&row->in) + samples_of(&row->out)) *
	       (double)xc_precision_bytes(row->precision);
}

static void print(xc_bench_report *report, gpu_table *table, const gpu_row *row)
{
	const double share = table->copy[index_of(row->precision)] * bytes_of(row) / row->kernel;
	const double fft = row->algorithm->kind == XC_KIND_FRAME ? table->fft[row->direction] : 0;

	char size[XC_BENCH_SIZE_NAME];

	if (!table->lines++) {
		printf("%s%s on the GPU; milliseconds\n", report->tables++ ? "\n" : "",
		       xc_bench_size_name(table->size, size));
		printf("%-22s %-7s %4s %9s %7s %6s %6s %9s %9s  %s\n", "algorithm", "", "bits", "kernel",
		       "GB/s", "%copy", "/FFT", "upload", "download", "error");
	}
	printf("%-22s %-7s %4d %9.4f %7.0f %6.1f", row->algorithm->name,
	       row->direction == XC_FORWARD ? "forward" : "inverse", xc_precision_bits(row->precision),
	       1e3 * row->kernel, 1e-9 * bytes_of(row) / row->kernel, 100 * share);
	if (fft > 0)
		printf(" %6.2f", row->kernel / fft);
	else
		printf(" %6s", "-");
	if (row->times.kernel > 0)
		printf(" %9.3f %9.3f", 1e3 * row->times.upload, 1e3 * row->times.download);
	else
		printf(" %9s %9s", "-", "-");
	if (row->same)
		printf("  same bits\n");
	else if (row->error >= 0)
		printf("  %.1e\n", row->error);
	else
		printf("  -\n");
	fflush(stdout);
}

static void positive(xc_cli_json *json, const char *key, double value)
{
	if (value > 0)
		xc_cli_json_number(json, key, value);
	else
		xc_cli_json_null(json, key);
}

static void print_json(xc_cli_json *json, const gpu_table *table, const gpu_row *row)
{
	const double copy = table->copy[index_of(row->precision)] * bytes_of(row);
	const double fft = row->algorithm->kind == XC_KIND_FRAME ? table->fft[row->direction] : 0;

	xc_cli_json_inline_object(json, NULL);
	xc_cli_json_text(json, "table", "gpu");
	xc_cli_json_text(json, "algorithm", row->algorithm->name);
	xc_cli_json_text(json, "direction", row->direction ? "inverse" : "forward");
	xc_cli_json_integer(json, "slices", table->size->slices);
	xc_cli_json_integer(json, "rows", table->size->rows);
	xc_cli_json_integer(json, "columns", table->size->cols);
	xc_cli_json_integer(json, "bits", (uint64_t)xc_precision_bits(row->precision));
	xc_cli_json_number(json, "kernel", row->kernel);
	xc_cli_json_number(json, "bytes", bytes_of(row));
	positive(json, "share_of_copy", copy / row->kernel);
	positive(json, "to_fft", fft > 0 ? row->kernel / fft : 0);
	positive(json, "upload", row->times.upload);
	positive(json, "download", row->times.download);
	if (row->error >= 0)
		xc_cli_json_number(json, "error", row->error);
	else
		xc_cli_json_null(json, "error");
	xc_cli_json_end_object(json);
}

/* Both directions, as far as there are two. */
static int add(xc_bench_report *report, gpu_table *table, const xc_algorithm *algorithm,
               xc_precision precision, const gpu_arrays *a, int runs)
{
	const int copy = algorithm == xc_algorithm_gpu_copy;

	for (int d = 0; d < (copy ? 1 : 2); d++) {
		gpu_row row = {.algorithm = algorithm,
		               .direction = (xc_direction)d,
		               .precision = precision};
		const int status = measure(&row, table->size, a, runs);

		if (status <= 0)
			return status;
		if (copy)
			table->copy[index_of(precision)] = row.kernel / bytes_of(&row);
		if (algorithm == xc_algorithm_gpu_real_fft)
			table->fft[d] = row.kernel;
		if (report->as_json)
			print_json(&report->json, table, &row);
		else
			print(report, table, &row);
	}
	return 0;
}

/* ---------------------------------------------------------------- table */

/* Arrays with room for 8 more rows and columns.  All algorithms transform the same samples:
 * random reals, or random whole numbers in 16 bits. */
static int make(gpu_arrays *a, const xc_transform_size *size, xc_precision precision)
{
	size_t bytes;

	if (__builtin_mul_overflow(size->rows + 8, size->cols + 8, &a->samples) ||
	    __builtin_mul_overflow(a->samples, size->slices, &a->samples) ||
	    __builtin_mul_overflow(a->samples, xc_precision_bytes(precision), &bytes))
		return -1;
	a->in = malloc(bytes);
	a->out = malloc(bytes);
	a->wanted = malloc(a->samples <= 2 * CHECK_MAX ? bytes : 1);
	return a->in && a->out && a->wanted ? 0 : -1;
}

static void fill(const gpu_arrays *a, xc_precision precision)
{
	xc_data_set set = {.precision = precision, .samples = a->in};
	uint64_t state = 1;

	for (size_t i = 0; i < a->samples; i++) {
		const double value = 2 * xc_cli_random(&state) - 1;

		xc_cli_array_put(&set, i, precision == XC_PRECISION_16 ? 127 * value : value);
	}
}

static int takes(const xc_algorithm *algorithm, xc_precision precision)
{
	return algorithm->device && (algorithm->precisions & (unsigned)precision);
}

static int any(const xc_algorithm *const *list, xc_precision precision)
{
	while (*list && !takes(*list, precision))
		list++;
	return *list != NULL;
}

static int measure_all(xc_bench_report *report, gpu_table *table, const gpu_arrays *a,
                       const xc_algorithm *const *list, xc_precision precision, int runs)
{
	char why[XC_DEVICE_MESSAGE];
	int status = add(report, table, xc_algorithm_gpu_copy, precision, a, runs);

	if (!status && !xc_algorithm_gpu_real_fft->device->usable(xc_algorithm_gpu_real_fft, why))
		status = add(report, table, xc_algorithm_gpu_real_fft, precision, a, runs);
	/* One that fails does not stop the others. */
	for (; *list; list++)
		if (takes(*list, precision) && !(*list)->device->usable(*list, why) &&
		    add(report, table, *list, precision, a, runs))
			status = -1;
	return status;
}

int xc_bench_device(xc_bench_report *report, const xc_algorithm *const *list,
                    const xc_transform_size *size, xc_precision precision, int runs)
{
	gpu_table table = {.size = size};
	gpu_arrays a = {.in = NULL};
	char name[XC_BENCH_SIZE_NAME];
	int status = make(&a, size, precision);

	if (status)
		xc_cli_error("bench", "out of memory at %s", xc_bench_size_name(size, name));
	/* What works in 16 bits only comes last. */
	if (!status && precision != XC_PRECISION_16 && any(list, precision)) {
		fill(&a, precision);
		status = measure_all(report, &table, &a, list, precision, runs);
	}
	if (!status && precision != XC_PRECISION_64 && any(list, XC_PRECISION_16)) {
		fill(&a, XC_PRECISION_16);
		status = measure_all(report, &table, &a, list, XC_PRECISION_16, runs);
	}
	free(a.in);
	free(a.out);
	free(a.wanted);
	return status;
}

int xc_bench_device_usable(const xc_algorithm *const *list, char why[XC_DEVICE_MESSAGE])
{
	snprintf(why, XC_DEVICE_MESSAGE, "no algorithm for a GPU is named");
	for (; *list; list++)
		if ((*list)->device && !(*list)->device->usable(*list, why))
			return 1;
	return 0;
}
