/* SPDX-License-Identifier: BSD-2-Clause */
/* From a plan to a job: its fixed part, and the layout of scratch. Plain host arithmetic, for the
 * module and for the tests that run the kernels on the host. */
#ifndef XC_GPU_ENCODE_LAYOUT_H
#define XC_GPU_ENCODE_LAYOUT_H

#include <string.h>

#include "entropy/scan.h"
#include "gpu/encode/code.h"
#include "gpu/encode/coefficients.h"
#include "gpu/runtime/device.h"

/* Bytes of the arena that a segment may take beyond its size. */
enum { XC_GPU_ARENA_EXTRA = 16 + XC_GPU_SEGMENT_SLACK };

/* MCUs of one thread block of the forward kernel, for one block a thread. */
static inline uint32_t xc_gpu_span(const xc_geometry *g)
{
	const uint32_t blocks = g->components == 1 ? 1 : (uint32_t)(g->h * g->v) + 2;
	return XC_GPU_FORWARD_CTA / blocks;
}

/* Rows of MCUs of a thread block. With a lapped transform it takes several, which reduces the halo
 * samples computed twice. Shared memory stays far below the 64 KiB that every GPU has. */
static inline uint32_t xc_gpu_tall(const xc_geometry *g, xc_transform transform)
{
	return transform == XC_TRANSFORM_DCT ? 1 : g->components > 1 && g->h == 2 ? 2 : 4;
}

/* The members about the choice of values. */
static inline void xc_gpu_encode_job_rdo(xc_gpu_encode_job *j, const xc_gpu_encode_plan *p)
{
	const xc_gpu_rdo_plan *w = &p->rdo;
	static const uint8_t scan[64] = {XC_SCAN_TABLE};
	const uint32_t tables = j->components == 1 ? 1 : 2;

	if (!j->ranses)
		return;
	if (w->activity) {
		j->activity = *w->activity;
		for (int k = 0; k < 64; k++)
			j->ratios[k] = w->activity->ratio[scan[k]];
	}
	j->decides = w->decision != NULL;
	j->rounding = w->dead_zone ? XC_DEAD_ZONE_ROUNDING : XC_STEP_PARTS / 2;
	j->predicted = (uint32_t)w->predicts_ac;
	memcpy(j->ac_prediction, w->ac_prediction, sizeof j->ac_prediction);
	j->pointed = j->tiles < j->piece_tiles ? j->tiles : j->piece_tiles;
	j->points_at = (uint32_t)(w->quant_end - 4 - tables);
	j->quant_crc = 0xffffffffu;
	for (size_t i = w->quant_at; i < j->points_at; i++)
		j->quant_crc = xc_crc_byte(j->quant_crc, p->prefix[i]);
}

/* Sets all that is constant between calls, except pointers. */
static inline void xc_gpu_encode_job_init(xc_gpu_encode_job *j, const xc_gpu_encode_plan *p)
{
	const xc_geometry *g = &p->geometry;

	memset(j, 0, sizeof *j);
	j->channels = p->channels;
	j->depth = p->depth;
	j->transform = p->transform;
	j->width = g->width;
	j->height = g->height;
	j->components = (uint32_t)g->components;
	j->h = (uint32_t)g->h;
	j->v = (uint32_t)g->v;
	j->mcus_wide = g->mcus_wide;
	j->mcus_high = g->mcus_high;
	j->mcu_blocks = j->components == 1 ? 1 : j->h * j->v + 2;
	j->mcus = g->mcus_wide * g->mcus_high;
	j->tile_wide = g->tile_mcus_wide;
	j->tile_high = g->tile_mcus_high;
	j->tiles_wide = g->tiles_wide;
	j->tiles = g->tiles_wide * g->tiles_high;
	j->piece_count = xc_geometry_pieces(g);
	j->piece_tiles = xc_geometry_piece_rows(g) * g->tiles_wide;
	j->blocks = j->mcus * j->mcu_blocks;
	j->cta = XC_GPU_FORWARD_CTA;
	j->tall = xc_gpu_tall(g, p->transform);
	j->span = xc_gpu_span(g) / j->tall;
	memcpy(j->quant, p->tables, sizeof j->quant);
	j->prefix_size = (uint32_t)p->prefix_size;
	j->code_bytes = XC_GPU_MIN_SHARED;
	j->ranses = p->rans != NULL;
	j->optimized = (uint32_t)p->optimized;
	xc_gpu_encode_job_rdo(j, p);
	j->mixes = p->colours != NULL;
	if (p->colours)
		memcpy(j->mix, p->colours, sizeof j->mix);
}

/* Returns 1 if eight pixels from any multiple of eight in a row can be loaded 8 bytes at a time. */
static inline uint32_t xc_gpu_aligned_pixels(const xc_cuda_pictures *p)
{
	return (uintptr_t)p->data % 8 == 0 && p->stride % 8 == 0 &&
	       (p->count == 1 || p->distance % 8 == 0);
}

/* Sets the job's pointers into scratch for `count` pictures; returns the bytes taken. */
static inline size_t xc_gpu_encode_lay_out(xc_gpu_encode_job *j, uint32_t count, size_t capacity,
                                           void *scratch)
{
	char *const base = (char *)scratch;
	const size_t blocks = xc_gpu_room_of_blocks((size_t)j->blocks * count);
	const size_t tiles = (size_t)j->tiles * count;
	size_t used = 0;

	j->states = (xc_gpu_picture_state *)xc_gpu_partition(base, &used, count * sizeof *j->states);
	j->pieces = (xc_gpu_file_piece *)xc_gpu_partition(base, &used,
	                                                  (size_t)count * j->piece_count *
	                                                      sizeof *j->pieces);
	j->codes = NULL;
	if (j->optimized)
		j->codes = (xc_gpu_codes *)xc_gpu_partition(base, &used, count * sizeof *j->codes);
	j->symbols = j->records = NULL;
	j->flags = j->sums = j->block_bits = j->raw = j->raw_bits = NULL;
	j->signs = NULL;
	if (j->ranses) {
		j->symbols = (xc_gpu_vec16 *)xc_gpu_partition(base, &used, blocks * 32);
		j->records = (xc_gpu_vec16 *)xc_gpu_partition(base, &used, blocks * 64);
		j->flags = (uint32_t *)xc_gpu_partition(base, &used, blocks * 4);
		j->sums = (uint32_t *)xc_gpu_partition(base, &used, blocks * 4);
		j->block_bits = (uint32_t *)xc_gpu_partition(base, &used, blocks * 4);
		j->signs = (uint64_t *)xc_gpu_partition(base, &used, blocks * 8);
		j->raw = (uint32_t *)xc_gpu_partition(base, &used, blocks * (j->depth == 16 ? 256 : 128));
		j->raw_bits = (uint32_t *)xc_gpu_partition(base, &used, tiles * 4);
	}
	j->sizes = (uint32_t *)xc_gpu_partition(base, &used, tiles * 4);
	j->units = (uint32_t *)xc_gpu_partition(base, &used, tiles * 4);
	j->offsets = (uint64_t *)xc_gpu_partition(base, &used, tiles * 8);
	j->counts = (uint8_t *)xc_gpu_partition(base, &used, blocks);
	j->dc = (int32_t *)xc_gpu_partition(base, &used, blocks * 4);
	j->arena_bytes = (capacity + (size_t)j->tiles * XC_GPU_ARENA_EXTRA + 255) / 256 * 256;
	j->arena = (uint8_t *)xc_gpu_partition(base, &used, j->arena_bytes * count);
	j->tokens = xc_gpu_partition(base, &used, blocks * XC_GPU_AC_SLOTS * (j->depth == 16 ? 4 : 2));
	return used;
}

/* Sets what one call adds. */
static inline void xc_gpu_encode_job_call(xc_gpu_encode_job *j, const xc_cuda_pictures *pictures,
                                          const xc_cuda_files *files)
{
	j->pixels = (const uint8_t *)pictures->data;
	j->stride = pictures->stride;
	j->distance = pictures->distance;
	j->fast_loads = xc_gpu_aligned_pixels(pictures);
	j->files = (uint8_t *)files->data;
	j->capacity = files->distance;
	j->file_sizes = files->sizes;
}

#endif
