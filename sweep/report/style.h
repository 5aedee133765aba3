/* SPDX-License-Identifier: BSD-2-Clause */
/* How curves differ from each other: by colour, by dashes and by marker. */
#ifndef XC_SWEEP_REPORT_STYLE_H
#define XC_SWEEP_REPORT_STYLE_H

#include <stddef.h>

enum { XC_SWEEP_COLOURS = 8 };

typedef struct xc_sweep_style {
	int colour;               /* which one, for names of classes */
	const char *light, *dark; /* it on a light and on a dark page, at least 3:1 against either */
	const char *dashes;       /* as in stroke-dasharray */
	const char *marker;       /* path from the point on, in relative commands */
} xc_sweep_style;

/* That of a configuration.  After XC_SWEEP_COLOURS of them colours come again with other dashes and markers. */
xc_sweep_style xc_sweep_style_of(size_t config);

#endif
