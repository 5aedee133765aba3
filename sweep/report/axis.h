/* SPDX-License-Identifier: BSD-2-Clause */
/* An axis of a drawing: its range and the values that are marked on it. */
#ifndef XC_SWEEP_REPORT_AXIS_H
#define XC_SWEEP_REPORT_AXIS_H

enum { XC_SWEEP_TICKS = 24 };

typedef struct xc_sweep_axis {
	double low, high; /* the ends, beyond all values */
	int logarithmic;
	double tick[XC_SWEEP_TICKS]; /* round numbers from low to high */
	int ticks;
	int digits; /* after the point, that tell all ticks apart */
} xc_sweep_axis;

/* Makes the axis of values from low to high, about `wanted` ticks of steps 1, 2, 2.5 or 5 times a power of 10. */
void xc_sweep_axis_linear(xc_sweep_axis *axis, double low, double high, int wanted);
/* Makes that of positive values, with ticks at decades and at as many of their parts as make about five. */
void xc_sweep_axis_log(xc_sweep_axis *axis, double low, double high);

/* Where a value lies: 0 at the low end, 1 at the high one. */
double xc_sweep_axis_place(const xc_sweep_axis *axis, double value);

#endif
