/* SPDX-License-Identifier: BSD-2-Clause */
/* What an array's reader knows of its file; for src/array/reader.c and src/cuda/arrays.c. */
#ifndef XC_SRC_ARRAY_READER_H
#define XC_SRC_ARRAY_READER_H

#include "src/array/array.h"
#include "src/container/container.h"

/* A slab's segments: the bytes of INDX after the first one, and where DATA's begin. */
typedef struct xc_slab_index {
	uint8_t *entries;
	uint64_t count, data;
	unsigned width; /* bytes of a size */
	int found;      /* 0: index or segments are damaged or cut off */
} xc_slab_index;

/* Attached bytes lie between slabs. */
typedef struct xc_attached {
	uint64_t offset, size; /* of type, length, payload, CRC */
} xc_attached;

struct xc_array_reader {
	xc_context *context;
	xc_source source;
	int failed; /* reading failed in this call, which looks like the end of the file otherwise */
	xc_array_header header;
	xc_slab_index *slabs;
	xc_attached *attached;
	uint64_t indexed, attachments, attachment_room, next_attached, attached_bytes;
	uint8_t *attached_now;
	int salvages;
	double instead;   /* what damaged chunks give; NaN: or 0 */
	uint64_t damaged; /* counted so far */
	int skipped;      /* while parsing: what may have been an index */
	/* The next chunk of xc_array_next_segment(): its slab, number and place; its slab's model. */
	uint64_t slab, chunk, offset;
	int model_intact;
};

/* Segment n of a slab, its model's first: the size, and 16 bits of the CRC. */
static inline uint32_t xc_segment_size(const xc_slab_index *i, uint64_t n)
{
	const uint8_t *p = i->entries + n * (i->width + 2);
	uint32_t size = 0;

	for (unsigned b = 0; b < i->width; b++)
		size |= (uint32_t)p[b] << 8 * b;
	return size;
}

static inline uint32_t xc_segment_crc(const xc_slab_index *i, uint64_t n)
{
	const uint8_t *p = i->entries + n * (i->width + 2) + i->width;
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

/* Reads segment n of a slab, which lies at `offset`, and checks it. *data: in the source's memory, or at *room,
 * which then moves to its end; NULL: it is damaged. *sum goes on: the CRC of DATA. */
xc_status xc_reader_segment(xc_array_reader *reader, const xc_slab_index *index, uint64_t n,
                            uint64_t offset, uint8_t **room, const uint8_t **data, uint32_t *sum);

#endif
