/* SPDX-License-Identifier: BSD-2-Clause */
/* Describes a file, its segments and its coefficients. */
#include <stddef.h>
#include <string.h>

#include "src/container/parser.h"
#include "src/decode/coded.h"
#include "src/core/floats.h"

/* Fills in what HEAD tells; all else becomes zero. */
static void describe_header(const xc_container *k, xc_info *info)
{
	const xc_header *h = &k->header;

	*info = (xc_info){
		.version = XC_FORMAT_VERSION,
		.width = h->width,
		.height = h->height,
		.channels = h->channels,
		.depth = h->depth,
		.subsampling = h->subsampling,
		.transform = h->transform,
		.entropy = xc_header_has_rans(h)              ? XC_ENTROPY_RANS
	               : h->entropy == XC_ENTROPY_SAMPLES ? XC_ENTROPY_NONE
	               : xc_header_is_lossless(h)         ? XC_ENTROPY_LOSSLESS
	                                                  : XC_ENTROPY_HUFFMAN,
		.huffman = h->entropy == XC_ENTROPY_HUFFMAN_DEFAULT ? XC_HUFFMAN_DEFAULT
	                                                        : XC_HUFFMAN_OPTIMIZED,
		.lossless = xc_header_is_lossless(h),
		.quality = h->quality,
		.components = (uint32_t)k->geometry.components,
		.tile_width = h->tile_mcus_wide * 8 * (uint32_t)k->geometry.h,
		.tile_height = h->tile_mcus_high * 8 * (uint32_t)k->geometry.v,
		.segments = xc_geometry_tiles(&k->geometry),
	};
}

/* Section 9.2 of doc/format.md. */
static xc_profile profile_of(const xc_container *k)
{
	enum { MAX_SIDE = 65535, MAX_BLOCKS = 1024 };
	const xc_header *h = &k->header;

	return h->depth == 8 && h->channels % 2 && h->transform == XC_TRANSFORM_DCT &&
	               h->entropy <= XC_ENTROPY_HUFFMAN_STORED && !k->has_colours &&
	               h->width <= MAX_SIDE && h->height <= MAX_SIDE &&
	               xc_geometry_tile_blocks(&k->geometry) <= MAX_BLOCKS
	           ? XC_PROFILE_BASELINE
	           : XC_PROFILE_MAIN;
}

void xc_describe(const xc_coded *d, uint64_t file_bytes, xc_info *info)
{
	const xc_container *k = &d->container;
	const xc_header *h = &k->header;

	describe_header(k, info);
	info->profile = k->jpeg ? XC_PROFILE_FULL : profile_of(k);
	info->colour = k->has_colours ? XC_COLOUR_PICTURE : XC_COLOUR_YCBCR;
	info->file_bytes = file_bytes;
	info->header_bytes = k->header_bytes;
	info->table_bytes = k->table_bytes;
	info->index_bytes = k->index_bytes;
	info->segment_bytes = k->segment_bytes;
	info->alpha_bytes = k->alpha_bytes;
	info->metadata_bytes = k->metadata_bytes;
	info->extra_bytes = k->extra_bytes;
	info->metadata = k->metadata;
	info->max_error = k->max_error;
	if (k->palette_bits) {
		info->metadata.palette = (xc_blob){k->palette, sizeof *k->palette * k->palette_count};
		info->metadata.palette_bits = (uint8_t)k->palette_bits;
	}
	memcpy(info->quant, k->quant, sizeof info->quant);
	if (k->jpeg) {
		info->entropy = XC_ENTROPY_RANS;
		info->huffman = XC_HUFFMAN_OPTIMIZED;
		info->segments = d->jpeg_segments;
	}
	if (h->entropy == XC_ENTROPY_HUFFMAN_STORED)
		info->huffman_tables = info->components == 1 ? 2 : 4;
	for (uint32_t i = 0; h->entropy == XC_ENTROPY_HUFFMAN_CONTEXTS && i < info->components && i < 2;
	     i++)
		info->huffman_tables += 1 + k->codes[i].ac_codes;
}

xc_status xc_read_info(xc_context *c, const void *file, size_t size, xc_info *info)
{
	xc_coded d;

	if (info)
		*info = (xc_info){0};
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!info || !file)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file or no place for the result");
	xc_container *k = &d.container;
	const xc_status s = xc_jpeg_is(file, size) ? xc_coded_read_jpeg(c, file, size, &d)
	                                           : xc_coded_read(c, file, size, 1, &d);
	if (!s) {
		xc_describe(&d, size, info);
		if (k->jpeg)
			xc_kept_look_behind(file, size, &k->left_out);
		xc_kept_name_left_out(k->left_out, c->message);
	} else if (s == XC_ERR_UNSUPPORTED && xc_jpeg_is(file, size)) {
		info->metadata = k->metadata;
		info->segments = d.jpeg_segments;
	}
	/* The container goes, and the file has another form of it. */
	if (info->metadata.palette.data)
		info->metadata.palette.data = memcpy(c->palette, k->palette, sizeof k->palette);
	xc_detach(c, XC_ATTACHED_KEPT);
	c->attached[XC_ATTACHED_KEPT] = (xc_attachment){k->owned, xc_release};
	k->owned = NULL;
	xc_coded_close(c, &d);
	return s;
}

xc_status xc_read_header(xc_context *c, const void *start, size_t size, xc_info *info)
{
	xc_container k;

	if (info)
		*info = (xc_info){0};
	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!info || !start)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file or no place for the result");
	memset(&k, 0, offsetof(xc_container, codes));
	if (xc_jpeg_is(start, size)) {
		uint64_t segments;
		const xc_status s = xc_kept_open(c, start, size, &k, &segments);
		if (!s)
			describe_header(&k, info);
		xc_container_close(c, &k);
		return s;
	}
	xc_file_parser p = {.context = c, .size = size, .out = &k};
	const xc_status s = xc_parse_start(&p, start, size);
	if (!s)
		describe_header(&k, info);
	return s;
}

static void describe(const xc_coded *d, const uint8_t *file, uint64_t i, xc_segment_info *out)
{
	const xc_geometry *g = &d->container.geometry;
	const uint64_t segment_index = xc_coded_index_of(d, i);
	const xc_coded_segment *at = &d->segments[segment_index];
	const int alpha = d->container.layers > 1;
	uint32_t crc;
	xc_tile t;

	xc_geometry_tile(g, i, &t);
	xc_geometry_clip(g, &t);
	*out = (xc_segment_info){
		.offset = at->size || at->start <= d->container.data_available
	                  ? (uint64_t)(d->container.data - file) + at->start
	                  : 0,
		.size = at->size,
		.x = t.x,
		.y = t.y,
		.width = t.width,
		.height = t.height,
		.intact = xc_coded_intact(d, segment_index, &crc),
		.alpha_size = alpha ? at[1].size : 0,
		.alpha_intact = !alpha || xc_coded_intact(d, segment_index + 1, &crc),
	};
}

/* If every segment passes its check but a CRC of DATA does not, any may be damaged. */
static xc_status check_sums(xc_context *c, const xc_coded *d, uint64_t count, xc_segment_info *out)
{
	const uint64_t n = d->container.segments * d->container.layers;
	uint32_t *crcs = xc_allocate(c, (size_t)n * sizeof *crcs);
	int intact = 1;

	if (!crcs)
		return xc_fail_memory(c, (size_t)n * sizeof *crcs);
	for (uint64_t i = 0; i < n && intact; i++)
		intact = xc_coded_intact(d, i, &crcs[i]);
	if (intact && !xc_coded_data_intact(&d->container, crcs))
		for (uint64_t i = 0; i < count; i++)
			out[i].intact = 0;
	xc_release(c, crcs);
	return XC_OK;
}

xc_status xc_read_segments(xc_context *c, const void *file, size_t size, uint64_t first,
                           uint64_t count, xc_segment_info *segments)
{
	xc_coded d;

	if (!c)
		return XC_ERR_ARGUMENT;
	xc_begin(c);
	if (!segments && count)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	if (file && xc_jpeg_is(file, size))
		return xc_kept_describe(c, file, size, first, count, segments);
	/* Decoding tables are not needed. */
	xc_status s = xc_coded_read(c, file, size, 1, &d);
	if (!s)
		s = xc_coded_index(c, &d);
	if (!s && (first > d.container.segments || count > d.container.segments - first))
		s = xc_fail(c, XC_ERR_ARGUMENT, "the file has %llu segment%s",
		            (unsigned long long)d.container.segments, xc_s(d.container.segments));
	for (uint64_t i = 0; !s && i < count; i++)
		describe(&d, file, first + i, &segments[i]);
	if (!s)
		s = check_sums(c, &d, count, segments);
	xc_coded_close(c, &d);
	return s;
}

void xc_coefficients_free(xc_context *c, xc_coefficients *k)
{
	if (c && k) {
		for (int i = 0; i < XC_MAX_COMPONENTS; i++)
			xc_release(c, k->plane[i].data);
		memset(k, 0, sizeof *k);
	}
}

static xc_status allocate(xc_context *c, const xc_geometry *g, xc_coefficients *out)
{
	out->components = (uint32_t)g->components;
	for (int i = 0; i < g->components; i++) {
		xc_plane_coefficients *p = &out->plane[i];
		p->blocks_wide = g->mcus_wide * (uint32_t)(i ? 1 : g->h);
		p->blocks_high = g->mcus_high * (uint32_t)(i ? 1 : g->v);
		const uint64_t bytes = (uint64_t)p->blocks_wide * p->blocks_high * 64 * sizeof(int32_t);
		p->data = bytes > SIZE_MAX ? NULL : xc_allocate(c, (size_t)bytes);
		if (!p->data)
			return xc_fail_memory(c, bytes > SIZE_MAX ? SIZE_MAX : (size_t)bytes);
	}
	return XC_OK;
}

typedef struct target {
	const xc_coded *coded;
	xc_coefficients *out;
} target;

static xc_status scatter(void *user, const xc_tile *t, void *from)
{
	const target *to = user;
	const xc_coded *d = to->coded;
	const xc_geometry *g = &d->container.geometry;

	xc_coded_add_ac_prediction(d, t, from);
	for (int c = 0; c < g->components; c++) {
		xc_plane_coefficients *p = &to->out->plane[c];
		const size_t x0 = t->x / 8 / (uint32_t)(c ? g->h : 1);
		const size_t y0 = t->y / 8 / (uint32_t)(c ? g->v : 1);
		for (size_t b = 0; b < (size_t)t->blocks_wide[c] * t->blocks_high[c]; b++) {
			const size_t y = y0 + b / t->blocks_wide[c], x = x0 + b % t->blocks_wide[c];
			const size_t at = (t->first_block[c] + b) * 64;
			int32_t *block = p->data + (y * p->blocks_wide + x) * 64;
			for (size_t i = 0; i < 64; i++)
				block[i % 8 * 8 + i / 8] = xc_coded_value(d, from, at + i);
		}
	}
	return XC_OK;
}

xc_status xc_decode_coefficients(xc_context *c, const void *file, size_t size, xc_coefficients *out)
{
	XC_DEFAULT_FLOATS;
	xc_coded d;

	xc_status s = XC_BEGIN_RESULT(c, out);
	if (s)
		return s;
	s = xc_coded_open(c, file, size, &d);
	if (!s)
		s = xc_container_check_expansion(c, &d.container, size);
	if (!s)
		s = allocate(c, &d.container.geometry, out);
	if (!s)
		s = xc_coded_visit(c, &d, scatter, &(target){&d, out});
	if (s)
		xc_coefficients_free(c, out);
	xc_coded_close(c, &d);
	return s;
}
