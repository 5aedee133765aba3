/* SPDX-License-Identifier: BSD-2-Clause */
#define XC_SHORT_TABLE xc_short_base
#include "transform/band/short_template.h"
