/* SPDX-License-Identifier: BSD-2-Clause */
/* The reason why no GPU is usable, worded so that the user knows what to do. */
#ifndef XC_GPU_RUNTIME_DRIVER_H
#define XC_GPU_RUNTIME_DRIVER_H

#include <cuda_runtime.h>

/* error: of cudaGetDeviceCount(); cudaSuccess: it found none. */
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
