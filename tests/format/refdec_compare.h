/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef XC_TESTS_FORMAT_REFDEC_COMPARE_H
#define XC_TESTS_FORMAT_REFDEC_COMPARE_H

#include <xcodec.h>

#include "entropy/rans/rans.h"
#include "tests/format/refdec.h"

/* xc_decode() returned s and *p for the file.  NULL when the reference decoder agrees: it
 * refuses the file too, or gives equal samples.  Else what it says. */
const char *refdec_objection(xc_status s, const xc_picture *p, const uint8_t *file, size_t size,
                             uint64_t max_pixels);

/* The same of a call with keep_going, which found `damaged` segments and left this message: the
 * reference decoder finds the same ones.  At most 256 segments. */
const char *refdec_damage_objection(xc_status s, const xc_picture *p, uint64_t damaged,
                                    const char *message, const uint8_t *file, size_t size,
                                    uint64_t max_pixels);

/* A tile of wide x high MCUs, each with h x v blocks of luma; h 0: grey. */
xc_rans_shape refdec_rans_shape(uint32_t wide, uint32_t high, uint32_t h, uint32_t v);

/* A decoder of rANS found a segment good or not, and if it is good these blocks, of 16 or 32 bits
 * (deep). frequencies: of a chunk RANS, or NULL. NULL when the reference decoder agrees. */
const char *refdec_rans_objection(int good, const void *blocks, int depth16,
                                  const xc_rans_shape *shape, const uint8_t *frequencies,
                                  size_t frequencies_size, const uint8_t *segment, size_t size);

#endif
