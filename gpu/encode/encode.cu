/* SPDX-License-Identifier: BSD-2-Clause */
/* The encoder's host side: a plan becomes a job, a call becomes a few launches. */
#include <stdlib.h>
#include <string.h>

#include "gpu/encode/kernels.h"
#include "gpu/encode/layout.h"

struct xc_gpu_encoder {
	xc_gpu *gpu;
	xc_gpu_encode_job job; /* all but the pointers of a call */
	void *fixed;           /* device memory: tables and constants */
	/* The part that depends on shape and metadata, in device memory, and its host copy. */
	void *shaped;
	uint32_t *copied; /* pinned: powers of x for tiles, then the prefix */
	size_t shaped_room;
	xc_crc_write_constants crc;
};

/* In device memory for the encoder's whole life. */
typedef struct fixed {
	xc_coder_tables coder[2];
	xc_gpu_encode_model rans;
	xc_crc_write_constants crc;
} fixed;

enum { MAX_PICTURES = 65535 }; /* a grid's height */

static xc_status check_plan(const xc_gpu_encode_plan *p, xc_gpu_error *e)
{
	const xc_geometry *g = &p->geometry;
	const uint64_t mcu_blocks = g->components == 1 ? 1 : (uint64_t)(g->h * g->v) + 2;

	if ((uint64_t)g->mcus_wide * g->mcus_high * mcu_blocks > INT32_MAX)
		return xc_gpu_fail(e, XC_ERR_UNSUPPORTED, "%ux%u pixels are too many for the GPU", g->width,
		                   g->height);
	if ((uint64_t)g->tile_mcus_wide * g->tile_mcus_high * mcu_blocks > XC_GPU_TILE_BLOCKS)
		return xc_gpu_fail(e, XC_ERR_UNSUPPORTED, "tiles too large for the GPU");
	if (!p->batch || p->batch > MAX_PICTURES)
		return xc_gpu_fail(e, XC_ERR_ARGUMENT, "a batch has 1 to %d pictures", MAX_PICTURES);
	return XC_OK;
}

/* Synchronizes, because the host's copy is freed. */
static xc_status set_up_fixed(xc_gpu_encoder *c, const xc_gpu_encode_plan *p, xc_gpu_error *e)
{
	fixed *host = (fixed *)calloc(1, sizeof *host);

	if (!host)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	if (p->coder)
		memcpy(host->coder, p->coder, sizeof host->coder);
	if (p->rans)
		xc_gpu_encode_model_init(&host->rans, p->rans, p->rdo.decision);
	xc_crc_write_constants_init(&host->crc);
	c->crc = host->crc;
	xc_status s = xc_gpu_allocate(c->gpu, XC_GPU_DEVICE_MEMORY, sizeof *host, &c->fixed, e);
	if (!s)
		s = xc_gpu_check(e,
		                 cudaMemcpyAsync(c->fixed, host, sizeof *host, cudaMemcpyHostToDevice,
		                                 c->gpu->stream),
		                 "copy tables");
	if (!s)
		s = xc_gpu_check(e, cudaStreamSynchronize(c->gpu->stream), "copy tables");
	free(host);
	return s;
}

static void drop_shaped(xc_gpu_encoder *c)
{
	xc_gpu_release(c->gpu, c->shaped);
	xc_gpu_release(c->gpu, c->copied);
	c->shaped = NULL;
	c->copied = NULL;
	c->shaped_room = 0;
}

static xc_status make_shaped_room(xc_gpu_encoder *c, size_t size, xc_gpu_error *e)
{
	if (size <= c->shaped_room)
		return XC_OK;
	drop_shaped(c);
	xc_status s = xc_gpu_allocate(c->gpu, XC_GPU_DEVICE_MEMORY, size, &c->shaped, e);
	if (!s)
		s = xc_gpu_allocate(c->gpu, XC_GPU_PINNED_MEMORY, size, (void **)&c->copied, e);
	if (!s)
		c->shaped_room = size;
	return s;
}

/* On the GPU's own stream. */
static xc_status set_up_shaped(xc_gpu_encoder *c, const xc_gpu_encode_plan *p, xc_gpu_error *e)
{
	const size_t powers = xc_gpu_tile_powers_size(&c->job), size = powers + p->prefix_size;
	const xc_status s = make_shaped_room(c, size, e);

	if (s)
		return s;
	xc_gpu_tile_powers_init(&c->job, &c->crc, c->copied);
	memcpy((char *)c->copied + powers, p->prefix, p->prefix_size);
	c->job.tile_powers = (const uint32_t *)c->shaped;
	c->job.prefix = (const uint8_t *)c->shaped + powers;
	return xc_gpu_check(e,
	                    cudaMemcpyAsync(c->shaped, c->copied, size, cudaMemcpyHostToDevice,
	                                    c->gpu->stream),
	                    "copy tables");
}

static void close_encoder(xc_gpu_encoder *c)
{
	if (!c)
		return;
	drop_shaped(c);
	xc_gpu_release(c->gpu, c->fixed);
	free(c);
}

static xc_status change_encoder(xc_gpu_encoder *c, const xc_gpu_encode_plan *p, xc_gpu_error *e)
{
	const fixed *f = (const fixed *)c->fixed;
	xc_status s = check_plan(p, e);

	if (!s)
		s = xc_gpu_enter(c->gpu, e);
	if (s)
		return s;
	xc_gpu_encode_job_init(&c->job, p);
	c->job.multiprocessors = (uint32_t)c->gpu->multiprocessors;
	/* Two thread blocks a multiprocessor; the system reserves 1 KiB for each. */
	if (c->gpu->shared_bytes / 2 - 1024 > XC_GPU_MIN_SHARED)
		c->job.code_bytes = (uint32_t)(c->gpu->shared_bytes / 2 - 1024) & ~15u;
	c->job.coder = f->coder;
	c->job.rans = &f->rans;
	c->job.crc = &f->crc;
	s = set_up_shaped(c, p, e);
	return s ? s : xc_gpu_forward_prepare(c->gpu, &c->job, e);
}

static xc_status open_encoder(xc_gpu *gpu, const xc_gpu_encode_plan *p, xc_gpu_encoder **encoder,
                              xc_gpu_error *e)
{
	*encoder = NULL;
	xc_status s = xc_gpu_enter(gpu, e);
	if (s)
		return s;
	xc_gpu_encoder *c = (xc_gpu_encoder *)calloc(1, sizeof *c);
	if (!c)
		return xc_gpu_fail(e, XC_ERR_MEMORY, "out of memory");
	c->gpu = gpu;
	s = set_up_fixed(c, p, e);
	if (!s)
		s = change_encoder(c, p, e);
	/* Runs may be on any stream. */
	if (!s)
		s = xc_gpu_check(e, cudaStreamSynchronize(gpu->stream), "copy tables");
	if (!s)
		s = xc_gpu_code_prepare(gpu, e);
	if (s)
		close_encoder(c);
	else
		*encoder = c;
	return s;
}

static size_t scratch_bytes(const xc_gpu_encoder *c, uint32_t count, size_t capacity)
{
	xc_gpu_encode_job job = c->job;
	return xc_gpu_encode_lay_out(&job, count, capacity, NULL);
}

typedef struct stage {
	const char *name;
	xc_gpu_launch *launch;
	bool needed;
} stage;

/* Sets list to the stages that a job needs, in the order they run; returns how many. */
static int stages_of(const xc_gpu_encode_job *j, stage list[XC_GPU_MAX_STAGES])
{
	const stage all[] = {
		{"forward", xc_gpu_forward_launch, true},
		/* Huffman codes */
		{"count", xc_gpu_count_launch, j->optimized != 0},
		{"tables", xc_gpu_tables_launch, j->optimized != 0},
		{"code", xc_gpu_code_launch, !j->ranses},
		/* rANS */
		{"rdo", xc_gpu_sizes_launch, j->decides != 0},
		{"decide", xc_gpu_decide_launch, j->decides != 0},
		{"take", xc_gpu_take_launch, j->decides != 0},
		{"symbols", xc_gpu_symbols_launch, j->ranses && !j->decides},
		{"contexts", xc_gpu_contexts_launch, j->ranses != 0},
		{"rans encode", xc_gpu_rans_encode_launch, j->ranses != 0},
		{"interleave", xc_gpu_interleave_launch, j->ranses != 0},
		/* both */
		{"layout", xc_gpu_head_launch, true},
		{"assemble", xc_gpu_assemble_launch, true},
	};
	int n = 0;

	for (const stage &g : all)
		if (g.needed)
			list[n++] = g;
	return n;
}

static xc_status run(xc_gpu_encoder *c, const xc_cuda_pictures *pictures,
                     const xc_cuda_files *files, void *scratch, void *caller_stream, void **marks,
                     xc_gpu_error *e)
{
	const cudaStream_t stream = xc_gpu_stream(c->gpu, caller_stream);
	xc_gpu_encode_job job = c->job;

	xc_gpu_encode_lay_out(&job, pictures->count, files->distance, scratch);
	xc_gpu_encode_job_call(&job, pictures, files);
	/* The time of a launch matters where a single picture is encoded. In a batch early starts cost
	 * more than they save: their thread blocks go where room is first, not to all multiprocessors
	 * alike. */
	const xc_gpu_encode_call call = {&job, pictures->count, stream, e};
	stage list[XC_GPU_MAX_STAGES];
	const int n = stages_of(&job, list);
	xc_status s = xc_gpu_enter(c->gpu, e);
	if (!s)
		s = xc_gpu_mark(marks, 0, stream, e);
	for (int i = 0; i < n && !s; i++) {
		s = list[i].launch(&call);
		if (!s)
			s = xc_gpu_mark(marks, i + 1, stream, e);
	}
	return s;
}

static int stages(const xc_gpu_encoder *c, const char *names[XC_GPU_MAX_STAGES])
{
	stage list[XC_GPU_MAX_STAGES];
	const int n = stages_of(&c->job, list);

	for (int i = 0; i < n; i++)
		names[i] = list[i].name;
	return n;
}

extern const xc_gpu_encode_ops xc_gpu_encode_table;
const xc_gpu_encode_ops xc_gpu_encode_table = {
	open_encoder, close_encoder, change_encoder, scratch_bytes, run, stages,
};
