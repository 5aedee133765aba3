/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two halves of the reference decoder share: refdec_file.c takes a file apart
 * (sections 2 to 4 of doc/format.md and the tables of 5 and 6), refdec.c decodes it. */
#ifndef XC_TESTS_FORMAT_REFDEC_INTERNAL_H
#define XC_TESTS_FORMAT_REFDEC_INTERNAL_H

#include <setjmp.h>
#include <zlib.h>

#include "tests/format/refdec.h"

/* [5.2] symbols in the order of their codes, and how many there are of each length. */
typedef struct refdec_code {
	int count[17];
	uint8_t symbol[256];
} refdec_code;

typedef struct refdec_chunk {
	const uint8_t *start, *payload; /* NULL: the file has none */
	uint64_t length;
	uint32_t crc;
} refdec_chunk;

enum { HEAD, QNTZ, HUFF, ALPH, INDX, DATA, DONE, CHUNKS };

typedef struct refdec {
	jmp_buf failed;
	const char *error;
	const uint8_t *file, *end;
	uint64_t max_pixels;
	refdec_chunk chunks[CHUNKS];
	uint32_t width, height, tile_wide, tile_high; /* tiles in MCUs */
	int channels, depth, subsampling, transform, entropy, quality;
	int components, h, v;
	uint64_t mcus_wide, mcus_high;
	float factor[2][8][8];          /* [Y, CbCr][u][v] */
	refdec_code codes[2][2];        /* [Y, CbCr][DC, AC] */
	const uint8_t *bits, *bits_end; /* of the segment */
	int bit;                        /* of *bits, 7 is the first */
	float *plane[3];
	uint64_t stride[3];
	uint16_t *samples;
	uint8_t *rows; /* of alpha */
	z_stream z;
	int z_open;
} refdec;

/* Ends the decoding. */
_Noreturn void refdec_fail(refdec *d, const char *error);

uint32_t refdec_u16(const uint8_t *p);
uint32_t refdec_crc32c(uint32_t crc, const uint8_t *p, uint64_t n);
uint64_t refdec_divide_up(uint64_t a, uint64_t b);

/* The chunk; without it the decoding ends. */
const refdec_chunk *refdec_need(refdec *d, int i);

/* Fills everything above but what belongs to segments and samples. */
void refdec_read_file(refdec *d);

#endif
