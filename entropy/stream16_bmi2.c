/* SPDX-License-Identifier: BSD-2-Clause */
#define BITS 16
#define MOST_SIZE 15
#define SUFFIX _bmi2
#include "entropy/stream_template.h"
