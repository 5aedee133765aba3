/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH */
#endif

#include "cli/stream/results.h"

#include "cli/base/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif

/* ------------------------------------------------------------------------ names */

/* The length of a name without the suffix of a shard; 0: it has none. */
static size_t shard_stem(const char *name)
{
	static const char *const suffixes[] = {".tar",     ".tar.gz",  ".tgz",     ".tar.bz2",
	                                       ".tbz2",    ".tar.xz",  ".txz",     ".tzst",
	                                       ".tar.zst", ".tar.lz4", ".tar.lzma"};
	const size_t length = strlen(name);

	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		const size_t size = strlen(suffixes[i]);

		if (length > size && !strcasecmp(name + length - size, suffixes[i]))
			return length - size;
	}
	return 0;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int xc_cli_is_shard(const char *path)
{
	return shard_stem(last_component(path)) != 0;
}

char *xc_cli_result_path(const char *folder, const char *name, const char *suffix, int keep_suffix)
{
	const char *base = last_component(name), *dot = strrchr(base, '.');
	const size_t shard = shard_stem(base), whole = strlen(base);
	const int keep = keep_suffix && !(shard && !strcasecmp(base + shard, ".tar"));
	const size_t own = shard ? shard : dot && dot != base ? (size_t)(dot - base) : whole;
	const size_t stem = keep ? whole : own;
	const size_t kept = (size_t)(base - name) + stem, front = folder ? strlen(folder) : 0;
	const char *between = front && folder[front - 1] != '/' ? "/" : "";
	const size_t size = front + 1 + kept + (shard ? 4 : strlen(suffix)) + 1;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%.*s%s", front ? folder : "", between, (int)kept, name,
		         shard ? ".tar" : suffix);
	else
		xc_cli_error(name, "out of memory");
	return path;
}

/* ---------------------------------------------------------------------- folders */

void xc_cli_results_begin(xc_cli_results *r, const char *root, int temporary)
{
	struct stat status;

	*r = (xc_cli_results){.root = root, .temporary = temporary, .place = {.folder = -1}};
	if (temporary >= 0 && fstat(temporary, &status))
		r->temporary = -1;
	else if (temporary >= 0)
		r->device = status.st_dev;
}

void xc_cli_results_end(xc_cli_results *r)
{
	if (r->place.folder >= 0)
		close(r->place.folder);
	r->place.folder = -1;
	free(r->path);
	r->path = NULL;
}

static int open_folder(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Makes each folder of the path below the root; another process may do the same: 0, or -1 with errno. */
static int make_folders(const xc_cli_results *r, char *path)
{
	size_t at = strlen(r->root);

	while (path[at] == '/')
		at++;
	for (char *end = path + at; end;) {
		end = strchr(end + 1, '/');
		if (end)
			*end = '\0';
		const int failed = mkdir(path, 0777) && errno != EEXIST;
		if (end)
			*end = '/';
		if (failed)
			return -1;
	}
	return 0;
}

static int open_place(xc_cli_results *r)
{
	xc_cli_place *place = &r->place;
	struct stat status;
	const mode_t usual = place->usual;

	place->folder = open_folder(r->path);
	if (place->folder < 0 && errno == ENOENT && !make_folders(r, r->path))
		place->folder = open_folder(r->path);
	if (place->folder < 0)
		return xc_cli_error(r->path, "cannot take the results: %s", strerror(errno));
	/* A file can only be renamed within its file system. */
	const int beside = r->temporary < 0 || fstat(place->folder, &status) ||
	                   status.st_dev != r->device;
	const int same = !beside && place->temporary == r->temporary;
	place->temporary = beside ? place->folder : r->temporary;
	place->usual = same ? usual : XC_CLI_MODE_UNKNOWN;
	return 0;
}

int xc_cli_results_enter(xc_cli_results *r, const char *path)
{
	const size_t length = (size_t)(last_component(path) - path);

	if (r->path && !strncmp(r->path, path, length) && !r->path[length])
		return 0;
	xc_cli_results_end(r);
	r->path = strndup(length ? path : "./", length ? length : 2);
	if (!r->path)
		return xc_cli_error(path, "out of memory");
	if (!open_place(r))
		return 0;
	xc_cli_results_end(r);
	return -1;
}
