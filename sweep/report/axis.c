/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/report/axis.h"

#include <math.h>

/* The smallest step of 1, 2, 2.5 and 5 times a power of 10 that is at least `least`. */
static double round_step(double least)
{
	static const double part[] = {1, 2, 2.5, 5, 10};
	const double decade = pow(10, floor(log10(least)));
	int i = 0;

	while (i < 4 && part[i] * decade < least * (1 - 1e-9))
		i++;
	return part[i] * decade;
}

/* How many digits after the point write every tick exactly, at most six. */
static int digits_of(const xc_sweep_axis *axis)
{
	int digits = 0;

	for (int i = 0; i < axis->ticks; i++)
		while (digits < 6) {
			const double scaled = axis->tick[i] * pow(10, digits);
			if (fabs(scaled - round(scaled)) < 1e-6 * fmax(1, fabs(scaled)))
				break;
			digits++;
		}
	return digits;
}

static void put_even_ticks(xc_sweep_axis *axis, int wanted)
{
	const double step = round_step((axis->high - axis->low) / wanted);

	for (double i = ceil(axis->low / step - 1e-9);
	     i * step <= axis->high + 1e-9 * step && axis->ticks < XC_SWEEP_TICKS; i++)
		axis->tick[axis->ticks++] = i * step;
}

void xc_sweep_axis_linear(xc_sweep_axis *axis, double low, double high, int wanted)
{
	const double margin = high > low ? 0.04 * (high - low) : 0.5 * fmax(fabs(high), 1e-3);

	*axis = (xc_sweep_axis){.low = low - margin, .high = high + margin};
	put_even_ticks(axis, wanted);
	axis->digits = digits_of(axis);
}

/* Puts a tick at each of these parts of each decade in the range. */
static void put_log_ticks(xc_sweep_axis *axis, const double *part, int parts)
{
	axis->ticks = 0;
	for (double decade = floor(log10(axis->low)); decade <= log10(axis->high); decade++)
		for (int i = 0; i < parts; i++) {
			const double value = part[i] * pow(10, decade);
			if (value >= axis->low && value <= axis->high && axis->ticks < XC_SWEEP_TICKS)
				axis->tick[axis->ticks++] = value;
		}
}

void xc_sweep_axis_log(xc_sweep_axis *axis, double low, double high)
{
	static const double fine[] = {1, 1.5, 2, 3, 4, 5, 7}, coarse[] = {1, 2, 5}, decades[] = {1};
	const double margin = high > low ? pow(high / low, 0.04) : 1.5;

	*axis = (xc_sweep_axis){.low = low / margin, .high = high * margin, .logarithmic = 1};
	put_log_ticks(axis, decades, 1);
	if (axis->ticks < 4)
		put_log_ticks(axis, coarse, 3);
	if (axis->ticks < 5)
		put_log_ticks(axis, fine, 7);
	if (axis->ticks < 4) {
		axis->ticks = 0;
		put_even_ticks(axis, 5);
	}
	axis->digits = -1;
}

double xc_sweep_axis_place(const xc_sweep_axis *axis, double value)
{
	return axis->logarithmic ? log(value / axis->low) / log(axis->high / axis->low)
	                         : (value - axis->low) / (axis->high - axis->low);
}
