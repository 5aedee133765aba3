/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The second half of the forward kernel: blocks of the planes to quantized
 * coefficients and those to tokens, one thread a block.  The stub defines DEEP, 0 or 1:
 * coefficients and tokens of 16 or 32 bits.
 *
 * A thread's coefficients are in shared memory as words, word w of thread i at
 * w * XC_GPU_FORWARD_TEAM + i: whatever position each thread of a warp reads, it
 * stays in a bank of its own.  Tokens take the places of coefficients that have
 * been read: there are never more of them.
 */
#include "entropy/scan.h"
#include "entropy/token_make.h"
#include "gpu/planes.h"
#include "transform/dct8.h"

#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

#if DEEP
#define NAME(stem) PASTE(stem, 32)
#define COEF int32_t
#define TOKEN uint32_t
#define PER_WORD 1
#else
#define NAME(stem) PASTE(stem, 16)
#define COEF int16_t
#define TOKEN uint16_t
#define PER_WORD 2
#endif

/* Where number k of a thread's column is; `column` is its first word. */
XC_GPU_INLINE uint32_t NAME(xc_gpu_slot)(uint32_t k)
{
	return k / PER_WORD * (XC_GPU_FORWARD_TEAM * PER_WORD) + k % PER_WORD;
}

/* Transforms and quantizes a block, stores it in zig-zag order.  Returns the mask of
 * positions that are not zero, bit 0 (the DC) left out; *dc is the DC. */
XC_GPU_INLINE uint64_t NAME(xc_gpu_transform)(float r[8][8], const xc_gpu_four *quant,
                                              uint32_t *column, int32_t *dc)
{
	const uint8_t scan[64] = {XC_SCAN_TABLE};
	XC_UNROLL for (int x = 0; x < 8; x++)
		xc_dct8_forward(r[x]);
	int32_t q[64];
	float *const flat = &r[0][0];
	XC_UNROLL for (int v = 0; v < 8; v++) {
		float line[8];
		XC_UNROLL for (int x = 0; x < 8; x++)
			line[x] = flat[x * 8 + v];
		xc_dct8_forward(line);
		XC_UNROLL for (int u = 0; u < 8; u++)
			flat[u * 8 + v] = line[u];
	}
	XC_UNROLL for (int i = 0; i < 16; i++) {
		const xc_gpu_four k = quant[i];
		q[4 * i] = xc_gpu_round(flat[4 * i] * k.x);
		q[4 * i + 1] = xc_gpu_round(flat[4 * i + 1] * k.y);
		q[4 * i + 2] = xc_gpu_round(flat[4 * i + 2] * k.z);
		q[4 * i + 3] = xc_gpu_round(flat[4 * i + 3] * k.w);
	}
	*dc = q[0];
	uint32_t low = 0, high = 0;
	XC_UNROLL for (int k = 1; k < 32; k++)
		low |= q[scan[k]] ? UINT32_C(1) << k : 0;
	XC_UNROLL for (int k = 32; k < 64; k++)
		high |= q[scan[k]] ? UINT32_C(1) << (k - 32) : 0;
	XC_UNROLL for (int w = 0; w < 64 / PER_WORD; w++) {
#if DEEP
		column[w * XC_GPU_FORWARD_TEAM] = (uint32_t)q[scan[w]];
#else
		column[w * XC_GPU_FORWARD_TEAM] =
		        ((uint32_t)q[scan[2 * w]] & 0xffffu) | (uint32_t)q[scan[2 * w + 1]] << 16;
#endif
	}
	return (uint64_t)high << 32 | low;
}

/* Turns the coefficients in a column into tokens; returns how many. */
XC_GPU_INLINE uint32_t NAME(xc_gpu_tokenize)(uint32_t *column, uint64_t mask)
{
	COEF *const in = (COEF *)(void *)column;
	TOKEN *const out = (TOKEN *)(void *)column;
	uint32_t n = 0, next = 1;
	while (mask) {
		const uint32_t k = xc_gpu_lowest(mask);
		uint32_t run = k - next;
		const int32_t value = in[NAME(xc_gpu_slot)(k)];
		mask &= mask - 1;
		next = k + 1;
		for (; run > 15; run -= 16)
			out[NAME(xc_gpu_slot)(n++)] = XC_ZEROS_TOKEN;
		out[NAME(xc_gpu_slot)(n++)] = (TOKEN)xc_ac_token(value, run);
	}
	if (next != 64)
		out[NAME(xc_gpu_slot)(n++)] = XC_END_TOKEN;
	return n;
}

/* Tokens to their slot, 16 bytes at a time. */
XC_GPU_INLINE void NAME(xc_gpu_store_tokens)(const uint32_t *column, uint32_t n, void *slot)
{
	typedef struct four_words {
		uint32_t x, y, z, w;
	} __attribute__((aligned(16))) four_words;
	four_words *out = (four_words *)slot;
	for (uint32_t w = 0; w * PER_WORD < n; w += 4) {
		const four_words f = {column[w * XC_GPU_FORWARD_TEAM],
		                      column[(w + 1) * XC_GPU_FORWARD_TEAM],
		                      column[(w + 2) * XC_GPU_FORWARD_TEAM],
		                      column[(w + 3) * XC_GPU_FORWARD_TEAM]};
		*out++ = f;
	}
}

/* Block `item` of a team whose MCUs, `left` of them, begin with MCU `first`: planes to
 * tokens.  All threads call it: there is a barrier inside. */
XC_GPU_INLINE void NAME(xc_gpu_block)(const xc_gpu_encode_job *j, uint32_t item, uint32_t blocks,
                                      uint32_t left, uint32_t first, uint32_t picture,
                                      const xc_gpu_plane_layout *l, const xc_gpu_four *quant,
                                      const xc_gpu_four *planes, uint32_t *column)
{
	const xc_gpu_block_of b = xc_gpu_block_number(j, item);
	const uint32_t chroma = b.component != 0;
	const int there = item < blocks && b.mcu < left;
	float r[8][8];
	int32_t dc;
	if (there)
		xc_gpu_load_block(planes + xc_gpu_block_samples(l, &b, j->h), l->wide[chroma],
		                  l->half[chroma], r);
	XC_TEAM_SYNC(); /* the columns take the planes' place */
	if (!there)
		return;
	const uint64_t mask = NAME(xc_gpu_transform)(r, quant + chroma * 16, column, &dc);
	const uint32_t n = NAME(xc_gpu_tokenize)(column, mask);
	const size_t block = (size_t)picture * j->blocks + xc_gpu_block_home(j, &b, first);
	NAME(xc_gpu_store_tokens)(column, n, (TOKEN *)j->tokens + block * XC_GPU_AC_SLOTS);
	j->counts[block] = (uint8_t)n;
	j->dc[block] = dc;
}

/* One team's work. */
XC_GPU_INLINE void NAME(xc_gpu_forward)(const xc_gpu_encode_job *j, xc_team t, uint32_t team,
                                        uint32_t picture, xc_gpu_four *shared)
{
	const xc_gpu_plane_layout l = xc_gpu_planes(j);
	xc_gpu_four *const quant = shared, *const planes = shared + 32;
	uint32_t *const columns = (uint32_t *)(void *)(planes + xc_gpu_columns_at(&l));
	const uint32_t first = team * j->span;
	for (uint32_t i = t.rank; i < 128; i += t.size)
		((float *)(void *)quant)[i] = j->quant[i];
	if (team == 0)
		xc_gpu_clear_state(j, t, picture);
	xc_gpu_fill_planes(j, t, j->pixels + picture * j->distance, first, &l, planes);
	XC_TEAM_SYNC();
	const uint32_t left = j->mcus - first < j->span ? j->mcus - first : j->span;
	const uint32_t blocks = j->span * j->mcu_blocks;
#ifdef __CUDA_ARCH__
	/* As many threads as blocks. */
	NAME(xc_gpu_block)(j, t.rank, blocks, left, first, picture, &l, quant, planes,
	                   columns + t.rank);
#else
	for (uint32_t item = t.rank; item < blocks; item += t.size)
		NAME(xc_gpu_block)(j, item, blocks, left, first, picture, &l, quant, planes,
		                   columns + t.rank);
#endif
}

#undef NAME
#undef COEF
#undef TOKEN
#undef PER_WORD
#undef PASTE
#undef PASTE2
#undef DEEP
