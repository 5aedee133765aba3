/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the report's page that do not depend on results: the files of sweep/report/page/, which sweep/report/embed.sh
 * turns into arrays when xcodec is built. */
#ifndef XC_SWEEP_REPORT_PAGE_H
#define XC_SWEEP_REPORT_PAGE_H

#include <stddef.h>

typedef struct xc_sweep_page {
	const unsigned char *text;
	size_t size;
} xc_sweep_page;

extern const xc_sweep_page xc_sweep_page_html;   /* report.html; @@NAME@@ stands for what follows */
extern const xc_sweep_page xc_sweep_page_style;  /* *.css */
extern const xc_sweep_page xc_sweep_page_script; /* *.js */

#endif
