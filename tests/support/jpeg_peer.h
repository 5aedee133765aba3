/* SPDX-License-Identifier: BSD-2-Clause */
/* XC coefficients as a JPEG file, and libjpeg's decoding of it. */
#ifndef XC_TESTS_SUPPORT_JPEG_PEER_H
#define XC_TESTS_SUPPORT_JPEG_PEER_H

#include <xcodec.h>

/* Through jpeg_write_coefficients().  *out is to be freed with free(). */
void xc_jpeg_write(const xc_info *info, const xc_coefficients *coefficients, unsigned char **out,
                   unsigned long *size);

/* With libjpeg's defaults, as djpeg does; to be freed with free(). */
uint8_t *xc_jpeg_read(const unsigned char *data, unsigned long size, size_t stride);

#endif
