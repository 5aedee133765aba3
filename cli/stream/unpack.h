/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a tar file, unpacked where it is compressed.
 *
 * Every sum of a compressed file is checked, those after the end of the tar file too.  gzip is inflated by zlib, because
 * libarchive passes over gzip's sums; libarchive unpacks and checks the others.  No other program is run.
 */
#ifndef XC_CLI_STREAM_UNPACK_H
#define XC_CLI_STREAM_UNPACK_H

#include "cli/stream/spread.h"

#include <archive.h>
#include <zlib.h>

typedef struct xc_cli_unpack {
	int file;
	int plain;           /* a regular file that is not compressed: its bytes are the tar file's */
	int gzip, in_member; /* between its members there may be zeros */
	struct archive *raw; /* unpacks other kinds */
	z_stream zip;
	uint8_t *in, *out; /* blocks of bytes; `out` is that of gzip alone */
	size_t ready;      /* bytes of `in` that were read to look at them */
	uint64_t size;     /* of the file; 0: not known */
	uint64_t packed, unpacked;
	uint64_t max_expansion;
	char failure[160]; /* why no more is read; "": nothing failed */
	xc_cli_kind reason;
	int untrue; /* a sum was wrong: what came before may be damaged as well */
} xc_cli_unpack;

/* The file stays the caller's.  0, or -1 when `failure` tells why not. */
int xc_cli_unpack_open(xc_cli_unpack *u, int file, uint64_t max_expansion);
/* Opens a reader of tar files that takes these bytes: 0, or -1. */
int xc_cli_unpack_feed(xc_cli_unpack *u, struct archive *tar);
/* Reads what comes after the tar file, since sums are there: 0, or -1 when `failure` tells why not. */
int xc_cli_unpack_end(xc_cli_unpack *u);
/* Bytes of the compressed file, as far as they are known. */
uint64_t xc_cli_unpack_packed(const xc_cli_unpack *u);
/* Zeros are allowed. */
void xc_cli_unpack_close(xc_cli_unpack *u);

#endif
