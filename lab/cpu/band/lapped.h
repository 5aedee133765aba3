/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lapped transforms of 8 bands, both ways in one pass over memory.
 *
 * Arrays of any size: the algorithms pad, as the blockwise ones do (block.h), by
 * repeating the last row and column up to whole blocks.  At the frame's edges there
 * are two rules.
 *
 * Stored edges (cpu-flot), as in the 2006 work: zeros all around.  An edge of two
 * blocks gives 8 coefficients, and so do the frame's own edges, which adds 8 rows
 * and 8 columns; coefficients 8b ... 8b + 7 belong to the edge in front of block b.
 * The half that the 2006 work found to be always zero is not stored.
 *
 * Symmetric edges (all others): the frame goes on as its mirror image, and the
 * coefficients that follow from the others are not stored: as many come out as went
 * in.  Coefficients 8b ... 8b + 7 sit on samples 8b ... 8b + 7 and reach half a
 * block (LOT, TDLT) or a whole one (GenLOT) beyond them.  For the TDLT this says that
 * the pre-filter leaves the frame's edges alone; for the LOT, that its DCTs lie half a
 * block off the grid, with half a block at either end.
 */
#ifndef XC_LAB_CPU_BAND_LAPPED_H
#define XC_LAB_CPU_BAND_LAPPED_H

#include "lab/registry.h"

extern const xc_algorithm xc_algorithm_cpu_flot;
extern const xc_algorithm xc_algorithm_cpu_flot_symmetric;
extern const xc_algorithm xc_algorithm_cpu_tdlt;
extern const xc_algorithm xc_algorithm_cpu_genlot;

/* These need OpenMP. */
extern const xc_algorithm xc_algorithm_cpu_flot_openmp;
extern const xc_algorithm xc_algorithm_cpu_flot_symmetric_openmp;

#endif
