/* SPDX-License-Identifier: BSD-2-Clause */
/* The file: its chunks, and their way out. */
#include <string.h>

#include "src/core/crc32c.h"
#include "src/core/parallel.h"
#include "src/encode/encoder.h"

/* ------------------------------------------------------------ output */

/* Bytes that are written at a time, if there are no larger chunks. */
enum { BUFFER = 1 << 16 };

static xc_status flush(xc_encoder *e)
{
	xc_encode_out *o = &e->out;
	if (o->used && o->write(o->user, o->data, o->used))
		return xc_fail(e->context, XC_ERR_IO, "the output cannot be written (at byte %llu)",
		               (unsigned long long)o->total);
	o->total += o->used;
	o->used = 0;
	return XC_OK;
}

/* Makes room for `size` bytes of output, at *to; commit() takes what was written there.  Without a
 * callback the first call makes room for the whole file. */
static xc_status reserve(xc_encoder *e, uint64_t size, xc_writer *to)
{
	xc_encode_out *o = &e->out;
	if (o->write && size > o->room - o->used) {
		const xc_status s = flush(e);
		if (s)
			return s;
	}
	if (!o->data || (o->write && size > o->room)) {
		if (size > SIZE_MAX)
			return xc_fail_memory(e->context, SIZE_MAX);
		o->room = o->write && size < BUFFER ? BUFFER : (size_t)size;
		xc_release(e->context, o->data);
		o->data = xc_allocate(e->context, o->room);
		if (!o->data)
			return xc_fail_memory(e->context, o->room);
	}
	to->next = o->data + o->used;
	return XC_OK;
}

static void commit(xc_encoder *e, const xc_writer *to)
{
	e->out.used = (size_t)(to->next - e->out.data);
}

/* ------------------------------------------------------------ pieces */

/* At most, without DATA's payload. */
static uint64_t piece_overhead(uint64_t segments)
{
	return 2 * (XC_CHUNK_OVERHEAD + 1) + segments * (4 + 2);
}

/* The piece's segments, and the bytes of an index entry's size. */
static uint32_t lay_out(xc_encode_segment *segments, uint64_t n, uint64_t *total)
{
	uint32_t most = 0;
	*total = 0;
	for (uint64_t i = 0; i < n; i++) {
		segments[i].offset = *total;
		*total += segments[i].size;
		most = segments[i].size > most ? segments[i].size : most;
	}
	return most < 1 << 16 ? 2 : most < 1 << 24 ? 3 : 4;
}

static void write_index(xc_writer *w, const xc_encode_segment *s, uint64_t n, uint32_t width)
{
	const uint8_t *start = xc_write_chunk_start(w, "INDX", 1 + n * (width + 2));
	*w->next++ = (uint8_t)width;
	for (uint64_t i = 0; i < n; i++) {
		for (uint32_t b = 0; b < width; b++)
			*w->next++ = (uint8_t)(s[i].size >> 8 * b);
		*w->next++ = (uint8_t)s[i].crc;
		*w->next++ = (uint8_t)(s[i].crc >> 8);
	}
	xc_write_chunk_end(w, start);
}

/* The CRC of DATA covers its type and length and then, instead of the payload, the
 * CRCs of all segments. */
static uint32_t write_data_head(xc_writer *w, const xc_encode_segment *s, uint64_t n,
                                uint64_t total)
{
	const uint8_t *start = xc_write_chunk_start(w, "DATA", total);
	uint32_t crc = xc_crc32c(0, start, (size_t)(w->next - start));
	for (uint64_t i = 0; i < n; i++) {
		const uint8_t bytes[4] = {(uint8_t)s[i].crc, (uint8_t)(s[i].crc >> 8),
		                          (uint8_t)(s[i].crc >> 16), (uint8_t)(s[i].crc >> 24)};
		crc = xc_crc32c(crc, bytes, sizeof bytes);
	}
	return crc;
}

static void copy_segment(void *user, uint64_t item, int index)
{
	const xc_encoder *e = user;
	const xc_encode_segment *s = xc_encode_segment_of(e, e->written + item);
	(void)index;
	memcpy(e->out.data + e->out.used + s->offset, s->bits, s->size);
}

/* Into a buffer that holds the whole file. */
static void copy_segments(xc_encoder *e, uint64_t n, uint64_t total)
{
	xc_parallel_for(e->context, n, xc_parallel_copying_time(total), copy_segment, e, 0.97, 1);
	e->out.used += (size_t)total;
}

static xc_status write_segments(xc_encoder *e, const xc_encode_segment *s, uint64_t n)
{
	xc_status status = XC_OK;
	for (uint64_t i = 0; !status && i < n; i++) {
		xc_writer w;
		status = reserve(e, s[i].size, &w);
		if (!status) {
			memcpy(w.next, s[i].bits, s[i].size);
			w.next += s[i].size;
			commit(e, &w);
		}
	}
	return status;
}

xc_status xc_encode_write_piece(xc_encoder *e)
{
	const uint64_t step = xc_encode_piece_tiles(e), left = e->count - e->written;
	const uint64_t n = left < step ? left : step;
	xc_encode_segment *segments = xc_encode_segment_of(e, e->written);
	xc_writer w;
	uint64_t total;
	const uint32_t width = lay_out(segments, n, &total);
	xc_status s = reserve(e, piece_overhead(n), &w);
	if (s)
		return s;
	write_index(&w, segments, n, width);
	const uint32_t crc = write_data_head(&w, segments, n, total);
	commit(e, &w);
	if (e->out.write)
		s = write_segments(e, segments, n);
	else
		copy_segments(e, n, total);
	if (!s)
		s = reserve(e, 4, &w);
	if (s)
		return s;
	xc_write_u32(&w, crc);
	commit(e, &w);
	e->written += n;
	return XC_OK;
}

/* ------------------------------------------------------------ the rest */

xc_status xc_encode_expect_file(xc_encoder *e)
{
	uint64_t bound = xc_container_overhead(&e->metadata, e->alpha_data.size) +
	                 xc_geometry_pieces(&e->plan.geometry) * piece_overhead(0) +
	                 piece_overhead(e->count);
	xc_writer w;
	for (uint64_t i = 0; i < e->count; i++)
		bound += e->segments[i].size;
	return reserve(e, bound, &w);
}

/* Alpha comes before a piece that is the only one.  Rows of a larger picture are written before
 * all of its alpha is known. */
static int alpha_first(const xc_encoder *e)
{
	return e->alpha && xc_geometry_pieces(&e->plan.geometry) == 1;
}

xc_status xc_encode_write_header(xc_encoder *e)
{
	const int tables = e->plan.geometry.components == 1 ? 1 : 2;
	const int alpha = alpha_first(e);
	xc_writer w;
	const xc_status s = reserve(e,
	                            xc_container_overhead(&e->metadata, alpha ? e->alpha_data.size : 0),
	                            &w);
	if (s)
		return s;
	xc_write_magic(&w);
	xc_write_head(&w, &e->plan.header);
	xc_write_metadata(&w, &e->metadata, NULL);
	e->written_metadata = e->metadata;
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
	if (alpha)
		xc_write_alpha(&w, e->alpha_data.data, e->alpha_data.size);
	commit(e, &w);
	return XC_OK;
}

xc_status xc_encode_write_end(xc_encoder *e)
{
	const int alpha = e->alpha && !alpha_first(e);
	xc_writer w;
	xc_status s = reserve(e,
	                      xc_metadata_bound(&e->metadata) + 2 * XC_CHUNK_OVERHEAD + 1 +
	                          (alpha ? e->alpha_data.size : 0),
	                      &w);
	if (s)
		return s;
	xc_write_metadata(&w, &e->metadata, &e->written_metadata);
	if (alpha)
		xc_write_alpha(&w, e->alpha_data.data, e->alpha_data.size);
	xc_write_done(&w);
	commit(e, &w);
	return e->out.write ? flush(e) : XC_OK;
}
