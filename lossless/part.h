/* SPDX-License-Identifier: BSD-2-Clause */
/* A part of a segment, one plane or three that are coded together: its planes in memory, its model
 * and its tables. For lossless/ alone. */
#ifndef XC_LOSSLESS_PART_H
#define XC_LOSSLESS_PART_H

#include <stddef.h>
#include <stdint.h>

#include "lossless/lossless.h"
#include "lossless/tables.h"

enum {
	XC_PLANES = 3,  /* of a part: three colours, or one plane */
	XC_LAG = 2,     /* columns between lanes */
	XC_CLASSES = 8, /* predictors of a plane */
	XC_PAIRS = 8, /* of coefficients: four of a plane's own neighbours, two of each earlier plane */
	XC_TAPS = 12, /* coefficients that a predictor stores at most */
	XC_TAP_BITS = 6, /* their unit is 1/64 */
	XC_CELL = 16,    /* width and height of the blocks that choose a predictor */
	XC_MARGIN = 32   /* samples before a row that may be read; twice as many after it */
};

/* Coefficients that plane p of a part stores: of WW, N, NE, NW, NN, NNE, and of each earlier plane's
 * sample, N and NE, the nearest plane first. */
static inline int xc_taps(int plane)
{
	return 6 + 3 * plane;
}

/* How a class of a plane predicts: by its own coefficients, as the median of W, N and W + N - NW, or
 * by built-in coefficients. */
enum { XC_OWN_TAPS = 0, XC_MEDIAN = 1, XC_FIXED = 2, XC_FIXED_COUNT = 8 };
/* [0]: of planes that are transformed; [1]: of the others. */
extern const int8_t xc_fixed_taps[2][XC_PLANES][XC_FIXED_COUNT][XC_TAPS];

typedef struct xc_plane_model {
	uint32_t bits;    /* of a sample; 0: all samples are `value` */
	int32_t value;    /* centred as the samples */
	uint32_t classes; /* predictors */
	uint8_t kind[XC_CLASSES];
	int8_t taps[XC_CLASSES][XC_TAPS];
	/* Made of these: pairs of coefficients by class, and -1 for the median. */
	int32_t pairs[XC_PAIRS][XC_CLASSES];
	int32_t median[XC_CLASSES];
	int has_median;
} xc_plane_model;

/* The samples of a plane, centred on 0. Rows -1 and -2 and columns -2, -1 and `width` have values,
 * too (doc/format.md, section 7). */
typedef struct xc_plane16 {
	int16_t *first; /* row y begins at first + (y - the part's first_row) * stride */
	ptrdiff_t stride;
} xc_plane16;

typedef struct xc_part {
	uint32_t width, height;
	uint32_t first_row; /* in memory; the decoder keeps a bundle of rows and the two above */
	uint32_t cells_wide, cells_high;
	int planes;
	int near;      /* the most by which a sample may be off */
	uint32_t bits; /* of a sample of the channels, 1 to 16 */
	int transform; /* 1: the planes are those of the reversible transform, and the second and third
	                * have a bit more */
	/* The values that occur, in order, where these are few; samples are then their numbers. */
	uint16_t *values;
	uint32_t value_count; /* 0: samples are values */
	xc_plane_model model[XC_PLANES];
	xc_plane16 samples[XC_PLANES];
	uint8_t *class[XC_PLANES]; /* of each cell */
	/* Shapes of frequencies by plane and level; those of levels without an own one are built in. */
	xc_shape_index (*shapes)[XC_LEVELS];
	uint64_t own[XC_PLANES]; /* bit l: level l has a shape of its own */
} xc_part;

/* Built-in shapes. */
extern const xc_shape_index xc_builtin_shapes[XC_PLANES][XC_LEVELS];

/* Makes pairs, median and has_median. */
void xc_plane_model_complete(xc_part *part, int plane);

/* Bytes that the side information of a part has at most. */
size_t xc_part_side_bound(const xc_part *part);
/* Writes it; returns its end. */
uint8_t *xc_part_write(const xc_part *part, uint8_t *out);
/* Reads it into a part whose shape is set; returns its end. NULL: it is damaged. */
const uint8_t *xc_part_read(xc_part *part, const uint8_t *from, const uint8_t *end);

/* The bits, as a floating-point number, of the least sum of neighbours of level 1, less those of
 * level 0; see lossless/model.h. */
int32_t xc_level_offset(int near);

/* Chooses the predictors of all planes that are not constant: effort 0 the first of the fixed ones, 1
 * the best of these for each cell, 2 and 3 by least squares. scratch: XC_FIT_CELL_BYTES a cell. */
typedef void xc_part_fitter(xc_part *part, int effort, void *scratch);
enum { XC_FIT_CELL_BYTES = 4 * 91 + 8 };

#define XC_LEVEL_NAME(name, suffix) name##suffix
#define XC_LEVEL_OF(name, suffix) XC_LEVEL_NAME(name, suffix)
#define XC_LEVEL(name) XC_LEVEL_OF(name, XC_LOSSLESS_SUFFIX)

#endif
