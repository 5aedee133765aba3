/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/array.h"

#include "cli/base/report.h"
#include "formats/formats.h"
#include "src/core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const formats[] = {"npy", "pfm", "nii", "tif", "sgy", "su", "raw"};
enum { FORMATS = sizeof formats / sizeof *formats };

void xc_cli_array_formats(xc_cli_choice *choices, int raw)
{
	while (choices->name)
		choices++;
	for (int i = 0; i < FORMATS - !raw; i++)
		*choices++ = (xc_cli_choice){formats[i], XC_FILE_FORMATS + i};
	*choices = (xc_cli_choice){NULL, 0};
}

const char *xc_cli_array_format(int choice)
{
	return choice >= XC_FILE_FORMATS ? formats[choice - XC_FILE_FORMATS] : NULL;
}

const char *xc_cli_array_raw(const xc_cli_input *in, const char *raw, int several)
{
	const xc_file_format format = xc_file_format_detect(in->first, in->size);
	const int named = !strcmp(in->name, "-") || xc_array_file_is_read(in->name, 0) ||
	                  xc_file_format_to_read(in->name) != XC_FILE_UNKNOWN;
	const int known = format != XC_FILE_UNKNOWN || xc_array_file_is(in->first, in->size, in->name);

	return several && (format == XC_FILE_XC || (named && known)) ? NULL : raw;
}

int xc_cli_is_array_file(const xc_cli_input *in, const char *raw)
{
	const xc_file_format format = xc_file_format_detect(in->first, in->size);
	const int picture = format != XC_FILE_UNKNOWN && format != XC_FILE_PFM;

	return in->size && (raw || (!picture && xc_array_file_is(in->first, in->size, in->name)));
}

/* ------------------------------------------------------------------- reading */

static ptrdiff_t read_bytes(void *user, void *to, size_t size)
{
	xc_cli_array_file *f = user;
	uint64_t all;
	ptrdiff_t got;

	if (f->memory) {
		const size_t left = f->at < f->size ? f->size - (size_t)f->at : 0;
		got = (ptrdiff_t)(size < left ? size : left);
		memcpy(to, f->memory + (left ? f->at : 0), (size_t)got);
	} else if (xc_cli_input_regular(f->in, &all)) {
		got = xc_cli_input_read_at(f->in, f->at, to, size);
	} else {
		got = xc_cli_input_read(f->in, to, size);
	}
	f->at += got > 0 ? (uint64_t)got : 0;
	return got;
}

static int seek(void *user, uint64_t to)
{
	((xc_cli_array_file *)user)->at = to;
	return 0;
}

/* NPY and raw values can be read as they come. */
static int comes_in_order(const xc_cli_input *in, const char *raw)
{
	return raw || (in->size > 6 && !memcmp(in->first, "\x93NUMPY", 6));
}

/* Takes the array of an XC file to memory. */
static int open_xc(xc_cli_array_file *f)
{
	char message[XC_FILE_MESSAGE];

	if (xc_cli_array_reader(f->in, f->context, NULL, &f->memory, &f->size, &f->reader))
		return -1;
	xc_array_reader_info(f->reader, &f->info);
	f->own = (xc_array_input){.shape = f->info.shape, .format = "XC", .slope = 1};
	f->own.values = xc_cli_array_count(&f->own.shape);
	const uint64_t bytes = xc_cli_array_bytes(&f->own.shape);
	f->values = xc_cli_array_memory(f->in->name, f->context, bytes);
	f->charged = f->values ? bytes : 0;
	if (!f->values ||
	    xc_cli_array_reader_check(f->in, f->context,
	                              xc_array_read(f->reader, NULL, 1, f->values)) ||
	    xc_cli_array_reader_check(f->in, f->context,
	                              xc_array_attached(f->reader, f->attached, &f->attached_bytes,
	                                                &f->attached_size)))
		return -1;
	f->input = &f->own;
	return xc_cli_array_check(f,
	                          xc_array_input_about(&f->own, f->attached, f->attached_bytes,
	                                               f->attached_size, message),
	                          message);
}

static int check_values(const xc_cli_array_file *f)
{
	const uint64_t max = f->context->limits.max_pixels;

	if (f->input->values <= max)
		return 0;
	xc_cli_note_failure(XC_ERR_LIMIT);
	return xc_cli_error(f->in->name, "has %llu values, more than %llu (see --max-pixels)",
	                    (unsigned long long)f->input->values, (unsigned long long)max);
}

int xc_cli_array_open(xc_cli_array_file *f, xc_cli_input *in, xc_context *context,
                      const char *format, const char *raw, int twice)
{
	char message[XC_FILE_MESSAGE];
	xc_array_source source = {.bytes = {read_bytes, f}, .size = XC_ARRAY_SIZE_UNKNOWN};

	*f = (xc_cli_array_file){.in = in, .context = context};
	const xc_file_format picture = xc_file_format_detect(in->first, in->size);
	if (format && picture != XC_FILE_UNKNOWN && picture != XC_FILE_PFM)
		return xc_cli_error(in->name, "is a %s file, not %s", xc_file_format_title(picture),
		                    xc_array_file_format(format));
	if (!raw && xc_array_is(in->first, in->size))
		return open_xc(f);
	if (xc_cli_input_regular(in, &source.size)) {
		source.seek = seek;
	} else if (twice || !comes_in_order(in, raw)) {
		if (xc_cli_input_read_all(in, context, &f->memory, &f->size))
			return -1;
		source.seek = seek;
		source.size = f->size;
	}
	if (xc_cli_array_check(f,
	                       xc_array_input_new(&source, format ? format : in->name, raw, &f->input,
	                                          message),
	                       message) ||
	    check_values(f) || xc_cli_array_charge(in->name, context, f->input->memory))
		return -1;
	f->charged = f->input->memory;
	if (format && strcmp(f->input->format, xc_array_file_format(format)))
		return xc_cli_error(in->name, "is a %s file, not %s", f->input->format,
		                    xc_array_file_format(format));
	return 0;
}

int xc_cli_array_check(const xc_cli_array_file *f, xc_status status, const char *message)
{
	if (status && f->in->error)
		return xc_cli_error(f->in->name, "cannot read: %s", strerror(f->in->error));
	if (status)
		return xc_cli_status_error(f->in->name, status, message);
	if (*message)
		xc_cli_warning(f->in->name, "%s", message);
	return 0;
}

int xc_cli_array_next(xc_cli_array_file *f, void *values, uint64_t count)
{
	char message[XC_FILE_MESSAGE];

	if (f->reader) {
		const uint64_t size = xc_array_type_size(f->own.shape.type);
		memcpy(values, f->values + f->at * size, (size_t)(count * size));
		f->at += count;
		return 0;
	}
	return xc_cli_array_check(f, xc_array_input_read(f->input, values, count, message), message);
}

int xc_cli_array_rewind(xc_cli_array_file *f)
{
	char message[XC_FILE_MESSAGE];

	if (f->reader) {
		f->at = 0;
		return 0;
	}
	return xc_cli_array_check(f, xc_array_input_rewind(f->input, message), message);
}

int xc_cli_array_attached(xc_cli_array_file *f, char name[5], const void **bytes, size_t *size)
{
	char message[XC_FILE_MESSAGE];

	if (!f->reader)
		return xc_cli_array_check(f, xc_array_input_attached(f->input, name, bytes, size, message),
		                          message);
	memcpy(name, f->attached, 5);
	*bytes = f->attached_bytes;
	*size = f->attached_size;
	f->attached_size = 0;
	if (*size)
		return 0;
	return xc_cli_array_reader_check(f->in, f->context,
	                                 xc_array_attached(f->reader, name, bytes, size));
}

void xc_cli_array_warn(const xc_cli_array_file *f)
{
	char message[XC_FILE_MESSAGE];

	if (f->reader)
		return;
	xc_array_input_end(f->input, message);
	if (*message)
		xc_cli_warning(f->in->name, "%s", message);
}

void xc_cli_array_close(xc_cli_array_file *f)
{
	if (!f->reader)
		xc_array_input_free(f->input);
	xc_array_reader_free(f->reader);
	xc_context_refund(f->context, f->charged);
	free(f->values);
	xc_cli_forget(f->context, f->memory, f->size);
	*f = (xc_cli_array_file){.input = NULL};
}

/* As of pictures without loss: a small file must not fill a disk. */
static int check_expansion(const char *name, const xc_context *context,
                           const xc_array_reader *reader)
{
	const uint64_t max = context->limits.max_expansion;
	xc_array_info info;

	xc_array_reader_info(reader, &info);
	const uint64_t count = xc_cli_array_count(&info.shape);
	if (!max || count <= XC_ANY_FILE_PIXELS || count / XC_LOSSLESS_EXPANSION / max < info.file_size)
		return 0;
	xc_cli_note_failure(XC_ERR_LIMIT);
	return xc_cli_error(name, "has %llu values in %llu bytes (see --max-expansion)",
	                    (unsigned long long)count, (unsigned long long)info.file_size);
}

int xc_cli_array_reader(xc_cli_input *in, xc_context *context, const double *instead,
                        uint8_t **memory, size_t *size, xc_array_reader **reader)
{
	xc_source source = {.user = in, .read_at = xc_cli_input_read_at};

	*memory = NULL;
	*reader = NULL;
	if (!xc_cli_input_regular(in, &source.size)) {
		if (xc_cli_input_read_all(in, context, memory, size))
			return -1;
		source = (xc_source){.memory = *memory, .size = *size};
	}
	const xc_status status = instead ? xc_array_reader_salvage(context, &source, instead, reader)
	                                 : xc_array_reader_new(context, &source, reader);
	if (xc_cli_array_reader_check(in, context, status))
		return -1;
	return check_expansion(in->name, context, *reader);
}

xc_status xc_cli_array_read_all(xc_context *context, xc_array_reader *reader)
{
	xc_array_info info;
	xc_array_box box = {.first = {0}};
	xc_status s = XC_OK;

	xc_array_reader_info(reader, &info);
	const int n = info.shape.dimensions;
	const int list = n == 4 && info.along > 0; /* else volumes are taken by the slab, too */
	for (int k = 0; k < n; k++)
		box.size[k] = info.shape.size[k];
	box.size[0] = list ? 1 : box.size[0];
	const uint64_t whole = info.shape.size[info.along];
	box.size[info.along] = info.slab < whole ? info.slab : whole;
	const uint64_t damaged = xc_array_reader_damaged(reader);
	uint64_t bytes = xc_array_type_size(info.shape.type);
	for (int k = 0; k < n; k++)
		bytes *= box.size[k];
	if (bytes > SIZE_MAX / 2 || xc_context_charge(context, bytes))
		return XC_ERR_LIMIT;
	void *values = malloc((size_t)bytes);
	s = values ? XC_OK : XC_ERR_MEMORY;
	for (uint64_t item = 0; item < (list ? info.shape.size[0] : 1); item++)
		for (uint64_t i = 0; !s && i < whole; i += info.slab) {
			box.first[0] = list ? item : 0;
			box.first[info.along] = i;
			box.size[info.along] = whole - i < info.slab ? whole - i : info.slab;
			s = xc_array_read(reader, &box, 1, values);
			if (!s && xc_array_reader_damaged(reader) > damaged) /* it is salvaged */
				s = XC_ERR_CORRUPT;
		}
	free(values);
	xc_context_refund(context, bytes);
	return s;
}

int xc_cli_array_reader_check(const xc_cli_input *in, xc_context *context, xc_status status)
{
	if (status && in->error)
		return xc_cli_error(in->name, "cannot read: %s", strerror(in->error));
	return xc_cli_check(in->name, context, status);
}

int xc_cli_array_charge(const char *name, xc_context *context, uint64_t bytes)
{
	if (bytes <= SIZE_MAX / 2 && !xc_context_charge(context, bytes))
		return 0;
	xc_cli_note_failure(XC_ERR_LIMIT);
	return xc_cli_error(name, "the array needs %llu bytes of memory (see --max-memory)",
	                    (unsigned long long)bytes);
}

void *xc_cli_array_memory(const char *name, xc_context *context, uint64_t bytes)
{
	if (xc_cli_array_charge(name, context, bytes))
		return NULL;
	void *memory = malloc((size_t)bytes);
	if (memory)
		return memory;
	xc_context_refund(context, bytes);
	xc_cli_status_error(name, XC_ERR_MEMORY, "out of memory");
	return NULL;
}

/* --------------------------------------------------------------------- words */

void xc_cli_array_leave_gpu(const char *name, const char *device, int quiet)
{
	if (device && !strncmp(device, "cuda", 4) && !quiet)
		xc_cli_warning(name, "arrays are the processor's work here, not a GPU's");
}

uint64_t xc_cli_array_count(const xc_array_shape *s)
{
	uint64_t count = 1;

	for (int i = 0; i < s->dimensions; i++)
		count *= s->size[i];
	return count;
}

void xc_cli_array_describe(const xc_array_shape *s, char text[XC_CLI_ARRAY_SHAPE])
{
	int n = snprintf(text, XC_CLI_ARRAY_SHAPE, "%s,", xc_array_type_name(s->type));

	for (int i = 0; i < s->dimensions; i++)
		n += snprintf(text + n, XC_CLI_ARRAY_SHAPE - (size_t)n, "%s %llu", i ? " x" : "",
		              (unsigned long long)s->size[i]);
}

void xc_cli_array_put(xc_cli_json *json, const xc_array_shape *s)
{
	xc_cli_json_text(json, "type", xc_array_type_name(s->type));
	xc_cli_json_inline_array(json, "shape");
	for (int i = 0; i < s->dimensions; i++)
		xc_cli_json_integer(json, NULL, s->size[i]);
	xc_cli_json_end_array(json);
}

const char *xc_cli_array_way_name(xc_array_way way)
{
	static const char *const names[] = {"prediction", "dct", "lot", "tdlt"};
	return names[way];
}

const char *xc_cli_array_bound_name(xc_array_bound kind)
{
	static const char *const names[] = {"lossless",  "absolute", "relative",
	                                    "pointwise", "PSNR",     "SNR"};

	return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

void xc_cli_array_bound(xc_array_bound kind, double bound, char text[XC_CLI_ARRAY_BOUND])
{
	if (kind == XC_BOUND_LOSSLESS)
		snprintf(text, XC_CLI_ARRAY_BOUND, "lossless");
	else
		snprintf(text, XC_CLI_ARRAY_BOUND, "%s %.9g", xc_cli_array_bound_name(kind), bound);
}
