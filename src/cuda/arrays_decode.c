/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of arrays to device memory: xc_cuda_array_decode() of include/xcodec_cuda.h. The host takes
 * models and heads of chunks apart and checks their CRCs, the GPU decodes. Chunks with masks are
 * decoded by the host, and so are arrays of types that the GPU does not have.
 */
#include <string.h>

#include "src/array/reader.h"
#include "src/core/crc32c.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"
#include "src/cuda/arrays.h"

/* A batch of slabs. */
typedef struct batch {
	xc_cuda *gpu;
	xc_array_reader *reader;
	const xc_array_header *header;
	const uint8_t *file;
	void *stream;
	uint64_t first; /* the first slab */
	uint32_t slabs, chunks;
	uint64_t values, data, end; /* where its segments begin and end in the file */
	uint32_t *first_chunk;      /* of each slab */
	xc_slab_model **models;
	xc_gpu_array_slab *slab; /* these four in pinned memory */
	xc_gpu_array_chunk *chunk;
	xc_gpu_array_tables *tables;
	xc_gpu_array_outcome *outcome;
	uint64_t *offsets; /* of segments in the file, chunks alone */
	uint8_t *by_host;  /* chunks that the host decodes */
	uint8_t *code;     /* the segments, in device memory */
	int damaged;       /* set atomically */
	xc_gpu_memory_list memory;
} batch;

static void damage(batch *b)
{
	__atomic_store_n(&b->damaged, 1, __ATOMIC_RELAXED);
}

static int is_intact(const batch *b, const xc_slab_index *i, uint64_t n, uint64_t offset)
{
	return (xc_crc32c(0, b->file + offset, xc_segment_size(i, n)) & 0xffff) == xc_segment_crc(i, n);
}

/* Reads a slab's model, and the heads of its chunks. */
static void read_slab(void *user, uint64_t item, int worker)
{
	batch *b = user;
	const xc_slab_index *index = &b->reader->slabs[b->first + item];
	const xc_array_type type = b->header->shape.type;
	xc_slab_model *m = b->models[item];
	uint64_t offset = index->data;

	(void)worker;
	if (!is_intact(b, index, 0, offset) ||
	    !xc_slab_model_read(b->header, m, b->file + offset, xc_segment_size(index, 0))) {
		damage(b);
		return;
	}
	xc_gpu_array_slab_set(&b->slab[item], m);
	b->slab[item].rank = item * XC_RANKS;
	xc_decode_tables_make(&m->model, (xc_array_decode_tables *)(void *)&b->tables[item]);
	for (uint64_t n = 1; n < index->count; n++) {
		const uint32_t c = b->first_chunk[item] + (uint32_t)n - 1;
		xc_gpu_array_chunk *chunk = &b->chunk[c];
		xc_chunk_head h;
		offset += xc_segment_size(index, n - 1);
		b->offsets[c] = offset;
		if (!is_intact(b, index, n, offset) ||
		    !xc_chunk_head_read(type, xc_chunk_count(chunk->size), b->file + offset,
		                        xc_segment_size(index, n), &h)) {
			damage(b);
			return;
		}
		b->by_host[c] = h.kinds != NULL;
		chunk->raw = h.flags == XC_CHUNK_RAW;
		chunk->lanes = h.residues && !chunk->raw && !h.kinds ? h.lanes : 0;
		chunk->bytes = (uint32_t)h.bytes;
		chunk->code = h.residues ? (uint64_t)(h.residues - b->file) - b->data : 0;
		chunk->exceptions = h.kinds ? 0 : (uint32_t)h.exceptions;
	}
}

/* Lists the exceptions of all chunks; returns the maximum of a chunk. */
static uint32_t list_exceptions(batch *b, xc_gpu_array_exception **list, uint64_t *count)
{
	const xc_array_type type = b->header->shape.type;
	uint32_t max = 0;
	uint64_t n = 0;

	for (uint32_t i = 0; i < b->chunks; i++) {
		b->chunk[i].exception = (uint32_t)n;
		n += b->chunk[i].exceptions;
		max = b->chunk[i].exceptions > max ? b->chunk[i].exceptions : max;
	}
	*count = n;
	*list = n ? xc_gpu_memory_take(&b->memory, XC_GPU_PINNED_MEMORY, n, sizeof **list) : NULL;
	if (!*list)
		return max;
	for (uint32_t s = 0, i = 0; s < b->slabs; s++) {
		const xc_slab_index *index = &b->reader->slabs[b->first + s];
		for (uint64_t k = 1; k < index->count; k++, i++) {
			xc_chunk_head h;
			if (!b->chunk[i].exceptions)
				continue;
			xc_chunk_head_read(type, xc_chunk_count(b->chunk[i].size), b->file + b->offsets[i],
			                   xc_segment_size(index, k), &h);
			const uint8_t *p = h.positions;
			uint32_t at = 0;
			for (uint64_t x = 0; x < h.exceptions; x++) {
				uint64_t bits;
				at = xc_chunk_exception(&h, &p, at, x, xc_array_type_size(type), &bits);
				(*list)[b->chunk[i].exception + x] = (xc_gpu_array_exception){at++, (uint32_t)bits};
			}
		}
	}
	return max;
}

/* Ranks of all slabs, XC_RANKS each; NULL: none has any. */
static uint32_t *list_ranks(batch *b)
{
	uint32_t *ranks, some = 0;

	for (uint32_t s = 0; s < b->slabs; s++)
		some |= b->models[s]->ranks;
	ranks = some ? xc_gpu_memory_take(&b->memory, XC_GPU_PINNED_MEMORY, b->slabs,
	                                  XC_RANKS * sizeof *ranks)
	             : NULL;
	for (uint32_t s = 0; ranks && s < b->slabs; s++)
		for (uint32_t i = 0; i < b->models[s]->ranks; i++)
			ranks[(size_t)s * XC_RANKS + i] = (uint32_t)b->models[s]->rank[i];
	return ranks;
}

/* Chunks with masks. */
static xc_status decode_by_host(batch *b, void *values)
{
	xc_context *c = b->gpu->context;
	const xc_array_header *h = b->header;
	const size_t each = xc_array_type_size(h->shape.type);
	xc_array_decode_tables *const tables = (void *)b->tables;
	void *scratch = xc_allocate(c, xc_chunk_decode_scratch(h, h->chunk));
	char *own = xc_allocate(c, xc_chunk_count(h->chunk) * each);
	uint64_t stride[2];
	xc_status s = scratch && own ? XC_OK : xc_fail_memory(c, xc_chunk_decode_scratch(h, h->chunk));

	xc_gpu_array_strides(h, stride);
	for (uint32_t i = 0; i < b->chunks && !s; i++) {
		const xc_gpu_array_chunk *k = &b->chunk[i];
		const xc_slab_index *index = &b->reader->slabs[b->first + k->slab];
		if (!b->by_host[i])
			continue;
		const uint32_t bytes = xc_segment_size(index, 1 + i - b->first_chunk[k->slab]);
		if (!xc_array_chunk_decode(c, h, b->models[k->slab], &tables[k->slab],
		                           b->file + b->offsets[i], bytes, k->size, scratch, own))
			s = xc_fail(c, XC_ERR_CORRUPT, "a segment is damaged (at byte %llu)",
			            (unsigned long long)b->offsets[i]);
		for (uint32_t z = 0; z < k->size[0] && !s; z++)
			s = xc_cuda_check(b->gpu,
			                  b->gpu->module->copy_rows(b->gpu->gpu,
			                                            (char *)values +
			                                                (k->first + z * stride[0]) * each,
			                                            stride[1] * each,
			                                            own + (size_t)z * k->size[1] * k->size[2] *
			                                                      each,
			                                            k->size[2] * each, k->size[2] * each,
			                                            k->size[1], b->stream, &b->gpu->error));
		xc_gpu_wait(b->gpu, &s, b->stream);
	}
	xc_release(c, own);
	xc_release(c, scratch);
	return s;
}

/* Has the GPU decode what has been read. */
static xc_status run(batch *b, void *values)
{
	xc_cuda *gpu = b->gpu;
	xc_gpu_memory_list *m = &b->memory;
	xc_gpu_array_exception *exceptions;
	uint64_t listed;
	const uint32_t max_exceptions = list_exceptions(b, &exceptions, &listed);
	const uint32_t *ranks = list_ranks(b);
	xc_gpu_array_work w = {.slabs = b->slabs,
	                       .chunks = b->chunks,
	                       .values = b->values,
	                       .array = values};

	xc_gpu_array_has(b->header->shape.type, &w.type);
	xc_gpu_array_strides(b->header, w.stride);
	for (uint32_t i = 0; i < b->chunks; i++) {
		const uint32_t n = (uint32_t)xc_chunk_count(b->chunk[i].size);
		const uint32_t rows = b->chunk[i].size[0] * b->chunk[i].size[1];
		w.max_values = n > w.max_values ? n : w.max_values;
		w.max_rows = rows > w.max_rows ? rows : w.max_rows;
	}
	void *slab = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, b->slabs, sizeof *w.slab);
	void *chunk = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, b->chunks, sizeof *w.chunk);
	void *tables = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, b->slabs, sizeof *w.tables);
	void *list = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, listed, sizeof *w.exceptions);
	void *rank = ranks ? xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, b->slabs,
	                                        XC_RANKS * sizeof *ranks)
	                   : NULL;
	w.outcome = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, b->chunks, sizeof *w.outcome);
	w.value = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, b->values, sizeof *w.value);
	w.magnitude = xc_gpu_memory_take(m, XC_GPU_DEVICE_MEMORY, b->values, sizeof *w.magnitude);
	w.code = b->code;
	w.slab = slab;
	w.chunk = chunk;
	w.tables = tables;
	w.exceptions = list;
	w.ranks = rank;
	xc_status s = m->status;
	xc_gpu_copy(gpu, &s, slab, b->slab, b->slabs * sizeof *b->slab, b->stream);
	xc_gpu_copy(gpu, &s, chunk, b->chunk, b->chunks * sizeof *b->chunk, b->stream);
	xc_gpu_copy(gpu, &s, tables, b->tables, b->slabs * sizeof *b->tables, b->stream);
	xc_gpu_copy(gpu, &s, list, exceptions, (size_t)listed * sizeof *exceptions, b->stream);
	if (ranks)
		xc_gpu_copy(gpu, &s, rank, ranks, b->slabs * XC_RANKS * sizeof *ranks, b->stream);
	if (!s)
		s = xc_cuda_check(gpu, gpu->module->arrays->decode(gpu->gpu, &w, max_exceptions, b->stream,
		                                                   &gpu->error));
	xc_gpu_copy(gpu, &s, b->outcome, w.outcome, b->chunks * sizeof *w.outcome, b->stream);
	xc_gpu_wait(gpu, &s, b->stream);
	for (uint32_t i = 0; i < b->chunks && !s; i++)
		if (b->outcome[i].damaged && !b->by_host[i])
			s = xc_fail(gpu->context, XC_ERR_CORRUPT, "a segment is damaged (at byte %llu)",
			            (unsigned long long)b->offsets[i]);
	return s;
}

/* Memory for a batch, but what run() takes. */
static xc_status take_memory(batch *b)
{
	xc_context *c = b->gpu->context;
	const size_t n = b->slabs, k = b->chunks;

	b->first_chunk = xc_allocate(c, n * sizeof *b->first_chunk);
	b->models = xc_allocate_zeroed(c, n * sizeof *b->models);
	b->offsets = xc_allocate(c, k * sizeof *b->offsets);
	b->by_host = xc_allocate_zeroed(c, k);
	if (!b->first_chunk || !b->models || !b->offsets || !b->by_host)
		return xc_fail_memory(c, k * sizeof *b->offsets);
	for (size_t i = 0; i < n; i++)
		if (!(b->models[i] = xc_allocate(c, sizeof **b->models)))
			return xc_fail_memory(c, sizeof **b->models);
	b->slab = xc_gpu_memory_take(&b->memory, XC_GPU_PINNED_MEMORY, n, sizeof *b->slab);
	b->chunk = xc_gpu_memory_take(&b->memory, XC_GPU_PINNED_MEMORY, k, sizeof *b->chunk);
	b->tables = xc_gpu_memory_take(&b->memory, XC_GPU_PINNED_MEMORY, n, sizeof *b->tables);
	b->outcome = xc_gpu_memory_take(&b->memory, XC_GPU_PINNED_MEMORY, k, sizeof *b->outcome);
	return b->memory.status;
}

static void free_memory(batch *b)
{
	xc_context *c = b->gpu->context;

	for (uint32_t i = 0; b->models && i < b->slabs; i++)
		xc_release(c, b->models[i]);
	xc_release(c, b->models);
	xc_release(c, b->first_chunk);
	xc_release(c, b->offsets);
	xc_release(c, b->by_host);
	xc_gpu_memory_free(&b->memory);
}

static xc_status decode_batch(batch *b, void *values)
{
	const xc_array_header *h = b->header;
	xc_context *c = b->gpu->context;
	uint64_t value = 0;
	uint32_t chunk = 0;
	int masks = 0;

	xc_status s = take_memory(b);
	if (s)
		return s;
	b->data = b->reader->slabs[b->first].data;
	for (uint32_t i = 0; i < b->slabs; i++) {
		const xc_slab_index *index = &b->reader->slabs[b->first + i];
		const xc_slab_place place = xc_slab_of(h, b->first + i);
		b->first_chunk[i] = chunk;
		chunk += xc_gpu_array_chunks(h, &place, i, value, b->chunk + chunk);
		value += xc_slab_values(&place);
		b->end = index->data;
		for (uint64_t n = 0; n < index->count; n++)
			b->end += xc_segment_size(index, n);
	}
	/* The bytes are under way while the host looks at them. */
	b->code = xc_gpu_memory_take(&b->memory, XC_GPU_DEVICE_MEMORY, b->end - b->data, 1);
	s = b->memory.status;
	xc_gpu_copy(b->gpu, &s, b->code, b->file + b->data, (size_t)(b->end - b->data), b->stream);
	if (s)
		return s;
	/* A thread makes tables of a slab in 200 microseconds, and sums up 5 bytes in a nanosecond. */
	s = xc_parallel_for(c, b->slabs, 200 * b->slabs + (b->end - b->data) / 5000, read_slab, b, 0,
	                    0);
	if (!s && b->damaged)
		s = xc_fail(c, XC_ERR_CORRUPT, "a segment is damaged (at byte %llu or later)",
		            (unsigned long long)b->data);
	if (!s)
		s = run(b, values);
	else /* the file may go */
		xc_cuda_sync_stream(b->gpu, b->stream);
	for (uint32_t i = 0; i < b->chunks && !s; i++)
		masks |= b->by_host[i];
	return masks ? decode_by_host(b, values) : s;
}

/* The whole array by the host. */
static xc_status read_by_host(xc_cuda *gpu, xc_array_reader *r, uint64_t count, void *values,
                              void *stream)
{
	xc_context *c = gpu->context;
	const size_t bytes = xc_bytes_of_values(count, xc_array_type_size(r->header.shape.type));
	void *own = xc_allocate(c, bytes);
	xc_status s = own ? xc_array_read(r, NULL, 1, own) : xc_fail_memory(c, bytes);

	xc_gpu_copy(gpu, &s, values, own, bytes, stream);
	xc_gpu_wait(gpu, &s, stream);
	xc_release(c, own);
	return s;
}

xc_status xc_cuda_array_decode(xc_cuda *gpu, const void *file, size_t size, void *values,
                               void *stream)
{
	XC_DEFAULT_FLOATS;
	const xc_source source = {.memory = file, .size = size};
	xc_gpu_array_type type;
	xc_array_reader *r;

	if (!gpu)
		return XC_ERR_ARGUMENT;
	xc_context *c = gpu->context;
	xc_begin(c);
	if (!file || !values)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file, or no place for its values");
	xc_status s = xc_array_reader_new(c, &source, &r);
	if (s)
		return s;
	const xc_array_header *h = &r->header;
	const uint64_t count = h->size[0] * h->size[1] * h->size[2];
	if (count > c->limits.max_pixels)
		s = xc_fail(c, XC_ERR_LIMIT, "the array has more values than the limit of %llu",
		            (unsigned long long)c->limits.max_pixels);
	else if (h->way || !xc_gpu_array_has(h->shape.type, &type) || !xc_gpu_array_fits(h))
		s = read_by_host(gpu, r, count, values, stream);
	else
		for (uint64_t slab = 0; slab < h->slabs && !s;) {
			batch b = {.gpu = gpu,
			           .reader = r,
			           .header = h,
			           .file = file,
			           .stream = stream,
			           .first = slab,
			           .memory = {.gpu = gpu}};
			b.slabs = xc_gpu_array_batch(h, slab, &b.chunks, &b.values);
			s = decode_batch(&b, values);
			free_memory(&b);
			slab += b.slabs;
		}
	xc_array_reader_free(r);
	return s;
}
