/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures the kernels alone, by the device's own clock, from and to arrays that are on the
 * device already and together too large for its caches; a copy of the same bytes in the same
 * way; and upload and download as the processor's arrays need them.
 */
#include "lab/command/bench.h"

#include "cli/base/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Frames up to this size are compared with what the processor finds. */
enum { CHECK_MAX = 1 << 20 };

typedef struct gpu_table {
	xc_bench_report *report;
	xc_bench_columns columns;
	xc_bench_group group; /* the cases of one algorithm at a time */
	int runs, lines;
	double copy;   /* seconds a byte, read and written */
	double fft[2]; /* R2C and C2R */
} gpu_table;

static int is_copy(const xct_algorithm *algorithm)
{
	return algorithm->kinds == 1u << XCT_COPY;
}

/* The processor's algorithm of the same name, less what a GPU adds to it; NULL if this build has none.  Plain
 * products would take minutes. */
static const xct_algorithm *twin(const xct_algorithm *algorithm)
{
	const xct_algorithm *found = NULL;
	char name[64], *end = name;

	snprintf(name, sizeof name, "cpu%s", algorithm->name + strlen("gpu"));
	while (end && (strstr(name, "-plain") || !(found = xct_algorithm_find(name))))
		if ((end = strrchr(name, '-')))
			*end = '\0';
	return found;
}

static int measure(const gpu_table *t, xc_bench_case *c)
{
	xct_context *const context = t->group.context;
	xct_status status = XCT_ERR_MEMORY;

	c->wall = calloc((size_t)t->runs, sizeof *c->wall);
	if (c->wall)
		status = xct_measure(c->plan, c->input, t->runs, c->wall);
	if (status != XCT_OK)
		return xc_cli_error(c->algorithm->name, "%s",
		                    c->wall ? xct_context_message(context) : "out of memory");
	c->runs = t->runs;
	xc_bench_sum_up(c);
	if (xc_cli_is_yardstick(c->algorithm))
		return 0;
	/* The first run loads the code.  The processor's time is that of the second. */
	status = xct_execute(c->plan, c->input, t->group.output);
	const xc_cli_clock start = xc_cli_clock_now();
	if (status == XCT_OK)
		status = xct_execute(c->plan, c->input, t->group.output);
	c->cpu = xc_cli_clock_since(start).cpu;
	if (status != XCT_OK)
		return xc_cli_error(c->algorithm->name, "%s", xct_context_message(context));
	xct_plan_times(c->plan, &c->times);
	const xct_algorithm *reference = twin(c->algorithm);
	if (reference && xc_cli_samples(&c->in) <= CHECK_MAX)
		c->error = xc_bench_error_of(&t->group, c, reference,
		                             c->precision == XCT_FLOAT16 ? XCT_LONG_DOUBLE : c->precision,
		                             &c->same);
	return 0;
}

/* A call with the arrays in memory takes this. */
static double with_transfer(const xc_bench_case *c)
{
	return c->times.upload + c->times.kernel + c->times.download;
}

/* The processor's time of the same run over the GPU's: its kernels alone, or with the copies. */
static double speed_up(const gpu_table *t, const xc_bench_case *c, int copies)
{
	return xc_bench_kept_time(t->report, twin(c->algorithm), &t->group, c) /
	       (copies ? with_transfer(c) : c->median);
}

static void print_kernels(const gpu_table *t, const xc_bench_case *c, double share, double to_fft)
{
	printf(" %9.4f %9.4f %9.4f %7.0f %6.1f", 1e3 * c->median, 1e3 * c->mean, 1e3 * c->deviation,
	       1e-9 * c->bytes / c->median, 100 * share);
	xc_bench_print_ratio(to_fft, 6);
	if (c->times.kernel > 0)
		printf(" %9.3f %9.3f %9.3f", 1e3 * c->times.upload, 1e3 * c->times.download, 1e3 * c->cpu);
	else
		printf(" %9s %9s %9s", "-", "-", "-");
	printf(" %9.3f", 1e3 * c->planned);
	xc_bench_print_ratio(speed_up(t, c, 0), 7);
	xc_bench_print_ratio(speed_up(t, c, 1), 7);
	if (c->same)
		printf("  same bits\n");
	else
		xc_bench_print_error(c->error);
}

static void print_stages(const xc_bench_case *c)
{
	const double *const s = c->times.stage;

	printf(" %9.4f", 1e3 * c->median);
	for (int i = 0; i < 3; i++)
		printf(" %9.4f %5.1f", 1e3 * s[i], 100 * s[i] / (s[0] + s[1] + s[2]));
	putchar('\n');
}

static double flops(const xc_bench_case *c)
{
	xct_plan_info info;

	xct_plan_describe(c->plan, &info);
	const xct_operations *const o = &info.operations;
	return o->additions + o->multiplications + 2 * o->multiply_adds + o->scaling;
}

static void print_flops(const xc_bench_case *c)
{
	const double count = flops(c), all = with_transfer(c);

	printf(" %11.3f %9.4f %10.1f %9.4f %10.1f\n", 1e-6 * count, 1e3 * c->median,
	       1e-9 * count / c->median, 1e3 * all, 1e-9 * count / all);
}

static void print(gpu_table *t, const xc_bench_case *c, double share, double to_fft)
{
	static const char *const titles[] = {
		"   kernel      mean deviation    GB/s  %copy   /FFT    upload  download       CPU      plan "
		" faster  copied  error",
		"      all    before     %       FFT     %     after     %",
		"      Mflop    kernel    Gflop/s  with copies Gflop/s",
	};
	char size[XC_BENCH_SIZE_NAME];

	if (t->columns == XC_BENCH_STAGES && !(c->times.stage[1] > 0))
		return; /* it has none */
	if (t->columns == XC_BENCH_FLOPS && !(flops(c) > 0 && with_transfer(c) > 0))
		return;
	if (!t->lines++) {
		printf("%s%s on the GPU; milliseconds\n", t->report->tables++ ? "\n" : "",
		       xc_bench_size_name(&t->group.size, size));
		printf("%-22s %-7s %4s %s\n", "algorithm", "", "bits", titles[t->columns]);
	}
	printf("%-22s %-7s %4d", c->algorithm->name, xc_bench_direction(c->direction),
	       xc_precision_bits(c->precision));
	if (t->columns == XC_BENCH_STAGES)
		print_stages(c);
	else if (t->columns == XC_BENCH_FLOPS)
		print_flops(c);
	else
		print_kernels(t, c, share, to_fft);
	fflush(stdout);
}

static double positive(double value)
{
	return value > 0 ? value : NAN;
}

static void report(gpu_table *t, const xc_bench_case *c)
{
	const double share = t->copy * c->bytes / c->median;
	const double fft = !xc_cli_is_banded(c->algorithm) ? t->fft[c->direction] : 0;
	const double to_fft = fft > 0 ? c->median / fft : NAN;
	xc_cli_json *json = &t->report->json;

	if (!t->report->as_json) {
		print(t, c, share, to_fft);
		return;
	}
	xc_bench_json_case(json, "gpu", &t->group, c);
	xc_cli_json_number(json, "kernel", c->median);
	xc_cli_json_number(json, "kernel_mean", c->mean);
	xc_cli_json_number(json, "kernel_deviation", c->deviation);
	xc_cli_json_number(json, "bytes", c->bytes);
	xc_cli_json_number(json, "share_of_copy", positive(share));
	xc_cli_json_number(json, "to_fft", to_fft);
	xc_cli_json_number(json, "upload", positive(c->times.upload));
	xc_cli_json_number(json, "download", positive(c->times.download));
	xc_cli_json_number(json, "before_fft", positive(c->times.stage[0]));
	xc_cli_json_number(json, "fft", positive(c->times.stage[1]));
	xc_cli_json_number(json, "after_fft", positive(c->times.stage[2]));
	xc_cli_json_number(json, "flops", positive(flops(c)));
	xc_cli_json_number(json, "cpu", positive(c->cpu));
	xc_cli_json_number(json, "plan", c->planned);
	xc_cli_json_number(json, "faster_than_cpu", speed_up(t, c, 0));
	xc_cli_json_number(json, "faster_with_copies", speed_up(t, c, 1));
	xc_cli_json_number(json, "error", c->error);
	xc_cli_json_end_object(json);
}

/* Both directions, as far as there are two. */
static int add(gpu_table *t, const xct_algorithm *algorithm, xct_precision precision)
{
	const int copy = is_copy(algorithm);
	int status = 0;

	if (!(algorithm->precisions & (unsigned)precision) ||
	    xct_algorithm_usable(t->group.context, algorithm, 0, NULL) != XCT_OK)
		return 0;
	if (xc_bench_add(&t->group, algorithm, precision) < 0)
		status = xc_cli_error(algorithm->name, "out of memory");
	for (size_t i = 0; i < (copy ? 1 : t->group.count) && !status; i++) {
		xc_bench_case *c = &t->group.cases[i];

		status = measure(t, c);
		if (status)
			break;
		if (copy)
			t->copy = c->median / c->bytes;
		if (algorithm->kinds == 1u << XCT_REAL_FFT)
			t->fft[c->direction] = c->median;
		report(t, c);
	}
	xc_bench_drop(&t->group);
	return status;
}

static int any(const xct_algorithm *const *list, xct_precision precision)
{
	while (*list && !((*list)->gpu && ((*list)->precisions & (unsigned)precision)))
		list++;
	return *list != NULL;
}

static int measure_all(gpu_table *t, const xct_algorithm *const *list, xct_precision precision)
{
	if (!any(list, precision))
		return 0;
	int status = add(t, xct_algorithm_find("gpu-copy"), precision);
	if (!status)
		status = add(t, xct_algorithm_find("cufft-real-fft"), precision);
	/* One that fails does not stop the others. */
	for (; *list; list++)
		if ((*list)->gpu && !xc_cli_is_yardstick(*list) && add(t, *list, precision))
			status = -1;
	return status;
}

int xc_bench_device(xc_bench_report *report, xc_bench_columns columns,
                    const xct_algorithm *const *list, const xc_cli_size *size,
                    xct_precision precision, int runs)
{
	gpu_table table = {.report = report, .columns = columns, .runs = runs};
	int status = 0;

	if (xc_bench_start(&table.group, size, 1, -1))
		return xc_cli_error("bench", "out of memory");
	/* What works in 16 bits only comes last. */
	if (precision != XCT_INT16)
		status = measure_all(&table, list, precision);
	if (!status && precision != XCT_FLOAT64 && precision != XCT_FLOAT16)
		status = measure_all(&table, list, XCT_INT16);
	xc_bench_free(&table.group);
	return status;
}

int xc_bench_device_usable(const xct_algorithm *const *list, char why[256])
{
	xct_context *const context = xct_context_new();
	int usable = 0;

	snprintf(why, 256, "no algorithm for a GPU is named");
	for (; context && *list && !usable; list++)
		if ((*list)->gpu) {
			usable = xct_algorithm_usable(context, *list, 0, NULL) == XCT_OK;
			snprintf(why, 256, "%s", xct_context_message(context));
		}
	xct_context_free(context);
	return usable;
}
