/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/test_pictures.h"

#include <stdio.h>
#include <stdlib.h>

int xc_test_read(const char *path, xc_file_picture *out, char *message)
{
	OWN_BYTES file = {0};

	snprintf(message, XC_FILE_MESSAGE, "cannot be read");
	const int good = xc_bytes_load(&file, path) &&
	                 xc_file_read(file.data, file.size, NULL, NULL, out, message) == XC_OK;
	return good;
}

static int read_in(const char *folder, const char *between, const char *name, xc_file_picture *out)
{
	char path[4096], message[XC_FILE_MESSAGE];
	const int n = snprintf(path, sizeof path, "%s/%s%s", folder, between, name);
	return n > 0 && (size_t)n < sizeof path && xc_test_read(path, out, message);
}

static const char *source_folder(void)
{
	const char *folder = getenv("srcdir");
	return folder && *folder ? folder : ".";
}

int xc_test_sample(const char *name, xc_file_picture *out)
{
	return read_in(source_folder(), "samples/", name, out);
}

int xc_test_shared(const char *name, xc_file_picture *out)
{
	const char *folder = getenv("XC_SHARED");
	return folder && *folder ? read_in(folder, "", name, out)
	                         : read_in(source_folder(), "../shared/", name, out);
}
