/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a batch to the jobs of the decoder's kernels, and the layout of memory: plain host arithmetic, for the module and
 * for the tests that run the kernels on the host.
 *
 * Pinned memory holds the piece, which the first kernel copies to the device, and room for the
 * results. Scratch, in device memory, holds the same two, the look-up tables, and the kernels' data
 * of each picture.
 */
#ifndef XC_GPU_DECODE_HOST_LAYOUT_H
#define XC_GPU_DECODE_HOST_LAYOUT_H

#include <string.h>

#include "entropy/scan.h"
#include "gpu/decode/bits.h"
#include "gpu/decode/huffman/tables.h"
#include "gpu/decode/job.h"
#include "gpu/decode/jpeg/job.h"
#include "gpu/decode/pixels/reduced.h"
#include "gpu/decode/pixels/region.h"
#include "gpu/decode/rans/tables.h"
#include "gpu/decode/warp_group.h"
#include "gpu/runtime/device.h"

/* In a call with at most this number of segments a warp group may have its maximum of warps;
 * otherwise two. */
enum { XC_GPU_GROUPED_SEGMENTS = 1024 };

/* Offsets of a picture's data in scratch. */
typedef struct xc_gpu_picture_layout {
	size_t records_at, tokens_at, raw_at, dc_at, blocks_at, above_at, data_at, alpha_at;
} xc_gpu_picture_layout;

/* The maximum number of tokens in some bytes: one for every two bits, at most one a coefficient. */
static inline uint64_t xc_gpu_tokens_in(uint64_t bytes, uint64_t coefficients)
{
	return bytes * 4 < coefficients ? bytes * 4 : coefficients;
}

/* The words for tokens, or rANS symbols, of a picture's segments. warps: the maximum that decode a
 * segment. */
static inline uint64_t xc_gpu_picture_token_words(const xc_gpu_coded_picture *p, uint32_t warps)
{
	if (p->coding == XC_GPU_RANS)
		return xc_geometry_blocks(&p->geometry) * XC_GPU_SYMBOL_WORDS;
	const uint64_t coefficients = (uint64_t)p->segments * xc_geometry_tile_blocks(&p->geometry) *
	                              64;
	return xc_gpu_tokens_in(p->data_bytes, coefficients) * xc_gpu_token_words(p->depth == 16) +
	       (uint64_t)p->segments * warps * XC_GPU_TOKEN_MARGIN;
}

/* DC differences of large tiles; those of small ones are in shared memory. */
static inline uint64_t xc_gpu_picture_dc(const xc_gpu_coded_picture *p)
{
	const uint32_t small = p->coding == XC_GPU_RANS ? XC_GPU_SMALL_RANS_TILE : XC_GPU_SMALL_TILE;
	return xc_geometry_tile_blocks(&p->geometry) <= small ? 0 : xc_geometry_blocks(&p->geometry);
}

/* The bytes for raw bits. */
static inline uint64_t xc_gpu_picture_raw(const xc_gpu_coded_picture *p)
{
	return p->coding == XC_GPU_RANS ? p->data_bytes + (uint64_t)p->segments * XC_GPU_RAW_MARGIN + 4
	                                : 0;
}

/* Blocks of the components of a kept JPEG up to component c. */
static inline uint64_t xc_gpu_jpeg_blocks_before(const xc_gpu_jpeg *j, uint32_t c)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < c; i++)
		n += (uint64_t)j->columns[i] * j->rows[i];
	return n;
}

/* Columns of blocks of a tile of a kept JPEG, at most. */
static inline uint32_t xc_gpu_jpeg_tile_columns(const xc_gpu_jpeg *j)
{
	uint32_t h = 0;

	for (uint32_t c = 0; c < j->components; c++)
		h = j->h[c] > h ? j->h[c] : h;
	return h * (j->tile_columns < j->mcu_columns ? j->tile_columns : j->mcu_columns);
}

static inline size_t xc_gpu_alpha_bytes(const xc_gpu_coded_picture *p)
{
	const uint32_t s = p->scale;
	const size_t wide = (p->geometry.width + s - 1) / s, high = (p->geometry.height + s - 1) / s;

	return p->channels % 2 ? 0 : wide * high * (p->depth / 8);
}

static inline xc_gpu_picture_layout xc_gpu_lay_out_picture(const xc_gpu_coded_picture *p,
                                                           uint32_t warps, size_t *size)
{
	const xc_gpu_jpeg *j = p->jpeg;
	const uint64_t blocks = j ? 0 : xc_geometry_blocks(&p->geometry);
	xc_gpu_picture_layout l;

	l.records_at = xc_gpu_take_room(size, blocks * sizeof(xc_gpu_block_record));
	l.tokens_at = xc_gpu_take_room(size,
	                               j ? 0 : xc_gpu_picture_token_words(p, warps) * sizeof(uint32_t));
	l.raw_at = xc_gpu_take_room(size, xc_gpu_picture_raw(p));
	l.dc_at = xc_gpu_take_room(size, j ? 0 : xc_gpu_picture_dc(p) * sizeof(int32_t));
	l.blocks_at = xc_gpu_take_room(size, j ? xc_gpu_jpeg_blocks_before(j, j->components) * 128 : 0);
	l.above_at = xc_gpu_take_room(size, j ? (uint64_t)p->segments * xc_gpu_jpeg_tile_columns(j) *
	                                            sizeof(xc_gpu_jpeg_above)
	                                      : 0);
	l.data_at = xc_gpu_take_room(size, p->resident ? 0 : p->data_bytes);
	l.alpha_at = xc_gpu_take_room(size, xc_gpu_alpha_bytes(p));
	return l;
}

/* The sides of blocks that reduced pictures may have: by transform, means of 1, 2, 4 and 8 samples. */
enum { XC_GPU_MEANS = 4, XC_GPU_SIDES = 3 * XC_GPU_MEANS };

/* The order of the pictures does not change any size. */
static inline xc_gpu_decode_layout xc_gpu_decode_lay_out(const xc_gpu_decode_batch *b)
{
	xc_gpu_decode_layout l;
	uint64_t segments = 0;
	size_t size = 0;

	l.jpegs = 0;
	l.shapes = 0;
	l.reduced = 0;
	for (uint32_t i = 0; i < b->count; i++) {
		const xc_gpu_jpeg *j = b->pictures[i].jpeg;
		segments += b->pictures[i].segments;
		l.jpegs += j != NULL;
		l.reduced |= b->pictures[i].scale > 1;
		l.shapes += j ? (uint64_t)j->pieces * XC_JPEG_SHAPES : 0;
	}
	l.segments = (uint32_t)segments;
	l.warps = segments <= XC_GPU_GROUPED_SEGMENTS ? (uint32_t)XC_WARP_GROUP_MAX : 2u;
	l.jobs_at = xc_gpu_take_room(&size, (uint64_t)b->count * sizeof(xc_gpu_decode_job));
	l.segments_at = xc_gpu_take_room(&size, segments * sizeof(xc_gpu_segment));
	l.codes_at = xc_gpu_take_room(&size, (uint64_t)b->code_sets * sizeof *b->codes);
	l.frequencies_at = xc_gpu_take_room(&size,
	                                    (uint64_t)b->frequency_sets * sizeof *b->frequencies);
	l.jpegs_at = xc_gpu_take_room(&size, l.jpegs * sizeof(xc_gpu_jpeg_job));
	l.shapes_at = xc_gpu_take_room(&size, l.shapes * sizeof(xc_shape_index));
	l.sides_at = xc_gpu_take_room(&size, l.reduced ? XC_GPU_SIDES * sizeof(xc_mean_side) : 0);
	l.piece = size;
	l.results_at = xc_gpu_take_room(&size, segments * sizeof(xc_gpu_segment_result));
	l.pinned = size;
	l.tables_at = xc_gpu_take_room(&size, b->code_sets * XC_GPU_TABLES_BYTES);
	l.rans_tables_at = xc_gpu_take_room(&size, b->frequency_sets * sizeof(xc_gpu_rans_tables));
	l.jpeg_tables_at = xc_gpu_take_room(&size, l.shapes * XC_SYMBOLS * sizeof(xc_bucket));
	l.pictures_at = size;
	for (uint32_t i = 0; i < b->count; i++)
		(void)xc_gpu_lay_out_picture(&b->pictures[i], l.warps, &size);
	/* The kernels count the segments of a call in 31 bits. */
	l.scratch = segments > INT32_MAX ? SIZE_MAX : size;
	return l;
}

enum { XC_GPU_PICTURE_KEYS = 32 * XC_GPU_CODINGS };

/* Pictures with equal keys use the same kernels; those of equal keys / 16 the same ones of segments. */
static inline uint32_t xc_gpu_picture_key(const xc_gpu_coded_picture *p)
{
	const xc_geometry *g = &p->geometry;
	const uint32_t chroma = p->channels < 3 ? 3 : (uint32_t)(g->h + g->v) - 2;
	const uint32_t kind = chroma * 2 + (p->transform != XC_TRANSFORM_DCT);

	return (uint32_t)p->coding * 32 + (p->depth == 16) * 16 + (p->scale > 1 ? 8 : kind);
}

/* Sets order[n] to the picture of job n, sorted by key; equal keys stay in their order. */
static inline void xc_gpu_decode_order(const xc_gpu_decode_batch *b, uint32_t *order)
{
	uint32_t at[XC_GPU_PICTURE_KEYS + 1] = {0};

	for (uint32_t i = 0; i < b->count; i++)
		at[xc_gpu_picture_key(&b->pictures[i]) + 1]++;
	for (uint32_t key = 0; key < XC_GPU_PICTURE_KEYS; key++)
		at[key + 1] += at[key];
	for (uint32_t i = 0; i < b->count; i++)
		order[at[xc_gpu_picture_key(&b->pictures[i])]++] = i;
}

/* Sets everything but pointers and the position among other pictures. */
static inline void xc_gpu_decode_job_init(xc_gpu_decode_job *j, const xc_gpu_coded_picture *p)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	const xc_geometry *g = &p->geometry;

	memset(j, 0, sizeof *j);
	j->width = g->width;
	j->height = g->height;
	j->channels = p->channels;
	j->depth = p->depth;
	j->components = (uint32_t)g->components;
	j->h = (uint32_t)g->h;
	j->v = (uint32_t)g->v;
	j->mcus_wide = g->mcus_wide;
	j->mcus_high = g->mcus_high;
	j->tile_mcus_wide = g->tile_mcus_wide;
	j->tile_mcus_high = g->tile_mcus_high;
	j->tiles_wide = g->tiles_wide;
	j->mcu_blocks = xc_geometry_mcu_blocks(g);
	j->rounding = p->jpeg_rounding != 0;
	j->transform = p->transform;
	j->coding = p->coding;
	j->segments = p->segments;
	j->bytes = p->data_bytes;
	j->scale = p->scale;
	j->reduced_width = (g->width + p->scale - 1) / p->scale;
	j->reduced_height = (g->height + p->scale - 1) / p->scale;
	j->gains = xc_colour_gains_make(p->scale > 1 ? 1.0f
	                                             : 1.0f / (float)(g->h * g->h * g->v * g->v));
	for (int i = 0; i < 2; i++) {
		for (int k = 0; k < 64; k++)
			j->steps[i][k] = p->tables[i][p->coding == XC_GPU_RANS ? k : scan[k]];
		j->points[i] = p->points[i];
		j->ac_prediction[i] = p->ac_prediction[i];
		j->predicted |= p->ac_prediction[i].across || p->ac_prediction[i].down;
	}
	j->mixed = p->mixed != 0;
	j->tile_wide_inverse = xc_gpu_inverse_of(j->tile_mcus_wide);
	j->tile_high_inverse = xc_gpu_inverse_of(j->tile_mcus_high);
	j->regions_inverse = xc_gpu_inverse_of(p->scale > 1
	                                           ? xc_gpu_reduced_regions_wide(j)
	                                           : xc_gpu_regions_wide(j->width, xc_gpu_kind_of(j)));
	memcpy(j->colours, p->colours, sizeof j->colours);
	j->pixels = p->pixels;
	j->stride = p->stride;
}

/* Limits of a picture's segments, and running totals. */
typedef struct xc_gpu_segment_list {
	uint64_t end;            /* bytes of the picture's data */
	uint64_t coefficients;   /* of the largest tile */
	uint32_t words, longest; /* of a token; bytes of the longest segment */
	uint32_t margin;         /* extra words of each segment */
	uint64_t tokens;
	uint32_t layers;
} xc_gpu_segment_list;

/* Adds a segment; one above the limit cannot be valid. */
static inline __attribute__((always_inline)) void xc_gpu_list_segment(xc_gpu_segment_list *l,
                                                                      uint64_t start, uint32_t size,
                                                                      uint16_t check, int there,
                                                                      xc_gpu_segment *to)
{
	const int available = there && size <= XC_GPU_SEGMENT_MAX;
	const xc_gpu_segment s = {start, l->tokens, size, check, (uint16_t)available};

	*to = s;
	if (!available)
		return;
	l->tokens += xc_gpu_tokens_in(size, l->coefficients) * l->words + l->margin;
	l->longest = size > l->longest ? size : l->longest;
}

/* Fills `segments` for a piece; r.size_bytes is a constant where that is common. */
static inline __attribute__((always_inline)) void xc_gpu_list_piece(xc_gpu_segment_list *list,
                                                                    const xc_piece *piece,
                                                                    xc_index_reader r,
                                                                    xc_gpu_segment *segments)
{
	xc_gpu_segment_list l = *list;
	const uint32_t n = (uint32_t)piece->segments / l.layers;
	uint64_t start = piece->start;

	for (uint32_t i = 0; i < n; i++) {
		uint16_t check;
		const uint32_t size = xc_index_next(&r, &check);
		xc_gpu_list_segment(&l, start, size, check, start + size <= l.end, &segments[i]);
		start += size;
		/* The host decodes the segment of alpha. */
		if (l.layers > 1)
			start += xc_index_next(&r, &check);
	}
	*list = l;
}

/* The same of a list. */
static inline void xc_gpu_list_tiles(xc_gpu_segment_list *list, const xc_gpu_coded_picture *p,
                                     xc_gpu_segment *segments)
{
	for (uint32_t i = 0; i < p->segments; i++) {
		const xc_listed_segment *t = &p->list[i];
		xc_gpu_list_segment(list, t->start, t->size, t->check, t->available, &segments[i]);
	}
}

/* The same of a kept JPEG, whose segments may have any size. */
static inline uint32_t xc_gpu_list_jpeg(const xc_gpu_coded_picture *p, xc_gpu_segment *segments)
{
	uint32_t longest = 0;

	for (uint32_t i = 0; i < p->segments; i++) {
		const xc_listed_segment *t = &p->list[i];
		const xc_gpu_segment s = {t->start, 0, t->size, t->check, t->available};
		segments[i] = s;
		longest = t->size > longest ? t->size : longest;
	}
	return longest;
}

/* Fills segments[0 ... p->segments - 1]; returns the bytes of the longest one. warps: the maximum
 * that decode a segment. */
static inline uint32_t xc_gpu_decode_segments_of(const xc_gpu_coded_picture *p, uint32_t warps,
                                                 xc_gpu_segment *segments)
{
	if (p->jpeg)
		return xc_gpu_list_jpeg(p, segments);
	xc_gpu_segment_list list = {p->data_bytes,
	                            (uint64_t)xc_geometry_tile_blocks(&p->geometry) * 64,
	                            xc_gpu_token_words(p->depth == 16),
	                            0,
	                            warps * XC_GPU_TOKEN_MARGIN,
	                            0,
	                            p->layers};
	const xc_piece *piece = p->pieces;

	if (p->list) {
		xc_gpu_list_tiles(&list, p, segments);
		return list.longest;
	}
	for (uint32_t first = 0; first < p->segments;
	     first += (uint32_t)piece++->segments / p->layers) {
		xc_index_reader r = xc_index_begin(piece);
		if (!r.next) {
			/* The file ends before this piece. */
			const xc_gpu_segment none = {piece->start, list.tokens, 0, 0, 0};
			for (uint32_t i = first; i < p->segments; i++)
				segments[i] = none;
		} else if (r.size_bytes == 2) {
			r.size_bytes = 2;
			xc_gpu_list_piece(&list, piece, r, segments + first);
		} else {
			xc_gpu_list_piece(&list, piece, r, segments + first);
		}
	}
	return list.longest;
}

/* Fills the part of job *j of a kept JPEG. number: of such jobs before it; shapes: of their shapes. */
static inline void xc_gpu_jpeg_fill(const xc_gpu_decode_layout *l, const xc_gpu_coded_picture *p,
                                    const xc_gpu_picture_layout *at, uint32_t number,
                                    uint64_t shapes, char *pinned, char *scratch,
                                    xc_gpu_decode_job *j)
{
	const size_t mine = l->jpegs_at + number * sizeof(xc_gpu_jpeg_job);
	xc_gpu_jpeg_job *const to = (xc_gpu_jpeg_job *)(void *)(pinned + mine);

	j->jpeg = (const xc_gpu_jpeg_job *)(const void *)(scratch + mine);
	to->of = *p->jpeg;
	to->of.shapes = NULL; /* the host's */
	for (uint32_t c = 0; c < 3; c++) {
		const uint32_t i = c < to->of.components ? c : 0;
		to->planes.of[c] = (int16_t *)(void *)(scratch + at->blocks_at) +
		                   64 * xc_gpu_jpeg_blocks_before(p->jpeg, i);
		to->planes.columns[c] = to->of.columns[i];
	}
	j->jpeg_planes = to->planes;
	to->tables = (const xc_bucket *)(const void *)(scratch + l->jpeg_tables_at) +
	             shapes * XC_SYMBOLS;
	to->above = (xc_gpu_jpeg_above *)(void *)(scratch + at->above_at);
	to->above_columns = xc_gpu_jpeg_tile_columns(p->jpeg);
	for (uint32_t i = 0; i < p->jpeg->pieces; i++, shapes += XC_JPEG_SHAPES)
		memcpy(pinned + l->shapes_at + shapes * sizeof(xc_shape_index),
		       (const char *)p->jpeg->shapes + i * p->jpeg->piece_bytes,
		       XC_JPEG_SHAPES * sizeof(xc_shape_index));
}

/* The side of job *j, of means of `mean` samples, in scratch; fills it in if it is not in the piece yet. filled: a bit
 * for each side that is. */
static inline const xc_mean_side *xc_gpu_fill_side(const xc_gpu_decode_layout *l,
                                                   const xc_gpu_decode_job *j, uint32_t mean,
                                                   char *pinned, const char *scratch,
                                                   uint32_t *filled)
{
	const uint32_t i = j->transform * XC_GPU_MEANS + (uint32_t)xc_gpu_lowest(mean);
	xc_mean_side *const sides = (xc_mean_side *)(void *)(pinned + l->sides_at);

	if (!(*filled >> i & 1))
		xc_mean_side_init(&sides[i], (xc_mean_steps)j->transform, mean);
	*filled |= 1u << i;
	return (const xc_mean_side *)(const void *)(scratch + l->sides_at) + i;
}

/* Fills the part of a job of reduced size. */
static inline void xc_gpu_reduced_fill(const xc_gpu_decode_layout *l, xc_gpu_decode_job *j,
                                       char *pinned, const char *scratch, uint32_t *filled)
{
	for (int c = 0; c < 2; c++) {
		j->sides[c][0] = xc_gpu_fill_side(l, j, j->scale / (c ? j->h : 1), pinned, scratch, filled);
		j->sides[c][1] = xc_gpu_fill_side(l, j, j->scale / (c ? j->v : 1), pinned, scratch, filled);
	}
}

/* Fills the piece in pinned memory for scratch at `scratch`, and the pictures' results. */
static inline void xc_gpu_decode_fill(const xc_gpu_decode_layout *l, const xc_gpu_decode_batch *b,
                                      const uint32_t *order, char *pinned, char *scratch)
{
	xc_gpu_decode_job *const jobs = (xc_gpu_decode_job *)(void *)(pinned + l->jobs_at);
	xc_gpu_segment *const segments = (xc_gpu_segment *)(void *)(pinned + l->segments_at);
	const xc_gpu_segment_result *const results =
		(const xc_gpu_segment_result *)(const void *)(pinned + l->results_at);
	size_t size = l->pictures_at;
	uint32_t first = 0, jpegs = 0, sides = 0;
	uint64_t shapes = 0;

	for (uint32_t n = 0; n < b->count; n++) {
		xc_gpu_coded_picture *const p = &b->pictures[order[n]];
		xc_gpu_decode_job *const j = &jobs[n];
		const xc_gpu_picture_layout at = xc_gpu_lay_out_picture(p, l->warps, &size);
		xc_gpu_decode_job_init(j, p);
		j->records = (xc_gpu_block_record *)(void *)(scratch + at.records_at);
		if (p->coding == XC_GPU_RANS) {
			j->rans = (const xc_gpu_rans_tables *)(void *)(scratch + l->rans_tables_at) + p->codes;
			j->symbols = (xc_gpu_block_symbols *)(void *)(scratch + at.tokens_at);
		} else {
			j->huffman = (const xc_gpu_class_tables *)(void *)(scratch + l->tables_at) +
			             2 * p->codes;
			j->tokens = (uint32_t *)(void *)(scratch + at.tokens_at);
		}
		j->raw = (uint32_t *)(void *)(scratch + at.raw_at);
		j->dc = xc_gpu_picture_dc(p) ? (int32_t *)(void *)(scratch + at.dc_at) : NULL;
		j->data = p->resident ? p->data : (const uint8_t *)scratch + at.data_at;
		j->alpha = p->alpha ? (const uint8_t *)scratch + at.alpha_at : NULL;
		if (p->jpeg) {
			xc_gpu_jpeg_fill(l, p, &at, jpegs++, shapes, pinned, scratch, j);
			shapes += (uint64_t)p->jpeg->pieces * XC_JPEG_SHAPES;
		}
		if (p->scale > 1)
			xc_gpu_reduced_fill(l, j, pinned, scratch, &sides);
		j->first_segment = first;
		j->longest = xc_gpu_decode_segments_of(p, l->warps, segments + first);
		p->results = results + first;
		first += p->segments;
	}
	if (b->code_sets)
		memcpy(pinned + l->codes_at, b->codes, b->code_sets * sizeof *b->codes);
	if (b->frequency_sets)
		memcpy(pinned + l->frequencies_at, b->frequencies,
		       b->frequency_sets * sizeof *b->frequencies);
}

#endif
