/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/decoders/vectors.h"

#include <stdio.h>
#include <string.h>
#include <xcodec_array.h>
#include <xcodec_jpeg.h>

#include "src/core/sha256.h"

static const char *const classes[XC_VECTOR_CLASSES] = {"good", "damaged", "bad", "unsupported",
                                                       "limit"};

const char *xc_vector_class_name(xc_vector_class c)
{
	return classes[c];
}

static void put_hash(xc_vector_result *r, const void *data, size_t size)
{
	uint8_t hash[XC_SHA256_BYTES];

	xc_sha256(data, size, hash);
	for (int i = 0; i < XC_SHA256_BYTES; i++)
		snprintf(r->hash + 2 * i, 3, "%02x", hash[i]);
}

/* Values of `each` bytes, whatever the machine's order. */
static void put_values(xc_vector_result *r, const void *values, size_t count, size_t each)
{
	OWN_MEMORY uint8_t *bytes = xc_test_copy(values, count * each);
	const uint16_t one = 1;

	for (size_t i = 0; !*(const uint8_t *)&one && i < count * each; i++)
		bytes[i] = ((const uint8_t *)values)[i / each * each + each - 1 - i % each];
	put_hash(r, bytes, count * each);
}

void xc_vector_refused(xc_vector_result *r, xc_status status)
{
	*r = (xc_vector_result){.class = status == XC_ERR_UNSUPPORTED ? XC_VECTOR_UNSUPPORTED
	                                 : status == XC_ERR_LIMIT     ? XC_VECTOR_LIMIT
	                                                              : XC_VECTOR_BAD,
	                        .shape = "-",
	                        .hash = "-"};
}

void xc_vector_picture(xc_vector_result *r, const xc_picture *p)
{
	const size_t each = p->depth / 8, row = (size_t)p->width * p->channels;
	OWN_MEMORY uint8_t *samples = xc_test_malloc(row * p->height * each);

	*r = (xc_vector_result){.class = XC_VECTOR_GOOD};
	for (uint32_t y = 0; y < p->height; y++)
		memcpy(samples + row * each * y, (const char *)p->data + p->stride * y, row * each);
	put_values(r, samples, row * p->height, each);
	snprintf(r->shape, sizeof r->shape, "picture:%ux%ux%ux%u", p->width, p->height, p->channels,
	         p->depth);
}

void xc_vector_array(xc_vector_result *r, uint32_t type, uint32_t dimensions, const uint64_t *size,
                     const void *values)
{
	static const char *const names[XC_ARRAY_TYPES] = {"float32", "float64", "int8",   "int16",
	                                                  "int32",   "uint8",   "uint16", "uint32"};
	static const uint8_t bytes[XC_ARRAY_TYPES] = {4, 8, 1, 2, 4, 1, 2, 4};
	size_t count = 1;
	int n;

	*r = (xc_vector_result){.class = XC_VECTOR_GOOD};
	n = snprintf(r->shape, sizeof r->shape, "array:%s:", names[type]);
	for (uint32_t k = 0; k < dimensions; k++) {
		n += snprintf(r->shape + n, sizeof r->shape - (size_t)n, "%s%llu", k ? "x" : "",
		              (unsigned long long)size[k]);
		count *= (size_t)size[k];
	}
	put_values(r, values, count, bytes[type]);
}

void xc_vector_jpeg(xc_vector_result *r, const void *bytes, uint64_t size)
{
	*r = (xc_vector_result){.class = XC_VECTOR_GOOD};
	put_hash(r, bytes, (size_t)size);
	snprintf(r->shape, sizeof r->shape, "jpeg:%llu", (unsigned long long)size);
}

static void decode_array(xc_context *c, const uint8_t *file, size_t size, xc_vector_result *r)
{
	const xc_source source = {.memory = file, .size = size};
	xc_array_reader *reader;
	xc_array_info info;
	size_t count = 8;
	xc_status s = xc_array_reader_new(c, &source, &reader);

	if (!s) {
		xc_array_reader_info(reader, &info);
		for (int k = 0; k < info.shape.dimensions; k++)
			count *= (size_t)info.shape.size[k];
		OWN_MEMORY void *values = xc_test_malloc(count);
		s = xc_array_read(reader, NULL, 1, values);
		if (!s)
			xc_vector_array(r, (uint32_t)info.shape.type, (uint32_t)info.shape.dimensions,
			                info.shape.size, values);
		xc_array_reader_free(reader);
	}
	if (s)
		xc_vector_refused(r, s);
}

static void decode_picture(xc_context *c, const uint8_t *file, size_t size, xc_vector_result *r)
{
	xc_decode_options options = {.keep_going = 0};
	xc_picture p = {0};
	xc_status s = xc_decode(c, file, size, &options, &p);

	if (s)
		xc_vector_refused(r, s);
	const int damaged = s && r->class == XC_VECTOR_BAD;
	options.keep_going = 1;
	if (damaged)
		s = xc_decode(c, file, size, &options, &p);
	if (!s)
		xc_vector_picture(r, &p);
	if (!s && damaged) {
		r->class = XC_VECTOR_DAMAGED;
		r->damaged = options.damaged_segments;
	}
	xc_picture_free(c, &p);
}

void xc_vector_decode(xc_context *c, const uint8_t *file, size_t size, xc_vector_result *r)
{
	xc_buffer jpeg;

	if (xc_array_is(file, size)) {
		decode_array(c, file, size, r);
	} else if (xc_jpeg_is(file, size)) {
		const xc_status s = xc_jpeg_decode(c, file, size, &jpeg);
		if (s)
			xc_vector_refused(r, s);
		else
			xc_vector_jpeg(r, jpeg.data, jpeg.size);
		xc_buffer_free(c, &jpeg);
	} else {
		decode_picture(c, file, size, r);
	}
}

int xc_vector_same(const xc_vector_result *a, const xc_vector_result *b)
{
	return a->class == b->class && a->damaged == b->damaged && !strcmp(a->shape, b->shape) &&
	       !strcmp(a->hash, b->hash);
}

unsigned xc_vectors_each(void (*each)(const xc_test_vector *vector))
{
	const char *folder = getenv("srcdir");
	char path[1024], line[512], class[16];
	unsigned count = 0;

	folder = folder ? folder : ".";
	snprintf(path, sizeof path, "%s/tests/vectors/MANIFEST", folder);
	FILE *f = fopen(path, "r");
	if (!f) {
		printf("# %s cannot be read\n", path);
		return 0;
	}
	while (fgets(line, sizeof line, f)) {
		xc_test_vector v = {.name = ""};
		unsigned long long damaged = 0;
		if (*line == '#' || sscanf(line, "%79s %15[a-z]:%llu", v.name, class, &damaged) < 2 ||
		    sscanf(line, "%*s %*s %79s %64s", v.wanted.shape, v.wanted.hash) < 2)
			continue;
		while (v.wanted.class < XC_VECTOR_LIMIT && strcmp(class, classes[v.wanted.class]) != 0)
			v.wanted.class ++;
		v.wanted.damaged = damaged;
		snprintf(path, sizeof path, "%s/tests/vectors/%s", folder, v.name);
		if (!xc_bytes_load(&v.file, path)) {
			printf("# %s cannot be read\n", path);
			count = 0;
			break;
		}
		each(&v);
		xc_bytes_free(&v.file);
		count++;
	}
	fclose(f);
	return count;
}
