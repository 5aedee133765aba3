/* SPDX-License-Identifier: BSD-2-Clause */
/* What the level files of lossless/ share with the rest: memory and tables of coding. */
#ifndef XC_LOSSLESS_CODE_H
#define XC_LOSSLESS_CODE_H

#include "lossless/draw.h"
#include "lossless/part.h"

enum { XC_STEPS_MOST = XC_LOSSLESS_SIDE + 64, XC_ROOM_BYTES = 512 };

/* Tables of a plane for coding: symbols and slots by level. */
typedef struct xc_code_plane {
	xc_code_symbol symbols[XC_LEVELS * XC_SYMBOLS];
	uint16_t slots[XC_LEVELS * XC_FREQUENCY_ONE + 16];
} xc_code_plane;

/* The memory of coding a part. */
typedef struct xc_code_memory {
	int16_t steps[XC_PLANES][XC_STEPS_MOST][16];
	int32_t sums[XC_PLANES][XC_STEPS_MOST];
	uint32_t counts[XC_PLANES][2][2048]; /* by level and symbol */
	void *records;
	uint8_t *words_end;
	xc_code_plane code[]; /* of each plane */
} xc_code_memory;

/* The memory of decoding a part. */
typedef struct xc_decode_memory {
	int32_t sums[XC_PLANES][XC_STEPS_MOST];
	xc_bucket buckets[XC_PLANES][XC_LEVELS * XC_SYMBOLS];
	uint64_t numbers[XC_PLANES][256];
	uint8_t room[XC_ROOM_BYTES]; /* of the last words */
} xc_decode_memory;

/* Chooses the levels that get an own shape, by counts [plane][0][level * 16 + symbol]; own 0: none. */
void xc_part_choose_shapes(xc_part *part, int own, uint32_t (*counts)[2][2048]);
/* Makes mem->code. */
void xc_code_make_tables(const xc_part *part, xc_code_memory *mem);

/* The states of all lanes that a part uses. NULL: they are damaged. */
uint8_t *xc_states_write(const xc_part *part, uint32_t (*states)[16], uint8_t *out);
const uint8_t *xc_states_read(const xc_part *part, const uint8_t *from, const uint8_t *end,
                              uint32_t (*states)[16]);

/* A SIMD level codes the part whose samples and predictors are set; returns the bytes. tables:
 * 1: the part gets tables of its own where they pay. */
typedef size_t xc_part_encoder(xc_part *part, int tables, xc_code_memory *mem, uint8_t *out);
/* Takes the rows of a bundle, and may change them. */
typedef void xc_rows_taker(const xc_part *part, uint32_t rows, void *to);
/* Decodes what xc_part_read() left, from `from` to `end`, to part->samples, a bundle at a time. 0: the
 * bytes are damaged. */
typedef int xc_part_decoder(xc_part *part, const uint8_t *from, const uint8_t *end,
                            xc_decode_memory *mem, xc_rows_taker *take, void *to);

/* Those of whole tiles: see lossless/lossless.h. */
typedef size_t xc_tile_encoder(const xc_lossless_shape *shape, const xc_lossless_options *options,
                               const void *samples, size_t stride, void *scratch, uint8_t *out);
typedef int xc_tile_decoder(const xc_lossless_shape *shape, const uint8_t *data, size_t size,
                            void *scratch, void *samples, size_t stride);
typedef size_t xc_tile_scratch(const xc_lossless_shape *shape);

/* The coder of drawings. The first pass over a tile but for the squares that are given (NULL: none are);
 * found: what it finds, or NULL. */
typedef void xc_draw_looker(const xc_lossless_shape *shape, const void *samples, size_t stride,
                            const uint8_t *given, void *scratch, xc_draw_found *found);
/* Codes what the first pass left in scratch; returns the bytes, or 0 if these would be more than
 * `limit`, or if most pixels have no candidate. */
typedef size_t xc_draw_coder(const void *samples, size_t stride, void *scratch, uint8_t *out,
                             size_t limit);
/* The decoder. The samples of the squares that are given are there already. 0: the bytes are damaged. */
typedef int xc_draw_decoder(const xc_lossless_shape *shape, const uint8_t *data, size_t size,
                            const uint8_t *given, void *scratch, void *samples, size_t stride);

/* The functions of this file's level. */
#ifdef XC_LOSSLESS_SUFFIX
xc_part_fitter XC_LEVEL(xc_part_fit);
xc_part_encoder XC_LEVEL(xc_part_encode);
xc_part_decoder XC_LEVEL(xc_part_decode);
xc_tile_encoder XC_LEVEL(xc_tile_encode);
xc_tile_decoder XC_LEVEL(xc_tile_decode);
xc_tile_scratch XC_LEVEL(xc_tile_encode_scratch), XC_LEVEL(xc_tile_decode_scratch);
xc_draw_looker XC_LEVEL(xc_draw_look);
xc_draw_coder XC_LEVEL(xc_draw_code);
xc_draw_decoder XC_LEVEL(xc_draw_decode);
xc_tile_scratch XC_LEVEL(xc_draw_encode_scratch), XC_LEVEL(xc_draw_decode_scratch);
#endif

#endif
