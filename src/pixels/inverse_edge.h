/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of pixels around the edges between groups, where the work of two threads meets. */
#ifndef XC_SRC_PIXELS_INVERSE_EDGE_H
#define XC_SRC_PIXELS_INVERSE_EDGE_H

#include "src/pixels/inverse_plan.h"

/* Writes the pixels whose rows were put aside at edge `edge`, below xc_inverse_edges().  All
 * tiles must be done. */
void xc_inverse_edge(const xc_inverse *inverse, uint32_t edge);

#endif
