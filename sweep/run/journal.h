/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Points that were measured, kept as they come, so that a sweep that was interrupted can go on.
 *
 * The journal is a text of lines: a CRC-32C of the rest in hexadecimal, a blank, the key, a tab, and
 * the numbers.  A line that is not whole does not count.
 */
#ifndef XC_SWEEP_RUN_JOURNAL_H
#define XC_SWEEP_RUN_JOURNAL_H

#include "sweep/results.h"

typedef struct xc_sweep_journal {
	const char *path;
	int file;     /* -1: there is none */
	char **lines; /* of an earlier sweep, sorted, without the checksum */
	size_t count;
} xc_sweep_journal;

/* Opens or creates the journal.  resume: what it has is kept, else it begins anew.  path NULL: nothing is
 * kept.  Returns 0, or -1 after reporting why not. */
int xc_sweep_journal_open(xc_sweep_journal *journal, const char *path, int resume);
/* Takes the numbers of the point with that key: 1, or 0 if there is none. */
int xc_sweep_journal_find(const xc_sweep_journal *journal, const char *key, xc_sweep_point *point);
/* Adds a point, with one write; any thread may.  key: without tabs and line ends.  Returns 0, or -1
 * after reporting why not. */
int xc_sweep_journal_add(const xc_sweep_journal *journal, const char *key,
                         const xc_sweep_point *point);
/* complete: the journal is no longer needed, and removed. */
void xc_sweep_journal_close(xc_sweep_journal *journal, int complete);

#endif
