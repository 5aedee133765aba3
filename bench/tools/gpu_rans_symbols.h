/* SPDX-License-Identifier: BSD-2-Clause */
/* From segments to symbols, a warp.  Part of bench/tools/gpu_rans. */
#ifndef XC_BENCH_GPU_RANS_SYMBOLS_H
#define XC_BENCH_GPU_RANS_SYMBOLS_H

#include "bench/tools/gpu_rans.h"

/* ------------------------------------------------------------- the symbols of a warp */

typedef struct lane {
	uint32_t state, next; /* next: the state that the symbol leads to */
	uint32_t half, lower,
		bit; /* lanes of this half of the warp, those of them below this one, this */
	const uint8_t *words;
	uint8_t *own, *left, *up; /* columns */
	uint32_t *packed;
	const segment *s;
	uint32_t wide, lag, top, listed, block; /* of the row */
	uint32_t active, coded;                 /* coded: it has symbols in this group */
	uint32_t part, previous, symbol, sum, pack;
	uint32_t kept, kept_left, kept_up; /* sums of groups of neighbours, at most 2, two bits each */
} lane;

/* Runs a function for each lane; tells in which ones it gives something other than 0. */
typedef struct team {
#ifdef __CUDACC__
	lane l;
	template <class F> __device__ __forceinline__ void each(F f)
	{
		f(l);
	}
	template <class F> __device__ __forceinline__ uint32_t ballot(F f)
	{
		return __ballot_sync(~0u, f(l));
	}
	template <class F> __device__ __forceinline__ uint32_t most(F f)
	{
		return __reduce_max_sync(~0u, f(l));
	}
	__device__ __forceinline__ void take_upper_sums()
	{
		const uint32_t above = __shfl_up_sync(~0u, l.kept, 1);
		l.kept_up = l.top ? l.kept : above;
	}
	__device__ __forceinline__ void wait()
	{
		__syncwarp();
	}
#else
	lane of[WARP];
	template <class F> void each(F f)
	{
		for (lane &l : of)
			f(l);
	}
	template <class F> uint32_t ballot(F f)
	{
		uint32_t mask = 0;
		for (int i = 0; i < WARP; i++)
			mask |= (uint32_t)(f(of[i]) != 0) << i;
		return mask;
	}
	template <class F> uint32_t most(F f)
	{
		uint32_t most = 0;
		for (lane &l : of)
			most = f(l) > most ? f(l) : most;
		return most;
	}
	void take_upper_sums()
	{
		for (int i = 0; i < WARP; i++)
			of[i].kept_up = of[i].top ? of[i].kept : of[i - 1].kept;
	}
	void wait()
	{
	}
#endif
} team;

DEVICE uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

DEVICE uint32_t bin_of(uint32_t sum)
{
	return least(sum >> XC_RANS_EXPECT_SHIFT, XC_RANS_BINS - 1);
}

DEVICE uint32_t kept_sum(uint32_t kept, int group)
{
	return kept >> 2 * group & 3;
}

/* Finds the symbol of the state.  For all symbols at once, in halves of words: how far the slot is
 * from the symbol's least one, times 16, with the symbol in the low bits.  The smallest number
 * is that of the symbol, the largest, which wrapped around, that of the one after it. */
DEVICE void find_symbol(lane &l, const symbol_rows &rows, uint32_t sum)
{
	const uint32_t bin = bin_of(sum), slot = l.state % XC_RANS_ONE;
	const four a = rows.low[bin], b = rows.high[bin];
	const uint32_t whole = (16 * slot + 15) * 0x10001u;
	uint32_t low = whole, high = whole - 0x000f000fu;
#pragma unroll
	for (int i = 0; i < 4; i++) {
		low = add_min(a.word[i], whole, low);
		high = add_max(a.word[i], whole, high);
	}
#pragma unroll
	for (int i = 0; i < 4; i++) {
		low = add_min(b.word[i], whole, low);
		high = add_max(b.word[i], whole, high);
	}
	low = least(low & 0xffff, low >> 16);
	const uint32_t first = high & 0xffff, second = high >> 16;
	high = first > second ? first : second;
	const uint32_t below = low >> 4, above = (65550 - high) >> 4;
	l.symbol = ~low & 15;
	l.next = (below + above) * (l.state >> XC_RANS_BITS) + below;
}

DEVICE void find_flag(lane &l, const uint16_t *zeros, uint32_t sum)
{
	const uint32_t zero = zeros[bin_of(sum)], slot = l.state % XC_RANS_ONE;
	l.symbol = slot >= zero;
	const uint32_t first = l.symbol ? zero : 0;
	const uint32_t frequency = l.symbol ? XC_RANS_ONE - zero : zero;
	l.next = frequency * (l.state >> XC_RANS_BITS) + slot - first;
}

/* Moves states on; `mask`: lanes that need a word. */
DEVICE void take_word(lane &l, uint32_t coded, uint32_t mask)
{
	const uint8_t *word = l.words + 2 * count_bits(mask & l.lower);
	if (coded)
		l.state = l.next;
	if (mask & l.bit)
		l.state = l.next << 16 | byte_at(word) | byte_at(word + 1) << 8;
	l.words += 2 * count_bits(mask & l.half);
}

/* The symbol at an offset in a column; zero where there is none, if that is known beforehand. */
template <bool KNOWN> DEVICE uint32_t seen(const uint8_t *column, uint32_t offset)
{
	return KNOWN && offset == 64 * WARP ? 0 : column[offset];
}

/* What is expected of position k, but for what the symbol before adds. */
template <bool KNOWN>
DEVICE uint32_t expect_part(const lane &l, const offsets &o, const look &w, int k)
{
	const uint32_t own = seen<KNOWN>(l.own, o.own[0]) | seen<KNOWN>(l.own, o.own[1]) << 8 |
	                     seen<KNOWN>(l.own, o.own[2]) << 16 | seen<KNOWN>(l.own, o.own[3]) << 24;
	const uint32_t left = l.left[k * WARP] | seen<KNOWN>(l.left, o.beyond[0]) << 8 |
	                      seen<KNOWN>(l.left, o.beyond[1]) << 16;
	const uint32_t up = l.up[k * WARP] | seen<KNOWN>(l.up, o.beyond[0]) << 8 |
	                    seen<KNOWN>(l.up, o.beyond[1]) << 16 | 1u << 24;
	return dot(own, w.of_own, dot(left, w.of_left, dot(up, w.of_up, 0)));
}

DEVICE uint32_t expect_dc(const lane &l, const uint32_t *w)
{
	const uint8_t *a = l.left, *b = l.up;
	return w[5] + a[0] * w[0] + (a[WARP] + a[2 * WARP]) * w[1] +
	       (a[3 * WARP] + a[4 * WARP] + a[5 * WARP]) * w[2] + b[0] * w[3] +
	       (b[WARP] + b[2 * WARP]) * w[4];
}

DEVICE uint32_t expect_flag(const lane &l, const uint32_t *w, int group, int first)
{
	uint32_t sum = w[5] + kept_sum(l.kept_left, group) * w[0] + kept_sum(l.kept_up, group) * w[1];
	if (group == 0) {
		sum += l.previous * w[2];
	} else {
		uint32_t some = 0;
		for (int k = first - 5; k < first; k++)
			some += l.own[k * WARP] != 0;
		sum += least(l.sum, 15) * w[2] + some * w[3];
	}
	if (group < XC_RANS_GROUPS - 1)
		sum += least(kept_sum(l.kept_left, group + 1) + kept_sum(l.kept_up, group + 1), 2) * w[4];
	return sum;
}

/* Zeros of a group that no lane has; `dirty`: its symbols may be others. */
DEVICE void skip_group(team &t, warp_memory *m, int first, int after, bool dirty)
{
	if (dirty) {
		t.wait();
		t.each([&](lane &l) {
			const uint32_t i = (uint32_t)(l.own - m->symbol[0]);
			four *to = (four *)m->symbol[first];
			for (uint32_t j = i; j < (uint32_t)(after - first) * 2; j += WARP)
				to[j] = four{{0, 0, 0, 0}};
		});
		t.wait();
	}
	t.each([&](lane &l) {
		const int word = first / 8;
		/* The group before ends in the middle of a word, but for the DC. */
		l.packed[word * WARP] = l.pack << 4 * (8 - first % 8);
		for (int i = word + 1; i < after / 8; i++)
			l.packed[i * WARP] = 0;
		l.pack = 0;
		l.sum = 0;
		l.previous = 0;
	});
}

template <bool KNOWN>
DEVICE void code_symbol(team &t, const symbol_rows &rows, const look *at, const offsets &next,
                        int k)
{
	const uint32_t mask = t.ballot([&](lane &l) {
		const uint32_t expected = l.part + l.previous * at[k].before;
		l.part = expect_part<KNOWN>(l, next, at[k + 1], k + 1);
		find_symbol(l, rows, expected);
		return l.coded & (l.next < 1u << XC_RANS_STATE_BITS);
	});
	t.each([&](lane &l) {
		take_word(l, l.coded, mask);
		const uint32_t symbol = l.coded ? l.symbol : 0;
		l.own[k * WARP] = (uint8_t)symbol;
		l.previous = symbol;
		l.sum += symbol;
		l.pack = l.pack << 4 | symbol;
		if (k % 8 == 7)
			l.packed[k / 8 * WARP] = l.pack;
	});
	t.wait();
}

#ifdef UNROLLED
/* Positions K to END - 1, each with code of its own: faster where it fits in the instruction cache. */
template <int CHROMA, int K, int END> DEVICE void code_from(team &t, const symbol_rows &rows)
{
	constexpr offsets next = offsets_of(K + 1);
	code_symbol<true>(t, rows, model.at[CHROMA], next, K);
	if constexpr (K + 1 < END)
		code_from<CHROMA, K + 1, END>(t, rows);
}
#endif

DEVICE void code_group(team &t, warp_memory *m, const rows *tables, int chroma, int group,
                       uint32_t *dirty)
{
	const int first = group == 0 ? 1 : group == 1 ? 10 : 28;
	const int after = group == 0 ? 10 : group == 1 ? 28 : 64;
	const uint32_t mask = t.ballot([&](lane &l) {
		find_flag(l, tables->zeros[chroma][group],
		          expect_flag(l, model.flag[chroma][group], group, first));
		return l.active & (l.next < 1u << XC_RANS_STATE_BITS);
	});
	const uint32_t any = t.ballot([&](lane &l) {
		take_word(l, l.active, mask);
		return l.coded = l.active & l.symbol;
	});
	if (!any) {
		skip_group(t, m, first, after, *dirty >> group & 1);
		*dirty &= ~(1u << group);
		return;
	}
	*dirty |= 1u << group;
	const look *at = model.at[chroma];
	t.wait();
	t.each([&](lane &l) {
		l.part = expect_part<false>(l, at[first].at, at[first], first);
		l.sum = 0;
	});
	const symbol_rows *rows = &tables->of[chroma][group > 0];
#ifdef UNROLLED
	if (chroma && group == 0)
		code_from<1, 1, 10>(t, *rows);
	else if (chroma && group == 1)
		code_from<1, 10, 28>(t, *rows);
	else if (chroma)
		code_from<1, 28, 64>(t, *rows);
	else if (group == 0)
		code_from<0, 1, 10>(t, *rows);
	else if (group == 1)
		code_from<0, 10, 28>(t, *rows);
	else
		code_from<0, 28, 64>(t, *rows);
#else
#pragma unroll 1
	for (int k = first; k < after; k++)
		code_symbol<false>(t, *rows, at, at[k + 1].at, k);
#endif
	t.each([&](lane &l) { l.kept |= least(l.sum, 2) << 2 * group; });
}

DEVICE void code_dc(team &t, const rows *tables, int chroma)
{
	const uint32_t mask = t.ballot([&](lane &l) {
		find_symbol(l, tables->of[chroma][XC_RANS_DC_SET], expect_dc(l, model.dc[chroma]));
		return l.active & (l.next < 1u << XC_RANS_STATE_BITS);
	});
	t.wait();
	t.each([&](lane &l) {
		take_word(l, l.active, mask);
		l.previous = l.active ? l.symbol : 0;
		l.own[0] = (uint8_t)l.previous;
		l.pack = l.previous;
		l.sum = 0;
	});
}

/* Lanes take their row of the list from `row` on.  Returns the steps of the longest. */
DEVICE uint32_t take_rows(team &t, warp_memory *m, int chroma, uint32_t row)
{
	t.wait();
	const uint32_t steps = t.most([&](lane &l) -> uint32_t {
		const uint32_t number = (uint32_t)(l.own - m->symbol[0]), i = number % LANES;
		for (uint32_t j = number; j < 65 * 2; j += WARP)
			((four *)m->symbol)[j] = four{{0, 0, 0, 0}};
		l.listed = 0;
		l.lag = 0;
		l.top = 1;
		l.kept = 0;
		if (!l.s || (chroma && l.s->blocks == l.s->luma))
			return 0;
		const uint32_t high = l.s->high[chroma], y = (row + i) % high;
		l.wide = l.s->wide[chroma];
		l.listed = row + i < high << chroma;
		l.lag = i < y ? i : y;
		l.top = !l.lag;
		l.block = l.s->block + (chroma ? l.s->luma : 0) + (row + i) * l.wide;
		return l.listed ? l.wide + l.lag : 0;
	});
	t.wait();
	return steps;
}

DEVICE void code_rows(team &t, warp_memory *m, const job &j, const rows *tables, int chroma,
                      uint32_t row)
{
	const uint32_t steps = take_rows(t, m, chroma, row);
	uint32_t dirty = 0;
#pragma unroll 1
	for (uint32_t step = 0; step < steps; step++) {
		t.take_upper_sums();
		t.each([&](lane &l) {
			l.active = l.listed & (step - l.lag < l.wide);
			l.up = l.own - !l.top;
			l.left = step == l.lag ? l.up : l.own;
			l.kept_left = step == l.lag ? l.kept_up : l.kept;
			l.kept = 0;
			fetch(l.words + 256);
		});
		code_dc(t, tables, chroma);
#pragma unroll
		for (int group = 0; group < XC_RANS_GROUPS; group++)
			code_group(t, m, tables, chroma, group, &dirty);
		t.each([&](lane &l) {
			if (!l.active)
				return;
			four *to = (four *)(j.symbols + (size_t)(l.block + step - l.lag) * 8);
			const uint32_t *p = l.packed;
			to[0] = four{{p[0], p[WARP], p[2 * WARP], p[3 * WARP]}};
			to[1] = four{{p[4 * WARP], p[5 * WARP], p[6 * WARP], p[7 * WARP]}};
		});
	}
}

DEVICE void begin_lane(lane &l, uint32_t number, warp_memory *m, const job &j, uint32_t warp)
{
	const uint32_t i = number % LANES, which = number / LANES;
	const uint32_t s = warp * j.a_warp + which;
	l.half = 0xffffu << LANES * which;
	l.bit = 1u << number;
	l.lower = l.half & (l.bit - 1);
	l.own = l.left = l.up = &m->symbol[0][number];
	l.packed = &m->packed[0][number];
	l.s = which < j.a_warp && s < j.count ? &j.segments[s] : NULL;
	l.words = j.data;
	l.state = l.kept = l.kept_up = l.top = l.wide = 0;
	if (!l.s)
		return;
	l.words += l.s->data + 4 * l.s->lanes;
	const uint8_t *p = j.data + l.s->data + 4 * i;
	if (i < l.s->lanes)
		l.state = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* All symbols of a warp's segments. */
DEVICE void code_warp(team &t, warp_memory *m, const job &j, const rows *tables)
{
#pragma unroll 1
	for (int chroma = 0; chroma < 2; chroma++) {
		const uint32_t list = t.most([&](lane &l) -> uint32_t {
			const bool none = !l.s || (chroma && l.s->blocks == l.s->luma);
			return none ? 0 : l.s->high[chroma] << chroma;
		});
#pragma unroll 1
		for (uint32_t row = 0; row < list; row += LANES)
			code_rows(t, m, j, tables, chroma, row);
	}
	t.each([&](lane &l) {
		if (!l.s)
			return;
		const uint32_t i = (uint32_t)(l.own - m->symbol[0]) % LANES;
		const uint32_t s = (uint32_t)(l.s - j.segments);
		j.carried[s * LANES + i] = (uint16_t)l.state;
		if (i == 0)
			j.end[s] = (uint32_t)(l.words - (j.data + l.s->data));
	});
}

#endif
