/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEGs to XC files: xc_jpeg_encode() of include/xcodec_jpeg.h. A file is cut into pictures and what
 * lies between them. Of a picture the threads of the context take a piece at a time: each in turn
 * reads the next band, which no two can do at once, and models it; then its symbols are coded by
 * frequencies made for the piece.
 */
#include <string.h>

#include "src/core/crc32c.h"
#include "src/core/parallel.h"
#include "src/jpeg/file.h"

enum { PIECE_PIXELS = 1 << 22, PARTS = 2 * XC_JPEG_PICTURES + 1, LEAST_PICTURE = 2048 };

/* A part of the file: bytes as they are, or a picture. */
typedef struct part {
	const uint8_t *data;
	size_t size;
	uint8_t *described; /* NULL: bytes */
	size_t described_size;
	xc_jpeg_plan plan;
	xc_segment_bits *segments; /* piece by piece, shapes first */
	size_t count;
	uint64_t bound; /* bytes in the file, at most */
} part;

/* Symbols of a tile: the scratch of jpeg/code.h, as far as it is used. */
typedef struct records {
	void *memory;
	size_t count;
	uint32_t rows; /* MCU rows */
} records;

typedef struct work {
	xc_context *context;
	xc_jpeg *jpeg;
	xc_jpeg_plan plan;
	xc_jpeg_reader *reader;
	xc_jpeg_coding coding;
	const xc_jpeg_level *level;
	size_t scratch_each, blocks_each, bound; /* bytes, of a worker */
	uint8_t *scratch, *out;
	int16_t *blocks;
	xc_jpeg_counts *counts; /* of each worker */
	xc_jpeg_encode_codes *codes;
	/* What the piece has: */
	uint32_t first; /* band */
	uint32_t *read; /* flags of bands that were */
	records *tiles;
	xc_segment_bits *segments;
	xc_jpeg_verdict verdict;
	int no_memory; /* set atomically */
} work;

static void *copy_of(work *w, const void *data, size_t size)
{
	void *p = xc_allocate(w->context, size ? size : 1);

	if (p)
		memcpy(p, data, size);
	else
		__atomic_store_n(&w->no_memory, 1, __ATOMIC_RELAXED);
	return p;
}

static void model_band(void *user, uint64_t item, int worker)
{
	work *w = user;
	uint8_t *const scratch = w->scratch + w->scratch_each * (size_t)worker;
	int16_t *const blocks = w->blocks + w->blocks_each * (size_t)worker;
	xc_jpeg_band band = xc_jpeg_plan_band(w->jpeg, &w->plan, w->first + (uint32_t)item, blocks);

	if (item)
		xc_pool_wait(&w->context->pool, &w->read[item - 1]);
	if (w->verdict == XC_JPEG_GOOD)
		w->verdict = xc_jpeg_read(w->reader, &band);
	const int good = w->verdict == XC_JPEG_GOOD;
	xc_pool_raise(&w->context->pool, &w->read[item]);
	for (uint32_t t = 0; good && t < w->plan.tiles; t++) {
		records *r = &w->tiles[item * w->plan.tiles + t];
		xc_jpeg_plan_tile(w->jpeg, &w->plan, t, &band);
		r->count = w->level->record(&w->coding, &band, scratch);
		r->rows = band.rows;
		xc_jpeg_count(&w->coding, scratch, r->count, w->counts[worker]);
		r->memory = copy_of(w, scratch,
		                    xc_jpeg_above_bytes(&w->coding) + r->count * sizeof(xc_jpeg_record));
	}
}

static void keep(work *w, const uint8_t *data, size_t size, xc_segment_bits *s)
{
	s->data = copy_of(w, data, size);
	s->size = s->data ? (uint32_t)size : 0;
	s->crc = xc_crc32c(0, data, size);
}

static void code_tile(void *user, uint64_t item, int worker)
{
	work *w = user;
	records *r = &w->tiles[item];
	uint8_t *const out = w->out + w->bound * (size_t)worker;
	const xc_jpeg_band band = {.rows = r->rows};

	if (!r->memory)
		return;
	keep(w, out, w->level->encode(&w->coding, w->codes, &band, r->memory, r->count, out),
	     &w->segments[1 + item]);
	xc_release(w->context, r->memory);
	r->memory = NULL;
}

/* Frequencies of the piece, its first segment. */
static void choose_shapes(work *w, int workers)
{
	xc_shape_index shapes[XC_JPEG_SHAPES];

	xc_jpeg_builtin_shapes(shapes);
	for (int i = 1; i < workers; i++)
		for (int n = 0; n < XC_JPEG_SHAPES; n++)
			for (int s = 0; s < XC_SYMBOLS; s++)
				w->counts[0][n][s] += w->counts[i][n][s];
	xc_jpeg_choose_shapes(w->counts[0], shapes);
	uint8_t *const out = w->out;
	keep(w, out, (size_t)(xc_jpeg_shapes_write(shapes, out) - out), w->segments);
	xc_jpeg_encode_codes_make(shapes, w->codes);
}

static xc_status code_piece(work *w, uint32_t piece, int workers)
{
	xc_context *c = w->context;
	const uint32_t bands = xc_jpeg_plan_bands(&w->plan, piece);
	const double from = (double)piece / w->plan.pieces, to = (piece + 1.0) / w->plan.pieces;

	w->first = piece * w->plan.piece;
	memset(w->read, 0, bands * sizeof *w->read);
	memset(w->counts, 0, (size_t)workers * sizeof *w->counts);
	xc_status s = xc_parallel_by(c, workers, bands, model_band, w, from, (from + to) / 2);
	xc_stage(c, "model");
	if (s || w->verdict != XC_JPEG_GOOD)
		return s;
	choose_shapes(w, workers);
	s = xc_parallel_by(c, workers, (uint64_t)bands * w->plan.tiles, code_tile, w, (from + to) / 2,
	                   to);
	xc_stage(c, "code");
	return !s && w->no_memory ? xc_fail_memory(c, 0) : s;
}

static xc_status code_pieces(work *w, part *p, int workers)
{
	const size_t tiles = (size_t)w->plan.piece * w->plan.tiles;
	xc_status s = XC_OK;

	w->segments = p->segments;
	for (uint32_t i = 0; i < w->plan.pieces && !s && w->verdict == XC_JPEG_GOOD; i++) {
		s = code_piece(w, i, workers);
		w->segments += 1 + (size_t)xc_jpeg_plan_bands(&w->plan, i) * w->plan.tiles;
	}
	for (size_t i = 0; i < tiles; i++)
		xc_release(w->context, w->tiles[i].memory);
	return s;
}

static xc_status describe(work *w, const xc_jpeg_notes *notes, part *p)
{
	xc_context *c = w->context;
	const size_t size = xc_jpeg_describe(w->jpeg, notes, NULL);
	const size_t room = XC_JPEG_PLAN_BYTES + xc_jpeg_pack_bound(size);
	uint8_t *const plain = xc_allocate(c, size), *const packed = xc_allocate(c, room);
	uint32_t *const table = xc_allocate(c, sizeof *table << XC_JPEG_PACK_BITS);
	const uint64_t numbers[] = {w->plan.rows, w->plan.columns, w->plan.piece, size};
	size_t n = 0;

	if (plain && packed && table) {
		for (int i = 0; i < 4; i++)
			n = (size_t)(xc_jpeg_put_number(packed + n, numbers[i]) - packed);
		xc_jpeg_describe(w->jpeg, notes, plain);
		n += xc_jpeg_pack(plain, size, table, packed + n);
		p->described = xc_allocate(c, n);
	}
	if (p->described)
		memcpy(p->described, packed, n);
	p->described_size = n;
	xc_release(c, plain);
	xc_release(c, packed);
	xc_release(c, table);
	return p->described ? XC_OK : xc_fail_memory(c, room);
}

static void plan_picture(const xc_jpeg *j, xc_jpeg_plan *p)
{
	const uint64_t band = (uint64_t)j->width * XC_JPEG_BAND_ROWS * 8 * j->most_v;

	const uint32_t tiles = (uint32_t)((band - 1) / XC_JPEG_TILE_PIXELS) + 1;

	*p = (xc_jpeg_plan){.rows = XC_JPEG_BAND_ROWS, .columns = (j->mcu_columns - 1) / tiles + 1};
	p->piece = (uint32_t)(band < PIECE_PIXELS ? PIECE_PIXELS / band : 1);
	xc_jpeg_plan_make(j, p);
	p->piece = p->piece < p->bands ? p->piece : p->bands;
}

/* What a worker needs: for a tile, not for all columns. */
static void set_sizes(work *w)
{
	xc_jpeg_coding tile = w->coding;

	for (int c = 0; c < tile.components; c++)
		tile.columns[c] = w->plan.columns * tile.h[c];
	w->blocks_each = 64 * xc_jpeg_plan_blocks(w->jpeg, &w->plan);
	w->scratch_each = xc_jpeg_encode_scratch(&tile, w->plan.rows) - xc_jpeg_above_bytes(&tile) +
	                  xc_jpeg_above_bytes(&w->coding);
	w->bound = (xc_jpeg_segment_bound(&tile, w->plan.rows) + 63) / 64 * 64;
	w->bound = w->bound > XC_JPEG_SHAPES_BYTES ? w->bound : XC_JPEG_SHAPES_BYTES;
}

/* Codes a picture that was opened into p; *verdict: whether it could be. */
static xc_status code_picture(xc_context *c, xc_jpeg *j, part *p, xc_jpeg_verdict *verdict)
{
	work w = {.context = c, .jpeg = j, .level = xc_jpeg_level_get(c->cpu)};
	/* A byte of a file is rarely worth a note. */
	xc_jpeg_notes notes = {.room = j->size / 16 + 1024};

	xc_status s = xc_jpeg_check_pixels(c, j);
	if (s)
		return s;
	plan_picture(j, &w.plan);
	p->plan = w.plan;
	xc_jpeg_coding_make(j, &w.coding);
	set_sizes(&w);
	const int workers = xc_jpeg_workers(c, j, &w.plan,
	                                    w.blocks_each * sizeof *w.blocks + w.scratch_each +
	                                        w.bound + sizeof *w.counts);
	const size_t n = (size_t)workers, tiles = (size_t)w.plan.piece * w.plan.tiles;
	p->count = w.plan.pieces + (size_t)w.plan.bands * w.plan.tiles;
	p->segments = xc_allocate_zeroed(c, p->count * sizeof *p->segments);
	w.reader = xc_allocate(c, xc_jpeg_reader_size(j));
	notes.note = xc_allocate(c, notes.room * sizeof *notes.note);
	w.blocks = xc_allocate(c, n * w.blocks_each * sizeof *w.blocks);
	w.scratch = xc_allocate(c, n * w.scratch_each);
	w.out = xc_allocate(c, n * w.bound);
	w.counts = xc_allocate(c, n * sizeof *w.counts);
	w.codes = xc_allocate(c, sizeof *w.codes);
	w.read = xc_allocate(c, w.plan.piece * sizeof *w.read);
	w.tiles = xc_allocate_zeroed(c, tiles * sizeof *w.tiles);
	if (!p->segments || !w.reader || !notes.note || !w.blocks || !w.scratch || !w.out ||
	    !w.counts || !w.codes || !w.read || !w.tiles)
		s = xc_fail_memory(c, n * w.scratch_each);
	if (!s)
		w.verdict = xc_jpeg_reader_begin(w.reader, j, &notes);
	if (!s && w.verdict == XC_JPEG_GOOD)
		s = code_pieces(&w, p, workers);
	if (!s && w.verdict == XC_JPEG_GOOD)
		w.verdict = xc_jpeg_reader_end(w.reader);
	if (!s && w.verdict == XC_JPEG_GOOD)
		s = describe(&w, &notes, p);
	*verdict = w.verdict;
	void *const all[] = {w.reader, notes.note, w.blocks, w.scratch, w.out,
	                     w.counts, w.codes,    w.read,   w.tiles};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		xc_release(c, all[i]);
	return s;
}

/* ------------------------------------------------------------------- parts */

static void part_free(xc_context *c, part *p)
{
	for (size_t i = 0; p->segments && i < p->count; i++)
		xc_release(c, (void *)p->segments[i].data);
	xc_release(c, p->segments);
	xc_release(c, p->described);
	p->segments = NULL;
	p->described = NULL;
}

/* The bytes of a part in the file, at most. */
static uint64_t bound_of(const part *p)
{
	uint64_t n = XC_CHUNK_OVERHEAD + p->size;

	if (!p->described)
		return n;
	n = XC_CHUNK_OVERHEAD + p->described_size;
	n += p->plan.pieces * xc_piece_overhead(1) + xc_piece_overhead(p->count);
	for (size_t i = 0; i < p->count; i++)
		n += p->segments[i].size;
	return n;
}

static const char *reason(xc_jpeg_verdict v)
{
	static const char *const reasons[] = {[XC_JPEG_GOOD] = "it would not become smaller",
	                                      [XC_JPEG_FOREIGN] = "it has no scan",
	                                      [XC_JPEG_ARITHMETIC] = "arithmetic coding",
	                                      [XC_JPEG_DEPTH] = "12 bits a sample",
	                                      [XC_JPEG_PROCESS] = "lossless or hierarchical coding",
	                                      [XC_JPEG_ODD] = "its scans or codes break the standard",
	                                      [XC_JPEG_BUDGET] = "its scans ask for too much work"};

	return reasons[v];
}

typedef struct plan_of_file {
	xc_context *context;
	xc_jpeg *jpeg;
	part parts[PARTS];
	int count, pictures;
	xc_jpeg_info info;
	xc_jpeg_verdict first; /* what was found of the first picture */
} plan_of_file;

/* Takes the picture that begins at `data`, if it becomes smaller: its size, or 0. */
static xc_status take_picture(plan_of_file *f, const uint8_t *data, size_t size, size_t *taken)
{
	part p = {.data = data};
	xc_jpeg_verdict v = xc_jpeg_open(f->jpeg, data, size);
	xc_status s = XC_OK;

	*taken = 0;
	if (v == XC_JPEG_GOOD)
		s = code_picture(f->context, f->jpeg, &p, &v);
	if (!f->count)
		f->first = v;
	p.size = f->jpeg->size;
	const int good = !s && v == XC_JPEG_GOOD && (p.bound = bound_of(&p)) < p.size;
	/* What we write is within the default limits of those who read it. */
	if (!good || p.size > XC_JPEG_EXPANSION * p.bound + XC_JPEG_ANY_SIZE) {
		part_free(f->context, &p);
		return s;
	}
	xc_jpeg_info_add(f->jpeg, &p.plan, p.described_size, &f->info);
	f->parts[f->count++] = p;
	*taken = p.size;
	return XC_OK;
}

static const uint8_t *find_picture(const uint8_t *p, const uint8_t *end)
{
	while ((p = end - p > LEAST_PICTURE ? memchr(p, 0xff, (size_t)(end - p) - 2) : NULL)) {
		if (p[1] == 0xd8 && p[2] == 0xff)
			return p;
		p++;
	}
	return NULL;
}

/* Finds pictures after the first one: MPF has them, and some cameras. */
static xc_status take_rest(plan_of_file *f, const uint8_t *data, const uint8_t *end)
{
	const uint8_t *from = data, *at = data;
	xc_status s = XC_OK;

	for (int tries = 1; tries < XC_JPEG_PICTURES && !s; tries++) {
		size_t taken;
		at = find_picture(at, end);
		if (!at)
			break;
		const int before = f->count;
		if (at > from)
			f->parts[f->count++] = (part){.data = from, .size = (size_t)(at - from)};
		s = take_picture(f, at, (size_t)(end - at), &taken);
		if (!taken)
			f->count = before;
		at += taken ? taken : 3;
		from = taken ? at : from;
	}
	if (end > from)
		f->parts[f->count++] = (part){.data = from, .size = (size_t)(end - from)};
	return s;
}

/* -------------------------------------------------------------------- file */

static void write_picture(xc_writer *w, part *p)
{
	xc_segment_bits *s = p->segments;

	xc_write_chunk(w, "PICT", p->described, p->described_size);
	for (uint32_t i = 0; i < p->plan.pieces; i++) {
		const uint64_t n = 1 + (uint64_t)xc_jpeg_plan_bands(&p->plan, i) * p->plan.tiles;
		uint64_t total;
		const uint32_t crc = xc_write_piece_start(w, s, n, &total);
		for (uint64_t k = 0; k < n; k++, s++) {
			memcpy(w->next, s->data, s->size);
			w->next += s->size;
		}
		xc_write_u32(w, crc);
	}
}

static xc_status write_file(plan_of_file *f, xc_buffer *out)
{
	uint8_t head[XC_JPEG_HEAD_BYTES];
	uint64_t bound = XC_MAGIC_BYTES + 2 * XC_CHUNK_OVERHEAD + sizeof head;

	for (int i = 0; i < f->count; i++)
		bound += bound_of(&f->parts[i]);
	out->data = bound > SIZE_MAX ? NULL : xc_allocate(f->context, (size_t)bound);
	if (!out->data)
		return xc_fail_memory(f->context, (size_t)bound);
	xc_writer w = {out->data};
	for (int i = 0; i < 8; i++)
		head[i] = (uint8_t)(f->info.jpeg_size >> 8 * i);
	memcpy(head + 8, f->info.sha256, XC_SHA256_BYTES);
	xc_write_magic(&w);
	xc_write_chunk(&w, "JPEG", head, sizeof head);
	for (int i = 0; i < f->count; i++)
		if (f->parts[i].described)
			write_picture(&w, &f->parts[i]);
		else
			xc_write_chunk(&w, "BYTE", f->parts[i].data, f->parts[i].size);
	xc_write_chunk(&w, "DONE", NULL, 0);
	out->size = f->info.file_size = (uint64_t)(w.next - out->data);
	return XC_OK;
}

static xc_status encode(plan_of_file *f, const uint8_t *data, size_t size, const xc_jpeg_options *o,
                        xc_buffer *out)
{
	size_t taken;

	f->info = (xc_jpeg_info){.jpeg_size = size, .stored = 1};
	xc_sha256(data, size, f->info.sha256);
	xc_stage(f->context, "hash");
	xc_status s = take_picture(f, data, size, &taken);
	if (!s && taken)
		s = take_rest(f, data + taken, data + size);
	if (s)
		return s;
	if (!taken) {
		f->info.why = reason(f->first);
		if (o && o->fallback == XC_JPEG_FALLBACK_REFUSE && f->first != XC_JPEG_GOOD)
			return xc_fail(f->context, XC_ERR_UNSUPPORTED, "the JPEG cannot be repacked: %s",
			               f->info.why);
		f->parts[f->count++] = (part){.data = data, .size = size};
	}
	s = write_file(f, out);
	xc_stage(f->context, "write");
	return s;
}

xc_status xc_jpeg_encode(xc_context *c, const void *jpeg, size_t size, const xc_jpeg_options *o,
                         xc_jpeg_info *info, xc_buffer *out)
{
	static const uint8_t start[3] = {0xff, 0xd8, 0xff};
	xc_status s = xc_begin_result(c, out);

	if (info)
		*info = (xc_jpeg_info){.width = 0};
	if (s)
		return s;
	*out = (xc_buffer){NULL, 0};
	if (!jpeg || (o && (o->fallback < 0 || o->fallback > XC_JPEG_FALLBACK_REFUSE)))
		return xc_fail(c, XC_ERR_ARGUMENT, "no JPEG, or no such fallback");
	if (size < sizeof start || memcmp(jpeg, start, sizeof start) != 0)
		return xc_fail(c, XC_ERR_FORMAT, "not a JPEG");
	plan_of_file *f = xc_allocate_zeroed(c, sizeof *f);
	if (f)
		f->jpeg = xc_allocate(c, sizeof *f->jpeg);
	if (f && f->jpeg) {
		f->context = c;
		s = encode(f, jpeg, size, o, out);
		for (int i = 0; i < f->count; i++)
			part_free(c, &f->parts[i]);
		if (!s && info)
			*info = f->info;
		xc_release(c, f->jpeg);
	} else {
		s = xc_fail_memory(c, sizeof(xc_jpeg));
	}
	xc_release(c, f);
	return s;
}
