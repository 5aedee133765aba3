/* SPDX-License-Identifier: BSD-2-Clause */
/* XC files that hold a JPEG (doc/format.md, section 12): what their writer and reader share. */
#ifndef XC_SRC_JPEG_FILE_H
#define XC_SRC_JPEG_FILE_H

#include <xcodec_jpeg.h>

#include "jpeg/code.h"
#include "src/container/container.h"
#include "src/core/sha256.h"

enum {
	XC_JPEG_HEAD_BYTES = 7 + XC_SHA256_BYTES, /* at most */
	XC_JPEG_PICTURES = 64,                    /* of a file that are repacked */
	XC_JPEG_BAND_ROWS = 16, /* MCU rows of a band: lanes are full, 4:2:0 included */
	XC_JPEG_TILE_PIXELS = 1 << 18,
	XC_JPEG_EXPANSION = 1024,   /* bytes of a JPEG for each byte of a file that we write */
	XC_JPEG_ANY_SIZE = 1 << 20, /* that a file of any size may have more */
	XC_JPEG_PLAN_BYTES = 3 * 5 + 10 + 1
};

/* How a picture is cut: bands of MCU rows, of which a piece has some, and tiles of bands. */
typedef struct xc_jpeg_plan {
	uint32_t rows, columns; /* MCUs of a band, of a tile */
	uint32_t piece;         /* bands of a piece */
	/* From these: */
	uint32_t bands, tiles, pieces;
	uint32_t mcu_width, mcu_height, width, height; /* pixels of an MCU, of the picture */
} xc_jpeg_plan;

/* Sets these, and limits `piece` to the bands that there are; 0: the others are damaged. */
int xc_jpeg_plan_make(const xc_jpeg *jpeg, xc_jpeg_plan *plan);
static inline uint32_t xc_jpeg_plan_bands(const xc_jpeg_plan *p, uint32_t piece)
{
	const uint32_t left = p->bands - piece * p->piece;
	return left < p->piece ? left : p->piece;
}

/* A band of the picture, with blocks in memory for xc_jpeg_plan_blocks() of them, and a tile of it. */
size_t xc_jpeg_plan_blocks(const xc_jpeg *jpeg, const xc_jpeg_plan *plan);
xc_jpeg_band xc_jpeg_plan_band(const xc_jpeg *jpeg, const xc_jpeg_plan *plan, uint32_t band,
                               int16_t *blocks);
void xc_jpeg_plan_tile(const xc_jpeg *jpeg, const xc_jpeg_plan *plan, uint32_t tile,
                       xc_jpeg_band *band);

/* Sets which pixels segment n has, counted over all bands, and that it has no alpha; all else is 0. */
void xc_jpeg_plan_describe(const xc_jpeg_plan *plan, uint64_t n, xc_segment_info *info);
/* Fails: "segment 3 of the JPEG is damaged (pixels 384,0 to 767,255)". */
xc_status xc_jpeg_fail_segment(xc_context *context, const xc_jpeg_plan *plan, uint64_t n);

/* Threads for a piece, fewer where half of the memory that is left does not hold `each` bytes for all. */
int xc_jpeg_workers(const xc_context *context, const xc_jpeg *jpeg, const xc_jpeg_plan *plan,
                    uint64_t each);

/* The quality of the IJG's tables that are nearest to a picture's, and the dictionary with these tables, by which its
 * description is packed. */
int xc_jpeg_quality(const xc_jpeg *jpeg);
void xc_jpeg_dictionary_of(int quality, xc_jpeg_dictionary dictionary);

/* Adds what is known of a picture, the first of a file or another. */
void xc_jpeg_info_add(const xc_jpeg *jpeg, const xc_jpeg_plan *plan, uint64_t described,
                      xc_jpeg_info *info);

/* Sets cut_off, damaged, blocks and missing_blocks, once `found` of the scans is known. */
void xc_jpeg_info_flaws(const xc_jpeg *jpeg, xc_jpeg_info *info);

/* "a file has more pixels than the limit" */
xc_status xc_jpeg_check_pixels(xc_context *context, const xc_jpeg *jpeg);

#endif
