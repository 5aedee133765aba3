/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of the rANS mode from frequencies, fitting and storing frequencies, and the sizes of
 * segments. Everything is in integers, so every machine agrees. */
#include <string.h>

#include "entropy/rans/tables.h"

#include "entropy/rans/model.h"
#include "entropy/scan.h"
#include "entropy/rans/rans.h"

static const uint8_t scan[64] = {XC_SCAN_TABLE};

/* The index of frequency (u, v), if it is in the block and not the DC. */
static uint8_t place_of(int u, int v)
{
	const int within = u >= 0 && u < 8 && v >= 0 && v < 8 && u + v > 0;
	return within ? (uint8_t)(u * 8 + v) : (uint8_t)XC_RANS_NOWHERE;
}

static xc_rans_template template_of(int k)
{
	const int u = scan[k] / 8, v = scan[k] % 8;

	return (xc_rans_template){
		.raster = scan[k],
		.direction = u > 2 * v   ? 0
	                 : v > 2 * u ? 2
	                             : 1,
		.own = {place_of(u - 1, v), place_of(u - 2, v), place_of(u, v - 1), place_of(u, v - 2),
	            k > 1 ? scan[k - 1] : XC_RANS_NOWHERE},
		.beyond = {place_of(u + 1, v), place_of(u, v + 1)},
		.dc = k == 1 || k == 2 ? 0 : XC_RANS_NOWHERE,
		.constant = {xc_rans_builtin_weights[0].constant[k],
	                 xc_rans_builtin_weights[1].constant[k]},
	};
}

/* 0: the frequencies of a level cannot be. */
static int set_init(xc_rans_set *set, const uint8_t *limit,
                    const uint16_t frequency[][XC_RANS_SYMBOLS], int symbols)
{
	for (int l = 0; l < XC_RANS_LEVELS; l++) {
		uint32_t slot[XC_RANS_SYMBOLS + 1], next = 0;
		for (int s = 0; s < XC_RANS_SYMBOLS; s++) {
			const uint32_t f = s < symbols ? frequency[l][s] : 0;
			if (s < symbols && !f)
				return 0;
			slot[s] = next;
			set->range[l * XC_RANS_SYMBOLS + s] = next << 16 | f;
			next += f;
		}
		if (next != XC_RANS_ONE)
			return 0;
		for (uint32_t i = 0, n = 0; i < XC_RANS_ONE / XC_RANS_GUESS; i++) {
			while (n < XC_RANS_SYMBOLS - 1 && i * XC_RANS_GUESS >= slot[n + 1])
				n++;
			set->guess[l][i] = (uint8_t)n;
		}
		slot[XC_RANS_SYMBOLS] = next;
		for (int i = 0; i < 5; i++)
			for (int quarter = 0; quarter < 4; quarter++)
				set->slot[i][quarter][l] = (uint16_t)slot[4 * quarter + i];
		for (int i = 0; i < XC_RANS_SYMBOLS; i++) {
			set->slot_bytes[i][0][l] = (uint8_t)slot[i];
			set->slot_bytes[i][1][l] = (uint8_t)(slot[i] >> 8);
		}
	}
	for (int bin = 0, l = 0; bin < XC_RANS_BINS; bin++) {
		while (l < XC_RANS_LEVELS - 1 && bin >= limit[l])
			l++;
		set->level[bin] = (uint8_t)l;
	}
	return 1;
}

static void spread(const uint8_t *weight, int n, uint16_t (*to)[XC_RANS_WIDEST])
{
	for (int i = 0; i < n; i++)
		for (int lane = 0; lane < XC_RANS_WIDEST; lane++)
			to[i][lane] = weight[i];
}

int xc_rans_tables_init(xc_rans_tables *tables, const xc_rans_frequencies *frequencies)
{
	tables->points[0] = tables->points[1] = (xc_value_points){0, 0};
	for (int k = 0; k < 64; k++)
		tables->templates[k] = template_of(k);
	for (int mask = 0; mask < 256; mask++)
		for (int i = 0, rank = 0; i < 8; rank += mask >> i++ & 1)
			tables->rank[mask][i] = (uint8_t)rank;
	for (int c = 0; c < 2; c++) {
		const xc_rans_weights *w = &xc_rans_builtin_weights[c];
		for (int d = 0; d < XC_RANS_DIRECTIONS; d++)
			spread(w->ac[d], XC_RANS_AC_WEIGHTS, tables->ac[c][d]);
		spread(w->dc, XC_RANS_DC_WEIGHTS, tables->dc[c]);
		for (int g = 0; g < XC_RANS_ZONES; g++)
			spread(w->flag[g], XC_RANS_FLAG_WEIGHTS, tables->flag[c][g]);
		for (int s = 0; s < XC_RANS_SETS; s++)
			if (!set_init(&tables->set[c][s], w->limit[s], frequencies->of[c][s],
			              s < XC_RANS_FLAG_SET ? XC_RANS_SYMBOLS : 2))
				return 0;
	}
	return 1;
}

void xc_rans_frequencies_from(
	const uint16_t symbols[2][XC_RANS_FLAG_SET][XC_RANS_LEVELS][XC_RANS_SYMBOLS],
	const uint16_t zeros[2][XC_RANS_ZONES][XC_RANS_LEVELS], xc_rans_frequencies *frequencies)
{
	for (int c = 0; c < 2; c++)
		for (int s = 0; s < XC_RANS_SETS; s++)
			for (int l = 0; l < XC_RANS_LEVELS; l++) {
				uint16_t *to = frequencies->of[c][s][l];
				for (int i = 0; i < XC_RANS_SYMBOLS; i++)
					to[i] = s < XC_RANS_FLAG_SET ? symbols[c][s][l][i] : 0;
				if (s < XC_RANS_FLAG_SET)
					continue;
				to[0] = zeros[c][s - XC_RANS_FLAG_SET][l];
				to[1] = (uint16_t)(XC_RANS_ONE - to[0]);
			}
}

/* Rounds to frequencies of at least 1; the largest one absorbs the rounding error. */
static void fit_level(const uint32_t *count, int symbols, uint16_t *frequency)
{
	uint64_t total = 0;
	int32_t left = XC_RANS_ONE;
	int largest = 0;

	for (int s = 0; s < symbols; s++)
		total += (uint64_t)count[s] * 32 + 1;
	for (int s = 0; s < XC_RANS_SYMBOLS; s++) {
		const uint64_t share = s < symbols ? (uint64_t)count[s] * 32 + 1 : 0;
		frequency[s] = (uint16_t)((share * XC_RANS_ONE + total / 2) / total);
		if (s < symbols && !frequency[s])
			frequency[s] = 1;
		if (frequency[s] > frequency[largest])
			largest = s;
		left -= frequency[s];
	}
	frequency[largest] = (uint16_t)(frequency[largest] + left);
}

void xc_rans_fit(const xc_rans_counts *counts, xc_rans_frequencies *frequencies)
{
	for (int c = 0; c < 2; c++)
		for (int s = 0; s < XC_RANS_SETS; s++)
			for (int l = 0; l < XC_RANS_LEVELS; l++)
				fit_level(&counts->of[c][s][l * XC_RANS_SYMBOLS],
				          s < XC_RANS_FLAG_SET ? XC_RANS_SYMBOLS : 2, frequencies->of[c][s][l]);
}

/* -log2(frequency / 2^12) * 2^16 by squaring: the same on every machine. */
uint32_t xc_rans_bits(uint32_t frequency)
{
	uint32_t log = 0;
	uint64_t x = (uint64_t)frequency << 31; /* 1.31 after normalising */
	const unsigned top = 31 - (unsigned)__builtin_clz(frequency);

	x >>= top;
	for (int i = 0; i < 16; i++) {
		x = x * x >> 31;
		log <<= 1;
		if (x >> 32) {
			x >>= 1;
			log |= 1;
		}
	}
	return (XC_RANS_BITS << 16) - (top << 16 | log);
}

uint64_t xc_rans_cost(const xc_rans_counts *counts, const xc_rans_frequencies *frequencies)
{
	uint64_t cost = 0;

	for (int c = 0; c < 2; c++)
		for (int s = 0; s < XC_RANS_SETS; s++)
			for (int l = 0; l < XC_RANS_LEVELS; l++)
				for (int i = 0; i < XC_RANS_SYMBOLS; i++) {
					const uint64_t count = counts->of[c][s][l * XC_RANS_SYMBOLS + i];
					if (count)
						cost += count * xc_rans_bits(frequencies->of[c][s][l][i]);
				}
	return cost;
}

void xc_rans_costs(const xc_rans_counts *counts, const xc_rans_tables *tables, int chroma,
                   uint64_t cost[XC_RANS_SETS][2])
{
	for (int s = 0; s < XC_RANS_SETS; s++) {
		cost[s][0] = cost[s][1] = 0;
		for (int i = 0; i < XC_RANS_LEVELS * XC_RANS_SYMBOLS; i++) {
			const uint64_t count = counts->of[chroma][s][i];
			if (count)
				cost[s][i % XC_RANS_SYMBOLS != 0] += count *
				                                     xc_rans_bits(tables->set[chroma][s].range[i] &
				                                                  0xffff);
		}
	}
}

/* -------------------------------------------------- stored frequencies */

enum { STEPS = 16, UNIT = 1024 };

/* 2^((i - 8) / 2) in units of 1 / UNIT: the factor of a built-in frequency by its stored nibble. */
static const uint32_t factor[STEPS] = {64,   91,   128,  181,  256,  362,  512,  724,
                                       1024, 1448, 2048, 2896, 4096, 5793, 8192, 11585};

/* The frequencies of a level, from the built-in ones and a nibble a symbol. */
static void scale(const uint16_t *builtin, const uint8_t nibble[XC_RANS_SYMBOLS],
                  uint16_t frequency[XC_RANS_SYMBOLS])
{
	uint64_t share[XC_RANS_SYMBOLS], total = 0;
	uint32_t sum = 0;
	int largest = 0;

	for (int i = 0; i < XC_RANS_SYMBOLS; i++) {
		share[i] = (uint64_t)builtin[i] * factor[nibble[i]];
		total += share[i];
	}
	for (int i = 0; i < XC_RANS_SYMBOLS; i++) {
		/* 15 are left for symbols that round to 0. */
		const uint64_t f = share[i] * (XC_RANS_ONE - XC_RANS_SYMBOLS + 1) / total;
		frequency[i] = (uint16_t)(f ? f : 1);
		sum += frequency[i];
		if (frequency[i] > frequency[largest])
			largest = i;
	}
	frequency[largest] = (uint16_t)(frequency[largest] + XC_RANS_ONE - sum);
}

static uint8_t nearest(uint32_t wanted, uint32_t builtin)
{
	uint8_t n = 0;

	/* Between two steps the limit is their geometric mean. */
	while (n < STEPS - 1 && (uint64_t)wanted * wanted * UNIT * UNIT >
	                            (uint64_t)builtin * builtin * factor[n] * factor[n + 1])
		n++;
	return n;
}

static void scale_flag(uint8_t stored, uint16_t frequency[XC_RANS_SYMBOLS])
{
	memset(frequency, 0, XC_RANS_SYMBOLS * sizeof *frequency);
	frequency[0] = (uint16_t)(stored * 16 + 8);
	frequency[1] = (uint16_t)(XC_RANS_ONE - frequency[0]);
}

/* Stores a level at `out` and sets its frequencies to what the reader will have. */
static size_t store_level(int flag, const uint16_t *wanted, uint16_t *frequency, uint8_t *out)
{
	uint8_t nibble[XC_RANS_SYMBOLS];

	if (flag) {
		out[0] = (uint8_t)(wanted[0] / 16);
		scale_flag(out[0], frequency);
		return 1;
	}
	for (int i = 0; i < XC_RANS_SYMBOLS; i++)
		nibble[i] = nearest(wanted[i], frequency[i]);
	for (int i = 0; i < XC_RANS_SYMBOLS / 2; i++)
		out[i] = (uint8_t)(nibble[2 * i] | nibble[2 * i + 1] << 4);
	uint16_t builtin[XC_RANS_SYMBOLS];
	memcpy(builtin, frequency, sizeof builtin);
	scale(builtin, nibble, frequency);
	return XC_RANS_SYMBOLS / 2;
}

static uint64_t level_cost(const uint32_t *count, const uint16_t *frequency)
{
	uint64_t cost = 0;

	for (int i = 0; i < XC_RANS_SYMBOLS; i++)
		if (count[i])
			cost += (uint64_t)count[i] * xc_rans_bits(frequency[i]);
	return cost;
}

size_t xc_rans_store(const xc_rans_counts *counts, int classes, xc_rans_frequencies *frequencies,
                     uint8_t *out)
{
	static const uint64_t byte = UINT64_C(8) << 16;
	xc_rans_frequencies wanted;
	uint8_t *next = out;

	xc_rans_builtin_frequencies(frequencies);
	xc_rans_fit(counts, &wanted);
	for (int c = 0; c < classes; c++)
		for (int s = 0; s < XC_RANS_SETS; s++) {
			uint8_t *const mask = next;
			mask[0] = mask[1] = 0;
			next += 2;
			for (int l = 0; l < XC_RANS_LEVELS; l++) {
				const uint32_t *count = &counts->of[c][s][l * XC_RANS_SYMBOLS];
				uint16_t own[XC_RANS_SYMBOLS], *to = frequencies->of[c][s][l];
				memcpy(own, to, sizeof own);
				const size_t size = store_level(s >= XC_RANS_FLAG_SET, wanted.of[c][s][l], own,
				                                next);
				if (level_cost(count, own) + size * byte >= level_cost(count, to))
					continue;
				memcpy(to, own, sizeof own);
				mask[l / 8] |= (uint8_t)(1 << l % 8);
				next += size;
			}
		}
	return (size_t)(next - out);
}

int xc_rans_load(const uint8_t *data, size_t size, int classes, xc_rans_frequencies *frequencies)
{
	const uint8_t *const end = data + size;

	xc_rans_builtin_frequencies(frequencies);
	for (int c = 0; c < classes; c++)
		for (int s = 0; s < XC_RANS_SETS; s++) {
			const size_t level_size = s >= XC_RANS_FLAG_SET ? 1 : XC_RANS_SYMBOLS / 2;
			if (end - data < 2)
				return 0;
			const uint32_t mask = data[0] | (uint32_t)data[1] << 8;
			data += 2;
			for (int l = 0; l < XC_RANS_LEVELS; l++) {
				uint16_t *to = frequencies->of[c][s][l], builtin[XC_RANS_SYMBOLS];
				uint8_t nibble[XC_RANS_SYMBOLS];
				if (!(mask >> l & 1))
					continue;
				if ((size_t)(end - data) < level_size)
					return 0;
				memcpy(builtin, to, sizeof builtin);
				for (size_t i = 0; i < XC_RANS_SYMBOLS && level_size > 1; i++)
					nibble[i] = data[i / 2] >> i % 2 * 4 & 15;
				if (level_size > 1)
					scale(builtin, nibble, to);
				else
					scale_flag(data[0], to);
				data += level_size;
			}
		}
	return data == end;
}

/* ---------------------------------------------------- sizes of a segment */

/* A block takes 67 symbols of at most 12 bits, and 64 signs, escapes and raw bits. */
enum { BLOCK_BYTES = 104 + 64 * (1 + 5 + 28) / 8, SLACK = 128 };

size_t xc_rans_bound(const xc_rans_shape *shape)
{
	return (size_t)shape->blocks * BLOCK_BYTES + SLACK;
}

static size_t list_steps(uint32_t wide, uint32_t high, uint32_t components)
{
	xc_rans_zone g;
	const uint32_t first[2] = {0, 0};
	size_t steps = 0;

	for (uint32_t row = 0; row < high * components; steps += g.steps)
		row = xc_rans_zone_at(&g, row, wide, high, components, first);
	return steps;
}

size_t xc_rans_steps(const xc_rans_shape *shape)
{
	const size_t luma = list_steps(shape->wide[0], shape->high[0], 1);
	return shape->components == 1 ? luma : luma + list_steps(shape->wide[1], shape->high[1], 2);
}

size_t xc_rans_scratch(const xc_rans_shape *shape)
{
	enum { RECORD = XC_RANS_LANES + 4, STEP_SYMBOLS = 64 + XC_RANS_ZONES };
	return (size_t)shape->blocks * (64 + 2 * STEP_SYMBOLS + 64 * (1 + 5 + 28) / 8) +
	       xc_rans_steps(shape) * STEP_SYMBOLS * RECORD + 4 * SLACK;
}

const xc_rans_level *xc_rans_level_get(xc_cpu cpu, int depth16)
{
	static const xc_rans_level *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = xc_rans_scalar,
	     XC_CPU_ENTRY_SSE2(xc_rans_scalar) XC_CPU_ENTRY_NEON(xc_rans_scalar)
	         XC_CPU_ENTRY_AVX2(xc_rans_avx2) XC_CPU_ENTRY_AVX512(xc_rans_avx512)};

	return &levels[cpu][depth16];
}
