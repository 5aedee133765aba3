/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/registry.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* FFTW's planner, and what frees its plans, serve one thread of the process at a time. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static const xc_algorithm *find(const xc_algorithm *const *list, const char *name)
{
	while (*list && strcmp((*list)->is.name, name) != 0)
		list++;
	return *list;
}

const xc_algorithm *xc_algorithm_find(const char *name)
{
	const xc_algorithm *found = find(xc_cpu_algorithms, name);
	return found ? found : find(xc_gpu_algorithms, name);
}

static const xc_engine *engine_of(const xc_plan *plan)
{
	const xc_engine *const *const engines = plan->algorithm->engines;
	return engines[plan->precision == XCT_LONG_DOUBLE ? 2 : plan->precision == XCT_FLOAT64];
}

xc_plan *xc_plan_new(const xc_plan *wanted)
{
	const xc_algorithm *const algorithm = wanted->algorithm;
	xc_transform_size bands;

	if (!(algorithm->is.precisions & (unsigned)wanted->precision) || wanted->threads < 1 ||
	    algorithm->output_size(XCT_FORWARD, &wanted->size, &bands))
		return NULL;
	xc_plan *plan = malloc(sizeof *plan);
	if (!plan)
		return NULL;
	*plan = *wanted;
	plan->threads = algorithm->is.threads ? wanted->threads : 1;
	plan->state = NULL;
	if (engine_of(plan)->prepare) {
		pthread_mutex_lock(&planner);
		plan->state = engine_of(plan)->prepare(plan);
		pthread_mutex_unlock(&planner);
		if (!plan->state) {
			free(plan);
			return NULL;
		}
	}
	return plan;
}

void xc_plan_execute(const xc_plan *plan, const void *in, void *out)
{
	engine_of(plan)->execute(plan, in, out);
}

const char *xc_plan_failure(const xc_plan *plan)
{
	return plan->algorithm->device ? plan->algorithm->device->failure(plan) : NULL;
}

xct_operations xc_plan_operations(const xc_plan *plan)
{
	xct_operations operations = {0};

	if (engine_of(plan)->count)
		engine_of(plan)->count(plan, &operations);
	return operations;
}

void xc_plan_free(xc_plan *plan)
{
	if (plan && plan->state) {
		pthread_mutex_lock(&planner);
		engine_of(plan)->finish(plan->state);
		pthread_mutex_unlock(&planner);
	}
	free(plan);
}
