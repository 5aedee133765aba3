/* SPDX-License-Identifier: BSD-2-Clause */
/* libjpeg as cjpeg and djpeg use it, from memory to memory. */
#ifndef XC_BENCH_PEER_JPEG_H
#define XC_BENCH_PEER_JPEG_H

#include <xcodec.h>

/* 0: this was built without libjpeg, and the others do nothing and return 0. */
int xc_peer_jpeg_there(void);

/* Encodes RGB of 8 bits.  optimized: Huffman tables made for the picture.  Returns the
 * number of bytes, 0 on failure; *out is to be freed with free(). */
unsigned long xc_peer_jpeg_encode(const xc_picture *picture, int quality,
                                  xc_subsampling subsampling, int optimized, unsigned char **out);

/* Decodes into a picture of the file's size, RGB of 8 bits.  1: done. */
int xc_peer_jpeg_decode(const unsigned char *data, unsigned long size, const xc_picture *out);

#endif
