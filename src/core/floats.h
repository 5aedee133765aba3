/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floating-point environment that all arithmetic here assumes: rounding to nearest, subnormal numbers kept, no
 * traps. A caller may have set another one (fesetround(), a program linked with -ffast-math), so public functions that
 * calculate begin with XC_DEFAULT_FLOATS, which gives the caller's back at the end of the block. Threads of a pool
 * begin with xc_floats_begin().
 */
#ifndef XC_SRC_CORE_FLOATS_H
#define XC_SRC_CORE_FLOATS_H

#include <fenv.h>

/* Sets the default environment; returns the one before. */
static inline fenv_t xc_floats_begin(void)
{
	fenv_t before;

	(void)fegetenv(&before);
	(void)fesetenv(FE_DFL_ENV);
	return before;
}

static inline void xc_floats_end(const fenv_t *before)
{
	(void)fesetenv(before);
}

#define XC_DEFAULT_FLOATS \
	__attribute__((cleanup(xc_floats_end))) const fenv_t xc_callers_floats = xc_floats_begin()

#endif
