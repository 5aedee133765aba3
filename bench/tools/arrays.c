/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrays [-g] [-n ROUNDS] [-e EFFORT] [-w WAY] -t f32|f64|i16 -s ZxYxX BOUND... FILE...: bytes and the
 * speed of coding raw values with bounds by their range (0: without loss), in memory, by one thread. WAY:
 * as xc_array_way. Sizes and bounds come before the first file that is named; each file has values of that
 * type and size; "layers" are made. The bound is checked.
 * -g: from and to the memory of a GPU, by all threads and the clock on the wall; the file is the CPU's.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xcodec_cuda.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Layers that bend, and noise of a hundredth of them. */
static void make_layers(const xc_array_shape *s, float *to)
{
	uint32_t random = 1;

	for (uint64_t z = 0; z < s->size[0]; z++)
		for (uint64_t y = 0; y < s->size[1]; y++)
			for (uint64_t x = 0; x < s->size[2]; x++) {
				random = random * 1664525 + 1013904223;
				const double at = (double)x / 6 + 4 * sin((double)y / 40) * cos((double)z / 30);
				*to++ = (float)(sin(at) + sin(0.37 * at) +
				                0.02 * ((double)random / 4294967296.0 - 0.5));
			}
}

/* The values of a file, or "layers" of float32; NULL: it has not that many. */
static void *load(const char *path, const xc_array_shape *shape, size_t bytes)
{
	const int made = !strcmp(path, "layers") && shape->type == XC_ARRAY_FLOAT32;
	FILE *f = made ? NULL : fopen(path, "rb");
	void *values = malloc(bytes);

	if (made && values)
		make_layers(shape, values);
	if (made)
		return values;
	if (f && values && fread(values, 1, bytes, f) != bytes) {
		free(values);
		values = NULL;
	}
	if (f)
		fclose(f);
	return f ? values : NULL;
}

/* Codes and decodes an array `rounds` times and prints a line; 0, or 1 after a failure. */
static int measure(xc_context *c, const char *path, const xc_array_shape *shape, const void *values,
                   size_t bytes, double bound, int effort, int way, int rounds)
{
	xc_array_options o;
	xc_array_difference d = {.values = 0};
	xc_array_info info = {.error = 0};
	xc_buffer file = {NULL, 0};
	double encode = 1e9, decode = 1e9;
	void *decoded = malloc(bytes);
	xc_status s = decoded ? XC_OK : XC_ERR_MEMORY;

	xc_array_options_default(&o);
	o.effort = effort;
	o.way = (xc_array_way)way;
	o.bound = bound;
	o.kind = bound > 0 ? XC_BOUND_RELATIVE : XC_BOUND_LOSSLESS;
	for (int i = 0; i < rounds && !s; i++) {
		xc_array_reader *r = NULL;
		xc_buffer_free(c, &file);
		double start = now();
		s = xc_array_encode(c, shape, values, &o, &file);
		encode = now() - start < encode ? now() - start : encode;
		const xc_source source = {.memory = file.data, .size = file.size};
		start = now();
		s = s ? s : xc_array_reader_new(c, &source, &r);
		s = s ? s : xc_array_read(r, NULL, 1, decoded);
		decode = now() - start < decode ? now() - start : decode;
		if (!s)
			xc_array_reader_info(r, &info);
		xc_array_reader_free(r);
	}
	if (s)
		fprintf(stderr, "%s: %s\n", path, xc_context_message(c));
	else
		s = xc_array_compare(c, shape, values, decoded, NULL, &d);
	if (!s && (bound > 0 ? d.error > info.error : d.different > 0))
		fprintf(stderr, "%s: the bound does not hold\n", path);
	if (!s)
		printf("%s %g: %zu bytes, ratio %.2f, encodes %.0f, decodes %.0f MB/s, PSNR %.2f dB\n",
		       path, bound, file.size, (double)bytes / (double)file.size,
		       (double)bytes / encode / 1e6, (double)bytes / decode / 1e6, d.psnr);
	xc_buffer_free(c, &file);
	free(decoded);
	return s != XC_OK;
}

static double wall(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes that come are held against the CPU's. */
typedef struct sink {
	xc_buffer wanted;
	size_t have, wrong;
} sink;

static int take(void *user, const void *data, size_t size)
{
	sink *s = user;

	s->wrong += size > s->wanted.size - s->have;
	if (!s->wrong && s->wanted.data)
		s->wrong += memcmp(s->wanted.data + s->have, data, size) != 0;
	s->have += size;
	return 0;
}

static int count(void *user, const void *data, size_t size)
{
	(void)data;
	((sink *)user)->have += size;
	return 0;
}

/* The same by a GPU. */
static int measure_gpu(xc_context *c, xc_cuda *gpu, const char *path, const xc_array_shape *shape,
                       const void *values, size_t bytes, double bound, int effort, int way,
                       int rounds)
{
	xc_array_options o;
	xc_buffer whole = {NULL, 0};
	sink file = {{NULL, 0}, 0, 0};
	double encode = 1e9, decode = 1e9;
	void *resident = NULL, *decoded = NULL, *pinned = NULL;

	xc_array_options_default(&o);
	o.effort = 0;
	/* Values come into the GPU's memory by a file without loss. */
	xc_status s = xc_array_encode(c, shape, values, &o, &whole);
	s = s ? s : xc_cuda_allocate_device(gpu, bytes, &resident);
	s = s ? s : xc_cuda_allocate_device(gpu, bytes, &decoded);
	s = s ? s : xc_cuda_array_decode(gpu, whole.data, whole.size, resident, NULL);
	o.effort = effort;
	o.way = (xc_array_way)way;
	o.bound = bound;
	o.kind = bound > 0 ? XC_BOUND_RELATIVE : XC_BOUND_LOSSLESS;
	s = s ? s : xc_array_encode(c, shape, values, &o, &file.wanted);
	s = s ? s : xc_cuda_allocate_pinned(gpu, file.wanted.size, &pinned);
	s = s ? s : xc_cuda_array_encode(gpu, shape, resident, &o, NULL, take, &file);
	if (!s && (file.wrong || file.have != file.wanted.size))
		fprintf(stderr, "%s: the GPU makes another file\n", path);
	if (!s)
		memcpy(pinned, file.wanted.data, file.wanted.size);
	for (int i = 0; i < rounds && !s; i++) {
		double start = wall();
		s = xc_cuda_array_encode(gpu, shape, resident, &o, NULL, count, &file);
		encode = wall() - start < encode ? wall() - start : encode;
		start = wall();
		s = s ? s : xc_cuda_array_decode(gpu, pinned, file.wanted.size, decoded, NULL);
		decode = wall() - start < decode ? wall() - start : decode;
	}
	if (s)
		fprintf(stderr, "%s: %s\n", path, xc_context_message(c));
	else
		printf("%s %g, effort %d: %zu bytes, ratio %.2f, encodes %.1f, decodes %.1f GB/s\n", path,
		       bound, effort, file.wanted.size, (double)bytes / (double)file.wanted.size,
		       (double)bytes / encode / 1e9, (double)bytes / decode / 1e9);
	xc_cuda_release(gpu, resident);
	xc_cuda_release(gpu, decoded);
	xc_cuda_release(gpu, pinned);
	xc_buffer_free(c, &file.wanted);
	xc_buffer_free(c, &whole);
	return s != XC_OK || file.wrong;
}

static int set_type(const char *name, xc_array_type *type)
{
	static const char names[3][4] = {"f32", "f64", "i16"};
	static const xc_array_type types[3] = {XC_ARRAY_FLOAT32, XC_ARRAY_FLOAT64, XC_ARRAY_INT16};

	for (int i = 0; i < 3; i++)
		if (!strcmp(name, names[i])) {
			*type = types[i];
			return 1;
		}
	return 0;
}

int main(int argc, char **argv)
{
	xc_array_shape shape = {.type = XC_ARRAY_FLOAT32, .dimensions = 3};
	unsigned long long z = 0, y = 0, x = 0;
	int rounds = 3, effort = 2, way = 0, failed = 0, option, good = 1, on_gpu = 0;
	xc_cuda *gpu = NULL;

	while ((option = getopt(argc, argv, "gn:e:w:t:s:")) != -1)
		if (option == 'g')
			on_gpu = 1;
		else if (option == 'n')
			rounds = atoi(optarg);
		else if (option == 'e')
			effort = atoi(optarg);
		else if (option == 'w')
			way = atoi(optarg);
		else if (option == 't')
			good &= set_type(optarg, &shape.type);
		else
			good &= option == 's' && sscanf(optarg, "%llux%llux%llu", &z, &y, &x) == 3;
	if (!good || !z || !y || !x || rounds < 1 || optind == argc) {
		fprintf(
			stderr,
			"usage: arrays [-g] [-n ROUNDS] [-e EFFORT] [-w WAY] [-t f32|f64|i16] -s ZxYxX BOUND... "
			"FILE...\n");
		return 2;
	}
	shape.size[0] = z;
	shape.size[1] = y;
	shape.size[2] = x;
	const size_t bytes = (size_t)(z * y * x) * xc_array_type_size(shape.type);
	xc_context *c = xc_context_new(NULL);
	int bounds = optind;
	char *end;
	while (bounds < argc && (strtod(argv[bounds], &end), *end == '\0'))
		bounds++;
	failed = !c || (!on_gpu && xc_context_set_threads(c, 1));
	if (!failed && on_gpu && xc_cuda_open(c, 0, &gpu)) {
		fprintf(stderr, "%s\n", xc_context_message(c));
		failed = 1;
	}
	for (int i = bounds; i < argc && !failed; i++) {
		void *values = load(argv[i], &shape, bytes);
		if (!values)
			fprintf(stderr, "%s: no file of %zu bytes\n", argv[i], bytes);
		failed |= !values;
		for (int b = optind; b < bounds && values; b++)
			failed |= gpu ? measure_gpu(c, gpu, argv[i], &shape, values, bytes,
			                            strtod(argv[b], NULL), effort, way, rounds)
			              : measure(c, argv[i], &shape, values, bytes, strtod(argv[b], NULL),
			                        effort, way, rounds);
		free(values);
	}
	xc_cuda_close(gpu);
	xc_context_free(c);
	return failed;
}
