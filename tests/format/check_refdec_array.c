/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays of all types, shapes and bounds: the library decodes every value as the second decoder, which was
 * written from doc/format.md alone (refdec_array.c). */
#include "tests/format/refdec_array.h"

#include <math.h>
#include <stdlib.h>

#include "include/xcodec_array.h"
#include "tests/support/check.h"
#include "tests/support/xc_files.h"

enum { MOST_VALUES = 1 << 23 };

static uint32_t below(uint64_t *seed, uint32_t n)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((*seed >> 32) * n >> 32);
}

static void choose_shape(uint64_t *seed, xc_array_shape *s)
{
	static const uint32_t most[4] = {3000, 60, 16, 9};

	memset(s, 0, sizeof *s);
	s->type = (xc_array_type)below(seed, XC_ARRAY_TYPES);
	s->dimensions = 1 + (int)below(seed, 4);
	for (int i = 0; i < s->dimensions; i++)
		s->size[i] = 1 + below(seed, 1 + below(seed, most[s->dimensions - 1]));
	if (s->dimensions == 4)
		s->size[0] = 1 + s->size[0] % 3;
}

static void put(xc_array_type type, void *values, uint64_t i, double v)
{
	const double w = fmin(fmax(v, -2147483648.0), 4294967295.0);

	if (type == XC_ARRAY_FLOAT32)
		((float *)values)[i] = (float)v;
	else if (type == XC_ARRAY_FLOAT64)
		((double *)values)[i] = v;
	else if (xc_array_type_size(type) == 1)
		((uint8_t *)values)[i] = (uint8_t)(int64_t)w;
	else if (xc_array_type_size(type) == 2)
		((uint16_t *)values)[i] = (uint16_t)(int64_t)w;
	else
		((uint32_t *)values)[i] = (uint32_t)(int64_t)w;
}

/* A double that is a float32, a decimal, a multiple of a power of two or none of them. */
static double of_form(double v, uint32_t form)
{
	return form == 1   ? (double)(float)v
	       : form == 2 ? rint(v * 100.0) / 100.0
	       : form == 3 ? ldexp(rint(ldexp(v, 10)), -10)
	                   : v;
}

/* Waves and noise; at will whole numbers, few values, NaN, infinities and a fill value, spikes. */
static void fill(uint64_t *seed, const xc_array_shape *s, uint64_t n, double special, void *values)
{
	static const double scales[8] = {1.0, 100.0, 1e4, 1e6, 1e-3, 1e38, 1e-42, 3e9};
	const double scale = scales[below(seed, 4 + below(seed, 5))], noise = below(seed, 3) * 0.04;
	const uint32_t kind = below(seed, 6), mask = below(seed, 3) ? 0 : 1 + below(seed, 20);
	const uint32_t spikes = below(seed, 3) ? 0 : 30;
	const uint32_t form = s->type == XC_ARRAY_FLOAT64 ? below(seed, 4) : 0;
	double rate[4];

	for (int k = 0; k < 4; k++)
		rate[k] = 0.01 + below(seed, 100) * 0.003;
	for (uint64_t i = 0; i < n; i++) {
		double v = 0.0;
		uint64_t rest = i;
		for (int k = s->dimensions - 1; k >= 0; rest /= s->size[k--])
			v += sin(rate[k] * (double)(rest % s->size[k]) + k);
		v = scale * (v + noise * (below(seed, 2001) * 1e-3 - 1.0));
		v = kind == 1 ? floor(v) : kind == 2 ? floor(v / scale * 4.0) * scale * 0.37 : v;
		v = kind == 3 ? scale : kind == 4 ? scale * (below(seed, 1u << 31) * 1e-9 - 1.0) : v;
		if (spikes && !below(seed, spikes))
			v *= 1e5;
		v = of_form(v, form);
		if (mask && sin((double)i * 0.01 * mask) > 0.6)
			v = i % mask ? special : i % 3 ? (double)NAN : -(double)INFINITY;
		put(s->type, values, i, v);
		if (kind == 5 && mask && s->type == XC_ARRAY_FLOAT32 && !(i % 7))
			((uint32_t *)values)[i] = 0x7f800000U + below(seed, 99);
	}
}

static void choose_options(uint64_t *seed, const xc_array_shape *s, xc_array_options *o)
{
	static const double bounds[5] = {1e-1, 1e-2, 1e-3, 1e-5, 1e-7};
	const uint32_t given = below(seed, 3);

	xc_array_options_default(o);
	o->kind = (xc_array_bound)below(seed, 6);
	o->bound = o->kind >= XC_BOUND_PSNR ? 10.0 + below(seed, 100) : bounds[below(seed, 5)];
	if (o->kind == XC_BOUND_ABSOLUTE && s->type > XC_ARRAY_FLOAT64)
		o->bound = below(seed, 50);
	o->effort = (int)below(seed, 4);
	o->has_fill = (int)below(seed, 2);
	o->fill = o->has_fill ? -99.0 : 0;
	o->way = (xc_array_way)below(seed, 4);
	for (int k = 0; k < 3 && !given; k++)
		o->chunk[k] = 1 + below(seed, k == 2 && s->dimensions == 1 ? 1000 : 24);
}

/* Both decoders on a file; good: 0: it is damaged, and both refuse it or neither. */
static void compare(xc_context *c, const xc_buffer *file, int good, const char *what)
{
	const xc_source source = {.memory = file->data, .size = file->size};
	xc_array_reader *reader = NULL;
	refdec_array array;
	xc_array_info info;
	uint64_t n = 1;
	const char *error = refdec_decode_array(file->data, file->size, MOST_VALUES, &array);
	xc_status status = xc_array_reader_new(c, &source, &reader);

	if (status == XC_OK) {
		xc_array_reader_info(reader, &info);
		for (int k = 0; k < info.shape.dimensions; k++)
			n = n > MOST_VALUES ? n : n * info.shape.size[k];
	}
	if (n <= MOST_VALUES) {
		const size_t bytes = status ? 0 : (size_t)n * xc_array_type_size(info.shape.type);
		void *values = malloc(bytes + 1);
		status = status ? status : xc_array_read(reader, NULL, 1, values);
		CHECK(good ? !status && !error : !status == !error, "%s: %s; %s", what,
		      status ? xc_context_message(c) : "right", error ? error : "right");
		if (!status && !error)
			CHECK(array.type == info.shape.type && !memcmp(values, array.values, bytes),
			      "%s: other values%s", what, good ? "" : " of a damaged file");
		free(values);
	}
	xc_array_reader_free(reader);
	free(array.values);
}

/* One bit changes: anywhere after the magic number, or in the first model. */
static void damage(xc_buffer *file, uint64_t *seed, int in_model)
{
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	const int n = xc_file_chunks(file->data, file->size, parts);
	const xc_file_chunk *data = xc_file_chunk_find(parts, n, "DATA");
	const size_t from = in_model && data ? data->payload : 8;
	const size_t size = in_model && data ? 24 : file->size - 8;

	((uint8_t *)file->data)[from + below(seed, (uint32_t)size)] ^= 1U << below(seed, 8);
	xc_file_fix(file->data, file->size);
}

/* Returns 0 where the bound cannot be kept. */
static int one(xc_context *c, const xc_array_shape *s, const void *values, uint64_t seed,
               const xc_array_options *o, const char *what)
{
	xc_buffer file = {0};
	const xc_status status = xc_array_encode(c, s, values, o, &file);

	CHECK(status == XC_OK || status == XC_ERR_UNSUPPORTED, "%s: %s", what, xc_context_message(c));
	if (status == XC_OK)
		compare(c, &file, 1, what);
	for (int i = 0; i < 4 && status == XC_OK; i++) {
		damage(&file, &seed, i % 2);
		compare(c, &file, 0, what);
	}
	xc_buffer_free(c, &file);
	return status == XC_OK;
}

static void random_arrays(void)
{
	const uint32_t most = getenv("XC_LONG") ? 100000 : check_repeats(1200);
	xc_context *c = xc_context_new(NULL);
	uint32_t kept = 0;

	xc_context_set_threads(c, 1);
	for (uint32_t i = 0; i < most; i++) {
		uint64_t seed = i, n = 1;
		xc_array_shape s;
		xc_array_options o;
		char what[200];
		choose_shape(&seed, &s);
		choose_options(&seed, &s, &o);
		for (int k = 0; k < s.dimensions; k++)
			n *= s.size[k];
		void *values = malloc((size_t)n * 8);
		fill(&seed, &s, n, o.fill, values);
		snprintf(what, sizeof what, "%u: %s of %d dimensions, %llux%llux%llux%llu, bound %d %g", i,
		         xc_array_type_name(s.type), s.dimensions, (unsigned long long)s.size[0],
		         (unsigned long long)s.size[1], (unsigned long long)s.size[2],
		         (unsigned long long)s.size[3], (int)o.kind, o.bound);
		kept += (uint32_t)one(c, &s, values, seed, &o, what);
		free(values);
	}
	CHECK(kept > most / 2, "%u of %u arrays were encoded", kept, most);
	xc_context_free(c);
}

/* More than 2^22 values: noise, which is stored as it is. */
static void slabs(void)
{
	const xc_array_shape s = {XC_ARRAY_UINT8, 2, {70, 1 << 16}};
	xc_context *c = xc_context_new(NULL);
	xc_buffer file = {0};
	uint64_t seed = 1;
	uint8_t *values = malloc(70 << 16);

	for (uint32_t i = 0; i < 70 << 16; i++)
		values[i] = (uint8_t)below(&seed, 256);
	CHECK(xc_array_encode(c, &s, values, &(xc_array_options){.chunk = {0, 8, 0}}, &file) == XC_OK,
	      "%s", xc_context_message(c));
	compare(c, &file, 1, "slabs");
	xc_buffer_free(c, &file);
	free(values);
	xc_context_free(c);
}

int main(void)
{
	RUN(random_arrays, slabs);
	return check_done();
}
