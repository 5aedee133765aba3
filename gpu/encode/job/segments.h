/* SPDX-License-Identifier: BSD-2-Clause */
/* Segments between a coder and the container: room for them in a picture's share of the arena, in any order,
 * the picture's running results, and the pieces of its file. */
#ifndef XC_GPU_ENCODE_JOB_SEGMENTS_H
#define XC_GPU_ENCODE_JOB_SEGMENTS_H

#include "entropy/points.h"
#include "gpu/encode/job/job.h"

/* Zeroes the counters of later kernels. */
XC_GPU_INLINE void xc_gpu_clear_state(const xc_gpu_encode_job *j, xc_cta t)
{
	uint32_t *state = (uint32_t *)(void *)j->out.state;

	for (uint32_t i = t.rank; i < sizeof(xc_gpu_picture_state) / 4; i += t.size)
		state[i] = 0;
	for (uint32_t i = t.rank; j->huffman.codes && i < 2 * XC_GPU_LENGTHS; i += t.size)
		j->huffman.codes->counts[i / XC_GPU_LENGTHS][i % XC_GPU_LENGTHS] = 0;
}

/* The point of reconstruction of a class, as the file has it. */
XC_GPU_INLINE uint32_t xc_gpu_stored_points(const xc_gpu_encode_job *j, uint32_t chroma)
{
	const xc_gpu_picture_state *const s = j->out.state;
	xc_offsets o;

	for (int m = 0; m < 2; m++) {
		o.sum[m] = (int64_t)s->offset[chroma][m];
		o.count[m] = s->offsets[chroma][m];
	}
	const xc_value_points p = xc_offsets_points(&o);
	return (uint32_t)(p.one + 8) | (uint32_t)(p.more + 8) << 4;
}

/* Tiles of a piece. */
XC_GPU_INLINE uint32_t xc_gpu_tiles_of(const xc_gpu_encode_job *j, uint32_t piece)
{
	const uint32_t left = j->picture.tiles - piece * j->picture.piece_tiles;
	return left < j->picture.piece_tiles ? left : j->picture.piece_tiles;
}

/* x^(8 bytes count), for the CRCs of entries of `count` tiles, fewer than a piece has: 4 bytes each
 * in DATA, 4 to 6 in INDX. */
XC_GPU_INLINE const uint32_t *xc_gpu_tile_power(const xc_gpu_encode_job *j, uint32_t bytes,
                                                uint32_t count)
{
	return &j->tile_powers[(size_t)(bytes - 4) * j->power_count + count];
}

/* Makes the table for pieces of up to n tiles: 3 n numbers. */
static inline void xc_gpu_tile_powers_init(uint32_t n, const xc_crc_write_constants *crc,
                                           uint32_t *powers)
{
	for (uint32_t bytes = 4; bytes < 7; bytes++) {
		const uint32_t once = xc_crc_shift(crc->bytes, XC_CRC_ONE, bytes);
		uint32_t power = XC_CRC_ONE;
		for (uint32_t i = 0; i < n; i++, power = xc_crc_multiply(power, once))
			*powers++ = power;
	}
}

enum { XC_GPU_SEGMENT_SLACK = 8 /* bytes after a segment that may be read */ };

XC_GPU_INLINE size_t xc_gpu_arena_units(uint32_t bytes)
{
	return ((size_t)bytes + XC_GPU_SEGMENT_SLACK + 15) / 16;
}

/* Reserves room for a segment; returns its offset in units. */
XC_GPU_INLINE uint32_t xc_gpu_take_arena(const xc_gpu_encode_job *j, uint32_t bytes)
{
	return (uint32_t)XC_ATOMIC_ADD(&j->out.state->used,
	                               (unsigned long long)xc_gpu_arena_units(bytes));
}

XC_GPU_INLINE void xc_gpu_note_segment(const xc_gpu_encode_job *j, uint32_t tile, uint32_t unit,
                                       uint32_t bytes)
{
	j->out.sizes[tile] = bytes;
	j->out.units[tile] = unit;
}

/* The segment at offset `unit`; NULL: the arena is full. */
XC_GPU_INLINE uint32_t *xc_gpu_arena_at(const xc_gpu_encode_job *j, uint32_t unit, uint32_t bytes)
{
	return ((size_t)unit + xc_gpu_arena_units(bytes)) * 16 > j->picture.arena_bytes
	           ? NULL
	           : (uint32_t *)(void *)(j->out.arena + (size_t)unit * 16);
}

#endif
