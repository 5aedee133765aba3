/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays to files: the public functions that encode (include/xcodec_array.h). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "src/array/array.h"
#include "src/container/container.h"
#include "src/core/arena.h"
#include "src/core/crc32c.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"

struct xc_array_writer {
	xc_context *context;
	xc_array_header header;
	xc_array_options options;
	xc_write write;
	void *user;
	xc_status failed; /* of an earlier call */
	uint64_t slab;    /* the next one */
	uint64_t predicted;
	uint8_t *values; /* of it, or of the array; NULL: none have come */
	uint64_t have, wanted;
	int begun, ended;  /* the header, the end are written */
	int searching;     /* PSNR, SNR: the error is found when all values have come */
	xc_buffer waiting; /* what is attached before the header can be written */
	size_t waiting_room;
};

void xc_array_options_default(xc_array_options *o)
{
	if (o)
		*o = (xc_array_options){.effort = 2};
}

/* Bytes in memory that grow. */
typedef struct growing {
	xc_context *context;
	xc_buffer *out;
	size_t room;
} growing;

static int grow(void *user, const void *data, size_t size)
{
	growing *g = user;

	if (size > g->room - g->out->size) {
		size_t room = g->room + g->room / 2 + size + 4096;
		uint8_t *p = xc_allocate(g->context, room);
		if (!p)
			return 1;
		if (g->out->size)
			memcpy(p, g->out->data, g->out->size);
		xc_release(g->context, g->out->data);
		g->out->data = p;
		g->room = room;
	}
	memcpy(g->out->data + g->out->size, data, size);
	g->out->size += size;
	return 0;
}

static xc_status put(xc_array_writer *w, const void *bytes, size_t size)
{
	if (w->searching) {
		growing g = {w->context, &w->waiting, w->waiting_room};
		const int failed = size && grow(&g, bytes, size);
		w->waiting_room = g.room;
		return failed ? xc_fail_memory(w->context, size) : XC_OK;
	}
	if (size && w->write(w->user, bytes, size))
		return xc_fail(w->context, XC_ERR_IO, "writing failed");
	return XC_OK;
}

/* ------------------------------------------------------------------- slabs */

/* The bytes of a file before and after pieces and what is attached; how many they are. */
enum { START_BYTES = XC_MAGIC_BYTES + XC_CHUNK_OVERHEAD + XC_ARRAY_HEAD_BYTES };

static size_t make_start(const xc_array_header *h, uint8_t bytes[START_BYTES])
{
	uint8_t head[XC_ARRAY_HEAD_BYTES];
	xc_writer to = {bytes};

	xc_array_header_write(h, head);
	xc_write_magic(&to);
	xc_write_chunk(&to, "ARRY", head, sizeof head);
	return (size_t)(to.next - bytes);
}

static size_t make_end(uint8_t bytes[XC_CHUNK_OVERHEAD])
{
	xc_writer to = {bytes};

	xc_write_chunk(&to, "DONE", NULL, 0);
	return (size_t)(to.next - bytes);
}

static xc_status begin_file(xc_array_writer *w)
{
	uint8_t bytes[START_BYTES];

	if (w->begun || w->searching)
		return XC_OK;
	w->begun = 1;
	return put(w, bytes, make_start(&w->header, bytes));
}

static xc_status put_segments(xc_array_writer *w, xc_segment_bits *segments, uint64_t n)
{
	const size_t room = (size_t)xc_piece_overhead(n);
	uint8_t *start = xc_allocate(w->context, room);
	uint64_t total;

	if (!start)
		return xc_fail_memory(w->context, room);
	xc_writer to = {start};
	const uint32_t crc = xc_write_piece_start(&to, segments, n, &total);
	xc_status s = put(w, start, (size_t)(to.next - start));
	for (uint64_t i = 0; i < n && !s; i++)
		s = put(w, segments[i].data, segments[i].size);
	to.next = start;
	xc_write_u32(&to, crc);
	if (!s)
		s = put(w, start, 4);
	xc_release(w->context, start);
	return s;
}

static xc_status put_slab(xc_array_writer *w, const void *values)
{
	xc_context *c = w->context;
	const xc_slab_place p = xc_slab_of(&w->header, w->slab);
	const uint64_t chunks = xc_slab_chunks(&p);
	/* A thread codes 30 values in a microsecond. */
	const int workers = xc_parallel_workers(c, chunks, xc_slab_values(&p) / 30);
	xc_segment_bits *segments = xc_allocate(c, xc_bytes_of_values(chunks + 1, sizeof *segments));
	xc_arena *memory = xc_allocate_zeroed(c, (size_t)workers * sizeof *memory);
	xc_status s = segments && memory ? begin_file(w) : xc_fail_memory(c, 0);

	for (int i = 0; memory && i < workers; i++)
		memory[i].context = c;
	const xc_progress_range all = c->range;
	const double slabs = (double)w->header.slabs;
	xc_progress_stage(c, all, (double)w->slab / slabs, (double)(w->slab + 1) / slabs);
	if (!s)
		s = xc_slab_encode(c, &w->header, &w->options, &p, values, memory, workers, segments,
		                   &w->predicted);
	if (!s)
		s = put_segments(w, segments, chunks + 1);
	for (int i = 0; memory && i < workers; i++)
		xc_arena_free(&memory[i]);
	xc_release(c, memory);
	xc_release(c, segments);
	w->slab++;
	c->range = all;
	return s;
}

static uint64_t count_of(const xc_array_shape *s)
{
	uint64_t n = 1;

	for (int k = 0; k < s->dimensions; k++)
		n *= s->size[k];
	return n;
}

/* Values that are coded together: of a slab, or all. */
static uint64_t values_of_next(const xc_array_writer *w)
{
	if (w->searching)
		return count_of(&w->header.shape);
	if (w->slab == w->header.slabs)
		return 0;
	const xc_slab_place p = xc_slab_of(&w->header, w->slab);
	return xc_slab_values(&p);
}

static xc_status encode_to(xc_context *c, const xc_array_shape *shape, const void *values,
                           const xc_array_options *o, xc_buffer *file, uint64_t *predicted);

/* All values have come: the file whose error has the PSNR or SNR, with what is attached. */
static xc_status put_found(xc_array_writer *w, const void *values)
{
	uint8_t bytes[START_BYTES];
	const size_t start = make_start(&w->header, bytes), end = make_end(bytes);
	xc_buffer file = {0};
	xc_status s = encode_to(w->context, &w->header.shape, values, &w->options, &file,
	                        &w->predicted);

	w->searching = 0;
	w->begun = 1;
	w->slab = w->header.slabs;
	if (!s)
		s = put(w, file.data, start);
	if (!s)
		s = put(w, w->waiting.data, w->waiting.size);
	if (!s)
		s = put(w, file.data + start, file.size - start - end);
	xc_buffer_free(w->context, &file);
	return s;
}

static xc_status put_next(xc_array_writer *w, const void *values)
{
	return w->searching ? put_found(w, values) : put_slab(w, values);
}

/* Takes values: whole slabs from where they lie, the rest into the writer's memory. */
static xc_status take(xc_array_writer *w, const uint8_t *values, uint64_t count)
{
	const size_t each = xc_array_type_size(w->header.shape.type);
	xc_status s = XC_OK;

	while (count && !s) {
		if (!w->wanted)
			return xc_fail(w->context, XC_ERR_ARGUMENT, "there are more values than the array has");
		const uint64_t n = w->wanted - w->have < count ? w->wanted - w->have : count;
		if (n == w->wanted) {
			s = put_next(w, values);
		} else {
			if (!w->values)
				w->values = xc_allocate(w->context, xc_bytes_of_values(w->wanted, each));
			if (!w->values)
				return xc_fail_memory(w->context, xc_bytes_of_values(w->wanted, each));
			memcpy(w->values + w->have * each, values, (size_t)n * each);
			w->have += n;
			if (w->have < w->wanted)
				return XC_OK;
			s = put_next(w, w->values);
		}
		values += n * each;
		count -= n;
		w->have = 0;
		xc_release(w->context, w->values);
		w->values = NULL;
		w->wanted = values_of_next(w);
	}
	return s;
}

/* ------------------------------------------------------------------ writer */

/* A share of a range, rounded down. */
static double of_range(double low, double high, double share)
{
	double range = high - low;

	if (range > DBL_MAX)
		return fmin(2 * of_range(low / 2, high / 2, share), DBL_MAX);
	const double back = range + low, off = (high - back) - (low - (back - range));
	range = off < 0 ? nextafter(range, 0) : range;
	const double error = fmin(range * share, DBL_MAX);
	/* The remainder of a tiny product is not seen. */
	return error < 0x1p-900 || fma(range, share, -error) < 0 ? nextafter(error, 0) : error;
}

/* The absolute bound. error: the one of PSNR and SNR. */
static xc_status set_error(xc_context *c, xc_array_header *h, const xc_array_options *o,
                           double error)
{
	h->error = error;
	if (h->kind == XC_BOUND_ABSOLUTE)
		h->error = o->bound;
	if (h->kind == XC_BOUND_RELATIVE) {
		if (!o->has_range || !(o->low <= o->high && o->low >= -DBL_MAX && o->high <= DBL_MAX))
			return xc_fail(c, XC_ERR_ARGUMENT, "a bound by the range needs the array's range");
		h->error = of_range(o->low, o->high, o->bound);
	}
	if (!xc_array_is_float(h->shape.type))
		h->error = floor(h->error < 0x1p32 ? h->error : 0x1p32);
	return XC_OK;
}

xc_status xc_array_header_begin(xc_context *c, const xc_array_shape *shape,
                                const xc_array_options *options, double error, xc_array_header *h)
{
	const xc_status s = xc_array_header_make(c, shape, options, h);
	return s ? s : set_error(c, h, options, error);
}

/* searching: the error of PSNR and SNR is to be found; else it is `error`. */
static xc_status open_writer(xc_context *c, const xc_array_shape *shape,
                             const xc_array_options *options, int searching, double error,
                             xc_write write, void *user, xc_array_writer **out)
{
	xc_array_header h;
	xc_array_options o;

	xc_array_options_default(&o);
	o = options ? *options : o;
	const xc_status s = xc_array_header_begin(c, shape, &o, error, &h);
	if (s)
		return s;
	xc_array_writer *w = xc_allocate_zeroed(c, sizeof *w);
	if (!w)
		return xc_fail_memory(c, sizeof *w);
	w->context = c;
	w->header = h;
	w->options = o;
	w->write = write;
	w->user = user;
	w->searching = searching;
	w->wanted = values_of_next(w);
	*out = w;
	return XC_OK;
}

xc_status xc_array_writer_new(xc_context *c, const xc_array_shape *shape,
                              const xc_array_options *options, xc_write write, void *user,
                              xc_array_writer **writer)
{
	XC_DEFAULT_FLOATS;
	xc_status s = XC_BEGIN_RESULT(c, writer);

	if (s)
		return s;
	if (!shape || !write)
		return xc_fail(c, XC_ERR_ARGUMENT, "no shape, or no function that writes");
	const int searching = options &&
	                      (options->kind == XC_BOUND_PSNR || options->kind == XC_BOUND_SNR);
	return open_writer(c, shape, options, searching, 0, write, user, writer);
}

/* Begins a call that continues the file. */
static xc_status go_on(xc_array_writer *w)
{
	if (!w)
		return XC_ERR_ARGUMENT;
	xc_resume(w->context);
	if (w->failed)
		return xc_fail(w->context, w->failed, "an earlier call failed");
	return w->ended ? xc_fail(w->context, XC_ERR_ARGUMENT, "the file has ended") : XC_OK;
}

xc_status xc_array_writer_values(xc_array_writer *w, const void *values, uint64_t count)
{
	XC_DEFAULT_FLOATS;
	xc_status s = go_on(w);

	if (s)
		return s;
	if (!values && count)
		return xc_fail(w->context, XC_ERR_ARGUMENT, "no values");
	s = take(w, values, count);
	w->failed = s;
	return s;
}

xc_status xc_array_writer_attach(xc_array_writer *w, const char name[4], const void *bytes,
                                 size_t size)
{
	uint8_t start[XC_CHUNK_OVERHEAD + 4], end[4];

	xc_status s = go_on(w);
	if (s)
		return s;
	if (!name || (!bytes && size))
		return xc_fail(w->context, XC_ERR_ARGUMENT, "nothing to attach");
	s = begin_file(w);
	if (!s) {
		xc_writer to = {start};
		xc_write_chunk_start(&to, "atta", 4 + (uint64_t)size);
		memcpy(to.next, name, 4);
		to.next += 4;
		uint32_t crc = xc_crc32c(0, start, (size_t)(to.next - start));
		crc = xc_crc32c(crc, bytes, size);
		s = put(w, start, (size_t)(to.next - start));
		if (!s)
			s = put(w, bytes, size);
		to.next = end;
		xc_write_u32(&to, crc);
		if (!s)
			s = put(w, end, sizeof end);
	}
	w->failed = s;
	return s;
}

uint64_t xc_array_writer_predicted(const xc_array_writer *w)
{
	return w ? w->predicted : 0;
}

xc_status xc_array_writer_end(xc_array_writer *w)
{
	XC_DEFAULT_FLOATS;
	uint8_t bytes[XC_CHUNK_OVERHEAD];

	xc_status s = go_on(w);
	if (s)
		return s;
	if (w->wanted)
		return xc_fail(w->context, XC_ERR_ARGUMENT, "values of the array are missing");
	w->failed = put(w, bytes, make_end(bytes));
	w->ended = 1;
	return w->failed;
}

void xc_array_writer_free(xc_array_writer *w)
{
	if (!w)
		return;
	xc_release(w->context, w->values);
	xc_buffer_free(w->context, &w->waiting);
	xc_release(w->context, w);
}

/* ------------------------------------------------------------ whole arrays */

static xc_status encode_once(xc_context *c, const xc_array_shape *shape, const void *values,
                             const xc_array_options *o, double error, xc_buffer *file,
                             uint64_t *predicted)
{
	growing g = {c, file, 0};
	xc_array_writer *w = NULL;

	*file = (xc_buffer){0};
	xc_status s = open_writer(c, shape, o, 0, error, grow, &g, &w);
	if (!s)
		s = take(w, values, count_of(shape));
	if (!s)
		s = xc_array_writer_end(w);
	*predicted = xc_array_writer_predicted(w);
	xc_array_writer_free(w);
	if (s == XC_ERR_IO)
		s = xc_fail_memory(c, 0);
	if (s)
		xc_buffer_free(c, file);
	return s;
}

/* Sums over the array and what a file gives. */
static xc_status error_of(xc_context *c, const xc_array_shape *shape, const void *values,
                          double fill, const xc_buffer *file, xc_array_sums *sums)
{
	const xc_source source = {.memory = file->data, .size = file->size};
	const size_t bytes = xc_bytes_of_values(count_of(shape), xc_array_type_size(shape->type));
	xc_array_difference d;
	xc_array_reader *r = NULL;
	void *decoded = xc_allocate(c, bytes);

	if (!decoded)
		return xc_fail_memory(c, bytes);
	xc_status s = xc_array_reader_new(c, &source, &r);
	if (!s)
		s = xc_array_read(r, NULL, 1, decoded);
	if (!s)
		s = xc_array_sum(c, shape->type, values, decoded, fill, count_of(shape), &d, sums);
	xc_array_reader_free(r);
	xc_release(c, decoded);
	return s;
}

/* 10 to the power of -db / 20; pow() is not the same on all machines. */
static double amplitude_of(double db)
{
	const double octaves = db * 0.16609640474436813; /* log2(10) / 20 */
	const int whole = octaves < 4000 ? (int)octaves : 4000;
	double rest = octaves - whole, root = 2, part = 1;

	for (int i = 0; i < 50; i++) {
		root = sqrt(root);
		rest *= 2;
		if (rest >= 1) {
			part *= root;
			rest -= 1;
		}
	}
	return ldexp(1 / part, -whole);
}

/* The range of what is not the fill value; 0 to 0 if nothing is finite. */
static xc_array_look look_without_fill(const xc_array_shape *shape, const void *values, double fill)
{
	xc_array_look look = {.low = 1, .high = 0, .whole = 1};

	xc_array_look_at_some(shape->type, values, NULL, fill, count_of(shape), &look);
	if (look.low > look.high)
		look.low = look.high = 0;
	return look;
}

/* Looks for the largest error whose file has the PSNR or SNR: by halves of what remains, on a
 * logarithmic scale. */
static xc_status encode_to(xc_context *c, const xc_array_shape *shape, const void *values,
                           const xc_array_options *o, xc_buffer *file, uint64_t *predicted)
{
	enum { TRIES = 8 };
	const double wanted = amplitude_of(o->bound), fill = xc_array_fill(shape->type, o);
	const xc_array_look look = look_without_fill(shape, values, fill);
	xc_array_sums d;
	uint64_t some = 0;
	/* Errors that spread evenly have a mean square of a third of the bound's. */
	double error = (look.high / 2 - look.low / 2) * wanted * 3.4641016, enough = 0, much = 0;
	const xc_progress_range all = c->range;
	xc_buffer next = {0};
	xc_status s = XC_OK;

	*file = (xc_buffer){0};
	c->within = 1;
	/* Squares of what is less than 10^-120 of the range might vanish. */
	for (int i = 0; i < TRIES && !s && wanted > 1e-120 && error > 0; i++) {
		error = fmin(error, DBL_MAX);
		/* Nobody knows how many tries there will be: each of the two
		 * stages of one takes a quarter of the remaining progress. */
		xc_progress_stage(c, xc_progress_rest(c, all), 0, 0.25);
		s = encode_once(c, shape, values, o, error, &next, &some);
		xc_progress_stage(c, xc_progress_rest(c, all), 0, 0.25);
		if (!s)
			s = error_of(c, shape, values, fill, &next, &d);
		if (s)
			break;
		const double peak = o->kind == XC_BOUND_PSNR ? d.range * d.range * d.finite : d.energy;
		const double most = peak * wanted * wanted;
		if (d.squares <= most) {
			xc_buffer_free(c, file);
			*file = next;
			next = (xc_buffer){0};
			*predicted = some;
			enough = error;
			if (d.squares > most * 0.988) /* 0.05 dB */
				break;
		} else {
			much = error;
		}
		xc_buffer_free(c, &next);
		if (enough > 0 && much > 0)
			error = sqrt(enough) * sqrt(much);
		else if (d.squares > 0)
			error *= sqrt(most / d.squares) * (enough > 0 ? 1 : 0.9977);
		else
			error *= 4;
	}
	xc_buffer_free(c, &next);
	c->range = xc_progress_rest(c, all);
	if (!s && !file->data)
		s = encode_once(c, shape, values, o, 0, file, predicted);
	c->within = 0;
	if (s)
		xc_buffer_free(c, file);
	return s;
}

xc_status xc_array_encode(xc_context *c, const xc_array_shape *shape, const void *values,
                          const xc_array_options *options, xc_buffer *file)
{
	XC_DEFAULT_FLOATS;
	xc_array_options o;
	xc_array_header h;
	uint64_t predicted;
	xc_status s = XC_BEGIN_RESULT(c, file);

	if (s)
		return s;
	if (!shape || !values)
		return xc_fail(c, XC_ERR_ARGUMENT, "no array");
	xc_array_options_default(&o);
	o = options ? *options : o;
	s = xc_array_header_make(c, shape, &o, &h);
	if (s)
		return s;
	if (o.kind == XC_BOUND_RELATIVE && !o.has_range) {
		const xc_array_look look = look_without_fill(shape, values, xc_array_fill(shape->type, &o));
		o.low = look.low;
		o.high = look.high;
		o.has_range = 1;
	}
	if (o.kind == XC_BOUND_PSNR || o.kind == XC_BOUND_SNR)
		return encode_to(c, shape, values, &o, file, &predicted);
	return encode_once(c, shape, values, &o, 0, file, &predicted);
}
