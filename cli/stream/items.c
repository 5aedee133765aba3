/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/items.h"

#include "cli/base/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder under way: its names, each after one byte that says what it is, one after
 * another in `text`. */
typedef struct level {
	char *text;
	size_t *begin; /* of the names, sorted */
	size_t count, next;
	size_t size, room; /* of `text` */
	size_t path;       /* the length of the folder's path with a final slash */
	struct level *above;
} level;

enum { IS_FILE = 'f', IS_FOLDER = 'd', IS_BROKEN = 'b', IS_LINKED = 'l', IS_OTHER = 'o' };

struct xc_cli_items {
	const xc_cli_inputs *inputs;
	uint64_t number, failed, finished, excluded;
	int operand;       /* the next one */
	level *level;      /* NULL: no folder is under way */
	char *path;        /* of the current operand, line or file */
	size_t room, name; /* of `path`; see xc_cli_item */
	FILE *list;
	uint64_t list_size, list_read; /* 0: a pipe, whose size is not known */
	double fraction;               /* of the job that was handed out */
	struct stat left_out;
	int ours; /* the folder that is read may hold notes of --resume, which are no files of the user's */
	xc_cli_passed passed;
};

/* ------------------------------------------------------------------------ items */

int xc_cli_item_set(xc_cli_item *item, uint64_t number, const char *path, size_t name)
{
	*item = (xc_cli_item){.number = number, .path = strdup(path), .name = name};
	return item->path ? 0 : xc_cli_error(NULL, "out of memory");
}

void xc_cli_item_free(xc_cli_item *item)
{
	free(item->path);
	free(item->input);
	item->path = item->input = NULL;
}

/* Counts the path as failed, after the report. */
static int refuse(xc_cli_items *s)
{
	__atomic_add_fetch(&s->failed, 1, __ATOMIC_RELAXED);
	if (s->inputs->refused)
		s->inputs->refused(s->inputs->refused_user, s->number, s->path);
	s->number++;
	return -1;
}

static int fail(xc_cli_items *s, const char *what, const char *why)
{
	xc_cli_error(s->path, "%s: %s", what, why);
	return refuse(s);
}

/* Sets the path from byte `at` on. */
static int set_path(xc_cli_items *s, size_t at, const char *text, size_t length)
{
	if (at + length + 2 > s->room) { /* a slash may follow */
		const size_t room = 2 * (at + length + 2);
		char *path = realloc(s->path, room);

		if (!path)
			return fail(s, "cannot be listed", strerror(ENOMEM));
		s->path = path;
		s->room = room;
	}
	memcpy(s->path + at, text, length);
	s->path[at + length] = '\0';
	return 0;
}

/* Counts what is passed over: the last part of its path, in the folder under way. what: NULL of a file, which its
 * suffix tells. */
static void pass_over(xc_cli_items *s, const char *folder, const char *name, const char *what)
{
	char shown[XC_CLI_SHOWN];
	char *path = s->inputs->verbose ? xc_cli_text(NULL, "%s%s", folder, name) : NULL;

	if (path) {
		xc_cli_escape(shown, sizeof shown, path);
		xc_cli_say("%s: passed over %s\n", shown, what ? what : "by its name");
	}
	free(path);
	if (what)
		xc_cli_passed_other(&s->passed, what);
	else
		xc_cli_passed_file(&s->passed, name);
}

/* Whether the file of the path is left out by its name, which is counted; else what is done with it. */
static int leaves_out(xc_cli_items *s, xc_cli_way *way)
{
	const xc_cli_inputs *in = s->inputs;
	const char *name = s->path + s->name;

	if (xc_cli_globs_match(in->excluded, name)) {
		__atomic_add_fetch(&s->excluded, 1, __ATOMIC_RELAXED);
		return 1;
	}
	*way = xc_cli_way_of(in->copied, name);
	if (!s->level || *way > XC_CLI_SHARD || in->takes(in->user, xc_cli_base_name(name)))
		return 0;
	/* Every other file is copied then. */
	*way = XC_CLI_COPY;
	if (in->copied->takes)
		return 0;
	pass_over(s, "", s->path, NULL);
	return 1;
}

static int give(xc_cli_items *s, xc_cli_item *item)
{
	const xc_cli_inputs *in = s->inputs;
	xc_cli_way way;

	if (leaves_out(s, &way))
		return 0;
	if (xc_cli_item_set(item, s->number, s->path, s->name)) {
		refuse(s);
		return 0;
	}
	item->way = way;
	const xc_cli_claim claim = in->claim ? in->claim(in->claims, item) : XC_CLI_GIVE;
	s->number += claim == XC_CLI_GIVE;
	if (claim == XC_CLI_GIVE)
		return 1;
	xc_cli_item_free(item);
	__atomic_add_fetch(&s->finished, claim == XC_CLI_SKIP, __ATOMIC_RELAXED);
	if (claim == XC_CLI_REFUSE)
		refuse(s);
	return 0;
}

/* ---------------------------------------------------------------------- folders */

/* The names being sorted, since qsort() hands nothing on. */
static _Thread_local const char *sorted_text;

static int by_name(const void *a, const void *b)
{
	return strcmp(sorted_text + *(const size_t *)a + 1, sorted_text + *(const size_t *)b + 1);
}

/* Links are followed, unless to a folder; one that leads nowhere is broken. */
static int kind_of(int folder, const struct dirent *entry)
{
	struct stat status;

	if (entry->d_type == DT_REG || entry->d_type == DT_DIR)
		return entry->d_type == DT_REG ? IS_FILE : IS_FOLDER;
	if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
		return IS_OTHER;
	if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW))
		return IS_BROKEN;
	const int linked = S_ISLNK(status.st_mode);
	if (linked && fstatat(folder, entry->d_name, &status, 0))
		return IS_BROKEN;
	if (S_ISDIR(status.st_mode))
		return linked ? IS_LINKED : IS_FOLDER;
	return S_ISREG(status.st_mode) ? IS_FILE : IS_OTHER;
}

static int add_name(level *l, int kind, const char *name)
{
	const size_t length = strlen(name) + 2;

	if (l->size + length > l->room) {
		const size_t room = 2 * (l->room + length) + 1000;
		char *text = realloc(l->text, room);

		if (!text)
			return -1;
		l->text = text;
		l->room = room;
	}
	l->text[l->size] = (char)kind;
	memcpy(l->text + l->size + 1, name, length - 1);
	l->size += length;
	l->count++;
	return 0;
}

static int sort_names(level *l)
{
	size_t at = 0;

	l->begin = malloc((l->count + 1) * sizeof *l->begin);
	if (!l->begin)
		return -1;
	for (size_t i = 0; i < l->count; i++) {
		l->begin[i] = at;
		at += strlen(l->text + at) + 1;
	}
	sorted_text = l->text;
	qsort(l->begin, l->count, sizeof *l->begin, by_name);
	return 0;
}

static int is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Returns 0, or -1 with errno. */
static int take_name(xc_cli_items *s, int kind, const char *name, level *l)
{
	const int taken = s->inputs->takes(s->inputs->user, name);
	const int matched = s->inputs->excluded->count || s->inputs->copied->count ||
	                    s->inputs->copied->takes;
	const int notes = kind == IS_FOLDER && !strcmp(name, XC_CLI_MANIFEST_FOLDER);

	if (notes && s->ours)
		return 0;
	if (kind == IS_FILE && !fnmatch(XC_CLI_LEFTOVERS, name, 0)) {
		pass_over(s, s->path, name, "(left by a killed run)");
		return 0;
	}
	/* what matches is known once the whole name is */
	if ((kind == IS_FOLDER && !notes) ||
	    ((taken || matched) && (kind == IS_FILE || kind == IS_BROKEN)))
		return add_name(l, kind, name);
	pass_over(s, s->path, name,
	          notes               ? "(" XC_CLI_MANIFEST_FOLDER ")"
	          : kind == IS_FILE   ? NULL
	          : kind == IS_LINKED ? "(link to a folder)"
	          : kind == IS_BROKEN ? "(link to nothing)"
	                              : "(no file)");
	return 0;
}

/* Whether a folder that the user named may hold notes: it takes the results, or holds those of a run of before. */
static int has_notes(const xc_cli_items *s, int folder, const struct stat *status)
{
	return !s->level && (xc_cli_same_file(status, &s->left_out) ||
	                     !faccessat(folder, XC_CLI_MANIFEST_FOLDER "/manifest.0", F_OK, 0));
}

/* Returns 0, or -1 with errno. */
static int read_names(xc_cli_items *s, DIR *folder, level *l)
{
	const struct dirent *entry;

	while ((errno = 0, entry = readdir(folder)))
		if (!is_dots(entry->d_name) &&
		    take_name(s, kind_of(dirfd(folder), entry), entry->d_name, l))
			return -1;
	return errno || sort_names(l) ? -1 : 0;
}

static void free_level(level *l)
{
	free(l->text);
	free(l->begin);
	free(l);
}

/* Enters the folder that is open: 0, or -1 with errno. */
static int enter_open(xc_cli_items *s, DIR *folder)
{
	struct stat status;

	if (fstat(dirfd(folder), &status))
		return -1;
	if (s->level && s->left_out.st_ino && xc_cli_same_file(&status, &s->left_out))
		return 0;
	level *l = calloc(1, sizeof *l);
	if (!l)
		return -1;
	s->ours = has_notes(s, dirfd(folder), &status);
	l->path = strlen(s->path);
	if (s->path[l->path - 1] != '/') {
		s->path[l->path++] = '/';
		s->path[l->path] = '\0';
	}
	if (read_names(s, folder, l)) {
		free_level(l);
		return -1;
	}
	l->above = s->level;
	s->level = l;
	return 0;
}

/* Enters the folder of the path, which is no link unless it was named by the user. */
static void enter(xc_cli_items *s)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (s->level ? O_NOFOLLOW : 0);
	const int file = open(s->path, flags);
	DIR *folder = file < 0 ? NULL : fdopendir(file);

	if (!folder || enter_open(s, folder))
		fail(s, "cannot be listed", strerror(errno));
	if (folder)
		closedir(folder);
	else if (file >= 0)
		close(file);
}

/* 1 and the next file of the folder under way, or 0: something else comes next. */
static int next_of_folder(xc_cli_items *s, xc_cli_item *item)
{
	struct stat status;
	level *l = s->level;

	if (l->next == l->count) {
		s->level = l->above;
		free_level(l);
		return 0;
	}
	const char *name = l->text + l->begin[l->next++];
	if (set_path(s, l->path, name + 1, strlen(name + 1)))
		return 0;
	xc_cli_way way;
	if (*name == IS_FILE)
		return give(s, item);
	if (*name == IS_BROKEN && leaves_out(s, &way))
		return 0;
	if (*name == IS_BROKEN)
		fail(s, "cannot open", stat(s->path, &status) ? strerror(errno) : "it was no file before");
	else
		enter(s);
	return 0;
}

/* ----------------------------------------------------------- operands and lines */

/* Enters the folder of an operand. Of several operands each keeps its name below the results'
 * folder, as cp -r does, so that 2019/1.jpg and 2020/1.jpg have two results; "." and the like have none. */
static void enter_operand(xc_cli_items *s, size_t length)
{
	while (length > 1 && s->path[length - 1] == '/')
		s->path[--length] = '\0';
	s->name = (size_t)(xc_cli_base_name(s->path) - s->path);
	const char *name = s->path + s->name;
	const int named = s->inputs->count > 1 && *name && strcmp(name, ".") && strcmp(name, "..");
	enter(s);
	if (s->level && !named)
		s->name = s->level->path;
}

/* A pipe with a name could wait for its writer for ever. */
static int refuse_pipe(xc_cli_items *s)
{
	return fail(s, "is no file",
	            "a pipe that has a name could wait for ever (\"-\" reads standard input)");
}

static int next_operand(xc_cli_items *s, xc_cli_item *item)
{
	const char *operand = s->inputs->operands[s->operand];
	struct stat status;

	s->operand++;
	if (set_path(s, 0, operand, strlen(operand)))
		return 0;
	s->name = (size_t)(xc_cli_base_name(operand) - operand);
	/* A link, such as /dev/fd/63, leads to a pipe that a shell has opened on both sides. */
	if (s->inputs->no_pipes && !lstat(operand, &status) && S_ISFIFO(status.st_mode))
		return refuse_pipe(s), 0;
	if (!s->inputs->recursive || !xc_cli_is_folder(operand))
		return give(s, item);
	enter_operand(s, strlen(operand));
	return 0;
}

/* Where the relative name begins: after slashes and "./". */
static size_t relative(const char *path)
{
	size_t at = 0;

	while (path[at] == '/' || (path[at] == '.' && path[at + 1] == '/'))
		at++;
	return at;
}

int xc_cli_leads_up(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2)
		if ((p == path || p[-1] == '/') && (p[2] == '/' || p[2] == '\0'))
			return 1;
	return 0;
}

/* Reads a line without its end: its length, or -1 at the end of the list. Of a line that is longer
 * than any path, the begin alone is kept, which is as long. */
static ptrdiff_t read_line(xc_cli_items *s, char line[PATH_MAX + 1])
{
	size_t n = 0, size = 0;
	int c;

	while ((c = getc_unlocked(s->list)) != EOF && c != s->inputs->end) {
		if (n < PATH_MAX)
			line[n++] = (char)c;
		size++;
	}
	line[n] = '\0';
	s->list_read += size + 1;
	return c == EOF && !size ? -1 : (ptrdiff_t)n;
}

/* 1 and an item, 0: another line may follow, -1: the list has ended. */
static int next_line(xc_cli_items *s, xc_cli_item *item)
{
	char line[PATH_MAX + 1];
	const ptrdiff_t length = read_line(s, line);

	if (length < 0) {
		if (ferror(s->list) && !set_path(s, 0, "the list", 8))
			fail(s, "cannot be read", strerror(errno));
		return -1;
	}
	if (!length || set_path(s, 0, line, strlen(line)))
		return 0;
	if (length >= PATH_MAX || strlen(line) != (size_t)length)
		return fail(s, "is no path",
		            length >= PATH_MAX ? strerror(ENAMETOOLONG) : "it holds a zero byte"),
		       0;
	if (xc_cli_leads_up(line))
		return fail(s, "cannot be kept below the results' folder", "it contains \"..\""), 0;
	s->name = relative(line);
	if (!line[s->name])
		return fail(s, "is no file", strerror(EISDIR)), 0;
	struct stat status;
	if (!stat(line, &status) && S_ISFIFO(status.st_mode))
		return refuse_pipe(s), 0;
	if (!s->inputs->recursive || !xc_cli_is_folder(line))
		return give(s, item);
	enter(s);
	return 0;
}

/* Folders count by their names, as if each held as much. */
static void set_fraction(xc_cli_items *s)
{
	const double whole = s->inputs->count + (s->inputs->list != NULL);
	const double read = s->list_size ? (double)s->list_read / (double)s->list_size : 0;
	double ended = s->operand + (read < 1 ? read : 1), inside = 1;

	for (const level *l = s->level; l; l = l->above)
		inside = ((double)l->next - 1 + inside) / (double)l->count;
	if (!s->list_read)
		ended += inside - 1;
	ended /= whole;
	__atomic_store(&s->fraction, &ended, __ATOMIC_RELAXED);
}

int xc_cli_items_next(xc_cli_items *s, xc_cli_item *item)
{
	for (;;) {
		int got;

		if (s->level)
			got = next_of_folder(s, item);
		else if (s->operand < s->inputs->count)
			got = next_operand(s, item);
		else if (s->list)
			got = next_line(s, item);
		else
			got = -1;
		if (got < 0)
			return 0;
		if (got) {
			set_fraction(s);
			return 1;
		}
	}
}

/* ------------------------------------------------------------------ open, close */

static int open_list(xc_cli_items *s, const char *path)
{
	struct stat status;

	const int in = !strcmp(path, "-"), none = !strcmp(path, "/dev/null");
	const int file = in || none ? -1 : xc_cli_open_regular(AT_FDCWD, path, O_RDONLY);

	s->list = in ? stdin : none ? fopen(path, "re") : file < 0 ? NULL : fdopen(file, "r");
	if (!s->list || fstat(fileno(s->list), &status))
		return xc_cli_error(xc_cli_input_name(path), "cannot open: %s%s", xc_cli_open_failure(),
		                    errno == ENXIO ? " (\"--list -\" reads standard input)" : "");
	if (S_ISREG(status.st_mode))
		s->list_size = (uint64_t)status.st_size;
	return 0;
}

xc_cli_items *xc_cli_items_open(const xc_cli_inputs *inputs)
{
	xc_cli_items *s = calloc(1, sizeof *s);

	if (!s) {
		xc_cli_error(NULL, "out of memory");
		return NULL;
	}
	s->inputs = inputs;
	if (inputs->leave_out && stat(inputs->leave_out, &s->left_out))
		s->left_out.st_ino = 0;
	if (!inputs->list || !open_list(s, inputs->list))
		return s;
	xc_cli_items_close(s);
	return NULL;
}

uint64_t xc_cli_items_failed(const xc_cli_items *s)
{
	return __atomic_load_n(&s->failed, __ATOMIC_RELAXED);
}

uint64_t xc_cli_items_finished(const xc_cli_items *s)
{
	return __atomic_load_n(&s->finished, __ATOMIC_RELAXED);
}

uint64_t xc_cli_items_excluded(const xc_cli_items *s)
{
	return __atomic_load_n(&s->excluded, __ATOMIC_RELAXED);
}

xc_cli_passed *xc_cli_items_passed(xc_cli_items *s)
{
	return &s->passed;
}

double xc_cli_items_fraction(const xc_cli_items *s)
{
	double fraction;

	__atomic_load(&s->fraction, &fraction, __ATOMIC_RELAXED);
	return fraction;
}

void xc_cli_items_close(xc_cli_items *s)
{
	if (!s)
		return;
	while (s->level) {
		level *above = s->level->above;

		free_level(s->level);
		s->level = above;
	}
	if (s->list && s->list != stdin)
		fclose(s->list);
	free(s->path);
	free(s);
}
