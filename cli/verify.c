/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xcodec verify: decodes XC files of every kind, writes nothing, and says which are damaged. A worker
 * takes a file at a time; a tar file is one, whose entries follow each other.
 */
#include "cli/base/array.h"
#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"
#include "cli/base/sandbox.h"
#include "cli/base/settings.h"
#include "cli/base/workers.h"
#include "cli/stream/items.h"
#include "cli/stream/shard.h"

#include "formats/formats.h"

#include <xcodec_array.h>
#include <xcodec_jpeg.h>

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct settings {
	int recursive, null, verbosity, no_sandbox;
	const char *list;
	xc_cli_globs excluded;
	xc_cli_limits limits;
	/* Under way: */
	xc_cli_items *items;
	xc_cli_workers workers;
	pthread_mutex_t taking; /* guards items, standard output and these: */
	uint64_t good, damaged, failed, bytes;
} settings;

#define IN(field) offsetof(settings, field)

/* clang-format off */
static const xc_cli_option options[] = {
	XC_CLI_FLAG_OPTION("recursive", 'r', IN(recursive), 1, "a folder stands for the files named .xc and .tar below it"),
	XC_CLI_TEXT_OPTION("list", 0, IN(list), "FILE",
		"more inputs from FILE, one a line; \"-\" is standard input"),
	XC_CLI_FLAG_OPTION("null", '0', IN(null), 1, "with --list: a zero byte ends a path, as of \"find -print0\""),
	XC_CLI_CUSTOM_OPTION("exclude", 0, IN(excluded), xc_cli_globs_parse, "GLOB",
		"leave out files, and entries of tar files, whose name matches; may be given several times"),
	{ .name = NULL }
};
/* clang-format on */

/* -------------------------------------------------------------------- one file */

/* Decodes all rows of a picture; a file is damaged if one of them is. */
static xc_status decode_rows(xc_context *c, const xc_source *source, int keep_going, char *text,
                             size_t room)
{
	const xc_decode_options how = {.keep_going = keep_going};
	xc_decoder *d;
	xc_info info;
	xc_status s = xc_decoder_new(c, source, &how, &d);
	const void *rows;
	size_t stride;

	for (uint32_t count = 1; !s && count;)
		s = xc_decoder_next(d, &rows, &stride, &count);
	if (!s)
		s = xc_decoder_finish(d);
	xc_decoder_info(d, &info);
	if (keep_going && !s && xc_decoder_damaged(d))
		snprintf(text, room,
		         "%llu of %llu segments are damaged: ", (unsigned long long)xc_decoder_damaged(d),
		         (unsigned long long)info.segments * (info.alpha_bytes ? 2 : 1));
	xc_decoder_free(d);
	return s;
}

static xc_status check_array(xc_context *c, const xc_source *source)
{
	xc_array_reader *r;
	xc_status s = xc_array_reader_new(c, source, &r);
	char name[5];
	const void *bytes;

	if (!s)
		s = xc_cli_array_read_all(c, r);
	for (size_t size = 1; !s && size;)
		s = xc_array_attached(r, name, &bytes, &size);
	xc_array_reader_free(r);
	return s;
}

static xc_status check_jpeg(xc_context *c, const xc_source *source)
{
	xc_buffer jpeg;
	const xc_status s = xc_jpeg_decode(c, source->memory, (size_t)source->size, &jpeg);

	if (!s)
		xc_buffer_free(c, &jpeg);
	return s;
}

static int takes(const void *user, const char *name)
{
	(void)user;
	return xc_file_format_by_path(name) == XC_FILE_XC;
}

/* 0, XC_CLI_DAMAGED, or -1, both after reporting why not. A file named .xc that is empty or begins as no XC file is
 * one whose start is damaged. */
static int check(settings *s, xc_context *c, xc_cli_input *in)
{
	xc_source source = {.user = in};
	uint8_t *data = NULL;
	size_t size = 0;
	char text[80] = "", shown[XC_CLI_SHOWN];
	const int array = xc_array_is(in->first, in->size), jpeg = xc_jpeg_is(in->first, in->size);
	const int regular = xc_cli_input_regular(in, &source.size);

	if (xc_cli_probe_xc(in->name, in->first, in->size))
		return takes(NULL, in->name) ? XC_CLI_DAMAGED : -1;
	xc_cli_limit_memory(c, &s->limits, regular ? source.size : UINT64_MAX, 1);
	if (regular && !jpeg) {
		source.read_at = xc_cli_input_read_at;
	} else {
		if (xc_cli_input_read_all(in, c, &data, &size))
			return -1;
		source.memory = data;
		source.size = size;
	}
	xc_status status = array  ? check_array(c, &source)
	                   : jpeg ? check_jpeg(c, &source)
	                          : decode_rows(c, &source, 0, NULL, 0);
	/* How many segments are damaged is known only to a decoder that goes on. */
	if (!array && !jpeg && (status == XC_ERR_CORRUPT || status == XC_ERR_TRUNCATED)) {
		snprintf(shown, sizeof shown, "%s", xc_context_message(c));
		if (decode_rows(c, &source, 1, text, sizeof text) || !*text)
			xc_fail(c, status, "%s", shown);
	}
	snprintf(shown, sizeof shown, "%s%s", text, xc_context_message(c));
	xc_cli_forget(c, data, size);
	pthread_mutex_lock(&s->taking);
	s->bytes += source.size;
	pthread_mutex_unlock(&s->taking);
	if (in->error)
		return xc_cli_error(in->name, "cannot read: %s", strerror(in->error));
	if (status && status != XC_ERR_CORRUPT && status != XC_ERR_TRUNCATED)
		return xc_cli_status_error(in->name, status, shown);
	if (status)
		xc_cli_status_error(in->name, status, shown);
	else if (s->verbosity == XC_CLI_VERBOSE) {
		xc_cli_escape(shown, sizeof shown, in->name);
		pthread_mutex_lock(&s->taking);
		printf("%s: %s, good\n", shown, array ? "array" : jpeg ? "JPEG" : "picture");
		pthread_mutex_unlock(&s->taking);
	}
	return status ? XC_CLI_DAMAGED : 0;
}

static void count(settings *s, int what)
{
	pthread_mutex_lock(&s->taking);
	++*(what < 0 ? &s->failed : what ? &s->damaged : &s->good);
	pthread_mutex_unlock(&s->taking);
}

/* ------------------------------------------------------------------- many files */

static int takes_files(const void *user, const char *name)
{
	return takes(user, name) || xc_cli_is_shard(name);
}

/* The entries of a tar file; its reader wants to write another one, whose end alone is made, in memory. */
static void check_shard(settings *s, xc_context *c, const char *path)
{
	static const xc_cli_globs none;
	xc_cli_output nowhere;
	xc_cli_passed copied = {.all = 0};
	uint64_t left_out = 0;
	xc_cli_entry e;
	xc_cli_kind kind;
	int got;

	xc_cli_output_start_memory(&nowhere, path, c);
	const xc_cli_shard_job job = {.path = path,
	                              .suffix = ".xc",
	                              .takes = takes,
	                              .excluded = &s->excluded,
	                              .matched = &none,
	                              .left_out = &left_out,
	                              .limits = &s->workers.limits,
	                              .workers = 1,
	                              .copied = &copied,
	                              .out = &nowhere};
	xc_cli_shard *shard = xc_cli_shard_open(&job);
	if (!shard)
		count(s, -1);
	while (shard && (got = xc_cli_shard_next(shard, c, &e, &kind))) {
		xc_cli_input in;
		if (got < 0) {
			count(s, kind == XC_CLI_BROKEN ? XC_CLI_DAMAGED : -1);
			free(e.subject);
			continue;
		}
		if (e.picture && e.file >= 0 &&
		    xc_cli_input_range(&in, e.subject, e.file, e.begin, e.size)) {
			count(s, -1);
		} else if (e.picture) {
			if (e.file < 0)
				xc_cli_input_memory(&in, e.subject, c, e.data, e.size);
			in.packed = e.packed;
			count(s, check(s, c, &in));
			xc_cli_input_close(&in);
		} else if (e.data) {
			xc_cli_forget(c, e.data, e.size);
		}
		e.data = NULL;
		xc_cli_shard_put(shard, &e, NULL, 0);
	}
	if (shard)
		xc_cli_shard_close(shard);
	xc_cli_output_end(&nowhere, 0);
}

static void loop(void *user, int worker)
{
	settings *s = user;
	xc_context *c = s->workers.contexts[worker];
	xc_cli_item item;
	xc_cli_input in;

	for (;;) {
		pthread_mutex_lock(&s->taking);
		const int got = xc_cli_items_next(s->items, &item);
		pthread_mutex_unlock(&s->taking);
		if (got != 1)
			return;
		xc_cli_batch_progress_begin(&s->workers.progress, worker, c);
		if (xc_cli_is_shard(item.path)) {
			check_shard(s, c, item.path);
		} else if (xc_cli_input_open(&in, item.path)) {
			count(s, -1);
		} else {
			count(s, check(s, c, &in));
			xc_cli_input_close(&in);
		}
		xc_cli_batch_progress_end(&s->workers.progress, worker);
		xc_cli_item_free(&item);
	}
}

static int run_all(settings *s, char **operands, int count)
{
	static const xc_cli_globs none;
	const xc_cli_inputs inputs = {.operands = operands,
	                              .count = count,
	                              .recursive = s->recursive,
	                              .no_pipes = 1,
	                              .verbose = s->verbosity == XC_CLI_VERBOSE,
	                              .list = s->list,
	                              .end = s->null ? '\0' : '\n',
	                              .takes = takes_files,
	                              .excluded = &s->excluded,
	                              .copied = &none};

	s->items = xc_cli_items_open(&inputs);
	if (!s->items)
		return XC_CLI_FAILED;
	s->workers = (xc_cli_workers){.count = s->recursive || s->list ? INT_MAX : count};
	int failed = xc_cli_workers_begin_usual(&s->workers, &s->limits);
	if (!failed) {
		xc_cli_batch_progress_start(&s->workers.progress, s->verbosity, "verifying", "file",
		                            s->workers.count == INT_MAX ? 0 : s->workers.count);
		xc_cli_workers_loop(&s->workers, loop, s);
		xc_cli_batch_progress_stop(&s->workers.progress);
		xc_cli_passed_tell(xc_cli_items_passed(s->items), "verify", "passed over by name");
		s->failed += xc_cli_items_failed(s->items);
	}
	xc_cli_workers_end(&s->workers);
	xc_cli_items_close(s->items);
	if (!failed && s->verbosity != XC_CLI_QUIET)
		xc_cli_say("%llu file%s, %llu bytes: %llu good, %llu damaged, %llu failed\n",
		           (unsigned long long)(s->good + s->damaged + s->failed),
		           xc_s(s->good + s->damaged + s->failed), (unsigned long long)s->bytes,
		           (unsigned long long)s->good, (unsigned long long)s->damaged,
		           (unsigned long long)s->failed);
	if (xc_cli_flush_output())
		failed = -1;
	if (!failed && s->damaged)
		return XC_CLI_DAMAGED;
	return failed || s->failed ? XC_CLI_FAILED : XC_CLI_DONE;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {.verbosity = 0};
	const xc_cli_group groups[] = {{"Options", options, &s},
	                               {NULL, xc_cli_quiet_options, &s.verbosity},
	                               {NULL, xc_cli_verbose_options, &s.verbosity},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, xc_cli_sandbox_options, &s.no_sandbox},
	                               {NULL, NULL, NULL}};
	int count;

	xc_cli_limits_default(&s.limits);
	int status = xc_cli_parse(self, groups, argc, argv, &count);
	if (status >= 0)
		return status;
	if (!count && !s.list)
		return xc_cli_misuse(self, "too few arguments, wants IN");
	if (s.null && !s.list)
		return xc_cli_misuse(self, "--null needs --list");
	const xc_cli_sandbox allowed = {.off = s.no_sandbox,
	                                .limits = &s.limits,
	                                .inputs = argv + 1,
	                                .count = count,
	                                .also_read = s.list,
	                                .reads_all = s.list != NULL};
	if (xc_cli_sandbox_enter(&allowed))
		return XC_CLI_FAILED;
	pthread_mutex_init(&s.taking, NULL);
	status = run_all(&s, argv + 1, count);
	pthread_mutex_destroy(&s.taking);
	return status;
}

const xc_cli_command xc_cli_verify = {
	.name = "verify",
	.operands = "[IN]...",
	.min_operands = 0,
	.max_operands = -1,
	.summary = "find out whether XC files are damaged",
	.description =
		"Decodes each XC file IN, a picture, an array or a JPEG, without writing anything, and compares "
		"all that it has to be compared with: checksums, lengths, and the hash of a JPEG. Says what is damaged, a line a "
		"file, and counts. \"-\" is standard input" XC_CLI_IF_TAR(
			"; of a tar file all XC files in it") ". The exit status is 0 if all are good, 3 if some are "
												  "damaged, and otherwise 1 if some could not be read or are no XC files.",
	.run = run,
};
