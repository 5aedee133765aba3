/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JPEGs to XC files: xc_jpeg_encode() of include/xcodec_jpeg.h. A file is cut into pictures and what
 * lies between them. Of a picture the threads of the context take a piece at a time: each in turn
 * reads the next band, which no two can do at once, and models it; then its symbols are coded by
 * frequencies made for the piece.
 */
#include <string.h>

#include "src/core/crc32c.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"
#include "src/jpeg/file.h"

enum {
	PIECE_PIXELS = 1 << 22,
	PARTS = 2 * XC_JPEG_PICTURES + 1,
	LEAST_PICTURE = 2048,
	INSIDE_BYTES = 1 << 13 /* of the only tile of a picture that is in PICT; others have an index */
};

/* A part of the file: bytes as they are, or a picture. */
typedef struct part {
	const uint8_t *data;
	size_t size;
	uint8_t *described; /* the payload of PICT; NULL: bytes */
	size_t described_size, payload_size;
	int inside; /* segments are in it */
	xc_jpeg_plan plan;
	xc_segment_bits *segments; /* piece by piece, shapes first */
	size_t count;
	uint64_t bound; /* bytes in the file, at most */
} part;

/* Symbols of a tile. */
typedef struct records {
	uint8_t *memory;
	size_t count;
} records;

/* What is in memory of a piece: the symbols of its tiles, and what they are coded by. */
typedef struct slot {
	uint8_t *memory;
	size_t used; /* changed atomically */
	records *tiles;
	xc_jpeg_counts *counts; /* of each worker */
	xc_jpeg_encode_codes *codes;
} slot;

/* How far a piece is: bands that are modelled, whether its codes are there, tiles that are coded, and
 * whether all are. */
typedef struct progress {
	uint32_t modelled, chosen, coded, done;
} progress;

/* The hash of the whole file, which is one item more of the first picture's work. */
typedef struct hash {
	const uint8_t *data;
	size_t size;
	uint8_t *out; /* NULL: it is made */
} hash;

typedef struct work {
	xc_context *context;
	xc_jpeg *jpeg;
	hash *hash;
	xc_jpeg_plan plan;
	xc_jpeg_reader *reader;
	xc_jpeg_coding coding;
	const xc_jpeg_level *level;
	int workers, slots;
	size_t records_each, blocks_each;
	int16_t *blocks;
	slot slot[2];
	progress *pieces;
	uint32_t *read; /* flags of bands that were */
	xc_segment_bits *segments;
	xc_jpeg_verdict verdict;
	int failed; /* no memory, or that verdict; set atomically */
} work;

static void fail(work *w)
{
	__atomic_store_n(&w->failed, 1, __ATOMIC_RELAXED);
}

static int failed(const work *w)
{
	return __atomic_load_n(&w->failed, __ATOMIC_RELAXED);
}

_Static_assert(sizeof(xc_jpeg_encode_codes) >= XC_JPEG_SHAPES_BYTES, "room for shapes");

/* Sets a segment, in memory of its own. */
static void keep(work *w, const uint8_t *data, size_t size, xc_segment_bits *s)
{
	uint8_t *const p = xc_allocate(w->context, size);

	if (!p) {
		fail(w);
		return;
	}
	memcpy(p, data, size);
	*s = (xc_segment_bits){.data = p, .size = (uint32_t)size, .crc = xc_crc32c(0, data, size)};
}

static slot *slot_of(work *w, uint32_t piece)
{
	return &w->slot[piece % (uint32_t)w->slots];
}

/* The next tile gets what this one leaves of its memory, if that has not begun. So new pages, which
 * take longer than modelling does, are few. */
static void model_tile(work *w, slot *s, const xc_jpeg_band *band, records *r, int worker)
{
	const size_t each = w->records_each, at = __atomic_fetch_add(&s->used, each, __ATOMIC_RELAXED);
	size_t all = at + each;

	r->memory = s->memory + at;
	r->count = w->level->record(&w->coding, band, r->memory, s->counts[worker]);
	const size_t end = at + xc_jpeg_above_bytes(&w->coding) + r->count * sizeof(xc_jpeg_record);
	__atomic_compare_exchange_n(&s->used, &all, end, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static xc_segment_bits *segments_of(work *w, uint32_t piece)
{
	return w->segments + (size_t)piece * (1 + (size_t)w->plan.piece * w->plan.tiles);
}

/* Frequencies of the piece, its first segment. */
static void choose_shapes(work *w, uint32_t piece)
{
	slot *const s = slot_of(w, piece);
	xc_shape_index shapes[XC_JPEG_SHAPES];
	uint8_t used[XC_JPEG_SHAPES];
	/* Codes have more room. */
	uint8_t *const bytes = (void *)s->codes;

	xc_jpeg_builtin_shapes(shapes);
	xc_jpeg_choose_shapes(s->counts, w->workers, shapes, used);
	memset(s->counts, 0, (size_t)w->workers * sizeof *s->counts);
	s->used = 0;
	keep(w, bytes, (size_t)(xc_jpeg_shapes_write(shapes, bytes) - bytes), segments_of(w, piece));
	xc_jpeg_encode_codes_make(shapes, used, s->codes);
}

static void model_band(work *w, uint32_t piece, uint32_t n, int worker)
{
	xc_pool *const pool = &w->context->pool;
	slot *const s = slot_of(w, piece);
	const uint32_t first = piece * w->plan.piece;
	xc_jpeg_band band = xc_jpeg_plan_band(w->jpeg, &w->plan, first + n,
	                                      w->blocks + w->blocks_each * (size_t)worker);

	/* Whoever waits began later than those it waits for. */
	if (piece >= (uint32_t)w->slots)
		xc_pool_wait(pool, &w->pieces[piece - (uint32_t)w->slots].done);
	if (first + n)
		xc_pool_wait(pool, &w->read[first + n - 1]);
	if (!failed(w) && (w->verdict = xc_jpeg_read(w->reader, &band)) != XC_JPEG_GOOD)
		fail(w);
	xc_pool_raise(pool, &w->read[first + n]);
	for (uint32_t t = 0; t < w->plan.tiles && !failed(w); t++) {
		xc_jpeg_plan_tile(w->jpeg, &w->plan, t, &band);
		model_tile(w, s, &band, &s->tiles[(size_t)n * w->plan.tiles + t], worker);
	}
	if (__atomic_add_fetch(&w->pieces[piece].modelled, 1, __ATOMIC_ACQ_REL) <
	    xc_jpeg_plan_bands(&w->plan, piece))
		return;
	if (!failed(w))
		choose_shapes(w, piece);
	xc_pool_raise(pool, &w->pieces[piece].chosen);
}

static void code_tile(work *w, uint32_t piece, uint32_t n)
{
	slot *const s = slot_of(w, piece);
	progress *const p = &w->pieces[piece];
	const uint32_t bands = xc_jpeg_plan_bands(&w->plan, piece);
	const uint32_t before = (piece * w->plan.piece + n / w->plan.tiles) * w->plan.rows;
	const uint32_t left = w->jpeg->mcu_rows - before;
	xc_jpeg_band band = {.rows = left < w->plan.rows ? left : w->plan.rows};
	size_t size;

	xc_jpeg_plan_tile(w->jpeg, &w->plan, n % w->plan.tiles, &band);
	xc_pool_wait(&w->context->pool, &p->chosen);
	if (!failed(w)) {
		const records *const r = &s->tiles[n];
		const uint8_t *const coded = w->level->encode(&w->coding, s->codes, &band, r->memory,
		                                              r->count, &size);
		keep(w, coded, size, segments_of(w, piece) + 1 + n);
	}
	if (__atomic_add_fetch(&p->coded, 1, __ATOMIC_ACQ_REL) == bands * w->plan.tiles)
		xc_pool_raise(&w->context->pool, &p->done);
}

static void make_hash(hash *h)
{
	if (h->out)
		xc_sha256(h->data, h->size, h->out);
	h->out = NULL;
}

/* After the hash, items are in turns: the bands of a piece, and the tiles of the same or, if there are two slots, of
 * the one before, so that nobody waits for the last band. */
static void take_item(void *user, uint64_t item, int worker)
{
	work *w = user;
	const uint32_t bands = w->plan.piece, turn = bands * (1 + w->plan.tiles);
	const uint32_t n = (uint32_t)((item - 1) % turn), model = (uint32_t)((item - 1) / turn);
	const uint32_t code = model + 1 - (uint32_t)w->slots;

	if (!item) {
		make_hash(w->hash);
		return;
	}
	if (n < bands && model < w->plan.pieces && n < xc_jpeg_plan_bands(&w->plan, model))
		model_band(w, model, n, worker);
	else if (n >= bands && code < w->plan.pieces &&
	         n - bands < xc_jpeg_plan_bands(&w->plan, code) * w->plan.tiles)
		code_tile(w, code, n - bands);
}

static xc_status code_pieces(work *w)
{
	const uint64_t turns = w->plan.pieces + (uint64_t)w->slots - 1;
	const xc_status s = xc_parallel_by(w->context, w->workers,
	                                   1 + turns * w->plan.piece * (1 + w->plan.tiles), take_item,
	                                   w, 0, 1);

	xc_stage(w->context, "code");
	return s || !w->failed || w->verdict != XC_JPEG_GOOD ? s : xc_fail_memory(w->context, 0);
}

/* Makes the payload of PICT. */
static xc_status describe(work *w, const xc_jpeg_notes *notes, part *p)
{
	xc_context *c = w->context;
	const size_t size = xc_jpeg_describe(w->jpeg, notes, NULL);
	const size_t room = XC_JPEG_PLAN_BYTES + xc_jpeg_pack_bound(size);
	uint8_t *const plain = xc_allocate(c, size), *const packed = xc_allocate(c, room);
	uint32_t *const table = xc_allocate(c, sizeof *table << XC_JPEG_PACK_BITS);
	const int quality = xc_jpeg_quality(w->jpeg);
	const xc_segment_bits *s = p->segments;
	xc_jpeg_dictionary dictionary;
	size_t n = 0;

	p->inside = p->count == 2 && s[1].size <= INSIDE_BYTES;
	const size_t after = p->inside ? s[0].size + s[1].size : 0;
	if (plain && packed && table) {
		const uint64_t numbers[] = {w->plan.rows, w->plan.columns, p->inside ? 0 : w->plan.piece,
		                            size, (uint64_t)quality};
		for (int i = 0; i < 5; i++)
			n = (size_t)(xc_jpeg_put_number(packed + n, numbers[i]) - packed);
		xc_jpeg_describe(w->jpeg, notes, plain);
		xc_jpeg_dictionary_of(quality, dictionary);
		n += xc_jpeg_pack(dictionary, plain, size, table, packed + n);
		p->described = xc_allocate(c, n + after);
	}
	if (p->described) {
		memcpy(p->described, packed, n);
		for (int i = 0; i < 2 && p->inside; n += s[i++].size)
			memcpy(p->described + n, s[i].data, s[i].size);
	}
	p->payload_size = n;
	p->described_size = n - after;
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
}

/* Sets what is needed of memory; two slots where there is plenty. */
static void set_sizes(work *w)
{
	const xc_context *c = w->context;
	xc_jpeg_coding tile = w->coding;

	for (int i = 0; i < tile.components; i++)
		tile.columns[i] = w->plan.columns * tile.h[i];
	w->blocks_each = 64 * xc_jpeg_plan_blocks(w->jpeg, &w->plan);
	w->records_each = xc_jpeg_encode_scratch(&tile, w->plan.rows) - xc_jpeg_above_bytes(&tile) +
	                  xc_jpeg_above_bytes(&w->coding);
	w->workers = xc_jpeg_workers(c, w->jpeg, &w->plan,
	                             w->blocks_each * sizeof *w->blocks + sizeof *w->slot->counts);
	const uint64_t used = __atomic_load_n(&c->in_use, __ATOMIC_RELAXED);
	const uint64_t one = w->records_each * w->plan.piece * w->plan.tiles;
	w->slots = 1 +
	           (w->workers > 1 && w->plan.pieces > 1 && one < (c->limits.max_memory - used) / 8);
}

/* Codes a picture that was opened into p; *verdict: whether it could be. */
static xc_status code_picture(xc_context *c, xc_jpeg *j, hash *h, part *p, xc_jpeg_verdict *verdict)
{
	work w = {.context = c, .jpeg = j, .hash = h, .level = xc_jpeg_level_get(c->cpu)};
	/* A byte of a file is rarely worth a note. */
	xc_jpeg_notes notes = {.room = j->size / 16 + 1024};

	xc_status s = xc_jpeg_check_pixels(c, j);
	if (s)
		return s;
	plan_picture(j, &w.plan);
	p->plan = w.plan;
	xc_jpeg_coding_make(j, &w.coding);
	set_sizes(&w);
	const size_t n = (size_t)w.workers, tiles = (size_t)w.plan.piece * w.plan.tiles;
	p->count = w.plan.pieces + (size_t)w.plan.bands * w.plan.tiles;
	w.segments = p->segments = xc_allocate_zeroed(c, p->count * sizeof *p->segments);
	w.reader = xc_allocate(c, xc_jpeg_reader_size(j));
	notes.note = xc_allocate(c, notes.room * sizeof *notes.note);
	w.blocks = xc_allocate(c, n * w.blocks_each * sizeof *w.blocks);
	w.read = xc_allocate_zeroed(c, w.plan.bands * sizeof *w.read);
	w.pieces = xc_allocate_zeroed(c, w.plan.pieces * sizeof *w.pieces);
	int good = p->segments && w.reader && notes.note && w.blocks && w.read && w.pieces;
	for (slot *k = w.slot; good && k < w.slot + w.slots; k++) {
		k->memory = xc_allocate(c, tiles * w.records_each);
		k->tiles = xc_allocate(c, tiles * sizeof *k->tiles);
		k->counts = xc_allocate_zeroed(c, n * sizeof *k->counts);
		k->codes = xc_allocate(c, sizeof *k->codes);
		good = k->memory && k->tiles && k->counts && k->codes;
	}
	if (!good)
		s = xc_fail_memory(c, tiles * w.records_each);
	if (!s)
		w.verdict = xc_jpeg_reader_begin(w.reader, j, &notes);
	if (!s && w.verdict == XC_JPEG_GOOD)
		s = code_pieces(&w);
	if (!s && w.verdict == XC_JPEG_GOOD)
		w.verdict = xc_jpeg_reader_end(w.reader);
	if (!s && w.verdict == XC_JPEG_GOOD)
		s = describe(&w, &notes, p);
	*verdict = w.verdict;
	void *const all[] = {w.reader, notes.note, w.blocks, w.read, w.pieces};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		xc_release(c, all[i]);
	for (int i = 0; i < w.slots; i++) {
		xc_release(c, w.slot[i].memory);
		xc_release(c, w.slot[i].tiles);
		xc_release(c, w.slot[i].counts);
		xc_release(c, w.slot[i].codes);
	}
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
	n = XC_CHUNK_OVERHEAD + p->payload_size;
	if (p->inside)
		return n;
	n += p->plan.pieces * xc_piece_overhead(1) + xc_piece_overhead(p->count);
	for (size_t i = 0; i < p->count; i++)
		n += p->segments[i].size;
	return n;
}

static const char *reason(xc_jpeg_verdict v)
{
	static const char *const reasons[] =
		{[XC_JPEG_GOOD] = "it would not become smaller",
	     [XC_JPEG_FOREIGN] = "it has no scan, and so no pixels to decode",
	     [XC_JPEG_ARITHMETIC] = "arithmetic coding",
	     [XC_JPEG_DEPTH] = "12 bits a sample",
	     [XC_JPEG_PROCESS] = "lossless or hierarchical coding",
	     [XC_JPEG_ODD] = "its scans or codes break the standard",
	     [XC_JPEG_LONG_RUN] = "a run of blocks is refined by too many bits",
	     [XC_JPEG_BUDGET] = "its scans ask for too much work"};

	return reasons[v];
}

typedef struct plan_of_file {
	xc_context *context;
	xc_jpeg *jpeg;
	hash hash;
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
		s = code_picture(f->context, f->jpeg, &f->hash, &p, &v);
	if (!f->count)
		f->first = v;
	p.size = f->jpeg->size;
	const int good = !s && v == XC_JPEG_GOOD && (p.bound = bound_of(&p)) < p.size;
	/* What we write is within the default limits of those who read it. */
	if (!f->count && !s && v == XC_JPEG_GOOD)
		xc_jpeg_info_flaws(f->jpeg, &f->info);
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

	xc_write_chunk(w, "PICT", p->described, p->payload_size);
	for (uint32_t i = 0; i < p->plan.pieces && !p->inside; i++) {
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
	uint8_t *const sum = xc_jpeg_put_number(head, f->info.jpeg_size);
	memcpy(sum, f->info.sha256, XC_SHA256_BYTES);
	xc_write_magic(&w);
	xc_write_chunk(&w, "JPEG", head, (size_t)(sum + XC_SHA256_BYTES - head));
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
	f->hash = (hash){data, size, f->info.sha256};
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
	make_hash(&f->hash);
	s = write_file(f, out);
	xc_stage(f->context, "write");
	return s;
}

xc_status xc_jpeg_encode(xc_context *c, const void *jpeg, size_t size, const xc_jpeg_options *o,
                         xc_jpeg_info *info, xc_buffer *out)
{
	XC_DEFAULT_FLOATS;
	static const uint8_t start[2] = {0xff, 0xd8};
	xc_status s = XC_BEGIN_RESULT(c, out);

	if (info)
		*info = (xc_jpeg_info){.width = 0};
	if (s)
		return s;
	if (!jpeg || (o && (o->fallback < 0 || o->fallback > XC_JPEG_FALLBACK_REFUSE)))
		return xc_fail(c, XC_ERR_ARGUMENT, "no JPEG, or no such fallback");
	s = o ? XC_CHECK_RESERVED(c, o, "options") : XC_OK;
	if (s)
		return s;
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
