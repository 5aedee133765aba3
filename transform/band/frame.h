/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame cut into strips of 8 rows and tiles of 8 or more columns for the run
 * functions of run.h, in one pass over memory.
 *
 * Rows and columns are treated alike, as axes.  An axis is a run of blocks of 8
 * inputs; block i of the outputs is complete when block i of the inputs has been
 * read, `shifts` blocks having been read before the first one.  At the ends the
 * input is continued by rule.
 */
#ifndef XC_BAND_FRAME_H
#define XC_BAND_FRAME_H

#include <stddef.h>

#include "transform/band/run.h"
#include "transform/registry.h"

typedef enum xc_band_edge {
	XC_EDGE_REPEAT,      /* the last sample again */
	XC_EDGE_ZERO,
	XC_EDGE_MIRROR,      /* samples mirrored about the padded frame's edge */
	XC_EDGE_MIRROR_BANDS /* coefficients of the mirrored frame: blocks mirrored,
	                      * odd frequencies negated */
} xc_band_edge;

/* Positions and sizes in samples. */
typedef struct xc_band_axis {
	ptrdiff_t in_size, out_size;   /* of the arrays */
	ptrdiff_t padded;              /* in_size in whole blocks */
	ptrdiff_t in_first, out_first; /* where block 0 is read and written */
	ptrdiff_t blocks;
	xc_band_edge edge;
} xc_band_axis;

typedef struct xc_band_frame {
	const xc_band_kernels *kernels;
	xc_band_function run;
	size_t tile, shifts, lead; /* lead: tiles read before the first is written */
	xc_band_axis rows, cols;
	int stream;                /* past the caches where alignment allows */
	int shares;                /* threads */
	size_t scratch_bytes;      /* of each share, a multiple of 64 */
	void *scratch;
	_Alignas(64) unsigned char scale[64 * sizeof(long double)];
	int has_scale;
} xc_band_frame;

/* The bytes of scratch that one share needs. */
size_t xc_band_scratch_f32(const xc_band_frame *frame);
size_t xc_band_scratch_f64(const xc_band_frame *frame);
size_t xc_band_scratch_f80(const xc_band_frame *frame);

/* One share of the strips. */
typedef void (*xc_band_work)(const xc_band_frame *frame, const void *in, void *out, int share);
void xc_band_work_f32(const xc_band_frame *frame, const void *in, void *out, int share);
void xc_band_work_f64(const xc_band_frame *frame, const void *in, void *out, int share);
void xc_band_work_f80(const xc_band_frame *frame, const void *in, void *out, int share);

/* Where the sample at a position beyond the edges comes from: its place in the
 * array and a factor of 1, -1 or 0. */
typedef struct xc_band_source {
	ptrdiff_t at;
	int sign;
} xc_band_source;
xc_band_source xc_band_locate(const xc_band_axis *axis, ptrdiff_t position);

#endif
