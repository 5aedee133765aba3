/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/report/html_parts.h"

#include <stdlib.h>

enum { CELL = 16, GREEN = 1 };

int xc_sweep_cells_start(xc_sweep_cells *cells, const xc_picture *original)
{
	cells->wide = (original->width + CELL - 1) / CELL;
	cells->high = (original->height + CELL - 1) / CELL;
	cells->mark = calloc((size_t)cells->wide * cells->high, sizeof *cells->mark);
	return cells->mark ? 0 : -1;
}

static double square(int difference)
{
	return (double)difference * difference;
}

/* Green stands for luma. */
static double mark_of(const xc_picture *original, const xc_picture *decoded, uint32_t x0,
                      uint32_t y0)
{
	double error = 0, activity = 0;

	for (uint32_t y = y0; y < y0 + CELL && y < original->height; y++)
		for (uint32_t x = x0; x < x0 + CELL && x < original->width; x++) {
			const int here = xc_sweep_sample(original, x, y, GREEN);

			error += square(here - xc_sweep_sample(decoded, x, y, GREEN));
			if (x > 0)
				activity += square(here - xc_sweep_sample(original, x - 1, y, GREEN));
			if (y > 0)
				activity += square(here - xc_sweep_sample(original, x, y - 1, GREEN));
		}
	/* 8 grey levels a pixel: where a cell is flat its noise must not decide. */
	return error / (activity + square(8) * CELL * CELL);
}

void xc_sweep_cells_add(xc_sweep_cells *cells, const xc_picture *original,
                        const xc_picture *decoded)
{
	for (uint32_t y = 0; y < cells->high; y++)
		for (uint32_t x = 0; x < cells->wide; x++)
			cells->mark[(size_t)y * cells->wide + x] += mark_of(original, decoded, x * CELL,
			                                                    y * CELL);
}

static double sum_of(const xc_sweep_cells *cells, uint32_t x0, uint32_t y0, uint32_t wide,
                     uint32_t high)
{
	double sum = 0;

	for (uint32_t y = y0; y < y0 + high; y++)
		for (uint32_t x = x0; x < x0 + wide; x++)
			sum += cells->mark[(size_t)y * cells->wide + x];
	return sum;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

xc_sweep_crop xc_sweep_cells_best(const xc_sweep_cells *cells, const xc_picture *original,
                                  uint32_t side)
{
	const uint32_t whole_cells = side < CELL ? 1 : side / CELL;
	const uint32_t cells_wide = least(cells->wide, whole_cells);
	const uint32_t cells_high = least(cells->high, whole_cells);
	xc_sweep_crop best = {0, 0, 0, 0};
	double most = -1;

	for (uint32_t y = 0; y + cells_high <= cells->high; y++)
		for (uint32_t x = 0; x + cells_wide <= cells->wide; x++) {
			const double sum = sum_of(cells, x, y, cells_wide, cells_high);
			if (sum > most) {
				most = sum;
				best.x = x * CELL;
				best.y = y * CELL;
			}
		}
	best.width = least(side, original->width);
	best.height = least(side, original->height);
	best.x = least(best.x, (original->width - best.width) & ~7u);
	best.y = least(best.y, (original->height - best.height) & ~7u);
	return best;
}
