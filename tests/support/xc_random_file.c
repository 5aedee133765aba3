/* SPDX-License-Identifier: BSD-2-Clause */
/* Random files: what doc/format.md allows, whether an encoder would do it or not. */
#include <stdlib.h>
#include <string.h>

#include "entropy/huffman.h"
#include "geometry/geometry.h"
#include "tests/support/check.h"
#include "tests/support/xc_files.h"

enum { CONTEXTS = 6 };

typedef struct maker {
	uint64_t seed;
	int wild;
	xc_head head;
	uint32_t h, v, components, mcus_wide, mcus_high;
	xc_huffman_code dc[2];           /* [Y, CbCr] */
	xc_huffman_code ac[2][CONTEXTS]; /* without contexts only the first */
	uint32_t taken[2][CONTEXTS];     /* which of them a context takes */
	xc_bytes index, data;
	uint32_t index_width;
} maker;

/* 0 to n - 1 */
static uint32_t below(maker *m, uint32_t n)
{
	return check_below(&m->seed, n);
}

static void choose_shape(maker *m)
{
	xc_head *h = &m->head;
	const int large = !below(m, 8);

	h->width = 1 + below(m, large ? 300 : 40);
	h->height = 1 + below(m, large ? 150 : 40);
	h->channels = 1 + below(m, 4);
	h->depth = below(m, 2) ? 16 : 8;
	h->subsampling = h->channels < 3 ? 3 : below(m, 3);
	h->transform = below(m, 3);
	h->entropy = xc_min_u32(below(m, 5), 2);
	h->quality = 1 + below(m, 100);
	m->components = h->channels < 3 ? 1 : 3;
	m->h = h->subsampling < 2 ? 2 : 1;
	m->v = h->subsampling == 0 ? 2 : 1;
	m->mcus_wide = xc_divide_up(h->width, 8 * m->h);
	m->mcus_high = xc_divide_up(h->height, 8 * m->v);
	const uint32_t max = 4096 / (m->h * m->v + m->components - 1);
	h->tile_wide = 1 + below(m, xc_min_u32(m->mcus_wide, max));
	h->tile_high = 1 + below(m, xc_min_u32(m->mcus_high, max / h->tile_wide));
	m->index_width = 3 + below(m, 2);
}

static void add_steps(maker *m, xc_bytes *out)
{
	OWN_BYTES steps = {0};
	const uint32_t preset = below(m, 3);
	uint64_t apart = m->seed; /* so that files of other presets stay what they were */
	const int curves = preset == 2 && m->wild;

	xc_bytes_add_u8(&steps, curves ? 4 : preset);
	for (uint32_t i = 0; curves && i < (m->components == 1 ? 7 : 14); i++)
		xc_bytes_add_u8(&steps, check_below(&apart, 256));
	for (uint32_t t = 0; preset == 0 && t < (m->components == 1 ? 1 : 2); t++) {
		const uint32_t wide = 1 + below(m, 2), max = m->wild ? 65535 : 40;
		xc_bytes_add_u8(&steps, wide);
		for (int i = 0; i < 64; i++) {
			if (wide == 1)
				xc_bytes_add_u8(&steps, 1 + below(m, xc_min_u32(max, 255)));
			else
				xc_bytes_add_le16(&steps, 1 + below(m, max));
		}
	}
	for (uint32_t t = 0; t < (m->components == 1 ? 1 : 2); t++)
		xc_bytes_add_u8(&steps, (1 + below(m, 15)) << 4 | (1 + below(m, 15)));
	xc_bytes_add_chunk(out, "QNTZ", steps.data, steps.size);
}

/* A tree grown leaf by leaf: its leaves' depths are a complete code. */
static void random_code(maker *m, xc_huffman_code *code, uint32_t symbols)
{
	uint8_t depth[XC_MAX_SYMBOLS] = {1, 1};
	uint32_t order[XC_MAX_SYMBOLS], n = 2;
	const uint32_t want = 2 + below(m, below(m, 2) ? symbols - 1 : 12);
	const int depth16 = !below(m, 3);

	for (int tries = 0; n < want && n < symbols && tries < 4000; tries++) {
		const uint32_t i = depth16 ? n - 1 - below(m, xc_min_u32(n, 3)) : below(m, n);
		if (depth[i] < XC_MAX_STORED_LENGTH) {
			depth[i]++;
			depth[n++] = depth[i];
		}
	}
	/* Symbol 0 takes part: it ends a block, and is a DC that is always allowed. */
	for (uint32_t s = 0; s < symbols; s++)
		order[s] = s;
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t j = i + below(m, symbols - i), s = order[j];
		order[j] = order[i];
		order[i] = s;
	}
	memset(code, 0, sizeof *code);
	code->symbols = symbols;
	for (uint32_t i = 0; i < n; i++)
		code->length[order[i]] = depth[(i + m->head.quality) % n];
	if (!xc_huffman_assign(code))
		abort();
}

/* A code that differs from another one by two lengths that change places, a few times. */
static void similar_code(maker *m, xc_huffman_code *code, const xc_huffman_code *before)
{
	*code = *before;
	for (uint32_t n = below(m, 30); n; n--) {
		const uint32_t a = 1 + below(m, code->symbols - 1), b = 1 + below(m, code->symbols - 1);
		const uint8_t length = code->length[a];
		code->length[a] = code->length[b];
		code->length[b] = length;
	}
	if (!xc_huffman_assign(code))
		abort();
}

/* The word for a length, or one time in eight the longest word for it. */
static void put_length(maker *m, xc_test_bits *w, uint32_t length, uint32_t before)
{
	/* For differences of -3 to 3. */
	static const uint32_t words[7] = {13, 11, 3, 0, 2, 10, 12}, bits[7] = {4, 4, 3, 2, 3, 4, 4};
	const uint32_t difference = length + 3 - before;

	if (!before && !length)
		xc_test_bits_put(w, 1, 1);
	else if (!before)
		xc_test_bits_put(w, length, 5);
	else if (!below(m, 8))
		xc_test_bits_put(w, 0x70 | length, 7);
	else if (!length)
		xc_test_bits_put(w, 4, 3);
	else if (difference < 7)
		xc_test_bits_put(w, words[difference], bits[difference]);
	else
		xc_test_bits_put(w, 0x70 | length, 7);
}

static uint32_t rank(uint32_t symbol)
{
	const uint32_t run = symbol >> 4, size = symbol & 15;
	return size ? (run + 4) * size : symbol == 0 ? 0 : symbol == 0xf0 ? 18 : 1000;
}

/* The symbols in the order in which sets store them: AC symbols by rank. */
static void order_symbols(uint32_t symbols, uint32_t *order)
{
	for (uint32_t s = 0; s < symbols; s++) {
		uint32_t at = s;
		for (; symbols == 256 && at && rank(order[at - 1]) > rank(s); at--)
			order[at] = order[at - 1];
		order[at] = s;
	}
}

/* As differences from a code; sometimes with more symbols than needed. */
static void put_differences(maker *m, xc_test_bits *w, const xc_huffman_code *code,
                            const xc_huffman_code *before)
{
	const uint32_t n = code->symbols;
	uint32_t order[XC_MAX_SYMBOLS], last = 0;

	order_symbols(n, order);
	for (uint32_t i = 0; i < n; i++)
		if (code->length[order[i]])
			last = i;
	if (!below(m, 4))
		last += below(m, n - last);
	xc_test_bits_put(w, last, 8);
	for (uint32_t i = 0; i <= last; i++)
		put_length(m, w, code->length[order[i]], before->length[order[i]]);
}

/* A set of codes for contexts; not all need be taken. */
static void add_set(maker *m, int chroma, xc_bytes *out)
{
	xc_test_bits w = {.out = out};
	xc_huffman_code built_in[2];
	const uint32_t codes = 1 + below(m, CONTEXTS);

	for (int ac = 0; ac < 2; ac++)
		xc_huffman_default(&built_in[ac], ac, chroma);
	random_code(m, &m->dc[chroma], 32);
	xc_test_bits_put(&w, codes - 1, 3);
	for (int i = 0; i < CONTEXTS; i++) {
		m->taken[chroma][i] = below(m, codes);
		xc_test_bits_put(&w, m->taken[chroma][i], 3);
	}
	put_differences(m, &w, &m->dc[chroma], &built_in[0]);
	for (uint32_t i = 0; i < codes; i++) {
		xc_huffman_code *code = &m->ac[chroma][i];
		if (i && below(m, 2))
			similar_code(m, code, code - 1);
		else
			random_code(m, code, 256);
		put_differences(m, &w, code, i ? code - 1 : &built_in[1]);
	}
	xc_test_bits_put(&w, 0, (8 - w.count) % 8);
}

/* Codes without contexts, stored or built in. */
static void add_codes(maker *m, int chroma, xc_bytes *out)
{
	xc_huffman_code *const codes[2] = {&m->dc[chroma], &m->ac[chroma][0]};
	uint8_t stored[XC_STORED_CODE_BYTES];

	for (int ac = 0; ac < 2; ac++) {
		if (m->head.entropy)
			random_code(m, codes[ac], ac ? 256 : 32);
		else
			xc_huffman_default(codes[ac], ac, chroma);
		xc_bytes_add(out, stored, xc_huffman_write(codes[ac], stored));
	}
}

static void choose_codes(maker *m, xc_bytes *out)
{
	OWN_BYTES stored = {0};

	for (int c = 0; c < (m->components == 1 ? 1 : 2); c++) {
		if (m->head.entropy == 2)
			add_set(m, c, &stored);
		else
			add_codes(m, c, &stored);
	}
	if (m->head.entropy)
		xc_bytes_add_chunk(out, "HUFF", stored.data, stored.size);
}

static void put_symbol(xc_test_bits *w, const xc_huffman_code *code, uint32_t s)
{
	xc_test_bits_put(w, code->code[s], code->length[s]);
}

/* The largest size of an AC value. */
static uint32_t max_bits(const maker *m)
{
	return !m->wild ? 5 : m->head.depth == 8 ? 11 : 24;
}

/* A symbol that has a code and fits; 0 if the first few found do not.  In wild files a
 * run sometimes leads out of the block. */
static uint32_t choose_symbol(maker *m, const xc_huffman_code *code, int k)
{
	const int last = m->wild && !below(m, 50) ? 100 : 63;

	for (int tries = 0; tries < 8; tries++) {
		const uint32_t s = below(m, code->symbols);
		if (!code->length[s])
			continue;
		if (k < 0 && s <= max_bits(m) + 1)
			return s;
		if (k >= 0 && (s == 0 || k + (int)(s >> 4) + 1 <= last) && (s & 15) <= max_bits(m))
			return s;
	}
	return 0;
}

/* The context of the AC symbol after this one. */
static uint32_t context_after(uint32_t s)
{
	return (s & 15) > 2 ? 2 : (s & 15) == 2 ? 3 : s == 1 ? 4 : 5;
}

static void put_block(maker *m, xc_test_bits *w, int chroma, uint32_t chattiness)
{
	const uint32_t dc = choose_symbol(m, &m->dc[chroma], -1);
	uint32_t context = dc > 2;

	put_symbol(w, &m->dc[chroma], dc);
	xc_test_bits_put(w, below(m, UINT32_MAX), dc);
	for (int k = 0; k < 63;) {
		const uint32_t taken = m->head.entropy == 2 ? m->taken[chroma][context] : 0;
		const xc_huffman_code *code = &m->ac[chroma][taken];
		const uint32_t s = below(m, 256) < chattiness ? choose_symbol(m, code, k) : 0;
		uint32_t size = s & 15;
		put_symbol(w, code, s);
		if (s == 0)
			break;
		k += (int)(s >> 4) + 1;
		context = context_after(s);
		if (size == 15) {
			const uint32_t more = below(m, max_bits(m) - 14);
			xc_test_bits_put(w, more, 4);
			size += more;
		}
		xc_test_bits_put(w, below(m, UINT32_MAX), size);
	}
}

static void add_entry(maker *m, size_t size)
{
	xc_bytes_add_le16(&m->index, (uint32_t)size);
	for (uint32_t i = 2; i < m->index_width; i++)
		xc_bytes_add_u8(&m->index, (uint32_t)(size >> 8 * i));
	xc_bytes_add_le16(&m->index, 0);
}

/* Nothing, a byte, or n bytes of stored samples (doc/format.md, 7). fuzz/lossless.c makes the other
 * segments. */
static void put_alpha(maker *m, xc_bytes *out, uint32_t n)
{
	const uint32_t form = below(m, 3);

	if (form)
		xc_bytes_add_u8(out, form > 1 ? 0 : below(m, 256));
	for (uint32_t i = 0; form > 1 && i < n; i++)
		xc_bytes_add_u8(out, below(m, 256));
}

/* The tile's pixels that lie in the picture. */
static uint32_t alpha_samples(const maker *m, uint32_t mx, uint32_t my)
{
	const uint32_t x = mx * 8 * m->h, y = my * 8 * m->v;
	return xc_min_u32(m->head.tile_wide * 8 * m->h, m->head.width - x) *
	       xc_min_u32(m->head.tile_high * 8 * m->v, m->head.height - y);
}

static void add_segment(maker *m, uint32_t mx, uint32_t my)
{
	xc_test_bits w = {.out = &m->data};
	const size_t start = m->data.size;
	const uint32_t wide = xc_min_u32(m->head.tile_wide, m->mcus_wide - mx);
	const uint32_t high = xc_min_u32(m->head.tile_high, m->mcus_high - my);
	const uint32_t chattiness = below(m, 257);

	for (uint32_t c = 0; c < m->components; c++) {
		const uint32_t blocks = c ? wide * high : wide * m->h * high * m->v;
		for (uint32_t i = 0; i < blocks; i++)
			put_block(m, &w, c != 0, chattiness);
	}
	xc_test_bits_put(&w, 0, (8 - w.count) % 8);
	add_entry(m, m->data.size - start);
	if (m->head.channels % 2)
		return;
	const size_t middle = m->data.size;
	put_alpha(m, &m->data, alpha_samples(m, mx, my) * (m->head.depth / 8));
	add_entry(m, m->data.size - middle);
}

static void add_ancillary(maker *m, xc_bytes *out)
{
	static const char types[6][5] = {"dens", "iccp", "exif", "xmpp", "qABC", "what"};

	for (int i = 0; i < 6; i++)
		if (!below(m, 6))
			xc_bytes_add_chunk(out, types[i], "a payload of any kind", below(m, 21));
}

/* One matrix in two is near to none, the others are anything. */
static void add_colours(maker *m, xc_bytes *out)
{
	uint8_t payload[18];
	const int near = (int)below(m, 2);

	for (int i = 0; i < 9; i++) {
		const uint32_t element = near ? below(m, 4000) + (i % 4 ? 0 : 6000) : below(m, 65536);
		payload[2 * i] = (uint8_t)element;
		payload[2 * i + 1] = (uint8_t)(element >> 8);
	}
	xc_bytes_add_chunk(out, "COLR", payload, sizeof payload);
}

static void add_piece(maker *m, xc_bytes *out)
{
	xc_bytes_add_chunk(out, "INDX", m->index.data, m->index.size);
	if (!below(m, 4))
		add_ancillary(m, out);
	xc_bytes_add_chunk(out, "DATA", m->data.data, m->data.size);
	if (!below(m, 4))
		add_ancillary(m, out);
	m->data.size = m->index.size = 0;
}

/* All segments in one piece, or in pieces of a few rows of tiles. */
static void add_segments(maker *m, xc_bytes *out)
{
	const int whole = (int)below(m, 2);

	for (uint32_t y = 0; y < m->mcus_high; y += m->head.tile_high) {
		if (!m->index.size)
			xc_bytes_add_u8(&m->index, m->index_width);
		for (uint32_t x = 0; x < m->mcus_wide; x += m->head.tile_wide)
			add_segment(m, x, y);
		if (!whole && below(m, 2))
			add_piece(m, out);
	}
	if (m->index.size)
		add_piece(m, out);
}

void xc_random_file(xc_bytes *out, uint64_t seed, int wild)
{
	maker m = {.seed = seed, .wild = wild};

	out->size = 0;
	choose_shape(&m);
	xc_bytes_add_magic(out);
	uint64_t apart = seed + 1; /* so that the rest of a seed's file stays what it was */
	xc_bytes_add_longer_head(out, &m.head,
	                         check_below(&apart, 8) ? 0 : check_below(&apart, 255 - 18 + 1));
	add_ancillary(&m, out);
	const int steps_first = (int)below(&m, 2);
	if (steps_first)
		add_steps(&m, out);
	if (m.head.subsampling == 2 && below(&m, 2))
		add_colours(&m, out);
	choose_codes(&m, out);
	if (!steps_first)
		add_steps(&m, out);
	add_segments(&m, out);
	xc_bytes_add_chunk(out, "DONE", NULL, 0);
	xc_file_fix(out->data, out->size);
	xc_bytes_free(&m.index);
	xc_bytes_free(&m.data);
}
