/* SPDX-License-Identifier: BSD-2-Clause */
/* A piece on its way into a file. */
#include "src/container/container.h"
#include "src/core/crc32c.h"

uint64_t xc_piece_overhead(uint64_t segments)
{
	return 2 * (XC_CHUNK_OVERHEAD + 1) + segments * (4 + 2);
}

/* Places the segments; returns the bytes of an index entry's size. */
static uint32_t lay_out(xc_segment_bits *s, uint64_t n, uint64_t *total)
{
	uint32_t most = 0;
	*total = 0;
	for (uint64_t i = 0; i < n; i++) {
		s[i].offset = *total;
		*total += s[i].size;
		most = s[i].size > most ? s[i].size : most;
	}
	return most < 1 << 16 ? 2 : most < 1 << 24 ? 3 : 4;
}

static void write_index(xc_writer *w, const xc_segment_bits *s, uint64_t n, uint32_t width)
{
	const uint8_t *start = xc_write_chunk_start(w, "INDX", 1 + n * (width + 2));
	*w->next++ = (uint8_t)width;
	for (uint64_t i = 0; i < n; i++) {
		for (uint32_t b = 0; b < width; b++)
			*w->next++ = (uint8_t)(s[i].size >> 8 * b);
		*w->next++ = (uint8_t)s[i].crc;
		*w->next++ = (uint8_t)(s[i].crc >> 8);
	}
	xc_write_chunk_end(w, start);
}

uint32_t xc_write_piece_start(xc_writer *w, xc_segment_bits *s, uint64_t n, uint64_t *total)
{
	const uint32_t width = lay_out(s, n, total);
	write_index(w, s, n, width);
	/* The CRC of DATA covers its type and length and then, instead of the payload, the CRCs of all
	 * segments. */
	const uint8_t *start = xc_write_chunk_start(w, "DATA", *total);
	uint32_t crc = xc_crc32c(0, start, (size_t)(w->next - start));
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t bytes[4] = {(uint8_t)s[i].crc, (uint8_t)(s[i].crc >> 8),
		                          (uint8_t)(s[i].crc >> 16), (uint8_t)(s[i].crc >> 24)};
		crc = xc_crc32c(crc, bytes, sizeof bytes);
	}
	return crc;
}
