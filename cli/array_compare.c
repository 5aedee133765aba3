/* SPDX-License-Identifier: BSD-2-Clause */
/* xcodec compare of arrays. Both arrays that are compared are in memory. */
#include "cli/array.h"

#include "cli/base/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- comparing */

typedef struct loaded {
	const char *name;
	xc_array_shape shape;
	void *values;
	uint64_t bytes;
	double fill; /* that the file names; NaN: none */
} loaded;

static int load_xc(xc_context *context, xc_cli_input *in, loaded *l)
{
	xc_array_reader *reader;
	xc_array_info info;
	uint8_t *memory;
	size_t size;
	int failed = xc_cli_array_reader(in, context, NULL, &memory, &size, &reader);

	if (!failed) {
		xc_array_reader_info(reader, &info);
		l->shape = info.shape;
		l->bytes = xc_cli_array_bytes(&l->shape);
		l->values = xc_cli_array_memory(in->name, context, l->bytes);
		failed = l->values ? xc_cli_array_reader_check(in, context,
		                                               xc_array_read(reader, NULL, 1, l->values))
		                   : -1;
	}
	xc_array_reader_free(reader);
	xc_cli_forget(context, memory, size);
	return failed;
}

static int load(xc_context *context, xc_cli_input *in, const char *raw, loaded *l)
{
	xc_cli_array_file file;

	l->name = in->name;
	if (xc_array_is(in->first, in->size))
		return load_xc(context, in, l);
	raw = xc_cli_array_raw(in, raw, 1);
	if (!xc_cli_is_array_file(in, raw))
		return xc_cli_error(in->name,
		                    "is no array that can be read, but the other one is (--raw says what "
		                    "raw values are)");
	int failed = xc_cli_array_open(&file, in, context, NULL, raw, 0);
	if (!failed) {
		l->fill = file.input->has_fill ? file.input->fill : NAN;
		l->shape = file.input->shape;
		l->bytes = xc_cli_array_bytes(&l->shape);
		l->values = xc_cli_array_memory(in->name, context, l->bytes);
		failed = l->values ? xc_cli_array_next(&file, l->values, file.input->values) : -1;
	}
	xc_cli_array_close(&file);
	return failed;
}

/* Dimensions of one value do not count. */
static int same_shape(const xc_array_shape *a, const xc_array_shape *b)
{
	int i = 0, k = 0;

	for (;;) {
		while (i < a->dimensions && a->size[i] == 1)
			i++;
		while (k < b->dimensions && b->size[k] == 1)
			k++;
		if (i == a->dimensions || k == b->dimensions)
			return i == a->dimensions && k == b->dimensions;
		if (a->size[i++] != b->size[k++])
			return 0;
	}
}

static int measure(xc_context *context, loaded l[2], double fill, xc_cli_array_pair *pair)
{
	char a[XC_CLI_ARRAY_SHAPE], b[XC_CLI_ARRAY_SHAPE];

	pair->shape = l[0].shape;
	if (l[0].shape.type != l[1].shape.type || !same_shape(&l[0].shape, &l[1].shape)) {
		xc_cli_array_describe(&l[0].shape, a);
		xc_cli_array_describe(&l[1].shape, b);
		return xc_cli_error(l[1].name, "has %s, but %s has %s", b, l[0].name, a);
	}
	return xc_cli_check(l[1].name, context,
	                    xc_array_compare(context, &l[0].shape, l[0].values, l[1].values, &fill,
	                                     &pair->difference));
}

int xc_cli_array_compare(xc_context *context, xc_cli_input in[2], const char *raw, double fill,
                         xc_cli_array_pair *pair)
{
	loaded l[2] = {{.fill = NAN}, {.fill = NAN}};
	int failed = load(context, &in[0], raw, &l[0]) || load(context, &in[1], raw, &l[1]);

	failed = failed ? -1 : measure(context, l, isnan(fill) ? l[0].fill : fill, pair);
	for (int i = 0; i < 2; i++)
		xc_cli_forget(context, l[i].values, (size_t)l[i].bytes);
	return failed;
}

void xc_cli_array_pair_print(const xc_cli_array_pair *pair)
{
	const xc_array_difference *d = &pair->difference;
	char shape[XC_CLI_ARRAY_SHAPE];

	xc_cli_array_describe(&pair->shape, shape);
	printf("%-22s %s\n", "Array", shape);
	printf("%-22s %s\n", "Identical", d->different ? "no" : "yes");
	printf("%-22s %llu of %llu\n", "Values that differ", (unsigned long long)d->different,
	       (unsigned long long)d->values);
	printf("%-22s %.9g to %.9g\n", "Range", d->low, d->high);
	printf("%-22s %.9g\n", "Largest error", d->error);
	const double half = d->high / 2 - d->low / 2; /* the range may be none that a double has */
	printf("%-22s %.9g\n", "of the range", half > 0 ? d->error / half / 2 : d->error);
	printf("%-22s %.9g\n", "of the value", d->relative);
	printf("%-22s %.9g\n", "RMSE", d->rmse);
	xc_cli_print_decibels(stdout, "PSNR by the range", d->psnr);
	xc_cli_print_decibels(stdout, "SNR", d->snr);
	printf("%-22s %.9f\n", "Correlation", d->correlation);
}

/* What is infinite stays apart from NaN, which is null. */
static void put(xc_cli_json *json, const char *key, double v)
{
	if (isinf(v))
		xc_cli_json_text(json, key, v > 0 ? "inf" : "-inf");
	else
		xc_cli_json_number(json, key, v);
}

void xc_cli_array_pair_put(xc_cli_json *json, const xc_cli_array_pair *pair)
{
	const xc_array_difference *d = &pair->difference;

	xc_cli_array_put(json, &pair->shape);
	xc_cli_json_boolean(json, "identical", !d->different);
	xc_cli_json_integer(json, "values", d->values);
	xc_cli_json_integer(json, "different", d->different);
	xc_cli_json_number(json, "low", d->low);
	xc_cli_json_number(json, "high", d->high);
	put(json, "max_error", d->error);
	put(json, "max_relative_error", d->relative);
	put(json, "rmse", d->rmse);
	put(json, "psnr", d->psnr);
	put(json, "snr", d->snr);
	put(json, "correlation", d->correlation);
}

void xc_cli_array_pair_heading(void)
{
	printf("%15s %15s %9s %9s %12s  %s\n", "largest error", "RMSE", "PSNR", "SNR", "different",
	       "B");
}

void xc_cli_array_pair_line(const xc_cli_array_pair *pair, const char *name)
{
	const xc_array_difference *d = &pair->difference;
	char shown[XC_CLI_SHOWN];

	xc_cli_escape(shown, sizeof shown, name);
	printf("%15.9g %15.9g %9.4f %9.4f %12llu  %s\n", d->error, d->rmse, d->psnr, d->snr,
	       (unsigned long long)d->different, shown);
}
