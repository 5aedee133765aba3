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
	d->offsets = xc_allocate(c, (size_t)(k->segments + 1) * sizeof *d->offsets);
	if (!d->offsets)
		return xc_fail_memory(c, (size_t)(k->segments + 1) * sizeof *d->offsets);
	d->offsets[0] = 0;
	for (uint64_t i = 0; i < k->segments; i++) {
		uint64_t bytes;
		uint16_t check;
		xc_container_segment(k, i, &bytes, &check);
		d->offsets[i + 1] = d->offsets[i] + bytes;
	}
	return XC_OK;
}

void xc_coded_close(xc_context *c, xc_coded *d)
{
	xc_release(c, d->tables);
	xc_release(c, d->rans);
	xc_release(c, d->offsets);
	d->tables = NULL;
	d->rans = NULL;
	d->offsets = NULL;
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
	uint64_t size;
	uint16_t check;
	if (d->offsets[i + 1] > d->container.data_there)
		return 0;
	xc_container_segment(&d->container, i, &size, &check);
	*crc = xc_crc32c(0, d->container.data + d->offsets[i], (size_t)size);
	return (*crc & 0xffff) == check;
}

uint32_t xc_coded_data_crc(const xc_coded *d, const uint32_t *crcs)
{
	enum { MOST = 256 };
	const xc_container *k = &d->container;
	uint8_t bytes[4 * MOST]; /* many at once, because xc_crc32c() is fast for long runs */
	uint32_t crc = xc_crc32c(0, k->data_chunk, (size_t)(k->data - k->data_chunk));
	for (uint64_t i = 0; i < k->segments; i += MOST) {
		const size_t n = k->segments - i < MOST ? (size_t)(k->segments - i) : MOST;
		for (size_t j = 0; j < n; j++)
			for (int b = 0; b < 4; b++)
				bytes[4 * j + (size_t)b] = (uint8_t)(crcs[i + j] >> 8 * b);
		crc = xc_crc32c(crc, bytes, 4 * n);
	}
	return crc;
}

xc_status xc_fail_segment(xc_context *c, const xc_coded *d, uint64_t i)
{
	const xc_geometry *g = &d->container.geometry;
	xc_tile t;
	xc_geometry_tile(g, i, &t);
	const uint32_t right = t.width < g->width - t.x ? t.x + t.width : g->width;
	const uint32_t low = t.height < g->height - t.y ? t.y + t.height : g->height;
	return xc_fail(c, XC_ERR_CORRUPT, "segment %llu is damaged (pixels %u,%u to %u,%u)",
	               (unsigned long long)i, t.x, t.y, right - 1, low - 1);
}
