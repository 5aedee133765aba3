/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a picture file: read at once and in rows, which must agree, and then written in each
 * format that keeps all samples, which must give the same pixels again. The number of rows a call
 * depends on the size.
 */
#ifndef XC_FUZZ_READER_H
#define XC_FUZZ_READER_H

#include "formats/formats.h"
#include "fuzz/fuzz.h"

/* A set of formats has a bit for each. */
#define XC_READER_OF(format) (1u << (format))

/* Files of other formats are left alone. */
void xc_reader_run(const uint8_t *data, size_t size, uint32_t formats);
/* A small file of each kind in turn. */
void xc_reader_seed(unsigned i, uint32_t formats, xc_bytes *out);

/* A target that is nothing but that. */
#define XC_READER_TARGET(formats) \
	void xc_fuzz_seed(unsigned i, xc_bytes *out) \
	{ \
		xc_reader_seed(i, formats, out); \
	} \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) \
	{ \
		xc_reader_run(data, size, formats); \
		return 0; \
	}

#endif
