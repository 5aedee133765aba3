/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of `xcodec bench transforms`, as text or JSON. */
#ifndef XC_LAB_COMMAND_BENCH_REPORT_H
#define XC_LAB_COMMAND_BENCH_REPORT_H

#include "lab/command/bench_cases.h"
#include "cli/base/json.h"

typedef struct xc_bench_report {
	int as_json;
	xc_cli_json json;
	int tables; /* printed so far */
} xc_bench_report;

/* "512 x 512", or "64 x 64 x 64" for a volume; returns name. */
enum { XC_BENCH_SIZE_NAME = 72 };
const char *xc_bench_size_name(const xc_transform_size *size, char name[XC_BENCH_SIZE_NAME]);

void xc_bench_report_start(xc_bench_report *report, int as_json, int threads);
void xc_bench_report_end(xc_bench_report *report);

/* Every case of a group, with its ratio to a copy and to FFTW. */
void xc_bench_report_arrays(xc_bench_report *report, const xc_bench_group *group, int first);
/* One line for a size: the four ways through a one-dimensional FFT; or row-column, multi-dimensional
 * and the FFT alone side by side.  The first one prints the headings. */
void xc_bench_report_lines(xc_bench_report *report, const xc_bench_group *group, int first);
void xc_bench_report_fusion(xc_bench_report *report, const xc_bench_group *group, int first);

#endif
