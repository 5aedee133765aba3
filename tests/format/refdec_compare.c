/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/format/refdec_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/samples.h"

static int same(const xc_picture *p, const refdec_picture *r)
{
	uint64_t differences = 0, i = 0;
	if (p->width != r->width || p->height != r->height || p->channels != r->channels ||
	    p->depth != r->depth)
		return 0;
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t c = 0; c < p->channels; c++)
				differences += xc_sample_at(p, x, y, c) != r->samples[i++];
	return !differences;
}

const char *refdec_objection(xc_status s, const xc_picture *p, const uint8_t *file, size_t size,
                             uint64_t max_pixels)
{
	refdec_picture r;
	const char *error = refdec_decode(file, size, max_pixels, &r);
	if (s != XC_OK)
		/* The library's limits may forbid a good file. */
		error = error || s == XC_ERR_LIMIT ? NULL : "the file is good";
	else if (!error && !same(p, &r))
		error = "other samples";
	free(r.samples);
	return error;
}

const char *refdec_damage_objection(xc_status s, const xc_picture *p, uint64_t damaged,
                                    const char *message, const uint8_t *file, size_t size,
                                    uint64_t max_pixels)
{
	uint8_t segments[256] = {0};
	refdec_picture r;
	const char *error = refdec_decode_damaged(file, size, max_pixels, segments, sizeof segments,
	                                          &r);
	if (s != XC_OK) {
		error = error || s == XC_ERR_LIMIT ? NULL : "the file is good";
	} else if (!error) {
		uint64_t count = 0;
		const int layers = r.channels % 2 ? 1 : 2;
		char first[48] = "";
		for (int i = 255; i >= 0; i--) {
			count += segments[i];
			if (segments[i])
				snprintf(first, sizeof first, "%ssegment %d is damaged ",
				         i % layers ? "alpha's " : "", i / layers);
		}
		error = count != damaged                              ? "another number of damaged segments"
		        : strncmp(message, first, strlen(first)) != 0 ? "other segments are damaged"
		        : !same(p, &r)                                ? "other samples"
		                                                      : NULL;
	}
	free(r.samples);
	return error;
}
