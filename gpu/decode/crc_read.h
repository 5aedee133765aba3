/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C of a segment that the decoder reads, by one warp.  Zeros in front, which do not change
 * it, make whole rows; a lane has one aligned word of each row. */
#ifndef XC_GPU_DECODE_CRC_READ_H
#define XC_GPU_DECODE_CRC_READ_H

#include "gpu/runtime/crc.h"
#include "gpu/decode/bits.h"
#include "gpu/runtime/warp.h"

typedef struct xc_crc_read_constants {
	uint32_t row[32];             /* x^(31 - i) times x^1024: what bit i becomes a row on */
	uint32_t lane[XC_WARP_LANES]; /* x^(32 * (32 - i)) */
} xc_crc_read_constants;

typedef struct xc_crc_read_tables {
	uint32_t row[4][256]; /* byte j of a remainder times x^1024 */
	uint32_t lane[XC_WARP_LANES];
} xc_crc_read_tables;

XC_GPU_CONSTANT xc_crc_read_constants xc_crc_read_constants_make(void)
{
	xc_crc_read_constants c = {{0}, {0}};
	uint32_t power = XC_CRC_ONE;
	for (int i = XC_WARP_LANES - 1; i >= 0; i--) {
		for (int j = 0; j < 32; j++)
			power = xc_crc_times_x(power);
		c.lane[i] = power;
	}
	for (int i = 31; i >= 0; i--) {
		c.row[i] = power;
		power = xc_crc_times_x(power);
	}
	return c;
}

/* Fills the tables, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_crc_read_fill(xc_crc_read_tables *t, const xc_crc_read_constants *c,
                                    uint32_t worker, uint32_t workers)
{
	for (uint32_t i = worker; i < 1024; i += workers)
		t->row[i / 256][i % 256] = xc_crc_table_entry(c->row, i);
	for (uint32_t i = worker; i < XC_WARP_LANES; i += workers)
		t->lane[i] = c->lane[i];
}

/* Bytes at ... at + 3 of the segment, the first one lowest; zeros before it. */
XC_GPU_INLINE uint32_t xc_crc_read_word(const xc_gpu_bits *b, int32_t at, int copied)
{
	if (at <= -4)
		return 0;
	const int32_t from = at + (int32_t)(b->begin / 8);
	const uint32_t i = (uint32_t)(from >> 2) /* -1 at least */, n = ((uint32_t)from & 3) * 8;
	/* A word that lies before the segment as a whole may be another warp's. */
	const uint32_t first = (i + 1) * 32 > b->begin ? xc_gpu_word(b, i, copied) : 0;
	const uint32_t w = xc_gpu_swap(xc_gpu_shift_in(first, xc_gpu_word(b, i + 1, copied), n));
	return at < 0 ? w & ~UINT32_C(0) << (8 * -at) : w;
}

/* What the start value, all ones, changes in that word. */
XC_GPU_INLINE uint32_t xc_crc_read_start(int32_t at)
{
	if (at <= -4 || at >= 4)
		return 0;
	return at < 0 ? ~UINT32_C(0) << (8 * -at) : ~UINT32_C(0) >> (8 * at);
}

XC_GPU_INLINE uint32_t xc_crc_read_short(const xc_gpu_bits *b, int copied)
{
	const uint32_t n = (b->end - b->begin) / 8;
	uint32_t crc = ~UINT32_C(0);
	for (uint32_t i = 0; i < n; i++)
		crc = xc_crc_byte(crc, xc_crc_read_word(b, (int32_t)i, copied) & 255);
	return ~crc;
}

/* For all lanes. */
XC_WARP_INLINE uint32_t xc_crc_read(const xc_gpu_bits *b, const xc_crc_read_tables *t, int copied)
{
	const int32_t n = (int32_t)((b->end - b->begin) / 8), rows = (n + 127) / 128;
	enum { AT_ONCE = 4 }; /* rows that are loaded */
	uint32_t part[XC_SLOTS];
	if (n < 4)
		return xc_crc_read_short(b, copied);
	XC_FOR_LANES(lane) {
		int32_t at = n - 128 * rows + 4 * lane;
		uint32_t s = 0;
		for (int32_t row = 0; row < rows; row += AT_ONCE, at += 128 * AT_ONCE) {
			uint32_t w[AT_ONCE];
			XC_UNROLL
			for (int32_t k = 0; k < AT_ONCE; k++)
				w[k] = row + k < rows ? xc_crc_read_word(b, at + 128 * k, copied) : 0;
			XC_UNROLL
			for (int32_t k = 0; k < AT_ONCE; k++)
				if (row + k < rows)
					s = xc_crc_row(t->row, s) ^ w[k] ^ xc_crc_read_start(at + 128 * k);
		}
		part[XC_SLOT(lane)] = xc_crc_multiply(s, t->lane[lane]);
	}
	return ~xc_warp_xor(part);
}

#endif
