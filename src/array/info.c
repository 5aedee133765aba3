/* SPDX-License-Identifier: BSD-2-Clause */
/* What the file of an array says of itself and of its segments, for callers of the library.
 * src/array/reader.c knows where these lie. */
#include <string.h>

#include "src/array/reader.h"

void xc_array_reader_info(const xc_array_reader *r, xc_array_info *info)
{
	if (info)
		*info = (xc_array_info){.bound = 0};
	if (!r || !info)
		return;
	const xc_array_header *h = &r->header;
	*info = (xc_array_info){.shape = h->shape,
	                        .kind = h->kind,
	                        .bound = h->bound,
	                        .error = h->error,
	                        .way = h->way,
	                        .file_size = r->source.size,
	                        .attached = r->attached_bytes};
	memcpy(info->chunk, h->chunk, sizeof info->chunk);
	const int list = h->shape.dimensions == 4;
	info->along = h->along + h->shape.dimensions - 3;
	info->slab = h->layers * h->chunk[h->along];
	if (list && h->along == 0 && info->slab >= h->depth) { /* whole volumes */
		info->along = 0;
		info->slab /= h->depth;
	}
	for (uint64_t i = 0; i < h->slabs; i++)
		info->chunks += r->slabs[i].count - 1;
}

/* Whether a slab is transformed stands in its model. */
xc_status xc_array_reader_predicted(xc_array_reader *r, uint64_t *chunks)
{
	if (!r)
		return XC_ERR_ARGUMENT;
	xc_begin(r->context);
	r->failed = 0;
	if (!chunks)
		return xc_fail(r->context, XC_ERR_ARGUMENT, "no place for the result");
	*chunks = 0;
	xc_slab_model *model = xc_allocate(r->context, sizeof *model);
	xc_status s = model ? XC_OK : xc_fail_memory(r->context, sizeof *model);
	for (uint64_t n = 0; r->header.way && n < r->header.slabs && !s; n++) {
		const xc_slab_index *i = &r->slabs[n];
		if (!i->found)
			continue;
		const size_t size = xc_segment_size(i, 0);
		uint8_t *bytes = xc_allocate(r->context, size), *next = bytes;
		const uint8_t *data;
		uint32_t sum = 0;
		s = bytes ? xc_reader_segment(r, i, 0, i->data, &next, &data, &sum)
		          : xc_fail_memory(r->context, size);
		if (!s && xc_slab_model_read(&r->header, model, data, size) && !model->model.way)
			*chunks += i->count - 1;
		if (xc_is_damage(s)) { /* which decoding reports */
			r->context->message[0] = '\0';
			s = XC_OK;
		}
		xc_release(r->context, bytes);
	}
	xc_release(r->context, model);
	return s;
}

static void set_parts(const xc_array_reader *r, const uint32_t size[3], const uint8_t *data,
                      xc_array_segment *to)
{
	const xc_array_type type = r->header.shape.type;
	xc_chunk_head k;

	if (!xc_chunk_head_read(type, xc_chunk_count(size), data, (size_t)to->size, &k))
		return;
	to->kinds = k.kinds_bytes;
	to->residues = k.bytes;
	if (k.exceptions)
		to->exceptions = (uint64_t)(k.values - k.positions) +
		                 k.exceptions * xc_array_type_size(type);
}

xc_status xc_array_next_segment(xc_array_reader *r, xc_array_segment *to)
{
	if (!r)
		return XC_ERR_ARGUMENT;
	xc_begin(r->context);
	r->failed = 0;
	if (!to)
		return xc_fail(r->context, XC_ERR_ARGUMENT, "no place for the result");
	*to = (xc_array_segment){.size = 0};
	const xc_array_header *h = &r->header;
	if (r->slab == h->slabs)
		return XC_OK;
	const xc_slab_index *i = &r->slabs[r->slab];
	const xc_slab_place p = xc_slab_of(h, r->slab);
	const int n = h->shape.dimensions, skip = XC_ARRAY_DIMENSIONS - n;
	uint32_t first[3], size[3], sum = 0;
	xc_chunk_box(h, &p, r->chunk, first, size);
	/* A chunk of more than one volume has all of their slices, as a rule. */
	const uint64_t z = p.first[0] + first[0], volumes = (z % h->depth + size[0] - 1) / h->depth + 1;
	const uint64_t start[4] = {z / h->depth, volumes > 1 ? 0 : z % h->depth, p.first[1] + first[1],
	                           p.first[2] + first[2]};
	const uint64_t sizes[4] = {volumes, volumes > 1 ? h->depth : size[0], size[1], size[2]};
	for (int k = skip; k < XC_ARRAY_DIMENSIONS; k++) {
		to->box.first[k - skip] = start[k];
		to->box.size[k - skip] = sizes[k];
	}
	xc_status s = XC_OK;
	if (i->found) {
		const uint64_t model = xc_segment_size(i, 0);
		to->model = r->chunk ? 0 : model;
		r->offset = r->chunk ? r->offset : i->data + model;
		to->offset = r->offset;
		to->size = xc_segment_size(i, r->chunk + 1);
		const uint64_t room = to->size > model ? to->size : model;
		uint8_t *memory = xc_allocate(r->context, xc_bytes_of_values(room, 1)), *bytes = memory;
		const uint8_t *data;
		if (!memory)
			return xc_fail_memory(r->context, xc_bytes_of_values(room, 1));
		if (!r->chunk)
			r->model_intact = !xc_reader_segment(r, i, 0, i->data, &bytes, &data, &sum);
		bytes = memory;
		s = xc_reader_segment(r, i, r->chunk + 1, to->offset, &bytes, &data, &sum);
		to->intact = !s && r->model_intact;
		if (!s)
			set_parts(r, size, data, to);
		r->offset += to->size;
		xc_release(r->context, memory);
	}
	r->chunk = (r->chunk + 1) % xc_slab_chunks(&p);
	r->slab += !r->chunk;
	return s && !xc_is_damage(s) ? s : XC_OK;
}
