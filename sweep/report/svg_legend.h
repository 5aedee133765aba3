/* SPDX-License-Identifier: BSD-2-Clause */
/* The legend of a drawing of curves: in the emptiest corner, or beside the curves. */
#ifndef XC_SWEEP_REPORT_SVG_LEGEND_H
#define XC_SWEEP_REPORT_SVG_LEGEND_H

#include "sweep/results.h"

#include <stdio.h>

enum { XC_SWEEP_CORNERS = 4 };

typedef struct xc_sweep_legend {
	int left, top, right, bottom; /* of the area of curves */
	int width, height;            /* of the legend */
	int x, y;                     /* its upper left corner */
	int total_width;              /* of the drawing */
	size_t hits[XC_SWEEP_CORNERS];
} xc_sweep_legend;

/* Measures the legend. */
void xc_sweep_legend_start(xc_sweep_legend *legend, const xc_sweep_results *results, int left,
                           int top, int right, int bottom);
/* A curve goes through that place. */
void xc_sweep_legend_mark(xc_sweep_legend *legend, double x, double y);
/* Decides where it goes.  width: of the drawing, which grows if no corner is empty. */
void xc_sweep_legend_end(xc_sweep_legend *legend, int width);

void xc_sweep_put_legend(FILE *out, const xc_sweep_legend *legend, const xc_sweep_results *results);

#endif
