/* SPDX-License-Identifier: BSD-2-Clause */
/* What measurements share: a large picture made of smaller ones, the processor's speed, medians. */
#ifndef XC_BENCH_TILED_H
#define XC_BENCH_TILED_H

#include <stdint.h>

#include <xcodec.h>

#include "formats/formats.h"

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

/* Landscapes for tests and measurements where there are no photographs. */

/* The size of samples/meadow.png, which is scene 0. */
enum { XC_SCENE_WIDTH = 768, XC_SCENE_HEIGHT = 512 };

/* Draws RGB of 8 bits: a smooth sky, hard edges, saturated colours, and textures whose
 * spectrum falls off like that of photographs, with a little grain.  Every machine draws
 * the same pixels.  Returns 0, or -1 if out of memory.  The caller frees out->data. */
int xc_scene_draw(uint32_t width, uint32_t height, uint32_t number, xc_picture *out);

/* What makes numbers of measured times. */

/* How fast the processor runs now, in cycles a second.  Measures a loop of dependent
 * additions, each of which takes one cycle.  Takes about half a millisecond. */
double xc_bench_hertz(void);

/* Sorts n values and returns their median. */
double xc_bench_median(double *values, int n);

#endif
