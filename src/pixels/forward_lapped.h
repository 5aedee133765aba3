/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's first half with a lapped transform. */
#ifndef XC_SRC_PIXELS_FORWARD_LAPPED_H
#define XC_SRC_PIXELS_FORWARD_LAPPED_H

#include "src/pixels/forward_steps.h"

/* xc_forward_tile() for the lapped transforms.  A tile needs the samples within XC_REACH of its
 * sides, which are made anew from the picture, so tiles can be done in any order. */
void xc_forward_tile_lapped(const xc_forward *forward, xc_forward_scratch *scratch,
                            const xc_tile *tile, void *coefficients);

#endif
