/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XC files taken apart, put together and patched in tests and fuzz targets, without
 * the container code of the library.  Running out of memory ends the program.
 */
#ifndef XC_TESTS_SUPPORT_XC_FILES_H
#define XC_TESTS_SUPPORT_XC_FILES_H

#include "tests/support/samples.h"

/* A chunk's place in a file; type is zero-terminated. */
typedef struct xc_file_chunk {
	char type[5];
	size_t offset, payload, length, end;
} xc_file_chunk;

enum { XC_FILE_CHUNKS_MAX = 64 };

/* The chunks that lie wholly in the file, up to the first that does not.  Returns
 * their number, at most XC_FILE_CHUNKS_MAX. */
int xc_file_chunks(const uint8_t *file, size_t size, xc_file_chunk parts[XC_FILE_CHUNKS_MAX]);
/* NULL when there is none of that type. */
const xc_file_chunk *xc_file_chunk_find(const xc_file_chunk *parts, int count, const char *type);

void xc_bytes_add_magic(xc_bytes *bytes);
/* As chunks have them, 7 bits a byte. */
void xc_bytes_add_length(xc_bytes *bytes, uint64_t length);
/* The chunk with its CRC; that of DATA is left to xc_file_fix(). */
void xc_bytes_add_chunk(xc_bytes *bytes, const char *type, const void *payload, size_t size);

/* The file with copies of that chunk in place of its bytes from `from` to `to`. */
void xc_bytes_splice(xc_bytes *out, const void *file, size_t size, size_t from, size_t to,
                     const char *type, const void *payload, size_t length, int copies);

typedef struct xc_head {
	uint32_t width, height, channels, depth, subsampling, transform, entropy, quality;
	uint32_t tile_wide, tile_high;
} xc_head;
void xc_bytes_add_head(xc_bytes *bytes, const xc_head *head);
/* `more` bytes follow the fields of today. */
void xc_bytes_add_longer_head(xc_bytes *bytes, const xc_head *head, uint32_t more);

/* Corrects check values and CRCs wherever there are chunks, so that changes reach
 * the code that follows the checks. */
void xc_file_fix(uint8_t *file, size_t size);

/* A file of random shape, codes, points and coefficients that every decoder must
 * accept, most of which no encoder would make.  wild: also values and steps as large as the
 * format allows, and runs that lead out of a block. */
void xc_random_file(xc_bytes *bytes, uint64_t seed, int wild);

#endif
