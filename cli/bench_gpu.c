/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec bench gpu: how fast the codec is on an NVIDIA GPU. */
#include "bench.h"

#include "bench_gpu.h"
#include "picture.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MAX = 65536, SOURCES_MAX = 64 };
#define CACHE_BYTES (UINT64_C(256) << 20) /* more than any GPU's */

typedef struct settings {
	int json, runs, device, batch;
	uint32_t size[2];
} settings;

#define IN(field) offsetof(settings, field)

static const char *parse_size(const char *text, void *target)
{
	uint32_t *size = target;
	char *end;

	for (int i = 0; i < 2; i++, text = *end ? end + 1 : end) {
		unsigned long n = *text >= '1' && *text <= '9' ? strtoul(text, &end, 10) : 0;

		if (!n || n > SIDE_MAX || *end != (i ? '\0' : 'x'))
			return "a size such as 3840x2160";
		size[i] = (uint32_t)n;
	}
	return NULL;
}

static const xc_cli_option options[] = {
	{ .name = "json", .letter = 'j', .type = XC_CLI_FLAG, .offset = IN(json), .low = 1,
	  .help = "print JSON" },
	{ .name = "device", .type = XC_CLI_INT, .offset = IN(device), .low = 0, .high = 999,
	  .value = "N", .help = "which GPU; default 0" },
	{ .name = "size", .type = XC_CLI_CUSTOM, .offset = IN(size), .parse = parse_size,
	  .value = "WxH", .help = "size of a frame; default 3840x2160" },
	{ .name = "batch", .type = XC_CLI_INT, .offset = IN(batch), .low = 1,
	  .high = XC_BENCH_GPU_FRAMES, .value = "N",
	  .help = "frames in a call, besides one alone; default 32" },
	{ .name = "runs", .letter = 'n', .type = XC_CLI_INT, .offset = IN(runs), .low = 1, .high = 1000,
	  .value = "N", .help = "times that each is measured; the median counts; default 50" },
	{ .name = NULL }
};

/* ---------------------------------------------------------------- frames */

/* Pixel x, y of a mosaic of pictures, as RGB. */
static void mosaic_pixel(const xc_picture *const *sources, int count, uint32_t x, uint32_t y,
                         uint8_t rgb[3])
{
	const xc_picture *first = sources[0];
	const uint32_t cell = x / first->width + y / first->height * 5;
	const xc_picture *p = sources[cell % (uint32_t)count];
	const size_t bytes = p->depth / 8;
	const uint8_t *at = (const uint8_t *)p->data + y % first->height % p->height * p->stride +
	                    x % first->width % p->width * p->channels * bytes;

	for (uint32_t c = 0; c < 3; c++)
		rgb[c] = at[(p->channels < 3 ? 0 : c) * bytes + bytes - 1];
}

/* Every frame shows another part of the mosaic. */
static void draw_frame(const xc_bench_gpu *b, const xc_picture *const *sources, int count,
                       uint32_t number, uint8_t *frame)
{
	for (uint32_t y = 0; y < b->height; y++)
		for (uint32_t x = 0; x < b->width; x++)
			mosaic_pixel(sources, count, x + number * 197, y + number * 131,
			             frame + y * b->stride + x * 3);
}

static int make_frames(xc_bench_gpu *b, const xc_picture *const *sources, int count)
{
	const xc_gpu_module *m = b->gpu->module;
	xc_gpu_error e = { XC_OK, "" };
	void *host = NULL;
	xc_status s;

	b->stride = ((size_t)b->width * 3 + 15) / 16 * 16;
	b->frame_bytes = (b->stride * b->height + 255) / 256 * 256;
	b->frame_count = b->batch;
	while (b->frame_count < XC_BENCH_GPU_FRAMES && b->frame_count * b->frame_bytes < CACHE_BYTES)
		b->frame_count++;
	s = m->allocate(b->gpu->gpu, XC_GPU_DEVICE_MEMORY, b->frame_count * b->frame_bytes,
	                &b->frames, &e);
	if (!s)
		s = m->allocate(b->gpu->gpu, XC_GPU_PINNED_MEMORY, b->frame_bytes, &host, &e);
	for (uint32_t i = 0; i < b->frame_count && !s; i++) {
		draw_frame(b, sources, count, i, host);
		s = m->copy(b->gpu->gpu, (char *)b->frames + i * b->frame_bytes, host,
		            b->frame_bytes, NULL, &e);
		if (!s)
			s = m->synchronize(b->gpu->gpu, NULL, &e);
	}
	m->release(b->gpu->gpu, host);
	return xc_bench_gpu_check(b, s, &e);
}

/* Reads the pictures and makes the frames of them. */
static int load(xc_bench_gpu *b, char **paths, int count)
{
	xc_cli_limits limits;
	xc_cli_picture pictures[SOURCES_MAX];
	const xc_picture *sources[SOURCES_MAX];
	const xc_cli_reader reader = { b->context, &limits, NULL, NULL };
	int read = 0, failed = 0;

	xc_cli_limits_default(&limits);
	memset(pictures, 0, sizeof pictures);
	for (; read < count && !failed; read++) {
		failed = xc_cli_picture_read(&reader, paths[read], XC_FILE_UNKNOWN,
		                             &pictures[read]);
		sources[read] = &pictures[read].picture;
	}
	if (!failed)
		failed = make_frames(b, sources, count);
	for (int i = 0; i < read; i++)
		xc_cli_picture_free(b->context, &pictures[i]);
	return failed;
}

/* --------------------------------------------------------------- reports */

static void print_start(xc_bench_gpu *b)
{
	if (!b->as_json) {
		printf("%s, %d multiprocessors; frames of %ux%u; medians of %d\n", b->device.name,
		       b->device.multiprocessors, b->width, b->height, b->runs);
		printf("copies: %.0f GB/s on the device (read and written), "
		       "%.1f GB/s to it, %.1f GB/s from it\n\n", b->copy_rate * 1e-9,
		       b->up_rate * 1e-9, b->down_rate * 1e-9);
		return;
	}
	xc_cli_json_start(&b->json, stdout);
	xc_cli_json_object(&b->json, NULL);
	xc_cli_json_text(&b->json, "device", b->device.name);
	xc_cli_json_integer(&b->json, "multiprocessors", (uint64_t)b->device.multiprocessors);
	xc_cli_json_integer(&b->json, "width", b->width);
	xc_cli_json_integer(&b->json, "height", b->height);
	xc_cli_json_integer(&b->json, "runs", (uint64_t)b->runs);
	xc_cli_json_number(&b->json, "copy_bytes_per_second", b->copy_rate);
	xc_cli_json_number(&b->json, "upload_bytes_per_second", b->up_rate);
	xc_cli_json_number(&b->json, "download_bytes_per_second", b->down_rate);
	xc_cli_json_array(&b->json, "results");
}

static void print_end(xc_bench_gpu *b)
{
	if (!b->as_json)
		return;
	xc_cli_json_end_array(&b->json);
	xc_cli_json_end_object(&b->json);
}

static void print_json(xc_bench_gpu *b, const xc_bench_gpu_result *r, double rate, double share)
{
	xc_cli_json *j = &b->json;

	xc_cli_json_inline_object(j, NULL);
	xc_cli_json_text(j, "what", r->what);
	xc_cli_json_text(j, "coding", r->coding);
	xc_cli_json_integer(j, "pictures", r->pictures);
	xc_cli_json_number(j, "seconds", r->seconds);
	xc_cli_json_number(j, "pixels_per_second", rate);
	xc_cli_json_number(j, "share_of_copy", share);
	xc_cli_json_object(j, "kernels");
	for (int i = 0; i < r->stages; i++)
		xc_cli_json_number(j, r->stage_names[i], r->stage_seconds[i]);
	xc_cli_json_end_object(j);
	xc_cli_json_end_object(j);
}

void xc_bench_gpu_print(xc_bench_gpu *b, const xc_bench_gpu_result *r)
{
	const double rate = (double)b->width * b->height * r->pictures / r->seconds;
	const double share = r->bytes / r->seconds / b->copy_rate;

	if (b->as_json) {
		print_json(b, r, rate, share);
		return;
	}
	printf("%-13s %-20s %3u frames %9.1f us %7.1f GP/s %5.1f %% of copying ", r->what, r->coding,
	       r->pictures, r->seconds * 1e6, rate * 1e-9, share * 100);
	for (int i = 0; i < r->stages; i++)
		printf(" %s %.1f", r->stage_names[i], r->stage_seconds[i] * 1e6);
	printf("\n");
	fflush(stdout);
}

void xc_bench_gpu_print_bus(xc_bench_gpu *b, const char *what, const char *coding,
                            double pictures, double seconds, double up, double down)
{
	const double rate = (double)b->width * b->height * pictures / seconds;
	const double up_share = up / seconds / b->up_rate, down_share = down / seconds / b->down_rate;
	const double share = up_share > down_share ? up_share : down_share;

	if (!b->as_json) {
		printf("%-13s %-20s host to host %9.1f us %7.1f GP/s %5.1f %% of the bus\n", what,
		       coding, seconds / pictures * 1e6, rate * 1e-9, share * 100);
		return;
	}
	xc_cli_json_inline_object(&b->json, NULL);
	xc_cli_json_text(&b->json, "what", what);
	xc_cli_json_text(&b->json, "coding", coding);
	xc_cli_json_boolean(&b->json, "host_to_host", 1);
	xc_cli_json_number(&b->json, "seconds", seconds / pictures);
	xc_cli_json_number(&b->json, "pixels_per_second", rate);
	xc_cli_json_number(&b->json, "share_of_bus", share);
	xc_cli_json_end_object(&b->json);
}

/* ------------------------------------------------------------------- run */

static int find_device(xc_bench_gpu *b, int index)
{
	xc_cuda_device list[64];
	int count;

	if (xc_bench_gpu_check(b, xc_cuda_devices(b->context, list, 64, &count), NULL))
		return -1;
	if (index < count && index < 64)
		b->device = list[index];
	return xc_bench_gpu_check(b, xc_cuda_open(b->context, index, &b->gpu), NULL);
}

static int work(const settings *s, char **paths, int count)
{
	xc_bench_gpu b = { .width = s->size[0], .height = s->size[1], .runs = s->runs,
	                   .batch = (uint32_t)s->batch, .as_json = s->json };
	int failed;

	b.context = xc_context_new(NULL);
	if (!b.context) {
		xc_cli_error("bench gpu", "out of memory");
		return -1;
	}
	failed = find_device(&b, s->device) || load(&b, paths, count) || xc_bench_gpu_rates(&b);
	if (!failed) {
		print_start(&b);
		failed = xc_bench_gpu_encode(&b) || xc_bench_gpu_decode(&b) ||
		         xc_bench_gpu_nvjpeg(&b);
		print_end(&b);
	}
	if (b.gpu)
		b.gpu->module->release(b.gpu->gpu, b.frames);
	xc_cuda_close(b.gpu);
	xc_context_free(b.context);
	return failed;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = { .runs = 50, .batch = 32, .size = { 3840, 2160 } };
	const xc_cli_command command = { .name = "bench gpu", .operands = "PICTURE...",
	                                 .least = 1, .most = SOURCES_MAX,
	                                 .summary = self->summary,
	                                 .description = self->description };
	const xc_cli_group groups[] = {
		{ xc_cli_bench_gpu.summary, options, &s },
		{ NULL, NULL, NULL }
	};
	int operands, status = xc_cli_parse(&command, groups, argc - 1, argv + 1, &operands);

	if (status >= 0)
		return status;
	return work(&s, argv + 2, operands) ? XC_CLI_FAILED : XC_CLI_DONE;
}

const xc_cli_benchmark xc_cli_bench_gpu = {
	.name = "gpu",
	.summary = "gpu: the codec on an NVIDIA GPU",
	.options = options,
	.run = run,
};
