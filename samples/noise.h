/* SPDX-License-Identifier: BSD-2-Clause */
/* Random numbers and textures that are the same in every run. */
#ifndef XC_SAMPLES_NOISE_H
#define XC_SAMPLES_NOISE_H

#include <stdint.h>

#include "samples/vector.h"

/* A stream of random numbers: SplitMix64 (Steele, Lea, Flood, 2014). */
typedef struct random_stream {
	uint64_t state;
} random_stream;

/* One of 2^64 streams that have nothing to do with each other. */
random_stream xc_random_stream(uint32_t a, uint32_t b);
double xc_random_unit(random_stream *stream); /* 0 <= x < 1 */
double xc_random_range(random_stream *stream, double a, double b);
double xc_random_normal(random_stream *stream); /* variance 1 */
vec xc_random_direction(random_stream *stream); /* on the unit sphere */

/* Value noise on the integer lattice, 0 to 1, smooth. */
double xc_noise(vec p);
/* Fractal sum of `octaves` noises, each twice as fine and half as strong, 0 to 1. */
double xc_noise_fractal(vec p, int octaves);
/* Cells around one random point a lattice cube: distance to the nearest point, and
 * in *id a random number that belongs to it. */
double xc_noise_cells(vec p, double *id);

#endif
