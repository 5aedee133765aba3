/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From an algorithm's entries to its template's functions of the plan's precision:
 * defines execute() and finish() on top of NAME_execute_f32() and so on, and
 * XC_FRAME_PREPARE(NAME, plan, ...), the state that NAME_prepare_f32() makes, or
 * NULL.
 */
#ifndef XC_LAB_CPU_FRAME_DISPATCH_H
#define XC_LAB_CPU_FRAME_DISPATCH_H

#include "lab/registry.h"

#define XC_FRAME_PREPARE(name, plan, ...) \
	((plan)->precision == XC_PRECISION_32   ? name##_prepare_f32(plan, ##__VA_ARGS__) \
	 : (plan)->precision == XC_PRECISION_64 ? name##_prepare_f64(plan, ##__VA_ARGS__) \
	 : (plan)->precision == XC_PRECISION_80 ? name##_prepare_f80(plan, ##__VA_ARGS__) \
	                                        : NULL)

#define XC_FRAME_DISPATCH(name) \
	static void execute(const xc_plan *plan, const void *in, void *out) \
	{ \
		if (plan->precision == XC_PRECISION_32) \
			name##_execute_f32(plan, in, out); \
		else if (plan->precision == XC_PRECISION_64) \
			name##_execute_f64(plan, in, out); \
		else \
			name##_execute_f80(plan, in, out); \
	} \
	static void finish(xc_plan *plan) \
	{ \
		if (!plan->state) \
			return; \
		if (plan->precision == XC_PRECISION_32) \
			name##_finish_f32(plan->state); \
		else if (plan->precision == XC_PRECISION_64) \
			name##_finish_f64(plan->state); \
		else \
			name##_finish_f80(plan->state); \
		plan->state = NULL; \
	} \
	_Static_assert(1, "so that a semicolon may follow")

#endif
