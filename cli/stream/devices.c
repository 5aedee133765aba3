/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/stream/devices.h"

#include "cli/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcodec_cuda.h>

/* Seconds that a batch works until CUDA is started, and that must be left then; XC_AUTO_AFTER may name both. */
static const double usual_patience = 0.1, usual_rest = 1.0;

/* Pictures of a worker on a GPU that set up memory, and do not count; and those that are needed to judge. */
enum { WARMING = 8, JUDGED = 4 };

enum { PROCESSOR, STARTING, GPUS, GIVEN_UP };

static int state_of(const xc_cli_devices *d)
{
	return __atomic_load_n(&d->state, __ATOMIC_ACQUIRE);
}

static void set_state(xc_cli_devices *d, int state)
{
	__atomic_store_n(&d->state, state, __ATOMIC_RELEASE);
}

void xc_cli_devices_begin(xc_cli_devices *d)
{
	pthread_mutex_init(&d->counting, NULL);
	d->begun = xc_cli_seconds();
}

/* ---------------------------------------------------------------------- starting */

int xc_cli_usable_gpus(xc_context *context, int **list)
{
	int count = 0, usable = 0;

	*list = NULL;
	if (xc_cuda_devices(context, NULL, 0, &count) || count < 1)
		return 0;
	xc_cuda_device *all = calloc((size_t)count, sizeof *all);
	*list = calloc((size_t)count, sizeof **list);
	if (all && *list && !xc_cuda_devices(context, all, count, &count))
		for (int i = 0; i < count; i++)
			if (all[i].usable)
				(*list)[usable++] = all[i].index;
	free(all);
	return usable;
}

static void *start(void *user)
{
	xc_cli_devices *d = user;
	xc_context *context = xc_context_new(NULL);

	if (context)
		d->count = xc_cli_usable_gpus(context, &d->list);
	xc_context_free(context);
	set_state(d, d->count ? GPUS : GIVEN_UP);
	return NULL;
}

/* Where nobody knows how much is left, a job is taken to go on for as long as it has. */
static int is_due(const xc_cli_devices *d, double patience, double rest)
{
	const double taken = xc_cli_seconds() - d->begun;
	const double part = d->share ? d->share(d->user) : 0.5;

	return taken >= patience && part < 1 && taken * (1 - part) >= rest * part;
}

static void start_if_due(xc_cli_devices *d)
{
	const char *named = getenv("XC_AUTO_AFTER");
	const double patience = named ? atof(named) : usual_patience;
	int processor = PROCESSOR;

	if (!is_due(d, patience, named ? patience : usual_rest) ||
	    !__atomic_compare_exchange_n(&d->state, &processor, STARTING, 0, __ATOMIC_ACQ_REL,
	                                 __ATOMIC_RELAXED))
		return;
	if (patience <= 0)
		start(d);
	else if (pthread_create(&d->thread, NULL, start, d))
		set_state(d, GIVEN_UP);
	else
		d->started = 1;
}

/* -------------------------------------------------------------------- each picture */

static void join(xc_cli_devices *d, int worker, xc_context *context)
{
	char device[24]; /* "auto:N" */
	const int turn = d->first + worker * d->step;

	snprintf(device, sizeof device, "auto:%d", d->list[turn % d->count]);
	if (xc_context_set_device(context, device)) {
		set_state(d, GIVEN_UP);
		return;
	}
	d->worker[worker].on = 1;
	d->worker[worker].pictures = 0;
}

void xc_cli_devices_turn(xc_cli_devices *d, int worker, xc_context *context)
{
	if (!d->wanted)
		return;
	if (state_of(d) == PROCESSOR)
		start_if_due(d);
	if (state_of(d) == GPUS && !d->worker[worker].on)
		join(d, worker, context);
	if (state_of(d) == GIVEN_UP && d->worker[worker].on) {
		xc_context_set_device(context, "cpu");
		d->worker[worker].on = 0;
	}
}

/* Seconds a pixel. */
static double slowness(const xc_cli_pace *p)
{
	return p->pixels ? p->seconds / (double)p->pixels : 0;
}

static void judge(xc_cli_devices *d)
{
	const xc_cli_pace *gpu = &d->pace[1];

	if (d->pace[0].pixels && gpu->pictures >= (uint64_t)JUDGED * (uint64_t)d->workers &&
	    slowness(gpu) > slowness(&d->pace[0]))
		set_state(d, GIVEN_UP);
}

void xc_cli_devices_note(xc_cli_devices *d, int worker, const xc_context *context, uint64_t pixels,
                         double seconds)
{
	const int gpu = strcmp(xc_context_device(context), "cpu") != 0;

	const int warm = !d->worker[worker].on || d->worker[worker].pictures++ >= WARMING;

	pthread_mutex_lock(&d->counting);
	d->pictures[gpu]++;
	if (warm) {
		d->pace[gpu].pictures++;
		d->pace[gpu].pixels += pixels;
		d->pace[gpu].seconds += seconds;
	}
	if (d->wanted && state_of(d) == GPUS)
		judge(d);
	pthread_mutex_unlock(&d->counting);
}

void xc_cli_devices_end(xc_cli_devices *d)
{
	if (d->started)
		pthread_join(d->thread, NULL);
	free(d->list);
	pthread_mutex_destroy(&d->counting);
}
