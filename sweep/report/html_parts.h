/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the report's page. */
#ifndef XC_SWEEP_REPORT_HTML_PARTS_H
#define XC_SWEEP_REPORT_HTML_PARTS_H

#include "sweep/html.h"
#include "sweep/report/views.h"
#include "sweep/rows.h"

/* The parts that do not depend on results: the files of sweep/report/page/, which sweep/report/embed.sh turns into
 * arrays when xcodec is built. */
typedef struct xc_sweep_page {
	const unsigned char *text;
	size_t size;
} xc_sweep_page;

extern const xc_sweep_page xc_sweep_page_html;   /* report.html; @@NAME@@ stands for what follows */
extern const xc_sweep_page xc_sweep_page_style;  /* *.css */
extern const xc_sweep_page xc_sweep_page_script; /* *.js */

/* What all parts are made from. */
typedef struct xc_sweep_report {
	FILE *out;
	const xc_sweep_results *results;
	const xc_sweep_bd_table *bd;   /* may be NULL */
	const xc_sweep_viewer *viewer; /* may be NULL */
	xc_sweep_views views;
} xc_sweep_report;

/* The measures in the page's order: first what the default is made for, the eye. */
extern const xc_sweep_metric xc_sweep_page_metrics[XC_SWEEP_METRICS];

/* What is shown first: the mean, which a set of one picture does not need. */
static inline long xc_sweep_first(const xc_sweep_report *report)
{
	return report->results->picture_count == 1 ? 0 : XC_SWEEP_MEAN;
}

/* Each writes one part and returns 0, or -1 with errno. */
int xc_sweep_put_legend_list(xc_sweep_report *report);
int xc_sweep_put_tables(xc_sweep_report *report);
int xc_sweep_put_deltas(xc_sweep_report *report);
int xc_sweep_put_data(xc_sweep_report *report);

#endif
