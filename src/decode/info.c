/* SPDX-License-Identifier: BSD-2-Clause */
/* What a file says about itself: xc_read_info() and xc_read_segments(). */
#include <string.h>

#include "src/decode/coded.h"

xc_status xc_read_info(xc_context *c, const void *file, size_t size, xc_info *info)
{
	xc_container k;
	xc_begin(c);
	if (!info || !file)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file or no place for the result");
	memset(info, 0, sizeof *info);
	const xc_status s = xc_container_read(c, file, size, 1, &k);
	xc_container_close(c, &k);
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
		.entropy = h->entropy >= XC_ENTROPY_RANS_BUILT_IN ? XC_ENTROPY_RANS : XC_ENTROPY_HUFFMAN,
		.colour = k.has_colours ? XC_COLOUR_PICTURE : XC_COLOUR_YCBCR,
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
	const xc_coded_segment *at = &d->segments[i];
	uint32_t crc;
	xc_tile t;
	xc_geometry_tile(g, i, &t);
	*out = (xc_segment_info){
		.offset = at->size || at->start <= d->container.data_there
	                  ? (uint64_t)(d->container.data - file) + at->start
	                  : 0,
		.size = at->size,
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
