/* SPDX-License-Identifier: BSD-2-Clause */
/* Huffman tables of JPEG files, for jpeg/read.c and jpeg/write.c alone. */
#ifndef XC_JPEG_HUFFMAN_H
#define XC_JPEG_HUFFMAN_H

#include <stdint.h>

enum {
	XC_JPEG_FAST = 11,            /* bits that are looked up */
	XC_JPEG_LONG = 0x80,          /* in an entry: see below */
	XC_JPEG_ENDED = 127,          /* in an entry: the end of the block, as that many places */
	XC_JPEG_CORRECTIONS = 1 << 13 /* bits that may wait for the code of a run of ended blocks */
};

/* Entries of fast: bits of code and value in 0 to 5, the symbol in 8 to 15, the value in 16 to 31.
 * Where both do not fit there is XC_JPEG_LONG, and bits of the code alone, or 0.
 * With second symbols an entry is a step through a block: the run in 12 to 15, a value, how far the
 * next one is in 48 to 52, that in 32 to 47, and how far the place after it in 57 to 63. 0 to 5 are the
 * bits of all, 53 to 56 those of the first symbol. Symbols without value but the end have
 * XC_JPEG_LONG. */
typedef struct xc_jpeg_decode_table {
	uint64_t fast[1 << XC_JPEG_FAST];
	uint32_t end[17];  /* after the last code of each length, as if it had 16 bits */
	int32_t first[17]; /* from a code of each length to its symbol */
	uint8_t symbol[256];
} xc_jpeg_decode_table;

/* By symbol: its code, and how many bits that has in 16 to 20; 0: it has no code. */
typedef struct xc_jpeg_encode_table {
	uint32_t code[256];
} xc_jpeg_encode_table;

/* Both take a table as it is stored, 16 counts and the symbols. 0: it is none, or has two codes for a
 * symbol. seconds: entries are to have second symbols. */
int xc_jpeg_decode_table_make(const uint8_t *stored, int seconds, xc_jpeg_decode_table *table);
int xc_jpeg_encode_table_make(const uint8_t *stored, xc_jpeg_encode_table *table);

/* The value of a number of n bits, below 16. */
static inline int32_t xc_jpeg_extended(uint32_t bits, uint32_t n)
{
	return n && !(bits >> (n - 1)) ? (int32_t)bits - (1 << n) + 1 : (int32_t)bits;
}

/* Ours ends a run of blocks here. */
static inline int xc_jpeg_run_ends(uint32_t blocks, uint32_t corrections)
{
	return blocks == 0x7fff || corrections > 937;
}

#endif
