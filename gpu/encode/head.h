/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel between coding and placing: one team a picture finds the place of each segment and
 * writes everything before the segments but the entries of the index. */
#ifndef XC_GPU_ENCODE_HEAD_H
#define XC_GPU_ENCODE_HEAD_H

#include "gpu/encode/job.h"

#define XC_GPU_SCANNED 1024u /* sizes at a time */

typedef struct xc_gpu_head_shared {
	uint32_t values[XC_GPU_SCANNED];
	uint32_t partial[33];
	uint32_t largest;
	uint32_t crc;
	uint8_t huff[4][XC_STORED_CODE_BYTES];
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

/* Stored form of a code's lengths; xc_huffman_write() by one thread. */
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

/* Number i of the bytes of all codes one after another. */
XC_GPU_INLINE uint32_t xc_gpu_huff_byte(const xc_gpu_head_shared *s, uint32_t i)
{
	uint32_t code = 0;
	while (i >= s->huff_bytes[code])
		i -= s->huff_bytes[code++];
	return s->huff[code][i];
}

/* Writes HUFF at byte `at` of the file if there is room; returns its size. */
XC_GPU_INLINE uint32_t xc_gpu_write_huff(const xc_gpu_encode_job *j, xc_team t, uint32_t picture,
                                         uint64_t at, xc_gpu_head_shared *s)
{
	uint8_t *const out = j->files + picture * j->capacity + at;
	uint8_t head[16];
	const uint32_t codes = j->components == 1 ? 2 : 4;
	for (uint32_t c = 0; c < 4; c++) {
		/* One warp each, where there are several. */
		if (t.rank != c * 32 % t.size)
			continue;
		const uint8_t *lengths = j->codes[picture].lengths[c / 2];
		s->huff_bytes[c] = c >= codes ? 0
		                              : xc_gpu_store_lengths(lengths + (c % 2 ? XC_DC_SYMBOLS : 0),
		                                                     c % 2 ? XC_AC_SYMBOLS : XC_DC_SYMBOLS,
		                                                     s->huff[c]);
	}
	if (t.rank == 0)
		s->crc = 0;
	XC_TEAM_SYNC();
	const uint32_t n = s->huff_bytes[0] + s->huff_bytes[1] + s->huff_bytes[2] + s->huff_bytes[3];
	const uint32_t h = xc_gpu_chunk_head(head, 0x48554646u, n);
	uint32_t crc = 0xffffffffu;
	for (uint32_t i = 0; i < h; i++)
		crc = xc_crc_byte(crc, head[i]);
	/* Each thread works out its part's remainder at the end. */
	const uint32_t each = (n + t.size - 1) / t.size;
	const uint32_t from = t.rank * each < n ? t.rank * each : n;
	const uint32_t to = from + each < n ? from + each : n;
	crc = t.rank ? 0 : crc;
	for (uint32_t i = from; i < to; i++)
		crc = xc_crc_byte(crc, xc_gpu_huff_byte(s, i));
	if (from < to || t.rank == 0)
		XC_ATOMIC_XOR(&s->crc, xc_crc_shift(j->crc->bytes, crc, n - to));
	XC_TEAM_SYNC();
	if (at + h + n + 4 > j->capacity)
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

/* Fills offsets and finds the largest size; returns the sum of all. */
XC_GPU_INLINE uint64_t xc_gpu_scan_sizes(const xc_gpu_encode_job *j, xc_team t, uint32_t picture,
                                         xc_gpu_head_shared *s)
{
	const uint32_t *const sizes = j->sizes + (size_t)picture * j->tiles;
	uint64_t *const offsets = j->offsets + (size_t)picture * j->tiles;
	uint64_t sum = 0;
	uint32_t most = 0;
	if (t.rank == 0)
		s->largest = 0;
	for (uint32_t from = 0; from < j->tiles; from += XC_GPU_SCANNED) {
		const uint32_t n = j->tiles - from < XC_GPU_SCANNED ? j->tiles - from : XC_GPU_SCANNED;
		for (uint32_t i = t.rank; i < n; i += t.size) {
			s->values[i] = sizes[from + i];
			most = most > s->values[i] ? most : s->values[i];
		}
		const uint32_t total = xc_team_scan(t, s->values, n, 0, s->partial);
		for (uint32_t i = t.rank; i < n; i += t.size)
			offsets[from + i] = sum + s->values[i];
		sum += total;
		XC_TEAM_SYNC();
	}
	XC_ATOMIC_MAX(&s->largest, most);
	XC_TEAM_SYNC();
	return sum;
}

/* Writes the head of a chunk at `to` unless that is NULL; returns its remainder `after`
 * bytes later. */
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

XC_GPU_INLINE void xc_gpu_write_head(const xc_gpu_encode_job *j, xc_team t, uint32_t picture,
                                     xc_gpu_head_shared *s)
{
	xc_gpu_picture_state *const state = &j->states[picture];
	uint8_t *const file = j->files + picture * j->capacity;
	uint8_t head[16], data_head[16];
	const uint64_t total = xc_gpu_scan_sizes(j, t, picture, s);
	const uint32_t width = s->largest < 1 << 16 ? 2 : s->largest < 1 << 24 ? 3 : 4;
	const uint64_t entries = (uint64_t)j->tiles * (width + 2);
	const uint32_t h = xc_gpu_chunk_head(head, 0x494e4458u, 1 + entries);
	const uint32_t d = xc_gpu_chunk_head(data_head, 0x44415441u, total);
	head[h] = (uint8_t)width;
	uint64_t at = j->prefix_size;
	if (j->codes)
		at += xc_gpu_write_huff(j, t, picture, at, s);
	const uint64_t index_at = at + h + 1, data_at = index_at + entries + 4 + d;
	const uint64_t size = data_at + total + 4 + 9;
	const int fits = size <= j->capacity && state->used * 16 <= j->arena_bytes;
	for (uint32_t i = t.rank; fits && i < j->prefix_size; i += t.size)
		file[i] = j->prefix[i];
	/* Two threads, of different warps where there are several. */
	if (t.rank == 32 % t.size)
		state->data_crc = xc_gpu_write_chunk_head(j, data_head, d, (uint64_t)j->tiles * 4,
		                                          fits ? file + data_at - d : NULL);
	if (t.rank)
		return;
	state->index_crc = xc_gpu_write_chunk_head(j, head, h + 1, entries, fits ? file + at : NULL);
	state->total = total;
	state->index_at = index_at;
	state->data_at = data_at;
	state->width = width;
	state->fits = (uint32_t)fits;
	j->file_sizes[picture] = size;
}

#endif
