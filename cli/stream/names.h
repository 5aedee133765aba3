/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of names, of which 64 bits each are kept, with a number for each.
 *
 * Two of n different names are taken for one with a chance of n^2 / 2^65: for 10^7 names, 3 * 10^-6.
 */
#ifndef XC_CLI_STREAM_NAMES_H
#define XC_CLI_STREAM_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* All zero: an empty table. */
typedef struct xc_cli_names {
	struct xc_cli_name {
		uint64_t hash, value; /* hash 0: a free slot */
	} * slot;
	size_t slots, used;
} xc_cli_names;

/* Never 0. */
uint64_t xc_cli_names_hash(const char *name);
/* The number of a name, which is 0 if the name is new, and stays in its place until the next name is added.  NULL: out
 * of memory, and nothing is reported. */
uint64_t *xc_cli_names_value(xc_cli_names *names, const char *name);
/* 1: the name is new in the table; 0: it was there; -1: out of memory, and nothing is reported. */
int xc_cli_names_add(xc_cli_names *names, const char *name);
void xc_cli_names_free(xc_cli_names *names);

#endif
