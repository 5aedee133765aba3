/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last two kernels. The second: one warp computes the CRC of a segment and writes its index
 * entry, while another copies it from the arena to the file. Each thread block, whose segments are
 * all of one piece, adds their shares to the CRCs of INDX and DATA. The thread block that finishes
 * last writes the CRCs, and DONE. Launched by gpu/encode/container/assemble.cu.
 */
#ifndef XC_GPU_ENCODE_CONTAINER_ASSEMBLE_H
#define XC_GPU_ENCODE_CONTAINER_ASSEMBLE_H

#include "gpu/encode/job/segments.h"

/* The first kernel: one thread block a picture finds the offset of each segment and writes
 * everything before the segments except the index entries. */

#define XC_GPU_SCANNED 1024u /* sizes at a time */

/* Room for the payload of HUFF: four codes. */
enum { XC_GPU_HUFF_ROOM = 4 * XC_AC_SYMBOLS };

typedef struct xc_gpu_head_shared {
	uint32_t values[XC_GPU_SCANNED];
	uint32_t partial[XC_CTA_PARTIAL];
	uint32_t largest;
	uint32_t crc;
	uint8_t huff[XC_GPU_HUFF_ROOM] __attribute__((aligned(4))); /* four parts */
	uint32_t huff_bytes[4];
} xc_gpu_head_shared;

/* A chunk's head at `out`; returns its size, 5 to 14 bytes. */
XC_GPU_INLINE uint32_t xc_gpu_chunk_head(uint8_t *out, uint32_t type, uint64_t length)
{
	uint32_t n = 4;

	for (int i = 0; i < 4; i++)
		out[i] = (uint8_t)(type >> (24 - 8 * i));
	for (; length > 127; length >>= 7)
		out[n++] = (uint8_t)(128 | (length & 127));
	out[n++] = (uint8_t)length;
	return n;
}

XC_GPU_INLINE void xc_gpu_store_u32(uint8_t *out, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		out[i] = (uint8_t)(value >> 8 * i);
}

/* The stored form of a code's lengths: xc_huffman_write() by one thread. */
XC_GPU_INLINE uint32_t xc_gpu_store_lengths(const uint8_t *length, uint32_t symbols, uint8_t *out)
{
	uint32_t nibbles = 0, half = 0;

	for (uint32_t s = 0; s < symbols; s++) {
		uint32_t value = length[s];
		int more = -1;
		if (!value)
			for (more = 0; more < 15 && s + 1 < symbols && !length[s + 1]; s++)
				more++;
		for (int i = 0; i < (more < 0 ? 1 : 2); i++, nibbles++, value = (uint32_t)more) {
			if (nibbles % 2)
				out[nibbles / 2] = (uint8_t)(half << 4 | value);
			half = value;
		}
	}
	if (nibbles % 2)
		out[nibbles / 2] = (uint8_t)(half << 4);
	return (nibbles + 1) / 2;
}

/* Byte i of all codes in sequence. */
XC_GPU_INLINE uint32_t xc_gpu_huff_byte(const xc_gpu_head_shared *s, uint32_t i)
{
	uint32_t code = 0;

	while (i >= s->huff_bytes[code])
		i -= s->huff_bytes[code++];
	return s->huff[code * (XC_GPU_HUFF_ROOM / 4) + i];
}

/* Makes the stored form of the codes, each by one thread, of different warps if possible. */
XC_GPU_INLINE void xc_gpu_store_codes(const xc_gpu_encode_job *j, xc_cta t, xc_gpu_head_shared *s)
{
	const uint32_t codes = j->components == 1 ? 2 : 4;

	for (uint32_t c = 0; c < 4; c++) {
		if (t.rank != c * 32 % t.size)
			continue;
		const uint8_t *lengths = j->huffman.codes->lengths[c / 2];
		s->huff_bytes[c] = c >= codes ? 0
		                              : xc_gpu_store_lengths(lengths + (c % 2 ? XC_DC_SYMBOLS : 0),
		                                                     c % 2 ? XC_AC_SYMBOLS : XC_DC_SYMBOLS,
		                                                     s->huff + c * (XC_GPU_HUFF_ROOM / 4));
	}
}

/* Writes HUFF at byte `at` of the file if there is room; returns its size. */
XC_GPU_INLINE uint32_t xc_gpu_write_huff(const xc_gpu_encode_job *j, xc_cta t, uint64_t at,
                                         xc_gpu_head_shared *s)
{
	uint8_t *const out = j->picture.file + at;
	uint8_t head[16];

	xc_gpu_store_codes(j, t, s);
	if (t.rank == 0)
		s->crc = 0;
	XC_CTA_SYNC();
	const uint32_t n = s->huff_bytes[0] + s->huff_bytes[1] + s->huff_bytes[2] + s->huff_bytes[3];
	const uint32_t h = xc_gpu_chunk_head(head, 0x48554646u, n);
	uint32_t crc = 0xffffffffu;
	for (uint32_t i = 0; i < h; i++)
		crc = xc_crc_byte(crc, head[i]);
	/* Each thread computes the remainder of its share at the end of the chunk. */
	const uint32_t each = (n + t.size - 1) / t.size;
	const uint32_t from = t.rank * each < n ? t.rank * each : n;
	const uint32_t to = from + each < n ? from + each : n;
	crc = t.rank ? 0 : crc;
	for (uint32_t i = from; i < to; i++)
		crc = xc_crc_byte(crc, xc_gpu_huff_byte(s, i));
	if (from < to || t.rank == 0)
		XC_ATOMIC_XOR(&s->crc, xc_crc_shift(j->crc->bytes, crc, n - to));
	XC_CTA_SYNC();
	if (at + h + n + 4 > j->picture.capacity)
		return h + n + 4;
	for (uint32_t i = t.rank; i < n; i += t.size)
		out[h + i] = (uint8_t)xc_gpu_huff_byte(s, i);
	if (t.rank == 0) {
		for (uint32_t i = 0; i < h; i++)
			out[i] = head[i];
		xc_gpu_store_u32(out + h + n, ~s->crc);
	}
	return h + n + 4;
}

/* Fills offsets of n tiles from `first` on and finds the largest size; returns the sum of all. */
XC_GPU_INLINE uint64_t xc_gpu_scan_sizes(const xc_gpu_encode_job *j, xc_cta t, size_t first,
                                         uint32_t tiles, xc_gpu_head_shared *s)
{
	const uint32_t *const sizes = j->out.sizes + first;
	uint64_t *const offsets = j->out.offsets + first;
	uint64_t sum = 0;
	uint32_t max = 0;

	if (t.rank == 0)
		s->largest = 0;
	for (uint32_t from = 0; from < tiles; from += XC_GPU_SCANNED) {
		const uint32_t n = tiles - from < XC_GPU_SCANNED ? tiles - from : XC_GPU_SCANNED;
		for (uint32_t i = t.rank; i < n; i += t.size) {
			s->values[i] = sizes[from + i];
			max = max > s->values[i] ? max : s->values[i];
		}
		const uint32_t total = xc_cta_scan(t, s->values, n, 0, s->partial);
		for (uint32_t i = t.rank; i < n; i += t.size)
			offsets[from + i] = sum + s->values[i];
		sum += total;
		XC_CTA_SYNC();
	}
	XC_ATOMIC_MAX(&s->largest, max);
	XC_CTA_SYNC();
	return sum;
}

/* The heads of INDX, with the width after it, and of DATA. */
XC_GPU_INLINE uint32_t xc_gpu_index_head(uint8_t *out, uint32_t width, uint32_t tiles)
{
	const uint32_t n = xc_gpu_chunk_head(out, 0x494e4458u, 1 + (uint64_t)tiles * (width + 2));
	out[n] = (uint8_t)width;
	return n + 1;
}

XC_GPU_INLINE uint32_t xc_gpu_data_head(uint8_t *out, uint64_t total)
{
	return xc_gpu_chunk_head(out, 0x44415441u, total);
}

/* Lays out a piece that begins at byte `at` of the file, and returns its end. */
XC_GPU_INLINE uint64_t xc_gpu_lay_piece(const xc_gpu_encode_job *j, xc_cta t, uint32_t piece,
                                        uint64_t at, xc_gpu_head_shared *s)
{
	const uint32_t tiles = xc_gpu_tiles_of(j, piece);
	const uint64_t total = xc_gpu_scan_sizes(j, t,

	                                         (size_t)piece * j->picture.piece_tiles, tiles, s);
	const uint32_t width = s->largest < 1 << 16 ? 2 : s->largest < 1 << 24 ? 3 : 4;
	uint8_t head[16];
	const uint64_t index_at = at + xc_gpu_index_head(head, width, tiles);
	const uint64_t data_at = index_at + (uint64_t)tiles * (width + 2) + 4 +
	                         xc_gpu_data_head(head, total);

	if (t.rank == 0) {
		xc_gpu_file_piece *const p = &j->out.pieces[piece];
		p->total = total;
		p->index_at = index_at;
		p->data_at = data_at;
		p->width = width;
	}
	/* The next piece's scan overwrites what was read. */
	XC_CTA_SYNC();
	return data_at + total + 4;
}

/* Writes the head of a chunk at `to` unless it is NULL; returns its remainder `after` bytes later.
 * */
XC_GPU_INLINE uint32_t xc_gpu_write_chunk_head(const xc_gpu_encode_job *j, const uint8_t *head,
                                               uint32_t size, uint64_t after, uint8_t *to)
{
	uint32_t crc = 0xffffffffu;

	for (uint32_t i = 0; i < size; i++) {
		crc = xc_crc_byte(crc, head[i]);
		if (to)
			to[i] = head[i];
	}
	return xc_crc_shift(j->crc->bytes, crc, after);
}

/* Writes the heads of a piece's chunks if the file fits, and begins their CRCs.  Two threads do it,
 * of different warps where there are several. */
XC_GPU_INLINE void xc_gpu_begin_piece(const xc_gpu_encode_job *j, xc_cta t, uint32_t piece,
                                      int fits)
{
	xc_gpu_file_piece *const p = &j->out.pieces[piece];
	uint8_t *const file = j->picture.file;
	const uint32_t tiles = xc_gpu_tiles_of(j, piece);
	uint8_t head[16];

	if (t.rank == 32 % t.size) {
		const uint32_t d = xc_gpu_data_head(head, p->total);
		p->data_crc = xc_gpu_write_chunk_head(j, head, d, (uint64_t)tiles * 4,
		                                      fits ? file + p->data_at - d : NULL);
	}
	if (t.rank == 0) {
		const uint32_t h = xc_gpu_index_head(head, p->width, tiles);
		p->index_crc = xc_gpu_write_chunk_head(j, head, h, (uint64_t)tiles * (p->width + 2),
		                                       fits ? file + p->index_at - h : NULL);
	}
}

/* Writes the points of reconstruction, and the CRC of their chunk, which they end. */
XC_GPU_INLINE void xc_gpu_write_points(const xc_gpu_encode_job *j, uint32_t tables, uint8_t *out)
{
	uint32_t crc = j->picture.quant_crc;

	for (uint32_t i = 0; i < tables; i++) {
		out[i] = (uint8_t)xc_gpu_stored_points(j, i);
		crc = xc_crc_byte(crc, out[i]);
	}
	xc_gpu_store_u32(out + tables, ~crc);
}

/* Writes everything before the segments. codes, a constant: they were made for the picture. */
XC_GPU_INLINE void xc_gpu_write_head(const xc_gpu_encode_job *j, xc_cta t, int codes,
                                     xc_gpu_head_shared *s)
{
	xc_gpu_picture_state *const state = j->out.state;
	uint8_t *const file = j->picture.file;
	uint64_t at = j->picture.prefix_size;

	if (codes)
		at += xc_gpu_write_huff(j, t, at, s);
	for (uint32_t i = 0; i < j->picture.piece_count; i++)
		at = xc_gpu_lay_piece(j, t, i, at, s);
	const uint64_t size = at + 9;
	const int fits = size <= j->picture.capacity && state->used * 16 <= j->picture.arena_bytes;
	const uint32_t tables = j->components == 1 ? 1 : 2;
	const uint32_t points = j->picture.points_at, points_end = points ? points + tables + 4 : 0;
	for (uint32_t i = t.rank; fits && i < j->picture.prefix_size; i += t.size)
		if (i < points || i >= points_end)
			file[i] = j->picture.prefix[i];
	if (fits && points && t.rank == 64 % t.size)
		xc_gpu_write_points(j, tables, file + points);
	for (uint32_t i = 0; i < j->picture.piece_count; i++)
		xc_gpu_begin_piece(j, t, i, fits);
	if (t.rank)
		return;
	state->fits = (uint32_t)fits;
	*j->picture.file_size = size;
}

enum { XC_GPU_ASSEMBLE_TILES = 8 }; /* tiles of a thread block */

typedef struct xc_gpu_assemble_shared {
	uint32_t tables[4][256];
	uint32_t share[2]; /* of the thread block's segments, in the CRCs of DATA and INDX */
} xc_gpu_assemble_shared;

/* Thread blocks of a piece. */
XC_GPU_INLINE uint32_t xc_gpu_assemble_ctas(const xc_gpu_encode_job *j)
{
	return (j->picture.piece_tiles + XC_GPU_ASSEMBLE_TILES - 1) / XC_GPU_ASSEMBLE_TILES;
}

/* The tiles of a thread block: from `first`, and before `end`, the end of its piece. */
typedef struct xc_gpu_assemble_range {
	uint32_t piece, first, end;
} xc_gpu_assemble_range;

XC_GPU_INLINE xc_gpu_assemble_range xc_gpu_assemble_range_of(const xc_gpu_encode_job *j,
                                                             uint32_t cta)
{
	const uint32_t ctas = xc_gpu_assemble_ctas(j), piece = cta / ctas;
	const uint32_t begin = piece * j->picture.piece_tiles;
	const xc_gpu_assemble_range r = {piece, begin + cta % ctas * XC_GPU_ASSEMBLE_TILES,
	                                 begin + xc_gpu_tiles_of(j, piece)};

	return r;
}

XC_GPU_INLINE xc_gpu_file_piece *xc_gpu_file_piece_at(const xc_gpu_encode_job *j, uint32_t piece)
{
	return &j->out.pieces[piece];
}

XC_GPU_INLINE void xc_gpu_assemble_begin(const xc_gpu_encode_job *j, xc_cta t,
                                         xc_gpu_assemble_shared *s)
{
	for (uint32_t i = t.rank; i < 1024; i += t.size)
		(&s->tables[0][0])[i] = (&j->crc->tables[0][0])[i];
	for (uint32_t i = t.rank; i < 2; i += t.size)
		s->share[i] = 0;
}

XC_GPU_INLINE const uint32_t *xc_gpu_arena_segment(const xc_gpu_encode_job *j, uint32_t tile)
{
	return (const uint32_t *)(const void *)(j->out.arena + (size_t)j->out.units[tile] * 16);
}

/* A lane's share of copying `size` bytes to any address: 16 at a time, single bytes at both ends.
 * */
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
XC_GPU_INLINE void xc_gpu_assemble_copy(const xc_gpu_encode_job *j, uint32_t piece, uint32_t tile,
                                        uint32_t lane)
{
	const xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, piece);

	xc_gpu_copy_segment(j->picture.file + p->data_at + j->out.offsets[tile],
	                    xc_gpu_arena_segment(j, tile), j->out.sizes[tile], lane);
}

/* A lane's share of the work after the CRC of a tile's segment: the index entry, and the shares in
 * the CRCs of DATA (lane 0) and INDX (lane 1). */
XC_GPU_INLINE void xc_gpu_assemble_crc(const xc_gpu_encode_job *j, xc_gpu_assemble_range r,
                                       uint32_t tile, uint32_t crc, uint32_t lane,
                                       xc_gpu_assemble_shared *s)
{
	const xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, r.piece);
	const uint32_t size = j->out.sizes[tile], width = p->width;
	const uint64_t entry = size | (uint64_t)(crc & 0xffff) << 8 * width;

	if (lane < width + 2)
		j->picture.file[p->index_at +
		                (uint64_t)(tile - r.piece * j->picture.piece_tiles) * (width + 2) + lane] =
			(uint8_t)(entry >> 8 * lane);
	if (lane < 2) {
		const uint32_t bytes = lane ? width + 2 : 4;
		const uint32_t own = xc_crc_bytes(0, lane ? entry : crc, bytes);
		XC_ATOMIC_XOR(&s->share[lane],
		              xc_crc_multiply(own, *xc_gpu_tile_power(j, bytes, r.end - 1 - tile)));
	}
}

/* The end of the file, by one thread, after all segments are stored. */
XC_GPU_INLINE void xc_gpu_finish(const xc_gpu_encode_job *j)
{
	uint8_t *const file = j->picture.file;
	const uint8_t done[9] = {'D', 'O', 'N', 'E', 0, 0x44, 0x51, 0x3e, 0x5a};
	uint8_t *end = NULL;

	for (uint32_t i = 0; i < j->picture.piece_count; i++) {
		const xc_gpu_file_piece *const p = xc_gpu_file_piece_at(j, i);
		end = file + p->data_at + p->total + 4;
		xc_gpu_store_u32(file + p->index_at + (uint64_t)xc_gpu_tiles_of(j, i) * (p->width + 2),
		                 ~p->index_crc);
		xc_gpu_store_u32(end - 4, ~p->data_crc);
	}
	for (int i = 0; i < 9; i++)
		end[i] = done[i];
}

#endif
