/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/target/search.h"

#include <math.h>

/* Keeps the logarithm finite at quality 100, whose percentage is 0. */
static const double least_percentage = 0.3;

static double scale_of(int place)
{
	const double q = place / 256.0, percentage = q < 50 ? 5000 / q : 200 - 2 * q;
	return -log(percentage + least_percentage);
}

/* The nearest place within the bounds. */
static int place_of(double scale, int least, int most)
{
	const double percentage = exp(-scale) - least_percentage;
	const double q = percentage > 100 ? 5000 / percentage : 100 - percentage / 2;
	const double place = round(q * 256);
	return place < least ? least : place > most ? most : (int)place;
}

static int between(const xc_search *s)
{
	const xc_search_point *b = &s->below, *a = &s->above;
	const double from = scale_of(b->place), to = scale_of(a->place);
	/* A line that misses on one side again and again is a bad guide. */
	const double part = s->same_side > 2 ? 0.5 : (s->aim - b->outcome) / (a->outcome - b->outcome);
	return a->place - b->place < 2
	           ? 0
	           : place_of(from + part * (to - from), b->place + 1, a->place - 1);
}

/* All points so far are on one side of the aim; `p` is the nearest. */
static int beyond(const xc_search *s, const xc_search_point *p)
{
	const double step = (s->aim - p->outcome) / s->slope;
	const double scale = scale_of(p->place) + step * (s->same_side > 1 ? 2 : 1);
	if (p->outcome < s->aim)
		return p->place == XC_LAST_PLACE ? 0 : place_of(scale, p->place + 1, XC_LAST_PLACE);
	return p->place == XC_FIRST_PLACE ? 0 : place_of(scale, XC_FIRST_PLACE, p->place - 1);
}

int xc_search_next(const xc_search *s, int first)
{
	if (!s->points)
		return first;
	if (s->last.outcome >= s->low && s->last.outcome <= s->high)
		return 0;
	if (s->below.place && s->above.place)
		return between(s);
	return beyond(s, s->below.place ? &s->below : &s->above);
}

void xc_search_add(xc_search *s, int place, double outcome)
{
	const xc_search_point p = {place, outcome};
	const int low = outcome < s->aim;
	if (s->points) {
		const double slope = (outcome - s->last.outcome) /
		                     (scale_of(place) - scale_of(s->last.place));
		/* Saturated ends and noise say nothing about the middle. */
		if (slope > s->slope / 8 && slope < s->slope * 8)
			s->slope = slope;
		s->same_side = (s->last.outcome < s->aim) == low ? s->same_side + 1 : 0;
	}
	*(low ? &s->below : &s->above) = p;
	s->last = p;
	s->points++;
}
