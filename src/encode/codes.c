/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds Huffman codes for the picture, and learns the codes or frequencies that rdo needs. Rdo
 * needs the bits of symbols before the final codes exist: it uses the codes of a sample of the
 * tiles, rounded with a dead zone, or of the pass before. */
#include <string.h>

#include "src/core/parallel.h"
#include "src/encode/encoder.h"

/* The sums of the counts of all workers, for luma and chroma. */
typedef struct code_building {
	xc_encoder *encoder;
	uint32_t contexts;
	uint32_t left[2]; /* contexts not summed yet */
	xc_symbol_counts sums[2];
} code_building;

/* Adds and clears the counts in a context. The last context of a class builds its codes. */
static void take_context(void *user, uint64_t item, int worker)
{
	code_building *b = user;
	xc_encoder *e = b->encoder;
	const uint32_t class = (uint32_t)item / b->contexts, c = (uint32_t)item % b->contexts;
	uint64_t dc[XC_DC_SYMBOLS] = {0}, *ac = b->sums[class].ac[c];

	(void)worker;
	for (int i = 0; i < e->worker_count; i++) {
		xc_encode_worker *w = e->workers[i];
		xc_symbol_counts *s = &w->sums[class];
		if (!w->counts_are_set)
			continue;
		xc_token_counts_fold(&w->counts[class][c], dc, ac);
		memset(&w->counts[class][c], 0, sizeof w->counts[class][c]);
		for (int k = 0; k < XC_AC_SYMBOLS; k++)
			ac[k] += s->ac[c][k];
		memset(s->ac[c], 0, sizeof s->ac[c]);
		for (int k = 0; c == 0 && k < XC_DC_SYMBOLS; k++) {
			dc[k] += s->dc[k];
			s->dc[k] = 0;
		}
	}
	for (int k = 0; k < XC_DC_SYMBOLS; k++)
		__atomic_fetch_add(&b->sums[class].dc[k], dc[k], __ATOMIC_RELAXED);
	if (__atomic_sub_fetch(&b->left[class], 1, __ATOMIC_ACQ_REL) == 0)
		xc_code_set_build(&e->codes[class], &b->sums[class], b->contexts);
}

void xc_encode_set_points(xc_encoder *e)
{
	for (int class = 0; class < 2; class ++) {
		xc_offsets sum = {{0, 0}, {0, 0}};
		for (int i = 0; i < e->worker_count; i++) {
			xc_offsets *o = &e->workers[i]->offsets[class];
			for (int k = 0; k < 2; k++) {
				sum.sum[k] += o->sum[k];
				sum.count[k] += o->count[k];
			}
			*o = (xc_offsets){{0, 0}, {0, 0}};
		}
		e->plan.points[class] = xc_offsets_points(&sum);
	}
}

/* Builds codes from the counts, and clears them. */
static xc_status build(xc_encoder *e)
{
	const uint32_t contexts = xc_encode_contexts(e);
	code_building b = {.encoder = e, .contexts = contexts, .left = {contexts, contexts}};

	xc_encode_set_points(e);
	return xc_parallel_for(e->context, 2 * contexts, e->time, take_context, &b, 0.7, 0.7);
}

xc_status xc_encode_make_codes(xc_encoder *e)
{
	const xc_status s = build(e);

	for (int class = 0; class < 2 && !s; class ++)
		xc_coder_init(&e->own_coders[class], &e->codes[class], &e->tables->contexts);
	return s;
}

/* Builds codes for rdo from every stride-th tile of the first piece. */
static xc_status learn_codes(xc_encoder *e, uint64_t stride, double from, double to)
{
	e->stride = stride;
	e->stores = 0;
	xc_status s = xc_encode_tiles(e, 0, xc_encode_piece_tiles(e), xc_encode_count_tile, from, to);
	if (!s)
		s = build(e);
	for (int class = 0; class < 2 && !s; class ++) {
		xc_decision_take_codes(&e->decisions[class], &e->codes[class]);
		e->decisions[class].points = e->plan.points[class];
	}
	return s;
}

/* By effort: how many earlier coefficients rdo looks back to, and how many passes over the first
 * piece refine the codes first. */
static const struct effort {
	uint32_t window, passes;
} efforts[XC_MOST_EFFORT + 1] = {{0, 0}, {0, 0}, {3, 0}, {63, 2}};

static xc_status learn_decisions(xc_encoder *e)
{
	const struct effort *f = &efforts[e->options.effort];
	xc_status s = XC_OK;

	for (int class = 0; class < 2 && !e->counting && e->deciding; class ++)
		xc_decision_take_codes(&e->decisions[class], &e->codes[class]);
	if (e->counting && f->window) {
		s = learn_codes(e, xc_encode_sample_stride(&e->plan.geometry), 0, 0.1);
		xc_stage(e->context, "sample");
	}
	for (int class = 0; class < 2; class ++)
		e->decisions[class].window = f->window;
	for (uint32_t i = 0; e->counting && !s && i < f->passes; i++) {
		s = learn_codes(e, 1, 0.1, 0.7);
		xc_stage(e->context, "transform");
	}
	return s;
}

static void sum_rans_counts(const xc_encoder *e, xc_rans_counts *sum)
{
	for (int i = 0; i < e->worker_count; i++) {
		xc_encode_worker *w = e->workers[i];
		if (!w->counts_are_set)
			continue;
		const uint32_t *from = &w->rans_counts.of[0][0][0];
		uint32_t *to = &sum->of[0][0][0];
		for (size_t k = 0; k < sizeof *sum / sizeof *to; k++)
			to[k] += from[k];
		memset(w->offsets, 0, sizeof w->offsets);
	}
}

/* Counts the symbols of rANS, and uses frequencies of the picture's own if they save bytes. */
static xc_status learn_frequencies(xc_encoder *e)
{
	xc_rans_frequencies builtin, own;
	xc_rans_counts *sum = xc_allocate_zeroed(e->context, sizeof *sum);

	if (!sum)
		return xc_fail_memory(e->context, sizeof *sum);
	e->stride = 1;
	const xc_status s = xc_encode_tiles(e, 0, xc_encode_piece_tiles(e), xc_encode_count_tile_rans,
	                                    0, 0.5);
	sum_rans_counts(e, sum);
	e->own_rans = xc_allocate(e->context, sizeof *e->own_rans);
	if (s || !e->own_rans) {
		xc_release(e->context, sum);
		return s ? s : xc_fail_memory(e->context, sizeof *e->own_rans);
	}
	xc_rans_builtin_frequencies(&builtin);
	const size_t size = xc_rans_store(sum, e->plan.geometry.components == 1 ? 1 : 2, &own,
	                                  e->frequencies);
	if (xc_rans_cost(sum, &own) + ((uint64_t)(size + XC_CHUNK_OVERHEAD) << 19) <
	    xc_rans_cost(sum, &builtin)) {
		e->frequency_bytes = size;
		e->plan.header.entropy = XC_ENTROPY_RANS_STORED;
		xc_rans_tables_init(e->own_rans, &own);
		e->rans = e->own_rans;
	}
	xc_release(e->context, sum);
	return XC_OK;
}

xc_status xc_encode_learn(xc_encoder *e)
{
	const uint64_t row = (uint64_t)e->rows.width * e->plan.geometry.tile_mcus_high * 8 *
	                     (uint64_t)e->plan.geometry.v;

	if (!e->rans)
		return learn_decisions(e);
	/* Counts have 32 bits. */
	return e->options.effort == XC_MOST_EFFORT &&
	               row * xc_geometry_piece_rows(&e->plan.geometry) <= UINT32_MAX / 2
	           ? learn_frequencies(e)
	           : XC_OK;
}
