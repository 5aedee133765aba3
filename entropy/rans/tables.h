/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of the rANS mode: weights, frequencies, and the tables made from them. */
#ifndef XC_ENTROPY_RANS_TABLES_H
#define XC_ENTROPY_RANS_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "entropy/points.h"

enum {
	XC_RANS_SYMBOLS = 16,
	XC_RANS_LEVELS = 16, /* contexts of a set: levels of the expected magnitude */
	XC_RANS_BINS = 64,   /* bins of the expected magnitude, from which levels are made */
	XC_RANS_RANGES = 2,  /* of AC positions in the scan, each with contexts of its own */
	XC_RANS_ZONES = 3,   /* of AC positions, each with a flag */
	XC_RANS_DC_SET = 2,  /* sets of contexts: AC by range, DC, flags by zone */
	XC_RANS_FLAG_SET = 3,
	XC_RANS_SETS = 6,
	XC_RANS_DIRECTIONS = 3, /* of AC positions, each with weights of its own */
	XC_RANS_AC_WEIGHTS = 12,
	XC_RANS_DC_WEIGHTS = 6,
	XC_RANS_FLAG_WEIGHTS = 6,
	XC_RANS_BITS = 12, /* frequencies add up to 2^12 */
	XC_RANS_ONE = 1 << XC_RANS_BITS,
	XC_RANS_GUESS = 32,
	XC_RANS_WIDEST = 32 /* numbers in a vector: the lanes of two segments */
};

/* The weights of neighbouring symbols in the expected magnitude, for luma or for chroma;
 * entropy/rans/lanes.h has their order. */
typedef struct xc_rans_weights {
	uint8_t ac[XC_RANS_DIRECTIONS][XC_RANS_AC_WEIGHTS];
	uint8_t
		constant[64]; /* of AC, by position; the last weights of the others are constants, too */
	uint8_t dc[XC_RANS_DC_WEIGHTS];
	uint8_t flag[XC_RANS_ZONES][XC_RANS_FLAG_WEIGHTS];
	/* The first bin of each level but the lowest, in ascending order; 64: no bin. */
	uint8_t limit[XC_RANS_SETS][XC_RANS_LEVELS - 1];
} xc_rans_weights;

/* The frequencies of the symbols in each context, 1 at least.  Flags have the first two. */
typedef struct xc_rans_frequencies {
	uint16_t of[2][XC_RANS_SETS][XC_RANS_LEVELS][XC_RANS_SYMBOLS];
} xc_rans_frequencies;

typedef struct xc_rans_counts {
	uint32_t of[2][XC_RANS_SETS][XC_RANS_LEVELS * XC_RANS_SYMBOLS];
} xc_rans_counts;

/* A set of contexts, ready to code. slot[i][j]: the smallest slot of symbol 4 j + i at each level;
 * XC_RANS_ONE after the last symbol. */
typedef struct xc_rans_set {
	uint16_t slot[5][4][XC_RANS_LEVELS];
	uint8_t slot_bytes[XC_RANS_SYMBOLS][2][XC_RANS_LEVELS]; /* by symbol: low and high bytes */
	/* By level * XC_RANS_SYMBOLS + symbol: least slot << 16 | frequency. */
	uint32_t range[XC_RANS_LEVELS * XC_RANS_SYMBOLS];
	uint8_t level[XC_RANS_BINS];
	/* The symbol of the first of XC_RANS_GUESS slots, where a search begins. */
	uint8_t guess[XC_RANS_LEVELS][XC_RANS_ONE / XC_RANS_GUESS];
} xc_rans_set;

/* The template of a scan position: indices of neighbours, or XC_RANS_NOWHERE. */
typedef struct xc_rans_template {
	uint8_t raster;
	uint8_t direction; /* 0: mostly horizontal frequency, 2: mostly vertical, 1: neither */
	uint8_t own[5];    /* one and two to the left, one and two above, the one before in the scan */
	uint8_t beyond[2]; /* to the right, below */
	uint8_t dc;        /* the DC, of positions 1 and 2 */
	uint16_t constant[2]; /* the constant of the sum, for luma and for chroma */
} xc_rans_template;

typedef struct xc_rans_tables {
	xc_rans_template templates[64];
	/* The weights, each repeated for all lanes of a vector. */
	uint16_t ac[2][XC_RANS_DIRECTIONS][XC_RANS_AC_WEIGHTS][XC_RANS_WIDEST];
	uint16_t dc[2][XC_RANS_DC_WEIGHTS][XC_RANS_WIDEST];
	uint16_t flag[2][XC_RANS_ZONES][XC_RANS_FLAG_WEIGHTS][XC_RANS_WIDEST];
	xc_rans_set set[2][XC_RANS_SETS];
	uint8_t rank[256][8];      /* by mask of eight: the bits set below each */
	xc_value_points points[2]; /* of reconstruction, of luma and of chroma */
} xc_rans_tables;

extern const xc_rans_weights xc_rans_builtin_weights[2];

/* The built-in frequencies, and frequencies from tables of symbols and of zero flags. */
void xc_rans_builtin_frequencies(xc_rans_frequencies *frequencies);
void xc_rans_frequencies_from(
	const uint16_t symbols[2][XC_RANS_FLAG_SET][XC_RANS_LEVELS][XC_RANS_SYMBOLS],
	const uint16_t zeros[2][XC_RANS_ZONES][XC_RANS_LEVELS], xc_rans_frequencies *frequencies);

/* Points are 0.  0: some frequencies are 0 or do not add up to XC_RANS_ONE. */
int xc_rans_tables_init(xc_rans_tables *tables, const xc_rans_frequencies *frequencies);

/* The parameters of rdo in the rANS mode. cost: the bits of a symbol in its context, with sign and
 * raw bits, in squares of a sixteenth of a step; flags have two symbols. points: the expected
 * points of luma and of chroma. */
typedef struct xc_rans_decision {
	uint16_t cost[2][XC_RANS_SETS][XC_RANS_SYMBOLS][XC_RANS_LEVELS];
	xc_value_points points[2];
} xc_rans_decision;

/* The frequencies nearest to these counts. */
void xc_rans_fit(const xc_rans_counts *counts, xc_rans_frequencies *frequencies);

/* Bits, times 2^16, of a symbol of this frequency. */
uint32_t xc_rans_bits(uint32_t frequency);

/* A file's own frequencies, as factors of the built-in ones, for one class (grey) or two. Stores
 * those that save more bits of the counted symbols than they take, in at most XC_RANS_STORED_BYTES;
 * sets `frequencies` to what xc_rans_load() will make of it. */
enum { XC_RANS_STORED_BYTES = 2 * (XC_RANS_SETS * 2 + XC_RANS_LEVELS * 27 + 8) };
size_t xc_rans_store(const xc_rans_counts *counts, int classes, xc_rans_frequencies *frequencies,
                     uint8_t *out);
/* 0: the data are damaged. */
int xc_rans_load(const uint8_t *data, size_t size, int classes, xc_rans_frequencies *frequencies);

/* Bits, times 2^16, that the counted symbols would take with these frequencies. */
uint64_t xc_rans_cost(const xc_rans_counts *counts, const xc_rans_frequencies *frequencies);

/* Sets `cost` to the bits, times 2^16, that the counted symbols of luma or of chroma take with
 * these tables: for each set of contexts the bits of symbol 0, and of the others. */
void xc_rans_costs(const xc_rans_counts *counts, const xc_rans_tables *tables, int chroma,
                   uint64_t cost[XC_RANS_SETS][2]);

#endif
