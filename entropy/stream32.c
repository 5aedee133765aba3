/* SPDX-License-Identifier: BSD-2-Clause */
#define BITS 32
#define MOST_SIZE 28
#include "entropy/stream_template.h"
