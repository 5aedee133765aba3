/* SPDX-License-Identifier: BSD-2-Clause */
/* Why there is no GPU, in words that tell what to do. */
#ifndef XC_GPU_RUNTIME_DRIVER_H
#define XC_GPU_RUNTIME_DRIVER_H

#include <cuda_runtime.h>

/* For an error of cudaGetDeviceCount(), or cudaSuccess and none. */
static inline const char *xc_gpu_why_none(cudaError_t error)
{
	int version = 0;

	if (error == cudaSuccess || error == cudaErrorNoDevice)
		return "none was found";
	if (error != cudaErrorInsufficientDriver)
		return cudaGetErrorString(error);
	if (cudaDriverGetVersion(&version) != cudaSuccess || !version)
		return "there is no NVIDIA driver";
	return "the NVIDIA driver is too old for the CUDA that xcodec was built with";
}

#endif
