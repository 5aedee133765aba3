/* SPDX-License-Identifier: BSD-2-Clause */
/* Random files: what doc/format.md allows, whether an encoder would do it or not. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "entropy/huffman.h"
#include "tests/support/check.h"
#include "tests/support/xc_files.h"

typedef struct maker {
	uint64_t seed;
	int wild;
	xc_head head;
	uint32_t h, v, components, mcus_wide, mcus_high;
	xc_huffman_code codes[2][2]; /* [Y, CbCr][DC, AC] */
	xc_bytes index, data;
	uint32_t index_width;
	uint32_t bits, bit_count; /* not stored yet, fewer than 8 */
} maker;

/* 0 to n - 1 */
static uint32_t below(maker *m, uint32_t n)
{
	return check_below(&m->seed, n);
}

static uint32_t divide_up(uint32_t a, uint32_t b)
{
	return (a + b - 1) / b;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
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
	h->entropy = below(m, 4) != 0;
	h->quality = 1 + below(m, 100);
	m->components = h->channels < 3 ? 1 : 3;
	m->h = h->subsampling < 2 ? 2 : 1;
	m->v = h->subsampling == 0 ? 2 : 1;
	m->mcus_wide = divide_up(h->width, 8 * m->h);
	m->mcus_high = divide_up(h->height, 8 * m->v);
	const uint32_t most = 4096 / (m->h * m->v + m->components - 1);
	h->tile_wide = 1 + below(m, smaller(m->mcus_wide, most));
	h->tile_high = 1 + below(m, smaller(m->mcus_high, most / h->tile_wide));
	m->index_width = 3 + below(m, 2);
}

static void add_steps(maker *m, xc_bytes *out)
{
	xc_bytes steps = {0};
	const uint32_t preset = below(m, 3);
	xc_bytes_add_u8(&steps, preset);
	for (uint32_t t = 0; preset == 0 && t < (m->components == 1 ? 1 : 2); t++) {
		const uint32_t wide = 1 + below(m, 2), most = m->wild ? 65535 : 40;
		xc_bytes_add_u8(&steps, wide);
		for (int i = 0; i < 64; i++) {
			if (wide == 1)
				xc_bytes_add_u8(&steps, 1 + below(m, smaller(most, 255)));
			else
				xc_bytes_add_le16(&steps, 1 + below(m, most));
		}
	}
	xc_bytes_add_chunk(out, "QNTZ", steps.data, steps.size);
	xc_bytes_free(&steps);
}

/* A tree grown leaf by leaf: its leaves' depths are a complete code. */
static void random_code(maker *m, xc_huffman_code *code, uint32_t symbols)
{
	uint8_t depth[XC_MAX_SYMBOLS] = {1, 1};
	uint32_t order[XC_MAX_SYMBOLS], n = 2;
	const uint32_t want = 2 + below(m, below(m, 2) ? symbols - 1 : 12);
	const int deep = !below(m, 3);
	for (int tries = 0; n < want && n < symbols && tries < 4000; tries++) {
		const uint32_t i = deep ? n - 1 - below(m, smaller(n, 3)) : below(m, n);
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

static void choose_codes(maker *m, xc_bytes *out)
{
	uint8_t stored[4 * XC_STORED_CODE_BYTES];
	size_t n = 0;
	for (int c = 0; c < (m->components == 1 ? 1 : 2); c++) {
		for (int ac = 0; ac < 2; ac++) {
			if (m->head.entropy)
				random_code(m, &m->codes[c][ac], ac ? 256 : 32);
			else
				xc_huffman_default(&m->codes[c][ac], ac, c);
			n += xc_huffman_write(&m->codes[c][ac], stored + n);
		}
	}
	if (m->head.entropy)
		xc_bytes_add_chunk(out, "HUFF", stored, n);
}

/* n up to 30 */
static void put_bits(maker *m, uint32_t value, uint32_t n)
{
	while (n--) {
		m->bits = m->bits << 1 | (value >> n & 1);
		if (++m->bit_count == 8) {
			xc_bytes_add_u8(&m->data, m->bits);
			m->bits = m->bit_count = 0;
		}
	}
}

static void put_symbol(maker *m, const xc_huffman_code *code, uint32_t s)
{
	put_bits(m, code->code[s], code->length[s]);
}

static uint32_t most_bits(const maker *m)
{
	return !m->wild ? 5 : m->head.depth == 8 ? 15 : 28;
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
		if (k < 0 && s <= most_bits(m))
			return s;
		if (k >= 0 && (s == 0 || k + (int)(s >> 4) + 1 <= last) && (s & 15) <= most_bits(m))
			return s;
	}
	return 0;
}

static void put_block(maker *m, const xc_huffman_code codes[2], uint32_t chattiness)
{
	const uint32_t dc = choose_symbol(m, &codes[0], -1);
	put_symbol(m, &codes[0], dc);
	put_bits(m, below(m, UINT32_MAX), dc);
	for (int k = 0; k < 63;) {
		const uint32_t s = below(m, 256) < chattiness ? choose_symbol(m, &codes[1], k) : 0;
		uint32_t size = s & 15;
		put_symbol(m, &codes[1], s);
		if (s == 0)
			break;
		k += (int)(s >> 4) + 1;
		if (size == 15) {
			const uint32_t more = m->head.depth == 8 ? 0 : below(m, 14);
			put_bits(m, more, 4);
			size += more;
		}
		put_bits(m, below(m, UINT32_MAX), size);
	}
}

static void add_segment(maker *m, uint32_t mx, uint32_t my)
{
	const size_t start = m->data.size;
	const uint32_t wide = smaller(m->head.tile_wide, m->mcus_wide - mx);
	const uint32_t high = smaller(m->head.tile_high, m->mcus_high - my);
	const uint32_t chattiness = below(m, 257);
	for (uint32_t c = 0; c < m->components; c++) {
		const uint32_t blocks = c ? wide * high : wide * m->h * high * m->v;
		for (uint32_t i = 0; i < blocks; i++)
			put_block(m, m->codes[c != 0], chattiness);
	}
	put_bits(m, 0, (8 - m->bit_count) % 8);
	const size_t size = m->data.size - start;
	xc_bytes_add_le16(&m->index, (uint32_t)size);
	for (uint32_t i = 2; i < m->index_width; i++)
		xc_bytes_add_u8(&m->index, (uint32_t)(size >> 8 * i));
	xc_bytes_add_le16(&m->index, 0);
}

static void add_alpha(maker *m, xc_bytes *out)
{
	const size_t n = (size_t)m->head.width * m->head.height * (m->head.depth / 8);
	uLongf room = compressBound(n);
	uint8_t *rows = xc_test_malloc(n), *packed = xc_test_malloc(room + 1);
	for (size_t i = 0; i < n; i++)
		rows[i] = (uint8_t)(below(m, 3) ? 0 : below(m, 256));
	packed[0] = 1;
	if (compress2(packed + 1, &room, rows, n, 6) != Z_OK)
		abort();
	xc_bytes_add_chunk(out, "ALPH", packed, room + 1);
	free(rows);
	free(packed);
}

static void add_ancillary(maker *m, xc_bytes *out)
{
	static const char types[6][5] = {"dens", "iccp", "exif", "xmpp", "qABC", "what"};
	for (int i = 0; i < 6; i++)
		if (!below(m, 6))
			xc_bytes_add_chunk(out, types[i], "a payload of any kind", i ? below(m, 21) : 9);
}

/* The index and the data in either order. */
static void add_segments(maker *m, xc_bytes *out)
{
	const int data_first = !below(m, 4);
	xc_bytes_add_u8(&m->index, m->index_width);
	for (uint32_t y = 0; y < m->mcus_high; y += m->head.tile_high)
		for (uint32_t x = 0; x < m->mcus_wide; x += m->head.tile_wide)
			add_segment(m, x, y);
	for (int i = 0; i < 2; i++) {
		if (i == data_first)
			xc_bytes_add_chunk(out, "INDX", m->index.data, m->index.size);
		else
			xc_bytes_add_chunk(out, "DATA", m->data.data, m->data.size);
		if (!below(m, 4))
			add_ancillary(m, out);
	}
}

void xc_random_file(xc_bytes *out, uint64_t seed, int wild)
{
	maker m = {.seed = seed, .wild = wild};
	out->size = 0;
	choose_shape(&m);
	xc_bytes_add_magic(out);
	xc_bytes_add_head(out, &m.head);
	add_ancillary(&m, out);
	const int steps_first = (int)below(&m, 2);
	if (steps_first)
		add_steps(&m, out);
	if (m.head.channels % 2 == 0)
		add_alpha(&m, out);
	choose_codes(&m, out);
	if (!steps_first)
		add_steps(&m, out);
	add_segments(&m, out);
	xc_bytes_add_chunk(out, "DONE", NULL, 0);
	xc_file_fix(out->data, out->size);
	xc_bytes_free(&m.index);
	xc_bytes_free(&m.data);
}
