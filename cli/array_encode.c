/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * xcodec encode: a file of an array to an XC file. Values pass through by the slab; a bound by the
 * range reads them twice, with one in dB the writer has all of them in memory.
 */
#include "cli/array.h"

#include "cli/base/report.h"
#include "cli/stream/spread.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- options */

const char *xc_cli_array_parse_number(const char *text, void *to)
{
	double *number = to;
	char *end;

	*number = strtod(text, &end);
	return end == text || *end || strpbrk(text, " \t\nxX") ? "a number" : NULL;
}

const char *xc_cli_array_parse_bound(const char *text, void *to)
{
	double *bound = to;

	return xc_cli_array_parse_number(text, bound) || !(*bound >= 0 && *bound <= DBL_MAX)
	           ? "a number from 0 on, such as 0.5 or 1e-3"
	           : NULL;
}

static const char *take(xc_cli_array_encoder *e, xc_array_bound kind, const char *name,
                        const char *text)
{
	e->excluded = e->bound && strcmp(e->bound, name) ? e->bound : e->excluded;
	e->bound = name;
	e->options.kind = kind;
	return xc_cli_array_parse_bound(text, &e->options.bound);
}

static const char *parse_relative(const char *text, void *to)
{
	return take(to, XC_BOUND_RELATIVE, "relative-error", text);
}

static const char *parse_pointwise(const char *text, void *to)
{
	return take(to, XC_BOUND_POINTWISE, "pointwise-error", text);
}

static const char *parse_snr(const char *text, void *to)
{
	return take(to, XC_BOUND_SNR, "target-snr", text);
}

static const char *parse_fill(const char *text, void *to)
{
	xc_cli_array_encoder *e = to;

	e->other = "fill";
	e->options.has_fill = 1;
	return xc_cli_array_parse_number(text, &e->options.fill);
}

/* "64x128x128", of which the first may be missing. */
static const char *parse_chunk(const char *text, void *to)
{
	xc_cli_array_encoder *e = to;
	unsigned size[3] = {0, 0, 0};
	int n = 0, at = 0, length;

	e->other = "chunk";
	while (n < 3 && text[at] >= '0' && text[at] <= '9' &&
	       sscanf(text + at, "%5u%n", &size[n], &length) == 1 && size[n] >= 1 && size[n] <= 65536) {
		n++;
		at += length;
		if (text[at] != 'x')
			break;
		at++;
	}
	if (!n || text[at] || text[at - 1] == 'x')
		return "up to three sizes from 1 to 65536, such as 16x128x128";
	for (int i = 0; i < 3; i++)
		e->options.chunk[i] = i < 3 - n ? 0 : size[i - (3 - n)];
	return NULL;
}

/* clang-format off */
const xc_cli_option xc_cli_array_encode_options[] = {
	XC_CLI_CUSTOM_OPTION("relative-error", 0, 0, parse_relative, "R",
		"no value is off by more than R times the range, the largest value less the smallest"),
	XC_CLI_CUSTOM_OPTION("pointwise-error", 0, 0, parse_pointwise, "P",
		"no value is off by more than P times itself"),
	XC_CLI_CUSTOM_OPTION("target-snr", 0, 0, parse_snr, "DB",
		"a file with this ratio of the values' root mean square to that of their errors"),
	XC_CLI_CUSTOM_OPTION("fill", 0, 0, parse_fill, "V",
		"this value stands for none: it is kept exactly, and not part of the range"),
	XC_CLI_CUSTOM_OPTION("chunk", 0, 0, parse_chunk, "ZxYxX",
		"what is coded, and can be decoded, on its own; default: as suits the shape"),
	{ .name = NULL }
};

const xc_cli_option xc_cli_array_raw_options[] = {
	XC_CLI_TEXT_OPTION("raw", 0, 0, "SPEC",
		"a file of no known format holds values: type, sizes with the slowest first, byte order, bytes "
		"before them, as f32,512x512x300,little+128"),
	{ .name = NULL }
};
/* clang-format on */

void xc_cli_array_encoder_describe(const xc_cli_array_encoder *e, int taken, char *text,
                                   size_t room)
{
	const xc_array_options *o = &e->options;

	const int own = o->kind == XC_BOUND_ABSOLUTE &&
	                (o->bound > 4095 || o->bound != floor(o->bound));

	*text = '\0';
	/* Only where a job of pictures has no such options, so that manifests of before hold. */
	if (taken || own)
		snprintf(text, room, " array %d %.17g fill %.17g chunk %ux%ux%u raw %.64s%s", (int)o->kind,
		         o->bound, o->has_fill ? o->fill : NAN, o->chunk[0], o->chunk[1], o->chunk[2],
		         e->raw ? e->raw : "-",
		         o->way == XC_ARRAY_PREDICTION ? "" : xc_cli_array_way_name(o->way));
}

/* ------------------------------------------------------------------ encoding */

enum { PIECE = 1 << 17 }; /* values that are read at a time */

typedef struct job {
	const xc_cli_batch *batch;
	xc_cli_task *task;
	xc_context *context;
	xc_cli_array_file file;
	xc_array_options options;
	int strip;
	xc_array_writer *writer;
	xc_cli_stages stages;
} job;

static int check(const job *j, xc_status status)
{
	/* A failure to write was reported before. */
	return j->task->out->failed ? -1 : xc_cli_check(j->task->in->name, j->context, status);
}

static uint64_t piece_of(uint64_t left)
{
	return left < PIECE ? left : PIECE;
}

#define LOOK(own) \
	static void look_##own(xc_array_options *o, const void *values, uint64_t count) \
	{ \
		const own *v = values; \
		const double given = o->has_fill ? o->fill : NAN; \
		const double fill = sizeof(own) == 4 && (own)0.5 ? (double)(float)given : given; \
		for (uint64_t i = 0; i < count; i++) { \
			const double x = (double)v[i]; \
			if (!(fabs(x) <= DBL_MAX) || x == fill) \
				continue; \
			if (o->low > o->high) \
				o->low = o->high = x; \
			o->low = x < o->low ? x : o->low; \
			o->high = x > o->high ? x : o->high; \
		} \
	}
LOOK(float)
LOOK(double)
LOOK(int8_t)
LOOK(int16_t)
LOOK(int32_t)
LOOK(uint8_t)
LOOK(uint16_t)
LOOK(uint32_t)

/* Finds the range of all values, of which `piece` has room for some. */
static int find_range(job *j, void *piece)
{
	static void (*const look[XC_ARRAY_TYPES])(xc_array_options *, const void *,
	                                          uint64_t) = {look_float,    look_double,
	                                                       look_int8_t,   look_int16_t,
	                                                       look_int32_t,  look_uint8_t,
	                                                       look_uint16_t, look_uint32_t};
	const xc_array_input *in = j->file.input;

	j->options.low = 1;
	j->options.high = 0;
	j->options.has_range = 1;
	for (uint64_t left = in->values; left; left -= piece_of(left)) {
		if (xc_cli_array_next(&j->file, piece, piece_of(left)))
			return -1;
		look[in->shape.type](&j->options, piece, piece_of(left));
	}
	if (j->options.low > j->options.high)
		j->options.low = j->options.high = 0;
	xc_cli_stages_end(&j->stages, "read range");
	return xc_cli_array_rewind(&j->file);
}

static int attach(job *j)
{
	char name[5];
	const void *bytes;
	size_t size;

	for (;;) {
		if (xc_cli_array_attached(&j->file, name, &bytes, &size))
			return -1;
		if (!size)
			return 0;
		if (!j->strip && check(j, xc_array_writer_attach(j->writer, name, bytes, size)))
			return -1;
	}
}

/* piece: room for some values. */
static int write_array(job *j, void *piece)
{
	xc_array_input *in = j->file.input;

	if (check(j, xc_array_writer_new(j->context, &in->shape, &j->options, xc_cli_output_write,
	                                 j->task->out, &j->writer)) ||
	    attach(j))
		return -1;
	for (uint64_t left = in->values; left; left -= piece_of(left)) {
		if (xc_cli_array_next(&j->file, piece, piece_of(left)))
			return -1;
		xc_cli_stages_end(&j->stages, "read array");
		if (check(j, xc_array_writer_values(j->writer, piece, piece_of(left))))
			return -1;
		xc_cli_stages_end_call(&j->stages);
	}
	const int failed = attach(j) ? -1 : check(j, xc_array_writer_end(j->writer));
	if (!failed && xc_array_writer_predicted(j->writer))
		xc_cli_warning(j->task->in->name,
		               "predicted, not transformed: the bound is one by the value or too small");
	return failed;
}

/* A bound is one of stored values, which a NIfTI file may scale. */
static void tell_slope(const job *j)
{
	const xc_array_input *in = j->file.input;
	const xc_array_bound kind = j->options.kind;
	const int absolute = kind == XC_BOUND_ABSOLUTE && fabs(in->slope) != 1;
	const int by_value = (kind == XC_BOUND_POINTWISE || kind == XC_BOUND_SNR) && in->intercept != 0;

	if (absolute)
		xc_cli_warning(j->task->in->name,
		               "the bound is one of stored values: those that the file means may be off by "
		               "%.9g, as its slope is %.9g",
		               j->options.bound * fabs(in->slope), in->slope);
	else if (by_value)
		xc_cli_warning(j->task->in->name,
		               "the bound is one by stored values, not by those that the file means: its "
		               "intercept is %.9g",
		               in->intercept);
}

/* Whether a type has the value. */
static int has_value(xc_array_type type, double value)
{
	static const double ranges[XC_ARRAY_TYPES][2] = {[XC_ARRAY_INT8] = {-128, 127},
	                                                 [XC_ARRAY_INT16] = {-32768, 32767},
	                                                 [XC_ARRAY_INT32] = {-0x1p31, 0x1p31 - 1},
	                                                 [XC_ARRAY_UINT8] = {0, 255},
	                                                 [XC_ARRAY_UINT16] = {0, 65535},
	                                                 [XC_ARRAY_UINT32] = {0, 0x1p32 - 1}};

	return type == XC_ARRAY_FLOAT32 || type == XC_ARRAY_FLOAT64 || isnan(value) ||
	       (value >= ranges[type][0] && value <= ranges[type][1] && value == floor(value));
}

static int encode(job *j)
{
	xc_array_input *in = j->file.input;
	const uint64_t bytes = piece_of(in->values) * xc_array_type_size(in->shape.type);
	void *values = xc_cli_array_memory(j->task->in->name, j->context, bytes);
	int failed = values ? 0 : -1;

	tell_slope(j);
	if (!has_value(in->shape.type, j->options.fill))
		xc_cli_warning(j->task->in->name, "--fill %g is no %s, so no value is one", j->options.fill,
		               xc_array_type_name(in->shape.type));
	if (j->file.reader && j->file.info.kind != XC_BOUND_LOSSLESS &&
	    j->options.kind != XC_BOUND_LOSSLESS)
		xc_cli_warning(j->task->in->name, "has a bound already: errors add up");
	if (!j->options.has_fill && in->has_fill) {
		j->options.fill = in->fill;
		j->options.has_fill = 1;
	}
	if (!failed && j->options.kind == XC_BOUND_RELATIVE)
		failed = find_range(j, values);
	failed = failed ? failed : write_array(j, values);
	xc_array_writer_free(j->writer);
	if (!failed && !j->strip)
		xc_cli_array_warn(&j->file);
	xc_cli_forget(j->context, values, (size_t)bytes);
	return failed;
}

/* ------------------------------------------------------------------- telling */

static int print_json(const job *j)
{
	const xc_array_shape *shape = &j->file.input->shape;
	xc_cli_summary summary;
	xc_cli_json *json = &summary.json;

	if (xc_cli_summary_begin(&summary, j->task->in->name, j->task->out->path, "array"))
		return -1;
	xc_cli_array_put(json, shape);
	xc_cli_json_integer(json, "bytes", j->task->out->written);
	xc_cli_json_number(json, "ratio",
	                   (double)xc_cli_array_bytes(shape) / (double)j->task->out->written);
	xc_cli_json_text(json, "bound_kind", xc_cli_array_bound_name(j->options.kind));
	xc_cli_json_number(json, "bound", j->options.bound);
	xc_cli_summary_stages(json, &j->stages);
	j->task->told = xc_cli_summary_end(&summary);
	return j->task->told ? 0 : -1;
}

static int tell(job *j)
{
	const xc_array_input *in = j->file.input;
	char shape[XC_CLI_ARRAY_SHAPE], bound[XC_CLI_ARRAY_BOUND], name[XC_CLI_SHOWN];

	j->task->pixels = in->values;
	j->task->loss = j->options.kind == XC_BOUND_LOSSLESS ? XC_CLI_EXACT : XC_CLI_LOSSY;
	if (!xc_cli_batch_tells(j->batch))
		return 0;
	xc_cli_stages_end_library(&j->stages, j->context);
	if (j->task->use)
		xc_cli_time_use_add(j->task->use, &j->stages);
	if (j->batch->verbosity == XC_CLI_VERBOSE) {
		const double raw = (double)xc_cli_array_bytes(&in->shape);
		xc_cli_array_describe(&in->shape, shape);
		xc_cli_array_bound(j->options.kind, j->options.bound, bound);
		xc_cli_escape(name, sizeof name, xc_cli_output_name(j->task->out->path));
		xc_cli_say(
			"%s: %s, of %s%s%s\n  %.0f bytes raw, %.0f bytes coded, ratio %.2f\n  bound: %s\n",
			name, shape, in->format, *in->detail ? ", " : "", in->detail, raw,
			(double)j->task->out->written, raw / (double)j->task->out->written, bound);
		if (j->task->out->dropped)
			xc_cli_say("  larger than the array's file, which is kept\n");
		if (!xc_cli_batch_is_stream(j->batch))
			xc_cli_stages_print(&j->stages);
	}
	return j->batch->json ? print_json(j) : 0;
}

int xc_cli_array_encode(const xc_cli_array_encoder *e, int strip, const xc_cli_batch *batch,
                        xc_cli_task *task)
{
	job j = {.batch = batch,
	         .task = task,
	         .context = task->context,
	         .options = e->options,
	         .strip = strip};

	xc_cli_stages_start(&j.stages, xc_cli_batch_tells(batch));
	xc_cli_array_leave_gpu(task->in->name, batch->limits->device, batch->verbosity == XC_CLI_QUIET);
	if (task->lossless) {
		j.options.kind = XC_BOUND_LOSSLESS;
		j.options.way = XC_ARRAY_PREDICTION;
	}
	int failed = xc_cli_array_open(&j.file, task->in, j.context, e->format, e->raw,
	                               j.options.kind == XC_BOUND_RELATIVE);
	failed = failed ? -1 : encode(&j) ? -1 : 0;
	xc_cli_stages_end_call(&j.stages);
	if (xc_cli_output_end(task->out, !failed))
		failed = -1;
	xc_cli_stages_end(&j.stages, "write file");
	if (!failed && tell(&j))
		failed = -1;
	xc_cli_array_close(&j.file);
	return failed;
}
