/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_encode() and xc_decode() by way of a GPU. */
#include <string.h>

#include "src/core/picture.h"
#include "src/cuda/decoder.h"
#include "src/cuda/cache.h"
#include "src/decode/decoder.h"
#include "src/encode/plan.h"
#include "src/jpeg/kept.h"
#include "src/pixels/reduced.h"

/* ------------------------------------------------------------ encoding */

/* One picture's way through the GPU. */
typedef struct job {
	xc_cuda *gpu;            /* with what it keeps */
	size_t stride, capacity; /* of the pixels and of the file on the device */
	size_t size, fetched;    /* of the file; how much of it is in the result */
} job;

/* Where the file begins in the result, after its size. */
enum { FILE_AT = 256 };

/* Rows on the device begin at multiples of 16 bytes, as they do on the host if possible, so that
 * one copy takes them all. */
static size_t stride_of(const xc_picture *p, size_t row)
{
	const size_t min = (row + 15) / 16 * 16;
	return p->stride % 16 == 0 && p->stride < min + 64 ? p->stride : min;
}

static xc_status upload(job *j, const xc_picture *p)
{
	xc_cuda *gpu = j->gpu;
	xc_cuda_cache *k = gpu->cache;
	const size_t row = (size_t)p->width * xc_picture_pixel_bytes(p);

	j->stride = stride_of(p, row);
	const xc_status s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, j->stride * p->height, &k->pixels);
	return s ? s
	         : xc_cuda_upload_rows(gpu, k->pixels.data, j->stride, p->data, p->stride, row,
	                               p->height);
}

/* Encodes into a file of j->capacity bytes; j->size may become larger. The first bytes of the file
 * are fetched with its size: as many as the file before suggests. */
static xc_status encode_once(job *j)
{
	xc_cuda *gpu = j->gpu;
	xc_cuda_cache *k = gpu->cache;
	const xc_gpu_module *m = gpu->module;
	const size_t guess = k->guess ? k->guess : j->capacity / 8;

	j->fetched = guess < j->capacity ? guess : j->capacity;
	xc_status s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, j->capacity, &k->file);
	if (!s)
		s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, FILE_AT + j->fetched, &k->result);
	if (s)
		return s;
	char *const result = k->result.data;
	const xc_cuda_pictures in = {k->pixels.data, j->stride, 0, 1};
	const xc_cuda_files out = {k->file.data, j->capacity, k->result.data};
	s = xc_cuda_encoder_start(k->encoder, &in, &out, NULL, NULL, NULL);
	if (s)
		return s;
	s = m->copy(gpu->gpu, result + FILE_AT, out.data, j->fetched, NULL, &gpu->error);
	if (!s)
		s = m->synchronize(gpu->gpu, NULL, &gpu->error);
	j->size = s ? 0 : (size_t)*out.sizes;
	return xc_cuda_check(gpu, s);
}

static xc_status encode_all(job *j, const xc_picture *p)
{
	j->capacity = j->stride * p->height + 65536;
	xc_status s = encode_once(j);
	if (!s && j->size > j->capacity) {
		j->capacity = j->size + 65536;
		s = encode_once(j);
	}
	if (!s && j->size > j->capacity)
		s = xc_fail(j->gpu->context, XC_ERR_DEVICE, "the GPU gives files of different sizes");
	return s;
}

static xc_status download(job *j, xc_buffer *out)
{
	xc_context *c = j->gpu->context;
	xc_cuda_cache *k = j->gpu->cache;
	const size_t first = j->size < j->fetched ? j->size : j->fetched;

	out->data = xc_allocate(c, j->size);
	if (!out->data)
		return xc_fail_memory(c, j->size);
	out->size = j->size;
	memcpy(out->data, (const char *)k->result.data + FILE_AT, first);
	k->guess = xc_cuda_fetched_at_once(j->size);
	return first < j->size ? xc_cuda_download(j->gpu, out->data + first,
	                                          (const char *)k->file.data + first, j->size - first)
	                       : XC_OK;
}

/* See choose_coding() in src/encode/encode.c. */
static int chooses(const xc_picture *p, const xc_encode_options *o)
{
	return o->entropy == XC_ENTROPY_RANS && xc_encode_plan_is_fine(o, p->depth, XC_FINEST_STEP);
}

static xc_status encode_picture(xc_cuda *gpu, const xc_picture *p, const xc_metadata *m,
                                const xc_encode_options *o, xc_buffer *out)
{
	xc_context *c = gpu->context;
	job j = {.gpu = gpu};
	xc_status s = xc_cuda_cache_open(gpu);

	if (s)
		return s;
	if (chooses(p, o))
		return xc_fail(c, XC_ERR_UNSUPPORTED,
		               "the GPU does not compare rANS with Huffman codes, as such fine steps want; "
		               "--entropy huffman --effort 0 makes a file that it can");
	s = xc_cuda_cache_encoder(gpu, p, m, o);
	if (!s)
		s = upload(&j, p);
	xc_stage(c, "upload");
	if (!s)
		s = encode_all(&j, p);
	xc_stage(c, "GPU");
	if (!s)
		s = download(&j, out);
	xc_stage(c, "download");
	if (!s && p->channels % 2 == 0) {
		s = xc_cuda_interleave_alpha(c, p, o, out);
		xc_stage(c, "alpha");
	}
	if (s)
		xc_cuda_sync_stream(gpu, NULL);
	xc_report_progress(c, 1);
	if (s)
		xc_buffer_free(c, out);
	return s;
}

/* 1: the first piece of a file takes nearly as much as its samples. */
static int stores(xc_context *c, const xc_picture *p, const xc_buffer *file)
{
	xc_container k;
	int result = 0;

	if (!xc_container_read(c, file->data, file->size, 0, &k)) {
		const uint64_t high = (uint64_t)xc_geometry_piece_rows(&k.geometry) *
		                      k.header.tile_mcus_high * 8 * (uint32_t)k.geometry.v;
		const uint64_t samples = (high < p->height ? high : p->height) * p->width *
		                         (k.geometry.components > 1 ? xc_geometry_mcu_blocks(&k.geometry)
		                                                    : 1) /
		                         (uint32_t)(k.geometry.h * k.geometry.v);
		result = k.pieces[0].size > samples * p->depth / 8 * 9 / 10;
	}
	xc_container_close(c, &k);
	return result;
}

static xc_cuda *gpu_to_encode(xc_context *c, const xc_picture *p, const xc_encode_options *o)
{
	const int pays = !xc_cuda_encoder_objection(o) && !chooses(p, o);
	return xc_device_for(c, pays ? (uint64_t)p->width * p->height : 0);
}

int xc_cuda_backend_wants(xc_context *c, const xc_picture *shape, const xc_encode_options *o)
{
	return gpu_to_encode(c, shape, o) != NULL;
}

xc_status xc_cuda_backend_encode(xc_context *c, const xc_picture *p, const xc_metadata *m,
                                 const xc_encode_options *o, xc_buffer *out, int *done)
{
	*done = 0;
	xc_cuda *gpu = gpu_to_encode(c, p, o);
	xc_status s = gpu ? xc_device_result(c, encode_picture(gpu, p, m, o, out), done) : XC_OK;
	/* The CPU finds out whether samples take less (choose_coding() in src/encode/encode.c). */
	if (*done && !s && xc_encode_plan_is_fine(o, p->depth, XC_FINE_STEP) && stores(c, p, out)) {
		xc_buffer_free(c, out);
		*done = 0;
	}
	return s;
}

void xc_cuda_backend_pin(xc_context *c, void *memory, size_t size)
{
	if (c->device.opened)
		xc_cuda_pin(c->device.opened, memory, size);
}

void xc_cuda_backend_unpin(xc_context *c, const void *memory)
{
	if (c->device.opened)
		xc_cuda_unpin(c->device.opened, memory);
}

/* ------------------------------------------------------------ decoding */

static xc_status decode_picture(xc_cuda *gpu, xc_container *k, const xc_decode_options *options,
                                const xc_picture *to, uint64_t *damaged)
{
	xc_context *c = gpu->context;
	const size_t pixel = xc_picture_pixel_bytes(to), row = (size_t)to->width * pixel;
	xc_cuda_crop crop = {.list = NULL};
	xc_status s = xc_cuda_cache_open(gpu);

	if (!s && k->jpeg)
		s = xc_kept_list_segments(c, k, options->keep_going);
	if (s)
		return s;
	xc_cuda_transfer *t = &gpu->cache->decoding;
	s = xc_cuda_cache_decoder(gpu, options);
	if (!s)
		s = xc_cuda_crop_choose(c, k, &options->region, options->scale ? options->scale : 1, &crop);
	if (!s)
		s = xc_cuda_transfer_start(t, k, &crop,
		                           to->stride == row && !options->region.width ? to->data : NULL);
	xc_stage(c, "upload");
	if (!s)
		s = xc_cuda_transfer_finish(t);
	xc_stage(c, "GPU");
	const char *from = s ? NULL
	                     : (const char *)t->to + crop.crop.top * t->file.picture.stride +
	                           crop.crop.left * pixel;
	for (uint32_t y = 0; !s && t->to != to->data && y < to->height; y++)
		memcpy((char *)to->data + y * to->stride, from + y * t->file.picture.stride, row);
	xc_stage(c, "download");
	*damaged = t->file.damaged_segments;
	xc_release(c, crop.list);
	return s;
}

xc_status xc_cuda_backend_decode(xc_context *c, xc_container *k, xc_decode_options *options,
                                 xc_picture *picture, int *done)
{
	const uint32_t scale = options->scale ? options->scale : 1;
	xc_rectangle region = options->region;
	xc_header shape = k->header;
	const int mine = !picture->data;
	xc_picture to = *picture;
	uint64_t damaged = 0;
	xc_status s = XC_OK;

	*done = 0;
	/* The CPU says what is wrong with a region or a picture. */
	if (xc_region_check(c, shape.width, shape.height, scale, &region))
		return XC_OK;
	const int pays = k->jpeg || !xc_cuda_decoder_objection(k);
	xc_cuda *gpu = xc_device_for(c, pays ? (uint64_t)region.width * region.height : 0);
	xc_region_size(&region, scale, &shape.width, &shape.height);
	if (!gpu || (!mine && (xc_header_check_picture(c, &shape, picture) ||
	                       xc_picture_check_data(c, picture))))
		return XC_OK;
	if (mine) {
		to = (xc_picture){shape.width, shape.height, shape.channels, shape.depth, 0, NULL};
		s = xc_picture_make(c, &to);
	}
	if (!s)
		s = decode_picture(gpu, k, options, &to, &damaged);
	const int odd = s ? s != XC_ERR_UNSUPPORTED && s != XC_ERR_DEVICE : damaged != 0;
	if (mine && (s || (options->keep_going && odd)))
		xc_picture_free(c, &to);
	if (options->keep_going && odd) {
		/* The CPU names the first of the damaged segments, and knows how far a file
		 * goes that is cut off. */
		c->message[0] = '\0';
		return XC_OK;
	}
	if (!s)
		*picture = to;
	options->damaged_segments = damaged;
	xc_report_progress(c, 1);
	return xc_device_result(c, s, done);
}
