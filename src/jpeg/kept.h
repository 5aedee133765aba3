/* SPDX-License-Identifier: BSD-2-Clause */
/* The first picture of a JPEG in an XC file, for src/decode/: its shape and metadata as if it were a
 * picture of ours, and its coefficients. A file that cannot be shown so is XC_ERR_UNSUPPORTED. */
#ifndef XC_SRC_JPEG_KEPT_H
#define XC_SRC_JPEG_KEPT_H

#include "src/container/parser.h"
#include "src/jpeg/file.h"

typedef struct xc_kept {
	/* Wanted: rows of pixels, and whether damaged segments become grey. */
	uint32_t y, height;
	int keep_going;
	/* Found: */
	int16_t *blocks[XC_JPEG_COMPONENTS];  /* in zigzag order; the first owns the memory of all */
	uint32_t columns[XC_JPEG_COMPONENTS]; /* blocks from one row of them to the next */
	uint32_t row[XC_JPEG_COMPONENTS];     /* of blocks, the first one in memory */
	uint32_t first, end;                  /* MCU rows of the JPEG in memory */
	int whole;                            /* they are all */
	uint64_t damaged, first_damaged;      /* segments; UINT64_MAX: none */
	xc_jpeg_plan plan;
	xc_jpeg_info info;
	int adobe; /* the colour transform that a marker of Adobe's tells, without one of JFIF; -1: none */
	int doubtful; /* segments that are intact do not match their chunk's CRC */
} xc_kept;

/* Sets header, geometry, steps, metadata and the file of k, whose rest is to be zero, and how many segments
 * the JPEG has. After XC_ERR_UNSUPPORTED the metadata are set. xc_container_close() must follow, also after a failure. */
xc_status xc_kept_open(xc_context *context, const void *file, size_t size, xc_container *k,
                       uint64_t *segments);
/* Decodes the coefficients of rows y to y + height - 1. With keep_going a file may be cut off, and have bytes after
 * its end. */
xc_status xc_kept_read(xc_context *context, const void *file, size_t size, xc_kept *kept);
static inline void xc_kept_free(xc_context *c, xc_kept *kept)
{
	xc_release(c, kept->blocks[0]);
	kept->blocks[0] = NULL;
}

/* xc_read_segments() of the first picture, of which the file may lack the last ones. */
xc_status xc_kept_describe(xc_context *context, const void *file, size_t size, uint64_t first,
                           uint64_t count, xc_segment_info *segments);
/* xc_jpeg_decode(); lenient: bytes after the end of the file are a message. */
xc_status xc_kept_bytes(xc_context *context, const void *file, size_t size, int lenient,
                        xc_buffer *jpeg);
/* The bytes that there are of a JPEG that is stored as it is. */
xc_status xc_kept_stored_bytes(xc_context *context, const void *file, size_t size, xc_buffer *jpeg);

/* The segments of a JPEG that a GPU decodes: those of a piece have frequencies of their own. */
typedef struct xc_kept_piece {
	xc_shape_index shapes[XC_JPEG_SHAPES];
	uint32_t crc[2]; /* of the head of its DATA, of its frequencies */
	uint32_t check;  /* of DATA, as the file says */
} xc_kept_piece;

typedef struct xc_kept_list {
	xc_jpeg_plan plan;
	xc_jpeg_coding coding;
	uint32_t rows[XC_JPEG_COMPONENTS]; /* of blocks */
	uint32_t mcu_columns, mcu_rows;
	xc_listed_segment *segments; /* [bands][tiles], in the container's data */
	xc_kept_piece pieces[];      /* [plan.pieces] */
} xc_kept_list;

/* Sets listed, data and data_available of k, which xc_kept_open() has opened. listed stays NULL where a GPU has no
 * use for it: the JPEG is in many pieces. lenient: segments may be missing, as with xc_decode_options.keep_going. */
xc_status xc_kept_list_segments(xc_context *context, xc_container *k, int lenient);
/* crcs: of segments. 0: those of DATA chunks do not match. */
int xc_kept_data_intact(const xc_kept_list *list, const uint32_t *crcs);
/* As xc_jpeg_fail_segment(). */
xc_status xc_kept_fail_segment(xc_context *context, const xc_kept_list *list, uint64_t segment);

/* Names what xc_container.left_out says: "left out of what the JPEG holds: a, b", or "". */
void xc_kept_name_left_out(uint32_t kinds, char text[XC_MESSAGE_BYTES]);

/* For src/jpeg/ and xc_read_info(): what the markers of a JPEG say, in metadata, owned and left_out of k; whether its three
 * components are RGB, as libjpeg guesses; what an XC file has behind its first picture. */
xc_status xc_kept_metadata(xc_context *context, const xc_jpeg *jpeg, xc_container *k);
int xc_kept_is_rgb(const xc_jpeg *jpeg);
int xc_kept_adobe(const xc_jpeg *jpeg); /* as xc_kept.adobe */
void xc_kept_look_behind(const uint8_t *file, size_t size, uint32_t *left_out);

/* For src/jpeg/decode.c. */
/* The metadata alone, of the chunk BYTE of a JPEG that is stored as it is. */
xc_status xc_kept_stored_metadata(xc_context *context, const uint8_t *chunk, uint64_t size,
                                  xc_container *k);
/* The blocks of a tile become grey. */
void xc_kept_clear(const xc_jpeg *jpeg, const xc_jpeg_band *tile);
/* The CRC of a DATA chunk's head goes on over those of its segments. */
uint32_t xc_kept_head_crc(const xc_chunk *data);
uint32_t xc_kept_add_crc(uint32_t crc, uint32_t n);
/* An entry of INDX: the size of a segment, of `width` bytes, before its check. */
static inline uint64_t xc_kept_entry_size(const uint8_t *entry, unsigned width)
{
	return xc_get_u16(entry) | (width > 2 ? (uint64_t)entry[2] << 16 : 0) |
	       (width > 3 ? (uint64_t)entry[3] << 24 : 0);
}
/* Passes a chunk that is intact as far as it has a CRC of its own: how many segments of DATA are damaged, by the INDX
 * before it, which *index keeps, of zeros before the first one. */
uint64_t xc_kept_pass(const xc_chunk *chunk, xc_chunk *index);
/* A list without its segments, in one allocation; NULL: there is no memory. */
xc_kept_list *xc_kept_list_new(xc_context *context, const xc_jpeg *jpeg, const xc_jpeg_plan *plan);
xc_status xc_kept_shape(xc_context *context, const xc_jpeg *jpeg, const xc_jpeg_info *info,
                        xc_container *k);
xc_status xc_kept_allocate(xc_context *context, const xc_jpeg *jpeg, const xc_jpeg_plan *plan,
                           xc_kept *kept);
/* 1: some of these MCU rows are wanted. */
int xc_kept_wants(const xc_kept *kept, uint32_t first, uint32_t rows);
/* Sets where the blocks of a band go. 0: they are not wanted. */
int xc_kept_band(const xc_kept *kept, const xc_jpeg *jpeg, xc_jpeg_band *band);

#endif
