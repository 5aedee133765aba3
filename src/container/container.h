/* SPDX-License-Identifier: BSD-2-Clause */
/* The XC container (doc/format.md): a magic number, then chunks of type, length, payload and
 * CRC. */
#ifndef XC_SRC_CONTAINER_CONTAINER_H
#define XC_SRC_CONTAINER_CONTAINER_H

#include "entropy/contexts.h"
#include "entropy/points.h"
#include "entropy/rans/tables.h"
#include "src/core/context.h"
#include "geometry/geometry.h"
#include "geometry/index.h"

enum {
	XC_FORMAT_VERSION = 2,
	XC_MAGIC_BYTES = 8,
	XC_CHUNK_OVERHEAD = 4 + 10 + 4, /* at most */
	XC_HEAD_BYTES = 18
};

/* How segments are coded: by the built-in codes, by one stored AC code a class, or by stored codes
 * for each context; by rANS with the built-in frequencies or stored ones; or not at all. */
enum {
	XC_ENTROPY_HUFFMAN_DEFAULT = 0,
	XC_ENTROPY_HUFFMAN_STORED = 1,
	XC_ENTROPY_HUFFMAN_CONTEXTS = 2,
	XC_ENTROPY_RANS_BUILT_IN = 3,
	XC_ENTROPY_RANS_STORED = 4,
	XC_ENTROPY_SAMPLES = 5 /* not coded: samples as they are, with XC_TRANSFORM_NONE */
};

/* The header of a picture, as the HEAD chunk has it. */
typedef struct xc_header {
	uint32_t width, height;
	uint32_t channels, depth;
	xc_subsampling subsampling;
	xc_transform transform;
	int entropy;
	int quality;
	uint32_t tile_mcus_wide, tile_mcus_high;
} xc_header;

/* Checks that a picture that is to be decoded has the file's shape. */
xc_status xc_header_check_picture(xc_context *context, const xc_header *header,
                                  const xc_picture *picture);

/* Coefficients are coded without their slopes (entropy/ac_prediction.h). */
static inline int xc_header_predicts_ac(const xc_header *header)
{
	return header->entropy >= XC_ENTROPY_HUFFMAN_CONTEXTS && header->entropy != XC_ENTROPY_SAMPLES;
}

static inline int xc_header_has_rans(const xc_header *header)
{
	return header->entropy == XC_ENTROPY_RANS_BUILT_IN || header->entropy == XC_ENTROPY_RANS_STORED;
}

/* A file taken apart; pointers lead into it. */
typedef struct xc_container {
	xc_header header;
	xc_geometry geometry;
	uint32_t quant[XC_MAX_COMPONENTS][64]; /* row by row */
	xc_value_points points[2];             /* luma, chroma */
	int has_colours;                       /* the components are not Y, Cb and Cr */
	int16_t colours[9];                    /* the matrix to these; see transform/colour_matrix.h */
	uint32_t layers;  /* segments of a tile: of colour and, after it, of alpha if there is one */
	xc_piece *pieces; /* of the context's memory: see xc_container_close() */
	uint64_t piece_count;
	uint64_t segments;   /* of colour, one a tile; pieces count those of alpha as well */
	const uint8_t *data; /* the first segment */
	uint64_t data_size;  /* of all segments, as the file says */
	uint64_t
		data_available; /* bytes from the first segment to the end of the last one, as many as the
	                      * file has */
	int data_checked;   /* the file has the CRC of each piece */
	xc_metadata metadata;
	uint64_t header_bytes, table_bytes, index_bytes, segment_bytes, alpha_bytes, metadata_bytes;
	uint64_t extra_bytes; /* after the end; 0 unless damage is accepted */
	/* These are large, and a file has one of the two: what it does not have is undefined. */
	xc_code_set codes[2];            /* luma, chroma; of Huffman codes */
	xc_rans_frequencies frequencies; /* of rANS, unless they are built in */
} xc_container;

/* The bytes of all segments of colour. */
static inline uint64_t xc_colour_bytes(const xc_container *k)
{
	return k->data_size - k->alpha_bytes;
}

/* The built-in Huffman codes, [luma, chroma][DC, AC], which the context makes once and keeps. For
 * one thread of a call. */
const xc_huffman_code (*xc_default_codes(xc_context *context))[2];

/* Takes a file apart and checks everything but the segments. truncated: the file may end inside the
 * segments of its first piece or anywhere after them, or have bytes after its end. The caller calls
 * xc_container_close(), also after a failure. */
xc_status xc_container_read(xc_context *context, const void *file, size_t size, int truncated,
                            xc_container *container);
void xc_container_close(xc_context *context, xc_container *container);
/* Whether so many pixels may come of so many bytes of a file; see xc_limits.max_expansion. */
xc_status xc_check_expansion(xc_context *context, uint64_t pixels, uint64_t bytes);
/* The same of a whole picture. */
static inline xc_status xc_container_check_expansion(xc_context *context, const xc_container *k,
                                                     uint64_t bytes)
{
	return xc_check_expansion(context, (uint64_t)k->header.width * k->header.height, bytes);
}

/* Writing appends bytes to a buffer, which must have room: see xc_container_overhead(). */
typedef struct xc_writer {
	uint8_t *next;
} xc_writer;

void xc_write_magic(xc_writer *w);
void xc_write_head(xc_writer *w, const xc_header *header);
/* preset: 0 stored tables, 1 Annex K, 2 flat, 3 sloped, by `scale` (quant/tables.h); tables: 1 or 2
 * of them, with their points. */
enum { XC_QUANT_STORED = 0, XC_QUANT_ANNEX_K = 1, XC_QUANT_FLAT = 2, XC_QUANT_SLOPED = 3 };
void xc_write_quant(xc_writer *w, int preset, uint32_t scale, int tables,
                    const uint32_t steps[][64], const xc_value_points points[]);
void xc_write_colours(xc_writer *w, const int16_t colours[9]);
/* built_in: see xc_default_codes(); NULL: codes without contexts. */
void xc_write_codes(xc_writer *w, int components, const xc_code_set codes[2],
                    const xc_huffman_code (*built_in)[2]);
/* Writes what metadata (NULL: none) has, but not what `before` (NULL: nothing), which is written
 * already, has as well. */
void xc_write_metadata(xc_writer *w, const xc_metadata *metadata, const xc_metadata *before);
/* A chunk; the start of one whose payload the caller appends, and its end. */
void xc_write_chunk(xc_writer *w, const char type[4], const void *data, size_t size);
uint8_t *xc_write_chunk_start(xc_writer *w, const char type[4], uint64_t length);
void xc_write_chunk_end(xc_writer *w, const uint8_t *start);
void xc_write_u32(xc_writer *w, uint32_t value);

/* A segment that is to be written. */
typedef struct xc_segment_bits {
	const uint8_t *data;
	uint64_t offset; /* in its piece as xc_write_piece_start() sets it; then in the file */
	uint32_t size, crc;
} xc_segment_bits;

/* Writes a piece of n segments up to the first of them, and sets *total to their bytes. Returns the
 * CRC that follows the last one. */
uint32_t xc_write_piece_start(xc_writer *w, xc_segment_bits *segments, uint64_t n, uint64_t *total);
/* The bytes of a piece without its segments, at most. */
uint64_t xc_piece_overhead(uint64_t segments);

/* Checks that metadata (NULL: none) can be written and keeps to the context's limits. */
xc_status xc_metadata_check(xc_context *context, const xc_metadata *metadata);
/* Takes an ancillary chunk, which is ignored unless it is one of metadata. offset: where it lies in
 * the file, for messages. */
xc_status xc_metadata_take(xc_context *context, const char type[5], const uint8_t *payload,
                           uint64_t length, uint64_t offset, xc_metadata *metadata);
/* An upper bound of the bytes of the chunks of metadata (NULL: none). */
uint64_t xc_metadata_bound(const xc_metadata *metadata);
/* An upper bound of the bytes of a file without the index and the data of its segments. */
uint64_t xc_container_overhead(const xc_metadata *metadata);

#endif
