/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture being encoded: what the passes of xc_encode() share. */
#ifndef XC_SRC_ENCODE_ENCODER_H
#define XC_SRC_ENCODE_ENCODER_H

#include "entropy/slopes.h"
#include "src/container/segment.h"
#include "src/encode/activity.h"
#include "src/encode/decide.h"
#include "src/encode/plan.h"
#include "src/pixels/forward.h"

typedef struct xc_encode_segment {
	xc_tile_tokens tokens;
	const uint8_t *bits;
	uint64_t offset; /* among the segments */
	uint32_t size, crc;
} xc_encode_segment;

typedef struct xc_encode_worker {
	xc_forward_scratch forward;
	void *coefficients, *dc; /* of a tile; room for decisions */
	uint16_t *factors;       /* of bits, see src/encode/activity.h; of each block of the tile */
	void *rans;              /* scratch of that coder */
	xc_arena tokens, bits;
	xc_token_counts counts[2][XC_AC_CONTEXTS];
	uint64_t counted; /* bytes of tokens in counts, which have 32 bits */
	xc_symbol_counts sums[2];
	xc_offsets offsets[2];
	xc_rans_counts rans_counts;
} xc_encode_worker;

typedef struct xc_encoder {
	xc_context *context;
	const xc_metadata *metadata;
	xc_encode_plan plan;
	xc_forward forward;
	float colours[9];
	const xc_entropy_level *level;
	xc_slopes slopes[2];    /* of luma and of chroma */
	int counting, deciding; /* codes are made for the picture; values are weighed */
	xc_rans_tables *rans;   /* NULL: there are Huffman codes */
	const xc_rans_level *rans_level;
	xc_rans_decision *rans_decision; /* NULL: values are rounded, perhaps with a dead zone */
	xc_code_set codes[2];
	xc_coder coders[2];
	uint8_t frequencies[XC_RANS_STORED_BYTES]; /* stored; of rANS */
	size_t frequency_bytes;                    /* 0: the built-in ones */
	xc_activity activity;
	xc_token_contexts contexts;
	xc_decision decisions[2];
	xc_encode_segment *segments;
	uint64_t count, stride; /* tiles; the pass takes every stride-th of them */
	uint64_t first;         /* tile of the piece that is being made */
	uint64_t time;          /* of coding, see src/core/parallel.h */
	xc_encode_worker *workers;
	int worker_count;
	int keep;              /* the tokens of the pass */
	uint64_t kept, budget; /* bytes of tokens */
	int out_of_memory;
	xc_buffer alpha;
	uint8_t *data; /* where the segments go */
} xc_encoder;

/* Tiles of every piece but the last. */
static inline uint64_t xc_encode_piece_tiles(const xc_encoder *e)
{
	return (uint64_t)xc_geometry_piece_rows(&e->plan.geometry) * e->plan.geometry.tiles_wide;
}

/* What is done to each tile, for xc_parallel_for(); user: the encoder.  The first takes every
 * stride-th tile, transforms it and counts its symbols; the others write its segment, by Huffman
 * codes or by rANS. */
void xc_encode_count_tile(void *user, uint64_t item, int worker);
void xc_encode_code_tile(void *user, uint64_t item, int worker);
void xc_encode_code_tile_rans(void *user, uint64_t item, int worker);
void xc_encode_count_tile_rans(void *user, uint64_t item, int worker);

/* Makes Huffman codes, and the decisions that go with them. */
xc_status xc_encode_make_codes(xc_encoder *encoder, int effort);
/* Counts the symbols of rANS, and takes frequencies of the picture's own where they pay. */
xc_status xc_encode_make_frequencies(xc_encoder *encoder);
/* Sets the points to those of the pass's decisions, whose offsets it takes away. */
void xc_encode_set_points(xc_encoder *encoder);

/* Puts the file together. */
xc_status xc_encode_assemble(xc_encoder *encoder, xc_buffer *out);

#endif
