/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the text files of arrays that `xcodec transform` reads: what is read can be written, and
 * gives the same numbers again. */
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "lab/command/arrays.h"
#include "lab/samples.h"
#include "tests/support/check.h"

/* Sets of a few numbers. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	static const char *const bits[] = {"16", "32", "64", "128"};
	char text[64];
	uint64_t seed = i;
	const unsigned rows = 1 + i % 4, cols = 1 + i % 5;

	out->size = 0;
	for (unsigned set = 0; set <= i % 2; set++) {
		snprintf(text, sizeof text, "!%s:%u:%u:%s%s\n", i & 2 ? "dct" : "lot", rows, cols,
		         bits[i / 2 % 4], i % 3 ? "" : ":1:1");
		xc_bytes_add_text(out, text);
		for (unsigned k = 0; k < rows * cols; k++) {
			snprintf(text, sizeof text, i & 8 ? "%.3f " : "%.0fe1\n",
			         (double)check_below(&seed, 999) - 500);
			xc_bytes_add_text(out, text);
		}
	}
}

/* Infinities and NaN are refused, so all numbers are equal to themselves. */
static void check_set(const xc_data_set *set)
{
	xc_data_writer writer = {.text = NULL};
	xc_data_reader reader;
	xc_data_set again;

	FUZZ_CHECK(xc_data_write(&writer, set) == 0, "out of memory");
	xc_data_reader_start(&reader, writer.text, writer.size);
	FUZZ_CHECK(xc_data_read(&reader, 0, &again) == 1, "its own text: %s", reader.message);
	FUZZ_CHECK(again.rows == set->rows && again.cols == set->cols && again.kind == set->kind &&
	               again.precision == set->precision,
	           "another set");
	if (again.array_rows)
		FUZZ_CHECK(again.array_rows == set->array_rows && again.array_cols == set->array_cols,
		           "another array");
	for (size_t i = 0; i < set->rows * set->cols; i++)
		FUZZ_CHECK(xc_sample_get(set->samples, set->precision, i) ==
		               xc_sample_get(again.samples, again.precision, i),
		           "number %zu", i);
	xc_data_set_free(&again);
	free(writer.text);
}

static void read_text(const char *text, size_t size, int precision)
{
	xc_data_reader reader;
	xc_data_set set;
	int found;

	xc_data_reader_start(&reader, text, size);
	reader.max = 1 << 20;
	while ((found = xc_data_read(&reader, precision, &set)) > 0) {
		check_set(&set);
		xc_data_set_free(&set);
	}
	FUZZ_CHECK(!set.samples && (!found || strncmp(reader.message, "line ", 5) == 0), "%d", found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (xc_data_detect(data, size))
		read_text((const char *)data, size, size % 5 ? 0 : 1 << size / 5 % 4);
	return 0;
}
