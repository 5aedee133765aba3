/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec info --devices: the processor and the GPUs, as text and as JSON. */
#include "cli/devices.h"

#include "cli/base/json.h"
#include "cli/base/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <xcodec_cuda.h>

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
int xc_cli_list_devices(xc_context *context, int json)
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
