/* SPDX-License-Identifier: BSD-2-Clause */
/* The colour of a PNG file without a profile. */
#include "formats/png/beside.h"
#include "formats/png/write.h"

#include <stdlib.h>
#include <string.h>

enum { PRIMARIES = 8 };

/* 1 / 2.2, and x and y of white, red, green and blue (ITU-R BT.709), in units of 1/100000. */
static const uint32_t srgb_gamma = 45455;
static const uint32_t srgb_primaries[PRIMARIES] = {31270, 32900, 64000, 33000,
                                                   30000, 60000, 15000, 6000};

static int is_type(const void *type, const char *name)
{
	return memcmp(type, name, 4) == 0;
}

static int is_text(const void *type)
{
	return is_type(type, "tEXt") || is_type(type, "zTXt") || is_type(type, "iTXt");
}

/* A chunk of colour, the number of bytes that it must have (0: 1 to 4), and its name. */
static const struct {
	char type[5];
	uint8_t size;
	const char *what;
} known[] = {{"cICP", 4, "colour (cICP) is"},
             {"gAMA", 4, "gamma is"},
             {"cHRM", 32, "primaries (cHRM) are"},
             {"sBIT", 0, "significant bits are"}};

int xc_png_is_beside(const void *type)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is_type(type, known[i].type))
			return 1;
	return is_text(type) || is_type(type, "sRGB") || is_type(type, "acTL");
}

/* The matrix of RGB is 0.  Numbers of zero would mean that there is no description. */
static int take_cicp(xc_metadata *m, const uint8_t *data)
{
	if (!data[0] || data[2] || data[3] > 1)
		return 0;
	memcpy(m->cicp, data, 4);
	return 1;
}

static int take_bits(xc_png_beside *b, const uint8_t *data, size_t size, uint64_t offset)
{
	for (size_t i = 0; i < size; i++)
		if (data[i] < 1 || data[i] > 16)
			return 0;
	b->significant = size;
	b->significant_at = offset;
	memcpy(b->significant_bits, data, size);
	return 1;
}

/* Takes the chunk known[which]; returns 0 if its numbers are none. */
static int take_colour(xc_png_beside *b, xc_metadata *m, int which, const uint8_t *data,
                       size_t size, uint64_t offset)
{
	switch (which) {
	case 0:
		return take_cicp(m, data);
	case 1:
		b->gamma = xc_load_be32(data);
		return b->gamma != 0;
	case 2:
		for (int i = 0; i < PRIMARIES; i++)
			b->primaries[i] = xc_load_be32(data + 4 * i);
		return 1;
	default:
		return take_bits(b, data, size, offset);
	}
}

xc_status xc_png_take_beside(xc_png_beside *b, xc_file_reader *file, const void *type,
                             const uint8_t *data, size_t size, uint64_t offset)
{
	if (is_text(type)) {
		if (data)
			return xc_png_take_text(file, type, data, size, offset);
		xc_file_warn(file->message, "PNG text is damaged: left out (at byte %llu)",
		             (unsigned long long)offset);
		return XC_OK;
	}
	b->srgb |= is_type(type, "sRGB");
	b->animated |= is_type(type, "acTL");
	for (int i = 0; i < (int)(sizeof known / sizeof *known); i++) {
		if (!is_type(type, known[i].type))
			continue;
		const int fits = known[i].size ? size == known[i].size : size >= 1 && size <= 4;
		if (!data || !fits || !take_colour(b, &file->out->metadata, i, data, size, offset))
			xc_file_warn(file->message, "PNG %s damaged: left out (at byte %llu)", known[i].what,
			             (unsigned long long)offset);
	}
	return XC_OK;
}

/* 0.45, 0.4545 and the like are meant to be the same; 5 % is hardly visible. */
static int is_srgb_gamma(uint32_t gamma)
{
	return gamma == 0 || 20 * llabs((int64_t)gamma - srgb_gamma) <= srgb_gamma;
}

static int are_srgb_primaries(const uint32_t primaries[PRIMARIES])
{
	int differ = 0, any = 0;
	for (int i = 0; i < PRIMARIES; i++) {
		any |= primaries[i] != 0;
		differ |= llabs((int64_t)primaries[i] - srgb_primaries[i]) > 1000;
	}
	return !any || !differ;
}

/* Bits that all channels have in full say nothing.  tRNS gives a channel that sBIT does not have. */
static void settle_bits(xc_png_beside *b, xc_file_reader *file)
{
	const xc_picture *p = &file->out->picture;
	uint8_t *bits = file->out->metadata.significant_bits;
	const int has_alpha = p->channels % 2 == 0;
	int fewer = 0, more = 0;
	if (b->significant == 0)
		return;
	for (size_t i = 0; i < b->significant; i++) {
		fewer |= b->significant_bits[i] < p->depth;
		more |= b->significant_bits[i] > p->depth;
	}
	if (more || (b->significant != p->channels && b->significant + has_alpha != p->channels))
		xc_file_warn(file->message, "PNG significant bits are damaged: left out (at byte %llu)",
		             (unsigned long long)b->significant_at);
	else if (fewer)
		memcpy(bits, b->significant_bits, b->significant);
	b->significant = 0;
}

void xc_png_settle_colour(xc_png_beside *b, xc_file_reader *file)
{
	xc_metadata *m = &file->out->metadata;
	const int colour = file->out->picture.channels >= 3;
	settle_bits(b, file);
	if (b->animated)
		xc_file_warn(file->message, "an animated PNG: only its still picture is read");
	b->animated = 0;
	if (b->srgb || m->icc.data)
		return;
	if (is_srgb_gamma(b->gamma) && (!colour || are_srgb_primaries(b->primaries)))
		return;
	m->gamma = b->gamma;
	if (colour)
		memcpy(m->primaries, b->primaries, sizeof m->primaries);
}

/* ------------------------------------------------------------------ writing */

static xc_status put(const xc_row_writer *writer, const char *type, const void *data, size_t size)
{
	return xc_png_put_chunk(writer, type, data, 0, data, size);
}

static xc_status put_primaries(const xc_row_writer *writer)
{
	uint8_t numbers[4 * PRIMARIES];
	for (int i = 0; i < PRIMARIES; i++)
		xc_store_be32(numbers + 4 * i, writer->metadata->primaries[i]);
	return put(writer, "cHRM", numbers, sizeof numbers);
}

/* How many bits a sample of the original had: those of its largest one, if nothing else says. */
static uint32_t bits_of(const xc_metadata *m, uint32_t channel)
{
	uint32_t bits = 0;
	while (m->maxval >> bits)
		bits++;
	return m->significant_bits[0] ? m->significant_bits[channel] : bits;
}

static xc_status put_bits(const xc_row_writer *writer)
{
	const xc_picture *shape = &writer->shape;
	uint8_t bits[4];
	for (uint32_t i = 0; i < shape->channels; i++) {
		const uint32_t n = bits_of(writer->metadata, i);
		bits[i] = (uint8_t)(n && n < shape->depth ? n : shape->depth);
	}
	return put(writer, "sBIT", bits, shape->channels);
}

xc_status xc_png_put_beside(const xc_row_writer *writer)
{
	const xc_metadata *m = writer->metadata;
	uint8_t gamma[4];
	xc_status status = XC_OK;
	xc_store_be32(gamma, m->gamma);
	if (m->cicp[0])
		status = put(writer, "cICP", m->cicp, sizeof m->cicp);
	if (!status && m->gamma)
		status = put(writer, "gAMA", gamma, sizeof gamma);
	if (!status && m->primaries[0])
		status = put_primaries(writer);
	if (!status && bits_of(m, 0))
		status = put_bits(writer);
	if (m->iptc.data && m->iptc.size)
		xc_file_warn(writer->message, "a PNG has no place for IPTC: left out");
	return status ? status : xc_png_put_text(writer);
}
