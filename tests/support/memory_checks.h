/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An allocator that counts, and that fails when told to; usable by several threads.  And every
 * call of the library when memory fails or is limited: the call says so, leaves its outputs
 * empty and gives everything back.
 */
#ifndef XC_TESTS_SUPPORT_MEMORY_CHECKS_H
#define XC_TESTS_SUPPORT_MEMORY_CHECKS_H

#include "tests/support/codec.h"

typedef struct xc_counting {
	xc_allocator allocator; /* hand this to xc_context_new() */
	uint64_t fail_at;       /* this call, counted from 1, and all after it fail; 0: none */
	uint64_t calls;
	uint64_t blocks, bytes, peak; /* allocated now; most bytes at once */
} xc_counting;

/* The counts point into *counting, which must stay where it is. */
void xc_counting_init(xc_counting *counting, uint64_t fail_at);
/* A context with that allocator; running out of memory ends the program. */
xc_context *xc_counting_context(xc_counting *counting, int threads);

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
#define OWN_MEMORY_JOB __attribute__((cleanup(xc_memory_job_free))) xc_memory_job

/* An allocator that fails from its n-th call on, for every n until a call succeeds: with a
 * context for all of them, then with a new context each time. */
void xc_check_failing_allocator(xc_memory_job *job, int threads);

/* Below what a call needs it fails with XC_ERR_LIMIT and never holds more than the limit;
 * with what it needs it succeeds. */
void xc_check_memory_limits(xc_memory_job *job);

/* Where an encoder writes. */
typedef struct xc_test_sink {
	xc_bytes bytes;
	uint64_t writes, fail_at; /* this write, counted from 1, fails; 0: none */
} xc_test_sink;

static inline void xc_test_sink_free(xc_test_sink *sink)
{
	xc_bytes_free(&sink->bytes);
}
#define OWN_SINK __attribute__((cleanup(xc_test_sink_free))) xc_test_sink

int xc_test_write(void *sink, const void *data, size_t size);

/* Gives the picture in pieces of random height, some by way of xc_encoder_room(). */
xc_status xc_test_stream(xc_context *context, const xc_picture *picture,
                         const xc_metadata *metadata, const xc_encode_options *options,
                         uint64_t seed, xc_test_sink *sink);

/* Gives the rows from `first` on in that way. */
xc_status xc_test_stream_rows(xc_encoder *encoder, const xc_picture *picture, uint32_t first,
                              uint64_t seed);

#endif
