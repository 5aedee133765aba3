/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/shard.h"

#include "cli/base/report.h"

#ifdef XC_HAVE_LIBARCHIVE

#include "cli/stream/libarchive.h"
#include "cli/stream/names.h"
#include "cli/stream/results.h"
#include "cli/stream/shard_order.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes that are read and written at a time. */
enum { BLOCK = 1 << 18 };

/* Unpacked bytes of a shard that may be any number of times the packed ones. */
static const int64_t any_shard = INT64_C(1) << 30;

struct xc_cli_shard {
	const xc_cli_shard_job *job;
	pthread_mutex_t reading; /* guards what reads */
	struct archive *in, *out;
	int file, ended;
	locale_t utf8;      /* in which libarchive takes names as they are; 0: there is none */
	xc_cli_names names; /* of results */
	xc_cli_order order;
	int useless; /* no entry could be read, and that was reported */
	int failed;  /* to write, and reported */
};

/* ---------------------------------------------------------------------- reading */

/* Reports why the shard is not read on. */
static int fail_shard(xc_cli_shard *s, xc_cli_kind reason, const char *what, xc_cli_kind *kind)
{
	s->ended = 1;
	*kind = reason;
	return xc_cli_error(s->job->path, "%s; what came before is done", what);
}

static int fail_reading(xc_cli_shard *s, xc_cli_kind *kind)
{
	const char *why = libarchive.error_string(s->in);
	char what[256];

	if (!libarchive.file_count(s->in)) {
		s->ended = s->useless = 1;
		*kind = XC_CLI_FOREIGN;
		return xc_cli_error(s->job->path, "cannot be read as a tar file: %s",
		                    why ? why : "unknown error");
	}
	snprintf(what, sizeof what, "cannot be read on: %s", why ? why : "unknown error");
	/* libarchive's words for a read() that failed: another one may do better. */
	return fail_shard(s,
	                  why && !strncmp(why, "Error reading", 13) ? XC_CLI_UNREADABLE : XC_CLI_BROKEN,
	                  what, kind);
}

/* What decompression makes of few bytes is bounded, as in other files. */
static int grows_too_much(const xc_cli_shard *s)
{
	const uint64_t most = s->job->limits->most.max_expansion;
	const int64_t packed = libarchive.filter_bytes(s->in, -1),
				  unpacked = libarchive.filter_bytes(s->in, 0);

	return most && unpacked > any_shard && (uint64_t)unpacked / most > (uint64_t)packed;
}

/* Reads over the bytes of an entry; what libarchive would skip in one step may have no end. */
static int skip(xc_cli_shard *s, xc_cli_kind *kind)
{
	const void *block;
	size_t size;
	la_int64_t offset;
	int status;

	if (libarchive.filter_count(s->in) == 1) /* which skips uncompressed bytes by seeking */
		return 0;
	while ((status = libarchive.read_data_block(s->in, &block, &size, &offset)) == ARCHIVE_OK)
		if (grows_too_much(s))
			return fail_shard(s, XC_CLI_OVER_LIMIT,
			                  "unpacks to far more than it has (see --max-expansion)", kind);
	return status == ARCHIVE_EOF ? 0 : fail_reading(s, kind);
}

static int leads_out(const char *name)
{
	if (*name == '/')
		return 1;
	for (const char *p = name; (p = strstr(p, "..")); p += 2)
		if ((p == name || p[-1] == '/') && (p[2] == '/' || p[2] == '\0'))
			return 1;
	return 0;
}

static char *join(const char *path, const char *name)
{
	const size_t size = strlen(path) + strlen(name) + 2;
	char *joined = malloc(size);

	if (joined)
		snprintf(joined, size, "%s/%s", path, name);
	return joined;
}

static void free_entry(xc_cli_entry *e)
{
	free(e->name);
	free(e->subject);
	e->name = e->subject = NULL;
}

/* The entry is left out: skips its bytes. */
static int leave_out(xc_cli_shard *s, xc_cli_kind reason, xc_cli_kind *kind)
{
	*kind = reason;
	skip(s, kind);
	return -1;
}

static int refuse(xc_cli_shard *s, const xc_cli_entry *e, xc_cli_kind reason, const char *what,
                  xc_cli_kind *kind)
{
	xc_cli_error(e->subject, "%s", what);
	return leave_out(s, reason, kind);
}

/* Whether the result's name is new in the shard: 0, or -1 after reporting that it is not. */
static int check_name(xc_cli_shard *s, const xc_cli_entry *e, xc_cli_kind *kind)
{
	switch (xc_cli_names_add(&s->names, e->name)) {
	case 1:
		return 0;
	case 0:
		return refuse(s, e, XC_CLI_EXISTING,
		              "another entry has the same result (see --keep-suffix)", kind);
	default:
		return refuse(s, e, XC_CLI_OTHER, "out of memory", kind);
	}
}

static int read_data(xc_cli_shard *s, xc_context *context, la_int64_t size, xc_cli_entry *e,
                     xc_cli_kind *kind)
{
	xc_cli_limit_memory(context, s->job->limits, (uint64_t)size, 1);
	if ((uint64_t)size > SIZE_MAX - 1 || xc_context_charge(context, (uint64_t)size)) {
		xc_cli_error(e->subject, "%lld bytes are too many (see --max-memory)", (long long)size);
		return leave_out(s, XC_CLI_OVER_LIMIT, kind);
	}
	e->size = (size_t)size;
	e->data = malloc(e->size + 1);
	const la_ssize_t got = e->data ? libarchive.read_data(s->in, e->data, e->size) : 0;
	if (e->data && got == (la_ssize_t)size)
		return 0;
	const int lacks_memory = !e->data;
	xc_cli_forget(context, e->data, e->size);
	if (lacks_memory)
		xc_context_refund(context, e->size);
	e->data = NULL;
	return lacks_memory ? refuse(s, e, XC_CLI_OTHER, "out of memory", kind) : fail_reading(s, kind);
}

/* Where the bytes of a picture lie in the shard, so that whoever works on it reads them: 1, or 0 where they must be
 * unpacked, or the shard ends before them. */
static int find_data(const xc_cli_shard *s, struct archive_entry *from, xc_cli_entry *e)
{
	const la_int64_t size = libarchive.entry_size(from), at = libarchive.filter_bytes(s->in, 0);
	struct stat status;

	if (!e->picture || libarchive.filter_count(s->in) != 1 || libarchive.entry_sparse_count(from) ||
	    at < 0 || size < 0 || fstat(s->file, &status) || !S_ISREG(status.st_mode) ||
	    status.st_size < at || status.st_size - at < size || (uint64_t)size > SIZE_MAX)
		return 0;
	e->file = s->file;
	e->begin = (uint64_t)at;
	e->size = (size_t)size;
	return 1;
}

/* What kind of file an entry is, if it is none that is read; NULL otherwise. */
static const char *other_kind(struct archive_entry *from)
{
	if (libarchive.entry_hardlink(from) || libarchive.entry_filetype(from) == AE_IFLNK)
		return "is a link, and left out";
	return libarchive.entry_filetype(from) == AE_IFREG ? NULL : "is no file, and left out";
}

/* 1: the entry is to be worked on, 0: it is left out, -1 after a failure. */
static int take(xc_cli_shard *s, struct archive_entry *from, xc_context *context, xc_cli_entry *e,
                xc_cli_kind *kind)
{
	const xc_cli_shard_job *job = s->job;
	const char *name = libarchive.entry_pathname(from), *other = other_kind(from);

	if (libarchive.entry_filetype(from) == AE_IFDIR)
		return 0;
	name = name ? name : "an entry whose name cannot be read";
	while (name[0] == '.' && name[1] == '/')
		name += 2;
	e->picture = job->takes(job->user, name);
	e->name = e->picture ? xc_cli_result_path(NULL, name, job->suffix, job->keep_suffix)
	                     : strdup(name);
	e->subject = join(job->path, name);
	if (!e->name || !e->subject) {
		xc_cli_error(job->path, "out of memory");
		return leave_out(s, XC_CLI_OTHER, kind);
	}
	if (leads_out(name))
		return refuse(s, e, XC_CLI_FOREIGN, "leads out of the shard by its name, and is left out",
		              kind);
	if (other) {
		xc_cli_warning(e->subject, "%s", other);
		return skip(s, kind);
	}
	if (check_name(s, e, kind) ||
	    (!find_data(s, from, e) && read_data(s, context, libarchive.entry_size(from), e, kind)))
		return -1;
	e->time = libarchive.entry_mtime_is_set(from) ? (int64_t)libarchive.entry_mtime(from) : 0;
	return 1;
}

/* A tar file ends with blocks of zeros; one that was cut off after a whole entry does not. */
static int check_end(xc_cli_shard *s, xc_cli_kind *kind)
{
	enum { TAR_BLOCK = 512 };

	s->ended = 1;
	return libarchive.filter_bytes(s->in, 0) >= libarchive.read_header_position(s->in) + TAR_BLOCK
	           ? 0
	           : fail_shard(s, XC_CLI_BROKEN, "is cut off: it has no end mark", kind);
}

static int read_next(xc_cli_shard *s, xc_context *context, xc_cli_entry *e, xc_cli_kind *kind)
{
	struct archive_entry *from;
	int got = 0;

	while (!got && !s->ended) {
		const int status = libarchive.read_next_header(s->in, &from);

		if (status == ARCHIVE_RETRY)
			continue;
		if (status == ARCHIVE_EOF)
			got = check_end(s, kind);
		else if (status == ARCHIVE_FATAL || status == ARCHIVE_FAILED)
			got = fail_reading(s, kind);
		else
			got = take(s, from, context, e, kind);
		if (got <= 0)
			free_entry(e);
	}
	return got;
}

int xc_cli_shard_next(xc_cli_shard *s, xc_context *context, xc_cli_entry *e, xc_cli_kind *kind)
{
	int got = 0;

	*e = (xc_cli_entry){.file = -1};
	pthread_mutex_lock(&s->reading);
	const locale_t usual = uselocale(s->utf8);
	if (!s->ended && !__atomic_load_n(&s->failed, __ATOMIC_RELAXED)) {
		const uint64_t number = xc_cli_order_begin(&s->order);

		got = read_next(s, context, e, kind);
		e->number = number;
		if (got <= 0)
			xc_cli_order_end(&s->order, number, &(xc_cli_piece){.name = NULL});
	}
	uselocale(usual);
	pthread_mutex_unlock(&s->reading);
	return got;
}

/* ---------------------------------------------------------------------- writing */

static la_ssize_t write_block(struct archive *a, void *user, const void *block, size_t size)
{
	if (!xc_cli_output_write(user, block, size))
		return (la_ssize_t)size;
	libarchive.set_error(a, EIO, "cannot write");
	return -1;
}

/* Reports what the output has not. */
static int check_write(xc_cli_shard *s, int status)
{
	if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
		return 0;
	if (!s->failed && !s->job->out->failed)
		xc_cli_error(s->job->out->path, "cannot write: %s", libarchive.error_string(s->out));
	__atomic_store_n(&s->failed, 1, __ATOMIC_RELAXED);
	return -1;
}

static void write_piece(void *user, const xc_cli_piece *piece)
{
	xc_cli_shard *s = user;
	struct archive_entry *to = s->failed ? NULL : libarchive.entry_new2(s->out);

	if (!to)
		return;
	const locale_t usual = uselocale(s->utf8);
	libarchive.entry_copy_pathname(to, piece->name);
	libarchive.entry_set_filetype(to, AE_IFREG);
	libarchive.entry_set_perm(to, 0644);
	libarchive.entry_set_mtime(to, piece->time, 0);
	libarchive.entry_set_size(to, (la_int64_t)piece->size);
	if (!check_write(s, libarchive.write_header(s->out, to)) && piece->size &&
	    libarchive.write_data(s->out, piece->data, piece->size) != (la_ssize_t)piece->size)
		check_write(s, ARCHIVE_FATAL);
	libarchive.entry_free(to);
	uselocale(usual);
}

void xc_cli_shard_put(xc_cli_shard *s, xc_cli_entry *e, uint8_t *data, size_t size)
{
	const xc_cli_piece piece = {.name = e->name,
	                            .time = e->time,
	                            .data = data,
	                            .size = data ? size : 0};

	e->name = NULL;
	free_entry(e);
	xc_cli_order_end(&s->order, e->number, &piece);
}

/* ------------------------------------------------------------------ open, close */

/* Only what libarchive unpacks by itself is read: no other program is run. */
static int open_reader(xc_cli_shard *s)
{
	struct archive *a = s->in;

	if (libarchive.read_support_filter_gzip(a) || libarchive.read_support_filter_bzip2(a) ||
	    libarchive.read_support_filter_xz(a) || libarchive.read_support_filter_zstd(a) ||
	    libarchive.read_support_filter_lz4(a))
		libarchive.clear_error(a);
	xc_cli_note_failure(XC_ERR_FORMAT);
	if (libarchive.read_support_format_tar(a) || libarchive.read_open_fd(a, s->file, BLOCK))
		return xc_cli_error(s->job->path, "cannot be read: %s", libarchive.error_string(a));
	return 0;
}

static int open_writer(xc_cli_shard *s)
{
	struct archive *a = s->out;

	if (libarchive.write_set_format_pax_restricted(a) ||
	    libarchive.write_set_bytes_per_block(a, BLOCK) ||
	    libarchive.write_set_bytes_in_last_block(a, 1) ||
	    libarchive.write_open(a, s->job->out, NULL, write_block, NULL))
		return xc_cli_error(s->job->out->path, "cannot write: %s", libarchive.error_string(a));
	return 0;
}

static void release(xc_cli_shard *s)
{
	libarchive.read_free(s->in);
	libarchive.write_free(s->out);
	if (s->file >= 0)
		close(s->file);
	if (s->utf8)
		freelocale(s->utf8);
	xc_cli_order_free(&s->order);
	xc_cli_names_free(&s->names);
	pthread_mutex_destroy(&s->reading);
	free(s);
}

xc_cli_shard *xc_cli_shard_open(const xc_cli_shard_job *job)
{
	const char *missing = xc_cli_libarchive_load();

	if (missing) {
		xc_cli_error(job->path, "is a tar file, and libarchive cannot be loaded: %s", missing);
		return NULL;
	}
	xc_cli_shard *s = calloc(1, sizeof *s);
	if (!s || xc_cli_order_init(&s->order, (size_t)job->workers * 4)) {
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
	s->file = open(job->path, O_RDONLY | O_CLOEXEC);
	s->in = libarchive.read_new();
	s->out = libarchive.write_new();
	if (s->file < 0)
		xc_cli_error(job->path, "cannot open: %s", strerror(errno));
	else if (!s->in || !s->out)
		xc_cli_error(job->path, "out of memory");
	else if (!open_reader(s) && !open_writer(s))
		return s;
	release(s);
	return NULL;
}

int xc_cli_shard_close(xc_cli_shard *s)
{
	if (s->failed || s->useless)
		libarchive.write_fail(s->out);
	else
		check_write(s, libarchive.write_close(s->out));
	const int failed = s->failed || s->useless || s->job->out->failed;
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
