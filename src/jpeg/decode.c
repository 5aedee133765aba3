/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * XC files to JPEGs: xc_jpeg_decode() and xc_jpeg_read_info() of include/xcodec_jpeg.h, and their
 * coefficients for src/decode/. The threads of the context decode bands, and write them one after
 * another, as scans go on from band to band. Nothing that a file says is believed before
 * its size is compared with the limits; what comes out is compared with the hash.
 */
#include <string.h>

#include "src/container/parser.h"
#include "src/core/crc32c.h"
#include "src/core/floats.h"
#include "src/core/parallel.h"
#include "src/jpeg/file.h"
#include "src/jpeg/decode.h"

/* Whether segments may be missing: a JPEG, unlike pixels, needs them all. */
static int may_lack(const file_reader *r)
{
	return r->lenient && !r->out;
}

static xc_status next_chunk(file_reader *r, xc_chunk *k)
{
	xc_file_parser *p = &r->parser;
	const uint8_t *at = p->file + p->offset;
	const uint64_t left = p->size - p->offset;
	xc_status s = xc_chunk_begin(p, at, left, k);

	if (s)
		return s;
	const uint64_t after = left - (uint64_t)(k->payload - at);
	const int whole = k->length <= after && after - k->length >= 4;
	const int data = !memcmp(k->type, "DATA", 4);
	k->available = k->length <= after ? k->length : after;
	if (!whole && !(data && may_lack(r)))
		return xc_fail_truncated(p, k->type);
	s = data ? XC_OK : xc_chunk_check(p, k);
	p->offset += whole ? k->whole : left;
	return s;
}

static xc_status corrupt(file_reader *r, const char *what)
{
	return xc_fail_corrupt(&r->parser, what);
}

/* ----------------------------------------------------------------- pictures */

static size_t first_of(const work *w, uint32_t piece)
{
	return (size_t)piece * (1 + (size_t)w->plan.piece * w->plan.tiles);
}

/* The first one is told, whichever thread comes first. */
static void note_damage(work *w, uint64_t number)
{
	uint64_t first = __atomic_load_n(&w->damaged, __ATOMIC_RELAXED);

	while ((!first || number < first) &&
	       !__atomic_compare_exchange_n(&w->damaged, &first, number, 1, __ATOMIC_RELAXED,
	                                    __ATOMIC_RELAXED))
		;
}

/* Finds segment i of a piece, 0 being its frequencies. 0: the file lacks some of it, or its bytes have another check. */
static int find_segment(const work *w, uint32_t number, size_t i, const uint8_t **data,
                        size_t *size, uint32_t *crc)
{
	const piece_segments *p = &w->pieces[number];
	const uint64_t *const end = &w->ends[first_of(w, number) + i], begin = i ? end[-1] : 0;

	if (*end > p->chunk.available)
		return 0;
	*data = p->chunk.payload + begin;
	*size = (size_t)(*end - begin);
	*crc = xc_crc32c(0, *data, *size);
	return !p->index || (*crc & 0xffff) == xc_get_u16(p->index + i * (p->width + 2) + p->width);
}

static int read_shapes(const work *w, uint32_t number, xc_shape_index shapes[XC_JPEG_SHAPES],
                       uint32_t *crc)
{
	const uint8_t *data;
	size_t size;

	return find_segment(w, number, 0, &data, &size, crc) &&
	       xc_jpeg_shapes_read(data, data + size, shapes) == data + size;
}

/* The codes of a piece, the worker's own: there are fewer pieces than bands. */
static const xc_jpeg_decode_codes *codes_of(const work *w, uint32_t number, worker_codes *k)
{
	xc_shape_index shapes[XC_JPEG_SHAPES];
	uint32_t crc;

	if (k->piece == number + 1)
		return &k->codes;
	if (!read_shapes(w, number, shapes, &crc))
		return NULL;
	xc_jpeg_decode_codes_make(shapes, &k->codes);
	k->piece = number + 1;
	return &k->codes;
}

/* k NULL: the frequencies are damaged, and so is all that they code. */
static void decode_tiles(work *w, const xc_jpeg_decode_codes *k, uint64_t item, uint8_t *scratch,
                         xc_jpeg_band *band)
{
	const uint32_t number = (uint32_t)(item / w->plan.piece);
	const xc_kept *const kept = w->reader->kept;
	const uint8_t *data;
	size_t size;

	for (uint32_t t = 0; t < w->plan.tiles; t++) {
		const size_t n = 1 + (size_t)(item % w->plan.piece) * w->plan.tiles + t;
		xc_jpeg_plan_tile(w->reader->jpeg, &w->plan, t, band);
		if (k && find_segment(w, number, n, &data, &size, &w->crcs[first_of(w, number) + n]) &&
		    w->level->decode(&w->coding, k, data, size, band, scratch))
			continue;
		note_damage(w, item * w->plan.tiles + t + 1);
		__atomic_store_n(&w->pieces[number].damaged, 1, __ATOMIC_RELAXED);
		__atomic_add_fetch(&w->tiles_damaged, 1, __ATOMIC_RELAXED);
		if (kept)
			xc_kept_clear(w->reader->jpeg, band);
	}
}

static int is_wrong(const work *w)
{
	return __atomic_load_n(&w->wrong, __ATOMIC_RELAXED) ||
	       (!w->reader->kept && __atomic_load_n(&w->damaged, __ATOMIC_RELAXED));
}

static void decode_band(void *user, uint64_t item, int worker)
{
	work *w = user;
	xc_pool *const pool = &w->reader->context->pool;
	const xc_jpeg *j = w->reader->jpeg;
	xc_kept *const kept = w->reader->kept;
	xc_jpeg_band band = xc_jpeg_plan_band(j, &w->plan, (uint32_t)item,
	                                      w->blocks + w->blocks_each * (size_t)worker);

	if (kept && !xc_kept_band(kept, j, &band))
		return;
	if (!is_wrong(w)) {
		const xc_jpeg_decode_codes *k = codes_of(w, (uint32_t)(item / w->plan.piece),
		                                         &w->codes[worker]);
		if (k || may_lack(w->reader))
			decode_tiles(w, k, item, w->scratch + w->scratch_each * (size_t)worker, &band);
		else {
			const piece_segments *p = &w->pieces[item / w->plan.piece];
			const uint64_t at = (uint64_t)(p->chunk.payload - w->reader->parser.file);
			__atomic_store_n(&w->wrong_at, at, __ATOMIC_RELAXED);
			__atomic_store_n(&w->wrong, "frequencies of a piece are damaged", __ATOMIC_RELEASE);
		}
	}
	if (kept)
		return;
	if (item)
		xc_pool_wait(pool, &w->written[item - 1]);
	if (!is_wrong(w) && !xc_jpeg_write(w->writer, &band))
		__atomic_store_n(&w->wrong, "coefficients do not fit their JPEG", __ATOMIC_RELAXED);
	xc_pool_raise(pool, &w->written[item]);
}

/* Finds the segments that PICT has. */
static xc_status find_inside(work *w)
{
	const file_reader *r = w->reader;
	xc_shape_index shapes[XC_JPEG_SHAPES];
	const uint8_t *const end = r->inside + r->inside_size;
	const uint8_t *const tile = xc_jpeg_shapes_read(r->inside, end, shapes);

	if (!tile)
		return corrupt(w->reader, "frequencies of a piece are damaged");
	w->pieces[0] = (piece_segments){
		.chunk = {.payload = r->inside, .length = r->inside_size, .available = r->inside_size}};
	w->ends[0] = (uint64_t)(tile - r->inside);
	w->ends[1] = r->inside_size;
	return XC_OK;
}

/* The file ends before a piece, but not before the first one. */
static xc_status lack_piece(work *w, uint32_t number, uint64_t segments)
{
	uint64_t *const ends = w->ends + first_of(w, number);

	if (!may_lack(w->reader) || !number)
		return XC_ERR_TRUNCATED;
	w->pieces[number] = (piece_segments){.damaged = 1};
	for (uint64_t i = 0; i <= segments; i++)
		ends[i] = 1;
	return XC_OK;
}

/* Finds the segments of the next piece. */
static xc_status find_piece(work *w, uint32_t number)
{
	file_reader *r = w->reader;
	const uint64_t n = (uint64_t)xc_jpeg_plan_bands(&w->plan, number) * w->plan.tiles;
	piece_segments *p = &w->pieces[number];
	uint64_t *const ends = w->ends + first_of(w, number), total = 0;
	xc_chunk k;

	if (r->inside)
		return find_inside(w);
	xc_status s = next_chunk(r, &k);
	if (s)
		return s == XC_ERR_TRUNCATED ? lack_piece(w, number, n) : s;
	p->width = k.length ? k.payload[0] : 0;
	if (memcmp(k.type, "INDX", 4) != 0 || p->width < 2 || p->width > 4 ||
	    k.length != 1 + (n + 1) * (p->width + 2))
		return corrupt(r, "a piece has no good index");
	p->index = k.payload + 1;
	for (uint64_t i = 0; i <= n; i++) {
		const uint8_t *e = p->index + i * (p->width + 2);
		total += xc_kept_entry_size(e, p->width);
		ends[i] = total;
	}
	s = next_chunk(r, &p->chunk);
	if (s)
		return s == XC_ERR_TRUNCATED ? lack_piece(w, number, n) : s;
	p->damaged = p->chunk.available < p->chunk.length;
	return !memcmp(p->chunk.type, "DATA", 4) && p->chunk.length == total
	           ? XC_OK
	           : corrupt(r, "an index does not fit its segments");
}

/* Checks of 16 bits a segment may have missed damage. */
static xc_status check_piece(work *w, uint32_t number)
{
	const xc_chunk *k = &w->pieces[number].chunk;
	const size_t first = first_of(w, number);
	const uint64_t tiles = (uint64_t)xc_jpeg_plan_bands(&w->plan, number) * w->plan.tiles;
	xc_kept *const kept = w->reader->kept;

	if (!w->pieces[number].index)
		return XC_OK;
	uint32_t crc = xc_kept_add_crc(xc_kept_head_crc(k),
	                               xc_crc32c(0, k->payload, (size_t)w->ends[first]));

	for (uint64_t i = 1; i <= tiles; i++)
		crc = xc_kept_add_crc(crc, w->crcs[first + i]);
	if (w->pieces[number].damaged || crc == xc_get_u32(k->payload + k->length))
		return XC_OK;
	if (kept)
		kept->doubtful = 1;
	return may_lack(w->reader)
	           ? XC_OK
	           : xc_fail(w->reader->context, XC_ERR_CORRUPT, "some segment of the JPEG is damaged");
}

/* Tile n of the picture is damaged, of which there may be several. */
static xc_status fail_tile(const work *w, uint64_t n)
{
	const file_reader *r = w->reader;
	const uint64_t each = (uint64_t)w->plan.piece * w->plan.tiles;
	const uint32_t piece = (uint32_t)(n / each);
	const uint8_t *const at = w->pieces[piece].chunk.payload +
	                          w->ends[first_of(w, piece) + (size_t)(n % each)];

	if (r->pictures < 2)
		return xc_jpeg_fail_segment(r->context, &w->plan, n);
	return xc_fail(r->context, XC_ERR_CORRUPT,
	               "segment %llu of the JPEG's picture %d is damaged (at byte %llu)",
	               (unsigned long long)n, r->pictures, (unsigned long long)(at - r->parser.file));
}

static xc_status decode_pieces(work *w, const xc_jpeg_notes *notes, int workers)
{
	file_reader *r = w->reader;
	const uint64_t size = xc_jpeg_file_size(r->jpeg);
	const double from = (double)r->at / (double)r->info->jpeg_size;
	xc_status s = XC_OK;

	for (uint32_t i = 0; i < w->plan.pieces && !s; i++)
		s = find_piece(w, i);
	if (s)
		return s;
	if (!r->kept && !xc_jpeg_writer_begin(w->writer, r->jpeg, notes, r->out + r->at))
		return corrupt(r, "a JPEG's description is damaged");
	r->at += size;
	s = xc_parallel_by(r->context, workers, w->plan.bands, decode_band, w, from,
	                   (double)r->at / (double)r->info->jpeg_size);
	if (s)
		return s;
	if (r->kept) {
		r->kept->damaged = w->tiles_damaged;
		r->kept->first_damaged = w->damaged ? w->damaged - 1 : UINT64_MAX;
		r->kept->plan = w->plan;
		r->kept->info = *r->info;
		r->kept->adobe = xc_kept_adobe(r->jpeg);
	}
	if (w->damaged && !may_lack(r))
		return fail_tile(w, w->damaged - 1);
	if (w->wrong) {
		r->parser.offset = w->wrong_at ? w->wrong_at : r->parser.offset;
		return corrupt(r, w->wrong);
	}
	/* Not all tiles were read of a region's pieces. */
	for (uint32_t i = 0; i < w->plan.pieces && !s && (!r->kept || r->kept->whole); i++)
		s = check_piece(w, i);
	return s || r->kept || xc_jpeg_writer_end(w->writer)
	           ? s
	           : corrupt(r, "coefficients do not fit their JPEG");
}

static xc_status decode_picture(file_reader *r, const xc_jpeg_plan *plan,
                                const xc_jpeg_notes *notes)
{
	xc_context *c = r->context;
	const xc_jpeg *j = r->jpeg;
	work w = {.reader = r, .plan = *plan, .level = xc_jpeg_level_get(c->cpu)};
	const size_t all = first_of(&w, plan->pieces);

	xc_jpeg_coding_make(j, &w.coding);
	w.blocks_each = r->kept ? 0 : 64 * xc_jpeg_plan_blocks(j, plan);
	w.scratch_each = xc_jpeg_decode_scratch(&w.coding);
	const int workers = xc_jpeg_workers(c, j, plan,
	                                    w.blocks_each * sizeof *w.blocks + w.scratch_each +
	                                        sizeof *w.codes);
	const size_t n = (size_t)workers;
	w.writer = xc_allocate(c, r->kept ? 1 : xc_jpeg_writer_size(j));
	w.blocks = xc_allocate(c, n * w.blocks_each * sizeof *w.blocks + 1);
	w.scratch = xc_allocate(c, n * w.scratch_each);
	w.codes = xc_allocate(c, n * sizeof *w.codes);
	w.pieces = xc_allocate(c, plan->pieces * sizeof *w.pieces);
	w.written = xc_allocate_zeroed(c, plan->bands * sizeof *w.written);
	w.ends = xc_allocate(c, all * sizeof *w.ends);
	w.crcs = xc_allocate(c, all * sizeof *w.crcs);
	const int good = w.writer && w.blocks && w.scratch && w.codes && w.pieces && w.written &&
	                 w.ends && w.crcs;
	for (size_t i = 0; good && i < n; i++)
		w.codes[i].piece = 0;
	const xc_status s = good ? decode_pieces(&w, notes, workers)
	                         : xc_fail_memory(c, n * w.blocks_each * sizeof *w.blocks);
	void *const memory[] = {w.writer, w.blocks,  w.scratch, w.codes,
	                        w.pieces, w.written, w.ends,    w.crcs};
	for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
		xc_release(c, memory[i]);
	return s;
}

/* ------------------------------------------------------------------ segments */

/* Lists a piece, whose first segment has number *n. */
static xc_status list_piece(work *w, uint32_t number, xc_kept_list *l, uint64_t *n)
{
	xc_container *const k = w->reader->listed;
	const uint64_t tiles = (uint64_t)xc_jpeg_plan_bands(&w->plan, number) * w->plan.tiles;
	const uint64_t *const ends = w->ends + first_of(w, number);
	const piece_segments *s = &w->pieces[number];
	xc_kept_piece *p = &l->pieces[number];

	const xc_status status = find_piece(w, number);
	if (status)
		return status;
	const uint8_t *const data = s->chunk.payload;
	const int good = read_shapes(w, number, p->shapes, &p->crc[1]);
	if (!good && !may_lack(w->reader))
		return corrupt(w->reader, "frequencies of a piece are damaged");
	if (!good)
		memset(p->shapes, 0, sizeof p->shapes);
	if (!k->data)
		k->data = data;
	const uint64_t start = data ? (uint64_t)(data - k->data) : 0;
	for (uint64_t i = 0; i < tiles; i++) {
		const int available = good && ends[i + 1] <= s->chunk.available;
		if (!available) {
			l->segments[(*n)++] = (xc_listed_segment){0};
			continue;
		}
		const uint8_t *const tile = data + ends[i];
		const uint32_t size = (uint32_t)(ends[i + 1] - ends[i]);
		const uint16_t check = s->index ? xc_get_u16(s->index + (i + 1) * (s->width + 2) + s->width)
		                                : (uint16_t)xc_crc32c(0, tile, size);
		l->segments[(*n)++] = (xc_listed_segment){start + ends[i], size, check, 1};
	}
	/* The checksums of a piece that is not whole are not looked at. */
	if (!good || ends[tiles] > s->chunk.available || s->chunk.length > s->chunk.available) {
		if (data)
			k->data_available = start + s->chunk.available;
		return XC_OK;
	}
	p->crc[0] = s->index ? xc_kept_head_crc(&s->chunk) : 0;
	p->check = s->index
	               ? xc_get_u32(data + ends[tiles])
	               : xc_kept_add_crc(xc_kept_add_crc(0, p->crc[1]),
	                                 xc_crc32c(0, data + ends[0], (size_t)(ends[1] - ends[0])));
	k->data_available = start + ends[tiles];
	return XC_OK;
}

/* Describes those segments of a piece that are wanted; the first one has number *n. */
static xc_status describe_piece(work *w, uint32_t number, uint64_t *n)
{
	const file_reader *r = w->reader;
	const uint64_t tiles = (uint64_t)xc_jpeg_plan_bands(&w->plan, number) * w->plan.tiles;
	const piece_segments *p = &w->pieces[number];
	xc_shape_index shapes[XC_JPEG_SHAPES];
	uint32_t crc = 0, sum = 0;
	uint64_t intact = 0;

	const xc_status status = find_piece(w, number);
	if (status)
		return status;
	const int good = read_shapes(w, number, shapes, &crc);
	if (good && p->index)
		sum = xc_kept_add_crc(xc_kept_head_crc(&p->chunk), crc);
	const uint64_t begin = *n, end = begin + tiles, past = r->first_segment + r->segment_count;
	for (uint64_t i = 1; i <= tiles; i++, ++*n) {
		const uint64_t *const ends = w->ends + first_of(w, number) + i;
		const uint8_t *data;
		size_t size;
		const int found = find_segment(w, number, (size_t)i, &data, &size, &crc);
		sum = xc_kept_add_crc(sum, crc);
		intact += found != 0;
		if (*n < r->first_segment || *n >= past)
			continue;
		xc_segment_info *const to = &r->segments[*n - r->first_segment];
		xc_jpeg_plan_describe(&w->plan, *n, to);
		to->size = ends[0] - ends[-1];
		to->offset = p->chunk.payload ? (uint64_t)(p->chunk.payload - r->parser.file) + ends[-1]
		                              : 0;
		to->intact = good && found;
	}
	const int doubtful = good && intact == tiles && p->index && !p->damaged &&
	                     sum != xc_get_u32(p->chunk.payload + p->chunk.length);
	for (uint64_t i = begin; doubtful && i < end && i < past; i++)
		if (i >= r->first_segment)
			r->segments[i - r->first_segment].intact = 0;
	return XC_OK;
}

static xc_status list_picture(file_reader *r, const xc_jpeg_plan *plan)
{
	enum { PIECES = 64 }; /* of 2^22 pixels each, as we write them */
	xc_context *c = r->context;
	work w = {.reader = r, .plan = *plan};
	const size_t all = first_of(&w, plan->pieces);
	xc_kept_list *l = NULL;
	uint64_t n = 0;

	if (r->listed && plan->pieces > PIECES)
		return XC_OK;
	const uint64_t segments = (uint64_t)plan->bands * plan->tiles;
	if (!r->listed &&
	    (r->first_segment > segments || r->segment_count > segments - r->first_segment))
		return xc_fail(c, XC_ERR_ARGUMENT, "the file has %llu segment%s",
		               (unsigned long long)segments, xc_s(segments));
	if (r->listed)
		l = r->listed->listed = xc_kept_list_new(c, r->jpeg, plan);
	w.pieces = xc_allocate(c, plan->pieces * sizeof *w.pieces);
	w.ends = xc_allocate(c, all * sizeof *w.ends);
	xc_status s = (l || !r->listed) && w.pieces && w.ends ? XC_OK
	                                                      : xc_fail_memory(c, all * sizeof *w.ends);
	for (uint32_t i = 0; i < plan->pieces && !s; i++)
		s = l ? list_piece(&w, i, l, &n) : describe_piece(&w, i, &n);
	xc_release(c, w.pieces);
	xc_release(c, w.ends);
	return s;
}

/* ------------------------------------------------------------------ pictures */

/* Takes a picture that is described by `size` bytes and, if that is wanted, the pieces after it. */
static xc_status take_described(file_reader *r, xc_jpeg_plan *plan, const uint8_t *d, size_t size,
                                xc_jpeg_notes *notes, uint64_t stored)
{
	xc_context *c = r->context;
	xc_file_parser *p = &r->parser;

	if (xc_jpeg_described(r->jpeg, d, size, notes) != XC_JPEG_GOOD ||
	    !xc_jpeg_plan_make(r->jpeg, plan) || (r->inside && (plan->bands > 1 || plan->tiles > 1)) ||
	    xc_jpeg_file_size(r->jpeg) > r->info->jpeg_size - r->at)
		return corrupt(r, "a JPEG's description is damaged");
	const uint64_t pixels = (uint64_t)r->jpeg->width * r->jpeg->height;
	xc_status s = XC_OK;
	if (r->out || r->shape)
		s = xc_jpeg_check_pixels(c, r->jpeg);
	if (!s && (r->out || r->shape))
		s = xc_check_expansion(c, 1, pixels, p->size);
	/* Each segment of a piece has an entry of four bytes. */
	if (!s && !may_lack(r) && !r->inside &&
	    (uint64_t)plan->bands * plan->tiles > (p->size - p->offset) / 4)
		s = xc_fail_truncated(p, "the index");
	if (!s && !r->listed && !r->segments)
		xc_jpeg_info_add(r->jpeg, plan, stored, r->info);
	if (!s && r->shape)
		s = xc_kept_shape(c, r->jpeg, r->info, r->shape);
	if (!s && r->kept)
		s = xc_kept_allocate(c, r->jpeg, plan, r->kept);
	if (!s && (r->out || r->kept))
		s = decode_picture(r, plan, notes);
	return s || (!r->listed && !r->segments) ? s : list_picture(r, plan);
}

/* Takes the chunk PICT. */
static xc_status take_picture(file_reader *r, const xc_chunk *k)
{
	xc_context *c = r->context;
	const uint8_t *const end = k->payload + k->length;
	uint64_t number[5];
	const uint8_t *d = k->payload;
	xc_jpeg_notes notes = {.note = NULL};
	xc_jpeg_dictionary dictionary;

	for (int i = 0; i < 5 && d; i++)
		d = xc_jpeg_take_number(d, end, &number[i]);

	/* Notes, of which a file has few, take up to five bytes; all else is in the JPEG. */
	if (!d || (number[0] | number[1] | number[2]) > UINT32_MAX || !number[3] || !number[4] ||
	    number[4] > 100 || ++r->pictures > XC_JPEG_PICTURES ||
	    number[3] / 2 > r->info->jpeg_size + (1 << 15))
		return corrupt(r, "a JPEG's description is damaged");
	const size_t size = (size_t)number[3];
	uint8_t *const plain = xc_allocate(c, size);
	if (!plain)
		return xc_fail_memory(c, size);
	/* A piece of no bands is inside, and has one. */
	const int inside = !number[2];
	xc_jpeg_plan plan = {.rows = (uint32_t)number[0],
	                     .columns = (uint32_t)number[1],
	                     .piece = inside ? 1 : (uint32_t)number[2]};
	xc_status s = XC_OK;
	xc_jpeg_dictionary_of((int)number[4], dictionary);
	d = xc_jpeg_unpack(dictionary, d, (size_t)(end - d), plain, size);
	r->inside = inside ? d : NULL;
	r->inside_size = d ? (size_t)(end - d) : 0;
	if (!d || (!inside && d != end) || (notes.room = xc_jpeg_described_notes(plain, size)) > size)
		s = corrupt(r, "a JPEG's description is damaged");
	/* Each takes two bytes of the description. */
	if (!s && !(notes.note = xc_allocate(c, (notes.room + 1) * sizeof *notes.note)))
		s = xc_fail_memory(c, notes.room * sizeof *notes.note);
	if (!s)
		s = take_described(r, &plan, plain, size, &notes,
		                   k->length - (inside ? r->inside_size : 0));
	xc_release(c, notes.note);
	xc_release(c, plain);
	return s;
}

/* -------------------------------------------------------------------- files */

static xc_status take_header(file_reader *r)
{
	xc_file_parser *p = &r->parser;
	const uint64_t max = r->context->limits.max_expansion;
	xc_chunk k;

	xc_status s = xc_parse_magic(p, p->file, p->size);
	if (s)
		return s;
	if (!xc_jpeg_is(p->file, (size_t)p->size))
		return xc_fail(r->context, XC_ERR_FORMAT, "the file holds no JPEG");
	s = next_chunk(r, &k);
	if (s)
		return s;
	uint64_t size;
	const uint8_t *const end = k.payload + k.length;
	r->hash = xc_jpeg_take_number(k.payload, end, &size);
	if (!r->hash || !xc_head_has(&k, (uint64_t)(r->hash - k.payload) + XC_SHA256_BYTES))
		return corrupt(r, "JPEG has a wrong length");
	*r->info = (xc_jpeg_info){.file_size = p->size, .jpeg_size = size, .stored = 1};
	memcpy(r->info->sha256, r->hash, XC_SHA256_BYTES);
	if (!size || size > SIZE_MAX / 2)
		return corrupt(r, "impossible size of a JPEG");
	if (max && size > XC_JPEG_ANY_SIZE && (size - XC_JPEG_ANY_SIZE - 1) / max >= p->size)
		return xc_fail(r->context, XC_ERR_LIMIT,
		               "more than %llu bytes for each byte of the file, the limit",
		               (unsigned long long)max);
	return XC_OK;
}

static xc_status take_bytes(file_reader *r, const xc_chunk *k)
{
	if (k->length > r->info->jpeg_size - r->at)
		return corrupt(r, "there is more than a JPEG");
	if (r->out && k->length)
		memcpy(r->out + r->at, k->payload, (size_t)k->length);
	r->at += k->length;
	return XC_OK;
}

static xc_status take_end(file_reader *r, const xc_chunk *k)
{
	const uint64_t size = r->info->jpeg_size;
	uint8_t hash[XC_SHA256_BYTES];

	r->extra = r->parser.size - r->parser.offset;
	if (k->length)
		return corrupt(r, "DONE has a wrong length");
	if (r->extra)
		(void)xc_fail(r->context, XC_OK, XC_TOO_MANY_BYTES, (unsigned long long)r->extra,
		              xc_s(r->extra));
	if (r->extra && !r->lenient)
		return XC_ERR_CORRUPT;
	if (!r->out)
		return XC_OK;
	if (r->at != size)
		return corrupt(r, "parts of the JPEG are missing");
	xc_stage(r->context, "decode");
	xc_sha256(r->out, (size_t)size, hash);
	xc_stage(r->context, "hash");
	return memcmp(hash, r->hash, sizeof hash) != 0 ? corrupt(r, "the JPEG has another hash")
	                                               : XC_OK;
}

/* Whether a chunk may stand in a file with a JPEG. */
static int is_known(const xc_chunk *k)
{
	static const char types[][5] = {"BYTE", "PICT", "INDX", "DATA", "DONE"};
	int known = k->type[0] >= 'a';

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		known |= !memcmp(k->type, types[i], 4);
	return known;
}

/* After the first picture, whose pieces may have been passed, there has to be a whole file. */
static xc_status take_rest(file_reader *r)
{
	xc_chunk k = {.type = ""}, index = {.payload = NULL};
	xc_status s = XC_OK;

	while (!s && memcmp(k.type, "DONE", 4) != 0) {
		s = next_chunk(r, &k);
		if (!s && !is_known(&k))
			s = xc_fail_unknown_chunk(&r->parser, k.type);
		r->pictures += !memcmp(k.type, "PICT", 4);
		if (!s && r->shape && r->pictures > 1) /* once a file */
			r->info->later_damaged += xc_kept_pass(&k, &index);
	}
	if (!s)
		s = take_end(r, &k);
	return r->lenient && (s == XC_ERR_TRUNCATED || s == XC_ERR_CORRUPT) ? XC_OK : s;
}

/* Only the first picture, where the file begins with one. */
static xc_status take_first(file_reader *r)
{
	const xc_file_parser *p = &r->parser;
	xc_chunk k = {.type = "a"};
	xc_status s = XC_OK;

	while (!s && k.type[0] >= 'a') {
		const uint8_t *const at = p->file + p->offset;
		/* Even if it is damaged or cut off. */
		if (p->size - p->offset >= 4 && !memcmp(at, "BYTE", 4)) {
			s = r->shape ? xc_kept_stored_metadata(r->context, at, p->size - p->offset, r->shape)
			             : XC_OK;
			return s ? s
			         : xc_fail(
						   r->context, XC_ERR_UNSUPPORTED,
						   "the file holds a JPEG as it is: its pixels are libjpeg's to decode");
		}
		s = next_chunk(r, &k);
	}
	if (!s && memcmp(k.type, "PICT", 4) != 0)
		s = xc_fail_unknown_chunk(&r->parser, k.type);
	if (!s)
		s = take_picture(r, &k);
	return s ? s : take_rest(r);
}

static xc_status take_chunks(file_reader *r)
{
	xc_chunk index = {.payload = NULL};
	xc_status s = XC_OK;

	for (int ended = 0; !s && !ended;) {
		xc_chunk k;
		s = next_chunk(r, &k);
		/* The message says how far the file goes, or which chunk is damaged. */
		if (xc_is_damage(s) && may_lack(r) && r->pictures) {
			r->info->later_damaged += s == XC_ERR_CORRUPT;
			return XC_OK;
		}
		if (s)
			break;
		if (!memcmp(k.type, "BYTE", 4))
			s = take_bytes(r, &k);
		else if (!memcmp(k.type, "PICT", 4))
			s = take_picture(r, &k);
		else if (!memcmp(k.type, "DONE", 4))
			ended = !(s = take_end(r, &k));
		else if (!memcmp(k.type, "INDX", 4) || !memcmp(k.type, "DATA", 4))
			s = r->out ? corrupt(r, "segments belong to no picture") : XC_OK;
		else if (k.type[0] < 'a')
			s = xc_fail_unknown_chunk(&r->parser, k.type);
		if (!s && r->pictures > 1)
			r->info->later_damaged += xc_kept_pass(&k, &index);
	}
	return s;
}

/* first: only the first picture is wanted, for one of the members that *first sets. */
static xc_status read_file(xc_context *c, const void *file, size_t size, int lenient,
                           xc_jpeg_info *info, xc_buffer *jpeg, file_reader *first)
{
	file_reader r = first ? *first : (file_reader){.shape = NULL};

	r.context = c;
	r.parser = (xc_file_parser){.context = c, .file = file, .size = size};
	r.info = info;
	r.lenient = lenient;
	xc_status s = take_header(&r);
	if (s)
		return s;
	r.jpeg = xc_allocate(c, sizeof *r.jpeg);
	if (jpeg)
		r.out = jpeg->data = xc_allocate(c, (size_t)info->jpeg_size);
	if (!r.jpeg || (jpeg && !r.out))
		s = xc_fail_memory(c, (size_t)info->jpeg_size);
	else
		s = first ? take_first(&r) : take_chunks(&r);
	xc_release(c, r.jpeg);
	if (jpeg)
		jpeg->size = (size_t)info->jpeg_size;
	if (first)
		first->extra = r.extra;
	return s;
}

xc_status xc_jpeg_read_info(xc_context *c, const void *file, size_t size, xc_jpeg_info *info)
{
	xc_status s = XC_BEGIN_RESULT(c, info);

	if (s)
		return s;
	s = file ? read_file(c, file, size, 1, info, NULL, NULL)
	         : xc_fail(c, XC_ERR_ARGUMENT, "no file");
	if (s)
		*info = (xc_jpeg_info){.width = 0};
	return s;
}

xc_status xc_kept_bytes(xc_context *c, const void *file, size_t size, int lenient, xc_buffer *jpeg)
{
	xc_jpeg_info info;

	*jpeg = (xc_buffer){NULL, 0};
	const xc_status s = file ? read_file(c, file, size, lenient, &info, jpeg, NULL)
	                         : xc_fail(c, XC_ERR_ARGUMENT, "no file");
	if (s)
		xc_buffer_free(c, jpeg);
	return s;
}

xc_status xc_jpeg_decode(xc_context *c, const void *file, size_t size, xc_buffer *jpeg)
{
	XC_DEFAULT_FLOATS;
	const xc_status s = XC_BEGIN_RESULT(c, jpeg);

	return s ? s : xc_kept_bytes(c, file, size, 0, jpeg);
}

xc_status xc_kept_open(xc_context *c, const void *file, size_t size, xc_container *k,
                       uint64_t *segments)
{
	file_reader first = {.shape = k};
	xc_jpeg_info info = {.segments = 0};
	const xc_status s = read_file(c, file, size, 1, &info, NULL, &first);

	*segments = info.segments;
	k->jpeg = file;
	k->jpeg_bytes = size;
	k->extra_bytes = first.extra;
	k->later_damaged = info.later_damaged;
	k->segment_bytes -= k->segment_bytes < first.extra ? k->segment_bytes : first.extra;
	c->message[0] = s ? c->message[0] : '\0';
	return s;
}

xc_status xc_kept_list_segments(xc_context *c, xc_container *k, int lenient)
{
	return read_file(c, k->jpeg, k->jpeg_bytes, lenient, &(xc_jpeg_info){.stored = 0}, NULL,
	                 &(file_reader){.listed = k});
}

xc_status xc_kept_describe(xc_context *c, const void *file, size_t size, uint64_t number,
                           uint64_t count, xc_segment_info *segments)
{
	file_reader first = {.segments = segments, .first_segment = number, .segment_count = count};
	xc_jpeg_info info;
	const xc_status s = read_file(c, file, size, 1, &info, NULL, &first);

	c->message[0] = s ? c->message[0] : '\0';
	return s;
}

xc_status xc_kept_read(xc_context *c, const void *file, size_t size, xc_kept *kept)
{
	file_reader first = {.kept = kept};
	xc_jpeg_info info;

	return read_file(c, file, size, kept->keep_going, &info, NULL, &first);
}
