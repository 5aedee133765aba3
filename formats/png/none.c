/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader and the writer of PNG in a build without libpng. */
#include "formats/rows_kind.h"

static xc_status cannot_open(xc_row_base *reader)
{
	return xc_file_fail(reader->file.message, XC_ERR_UNSUPPORTED,
	                    "a PNG file, which this program was built without (libpng)");
}

static xc_status cannot_create(xc_row_writer *writer)
{
	return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
	                    "this program was built without PNG (libpng): use ppm, pgm or pam");
}

const xc_row_format xc_png_rows = {sizeof(xc_row_base), XC_FILE_PNG, cannot_open};
const xc_row_output xc_png_row_output = {sizeof(xc_row_writer), cannot_create, XC_FILE_PNG};
