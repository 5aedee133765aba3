/* SPDX-License-Identifier: BSD-2-Clause */
/* A coded picture opened for reading: segments at random, each to coefficients. */
#ifndef XC_SRC_DECODE_CODED_H
#define XC_SRC_DECODE_CODED_H

#include "src/container/container.h"
#include "src/container/entropy_level.h"

typedef struct xc_coded {
	xc_container container;
	xc_decode_tables *tables; /* [luma, chroma] */
	uint64_t *offsets;        /* [segments + 1] from the first segment's start */
	const uint8_t *file_end;
	const xc_entropy_level *level;
	int deep;
} xc_coded;

/* The file's bytes must stay.  Closed by xc_coded_close() also after a failure. */
xc_status xc_coded_open(xc_context *context, const void *file, size_t size, int truncated,
                        xc_coded *coded);
/* The two halves of it: *coded becomes a container, and nothing else; then the rest. */
xc_status xc_coded_read(xc_context *context, const void *file, size_t size, int truncated,
                        xc_coded *coded);
xc_status xc_coded_prepare(xc_context *context, xc_coded *coded);
void xc_coded_close(xc_context *context, xc_coded *coded);

/* 1 when all bytes of segment i are there and its check value holds; *crc is then
 * the whole CRC. */
int xc_coded_intact(const xc_coded *coded, uint64_t i, uint32_t *crc);

/* One thread's room for the coefficients of a few segments. */
enum { XC_CODED_RUN = 16 };
typedef struct xc_coded_scratch {
	char *memory;
	size_t bytes;      /* of one segment */
	uint64_t segments; /* how many there is room for, XC_CODED_RUN at most */
	int intact[XC_CODED_RUN];
} xc_coded_scratch;

/* Room for `segments` segments, or XC_CODED_RUN if that is less. */
xc_status xc_coded_scratch_init(xc_context *context, xc_coded_scratch *scratch,
                                const xc_coded *coded, uint64_t segments);
void xc_coded_scratch_free(xc_context *context, xc_coded_scratch *scratch);

/* Decodes segments first ... first + count - 1, at most as many as there is room for.
 * crcs[segment] is set to its CRC, scratch->intact[i] to 0 if segment first + i is
 * damaged, in which case its coefficients are zero. */
void xc_coded_decode(const xc_coded *coded, xc_coded_scratch *scratch, uint64_t first,
                     uint64_t count, uint32_t *crcs);
/* Those of segment first + i, in transposed order: [tile->blocks][64] of int16_t or
 * int32_t. */
static inline const void *xc_coded_coefficients(const xc_coded_scratch *scratch, uint64_t i)
{
	return scratch->memory + i * scratch->bytes;
}

/* Calls `visit` for all segments in order until it does not return XC_OK; what it
 * returned is the result.  A damaged segment ends it with xc_fail_segment(). */
typedef xc_status (*xc_coded_visitor)(void *user, const xc_tile *tile, const void *coefficients);
xc_status xc_coded_visit(xc_context *context, const xc_coded *coded, xc_coded_visitor visit,
                         void *user);

/* The CRC of the DATA chunk given those of all segments. */
uint32_t xc_coded_data_crc(const xc_coded *coded, const uint32_t *crcs);

/* "segment 3 (pixels 320,0 to 639,31) is damaged", as a failure. */
xc_status xc_fail_segment(xc_context *context, const xc_coded *coded, uint64_t i);

#endif
