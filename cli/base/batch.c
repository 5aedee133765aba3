/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/batch.h"

#include "cli/base/crew.h"
#include "cli/base/io.h"
#include "cli/base/report.h"
#include "cli/base/stages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xcodec_cuda.h>

/* ------------------------------------------------------- names of the results */

/* "a/b.c.png" in "out" with ".xc" is "out/b.c.xc".  NULL: out of memory. */
static char *name_in(const char *folder, const char *input, const char *suffix)
{
	const char *slash = strrchr(input, '/');
	const char *base = slash ? slash + 1 : input;
	const char *dot = strrchr(base, '.');
	size_t stem = dot && dot != base ? (size_t)(dot - base) : strlen(base);
	size_t front = strlen(folder);
	const char *between = front && folder[front - 1] == '/' ? "" : "/";
	size_t size = front + 1 + stem + strlen(suffix) + 1;
	char *name = malloc(size);

	if (name)
		snprintf(name, size, "%s%s%.*s%s", folder, between, (int)stem, base, suffix);
	return name;
}

static int check_folder(const char *folder)
{
	struct stat status;
	int missing = stat(folder, &status);

	if (!missing && S_ISDIR(status.st_mode))
		return 0;
	return xc_cli_error(folder, "cannot take the results: %s", strerror(missing ? errno : ENOTDIR));
}

typedef struct pair {
	const char *name, *input;
} pair;

static int by_name(const void *a, const void *b)
{
	return strcmp(((const pair *)a)->name, ((const pair *)b)->name);
}

/* Makes sure that each result has one input. */
static int check_names(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	pair *pairs = malloc((size_t)b->count * sizeof *pairs);
	int failed = 0;

	if (!pairs)
		return xc_cli_error(self->name, "out of memory");
	for (int i = 0; i < b->count; i++)
		pairs[i] = (pair){names[i], b->inputs[i]};
	qsort(pairs, (size_t)b->count, sizeof *pairs, by_name);
	for (int i = 1; i < b->count && !failed; i++)
		if (!by_name(&pairs[i - 1], &pairs[i]))
			failed = xc_cli_error(self->name, "'%s' and '%s' would both become '%s'",
			                      pairs[i - 1].input, pairs[i].input, pairs[i].name);
	free(pairs);
	return failed;
}

static int by_identity(const void *a, const void *b)
{
	const struct stat *x = a, *y = b;

	if (x->st_dev != y->st_dev)
		return x->st_dev < y->st_dev ? -1 : 1;
	return x->st_ino < y->st_ino ? -1 : x->st_ino > y->st_ino;
}

static int is_file(const char *path, struct stat *out)
{
	return stat(path, out) == 0 && S_ISREG(out->st_mode);
}

/* Makes sure that no result is an input. */
static int check_inputs(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	struct stat *inputs = malloc(((size_t)b->count + 1) * sizeof *inputs), one;
	size_t known = 0;
	int failed = 0;

	if (!inputs)
		return xc_cli_error(self->name, "out of memory");
	for (int i = 0; i < b->count; i++)
		known += (size_t)is_file(b->inputs[i], &inputs[known]);
	known += b->also_read && is_file(b->also_read, &inputs[known]);
	qsort(inputs, known, sizeof *inputs, by_identity);
	for (int i = 0; i < b->count && !failed; i++)
		if (is_file(names[i], &one) && bsearch(&one, inputs, known, sizeof *inputs, by_identity))
			failed = xc_cli_error(names[i], "is to be written, but is an input as well");
	free(inputs);
	return failed;
}

static void free_names(char **names, int count)
{
	for (int i = 0; names && i < count; i++)
		free(names[i]);
	free(names);
}

/* Returns the names of the results in the order of the inputs, to be freed by free_names().
 * Returns NULL after reporting why not: two inputs have the same name, a result is an
 * input, or the folder does not exist. */
static char **result_names(const xc_cli_command *self, const xc_cli_batch *b)
{
	char **names;
	int made = 0;

	if (check_folder(b->folder))
		return NULL;
	names = calloc((size_t)b->count, sizeof *names);
	while (names && made < b->count &&
	       (names[made] = name_in(b->folder, b->inputs[made], b->suffix)))
		made++;
	if (made < b->count)
		xc_cli_error(self->name, "out of memory");
	else if (!check_names(self, b, names) && !check_inputs(self, b, names))
		return names;
	free_names(names, b->count);
	return NULL;
}

/* ------------------------------------------------------------------- contexts */

typedef struct run {
	const xc_cli_batch *batch;
	char **names;
	xc_cli_crew crew;
} run;

/* The usable GPUs, which the workers of a batch take in turn. */
typedef struct gpus {
	xc_cuda_device *list;
	int count;
} gpus;

static void find_gpus(const xc_cli_batch *b, xc_context *context, gpus *out)
{
	int count = 0;

	if (strcmp(b->limits->device, "cuda") != 0 ||
	    xc_cuda_devices(context, NULL, 0, &count) != XC_OK || count < 1)
		return;
	out->list = calloc((size_t)count, sizeof *out->list);
	if (!out->list || xc_cuda_devices(context, out->list, count, &count) != XC_OK)
		return;
	for (int i = 0; i < count; i++)
		if (out->list[i].usable)
			out->list[out->count++] = out->list[i];
}

typedef struct maker {
	const xc_cli_batch *batch;
	gpus gpus;
} maker;

static xc_context *make_context(void *user, int worker, const xc_cli_limits *own)
{
	const maker *m = user;
	xc_cli_limits limits = *own;
	char device[16]; /* "cuda:N" */

	if (m->gpus.count) {
		snprintf(device, sizeof device, "cuda:%d", m->gpus.list[worker % m->gpus.count].index);
		limits.device = device;
	}
	return xc_cli_context(&limits);
}

static int prepare(const xc_cli_batch *b, xc_context *context)
{
	return b->prepare ? b->prepare(b->user, context) : 0;
}

/* Finds out about threads and GPUs with a context of its own. */
static int set_up(run *r)
{
	xc_cli_limits limits = *r->batch->limits;
	maker m = {.batch = r->batch};

	limits.device = "cpu";
	xc_context *first = xc_cli_context(&limits);
	if (!first)
		return -1;
	int threads = xc_context_threads(first);
	int failed = prepare(r->batch, first);
	if (!failed)
		find_gpus(r->batch, first, &m.gpus);
	xc_context_free(first);
	if (!failed)
		failed = xc_cli_crew_begin(&r->crew, threads, r->batch->limits, make_context, &m);
	free(m.gpus.list);
	return failed;
}

static int one_of_many(void *user, int index, xc_context *context, xc_cli_progress *progress)
{
	const run *r = user;
	const xc_cli_batch *b = r->batch;
	const char *in = b->inputs[index];
	xc_cli_output out;

	if (xc_cli_output_start(&out, r->names[index], b->force, &in, 1))
		return -1;
	out.sync = b->sync;
	xc_cli_limit_memory(context, &r->crew.limits, xc_cli_sizes(&in, 1), 1);
	int failed = b->work(b->user, context, progress, in, &out);
	xc_cli_output_end(&out, 0);
	return failed;
}

static int one_file(const xc_cli_batch *b)
{
	const char *in = b->inputs[0];
	const char *const read[] = {in, b->also_read};
	xc_cli_progress progress;
	xc_cli_output out;

	if (xc_cli_output_start(&out, b->inputs[1], b->force, read, 2))
		return XC_CLI_FAILED;
	out.sync = b->sync;
	xc_context *context = xc_cli_context(b->limits);
	if (!context) {
		xc_cli_output_end(&out, 0);
		return XC_CLI_FAILED;
	}
	xc_cli_progress_start(&progress, context, b->verbosity, b->verb, xc_cli_input_name(in));
	int failed = prepare(b, context);
	xc_cli_limit_memory(context, b->limits, xc_cli_sizes(&in, 1), 1);
	if (!failed)
		failed = b->work(b->user, context, &progress, in, &out);
	xc_cli_output_end(&out, 0);
	xc_cli_progress_stop(&progress, context);
	xc_context_free(context);
	return failed == XC_CLI_DAMAGED ? XC_CLI_DAMAGED : failed ? XC_CLI_FAILED : XC_CLI_DONE;
}

void xc_cli_batch_settle(xc_cli_batch *b)
{
	const size_t length = b->folder ? strlen(b->folder) : 0;
	struct stat status;

	if (b->count != 1 || !length || b->folder[length - 1] == '/' ||
	    (stat(b->folder, &status) == 0 && S_ISDIR(status.st_mode)))
		return;
	b->inputs[b->count++] = b->folder;
	b->folder = NULL;
}

int xc_cli_batch_tell(const xc_cli_batch *b, const char *in, char *text)
{
	int i = 0;

	while (b->inputs[i] != in)
		i++;
	b->told[i] = text;
	return text ? 0 : -1;
}

int xc_cli_batch_check_json(const xc_cli_command *self, const xc_cli_batch *b)
{
	if (!b->json || strcmp(b->inputs[1], "-") != 0)
		return 0;
	return xc_cli_misuse(self, "only one of OUT and --json can be standard output");
}

static int many_files(const xc_cli_command *self, const xc_cli_batch *batch)
{
	run r = {.batch = batch};

	r.crew = (xc_cli_crew){.count = batch->count,
	                       .work = one_of_many,
	                       .user = &r,
	                       .verbosity = batch->verbosity,
	                       .verb = batch->verb,
	                       .things = "files"};
	for (int i = 0; i < batch->count; i++)
		if (!strcmp(batch->inputs[i], "-"))
			return xc_cli_misuse(self, "with --output-dir, standard input has no name "
			                           "to call its result by");
	r.names = result_names(self, batch);
	if (!r.names)
		return XC_CLI_FAILED;
	int failed = set_up(&r);
	if (!failed) {
		xc_cli_crew_run(&r.crew);
		failed = r.crew.failed;
	}
	xc_cli_crew_end(&r.crew);
	free_names(r.names, batch->count);
	if (failed > 0 && batch->count > 1)
		xc_cli_error(self->name, "%d of %d files failed", failed, batch->count);
	return failed ? XC_CLI_FAILED : r.crew.damaged ? XC_CLI_DAMAGED : XC_CLI_DONE;
}

int xc_cli_batch_run(const xc_cli_command *self, xc_cli_batch *batch)
{
	if (batch->verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	if (batch->json)
		batch->told = calloc((size_t)batch->count, sizeof *batch->told);
	if (batch->json && !batch->told) {
		xc_cli_error(self->name, "out of memory");
		return XC_CLI_FAILED;
	}
	int status = batch->folder ? many_files(self, batch) : one_file(batch);
	if (batch->json && status != XC_CLI_USAGE) {
		xc_cli_summaries_print(batch->told, batch->count, batch->folder != NULL);
		if (xc_cli_flush_output())
			status = XC_CLI_FAILED;
	}
	free(batch->told);
	return status;
}
