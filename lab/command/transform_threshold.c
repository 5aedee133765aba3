/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compression of a whole picture by dropping small coefficients (Jiang, Gu, Pan,
 * "A New Acceleration Paradigm for Discrete Cosine Transform and Other
 * Fourier-Related Transforms", algorithm 3 and equation 20), or high frequencies (Ye, Shi, figure 2).
 * What is kept can be a file: an array of channels x rows x columns in which 0 stands for no value, with an
 * attachment "dct2", the bits of a sample of the picture in a byte.
 */
#include "lab/command/common.h"

#include "lab/command/arrays.h"
#include "cli/base/array.h"
#include "cli/base/io.h"
#include "cli/base/json.h"
#include "cli/base/picture.h"
#include "cli/base/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct result {
	double epsilon;
	size_t kept, total, bytes; /* bytes: of a file of coefficients, or 0 */
	xc_comparison comparison;
} result;

static float magnitude(const xc_data_set *set, size_t i)
{
	return (float)fabs((double)xc_sample_get(set->samples, set->precision, i));
}

/* Counts the magnitudes by their upper 16 bits or, of those whose upper half is `upper`, by their
 * lower 16 bits. */
static void count_halves(const xc_cli_arrays *arrays, int lower, uint32_t upper, size_t *count)
{
	memset(count, 0, 65536 * sizeof *count);
	for (size_t a = 0; a < arrays->count; a++)
		for (size_t i = 0; i < arrays->set[a].rows * arrays->set[a].cols; i++) {
			const float value = magnitude(&arrays->set[a], i);
			uint32_t bits;

			memcpy(&bits, &value, sizeof bits);
			if (!lower)
				count[bits >> 16]++;
			else if (bits >> 16 == upper)
				count[bits & 65535]++;
		}
}

/* The value where the sum of counts from the top reaches k; k becomes the rest. */
static uint32_t find_from_top(const size_t *count, size_t *k)
{
	uint32_t value = 65535;

	for (; value > 0 && count[value] < *k; value--)
		*k -= count[value];
	return value;
}

/* The k-th largest magnitude.  Floats from zero up are in the order of their bits,
 * so two histograms find it.  -1: out of memory. */
static double kth_largest(const xc_cli_arrays *arrays, size_t k)
{
	size_t *count = malloc(65536 * sizeof *count);
	float value;

	if (!count)
		return -1;
	count_halves(arrays, 0, 0, count);
	uint32_t upper = find_from_top(count, &k);
	count_halves(arrays, 1, upper, count);
	uint32_t bits = upper << 16 | find_from_top(count, &k);
	memcpy(&value, &bits, sizeof value);
	free(count);
	return (double)value;
}

static int transform(const xct_algorithm *algorithm, int threads, xct_direction direction,
                     const char *name, xc_cli_arrays *arrays)
{
	const xc_data_set *first = arrays->set;
	const xc_cli_size size = {1, first->rows, first->cols};
	xct_descriptor d = xc_cli_descriptor(algorithm, -1, direction, first->precision, &size);
	void *scratch = calloc(first->rows * first->cols, xc_precision_bytes(first->precision));
	xct_context *context = xct_context_new();
	xct_plan *plan = NULL;
	int failed = 0;

	d.threads = threads;
	if (!scratch || !context)
		failed = xc_cli_error(name, "out of memory");
	else if (xct_plan_new(context, &d, &plan) != XCT_OK)
		failed = xc_cli_error(name, "%s does not take %zu x %zu with %d bits: %s", algorithm->name,
		                      first->cols, first->rows, xc_precision_bits(first->precision),
		                      xct_context_message(context));
	for (size_t i = 0; i < arrays->count && !failed; i++) {
		void *samples = arrays->set[i].samples;

		if (xct_execute(plan, samples, scratch) != XCT_OK)
			failed = xc_cli_error(algorithm->name, "%s", xct_context_message(context));
		arrays->set[i].samples = scratch;
		scratch = samples;
	}
	free(scratch);
	xct_plan_free(plan);
	xct_context_free(context);
	return failed;
}

static int drop(const xc_cli_transform *s, const char *name, xc_cli_arrays *arrays, result *r)
{
	const size_t plane = arrays->set->rows * arrays->set->cols;

	r->total = arrays->count * plane;
	r->epsilon = s->epsilon;
	if (s->fraction >= 0) {
		size_t wanted = (size_t)rint(s->fraction * (double)r->total);

		r->epsilon = wanted ? kth_largest(arrays, wanted) : HUGE_VAL;
		if (r->epsilon < 0)
			return xc_cli_error(name, "out of memory");
	}
	for (size_t a = 0; a < arrays->count; a++)
		for (size_t i = 0; i < plane; i++) {
			const int low = i / arrays->set->cols < s->corner.rows &&
			                i % arrays->set->cols < s->corner.cols;

			if (s->corner.rows ? low : (double)magnitude(&arrays->set[a], i) >= r->epsilon)
				r->kept++;
			else
				xc_cli_sample_put(&arrays->set[a], i, 0);
		}
	return 0;
}

/* ---------------------------------------------------- files of coefficients */

/* The file of the coefficients, in memory; it is closed by the caller after success. */
static int encode(const xc_cli_transform *s, xc_context *context, const char *name, uint32_t depth,
                  const xc_cli_arrays *arrays, xc_cli_input *file)
{
	const xc_data_set *const set = arrays->set;
	const xc_array_shape shape = {set->precision == XCT_FLOAT32 ? XC_ARRAY_FLOAT32
	                                                            : XC_ARRAY_FLOAT64,
	                              3,
	                              {arrays->count, set->rows, set->cols}};
	const uint8_t bits = (uint8_t)depth;
	xc_array_writer *writer = NULL;
	xc_array_options options;
	xc_cli_output out;
	uint8_t *data;
	size_t size;

	xc_array_options_default(&options);
	options.has_fill = 1; /* 0 */
	options.kind = s->error > 0 ? XC_BOUND_ABSOLUTE : XC_BOUND_LOSSLESS;
	options.bound = s->error > 0 ? s->error : 0;
	xc_cli_output_start_memory(&out, name, context);
	xc_status status = xc_array_writer_new(context, &shape, &options, xc_cli_output_write, &out,
	                                       &writer);
	if (status == XC_OK)
		status = xc_array_writer_attach(writer, "dct2", &bits, 1);
	for (size_t i = 0; i < arrays->count && status == XC_OK; i++)
		status = xc_array_writer_values(writer, arrays->set[i].samples, set->rows * set->cols);
	if (status == XC_OK)
		status = xc_array_writer_end(writer);
	xc_array_writer_free(writer);
	const int failed = xc_cli_output_end(&out, status == XC_OK);
	if (status != XC_OK)
		return xc_cli_check(name, context, status);
	xc_cli_output_take(&out, &data, &size);
	xc_cli_input_memory(file, name, context, data, size);
	return failed;
}

/* Such a file's coefficients, and the depth of its picture. */
static int decode(xc_cli_input *file, xc_context *context, const xc_cli_limits *limits,
                  xc_cli_arrays *arrays)
{
	uint8_t *memory = NULL;
	xc_array_reader *reader = NULL;
	xc_array_info info;
	const void *bits;
	char name[5];
	size_t size = 0, length = 0;

	if (!xc_array_is(file->first, file->size))
		return xc_cli_error(file->name, "is no XC file of coefficients");
	if (xc_cli_array_reader(file, context, NULL, &memory, &size, &reader)) {
		xc_array_reader_free(reader);
		xc_cli_forget(context, memory, size);
		return -1;
	}
	xc_array_reader_info(reader, &info);
	const uint64_t *const sizes = info.shape.size;
	xc_status status = xc_array_attached(reader, name, &bits, &length);
	int failed = xc_cli_array_reader_check(file, context, status);
	if (!failed)
		arrays->depth = length == 1 && !strcmp(name, "dct2") ? *(const uint8_t *)bits : 0;
	if (!failed && ((arrays->depth != 8 && arrays->depth != 16) || info.shape.dimensions != 3 ||
	                info.shape.type > XC_ARRAY_FLOAT64 || (sizes[0] != 1 && sizes[0] != 3) ||
	                sizes[1] > INT32_MAX || sizes[2] > INT32_MAX))
		failed = xc_cli_error(file->name, "an array, but no coefficients of a picture");
	for (uint64_t c = 0; !failed && c < sizes[0]; c++) {
		const xc_array_box box = {{c, 0, 0}, {1, sizes[1], sizes[2]}};
		xc_data_set *const set = xc_cli_arrays_add_channel(arrays, file->name, limits, size,
		                                                   (size_t)sizes[1], (size_t)sizes[2],
		                                                   info.shape.type == XC_ARRAY_FLOAT32
		                                                       ? XCT_FLOAT32
		                                                       : XCT_FLOAT64);
		failed = !set || xc_cli_array_reader_check(file, context,
		                                           xc_array_read(reader, &box, 1, set->samples));
	}
	xc_array_reader_free(reader);
	xc_cli_forget(context, memory, size);
	return failed ? -1 : 0;
}

/* The picture of a file of coefficients. */
static int restore(const xc_cli_transform *s, const xct_algorithm *algorithm, xc_context *context,
                   char **paths, xc_cli_output *to, result *r)
{
	const int threads = algorithm->threads ? xc_context_threads(context) : 1;
	xc_cli_arrays arrays = {.set = NULL};
	xc_cli_input file;

	if (xc_cli_transform_threads_start(threads) || xc_cli_input_open(&file, paths[0]))
		return -1;
	int failed = decode(&file, context, &s->limits, &arrays);
	r->bytes = failed ? 0 : (size_t)file.status.st_size;
	for (size_t c = 0; c < arrays.count && !failed; c++)
		for (size_t i = 0; i < arrays.set->rows * arrays.set->cols; i++, r->total++)
			r->kept += magnitude(&arrays.set[c], i) > 0;
	failed = failed ||
	         transform(algorithm, threads, XCT_INVERSE, xc_cli_input_name(paths[0]), &arrays) ||
	         xc_cli_arrays_write(to, arrays.depth, 1, 1, &arrays);
	xc_cli_arrays_free(&arrays);
	xc_cli_input_close(&file);
	return failed ? -1 : 0;
}

/* ------------------------------------------------------------ thresholding */

/* The colour channels of the picture go through arrays; alpha stays as it is. */
static int compress(const xc_cli_transform *s, const xct_algorithm *algorithm, xc_context *context,
                    const char *name, const xc_picture *original, xc_picture *out,
                    xc_cli_input *file, result *r)
{
	const int threads = algorithm->threads ? xc_context_threads(context) : 1;
	const uint32_t channels = original->channels - !(original->channels & 1);
	const xct_precision precision = s->precision ? (xct_precision)s->precision : XCT_FLOAT32;
	/* One more array to transform to, as much again twice for the transform itself,
	 * and two pictures. */
	const uint64_t scratch = 3 * (uint64_t)original->height * original->width *
	                             xc_precision_bytes(precision) +
	                         2 * (uint64_t)original->height * original->stride;
	xc_cli_arrays arrays = {.set = NULL};
	int failed = 0;

	for (uint32_t c = 0; c < channels && !failed; c++) {
		xc_data_set *set = xc_cli_arrays_add_channel(&arrays, name, &s->limits, scratch,
		                                             original->height, original->width, precision);

		if (set)
			xc_cli_array_from_picture(original, c, set);
		else
			failed = -1;
	}
	failed = failed || transform(algorithm, threads, XCT_FORWARD, name, &arrays) ||
	         drop(s, name, &arrays, r);
	/* The file is read again, so that the PSNR is that of its picture. */
	if (file && !failed && !(failed = encode(s, context, name, original->depth, &arrays, file))) {
		r->bytes = file->memory_size;
		xc_cli_arrays_free(&arrays);
		failed = decode(file, context, &s->limits, &arrays);
	}
	failed = failed || transform(algorithm, threads, XCT_INVERSE, name, &arrays);
	for (uint32_t c = 0; c < channels && !failed; c++)
		xc_cli_array_to_picture(&arrays.set[c], c, out);
	xc_cli_arrays_free(&arrays);
	return failed ? -1 : 0;
}

static void print_json(const result *r, int compared)
{
	xc_cli_json json;

	xc_cli_json_start(&json, stdout);
	xc_cli_json_object(&json, NULL);
	xc_cli_json_integer(&json, "coefficients", r->total);
	xc_cli_json_integer(&json, "kept", r->kept);
	xc_cli_json_number(&json, "fraction", (double)r->kept / (double)r->total);
	xc_cli_json_number(&json, "epsilon", r->epsilon < 0 ? (double)NAN : r->epsilon);
	if (r->bytes) {
		xc_cli_json_integer(&json, "bytes", r->bytes);
		xc_cli_json_number(&json, "bits_per_sample", 8 * (double)r->bytes / (double)r->total);
	}
	if (compared) {
		xc_cli_json_number(&json, "psnr_rgb", r->comparison.psnr_rgb);
		xc_cli_json_number(&json, "psnr_y", r->comparison.psnr_y);
	}
	xc_cli_json_end_object(&json);
}

static void print_text(FILE *file, const result *r, int compared)
{
	fprintf(file, "%-22s %zu of %zu (%.4f %%)\n", "Coefficients kept", r->kept, r->total,
	        100 * (double)r->kept / (double)r->total);
	if (r->epsilon >= 0)
		fprintf(file, "%-22s %.6g\n", "Threshold", r->epsilon);
	if (r->bytes)
		fprintf(file, "%-22s %zu bytes, %.4f bits a sample\n", "File", r->bytes,
		        8 * (double)r->bytes / (double)r->total);
	if (!compared)
		return;
	xc_cli_print_decibels(file, "PSNR RGB", r->comparison.psnr_rgb);
	xc_cli_print_decibels(file, "PSNR luma", r->comparison.psnr_y);
}

static int work(const xc_cli_transform *s, const xct_algorithm *algorithm, xc_context *context,
                char **paths, xc_cli_output *to, result *r)
{
	const xc_cli_reader reader = {.context = context, .limits = &s->limits};
	const char *name = xc_cli_input_name(paths[0]);
	const int threads = algorithm->threads ? xc_context_threads(context) : 1;
	xc_cli_picture in = {.format = XC_FILE_UNKNOWN};
	xc_cli_input file = {.file = -1};
	const int to_file = xc_file_format_by_path(paths[1]) == XC_FILE_XC;

	xc_cli_limit_memory(context, &s->limits, xc_cli_sizes((const char *const *)paths, 1), 1);
	if (xc_cli_transform_threads_start(threads) ||
	    xc_cli_picture_read(&reader, paths[0], XC_FILE_UNKNOWN, &in))
		return -1;
	xc_picture out = in.picture;
	out.data = NULL;
	xc_status status = xc_picture_allocate(context, &out);
	for (uint32_t y = 0; status == XC_OK && y < out.height; y++)
		memcpy((uint8_t *)out.data + y * out.stride,
		       (const uint8_t *)in.picture.data + y * in.picture.stride, out.stride);
	int failed = status != XC_OK;
	if (!failed && to_file && in.picture.channels % 2 == 0)
		failed = xc_cli_error(name, "has alpha, which a file of coefficients does not hold");
	failed = failed ||
	         compress(s, algorithm, context, name, &in.picture, &out, to_file ? &file : NULL, r);
	if (!failed)
		status = xc_compare(context, &in.picture, &out, &r->comparison);
	if (status != XC_OK)
		xc_cli_check(name, context, status);
	failed = failed || status != XC_OK ||
	         (to_file
	              ? xc_cli_output_put(to, file.memory, file.memory_size)
	              : xc_cli_write_picture(to, xc_file_format_by_path(paths[1]), &out, &in.metadata));
	xc_cli_input_close(&file);
	xc_picture_free(context, &out);
	xc_cli_picture_free(context, &in);
	return failed ? -1 : 0;
}

int xc_cli_threshold(const xc_cli_transform *s, char **paths)
{
	const char *best = xct_algorithm_find("cpu-fft2d") ? "cpu-fft2d" : "cpu-dmm";
	const xct_algorithm *algorithm = xc_cli_algorithm("transform",
	                                                  s->algorithm ? s->algorithm : best);
	const int to_file = xc_file_format_by_path(paths[1]) == XC_FILE_XC && !s->read;
	result r = {.kept = 0, .epsilon = -1};
	xc_cli_output to;

	if (!algorithm)
		return XC_CLI_USAGE;
	if (!(algorithm->kinds & ((1u << XCT_REAL_FFT) - 1))) {
		xc_cli_error("transform", "%s does not transform whole pictures", algorithm->name);
		return XC_CLI_USAGE;
	}
	if (!to_file && !xc_cli_arrays_is_picture(xc_cli_arrays_format(paths[1]))) {
		xc_cli_error(xc_cli_output_name(paths[1]),
		             "the name must end in " XC_CLI_IF_PNG(
						 ".png, ") ".ppm, .pgm, .pnm, .pam or .bmp%s",
		             s->read ? "" : ", or in .xc for the coefficients");
		return XC_CLI_USAGE;
	}
	if (xc_cli_output_start(&to, paths[1], s->force, (const char *const *)paths, 1))
		return XC_CLI_FAILED;
	xc_context *context = xc_cli_context(&s->limits);
	int failed = !context  ? -1
	             : s->read ? restore(s, algorithm, context, paths, &to, &r)
	                       : work(s, algorithm, context, paths, &to, &r);
	xc_cli_output_end(&to, 0);
	xc_context_free(context);
	if (!failed && s->json)
		print_json(&r, !s->read);
	else if (!failed)
		print_text(stdout, &r, !s->read);
	return failed ? XC_CLI_FAILED : XC_CLI_DONE;
}
