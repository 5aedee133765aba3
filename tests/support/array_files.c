/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/array_files.h"

#include <string.h>
#include <zlib.h>

#include "formats/array/kind.h"
#include "tests/support/check.h"

static ptrdiff_t read_memory(void *user, void *to, size_t size)
{
	xc_memory *m = user;
	const size_t n = m->at >= m->size ? 0 : m->size - m->at < size ? m->size - m->at : size;

	if (n)
		memcpy(to, m->data + m->at, n);
	m->at += n;
	return (ptrdiff_t)n;
}

static int seek_memory(void *user, uint64_t to)
{
	((xc_memory *)user)->at = to < SIZE_MAX ? (size_t)to : SIZE_MAX;
	return 0;
}

xc_array_source xc_memory_source(xc_memory *m)
{
	return (xc_array_source){{read_memory, m}, seek_memory, m->size};
}

xc_array_source xc_memory_pipe(xc_memory *m)
{
	return (xc_array_source){{read_memory, m}, NULL, XC_ARRAY_SIZE_UNKNOWN};
}

int xc_memory_write(void *user, const void *bytes, size_t size)
{
	xc_bytes_add(user, bytes, size);
	return 0;
}

static void keep(xc_test_array *a, const char name[5], const void *bytes, size_t size)
{
	xc_bytes_add(&a->attached, name, 4);
	xc_bytes_add_le32(&a->attached, (uint32_t)size);
	xc_bytes_add(&a->attached, bytes, size);
}

static xc_status next_kept(void *user, char name[5], const void **bytes, size_t *size)
{
	xc_test_array *a = user;

	*size = 0;
	if (a->attached_at == a->attached.size)
		return XC_OK;
	const uint8_t *p = a->attached.data + a->attached_at;
	memcpy(name, p, 4);
	name[4] = '\0';
	*size = xc_load_le32(p + 4);
	*bytes = p + 8;
	a->attached_at += 8 + *size;
	return XC_OK;
}

static xc_status keep_all(xc_array_input *in, xc_test_array *a, char *message)
{
	char name[5];
	const void *bytes;
	size_t size;
	xc_status status;

	while (!(status = xc_array_input_attached(in, name, &bytes, &size, message)) && size)
		keep(a, name, bytes, size);
	return status;
}

void xc_test_array_free(xc_test_array *a)
{
	free(a->values);
	xc_bytes_free(&a->attached);
}

/* Reads in portions of a size that no row has. */
static xc_status read_values(xc_array_input *in, xc_test_array *a, char *message)
{
	const size_t size = xc_array_value_size(in->shape.type);
	xc_status status = XC_OK;

	if (in->values > XC_TEST_ARRAY_MAX / size) {
		snprintf(message, XC_FILE_MESSAGE, "too large for a test");
		return XC_ERR_LIMIT;
	}
	a->size = (size_t)in->values * size;
	a->values = xc_test_malloc(a->size);
	for (uint64_t at = 0, n; at < in->values && !status; at += n) {
		n = in->values - at < 1009 ? in->values - at : 1009;
		status = xc_array_input_read(in, a->values + at * size, n, message);
	}
	return status;
}

xc_status xc_array_load(const xc_array_source *source, const char *name, const char *raw,
                        xc_test_array *a, char message[XC_FILE_MESSAGE])
{
	xc_array_input *in;
	xc_status status = xc_array_input_new(source, name, raw, &in, message);

	if (status)
		return status;
	a->shape = in->shape;
	a->fill = in->has_fill ? in->fill : 0;
	a->rounding = in->rounding;
	snprintf(a->format, sizeof a->format, "%s", in->format);
	status = keep_all(in, a, message);
	if (!status)
		status = read_values(in, a, message);
	if (!status)
		status = keep_all(in, a, message);
	if (!status)
		xc_array_input_end(in, a->warning);
	xc_array_input_free(in);
	return status;
}

void xc_array_gzip(xc_bytes *b)
{
	const xc_bytes plain = *b;
	uint8_t *out = xc_test_malloc(plain.size + 1024);
	z_stream z = {.next_in = plain.data, .avail_in = (uInt)plain.size, .next_out = out};

	z.avail_out = (uInt)plain.size + 1024;
	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	b->size = 0;
	xc_bytes_add(b, out, z.total_out);
	deflateEnd(&z);
	free(out);
}

xc_status xc_array_save(const char *name, xc_test_array *a, xc_bytes *out,
                        char message[XC_FILE_MESSAGE])
{
	const size_t size = xc_array_value_size(a->shape.type);
	const xc_byte_sink sink = {xc_memory_write, out};
	const xc_array_attachments attachments = {next_kept, a};
	xc_array_output *o;

	out->size = 0;
	a->attached_at = 0;
	xc_status status = xc_array_output_new(name, &sink, &a->shape, a->part, &attachments, &o,
	                                       message);
	for (size_t at = 0, n; at < a->size && !status; at += n) {
		n = a->size - at < 777 * size ? a->size - at : 777 * size;
		status = xc_array_output_write(o, a->values + at, n / size, message);
	}
	if (!status)
		status = xc_array_output_end(o, message);
	xc_array_output_free(o);
	return status;
}

void xc_array_make(xc_test_array *a, xc_array_type type, int dimensions)
{
	static const uint64_t sizes[] = {2, XC_TEST_PAGES, XC_TEST_ROWS, XC_TEST_COLUMNS};
	uint64_t seed = (uint64_t)type * 4 + (uint64_t)dimensions;

	a->shape = (xc_array_shape){.type = type, .dimensions = dimensions};
	a->size = xc_array_value_size(type);
	for (int i = 0; i < dimensions; i++) {
		a->shape.size[i] = sizes[4 - dimensions + i];
		a->size *= (size_t)a->shape.size[i];
	}
	a->values = xc_test_malloc(a->size);
	for (size_t i = 0; i < a->size; i++)
		a->values[i] = (uint8_t)check_random(&seed);
}

void xc_array_set(xc_bytes *b, size_t at, uint64_t value, int bytes, int little)
{
	for (int i = 0; i < bytes; i++)
		b->data[at + (size_t)i] = (uint8_t)(value >> 8 * (little ? i : bytes - 1 - i));
}

void xc_array_make_segy(xc_bytes *b, int format, int size, int little, int rev, int stanzas)
{
	uint64_t seed = (uint64_t)format;
	const size_t start = 3600 + (rev ? 3200 : 0), stride = 240 + 4 * (size_t)size;

	b->size = 0;
	for (size_t i = 0; i < start + 6 * stride + 3200 * (size_t)stanzas; i++)
		xc_bytes_add_u8(b, i < 3200 || i >= start ? (uint32_t)check_random(&seed) | 1 : 0);
	b->data[0] = 'C';
	xc_array_set(b, 3220, 4, 2, little);
	xc_array_set(b, 3224, (uint64_t)format, 2, little);
	b->data[3500] = (uint8_t)rev;
	xc_array_set(b, 3504, rev != 0, 2, little);
	xc_array_set(b, 3296, rev == 2 ? 0x01020304 : 0, 4, little);
	xc_array_set(b, 3528, (uint64_t)stanzas, 4, little);
	for (size_t i = 0; i < 6; i++) {
		const size_t at = start + i * stride;
		xc_array_set(b, at + 114, 4, 2, little);
		xc_array_set(b, at + 188, 100 - i / 2, 4, little);
		xc_array_set(b, at + 192, 7 + 3 * (i % 2), 4, little);
		for (size_t k = 0; k < 4 && format == 1; k++)
			xc_array_set(b, at + 240 + 4 * k, 0x42100000 | (0x1234567 * (i + k + 1) & 0xfffff), 4,
			             little);
	}
}
