/* SPDX-License-Identifier: BSD-2-Clause */
/* The module's decoder, as the library sees it: it launches kernels on what the library
 * has laid out in memory. */
#ifndef XC_GPU_DECODE_DECODE_H
#define XC_GPU_DECODE_DECODE_H

#include "gpu/decode/plan.h"
#include "gpu/module.h"

/* Pictures decoded by one set of launches.  Those of one kind and depth stand together. */
typedef struct xc_gpu_decode_batch {
	uint32_t pictures, segments, codes; /* codes: sets of them, [luma, chroma][DC, AC] */
	const xc_gpu_decode_plan *plans;    /* in host memory */

	/* Plans, segments and codes are copied there by one transfer of `size` bytes. */
	const void *host; /* pinned */
	void *device;
	size_t size;
	size_t plans_at, segments_at, codes_at; /* bytes from the start */

	xc_gpu_class_tables *tables;         /* device memory, 2 for each set of codes */
	xc_gpu_segment_result *results;      /* device memory, copied ... */
	xc_gpu_segment_result *results_host; /* ... to pinned memory */
} xc_gpu_decode_batch;

enum { XC_GPU_DECODE_STAGES = 5 };

typedef struct xc_gpu_decode_ops {
	/* Only enqueues.  marks: NULL, or XC_GPU_DECODE_STAGES + 1 events that are recorded in
	 * front of the first stage and behind each. */
	xc_status (*run)(xc_gpu *gpu, const xc_gpu_decode_batch *batch, void *stream, void **marks,
	                 xc_gpu_error *e);
	/* 1: host memory that the GPU can copy from and to by itself. */
	int (*pinned)(xc_gpu *gpu, const void *memory);
	const char *stages[XC_GPU_DECODE_STAGES];
} xc_gpu_decode_ops;

extern const xc_gpu_decode_ops xc_gpu_decode_functions;

#endif
