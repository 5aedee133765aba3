/* SPDX-License-Identifier: BSD-2-Clause */
/* A large picture made of smaller ones, for measurements. */
#ifndef XC_BENCH_TILED_H
#define XC_BENCH_TILED_H

#include <stdint.h>

#include <xcodec.h>

#include "formats/formats.h"

/* Reads a picture file as RGB of 8 bits a sample (grey becomes equal R, G and B,
 * alpha is dropped, 16 bits are cut to 8).  0, or -1 with one line in message.
 * out->data is malloc'ed. */
int xc_bench_read_rgb(const char *path, xc_picture *out, char message[XC_FILE_MESSAGE]);

/* width x height pixels filled row by row with the pictures in turn, each in a cell
 * of the first one's size; those of another size are left out.  width and height 0:
 * the first picture as it is.  0, or -1 with one line in message.  out->data is
 * malloc'ed. */
int xc_bench_tile(const char *const *paths, int count, uint32_t width, uint32_t height,
                  xc_picture *out, char message[XC_FILE_MESSAGE]);

/* "4608x4096"; 0: no such thing. */
int xc_bench_parse_size(const char *text, uint32_t *width, uint32_t *height);

#endif
