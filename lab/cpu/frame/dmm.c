/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu-dmm: the DCT of an N x M frame by direct matrix multiplication with
 * precomputed cosines, Y = C X C' (Ye, Shi, "CUDA based implementation of DCT/IDCT
 * on GPU", section B).  Only 4N different cosines exist for an axis of N; they are
 * kept, and the matrix is written out from them block by block.
 *
 * Arithmetic: N M (N + M) multiplications and as many additions.  The product
 * runs on packed blocks: 240 x 256 of the left factor (second-level cache) times
 * 256 x 2048 of the right one (third level), in tiles that stay in registers.
 * Summing in runs of 256 also keeps rounding errors down.
 *
 * cpu-dmm-plain multiplies the matrices, which it has in memory, by three loops and no more.
 */
#include "lab/cpu/frame/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/frame/kernels.h"
#include "lab/cpu/shares.h"
#include "src/core/cpu.h"

#define XC_DMM_PI 3.141592653589793238462643383279502884L

enum {
	XC_DMM_ROWS = 240, /* a multiple of every tile height (4, 6, 12) */
	XC_DMM_DEPTH = 256,
	XC_DMM_COLS = 2048,
	XC_DMM_TILE_MAX = 12 * 32,
	XC_DMM_LONGEST = 1 << 24 /* (2 j + 1) k stays far below 2^64 */
};

/* A factor of the product, read element by element while it is packed: stored
 * samples, or the cosine matrix of an axis, of which only a period of 4 n values
 * is kept.  C[k][j] = w(k) cos(pi (2 j + 1) k / (2 n)). */
typedef struct factor {
	const XC_REAL *data; /* NULL: cosines */
	size_t stride;
	const XC_REAL *period;
	size_t n;
	XC_REAL zero;   /* the value for k = 0 */
	int transposed; /* element (i, j) is C[j][i] */
} factor;

typedef struct dmm {
	const xc_frame_kernels *kernels;
	size_t rows, cols;
	XC_REAL *periods[2];         /* of the columns (rows samples) and the rows */
	XC_REAL *middle;             /* the product of the first two factors */
	size_t left, right, scratch; /* samples of a packed block, and of all a thread needs */
	XC_REAL *memory;
	XC_REAL *matrices[2]; /* plain: written out */
	factor down, along;
} dmm;

typedef struct dmm_product {
	const dmm *state;
	const factor *left, *right;
	size_t rows, depth, cols;
	XC_REAL *out;
} dmm_product;

/* `count` elements of a row (step_row 0) or a column (1) of the factor, from
 * (row, col) on, to every `gap`-th sample of out. */
static void factor_copy(const factor *f, size_t row, size_t col, int step_row, size_t count,
                        XC_REAL *out, size_t gap)
{
	if (f->data) {
		const XC_REAL *const in = f->data + row * f->stride + col;
		const size_t step = step_row ? f->stride : 1;
		for (size_t i = 0; i < count; i++)
			out[i * gap] = in[i * step];
		return;
	}
	const size_t k = f->transposed ? col : row, j = f->transposed ? row : col;
	const size_t period = 4 * f->n;
	size_t at = (2 * j + 1) * k % period;
	const int along_k = step_row != f->transposed;
	const size_t step = along_k ? 2 * j + 1 : 2 * k;
	for (size_t i = 0; i < count; i++) {
		out[i * gap] = k || (along_k && i) ? f->period[at] : f->zero;
		at += step;
		at -= at >= period ? period : 0;
	}
}

/* Rows in groups of `tile`, each group column by column; the last is filled up with zeros. */
static void pack_left(const factor *f, size_t row, size_t rows, size_t col, size_t depth,
                      size_t tile, XC_REAL *out)
{
	for (size_t i = 0; i < rows; i += tile, out += tile * depth)
		for (size_t r = 0; r < tile; r++) {
			if (i + r < rows)
				factor_copy(f, row + i + r, col, 0, depth, out + r, tile);
			else
				for (size_t d = 0; d < depth; d++)
					out[d * tile + r] = 0;
		}
}

static void pack_right(const factor *f, size_t row, size_t depth, size_t col, size_t cols,
                       size_t tile, XC_REAL *out)
{
	for (size_t j = 0; j < cols; j += tile, out += tile * depth) {
		const size_t width = cols - j < tile ? cols - j : tile;
		for (size_t d = 0; f->data && d < depth; d++)
			factor_copy(f, row + d, col + j, 0, width, out + d * tile, 1);
		for (size_t c = 0; !f->data && c < width; c++)
			factor_copy(f, row, col + j + c, 1, depth, out + c, tile);
		for (size_t d = 0; width < tile && d < depth; d++)
			memset(out + d * tile + width, 0, (tile - width) * sizeof *out);
	}
}

/* One packed block of the left factor times one of the right. */
static void block_product(const xc_frame_kernels *kernels, size_t rows, size_t depth, size_t cols,
                          const XC_REAL *left, const XC_REAL *right, XC_REAL *out, size_t stride,
                          int add)
{
	XC_REAL edge[XC_DMM_TILE_MAX];
	const size_t high = kernels->product_rows, wide = kernels->product_cols;

	for (size_t j = 0; j < cols; j += wide)
		for (size_t i = 0; i < rows; i += high) {
			XC_REAL *const tile = out + i * stride + j;
			const XC_REAL *const l = left + i * depth, *const r = right + j * depth;
			if (i + high <= rows && j + wide <= cols) {
				kernels->product(depth, l, r, tile, stride, add);
				continue;
			}
			kernels->product(depth, l, r, edge, wide, 0);
			for (size_t y = 0; y < high && i + y < rows; y++)
				for (size_t x = 0; x < wide && j + x < cols; x++)
					tile[y * stride + x] = (add ? tile[y * stride + x] : 0) + edge[y * wide + x];
		}
}

/* Makes one share of the product: consecutive rows. */
static void dmm_share(void *context, int share, int shares)
{
	const dmm_product *const p = context;
	const dmm *const s = p->state;
	const size_t high = s->kernels->product_rows, bands = (p->rows + high - 1) / high;
	const size_t first = xc_share_first(bands, share, shares) * high;
	const size_t after = xc_share_first(bands, share + 1, shares) * high;
	const size_t end = after < p->rows ? after : p->rows;
	XC_REAL *const left = s->memory + (size_t)share * s->scratch;
	XC_REAL *const right = left + s->left;

	for (size_t j = 0; first < end && j < p->cols; j += XC_DMM_COLS) {
		const size_t cols = p->cols - j < XC_DMM_COLS ? p->cols - j : XC_DMM_COLS;
		for (size_t d = 0; d < p->depth; d += XC_DMM_DEPTH) {
			const size_t depth = p->depth - d < XC_DMM_DEPTH ? p->depth - d : XC_DMM_DEPTH;
			pack_right(p->right, d, depth, j, cols, s->kernels->product_cols, right);
			for (size_t i = first; i < end; i += XC_DMM_ROWS) {
				const size_t rows = end - i < XC_DMM_ROWS ? end - i : XC_DMM_ROWS;
				pack_left(p->left, i, rows, d, depth, high, left);
				block_product(s->kernels, rows, depth, cols, left, right, p->out + i * p->cols + j,
				              p->cols, d > 0);
			}
		}
	}
}

static void plain_share(void *context, int share, int shares)
{
	const dmm_product *const p = context;
	const factor *const l = p->left, *const r = p->right;
	const size_t end = xc_share_first(p->rows, share + 1, shares);

	for (size_t i = xc_share_first(p->rows, share, shares); i < end; i++)
		for (size_t j = 0; j < p->cols; j++) {
			XC_REAL sum = 0;
			for (size_t d = 0; d < p->depth; d++)
				sum += l->data[i * l->stride + d] * r->data[d * r->stride + j];
			p->out[i * p->cols + j] = sum;
		}
}

static int write_out(factor *f, XC_REAL **matrix)
{
	*matrix = xc_frame_allocate(xc_frame_multiply(f->n, f->n), sizeof **matrix);
	for (size_t row = 0; *matrix && row < f->n; row++)
		factor_copy(f, row, 0, 0, f->n, *matrix + row * f->n, 1);
	f->data = *matrix;
	f->stride = f->n;
	return *matrix ? 0 : -1;
}

static void finish(void *state)
{
	dmm *const s = state;

	free(s->matrices[0]);
	free(s->matrices[1]);
	if (s->periods[1] != s->periods[0])
		free(s->periods[1]);
	free(s->periods[0]);
	free(s->middle);
	free(s->memory);
	free(s);
}

static XC_REAL *dmm_period(size_t n)
{
	const size_t period = xc_frame_multiply(n, 4);
	XC_REAL *const cosines = xc_frame_allocate(period, sizeof *cosines);
	const long double scale = sqrtl(2 / (long double)n);

	for (size_t i = 0; cosines && i < period; i++)
		cosines[i] = (XC_REAL)(scale * cosl(XC_DMM_PI * (long double)i / (2 * (long double)n)));
	return cosines;
}

static size_t dmm_block(size_t size, size_t max, size_t tile)
{
	const size_t block = size < max ? size : max;
	return (block + tile - 1) / tile * tile;
}

static void *prepare(const xc_plan *plan)
{
	const size_t rows = plan->size.rows, cols = plan->size.cols;
	const size_t longest = rows > cols ? rows : cols;

	if (longest > XC_DMM_LONGEST)
		return NULL;
	dmm *const s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->kernels = XC_T(xc_frame_kernels_best)();
	s->rows = rows;
	s->cols = cols;
	const size_t depth = longest < XC_DMM_DEPTH ? longest : XC_DMM_DEPTH;
	const size_t left = depth * dmm_block(rows, XC_DMM_ROWS, s->kernels->product_rows);
	const size_t right = depth * dmm_block(cols, XC_DMM_COLS, s->kernels->product_cols);
	s->left = xc_frame_whole_lines(left);
	s->scratch = s->left + xc_frame_whole_lines(right);
	s->periods[0] = dmm_period(rows);
	s->periods[1] = rows == cols ? s->periods[0] : dmm_period(cols);
	s->middle = xc_frame_allocate(xc_frame_multiply(rows, cols), sizeof *s->middle);
	s->memory = xc_frame_allocate(xc_frame_multiply((size_t)plan->threads, s->scratch),
	                              sizeof *s->memory);
	if (!s->periods[0] || !s->periods[1] || !s->middle || !s->memory) {
		finish(s);
		return NULL;
	}
	/* Forward: C X C'; inverse: C' X C, each with the C of its axis. */
	s->down = (factor){
		.period = s->periods[0],
		.n = rows,
		.zero = (XC_REAL)sqrtl(1 / (long double)rows),
		.transposed = plan->direction == XCT_INVERSE,
	};
	s->along = (factor){
		.period = s->periods[1],
		.n = cols,
		.zero = (XC_REAL)sqrtl(1 / (long double)cols),
		.transposed = plan->direction == XCT_FORWARD,
	};
	if (plan->algorithm->way == XC_DMM_PLAIN &&
	    (write_out(&s->down, &s->matrices[0]) || write_out(&s->along, &s->matrices[1]))) {
		finish(s);
		return NULL;
	}
	return s;
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const dmm *const s = plan->state;
	const factor frame = {.data = in, .stride = s->cols};
	const factor middle = {.data = s->middle, .stride = s->cols};
	/* clang-format off */
	dmm_product product = {
		.state = s, .left = &s->down, .right = &frame,
		.rows = s->rows, .depth = s->rows, .cols = s->cols, .out = s->middle,
	};

	/* clang-format on */
	const xc_share_task task = plan->algorithm->way == XC_DMM_PLAIN ? plain_share : dmm_share;
	xc_shares_run(plan->pool, plan->threads, task, &product);
	product.left = &middle;
	product.right = &s->along;
	product.depth = s->cols;
	product.out = out;
	xc_shares_run(plan->pool, plan->threads, task, &product);
}

static void count(const xc_plan *plan, xct_operations *operations)
{
	const double rows = (double)plan->size.rows, cols = (double)plan->size.cols;
	operations->multiply_adds = rows * cols * (rows + cols);
}

const xc_engine XC_T(xc_dmm) = {prepare, execute, finish, count};

/* Which table of kernels this processor runs. */
const xc_frame_kernels *XC_T(xc_frame_kernels_best)(void)
{
#if XC_REAL_BITS == 80 /* no processor has vectors of these */
	return &xc_frame_kernels_scalar_f80;
#else
	static const xc_frame_kernels *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &XC_T(xc_frame_kernels_scalar),
	     XC_CPU_ENTRY_SSE2(&XC_T(xc_frame_kernels_base))
	         XC_CPU_ENTRY_NEON(&XC_T(xc_frame_kernels_base))
	             XC_CPU_ENTRY_AVX2(&XC_T(xc_frame_kernels_avx2))
	                 XC_CPU_ENTRY_AVX512(&XC_T(xc_frame_kernels_avx512))};
	return levels[xc_cpu_auto()];
#endif
}
