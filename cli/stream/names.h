/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A set of names, of which 64 bits each are kept.
 *
 * Two of n different names are taken for one with a chance of n^2 / 2^65: for 10^7 names, 3 * 10^-6.  The hash has a
 * key of its own in each process, so nobody can choose names that are taken for each other.
 */
#ifndef XC_CLI_STREAM_NAMES_H
#define XC_CLI_STREAM_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* All zero: an empty set. */
typedef struct xc_cli_names {
	uint64_t key[2];
	uint64_t *slot; /* 0: free */
	size_t slots, used;
} xc_cli_names;

/* 1: the name is new in the set; 0: it was there; -1: out of memory, and nothing is reported. */
int xc_cli_names_add(xc_cli_names *names, const char *name);
int xc_cli_names_have(const xc_cli_names *names, const char *name);
void xc_cli_names_free(xc_cli_names *names);

#endif
