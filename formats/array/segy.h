/* SPDX-License-Identifier: BSD-2-Clause */
/* What the reader and the writer of SEG-Y share: where things lie in a file, and IBM floats. */
#ifndef XC_FORMATS_ARRAY_SEGY_H
#define XC_FORMATS_ARRAY_SEGY_H

#include "formats/array/kind.h"

enum {
	SEGY_TEXT = 3200,
	SEGY_HEADERS = 3600, /* the textual and the binary header */
	SEGY_TRACE = 240,    /* a trace header */
	SEGY_TRACE_MAX = 256 * SEGY_TRACE,
	SEGY_GROUP = 4096, /* traces whose headers are one attachment, */
	SEGY_GROUP_BYTES = SEGY_GROUP * SEGY_TRACE
};

typedef struct segy_layout {
	int su; /* traces alone */
	int little, rev, format;
	xc_array_type type;
	uint64_t start;   /* of the first trace */
	uint32_t head;    /* bytes of headers before the samples of each trace */
	uint64_t samples; /* of a trace; 0: the binary header does not say */
	uint64_t traces;  /* as the header says; 0: it does not */
	int64_t stanzas;  /* of SEGY_TEXT bytes after the last trace; below 0: not known */
	int texts;        /* extended textual headers; below 0: up to ((SEG: EndText)) */
} segy_layout;

/* Takes the binary header (400 bytes, and all that is before) apart. Returns why it is refused, or
 * NULL. The start is that without a search for ((SEG: EndText)). */
const char *xc_segy_parse(const uint8_t *headers, segy_layout *l);

/* How many traces have their headers in one attachment. */
static inline uint64_t xc_segy_group(const segy_layout *l)
{
	return l->head > SEGY_GROUP_BYTES ? 1 : SEGY_GROUP_BYTES / l->head;
}

/* What conversions could not keep. */
typedef struct segy_counts {
	uint64_t changed;  /* IBM numbers that are not normalized, or that are no float32 */
	uint64_t rounded;  /* float32 values with more bits than an IBM number has */
	uint64_t infinite; /* NaN and infinities, which IBM numbers do not have */
} segy_counts;

/* IBM numbers, in the machine's byte order, to float32 values in place, and back. */
void xc_ibm_to_floats(void *values, uint64_t count, segy_counts *counts);
void xc_ibm_from_floats(void *values, uint64_t count, segy_counts *counts);

/* The writer, of SEG-Y and of SU. */
xc_status xc_segy_create(xc_array_output *o);
xc_status xc_segy_write(xc_array_output *o, const void *values, uint64_t count);
xc_status xc_segy_end(xc_array_output *o);
void xc_segy_discard(xc_array_output *o);

#endif
