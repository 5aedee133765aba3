/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A frame cut into strips of 8 rows and tiles of 8 or more columns for the run functions of
 * kernels.c, in one pass over memory.  Rows and columns are treated alike, as axes.  Compiled once
 * for each precision.
 */
#include "lab/cpu/band/band.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lab/cpu/shares.h"
#include "lab/real.h"
#include "src/core/cpu.h"

/* Outputs of this size or more are written past the caches: they would not stay there until they
 * are read again. */
enum { STREAM_BYTES = 8 << 20 };

typedef struct band_frame {
	const xc_band_kernels *kernels;
	xc_band_function run;
	size_t tile, shifts, lead; /* lead: tiles read before the first is written */
	xc_band_axis rows, cols;
	int stream;             /* past the caches where alignment allows */
	int shares;             /* threads */
	size_t scratch_samples; /* of each share, whole cache lines */
	XC_REAL *scratch;
	_Alignas(64) XC_REAL scale[64];
	int has_scale, rounds;
} band_frame;

/* Scratch of one share; every part is a whole number of cache lines. */
typedef struct band_share {
	const band_frame *frame;
	XC_REAL *line, *carry;         /* see xc_band_strip */
	XC_REAL *strip_in, *strip_out; /* a strip whose rows are gathered */
	XC_REAL *tile_in, *tile_out;   /* a tile at the left or right edge */
	ptrdiff_t line_stride, in_stride, out_stride;
} band_share;

/* Lays the parts out from `base` (NULL: only measures them); returns the samples they take. */
static size_t lay_out(const band_frame *f, XC_REAL *base, band_share *share)
{
	const size_t tile = f->tile;
	const size_t tiles = f->lead + ((size_t)f->cols.blocks * 8 + tile - 1) / tile;
	const size_t line = tiles * tile;
	const size_t in = ((size_t)f->cols.in_size + 63) & ~(size_t)63;
	const size_t out = ((size_t)f->cols.out_size + 63) & ~(size_t)63;
	const size_t sizes[6] = {
		f->shifts * 4 * line, f->shifts * 4 * tile, 8 * in, 8 * out, 8 * tile, 8 * tile,
	};
	XC_REAL **const parts[6] = {
		&share->line,      &share->carry,   &share->strip_in,
		&share->strip_out, &share->tile_in, &share->tile_out,
	};
	size_t at = 0;

	for (int i = 0; i < 6; i++) {
		*parts[i] = base ? base + at : NULL;
		at += (sizes[i] + 63) & ~(size_t)63;
	}
	share->frame = f;
	share->line_stride = (ptrdiff_t)line;
	share->in_stride = (ptrdiff_t)in;
	share->out_stride = (ptrdiff_t)out;
	return at;
}

/* Tiles from number `first` on, which lie in the arrays with all their columns. */
static void run_tiles(const band_share *s, xc_band_strip strip, const XC_REAL *in, XC_REAL *out,
                      ptrdiff_t first, ptrdiff_t count)
{
	const band_frame *f = s->frame;
	const ptrdiff_t tile = (ptrdiff_t)f->tile;

	if (count <= 0)
		return;
	strip.in = in + f->cols.in_first + first * tile;
	strip.out = out + f->cols.out_first + first * tile;
	strip.line = s->line + ((ptrdiff_t)f->lead + first) * tile;
	strip.tiles = (size_t)count;
	f->run(&strip);
}

/* One tile that lies partly outside: its columns are gathered by rule, and only the results inside
 * the array are stored. */
static void run_edge_tile(const band_share *s, xc_band_strip strip, const XC_REAL *in, XC_REAL *out,
                          ptrdiff_t number)
{
	const band_frame *f = s->frame;
	const ptrdiff_t tile = (ptrdiff_t)f->tile;
	const ptrdiff_t from = f->cols.in_first + number * tile;
	const ptrdiff_t to = f->cols.out_first + number * tile;

	for (ptrdiff_t x = 0; x < tile; x++) {
		const xc_band_source source = xc_band_locate(&f->cols, from + x);
		for (ptrdiff_t y = 0; y < 8; y++)
			s->tile_in[y * tile + x] = source.sign
			                               ? source.sign * in[y * strip.in_stride + source.at]
			                               : 0;
	}
	const ptrdiff_t out_stride = strip.out_stride;
	strip.in = s->tile_in;
	strip.out = s->tile_out;
	strip.in_stride = strip.out_stride = tile;
	strip.line = s->line + ((ptrdiff_t)f->lead + number) * tile;
	strip.tiles = 1;
	strip.stream = 0;
	f->run(&strip);
	if (number < 0)
		return;
	for (ptrdiff_t y = 0; y < 8; y++)
		for (ptrdiff_t x = to < 0 ? -to : 0; x < tile && to + x < f->cols.out_size; x++)
			out[y * out_stride + to + x] = s->tile_out[y * tile + x];
}

static void run_strip(const band_share *s, const XC_REAL *in, ptrdiff_t in_stride, XC_REAL *out,
                      ptrdiff_t out_stride, int stream)
{
	const band_frame *f = s->frame;
	const xc_band_axis *a = &f->cols;
	const ptrdiff_t tile = (ptrdiff_t)f->tile, tiles = (a->blocks * 8 + tile - 1) / tile;
	const xc_band_strip strip = {
		.in_stride = in_stride,
		.out_stride = out_stride,
		.line_stride = s->line_stride,
		.carry = s->carry,
		.scale = f->has_scale ? f->scale : NULL,
		.rounds = f->rounds,
		.stream = stream,
	};

	memset(s->carry, 0, f->shifts * 4 * f->tile * sizeof(XC_REAL));

	/* Tiles [first, end) lie in both arrays. */
	ptrdiff_t first = 0, end = tiles;
	while (first < tiles && (a->in_first + first * tile < 0 || a->out_first + first * tile < 0))
		first++;
	while (end > first &&
	       (a->in_first + end * tile > a->in_size || a->out_first + end * tile > a->out_size))
		end--;
	for (ptrdiff_t t = -(ptrdiff_t)f->lead; t < first; t++)
		run_edge_tile(s, strip, in, out, t);
	run_tiles(s, strip, in, out, first, end - first);
	for (ptrdiff_t t = end; t < tiles; t++)
		run_edge_tile(s, strip, in, out, t);
}

/* Rows at and beyond the upper and lower edge, gathered by rule. */
static void gather_rows(const band_share *s, const XC_REAL *in, ptrdiff_t position)
{
	const ptrdiff_t width = s->frame->cols.in_size;

	for (ptrdiff_t y = 0; y < 8; y++) {
		const xc_band_source source = xc_band_locate(&s->frame->rows, position + y);
		const XC_REAL *from = in + source.at * width;
		XC_REAL *to = s->strip_in + y * s->in_stride;
		for (ptrdiff_t x = 0; x < width; x++)
			to[x] = source.sign ? source.sign * from[x] : 0;
	}
}

/* Those rows of the strip that the array has. */
static void store_rows(const band_share *s, XC_REAL *out, ptrdiff_t position)
{
	const ptrdiff_t width = s->frame->cols.out_size;

	for (ptrdiff_t y = 0; y < 8; y++)
		if (position + y >= 0 && position + y < s->frame->rows.out_size)
			memcpy(out + (position + y) * width, s->strip_out + y * s->out_stride,
			       (size_t)width * sizeof(XC_REAL));
}

/* Whether the rows can be written past the caches. */
static int is_aligned(const band_frame *f, const XC_REAL *out)
{
	const uintptr_t first = (uintptr_t)(out + (f->cols.out_first & 7));
	const uintptr_t stride = (uintptr_t)f->cols.out_size * sizeof(XC_REAL);
	return f->kernels->lanes > 1 && first % 16 == 0 && stride % 32 == 0;
}

typedef struct band_work {
	const band_frame *frame;
	const XC_REAL *in;
	XC_REAL *out;
} band_work;

static void run_share(void *context, int number, int shares)
{
	const band_work *work = context;
	const band_frame *f = work->frame;
	const xc_band_axis *a = &f->rows;
	const ptrdiff_t first = (ptrdiff_t)xc_share_first((size_t)a->blocks, number, shares);
	const ptrdiff_t end = (ptrdiff_t)xc_share_first((size_t)a->blocks, number + 1, shares);
	const int stream = f->stream && is_aligned(f, work->out);
	band_share s;

	lay_out(f, f->scratch + f->scratch_samples * (size_t)number, &s);
	memset(s.line, 0, f->shifts * 4 * (size_t)s.line_stride * sizeof(XC_REAL));

	for (ptrdiff_t i = first - (ptrdiff_t)f->shifts; i < end; i++) {
		const ptrdiff_t from = a->in_first + 8 * i, to = a->out_first + 8 * i;
		const XC_REAL *strip_in = s.strip_in;
		ptrdiff_t in_stride = s.in_stride;
		if (from >= 0 && from + 8 <= a->in_size) {
			strip_in = work->in + from * f->cols.in_size;
			in_stride = f->cols.in_size;
		} else {
			gather_rows(&s, work->in, from);
		}
		if (i >= first && to >= 0 && to + 8 <= a->out_size) {
			run_strip(&s, strip_in, in_stride, work->out + to * f->cols.out_size, f->cols.out_size,
			          stream);
			continue;
		}
		run_strip(&s, strip_in, in_stride, s.strip_out, s.out_stride, 0);
		if (i >= first)
			store_rows(&s, work->out, to);
	}
}

static const xc_band_kernels *kernels_for(xc_cpu cpu)
{
#if XC_REAL_BITS == 80 /* no processor has vectors of these */
	(void)cpu;
	return &xc_band_scalar_f80;
#else
	static const xc_band_kernels *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = &XC_T(xc_band_scalar),
	     XC_CPU_ENTRY_SSE2(&XC_T(xc_band_base)) XC_CPU_ENTRY_NEON(&XC_T(xc_band_base))
	         XC_CPU_ENTRY_AVX2(&XC_T(xc_band_avx2)) XC_CPU_ENTRY_AVX512(&XC_T(xc_band_avx512))};
	return levels[cpu];
#endif
}

static void finish(void *state)
{
	band_frame *f = state;
	free(f->scratch);
	free(f);
}

static void *prepare(const xc_plan *plan)
{
	const xc_band_details *details = plan->algorithm->details;
	const size_t shifts = xc_band_shifts(details->transform);
	band_frame *f = aligned_alloc(64, (sizeof *f + 63) & ~(size_t)63);
	band_share measured;

	if (!f)
		return NULL;
	*f = (band_frame){
		.kernels = kernels_for(details->plain ? XC_CPU_SCALAR : xc_cpu_auto()),
		.shifts = shifts,
		.rows = xc_band_make_axis(details, plan->direction, plan->size.rows),
		.cols = xc_band_make_axis(details, plan->direction, plan->size.cols),
	};
	f->run = f->kernels->run[details->transform][plan->direction];
	f->tile = xc_band_tile(f->kernels, details->transform);
	f->lead = (8 * shifts + f->tile - 1) / f->tile;
	f->stream = (size_t)f->rows.out_size * (size_t)f->cols.out_size >=
	            STREAM_BYTES / sizeof(XC_REAL);
	f->shares = plan->threads < f->rows.blocks ? plan->threads : (int)f->rows.blocks;
	f->has_scale = xc_band_make_scale(details->transform, plan->weighs ? plan->factors : NULL,
	                                  plan->precision, f->scale);
	f->rounds = plan->kind == XCT_BLOCK_DCT_QUANTIZED && plan->direction == XCT_FORWARD;
	f->scratch_samples = lay_out(f, NULL, &measured);
	if (f->scratch_samples < SIZE_MAX / 64 / sizeof(XC_REAL) / (size_t)f->shares)
		f->scratch = aligned_alloc(64, f->scratch_samples * sizeof(XC_REAL) * (size_t)f->shares);
	if (f->scratch)
		return f;
	finish(f);
	return NULL;
}

static void execute(const xc_plan *plan, const void *in, void *out)
{
	const band_frame *f = plan->state;
	band_work work = {f, in, out};

	xc_shares_run(plan->pool, f->shares, run_share, &work);
}

const xc_engine XC_T(xc_band) = {prepare, execute, finish, xc_band_count};
