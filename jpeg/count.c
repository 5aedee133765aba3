/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts what jpeg/write.c would write: the same functions under other names. */
#include "jpeg/jpeg.h"

#define XC_JPEG_COUNTS
#define xc_jpeg_writer_size xc_jpeg_counter_size
#define xc_jpeg_writer_begin xc_jpeg_counter_begin
#define xc_jpeg_write xc_jpeg_count_symbols
#define xc_jpeg_writer_sizes xc_jpeg_counter_bits
#include "jpeg/write.c"

const uint32_t *xc_jpeg_counted(const xc_jpeg_writer *w, int table)
{
	return w->tables[table].code;
}
