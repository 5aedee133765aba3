/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes one component of one segment from bits to coefficients, or two at once, so that one works
 * while the other waits. */
#ifndef XC_ENTROPY_STREAM_H
#define XC_ENTROPY_STREAM_H

#include "entropy/bitread.h"

/* A component being decoded. Its blocks follow each other, in transposed order; one more
 * coefficient after the last block is scratch. Coefficients are in sixteenths of a step
 * (entropy/points.h); DC are differences until xc_restore_dc(). */
typedef struct xc_stream16 {
	xc_bit_reader reader;
	const xc_decode_tables *tables;
	const uint64_t *table; /* of tables: the table of the next symbol */
	int16_t *block, *end;  /* the block being filled; the end of the last one */
	int16_t *clean;        /* blocks before this are zero */
	int64_t position;      /* in the scan; -1: the DC is next */
	int bad;               /* a value was too large, in this component or an earlier one */
} xc_stream16;

typedef struct xc_stream32 {
	xc_bit_reader reader;
	const xc_decode_tables *tables;
	const uint64_t *table;
	int32_t *block, *end, *clean;
	int64_t position;
	int bad;
} xc_stream32;

/* Begins the next component, of n blocks, with the decode tables t. The reader stays. */
#define xc_stream_begin(s, t, blocks, n) \
	((s)->tables = (t), (s)->table = (t)->entry[0], (s)->block = (s)->clean = (blocks), \
	 (s)->end = (blocks) + (size_t)(n)*64, (s)->position = -1)

/* Decodes to the end of the component. */
void xc_stream_finish16(xc_stream16 *s);
void xc_stream_finish16_bmi2(xc_stream16 *s);
void xc_stream_finish32(xc_stream32 *s);

/* Decodes both until one of them is near the end of its component, where xc_stream_finish() takes
 * over. It may do nothing if one is near already. */
void xc_stream_run_two16(xc_stream16 *a, xc_stream16 *b);
void xc_stream_run_two16_bmi2(xc_stream16 *a, xc_stream16 *b);

#endif
