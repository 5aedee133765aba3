/* SPDX-License-Identifier: BSD-2-Clause */
/* The XC container (doc/format.md): a magic number, then chunks with a CRC each. */
#ifndef XC_SRC_CONTAINER_CONTAINER_H
#define XC_SRC_CONTAINER_CONTAINER_H

#include "entropy/contexts.h"
#include "entropy/points.h"
#include "entropy/rans/tables.h"
#include "src/core/context.h"
#include "geometry/geometry.h"
#include "geometry/index.h"
#include "quant/tables.h"

enum {
	XC_FORMAT_VERSION = 3,
	XC_MAGIC_BYTES = 8,
	XC_CHUNK_OVERHEAD = 4 + 10 + 4, /* at most */
	XC_HEAD_BYTES = 18,
	/* The largest payload of HEAD, ARRY and JPEG. Readers ignore what follows the fields that they
	 * know. */
	XC_MAX_HEAD_BYTES = 255
};

/* How segments are coded: with built-in Huffman codes, one stored AC code per class, stored codes
 * per context, rANS with built-in or stored frequencies, not at all, or without loss. */
enum {
	XC_ENTROPY_HUFFMAN_DEFAULT = 0,
	XC_ENTROPY_HUFFMAN_STORED = 1,
	XC_ENTROPY_HUFFMAN_CONTEXTS = 2,
	XC_ENTROPY_RANS_BUILT_IN = 3,
	XC_ENTROPY_RANS_STORED = 4,
	XC_ENTROPY_SAMPLES = 5, /* not coded: samples as they are, with XC_TRANSFORM_NONE */
	XC_ENTROPY_EXACT = 6    /* by lossless/, with XC_TRANSFORM_NONE: XC_ENTROPY_LOSSLESS */
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

/* Checks that the picture to decode into has the shape of the file. */
xc_status xc_header_check_picture(xc_context *context, const xc_header *header,
                                  const xc_picture *picture);

/* 1: AC coefficients are predicted from DCs (entropy/ac_prediction.h). */
static inline int xc_header_predicts_ac(const xc_header *header)
{
	return header->entropy >= XC_ENTROPY_HUFFMAN_CONTEXTS && header->entropy < XC_ENTROPY_SAMPLES;
}

static inline int xc_header_has_rans(const xc_header *header)
{
	return header->entropy == XC_ENTROPY_RANS_BUILT_IN || header->entropy == XC_ENTROPY_RANS_STORED;
}

static inline int xc_header_is_lossless(const xc_header *header)
{
	return header->entropy == XC_ENTROPY_EXACT;
}

/* A parsed file; its pointers point into the file. */
typedef struct xc_container {
	xc_header header;
	xc_geometry geometry;
	uint32_t quant[XC_MAX_COMPONENTS][64]; /* row by row */
	xc_value_points points[2];             /* luma, chroma */
	int has_colours;                       /* 0: the components are Y, Cb and Cr */
	int16_t colours[9];                    /* the matrix to these; see transform/colour_matrix.h */
	/* Lossless files alone have these. Colours have R, G, B and alpha, whatever the picture's channels. */
	uint8_t palette[256][4];
	uint32_t palette_count; /* 0: there is none */
	int palette_bits;       /* of an index of the original: 1, 2, 4 or 8; 0: it had no palette */
	uint32_t max_error;
	/* Segments of a tile: of colour and, after it, of alpha if there is one; 1 in lossless files. */
	uint32_t layers;
	xc_piece *pieces; /* of the context's memory: see xc_container_close() */
	void *owned;      /* likewise: metadata that no file has so, or NULL */
	/* A file with a JPEG has no pieces, but (src/jpeg/kept.h): */
	const void *jpeg;            /* the file; else NULL */
	size_t jpeg_bytes;           /* of it */
	uint64_t later_damaged;      /* segments of a JPEG's pictures after the first one */
	uint32_t left_out;           /* kinds of what the JPEG says that metadata has no place for */
	struct xc_kept_list *listed; /* of the context's memory: its segments, where a GPU wants them */
	uint64_t piece_count;
	uint64_t segments;       /* of colour, one a tile; pieces count those of alpha as well */
	const uint8_t *data;     /* the first segment */
	uint64_t data_size;      /* of all segments, as the file says */
	uint64_t data_available; /* bytes of the segments that the file has */
	int data_checked;        /* the file has the CRC of each piece */
	xc_metadata metadata;
	uint64_t header_bytes, table_bytes, index_bytes, segment_bytes, alpha_bytes, metadata_bytes;
	uint64_t extra_bytes; /* after the end; 0 unless damage is accepted */
	/* A file has one of these two large tables; the other one is undefined. */
	xc_code_set codes[2];            /* luma, chroma; of Huffman codes */
	xc_rans_frequencies frequencies; /* of rANS, unless they are built in */
} xc_container;

/* The bytes of all segments of colour. */
static inline uint64_t xc_colour_bytes(const xc_container *k)
{
	return k->data_size - k->alpha_bytes;
}

/* The built-in Huffman codes, [luma, chroma][DC, AC], made once. For one thread at a time. */
const xc_huffman_code (*xc_default_codes(xc_context *context))[2];

/* Parses a file and checks everything but the segments. truncated: the file may end inside the
 * segments of its first piece or anywhere after them, or have bytes after its end. The caller calls
 * xc_container_close(), also after a failure. */
xc_status xc_container_read(xc_context *context, const void *file, size_t size, int truncated,
                            xc_container *container);
void xc_container_close(xc_context *context, xc_container *container);
/* Fails if xc_limits.max_expansion forbids `pixels` pixels for a file of `bytes` bytes. */
xc_status xc_check_expansion(xc_context *context, int lossless, uint64_t pixels, uint64_t bytes);
/* The same for the whole picture. */
static inline xc_status xc_container_check_expansion(xc_context *context, const xc_container *k,
                                                     uint64_t bytes)
{
	return xc_check_expansion(context, xc_header_is_lossless(&k->header),
	                          (uint64_t)k->header.width * k->header.height, bytes);
}

/* The writer appends to a buffer without checking its size; xc_container_overhead() and the other
 * bounds say how much room it needs. */
typedef struct xc_writer {
	uint8_t *next;
} xc_writer;

void xc_write_magic(xc_writer *w);
void xc_write_head(xc_writer *w, const xc_header *header);
/* preset: 0 stored tables, 1 Annex K, 2 flat, 3 sloped, by `scale` (quant/tables.h); tables: 1 or 2
 * of them, with their points. */
enum {
	XC_QUANT_STORED = 0,
	XC_QUANT_ANNEX_K = 1,
	XC_QUANT_FLAT = 2,
	XC_QUANT_SLOPED = 3,
	XC_QUANT_CURVE = 4
};
void xc_write_quant(xc_writer *w, int preset, const xc_quant_curve curves[2], int tables,
                    const uint32_t steps[][64], const xc_value_points points[]);
void xc_write_colours(xc_writer *w, const int16_t colours[9]);
/* palette: 1 to 256 colours of R, G, B and alpha, of which grey pictures (channels 1 and 2) have
 * three that are equal; bits: of an index of the original, or 0. */
void xc_write_palette(xc_writer *w, const uint8_t (*palette)[4], uint32_t count, int channels,
                      int bits);
void xc_write_max_error(xc_writer *w, uint32_t max_error);
/* built_in: see xc_default_codes(); NULL: codes without contexts. */
void xc_write_codes(xc_writer *w, int components, const xc_code_set codes[2],
                    const xc_huffman_code (*built_in)[2]);
/* Writes the metadata that `before`, already written, lacks. Either may be NULL. */
void xc_write_metadata(xc_writer *w, const xc_metadata *metadata, const xc_metadata *before);
/* Writes a whole chunk, or the start and the end of a chunk whose payload the caller appends. */
void xc_write_chunk(xc_writer *w, const char type[4], const void *data, size_t size);
uint8_t *xc_write_chunk_start(xc_writer *w, const char type[4], uint64_t length);
void xc_write_chunk_end(xc_writer *w, const uint8_t *start);
void xc_write_u32(xc_writer *w, uint32_t value);

/* A segment to be written. */
typedef struct xc_segment_bits {
	const uint8_t *data;
	uint64_t offset; /* in its piece as xc_write_piece_start() sets it; then in the file */
	uint32_t size, crc;
} xc_segment_bits;

/* Writes a piece of n segments up to the first of them, and sets *total to their bytes. Returns the
 * CRC that follows the last one. */
uint32_t xc_write_piece_start(xc_writer *w, xc_segment_bits *segments, uint64_t n, uint64_t *total);
/* An upper bound of the bytes of a piece without its segments. */
uint64_t xc_piece_overhead(uint64_t segments);

/* Checks that metadata (NULL: none) can be written and are within the limits of the context. */
xc_status xc_metadata_check(xc_context *context, const xc_metadata *metadata);
/* The part of it that depends on the depth of the samples. */
xc_status xc_metadata_check_depth(xc_context *context, const xc_metadata *metadata, uint32_t depth);
/* Reads an ancillary chunk; unknown ones are ignored. */
xc_status xc_metadata_take(xc_context *context, const char type[5], const uint8_t *payload,
                           uint64_t length, xc_metadata *metadata);
/* An upper bound of the bytes of the chunks of metadata (NULL: none). */
uint64_t xc_metadata_bound(const xc_metadata *metadata);
/* An upper bound of the bytes of a file without the index and the data of its segments. */
uint64_t xc_container_overhead(const xc_metadata *metadata);

#endif
