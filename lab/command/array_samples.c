/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays in memory: samples of any precision, and pictures' channels. */
#include "lab/command/arrays.h"

#include "cli/base/report.h"

#include <math.h>
#include <stdlib.h>

int xc_cli_sample_put(xc_data_set *set, size_t i, double value)
{
	if (set->precision == XCT_INT16) {
		value = rint(value);
		if (!(value >= INT16_MIN && value <= INT16_MAX))
			return -1;
	}
	xc_sample_put(set->samples, set->precision, i, (long double)value);
	return isfinite(value) && !isfinite(xc_sample_get(set->samples, set->precision, i)) ? -1 : 0;
}

/* SplitMix64 (Steele, Lea, Flood, 2014). */
double xc_cli_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* The part of sample i that lies between two places. */
static double covered(size_t i, double from, double to)
{
	return fmax(fmin(to, (double)i + 1) - fmax(from, (double)i), 0);
}

void xc_cli_draw_cells(xc_data_set *set, uint64_t *state)
{
	enum { BLOCKS = 24, CELLS = 5000 };
	const size_t n[2] = {set->rows, set->cols};

	for (int c = 0; c < BLOCKS + CELLS; c++) {
		double from[2], to[2];
		for (int axis = 0; axis < 2; axis++) {
			/* Cells are 1/256 high and up to four times as wide, and gather in the middle. */
			const double random = xc_cli_random(state), other = xc_cli_random(state);
			const double length = c < BLOCKS ? 0.02 + 0.1 * random
			                                 : (axis ? 1 + 3 * random : 1) / 256;
			const double middle = c < BLOCKS ? other : (other + xc_cli_random(state)) / 2;
			from[axis] = fmax((middle - length / 2) * (double)n[axis], 0);
			to[axis] = fmin((middle + length / 2) * (double)n[axis], (double)n[axis]);
		}
		for (size_t y = (size_t)from[0]; y < n[0] && (double)y < to[0]; y++)
			for (size_t x = (size_t)from[1]; x < n[1] && (double)x < to[1]; x++) {
				const size_t i = y * n[1] + x;
				const double area = covered(y, from[0], to[0]) * covered(x, from[1], to[1]);
				xc_sample_put(set->samples, set->precision, i,
				              xc_sample_get(set->samples, set->precision, i) + (long double)area);
			}
	}
}

xc_data_set *xc_cli_arrays_add(xc_cli_arrays *arrays, xc_data_kind kind, size_t rows, size_t cols,
                               xct_precision precision)
{
	size_t count;

	if (arrays->count == arrays->room) {
		size_t room = arrays->room ? 2 * arrays->room : 4;
		xc_data_set *set = realloc(arrays->set, room * sizeof *set);

		if (!set)
			return NULL;
		arrays->set = set;
		arrays->room = room;
	}
	if (__builtin_mul_overflow(rows, cols, &count))
		return NULL;
	void *samples = calloc(count ? count : 1, xc_precision_bytes(precision));
	if (!samples)
		return NULL;
	arrays->set[arrays->count] = (xc_data_set){.kind = kind,
	                                           .rows = rows,
	                                           .cols = cols,
	                                           .precision = precision,
	                                           .samples = samples};
	arrays->held += (uint64_t)count * xc_precision_bytes(precision);
	return &arrays->set[arrays->count++];
}

uint64_t xc_cli_memory_left(const xc_cli_limits *limits, uint64_t held)
{
	return limits->bounds.max_memory > held ? limits->bounds.max_memory - held : 0;
}

int xc_cli_arrays_allowed(const char *name, const xc_cli_limits *limits, uint64_t held, size_t rows,
                          size_t cols, xct_precision precision)
{
	if (rows <= xc_cli_memory_left(limits, held) / xc_precision_bytes(precision) / cols)
		return 1;
	xc_cli_error(name,
	             "%zu x %zu numbers need more than the memory limit of %llu bytes "
	             "(see --max-memory)",
	             cols, rows, (unsigned long long)limits->bounds.max_memory);
	return 0;
}

xc_data_set *xc_cli_arrays_add_channel(xc_cli_arrays *arrays, const char *name,
                                       const xc_cli_limits *limits, uint64_t others, size_t rows,
                                       size_t cols, xct_precision precision)
{
	if (!xc_cli_arrays_allowed(name, limits, others + arrays->held, rows, cols, precision))
		return NULL;
	xc_data_set *set = xc_cli_arrays_add(arrays, XC_DATA_DCT, rows, cols, precision);
	if (!set)
		xc_cli_error(name, "out of memory");
	return set;
}

void xc_cli_arrays_free(xc_cli_arrays *arrays)
{
	for (size_t i = 0; i < arrays->count; i++)
		xc_data_set_free(&arrays->set[i]);
	free(arrays->set);
	*arrays = (xc_cli_arrays){.set = NULL};
}

int xc_cli_array_from_picture(const xc_picture *picture, uint32_t channel, xc_data_set *set)
{
	for (size_t y = 0; y < set->rows; y++)
		for (size_t x = 0; x < set->cols; x++) {
			size_t i = x * picture->channels + channel;
			const uint8_t *row = (const uint8_t *)picture->data + y * picture->stride;
			const double value = picture->depth == 8 ? row[i] : ((const uint16_t *)row)[i];

			if (xc_cli_sample_put(set, y * set->cols + x, value))
				return -1;
		}
	return 0;
}

size_t xc_cli_array_to_picture(const xc_data_set *set, uint32_t channel, xc_picture *picture)
{
	const double peak = picture->depth == 8 ? 255 : 65535;
	size_t clipped = 0;

	for (size_t y = 0; y < set->rows; y++)
		for (size_t x = 0; x < set->cols; x++) {
			size_t i = x * picture->channels + channel;
			uint8_t *row = (uint8_t *)picture->data + y * picture->stride;
			const double value = (double)xc_sample_get(set->samples, set->precision,
			                                           y * set->cols + x);
			/* not a number is 0 */
			const double whole = rint(value) > 0 ? fmin(rint(value), peak) : 0;

			clipped += whole != rint(value);
			if (picture->depth == 8)
				row[i] = (uint8_t)whole;
			else
				((uint16_t *)row)[i] = (uint16_t)whole;
		}
	return clipped;
}
