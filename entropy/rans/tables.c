/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/rans/tables.h"

#include "entropy/rans/model.h"
#include "entropy/scan.h"

static const uint8_t scan[64] = {XC_SCAN_TABLE};

/* The place of frequency (u, v), if the block has it and it is not the DC. */
static uint8_t place_of(int u, int v)
{
	const int within = u >= 0 && u < 8 && v >= 0 && v < 8 && u + v > 0;
	return within ? (uint8_t)(u * 8 + v) : (uint8_t)XC_RANS_NOWHERE;
}

static xc_rans_look look_of(int k)
{
	const int u = scan[k] / 8, v = scan[k] % 8;
	return (xc_rans_look){
		.place = scan[k],
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
		tables->look[k] = look_of(k);
	for (int mask = 0; mask < 256; mask++)
		for (int i = 0, rank = 0; i < 8; rank += mask >> i++ & 1)
			tables->rank[mask][i] = (uint8_t)rank;
	for (int c = 0; c < 2; c++) {
		const xc_rans_weights *w = &xc_rans_builtin_weights[c];
		for (int d = 0; d < XC_RANS_DIRECTIONS; d++)
			spread(w->ac[d], XC_RANS_AC_WEIGHTS, tables->ac[c][d]);
		spread(w->dc, XC_RANS_DC_WEIGHTS, tables->dc[c]);
		for (int g = 0; g < XC_RANS_GROUPS; g++)
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
	const uint16_t zeros[2][XC_RANS_GROUPS][XC_RANS_LEVELS], xc_rans_frequencies *frequencies)
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

/* Rounds to frequencies of at least 1 and gives what is missing or too much to the largest. */
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
