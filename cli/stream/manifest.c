/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syncfs() */
#endif

#include "cli/stream/manifest.h"

#include "cli/base/clock.h"
#include "cli/base/io.h"
#include "cli/base/report.h"
#include "src/core/crc32c.h"
#include "cli/stream/results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -------------------------------------------------------------- lines and entries */

#define MANIFEST_PREFIX "manifest."

/* Checksum, mark, every byte of three paths escaped, newline, zero. */
enum { CHECKSUM = 8, LINE = CHECKSUM + 1 + 2 * 3 * PATH_MAX + 4 };

/* What a caller does with a line, whose missing texts are empty, or with a file: 0 to go on. */
typedef int (*line_use)(void *user, char mark, char *const text[3]);
typedef int (*entry_use)(void *user, int folder, const char *name);

/* Lines that are to be written. */
typedef struct lines {
	char *data;
	size_t size, room;
} lines;

/* Longer lines may be what a loss of power left, but are not read to their end. */
enum { MAX_SKIPPED = 1 << 20 };

static uint32_t checksum(const char *line, size_t size)
{
	return xc_crc32c(0, line + CHECKSUM, size - CHECKSUM);
}

/* Writes a line with its newline and a final zero; returns its length. The texts, up to a NULL,
 * stand between tabs; what is too long is cut. */
static size_t make_line(char line[LINE], char mark, const char *const text[3])
{
	char *p = line + CHECKSUM, digits[CHECKSUM + 1];

	*p++ = mark;
	for (int i = 0; i < 3 && text[i]; i++) {
		if (i)
			*p++ = '\t';
		for (const char *c = text[i]; *c && p < line + LINE - 6; c++) {
			if (*c == '\\' || *c == '\n' || *c == '\t')
				*p++ = '\\';
			*p++ = *c == '\n' ? 'n' : *c == '\t' ? 't' : *c;
		}
	}
	const size_t size = (size_t)(p - line);
	snprintf(digits, sizeof digits, "%08x", (unsigned)checksum(line, size));
	memcpy(line, digits, CHECKSUM);
	line[size] = '\n';
	line[size + 1] = '\0';
	return size + 1;
}

/* Turns a line, of `size` bytes and a zero, into its texts, in place: the mark, or 0 if the
 * checksum is wrong. */
static char read_line(char *line, size_t size, char *text[3])
{
	char *to = line, *end;
	int texts = 0;

	if (size <= CHECKSUM || memchr(line, '\0', size))
		return 0;
	const char mark = line[CHECKSUM];
	const uint32_t found = checksum(line, size);
	line[CHECKSUM] = '\0';
	if (strtoul(line, &end, 16) != found || end != line + CHECKSUM)
		return 0;
	text[texts++] = to;
	for (const char *p = line + CHECKSUM + 1; *p; p++) {
		const int escaped = *p == '\\' && p[1];

		p += escaped;
		if (*p == '\t' && texts < 3) {
			*to++ = '\0';
			text[texts++] = to;
		} else {
			*to++ = !escaped ? *p : *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
		}
	}
	*to = '\0';
	while (texts < 3)
		text[texts++] = to;
	return mark;
}

/* Reads a line without its end: its length, 0 if it has more than `room` bytes, -1 at
 * the end of the file. */
static ptrdiff_t next_line(FILE *f, char *line, size_t room)
{
	size_t n = 0;
	int c;

	while ((c = getc_unlocked(f)) != EOF && c != '\n') {
		if (n < room)
			line[n] = (char)c;
		if (++n == MAX_SKIPPED) {
			errno = EFBIG;
			return -2;
		}
	}
	return c == EOF ? -1 - (ferror(f) != 0) : n > room ? 0 : (ptrdiff_t)n;
}

/* Calls `use` with each line of a file whose checksum is right, until that returns another
 * number, which is returned. -1 with errno: the file cannot be read, or holds a line far longer
 * than any of ours. */
static int each_line(int folder, const char *name, line_use use, void *user)
{
	const int file = xc_cli_open_regular(folder, name, O_RDONLY | O_NOFOLLOW);
	FILE *f = file < 0 ? NULL : fdopen(file, "r");
	char line[LINE], *text[3];
	ptrdiff_t size;
	int status = 0;

	if (!f) {
		if (file >= 0)
			close(file);
		return -1;
	}
	while (!status && (size = next_line(f, line, sizeof line - 1)) != -1) {
		line[size < 0 ? 0 : size] = '\0';
		const char mark = size < 0 ? 0 : read_line(line, (size_t)size, text);
		status = size < 0 ? -1 : mark ? use(user, mark, text) : 0;
	}
	const int error = errno;
	fclose(f);
	errno = error;
	return status;
}

/* Likewise with each file of a folder whose name begins so. */
static int each_entry(int folder, const char *prefix, entry_use use, void *user)
{
	const int own = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = own < 0 ? NULL : fdopendir(own);
	const struct dirent *entry;
	int status = 0;

	if (!entries) {
		if (own >= 0)
			close(own);
		return -1;
	}
	while (!status && (entry = readdir(entries)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			status = use(user, folder, entry->d_name);
	closedir(entries);
	return status;
}

/* 0, or -1: out of memory. */
static int add_lines(lines *t, const char *data, size_t size)
{
	if (size > t->room - t->size) {
		const size_t room = 2 * (t->room + size) + 1000;
		char *larger = realloc(t->data, room);

		if (!larger)
			return -1;
		t->data = larger;
		t->room = room;
	}
	memcpy(t->data + t->size, data, size);
	t->size += size;
	return 0;
}

/* 0, or -1 with errno. */
static int write_lines(int file, const char *data, size_t size)
{
	while (size) {
		const ssize_t put = write(file, data, size);

		if (put < 0 && errno != EINTR)
			return -1;
		if (put > 0) {
			data += put;
			size -= (size_t)put;
		}
	}
	return 0;
}

/* The value of a result: a state, 29 bits of the hash of what its line ends in (0: nothing), 32 of the hash of its
 * input. So one of 5 * 10^8 changes is missed. */
enum { TAKEN = 1, BEGUN, DONE, BAD, AGAIN, STATE = 7 };
static const uint64_t stamp_bits = UINT64_C(0xfffffff8);

/* An array with room for one more than n items, whose room is a power of two;
 * NULL: out of memory. */
#define GROWN(array, n) \
	((n) & ((n)-1) ? (array) : realloc(array, 2 * ((n) + !(n)) * sizeof *(array)))

static uint64_t input_of(const char *input)
{
	return xc_cli_names_hash(input) & ~(stamp_bits | STATE);
}

static uint64_t stamp_of(const char *stamp)
{
	const uint64_t bits = *stamp ? xc_cli_names_hash(stamp) >> 32 & stamp_bits : 0;

	return *stamp && !bits ? stamp_bits : bits;
}

static int add_bad(xc_cli_claims *c, uint64_t input, const char *note)
{
	struct xc_cli_bad *more = GROWN(c->bad, c->bad_count);
	char *copy = more ? strdup(note) : NULL;

	if (more)
		c->bad = more;
	if (!copy)
		return -1;
	c->bad[c->bad_count++] = (struct xc_cli_bad){input, copy};
	return 0;
}

static uint64_t state_of(char mark, const char *note)
{
	if (mark == XC_CLI_LINE_BEGUN)
		return BEGUN;
	return mark == XC_CLI_LINE_DONE ? DONE : *note ? BAD : AGAIN;
}

static int note_claim(xc_cli_claims *c, char mark, char *const text[3])
{
	const uint64_t input = input_of(text[1]), state = state_of(mark, text[2]);
	uint64_t *value = xc_cli_names_value(&c->results, text[0]);

	if (!value || (state == BAD && add_bad(c, xc_cli_names_hash(text[1]), text[2])))
		return -1;
	/* What was finished once stays so: the new result takes its place when it is complete. */
	if (state == BEGUN && *value && (*value & ~(stamp_bits | STATE)) == input)
		return 0;
	*value = input | state | (state == BEGUN || state == DONE ? stamp_of(text[2]) : 0);
	return 0;
}

/* ------------------------------------------------------------------------ inputs */

/* The name by which manifests know an input, to be freed.  NULL: out of memory. */
static char *name_input(xc_cli_claims *c, const xc_cli_item *item)
{
	const size_t length = item->name, rest = strlen(item->path + length);

	if (!c->root || strncmp(c->root, item->path, length) || c->root[length]) {
		free(c->root);
		free(c->real);
		c->root = strndup(item->path, length);
		c->real = c->root ? realpath(length ? c->root : ".", NULL) : NULL;
		if (c->root && !c->real)
			c->real = strdup(c->root);
	}
	char *name = c->real ? malloc(strlen(c->real) + rest + 2) : NULL;
	if (name)
		sprintf(name, "%s/%s", strcmp(c->real, "/") ? c->real : "", item->path + length);
	return name;
}

int xc_cli_claims_stamp(char stamp[XC_CLI_STAMP], const struct stat *status, const char *result,
                        const char *kept)
{
	struct stat there;
	const int n = snprintf(stamp, XC_CLI_STAMP, "%lld %lld.%09ld ", (long long)status->st_size,
	                       (long long)status->st_mtim.tv_sec, (long)status->st_mtim.tv_nsec);

	if (!result)
		return 0;
	if (stat(result, &there) && (!kept || stat(kept, &there)))
		return -1;
	snprintf(stamp + n, (size_t)(XC_CLI_STAMP - n), "%lld", (long long)there.st_size);
	return there.st_size ? 0 : -1;
}

/* Whether input and result are as the manifest has them, and the result is there if it was finished. An input that
 * is gone, as --delete-after-verify leaves none, has not changed since. */
static int is_current(const xc_cli_claims *c, const xc_cli_item *item, uint64_t value,
                      const char *result)
{
	const uint64_t state = value & STATE, noted = value & stamp_bits;
	char stamp[XC_CLI_STAMP];
	struct stat status = {.st_size = 0};
	const int found = !stat(item->path, &status);

	if (!found && (errno != ENOENT || state == BEGUN))
		return 0;
	char *path = xc_cli_result_path(c->folder, result, NULL, XC_CLI_NAMING_REPLACE);
	char *kept = xc_cli_result_path(c->folder, item->path + item->name, NULL,
	                                XC_CLI_NAMING_REPLACE);
	const int there = path && kept &&
	                  !xc_cli_claims_stamp(stamp, &status, state == BEGUN ? NULL : path, kept);
	free(path);
	free(kept);
	return there && (!found || !noted || noted == stamp_of(stamp));
}

/* Tells again what failed in a shard that has not changed: 1, or 0 if it is to be tried again. */
static int tell_bad(const xc_cli_claims *c, const xc_cli_item *item, uint64_t input)
{
	char stamp[XC_CLI_STAMP];
	struct stat status;
	size_t i = c->bad_count;

	while (i && c->bad[i - 1].input != input)
		i--;
	if (!i || c->force || stat(item->path, &status))
		return 0;
	xc_cli_claims_stamp(stamp, &status, NULL, NULL);
	if (strncmp(c->bad[i - 1].note, stamp, strlen(stamp)))
		return 0;
	xc_cli_error(item->path, "%s (an earlier run; --force tries again, and so does a change)",
	             c->bad[i - 1].note + strlen(stamp));
	return 1;
}

/* What to do with an input, and whose its result is. */
static xc_cli_claim decide(xc_cli_claims *c, xc_cli_item *item, uint64_t *value, const char *result)
{
	const uint64_t input = input_of(item->input), state = *value & STATE;
	const int same = (*value & ~(stamp_bits | STATE)) == input;

	/* --force is about files of before, not about the results of this run. */
	if (state == TAKEN && !same) {
		xc_cli_error(item->path, "another input has the same result, %s %s", result,
		             xc_cli_two_results(c->naming));
		return XC_CLI_REFUSE;
	}
	const int current = same && (state == BEGUN || state == DONE) &&
	                    is_current(c, item, *value, result);
	item->whose = !state                                                   ? XC_CLI_NOBODYS
	              : !same                                                  ? XC_CLI_OTHERS
	              : state == BEGUN && current && item->way != XC_CLI_SHARD ? XC_CLI_OWN
	                                                                       : XC_CLI_OWN_AGAIN;
	if (!state || same || c->force || c->skip_existing)
		*value = input | TAKEN;
	if (same && state == BAD && tell_bad(c, item, xc_cli_names_hash(item->input)))
		return XC_CLI_REFUSE;
	return same && (state == TAKEN || (state == DONE && current)) ? XC_CLI_SKIP : XC_CLI_GIVE;
}

static char *name_result(const xc_cli_claims *c, const xc_cli_item *item)
{
	return xc_cli_result_name(NULL, item->path + item->name, item->way,
	                          xc_cli_suffix_of_file(c->suffix_of, item->path, c->suffix),
	                          c->naming);
}

xc_cli_claim xc_cli_claims_take(void *claims, xc_cli_item *item)
{
	xc_cli_claims *c = claims;
	char *result = name_result(c, item);
	uint64_t *value = result ? xc_cli_names_value(&c->results, result) : NULL;

	item->input = value ? name_input(c, item) : NULL;
	const xc_cli_claim claim = item->input ? decide(c, item, value, result) : XC_CLI_REFUSE;
	if (!item->input)
		xc_cli_error(item->path, "out of memory");
	free(result);
	return claim;
}

void xc_cli_claims_free(xc_cli_claims *c)
{
	xc_cli_names_free(&c->results);
	for (size_t i = 0; i < c->bad_count; i++)
		free(c->bad[i].note);
	free(c->bad);
	free(c->root);
	free(c->real);
	*c = (xc_cli_claims){.suffix = c->suffix,
	                     .suffix_of = c->suffix_of,
	                     .naming = c->naming,
	                     .skip_existing = c->skip_existing,
	                     .folder = c->folder,
	                     .force = c->force};
}

static const char temporary_prefix[] = "temporary.";

/* When names are written: not more often, since the disk must have all results then, and
 * before they take much memory. The results of names that a killed run has not written are
 * there nevertheless. */
static const double interval = 1; /* seconds */
enum { NOTED = 1 << 16 };         /* names */

struct xc_cli_manifest {
	char *path, *options;
	int folder; /* ".xcodec" */
	int file, temporary;
	pthread_mutex_t lock; /* guards what follows */
	int begun;            /* the file has the options, and ends with a line's end */
	lines noted;          /* lines that are not written yet */
	int names;            /* in there */
	double written;
	int writing; /* a thread is about that */
	int failed;
};

static int fail(const xc_cli_manifest *m, const char *what)
{
	return xc_cli_error(m->path, "%s: %s", what, xc_cli_open_failure());
}

/* ------------------------------------------------------------------ open, close */

static void release(xc_cli_manifest *m)
{
	const int files[] = {m->folder, m->file, m->temporary};

	for (int i = 0; i < 3; i++)
		if (files[i] >= 0)
			close(files[i]);
	pthread_mutex_destroy(&m->lock);
	free(m->noted.data);
	free(m->path);
	free(m->options);
	free(m);
}

static int make_folder(int parent, const char *name)
{
	if (mkdirat(parent, name, 0777) && errno != EEXIST)
		return -1;
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* A lock of the open file, where there are such: a lock of the process would end when
 * the file is read. */
#ifdef F_OFD_SETLK
enum { LOCK = F_OFD_SETLK };
#else
enum { LOCK = F_SETLK };
#endif

/* The lock ends with the process, and holds between machines where the file
 * system has such locks. */
static int lock(int file)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(file, LOCK, &whole) && (errno == EAGAIN || errno == EACCES) ? -1 : 0;
}

static int open_files(xc_cli_manifest *m, const char *folder, int rank)
{
	char name[64];
	const int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	m->folder = root < 0 ? -1 : make_folder(root, XC_CLI_MANIFEST_FOLDER);
	if (root >= 0)
		close(root);
	if (m->folder < 0)
		return fail(m, "cannot be made");
	snprintf(name, sizeof name, MANIFEST_PREFIX "%d", rank);
	m->file = xc_cli_open_regular(m->folder, name, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW);
	if (m->file < 0)
		return fail(m, "cannot be opened");
	if (lock(m->file))
		return xc_cli_error(m->path, "another run works on this folder");
	snprintf(name, sizeof name, "%s%d", temporary_prefix, rank);
	m->temporary = make_folder(m->folder, name);
	return m->temporary < 0 ? fail(m, "its folder for temporary files cannot be made") : 0;
}

xc_cli_manifest *xc_cli_manifest_open(const char *folder, int rank, const char *options)
{
	xc_cli_manifest *m = calloc(1, sizeof *m);

	if (!m) {
		xc_cli_error(folder, "out of memory");
		return NULL;
	}
	m->folder = m->file = m->temporary = -1;
	pthread_mutex_init(&m->lock, NULL);
	m->path = xc_cli_text(folder, "%s/" XC_CLI_MANIFEST_FOLDER "/" MANIFEST_PREFIX "%d", folder,
	                      rank);
	m->options = xc_cli_text(folder, "%s", options);
	m->written = xc_cli_seconds();
	if (m->path && m->options && !open_files(m, folder, rank))
		return m;
	release(m);
	return NULL;
}

int xc_cli_manifest_temporary(const xc_cli_manifest *m)
{
	return m->temporary;
}

/* ------------------------------------------------------------------ at the start */

typedef struct reading {
	const char *options;
	xc_cli_claims *claims;
	char name[64]; /* of the manifest that is being read */
} reading;

enum { OTHER_OPTIONS = 1, NO_MEMORY = 2 };

static int use_line(void *user, char mark, char *const text[3])
{
	const reading *r = user;

	if (mark == XC_CLI_LINE_OPTIONS)
		return strcmp(*text, r->options) ? OTHER_OPTIONS : 0;
	return note_claim(r->claims, mark, text) ? NO_MEMORY : 0;
}

static int read_one(void *user, int folder, const char *name)
{
	reading *r = user;

	snprintf(r->name, sizeof r->name, "%.63s", name);
	return each_line(folder, name, use_line, user);
}

static int empty_one(void *user, int folder, const char *name)
{
	const int file = xc_cli_open_regular(folder, name, O_WRONLY | O_TRUNC | O_NOFOLLOW);

	(void)user;
	return file < 0 || close(file) ? -1 : 0;
}

static int remove_one(void *user, int folder, const char *name)
{
	(void)user;
	return unlinkat(folder, name, 0) && errno != ENOENT ? -1 : 0;
}

static int clear_one(void *user, int folder, const char *name)
{
	const int below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const int status = below < 0 ? -1 : each_entry(below, ".xcodec-", remove_one, user);

	if (below >= 0)
		close(below);
	return status;
}

int xc_cli_manifest_read(xc_cli_manifest *m, int force, xc_cli_claims *claims)
{
	reading r = {m->options, claims, ""};

	if (each_entry(m->folder, temporary_prefix, clear_one, NULL))
		return fail(m, "what an earlier run left cannot be removed");
	const int status = each_entry(m->folder, MANIFEST_PREFIX, read_one, &r);
	if (!status)
		return 0;
	if (status == NO_MEMORY)
		return xc_cli_error(m->path, "out of memory");
	if (status != OTHER_OPTIONS)
		return xc_cli_error(m->path, "cannot be read on in %s: %s", r.name, xc_cli_open_failure());
	if (!force)
		return xc_cli_error(m->path, "is of a run with other options (--force begins anew; "
		                             "--skip-existing without --resume goes on)");
	xc_cli_claims_free(claims);
	return each_entry(m->folder, MANIFEST_PREFIX, empty_one, NULL) ? fail(m, "cannot be emptied")
	                                                               : 0;
}

/* ------------------------------------------------------------------------ notes */

/* The options, if the manifest is empty; else an end for a last line that was cut off.
 * The lock is held. */
static int write_begin(xc_cli_manifest *m)
{
	const char *const text[3] = {m->options};
	char line[LINE], last;
	struct stat status;

	if (m->begun)
		return 0;
	if (fstat(m->file, &status))
		return -1;
	m->begun = 1;
	if (!status.st_size && !*m->options) /* others are merged into it */
		return 0;
	if (!status.st_size)
		return write_lines(m->file, line, make_line(line, XC_CLI_LINE_OPTIONS, text));
	return pread(m->file, &last, 1, status.st_size - 1) == 1 && last == '\n'
	           ? 0
	           : write_lines(m->file, "\n", 1);
}

/* First the results must be on the disk: all of the file system's, since one call for each
 * result takes longer. */
static int write_notes(const xc_cli_manifest *m, const lines *notes)
{
#ifdef __linux__
	const int synced = syncfs(m->folder);
#else
	const int synced = 0;
	sync();
#endif
	return synced || write_lines(m->file, notes->data, notes->size) || fsync(m->file) ? -1 : 0;
}

/* Writes all that was noted; the lock is held, but not meanwhile. */
static void write_now(xc_cli_manifest *m)
{
	lines notes = m->noted;
	int failed = write_begin(m);

	m->writing = 1;
	m->noted = (lines){NULL, 0, 0};
	m->names = 0;
	pthread_mutex_unlock(&m->lock);
	failed = write_notes(m, &notes) || failed;
	if (failed)
		fail(m, "cannot be written");
	free(notes.data);
	pthread_mutex_lock(&m->lock);
	m->writing = 0;
	m->failed |= failed;
	m->written = xc_cli_seconds();
}

int xc_cli_manifest_begin(xc_cli_manifest *m, const char *result, const char *input,
                          const char *stamp, int sync)
{
	const char *const text[3] = {result, input, stamp};
	char line[LINE];
	const size_t size = make_line(line, XC_CLI_LINE_BEGUN, text);

	pthread_mutex_lock(&m->lock);
	const int failed = write_begin(m);
	pthread_mutex_unlock(&m->lock);
	return failed || write_lines(m->file, line, size) || (sync && fsync(m->file))
	           ? fail(m, "cannot be written")
	           : 0;
}

void xc_cli_manifest_add(xc_cli_manifest *m, char mark, const char *result, const char *input,
                         const char *note)
{
	const char *const text[3] = {result, input, note};
	char line[LINE];
	const size_t size = make_line(line, mark, text);

	pthread_mutex_lock(&m->lock);
	if (add_lines(&m->noted, line, size))
		m->failed = 1;
	else
		m->names++;
	if (!m->writing && (m->names >= NOTED || xc_cli_seconds() - m->written >= interval))
		write_now(m);
	pthread_mutex_unlock(&m->lock);
}

int xc_cli_manifest_close(xc_cli_manifest *m)
{
	if (!m)
		return 0;
	pthread_mutex_lock(&m->lock);
	if (m->noted.size)
		write_now(m);
	pthread_mutex_unlock(&m->lock);
	const int failed = m->failed;
	release(m);
	return failed ? -1 : 0;
}

static int take_line(void *user, char mark, char *const text[3])
{
	const xc_cli_manifest *m = user;
	const char *const all[3] = {text[0], *text[1] ? text[1] : NULL, *text[2] ? text[2] : NULL};
	char line[LINE];

	return write_lines(m->file, line, make_line(line, mark, all));
}

static int take_one(void *user, int folder, const char *name)
{
	return strcmp(name, MANIFEST_PREFIX "0") ? each_line(folder, name, take_line, user) : 0;
}

static int remove_other(void *user, int folder, const char *name)
{
	return strcmp(name, MANIFEST_PREFIX "0") ? remove_one(user, folder, name) : 0;
}

int xc_cli_manifest_merge(const char *path)
{
	char name[PATH_MAX];

	if (snprintf(name, sizeof name, "%s/" XC_CLI_MANIFEST_FOLDER, path) >= (int)sizeof name ||
	    access(name, F_OK))
		return xc_cli_error(path, "has no manifest of an earlier run");
	/* Nobody else works there while rank 0's is open. */
	xc_cli_manifest *m = xc_cli_manifest_open(path, 0, "");
	/* A line that is there twice does no harm, nor does one of other options here: a job
	 * reads all manifests. */
	int failed = !m;
	if (m && (write_begin(m) || each_entry(m->folder, MANIFEST_PREFIX, take_one, m) ||
	          fsync(m->file) || each_entry(m->folder, MANIFEST_PREFIX, remove_other, NULL)))
		failed = fail(m, "cannot be merged with the others");
	return xc_cli_manifest_close(m) || failed ? -1 : 0;
}
