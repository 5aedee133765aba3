/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last kernel: a warp takes a segment, works out its CRC, copies it from the arena to its place
 * in the file and writes its index entry.  Each team adds its segments' shares, all of one piece, to
 * the CRCs of INDX and DATA.  The team that finishes last writes the CRCs, and DONE.
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

/* Teams that a piece takes. */
XC_GPU_INLINE uint32_t xc_gpu_place_teams(const xc_gpu_encode_job *j)
{
	return (j->piece_tiles + XC_GPU_PLACE_TILES - 1) / XC_GPU_PLACE_TILES;
}

/* The tiles of a team, those before `end` that is, in its piece. */
typedef struct xc_gpu_place_range {
	uint32_t piece, first, end;
} xc_gpu_place_range;

XC_GPU_INLINE xc_gpu_place_range xc_gpu_place_range_of(const xc_gpu_encode_job *j, uint32_t team)
{
	const uint32_t teams = xc_gpu_place_teams(j), piece = team / teams;
	const uint32_t begin = piece * j->piece_tiles;
	const xc_gpu_place_range r = {piece, begin + team % teams * XC_GPU_PLACE_TILES,
	                              begin + xc_gpu_tiles_of(j, piece)};
	return r;
}

XC_GPU_INLINE xc_gpu_file_piece *xc_gpu_file_piece_at(const xc_gpu_encode_job *j, uint32_t picture,
                                                      uint32_t piece)
{
	return &j->pieces[(size_t)picture * j->piece_count + piece];
}

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

/* A lane's part of copying `size` bytes to any address: 16 at a time, and single ones at both ends. */
XC_GPU_INLINE void xc_gpu_copy_segment(uint8_t *to, const uint32_t *from, uint32_t size,
                                       uint32_t lane)
{
	enum { AT_ONCE = 2, N = XC_GPU_GROUP_WORDS }; /* loads of both groups are under way together */
	const uint32_t odd = (uint32_t)((16 - (uintptr_t)to % 16) % 16), head = odd < size ? odd : size;
	const uint32_t groups = (size - head) / 16, tail = head + groups * 16;
	const uint32_t end = lane < 16 ? head : size, byte = lane < 16 ? lane : tail + lane - 16;
	uint32_t *const out = (uint32_t *)(void *)(to + head);
	for (uint32_t i = lane; i < groups; i += AT_ONCE * XC_WARP_LANES) {
		uint32_t w[AT_ONCE][N];
		XC_UNROLL
		for (uint32_t k = 0, g = i; k < AT_ONCE; k++, g += XC_WARP_LANES) {
			XC_UNROLL
			for (uint32_t j = 0; j < N; j++)
				if (g < groups)
					w[k][j] = xc_crc_unaligned(from, head + 16 * g + 4 * j);
		}
		XC_UNROLL
		for (uint32_t k = 0, g = i; k < AT_ONCE; k++, g += XC_WARP_LANES)
			if (g < groups)
				xc_gpu_store_group(out + N * g, w[k]);
	}
	if (byte < end)
		to[byte] = (uint8_t)(from[byte / 4] >> byte % 4 * 8);
}

/* A lane's part of a segment, but for its CRC, which the whole warp has found. */
XC_GPU_INLINE void xc_gpu_place_lane(const xc_gpu_encode_job *j, uint32_t picture, uint32_t piece,
                                     uint32_t tile, uint32_t crc, uint32_t lane)
{
	const xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, picture, piece);
	const size_t at = (size_t)picture * j->tiles + tile;
	uint8_t *const file = j->files + picture * j->capacity;
	const uint32_t size = j->sizes[at], width = p->width;
	if (lane < width + 2)
		file[p->index_at + (uint64_t)(tile - piece * j->piece_tiles) * (width + 2) + lane] =
			(uint8_t)(lane < width ? size >> 8 * lane : crc >> 8 * (lane - width));
	xc_gpu_copy_segment(file + p->data_at + j->offsets[at], xc_gpu_arena_segment(j, picture, tile),
	                    size, lane);
}

/* The shares of the team's tiles, whose CRCs are in s->crcs, in the CRCs of DATA (threads below
 * XC_GPU_PLACE_TILES) and of INDX (as many threads after them). */
XC_GPU_INLINE uint32_t xc_gpu_place_share(const xc_gpu_encode_job *j, uint32_t picture,
                                          xc_gpu_place_range r, uint32_t rank,
                                          const xc_gpu_place_shared *s)
{
	const uint32_t i = rank % XC_GPU_PLACE_TILES, tile = r.first + i;
	const uint32_t width = xc_gpu_file_piece_at(j, picture, r.piece)->width;
	if (tile >= r.end)
		return 0;
	const uint64_t after = r.end - 1 - tile;
	if (rank < XC_GPU_PLACE_TILES)
		return xc_crc_share(s->powers, s->crcs[i], 4, after * 4);
	const uint64_t entry = j->sizes[(size_t)picture * j->tiles + tile] |
	                       (uint64_t)(s->crcs[i] & 0xffff) << 8 * width;
	return xc_crc_share(s->powers, entry, width + 2, after * (width + 2));
}

/* Once all segments are placed: what is left, by one thread. */
XC_GPU_INLINE void xc_gpu_finish(const xc_gpu_encode_job *j, uint32_t picture)
{
	uint8_t *const file = j->files + picture * j->capacity;
	const uint8_t done[9] = {'D', 'O', 'N', 'E', 0, 0x44, 0x51, 0x3e, 0x5a};
	uint8_t *end = NULL;
	for (uint32_t i = 0; i < j->piece_count; i++) {
		const xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, picture, i);
		end = file + p->data_at + p->total + 4;
		xc_gpu_store_u32(file + p->index_at + (uint64_t)xc_gpu_tiles_of(j, i) * (p->width + 2),
		                 ~p->index_crc);
		xc_gpu_store_u32(end - 4, ~p->data_crc);
	}
	for (int i = 0; i < 9; i++)
		end[i] = done[i];
}

#endif
