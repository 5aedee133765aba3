/* SPDX-License-Identifier: BSD-2-Clause */
/* The module's decoder, as the library sees it. */
#ifndef XC_GPU_DECODE_H
#define XC_GPU_DECODE_H

#include "entropy/huffman.h"
#include "gpu/module.h"
#include "src/geometry.h"

typedef struct xc_gpu_decode_ops xc_gpu_decode_ops;

#endif
