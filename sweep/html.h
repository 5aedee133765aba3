/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a sweep: one page that needs nothing else. */
#ifndef XC_SWEEP_HTML_H
#define XC_SWEEP_HTML_H

#include "sweep/results.h"

#include <xcodec.h>
#include <stdio.h>

/* Who gives the pictures that the report shows. The report decides which ones: at up to three sizes
 * it takes from each configuration the file that is nearest in bytes (sweep/report/pairs.h). For
 * each picture it asks for the original once, and then for what is coded of it. */
typedef struct xc_sweep_viewer {
	/* Gives the pixels of an original.  They must stay until the next original is asked for. */
	int (*original)(void *user, uint32_t picture, xc_picture *out);
	/* Codes that picture with point->config at point->quality, which has no more digits after the
	 * point than those that were measured, and fills point->bytes. Unless decoded is NULL it fills
	 * point->metric too and gives the decoded pixels, which must stay until the next call. Alpha is
	 * not shown. Both return 0, or -1 with errno. */
	int (*code)(void *user, xc_sweep_point *point, xc_picture *decoded);
	void *user;
	/* The side of the part that is shown of a large picture, in pixels. 0: from 256 to 512, as many
	 * as keep the page to 24 million pixels. */
	uint32_t side;
} xc_sweep_viewer;

/* Writes the report. bd NULL: without deltas. viewer NULL: without pictures, as always in a build
 * without libpng. Pictures are embedded without loss, one at a time, so memory holds one
 * original, one decoded picture and their files. Strings of the results may hold any bytes.
 * Returns 0, or -1 with errno. */
int xc_sweep_html(FILE *out, const xc_sweep_results *results, const xc_sweep_bd_table *bd,
                  const xc_sweep_viewer *viewer);

#endif
