/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/scan.h"

/* Where each coefficient of the transposed order stands in the scan: the columns of figure A.6 of
 * ITU-T T.81, one after the other. */
#define SCAN_POSITIONS(f) \
	f(0, 0, 2, 3, 9, 10, 20, 21, 35) f(1, 1, 4, 8, 11, 19, 22, 34, 36) \
		f(2, 5, 7, 12, 18, 23, 33, 37, 48) f(3, 6, 13, 17, 24, 32, 38, 47, 49) \
			f(4, 14, 16, 25, 31, 39, 46, 50, 57) f(5, 15, 26, 30, 40, 45, 51, 56, 58) \
				f(6, 27, 29, 41, 44, 52, 55, 59, 62) f(7, 28, 42, 43, 53, 54, 60, 61, 63)

#define B(n, i, p) ((n) >> (i)&1 ? UINT64_C(1) << (p) : 0)
#define E(n, a, b, c, d, e, f, g, h) \
	(B(n, 0, a) | B(n, 1, b) | B(n, 2, c) | B(n, 3, d) | B(n, 4, e) | B(n, 5, f) | B(n, 6, g) | \
	 B(n, 7, h))
#define E4(n, ...) \
	E(n, __VA_ARGS__), E(n + 1, __VA_ARGS__), E(n + 2, __VA_ARGS__), E(n + 3, __VA_ARGS__)
#define E16(n, ...) \
	E4(n, __VA_ARGS__), E4(n + 4, __VA_ARGS__), E4(n + 8, __VA_ARGS__), E4(n + 12, __VA_ARGS__)
#define E64(n, ...) \
	E16(n, __VA_ARGS__), E16(n + 16, __VA_ARGS__), E16(n + 32, __VA_ARGS__), \
		E16(n + 48, __VA_ARGS__)
#define COLUMN(u, ...) \
	[u] = {E64(0, __VA_ARGS__), E64(64, __VA_ARGS__), E64(128, __VA_ARGS__), E64(192, __VA_ARGS__)},

const uint64_t xc_scan_mask[8][256] = {SCAN_POSITIONS(COLUMN)};
