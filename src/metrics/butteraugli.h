/* SPDX-License-Identifier: BSD-2-Clause */
/* What butteraugli.c and butteraugli_level.c share. Distances are made row by row: each stage is
 * some rows behind the one before, and rings of rows hold what the next stages still read. */
#ifndef XC_SRC_METRICS_BUTTERAUGLI_H
#define XC_SRC_METRICS_BUTTERAUGLI_H

#include <stddef.h>
#include <stdint.h>

/* The blurs, and how many pixels each reaches. */
enum { XC_SOFT_BLUR, XC_LOW_BLUR, XC_MEDIUM_BLUR, XC_HIGH_BLUR, XC_MASK_BLUR, XC_BLURS };
static const int xc_blur_reach[XC_BLURS] = {2, 16, 7, 3, 6};
enum { XC_MAX_REACH = 16, XC_MALTA_REACH = 4, XC_CALM_REACH = 3, XC_BUTTER_DELAY = 37 };

/* The rings: name, number, rows in each, from the newest to the oldest that is read. LINEAR: red,
 * green, blue of both pictures. OPSIN: X (red minus green) and Y (their sum) of the first, those of
 * the second, and the difference of the blues, all that matters of them. OVER_LOW, OVER_MEDIUM: the
 * same without low and medium frequencies. MALTA: X and Y of the medium, the high and the highest
 * ones. CALM: ACTIVITY, blurred. */
#define XC_RING_LIST(ring) \
	ring(LINEAR, 6, 5) ring(OPSIN, 5, 33) ring(OVER_LOW, 5, 15) ring(OVER_MEDIUM, 5, 7) \
		ring(MALTA, 6, 17) ring(ACTIVITY, 2, 13) ring(CALM, 2, 7) ring(DC, 1, 20) ring(AC, 1, 13) \
			ring(SPARE, 6, 1) ring(WORK, 6, 1) ring(SCALE, XC_BLURS, 1) ring(RESULT, 1, 1) \
				ring(ZERO, 1, 1) ring(INFINITE, 1, 1)
#define XC_RING_NAME(name, n, rows) XC_RING_##name, XC_RING_##name##_LAST = XC_RING_##name + (n)-1,
enum { XC_RING_LIST(XC_RING_NAME) XC_RINGS, XC_RING_MARGIN = 16 }; /* floats around a row */
#define XC_RING_ROWS(name, n, rows) [XC_RING_##name... XC_RING_##name##_LAST] = (rows),
static const uint8_t xc_ring_rows[XC_RINGS] = {XC_RING_LIST(XC_RING_ROWS)};

typedef struct xc_rings {
	uint32_t width, height; /* 8 or more */
	size_t padded, stride;  /* floats of whole vectors in a row; floats from row to row */
	float *memory;
	uint32_t first[XC_RINGS];                     /* row, of all rings */
	float weight[XC_BLURS][2 * XC_MAX_REACH + 1]; /* the middle one is of distance 0 */
} xc_rings;

static inline float *xc_ring_slot(const xc_rings *r, int ring, uint32_t slot)
{
	return r->memory + XC_RING_MARGIN + (r->first[ring] + slot) * r->stride;
}

static inline float *xc_ring_row(const xc_rings *r, int ring, uint32_t y)
{
	return xc_ring_slot(r, ring, y % xc_ring_rows[ring]);
}

/* Makes what can be made after row t was loaded, in candelas per square metre. Distances come into
 * the ring RESULT, those of row t - XC_BUTTER_DELAY, so t goes on to height + XC_BUTTER_DELAY - 1. */
typedef void xc_butter_step(const xc_rings *r, uint32_t t);

extern xc_butter_step xc_butter_step_scalar, xc_butter_step_sse2, xc_butter_step_neon,
	xc_butter_step_avx2, xc_butter_step_avx512;

#endif
