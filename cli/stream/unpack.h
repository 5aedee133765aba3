/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a tar file, unpacked where it is compressed. All sums are checked, those after
 * the end of the tar file too: of gzip by zlib, because libarchive passes over them, of other
 * kinds by libarchive.
 */
#ifndef XC_CLI_STREAM_UNPACK_H
#define XC_CLI_STREAM_UNPACK_H

#include "cli/stream/spread.h"

#include <archive.h>
#include <zlib.h>

typedef struct xc_cli_unpack {
	int fd;
	gzFile file;         /* of it: inflates gzip, and reads all else as it is */
	struct archive *raw; /* unpacks other kinds; NULL: it is none of them */
	int plain;           /* a regular file that is not compressed */
	uint8_t *block;
	int ready;     /* bytes of `block` that were read to look at them */
	uint64_t size; /* of a regular file; else 0 */
	uint64_t unpacked, max_expansion;
	char failure[160]; /* why no more is read; "": nothing failed */
	xc_cli_kind
		reason; /* XC_CLI_BROKEN: what came before may be damaged too, which sums cover as well */
} xc_cli_unpack;

/* Opens a reader of tar files that takes these bytes: 0, or -1 when `failure`, or the reader, tells
 * why not. *u began as zeros. */
int xc_cli_unpack_open(xc_cli_unpack *u, const char *path, uint64_t max_expansion,
                       struct archive *tar);
/* Reads what comes after the tar file: 0, or -1 when `failure` tells why not. */
int xc_cli_unpack_end(xc_cli_unpack *u);
/* Bytes that the unpacked ones are made of, as far as they are known. */
uint64_t xc_cli_unpack_packed(const xc_cli_unpack *u);
void xc_cli_unpack_close(xc_cli_unpack *u);

#endif
