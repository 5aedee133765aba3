/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file says about itself: xc_read_info(), xc_read_segments() and xc_read_bit_usage(). */
#include <string.h>

#include "src/container/segment.h"
#include "src/decode/coded.h"

xc_status xc_read_info(xc_context *c, const void *file, size_t size, xc_info *info)
{
	xc_container k;
	xc_begin(c);
	if (!info || !file)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file or no place for the result");
	memset(info, 0, sizeof *info);
	const xc_status s = xc_container_read(c, file, size, 1, &k);
	if (s)
		return s;
	const xc_header *h = &k.header;
	*info = (xc_info){
		.version = k.version,
		.width = h->width,
		.height = h->height,
		.channels = h->channels,
		.depth = h->depth,
		.subsampling = h->subsampling,
		.transform = h->transform,
		.huffman = h->entropy == XC_ENTROPY_HUFFMAN_DEFAULT ? XC_HUFFMAN_DEFAULT
	                                                        : XC_HUFFMAN_OPTIMIZED,
		.quality = h->quality,
		.components = (uint32_t)k.geometry.components,
		.tile_width = h->tile_mcus_wide * 8 * (uint32_t)k.geometry.h,
		.tile_height = h->tile_mcus_high * 8 * (uint32_t)k.geometry.v,
		.segments = k.segments,
		.file_bytes = size,
		.header_bytes = k.header_bytes,
		.table_bytes = k.table_bytes,
		.index_bytes = k.index_bytes,
		.segment_bytes = k.segment_bytes,
		.alpha_bytes = k.alpha_bytes,
		.metadata_bytes = k.metadata_bytes,
		.metadata = k.metadata,
	};
	memcpy(info->quant, k.quant, sizeof info->quant);
	if (h->entropy == XC_ENTROPY_HUFFMAN_STORED)
		info->huffman_tables = info->components == 1 ? 2 : 4;
	for (uint32_t i = 0; h->entropy == XC_ENTROPY_HUFFMAN_CONTEXTS && i < info->components && i < 2;
	     i++)
		info->huffman_tables += 1 + k.codes[i].ac_codes;
	return XC_OK;
}

static void describe(const xc_coded *d, const uint8_t *file, uint64_t i, xc_segment_info *out)
{
	const xc_geometry *g = &d->container.geometry;
	uint32_t crc;
	xc_tile t;
	xc_geometry_tile(g, i, &t);
	*out = (xc_segment_info){
		.offset = (uint64_t)(d->container.data - file) + d->offsets[i],
		.size = d->offsets[i + 1] - d->offsets[i],
		.x = t.x,
		.y = t.y,
		.width = t.width < g->width - t.x ? t.width : g->width - t.x,
		.height = t.height < g->height - t.y ? t.height : g->height - t.y,
		.intact = xc_coded_intact(d, i, &crc),
	};
}

xc_status xc_read_segments(xc_context *c, const void *file, size_t size, uint64_t first,
                           uint64_t count, xc_segment_info *segments)
{
	xc_coded d;
	xc_begin(c);
	if (!segments && count)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	xc_status s = xc_coded_open(c, file, size, 1, &d);
	if (!s && (first > d.container.segments || count > d.container.segments - first))
		s = xc_fail(c, XC_ERR_ARGUMENT, "there are only %llu segments",
		            (unsigned long long)d.container.segments);
	for (uint64_t i = 0; !s && i < count; i++)
		describe(&d, file, first + i, &segments[i]);
	xc_coded_close(c, &d);
	return s;
}

/* Counting the bits of a file: its coefficients become tokens again, whose cost follows from
 * the file's own codes. */
typedef struct scale {
	xc_context *context;
	const xc_coded *coded;
	xc_coder *coders; /* luma, chroma */
	xc_token_contexts contexts;
	xc_arena arena;
	xc_bit_usage *usage;
} scale;

/* Turns the coefficients back to quantized values, and counts them. */
static void quantize_blocks(const scale *w, const xc_tile *t, void *blocks)
{
	const xc_coded *d = w->coded;
	for (int k = 0; k < d->container.geometry.components; k++) {
		const size_t first = t->first_block[k];
		const size_t n = (size_t)t->blocks_wide[k] * t->blocks_high[k];
		w->usage->blocks[k] += n;
		for (size_t i = first * 64; i < (first + n) * 64; i++) {
			const int32_t value = xc_coded_value(d, blocks, i);
			w->usage->nonzero[k] += i % 64 && value;
			if (d->deep)
				((int32_t *)blocks)[i] = value;
			else
				((int16_t *)blocks)[i] = (int16_t)value;
		}
	}
}

static xc_status weigh(void *user, const xc_tile *t, void *blocks)
{
	scale *w = user;
	const xc_geometry *g = &w->coded->container.geometry;
	xc_tile_tokens tokens;
	quantize_blocks(w, t, blocks);
	if (!xc_tile_tokenize(&w->arena, w->coded->level, g, t, blocks, &tokens))
		return xc_fail_memory(w->context, 0);
	xc_tile_cost(w->coded->level, &tokens, g->components, w->coders, w->usage->dc_bits,
	             w->usage->ac_bits);
	return XC_OK;
}

static xc_status weigh_all(xc_context *c, const xc_coded *d, xc_bit_usage *usage)
{
	const xc_container *k = &d->container;
	scale w = {.context = c, .coded = d, .arena.context = c, .usage = usage};
	w.coders = xc_allocate(c, 2 * sizeof *w.coders);
	if (!w.coders)
		return xc_fail_memory(c, 2 * sizeof *w.coders);
	xc_token_contexts_init(&w.contexts);
	for (int i = 0; i < k->geometry.components && i < 2; i++)
		xc_coder_init(&w.coders[i], &k->codes[i], &w.contexts);
	const xc_status s = xc_coded_visit(c, d, weigh, &w);
	uint64_t bits = 0;
	for (int i = 0; i < k->geometry.components; i++)
		bits += usage->dc_bits[i] + usage->ac_bits[i];
	/* A file from another encoder may hold symbols that this encoder would code with more bits. */
	usage->padding_bits = bits < k->data_size * 8 ? k->data_size * 8 - bits : 0;
	xc_arena_free(&w.arena);
	xc_release(c, w.coders);
	return s;
}

xc_status xc_read_bit_usage(xc_context *c, const void *file, size_t size, xc_bit_usage *usage)
{
	xc_coded d;
	xc_begin(c);
	if (!usage)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	memset(usage, 0, sizeof *usage);
	xc_status s = xc_coded_open(c, file, size, 0, &d);
	if (!s)
		s = weigh_all(c, &d, usage);
	if (s)
		memset(usage, 0, sizeof *usage);
	xc_coded_close(c, &d);
	return s;
}
