/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints a line of a report with a PSNR.  That of equal pictures is infinite and has no unit. */
#ifndef XC_CLI_BASE_DECIBELS_H
#define XC_CLI_BASE_DECIBELS_H

#include <math.h>
#include <stdio.h>

static inline void xc_cli_print_decibels(FILE *file, const char *title, double value)
{
	if (isinf(value))
		fprintf(file, "%-22s inf\n", title);
	else
		fprintf(file, "%-22s %.4f dB\n", title, value);
}

#endif
