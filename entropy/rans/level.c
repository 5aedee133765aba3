/* SPDX-License-Identifier: BSD-2-Clause */
/* The coder of the rANS mode for one SIMD level, and the table of its functions. The makefile
 * compiles this file and decode.c once per level and sets XC_RANS, the name of the table.
 * src/encode/tiles.c calls it. The contexts of all symbols are recorded forwards, then the symbols
 * are coded backwards. State of coding: a state of 32 bits for each lane. Bound: a step makes at
 * most STEP_RECORDS records of one word for each lane; xc_rans_scratch() counts them. */
#include "entropy/rans/rans.h"

#include "entropy/points.h"
#include "entropy/rans/lanes.h"
#include "entropy/rans/raw.h"
#include "entropy/scan.h"
#include "entropy/tokens.h"

/* The symbols at one position in up to sixteen blocks, to be coded in reverse order. */
typedef struct record {
	uint8_t context[XC_RANS_LANES]; /* level << 4 | symbol */
	uint16_t mask;
	uint8_t chroma, set;
} record;

enum { STEP_RECORDS = 64 + XC_RANS_ZONES };

/* A segment being recorded. */
typedef struct way {
	xc_rans_wavefront wavefront;
	uint8_t *symbols;
	record *record; /* the next one */
} way;

#ifdef __AVX512VBMI2__

XC_RANS_INLINE xc_v16b levels_of(const xc_rans_set *set, xc_v16 bin)
{
	return (xc_v16b)_mm256_cvtepi16_epi8(_mm256_slli_epi16((__m256i)levels_at(set, bin), 4));
}

#else

XC_RANS_INLINE xc_v16b levels_of(const xc_rans_set *set, xc_v16 bin)
{
	xc_v16b levels;

	for (int i = 0; i < XC_RANS_LANES; i++)
		levels[i] = (uint8_t)(set->level[bin[i]] << 4);
	return levels;
}

#endif

XC_RANS_INLINE void put_record(way *c, int set, xc_v16 bin, uint32_t mask, xc_v16 symbols)
{
	record *r = c->record++;
	const xc_v16b context = levels_of(&c->wavefront.tables->set[c->wavefront.chroma][set], bin) |
	                        __builtin_convertvector(symbols, xc_v16b);

	memcpy(r->context, &context, sizeof context);
	r->mask = (uint16_t)mask;
	r->chroma = (uint8_t)c->wavefront.chroma;
	r->set = (uint8_t)set;
}

XC_RANS_INLINE void record_zone(way *c, int zone, uint32_t active)
{
	static const uint8_t first[] = XC_RANS_ZONE_TABLE, range[] = XC_RANS_RANGE_TABLE;
	const xc_v16 *now = c->wavefront.now.at;
	const xc_v16 some = (xc_v16)(now[XC_RANS_SUMS + zone] != 0);
	const uint32_t mask = active & mask_of(some);

	put_record(c, XC_RANS_FLAG_SET + zone, expect_flag(&c->wavefront, zone, first[zone]), active,
	           some & splat(1));
	for (int k = first[zone]; mask && k < first[zone + 1]; k++) {
		const xc_rans_template *tmpl = &c->wavefront.tables->templates[k];
		put_record(c, k >= range[1], expect_ac(&c->wavefront, tmpl), mask, now[tmpl->raster]);
	}
}

XC_RANS_INLINE void sum_zones(xc_rans_wavefront *wavefront)
{
	static const uint8_t first[] = XC_RANS_ZONE_TABLE;

	for (int g = 0; g < XC_RANS_ZONES; g++) {
		xc_v16 total = {0};
		for (int k = first[g]; k < first[g + 1]; k++)
			total += wavefront->now.at[wavefront->tables->templates[k].raster];
		wavefront->now.at[XC_RANS_SUMS + g] = total;
	}
}

XC_RANS_INLINE void record_rows(way *c, const xc_rans_zone *g)
{
	memset(&c->wavefront.now, 0, sizeof c->wavefront.now);
	for (uint32_t step = 0; step < g->steps; step++) {
		const uint32_t active = xc_rans_active(g, step);
		wavefront_advance(&c->wavefront, g->top, beginning(g, step));
		load_blocks(&c->wavefront.now, g, step, active, c->symbols);
		sum_zones(&c->wavefront);
		put_record(c, XC_RANS_DC_SET, expect_dc(&c->wavefront), active, c->wavefront.now.at[0]);
		for (int zone = 0; zone < XC_RANS_ZONES; zone++)
			record_zone(c, zone, active);
	}
}

/* Records the symbols of luma, and then of both components of chroma, with their contexts. */
XC_RANS_INLINE void record_segment(way *c, const xc_rans_shape *shape)
{
	for (int chroma = 0; chroma < (shape->components > 1 ? 2 : 1); chroma++) {
		const uint32_t wide = shape->wide[chroma], high = shape->high[chroma];
		wavefront_begin(&c->wavefront, chroma);
		for (uint32_t row = 0, components = chroma ? 2 : 1; row < high * components;) {
			xc_rans_zone g;
			row = xc_rans_zone_at(&g, row, wide, high, components, &shape->first[chroma]);
			record_rows(c, &g);
		}
	}
}

/* --------------------------------------------- from coefficients to a segment */

/* The parts of the scratch: symbols, records, words and raw bits. */
typedef struct scratch {
	uint8_t *symbols;
	record *records;
	uint16_t *words_end;
	uint8_t *raw;
	void *dc; /* differences of a component; they may lie where the words will */
} scratch;

static scratch scratch_of(const xc_rans_shape *shape, void *memory)
{
	scratch s;
	const size_t n = shape->blocks;
	uint8_t *next = memory;

	s.symbols = next;
	next += n * 64;
	s.records = (record *)next;
	next += xc_rans_steps(shape) * STEP_RECORDS * sizeof(record);
	next = (uint8_t *)memory + (((size_t)(next - (uint8_t *)memory) + 63) & ~(size_t)63);
	s.dc = next;
	next += n * STEP_RECORDS * 2 + 64;
	s.words_end = (uint16_t *)(next - 64);
	s.raw = next;
	return s;
}

static void put_signs(xc_raw_writer *w, uint64_t signs, unsigned n)
{
	xc_raw_put(w, signs & 0xffffffff, n < 32 ? n : 32);
	if (n > 32)
		xc_raw_put(w, signs >> 32, n - 32);
}

/* Appends the raw bits of a magnitude. */
static void put_class(xc_raw_writer *w, uint32_t magnitude)
{
	const unsigned bits = xc_rans_class_bits(magnitude);

	if (bits >= XC_RANS_ESCAPE_MIN)
		xc_raw_put(w, bits - XC_RANS_ESCAPE_MIN, XC_RANS_ESCAPE_BITS);
	xc_raw_put(w, magnitude - 7 - (UINT32_C(1) << bits), bits);
}

#ifdef __AVX512VBMI2__

/* The symbols of 32 magnitudes, which count the classes that begin at or below each. */
XC_RANS_INLINE __m512i classify(__m512i magnitude)
{
	const __m512i one = _mm512_set1_epi16(1);
	__m512i s = _mm512_min_epu16(magnitude, _mm512_set1_epi16(8));

	for (int bits = 1; bits <= XC_RANS_ESCAPE_MIN; bits++) {
		const __m512i first = _mm512_set1_epi16((short)(7 + (1 << bits)));
		s = _mm512_mask_add_epi16(s, _mm512_cmpge_epu16_mask(magnitude, first), s, one);
	}
	return s;
}

static void take_block16(xc_raw_writer *w, const int16_t *block, int32_t dc, uint8_t symbols[64])
{
	__m512i low = _mm512_loadu_si512(block), high = _mm512_loadu_si512(block + 32);

	low = _mm512_mask_set1_epi16(low, 1, (int16_t)dc);
	const __m512i a = _mm512_abs_epi16(low), b = _mm512_abs_epi16(high);
	const __m512i eight = _mm512_set1_epi16(8);
	uint64_t large = (uint64_t)_mm512_cmpgt_epu16_mask(b, eight) << 32 |
	                 _mm512_cmpgt_epu16_mask(a, eight);
	const uint64_t negative = (uint64_t)_mm512_movepi16_mask(high) << 32 |
	                          _mm512_movepi16_mask(low);
	const uint64_t some = (uint64_t)_mm512_test_epi16_mask(b, b) << 32 |
	                      _mm512_test_epi16_mask(a, a);
	put_signs(w, _pext_u64(negative, some), (unsigned)__builtin_popcountll(some));
	if (__builtin_expect(!large, 1)) {
		_mm256_storeu_si256((__m256i *)symbols, _mm512_cvtepi16_epi8(a));
		_mm256_storeu_si256((__m256i *)(symbols + 32), _mm512_cvtepi16_epi8(b));
		return;
	}
	_mm256_storeu_si256((__m256i *)symbols, _mm512_cvtepi16_epi8(classify(a)));
	_mm256_storeu_si256((__m256i *)(symbols + 32), _mm512_cvtepi16_epi8(classify(b)));
	uint16_t magnitude[64];
	_mm512_storeu_si512(magnitude, a);
	_mm512_storeu_si512(magnitude + 32, b);
	for (; large; large &= large - 1)
		put_class(w, magnitude[__builtin_ctzll(large)]);
}

#endif

/* Turns a block into symbols and raw bits; dc replaces its DC. */
XC_RANS_INLINE void take_block(xc_raw_writer *w, const void *block, int32_t dc, uint8_t symbols[64],
                               const int depth16)
{
#ifdef __AVX512VBMI2__
	if (!depth16) {
		take_block16(w, block, dc, symbols);
		return;
	}
#endif
	int32_t value[64];
	uint8_t capped[64];
	for (int i = 0; i < 64; i++)
		value[i] = xc_coefficient(block, (size_t)i, depth16);
	value[0] = dc;
	for (int i = 0; i < 64; i++) {
		const int32_t m = value[i] < 0 ? -value[i] : value[i];
		capped[i] = (uint8_t)(m < XC_RANS_FIRST_CLASS ? m : XC_RANS_FIRST_CLASS);
	}
	memcpy(symbols, capped, sizeof capped);
	masks m = masks_of(capped);
	uint64_t signs = 0;
	unsigned n = 0;
	for (uint64_t some = m.some; some; some &= some - 1, n++)
		signs |= (uint64_t)(value[__builtin_ctzll(some)] < 0) << n;
	put_signs(w, signs, n);
	for (; m.large; m.large &= m.large - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(m.large);
		const uint32_t magnitude = (uint32_t)(value[i] < 0 ? -value[i] : value[i]);
		symbols[i] = (uint8_t)xc_rans_symbol(magnitude);
		put_class(w, magnitude);
	}
}

/* Makes the symbols and raw bits of all blocks; returns the end of the raw bits. */
XC_RANS_INLINE uint8_t *take_blocks(const xc_rans_shape *shape, const void *blocks,
                                    const scratch *s, const int depth16)
{
	xc_raw_writer w = {.next = s->raw};

	for (int i = 0; i < shape->components; i++) {
		const size_t n = (size_t)shape->wide[i] * shape->high[i], bytes = depth16 ? 256 : 128;
		const uint8_t *first = (const uint8_t *)blocks + shape->first[i] * bytes;
		uint8_t *symbols = s->symbols + (size_t)shape->first[i] * 64;
		if (depth16)
			xc_predict_dc32(first, shape->wide[i], shape->high[i], s->dc);
		else
			xc_predict_dc16(first, shape->wide[i], shape->high[i], s->dc);
		for (size_t b = 0; b < n; b++) {
			const int32_t dc = xc_coefficient(s->dc, b, depth16);
			take_block(&w, first + b * bytes, dc, symbols + b * 64, depth16);
		}
	}
	return w.next + (w.count != 0);
}

/* ------------------------------------------------------- states, from the last to the first */

#ifdef __AVX512VBMI2__

/* The states of eight lanes each, as numbers of 64 bits. */
typedef struct states {
	__m512i of[2];
} states;

/* Finds the smallest slots and the frequencies of symbols in their contexts. */
XC_RANS_INLINE void find_ranges(const xc_rans_set *set, const record *r, __m256i *min_v16,
                                __m256i *frequency)
{
	const __m256i context = _mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)r->context));
	const __m256i level = _mm256_srli_epi16(context, 4), fifteen = _mm256_set1_epi16(15);
	/* The quarter of the sixteen symbols and the level are where slots lie. */
	const __m256i quarter = _mm256_slli_epi16(context, 2);
	const __m512i at = _mm512_castsi256_si512(
		_mm256_ternarylogic_epi32(fifteen, level, quarter, 0xca));
	const __mmask16 odd = _mm256_test_epi16_mask(context, _mm256_set1_epi16(1));
	const __mmask16 upper = _mm256_test_epi16_mask(context, _mm256_set1_epi16(2));
	__m256i slot[5];
#pragma GCC unroll 5
	for (int i = 0; i < 5; i++)
		slot[i] = _mm512_castsi512_si256(
			_mm512_permutex2var_epi16(_mm512_loadu_si512(set->slot[i][0]), at,
		                              _mm512_loadu_si512(set->slot[i][2])));
	const __m256i low = _mm256_mask_mov_epi16(_mm256_mask_mov_epi16(slot[0], odd, slot[1]), upper,
	                                          _mm256_mask_mov_epi16(slot[2], odd, slot[3]));
	const __m256i high = _mm256_mask_mov_epi16(_mm256_mask_mov_epi16(slot[1], odd, slot[2]), upper,
	                                           _mm256_mask_mov_epi16(slot[3], odd, slot[4]));
	*min_v16 = low;
	*frequency = _mm256_sub_epi16(high, low);
}

/* A reciprocal of the frequency that is too large by less than 2^-39 of itself. No quotient of a
 * state below 2^32 reaches the next integer by that. r is off by e, and 1 + e + e^2 corrects it. */
XC_RANS_INLINE __m512d reciprocal_of(__m512i frequency)
{
	const __m512d f = _mm512_cvtepi64_pd(frequency), r = _mm512_rcp14_pd(f);
	const __m512d e = _mm512_fnmadd_pd(f, r, _mm512_set1_pd(1 + 0x1p-40));
	return _mm512_fmadd_pd(r, _mm512_fmadd_pd(e, e, e), r);
}

/* Encodes the symbols of eight lanes. Sets *full to the lanes that first output their lower half,
 * and returns the old states. */
XC_RANS_INLINE __m128i rans_encode_half(__m512i *state, __m128i min_v16, __m128i frequency,
                                        __mmask8 mask, __mmask8 *full)
{
	const __m512i f = _mm512_cvtepu16_epi64(frequency), slot = _mm512_cvtepu16_epi64(min_v16);
	const __m512d reciprocal = reciprocal_of(f), large = _mm512_set1_pd(0x1p52);
	const __m512i old = *state;

	*full = _mm512_mask_cmpge_epu64_mask(mask, old, _mm512_slli_epi64(f, 32 - XC_RANS_BITS));
	const __m512i x = _mm512_mask_srli_epi64(old, *full, old, 16);
	/* The quotient is in the lower half of this number. */
	const __m512d q = _mm512_fmadd_round_pd(_mm512_cvtepi64_pd(x), reciprocal, large,
	                                        _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
	/* x + q (2^12 - f) + the least slot */
	const __m512i more = _mm512_mul_epu32(_mm512_castpd_si512(q),
	                                      _mm512_sub_epi64(_mm512_set1_epi64(XC_RANS_ONE), f));
	*state = _mm512_mask_add_epi64(old, mask, _mm512_add_epi64(x, slot), more);
	return _mm512_cvtepi64_epi16(old);
}

XC_RANS_INLINE uint16_t *rans_encode(states *s, const xc_rans_tables *tables, const record *r,
                                     uint16_t *words)
{
	__m256i min_v16, frequency;
	__mmask8 full[2];

	find_ranges(&tables->set[r->chroma][r->set], r, &min_v16, &frequency);
	const __m128i low = rans_encode_half(&s->of[0], _mm256_castsi256_si128(min_v16),
	                                     _mm256_castsi256_si128(frequency), (__mmask8)r->mask,
	                                     &full[0]);
	const __m128i high = rans_encode_half(&s->of[1], _mm256_extracti128_si256(min_v16, 1),
	                                      _mm256_extracti128_si256(frequency, 1),
	                                      (__mmask8)(r->mask >> 8), &full[1]);
	const __mmask16 all = (__mmask16)(full[0] | full[1] << 8);
	const int n = __builtin_popcount(all);
	words -= n;
	_mm256_mask_storeu_epi16(words, (__mmask16)((1u << n) - 1),
	                         _mm256_maskz_compress_epi16(all, _mm256_set_m128i(high, low)));
	return words;
}

XC_RANS_INLINE uint16_t *rans_encode_all(uint32_t state[XC_RANS_LANES],
                                         const xc_rans_tables *tables, const record *first,
                                         const record *end, uint16_t *words)
{
	states s;

	for (int i = 0; i < 2; i++)
		s.of[i] = _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(state + 8 * i)));
	while (end > first)
		words = rans_encode(&s, tables, --end, words);
	for (int i = 0; i < 2; i++)
		_mm256_storeu_si256((__m256i *)(state + 8 * i), _mm512_cvtepi64_epi32(s.of[i]));
	return words;
}

#else

static uint16_t *rans_encode(uint32_t *state, const xc_rans_tables *tables, const record *r,
                             uint16_t *words)
{
	const uint32_t *ranges = tables->set[r->chroma][r->set].range;

	for (uint32_t mask = r->mask; mask;) {
		const unsigned lane = 31 - (unsigned)__builtin_clz(mask);
		const uint32_t range = ranges[r->context[lane]], f = range & 0xffff;
		uint32_t x = state[lane];
		mask ^= 1u << lane;
		if (x >> (32 - XC_RANS_BITS) >= f) {
			*--words = (uint16_t)x;
			x >>= 16;
		}
		state[lane] = x + x / f * (XC_RANS_ONE - f) + (range >> 16);
	}
	return words;
}

static uint16_t *rans_encode_all(uint32_t state[XC_RANS_LANES], const xc_rans_tables *tables,
                                 const record *first, const record *end, uint16_t *words)
{
	while (end > first)
		words = rans_encode(state, tables, --end, words);
	return words;
}

#endif

XC_RANS_INLINE size_t encode(const xc_rans_tables *tables, const xc_rans_shape *shape,
                             const void *blocks, void *memory, uint8_t *out, const int depth16)
{
	const scratch s = scratch_of(shape, memory);
	const uint32_t lanes = lanes_used(shape);
	uint8_t *raw_end = take_blocks(shape, blocks, &s, depth16), *raw = s.raw + 2 * lanes;

	memset(raw_end, 0, XC_RANS_CARRIED);
	way c = {.wavefront = {.tables = tables}, .symbols = s.symbols, .record = s.records};
	record_segment(&c, shape);
	uint32_t state[XC_RANS_LANES];
	for (uint32_t i = 0; i < XC_RANS_LANES; i++)
		state[i] = UINT32_C(1) << XC_RANS_STATE_BITS | s.raw[2 * i] |
		           (uint32_t)s.raw[2 * i + 1] << 8;
	uint16_t *words = rans_encode_all(state, tables, s.records, c.record, s.words_end);
	uint8_t *next = out;
	for (uint32_t i = 0; i < lanes; i++)
		for (int byte = 0; byte < 4; byte++)
			*next++ = (uint8_t)(state[i] >> 8 * byte);
	for (; words < s.words_end; words++) {
		*next++ = (uint8_t)*words;
		*next++ = (uint8_t)(*words >> 8);
	}
	if (raw < raw_end) {
		memcpy(next, raw, (size_t)(raw_end - raw));
		next += raw_end - raw;
	}
	return (size_t)(next - out);
}

static size_t encode16(const xc_rans_tables *tables, const xc_rans_shape *shape, const void *blocks,
                       void *memory, uint8_t *out)
{
	return encode(tables, shape, blocks, memory, out, 0);
}

static size_t encode32(const xc_rans_tables *tables, const xc_rans_shape *shape, const void *blocks,
                       void *memory, uint8_t *out)
{
	return encode(tables, shape, blocks, memory, out, 1);
}

XC_RANS_INLINE void count(const xc_rans_tables *tables, const xc_rans_shape *shape,
                          const void *blocks, void *memory, xc_rans_counts *counts,
                          const int depth16)
{
	const scratch s = scratch_of(shape, memory);

	take_blocks(shape, blocks, &s, depth16);
	way c = {.wavefront = {.tables = tables}, .symbols = s.symbols, .record = s.records};
	record_segment(&c, shape);
	for (const record *r = s.records; r < c.record; r++)
		for (uint32_t mask = r->mask; mask; mask &= mask - 1)
			counts->of[r->chroma][r->set][r->context[__builtin_ctz(mask)]]++;
}

static void count16(const xc_rans_tables *tables, const xc_rans_shape *shape, const void *blocks,
                    void *memory, xc_rans_counts *counts)
{
	count(tables, shape, blocks, memory, counts, 0);
}

static void count32(const xc_rans_tables *tables, const xc_rans_shape *shape, const void *blocks,
                    void *memory, xc_rans_counts *counts)
{
	count(tables, shape, blocks, memory, counts, 1);
}

const xc_rans_level XC_RANS[2] = {
	{XC_OF_ENCODER(encode16), XC_OF_ENCODER(count16), XC_RANS_OF(decode16)},
	{XC_OF_ENCODER(encode32), XC_OF_ENCODER(count32), XC_RANS_OF(decode32)},
};
