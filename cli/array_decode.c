/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xcodec decode: an array of an XC file, or a part of it, to another file. Values pass through by
 * the slab.
 */
#include "cli/array.h"

#include "cli/base/report.h"
#include "cli/stream/spread.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <xcodec_jpeg.h>

typedef struct job {
	const xc_cli_array_decoder *decoder;
	const xc_cli_batch *batch;
	xc_cli_task *task;
	xc_context *context;
	uint8_t *memory; /* of a pipe */
	size_t size;
	xc_array_reader *reader;
	xc_array_info info;
	xc_array_box box;
	uint8_t dropped[XC_ARRAY_DIMENSIONS]; /* dimensions of which one index was asked for */
	xc_array_shape shape;                 /* of the result */
	int outside;                          /* the region has no values */
	xc_array_part part;
	xc_array_output *output;
	uint64_t charged; /* of the output */
	xc_cli_stages stages;
	char damage[XC_CLI_SHOWN]; /* the first that was met */
} job;

/* -------------------------------------------------------------------- regions */

int xc_cli_array_is_region(const char *text)
{
	return *text && text[strspn(text, "0123456789:,-.")] == '\0';
}

/* Reads a number, which counts from the end where it is below 0; *number is then below the size or at
 * it. What follows it, or `text` if there is none. */
static const char *read_index(const char *text, uint64_t size, int64_t *number)
{
	const char *const digits = text + (*text == '-'), *p = digits;
	int64_t n = 0;

	for (; *p >= '0' && *p <= '9'; p++)
		n = n < INT64_MAX / 16 ? 10 * n + (*p - '0') : n;
	if (p == digits)
		return text;
	*number = digits > text ? (int64_t)size - n : n;
	return p;
}

static int64_t clip(int64_t number, int64_t size)
{
	return number < 0 ? 0 : number < size ? number : size;
}

/* Reads "start:stop", "index" or ":" for a dimension; what follows, or NULL. Sizes are below 2^48. */
static const char *read_slice(const char *p, job *j, int k)
{
	const uint64_t size = j->info.shape.size[k];
	int64_t start = 0, stop = (int64_t)size;
	const char *end = read_index(p, size, &start);

	j->dropped[k] = *end != ':';
	if (j->dropped[k]) {
		if (end == p)
			return NULL;
		stop = start + 1;
		j->outside |= start < 0 || stop > (int64_t)size;
	} else {
		end = read_index(end + 1, size, &stop);
	}
	start = clip(start, (int64_t)size);
	stop = clip(stop, (int64_t)size);
	j->outside |= start >= stop;
	j->box.first[k] = (uint64_t)start;
	j->box.size[k] = (uint64_t)(stop - start);
	return *end == ',' || !*end ? end : NULL;
}

static int wrong_region(const job *j)
{
	char shape[XC_CLI_ARRAY_SHAPE];

	xc_cli_array_describe(&j->info.shape, shape);
	return xc_cli_error(j->task->in->name,
	                    j->outside
	                        ? "'%s' has no values in an array of %s"
	                        : "'%s' is no region of an array of %s: start:stop, an index or : for "
	                          "each dimension, ... for several",
	                    j->decoder->region, shape);
}

/* Reads slices from dimension *k on: what follows them, a dot or the end, or NULL. */
static const char *read_slices(const char *p, job *j, int *k)
{
	while (*p && *p != '.') {
		p = *k < j->info.shape.dimensions ? read_slice(p, j, *k) : NULL;
		if (!p || (*p == ',' && !*++p))
			return NULL;
		++*k;
	}
	return p;
}

/* "..." stands for the dimensions that are not named before it and after it. */
static int read_region(const char *p, job *j)
{
	int k = 0, after = 1;

	p = read_slices(p, j, &k);
	if (!p || !*p)
		return p != NULL;
	if (strncmp(p, "...", 3) || (p[3] && p[3] != ',') || (p[3] == ',' && !p[4]))
		return 0;
	p += p[3] ? 4 : 3;
	for (const char *c = p; *c; c++)
		after += *c == ',';
	after = *p ? after : 0;
	if (j->info.shape.dimensions - after < k)
		return 0;
	k = j->info.shape.dimensions - after;
	p = read_slices(p, j, &k);
	return p && !*p;
}

static int choose_box(job *j)
{
	const xc_array_shape *all = &j->info.shape;

	for (int k = 0; k < all->dimensions; k++)
		j->box.size[k] = all->size[k];
	if (j->decoder->region && (!read_region(j->decoder->region, j) || j->outside))
		return wrong_region(j);
	j->shape = (xc_array_shape){.type = all->type};
	j->part.whole = *all;
	for (int k = 0; k < all->dimensions; k++) {
		const int scaled = k >= all->dimensions - 3 && all->size[k] > 1;
		const uint64_t scale = scaled ? (uint64_t)j->decoder->scale : 1;
		j->part.first[k] = j->box.first[k];
		j->part.size[k] = j->box.size[k];
		j->part.step[k] = scale;
		if (!j->dropped[k])
			j->shape.size[j->shape.dimensions++] = (j->box.size[k] - 1) / scale + 1;
	}
	if (!j->shape.dimensions)
		j->shape.size[j->shape.dimensions++] = 1;
	return 0;
}

static const char *own_suffix(const void *start, size_t size, int part)
{
	char name[5];

	xc_array_origin(start, size, name);
	const char *suffix = xc_array_file_suffix(name);
	/* Traces are whole, and a PFM has two dimensions. */
	const int parts = suffix && (!strcmp(suffix, ".nii") || !strcmp(suffix, ".tif"));
	return suffix && (!part || parts) ? suffix : ".npy";
}

const char *xc_cli_own_suffix(const void *start, size_t size)
{
	return xc_array_is(start, size)  ? own_suffix(start, size, 0)
	       : xc_jpeg_is(start, size) ? xc_cli_as_it_was
	                                 : NULL;
}

const char *xc_cli_own_suffix_of_part(const void *start, size_t size)
{
	return xc_array_is(start, size) ? own_suffix(start, size, 1) : NULL;
}

/* -------------------------------------------------------------------- values */

/* What the writer says: 0, or -1 for a failure, which may have been reported. */
static int check_output(const job *j, xc_status status, const char *message)
{
	const char *name = xc_cli_output_name(j->task->out->path);

	if (status)
		return j->task->out->failed ? -1 : xc_cli_status_error(name, status, message);
	if (*message)
		xc_cli_warning(name, "%s", message);
	return 0;
}

static int check_reader(const job *j, xc_status status)
{
	return xc_cli_array_reader_check(j->task->in, j->context, status);
}

static xc_status next_attached(void *user, char name[5], const void **bytes, size_t *size)
{
	return xc_array_attached(((job *)user)->reader, name, bytes, size);
}

/* Decodes a part of the box and writes it. */
static int write_part(job *j, const xc_array_box *part, void *values, uint64_t count)
{
	char message[XC_FILE_MESSAGE];

	if (check_reader(j, xc_array_read(j->reader, part, (uint32_t)j->decoder->scale, values)))
		return -1;
	if (!*j->damage && xc_array_reader_damaged(j->reader))
		snprintf(j->damage, sizeof j->damage, "%s", xc_context_message(j->context));
	xc_cli_stages_end_call(&j->stages);
	const int failed = check_output(j, xc_array_output_write(j->output, values, count, message),
	                                message);
	xc_cli_stages_end(&j->stages, "write array");
	return failed;
}

/* Values of the result that a part has. */
static uint64_t count_of(const job *j, const xc_array_box *part)
{
	const xc_array_shape *s = &j->info.shape;
	uint64_t count = 1;

	for (int k = 0; k < s->dimensions; k++)
		count *= k >= s->dimensions - 3 && s->size[k] > 1
		             ? (part->size[k] - 1) / (uint64_t)j->decoder->scale + 1
		             : part->size[k];
	return count;
}

/* Sets the part that begins at `at` along a dimension and ends where a slab does, or the box. Parts
 * are multiples of the scale. */
static void cut(const job *j, int along, uint64_t high, uint64_t at, xc_array_box *part)
{
	const uint64_t end = j->box.first[along] + j->box.size[along];
	const uint64_t scale = (uint64_t)j->decoder->scale;
	const uint64_t size = (high - at % high + scale - 1) / scale * scale;

	part->first[along] = at;
	part->size[along] = size < end - at ? size : end - at;
}

static int write_volume(job *j, int along, uint64_t high, xc_array_box *part, void *values)
{
	const uint64_t end = j->box.first[along] + j->box.size[along];

	for (uint64_t at = j->box.first[along]; at < end; at += part->size[along]) {
		cut(j, along, high, at, part);
		if (write_part(j, part, values, count_of(j, part)))
			return -1;
	}
	return 0;
}

static int write_values(job *j)
{
	const int list = j->info.shape.dimensions == 4 && j->info.along > 0;
	const size_t each = xc_array_type_size(j->shape.type);
	xc_array_box part = j->box;
	const uint64_t high = j->info.slab;
	const int along = j->info.along;
	int failed = 0;

	if (list)
		part.size[0] = 1;
	/* The first part may be smaller than those that follow. */
	part.size[along] = high + (uint64_t)j->decoder->scale;
	if (part.size[along] > j->box.size[along])
		part.size[along] = j->box.size[along];
	const uint64_t bytes = count_of(j, &part) * each;
	void *values = xc_cli_array_memory(j->task->in->name, j->context, bytes);
	if (!values)
		return -1;
	for (uint64_t i = 0; i < (list ? j->box.size[0] : 1) && !failed; i++) {
		part.first[0] = list ? j->box.first[0] + i : part.first[0];
		failed = write_volume(j, along, high, &part, values);
	}
	xc_cli_forget(j->context, values, (size_t)bytes);
	return failed;
}

static int decode(job *j)
{
	const xc_byte_sink sink = {xc_cli_output_write, j->task->out};
	const xc_array_attachments attachments = {next_attached, j};
	const xc_cli_input *in = j->task->in;
	const char *name = j->decoder->name;
	char message[XC_FILE_MESSAGE];

	if (j->decoder->as_it_was)
		name = own_suffix(in->first, in->size, j->decoder->region || j->decoder->scale > 1) + 1;
	if (xc_cli_array_reader(j->task->in, j->context,
	                        j->decoder->keep_going ? &j->decoder->instead : NULL, &j->memory,
	                        &j->size, &j->reader))
		return -1;
	xc_array_reader_info(j->reader, &j->info);
	xc_cli_stages_end_call(&j->stages);
	if (choose_box(j) || check_output(j,
	                                  xc_array_output_new(name, &sink, &j->shape, &j->part,
	                                                      &attachments, &j->output, message),
	                                  message))
		return -1;
	const uint64_t memory = xc_array_output_memory(j->output);
	if (xc_cli_array_charge(j->task->in->name, j->context, memory))
		return -1;
	j->charged = memory;
	if (write_values(j))
		return -1;
	return check_output(j, xc_array_output_end(j->output, message), message);
}

/* ------------------------------------------------------------------- telling */

static int print_json(const job *j)
{
	xc_cli_summary summary;
	xc_cli_json *json = &summary.json;

	if (xc_cli_summary_begin(&summary, j->task->in->name, j->task->out->path, "array"))
		return -1;
	xc_cli_array_put(json, &j->shape);
	xc_cli_json_integer(json, "bytes", j->info.file_size);
	xc_cli_json_integer(json, "output_bytes", j->task->out->written);
	xc_cli_json_integer(json, "damaged_segments", xc_array_reader_damaged(j->reader));
	xc_cli_summary_stages(json, &j->stages);
	j->task->told = xc_cli_summary_end(&summary);
	return j->task->told ? 0 : -1;
}

/* 0 or XC_CLI_DAMAGED, after saying so. */
static int tell_damage(const job *j)
{
	const uint64_t damaged = xc_array_reader_damaged(j->reader);
	char value[32] = "0";

	if (!damaged)
		return 0;
	if (!isnan(j->decoder->instead) || j->shape.type <= XC_ARRAY_FLOAT64)
		snprintf(value, sizeof value, "%.9g", j->decoder->instead);
	xc_cli_warning(j->task->in->name, "%llu of %llu chunk%s damaged and left %s: %s",
	               (unsigned long long)damaged, (unsigned long long)j->info.chunks,
	               xc_s(j->info.chunks), value, j->damage);
	return XC_CLI_DAMAGED;
}

static int tell(job *j)
{
	char shape[XC_CLI_ARRAY_SHAPE], name[XC_CLI_SHOWN];

	j->task->pixels = xc_cli_array_count(&j->shape);
	if (!xc_cli_batch_tells(j->batch))
		return 0;
	xc_cli_stages_end_library(&j->stages, j->context);
	if (j->task->use)
		xc_cli_time_use_add(j->task->use, &j->stages);
	if (j->batch->verbosity == XC_CLI_VERBOSE) {
		xc_cli_array_describe(&j->shape, shape);
		xc_cli_escape(name, sizeof name, j->task->in->name);
		xc_cli_say("%s: %s\n  %llu bytes coded, %llu bytes written\n", name, shape,
		           (unsigned long long)j->info.file_size,
		           (unsigned long long)j->task->out->written);
		if (!xc_cli_batch_is_stream(j->batch))
			xc_cli_stages_print(&j->stages);
	}
	return j->batch->json ? print_json(j) : 0;
}

int xc_cli_array_decode(const xc_cli_array_decoder *decoder, const xc_cli_batch *batch,
                        xc_cli_task *task)
{
	job j = {.decoder = decoder, .batch = batch, .task = task, .context = task->context};

	xc_cli_stages_start(&j.stages, xc_cli_batch_tells(batch));
	xc_cli_array_leave_gpu(task->in->name, batch->limits->device, batch->verbosity == XC_CLI_QUIET);
	int failed = decode(&j);
	if (xc_cli_output_end(task->out, !failed))
		failed = -1;
	xc_cli_stages_end(&j.stages, "write array");
	if (!failed && tell(&j))
		failed = -1;
	failed = failed ? -1 : tell_damage(&j);
	xc_array_output_free(j.output);
	xc_context_refund(j.context, j.charged);
	xc_array_reader_free(j.reader);
	xc_cli_forget(j.context, j.memory, j.size);
	return failed;
}
