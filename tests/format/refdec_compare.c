/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/format/refdec_compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "entropy/tokens.h"
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
		const int layers = (int)r.layers;
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

xc_rans_shape refdec_rans_shape(uint32_t wide, uint32_t high, uint32_t h, uint32_t v)
{
	xc_rans_shape s = {.components = h ? 3 : 1};

	for (int c = 0; c < s.components; c++) {
		s.wide[c] = wide * (c || !h ? 1 : h);
		s.high[c] = high * (c || !h ? 1 : v);
		s.first[c] = s.blocks;
		s.blocks += s.wide[c] * s.high[c];
	}
	return s;
}

const char *refdec_rans_objection(int good, const void *blocks, int depth16,
                                  const xc_rans_shape *shape, const uint8_t *frequencies,
                                  size_t frequencies_size, const uint8_t *segment, size_t size)
{
	const int last = shape->components - 1; /* a component with one block in an MCU */
	const refdec_tile tile = {depth16 ? 16 : 8,
	                          shape->components,
	                          (int)(shape->wide[0] / shape->wide[last]),
	                          (int)(shape->high[0] / shape->high[last]),
	                          shape->wide[last],
	                          shape->high[last],
	                          frequencies,
	                          frequencies_size};
	const size_t n = (size_t)shape->blocks * 64;
	int32_t *values = xc_test_malloc(n * sizeof *values);
	int16_t *narrow = xc_test_malloc(n * sizeof *narrow);
	const char *error = refdec_decode_rans(&tile, segment, size, (int32_t(*)[64])values);

	if (!good || error) {
		error = !good && error ? NULL : good ? error : "the segment is good";
	} else {
		for (size_t i = 0; i < n; i++) {
			values[i] = (int32_t)((uint32_t)values[i] * 16);
			narrow[i] = (int16_t)values[i];
		}
		for (int c = 0; c < shape->components; c++) {
			const size_t first = (size_t)shape->first[c] * 64;
			xc_restore_dc32(values + first, shape->wide[c], shape->high[c]);
			xc_restore_dc16(narrow + first, shape->wide[c], shape->high[c]);
		}
		if (depth16 ? memcmp(values, blocks, n * sizeof *values)
		            : memcmp(narrow, blocks, n * sizeof *narrow))
			error = "other coefficients";
	}
	free(narrow);
	free(values);
	return error;
}
