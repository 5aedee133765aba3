/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text data files of the 2006 program (Larsen, "Utilizing GPUs on Cluster Computers", appendix A):
 * any number of sets, each
 *
 *   !dct:N:M:precision        or !lot:...
 *   N rows of M numbers, divided by white space
 *
 * with a precision of 16, 32, 64 or 128 bits; 128 means long double.  Coefficients of whole blocks may say the
 * size of their array, which is smaller, as !dct:N:M:precision:ROWS:COLUMNS; that program did not.  Lines may end anywhere.  The
 * 16 bits are whole numbers; half precision has to be asked for, and is written as 32 bits, which hold it.  The
 * reader wants the whole file in memory; a set never takes more memory than 16 times the text that
 * is left.
 */
#ifndef XC_LAB_DATAFILE_H
#define XC_LAB_DATAFILE_H

#include "lab/samples.h"

typedef enum xc_data_kind { XC_DATA_DCT, XC_DATA_LOT } xc_data_kind;

typedef struct xc_data_set {
	xc_data_kind kind;
	size_t rows, cols;
	xct_precision precision;       /* of samples */
	void *samples;                 /* malloc'ed, dense, row by row */
	size_t array_rows, array_cols; /* of the array whose coefficients they are; 0: not said */
} xc_data_set;

/* Frees the samples; accepts an empty set. */
void xc_data_set_free(xc_data_set *set);

typedef struct xc_data_reader {
	const char *text;
	size_t size, at;
	size_t line;       /* of text[at], from 1 */
	size_t max;        /* bytes that the samples of a set may take; no limit unless set */
	char message[160]; /* of a failure: "line 3: ..." */
} xc_data_reader;

/* Whether a file may be one of these: it starts with "!dct:" or "!lot:", perhaps
 * after white space. */
int xc_data_detect(const void *text, size_t size);

/* text need not end in a zero byte, and must stay until the reader is done. */
void xc_data_reader_start(xc_data_reader *reader, const char *text, size_t size);

/* The next set: 1, or 0 when there is no more, or -1 with a message.  precision 0: the set's own,
 * otherwise the samples are read as this one.  16-bit samples are rounded to whole numbers. */
int xc_data_read(xc_data_reader *reader, int precision, xc_data_set *set);

/* Text that grows; freed with free(text).  Zero it before the first use. */
typedef struct xc_data_writer {
	char *text;
	size_t size, room;
} xc_data_writer;

/* Appends a set, with as many digits as reading back the same samples takes.
 * 0, or -1: out of memory. */
int xc_data_write(xc_data_writer *writer, const xc_data_set *set);

#endif
