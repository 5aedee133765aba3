/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's part of decoding on a GPU, with a stub in place of one: arguments, memory, and
 * what is said about each picture.  The pixels are the business of tests/emulated/check_decode_kernels and
 * tests/device/check_decode.
 */
#include <stdlib.h>
#include <string.h>

#include <xcodec_cuda.h>

#include "tests/support/check.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/test_pictures.h"

static xc_context *context;
static struct xc_gpu state;
static xc_cuda gpu;

enum { FILES = 6 };
static xc_buffer files[FILES];
static xc_cuda_decode list[FILES];
static void *pixels;

static void make_files(void)
{
	for (uint32_t i = 0; i < FILES; i++) {
		const uint32_t channels = 1 + i % 4, depth = i < 4 ? 8 : 16;
		xc_picture p = xc_test_picture(100 + 60 * i, 90 + 30 * i, channels, depth, 0, 1);
		xc_encode_options o;
		xc_encode_options_default(&o);
		o.transform = (xc_transform)(i % 3);
		o.huffman = (xc_huffman)(i % 2);
		REQUIRE(!xc_encode(context, &p, NULL, &o, &files[i]), "%s", xc_context_message(context));
		free(p.data);
	}
	pixels = malloc(1 << 20);
	REQUIRE(pixels, "out of memory");
}

/* All files, whole, in memory that the stub's device shares with the host. */
static void fill_list(void)
{
	for (uint32_t i = 0; i < FILES; i++) {
		xc_info info;
		REQUIRE(!xc_read_info(context, files[i].data, files[i].size, &info), "%s",
		        xc_context_message(context));
		list[i] = (xc_cuda_decode){
			.file = files[i].data,
			.size = files[i].size,
			.device_file = i % 2 ? files[i].data : NULL,
			.picture = {info.width, info.height, info.channels, info.depth,
		                (size_t)info.width * info.channels * (info.depth / 8), pixels},
			.status = XC_ERR_DEVICE,
			.damaged_segments = 99,
		};
	}
}

static xc_status decode(const xc_decode_options *o, const xc_cuda_scratch *scratch)
{
	xc_cuda_decoding *d;
	const xc_status s = xc_cuda_decode_begin(&gpu, list, FILES, o, scratch, NULL, &d);
	CHECK(!s == !!d, "a result with status %d", (int)s);
	return s ? s : xc_cuda_decode_end(d);
}

static void nothing_left(void)
{
	CHECK(!state.allocations[0] && !state.allocations[1], "%u and %u pieces of memory left",
	      state.allocations[0], state.allocations[1]);
	CHECK(!state.events && !state.streams, "%u events, %u streams left", state.events,
	      state.streams);
}

static void whole_files(void)
{
	fill_list();
	CHECK(!decode(NULL, NULL), "%s", xc_context_message(context));
	for (int i = 0; i < FILES; i++)
		CHECK(!list[i].status && !list[i].damaged_segments, "picture %d: %d, %u damaged", i,
		      (int)list[i].status, (unsigned)list[i].damaged_segments);
	CHECK(state.runs == 1, "%u runs", state.runs);
	nothing_left();
}

static void wrong_arguments(void)
{
	xc_cuda_decoding *d;
	size_t size = 1;
	char memory[512];
	xc_cuda_scratch odd = {memory + 1 + (uintptr_t)memory % 2, 256};
	fill_list();
	CHECK(xc_cuda_decode_begin(&gpu, list, 1, NULL, NULL, NULL, NULL) == XC_ERR_ARGUMENT,
	      "no place");
	CHECK(xc_cuda_decode_begin(&gpu, NULL, 1, NULL, NULL, NULL, &d) == XC_ERR_ARGUMENT && !d,
	      "no list");
	CHECK(xc_cuda_decode_begin(&gpu, list, 1, NULL, &odd, NULL, &d) == XC_ERR_ARGUMENT && !d,
	      "scratch that is not aligned");
	CHECK(xc_cuda_decode_scratch(&gpu, list, 1, NULL, NULL) == XC_ERR_ARGUMENT, "no size");
	CHECK(xc_cuda_decode_scratch(&gpu, NULL, 1, NULL, &size) == XC_ERR_ARGUMENT && !size,
	      "nothing to measure");
	CHECK(!xc_cuda_decode_scratch(&gpu, NULL, 0, NULL, &size) && !size, "an empty list");
	CHECK(!xc_cuda_decode_begin(&gpu, NULL, 0, NULL, NULL, NULL, &d) && d, "an empty list");
	CHECK(!xc_cuda_decode_end(d) && !xc_cuda_decode_end(NULL), "nothing under way");
	nothing_left();
}

/* Memory of just the size that is asked for, so that a sanitizer sees what goes beyond. */
static void given_scratch(void)
{
	xc_cuda_scratch s = {NULL, 0};
	fill_list();
	for (int i = 0; i < FILES; i++)
		list[i].picture.data = NULL; /* not needed for measuring */
	CHECK(!xc_cuda_decode_scratch(&gpu, list, FILES, NULL, &s.size), "%s",
	      xc_context_message(context));
	CHECK(s.size > 0 && s.size % 256 == 0, "%zu bytes", s.size);
	CHECK(list[0].status == XC_ERR_DEVICE && list[0].damaged_segments == 99,
	      "measuring changed the list");
	nothing_left();
	fill_list();
	s.data = aligned_alloc(256, s.size);
	REQUIRE(s.data, "out of memory");
	const unsigned before = state.taken[XC_GPU_DEVICE_MEMORY];
	CHECK(!decode(NULL, &s), "%s", xc_context_message(context));
	for (int i = 0; i < FILES; i++)
		CHECK(!list[i].status, "picture %d: %d", i, (int)list[i].status);
	CHECK(state.taken[XC_GPU_DEVICE_MEMORY] == before, "device memory beside the scratch");
	s.size -= 256;
	CHECK(decode(NULL, &s) == XC_ERR_ARGUMENT, "too little scratch");
	CHECK(strstr(xc_context_message(context), "scratch"), "'%s'", xc_context_message(context));
	free(s.data);
	nothing_left();
}

/* Some of the list are no files, others damaged: the rest is decoded, and the status and the
 * message are those of xc_decode(). */
static void some_wrong(void)
{
	static uint8_t no_file[100];
	size_t with, without;
	fill_list();
	CHECK(!xc_cuda_decode_scratch(&gpu, list, FILES, NULL, &with), "measured");
	list[1].file = no_file;
	list[1].size = sizeof no_file;
	list[2].picture.width++;
	list[3].file = NULL;
	files[4].data[files[4].size - 20] ^= 1; /* in the last segment */
	CHECK(!xc_cuda_decode_scratch(&gpu, list, FILES, NULL, &without) && without < with,
	      "%zu bytes with all, %zu without some", with, without);
	CHECK(decode(NULL, NULL) == XC_ERR_FORMAT, "%s", xc_context_message(context));
	CHECK(!strcmp(xc_context_message(context), "not an XC file"), "'%s'",
	      xc_context_message(context));
	CHECK(!list[0].status && list[1].status == XC_ERR_FORMAT && list[2].status == XC_ERR_ARGUMENT &&
	          list[3].status == XC_ERR_ARGUMENT && list[4].status == XC_ERR_CORRUPT &&
	          !list[5].status,
	      "%d %d %d %d %d %d", (int)list[0].status, (int)list[1].status, (int)list[2].status,
	      (int)list[3].status, (int)list[4].status, (int)list[5].status);
	CHECK(list[4].damaged_segments == 1, "%u damaged", (unsigned)list[4].damaged_segments);
	nothing_left();
	/* The same file alone, here and on the CPU. */
	xc_picture p = {0};
	xc_cuda_decoding *d;
	char message[256];
	CHECK(xc_decode(context, files[4].data, files[4].size, NULL, &p) == XC_ERR_CORRUPT, "decoded");
	snprintf(message, sizeof message, "%s", xc_context_message(context));
	CHECK(!xc_cuda_decode_begin(&gpu, &list[4], 1, NULL, NULL, NULL, &d) &&
	          xc_cuda_decode_end(d) == XC_ERR_CORRUPT,
	      "%s", xc_context_message(context));
	CHECK(!strcmp(xc_context_message(context), message), "'%s', not '%s'",
	      xc_context_message(context), message);
	files[4].data[files[4].size - 20] ^= 1;
	nothing_left();
}

/* The segments are right, the chunk's own CRC is not. */
static void wrong_data_crc(void)
{
	uint8_t *crc = files[0].data + files[0].size - 9 - 4; /* in front of DONE */
	const xc_decode_options keep = {.keep_going = 1};
	fill_list();
	*crc ^= 0x40;
	CHECK(decode(NULL, NULL) == XC_ERR_CORRUPT && list[0].status == XC_ERR_CORRUPT &&
	          list[0].damaged_segments == 1 && !list[1].status,
	      "%d, %u damaged", (int)list[0].status, (unsigned)list[0].damaged_segments);
	CHECK(!decode(&keep, NULL) && list[0].damaged_segments == 1, "keep going: %s",
	      xc_context_message(context));
	*crc ^= 0x40;
	nothing_left();
}

static void failing_gpu(void)
{
	fill_list();
	state.fail = 1;
	CHECK(decode(NULL, NULL) == XC_ERR_DEVICE, "%s", xc_context_message(context));
	CHECK(strstr(xc_context_message(context), "told to fail"), "'%s'", xc_context_message(context));
	state.fail = 0;
	nothing_left();
}

/* Two calls under way at once. */
static void several_calls(void)
{
	xc_cuda_decode other[FILES];
	xc_cuda_decoding *a, *b;
	fill_list();
	memcpy(other, list, sizeof other);
	CHECK(!xc_cuda_decode_begin(&gpu, list, FILES, NULL, NULL, NULL, &a), "first");
	CHECK(!xc_cuda_decode_begin(&gpu, other, FILES, NULL, NULL, NULL, &b), "second");
	CHECK(!xc_cuda_decode_end(a) && !xc_cuda_decode_end(b), "%s", xc_context_message(context));
	nothing_left();
}

static void from_host_to_host(void)
{
	fill_list();
	for (int i = 0; i < FILES; i++)
		if (i % 2)
			list[i].picture = (xc_picture){0};
	CHECK(!xc_cuda_decode_host(&gpu, list, FILES, NULL), "%s", xc_context_message(context));
	for (int i = 0; i < FILES; i++) {
		CHECK(!list[i].status && list[i].picture.data, "picture %d: %d", i, (int)list[i].status);
		if (i % 2)
			xc_picture_free(context, &list[i].picture);
	}
	nothing_left();
}

/* More pictures than are under way at once; the first failure is the call's. */
static void long_list(void)
{
	enum { COUNT = 21 };
	xc_cuda_decode many[COUNT];
	fill_list();
	for (int i = 0; i < COUNT; i++) {
		many[i] = list[i % FILES];
		many[i].picture = (xc_picture){0};
	}
	many[12].size -= 40;
	many[17].file = NULL;
	CHECK(xc_cuda_decode_host(&gpu, many, COUNT, NULL) == XC_ERR_TRUNCATED, "%s",
	      xc_context_message(context));
	for (int i = 0; i < COUNT; i++) {
		CHECK(!many[i].status == (i != 12 && i != 17), "picture %d: %d", i, (int)many[i].status);
		CHECK(!many[i].picture.data == !!many[i].status, "picture %d: data", i);
		xc_picture_free(context, &many[i].picture);
	}
	nothing_left();
}

/* What a GPU cannot do, here encoding, is the CPU's where the choice is the library's. */
static void left_to_the_cpu(void)
{
	xc_picture p = xc_test_picture(100, 90, 1, 8, 0, 1);
	xc_buffer file = {0};
	xc_encode_options o;
	xc_encode_options_default(&o);
	o.transform = (xc_transform)0;
	o.huffman = (xc_huffman)0;
	xc_context_set_threads(context, 1); /* so that a GPU pays */
	CHECK(!xc_context_set_device(context, "auto"), "%s", xc_context_message(context));
	context->device.opened = &gpu;
	context->device.choice = XC_DEVICE_NAMED;
	CHECK(xc_encode(context, &p, NULL, &o, &file) == XC_ERR_UNSUPPORTED, "%s",
	      xc_context_message(context));
	context->device.choice = XC_DEVICE_AUTO;
	CHECK(!xc_encode(context, &p, NULL, &o, &file), "%s", xc_context_message(context));
	CHECK(file.size == files[0].size && !memcmp(file.data, files[0].data, file.size),
	      "another file");
	CHECK(!strcmp(xc_context_device(context), "cpu"), "%s", xc_context_device(context));
	CHECK(context->device.opened == &gpu && !context->device.given_up, "the GPU was given up");
	context->device.opened = NULL;
	CHECK(!xc_context_set_device(context, "cpu"), "%s", xc_context_message(context));
	xc_context_set_threads(context, 0);
	xc_buffer_free(context, &file);
	free(p.data);
	nothing_left();
}

int main(void)
{
	context = xc_context_new(NULL);
	if (!context)
		return 1;
	xc_stub_open(&gpu, &state, context);
	RUN(make_files);
	RUN(whole_files);
	RUN(wrong_arguments);
	RUN(given_scratch);
	RUN(some_wrong);
	RUN(wrong_data_crc);
	RUN(failing_gpu);
	RUN(several_calls);
	RUN(from_host_to_host);
	RUN(long_list);
	RUN(left_to_the_cpu);
	for (int i = 0; i < FILES; i++)
		xc_buffer_free(context, &files[i]);
	free(pixels);
	xc_context_free(context);
	return check_done();
}
