/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a job has finished, kept on the disk, so that it can go on after it was killed.
 *
 * The folder of the results holds a folder ".xcodec".  In that each rank has a file "manifest.RANK", to which it
 * appends, and a folder "temporary.RANK" for files that are being written.  A line is the CRC-32C of the rest in
 * eight digits, a blank, and the name of an input, in which '\' is written "\\" and a newline "\n".  The first line
 * has '=' for the blank and the options for a name.  A line whose checksum is wrong, such as one that was cut off, counts for
 * nothing.
 *
 * A name is only written once the disk has its result.
 */
#ifndef XC_CLI_STREAM_MANIFEST_H
#define XC_CLI_STREAM_MANIFEST_H

#include "cli/stream/names.h"

typedef struct xc_cli_manifest xc_cli_manifest;

/* Opens the manifest of a rank below the folder of the results, and makes it if there is none.  options: a text that
 * is equal for runs with equal results.  Another process must not have it open.  NULL after reporting why not. */
xc_cli_manifest *xc_cli_manifest_open(const char *folder, int rank, const char *options);
/* For rank 0, before any rank begins: adds to `finished` what the manifests of all ranks name, and removes temporary
 * files that are left.  A manifest of other options is emptied with `force`, and refused without.  0, or -1 after
 * reporting why not. */
int xc_cli_manifest_read(xc_cli_manifest *manifest, int force, xc_cli_names *finished);
/* The folder of the manifests, and that for temporary files. */
int xc_cli_manifest_folder(const xc_cli_manifest *manifest);
int xc_cli_manifest_temporary(const xc_cli_manifest *manifest);
/* Notes that the result of an input is in its place.  Any thread may call it. */
void xc_cli_manifest_add(xc_cli_manifest *manifest, const char *name);
/* Writes what was noted: 0, or -1 after reporting that something was not written.  NULL is allowed. */
int xc_cli_manifest_close(xc_cli_manifest *manifest);

/* Makes one manifest of those of all ranks: 0, or -1 after reporting why not. */
int xc_cli_manifest_merge(const char *folder);

#endif
