/* SPDX-License-Identifier: BSD-2-Clause */
/* Products of small matrices of bytes, which a warp finds at once. */
#ifndef XC_GPU_RUNTIME_MATRIX_H
#define XC_GPU_RUNTIME_MATRIX_H

#include "gpu/runtime/warp.h"

/*
 * Adds the product of a, 16 rows of 32 bytes, and b, 32 rows of 8 bytes, to c, 16 rows of 8 words.
 * What lane 4 g + t has, as PTX's mma.m16n8k32 wants it:
 *
 * 	a  row g: bytes from 4 t on in a[0], and from 16 + 4 t on in a[2]; of row g + 8 in a[1] and a[3]
 * 	b  column g, likewise in b[0] and b[1]
 * 	c  row g: columns 2 t and 2 t + 1 in c[0] and c[1]; of row g + 8 in c[2] and c[3]
 */
XC_WARP_INLINE void xc_warp_multiply(uint32_t c[4][XC_SLOTS], const uint32_t a[4][XC_SLOTS],
                                     const uint32_t b[2][XC_SLOTS])
{
#ifdef __CUDA_ARCH__
#if __CUDA_ARCH__ >= 800
	asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
	    : "+r"(c[0][0]), "+r"(c[1][0]), "+r"(c[2][0]), "+r"(c[3][0])
	    : "r"(a[0][0]), "r"(a[1][0]), "r"(a[2][0]), "r"(a[3][0]), "r"(b[0][0]), "r"(b[1][0]));
#else
	XC_UNROLL
	for (int i = 0; i < 4; i++) {
		const int row = i % 2, half = i / 2;
		asm("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
		    : "+r"(c[2 * row][0]), "+r"(c[2 * row + 1][0])
		    : "r"(a[row + 2 * half][0]), "r"(b[half][0]));
	}
#endif
#else
	for (int lane = 0; lane < XC_WARP_LANES; lane++)
		for (int i = 0; i < 4; i++) {
			const int row = i / 2, column = lane % 4 * 2 + i % 2;
			for (int t = 0; t < 8; t++)
				c[i][lane] = xc_gpu_dot(a[row + t / 4 * 2][lane / 4 * 4 + t % 4],
				                        b[t / 4][column * 4 + t % 4], c[i][lane]);
		}
#endif
}

#endif
