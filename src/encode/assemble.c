/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "src/core/crc32c.h"
#include "src/core/parallel.h"
#include "src/encode/encoder.h"

static void copy_segment(void *user, uint64_t item, int index)
{
	const xc_encoder *e = user;
	const xc_encode_segment *s = &e->segments[e->first + item];
	(void)index;
	memcpy(e->data + s->offset, s->bits, s->size);
}

/* The piece's segments, and the bytes of an index entry's size. */
static uint32_t lay_out(xc_encoder *e, uint64_t n, uint64_t *total)
{
	uint32_t most = 0;
	*total = 0;
	for (uint64_t i = e->first; i < e->first + n; i++) {
		xc_encode_segment *s = &e->segments[i];
		s->offset = *total;
		*total += s->size;
		most = s->size > most ? s->size : most;
	}
	return most < 1 << 16 ? 2 : most < 1 << 24 ? 3 : 4;
}

static void write_index(const xc_encoder *e, xc_writer *w, uint64_t n, uint32_t width)
{
	const uint8_t *start = xc_write_chunk_start(w, "INDX", 1 + n * (width + 2));
	*w->next++ = (uint8_t)width;
	for (uint64_t i = e->first; i < e->first + n; i++) {
		const xc_encode_segment *s = &e->segments[i];
		for (uint32_t b = 0; b < width; b++)
			*w->next++ = (uint8_t)(s->size >> 8 * b);
		*w->next++ = (uint8_t)s->crc;
		*w->next++ = (uint8_t)(s->crc >> 8);
	}
	xc_write_chunk_end(w, start);
}

/* The CRC of DATA covers its type and length and then, instead of the payload, the
 * CRCs of all segments. */
static void write_data(xc_encoder *e, xc_writer *w, uint64_t n, uint64_t total)
{
	const uint8_t *start = xc_write_chunk_start(w, "DATA", total);
	uint32_t crc = xc_crc32c(0, start, (size_t)(w->next - start));
	e->data = w->next;
	xc_parallel_for(e->context, n, xc_parallel_copying_time(total), copy_segment, e, 0.97, 1);
	for (uint64_t i = e->first; i < e->first + n; i++) {
		const uint32_t s = e->segments[i].crc;
		const uint8_t bytes[4] = {(uint8_t)s, (uint8_t)(s >> 8), (uint8_t)(s >> 16),
		                          (uint8_t)(s >> 24)};
		crc = xc_crc32c(crc, bytes, sizeof bytes);
	}
	w->next += total;
	xc_write_u32(w, crc);
}

/* At most, without DATA's payload. */
static uint64_t piece_overhead(uint64_t segments)
{
	return 2 * (XC_CHUNK_OVERHEAD + 1) + segments * (4 + 2);
}

static void write_pieces(xc_encoder *e, xc_writer *w)
{
	const uint64_t step = xc_encode_piece_tiles(e);
	for (e->first = 0; e->first < e->count; e->first += step) {
		const uint64_t left = e->count - e->first, n = left < step ? left : step;
		uint64_t total;
		const uint32_t width = lay_out(e, n, &total);
		write_index(e, w, n, width);
		write_data(e, w, n, total);
	}
}

xc_status xc_encode_assemble(xc_encoder *e, xc_buffer *out)
{
	uint64_t bound = xc_container_overhead(e->metadata, e->alpha.size) +
	                 xc_geometry_pieces(&e->plan.geometry) * piece_overhead(0) +
	                 piece_overhead(e->count);
	for (uint64_t i = 0; i < e->count; i++)
		bound += e->segments[i].size;
	if (bound > SIZE_MAX)
		return xc_fail_memory(e->context, SIZE_MAX);
	out->data = xc_allocate(e->context, (size_t)bound);
	if (!out->data)
		return xc_fail_memory(e->context, (size_t)bound);

	xc_writer w = {out->data};
	const int tables = e->plan.geometry.components == 1 ? 1 : 2;
	xc_write_magic(&w);
	xc_write_head(&w, &e->plan.header);
	xc_write_metadata(&w, e->metadata);
	xc_write_quant(&w, e->plan.quant_preset, e->plan.quant_scale, tables, e->plan.steps,
	               e->plan.points);
	if (e->plan.has_colours)
		xc_write_colours(&w, e->plan.colours);
	if (e->frequency_bytes)
		xc_write_frequencies(&w, e->frequencies, e->frequency_bytes);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_STORED)
		xc_write_codes(&w, e->plan.geometry.components, e->codes);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS)
		xc_write_context_codes(&w, e->plan.geometry.components, e->codes,
		                       xc_default_codes(e->context));
	if (e->alpha.size)
		xc_write_alpha(&w, e->alpha.data, e->alpha.size);
	write_pieces(e, &w);
	xc_write_done(&w);
	out->size = (size_t)(w.next - out->data);
	return XC_OK;
}
