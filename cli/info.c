/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec info: what a file says about itself, and where its bits went. */
#include "cli/info.h"

#include "cli/base/command.h"
#include "cli/base/io.h"
#include "cli/base/json.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xcodec_cuda.h>

typedef struct settings {
	int json, list_segments, devices, bits;
	int shown; /* files so far */
	xc_cli_limits limits;
} settings;

#define IN(field) offsetof(settings, field)

/* clang-format off */
static const xc_cli_option options[] = {
	{ .name = "segments", .type = XC_CLI_FLAG, .offset = IN(list_segments), .low = 1,
	  .help = "list every segment: its place in the file and in the picture" },
	{ .name = "bits", .type = XC_CLI_FLAG, .offset = IN(bits), .low = 1,
	  .help = "say what the bits of the segments tell, which decodes them all" },
	{ .name = "devices", .type = XC_CLI_FLAG, .offset = IN(devices), .low = 1,
	  .help = "list the GPUs instead, and why one that is there cannot be used" },
	{ .name = NULL }
};
/* clang-format on */

/* The bytes of all segments, or of what a truncated file has of them. */
static uint64_t segment_bytes(const xc_info *info)
{
	const uint64_t others = info->header_bytes + info->table_bytes + info->index_bytes +
	                        info->alpha_bytes + info->metadata_bytes + info->extra_bytes;
	const uint64_t left = info->file_bytes > others ? info->file_bytes - others : 0;

	return info->segment_bytes < left ? info->segment_bytes : left;
}

static void work_out_sizes(xc_cli_info_report *r)
{
	const xc_info *info = &r->info;
	const double pixels = (double)info->width * info->height;
	const xc_cli_info_part parts[XC_CLI_INFO_PARTS] = {
		{"header", info->header_bytes}, {"tables", info->table_bytes},
		{"index", info->index_bytes},   {"segments", segment_bytes(info)},
		{"alpha", info->alpha_bytes},   {"metadata", info->metadata_bytes},
	};

	r->bits_per_pixel = 8.0 * (double)info->file_bytes / pixels;
	r->ratio = pixels * info->channels * info->depth / 8 / (double)info->file_bytes;
	memcpy(r->parts, parts, sizeof parts);
}

static int look_at_segments(xc_context *context, const void *file, size_t size,
                            xc_cli_info_report *r)
{
	uint64_t total = 0;

	const uint64_t bytes = r->info.segments * sizeof *r->segments;

	if (xc_cli_check(r->name, context, xc_context_charge(context, bytes)))
		return -1;
	r->charged = bytes;
	if (r->info.segments <= SIZE_MAX / sizeof *r->segments)
		r->segments = malloc((size_t)r->info.segments * sizeof *r->segments);
	if (!r->segments)
		return xc_cli_error(r->name, "out of memory");
	if (xc_cli_check(r->name, context,
	                 xc_read_segments(context, file, size, 0, r->info.segments, r->segments)))
		return -1;
	for (uint64_t i = 0; i < r->info.segments; i++) {
		const xc_segment_info *segment = &r->segments[i];

		if (i == 0 || segment->size < r->smallest)
			r->smallest = segment->size;
		if (segment->size > r->largest)
			r->largest = segment->size;
		r->damaged += !segment->intact + !segment->alpha_intact;
		total += segment->size;
	}
	if (r->info.segments)
		r->mean = (double)total / (double)r->info.segments;
	return 0;
}

/* Damage in the entropy layer does not keep the rest from being reported. Returns
 * -1 after an error. */
static int look_at_bits(xc_context *context, const void *file, size_t size, xc_cli_info_report *r)
{
	xc_status status = xc_read_bit_usage(context, file, size, &r->usage);
	const char *message = xc_context_message(context);

	r->has_usage = status == XC_OK;
	if (r->has_usage)
		return 0;
	snprintf(r->usage_message, sizeof r->usage_message, "%s",
	         *message ? message : xc_status_string(status));
	return xc_cli_error(r->name, "%s", r->usage_message);
}

static int work(settings *s, xc_context *context, const char *path)
{
	xc_cli_info_report report = {.name = xc_cli_input_name(path),
	                             .list_segments = s->list_segments,
	                             .wants_usage = s->bits};
	uint8_t *file;
	size_t size;

	xc_cli_limit_memory(context, &s->limits, xc_cli_sizes(&path, 1), 1);
	if (xc_cli_read_xc(path, context, &file, &size))
		return -1;
	int failed = xc_cli_check(report.name, context,
	                          xc_read_info(context, file, size, &report.info)) ||
	             look_at_segments(context, file, size, &report);
	if (!failed) {
		work_out_sizes(&report);
		if (s->bits)
			failed = look_at_bits(context, file, size, &report);
		if (report.info.extra_bytes)
			xc_cli_warning(report.name, "%llu byte%s too many after the end",
			               (unsigned long long)report.info.extra_bytes,
			               xc_s(report.info.extra_bytes));
		if (s->shown++)
			fputs(s->json ? ",\n" : "\n", stdout);
		(s->json ? xc_cli_info_print_json : xc_cli_info_print_text)(&report);
	}
	xc_context_refund(context, report.charged);
	free(report.segments);
	xc_cli_forget(context, file, size);
	return failed;
}

/* One file after another; JSON of several is an array. A file that fails does
 * not stop the others. */
static int all_files(settings *s, xc_context *context, char **paths, int count)
{
	const int array = s->json && count > 1;
	int failed = 0;

	if (array)
		fputs("[\n", stdout);
	for (int i = 0; i < count; i++)
		failed |= work(s, context, paths[i]);
	if (array)
		fputs("]\n", stdout);
	return failed;
}

/* ----------------------------------------------------------------- --devices */

/* The processor, the GPUs, and what keeps one from being used. */
static void print_devices(xc_context *context, const xc_cuda_device *list, int count,
                          const char *why)
{
	printf("cpu      %s, %d thread%s\n", xc_context_cpu(context), xc_context_threads(context),
	       xc_s((unsigned)xc_context_threads(context)));
	for (int i = 0; i < count; i++) {
		const xc_cuda_device *d = &list[i];

		printf("cuda:%-3d %s, compute capability %d.%d, %d multiprocessors, %.1f GiB", i, d->name,
		       d->major, d->minor, d->multiprocessors, (double)d->memory / (1 << 30));
		printf("%s%s\n", d->usable ? "" : "; cannot be used: ", d->reason);
	}
	if (!count)
		printf("cuda     none: %s\n", why);
}

static void print_devices_json(xc_context *context, const xc_cuda_device *list, int count,
                               const char *why)
{
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_object(&json, NULL);
	xc_cli_json_inline_object(&json, "cpu");
	xc_cli_json_text(&json, "level", xc_context_cpu(context));
	xc_cli_json_integer(&json, "threads", (uint64_t)xc_context_threads(context));
	xc_cli_json_end_object(&json);
	xc_cli_json_array(&json, "cuda");
	for (int i = 0; i < count; i++) {
		const xc_cuda_device *d = &list[i];

		xc_cli_json_inline_object(&json, NULL);
		xc_cli_json_integer(&json, "index", (uint64_t)d->index);
		xc_cli_json_text(&json, "name", d->name);
		xc_cli_json_integer(&json, "compute_capability", (uint64_t)(d->major * 10 + d->minor));
		xc_cli_json_integer(&json, "multiprocessors", (uint64_t)d->multiprocessors);
		xc_cli_json_integer(&json, "memory", d->memory);
		xc_cli_json_boolean(&json, "usable", d->usable);
		xc_cli_json_text(&json, "reason", d->reason);
		xc_cli_json_end_object(&json);
	}
	xc_cli_json_end_array(&json);
	if (!count)
		xc_cli_json_text(&json, "reason", why);
	xc_cli_json_end_object(&json);
}

/* To have no GPU is an answer, not a failure. */
static int list_devices(xc_context *context, int json)
{
	xc_cuda_device *list = NULL;
	char why[256];
	int count = 0;
	xc_status status = xc_cuda_devices(context, NULL, 0, &count);

	if (!status && count) {
		list = calloc((size_t)count, sizeof *list);
		if (!list)
			return xc_cli_error("info", "out of memory");
		status = xc_cuda_devices(context, list, count, &count);
	}
	snprintf(why, sizeof why, "%s", status ? xc_context_message(context) : "no GPU");
	(json ? print_devices_json : print_devices)(context, list, status ? 0 : count, why);
	free(list);
	return 0;
}

static int run(const xc_cli_command *self, int argc, char **argv)
{
	settings s = {0};
	const xc_cli_group groups[] = {{"Options", xc_cli_json_options, &s.json},
	                               {NULL, options, &s},
	                               {"Resources", xc_cli_limit_options, &s.limits},
	                               {NULL, NULL, NULL}};
	int operands, status;

	xc_cli_limits_default(&s.limits);
	status = xc_cli_parse(self, groups, argc, argv, &operands);
	if (status >= 0)
		return status;
	if (s.devices ? operands : !operands)
		return xc_cli_misuse(self,
		                     s.devices ? "--devices takes no file" : "too few arguments, wants IN");
	xc_context *context = xc_cli_context(&s.limits);
	if (context)
		status = s.devices ? list_devices(context, s.json)
		                   : all_files(&s, context, argv + 1, operands);
	xc_context_free(context);
	return status ? XC_CLI_FAILED : XC_CLI_DONE;
}

const xc_cli_command xc_cli_info = {
	.name = "info",
	.operands = "IN... | --devices",
	.min_operands = 0,
	.max_operands = -1,
	.summary = "describe an XC file and where its bits went",
	.description = "Says everything about each XC file IN: picture, coding, quantization steps, "
				   "segments, metadata, and what the bytes were spent on. \"-\" is standard "
				   "input.",
	.run = run,
};
