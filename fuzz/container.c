/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chunks of any contents in any order.  The input is the version, then a list of chunks, each
 * a byte for the type, a byte for the length and the payload; lengths and checksums are put
 * right.
 */
#include "fuzz/fuzz.h"

#include <string.h>

enum { TYPES = 21 };
static const char types[TYPES][5] = {"HEAD", "QNTZ", "HUFF", "COLR", "INDX", "DATA", "DONE",
                                     "dens", "iccp", "exif", "xmpp", "cicp", "gama", "sbit",
                                     "iptc", "text", "what", "WHAT", "DATA", "HEAD", "wh t"};

/* A random file as such a list; payloads are cut at 255 bytes. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	OWN_BYTES file = {0};
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];

	xc_fuzz_file(i, &file);
	const int n = xc_file_chunks(file.data, file.size, parts);
	out->size = 0;
	xc_bytes_add_u8(out, file.data[7]);
	for (int k = 0; k < n; k++) {
		const size_t length = parts[k].length < 255 ? parts[k].length : 255;
		uint32_t type = 0;
		while (type < TYPES - 1 && strcmp(types[type], parts[k].type))
			type++;
		xc_bytes_add_u8(out, type);
		xc_bytes_add_u8(out, (uint32_t)length);
		xc_bytes_add(out, file.data + parts[k].payload, length);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	OWN_BYTES file = {0};

	if (!size)
		return 0;
	xc_bytes_add_magic(&file);
	file.data[7] = data[0];
	for (size_t at = 1; size - at >= 2;) {
		const size_t left = size - at - 2, want = data[at + 1];
		const size_t n = want < left ? want : left;
		xc_bytes_add_chunk(&file, types[data[at] % TYPES], data + at + 2, n);
		at += 2 + n;
	}
	xc_file_fix(file.data, file.size);

	OWN_CONTEXT c = xc_fuzz_context((unsigned)size);
	OWN_DECODED(c, p);
	xc_info info;
	const xc_status d = xc_decode(c, file.data, file.size, NULL, &p);
	xc_fuzz_judge(c, d, &p, file.data, file.size);
	const xc_status s = xc_read_info(c, file.data, file.size, &info);
	FUZZ_CHECK(d != XC_OK || s == XC_OK, "decoded, but: %s", xc_context_message(c));
	if (d == XC_OK)
		FUZZ_CHECK(info.header_bytes + info.table_bytes + info.index_bytes + info.segment_bytes +
		                   info.alpha_bytes + info.metadata_bytes ==
		               file.size,
		           "the parts do not add up");
	return 0;
}
