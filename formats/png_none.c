/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader and the writer of PNG in a build without libpng. */
#include "formats/file.h"

xc_status xc_png_read(xc_file_reader *reader)
{
	return xc_file_fail(reader->message, XC_ERR_UNSUPPORTED,
	                    "a PNG file, which this program was built without (libpng)");
}

xc_status xc_png_write(const xc_file_writer *writer)
{
	return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
	                    "this program was built without PNG (libpng): use ppm, pgm or pam");
}
