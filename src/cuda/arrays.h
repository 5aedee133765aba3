/* SPDX-License-Identifier: BSD-2-Clause */
/* What encoding and decoding of arrays on a GPU share: src/cuda/arrays_encode.c, arrays_decode.c. */
#ifndef XC_SRC_CUDA_ARRAYS_H
#define XC_SRC_CUDA_ARRAYS_H

#include "src/array/array.h"
#include "src/cuda/module.h"

enum {
	XC_GPU_BATCH_VALUES = 1 << 27, /* of slabs that are under way together, unless one has more */
	XC_GPU_BATCH_CHUNKS = 1 << 15,
	XC_GPU_BATCH_SLABS = 1 << 8
};

/* 1: values of the type are coded by the GPU; *own: as what. */
int xc_gpu_array_has(xc_array_type type, xc_gpu_array_type *own);

/* A slab's model as the GPU wants it, apart from where its ranks are. */
void xc_gpu_array_slab_set(xc_gpu_array_slab *to, const xc_slab_model *m);

/* 0: slabs are too large, or have too many chunks, for a batch. */
int xc_gpu_array_fits(const xc_array_header *h);
/* Slabs from `slab` on that make a batch; how many, their chunks and values. */
uint32_t xc_gpu_array_batch(const xc_array_header *h, uint64_t slab, uint32_t *chunks,
                            uint64_t *values);
/* Sets the members of a slab's chunks that say what they are; returns how many there are. value: of
 * the first of them in the work. */
uint32_t xc_gpu_array_chunks(const xc_array_header *h, const xc_slab_place *p, uint32_t slab,
                             uint64_t value, xc_gpu_array_chunk *chunks);
/* The first value of a slab in the array, and strides of its two slower dimensions. */
uint64_t xc_gpu_array_first(const xc_array_header *h, const xc_slab_place *p);
static inline void xc_gpu_array_strides(const xc_array_header *h, uint64_t stride[2])
{
	stride[0] = h->size[1] * h->size[2];
	stride[1] = h->size[2];
}

/* Memory of a call, all of which xc_gpu_memory_free() gives back. */
typedef struct xc_gpu_memory_list {
	xc_cuda *gpu;
	void *pieces[40]; /* more than any call takes */
	int count;
	xc_status status; /* of the first that was not to be had; then all are NULL */
} xc_gpu_memory_list;
void *xc_gpu_memory_take(xc_gpu_memory_list *list, xc_gpu_memory kind, uint64_t count, size_t each);
void xc_gpu_memory_free(xc_gpu_memory_list *list);

/* Copies on the stream, or waits for it; the first failure of several stays in *s. */
void xc_gpu_copy(xc_cuda *gpu, xc_status *s, void *to, const void *from, size_t bytes,
                 void *stream);
void xc_gpu_wait(xc_cuda *gpu, xc_status *s, void *stream);

#endif
