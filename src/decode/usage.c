/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_read_bit_usage(): turns the coefficients of a file back into symbols and adds up their bits by
 * the codes or frequencies of the file. */
#include <string.h>

#include "entropy/rans/model.h"
#include "src/container/segment.h"
#include "src/decode/coded.h"
#include "src/core/floats.h"

/* Bits of coded symbols, times 2^16: symbols of zeros, and the others. */
typedef struct coded_bits {
	uint64_t dc[2], ac[2];
} coded_bits;

typedef struct scale {
	const xc_coded *coded;
	coded_bits bits[XC_MAX_COMPONENTS];
	xc_bit_usage *usage;
	void *dc; /* DC differences of a component of a tile */
	/* For Huffman codes. */
	xc_arena arena;
	xc_token_contexts contexts;
	xc_token_counts *tokens; /* [XC_AC_CONTEXTS] */
	xc_symbol_counts *symbols;
	/* For rANS. */
	void *scratch;
	xc_rans_counts *counts;
} scale;

/* The bits that follow the symbol of a nonzero value, without its sign. */
static unsigned raw_bits(const xc_coded *d, int32_t value, int is_dc)
{
	const uint32_t magnitude = (uint32_t)(value < 0 ? -value : value);

	if (!d->rans) {
		const unsigned size = xc_value_size(value);
		return size - 1 + (!is_dc && size >= 15 ? 4 : 0);
	}
	if (magnitude < XC_RANS_FIRST_CLASS)
		return 0;
	const unsigned bits = xc_rans_class_bits(magnitude);
	return bits + (bits >= XC_RANS_ESCAPE_MIN ? XC_RANS_ESCAPE_BITS : 0);
}

/* Turns coefficients of a component to quantized values; counts signs and raw bits. */
static void count_values(scale *w, int component, void *blocks, uint32_t wide, uint32_t high)
{
	const xc_coded *d = w->coded;
	xc_bit_usage *u = w->usage;
	const size_t n = (size_t)wide * high;

	for (size_t i = 0; i < n * 64; i++)
		xc_set_coefficient(blocks, i, xc_coded_value(d, blocks, i), d->depth16);
	d->level->predict_dc(blocks, wide, high, w->dc);
	u->blocks[component] += n;
	for (size_t i = 0; i < n * 64; i++) {
		const int is_dc = i % 64 == 0;
		const int32_t value = is_dc ? xc_coefficient(w->dc, i / 64, d->depth16)
		                            : xc_coefficient(blocks, i, d->depth16);
		if (!value)
			continue;
		const unsigned raw = raw_bits(d, value, is_dc);
		u->nonzero[component] += !is_dc;
		u->sign_bits[component]++;
		u->raw_bits[component] += raw;
		*(is_dc ? &u->dc_bits[component] : &u->ac_bits[component]) += 1 + raw;
	}
}

static void count_tokens(scale *w, const xc_tokens *tokens, const xc_code_set *codes,
                         coded_bits *bits)
{
	memset(w->tokens, 0, XC_AC_CONTEXTS * sizeof *w->tokens);
	memset(w->symbols, 0, sizeof *w->symbols);
	w->coded->level->count(tokens, &w->contexts, w->tokens);
	for (int c = 0; c < XC_AC_CONTEXTS; c++)
		xc_token_counts_fold(&w->tokens[c], w->symbols->dc, w->symbols->ac[c]);
	for (int s = 0; s < XC_DC_SYMBOLS; s++)
		bits->dc[s != 0] += w->symbols->dc[s] * codes->dc.length[s] << 16;
	for (int c = 0; c < XC_AC_CONTEXTS; c++) {
		const xc_huffman_code *code = &codes->ac[codes->ac_code[c]];
		for (int s = 0; s < XC_AC_SYMBOLS; s++)
			bits->ac[s % 16 != 0] += w->symbols->ac[c][s] * code->length[s] << 16;
	}
}

/* The coder counts two components of chroma. Here both are the same one: costs are halved. */
static void count_rans(scale *w, const xc_rans_shape *tile, int component, const void *blocks,
                       coded_bits *bits)
{
	const int chroma = component > 0;
	xc_rans_shape shape = *tile;
	uint64_t cost[XC_RANS_SETS][2];

	if (chroma) {
		shape.high[0] = 0;
		shape.first[1] = shape.first[2] = tile->first[component];
	} else {
		shape.components = 1;
	}
	memset(w->counts, 0, sizeof *w->counts);
	w->coded->rans_level->count(w->coded->rans, &shape, blocks, w->scratch, w->counts);
	xc_rans_costs(w->counts, w->coded->rans, chroma, cost);
	for (int s = 0; s < XC_RANS_SETS; s++) {
		const uint64_t zero = cost[s][0] >> chroma, other = cost[s][1] >> chroma;
		if (s < XC_RANS_FLAG_SET) {
			uint64_t *to = s == XC_RANS_DC_SET ? bits->dc : bits->ac;
			to[0] += zero;
			to[1] += other;
		} else {
			bits->ac[0] += zero + other;
		}
	}
}

static xc_status count_tile(void *user, const xc_tile *t, void *blocks)
{
	scale *w = user;
	const xc_coded *d = w->coded;
	const xc_container *k = &d->container;
	const int components = k->geometry.components;

	for (int c = 0; c < components && k->header.entropy == XC_ENTROPY_SAMPLES; c++) {
		const uint64_t bits = xc_tile_samples_count(&k->geometry, t, c) * k->header.depth;
		w->usage->raw_bits[c] += bits;
		w->usage->ac_bits[c] += bits;
		w->usage->blocks[c] += (uint64_t)t->blocks_wide[c] * t->blocks_high[c];
	}
	if (k->header.entropy == XC_ENTROPY_SAMPLES)
		return XC_OK;
	for (int c = 0; c < components; c++)
		count_values(w, c, (char *)blocks + (size_t)t->first_block[c] * 64 * d->level->width,
		             t->blocks_wide[c], t->blocks_high[c]);
	if (d->rans) {
		const xc_rans_shape shape = xc_tile_rans_shape(&k->geometry, t);
		for (int c = 0; c < components; c++)
			count_rans(w, &shape, c, blocks, &w->bits[c]);
		return XC_OK;
	}
	xc_tile_tokens tokens;
	if (!xc_tile_tokenize(&w->arena, d->level, &k->geometry, t, blocks, &tokens))
		return xc_fail_memory(w->arena.context, 0);
	for (int c = 0; c < components; c++)
		count_tokens(w, &tokens.of[c], &k->codes[c != 0], &w->bits[c]);
	return XC_OK;
}

/* Allocates room for a tile; the first tile is the largest. */
static xc_status set_up(xc_context *c, scale *w)
{
	const xc_coded *d = w->coded;
	const xc_geometry *g = &d->container.geometry;
	xc_tile tile;

	xc_geometry_tile(g, 0, &tile);
	const xc_rans_shape shape = xc_tile_rans_shape(g, &tile);
	const size_t dc = tile.blocks * d->level->width;
	const size_t counts = d->rans ? sizeof *w->counts : XC_AC_CONTEXTS * sizeof *w->tokens;
	const size_t more = d->rans ? xc_rans_scratch(&shape) : sizeof *w->symbols;
	void *memory = xc_allocate(c, counts);
	w->counts = d->rans ? memory : NULL;
	w->tokens = d->rans ? NULL : memory;
	w->dc = xc_scratch_allocate(c, dc);
	w->scratch = xc_scratch_allocate(c, more);
	w->symbols = w->scratch;
	w->arena.context = c;
	xc_token_contexts_init(&w->contexts);
	return memory && w->dc && w->scratch ? XC_OK : xc_fail_memory(c, counts + dc + more);
}

/* Adds the bits of symbols; the rest of the segments is padding. */
static void add_up(const scale *w, xc_bit_usage *u)
{
	const xc_container *k = &w->coded->container;
	uint64_t bits = 0;

	for (int c = 0; c < k->geometry.components; c++) {
		const coded_bits *b = &w->bits[c];
		const uint64_t dc[2] = {b->dc[0] >> 16, b->dc[1] >> 16};
		const uint64_t ac[2] = {b->ac[0] >> 16, b->ac[1] >> 16};
		u->zero_bits[c] = dc[0] + ac[0];
		u->magnitude_bits[c] = dc[1] + ac[1];
		u->dc_bits[c] += dc[0] + dc[1];
		u->ac_bits[c] += ac[0] + ac[1];
		bits += u->dc_bits[c] + u->ac_bits[c];
	}
	/* A file from another encoder may hold symbols that this encoder would code with more bits. */
	const uint64_t all = xc_colour_bytes(k) * 8;
	u->padding_bits = bits < all ? all - bits : 0;
}

static xc_status count_all(xc_context *c, const xc_coded *d, xc_bit_usage *usage)
{
	scale w = {.coded = d, .usage = usage};
	xc_status s = set_up(c, &w);

	if (!s)
		s = xc_coded_visit(c, d, count_tile, &w);
	if (!s)
		add_up(&w, usage);
	xc_arena_free(&w.arena);
	xc_scratch_free(c, w.scratch);
	xc_scratch_free(c, w.dc);
	xc_release(c, w.counts);
	xc_release(c, w.tokens);
	return s;
}

xc_status xc_read_bit_usage(xc_context *c, const void *file, size_t size, xc_bit_usage *usage)
{
	XC_DEFAULT_FLOATS;
	xc_coded d;

	xc_status s = XC_BEGIN_RESULT(c, usage);
	if (s)
		return s;
	s = xc_coded_open(c, file, size, &d);
	if (!s)
		s = count_all(c, &d, usage);
	if (s)
		memset(usage, 0, sizeof *usage);
	xc_coded_close(c, &d);
	return s;
}
