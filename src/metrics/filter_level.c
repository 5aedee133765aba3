/* SPDX-License-Identifier: BSD-2-Clause */
/* The makefile compiles this file once per SIMD level. XC_LANES: floats in a vector, twice the
 * number of doubles; 1: one double. XC_SSIM_FILTERS: the name of the table. Loops need no
 * tail, because arrays hold a whole number of their steps. */
#include "src/metrics/filter.h"

#if XC_LANES > 1
enum { LANES = XC_LANES / 2 };
typedef double vector __attribute__((vector_size(LANES * sizeof(double))));
typedef vector unaligned __attribute__((aligned(sizeof(double)), may_alias));
#else
enum { LANES = 1 };
typedef double vector, unaligned;
#endif

/* Three sums at a time, because a single one would wait for its last addition. */
enum { AT_ONCE = 3 };
typedef struct sums {
	vector v[AT_ONCE];
} sums;

_Static_assert((int)XC_SSIM_STRIP % ((int)AT_ONCE * (int)LANES) == 0, "a strip is of whole sums");

static inline vector load(const double *from)
{
	return *(const unaligned *)(const void *)from;
}

static inline void store(double *to, vector v)
{
	*(unaligned *)(void *)to = v;
}

static inline sums scaled(const double *from, double weight)
{
	return (sums){
		{load(from) * weight, load(from + LANES) * weight, load(from + 2 * LANES) * weight}};
}

static inline void add_scaled(sums *s, const double *from, double weight)
{
	s->v[0] += load(from) * weight;
	s->v[1] += load(from + LANES) * weight;
	s->v[2] += load(from + 2 * LANES) * weight;
}

static void across(const xc_ssim_work *w, xc_ssim_moments to)
{
	for (int m = 0; m < XC_SSIM_MOMENTS; m++)
		for (uint32_t i = 0; i < w->places; i += AT_ONCE * LANES) {
			const double *from = w->input[m] + i;
			sums s = scaled(from, w->across[0]);
			for (int k = 1; k < XC_SSIM_WINDOW; k++)
				add_scaled(&s, from + k, w->across[k]);
			store(&to[m][i], s.v[0]);
			store(&to[m][i + LANES], s.v[1]);
			store(&to[m][i + 2 * LANES], s.v[2]);
		}
}

/* A moment at the places from i on; rows: those of the ring, from the window's first. */
static inline sums moment(const xc_ssim_work *w, const xc_ssim_moments *const *rows, int m,
                          uint32_t i)
{
	sums s = scaled(&(*rows[0])[m][i], w->down[0]);

	for (uint32_t k = 1; k < w->down_size; k++)
		add_scaled(&s, &(*rows[k])[m][i], w->down[k]);
	return s;
}

static inline void finish(xc_ssim_work *w, uint32_t i, vector a, vector b, vector squares,
                          vector products)
{
	const vector means = a * a + b * b, product = a * b;
	const vector variances = squares - means, covariance = products - product;

	store(w->index + i, (2 * product + w->c1) * (2 * covariance + w->c2) /
	                        ((means + w->c1) * (variances + w->c2)));
	store(w->contrast + i, (2 * covariance + w->c2) / (variances + w->c2));
}

static void down(xc_ssim_work *w, uint32_t first)
{
	const xc_ssim_moments *rows[XC_SSIM_WINDOW];

	for (uint32_t k = 0; k < XC_SSIM_WINDOW; k++)
		rows[k] = (const xc_ssim_moments *)&w->ring[(first + k) % XC_SSIM_WINDOW];
	for (uint32_t i = 0; i < w->places; i += AT_ONCE * LANES) {
		const sums a = moment(w, rows, XC_SSIM_MEAN_A, i), b = moment(w, rows, XC_SSIM_MEAN_B, i);
		const sums squares = moment(w, rows, XC_SSIM_SQUARES, i);
		const sums products = moment(w, rows, XC_SSIM_PRODUCT, i);
		for (int k = 0; k < AT_ONCE; k++)
			finish(w, i + k * LANES, a.v[k], b.v[k], squares.v[k], products.v[k]);
	}
}

const xc_ssim_filters XC_SSIM_FILTERS = {across, down};
