/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers of rANS, from sections 5.12.7 and 5.12.8 of doc/format.md. */
#ifndef XC_TESTS_FORMAT_REFDEC_MODEL_H
#define XC_TESTS_FORMAT_REFDEC_MODEL_H

#include <stdint.h>

enum { SYMBOLS = 16, LEVELS = 16, LIMITS = 15 };
enum { AC0, AC1, DC, F0, SETS = 6 };

typedef struct refdec_model {
	uint8_t ac[3][12], constant[64], dc[6], flag[3][6]; /* weights */
	uint8_t limit[SETS][LIMITS];
	uint16_t frequency[3][LEVELS][SYMBOLS]; /* of AC0, AC1 and DC */
	uint16_t zero[3][LEVELS];               /* of flags */
} refdec_model;

/* Of luma and of chroma. */
extern const refdec_model refdec_models[2];

#endif
