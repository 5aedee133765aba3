/* SPDX-License-Identifier: BSD-2-Clause */
/* The pictures inside a report: which parts and which points, and their bytes. */
#ifndef XC_SWEEP_REPORT_VIEWS_H
#define XC_SWEEP_REPORT_VIEWS_H

#include "sweep/report/crop.h"
#include "sweep/html.h"

/* What is shown of one picture. */
typedef struct xc_sweep_view {
	uint32_t picture;
	xc_sweep_crop crop;    /* of the original */
	xc_sweep_crop focus;   /* in that part: where one should look first */
	size_t sizes;          /* see xc_sweep_pairs() */
	xc_sweep_point *point; /* [sizes * config_count]; of 0 bytes: none */
} xc_sweep_view;

typedef struct xc_sweep_views {
	xc_sweep_view *view;
	size_t count;
} xc_sweep_views;

/* Chooses what is shown of each picture and writes the files of all of it, PNG in base64, as elements
 * <script type="text/plain"> whose ids xc_sweep_image_id() gives.  Returns 0, or -1 with errno.  The caller frees
 * *views with xc_sweep_views_free() in either case. */
int xc_sweep_put_views(FILE *out, const xc_sweep_results *results, const xc_sweep_viewer *viewer,
                       xc_sweep_views *views);
void xc_sweep_views_free(xc_sweep_views *views);

enum { XC_SWEEP_IMAGE_ID = 64 };
/* The id of an original (point NULL) or of what was decoded. */
void xc_sweep_image_id(char id[XC_SWEEP_IMAGE_ID], uint32_t picture, const xc_sweep_point *point);

#endif
