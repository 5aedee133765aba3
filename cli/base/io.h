/* SPDX-License-Identifier: BSD-2-Clause */
/* Files in and out of memory.  Every function here reports its own failure and then
 * returns -1.  "-" is standard input or output. */
#ifndef XC_CLI_BASE_IO_H
#define XC_CLI_BASE_IO_H

#include <stddef.h>
#include <stdint.h>

/* Looks at the first bytes of a file before the rest is read: 0 to go on, -1 after
 * reporting why not.  name: for messages. */
typedef int (*xc_cli_probe)(const char *name, const uint8_t *start, size_t size);

/* Reads a whole file of at most `limit` bytes; *data is freed with free().
 * probe may be NULL. */
int xc_cli_read(const char *path, uint64_t limit, xc_cli_probe probe, uint8_t **data, size_t *size);

/* Says whether output may be written; called before the work, so that nothing is done in
 * vain.  An existing file needs `force`, and so does binary data for a terminal.  The
 * folder must be writable, and output must not be the same file as an input.  An input
 * that is NULL does not count. */
int xc_cli_output_check(const char *path, int force, const char *const *inputs, int count);

/* Writes a whole file.  A regular file appears complete or not at all: it is written
 * beside its place and then renamed.  Without `force` that never replaces a file.
 * Devices and pipes are written directly. */
int xc_cli_write(const char *path, int force, const void *data, size_t size);

/* Flushes what was printed to standard output. */
int xc_cli_flush_output(void);

#endif
