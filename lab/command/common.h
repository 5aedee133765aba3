/* SPDX-License-Identifier: BSD-2-Clause */
/* What the laboratory's subcommands share: options and algorithms by name. */
#ifndef XC_LAB_COMMAND_COMMON_H
#define XC_LAB_COMMAND_COMMON_H

#include "cli/base/clock.h"
#include "cli/base/command.h"
#include "cli/base/settings.h"

#include <xct.h>

/* To add a subcommand, declare it here, and give it its lines in main.c and cli/laboratory.c. */
extern const xc_cli_command xc_lab_transform;
extern const xc_cli_command xc_lab_generate;
extern const xc_cli_command xc_lab_bench;

typedef struct xc_cli_size {
	size_t slices, rows, cols; /* slices is 1 but for 3-D transforms */
} xc_cli_size;

static inline size_t xc_cli_samples(const xc_cli_size *size)
{
	return size->slices * size->rows * size->cols;
}

/* Reads "512", "640x480" or "64x64x64", width, height and depth: at most `max` sides (3 or less),
 * each from 1 to `longest`. Returns the text after them, or NULL. */
const char *xc_cli_parse_array_size(const char *text, int max, size_t longest, xc_cli_size *size);

/* The values of --precision. */
extern const xc_cli_choice xc_cli_precisions[];

/* For an option's parser: a number from low to high.  Returns NULL and the number, or `wanted`. */
const char *xc_cli_parse_number(const char *text, double low, double high, const char *wanted,
                                double *value);

/* The values of --scaling and --kind. */
extern const xc_cli_choice xc_cli_scalings[], xc_cli_kinds[];

/* How many threads --threads means; -1 after reporting that XC_CPU names no SIMD level. */
int xc_cli_transform_threads(const xc_cli_limits *limits);

/* Returns 0 if `threads` threads can run at once, -1 after reporting that they cannot. */
int xc_cli_transform_threads_start(int threads);

/* What the command line of `xcodec transform` says. */
typedef struct xc_cli_transform {
	int list, verbose, force, json;
	int precision; /* 0: as the file says */
	int slices;
	int kind, scaling;        /* kind -1: the algorithm's first */
	int bands;                /* 0: the algorithm's least */
	int depth;                /* of pictures to write, in bits; 0: as that of IN */
	int clip;                 /* samples that these cannot hold */
	const char *raw;          /* what IN holds; NULL: it says that itself */
	int gpu;                  /* of poisson */
	const char *algorithm;    /* of the thresholding; NULL: the best there is */
	double epsilon, fraction; /* -1: not given */
	double error;             /* of the coefficients in a file; -1: not given */
	int read;                 /* IN is such a file */
	xc_cli_size corner;       /* of the coefficients that are kept; 0 rows: not given */
	xc_cli_limits limits;
} xc_cli_transform;

/* `xcodec transform threshold`: IN and OUT are in paths[0] and paths[1].  Returns the exit
 * status. */
int xc_cli_threshold(const xc_cli_transform *settings, char **paths);

/* The algorithm of that name, or NULL after reporting that there is none. */
const xct_algorithm *xc_cli_algorithm(const char *subject, const char *name);

/* What an algorithm is: in blocks or bands, and which of the two; of whole arrays otherwise. */
static inline int xc_cli_is_banded(const xct_algorithm *a)
{
	return a->kinds >= 1u << XCT_BLOCK_DCT;
}
static inline int xc_cli_is_lapped(const xct_algorithm *a)
{
	return a->kinds >= 1u << XCT_LOT_STORED;
}
/* A yardstick for benchmarks, and no transform. */
static inline int xc_cli_is_yardstick(const xct_algorithm *a)
{
	return a->kinds == 1u << XCT_COPY || a->kinds == 1u << XCT_REAL_FFT;
}

/* A descriptor of the algorithm on a spatial array of that size, by one thread or the first GPU.  kind
 * -1: the algorithm's first, which of cosine transforms is DCT2. */
xct_descriptor xc_cli_descriptor(const xct_algorithm *a, int kind, xct_direction direction,
                                 xct_precision precision, const xc_cli_size *size);
/* The size of its output, of a spatial array that it names; -1 if it is not possible. */
int xc_cli_bands(xct_context *context, const xct_descriptor *descriptor, xc_cli_size *bands);

#endif
