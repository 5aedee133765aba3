/* SPDX-License-Identifier: BSD-2-Clause */
/* What `xcodec sweep` measures, and how it is shown. */
#ifndef XC_CLI_SWEEP_H
#define XC_CLI_SWEEP_H

#include <stdint.h>
#include <stdio.h>

/* One picture at one quality, or the mean of several pictures. */
typedef struct xc_cli_sweep_row {
	int quality;
	double bytes, bpp; /* bits per pixel */
	double psnr_rgb, psnr_y, ssim_y;
} xc_cli_sweep_row;

void xc_cli_sweep_add(xc_cli_sweep_row *sum, const xc_cli_sweep_row *row);
xc_cli_sweep_row xc_cli_sweep_mean(const xc_cli_sweep_row *sum, int pictures);

/* The table on standard output. */
void xc_cli_sweep_print_header(const char *title);
void xc_cli_sweep_print_row(const xc_cli_sweep_row *row);

/* Comma-separated values as RFC 4180 has them, with line feeds. */
void xc_cli_sweep_csv_header(FILE *csv);
void xc_cli_sweep_csv_row(FILE *csv, const char *picture, uint32_t width, uint32_t height,
                          const xc_cli_sweep_row *row);

/* Qualities as on the command line: "75", "10:90:5", "30,50,75:95:10". */
typedef struct xc_cli_qualities {
	unsigned char wanted[101]; /* [1] to [100] */
} xc_cli_qualities;
const char *xc_cli_qualities_parse(const char *text, void *qualities);

#endif
