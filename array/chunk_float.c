/* SPDX-License-Identifier: BSD-2-Clause */
/* Chunks of float values. */
#include "array/chunk.h"
