/* SPDX-License-Identifier: BSD-2-Clause */
/* Words as they lie in a file, on any machine: each function is its own inverse. */
#ifndef XC_ENTROPY_BYTE_ORDER_H
#define XC_ENTROPY_BYTE_ORDER_H

#include <stdint.h>

/* Between a number and the word in memory whose first byte is its highest. */
static inline __attribute__((always_inline)) uint64_t xc_highest_first64(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

/* Between a number and the word in memory whose first byte is its lowest. */
static inline __attribute__((always_inline)) uint64_t xc_lowest_first64(uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	word = __builtin_bswap64(word);
#endif
	return word;
}

#endif
