/* SPDX-License-Identifier: BSD-2-Clause */
/* What hangs off a context, and the services that every part of the library uses. */
#ifndef XC_SRC_CORE_CONTEXT_H
#define XC_SRC_CORE_CONTEXT_H

#include <xcodec.h>

#include "entropy/huffman.h"
#include "src/core/cpu.h"
#include "src/core/pool.h"

enum { XC_MESSAGE_BYTES = 256, XC_MAX_STAGES = 12 };

struct xc_container; /* see src/container/container.h */

/*
 * What encodes and decodes whole pictures in the CPU's place.  The room that knows such a
 * device sets the table when the device is chosen, so nothing else has to know it.
 * encode() and decode() get checked arguments.  They set *done to 0 where the CPU is to do
 * the work, and then leave no trace but stages; else they return what the call returns.
 */
typedef struct xc_backend {
	void (*close)(xc_context *context);
	xc_status (*encode)(xc_context *context, const xc_picture *picture, const xc_metadata *metadata,
	                    const xc_encode_options *options, xc_buffer *out, int *done);
	xc_status (*decode)(xc_context *context, const struct xc_container *container,
	                    xc_decode_options *options, xc_picture *picture, int *done);
} xc_backend;

typedef enum xc_device_choice { XC_DEVICE_CPU, XC_DEVICE_AUTO, XC_DEVICE_NAMED } xc_device_choice;

typedef struct xc_device_state {
	const xc_backend *backend; /* NULL: the CPU does everything */
	xc_device_choice choice;
	void *opened;  /* by the backend; NULL: nothing yet */
	int given_up;  /* "auto" found none that works */
	char used[16]; /* by the last call; "" stands for the CPU */
} xc_device_state;

struct xc_context {
	xc_allocator allocator;
	xc_limits limits;
	uint64_t in_use;              /* bytes allocated now; changed atomically */
	struct xc_arena_chunk *spare; /* chunks that arenas gave back; see src/core/arena.h */
	size_t spares;
	char spare_lock;
	int limit_met; /* max_memory forbade an allocation in this call; likewise */
	int threads;   /* 0: as many as pay */
	xc_pool pool;
	xc_cpu cpu;
	xc_device_state device;
	int has_default_codes;
	xc_huffman_code default_codes[2][2]; /* see xc_default_codes() */
	xc_progress progress;
	void *progress_user;
	char message[XC_MESSAGE_BYTES];
	xc_timing timings[XC_MAX_STAGES];
	size_t stages;
	double stage_wall, stage_cpu; /* when the running stage began */
};

/* Starts a public call: clears the message and the timings. */
void xc_begin(xc_context *context);

/* Sets the message and returns status, for `return xc_fail(...)`. */
xc_status xc_fail(xc_context *context, xc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Memory, counted against limits.max_memory; NULL when that or the allocator
 * says no.  May be called from several threads at once.  Aligned to 64 bytes. */
void *xc_allocate(xc_context *context, size_t size);
void *xc_allocate_zeroed(xc_context *context, size_t size);
void xc_release(xc_context *context, void *memory); /* accepts NULL */

/* The built-in codes, made once: [luma, chroma][DC, AC].  For one thread of a call. */
const xc_huffman_code (*xc_default_codes(xc_context *context))[2];

/* The status of an allocation that failed in this call, with its message. */
xc_status xc_fail_memory(xc_context *context, size_t size);

/* Ends the running stage under this name (a static string) and starts the next. */
void xc_stage(xc_context *context, const char *name);

void xc_report_progress(xc_context *context, double fraction);

#endif
