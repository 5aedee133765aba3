/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a file, entry by entry: the size of each segment and its check value.  Inline and
 * apart from the container, because a large picture has thousands of entries, which must not be
 * read by way of memory that may change. */
#ifndef XC_GEOMETRY_INDEX_H
#define XC_GEOMETRY_INDEX_H

#include <stdint.h>

typedef struct xc_index_reader {
	const uint8_t *next;
	uint32_t size_bytes; /* of each entry's size, 2 to 4; two bytes of check value follow */
} xc_index_reader;

/* Size of the next segment in bytes, and its check value. */
static inline uint32_t xc_index_next(xc_index_reader *r, uint16_t *check)
{
	const uint8_t *e = r->next;
	const uint32_t bytes = r->size_bytes;
	/* Four bytes are always there, and one load takes them. */
	const uint32_t four = e[0] | (uint32_t)e[1] << 8 | (uint32_t)e[2] << 16 | (uint32_t)e[3] << 24;
	const uint32_t size = four & UINT32_MAX >> (32 - 8 * bytes);
	*check = (uint16_t)(e[bytes] | e[bytes + 1] << 8);
	r->next = e + bytes + 2;
	return size;
}

#endif
