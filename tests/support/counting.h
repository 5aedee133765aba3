/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that counts, and that fails when told to.  Usable by several threads. */
#ifndef XC_TESTS_SUPPORT_COUNTING_H
#define XC_TESTS_SUPPORT_COUNTING_H

#include <xcodec.h>

typedef struct xc_counting {
	xc_allocator allocator; /* hand this to xc_context_new() */
	uint64_t fail_at;       /* this call, counted from 1, and all after it fail; 0: none */
	uint64_t calls;
	uint64_t blocks, bytes, peak; /* allocated now; most bytes at once */
} xc_counting;

/* The counts point into *counting, which must stay where it is. */
void xc_counting_init(xc_counting *counting, uint64_t fail_at);

#endif
