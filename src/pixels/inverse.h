/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's second half: the coefficients of one tile to pixels. */
#ifndef XC_SRC_PIXELS_INVERSE_H
#define XC_SRC_PIXELS_INVERSE_H

#include "src/pixels/inverse_window.h"

/* Writes the pixels of a tile that are complete and puts the other samples aside.
 * coefficients: [tile->blocks][64] of int16_t (8-bit pictures) or int32_t.  The tiles of a
 * group must come in order, with the same scratch. */
void xc_inverse_tile(const xc_inverse *inverse, xc_inverse_scratch *scratch, const xc_tile *tile,
                     const void *coefficients);

/* Writes the rows of pixels around edge `edge` between groups, below xc_inverse_edges(), which
 * were put aside because the work of two threads meets there.  All tiles must be done. */
void xc_inverse_edge(const xc_inverse *inverse, uint32_t edge);

#endif
