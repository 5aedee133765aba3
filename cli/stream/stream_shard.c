/* SPDX-License-Identifier: BSD-2-Clause */
/* Shards among the items of a stream: all workers help with one that is open. */
#include "cli/base/report.h"
#include "cli/stream/shard.h"
#include "cli/stream/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct xc_cli_open_shard {
	xc_cli_item item;
	char *path; /* of the result */
	xc_cli_results results;
	xc_cli_output out;
	xc_cli_shard_job job;
	xc_cli_shard *shard;
	int users;                /* workers; guarded by the stream's lock of taking */
	char stamp[XC_CLI_STAMP]; /* of the shard when it was opened */
	pthread_mutex_t counting; /* guards what follows */
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
	struct stat status;

	if (stat(o->item.path, &status))
		status = (struct stat){.st_mode = 0};
	xc_cli_claims_stamp(o->stamp, &status);
	const int started = xc_cli_stream_start(s, &o->results, &o->out, o->path, &o->item, &status);
	if (started) {
		xc_cli_stream_count_start(&o->tally, &o->out, started);
		return -1;
	}
	o->job = (xc_cli_shard_job){.path = o->item.path,
	                            .suffix = s->batch->suffix,
	                            .keep_suffix = s->batch->keep_suffix,
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

int xc_cli_stream_open_shard(xc_cli_stream *s, int worker, xc_cli_item *item)
{
	xc_cli_open_shard *o = calloc(1, sizeof *o);
	char *path = o ? xc_cli_stream_path(s, item) : NULL;

	if (!path) {
		const xc_cli_tally lost = {.failed = {[XC_CLI_OTHER] = 1}};

		if (!o)
			xc_cli_error(item->path, "out of memory");
		free(o);
		xc_cli_stream_done(s, worker, item, NULL, &lost, NULL);
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
	xc_cli_stream_done(s, worker, &o->item, o->path, &o->tally, NULL);
	free_shard(o);
	return -1;
}

void xc_cli_stream_join_shard(xc_cli_open_shard *o)
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

char *xc_cli_entry_path(const char *shard, const char *name)
{
	const size_t size = strlen(shard) + strlen(name) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s/%s", shard, name);
	else
		xc_cli_error(shard, "out of memory");
	return path;
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

/* Takes over the entry's bytes; gives those of the result, or NULL. */
static uint8_t *work_on_picture(xc_cli_stream *s, int worker, xc_cli_open_shard *o, xc_cli_entry *e,
                                size_t *size)
{
	xc_context *context = s->workers.contexts[worker];
	xc_cli_tally tally = {.done = 0};
	xc_cli_input in;
	xc_cli_output out;
	uint8_t *data = NULL;
	char *name = xc_cli_entry_path(o->path, e->name);

	if (open_entry(context, e, &in)) {
		tally.failed[XC_CLI_UNREADABLE]++;
	} else if (name) {
		in.packed = e->packed;
		xc_cli_output_start_memory(&out, name, context);
		xc_cli_stream_picture(s, worker, &in, &out, &o->item, &tally);
		xc_cli_output_take(&out, &data, size);
	} else {
		tally.failed[XC_CLI_OTHER]++;
	}
	xc_cli_input_close(&in);
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
	xc_cli_shard_put(o->shard, e, data, size);
}

/* All entries were written. A job that can be resumed tries those again that the machine failed on:
 * then there is no result yet. Entries that are wrong are left out, and told again. */
static void end(xc_cli_stream *s, int worker, xc_cli_open_shard *o)
{
	int failed = xc_cli_shard_close(o->shard);
	const unsigned long long bad = xc_cli_tally_failed(&o->tally);
	char note[XC_CLI_NOTE];

	if (!failed && s->manifest && xc_cli_tally_unfinished(&o->tally))
		failed = xc_cli_error(o->path, "is not made, since some entries could not be read or "
		                               "coded (--resume tries again)");
	const int placed = !xc_cli_output_end(&o->out, !failed);
	if (!placed && (o->out.failed || !bad))
		o->tally.failed[o->out.existing ? XC_CLI_EXISTING : XC_CLI_UNWRITABLE]++;
	snprintf(note, sizeof note, "%s%llu of its entries failed, the first: %s", o->stamp, bad,
	         o->first);
	xc_cli_stream_done(s, worker, &o->item, o->path, &o->tally, placed && bad ? note : NULL);
	free_shard(o);
}

void xc_cli_stream_work_shard(xc_cli_stream *s, int worker, xc_cli_open_shard *o)
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
