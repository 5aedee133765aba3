/* SPDX-License-Identifier: BSD-2-Clause */
/* What a context holds, and the services that every part of the library uses. */
#ifndef XC_SRC_CORE_CONTEXT_H
#define XC_SRC_CORE_CONTEXT_H

#include <xcodec.h>

#include "src/core/cpu.h"
#include "src/core/pool.h"

enum { XC_MESSAGE_BYTES = 256, XC_MAX_STAGES = 12, XC_CODES_WORDS = 772 };

struct xc_container; /* see src/container/container.h */

/* What encodes and decodes whole pictures in the CPU's place. The room that knows such a device
 * sets the table when the device is chosen, so nothing else has to know it. encode() and decode()
 * get checked arguments. They set *done to 0 where the CPU is to do the work, and then leave no
 * trace but stages; else they return what the call returns. wants() says whether encode() would not
 * set it to 0 at once. pin() lets the device copy from host memory by itself until unpin(), close()
 * or another pin(); it may fail. */
typedef struct xc_backend {
	void (*close)(xc_context *context);
	int (*wants)(xc_context *context, const xc_picture *shape, const xc_encode_options *options);
	void (*pin)(xc_context *context, void *memory, size_t size);
	void (*unpin)(xc_context *context, const void *memory);
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

/* What another file keeps in a context from call to call: data NULL while there is nothing. */
typedef struct xc_attachment {
	void *data;
	void (*close)(xc_context *context, void *data);
} xc_attachment;

typedef enum xc_attachment_slot {
	XC_ATTACHED_CHUNKS,  /* src/core/arena.c */
	XC_ATTACHED_ENCODER, /* src/encode/set_up.c */
	XC_ATTACHED_WINDOW,  /* src/encode/window.c */
	XC_ATTACHED_TABLES,  /* src/decode/coded.c */
	XC_ATTACHMENTS
} xc_attachment_slot;

struct xc_context {
	xc_allocator allocator;
	xc_limits limits;
	uint64_t in_use; /* bytes allocated now; changed atomically */
	int limit_met;   /* max_memory forbade an allocation in this call; changed atomically */
	int threads;     /* 0: as many as pay */
	xc_pool pool;
	xc_cpu cpu;
	xc_device_state device;
	xc_attachment attached[XC_ATTACHMENTS];
	uint64_t cached_under; /* the largest limit of memory under which any of these was attached */
	char chunk_lock;       /* of attached[XC_ATTACHED_CHUNKS] */
	/* Room for what xc_default_codes() makes, which is not attached because a context of limited
	 * memory holds no memory but its own between calls. */
	uint32_t codes[XC_CODES_WORDS];
	int has_codes;
	int cancelled; /* the progress function ends this call; changed atomically */
	xc_progress progress;
	void *progress_user;
	char message[XC_MESSAGE_BYTES];
	xc_timing timings[XC_MAX_STAGES];
	size_t stages;
	double stage_wall, stage_cpu; /* when the running stage began */
};

/* Starts a public call: clears the message and the timings. */
void xc_begin(xc_context *context);
/* Starts one that goes on with the work of an earlier call, whose timings stay. */
void xc_resume(xc_context *context);

/* Sets the message and returns status, for `return xc_fail(...)`. */
xc_status xc_fail(xc_context *context, xc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Closes what is attached to the slot, if anything. xc_context_free() does so with every slot too,
 * because what is kept counts as memory. */
void xc_detach(xc_context *context, xc_attachment_slot slot);

/* Whether a context may keep so many bytes from call to call: so small a part of its limit that no
 * other call fails for want of them. */
static inline int xc_context_may_cache(const xc_context *context, size_t size)
{
	return size <= context->limits.max_memory / 256;
}

/* `size` bytes aligned to 64, which count against limits.max_memory. NULL: the limit forbids them,
 * or the allocator has none. Several threads may call these at once. xc_release() accepts NULL. */
void *xc_allocate(xc_context *context, size_t size);
void *xc_allocate_zeroed(xc_context *context, size_t size);
void xc_release(xc_context *context, void *memory);

/* Sets the message after an allocation that failed in this call, and returns its status:
 * XC_ERR_LIMIT or XC_ERR_MEMORY. size: the bytes wanted, 0 if they are not known. */
xc_status xc_fail_memory(xc_context *context, size_t size);

/* Ends the running stage under this name (a static string), which may have run before, and starts
 * the next. */
void xc_stage(xc_context *context, const char *name);

/* Sets context->cancelled if the caller wants no more. */
void xc_report_progress(xc_context *context, double fraction);

/* "s" where a number wants a plural: "%d file%s". */
static inline const char *xc_s(unsigned long long number)
{
	return number == 1 ? "" : "s";
}

#endif
