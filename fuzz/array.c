/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An array's file: once as it is and once with checksums put right, read whole, in a box and with what
 * is attached, by all SIMD levels, each with another number of threads, and from memory and from
 * functions; all must agree. Other bytes are an array and options, which is encoded and read: what the
 * options promise must hold. Those begin with HEAD_BYTES; then come the values, repeated as needed.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "src/core/crc32c.h"
#include "tests/support/arrays.h"
#include "tests/support/check.h"

/* A byte each for the type with effort and transform, dimensions with the kind of bound, four sizes and three of
 * chunks; then the bound and the fill value, eight bytes each. */
enum { HEAD_BYTES = 9 + 16, SIDE = 24, MOST = 2048 };

unsigned xc_fuzz_mutations = 20;

/* What a reader said: statuses, and a checksum of all that it gave. */
typedef struct answer {
	xc_status status[4];
	uint32_t crc;
} answer;

static xc_status read_values(xc_array_reader *r, const xc_array_info *info, const xc_array_box *box,
                             uint32_t scale, answer *a)
{
	const xc_array_shape *s = &info->shape;
	const size_t each = xc_array_type_size(s->type);
	uint64_t n = 1;

	for (int k = 0; k < s->dimensions; k++) {
		const uint64_t size = box ? box->size[k] : s->size[k];
		const int scaled = s->dimensions - k < 4 && s->size[k] > 1;
		n *= scaled ? (size - 1) / scale + 1 : size;
	}
	/* More is refused. */
	OWN_MEMORY void *const values = xc_test_malloc(n <= XC_FUZZ_PIXELS ? (size_t)n * each : 1);
	const xc_status status = xc_array_read(r, box, scale, values);
	FUZZ_CHECK(status || n <= XC_FUZZ_PIXELS, "%llu values", (unsigned long long)n);
	if (!status)
		a->crc = xc_crc32c(a->crc, values, (size_t)n * each);
	return status;
}

static void read_file(xc_context *c, const xc_source *source, answer *a)
{
	xc_array_reader *r = NULL;
	xc_array_info info;
	xc_array_box box;
	const void *bytes;
	char name[5];
	size_t size;

	memset(a, 0, sizeof *a);
	a->status[0] = xc_array_reader_new(c, source, &r);
	FUZZ_CHECK(!a->status[0] == !!r, "status %d", (int)a->status[0]);
	if (!r)
		return;
	xc_array_reader_info(r, &info);
	while (!(a->status[1] = xc_array_attached(r, name, &bytes, &size)) && name[0])
		a->crc = xc_crc32c(xc_crc32c(a->crc, name, 4), bytes, size);
	a->status[2] = read_values(r, &info, NULL, 1, a);
	for (int k = 0; k < XC_ARRAY_DIMENSIONS; k++) {
		box.first[k] = info.shape.size[k] / 3;
		box.size[k] = (info.shape.size[k] - box.first[k] + 1) / 2;
	}
	a->status[3] = read_values(r, &info, &box, 1U << info.chunks % 7, a);
	xc_array_reader_free(r);
}

static void read_all(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];
	const int n = xc_fuzz_contexts(c);
	answer first, other;

	for (int i = 0; i < n; i++) {
		const xc_source source = xc_made_source(data, size, i % 2);
		read_file(c[i], &source, i ? &other : &first);
		if (!i)
			continue;
		/* What another number of threads lacks memory for decides nothing. */
		for (int k = 0; k < 4; k++)
			if (first.status[k] == XC_ERR_LIMIT || other.status[k] == XC_ERR_LIMIT)
				return;
		FUZZ_CHECK(!memcmp(&first, &other, sizeof first), "%s: %d %d %d %d and %d %d %d %d",
		           xc_context_cpu(c[i]), (int)first.status[0], (int)first.status[1],
		           (int)first.status[2], (int)first.status[3], (int)other.status[0],
		           (int)other.status[1], (int)other.status[2], (int)other.status[3]);
	}
}

/* ------------------------------------------------------------- and back */

static double number_of(const uint8_t *p)
{
	double v;

	memcpy(&v, p, sizeof v);
	return v;
}

static void take_head(const uint8_t *data, xc_made_array *a)
{
	xc_array_options *o = &a->options;

	memset(a, 0, sizeof *a);
	xc_array_options_default(o);
	a->shape.type = (xc_array_type)(data[0] % XC_ARRAY_TYPES);
	a->shape.dimensions = 1 + data[1] % XC_ARRAY_DIMENSIONS;
	a->each = xc_array_type_size(a->shape.type);
	a->count = 1;
	for (int k = 0; k < a->shape.dimensions; k++) {
		const size_t size = 1 + (a->shape.dimensions == 1 ? data[2] * 8U : data[2 + k] % SIDE);
		a->shape.size[k] = size * a->count <= MOST ? size : 1;
		a->count *= (size_t)a->shape.size[k];
	}
	for (int k = 0; k < 3; k++)
		o->chunk[k] = data[6 + k] % 40;
	o->effort = data[0] / XC_ARRAY_TYPES % 4;
	o->way = (xc_array_way)(data[0] / XC_ARRAY_TYPES / 4 % 4);
	o->kind = (xc_array_bound)(data[1] / XC_ARRAY_DIMENSIONS % 6);
	o->bound = fabs(number_of(data + 9));
	o->bound = o->bound <= DBL_MAX ? o->bound : 0;
	o->fill = number_of(data + 17);
	o->has_fill = 1;
}

static void code(const uint8_t *data, size_t size)
{
	xc_context *c[XC_CPU_LEVELS];
	const int n = xc_fuzz_contexts(c);
	OWN_TEST_ARRAY a;
	xc_buffer file, again;
	xc_array_reader *r;

	take_head(data, &a);
	a.values = xc_test_malloc(a.count * a.each);
	OWN_MEMORY void *const decoded = xc_test_malloc(a.count * a.each);
	for (size_t i = 0; i < a.count * a.each; i++)
		((uint8_t *)a.values)[i] = data[HEAD_BYTES + i % (size - HEAD_BYTES)];
	xc_made_array_look(&a);
	FUZZ_OK(c[0], xc_array_encode(c[0], &a.shape, a.values, &a.options, &file));
	FUZZ_OK(c[n - 1], xc_array_encode(c[n - 1], &a.shape, a.values, &a.options, &again));
	FUZZ_CHECK(file.size == again.size && !memcmp(file.data, again.data, file.size), "%s",
	           xc_context_cpu(c[n - 1]));
	const xc_source source = xc_made_source(file.data, file.size, 0);
	FUZZ_OK(c[0], xc_array_reader_new(c[0], &source, &r));
	FUZZ_OK(c[0], xc_array_read(r, NULL, 1, decoded));
	const ptrdiff_t wrong = xc_made_array_wrong(&a, decoded);
	FUZZ_CHECK(wrong == -1, "value %td, bound %d of %g", wrong, (int)a.options.kind,
	           a.options.bound);
	xc_array_reader_free(r);
	xc_buffer_free(c[0], &file);
	xc_buffer_free(c[n - 1], &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 16 && data[0] == 0x8f && data[1] == 'X')
		xc_fuzz_fixed(data, size, read_all);
	else if (size > HEAD_BYTES)
		code(data, size);
	return 0;
}

static int add(void *user, const void *data, size_t size)
{
	xc_bytes_add(user, data, size);
	return 0;
}

/* Files of made arrays, some with bytes attached, and arrays of few bytes. */
void xc_fuzz_seed(unsigned i, xc_bytes *out)
{
	OWN_TEST_ARRAY a;
	xc_array_writer *w;

	out->size = 0;
	xc_made_array_make(i, 400, &a);
	if (i % 3 == 2) {
		const uint8_t head[9] = {(uint8_t)i, (uint8_t)(i * 7), 9, 11, 3, 2, (uint8_t)i, 5, 0};
		xc_bytes_add(out, head, sizeof head);
		xc_bytes_add(out, &a.options.bound, 8);
		xc_bytes_add(out, &a.options.fill, 8);
		xc_bytes_add(out, a.values, a.count * a.each < 400 ? a.count * a.each : 400);
		return;
	}
	if (a.options.kind >= XC_BOUND_PSNR)
		a.options.kind = XC_BOUND_POINTWISE;
	OWN_CONTEXT c = xc_fuzz_context(0);
	FUZZ_OK(c, xc_array_writer_new(c, &a.shape, &a.options, add, out, &w));
	if (i % 2)
		FUZZ_OK(c, xc_array_writer_attach(w, "name", a.values, a.each));
	FUZZ_OK(c, xc_array_writer_values(w, a.values, a.count));
	FUZZ_OK(c, xc_array_writer_end(w));
	xc_array_writer_free(w);
}
