/* SPDX-License-Identifier: BSD-2-Clause */
/* The report of a sweep: one page that needs nothing else. */
#ifndef XC_SWEEP_HTML_H
#define XC_SWEEP_HTML_H

#include "sweep/bd_table.h"
#include "sweep/results.h"

#include <xcodec.h>
#include <stdio.h>

/* Who gives the pictures that the report shows.  The report decides which ones: at up to three sizes that the
 * configurations share it takes from each the point whose file is nearest in bytes (sweep/pairs.h). */
typedef struct xc_sweep_viewer {
	/* Gives the pixels of a picture: of its original where `point` is NULL, else as decoded after coding it
	 * once more as at that point.  Alpha is not shown.  The original's pixels must stay until the next
	 * original is asked for, decoded ones until the next call.  Each original is asked for once, before
	 * what was decoded; the same point may be asked for twice.  Returns 0, or -1 with errno. */
	int (*pixels)(void *user, uint32_t picture, const xc_sweep_point *point, xc_picture *out);
	void *user;
	uint32_t
		side; /* of the part that is shown of a large picture, in pixels; 0: as many as keep the
	                * page to 24 million pixels, from 256 to 512 */
} xc_sweep_viewer;

/* Writes the report.  bd NULL: without deltas.  viewer NULL: without pictures, as always in a build without
 * libpng.  Pictures are embedded without loss, one at a time, so memory holds one original, one decoded picture
 * and their files.  Strings of the results may hold any bytes.  Returns 0, or -1 with errno. */
int xc_sweep_html(FILE *out, const xc_sweep_results *results, const xc_sweep_bd_table *bd,
                  const xc_sweep_viewer *viewer);

#endif
