/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/compare.h"

#include "cli/base/json.h"
#include "cli/base/report.h"

#include <math.h>
#include <stdio.h>

/* ----------------------------------------------------------------------- JSON */

static void print_json(xc_cli_json *json, const xc_cli_pair *pair)
{
	const xc_comparison *c = &pair->comparison;
	static const char *const channels[] = {"r", "g", "b", "a"};

	xc_cli_json_object(json, NULL);
	xc_cli_json_text(json, "file_a", xc_cli_input_name(pair->paths[0]));
	xc_cli_json_text(json, "file_b", xc_cli_input_name(pair->paths[1]));
	xc_cli_json_integer(json, "width", c->width);
	xc_cli_json_integer(json, "height", c->height);
	xc_cli_json_integer(json, "depth", c->depth);
	xc_cli_json_integer(json, "peak", c->peak);
	xc_cli_json_boolean(json, "identical", c->identical);
	xc_cli_json_number(json, "psnr_rgb", c->psnr_rgb);
	xc_cli_json_number(json, "psnr_y", c->psnr_y);
	xc_cli_json_inline_object(json, "psnr_channels");
	for (int i = 0; i < 3 + !!c->has_alpha; i++)
		xc_cli_json_number(json, channels[i], c->psnr_channel[i]);
	xc_cli_json_end_object(json);
	xc_cli_json_number(json, "mse", c->mse);
	xc_cli_json_integer(json, "max_abs_diff", c->max_abs_diff);
	xc_cli_json_number(json, "ssim_y", c->ssim_y);
	xc_cli_json_number(json, "ms_ssim_y", pair->ms_ssim_y);
	xc_cli_json_end_object(json);
}

void xc_cli_pairs_print_json(const xc_cli_pairs *pairs)
{
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	if (pairs->many)
		xc_cli_json_array(&json, NULL);
	for (int i = 0; i < pairs->count; i++)
		if (pairs->pair[i].done)
			print_json(&json, &pairs->pair[i]);
	if (pairs->many)
		xc_cli_json_end_array(&json);
}

/* ----------------------------------------------------------------------- text */

static void print_one(const xc_cli_pair *pair)
{
	const xc_comparison *c = &pair->comparison;
	static const char *const channels[] = {"PSNR red", "PSNR green", "PSNR blue", "PSNR alpha"};

	printf("%-22s %u x %u, %u bits a sample\n", "Size", c->width, c->height, c->depth);
	printf("%-22s %u\n", "Peak", c->peak);
	printf("%-22s %s\n", "Identical", c->identical ? "yes" : "no");
	xc_cli_print_decibels(stdout, "PSNR RGB", c->psnr_rgb);
	xc_cli_print_decibels(stdout, "PSNR luma", c->psnr_y);
	for (int i = 0; i < 3 + !!c->has_alpha; i++)
		xc_cli_print_decibels(stdout, channels[i], c->psnr_channel[i]);
	printf("%-22s %.6g\n", "MSE", c->mse);
	printf("%-22s %u\n", "Largest difference", c->max_abs_diff);
	printf("%-22s %.6f\n", "SSIM luma", c->ssim_y);
	printf("%-22s %.6f\n", "MS-SSIM luma", pair->ms_ssim_y);
}

enum { PSNR_RGB, PSNR_Y, SSIM_Y, MS_SSIM_Y, COLUMNS };

/* largest: -1 in the line of means, which has none. */
static void print_line(const double value[COLUMNS], int64_t largest, const char *name)
{
	char shown[XC_CLI_SHOWN], number[24] = "";

	xc_cli_escape(shown, sizeof shown, name);
	if (largest >= 0)
		snprintf(number, sizeof number, "%lld", (long long)largest);
	/* An infinite PSNR is shown as printf's own "inf". */
	printf("%9.4f %9.4f %9.6f %9.6f %7s  %s\n", value[PSNR_RGB], value[PSNR_Y], value[SSIM_Y],
	       value[MS_SSIM_Y], number, shown);
}

static void print_table(const xc_cli_pairs *pairs)
{
	double sum[COLUMNS] = {0};
	int done = 0;

	printf("%9s %9s %9s %9s %7s  %s\n", "PSNR RGB", "luma", "SSIM", "MS-SSIM", "largest", "B");
	for (int i = 0; i < pairs->count; i++) {
		const xc_cli_pair *p = &pairs->pair[i];
		const double value[COLUMNS] = {p->comparison.psnr_rgb, p->comparison.psnr_y,
		                               p->comparison.ssim_y, p->ms_ssim_y};

		if (!p->done)
			continue;
		print_line(value, p->comparison.max_abs_diff, xc_cli_input_name(p->paths[1]));
		for (int k = 0; k < COLUMNS; k++)
			sum[k] += value[k];
		done++;
	}
	for (int k = 0; k < COLUMNS && done; k++)
		sum[k] /= done;
	if (done > 1)
		print_line(sum, -1, "mean");
}

void xc_cli_pairs_print(const xc_cli_pairs *pairs)
{
	if (pairs->many)
		print_table(pairs);
	else if (pairs->pair[0].done)
		print_one(&pairs->pair[0]);
}
