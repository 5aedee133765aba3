/* SPDX-License-Identifier: BSD-2-Clause */
/* Kept JPEGs for the GPU's decoder: what src/jpeg/ lists of a file, as gpu/module.h wants it. */
#include <string.h>

#include "src/cuda/decoder.h"
#include "src/jpeg/kept.h"

xc_status xc_cuda_read_file(xc_context *c, const void *file, size_t size, int truncated,
                            xc_container *k)
{
	uint64_t segments;

	if (!xc_jpeg_is(file, size)) {
		const xc_status s = xc_container_read(c, file, size, truncated, k);
		return s ? s : xc_container_check_expansion(c, k, size);
	}
	memset(k, 0, offsetof(xc_container, codes));
	const xc_status s = xc_kept_open(c, file, size, k, &segments);
	return s ? s : xc_kept_list_segments(c, k, truncated);
}

void xc_cuda_jpeg_model(xc_gpu_jpeg_model *m)
{
	for (int k = 0; k < 64; k++) {
		for (int chroma = 0; chroma < 2; chroma++)
			memcpy(m->weight[chroma][k], xc_jpeg_weights[chroma][k], XC_JPEG_WEIGHTS);
		memcpy(m->near_[k], xc_jpeg_nears[k], sizeof *xc_jpeg_nears);
	}
	memcpy(m->inner, xc_jpeg_inner, sizeof xc_jpeg_inner);
}

/* A JPEG's pixels are what its decoders give. */
void xc_cuda_describe_jpeg(const xc_kept_list *l, xc_gpu_jpeg *to, xc_gpu_coded_picture *p)
{
	const xc_jpeg_coding *k = &l->coding;

	*to = (xc_gpu_jpeg){.components = (uint32_t)k->components,
	                    .mcu_columns = l->mcu_columns,
	                    .mcu_rows = l->mcu_rows,
	                    .tile_columns = l->plan.columns,
	                    .band_rows = l->plan.rows,
	                    .tiles = l->plan.tiles,
	                    .bands = l->plan.bands,
	                    .piece = l->plan.piece * l->plan.tiles,
	                    .pieces = l->plan.pieces,
	                    .piece_bytes = sizeof *l->pieces,
	                    .shapes = l->pieces[0].shapes};
	for (int c = 0; c < k->components; c++) {
		to->h[c] = k->h[c];
		to->v[c] = k->v[c];
		to->columns[c] = k->columns[c];
		to->rows[c] = l->rows[c];
		memcpy(to->across[c], k->across[c], sizeof to->across[c]);
	}
	p->coding = XC_GPU_JPEG;
	p->jpeg = to;
	p->list = l->segments;
	p->segments = l->plan.bands * l->plan.tiles;
	p->jpeg_rounding = 1;
}
