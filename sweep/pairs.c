/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/pairs.h"

#include <math.h>
#include <string.h>

/* In bits a pixel: where blocks show at once, where one must look for them, where one hardly finds any. */
static const double aims[XC_SWEEP_SIZES] = {0.25, 0.5, 1.0};

/* The points of one picture. */
typedef struct points {
	const xc_sweep_results *results;
	const xc_sweep_point *first, *end;
} points;

static double log_bytes(const xc_sweep_point *point)
{
	return log((double)point->bytes + 1);
}

static const xc_sweep_point *nearest(const points *all, uint32_t config, double size)
{
	const xc_sweep_point *best = NULL;

	for (const xc_sweep_point *p = all->first; p < all->end; p++)
		if (p->config == config &&
		    (!best || fabs(log_bytes(p) - size) < fabs(log_bytes(best) - size)))
			best = p;
	return best;
}

/* Narrows *low and *high to the sizes that all configurations reach. */
static void find_range(const points *all, double *low, double *high)
{
	*low = -INFINITY;
	*high = INFINITY;
	for (uint32_t config = 0; config < all->results->config_count; config++) {
		double least = INFINITY, most = -INFINITY;

		for (const xc_sweep_point *p = all->first; p < all->end; p++)
			if (p->config == config) {
				least = fmin(least, log_bytes(p));
				most = fmax(most, log_bytes(p));
			}
		if (least <= most) {
			*low = fmax(*low, least);
			*high = fmin(*high, most);
		}
	}
}

/* How badly a size serves: how far it is from the aim, and, which weighs more, how far the points are from it. */
static double cost(const points *all, double size, double aim)
{
	double sum = 0.2 * fabs(size - aim);

	for (uint32_t config = 0; config < all->results->config_count; config++) {
		const xc_sweep_point *p = nearest(all, config, size);
		sum += p ? fabs(log_bytes(p) - size) : 0;
	}
	return sum;
}

static double best_size(const points *all, double aim)
{
	double best = aim, least = INFINITY;

	for (const xc_sweep_point *p = all->first; p < all->end; p++) {
		const double c = cost(all, log_bytes(p), aim);
		if (c < least) {
			least = c;
			best = log_bytes(p);
		}
	}
	return best;
}

static points points_of(const xc_sweep_results *results, uint32_t picture)
{
	const xc_sweep_point *end = results->points + results->point_count;
	points all = {results, results->points, end};

	while (all.first < end && all.first->picture != picture)
		all.first++;
	for (all.end = all.first; all.end < end && all.end->picture == picture;)
		all.end++;
	return all;
}

size_t xc_sweep_pairs(const xc_sweep_results *results, uint32_t picture,
                      const xc_sweep_point **point)
{
	const xc_sweep_picture *shape = &results->pictures[picture];
	const points all = points_of(results, picture);
	const size_t configs = results->config_count;
	double low, high;
	size_t sizes = 0;

	find_range(&all, &low, &high);
	for (int i = 0; i < XC_SWEEP_SIZES && all.first < all.end; i++) {
		const double aim = log(aims[i] / 8 * shape->width * shape->height + 1);
		const double size = best_size(&all, fmin(fmax(aim, low), fmax(low, high)));
		const xc_sweep_point **row = point + sizes * configs;

		for (uint32_t config = 0; config < configs; config++)
			row[config] = nearest(&all, config, size);
		if (!sizes || memcmp(row, row - configs, configs * sizeof *row) != 0)
			sizes++;
	}
	return sizes;
}
