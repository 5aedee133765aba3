/* SPDX-License-Identifier: BSD-2-Clause */
/* A coded picture opened for reading: segments at random, each to coefficients. */
#ifndef XC_CODED_H
#define XC_CODED_H

#include "src/container.h"
#include "src/entropy_level.h"

typedef struct xc_coded {
	xc_container container;
	xc_decode_table (*tables)[2]; /* [luma, chroma][DC, AC] */
	uint64_t *offsets;            /* [segments + 1] from the first segment's start */
	const uint8_t *file_end;
	const xc_entropy_level *level;
	int deep;
} xc_coded;

/* The file's bytes must stay.  Closed by xc_coded_close() also after a failure. */
xc_status xc_coded_open(xc_context *context, const void *file, size_t size, int truncated,
                        xc_coded *coded);
void xc_coded_close(xc_context *context, xc_coded *coded);

/* 1 when all bytes of segment i are there and its check value holds; *crc is then
 * the whole CRC. */
int xc_coded_intact(const xc_coded *coded, uint64_t i, uint32_t *crc);

/* Decodes segment i, whose tile is given, into coefficients: [tile->blocks * 64 + 1]
 * of int16_t or int32_t, and dc_only: [tile->blocks].  0: damaged. */
int xc_coded_decode(const xc_coded *coded, uint64_t i, const xc_tile *tile, void *coefficients,
                    uint8_t *dc_only);

/* The CRC of the DATA chunk given those of all segments. */
uint32_t xc_coded_data_crc(const xc_coded *coded, const uint32_t *crcs);

/* "segment 3 (pixels 320,0 to 639,31) is damaged", as a failure. */
xc_status xc_fail_segment(xc_context *context, const xc_coded *coded, uint64_t i);

#endif
