/* SPDX-License-Identifier: BSD-2-Clause */
/* The stub's encoder: the module's kernels, run by thread blocks of one thread. */
#include <stdlib.h>
#include <string.h>

#include "gpu/encode/huffman/code.h"
#include "gpu/encode/huffman/codes.h"
#include "gpu/encode/huffman/tokens.h"
#include "gpu/encode/layout.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/bytes.h"

static const xc_cta single = {0, 1};

struct xc_gpu_encoder {
	xc_gpu *gpu;
	xc_gpu_encode_job job; /* what all jobs have */
	xc_coder_tables coder[2];
	xc_gpu_encode_model rans;
	xc_crc_write_constants crc;
};

static void assemble_all(const xc_gpu_encode_job *j, xc_gpu_assemble_shared *s)
{
	for (uint32_t cta = 0; cta < xc_gpu_assemble_ctas(j) * j->picture.piece_count; cta++) {
		const xc_gpu_assemble_range r = xc_gpu_assemble_range_of(j, cta);
		xc_gpu_file_piece *piece = xc_gpu_file_piece_at(j, r.piece);
		xc_gpu_assemble_begin(j, single, s);
		for (uint32_t i = r.first; i < r.first + XC_GPU_ASSEMBLE_TILES && i < r.end; i++) {
			const uint32_t size = j->out.sizes[i];
			uint32_t crc = 0;
			for (uint32_t lane = 0; lane < 32; lane++)
				crc ^= xc_crc_write_lane(j->crc, s->tables, xc_gpu_arena_segment(j, i), size, lane);
			for (uint32_t lane = 0; lane < 32; lane++) {
				xc_gpu_assemble_copy(j, r.piece, i, lane);
				xc_gpu_assemble_crc(j, r, i, ~crc, lane, s);
			}
		}
		piece->data_crc ^= s->share[0];
		piece->index_crc ^= s->share[1];
	}
	xc_gpu_finish(j);
}

/* The forward kernel that the module takes. */
static void forward(const xc_gpu_encode_job *general)
{
	xc_gpu_encode_job j = *general;
	int kind = j.transform == XC_TRANSFORM_DCT ? XC_GPU_FORWARD_DCT : XC_GPU_FORWARD_LAPPED;

	if (xc_gpu_common(&j)) {
		xc_gpu_make_common(&j, j.h, j.transform);
		kind = xc_gpu_common_kind(j.transform);
	}
	const uint32_t row_bytes = j.ranses ? 0 : xc_gpu_row_bytes(j.depth == 16);
	const xc_gpu_forward_end end = {j.ranses ? xc_gpu_leave_coefficients : xc_gpu_leave_tokens,
	                                row_bytes};
	/* One thread needs planes and rows at the same time. */
	const size_t bytes = xc_gpu_forward_shared(&j, kind, row_bytes) + (size_t)j.cta * row_bytes;
	OWN_MEMORY xc_gpu_four *shared = aligned_alloc(16, bytes);
	if (!shared)
		abort();
	memset(shared, 0xff, bytes); /* no numbers: what is used must have been made */
	for (uint32_t i = 0; i < xc_gpu_forward_ctas(&j); i++)
		xc_gpu_forward(&j, single, i, kind, end, j.depth == 16, shared);
}

/* Makes the codes of a picture. */
static void make_codes(const xc_gpu_encode_job *j)
{
	OWN_MEMORY xc_gpu_count_shared *count = xc_stub_need(sizeof *count);
	OWN_MEMORY xc_gpu_huffman_shared *huffman = xc_stub_need(sizeof *huffman);
	const int depth16 = j->depth == 16;

	for (uint32_t i = 0; i < j->picture.tiles; i++)
		xc_gpu_count(j, single, i, count, depth16);
	for (uint32_t i = 0; i < (j->components == 1 ? 2 : 4); i++)
		xc_gpu_make_code(j, single, i / 2, i % 2, huffman);
}

static void code(const xc_gpu_encode_job *j)
{
	xc_gpu_code_shared code;
	uint32_t nowhere; /* measures */
	OWN_MEMORY uint32_t *memory = xc_stub_need(xc_gpu_code_partition(&code, j, 1, &nowhere));

	xc_gpu_code_partition(&code, j, 1, memory);
	xc_gpu_load_tables(j, single, &code);
	for (uint32_t i = 0; i < j->picture.tiles; i++)
		xc_gpu_code(j, single, i, &code, 0, j->depth == 16);
}

/* How many a warp takes from number i on: one and two by turns. */
static uint32_t each_of(uint32_t i)
{
	return 1 + i % 3 % 2;
}

static void decide(const xc_gpu_encode_job *j)
{
	const uint32_t slices = xc_gpu_slices(j);
	const uint32_t parts = xc_gpu_decide_ctas(j);
	OWN_MEMORY xc_gpu_decide_shared *s = xc_stub_need(sizeof *s);

	s->contexts = j->rans.model->contexts;
	s->decisions = j->rans.model->decisions;
	for (uint32_t i = 0; i < j->picture.tiles * slices; i++)
		xc_gpu_make_sizes(j, single, i / slices, i % slices, j->depth == 16);
	for (uint32_t kind = 0; kind < 2; kind++)
		for (uint32_t i = 0; i < j->picture.tiles * parts; i++)
			xc_gpu_decide_part(j, single, i / parts, i % parts, kind, s);
}

static void code_rans(const xc_gpu_encode_job *j)
{
	const uint32_t slices = xc_gpu_slices(j);
	OWN_MEMORY xc_gpu_tile_offsets *offsets = xc_stub_need(sizeof *offsets);
	OWN_MEMORY xc_gpu_contexts_shared *contexts = xc_stub_need(sizeof *contexts);
	OWN_MEMORY xc_gpu_rans_encode_shared *rans_encode = xc_stub_need(sizeof *rans_encode);
	OWN_MEMORY xc_gpu_interleave_shared *interleave = xc_stub_need(sizeof *interleave);
	OWN_MEMORY xc_gpu_interleave_table *table = xc_stub_need(sizeof *table);
	OWN_MEMORY uint32_t *times = xc_stub_need(xc_gpu_interleave_all_times(j) * sizeof *times);
	OWN_MEMORY xc_gpu_rans_encode_model *model = xc_stub_need(sizeof *model);

	memcpy(model, j->rans.model->entry, sizeof *model);
	for (uint32_t i = 0; i < j->picture.tiles * slices; i++)
		xc_gpu_slice_symbols(j, single, i / slices, i % slices, offsets, j->depth == 16,
		                     j->rans.decides ? xc_gpu_take_block : xc_gpu_round_block_symbols);
	const uint32_t parts = xc_gpu_context_ctas(j) + 1;
	for (uint32_t i = 0; i < j->picture.tiles * parts; i++)
		xc_gpu_make_contexts(j, single, i / parts, i % parts, contexts, j->depth == 16);
	for (uint32_t i = 0; i < j->picture.tiles; i += each_of(i))
		xc_gpu_rans_encode(j, i, each_of(i), rans_encode, model);
	for (uint32_t i = 0; i < j->picture.tiles; i++)
		xc_gpu_interleave(j, single, i, interleave, table, times);
}

static void assemble(const xc_gpu_encode_job *j)
{
	OWN_MEMORY xc_gpu_assemble_shared *place = xc_stub_need(sizeof *place);

	if (j->out.state->fits)
		assemble_all(j, place);
}

static void write_head(const xc_gpu_encode_job *j)
{
	OWN_MEMORY xc_gpu_head_shared *head = xc_stub_need(sizeof *head);
	xc_gpu_write_head(j, single, j->huffman.codes != NULL, head);
}

enum { STAGES = 6 };

/* The kernels of a stage, in their order. */
static void run_stage(const xc_gpu_encode_job *j, int stage)
{
	if (stage == 0)
		forward(j);
	else if (stage == 1 && j->huffman.optimized)
		make_codes(j);
	else if (stage == 2 && j->rans.decides)
		decide(j);
	else if (stage == 3)
		(j->ranses ? code_rans : code)(j);
	else if (stage == 4)
		write_head(j);
	else if (stage == 5)
		assemble(j);
}

static xc_status open_encoder(xc_gpu *g, const xc_gpu_encode_tables *t, xc_gpu_encoder **encoder,
                              xc_gpu_error *e)
{
	xc_gpu_encoder *c = *encoder = xc_stub_need(sizeof *c);

	(void)e;
	g->encoders++;
	c->gpu = g;
	memset(&c->job, 0, sizeof c->job);
	xc_gpu_encode_model_init(&c->rans, t->rans, t->decision);
	memcpy(c->coder, t->coder, sizeof c->coder);
	xc_crc_write_constants_init(&c->crc);
	c->job.huffman.coder = c->coder;
	c->job.huffman.code_bytes = XC_GPU_MIN_SHARED;
	c->job.crc = &c->crc;
	c->job.rans.model = &c->rans;
	c->job.multiprocessors = 1;
	return XC_OK;
}

static void close_encoder(xc_gpu_encoder *c)
{
	free(c);
}

static xc_status keep(xc_gpu_encoder *c, const uint8_t *prefixes, size_t size, void **kept,
                      xc_gpu_error *e)
{
	const xc_status s = xc_stub_module.allocate(c->gpu, XC_GPU_DEVICE_MEMORY, size, kept, e);

	if (!s)
		memcpy(*kept, prefixes, size);
	return s;
}

static void make_groups(const xc_gpu_encode_batch *b, xc_gpu_encode_groups *g)
{
	g->groups = xc_stub_need(2 * b->kind_count * sizeof *g->groups);
	g->order = xc_stub_need(b->count * sizeof *g->order);
	g->list = xc_stub_need(b->count * sizeof *g->list);
}

static void free_groups(const xc_gpu_encode_groups *g)
{
	free(g->groups);
	free(g->order);
	free(g->list);
}

static size_t scratch_bytes(xc_gpu_encoder *c, const xc_gpu_encode_batch *b)
{
	xc_gpu_encode_groups g;

	make_groups(b, &g);
	xc_gpu_encode_groups_make(&g, b, &c->job, NULL, NULL);
	free_groups(&g);
	return g.size;
}

/* Whether a thread block finds its picture in a list, for the first and the last one of each. */
static void check_list(const xc_gpu_encode_group *group)
{
	const xc_gpu_encode_job *j = &group->job;

	for (uint32_t i = 0; j->list && i < j->count; i++)
		for (int k = 0; k < XC_GPU_ENCODE_GRIDS; k++) {
			const uint64_t end = i + 1 < j->count ? j->list[i + 1].first_cta[k] : group->ctas[k];
			const uint32_t first = j->list[i].first_cta[k];
			if (first < end && (xc_gpu_list_find(j->list, j->count, k, first) != i ||
			                    xc_gpu_list_find(j->list, j->count, k, (uint32_t)end - 1) != i))
				abort();
		}
}

/* Scratch of the stub's own has just the size that is needed. */
static xc_status run(xc_gpu_encoder *c, const xc_gpu_encode_batch *b, void *given, void *stream,
                     void **marks, xc_gpu_error *e)
{
	OWN_MEMORY char *scratch = xc_stub_need(scratch_bytes(c, b));
	xc_gpu_encode_groups g;

	(void)given;
	(void)stream;
	(void)marks;
	(void)e;
	make_groups(b, &g);
	xc_gpu_encode_groups_make(&g, b, &c->job, NULL, NULL);
	OWN_MEMORY char *copied = xc_stub_need(g.upload);
	OWN_MEMORY uint32_t *powers = xc_stub_need(3 * g.piece_tiles * sizeof *powers);
	xc_gpu_tile_powers_init(g.piece_tiles, &c->crc, powers);
	c->job.tile_powers = powers;
	c->job.power_count = g.piece_tiles;
	xc_gpu_encode_groups_make(&g, b, &c->job, scratch, copied);
	memcpy(scratch, copied, g.upload);
	/* As on a GPU a stage takes all pictures before the next one begins. */
	for (int stage = 0; stage < STAGES; stage++)
		for (uint32_t i = 0; i < g.count; i++)
			for (uint32_t n = 0; n < g.groups[i].count; n++) {
				xc_gpu_encode_job job = g.groups[i].job;
				check_list(&g.groups[i]);
				xc_gpu_job_enter(&job, n);
				run_stage(&job, stage);
			}
	free_groups(&g);
	return XC_OK;
}

static int stages(const xc_gpu_encoder *c, const xc_gpu_encode_kind *k,
                  const char *names[XC_GPU_MAX_STAGES])
{
	(void)c;
	(void)k;
	names[0] = "all";
	return 1;
}

const xc_gpu_encode_ops xc_stub_encoder = {
	open_encoder, close_encoder, keep, scratch_bytes, run, stages,
};
