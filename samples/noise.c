/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples/noise.h"

static uint64_t scramble(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static double unit_of(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

random_stream xc_random_stream(uint32_t a, uint32_t b)
{
	/* Scrambled, or the streams of neighbours would be each other's, one step on. */
	return (random_stream){scramble(((uint64_t)a << 32 | b) + 0x9e3779b97f4a7c15u)};
}

double xc_random_unit(random_stream *stream)
{
	return unit_of(scramble(stream->state += 0x9e3779b97f4a7c15u));
}

double xc_random_range(random_stream *stream, double a, double b)
{
	return a + (b - a) * xc_random_unit(stream);
}

double xc_random_normal(random_stream *stream)
{
	/* Twelve uniform numbers have variance 1; the far tails do not matter here. */
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += xc_random_unit(stream);
	return sum;
}

vec xc_random_direction(random_stream *stream)
{
	for (;;) {
		vec v = vec_of(xc_random_range(stream, -1, 1), xc_random_range(stream, -1, 1),
		               xc_random_range(stream, -1, 1));
		double square = vec_dot(v, v);
		if (square > 1e-4 && square <= 1)
			return vec_scale(v, 1 / sqrt(square));
	}
}

static uint64_t lattice(int64_t x, int64_t y, int64_t z)
{
	return scramble((uint64_t)x * 0x8da6b343u ^
	                scramble((uint64_t)y * 0xd8163841u ^
	                         scramble((uint64_t)z * 0xcb1ab31fu + 0x9e3779b97f4a7c15u)));
}

static double fade(double t)
{
	return t * t * (3 - 2 * t);
}

static double mix(double a, double b, double t)
{
	return a + (b - a) * t;
}

double xc_noise(vec p)
{
	double fx = floor(p.x), fy = floor(p.y), fz = floor(p.z);
	int64_t x = (int64_t)fx, y = (int64_t)fy, z = (int64_t)fz;
	double u = fade(p.x - fx), v = fade(p.y - fy), w = fade(p.z - fz);
	double plane[2];
	for (int k = 0; k < 2; k++) {
		double low = mix(unit_of(lattice(x, y, z + k)), unit_of(lattice(x + 1, y, z + k)), u);
		double high = mix(unit_of(lattice(x, y + 1, z + k)), unit_of(lattice(x + 1, y + 1, z + k)),
		                  u);
		plane[k] = mix(low, high, v);
	}
	return mix(plane[0], plane[1], w);
}

double xc_noise_fractal(vec p, int octaves)
{
	double sum = 0, weight = 1, total = 0;
	for (int i = 0; i < octaves; i++) {
		sum += weight * xc_noise(p);
		total += weight;
		weight *= 0.5;
		/* The shift keeps the lattices of the octaves from falling together. */
		p = vec_add(vec_scale(p, 2), vec_of(17.3, 9.1, 5.7));
	}
	return sum / total;
}

double xc_noise_cells(vec p, double *id)
{
	int64_t x = (int64_t)floor(p.x), y = (int64_t)floor(p.y), z = (int64_t)floor(p.z);
	double best = 1e9;
	for (int n = 0; n < 27; n++) {
		int64_t i = x + n % 3 - 1, j = y + n / 3 % 3 - 1, k = z + n / 9 - 1;
		random_stream stream = {lattice(i, j, k)};
		double px = (double)i + xc_random_unit(&stream);
		double py = (double)j + xc_random_unit(&stream);
		double pz = (double)k + xc_random_unit(&stream);
		vec offset = vec_sub(vec_of(px, py, pz), p);
		double distance = sqrt(vec_dot(offset, offset));
		if (distance < best) {
			best = distance;
			*id = xc_random_unit(&stream);
		}
	}
	return best;
}
