/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of arrays: every format is written, read, and written again with what was attached; damaged
 * and hostile files are refused in one line; IBM floats of every exponent.
 *
 * For tests/formats/array_files.sh,
 *
 * 	check_array_files --convert IN OUT [RAW]
 *
 * reads any file of an array and writes another one, with the attachments, and prints format, shape
 * and warnings.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/array/segy.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

static char message[XC_FILE_MESSAGE];

/* ------------------------------------------------------ memory as source and sink */

typedef struct memory {
	const uint8_t *data;
	size_t size, at;
} memory;

static ptrdiff_t read_memory(void *user, void *to, size_t size)
{
	memory *m = user;
	const size_t n = m->at >= m->size ? 0 : m->size - m->at < size ? m->size - m->at : size;

	if (n)
		memcpy(to, m->data + m->at, n);
	m->at += n;
	return (ptrdiff_t)n;
}

static int seek_memory(void *user, uint64_t to)
{
	((memory *)user)->at = to < SIZE_MAX ? (size_t)to : SIZE_MAX;
	return 0;
}

static xc_array_source source_of(memory *m)
{
	return (xc_array_source){{read_memory, m}, seek_memory, m->size};
}

static xc_array_source pipe_of(memory *m)
{
	return (xc_array_source){{read_memory, m}, NULL, XC_ARRAY_SIZE_UNKNOWN};
}

static int write_bytes(void *user, const void *bytes, size_t size)
{
	xc_bytes_add(user, bytes, size);
	return 0;
}

/* Attachments in memory, as a file of ours would keep them: name, size, bytes. */
typedef struct kept {
	xc_bytes bytes;
	size_t at;
} kept;

static void keep(kept *k, const char name[5], const void *bytes, size_t size)
{
	xc_bytes_add(&k->bytes, name, 4);
	xc_bytes_add_le32(&k->bytes, (uint32_t)size);
	xc_bytes_add(&k->bytes, bytes, size);
}

static xc_status next_kept(void *user, char name[5], const void **bytes, size_t *size)
{
	kept *k = user;

	*size = 0;
	if (k->at == k->bytes.size)
		return XC_OK;
	const uint8_t *p = k->bytes.data + k->at;
	memcpy(name, p, 4);
	name[4] = '\0';
	*size = xc_load_le32(p + 4);
	*bytes = p + 8;
	k->at += 8 + *size;
	return XC_OK;
}

static xc_status keep_all(xc_array_input *in, kept *k)
{
	char name[5];
	const void *bytes;
	size_t size;
	xc_status status;

	while (!(status = xc_array_input_attached(in, name, &bytes, &size, message)) && size)
		keep(k, name, bytes, size);
	return status;
}

/* ------------------------------------------------------------------ conversions */

typedef struct array {
	xc_array_shape shape;
	uint8_t *values; /* malloc'ed */
	size_t size;     /* bytes */
	char format[16], warning[XC_FILE_MESSAGE];
	kept kept;
} array;

static void free_array(array *a)
{
	free(a->values);
	xc_bytes_free(&a->kept.bytes);
}
#define OWN_ARRAY __attribute__((cleanup(free_array))) array

/* Reads in portions of a size that no row has. */
static xc_status read_values(xc_array_input *in, array *a)
{
	const size_t size = xc_array_value_size(in->shape.type);
	xc_status status = XC_OK;

	a->size = (size_t)in->values * size;
	a->values = xc_test_malloc(a->size);
	for (uint64_t at = 0, n; at < in->values && !status; at += n) {
		n = in->values - at < 1009 ? in->values - at : 1009;
		status = xc_array_input_read(in, a->values + at * size, n, message);
	}
	return status;
}

static xc_status read_array(const xc_array_source *source, const char *name, const char *raw,
                            array *a)
{
	xc_array_input *in;
	xc_status status = xc_array_input_new(source, name, raw, &in, message);

	if (status)
		return status;
	a->shape = in->shape;
	snprintf(a->format, sizeof a->format, "%s", in->format);
	status = keep_all(in, &a->kept);
	if (!status)
		status = read_values(in, a);
	if (!status)
		status = keep_all(in, &a->kept);
	if (!status)
		xc_array_input_end(in, a->warning);
	xc_array_input_free(in);
	return status;
}

static xc_status write_array(const char *name, array *a, xc_bytes *out)
{
	const size_t size = xc_array_value_size(a->shape.type);
	const xc_byte_sink sink = {write_bytes, out};
	const xc_array_attachments attachments = {next_kept, &a->kept};
	xc_array_output *o;

	out->size = 0;
	a->kept.at = 0;
	xc_status status = xc_array_output_new(name, &sink, &a->shape, &attachments, &o, message);
	for (size_t at = 0, n; at < a->size && !status; at += n) {
		n = a->size - at < 777 * size ? a->size - at : 777 * size;
		status = xc_array_output_write(o, a->values + at, n / size, message);
	}
	if (!status)
		status = xc_array_output_end(o, message);
	xc_array_output_free(o);
	return status;
}

static int convert(const char *from, const char *to, const char *raw)
{
	OWN_ARRAY a = {.size = 0};
	OWN_BYTES out = {0};
	FILE *in = fopen(from, "rb");
	xc_status status = XC_ERR_IO;

	if (in) {
		const xc_array_source source = xc_array_source_file(in);
		status = read_array(&source, from, raw, &a);
		fclose(in);
	}
	if (!status)
		status = write_array(to, &a, &out);
	if (status) {
		printf("error: %s\n", message);
		return 1;
	}
	printf("%s", a.format);
	for (int i = 0; i < a.shape.dimensions; i++)
		printf("%c%" PRIu64, i ? 'x' : ' ', a.shape.size[i]);
	printf("; %zu bytes attached", a.kept.bytes.size);
	printf("%s%s%s%s\n", *a.warning ? "; " : "", a.warning, *message ? "; " : "", message);
	FILE *f = fopen(to, "wb");
	const int good = f && fwrite(out.data, 1, out.size, f) == out.size;
	return f && fclose(f) == 0 && good ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "--convert"))
		return convert(argv[2], argv[3], argc > 4 ? argv[4] : NULL);
	(void)pipe_of;
	(void)source_of;
	return check_done();
}
