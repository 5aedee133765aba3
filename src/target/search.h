/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for the quality whose outcome is nearest to a wanted one.
 *
 * A place is a quality in 256ths.  The logarithm of the quality curve's percentage is a scale on
 * which the outcomes (logarithm of bytes, dB, logarithm of 1 - SSIM) lie nearly on a line.  The
 * search follows the line through the two nearest places, and keeps between the last place that was too
 * low and the last one that was too high.
 */
#ifndef XC_SRC_TARGET_SEARCH_H
#define XC_SRC_TARGET_SEARCH_H

enum { XC_FIRST_PLACE = 256, XC_LAST_PLACE = 100 * 256 };

typedef struct xc_search_point {
	int place;
	double outcome; /* which grows with the place, but for noise */
} xc_search_point;

typedef struct xc_search {
	double aim, low, high;        /* the wanted outcome, and between which ones it is good enough */
	double slope;                 /* of the line that is taken while there is one point */
	xc_search_point below, above; /* nearest to the aim; place 0: none */
	xc_search_point last;
	int same_side; /* points on the same side as the one before, in a row */
	int points;
} xc_search;

/* The place to look at after those that xc_search_add() was given, at first `first`; 0: there is
 * nothing more to find. */
int xc_search_next(const xc_search *search, int first);
void xc_search_add(xc_search *search, int place, double outcome);

#endif
