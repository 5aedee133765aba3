/* SPDX-License-Identifier: BSD-2-Clause */
/* Encoders on a GPU: from options to the module's plan, and xc_encode() on top. */
#include "src/cuda/encode.h"

#include <string.h>

#include "src/container/alpha.h"
#include "src/cuda/device.h"
#include "src/encode/plan.h"
#include "src/core/picture.h"

/* ------------------------------------------------------------ encoders */

static int can_encode(const xc_encode_options *o)
{
	return o->effort == 0;
}

/* An 8-bit picture's coefficients have at most 11 bits and codes 16. */
static size_t block_bound(uint32_t depth)
{
	return depth == 16 ? XC_CODED_BLOCK_BYTES : 64 * (16 + 11) / 8;
}

static size_t file_bound(const xc_encode_plan *p, const xc_metadata *m)
{
	return (size_t)(xc_container_overhead(m, 0) +
	                xc_geometry_blocks(&p->geometry) * block_bound(p->header.depth) +
	                xc_geometry_tiles(&p->geometry) * 7);
}

static void default_tables(xc_context *c, xc_coder_tables tables[2])
{
	for (int i = 0; i < 2; i++)
		xc_coder_tables_init(&tables[i], &xc_default_codes(c)[i][0], &xc_default_codes(c)[i][1]);
}

static xc_status open_encoder(xc_cuda_encoder *n, const xc_encode_plan *p, const xc_picture *shape,
                              const xc_metadata *m, int optimized)
{
	xc_context *c = n->gpu->context;
	const size_t room = (size_t)xc_container_overhead(m, 0);
	xc_gpu_error e = {XC_OK, ""};
	uint8_t *prefix = xc_allocate(c, room);
	xc_coder_tables *tables = xc_allocate(c, 2 * sizeof *tables);
	xc_status s = XC_OK;
	if (!prefix || !tables)
		s = xc_fail_memory(c, room + 2 * sizeof *tables);
	if (!s) {
		xc_writer w = {prefix};
		xc_write_magic(&w);
		xc_write_head(&w, &p->header);
		xc_write_metadata(&w, m);
		xc_write_quant(&w, p->quant_preset, p->geometry.components == 1 ? 1 : 2, p->steps);
		n->prefix_size = (size_t)(w.next - prefix);
		default_tables(c, tables);
		/* clang-format off */
		xc_gpu_encode_plan plan = {
			.channels = shape->channels, .depth = shape->depth,
			.transform = p->header.transform,
			.geometry = p->geometry, .optimized = optimized, .coder = tables,
			.prefix = prefix, .prefix_size = n->prefix_size, .batch = n->batch,
		};
		/* clang-format on */
		memcpy(plan.tables, p->tables, sizeof plan.tables);
		s = xc_cuda_status(c, n->gpu->module->encode->open(n->gpu->gpu, &plan, &n->encoder, &e),
		                   &e);
	}
	xc_release(c, prefix);
	xc_release(c, tables);
	return s;
}

xc_status xc_cuda_encoder_make(xc_cuda *gpu, const xc_picture *shape, const xc_metadata *m,
                               const xc_encode_options *o, uint32_t batch,
                               xc_cuda_encoder **encoder)
{
	xc_context *c = gpu->context;
	xc_encode_plan plan;
	*encoder = NULL;
	if (!gpu->module->encode)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "this CUDA module has no encoder");
	if (!can_encode(o))
		return xc_fail(c, XC_ERR_UNSUPPORTED, "the GPU encodes with effort 0 alone");
	xc_cuda_encoder *n = xc_allocate_zeroed(c, sizeof *n);
	if (!n)
		return xc_fail_memory(c, sizeof *n);
	xc_encode_plan_init(&plan, shape, o);
	n->gpu = gpu;
	n->batch = batch;
	n->bound = file_bound(&plan, m);
	const xc_status s = open_encoder(n, &plan, shape, m, o->huffman == XC_HUFFMAN_OPTIMIZED);
	if (s)
		xc_cuda_encoder_free(n);
	else
		*encoder = n;
	return s;
}

xc_status xc_cuda_encoder_new(xc_cuda *gpu, const xc_picture *shape, const xc_metadata *m,
                              const xc_encode_options *options, uint32_t batch,
                              xc_cuda_encoder **encoder)
{
	xc_context *c = gpu->context;
	xc_encode_options o;
	xc_begin(c);
	if (!encoder)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the result");
	*encoder = NULL;
	xc_status s = xc_picture_check(c, shape);
	if (!s)
		s = xc_encode_take_options(c, options, m, &o);
	if (s)
		return s;
	if (shape->channels % 2 == 0)
		return xc_fail(c, XC_ERR_UNSUPPORTED, "alpha is compressed on the host");
	return xc_cuda_encoder_make(gpu, shape, m, &o, batch, encoder);
}

void xc_cuda_encoder_free(xc_cuda_encoder *n)
{
	if (!n)
		return;
	xc_cuda *gpu = n->gpu;
	gpu->module->release(gpu->gpu, n->scratch);
	if (gpu->module->encode)
		gpu->module->encode->close(n->encoder);
	xc_release(gpu->context, n);
}

size_t xc_cuda_encoder_bound(const xc_cuda_encoder *n)
{
	return n->bound;
}

size_t xc_cuda_encoder_scratch(const xc_cuda_encoder *n, uint32_t count, size_t distance)
{
	return n->gpu->module->encode->scratch(n->encoder, count, distance);
}

/* The encoder's own scratch for work on a stream, made larger when that is needed. */
static xc_status own_scratch(xc_cuda_encoder *n, uint32_t count, size_t distance, void *stream)
{
	const xc_cuda *gpu = n->gpu;
	const size_t size = xc_cuda_encoder_scratch(n, count, distance);
	xc_gpu_error e = {XC_OK, ""};
	if (size <= n->scratch_size)
		return XC_OK;
	/* The stream may still use the smaller one. */
	xc_status s = n->scratch ? gpu->module->synchronize(gpu->gpu, stream, &e) : XC_OK;
	if (!s) {
		gpu->module->release(gpu->gpu, n->scratch);
		n->scratch = NULL;
		n->scratch_size = 0;
		s = gpu->module->allocate(gpu->gpu, XC_GPU_DEVICE_MEMORY, size, &n->scratch, &e);
	}
	if (!s)
		n->scratch_size = size;
	return xc_cuda_status(gpu->context, s, &e);
}

static xc_status enqueue(xc_cuda_encoder *n, const xc_cuda_pictures *p, const xc_cuda_files *f,
                         void *scratch, void *stream)
{
	const xc_cuda *gpu = n->gpu;
	xc_gpu_error e = {XC_OK, ""};
	if (!p->count || p->count > n->batch)
		return xc_fail(gpu->context, XC_ERR_ARGUMENT, "%u pictures, not 1 to %u", p->count,
		               n->batch);
	if (!scratch) {
		const xc_status s = own_scratch(n, p->count, f->distance, stream);
		if (s)
			return s;
		scratch = n->scratch;
	}
	return xc_cuda_status(gpu->context,
	                      gpu->module->encode->run(n->encoder, p, f, scratch, stream, NULL, &e),
	                      &e);
}

xc_status xc_cuda_encode(xc_cuda_encoder *n, const xc_cuda_pictures *p, const xc_cuda_files *f,
                         void *scratch, void *stream)
{
	xc_begin(n->gpu->context);
	if (!p || !p->data || !f || !f->data || !f->sizes)
		return xc_fail(n->gpu->context, XC_ERR_ARGUMENT, "pictures or files are missing");
	return enqueue(n, p, f, scratch, stream);
}

/* ---------------------------------------------------------- xc_encode() */

/* One picture's way through the GPU. */
typedef struct job {
	xc_cuda *gpu;
	xc_cuda_encoder *encoder;
	void *pixels, *file, *size; /* device, device, pinned */
	size_t stride, capacity;
} job;

static xc_status get(const job *j, xc_gpu_memory kind, size_t size, void **memory)
{
	xc_gpu_error e = {XC_OK, ""};
	return xc_cuda_status(j->gpu->context,
	                      j->gpu->module->allocate(j->gpu->gpu, kind, size, memory, &e), &e);
}

static xc_status upload(job *j, const xc_picture *p)
{
	const size_t row = (size_t)p->width * xc_picture_pixel_bytes(p);
	xc_gpu_error e = {XC_OK, ""};
	j->stride = (row + 15) / 16 * 16;
	xc_status s = get(j, XC_GPU_DEVICE_MEMORY, j->stride * p->height, &j->pixels);
	if (!s)
		s = get(j, XC_GPU_PINNED_MEMORY, sizeof(uint64_t), &j->size);
	if (!s)
		s = xc_cuda_status(j->gpu->context,
		                   j->gpu->module->copy_rows(j->gpu->gpu, j->pixels, j->stride, p->data,
		                                             p->stride, row, p->height, NULL, &e),
		                   &e);
	return s;
}

/* Encodes into a file of j->capacity bytes; *size may come out larger. */
static xc_status encode_once(job *j, uint64_t *size)
{
	xc_gpu_error e = {XC_OK, ""};
	j->gpu->module->release(j->gpu->gpu, j->file);
	j->file = NULL;
	xc_status s = get(j, XC_GPU_DEVICE_MEMORY, j->capacity, &j->file);
	const xc_cuda_pictures in = {j->pixels, j->stride, 0, 1};
	const xc_cuda_files out = {j->file, j->capacity, j->size};
	if (!s)
		s = enqueue(j->encoder, &in, &out, NULL, NULL);
	if (!s)
		s = xc_cuda_status(j->gpu->context, j->gpu->module->synchronize(j->gpu->gpu, NULL, &e), &e);
	if (!s)
		memcpy(size, j->size, sizeof *size);
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

/* Where ALPH belongs: behind HUFF if that is there. */
static size_t alpha_place(const uint8_t *file, size_t at)
{
	uint64_t length = 0;
	if (memcmp(file + at, "HUFF", 4))
		return at;
	at += 4;
	for (unsigned shift = 0;; shift += 7) {
		length |= (uint64_t)(file[at] & 127) << shift;
		if (file[at++] < 128)
			break;
	}
	return at + (size_t)length + 4;
}

static xc_status download(const job *j, size_t size, const xc_buffer *alpha, xc_buffer *out)
{
	xc_context *c = j->gpu->context;
	const size_t extra = alpha->size ? alpha->size + 1 + XC_CHUNK_OVERHEAD : 0;
	xc_gpu_error e = {XC_OK, ""};
	out->data = xc_allocate(c, size + extra);
	if (!out->data)
		return xc_fail_memory(c, size + extra);
	out->size = size;
	xc_status s = j->gpu->module->copy(j->gpu->gpu, out->data, j->file, size, NULL, &e);
	if (!s)
		s = j->gpu->module->synchronize(j->gpu->gpu, NULL, &e);
	if (s || !alpha->size)
		return xc_cuda_status(c, s, &e);
	const size_t at = alpha_place(out->data, j->encoder->prefix_size);
	/* The chunk is written behind its place, which is free once the rest is moved. */
	memmove(out->data + at + extra, out->data + at, size - at);
	xc_writer w = {out->data + at};
	xc_write_alpha(&w, alpha->data, alpha->size);
	memmove(w.next, out->data + at + extra, size - at);
	out->size = (size_t)(w.next - out->data) + size - at;
	return XC_OK;
}

static xc_status encode_picture(xc_cuda *gpu, const xc_picture *p, const xc_metadata *m,
                                const xc_encode_options *o, xc_buffer *out)
{
	xc_context *c = gpu->context;
	job j = {.gpu = gpu};
	xc_buffer alpha = {0};
	uint64_t size = 0;
	xc_status s = xc_cuda_encoder_make(gpu, p, m, o, 1, &j.encoder);
	if (!s)
		s = upload(&j, p);
	xc_stage(c, "upload");
	if (!s)
		s = encode_all(&j, p, &size);
	xc_stage(c, "GPU");
	if (!s && p->channels % 2 == 0) {
		s = xc_alpha_encode(c, p, &alpha);
		xc_stage(c, "alpha");
	}
	if (!s)
		s = download(&j, (size_t)size, &alpha, out);
	xc_stage(c, "download");
	if (s)
		(void)gpu->module->synchronize(gpu->gpu, NULL, &(xc_gpu_error){XC_OK, ""});
	xc_report_progress(c, 1);
	xc_buffer_free(c, &alpha);
	gpu->module->release(gpu->gpu, j.pixels);
	gpu->module->release(gpu->gpu, j.file);
	gpu->module->release(gpu->gpu, j.size);
	xc_cuda_encoder_free(j.encoder);
	if (s)
		xc_buffer_free(c, out);
	return s;
}

xc_status xc_cuda_backend_encode(xc_context *c, const xc_picture *p, const xc_metadata *m,
                                 const xc_encode_options *o, xc_buffer *out, int *done)
{
	*done = 0;
	/* Choosing levels is the CPU's work; the file is the same wherever it is made. */
	const int gpu_work = o->effort == 0 && (can_encode(o) || c->device.choice == XC_DEVICE_NAMED);
	xc_cuda *gpu = xc_device_for(c, gpu_work ? (uint64_t)p->width * p->height : 0);
	if (!gpu || !gpu_work)
		return XC_OK;
	return xc_device_result(c, encode_picture(gpu, p, m, o, out), done);
}
