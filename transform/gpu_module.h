/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding and opening the modules with transforms for a GPU. */
#ifndef XC_TRANSFORM_GPU_MODULE_H
#define XC_TRANSFORM_GPU_MODULE_H

#include "gpu/transform/ops.h"

/* The module's name without path and suffix; NULL, and why, when there is none that fits.
 * A module stays loaded. */
const xc_gpu_transform_ops *xc_gpu_transform_module(const char *name,
                                                    char why[XC_DEVICE_MESSAGE]);

#endif
