/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last kernel: a warp takes a segment, works out its CRC, copies it from the arena to its place
 * in the file and writes its index entry.  Each team adds its segments' shares to the CRCs of INDX
 * and DATA.  The team that finishes last writes both CRCs, and DONE.
 */
#ifndef XC_GPU_ENCODE_PLACE_H
#define XC_GPU_ENCODE_PLACE_H

#include "gpu/encode/head.h"

enum { XC_GPU_PLACE_TILES = 8 }; /* that a team takes */

typedef struct xc_gpu_place_shared {
	uint32_t tables[4][256];
	uint32_t powers[XC_CRC_POWERS];
	uint32_t crcs[XC_GPU_PLACE_TILES];
	uint32_t last;
} xc_gpu_place_shared;

XC_GPU_INLINE void xc_gpu_place_begin(const xc_gpu_encode_job *j, xc_team t, xc_gpu_place_shared *s)
{
	for (uint32_t i = t.rank; i < 1024; i += t.size)
		(&s->tables[0][0])[i] = (&j->crc->tables[0][0])[i];
	for (uint32_t i = t.rank; i < XC_CRC_POWERS; i += t.size)
		s->powers[i] = j->crc->bytes[i];
}

XC_GPU_INLINE const uint32_t *xc_gpu_arena_segment(const xc_gpu_encode_job *j, uint32_t picture,
                                                   uint32_t tile)
{
	return (const uint32_t *)(const void *)(j->arena + picture * j->arena_bytes +
	                                        (size_t)j->places[(size_t)picture * j->tiles + tile] *
	                                            16);
}

/* A lane's part of copying `size` bytes to any address: words, and single bytes at both ends. */
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
	if (lane < width + 2)
		file[state->index_at + (uint64_t)tile * (width + 2) + lane] =
			(uint8_t)(lane < width ? size >> 8 * lane : crc >> 8 * (lane - width));
	xc_gpu_copy_segment(file + state->data_at + j->offsets[at],
	                    xc_gpu_arena_segment(j, picture, tile), size, lane);
}

/* The shares of the team's tiles, whose CRCs are in s->crcs, in the CRCs of DATA (threads below
 * XC_GPU_PLACE_TILES) and of INDX (as many threads after them). */
XC_GPU_INLINE uint32_t xc_gpu_place_share(const xc_gpu_encode_job *j, uint32_t picture,
                                          uint32_t first_tile, uint32_t rank,
                                          const xc_gpu_place_shared *s)
{
	const uint32_t i = rank % XC_GPU_PLACE_TILES, tile = first_tile + i;
	const uint32_t width = j->states[picture].width;
	if (tile >= j->tiles)
		return 0;
	const uint64_t after = j->tiles - 1 - tile;
	if (rank < XC_GPU_PLACE_TILES)
		return xc_crc_share(s->powers, s->crcs[i], 4, after * 4);
	const uint64_t entry = j->sizes[(size_t)picture * j->tiles + tile] |
	                       (uint64_t)(s->crcs[i] & 0xffff) << 8 * width;
	return xc_crc_share(s->powers, entry, width + 2, after * (width + 2));
}

/* Once all segments are placed: what is left, by one thread. */
XC_GPU_INLINE void xc_gpu_finish(const xc_gpu_encode_job *j, uint32_t picture)
{
	const xc_gpu_picture_state *const state = &j->states[picture];
	uint8_t *const file = j->files + picture * j->capacity;
	const uint8_t done[9] = {'D', 'O', 'N', 'E', 0, 0x44, 0x51, 0x3e, 0x5a};
	uint8_t *const end = file + state->data_at + state->total;
	xc_gpu_store_u32(file + state->index_at + (uint64_t)j->tiles * (state->width + 2),
	                 ~state->index_crc);
	xc_gpu_store_u32(end, ~state->data_crc);
	for (int i = 0; i < 9; i++)
		end[4 + i] = done[i];
}

#endif
