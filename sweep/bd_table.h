/* SPDX-License-Identifier: BSD-2-Clause */
/* Bjontegaard's deltas between all configurations of a sweep. */
#ifndef XC_SWEEP_BD_TABLE_H
#define XC_SWEEP_BD_TABLE_H

#include "sweep/results.h"

/* How one configuration does against another, the anchor; means over `pictures` pictures.  NAN: the curves of
 * no picture overlap. */
typedef struct xc_sweep_bd {
	double rate;     /* per cent more bits for the same measure; negative is better */
	double gain;     /* how much more of the measure for the same bits: dB for PSNR; positive is better */
	size_t pictures; /* whose curves overlap */
} xc_sweep_bd;

/* For each metric a matrix of config_count rows, one for each anchor, and as many columns.  NULL where a
 * metric has none.  Elements on the diagonal are not used. */
typedef struct xc_sweep_bd_table {
	size_t config_count;
	const xc_sweep_bd *matrix[XC_SWEEP_METRICS];
} xc_sweep_bd_table;

/* NULL: there is no such matrix. */
static inline const xc_sweep_bd *xc_sweep_bd_at(const xc_sweep_bd_table *table,
                                                xc_sweep_metric metric, size_t anchor, size_t config)
{
	const xc_sweep_bd *matrix = table->matrix[metric];

	return matrix ? &matrix[anchor * table->config_count + config] : NULL;
}

#endif
