/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes to the reader of BMP (fuzz/reader.h). */
#include "fuzz/reader.h"

static const uint32_t formats = XC_READER_OF(XC_FILE_BMP);

void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	xc_reader_seed(i, formats, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	xc_reader_run(data, size, formats);
	return 0;
}
