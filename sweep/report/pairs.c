/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/report/html_parts.h"

#include <math.h>

/* In bits a pixel: where blocks show at once, where one must look for them, where one
 * hardly finds any. */
static const double aims[XC_SWEEP_SIZES] = {0.25, 0.5, 1.0};

/* The points of one picture. */
typedef struct points {
	const xc_sweep_results *results;
	const xc_sweep_viewer *viewer;
	const xc_sweep_point *first, *end;
} points;

static double log_bytes(const xc_sweep_point *point)
{
	return log((double)point->bytes + 1);
}

static double distance(const xc_sweep_point *point, double size)
{
	return fabs(log_bytes(point) - size);
}

static points points_of(const xc_sweep_results *results, uint32_t picture,
                        const xc_sweep_viewer *viewer)
{
	const xc_sweep_point *end = results->points + results->point_count;
	points all = {results, viewer, results->points, end};

	while (all.first < end && all.first->picture != picture)
		all.first++;
	for (all.end = all.first; all.end < end && all.end->picture == picture;)
		all.end++;
	return all;
}

/* Finds the measured points next to a size from below and from above; NULL where none is. */
static void find_neighbours(const points *all, uint32_t config, double size,
                            const xc_sweep_point *next[2])
{
	next[0] = next[1] = NULL;
	for (const xc_sweep_point *p = all->first; p < all->end; p++) {
		const int above = log_bytes(p) > size;

		if (p->config == config &&
		    (!next[above] || distance(p, size) < distance(next[above], size)))
			next[above] = p;
	}
}

/* Narrows *low and *high to the sizes that all configurations reach. */
static void find_range(const points *all, double *low, double *high)
{
	*low = -INFINITY;
	*high = INFINITY;
	for (uint32_t config = 0; config < all->results->config_count; config++) {
		double min = INFINITY, max = -INFINITY;

		for (const xc_sweep_point *p = all->first; p < all->end; p++)
			if (p->config == config) {
				min = fmin(min, log_bytes(p));
				max = fmax(max, log_bytes(p));
			}
		if (min <= max) {
			*low = fmax(*low, min);
			*high = fmin(*high, max);
		}
	}
}

/* The step between qualities that the measured ones of a configuration show: 1, 0.1 or 0.01. */
static double grain_of(const points *all, uint32_t config)
{
	double inverse = 1;

	for (const xc_sweep_point *p = all->first; p < all->end; p++)
		while (p->config == config && inverse < 100 &&
		       fabs(p->quality * inverse - round(p->quality * inverse)) > 1e-6)
			inverse *= 10;
	return 1 / inverse;
}

/* A quality between those of two points, near to where a line through them has the
 * size. 0: none exists. */
static int between(const xc_sweep_point end[2], double size, double grain, double *quality)
{
	const double a = end[0].quality, b = end[1].quality;
	const double min = fmin(a, b) + grain, max = fmax(a, b) - grain;

	if (min > max + grain / 2)
		return 0;
	const double part = (size - log_bytes(&end[0])) / (log_bytes(&end[1]) - log_bytes(&end[0]));
	const double inverse = round(1 / grain);
	*quality = round(fmax(min, fmin(max, a + part * (b - a))) * inverse) / inverse;
	return 1;
}

/* Finds the point of a configuration that is nearest to a size. Sizes are taken to rise or to fall
 * with the quality between two measured points, which a few files more then bring together. */
static int find_nearest(const points *all, uint32_t config, double size, xc_sweep_point *best)
{
	enum { TRIALS = 5 };
	const double grain = grain_of(all, config);
	const xc_sweep_point *next[2];

	find_neighbours(all, config, size, next);
	*best = next[0] ? *next[0] : next[1] ? *next[1] : (xc_sweep_point){.bytes = 0};
	if (!next[0] || !next[1])
		return 0;
	xc_sweep_point end[2] = {*next[0], *next[1]}, trial = end[0];
	for (int i = 0; i < TRIALS && between(end, size, grain, &trial.quality); i++) {
		if (all->viewer->code(all->viewer->user, &trial, NULL))
			return -1;
		end[log_bytes(&trial) > size] = trial;
	}
	*best = end[distance(&end[1], size) < distance(&end[0], size)];
	return 0;
}

static int is_repeated(const xc_sweep_point *row, size_t configs)
{
	for (size_t i = 0; i < configs; i++)
		if (row[i].bytes != row[(ptrdiff_t)i - (ptrdiff_t)configs].bytes)
			return 0;
	return 1;
}

int xc_sweep_pairs(const xc_sweep_results *results, uint32_t picture, const xc_sweep_viewer *viewer,
                   xc_sweep_point *point, size_t *sizes)
{
	const xc_sweep_picture *shape = &results->pictures[picture];
	const points all = points_of(results, picture, viewer);
	const size_t configs = results->config_count;
	double low, high;

	*sizes = 0;
	find_range(&all, &low, &high);
	for (int i = 0; i < XC_SWEEP_SIZES && all.first < all.end; i++) {
		const double aim = log(aims[i] / 8 * shape->width * shape->height + 1);
		double size = fmin(fmax(aim, low), fmax(low, high));
		xc_sweep_point *row = point + *sizes * configs;

		for (uint32_t config = 0; config < configs; config++) {
			if (find_nearest(&all, config, size, &row[config]))
				return -1;
			if (config == 0 && row[0].bytes)
				size = log_bytes(&row[0]);
		}
		if (!*sizes || !is_repeated(row, configs))
			++*sizes;
	}
	return 0;
}
