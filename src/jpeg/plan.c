/* SPDX-License-Identifier: BSD-2-Clause */
/* How pictures of JPEGs are cut, and what is said of them; for the writer and the reader. */
#include <stdlib.h>
#include <string.h>

#include "src/core/parallel.h"
#include "src/jpeg/file.h"

int xc_jpeg_plan_make(const xc_jpeg *j, xc_jpeg_plan *p)
{
	if (!p->rows || !p->columns || !p->piece || p->rows > XC_JPEG_BAND_ROWS)
		return 0;
	p->bands = (j->mcu_rows - 1) / p->rows + 1;
	p->tiles = (j->mcu_columns - 1) / p->columns + 1;
	/* Memory for a piece is limited by what there is of bands, whatever a file says. */
	p->piece = p->piece < p->bands ? p->piece : p->bands;
	p->pieces = (p->bands - 1) / p->piece + 1;
	p->mcu_width = 8 * (uint32_t)j->most_h;
	p->mcu_height = 8 * (uint32_t)j->most_v;
	p->width = j->width;
	p->height = j->height;
	return 1;
}

void xc_jpeg_plan_describe(const xc_jpeg_plan *p, uint64_t n, xc_segment_info *to)
{
	/* A file may say any number of columns. */
	const uint64_t wide = (uint64_t)p->columns * p->mcu_width;
	const uint32_t high = p->rows * p->mcu_height;
	const uint32_t x = (uint32_t)(n % p->tiles * wide), y = (uint32_t)(n / p->tiles) * high;

	*to = (xc_segment_info){
		.x = x,
		.y = y,
		.width = p->width - x < wide ? p->width - x : (uint32_t)wide,
		.height = p->height - y < high ? p->height - y : high,
		.alpha_intact = 1,
	};
}

xc_status xc_jpeg_fail_segment(xc_context *c, const xc_jpeg_plan *p, uint64_t n)
{
	xc_segment_info r;

	xc_jpeg_plan_describe(p, n, &r);
	return xc_fail(c, XC_ERR_CORRUPT, "segment %llu of the JPEG is damaged (pixels %u,%u to %u,%u)",
	               (unsigned long long)n, r.x, r.y, r.x + r.width - 1, r.y + r.height - 1);
}

size_t xc_jpeg_plan_blocks(const xc_jpeg *j, const xc_jpeg_plan *p)
{
	size_t n = 0;

	for (int c = 0; c < j->components; c++)
		n += xc_jpeg_band_blocks(j, c, p->rows < j->mcu_rows ? p->rows : j->mcu_rows);
	return n;
}

xc_jpeg_band xc_jpeg_plan_band(const xc_jpeg *j, const xc_jpeg_plan *p, uint32_t band,
                               int16_t *blocks)
{
	xc_jpeg_band b = {.first = band * p->rows};

	b.rows = j->mcu_rows - b.first < p->rows ? j->mcu_rows - b.first : p->rows;
	for (int c = 0; c < j->components; c++) {
		b.blocks[c] = blocks;
		blocks += 64 * xc_jpeg_band_blocks(j, c, b.rows);
	}
	return b;
}

void xc_jpeg_plan_tile(const xc_jpeg *j, const xc_jpeg_plan *p, uint32_t tile, xc_jpeg_band *b)
{
	b->column = tile * p->columns;
	b->columns = j->mcu_columns - b->column < p->columns ? j->mcu_columns - b->column : p->columns;
}

int xc_jpeg_workers(const xc_context *c, const xc_jpeg *j, const xc_jpeg_plan *p, uint64_t each)
{
	const uint64_t max = c->limits.max_memory, used = __atomic_load_n(&c->in_use, __ATOMIC_RELAXED);
	const uint64_t fit = max > used ? (max - used) / 2 / each : 0;
	const uint32_t bands = p->bands < p->piece ? p->bands : p->piece;
	const uint64_t pixels = (uint64_t)j->width * p->rows * bands * 8 * j->most_v;

	const int workers = xc_parallel_workers(c, bands, 2 * xc_parallel_coding_time(pixels));
	return fit >= (uint64_t)workers ? workers : fit ? (int)fit : 1;
}

xc_status xc_jpeg_check_pixels(xc_context *c, const xc_jpeg *j)
{
	if ((uint64_t)j->width * j->height <= c->limits.max_pixels)
		return XC_OK;
	return xc_fail(c, XC_ERR_LIMIT, "a JPEG of %u x %u pixels is above the limit", j->width,
	               j->height);
}

/* A step of the IJG's tables, from that of Annex K. */
static int step_of(int annex_k, int quality)
{
	const int scale = quality < 50 ? 5000 / quality : 200 - 2 * quality;
	const int step = (annex_k * scale + 50) / 100;

	return step < 1 ? 1 : step > 255 ? 255 : step;
}

int xc_jpeg_quality(const xc_jpeg *j)
{
	xc_quant_tables k;
	long min = 0;
	int best = 0;

	xc_quant_tables_annex_k(&k);
	for (int q = 1; q <= 100; q++) {
		long sum = 0;
		for (int i = 0; i < 64 && (!best || sum <= min); i++)
			sum += labs(step_of(k.luma[i], q) - (long)j->steps[0][xc_jpeg_zigzag[i]]);
		/* The higher one of equal ones: above 98 many have the same steps. */
		if (!best || sum <= min) {
			min = sum;
			best = q;
		}
	}
	return best;
}

void xc_jpeg_dictionary_of(int quality, xc_jpeg_dictionary dictionary)
{
	uint8_t steps[2][64];
	xc_quant_tables k;

	xc_quant_tables_annex_k(&k);
	for (int i = 0; i < 64; i++) {
		steps[0][xc_jpeg_zigzag[i]] = (uint8_t)step_of(k.luma[i], quality);
		steps[1][xc_jpeg_zigzag[i]] = (uint8_t)step_of(k.chroma[i], quality);
	}
	xc_jpeg_dictionary_make(steps, dictionary);
}

void xc_jpeg_info_flaws(const xc_jpeg *j, xc_jpeg_info *i)
{
	i->blocks = xc_jpeg_scan_blocks(j, &i->missing_blocks);
	i->cut_off = !j->ended;
	i->damaged = i->missing_blocks || xc_jpeg_has_rest(j);
}

void xc_jpeg_info_add(const xc_jpeg *j, const xc_jpeg_plan *p, uint64_t described, xc_jpeg_info *i)
{
	i->segments += (uint64_t)p->bands * p->tiles;
	i->described_size += described;
	i->stored = 0;
	if (i->pictures++)
		return;
	i->width = j->width;
	i->height = j->height;
	i->components = j->components;
	i->progressive = j->progressive;
	xc_jpeg_info_flaws(j, i);
	for (int c = 0; c < j->components; c++) {
		i->h[c] = j->component[c].h;
		i->v[c] = j->component[c].v;
		for (int r = 0; r < 64; r++)
			i->steps[c][r] = j->steps[c][xc_jpeg_zigzag[r]];
	}
	i->quality = xc_jpeg_quality(j);
}

int xc_jpeg_is(const void *start, size_t size)
{
	return start && size >= 12 && !memcmp(start, "\x8fXC\r\n\x1a\n", 7) &&
	       !memcmp((const char *)start + 8, "JPEG", 4);
}
