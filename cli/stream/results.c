/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* O_PATH, FNM_CASEFOLD */
#endif

#include "cli/stream/results.h"

#include "cli/base/report.h"
#include "formats/array/array.h"
#include "formats/formats.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#ifndef O_PATH
#define O_PATH O_RDONLY
#endif
#ifndef FNM_CASEFOLD
#define FNM_CASEFOLD 0
#endif

const char *xc_cli_globs_parse(const char *text, void *globs)
{
	xc_cli_globs *g = globs;

	if (g->count == XC_CLI_GLOBS)
		return "one of at most 64 patterns";
	g->glob[g->count++] = text;
	return NULL;
}

int xc_cli_globs_match(const xc_cli_globs *g, const char *name)
{
	const char *last = xc_cli_base_name(name);
	int matched = 0;

	for (int i = 0; i < g->count && !matched; i++)
		matched = !fnmatch(g->glob[i], name, FNM_CASEFOLD) ||
		          !fnmatch(g->glob[i], last, FNM_CASEFOLD);
	return matched || (g->takes && !xc_cli_is_shard(last) && !g->takes(g->user, last));
}

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

int xc_cli_is_shard(const char *path)
{
	return shard_stem(xc_cli_base_name(path)) != 0;
}

const char *xc_cli_suffix_of_file(xc_cli_suffix_of of, const char *path, const char *usual)
{
	uint8_t start[XC_CLI_START];
	const int file = of ? xc_cli_open_regular(AT_FDCWD, path, O_RDONLY) : -1;
	const ssize_t got = file < 0 ? 0 : pread(file, start, sizeof start, 0);
	const char *own = got > 0 ? of(start, (size_t)got) : NULL;

	if (file >= 0)
		close(file);
	return own ? own : usual;
}

const char *xc_cli_two_results(xc_cli_naming naming)
{
	return naming >= XC_CLI_NAMING_KEEP_FILES
	           ? "(another DIR keeps both)"
	           : "(--keep-suffix keeps both if their suffixes differ, another DIR always)";
}

static int ends_in(const char *base, size_t length, const char *suffix)
{
	const size_t size = strlen(suffix);

	return length > size && !strncasecmp(base + length - size, suffix, size);
}

/* The length of a name without its last suffix, of at most `length` bytes. a.nii.gz has one suffix. */
static size_t stem_of(const char *base, size_t length)
{
	size_t at = length;

	if (ends_in(base, length, ".nii.gz") || ends_in(base, length, ".npy.gz"))
		return length - 7;
	while (at > 1 && base[at - 1] != '.')
		at--;
	return at > 1 ? at - 1 : length;
}

const char xc_cli_as_it_was[] = ".jpg";

/* Whether a name of `length` bytes ends in a suffix of that format, as ".JPEG" is one of ".jpg"; no file of bits is one
 * of ".pgm". */
static int has_suffix_of(const char *base, size_t length, const char *suffix)
{
	const size_t stem = stem_of(base, length);
	char own[16], wanted[16];

	if (ends_in(base, length, suffix))
		return 1;
	if (length - stem < 2 || length - stem > 8)
		return 0;
	snprintf(own, sizeof own, "x%.*s", (int)(length - stem), base + stem);
	snprintf(wanted, sizeof wanted, "x%.12s", suffix);
	const xc_file_format format = xc_file_format_to_read(own);
	if (suffix == xc_cli_as_it_was && (format != XC_FILE_UNKNOWN || xc_array_file_is_read(own, 0)))
		return 1;
	return format != XC_FILE_UNKNOWN && format == xc_file_format_by_path(wanted) &&
	       (!xc_format_of(format)->family || format == xc_file_format_by_path(own));
}

char *xc_cli_result_path(const char *folder, const char *name, const char *suffix,
                         xc_cli_naming naming)
{
	const char *base = xc_cli_base_name(name);
	const size_t shard = shard_stem(base), whole = strlen(base);
	const int keep = naming == XC_CLI_NAMING_KEEP ? !shard || strcasecmp(base + shard, ".tar") != 0
	                                              : naming == XC_CLI_NAMING_KEEP_FILES && !shard;
	const size_t own = shard ? shard : stem_of(base, whole);
	const size_t stem = keep ? whole : own;
	const size_t kept = (size_t)(base - name) + stem, front = folder ? strlen(folder) : 0;
	const char *between = front && folder[front - 1] != '/' ? "/" : "";

	if (suffix && !shard && !keep && strcasecmp(suffix, ".xc") && !strcasecmp(base + own, ".xc") &&
	    has_suffix_of(base, own, suffix))
		suffix = "";
	if (!suffix)
		return xc_cli_text(name, "%s%s%s", front ? folder : "", between, name);
	return xc_cli_text(name, "%s%s%.*s%s", front ? folder : "", between, (int)kept, name,
	                   shard ? ".tar" : suffix);
}

xc_cli_way xc_cli_way_of(const xc_cli_globs *copied, const char *name)
{
	const char *base = xc_cli_base_name(name);
	const size_t length = strlen(base);

	if (xc_cli_globs_match(copied, name))
		return copied->wraps > 0 && ends_in(base, length, ".xc") ? XC_CLI_WRAPPED : XC_CLI_COPY;
	if (copied->wraps < 0 && ends_in(base, length, ".xc.xc"))
		return XC_CLI_UNWRAPPED;
	return xc_cli_is_shard(base) ? XC_CLI_SHARD : XC_CLI_WORK;
}

char *xc_cli_result_name(const char *folder, const char *name, xc_cli_way way, const char *suffix,
                         xc_cli_naming naming)
{
	if (way == XC_CLI_COPY)
		return xc_cli_result_path(folder, name, NULL, naming);
	if (way == XC_CLI_WRAPPED)
		return xc_cli_result_path(folder, name, ".xc", XC_CLI_NAMING_KEEP);
	return way == XC_CLI_UNWRAPPED ? xc_cli_result_path(folder, name, "", XC_CLI_NAMING_REPLACE)
	                               : xc_cli_result_path(folder, name, suffix, naming);
}

void xc_cli_results_begin(xc_cli_results *r, const char *root, int temporary)
{
	struct stat status;

	*r = (xc_cli_results){.root = root, .temporary = temporary, .into = {.folder = -1}};
	if (temporary >= 0 && fstat(temporary, &status))
		r->temporary = -1;
	else if (temporary >= 0)
		r->device = status.st_dev;
}

void xc_cli_results_end(xc_cli_results *r)
{
	if (r->into.folder >= 0)
		close(r->into.folder);
	r->into.folder = -1;
	free(r->path);
	r->path = NULL;
}

static int open_folder(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Permissions of a folder whose input's has the first `length` bytes of this path. */
static mode_t mode_of(const char *input, size_t length)
{
	char *folder = strndup(input, length);
	struct stat status;
	const int found = folder && length <= strlen(input) && !stat(folder, &status) &&
	                  S_ISDIR(status.st_mode);

	free(folder);
	return found ? (status.st_mode & 0777) | 0700 : 0777;
}

/* Makes each folder of the path below the root; another process may do the same: 0,
 * or -1 with errno. */
static int make_folders(const xc_cli_results *r, char *path, const char *input, size_t name)
{
	size_t at = strlen(r->root);

	while (path[at] == '/')
		at++;
	const size_t begin = at;
	for (char *end = path + at; end;) {
		end = strchr(end + 1, '/');
		if (end)
			*end = '\0';
		const mode_t mode = mode_of(input, name + strlen(path) - begin);
		const int failed = mkdir(path, mode) && errno != EEXIST;
		if (end)
			*end = '/';
		if (failed)
			return -1;
	}
	return 0;
}

static int open_folders(xc_cli_results *r, const char *input, size_t name)
{
	xc_cli_folder *into = &r->into;
	struct stat status;
	const mode_t usual = into->usual;

	into->folder = open_folder(r->path);
	if (into->folder < 0 && errno == ENOENT && !make_folders(r, r->path, input, name))
		into->folder = open_folder(r->path);
	if (into->folder < 0)
		return xc_cli_error(r->path, "cannot take the results: %s", strerror(errno));
	/* A file can only be renamed within its file system. */
	const int beside = r->temporary < 0 || fstat(into->folder, &status) ||
	                   status.st_dev != r->device;
	const int same = !beside && into->temporary == r->temporary;
	into->temporary = beside ? into->folder : r->temporary;
	into->usual = same ? usual : XC_CLI_MODE_UNKNOWN;
	return 0;
}

int xc_cli_results_enter(xc_cli_results *r, const char *path, const char *input, size_t name)
{
	const size_t length = (size_t)(xc_cli_base_name(path) - path);

	if (r->path && !strncmp(r->path, path, length) && !r->path[length])
		return 0;
	xc_cli_results_end(r);
	r->path = strndup(length ? path : "./", length ? length : 2);
	if (!r->path)
		return xc_cli_error(path, "out of memory");
	if (!open_folders(r, input, name))
		return 0;
	const int error = errno;
	xc_cli_results_end(r);
	errno = error;
	return -1;
}

/* FNV-1a, whose low bits choose the slot after all bits were mixed into them. */
uint64_t xc_cli_names_hash(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	h ^= h >> 29;
	return h ? h : 1;
}

/* The slot that has the hash, or a free one; at most 3 of 4 slots are used. */
static struct xc_cli_name *find(const xc_cli_names *n, uint64_t hash)
{
	size_t i = (size_t)hash & (n->slots - 1);

	while (n->slot[i].hash && n->slot[i].hash != hash)
		i = (i + 1) & (n->slots - 1);
	return &n->slot[i];
}

static int grow(xc_cli_names *n)
{
	xc_cli_names larger = {NULL, n->slots ? 2 * n->slots : 1024, n->used};

	larger.slot = calloc(larger.slots, sizeof *larger.slot);
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < n->slots; i++)
		if (n->slot[i].hash)
			*find(&larger, n->slot[i].hash) = n->slot[i];
	free(n->slot);
	*n = larger;
	return 0;
}

uint64_t *xc_cli_names_value(xc_cli_names *n, const char *name)
{
	if (4 * (n->used + 1) > 3 * n->slots && grow(n))
		return NULL;
	const uint64_t hash = xc_cli_names_hash(name);
	struct xc_cli_name *slot = find(n, hash);

	n->used += !slot->hash;
	slot->hash = hash;
	return &slot->value;
}

int xc_cli_names_add(xc_cli_names *n, const char *name)
{
	uint64_t *value = xc_cli_names_value(n, name);
	const int is_new = value && !*value;

	if (value)
		*value = 1;
	return value ? is_new : -1;
}

void xc_cli_names_free(xc_cli_names *n)
{
	free(n->slot);
	*n = (xc_cli_names){.slot = NULL};
}
