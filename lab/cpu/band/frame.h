/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame cut into strips of 8 rows and tiles of 8 or more columns for the run
 * functions of run.h, in one pass over memory.  Rows and columns are treated alike,
 * as axes.
 */
#ifndef XC_LAB_CPU_BAND_FRAME_H
#define XC_LAB_CPU_BAND_FRAME_H

#include <stddef.h>

#include "lab/cpu/band/axis.h"
#include "lab/cpu/band/run.h"
#include "lab/registry.h"

typedef struct xc_band_frame {
	const xc_band_kernels *kernels;
	xc_band_function run;
	size_t tile, shifts, lead; /* lead: tiles read before the first is written */
	xc_band_axis rows, cols;
	int stream;           /* past the caches where alignment allows */
	int shares;           /* threads */
	size_t scratch_bytes; /* of each share, a multiple of 64 */
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

#endif
