/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as a picture file of whatever format (fuzz/reader.h). */
#include "fuzz/reader.h"

static const uint32_t formats = UINT32_MAX;

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	xc_reader_seed(i, formats, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_reader_run(data, size, formats);
	return 0;
}
