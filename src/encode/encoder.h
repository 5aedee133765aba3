/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture being encoded: what the passes share, whether the picture is in memory as a whole
 * (xc_encode()) or comes in rows (xc_encoder_new()).
 *
 * `next` goes through the rows of tiles. The first piece is learnt from, where options ask for
 * that, and then every tile is made: to a segment, or to tokens when codes are made for the
 * picture. Rows that come one after another are done in batches of tile rows, of as many rows of
 * tiles as keep all threads busy, and pieces are written as soon as they are complete.
 */
#ifndef XC_SRC_ENCODE_ENCODER_H
#define XC_SRC_ENCODE_ENCODER_H

#include "entropy/ac_prediction.h"
#include "src/container/segment.h"
#include "src/encode/decide.h"
#include "src/encode/plan.h"
#include "src/pixels/forward.h"

typedef struct xc_encode_worker {
	xc_forward_scratch forward;
	void *coefficients, *dc; /* of a tile; room for decisions */
	uint16_t *factors;       /* of bits, see src/encode/activity.h; of each block of the tile */
	void *rans;              /* scratch of that coder */
	void *alpha;             /* samples of a tile and scratch of their coder */
	xc_arena tokens, bits, alpha_bits;
	uint64_t counted; /* bytes of tokens in counts, which have 32 bits */
	xc_offsets offsets[2];
	int counts_are_set; /* 0: nothing has been counted, and what follows is undefined */
	/* These are large, so they are zeroed by the thread that counts, when it begins to. */
	xc_token_counts counts[2][XC_AC_CONTEXTS];
	xc_symbol_counts sums[2];
	xc_rans_counts rans_counts;
} xc_encode_worker;

/* What is the same for all pictures: a context makes what it needs of it once. */
typedef struct xc_encode_tables {
	int has_rans, has_decision, has_coders, has_contexts;
	xc_rans_tables rans;
	xc_rans_decision decision;
	xc_coder coders[2]; /* of the built-in codes */
	xc_token_contexts contexts;
} xc_encode_tables;

/* Where a file goes: to a function by way of a buffer, or, without one, into the buffer. */
typedef struct xc_encode_out {
	xc_write write;
	void *user;
	uint8_t *data;
	size_t room, used;
	uint64_t total; /* bytes that were written */
} xc_encode_out;

struct xc_encoder {
	xc_context *context;
	xc_metadata metadata, written_metadata;
	xc_encode_options options;
	xc_encode_plan plan;
	xc_pixels pixels; /* the rows at hand, from forward.first on; width and height of the picture */
	xc_picture rows;  /* the shape of the picture; data and stride: those of pixels' first plane */
	uint8_t *window;  /* that memory if it is the encoder's */
	uint32_t arrived; /* rows */
	int whole;        /* they stay until the end: all are in memory, or collected for a device */
	int device;       /* which may encode them */
	int own_layout; /* it was xc_encoder_pixels() that gave the first rows, in another than a picture's */
	int ended;
	xc_status failed; /* once the work itself has failed: that for ever */
	xc_forward forward;
	xc_coefficient_cache *coefficient_cache; /* NULL: no other call goes on with them */
	float colours[9];
	const xc_entropy_level *level;
	xc_ac_prediction ac_prediction[2]; /* of luma and of chroma */
	int counting, deciding;            /* codes are made for the picture; values are weighed */
	int learning; /* from the first piece, whose rows of pixels are kept for that */
	int fine;     /* its coding is still to be chosen: see xc_encode_choose() */
	int storing;  /* samples are stored */
	xc_encode_tables *tables;
	int own_tables;             /* they are not the context's */
	const xc_rans_tables *rans; /* NULL: there are Huffman codes */
	const xc_rans_level *rans_level;
	xc_rans_decide *rans_decide;
	const xc_rans_decision *rans_decision; /* NULL: values are rounded, perhaps with a dead zone */
	xc_rans_tables *own_rans;              /* for frequencies of the picture's own; or NULL */
	const xc_coder *coders;
	size_t frequency_bytes; /* 0: the built-in ones */
	xc_activity activity;
	xc_tile_tokens *tokens;    /* of the tiles from `base` on */
	xc_segment_bits *segments; /* of these, `layers` a tile */
	uint64_t base, room;       /* how many there are */
	uint64_t count, stride;    /* tiles; a pass takes every stride-th of them */
	uint32_t layers;           /* segments of a tile: of colour, and of alpha if there is one */
	uint64_t first;            /* tile of a pass */
	uint64_t written;          /* tiles of the pieces that are written */
	uint32_t next, batch_rows; /* rows of tiles: made before; made at a time, of rows that come */
	uint64_t time;             /* of coding, see src/core/parallel.h */
	/* Each has memory of its own, so that threads share no line of a cache. */
	xc_encode_worker **workers;
	int worker_count;
	int stores;              /* the tokens of the pass */
	uint64_t stored, budget; /* bytes of tokens */
	int out_of_memory;
	xc_encode_out out;
	/* These are large, and undefined as long as nothing is in them. */
	uint8_t frequencies[XC_RANS_STORED_BYTES]; /* stored; of rANS */
	xc_decision decisions[2];
	xc_code_set codes[2];
	xc_coder own_coders[2];
};

/* An encoder without anything.  NULL: out of memory. */
xc_encoder *xc_encode_new(xc_context *context, const xc_encode_options *options,
                          const xc_metadata *metadata);

/* Tiles of every piece but the last. */
static inline uint64_t xc_encode_piece_tiles(const xc_encoder *e)
{
	return (uint64_t)xc_geometry_piece_rows(&e->plan.geometry) * e->plan.geometry.tiles_wide;
}

/* Contexts in which symbols are counted. */
static inline uint32_t xc_encode_contexts(const xc_encoder *e)
{
	return e->deciding ? XC_AC_CONTEXTS : 1;
}

static inline xc_tile_tokens *xc_encode_tokens_of(const xc_encoder *e, uint64_t tile)
{
	return &e->tokens[tile - e->base];
}

/* The first segment of a tile. */
static inline xc_segment_bits *xc_encode_segments_of(const xc_encoder *e, uint64_t tile)
{
	return &e->segments[(tile - e->base) * e->layers];
}

/* Prepares the plan, the workers and all tables for a picture of the shape of e->rows. */
xc_status xc_encode_set_up(xc_encoder *encoder);
/* Frees what that has made. */
void xc_encode_release(xc_encoder *encoder);

/* Rows of pixels that must have come before the tiles can be made that come next, and the first row
 * that any tile needs from now on. */
uint32_t xc_encode_rows_needed(const xc_encoder *encoder);
uint32_t xc_encode_first_row(const xc_encoder *encoder);
/* The most rows that can be at hand at a time. */
uint32_t xc_encode_window_rows(const xc_encoder *encoder);
/* Does what can be done with the rows that have come. */
xc_status xc_encode_advance(xc_encoder *encoder);
/* Does the rest after the last row. */
xc_status xc_encode_finish(xc_encoder *encoder);

/* What is done to each tile from `first` on, for xc_parallel_for(); user: the encoder. The first
 * takes every stride-th tile, transforms it and counts its symbols; the others write its segment,
 * by Huffman codes, by rANS, or as it is. */
void xc_encode_count_tile(void *user, uint64_t item, int worker);
void xc_encode_code_tile(void *user, uint64_t item, int worker);
void xc_encode_code_tile_rans(void *user, uint64_t item, int worker);
void xc_encode_store_tile(void *user, uint64_t item, int worker);
void xc_encode_count_tile_rans(void *user, uint64_t item, int worker);

/* Does one of these to the tiles from `first` on and before `end`. Progress is that of the share of
 * a pass from `from` to `to` of the whole. */
xc_status xc_encode_tiles(xc_encoder *encoder, uint64_t first, uint64_t end,
                          void (*work)(void *user, uint64_t item, int worker), double from,
                          double to);

/* Decisions and frequencies, from the first piece's tiles where the options ask for that. */
xc_status xc_encode_learn(xc_encoder *encoder);
/* Huffman codes from what was counted. */
xc_status xc_encode_make_codes(xc_encoder *encoder);
/* Sets the points to those of the pass's decisions, whose offsets it takes away. */
void xc_encode_set_points(xc_encoder *encoder);

/* What xc_encode() does within a call, with checked arguments. kept: coefficients of this very
 * picture from one call to the next, or NULL. */
xc_status xc_encode_picture(xc_context *context, const xc_picture *picture,
                            const xc_metadata *metadata, const xc_encode_options *options,
                            xc_coefficient_cache *cache, xc_buffer *out);

/* The same with the processor, into a file that is as the options say, however large. */
xc_status xc_encode_once(xc_context *context, const xc_pixels *pixels, const xc_metadata *metadata,
                         const xc_encode_options *options, xc_buffer *out);

/* ------------------------------------- the alpha of a tile to its segment, for any encoder */

/* A tile's pixels that lie in the picture; returns how many these are. */
size_t xc_alpha_tile(const xc_geometry *geometry, uint64_t index, xc_tile *tile);

/* Bytes of scratch for the samples of `depth` bits of any tile and their coder. */
size_t xc_alpha_tile_scratch(const xc_geometry *geometry, uint32_t depth);

/* Codes a tile to memory of the arena, which keeps it; returns the segment and sets *size. NULL:
 * out of memory. pixels: its planes begin with row `first`. */
uint8_t *xc_alpha_tile_encode(const xc_entropy_level *level, const xc_geometry *geometry,
                              uint64_t index, const xc_pixels *pixels, uint32_t first,
                              void *scratch, xc_arena *arena, size_t *size);

/* Frees or keeps the window; accepts NULL. */
void xc_encode_window_give(xc_context *context, uint8_t *window);

#endif
