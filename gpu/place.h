/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last kernel: a warp takes a segment, calculates its CRC, copies it from the arena
 * to its place in the file and writes its entry of the index.  The team that finishes
 * last then adds the two CRCs that need all segments, and DONE.
 */
#ifndef XC_GPU_PLACE_H
#define XC_GPU_PLACE_H

#include "gpu/layout.h"

typedef struct xc_gpu_place_shared {
	uint32_t tables[1024];
	uint32_t index_crc, data_crc, last;
} xc_gpu_place_shared;

XC_GPU_INLINE const uint32_t *xc_gpu_segment(const xc_gpu_encode_job *j, uint32_t picture,
                                             uint32_t tile)
{
	return (const uint32_t *)(const void *)(j->arena + picture * j->arena_bytes +
	                                        (size_t)j->places[(size_t)picture * j->tiles + tile] *
	                                                16);
}

/* Lane's part of copying `size` bytes to any address: whole words, and single bytes at
 * both ends. */
XC_GPU_INLINE void xc_gpu_copy_segment(uint8_t *to, const uint32_t *from, uint32_t size,
                                       uint32_t lane)
{
	const uint32_t odd = (uint32_t)((4 - (uintptr_t)to % 4) % 4), head = odd < size ? odd : size;
	const uint32_t words = (size - head) / 4, tail = head + words * 4;
	uint32_t *const out = (uint32_t *)(void *)(to + head);
	if (lane < head)
		to[lane] = (uint8_t)(from[0] >> 8 * lane);
	for (uint32_t i = lane; i < words; i += 32)
		out[i] = xc_crc_unaligned(from, head + 4 * i);
	if (tail + lane < size)
		to[tail + lane] = (uint8_t)(from[(tail + lane) / 4] >> (tail + lane) % 4 * 8);
}

/* A lane's part of a segment, but for its CRC, which the whole warp has found. */
XC_GPU_INLINE void xc_gpu_place_lane(const xc_gpu_encode_job *j, uint32_t picture, uint32_t tile,
                                     uint32_t crc, uint32_t lane)
{
	const xc_gpu_picture_state *const state = &j->states[picture];
	const size_t at = (size_t)picture * j->tiles + tile;
	uint8_t *const file = j->files + picture * j->capacity;
	const uint32_t size = j->sizes[at], width = state->width;
	if (lane == 0)
		j->crcs[at] = crc;
	if (lane < width + 2)
		file[state->index_at + (uint64_t)tile * (width + 2) + lane] =
		        (uint8_t)(lane < width ? size >> 8 * lane : crc >> 8 * (lane - width));
	xc_gpu_copy_segment(file + state->data_at + j->offsets[at],
	                    xc_gpu_segment(j, picture, tile), size, lane);
}

/* An entry of the index as a number. */
XC_GPU_INLINE uint64_t xc_gpu_entry(const xc_gpu_encode_job *j, size_t at, uint32_t width)
{
	return j->sizes[at] | (uint64_t)(j->crcs[at] & 0xffff) << 8 * width;
}

/* Once all segments are placed, by one team. */
XC_GPU_INLINE void xc_gpu_finish(const xc_gpu_encode_job *j, xc_team t, uint32_t picture,
                                 xc_gpu_place_shared *s)
{
	const xc_gpu_picture_state *const state = &j->states[picture];
	uint8_t *const file = j->files + picture * j->capacity;
	const size_t first = (size_t)picture * j->tiles;
	const uint32_t width = state->width;
	if (t.rank == 0)
		s->index_crc = s->data_crc = 0;
	XC_TEAM_SYNC();
	XC_TEAM_CRC(j->crc, t, state->index_crc, j->tiles, width + 2,
	            xc_gpu_entry(j, first + i, width), &s->index_crc);
	XC_TEAM_CRC(j->crc, t, state->data_crc, j->tiles, 4u, j->crcs[first + i], &s->data_crc);
	XC_TEAM_SYNC();
	if (t.rank)
		return;
	const uint8_t done[9] = {'D', 'O', 'N', 'E', 0, 0x44, 0x51, 0x3e, 0x5a};
	uint8_t *end = file + state->data_at + state->total;
	xc_gpu_store_u32(file + state->index_at + (uint64_t)j->tiles * (width + 2), ~s->index_crc);
	xc_gpu_store_u32(end, ~s->data_crc);
	for (int i = 0; i < 9; i++)
		end[4 + i] = done[i];
}

#endif
