/* SPDX-License-Identifier: BSD-2-Clause */
/* Launching the 8-band kernels.  Compiled with XC_REAL_BITS 16, 32 and 64. */
#include "lab/gpu/band/kernels.h"

#include <cudaTypedefs.h>

#include "lab/gpu/work.h"

typedef void (*band_kernel)(const xc_warp_job job, const xc_bulk_maps maps);

/* The scale in shared memory, for all threads of a block after __syncthreads(). */
#define BAND_SCALE(scale) \
	__shared__ __align__(16) XC_REAL scale[64]; \
	if (xc_band_scaled(TRANSFORM) && threadIdx.x < 64) \
	scale[threadIdx.x] = job.scale[threadIdx.x]

template <xc_band_transform TRANSFORM, int BACK>
static __global__ void __launch_bounds__(XC_REGION_SIZE, XC_REGION_CTAS)
	region_kernel(const __grid_constant__ xc_warp_job job,
                  const __grid_constant__ xc_bulk_maps maps)
{
	extern __shared__ __align__(128) unsigned char dynamic_shared[];
	__shared__ uint64_t barriers[XC_REGION_STAGES];
	BAND_SCALE(scale);
	xc_region_work(TRANSFORM, BACK, &job, &maps, scale, (XC_SAMPLE *)(void *)dynamic_shared,
	               barriers, (int)blockIdx.x);
}

template <xc_band_transform TRANSFORM, int BACK>
static __global__ void __launch_bounds__(XC_BAND_THREADS, XC_BLOCK_CTAS)
	block_kernel(const __grid_constant__ xc_warp_job job, const __grid_constant__ xc_bulk_maps)
{
	__shared__ __align__(16) XC_SAMPLE slots[XC_BAND_THREADS / 32 * XC_WARP_SAMPLES];
	const int mine = (int)threadIdx.x / 32;
	const int warp = (int)blockIdx.x * (XC_BAND_THREADS / 32) + mine;
	BAND_SCALE(scale);
	if (xc_band_scaled(TRANSFORM))
		__syncthreads();
	if (warp < job.across * job.down)
		xc_warp_work(TRANSFORM, BACK, &job, scale, slots + mine * XC_WARP_SAMPLES, warp);
}

#define BAND_BOTH(kernel, transform) \
	{ \
		kernel<transform, 0>, kernel<transform, 1> \
	}

/* In the order of xc_band_transform. */
static const band_kernel kernels[XC_BAND_TRANSFORMS][2] = {
	{NULL, NULL},
	BAND_BOTH(block_kernel, XC_BAND_DEFINITION),
	BAND_BOTH(block_kernel, XC_BAND_SEPARABLE),
	BAND_BOTH(block_kernel, XC_BAND_AAN),
	BAND_BOTH(block_kernel, XC_BAND_FLMAD),
	{NULL, NULL},
	BAND_BOTH(region_kernel, XC_BAND_LOT),
	BAND_BOTH(region_kernel, XC_BAND_TDLT),
	BAND_BOTH(region_kernel, XC_BAND_GENLOT),
};

typedef struct band_state {
	band_kernel kernel;
	size_t region_bytes; /* of a region's shared memory; 0: not lapped */
	int shifts;
	void *encode; /* describes arrays to the device; NULL: the kernel needs none */
	xc_warp_job job;
} band_state;

/* Returns 0 and sets s->encode if the kernel needs it, or returns -1 and leaves the reason. */
static int find_encode(band_state *s, xc_lab_gpu *gpu)
{
#if XC_BULK
	cudaDriverEntryPointQueryResult found;
	cudaFuncAttributes kernel;
	cudaError_t e = cudaFuncGetAttributes(&kernel, s->kernel);
	if (e == cudaSuccess && kernel.ptxVersion >= 90)
		e = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &s->encode, 12000,
		                                     cudaEnableDefault, &found);
	if (xc_lab_check(gpu, e, "be described"))
		return -1;
	if (kernel.ptxVersion >= 90 && !s->encode)
		return xc_lab_refuse(gpu, "the GPU's driver is too old");
#else
	(void)s;
	(void)gpu;
#endif
	return 0;
}

#if XC_BULK
/* An array, of which `wide` samples of 8 rows go to or from shared memory at a time. */
static int describe(const band_state *s, CUtensorMap *map, const void *array, ptrdiff_t rows,
                    ptrdiff_t cols, int wide)
{
	const PFN_cuTensorMapEncodeTiled_v12000 encode = (PFN_cuTensorMapEncodeTiled_v12000)s->encode;
	const cuuint64_t size[2] = {(cuuint64_t)cols, (cuuint64_t)rows};
	const cuuint64_t pitch[1] = {(cuuint64_t)cols * sizeof(XC_SAMPLE)};
	const cuuint32_t box[2] = {(cuuint32_t)wide, 8}, step[2] = {1, 1};
	const CUtensorMapDataType type = XC_REAL_BITS == 16   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
	                                 : XC_REAL_BITS == 32 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
	                                                      : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;

	return encode(map, type, 2, (void *)array, size, pitch, box, step,
	              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
	              CU_TENSOR_MAP_L2_PROMOTION_NONE,
	              CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS;
}
#endif

static int make_maps(const band_state *s, const void *in, const void *out, xc_bulk_maps *maps,
                     xc_lab_gpu *gpu)
{
	memset(maps, 0, sizeof *maps);
#if XC_BULK
	const xc_warp_job *const job = &s->job;
	if (job->bulk && (describe(s, &maps->in, in, job->rows.in_size, job->cols.in_size,
	                           XC_REGION_IN(s->shifts)) ||
	                  describe(s, &maps->out, out, job->rows.out_size, job->cols.out_size,
	                           XC_REGION_OUT(s->shifts))))
		return xc_lab_refuse(gpu, "the GPU cannot be told of these arrays");
#endif
	(void)s;
	(void)in;
	(void)out;
	(void)gpu;
	return 0;
}

/* Regions that the device runs at a time, or -1. */
static int resident_regions(const band_state *s, xc_lab_gpu *gpu)
{
	const int processors = xc_lab_attribute(gpu, cudaDevAttrMultiProcessorCount);
	int blocks = 0;

	if (processors < 0 ||
	    xc_lab_check(gpu,
	                 cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, s->kernel,
	                                                               XC_REGION_SIZE, s->region_bytes),
	                 "be described"))
		return -1;
	return blocks ? blocks * processors : 1;
}

static int set_up(void *state, const xc_lab_job *job, xc_lab_gpu *gpu)
{
	band_state *const s = (band_state *)state;
	int resident = 1;

	s->kernel = kernels[job->transform][job->direction];
	if (!s->kernel)
		return xc_lab_refuse(gpu, "this module has no such transform");
	s->shifts = (int)xc_band_shifts(job->transform);
	if (s->shifts) {
		s->region_bytes = XC_REGION_SAMPLES(s->shifts) * sizeof(XC_SAMPLE);
		resident = find_encode(s, gpu) ? -1 : resident_regions(s, gpu);
	}
	if (resident < 0)
		return -1;
	if (xc_warp_job_of(job, XC_REGION_MAX(s->shifts), resident, &s->job))
		return xc_lab_refuse(gpu, "the array is too large");
	s->job.bulk = s->job.bulk && s->encode;
	return 0;
}

static int enqueue(void *state, const void *in, void *out, xc_lab_gpu *gpu)
{
	const band_state *const s = (const band_state *)state;
	const unsigned parts = (unsigned)(s->job.across * s->job.down);
	const unsigned held = XC_BAND_THREADS / 32;
	xc_warp_job job = s->job;
	xc_bulk_maps maps;

	job.in = (const XC_SAMPLE *)in;
	job.out = (XC_SAMPLE *)out;
	if (make_maps(s, in, out, &maps, gpu))
		return -1;
	if (s->region_bytes)
		s->kernel<<<parts, XC_REGION_SIZE, s->region_bytes, gpu->stream>>>(job, maps);
	else
		s->kernel<<<(parts + held - 1) / held, XC_BAND_THREADS, 0, gpu->stream>>>(job, maps);
	return xc_lab_check_kernel(gpu);
}

extern const xc_lab_work XC_T(xc_lab_bands) = {sizeof(band_state), set_up, enqueue};
