/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The search for the quality whose outcome is nearest to a wanted one.
 *
 * A place is a quality in 256ths. The mean logarithm of its steps is a scale on which the outcomes
 * (logarithm of bytes, dB, logarithm of 1 - SSIM) lie nearly on a line. The search follows the line
 * through the two nearest places, and stays between the last place that was too low and the last
 * one that was too high.
 */
#ifndef XC_SRC_TARGET_SEARCH_H
#define XC_SRC_TARGET_SEARCH_H

enum { XC_FIRST_QUALITY = 256, XC_LAST_QUALITY = 100 * 256 };

typedef struct xc_search_point {
	int quality; /* 0: none */
	double scale;
	double outcome; /* which grows with the scale, but for noise */
} xc_search_point;

typedef struct xc_search {
	double (*scale)(void *user, int quality); /* never falls; equal scales mean equal outcomes */
	void *user;
	double aim, low, high;        /* the wanted outcome, and between which ones it is good enough */
	double slope;                 /* of the line that is taken while there is one point */
	xc_search_point below, above; /* the aim, and nearest to it */
	xc_search_point last;
	int same_side; /* points on the same side as the one before, in a row */
	double width;  /* of the scale between them when it was last halved */
	int slow;      /* points since then */
	int points;
} xc_search;

/* The place to look at after those that xc_search_add() was given; 0: there is nothing more to
 * find. There must be one. */
int xc_search_next(const xc_search *search);
void xc_search_add(xc_search *search, int quality, double outcome);

#endif
