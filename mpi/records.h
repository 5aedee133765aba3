/* SPDX-License-Identifier: BSD-2-Clause */
/* Items packed one after another: as they are kept before they are handed out, sent, and queued. */
#ifndef XC_MPI_RECORDS_H
#define XC_MPI_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "cli/stream/items.h"

typedef struct xc_mpi_records {
	uint8_t *bytes;
	size_t begin, end, room; /* of the bytes in use */
	uint64_t count;
} xc_mpi_records;

/* Both return 0, or -1: out of memory. */
int xc_mpi_records_add(xc_mpi_records *records, const xc_cli_item *item);
int xc_mpi_records_append(xc_mpi_records *records, const uint8_t *bytes, size_t size,
                          uint64_t count);
/* Takes the first `count`, of which there are as many.  Returns where they begin, which holds until
 * something is added, and their bytes in *size. */
const uint8_t *xc_mpi_records_take(xc_mpi_records *records, uint64_t count, size_t *size);
/* Makes an item of the record at `bytes`: 0, or -1 after reporting that there is no memory. */
int xc_mpi_record_read(const uint8_t *bytes, xc_cli_item *item);
static inline size_t xc_mpi_records_size(const xc_mpi_records *records)
{
	return records->end - records->begin;
}
void xc_mpi_records_free(xc_mpi_records *records);

#endif
