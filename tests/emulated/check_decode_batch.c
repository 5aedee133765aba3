/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The library's part of decoding on a GPU, with a stub in place of one: arguments, memory, and
 * what is said about each picture.  check_decode_kernels looks at the pixels.
 */
#include <stdlib.h>
#include <string.h>

#include <xcodec_cuda.h>

#include "src/cuda/decoder.h"
#include "tests/emulated/stub_module.h"
#include "tests/support/codec.h"
#include "tests/support/gpu.h"
#include "tests/support/test_pictures.h"

static xc_context *context;
static xc_cuda *gpu;

enum { FILES = 6 };
static xc_buffer files[FILES];
static xc_cuda_file list[FILES];
static void *pixels;

static void make_files(void)
{
	for (uint32_t i = 0; i < FILES; i++) {
		const uint32_t channels = 1 + i % 4, depth = i < 4 ? 8 : 16;
		OWN_PICTURE p = xc_test_picture(100 + 60 * i, 90 + 30 * i, channels, depth, 0, 1);
		xc_encode_options o = xc_test_jpeg();
		o.transform = (xc_transform)(i % 3);
		o.huffman = (xc_huffman)(i % 2);
		REQUIRE_OK(context, xc_encode(context, &p, NULL, &o, &files[i]));
	}
	pixels = malloc(1 << 20);
	REQUIRE(pixels, "out of memory");
}

/* All files, whole, in memory that the stub's device shares with the host. */
static void fill_list(void)
{
	for (uint32_t i = 0; i < FILES; i++) {
		xc_info info;
		REQUIRE_OK(context, xc_read_info(context, files[i].data, files[i].size, &info));
		list[i] = (xc_cuda_file){
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

/* Decodes `count` of a list. */
static xc_status decode_list(xc_cuda_file *files_to_do, size_t count, const xc_decode_options *o,
                             const xc_cuda_scratch *scratch)
{
	xc_cuda_decoder *d;

	REQUIRE_STATUS(xc_cuda_decoder_new(gpu, o, FILES, &d));
	xc_status s = xc_cuda_decode(d, files_to_do, count, scratch, NULL);
	if (!s)
		s = xc_cuda_decoder_wait(d);
	xc_cuda_decoder_free(d);
	return s;
}

static xc_status decode(const xc_decode_options *o, const xc_cuda_scratch *scratch)
{
	return decode_list(list, FILES, o, scratch);
}

/* Counts of the whole list. */
static xc_status measure(size_t *size)
{
	xc_cuda_decoder *d;

	REQUIRE_STATUS(xc_cuda_decoder_new(gpu, NULL, FILES, &d));
	const xc_status s = xc_cuda_decoder_scratch(d, list, FILES, size);
	xc_cuda_decoder_free(d);
	return s;
}

static void nothing_left(void)
{
	CHECK(!gpu->gpu->allocations[0] && !gpu->gpu->allocations[1], "%u and %u pieces of memory left",
	      gpu->gpu->allocations[0], gpu->gpu->allocations[1]);
	CHECK(!gpu->gpu->handles, "%u events and streams left", gpu->gpu->handles);
}

static void whole_files(void)
{
	fill_list();
	SUCCEEDS(context, decode(NULL, NULL));
	for (int i = 0; i < FILES; i++)
		CHECK(!list[i].status && !list[i].damaged_segments, "picture %d: %d, %u damaged", i,
		      (int)list[i].status, (unsigned)list[i].damaged_segments);
	CHECK(gpu->gpu->runs == 1, "%u runs", gpu->gpu->runs);
	nothing_left();
}

static void wrong_arguments(void)
{
	xc_cuda_decoder *d;
	size_t size = 1;
	char memory[512];
	xc_cuda_scratch odd = {memory + 1 + (uintptr_t)memory % 2, 256};

	fill_list();
	CHECK(xc_cuda_decoder_new(gpu, NULL, 1, NULL) == XC_ERR_ARGUMENT, "no place");
	CHECK(xc_cuda_decoder_new(gpu, NULL, 0, &d) == XC_ERR_ARGUMENT && !d, "no pictures at all");
	REQUIRE_OK(context, xc_cuda_decoder_new(gpu, NULL, 1, &d));
	CHECK(xc_cuda_decode(d, NULL, 1, NULL, NULL) == XC_ERR_ARGUMENT, "no list");
	CHECK(xc_cuda_decode(d, list, 2, NULL, NULL) == XC_ERR_ARGUMENT, "too many pictures");
	CHECK(xc_cuda_decode(d, list, 1, &odd, NULL) == XC_ERR_ARGUMENT, "scratch not aligned");
	CHECK(xc_cuda_decoder_scratch(d, list, 1, NULL) == XC_ERR_ARGUMENT, "no size");
	CHECK(xc_cuda_decoder_scratch(d, NULL, 1, &size) == XC_ERR_ARGUMENT && !size,
	      "nothing to measure");
	CHECK(!xc_cuda_decoder_scratch(d, NULL, 0, &size) && !size, "an empty list");
	CHECK(!xc_cuda_decode(d, NULL, 0, NULL, NULL) && !xc_cuda_decoder_wait(d), "an empty list");
	CHECK(!xc_cuda_decoder_wait(d), "nothing under way");
	SUCCEEDS(context, xc_cuda_decode(d, list, 1, NULL, NULL));
	CHECK(xc_cuda_decode(d, list, 1, NULL, NULL) == XC_ERR_ARGUMENT, "not waited for");
	xc_cuda_decoder_free(d);
	xc_cuda_decoder_free(NULL);
	nothing_left();
}

/* Memory of just the size that is asked for, so that a sanitizer sees what goes beyond. */
static void given_scratch(void)
{
	xc_cuda_scratch s = {NULL, 0};

	fill_list();
	for (int i = 0; i < FILES; i++)
		list[i].picture.data = NULL; /* not needed for measuring */
	SUCCEEDS(context, measure(&s.size));
	CHECK(s.size > 0 && s.size % 256 == 0, "%zu bytes", s.size);
	CHECK(list[0].status == XC_ERR_DEVICE && list[0].damaged_segments == 99,
	      "measuring changed the list");
	nothing_left();
	fill_list();
	s.data = aligned_alloc(256, s.size);
	REQUIRE(s.data, "out of memory");
	const unsigned before = gpu->gpu->taken[XC_GPU_DEVICE_MEMORY];
	SUCCEEDS(context, decode(NULL, &s));
	for (int i = 0; i < FILES; i++)
		CHECK(!list[i].status, "picture %d: %d", i, (int)list[i].status);
	CHECK(gpu->gpu->taken[XC_GPU_DEVICE_MEMORY] == before, "device memory beside the scratch");
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
	CHECK(!measure(&with), "measured");
	list[1].file = no_file;
	list[1].size = sizeof no_file;
	list[2].picture.width++;
	list[3].file = NULL;
	files[4].data[files[4].size - 20] ^= 1; /* in the last segment */
	CHECK(!measure(&without) && without < with, "%zu bytes with all, %zu without some", with,
	      without);
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
	char message[256];
	CHECK(xc_decode(context, files[4].data, files[4].size, NULL, &p) == XC_ERR_CORRUPT, "decoded");
	snprintf(message, sizeof message, "%s", xc_context_message(context));
	CHECK(decode_list(&list[4], 1, NULL, NULL) == XC_ERR_CORRUPT, "%s",
	      xc_context_message(context));
	CHECK(!strcmp(xc_context_message(context), message), "'%s', not '%s'",
	      xc_context_message(context), message);
	files[4].data[files[4].size - 20] ^= 1;
	nothing_left();
}

/* The segments are right, the chunk's own CRC is not. */
static void wrong_data_crc(void)
{
	uint8_t *crc = files[0].data + files[0].size - 9 - 4; /* before DONE */
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
	gpu->gpu->fail = 1;
	CHECK(decode(NULL, NULL) == XC_ERR_DEVICE, "%s", xc_context_message(context));
	CHECK(strstr(xc_context_message(context), "told to fail"), "'%s'", xc_context_message(context));
	gpu->gpu->fail = 0;
	nothing_left();
}

/* Two decoders at work at once. */
static void several_calls(void)
{
	xc_cuda_file other[FILES];
	xc_cuda_decoder *a = NULL, *b = NULL;

	fill_list();
	memcpy(other, list, sizeof other);
	SUCCEEDS(context,
	         xc_cuda_decoder_new(gpu, NULL, FILES, &a) || xc_cuda_decoder_new(gpu, NULL, 9, &b));
	CHECK(!xc_cuda_decode(a, list, FILES, NULL, NULL), "first");
	CHECK(!xc_cuda_decode(b, other, FILES, NULL, NULL), "second");
	SUCCEEDS(context, xc_cuda_decoder_wait(a) || xc_cuda_decoder_wait(b));
	xc_cuda_decoder_free(a);
	xc_cuda_decoder_free(b);
	nothing_left();
}

static xc_status submit(xc_cuda_decode_queue *q, const xc_buffer *file, size_t size)
{
	void *memory;

	REQUIRE_STATUS(xc_cuda_decode_queue_next(q, size, &memory));
	memcpy(memory, file->data, size);
	return xc_cuda_decode_queue_submit(q);
}

/* More pictures than slots, wrong ones among them. */
static void queue(void)
{
	enum { COUNT = 21, SLOTS = 3 };
	xc_cuda_decode_queue *q;
	xc_picture p, right = {0};
	uint64_t damaged;

	REQUIRE_OK(context, xc_cuda_decode_queue_new(gpu, NULL, SLOTS, &q));
	CHECK(xc_cuda_decode_queue_collect(q, &p, NULL) == XC_ERR_ARGUMENT, "nothing in flight");
	CHECK(xc_cuda_decode_queue_submit(q) == XC_ERR_ARGUMENT, "nothing to decode");
	files[5].data[files[5].size - 20] ^= 1;
	for (int i = 0, done = 0; done < COUNT;) {
		for (; i < COUNT && i < done + SLOTS; i++) {
			const xc_buffer *f = &files[i % FILES];
			CHECK(submit(q, f, f->size / 2) == XC_ERR_TRUNCATED, "%s", xc_context_message(context));
			SUCCEEDS(context, submit(q, f, f->size));
		}
		const xc_buffer *f = &files[done++ % FILES];
		const xc_status wanted = xc_decode(context, f->data, f->size, NULL, &right);
		CHECK(xc_cuda_decode_queue_collect(q, &p, &damaged) == wanted, "%s",
		      xc_context_message(context));
		CHECK(!wanted == !damaged && !wanted == (p.data && xc_sample_equal(&p, &right)),
		      "picture %d", done);
		xc_picture_free(context, &right);
	}
	files[5].data[files[5].size - 20] ^= 1;
	xc_cuda_decode_queue_free(q);
	xc_cuda_decode_queue_free(NULL);
	nothing_left();
}

/* Encoded and decoded again; the stages cover each call from its first to its last step. */
static void by_context(void)
{
	static const char *const stages[2][4] = {{"upload", "GPU", "download", "alpha"},
	                                         {"upload", "GPU", "download"}};
	xc_picture p = xc_test_picture(100, 90, 4, 8, 0, 1), right = {0}, mine = {0};
	xc_buffer file = {0}, want = {0};
	const xc_timing *timings;
	xc_encode_options o = xc_test_jpeg();

	SUCCEEDS(context, xc_encode(context, &p, NULL, &o, &want) ||
	                      xc_decode(context, want.data, want.size, NULL, &right));
	xc_stub_use(context);
	const xc_cuda *used = context->device.opened;
	/* Once more into the same picture, straight. */
	for (int turn = 0; turn < 3; turn++) {
		const int decoding = turn > 0;
		used->gpu->reaches_all = turn == 2;
		const xc_status s = decoding ? xc_decode(context, file.data, file.size, NULL, &mine)
		                             : xc_encode(context, &p, NULL, &o, &file);
		SUCCEEDS(context, s);
		const size_t n = xc_context_timings(context, &timings);
		CHECK(n == 4u - (unsigned)decoding, "%zu stages", n);
		for (size_t i = 0; i < n && i < 4; i++)
			CHECK(stages[decoding][i] && !strcmp(timings[i].stage, stages[decoding][i]),
			      "stage %zu is %s", i, timings[i].stage);
		CHECK(!strcmp(xc_context_device(context), "cuda:0"), "%s", xc_context_device(context));
		CHECK(!decoding || (mine.data && xc_sample_equal(&mine, &right)), "other pixels");
		if (mine.data)
			memset(mine.data, 1, mine.stride * mine.height);
	}
	CHECK(file.size == want.size && !memcmp(file.data, want.data, want.size), "another file");
	SUCCEEDS(context, xc_context_set_device(context, "cpu"));
	xc_picture_free(context, &right);
	xc_picture_free(context, &mine);
	xc_buffer_free(context, &want);
	xc_buffer_free(context, &file);
	free(p.data);
	nothing_left();
}

/* Options, some of which a GPU does not know. says: why a GPU encodes no such file; NULL: it
 * encodes one, perhaps of host memory alone. decoder: who decodes it. */
static const struct {
	const char *says;
	int coding, effort, host_alone;
	const char *decoder;
} modes[] = {
	{"--effort 0", 0, 3, 0, "cpu"},
	{"--effort 2", XC_TEST_RANS, 3, 0, "cuda:0"},
	{"--effort 0", XC_TEST_BUILT_IN, 1, 0, "cpu"},
	{"--effort 0", 0, 2, 0, "cpu"},
	{NULL, XC_TEST_RANS, 2, 0, "cuda:0"},
	{NULL, XC_TEST_RANS, 0, 0, "cuda:0"},
	{NULL, XC_TEST_COMPONENTS, 0, 1, "cuda:0"},
	{NULL, XC_TEST_BUILT_IN, 0, 0, "cuda:0"},
	{NULL, 0, 0, 0, "cuda:0"},
};

static xc_encode_options mode_options(size_t i)
{
	xc_encode_options o = xc_test_options(75, XC_SUBSAMPLING_444, XC_TRANSFORM_DCT,
	                                      XC_HUFFMAN_OPTIMIZED);

	xc_test_coding(&o, modes[i].coding);
	o.effort = modes[i].effort;
	return o;
}

/* Encodes and decodes with the context's device, and compares with the file and
 * pixels of the CPU. */
static void code(const xc_picture *p, const xc_encode_options *o, const xc_buffer *want,
                 const xc_picture *right, const char *encoder, const char *decoder)
{
	OWN_BUFFER(context, file);
	OWN_DECODED(context, out);

	if (encoder) {
		SUCCEEDS(context, xc_encode(context, p, NULL, o, &file));
		CHECK(!strcmp(xc_context_device(context), encoder), "encoded by %s",
		      xc_context_device(context));
		CHECK(file.size == want->size && !memcmp(file.data, want->data, file.size), "another file");
	}
	SUCCEEDS(context, xc_decode(context, want->data, want->size, NULL, &out));
	CHECK(!strcmp(xc_context_device(context), decoder), "decoded by %s",
	      xc_context_device(context));
	CHECK(out.data && xc_sample_equal(&out, right), "other pixels");
	CHECK(context->device.opened && !context->device.given_up, "the GPU was given up");
}

/* A GPU that was asked for refuses what it does not know; "auto" leaves it to the CPU. */
static void who_codes(void)
{
	xc_picture p = xc_test_picture(100, 90, 3, 8, 0, 1);

	for (size_t i = 0; i < COUNT(modes); i++) {
		const xc_encode_options o = mode_options(i);
		const char *encoder = modes[i].says ? "cpu" : "cuda:0";
		xc_buffer want = {0}, none = {0};
		OWN_DECODED(context, right);
		OWN_DECODED(context, refused);
		SUCCEEDS(context, xc_encode(context, &p, NULL, &o, &want));
		SUCCEEDS(context, xc_decode(context, want.data, want.size, NULL, &right));
		REQUIRE(right.data, "case %zu: no picture", i);
		xc_context_set_threads(context, 1); /* so that a GPU pays */
		xc_stub_use(context);
		CHECK(!modes[i].says || (xc_encode(context, &p, NULL, &o, &none) == XC_ERR_UNSUPPORTED &&
		                         strstr(xc_context_message(context), modes[i].says)),
		      "case %zu: '%s'", i, xc_context_message(context));
		const int decodes = strcmp(modes[i].decoder, "cpu") != 0;
		CHECK(decodes ||
		          (xc_decode(context, want.data, want.size, NULL, &refused) == XC_ERR_UNSUPPORTED &&
		           strstr(xc_context_message(context), "--device cpu")),
		      "case %zu: '%s'", i, xc_context_message(context));
		if (decodes)
			code(&p, &o, &want, &right, modes[i].says ? NULL : "cuda:0", "cuda:0");
		context->device.choice = XC_DEVICE_AUTO;
		code(&p, &o, &want, &right, encoder, modes[i].decoder);
		SUCCEEDS(context, xc_context_set_device(context, "cpu"));
		xc_buffer_free(context, &want);
	}
	xc_context_set_threads(context, 0);
	free(p.data);
	nothing_left();
}

/* Nor those of more blocks than numbers of 31 bits. */
static void too_many_blocks(void)
{
	static xc_container k;
	static xc_piece piece;

	k.pieces = &piece;
	xc_geometry_init(&k.geometry, 1 << 20, 1 << 15, XC_SUBSAMPLING_444);
	CHECK(!xc_cuda_decoder_objection(&k), "'%s'", xc_cuda_decoder_objection(&k));
	xc_geometry_init(&k.geometry, 1 << 20, 1 << 16, XC_SUBSAMPLING_444);
	CHECK(xc_cuda_decoder_objection(&k) && strstr(xc_cuda_decoder_objection(&k), "--device cpu"),
	      "no objection");
}

/* The same for those who hold a GPU, whose own defaults it knows. */
static void unknown_to_encoders(void)
{
	const xc_picture shape = {.width = 100, .height = 90, .channels = 3, .depth = 8};
	xc_cuda_encoder *encoder;
	xc_cuda_encode_queue *queue;

	for (size_t i = 0; i < COUNT(modes); i++) {
		const xc_encode_options o = mode_options(i);
		if (!modes[i].says && !modes[i].host_alone)
			continue;
		CHECK(xc_cuda_encoder_new(gpu, &shape, NULL, &o, 1, &encoder) == XC_ERR_UNSUPPORTED &&
		          !encoder,
		      "case %zu: an encoder", i);
		CHECK(xc_cuda_encode_queue_new(gpu, &shape, NULL, &o, 2, &queue) == XC_ERR_UNSUPPORTED &&
		          !queue,
		      "case %zu: a queue", i);
	}
	SUCCEEDS(context, xc_cuda_encoder_new(gpu, &shape, NULL, NULL, 1, &encoder));
	xc_cuda_encoder_free(encoder);
	SUCCEEDS(context, xc_cuda_encode_queue_new(gpu, &shape, NULL, NULL, 2, &queue));
	xc_cuda_encode_queue_free(queue);
	nothing_left();
}

/* What a GPU cannot do, here encoding, is the CPU's where the choice is the library's. */
static void left_to_the_cpu(void)
{
	xc_picture p = xc_test_picture(100, 90, 1, 8, 0, 1);
	xc_buffer file = {0};
	xc_encode_options o = xc_test_jpeg();

	o.transform = (xc_transform)0;
	o.huffman = (xc_huffman)0;
	xc_gpu_module half = xc_stub_module;
	half.encode = NULL;
	xc_context_set_threads(context, 1); /* so that a GPU pays */
	xc_stub_use(context);
	((xc_cuda *)context->device.opened)->module = &half;
	CHECK(xc_encode(context, &p, NULL, &o, &file) == XC_ERR_UNSUPPORTED, "%s",
	      xc_context_message(context));
	context->device.choice = XC_DEVICE_AUTO;
	SUCCEEDS(context, xc_encode(context, &p, NULL, &o, &file));
	CHECK(file.size == files[0].size && !memcmp(file.data, files[0].data, file.size),
	      "another file");
	CHECK(!strcmp(xc_context_device(context), "cpu"), "%s", xc_context_device(context));
	CHECK(context->device.opened && !context->device.given_up, "the GPU was given up");
	SUCCEEDS(context, xc_context_set_device(context, "cpu"));
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
	if (!xc_stub_fits())
		return CHECK_SKIPPED;
	gpu = xc_stub_open(context);
	RUN(make_files, whole_files, wrong_arguments, given_scratch, some_wrong, wrong_data_crc,
	    failing_gpu, several_calls, queue, by_context, left_to_the_cpu, who_codes, too_many_blocks,
	    unknown_to_encoders);
	for (int i = 0; i < FILES; i++)
		xc_buffer_free(context, &files[i]);
	free(pixels);
	xc_cuda_close(gpu);
	xc_context_free(context);
	return check_done();
}
