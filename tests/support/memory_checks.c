/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/memory_checks.h"

#include <stdlib.h>
#include <string.h>

/* Before each block lie its size and room that keeps the alignment of malloc. */
enum { FRONT = 16 };

static void *allocate(void *user, size_t size)
{
	xc_counting *c = user;
	const uint64_t call = __atomic_add_fetch(&c->calls, 1, __ATOMIC_RELAXED);

	if ((c->fail_at && call >= c->fail_at) || size > SIZE_MAX - FRONT)
		return NULL;
	char *base = malloc(size + FRONT);
	if (!base)
		return NULL;
	*(size_t *)(void *)base = size;
	/* Not zero, so that nobody relies on it. */
	memset(base + FRONT, 0xdb, size < 4096 ? size : 4096);
	__atomic_add_fetch(&c->blocks, 1, __ATOMIC_RELAXED);
	const uint64_t now = __atomic_add_fetch(&c->bytes, size, __ATOMIC_RELAXED);
	uint64_t peak = __atomic_load_n(&c->peak, __ATOMIC_RELAXED);
	while (now > peak && !__atomic_compare_exchange_n(&c->peak, &peak, now, 0, __ATOMIC_RELAXED,
	                                                  __ATOMIC_RELAXED))
		;
	return base + FRONT;
}

static void release(void *user, void *memory)
{
	xc_counting *c = user;

	if (!memory)
		return;
	char *base = (char *)memory - FRONT;
	__atomic_sub_fetch(&c->blocks, 1, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&c->bytes, *(size_t *)(void *)base, __ATOMIC_RELAXED);
	free(base);
}

void xc_counting_init(xc_counting *c, uint64_t fail_at)
{
	*c = (xc_counting){.allocator = {.allocate = allocate, .release = release, .user = c},
	                   .fail_at = fail_at};
}

xc_context *xc_counting_context(xc_counting *counting, int threads)
{
	xc_counting_init(counting, 0);
	xc_context *c = xc_context_new(&counting->allocator);
	if (!c || xc_context_set_threads(c, threads))
		abort();
	return c;
}

int xc_test_write(void *user, const void *data, size_t size)
{
	xc_test_sink *sink = user;

	CHECK(size, "nothing is written");
	if (++sink->writes == sink->fail_at)
		return 1;
	CHECK(!sink->fail_at || sink->writes < sink->fail_at, "a write after one that failed");
	xc_bytes_add(&sink->bytes, data, size);
	return 0;
}

/* Puts rows where the encoder wants them; returns how many. */
static uint32_t fill_room(xc_encoder *e, const xc_picture *p, uint32_t y, uint32_t n, void **rows,
                          size_t *stride)
{
	uint32_t room = 0;
	const xc_status s = xc_encoder_room(e, rows, stride, &room);

	CHECK(!s && room, "room for %u rows at %u: status %d", room, y, (int)s);
	n = n < room ? n : room;
	for (uint32_t i = 0; i < n; i++)
		memcpy((char *)*rows + i * *stride, (const char *)p->data + (y + i) * p->stride,
		       (size_t)p->width * p->channels * (p->depth / 8));
	return n;
}

xc_status xc_test_stream_rows(xc_encoder *e, const xc_picture *p, uint32_t first, uint64_t seed)
{
	static const uint32_t max[] = {1, 3, 40, 300, 100000};
	const uint32_t step = max[check_below(&seed, COUNT(max))];
	xc_status s = XC_OK;

	for (uint32_t y = first, n; !s && y < p->height; y += n) {
		void *rows = (char *)p->data + y * p->stride;
		size_t stride = p->stride;
		n = 1 + check_below(&seed, step);
		n = n < p->height - y ? n : p->height - y;
		if (check_below(&seed, 3) == 0)
			n = fill_room(e, p, y, n, &rows, &stride);
		s = xc_encoder_rows(e, rows, stride, n);
	}
	return s;
}

xc_status xc_test_stream(xc_context *c, const xc_picture *p, const xc_metadata *m,
                         const xc_encode_options *o, uint64_t seed, xc_test_sink *sink)
{
	const xc_picture shape = {p->width, p->height, p->channels, p->depth, 0, NULL};
	OWN_ENCODER e = (xc_encoder *)c; /* a failure makes it NULL */
	xc_status s = xc_encoder_new(c, &shape, m, o, xc_test_write, sink, &e);

	CHECK(!s == !!e, "an encoder after a failure, or none without");
	if (!s)
		s = xc_test_stream_rows(e, p, 0, seed);
	if (!s)
		s = xc_encoder_end(e);
	return s;
}

static xc_status encode(xc_memory_job *j)
{
	xc_buffer out = {(uint8_t *)j, 1};
	const xc_status s = xc_encode(j->context, &j->picture, &j->metadata, &j->options, &out);

	if (s)
		CHECK(!out.data && !out.size, "a buffer after a failure");
	else
		CHECK(out.size == j->encoded.size && !memcmp(out.data, j->encoded.data, out.size),
		      "other bytes");
	xc_buffer_free(j->context, &out);
	return s;
}

static xc_status stream(xc_memory_job *j)
{
	OWN_SINK sink = {0};
	const xc_status s = xc_test_stream(j->context, &j->picture, &j->metadata, &j->options, 1,
	                                   &sink);

	if (!s)
		CHECK(sink.bytes.size == j->encoded.size &&
		          !memcmp(sink.bytes.data, j->encoded.data, sink.bytes.size),
		      "other bytes");
	return s;
}

static xc_status decode(xc_memory_job *j)
{
	xc_picture out = {0};
	const xc_status s = xc_decode(j->context, j->file.data, j->file.size, NULL, &out);

	CHECK(!s == !!out.data && !s == !!out.width, "a picture after a failure, or none without");
	xc_picture_free(j->context, &out);
	return s;
}

static xc_status coefficients(xc_memory_job *j)
{
	xc_coefficients out;
	const xc_status s = xc_decode_coefficients(j->context, j->file.data, j->file.size, &out);

	CHECK(!s == !!out.components, "coefficients after a failure, or none without");
	xc_coefficients_free(j->context, &out);
	return s;
}

static xc_status bit_usage(xc_memory_job *j)
{
	xc_bit_usage out;
	return xc_read_bit_usage(j->context, j->file.data, j->file.size, &out);
}

static xc_status compare(xc_memory_job *j)
{
	xc_comparison out;
	return xc_compare(j->context, &j->picture, &j->picture, &out);
}

static xc_status ms_ssim(xc_memory_job *j)
{
	double out;
	return xc_ms_ssim(j->context, &j->picture, &j->picture, &out);
}

/* A corner of the picture: each allocation that fails costs the work up to there. */
static xc_picture corner(const xc_memory_job *j)
{
	xc_picture p = j->picture;

	p.width = p.width < 48 ? p.width : 48;
	p.height = p.height < 40 ? p.height : 40;
	return p;
}

static xc_status ssimulacra2(xc_memory_job *j)
{
	const xc_picture p = corner(j);
	double out;
	return xc_ssimulacra2(j->context, &p, &p, 0, &out);
}

static xc_status butteraugli(xc_memory_job *j)
{
	const xc_picture p = corner(j);
	double norm3, max;
	return xc_butteraugli(j->context, &p, &p, 0, &norm3, &max);
}

static xc_status picture(xc_memory_job *j)
{
	xc_picture p = {.width = 5, .height = 7, .channels = 3, .depth = 16};
	const xc_status s = xc_picture_allocate(j->context, &p);

	if (!s)
		CHECK(p.data && p.stride == 30, "stride %zu", p.stride);
	xc_picture_free(j->context, &p);
	CHECK(!p.data && !p.width, "not emptied");
	return s;
}

typedef xc_status a_call(xc_memory_job *job);
static const struct {
	const char *name;
	a_call *run;
} calls[] = {
	{"encode", encode},       {"decode", decode},
	{"stream", stream},       {"coefficients", coefficients},
	{"bit usage", bit_usage}, {"compare", compare},
	{"ms_ssim", ms_ssim},     {"ssimulacra2", ssimulacra2},
	{"picture", picture},     {"butteraugli", butteraugli},
};
enum { LIMITED = 5 }; /* the first of them hold enough memory to try limits on */

/* Files without loss have no coefficients. */
static int is_possible(const xc_memory_job *j, size_t call)
{
	return j->options.mode != XC_MODE_LOSSLESS ||
	       (calls[call].run != coefficients && calls[call].run != bit_usage);
}

void xc_memory_job_init(xc_memory_job *j, const xc_bytes *file)
{
	OWN_CONTEXT c = xc_test_context();
	OWN_BUFFER(c, out);

	CHECK_OK(c, xc_encode(c, &j->picture, &j->metadata, &j->options, &out));
	xc_bytes_add(&j->encoded, out.data, out.size);
	xc_bytes_add(&j->file, file ? file->data : out.data, file ? file->size : out.size);
}

void xc_memory_job_free(xc_memory_job *j)
{
	xc_bytes_free(&j->encoded);
	xc_bytes_free(&j->file);
	free(j->picture.data);
}

static void end(xc_memory_job *j, const xc_counting *counting)
{
	xc_context_free(j->context);
	CHECK(!counting->blocks, "%u blocks left", (unsigned)counting->blocks);
}

/* What a call says when memory failed, or did not. */
static void check_status(const xc_memory_job *j, xc_status s, size_t call, uint64_t n)
{
	const char *message = xc_context_message(j->context);

	CHECK(!s || s == XC_ERR_MEMORY, "%s, allocation %u: %s", calls[call].name, (unsigned)n,
	      message);
	CHECK(!s == !*message, "%s, allocation %u: '%s'", calls[call].name, (unsigned)n, message);
}

/* With several threads the context may come to keep some more chunks, because how many are
 * in use at once depends on how the threads run; freeing the context tells whether that is
 * all. */
static void fail_in_one_context(xc_memory_job *j, xc_counting *m, size_t call)
{
	/* What the context keeps for the next call is there before. */
	CHECK(!calls[call].run(j), "%s: %s", calls[call].name, xc_context_message(j->context));
	const uint64_t held = m->bytes, blocks = m->blocks;
	const uint64_t spare = xc_context_threads(j->context) > 1 ? 8 : 0;
	xc_status s = XC_ERR_MEMORY;
	uint64_t n;
	for (n = 1; s && n < 10000; n++) {
		m->calls = 0;
		m->fail_at = n;
		s = calls[call].run(j);
		check_status(j, s, call, n);
		CHECK(m->blocks >= blocks && m->blocks - blocks <= spare && (spare || m->bytes == held),
		      "%s, allocation %u: %u blocks were kept", calls[call].name, (unsigned)n,
		      (unsigned)(m->blocks - blocks));
	}
	CHECK(!s, "%s never succeeded", calls[call].name);
	CHECK(n > 2, "%s allocated nothing", calls[call].name);
	m->fail_at = 0;
}

/* One call in a new context; 1: it went through. */
static int fails_in_new_context(xc_memory_job *j, size_t call, int threads, uint64_t n)
{
	xc_counting counting;

	xc_counting_init(&counting, n);
	j->context = xc_context_new(&counting.allocator);
	if (!j->context) {
		CHECK(n == 1 && !counting.blocks, "no context at call %d", (int)n);
		return 0;
	}
	/* With a small limit a context keeps no memory for its next call. */
	const int keeps = threads > 1;
	xc_limits limits;
	xc_limits_default(&limits);
	if (!keeps)
		limits.max_memory = 24u << 20;
	xc_context_set_limits(j->context, &limits);
	xc_context_set_threads(j->context, threads);
	const xc_status s = calls[call].run(j);
	check_status(j, s, call, n);
	CHECK(keeps || counting.blocks == 1, "%s, allocation %d: %d blocks left", calls[call].name,
	      (int)n, (int)counting.blocks - 1);
	end(j, &counting);
	return s == XC_OK;
}

void xc_check_failing_allocator(xc_memory_job *j, int threads)
{
	xc_counting counting;

	j->context = xc_counting_context(&counting, threads);
	/* A context then has all that it keeps. */
	CHECK_OK(j->context, encode(j));
	CHECK_OK(j->context, decode(j));
	for (size_t i = 0; i < COUNT(calls); i++)
		if (is_possible(j, i))
			fail_in_one_context(j, &counting, i);
	end(j, &counting);
	for (size_t i = 0; i < COUNT(calls); i++) {
		uint64_t n = 1;
		if (!is_possible(j, i))
			continue;
		while (n < 1000 && !fails_in_new_context(j, i, threads, n))
			n++;
		CHECK(n > (i < 2 ? 5 : 1) && n < 1000, "%s after %d calls", calls[i].name, (int)n);
	}
}

void xc_check_memory_limits(xc_memory_job *j)
{
	xc_counting m;

	j->context = xc_counting_context(&m, 1);
	const uint64_t before = m.bytes; /* the context itself, which no limit counts */
	for (size_t i = 0; i < LIMITED; i++) {
		if (!is_possible(j, i))
			continue;
		/* A limit that is never met: without any, a call may take more than it needs. */
		xc_test_limits(j->context, 1 << 20, UINT64_MAX - 1, 1 << 16);
		m.peak = before;
		CHECK_OK(j->context, calls[i].run(j));
		const uint64_t peak = m.peak;
		for (uint64_t limit = 0; limit <= peak + 4096; limit += (peak - before) / 50 + 1) {
			xc_test_limits(j->context, 1 << 20, limit, 1 << 16);
			m.peak = before;
			const xc_status s = calls[i].run(j);
			CHECK(s == XC_ERR_LIMIT || (!s && limit + before >= peak), "%s, limit %u of %u: %s",
			      calls[i].name, (unsigned)limit, (unsigned)peak, xc_context_message(j->context));
			CHECK(m.peak <= limit + before, "%s held %u of %u", calls[i].name, (unsigned)m.peak,
			      (unsigned)limit);
		}
		xc_test_limits(j->context, 1 << 20, peak + 4096, 1 << 16);
		CHECK_OK(j->context, calls[i].run(j));
	}
	end(j, &m);
}
