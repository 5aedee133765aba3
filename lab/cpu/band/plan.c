/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes, axes and factors of the 8-band transforms, whatever the precision. */
#include "lab/cpu/band/band.h"

#include <math.h>
#include <stdlib.h>

#include "lab/kernels/dct8.h"
#include "lab/registry.h"
#include "src/core/cpu.h"

/* Far above the size of any array, and far below overflow. */
static const size_t size_limit = SIZE_MAX / 64;

static int plausible(const xc_transform_size *size)
{
	return size->slices == 1 && size->rows > 0 && size->cols > 0 && size->rows < size_limit &&
	       size->cols < size_limit && size->rows + 16 < size_limit / (size->cols + 16);
}

static size_t whole_blocks(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

int xc_band_size_same(xct_direction direction, const xc_transform_size *in, xc_transform_size *out)
{
	if (!plausible(in) || (direction == XCT_INVERSE && ((in->rows | in->cols) & 7)))
		return -1;
	*out = (xc_transform_size){1, whole_blocks(in->rows), whole_blocks(in->cols)};
	return 0;
}

int xc_band_size_stored(xct_direction direction, const xc_transform_size *in,
                        xc_transform_size *out)
{
	if (xc_band_size_same(direction, in, out))
		return -1;
	if (direction == XCT_FORWARD) {
		out->rows += 8;
		out->cols += 8;
		return 0;
	}
	if (in->rows < 16 || in->cols < 16)
		return -1;
	out->rows -= 8;
	out->cols -= 8;
	return 0;
}

/* An axis of n samples.  The LOT and the TDLT read their first block 4 samples
 * before the frame, so the first one that completes an output starts at 4, and
 * the inverse's first output at -4.  With stored edges, the blocks are on the grid:
 * the first (of zeros) before the frame, or the frame's edge, read in advance. */
xc_band_axis xc_band_make_axis(const xc_band_details *details, xct_direction direction, size_t n)
{
	const ptrdiff_t size = (ptrdiff_t)n, padded = (ptrdiff_t)whole_blocks(n);
	const ptrdiff_t bands = details->stored_edges ? padded + 8 : padded;
	const size_t shifts = xc_band_shifts(details->transform);
	const int inverse = direction == XCT_INVERSE;
	xc_band_axis axis = {
		.in_size = inverse ? bands : size,
		.out_size = inverse ? size : bands,
		.padded = inverse ? bands : padded,
		.blocks = padded / 8,
		.edge = XC_EDGE_REPEAT,
	};

	if (details->stored_edges) {
		axis.edge = XC_EDGE_ZERO;
		axis.in_first = inverse ? 8 : 0;
		axis.blocks += inverse ? 0 : 1;
	} else if (shifts == 1) {
		axis.edge = inverse ? XC_EDGE_MIRROR_BANDS : XC_EDGE_MIRROR;
		axis.in_first = inverse ? 0 : 4;
		axis.out_first = inverse ? -4 : 0;
		axis.blocks += inverse ? 1 : 0;
	} else if (shifts == 2) {
		axis.edge = inverse ? XC_EDGE_MIRROR_BANDS : XC_EDGE_MIRROR;
		axis.in_first = 8;
	}
	return axis;
}

int xc_band_make_scale(xc_band_transform transform, const long double *more,
                       xct_precision precision, void *scale)
{
	static const long double aan[8] = XC_DCT8_AAN_SCALES, flmad[8] = XC_DCT8_FLMAD_SCALES;
	const long double *factor = NULL;

	if (transform == XC_BAND_AAN || transform == XC_BAND_FEIG2D)
		factor = aan;
	if (transform == XC_BAND_FLMAD || transform == XC_BAND_TDLT)
		factor = flmad;
	for (int i = 0; i < 64; i++)
		xc_sample_put(scale, precision, (size_t)i,
		              (factor ? factor[i / 8] * factor[i % 8] : 1) * (more ? more[i] : 1));
	return factor || more;
}

/* Operations of a whole 8x8 block: 16 times the operations of 8 points, which lab/kernels/ states and
 * check_transforms_count counts, and multiplications of a scaling. */
#define EACH(add, mul, madd, scale) \
	{ \
		16. * (add), 16. * (mul), 16. * (madd), 0, scale \
	}

void xc_band_count_of(xc_band_transform transform, const xc_transform_size *size,
                      xct_operations *operations)
{
	static const xct_operations block[] = {
		[XC_BAND_NAIVE] = EACH(56, 72, 0, 0),
		[XC_BAND_DEFINITION] = EACH(0, 8, 56, 0),
		[XC_BAND_SEPARABLE] = EACH(14, 8, 14, 0),
		[XC_BAND_AAN] = EACH(29, 5, 0, 64),
		[XC_BAND_FLMAD] = EACH(16, 0, 10, 64),
		[XC_BAND_FEIG2D] = {462, 54, 0, 6, 64},
		[XC_BAND_LOT] = EACH(16 + 8, 4 + 6, 18 + 6, 0),
		[XC_BAND_TDLT] = EACH(12 + 16, 4, 12 + 10, 64),
		[XC_BAND_GENLOT] = EACH(24 + 16 + 8, 8 + 4 + 4, 22 + 12 + 12, 0),
		[XC_BAND_TRANSFORMS] = {448 + 128, 352, 0, 128, 0}, /* in integers: see short8x8.h */
	};
	const double blocks = (double)(whole_blocks(size->rows) / 8) *
	                      (double)(whole_blocks(size->cols) / 8);

	*operations = block[transform];
	operations->additions *= blocks;
	operations->multiplications *= blocks;
	operations->multiply_adds *= blocks;
	operations->shifts *= blocks;
	operations->scaling *= blocks;
}

void xc_band_count(const xc_plan *plan, xct_operations *operations)
{
	const xc_band_details *const details = plan->algorithm->details;

	xc_band_count_of(details ? details->transform : XC_BAND_TRANSFORMS, &plan->size, operations);
}

/* cpu-short: the frame around the kernels of short_level.c. */

/* One block at the right or lower edge: samples beyond it repeat the last ones,
 * results beyond it are dropped. */
typedef struct edge_block {
	const int16_t *in;
	int16_t *out;
	size_t in_rows, in_cols, out_rows, out_cols; /* of the arrays */
} edge_block;

static void edge(xc_short_function *run, const edge_block *f, xct_direction direction, size_t row,
                 size_t col)
{
	int16_t in[64], out[64];

	for (size_t i = 0; i < 64; i++) {
		const size_t y = row + i / 8, x = col + i % 8;
		in[i] = f->in[(y < f->in_rows ? y : f->in_rows - 1) * f->in_cols +
		              (x < f->in_cols ? x : f->in_cols - 1)];
	}
	run(in, 8, out, 8, 1, direction);
	for (size_t i = 0; i < 64; i++)
		if (row + i / 8 < f->out_rows && col + i % 8 < f->out_cols)
			f->out[(row + i / 8) * f->out_cols + col + i % 8] = out[i];
}

static xc_short_function *choose(void)
{
	static xc_short_function *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = xc_short_base,
	     XC_CPU_ENTRY_SSE2(xc_short_base) XC_CPU_ENTRY_NEON(xc_short_base)
	         XC_CPU_ENTRY_AVX2(xc_short_avx2) XC_CPU_ENTRY_AVX512(xc_short_avx512)};

	return levels[xc_cpu_auto()];
}

/* Coefficients, quantized in place, rounded half to even; the table repeats every 8 rows and columns. */
static void quantize(const xc_plan *plan, int16_t *out, size_t rows, size_t cols)
{
	float factors[64];

	for (int i = 0; i < 64; i++)
		factors[i] = (float)plan->factors[i];
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < cols; j++)
			out[i * cols + j] = (int16_t)rintf((float)out[i * cols + j] *
			                                   factors[i % 8 * 8 + j % 8]);
}

/* The inverse: products are held to 16 bits. */
static void dequantize(const xc_plan *plan, const int16_t *in, int16_t *out, size_t rows,
                       size_t cols)
{
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < cols; j++) {
			const int32_t value = in[i * cols + j] * (int32_t)plan->factors[i % 8 * 8 + j % 8];
			out[i * cols + j] = (int16_t)(value > INT16_MAX   ? INT16_MAX
			                              : value < INT16_MIN ? INT16_MIN
			                                                  : value);
		}
}

static void *prepare(const xc_plan *plan)
{
	/* The inverse needs its coefficients after quantization is undone. */
	return malloc(plan->weighs && plan->direction == XCT_INVERSE
	                  ? whole_blocks(plan->size.rows) * whole_blocks(plan->size.cols) *
	                        sizeof(int16_t)
	                  : 1);
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const size_t rows = plan->size.rows, cols = plan->size.cols;
	const size_t padded_rows = (rows + 7) & ~(size_t)7, padded_cols = (cols + 7) & ~(size_t)7;
	const int inverse = plan->direction == XCT_INVERSE;
	xc_short_function *const run = choose();

	if (plan->weighs && inverse) {
		dequantize(plan, in, plan->state, padded_rows, padded_cols);
		in = plan->state;
	}
	const edge_block f = {
		.in = in,
		.out = out,
		.in_rows = inverse ? padded_rows : rows,
		.in_cols = inverse ? padded_cols : cols,
		.out_rows = inverse ? rows : padded_rows,
		.out_cols = inverse ? cols : padded_cols,
	};

	for (size_t row = 0; row < padded_rows; row += 8) {
		const size_t whole = row + 8 <= rows ? cols / 8 : 0;
		run(f.in + row * f.in_cols, (ptrdiff_t)f.in_cols, f.out + row * f.out_cols,
		    (ptrdiff_t)f.out_cols, whole, plan->direction);
		for (size_t col = 8 * whole; col < padded_cols; col += 8)
			edge(run, &f, plan->direction, row, col);
	}
	if (plan->weighs && !inverse)
		quantize(plan, out, padded_rows, padded_cols);
}

const xc_engine xc_short = {prepare, execute, free, xc_band_count};
