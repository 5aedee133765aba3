/* SPDX-License-Identifier: BSD-2-Clause */
#include "lab/cpu/engine.h"

static const xc_engine *engine_of(const xc_plan *plan)
{
	const xc_engine *const *const engines = plan->algorithm->engines;
	return plan->precision == XC_PRECISION_32   ? engines[0]
	       : plan->precision == XC_PRECISION_64 ? engines[1]
	                                            : engines[2];
}

int xc_engine_prepare(xc_plan *plan)
{
	plan->state = engine_of(plan)->prepare(plan);
	return plan->state ? 0 : -1;
}

void xc_engine_execute(const xc_plan *plan, const void *in, void *out)
{
	engine_of(plan)->execute(plan, in, out);
}

void xc_engine_finish(xc_plan *plan)
{
	if (plan->state)
		engine_of(plan)->finish(plan->state);
	plan->state = NULL;
}
