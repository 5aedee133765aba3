/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <string.h>

#include "cli/base/report.h"
#include "sweep/text/report.h"

/* A spreadsheet would run a text that begins like a formula, so an apostrophe comes first. */
static void put_field(FILE *csv, const char *text, int to_terminal)
{
	char shown[XC_CLI_SHOWN] = "";
	const int runs = *text && strchr("=+-@\t\r", *text);
	if (to_terminal) {
		xc_cli_escape(shown, sizeof shown, text);
		text = shown;
	}
	const int quoted = strpbrk(text, ",\"\r\n") != NULL;
	fputs(quoted ? "\"" : "", csv);
	fputs(runs ? "'" : "", csv);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', csv);
		putc(*text, csv);
	}
	fputs(quoted ? "\"" : "", csv);
}

/* After a comma; a measure that there is not leaves the field empty, an infinite PSNR is "inf". */
static void put_number(FILE *csv, double value, int digits)
{
	putc(',', csv);
	if (!isnan(value))
		fprintf(csv, "%.*f", digits, value);
}

/* The first columns are those of version 0.1; times come last. */
static void put_point(FILE *csv, const xc_sweep_run *run, const xc_sweep_point *p, int to_terminal)
{
	static const xc_sweep_metric more[] = {XC_SWEEP_PSNR_YCBCR, XC_SWEEP_PSNR_R, XC_SWEEP_PSNR_G,
	                                       XC_SWEEP_PSNR_B};
	const xc_sweep_picture *picture = &run->pictures[p->picture];
	const double pixels = (double)picture->width * picture->height;
	put_field(csv, xc_cli_input_name(run->plan->paths[p->picture]), to_terminal);
	fprintf(csv, ",%u,%u,%.10g,%llu", picture->width, picture->height, p->quality,
	        (unsigned long long)p->bytes);
	put_number(csv, 8 * (double)p->bytes / pixels, 6);
	put_number(csv, p->metric[XC_SWEEP_PSNR_RGB], 6);
	put_number(csv, p->metric[XC_SWEEP_PSNR_Y], 6);
	put_number(csv, p->metric[XC_SWEEP_SSIM_Y], 8);
	putc(',', csv);
	put_field(csv, run->configs[p->config].name, to_terminal);
	for (size_t i = 0; i < sizeof more / sizeof *more; i++)
		put_number(csv, p->metric[more[i]], 6);
	put_number(csv, p->metric[XC_SWEEP_MS_SSIM_Y], 8);
	fprintf(csv, ",%.0f,%u,", p->max_abs_diff, picture->peak);
	put_field(csv, run->configs[p->config].version, to_terminal);
	put_number(csv, 1e-6 * pixels / p->encode_seconds, 3);
	put_number(csv, 1e-6 * pixels / p->decode_seconds, 3);
	putc('\n', csv);
}

void xc_sweep_csv(FILE *to, const xc_sweep_run *run, int to_terminal)
{
	fputs("picture,width,height,quality,bytes,bpp,psnr_rgb,psnr_y,ssim_y,config,psnr_ycbcr,psnr_r,"
	      "psnr_g,psnr_b,ms_ssim_y,max_abs_diff,peak,version,encode_mpixels,decode_mpixels\n",
	      to);
	for (size_t i = 0; i < run->results.point_count; i++)
		put_point(to, run, &run->points[i], to_terminal);
}
