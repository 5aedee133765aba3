/* SPDX-License-Identifier: BSD-2-Clause */
/* JPEGs of the reference decoder: the file, descriptions, and the scans as ITU-T T.81 has them. Numbers
 * in brackets are sections of doc/format.md. refdec_jpeg_pack.c unpacks the
 * descriptions. */
#include <stdlib.h>
#include <string.h>

#include "jpeg/jpeg.h"
#include "tests/formats/refdec_jpeg.h"

typedef struct note {
	uint64_t index;
	uint32_t value;
} note;

/* [12.1] */
typedef struct scan {
	int padding, breaks, lone;
	uint64_t units, coded, tail;
	uint64_t notes[4]; /* how many of each kind */
	note *note[4];
	/* From the skeleton: */
	int count, component[4], from, to, high, low;
	uint32_t restart, total;
	uint16_t code[4][2][256]; /* of each component, DC and AC */
	uint8_t length[4][2][256];
	uint64_t behind; /* where its header ends in the skeleton */
} scan;

typedef struct jpeg_file {
	refdec *d;
	uint8_t *out;
	uint64_t size, written, max_blocks;
	jpeg_picture p;
	scan *scans;
	uint64_t count;
	const uint8_t *skeleton, *end;
	int16_t (*blocks)[64];
	uint8_t *description;
} jpeg_file;

/* ----------------------------------------------------------- [12.1] description */

static void read_notes(refdec *d, scan *s, const uint8_t **p, const uint8_t *end)
{
	uint64_t n = refdec_jpeg_number(d, p, end), before[4] = {0};

	if (n > (uint64_t)(end - *p))
		refdec_fail(d, "a description is damaged");
	for (int k = 0; k < 4; k++)
		s->note[k] = refdec_allocate(d, n + 1, sizeof *s->note[k]);
	for (; n; n--) {
		const uint64_t kind = refdec_jpeg_number(d, p, end);
		before[kind % 4] = (uint32_t)(before[kind % 4] + refdec_jpeg_number(d, p, end));
		s->note[kind % 4][s->notes[kind % 4]++] = (note){before[kind % 4], (uint32_t)(kind / 4)};
	}
}

static void read_description(jpeg_file *f, const uint8_t *p, const uint8_t *end)
{
	refdec *d = f->d;
	const uint64_t n = refdec_jpeg_number(d, &p, end);

	if (!n || n > 256)
		refdec_fail(d, "a description is damaged");
	f->scans = refdec_allocate(d, n, sizeof *f->scans);
	for (f->count = 0; f->count < n; f->count++) {
		scan *s = &f->scans[f->count];
		const uint64_t flags = refdec_jpeg_number(d, &p, end);
		s->padding = flags & 1;
		s->breaks = flags >> 1 & 1;
		s->lone = flags >> 2 & 1;
		if (flags > 7)
			refdec_fail(d, "a description is damaged");
		s->units = s->breaks ? refdec_jpeg_number(d, &p, end) : 0;
		s->coded = refdec_jpeg_number(d, &p, end);
		s->tail = refdec_jpeg_number(d, &p, end);
		read_notes(d, s, &p, end);
	}
	f->skeleton = p;
	f->end = end;
}

/* ------------------------------------------------------------------- skeleton */

static uint32_t two(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

typedef struct tables {
	uint32_t q[4][64];
	uint16_t code[2][4][256];
	uint8_t length[2][4][256];
	uint32_t restart;
	int framed;
} tables;

static void need(jpeg_file *f, int condition)
{
	if (!condition)
		refdec_fail(f->d, "the skeleton of a JPEG is damaged");
}

static void read_quantization(jpeg_file *f, tables *t, const uint8_t *p, uint32_t n)
{
	while (n) {
		const uint32_t wide = *p >> 4, size = 1 + 64 * (1 + wide);
		need(f, wide < 2 && (*p & 15) < 4 && n >= size);
		for (int z = 0; z < 64; z++) {
			const uint32_t q = wide ? two(p + 1 + 2 * z) : p[1 + z];
			t->q[*p & 3][refdec_jpeg_order[z]] = q ? q : 1;
		}
		p += size;
		n -= size;
	}
}

/* T.81, C.2 */
static void read_codes(jpeg_file *f, tables *t, const uint8_t *p, uint32_t n)
{
	while (n) {
		uint32_t code = 0, size = 17;
		need(f, n >= 17 && (*p & 0xef) < 4);
		const int class = *p >> 4, to = *p & 3;
		for (int i = 1; i <= 16; i++)
			size += p[i];
		need(f, size <= n);
		memset(t->length[class][to], 0, 256);
		const uint8_t *symbol = p + 17;
		for (int length = 1; length <= 16; length++, code <<= 1)
			for (int i = 0; i < p[length]; i++, symbol++) {
				t->code[class][to][*symbol] = (uint16_t)code++;
				t->length[class][to][*symbol] = (uint8_t)length;
			}
		p += size;
		n -= size;
	}
}

static void read_frame(jpeg_file *f, int marker, const uint8_t *p, uint32_t n)
{
	jpeg_picture *q = &f->p;
	uint64_t blocks = 0;

	need(f, n >= 6 && p[0] == 8 && p[5] >= 1 && p[5] <= 4 && n == 6 + 3u * p[5]);
	q->progressive = marker == 0xc2;
	q->height = two(p + 1);
	q->width = two(p + 3);
	q->components = p[5];
	q->h = q->v = 1;
	for (int i = 0; i < q->components; i++) {
		jpeg_component *c = &q->component[i];
		c->id = p[6 + 3 * i];
		c->h = p[7 + 3 * i] >> 4;
		c->v = p[7 + 3 * i] & 15;
		c->quant = p[8 + 3 * i];
		need(f, c->h && c->v && c->h < 5 && c->v < 5 && c->quant < 4);
		q->h = c->h > q->h ? c->h : q->h;
		q->v = c->v > q->v ? c->v : q->v;
	}
	need(f, q->width && q->height);
	q->mcus_wide = (uint32_t)refdec_divide_up(q->width, 8 * (uint64_t)q->h);
	q->mcus_high = (uint32_t)refdec_divide_up(q->height, 8 * (uint64_t)q->v);
	for (int i = 0; i < q->components; i++) {
		jpeg_component *c = &q->component[i];
		c->wide = (uint32_t)refdec_divide_up(refdec_divide_up((uint64_t)q->width * (uint32_t)c->h,
		                                                      (uint32_t)q->h),
		                                     8);
		c->high = (uint32_t)refdec_divide_up(refdec_divide_up((uint64_t)q->height * (uint32_t)c->v,
		                                                      (uint32_t)q->v),
		                                     8);
		c->columns = q->mcus_wide * (uint32_t)c->h;
		c->rows = q->mcus_high * (uint32_t)c->v;
		blocks += (uint64_t)c->columns * c->rows;
	}
	if (blocks > f->max_blocks)
		refdec_fail(f->d, REFDEC_LIMIT "too many blocks");
	free(f->blocks);
	f->blocks = refdec_allocate(f->d, blocks, sizeof *f->blocks);
	blocks = 0;
	for (int i = 0; i < q->components; i++) {
		q->component[i].blocks = f->blocks + blocks;
		blocks += (uint64_t)q->component[i].columns * q->component[i].rows;
	}
}

static void read_scan(jpeg_file *f, const tables *t, scan *s, const uint8_t *p, uint32_t n)
{
	need(f, t->framed && n >= 1 && p[0] >= 1 && p[0] <= 4 && n == 4 + 2u * p[0]);
	s->count = p[0];
	for (int i = 0; i < s->count; i++) {
		int c = 0;
		while (c < f->p.components && f->p.component[c].id != p[1 + 2 * i])
			c++;
		need(f, c < f->p.components && (p[2 + 2 * i] & 0xcc) == 0);
		s->component[i] = c;
		for (int k = 0; k < 2; k++) {
			const int table = k ? p[2 + 2 * i] & 15 : p[2 + 2 * i] >> 4;
			memcpy(s->code[i][k], t->code[k][table], sizeof s->code[i][k]);
			memcpy(s->length[i][k], t->length[k][table], sizeof s->length[i][k]);
		}
		/* [12.2.2] The table in effect in the last scan. */
		memcpy(f->p.component[c].q, t->q[f->p.component[c].quant], sizeof t->q[0]);
	}
	s->from = f->p.progressive ? p[n - 3] : 0;
	s->to = f->p.progressive ? p[n - 2] : 63;
	s->high = f->p.progressive ? p[n - 1] >> 4 : 0;
	s->low = f->p.progressive ? p[n - 1] & 15 : 0;
	need(f, s->from <= s->to && s->to < 64 && s->low < 14);
	s->restart = t->restart;
	const jpeg_component *c = &f->p.component[s->component[0]];
	s->total = s->count > 1 ? f->p.mcus_wide * f->p.mcus_high : c->wide * c->high;
	if (!s->breaks)
		s->units = s->total;
	need(f, s->units <= s->total);
}

/* Finds the scans' headers. */
static void read_skeleton(jpeg_file *f)
{
	const uint8_t *p = f->skeleton;
	tables *t = f->d->jpeg_tables = refdec_allocate(f->d, 1, sizeof *t);
	uint64_t scans = 0;

	for (int i = 0; i < 4 * 64; i++)
		t->q[i / 64][i % 64] = 1;
	for (int c = 0; c < 4; c++)
		for (int i = 0; i < 64; i++)
			f->p.component[c].q[i] = 1;
	need(f, f->end - p >= 2 && two(p) == 0xffd8);
	p += 2;
	while (scans < f->count) {
		while (p < f->end && *p != 0xff)
			p++;
		while (p < f->end && *p == 0xff)
			p++;
		need(f, p < f->end);
		const int marker = *p++;
		if (marker < 2 || (marker >= 0xd0 && marker <= 0xd8))
			continue;
		need(f, marker != 0xd9 && f->end - p >= 2 && two(p) >= 2 && two(p) <= f->end - p);
		const uint32_t n = two(p) - 2;
		p += 2;
		if (marker == 0xdb)
			read_quantization(f, t, p, n);
		else if (marker == 0xc4)
			read_codes(f, t, p, n);
		else if (marker >= 0xc0 && marker <= 0xc2 && !t->framed++)
			read_frame(f, marker, p, n);
		else if (marker == 0xdd && n == 2)
			t->restart = two(p);
		else if (marker == 0xda) {
			scan *s = &f->scans[scans++];
			read_scan(f, t, s, p, n);
			s->behind = (uint64_t)(p + n - f->skeleton);
			need(f, s->tail <= (uint64_t)(f->end - p - n));
			p += s->tail;
		}
		p += n;
	}
}

/* ------------------------------------------------------ T.81, F.1.2 and G.1.2: scans */

typedef struct writer {
	jpeg_file *f;
	scan *s;
	uint8_t *next, *end;
	uint32_t byte;
	int bits;
	int dc[4];
	uint64_t taken[4];     /* notes of each kind */
	uint64_t unit, index;  /* units written, and blocks */
	uint64_t run, counted; /* blocks that wait for a code, and bits that count */
	uint8_t *waiting;      /* bits of these blocks */
	uint64_t waiting_bits;
} writer;

static void put(writer *w, uint32_t bits, int n)
{
	while (n--) {
		w->byte = w->byte << 1 | (bits >> n & 1);
		if (++w->bits % 8)
			continue;
		need(w->f, w->end - w->next >= 1 + ((w->byte & 255) == 255));
		*w->next++ = (uint8_t)w->byte;
		if ((w->byte & 255) == 255)
			*w->next++ = 0;
	}
	w->bits %= 8;
}

static void put_symbol(writer *w, int i, int class, int symbol)
{
	need(w->f, w->s->length[i][class][symbol]);
	put(w, w->s->code[i][class][symbol], w->s->length[i][class][symbol]);
}

/* The next note of the kind, if it is this one; its value in *value. */
static int noted(writer *w, int kind, uint64_t index, uint32_t *value)
{
	const scan *s = w->s;

	if (w->taken[kind] == s->notes[kind] || s->note[kind][w->taken[kind]].index != index)
		return 0;
	*value = s->note[kind][w->taken[kind]++].value;
	return 1;
}

static int size_of(int v)
{
	int n = 0;

	for (v = abs(v); v >> n; n++) {
	}
	return n;
}

static void put_value(writer *w, int i, int class, int zeros, int v)
{
	const int n = size_of(v);

	need(w->f, n < 16);
	put_symbol(w, i, class, zeros << 4 | n);
	put(w, (uint32_t)(v < 0 ? v + (1 << n) - 1 : v), n);
}

static void put_run(writer *w)
{
	int n = 0;

	if (!w->run)
		return;
	while (w->run >> (n + 1))
		n++;
	put_symbol(w, 0, 1, n << 4);
	put(w, (uint32_t)w->run & ((1u << n) - 1), n);
	for (uint64_t i = 0; i < w->waiting_bits; i++)
		put(w, w->waiting[i], 1);
	w->run = w->counted = w->waiting_bits = 0;
}

/* The rest of the block has no code; its correcting bits, if any, wait already and are `bits` many. coded: it has
 * codes before. */
static void join_run(writer *w, uint64_t bits, int coded)
{
	uint32_t value;

	w->run++;
	w->counted += bits;
	if (w->run == 32767)
		put_run(w);
	else if (w->s->lone && coded) {
		if (!noted(w, 2, w->index, &value))
			put_run(w);
	} else if (w->counted > 937 && noted(w, 2, w->index, &value))
		w->counted = 0;
	else if (w->counted > 937)
		put_run(w);
}

static int shifted(int v, int low)
{
	return v < 0 ? -(-v >> low) : v >> low;
}

/* Zeros before a coefficient or the end. */
static void put_zeros(writer *w, int i, int n)
{
	while (n--)
		put_symbol(w, i, 1, 0xf0);
}

static void put_ac_sequential(writer *w, int i, const int16_t *b, int from)
{
	const scan *s = w->s;
	int zeros = 0, coded = 0;
	uint32_t value;

	for (int z = from; z <= s->to; z++) {
		const int v = shifted(b[refdec_jpeg_order[z]], s->low);
		if (!v) {
			zeros++;
			continue;
		}
		put_run(w);
		put_zeros(w, i, zeros / 16);
		put_value(w, i, 1, zeros % 16, v);
		coded = 1;
		zeros = 0;
	}
	if (!zeros)
		return;
	if (noted(w, 0, w->index, &value)) {
		put_run(w);
		put_zeros(w, i, (int)value);
		coded = 1;
	}
	if (!w->f->p.progressive) {
		put_symbol(w, i, 1, 0);
		return;
	}
	if (noted(w, 1, w->index, &value))
		put_run(w);
	join_run(w, 0, coded);
}

static void put_ac_refined(writer *w, const int16_t *b)
{
	const scan *s = w->s;
	uint8_t bits[64];
	int zeros = 0, corrections = 0, last = -1;
	uint32_t value;

	for (int z = s->from; z <= s->to; z++)
		last = abs(shifted(b[refdec_jpeg_order[z]], s->low)) == 1 ? z : last;
	for (int z = s->from; z <= s->to; z++) {
		const int v = shifted(b[refdec_jpeg_order[z]], s->low);
		if (!v) {
			zeros++;
			continue;
		}
		for (; zeros > 15 && z <= last; zeros -= 16) {
			put_run(w);
			put_symbol(w, 0, 1, 0xf0);
			for (int i = 0; i < corrections; i++)
				put(w, bits[i], 1);
			corrections = 0;
		}
		if (abs(v) > 1) {
			bits[corrections++] = abs(v) & 1;
			continue;
		}
		put_run(w);
		put_symbol(w, 0, 1, zeros << 4 | 1);
		put(w, v > 0, 1);
		for (int i = 0; i < corrections; i++)
			put(w, bits[i], 1);
		zeros = corrections = 0;
	}
	if (!zeros && !corrections)
		return;
	if (noted(w, 1, w->index, &value))
		put_run(w);
	for (int i = 0; i < corrections; i++)
		w->waiting[w->waiting_bits++] = bits[i];
	join_run(w, (uint64_t)corrections, last >= 0);
}

static void put_block(writer *w, int i, const int16_t *b)
{
	const scan *s = w->s;
	const int sequential = !w->f->p.progressive;
	/* An arithmetic shift, as T.81 has it for DC. */
	const int dc = b[0] < 0 ? -((-b[0] + (1 << s->low) - 1) >> s->low) : b[0] >> s->low;

	if (s->from == 0 && s->high == 0) {
		put_value(w, i, 0, 0, dc - w->dc[i]);
		w->dc[i] = dc;
	}
	if (s->from == 0 && s->high)
		put(w, (uint32_t)dc & 1, 1);
	if (sequential || (s->from && !s->high))
		put_ac_sequential(w, i, b, sequential ? 1 : s->from);
	if (s->from && s->high)
		put_ac_refined(w, b);
	w->index++;
}

static void end_interval(writer *w)
{
	uint32_t value = w->s->padding ? 127 : 0;

	put_run(w);
	const int n = (8 - w->bits) % 8;
	(void)noted(w, 3, w->unit, &value);
	put(w, value & ((1u << n) - 1), n);
}

static void put_unit(writer *w)
{
	const scan *s = w->s;
	const jpeg_picture *p = &w->f->p;

	if (s->count == 1) {
		const jpeg_component *c = &p->component[s->component[0]];
		put_block(w, 0, c->blocks[w->unit / c->wide * c->columns + w->unit % c->wide]);
		return;
	}
	for (int i = 0; i < s->count; i++) {
		const jpeg_component *c = &p->component[s->component[i]];
		const uint64_t x = w->unit % p->mcus_wide * (uint32_t)c->h,
					   y = w->unit / p->mcus_wide * (uint32_t)c->v;
		for (int n = 0; n < c->h * c->v; n++)
			put_block(w, i,
			          c->blocks[(y + (uint32_t)(n / c->h)) * c->columns + x +
			                    (uint32_t)(n % c->h)]);
	}
}

static void write_scan(jpeg_file *f, scan *s, uint8_t *to)
{
	writer w = {.f = f, .s = s, .next = to, .end = to + s->coded};

	w.waiting = f->d->jpeg_waiting = realloc(f->d->jpeg_waiting, 32768 * 64);
	need(f, w.waiting != NULL);
	for (; w.unit < s->units; w.unit++) {
		if (s->restart && w.unit && w.unit % s->restart == 0) {
			end_interval(&w);
			need(f, w.end - w.next >= 2);
			*w.next++ = 0xff;
			*w.next++ = (uint8_t)(0xd0 + (w.unit / s->restart - 1) % 8);
			memset(w.dc, 0, sizeof w.dc);
		}
		put_unit(&w);
	}
	/* Data that break off end at the last whole byte. */
	if (s->units == s->total)
		end_interval(&w);
	else
		put_run(&w);
	need(f, w.next == w.end);
}

/* ------------------------------------------------------------------ [12.4] file */

static void put_bytes(jpeg_file *f, const uint8_t *p, uint64_t n)
{
	if (n > f->size - f->written)
		refdec_fail(f->d, "more than a JPEG");
	if (n)
		memcpy(f->out + f->written, p, n);
	f->written += n;
}

static void write_picture(jpeg_file *f)
{
	uint64_t at = 0;

	for (uint64_t i = 0; i < f->count; i++) {
		scan *s = &f->scans[i];
		put_bytes(f, f->skeleton + at, s->behind - at);
		at = s->behind;
		if (s->coded > f->size - f->written)
			refdec_fail(f->d, "more than a JPEG");
		write_scan(f, s, f->out + f->written);
		f->written += s->coded;
	}
	put_bytes(f, f->skeleton + at, (uint64_t)(f->end - f->skeleton) - at);
}

static uint32_t lesser(uint64_t a, uint64_t b)
{
	return (uint32_t)(a < b ? a : b);
}

/* The bands of the piece that begins at p; returns what follows it. */
static const uint8_t *read_piece(jpeg_file *f, const uint8_t *p, const uint64_t plan[3],
                                 uint64_t band)
{
	refdec *d = f->d;
	jpeg_picture *q = &f->p;
	refdec_chunk index, data;
	const uint64_t bands = refdec_divide_up(q->mcus_high, plan[0]),
				   tiles = refdec_divide_up(q->mcus_wide, plan[1]);
	const uint64_t end = band + plan[2] < bands ? band + plan[2] : bands;

	p = refdec_read_chunk(d, p, &index);
	p = refdec_read_chunk(d, p, &data);
	if (memcmp(index.start, "INDX", 4) || memcmp(data.start, "DATA", 4) || !index.length ||
	    index.payload[0] < 2 || index.payload[0] > 4 ||
	    index.length != 1 + (1 + (end - band) * tiles) * (index.payload[0] + 2u))
		refdec_fail(d, "bad INDX");
	const refdec_piece piece = {index, data};
	uint32_t crc = refdec_crc32c(0, data.start, (uint64_t)(data.payload - data.start));
	if (!refdec_open_segment(d, &piece, 0, &crc))
		refdec_fail(d, "a segment is damaged");
	refdec_read_jpeg_shapes(d, q);
	if (d->bits != d->bits_end)
		refdec_fail(d, "bytes after shapes");
	for (uint64_t i = 1; band < end; band++)
		for (uint64_t tile = 0; tile < tiles; tile++, i++) {
			const uint64_t x = tile * plan[1], y = band * plan[0];
			if (!refdec_open_segment(d, &piece, i, &crc))
				refdec_fail(d, "a segment is damaged");
			refdec_read_jpeg_segment(d, q, (uint32_t)x, (uint32_t)y,
			                         lesser(plan[1], q->mcus_wide - x),
			                         lesser(plan[0], q->mcus_high - y));
		}
	if (d->bits_end != data.payload + data.length || crc != data.crc)
		refdec_fail(d, "DATA is damaged");
	return p;
}

static void free_scans(jpeg_file *f)
{
	for (uint64_t i = 0; f->scans && i < f->count; i++)
		for (int k = 0; k < 4; k++)
			free(f->scans[i].note[k]);
	free(f->scans);
	f->scans = NULL;
	free(f->d->jpeg_tables);
	f->d->jpeg_tables = NULL;
}

/* [12.4] The segments of a picture of one tile that are in PICT. */
static void read_inside(jpeg_file *f, const uint8_t *p, const uint8_t *end, const uint64_t plan[3])
{
	refdec *d = f->d;

	if (plan[0] < f->p.mcus_high || plan[1] < f->p.mcus_wide)
		refdec_fail(d, "bad PICT");
	d->bits = p;
	d->bits_end = end;
	d->bit = 7;
	refdec_read_jpeg_shapes(d, &f->p);
	refdec_read_jpeg_segment(d, &f->p, 0, 0, f->p.mcus_wide, f->p.mcus_high);
}

/* The chunk PICT and its pieces; returns what follows them. */
static const uint8_t *read_picture(jpeg_file *f, const refdec_chunk *c, const uint8_t *p)
{
	const uint8_t *at = c->payload, *const end = c->payload + c->length;
	uint64_t plan[3];

	for (int i = 0; i < 3; i++) {
		plan[i] = refdec_jpeg_number(f->d, &at, end);
		if (!plan[i] && i < 2)
			refdec_fail(f->d, "bad PICT");
	}
	if (plan[0] > 16)
		refdec_fail(f->d, "bad PICT");
	const uint64_t size = refdec_jpeg_number(f->d, &at, end);
	const uint64_t quality = refdec_jpeg_number(f->d, &at, end);
	if (!quality || quality > 100)
		refdec_fail(f->d, "bad PICT");
	if (size / 2 > f->size + 32768)
		refdec_fail(f->d, "too long a description");
	free(f->description);
	f->description = refdec_allocate(f->d, size + 1, 1);
	at = refdec_jpeg_unpack(f->d, at, end, quality, f->description, size);
	if (plan[2] && at != end)
		refdec_fail(f->d, "a description is damaged");
	read_description(f, f->description, f->description + size);
	read_skeleton(f);
	if (!plan[2])
		read_inside(f, at, end, plan);
	for (uint64_t band = 0; plan[2] && band * plan[0] < f->p.mcus_high; band += plan[2])
		p = read_piece(f, p, plan, band);
	write_picture(f);
	free_scans(f);
	return p;
}

static void read_file(jpeg_file *f, uint64_t max_size)
{
	refdec *d = f->d;
	refdec_chunk c;
	int pictures = 0;

	refdec_check_magic(d);
	const uint8_t *p = refdec_read_chunk(d, d->file + 8, &c);
	const uint8_t *at = c.payload;
	if (!refdec_is_head(&c, "JPEG", 33))
		refdec_fail(d, "no JPEG");
	f->size = refdec_jpeg_number(d, &at, c.payload + c.length);
	if (c.payload + c.length - at < 32)
		refdec_fail(d, "no JPEG");
	if (!f->size)
		refdec_fail(d, "no bytes");
	if (f->size > max_size)
		refdec_fail(d, REFDEC_LIMIT "too large a JPEG");
	f->out = refdec_allocate(d, f->size, 1);
	for (;;) {
		p = refdec_read_chunk(d, p, &c);
		if (!memcmp(c.start, "DONE", 4))
			break;
		if (!memcmp(c.start, "BYTE", 4))
			put_bytes(f, c.payload, c.length);
		else if (!memcmp(c.start, "PICT", 4) && pictures++ < 64)
			p = read_picture(f, &c, p);
		else if (!memcmp(c.start, "PICT", 4) || !memcmp(c.start, "INDX", 4) ||
		         !memcmp(c.start, "DATA", 4))
			refdec_fail(d, "a chunk too many");
		else if (c.start[0] < 'a')
			refdec_fail_unknown(d);
	}
	if (c.length || p != d->end || f->written != f->size)
		refdec_fail(d, "the file ends wrongly");
}

const char *refdec_decode_jpeg(const uint8_t *file, size_t size, uint64_t max_size,
                               uint64_t max_blocks, uint8_t **jpeg, uint64_t *jpeg_size)
{
	refdec *d = calloc(1, sizeof *d);
	jpeg_file *f = calloc(1, sizeof *f);
	const char *error = "out of memory";

	*jpeg = NULL;
	*jpeg_size = 0;
	if (d && f) {
		*d = (refdec){.file = file, .end = file + size};
		f->d = d;
		f->max_blocks = max_blocks;
		if (!setjmp(d->failed)) {
			read_file(f, max_size);
			*jpeg = f->out;
			*jpeg_size = f->size;
			f->out = NULL;
		}
		error = d->error;
		free_scans(f);
		free(f->blocks);
		free(f->description);
		free(f->out);
		free(d->jpeg_memory);
		free(d->jpeg_waiting);
	}
	free(f);
	free(d);
	return error;
}
