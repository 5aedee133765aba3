/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/run/original.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/io.h"
#include "cli/base/range.h"
#include "cli/base/report.h"

/* Copies the picture without its alpha, into memory that the caller frees with the context. */
static xc_status copy_opaque(xc_context *context, const xc_picture *from, xc_picture *to)
{
	*to = (xc_picture){from->width, from->height, from->channels - 1, from->depth, 0, NULL};
	const xc_status status = xc_picture_allocate(context, to);
	const size_t pixel = from->channels * (size_t)from->depth / 8;
	const size_t kept = (from->channels - 1) * (size_t)from->depth / 8;
	for (uint32_t y = 0; !status && y < from->height; y++) {
		const uint8_t *row = (const uint8_t *)from->data + y * from->stride;
		uint8_t *opaque = (uint8_t *)to->data + y * to->stride;
		for (uint32_t x = 0; x < from->width; x++)
			memcpy(opaque + x * kept, row + x * pixel, kept);
	}
	return status;
}

static int write_opaque(const xc_sweep_original *o, const xc_picture *p, xc_file_format format,
                        const char *path)
{
	char message[XC_FILE_MESSAGE] = "";
	uint8_t *data;
	size_t size;
	const xc_status status = xc_file_write(format, p, NULL, -1, NULL, &data, &size, message);
	if (status)
		return xc_cli_status_error(o->name, status, message);
	const int failed = xc_cli_write(path, 0, data, size);
	free(data);
	return failed;
}

/* Writes the file unless it is there; *path becomes its name. */
static int provide(xc_sweep_original *o, xc_file_format format, const char *folder, size_t number)
{
	char **path = format == XC_FILE_PNG ? &o->png : &o->pnm;
	const size_t room = strlen(folder) + 32;
	const int has_alpha = o->picture.channels % 2 == 0;
	xc_picture opaque = {.data = NULL};
	if (*path)
		return 0;
	*path = malloc(room);
	if (!*path)
		return xc_cli_error(o->name, "out of memory");
	snprintf(*path, room, "%s/%zu.%s", folder, number, xc_file_format_name(format));
	if (has_alpha &&
	    xc_cli_check(o->name, o->context, copy_opaque(o->context, &o->picture, &opaque)))
		return -1;
	const int failed = write_opaque(o, has_alpha ? &opaque : &o->picture, format, *path);
	xc_picture_free(o->context, &opaque);
	return failed;
}

int xc_sweep_original_read(xc_sweep_original *original, const char *path,
                           const xc_cli_limits *limits, const xc_sweep_setups *setups, int peak,
                           const char *folder, size_t number)
{
	*original = (xc_sweep_original){.name = xc_cli_input_name(path)};
	original->context = xc_cli_context(limits);
	const xc_cli_reader reader = {.context = original->context,
	                              .limits = limits,
	                              .pixels_alone = 1};
	if (original->context)
		xc_cli_limit_memory(original->context, limits, xc_cli_sizes(&path, 1), 2);
	if (!original->context || xc_cli_picture_read(&reader, path, XC_FILE_UNKNOWN, &original->read))
		return -1;
	original->picture = original->read.picture;
	original->peak = xc_cli_peak_of(peak, &original->picture, &original->read.metadata);
	original->bytes = original->read.file_bytes;
	original->checksum = original->read.checksum;
	int failed = 0;
	for (size_t i = 0; i < setups->count && !failed; i++) {
		const xc_sweep_setup *s = &setups->setup[i];
		if (s->is_foreign)
			failed = provide(original, xc_sweep_foreign_input(&s->foreign, &original->picture),
			                 folder, number);
	}
	return failed;
}

static void forget(char **path)
{
	if (*path)
		remove(*path);
	free(*path);
	*path = NULL;
}

void xc_sweep_original_free(xc_sweep_original *original)
{
	forget(&original->pnm);
	forget(&original->png);
	if (original->context)
		xc_cli_picture_free(original->context, &original->read);
	xc_context_free(original->context);
	original->context = NULL;
	original->picture.data = NULL;
}
