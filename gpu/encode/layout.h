/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a batch to jobs: its pictures in groups, one for each set of launches, and the layout of scratch.
 * Plain host arithmetic, for the module and for the tests that run the kernels on the host.
 *
 * A group has pictures of one kind that are aligned alike. Scratch begins with what is copied to it: the
 * groups' lists of pictures, and prefixes that are not on the device yet. The arrays of each group follow.
 */
#ifndef XC_GPU_ENCODE_LAYOUT_H
#define XC_GPU_ENCODE_LAYOUT_H

#include <string.h>

#include "entropy/scan.h"
#include "gpu/encode/container/assemble.h"
#include "gpu/encode/decide/decide.h"
#include "gpu/encode/pixels/forward.h"
#include "gpu/encode/rans/interleave.h"
#include "gpu/runtime/device.h"

enum {
	XC_GPU_ARENA_EXTRA = 16 + XC_GPU_SEGMENT_SLACK, /* of the arena, beyond a segment's size */
	/* Scratch for a kind's second group: a group's arrays begin at multiples of 256 bytes. */
	XC_GPU_GROUP_SLACK = 24 * 256
};

/* `rans encode` with few tiles a multiprocessor. FEW: each tile has its own warp and need not wait for
 * another's symbols. VERY_FEW: one kernel with `interleave`, if the times fit in shared memory. */
enum { XC_GPU_FEW_TILES = 4, XC_GPU_VERY_FEW_TILES = 2, XC_GPU_MAX_TIMES = 5000 };

/* MCUs of one thread block of the forward kernel, for one block a thread. */
static inline uint32_t xc_gpu_span(const xc_gpu_encode_kind *k)
{
	return XC_GPU_FORWARD_CTA / (k->components == 1 ? 1 : k->h * k->v + 2);
}

/* Rows of MCUs of a thread block. With a lapped transform it takes several, which reduces the halo
 * samples computed twice. Shared memory stays far below the 64 KiB that every GPU has. */
static inline uint32_t xc_gpu_tall(const xc_gpu_encode_kind *k)
{
	return k->transform == XC_TRANSFORM_DCT ? 1 : k->components > 1 && k->h == 2 ? 2 : 4;
}

/* The members about the choice of values. */
static inline void xc_gpu_encode_job_rdo(xc_gpu_encode_job *j, const xc_gpu_rdo_plan *w)
{
	static const uint8_t scan[64] = {XC_SCAN_TABLE};

	if (w->decides) {
		j->rans.activity = w->activity;
		for (int k = 0; k < 64; k++)
			j->rans.ratios[k] = w->activity.ratio[scan[k]];
	}
	j->rans.decides = (uint32_t)w->decides;
	j->rans.rounding = w->dead_zone ? XC_DEAD_ZONE_ROUNDING : XC_STEP_PARTS / 2;
	j->rans.predicted = (uint32_t)w->predicts_ac;
	memcpy(j->rans.ac_prediction, w->ac_prediction, sizeof j->rans.ac_prediction);
}

/* Sets what pictures of a kind share, except pointers. */
static inline void xc_gpu_encode_job_init(xc_gpu_encode_job *j, const xc_gpu_encode_kind *k)
{
	j->channels = k->channels;
	j->depth = k->depth;
	j->transform = k->transform;
	j->components = k->components;
	j->h = k->h;
	j->v = k->v;
	j->mcu_blocks = k->components == 1 ? 1 : k->h * k->v + 2;
	j->cta = XC_GPU_FORWARD_CTA;
	j->tall = xc_gpu_tall(k);
	j->span = xc_gpu_span(k) / j->tall;
	memcpy(j->quant, k->tables, sizeof j->quant);
	j->ranses = (uint32_t)k->rans;
	j->huffman.optimized = (uint32_t)k->optimized;
	if (k->rans)
		xc_gpu_encode_job_rdo(j, &k->rdo);
	j->mixes = (uint32_t)k->mixes;
	memcpy(j->mix, k->colours, sizeof j->mix);
}

/* Sets what a picture's shape says. runs: the picture is to be encoded, not just measured. */
static inline void xc_gpu_encode_picture_shape(const xc_gpu_encode_job *j,
                                               const xc_gpu_encode_batch *b, uint32_t shape,
                                               int runs, xc_gpu_encode_picture *p)
{
	const xc_gpu_encode_shape *const s = &b->shapes[shape];
	const xc_geometry *g = &s->geometry;
	const uint32_t tables = j->components == 1 ? 1 : 2;

	p->width = g->width;
	p->height = g->height;
	p->mcus_wide = g->mcus_wide;
	p->mcus_high = g->mcus_high;
	p->mcus = g->mcus_wide * g->mcus_high;
	p->tile_wide = g->tile_mcus_wide;
	p->tile_high = g->tile_mcus_high;
	p->tiles_wide = g->tiles_wide;
	p->tiles = g->tiles_wide * g->tiles_high;
	p->piece_count = xc_geometry_pieces(g);
	p->piece_tiles = xc_geometry_piece_rows(g) * g->tiles_wide;
	p->blocks = p->mcus * j->mcu_blocks;
	p->prefix_size = (uint32_t)s->prefix_size;
	p->points_at = p->quant_crc = p->pointed = 0;
	if (!j->ranses)
		return;
	p->pointed = p->tiles < p->piece_tiles ? p->tiles : p->piece_tiles;
	p->points_at = (uint32_t)(s->quant_end - 4 - tables);
	p->quant_crc = 0xffffffffu;
	for (size_t i = s->quant_at; runs && i < p->points_at; i++)
		p->quant_crc = xc_crc_byte(p->quant_crc, b->prefixes[s->prefix_at + i]);
}

static inline size_t xc_gpu_arena_bytes(size_t room, uint32_t tiles)
{
	return (room + (size_t)tiles * XC_GPU_ARENA_EXTRA + 255) / 256 * 256;
}

/* Whether eight pixels from any multiple of eight in a row can be loaded 8 bytes at a time. */
static inline uint32_t xc_gpu_aligned_pixels(const xc_gpu_encode_picture_plan *p)
{
	return (uintptr_t)p->pixels % 8 == 0 && p->stride % 8 == 0 && p->stride <= UINT32_MAX;
}

/* ------------------------------------------------------------------ grids */

/* Whether there are at most `each` tiles a multiprocessor. */
static inline int xc_gpu_are_few(const xc_gpu_encode_job *j, uint64_t tiles, uint32_t each)
{
	return tiles <= each * (uint64_t)j->multiprocessors;
}

/* Tiles of a thread block that codes: more than one only if all multiprocessors have enough tiles. */
static inline uint32_t xc_gpu_code_run_tiles(const xc_gpu_encode_job *j, uint64_t tiles)
{
	const uint64_t enough = (uint64_t)j->multiprocessors * 16;
	return tiles < 2 * enough ? 1 : tiles < 8 * enough ? (uint32_t)(tiles / enough) : 8;
}

/* Sets what depends on how many tiles all pictures have, and how large the largest are. */
static inline void xc_gpu_encode_job_size(xc_gpu_encode_job *j, uint64_t tiles)
{
	const int few = xc_gpu_are_few(j, tiles, XC_GPU_FEW_TILES);

	j->huffman.run = xc_gpu_code_run_tiles(j, tiles);
	j->rans.cta_tiles = few ? 1 : XC_GPU_RANS_CTA_TILES;
	j->rans.together = xc_gpu_are_few(j, tiles, XC_GPU_VERY_FEW_TILES) &&
	                   j->rans.times <= XC_GPU_MAX_TIMES;
}

static inline uint32_t xc_gpu_forward_grid(const xc_gpu_encode_job *j)
{
	xc_gpu_encode_job c;

	if (!xc_gpu_common(j))
		return xc_gpu_forward_ctas(j);
	c = *j;
	xc_gpu_make_common(&c, j->h, j->transform);
	return xc_gpu_forward_ctas(&c);
}

/* Sets the thread blocks of a job's picture in each grid. */
static inline void xc_gpu_encode_grids(const xc_gpu_encode_job *j,
                                       uint32_t ctas[XC_GPU_ENCODE_GRIDS])
{
	const uint32_t tiles = j->picture.tiles;

	memset(ctas, 0, XC_GPU_ENCODE_GRIDS * sizeof *ctas);
	ctas[XC_GPU_GRID_FORWARD] = xc_gpu_forward_grid(j);
	ctas[XC_GPU_GRID_TILES] = tiles;
	ctas[XC_GPU_GRID_PICTURES] = 1;
	ctas[XC_GPU_GRID_SEGMENTS] = xc_gpu_assemble_ctas(j) * j->picture.piece_count;
	if (j->ranses) {
		ctas[XC_GPU_GRID_SLICES] = tiles * xc_gpu_slices(j);
		ctas[XC_GPU_GRID_DECISIONS] = tiles * xc_gpu_decide_ctas(j);
		ctas[XC_GPU_GRID_CONTEXTS] = tiles * (xc_gpu_context_ctas(j) + 1);
		ctas[XC_GPU_GRID_WARPS] = (tiles + j->rans.cta_tiles - 1) / j->rans.cta_tiles;
	} else {
		ctas[XC_GPU_GRID_CODES] = j->components == 1 ? 2 : 4;
		ctas[XC_GPU_GRID_RUNS] = (tiles + j->huffman.run - 1) / j->huffman.run;
	}
}

/* ------------------------------------------------------------------ scratch */

/* What the pictures of a group have together. */
typedef struct xc_gpu_encode_totals {
	size_t pictures, blocks, tiles, pieces, arena;
} xc_gpu_encode_totals;

/* Sets the job's pointers into scratch, from *used on, which grows. */
static inline void xc_gpu_encode_lay_out(xc_gpu_encode_job *j, const xc_gpu_encode_totals *n,
                                         char *base, size_t *used)
{
	const uint64_t blocks = n->blocks, tiles = n->tiles;

	j->out.state = (xc_gpu_picture_state *)xc_gpu_partition(base, used,
	                                                        n->pictures * sizeof *j->out.state);
	j->out.pieces = (xc_gpu_file_piece *)xc_gpu_partition(base, used,
	                                                      n->pieces * sizeof *j->out.pieces);
	j->huffman.codes = NULL;
	if (j->huffman.optimized)
		j->huffman.codes = (xc_gpu_codes *)xc_gpu_partition(base, used,
		                                                    n->pictures * sizeof *j->huffman.codes);
	if (j->ranses) {
		j->rans.symbols = (xc_gpu_vec16 *)xc_gpu_partition(base, used, blocks * 32);
		j->rans.contexts = (xc_gpu_vec16 *)xc_gpu_partition(base, used, blocks * 64);
		j->rans.flag_contexts = (uint32_t *)xc_gpu_partition(base, used, blocks * 4);
		j->rans.sums = (uint32_t *)xc_gpu_partition(base, used, blocks * 4);
		j->rans.raw_counts = (uint32_t *)xc_gpu_partition(base, used, blocks * 4);
		j->rans.signs = (uint64_t *)xc_gpu_partition(base, used, blocks * 8);
		j->rans.raw = (uint32_t *)xc_gpu_partition(base, used, blocks * 4 * xc_gpu_raw_words(j));
		j->rans.raw_bits = (uint32_t *)xc_gpu_partition(base, used, tiles * 4);
	}
	j->out.sizes = (uint32_t *)xc_gpu_partition(base, used, tiles * 4);
	j->out.units = (uint32_t *)xc_gpu_partition(base, used, tiles * 4);
	j->out.offsets = (uint64_t *)xc_gpu_partition(base, used, tiles * 8);
	j->huffman.counts = (uint8_t *)xc_gpu_partition(base, used, blocks);
	j->dc = (int32_t *)xc_gpu_partition(base, used, blocks * 4);
	j->out.arena = (uint8_t *)xc_gpu_partition(base, used, n->arena);
	j->slots.numbers = (xc_gpu_vec16 *)xc_gpu_partition(base, used,
	                                                    blocks * 16 *
	                                                        xc_gpu_slot_vecs(j->depth == 16));
}

/* A batch in groups. The arrays are the caller's: groups has room for two a kind, order and list for all
 * pictures. */
typedef struct xc_gpu_encode_groups {
	xc_gpu_encode_group *groups; /* some may be empty */
	uint32_t *order;             /* pictures, group by group */
	xc_gpu_encode_picture *list; /* likewise */
	uint32_t count;              /* of groups */
	size_t list_at;              /* in scratch, after the prefixes */
	size_t upload;               /* bytes that are copied to the beginning of scratch */
	size_t size;                 /* of scratch; SIZE_MAX: it cannot be addressed */
	uint32_t piece_tiles;        /* the maximum of all pictures */
} xc_gpu_encode_groups;

static inline xc_gpu_encode_group *xc_gpu_encode_group_of(const xc_gpu_encode_groups *g,
                                                          const xc_gpu_encode_picture_plan *p)
{
	return &g->groups[2 * p->kind + xc_gpu_aligned_pixels(p)];
}

/* Puts pictures in the order of groups, and begins these' jobs. fixed: what all jobs of an encoder have. */
static inline void xc_gpu_encode_sort(xc_gpu_encode_groups *g, const xc_gpu_encode_batch *b,
                                      const xc_gpu_encode_job *fixed)
{
	uint32_t at = 0;

	g->count = 2 * b->kind_count;
	for (uint32_t i = 0; i < g->count; i++)
		g->groups[i].count = 0;
	for (uint32_t i = 0; i < b->count; i++)
		xc_gpu_encode_group_of(g, &b->pictures[i])->count++;
	for (uint32_t i = 0; i < g->count; i++) {
		xc_gpu_encode_group *const group = &g->groups[i];
		group->first = at;
		at += group->count;
		if (!group->count)
			continue;
		group->job = *fixed;
		xc_gpu_encode_job_init(&group->job, &b->kinds[i / 2]);
		group->job.fast_loads = i % 2;
		group->job.count = group->count;
		group->count = 0;
	}
	for (uint32_t i = 0; i < b->count; i++) {
		xc_gpu_encode_group *const group = xc_gpu_encode_group_of(g, &b->pictures[i]);
		g->order[group->first + group->count++] = i;
	}
}

/* Sets the shapes of a group's pictures, and what its launches share. runs: as above. */
static inline xc_gpu_encode_totals xc_gpu_encode_measure(xc_gpu_encode_groups *g,
                                                         xc_gpu_encode_group *group,
                                                         const xc_gpu_encode_batch *b, int runs)
{
	xc_gpu_encode_job *const j = &group->job;
	xc_gpu_encode_picture *const list = g->list + group->first;
	xc_gpu_encode_totals n = {0, 0, 0, 0, 0};

	j->huffman.tile_blocks = j->rans.times = 0;
	for (uint32_t i = 0; i < group->count; i++) {
		const xc_gpu_encode_picture_plan *const plan = &b->pictures[g->order[group->first + i]];
		xc_gpu_encode_picture *const p = &list[i];
		if (i && b->pictures[g->order[group->first + i - 1]].shape == plan->shape)
			*p = list[i - 1];
		else
			xc_gpu_encode_picture_shape(j, b, plan->shape, runs, p);
		p->pixels = (const uint8_t *)plan->pixels;
		p->stride = plan->stride;
		p->file = (uint8_t *)plan->file;
		p->capacity = plan->room;
		p->file_size = plan->size;
		p->number = i;
		p->first_block = n.blocks;
		p->first_tile = n.tiles;
		p->first_piece = n.pieces;
		p->arena_at = n.arena;
		p->arena_bytes = xc_gpu_arena_bytes(plan->room, p->tiles);
		n.blocks += xc_gpu_room_of_blocks(p->blocks);
		n.tiles += p->tiles;
		n.pieces += p->piece_count;
		n.arena += p->arena_bytes;
		j->picture = *p;
		j->huffman.tile_blocks = xc_gpu_max(j->huffman.tile_blocks,
		                                    p->tile_wide * p->tile_high * j->mcu_blocks);
		j->rans.times = xc_gpu_max(j->rans.times, xc_gpu_interleave_all_times(j));
		g->piece_tiles = xc_gpu_max(g->piece_tiles, p->piece_tiles);
	}
	n.pictures = group->count;
	xc_gpu_encode_job_size(j, n.tiles);
	return n;
}

/* Counts the thread blocks before each picture, and in all. */
static inline void xc_gpu_encode_count_ctas(xc_gpu_encode_groups *g, xc_gpu_encode_group *group)
{
	xc_gpu_encode_picture *const list = g->list + group->first;
	uint32_t ctas[XC_GPU_ENCODE_GRIDS];

	memset(group->ctas, 0, sizeof group->ctas);
	for (uint32_t i = 0; i < group->count; i++) {
		group->job.picture = list[i];
		xc_gpu_encode_grids(&group->job, ctas);
		for (int k = 0; k < XC_GPU_ENCODE_GRIDS; k++) {
			list[i].first_cta[k] = (uint32_t)group->ctas[k];
			group->ctas[k] += ctas[k];
		}
	}
	group->job.picture = list[0];
}

/* Whether a group's pictures are of one shape and at equal distances, so that they need no list. */
static inline int xc_gpu_encode_alike(const xc_gpu_encode_groups *g, xc_gpu_encode_group *group,
                                      const xc_gpu_encode_batch *b)
{
	const xc_gpu_encode_picture_plan *const first = &b->pictures[g->order[group->first]];

	group->job.distance = 0;
	for (uint32_t i = 1; i < group->count; i++) {
		const xc_gpu_encode_picture_plan *const p = &b->pictures[g->order[group->first + i]];
		const size_t from = (size_t)((const char *)p->pixels - (const char *)first->pixels);
		if (i == 1)
			group->job.distance = from;
		if (p->shape != first->shape || p->stride != first->stride || p->room != first->room ||
		    from != i * group->job.distance || p->size != first->size + i ||
		    (char *)p->file != (char *)first->file + i * first->room)
			return 0;
	}
	return 1;
}

/*
 * Lays out a batch: sets all of *g but its arrays, their contents, and with `scratch` the jobs' pointers.
 * copied: host memory for the g->upload bytes that a call without scratch has found, which this one fills in;
 * NULL without scratch.
 */
static inline void xc_gpu_encode_groups_make(xc_gpu_encode_groups *g, const xc_gpu_encode_batch *b,
                                             const xc_gpu_encode_job *fixed, char *scratch,
                                             char *copied)
{
	const uint8_t *const prefixes = b->kept ? (const uint8_t *)b->kept : (uint8_t *)scratch;
	size_t used = 0;

	g->piece_tiles = 0;
	xc_gpu_encode_sort(g, b, fixed);
	xc_gpu_take_room(&used, b->kept ? 0 : b->prefix_bytes);
	g->list_at = xc_gpu_take_room(&used, b->count * sizeof *g->list);
	g->upload = b->kept ? 0 : b->prefix_bytes;
	if (copied && g->upload)
		memcpy(copied, b->prefixes, g->upload);
	for (uint32_t i = 0; i < g->count; i++) {
		xc_gpu_encode_group *const group = &g->groups[i];
		xc_gpu_encode_picture *const list = g->list + group->first;
		const size_t at = g->list_at + group->first * sizeof *list;
		if (!group->count) {
			xc_gpu_take_room(&used, XC_GPU_GROUP_SLACK);
			continue;
		}
		const xc_gpu_encode_totals n = xc_gpu_encode_measure(g, group, b, scratch != NULL);
		xc_gpu_encode_lay_out(&group->job, &n, scratch, &used);
		xc_gpu_encode_count_ctas(g, group);
		for (uint32_t k = 0; scratch && k < group->count; k++)
			list[k].prefix = prefixes +
			                 b->shapes[b->pictures[g->order[group->first + k]].shape].prefix_at;
		group->job.picture = list[0];
		if (xc_gpu_encode_alike(g, group, b))
			continue;
		g->upload = at + group->count * sizeof *list;
		group->job.list = (const xc_gpu_encode_picture *)(void *)(scratch ? scratch + at : NULL);
		if (copied)
			memcpy(copied + at, list, group->count * sizeof *list);
	}
	g->size = used;
}

#endif
