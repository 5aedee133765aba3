/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples as the netpbm formats store them, and their way to 8 or 16 bits. */
#ifndef XC_FORMATS_RASTER_H
#define XC_FORMATS_RASTER_H

#include "formats/internal.h"

/* The depth of a picture whose samples go up to maxval. */
static inline uint32_t xc_raster_depth(uint32_t maxval)
{
	return maxval > 255 ? 16 : 8;
}

/* value (at most maxval, at most 65535) on the scale of `peak`, rounded. */
static inline uint32_t xc_raster_scale(uint32_t value, uint32_t maxval, uint32_t peak)
{
	/* 65535 * 65535 + 32767 still fits 32 bits. */
	return (value * peak + maxval / 2) / maxval;
}

/* Allocates reader's picture and fills it from the binary samples (big-endian
 * where maxval needs two bytes) that start at `offset`. */
xc_status xc_raster_read_binary(xc_file_reader *reader, size_t offset, uint32_t maxval,
                                const char *format);

#endif
