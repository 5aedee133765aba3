/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-block-dct, cpu-lot2: blocks and bands of 8, 16 or 32, by their matrices, down the columns of the array and then
 * of its transpose.
 *
 * The LOT of type II (H. S. Malvar, Lapped transforms for efficient transform/subband coding, IEEE Trans.
 * ASSP 38, 1990) is the fast LOT (see lapped8.h) but for the rotations of the odd half, in whose place are a
 * DST of type IV and a DCT of type III of half as many points, for any number of bands.  The array is
 * continued as its mirror image, so the DCTs lie half a block off the grid, and the outermost ones have
 * even coefficients alone.  Coding gain for an AR(1) source of 0.95: 9.22 dB with 8 bands, 9.76 with 16,
 * 9.97 with 32 (the DCT's: 8.83, 9.46, 9.77).
 *
 * Arithmetic of a block of M, besides its DCT, M^2 multiply-adds: 2 M additions, M halvings, M^2 / 4
 * multiply-adds.
 */
#include "lab/cpu/band/band.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/frame.h"
#include "lab/cpu/shares.h"
#include "lab/real.h"

enum { STRIP = 64 }; /* columns at a time */

typedef struct wide {
	size_t bands;
	int lapped;
	XC_REAL dct[32][32], turn[16][16];
	size_t rows, cols, padded_rows, padded_cols;
	XC_REAL *middle, *turned, *memory;
} wide;

/* One pass down the columns: from `in_rows` rows to `out_rows`. */
typedef struct wide_pass {
	const wide *state;
	xct_direction direction;
	const XC_REAL *in;
	XC_REAL *out;
	size_t cols, in_rows, out_rows, padded;
} wide_pass;

static void finish(void *state)
{
	wide *const s = state;

	free(s->middle);
	free(s->turned);
	free(s->memory);
	free(s);
}

static void make_matrices(wide *s)
{
	const long double pi = 3.141592653589793238462643383279502884L, m = (long double)s->bands;
	const size_t half = s->bands / 2;

	for (size_t k = 0; k < s->bands; k++)
		for (size_t n = 0; n < s->bands; n++)
			s->dct[k][n] = (XC_REAL)(sqrtl((k ? 2 : 1) / m) *
			                         cosl(pi * (long double)((2 * n + 1) * k) / (2 * m)));
	/* DST-IV times DCT-III. */
	for (size_t i = 0; i < half; i++)
		for (size_t j = 0; j < half; j++) {
			long double sum = 0;
			for (size_t n = 0; n < half; n++)
				sum += sinl(pi * (long double)((2 * i + 1) * (2 * n + 1)) / (2 * m)) *
				       cosl(pi * (long double)((2 * n + 1) * j) / m) * (j ? 1 : sqrtl(0.5L));
			s->turn[i][j] = (XC_REAL)(4 / m * sum);
		}
}

static size_t padded(size_t n, size_t bands)
{
	return (n + bands - 1) / bands * bands;
}

static void *prepare(const xc_plan *plan)
{
	wide *const s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->bands = (size_t)plan->bands;
	s->lapped = plan->kind == XCT_LOT2;
	s->rows = plan->size.rows;
	s->cols = plan->size.cols;
	s->padded_rows = padded(s->rows, s->bands);
	s->padded_cols = padded(s->cols, s->bands);
	make_matrices(s);
	const size_t samples = xc_frame_multiply(s->padded_rows, s->padded_cols);
	s->middle = xc_frame_allocate(samples, sizeof(XC_REAL));
	s->turned = xc_frame_allocate(samples, sizeof(XC_REAL));
	s->memory = xc_frame_allocate((size_t)plan->threads, 3 * 32 * STRIP * sizeof(XC_REAL));
	if (s->middle && s->turned && s->memory)
		return s;
	finish(s);
	return NULL;
}

/* The row of the array at a position: the last one again up to whole blocks, mirrored beyond. */
static const XC_REAL *row_at(const wide_pass *p, ptrdiff_t position, size_t first)
{
	const ptrdiff_t whole = (ptrdiff_t)p->padded, last = (ptrdiff_t)p->in_rows - 1;
	const ptrdiff_t inside = position < 0        ? -1 - position
	                         : position >= whole ? 2 * whole - 1 - position
	                                             : position;
	return p->in + (size_t)(inside < last ? inside : last) * p->cols + first;
}

/* to = matrix (transposed: its transpose) times the `count` rows of `from`, a strip of `width` columns. */
static void multiply(size_t count, const XC_REAL *matrix, size_t stride, int transposed,
                     XC_REAL from[][STRIP], XC_REAL to[][STRIP], size_t width)
{
	for (size_t k = 0; k < count; k++) {
		memset(to[k], 0, width * sizeof(XC_REAL));
		for (size_t n = 0; n < count; n++) {
			const XC_REAL factor = transposed ? matrix[n * stride + k] : matrix[k * stride + n];
			for (size_t x = 0; x < width; x++)
				to[k][x] += factor * from[n][x];
		}
	}
}

static void load(const wide_pass *p, ptrdiff_t position, size_t first, size_t width,
                 XC_REAL rows[][STRIP])
{
	for (size_t n = 0; n < p->state->bands; n++)
		memcpy(rows[n], row_at(p, position + (ptrdiff_t)n, first), width * sizeof(XC_REAL));
}

static void store(const wide_pass *p, ptrdiff_t position, size_t first, size_t width,
                  XC_REAL rows[][STRIP])
{
	for (size_t n = 0; n < p->state->bands; n++, position++)
		if (position >= 0 && position < (ptrdiff_t)p->out_rows)
			memcpy(p->out + (size_t)position * p->cols + first, rows[n], width * sizeof(XC_REAL));
}

static void run_blocks(const wide_pass *p, size_t first, size_t width, XC_REAL (*x)[STRIP])
{
	const size_t m = p->state->bands;

	for (size_t at = 0; at < p->padded; at += m) {
		load(p, (ptrdiff_t)at, first, width, x);
		multiply(m, p->state->dct[0], 32, p->direction == XCT_INVERSE, x, x + 32, width);
		store(p, (ptrdiff_t)at, first, width, x + 32);
	}
}

/* Sums of even and odd coefficients go to the edge left of a block, differences to the right one. */
static void forward_edges(const wide_pass *p, size_t first, size_t width, XC_REAL (*x)[STRIP])
{
	const size_t m = p->state->bands, half = m / 2;
	XC_REAL(*const left)[STRIP] = x + 64; /* E - O of the block before */

	for (size_t at = 0; at <= p->padded; at += m) {
		load(p, (ptrdiff_t)at - (ptrdiff_t)half, first, width, x);
		multiply(m, p->state->dct[0], 32, 0, x, x + 32, width);
		/* x becomes the even half and, from `half` on, the odd one before it is turned. */
		for (size_t i = 0; i < half; i++)
			for (size_t c = 0; c < width; c++) {
				const XC_REAL e = x[32 + 2 * i][c], o = x[33 + 2 * i][c], l = left[i][c];
				x[i][c] = (l + (e + o)) * (XC_REAL)0.5;
				x[half + i][c] = (l - (e + o)) * (XC_REAL)0.5;
				left[i][c] = e - o;
			}
		multiply(half, p->state->turn[0], 16, 0, x + half, left + half, width);
		for (size_t i = 0; i < half; i++) {
			memcpy(x[32 + 2 * i], x[i], width * sizeof(XC_REAL));
			memcpy(x[33 + 2 * i], left[half + i], width * sizeof(XC_REAL));
		}
		if (at)
			store(p, (ptrdiff_t)(at - m), first, width, x + 32);
	}
}

static void inverse_edges(const wide_pass *p, size_t first, size_t width, XC_REAL (*x)[STRIP])
{
	const size_t m = p->state->bands, half = m / 2;
	XC_REAL(*const right)[STRIP] = x + 64; /* E + O of the block after the edge */

	for (size_t at = 0; at <= p->padded; at += m) {
		/* The last block is the mirror image of itself: it has no odd coefficients. */
		if (at < p->padded) {
			load(p, (ptrdiff_t)at, first, width, x);
			for (size_t i = 0; i < half; i++) {
				memcpy(x[32 + i], x[2 * i + 1], width * sizeof(XC_REAL));
				memmove(x[i], x[2 * i], width * sizeof(XC_REAL));
			}
			multiply(half, p->state->turn[0], 16, 1, x + 32, x + half, width);
		}
		for (size_t i = 0; i < half; i++)
			for (size_t c = 0; c < width; c++) {
				const XC_REAL even = x[i][c], odd = x[half + i][c], before = right[i][c];
				const XC_REAL after = at < p->padded ? even + odd : before;
				const XC_REAL other = at ? before : after; /* nor has the first */
				x[32 + 2 * i][c] = (other + after) * (XC_REAL)0.5;
				x[33 + 2 * i][c] = (other - after) * (XC_REAL)0.5;
				right[i][c] = even - odd;
			}
		multiply(m, p->state->dct[0], 32, 1, x + 32, x, width);
		store(p, (ptrdiff_t)at - (ptrdiff_t)half, first, width, x);
	}
}

static void run_share(void *context, int share, int shares)
{
	const wide_pass *const p = context;
	XC_REAL(*const x)
	[STRIP] = (XC_REAL(*)[STRIP])(p->state->memory + (size_t)share * 3 * 32 * STRIP);
	const size_t strips = (p->cols + STRIP - 1) / STRIP,
				 end = xc_share_first(strips, share + 1, shares);

	for (size_t s = xc_share_first(strips, share, shares); s < end; s++) {
		const size_t first = s * STRIP, left = p->cols - first, width = left < STRIP ? left : STRIP;
		if (!p->state->lapped)
			run_blocks(p, first, width, x);
		else if (p->direction == XCT_FORWARD)
			forward_edges(p, first, width, x);
		else
			inverse_edges(p, first, width, x);
	}
}

static void transpose(size_t rows, size_t cols, const XC_REAL *in, XC_REAL *out)
{
	for (size_t j = 0; j < cols; j++)
		for (size_t i = 0; i < rows; i++)
			out[j * rows + i] = in[i * cols + j];
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const wide *const s = plan->state;
	const int inverse = plan->direction == XCT_INVERSE;
	const size_t in_rows = inverse ? s->padded_rows : s->rows,
				 in_cols = inverse ? s->padded_cols : s->cols;
	const size_t out_rows = inverse ? s->rows : s->padded_rows,
				 out_cols = inverse ? s->cols : s->padded_cols;
	wide_pass down = {s,       plan->direction, in,       s->middle,
	                  in_cols, in_rows,         out_rows, s->padded_rows};
	wide_pass along = {s,        plan->direction, s->turned, s->middle,
	                   out_rows, in_cols,         out_cols,  s->padded_cols};

	xc_shares_run(plan->pool, plan->threads, run_share, &down);
	transpose(out_rows, in_cols, s->middle, s->turned);
	xc_shares_run(plan->pool, plan->threads, run_share, &along);
	transpose(out_cols, out_rows, s->middle, out);
}

static void count(const xc_plan *plan, xct_operations *operations)
{
	const wide *const s = plan->state;
	/* Blocks of a line, down and along. */
	const double m = (double)s->bands,
				 blocks = 2 * (double)s->padded_rows * (double)s->padded_cols / m;

	operations->multiply_adds = blocks * m * m * (s->lapped ? 1.25 : 1);
	if (s->lapped) {
		operations->additions = blocks * 2 * m;
		operations->shifts = blocks * m;
	}
}

const xc_engine XC_T(xc_wide) = {prepare, execute, finish, count};
