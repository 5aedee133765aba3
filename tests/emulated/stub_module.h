/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CUDA module without CUDA, for testing the library's part of the GPU codec anywhere: memory
 * is the host's, whatever is put on a stream is done at once, and kernels are left out.  Its
 * decoder finds out which segments are intact by their CRCs, as the kernels do, and makes no
 * pixels; it has no encoder.
 */
#ifndef XC_TESTS_EMULATED_STUB_MODULE_H
#define XC_TESTS_EMULATED_STUB_MODULE_H

#include "gpu/decode/decode.h"
#include "src/cuda/module.h"

struct xc_gpu {
	unsigned allocations[2];  /* pieces of each kind of memory that are out */
	unsigned taken[2];        /* in all */
	unsigned streams, events; /* that exist */
	unsigned runs;            /* of the decoder */
	int fail;                 /* the decoder's runs fail */
};

extern const xc_gpu_module xc_stub_module;

/* What xc_cuda_open() would give. */
void xc_stub_open(xc_cuda *gpu, struct xc_gpu *state, xc_context *context);

#endif
