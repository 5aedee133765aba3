/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder on a GPU against the one on the CPU, bit for bit: pictures alone and all
 * in one batch, right and damaged ones.  Skipped where there is no GPU.
 */
#include <stdlib.h>
#include <string.h>

#include <xcodec_cuda.h>

#include "tests/support/check.h"
#include "tests/support/test_pictures.h"

static xc_context *context;
static xc_cuda *gpu;

/* A file, what the CPU makes of it, and where the GPU puts its picture: memory that
 * both can write. */
typedef struct sample {
	char name[96];
	xc_buffer file;
	xc_picture right, mine;
	xc_status status;
	uint64_t damaged;
	char message[256];
} sample;

enum { MOST_SAMPLES = 600 };
static sample samples[MOST_SAMPLES];
static size_t count;

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

static void expect(sample *s, const xc_decode_options *options)
{
	xc_decode_options o = *options;
	xc_info info;
	s->right = (xc_picture){0};
	s->status = xc_decode(context, s->file.data, s->file.size, &o, &s->right);
	snprintf(s->message, sizeof s->message, "%s", xc_context_message(context));
	s->damaged = o.damaged_segments;
	if (xc_read_info(context, s->file.data, s->file.size, &info))
		info = (xc_info){.width = 8, .height = 8, .channels = 3, .depth = 8};
	s->mine = (xc_picture){info.width, info.height, info.channels, info.depth, 0, NULL};
	s->mine.stride = (size_t)info.width * info.channels * (info.depth / 8) + count % 5 * 4;
	if (xc_cuda_allocate_pinned(gpu, s->mine.stride * info.height, &s->mine.data))
		abort();
	memset(s->mine.data, 0xa5, s->mine.stride * info.height);
}

static void discard(sample *s)
{
	xc_cuda_release(gpu, s->mine.data);
	s->mine.data = NULL;
	xc_picture_free(context, &s->right);
}

static int same(const sample *s)
{
	const size_t row = (size_t)s->right.width * s->right.channels * (s->right.depth / 8);
	for (uint32_t y = 0; y < s->right.height; y++)
		if (memcmp((char *)s->right.data + y * s->right.stride,
		           (char *)s->mine.data + y * s->mine.stride, row))
			return 0;
	return 1;
}

static void judge(const sample *s, const xc_cuda_file *w)
{
	CHECK(w->status == s->status, "%s: %s, not %s (%s)", s->name, xc_status_string(w->status),
	      xc_status_string(s->status), s->message);
	CHECK(w->damaged_segments == s->damaged, "%s: %u damaged segments, not %u", s->name,
	      (unsigned)w->damaged_segments, (unsigned)s->damaged);
	if (!s->status && !w->status)
		CHECK(same(s), "%s: other pixels", s->name);
}

/* Samples first ... first + n - 1 in one batch. */
static void decode(size_t first, size_t n, const xc_decode_options *o, int own_copy)
{
	xc_cuda_file *list = need(calloc(n, sizeof *list));
	xc_cuda_decoder *decoder = NULL;
	void **copies = need(calloc(n, sizeof *copies));
	for (size_t i = 0; i < n; i++) {
		sample *s = &samples[first + i];
		list[i] = (xc_cuda_file){.file = s->file.data, .size = s->file.size, .picture = s->mine};
		if (own_copy) {
			if (xc_cuda_allocate_pinned(gpu, s->file.size + 3, &copies[i]))
				abort();
			memcpy((char *)copies[i] + i % 4, s->file.data, s->file.size);
			list[i].device_file = (char *)copies[i] + i % 4;
		}
	}
	/* Every other call has scratch of its own, of just the size that is needed. */
	xc_cuda_scratch scratch = {NULL, 0};
	CHECK(!xc_cuda_decoder_new(gpu, o, (uint32_t)n, &decoder) &&
	          !xc_cuda_decoder_scratch(decoder, list, n, &scratch.size),
	      "%s", xc_context_message(context));
	if ((first + n) % 2 && scratch.size &&
	    xc_cuda_allocate_device(gpu, scratch.size, &scratch.data))
		abort();
	xc_status status = xc_cuda_decode(decoder, list, n, scratch.data ? &scratch : NULL, NULL);
	CHECK(!status, "%s", xc_context_message(context));
	if (!status) {
		status = xc_cuda_decoder_wait(decoder);
		xc_status wanted = XC_OK;
		const char *message = "";
		for (size_t i = 0; i < n && !wanted; i++) {
			wanted = samples[first + i].status;
			message = samples[first + i].message;
		}
		if (n == 1) {
			CHECK(status == wanted, "status %d, not %d", (int)status, (int)wanted);
			if (status)
				CHECK(!strcmp(xc_context_message(context), message), "'%s', not '%s'",
				      xc_context_message(context), message);
		}
		CHECK(!status == !wanted, "status %d, not %d", (int)status, (int)wanted);
		for (size_t i = 0; i < n; i++)
			judge(&samples[first + i], &list[i]);
	}
	xc_cuda_decoder_free(decoder);
	xc_cuda_release(gpu, scratch.data);
	for (size_t i = 0; i < n; i++)
		xc_cuda_release(gpu, copies[i]);
	free(copies);
	free(list);
}

/* ------------------------------------------------------------------ samples */

static int transform; /* of what is added */

static sample *add(uint32_t width, uint32_t height, uint32_t channels, uint32_t depth, int quality,
                   int subsampling, int codes)
{
	sample *s = &samples[count++];
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.quality = quality;
	o.subsampling = (xc_subsampling)subsampling;
	o.huffman = (xc_huffman)codes;
	o.transform = (xc_transform)transform;
	snprintf(s->name, sizeof s->name,
	         "%ux%u, %u channels of %u bits, q %d, chroma %d, codes %d, transform %d",
	         (unsigned)width, (unsigned)height, (unsigned)channels, (unsigned)depth, quality,
	         subsampling, codes, transform);
	xc_picture p = xc_test_picture(width, height, channels, depth, 0, 1);
	if (xc_encode(context, &p, NULL, &o, &s->file))
		abort();
	free(p.data);
	return s;
}

static void add_all(int few)
{
	static const uint32_t sizes[][2] = {{1, 1},   {3, 5},   {16, 16},    {129, 65},
	                                    {700, 3}, {3, 700}, {1000, 333}, {257, 1030}};
	static const int qualities[] = {1, 10, 34, 50, 75, 92, 100};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int s = 0; s < 4; s++)
			for (uint32_t depth = 8; depth <= 16; depth += 8)
				if (!few || (i * 8 + (size_t)s * 2 + depth / 16) % 5 == 0)
					add(sizes[i][0], sizes[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3, depth, 75, s,
					    (int)(i % 2));
	for (size_t i = 0; i < sizeof qualities / sizeof *qualities; i += few ? 3 : 1)
		for (int codes = 0; codes < 2; codes++)
			for (int s = 0; s < 3; s++)
				add(515, 389, 3, codes && i % 2 ? 16 : 8, qualities[i], s, codes);
	for (transform = XC_TRANSFORM_LOT; transform <= XC_TRANSFORM_TDLT; transform++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += few ? 3 : 1)
			for (int s = 0; s < 4; s++)
				add(sizes[i][0], sizes[i][1], s == XC_SUBSAMPLING_GREY ? 1 : 3,
				    (i + (size_t)s) % 2 ? 16 : 8, 80, s, 0);
	transform = XC_TRANSFORM_DCT;
	for (uint32_t depth = 8; depth <= 16; depth += 8)
		for (uint32_t channels = 2; channels <= 4; channels += 2)
			add(210, 95, channels, depth, 80, channels == 2 ? 3 : (int)(depth / 8) - 1, 0);
}

static void begin_case(const xc_decode_options *o)
{
	for (size_t i = 0; i < count; i++)
		expect(&samples[i], o);
}

static void end_case(int files)
{
	for (size_t i = 0; i < count; i++) {
		discard(&samples[i]);
		if (files)
			xc_buffer_free(context, &samples[i].file);
	}
	if (files)
		count = 0;
}

static int few;

static void alone(void)
{
	const xc_decode_options o = {0};
	add_all(few);
	begin_case(&o);
	for (size_t i = 0; i < count; i++)
		decode(i, 1, &o, 0);
	end_case(0);
}

static void together(void)
{
	const xc_decode_options o = {0};
	begin_case(&o);
	decode(0, count, &o, 1);
	end_case(0);
}

static void rounded(void)
{
	const xc_decode_options o = {.jpeg_rounding = 1};
	begin_case(&o);
	decode(0, count, &o, 0);
	end_case(1);
}

static void damaged(void)
{
	uint32_t seed = 3;
	for (int turn = 0; turn < (few ? 12 : 120); turn++) {
		sample *s = add(300, 200, turn % 4 ? 3 : 4, turn % 3 ? 8 : 16, 70, turn % 3, turn % 2);
		for (int n = 0; n <= turn % 5; n++) {
			seed = seed * 1664525 + 1013904223;
			s->file.data[(seed >> 8) % s->file.size] ^= (uint8_t)(1 << (seed >> 5) % 8);
		}
		if (turn % 6 == 5)
			s->file.size -= (seed >> 9) % s->file.size;
	}
	for (int keep = 0; keep < 2; keep++) {
		const xc_decode_options o = {.keep_going = keep};
		begin_case(&o);
		decode(0, count, &o, 0);
		for (size_t i = 0; i < count; i += 3)
			decode(i, 1, &o, 1);
		end_case(keep);
	}
}

/* In host memory, several in flight. */
static void from_host_to_host(void)
{
	enum { SLOTS = 5 };
	const xc_decode_options o = {0};
	xc_cuda_decode_queue *queue = NULL;
	add_all(1);
	begin_case(&o);
	CHECK(!xc_cuda_decode_queue_new(gpu, &o, SLOTS, &queue), "%s", xc_context_message(context));
	for (size_t i = 0, done = 0; queue && done < count; done++) {
		for (; i < count && i < done + SLOTS; i++) {
			const xc_buffer *file = &samples[i].file;
			void *memory;
			if (xc_cuda_decode_queue_next(queue, file->size, &memory))
				abort();
			memcpy(memory, file->data, file->size);
			CHECK(!xc_cuda_decode_queue_submit(queue), "%s", xc_context_message(context));
		}
		sample s = samples[done];
		xc_cuda_file w = {0};
		w.status = xc_cuda_decode_queue_collect(queue, &s.mine, &w.damaged_segments);
		judge(&s, &w);
	}
	xc_cuda_decode_queue_free(queue);
	end_case(1);
}

/* xc_decode() on the GPU: into memory of the library's, the caller's, and pinned memory. */
static void by_context(void)
{
	const xc_decode_options o = {0};
	add_all(1);
	begin_case(&o);
	CHECK(!xc_context_set_device(context, "cuda"), "%s", xc_context_message(context));
	for (size_t i = 0; i < count; i++) {
		const xc_buffer *file = &samples[i].file;
		sample s = samples[i];
		xc_cuda_file w = {0};
		if (i % 3 == 0)
			s.mine = (xc_picture){0};
		if (i % 3 == 1)
			s.mine.data = need(calloc(s.mine.height, s.mine.stride));
		w.status = xc_decode(context, file->data, file->size, NULL, &s.mine);
		CHECK(!strncmp(xc_context_device(context), "cuda:", 5), "by %s",
		      xc_context_device(context));
		judge(&s, &w);
		if (i % 3 == 0)
			xc_picture_free(context, &s.mine);
		if (i % 3 == 1)
			free(s.mine.data);
	}
	CHECK(!xc_context_set_device(context, "cpu"), "%s", xc_context_message(context));
	end_case(1);
}

int main(int argc, char **argv)
{
	few = argc > 1 && !strcmp(argv[1], "--few");
	context = xc_context_new(NULL);
	if (!context || xc_cuda_open(context, 0, &gpu)) {
		printf("# %s\n", context ? xc_context_message(context) : "out of memory");
		xc_context_free(context);
		return CHECK_SKIPPED;
	}
	RUN(alone);
	RUN(together);
	RUN(rounded);
	RUN(damaged);
	RUN(from_host_to_host);
	RUN(by_context);
	xc_cuda_close(gpu);
	xc_context_free(context);
	return check_done();
}
