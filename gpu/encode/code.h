/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernels that count symbols and that code: a team takes a tile at a time.
 *
 * Coding first puts the tokens of all blocks one after another in shared memory, so that
 * each thread can take as many of them as any other, whatever the blocks are like.
 * It goes twice over its tokens: first for the bits that they take, whose prefix
 * sums say where each thread's begin, then to write them there.  The bits are put
 * together in shared memory too, with atomic ORs, since threads share words.  Tiles with
 * too many tokens for that, or too many bits, are coded a thread a block at a time,
 * straight into the arena.
 *
 * Segments land in the arena wherever there is room, in no order; their places are
 * noted, and a later kernel puts them in order.
 */
#ifndef XC_GPU_ENCODE_CODE_H
#define XC_GPU_ENCODE_CODE_H

#include "entropy/predict.h"
#include "entropy/value.h"
#include "gpu/encode/job.h"

enum {
	XC_GPU_TILE_BLOCKS = 768,   /* the encoder's tiles have at most that many */
	XC_GPU_STAGED_WORDS = 2560, /* of a segment that is put together in shared memory */
	XC_GPU_TOKEN_BYTES = 12288, /* of tokens that are put one after another there */
	XC_GPU_SEGMENT_SLACK = 8    /* bytes after a segment that may be read */
};

/* What a team that codes has in shared memory. */
typedef struct xc_gpu_code_shared {
	/* [luma, chroma]: code and value bits of the small tokens, the first bit the highest,
	 * and their number in the lowest byte. */
	uint32_t (*small)[XC_SMALL_TOKENS];
	int32_t *dc;        /* [blocks of a tile] */
	uint32_t *start;    /* [blocks] tokens, or bits, of each block; then where it begins */
	uint32_t *share;    /* [threads] bits of each thread's tokens, likewise */
	uint32_t *words;    /* [XC_GPU_STAGED_WORDS] of the segment */
	uint32_t *tokens;   /* [XC_GPU_TOKEN_BYTES] */
	uint32_t *partial;  /* [33] for xc_team_scan() */
	uint32_t **segment; /* its place in the arena; NULL: there is no room */
} xc_gpu_code_shared;

/* Divides up memory that is aligned to 16 bytes, NULL to measure; returns the bytes.  As
 * little as it takes, so that more teams are at work on a multiprocessor. */
XC_GPU_INLINE size_t xc_gpu_code_carve(xc_gpu_code_shared *s, const xc_gpu_encode_job *j,
                                       uint32_t threads, uint32_t *memory)
{
	const uint32_t blocks = j->tile_wide * j->tile_high * j->mcu_blocks;
	size_t n = 4; /* the pointer */
	s->segment = (uint32_t **)(void *)memory;
	s->tokens = memory + n;
	n += XC_GPU_TOKEN_BYTES / 4;
	s->words = memory + n;
	n += XC_GPU_STAGED_WORDS;
	s->small = (uint32_t(*)[XC_SMALL_TOKENS])(void *)(memory + n);
	n += 2 * XC_SMALL_TOKENS;
	s->dc = (int32_t *)(void *)(memory + n);
	n += blocks;
	s->start = memory + n;
	n += blocks;
	s->share = memory + n;
	n += threads;
	s->partial = memory + n;
	n += 33;
	return n * 4;
}

typedef struct xc_gpu_count_shared {
	int32_t dc[XC_GPU_TILE_BLOCKS];
	uint32_t counts[2 * XC_GPU_LENGTHS];
} xc_gpu_count_shared;

/* Up to 48 bits. */
typedef struct xc_gpu_code_bits {
	uint64_t bits;
	uint32_t count;
} xc_gpu_code_bits;

typedef struct xc_gpu_coded_tile {
	size_t first;                                   /* block among those of all pictures */
	uint32_t blocks, wide;                          /* wide: in MCUs */
	uint32_t luma_wide, luma_blocks, chroma_blocks; /* of one component */
} xc_gpu_coded_tile;

XC_GPU_INLINE xc_gpu_coded_tile xc_gpu_coded_tile_at(const xc_gpu_encode_job *j, uint32_t index,
                                                     uint32_t picture)
{
	const xc_tile_mcus m = xc_gpu_tile_at(j, index % j->tiles_wide, index / j->tiles_wide);
	xc_gpu_coded_tile c;
	c.first = (size_t)picture * j->blocks + m.before * j->mcu_blocks;
	c.wide = m.wide;
	c.luma_wide = m.wide * j->h;
	c.chroma_blocks = m.wide * m.high;
	c.luma_blocks = c.chroma_blocks * j->h * j->v;
	c.blocks = c.chroma_blocks * j->mcu_blocks;
	return c;
}

/* The component that block i of a tile belongs to: where that begins in the tile and how
 * many blocks its rows have. */
typedef struct xc_gpu_coded_block {
	uint32_t chroma, start, wide;
} xc_gpu_coded_block;

XC_GPU_INLINE xc_gpu_coded_block xc_gpu_coded_block_at(const xc_gpu_coded_tile *c, uint32_t i)
{
	xc_gpu_coded_block b;
	b.chroma = i >= c->luma_blocks;
	b.wide = b.chroma ? c->wide : c->luma_wide;
	b.start = !b.chroma                               ? 0
	          : i < c->luma_blocks + c->chroma_blocks ? c->luma_blocks
	                                                  : c->luma_blocks + c->chroma_blocks;
	return b;
}

XC_GPU_INLINE xc_gpu_code_bits xc_gpu_dc_bits(int32_t difference, const xc_coder_tables *k)
{
	const unsigned size = xc_value_size(difference);
	const uint32_t code = k->dc[size];
	xc_gpu_code_bits b;
	b.bits = (uint64_t)(code >> 6) << size | xc_value_bits(difference, size);
	b.count = (code & 63) + size;
	return b;
}

/* Bits appended to words that were zero, the first bit the highest of a word.  Others write
 * to the first and the last word as well, so all are joined. */
typedef struct xc_gpu_bit_writer {
	uint32_t *word;
	uint32_t bits; /* the upper `count`, below 32, are not stored yet; the others 0 */
	uint32_t count;
} xc_gpu_bit_writer;

XC_GPU_INLINE xc_gpu_bit_writer xc_gpu_writer(uint32_t *words, uint32_t start)
{
	/* The bits before the start are zeros that change nothing. */
	const xc_gpu_bit_writer w = {words + start / 32, 0, start % 32};
	return w;
}

XC_GPU_INLINE void xc_gpu_put_word(xc_gpu_bit_writer *w)
{
	XC_ATOMIC_OR(w->word, w->bits);
	w->word++;
}

/* Appends 1 to 32 bits, the upper ones of `bits`; the others are 0. */
XC_GPU_INLINE void xc_gpu_put_upper(xc_gpu_bit_writer *w, uint32_t bits, uint32_t count)
{
	const uint32_t before = w->count;
	w->bits |= bits >> before;
	w->count += count;
	if (w->count >= 32) {
		xc_gpu_put_word(w);
		w->bits = before ? bits << (32 - before) : 0;
		w->count -= 32;
	}
}

/* Appends up to 48 bits. */
XC_GPU_INLINE void xc_gpu_put(xc_gpu_bit_writer *w, xc_gpu_code_bits b)
{
	if (b.count > 32) {
		xc_gpu_put_upper(w, (uint32_t)(b.bits >> (b.count - 32)), 32);
		b.count -= 32;
	}
	if (b.count)
		xc_gpu_put_upper(w, (uint32_t)b.bits << (32 - b.count), b.count);
}

XC_GPU_INLINE void xc_gpu_put_end(xc_gpu_bit_writer *w)
{
	if (w->count)
		XC_ATOMIC_OR(w->word, w->bits);
}

XC_GPU_INLINE void xc_gpu_load_dc(const xc_gpu_encode_job *j, xc_team t, const xc_gpu_coded_tile *c,
                                  int32_t *dc)
{
	for (uint32_t i = t.rank; i < c->blocks; i += t.size)
		dc[i] = j->dc[c->first + i];
}

/* The coder's tables for a picture: [luma, chroma]. */
XC_GPU_INLINE const xc_coder_tables *xc_gpu_coder(const xc_gpu_encode_job *j, uint32_t picture)
{
	return j->codes ? j->codes[picture].coder : j->coder;
}

XC_GPU_INLINE void xc_gpu_load_tables(const xc_gpu_encode_job *j, xc_team t, uint32_t picture,
                                      const xc_gpu_code_shared *s)
{
	const xc_coder_tables *const from = xc_gpu_coder(j, picture);
	for (uint32_t chroma = 0; chroma < (j->components > 1 ? 2 : 1); chroma++) {
		for (uint32_t i = t.rank; i < XC_SMALL_TOKENS; i += t.size) {
			const uint32_t e = from[chroma].small[i], count = e & 63;
			/* Tokens that do not occur may have no bits at all. */
			s->small[chroma][i] = count ? e >> 6 << (32 - count) | count : 0;
		}
	}
}

/* Appends the bits of an entry of `small`. */
XC_GPU_INLINE void xc_gpu_put_small(xc_gpu_bit_writer *w, uint32_t entry)
{
	const uint32_t bits = entry & ~63u, before = w->count, end = before + (entry & 63);
	w->bits |= bits >> before;
	w->count = end;
	if (end >= 32) {
		xc_gpu_put_word(w);
		/* An entry has at most 23 bits, so there were some before. */
		w->bits = bits << (32 - before);
		w->count = end - 32;
	}
}

/* Takes room for a segment in the picture's part of the arena and notes where it is. */
XC_GPU_INLINE void xc_gpu_place_segment(const xc_gpu_encode_job *j, uint32_t picture, uint32_t tile,
                                        uint32_t bytes, const xc_gpu_code_shared *s)
{
	const size_t units = (bytes + XC_GPU_SEGMENT_SLACK + 15) / 16;
	const size_t place = (size_t)XC_ATOMIC_ADD(&j->states[picture].used, (unsigned long long)units);
	const size_t at = (size_t)picture * j->tiles + tile;
	j->sizes[at] = bytes;
	j->places[at] = (uint32_t)place;
	*s->segment = NULL;
	if ((place + units) * 16 <= j->arena_bytes)
		*s->segment = (uint32_t *)(void *)(j->arena + picture * j->arena_bytes + place * 16);
}

#define DEEP 0
#include "gpu/encode/code_template.h"
#define DEEP 1
#include "gpu/encode/code_template.h"

#endif
