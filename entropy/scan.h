/* SPDX-License-Identifier: BSD-2-Clause */
/* The zig-zag scan (ITU-T T.81, figure A.6) over blocks in transposed order. */
#ifndef XC_ENTROPY_SCAN_H
#define XC_ENTROPY_SCAN_H

/* Position k of the scan is coefficient XC_SCAN[k]: horizontal frequency * 8 +
 * vertical frequency. */
#define XC_SCAN_63 \
	0, 8, 1, 2, 9, 16, 24, 17, 10, 3, 4, 11, 18, 25, 32, 40, 33, 26, 19, 12, 5, 6, 13, 20, 27, 34, \
		41, 48, 56, 49, 42, 35, 28, 21, 14, 7, 15, 22, 29, 36, 43, 50, 57, 58, 51, 44, 37, 30, 23, \
		31, 38, 45, 52, 59, 60, 53, 46, 39, 47, 54, 61, 62, 55
#define XC_SCAN_TABLE XC_SCAN_63, 63

#endif
