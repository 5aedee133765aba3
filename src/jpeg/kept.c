/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of JPEGs as src/decode/ wants them: see src/jpeg/kept.h. */
#include "src/jpeg/kept.h"

#include <string.h>

#include "src/container/parser.h"
#include "src/core/crc32c.h"

/* -------------------------------------------------------------------- shape */

static int subsampling_of(const xc_jpeg *j)
{
	const xc_jpeg_component *k = j->component;

	if (j->components == 1)
		return XC_SUBSAMPLING_GREY;
	if (j->components != 3 || xc_kept_is_rgb(j) || k[1].h != k[2].h || k[1].v != k[2].v ||
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

xc_status xc_kept_shape(xc_context *c, const xc_jpeg *j, const xc_jpeg_info *info, xc_container *k)
{
	enum { TILE_BLOCKS = 1024, TILE_ROWS = 32 };
	const int subsampling = subsampling_of(j);
	const xc_status s = xc_kept_metadata(c, j, k);

	if (s)
		return s;
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
	return XC_OK;
}

xc_status xc_kept_stored_metadata(xc_context *c, const uint8_t *chunk, uint64_t size,
                                  xc_container *k)
{
	xc_chunk b;
	const size_t most = 4 + XC_LENGTH_BYTES;
	const size_t head = xc_chunk_take_apart(chunk, size < most ? (size_t)size : most, &b);
	const uint64_t left = size - head;
	const xc_jpeg j = {.data = chunk + head, .size = (size_t)(b.length < left ? b.length : left)};

	return head ? xc_kept_metadata(c, &j, k) : XC_OK;
}

/* ------------------------------------------------------------- coefficients */

xc_status xc_kept_allocate(xc_context *c, const xc_jpeg *j, const xc_jpeg_plan *p, xc_kept *k)
{
	const uint32_t band = 8 * j->most_v * p->rows;
	const uint32_t first = k->y / band, end = (k->y + k->height - 1) / band + 1;
	size_t n = 0, at[XC_JPEG_COMPONENTS];

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

void xc_kept_clear(const xc_jpeg *j, const xc_jpeg_band *b)
{
	for (int c = 0; c < j->components; c++) {
		const xc_jpeg_component *k = &j->component[c];
		for (size_t y = 0; y < (size_t)b->rows * k->v; y++)
			memset(b->blocks[c] + 64 * (y * k->columns + (size_t)b->column * k->h), 0,
			       64 * sizeof(int16_t) * b->columns * k->h);
	}
}

/* ------------------------------------------------------------------ segments */

uint32_t xc_kept_head_crc(const xc_chunk *k)
{
	return xc_crc32c(0, k->start, (size_t)(k->payload - k->start));
}

uint32_t xc_kept_add_crc(uint32_t crc, uint32_t n)
{
	const uint8_t b[4] = {(uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24)};

	return xc_crc32c(crc, b, sizeof b);
}

xc_kept_list *xc_kept_list_new(xc_context *c, const xc_jpeg *j, const xc_jpeg_plan *plan)
{
	const size_t segments = (size_t)plan->bands * plan->tiles;
	xc_kept_list *l;
	const size_t each = sizeof *l->segments;
	const size_t before = (sizeof *l + plan->pieces * sizeof *l->pieces + each - 1) / each * each;

	l = xc_allocate(c, before + segments * each);
	if (!l)
		return NULL;
	l->segments = (void *)((char *)l + before);
	l->plan = *plan;
	l->mcu_columns = j->mcu_columns;
	l->mcu_rows = j->mcu_rows;
	xc_jpeg_coding_make(j, &l->coding);
	for (int i = 0; i < j->components; i++)
		l->rows[i] = j->component[i].rows;
	return l;
}

int xc_kept_data_intact(const xc_kept_list *l, const uint32_t *crcs)
{
	for (uint32_t i = 0; i < l->plan.pieces; i++) {
		const xc_kept_piece *p = &l->pieces[i];
		uint32_t crc = xc_kept_add_crc(p->crc[0], p->crc[1]);
		for (uint64_t k = (uint64_t)xc_jpeg_plan_bands(&l->plan, i) * l->plan.tiles; k; k--)
			crc = xc_kept_add_crc(crc, *crcs++);
		if (crc != p->check)
			return 0;
	}
	return 1;
}

uint64_t xc_kept_pass(const xc_chunk *data, xc_chunk *index)
{
	if (!memcmp(data->type, "INDX", 4))
		*index = *data;
	if (memcmp(data->type, "DATA", 4) != 0 || !index->length)
		return 0;
	const unsigned width = index->payload[0];
	const uint64_t n = width < 2 || width > 4 ? 0 : (index->length - 1) / (width + 2);
	uint64_t left = data->available, damaged = 0;
	const uint8_t *at = data->payload, *e = index->payload + 1;
	uint32_t sum = xc_kept_head_crc(data);

	for (uint64_t i = 0; i < n; i++, e += width + 2) {
		const uint64_t size = xc_kept_entry_size(e, width);
		const uint32_t crc = size > left ? 0 : xc_crc32c(0, at, (size_t)size);
		const int bad = size > left || (crc & 0xffff) != xc_get_u16(e + width);
		/* The first one is the frequencies of all. */
		if (bad && !i)
			return n - 1;
		damaged += (uint64_t)bad;
		sum = xc_kept_add_crc(sum, crc);
		at += size > left ? left : size;
		left -= size > left ? left : size;
	}
	/* Checks of 16 bits may have missed damage: then it may be in any of them. */
	const int doubtful = n && !damaged && data->available == data->length &&
	                     sum != xc_get_u32(data->payload + data->length);
	return doubtful ? n - 1 : damaged;
}

xc_status xc_kept_fail_segment(xc_context *c, const xc_kept_list *l, uint64_t segment)
{
	return xc_jpeg_fail_segment(c, &l->plan, segment);
}

/* --------------------------------------------------------------------- bytes */

xc_status xc_kept_stored_bytes(xc_context *c, const void *file, size_t size, xc_buffer *jpeg)
{
	xc_file_parser p = {.context = c, .file = file, .size = size};
	xc_chunk k = {.whole = 0};
	xc_status s = xc_parse_magic(&p, file, size);

	for (int i = 0; !s && i < 2; i++) {
		const uint64_t left = p.size - p.offset;
		s = k.whole > left ? xc_fail_truncated(&p, k.type) : XC_OK;
		p.offset += s ? 0 : k.whole;
		if (!s)
			s = xc_chunk_begin(&p, p.file + p.offset, p.size - p.offset, &k);
	}
	if (s)
		return s;
	if (memcmp(k.type, "BYTE", 4) != 0)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "the JPEG is not stored as it is");
	const uint64_t left = p.size - (uint64_t)(k.payload - p.file);
	jpeg->size = (size_t)(k.length < left ? k.length : left);
	jpeg->data = xc_allocate(c, jpeg->size + 1);
	if (!jpeg->data)
		return xc_fail_memory(c, jpeg->size);
	memcpy(jpeg->data, k.payload, jpeg->size);
	return XC_OK;
}
