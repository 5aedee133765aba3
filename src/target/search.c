/* SPDX-License-Identifier: BSD-2-Clause */
#include "src/target/search.h"

/* The first place from `min` to `max` that lies no lower on the scale; most, if there is none. */
static int quality_of(const xc_search *s, double scale, int min, int max)
{
	while (min < max) {
		const int middle = (min + max) / 2;
		if (s->scale(s->user, middle) < scale)
			min = middle + 1;
		else
			max = middle;
	}
	return min;
}

static int between(const xc_search *s)
{
	const xc_search_point *b = &s->below, *a = &s->above;
	/* Where two points did not halve what is between, the line is a bad guide. */
	const double part = s->slow > 1 ? 0.5 : (s->aim - b->outcome) / (a->outcome - b->outcome);
	const double scale = b->scale + part * (a->scale - b->scale);
	int quality = quality_of(s, scale, b->quality + 1, a->quality);

	/* The next lower place, if that one is as good as the upper end. */
	if (s->scale(s->user, quality) >= a->scale)
		quality--;
	return quality > b->quality && s->scale(s->user, quality) > b->scale ? quality : 0;
}

/* All points so far are on one side of the aim; `p` is the nearest. */
static int beyond(const xc_search *s, const xc_search_point *p)
{
	const double step = (s->aim - p->outcome) / s->slope;
	const double scale = p->scale + step * (s->same_side > 1 ? 2 : 1);

	if (p->outcome < s->aim)
		return p->quality == XC_LAST_QUALITY
		           ? 0
		           : quality_of(s, scale, p->quality + 1, XC_LAST_QUALITY);
	return p->quality == XC_FIRST_QUALITY ? 0
	                                      : quality_of(s, scale, XC_FIRST_QUALITY, p->quality - 1);
}

int xc_search_next(const xc_search *s)
{
	if (s->last.outcome >= s->low && s->last.outcome <= s->high)
		return 0;
	if (s->below.quality && s->above.quality)
		return between(s);
	return beyond(s, s->below.quality ? &s->below : &s->above);
}

/* Follows how fast what is between gets smaller. */
static void note_width(xc_search *s)
{
	const double width = s->above.scale - s->below.scale;

	s->slow++;
	if (s->below.quality && s->above.quality && (!(s->width > 0) || 2 * width <= s->width)) {
		s->width = width;
		s->slow = 0;
	}
}

void xc_search_add(xc_search *s, int quality, double outcome)
{
	const xc_search_point p = {quality, s->scale(s->user, quality), outcome};
	const int low = outcome < s->aim;

	if (s->points && p.scale != s->last.scale) {
		const double slope = (outcome - s->last.outcome) / (p.scale - s->last.scale);
		/* Saturated ends and noise say nothing about the middle. */
		if (slope > s->slope / 8 && slope < s->slope * 8)
			s->slope = slope;
		s->same_side = (s->last.outcome < s->aim) == low ? s->same_side + 1 : 0;
	}
	*(low ? &s->below : &s->above) = p;
	s->last = p;
	s->points++;
	note_width(s);
}
