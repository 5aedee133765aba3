/* SPDX-License-Identifier: BSD-2-Clause */
/* Decodes only the DCs of a component of one segment, or of two components at once. A look-up skips
 * all symbols that XC_DC_ONLY_BITS bits hold. */
#ifndef XC_ENTROPY_DC_ONLY_H
#define XC_ENTROPY_DC_ONLY_H

#include "entropy/bitread.h"

/*
 * An entry for the next XC_DC_ONLY_BITS bits:
 *   bits 0-5    bits to consume
 *   bits 8-10   the table of the symbol that comes next
 *   bits 11-23  the value, if the first symbol is that of a DC; signed
 *   bits 24-30  how far the symbols but an end of block move the scan position, XC_DC_ONLY_STOP at most
 *   bit 31      the last symbol ends the block
 * XC_DC_ONLY_STOP alone: the first symbol is not in the table. The bits of the last value may go
 * beyond the index, unless it is that of a DC.
 */
enum {
	XC_DC_ONLY_BITS = 12,
	XC_DC_ONLY_SIZE = 1 << XC_DC_ONLY_BITS,
	XC_DC_ONLY_MAX = 18, /* bits that an entry consumes: 56 are enough for three */
	XC_DC_ONLY_STOP = 64
};

/* Numbers are those of xc_decode_tables; there are as many tables as codes. */
typedef uint32_t xc_dc_only_table[XC_DC_ONLY_SIZE];

/* Bytes of the tables for a set of codes. */
size_t xc_dc_only_tables_bytes(const xc_code_set *codes);
void xc_dc_only_tables_init(xc_dc_only_table *dc_only, const xc_code_set *codes,
                            const xc_decode_tables *tables);

/* A component being decoded.  `next` and `end` point to coefficients of the depth's width. */
typedef struct xc_dc_only {
	xc_bit_reader reader;
	const xc_decode_tables *tables;
	const xc_dc_only_table *dc_only;
	const uint32_t *table; /* of dc_only: the table of the next symbol */
	char *next, *end;      /* where the next DC goes; the end of the last one */
	int32_t position;      /* in the scan; -1: the DC is next */
	int bad;               /* a value was too large, in this component or an earlier one */
} xc_dc_only;

/* Sets a stream to the start of its next component, whose `bytes` bytes of DCs go to `to`. DCs are
 * whole values, and differences until xc_restore_dc_only(). */
static inline void xc_dc_only_begin(xc_dc_only *s, const xc_decode_tables *tables,
                                    const xc_dc_only_table *dc_only, void *to, size_t bytes)
{
	s->tables = tables;
	s->dc_only = dc_only;
	s->table = dc_only[0];
	s->next = (char *)to;
	s->end = s->next + bytes;
	s->position = -1;
	memset(to, 0, bytes);
}

/* Decodes to the end of the component. */
void xc_dc_only_finish16(xc_dc_only *s);
void xc_dc_only_finish16_bmi2(xc_dc_only *s);
void xc_dc_only_finish32(xc_dc_only *s);

/* Decodes both until one is near the end of its component; xc_dc_only_finish() does the rest. */
void xc_dc_only_two16(xc_dc_only *a, xc_dc_only *b);
void xc_dc_only_two16_bmi2(xc_dc_only *a, xc_dc_only *b);

#endif
