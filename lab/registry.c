/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/registry.h"

#include <stdlib.h>
#include <string.h>

static const xc_algorithm *find(const xc_algorithm *const *list, const char *name)
{
	while (*list && strcmp((*list)->name, name) != 0)
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
	return engines[plan->precision == XC_PRECISION_80 ? 2 : plan->precision == XC_PRECISION_64];
}

xc_plan *xc_plan_new(const xc_algorithm *algorithm, xc_direction direction, xc_precision precision,
                     const xc_transform_size *size, int threads)
{
	xc_transform_size bands;

	if (!(algorithm->precisions & (unsigned)precision) || threads < 1 ||
	    algorithm->output_size(XC_FORWARD, size, &bands))
		return NULL;
	xc_plan *plan = calloc(1, sizeof *plan);
	if (!plan)
		return NULL;
	plan->algorithm = algorithm;
	plan->direction = direction;
	plan->precision = precision;
	plan->size = *size;
	plan->threads = algorithm->threaded ? threads : 1;
	if (engine_of(plan)->prepare) {
		plan->state = engine_of(plan)->prepare(plan);
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

void xc_plan_free(xc_plan *plan)
{
	if (plan && plan->state)
		engine_of(plan)->finish(plan->state);
	free(plan);
}
