/* SPDX-License-Identifier: BSD-2-Clause */
/* libjpeg as a peer, used as cjpeg and djpeg do, but from memory to memory. */
#ifndef XC_BENCH_PEER_JPEG_H
#define XC_BENCH_PEER_JPEG_H

#include <xcodec.h>

typedef struct xc_peer {
	/* Encodes RGB of 8 bits.  optimized: with Huffman tables made for the picture.  Returns
	 * the number of bytes, or 0 after a failure.  The caller frees *out with free(). */
	unsigned long (*encode)(const xc_picture *picture, int quality, xc_subsampling subsampling,
	                        int optimized, unsigned char **out);
	/* Decodes to RGB of 8 bits; `out` must have the file's size.  Returns 1, or 0 after a
	 * failure. */
	int (*decode)(const unsigned char *data, unsigned long size, const xc_picture *out);
} xc_peer;

/* Its functions are NULL if this was built without libjpeg. */
extern const xc_peer xc_peer_jpeg;

#endif
