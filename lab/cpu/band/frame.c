/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cpu/band/frame.h"

#include <stdint.h>
#include <string.h>

#include "lab/team.h"

#define XC_EACH_REAL "lab/cpu/band/frame_template.h"
#include "lab/each_real.h"
