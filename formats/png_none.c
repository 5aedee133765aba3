/* SPDX-License-Identifier: BSD-2-Clause */
/* In place of the reader and the writer of PNG where libpng is not there. */
#include "formats/internal.h"

xc_status xc_png_read(xc_file_reader *reader)
{
	return xc_file_fail(reader->message, XC_ERR_UNSUPPORTED,
	                    "a PNG file, which this program was built without (libpng)");
}

xc_status xc_png_write(const xc_picture *picture, const xc_metadata *metadata, int level,
                       const xc_file_watcher *watcher, uint8_t **out, size_t *out_size,
                       char message[XC_FILE_MESSAGE])
{
	(void)picture;
	(void)metadata;
	(void)level;
	(void)watcher;
	(void)out;
	(void)out_size;
	return xc_file_fail(message, XC_ERR_UNSUPPORTED,
	                    "this program was built without PNG (libpng): use ppm, pgm or pam");
}
