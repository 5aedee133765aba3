/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Engines: what runs the registry's algorithms on the processor.  The makefile compiles the source
 * of an engine once for each precision, with XC_REAL_BITS set to 32, 64 or 80, and each time it
 * defines one xc_engine, whose name ends in _f32, _f64 or _f80 (XC_T() of lab/real.h).
 */
#ifndef XC_LAB_CPU_ENGINE_H
#define XC_LAB_CPU_ENGINE_H

#include "lab/registry.h"

struct xc_engine {
	/* The plan's state; NULL when memory is out or the engine does not take the size. */
	void *(*prepare)(const xc_plan *plan);
	void (*execute)(const xc_plan *plan, const void *in, void *out);
	void (*finish)(void *state); /* never gets NULL */
};

/* An algorithm's entries that pass each call on to the engine of the plan's precision. */
int xc_engine_prepare(xc_plan *plan);
void xc_engine_execute(const xc_plan *plan, const void *in, void *out);
void xc_engine_finish(xc_plan *plan);

/* The fields of an xc_algorithm that an engine runs in all three precisions. */
#define XC_RUN_BY(name) \
	.precisions = XC_PRECISION_32 | XC_PRECISION_64 | XC_PRECISION_80, \
	.prepare = xc_engine_prepare, .execute = xc_engine_execute, .finish = xc_engine_finish, \
	.engines = (const xc_engine *const[]) \
	{ \
		&name##_f32, &name##_f64, &name##_f80 \
	}

#endif
