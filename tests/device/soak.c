/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Many small encodes and decodes on a GPU in one process, damaged files among them: the
 * results are the CPU's, every failure is a status, and memory does not grow.
 *
 *	tests/device/soak [ROUNDS]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xcodec_jpeg.h>

#include "tests/support/check.h"
#include "src/cuda/module.h"
#include "tests/support/test_pictures.h"

enum { ROUNDS = 100000, SHAPES = 32, COMPARE_EVERY = 16 };

static xc_context *cpu, *gpu;
static xc_picture shapes[SHAPES];
static uint64_t seed = 1;
static unsigned long refused, accepted;

static uint32_t below(uint32_t n)
{
	return (uint32_t)((check_random(&seed) >> 32) * n >> 32);
}

static void make_shapes(void)
{
	for (uint32_t i = 0; i < SHAPES; i++)
		shapes[i] = xc_test_picture(1 + below(120), 1 + below(120), 1 + i % 4, i % 8 < 6 ? 8 : 16,
		                            2 * below(4), 1);
}

static void plain_options(xc_encode_options *o)
{
	xc_encode_options_jpeg(o);
	o->quality = 1 + (int)below(96); /* the CPU alone compares rANS with Huffman codes */
	o->subsampling = (xc_subsampling)below(4);
	o->huffman = (xc_huffman)below(2);
	o->transform = (xc_transform)below(3);
}

/* Options of the other modes. */
static void other_options(xc_encode_options *o)
{
	plain_options(o);
	o->entropy = below(3) ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN;
	o->effort = o->entropy == XC_ENTROPY_RANS ? (int)below(4) : 0; /* as GPUs decode them */
	if (o->subsampling == XC_SUBSAMPLING_444 && below(2))
		o->colour = XC_COLOUR_PICTURE;
	if (below(2))
		xc_quant_tables_sloped(&o->tables);
}

static void compare_pictures(const xc_picture *a, const xc_picture *b)
{
	CHECK(a->stride == b->stride && a->height == b->height &&
	          !memcmp(a->data, b->data, a->stride * a->height),
	      "other pixels");
}

/* Decodes a file, damaged or not, on both; they must agree. */
static void decode(const xc_buffer *file, int compare)
{
	OWN_DECODED(gpu, a);
	OWN_DECODED(cpu, b);
	xc_decode_options options = {.keep_going = (int)below(2), .scale = 1u << below(4)};
	xc_decode_options same = options;
	const xc_status s = xc_decode(gpu, file->data, file->size, &options, &a);

	/* Samples that are stored are the processor's work. */
	if (s == XC_ERR_UNSUPPORTED)
		return;
	if (s) {
		refused++;
		CHECK(!a.data, "a picture after a failure");
		CHECK(*xc_context_message(gpu), "no message");
	} else {
		accepted++;
	}
	if (compare) {
		CHECK(xc_decode(cpu, file->data, file->size, &same, &b) == s, "the CPU differs: %s",
		      xc_context_message(cpu));
		CHECK(same.damaged_segments == options.damaged_segments, "other damage");
		if (!s && b.data)
			compare_pictures(&a, &b);
	}
}

/* Replaces a file by one that keeps the JPEG of its coefficients, if it has such. */
static void keep_jpeg(xc_buffer *file)
{
	xc_buffer jpeg = {0}, kept = {0};

	if (!xc_jpeg_transcode(cpu, file->data, file->size, (int)below(2), &jpeg) &&
	    !xc_jpeg_encode(cpu, jpeg.data, jpeg.size, NULL, NULL, &kept)) {
		xc_buffer_free(cpu, file);
		*file = kept;
	}
	xc_buffer_free(cpu, &jpeg);
}

static void one_round(unsigned long number)
{
	const xc_picture *p = &shapes[below(SHAPES)];
	const int compare = number / 2 % COMPARE_EVERY == 0;
	xc_encode_options o;
	xc_buffer file = {0}, want = {0};

	if (number % 2)
		other_options(&o);
	else
		plain_options(&o);
	/* The GPU encodes with no larger effort. */
	xc_context *maker = o.effort > 2 ? cpu : gpu;
	const xc_status s = xc_encode(maker, p, NULL, &o, &file);
	CHECK(!s, "%s", xc_context_message(maker));
	if (s)
		return;
	if (compare && maker == gpu) {
		CHECK(!xc_encode(cpu, p, NULL, &o, &want), "%s", xc_context_message(cpu));
		CHECK(want.size == file.size && !memcmp(want.data, file.data, file.size), "other bytes");
		xc_buffer_free(cpu, &want);
	}
	if (number % 8 == 4)
		keep_jpeg(&file);
	decode(&file, compare);
	for (uint32_t n = 1 + below(4); n; n--)
		file.data[below((uint32_t)file.size)] ^= (uint8_t)(1 + below(255));
	if (below(4) == 0)
		file.size = below((uint32_t)file.size + 1);
	decode(&file, compare);
	xc_buffer_free(maker, &file);
}

/* Pages of memory that the process holds. */
static long resident(void)
{
	long total = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%ld %ld", &total, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages;
}

typedef struct memory {
	uint64_t device, pinned, host;
} memory;

static memory held(void)
{
	memory m;
	const xc_cuda *g = gpu->device.opened;

	g->module->held(g->gpu, &m.device, &m.pinned);
	m.host = (uint64_t)resident() * (uint64_t)sysconf(_SC_PAGESIZE);
	return m;
}

static void soak(unsigned long rounds)
{
	memory early = {0}, late;

	for (unsigned long i = 0; i < rounds; i++) {
		one_round(i);
		if (i == rounds / 4)
			early = held();
		if (i % (rounds / 10 + 1) == rounds / 10) {
			printf("# %lu rounds\n", i + 1);
			fflush(stdout);
		}
	}
	late = held();
	printf("# device %.2f to %.2f MiB, pinned %.2f to %.2f MiB, process %.1f to %.1f MiB; "
	       "%lu files decoded, %lu refused\n",
	       (double)early.device / (1 << 20), (double)late.device / (1 << 20),
	       (double)early.pinned / (1 << 20), (double)late.pinned / (1 << 20),
	       (double)early.host / (1 << 20), (double)late.host / (1 << 20), accepted, refused);
	CHECK(late.device <= early.device + (1 << 20), "device memory grows");
	CHECK(late.pinned <= early.pinned + (1 << 20), "pinned memory grows");
	CHECK(late.host <= early.host + (8 << 20), "the process grows");
}

int main(int argc, char **argv)
{
	const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : ROUNDS;

	cpu = xc_context_new(NULL);
	gpu = xc_context_new(NULL);
	if (!cpu || !gpu || rounds < 10)
		return 2;
	xc_context_set_threads(cpu, 1);
	xc_context_set_threads(gpu, 1);
	if (xc_context_set_device(gpu, "cuda")) {
		printf("# %s\n", xc_context_message(gpu));
		return CHECK_SKIPPED;
	}
	make_shapes();
	check_begin("%lu small pictures", rounds);
	soak(rounds);
	check_end();
	for (int i = 0; i < SHAPES; i++)
		free(shapes[i].data);
	xc_context_free(gpu);
	xc_context_free(cpu);
	return check_done();
}
