/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/support/jpeg_files.h"

#include <string.h>

#include "tests/support/check.h"

/* ------------------------------------------------------------------ an encoder */

typedef struct maker {
	xc_bytes *file;
	uint64_t seed;
	int progressive, components;
	int lone; /* most runs have no other block than that of codes of its own */
	uint32_t width, height, h[4], v[4], most_h, most_v;
	int16_t *blocks[4];
	uint32_t wide[4], high[4], columns[4]; /* in blocks; columns: of whole MCUs */
	uint32_t code[2][2][256];              /* by class and table; length in 16 and above */
	/* The scan. */
	uint32_t bits, count, restart, pad, low, high_bit, from, to;
	uint32_t run, waiting;
	uint8_t correction[4096];
} maker;

static uint32_t below(maker *m, uint32_t n)
{
	return check_below(&m->seed, n);
}

static void put(maker *m, uint32_t bits, uint32_t n)
{
	while (n--) {
		m->bits = m->bits << 1 | (bits >> n & 1);
		if (++m->count % 8)
			continue;
		xc_bytes_add_u8(m->file, m->bits & 255);
		if ((m->bits & 255) == 255)
			xc_bytes_add_u8(m->file, 0);
	}
}

static void put_symbol(maker *m, int class, int table, uint32_t symbol)
{
	const uint32_t c = m->code[class][table][symbol];
	put(m, c & 0xffff, c >> 16);
}

static void put_value(maker *m, int class, int table, uint32_t zeros, int32_t v)
{
	uint32_t n = 0;

	while ((v < 0 ? -v : v) >> n)
		n++;
	put_symbol(m, class, table, zeros << 4 | n);
	put(m, (uint32_t)(v < 0 ? v - 1 : v), n);
}

static void put_run(maker *m, int table)
{
	uint32_t n = 0;

	if (!m->run)
		return;
	while (m->run >> (n + 1))
		n++;
	put_symbol(m, 1, table, n << 4);
	put(m, m->run, n);
	for (uint32_t i = 0; i < m->waiting; i++)
		put(m, m->correction[i], 1);
	m->run = m->waiting = 0;
}

/* Zeros that need not be said, at times. */
static void put_zeros(maker *m, int table, uint32_t left)
{
	for (; left > 17 && !below(m, 9); left -= 16)
		put_symbol(m, 1, table, 0xf0);
}

static void put_ac(maker *m, int table, const int16_t *b)
{
	uint32_t zeros = 0, from = m->progressive ? m->from : 1, coded = 0;

	for (uint32_t k = from; k <= m->to; k++) {
		const int32_t v = b[k] < 0 ? -(-b[k] >> m->low) : b[k] >> m->low;
		if (!v) {
			zeros++;
			continue;
		}
		put_run(m, table);
		for (; zeros > 15; zeros -= 16)
			put_symbol(m, 1, table, 0xf0);
		put_value(m, 1, table, zeros, v);
		zeros = 0;
		coded = 1;
	}
	if (!zeros)
		return;
	if (m->run == 0)
		put_zeros(m, table, zeros);
	if (!m->progressive) {
		put_symbol(m, 1, table, 0);
		return;
	}
	m->run++;
	if (m->run == 0x7fff || !below(m, 30) || (m->lone && coded && below(m, 20)))
		put_run(m, table);
}

static void put_more(maker *m, int table, const int16_t *b)
{
	uint32_t zeros = 0, waiting = 0, last = 0, coded = 0, size[64];
	uint8_t bit[64];

	for (uint32_t k = m->from; k <= m->to; k++) {
		size[k] = (uint32_t)(b[k] < 0 ? -b[k] : b[k]) >> m->low;
		last = size[k] == 1 ? k : last;
	}
	for (uint32_t k = m->from; k <= m->to; k++) {
		if (!size[k]) {
			zeros++;
			continue;
		}
		while (zeros > 15 && k <= last) {
			put_run(m, table);
			put_symbol(m, 1, table, 0xf0);
			for (uint32_t i = 0; i < waiting; i++)
				put(m, bit[i], 1);
			waiting = 0;
			zeros -= 16;
		}
		if (size[k] > 1) {
			bit[waiting++] = size[k] & 1;
			continue;
		}
		put_run(m, table);
		put_symbol(m, 1, table, zeros << 4 | 1);
		put(m, b[k] > 0, 1);
		for (uint32_t i = 0; i < waiting; i++)
			put(m, bit[i], 1);
		zeros = waiting = 0;
		coded = 1;
	}
	if (!zeros && !waiting)
		return;
	m->run++;
	memcpy(m->correction + m->waiting, bit, waiting);
	m->waiting += waiting;
	if (m->waiting > 3000 || !below(m, 40) || (m->lone && coded && below(m, 20)))
		put_run(m, table);
}

static void put_block(maker *m, int c, int32_t *dc, const int16_t *b)
{
	const int table = c > 0;

	if (!m->from && m->high_bit)
		put(m, (uint32_t)(b[0] >> m->low) & 1, 1);
	else if (!m->from) {
		put_value(m, 0, table, 0, (b[0] >> m->low) - *dc);
		*dc = b[0] >> m->low;
	}
	if (m->to)
		(m->progressive && m->high_bit ? put_more : put_ac)(m, table, b);
}

static void end_interval(maker *m, int table)
{
	put_run(m, table);
	const uint32_t pad = m->pad == 2 ? below(m, 256) : m->pad ? 255 : 0;
	if (m->count % 8)
		put(m, pad, 8 - m->count % 8);
}

static void put_scan(maker *m, const int *list, int n)
{
	xc_bytes *f = m->file;
	const int c = list[0], mcus = n > 1;
	const uint32_t wide = mcus ? m->columns[c] / m->h[c] : m->wide[c];
	const uint32_t high = mcus ? (m->height + 8 * m->most_v - 1) / (8 * m->most_v) : m->high[c];
	int32_t dc[4] = {0};

	m->restart = below(m, 3) ? 0 : 1 + below(m, 9);
	m->pad = below(m, 8) ? 1 : 2 * below(m, 2);
	m->count = m->run = m->waiting = 0;
	const uint8_t dri[] =
		{0xff, 0xdd, 0, 4, 0, (uint8_t)m->restart, 0xff, 0xda, 0, (uint8_t)(6 + 2 * n), (uint8_t)n};
	xc_bytes_add(f, dri, sizeof dri);
	for (int i = 0; i < n; i++) {
		xc_bytes_add_u8(f, 10U + (uint32_t)list[i]);
		xc_bytes_add_u8(f, list[i] > 0 ? 0x11 : 0);
	}
	xc_bytes_add_u8(f, m->from);
	xc_bytes_add_u8(f, m->to);
	xc_bytes_add_u8(f, m->high_bit << 4 | m->low);
	for (uint32_t u = 0; u < wide * high; u++) {
		if (m->restart && u && u % m->restart == 0) {
			end_interval(m, c > 0);
			xc_bytes_add_u8(f, 0xff);
			xc_bytes_add_u8(f, 0xd0 + (u / m->restart - 1) % 8);
			memset(dc, 0, sizeof dc);
		}
		for (int i = 0; i < n; i++) {
			const int k = list[i];
			const uint32_t h = mcus ? m->h[k] : 1, v = mcus ? m->v[k] : 1;
			for (uint32_t j = 0; j < h * v; j++) {
				const uint32_t x = u % wide * h + j % h, y = u / wide * v + j / h;
				put_block(m, k, &dc[k], m->blocks[k] + 64 * ((size_t)y * m->columns[k] + x));
			}
		}
	}
	end_interval(m, c > 0);
}

/* Eight symbols of 4 bits, the others of 9, in any order. */
static void put_table(maker *m, int class, int table)
{
	uint8_t t[5 + 16 + 256] = {0xff, 0xc4, 0x01, 0x13, (uint8_t)(class << 4 | table)};

	t[5 + 3] = 8;
	t[5 + 8] = 248;
	for (uint32_t i = 0; i < 256; i++)
		t[21 + i] = (uint8_t)i;
	for (uint32_t i = 0; i < 256; i++) {
		/* Small symbols early. */
		const uint32_t k = i < 8 ? i + below(m, 24) : i + below(m, 256 - i);
		const uint8_t other = t[21 + k];
		t[21 + k] = t[21 + i];
		t[21 + i] = other;
	}
	for (uint32_t i = 0; i < 256; i++)
		m->code[class][table][t[21 + i]] = i < 8 ? 4 << 16 | i : 9 << 16 | (256 + i - 8);
	xc_bytes_add(m->file, t, sizeof t);
}

static void make_blocks(maker *m, int c)
{
	const uint32_t rows = (m->height + 8 * m->most_v - 1) / (8 * m->most_v) * m->v[c];
	const uint32_t busy = 1 + below(m, 60), large = below(m, 6) ? 12 : 1000;
	int16_t *b = xc_test_malloc(128 * (size_t)m->columns[c] * rows);

	m->blocks[c] = b;
	memset(b, 0, 128 * (size_t)m->columns[c] * rows);
	for (uint32_t i = 0; i < m->columns[c] * rows; i++, b += 64) {
		/* What is beyond a scan of its own has no AC. */
		const int inside = i % m->columns[c] < m->wide[c] && i / m->columns[c] < m->high[c];
		b[0] = (int16_t)((int32_t)below(m, 2 * large) - (int32_t)large);
		for (uint32_t k = 1; k < 64 && inside && below(m, 4); k += 1 + below(m, 1 + k * 60 / busy))
			b[k] = (int16_t)((int32_t)below(m, 1 + 2 * large / k) - (int32_t)(large / k));
	}
}

static void put_frame(maker *m)
{
	const uint32_t n = (uint32_t)m->components;
	const uint8_t sof[] = {0xff,
	                       m->progressive ? 0xc2 : 0xc0,
	                       0,
	                       (uint8_t)(8 + 3 * n),
	                       8,
	                       (uint8_t)(m->height >> 8),
	                       (uint8_t)m->height,
	                       (uint8_t)(m->width >> 8),
	                       (uint8_t)m->width,
	                       (uint8_t)n};
	uint8_t dqt[5 + 64] = {0xff, 0xdb, 0, 67, 0};

	for (int i = 0; i < 64; i++)
		dqt[5 + i] = (uint8_t)(1 + below(m, 20) + (uint32_t)i);
	xc_bytes_add(m->file, dqt, sizeof dqt);
	xc_bytes_add(m->file, sof, sizeof sof);
	for (uint32_t c = 0; c < n; c++) {
		xc_bytes_add_u8(m->file, 10 + c);
		xc_bytes_add_u8(m->file, m->h[c] << 4 | m->v[c]);
		xc_bytes_add_u8(m->file, 0);
	}
	for (int t = 0; t < 4; t++)
		put_table(m, t / 2, t % 2);
}

static void set_band(maker *m, uint32_t from, uint32_t to, uint32_t high, uint32_t low)
{
	m->from = from;
	m->to = to;
	m->high_bit = high;
	m->low = low;
}

static void put_scans(maker *m)
{
	static const int all[4] = {0, 1, 2, 3};
	uint32_t blocks = 0;

	for (int c = 0; c < m->components; c++)
		blocks += m->h[c] * m->v[c];
	const int together = blocks <= 10 && m->components > 1 && below(m, 5);
	const uint32_t deep = below(m, 4);
	for (uint32_t low = deep; m->progressive && low + 1 > 0; low--) {
		const uint32_t high = low < deep ? low + 1 : 0, cut = 1 + below(m, 62);
		set_band(m, 0, 0, high, low);
		for (int c = 0; !together && c < m->components; c++)
			put_scan(m, &all[c], 1);
		if (together)
			put_scan(m, all, m->components);
		for (int c = 0; c < m->components; c++) {
			set_band(m, 1, cut, high, low);
			put_scan(m, &all[c], 1);
			set_band(m, cut + 1, 63, high, low);
			put_scan(m, &all[c], 1);
		}
	}
	set_band(m, 0, 63, 0, 0);
	for (int c = 0; !m->progressive && !together && c < m->components; c++)
		put_scan(m, &all[c], 1);
	if (!m->progressive && together)
		put_scan(m, all, m->components);
}

void xc_test_jpeg_make(xc_bytes *file, uint64_t seed)
{
	maker m = {.file = file, .seed = seed * 0x9e3779b97f4a7c15, .most_h = 1, .most_v = 1};

	m.progressive = (int)below(&m, 2);
	m.lone = seed % 3 == 1;
	m.components = 1 + (int)below(&m, 4);
	m.width = 1 + below(&m, 80);
	m.height = 1 + below(&m, 80);
	for (int c = 0; c < m.components; c++) {
		m.h[c] = 1 + below(&m, 4) * below(&m, 2);
		m.v[c] = 1 + below(&m, 4) * below(&m, 2);
		m.most_h = m.h[c] > m.most_h ? m.h[c] : m.most_h;
		m.most_v = m.v[c] > m.most_v ? m.v[c] : m.most_v;
	}
	for (int c = 0; c < m.components; c++) {
		m.wide[c] = ((m.width * m.h[c] + m.most_h - 1) / m.most_h + 7) / 8;
		m.high[c] = ((m.height * m.v[c] + m.most_v - 1) / m.most_v + 7) / 8;
		m.columns[c] = (m.width + 8 * m.most_h - 1) / (8 * m.most_h) * m.h[c];
		make_blocks(&m, c);
	}
	xc_bytes_add(file, "\xff\xd8\xff\xfe\0\7hello", 11);
	put_frame(&m);
	put_scans(&m);
	xc_bytes_add(file, "\xff\xd9", 2);
	for (int c = 0; c < m.components; c++)
		free(m.blocks[c]);
}

/* -------------------------------------------------------------------- and back */

typedef struct trip {
	xc_jpeg *jpeg;
	uint32_t rows;
	const char *wrong;
	xc_jpeg_coding coding;
	xc_bytes segments; /* the size of each before it */
	size_t at;
} trip;

/* The built-in frequencies. To make them takes longer than to code what most tests have, so they are made once. */
static struct {
	_Alignas(64) xc_jpeg_encode_codes encode;
	_Alignas(64) xc_jpeg_decode_codes decode;
	int made;
} builtin;

static void make_builtin(void)
{
	xc_shape_index shapes[XC_JPEG_SHAPES];
	uint8_t used[XC_JPEG_SHAPES];

	if (builtin.made)
		return;
	memset(used, 1, sizeof used);
	xc_jpeg_builtin_shapes(shapes);
	xc_jpeg_encode_codes_make(shapes, used, &builtin.encode);
	xc_jpeg_decode_codes_make(shapes, &builtin.decode);
	builtin.made = 1;
}

static void *aligned_memory(size_t size)
{
	void *p = NULL;

	if (posix_memalign(&p, 64, size ? size : 1))
		abort();
	return p;
}

static void band_make(const xc_jpeg *j, uint32_t first, uint32_t rows, xc_jpeg_band *band)
{
	band->first = first;
	band->rows = j->mcu_rows - first < rows ? j->mcu_rows - first : rows;
	for (int c = 0; c < j->components; c++) {
		const size_t size = 128 * xc_jpeg_band_blocks(j, c, band->rows);
		band->blocks[c] = aligned_memory(size);
		memset(band->blocks[c], 1, size);
	}
}

static void band_free(xc_jpeg_band *band)
{
	for (int c = 0; c < XC_JPEG_COMPONENTS; c++)
		free(band->blocks[c]);
}
#define OWN_BAND __attribute__((cleanup(band_free))) xc_jpeg_band

/* Codes a part of a band by all levels. */
static void code_part(trip *t, const xc_jpeg_band *band)
{
	OWN_MEMORY void *const scratch = aligned_memory(xc_jpeg_encode_scratch(&t->coding, band->rows));
	OWN_MEMORY xc_jpeg_counts *const counts = xc_test_malloc(sizeof *counts);
	OWN_BYTES first = {0};

	memset(counts, 0, sizeof *counts);
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		const xc_jpeg_level *l = xc_jpeg_level_get((xc_cpu)cpu);
		const size_t records = l->record(&t->coding, band, scratch, *counts);
		size_t size;
		const uint8_t *const out = l->encode(&t->coding, &builtin.encode, band, scratch, records,
		                                     &size);
		if (!first.size)
			xc_bytes_add(&first, out, size);
		else if (first.size != size || memcmp(first.data, out, size))
			t->wrong = "levels code differently";
	}
	xc_bytes_add_le32(&t->segments, (uint32_t)first.size);
	xc_bytes_add(&t->segments, first.data, first.size);
}

/* Decodes the next segment into a part of a band by all levels. */
static void decode_part(trip *t, const xc_jpeg_band *band)
{
	const uint8_t *p = t->segments.data + t->at;
	const size_t size = p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16;
	OWN_MEMORY void *const scratch = aligned_memory(xc_jpeg_decode_scratch(&t->coding));
	OWN_MEMORY uint8_t *const data = xc_test_copy(p + 4, size);

	t->at += 4 + size;
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		OWN_BAND own = {0};
		band_make(t->jpeg, band->first, band->rows, &own);
		own.column = band->column;
		own.columns = band->columns;
		for (int c = 0; c < t->jpeg->components; c++)
			memcpy(own.blocks[c], band->blocks[c],
			       128 * xc_jpeg_band_blocks(t->jpeg, c, band->rows));
		if (!xc_jpeg_level_get((xc_cpu)cpu)
		         ->decode(&t->coding, &builtin.decode, data, size, &own, scratch))
			t->wrong = "a segment is damaged";
		for (int c = 0; c < t->jpeg->components; c++) {
			const size_t bytes = 128 * xc_jpeg_band_blocks(t->jpeg, c, band->rows);
			if (cpu && memcmp(band->blocks[c], own.blocks[c], bytes))
				t->wrong = "levels decode differently";
			memcpy(band->blocks[c], own.blocks[c], bytes);
		}
	}
}

/* One segment for a band, or two. */
static void each_part(trip *t, xc_jpeg_band *band, void (*part)(trip *, const xc_jpeg_band *))
{
	const uint32_t all = t->jpeg->mcu_columns, left = t->rows % 2 ? 0 : all / 3;

	band->columns = left;
	part(t, band);
	if (!left)
		return;
	band->column = left;
	band->columns = all - left;
	part(t, band);
}

static xc_jpeg_verdict take_apart(trip *t, xc_jpeg_notes *notes, size_t size)
{
	OWN_MEMORY xc_jpeg_note *const room = xc_test_malloc(sizeof *room * (size + 16));
	OWN_MEMORY xc_jpeg_reader *const reader = aligned_memory(xc_jpeg_reader_size(t->jpeg));

	*notes = (xc_jpeg_notes){room, 0, size + 16};
	xc_jpeg_verdict v = xc_jpeg_reader_begin(reader, t->jpeg, notes);
	for (uint32_t y = 0; v == XC_JPEG_GOOD && y < t->jpeg->mcu_rows; y += t->rows) {
		OWN_BAND band = {0};
		band_make(t->jpeg, y, t->rows, &band);
		v = xc_jpeg_read(reader, &band);
		if (v == XC_JPEG_GOOD)
			each_part(t, &band, code_part);
	}
	if (v == XC_JPEG_GOOD)
		v = xc_jpeg_reader_end(reader);
	notes->note = xc_test_copy(room, sizeof *room * notes->count);
	return v;
}

static void put_together(trip *t, const xc_bytes *description, const uint8_t *file, size_t size)
{
	const size_t count = xc_jpeg_described_notes(description->data, description->size);
	OWN_MEMORY xc_jpeg_note *const room = xc_test_malloc(sizeof *room * (count + 1));
	OWN_MEMORY xc_jpeg *const j = xc_test_malloc(sizeof *j);
	OWN_MEMORY uint8_t *const out = xc_test_malloc(size);
	xc_jpeg_notes notes = {room, 0, count};
	int good;

	if (xc_jpeg_described(j, description->data, description->size, &notes) != XC_JPEG_GOOD ||
	    xc_jpeg_file_size(j) != size) {
		t->wrong = "the description is another one's";
		return;
	}
	OWN_MEMORY xc_jpeg_writer *const w = aligned_memory(xc_jpeg_writer_size(j));
	good = xc_jpeg_writer_begin(w, j, &notes, out);
	for (uint32_t y = 0; good && y < j->mcu_rows; y += t->rows) {
		OWN_BAND band = {0};
		band_make(j, y, t->rows, &band);
		each_part(t, &band, decode_part);
		good = xc_jpeg_write(w, &band);
	}
	if (!good || !xc_jpeg_writer_end(w) || memcmp(out, file, size))
		t->wrong = "other bytes";
}

xc_jpeg_verdict xc_test_jpeg_same(const uint8_t *data, size_t size, uint32_t rows,
                                  const char **wrong, size_t *coded)
{
	OWN_MEMORY xc_jpeg *const j = xc_test_malloc(sizeof *j);
	OWN_MEMORY trip *const t = xc_test_malloc(sizeof *t);
	OWN_BYTES description = {0};
	xc_jpeg_notes notes;

	*wrong = NULL;
	xc_jpeg_verdict v = xc_jpeg_open(j, data, size);
	/* A test has no time for pictures whose blocks are not there. */
	if (v != XC_JPEG_GOOD || (uint64_t)j->width * j->height > 1 << 18)
		return v == XC_JPEG_GOOD ? XC_JPEG_BUDGET : v;
	memset(t, 0, sizeof *t);
	t->jpeg = j;
	t->rows = rows;
	xc_jpeg_coding_make(j, &t->coding);
	make_builtin();
	v = take_apart(t, &notes, size);
	if (v == XC_JPEG_GOOD) {
		OWN_MEMORY uint8_t *const d = xc_test_malloc(xc_jpeg_describe(j, &notes, NULL));
		xc_bytes_add(&description, d, xc_jpeg_describe(j, &notes, d));
		put_together(t, &description, data, j->size);
		*coded = description.size + t->segments.size;
		*wrong = t->wrong;
	}
	free(notes.note);
	xc_bytes_free(&t->segments);
	return v;
}
