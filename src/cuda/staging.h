/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies between host memory of any kind and the device. The driver copies to and from memory that
 * is not pinned through a few buffers of its own, for one thread at a time; these have pinned
 * memory for each GPU that was opened, so that threads do not wait for each other.
 */
#ifndef XC_SRC_CUDA_STAGING_H
#define XC_SRC_CUDA_STAGING_H

#include "src/cuda/module.h"

/* `rows` rows (at least one) of `row` bytes, on the GPU's own stream. Rows that the GPU reaches by
 * itself must stay as they are until the copy is done; others may change when it returns. */
xc_status xc_cuda_upload_rows(xc_cuda *gpu, void *device, size_t device_stride, const void *host,
                              size_t host_stride, size_t row, size_t rows);
/* Waits for what is on the GPU's own stream, and gives the bytes. */
xc_status xc_cuda_download(xc_cuda *gpu, void *host, const void *device, size_t size);

#endif
