/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of manifests, and the folder that these are in. */
#ifndef XC_CLI_STREAM_MANIFEST_LINES_H
#define XC_CLI_STREAM_MANIFEST_LINES_H

#include <limits.h>
#include <stddef.h>

#define XC_CLI_MANIFEST_FOLDER ".xcodec"
#define XC_CLI_MANIFEST_PREFIX "manifest."

/* The byte after the checksum, which counts for that, says what a line holds. */
enum { XC_CLI_LINE_NAME = ' ', XC_CLI_LINE_OPTIONS = '=' };

/* Checksum, mark, every byte of a path escaped, newline, zero. */
enum { XC_CLI_CHECKSUM = 8, XC_CLI_LINE = XC_CLI_CHECKSUM + 1 + 2 * PATH_MAX + 2 };

/* Writes a line with its newline and a final zero; returns its length.  A text that is too long is cut. */
size_t xc_cli_line_make(char line[XC_CLI_LINE], char mark, const char *text);

/* What a caller does with a line, or with a file: 0 to go on. */
typedef int (*xc_cli_use_line)(void *user, char mark, const char *text);
typedef int (*xc_cli_use_entry)(void *user, int folder, const char *name);

/* Calls `use` with each line of a file whose checksum is right, until that returns another number, which is
 * returned.  -1 with errno: the file cannot be read. */
int xc_cli_lines_each(int folder, const char *name, xc_cli_use_line use, void *user);
/* Likewise with each file of a folder whose name begins so. */
int xc_cli_entries_each(int folder, const char *prefix, xc_cli_use_entry use, void *user);

/* Lines that are to be written. */
typedef struct xc_cli_lines {
	char *data;
	size_t size, room;
} xc_cli_lines;

/* 0, or -1: out of memory. */
int xc_cli_lines_add(xc_cli_lines *lines, const char *data, size_t size);
/* 0, or -1 with errno. */
int xc_cli_lines_write(int file, const char *data, size_t size);

#endif
