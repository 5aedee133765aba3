/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the writer share. */
#ifndef XC_FORMATS_PNG_WRITE_H
#define XC_FORMATS_PNG_WRITE_H

#include "formats/rows_kind.h"

/* Writes a chunk of two parts, whose sizes together have at most 31 bits. */
xc_status xc_png_put_chunk(const xc_row_writer *writer, const char *type, const void *prefix,
                           size_t prefix_size, const void *data, size_t size);
/* Writes the chunks that hold the writer's metadata. */
xc_status xc_png_put_metadata(xc_row_writer *writer);

#endif
