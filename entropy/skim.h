/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Skimming: decodes the DCs of a component of one segment and passes over its other coefficients, or
 * of two components at once.  A look-up passes over as many symbols as XC_SKIM_BITS bits hold.
 */
#ifndef XC_ENTROPY_SKIM_H
#define XC_ENTROPY_SKIM_H

#include "entropy/bitread.h"

/*
 * An entry for the next XC_SKIM_BITS bits:
 *   bits 0-5    bits to consume
 *   bits 8-10   the table of the symbol that comes next
 *   bits 11-23  the value, if the first symbol is that of a DC; signed
 *   bits 24-30  how far the symbols but an end of block move the scan position, XC_SKIM_STOP at most
 *   bit 31      the last symbol ends the block
 * XC_SKIM_STOP alone says that the first symbol is not in the table.  The bits of the last value may go beyond
 * the index, unless it is that of a DC.
 */
enum {
	XC_SKIM_BITS = 12,
	XC_SKIM_SIZE = 1 << XC_SKIM_BITS,
	XC_SKIM_MAX = 18, /* bits that an entry consumes: 56 are enough for three */
	XC_SKIM_STOP = 64
};

/* Numbers are those of xc_decode_tables; there are as many tables as codes. */
typedef uint32_t xc_skim_table[XC_SKIM_SIZE];

/* Bytes of the tables for a set of codes. */
size_t xc_skim_tables_bytes(const xc_code_set *codes);
void xc_skim_tables_init(xc_skim_table *skim, const xc_code_set *codes,
                         const xc_decode_tables *tables);

/* A component being skimmed.  `next` and `end` point to coefficients of the depth's width. */
typedef struct xc_skim {
	xc_bit_reader reader;
	const xc_decode_tables *tables;
	const xc_skim_table *skim;
	const uint32_t *table; /* of these, the one that the next symbol needs */
	char *next, *end;      /* where the next DC goes; the end of the last one */
	int32_t position;      /* in the scan; -1: the DC is next */
	int bad;               /* a value was too large, in this component or an earlier one */
} xc_skim;

/* Sets a stream to the start of its next component, whose `bytes` bytes of DCs go to `to`.  DCs are
 * whole values, and differences until xc_restore_skimmed(). */
static inline void xc_skim_begin(xc_skim *s, const xc_decode_tables *tables,
                                 const xc_skim_table *skim, void *to, size_t bytes)
{
	s->tables = tables;
	s->skim = skim;
	s->table = skim[0];
	s->next = (char *)to;
	s->end = s->next + bytes;
	s->position = -1;
	memset(to, 0, bytes);
}

/* Decodes to the end of the component. */
void xc_skim_finish16(xc_skim *s);
void xc_skim_finish16_bmi2(xc_skim *s);
void xc_skim_finish32(xc_skim *s);

/* Decodes both until one of them is near the end of its component, where xc_skim_finish() takes over. */
void xc_skim_two16(xc_skim *a, xc_skim *b);
void xc_skim_two16_bmi2(xc_skim *a, xc_skim *b);

#endif
