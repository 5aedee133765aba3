/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu-short: the frame around the kernels of short_level.c. */
#include "lab/cpu/band/short.h"

#include "src/core/cpu.h"

/* One block at the right or lower edge: samples beyond it repeat the last ones,
 * results beyond it are dropped. */
typedef struct edge_block {
	const int16_t *in;
	int16_t *out;
	size_t in_rows, in_cols, out_rows, out_cols; /* of the arrays */
} edge_block;

static void edge(xc_short_function *run, const edge_block *f, xc_direction direction, size_t row,
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

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const size_t rows = plan->size.rows, cols = plan->size.cols;
	const size_t padded_rows = (rows + 7) & ~(size_t)7, padded_cols = (cols + 7) & ~(size_t)7;
	const int inverse = plan->direction == XC_INVERSE;
	xc_short_function *const run = choose();
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
}

const xc_engine xc_short = {.execute = execute};
