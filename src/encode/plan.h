/* SPDX-License-Identifier: BSD-2-Clause */
/* The plan of encoding: what follows from shape and options alone, for any device. */
#ifndef XC_SRC_ENCODE_PLAN_H
#define XC_SRC_ENCODE_PLAN_H

#include "src/container/container.h"
#include "src/core/layout.h"

typedef struct xc_encode_plan {
	xc_header header;
	xc_geometry geometry;
	uint32_t peak;             /* the largest sample, which scales the steps */
	uint16_t range;            /* the same for metadata */
	int quant_preset;          /* XC_QUANT_... */
	xc_quant_curve curves[2];  /* of XC_QUANT_CURVE; of XC_QUANT_SLOPED, the scale of the first */
	uint32_t steps[2][64];     /* of luma and chroma, row by row */
	float tables[2][64];       /* likewise, for the kernels; see quant/tables.h */
	int parts;                 /* coefficients count this fraction of a step */
	xc_value_points points[2]; /* all zero */
	int has_colours;           /* 1: the components are not Y, Cb and Cr; */
	int16_t colours[9];        /* the matrix that gives them: see transform/colour_matrix.h */
} xc_encode_plan;

/* Checks options and metadata and sets *taken to the options (NULL: the defaults). */
xc_status xc_encode_take_options(xc_context *context, const xc_encode_options *options,
                                 const xc_metadata *metadata, xc_encode_options *taken);

/* Checks that the CPU can encode pixels of a layout that xc_picture does not have. */
xc_status xc_encode_check_layout(xc_context *context, xc_layout layout,
                                 const xc_encode_options *options);

/* Uses only the width, height, channels and depth of the picture. */
void xc_encode_plan_init(xc_encode_plan *plan, const xc_picture *picture,
                         const xc_encode_options *options);

/* Makes a plan that of another picture with the same channels, depth and options: sets header and geometry. */
void xc_encode_plan_shape(xc_encode_plan *plan, const xc_picture *picture,
                          const xc_encode_options *options);

/* Turns a plan without rdo into that of a file of stored samples. */
void xc_encode_plan_storing(xc_encode_plan *plan);

/* The plan of a file without loss: header and geometry alone. */
void xc_encode_plan_lossless(xc_encode_plan *plan, const xc_picture *picture,
                             const xc_encode_options *options);

/* Returns 1 if the smallest step of luma is at most `step` levels of 8 bits, and the mean of its
 * steps at most 1.75 times that. With XC_FINE_STEP a file can be larger than its samples, with
 * XC_FINEST_STEP Huffman codes can be smaller than rANS. */
enum { XC_FINE_STEP = 4, XC_FINEST_STEP = 2 };
int xc_encode_plan_is_fine(const xc_encode_options *options, unsigned depth, unsigned step);

/* Sets the steps alone. */
void xc_encode_plan_steps(xc_encode_plan *plan, const xc_encode_options *options, unsigned depth);

/* The largest sample of a picture of that depth. */
static inline uint32_t xc_encode_peak(const xc_encode_options *o, uint32_t depth)
{
	return depth == 8 ? 255 : o->range ? o->range : 65535;
}

/* Every stride-th tile of the first piece is sampled for the first codes of rdo. */
static inline uint64_t xc_encode_sample_stride(const xc_geometry *g)
{
	enum { MAX_STRIDE = 8, MIN_TILES = 8 };
	const uint64_t stride = (uint64_t)xc_geometry_piece_rows(g) * g->tiles_wide / MIN_TILES;
	return stride < 1 ? 1 : stride < MAX_STRIDE ? stride : MAX_STRIDE;
}

/* 1: options leave a choice for pixels of that layout, which xc_encode_choice_rows() first rows
 * decide: the fewest, two by two, with 2^22 pixels, or all. */
enum { XC_CHOICE_PIXELS = 1 << 22 };
int xc_encode_chooses(const xc_encode_options *options, xc_layout layout);
uint32_t xc_encode_choice_rows(uint32_t width, uint32_t height);

/* The shares of coloured squares, among those that are not flat, and of flat ones, in a sample of
 * these rows, in 65536ths. */
void xc_encode_choice_sample(const xc_pixels *pixels, uint32_t peak, uint32_t shares[2]);

/* The share of the first pixels that equal a neighbour, in 256ths. X is not looked at. */
uint32_t xc_encode_share_of_equals(const xc_pixels *pixels);

/* Replaces the values AUTO, those that do not matter to LOSSLESS, and any subsampling of a grey picture by GREY. The planes begin with
 * the first row. NULL: by quality alone. */
void xc_encode_choose(const xc_pixels *pixels, xc_encode_options *options);

/* Sets the components made for the picture, and the matrix from Y, Cb and Cr to them. */
void xc_encode_plan_colours(xc_encode_plan *plan, const xc_pixels *pixels, float forward[9]);

#endif
