/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A CUDA module without CUDA, for testing anywhere: memory is the host's, whatever is put on a
 * stream is done at once, and the kernels' code runs on the processor.  What needs a GPU
 * (barriers, warps, launches) is left to tests/device.
 */
#ifndef XC_TESTS_EMULATED_STUB_MODULE_H
#define XC_TESTS_EMULATED_STUB_MODULE_H

#include "src/cuda/module.h"

struct xc_gpu {
	unsigned allocations[2]; /* pieces of each kind of memory that are out */
	unsigned taken[2];       /* in all */
	uint64_t held[2];        /* bytes that are out */
	unsigned trims;          /* of what would be in pools */
	unsigned handles;        /* streams and events that exist */
	unsigned encoders;       /* were opened */
	unsigned runs;           /* of the decoder */
	void *pinned;            /* host memory, or NULL */
	unsigned pins;           /* pin() was called so often */
	int pins_none;           /* and fails */
	int fail;                /* the decoder's runs fail */
	size_t shared_bytes;     /* a block of threads can have */
	int reaches_all;         /* the GPU reaches any host memory */
	uint32_t copy_words;     /* of segments are copied before they are decoded */
	uint32_t
		cached_blocks; /* tiles of at most this many blocks have DCs and ends in shared memory */
};

extern const xc_gpu_module xc_stub_module;
extern const xc_gpu_encode_ops xc_stub_encoder; /* stub_encode.c */
extern const xc_gpu_decode_ops xc_stub_decoder; /* stub_decode.c */

/* 0: it cannot run here, which it says. A GPU has the lowest byte of a number first,
 * and kernels know it. */
int xc_stub_fits(void);
/* What xc_cuda_open() would give, to be closed likewise. */
xc_cuda *xc_stub_open(xc_context *context);
/* What xc_context_set_device() of "cuda" would do. */
void xc_stub_use(xc_context *context);

/* Sets *e and returns the status. */
xc_status xc_stub_fail(xc_gpu_error *e, xc_status status, const char *what);

/* Memory of exactly this size, so that a sanitizer sees what goes beyond, full of what nobody
 * wrote.  Aligned to 256 bytes if `size` is a multiple of that. */
void *xc_stub_need(size_t size);

#endif
