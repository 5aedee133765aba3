/* SPDX-License-Identifier: BSD-2-Clause */
#include "mpi/share.h"

#include "cli/base/clock.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <time.h>
#include <string.h>

int xc_mpi_share_init(xc_mpi_share *s, MPI_Comm comm)
{
	*s = (xc_mpi_share){.comm = comm, .begun = xc_cli_seconds()};
	MPI_Comm_rank(comm, &s->rank);
	MPI_Comm_size(comm, &s->ranks);
	s->accounts = calloc((size_t)s->ranks, sizeof *s->accounts);
	if (!s->accounts || xc_mpi_queue_init(&s->queue))
		return xc_cli_error(NULL, "out of memory");
	return 0;
}

void xc_mpi_share_free(xc_mpi_share *s)
{
	xc_mpi_queue_free(&s->queue);
	free(s->accounts);
}

void xc_mpi_account_add(xc_mpi_account *sum, const xc_mpi_account *more)
{
	xc_cli_tally_add(&sum->tally, &more->tally);
	sum->items += more->items;
	sum->workers += more->workers;
	sum->idle += more->idle;
	sum->sharing += more->sharing;
	if (sum->seconds < more->seconds)
		sum->seconds = more->seconds;
}

static double update_pace(xc_mpi_pace *p, const xc_mpi_account *a)
{
	const uint64_t items = a->items - p->items;
	const double busy = a->tally.seconds - p->busy;

	if (!items || busy <= 0)
		return p->rate;
	const double rate = (double)items / busy * (double)a->workers;
	p->rate = p->rate > 0 ? (p->rate + rate) / 2 : rate;
	p->items = a->items;
	p->busy = a->tally.seconds;
	return p->rate;
}

/* Fills in everything but `what`. */
static void describe_share(xc_mpi_share *s, xc_mpi_pace *pace, xc_mpi_ask *a)
{
	a->account = xc_mpi_queue_account(&s->queue, &a->queued, &a->waiting);
	a->account.seconds = xc_cli_seconds() - s->begun;
	a->account.sharing = xc_seconds(CLOCK_THREAD_CPUTIME_ID) - s->processor;
	a->rate = update_pace(pace, &a->account);
}

/* ---------------------------------------------------------------------- waiting */

/* A sleep and a look at the messages take a core about 20 microseconds, so the longest pause costs
 * less than one per cent of it. */
static double pause_after(double pause)
{
	return pause < 2e-3 ? 2 * pause : pause;
}

static void sleep_for(double seconds)
{
	const time_t whole = (time_t)seconds;
	const struct timespec t = {whole, (long)((seconds - (double)whole) * 1e9)};

	nanosleep(&t, NULL);
}

/* The one word that another rank says. */
static int hear(const xc_mpi_share *s, int from)
{
	int here = 0, word = 0;

	for (double pause = xc_mpi_first_pause;; pause = pause_after(pause)) {
		MPI_Iprobe(from, XC_MPI_TAG_WORD, s->comm, &here, MPI_STATUS_IGNORE);
		if (here)
			break;
		sleep_for(pause);
	}
	MPI_Recv(&word, 1, MPI_INT, from, XC_MPI_TAG_WORD, s->comm, MPI_STATUS_IGNORE);
	return word;
}

static void say(const xc_mpi_share *s, int to, int word)
{
	MPI_Send(&word, 1, MPI_INT, to, XC_MPI_TAG_WORD, s->comm);
}

void xc_mpi_share_announce(const xc_mpi_share *s, int word)
{
	for (int i = 1; i < s->ranks; i++)
		say(s, i, word);
}

int xc_mpi_share_await(const xc_mpi_share *s)
{
	return hear(s, 0);
}

/* The bits of all ranks' words together, which all of them learn. */
static int join(const xc_mpi_share *s, int word)
{
	if (s->rank) {
		say(s, 0, word);
		return xc_mpi_share_await(s);
	}
	for (int i = 1; i < s->ranks; i++)
		word |= hear(s, i);
	xc_mpi_share_announce(s, word);
	return word;
}

int xc_mpi_share_begin(xc_mpi_share *s, int failed)
{
	const int any_failed = join(s, failed != 0);

	s->begun = xc_cli_seconds();
	s->processor = xc_seconds(CLOCK_THREAD_CPUTIME_ID);
	return any_failed ? -1 : 0;
}

/* -------------------------------------------------------------------------- a rank that asks */

/* Seconds between two messages of a rank, so that rank 0 can tell how far the job is. */
static const double silence = 0.5;

/* A rank on its way. */
typedef struct asking {
	xc_mpi_share *s;
	xc_mpi_pace pace;
	uint8_t *message;
	size_t room;
	int asked;
	double asked_at, spoke_at; /* seconds */
	double trip;               /* how long the slowest of the last answers took */
} asking;

static void speak(asking *f, xc_mpi_asks what)
{
	xc_mpi_ask a = {.what = what};

	describe_share(f->s, &f->pace, &a);
	f->spoke_at = xc_cli_seconds();
	MPI_Send(&a, (int)sizeof a, MPI_BYTE, 0, XC_MPI_TAG_ASK, f->s->comm);
}

static void ask(asking *f)
{
	speak(f, XC_MPI_ASKS);
	f->asked = 1;
	f->asked_at = f->spoke_at;
	xc_mpi_queue_ask(&f->s->queue, f->pace.rate * xc_mpi_coordinate(f->trip));
}

/* Slow answers are remembered for a while. */
static void note_trip(asking *f)
{
	const double trip = xc_cli_seconds() - f->asked_at;

	f->trip = trip > f->trip ? trip : 0.9 * f->trip + 0.1 * trip;
	f->asked = 0;
}

/* Returns a message of at least `size` bytes in place of the last one; NULL: out of memory. */
static uint8_t *make_room(uint8_t **message, size_t *room, size_t size)
{
	if (*room < size) {
		free(*message);
		*message = malloc(size);
		*room = *message ? size : 0;
	}
	return *message;
}

static int take_answer(asking *f, size_t size)
{
	xc_mpi_work w;

	if (!make_room(&f->message, &f->room, size))
		return -1;
	MPI_Recv(f->message, (int)size, MPI_BYTE, 0, XC_MPI_TAG_WORK, f->s->comm, MPI_STATUS_IGNORE);
	note_trip(f);
	memcpy(&w, f->message, sizeof w);
	return xc_mpi_queue_put(&f->s->queue, f->message + sizeof w, size - sizeof w, w.count,
	                        w.ended != 0);
}

/* Whether the answer is here; its bytes in *size. */
static int answered(const asking *f, size_t *size)
{
	MPI_Status status;
	int here = 0, bytes = 0;

	if (!f->asked)
		return 0;
	MPI_Iprobe(0, XC_MPI_TAG_WORK, f->s->comm, &here, &status);
	if (here)
		MPI_Get_count(&status, MPI_BYTE, &bytes);
	*size = (size_t)bytes;
	return here;
}

/* Returns how long to wait, or -1: out of memory. */
static double step(asking *f, double pause)
{
	size_t size;

	if (answered(f, &size) && take_answer(f, size))
		return -1;
	if (xc_cli_seconds() - f->spoke_at > silence)
		speak(f, XC_MPI_TELLS);
	return f->asked ? pause_after(pause) : silence;
}

static void ask_for_work(xc_mpi_share *s)
{
	asking f = {.s = s, .spoke_at = s->begun};
	double pause = 0;
	xc_mpi_need need;

	while (pause >= 0 && (need = xc_mpi_queue_wait(&s->queue, pause)) != XC_MPI_FINISHED) {
		if (need == XC_MPI_ITEMS) {
			ask(&f);
			pause = xc_mpi_first_pause / 2;
		}
		pause = step(&f, pause);
	}
	/* Items that cannot be queued would be lost. */
	if (pause < 0) {
		xc_cli_error(NULL, "out of memory");
		MPI_Abort(s->comm, 1);
	}
	speak(&f, XC_MPI_LEAVES);
	free(f.message);
}

/* ------------------------------------------------------------------------------------ rank 0 */

/* A thread of rank 0 that reads the names of a job ahead: a large folder or a slow pipe must not
 * keep the main thread from answering. */
typedef struct reader {
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows */
	pthread_cond_t taken; /* the thread waits for this where there are enough */
	xc_mpi_records records;
	int over;    /* there are no more than these */
	int lacking; /* memory for a name */
	/* What the thread alone uses. */
	xc_cli_items *items;
	size_t room;
} reader;

/* Adds the item, or notes that there is none. */
static int keep(reader *r, const xc_cli_item *item)
{
	pthread_mutex_lock(&r->lock);
	while (item && xc_mpi_records_size(&r->records) >= r->room)
		pthread_cond_wait(&r->taken, &r->lock);
	if (item && xc_mpi_records_add(&r->records, item))
		r->lacking = 1;
	r->over = !item || r->lacking;
	const int over = r->over;
	pthread_mutex_unlock(&r->lock);
	return !over;
}

static void *read_names(void *user)
{
	reader *r = user;
	int more = 1;

	while (more) {
		xc_cli_item item;
		const int got = xc_cli_items_next(r->items, &item);

		more = keep(r, got ? &item : NULL);
		if (got)
			xc_cli_item_free(&item);
	}
	return NULL;
}

/* Begins to read names of up to `room` bytes: 0, or -1 after reporting why not. */
static int begin_reading(reader *r, xc_cli_items *items, size_t room)
{
	*r = (reader){.items = items, .room = room};
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->taken, NULL);
	return pthread_create(&r->thread, NULL, read_names, r)
	           ? xc_cli_error(NULL, "no thread can be begun")
	           : 0;
}

/* Only once it is over. */
static void end_reading(reader *r)
{
	pthread_join(r->thread, NULL);
	pthread_cond_destroy(&r->taken);
	pthread_mutex_destroy(&r->lock);
	xc_mpi_records_free(&r->records);
}

/* Seconds between two reports of progress. */
static const double report_interval = 0.5;
/* Bytes of names that are read before anybody asks: some, and more for each rank, whose chunk is a
 * part of them. */
enum { ROOM = 1 << 20, ROOM_OF_RANK = 64 << 10 };

/* What rank 0 knows of a rank, itself included. */
typedef struct rank_state {
	xc_mpi_ask last;
	int waits, left;
	uint8_t *message; /* under way to it */
	size_t room;
	MPI_Request request;
} rank_state;

typedef struct coordinator {
	xc_mpi_share *s;
	reader reader;
	rank_state *states;
	int *waiting, first, waits;   /* a ring of ranks */
	int open;                     /* ranks that have not left */
	int lacking;                  /* out of memory */
	double rates, known, workers; /* sums: items a second, the workers of these, all workers */
	xc_mpi_pace pace;
	double reported;
} coordinator;

/* ------------------------------------------------------------------ handing out */

/* A rank counts in the sums until it leaves. */
static void count(coordinator *l, const xc_mpi_ask *a, double sign)
{
	const double workers = a->account.workers > 1 ? (double)a->account.workers : 1;

	l->workers += sign * workers;
	if (a->rate > 0) {
		l->rates += sign * a->rate;
		l->known += sign * workers;
	}
}

/* Where no rate is known, a worker counts as much as the average of the others. */
static xc_mpi_asker describe(const coordinator *l, int rank)
{
	const xc_mpi_ask *a = &l->states[rank].last;
	const double of_worker = l->known > 0.5 ? l->rates / l->known : 1;
	const double all = l->rates + of_worker * (l->workers - l->known);
	const double own = a->rate > 0 ? a->rate : of_worker * (double)a->account.workers;

	return (xc_mpi_asker){a->rate, own / all, a->account.workers, a->waiting, a->queued};
}

static int send_work(coordinator *l, int rank, const uint8_t *bytes, size_t size, xc_mpi_work w)
{
	rank_state *f = &l->states[rank];

	MPI_Wait(&f->request, MPI_STATUS_IGNORE); /* it has arrived: the rank asks again */
	uint8_t *message = make_room(&f->message, &f->room, sizeof w + size);
	if (!message)
		return -1;
	memcpy(message, &w, sizeof w);
	if (size)
		memcpy(message + sizeof w, bytes, size);
	MPI_Isend(message, (int)(sizeof w + size), MPI_BYTE, rank, XC_MPI_TAG_WORK, l->s->comm,
	          &f->request);
	return 0;
}

/* The caller holds the reader's lock. */
static int answer(coordinator *l, int rank)
{
	const xc_mpi_asker asker = describe(l, rank);
	xc_mpi_records *r = &l->reader.records;
	xc_mpi_work w = {.count = r->count ? xc_mpi_chunk(&asker, r->count) : 0};
	size_t size = 0;
	const uint8_t *bytes = xc_mpi_records_take(r, w.count, &size);

	w.ended = l->reader.over && !r->count;
	return rank ? send_work(l, rank, bytes, size, w)
	            : xc_mpi_queue_put(&l->s->queue, bytes, size, w.count, w.ended != 0);
}

static int answer_all(coordinator *l)
{
	int answered = 0;

	pthread_mutex_lock(&l->reader.lock);
	while (l->waits && (l->reader.records.count || l->reader.over)) {
		const int rank = l->waiting[l->first];

		l->first = (l->first + 1) % l->s->ranks;
		l->waits--;
		l->states[rank].waits = 0;
		l->lacking |= answer(l, rank) != 0;
		answered = 1;
	}
	l->lacking |= l->reader.lacking;
	pthread_cond_signal(&l->reader.taken);
	pthread_mutex_unlock(&l->reader.lock);
	return answered;
}

static void note_ask(coordinator *l, int rank, const xc_mpi_ask *a)
{
	rank_state *f = &l->states[rank];

	if (f->left)
		return;
	count(l, &f->last, -1);
	f->last = *a;
	count(l, &f->last, 1);
	if (a->what == XC_MPI_ASKS && !f->waits) {
		l->waiting[(l->first + l->waits++) % l->s->ranks] = rank;
		f->waits = 1;
	}
	if (a->what == XC_MPI_LEAVES) {
		count(l, &f->last, -1);
		f->left = 1;
		l->open--;
	}
}

/* ---------------------------------------------------------------- what comes in */

static int receive(coordinator *l)
{
	int received = 0, here = 1;

	while (here) {
		MPI_Status status;
		xc_mpi_ask a;

		MPI_Iprobe(MPI_ANY_SOURCE, XC_MPI_TAG_ASK, l->s->comm, &here, &status);
		if (!here)
			break;
		MPI_Recv(&a, (int)sizeof a, MPI_BYTE, status.MPI_SOURCE, XC_MPI_TAG_ASK, l->s->comm,
		         MPI_STATUS_IGNORE);
		note_ask(l, status.MPI_SOURCE, &a);
		received = 1;
	}
	return received;
}

static void look_after_own(coordinator *l, xc_mpi_need need)
{
	xc_mpi_ask a = {.what = XC_MPI_TELLS};

	describe_share(l->s, &l->pace, &a);
	if (need == XC_MPI_FINISHED)
		a.what = XC_MPI_LEAVES;
	if (need == XC_MPI_ITEMS) {
		a.what = XC_MPI_ASKS;
		xc_mpi_queue_ask(&l->s->queue, a.rate * xc_mpi_coordinate(0));
	}
	note_ask(l, 0, &a);
}

static void report(coordinator *l)
{
	const double now = xc_cli_seconds();
	xc_mpi_account sum = {.items = 0};

	if (!l->s->progress || now - l->reported < report_interval)
		return;
	l->reported = now;
	if (!l->states[0].left)
		look_after_own(l, XC_MPI_NOTHING);
	for (int i = 0; i < l->s->ranks; i++)
		xc_mpi_account_add(&sum, &l->states[i].last.account);
	l->s->progress(l->s->user, &sum);
}

/* ------------------------------------------------------------------------ all of it */

static int begin(coordinator *l, xc_mpi_share *s)
{
	*l = (coordinator){.s = s, .open = s->ranks, .reported = s->begun};
	l->states = calloc((size_t)s->ranks, sizeof *l->states);
	l->waiting = calloc((size_t)s->ranks, sizeof *l->waiting);
	if (!l->states || !l->waiting)
		return xc_cli_error(NULL, "out of memory");
	for (int i = 0; i < s->ranks; i++) {
		l->states[i].request = MPI_REQUEST_NULL;
		count(l, &l->states[i].last, 1);
	}
	return begin_reading(&l->reader, s->items, ROOM + (size_t)s->ranks * ROOM_OF_RANK);
}

static void end(coordinator *l)
{
	for (int i = 0; i < l->s->ranks; i++) {
		MPI_Wait(&l->states[i].request, MPI_STATUS_IGNORE);
		l->s->accounts[i] = l->states[i].last.account;
		free(l->states[i].message);
	}
	free(l->states);
	free(l->waiting);
	end_reading(&l->reader);
}

/* Sleeps, or waits for this rank's own workers as long as there are any. */
static void wait_for_more(coordinator *l, double seconds)
{
	if (l->states[0].left) {
		sleep_for(seconds);
		return;
	}
	const xc_mpi_need need = xc_mpi_queue_wait(&l->s->queue, seconds);
	if (need)
		look_after_own(l, need);
}

static void work(coordinator *l)
{
	double pause = xc_mpi_first_pause;

	while (l->open && !l->lacking) {
		const int others = l->open > !l->states[0].left;
		const int moved = receive(l) + answer_all(l);

		pause = moved ? xc_mpi_first_pause : pause_after(pause);
		wait_for_more(l, moved ? 0 : others || l->waits ? pause : report_interval);
		report(l);
	}
}

/* What `attend` is in rank 0 and in the others. */
static void coordinate(xc_mpi_share *s)
{
	coordinator l;
	const int failed = begin(&l, s);

	if (!failed)
		work(&l);
	/* Items that cannot be kept would be lost. */
	if (!failed && l.lacking)
		xc_cli_error(NULL, "out of memory");
	if (failed || l.lacking)
		MPI_Abort(s->comm, 1);
	end(&l);
}

void xc_mpi_share_attend(xc_mpi_share *s)
{
	if (s->rank)
		ask_for_work(s);
	else
		coordinate(s);
}

int xc_mpi_share_end(const xc_mpi_share *s, int bits)
{
	return join(s, bits);
}
