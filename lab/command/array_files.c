/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays from and to files. */
#include "lab/command/arrays.h"

#include "cli/base/array.h"
#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { PIECE = 512 }; /* values at a time */

xc_file_format xc_cli_arrays_format(const char *path)
{
	xc_file_format format = xc_file_format_by_path(path);

	return xc_cli_arrays_is_picture(format) ? format : XC_FILE_UNKNOWN;
}

int xc_cli_arrays_is_picture(xc_file_format format)
{
	const xc_format *f = xc_format_of(format);

	return (f->writer || f->unwritten) && !f->lossy;
}

int xc_cli_arrays_refused(const char *path)
{
	return !xc_array_file_is_written(path) &&
	       (xc_file_foreign_name(path) ||
	        xc_file_format_by_path(path) != xc_cli_arrays_format(path));
}

static int read_text(const char *name, const void *data, size_t size, const xc_cli_limits *limits,
                     int precision, xc_cli_arrays *arrays)
{
	xc_data_reader reader;
	xc_data_set set;
	int found;

	xc_data_reader_start(&reader, data, size);
	for (;;) {
		const uint64_t left = xc_cli_memory_left(limits, arrays->held);

		reader.max = left < SIZE_MAX ? (size_t)left : SIZE_MAX;
		found = xc_data_read(&reader, precision, &set);
		if (found < 0)
			return xc_cli_error(name, "%s", reader.message);
		if (!found)
			return 0;
		/* An empty one, which the set that was read replaces. */
		xc_data_set *last = xc_cli_arrays_add(arrays, set.kind, 0, 0, set.precision);

		if (!last) {
			xc_data_set_free(&set);
			return xc_cli_error(name, "out of memory");
		}
		xc_data_set_free(last);
		*last = set;
		arrays->held += (uint64_t)set.rows * set.cols * xc_precision_bytes(set.precision);
	}
}

/* An array of each channel of a picture. */
static int read_channels(const char *name, const xc_picture *p, const xc_cli_limits *limits,
                         xct_precision precision, xc_cli_arrays *arrays)
{
	for (uint32_t c = 0; c < p->channels; c++) {
		xc_data_set *set = xc_cli_arrays_add_channel(arrays, name, limits,
		                                             (uint64_t)p->stride * p->height, p->height,
		                                             p->width, precision);

		if (!set)
			return -1;
		if (xc_cli_array_from_picture(p, c, set))
			return xc_cli_error(name, "holds samples that do not fit in 16 bits with a sign");
	}
	return 0;
}

static double value_of(const void *values, xc_array_type type, size_t i)
{
	switch (type) {
	case XC_ARRAY_FLOAT32:
		return (double)((const float *)values)[i];
	case XC_ARRAY_FLOAT64:
		return ((const double *)values)[i];
	case XC_ARRAY_INT8:
		return ((const int8_t *)values)[i];
	case XC_ARRAY_INT16:
		return ((const int16_t *)values)[i];
	case XC_ARRAY_INT32:
		return ((const int32_t *)values)[i];
	case XC_ARRAY_UINT8:
		return ((const uint8_t *)values)[i];
	case XC_ARRAY_UINT16:
		return ((const uint16_t *)values)[i];
	case XC_ARRAY_UINT32:
		break;
	}
	return ((const uint32_t *)values)[i];
}

/* Rows follow each other, whatever dimensions they are of; a PFM of colours has three arrays. */
static int read_values(xc_cli_array_file *file, const xc_cli_limits *limits, int precision,
                       xc_cli_arrays *arrays)
{
	const xc_array_input *const in = file->input;
	const xc_array_shape *const s = &in->shape;
	const size_t channels = s->dimensions == 3 && !strcmp(in->format, "PFM") ? 3 : 1;
	const size_t cols = (size_t)s->size[s->dimensions - (channels == 3 ? 2 : 1)];
	const int wide = s->type == XC_ARRAY_FLOAT64 || s->type == XC_ARRAY_INT32 ||
	                 s->type == XC_ARRAY_UINT32;
	double piece[PIECE];

	if (!precision)
		precision = wide ? XCT_FLOAT64 : XCT_FLOAT32;
	if (in->values > SIZE_MAX / 16)
		return xc_cli_error(file->in->name, "is too large");
	for (size_t c = 0; c < channels; c++)
		if (!xc_cli_arrays_add_channel(arrays, file->in->name, limits, file->size,
		                               (size_t)in->values / channels / cols, cols,
		                               (xct_precision)precision))
			return -1;
	for (size_t i = 0, at = 0; i < (size_t)in->values; i++, at = (at + 1) % PIECE) {
		const size_t left = (size_t)in->values - i;
		if (!at && xc_cli_array_next(file, piece, left < PIECE ? left : PIECE))
			return -1;
		if (xc_cli_sample_put(&arrays->set[i % channels], i / channels,
		                      value_of(piece, s->type, at)))
			return xc_cli_error(file->in->name, "holds samples that do not fit in 16 bits");
	}
	return 0;
}

static int read_array(xc_cli_input *in, xc_context *context, const char *raw,
                      const xc_cli_limits *limits, int precision, xc_cli_arrays *arrays)
{
	xc_cli_array_file file;
	const int failed = xc_cli_array_open(&file, in, context, NULL, raw, 0) ||
	                   read_values(&file, limits, precision, arrays);

	xc_cli_array_close(&file);
	return failed ? -1 : 0;
}

static int read_picture(const char *name, const void *data, size_t size,
                        const xc_cli_limits *limits, xct_precision precision, xc_cli_arrays *arrays)
{
	char message[XC_FILE_MESSAGE] = "";
	xc_file_picture file;
	const xc_file_limits max = {.max_pixels = limits->bounds.max_pixels,
	                            .max_memory = xc_cli_memory_left(limits, size) + 1,
	                            .max_expansion = limits->bounds.max_expansion};
	xc_status status = xc_file_read(data, size, &max, NULL, &file, message);
	int failed;

	if (status != XC_OK)
		return xc_cli_status_error(name, status, message);
	arrays->depth = file.picture.depth;
	if (file.picture.channels % 2 == 0)
		failed = xc_cli_error(name, "has alpha, which is no array to transform");
	else
		failed = read_channels(name, &file.picture, limits, precision, arrays);
	xc_file_picture_free(&file);
	return failed;
}

/* A file that is taken as a whole: text, or a picture. */
static int read_whole(xc_cli_input *in, xc_context *context, const xc_cli_limits *limits,
                      int precision, xc_cli_arrays *arrays)
{
	const xc_file_format format = xc_file_format_detect(in->first, in->size);
	uint8_t *data;
	size_t size;

	if (in->size == 0)
		return xc_cli_error(in->name, "the file is empty");
	if (format == XC_FILE_XC)
		return xc_cli_error(in->name, "is an XC file; decode it first");
	if (format == XC_FILE_UNKNOWN && !xc_data_detect(in->first, in->size))
		return xc_cli_error(
			in->name, "neither a data file (!dct:N:M:precision), nor an array, nor a picture");
	if (xc_cli_input_read_all(in, context, &data, &size))
		return -1;
	arrays->held = size; /* until it is freed */
	const int failed = format == XC_FILE_UNKNOWN
	                       ? read_text(in->name, data, size, limits, precision, arrays)
	                       : read_picture(in->name, data, size, limits,
	                                      precision ? (xct_precision)precision : XCT_FLOAT32,
	                                      arrays);
	arrays->held -= size;
	xc_cli_forget(context, data, size);
	return failed;
}

int xc_cli_arrays_read(const char *path, const char *raw, const xc_cli_limits *limits,
                       int precision, xc_cli_arrays *arrays)
{
	xc_cli_input in;

	*arrays = (xc_cli_arrays){.set = NULL};
	xc_context *context = xc_cli_context(limits);
	if (!context || xc_cli_input_open(&in, path)) {
		xc_context_free(context);
		return -1;
	}
	const int text = xc_data_detect(in.first, in.size);
	const int failed = !text && xc_cli_is_array_file(&in, raw)
	                       ? read_array(&in, context, raw, limits, precision, arrays)
	                       : read_whole(&in, context, limits, precision, arrays);
	xc_cli_input_close(&in);
	xc_context_free(context);
	if (failed)
		xc_cli_arrays_free(arrays);
	return failed;
}

static int write_text(xc_cli_output *to, const xc_cli_arrays *arrays)
{
	xc_data_writer writer = {.text = NULL};
	int failed = 0;

	for (size_t i = 0; i < arrays->count && !failed; i++)
		failed = xc_data_write(&writer, &arrays->set[i]);
	if (failed)
		failed = xc_cli_error(xc_cli_output_name(to->path), "out of memory");
	else
		failed = xc_cli_output_put(to, writer.text, writer.size);
	free(writer.text);
	return failed;
}

static int check_sizes(const char *name, const xc_cli_arrays *arrays)
{
	for (size_t i = 1; i < arrays->count; i++)
		if (arrays->set[i].rows != arrays->set->rows || arrays->set[i].cols != arrays->set->cols ||
		    arrays->set[i].precision != arrays->set->precision)
			return xc_cli_error(name, "the arrays differ in size or precision");
	return 0;
}

/* A picture has one array or three, of one size. */
static int check_channels(const char *name, const xc_cli_arrays *arrays)
{
	const xc_data_set *set = arrays->set;

	if (arrays->count != 1 && arrays->count != 3)
		return xc_cli_error(name, "a picture has 1 channel or 3, but there are %zu arrays",
		                    arrays->count);
	if (set->rows > UINT32_MAX || set->cols > UINT32_MAX)
		return xc_cli_error(name, "%zu x %zu is too large for a picture", set->cols, set->rows);
	return check_sizes(name, arrays);
}

static int put_values(xc_array_output *output, const xc_cli_arrays *arrays, int interleaved,
                      xct_precision precision, char message[XC_FILE_MESSAGE])
{
	const size_t plane = arrays->set->rows * arrays->set->cols, all = plane * arrays->count;
	double piece[PIECE];
	xc_status status = XC_OK;

	for (size_t i = 0; i < all && status == XC_OK; i++) {
		const xc_data_set *const set = &arrays->set[interleaved ? i % arrays->count : i / plane];
		const size_t at = interleaved ? i / arrays->count : i % plane;
		xc_sample_put(piece, precision, i % PIECE, xc_sample_get(set->samples, set->precision, at));
		if (i % PIECE == PIECE - 1 || i + 1 == all)
			status = xc_array_output_write(output, piece, i % PIECE + 1, message);
	}
	return status == XC_OK ? xc_array_output_end(output, message) : status;
}

/* Several arrays become one more dimension, the slowest; of a PFM they are colours. */
static int write_array(xc_cli_output *to, size_t slices, const xc_cli_arrays *arrays)
{
	const xc_data_set *const set = arrays->set;
	const char *const name = xc_cli_output_name(to->path), *const dot = strrchr(to->path, '.');
	const int pfm = dot && !strcasecmp(dot, ".pfm");
	const xct_precision precision = pfm                                 ? XCT_FLOAT32
	                                : set->precision == XCT_LONG_DOUBLE ? XCT_FLOAT64
	                                                                    : set->precision;
	const xc_byte_sink sink = {xc_cli_output_write, to};
	char message[XC_FILE_MESSAGE];
	xc_array_output *output;
	const uint64_t sizes[4] = {arrays->count, slices, set->rows / slices, set->cols};
	xc_array_shape shape = {.type = precision == XCT_INT16     ? XC_ARRAY_INT16
	                                : precision == XCT_FLOAT32 ? XC_ARRAY_FLOAT32
	                                                           : XC_ARRAY_FLOAT64};

	if (check_sizes(name, arrays))
		return -1;
	for (int i = 0; i < 4; i++)
		if (i > 1 || (sizes[i] > 1 && !(pfm && i == 0)))
			shape.size[shape.dimensions++] = sizes[i];
	if (pfm && arrays->count > 1)
		shape.size[shape.dimensions++] = arrays->count;
	xc_status status = xc_array_output_new(to->path, &sink, &shape, NULL, NULL, &output, message);
	if (status == XC_OK)
		status = put_values(output, arrays, pfm, precision, message);
	xc_array_output_free(output);
	if (status != XC_OK)
		return to->failed ? -1 : xc_cli_status_error(name, status, message);
	return xc_cli_output_end(to, 1);
}

int xc_cli_write_picture(xc_cli_output *to, xc_file_format format, const xc_picture *picture,
                         const xc_metadata *metadata)
{
	char message[XC_FILE_MESSAGE] = "";
	uint8_t *data = NULL;
	size_t size = 0;
	xc_status status = XC_ERR_MEMORY;

	if (picture->data)
		status = xc_file_write(format, picture, metadata, -1, NULL, &data, &size, message);
	if (status != XC_OK)
		return xc_cli_status_error(xc_cli_output_name(to->path), status, message);
	int failed = xc_cli_output_put(to, data, size);
	free(data);
	return failed;
}

int xc_cli_arrays_write(xc_cli_output *to, uint32_t depth, int clip, size_t slices,
                        const xc_cli_arrays *arrays)
{
	const xc_data_set *set = arrays->set;
	const xc_file_format format = xc_cli_arrays_format(to->path);

	if (xc_array_file_is_written(to->path))
		return write_array(to, slices, arrays);
	if (format == XC_FILE_UNKNOWN)
		return write_text(to, arrays);
	if (check_channels(xc_cli_output_name(to->path), arrays))
		return -1;
	xc_picture p = (xc_picture){.width = (uint32_t)set->cols,
	                            .height = (uint32_t)set->rows,
	                            .channels = (uint32_t)arrays->count,
	                            .depth = depth};
	p.stride = (size_t)p.width * p.channels * (p.depth / 8);
	size_t clipped = 0;
	p.data = calloc(p.height, p.stride);
	for (uint32_t c = 0; p.data && c < p.channels; c++)
		clipped += xc_cli_array_to_picture(&set[c], c, &p);
	int failed =
		clipped && !clip
			? xc_cli_error(xc_cli_output_name(to->path),
	                       "%zu sample%s outside of 0 to %u, what %u bits hold: --clip cuts them, "
	                       "%sa PFM file holds them",
	                       clipped, xc_s(clipped), depth == 8 ? 255 : 65535, depth,
	                       depth == 8 ? "--depth 16 or " : "")
			: xc_cli_write_picture(to, format, &p, NULL);
	free(p.data);
	return failed;
}
