/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulates xcodec-mpi on many nodes:
 *
 *   scale [NAME=NUMBER]... TIMES
 *
 * TIMES has a line for each measured picture: seconds of one core, bytes in, bytes out.  Pictures are
 * drawn from it.  Each node has one rank.  A worker opens and reads a picture, codes it, writes it and
 * gives it its name; there may be more workers than cores.  Chunks are those of mpi/chunk.h, and are asked for as the ranks do.  What nodes
 * share, the file system's operations and bytes and rank 0, serves one request after another, and so does
 * the link of each node.  doc/scale.md says what comes out.
 */
#include "mpi/chunk.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------ the model */

typedef struct model {
	double pictures, share, cores, workers, speed, link, bytes, operations, each, delay;
	double message, name, trip, pause;
} model;

#define IN(field) offsetof(model, field)
static const struct option {
	const char *name;
	size_t offset;
	double usual;
	const char *what;
} options[] = {{"pictures", IN(pictures), 2e5, "of the job"},
               {"share", IN(share), 30,
                "pictures of a core, at the least: with more nodes the job has more"},
               {"cores", IN(cores), 64, "of a node"},
               {"workers", IN(workers), 1, "of a core"},
               {"speed", IN(speed), 1, "of a core, to the one that TIMES was measured on"},
               {"link", IN(link), 12.5e9, "bytes a second of a node's link"},
               {"bytes", IN(bytes), 100e9, "bytes a second of the file system"},
               {"operations", IN(operations), 200e3, "on files a second that the file system does"},
               {"each", IN(each), 5, "such operations for each picture"},
               {"delay", IN(delay), 3e-4,
                "seconds that an operation takes when nothing else is done"},
               {"message", IN(message), 5e-6, "seconds of rank 0 for a question and its answer"},
               {"name", IN(name), 3e-7, "seconds of rank 0 for a name"},
               {"trip", IN(trip), 5e-6, "seconds of a message's way"},
               {"pause", IN(pause), 1e-3, "seconds until a rank looks for an answer"}};
enum { OPTIONS = sizeof options / sizeof *options };

typedef struct picture {
	double seconds, in, out;
} picture;

typedef enum { TAKE, READ, CODED, ASKED, ANSWERED } kind;
typedef struct event {
	double time;
	kind kind;
	int who; /* a worker, or a node */
	picture work;
	double begun; /* when the worker took it */
	uint64_t count;
} event;

typedef struct node {
	uint64_t queued;
	int *idle, idles; /* workers that wait for an item */
	double *core;     /* until when each is busy */
	int asked, ended;
	double low, asked_at, trip, rate, link; /* link: until when it is busy */
	double busy, seen_busy;
	uint64_t done, seen;
} node;

typedef struct simulation {
	model m;
	const picture *pictures;
	size_t known;
	int nodes, cores, workers; /* of a node */
	node *node;
	event *heap;
	size_t events, room;
	uint64_t left, seed;
	double now, rates;
	double bytes, operations, leader;                /* until when they are busy */
	double busy_bytes, busy_operations, busy_leader; /* seconds, as the next ones */
	double busy;
} simulation;

/* ------------------------------------------------------------------------ events */

static void push(simulation *s, event e)
{
	if (s->events == s->room) {
		s->room = s->room ? 2 * s->room : 1024;
		s->heap = realloc(s->heap, s->room * sizeof *s->heap);
		if (!s->heap)
			abort();
	}
	size_t i = s->events++;
	for (; i && s->heap[(i - 1) / 2].time > e.time; i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = e;
}

static event pop(simulation *s)
{
	const event first = s->heap[0], last = s->heap[--s->events];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < s->events) {
		child += child + 1 < s->events && s->heap[child + 1].time < s->heap[child].time;
		if (s->heap[child].time >= last.time)
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return first;
}

/* Something that serves one request after another: returns when it has served this one. */
static double serve(double now, double *until, double seconds, double *busy)
{
	*until = (*until > now ? *until : now) + seconds;
	*busy += seconds;
	return *until;
}

static double later(double a, double b)
{
	return a > b ? a : b;
}

/* ------------------------------------------------------------------------ a picture */

static picture draw(simulation *s)
{
	s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return s->pictures[(size_t)(s->seed >> 33) % s->known];
}

/* Half of a picture's operations, and its bytes in or out; each way has its own turn. */
static double transfer(simulation *s, int worker, double bytes)
{
	const model *m = &s->m;
	double unused = 0;
	const double opened = m->delay * m->each / 2 + serve(s->now, &s->operations,
	                                                     m->each / 2 / m->operations,
	                                                     &s->busy_operations);
	const double served = serve(opened, &s->bytes, bytes / m->bytes, &s->busy_bytes);

	return later(served,
	             serve(opened, &s->node[worker / s->workers].link, bytes / m->link, &unused));
}

static void ask_if_needed(simulation *s, int i)
{
	node *n = &s->node[i];

	if (n->asked || n->ended)
		return;
	if ((!n->queued && n->idles) ||
	    (n->low >= XC_MPI_WORTH_ASKING_AHEAD && (double)n->queued <= n->low)) {
		n->asked = 1;
		n->asked_at = s->now;
		push(s, (event){.time = s->now + s->m.trip, .kind = ASKED, .who = i});
	}
}

static void take(simulation *s, int worker)
{
	node *n = &s->node[worker / s->workers];

	if (!n->queued) {
		n->idle[n->idles++] = worker;
	} else {
		event e = {.kind = READ, .who = worker, .work = draw(s), .begun = s->now};

		n->queued--;
		e.work.seconds /= s->m.speed;
		e.time = transfer(s, worker, e.work.in);
		push(s, e);
	}
	ask_if_needed(s, worker / s->workers);
}

static void has_read(simulation *s, const event *e)
{
	const node *n = &s->node[e->who / s->workers];
	int first = 0;
	event next = *e;

	for (int i = 1; i < s->cores; i++)
		if (n->core[i] < n->core[first])
			first = i;
	next.kind = CODED;
	next.time = serve(s->now, &n->core[first], e->work.seconds, &s->busy);
	push(s, next);
}

static void coded(simulation *s, const event *e)
{
	node *n = &s->node[e->who / s->workers];
	const double written = transfer(s, e->who, e->work.out);

	n->busy += written - e->begun;
	n->done++;
	push(s, (event){.time = written, .kind = TAKE, .who = e->who});
}

/* ----------------------------------------------------------------------- handing out */

static void note_rate(simulation *s, node *n)
{
	if (n->done == n->seen)
		return;
	const double rate = (double)(n->done - n->seen) / (n->busy - n->seen_busy) * s->workers;
	const double now = n->rate > 0 ? (n->rate + rate) / 2 : rate;

	s->rates += now - n->rate;
	n->rate = now;
	n->seen = n->done;
	n->seen_busy = n->busy;
}

/* Rank 0 holds a limited number of names. */
static void asked(simulation *s, const event *e)
{
	node *n = &s->node[e->who];
	const uint64_t held = 10000 + 640 * (uint64_t)s->nodes, here = s->left < held ? s->left : held;

	note_rate(s, n);
	const xc_mpi_asker asker = {n->rate, n->rate > 0 ? n->rate / s->rates : 1.0 / s->nodes,
	                            (uint64_t)s->workers, n->idles > 0, n->queued};
	event reply = {.kind = ANSWERED, .who = e->who, .count = here ? xc_mpi_chunk(&asker, here) : 0};

	s->left -= reply.count;
	reply.time = s->m.trip + s->m.pause +
	             serve(s->now, &s->leader, s->m.message + s->m.name * (double)reply.count,
	                   &s->busy_leader);
	push(s, reply);
}

static void answered(simulation *s, const event *e)
{
	node *n = &s->node[e->who];
	const double trip = s->now - n->asked_at;

	n->trip = trip > n->trip ? trip : 0.9 * n->trip + 0.1 * trip;
	n->low = n->rate * xc_mpi_lead(n->trip);
	n->asked = 0;
	n->queued += e->count;
	n->ended = !s->left;
	for (uint64_t i = 0; i < e->count && n->idles; i++)
		push(s, (event){.time = s->now, .kind = TAKE, .who = n->idle[--n->idles]});
	ask_if_needed(s, e->who);
}

/* ----------------------------------------------------------------------- a job */

static void begin(simulation *s, int nodes)
{
	s->nodes = nodes;
	s->cores = (int)s->m.cores;
	s->workers = (int)(s->m.cores * s->m.workers);
	s->node = calloc((size_t)nodes, sizeof *s->node);
	if (!s->node)
		abort();
	for (int i = 0; i < nodes; i++) {
		s->node[i].idle = malloc((size_t)s->workers * sizeof(int));
		s->node[i].core = calloc((size_t)s->cores, sizeof(double));
		if (!s->node[i].idle || !s->node[i].core)
			abort();
		for (int k = 0; k < s->workers; k++)
			push(s, (event){.kind = TAKE, .who = i * s->workers + k});
	}
}

static void end(simulation *s)
{
	for (int i = 0; i < s->nodes; i++) {
		free(s->node[i].idle);
		free(s->node[i].core);
	}
	free(s->node);
	free(s->heap);
}

static double mean(const simulation *s)
{
	double sum = 0;

	for (size_t i = 0; i < s->known; i++)
		sum += s->pictures[i].seconds;
	return sum / (double)s->known / s->m.speed;
}

static void simulate(const model *m, const picture *pictures, size_t known, int nodes)
{
	simulation s = {.m = *m, .pictures = pictures, .known = known, .seed = 1};
	const double least = m->share * m->cores * nodes;
	const double all = least > m->pictures ? least : m->pictures;

	s.left = (uint64_t)all;
	begin(&s, nodes);
	while (s.events) {
		const event e = pop(&s);

		s.now = e.time;
		if (e.kind == TAKE)
			take(&s, e.who);
		else if (e.kind == READ)
			has_read(&s, &e);
		else if (e.kind == CODED)
			coded(&s, &e);
		else if (e.kind == ASKED)
			asked(&s, &e);
		else
			answered(&s, &e);
	}
	printf(
		"%5d nodes: %9.3g pictures in %9.2f s, %10.0f a second, %8.1f times one core; busy: cores %5.1f %%, operations "
		"%5.1f %%, bytes %5.1f %%, rank 0 %6.2f %%\n",
		nodes, all, s.now, all / s.now, all / s.now * mean(&s),
		100 * s.busy / (s.now * m->cores * nodes), 100 * s.busy_operations / s.now,
		100 * s.busy_bytes / s.now, 100 * s.busy_leader / s.now);
	end(&s);
}

/* --------------------------------------------------------------------- the command */

static int set(model *m, const char *text)
{
	const char *equals = strchr(text, '=');

	for (int i = 0; equals && i < OPTIONS; i++)
		if (strlen(options[i].name) == (size_t)(equals - text) &&
		    !strncmp(options[i].name, text, (size_t)(equals - text))) {
			*(double *)((char *)m + options[i].offset) = atof(equals + 1);
			return 0;
		}
	return -1;
}

static picture *read_times(const char *path, size_t *count)
{
	FILE *file = fopen(path, "r");
	picture *all = NULL, p;
	size_t n = 0;

	while (file && fscanf(file, "%lf %lf %lf", &p.seconds, &p.in, &p.out) == 3) {
		if (!(n & (n + 1)))
			all = realloc(all, 2 * (n + 1) * sizeof *all);
		if (!all)
			abort();
		all[n++] = p;
	}
	if (file)
		fclose(file);
	*count = n;
	return all;
}

static int usage(void)
{
	fputs("Usage: scale [NAME=NUMBER]... TIMES\n", stderr);
	for (int i = 0; i < OPTIONS; i++)
		fprintf(stderr, "  %-12s %10.4g  %s\n", options[i].name, options[i].usual, options[i].what);
	return 2;
}

int main(int argc, char **argv)
{
	static const int nodes[] = {1, 10, 100, 1000};
	model m = {.pictures = 0};
	size_t known = 0;

	for (int i = 0; i < OPTIONS; i++)
		*(double *)((char *)&m + options[i].offset) = options[i].usual;
	for (int i = 1; i < argc - 1; i++)
		if (set(&m, argv[i]))
			return usage();
	picture *pictures = argc > 1 ? read_times(argv[argc - 1], &known) : NULL;
	if (!known)
		return usage();
	for (int i = 0; i < 4; i++)
		simulate(&m, pictures, known, nodes[i]);
	free(pictures);
	return 0;
}
