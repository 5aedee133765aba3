/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Arrays on a GPU: files are those that the CPU makes, and values those that it reads.
 *
 *	check_arrays [ARRAYS [FIRST]]
 */
#include <math.h>
#include <string.h>

#include "src/array/array.h"
#include "tests/support/arrays.h"
#include "tests/support/bytes.h"
#include "tests/support/codec.h"
#include "tests/support/gpu.h"

static uint64_t arrays = 60, first_array = 1;
static xc_context *cpu, *gpu_context;
static xc_cuda *gpu;
static uint64_t seed;

static int take(void *user, const void *data, size_t size)
{
	xc_bytes_add(user, data, size);
	return 0;
}

/* Encodes by both, and has the GPU decode the file. */
static void check_array(const xc_array_shape *shape, const xc_array_options *o, const void *values,
                        size_t count)
{
	const size_t bytes = count * xc_array_type_size(shape->type);
	void *on_gpu = test_gpu_pinned(gpu, bytes), *back = test_gpu_pinned(gpu, bytes);
	char *right = malloc(bytes);
	xc_bytes file = {0};
	OWN_BUFFER(cpu, wanted);

	memcpy(on_gpu, values, bytes);
	SUCCEEDS(cpu, xc_array_encode(cpu, shape, values, o, &wanted));
	SUCCEEDS(gpu_context, xc_cuda_array_encode(gpu, shape, on_gpu, o, NULL, take, &file));
	size_t same = 0;
	while (same < file.size && same < wanted.size && file.data[same] == wanted.data[same])
		same++;
	CHECK(file.size == wanted.size && same == wanted.size,
	      "array %llu: type %d, %llux%llux%llu, bound %d %g, effort %d: %zu bytes instead of %zu, "
	      "equal up to %zu",
	      (unsigned long long)seed, (int)shape->type, (unsigned long long)shape->size[0],
	      (unsigned long long)shape->size[1], (unsigned long long)shape->size[2], (int)o->kind,
	      o->bound, o->effort, file.size, wanted.size, same);
	const xc_source source = {.memory = wanted.data, .size = wanted.size};
	OWN_READER r = NULL;
	SUCCEEDS(cpu, xc_array_reader_new(cpu, &source, &r));
	if (r)
		SUCCEEDS(cpu, xc_array_read(r, NULL, 1, right));
	memset(back, 0xa5, bytes);
	SUCCEEDS(gpu_context, xc_cuda_array_decode(gpu, wanted.data, wanted.size, back, NULL));
	CHECK(
		!memcmp(back, right, bytes),
		"array %llu: type %d, %llux%llux%llu, bound %d %g, effort %d, chunk %ux%ux%u: other values",
		(unsigned long long)seed, (int)shape->type, (unsigned long long)shape->size[0],
		(unsigned long long)shape->size[1], (unsigned long long)shape->size[2], (int)o->kind,
		o->bound, o->effort, o->chunk[0], o->chunk[1], o->chunk[2]);
	xc_bytes_free(&file);
	free(right);
	xc_cuda_release(gpu, on_gpu);
	xc_cuda_release(gpu, back);
}

/* Arrays of all kinds, most of which the host codes. */
static void made_arrays(void)
{
	for (seed = first_array; seed < first_array + arrays; seed++) {
		OWN_TEST_ARRAY a;
		xc_made_array_make(seed, 20000, &a);
		check_array(&a.shape, &a.options, a.values, a.count);
	}
}

static const xc_array_type types[5] = {XC_ARRAY_FLOAT32, XC_ARRAY_INT16, XC_ARRAY_UINT16,
                                       XC_ARRAY_INT8, XC_ARRAY_UINT8};

/* A wave and noise, as a number of the type whose range is 1. */
static void set_value(xc_array_type type, void *values, size_t i, double v)
{
	switch (type) {
	case XC_ARRAY_INT16:
		((int16_t *)values)[i] = (int16_t)(v * 30000);
		break;
	case XC_ARRAY_UINT16:
		((uint16_t *)values)[i] = (uint16_t)((v + 1) * 30000);
		break;
	case XC_ARRAY_INT8:
		((int8_t *)values)[i] = (int8_t)(v * 127);
		break;
	case XC_ARRAY_UINT8:
		((uint8_t *)values)[i] = (uint8_t)((v + 1) * 127);
		break;
	default:
		((float *)values)[i] = (float)v;
	}
}

static void set_shape(xc_array_shape *s, uint64_t *random)
{
	static const uint32_t most[3][3] = {{60, 90, 200}, {1, 600, 900}, {1, 1, 300000}};
	const uint32_t kind = check_below(random, 3);

	s->type = types[check_below(random, 5)];
	s->dimensions = 3 - (int)kind;
	for (int k = 0; k < s->dimensions; k++)
		s->size[k] = 1 + check_below(random, most[kind][k + (int)kind]);
}

static void set_options(xc_array_options *o, uint64_t *random)
{
	static const double bounds[6] = {0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6};

	xc_array_options_default(o);
	o->bound = bounds[check_below(random, 6)];
	o->kind = o->bound > 0 ? (xc_array_bound)(1 + check_below(random, 3)) : XC_BOUND_LOSSLESS;
	o->effort = check_below(random, 4) ? (int)check_below(random, 2) : 2;
	for (int k = 0; k < 3 && !check_below(random, 3); k++)
		o->chunk[k] = 1 + check_below(random, 80);
}

static void waves(void)
{
	for (seed = first_array; seed < first_array + arrays; seed++) {
		uint64_t random = seed;
		xc_array_shape shape = {.dimensions = 0};
		xc_array_options o;
		size_t count = 1;
		set_shape(&shape, &random);
		set_options(&o, &random);
		for (int k = 0; k < shape.dimensions; k++)
			count *= shape.size[k];
		void *values = malloc(count * sizeof(float));
		const double noise = pow(10, -(double)check_below(&random, 6)) / 4;
		const double scale = shape.type ? 0.7 : pow(10, (double)check_below(&random, 60) - 30);
		const size_t row = (size_t)shape.size[shape.dimensions - 1];
		for (size_t i = 0; i < count; i++) {
			const double wave = sin((double)(i % row) / 9) * cos((double)(i / row) / 7);
			const double any = (double)check_below(&random, 1 << 24) / (1 << 24) - 0.5;
			set_value(shape.type, values, i, scale * (wave + noise * any));
		}
		/* One spike, and one -0 among integers. */
		if (shape.type == XC_ARRAY_FLOAT32 && !check_below(&random, 3))
			((float *)values)[count / 2] = 1e9F;
		for (size_t i = 0; shape.type == XC_ARRAY_FLOAT32 && seed % 5 == 0 && i < count; i++)
			((float *)values)[i] = i == count / 3 ? -0.0F : floorf(((float *)values)[i]);
		check_array(&shape, &o, values, count);
		free(values);
	}
}

/* Files of which bytes are wrong: refused or read as the CPU does. */
static void damage(void)
{
	const xc_array_shape shape = {XC_ARRAY_FLOAT32, 3, {8, 50, 60}};
	float *values = malloc(24000 * sizeof *values), *right = malloc(24000 * sizeof *right);
	void *back = test_gpu_pinned(gpu, 24000 * sizeof(float));
	uint64_t random = 7;
	OWN_BUFFER(cpu, file);

	for (int i = 0; i < 24000; i++)
		values[i] = sinf((float)i / 20) + (float)check_below(&random, 1000) / 1000;
	SUCCEEDS(cpu, xc_array_encode(cpu, &shape, values, NULL, &file));
	for (int i = 0; i < 300 && file.size; i++) {
		const size_t at = check_below(&random, (uint32_t)file.size);
		uint8_t *byte = (uint8_t *)file.data + at;
		const uint8_t before = *byte;
		*byte ^= (uint8_t)(1 + check_below(&random, 255));
		const xc_source source = {.memory = file.data, .size = file.size};
		OWN_READER r = NULL;
		xc_status wanted = xc_array_reader_new(cpu, &source, &r);
		if (!wanted)
			wanted = xc_array_read(r, NULL, 1, right);
		const xc_status got = xc_cuda_array_decode(gpu, file.data, file.size, back, NULL);
		CHECK(got == wanted, "byte %zu: status %d instead of %d", at, (int)got, (int)wanted);
		CHECK(wanted || !memcmp(back, right, 24000 * sizeof(float)), "byte %zu: other values", at);
		*byte = before;
	}
	xc_cuda_release(gpu, back);
	free(values);
	free(right);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		arrays = strtoull(argv[1], NULL, 10);
	if (argc > 2)
		first_array = strtoull(argv[2], NULL, 10);
	cpu = xc_context_new(NULL);
	gpu_context = xc_context_new(NULL);
	if (!cpu || !gpu_context)
		return 1;
	if (!test_gpu_open(gpu_context, &gpu))
		return CHECK_SKIPPED;
	RUN(waves, made_arrays, damage);
	xc_cuda_close(gpu);
	xc_context_free(gpu_context);
	xc_context_free(cpu);
	return check_done();
}
