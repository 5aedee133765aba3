/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/xc_files.h"

#include <string.h>

#include "src/core/crc32c.h"
#include "tests/support/check.h"

enum { MAGIC = 8 };

static uint32_t le(const uint8_t *p, uint32_t bytes)
{
	uint32_t v = 0;

	for (uint32_t i = 0; i < bytes; i++)
		v |= (uint32_t)p[i] << 8 * i;
	return v;
}

static void put_le(uint8_t *p, uint32_t value, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

static int part_at(const uint8_t *file, size_t size, size_t at, xc_file_chunk *part)
{
	uint64_t length = 0;
	size_t n = at + 4;

	if (size < at || size - at < 9)
		return 0;
	for (unsigned shift = 0;; shift += 7) {
		if (n == size || shift > 56)
			return 0;
		length |= (uint64_t)(file[n] & 127) << shift;
		if (file[n++] < 128)
			break;
	}
	if (size - n < 4 || length > size - n - 4)
		return 0;
	memcpy(part->type, file + at, 4);
	part->type[4] = '\0';
	part->offset = at;
	part->payload = n;
	part->length = (size_t)length;
	part->end = n + (size_t)length + 4;
	return 1;
}

int xc_file_chunks(const uint8_t *file, size_t size, xc_file_chunk parts[XC_FILE_CHUNKS_MAX])
{
	int n = 0;

	for (size_t at = MAGIC; n < XC_FILE_CHUNKS_MAX && part_at(file, size, at, &parts[n]); n++)
		at = parts[n].end;
	return n;
}

const xc_file_chunk *xc_file_chunk_find(const xc_file_chunk *parts, int count, const char *type)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(parts[i].type, type))
			return &parts[i];
	return NULL;
}

void xc_bytes_add_magic(xc_bytes *bytes)
{
	xc_bytes_add(bytes, "\x8fXC\r\n\x1a\n\x03", MAGIC);
}

void xc_bytes_add_length(xc_bytes *bytes, uint64_t length)
{
	for (; length > 127; length >>= 7)
		xc_bytes_add_u8(bytes, 128 | (uint32_t)(length & 127));
	xc_bytes_add_u8(bytes, (uint32_t)length);
}

void xc_bytes_add_chunk(xc_bytes *bytes, const char *type, const void *payload, size_t size)
{
	const size_t start = bytes->size;

	xc_bytes_add(bytes, type, 4);
	xc_bytes_add_length(bytes, size);
	xc_bytes_add(bytes, payload, size);
	xc_bytes_add_le32(bytes, xc_crc32c(0, bytes->data + start, bytes->size - start));
}

void xc_bytes_splice(xc_bytes *out, const void *file, size_t size, size_t from, size_t to,
                     const char *type, const void *payload, size_t length, int copies)
{
	out->size = 0;
	xc_bytes_add(out, file, from);
	for (int i = 0; i < copies; i++)
		xc_bytes_add_chunk(out, type, payload, length);
	xc_bytes_add(out, (const uint8_t *)file + to, size - to);
}

void xc_bytes_add_head(xc_bytes *bytes, const xc_head *head)
{
	xc_bytes_add_longer_head(bytes, head, 0);
}

void xc_bytes_add_longer_head(xc_bytes *bytes, const xc_head *head, uint32_t more)
{
	const uint32_t small[] = {head->channels,  head->depth,   head->subsampling,
	                          head->transform, head->entropy, head->quality};
	OWN_BYTES b = {0};

	xc_bytes_add_le32(&b, head->width);
	xc_bytes_add_le32(&b, head->height);
	for (size_t i = 0; i < COUNT(small); i++)
		xc_bytes_add_u8(&b, small[i]);
	xc_bytes_add_le16(&b, head->tile_wide);
	xc_bytes_add_le16(&b, head->tile_high);
	for (uint32_t i = 0; i < more; i++)
		xc_bytes_add_u8(&b, 255 - i);
	xc_bytes_add_chunk(bytes, "HEAD", b.data, b.size);
}

/* Check values of the index, then the CRC of DATA. */
static void fix_segments(uint8_t *file, const xc_file_chunk *index, const xc_file_chunk *data)
{
	const uint32_t width = index->length ? file[index->payload] : 0;

	if (width < 2 || width > 4)
		return;
	uint32_t crc = xc_crc32c(0, file + data->offset, data->payload - data->offset);
	size_t at = 0;
	for (size_t e = 1; e + width + 2 <= index->length; e += width + 2) {
		uint8_t *entry = file + index->payload + e, bytes[4];
		const uint32_t size = le(entry, width);
		if (size > data->length - at)
			break;
		const uint32_t check = xc_crc32c(0, file + data->payload + at, size);
		at += size;
		put_le(entry + width, check & 0xffff, 2);
		put_le(bytes, check, 4);
		crc = xc_crc32c(crc, bytes, 4);
	}
	put_le(file + data->end - 4, crc, 4);
}

void xc_file_fix(uint8_t *file, size_t size)
{
	xc_file_chunk parts[XC_FILE_CHUNKS_MAX];
	const int n = xc_file_chunks(file, size, parts);
	const xc_file_chunk *index = NULL;

	for (int i = 0; i < n; i++) {
		const xc_file_chunk *p = &parts[i];
		if (!strcmp(p->type, "DATA") && index)
			fix_segments(file, index, p);
		index = !strcmp(p->type, "INDX") ? p : index;
	}
	for (int i = 0; i < n; i++) {
		const xc_file_chunk *p = &parts[i];
		if (strcmp(p->type, "DATA"))
			put_le(file + p->end - 4, xc_crc32c(0, file + p->offset, p->end - 4 - p->offset), 4);
	}
}
