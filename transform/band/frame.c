/* SPDX-License-Identifier: BSD-2-Clause */
#include "transform/band/frame.h"

#include <stdint.h>
#include <string.h>

#include "transform/frame/team.h"

#define XC_REAL_BITS 32
#include "transform/band/frame_template.h"
#undef XC_REAL_BITS
#define XC_REAL_BITS 64
#include "transform/band/frame_template.h"
#undef XC_REAL_BITS
#define XC_REAL_BITS 80
#include "transform/band/frame_template.h"
#undef XC_REAL_BITS
