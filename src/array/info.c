/* SPDX-License-Identifier: BSD-2-Clause */
/* What the file of an array says of itself, for callers of the library. src/array/reader.c has read it. */
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
	                        .attached = r->attached_bytes,
	                        .predicted = r->predicted};
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
