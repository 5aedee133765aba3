/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every call of the library when memory fails or is limited: the call says so, leaves its
 * outputs empty and gives everything back.
 */
#ifndef XC_TESTS_SUPPORT_MEMORY_CHECKS_H
#define XC_TESTS_SUPPORT_MEMORY_CHECKS_H

#include "tests/support/codec.h"

typedef struct xc_memory_job {
	xc_context *context; /* set by the functions below */
	xc_picture picture;
	xc_metadata metadata;
	xc_encode_options options;
	xc_bytes encoded; /* what encoding makes of them */
	xc_bytes file;    /* what is decoded */
} xc_memory_job;

/* The file becomes a copy of the encoded one, or of *file unless that is NULL. */
void xc_memory_job_init(xc_memory_job *job, const xc_bytes *file);
/* Frees the picture too. */
void xc_memory_job_free(xc_memory_job *job);

/* An allocator that fails from its n-th call on, for every n until a call succeeds: with a
 * context for all of them, then with a new context each time. */
void xc_check_failing_allocator(xc_memory_job *job, int threads);

/* Below what a call needs it fails with XC_ERR_LIMIT and never holds more than the limit;
 * with what it needs it succeeds. */
void xc_check_memory_limits(xc_memory_job *job);

#endif
