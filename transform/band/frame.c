/* SPDX-License-Identifier: BSD-2-Clause */
#include "transform/band/frame.h"

#include <stdint.h>
#include <string.h>

#include "transform/frame/team.h"

#define XC_EACH_REAL "transform/band/frame_template.h"
#include "transform/frame/each_real.h"
