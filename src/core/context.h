/* SPDX-License-Identifier: BSD-2-Clause */
/* The context, and the services that every part of the library uses. */
#ifndef XC_SRC_CORE_CONTEXT_H
#define XC_SRC_CORE_CONTEXT_H

#include <string.h>

#include <xcodec.h>

#include "src/core/cpu.h"
#include "src/core/pool.h"

enum { XC_MESSAGE_BYTES = 256, XC_MAX_STAGES = 12, XC_CODES_WORDS = 772 };

struct xc_container; /* see src/container/container.h */

/* A device that encodes and decodes whole pictures instead of the CPU. src/cuda/ sets the table
 * when the device is chosen, so no other file depends on it. encode() and decode() get checked
 * arguments. If the CPU must do the work they set *done to 0 and leave no trace but stages;
 * otherwise they return the result of the call. wants() returns 0 if encode() would set *done to 0
 * at once. pin() lets the device copy from host memory directly until unpin(), close() or another
 * pin(); it may fail. */
typedef struct xc_backend {
	void (*close)(xc_context *context);
	int (*wants)(xc_context *context, const xc_picture *shape, const xc_encode_options *options);
	void (*pin)(xc_context *context, void *memory, size_t size);
	void (*unpin)(xc_context *context, const void *memory);
	xc_status (*encode)(xc_context *context, const xc_picture *picture, const xc_metadata *metadata,
	                    const xc_encode_options *options, xc_buffer *out, int *done);
	xc_status (*decode)(xc_context *context, struct xc_container *container,
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

/* Data that another file caches in a context from call to call; NULL: none. */
typedef struct xc_attachment {
	void *data;
	void (*close)(xc_context *context, void *data);
} xc_attachment;

typedef enum xc_attachment_slot {
	XC_ATTACHED_CHUNKS,  /* src/core/arena.c */
	XC_ATTACHED_ENCODER, /* src/encode/set_up.c */
	XC_ATTACHED_WINDOW,  /* src/encode/stream.c */
	XC_ATTACHED_TABLES,  /* src/decode/coded.c */
	XC_ATTACHED_KEPT,    /* src/decode/info.c: metadata of a kept JPEG */
	XC_ATTACHMENTS
} xc_attachment_slot;

/* Fractions of a call. */
typedef struct xc_progress_range {
	double from, to;
} xc_progress_range;

struct xc_context {
	xc_allocator allocator;
	xc_limits limits;
	uint64_t in_use; /* bytes allocated now; changed atomically */
	/* Bytes that would be in use together if max_memory had not forbidden an allocation in this call;
	 * 0: it did not. Changed atomically. */
	uint64_t limit_met;
	int threads; /* 0: as many as pay */
	xc_pool pool;
	xc_cpu cpu;
	xc_device_state device;
	xc_attachment attached[XC_ATTACHMENTS];
	uint64_t cached_under; /* the largest limit of memory under which any of these was attached */
	char chunk_lock;       /* of attached[XC_ATTACHED_CHUNKS] */
	/* The codes of xc_default_codes(). They are not attached, because a context of limited memory
	 * holds no memory but its own between calls. */
	uint32_t codes[XC_CODES_WORDS];
	int has_codes;
	uint8_t palette[256][4]; /* of the file that xc_read_info() described last */
	int cancelled;           /* the progress function ends this call; changed atomically */
	xc_progress progress;
	void *progress_user;
	xc_progress_range range; /* of the stage that reports progress now */
	double reported;         /* the largest fraction of this call so far */
	int within; /* public functions are called within one: they are stages of its call */
	char message[XC_MESSAGE_BYTES];
	xc_timing timings[XC_MAX_STAGES];
	size_t stages;
	double stage_wall, stage_cpu; /* when the running stage began */
};

/* Starts a public call: clears the message and the timings. */
void xc_begin(xc_context *context);
/* Starts a call that continues the work of an earlier one, whose timings stay. */
void xc_resume(xc_context *context);

/* Sets the message and returns status, for `return xc_fail(...)`. */
xc_status xc_fail(xc_context *context, xc_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Starts a call that fails without a context or a place for its result, which it empties. */
static inline xc_status xc_begin_result(xc_context *c, void *result, size_t size)
{
	if (result)
		memset(result, 0, size);
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	return result ? XC_OK : xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
}
#define XC_BEGIN_RESULT(context, result) xc_begin_result(context, result, sizeof *(result))

/* Closes the attachment of a slot, if any. xc_context_free() does this for every slot. */
void xc_detach(xc_context *context, xc_attachment_slot slot);

/* 1: `size` bytes are so small a part of the memory limit that a context may cache them. */
static inline int xc_context_may_cache(const xc_context *context, size_t size)
{
	return size <= context->limits.max_memory / 256;
}

/* Allocates `size` bytes, aligned to 64, which count against limits.max_memory. NULL: the limit or
 * the allocator refuses. Several threads may call these at once. xc_release() accepts NULL. */
void *xc_allocate(xc_context *context, size_t size);
void *xc_allocate_zeroed(xc_context *context, size_t size);
void xc_release(xc_context *context, void *memory);

/* Sets the message after a failed allocation and returns its status, XC_ERR_LIMIT or XC_ERR_MEMORY.
 * size: the bytes wanted, 0 if unknown. */
xc_status xc_fail_memory(xc_context *context, size_t size);

/* XC_ERR_ARGUMENT if a struct that the caller gave, which is called `what`, has numbers in its
 * `reserved`, or a flag that is neither 0 nor 1: a later release may give those a meaning. Every
 * struct for input is checked with one of the two macros; the second one names its flags. */
xc_status xc_check_struct(xc_context *context, const uint64_t *reserved, size_t count,
                          const int *flags, size_t flag_count, const char *what);
#define XC_CHECK_RESERVED(context, s, what) \
	xc_check_struct(context, (s)->reserved, sizeof(s)->reserved / sizeof *(s)->reserved, NULL, 0, \
	                what)
#define XC_CHECK_FLAGS(context, s, what, ...) \
	xc_check_struct(context, (s)->reserved, sizeof(s)->reserved / sizeof *(s)->reserved, \
	                (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), \
	                what)

/* Adds the time since the last call to the stage of this name, a static string. */
void xc_stage(xc_context *context, const char *name);

/* Calls the progress function, in the thread of the caller, with this fraction of the stage; what is
 * reported never falls within a call. If that function ends the call this sets context->cancelled.
 * Returns what xc_check_cancelled() does: XC_OK, or XC_ERR_CANCELLED with its message. */
xc_status xc_report_progress(xc_context *context, double fraction);
xc_status xc_check_cancelled(xc_context *context);
/* Begins a stage that takes `of`, a range of the call, from `from` to `to`. A function with several
 * stages, which may be one of its caller's, takes context->range for `of` before the first one. */
void xc_progress_stage(xc_context *context, xc_progress_range of, double from, double to);
/* The rest of a range: from what has been reported on. */
xc_progress_range xc_progress_rest(const xc_context *context, xc_progress_range of);

/* The file is at fault, not the call or this build. */
static inline int xc_is_damage(xc_status status)
{
	return status == XC_ERR_CORRUPT || status == XC_ERR_TRUNCATED;
}

/* "s" where a number wants a plural: "%d file%s". */
static inline const char *xc_s(unsigned long long number)
{
	return number == 1 ? "" : "s";
}

#endif
