/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures whose pixels are indices of a palette, in files without loss. */
#ifndef XC_SRC_ENCODE_PALETTE_H
#define XC_SRC_ENCODE_PALETTE_H

#include "src/core/layout.h"

enum { XC_PALETTE_SLOTS = 1024, XC_PALETTE_COLOURS = 256 };

typedef struct xc_encode_palette {
	uint8_t colour[XC_PALETTE_COLOURS][4]; /* R, G, B and alpha, which is 255 without a channel */
	uint32_t count, bits;                  /* bits of an original's index, or 0 */
	/* A hash of colours; index 0: none, else that of the colour and one. */
	uint32_t key[XC_PALETTE_SLOTS];
	uint16_t index[XC_PALETTE_SLOTS];
} xc_encode_palette;

/* Takes an original's palette. Fails if pixels of such a shape cannot have it. */
xc_status xc_encode_palette_take(xc_context *context, const xc_picture *shape,
                                 const xc_metadata *metadata, xc_encode_palette *palette);
/* 1: the pixels, of 8 bits a sample, have so few colours that a palette of them pays; near
 * colours are near in it. clear: where alpha is 0 there is no colour. */
int xc_encode_palette_find(const xc_pixels *pixels, int clear, xc_encode_palette *palette);
/* Sets the indices of a row of pixels. Returns the first one that is not of the palette, or n. */
uint32_t xc_encode_palette_map(const xc_encode_palette *palette, const xc_pixels *pixels,
                               const uint8_t *row, uint32_t n, int clear, uint8_t *indices);

#endif
