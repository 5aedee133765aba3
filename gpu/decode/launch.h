/* SPDX-License-Identifier: BSD-2-Clause */
/* What the launches of the decoder share. gpu/decode/host/decode.cu calls them, stage by stage; each stage has its own
 * in its folder. */
#ifndef XC_GPU_DECODE_LAUNCH_H
#define XC_GPU_DECODE_LAUNCH_H

#include "gpu/decode/job.h"
#include "gpu/runtime/gpu.h"

/* The state of one run. */
struct xc_gpu_decode_launcher {
	const xc_gpu *gpu;
	const xc_gpu_decode_batch *batch;
	const xc_gpu_decode_layout *layout;
	const uint32_t *order;
	char *pinned, *scratch;
	cudaStream_t stream;
	xc_gpu_error *e;
	/* In pinned memory; the device_ ones are their copies in scratch. */
	const xc_gpu_decode_job *jobs, *device_jobs;
	const xc_gpu_segment *segments, *device_segments;
	/* Kernels write both: results in scratch for kernels, host_results in pinned memory for the
	 * host. */
	xc_gpu_segment_result *results, *host_results;
};

/* Jobs `first` to first + count - 1: a subbatch has one depth and coding, and for pixels one kind, or is reduced. */
struct xc_gpu_subbatch {
	uint32_t first, count;
	int kind, depth16, coding, reduced;
	uint32_t pixel_warps; /* of a thread block that makes pixels of the first picture, */
	size_t pixel_bytes;   /* and its shared memory */
	uint32_t max_regions;
	uint32_t longest;      /* segment, in bytes */
	uint32_t max_segments; /* of a picture */
	uint32_t max_blocks;   /* of a tile */
	uint64_t segments;
};

/* The picture of segment i, `p` or one after it. */
static __device__ __forceinline__ const xc_gpu_decode_job *xc_gpu_job_of(const xc_gpu_decode_job *p,
                                                                         uint32_t i)
{
	while (i - p->first_segment >= p->segments)
		p++;
	return p;
}

/* Entropy stages. The tables of the batch; then for a subbatch the segments, and with rANS the raw bits. */
xc_status xc_gpu_launch_segments(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);
xc_status xc_gpu_launch_rans_tables(const xc_gpu_decode_launcher *l);
xc_status xc_gpu_launch_rans_symbols(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);
xc_status xc_gpu_launch_rans_values(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);
xc_status xc_gpu_launch_jpeg_tables(const xc_gpu_decode_launcher *l);
xc_status xc_gpu_launch_jpeg_segments(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);

/* The pixels of a subbatch, from tokens, symbols or coefficients, and of reduced size from any of them. */
xc_status xc_gpu_launch_token_pixels(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);
xc_status xc_gpu_launch_rans_pixels(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);
xc_status xc_gpu_launch_jpeg_pixels(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);
xc_status xc_gpu_launch_reduced(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g);

/* See xc_gpu_decode_ops (gpu/decode/pixels/arrays.cu). */
xc_status xc_gpu_arrange(xc_gpu *gpu, const xc_gpu_array_plan *plan, const xc_gpu_array *arrays,
                         uint32_t count, uint64_t max_pixels, void *stream, xc_gpu_error *e);

#endif
