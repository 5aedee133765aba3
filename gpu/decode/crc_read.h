/* SPDX-License-Identifier: BSD-2-Clause */
/* CRC-32C of a segment that the decoder reads, by a warp group. Zeros in front, which do not change
 * it, make whole rows, of a word for each lane. Zeros also fill the last word; each byte of them
 * would multiply the remainder by x^8, which the powers in `lane` leave out. */
#ifndef XC_GPU_DECODE_CRC_READ_H
#define XC_GPU_DECODE_CRC_READ_H

#include "gpu/decode/bits.h"
#include "gpu/decode/warp_group.h"
#include "gpu/runtime/crc.h"

/* For warp groups of a number of warps. */
typedef struct xc_crc_read_constants {
	uint32_t row[32];                 /* x^(31 - i) times x^(1024 warps): bit i a row on */
	uint32_t lane[4][XC_WARP_LANES];  /* see xc_crc_lane_powers() */
	uint32_t warp[XC_WARP_GROUP_MAX]; /* x^(1024 i) */
} xc_crc_read_constants;

typedef struct xc_crc_read_tables {
	uint32_t row[4][256]; /* byte j of a remainder a row on */
	uint32_t lane[4][XC_WARP_LANES], warp[XC_WARP_GROUP_MAX];
} xc_crc_read_tables;

XC_GPU_CONSTANT xc_crc_read_constants xc_crc_read_constants_make(uint32_t warps)
{
	xc_crc_read_constants c = {{0}, {{0}}, {0}};
	const uint32_t power = xc_crc_lane_powers(c.lane);

	c.warp[0] = XC_CRC_ONE;
	for (uint32_t i = 1; i < XC_WARP_GROUP_MAX; i++)
		c.warp[i] = xc_crc_multiply(c.warp[i - 1], power);
	xc_crc_row_powers(c.row, xc_crc_multiply(c.warp[warps - 1], power));
	return c;
}

/* Fills the tables, as worker `worker` of `workers`. */
XC_GPU_INLINE void xc_crc_read_fill(xc_crc_read_tables *t, const xc_crc_read_constants *c,
                                    uint32_t worker, uint32_t workers)
{
	for (uint32_t i = worker; i < 1024; i += workers)
		t->row[i / 256][i % 256] = xc_crc_table_entry(c->row, i);
	for (uint32_t i = worker; i < 4 * XC_WARP_LANES; i += workers)
		(&t->lane[0][0])[i] = (&c->lane[0][0])[i];
	for (uint32_t i = worker; i < XC_WARP_GROUP_MAX; i += workers)
		t->warp[i] = c->warp[i];
}

XC_GPU_INLINE uint32_t xc_crc_read_short(const xc_gpu_bits *b, int copied)
{
	uint32_t crc = ~UINT32_C(0);

	for (uint32_t at = b->begin; at < b->end; at += 8)
		crc = xc_crc_byte(crc, xc_gpu_bits_at(b, at, 8, copied));
	return ~crc;
}

/* For all lanes.  t: for warp groups like this one. */
XC_WARP_INLINE uint32_t xc_crc_read(xc_warp_group *wg, const xc_gpu_bits *b,
                                    const xc_crc_read_tables *t, int copied)
{
	enum { AT_ONCE = 4 }; /* rows that are loaded */
	const uint32_t lanes = XC_WARP_LANES * wg->warps, before = b->begin / 8 % 4;
	const uint32_t first = b->begin / 32, words = (b->end + 31) / 32 - first;
	const uint32_t rows = (words + AT_ONCE * lanes - 1) / (AT_ONCE * lanes) * AT_ONCE;
	uint32_t part[XC_WARP_GROUP_SLOTS];

	if (b->end - b->begin < 32)
		return xc_crc_read_short(b, copied);
	XC_FOR_WARP_GROUP(lane, wg) {
		uint32_t at = words - lanes * rows + lane; /* before the segment: beyond `words` */
		uint32_t s = 0;
		for (uint32_t row = 0; row < rows; row += AT_ONCE) {
			uint32_t w[AT_ONCE];
			XC_UNROLL
			for (uint32_t k = 0; k < AT_ONCE; k++)
				w[k] = at + k * lanes < words ? xc_gpu_word(b, first + at + k * lanes, copied) : 0;
			XC_UNROLL
			for (uint32_t k = 0; k < AT_ONCE; k++, at += lanes) {
				/* All loads are under way before the first one is waited for. */
				w[k] = xc_gpu_swap(copied ? w[k] : xc_gpu_own_bits(b, first + at, w[k]));
				/* The start value, all ones, changes the first four bytes. */
				if (at < 2)
					w[k] ^= at ? ~(~UINT32_C(0) << 8 * before) : ~UINT32_C(0) << 8 * before;
				s = xc_crc_row(t->row, s) ^ w[k];
			}
		}
		s = xc_crc_multiply(s, t->lane[-(b->end / 8) % 4][lane % XC_WARP_LANES]);
		if (wg->warps > 1)
			s = xc_crc_multiply(s, t->warp[wg->warps - 1 - lane / XC_WARP_LANES]);
		part[XC_WARP_GROUP_SLOT(lane)] = s;
	}
	return ~xc_warp_group_xor(wg, part);
}

#endif
