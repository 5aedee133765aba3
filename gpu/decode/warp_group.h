/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lanes of one warp, or of several that share work.  As in gpu/runtime/warp.h a variable of
 * which each lane has its own is an array:
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
#include "gpu/runtime/warp.h"

enum { XC_WARP_GROUP_MAX = 4 }; /* warps */

/* Shared memory by which the warps of a warp group tell each other a number each, in turns. */
typedef struct xc_warp_group_exchange {
	uint32_t word[2][XC_WARP_GROUP_MAX];
} xc_warp_group_exchange;

typedef struct xc_warp_group {
	uint32_t warps; /* a constant */
	uint32_t
		number; /* among those of the block of threads; of several warps there are at most 14 */
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

/* Lane `from` of each warp tells `v`: number i is warp i's.  The next turn's barrier comes before
 * these words are written again. */
XC_WARP_INLINE const uint32_t *xc_warp_group_tell(xc_warp_group *c, uint32_t from, uint32_t v)
{
	uint32_t *words = c->exchange->word[c->turn];

	c->turn ^= 1;
	if (threadIdx.x % XC_WARP_LANES == from)
		words[xc_warp_group_warp(c)] = v;
	xc_warp_group_sync(c);
	return words;
}

/* Each lane gets the value of the one before it, lane 0 keeps its own. */
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

/* Sums of all lanes up to and with each. */
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

/* The value of the first lane that has a flag; UINT32_MAX if none has one. */
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

#endif
