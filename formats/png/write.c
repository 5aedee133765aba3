/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A PNG file from rows.  They are filtered when they come.  What that makes is one stream of
 * bytes, which is cut into strips of one size.  When each thread can have several, they are
 * deflated; each may refer to the 32 KiB before it.  Each strip becomes an IDAT chunk.  So the
 * file depends on the picture and the level alone.
 */
#include "formats/png/png.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Bytes of a strip.  That it begins anew costs it about 200 bytes. */
enum { STRIP = 1 << 18 };
enum { CHUNK_HEAD = 8, CHECKSUM = 4 };
/* Bytes of rows that a thread filters at a time. */
enum { PIECE = 1 << 16 };
/* Strips that are deflated at once: several a thread, so that none waits long for the last one to
 * end; all together no more than ENOUGH_STRIPS, unless there are more threads. */
enum { STRIPS_A_THREAD = 8, ENOUGH_STRIPS = 32 };

/* ---------------------------------------------------------------------------------- metadata */

enum { LONGEST_KEY = 79 };

/* A chunk's length has 31 bits. */
#define CHUNK_MAX ((size_t)0x7fffffff)

static const char icc_prefix[] = "ICC profile\0"; /* its name; compression method 0 */
/* Not compressed, as XMP demands, so that other programs find it by its marks; no language
 * and no translation. */
static const char xmp_prefix[] = XC_PNG_XMP_KEYWORD "\0\0\0\0";

/* Writes a chunk of two parts, whose sizes together have at most 31 bits. */
static xc_status put_chunk(const xc_row_writer *writer, const char *type, const void *prefix,
                           size_t prefix_size, const void *data, size_t size)
{
	uint8_t head[8], checksum[4];

	xc_store_be32(head, (uint32_t)(prefix_size + size));
	memcpy(head + 4, type, 4);
	uint32_t crc = xc_png_crc(0, head + 4, 4);
	crc = xc_png_crc(crc, prefix, prefix_size);
	xc_store_be32(checksum, xc_png_crc(crc, data, size));
	xc_status status = xc_row_writer_put(writer, head, sizeof head);
	status = status ? status : xc_row_writer_put(writer, prefix, prefix_size);
	status = status ? status : xc_row_writer_put(writer, data, size);
	return status ? status : xc_row_writer_put(writer, checksum, sizeof checksum);
}

static xc_status put_icc(xc_row_writer *writer, const xc_blob *icc)
{
	uLong size = compressBound((uLong)icc->size);
	const uint64_t reserved = size;
	const xc_status refused = xc_row_writer_reserve(writer, reserved);

	if (refused)
		return refused;
	uint8_t *packed = malloc(size);
	if (!packed ||
	    compress2(packed, &size, icc->data, (uLong)icc->size, Z_BEST_COMPRESSION) != Z_OK) {
		free(packed);
		return xc_file_fail(writer->message, XC_ERR_MEMORY, "out of memory for metadata");
	}
	const xc_status status = put_chunk(writer, "iCCP", icc_prefix, sizeof icc_prefix, packed, size);
	free(packed);
	xc_row_writer_unreserve(writer, reserved);
	return status;
}

static xc_status put_density(const xc_row_writer *writer)
{
	uint8_t data[9];

	xc_store_be32(data, writer->metadata->density_x);
	xc_store_be32(data + 4, writer->metadata->density_y);
	data[8] = writer->metadata->density_unit;
	return put_chunk(writer, "pHYs", data, 0, data, sizeof data);
}

static int is_wanted(const xc_row_writer *writer, const xc_blob *blob, const char *name)
{
	if (!blob->data || blob->size == 0)
		return 0;
	if (blob->size <= CHUNK_MAX / 2)
		return 1;
	xc_file_warn(writer->message, "the %s is too large for a PNG: left out", name);
	return 0;
}

/* The Latin-1 of a UTF-8 keyword; returns its length, or 0 if it is no keyword. */
static size_t make_key(const char *utf8, uint8_t key[LONGEST_KEY + 1])
{
	size_t n = 0;

	for (const uint8_t *p = (const uint8_t *)utf8; *p; n++) {
		if (n == LONGEST_KEY)
			return 0;
		if (*p < 0x80) {
			key[n] = *p++;
		} else {
			if ((*p != 0xc2 && *p != 0xc3) || (p[1] & 0xc0) != 0x80)
				return 0;
			key[n] = (uint8_t)(p[0] << 6 | (p[1] & 0x3f));
			p += 2;
		}
	}
	key[n] = 0;
	return n;
}

static int is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text & 0x80)
			return 0;
	return 1;
}

static xc_status put_text(const xc_row_writer *writer)
{
	const char *key, *value;
	xc_status status = XC_OK;

	for (size_t at = 0; !status && xc_file_next_pair(&writer->metadata->text, &at, &key, &value);) {
		/* After the keyword of an iTXt: no compression, no language, no translation. */
		uint8_t head[LONGEST_KEY + 1 + 4] = {0};
		const size_t n = make_key(key, head), size = strlen(value);
		const int ascii = is_ascii(value);
		if (n == 0)
			xc_file_warn(writer->message, "text whose key no PNG can hold is left out");
		else
			status = put_chunk(writer, ascii ? "tEXt" : "iTXt", head, n + (ascii ? 1 : 5), value,
			                   size);
	}
	return status;
}

static xc_status put(const xc_row_writer *writer, const char *type, const void *data, size_t size)
{
	return put_chunk(writer, type, data, 0, data, size);
}

static xc_status put_primaries(const xc_row_writer *writer)
{
	uint8_t numbers[4 * 8];

	for (int i = 0; i < 8; i++)
		xc_store_be32(numbers + 4 * i, writer->metadata->primaries[i]);
	return put(writer, "cHRM", numbers, sizeof numbers);
}

/* The bits of an index: those of the original, or the fewest that do; 0: no palette is written. */
static int index_bits(const xc_row_writer *writer)
{
	const xc_metadata *m = writer->metadata;
	int bits = 1;

	/* Colours of a PNG's palette are RGB: a grey picture would come back as another kind. */
	if (!xc_palette_is_valid(m) || writer->shape.depth != 8 || writer->shape.channels < 3)
		return 0;
	while (m->palette.size / 4 > 1u << bits)
		bits *= 2;
	const int given = m->palette_bits;
	return (given == 2 || given == 4 || given == 8) && given > bits ? given : bits;
}

/* tRNS ends with the last entry that is not opaque; with a single one it says that the picture has
 * alpha, where all of them are. */
static xc_status put_palette(const xc_row_writer *writer)
{
	const xc_blob *palette = &writer->metadata->palette;
	const size_t count = palette->size / 4;
	const uint8_t *p = palette->data;
	uint8_t rgb[3 * XC_PALETTE_MAX], alpha[XC_PALETTE_MAX];
	const int has_alpha = writer->shape.channels == 4;
	size_t alphas = has_alpha ? 1 : 0;

	for (size_t i = 0; i < count; i++) {
		memcpy(rgb + 3 * i, p + 4 * i, 3);
		alpha[i] = p[4 * i + 3];
		if (has_alpha && alpha[i] < 255)
			alphas = i + 1;
	}
	const xc_status status = put(writer, "PLTE", rgb, 3 * count);
	return status || !alphas ? status : put(writer, "tRNS", alpha, alphas);
}

/* The bits of a sample of grey that had fewer than 8 of them; 0: samples have those of the shape. */
static uint32_t grey_bits(const xc_row_writer *writer)
{
	const xc_picture *shape = &writer->shape;
	const uint32_t m = xc_file_maxval(writer->metadata, shape->depth);

	return shape->channels != 1 ? 0 : m == 1 ? 1 : m == 3 ? 2 : m == 15 ? 4 : 0;
}

/* How many bits a sample of the original had: those of its largest one, if nothing else says. */
static uint32_t bits_of(const xc_row_writer *writer, uint32_t channel)
{
	const xc_metadata *m = writer->metadata;
	const uint32_t depth = writer->shape.depth, maxval = xc_file_maxval(m, depth);
	uint32_t bits = 0;

	while (maxval >> bits)
		bits++;
	return m->significant_bits[0] ? m->significant_bits[channel] : bits < depth ? bits : 0;
}

static xc_status put_bits(const xc_row_writer *writer)
{
	const uint32_t channels = index_bits(writer) ? 3 : writer->shape.channels;
	const uint32_t depth = grey_bits(writer) ? grey_bits(writer) : writer->shape.depth;
	uint8_t bits[4];

	for (uint32_t i = 0; i < channels; i++) {
		const uint32_t n = bits_of(writer, i);
		bits[i] = (uint8_t)(n && n < depth ? n : depth);
	}
	return put(writer, "sBIT", bits, channels);
}

static xc_status put_beside(const xc_row_writer *writer, int has_icc)
{
	static const uint8_t perceptual[1] = {0}; /* the intent that is meant where nothing is said */
	const xc_metadata *m = writer->metadata;
	uint8_t gamma[4];
	xc_status status = XC_OK;

	xc_store_be32(gamma, m->gamma);
	/* Where there is a profile, sRGB would not count before it, and it may not be there. */
	if (xc_file_is_srgb(m) && !has_icc)
		status = put(writer, "sRGB", perceptual, sizeof perceptual);
	else if (m->cicp[0])
		status = put(writer, "cICP", m->cicp, sizeof m->cicp);
	if (!status && m->gamma)
		status = put(writer, "gAMA", gamma, sizeof gamma);
	if (!status && m->primaries[0])
		status = put_primaries(writer);
	if (!status && bits_of(writer, 0) && bits_of(writer, 0) != grey_bits(writer))
		status = put_bits(writer);
	return status ? status : put_text(writer);
}

/* Writes the chunks that hold the writer's metadata. */
static xc_status put_metadata(xc_row_writer *writer)
{
	const xc_metadata *m = writer->metadata;
	xc_status status = XC_OK;

	if (!m)
		return XC_OK;
	const int has_icc = is_wanted(writer, &m->icc, "colour profile") &&
	                    xc_row_writer_profile_fits(writer);
	if (has_icc)
		status = put_icc(writer, &m->icc);
	if (!status && (m->density_x || m->density_y))
		status = put_density(writer);
	if (!status && is_wanted(writer, &m->exif, "EXIF"))
		status = put_chunk(writer, "eXIf", "", 0, m->exif.data, m->exif.size);
	if (!status && is_wanted(writer, &m->xmp, "XMP"))
		status = put_chunk(writer, "iTXt", xmp_prefix, sizeof xmp_prefix, m->xmp.data, m->xmp.size);
	status = status ? status : put_beside(writer, has_icc);
	return status || !index_bits(writer) ? status : put_palette(writer);
}

/* A strip, and its chunk. */
typedef struct strip {
	uint8_t *chunk;
	size_t chunk_size; /* 0: no memory */
	const uint8_t *from;
	size_t size, window;
	int first, last;
	uint32_t adler, crc;
	int made; /* changed atomically: the chunk can be put */
} strip;

typedef struct png_writer {
	xc_row_writer base; /* first */
	size_t row;         /* bytes of a row */
	int index_bits;     /* 0: no palette */
	uint32_t grey_bits; /* of a sample, 1, 2 or 4; 0: those of the shape */
	int unknown;        /* changed atomically: a pixel has a colour that the palette lacks */
	uint32_t pixel;     /* bytes of a pixel */
	int filter;
	xc_palette_map map;
	uint8_t *above;    /* the last row that came */
	uint8_t *changed;  /* two rows a thread, with the high byte of samples first, or of indices */
	uint8_t *filtered; /* the window, and from `begin` to `end` what is not deflated yet */
	size_t begin, end, capacity;
	uint64_t left;       /* bytes that are not deflated yet, nor perhaps filtered */
	uint64_t strips;     /* that are written */
	strip *strip;        /* those that are deflated at once */
	uint32_t slots, cut; /* how many can be, and are */
	int putting;      /* changed atomically: a thread puts chunks, and has what follows to itself */
	uint32_t put;     /* how many have been put */
	xc_status status; /* of that */
	xc_deflater **deflater; /* one a thread */
	uint32_t adler;         /* of all that is deflated */
} png_writer;

/* ------------------------------------------------------------------ filtering */

/* Rows that came in one call. */
typedef struct arrival {
	png_writer *writer;
	const uint8_t *rows;
	size_t stride;
	uint32_t count, pieces;
	/* Changed atomically: pieces and strips that were begun; pieces that are done. */
	uint32_t taken, filtered;
} arrival;

/* Bits of an index or of a grey sample of fewer than 8. 0: samples are those of the shape. */
static uint32_t packed_bits(const png_writer *w)
{
	return w->index_bits ? (uint32_t)w->index_bits : w->grey_bits;
}

/* Room for a row that is changed. */
static size_t changed_row(const png_writer *w)
{
	return packed_bits(w) ? w->base.shape.width : w->row;
}

/* Makes a row of indices or grey samples, the first one in the highest bits of a byte. */
static void make_packed(png_writer *w, uint8_t *to, const uint8_t *pixels)
{
	const uint32_t width = w->base.shape.width, bits = packed_bits(w), each = 8 / bits;

	for (uint32_t x = 0; x < width && w->grey_bits; x++)
		to[x] = (uint8_t)((pixels[x] * ((1u << bits) - 1) + 127) / 255);
	if (w->index_bits && !xc_palette_map_find(&w->map, pixels, w->base.shape.channels, width, to)) {
		__atomic_store_n(&w->unknown, 1, __ATOMIC_RELAXED);
		memset(to, 0, width);
	}
	for (uint32_t x = 0, i = 0; x < width && bits < 8; i++) {
		uint32_t byte = 0;
		for (uint32_t k = 0; k < each; k++, x++)
			byte = byte << bits | (x < width ? to[x] : 0);
		to[i] = (uint8_t)byte;
	}
}

/* Row y of an arrival as it is in the file, until a second call of the thread from now on.
 * Row -1 came before. */
static const uint8_t *in_file_order(const arrival *a, int64_t y, uint32_t thread)
{
	const png_writer *w = a->writer;

	if (y < 0)
		return w->above;
	const uint8_t *row = a->rows + (size_t)y * a->stride;
	if (!w->changed)
		return row;
	uint8_t *to = w->changed + (2 * (size_t)thread + (size_t)y % 2) * changed_row(w);
	if (packed_bits(w))
		make_packed(a->writer, to, row);
	else
		xc_png_swap(to, row, w->row);
	return to;
}

/* One of the pieces that an arrival is cut into. */
static void filter_piece(const arrival *a, uint32_t piece, uint32_t thread)
{
	const png_writer *w = a->writer;
	const uint32_t begin = (uint32_t)((uint64_t)a->count * piece / a->pieces);
	const uint32_t end = (uint32_t)((uint64_t)a->count * (piece + 1) / a->pieces);
	const uint8_t *above = in_file_order(a, (int64_t)begin - 1, thread);

	for (uint32_t y = begin; y < end; y++) {
		const uint8_t *row = in_file_order(a, y, thread);
		xc_png_filter(w->filtered + w->end + y * (w->row + 1), row, above, w->row, w->pixel,
		              w->filter);
		above = row;
	}
}

/* After all of it is filtered. */
static void keep_last_row(const arrival *a)
{
	png_writer *w = a->writer;

	memcpy(w->above, in_file_order(a, (int64_t)a->count - 1, 0), w->row);
	w->end += a->count * (w->row + 1);
}

/* ------------------------------------------------------------------ deflating */

static void deflate_strip(strip *s, int level, xc_deflater *deflater)
{
	uint8_t *p = s->chunk + CHUNK_HEAD;

	if (s->first) {
		xc_deflate_head(level, p);
		p += XC_DEFLATE_HEAD;
	}
	const size_t made = xc_deflater_run(deflater, s->from, s->size, s->window, s->last, p);
	if (made == 0)
		return;
	s->chunk_size = (size_t)(p + made - s->chunk);
	s->adler = xc_png_adler(s->from, s->size);
	memcpy(s->chunk + 4, "IDAT", 4);
	s->crc = xc_png_crc(0, s->chunk + 4, s->chunk_size - 4);
}

/* Completes the chunk by what needs the strips before it. */
static xc_status put_strip(png_writer *w, strip *s)
{
	if (s->chunk_size == 0)
		return xc_file_fail(w->base.message, XC_ERR_MEMORY, "out of memory for compression");
	w->adler = xc_png_adler_join(w->adler, s->adler, s->size);
	uint8_t *end = s->chunk + s->chunk_size;
	if (s->last) {
		xc_store_be32(end, w->adler);
		s->crc = xc_png_crc(s->crc, end, XC_DEFLATE_TAIL);
		end += XC_DEFLATE_TAIL;
	}
	xc_store_be32(s->chunk, (uint32_t)(end - s->chunk) - CHUNK_HEAD);
	xc_store_be32(end, s->crc);
	return xc_row_writer_put(&w->base, s->chunk, (size_t)(end + CHECKSUM - s->chunk));
}

/* Puts what can be put in order, unless another thread does that. */
static void put_strips(png_writer *w)
{
	if (__atomic_exchange_n(&w->putting, 1, __ATOMIC_ACQUIRE))
		return;
	for (; w->put < w->cut && __atomic_load_n(&w->strip[w->put].made, __ATOMIC_ACQUIRE); w->put++)
		if (!w->status)
			w->status = put_strip(w, &w->strip[w->put]);
	__atomic_store_n(&w->putting, 0, __ATOMIC_RELEASE);
}

/* Cuts the next strip off what is filtered. */
static void cut_strip(png_writer *w, strip *s)
{
	s->chunk_size = 0;
	s->made = 0;
	s->from = w->filtered + w->begin;
	s->size = w->left < STRIP ? (size_t)w->left : STRIP;
	s->first = w->strips == 0;
	s->window = s->first ? 0 : XC_DEFLATE_WINDOW;
	w->begin += s->size;
	w->left -= s->size;
	w->strips++;
	s->last = w->left == 0;
}

/* What one thread does of an arrival: pieces to filter, then strips, when all that they are cut
 * from is filtered, for which another thread's last piece may be waited. */
static void work_on(void *arg, uint32_t thread)
{
	arrival *a = arg;
	png_writer *w = a->writer;
	xc_deflater **deflater = &w->deflater[thread];
	uint32_t k;

	while ((k = __atomic_fetch_add(&a->taken, 1, __ATOMIC_RELAXED)) < a->pieces) {
		filter_piece(a, k, thread);
		__atomic_fetch_add(&a->filtered, 1, __ATOMIC_RELEASE);
	}
	if (k - a->pieces < w->cut && !*deflater)
		*deflater = xc_deflater_new(w->base.level);
	while (__atomic_load_n(&a->filtered, __ATOMIC_ACQUIRE) < a->pieces)
		sched_yield();
	for (; k - a->pieces < w->cut; k = __atomic_fetch_add(&a->taken, 1, __ATOMIC_RELAXED)) {
		strip *s = &w->strip[k - a->pieces];
		if (*deflater)
			deflate_strip(s, w->base.level, *deflater);
		__atomic_store_n(&s->made, 1, __ATOMIC_RELEASE);
		put_strips(w);
	}
}

/* Cuts as many strips as are deflated at once, or all that are left, if the
 * `ready` bytes have them. */
static void cut_strips(png_writer *w, size_t ready)
{
	const size_t whole = ready / STRIP + (ready == w->left && ready % STRIP);

	w->cut = w->put = 0;
	if (whole >= w->slots || ready == w->left)
		while (w->cut < whole && w->cut < w->slots)
			cut_strip(w, &w->strip[w->cut++]);
}

static void share_out(png_writer *w, arrival *a)
{
	const xc_row_pool *pool = &w->base.pool;
	const uint32_t work = a->pieces + w->cut;

	if (pool->threads > 1 && work > 1)
		pool->run(pool->user, work < pool->threads ? work : pool->threads, work_on, a);
	else
		work_on(a, 0);
	/* What a thread left to another one that had looked just before. */
	put_strips(w);
}

/* Filters rows for which there is room, and writes the strips that they complete. */
static xc_status write_arrival(png_writer *w, const uint8_t *rows, size_t stride, uint32_t count)
{
	const size_t bytes = count * (w->row + 1), pieces = bytes / PIECE;
	const size_t end = w->end + bytes;
	arrival a = {w, rows, stride, count, pieces < count ? (uint32_t)pieces : count, 0, 0};

	a.pieces += a.pieces == 0;
	cut_strips(w, end - w->begin);
	share_out(w, &a);
	keep_last_row(&a);
	if (w->unknown)
		return xc_file_fail(w->base.message, XC_ERR_ARGUMENT,
		                    "a pixel has a colour that the palette lacks");
	for (; w->cut && !w->status; share_out(w, &a)) {
		a = (arrival){.writer = w};
		cut_strips(w, end - w->begin);
	}
	return w->status;
}

/* Keeps what is not deflated, and the window before it. */
static void make_room(png_writer *w)
{
	const size_t kept = w->begin < XC_DEFLATE_WINDOW ? w->begin : XC_DEFLATE_WINDOW;

	memmove(w->filtered, w->filtered + w->begin - kept, kept + w->end - w->begin);
	w->end -= w->begin - kept;
	w->begin = kept;
}

static xc_status write_rows(xc_row_writer *writer, const void *rows, size_t stride, uint32_t count)
{
	png_writer *w = (png_writer *)writer;
	const uint8_t *p = rows;

	for (uint32_t n; count; count -= n, p += n * stride) {
		const size_t fit = (w->capacity - w->end) / (w->row + 1);
		n = fit < count ? (uint32_t)fit : count;
		const xc_status status = write_arrival(w, p, stride, n);
		if (status)
			return status;
		make_room(w);
	}
	return XC_OK;
}

/* ------------------------------------------------------------------ the writer */

static xc_status end_file(xc_row_writer *writer)
{
	return put_chunk(writer, "IEND", "", 0, "", 0);
}

static void discard(xc_row_writer *writer)
{
	png_writer *w = (png_writer *)writer;

	for (uint32_t i = 0; w->deflater && i < w->base.pool.threads; i++)
		xc_deflater_free(w->deflater[i]);
	for (uint32_t i = 0; w->strip && i < w->slots; i++)
		free(w->strip[i].chunk);
	free(w->deflater);
	free(w->strip);
	free(w->filtered);
	free(w->changed);
	free(w->above);
}

/* Bytes of a deflated strip. */
static size_t chunk_bytes(const png_writer *w)
{
	const size_t size = w->left < STRIP ? (size_t)w->left : STRIP;
	return CHUNK_HEAD + XC_DEFLATE_HEAD + xc_deflate_bound(size) + XC_DEFLATE_TAIL + CHECKSUM;
}

/* Bytes of two rows for each thread, if they must be changed. */
static size_t changed_bytes(const png_writer *w)
{
	return xc_png_swaps(&w->base.shape) || packed_bits(w)
	           ? 2 * w->base.pool.threads * changed_row(w)
	           : 0;
}

static uint32_t slots_of(uint32_t threads)
{
	const uint32_t many = threads * STRIPS_A_THREAD, min = threads > 1 ? ENOUGH_STRIPS : 1;
	return many < min ? many : threads > min ? threads : min;
}

/* Settles for as many threads as there is work and memory for. */
static xc_status choose_threads(png_writer *w)
{
	const uint64_t strips = w->left / STRIP + (w->left % STRIP != 0);
	uint32_t *threads = &w->base.pool.threads;
	xc_status status;

	if (strips < *threads)
		*threads = (uint32_t)strips;
	for (;; *threads /= 2) {
		w->slots = slots_of(*threads);
		w->slots = w->slots < strips ? w->slots : (uint32_t)strips;
		const uint64_t batch = (uint64_t)w->slots * STRIP + w->row + 1;
		w->capacity = XC_DEFLATE_WINDOW + (size_t)(w->left < batch ? w->left : batch);
		status = xc_row_writer_reserve(&w->base, w->capacity + w->row + changed_bytes(w) +
		                                             w->slots * chunk_bytes(w) +
		                                             *threads * (size_t)XC_DEFLATER_MEMORY);
		if (!status || *threads == 1)
			return status;
	}
}

/* The buffers have room for all strips at once and the row that completes the
 * last, or for all rows. */
static xc_status allocate(png_writer *w)
{
	const xc_status status = choose_threads(w);
	const uint32_t threads = w->base.pool.threads;

	if (status)
		return status;
	w->base.message[0] = '\0'; /* of an attempt with more threads */
	w->filtered = malloc(w->capacity);
	w->above = calloc(1, w->row);
	w->strip = calloc(w->slots, sizeof *w->strip);
	w->deflater = calloc(threads, sizeof(xc_deflater *));
	int made = w->filtered && w->above && w->strip && w->deflater;
	if (changed_bytes(w)) {
		w->changed = malloc(changed_bytes(w));
		made &= w->changed != NULL;
	}
	for (uint32_t i = 0; i < w->slots && made; i++) {
		w->strip[i].chunk = malloc(chunk_bytes(w));
		made = w->strip[i].chunk != NULL;
	}
	return made ? XC_OK : xc_file_fail(w->base.message, XC_ERR_MEMORY, "out of memory for rows");
}

static xc_status put_header(const xc_row_writer *writer)
{
	static const uint8_t types[5] = {0, XC_PNG_GREY, XC_PNG_GREY_ALPHA, XC_PNG_RGB, XC_PNG_RGBA};
	const int bits = index_bits(writer);
	uint8_t data[13] = {0};

	xc_store_be32(data, writer->shape.width);
	xc_store_be32(data + 4, writer->shape.height);
	data[8] = (uint8_t)(bits                ? bits
	                    : grey_bits(writer) ? (int)grey_bits(writer)
	                                        : (int)writer->shape.depth);
	data[9] = bits ? XC_PNG_PALETTE : types[writer->shape.channels];
	const xc_status status = xc_row_writer_put(writer, xc_png_signature, sizeof xc_png_signature);
	return status ? status : put_chunk(writer, "IHDR", "", 0, data, sizeof data);
}

static xc_status create(xc_row_writer *writer)
{
	static const xc_row_writer_kind kind = {write_rows, end_file, discard};
	const uint32_t width = writer->shape.width, height = writer->shape.height;
	png_writer *w = (png_writer *)writer;

	if (writer->level < -1 || writer->level > 9)
		return xc_file_fail(writer->message, XC_ERR_ARGUMENT, "compression level %d is not 0 to 9",
		                    writer->level);
	if (width > 0x7fffffff || height > 0x7fffffff)
		return xc_file_fail(writer->message, XC_ERR_UNSUPPORTED,
		                    "%u x %u pixels are too many for a PNG: use ppm, pgm or pam", width,
		                    height);
	writer->kind = &kind;
	w->pixel = writer->shape.channels * writer->shape.depth / 8;
	w->row = (size_t)width * w->pixel;
	w->index_bits = index_bits(writer);
	w->grey_bits = grey_bits(writer);
	if (w->index_bits)
		xc_palette_map_fill(&w->map, &writer->metadata->palette);
	if (packed_bits(w)) {
		w->pixel = 1;
		w->row = ((size_t)width * packed_bits(w) + 7) / 8;
	}
	w->left = (uint64_t)height * (w->row + 1);
	/* Without compression, filters only take time. Indices that are near are no colours that are, and
	 * bytes that are near no samples that are. */
	w->filter = writer->level == 0 || packed_bits(w) ? XC_PNG_NONE : XC_PNG_FILTERS;
	w->adler = 1;
	xc_status status = allocate(w);
	status = status ? status : put_header(writer);
	return status ? status : put_metadata(writer);
}

const xc_row_output xc_png_row_output = {sizeof(png_writer), create};
