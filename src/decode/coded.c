/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/decode/coded.h"

#include <string.h>

#include "src/core/crc32c.h"

xc_status xc_coded_open(xc_context *c, const void *file, size_t size, int truncated, xc_coded *d)
{
	const xc_status s = xc_coded_read(c, file, size, truncated, d);
	return s ? s : xc_coded_prepare(c, d);
}

xc_status xc_coded_read(xc_context *c, const void *file, size_t size, int truncated, xc_coded *d)
{
	memset(d, 0, sizeof *d);
	if (!file)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file given");
	d->file_end = (const uint8_t *)file + size;
	return xc_container_read(c, file, size, truncated, &d->container);
}

static xc_coded_segment *list_piece(const xc_piece *piece, xc_coded_segment *s)
{
	xc_index_reader r = xc_index_begin(piece);
	uint64_t start = piece->start;
	for (uint64_t i = 0; i < piece->segments; i++, s++) {
		*s = (xc_coded_segment){.start = start};
		if (!piece->entries)
			continue;
		s->size = xc_index_next(&r, &s->check);
		start += s->size;
	}
	return s;
}

xc_status xc_coded_prepare(xc_context *c, xc_coded *d)
{
	const xc_container *k = &d->container;
	d->deep = k->header.depth == 16;
	d->level = xc_entropy_level_get(c->cpu, d->deep);
	d->rans_level = xc_rans_level_get(c->cpu, d->deep);
	if (k->header.entropy >= XC_ENTROPY_RANS_BUILT_IN) {
		d->rans = xc_allocate(c, sizeof *d->rans);
		if (!d->rans)
			return xc_fail_memory(c, sizeof *d->rans);
		xc_rans_tables_init(d->rans, &k->frequencies);
		memcpy(d->rans->points, k->points, sizeof k->points);
	} else {
		d->tables = xc_allocate(c, 2 * sizeof *d->tables);
		if (!d->tables)
			return xc_fail_memory(c, 2 * sizeof *d->tables);
		for (int i = 0; i < (k->geometry.components == 1 ? 1 : 2); i++)
			xc_decode_tables_init(&d->tables[i], &k->codes[i], k->points[i]);
	}
	d->has_slopes = xc_header_has_slopes(&k->header);
	for (int i = 0; i < (k->geometry.components == 1 ? 1 : 2); i++)
		d->slopes[i] = xc_slopes_of(k->quant[i]);
	/* The index has more bytes than the file has segments, so this is bounded by the file. */
	d->segments = xc_allocate(c, (size_t)k->segments * sizeof *d->segments);
	if (!d->segments)
		return xc_fail_memory(c, (size_t)k->segments * sizeof *d->segments);
	xc_coded_segment *s = d->segments;
	for (uint64_t i = 0; i < k->piece_count; i++)
		s = list_piece(&k->pieces[i], s);
	return XC_OK;
}

void xc_coded_close(xc_context *c, xc_coded *d)
{
	xc_release(c, d->tables);
	xc_release(c, d->rans);
	xc_release(c, d->segments);
	xc_container_close(c, &d->container);
	d->tables = NULL;
	d->rans = NULL;
	d->segments = NULL;
}

void xc_coded_add_slopes(const xc_coded *d, const xc_tile *t, void *coefficients)
{
	for (int c = 0; d->has_slopes && c < d->container.geometry.components; c++) {
		char *first = (char *)coefficients + (size_t)t->first_block[c] * 64 * d->level->width;
		(d->deep ? xc_slopes_add32 : xc_slopes_add16)(first, t->blocks_wide[c], t->blocks_high[c],
		                                              d->slopes[c != 0]);
	}
}

int xc_coded_intact(const xc_coded *d, uint64_t i, uint32_t *crc)
{
	const xc_coded_segment *s = &d->segments[i];
	if (s->start + s->size > d->container.data_there)
		return 0;
	*crc = xc_crc32c(0, d->container.data + s->start, s->size);
	return (*crc & 0xffff) == s->check;
}

static uint32_t data_crc(const xc_container *k, const xc_piece *piece, const uint32_t *crcs)
{
	enum { MOST = 256 };
	const uint8_t *data = k->data + piece->start;
	uint8_t bytes[4 * MOST]; /* many at once, because xc_crc32c() is fast for long runs */
	uint32_t crc = xc_crc32c(0, piece->head, (size_t)(data - piece->head));
	for (uint64_t i = 0; i < piece->segments; i += MOST) {
		const size_t n = piece->segments - i < MOST ? (size_t)(piece->segments - i) : MOST;
		for (size_t j = 0; j < n; j++)
			for (int b = 0; b < 4; b++)
				bytes[4 * j + (size_t)b] = (uint8_t)(crcs[i + j] >> 8 * b);
		crc = xc_crc32c(crc, bytes, 4 * n);
	}
	return crc;
}

int xc_coded_data_intact(const xc_container *k, const uint32_t *crcs)
{
	for (uint64_t i = 0; k->data_checked && i < k->piece_count; i++) {
		if (data_crc(k, &k->pieces[i], crcs) != k->pieces[i].check)
			return 0;
		crcs += k->pieces[i].segments;
	}
	return 1;
}

xc_status xc_fail_segment(xc_context *c, const xc_geometry *g, uint64_t i)
{
	xc_tile t;
	xc_geometry_tile(g, i, &t);
	const uint32_t right = t.width < g->width - t.x ? t.x + t.width : g->width;
	const uint32_t low = t.height < g->height - t.y ? t.y + t.height : g->height;
	return xc_fail(c, XC_ERR_CORRUPT, "segment %llu is damaged (pixels %u,%u to %u,%u)",
	               (unsigned long long)i, t.x, t.y, right - 1, low - 1);
}
