/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/run.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/base/io.h"
#include "cli/base/report.h"
#include "cli/base/settings.h"
#include "src/core/pool.h"

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

	if (!failed && !xc_sweep_journal_find(&c->run->journal, key, p)) {
		failed = xc_sweep_measure_point(&c->workers[worker], &plan->setups.setup[p->config],
		                                &c->flights[p->picture].original, p, &decoded);
		failed = failed ? failed : xc_sweep_journal_add(&c->run->journal, key, p);
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
	const size_t room = strlen(r->private.folder) + 32;
	c->folders[i] = malloc(room);
	if (!c->folders[i])
		return no_memory();
	snprintf(c->folders[i], room, "%s/job%d", r->private.folder, i);
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
	xc_context *first = xc_cli_context(limits);

	if (!first)
		return -1;
	const int threads = xc_context_threads(first);
	const size_t points = r->results.point_count;
	xc_context_free(first);
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
	             (needs_programs(plan) && xc_sweep_private_folder_start(&run->private)) ||
	             xc_sweep_versions(run) || share(run, &limits) ||
	             xc_sweep_journal_open(&run->journal, plan->journal, plan->resume) ||
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
	xc_sweep_private_folder_end(&run->private);
	xc_sweep_journal_close(&run->journal, complete);
	free(run->pictures);
	free(run->sources);
	for (size_t i = 0; run->configs && i < run->results.config_count; i++)
		free(run->configs[i].version);
	free(run->configs);
	free(run->points);
}
