/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arrays [-n ROUNDS] [-e EFFORT] [-w WAY] -t f32|f64|i16 -s ZxYxX BOUND... FILE...: bytes and the speed of coding raw
 * values with bounds by their range (0: without loss), in memory, by one thread. Sizes and bounds come
 * before the first file that is named (WAY: as xc_array_way); each file has values of that type and size. The bound is checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xcodec_array.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The values of a file; NULL: it has not that many. */
static void *load(const char *path, size_t bytes)
{
	FILE *f = fopen(path, "rb");
	void *values = malloc(bytes);

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
		s = xc_array_compare(c, shape, values, decoded, &d);
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
	int rounds = 3, effort = 2, way = 0, failed = 0, option, good = 1;

	while ((option = getopt(argc, argv, "n:e:w:t:s:")) != -1)
		if (option == 'n')
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
			"usage: arrays [-n ROUNDS] [-e EFFORT] [-w WAY] [-t f32|f64|i16] -s ZxYxX BOUND... FILE...\n");
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
	failed = !c || xc_context_set_threads(c, 1);
	for (int i = bounds; i < argc && !failed; i++) {
		void *values = load(argv[i], bytes);
		if (!values)
			fprintf(stderr, "%s: no file of %zu bytes\n", argv[i], bytes);
		failed |= !values;
		for (int b = optind; b < bounds && values; b++)
			failed |= measure(c, argv[i], &shape, values, bytes, strtod(argv[b], NULL), effort, way,
			                  rounds);
		free(values);
	}
	xc_context_free(c);
	return failed;
}
