/* SPDX-License-Identifier: BSD-2-Clause */
/* xc_encode() and xc_decode() by way of a GPU. */
#include <string.h>

#include "src/core/picture.h"
#include "src/cuda/alpha.h"
#include "src/cuda/decoder.h"
#include "src/cuda/encoder.h"
#include "src/cuda/staging.h"

/* ------------------------------------------------------------ encoding */

/* One picture's way through the GPU. */
typedef struct job {
	xc_cuda *gpu;
	xc_cuda_encoder *encoder;
	xc_cuda_memory pixels, file, size; /* device, device, pinned */
	size_t stride, capacity;
} job;

static xc_status upload(job *j, const xc_picture *p)
{
	xc_cuda *gpu = j->gpu;
	const size_t row = (size_t)p->width * xc_picture_pixel_bytes(p);
	j->stride = (row + 15) / 16 * 16;
	xc_status s = xc_cuda_need(gpu, XC_GPU_DEVICE_MEMORY, j->stride * p->height, &j->pixels);
	if (!s)
		s = xc_cuda_need(gpu, XC_GPU_PINNED_MEMORY, sizeof(uint64_t), &j->size);
	if (!s)
		s = xc_cuda_upload_rows(gpu, j->pixels.data, j->stride, p->data, p->stride, row, p->height);
	return s;
}

/* Encodes into a file of j->capacity bytes; *size may become larger. */
static xc_status encode_once(job *j, uint64_t *size)
{
	xc_status s = xc_cuda_need(j->gpu, XC_GPU_DEVICE_MEMORY, j->capacity, &j->file);
	const xc_cuda_pictures in = {j->pixels.data, j->stride, 0, 1};
	const xc_cuda_files out = {j->file.data, j->capacity, j->size.data};
	if (!s)
		s = xc_cuda_encoder_start(j->encoder, &in, &out, NULL, NULL, NULL);
	if (!s)
		s = xc_cuda_encoder_finish(j->encoder);
	if (!s)
		memcpy(size, j->size.data, sizeof *size);
	return s;
}

static xc_status encode_all(job *j, const xc_picture *p, uint64_t *size)
{
	j->capacity = j->stride * p->height + 65536;
	xc_status s = encode_once(j, size);
	if (!s && *size > j->capacity) {
		j->capacity = (size_t)*size + 65536;
		s = encode_once(j, size);
	}
	if (!s && *size > j->capacity)
		s = xc_fail(j->gpu->context, XC_ERR_DEVICE, "the GPU gives files of different sizes");
	return s;
}

static xc_status download(const job *j, size_t size, xc_buffer *out)
{
	xc_cuda *gpu = j->gpu;
	out->data = xc_allocate(gpu->context, size);
	if (!out->data)
		return xc_fail_memory(gpu->context, size);
	out->size = size;
	return xc_cuda_download(gpu, out->data, j->file.data, size);
}

static xc_status encode_picture(xc_cuda *gpu, const xc_picture *p, const xc_metadata *m,
                                const xc_encode_options *o, xc_buffer *out)
{
	xc_context *c = gpu->context;
	job j = {.gpu = gpu};
	uint64_t size = 0;
	xc_status s = xc_cuda_encoder_make(gpu, p, p, m, o, 1, &j.encoder);
	if (!s)
		s = upload(&j, p);
	xc_stage(c, "upload");
	if (!s)
		s = encode_all(&j, p, &size);
	xc_stage(c, "GPU");
	if (!s)
		s = download(&j, (size_t)size, out);
	xc_stage(c, "download");
	if (!s && p->channels % 2 == 0) {
		s = xc_cuda_weave_alpha(c, p, o, out);
		xc_stage(c, "alpha");
	}
	if (s)
		xc_cuda_settle(gpu, NULL);
	xc_report_progress(c, 1);
	xc_cuda_drop(gpu, &j.pixels);
	xc_cuda_drop(gpu, &j.file);
	xc_cuda_drop(gpu, &j.size);
	xc_cuda_encoder_free(j.encoder);
	if (s)
		xc_buffer_free(c, out);
	return s;
}

static xc_cuda *gpu_to_encode(xc_context *c, const xc_picture *p, const xc_encode_options *o)
{
	const int pays = !xc_cuda_encoder_objection(o);
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
	return gpu ? xc_device_result(c, encode_picture(gpu, p, m, o, out), done) : XC_OK;
}

/* ------------------------------------------------------------ decoding */

static xc_status decode_picture(xc_cuda *gpu, const xc_container *k,
                                const xc_decode_options *options, const xc_picture *to,
                                uint64_t *damaged)
{
	xc_context *c = gpu->context;
	const size_t row = (size_t)to->width * xc_picture_pixel_bytes(to);
	xc_cuda_transfer t = {.gpu = gpu};
	xc_status s = xc_cuda_decoder_make(gpu, options, 1, &t.decoder);
	if (!s)
		s = xc_cuda_transfer_start(&t, k, to->stride == row ? to->data : NULL);
	xc_stage(c, "upload");
	if (!s)
		s = xc_cuda_transfer_finish(&t);
	xc_stage(c, "GPU");
	for (uint32_t y = 0; !s && t.to != to->data && y < to->height; y++)
		memcpy((char *)to->data + y * to->stride, (const char *)t.to + y * row, row);
	xc_cuda_transfer_free(&t);
	xc_stage(c, "download");
	*damaged = t.file.damaged_segments;
	return s;
}

xc_status xc_cuda_backend_decode(xc_context *c, const xc_container *k, xc_decode_options *options,
                                 xc_picture *picture, int *done)
{
	const xc_header *h = &k->header;
	const int mine = !picture->data;
	xc_picture to = *picture;
	uint64_t damaged = 0;
	xc_status s = XC_OK;
	*done = 0;
	const int pays = !xc_cuda_decoder_objection(k);
	xc_cuda *gpu = xc_device_for(c, pays ? (uint64_t)h->width * h->height : 0);
	/* The CPU says what is wrong with a picture. */
	if (!gpu ||
	    (!mine && (xc_header_check_picture(c, h, picture) || xc_picture_check_data(c, picture))))
		return XC_OK;
	if (mine) {
		to = (xc_picture){h->width, h->height, h->channels, h->depth, 0, NULL};
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
