/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec compare: how much two pictures differ. */
#include "cli/base/command.h"

#include "cli/base/json.h"
#include "cli/base/picture.h"
#include "cli/base/progress.h"
#include "cli/base/report.h"

#include <string.h>

typedef struct settings {
	int json, verbosity;
	xc_cli_limits limits;
} settings;

typedef struct measures {
	xc_comparison comparison;
	double ms_ssim_y;
} measures;

static void print_json(const measures *m)
{
	const xc_comparison *c = &m->comparison;
	static const char *const channels[] = {"r", "g", "b", "a"};
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_object(&json, NULL);
	xc_cli_json_integer(&json, "width", c->width);
	xc_cli_json_integer(&json, "height", c->height);
	xc_cli_json_integer(&json, "depth", c->depth);
	xc_cli_json_boolean(&json, "identical", c->identical);
	xc_cli_json_number(&json, "psnr_rgb", c->psnr_rgb);
	xc_cli_json_number(&json, "psnr_y", c->psnr_y);
	xc_cli_json_inline_object(&json, "psnr_channels");
	for (int i = 0; i < 3 + !!c->has_alpha; i++)
		xc_cli_json_number(&json, channels[i], c->psnr_channel[i]);
	xc_cli_json_end_object(&json);
	xc_cli_json_number(&json, "mse", c->mse);
	xc_cli_json_integer(&json, "max_abs_diff", c->max_abs_diff);
	xc_cli_json_number(&json, "ssim_y", c->ssim_y);
	xc_cli_json_number(&json, "ms_ssim_y", m->ms_ssim_y);
	xc_cli_json_end_object(&json);
}

static void print_text(const measures *m)
{
	const xc_comparison *c = &m->comparison;
	static const char *const channels[] = {"PSNR red", "PSNR green", "PSNR blue", "PSNR alpha"};

	printf("%-22s %u x %u, %u bits a sample\n", "Size", c->width, c->height, c->depth);
	printf("%-22s %s\n", "Identical", c->identical ? "yes" : "no");
	xc_cli_print_decibels(stdout, "PSNR RGB", c->psnr_rgb);
	xc_cli_print_decibels(stdout, "PSNR luma", c->psnr_y);
	for (int i = 0; i < 3 + !!c->has_alpha; i++)
		xc_cli_print_decibels(stdout, channels[i], c->psnr_channel[i]);
	printf("%-22s %.6g\n", "MSE", c->mse);
	printf("%-22s %u\n", "Largest difference", c->max_abs_diff);
	printf("%-22s %.6f\n", "SSIM luma", c->ssim_y);
	printf("%-22s %.6f\n", "MS-SSIM luma", m->ms_ssim_y);
}

static int compare(xc_context *context, char **paths, const xc_picture *a, const xc_picture *b,
                   measures *result)
{
	const char *name = xc_cli_input_name(paths[1]);

	if (a->width != b->width || a->height != b->height)
		return xc_cli_error(name, "is %u x %u pixels, but %s is %u x %u", b->width, b->height,
		                    xc_cli_input_name(paths[0]), a->width, a->height);
	if (xc_cli_check(name, context, xc_compare(context, a, b, &result->comparison)))
		return -1;
	return xc_cli_check(name, context, xc_ms_ssim(context, a, b, &result->ms_ssim_y));
}

/* Reads both and compares; the three steps share one progress line. */
static int work(const settings *s, xc_context *context, char **paths, measures *result)
{
	xc_cli_progress progress;
	const xc_cli_reader reader = {context, &s->limits, NULL, &progress, 1};
	xc_cli_picture read[2] = {{.file_bytes = 0}};
	int failed = 0;

	xc_cli_progress_start(&progress, context, s->verbosity, "comparing",
	                      xc_cli_input_name(paths[1]));
	for (int i = 0; i < 2 && !failed; i++) {
		xc_cli_progress_part(&progress, i / 3.0, 1.0 / 3);
		failed = xc_cli_picture_read(&reader, paths[i], XC_FILE_UNKNOWN, &read[i]);
	}
	xc_cli_progress_part(&progress, 2.0 / 3, 1.0 / 3);
	if (!failed)
		failed = compare(context, paths, &read[0].picture, &read[1].picture, result);
	for (int i = 0; i < 2; i++)
		xc_cli_picture_free(context, &read[i]);
	xc_cli_progress_stop(&progress, context);
	return failed;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {0};
	const xc_cli_group groups[] = {{"Options", xc_cli_json_options, &s.json},
	                               {NULL, xc_cli_quiet_options, &s.verbosity},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, NULL, NULL}};
	measures result;
	int operands, status;

	xc_cli_limits_default(&s.limits);
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status >= 0)
		return status;
	if (!strcmp(argv[1], "-") && !strcmp(argv[2], "-"))
		return xc_cli_misuse(self, "only one of A and B can be standard input");
	if (s.verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	xc_context *context = xc_cli_context(&s.limits);
	if (context)
		status = work(&s, context, argv + 1, &result);
	xc_context_free(context);
	if (status)
		return XC_CLI_FAILED;
	(s.json ? print_json : print_text)(&result);
	return XC_CLI_DONE;
}

const xc_cli_command xc_cli_compare = {
	.name = "compare",
	.operands = "A B",
	.least = 2,
	.most = 2,
	.summary = "measure how much two pictures differ",
	.description = "Compares the pictures A and B, of any readable format (" XC_CLI_READABLE
				   ", XC). Grey counts as equal red, green and blue, a missing "
				   "alpha as opaque; the smaller depth is scaled up. \"-\" is standard input.",
	.run = run,
};
