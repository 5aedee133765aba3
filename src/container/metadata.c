/* SPDX-License-Identifier: BSD-2-Clause */
/* The ancillary chunks: what travels beside the pixels (doc/format.md, sections 3.7 to 3.14). */
#include "src/container/parser.h"

#include <string.h>

/* The chunks of one length.  Their payloads are numbers. */
enum { DENS, CICP, GAMA, SBIT, RANG, NUMBERS };
static const struct {
	char type[5];
	uint8_t length;
} numbers[NUMBERS] = {[DENS] = {"dens", 9},
                      [CICP] = {"cicp", 4},
                      [GAMA] = {"gama", 36},
                      [SBIT] = {"sbit", 4},
                      [RANG] = {"rang", 4}};

/* The chunks whose payload is one of the blobs. */
static const struct {
	char type[5];
	size_t offset;
} blobs[] = {{"iccp", offsetof(xc_metadata, icc)},
             {"exif", offsetof(xc_metadata, exif)},
             {"xmpp", offsetof(xc_metadata, xmp)},
             {"iptc", offsetof(xc_metadata, iptc)},
             {"text", offsetof(xc_metadata, text)}};
enum { BLOBS = sizeof blobs / sizeof *blobs };

static const xc_blob *blob_at(const xc_metadata *m, int i)
{
	return (const void *)((const char *)m + blobs[i].offset);
}

static uint64_t blob_bytes(const xc_blob *b)
{
	return b->data ? b->size : 0;
}

/* -------------------------------------------------------------- reading */

static void take_numbers(int kind, const uint8_t *b, xc_metadata *m)
{
	switch (kind) {
	case DENS:
		if (b[8] > 1) /* no writer of picture files would know what it means */
			break;
		m->density_x = xc_get_u32(b);
		m->density_y = xc_get_u32(b + 4);
		m->density_unit = b[8];
		break;
	case CICP:
		memcpy(m->cicp, b, sizeof m->cicp);
		break;
	case GAMA:
		m->gamma = xc_get_u32(b);
		for (int i = 0; i < 8; i++)
			m->primaries[i] = xc_get_u32(b + 4 + 4 * i);
		break;
	case RANG:
		m->range = (uint16_t)xc_get_u32(b);
		m->maxval = (uint16_t)(xc_get_u32(b) >> 16);
		break;
	default:
		memcpy(m->significant_bits, b, sizeof m->significant_bits);
	}
}

xc_status xc_metadata_take(xc_context *c, const char type[5], const uint8_t *payload,
                           uint64_t length, uint64_t offset, xc_metadata *m)
{
	for (int i = 0; i < NUMBERS; i++) {
		if (memcmp(type, numbers[i].type, 4))
			continue;
		if (length != numbers[i].length)
			return xc_fail(c, XC_ERR_CORRUPT, "%s has a wrong length (at byte %llu)", type,
			               (unsigned long long)offset);
		take_numbers(i, payload, m);
	}
	for (int i = 0; i < BLOBS; i++) {
		if (memcmp(type, blobs[i].type, 4))
			continue;
		if (length > c->limits.max_metadata)
			return xc_fail(c, XC_ERR_LIMIT, "%s is longer than the limit of %llu bytes", type,
			               (unsigned long long)c->limits.max_metadata);
		*(xc_blob *)(void *)((char *)m + blobs[i].offset) = (xc_blob){payload, (size_t)length};
	}
	return XC_OK;
}

/* -------------------------------------------------------------- writing */

/* Puts the numbers of a chunk at b. Returns 0 if they are all zero, so that there is no need for
 * the chunk. */
static int put_numbers(int kind, const xc_metadata *m, uint8_t b[36])
{
	xc_writer w = {b};
	uint8_t any = 0;

	memset(b, 0, 36);
	switch (kind) {
	case DENS:
		xc_write_u32(&w, m->density_x);
		xc_write_u32(&w, m->density_y);
		break;
	case CICP:
		memcpy(b, m->cicp, sizeof m->cicp);
		break;
	case GAMA:
		xc_write_u32(&w, m->gamma);
		for (int i = 0; i < 8; i++)
			xc_write_u32(&w, m->primaries[i]);
		break;
	case RANG:
		xc_write_u32(&w, m->range | (uint32_t)m->maxval << 16);
		break;
	default:
		memcpy(b, m->significant_bits, sizeof m->significant_bits);
	}
	for (int i = 0; i < 36; i++)
		any |= b[i];
	if (kind == DENS)
		b[8] = m->density_unit;
	return any != 0;
}

void xc_write_metadata(xc_writer *w, const xc_metadata *m, const xc_metadata *before)
{
	uint8_t payload[36];

	for (int i = 0; m && i < NUMBERS; i++)
		if (!(before && put_numbers(i, before, payload)) && put_numbers(i, m, payload))
			xc_write_chunk(w, numbers[i].type, payload, numbers[i].length);
	for (int i = 0; m && i < BLOBS; i++)
		if (!(before && blob_at(before, i)->data) && blob_at(m, i)->data)
			xc_write_chunk(w, blobs[i].type, blob_at(m, i)->data, blob_at(m, i)->size);
}

uint64_t xc_metadata_bound(const xc_metadata *m)
{
	uint64_t n = 0;

	for (int i = 0; m && i < NUMBERS; i++)
		n += XC_CHUNK_OVERHEAD + numbers[i].length;
	for (int i = 0; m && i < BLOBS; i++)
		n += XC_CHUNK_OVERHEAD + blob_bytes(blob_at(m, i));
	return n;
}

/* Whether a blob ends in a zero byte and has an even number of these. */
static int is_pairs(const xc_blob *text)
{
	const uint8_t *p = text->data;
	const uint64_t size = blob_bytes(text);
	uint64_t zeros = 0;

	for (uint64_t i = 0; i < size; i++)
		zeros += !p[i];
	return !size || (!p[size - 1] && zeros % 2 == 0);
}

xc_status xc_metadata_check(xc_context *c, const xc_metadata *m)
{
	const uint64_t max = c->limits.max_metadata;

	if (!m)
		return XC_OK;
	if ((m->density_x || m->density_y) && m->density_unit > 1)
		return xc_fail(c, XC_ERR_ARGUMENT, "density unit %u; 0 and 1 are possible",
		               m->density_unit);
	for (int i = 0; i < BLOBS; i++)
		if (blob_bytes(blob_at(m, i)) > max)
			return xc_fail(c, XC_ERR_LIMIT, "metadata is longer than the limit of %llu bytes",
			               (unsigned long long)max);
	if (!is_pairs(&m->text))
		return xc_fail(c, XC_ERR_ARGUMENT,
		               "the text is not pairs of a key and a value that end in zero bytes");
	return XC_OK;
}
