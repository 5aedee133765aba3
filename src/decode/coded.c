/* SPDX-License-Identifier: BSD-2-Clause */
/* Opens a coded picture: tables of its codes, cached by the context, and the place and checks of
 * its segments. src/decode/feed.c fills in the same structure piece by piece. */
#include "src/decode/coded.h"

#include <stddef.h>
#include <string.h>

#include "src/core/crc32c.h"

xc_status xc_coded_open(xc_context *c, const void *file, size_t size, xc_coded *d)
{
	xc_status s = xc_coded_read(c, file, size, 0, d);

	if (!s && xc_header_is_lossless(&d->container.header))
		s = xc_fail(c, XC_ERR_UNSUPPORTED, "a file without loss has no coefficients");
	if (!s)
		s = xc_coded_tables(c, d);
	return s ? s : xc_coded_index(c, d);
}

xc_status xc_coded_read(xc_context *c, const void *file, size_t size, int truncated, xc_coded *d)
{
	memset(d, 0, offsetof(xc_coded, container) + offsetof(xc_container, codes));
	if (!file)
		return xc_fail(c, XC_ERR_ARGUMENT, "no file given");
	d->data_end = (const uint8_t *)file + size;
	return xc_container_read(c, file, size, truncated, &d->container);
}

xc_status xc_coded_read_jpeg(xc_context *c, const void *file, size_t size, xc_coded *d)
{
	memset(d, 0, offsetof(xc_coded, container) + offsetof(xc_container, codes));
	return xc_kept_open(c, file, size, &d->container, &d->jpeg_segments);
}

xc_status xc_coded_take_jpeg(xc_context *c, xc_coded *d, uint32_t y, uint32_t height,
                             int keep_going)
{
	d->level = xc_entropy_level_get(c->cpu, 0);
	d->kept.y = y;
	d->kept.height = height;
	d->kept.keep_going = keep_going;
	return xc_kept_read(c, d->container.jpeg, d->container.jpeg_bytes, &d->kept);
}

static xc_coded_segment *list_piece(const xc_piece *piece, xc_coded_segment *s)
{
	xc_index_reader r = xc_index_begin(piece);
	uint64_t start = piece->start;

	for (uint64_t i = 0; i < piece->segments; i++, s++) {
		*s = (xc_coded_segment){.start = start};
		if (!piece->entries)
			continue;
		s->size = xc_index_next(&r, &s->check);
		start += s->size;
	}
	return s;
}

/* Everything that the tables depend on but the codes. */
typedef struct table_source {
	int entropy, components;
	xc_value_points points[2];
} table_source;

/* Tables that a context caches for the next file, because making them takes longer than decoding a
 * small picture. codes: of Huffman tables. */
typedef struct cached_tables {
	table_source source;
	xc_code_set codes[2];
	union {
		xc_decode_tables huffman[2];
		xc_rans_tables rans;
	} u;
} cached_tables;

static int same_code(const xc_huffman_code *a, const xc_huffman_code *b)
{
	return !memcmp(a->length, b->length, a->symbols);
}

static int same_codes(const xc_code_set *a, const xc_code_set *b)
{
	int same = same_code(&a->dc, &b->dc) && a->ac_codes == b->ac_codes &&
	           !memcmp(a->ac_code, b->ac_code, sizeof a->ac_code);

	for (uint32_t i = 0; same && i < a->ac_codes; i++)
		same = same_code(&a->ac[i], &b->ac[i]);
	return same;
}

static void copy_codes(xc_code_set *to, const xc_code_set *from)
{
	to->dc = from->dc;
	memcpy(to->ac, from->ac, from->ac_codes * sizeof *to->ac);
	to->ac_codes = from->ac_codes;
	memcpy(to->ac_code, from->ac_code, sizeof to->ac_code);
}

static int fits(const cached_tables *cached, const table_source *source, const xc_container *k)
{
	if (!cached || memcmp(&cached->source, source, sizeof *source))
		return 0;
	/* Stored frequencies are large and rare, so their tables are made for each file. */
	if (source->entropy >= XC_ENTROPY_RANS_BUILT_IN)
		return source->entropy != XC_ENTROPY_RANS_STORED;
	return same_codes(&cached->codes[0], &k->codes[0]) &&
	       (source->components == 1 || same_codes(&cached->codes[1], &k->codes[1]));
}

static void make_tables(cached_tables *t, const table_source *source, xc_container *k)
{
	t->source = *source;
	if (source->entropy == XC_ENTROPY_SAMPLES)
		return;
	if (source->entropy == XC_ENTROPY_RANS_BUILT_IN)
		xc_rans_builtin_frequencies(&k->frequencies);
	if (source->entropy >= XC_ENTROPY_RANS_BUILT_IN) {
		xc_rans_tables_init(&t->u.rans, &k->frequencies);
		memcpy(t->u.rans.points, k->points, sizeof k->points);
		return;
	}
	for (int i = 0; i < (source->components == 1 ? 1 : 2); i++) {
		copy_codes(&t->codes[i], &k->codes[i]);
		xc_decode_tables_init(&t->u.huffman[i], &k->codes[i], k->points[i]);
	}
}

xc_status xc_coded_tables(xc_context *c, xc_coded *d)
{
	xc_container *k = &d->container;
	table_source source;

	memset(&source, 0, sizeof source);
	source.entropy = k->header.entropy;
	source.components = k->geometry.components;
	memcpy(source.points, k->points, sizeof source.points);
	d->depth16 = k->header.depth == 16;
	d->level = xc_entropy_level_get(c->cpu, d->depth16);
	d->rans_level = xc_rans_level_get(c->cpu, d->depth16);
	d->predicts_ac = xc_header_predicts_ac(&k->header);
	for (int i = 0; i < (k->geometry.components == 1 ? 1 : 2); i++)
		d->ac_prediction[i] = xc_ac_prediction_of(k->quant[i]);
	/* The tables belong to this decoder until it closes. */
	cached_tables *t = c->attached[XC_ATTACHED_TABLES].data;
	c->attached[XC_ATTACHED_TABLES].data = NULL;
	const int same = fits(t, &source, k);
	if (!t && !(t = xc_allocate(c, sizeof *t)))
		return xc_fail_memory(c, sizeof *t);
	if (!same)
		make_tables(t, &source, k);
	d->cached = t;
	if (xc_header_has_rans(&k->header))
		d->rans = &t->u.rans;
	else
		d->tables = t->u.huffman;
	return XC_OK;
}

xc_status xc_coded_index(xc_context *c, xc_coded *d)
{
	const xc_container *k = &d->container;
	/* The index has more bytes than the file has segments, so this is bounded by the file. */
	const size_t bytes = (size_t)k->segments * k->layers * sizeof *d->segments;

	d->segments = xc_allocate(c, bytes);
	if (!d->segments)
		return xc_fail_memory(c, bytes);
	d->data = k->data;
	d->available = k->data_available;
	xc_coded_segment *s = d->segments;
	for (uint64_t i = 0; i < k->piece_count; i++)
		s = list_piece(&k->pieces[i], s);
	return XC_OK;
}

xc_status xc_coded_dc_only(xc_context *c, xc_coded *d, int chroma)
{
	const xc_code_set *codes = &d->container.codes[chroma];
	const size_t bytes = xc_dc_only_tables_bytes(codes);

	d->dc_only[chroma] = xc_allocate(c, bytes);
	if (!d->dc_only[chroma])
		return xc_fail_memory(c, bytes);
	xc_dc_only_tables_init(d->dc_only[chroma], codes, &d->tables[chroma]);
	return XC_OK;
}

void xc_coded_close(xc_context *c, xc_coded *d)
{
	const int caches = d->cached && !c->attached[XC_ATTACHED_TABLES].data &&
	                   xc_context_may_cache(c, sizeof(cached_tables));

	if (caches)
		c->attached[XC_ATTACHED_TABLES] = (xc_attachment){d->cached, xc_release};
	else
		xc_release(c, d->cached);
	xc_release(c, d->segments);
	for (int i = 0; i < 2; i++) {
		xc_release(c, d->dc_only[i]);
		d->dc_only[i] = NULL;
	}
	xc_container_close(c, &d->container);
	xc_kept_free(c, &d->kept);
	d->cached = NULL;
	d->tables = NULL;
	d->rans = NULL;
	d->segments = NULL;
}

void xc_coded_add_ac_prediction(const xc_coded *d, const xc_tile *t, void *coefficients)
{
	for (int c = 0; d->predicts_ac && c < d->container.geometry.components; c++) {
		if (d->dc_only[c != 0])
			continue;
		char *first = (char *)coefficients + (size_t)t->first_block[c] * 64 * d->level->width;
		(d->depth16 ? xc_ac_prediction_add32 : xc_ac_prediction_add16)(first, t->blocks_wide[c],
		                                                               t->blocks_high[c],
		                                                               d->ac_prediction[c != 0]);
	}
}

int xc_coded_intact(const xc_coded *d, uint64_t segment_index, uint32_t *crc)
{
	const xc_coded_segment *s = &d->segments[segment_index];

	if (s->start + s->size > d->available)
		return 0;
	*crc = xc_crc32c(0, d->data + s->start, s->size);
	return (*crc & 0xffff) == s->check;
}

static uint32_t data_crc(const xc_container *k, const xc_piece *piece, const uint32_t *crcs)
{
	enum { MAX = 256 };
	const uint8_t *data = k->data + piece->start;
	uint8_t bytes[4 * MAX]; /* many at once, because xc_crc32c() is faster for long runs */
	uint32_t crc = xc_crc32c(0, piece->head, (size_t)(data - piece->head));

	for (uint64_t i = 0; i < piece->segments; i += MAX) {
		const size_t n = piece->segments - i < MAX ? (size_t)(piece->segments - i) : MAX;
		for (size_t j = 0; j < n; j++)
			for (int b = 0; b < 4; b++)
				bytes[4 * j + (size_t)b] = (uint8_t)(crcs[i + j] >> 8 * b);
		crc = xc_crc32c(crc, bytes, 4 * n);
	}
	return crc;
}

int xc_coded_data_intact(const xc_container *k, const uint32_t *crcs)
{
	for (uint64_t i = 0; k->data_checked && i < k->piece_count; i++) {
		if (data_crc(k, &k->pieces[i], crcs) != k->pieces[i].check)
			return 0;
		crcs += k->pieces[i].segments;
	}
	return 1;
}

xc_status xc_fail_segment(xc_context *c, const xc_geometry *g, uint64_t tile, uint32_t layer)
{
	xc_tile t;

	xc_geometry_tile(g, tile, &t);
	xc_geometry_clip(g, &t);
	return xc_fail(c, XC_ERR_CORRUPT, "%ssegment %llu is damaged (pixels %u,%u to %u,%u)",
	               layer ? "alpha's " : "", (unsigned long long)tile, t.x, t.y, t.x + t.width - 1,
	               t.y + t.height - 1);
}
