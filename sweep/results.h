/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sweep has measured: points of rate and distortion. */
#ifndef XC_SWEEP_RESULTS_H
#define XC_SWEEP_RESULTS_H

#include <stddef.h>
#include <stdint.h>
#include <xcodec.h>
#include <stdio.h>

/* Measures of a decoded picture against the original, in the order in which they are shown: first
 * those of the eye. PSNR in dB, INFINITY where nothing differs; NAN where a picture has no such
 * measure (colour of a grey one, SSIMULACRA2 below 8 x 8 pixels). */
typedef enum xc_sweep_metric {
	XC_SWEEP_SSIMULACRA2,
	XC_SWEEP_BUTTERAUGLI, /* the 3-norm, the lower the better */
	XC_SWEEP_SSIM_Y,
	XC_SWEEP_MS_SSIM_Y,
	XC_SWEEP_PSNR_RGB,
	XC_SWEEP_PSNR_Y,
	XC_SWEEP_PSNR_YCBCR, /* (6 Y + Cb + Cr) / 8 of the three PSNRs */
	XC_SWEEP_PSNR_R,
	XC_SWEEP_PSNR_G,
	XC_SWEEP_PSNR_B,
	XC_SWEEP_METRICS
} xc_sweep_metric;

typedef struct xc_sweep_picture {
	/* As given on the command line, without its folder where that is unambiguous. */
	const char *name;
	uint32_t width, height, channels, depth;
	uint32_t peak; /* the largest sample */
} xc_sweep_picture;

typedef struct xc_sweep_config {
	const char *name;    /* unique */
	const char *options; /* what it was made with, to be shown */
	char *version;       /* the program and what it says of itself; NULL: nothing is known */
} xc_sweep_config;

/* One picture, coded by one configuration at one quality. */
typedef struct xc_sweep_point {
	uint32_t picture, config;
	double quality; /* as the codec counts it */
	uint64_t bytes;
	double metric[XC_SWEEP_METRICS];
	double max_abs_diff;                   /* the largest difference of two samples */
	double encode_seconds, decode_seconds; /* wall time; NAN: not measured */
} xc_sweep_point;

/* Points are ordered by picture, configuration and quality. */
typedef struct xc_sweep_results {
	const xc_sweep_picture *pictures;
	const xc_sweep_config *configs;
	const xc_sweep_point *points;
	size_t picture_count, config_count, point_count;
} xc_sweep_results;

/* How the measures of a sweep are called. */
typedef struct xc_sweep_measure {
	const char *key;   /* "psnr_rgb" */
	const char *title; /* "PSNR, RGB" */
	const char *unit;  /* "dB", or "" */
	int digits;        /* after the point, that tell anything */
	const char *scale; /* the unit of curves and of BD-PSNR: "dB"; "points" of SSIMULACRA2 */
	int is_ssim;       /* counts as xc_sweep_ssim_decibels() there */
	int is_distance;   /* counts as dB below a distance of 1 there */
} xc_sweep_measure;

/* By xc_sweep_metric. */
extern const xc_sweep_measure xc_sweep_measures[XC_SWEEP_METRICS];

/* A value on the scale of curves. */
double xc_sweep_on_scale(xc_sweep_metric metric, double value);

/* The rows of a table of results: the points of one picture, or their mean over the set. */
enum { XC_SWEEP_MEAN = -1 }; /* in place of a picture's index */
typedef struct xc_sweep_row {
	uint32_t config;
	double quality;
	double bytes, bits_per_pixel;
	double metric[XC_SWEEP_METRICS];
	double encode_speed, decode_speed; /* 10^6 pixels a second; NAN: not measured */
	double max_abs_diff;
} xc_sweep_row;

/* Returns the rows of a picture or of XC_SWEEP_MEAN, by configuration and quality; the caller frees
 * them. A quality has a mean where every picture has it: then bytes, bits a pixel and measures are
 * arithmetic means, the largest difference is that of all, and speeds all pixels by all seconds.
 * NULL: out of memory. */
xc_sweep_row *xc_sweep_rows(const xc_sweep_results *results, long picture, size_t *count);

/* BD-rates and BD-PSNRs of all pairs of configurations. */

/* What a configuration takes and gains, compared with an anchor. */
typedef struct xc_sweep_bd {
	double rate;       /* BD-rate in per cent; NAN: no overlap */
	double quality;    /* BD-PSNR on the measure's scale; NAN: no overlap */
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

/* The report of a sweep: one page that needs nothing else. */

/* Who gives the pictures that the report shows. The report decides which ones: at up to three sizes
 * it takes from each configuration the file that is nearest in bytes (sweep/report/pairs.c). For
 * each picture it asks for the original once, and then for what is coded of it. */
typedef struct xc_sweep_viewer {
	/* Gives the pixels of an original.  They must stay until the next original is asked for. */
	int (*original)(void *user, uint32_t picture, xc_picture *out);
	/* Codes that picture with point->config at point->quality, which has no more digits after the
	 * point than those that were measured, and fills point->bytes. Unless decoded is NULL it fills
	 * point->metric too and gives the decoded pixels, which must stay until the next call. Alpha is
	 * not shown. Both return 0, or -1 with errno. */
	int (*code)(void *user, xc_sweep_point *point, xc_picture *decoded);
	void *user;
	/* The side of the part that is shown of a large picture, in pixels. 0: from 256 to 512, as many
	 * as keep the page to 24 million pixels. */
	uint32_t side;
} xc_sweep_viewer;

/* Writes the report. bd NULL: without deltas. viewer NULL: without pictures, as always in a build
 * without libpng. Pictures are embedded without loss, one at a time, so memory holds one
 * original, one decoded picture and their files. Strings of the results may hold any bytes.
 * Returns 0, or -1 with errno. */
int xc_sweep_html(FILE *out, const xc_sweep_results *results, const xc_sweep_bd_table *bd,
                  const xc_sweep_viewer *viewer);

#endif
