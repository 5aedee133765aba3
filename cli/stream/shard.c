/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/shard.h"

#ifdef XC_HAVE_LIBARCHIVE

#include "cli/stream/items.h"
#include "cli/stream/results.h"
#include "formats/formats.h"
#include "cli/stream/spread.h"
#include "cli/stream/unpack.h"

#include <archive_entry.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <fcntl.h>
#include <unistd.h>
#include <archive.h>

/* ------------------------------------- pieces that come in any order and are written in theirs */

typedef struct ordered {
	char *name; /* of the result; NULL: there is nothing to write */
	/* The entry's own name, of a link, and of an entry that stayed as it is and so has it in the tar file. */
	char *own;
	/* A hard link leads to the result `link`, or if that entry stayed to its own name, `link_own`. */
	char *link, *link_own;
	int64_t time;
	unsigned mode;
	uint8_t *data; /* NULL: there is no result, or it is a link */
	size_t size;
	int ready;
} ordered;

typedef struct order {
	pthread_mutex_t lock;
	pthread_cond_t moved;
	ordered *ring;
	size_t slots, held; /* bytes of pieces that wait */
	uint64_t begun, written;
	int writing; /* a thread is about it */
	/* Takes a piece's bytes.  Called by one thread at a time. */
	void (*write)(void *user, const ordered *piece);
	void *user;
} order;

/* Bytes that may wait for an earlier piece, unless one alone has more. */
static const size_t max_held = (size_t)64 << 20;

/* At most `slots` pieces are between begin and end of their way.  0, or -1: out of memory. */
static int order_init(order *o, size_t slots)
{
	*o = (order){.slots = slots, .ring = calloc(slots, sizeof *o->ring)};
	if (!o->ring)
		return -1;
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->moved, NULL);
	return 0;
}

static void order_free(order *o)
{
	pthread_mutex_destroy(&o->lock);
	pthread_cond_destroy(&o->moved);
	free(o->ring);
}

/* The number of the next piece, once there is room for it. */
static uint64_t order_begin(order *o)
{
	pthread_mutex_lock(&o->lock);
	while (o->begun - o->written >= o->slots || (o->held > max_held && o->begun > o->written))
		pthread_cond_wait(&o->moved, &o->lock);
	const uint64_t number = o->begun++;
	pthread_mutex_unlock(&o->lock);
	return number;
}

/* Writes what is ready and next; the lock is held, but not while a piece is written. */
static void write_ready(order *o)
{
	o->writing = 1;
	for (;;) {
		ordered *slot = &o->ring[o->written % o->slots], next = *slot;

		if (!next.ready)
			break;
		pthread_mutex_unlock(&o->lock);
		if (next.name)
			o->write(o->user, &next);
		free(next.name);
		free(next.link);
		free(next.link_own);
		free(next.own);
		free(next.data);
		pthread_mutex_lock(&o->lock);
		slot->ready = 0;
		o->held -= next.size;
		o->written++;
		pthread_cond_broadcast(&o->moved);
	}
	o->writing = 0;
}

/* Takes over a piece with what it owns. */
static void order_end(order *o, uint64_t number, const ordered *piece)
{
	ordered *slot = &o->ring[number % o->slots];

	pthread_mutex_lock(&o->lock);
	*slot = *piece;
	slot->ready = 1;
	o->held += piece->size;
	if (!o->writing)
		write_ready(o);
	pthread_mutex_unlock(&o->lock);
}

struct xc_cli_shard {
	const xc_cli_shard_job *job;
	pthread_mutex_t reading; /* guards what reads */
	xc_cli_unpacker unpack;
	struct archive *in, *out;
	struct archive_entry
		*entry; /* that was read last; libarchive does not check that it could make its own */
	int ended;
	locale_t utf8; /* in which libarchive takes names as they are; 0: there is none */
	/* For links: by the name of a result the hash of its entry's, and by that name its suffix, where it is not
	 * the usual one. */
	xc_cli_names names, suffixes;
	/* Results that are not in the tar file, LOST or STAYED, of the thread that writes. */
	xc_cli_names others;
	order order;
	int useless; /* no entry could be read, and that was reported */
	int failed;  /* to write, and reported */
};

enum { LOST = 1, STAYED };

/* ---------------------------------------------------------------------- reading */

/* libarchive has no words for some failures, most of them of memory. */
static const char *why(struct archive *a)
{
	const char *text = archive_error_string(a);

	return archive_errno(a) == ENOMEM ? "out of memory" : text ? text : "unknown error";
}

static int fail_reading(xc_cli_shard *s, xc_cli_kind *kind)
{
	const xc_cli_unpacker *u = &s->unpack;
	const int any = archive_file_count(s->in) > 0, packed = *u->failure != '\0';

	s->ended = 1;
	s->useless = !any || (packed && u->reason == XC_CLI_BROKEN);
	*kind = packed                           ? u->reason
	        : archive_errno(s->in) == ENOMEM ? XC_CLI_OTHER
	        : any                            ? XC_CLI_BROKEN
	                                         : XC_CLI_FOREIGN;
	return xc_cli_error(s->job->path, "%s%s%s",
	                    packed ? ""
	                    : any  ? "cannot be read on: "
	                           : "cannot be read as a tar file: ",
	                    packed ? u->failure : why(s->in),
	                    !s->useless ? "; what came before is done"
	                    : any       ? "; nothing is made of it"
	                                : "");
}

static void free_names(xc_cli_entry *e)
{
	free(e->name);
	free(e->stays);
	e->name = e->stays = NULL;
}

static void free_entry(xc_cli_entry *e)
{
	free_names(e);
	free(e->subject);
	e->subject = NULL;
}

/* The entry is left out. */
static int refuse(const xc_cli_entry *e, xc_cli_kind reason, const char *what, xc_cli_kind *kind)
{
	*kind = reason;
	return xc_cli_error(e->subject, "%s", what);
}

/* Notes the result of an entry, whose name must be new in the shard: 0, or -1 after reporting why not. */
static int check_name(xc_cli_shard *s, const xc_cli_entry *e, xc_cli_kind *kind)
{
	uint64_t *value = xc_cli_names_value(&s->names, e->name);

	if (value && *value)
		return refuse(e, XC_CLI_EXISTING, "another entry has the same result (see --keep-suffix)",
		              kind);
	if (value)
		*value = xc_cli_names_hash(e->own);
	if (value && e->picture && e->suffix != s->job->suffix)
		value = xc_cli_names_value(&s->suffixes, e->own);
	if (!value)
		return refuse(e, XC_CLI_OTHER, "out of memory", kind);
	if (e->picture && e->suffix != s->job->suffix)
		*value = (uint64_t)(uintptr_t)e->suffix;
	return 0;
}

/* Whether an entry of `size` bytes may be unpacked: 0, or -1 after reporting why not. */
static int check_size(const xc_cli_shard *s, xc_context *context, uint64_t size,
                      const xc_cli_entry *e, xc_cli_kind *kind)
{
	const uint64_t max = s->job->limits->bounds.max_expansion;
	char what[128];

	xc_cli_limit_entry(context, s->job->limits, size, e->packed);
	const int grows = size > XC_ANY_FILE_PIXELS && size / max > e->packed;
	if (!grows && size < SIZE_MAX && !xc_context_charge(context, size))
		return 0;
	snprintf(what, sizeof what, "%lld bytes are too many%s", (long long)size,
	         grows ? " for what they are unpacked from (see --max-expansion)"
	               : " (see --max-memory)");
	return refuse(e, XC_CLI_OVER_LIMIT, what, kind);
}

static int read_data(xc_cli_shard *s, xc_context *context, la_int64_t size, xc_cli_entry *e,
                     xc_cli_kind *kind)
{
	if (check_size(s, context, (uint64_t)size, e, kind))
		return -1;
	e->size = (size_t)size;
	e->data = malloc(e->size + 1);
	const la_ssize_t got = e->data ? archive_read_data(s->in, e->data, e->size) : 0;
	if (e->data && got >= 0) {
		/* an entry that ends within its bytes is an error; one that lacks some ends in a hole */
		memset(e->data + got, 0, e->size - (size_t)got);
		return 0;
	}
	const int lacks_memory = !e->data;
	xc_context_refund(context, e->size);
	free(e->data);
	e->data = NULL;
	return lacks_memory ? refuse(e, XC_CLI_OTHER, "out of memory", kind) : fail_reading(s, kind);
}

/* Where the bytes of a picture lie in the shard, so that whoever works on it reads them: 1, or 0
 * where they must be unpacked, or the shard ends before them. */
static int find_data(const xc_cli_shard *s, struct archive_entry *from, xc_cli_entry *e)
{
	const la_int64_t size = archive_entry_size(from), at = archive_filter_bytes(s->in, 0);
	struct stat status;

	if (!e->picture || !s->unpack.plain || archive_entry_sparse_count(from) || at < 0 || size < 0 ||
	    fstat(s->unpack.fd, &status) || status.st_size < at || status.st_size - at < size ||
	    (uint64_t)size > SIZE_MAX)
		return 0;
	e->file = s->unpack.fd;
	e->begin = (uint64_t)at;
	e->size = (size_t)size;
	return 1;
}

/* What kind of file an entry is, if it is none that is read; NULL otherwise. */
static const char *other_kind(struct archive_entry *from)
{
	if (archive_entry_hardlink(from))
		return NULL;
	if (archive_entry_filetype(from) == AE_IFLNK)
		return "is a symbolic link, and left out (--exclude passes over it)";
	return archive_entry_filetype(from) == AE_IFREG
	           ? NULL
	           : "is no file, and left out (--exclude passes over it)";
}

/* Gives the result the suffix that the entry's bytes ask for: 0, or -1 after reporting why not. */
static int name_by_data(const xc_cli_shard_job *job, const char *name, xc_cli_entry *e,
                        xc_cli_kind *kind)
{
	uint8_t start[XC_CLI_START];
	size_t size = e->size < sizeof start ? e->size : sizeof start;

	if (!job->suffix_of || !e->picture)
		return 0;
	if (e->data)
		memcpy(start, e->data, size);
	else if (pread(e->file, start, size, (off_t)e->begin) != (ssize_t)size)
		return 0;
	const char *suffix = job->suffix_of(start, size);
	char *own = suffix ? xc_cli_result_path(NULL, name, suffix, job->naming) : e->name;
	if (own != e->name)
		free(e->name);
	e->name = own;
	e->suffix = suffix ? suffix : e->suffix;
	return own ? 0 : refuse(e, XC_CLI_OTHER, "out of memory", kind);
}

static const char *without_dots(const char *name)
{
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	return name;
}

/* Whether the entry `own` has the result of this name, which is freed. */
static int has_result(xc_cli_shard *s, const char *own, char *name)
{
	const uint64_t *value = name ? xc_cli_names_value(&s->names, name) : NULL;
	const int has = value && *value == xc_cli_names_hash(own);

	free(name);
	return has;
}

/* Finds the suffix of the result of an entry, NULL if that stayed as it is; 0: it has none. */
static int find_result(xc_cli_shard *s, const char *own, const char **suffix)
{
	const xc_cli_shard_job *job = s->job;
	const uint64_t *other = xc_cli_names_value(&s->suffixes, own);

	*suffix = other && *other              ? (const char *)(uintptr_t)*other
	          : job->takes(job->user, own) ? job->suffix
	                                       : NULL;
	if (*suffix && has_result(s, own, xc_cli_result_path(NULL, own, *suffix, job->naming)))
		return 1;
	*suffix = NULL;
	return has_result(s, own, xc_cli_text(own, "%s", own));
}

enum { IS_LINK = 2 };

/* A hard link, which has no bytes: IS_LINK and what is to be written, or -1 after a failure. */
static int take_link(xc_cli_shard *s, struct archive_entry *from, xc_cli_entry *e, ordered *link,
                     xc_cli_kind *kind)
{
	const xc_cli_shard_job *job = s->job;
	const char *to = without_dots(archive_entry_hardlink(from));
	const char *suffix;

	if (!find_result(s, to, &suffix))
		return refuse(e, XC_CLI_FOREIGN, "is a link to an entry that has no result, and left out",
		              kind);
	/* A link that is not named as a picture must not take the place of another result. */
	*link = (ordered){.link = xc_cli_result_path(NULL, to, suffix, job->naming),
	                  .link_own = xc_cli_text(e->subject, "%s", to),
	                  .own = xc_cli_text(e->subject, "%s", e->own),
	                  .time = e->time,
	                  .mode = e->mode,
	                  .ready = 1};
	free(e->name);
	e->name = xc_cli_result_path(NULL, e->own, suffix,
	                             job->takes(job->user, e->own) ? job->naming : XC_CLI_NAMING_KEEP);
	link->name = e->name ? xc_cli_text(e->subject, "%s", e->name) : NULL;
	e->picture = suffix != NULL;
	e->suffix = suffix;
	if (link->link && link->link_own && link->own && link->name && !check_name(s, e, kind))
		return IS_LINK;
	free(link->link);
	free(link->link_own);
	free(link->own);
	free(link->name);
	*link = (ordered){.name = NULL};
	return -1;
}

/* 1: the entry is to be worked on, IS_LINK: *link is to be written, 0: it is left out, -1 after a
 * failure. */
static int take(xc_cli_shard *s, struct archive_entry *from, xc_context *context, xc_cli_entry *e,
                ordered *link, xc_cli_kind *kind)
{
	const xc_cli_shard_job *job = s->job;
	const char *name = archive_entry_pathname(from), *other = other_kind(from);

	if (archive_entry_filetype(from) == AE_IFDIR)
		return 0;
	name = name ? name : "an entry whose name cannot be read";
	name = without_dots(name);
	if (xc_cli_globs_match(job->excluded, name)) {
		++*job->left_out;
		return 0;
	}
	e->matched = xc_cli_globs_match(job->matched, name);
	e->picture = !e->matched && job->takes(job->user, name);
	e->name = e->picture ? xc_cli_result_path(NULL, name, job->suffix, job->naming) : strdup(name);
	e->suffix = job->suffix;
	e->subject = xc_cli_text(job->path, "%s/%s", job->path, name);
	if (!e->name || !e->subject) {
		*kind = XC_CLI_OTHER;
		return e->subject ? xc_cli_error(e->subject, "out of memory") : -1;
	}
	e->own = e->subject + strlen(job->path) + 1;
	if (*name == '/' || xc_cli_leads_up(name))
		return refuse(e, XC_CLI_FOREIGN, "leads out of the shard by its name, and is left out",
		              kind);
	if (other)
		return refuse(e, XC_CLI_FOREIGN, other, kind);
	e->time = archive_entry_mtime_is_set(from) ? (int64_t)archive_entry_mtime(from) : 0;
	e->mode = (unsigned)archive_entry_perm(from);
	if (archive_entry_hardlink(from))
		return take_link(s, from, e, link, kind);
	e->packed = xc_cli_unpack_packed(&s->unpack);
	if (!find_data(s, from, e) && read_data(s, context, archive_entry_size(from), e, kind))
		return -1;
	if (name_by_data(job, name, e, kind) || check_name(s, e, kind)) {
		xc_cli_forget(context, e->data, e->size);
		e->data = NULL;
		return -1;
	}
	if (!e->picture && !e->matched && xc_file_foreign_name(name))
		xc_cli_passed_file(job->copied, name);
	return 1;
}

/* A tar file ends with blocks of zeros; one that was cut off after a whole entry does not. */
static int check_end(xc_cli_shard *s, xc_cli_kind *kind)
{
	enum { TAR_BLOCK = 512 };

	s->ended = 1;
	if (xc_cli_unpack_end(&s->unpack))
		return fail_reading(s, kind);
	if (archive_filter_bytes(s->in, 0) >= archive_read_header_position(s->in) + TAR_BLOCK)
		return 0;
	*kind = XC_CLI_BROKEN;
	return xc_cli_error(s->job->path, "is cut off: it has no end mark; what came before is done");
}

static int read_next(xc_cli_shard *s, xc_context *context, xc_cli_entry *e, ordered *link,
                     xc_cli_kind *kind)
{
	struct archive_entry *from = s->entry;
	int got = 0;

	while (!got && !s->ended) {
		const int status = archive_read_next_header2(s->in, from);

		if (status == ARCHIVE_RETRY)
			continue;
		if (status == ARCHIVE_EOF)
			got = check_end(s, kind);
		else if (status == ARCHIVE_FATAL || status == ARCHIVE_FAILED)
			got = fail_reading(s, kind);
		else
			got = take(s, from, context, e, link, kind);
		if (got < 0)
			free_names(e);
		else if (got != 1)
			free_entry(e);
	}
	return got;
}

int xc_cli_shard_next(xc_cli_shard *s, xc_context *context, xc_cli_entry *e, xc_cli_kind *kind)
{
	int got = IS_LINK;

	pthread_mutex_lock(&s->reading);
	const locale_t usual = uselocale(s->utf8);
	while (got == IS_LINK) {
		ordered link = {.name = NULL};

		*e = (xc_cli_entry){.file = -1};
		got = 0;
		if (s->ended || __atomic_load_n(&s->failed, __ATOMIC_RELAXED))
			break;
		const uint64_t number = order_begin(&s->order);
		got = read_next(s, context, e, &link, kind);
		e->number = number;
		if (got != 1)
			order_end(&s->order, number, &link);
	}
	uselocale(usual);
	pthread_mutex_unlock(&s->reading);
	return got;
}

/* ---------------------------------------------------------------------- writing */

static la_ssize_t write_block(struct archive *a, void *user, const void *block, size_t size)
{
	const xc_cli_shard *s = user;

	if (s->failed || !xc_cli_output_write(s->job->out, block, size))
		return (la_ssize_t)size;
	archive_set_error(a, EIO, "cannot write");
	return -1;
}

/* Reports what the output has not. */
static int check_write(xc_cli_shard *s, int status)
{
	if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
		return 0;
	if (!s->failed && !s->job->out->failed)
		xc_cli_error(s->job->out->path, "cannot write: %s", why(s->out));
	__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	return -1;
}

/* Notes that a result is LOST or STAYED. */
static void note_other(xc_cli_shard *s, const char *name, uint64_t what)
{
	uint64_t *value = xc_cli_names_value(&s->others, name);

	if (value) {
		*value = what;
		return;
	}
	if (!s->failed)
		archive_set_error(s->out, ENOMEM, "out of memory");
	check_write(s, ARCHIVE_FATAL);
}

/* What the link leads to in the tar file; NULL after reporting that it has no such result. */
static const char *find_target(xc_cli_shard *s, const ordered *piece)
{
	const uint64_t *value = xc_cli_names_value(&s->others, piece->link);

	if (value && *value != LOST)
		return *value == STAYED ? piece->link_own : piece->link;
	if (!s->job->lost)
		return NULL;
	char *subject = xc_cli_text(s->job->path, "%s/%s", s->job->path, piece->own);
	if (subject)
		xc_cli_error(subject, "is a link to an entry that has no result, and left out");
	free(subject);
	++*s->job->lost;
	return NULL;
}

static void write_piece(void *user, const ordered *piece)
{
	xc_cli_shard *s = user;
	const char *target = piece->link ? find_target(s, piece) : NULL;
	const int stays = piece->link ? target == piece->link_own : piece->own != NULL;
	const char *name = stays ? piece->own : piece->name;

	if (!target && !piece->data) {
		note_other(s, piece->name, LOST);
		return;
	}
	if (stays)
		note_other(s, piece->name, STAYED);
	struct archive_entry *to = s->failed ? NULL : archive_entry_new2(s->out);
	if (!to) {
		if (!s->failed)
			archive_set_error(s->out, ENOMEM, "out of memory");
		check_write(s, ARCHIVE_FATAL);
		return;
	}
	const locale_t usual = uselocale(s->utf8);
	archive_entry_copy_pathname(to, name);
	archive_entry_set_filetype(to, AE_IFREG);
	archive_entry_set_perm(to, 0644 & (piece->mode | 0600));
	archive_entry_set_mtime(to, piece->time, 0);
	if (target)
		archive_entry_copy_hardlink(to, target);
	else
		archive_entry_set_size(to, (la_int64_t)piece->size);
	if (!check_write(s, archive_write_header(s->out, to)) && piece->size &&
	    archive_write_data(s->out, piece->data, piece->size) != (la_ssize_t)piece->size)
		check_write(s, ARCHIVE_FATAL);
	archive_entry_free(to);
	uselocale(usual);
}

void xc_cli_shard_put(xc_cli_shard *s, xc_cli_entry *e, uint8_t *data, size_t size)
{
	const ordered piece = {.name = e->name,
	                       .own = e->stays,
	                       .time = e->time,
	                       .mode = e->mode,
	                       .data = data,
	                       .size = data ? size : 0};

	e->name = e->stays = NULL;
	free_entry(e);
	order_end(&s->order, e->number, &piece);
}

/* ------------------------------------------------------------------ open, close */

static int open_reader(xc_cli_shard *s)
{
	const xc_cli_shard_job *job = s->job;
	xc_cli_kind kind;

	if (!xc_cli_unpack_open(&s->unpack, job->path, job->limits->bounds.max_expansion, s->in))
		return 0;
	if (s->unpack.reason != XC_CLI_UNREADABLE)
		xc_cli_note_failure(XC_ERR_FORMAT);
	return fail_reading(s, &kind);
}

static int open_writer(xc_cli_shard *s)
{
	struct archive *a = s->out;

	if (archive_write_set_format_pax_restricted(a) ||
	    archive_write_set_bytes_per_block(a, XC_CLI_UNPACK_BLOCK) ||
	    archive_write_set_bytes_in_last_block(a, 1) ||
	    archive_write_open(a, s, NULL, write_block, NULL))
		return xc_cli_error(s->job->out->path, "cannot write: %s", why(a));
	return 0;
}

static void release(xc_cli_shard *s)
{
	archive_read_free(s->in);
	archive_write_free(s->out);
	archive_entry_free(s->entry);
	xc_cli_unpack_close(&s->unpack);
	if (s->utf8)
		freelocale(s->utf8);
	order_free(&s->order);
	xc_cli_names_free(&s->names);
	xc_cli_names_free(&s->suffixes);
	xc_cli_names_free(&s->others);
	pthread_mutex_destroy(&s->reading);
	free(s);
}

xc_cli_shard *xc_cli_shard_open(const xc_cli_shard_job *job)
{
	xc_cli_shard *s = calloc(1, sizeof *s);

	if (!s || order_init(&s->order, (size_t)job->workers * 4)) {
		free(s);
		xc_cli_error(job->path, "out of memory");
		return NULL;
	}
	s->job = job;
	xc_cli_note_failure(XC_OK);
	s->order.write = write_piece;
	s->order.user = s;
	pthread_mutex_init(&s->reading, NULL);
	s->utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	s->in = archive_read_new();
	s->out = archive_write_new();
	s->entry = s->in ? archive_entry_new2(s->in) : NULL;
	if (!s->entry || !s->out)
		xc_cli_error(job->path, "out of memory");
	else if (!open_reader(s) && !open_writer(s))
		return s;
	release(s);
	return NULL;
}

int xc_cli_shard_close(xc_cli_shard *s)
{
	/* archive_write_fail() would not free its block, so nothing of the end is written */
	s->failed |= s->useless;
	check_write(s, archive_write_close(s->out));
	const int failed = s->failed || s->job->out->failed;
	release(s);
	return failed ? -1 : 0;
}

#else

xc_cli_shard *xc_cli_shard_open(const xc_cli_shard_job *job)
{
	xc_cli_error(job->path, "is a tar file, which this build of xcodec does not read (libarchive)");
	return NULL;
}

int xc_cli_shard_next(xc_cli_shard *shard, xc_context *context, xc_cli_entry *entry,
                      xc_cli_kind *kind)
{
	(void)shard, (void)context, (void)entry, (void)kind;
	return 0;
}

void xc_cli_shard_put(xc_cli_shard *shard, xc_cli_entry *entry, uint8_t *data, size_t size)
{
	(void)shard, (void)entry, (void)data, (void)size;
}

int xc_cli_shard_close(xc_cli_shard *shard)
{
	(void)shard;
	return -1;
}

#endif
