/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec transform: any algorithm of libxct on arrays from files. */
#include "lab/command/common.h"

#include "lab/command/arrays.h"
#include "cli/base/array.h"
#include "cli/base/io.h"
#include "cli/base/json.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IN(field) offsetof(xc_cli_transform, field)

static const char *parse_epsilon(const char *text, void *target)
{
	return xc_cli_parse_number(text, 0, 1e30, "a number from 0 up", target);
}

static const char *parse_fraction(const char *text, void *target)
{
	return xc_cli_parse_number(text, 0, 1, "a number from 0 to 1", target);
}

static const char *parse_corner(const char *text, void *target)
{
	const char *rest = xc_cli_parse_array_size(text, 2, INT32_MAX, target);

	return rest && !*rest ? NULL : "a size, such as 64 or 64x32 (width x height)";
}

static const xc_cli_choice band_counts[] = {{"8", 8}, {"16", 16}, {"32", 32}, {NULL, 0}};
static const xc_cli_choice depths[] = {{"8", 8}, {"16", 16}, {NULL, 0}};

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "list", .letter = 'l', .type = XC_CLI_FLAG, .offset = IN(list), .low = 1,
	  .help = "list the algorithms" },
	{ .name = "precision", .letter = 'p', .type = XC_CLI_CHOICE, .offset = IN(precision),
	  .choices = xc_cli_precisions,
	  .help = "bits to work with, 128 being long double, half 16 bits of a GPU's floats; default: what a data file says, 32 "
	          "for other files" },
	{ .name = "raw", .type = XC_CLI_TEXT, .offset = IN(raw), .value = "SPEC",
	  .help = "IN is a file of raw values, such as f32,512x512x300 or u16,1000x800,big+128" },
	{ .name = "slices", .type = XC_CLI_INT, .offset = IN(slices), .low = 1, .high = INT32_MAX,
	  .value = "N", .help = "take the rows of an array as those of N slices of a volume" },
	{ .name = "kind", .type = XC_CLI_CHOICE, .offset = IN(kind), .choices = xc_cli_kinds,
	  .help = "what an algorithm of several kinds does; default dct2" },
	{ .name = "bands", .type = XC_CLI_CHOICE, .offset = IN(bands), .choices = band_counts,
	  .help = "of cpu-block-dct and cpu-lot2; default the least that they do" },
	{ .name = "scaling", .type = XC_CLI_CHOICE, .offset = IN(scaling), .choices = xc_cli_scalings,
	  .help = "of whole arrays and 8x8 DCTs; default orthonormal" },
	{ .name = "depth", .type = XC_CLI_CHOICE, .offset = IN(depth), .choices = depths, .value = "8|16",
	  .help = "bits of a picture's samples after an inverse transform; default: those of a picture IN, else 8" },
	{ .name = "clip", .type = XC_CLI_FLAG, .offset = IN(clip), .low = 1,
	  .help = "cut samples that a picture cannot hold, which are an error otherwise" },
	{ .name = "force", .letter = 'f', .type = XC_CLI_FLAG, .offset = IN(force), .low = 1,
	  .help = "overwrite OUT if it exists" },
	{ .name = "json", .letter = 'j', .type = XC_CLI_FLAG, .offset = IN(json), .low = 1,
	  .help = "print times, or what threshold tells, as JSON" },
	{ .name = "verbose", .letter = 'v', .type = XC_CLI_FLAG, .offset = IN(verbose), .low = 1,
	  .help = "with --list: say of each where it comes from, how it scales, in which "
	          "precisions it works, how many operations it takes" },
	{ .name = NULL }
};

static const xc_cli_option threshold_options[] = {
	{ .name = "epsilon", .type = XC_CLI_CUSTOM, .offset = IN(epsilon),
	  .parse = parse_epsilon, .value = "E",
	  .help = "drop coefficients smaller than E, in units of an orthonormal transform of the "
	          "samples" },
	{ .name = "keep", .type = XC_CLI_CUSTOM, .offset = IN(fraction),
	  .parse = parse_fraction, .value = "FRACTION",
	  .help = "keep that fraction of the coefficients, the largest ones; from 0 to 1" },
	{ .name = "corner", .type = XC_CLI_CUSTOM, .offset = IN(corner), .parse = parse_corner,
	  .value = "WIDTHxHEIGHT",
	  .help = "keep the lowest WIDTH horizontal and HEIGHT vertical frequencies; one number for both" },
	{ .name = "max-error", .type = XC_CLI_CUSTOM, .offset = IN(error), .parse = parse_epsilon,
	  .value = "E", .help = "where OUT is an XC file: no coefficient in it is off by more than E; "
	                        "default 0, nothing is lost" },
	{ .name = "read", .type = XC_CLI_FLAG, .offset = IN(read), .low = 1,
	  .help = "IN is an XC file of coefficients, OUT its picture" },
	{ .name = "algorithm", .letter = 'a', .type = XC_CLI_TEXT, .offset = IN(algorithm),
	  .value = "NAME", .help = "any whole-frame DCT of the list; default cpu-fft2d" },
	{ .name = NULL }
};

static const xc_cli_option poisson_options[] = {
	{ .name = "gpu", .type = XC_CLI_FLAG, .offset = IN(gpu), .low = 1,
	  .help = "work on the first GPU" },
	{ .name = NULL }
};
/* clang-format on */

static void print_precisions(unsigned precisions)
{
	for (int p = XCT_INT16; p <= XCT_LONG_DOUBLE; p *= 2)
		if (precisions & (unsigned)p)
			printf(" %d", xc_precision_bits((xct_precision)p));
	printf("%s", precisions & XCT_FLOAT16 ? " half" : "");
}

static void print_operations(xct_context *context, const xct_algorithm *a)
{
	/* Nothing is measured, so large arrays are planned at once. */
	const size_t side = xc_cli_is_banded(a) ? a->bands & -a->bands : 512;
	const xct_precision precision = a->precisions & XCT_FLOAT64 ? XCT_FLOAT64 : XCT_INT16;
	xct_descriptor d = xc_cli_descriptor(a, -1, XCT_FORWARD, precision,
	                                     &(xc_cli_size){1, side, side});
	xct_plan_info info = {.algorithm = NULL};
	xct_plan *plan;

	d.estimate = 1;
	if (a->gpu || xct_plan_new(context, &d, &plan) != XCT_OK)
		return;
	xct_plan_describe(plan, &info);
	xct_plan_free(plan);
	const xct_operations *const o = &info.operations;
	printf("  operations, %zux%zu: %.0f additions, %.0f multiplications, %.0f multiply-adds", side,
	       side, o->additions, o->multiplications, o->multiply_adds);
	if (o->shifts > 0)
		printf(", %.0f shifts", o->shifts);
	if (o->scaling > 0)
		printf(", %.0f to scale", o->scaling);
	printf("; sum %.0f\n",
	       o->additions + o->multiplications + 2 * o->multiply_adds + o->shifts + o->scaling);
}

static void print_algorithm(xct_context *context, const xct_algorithm *a, int verbose)
{
	if (!verbose) {
		printf("%-26s %s\n", a->name, a->summary);
		return;
	}
	printf("%s\n  %s\n  %s\n  scaling: %s\n  bits:", a->name, a->summary, a->source, a->scaling);
	print_precisions(a->precisions);
	printf("%s\n", a->threads ? "; threads" : "");
	print_operations(context, a);
}

static int print_list(int verbose)
{
	xct_context *const context = xct_context_new();
	const xct_algorithm *a;
	char why[256] = "";

	if (!context)
		return xc_cli_error(NULL, "out of memory");
	for (size_t i = 0; (a = xct_algorithm_at(i)) != NULL; i++) {
		const char *device = "";
		if (xc_cli_is_yardstick(a))
			continue;
		/* Algorithms that fail alike share one line. */
		if (xct_algorithm_usable(context, a, 0, &device) != XCT_OK &&
		    strcmp(xct_context_message(context), why) != 0) {
			snprintf(why, sizeof why, "%s", xct_context_message(context));
			printf("-- unusable: %s\n", why);
		}
		char name[256];
		snprintf(name, sizeof name, "%s", device);
		print_algorithm(context, a, verbose);
		if (*name && verbose)
			printf("  runs on: %s\n", name);
	}
	xct_context_free(context);
	return 0;
}

typedef struct job job;
struct job {
	const xc_cli_transform *settings;
	/* Appends what comes out of array number `index` of `in`. */
	int (*work)(const job *j, const xc_cli_arrays *in, size_t index, xc_cli_arrays *out);
	xct_context *context;
	const xct_algorithm *algorithm;
	xct_direction direction;
	int threads;
	const char *name; /* of the input */
	FILE *report;
	xc_cli_json *json; /* NULL: text */
};

/* What is told of the transform of an array. */
typedef struct told {
	const char *name, *direction;
	const xc_data_set *set;
	int threads;      /* 0: a GPU's, with */
	xct_times device; /* its times */
	xc_cli_clock time;
	double plan; /* seconds: tables, and the planning of FFTs */
} told;

static void tell(const job *j, const told *t)
{
	FILE *const file = j->report;
	xc_cli_json *const json = j->json;
	const int bits = xc_precision_bits(t->set->precision), device = !t->threads;
	const xc_cli_clock *const c = &t->time;

	if (!json) {
		fprintf(file, "%s %s, %zu x %zu, %d bits, ", t->name, t->direction, t->set->cols,
		        t->set->rows, bits);
		if (device)
			fprintf(file, "upload %.6f s, kernel %.6f s, download %.6f s: ", t->device.upload,
			        t->device.kernel, t->device.download);
		else
			fprintf(file, "%d thread%s: ", t->threads, t->threads > 1 ? "s" : "");
		fprintf(file, "wall %.6f s, cpu %.6f s (user %.6f s, system %.6f s), plan %.6f s\n",
		        c->wall, c->cpu, c->user, c->system, t->plan);
		return;
	}
	xc_cli_json_inline_object(json, NULL);
	xc_cli_json_text(json, "algorithm", t->name);
	xc_cli_json_text(json, "direction", t->direction);
	xc_cli_json_integer(json, "width", t->set->cols);
	xc_cli_json_integer(json, "height", t->set->rows);
	xc_cli_json_integer(json, "bits", (uint64_t)bits);
	if (device) {
		xc_cli_json_number(json, "upload_s", t->device.upload);
		xc_cli_json_number(json, "kernel_s", t->device.kernel);
		xc_cli_json_number(json, "download_s", t->device.download);
	} else {
		xc_cli_json_integer(json, "threads", (uint64_t)t->threads);
	}
	xc_cli_json_number(json, "wall_s", c->wall);
	xc_cli_json_number(json, "cpu_s", c->cpu);
	xc_cli_json_number(json, "user_s", c->user);
	xc_cli_json_number(json, "system_s", c->system);
	xc_cli_json_number(json, "plan_s", t->plan);
	xc_cli_json_end_object(json);
}

/* The array as a volume, if it is one. */
static int shape(const job *j, const xc_data_set *set, xc_cli_size *size)
{
	const size_t slices = (size_t)j->settings->slices;

	*size = (xc_cli_size){slices, set->rows / slices, set->cols};
	if (set->rows % slices == 0)
		return 0;
	return xc_cli_error(j->name, "%zu rows are not those of %zu slices", set->rows, slices);
}

static int impossible(const job *j, const xc_data_set *set)
{
	if (j->algorithm->precisions & (unsigned)set->precision)
		return xc_cli_error(j->name, "%s does not take %zu x %zu in %d slice%s: %s",
		                    j->algorithm->name, set->cols, set->rows, j->settings->slices,
		                    j->settings->slices > 1 ? "s" : "", xct_context_message(j->context));
	return xc_cli_error(j->name, "%s does not work with %d bits (see --precision)",
	                    j->algorithm->name, xc_precision_bits(set->precision));
}

/* Transforms, timed.  A device transforms twice, because the first run loads its code. */
static int execute(const job *j, xct_plan *plan, double planned, const xc_data_set *set,
                   xc_data_set *result)
{
	told t = {.name = j->algorithm->name,
	          .direction = j->direction == XCT_FORWARD ? "forward" : "inverse",
	          .set = set,
	          .threads = j->algorithm->gpu ? 0 : j->threads,
	          .plan = planned};

	/* Every page exists before the clock runs. */
	memset(result->samples, 0, result->rows * result->cols * xc_precision_bytes(result->precision));
	xct_status status = XCT_OK;
	if (j->algorithm->gpu)
		status = xct_execute(plan, set->samples, result->samples);
	const xc_cli_clock start = xc_cli_clock_now();
	if (status == XCT_OK)
		status = xct_execute(plan, set->samples, result->samples);
	t.time = xc_cli_clock_since(start);
	if (status != XCT_OK)
		return xc_cli_error(j->algorithm->name, "%s", xct_context_message(j->context));
	xct_plan_times(plan, &t.device);
	tell(j, &t);
	return 0;
}

/* The descriptor for a set, and the size of what comes out of it. */
static int describe(const job *j, const xc_data_set *set, xct_descriptor *d, xc_cli_size *out)
{
	xc_cli_size in;

	if (shape(j, set, &in))
		return -1;
	*out = in;
	/* The inverse gives the whole blocks that the set has, less a border that is stored. */
	if (j->direction == XCT_INVERSE && j->algorithm->kinds == 1u << XCT_LOT_STORED) {
		out->rows = in.rows > 8 ? in.rows - 8 : 0;
		out->cols = in.cols > 8 ? in.cols - 8 : 0;
	}
	if (j->direction == XCT_INVERSE && set->array_rows && xc_cli_is_banded(j->algorithm))
		*out = (xc_cli_size){1, set->array_rows, set->array_cols};
	*d = xc_cli_descriptor(j->algorithm, j->settings->kind, j->direction, set->precision, out);
	d->scaling = (xct_scaling)j->settings->scaling;
	if (j->settings->bands)
		d->bands = j->settings->bands;
	d->threads = j->threads;
	xc_cli_size bands = *out;
	if (xc_cli_bands(j->context, d, &bands) ||
	    (j->direction == XCT_INVERSE && (bands.rows != in.rows || bands.cols != in.cols)))
		return impossible(j, set);
	if (j->direction == XCT_FORWARD)
		*out = bands;
	return 0;
}

static int transform(const job *j, const xc_cli_arrays *in, size_t index, xc_cli_arrays *out)
{
	const xc_data_set *set = &in->set[index];
	xc_data_kind kind = xc_cli_is_lapped(j->algorithm) ? XC_DATA_LOT : XC_DATA_DCT;
	xc_cli_size size;
	xct_descriptor d;

	if (describe(j, set, &d, &size))
		return -1;
	/* Transforms of whole frames hold up to two more arrays. */
	const uint64_t more = xc_cli_is_banded(j->algorithm) ? 0
	                                                     : 2 * (uint64_t)set->rows * set->cols *
	                                                           xc_precision_bytes(set->precision);
	if (!xc_cli_arrays_allowed(j->name, &j->settings->limits, in->held + out->held + more,
	                           size.slices * size.rows, size.cols, set->precision))
		return -1;
	xc_data_set *result = xc_cli_arrays_add(out, kind, size.slices * size.rows, size.cols,
	                                        set->precision);
	xct_plan *plan = NULL;
	if (!result)
		return xc_cli_error(j->name, "out of memory for %zu x %zu", set->cols, set->rows);
	const size_t block = d.bands ? (size_t)d.bands : 1;
	if (j->direction == XCT_FORWARD && (set->rows % block || set->cols % block)) {
		result->array_rows = set->rows;
		result->array_cols = set->cols;
	}
	const double start = xc_cli_seconds();
	if (xct_plan_new(j->context, &d, &plan) != XCT_OK)
		return xc_cli_error(j->name, "%zu x %zu: %s", set->cols, set->rows,
		                    xct_context_message(j->context));
	const int failed = execute(j, plan, xc_cli_seconds() - start, set, result);
	xct_plan_free(plan);
	return failed;
}

/* The potential and the forces of an array; a GPU's first run loads its code. */
static int solve(const job *j, const xc_cli_arrays *in, size_t index, xc_cli_arrays *out)
{
	const xc_data_set *const density = &in->set[index];
	xct_poisson_descriptor d;
	xct_poisson *poisson = NULL;
	void *result[3];
	told t = {.name = "poisson",
	          .direction = j->settings->gpu ? "on a GPU" : "forward",
	          .set = density,
	          .threads = j->threads};

	/* Three arrays, the coefficients, and up to two more of a transform. */
	if (density->rows > SIZE_MAX / 6 ||
	    !xc_cli_arrays_allowed(j->name, &j->settings->limits, in->held + out->held,
	                           6 * density->rows, density->cols, density->precision))
		return -1;
	for (int i = 0; i < 3; i++) {
		xc_data_set *const set = xc_cli_arrays_add(out, density->kind, density->rows, density->cols,
		                                           density->precision);
		if (!set)
			return xc_cli_error(j->name, "out of memory");
		result[i] = set->samples;
	}
	xct_poisson_default(&d);
	d.rows = density->rows;
	d.columns = density->cols;
	d.precision = density->precision;
	d.threads = j->threads;
	d.device = j->settings->gpu ? 0 : XCT_CPU;
	const double start = xc_cli_seconds();
	xct_status status = xct_poisson_new(j->context, &d, &poisson);
	t.plan = xc_cli_seconds() - start;
	for (int run = 0; run < 1 + j->settings->gpu && status == XCT_OK; run++) {
		const xc_cli_clock begin = xc_cli_clock_now();
		status = xct_poisson_execute(poisson, density->samples, result[0], result[1], result[2]);
		t.time = xc_cli_clock_since(begin);
	}
	if (status == XCT_OK)
		tell(j, &t);
	else
		xc_cli_error(j->name, "%zu x %zu: %s", density->cols, density->rows,
		             xct_context_message(j->context));
	xct_poisson_free(poisson);
	return status == XCT_OK ? 0 : -1;
}

static int transform_file(const job *j, char **paths)
{
	xc_cli_arrays in, out = {.set = NULL};
	xc_cli_output to;

	if (xc_cli_output_start(&to, paths[1], j->settings->force, (const char *const *)paths, 1))
		return XC_CLI_FAILED;
	int failed = xc_cli_arrays_read(paths[0], j->settings->raw, &j->settings->limits,
	                                j->settings->precision, &in);
	for (size_t i = 0; i < in.count && !failed; i++)
		failed = j->work(j, &in, i, &out);
	const uint32_t depth = j->settings->depth ? (uint32_t)j->settings->depth
	                       : in.depth == 16   ? 16
	                                          : 8;
	xc_cli_arrays_free(&in); /* the file takes its place */
	if (!failed)
		failed = xc_cli_arrays_write(&to, depth, j->settings->clip, (size_t)j->settings->slices,
		                             &out);
	xc_cli_output_end(&to, 0);
	xc_cli_arrays_free(&out);
	return failed ? XC_CLI_FAILED : XC_CLI_DONE;
}

/* picture: whether OUT may be one, which holds what an inverse transform makes. */
static int run_job(const xc_cli_command *self, job *j, char **paths, int picture)
{
	xc_cli_json json;

	j->name = xc_cli_input_name(paths[0]);
	/* standard output may be the data's */
	j->report = strcmp(paths[1], "-") ? stdout : stderr;
	if (xc_cli_arrays_refused(paths[1]))
		return xc_cli_misuse(self, "'%s' is named as a picture of a kind that is not written here",
		                     paths[1]);
	if (!picture && xc_cli_arrays_is_picture(xc_cli_arrays_format(paths[1])))
		return xc_cli_misuse(self, "%s go to a text file or an array, such as .npy, not to '%s'",
		                     j->algorithm ? "coefficients" : "potential and forces", paths[1]);
	j->threads = xc_cli_transform_threads(&j->settings->limits);
	if (j->threads < 0)
		return XC_CLI_FAILED;
	if (j->algorithm && !j->algorithm->threads)
		j->threads = 1;
	if (xc_cli_transform_threads_start(j->threads))
		return XC_CLI_FAILED;
	j->context = xct_context_new();
	if (!j->context) {
		xc_cli_error(NULL, "out of memory");
		return XC_CLI_FAILED;
	}
	if (j->settings->json) {
		j->json = &json;
		xc_cli_json_start(&json, j->report);
		xc_cli_json_array(&json, NULL);
	}
	const int status = transform_file(j, paths);
	if (j->json)
		xc_cli_json_end_array(&json);
	xct_context_free(j->context);
	return status;
}

static int run_transform(const xc_cli_command *self, const xc_cli_transform *s, char **operands)
{
	job j = {.settings = s, .work = transform};

	if (!strcmp(operands[3], "inverse"))
		j.direction = XCT_INVERSE;
	else if (strcmp(operands[3], "forward") != 0)
		return xc_cli_misuse(self, "'%s' is neither forward nor inverse", operands[3]);
	j.algorithm = xc_cli_algorithm(self->name, operands[0]);
	if (!j.algorithm)
		return XC_CLI_USAGE;
	if (xc_cli_is_yardstick(j.algorithm))
		return xc_cli_misuse(self, "'%s' is for benchmarks", operands[0]);
	return run_job(self, &j, operands + 1, j.direction == XCT_INVERSE);
}

static int run_poisson(const xc_cli_command *self, const xc_cli_transform *s, int operands,
                       char **paths)
{
	job j = {.settings = s, .work = solve};

	if (operands != 2)
		return xc_cli_misuse(self, "poisson wants DENSITY OUT");
	if (s->slices > 1 || s->depth || s->kind >= 0 || s->bands || s->scaling || s->algorithm ||
	    s->epsilon >= 0 || s->fraction >= 0 || s->corner.rows)
		return xc_cli_misuse(self, "poisson knows -f, -j, -p, -t, --gpu, --raw and --max-memory");
	return run_job(self, &j, paths, 0);
}

static int run_threshold(const xc_cli_command *self, const xc_cli_transform *s, int operands,
                         char **paths)
{
	if (operands != 2)
		return xc_cli_misuse(self, "threshold wants IN OUT");
	if ((s->epsilon >= 0) + (s->fraction >= 0) + (s->corner.rows > 0) + s->read != 1)
		return xc_cli_misuse(self,
		                     "threshold wants either --epsilon or --keep or --corner or --read");
	if (s->error >= 0 && (s->read || xc_file_format_by_path(paths[1]) != XC_FILE_XC))
		return xc_cli_misuse(self, "--max-error is for OUT.xc");
	if (s->precision == XCT_LONG_DOUBLE && !s->read &&
	    xc_file_format_by_path(paths[1]) == XC_FILE_XC)
		return xc_cli_misuse(self, "--precision 128: an XC file holds no long double");
	if (s->slices > 1 || s->depth || s->raw || s->gpu)
		return xc_cli_misuse(self, "threshold knows no %s",
		                     s->depth ? "--depth"
		                     : s->raw ? "--raw"
		                     : s->gpu ? "--gpu"
		                              : "slices");
	return xc_cli_threshold(s, paths);
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	xc_cli_transform s = {.slices = 1, .kind = -1, .epsilon = -1, .fraction = -1, .error = -1};
	const xc_cli_group groups[] = {{"Options", options, &s},
	                               {"Options of threshold", threshold_options, &s},
	                               {"Options of poisson", poisson_options, &s},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, NULL, NULL}};
	int operands, status;

	xc_cli_limits_default(&s.limits);
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status >= 0)
		return status;
	if (s.list) {
		if (operands)
			return xc_cli_misuse(self, "--list stands alone");
		return print_list(s.verbose) ? XC_CLI_FAILED : XC_CLI_DONE;
	}
	if (operands > 0 && !strcmp(argv[1], "threshold"))
		return run_threshold(self, &s, operands - 1, argv + 2);
	if (operands > 0 && !strcmp(argv[1], "poisson"))
		return run_poisson(self, &s, operands - 1, argv + 2);
	/* The 2006 program's command line ended in the number of threads. */
	if (operands == 5) {
		char *end;
		const long threads = strtol(argv[5], &end, 10);
		if (*argv[5] < '1' || *argv[5] > '9' || *end || threads > 1024)
			return xc_cli_misuse(self, "'%s' is no number of threads", argv[5]);
		s.limits.threads = (int)threads;
	} else if (operands != 4) {
		return xc_cli_misuse(self, "wants %s", self->operands);
	}
	if (s.epsilon >= 0 || s.fraction >= 0 || s.corner.rows || s.algorithm || s.read ||
	    s.error >= 0 || s.gpu)
		return xc_cli_misuse(self,
		                     "--epsilon, --keep, --corner, --read, --max-error and --algorithm are "
		                     "for threshold, and --gpu for poisson");
	return run_transform(self, &s, argv + 1);
}

const xc_cli_command xc_lab_transform = {
	.name = "transform",
	.operands = "ALGORITHM IN OUT forward|inverse [THREADS]",
	.min_operands = 0,
	.max_operands = 5,
	.description =
		"Transforms each array of IN and prints the wall clock time and the processor time of "
		"the transform alone. A file is text (sets that begin with !dct:N:M:precision or "
		"!lot:N:M:precision), an array (NPY, PFM, SEG-Y, SU, NIfTI, TIFF, with --raw raw values), or a "
		"picture, each of whose channels is an array; OUT is an array if its name ends "
		"in " XC_CLI_ARRAY_SUFFIXES
		", after an inverse transform a picture if it ends in " XC_CLI_IF_PNG(
			".png, ") ".pgm, .ppm, .pnm, .pam or .bmp, and otherwise text. "
					  "\"-\" is standard input or output.\n\n"
					  "xcodec transform threshold IN OUT compresses a picture as a whole: it transforms "
					  "each channel, drops small coefficients, transforms back, writes OUT, and prints how "
					  "many coefficients were kept and the PSNR. OUT.xc holds the coefficients that are kept; "
					  "threshold --read OUT.xc PICTURE makes the picture of them.\n\n"
					  "xcodec transform poisson DENSITY OUT writes three arrays for each one: the electric "
					  "potential of a density with walls around it, and the forces to the right and down.",
	.run = run,
};
