/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/alpha.h"

#include "entropy/bitread.h"

#define T uint8_t
#define BITS 8
#define NAME(f) f##8
#include "entropy/alpha_rows.h"
#define T uint16_t
#define BITS 16
#define NAME(f) f##16
#include "entropy/alpha_rows.h"

enum { TABLE_BITS = XC_ALPHA_MOST_LENGTH, SLACK = 16 };

/* A plane of bytes takes a token a byte at most.  Samples of 16 bits may be halved after the scratch that
 * their halves take. */
size_t xc_alpha_scratch(size_t samples, size_t bytes)
{
	return (samples + 3) / 4 * 4 * bytes * (1 + sizeof(uint32_t));
}

/* What is longer than the samples themselves is given up. */
size_t xc_alpha_bound(size_t samples, size_t bytes)
{
	return 1 + bytes * (1 + XC_STORED_CODE_BYTES) + samples * bytes + SLACK;
}

/* Bits that follow a symbol. */
static unsigned raw_bits(uint32_t symbol)
{
	if (symbol >= XC_ALPHA_RUNS)
		return symbol == XC_ALPHA_ESCAPE ? 8 : 0;
	return symbol < 4 ? 0 : symbol / 2 - 1;
}

/* The shortest run of a class. */
static uint32_t class_run(uint32_t symbol)
{
	return symbol < 4 ? symbol + 1 : ((2 + symbol % 2) << raw_bits(symbol)) + 1;
}

static uint32_t run_class(uint32_t run)
{
	const uint32_t r = run - 1;
	if (r < 4)
		return r;
	const uint32_t half = 30 - (uint32_t)__builtin_clz(r);
	return 2 * half + 2 + (r >> half & 1);
}

/* --------------------------------------------------------------- encoding */

/* Samples as stored: the lower byte first. */
static size_t put_samples(const void *samples, size_t n, size_t bytes, uint8_t *out)
{
	if (bytes == 1)
		memcpy(out, samples, n);
	for (size_t i = 0; bytes == 2 && i < n; i++) {
		const uint16_t v = ((const uint16_t *)samples)[i];
		out[2 * i] = (uint8_t)v;
		out[2 * i + 1] = (uint8_t)(v >> 8);
	}
	return n * bytes;
}

static size_t zeros_at(const uint8_t *z, size_t n)
{
	size_t i = 0;
	uint64_t eight;
	while (n - i >= 8 && (memcpy(&eight, z + i, 8), !eight))
		i += 8;
	while (i < n && !z[i])
		i++;
	return i;
}

/* Tokens of a plane, symbol | raw bits << 8, which are counted; returns how many. */
static size_t tokenize(const uint8_t *z, size_t n, uint32_t *tokens, uint64_t counts[256])
{
	uint32_t *t = tokens;
	for (size_t i = 0; i < n; t++) {
		const uint32_t v = z[i];
		uint32_t symbol = v + XC_ALPHA_RUNS - 1, raw = 0, step = 1;
		if (!v) {
			const size_t run = zeros_at(z + i, n - i);
			step = run < XC_ALPHA_MOST_RUN ? (uint32_t)run : (uint32_t)XC_ALPHA_MOST_RUN;
			symbol = run_class(step);
			raw = step - class_run(symbol);
		} else if (symbol >= XC_ALPHA_ESCAPE) {
			symbol = XC_ALPHA_ESCAPE;
			raw = v;
		}
		*t = symbol | raw << 8;
		counts[symbol]++;
		i += step;
	}
	return (size_t)(t - tokens);
}

typedef struct plane_code {
	xc_huffman_code code;
	uint32_t *tokens;
	size_t count;
	uint64_t bits;
} plane_code;

static void make_code(const uint8_t *z, size_t n, uint32_t *tokens, plane_code *p)
{
	uint64_t counts[256] = {0};
	uint32_t symbols = 256;
	p->tokens = tokens;
	p->count = tokenize(z, n, tokens, counts);
	while (symbols > 2 && !counts[symbols - 1])
		symbols--;
	xc_huffman_build(&p->code, counts, symbols, XC_ALPHA_MOST_LENGTH);
	p->bits = 0;
	for (uint32_t s = 0; s < symbols; s++)
		p->bits += counts[s] * (p->code.length[s] + raw_bits(s));
}

typedef struct bits {
	uint8_t *next;
	uint64_t word; /* the lowest `count` are not stored yet */
	unsigned count;
} bits;

static void put_tokens(bits *to, const plane_code *p)
{
	uint32_t codes[256];
	uint8_t lengths[256];
	bits w = *to;
	for (uint32_t s = 0; s < p->code.symbols; s++) {
		codes[s] = (uint32_t)p->code.code[s] << raw_bits(s);
		lengths[s] = (uint8_t)(p->code.length[s] + raw_bits(s));
	}
	for (size_t i = 0; i < p->count; i++) {
		const uint32_t t = p->tokens[i];
		w.word = w.word << lengths[t & 255] | codes[t & 255] | t >> 8;
		w.count += lengths[t & 255];
		for (; w.count >= 32; w.count -= 32) {
			const uint32_t four = (uint32_t)(w.word >> (w.count - 32));
			for (int k = 0; k < 4; k++)
				w.next[k] = (uint8_t)(four >> (24 - 8 * k));
			w.next += 4;
		}
	}
	*to = w;
}

static uint8_t *finish_bits(bits *w)
{
	for (; w->count >= 8; w->count -= 8)
		*w->next++ = (uint8_t)(w->word >> (w->count - 8));
	if (w->count)
		*w->next++ = (uint8_t)(w->word << (8 - w->count));
	return w->next;
}

/* The segment of predicted samples, or as much of it as shows that it is no shorter than they. */
static size_t encode_residues(const uint8_t *planes, size_t n, size_t bytes, int plane,
                              uint32_t *tokens, uint8_t *out)
{
	plane_code p[2];
	uint64_t total = 0;
	uint8_t *next = out;
	*next++ = plane ? XC_ALPHA_PLANE : XC_ALPHA_ABOVE;
	for (size_t i = 0; i < bytes; i++) {
		make_code(planes + i * n, n, tokens, &p[i]);
		tokens += p[i].count;
		total += p[i].bits;
		*next++ = (uint8_t)(p[i].code.symbols - 1);
		next += xc_huffman_write(&p[i].code, next);
	}
	const size_t size = (size_t)(next - out) + (size_t)((total + 7) / 8);
	if (size > n * bytes)
		return size;
	bits w = {.next = next};
	for (size_t i = 0; i < bytes; i++)
		put_tokens(&w, &p[i]);
	return (size_t)(finish_bits(&w) - out);
}

static size_t encode_constant(const void *samples, size_t bytes, uint8_t *out)
{
	uint8_t sample[2] = {0};
	put_samples(samples, 1, bytes, sample);
	const int doubled = bytes == 1 || sample[0] == sample[1];
	if (doubled && sample[0] == 255)
		return 0;
	*out = doubled ? sample[0] : XC_ALPHA_CONSTANT;
	if (!doubled)
		memcpy(out + 1, sample, 2);
	return doubled ? 1 : 3;
}

/* Fills `to` with the samples' bytes if the two of each are equal. */
static int halve(const uint16_t *samples, size_t n, uint8_t *to)
{
	uint32_t other = 0;
	for (size_t i = 0; i < n; i++) {
		other |= (uint32_t)(samples[i] >> 8) ^ (samples[i] & 255u);
		to[i] = (uint8_t)samples[i];
	}
	return !other;
}

size_t xc_alpha_encode(const void *samples, size_t width, size_t height, size_t bytes,
                       void *scratch, uint8_t *out)
{
	const size_t n = width * height;
	uint8_t *planes = (uint8_t *)scratch + (n * bytes + 3) / 4 * 4 * sizeof(uint32_t);
	if (!memcmp(samples, (const uint8_t *)samples + bytes, (n - 1) * bytes))
		return encode_constant(samples, bytes, out);
	uint8_t *half = (uint8_t *)scratch + xc_alpha_scratch(n, 1);
	if (bytes == 2 && halve(samples, n, half)) {
		*out = XC_ALPHA_DOUBLED;
		return 1 + xc_alpha_encode(half, width, height, 1, scratch, out + 1);
	}
	const int plane = bytes == 1 ? predict8(samples, width, height, planes)
	                             : predict16(samples, width, height, planes);
	const size_t size = encode_residues(planes, n, bytes, plane, scratch, out);
	if (size <= n * bytes)
		return size;
	*out = XC_ALPHA_RAW;
	return 1 + put_samples(samples, n, bytes, out + 1);
}

/* --------------------------------------------------------------- decoding */

static void get_samples(const uint8_t *from, size_t n, size_t bytes, void *samples)
{
	if (bytes == 1)
		memcpy(samples, from, n);
	for (size_t i = 0; bytes == 2 && i < n; i++)
		((uint16_t *)samples)[i] = (uint16_t)(from[2 * i] | from[2 * i + 1] << 8);
}

static void fill(void *samples, size_t n, size_t bytes, uint16_t value)
{
	if (bytes == 1)
		memset(samples, value, n);
	for (size_t i = 0; bytes == 2 && i < n; i++)
		((uint16_t *)samples)[i] = value;
}

/* An entry for the next TABLE_BITS bits: length | raw bits << 4 | residue << 8 | least step << 16; a
 * step of 0 stands for an escape, whose residue is in the raw bits. */
static uint32_t entry_of(uint32_t symbol, unsigned length)
{
	const uint32_t start = length | raw_bits(symbol) << 4;
	if (symbol < XC_ALPHA_RUNS)
		return start | class_run(symbol) << 16;
	return start | (symbol == XC_ALPHA_ESCAPE ? 0 : (symbol - (XC_ALPHA_RUNS - 1)) << 8 | 1u << 16);
}

/* Returns the bytes of the code, 0 if it is none. */
static size_t read_table(const uint8_t *from, size_t size, uint32_t table[1 << TABLE_BITS])
{
	xc_huffman_code code;
	if (size < 2 || from[0] < 1)
		return 0;
	const size_t taken = xc_huffman_read(&code, from[0] + 1u, from + 1, size - 1);
	for (uint32_t s = 0; taken && s < code.symbols; s++) {
		const unsigned length = code.length[s];
		if (length > TABLE_BITS)
			return 0;
		uint32_t *at = table + ((size_t)code.code[s] << (TABLE_BITS - length));
		for (uint32_t i = 0; length && i < 1u << (TABLE_BITS - length); i++)
			at[i] = entry_of(s, length);
	}
	return taken ? 1 + taken : 0;
}

/* Takes a symbol at place i < n and returns the next place, which may be past n. */
static inline __attribute__((always_inline)) size_t take(xc_bit_reader *r, const uint32_t *table,
                                                         uint8_t *z, size_t i)
{
	const uint32_t e = table[r->bits >> (64 - TABLE_BITS)];
	const unsigned length = e & 15, raw = e >> 4 & 15;
	const uint32_t more = (uint32_t)(r->bits << length >> 1 >> (63 - raw));
	consume(r, length + raw);
	if (__builtin_expect(e >> 16 == 0, 0)) {
		z[i] = (uint8_t)more;
		return i + 1;
	}
	z[i] = (uint8_t)(e >> 8);
	return i + (e >> 16) + more;
}

/* Fills a plane of n bytes, which are 0. */
static int read_plane(xc_bit_reader *reader, const uint32_t *table, uint8_t *z, size_t n)
{
	xc_bit_reader r = *reader;
	size_t i = 0;
	while (i < n) {
		/* Two symbols take 50 bits at most. */
		refill(&r);
		i = take(&r, table, z, i);
		if (i < n)
			i = take(&r, table, z, i);
	}
	*reader = r;
	return i == n;
}

static int decode_residues(const uint8_t *from, size_t size, const uint8_t *readable, size_t n,
                           size_t bytes, uint8_t *planes)
{
	uint32_t tables[2][1 << TABLE_BITS];
	xc_bit_reader r;
	for (size_t i = 0; i < bytes; i++) {
		const size_t taken = read_table(from, size, tables[i]);
		if (!taken)
			return 0;
		from += taken;
		size -= taken;
	}
	memset(planes, 0, n * bytes);
	xc_bit_reader_init(&r, from, size, readable);
	for (size_t i = 0; i < bytes; i++)
		if (!read_plane(&r, tables[i], planes + i * n, n))
			return 0;
	return xc_bit_reader_at_end(&r);
}

int xc_alpha_decode(const uint8_t *segment, size_t size, const uint8_t *readable, size_t width,
                    size_t height, size_t bytes, void *scratch, void *samples)
{
	const size_t n = width * height;
	uint8_t *planes = scratch, *half = planes + n;
	const int form = size ? segment[0] : 255;
	if (size < 2) {
		fill(samples, n, bytes, (uint16_t)(form * 257));
		return 1;
	}
	if (form == XC_ALPHA_CONSTANT && bytes == 2 && size == 3) {
		fill(samples, n, bytes, (uint16_t)(segment[1] | segment[2] << 8));
		return 1;
	}
	if (form == XC_ALPHA_RAW && size - 1 == n * bytes) {
		get_samples(segment + 1, n, bytes, samples);
		return 1;
	}
	if (form == XC_ALPHA_DOUBLED && bytes == 2) {
		if (!xc_alpha_decode(segment + 1, size - 1, readable, width, height, 1, scratch, half))
			return 0;
		for (size_t i = 0; i < n; i++)
			((uint16_t *)samples)[i] = (uint16_t)(half[i] * 257);
		return 1;
	}
	const int plane = form == XC_ALPHA_PLANE;
	if ((!plane && form != XC_ALPHA_ABOVE) ||
	    !decode_residues(segment + 1, size - 1, readable, n, bytes, planes))
		return 0;
	if (bytes == 1)
		restore8(planes, width, height, plane, samples);
	else
		restore16(planes, width, height, plane, samples);
	return 1;
}
