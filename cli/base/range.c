/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/range.h"

#include "cli/base/options.h"
#include "cli/base/report.h"

#include <string.h>

enum { FULL = 65535, LEAST = 255 };

const char *xc_cli_range_parse(const char *text, void *to)
{
	const int is_auto = !strcmp(text, "auto");

	if (is_auto)
		*(int *)to = XC_CLI_RANGE_AUTO;
	return is_auto || !xc_cli_parse_int(text, 1, FULL, to) ? NULL
	                                                       : "auto or a number from 1 to 65535";
}

static uint16_t *row_of(const xc_picture *p, uint32_t y)
{
	return (void *)((uint8_t *)p->data + y * p->stride);
}

uint32_t xc_cli_largest(const xc_picture *p)
{
	const uint32_t channels = p->channels - !(p->channels % 2);
	uint32_t largest = 0;

	for (uint32_t y = 0; y < p->height; y++)
		for (size_t x = 0; x < (size_t)p->width * p->channels; x += p->channels)
			for (size_t i = x; i < x + channels; i++) {
				const uint32_t v = p->depth == 16 ? row_of(p, y)[i]
				                                  : ((const uint8_t *)row_of(p, y))[i];
				largest = v > largest ? v : largest;
			}
	return largest;
}

uint32_t xc_cli_range_in_file(uint32_t sample, const xc_metadata *m)
{
	return m->maxval ? (sample * m->maxval + FULL / 2) / FULL : sample;
}

/* The other way round. */
static uint32_t to_samples(uint32_t value, uint32_t maxval)
{
	const uint64_t scaled = maxval ? ((uint64_t)value * FULL + maxval / 2) / maxval : value;

	return scaled < FULL ? (uint32_t)scaled : FULL;
}

uint32_t xc_cli_range_of(int given, const xc_picture *p, const xc_metadata *m)
{
	uint32_t range = LEAST;

	if (p->depth != 16 || given == XC_CLI_RANGE_NONE)
		return p->depth == 16 ? m->range : 0;
	if (given > 0)
		range = to_samples((uint32_t)given, m->maxval);
	for (uint32_t most = given > 0 ? 0 : xc_cli_largest(p); range < most;)
		range = 2 * range + 1;
	return range > LEAST ? range : LEAST;
}

uint32_t xc_cli_peak_of(int given, const xc_picture *p, const xc_metadata *m)
{
	if (given == XC_CLI_RANGE_AUTO)
		return xc_cli_largest(p);
	return p->depth != 16 ? (uint32_t)given
	       : given        ? to_samples((uint32_t)given, m->maxval)
	                      : m->range;
}

void xc_cli_range_hint(const char *name, const xc_picture *shape, uint32_t peak, uint32_t largest,
                       const char *help)
{
	peak = peak ? peak : FULL;
	if (shape->depth == 16 && largest && largest < (peak + 1) / 8)
		xc_cli_warning(name, "samples go up to %u of %u: %s", largest, peak, help);
}

void xc_cli_range_restore(const xc_picture *p, const xc_metadata *m)
{
	for (uint32_t y = 0; y < p->height; y++)
		for (size_t i = 0; i < (size_t)p->width * p->channels; i++)
			row_of(p, y)[i] = (uint16_t)xc_cli_range_in_file(row_of(p, y)[i], m);
}
