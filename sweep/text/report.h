/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep has measured, as text. */
#ifndef XC_SWEEP_TEXT_REPORT_H
#define XC_SWEEP_TEXT_REPORT_H

#include "sweep/results.h"
#include "sweep/run/run.h"

#include <stdio.h>

/* Comma-separated values as in RFC 4180, but with line feeds: a line of headings, a line a point.
 * to_terminal: what a terminal would obey in names is escaped. */
void xc_sweep_csv(FILE *to, const xc_sweep_run *run, int to_terminal);

/* The object that xcodec-sweep(1) describes.  Returns 0, or -1: out of memory. */
int xc_sweep_json(FILE *to, const xc_sweep_run *run, const xc_sweep_bd_table *bd);

/* The table of a picture, or of the means (sweep/results.h), in at most `width` columns: what is
 * less wanted is left out. Returns 0, or -1: out of memory. */
int xc_sweep_table(FILE *to, const xc_sweep_results *results, long picture, int width);

/* The tables of BD-rates and BD-PSNRs of all configurations against the first. */
void xc_sweep_deltas(FILE *to, const xc_sweep_results *results, const xc_sweep_bd_table *bd);

/* Curves of a measure over the logarithm of bits a pixel, drawn with characters of Unicode or of
 * ASCII, in at most `width` columns. Returns 0, or -1: out of memory. */
int xc_sweep_plot(FILE *to, const xc_sweep_results *results, xc_sweep_metric metric, long picture,
                  int width, int unicode);

#endif
