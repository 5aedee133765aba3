/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec bench gpu: how fast the codec is on an NVIDIA GPU. */
#include "cli/base/options.h"

#include "bench/gpu/gpu.h"
#include "bench/tiled.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>

enum { SIDE_MAX = 65536, SOURCES_MAX = 64, SCENES = 4 };

typedef struct settings {
	int json, runs, device, batch;
	uint32_t size[2];
	const char *only;
} settings;

#define IN(field) offsetof(settings, field)

static const char *parse_size(const char *text, void *target)
{
	uint32_t *size = target;

	if (xc_bench_parse_size(text, &size[0], &size[1]) && size[0] <= SIDE_MAX && size[1] <= SIDE_MAX)
		return NULL;
	return "a size such as 3840x2160";
}

/* clang-format off */
static const xc_cli_option options[] = {
	XC_CLI_FLAG_OPTION("json", 'j', IN(json), 1, "print JSON"),
	XC_CLI_INT_OPTION("device", 0, IN(device), 0, 999, "which GPU; default 0"),
	XC_CLI_CUSTOM_OPTION("size", 0, IN(size), parse_size, "WxH", "size of a frame; default 3840x2160"),
	XC_CLI_INT_OPTION("batch", 0, IN(batch), 1, XC_BENCH_GPU_FRAMES,
		"frames in a call, besides one alone; default 32"),
	XC_CLI_INT_OPTION("runs", 'n', IN(runs), 1, 1000, "times that each is measured; the median counts; default 50"),
	XC_CLI_TEXT_OPTION("only", 0, IN(only), "TEXT",
		"only the codings whose name has this in it, and those only in device memory"),
	{ .name = NULL }
};
/* clang-format on */

/* What is printed before and after the results.  pictures: what the frames show. */
static void print_start(xc_bench_gpu *b, const char *pictures)
{
	if (!b->as_json) {
		char shown[XC_CLI_SHOWN];

		xc_cli_escape(shown, sizeof shown, pictures);
		printf("%s, %d multiprocessors; frames of %ux%u, mosaics of %s; medians of %d\n",
		       b->device.name, b->device.multiprocessors, b->width, b->height, shown, b->runs);
		printf("copies: %.0f GB/s on the device (read and written), %.1f GB/s to it, "
		       "%.1f GB/s from it, %.1f GB/s both at once\n\n",
		       b->copy_rate * 1e-9, b->up_rate * 1e-9, b->down_rate * 1e-9, b->both_rate * 1e-9);
		return;
	}
	xc_cli_json_start(&b->json, stdout);
	xc_cli_json_object(&b->json, NULL);
	xc_cli_json_text(&b->json, "device", b->device.name);
	xc_cli_json_integer(&b->json, "multiprocessors", (uint64_t)b->device.multiprocessors);
	xc_cli_json_text(&b->json, "pictures", pictures);
	xc_cli_json_integer(&b->json, "width", b->width);
	xc_cli_json_integer(&b->json, "height", b->height);
	xc_cli_json_integer(&b->json, "runs", (uint64_t)b->runs);
	xc_cli_json_number(&b->json, "copy_bytes_per_second", b->copy_rate);
	xc_cli_json_number(&b->json, "upload_bytes_per_second", b->up_rate);
	xc_cli_json_number(&b->json, "download_bytes_per_second", b->down_rate);
	xc_cli_json_number(&b->json, "both_ways_bytes_per_second", b->both_rate);
	xc_cli_json_array(&b->json, "results");
}

static void print_end(xc_bench_gpu *b)
{
	if (!b->as_json)
		return;
	xc_cli_json_end_array(&b->json);
	xc_cli_json_end_object(&b->json);
}

static void start_line(xc_bench_gpu *b, const char *what)
{
	xc_cli_json_inline_object(&b->json, NULL);
	xc_cli_json_text(&b->json, "what", what);
	xc_cli_json_text(&b->json, "coding", b->coding);
}

static void print_json(xc_bench_gpu *b, const xc_bench_gpu_result *r, double rate, double share)
{
	xc_cli_json *j = &b->json;

	start_line(b, r->what);
	xc_cli_json_integer(j, "pictures", r->pictures);
	xc_cli_json_boolean(j, "in_a_row", r->in_a_row);
	xc_cli_json_number(j, "seconds", r->seconds);
	xc_cli_json_number(j, "pixels_per_second", rate);
	xc_cli_json_number(j, "share_of_copy", share);
	if (r->in_a_row)
		xc_cli_json_number(j, "host_seconds", r->host_seconds);
	if (r->workers)
		xc_cli_json_integer(j, r->workers_name, r->workers);
	if (*r->what != 'n' && b->quality[b->number].bits > 0) {
		xc_cli_json_number(j, "bits_per_pixel", b->quality[b->number].bits);
		xc_cli_json_number(j, "psnr_rgb", b->quality[b->number].psnr);
	}
	xc_cli_json_object(j, "kernels");
	for (int i = 0; i < r->stages && !r->in_a_row; i++)
		xc_cli_json_number(j, r->stage_names[i], r->stage_seconds[i]);
	xc_cli_json_end_object(j);
	xc_cli_json_end_object(j);
}

void xc_bench_gpu_print(xc_bench_gpu *b, const xc_bench_gpu_result *r)
{
	const double rate = (double)b->width * b->height * r->pictures / r->seconds;
	const double share = r->bytes / r->seconds / b->copy_rate;
	const xc_bench_gpu_quality *q = &b->quality[b->number];

	if (b->as_json) {
		print_json(b, r, rate, share);
		return;
	}
	printf("%-13s %-27s %2u frame%s %-8s %9.1f us %7.1f GP/s %5.1f %% of copying ", r->what,
	       b->coding, r->pictures, r->pictures == 1 ? " " : "s", r->in_a_row ? "in a row" : "",
	       r->seconds * 1e6, rate * 1e-9, share * 100);
	for (int i = 0; i < r->stages && !r->in_a_row; i++)
		printf(" %s %.1f", r->stage_names[i], r->stage_seconds[i] * 1e6);
	if (r->in_a_row)
		printf(" host %.1f", r->host_seconds * 1e6);
	if (r->workers)
		printf(" %u %s", r->workers, r->workers_name);
	if (*r->what != 'n' && q->bits > 0)
		printf("  %.3f bits a pixel, %.2f dB", q->bits, q->psnr);
	printf("\n");
	fflush(stdout);
}

static double rate_of(const xc_bench_gpu *b, const xc_bench_gpu_flow *f)
{
	return (double)b->width * b->height * f->pictures / f->seconds;
}

void xc_bench_gpu_print_flow(xc_bench_gpu *b, const char *what, const xc_bench_gpu_flow *f)
{
	const double up = f->up / f->seconds / b->up_rate;
	const double down = f->down / f->seconds / b->down_rate;
	const double share = up > down ? up : down;

	if (!b->as_json) {
		printf("%-13s %-27s host to host       %9.1f us %7.1f GP/s %5.1f %% of the bus\n", what,
		       b->coding, f->seconds / f->pictures * 1e6, rate_of(b, f) * 1e-9, share * 100);
		fflush(stdout);
		return;
	}
	start_line(b, what);
	xc_cli_json_boolean(&b->json, "host_to_host", 1);
	xc_cli_json_number(&b->json, "seconds", f->seconds / f->pictures);
	xc_cli_json_number(&b->json, "pixels_per_second", rate_of(b, f));
	xc_cli_json_number(&b->json, "share_of_bus", share);
	xc_cli_json_end_object(&b->json);
}

void xc_bench_gpu_print_both(xc_bench_gpu *b, const xc_bench_gpu_flow *e,
                             const xc_bench_gpu_flow *d)
{
	const double up = e->up / e->seconds + d->up / d->seconds;
	const double down = e->down / e->seconds + d->down / d->seconds;
	const double share = (up + down) / b->both_rate;

	if (!b->as_json) {
		printf("%-13s %-27s host to host  %7.1f + %.1f GP/s, %.1f GB/s up, %.1f GB/s down, "
		       "%.1f %% of the bus both ways\n",
		       "both at once", b->coding, rate_of(b, e) * 1e-9, rate_of(b, d) * 1e-9, up * 1e-9,
		       down * 1e-9, share * 100);
		fflush(stdout);
		return;
	}
	start_line(b, "encode and decode");
	xc_cli_json_boolean(&b->json, "host_to_host", 1);
	xc_cli_json_number(&b->json, "encode_pixels_per_second", rate_of(b, e));
	xc_cli_json_number(&b->json, "decode_pixels_per_second", rate_of(b, d));
	xc_cli_json_number(&b->json, "upload_bytes_per_second", up);
	xc_cli_json_number(&b->json, "download_bytes_per_second", down);
	xc_cli_json_number(&b->json, "share_of_bus_both_ways", share);
	xc_cli_json_end_object(&b->json);
}

/* Makes the frames of generated pictures. */
static int generate(xc_bench_gpu *b)
{
	xc_picture pictures[SCENES] = {{0}};
	int failed = 0;

	for (int i = 0; i < SCENES && !failed; i++)
		failed = xc_scene_draw(XC_SCENE_WIDTH, XC_SCENE_HEIGHT, (uint32_t)i, &pictures[i]);
	failed = failed ? xc_cli_error("bench gpu", "out of memory")
	                : xc_bench_gpu_frames_make(b, pictures, SCENES);
	for (int i = 0; i < SCENES; i++)
		free(pictures[i].data);
	return failed;
}

/* Reads the pictures and makes the frames of them. */
static int load(xc_bench_gpu *b, char **paths, int count)
{
	xc_cli_limits limits;
	xc_cli_picture pictures[SOURCES_MAX];
	xc_picture sources[SOURCES_MAX];
	const xc_cli_reader reader = {.context = b->context, .limits = &limits, .pixels_alone = 1};
	int read = 0, failed = 0;

	xc_cli_limits_default(&limits);
	memset(pictures, 0, sizeof pictures);
	for (; read < count && !failed; read++) {
		failed = xc_cli_picture_read(&reader, paths[read], XC_FILE_UNKNOWN, &pictures[read]);
		sources[read] = pictures[read].picture;
	}
	failed = failed ? failed : xc_bench_gpu_frames_make(b, sources, count);
	for (int i = 0; i < read; i++)
		xc_cli_picture_free(b->context, &pictures[i]);
	return failed;
}

static int each_coding(xc_bench_gpu *b, const char *only, xc_bench_gpu_case *measure)
{
	int failed = 0;

	/* What is wrong with one says nothing about the others. */
	for (int i = 0; i < XC_BENCH_GPU_CODINGS; i++) {
		xc_encode_options o;

		xc_bench_gpu_coding(b, i, &o);
		if ((!only || strstr(b->coding, only)) && (!b->kept || measure == xc_bench_gpu_decode))
			failed |= measure(b, &o);
	}
	return failed;
}

/* The module may lack one of the directions. */
static int measure(xc_bench_gpu *b, const char *only)
{
	const int encodes = b->gpu->module->encode != NULL;
	const int both = encodes && b->gpu->module->decode;
	int failed = encodes ? each_coding(b, only, xc_bench_gpu_encode) : 0;

	if (both)
		failed |= each_coding(b, only, xc_bench_gpu_decode);
	if (only)
		return failed;
	if (both)
		failed |= each_coding(b, NULL, xc_bench_gpu_host);
	return xc_bench_gpu_nvjpeg(b) || failed;
}

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
	xc_bench_gpu b = {.width = s->size[0],
	                  .height = s->size[1],
	                  .runs = s->runs,
	                  .batch = (uint32_t)s->batch,
	                  .as_json = s->json};

	b.context = xc_context_new(NULL);
	if (!b.context)
		return xc_cli_error("bench gpu", "out of memory");
	int failed = find_device(&b, s->device) || (count ? load(&b, paths, count) : generate(&b)) ||
	             xc_bench_gpu_rates(&b);
	if (!failed) {
		print_start(&b, count ? "the pictures given" : "generated pictures");
		failed = measure(&b, s->only);
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
	settings s = {.runs = 50, .batch = 32, .size = {3840, 2160}};
	const xc_cli_command command = {.name = "bench gpu",
	                                .operands = "[PICTURE...]",
	                                .min_operands = 0,
	                                .max_operands = SOURCES_MAX,
	                                .summary = self->summary,
	                                .description = self->description};
	const xc_cli_group groups[] = {{xc_cli_bench_gpu.summary, options, &s}, {NULL, NULL, NULL}};
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
