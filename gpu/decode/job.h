/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's jobs: what its kernels need to know of pictures and segments, in device memory; and
 * the tokens that pass between the kernels. */
#ifndef XC_GPU_DECODE_JOB_H
#define XC_GPU_DECODE_JOB_H

#include "gpu/decode/tables.h"
#include "gpu/module.h"
#include "gpu/runtime/device.h"
#include "transform/colour_gains.h"

/*
 * Coefficients between the decoder's two kernels: tokens with the position and value of each
 * nonzero one. With 8 bits a sample a token is one word
 *   bits 2-8    the position in the scan, 1 to 63; 0 and 64 mark a filler
 *   bits 16-31  the value, in sixteenths of a step, plus XC_GPU_TOKEN_BIAS
 * and with 16 bits two words, the position and the value. The tokens of a segment are in the order
 * of its blocks and are stored a vec16 at a time. Each decoding thread begins with a new vec16;
 * fillers complete the one before it.
 *
 * Offsets of tokens are counted in words.
 */

enum {
	XC_GPU_TOKEN_BIAS = 32768,
	XC_GPU_NO_TOKEN = (int)0x80000000u, /* the value 0 at position 0 */
	/* Extra words of a segment for each warp that decodes it: the last vec16 of each lane in both
	 * streams, and what the last look-up gives past the end. */
	XC_GPU_TOKEN_MARGIN = 256
};

/* The data of a block beside its tokens. */
typedef struct xc_gpu_block_record {
	uint32_t end; /* the word after its last token, from the first of the segment */
	int32_t dc;   /* in sixteenths; before xc_gpu_restore_records() the difference in steps */
} __attribute__((aligned(8))) xc_gpu_block_record;

/* The same in shared memory, with 8 bits a sample: the end and the DC difference in steps. */
typedef struct xc_gpu_cached_block {
	uint16_t end;
	int16_t dc;
} __attribute__((aligned(4))) xc_gpu_cached_block;

XC_GPU_INLINE uint32_t xc_gpu_token_words(int depth16)
{
	return depth16 ? 2 : 1;
}

/* Loads the vec16 at `from` through the read-only cache. */
XC_GPU_INLINE void xc_gpu_load_vec16(const uint32_t *from, uint32_t word[XC_GPU_VEC16_WORDS])
{
#ifdef __CUDA_ARCH__
	const uint4 g = __ldg((const uint4 *)from);
	word[0] = g.x, word[1] = g.y, word[2] = g.z, word[3] = g.w;
#else
	XC_GPU_ALIGNED(from, 16);
	for (int i = 0; i < XC_GPU_VEC16_WORDS; i++)
		word[i] = from[i];
#endif
}

/* The value of the token at word[0]. */
XC_GPU_INLINE float xc_gpu_token_value(const uint32_t *word, int depth16)
{
	/* a float of 2^23 plus the number in its lowest bits */
	return depth16 ? (float)(int32_t)word[1]
	               : xc_gpu_float_of(word[0] >> 16 | 0x4b000000) - (8388608 + XC_GPU_TOKEN_BIAS);
}

/* The words that a number of tokens take, rounded up to vec16s. */
XC_GPU_INLINE uint32_t xc_gpu_vec16_words(uint32_t tokens, int depth16)
{
	return (tokens * xc_gpu_token_words(depth16) + XC_GPU_VEC16_WORDS - 1) &
	       ~(uint32_t)(XC_GPU_VEC16_WORDS - 1);
}

/* Writes tokens from word `at` on. A new word enters the vec16 as its last and shifts the others
 * down. */
typedef struct xc_gpu_token_writer {
	uint32_t *tokens;
	uint32_t at;
	uint32_t word[XC_GPU_VEC16_WORDS];
} xc_gpu_token_writer;

XC_GPU_INLINE xc_gpu_token_writer xc_gpu_tokens_to(uint32_t *tokens, uint32_t at)
{
	const xc_gpu_token_writer w = {tokens, at, {0, 0, 0, 0}};
	return w;
}

/* Adds a word if `valid` is 1. */
XC_GPU_INLINE void xc_gpu_token_word(xc_gpu_token_writer *w, uint32_t valid, uint32_t word)
{
	XC_UNROLL
	for (int i = 1; i < XC_GPU_VEC16_WORDS; i++)
		w->word[i - 1] = valid ? w->word[i] : w->word[i - 1];
	w->word[XC_GPU_VEC16_WORDS - 1] = valid ? word : w->word[XC_GPU_VEC16_WORDS - 1];
	w->at += valid;
}

XC_GPU_INLINE void xc_gpu_write_vec16(const xc_gpu_token_writer *w)
{
	xc_gpu_store_vec16(w->tokens + w->at - XC_GPU_VEC16_WORDS, w->word);
}

/* Adds a token if `valid` is 1. position: XC_GPU_NO_TOKEN plus four times the position, 1 to 64.
 * value: in sixteenths of a step. */
XC_GPU_INLINE void xc_gpu_put_token(xc_gpu_token_writer *w, uint32_t valid, uint32_t position,
                                    int32_t value, int depth16)
{
	if (depth16) {
		xc_gpu_token_word(w, valid, position - (uint32_t)XC_GPU_NO_TOKEN);
		xc_gpu_token_word(w, valid, (uint32_t)value);
	} else {
		xc_gpu_token_word(w, valid, ((uint32_t)value << 16) + position);
	}
	uint32_t full = valid && w->at % XC_GPU_VEC16_WORDS == 0;
	XC_OPAQUE(full, "r"); /* nvcc would branch around both */
	if (full)
		xc_gpu_write_vec16(w);
}

/* Completes the last vec16 with fillers. */
XC_GPU_INLINE void xc_gpu_end_tokens(xc_gpu_token_writer *w, int depth16)
{
	if (w->at % XC_GPU_VEC16_WORDS == 0)
		return;
	while (w->at % XC_GPU_VEC16_WORDS)
		xc_gpu_token_word(w, 1, depth16 ? 0 : (uint32_t)XC_GPU_NO_TOKEN);
	xc_gpu_write_vec16(w);
}

typedef struct xc_gpu_decode_job {
	/* The members of xc_gpu_shape come first, so that 16 bytes are loaded at once. */
	uint32_t width, height, h, v;
	uint32_t mcus_wide, mcus_high, tile_mcus_wide, tile_mcus_high;
	uint32_t tiles_wide, mcu_blocks;
	uint32_t first_segment;       /* index among those of all pictures */
	uint32_t predicted;           /* 1: `ac_prediction` is added */
	xc_gpu_block_record *records; /* of blocks, tile by tile */
	uint32_t *tokens;             /* rANS: the symbols of blocks, likewise */
	/* For xc_gpu_divide() by the size of tiles and by the regions of a row. */
	uint32_t tile_wide_inverse, tile_high_inverse, regions_inverse;
	uint32_t channels, depth, components;
	uint32_t rounding; /* xc_decode_options.jpeg_rounding */
	uint32_t transform;
	uint32_t coding; /* xc_gpu_coding */
	uint32_t mixed;  /* 1: `colours` converts the components to Y, Cb and Cr */
	uint32_t segments;
	uint32_t longest; /* segment, in bytes */
	uint64_t bytes;   /* of all segments present */
	xc_colour_gains gains;
	const uint8_t *data;                /* the first segment */
	const void *tables;                 /* [luma, chroma], of the coding */
	const struct xc_gpu_jpeg_job *jpeg; /* of a kept JPEG, else NULL */
	uint32_t *raw;                      /* rANS: raw bits, see xc_gpu_raw_room() */
	int32_t *dc; /* [blocks] scratch for DC differences; NULL if tiles are small */
	uint8_t *pixels;
	size_t stride;
	const uint8_t *alpha; /* samples row by row; NULL: none */
	/* [luma, chroma] */
	xc_value_points points[2];
	xc_ac_prediction ac_prediction[2];
	float steps[2][64]; /* factors, in scan order; rANS: transposed */
	float colours[9];
} __attribute__((aligned(16))) xc_gpu_decode_job;

typedef struct xc_gpu_segment {
	uint64_t start;  /* byte of the picture's data */
	uint64_t tokens; /* word of the picture's tokens */
	uint32_t size;
	uint16_t check;
	uint16_t available; /* 0: the file ends before it does */
} xc_gpu_segment;

/* Tiles of at most this number of blocks restore their DC in shared memory; larger ones if it has
 * room. */
enum { XC_GPU_SMALL_TILE = 512, XC_GPU_SMALL_RANS_TILE = 2304 };

/* The tile in column tx and row ty of tiles. */
XC_GPU_INLINE xc_tile_mcus xc_gpu_job_tile(const xc_gpu_decode_job *p, uint32_t tx, uint32_t ty)
{
	return xc_tile_mcus_at(tx, ty, p->tile_mcus_wide, p->tile_mcus_high, p->mcus_wide,
	                       p->mcus_high);
}

#endif
