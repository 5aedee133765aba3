/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lanes of one warp, or of several that share a segment, and the CRC that they compute. As in
 * gpu/runtime/warp.h a variable that each lane has is an array:
 *
 *	uint32_t n[XC_WARP_GROUP_SLOTS];
 *	XC_FOR_WARP_GROUP(lane, warp group)
 *		n[XC_WARP_GROUP_SLOT(lane)] = f(lane);
 *	xc_warp_group_scan(warp group, n);
 *
 * All lanes of a warp group call the functions, each of which is a barrier for them.
 */
#ifndef XC_GPU_DECODE_WARP_GROUP_H
#define XC_GPU_DECODE_WARP_GROUP_H

#include "gpu/decode/bits.h"
#include "gpu/decode/job.h"
#include "gpu/runtime/crc.h"
#include "gpu/runtime/warp.h"

enum { XC_WARP_GROUP_MAX = 4 }; /* warps */

/* Shared memory in which each warp of a group publishes a number; two buffers used in turn. */
typedef struct xc_warp_group_exchange {
	uint32_t word[2][XC_WARP_GROUP_MAX];
} xc_warp_group_exchange;

typedef struct xc_warp_group {
	uint32_t warps;  /* a constant */
	uint32_t number; /* index in the thread block; at most 14 if warps > 1: named barriers */
	xc_warp_group_exchange *exchange; /* NULL with one warp */
	uint32_t turn;
} xc_warp_group;

#ifdef __CUDA_ARCH__
#define XC_WARP_GROUP_SLOTS 1
#define XC_WARP_GROUP_SLOT(lane) 0
#define XC_FOR_WARP_GROUP(lane, wg) \
	for (uint32_t lane = threadIdx.x % (XC_WARP_LANES * (wg)->warps), once_ = 1; \
	     once_ && lane < XC_WARP_LANES * XC_WARP_GROUP_MAX; once_ = 0)

/* Lanes agree on memory. */
XC_WARP_INLINE void xc_warp_group_sync(const xc_warp_group *c)
{
	/* Barrier 0 is __syncthreads(). */
	if (c->warps == 1)
		__syncwarp();
	else
		asm volatile("bar.sync %0, %1;" ::"r"(c->number + 1), "r"(XC_WARP_LANES * c->warps)
		             : "memory");
}

XC_WARP_INLINE uint32_t xc_warp_group_warp(const xc_warp_group *c)
{
	return c->warps == 1 ? 0 : threadIdx.x / XC_WARP_LANES % c->warps;
}

/* Lane `from` of each warp publishes `v`; word i of the result is warp i's. The next turn's barrier
 * precedes the next write of these words. */
XC_WARP_INLINE const uint32_t *xc_warp_group_tell(xc_warp_group *c, uint32_t from, uint32_t v)
{
	uint32_t *words = c->exchange->word[c->turn];

	c->turn ^= 1;
	if (threadIdx.x % XC_WARP_LANES == from)
		words[xc_warp_group_warp(c)] = v;
	xc_warp_group_sync(c);
	return words;
}

/* Each lane gets the value of the lane before it; lane 0 keeps its own. */
XC_WARP_INLINE void xc_warp_group_up(xc_warp_group *c, uint32_t v[1])
{
	const uint32_t mine = v[0], warp = xc_warp_group_warp(c);

	xc_warp_up(v);
	if (c->warps == 1)
		return;
	const uint32_t *last = xc_warp_group_tell(c, XC_WARP_LANES - 1, mine);
	if (warp && threadIdx.x % XC_WARP_LANES == 0)
		v[0] = last[warp - 1];
}

/* Inclusive prefix sum over the lanes. */
XC_WARP_INLINE void xc_warp_group_scan(xc_warp_group *c, uint32_t v[1])
{
	xc_warp_scan(v);
	if (c->warps == 1)
		return;
	const uint32_t *sums = xc_warp_group_tell(c, XC_WARP_LANES - 1, v[0]);
	for (uint32_t i = 0; i + 1 < c->warps; i++)
		v[0] += i < xc_warp_group_warp(c) ? sums[i] : 0;
}

/* Whether any lane's value is not zero. */
XC_WARP_INLINE int xc_warp_group_any(xc_warp_group *c, const uint32_t v[1])
{
	if (c->warps == 1)
		return xc_warp_any(v);
	const uint32_t *any = xc_warp_group_tell(c, 0, (uint32_t)xc_warp_any(v));
	uint32_t all = 0;
	for (uint32_t i = 0; i < c->warps; i++)
		all |= any[i];
	return all != 0;
}

XC_WARP_INLINE uint32_t xc_warp_group_xor(xc_warp_group *c, const uint32_t v[1])
{
	uint32_t x = xc_warp_xor(v);

	if (c->warps == 1)
		return x;
	const uint32_t *words = xc_warp_group_tell(c, 0, x);
	x = 0;
	for (uint32_t i = 0; i < c->warps; i++)
		x ^= words[i];
	return x;
}

/* The value of the first lane whose flag is set; UINT32_MAX: none is. */
XC_WARP_INLINE uint32_t xc_warp_group_first(xc_warp_group *c, const uint32_t flag[1],
                                            const uint32_t v[1])
{
	const uint32_t set = xc_warp_ballot(flag);
	uint32_t first = set ? xc_warp_of(v, xc_gpu_lowest(set)) : UINT32_MAX;

	if (c->warps == 1)
		return first;
	const uint32_t *words = xc_warp_group_tell(c, 0, first);
	for (uint32_t i = c->warps; i-- > 0;)
		first = words[i] != UINT32_MAX ? words[i] : first;
	return first;
}

#else
#define XC_WARP_GROUP_SLOTS (XC_WARP_LANES * XC_WARP_GROUP_MAX)
#define XC_WARP_GROUP_SLOT(lane) (lane)
#define XC_FOR_WARP_GROUP(lane, wg) \
	for (uint32_t lane = 0; lane < (uint32_t)XC_WARP_LANES * (wg)->warps; lane++)

XC_WARP_INLINE void xc_warp_group_sync(const xc_warp_group *c)
{
	(void)c;
}

XC_WARP_INLINE uint32_t xc_warp_group_warp(const xc_warp_group *c)
{
	(void)c;
	return 0;
}

XC_WARP_INLINE void xc_warp_group_up(const xc_warp_group *c, uint32_t v[XC_WARP_GROUP_SLOTS])
{
	for (uint32_t i = XC_WARP_LANES * c->warps - 1; i > 0; i--)
		v[i] = v[i - 1];
}

XC_WARP_INLINE void xc_warp_group_scan(const xc_warp_group *c, uint32_t v[XC_WARP_GROUP_SLOTS])
{
	for (uint32_t i = 1; i < XC_WARP_LANES * c->warps; i++)
		v[i] += v[i - 1];
}

XC_WARP_INLINE int xc_warp_group_any(const xc_warp_group *c, const uint32_t v[XC_WARP_GROUP_SLOTS])
{
	uint32_t all = 0;

	for (uint32_t i = 0; i < XC_WARP_LANES * c->warps; i++)
		all |= v[i];
	return all != 0;
}

XC_WARP_INLINE uint32_t xc_warp_group_xor(const xc_warp_group *c,
                                          const uint32_t v[XC_WARP_GROUP_SLOTS])
{
	uint32_t x = 0;

	for (uint32_t i = 0; i < XC_WARP_LANES * c->warps; i++)
		x ^= v[i];
	return x;
}

XC_WARP_INLINE uint32_t xc_warp_group_first(const xc_warp_group *c,
                                            const uint32_t flag[XC_WARP_GROUP_SLOTS],
                                            const uint32_t v[XC_WARP_GROUP_SLOTS])
{
	for (uint32_t i = 0; i < XC_WARP_LANES * c->warps; i++)
		if (flag[i])
			return v[i];
	return UINT32_MAX;
}
#endif

/* CRC-32C of a segment that the decoder reads, by a warp group, as in xc_crc_write_lane(): leading
 * zeros make whole rows of a word for each lane, and the powers in `lane` omit the padding of the
 * last word. */

/* The powers for warp groups of one size. */
typedef struct xc_crc_read_constants {
	uint32_t row[32];                 /* x^(31 - i) times x^(1024 warps): bit i one row later */
	uint32_t lane[4][XC_WARP_LANES];  /* see xc_crc_lane_powers() */
	uint32_t warp[XC_WARP_GROUP_MAX]; /* x^(1024 i) */
} xc_crc_read_constants;

typedef struct xc_crc_read_tables {
	uint32_t row[4][256]; /* by byte j of a remainder: its value one row later */
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

/* Called by all lanes. t: tables for warp groups of this size. */
XC_WARP_INLINE uint32_t xc_crc_read(xc_warp_group *wg, const xc_gpu_bits *b,
                                    const xc_crc_read_tables *t, int copied)
{
	enum { AT_ONCE = 4 }; /* rows loaded together */
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
				/* All loads are issued before the first one is used. */
				w[k] = xc_gpu_swap(copied ? w[k] : xc_gpu_own_bits(b, first + at, w[k]));
				/* The initial value, all ones, inverts the first four bytes. */
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

/* Checks the CRC of a segment in global memory, by one warp: sets *r, not yet intact, and returns 1 if it matches. */
XC_WARP_INLINE int xc_gpu_check_crc(const xc_gpu_decode_job *p, const xc_gpu_segment *segment,
                                    const xc_crc_read_tables *t, xc_gpu_segment_result *r)
{
	const uint8_t *data = p->data + segment->start;

	r->crc = r->intact = 0;
	if (!segment->available || !segment->size)
		return 0;
	XC_GPU_GLOBAL(data);
	const xc_gpu_bits b = xc_gpu_bits_of(data, segment->size);
	xc_warp_group one = {1, 0, NULL, 0};
	r->crc = xc_crc_read(&one, &b, t, 0);
	return (r->crc & 0xffff) == segment->check;
}

#endif
