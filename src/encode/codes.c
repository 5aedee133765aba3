/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Codes for the picture, and what decisions about values follow from them.  Decisions weigh the
 * bits that values take, so they need codes before there are any: those of a sample of the tiles,
 * decided by a dead zone, or those of the pass before.
 */
#include <string.h>

#include "src/core/parallel.h"
#include "src/encode/encoder.h"

/* Takes away what all workers have counted. */
static void take_counts(xc_encoder *e, int class, xc_symbol_counts *sum)
{
	memset(sum, 0, sizeof *sum);
	for (int i = 0; i < e->worker_count; i++) {
		xc_encode_worker *w = &e->workers[i];
		xc_symbol_counts *s = &w->sums[class];
		xc_token_counts_fold(w->counts[class], e->deciding ? XC_AC_CONTEXTS : 1, s);
		for (int k = 0; k < XC_DC_SYMBOLS; k++)
			sum->dc[k] += s->dc[k];
		for (int c = 0; c < XC_AC_CONTEXTS; c++)
			for (int k = 0; k < XC_AC_SYMBOLS; k++)
				sum->ac[c][k] += s->ac[c][k];
		memset(w->counts[class], 0, sizeof w->counts[class]);
		memset(s, 0, sizeof *s);
	}
}

void xc_encode_set_points(xc_encoder *e)
{
	for (int class = 0; class < 2; class ++) {
		xc_offsets sum = {{0, 0}, {0, 0}};
		for (int i = 0; i < e->worker_count; i++) {
			xc_offsets *o = &e->workers[i].offsets[class];
			for (int k = 0; k < 2; k++) {
				sum.sum[k] += o->sum[k];
				sum.count[k] += o->count[k];
			}
			*o = (xc_offsets){{0, 0}, {0, 0}};
		}
		e->plan.points[class] = xc_offsets_points(&sum);
	}
}

/* Counts the symbols of every stride-th tile and builds codes for them.  Decisions of the next pass
 * follow from them; last: the tokens are coded with them. */
static xc_status count_and_build(xc_encoder *e, uint64_t stride, int last, double from, double to)
{
	xc_symbol_counts sum;
	e->stride = stride;
	e->keep = last;
	xc_parallel_for(e->context, (e->count + stride - 1) / stride, e->time / stride,
	                xc_encode_count_tile, e, from, to);
	if (e->out_of_memory)
		return xc_fail_memory(e->context, (size_t)e->kept);
	xc_encode_set_points(e);
	for (int class = 0; class < 2; class ++) {
		take_counts(e, class, &sum);
		xc_code_set_build(&e->codes[class], &sum, e->deciding ? XC_AC_CONTEXTS : 1);
		if (!last) {
			xc_decision_take_codes(&e->decisions[class], &e->codes[class]);
			e->decisions[class].points = e->plan.points[class];
		}
	}
	return XC_OK;
}

/* How the levels of effort decide: how many coefficients back a value is weighed, and how often
 * all tiles are decided for codes that the last time gave. */
static const struct effort {
	uint32_t window, passes;
} efforts[XC_MOST_EFFORT + 1] = {{0, 1}, {0, 1}, {3, 1}, {63, 3}};

xc_status xc_encode_make_codes(xc_encoder *e, int effort)
{
	xc_status s = XC_OK;
	const struct effort *f = &efforts[effort];
	if (!e->counting) {
		for (int class = 0; class < 2; class ++) {
			const xc_huffman_code *codes = xc_default_codes(e->context)[class];
			xc_code_set_single(&e->codes[class], &codes[0], &codes[1]);
			xc_decision_take_codes(&e->decisions[class], &e->codes[class]);
		}
	}
	if (e->counting && f->window) {
		enum { MOST_STRIDE = 8, LEAST_TILES = 8 };
		const uint64_t stride = e->count / LEAST_TILES;
		s = count_and_build(e,
		                    stride < 1             ? 1
		                    : stride < MOST_STRIDE ? stride
		                                           : MOST_STRIDE,
		                    0, 0, 0.1);
		xc_stage(e->context, "sample");
	}
	for (int class = 0; class < 2; class ++)
		e->decisions[class].window = f->window;
	for (uint32_t i = 0; e->counting && !s && i < f->passes; i++) {
		s = count_and_build(e, 1, i + 1 == f->passes, 0.1, 0.7);
		xc_stage(e->context, "transform");
	}
	for (int class = 0; class < 2; class ++)
		xc_coder_init(&e->coders[class], &e->codes[class], &e->contexts);
	return s;
}

xc_status xc_encode_make_frequencies(xc_encoder *e)
{
	xc_rans_frequencies builtin, own;
	const uint64_t tiles = xc_encode_piece_tiles(e);
	xc_rans_counts *sum = xc_allocate_zeroed(e->context, sizeof *sum);
	if (!sum)
		return xc_fail_memory(e->context, sizeof *sum);
	xc_parallel_for(e->context, tiles, e->time * tiles / e->count, xc_encode_count_tile_rans, e, 0,
	                0.5);
	for (int i = 0; i < e->worker_count; i++) {
		xc_encode_worker *w = &e->workers[i];
		const uint32_t *from = &w->rans_counts.of[0][0][0];
		uint32_t *to = &sum->of[0][0][0];
		for (size_t k = 0; k < sizeof *sum / sizeof *to; k++)
			to[k] += from[k];
		memset(w->offsets, 0, sizeof w->offsets);
	}
	xc_rans_builtin_frequencies(&builtin);
	const size_t size = xc_rans_store(sum, e->plan.geometry.components == 1 ? 1 : 2, &own,
	                                  e->frequencies);
	if (xc_rans_cost(sum, &own) + ((uint64_t)(size + XC_CHUNK_OVERHEAD) << 19) <
	    xc_rans_cost(sum, &builtin)) {
		e->frequency_bytes = size;
		e->plan.header.entropy = XC_ENTROPY_RANS_STORED;
		xc_rans_tables_init(e->rans, &own);
	}
	xc_release(e->context, sum);
	return XC_OK;
}
