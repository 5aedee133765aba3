/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader and the writer of JPEG in a build without libjpeg. */
#include "formats/rows_kind.h"

static xc_status open_jpeg(xc_row_base *base)
{
	return xc_file_fail(base->file.message, XC_ERR_UNSUPPORTED,
	                    "a JPEG file, which this program was built without (libjpeg)");
}

static xc_status create(xc_row_writer *writer)
{
	return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
	                    "this program was built without JPEG (libjpeg): use png, ppm, pgm or pam");
}

const xc_row_format xc_jpeg_rows = {sizeof(xc_row_base), XC_FILE_JPEG, open_jpeg};
const xc_row_output xc_jpeg_row_output = {sizeof(xc_row_writer), create, XC_FILE_JPEG};
