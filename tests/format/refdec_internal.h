/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the reference decoder share: refdec_file.c takes a file apart (sections
 * 2 to 4 of doc/format.md and the steps of 6), refdec_codes.c makes its Huffman codes (5.2 to
 * 5.5), refdec_alpha.c reads alpha, refdec_rans.c reads what is coded by rANS (5.12),
 * refdec_states.c has the sets and states of 7.2 and 7.3, refdec_lossless.c and refdec_drawing.c
 * read lossless segments (7), refdec_array.c arrays (11), tests/formats/refdec_jpeg.c JPEGs (12), refdec.c decodes the file of a picture. */
#ifndef XC_TESTS_FORMAT_REFDEC_INTERNAL_H
#define XC_TESTS_FORMAT_REFDEC_INTERNAL_H

#include <setjmp.h>

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

/* [2.5] INDX and the DATA after it. */
typedef struct refdec_piece {
	refdec_chunk index, data;
} refdec_piece;

enum { HEAD, QNTZ, COLR, HUFF, RANS, PLTE, NEAR, INDX, DATA, DONE, CHUNKS };
enum { CONTEXTS = 6 };

typedef struct refdec_rans refdec_rans;
typedef struct refdec_lossless refdec_lossless;

typedef struct refdec {
	jmp_buf failed;
	jmp_buf segment_failed; /* if in_segment */
	int in_segment;
	uint8_t *damaged; /* [segments], or NULL: damage ends the decoding */
	uint64_t max_segments;
	const char *error;
	const uint8_t *file, *end;
	uint64_t max_pixels;
	refdec_chunk chunks[CHUNKS]; /* of INDX and DATA the last one */
	refdec_piece *pieces;
	uint64_t piece_count;
	int index_open;   /* the last piece has no DATA yet */
	int cut, missing; /* [8] the file ends too early; so does a segment */
	uint64_t left;    /* bytes of the piece after the segment */
	uint32_t width, height, tile_wide, tile_high; /* tiles in MCUs */
	uint64_t tile_blocks;                         /* of a whole tile, without alpha; at most 4096 */
	int channels, depth, range, subsampling, transform, entropy, quality;
	int components, h, v;
	uint64_t mcus_wide, mcus_high;
	float factor[2][8][8];          /* [Y, CbCr][u][v] */
	uint32_t slope[2][2];           /* [Y, CbCr][horizontal, vertical] of section 6.2.5 */
	int one[2], more[2];            /* [Y, CbCr] points of reconstruction */
	float matrix[3][3];             /* of COLR, if there is one */
	refdec_code dc[2];              /* [Y, CbCr] */
	refdec_code ac[2][CONTEXTS];    /* without contexts only the first */
	uint8_t taken[2][CONTEXTS];     /* which of them a context takes */
	refdec_rans *rans;              /* NULL before the frequencies are read */
	refdec_lossless *lossless;      /* NULL: there are no lossless segments */
	uint32_t max_error, colours;    /* of NEAR, and how many PLTE has */
	const uint8_t *bits, *bits_end; /* of the segment, or of HUFF */
	int bit;                        /* of *bits, 7 is the first */
	int32_t (*blocks)[8][8];        /* coefficients of a component of a segment */
	float *plane[3];
	uint64_t stride[3];
	uint16_t *samples, *tile_samples;               /* the second of a tile without loss */
	uint32_t layers;                                /* [4.3] segments of a tile */
	void *jpeg_memory, *jpeg_tables, *jpeg_waiting; /* of refdec_jpeg.c and refdec_jpeg_blocks.c */
	uint16_t *alpha, *tile_alpha; /* samples of the picture and of a tile; NULL: there is none */
} refdec;

/* Ends the decoding. */
_Noreturn void refdec_fail(refdec *d, const char *error);

uint32_t refdec_u16(const uint8_t *p);
uint32_t refdec_crc32c(uint32_t crc, const uint8_t *p, uint64_t n);
uint64_t refdec_divide_up(uint64_t a, uint64_t b);

/* [2.2, 2.3] The chunk at p; returns the first byte after it. */
const uint8_t *refdec_read_chunk(refdec *d, const uint8_t *p, refdec_chunk *c);
/* [2.1] */
void refdec_check_magic(refdec *d);
/* [2.6] 1: a chunk of this type that has these bytes, or more. */
int refdec_is_head(const refdec_chunk *c, const char *type, uint64_t bytes);
_Noreturn void refdec_fail_unknown(refdec *d);
/* [2.5] The next INDX and DATA of d->pieces. */
void refdec_add_index(refdec *d, const refdec_chunk *c);
void refdec_add_data(refdec *d, const refdec_chunk *c);

/* [3.4, 3.5] Entry i of a piece, i = 0, 1, ...: its bytes are those from d->bits to d->bits_end, and
 * *crc goes on; 0: its check value does not hold. */
int refdec_open_segment(refdec *d, const refdec_piece *p, uint64_t i, uint32_t *crc);

/* The chunk; without it the decoding ends. */
const refdec_chunk *refdec_need(refdec *d, int i);

/* [6.2] T.81, K.1: luma and chroma, row by row. */
extern const uint8_t refdec_annex_k[2][64];

/* [5.1] The next n bits as a number, n up to 31.  If fewer are left, the decoding ends. */
uint32_t refdec_read_bits(refdec *d, int n);

void *refdec_allocate(refdec *d, uint64_t items, uint64_t size);
/* [5.2] */
int refdec_read_symbol(refdec *d, const refdec_code *c);
/* [5.11] The segment must end here. */
void refdec_end_bits(refdec *d);

/* [5.2] Fills the code for these lengths, which must be complete. */
void refdec_make_code(refdec *d, refdec_code *c, int symbols, const uint8_t *length);

/* [7] The segment of alpha of the tile whose first MCU is (mx, my), from bits to bits_end; or, in
 * its place, opaque samples. */
void refdec_read_alpha(refdec *d, uint64_t mx, uint64_t my);
void refdec_clear_alpha(refdec *d, uint64_t mx, uint64_t my);

/* Fills the codes. */
void refdec_read_codes(refdec *d);

/* [5.12] Makes d->rans with its frequencies; freed by free(). */
void refdec_read_frequencies(refdec *d);
/* [5.12] Reads a whole segment, from bits to bits_end, of a tile with this many MCUs. */
void refdec_read_rans(refdec *d, uint64_t mcus_wide, uint64_t mcus_high);
/* Its block number i, in the order of [4.3]; returns the DC, of which q has the difference too. */
int32_t refdec_rans_block(const refdec *d, uint64_t i, int32_t q[8][8]);

/* [7.2] Frequencies of the symbols, and their buckets. */
typedef struct refdec_set {
	uint32_t frequency[16], first[16], other[16], start[16];
} refdec_set;

/* At d->bits: a u32; what is left of a byte of which bits were read; a number in a Rice code. */
uint32_t refdec_read_u32(refdec *d);
void refdec_end_byte(refdec *d);
uint64_t refdec_read_rice(refdec *d, int k);
/* Changes the shape to the one that is stored by its differences from it. */
void refdec_read_shape(refdec *d, uint8_t shape[16]);
void refdec_make_set(refdec_set *s, const uint8_t shape[16]);
/* The sets of 64 levels, by the built-in shapes or stored ones. */
void refdec_read_shapes(refdec *d, refdec_set sets[64], const uint8_t builtin[64][16]);

/* [7.3] Taken from state *x, with words at d->bits. */
int refdec_take_symbol(refdec *d, uint32_t *x, const refdec_set *s);
/* A state below 2^16 takes a word. */
void refdec_fill(refdec *d, uint32_t *x);
uint32_t refdec_take_raw(refdec *d, uint32_t *x, int n);

/* [7] The rectangle that a lossless segment codes. */
typedef struct refdec_rectangle {
	uint32_t width, height, channels, depth, max_error;
} refdec_rectangle;

/* Makes d->lossless for rectangles of at most this many pixels; freed by free(). */
void refdec_begin_lossless(refdec *d, uint64_t pixels);
/* Reads a whole segment, from bits to bits_end, to samples [height][width][channels]. */
void refdec_read_lossless(refdec *d, const refdec_rectangle *r, uint16_t *samples);

/* Fills everything above but what belongs to segments and samples. */
void refdec_read_file(refdec *d);

/* The numbers of rANS, from sections 5.12.7 and 5.12.8 of doc/format.md. */

enum { SYMBOLS = 16, LEVELS = 16, LIMITS = 15 };
enum { AC0, AC1, DC, F0, SETS = 6 };

typedef struct refdec_model {
	uint8_t ac[3][12], constant[64], dc[6], flag[3][6]; /* weights */
	uint8_t limit[SETS][LIMITS];
	uint16_t frequency[3][LEVELS][SYMBOLS]; /* of AC0, AC1 and DC */
	uint16_t zero[3][LEVELS];               /* of flags */
} refdec_model;

/* By class: luma, chroma. */
extern const refdec_model refdec_models[2];

#endif
