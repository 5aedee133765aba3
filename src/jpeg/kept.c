/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of JPEGs as src/decode/ wants them: see src/jpeg/kept.h. Metadata are those of the
 * markers before the first scan; what is damaged there is left out. */
#include "src/jpeg/kept.h"

#include <string.h>

#include "src/container/parser.h"
#include "src/core/utf8.h"

/* -------------------------------------------------------------------- shape */

/* A marker before the first scan: APP0 to APP15 or COM. */
typedef struct marker {
	int code;
	const uint8_t *data;
	size_t size;
} marker;

/* Takes the next one from *at on: 0: there are no more. */
static int next_marker(const xc_jpeg *j, size_t *at, marker *m)
{
	while (*at + 4 <= j->size && j->data[*at] == 0xff) {
		const uint8_t *p = j->data + *at;
		const size_t size = p[2] << 8 | p[3];
		m->code = p[1];
		if (m->code == 0xff) {
			++*at;
			continue;
		}
		if (m->code == 0xda || size < 2 || size > j->size - *at - 2)
			return 0;
		*at += 2 + size;
		m->data = p + 4;
		m->size = size - 2;
		if ((m->code & 0xf0) == 0xe0 || m->code == 0xfe)
			return 1;
	}
	return 0;
}

/* 1: the marker begins with these bytes, which it is then past. */
static int starts(marker *m, int code, const char *mark, size_t size)
{
	if (m->code != code || m->size < size || memcmp(m->data, mark, size) != 0)
		return 0;
	m->data += size;
	m->size -= size;
	return 1;
}
#define STARTS(m, code, mark) starts(m, code, mark, sizeof mark - 1)

/* As libjpeg guesses. */
static int is_rgb(const xc_jpeg *j)
{
	const xc_jpeg_component *k = j->component;
	int adobe = -1;
	marker m;

	for (size_t at = 2; next_marker(j, &at, &m);)
		if (STARTS(&m, 0xe0, "JFIF\0") && m.size >= 9)
			return 0;
		else if (STARTS(&m, 0xee, "Adobe") && m.size >= 7)
			adobe = m.data[6];
	return adobe >= 0 ? !adobe : k[0].id == 'R' && k[1].id == 'G' && k[2].id == 'B';
}

static int subsampling_of(const xc_jpeg *j)
{
	const xc_jpeg_component *k = j->component;

	if (j->components == 1)
		return XC_SUBSAMPLING_GREY;
	if (j->components != 3 || is_rgb(j) || k[1].h != k[2].h || k[1].v != k[2].v ||
	    memcmp(j->steps[1], j->steps[2], sizeof j->steps[1]) != 0 || k[0].h % k[1].h ||
	    k[0].v % k[1].v)
		return -1;
	switch (16 * (k[0].h / k[1].h) + k[0].v / k[1].v) {
	case 0x11:
		return XC_SUBSAMPLING_444;
	case 0x21:
		return XC_SUBSAMPLING_422;
	case 0x22:
		return XC_SUBSAMPLING_420;
	default:
		return -1;
	}
}

/* ----------------------------------------------------------------- metadata */

static void set_density(const uint8_t *p, xc_metadata *m)
{
	const uint32_t unit = p[2], x = xc_get_u16(p + 3), y = xc_get_u16(p + 5);
	const uint32_t across = (x & 255) << 8 | x >> 8, down = (y & 255) << 8 | y >> 8;

	if (!across || !down || unit > 2 || (!unit && across == down))
		return;
	m->density_unit = unit != 0;
	m->density_x = unit == 1 ? (across * 10000 + 127) / 254 : unit ? 100 * across : across;
	m->density_y = unit == 1 ? (down * 10000 + 127) / 254 : unit ? 100 * down : down;
}

/* IPTC among the resources of Photoshop. */
static void find_iptc(const marker *m, xc_blob *iptc)
{
	for (size_t at = 0; at + 12 <= m->size;) {
		const uint8_t *p = m->data + at, *q = p + 6 + ((p[6] + 2U) & ~1U);
		if (q + 4 > m->data + m->size)
			return;
		const size_t size = (size_t)q[0] << 24 | q[1] << 16 | q[2] << 8 | q[3];
		const size_t left = (size_t)(m->data + m->size - q - 4);
		if (size > left)
			return;
		if (p[4] == 4 && p[5] == 4 && size && !iptc->data)
			*iptc = (xc_blob){q + 4, size};
		at += (size_t)(q + 4 - p) + size + (size & 1);
	}
}

/* What one marker says; out NULL: only how many bytes of memory it takes. */
static size_t take_marker(marker m, uint8_t *out, xc_metadata *to)
{
	static const char key[] = "Comment";

	if (STARTS(&m, 0xe0, "JFIF\0") && m.size >= 9)
		set_density(m.data, to);
	else if (STARTS(&m, 0xe1, "Exif\0\0") && m.size >= 4 && !to->exif.data &&
	         (!memcmp(m.data, "II", 2) || !memcmp(m.data, "MM", 2)))
		to->exif = (xc_blob){m.data, m.size};
	else if (STARTS(&m, 0xe1, "http://ns.adobe.com/xap/1.0/\0") && m.size && !to->xmp.data)
		to->xmp = (xc_blob){m.data, m.size};
	else if (STARTS(&m, 0xed, "Photoshop 3.0\0"))
		find_iptc(&m, &to->iptc);
	else if (m.code == 0xfe) {
		while (m.size && !m.data[m.size - 1])
			m.size--;
		if (!m.size || memchr(m.data, 0, m.size) || !xc_is_utf8(m.data, m.size))
			return 0;
		if (out) {
			memcpy(out, key, sizeof key);
			memcpy(out + sizeof key, m.data, m.size);
			out[sizeof key + m.size] = 0;
		}
		return sizeof key + m.size + 1;
	}
	return 0;
}

/* The pieces of a profile in turn: their bytes, or 0 if they are not whole. */
static size_t join_icc(const xc_jpeg *j, uint8_t *out)
{
	int next = 1, all = 0;
	size_t size = 0;
	marker m;

	for (size_t at = 2; next_marker(j, &at, &m);) {
		if (!STARTS(&m, 0xe2, "ICC_PROFILE\0") || m.size < 2 || (all && next > all))
			continue;
		if (m.data[0] != next || (all && m.data[1] != all))
			return 0;
		all = m.data[1];
		next++;
		if (out)
			memcpy(out + size, m.data + 2, m.size - 2);
		size += m.size - 2;
	}
	return next == all + 1 ? size : 0;
}

/* Moves a blob to *out. */
static void keep(xc_blob *blob, uint8_t **out)
{
	if (!blob->data)
		return;
	memcpy(*out, blob->data, blob->size);
	blob->data = *out;
	*out += blob->size;
}

static xc_status take_metadata(xc_context *c, const xc_jpeg *j, xc_container *k)
{
	xc_metadata *to = &k->metadata;
	const size_t icc = join_icc(j, NULL);
	size_t text = 0;
	marker m;

	for (size_t at = 2; next_marker(j, &at, &m);)
		text += take_marker(m, NULL, to);
	const size_t all = icc + text + to->exif.size + to->xmp.size + to->iptc.size;
	uint8_t *out = k->owned = xc_allocate(c, all + 1);
	if (!out)
		return xc_fail_memory(c, all);
	if (icc && join_icc(j, out))
		to->icc = (xc_blob){out, icc};
	out += icc;
	if (text)
		to->text = (xc_blob){out, text};
	for (size_t at = 2; text && next_marker(j, &at, &m);)
		out += take_marker(m, out, to);
	keep(&to->exif, &out);
	keep(&to->xmp, &out);
	keep(&to->iptc, &out);
	return XC_OK;
}

xc_status xc_kept_shape(xc_context *c, const xc_jpeg *j, const xc_jpeg_info *info, xc_container *k)
{
	enum { TILE_BLOCKS = 1024, TILE_ROWS = 32 };
	const int subsampling = subsampling_of(j);

	if (subsampling < 0)
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "a JPEG whose colours or sampling only libjpeg shows");
	k->header = (xc_header){.width = j->width,
	                        .height = j->height,
	                        .channels = (uint32_t)j->components,
	                        .depth = 8,
	                        .subsampling = (xc_subsampling)subsampling,
	                        .transform = XC_TRANSFORM_DCT,
	                        .entropy = XC_ENTROPY_HUFFMAN_DEFAULT,
	                        .quality = info->quality};
	k->layers = 1;
	xc_geometry_init(&k->geometry, j->width, j->height, k->header.subsampling);
	xc_geometry_choose_tiles(&k->geometry, TILE_BLOCKS, TILE_ROWS, 0);
	k->header.tile_mcus_wide = k->geometry.tile_mcus_wide;
	k->header.tile_mcus_high = k->geometry.tile_mcus_high;
	k->segments = xc_geometry_tiles(&k->geometry);
	for (int i = 0; i < j->components; i++)
		for (int r = 0; r < 64; r++)
			k->quant[i][r] = info->steps[i][r];
	k->header_bytes = info->described_size;
	k->segment_bytes = info->file_size - info->described_size;
	return take_metadata(c, j, k);
}

/* ------------------------------------------------------------- coefficients */

xc_status xc_kept_allocate(xc_context *c, const xc_jpeg *j, const xc_jpeg_plan *p, xc_kept *k)
{
	const uint32_t band = 8 * j->most_v * p->rows;
	const uint32_t first = k->y / band, end = (k->y + k->height - 1) / band + 1;
	size_t n = 0, at[XC_MAX_COMPONENTS];

	k->first = first * p->rows;
	k->end = end < p->bands ? end * p->rows : j->mcu_rows;
	k->whole = !k->first && k->end == j->mcu_rows;
	for (int i = 0; i < j->components; i++) {
		at[i] = n;
		n += 64 * xc_jpeg_band_blocks(j, i, k->end - k->first);
		k->columns[i] = j->component[i].columns;
		k->row[i] = k->first * j->component[i].v;
	}
	int16_t *memory = n > SIZE_MAX / sizeof *memory ? NULL : xc_allocate(c, n * sizeof *memory);
	for (int i = 0; i < j->components && memory; i++)
		k->blocks[i] = memory + at[i];
	return memory ? XC_OK : xc_fail_memory(c, n * sizeof *memory);
}

int xc_kept_wants(const xc_kept *k, uint32_t first, uint32_t rows)
{
	return first < k->end && first + rows > k->first;
}

int xc_kept_band(const xc_kept *k, const xc_jpeg *j, xc_jpeg_band *b)
{
	if (!xc_kept_wants(k, b->first, b->rows))
		return 0;
	for (int i = 0; i < j->components; i++)
		b->blocks[i] = k->blocks[i] + 64 * xc_jpeg_band_blocks(j, i, b->first - k->first);
	return 1;
}
