/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the report's page. */
#ifndef XC_SWEEP_REPORT_HTML_PARTS_H
#define XC_SWEEP_REPORT_HTML_PARTS_H

#include "sweep/results.h"

#include <stddef.h>
#include <stdio.h>
#include <xcodec.h>

/* Which part of a large picture is shown: where its errors are seen most. */
typedef struct xc_sweep_crop {
	uint32_t x, y, width, height;
} xc_sweep_crop;

/* Marks for each cell of 16x16 pixels how visible errors are there. */
typedef struct xc_sweep_cells {
	uint32_t wide, high;
	double *mark;
} xc_sweep_cells;

/* 0, or -1: out of memory.  The caller frees cells->mark. */
int xc_sweep_cells_start(xc_sweep_cells *cells, const xc_picture *original);
/* Adds the errors of a decoded picture of the same size: squared, by the activity around
 * them that hides them. */
void xc_sweep_cells_add(xc_sweep_cells *cells, const xc_picture *original,
                        const xc_picture *decoded);
/* The part of at most side x side pixels with the highest marks. It begins at a multiple of
 * 8, where blocks do. */
xc_sweep_crop xc_sweep_cells_best(const xc_sweep_cells *cells, const xc_picture *original,
                                  uint32_t side);

/* Sample `channel` of a pixel in 8 bits.  Grey counts as equal R, G and B. */
static inline int xc_sweep_sample(const xc_picture *p, uint32_t x, uint32_t y, uint32_t channel)
{
	const uint8_t *row = (const uint8_t *)p->data + y * p->stride;
	const size_t at = (size_t)x * p->channels + (p->channels < 3 ? 0 : channel);

	return p->depth == 8
	           ? row[at]
	           : (int)((((const uint16_t *)(const void *)row)[at] * 255u + 32767) / 65535);
}

/* What is shown of a picture beside each other: files of equal size. */
enum { XC_SWEEP_SIZES = 3 };

/* Chooses up to three sizes, from small to large, and for each of them one point a configuration:
 * point[size * config_count + config], of 0 bytes where that configuration has none for this
 * picture. point has room for XC_SWEEP_SIZES * config_count, and *sizes tells how many there are.
 * Returns 0, or -1 with errno.
 *
 * The sizes lie at the rates of `aims` in pairs.c, as far as the range of rates that all
 * configurations share allows. The first configuration comes as near to them as it can, the others
 * as near to the first one. Qualities between the measured ones are tried, with as many digits
 * after the point as those have. */
int xc_sweep_pairs(const xc_sweep_results *results, uint32_t picture, const xc_sweep_viewer *viewer,
                   xc_sweep_point *point, size_t *sizes);

/* The pictures inside a report: which parts and which points, and their bytes. */

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

/* Chooses what is shown of each picture and writes the files of all of it, PNG in base64, as
 * elements <script type="text/plain"> whose ids xc_sweep_image_id() gives. Returns 0, or -1 with
 * errno. The caller frees *views with xc_sweep_views_free() in either case. */
int xc_sweep_put_views(FILE *out, const xc_sweep_results *results, const xc_sweep_viewer *viewer,
                       xc_sweep_views *views);
void xc_sweep_views_free(xc_sweep_views *views);

enum { XC_SWEEP_IMAGE_ID = 64 };
/* The id of an original (point NULL) or of what was decoded. */
void xc_sweep_image_id(char id[XC_SWEEP_IMAGE_ID], uint32_t picture, const xc_sweep_point *point);

/* Text and bytes inside HTML. */

/* Writes text as the contents of an element or of an attribute in quotation marks. What is no
 * UTF-8, and characters that XML does not allow, become U+FFFD. */
void xc_sweep_put_text(FILE *out, const char *text);

/* Writes bytes in base64 (RFC 4648). */
void xc_sweep_put_base64(FILE *out, const void *bytes, size_t size);

/* The parts that do not depend on results: the files of sweep/report/page/, which
 * sweep/report/embed.sh turns into arrays when xcodec is built. */
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

#endif
