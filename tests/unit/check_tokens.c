/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From coefficients to bits and back, 16 and 32 bits wide, at every SIMD level.  Tokens,
 * counts and bits are those of the plain description in this file, with one code of AC and
 * with one a context; decoding one stream or two at once gives the coefficients back, at their
 * points of reconstruction; damaged bits do no harm.
 */
#include <stdlib.h>
#include <string.h>

#include "src/container/segment.h"
#include "tests/support/bytes.h"
#include "tests/support/check.h"

enum { ROUNDS = 40 };

/* -------------------- coefficients, and how they become bits, described as plainly as possible */

enum { WIDE = 7, HIGH = 5, BLOCKS = WIDE * HIGH, KINDS = 14 };

/* Blocks in transposed order; the narrow ones are the same numbers for 8-bit pictures
 * and mean nothing for deep ones.  The last coefficient is a decoder's scratch. */
typedef struct picture {
	int32_t c[BLOCKS * 64 + 1];
	int16_t narrow[BLOCKS * 64 + 1];
} picture;

/* What a component is made of: symbols, each with value bits after it. */
typedef struct symbol {
	int ac;
	unsigned symbol, size, escape, context;
	int32_t value;
} symbol;

typedef struct description {
	symbol symbols[BLOCKS * 65];
	size_t count;
} description;

typedef struct bits {
	uint8_t byte[BLOCKS * XC_CODED_BLOCK_BYTES];
	size_t count;
} bits;

static uint64_t seed = 5;
static uint8_t zigzag[64]; /* position in the scan to horizontal * 8 + vertical frequency */

static uint32_t random_below(uint32_t n)
{
	return check_below(&seed, n);
}

/* Along the diagonals, up and down in turn (ITU-T T.81, figure A.6). */
static void make_zigzag(void)
{
	int k = 0;

	for (int d = 0; d < 15; d++) {
		for (int i = 0; i <= d; i++) {
			const int row = d % 2 ? i : d - i, column = d - row;
			if (row < 8 && column < 8)
				zigzag[k++] = (uint8_t)(column * 8 + row);
		}
	}
}

static int32_t random_value(int depth16, int kind)
{
	static const int32_t edges[] = {1, 31, 32, 33, 127, 128, 129, 2040};
	const int32_t sign = random_below(2) ? -1 : 1;

	if (kind % 3 == 0)
		return sign;
	if (kind % 3 == 1)
		return sign * edges[random_below(8)];
	const int32_t max = depth16 ? INT32_C(1) << (1 + random_below(23)) : 2040;
	return random_below(20) ? sign * (int32_t)(1 + random_below((uint32_t)max - 1)) : -max;
}

/* Empty, full and thin blocks, and single coefficients after every run of zeros. */
static void make_block(int32_t *c, int depth16, int kind, int number, int b)
{
	static const uint32_t density[] = {1, 3, 10, 30, 60, 97};

	memset(c, 0, 64 * sizeof *c);
	c[0] = (int32_t)random_below(depth16 ? 1 << 24 : 4080) - (depth16 ? 1 << 23 : 2040);
	if (kind == 1) {
		for (int k = 1; k < 64; k++)
			c[k] = random_value(depth16, number);
	} else if (kind == 2) {
		c[zigzag[1 + b]] = random_value(depth16, number);
	} else if (kind == 5) {
		c[zigzag[63 - b]] = random_value(depth16, number);
	} else if (kind == 3) {
		c[63] = random_value(depth16, number);
		c[zigzag[1 + random_below(62)]] = random_value(depth16, number);
	} else if (kind == 4) {
		/* Runs of 14 to 17, 30 to 33 ... zeros. */
		for (uint32_t k = 1 + random_below(18); k < 64; k += 15 + random_below(5))
			c[zigzag[k]] = random_value(depth16, number);
	} else if (kind >= 8) {
		for (int k = 1; k < 64; k++)
			if (random_below(100) < density[kind - 8])
				c[k] = random_value(depth16, number);
	}
}

/* Round r below KINDS has blocks of one kind, later ones a mixture. */
static void make_picture(picture *p, int depth16, int round)
{
	for (int b = 0; b < BLOCKS; b++) {
		const int kind = round < KINDS ? round : (int)random_below(KINDS);
		make_block(p->c + b * 64, depth16, kind, round, b);
		for (int k = 0; k < 64; k++)
			p->narrow[b * 64 + k] = (int16_t)p->c[b * 64 + k];
	}
}

static unsigned size_of(int32_t v)
{
	unsigned n = 0;

	for (uint32_t m = v < 0 ? 0u - (uint32_t)v : (uint32_t)v; m; m >>= 1)
		n++;
	return n;
}

static int32_t predicted_dc(const int32_t *c, int x, int y)
{
	const int32_t *here = c + (y * WIDE + x) * 64;
	const int32_t left = x ? here[-64] : 0, up = y ? here[-64 * WIDE] : 0;

	if (!x || !y)
		return left + up;
	const int32_t corner = here[-64 * (WIDE + 1)];
	if (corner >= (left > up ? left : up))
		return left < up ? left : up;
	if (corner <= (left < up ? left : up))
		return left > up ? left : up;
	return left + up - corner;
}

/* By the symbol before it in the block. */
static unsigned context_after(const symbol *before)
{
	if (!before->ac)
		return before->size < 3 ? 0 : 1;
	if (before->size > 1)
		return before->size > 2 ? 2 : 3;
	return before->size == 1 && before->symbol >> 4 == 0 ? 4 : 5;
}

static void add(description *d, int ac, unsigned run, int32_t value)
{
	const unsigned size = size_of(value);
	symbol *s = &d->symbols[d->count++];

	*s = (symbol){.ac = ac, .size = size, .value = value, .symbol = size};
	s->context = ac ? context_after(s - 1) : 0;
	if (ac) {
		s->symbol = run << 4 | (size < 15 ? size : 15);
		s->escape = size >= 15;
	}
}

static void describe(const int32_t *c, description *d)
{
	d->count = 0;
	for (int b = 0; b < BLOCKS; b++) {
		const int32_t *block = c + b * 64;
		unsigned run = 0;
		add(d, 0, 0, block[0] - predicted_dc(c, b % WIDE, b / WIDE));
		for (int k = 1; k < 64; k++) {
			const int32_t v = block[zigzag[k]];
			if (!v) {
				run++;
				continue;
			}
			for (; run > 15; run -= 16)
				add(d, 1, 15, 0);
			add(d, 1, run, v);
			run = 0;
		}
		if (run)
			add(d, 1, 0, 0);
	}
}

static void add_bits(bits *b, uint32_t value, unsigned n)
{
	for (; n; n--, b->count++) {
		if (b->count % 8 == 0)
			b->byte[b->count / 8] = 0;
		b->byte[b->count / 8] |= (uint8_t)((value >> (n - 1) & 1) << (7 - b->count % 8));
	}
}

/* A negative value is sent as the low bits of value - 1. */
static void write_bits(const description *d, const xc_code_set *codes, bits *out)
{
	out->count = 0;
	for (size_t i = 0; i < d->count; i++) {
		const symbol *s = &d->symbols[i];
		const xc_huffman_code *code = s->ac ? &codes->ac[codes->ac_code[s->context]] : &codes->dc;
		add_bits(out, code->code[s->symbol], code->length[s->symbol]);
		if (s->escape)
			add_bits(out, s->size - 15, 4);
		add_bits(out, (uint32_t)(s->value < 0 ? s->value - 1 : s->value), s->size);
	}
}

/* --------------------------------------------------------------------- tokens */

/* Room for tokens of either width and what goes with them. */
typedef struct coded {
	xc_tokens t;
	void *dc, *tokens;
	uint8_t *out;
} coded;

static void coded_init(coded *c)
{
	c->dc = xc_test_malloc(BLOCKS * sizeof(int32_t));
	c->tokens = xc_test_malloc((BLOCKS * XC_TOKENS_PER_BLOCK + XC_TOKEN_SLACK) * sizeof(uint32_t));
	c->out = xc_test_malloc(BLOCKS * XC_CODED_BLOCK_BYTES + XC_CODED_SLACK);
}

static void coded_free(coded *c)
{
	free(c->dc);
	free(c->tokens);
	free(c->out);
}

static void tokenize(const picture *p, int depth16, const xc_entropy_level *level, coded *c)
{
	const void *blocks = depth16 ? (const void *)p->c : p->narrow;
	level->predict_dc(blocks, WIDE, HIGH, c->dc);
	c->t = (xc_tokens){c->tokens, level->tokenize(blocks, c->dc, BLOCKS, c->tokens)};
}

static void expect(const coded *c, int depth16, size_t i, int64_t wanted)
{
	const uint32_t found = depth16 ? ((uint32_t *)c->tokens)[i] : ((uint16_t *)c->tokens)[i];
	CHECK(found == (depth16 ? (uint32_t)wanted : (uint16_t)wanted), "token %zu: %x for %llx", i,
	      found, (unsigned long long)wanted);
}

/* As entropy/tokens.h describes them. */
static void check_tokens(const coded *c, int depth16, const description *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++) {
		const symbol *s = &d->symbols[i];
		const int64_t v = s->value;
		if (s->ac) {
			expect(c, depth16, n++, (v > 31 ? v + 47 : v + 32) * 16 + (s->symbol >> 4));
		} else if (v >= -119 && v <= 119) {
			expect(c, depth16, n++, v + 1143);
		} else {
			expect(c, depth16, n++, 1263);
			expect(c, depth16, n++, v);
		}
	}
	CHECK(c->t.count == n, "not %zu tokens", n);
}

/* Counts of symbols, with one context or all of them, and the codes made for them. */
static void check_counts(const coded *c, const xc_entropy_level *level, const description *d,
                         int several, xc_code_set *codes)
{
	static xc_token_contexts contexts;
	xc_symbol_counts found = {{0}, {{0}}}, wanted = {{0}, {{0}}};
	xc_token_counts *counts = calloc(XC_AC_CONTEXTS, sizeof *counts);

	REQUIRE(counts, "no memory");
	xc_token_contexts_init(&contexts);
	level->count(&c->t, several ? &contexts : NULL, counts);
	for (int i = 0; i < (several ? XC_AC_CONTEXTS : 1); i++)
		xc_token_counts_fold(&counts[i], found.dc, found.ac[i]);
	free(counts);
	for (size_t i = 0; i < d->count; i++) {
		const symbol *s = &d->symbols[i];
		(s->ac ? wanted.ac[several ? s->context : 0] : wanted.dc)[s->symbol]++;
	}
	CHECK(!memcmp(found.dc, wanted.dc, sizeof wanted.dc), "counts of DC");
	for (int k = 0; k < XC_AC_CONTEXTS; k++)
		for (int s = 0; s < XC_AC_SYMBOLS; s++)
			CHECK(found.ac[k][s] == wanted.ac[k][s],
			      "context %d, symbol %02x: %llu instead of %llu", k, s,
			      (unsigned long long)found.ac[k][s], (unsigned long long)wanted.ac[k][s]);
	xc_code_set_build(codes, &wanted, several ? XC_AC_CONTEXTS : 1);
	CHECK(several || codes->ac_codes == 1, "%u codes", codes->ac_codes);
}

/* Returns the number of bytes written to c->out. */
static size_t check_bits(const coded *c, const xc_entropy_level *level, const description *d,
                         const xc_code_set *codes)
{
	static xc_token_contexts contexts;
	static xc_coder coder;
	static bits wanted;
	xc_bit_writer w = {.next = c->out};

	xc_token_contexts_init(&contexts);
	xc_coder_init(&coder, codes, &contexts);
	level->code(&w, &c->t, &coder);
	const size_t found = (size_t)(w.next - c->out) * 8 + w.count;
	const size_t size = (size_t)(xc_bit_writer_finish(&w) - c->out);
	write_bits(d, codes, &wanted);
	CHECK(found == wanted.count, "%zu bits instead of %zu", found, wanted.count);
	CHECK(size == (wanted.count + 7) / 8, "%zu bytes for %zu bits", size, wanted.count);
	CHECK(!memcmp(c->out, wanted.byte, size), "other bits");
	return size;
}

/* What comes back: sixteenths of a step, at their points of reconstruction. */
static void reconstruct(const picture *p, xc_value_points points, picture *out)
{
	for (int i = 0; i < BLOCKS * 64; i++) {
		const int32_t v = p->c[i], magnitude = v < 0 ? -v : v;
		const int32_t off = i % 64 == 0 || !v ? 0 : magnitude == 1 ? points.one : points.more;
		out->c[i] = v < 0 ? -(16 * magnitude - off) : 16 * magnitude - off;
		out->narrow[i] = (int16_t)out->c[i];
	}
}

/* ------------------------------------------------------------------- decoding */

/* Bytes of exactly this size (ASan sees a read past them) or with more after them. */
static uint8_t *copy_bytes(const uint8_t *from, size_t size, size_t more)
{
	uint8_t *p = xc_test_malloc(size + more);

	memcpy(p, from, size);
	memset(p + size, 0xff, more);
	return p;
}

static int decode_depth16(const uint8_t *data, size_t size, size_t more,
                          const xc_decode_tables *tables, int32_t *out)
{
	xc_stream32 s = {0};

	memset(out, 0x5a, BLOCKS * 64 * sizeof *out);
	xc_bit_reader_init(&s.reader, data, size, data + size + more);
	xc_stream_begin(&s, tables, out, BLOCKS);
	xc_stream_finish32(&s);
	xc_restore_dc32(out, WIDE, HIGH);
	return !s.bad && xc_bit_reader_at_end(&s.reader);
}

/* The same bytes at once in two streams of which the second has fewer blocks, and so
 * cannot be at the end of its bytes. */
static int narrow_decode(const xc_entropy_level *level, const uint8_t *data, size_t size,
                         size_t more, const xc_decode_tables *tables, int16_t *out, int16_t *other,
                         int fewer)
{
	xc_stream16 a = {0}, b = {0};

	memset(out, 0x5a, BLOCKS * 64 * sizeof *out);
	memset(other, 0x5a, BLOCKS * 64 * sizeof *other);
	xc_bit_reader_init(&a.reader, data, size, data + size + more);
	xc_bit_reader_init(&b.reader, data, size, data + size + more);
	xc_stream_begin(&a, tables, out, BLOCKS);
	xc_stream_begin(&b, tables, other, BLOCKS - fewer * WIDE);
	if (fewer < HIGH)
		level->run_two(&a, &b);
	level->finish(&a);
	level->finish(&b);
	xc_restore_dc16(out, WIDE, HIGH);
	xc_restore_dc16(other, WIDE, (uint32_t)(HIGH - fewer));
	return !a.bad && xc_bit_reader_at_end(&a.reader);
}

static xc_dc_only_table dc_only[XC_DECODE_TABLES];

/* Skimming finds the same DCs, and the same faults. */
static void check_dc_only(const xc_entropy_level *level, int depth16, const uint8_t *bytes,
                          size_t size, size_t more, const xc_decode_tables *tables,
                          const picture *whole, int good, int fewer)
{
	int32_t room[2][BLOCKS];
	xc_dc_only s[2] = {{.bad = 0}, {.bad = 0}};

	for (int i = 0; i < 2; i++) {
		xc_bit_reader_init(&s[i].reader, bytes, size, bytes + size + more);
		xc_dc_only_begin(&s[i], tables, (const xc_dc_only_table *)dc_only, room[i],
		                 (size_t)(i ? BLOCKS - fewer * WIDE : BLOCKS) * level->width);
	}
	if (level->dc_only_two && fewer < HIGH)
		level->dc_only_two(&s[0], &s[1]);
	for (int i = 0; i < 2; i++) {
		const int high = i ? HIGH - fewer : HIGH;
		level->dc_only_finish(&s[i]);
		level->restore_dc_only(room[i], WIDE, (uint32_t)high);
		for (int b = 0; b < high * WIDE; b++)
			CHECK(depth16 ? room[i][b] == whole->c[b * 64]
			              : ((int16_t *)room[i])[b] == whole->narrow[b * 64],
			      "DC of block %d", b);
	}
	CHECK(good == (!s[0].bad && xc_bit_reader_at_end(&s[0].reader)), "DCs alone: not %d", good);
}

/* Decodes `size` bytes of coded data at the level; 1: complete and without fault. */
static int decode(const xc_entropy_level *level, int depth16, const uint8_t *bytes, size_t size,
                  size_t more, const xc_decode_tables *tables, picture *out, int fewer)
{
	if (depth16) {
		const int good = decode_depth16(bytes, size, more, tables, out->c);
		check_dc_only(level, depth16, bytes, size, more, tables, out, good, fewer);
		return good;
	}
	OWN_MEMORY int16_t *other = xc_test_malloc((BLOCKS * 64 + 1) * sizeof *other);
	const int good = narrow_decode(level, bytes, size, more, tables, out->narrow, other, fewer);
	CHECK(!good || !memcmp(other, out->narrow, (size_t)(HIGH - fewer) * WIDE * 128),
	      "two at once differ");
	check_dc_only(level, depth16, bytes, size, more, tables, out, good, fewer);
	return good;
}

static void check_decoding(const picture *p, int depth16, const xc_entropy_level *level,
                           const uint8_t *out, size_t size, const xc_decode_tables *tables)
{
	static picture back;

	for (int fewer = 0; fewer <= HIGH; fewer++) {
		const size_t more = fewer % 2 ? 0 : 100;
		uint8_t *bytes = copy_bytes(out, size, more);
		CHECK(decode(level, depth16, bytes, size, more, tables, &back, fewer), "%zu bytes", size);
		CHECK(depth16 ? !memcmp(back.c, p->c, BLOCKS * 64 * sizeof *p->c)
		              : !memcmp(back.narrow, p->narrow, BLOCKS * 64 * sizeof *p->narrow),
		      "other coefficients, %d rows fewer", fewer);
		/* One byte less or more is noticed. */
		CHECK(!decode(level, depth16, bytes, size - 1, more, tables, &back, fewer), "cut off");
		free(bytes);
		bytes = copy_bytes(out, size, 1);
		bytes[size] = 0;
		CHECK(!decode(level, depth16, bytes, size + 1, 0, tables, &back, fewer), "a byte more");
		free(bytes);
	}
}

static void check_damage(int depth16, const xc_entropy_level *level, const uint8_t *out,
                         size_t size, const xc_decode_tables *tables)
{
	static picture back;

	for (int i = 0; i < 10; i++) {
		const size_t n = i < 5 ? size : random_below((uint32_t)size + 1);
		OWN_MEMORY uint8_t *bytes = copy_bytes(out, n, 1);
		for (size_t flips = n ? 1 + random_below(5) : 0; flips; flips--)
			bytes[random_below((uint32_t)n)] ^= (uint8_t)(1 + random_below(255));
		for (size_t k = 0; i % 5 == 4 && k < n; k++)
			bytes[k] = (uint8_t)random_below(256);
		decode(level, depth16, bytes, n, 0, tables, &back, i % HIGH);
	}
}

/* ---------------------------------------------------------------------- cases */

static void back_again(int depth16, const xc_entropy_level *level)
{
	static picture p, back;
	static description d;
	static xc_decode_tables tables;
	coded c;

	coded_init(&c);
	for (int round = 0; round < ROUNDS; round++) {
		xc_huffman_code built_in[2];
		xc_code_set sets[3];
		make_picture(&p, depth16, round);
		describe(p.c, &d);
		tokenize(&p, depth16, level, &c);
		check_tokens(&c, depth16, &d);
		for (int several = 0; several < 2; several++)
			check_counts(&c, level, &d, several, &sets[several]);
		for (int ac = 0; ac < 2; ac++)
			xc_huffman_default(&built_in[ac], ac, round % 2);
		xc_code_set_single(&sets[2], &built_in[0], &built_in[1]);
		for (int i = 0; i < 3; i++) {
			const xc_value_points points = {(int8_t)((int)random_below(15) - 7),
			                                (int8_t)((int)random_below(15) - 7)};
			const size_t size = check_bits(&c, level, &d, &sets[i]);
			xc_decode_tables_init(&tables, &sets[i], points);
			xc_dc_only_tables_init(dc_only, &sets[i], &tables);
			reconstruct(&p, points, &back);
			check_decoding(&back, depth16, level, c.out, size, &tables);
			check_damage(depth16, level, c.out, size, &tables);
		}
	}
	coded_free(&c);
}

int main(void)
{
	make_zigzag();
	check_begin("32 bits");
	back_again(1, xc_entropy_level_get(XC_CPU_SCALAR, 1));
	check_end();
	for (int cpu = 0; cpu < XC_CPU_LEVELS; cpu++) {
		if (!xc_cpu_usable((xc_cpu)cpu))
			continue;
		check_begin("16 bits: %s", xc_cpu_name((xc_cpu)cpu));
		back_again(0, xc_entropy_level_get((xc_cpu)cpu, 0));
		check_end();
	}
	return check_done();
}
