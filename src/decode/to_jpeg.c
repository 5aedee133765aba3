/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our pictures as JPEGs without a second loss: xc_jpeg_transcode() and xc_jpeg_rescue() of
 * include/xcodec_jpeg.h. The quantized coefficients of the DCT go through jpeg/'s writer twice, for Huffman codes that are made
 * for them. Where the two lowest AC coefficients lie between steps (doc/format.md, 6.2.5), their
 * steps become eighths.
 */
#include <stdio.h>
#include <string.h>

#include <xcodec_jpeg.h>

#include "entropy/huffman.h"
#include "jpeg/jpeg.h"
#include "jpeg/model.h"
#include "src/core/blob.h"
#include "src/decode/coded.h"
#include "src/core/floats.h"

enum {
	TABLES = 2,
	SCANS = 10,
	MAX_UNIT = 10,
	HEAD_BYTES = 1024,
	SHARE = 8,
	TABLE_BYTES = 5 + 16 + 256,
	PAYLOAD = 65533,
	LAST = 255
};

/* A scan, as libjpeg's usual progression has it. component -1: all. */
typedef struct scan {
	int8_t component;
	uint8_t from, to, high, low;
} scan;

typedef struct work {
	xc_context *context;
	xc_coded coded;
	int progressive;
	const scan *scans;
	int scan_count;
	uint32_t width, height;
	int components, adobe; /* adobe: as in xc_kept */
	uint8_t h[XC_JPEG_COMPONENTS], v[XC_JPEG_COMPONENTS], table[XC_JPEG_COMPONENTS];
	uint16_t steps[XC_JPEG_COMPONENTS][64]; /* of each table, in zigzag order */
	uint32_t columns[XC_JPEG_COMPONENTS];
	int16_t *blocks[XC_JPEG_COMPONENTS]; /* of the picture, in zigzag order; the first owns all */
	uint8_t *head;                       /* the skeleton up to the first scan */
	size_t head_size;
	xc_jpeg jpeg;
} work;

static const scan colour_scans[] = {{-1, 0, 0, 0, 1}, {0, 1, 5, 0, 2},  {2, 1, 63, 0, 1},
                                    {1, 1, 63, 0, 1}, {0, 6, 63, 0, 2}, {0, 1, 63, 2, 1},
                                    {-1, 0, 0, 1, 0}, {2, 1, 63, 1, 0}, {1, 1, 63, 1, 0},
                                    {0, 1, 63, 1, 0}};
static const scan grey_scans[] = {{-1, 0, 0, 0, 1}, {0, 1, 5, 0, 2},  {0, 6, 63, 0, 2},
                                  {0, 1, 63, 2, 1}, {-1, 0, 0, 1, 0}, {0, 1, 63, 1, 0}};
static const scan one_scan[] = {{-1, 0, 63, 0, 0}};
static const scan separate_scans[] = {{0, 0, 63, 0, 0},
                                      {1, 0, 63, 0, 0},
                                      {2, 0, 63, 0, 0},
                                      {3, 0, 63, 0, 0}};

/* ------------------------------------------------------------- coefficients */

static xc_status unsupported(xc_context *c, const char *why)
{
	return xc_fail(c, XC_ERR_UNSUPPORTED, "the file cannot become a JPEG as it is: %s", why);
}

/* All but the colours, which a chunk after the header tells. */
static xc_status check_header(xc_context *c, const void *file, size_t size)
{
	xc_info i;

	/* xc_coded_read() refuses it. */
	if (file && xc_jpeg_is(file, size))
		return XC_OK;
	const xc_status s = xc_read_header(c, file, size < XC_HEADER_BYTES ? size : XC_HEADER_BYTES,
	                                   &i);
	const char *why = s                                     ? NULL
	                  : i.lossless                          ? "it is without loss"
	                  : i.entropy == XC_ENTROPY_NONE        ? "its samples are stored"
	                  : i.transform != XC_TRANSFORM_DCT     ? "its transform is lapped"
	                  : i.depth != 8                        ? "it has 16 bits a sample"
	                  : i.channels % 2 == 0                 ? "it has alpha"
	                  : i.width > 65500 || i.height > 65500 ? "it is too large"
	                                                        : NULL;

	return why ? unsupported(c, why) : s;
}

static int clamped(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

static xc_status scatter(void *user, const xc_tile *t, void *from)
{
	work *w = user;
	const xc_geometry *g = &w->coded.container.geometry;
	const int finer = w->coded.predicts_ac;

	xc_coded_add_ac_prediction(&w->coded, t, from);
	for (int c = 0; c < g->components; c++) {
		const size_t x0 = t->x / 8 / (uint32_t)(c ? g->h : 1);
		const size_t y0 = t->y / 8 / (uint32_t)(c ? g->v : 1);
		for (size_t b = 0; b < (size_t)t->blocks_wide[c] * t->blocks_high[c]; b++) {
			const size_t y = y0 + b / t->blocks_wide[c], x = x0 + b % t->blocks_wide[c];
			const int16_t *in = (const int16_t *)from + (t->first_block[c] + b) * 64;
			int16_t *block = w->blocks[c] + 64 * (y * w->columns[c] + x);
			for (size_t i = 0; i < 64; i++) {
				const size_t z = xc_jpeg_zigzag[i % 8 * 8 + i / 8];
				int v = xc_coded_value(&w->coded, in, i);
				if (finer && (z == 1 || z == 2)) {
					const int step = (int)w->coded.container.quant[c != 0][i % 8 * 8 + i / 8];
					/* 2^15 times a step of 65535, and half a step more, are beyond 31 bits. */
					const int64_t own = 16 * w->steps[c != 0][z], p = (int64_t)in[i] * step;
					v = (int)((p + (p < 0 ? -own : own) / 2) / own);
				}
				block[z] = (int16_t)clamped(v, z ? -1023 : -1024, 1023);
			}
		}
	}
	return XC_OK;
}

static xc_status take_coefficients(work *w)
{
	const xc_geometry *g = &w->coded.container.geometry;
	size_t n = 0;

	w->width = g->width;
	w->height = g->height;
	w->components = g->components;
	w->adobe = -1;
	for (int i = 0; i < TABLES; i++)
		for (int r = 0; r < 64; r++) {
			const uint32_t step = w->coded.container.quant[g->components > 1 ? i : 0][r];
			const int z = xc_jpeg_zigzag[r], finer = w->coded.predicts_ac && (z == 1 || z == 2);
			w->steps[i][z] = (uint16_t)(!finer ? step : step / SHARE ? step / SHARE : 1);
		}
	for (int c = 0; c < g->components; c++) {
		w->h[c] = (uint8_t)(g->components > 1 && !c ? g->h : 1);
		w->v[c] = (uint8_t)(g->components > 1 && !c ? g->v : 1);
		w->table[c] = c > 0;
		w->columns[c] = g->mcus_wide * (uint32_t)(c ? 1 : g->h);
		n += (size_t)w->columns[c] * g->mcus_high * (uint32_t)(c ? 1 : g->v);
	}
	if (n > SIZE_MAX / 128 || !(w->blocks[0] = xc_allocate(w->context, n * 128)))
		return xc_fail_memory(w->context, n > SIZE_MAX / 128 ? SIZE_MAX : n * 128);
	for (int c = 1; c < g->components; c++)
		w->blocks[c] = w->blocks[c - 1] +
		               64 * (size_t)w->columns[c - 1] * g->mcus_high * (uint32_t)(c > 1 ? 1 : g->v);
	return xc_coded_visit(w->context, &w->coded, scatter, w);
}

/* The same of a JPEG, whatever its components are: its blocks change their owner. */
static void take_kept(work *w)
{
	xc_kept *k = &w->coded.kept;
	const xc_jpeg_info *i = &k->info;

	w->width = i->width;
	w->height = i->height;
	w->components = i->components;
	w->adobe = k->adobe;
	w->progressive = i->progressive;
	for (int c = 0; c < i->components; c++) {
		w->h[c] = i->h[c];
		w->v[c] = i->v[c];
		w->columns[c] = k->columns[c];
		w->blocks[c] = k->blocks[c];
		for (int r = 0; r < 64; r++)
			w->steps[c][xc_jpeg_zigzag[r]] = i->steps[c][r];
		for (w->table[c] = 0; memcmp(w->steps[w->table[c]], w->steps[c], sizeof *w->steps) != 0;)
			w->table[c]++;
	}
	k->blocks[0] = NULL;
	for (int c = 0; c < i->components; c++)
		for (size_t n = 0; n < 64 * (size_t)w->columns[c] * k->end * w->v[c]; n++)
			w->blocks[c][n] = (int16_t)clamped(w->blocks[c][n], n % 64 ? -1023 : -1024, 1023);
}

/* ------------------------------------------------------------------ markers */

static uint8_t *put16(uint8_t *p, size_t v)
{
	*p++ = (uint8_t)(v >> 8);
	*p++ = (uint8_t)v;
	return p;
}

/* A marker with `mark` and the bytes of a blob from `at` on. p NULL: only its size. */
static size_t put_marker(uint8_t *p, int code, const void *mark, size_t mark_size,
                         const xc_blob *blob, size_t at)
{
	const size_t left = blob->size - at, room = PAYLOAD - mark_size, n = left < room ? left : room;

	if (p) {
		*p++ = 0xff;
		*p++ = (uint8_t)code;
		p = put16(p, 2 + mark_size + n);
		memcpy(p, mark, mark_size);
		memcpy(p + mark_size, (const uint8_t *)blob->data + at, n);
	}
	return 4 + mark_size + n;
}

static const char exif_mark[] = "Exif\0", xmp_mark[] = "http://ns.adobe.com/xap/1.0/";
enum { ICC_MARK = 14, IPTC_MARK = 26, ICC_PARTS = 255 };

static int fits(const xc_blob *blob, size_t mark_size)
{
	return blob->size <= PAYLOAD - mark_size;
}

static size_t icc_parts(const xc_metadata *m)
{
	return (m->icc.size + PAYLOAD - ICC_MARK - 1) / (PAYLOAD - ICC_MARK);
}

/* Names what the JPEG has no place for, as formats/rows.c does; "": nothing. */
static void name_left_out(const xc_metadata *m, char text[XC_MESSAGE_BYTES])
{
	static const uint8_t srgb[4] = {1, 13, 0, 1}; /* what a JPEG is taken for */
	int other = 0, too_long = 0;
	size_t n = 0;

	for (const char *t = m->text.data, *end = t ? t + m->text.size : t; t < end;) {
		const char *value = t + strlen(t) + 1;
		const int comment = !strcmp(t, "Comment");
		other |= !comment;
		too_long |= comment && strlen(value) > PAYLOAD;
		t = value + strlen(value) + 1;
	}
	const struct {
		const char *name;
		int there;
	} kinds[] = {{"EXIF so large", !fits(&m->exif, sizeof exif_mark)},
	             {"XMP so large", !fits(&m->xmp, sizeof xmp_mark)},
	             {"a colour profile so large", icc_parts(m) > ICC_PARTS},
	             {"IPTC so large", !fits(&m->iptc, IPTC_MARK + 1)},
	             {"CICP", m->cicp[0] && memcmp(m->cicp, srgb, sizeof srgb) != 0},
	             {"gamma and primaries", !m->icc.data && !m->cicp[0] && !xc_says_srgb(m)},
	             {"text but comments", other},
	             {"a comment so long", too_long},
	             {"significant bits", xc_has_fewer_bits(m, 8)}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (kinds[i].there)
			n += (size_t)snprintf(text + n, XC_MESSAGE_BYTES - n, "%s%s",
			                      n ? ", " : "a JPEG has no place for ", kinds[i].name);
	snprintf(text + n, XC_MESSAGE_BYTES - n, "%s", n ? ": left out" : "");
}

/* Exif and XMP that fit a marker, and the profile in as many as it needs. */
static size_t put_metadata(uint8_t *p, const xc_metadata *m)
{
	uint8_t icc[ICC_MARK] = "ICC_PROFILE";
	const size_t parts = icc_parts(m);
	size_t n = 0;

	if (m->exif.data && fits(&m->exif, sizeof exif_mark))
		n += put_marker(p, 0xe1, exif_mark, sizeof exif_mark, &m->exif, 0);
	if (m->xmp.data && fits(&m->xmp, sizeof xmp_mark))
		n += put_marker(p ? p + n : p, 0xe1, xmp_mark, sizeof xmp_mark, &m->xmp, 0);
	icc[13] = (uint8_t)parts;
	for (size_t i = 0; m->icc.data && parts <= ICC_PARTS && i < parts; i++) {
		icc[12] = (uint8_t)(i + 1);
		n += put_marker(p ? p + n : p, 0xe2, icc, sizeof icc, &m->icc, i * (PAYLOAD - ICC_MARK));
	}
	if (m->iptc.data && m->iptc.size && fits(&m->iptc, IPTC_MARK + 1)) {
		uint8_t iptc[IPTC_MARK] = "Photoshop 3.0\0"
								  "8BIM\4\4\0\0\0";
		put16(iptc + 24, m->iptc.size);
		n += put_marker(p ? p + n : p, 0xed, iptc, sizeof iptc, &m->iptc, 0);
	}
	for (const char *t = m->text.data, *end = t ? t + m->text.size : t; t < end;) {
		const char *value = t + strlen(t) + 1;
		const xc_blob text = {value, strlen(value)};
		if (!strcmp(t, "Comment") && text.size <= PAYLOAD)
			n += put_marker(p ? p + n : p, 0xfe, "", 0, &text, 0);
		t = value + text.size + 1;
	}
	return n;
}

static uint8_t *put_density(uint8_t *p, const xc_metadata *m)
{
	/* Where both are whole numbers an inch, these; else a centimetre. */
	const uint64_t x = m->density_x, y = m->density_y;
	const uint64_t a = (x * 254 + 5000) / 10000, b = (y * 254 + 5000) / 10000;
	const int inches = (a * 10000 + 127) / 254 == x && (b * 10000 + 127) / 254 == y;
	const uint64_t across = !m->density_unit ? x : inches ? a : (x + 50) / 100;
	const uint64_t down = !m->density_unit ? y : inches ? b : (y + 50) / 100;
	const int good = across && down && across < 65536 && down < 65536;

	*p++ = !good || !m->density_unit ? 0 : inches ? 1 : 2;
	p = put16(p, good ? (size_t)across : 1);
	return put16(p, good ? (size_t)down : 1);
}

/* SOI to SOF, without Huffman tables. */
static xc_status make_head(work *w)
{
	static const uint8_t jfif[] = {0xff, 0xd8, 0xff, 0xe0, 0, 16, 'J', 'F', 'I', 'F', 0, 1, 2};
	static const uint8_t adobe[] = {0xff, 0xd8, 0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100};
	const xc_container *k = &w->coded.container;
	const int n = w->components;
	int tables = 0, wide = 0;

	w->head = xc_allocate(w->context, put_metadata(NULL, &k->metadata) + HEAD_BYTES);
	if (!w->head)
		return xc_fail_memory(w->context, put_metadata(NULL, &k->metadata) + HEAD_BYTES);
	uint8_t *p = w->head;
	/* With a marker of JFIF three components would be YCbCr. */
	if (w->adobe < 0) {
		memcpy(p, jfif, sizeof jfif);
		p = put_density(p + sizeof jfif, &k->metadata);
		p = put16(p, 0); /* no thumbnail */
	} else {
		memcpy(p, adobe, sizeof adobe);
		p = put16(put16(p + sizeof adobe, 0), 0); /* flags */
		*p++ = (uint8_t)w->adobe;
	}
	p += put_metadata(p, &k->metadata);
	for (int c = 0; c < n; c++)
		tables = w->table[c] >= tables ? w->table[c] + 1 : tables;
	for (int t = 0; t < tables; t++)
		for (int z = 0; z < 64; z++)
			wide |= w->steps[t][z] > 255;
	for (int t = 0; t < tables; t++) {
		p = put16(p, 0xffdb);
		p = put16(p, 3 + 64U * (1 + (unsigned)wide));
		*p++ = (uint8_t)(wide << 4 | t);
		for (int z = 0; z < 64; z++)
			if (wide)
				p = put16(p, w->steps[t][z]);
			else
				*p++ = (uint8_t)w->steps[t][z];
	}
	p = put16(p, w->progressive ? 0xffc2 : wide ? 0xffc1 : 0xffc0);
	p = put16(p, 8 + 3 * (size_t)n);
	*p++ = 8;
	p = put16(p, w->height);
	p = put16(p, w->width);
	*p++ = (uint8_t)n;
	for (int c = 0; c < n; c++) {
		*p++ = (uint8_t)(c + 1);
		*p++ = (uint8_t)(w->h[c] << 4 | w->v[c]);
		*p++ = w->table[c];
	}
	w->head_size = (size_t)(p - w->head);
	return XC_OK;
}

/* --------------------------------------------------------------------- scans */

/* A table for these counts, NULL: any one. The last symbol, which no JPEG uses, has the code of ones
 * alone, which none may have, and is left out. */
static uint8_t *put_table(uint8_t *p, int class, const uint32_t *counts)
{
	uint64_t n[XC_MAX_SYMBOLS] = {[LAST] = 1};
	xc_huffman_code code;
	uint8_t *const start = p + 2;

	for (int i = 0; i < LAST; i++)
		n[i] = counts ? 2 * (uint64_t)counts[i] : i < 2;
	xc_huffman_build(&code, n, XC_MAX_SYMBOLS, 16);
	code.length[LAST] = 0;
	p = put16(p, 0xffc4) + 2;
	*p++ = (uint8_t) class;
	uint8_t *const lengths = p;
	memset(lengths, 0, 16);
	p += 16;
	for (int length = 1; length <= 16; length++)
		for (int i = 0; i < LAST; i++)
			if (code.length[i] == length) {
				lengths[length - 1]++;
				*p++ = (uint8_t)i;
			}
	put16(start, (size_t)(p - start));
	return p;
}

/* The skeleton: tables are from the counter, in the order in which it has them. */
static size_t make_skeleton(work *w, const xc_jpeg_writer *counter, uint8_t *out)
{
	const int n = w->components;
	uint8_t *p = out + w->head_size;
	int table = 0;

	memcpy(out, w->head, w->head_size);
	for (int i = 0; i < w->scan_count; i++) {
		const scan *s = &w->scans[i];
		const int first = s->component < 0 ? 0 : s->component;
		const int count = s->component < 0 ? n : 1;
		for (int class = 0; class < 2; class ++)
			for (int t = first > 0; t < (first > 0) + (count > 1 ? 2 : 1); t++)
				/* DC that is refined has bits alone. */
				if (class ? s->to : !s->from && !s->high)
					p = put_table(p, class << 4 | t,
					              counter ? xc_jpeg_counted(counter, table++) : NULL);
		p = put16(p, 0xffda);
		p = put16(p, 6 + 2 * (size_t)count);
		*p++ = (uint8_t)count;
		for (int c = first; c < first + count; c++) {
			*p++ = (uint8_t)(c + 1);
			*p++ = c ? 0x11 : 0;
		}
		*p++ = s->from;
		*p++ = s->to;
		*p++ = (uint8_t)(s->high << 4 | s->low);
	}
	p = put16(p, 0xffd9);
	return (size_t)(p - out);
}

static xc_status unfit(xc_context *c)
{
	return xc_fail(c, XC_ERR_UNSUPPORTED, "no JPEG has such coefficients");
}

/* Gives all MCU rows to the writer, band by band. */
static xc_status put_bands(work *w, xc_jpeg_writer *writer,
                           int (*put)(xc_jpeg_writer *writer, const xc_jpeg_band *band))
{
	enum { ROWS = 16 };
	const uint32_t all = w->jpeg.mcu_rows;
	xc_status s = XC_OK;

	for (uint32_t y = 0; y < all && !s; y += ROWS) {
		xc_jpeg_band b = {.first = y, .rows = all - y < ROWS ? all - y : ROWS};
		for (int c = 0; c < w->components; c++)
			b.blocks[c] = w->blocks[c] + 64 * xc_jpeg_band_blocks(&w->jpeg, c, y);
		s = put(writer, &b) ? xc_report_progress(w->context, (double)(y + b.rows) / all)
		                    : unfit(w->context);
	}
	return s;
}

/* Counts, and sets bounds for what the scans take. */
static xc_status count(work *w, xc_jpeg_writer *counter, xc_jpeg_found *found)
{
	static const xc_jpeg_notes none = {NULL, 0, 0};
	size_t bits[XC_JPEG_SCANS];

	if (!xc_jpeg_counter_begin(counter, &w->jpeg, &none, NULL))
		return unfit(w->context);
	const xc_status status = put_bands(w, counter, xc_jpeg_count_symbols);
	if (status)
		return status;
	if (!xc_jpeg_counter_bits(counter, bits))
		return unfit(w->context);
	for (int i = 0; i < w->scan_count; i++) {
		uint64_t all = bits[i];
		for (int t = 0; t < w->jpeg.tables; t++) {
			const xc_jpeg_scan *s = &w->jpeg.scan[i];
			int used = 0;
			for (int c = 0; c < s->components; c++)
				used |= s->dc[c] == t || s->ac[c] == t;
			for (int n = 0; used && n < 256; n++)
				all += 16 * (uint64_t)xc_jpeg_counted(counter, t)[n];
		}
		/* A byte may be followed by a zero. */
		found[i].coded = (size_t)(all / 4 + 16);
	}
	return XC_OK;
}

/* Moves scans to where the ones before them end; returns the size of all. */
static size_t close_gaps(const xc_jpeg *j, const size_t *sizes, uint8_t *out)
{
	size_t from = 0, to = 0, at = 0;

	for (int i = 0; i <= j->scans; i++) {
		const size_t before = (i < j->scans ? j->scan[i].begin : j->size) - at;
		const size_t n = before + (i < j->scans ? sizes[i] : 0);
		memmove(out + to, out + from, n);
		to += n;
		from += before + (i < j->scans ? j->scan[i].found.coded : 0);
		at += before;
	}
	return to;
}

static xc_status write_all(work *w, xc_jpeg_writer *writer, const xc_jpeg_found *found,
                           uint8_t *skeleton, size_t size, xc_buffer *out)
{
	static const xc_jpeg_notes none = {NULL, 0, 0};
	size_t sizes[XC_JPEG_SCANS];

	if (xc_jpeg_walk(&w->jpeg, skeleton, size, found, w->scan_count) != XC_JPEG_GOOD)
		return xc_fail(w->context, XC_ERR_UNSUPPORTED, "no JPEG has such a picture");
	out->data = xc_allocate(w->context, xc_jpeg_file_size(&w->jpeg));
	if (!out->data)
		return xc_fail_memory(w->context, xc_jpeg_file_size(&w->jpeg));
	if (!xc_jpeg_writer_begin(writer, &w->jpeg, &none, out->data))
		return unfit(w->context);
	const xc_status s = put_bands(w, writer, xc_jpeg_write);
	if (s)
		return s;
	if (!xc_jpeg_writer_sizes(writer, sizes))
		return unfit(w->context);
	out->size = close_gaps(&w->jpeg, sizes, out->data);
	return XC_OK;
}

static xc_status transcode(work *w, xc_buffer *out)
{
	xc_context *c = w->context;
	xc_jpeg_found found[SCANS];
	const size_t room = w->head_size + SCANS * (4 * TABLE_BYTES + 32) + 2;
	uint8_t *skeleton = xc_allocate(c, room);
	xc_jpeg_writer *counter = NULL, *writer = NULL;
	xc_status s = skeleton ? XC_OK : xc_fail_memory(c, room);

	for (int i = 0; i < SCANS; i++)
		found[i] = (xc_jpeg_found){.pad = 1, .units = UINT32_MAX, .coded = SIZE_MAX / 4 / SCANS};
	const size_t size = s ? 0 : make_skeleton(w, NULL, skeleton);
	if (!s && xc_jpeg_walk(&w->jpeg, skeleton, size, found, w->scan_count) != XC_JPEG_GOOD)
		s = xc_fail(c, XC_ERR_UNSUPPORTED, "no JPEG has such a picture");
	if (!s) {
		counter = xc_allocate(c, xc_jpeg_counter_size(&w->jpeg));
		writer = xc_allocate(c, xc_jpeg_writer_size(&w->jpeg));
		if (!counter || !writer)
			s = xc_fail_memory(c, xc_jpeg_writer_size(&w->jpeg));
	}
	const xc_progress_range all = c->range;
	xc_progress_stage(c, all, 0, 0.5);
	if (!s)
		s = count(w, counter, found);
	xc_progress_stage(c, all, 0.5, 1);
	if (!s)
		s = write_all(w, writer, found, skeleton, make_skeleton(w, counter, skeleton), out);
	xc_release(c, skeleton);
	xc_release(c, counter);
	xc_release(c, writer);
	return s;
}

static xc_status open_picture(work *w, const void *file, size_t size)
{
	xc_context *c = w->context;
	xc_status s = check_header(c, file, size);

	if (!s)
		s = xc_coded_read(c, file, size, 0, &w->coded);
	if (!s && w->coded.container.has_colours)
		s = unsupported(c, "its components are its own");
	if (!s)
		s = xc_container_check_expansion(c, &w->coded.container, size);
	if (!s)
		s = xc_coded_tables(c, &w->coded);
	s = s ? s : xc_coded_index(c, &w->coded);
	return s ? s : take_coefficients(w);
}

/* Damaged segments become grey. */
static xc_status open_kept(work *w, const void *file, size_t size)
{
	xc_status s = xc_coded_read_jpeg(w->context, file, size, &w->coded);

	/* What only libjpeg shows has coefficients, too. */
	if (s == XC_ERR_UNSUPPORTED && w->coded.jpeg_segments)
		s = XC_OK;
	if (!s)
		s = xc_coded_take_jpeg(w->context, &w->coded, 0, UINT32_MAX, 1);
	if (!s)
		take_kept(w);
	return s;
}

/* Chooses the scans. More than ten blocks an MCU are too many for one. */
static void choose_scans(work *w)
{
	int blocks = 0;

	for (int c = 0; c < w->components; c++)
		blocks += w->h[c] * w->v[c];
	w->progressive &= w->components == 1 || (w->components == 3 && blocks <= MAX_UNIT);
	w->scans = w->progressive ? w->components == 1 ? grey_scans : colour_scans
	           : w->components > 1 && blocks > MAX_UNIT ? separate_scans
	                                                    : one_scan;
	w->scan_count = w->scans == colour_scans     ? SCANS
	                : w->scans == grey_scans     ? 6
	                : w->scans == separate_scans ? w->components
	                                             : 1;
}

/* Opened by `open`. kept: where a file with a JPEG is described, NULL for a picture of ours. */
static xc_status make(xc_context *c, const void *file, size_t size, int progressive,
                      xc_status (*open)(work *w, const void *file, size_t size), xc_buffer *jpeg,
                      xc_kept *kept)
{
	work *w = xc_allocate_zeroed(c, sizeof *w);

	if (!w)
		return xc_fail_memory(c, sizeof *w);
	w->context = c;
	w->progressive = progressive;
	const xc_progress_range all = c->range;
	xc_progress_stage(c, all, 0, 0.5);
	xc_status s = open(w, file, size);
	c->range = xc_progress_rest(c, all);
	choose_scans(w);
	if (!s)
		s = make_head(w);
	if (!s)
		s = transcode(w, jpeg);
	if (s)
		xc_buffer_free(c, jpeg);
	else
		name_left_out(&w->coded.container.metadata, c->message);
	if (kept)
		*kept = w->coded.kept;
	if (kept)
		kept->damaged += w->coded.container.later_damaged;
	xc_release(c, w->blocks[0]);
	xc_release(c, w->head);
	xc_coded_close(c, &w->coded);
	xc_release(c, w);
	return s;
}

xc_status xc_jpeg_transcode(xc_context *c, const void *file, size_t size, int progressive,
                            xc_buffer *jpeg)
{
	XC_DEFAULT_FLOATS;
	const xc_status s = XC_BEGIN_RESULT(c, jpeg);

	if (s)
		return s;
	if (progressive != 0 && progressive != 1)
		return xc_fail(c, XC_ERR_ARGUMENT, "progressive is %d, not 0 or 1", progressive);
	return make(c, file, size, progressive, open_picture, jpeg, NULL);
}

/* ----------------------------------------------------------------- damaged JPEGs */

xc_status xc_jpeg_rescue(xc_context *c, const void *file, size_t size, xc_buffer *jpeg,
                         uint64_t *damaged)
{
	XC_DEFAULT_FLOATS;
	char why[XC_MESSAGE_BYTES];
	xc_kept kept = {.damaged = 0};
	xc_status s = XC_BEGIN_RESULT(c, jpeg);

	if (s)
		return s;
	if (!damaged)
		return xc_fail(c, XC_ERR_ARGUMENT, "no place for the number of damaged segments");
	*damaged = 0;
	s = xc_kept_bytes(c, file, size, 1, jpeg);
	if (!xc_is_damage(s))
		return s;
	const xc_status whole = s;
	c->range = xc_progress_rest(c, c->range);
	memcpy(why, c->message, sizeof why);
	s = make(c, file, size, 0, open_kept, jpeg, &kept);
	if (s == XC_ERR_UNSUPPORTED)
		s = xc_kept_stored_bytes(c, file, size, jpeg);
	if (s == XC_ERR_UNSUPPORTED)
		return xc_fail(c, whole, "%s, and of a JPEG of this kind no part can be saved", why);
	if (s)
		return s;
	*damaged = kept.damaged ? kept.damaged : 1;
	if (!kept.damaged || kept.first_damaged == UINT64_MAX)
		(void)xc_fail(c, XC_OK, "%s", why);
	else
		xc_jpeg_fail_segment(c, &kept.plan, kept.first_damaged);
	return XC_OK;
}
