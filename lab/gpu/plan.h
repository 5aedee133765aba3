/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the transforms of both modules have in common.  A kind of transform is three
 * functions; plan.cu puts memory, copies and clocks around them.
 */
#ifndef XC_LAB_GPU_PLAN_H
#define XC_LAB_GPU_PLAN_H

#include <cuda_runtime.h>
#include <stddef.h>

#include "lab/gpu/ops.h"

typedef struct xc_gpu_work {
	/* Tables and scratch of the kind; NULL: why.  Done when it returns. */
	void *(*prepare)(const xc_gpu_job *job, char why[XC_DEVICE_MESSAGE]);
	/* Launches on the stream, does not wait.  0 or -1. */
	int (*enqueue)(void *own, const void *in, void *out, cudaStream_t stream,
	               char why[XC_DEVICE_MESSAGE]);
	void (*finish)(void *own); /* accepts NULL */
} xc_gpu_work;

/* Each module's own: how it does a job; NULL: it does not. */
const xc_gpu_work *xc_gpu_work_for(const xc_gpu_job *job);

/* 0 if result is cudaSuccess; else -1 and why `what` (a verb) failed. */
int xc_gpu_check_call(cudaError_t result, const char *what, char why[XC_DEVICE_MESSAGE]);
/* The same for the kernel just launched. */
int xc_gpu_check_kernel(char why[XC_DEVICE_MESSAGE]);
/* -1 and a line of text. */
int xc_gpu_refuse(char why[XC_DEVICE_MESSAGE], const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A table on the device, as the host has it, or empty memory; NULL: why. */
void *xc_gpu_table(const void *data, size_t size, char why[XC_DEVICE_MESSAGE]);
void *xc_gpu_memory_of(size_t size, char why[XC_DEVICE_MESSAGE]);

/* What the current device says of itself; -1: why not. */
int xc_gpu_attribute(cudaDeviceAttr which, char why[XC_DEVICE_MESSAGE]);

/* Lets a kernel be launched with as much shared memory as there is: 0, or -1.  The limit is
 * the kernel's, for all threads of the process: one that is just enough for this plan
 * could be lowered by another plan before a launch. */
int xc_gpu_allow_most(const void *kernel, char why[XC_DEVICE_MESSAGE]);

static inline size_t xc_gpu_samples(const xc_transform_size *size)
{
	return size->slices * size->rows * size->cols;
}

#endif
