/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays from and to files. */
#include "lab/command/arrays.h"

#include "cli/base/io.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"

#include <stdlib.h>
#include <string.h>

xc_file_format xc_cli_arrays_format(const char *path)
{
	xc_file_format format = xc_file_format_by_path(path);

	return xc_cli_arrays_is_picture(format) || format == XC_FILE_PFM ? format : XC_FILE_UNKNOWN;
}

int xc_cli_arrays_is_picture(xc_file_format format)
{
	const xc_format *f = xc_format_of(format);

	return (f->writer || f->unwritten) && !f->lossy;
}

int xc_cli_arrays_refused(const char *path)
{
	const xc_file_format format = xc_file_format_by_path(path);

	return xc_file_foreign_name(path) ||
	       (format != XC_FILE_UNKNOWN && xc_cli_arrays_format(path) == XC_FILE_UNKNOWN);
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
			return xc_cli_error(name, "holds samples that do not fit in 16 bits%s",
			                    p->depth == XC_CLI_DEPTH_FLOAT ? "" : " with a sign");
	}
	return 0;
}

static int read_pfm(const char *name, const void *data, size_t size, const xc_cli_limits *limits,
                    xct_precision precision, xc_cli_arrays *arrays)
{
	char message[XC_FILE_MESSAGE] = "";
	xc_float_picture file = {.data = NULL};
	xc_status status = xc_pfm_read(data, size, &file, message);
	const xc_picture p = {.width = file.width,
	                      .height = file.height,
	                      .channels = file.channels,
	                      .depth = XC_CLI_DEPTH_FLOAT,
	                      .stride = (size_t)file.width * file.channels * sizeof *file.data,
	                      .data = file.data};

	if (status != XC_OK)
		return xc_cli_status_error(name, status, message);
	int failed = read_channels(name, &p, limits, precision, arrays);
	free(file.data);
	return failed;
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

static int probe(const char *name, const uint8_t *start, size_t size)
{
	xc_file_format format = xc_file_format_detect(start, size);

	if (size == 0)
		return xc_cli_error(name, "the file is empty");
	if (format == XC_FILE_XC)
		return xc_cli_error(name, "is an XC file; decode it first");
	if (format == XC_FILE_UNKNOWN && !xc_data_detect(start, size))
		return xc_cli_error(name,
		                    "neither a data file (!dct:N:M:precision), nor PFM, nor a picture");
	return 0;
}

int xc_cli_arrays_read(const char *path, const xc_cli_limits *limits, int precision,
                       xc_cli_arrays *arrays)
{
	const char *name = xc_cli_input_name(path);
	const xct_precision bits = precision ? (xct_precision)precision : XCT_FLOAT32;
	uint8_t *data;
	size_t size;
	int failed;

	*arrays = (xc_cli_arrays){.set = NULL};
	xc_context *context = xc_cli_context(limits);
	if (!context || xc_cli_read(path, context, probe, &data, &size)) {
		xc_context_free(context);
		return -1;
	}
	arrays->held = size; /* until it is freed */
	arrays->format = xc_file_format_detect(data, size);
	if (arrays->format == XC_FILE_UNKNOWN)
		failed = read_text(name, data, size, limits, precision, arrays);
	else if (arrays->format == XC_FILE_PFM)
		failed = read_pfm(name, data, size, limits, bits, arrays);
	else
		failed = read_picture(name, data, size, limits, bits, arrays);
	arrays->held -= size;
	xc_cli_forget(context, data, size);
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

/* A picture has one array or three, of one size. */
static int check_channels(const char *name, const xc_cli_arrays *arrays)
{
	const xc_data_set *set = arrays->set;

	if (arrays->count != 1 && arrays->count != 3)
		return xc_cli_error(name, "a picture has 1 channel or 3, but there are %zu arrays",
		                    arrays->count);
	for (size_t i = 1; i < arrays->count; i++)
		if (set[i].rows != set->rows || set[i].cols != set->cols)
			return xc_cli_error(name, "the arrays differ in size, so they make no picture");
	if (set->rows > UINT32_MAX || set->cols > UINT32_MAX)
		return xc_cli_error(name, "%zu x %zu is too large for a picture", set->cols, set->rows);
	return 0;
}

int xc_cli_write_picture(xc_cli_output *to, xc_file_format format, const xc_picture *picture,
                         const xc_metadata *metadata)
{
	char message[XC_FILE_MESSAGE] = "";
	uint8_t *data = NULL;
	size_t size = 0;
	xc_status status = XC_ERR_MEMORY;

	if (picture->data && format == XC_FILE_PFM) {
		const xc_float_picture p = {picture->width, picture->height, picture->channels,
		                            picture->data};

		status = xc_pfm_write(&p, &data, &size, message);
	} else if (picture->data) {
		status = xc_file_write(format, picture, metadata, -1, NULL, &data, &size, message);
	}
	if (status != XC_OK)
		return xc_cli_status_error(xc_cli_output_name(to->path), status, message);
	int failed = xc_cli_output_put(to, data, size);
	free(data);
	return failed;
}

int xc_cli_arrays_write(xc_cli_output *to, xc_file_format format, uint32_t depth, int clip,
                        const xc_cli_arrays *arrays)
{
	const xc_data_set *set = arrays->set;

	if (format == XC_FILE_UNKNOWN)
		return write_text(to, arrays);
	if (check_channels(xc_cli_output_name(to->path), arrays))
		return -1;
	xc_picture p = (xc_picture){.width = (uint32_t)set->cols,
	                            .height = (uint32_t)set->rows,
	                            .channels = (uint32_t)arrays->count,
	                            .depth = format == XC_FILE_PFM ? XC_CLI_DEPTH_FLOAT : depth};
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
