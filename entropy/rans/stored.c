/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/rans/tables.h"

#include <string.h>

enum { STEPS = 16, UNIT = 1024 };

/* 2^((i - 8) / 2) in units of 1 / UNIT: what a stored nibble multiplies a built-in frequency by. */
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
