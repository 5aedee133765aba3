/* SPDX-License-Identifier: BSD-2-Clause */
/* The stub's encoder: the module's kernels, run by thread blocks of one thread. */
#include <stdlib.h>
#include <string.h>

#include "gpu/encode/forward.h"
#include "gpu/encode/huffman.h"
#include "gpu/encode/layout.h"
#include "gpu/encode/assemble.h"
#include "gpu/encode/rans/decide.h"
#include "gpu/encode/rans/interleave.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/bytes.h"

static const xc_cta single = {0, 1};

struct xc_gpu_encoder {
	xc_gpu_encode_job job; /* all but the pointers of a call */
	xc_coder_tables coder[2];
	xc_gpu_encode_model rans;
	xc_crc_write_constants crc;
	uint8_t *prefix;
	uint32_t *powers;
};

static void assemble_all(const xc_gpu_encode_job *j, uint32_t picture, xc_gpu_assemble_shared *s)
{
	for (uint32_t cta = 0; cta < xc_gpu_assemble_ctas(j) * j->piece_count; cta++) {
		const xc_gpu_assemble_range r = xc_gpu_assemble_range_of(j, cta);
		xc_gpu_file_piece *piece = xc_gpu_file_piece_at(j, picture, r.piece);
		xc_gpu_assemble_begin(j, single, s);
		for (uint32_t i = r.first; i < r.first + XC_GPU_ASSEMBLE_TILES && i < r.end; i++) {
			const uint32_t size = j->sizes[(size_t)picture * j->tiles + i];
			uint32_t crc = 0;
			for (uint32_t lane = 0; lane < 32; lane++)
				crc ^= xc_crc_write_lane(j->crc, s->tables, xc_gpu_arena_segment(j, picture, i),
				                         size, lane);
			for (uint32_t lane = 0; lane < 32; lane++) {
				xc_gpu_assemble_copy(j, picture, r.piece, i, lane);
				xc_gpu_assemble_crc(j, picture, r, i, ~crc, lane, s);
			}
		}
		piece->data_crc ^= s->share[0];
		piece->index_crc ^= s->share[1];
	}
	xc_gpu_finish(j, picture);
}

/* The forward kernel that the module takes. */
static void forward(const xc_gpu_encode_job *general, uint32_t picture)
{
	xc_gpu_encode_job j = *general;
	int kind = j.transform == XC_TRANSFORM_DCT ? XC_GPU_FORWARD_DCT : XC_GPU_FORWARD_LAPPED;

	if (xc_gpu_common(&j)) {
		xc_gpu_make_common(&j, j.h, j.transform);
		kind = xc_gpu_common_kind(j.transform);
	}
	if (j.ranses)
		kind |= XC_GPU_FORWARD_PARTS;
	/* One thread needs planes and rows at the same time. */
	const size_t bytes = xc_gpu_forward_shared(&j, kind) + xc_gpu_rows_bytes(&j);
	OWN_MEMORY xc_gpu_four *shared = aligned_alloc(16, bytes);
	if (!shared)
		abort();
	memset(shared, 0xff, bytes); /* no numbers: what is used must have been made */
	for (uint32_t i = 0; i < xc_gpu_forward_ctas(&j); i++)
		xc_gpu_forward(&j, single, i, picture, kind, j.depth == 16, shared);
}

/* Makes the codes of a picture. */
static void make_codes(const xc_gpu_encode_job *j, uint32_t picture)
{
	OWN_MEMORY xc_gpu_count_shared *count = xc_stub_need(sizeof *count);
	OWN_MEMORY xc_gpu_huffman_shared *huffman = xc_stub_need(sizeof *huffman);
	const int depth16 = j->depth == 16;

	for (uint32_t i = 0; i < j->tiles; i++)
		xc_gpu_count(j, single, i, picture, count, depth16);
	for (uint32_t i = 0; i < (j->components == 1 ? 2 : 4); i++)
		xc_gpu_make_code(j, single, i / 2, i % 2, picture, huffman);
}

static void code(const xc_gpu_encode_job *j, uint32_t picture)
{
	xc_gpu_code_shared code;
	uint32_t nowhere; /* measures */
	OWN_MEMORY uint32_t *memory = xc_stub_need(xc_gpu_code_partition(&code, j, 1, &nowhere));

	xc_gpu_code_partition(&code, j, 1, memory);
	xc_gpu_load_tables(j, single, picture, &code);
	for (uint32_t i = 0; i < j->tiles; i++)
		xc_gpu_code(j, single, i, picture, &code, 0, j->depth == 16);
}

/* How many a warp takes from number i on: one and two by turns. */
static uint32_t each_of(uint32_t i)
{
	return 1 + i % 3 % 2;
}

static void decide(const xc_gpu_encode_job *j, uint32_t picture)
{
	const uint32_t slices = xc_gpu_slices(j);
	const uint32_t parts = xc_gpu_decide_ctas(j);
	OWN_MEMORY xc_gpu_decide_shared *s = xc_stub_need(sizeof *s);

	s->contexts = j->rans->contexts;
	s->decisions = j->rans->decisions;
	for (uint32_t i = 0; i < j->tiles * slices; i++)
		xc_gpu_make_sizes(j, single, i / slices, i % slices, picture, j->depth == 16);
	for (uint32_t kind = 0; kind < 2; kind++)
		for (uint32_t i = 0; i < j->tiles * parts; i++)
			xc_gpu_decide_part(j, single, i / parts, i % parts, picture, kind, s);
}

static void code_rans(const xc_gpu_encode_job *j, uint32_t picture)
{
	const uint32_t slices = xc_gpu_slices(j);
	OWN_MEMORY xc_gpu_tile_offsets *offsets = xc_stub_need(sizeof *offsets);
	OWN_MEMORY xc_gpu_contexts_shared *contexts = xc_stub_need(sizeof *contexts);
	OWN_MEMORY xc_gpu_rans_encode_shared *rans_encode = xc_stub_need(sizeof *rans_encode);
	OWN_MEMORY xc_gpu_interleave_shared *interleave = xc_stub_need(sizeof *interleave);
	OWN_MEMORY xc_gpu_interleave_table *table = xc_stub_need(sizeof *table);
	OWN_MEMORY uint32_t *times = xc_stub_need(xc_gpu_interleave_all_times(j) * sizeof *times);
	OWN_MEMORY xc_gpu_rans_encode_model *model = xc_stub_need(sizeof *model);

	memcpy(model, j->rans->entry, sizeof *model);
	for (uint32_t i = 0; i < j->tiles * slices; i++)
		xc_gpu_slice_symbols(j, single, i / slices, i % slices, picture, offsets, j->depth == 16,
		                     j->decides ? xc_gpu_take_block : xc_gpu_round_block_symbols);
	const uint32_t parts = xc_gpu_context_ctas(j) + 1;
	for (uint32_t i = 0; i < j->tiles * parts; i++)
		xc_gpu_make_contexts(j, single, i / parts, i % parts, picture, contexts, j->depth == 16);
	for (uint32_t i = 0; i < j->tiles; i += each_of(i))
		xc_gpu_rans_encode(j, i, each_of(i), picture, rans_encode, model);
	for (uint32_t i = 0; i < j->tiles; i++)
		xc_gpu_interleave(j, single, i, picture, interleave, table, times);
}

/* All kernels in their order. */
static void run_kernels(const xc_gpu_encode_job *j, uint32_t picture)
{
	OWN_MEMORY xc_gpu_head_shared *head = xc_stub_need(sizeof *head);
	OWN_MEMORY xc_gpu_assemble_shared *place = xc_stub_need(sizeof *place);

	forward(j, picture);
	if (j->optimized)
		make_codes(j, picture);
	if (j->decides)
		decide(j, picture);
	if (j->ranses)
		code_rans(j, picture);
	else
		code(j, picture);
	xc_gpu_write_head(j, single, picture, j->codes != NULL, head);
	if (j->states[picture].fits)
		assemble_all(j, picture, place);
}

/* What depends on a picture's shape and metadata. */
static xc_status change_encoder(xc_gpu_encoder *c, const xc_gpu_encode_plan *p, xc_gpu_error *e)
{
	(void)e;
	free(c->prefix);
	free(c->powers);
	xc_gpu_encode_job_init(&c->job, p);
	c->prefix = memcpy(xc_stub_need(p->prefix_size), p->prefix, p->prefix_size);
	c->job.coder = c->coder;
	c->job.crc = &c->crc;
	c->job.rans = &c->rans;
	c->job.prefix = c->prefix;
	c->powers = xc_stub_need(xc_gpu_tile_powers_size(&c->job));
	xc_gpu_tile_powers_init(&c->job, &c->crc, c->powers);
	c->job.tile_powers = c->powers;
	return XC_OK;
}

static xc_status open_encoder(xc_gpu *g, const xc_gpu_encode_plan *p, xc_gpu_encoder **encoder,
                              xc_gpu_error *e)
{
	xc_gpu_encoder *c = *encoder = xc_stub_need(sizeof *c);

	g->encoders++;
	c->prefix = NULL;
	c->powers = NULL;
	if (p->rans)
		xc_gpu_encode_model_init(&c->rans, p->rans, p->rdo.decision);
	memcpy(c->coder, p->coder, sizeof c->coder);
	xc_crc_write_constants_init(&c->crc);
	return change_encoder(c, p, e);
}

static void close_encoder(xc_gpu_encoder *c)
{
	if (c) {
		free(c->prefix);
		free(c->powers);
	}
	free(c);
}

static size_t scratch_bytes(const xc_gpu_encoder *c, uint32_t count, size_t capacity)
{
	xc_gpu_encode_job job = c->job;
	return xc_gpu_encode_lay_out(&job, count, capacity, NULL);
}

/* Scratch of the stub's own has just the size that is needed. */
static xc_status run(xc_gpu_encoder *c, const xc_cuda_pictures *pictures,
                     const xc_cuda_files *files, void *given, void *stream, void **marks,
                     xc_gpu_error *e)
{
	xc_gpu_encode_job job = c->job;
	OWN_MEMORY void *scratch = xc_stub_need(scratch_bytes(c, pictures->count, files->distance));

	(void)given;
	(void)stream;
	(void)marks;
	(void)e;
	xc_gpu_encode_lay_out(&job, pictures->count, files->distance, scratch);
	xc_gpu_encode_job_call(&job, pictures, files);
	for (uint32_t i = 0; i < pictures->count; i++)
		run_kernels(&job, i);
	return XC_OK;
}

static int stages(const xc_gpu_encoder *c, const char *names[XC_GPU_MAX_STAGES])
{
	(void)c;
	names[0] = "all";
	return 1;
}

const xc_gpu_encode_ops xc_stub_encoder = {
	open_encoder, close_encoder, change_encoder, scratch_bytes, run, stages,
};
