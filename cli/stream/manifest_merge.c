/* SPDX-License-Identifier: BSD-2-Clause */
/* One manifest made of those of all ranks. */
#include "cli/stream/manifest.h"

#include "cli/base/report.h"
#include "cli/stream/manifest_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char merged[] = "merged.tmp", first[] = XC_CLI_MANIFEST_PREFIX "0";

/* Bytes of lines that are written at a time. */
enum { PIECE = 1 << 16 };

enum { OTHER_OPTIONS = 1, NO_MEMORY = 2 };

typedef struct merging {
	int file;
	char *options; /* NULL: no manifest had some yet */
	xc_cli_names known;
	xc_cli_lines lines;
} merging;

static int write_lines(merging *m)
{
	const int failed = xc_cli_lines_write(m->file, m->lines.data, m->lines.size);

	m->lines.size = 0;
	return failed;
}

static int put_line(merging *m, char mark, const char *text)
{
	char line[XC_CLI_LINE];

	if (xc_cli_lines_add(&m->lines, line, xc_cli_line_make(line, mark, text)))
		return NO_MEMORY;
	return m->lines.size < PIECE ? 0 : write_lines(m);
}

static int use_line(void *user, char mark, const char *text)
{
	merging *m = user;

	if (mark == XC_CLI_LINE_OPTIONS && m->options)
		return strcmp(m->options, text) ? OTHER_OPTIONS : 0;
	if (mark == XC_CLI_LINE_OPTIONS) {
		m->options = strdup(text);
		return m->options ? put_line(m, mark, text) : NO_MEMORY;
	}
	const int known = xc_cli_names_add(&m->known, text);
	return known < 0 ? NO_MEMORY : known ? put_line(m, mark, text) : 0;
}

static int merge_one(void *user, int folder, const char *name)
{
	return xc_cli_lines_each(folder, name, use_line, user);
}

static int remove_other(void *user, int folder, const char *name)
{
	(void)user;
	return strcmp(name, first) ? unlinkat(folder, name, 0) : 0;
}

static int merge(merging *m, int folder)
{
	int status = xc_cli_entries_each(folder, XC_CLI_MANIFEST_PREFIX, merge_one, m);

	if (!status)
		status = write_lines(m);
	if (!status)
		status = fsync(m->file);
	if (!status)
		status = renameat(folder, merged, folder, first);
	if (!status)
		status = xc_cli_entries_each(folder, XC_CLI_MANIFEST_PREFIX, remove_other, NULL);
	return status;
}

static int merge_in(const char *path, int folder)
{
	merging m = {.file = openat(folder, merged,
	                            O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)};
	int status = m.file < 0 ? -1 : merge(&m, folder);
	const int error = errno;

	if (m.file >= 0)
		close(m.file);
	xc_cli_names_free(&m.known);
	free(m.lines.data);
	free(m.options);
	if (!status)
		return 0;
	if (status == OTHER_OPTIONS)
		return xc_cli_error(path, "has manifests of runs with different options");
	return xc_cli_error(path, "the manifests cannot be merged: %s",
	                    strerror(status == NO_MEMORY ? ENOMEM : error));
}

int xc_cli_manifest_merge(const char *path)
{
	const size_t size = strlen(path) + sizeof XC_CLI_MANIFEST_FOLDER + 1;
	char *name = malloc(size);

	if (!name)
		return xc_cli_error(path, "out of memory");
	snprintf(name, size, "%s/" XC_CLI_MANIFEST_FOLDER, path);
	const int there = access(name, F_OK) == 0;
	free(name);
	if (!there)
		return xc_cli_error(path, "has no manifest of an earlier run");
	/* Nobody else works there while rank 0's is open. */
	xc_cli_manifest *held = xc_cli_manifest_open(path, 0, "");
	if (!held)
		return -1;
	const int failed = merge_in(path, xc_cli_manifest_folder(held));
	xc_cli_manifest_close(held);
	return failed;
}
