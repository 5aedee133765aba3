/* SPDX-License-Identifier: BSD-2-Clause */
/* See src/cuda/arrays.h. */
#include "src/cuda/arrays.h"

#include <math.h>
#include <string.h>

_Static_assert((int)XC_GPU_ARRAY_LEVELS == XC_LEVELS && (int)XC_GPU_ARRAY_SYMBOLS == XC_SYMBOLS &&
                   (int)XC_GPU_ARRAY_SAMPLES == XC_ARRAY_SAMPLES &&
                   (int)XC_GPU_ARRAY_RANKS == XC_RANKS &&
                   sizeof(xc_gpu_array_tables) == sizeof(xc_array_decode_tables),
               "the GPU counts as the library does");

int xc_gpu_array_has(xc_array_type type, xc_gpu_array_type *own)
{
	static const int8_t types[XC_ARRAY_TYPES] = {
		[XC_ARRAY_FLOAT32] = XC_GPU_FLOAT32,
		[XC_ARRAY_FLOAT64] = -1,
		[XC_ARRAY_INT8] = XC_GPU_INT8,
		[XC_ARRAY_INT16] = XC_GPU_INT16,
		[XC_ARRAY_INT32] = -1,
		[XC_ARRAY_UINT8] = XC_GPU_UINT8,
		[XC_ARRAY_UINT16] = XC_GPU_UINT16,
		[XC_ARRAY_UINT32] = -1,
	};

	*own = types[type] < 0 ? XC_GPU_FLOAT32 : (xc_gpu_array_type)types[type];
	return types[type] >= 0;
}

/* Factors of xc_array_load(), and of unload(). */
static void set_factors(int exponent, float to[2])
{
	to[0] = (float)ldexp(1, exponent / 2);
	to[1] = (float)ldexp(1, exponent - exponent / 2);
}

void xc_gpu_array_slab_set(xc_gpu_array_slab *to, const xc_slab_model *slab)
{
	const xc_array_model *m = &slab->model;
	const xc_array_plan *plan = &m->plan;
	const float anchors = (float)xc_pass_step(m, plan->passes ? plan->pass[0].fine : 0);

	memset(to, 0, sizeof *to);
	memcpy(to->top, plan->top, sizeof to->top);
	to->passes = plan->passes;
	to->mode = (int)m->mode;
	to->low = (float)m->low;
	to->high = (float)m->high;
	to->anchor_step = anchors;
	to->anchor_inverse = 1 / anchors;
	to->anchor_level = m->anchor_level;
	memcpy(to->axis, m->axis, sizeof m->axis);
	set_factors(-slab->exponent, to->load);
	set_factors(slab->exponent, to->unload);
	to->ranks = slab->ranks;
	for (int i = 0; i < plan->passes; i++) {
		xc_gpu_array_pass *p = &to->pass[i];
		p->pass = plan->pass[i];
		p->step = (float)xc_pass_step(m, p->pass.fine);
		p->inverse = m->mode == XC_MODE_KEYS ? 0 : 1 / p->step;
		p->bend = m->smooth ? 0 : p->inverse;
		p->set = xc_set_of(plan, i);
	}
}

uint64_t xc_gpu_array_first(const xc_array_header *h, const xc_slab_place *p)
{
	const uint64_t *n = h->size;
	return (p->first[0] * n[1] + p->first[1]) * n[2] + p->first[2];
}

int xc_gpu_array_fits(const xc_array_header *h)
{
	const xc_slab_place p = xc_slab_of(h, 0);
	return xc_slab_chunks(&p) <= XC_GPU_BATCH_CHUNKS && xc_slab_values(&p) <= 1 << 30;
}

uint32_t xc_gpu_array_batch(const xc_array_header *h, uint64_t slab, uint32_t *chunks,
                            uint64_t *values)
{
	uint32_t n = 0;

	*chunks = 0;
	*values = 0;
	for (; n < XC_GPU_BATCH_SLABS && slab + n < h->slabs; n++) {
		const xc_slab_place p = xc_slab_of(h, slab + n);
		const uint64_t more = xc_slab_chunks(&p);
		if (n && (*chunks + more > XC_GPU_BATCH_CHUNKS ||
		          *values + xc_slab_values(&p) > XC_GPU_BATCH_VALUES))
			break;
		*chunks += (uint32_t)more;
		*values += xc_slab_values(&p);
	}
	return n;
}

uint32_t xc_gpu_array_chunks(const xc_array_header *h, const xc_slab_place *p, uint32_t slab,
                             uint64_t value, xc_gpu_array_chunk *chunks)
{
	const uint64_t first = xc_gpu_array_first(h, p), n = xc_slab_chunks(p);
	uint64_t stride[2];

	xc_gpu_array_strides(h, stride);
	for (uint64_t i = 0; i < n; i++) {
		xc_gpu_array_chunk *c = &chunks[i];
		uint32_t at[3];
		memset(c, 0, sizeof *c);
		xc_chunk_box(h, p, i, at, c->size);
		c->first = first + at[0] * stride[0] + at[1] * stride[1] + at[2];
		c->at = value;
		c->slab = slab;
		value += xc_chunk_count(c->size);
	}
	return (uint32_t)n;
}

void *xc_gpu_memory_take(xc_gpu_memory_list *l, xc_gpu_memory kind, uint64_t count, size_t each)
{
	void *memory = NULL;

	if (!l->status && l->count == sizeof l->pieces / sizeof *l->pieces)
		l->status = xc_fail_memory(l->gpu->context, 0);
	if (l->status)
		return NULL;
	l->status = xc_cuda_check(l->gpu, l->gpu->module->allocate(l->gpu->gpu, kind,
	                                                           xc_bytes_of_values(count, each) + 64,
	                                                           &memory, &l->gpu->error));
	if (!l->status)
		l->pieces[l->count++] = memory;
	return memory;
}

void xc_gpu_memory_free(xc_gpu_memory_list *l)
{
	while (l->count)
		l->gpu->module->release(l->gpu->gpu, l->pieces[--l->count]);
}

void xc_gpu_copy(xc_cuda *gpu, xc_status *s, void *to, const void *from, size_t bytes, void *stream)
{
	if (!*s && bytes)
		*s = xc_cuda_check(gpu, gpu->module->copy(gpu->gpu, to, from, bytes, stream, &gpu->error));
}

void xc_gpu_wait(xc_cuda *gpu, xc_status *s, void *stream)
{
	if (!*s)
		*s = xc_cuda_check(gpu, gpu->module->synchronize(gpu->gpu, stream, &gpu->error));
}
