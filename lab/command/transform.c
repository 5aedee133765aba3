/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec transform: any algorithm of the registry on arrays from files. */
#include "lab/command/common.h"

#include "lab/command/arrays.h"
#include "cli/base/io.h"
#include "cli/base/json.h"
#include "cli/base/report.h"

#include <stdio.h>
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

static const xc_cli_choice depths[] = {{"8", 8}, {"16", 16}, {NULL, 0}};

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "list", .letter = 'l', .type = XC_CLI_FLAG, .offset = IN(list), .low = 1,
	  .help = "list the algorithms" },
	{ .name = "precision", .letter = 'p', .type = XC_CLI_CHOICE, .offset = IN(precision),
	  .choices = xc_cli_precisions,
	  .help = "bits to work with, 128 being long double; default: what a data file says, 32 "
	          "for other files" },
	{ .name = "slices", .type = XC_CLI_INT, .offset = IN(slices), .low = 1, .high = INT32_MAX,
	  .value = "N", .help = "take the rows of an array as those of N slices of a volume" },
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
	          "precisions it works" },
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
	{ .name = "algorithm", .letter = 'a', .type = XC_CLI_TEXT, .offset = IN(algorithm),
	  .value = "NAME", .help = "any whole-frame DCT of the list; default cpu-fft2d" },
	{ .name = NULL }
};
/* clang-format on */

static void print_precisions(unsigned precisions)
{
	for (int p = XC_PRECISION_16; p <= XC_PRECISION_80; p *= 2)
		if (precisions & (unsigned)p)
			printf(" %d", xc_precision_bits((xc_precision)p));
}

static void print_algorithm(const xc_algorithm *a, int verbose)
{
	if (!verbose) {
		printf("%-26s %s\n", a->name, a->summary);
		return;
	}
	printf("%s\n  %s\n  %s\n  scaling: %s\n  bits:", a->name, a->summary, a->source, a->scaling);
	print_precisions(a->precisions);
	printf("%s\n", a->threaded ? "; threads" : "");
}

static void print_list(int verbose)
{
	char why[XC_DEVICE_MESSAGE] = "";

	for (const xc_algorithm *const *a = xc_cpu_algorithms; *a; a++)
		print_algorithm(*a, verbose);
	for (const xc_algorithm *const *a = xc_gpu_algorithms; *a; a++) {
		char text[XC_DEVICE_MESSAGE];
		const int usable = !(*a)->device->usable(*a, text);

		/* Algorithms that fail alike share one line. */
		if (!usable && strcmp(text, why) != 0)
			printf("-- unusable: %s\n", strcpy(why, text));
		print_algorithm(*a, verbose);
		if (usable && verbose)
			printf("  runs on: %s\n", text);
	}
}

typedef struct job {
	const xc_cli_transform *settings;
	const xc_algorithm *algorithm;
	xc_direction direction;
	int threads;
	const char *name; /* of the input */
	FILE *report;
	xc_cli_json *json; /* NULL: text */
} job;

static void report(const job *j, const xc_data_set *set, const xc_plan *plan, xc_cli_clock time)
{
	const xc_algorithm_device *device = j->algorithm->device;
	const xc_device_times t = device ? device->times(plan) : (xc_device_times){0};
	const char *direction = j->direction == XC_FORWARD ? "forward" : "inverse";
	const int bits = xc_precision_bits(set->precision);
	xc_cli_json *json = j->json;

	if (!json) {
		fprintf(j->report, "%s %s, %zu x %zu, %d bits, ", j->algorithm->name, direction, set->cols,
		        set->rows, bits);
		if (device)
			fprintf(j->report, "upload %.6f s, kernel %.6f s, download %.6f s: ", t.upload,
			        t.kernel, t.download);
		else
			fprintf(j->report, "%d thread%s: ", j->threads, j->threads > 1 ? "s" : "");
		fprintf(j->report, "wall %.6f s, cpu %.6f s\n", time.wall, time.cpu);
		return;
	}
	xc_cli_json_inline_object(json, NULL);
	xc_cli_json_text(json, "algorithm", j->algorithm->name);
	xc_cli_json_text(json, "direction", direction);
	xc_cli_json_integer(json, "width", set->cols);
	xc_cli_json_integer(json, "height", set->rows);
	xc_cli_json_integer(json, "bits", (uint64_t)bits);
	if (device) {
		xc_cli_json_number(json, "upload_s", t.upload);
		xc_cli_json_number(json, "kernel_s", t.kernel);
		xc_cli_json_number(json, "download_s", t.download);
	} else {
		xc_cli_json_integer(json, "threads", (uint64_t)j->threads);
	}
	xc_cli_json_number(json, "wall_s", time.wall);
	xc_cli_json_number(json, "cpu_s", time.cpu);
	xc_cli_json_end_object(json);
}

/* Returns -1 after reporting that the device failed. */
static int device_failed(const job *j, const xc_plan *plan)
{
	const char *why = xc_plan_failure(plan);

	return why ? xc_cli_error(j->algorithm->name, "%s", why) : 0;
}

/* The array as a volume, if it is one. */
static int shape(const job *j, const xc_data_set *set, xc_transform_size *size)
{
	const size_t slices = (size_t)j->settings->slices;

	*size = (xc_transform_size){slices, set->rows / slices, set->cols};
	if (set->rows % slices == 0)
		return 0;
	return xc_cli_error(j->name, "%zu rows are not those of %zu slices", set->rows, slices);
}

static int impossible(const job *j, const xc_data_set *set)
{
	if (j->algorithm->precisions & (unsigned)set->precision)
		return xc_cli_error(j->name, "%s does not take %zu x %zu in %d slice%s", j->algorithm->name,
		                    set->cols, set->rows, j->settings->slices,
		                    j->settings->slices > 1 ? "s" : "");
	return xc_cli_error(j->name, "%s does not work with %d bits (see --precision)",
	                    j->algorithm->name, xc_precision_bits(set->precision));
}

/* Transforms, timed.  A device transforms twice, because the first run loads its code. */
static int execute(const job *j, const xc_plan *plan, const xc_data_set *set, xc_data_set *result)
{
	if (device_failed(j, plan))
		return -1;
	/* Every page exists before the clock runs. */
	memset(result->samples, 0, result->rows * result->cols * xc_precision_bytes(result->precision));
	if (j->algorithm->device)
		xc_plan_execute(plan, set->samples, result->samples);
	xc_cli_clock start = xc_cli_clock_now();
	xc_plan_execute(plan, set->samples, result->samples);
	start = xc_cli_clock_since(start);
	if (device_failed(j, plan))
		return -1;
	report(j, set, plan, start);
	return 0;
}

/* Appends the transform of array number `index` of `in` to `out`. */
static int transform(const job *j, const xc_cli_arrays *in, size_t index, xc_cli_arrays *out)
{
	const xc_data_set *set = &in->set[index];
	xc_data_kind kind = j->algorithm->kind == XC_KIND_LAPPED ? XC_DATA_LOT : XC_DATA_DCT;
	xc_transform_size in_size, out_size;
	int failed;

	if (shape(j, set, &in_size))
		return -1;
	if (!(j->algorithm->precisions & (unsigned)set->precision) ||
	    j->algorithm->output_size(j->direction, &in_size, &out_size))
		return impossible(j, set);
	/* Transforms of whole frames hold up to two more arrays. */
	const uint64_t more = j->algorithm->kind == XC_KIND_FRAME
	                          ? 2 * (uint64_t)set->rows * set->cols *
	                                xc_precision_bytes(set->precision)
	                          : 0;
	if (!xc_cli_arrays_allowed(j->name, &j->settings->limits, in->held + out->held + more,
	                           out_size.slices * out_size.rows, out_size.cols, set->precision))
		return -1;
	xc_data_set *result = xc_cli_arrays_add(out, kind, out_size.slices * out_size.rows,
	                                        out_size.cols, set->precision);
	xc_plan *plan = xc_plan_new(j->algorithm, j->direction, set->precision,
	                            j->direction == XC_FORWARD ? &in_size : &out_size, j->threads);
	if (result && plan)
		failed = execute(j, plan, set, result);
	else
		failed = xc_cli_error(j->name, "out of memory for %zu x %zu, or the size is not possible",
		                      set->cols, set->rows);
	xc_plan_free(plan);
	return failed;
}

static int transform_file(const job *j, char **paths)
{
	const xc_file_format format = xc_cli_arrays_format(paths[1]);
	xc_cli_arrays in, out = {.set = NULL};
	xc_cli_output to;

	if (xc_cli_output_start(&to, paths[1], j->settings->force, (const char *const *)paths, 1))
		return XC_CLI_FAILED;
	int failed = xc_cli_arrays_read(paths[0], &j->settings->limits, j->settings->precision, &in);
	for (size_t i = 0; i < in.count && !failed; i++)
		failed = transform(j, &in, i, &out);
	const uint32_t depth = j->settings->depth ? (uint32_t)j->settings->depth
	                       : in.depth == 16   ? 16
	                                          : 8;
	xc_cli_arrays_free(&in); /* the file takes its place */
	if (!failed)
		failed = xc_cli_arrays_write(&to, format, depth, j->settings->clip, &out);
	xc_cli_output_end(&to, 0);
	xc_cli_arrays_free(&out);
	return failed ? XC_CLI_FAILED : XC_CLI_DONE;
}

static int run_transform(const xc_cli_command *self, const xc_cli_transform *s, char **operands)
{
	job j = {.settings = s,
	         .name = xc_cli_input_name(operands[1]),
	         /* standard output may be the data's */
	         .report = strcmp(operands[2], "-") ? stdout : stderr};
	xc_cli_json json;

	if (!strcmp(operands[3], "inverse"))
		j.direction = XC_INVERSE;
	else if (strcmp(operands[3], "forward") != 0)
		return xc_cli_misuse(self, "'%s' is neither forward nor inverse", operands[3]);
	j.algorithm = xc_cli_algorithm(self->name, operands[0]);
	if (!j.algorithm)
		return XC_CLI_USAGE;
	if (xc_cli_arrays_refused(operands[2]))
		return xc_cli_misuse(self, "'%s' is named as a picture of a kind that is not written here",
		                     operands[2]);
	if (j.direction == XC_FORWARD && xc_cli_arrays_is_picture(xc_cli_arrays_format(operands[2])))
		return xc_cli_misuse(self, "coefficients go to a text file or to PFM, not to '%s'",
		                     operands[2]);
	j.threads = xc_cli_transform_threads(&s->limits);
	if (j.threads < 0)
		return XC_CLI_FAILED;
	if (!j.algorithm->threaded)
		j.threads = 1;
	if (xc_cli_transform_threads_start(j.threads))
		return XC_CLI_FAILED;
	if (!s->json)
		return transform_file(&j, operands + 1);
	j.json = &json;
	xc_cli_json_start(&json, j.report);
	xc_cli_json_array(&json, NULL);
	int status = transform_file(&j, operands + 1);
	xc_cli_json_end_array(&json);
	return status;
}

static int run_threshold(const xc_cli_command *self, const xc_cli_transform *s, int operands,
                         char **paths)
{
	if (operands != 2)
		return xc_cli_misuse(self, "threshold wants IN OUT");
	if ((s->epsilon < 0) == (s->fraction < 0))
		return xc_cli_misuse(self, "threshold wants either --epsilon or --keep");
	if (s->slices > 1 || s->depth)
		return xc_cli_misuse(self, "threshold knows no %s", s->depth ? "--depth" : "slices");
	return xc_cli_threshold(s, paths);
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	xc_cli_transform s = {.slices = 1, .epsilon = -1, .fraction = -1};
	const xc_cli_group groups[] = {{"Options", options, &s},
	                               {"Options of threshold", threshold_options, &s},
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
		print_list(s.verbose);
		return XC_CLI_DONE;
	}
	if (operands > 0 && !strcmp(argv[1], "threshold"))
		return run_threshold(self, &s, operands - 1, argv + 2);
	if (operands != 4)
		return xc_cli_misuse(self, "wants %s", self->operands);
	if (s.epsilon >= 0 || s.fraction >= 0 || s.algorithm)
		return xc_cli_misuse(self, "--epsilon, --keep and --algorithm are for threshold");
	return run_transform(self, &s, argv + 1);
}

const xc_cli_command xc_lab_transform = {
	.name = "transform",
	.operands = "ALGORITHM IN OUT forward|inverse",
	.min_operands = 0,
	.max_operands = 4,
	.description =
		"Transforms each array of IN and prints the wall clock time and the processor time of "
		"the transform alone. A file is text (sets that begin with !dct:N:M:precision or "
		"!lot:N:M:precision), PFM, or a picture, each of whose channels is an array; OUT is "
		"PFM if its name ends in .pfm, after an inverse transform a picture if it ends in " XC_CLI_IF_PNG(
			".png, ") ".pgm, .ppm, .pnm, .pam or .bmp, and otherwise text. "
					  "\"-\" is standard input or output.\n\n"
					  "xcodec transform threshold IN OUT compresses a picture as a whole: it transforms "
					  "each channel, drops small coefficients, transforms back, writes OUT, and prints how "
					  "many coefficients were kept and the PSNR.",
	.run = run,
};
