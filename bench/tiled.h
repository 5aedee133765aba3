/* SPDX-License-Identifier: BSD-2-Clause */
/* A large picture made of smaller ones, for measurements. */
#ifndef XC_BENCH_TILED_H
#define XC_BENCH_TILED_H

#include <stdint.h>

#include <xcodec.h>

#include "formats/formats.h"

/* Reads a whole file to memory from malloc(); NULL with errno if that fails. */
uint8_t *xc_bench_read_file(const char *path, size_t *size);

/* Reads a picture file.  Returns 0, or -1 with one line in message. */
int xc_bench_read_picture(const char *path, xc_file_picture *out, char message[XC_FILE_MESSAGE]);

/* Pixel x, y as RGB of 8 bits: grey is repeated, alpha dropped, 16 bits are cut to 8. */
void xc_bench_rgb(const xc_picture *picture, uint32_t x, uint32_t y, uint8_t rgb[3]);

/* Fills width x height pixels row by row with the pictures in turn, as xc_bench_rgb() shows them,
 * each in a cell of the first one's size; those of another size are left out.  Width and height 0
 * mean the first one's, count 0 a generated picture.  Returns 0, or -1 with one line in message.
 * The caller frees out->data. */
int xc_bench_tile(const char *const *paths, int count, uint32_t width, uint32_t height,
                  xc_picture *out, char message[XC_FILE_MESSAGE]);

/* Parses "4608x4096", sides of at most five digits; 0 if text is no such size. */
int xc_bench_parse_size(const char *text, uint32_t *width, uint32_t *height);

#endif
