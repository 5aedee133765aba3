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

/* Makes room for `size` bytes of output, at *to; commit() takes what was written there. Without a
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

static void copy_segment(void *user, uint64_t item, int index)
{
	const xc_encoder *e = user;
	const xc_segment_bits *s = &e->segments[item];

	(void)index;
	if (s->size)
		memcpy(e->out.data + s->offset, s->data, s->size);
}

/* All segments, into a buffer that holds the whole file. */
static xc_status copy_segments(xc_encoder *e)
{
	return xc_parallel_for(e->context, e->count * e->layers, xc_parallel_copying_time(e->out.used),
	                       copy_segment, e, 0.97, 1);
}

/* Leaves room for them, since they are copied in the end. */
static void set_segments(xc_encoder *e, xc_segment_bits *s, uint64_t n, uint64_t total)
{
	for (uint64_t i = 0; i < n; i++)
		s[i].offset += e->out.used;
	e->out.used += (size_t)total;
}

static xc_status write_segments(xc_encoder *e, const xc_segment_bits *s, uint64_t n)
{
	xc_status status = XC_OK;

	for (uint64_t i = 0; !status && i < n; i++) {
		xc_writer w;
		status = s[i].size ? reserve(e, s[i].size, &w) : XC_OK;
		if (!status && s[i].size) {
			memcpy(w.next, s[i].data, s[i].size);
			w.next += s[i].size;
			commit(e, &w);
		}
	}
	return status;
}

xc_status xc_encode_write_piece(xc_encoder *e)
{
	const uint64_t step = xc_encode_piece_tiles(e), left = e->count - e->written;
	const uint64_t tiles = left < step ? left : step, n = tiles * e->layers;
	xc_segment_bits *segments = xc_encode_segments_of(e, e->written);
	xc_writer w;
	uint64_t total;
	xc_status s = reserve(e, xc_piece_overhead(n), &w);

	if (s)
		return s;
	const uint32_t crc = xc_write_piece_start(&w, segments, n, &total);
	commit(e, &w);
	if (e->out.write)
		s = write_segments(e, segments, n);
	else
		set_segments(e, segments, n, total);
	if (!s)
		s = reserve(e, 4, &w);
	if (s)
		return s;
	xc_write_u32(&w, crc);
	commit(e, &w);
	e->written += tiles;
	return XC_OK;
}

/* ------------------------------------------------------------ the rest */

xc_status xc_encode_expect_file(xc_encoder *e)
{
	const uint64_t segments = e->count * e->layers;
	uint64_t bound = xc_container_overhead(&e->metadata) +
	                 xc_geometry_pieces(&e->plan.geometry) * xc_piece_overhead(0) +
	                 xc_piece_overhead(segments);
	xc_writer w;

	for (uint64_t i = 0; i < segments; i++)
		bound += e->segments[i].size;
	return reserve(e, bound, &w);
}

xc_status xc_encode_write_header(xc_encoder *e)
{
	const int tables = e->plan.geometry.components == 1 ? 1 : 2;
	xc_writer w;
	const xc_status s = reserve(e, xc_container_overhead(&e->metadata), &w);

	if (s)
		return s;
	xc_write_magic(&w);
	xc_write_head(&w, &e->plan.header);
	e->metadata.range = e->plan.range;
	xc_write_metadata(&w, &e->metadata, NULL);
	e->written_metadata = e->metadata;
	xc_write_quant(&w, e->plan.quant_preset, e->plan.quant_scale, tables, e->plan.steps,
	               e->plan.points);
	if (e->plan.has_colours)
		xc_write_colours(&w, e->plan.colours);
	if (e->frequency_bytes)
		xc_write_chunk(&w, "RANS", e->frequencies, e->frequency_bytes);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_STORED)
		xc_write_codes(&w, e->plan.geometry.components, e->codes, NULL);
	if (e->plan.header.entropy == XC_ENTROPY_HUFFMAN_CONTEXTS)
		xc_write_codes(&w, e->plan.geometry.components, e->codes, xc_default_codes(e->context));
	commit(e, &w);
	return XC_OK;
}

xc_status xc_encode_write_end(xc_encoder *e)
{
	xc_writer w;
	xc_status s = reserve(e, xc_metadata_bound(&e->metadata) + XC_CHUNK_OVERHEAD, &w);

	if (s)
		return s;
	xc_write_metadata(&w, &e->metadata, &e->written_metadata);
	xc_write_chunk(&w, "DONE", NULL, 0);
	commit(e, &w);
	return e->out.write ? flush(e) : copy_segments(e);
}
