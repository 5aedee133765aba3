/* SPDX-License-Identifier: BSD-2-Clause */
/* How curves differ from each other: by colour, by dashes and by marker. */
#ifndef XC_SWEEP_REPORT_STYLE_H
#define XC_SWEEP_REPORT_STYLE_H

enum { XC_SWEEP_STYLES = 8 };

typedef struct xc_sweep_style {
	const char *light,
		*dark;          /* colours on a light and on a dark page, at least 3:1 against either */
	const char *dashes; /* as in stroke-dasharray */
	const char *marker; /* path from the point on, in relative commands */
} xc_sweep_style;

extern const xc_sweep_style xc_sweep_styles[XC_SWEEP_STYLES];

#endif
