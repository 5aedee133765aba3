/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the WebAssembly modules export: the library's calls with numbers alone as arguments. The
 * caller is web/xcodec-core.js, which knows the order of `fields`. A module has one context, one
 * result at a time, and no threads. Each function that decodes returns an xc_status.
 */
#include <stdlib.h>
#include <string.h>

#include <xcodec.h>

#define EXPORT(name) __attribute__((export_name(#name), visibility("default"))) name

static xc_context *context;
static xc_picture picture; /* the result of decode(), until the next call */
/* Results, as web/xcodec-core.js reads them. Pointers and sizes are numbers of 32 bits here. */
static uint32_t fields[48];
_Static_assert(sizeof(void *) == 4, "wasm32");

void *EXPORT(reserve)(size_t size);
void EXPORT(release)(void *memory);
const uint32_t *EXPORT(results)(void);
const char *EXPORT(message)(void);
const char *EXPORT(version)(void);
int EXPORT(info)(const void *file, size_t size);
int EXPORT(decode)(const void *file, size_t size, uint32_t channels, int keep_going, uint32_t scale,
                   uint32_t x, uint32_t y, uint32_t width, uint32_t height);
int EXPORT(rows)(const void *file, size_t size);
void EXPORT(drop)(void);

/* The caller's memory: release() frees it.  NULL: out of memory. */
void *reserve(size_t size)
{
	return malloc(size);
}

void release(void *memory)
{
	free(memory);
}

const uint32_t *results(void)
{
	return fields;
}

const char *message(void)
{
	return xc_context_message(context);
}

const char *version(void)
{
	return xc_version_string();
}

static xc_status begin(void)
{
	if (!context)
		context = xc_context_new(NULL);
	drop();
	memset(fields, 0, sizeof fields);
	return context ? xc_context_set_threads(context, 1) : XC_ERR_MEMORY;
}

/* Frees the last result. */
void drop(void)
{
	if (context)
		xc_picture_free(context, &picture);
}

static void put_blob(uint32_t *to, const xc_blob *b)
{
	to[0] = (uint32_t)(uintptr_t)b->data;
	to[1] = (uint32_t)b->size;
}

/* What a file says about itself, of which the picture's data may be missing.  Blobs are valid until
 * the next call. */
int info(const void *file, size_t size)
{
	xc_info i;
	xc_status s = begin();

	if (!s)
		s = xc_read_info(context, file, size, &i);
	if (s)
		return (int)s;
	const uint32_t first[] = {i.width,
	                          i.height,
	                          i.channels,
	                          i.depth,
	                          (uint32_t)i.subsampling,
	                          (uint32_t)i.transform,
	                          (uint32_t)i.entropy,
	                          (uint32_t)i.lossless,
	                          (uint32_t)i.quality,
	                          i.max_error,
	                          (uint32_t)i.segments,
	                          i.tile_height,
	                          i.metadata.density_x,
	                          i.metadata.density_y,
	                          i.metadata.density_unit,
	                          i.metadata.gamma};
	memcpy(fields, first, sizeof first);
	memcpy(fields + 16, i.metadata.primaries, sizeof i.metadata.primaries);
	memcpy(fields + 24, i.metadata.cicp, sizeof i.metadata.cicp);
	put_blob(fields + 25, &i.metadata.icc);
	put_blob(fields + 27, &i.metadata.exif);
	put_blob(fields + 29, &i.metadata.xmp);
	return XC_OK;
}

/* Decodes a file, or the region of it.  channels 0: those of the file. The samples stay until
 * drop() or the next call. */
int decode(const void *file, size_t size, uint32_t channels, int keep_going, uint32_t scale,
           uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
	xc_decode_options options = {.keep_going = keep_going,
	                             .scale = scale,
	                             .region = {x, y, width, height}};
	xc_status s = begin();

	picture.channels = channels;
	if (!s)
		s = xc_decode(context, file, size, &options, &picture);
	if (s)
		return (int)s;
	const uint32_t first[] = {picture.width,
	                          picture.height,
	                          picture.channels,
	                          picture.depth,
	                          (uint32_t)picture.stride,
	                          (uint32_t)(uintptr_t)picture.data,
	                          (uint32_t)options.damaged_segments};
	memcpy(fields, first, sizeof first);
	return XC_OK;
}

/* fields[0]: rows of pixels from the upper one on whose segments are in the file as a whole, of one
 * that is still growing; fields[1]: how many of these segments are damaged. */
int rows(const void *file, size_t size)
{
	xc_info i;
	xc_segment_info *segments = NULL;
	xc_status s = begin();

	if (!s)
		s = xc_read_info(context, file, size, &i);
	if (s)
		return (int)s;
	const size_t n = (size_t)i.segments;
	if (n != i.segments || n > SIZE_MAX / sizeof *segments ||
	    !(segments = malloc(n * sizeof *segments + 1)))
		return XC_ERR_MEMORY;
	s = xc_read_segments(context, file, size, 0, n, segments);
	fields[0] = i.height;
	for (size_t k = 0; k < n && !s; k++) {
		const xc_segment_info *at = &segments[k];
		if (!at->offset || at->offset + at->size + at->alpha_size > size) {
			fields[0] = at->y;
			break;
		}
		fields[1] += !at->intact || !at->alpha_intact;
	}
	free(segments);
	return (int)s;
}

#ifndef XC_DECODER_ALONE

int EXPORT(encode)(const void *samples, uint32_t width, uint32_t height, uint32_t channels,
                   uint32_t depth, int quality, int mode, int effort);

static xc_buffer encoded; /* until the next call */

/* Encodes samples without padding, 16 bits in little-endian order. quality 0 and effort -1: the
 * defaults; mode: an xc_mode. fields[0]: where the file is; fields[1]: its size. */
int encode(const void *samples, uint32_t width, uint32_t height, uint32_t channels, uint32_t depth,
           int quality, int mode, int effort)
{
	const size_t stride = (size_t)width * channels * (depth / 8);
	const xc_picture from = {width, height, channels, depth, stride, (void *)(uintptr_t)samples};
	xc_encode_options options;
	xc_status s = begin();

	if (s)
		return (int)s;
	xc_buffer_free(context, &encoded);
	xc_encode_options_default(&options);
	if (quality)
		options.quality = quality;
	if (effort >= 0)
		options.effort = effort;
	options.mode = (xc_mode)mode;
	s = xc_encode(context, &from, NULL, &options, &encoded);
	fields[0] = (uint32_t)(uintptr_t)encoded.data;
	fields[1] = (uint32_t)encoded.size;
	return (int)s;
}

#endif
