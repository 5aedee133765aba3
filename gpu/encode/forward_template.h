/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second half of the forward kernel: blocks of the planes to quantized
 * coefficients and those to tokens, one thread a block.  The stub defines DEEP, 0 or 1:
 * coefficients and tokens of 16 or 32 bits.
 *
 * A thread's coefficients are a column in shared memory: number k of thread i of a team is at
 * k * team + i, so that whatever positions the threads of a warp read, two at
 * most meet in a bank.  Tokens take the places of coefficients that have been read:
 * there are never more of them.
 */
#include "entropy/scan.h"
#include "entropy/token.h"
#include "gpu/encode/planes.h"
#include "transform/dct8.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#if DEEP
#define NAME(stem) PASTE(stem, 32)
#define COEF int32_t
#define TOKEN uint32_t
#else
#define NAME(stem) PASTE(stem, 16)
#define COEF int16_t
#define TOKEN uint16_t
#endif

/* The block step of the DCT and the TDLT, or of the LOT. */
XC_GPU_INLINE void NAME(xc_gpu_step)(float x[8], int lot)
{
	if (lot)
		xc_lot8_forward_block(x);
	else
		xc_dct8_forward(x);
}

/* Transforms and quantizes a block and stores it in zig-zag order, from position 1 on.  Sets
 * the masks of positions that are not zero, the first one (without the DC) the highest
 * bit; returns the DC. */
XC_GPU_INLINE int32_t NAME(xc_gpu_transform)(float r[8][8], int lot, const xc_gpu_four *quant,
                                             COEF *column, uint32_t team, uint32_t masks[2])
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	XC_UNROLL for (int x = 0; x < 8; x++) NAME(xc_gpu_step)(r[x], lot);
	uint32_t q[64];
	float *const flat = &r[0][0];
	XC_UNROLL for (int v = 0; v < 8; v++)
	{
		float line[8];
		XC_UNROLL for (int x = 0; x < 8; x++) line[x] = flat[x * 8 + v];
		NAME(xc_gpu_step)(line, lot);
		XC_UNROLL for (int u = 0; u < 8; u++) flat[u * 8 + v] = line[u];
	}
	XC_UNROLL for (int i = 0; i < 16; i++)
	{
		const xc_gpu_four k = quant[i];
		q[4 * i] = xc_gpu_round_bits(flat[4 * i] * k.x);
		q[4 * i + 1] = xc_gpu_round_bits(flat[4 * i + 1] * k.y);
		q[4 * i + 2] = xc_gpu_round_bits(flat[4 * i + 2] * k.z);
		q[4 * i + 3] = xc_gpu_round_bits(flat[4 * i + 3] * k.w);
	}
	masks[0] = masks[1] = 0;
	XC_UNROLL for (int k = 1; k < 64; k++)
		xc_gpu_set_if_other(&masks[k / 32], UINT32_C(1) << (31 - k % 32), q[scan[k]],
	                        XC_GPU_ROUND_ZERO);
	/* The lowest 16 bits are the number's already. */
	XC_UNROLL for (int k = 1; k < 64; k++)
		column[k * team] = (COEF)(DEEP ? q[scan[k]] - XC_GPU_ROUND_ZERO : q[scan[k]]);
	return (int32_t)(q[0] - XC_GPU_ROUND_ZERO);
}

/* Turns the coefficients in a column into tokens; returns how many. */
XC_GPU_INLINE uint32_t NAME(xc_gpu_tokenize)(COEF *column, uint32_t team, const uint32_t masks[2])
{
	const COEF *in = column; /* where the positions of the mask begin */
	TOKEN *const tokens = (TOKEN *)(void *)column;
	uint32_t out = 0; /* as an index: a pointer and its distance would be kept as 64 bits */
	/* Zeros since the last coefficient, less what lies after this one in the mask; the
	 * DC's position is none. */
	int32_t zeros = -1;
	for (int half = 0; half < 2; half++, in += 32 * team) {
		uint32_t mask = masks[half], at = 0;
		while (mask) {
			const uint32_t skip = xc_gpu_leading_zeros(mask);
			at += skip;
			const int32_t value = in[at * team];
			uint32_t run = (uint32_t)(zeros + (int32_t)skip);
			XC_ROLLED for (; run > 15; run -= 16, out += team) tokens[out] = XC_ZEROS_TOKEN;
			tokens[out] = (TOKEN)xc_ac_token(value, run);
			out += team;
			at++;
			zeros = 0;
			mask = xc_gpu_shift_out(mask, skip + 1);
		}
		zeros += 32 - (int32_t)at;
	}
	if (zeros) {
		tokens[out] = XC_END_TOKEN;
		out += team;
	}
	return out / team;
}

/* Tokens to their slot, 16 bytes at a time; those after the last mean nothing. */
XC_GPU_INLINE void NAME(xc_gpu_store_tokens)(const COEF *column, uint32_t team, uint32_t n,
                                             void *slot)
{
	typedef union group {
		TOKEN t[16 / sizeof(TOKEN)];
		uint32_t words[4];
	} __attribute__((aligned(16))) group;
	const TOKEN *in = (const TOKEN *)(const void *)column;
	group *out = (group *)slot;
	XC_ROLLED for (uint32_t k = 0; k < n; k += 16 / sizeof(TOKEN))
	{
		group g;
		XC_UNROLL for (uint32_t i = 0; i < 16 / sizeof(TOKEN); i++, in += team) g.t[i] = *in;
		*out++ = g;
	}
}

/* Block `item` of a team, from planes to tokens.  All threads call it: there are barriers
 * inside. */
XC_GPU_INLINE void NAME(xc_gpu_block)(const xc_gpu_encode_job *j, xc_team t, uint32_t item,
                                      uint32_t picture, int kind, const xc_gpu_share *s,
                                      const xc_gpu_plane_map *l, const xc_gpu_four *quant,
                                      xc_gpu_four *planes, COEF *column)
{
	const xc_gpu_team_block b = xc_gpu_team_block_of(j, s->tall, item);
	const uint32_t chroma = b.component != 0;
	const uint32_t wide = chroma ? l->wide[1] : l->wide[0];
	const uint32_t half = chroma ? l->half[1] : l->half[0];
	const int there = xc_gpu_block_there(j, s, &b, item);
	xc_gpu_four *const samples = planes + xc_gpu_block_samples(j, l, &b);
	float r[8][8];
	uint32_t masks[2];
	if (kind == XC_GPU_FORWARD_LAPPED_COMMON && XC_GPU_EDGES_WITH_BLOCKS) {
		if (there)
			xc_gpu_edges_before(j->transform, samples, wide, half, r);
		xc_gpu_edges_after(j, t, &s->run, l, planes);
		XC_TEAM_SYNC();
	} else if (there) {
		xc_gpu_load_half(samples, wide, r);
	}
	if (there)
		xc_gpu_load_half(samples + half, wide, r + 4);
	XC_TEAM_SYNC(); /* the columns take the planes' place */
	if (!there)
		return;
	const int32_t dc = NAME(xc_gpu_transform)(r, s->lot, quant + chroma * 16, column, j->team,
	                                          masks);
	const uint32_t n = NAME(xc_gpu_tokenize)(column, j->team, masks);
	const size_t block = (size_t)picture * j->blocks + xc_gpu_block_home(j, &b, s);
	NAME(xc_gpu_store_tokens)(column, j->team, n, (TOKEN *)j->tokens + block * XC_GPU_AC_SLOTS);
	j->counts[block] = (uint8_t)n;
	j->dc[block] = dc;
}

/* One team's work; kind, a constant: of the kernel. */
XC_GPU_INLINE void NAME(xc_gpu_forward)(const xc_gpu_encode_job *j, xc_team t, uint32_t team,
                                        uint32_t picture, int kind, xc_gpu_four *shared)
{
	const xc_gpu_plane_map l = xc_gpu_planes_of(j, kind);
	xc_gpu_four *const quant = shared, *const planes = shared + 32;
	COEF *const columns = (COEF *)(void *)(planes + xc_gpu_columns_at(&l));
	const uint8_t *const pixels = j->pixels + picture * j->distance;
	const int plain = kind == XC_GPU_FORWARD_DCT || kind == XC_GPU_FORWARD_DCT_COMMON;
	const xc_gpu_share s = plain ? xc_gpu_plain_share(j, team) : xc_gpu_lapped_share(j, team);
	for (uint32_t i = t.rank; i < 128; i += t.size)
		((float *)(void *)quant)[i] = j->quant[i];
	if (team == 0)
		xc_gpu_clear_state(j, t, picture);
	if (plain)
		xc_gpu_fill_planes(j, t, pixels, s.first,
		                   kind == XC_GPU_FORWARD_DCT_COMMON && j->h == 1 ? XC_GPU_AHEAD : 1, &l,
		                   planes);
	else if (kind == XC_GPU_FORWARD_LAPPED)
		xc_gpu_lapped_planes(j, t, pixels, &s.run, &l, planes);
	else
		xc_gpu_rgb_lapped_planes(j, t, pixels, &s.run, &l, planes);
	XC_TEAM_SYNC();
#ifdef __CUDA_ARCH__
	/* As many threads as blocks. */
	NAME(xc_gpu_block)(j, t, t.rank, picture, kind, &s, &l, quant, planes, columns + t.rank);
#else
	if (kind == XC_GPU_FORWARD_LAPPED_COMMON)
		xc_gpu_all_column_edges(j, t, &s, &l, planes);
	for (uint32_t item = t.rank; item < j->team; item += t.size)
		NAME(xc_gpu_block)(j, t, item, picture, kind, &s, &l, quant, planes, columns + t.rank);
#endif
}

#undef NAME
#undef COEF
#undef TOKEN
#undef PASTE
#undef PASTE2
#undef DEEP
