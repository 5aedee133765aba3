/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of a tar file, unpacked where it is compressed, for shard.c. All sums are checked, those
 * after the end of the tar file too: of gzip by zlib, because libarchive passes over them, of other
 * kinds by libarchive. One thread at a time uses an unpacker.
 */
#ifndef XC_CLI_STREAM_UNPACK_H
#define XC_CLI_STREAM_UNPACK_H

#include "cli/stream/spread.h"

#include <archive.h>
#include <stdint.h>
#include <zlib.h>

/* Bytes that are read or written at a time. */
enum { XC_CLI_UNPACK_BLOCK = 1 << 18 };

typedef struct xc_cli_unpacker {
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
} xc_cli_unpacker;

/* Opens a reader of tar files that takes these bytes: 0, or -1 when `failure`, or the reader, tells
 * why not. *unpacker began as zeros; xc_cli_unpack_close() must follow in any case. max_expansion: bytes for each
 * packed one, of more than 2^30. */
int xc_cli_unpack_open(xc_cli_unpacker *unpacker, const char *path, uint64_t max_expansion,
                       struct archive *tar);
/* Bytes that the unpacked ones are made of, as far as they are known. */
uint64_t xc_cli_unpack_packed(const xc_cli_unpacker *unpacker);
/* Reads what comes after the tar file: 0, or -1 when `failure` tells why not. */
int xc_cli_unpack_end(xc_cli_unpacker *unpacker);
void xc_cli_unpack_close(xc_cli_unpacker *unpacker);

#endif
