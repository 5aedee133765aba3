/* SPDX-License-Identifier: BSD-2-Clause */
/* The module's encoder, as the library sees it. */
#ifndef XC_GPU_ENCODE_ENCODE_H
#define XC_GPU_ENCODE_ENCODE_H

#include "entropy/tokens.h"
#include "gpu/module.h"
#include "geometry/geometry.h"

/* What pictures of one shape and one set of options share.  It is copied. */
typedef struct xc_gpu_encode_plan {
	uint32_t channels, depth;
	xc_transform transform;
	xc_geometry geometry;
	float tables[2][64];          /* quantization; see quant/tables.h */
	int optimized;                /* codes made for each picture, else these: */
	const xc_coder_tables *coder; /* [luma, chroma] */
	const uint8_t *prefix;        /* the file in front of HUFF or INDX */
	size_t prefix_size;
	uint32_t batch; /* pictures a call may have at most */
} xc_gpu_encode_plan;

/* As the public header describes them. */
typedef xc_cuda_pictures xc_gpu_pictures;
typedef xc_cuda_files xc_gpu_files;

typedef struct xc_gpu_encoder xc_gpu_encoder;

enum { XC_GPU_ENCODE_STAGES = 8 };

typedef struct xc_gpu_encode_ops {
	xc_status (*open)(xc_gpu *gpu, const xc_gpu_encode_plan *plan, xc_gpu_encoder **encoder,
	                  xc_gpu_error *e);
	void (*close)(xc_gpu_encoder *encoder); /* accepts NULL */
	/* Bytes of device memory that `count` pictures need, whose files take `capacity`
	 * bytes each at most. */
	size_t (*scratch)(const xc_gpu_encoder *encoder, uint32_t count, size_t capacity);
	/* Only enqueues.  At least one picture, and no more than the plan's batch.  marks: NULL, or XC_GPU_ENCODE_STAGES + 1 events that are recorded
	 * before the first kernel and behind each. */
	xc_status (*run)(xc_gpu_encoder *encoder, const xc_gpu_pictures *pictures,
	                 const xc_gpu_files *files, void *scratch, void *stream, void **marks,
	                 xc_gpu_error *e);
	/* The names of the kernels in the order they run; how many there are. */
	int (*stages)(const xc_gpu_encoder *encoder, const char *names[XC_GPU_ENCODE_STAGES]);
} xc_gpu_encode_ops;

#endif
