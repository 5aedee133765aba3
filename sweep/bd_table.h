/* SPDX-License-Identifier: BSD-2-Clause */
/* BD-rates and BD-PSNRs of all pairs of configurations. */
#ifndef XC_SWEEP_BD_TABLE_H
#define XC_SWEEP_BD_TABLE_H

#include "sweep/results.h"

/* What a configuration takes and gains, compared with an anchor. */
typedef struct xc_sweep_bd {
	double rate;       /* BD-rate in per cent; NAN: no overlap */
	double quality;    /* BD-PSNR in dB, of SSIM and MS-SSIM as -10 log10(1 - s); NAN: no overlap */
	uint32_t pictures; /* of how many pictures `rate` is the mean */
} xc_sweep_bd;

typedef struct xc_sweep_bd_table {
	xc_sweep_bd *cells; /* see xc_sweep_bd_at() */
	size_t picture_count, config_count;
} xc_sweep_bd_table;

/* 0, or -1: out of memory.  The caller frees the table with xc_sweep_bd_table_free(). */
int xc_sweep_bd_table_make(xc_sweep_bd_table *table, const xc_sweep_results *results);
void xc_sweep_bd_table_free(xc_sweep_bd_table *table);

/* picture: that of the results, or picture_count for the mean over those that overlap. */
const xc_sweep_bd *xc_sweep_bd_at(const xc_sweep_bd_table *table, xc_sweep_metric metric,
                                  size_t picture, size_t anchor, size_t config);

#endif
