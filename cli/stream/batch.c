/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/batch.h"

#include "cli/base/report.h"
#include "cli/base/sandbox.h"
#include "cli/base/stages.h"
#include "cli/stream/stream.h"
#include "formats/array/array.h"
#include "formats/formats.h"
#include "cli/stream/results.h"
#include "src/core/crc32c.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xcodec_cuda.h>

#define IN(field) offsetof(xc_cli_batch, field)

/* clang-format off */
const xc_cli_option xc_cli_many_options[] = {
	XC_CLI_FLAG_OPTION("recursive", 'r', IN(recursive), 1,
		"with --output-dir: a folder stands for the files below it, whose folders are made below DIR"),
	XC_CLI_FLAG_OPTION("tars", 0, IN(tars), 1,
		"with --recursive: take tar files in folders for inputs, as if they were named; otherwise they are passed over"),
	XC_CLI_TEXT_OPTION("list", 0, IN(list), "FILE",
		"with --output-dir: more inputs from FILE, one a line; \"-\" is standard input"),
	XC_CLI_FLAG_OPTION("null", '0', IN(null), 1, "with --list: a zero byte ends a path, as of \"find -print0\""),
	XC_CLI_FLAG_OPTION("keep-suffix", 0, IN(naming), XC_CLI_NAMING_KEEP,
		"results keep their inputs' suffixes before their own, so that a.ppm and a.bmp have different ones; encode does so with --recursive and --list"),
	XC_CLI_FLAG_OPTION("replace-suffix", 0, IN(naming), XC_CLI_NAMING_REPLACE,
		"their own suffixes take the place of their inputs'"),
	XC_CLI_CUSTOM_OPTION("exclude", 0, IN(excluded), xc_cli_globs_parse, "GLOB",
		"leave out files, and entries of tar files, whose name matches; may be given several times"),
	XC_CLI_CUSTOM_OPTION("copy-match", 0, IN(copied), xc_cli_globs_parse, "GLOB",
		"likewise: copy them as they are, under their own names"),
	XC_CLI_FLAG_OPTION("copy-others", 0, IN(copy_others), 1,
		"with --output-dir: copy the files that would be passed over, under their own names"),
	XC_CLI_FLAG_OPTION("resume", 0, IN(resume), 1,
		"with --output-dir: note in DIR/.xcodec what is finished, and go on where an earlier run ended"),
	XC_CLI_FLAG_OPTION("skip-existing", 0, IN(skip_existing), 1,
		"likewise: pass over inputs whose results exist and have the same time, whoever made them"),
	{ .name = NULL }
};
/* clang-format on */

/* ---------------------------------------------------------------------- checks */

void xc_cli_batch_normalize(xc_cli_batch *b)
{
	const size_t length = b->folder ? strlen(b->folder) : 0;
	struct stat status;

	b->sync |= b->delete_inputs;
	b->copied.takes = b->copy_others ? b->takes : NULL;
	b->copied.user = b->user;
	b->named = b->naming != XC_CLI_NAMING_USUAL;
	if (b->naming == XC_CLI_NAMING_USUAL)
		b->naming = b->keeps_suffixes && (b->recursive || b->list) ? XC_CLI_NAMING_KEEP_FILES
		                                                           : XC_CLI_NAMING_REPLACE;
	b->copied.wraps = b->keeps_suffixes && b->naming != XC_CLI_NAMING_REPLACE;
	if (b->count != 1 || !length || b->folder[length - 1] == '/' || b->recursive || b->list ||
	    b->resume || (stat(b->folder, &status) == 0 && S_ISDIR(status.st_mode)))
		return;
	if (xc_file_format_by_path(b->folder) == XC_FILE_UNKNOWN &&
	    !xc_array_file_is_written(b->folder) && !xc_cli_is_shard(b->folder) &&
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

	if (b->recursive || b->list || b->resume || b->skip_existing || b->copy_others || self->spread)
		return xc_cli_misuse(self,
		                     "--recursive, --list, --resume, --skip-existing and --copy-others "
		                     "need --output-dir");
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
	const int min = !b->folder ? 2 : b->list ? 0 : 1;
	int status = xc_cli_check_count(self, min, b->folder ? -1 : 2, b->count, b->inputs - 1);

	if (status < 0 && !b->folder)
		status = check_two(self, b);
	if (status < 0 && b->null && !b->list)
		status = xc_cli_misuse(self, "--null needs --list");
	if (status < 0 && b->named && !xc_cli_batch_is_stream(b))
		status = xc_cli_misuse(self,
		                       "--keep-suffix and --replace-suffix need --output-dir or a tar "
		                       "file");
	if (status < 0 && !xc_cli_batch_is_stream(b) &&
	    (b->smaller || b->excluded.count + b->copied.count + b->lossless.count))
		status = xc_cli_misuse(self, "--exclude, --copy-match, --lossless-match and --smaller need "
		                             "--output-dir or a tar file");
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

/* ---------------------------------------------------------------------------------- operands */

/* Makes sure that each result has one input. What has none has no name. */
static int check_names(const xc_cli_command *self, const xc_cli_batch *b, char **names)
{
	xc_cli_names results = {.slot = NULL};
	int failed = 0;

	for (int i = 0; i < b->count && !failed; i++) {
		uint64_t *number = names[i] ? xc_cli_names_value(&results, names[i]) : NULL;

		if (!names[i])
			continue;
		if (!number)
			failed = xc_cli_error(self->name, "out of memory");
		else if (*number)
			failed = xc_cli_error(self->name, "'%s' and '%s' would both become '%s' %s",
			                      b->inputs[*number - 1], b->inputs[i], names[i],
			                      xc_cli_two_results((xc_cli_naming)b->naming));
		else
			*number = (uint64_t)i + 1;
	}
	xc_cli_names_free(&results);
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
		if (names[i] && is_file(names[i], &one) &&
		    bsearch(&one, inputs, known, sizeof *inputs, by_identity))
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

/* For a batch whose inputs are all operands: 0 if no two of them have the same result and no result is
 * an input, else -1 after reporting the conflict. */
static int check_operands(const xc_cli_command *self, const xc_cli_batch *b)
{
	char **names = calloc((size_t)b->count, sizeof *names);
	int failed = 0;

	if (!names)
		return xc_cli_error(self->name, "out of memory");
	for (int i = 0; i < b->count && !failed; i++) {
		const char *name = xc_cli_base_name(b->inputs[i]);
		if (xc_cli_globs_match(&b->excluded, name))
			continue;
		names[i] = xc_cli_result_name(b->folder, name, xc_cli_way_of(&b->copied, name),
		                              xc_cli_suffix_of_file(b->suffix_of, b->inputs[i], b->suffix),
		                              (xc_cli_naming)b->naming);
		failed = names[i] ? 0 : -1;
	}
	if (!failed)
		failed = check_names(self, b, names) || check_inputs(self, b, names) ? -1 : 0;
	free_names(names, b->count);
	return failed;
}

/* ------------------------------------------------------------------- contexts */

/* With the device "auto" a batch is decided once: its workers code on GPUs if its inputs have that
 * many bytes for each thread. Starting CUDA takes 0.3 to 0.45 s, in which a core encodes 65 to 98
 * MB of PPM (doc/gpu.md, "From host to host"). XC_AUTO_BYTES replaces the sum for all threads. */
static const uint64_t auto_bytes = UINT64_C(64) << 20;

/* So many inputs are looked at for that.  If there are more, the batch is taken to be large. */
enum { AHEAD = 4096 };

/* The usable GPUs, which the workers of a batch take in turn. */
typedef struct gpus {
	int *list, count;
	int first, step;  /* of this process */
	const char *kind; /* of device: "auto" leaves to the processor what a GPU cannot do */
} gpus;

static int is_auto(const xc_cli_batch *b)
{
	return b->gpus_join && !strcmp(b->limits->device, "auto");
}

static int is_large(uint64_t bytes, int threads)
{
	const char *named = getenv("XC_AUTO_BYTES");
	uint64_t bound;

	if (!named || xc_cli_parse_size(named, 0, &bound))
		bound = auto_bytes * (uint64_t)threads;
	return bytes >= bound;
}

/* Starts CUDA. */
static void find_gpus(gpus *g)
{
	xc_context *context = xc_context_new(NULL);
	xc_cuda_device *all = NULL;
	int count = 0;

	if (context && !xc_cuda_devices(context, NULL, 0, &count) && count > 0) {
		all = calloc((size_t)count, sizeof *all);
		g->list = calloc((size_t)count, sizeof *g->list);
	}
	if (all && g->list && !xc_cuda_devices(context, all, count, &count))
		for (int i = 0; i < count; i++)
			if (all[i].usable)
				g->list[g->count++] = all[i].index;
	free(all);
	xc_context_free(context);
}

static xc_context *make_context(void *user, int worker, const xc_cli_limits *own)
{
	const gpus *g = user;
	xc_cli_limits limits = *own;
	char device[24] = ""; /* "cuda:N" */

	if (g->count)
		snprintf(device, sizeof device, "%s:%d", g->kind,
		         g->list[(g->first + worker * g->step) % g->count]);
	if (*device == 'c')
		limits.device = device;
	xc_context *context = xc_cli_context(&limits);
	/* If that GPU fails, the processor works. */
	if (context && *device == 'a')
		xc_context_set_device(context, device);
	return context;
}

static int prepare(const xc_cli_batch *b, xc_context *context)
{
	return b->prepare ? b->prepare(b->user, context) : 0;
}

/* Finds out about threads, and prepares, with a context of its own. */
static int find_out(const xc_cli_stream *s, int *threads)
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
	xc_context_free(first);
	return failed;
}

static int is_unchanged(const char *path, const struct stat *then)
{
	struct stat now;

	return !lstat(path, &now) && S_ISREG(now.st_mode) && xc_cli_same_file(&now, then) &&
	       now.st_size == then->st_size && now.st_mtim.tv_sec == then->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == then->st_mtim.tv_nsec;
}

int xc_cli_batch_delete_input(const xc_cli_batch *b, const xc_cli_limits *limits,
                              xc_context *context, const xc_cli_input *in, const char *result,
                              const char **kept)
{
	*kept = "it is no regular file, or changed meanwhile";
	if (in->file < 0 || in->is_range || !is_unchanged(in->name, &in->status))
		return 1;
	const int same = b->same(limits, context, in->name, result);
	if (same <= 0) {
		*kept = "its result does not give back all of it";
		return same < 0 ? -1 : 1;
	}
	if (!is_unchanged(in->name, &in->status))
		return 1;
	const int failed = unlink(in->name);
	*kept = failed ? "it cannot be deleted" : NULL;
	return failed ? xc_cli_error(in->name, "cannot be deleted: %s", strerror(errno)) - 1 : 0;
}

/* Deletes the input of a run of one file, or says that it stays: 0, or -1 after a failure. */
static int delete_one(const xc_cli_batch *b, xc_cli_task *task)
{
	const char *kept = "its result is no file";
	const int stays = task->out->direct ? 1
	                                    : xc_cli_batch_delete_input(b, b->limits, task->context,
	                                                                task->in, b->inputs[1], &kept);

	if (stays > 0)
		xc_cli_warning(task->in->name, "is not deleted: %s", kept);
	else if (!stays && b->verbosity == XC_CLI_VERBOSE)
		xc_cli_say("  the input is deleted\n");
	if (task->told)
		task->told = xc_cli_summary_deleted(task->told, kept);
	return stays < 0 ? -1 : 0;
}

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
	failed = failed ? failed : xc_cli_input_open(&in, path);
	if (!failed) {
		out.source = in.status;
		xc_cli_limit_memory(task.context, b->limits, xc_cli_sizes(&path, 1), 1);
		failed = b->work(b->user, &task);
		if (!failed && b->delete_inputs)
			failed = delete_one(b, &task);
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

	return xc_cli_is_shard(name) ? b->tars : b->takes(b->user, name);
}

/* What results depend on by their names, only where it is given, so that manifests of before hold. */
static void describe_names(const xc_cli_batch *b, char *text, size_t room)
{
	const xc_cli_globs *globs[] = {&b->copied, &b->lossless, &b->excluded};
	uint32_t sum = (uint32_t)b->smaller + 2 * (uint32_t)b->copy_others + 4 * (uint32_t)b->tars;

	for (int k = 0; k < 3; k++)
		for (int i = 0; i < globs[k]->count; i++)
			sum = xc_crc32c(sum + (uint32_t)k + 1, globs[k]->glob[i], strlen(globs[k]->glob[i]));
	*text = '\0';
	if (sum)
		snprintf(text, room, "names %08x ", (unsigned)sum);
}

static int open_manifest(many *m, const xc_cli_command *self)
{
	const xc_cli_batch *b = m->stream.batch;
	const int rank = m->stream.spread ? m->stream.spread->rank : 0;
	char options[XC_CLI_DESCRIPTION], text[XC_CLI_DESCRIPTION - 64], names[32];

	if (!b->resume)
		return 0;
	b->describe(b->user, text, sizeof text);
	describe_names(b, names, sizeof names);
	snprintf(options, sizeof options, "%.16s %s%s%s", self->name,
	         b->naming == XC_CLI_NAMING_REPLACE ? "" : "keep-suffix ", names, text);
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

/* Takes as many items as there could be workers. If these are all, threads are left over for each
 * of them. Where their bytes decide about GPUs, more are taken, unless from a list, which may be a
 * pipe that fills slowly: *large tells what they decide. */
static int look_ahead(xc_cli_stream *s, int threads, int *large)
{
	const int workers = threads < XC_CLI_WRITERS ? threads : XC_CLI_WRITERS;
	const int wanted = is_auto(s->batch);
	const int max = wanted && !s->batch->list ? AHEAD : workers;
	uint64_t bytes = 0;
	int shards = 0;
	struct stat status;

	s->ahead = malloc((size_t)max * sizeof *s->ahead);
	if (!s->ahead)
		return xc_cli_error(NULL, "out of memory");
	while (s->ahead_count < max && (s->ahead_count < workers || !is_large(bytes, threads))) {
		xc_cli_item *item = &s->ahead[s->ahead_count];
		const int got = xc_cli_items_next(s->items, item);

		if (!got)
			break;
		shards += item->way == XC_CLI_SHARD;
		bytes += wanted && !stat(item->path, &status) ? (uint64_t)status.st_size : 0;
		s->ahead_count++;
	}
	const int all = s->ahead_count < max && !is_large(bytes, threads);
	*large = !all;
	if (s->workers.count == INT_MAX && all && !shards)
		s->workers.count = s->ahead_count;
	return 0;
}

static int open_items(many *m, int threads, int *large)
{
	xc_cli_stream *s = &m->stream;
	const xc_cli_batch *b = s->batch;
	static const xc_cli_globs none; /* a shard alone is what was asked for */

	m->inputs = (xc_cli_inputs){.operands = b->inputs,
	                            .count = s->out ? 1 : b->count,
	                            .recursive = b->recursive,
	                            .verbose = b->verbosity == XC_CLI_VERBOSE,
	                            .list = b->list,
	                            .end = b->null ? '\0' : '\n',
	                            .takes = takes,
	                            .user = m,
	                            .excluded = s->out ? &none : &b->excluded,
	                            .copied = &b->copied,
	                            .claim = s->out ? NULL : xc_cli_claims_take,
	                            .claims = &m->claims,
	                            .refused = xc_cli_stream_refused,
	                            .refused_user = s,
	                            .leave_out = b->folder};
	s->items = xc_cli_items_open(&m->inputs);
	if (!s->items)
		return -1;
	return s->spread || (is_plain(b) && !is_auto(b)) ? 0 : look_ahead(s, threads, large);
}

/* What every process of a job does before it begins: 0, or -1 after reporting why it cannot. */
static int set_up(many *m, const xc_cli_command *self)
{
	xc_cli_stream *s = &m->stream;
	const xc_cli_batch *b = s->batch;
	const int first = !s->spread || s->spread->rank == 0;
	gpus g = {.first = s->spread ? s->spread->local : 0,
	          .step = s->spread ? s->spread->locals : 1,
	          .kind = b->limits->device};
	int threads, large = s->spread != NULL; /* a job of many processes is taken to be large */

	if (!s->out && check_folder(b->folder))
		return -1;
	if (!s->out && first && !b->recursive && !b->list && check_operands(self, b))
		return -1;
	int failed = find_out(s, &threads) || open_manifest(m, self) ||
	             (first && open_items(m, threads, &large));
	/* An empty job has a worker too. */
	s->workers.count += !s->workers.count;
	if (!failed && (!strcmp(g.kind, "cuda") || (large && is_auto(b))))
		find_gpus(&g);
	if (!failed)
		failed = xc_cli_workers_begin(&s->workers, threads, b->limits, make_context, &g);
	free(g.list);
	return failed ? -1 : 0;
}

static void say_time(const xc_cli_stream *s)
{
	xc_cli_time_use sum = {{0}};

	for (int i = 0; i < s->workers.threads; i++)
		xc_cli_time_use_sum(&sum, &s->use[i]);
	xc_cli_time_use_say(&sum, &s->tally, s->workers.threads, s->by_gpu, s->seconds);
}

/* What came of all, in one line. */
static void say_sum(const many *m)
{
	const xc_cli_tally *t = &m->stream.tally;
	const unsigned long long before = t->existed + xc_cli_items_finished(m->stream.items);
	const unsigned long long excluded = t->excluded + xc_cli_items_excluded(m->stream.items);
	const struct {
		uint64_t count;
		const char *what;
	} kinds[] = {{t->repacked, "repacked"},
	             {t->lossy, "coded with loss"},
	             {t->exact, "coded without loss"},
	             {t->stored, "stored"},
	             {t->failed[XC_CLI_UNPACKABLE], "refused"}};
	char text[512] = "";
	size_t n = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].count)
			n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu %s", n ? ", " : ": ",
			                      (unsigned long long)kinds[i].count, kinds[i].what);
	if (before)
		n += (size_t)snprintf(text + n, sizeof text - n, " (%llu file%s finished before)", before,
		                      xc_s(before));
	if (t->kept)
		n += (size_t)snprintf(text + n, sizeof text - n, " (%llu kept as the file that was there)",
		                      (unsigned long long)t->kept);
	if (t->copied)
		n += (size_t)snprintf(text + n, sizeof text - n, ", %llu copied",
		                      (unsigned long long)t->copied);
	if (excluded)
		n += (size_t)snprintf(text + n, sizeof text - n, ", %llu excluded", excluded);
	if (m->stream.batch->delete_inputs)
		snprintf(text + n, sizeof text - n, ", %llu input%s deleted, %llu kept",
		         (unsigned long long)t->deleted, xc_s(t->deleted),
		         (unsigned long long)(t->stayed + xc_cli_items_finished(m->stream.items) +
		                              xc_cli_items_failed(m->stream.items)));
	if (*text || t->done || !xc_cli_tally_failed(t))
		xc_cli_say("%llu picture%s%s, %llu bytes in, %llu bytes out, %.2f s\n",
		           (unsigned long long)t->done, xc_s(t->done), text,
		           (unsigned long long)t->bytes_in, (unsigned long long)t->bytes_out,
		           m->stream.seconds);
}

static void say_failures(const xc_cli_command *self, const many *m)
{
	const xc_cli_tally *t = &m->stream.tally;
	const unsigned long long failed = xc_cli_tally_failed(t);
	const unsigned long long all = failed + t->done + t->copied + t->existed + t->untried +
	                               xc_cli_items_finished(m->stream.items);

	if (m->stream.batch->verbosity != XC_CLI_QUIET)
		say_sum(m);
	if (t->lossy_16)
		xc_cli_warning(self->name,
		               "%llu picture%s of 16 bits %s coded with loss (--lossless keeps them)",
		               (unsigned long long)t->lossy_16, xc_s(t->lossy_16),
		               t->lossy_16 == 1 ? "was" : "were");
	if (t->recoded)
		xc_cli_warning(self->name, "%llu JPEG%s coded with a second loss on top of the first one",
		               (unsigned long long)t->recoded, xc_s(t->recoded));
	if (t->flawed)
		xc_cli_warning(self->name, "%llu JPEG%s cut off or damaged before",
		               (unsigned long long)t->flawed, t->flawed == 1 ? " was" : "s were");
	if (m->stream.batch->verbosity == XC_CLI_VERBOSE)
		say_time(&m->stream);
	if (t->undeletable)
		xc_cli_error(self->name, "%llu input%s could not be deleted",
		             (unsigned long long)t->undeletable, xc_s(t->undeletable));
	if (t->untried)
		xc_cli_error(m->stream.batch->folder, "takes no more results, so %llu file%s not tried: %s",
		             (unsigned long long)t->untried, t->untried == 1 ? " was" : "s were",
		             strerror(m->stream.full));
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
		xc_cli_passed_tell(xc_cli_items_passed(s->items), self->name, "passed over by name");
	if (!failed)
		xc_cli_passed_tell(&s->copied, self->name,
		                   "of shards copied as they are, although named as pictures");
	if (!failed && !spread)
		say_failures(self, m);
	xc_cli_workers_end(&s->workers);
	while (s->ahead_next < s->ahead_count)
		xc_cli_item_free(&s->ahead[s->ahead_next++]);
	free(s->ahead);
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
	                     .taking = PTHREAD_MUTEX_INITIALIZER,
	                     .counting = PTHREAD_MUTEX_INITIALIZER,
	                     .workers = {.count = plain ? b->count : INT_MAX}},
	          .claims = {.suffix = b->suffix,
	                     .suffix_of = b->suffix_of,
	                     .naming = (xc_cli_naming)b->naming,
	                     .skip_existing = b->skip_existing,
	                     .folder = b->folder,
	                     .force = b->force}};

	if (b->json && plain && !self->spread) {
		m.stream.told = calloc((size_t)b->count, sizeof *m.stream.told);
		if (!m.stream.told) {
			xc_cli_error(self->name, "out of memory");
			return XC_CLI_FAILED;
		}
	}
	const int status = run_stream(&m, self);
	if (m.stream.told)
		xc_cli_summaries_print(m.stream.told, b->count);
	else if (b->json && !self->spread)
		xc_cli_summaries_end(m.stream.printed);
	free(m.stream.told);
	return status;
}

/* MPI has sockets and threads of its own, and came first. */
static int enter_sandbox(const xc_cli_command *self, const xc_cli_batch *b)
{
	const xc_cli_sandbox allowed = {.off = b->no_sandbox || self->spread,
	                                .limits = b->limits,
	                                .many = b->folder != NULL,
	                                .inputs = b->inputs,
	                                .count = b->folder ? b->count : 1,
	                                .also_read = b->also_read,
	                                .reads_all = b->list != NULL,
	                                .result = b->folder ? NULL : b->inputs[1],
	                                .folder = b->folder,
	                                .deletes = b->delete_inputs};

	return xc_cli_sandbox_enter(&allowed);
}

int xc_cli_batch_run(const xc_cli_command *self, xc_cli_batch *batch)
{
	char *told = NULL;
	int status;

	if (batch->verbosity == XC_CLI_QUIET)
		xc_cli_leave_out_warnings();
	if (enter_sandbox(self, batch))
		return XC_CLI_FAILED;
	if (xc_cli_batch_is_stream(batch)) {
		status = many_files(self, batch);
	} else {
		status = one_file(batch, &told);
		if (batch->json)
			xc_cli_summaries_print(&told, 1);
		else
			free(told);
	}
	if (batch->json && xc_cli_flush_output())
		status = XC_CLI_FAILED;
	return status;
}
