/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* pipe2() */
#endif

#include "sweep/run/run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "cli/base/io.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"
#include "src/core/pool.h"
#include "src/core/crc32c.h"

/* A picture from its first point to its last. */
typedef struct flight {
	pthread_mutex_t lock; /* held while it is read */
	int read, failed;
	xc_sweep_original original;
	size_t left; /* points; under the workers' lock, as what follows */
} flight;

typedef struct shared_work {
	xc_sweep_run *run;
	xc_sweep_worker *workers;
	char **folders; /* by worker */
	flight *flights;
	pthread_mutex_t lock;
	size_t next;   /* point to begin */
	int failed;    /* atomic */
	size_t passed; /* pictures that plan->complete was told of */
	xc_cli_batch_progress progress;
} shared_work;

static int no_memory(void)
{
	return xc_cli_error(NULL, "out of memory");
}

/* ------------------------------------------------------------------------------- the journal */

enum { CHECKSUM = 8, NUMBERS = 512 };

static const uint64_t size_limit = UINT64_C(1) << 28; /* half a million points and more */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether a line has its own checksum before it. */
static int is_whole(const char *line)
{
	const size_t n = strlen(line);
	char *end;

	return n > CHECKSUM + 1 && line[CHECKSUM] == ' ' &&
	       strtoul(line, &end, 16) == xc_crc32c(0, line + CHECKSUM + 1, n - CHECKSUM - 1) &&
	       end == line + CHECKSUM;
}

/* Takes the lines of a text, which is written over. */
static int take_lines(xc_sweep_journal *j, char *text)
{
	size_t room = 1;

	for (const char *c = text; *c; c++)
		room += *c == '\n';
	j->lines = calloc(room, sizeof *j->lines);
	if (!j->lines)
		return xc_cli_error(j->path, "out of memory");
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		if (is_whole(line) && !(j->lines[j->count] = strdup(line + CHECKSUM + 1)))
			return xc_cli_error(j->path, "out of memory");
		j->count += j->lines[j->count] != NULL;
	}
	if (j->count)
		qsort(j->lines, j->count, sizeof *j->lines, by_text);
	return 0;
}

static int load(xc_sweep_journal *j)
{
	uint8_t *data;
	size_t size;

	if (xc_cli_read_small(j->path, size_limit, &data, &size))
		return -1;
	char *text = strndup((const char *)data, size);
	free(data);
	const int failed = text ? take_lines(j, text) : xc_cli_error(j->path, "out of memory");
	free(text);
	return failed;
}

static int append(const xc_sweep_journal *j, const char *text, size_t size)
{
	ssize_t n;

	do
		n = write(j->file, text, size);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size
	           ? 0
	           : xc_cli_error(j->path, "cannot write: %s", strerror(n < 0 ? errno : ENOSPC));
}

/* Opens or creates the journal. resume: what it has is kept, else it begins anew. path NULL:
 * nothing is kept. Returns 0, or -1 after reporting why not. */
static int open_journal(xc_sweep_journal *journal, const char *path, int resume)
{
	*journal = (xc_sweep_journal){.path = path, .file = -1};
	if (!path)
		return 0;
	journal->file = xc_cli_open_regular(AT_FDCWD, path,
	                                    O_WRONLY | O_CREAT | O_APPEND | (resume ? 0 : O_TRUNC));
	if (journal->file < 0 && resume)
		return xc_cli_error(path, "cannot open: %s", xc_cli_open_failure());
	if (journal->file < 0) {
		xc_cli_warning(path, "cannot create: %s (--resume will have nothing)",
		               xc_cli_open_failure());
		return 0;
	}
	if (resume && load(journal))
		return -1;
	/* The last line may have been cut off. */
	return lseek(journal->file, 0, SEEK_END) > 0 ? append(journal, "\n", 1) : 0;
}

/* The numbers in hexadecimal, so that what is read is what was written. */
static int print_numbers(char *text, const xc_sweep_point *p)
{
	int n = snprintf(text, NUMBERS, "%" PRIu64 " %a %a", p->bytes, p->encode_seconds,
	                 p->decode_seconds);

	for (int m = 0; m < XC_SWEEP_METRICS; m++)
		n += snprintf(text + n, NUMBERS - (size_t)n, " %a", p->metric[m]);
	return n + snprintf(text + n, NUMBERS - (size_t)n, " %a", p->max_abs_diff);
}

static int parse_numbers(const char *text, xc_sweep_point *p)
{
	double *const to[] = {&p->encode_seconds, &p->decode_seconds, &p->max_abs_diff};
	char *end;

	p->bytes = strtoull(text, &end, 10);
	for (int i = 0; i < XC_SWEEP_METRICS + 3 && end != text; i++) {
		const int m = i - 2;
		text = end;
		*(m < 0 ? to[i] : m < XC_SWEEP_METRICS ? &p->metric[m] : to[2]) = strtod(text, &end);
	}
	return end != text && !*end;
}

/* Takes the numbers of the point with that key: 1, or 0 if there is none. */
static int find_in_journal(const xc_sweep_journal *journal, const char *key, xc_sweep_point *point)
{
	const size_t n = strlen(key);
	size_t low = 0, high = journal->count;

	while (low < high) {
		const size_t middle = (low + high) / 2;
		const char *line = journal->lines[middle];
		int order = strncmp(line, key, n);
		if (!order && line[n] == '\t')
			return parse_numbers(line + n + 1, point);
		if (order ? order < 0 : line[n] < '\t')
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Adds a point, with one write; any thread may.  key: without tabs and line ends.  Returns 0, or -1
 * after reporting why not. */
static int add_to_journal(const xc_sweep_journal *journal, const char *key,
                          const xc_sweep_point *point)
{
	char numbers[NUMBERS];

	if (journal->file < 0)
		return 0;
	print_numbers(numbers, point);
	const size_t size = CHECKSUM + 1 + strlen(key) + 1 + strlen(numbers) + 1;
	char *line = malloc(size + 1);
	if (!line)
		return xc_cli_error(journal->path, "out of memory");
	char *rest = line + CHECKSUM + 1;
	snprintf(rest, size - CHECKSUM, "%s\t%s", key, numbers);
	snprintf(line, CHECKSUM + 1, "%08x", (unsigned)xc_crc32c(0, rest, strlen(rest)));
	line[CHECKSUM] = ' ';
	line[size - 1] = '\n';
	const int failed = append(journal, line, size);
	free(line);
	return failed;
}

/* complete: the journal is no longer needed, and removed. */
static void close_journal(xc_sweep_journal *journal, int complete)
{
	if (journal->file >= 0)
		close(journal->file);
	if (journal->file >= 0 && complete)
		remove(journal->path);
	for (size_t i = 0; i < journal->count; i++)
		free(journal->lines[i]);
	free(journal->lines);
	*journal = (xc_sweep_journal){.file = -1};
}

/* ------------------------------------------------------------------------ the private folder */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status, (void)kind, (void)where;
	return remove(path) && errno != ENOENT;
}

/* Programs that are about to end may still write, for a second at the most. */
static void remove_folder(const char *folder)
{
	enum { TRIES = 50, WAIT = 20, FILES = 16 };

	for (int i = 0; i < TRIES && access(folder, F_OK) == 0; i++)
		if (nftw(folder, remove_one, FILES, FTW_DEPTH | FTW_PHYS))
			poll(NULL, 0, WAIT);
}

/* The process that waits; all signals are blocked. */
_Noreturn static void keep(const xc_sweep_private_folder *k, int end)
{
	char byte;

	setpgid(0, 0);
	close(k->pipe);
	for (int i = 0; i < 3; i++)
		close(i);
	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
	kill(0, SIGTERM);
	remove_folder(k->folder);
	_exit(0);
}

/* Returns -1 with errno. */
static int start_keeper(xc_sweep_private_folder *k)
{
	int ends[2];

	if (!mkdtemp(k->folder))
		return -1;
	if (!pipe2(ends, O_CLOEXEC)) {
		k->pipe = ends[1];
		k->process = fork();
		if (k->process == 0)
			keep(k, ends[0]);
		close(ends[0]);
		if (k->process > 0) {
			setpgid(k->process, k->process);
			return 0;
		}
		close(k->pipe);
	}
	rmdir(k->folder);
	return -1;
}

/* Makes the folder, in TMPDIR or /tmp. Called before any other thread exists. Returns 0, or -1
 * after reporting why not. */
static int start_private_folder(xc_sweep_private_folder *private)
{
	const char *parent = getenv("TMPDIR");
	sigset_t all, before;

	*private = (xc_sweep_private_folder){.process = 0};
	snprintf(private->folder, sizeof private->folder, "%s/xcodec-XXXXXX",
	         parent && *parent ? parent : "/tmp");
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	const int failed = start_keeper(private), error = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		return 0;
	private->process = 0;
	return xc_cli_error(private->folder, "cannot create: %s", strerror(error));
}

/* Returns when the folder is gone.  A struct of zeros is allowed. */
static void end_private_folder(xc_sweep_private_folder *private)
{
	if (!private->process)
		return;
	close(private->pipe);
	while (waitpid(private->process, NULL, 0) < 0 && errno == EINTR)
		;
	private->process = 0;
}

/* ------------------------------------------------------------------- one point */

/* What tells this point from all others, for the journal; to be freed.  NULL: out of memory. */
static char *key_of(const shared_work *c, const xc_sweep_point *p)
{
	const xc_sweep_plan *plan = c->run->plan;
	const xc_sweep_original *o = &c->flights[p->picture].original;
	const char *path = plan->paths[p->picture], *identity = plan->setups.setup[p->config].identity;
	const size_t size = 4 * (strlen(path) + strlen(identity)) + 128;
	char *text = malloc(size), *key = malloc(4 * size);

	if (text && key) {
		snprintf(text, size, "%s %llu %08x | %s | %.10g peak %u", path,
		         (unsigned long long)o->bytes, (unsigned)o->checksum, identity, p->quality,
		         o->peak);
		xc_cli_escape(key, 4 * size, text);
	}
	free(text);
	if (text)
		return key;
	free(key);
	return NULL;
}

/* Takes the point from the journal, or measures it and adds it there. */
static int measure_point(shared_work *c, int worker, xc_sweep_point *p)
{
	const xc_sweep_plan *plan = c->run->plan;
	xc_picture decoded;
	char *key = key_of(c, p);
	int failed = key ? 0 : no_memory();

	if (!failed && !find_in_journal(&c->run->journal, key, p)) {
		failed = xc_sweep_measure_point(&c->workers[worker], &plan->setups.setup[p->config],
		                                &c->flights[p->picture].original, p, &decoded);
		failed = failed ? failed : add_to_journal(&c->run->journal, key, p);
	}
	free(key);
	return failed;
}

static int read_picture(shared_work *c, size_t picture)
{
	const xc_sweep_plan *plan = c->run->plan;
	xc_sweep_original *o = &c->flights[picture].original;
	xc_sweep_picture *known = &c->run->pictures[picture];
	const char *folder = c->run->private.process ? c->run->private.folder : NULL;

	if (xc_sweep_original_read(o, plan->paths[picture], c->workers[0].limits, &plan->setups,
	                           plan->peak, folder, picture))
		return -1;
	known->width = o->picture.width;
	known->height = o->picture.height;
	known->channels = o->picture.channels;
	known->depth = o->picture.depth;
	known->peak = o->peak                   ? xc_cli_range_in_file(o->peak, &o->read.metadata)
	              : known->depth == 8       ? 255
	              : o->read.metadata.maxval ? o->read.metadata.maxval
	                                        : 65535;
	if (!plan->peak && known->depth == 16)
		xc_cli_range_hint(o->name, known->peak,
		                  xc_cli_range_in_file(xc_cli_largest(&o->picture), &o->read.metadata),
		                  "--peak auto measures against these");
	c->run->sources[picture].bytes = o->bytes;
	c->run->sources[picture].checksum = o->checksum;
	return 0;
}

/* Reads the picture unless it is there. */
static int have_picture(shared_work *c, size_t picture)
{
	flight *f = &c->flights[picture];

	pthread_mutex_lock(&f->lock);
	if (!f->read) {
		f->read = 1;
		f->failed = read_picture(c, picture);
	}
	const int failed = f->failed;
	pthread_mutex_unlock(&f->lock);
	return failed;
}

/* Tells of the pictures that are complete, in order. */
static int tell(shared_work *c)
{
	const xc_sweep_plan *plan = c->run->plan;
	int failed = 0;

	while (!failed && c->passed < plan->picture_count && !c->flights[c->passed].left)
		failed = plan->complete(plan->user, &c->run->results, c->passed++);
	return failed;
}

static int one_point(shared_work *c, int worker, size_t i)
{
	xc_sweep_point *p = &c->run->points[i];
	flight *f = &c->flights[p->picture];

	if (have_picture(c, p->picture) || measure_point(c, worker, p))
		return -1;
	pthread_mutex_lock(&c->lock);
	int failed = 0;
	if (!--f->left) {
		xc_sweep_original_free(&f->original);
		failed = tell(c);
	}
	pthread_mutex_unlock(&c->lock);
	return failed;
}

static void work(void *user, int worker)
{
	shared_work *c = user;
	xc_context *context = c->workers[worker].context;
	size_t i;

	while (!__atomic_load_n(&c->failed, __ATOMIC_RELAXED) &&
	       (i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->run->results.point_count) {
		c->workers[worker].progress = xc_cli_batch_progress_begin(&c->progress, worker, context);
		if (one_point(c, worker, i))
			__atomic_store_n(&c->failed, 1, __ATOMIC_RELAXED);
		xc_cli_batch_progress_end(&c->progress, worker);
	}
}

/* --------------------------------------------------------------------- the workers */

static int make_worker(shared_work *c, int i, xc_cli_limits *limits)
{
	const xc_sweep_run *r = c->run;
	xc_sweep_worker *w = &c->workers[i];

	w->limits = limits;
	w->context = xc_cli_context(limits);
	if (!w->context)
		return -1;
	if (!r->private.process)
		return 0;
	c->folders[i] = xc_cli_text(NULL, "%s/job%d", r->private.folder, i);
	if (!c->folders[i])
		return -1;
	w->folder = c->folders[i];
	w->group = r->private.process;
	return mkdir(w->folder, 0700) ? xc_cli_error(w->folder, "cannot create") : 0;
}

static int make_workers(shared_work *c, xc_cli_limits *limits)
{
	const xc_sweep_run *r = c->run;
	const size_t pictures = r->plan->picture_count;

	c->workers = calloc((size_t)r->jobs, sizeof *c->workers);
	c->folders = calloc((size_t)r->jobs, sizeof *c->folders);
	c->flights = calloc(pictures, sizeof *c->flights);
	if (!c->workers || !c->folders || !c->flights)
		return no_memory();
	pthread_mutex_init(&c->lock, NULL);
	for (size_t i = 0; i < pictures; i++) {
		pthread_mutex_init(&c->flights[i].lock, NULL);
		c->flights[i].left = r->results.point_count / pictures;
	}
	int failed = 0;
	for (int i = 0; i < r->jobs && !failed; i++)
		failed = make_worker(c, i, limits);
	return failed;
}

static void free_workers(shared_work *c)
{
	for (size_t i = 0; c->flights && i < c->run->plan->picture_count; i++)
		xc_sweep_original_free(&c->flights[i].original);
	for (int i = 0; c->workers && i < c->run->jobs; i++)
		if (c->workers[i].context) {
			xc_sweep_worker_clear(&c->workers[i]);
			xc_context_free(c->workers[i].context);
		}
	for (int i = 0; c->folders && i < c->run->jobs; i++)
		free(c->folders[i]);
	free(c->workers);
	free(c->folders);
	free(c->flights);
}

static void work_together(shared_work *c)
{
	xc_pool pool;

	xc_cli_batch_progress_start(&c->progress, c->run->plan->verbosity, "sweeping", "point",
	                            (int)c->run->results.point_count);
	if (c->run->jobs == 1 || xc_pool_init(&pool)) {
		work(c, 0);
	} else {
		xc_pool_run(&pool, c->run->jobs, work, c);
		xc_pool_free(&pool);
	}
	xc_cli_batch_progress_stop(&c->progress);
}

/* ------------------------------------------------------------------- the results */

/* The name without its folder, unless another picture has that one too. */
static const char *short_name(const xc_sweep_plan *plan, size_t i)
{
	const char *slash = strrchr(plan->paths[i], '/');
	const char *base = slash && slash[1] ? slash + 1 : plan->paths[i];

	for (size_t k = 0; k < plan->picture_count; k++) {
		const char *other = strrchr(plan->paths[k], '/');
		if (k != i && !strcmp(base, other && other[1] ? other + 1 : plan->paths[k]))
			return plan->paths[i];
	}
	return xc_cli_input_name(base);
}

static void list_points(xc_sweep_run *r)
{
	xc_sweep_point *p = r->points;

	for (uint32_t picture = 0; picture < r->plan->picture_count; picture++)
		for (uint32_t config = 0; config < r->plan->setups.count; config++) {
			const xc_sweep_qualities *q = &r->plan->setups.setup[config].qualities;
			for (int i = 0; i < q->count; i++, p++) {
				p->picture = picture;
				p->config = config;
				p->quality = q->value[i];
			}
		}
}

static int make_results(xc_sweep_run *r)
{
	const xc_sweep_plan *plan = r->plan;
	const size_t pictures = plan->picture_count, configs = plan->setups.count;
	size_t points = 0;

	for (size_t i = 0; i < configs; i++)
		points += (size_t)plan->setups.setup[i].qualities.count;
	points *= pictures;
	r->pictures = calloc(pictures, sizeof *r->pictures);
	r->sources = calloc(pictures, sizeof *r->sources);
	r->configs = calloc(configs, sizeof *r->configs);
	r->points = calloc(points, sizeof *r->points);
	r->results = (xc_sweep_results){r->pictures, r->configs, r->points, pictures, configs, points};
	if (!r->pictures || !r->sources || !r->configs || !r->points)
		return no_memory();
	for (size_t i = 0; i < pictures; i++)
		r->pictures[i].name = short_name(plan, i);
	for (size_t i = 0; i < configs; i++)
		r->configs[i] = (xc_sweep_config){plan->setups.setup[i].name, plan->setups.setup[i].options,
		                                  NULL};
	list_points(r);
	return 0;
}

static int needs_programs(const xc_sweep_plan *plan)
{
	for (size_t i = 0; i < plan->setups.count; i++)
		if (plan->setups.setup[i].is_foreign)
			return 1;
	return 0;
}

/* Shares threads and memory; the number of jobs is known then. A job has a context for its work,
 * and may have one for an original. */
static int share(xc_sweep_run *r, xc_cli_limits *limits)
{
	const int threads = xc_cli_threads(limits);
	const size_t points = r->results.point_count;

	if (threads < 0)
		return -1;
	r->jobs = r->plan->jobs ? r->plan->jobs : threads < XC_CLI_WRITERS ? threads : XC_CLI_WRITERS;
	if ((size_t)r->jobs > points)
		r->jobs = (int)points;
	if (r->jobs > 1)
		limits->threads = threads > r->jobs ? threads / r->jobs : 1;
	*limits = xc_cli_limits_share(limits, 2 * r->jobs);
	return 0;
}

int xc_sweep_run_all(xc_sweep_run *run, const xc_sweep_plan *plan)
{
	shared_work c = {.run = run};
	xc_cli_limits limits = plan->limits;

	*run = (xc_sweep_run){.plan = plan, .journal = {.file = -1}};
	int failed = make_results(run) ||
	             (needs_programs(plan) && start_private_folder(&run->private)) ||
	             xc_sweep_versions(run) || share(run, &limits) ||
	             open_journal(&run->journal, plan->journal, plan->resume) ||
	             make_workers(&c, &limits);
	if (!failed) {
		work_together(&c);
		failed = c.failed;
	}
	free_workers(&c);
	return failed ? -1 : 0;
}

void xc_sweep_run_free(xc_sweep_run *run, int complete)
{
	end_private_folder(&run->private);
	close_journal(&run->journal, complete);
	free(run->pictures);
	free(run->sources);
	for (size_t i = 0; run->configs && i < run->results.config_count; i++)
		free(run->configs[i].version);
	free(run->configs);
	free(run->points);
}
