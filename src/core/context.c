/* SPDX-License-Identifier: BSD-2-Clause */
/* The context: settings, limits, messages, timings and counted memory. Every public call begins
 * here with xc_begin(). Counters that several threads change are atomic. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity() */
#endif

#include "src/core/context.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/core/clock.h"

enum { LARGE_BLOCK = 8 << 20 };

/* Asks for large pages for whole pictures: faults of small pages take a third to almost half of the
 * time of decoding into new memory (doc/performance.md). */
static void want_large_pages(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)memory;
	const uintptr_t first = (at + page - 1) / page * page;
	if (memory && size >= LARGE_BLOCK)
		madvise((void *)first, (at + size - first) / page * page, MADV_HUGEPAGE);
#else
	(void)memory;
	(void)size;
#endif
}

static void *default_allocate(void *user, size_t size)
{
	(void)user;
	void *memory = malloc(size);
	want_large_pages(memory, size);
	return memory;
}

static void default_release(void *user, void *memory)
{
	(void)user;
	free(memory);
}

static int all_zero(const uint64_t *reserved, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (reserved[i])
			return 0;
	return 1;
}

xc_context *xc_context_new(const xc_allocator *allocator)
{
	xc_allocator a = {.allocate = default_allocate, .release = default_release};

	if (allocator)
		a = *allocator;
	if (!a.allocate || !a.release || !all_zero(a.reserved, sizeof a.reserved / sizeof *a.reserved))
		return NULL;
	xc_context *c = a.allocate(a.user, sizeof *c);
	if (!c)
		return NULL;
	memset(c, 0, sizeof *c);
	c->allocator = a;
	if (xc_pool_init(&c->pool)) {
		a.release(a.user, c);
		return NULL;
	}
	xc_limits_default(&c->limits);
	c->cached_under = c->limits.max_memory;
	c->cpu = xc_cpu_auto();
	return c;
}

void xc_detach(xc_context *c, xc_attachment_slot slot)
{
	xc_attachment *a = &c->attached[slot];

	if (a->data)
		a->close(c, a->data);
	a->data = NULL;
}

void xc_context_free(xc_context *context)
{
	if (context) {
		if (context->device.backend)
			context->device.backend->close(context);
		xc_pool_free(&context->pool);
		for (int i = 0; i < XC_ATTACHMENTS; i++)
			xc_detach(context, (xc_attachment_slot)i);
		const xc_allocator a = context->allocator;
		a.release(a.user, context);
	}
}

xc_status xc_context_set_threads(xc_context *c, int threads)
{
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (threads < 0 || threads > XC_MAX_THREADS)
		return xc_fail(c, XC_ERR_ARGUMENT, "threads must be 0 to %d", XC_MAX_THREADS);
	c->threads = threads;
	return XC_OK;
}

/* The number of processors that the process may use. */
static long processors(void)
{
#if defined CPU_COUNT && !defined __EMSCRIPTEN__
	cpu_set_t set;
	if (!sched_getaffinity(0, sizeof set, &set))
		return CPU_COUNT(&set);
#endif
	return sysconf(_SC_NPROCESSORS_ONLN);
}

int xc_context_threads(const xc_context *c)
{
	if (!c)
		return 0;
	if (c->threads)
		return c->threads;
	const long n = processors();
	return n < 1 ? 1 : n > XC_MAX_THREADS ? XC_MAX_THREADS : (int)n;
}

xc_status xc_context_set_cpu(xc_context *c, const char *level)
{
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!level || !strcmp(level, "auto")) {
		c->cpu = xc_cpu_auto();
		return XC_OK;
	}
	xc_cpu cpu;
	if (!xc_cpu_by_name(level, &cpu))
		return xc_fail(c, XC_ERR_ARGUMENT, "no SIMD level is called '%.40s'", level);
	if (!xc_cpu_usable(cpu))
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this processor or build lacks %s", level);
	c->cpu = cpu;
	return XC_OK;
}

const char *xc_context_cpu(const xc_context *c)
{
	return c ? xc_cpu_name(c->cpu) : "";
}

void xc_limits_default(xc_limits *limits)
{
	if (!limits)
		return;
	*limits = (xc_limits){.max_pixels = UINT64_C(1) << 34};
	limits->max_memory = UINT64_MAX;
	limits->max_metadata = UINT64_C(64) << 20;
	limits->max_expansion = 1024; /* an empty page of an encoder here has 700 */
}

xc_status xc_context_set_limits(xc_context *c, const xc_limits *limits)
{
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!limits)
		return xc_fail(c, XC_ERR_ARGUMENT, "no limits given");
	const xc_status s = XC_CHECK_RESERVED(c, limits, "limits");
	if (s)
		return s;
	c->limits = *limits;
	/* The limits of the pictures of a batch differ, and cached memory is a small part of each, so
	 * it is freed only when the limit is halved. */
	if (limits->max_memory < c->cached_under / 2) {
		for (int i = 0; i < XC_ATTACHMENTS; i++)
			xc_detach(c, (xc_attachment_slot)i);
		c->cached_under = limits->max_memory;
	} else if (limits->max_memory > c->cached_under) {
		c->cached_under = limits->max_memory;
	}
	return XC_OK;
}

void xc_context_set_progress(xc_context *c, xc_progress progress, void *user)
{
	if (!c)
		return;
	c->progress = progress;
	c->progress_user = user;
}

const char *xc_context_message(const xc_context *c)
{
	return c ? c->message : "";
}

size_t xc_context_timings(const xc_context *c, const xc_timing **timings)
{
	if (timings)
		*timings = c ? c->timings : NULL;
	return c ? c->stages : 0;
}

void xc_begin(xc_context *c)
{
	c->stages = 0;
	xc_resume(c);
}

void xc_resume(xc_context *c)
{
	c->message[0] = '\0';
	c->limit_met = 0;
	if (!c->within) {
		c->cancelled = 0;
		c->range = (xc_progress_range){0, 1};
		c->reported = 0;
	}
	c->stage_wall = xc_seconds(CLOCK_MONOTONIC);
	c->stage_cpu = xc_seconds(CLOCK_PROCESS_CPUTIME_ID);
}

void xc_stage(xc_context *c, const char *name)
{
	/* Reading the second clock takes a third of a microsecond, too much for a short stage. */
	const double short_stage = 20e-6, wall = xc_seconds(CLOCK_MONOTONIC);
	const double cpu = wall - c->stage_wall < short_stage ? c->stage_cpu + wall - c->stage_wall
	                                                      : xc_seconds(CLOCK_PROCESS_CPUTIME_ID);
	size_t i = 0;

	while (i < c->stages && strcmp(c->timings[i].stage, name) != 0)
		i++;
	if (i == c->stages && i < XC_MAX_STAGES)
		c->timings[c->stages++] = (xc_timing){.stage = name};
	if (i < c->stages) {
		c->timings[i].wall += wall - c->stage_wall;
		c->timings[i].cpu += cpu - c->stage_cpu;
	}
	c->stage_wall = wall;
	c->stage_cpu = cpu;
}

xc_status xc_report_progress(xc_context *c, double fraction)
{
	const double at = c->range.from + (c->range.to - c->range.from) * fraction;

	if (at > c->reported)
		c->reported = at < 1 ? at : 1;
	if (c->progress && c->progress(c->progress_user, c->reported))
		__atomic_store_n(&c->cancelled, 1, __ATOMIC_RELAXED);
	return xc_check_cancelled(c);
}

xc_progress_range xc_progress_rest(const xc_context *c, xc_progress_range of)
{
	return (xc_progress_range){c->reported > of.from ? c->reported : of.from, of.to};
}

xc_status xc_check_cancelled(xc_context *c)
{
	return __atomic_load_n(&c->cancelled, __ATOMIC_RELAXED)
	           ? xc_fail(c, XC_ERR_CANCELLED, "cancelled by the progress function")
	           : XC_OK;
}

void xc_progress_stage(xc_context *c, xc_progress_range of, double from, double to)
{
	const double all = of.to - of.from;

	c->range = (xc_progress_range){of.from + all * from, of.from + all * to};
}

xc_status xc_fail(xc_context *c, xc_status status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->message, sizeof c->message, format, args);
	va_end(args);
	/* Names that callers give may hold control characters. */
	for (char *p = c->message; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127)
			*p = '?';
	return status;
}

xc_status xc_fail_memory(xc_context *c, size_t size)
{
	const uint64_t needed = __atomic_load_n(&c->limit_met, __ATOMIC_RELAXED);

	if (needed)
		return xc_fail(c, XC_ERR_LIMIT,
		               "at least %llu bytes of memory are needed, more than the limit of %llu",
		               (unsigned long long)needed, (unsigned long long)c->limits.max_memory);
	return size ? xc_fail(c, XC_ERR_MEMORY, "out of memory (%zu bytes)", size)
	            : xc_fail(c, XC_ERR_MEMORY, "out of memory");
}

xc_status xc_check_struct(xc_context *c, const uint64_t *reserved, size_t count, const int *flags,
                          size_t flag_count, const char *what)
{
	for (size_t i = 0; i < flag_count; i++)
		if (flags[i] != 0 && flags[i] != 1)
			return xc_fail(c, XC_ERR_ARGUMENT, "a flag of the %s is %d, not 0 or 1", what,
			               flags[i]);
	return all_zero(reserved, count)
	           ? XC_OK
	           : xc_fail(c, XC_ERR_ARGUMENT,
	                     "`reserved` of the %s is not 0: this version does not know what it means",
	                     what);
}

/* A header before each allocation holds its size and the allocator's pointer. */
enum { ALIGNMENT = 64 };
struct header {
	void *base;
	size_t size;
};

/* Counts `size` bytes. Returns 0, and counts nothing, if the limit forbids them. */
static int take(xc_context *c, uint64_t size)
{
	uint64_t held = __atomic_load_n(&c->in_use, __ATOMIC_RELAXED);

	do {
		if (size > c->limits.max_memory || held > c->limits.max_memory - size) {
			const uint64_t all = size < UINT64_MAX - held ? held + size : UINT64_MAX;
			__atomic_store_n(&c->limit_met, all, __ATOMIC_RELAXED);
			return 0;
		}
	} while (!__atomic_compare_exchange_n(&c->in_use, &held, held + size, 1, __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
	return 1;
}

xc_status xc_context_charge(xc_context *c, uint64_t bytes)
{
	if (!c)
		return XC_ERR_ARGUMENT;
	return take(c, bytes) ? XC_OK : xc_fail_memory(c, 0);
}

void xc_context_refund(xc_context *c, uint64_t bytes)
{
	if (c)
		__atomic_sub_fetch(&c->in_use, bytes, __ATOMIC_RELAXED);
}

void *xc_allocate(xc_context *c, size_t size)
{
	const size_t extra = ALIGNMENT + sizeof(struct header);

	if (size > SIZE_MAX - extra)
		return NULL;
	const size_t total = size + extra;
	if (!take(c, total))
		return NULL;
	char *base = c->allocator.allocate(c->allocator.user, total);
	if (!base) {
		xc_context_refund(c, total);
		return NULL;
	}
	const uintptr_t start = (uintptr_t)base + extra;
	char *aligned = base + (extra - start % ALIGNMENT);
	((struct header *)(void *)aligned)[-1] = (struct header){base, total};
	return aligned;
}

void *xc_allocate_zeroed(xc_context *c, size_t size)
{
	void *p = xc_allocate(c, size);

	if (p)
		memset(p, 0, size);
	return p;
}

void xc_release(xc_context *c, void *memory)
{
	if (!memory)
		return;
	const struct header h = ((struct header *)memory)[-1];
	xc_context_refund(c, h.size);
	c->allocator.release(c->allocator.user, h.base);
}

const char *xc_status_string(xc_status status)
{
	static const char *const text[] = {
		[XC_OK] = "success",
		[XC_ERR_ARGUMENT] = "bad argument",
		[XC_ERR_MEMORY] = "out of memory",
		[XC_ERR_LIMIT] = "over a limit",
		[XC_ERR_FORMAT] = "not an XC file",
		[XC_ERR_TRUNCATED] = "file ends too early",
		[XC_ERR_CORRUPT] = "damaged file",
		[XC_ERR_UNSUPPORTED] = "not supported",
		[XC_ERR_DEVICE] = "device failure",
		[XC_ERR_IO] = "reading or writing failed",
		[XC_ERR_CANCELLED] = "cancelled",
	};

	if ((int)status < 0 || status >= sizeof text / sizeof *text)
		return "unknown status";
	return text[status];
}

const char *xc_version_string(void)
{
	return PACKAGE_VERSION;
}
