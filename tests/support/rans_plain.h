/* SPDX-License-Identifier: BSD-2-Clause */
/* A decoder of the rANS mode that is as plain as can be: one symbol at a time, written from the
 * description of the format.  Only the numbers of the model are the library's. */
#ifndef XC_TESTS_SUPPORT_RANS_PLAIN_H
#define XC_TESTS_SUPPORT_RANS_PLAIN_H

#include "entropy/rans/rans.h"

/* most_size: bits of a magnitude, but for one more of a DC's.  Sets differences in place of DCs: blocks as [blocks][64], in transposed order.  0: damaged. */
int rans_plain_decode(const xc_rans_frequencies *frequencies, const xc_rans_shape *shape,
                      const uint8_t *data, size_t size, int most_size, int32_t *blocks);

#endif
