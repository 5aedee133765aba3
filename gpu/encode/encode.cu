/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's host side: a batch becomes jobs, and each job a few launches. */
#include <stdlib.h>
#include <string.h>

#include "gpu/encode/job/launch.h"
#include "gpu/encode/layout.h"

/* What a run copies to scratch lies in pinned memory until it is copied. Runs take turns with a few
 * pieces of it, so that only a run that is far ahead of the GPU waits. */
enum { PIECES = 8 };

typedef struct piece {
	void *memory;
	size_t size;
	cudaEvent_t copied;
} piece;

struct xc_gpu_encoder {
	xc_gpu *gpu;
	xc_gpu_encode_job job; /* what all jobs have */
	void *fixed;           /* device memory: tables and constants */
	void *powers;          /* of x for tiles; device memory */
	xc_crc_write_constants crc;
	xc_gpu_encode_groups groups; /* of the last batch */
	uint32_t kinds, pictures;    /* for which these have room */
	piece pieces[PIECES];
	unsigned turn;
};

/* In device memory for the encoder's whole life. */
typedef struct fixed {
	xc_coder_tables coder[2];
	xc_gpu_encode_model rans;
	xc_crc_write_constants crc;
} fixed;

/* Copies to device memory and waits for it. */
static xc_status copy_now(xc_gpu *gpu, void *to, const void *from, size_t size, xc_gpu_error *e)
{
	xc_status s = xc_gpu_check(e,
	                           cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, gpu->stream),
	                           "copy tables");
	return s ? s : xc_gpu_check(e, cudaStreamSynchronize(gpu->stream), "copy tables");
}

static xc_status set_up_fixed(xc_gpu_encoder *c, const xc_gpu_encode_tables *t, xc_gpu_error *e)
{
	fixed *host = (fixed *)calloc(1, sizeof *host);

	if (!host)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	memcpy(host->coder, t->coder, sizeof host->coder);
	xc_gpu_encode_model_init(&host->rans, t->rans, t->decision);
	xc_crc_write_constants_init(&host->crc);
	c->crc = host->crc;
	xc_status s = xc_gpu_allocate(c->gpu, XC_GPU_DEVICE_MEMORY, sizeof *host, &c->fixed, e);
	if (!s)
		s = copy_now(c->gpu, c->fixed, host, sizeof *host, e);
	free(host);
	if (s)
		return s;
	fixed *const f = (fixed *)c->fixed;
	c->job.huffman.coder = f->coder;
	c->job.rans.model = &f->rans;
	c->job.crc = &f->crc;
	c->job.multiprocessors = (uint32_t)c->gpu->multiprocessors;
	/* Two thread blocks a multiprocessor; the system reserves 1 KiB for each. */
	c->job.huffman.code_bytes = XC_GPU_MIN_SHARED;
	if (c->gpu->shared_bytes / 2 - 1024 > XC_GPU_MIN_SHARED)
		c->job.huffman.code_bytes = (uint32_t)(c->gpu->shared_bytes / 2 - 1024) & ~15u;
	return XC_OK;
}

/* Makes the table of powers long enough for pieces of n tiles. Longer ones are rare: a piece of a
 * common picture has a few hundred tiles. Work that is under way may use the table that there was. */
static xc_status need_powers(xc_gpu_encoder *c, uint32_t n, xc_gpu_error *e)
{
	const uint32_t count = n < 1024 ? 1024 : n + n / 2;
	void *longer = NULL;

	if (n <= c->job.power_count)
		return XC_OK;
	uint32_t *const host = (uint32_t *)malloc(3 * (size_t)count * sizeof *host);
	if (!host)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	xc_gpu_tile_powers_init(count, &c->crc, host);
	xc_status s = xc_gpu_allocate(c->gpu, XC_GPU_DEVICE_MEMORY, 3 * (size_t)count * sizeof *host,
	                              &longer, e);
	if (!s)
		s = copy_now(c->gpu, longer, host, 3 * (size_t)count * sizeof *host, e);
	if (!s && c->powers)
		s = xc_gpu_check(e, cudaDeviceSynchronize(), "finish its work");
	free(host);
	if (s) {
		xc_gpu_release(c->gpu, longer);
		return s;
	}
	xc_gpu_release(c->gpu, c->powers);
	c->powers = longer;
	c->job.tile_powers = (const uint32_t *)longer;
	c->job.power_count = count;
	return XC_OK;
}

static void close_encoder(xc_gpu_encoder *c)
{
	if (!c)
		return;
	(void)cudaSetDevice(c->gpu->device);
	for (piece &p : c->pieces) {
		xc_gpu_release(c->gpu, p.memory);
		if (p.copied)
			(void)cudaEventDestroy(p.copied);
	}
	xc_gpu_release(c->gpu, c->powers);
	xc_gpu_release(c->gpu, c->fixed);
	free(c->groups.groups);
	free(c->groups.order);
	free(c->groups.list);
	free(c);
}

static xc_status open_encoder(xc_gpu *gpu, const xc_gpu_encode_tables *tables,
                              xc_gpu_encoder **encoder, xc_gpu_error *e)
{
	*encoder = NULL;
	xc_status s = xc_gpu_enter(gpu, e);
	if (s)
		return s;
	xc_gpu_encoder *c = (xc_gpu_encoder *)calloc(1, sizeof *c);
	if (!c)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	c->gpu = gpu;
	s = set_up_fixed(c, tables, e);
	if (!s)
		s = need_powers(c, 1, e);
	if (!s)
		s = xc_gpu_code_prepare(gpu, e);
	if (s)
		close_encoder(c);
	else
		*encoder = c;
	return s;
}

static xc_status keep(xc_gpu_encoder *c, const uint8_t *prefixes, size_t size, void **kept,
                      xc_gpu_error *e)
{
	xc_status s = xc_gpu_allocate(c->gpu, XC_GPU_DEVICE_MEMORY, size, kept, e);

	if (!s)
		s = copy_now(c->gpu, *kept, prefixes, size, e);
	if (s) {
		xc_gpu_release(c->gpu, *kept);
		*kept = NULL;
	}
	return s;
}

/* ------------------------------------------------------------------ a batch */

static bool grow(void **array, size_t count, size_t size)
{
	free(*array);
	*array = calloc(count, size);
	return *array != NULL;
}

/* Makes the arrays of a batch's groups. */
static bool need_groups(xc_gpu_encoder *c, const xc_gpu_encode_batch *b)
{
	xc_gpu_encode_groups *const g = &c->groups;

	if (b->kind_count > c->kinds) {
		c->kinds = 0;
		if (!grow((void **)&g->groups, 2 * (size_t)b->kind_count, sizeof *g->groups))
			return false;
		c->kinds = b->kind_count;
	}
	if (b->count > c->pictures) {
		c->pictures = 0;
		if (!grow((void **)&g->order, b->count, sizeof *g->order) ||
		    !grow((void **)&g->list, b->count, sizeof *g->list))
			return false;
		c->pictures = b->count;
	}
	return true;
}

static size_t scratch_bytes(xc_gpu_encoder *c, const xc_gpu_encode_batch *b)
{
	if (!need_groups(c, b))
		return SIZE_MAX;
	xc_gpu_encode_groups_make(&c->groups, b, &c->job, NULL, NULL);
	return c->groups.size;
}

static xc_status check_batch(const xc_gpu_encode_batch *b, xc_gpu_error *e)
{
	for (uint32_t i = 0; i < b->count; i++) {
		const xc_gpu_encode_picture_plan *const p = &b->pictures[i];
		const xc_geometry *const g = &b->shapes[p->shape].geometry;
		const uint64_t mcu_blocks = g->components == 1 ? 1 : (uint64_t)(g->h * g->v) + 2;
		if ((uint64_t)g->mcus_wide * g->mcus_high * mcu_blocks > INT32_MAX)
			return xc_gpu_fail(e, XC_ERR_UNSUPPORTED, "%ux%u pixels are too many for the GPU",
			                   g->width, g->height);
		if ((uint64_t)g->tile_mcus_wide * g->tile_mcus_high * mcu_blocks > XC_GPU_TILE_BLOCKS)
			return xc_gpu_fail(e, XC_ERR_UNSUPPORTED, "tiles too large for the GPU");
	}
	return XC_OK;
}

/* A piece of `size` bytes whose last copy is done. */
static xc_status take_piece(xc_gpu_encoder *c, size_t size, piece **result, xc_gpu_error *e)
{
	piece *const p = &c->pieces[c->turn++ % PIECES];
	xc_status s = p->copied
	                  ? xc_gpu_check(e, cudaEventSynchronize(p->copied), "finish its work")
	                  : xc_gpu_check(e,
	                                 cudaEventCreateWithFlags(&p->copied, cudaEventDisableTiming),
	                                 "make an event");

	*result = p;
	if (s || size <= p->size)
		return s;
	xc_gpu_release(c->gpu, p->memory);
	p->memory = NULL;
	p->size = 0;
	size += size / 2;
	s = xc_gpu_allocate(c->gpu, XC_GPU_PINNED_MEMORY, size, &p->memory, e);
	p->size = s ? 0 : size;
	return s;
}

/* Makes the jobs of a batch, and enqueues the copy of what they need. */
static xc_status make_jobs(xc_gpu_encoder *c, const xc_gpu_encode_batch *b, char *scratch,
                           cudaStream_t stream, xc_gpu_error *e)
{
	xc_gpu_encode_groups *const g = &c->groups;
	piece *p = NULL;

	xc_gpu_encode_groups_make(g, b, &c->job, NULL, NULL);
	for (uint32_t i = 0; i < g->count; i++)
		for (uint64_t ctas : g->groups[i].ctas)
			if (g->groups[i].count && ctas > INT32_MAX)
				return xc_gpu_fail(e, XC_ERR_UNSUPPORTED, "a batch has too many pixels");
	xc_status s = need_powers(c, g->piece_tiles, e);
	if (!s && g->upload)
		s = take_piece(c, g->upload, &p, e);
	if (s)
		return s;
	xc_gpu_encode_groups_make(g, b, &c->job, scratch, p ? (char *)p->memory : NULL);
	for (uint32_t i = 0; i < g->count && !s; i++)
		if (g->groups[i].count)
			s = xc_gpu_forward_prepare(c->gpu, &g->groups[i].job, e);
	if (s || !p)
		return s;
	s = xc_gpu_check(e,
	                 cudaMemcpyAsync(scratch, p->memory, g->upload, cudaMemcpyHostToDevice, stream),
	                 "copy tables");
	return s ? s : xc_gpu_check(e, cudaEventRecord(p->copied, stream), "record an event");
}

/* ------------------------------------------------------------------ launches */

typedef struct stage {
	const char *name;
	xc_gpu_launch *launch;
	bool needed;
} stage;

enum { ALL_STAGES = 13 };

/* Sets list to all stages in the order they run. */
static void stages_of(bool ranses, bool optimized, bool decides, stage list[ALL_STAGES])
{
	const stage all[ALL_STAGES] = {
		{"forward", xc_gpu_forward_launch, true},
		/* Huffman codes */
		{"count", xc_gpu_count_launch, optimized},
		{"tables", xc_gpu_tables_launch, optimized},
		{"code", xc_gpu_code_launch, !ranses},
		/* rANS */
		{"rdo", xc_gpu_sizes_launch, decides},
		{"decide", xc_gpu_decide_launch, decides},
		{"take", xc_gpu_take_launch, decides},
		{"symbols", xc_gpu_symbols_launch, ranses && !decides},
		{"contexts", xc_gpu_contexts_launch, ranses},
		{"rans encode", xc_gpu_rans_encode_launch, ranses},
		{"interleave", xc_gpu_interleave_launch, ranses},
		/* both */
		{"layout", xc_gpu_head_launch, true},
		{"assemble", xc_gpu_assemble_launch, true},
	};

	memcpy(list, all, sizeof all);
}

/* Launches stage i for all groups that need it, one after another, so that the large kernels of one
 * follow each other. */
static xc_status launch_stage(const xc_gpu_encode_groups *g, int i, cudaStream_t stream, bool *any,
                              xc_gpu_error *e)
{
	xc_status s = XC_OK;

	*any = false;
	for (uint32_t n = 0; n < g->count && !s; n++) {
		const xc_gpu_encode_group *const group = &g->groups[n];
		const xc_gpu_encode_job *const j = &group->job;
		const xc_gpu_encode_call call = {group, stream, e};
		stage list[ALL_STAGES];
		if (!group->count)
			continue;
		stages_of(j->ranses, j->huffman.optimized, j->rans.decides, list);
		if (!list[i].needed)
			continue;
		*any = true;
		s = list[i].launch(&call);
	}
	return s;
}

static xc_status run(xc_gpu_encoder *c, const xc_gpu_encode_batch *batch, void *scratch,
                     void *caller_stream, void **marks, xc_gpu_error *e)
{
	const cudaStream_t stream = xc_gpu_stream(c->gpu, caller_stream);
	xc_status s = check_batch(batch, e);
	int marked = 0;

	if (!s && !need_groups(c, batch))
		s = xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	if (!s)
		s = xc_gpu_enter(c->gpu, e);
	if (!s)
		s = make_jobs(c, batch, (char *)scratch, stream, e);
	if (!s)
		s = xc_gpu_mark(marks, marked, stream, e);
	for (int i = 0; i < ALL_STAGES && !s; i++) {
		bool any;
		s = launch_stage(&c->groups, i, stream, &any, e);
		if (!s && any)
			s = xc_gpu_mark(marks, ++marked, stream, e);
	}
	return s;
}

static int stages(const xc_gpu_encoder *c, const xc_gpu_encode_kind *k,
                  const char *names[XC_GPU_MAX_STAGES])
{
	stage list[ALL_STAGES];
	int n = 0;

	(void)c;
	stages_of(k->rans, k->optimized, k->rdo.decides, list);
	for (const stage &s : list)
		if (s.needed)
			names[n++] = s.name;
	return n;
}

extern const xc_gpu_encode_ops xc_gpu_encode_table;
const xc_gpu_encode_ops xc_gpu_encode_table = {
	open_encoder, close_encoder, keep, scratch_bytes, run, stages,
};
