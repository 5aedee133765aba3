/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A picture being encoded: the state that all passes share, whether the whole picture is in memory
 * (xc_encode()) or arrives in rows (xc_encoder_new()).
 *
 * `next` counts tile rows. If options ask for it, something is learnt from the first piece. Then
 * every tile becomes a segment, or tokens if codes are made for the picture. Rows that arrive one
 * after another are encoded in batches of as many tile rows as keep all threads busy, and pieces
 * are written as soon as they are complete.
 */
#ifndef XC_SRC_ENCODE_ENCODER_H
#define XC_SRC_ENCODE_ENCODER_H

#include "entropy/ac_prediction.h"
#include "lossless/lossless.h"
#include "src/container/segment.h"
#include "src/encode/decide.h"
#include "src/encode/palette.h"
#include "src/encode/plan.h"
#include "src/pixels/forward.h"

typedef struct xc_encode_worker {
	xc_forward_scratch forward;
	void *coefficients, *dc; /* of a tile; scratch of rdo */
	uint16_t *factors;       /* of each block of the tile, see xc_activity_factors() */
	void *rans;              /* scratch of the rANS coder */
	uint8_t *alpha;          /* samples of a tile, and scratch of their coder */
	uint8_t *lossless;       /* scratch of the lossless coder, and samples of a tile */
	xc_arena tokens, bits, alpha_bits;
	uint64_t counted; /* bytes of tokens in counts, which have 32 bits */
	xc_offsets offsets[2];
	int counts_are_set; /* 0: nothing has been counted, and what follows is undefined */
	/* These are large, so the thread that counts zeroes them before it begins. */
	xc_token_counts counts[2][XC_AC_CONTEXTS];
	xc_symbol_counts sums[2];
	xc_rans_counts rans_counts;
} xc_encode_worker;

/* Tables that are the same for all pictures. A context makes those that it needs once. */
typedef struct xc_encode_tables {
	int has_rans, has_decision, has_coders, has_contexts;
	xc_rans_tables rans;
	xc_rans_decision decision;
	xc_coder coders[2]; /* of the built-in codes */
	xc_token_contexts contexts;
} xc_encode_tables;

/* The output: a buffer, which is written to a function if there is one. */
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
	xc_pixels
		pixels; /* the rows in memory, from forward.first on; width and height of the picture */
	xc_picture rows;   /* the shape of the picture; data and stride: those of pixels' first plane */
	uint8_t *window;   /* the memory of `pixels` if the encoder owns it */
	uint32_t arrived;  /* rows */
	int whole;         /* all rows stay until the end: in memory, or collected for a device */
	uint32_t choosing; /* rows that decide what options leave open; 0: nothing */
	int device;        /* a device may encode them */
	int own_layout;    /* xc_encoder_pixels() has set another layout than a picture's */
	int ended;
	xc_status failed; /* of the work itself; later calls return it again */
	xc_forward forward;
	xc_coefficient_cache
		*coefficient_cache; /* NULL: no other call continues with the coefficients */
	float colours[9];
	const xc_entropy_level *level;
	xc_ac_prediction ac_prediction[2]; /* of luma and of chroma */
	int counting, deciding;            /* codes are made for the picture; effort is above 0 */
	int learning;                      /* from the first piece, whose pixels are kept for that */
	int fine;    /* the coding is chosen after the first piece (choose_coding()) */
	int storing; /* samples are stored */
	const xc_lossless_level *lossless; /* NULL: there are coefficients */
	xc_encode_palette *palette;        /* of files without loss; NULL: none */
	uint64_t stray; /* the first pixel that is not of it, counted down from UINT64_MAX; or 0 */
	xc_encode_tables *tables;
	int own_tables;             /* they are not the context's */
	const xc_rans_tables *rans; /* NULL: there are Huffman codes */
	const xc_rans_level *rans_level;
	xc_rans_decide *rans_decide;
	const xc_rans_decision *rans_decision; /* NULL: values are rounded, perhaps with a dead zone */
	xc_rans_tables *own_rans;              /* for the picture's own frequencies; or NULL */
	const xc_coder *coders;
	size_t frequency_bytes; /* 0: the built-in ones */
	xc_activity activity;
	xc_tile_tokens *tokens;    /* of the tiles from `base` on */
	xc_segment_bits *segments; /* `layers` for each tile */
	uint64_t base, room;       /* the capacity in tiles */
	uint64_t count, stride;    /* tiles; a pass takes every stride-th of them */
	uint32_t layers;           /* segments of a tile: of colour, and of alpha if there is one */
	uint64_t first;            /* tile of a pass */
	uint64_t written;          /* tiles of the pieces that are written */
	uint32_t next, batch_rows; /* tile rows: made so far; made at a time if rows arrive */
	uint64_t time;             /* of coding, see src/core/parallel.h */
	/* Each worker has its own memory, so that threads share no cache line. */
	xc_encode_worker **workers;
	int worker_count;
	int stores;              /* the pass stores its tokens */
	uint64_t stored, budget; /* bytes of tokens */
	int out_of_memory;
	xc_encode_out out;
	/* These are large, and undefined until they are set. */
	uint8_t frequencies[XC_RANS_STORED_BYTES]; /* stored; of rANS */
	xc_decision decisions[2];
	xc_code_set codes[2];
	xc_coder own_coders[2];
};

/* A new encoder without tables and workers. NULL: out of memory. */
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

/* The rows that must arrive before the next batch, and the first row that is still needed. */
uint32_t xc_encode_rows_needed(const xc_encoder *encoder);
uint32_t xc_encode_first_row(const xc_encoder *encoder);
/* The maximum of rows in memory at a time. */
uint32_t xc_encode_window_rows(const xc_encoder *encoder);
/* Makes all batches whose rows have arrived. */
xc_status xc_encode_advance(xc_encoder *encoder);
/* Does the rest after the last row. */
xc_status xc_encode_finish(xc_encoder *encoder);

/* The work on each tile from `first` on, for xc_parallel_for(); user: the encoder. count_tile takes
 * every stride-th tile, transforms it and counts its symbols, as count_tile_rans does for all
 * tiles. The others make its segment, by Huffman codes, by rANS, of stored samples, or
 * without loss. */
void xc_encode_count_tile(void *user, uint64_t item, int worker);
void xc_encode_code_tile(void *user, uint64_t item, int worker);
void xc_encode_code_tile_rans(void *user, uint64_t item, int worker);
void xc_encode_store_tile(void *user, uint64_t item, int worker);
void xc_encode_count_tile_rans(void *user, uint64_t item, int worker);
void xc_encode_lossless_tile(void *user, uint64_t item, int worker);

/* The shape of a tile for the lossless coder. */
xc_lossless_shape xc_encode_lossless_shape(const xc_encoder *encoder, const xc_tile *tile);

/* Does this for tiles `first` to `end` - 1. All tiles move the progress from `from` to `to`. */
xc_status xc_encode_tiles(xc_encoder *encoder, uint64_t first, uint64_t end,
                          void (*work)(void *user, uint64_t item, int worker), double from,
                          double to);

/* Learns codes for rdo, or frequencies, from the first piece if the options ask for it. */
xc_status xc_encode_learn(xc_encoder *encoder);
/* Huffman codes from what was counted. */
xc_status xc_encode_make_codes(xc_encoder *encoder);
/* Sets the points of reconstruction from the offsets of the pass, and clears these. */
void xc_encode_set_points(xc_encoder *encoder);

/* xc_encode_choose(), and where AUTO makes a drawing of the picture a trial whether it is smaller
 * with loss. */
xc_status xc_encode_choose_mode(xc_context *context, const xc_pixels *pixels,
                                xc_encode_options *options);

/* 1: AUTO chose to lose nothing, which the CPU does even where a GPU was named. */
static inline int xc_encode_is_own_choice(const xc_encode_options *given,
                                          const xc_encode_options *chosen)
{
	return given->mode == XC_MODE_AUTO && chosen->mode == XC_MODE_LOSSLESS;
}

/* xc_encode() within a call, with checked arguments. cache: of this picture, or NULL. */
xc_status xc_encode_picture(xc_context *context, const xc_picture *picture,
                            const xc_metadata *metadata, const xc_encode_options *options,
                            xc_coefficient_cache *cache, xc_buffer *out);

/* The same on the CPU, without choosing another coding for fine steps. */
xc_status xc_encode_once(xc_context *context, const xc_pixels *pixels, const xc_metadata *metadata,
                         const xc_encode_options *options, xc_buffer *out);

/* Sets *tile, clipped to the picture; returns the shape of its alpha. */
xc_lossless_shape xc_alpha_tile(const xc_geometry *geometry, uint64_t index, uint32_t depth,
                                xc_tile *tile);

/* Codes the alpha of a tile into the arena; returns the segment and sets *size. NULL: out of
 * memory. The planes of pixels begin with row `first`. scratch: as xc_lossless_encode_scratch() says,
 * and the samples. */
uint8_t *xc_alpha_tile_encode(xc_cpu cpu, int effort, const xc_geometry *geometry, uint64_t index,
                              const xc_pixels *pixels, uint32_t first, uint8_t *scratch,
                              xc_arena *arena, size_t *size);

/* Frees or keeps the window; accepts NULL. */
void xc_encode_window_give(xc_context *context, uint8_t *window);

#endif
