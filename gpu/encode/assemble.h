/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last kernel. Of a segment one warp works out the CRC, and writes its index entry, while
 * another copies it from the arena to its place in the file. Each thread block adds its segments'
 * shares, all of one piece, to the CRCs of INDX and DATA. The thread block that finishes last
 * writes the CRCs, and DONE.
 */
#ifndef XC_GPU_ENCODE_ASSEMBLE_H
#define XC_GPU_ENCODE_ASSEMBLE_H

#include "gpu/encode/head.h"

enum { XC_GPU_ASSEMBLE_TILES = 8 }; /* that a thread block takes */

typedef struct xc_gpu_assemble_shared {
	uint32_t tables[4][256];
	uint32_t share[2]; /* of the thread block's segments, in the CRCs of DATA and INDX */
} xc_gpu_assemble_shared;

/* Thread blocks that a piece takes. */
XC_GPU_INLINE uint32_t xc_gpu_assemble_ctas(const xc_gpu_encode_job *j)
{
	return (j->piece_tiles + XC_GPU_ASSEMBLE_TILES - 1) / XC_GPU_ASSEMBLE_TILES;
}

/* The tiles of a thread block, those before `end` that is, in its piece. */
typedef struct xc_gpu_assemble_range {
	uint32_t piece, first, end;
} xc_gpu_assemble_range;

XC_GPU_INLINE xc_gpu_assemble_range xc_gpu_assemble_range_of(const xc_gpu_encode_job *j,
                                                             uint32_t cta)
{
	const uint32_t ctas = xc_gpu_assemble_ctas(j), piece = cta / ctas;
	const uint32_t begin = piece * j->piece_tiles;
	const xc_gpu_assemble_range r = {piece, begin + cta % ctas * XC_GPU_ASSEMBLE_TILES,
	                                 begin + xc_gpu_tiles_of(j, piece)};

	return r;
}

XC_GPU_INLINE xc_gpu_file_piece *xc_gpu_file_piece_at(const xc_gpu_encode_job *j, uint32_t picture,
                                                      uint32_t piece)
{
	return &j->pieces[(size_t)picture * j->piece_count + piece];
}

XC_GPU_INLINE void xc_gpu_assemble_begin(const xc_gpu_encode_job *j, xc_cta t,
                                         xc_gpu_assemble_shared *s)
{
	for (uint32_t i = t.rank; i < 1024; i += t.size)
		(&s->tables[0][0])[i] = (&j->crc->tables[0][0])[i];
	for (uint32_t i = t.rank; i < 2; i += t.size)
		s->share[i] = 0;
}

XC_GPU_INLINE const uint32_t *xc_gpu_arena_segment(const xc_gpu_encode_job *j, uint32_t picture,
                                                   uint32_t tile)
{
	return (const uint32_t *)(const void *)(j->arena + picture * j->arena_bytes +
	                                        (size_t)j->units[(size_t)picture * j->tiles + tile] *
	                                            16);
}

/* A lane's part of copying `size` bytes to any address: 16 at a time, and single
 * ones at both ends. */
XC_GPU_INLINE void xc_gpu_copy_segment(uint8_t *to, const uint32_t *from, uint32_t size,
                                       uint32_t lane)
{
	enum { AT_ONCE = 2, N = XC_GPU_VEC16_WORDS }; /* loads of both vec16s are under way together */
	const uint32_t odd = (uint32_t)((16 - (uintptr_t)to % 16) % 16), head = odd < size ? odd : size;
	const uint32_t vecs = (size - head) / 16, tail = head + vecs * 16;
	const uint32_t end = lane < 16 ? head : size, byte = lane < 16 ? lane : tail + lane - 16;
	uint32_t *const out = (uint32_t *)(void *)(to + head);

	for (uint32_t i = lane; i < vecs; i += AT_ONCE * XC_WARP_LANES) {
		uint32_t w[AT_ONCE][N];
		XC_UNROLL
		for (uint32_t k = 0, g = i; k < AT_ONCE; k++, g += XC_WARP_LANES) {
			XC_UNROLL
			for (uint32_t j = 0; j < N; j++)
				if (g < vecs)
					w[k][j] = xc_crc_unaligned(from, head + 16 * g + 4 * j);
		}
		XC_UNROLL
		for (uint32_t k = 0, g = i; k < AT_ONCE; k++, g += XC_WARP_LANES)
			if (g < vecs)
				xc_gpu_store_vec16(out + N * g, w[k]);
	}
	if (byte < end)
		to[byte] = (uint8_t)(from[byte / 4] >> byte % 4 * 8);
}

/* A lane's part of copying a tile's segment. */
XC_GPU_INLINE void xc_gpu_assemble_copy(const xc_gpu_encode_job *j, uint32_t picture,
                                        uint32_t piece, uint32_t tile, uint32_t lane)
{
	const xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, picture, piece);
	const size_t at = (size_t)picture * j->tiles + tile;

	xc_gpu_copy_segment(j->files + picture * j->capacity + p->data_at + j->offsets[at],
	                    xc_gpu_arena_segment(j, picture, tile), j->sizes[at], lane);
}

/* A lane's part of what follows from the CRC of a tile's segment: the index entry, and the shares
 * in the CRCs of DATA (lane 0) and INDX (lane 1). */
XC_GPU_INLINE void xc_gpu_assemble_crc(const xc_gpu_encode_job *j, uint32_t picture,
                                       xc_gpu_assemble_range r, uint32_t tile, uint32_t crc,
                                       uint32_t lane, xc_gpu_assemble_shared *s)
{
	const xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, picture, r.piece);
	const uint32_t size = j->sizes[(size_t)picture * j->tiles + tile], width = p->width;
	const uint64_t entry = size | (uint64_t)(crc & 0xffff) << 8 * width;

	if (lane < width + 2)
		j->files[picture * j->capacity + p->index_at +
		         (uint64_t)(tile - r.piece * j->piece_tiles) * (width + 2) + lane] =
			(uint8_t)(entry >> 8 * lane);
	if (lane < 2) {
		const uint32_t bytes = lane ? width + 2 : 4;
		const uint32_t own = xc_crc_bytes(0, lane ? entry : crc, bytes);
		XC_ATOMIC_XOR(&s->share[lane],
		              xc_crc_multiply(own, *xc_gpu_tile_power(j, bytes, r.end - 1 - tile)));
	}
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
