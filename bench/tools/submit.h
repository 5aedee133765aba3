/* SPDX-License-Identifier: BSD-2-Clause */
/* A picture in memory on its way to a GPU. */
#ifndef XC_BENCH_TOOLS_SUBMIT_H
#define XC_BENCH_TOOLS_SUBMIT_H

#include <string.h>

#include <xcodec_cuda.h>

/* Copies a picture of three channels of 8 bits into the queue's next slot, and submits that. */
static inline xc_status xc_bench_submit(xc_cuda_encode_queue *queue, const xc_picture *from)
{
	xc_picture to;
	const xc_status s = xc_cuda_encode_queue_next(queue, &to);
	for (uint32_t y = 0; !s && y < from->height; y++)
		memcpy((char *)to.data + y * to.stride, (char *)from->data + y * from->stride,
		       (size_t)from->width * 3);
	return s ? s : xc_cuda_encode_queue_submit(queue);
}

#endif
