/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PNG's five filters, on rows as they are in the file: a byte that names the filter, and then the
 * samples, 16 bits with the high byte first.  A pixel has 1, 2, 3, 4, 6 or 8 bytes.
 */
#ifndef XC_FORMATS_PNG_FILTER_H
#define XC_FORMATS_PNG_FILTER_H

#include <stddef.h>
#include <stdint.h>

enum { XC_PNG_NONE, XC_PNG_SUB, XC_PNG_UP, XC_PNG_AVERAGE, XC_PNG_PAETH, XC_PNG_FILTERS };

/* How many rows at most are turned back at once; fewer take longer. */
enum { XC_PNG_ABREAST = 8 };
/* Bytes after the last row that are read and written, though not changed. */
enum { XC_PNG_FILTER_SLACK = 8 };

/* Turns `count` rows of `bytes` bytes, and the filter's one before each, into samples in place.
 * The row above the first one, without a filter byte, ends where that begins.  Returns how
 * many rows have a filter that exists: the first ones. */
uint32_t xc_png_unfilter(uint8_t *rows, size_t bytes, uint32_t pixel, uint32_t count);

/* Filters a row of `bytes` samples into bytes + 1 at `to`.  above: zeros for the first row.
 * filter: XC_PNG_FILTERS takes the one with the least sum of magnitudes. */
void xc_png_filter(uint8_t *to, const uint8_t *row, const uint8_t *above, size_t bytes,
                   uint32_t pixel, int filter);

/* The definition of the filters, byte by byte, which tests compare with. */
uint8_t xc_png_predict(int filter, uint8_t left, uint8_t above, uint8_t corner);

#endif
