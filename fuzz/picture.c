/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a picture file of whatever format (fuzz/reader.h), and as the name of one. */
#include <string.h>

#include "fuzz/reader.h"

static const uint32_t formats = UINT32_MAX;

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static const char *const starts[] = {"RIFF....WEBPVP8 ", "....ftypavif", "\xff\x0a....",
	                                     "GIF89a..",         "....JXL ....", "II*\001.....",
	                                     "....jP  \r\n",     "a.b/c.tiff"};

	if (i % 3 == 2) {
		out->size = 0;
		xc_bytes_add_text(out, starts[i / 3 % 8]);
		return;
	}
	xc_reader_seed(i, formats, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_reader_run(data, size, formats);
	char foreign[XC_FILE_MESSAGE];
	FUZZ_CHECK(!xc_file_foreign(data, size, foreign) || !strchr(foreign, '\n'), "%s", foreign);
	OWN_MEMORY char *const name = xc_test_malloc(size + 1);
	if (size)
		memcpy(name, data, size);
	name[size] = '\0';
	const xc_file_format format = xc_file_format_by_path(name);
	FUZZ_CHECK(!format || !xc_file_foreign_name(name), "%s is foreign",
	           xc_file_format_name(format));
	FUZZ_CHECK(!xc_file_format_by_name(name) ||
	               xc_file_format_title(xc_file_format_by_name(name))[0],
	           "a format without a title");
	return 0;
}
