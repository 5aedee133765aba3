/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/stream.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"
#include "cli/base/stages.h"
#include "cli/stream/shard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------------- verdicts */

static xc_cli_kind kind_of_failure(const xc_cli_input *in, const xc_cli_output *out)
{
	if (out->existing)
		return XC_CLI_EXISTING;
	if (out->failed)
		return xc_cli_last_failure() == XC_ERR_LIMIT ? XC_CLI_OVER_LIMIT : XC_CLI_UNWRITABLE;
	if (in->error)
		return XC_CLI_UNREADABLE;
	switch (xc_cli_last_failure()) {
	case XC_OK: /* the first bytes told */
	case XC_ERR_FORMAT:
	case XC_ERR_UNSUPPORTED:
		return XC_CLI_FOREIGN;
	case XC_ERR_TRUNCATED:
	case XC_ERR_CORRUPT:
		return XC_CLI_BROKEN;
	case XC_ERR_LIMIT:
		return XC_CLI_OVER_LIMIT;
	case XC_ERR_IO:
		return XC_CLI_UNREADABLE;
	default:
		return XC_CLI_OTHER;
	}
}

/* Adds what that returned, if it is not 0. */
static void count_start(xc_cli_tally *tally, const xc_cli_output *out, int started)
{
	if (started > 0)
		tally->existed++;
	else
		tally->failed[out->existing ? XC_CLI_EXISTING : XC_CLI_UNWRITABLE]++;
}

static void count(xc_cli_tally *tally, int failed, const xc_cli_task *task, uint64_t size)
{
	if (failed < 0) {
		tally->failed[task->became == XC_CLI_REFUSED ? XC_CLI_UNPACKABLE
		                                             : kind_of_failure(task->in, task->out)]++;
		return;
	}
	tally->kept += task->out->dropped != 0;
	tally->done++;
	tally->repacked += task->became == XC_CLI_REPACKED;
	tally->stored += task->became == XC_CLI_STORED;
	tally->recoded += task->became == XC_CLI_RECODED;
	if (!task->out->dropped) {
		tally->exact += task->loss == XC_CLI_EXACT;
		tally->lossy += task->loss >= XC_CLI_LOSSY;
		tally->lossy_16 += task->loss == XC_CLI_LOSSY_16;
	}
	tally->flawed += task->flawed != 0;
	tally->damaged += failed == XC_CLI_DAMAGED;
	tally->pixels += task->pixels;
	tally->bytes_in += size;
	tally->bytes_out += task->out->dropped ? size : task->out->written;
}

/* Keeps or prints what --json tells of the item with that number. */
static void tell(xc_cli_stream *s, uint64_t number, char *text)
{
	if (s->told) {
		free(s->told[number]);
		s->told[number] = text;
		return;
	}
	pthread_mutex_lock(&s->counting);
	if (text && !s->spread)
		xc_cli_summary_print(text, s->printed++);
	pthread_mutex_unlock(&s->counting);
	free(text);
}

/* The same of an input that failed, by the last report, or was not tried; any other is told already. */
static void tell_failure(xc_cli_stream *s, uint64_t number, const char *input, const char *output,
                         const xc_cli_tally *tally)
{
	xc_cli_summary summary;
	int kind = 0;

	while (kind < XC_CLI_KINDS && !tally->failed[kind])
		kind++;
	if (!s->batch->json || s->spread || (kind == XC_CLI_KINDS && !tally->untried) ||
	    xc_cli_summary_begin(&summary, input, output, NULL))
		return;
	const int tried = kind < XC_CLI_KINDS;
	xc_cli_json_text(&summary.json, "status",
	                 tried ? xc_cli_kind_name((xc_cli_kind)kind) : "untried");
	xc_cli_json_text(&summary.json, "message",
	                 tried ? xc_cli_last_line()
	                       : strerror(__atomic_load_n(&s->full, __ATOMIC_RELAXED)));
	tell(s, number, xc_cli_summary_end(&summary));
}

void xc_cli_stream_refused(void *user, uint64_t number, const char *path)
{
	tell_failure(user, number, path, NULL, &(xc_cli_tally){.failed = {[XC_CLI_UNREADABLE] = 1}});
}

/* One picture, a file or an entry, whose input is open and whose output was started: adds what came
 * of it to the tally. name: by which it is matched. told: for what --json tells, which the caller frees. Returns 1 if the
 * input is to be kept. */
static int work_on_input(xc_cli_stream *s, int worker, xc_cli_input *in, xc_cli_output *out,
                         const char *name, xc_cli_tally *tally, char **told)
{
	xc_context *context = s->workers.contexts[worker];
	const double begun = xc_cli_seconds();
	xc_cli_task task = {.context = context, .in = in, .out = out, .use = &s->use[worker]};
	uint64_t size;
	const int known = xc_cli_input_regular(in, &size);

	task.lossless = xc_cli_globs_match(&s->batch->lossless, name);
	out->max = s->batch->smaller && known ? size : 0;
	task.progress = xc_cli_batch_progress_begin(&s->workers.progress, worker, context);
	xc_cli_note_failure(XC_OK);
	if (in->packed)
		xc_cli_limit_entry(context, &s->workers.limits, size, in->packed);
	else
		xc_cli_limit_memory(context, &s->workers.limits, known ? size : UINT64_MAX, 1);
	const int failed = s->batch->work(s->batch->user, &task);
	xc_cli_output_end(out, 0);
	xc_cli_batch_progress_end(&s->workers.progress, worker);
	*told = task.told;
	count(tally, failed, &task, known ? size : 0);
	tally->seconds += xc_cli_seconds() - begun;
	if (failed >= 0 && strcmp(xc_context_device(context), "cpu"))
		__atomic_add_fetch(&s->by_gpu, 1, __ATOMIC_RELAXED);
	return failed >= 0 && out->dropped;
}

/* ----------------------------------------------------------------------- a file */

static int is_copied(const xc_cli_stream *s, const xc_cli_item *item)
{
	return !s->out && item->way > XC_CLI_SHARD;
}

/* The path of an item's result; NULL after reporting that there is no memory. */
static char *path_of(const xc_cli_stream *s, const xc_cli_item *item)
{
	const xc_cli_batch *b = s->batch;

	if (s->out)
		return xc_cli_result_path(NULL, s->out, ".tar", XC_CLI_NAMING_REPLACE);
	return xc_cli_result_name(b->folder, item->path + item->name, item->way,
	                          xc_cli_suffix_of_file(b->suffix_of, item->path, b->suffix),
	                          (xc_cli_naming)b->naming);
}

/* The name of a result below the folder, as manifests have it. */
static const char *below(const xc_cli_stream *s, const char *path)
{
	path += strlen(s->batch->folder);
	return path + (*path == '/');
}

/* Whether a result has the time of its input, which each one is given, as far as its file system can keep that:
 * some have units of 100 ns or 1 us, exFAT of 10 ms, others of a second, FAT of two. */
static int has_time_of(const struct stat *result, const struct stat *input)
{
	static const long units[] = {10000000, 1000, 100, 1};
	const struct timespec *r = &result->st_mtim, *i = &input->st_mtim;
	int k = 0;

	if (!r->tv_nsec)
		return i->tv_sec == r->tv_sec || (r->tv_sec % 2 == 0 && i->tv_sec == r->tv_sec + 1);
	while (r->tv_nsec % units[k])
		k++;
	return i->tv_sec == r->tv_sec && i->tv_nsec - i->tv_nsec % units[k] == r->tv_nsec;
}

/* A result that exists was finished before a run was killed, or by an earlier run, if it has the time of this
 * input. An empty one is never finished: a file system may lose the bytes of a file that it had no time to write. */
static int start_in(const xc_cli_stream *s, xc_cli_folder *into, xc_cli_output *out,
                    const char *path, const xc_cli_item *item, const struct stat *status)
{
	const xc_cli_batch *b = s->batch;
	const int own = item->whose == XC_CLI_OWN;
	const int again = (b->force && !b->skip_existing) || item->whose == XC_CLI_OWN_AGAIN;
	int started = xc_cli_output_start_in(out, into, path, again, status);

	if (started <= 0)
		return started;
	const int full = out->found.st_size != 0, same = has_time_of(&out->found, status);
	if ((own || b->skip_existing) && full && same)
		return 1;
	if (b->force || (own && !full))
		return xc_cli_output_start_in(out, into, path, 1, status);
	out->existing = 1;
	if (own || b->skip_existing)
		return xc_cli_error(path, "exists already, and %s (--force overwrites it)",
		                    full ? "has another time than its input" : "is empty");
	return item->whose == XC_CLI_NOBODYS
	           ? xc_cli_error(path, "exists already (--force overwrites it, --skip-existing passes "
	                                "over it if it has the time of its input)")
	           : xc_cli_error(
					 item->path,
					 "%s is the result of another input of an earlier run (another DIR keeps "
					 "both; if that one was moved, --skip-existing takes it over)",
					 path);
}

/* Notes that nothing more can be written: other inputs would fail for the same reason, after all the work. */
static void note_full(xc_cli_stream *s, int error)
{
	const int denied = error == EACCES && s->batch->folder &&
	                   faccessat(AT_FDCWD, s->batch->folder, W_OK | X_OK, AT_EACCESS);

	if (error == ENOSPC || error == EDQUOT || error == EROFS || denied)
		__atomic_store_n(&s->full, error, __ATOMIC_RELAXED);
}

/* Starts an output: 0, 1 if its result exists and counts as finished, or -1 after
 * reporting why not. */
static int start(xc_cli_stream *s, xc_cli_results *results, xc_cli_output *out, const char *path,
                 const xc_cli_item *item, const struct stat *status)
{
	const char *const read[] = {item->path, s->batch->also_read};
	char stamp[XC_CLI_STAMP];
	int started;

	out->existing = 0;
	if (s->out) {
		started = xc_cli_output_start(out, path, s->batch->force, read, 2);
	} else {
		if (xc_cli_results_enter(results, path, item->path, item->name)) {
			note_full(s, errno);
			return -1;
		}
		started = start_in(s, &results->into, out, path, item, status);
		if (!started && out->found.st_mode && xc_cli_output_check_inputs(out, read + 1, 1))
			started = xc_cli_output_end(out, 0);
		xc_cli_claims_stamp(stamp, status, NULL, NULL);
		if (!started && s->manifest &&
		    xc_cli_manifest_begin(s->manifest, below(s, path), item->input, stamp,
		                          s->batch->sync)) {
			note_full(s, errno);
			started = xc_cli_output_end(out, 0);
		}
	}
	out->sync = s->batch->sync;
	out->source = *status;
	return started;
}

/* Deletes an input whose result is in its place, or counts what is wrong with that: NULL, or why it stays. */
static const char *delete_input(const xc_cli_stream *s, int worker, const xc_cli_input *in,
                                const char *path, xc_cli_tally *tally)
{
	const char *kept;
	const int stays = xc_cli_batch_delete_input(s->batch, &s->workers.limits,
	                                            s->workers.contexts[worker], in, path, &kept);

	tally->deleted += !stays;
	tally->undeletable += stays == -2;
	if (stays == -1)
		*tally = (xc_cli_tally){.failed = {[XC_CLI_BROKEN] = 1}};
	return kept;
}

/* With --delete-after-verify says whether an input was deleted, and adds it to what --json tells, which may be NULL:
 * returns that. path: of the result. */
static char *say_deleted(const xc_cli_stream *s, const char *input, const char *path, char *told,
                         const char *kept)
{
	char shown[XC_CLI_SHOWN];
	xc_cli_summary summary;

	if (s->batch->verbosity == XC_CLI_VERBOSE) {
		xc_cli_escape(shown, sizeof shown, input);
		xc_cli_say("%s: %s%s\n", shown, kept ? "kept, since " : "deleted", kept ? kept : "");
	}
	if (s->batch->json && !told && !xc_cli_summary_begin(&summary, input, path, NULL))
		told = xc_cli_summary_end(&summary);
	return told ? xc_cli_summary_deleted(told, kept) : NULL;
}

/* Tells everybody what came of an item, and frees it. path: of the result. input: the file, as it was when it was
 * opened. bad: a note about a shard that is finished although entries failed, or NULL. */
static void finish(xc_cli_stream *s, int worker, xc_cli_item *item, const char *path,
                   const struct stat *input, xc_cli_tally *tally, const char *bad)
{
	const int failed = xc_cli_tally_failed(tally) != 0;
	char stamp[XC_CLI_STAMP];

	tally->stayed = s->batch->delete_inputs && !tally->deleted;
	pthread_mutex_lock(&s->counting);
	xc_cli_tally_add(&s->tally, tally);
	pthread_mutex_unlock(&s->counting);
	if (s->manifest && !tally->untried && (!failed || bad)) {
		char *kept = tally->kept ? xc_cli_result_path(s->batch->folder, item->path + item->name,
		                                              NULL, XC_CLI_NAMING_REPLACE)
		                         : NULL;
		const int again = tally->damaged || xc_cli_claims_stamp(stamp, input, path, kept);
		xc_cli_manifest_add(s->manifest, bad || again ? XC_CLI_LINE_BAD : XC_CLI_LINE_DONE,
		                    below(s, path), item->input, bad || again ? bad : stamp);
		free(kept);
	}
	if (s->spread)
		s->spread->done(s->spread->user, worker, item, tally);
	xc_cli_item_free(item);
}

/* Copies an item to the output that was started: adds what came of it to the tally. */
static void copy_item(xc_cli_input *in, xc_cli_output *out, xc_cli_tally *tally)
{
	uint8_t piece[1 << 15];
	ptrdiff_t got;
	int failed = 0;

	do {
		got = xc_cli_input_read(in, piece, sizeof piece);
		failed = got < 0 ? xc_cli_error(in->name, "cannot read: %s", strerror(in->error))
		                 : xc_cli_output_write(out, piece, (size_t)got);
	} while (!failed && got);
	if (!xc_cli_output_end(out, !failed))
		tally->copied++;
	else
		tally->failed[out->existing ? XC_CLI_EXISTING
		              : in->error   ? XC_CLI_UNREADABLE
		                            : XC_CLI_UNWRITABLE]++;
}

/* Copies a picture under its own name, in the place of a result that would have been larger. */
static void keep(xc_cli_stream *s, int worker, const xc_cli_item *item, xc_cli_tally *tally)
{
	xc_cli_tally lost = {.done = 0};
	xc_cli_input in;
	xc_cli_output out;
	const xc_cli_batch *b = s->batch;
	char *path = xc_cli_result_path(b->folder, item->path + item->name, NULL,
	                                (xc_cli_naming)b->naming);

	if (path && !xc_cli_input_open(&in, item->path)) {
		struct stat there;
		const int is_there = !stat(path, &there) && xc_cli_same_file(&there, &in.status);
		const int started = is_there ? 1
		                             : start(s, &s->results[worker], &out, path, item, &in.status);

		if (started < 0)
			count_start(&lost, &out, started);
		else if (!started)
			copy_item(&in, &out, &lost);
		note_full(s, started ? 0 : out.error);
		xc_cli_input_close(&in);
	} else {
		lost.failed[path ? XC_CLI_UNREADABLE : XC_CLI_OTHER]++;
	}
	free(path);
	lost.copied = 0;
	if (xc_cli_tally_failed(&lost))
		*tally = lost;
}

static void work_on_file(xc_cli_stream *s, int worker, xc_cli_item *item)
{
	const double begun = xc_cli_seconds();
	xc_cli_tally tally = {.done = 0};
	xc_cli_input in = {.file = -1};
	xc_cli_output out;
	char *path = path_of(s, item), *told = NULL;
	const char *kept = "it is copied";

	if (!path) {
		tally.failed[XC_CLI_OTHER]++;
	} else if (xc_cli_input_open(&in, item->path)) {
		tally.failed[XC_CLI_UNREADABLE]++;
	} else {
		const int started = start(s, &s->results[worker], &out, path, item, &in.status);

		if (started)
			count_start(&tally, &out, started);
		else if (is_copied(s, item))
			copy_item(&in, &out, &tally);
		else if (work_on_input(s, worker, &in, &out, item->path + item->name, &tally, &told))
			keep(s, worker, item, &tally);
		else
			kept = "parts of it are lost";
		const int done = started > 0 || (tally.done && !tally.damaged && !out.dropped);
		if (s->batch->delete_inputs && done && !is_copied(s, item))
			kept = delete_input(s, worker, &in, path, &tally);
		note_full(s, started ? 0 : out.error);
		xc_cli_input_close(&in);
	}
	/* opening and naming files included, which takes longer than coding a small picture */
	tally.seconds = xc_cli_seconds() - begun;
	if (xc_cli_tally_failed(&tally)) {
		free(told);
		told = NULL;
	} else if (s->batch->delete_inputs) {
		told = say_deleted(s, item->path, path, told, kept);
	}
	if (told)
		tell(s, item->number, told);
	tell_failure(s, item->number, item->path, path, &tally);
	finish(s, worker, item, path, &in.status, &tally, NULL);
	free(path);
}

/* ------------------------------------------------------------------------------------ shards */

struct xc_cli_open_shard {
	xc_cli_item item;
	char *path; /* of the result */
	xc_cli_results results;
	xc_cli_output out;
	xc_cli_shard_job job;
	xc_cli_shard *shard;
	int users;                /* workers; guarded by the stream's lock of taking */
	struct stat status;       /* of the shard when it was opened */
	pthread_mutex_t counting; /* guards what follows */
	uint64_t left_out;        /* entries; the shard's own */
	uint64_t lost;            /* links; likewise */
	xc_cli_tally tally;
	char first[XC_CLI_NOTE - XC_CLI_STAMP - 64]; /* what the first failure said */
};

static void free_shard(xc_cli_open_shard *o)
{
	xc_cli_results_end(&o->results);
	pthread_mutex_destroy(&o->counting);
	free(o->path);
	free(o);
}

/* Begins the result and opens the shard: 0, or -1 when the tally tells why not. */
static int begin(xc_cli_stream *s, xc_cli_open_shard *o)
{
	if (stat(o->item.path, &o->status))
		o->status = (struct stat){.st_mode = 0};
	const int started = start(s, &o->results, &o->out, o->path, &o->item, &o->status);
	if (started) {
		count_start(&o->tally, &o->out, started);
		return -1;
	}
	o->job = (xc_cli_shard_job){.path = o->item.path,
	                            .suffix = s->batch->suffix,
	                            .suffix_of = s->batch->suffix_of,
	                            .naming = s->batch->naming == XC_CLI_NAMING_KEEP
	                                          ? XC_CLI_NAMING_KEEP
	                                          : XC_CLI_NAMING_REPLACE,
	                            .excluded = &s->batch->excluded,
	                            .matched = &s->batch->copied,
	                            .left_out = &o->left_out,
	                            .lost = &o->lost,
	                            .takes = s->batch->takes,
	                            .user = s->batch->user,
	                            .limits = &s->workers.limits,
	                            .workers = s->workers.threads,
	                            .copied = &s->copied,
	                            .out = &o->out};
	o->shard = xc_cli_shard_open(&o->job);
	if (o->shard)
		return 0;
	xc_cli_output_end(&o->out, 0);
	o->tally.failed[xc_cli_last_failure() == XC_ERR_FORMAT ? XC_CLI_FOREIGN : XC_CLI_UNREADABLE]++;
	return -1;
}

/* Opens a shard and makes it the stream's: 0, or -1 after reporting why not, when the item is done.
 * The caller holds the lock of taking. */
static int open_shard(xc_cli_stream *s, int worker, xc_cli_item *item)
{
	xc_cli_open_shard *o = calloc(1, sizeof *o);
	char *path = o ? path_of(s, item) : NULL;

	if (!path) {
		xc_cli_tally lost = {.failed = {[XC_CLI_OTHER] = 1}};

		if (!o)
			xc_cli_error(item->path, "out of memory");
		free(o);
		tell_failure(s, item->number, item->path, NULL, &lost);
		finish(s, worker, item, NULL, NULL, &lost, NULL);
		return -1;
	}
	o->item = *item;
	o->path = path;
	item->path = item->input = NULL;
	pthread_mutex_init(&o->counting, NULL);
	xc_cli_results_begin(&o->results, s->batch->folder,
	                     s->manifest ? xc_cli_manifest_temporary(s->manifest) : -1);
	if (!begin(s, o)) {
		s->shard = o;
		return 0;
	}
	tell_failure(s, o->item.number, o->item.path, o->path, &o->tally);
	finish(s, worker, &o->item, o->path, &o->status, &o->tally, NULL);
	free_shard(o);
	return -1;
}

/* Notes that a worker will work on the shard; the caller holds that lock. */
static void join_shard(xc_cli_open_shard *o)
{
	o->users++;
}

static void add(xc_cli_open_shard *o, const xc_cli_tally *tally)
{
	pthread_mutex_lock(&o->counting);
	xc_cli_tally_add(&o->tally, tally);
	if (!*o->first && xc_cli_tally_failed(tally))
		snprintf(o->first, sizeof o->first, "%s", xc_cli_last_line());
	pthread_mutex_unlock(&o->counting);
}

/* Takes over the entry's bytes, or leaves them where they are: 0, or -1 after reporting that
 * they cannot be read. */
static int open_entry(xc_context *context, const xc_cli_entry *e, xc_cli_input *in)
{
	if (e->file >= 0)
		return xc_cli_input_range(in, e->subject, e->file, e->begin, e->size);
	xc_cli_input_memory(in, e->subject, context, e->data, e->size);
	return 0;
}

/* The bytes of a picture in the place of a result that would have been larger, or NULL. */
static uint8_t *keep_entry(xc_context *context, xc_cli_input *in, xc_cli_entry *e, size_t *size,
                           xc_cli_tally *tally)
{
	uint8_t *data = NULL;
	char *name = xc_cli_text(e->subject, "%s", e->own);

	in->stays = 0;
	if (!name || xc_cli_input_read_all(in, context, &data, size)) {
		free(name);
		*tally = (xc_cli_tally){.failed = {[XC_CLI_OTHER] = 1}};
		return NULL;
	}
	xc_context_refund(context, *size);
	e->stays = name;
	return data;
}

/* Takes over the entry's bytes and returns the result's, or NULL. */
static uint8_t *work_on_picture(xc_cli_stream *s, int worker, xc_cli_open_shard *o, xc_cli_entry *e,
                                size_t *size)
{
	xc_context *context = s->workers.contexts[worker];
	xc_cli_tally tally = {.done = 0};
	xc_cli_input in;
	xc_cli_output out;
	uint8_t *data = NULL;
	char *name = xc_cli_text(o->path, "%s/%s", o->path, e->name), *told = NULL;

	if (open_entry(context, e, &in)) {
		tally.failed[XC_CLI_UNREADABLE]++;
	} else if (name) {
		in.packed = e->packed;
		in.stays = s->batch->smaller;
		xc_cli_output_start_memory(&out, name, context);
		if (work_on_input(s, worker, &in, &out, e->own, &tally, &told))
			data = keep_entry(context, &in, e, size, &tally);
		else
			xc_cli_output_take(&out, &data, size);
	} else {
		tally.failed[XC_CLI_OTHER]++;
	}
	xc_cli_input_close(&in);
	if (told)
		tell(s, o->item.number, told);
	tell_failure(s, o->item.number, e->subject, name, &tally);
	free(name);
	add(o, &tally);
	return data;
}

static void work_on_entry(xc_cli_stream *s, int worker, xc_cli_open_shard *o, xc_cli_entry *e)
{
	size_t size = e->size;
	uint8_t *data = e->data;

	if (e->picture)
		data = work_on_picture(s, worker, o, e, &size);
	else
		xc_context_refund(s->workers.contexts[worker], size);
	if (e->matched)
		add(o, &(xc_cli_tally){.copied = 1});
	xc_cli_shard_put(o->shard, e, data, size);
}

/* All entries were written. A job that can be resumed tries those again that the machine failed on:
 * then there is no result yet. Entries that are wrong are left out, and told again. */
static void end(xc_cli_stream *s, int worker, xc_cli_open_shard *o)
{
	int failed = xc_cli_shard_close(o->shard);
	/* What came of the shard itself: its entries were told one by one. */
	xc_cli_tally whole = {.excluded = o->left_out, .failed = {[XC_CLI_FOREIGN] = o->lost}};
	if (o->lost && !*o->first)
		snprintf(o->first, sizeof o->first, "a link to an entry that has no result");
	const unsigned long long bad = xc_cli_tally_failed(&o->tally) + o->lost;
	char note[XC_CLI_NOTE], stamp[XC_CLI_STAMP];

	if (!failed && s->manifest && xc_cli_tally_unfinished(&o->tally))
		failed = xc_cli_error(o->path, "is not made, since some entries could not be read or "
		                               "coded (--resume tries again)");
	const int placed = !xc_cli_output_end(&o->out, !failed);
	note_full(s, o->out.error);
	if (!placed && (o->out.failed || !bad))
		whole.failed[o->out.existing ? XC_CLI_EXISTING : XC_CLI_UNWRITABLE]++;
	tell_failure(s, o->item.number, o->item.path, o->path, &whole);
	xc_cli_tally_add(&o->tally, &whole);
	xc_cli_claims_stamp(stamp, &o->status, NULL, NULL);
	snprintf(note, sizeof note, "%s%llu of its entries failed, the first: %s", stamp, bad,
	         o->first);
	if (s->batch->delete_inputs && s->batch->verbosity == XC_CLI_VERBOSE)
		say_deleted(s, o->item.path, NULL, NULL, "it is a tar file");
	finish(s, worker, &o->item, o->path, &o->status, &o->tally, placed && bad ? note : NULL);
	free_shard(o);
}

/* Works on the entries of a shard that the worker has joined until there are no more, and leaves
 * it. Who leaves last ends it. */
static void work_on_shard(xc_cli_stream *s, int worker, xc_cli_open_shard *o)
{
	xc_cli_entry entry;
	xc_cli_kind kind = XC_CLI_OTHER;
	int got;

	while ((got = xc_cli_shard_next(o->shard, s->workers.contexts[worker], &entry, &kind))) {
		if (got > 0) {
			work_on_entry(s, worker, o, &entry);
		} else {
			xc_cli_tally tally = {.done = 0};

			tally.failed[kind]++;
			tell_failure(s, o->item.number, entry.subject ? entry.subject : o->item.path, o->path,
			             &tally);
			free(entry.subject);
			add(o, &tally);
		}
	}
	pthread_mutex_lock(&s->taking);
	if (s->shard == o)
		s->shard = NULL;
	const int last = --o->users == 0;
	pthread_mutex_unlock(&s->taking);
	if (last)
		end(s, worker, o);
}

/* --------------------------------------------------------------------- all items */

/* Items that were taken ahead have not begun. */
static void note_begun(xc_cli_stream *s)
{
	const double ahead = s->ahead_count - s->ahead_next;
	double begun = xc_cli_items_fraction(s->items);

	begun *= s->given ? (double)s->given / ((double)s->given + ahead) : 0;
	__atomic_store(&s->begun, &begun, __ATOMIC_RELAXED);
}

static int take_item(xc_cli_stream *s, int worker, xc_cli_item *item)
{
	if (s->spread)
		return s->spread->next(s->spread->user, worker, item);
	int got = 1;
	if (s->ahead_next < s->ahead_count)
		*item = s->ahead[s->ahead_next++];
	else
		got = xc_cli_items_next(s->items, item);
	s->given += got == 1;
	note_begun(s);
	return got;
}

/* An item that is not tried. */
static void pass_over(xc_cli_stream *s, int worker, xc_cli_item *item)
{
	xc_cli_tally tally = {.untried = 1};

	tell_failure(s, item->number, item->path, NULL, &tally);
	finish(s, worker, item, NULL, NULL, &tally, NULL);
}

/* Works on the open shard, or takes the next item: 0 if there is none. */
static int step(xc_cli_stream *s, int worker)
{
	const double begun = xc_cli_seconds();
	xc_cli_item item = {.path = NULL};
	int more = 1;
	const int full = __atomic_load_n(&s->full, __ATOMIC_RELAXED);

	pthread_mutex_lock(&s->taking);
	if (!s->shard) {
		more = take_item(s, worker, &item);
		if (more && !full && xc_cli_is_shard(item.path) && !is_copied(s, &item))
			open_shard(s, worker, &item);
	}
	xc_cli_open_shard *shard = s->shard;
	if (shard)
		join_shard(shard);
	pthread_mutex_unlock(&s->taking);
	if (s->spread)
		s->spread->waited(s->spread->user, worker, xc_cli_seconds() - begun);
	if (shard)
		work_on_shard(s, worker, shard);
	else if (item.path && full)
		pass_over(s, worker, &item);
	else if (item.path)
		work_on_file(s, worker, &item);
	return more;
}

static void work(void *user, int worker)
{
	xc_cli_stream *s = user;

	xc_cli_results_begin(&s->results[worker], s->batch->folder,
	                     s->manifest ? xc_cli_manifest_temporary(s->manifest) : -1);
	while (step(s, worker))
		;
	xc_cli_results_end(&s->results[worker]);
}

static void *work_aside(void *user)
{
	xc_cli_stream *s = user;

	xc_cli_workers_loop(&s->workers, work, s);
	s->spread->dismiss(s->spread->user);
	return NULL;
}

/* The main thread attends to the other processes meanwhile. */
static void run_spread(xc_cli_stream *s)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work_aside, s)) {
		xc_cli_error(NULL, "no thread can be begun");
		s->tally.failed[XC_CLI_OTHER]++;
		s->spread->dismiss(s->spread->user);
		s->spread->attend(s->spread->user);
		return;
	}
	s->spread->attend(s->spread->user);
	pthread_join(thread, NULL);
}

static double share(const void *stream)
{
	double begun;

	__atomic_load(&((const xc_cli_stream *)stream)->begun, &begun, __ATOMIC_RELAXED);
	return begun;
}

void xc_cli_stream_run(xc_cli_stream *s)
{
	const xc_cli_batch *b = s->batch;
	xc_cli_batch_progress *progress = &s->workers.progress;
	const double begun = xc_cli_seconds();

	xc_cli_batch_progress_start(progress, s->spread ? XC_CLI_QUIET : b->verbosity, b->verb, "file",
	                            s->workers.count == INT_MAX ? 0 : s->workers.count);
	progress->share = share;
	progress->share_user = s;
	if (s->spread)
		run_spread(s);
	else
		xc_cli_workers_loop(&s->workers, work, s);
	s->seconds = xc_cli_seconds() - begun;
	xc_cli_batch_progress_stop(progress);
	if (s->items)
		s->tally.failed[XC_CLI_UNREADABLE] += xc_cli_items_failed(s->items);
}
