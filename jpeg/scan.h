/* SPDX-License-Identifier: BSD-2-Clause */
/* The way of reader and writer through a scan; for jpeg/read.c and jpeg/write.c. */
#ifndef XC_JPEG_SCAN_H
#define XC_JPEG_SCAN_H

#if defined __SSE2__
#include <emmintrin.h>
#endif

#include "jpeg/huffman.h"
#include "jpeg/jpeg.h"

/* Readers and writers of loops stay in registers: what is not inlined takes and returns copies. */
#define XC_JPEG_INLINE inline __attribute__((always_inline))

enum xc_jpeg_kind { SEQUENTIAL, DC_FIRST, DC_MORE, AC_FIRST, AC_MORE };

/* Calls rows(place, band, kind) with the kind of a scan, a constant for the compiler. */
#define XC_JPEG_BY_KIND(j, s, rows, place, band) \
	switch (!(j)->progressive ? SEQUENTIAL \
	                          : ((s)->from ? AC_FIRST : DC_FIRST) + ((s)->high > 0)) { \
	case SEQUENTIAL: \
		rows(place, band, SEQUENTIAL); \
		break; \
	case DC_FIRST: \
		rows(place, band, DC_FIRST); \
		break; \
	case DC_MORE: \
		rows(place, band, DC_MORE); \
		break; \
	case AC_FIRST: \
		rows(place, band, AC_FIRST); \
		break; \
	default: \
		rows(place, band, AC_MORE); \
	}

static inline size_t xc_jpeg_aligned(size_t n)
{
	return (n + 63) / 64 * 64;
}

/* Which coefficients of a scan's band are not zero when the lowest `low` bits of magnitudes are gone. */
static inline uint64_t xc_jpeg_nonzero(const xc_jpeg_scan *s, const int16_t *block, uint32_t low)
{
	uint64_t mask = 0;

#if defined __SSE2__
	const __m128i zero = _mm_setzero_si128(), below = _mm_set1_epi16((int16_t)((1 << low) - 1));
	for (int i = 0; i < 4; i++) {
		const __m128i a = _mm_loadu_si128((const void *)(block + 16 * i));
		const __m128i b = _mm_loadu_si128((const void *)(block + 16 * i + 8));
		const __m128i c = _mm_cmpgt_epi16(_mm_max_epi16(a, _mm_sub_epi16(zero, a)), below);
		const __m128i d = _mm_cmpgt_epi16(_mm_max_epi16(b, _mm_sub_epi16(zero, b)), below);
		mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_packs_epi16(c, d)) << 16 * i;
	}
#else
	for (int k = 0; k < 64; k++)
		mask |= (uint64_t)((block[k] < 0 ? -block[k] : block[k]) >> low != 0) << k;
#endif
	return mask & ~0ULL << s->from & ~0ULL >> (63 - s->to);
}

/* A row of units: the blocks of the first one, and how far those of the next one are. */
typedef struct xc_jpeg_units {
	uint32_t columns, rows; /* units in a row, rows in the band */
	uint32_t blocks;
	int16_t *block[XC_JPEG_MCU_BLOCKS];
	uint32_t step[XC_JPEG_MCU_BLOCKS];
	uint8_t of[XC_JPEG_MCU_BLOCKS]; /* component of the scan */
} xc_jpeg_units;

/* Sets columns and rows. */
static inline void xc_jpeg_units_begin(const xc_jpeg *j, const xc_jpeg_scan *s,
                                       const xc_jpeg_band *band, xc_jpeg_units *u)
{
	const xc_jpeg_component *k = &j->component[s->component[0]];
	uint32_t end = (band->first + band->rows) * k->v;

	u->columns = j->mcu_columns;
	u->rows = band->rows;
	if (s->components > 1)
		return;
	end = end < k->high ? end : k->high;
	u->columns = k->wide;
	u->rows = end > band->first * k->v ? end - band->first * k->v : 0;
}

/* Sets the blocks of row y. */
static inline void xc_jpeg_units_row(const xc_jpeg *j, const xc_jpeg_scan *s,
                                     const xc_jpeg_band *band, uint32_t y, xc_jpeg_units *u)
{
	u->blocks = 0;
	for (int i = 0; i < s->components; i++) {
		const int c = s->component[i], alone = s->components == 1;
		const xc_jpeg_component *k = &j->component[c];
		const uint32_t h = alone ? 1 : k->h, v = alone ? 1 : k->v;
		for (uint32_t n = 0; n < h * v; n++, u->blocks++) {
			const size_t at = (size_t)(y * v + n / h) * k->columns + n % h;
			u->block[u->blocks] = band->blocks[c] + 64 * at;
			u->step[u->blocks] = 64 * h;
			u->of[u->blocks] = (uint8_t)i;
		}
	}
}

/* 1: scans use that table for DC, 2: for AC; others may be anything. */
static inline int xc_jpeg_table_used(const xc_jpeg *j, int table)
{
	for (int i = 0; i < j->scans; i++)
		for (int c = 0; c < j->scan[i].components; c++)
			if (j->scan[i].dc[c] == table || j->scan[i].ac[c] == table)
				return 1 + (j->scan[i].ac[c] == table);
	return 0;
}

/* MCU row y of a band: all scans of it while it is in the cache. */
static inline xc_jpeg_band xc_jpeg_band_row(const xc_jpeg *j, const xc_jpeg_band *band, uint32_t y)
{
	xc_jpeg_band row = {.first = band->first + y, .rows = 1};

	for (int c = 0; c < j->components; c++)
		row.blocks[c] = band->blocks[c] + 64 * xc_jpeg_band_blocks(j, c, y);
	return row;
}

#endif
