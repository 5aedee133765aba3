/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/batch.h"

#include "cli/base/report.h"
#include "cli/base/stages.h"
#include "cli/stream/operands.h"
#include "cli/stream/stream.h"
#include "formats/formats.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define IN(field) offsetof(xc_cli_batch, field)

/* clang-format off */
const xc_cli_option xc_cli_many_options[] = {
	{ .name = "recursive", .letter = 'r', .type = XC_CLI_FLAG, .offset = IN(recursive), .low = 1,
	  .help = "with --output-dir: a folder stands for the files below it, whose folders are made below DIR" },
	{ .name = "list", .type = XC_CLI_TEXT, .offset = IN(list), .value = "FILE",
	  .help = "with --output-dir: more inputs from FILE, one a line; \"-\" is standard input" },
	{ .name = "null", .letter = '0', .type = XC_CLI_FLAG, .offset = IN(null), .low = 1,
	  .help = "with --list: a zero byte ends a path, as of \"find -print0\"" },
	{ .name = "keep-suffix", .type = XC_CLI_FLAG, .offset = IN(keep_suffix), .low = 1,
	  .help = "results keep their inputs' suffixes before their own, so that a.ppm and a.bmp have different ones" },
	{ .name = "resume", .type = XC_CLI_FLAG, .offset = IN(resume), .low = 1,
	  .help = "with --output-dir: note in DIR/.xcodec what is finished, and go on where an earlier run ended" },
	{ .name = NULL }
};
/* clang-format on */

/* ---------------------------------------------------------------------- checks */

void xc_cli_batch_settle(xc_cli_batch *b)
{
	const size_t length = b->folder ? strlen(b->folder) : 0;
	struct stat status;

	if (b->count != 1 || !length || b->folder[length - 1] == '/' || b->recursive || b->list ||
	    b->resume || (stat(b->folder, &status) == 0 && S_ISDIR(status.st_mode)))
		return;
	if (xc_file_format_by_path(b->folder) == XC_FILE_UNKNOWN && !xc_cli_is_shard(b->folder) &&
	    strcmp(b->folder, "-") && b->verbosity != XC_CLI_QUIET)
		xc_cli_warning(b->folder, "no such folder, so this is the name of the result (a folder's "
		                          "would end in /)");
	b->inputs[b->count++] = b->folder;
	b->folder = NULL;
}

static int is_tar(const char *path)
{
	const size_t length = strlen(path);

	return length > 4 && !strcasecmp(path + length - 4, ".tar");
}

/* IN OUT: of a shard both must be. */
static int check_two(const xc_cli_command *self, const xc_cli_batch *b)
{
	const char *in = b->inputs[0], *out = b->inputs[1];

	if (b->recursive || b->list || b->resume || self->spread)
		return xc_cli_misuse(self, "--recursive, --list and --resume need --output-dir");
	if (xc_cli_is_shard(in) && !is_tar(out))
		return xc_cli_misuse(self,
		                     "'%s' is a tar file by its name, and '%s' must be named .tar too", in,
		                     out);
	if (xc_cli_is_shard(out) && !xc_cli_is_shard(in))
		return xc_cli_misuse(self, "'%s' is a tar file by its name, but '%s' is none", out, in);
	if (b->json && !strcmp(out, "-"))
		return xc_cli_misuse(self, "only one of OUT and --json can be standard output");
	return -1;
}

int xc_cli_batch_check(const xc_cli_command *self, const xc_cli_batch *b)
{
	const int least = !b->folder ? 2 : b->list ? 0 : 1;
	int status = xc_cli_check_count(self, least, b->folder ? -1 : 2, b->count, b->inputs - 1);

	if (status < 0 && !b->folder)
		status = check_two(self, b);
	if (status < 0 && b->null && !b->list)
		status = xc_cli_misuse(self, "--null needs --list");
	if (status < 0 && b->keep_suffix && !xc_cli_batch_is_stream(b))
		status = xc_cli_misuse(self, "--keep-suffix needs --output-dir or a tar file");
	for (int i = 0; status < 0 && b->folder && i < b->count; i++)
		if (!strcmp(b->inputs[i], "-"))
			status = xc_cli_misuse(self, "with --output-dir, standard input has no name "
			                             "to call its result by");
	return status;
}

int xc_cli_batch_is_stream(const xc_cli_batch *b)
{
	return b->folder || xc_cli_is_shard(b->inputs[0]);
}

int xc_cli_batch_tells(const xc_cli_batch *b)
{
	return b->verbosity == XC_CLI_VERBOSE || b->json;
}

static int check_folder(const char *folder)
{
	struct stat status;
	int missing = stat(folder, &status);

	if (!missing && S_ISDIR(status.st_mode))
		return 0;
	if (missing && errno == ENOENT)
		return xc_cli_error(folder, "cannot take the results: no such folder; mkdir %s", folder);
	return xc_cli_error(folder, "cannot take the results: %s", strerror(missing ? errno : ENOTDIR));
}

/* ------------------------------------------------------------------- contexts */

/* The usable GPUs, which the workers of a batch take in turn. */
typedef struct gpus {
	int *list, count;
	int first, step; /* of this process */
} gpus;

static void find_gpus(const xc_cli_stream *s, xc_context *context, gpus *out)
{
	out->first = s->spread ? s->spread->local : 0;
	out->step = s->spread ? s->spread->locals : 1;
	if (!strcmp(s->batch->limits->device, "cuda"))
		out->count = xc_cli_usable_gpus(context, &out->list);
}

static xc_context *make_context(void *user, int worker, const xc_cli_limits *own)
{
	const gpus *g = user;
	xc_cli_limits limits = *own;
	char device[16]; /* "cuda:N" */

	if (g->count) {
		snprintf(device, sizeof device, "cuda:%d",
		         g->list[(g->first + worker * g->step) % g->count]);
		limits.device = device;
	}
	return xc_cli_context(&limits);
}

static int prepare(const xc_cli_batch *b, xc_context *context)
{
	return b->prepare ? b->prepare(b->user, context) : 0;
}

/* Finds out about threads and GPUs with a context of its own. */
static int find_out(const xc_cli_stream *s, int *threads, gpus *g)
{
	xc_cli_limits limits = *s->batch->limits;

	limits.device = "cpu";
	if (s->spread && !limits.threads)
		limits.threads = s->spread->threads;
	xc_context *first = xc_cli_context(&limits);
	if (!first)
		return -1;
	*threads = xc_context_threads(first);
	const int failed = prepare(s->batch, first);
	if (!failed)
		find_gpus(s, first, g);
	xc_context_free(first);
	return failed;
}

/* ------------------------------------------------------------------- one file */

static int one_file(const xc_cli_batch *b, char **told)
{
	const char *path = b->inputs[0];
	const char *const read[] = {path, b->also_read};
	xc_cli_progress progress;
	xc_cli_input in;
	xc_cli_output out;
	xc_cli_task task = {.progress = &progress, .in = &in, .out = &out};

	if (xc_cli_output_start(&out, b->inputs[1], b->force, read, 2))
		return XC_CLI_FAILED;
	out.sync = b->sync;
	task.context = xc_cli_context(b->limits);
	if (!task.context) {
		xc_cli_output_end(&out, 0);
		return XC_CLI_FAILED;
	}
	xc_cli_progress_start(&progress, task.context, b->verbosity, b->verb, xc_cli_input_name(path));
	int failed = prepare(b, task.context);
	if (!failed)
		failed = xc_cli_input_open(&in, path);
	if (!failed) {
		xc_cli_limit_memory(task.context, b->limits, xc_cli_sizes(&path, 1), 1);
		failed = b->work(b->user, &task);
		xc_cli_input_close(&in);
	}
	xc_cli_output_end(&out, 0);
	xc_cli_progress_stop(&progress, task.context);
	xc_context_free(task.context);
	*told = task.told;
	return failed == XC_CLI_DAMAGED ? XC_CLI_DAMAGED : failed ? XC_CLI_FAILED : XC_CLI_DONE;
}

/* ------------------------------------------------------------------- many files */

/* A batch under way, and what must stay meanwhile. */
typedef struct many {
	xc_cli_stream stream;
	xc_cli_inputs inputs;
	xc_cli_claims claims;
} many;

static int takes(const void *user, const char *name)
{
	const many *m = user;
	const xc_cli_batch *b = m->stream.batch;

	return xc_cli_is_shard(name) || b->takes(b->user, name);
}

static int open_manifest(many *m, const xc_cli_command *self)
{
	const xc_cli_batch *b = m->stream.batch;
	const int rank = m->stream.spread ? m->stream.spread->rank : 0;
	char options[XC_CLI_DESCRIPTION], text[XC_CLI_DESCRIPTION - 32];

	if (!b->resume)
		return 0;
	b->describe(b->user, text, sizeof text);
	snprintf(options, sizeof options, "%.16s %s%s", self->name,
	         b->keep_suffix ? "keep-suffix " : "", text);
	m->stream.manifest = xc_cli_manifest_open(b->folder, rank, options);
	if (!m->stream.manifest)
		return -1;
	return rank ? 0 : xc_cli_manifest_read(m->stream.manifest, b->force, &m->claims);
}

/* Whether all inputs are operands and none is a shard. */
static int is_plain(const xc_cli_batch *b)
{
	int shards = 0;

	for (int i = 0; i < b->count; i++)
		shards += xc_cli_is_shard(b->inputs[i]);
	return !b->recursive && !b->list && !shards;
}

/* Takes as many items as there could be workers.  If these are all, threads are left over for each of them. */
static int look_ahead(xc_cli_stream *s, int threads)
{
	const int most = threads < XC_CLI_WRITERS ? threads : XC_CLI_WRITERS;
	int shards = 0;

	while (s->ahead_count < most) {
		const int got = xc_cli_items_next(s->items, &s->ahead[s->ahead_count]);

		s->waits = got == XC_CLI_WAIT;
		if (got != 1)
			break;
		shards += xc_cli_is_shard(s->ahead[s->ahead_count++].path);
	}
	return s->ahead_count < most && !shards ? s->ahead_count : INT_MAX;
}

static int open_items(many *m, int threads)
{
	xc_cli_stream *s = &m->stream;
	const xc_cli_batch *b = s->batch;

	m->inputs = (xc_cli_inputs){.operands = b->inputs,
	                            .count = s->out ? 1 : b->count,
	                            .recursive = b->recursive,
	                            .list = b->list,
	                            .end = b->null ? '\0' : '\n',
	                            .takes = takes,
	                            .user = m,
	                            .claim = s->out ? NULL : xc_cli_claims_take,
	                            .held = s->out ? NULL : xc_cli_claims_held,
	                            .claims = &m->claims,
	                            .leave_out = b->folder};
	s->items = xc_cli_items_open(&m->inputs);
	if (s->items && !s->spread && !is_plain(b))
		s->crew.count = look_ahead(s, threads);
	return s->items ? 0 : -1;
}

/* What every process of a job does before it begins: 0, or -1 after reporting why it cannot. */
static int set_up(many *m, const xc_cli_command *self)
{
	xc_cli_stream *s = &m->stream;
	const xc_cli_batch *b = s->batch;
	const int first = !s->spread || s->spread->rank == 0;
	gpus g = {NULL, 0, 0, 1};
	int threads;

	if (!s->out && check_folder(b->folder))
		return -1;
	if (!s->out && first && !b->recursive && !b->list && xc_cli_operands_check(self, b))
		return -1;
	int failed = find_out(s, &threads, &g) || open_manifest(m, self) ||
	             (first && open_items(m, threads));
	/* An empty job has a worker too. */
	s->crew.count += !s->crew.count;
	if (!failed)
		failed = xc_cli_crew_begin(&s->crew, threads, b->limits, make_context, &g);
	free(g.list);
	return failed ? -1 : 0;
}

static void say_time(const xc_cli_stream *s)
{
	xc_cli_time_use sum = {{0}};

	for (int i = 0; i < s->crew.workers; i++)
		xc_cli_time_use_sum(&sum, &s->use[i]);
	xc_cli_time_use_say(&sum, &s->tally, &s->devices, s->seconds);
}

/* What came of all, in one line. */
static void say_sum(const many *m)
{
	const xc_cli_tally *t = &m->stream.tally;
	const unsigned long long before = t->existed + xc_cli_items_finished(m->stream.items);
	char text[64] = "";

	if (before)
		snprintf(text, sizeof text, " (%llu file%s finished before)", before, xc_s(before));
	if (before || t->done)
		xc_cli_say("%llu picture%s%s, %llu bytes in, %llu bytes out, %.2f s\n",
		           (unsigned long long)t->done, xc_s(t->done), text,
		           (unsigned long long)t->bytes_in, (unsigned long long)t->bytes_out,
		           m->stream.seconds);
}

static void say_failures(const xc_cli_command *self, const many *m)
{
	const xc_cli_tally *t = &m->stream.tally;
	const unsigned long long failed = xc_cli_tally_failed(t), all = failed + t->done + t->existed;

	if (m->stream.batch->verbosity != XC_CLI_QUIET)
		say_sum(m);
	if (m->stream.batch->verbosity == XC_CLI_VERBOSE)
		say_time(&m->stream);
	if (failed && all > 1)
		xc_cli_error(self->name, "%llu of %llu files failed", failed, all);
}

static int run_stream(many *m, const xc_cli_command *self)
{
	xc_cli_stream *s = &m->stream;
	const xc_cli_spread *spread = s->spread;
	int failed = set_up(m, self);

	if (spread)
		failed = spread->begin(spread->user, s->batch, failed ? NULL : s->items, failed);
	if (!failed)
		xc_cli_stream_run(s);
	if (!failed && s->items)
		xc_cli_passed_tell(xc_cli_items_passed(s->items), self->name, "passed over by their names");
	if (!failed)
		xc_cli_passed_tell(&s->copied, self->name,
		                   "of shards copied as they are, although named as pictures");
	if (!failed && !spread)
		say_failures(self, m);
	xc_cli_crew_end(&s->crew);
	while (s->ahead_next < s->ahead_count)
		xc_cli_item_free(&s->ahead[s->ahead_next++]);
	if (xc_cli_manifest_close(s->manifest))
		failed = -1;
	xc_cli_items_close(s->items);
	xc_cli_claims_free(&m->claims);
	return failed ? XC_CLI_FAILED : xc_cli_tally_status(&s->tally);
}

static int many_files(const xc_cli_command *self, const xc_cli_batch *b)
{
	const int plain = is_plain(b);
	many m = {.stream = {.batch = b,
	                     .spread = self->spread,
	                     .out = b->folder ? NULL : b->inputs[1],
	                     .crew = {.count = plain ? b->count : INT_MAX}},
	          .claims = {.suffix = b->suffix, .keep_suffix = b->keep_suffix, .force = b->force}};

	if (b->json && plain && !self->spread) {
		m.stream.told = calloc((size_t)b->count, sizeof *m.stream.told);
		if (!m.stream.told) {
			xc_cli_error(self->name, "out of memory");
			return XC_CLI_FAILED;
		}
	}
	const int status = run_stream(&m, self);
	if (m.stream.told)
		xc_cli_summaries_print(m.stream.told, b->count, 1);
	else if (b->json && !self->spread)
		xc_cli_summaries_end(m.stream.printed);
	free(m.stream.told);
	return status;
}

int xc_cli_batch_run(const xc_cli_command *self, xc_cli_batch *batch)
{
	char *told = NULL;
	int status;

	if (batch->verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	if (xc_cli_batch_is_stream(batch)) {
		status = many_files(self, batch);
	} else {
		status = one_file(batch, &told);
		if (batch->json)
			xc_cli_summaries_print(&told, 1, 0);
		else
			free(told);
	}
	if (batch->json && xc_cli_flush_output())
		status = XC_CLI_FAILED;
	return status;
}
