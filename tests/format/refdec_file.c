/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in brackets are sections of doc/format.md. */
#include "tests/format/refdec_internal.h"

#include <stdlib.h>
#include <string.h>

_Noreturn void refdec_fail(refdec *d, const char *error)
{
	if (d->in_segment)
		longjmp(d->segment_failed, 1);
	d->error = error;
	longjmp(d->failed, 1);
}

/* ------------------------------------------------------- [2] file structure */

uint32_t refdec_u16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
	return refdec_u16(p) | refdec_u16(p + 2) << 16;
}

/* [2.4] */
uint32_t refdec_crc32c(uint32_t crc, const uint8_t *p, uint64_t n)
{
	crc = ~crc;
	while (n--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
	}
	return ~crc;
}

static int is_letter(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static int known(const uint8_t *type)
{
	static const char types[CHUNKS][5] = {"HEAD", "QNTZ", "COLR", "HUFF", "RANS",
	                                      "PLTE", "NEAR", "INDX", "DATA", "DONE"};

	for (int i = 0; i < CHUNKS; i++)
		if (!memcmp(type, types[i], 4))
			return i;
	return -1;
}

/* [2.1] */
void refdec_check_magic(refdec *d)
{
	static const uint8_t magic[7] = {0x8f, 'X', 'C', 13, 10, 26, 10};

	if (d->end - d->file < 8 || memcmp(d->file, magic, 7))
		refdec_fail(d, "not an XC file");
	if (d->file[7] != 3)
		refdec_fail(d, REFDEC_UNSUPPORTED "another version");
}

/* [8] The file ends within a chunk: it is accepted after a first DATA has begun. */
static const uint8_t *cut(refdec *d, refdec_chunk *c, const uint8_t *payload)
{
	if (!d->damaged || !(d->chunks[DATA].start || (payload && !memcmp(c->start, "DATA", 4))))
		refdec_fail(d, "truncated");
	d->cut = 1;
	c->payload = payload;
	return d->end;
}

const uint8_t *refdec_read_chunk(refdec *d, const uint8_t *p, refdec_chunk *c)
{
	c->start = p;
	c->length = 0;
	if (d->end - p < 5)
		return cut(d, c, NULL);
	for (int i = 0; i < 4; i++)
		if (!is_letter(*p++))
			refdec_fail(d, "bad chunk type");
	for (int shift = 0;; shift += 7) {
		if (p == d->end)
			return cut(d, c, NULL);
		if (shift == 63)
			refdec_fail(d, "bad length");
		c->length |= (uint64_t)(*p & 127) << shift;
		if (*p++ < 128)
			break;
	}
	if (d->end - p < 4 || (uint64_t)(d->end - p) - 4 < c->length)
		return cut(d, c, p);
	c->payload = p;
	p += c->length;
	c->crc = u32(p);
	/* [3.5] That of DATA is checked with the segments. */
	if (memcmp(c->start, "DATA", 4) &&
	    refdec_crc32c(0, c->start, (uint64_t)(p - c->start)) != c->crc)
		refdec_fail(d, "bad chunk CRC");
	return p + 4;
}

/* [2.5] */
void refdec_add_index(refdec *d, const refdec_chunk *c)
{
	if (d->index_open)
		refdec_fail(d, "INDX out of turn");
	refdec_piece *more = realloc(d->pieces, (d->piece_count + 1) * sizeof *more);
	if (!more)
		refdec_fail(d, "out of memory");
	d->pieces = more;
	d->pieces[d->piece_count++].index = *c;
	d->index_open = 1;
}

void refdec_add_data(refdec *d, const refdec_chunk *c)
{
	if (!d->index_open)
		refdec_fail(d, "DATA out of turn");
	d->pieces[d->piece_count - 1].data = *c;
	d->index_open = 0;
}

int refdec_open_segment(refdec *d, const refdec_piece *p, uint64_t i, uint32_t *crc)
{
	const uint32_t width = p->index.payload[0];
	const uint8_t *entry = p->index.payload + 1 + i * (width + 2);
	uint64_t size = 0;

	for (uint32_t b = 0; b < width; b++)
		size |= (uint64_t)entry[b] << 8 * b;
	d->bits = i ? d->bits_end : p->data.payload;
	d->left = i ? d->left : p->data.length;
	if (size > d->left)
		refdec_fail(d, "bad INDX");
	d->left -= size;
	if (size > (uint64_t)(d->end - d->bits)) { /* [8] it is cut off, and so are all after it */
		d->bits_end = d->end;
		d->missing = 1;
	}
	if (d->missing)
		return 0;
	d->bits_end = d->bits + size;
	d->bit = 7;
	const uint32_t check = refdec_crc32c(0, d->bits, size);
	const uint8_t bytes[4] = {(uint8_t)check, (uint8_t)(check >> 8), (uint8_t)(check >> 16),
	                          (uint8_t)(check >> 24)};
	*crc = refdec_crc32c(*crc, bytes, 4);
	return (check & 65535) == refdec_u16(entry + width);
}

/* [2.6] Fields may follow those that are known. */
int refdec_is_head(const refdec_chunk *c, const char *type, uint64_t bytes)
{
	return !memcmp(c->start, type, 4) && c->length >= bytes && c->length <= 255;
}

/* [2.6] */
_Noreturn void refdec_fail_unknown(refdec *d)
{
	refdec_fail(d, REFDEC_UNSUPPORTED "an unknown critical chunk");
}

/* [2.6, 3.14] The one ancillary chunk that samples depend on. */
static void read_range(refdec *d, const refdec_chunk *c)
{
	if (!memcmp(c->start, "rang", 4) && c->length >= 4 && !d->chunks[DATA].start)
		d->range = refdec_u16(c->payload);
}

/* [2.5] Known, but not as the first one. */
static int is_of_jpegs(const uint8_t *type)
{
	return !memcmp(type, "BYTE", 4) || !memcmp(type, "PICT", 4);
}

/* [2.5, 2.6] */
static void read_chunks(refdec *d)
{
	const uint8_t *p = d->file + 8;

	refdec_check_magic(d);
	while (!d->chunks[DONE].start) {
		refdec_chunk c;
		p = refdec_read_chunk(d, p, &c);
		if (d->cut && (!c.payload || memcmp(c.start, "DATA", 4)))
			break;
		const int i = known(c.start);
		if (i < 0 && c.start[0] <= 'Z' && (d->chunks[HEAD].start || !is_of_jpegs(c.start)))
			refdec_fail_unknown(d);
		if (!d->chunks[HEAD].start && i != HEAD)
			refdec_fail(d, "HEAD is not first");
		if (i < 0)
			read_range(d, &c);
		if (i < 0)
			continue;
		if (i == INDX)
			refdec_add_index(d, &c);
		else if (i == DATA)
			refdec_add_data(d, &c);
		else if (d->chunks[i].start)
			refdec_fail(d, "a second chunk of one type");
		else if (i != DONE && d->chunks[DATA].start)
			refdec_fail(d, "a chunk after DATA");
		d->chunks[i] = c;
		if (d->cut)
			break;
	}
	if (d->index_open && d->cut)
		d->piece_count--;
	else if (d->index_open)
		refdec_fail(d, "INDX without DATA");
	if (p != d->end && !d->damaged)
		refdec_fail(d, "something after DONE");
	if (d->chunks[DONE].length)
		refdec_fail(d, "bad DONE");
}

/* [2.5] */
static void refuse(refdec *d, int i)
{
	if (d->chunks[i].start)
		refdec_fail(d, "a chunk too many");
}

const refdec_chunk *refdec_need(refdec *d, int i)
{
	if (!d->chunks[i].start)
		refdec_fail(d, "a chunk is missing");
	return &d->chunks[i];
}

/* --------------------------------------------------- [3] chunks, [4] geometry */

uint64_t refdec_divide_up(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

/* [3.1, 4.1, 4.2] */
static void read_head(refdec *d)
{
	const refdec_chunk *c = refdec_need(d, HEAD);
	const uint8_t *b = c->payload;

	if (!refdec_is_head(c, "HEAD", 18))
		refdec_fail(d, "bad HEAD");
	d->width = u32(b);
	d->height = u32(b + 4);
	d->channels = b[8];
	d->depth = b[9];
	d->subsampling = b[10];
	d->transform = b[11];
	d->entropy = b[12];
	d->quality = b[13];
	d->tile_wide = refdec_u16(b + 14);
	d->tile_high = refdec_u16(b + 16);
	if (d->channels < 1 || d->channels > 4 || (d->depth != 8 && d->depth != 16) ||
	    d->subsampling > 3 || d->transform > 3 || d->entropy > 6 ||
	    (d->transform == 3) != (d->entropy >= 5))
		refdec_fail(d, REFDEC_UNSUPPORTED "a value in HEAD");
	if (!d->width || !d->height || d->width >> 31 || d->height >> 31 || d->quality < 1 ||
	    d->quality > 100 || (d->subsampling == 3) != (d->channels < 3) ||
	    (d->entropy == 6 && d->subsampling < 2))
		refdec_fail(d, "bad HEAD");
	if ((uint64_t)d->width * d->height > d->max_pixels)
		refdec_fail(d, REFDEC_LIMIT "too many pixels");
	d->components = d->subsampling == 3 ? 1 : 3;
	d->layers = d->channels % 2 || d->entropy == 6 ? 1 : 2;
	d->h = d->subsampling < 2 ? 2 : 1;
	d->v = d->subsampling == 0 ? 2 : 1;
	d->mcus_wide = refdec_divide_up(d->width, (uint64_t)d->h * 8);
	d->mcus_high = refdec_divide_up(d->height, (uint64_t)d->v * 8);
	const uint64_t mcu_blocks = (uint64_t)(d->h * d->v + d->components - 1);
	d->tile_blocks = d->tile_wide * mcu_blocks * d->tile_high;
	if (!d->tile_wide || !d->tile_high || d->tile_wide > d->mcus_wide ||
	    d->tile_high > d->mcus_high ||
	    (d->entropy == 6 ? d->tile_wide > 128 || d->tile_high > 128 : d->tile_blocks > 4096) ||
	    (d->layers > 1 &&
	     (d->tile_wide * (uint64_t)d->h > 128 || d->tile_high * (uint64_t)d->v > 128)))
		refdec_fail(d, "bad tile size");
	/* [9] */
	const uint64_t segments = refdec_divide_up(d->mcus_wide, d->tile_wide) *
	                          refdec_divide_up(d->mcus_high, d->tile_high);
	uint64_t bytes = 0;
	(void)refdec_need(d, DATA);
	for (uint64_t i = 0; i < d->piece_count; i++)
		bytes += d->pieces[i].data.length;
	if (!d->cut &&
	    bytes < (d->entropy == 3 || d->entropy == 4 ? 4 * segments
	             : d->entropy == 6                  ? segments
	                               : refdec_divide_up(d->mcus_wide * d->mcus_high * mcu_blocks, 4)))
		refdec_fail(d, "too little data");
}

/* [3.9] */
static void read_matrix(refdec *d)
{
	const refdec_chunk *c = &d->chunks[COLR];

	if (d->subsampling != 2 || d->entropy == 6)
		refuse(d, COLR);
	if (c->start && c->length != 18)
		refdec_fail(d, "bad COLR");
	for (int i = 0; c->start && i < 9; i++) {
		const int32_t m = (int32_t)refdec_u16(c->payload + 2 * i);
		d->matrix[i / 3][i % 3] = (float)(m < 32768 ? m : m - 65536) / 8192.0f;
	}
}

/* [6.2.2, 6.2.4] Step i of table t, multiplied by num / den. */
static uint32_t scaled_step(const refdec *d, uint64_t base, uint64_t num, uint64_t den)
{
	const uint64_t s = (base * num * (d->depth == 16 ? 257 : 1) + den / 2) / den;
	return (uint32_t)(s < 1 ? 1 : s > 65535 ? 65535 : s);
}

/* [6.2.4] */
static uint64_t sloped(int t, int i)
{
	const uint64_t sum = (uint64_t)(i / 8 + i % 8);
	return t ? 20 + 2 * sum : (165 + 16 * sum) / 10;
}

/* [6.2.6] Step i of the table with these 7 bytes. */
static uint32_t curve_step(const refdec *d, const uint8_t *b, int i)
{
	const int diagonal = i / 8 + i % 8, x = diagonal - 2, bend = b[6] < 128 ? b[6] : b[6] - 256;
	const int factor = diagonal < 3 ? 144 * b[2 + diagonal]
	                                : 9216 + 12 * b[5] * x + bend * x * (12 - x);
	uint64_t place = 0;
	for (int k = 0; k < 6; k++)
		place = 2 * place + (i >> k & 1);
	const uint64_t exact = (uint64_t)factor * refdec_u16(b) * (d->depth == 16 ? 257 : 1);
	const uint64_t s = (exact + 18432 * (2 * place + 1)) / 2359296;
	return (uint32_t)(s < 1 ? 1 : s > 65535 ? 65535 : s);
}

const uint8_t refdec_annex_k[2][64] =
	{{16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
      14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
      18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
      49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99},
     {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99,
      99, 99, 47, 66, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
      99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}};

/* [3.2, 6.2] */
static void read_steps(refdec *d, uint32_t step[2][64])
{
	const refdec_chunk *c = refdec_need(d, QNTZ);
	const uint8_t *b = c->payload, *end = b + c->length;
	const int tables = d->components == 1 ? 1 : 2, q = d->quality;
	const int preset = b < end ? *b++ : -1;

	if (preset > 4)
		refdec_fail(d, REFDEC_UNSUPPORTED "another preset");
	if (preset < 0)
		refdec_fail(d, "bad QNTZ");
	if (preset == 3 && end - b < 2)
		refdec_fail(d, "bad QNTZ");
	const uint64_t percent = q < 50 ? 5000 / (uint64_t)q : 200 - 2 * (uint64_t)q;
	const uint64_t scale = preset == 3 ? refdec_u16(b) : percent;
	b += preset == 3 ? 2 : 0;
	for (int t = 0; t < tables; t++) {
		const int size = preset ? 0 : b < end ? *b++ : -1;
		if ((!preset && ((size != 1 && size != 2) || end - b < 64 * size)) ||
		    (preset == 4 && end - b < 7))
			refdec_fail(d, "bad QNTZ");
		for (int i = 0; i < 64; i++, b += size) {
			const uint64_t base = preset == 1   ? refdec_annex_k[t][i]
			                      : preset == 2 ? 16
			                                    : sloped(t, i);
			step[t][i] = size == 1     ? *b
			             : size == 2   ? refdec_u16(b)
			             : preset == 4 ? curve_step(d, b, i)
			                           : scaled_step(d, base, scale, preset == 3 ? 256 : 100);
			if (!step[t][i])
				refdec_fail(d, "a step is zero");
		}
		b += preset == 4 ? 7 : 0;
	}
	for (int t = 0; t < tables; t++, b++) {
		if (b == end || *b % 16 == 0 || *b / 16 == 0)
			refdec_fail(d, "bad points of reconstruction");
		d->one[t] = *b % 16 - 8;
		d->more[t] = *b / 16 - 8;
	}
	if (b != end)
		refdec_fail(d, "bad QNTZ");
}

/* [6.2.5] */
static uint32_t slope(uint32_t step_of_dc, uint32_t step)
{
	const uint32_t s = (step_of_dc * 6554 + step / 2) / step;
	return s < 262144 ? s : 262144;
}

/* [6.3] */
static void read_factors(refdec *d)
{
	static const double a[8] = {1.0, 1.387039845322148, 1.306562964876377, 1.175875602419359,
	                            1.0, 0.785694958387102, 0.541196100146197, 0.275899379282943};
	uint32_t step[2][64] = {{0}};

	read_steps(d, step);
	for (int t = 0; t < (d->components == 1 ? 1 : 2); t++) {
		for (int i = 0; i < 64 && d->transform == 3; i++)
			if (step[t][i] != 1)
				refdec_fail(d, "steps of samples");
		d->slope[t][0] = slope(step[t][0], step[t][1]);
		d->slope[t][1] = slope(step[t][0], step[t][8]);
	}
	for (int t = 0; t < 2; t++)
		for (int u = 0; u < 8; u++)
			for (int v = 0; v < 8; v++)
				d->factor[t][u][v] = d->transform % 2
				                         ? (float)(step[t][8 * v + u] / 16.0)
				                         : (float)(a[u] * a[v] * step[t][8 * v + u] / 128.0);
}

/* [3.15] */
static void read_palette(refdec *d)
{
	const refdec_chunk *c = &d->chunks[PLTE];
	const uint32_t bytes = d->channels % 2 ? 3 : 4;

	if (!c->start)
		return;
	refuse(d, NEAR);
	const uint8_t *b = c->payload;
	if (d->depth != 8 || c->length < 1 + bytes || c->length > 1 + 256 * bytes ||
	    (c->length - 1) % bytes || !strchr("\1\2\4\10", *b))
		refdec_fail(d, "bad PLTE");
	d->colours = (uint32_t)(c->length - 1) / bytes;
	for (uint32_t i = 0; i < d->colours && d->channels < 3; i++)
		if (b[1 + i * bytes] != b[2 + i * bytes] || b[1 + i * bytes] != b[3 + i * bytes])
			refdec_fail(d, "bad PLTE");
}

/* [3.16] */
static void read_max_error(refdec *d)
{
	const refdec_chunk *c = &d->chunks[NEAR];

	if (!c->start)
		return;
	d->max_error = c->length == 2 ? refdec_u16(c->payload) : 0;
	if (d->max_error < 1 || d->max_error > 4095)
		refdec_fail(d, "bad NEAR");
}

void refdec_read_file(refdec *d)
{
	read_chunks(d);
	read_head(d);
	if (d->entropy == 6) {
		refuse(d, QNTZ);
		read_palette(d);
		read_max_error(d);
	} else {
		refuse(d, PLTE);
		refuse(d, NEAR);
		read_factors(d);
	}
	read_matrix(d);
	if (!d->entropy || d->entropy > 2)
		refuse(d, HUFF);
	if (d->entropy != 4)
		refuse(d, RANS);
	if (d->entropy == 3 || d->entropy == 4)
		refdec_read_frequencies(d);
	else if (d->entropy < 3)
		refdec_read_codes(d);
}
