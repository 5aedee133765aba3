/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a file, entry by entry: where each segment is, its size and its check value. Inline
 * and apart from the container, because a large picture has thousands of entries, which must not be
 * read by way of memory that may change. */
#ifndef XC_GEOMETRY_INDEX_H
#define XC_GEOMETRY_INDEX_H

#include <stdint.h>

/* A piece of a file: some rows of tiles, whose entries are in one INDX chunk and whose segments are
 * in the DATA chunk after it. */
typedef struct xc_piece {
	const uint8_t *entries; /* NULL: the file ends before them */
	uint32_t size_bytes;    /* of each entry's size, 2 to 4; two bytes of check value follow */
	uint64_t segments;
	uint64_t
		start; /* of its first segment, after the first one of the file; huge if it is missing */
	uint64_t size;       /* of all its segments, as the file says */
	const uint8_t *head; /* of its DATA chunk, for the CRC, which ends where the segments begin */
	uint32_t check;      /* that CRC, if checked: the file has it */
	int checked;
} xc_piece;

/* A segment by itself, for decoders that take some of a file's. */
typedef struct xc_listed_segment {
	uint64_t start; /* byte of the data that go with the list */
	uint32_t size;
	uint16_t check;
	uint16_t available; /* 0: the file ends before it does */
} xc_listed_segment;

typedef struct xc_index_reader {
	const uint8_t *next;
	uint32_t size_bytes;
} xc_index_reader;

/* The entries of a piece that the file has. */
static inline xc_index_reader xc_index_begin(const xc_piece *piece)
{
	return (xc_index_reader){piece->entries, piece->size_bytes};
}

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
