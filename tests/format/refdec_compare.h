/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_TESTS_FORMAT_REFDEC_COMPARE_H
#define XC_TESTS_FORMAT_REFDEC_COMPARE_H

#include <xcodec.h>

#include "tests/format/refdec.h"

/* In how many samples the library's picture differs from the reference decoder's;
 * UINT64_MAX when sizes, channels or depths do. */
uint64_t refdec_differences(const xc_picture *p, const refdec_picture *r);

#endif
