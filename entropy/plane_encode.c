/* SPDX-License-Identifier: BSD-2-Clause */
/* Encodes a plane of samples (entropy/plane.h), for src/encode/tiles.c and src/cuda/alpha.c. Where
 * even the entropy exceeds the samples no code is made. */
#include <string.h>

#include "entropy/plane_symbols.h"
#include "entropy/byte_order.h"
#include "entropy/huffman.h"

#define T uint8_t
#define BITS 8
#define NAME(f) f##8
#include "entropy/plane_rows.h"
#define T uint16_t
#define BITS 16
#define NAME(f) f##16
#include "entropy/plane_rows.h"

enum { SLACK = 16 };

#ifndef XC_SUFFIX

/* A plane of bytes takes at most one token a byte; XC_PLANE_TOUCHED bytes more are written. Samples
 * of 16 bits may be halved into the scratch after that of the halves. */
size_t xc_plane_scratch(size_t samples, size_t bytes)
{
	return (samples + 3) / 4 * 4 * bytes * (1 + sizeof(uint32_t)) + 2 * XC_PLANE_TOUCHED;
}

/* A coding longer than the samples is given up. */
size_t xc_plane_bound(size_t samples, size_t bytes)
{
	return 1 + bytes * (1 + XC_STORED_CODE_BYTES) + samples * bytes + SLACK;
}

#endif

static inline uint32_t run_class(uint32_t run)
{
	const uint32_t r = run - 1;

	if (r < 4)
		return r;
	const uint32_t half = 30 - (uint32_t)__builtin_clz(r);
	return 2 * half + 2 + (r >> half & 1);
}

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

/* A mask of the bytes, at most 64, that are not 0. */
static uint64_t some_of(const uint8_t *z, size_t n)
{
	const uint64_t high = UINT64_C(0x8080808080808080), gather = UINT64_C(0x0002040810204081);
	uint8_t last[64] = {0};
	uint64_t mask = 0, bytes8;

	if (n < sizeof last)
		z = memcpy(last, z, n);
	for (size_t i = 0; i < sizeof last; i += 8) {
		memcpy(&bytes8, z + i, 8);
		bytes8 = xc_lowest_first64(bytes8);
		bytes8 = (((bytes8 & ~high) + ~high) | bytes8) & high;
		mask |= (bytes8 * gather >> 56) << i;
	}
	return mask;
}

/* Appends the tokens, symbol | raw bits << 8, of a run of zeros. */
static uint32_t *put_run(uint32_t *t, size_t run)
{
	while (run) {
		const uint32_t step = run < XC_PLANE_MAX_RUN ? (uint32_t)run : (uint32_t)XC_PLANE_MAX_RUN;
		const uint32_t symbol = run_class(step);
		*t++ = symbol | (step - class_run(symbol)) << 8;
		run -= step;
	}
	return t;
}

/* The tokens of 16 residues. */
static inline __attribute__((always_inline)) void put_sixteen(const uint8_t *restrict z,
                                                              uint32_t *restrict t)
{
	for (int i = 0; i < 16; i++) {
		const uint32_t v = z[i], symbol = v + XC_PLANE_RUNS - 1;
		t[i] = v < XC_PLANE_ESCAPE - XC_PLANE_RUNS + 1 ? symbol : v << 8 | XC_PLANE_ESCAPE;
	}
}

/* Makes the tokens of a plane; returns their number. Runs of residues and of zeros alternate.
 * Branches on their lengths would be mispredicted in noise, so whole groups of 16 are written and
 * the surplus is overwritten. */
static size_t tokenize(const uint8_t *z, size_t n, uint32_t *tokens)
{
	enum { SHORT = 64 };
	uint32_t *t = tokens, runs[SHORT + 1] = {0};
	size_t next = 0; /* the first sample that no token stands for */

	for (size_t run = 1; run <= SHORT; run++)
		put_run(&runs[run], run);
	for (size_t i = 0; i < n; i += 64) {
		uint64_t some = some_of(z + i, n - i);
		while (some) {
			const unsigned first = (unsigned)__builtin_ctzll(some);
			const uint64_t ended = some + (UINT64_C(1) << first); /* 0: they go on to the end */
			const unsigned end = ended ? (unsigned)__builtin_ctzll(ended) : 64;
			size_t run = i + first - next;
			if (__builtin_expect(run > SHORT, 0)) {
				t = put_run(t, run);
				run = 0;
			}
			*t = runs[run];
			t += run != 0;
			for (unsigned k = first; k < end; k += 16)
				put_sixteen(z + i + k, t + (k - first));
			t += end - first;
			next = i + end;
			some &= ended;
		}
	}
	return (size_t)(put_run(t, n - next) - tokens);
}

/* Counts symbols in four tables in turn, because a counter waits for its own last store. */
static void count_tokens(const uint32_t *tokens, size_t n, uint64_t counts[256])
{
	uint32_t count[4][256] = {{0}};
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (size_t k = 0; k < 4; k++)
			count[k][tokens[i + k] & 255]++;
	for (; i < n; i++)
		count[0][tokens[i] & 255]++;
	for (size_t s = 0; s < 256; s++)
		counts[s] = (uint64_t)count[0][s] + count[1][s] + count[2][s] + count[3][s];
}

/* The logarithm to base 2, times 2^16, too small by less than SPARE. */
enum { SPARE = 5643 };
static uint64_t log2_of(uint64_t x)
{
	const unsigned whole = 63 - (unsigned)__builtin_clzll(x);
	return ((uint64_t)whole << 16) + (x << 16 >> whole) - (1 << 16);
}

typedef struct plane_code {
	uint64_t counts[256];
	xc_huffman_code code;
	const uint32_t *tokens;
	size_t count;
} plane_code;

/* A lower bound of the bits of any code. */
static uint64_t min_bits(const plane_code *p)
{
	uint64_t bits = 0;

	for (uint32_t s = 0; s < 256; s++)
		if (p->counts[s])
			bits += p->counts[s] * (log2_of(p->count) + ((uint64_t)raw_bits(s) << 16));
	for (uint32_t s = 0; s < 256; s++)
		if (p->counts[s])
			bits -= p->counts[s] * (log2_of(p->counts[s]) + SPARE);
	return (int64_t)bits > 0 ? bits >> 16 : 0;
}

/* Returns the bits of the tokens. */
static uint64_t make_code(plane_code *p)
{
	uint32_t symbols = 256;
	uint64_t bits = 0;

	while (symbols > 2 && !p->counts[symbols - 1])
		symbols--;
	xc_huffman_build(&p->code, p->counts, symbols, XC_PLANE_MAX_LENGTH);
	for (uint32_t s = 0; s < symbols; s++)
		bits += p->counts[s] * (p->code.length[s] + raw_bits(s));
	return bits;
}

typedef struct bits {
	uint8_t *next;
	uint64_t word; /* the lowest `count`, at most 7, are not stored yet */
	unsigned count;
} bits;

/* Appends two tokens; a and b: codes and lengths of their symbols. */
static inline __attribute__((always_inline)) void put_two(bits *w, uint32_t a, uint32_t token,
                                                          uint32_t b, uint32_t second)
{
	const uint64_t both = (uint64_t)(a >> 6 | token >> 8) << (b & 63) | b >> 6 | second >> 8;
	const unsigned n = (a & 63) + (b & 63);

	w->word = w->word << n | both;
	w->count += n;
}

/* Stores 8 bytes. */
static inline __attribute__((always_inline)) void flush(bits *w)
{
	const uint64_t bytes8 = xc_highest_first64(w->word << (64 - w->count));

	memcpy(w->next, &bytes8, sizeof bytes8);
	w->next += w->count >> 3;
	w->count &= 7;
}

/* Tokens take 25 bits at most: two fit between flushes. */
static void put_tokens(bits *to, const plane_code *p)
{
	uint32_t codes[256];
	const uint32_t *t = p->tokens, *const end = t + p->count;
	bits w = *to;

	for (uint32_t s = 0; s < p->code.symbols; s++) {
		const unsigned raw = raw_bits(s);
		codes[s] = (uint32_t)p->code.code[s] << raw << 6 | (p->code.length[s] + raw);
	}
	while (end - t >= 4) {
		put_two(&w, codes[t[0] & 255], t[0], codes[t[1] & 255], t[1]);
		/* Codes alone take 11 bits at most. */
		if ((t[0] | t[1] | t[2] | t[3]) >> 8)
			flush(&w);
		put_two(&w, codes[t[2] & 255], t[2], codes[t[3] & 255], t[3]);
		flush(&w);
		t += 4;
	}
	for (; t < end; t++) {
		put_two(&w, codes[*t & 255], *t, 0, 0);
		flush(&w);
	}
	*to = w;
}

static uint8_t *finish_bits(bits *w)
{
	if (w->count)
		*w->next++ = (uint8_t)(w->word << (8 - w->count));
	return w->next;
}

/* Writes the segment of predicted samples. Stops when it is known to be longer than the samples,
 * and returns a larger size than theirs. */
static size_t encode_residues(const uint8_t *planes, size_t n, size_t bytes, int planar,
                              uint32_t *tokens, uint8_t *out)
{
	plane_code p[2];
	uint64_t min = 0, total = 0;
	uint8_t *next = out;

	for (size_t i = 0; i < bytes; i++) {
		p[i].tokens = tokens;
		p[i].count = tokenize(planes + i * n, n, tokens);
		count_tokens(tokens, p[i].count, p[i].counts);
		tokens += p[i].count;
		min += min_bits(&p[i]);
	}
	if (min > 8 * n * bytes)
		return n * bytes + 1;
	*next++ = planar ? XC_PLANE_PLANAR : XC_PLANE_ABOVE;
	for (size_t i = 0; i < bytes; i++) {
		total += make_code(&p[i]);
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
	*out = doubled ? sample[0] : XC_PLANE_CONSTANT;
	if (!doubled)
		memcpy(out + 1, sample, 2);
	return doubled ? 1 : 3;
}

/* Fills `to` with the lower bytes of the samples. 0: some sample has two different bytes. */
static int halve(const uint16_t *samples, size_t n, uint8_t *to)
{
	uint32_t other = 0;

	for (size_t i = 0; i < n; i++) {
		other |= (uint32_t)(samples[i] >> 8) ^ (samples[i] & 255u);
		to[i] = (uint8_t)samples[i];
	}
	return !other;
}

size_t XC_PLANE_NAME(xc_plane_encode)(const void *samples, size_t width, size_t height,
                                      size_t bytes, void *scratch, uint8_t *out)
{
	const size_t n = width * height;
	uint8_t *planes = (uint8_t *)scratch + (n * bytes + 3) / 4 * 4 * sizeof(uint32_t) +
	                  XC_PLANE_TOUCHED;

	if (!memcmp(samples, (const uint8_t *)samples + bytes, (n - 1) * bytes))
		return encode_constant(samples, bytes, out);
	uint8_t *half = (uint8_t *)scratch + xc_plane_scratch(n, 1);
	if (bytes == 2 && halve(samples, n, half)) {
		*out = XC_PLANE_DOUBLED;
		return 1 + XC_PLANE_NAME(xc_plane_encode)(half, width, height, 1, scratch, out + 1);
	}
	const int planar = bytes == 1 ? predict8(samples, width, height, planes)
	                              : predict16(samples, width, height, planes);
	const size_t size = encode_residues(planes, n, bytes, planar, scratch, out);
	if (size <= n * bytes)
		return size;
	*out = XC_PLANE_RAW;
	return 1 + put_samples(samples, n, bytes, out + 1);
}
