/* SPDX-License-Identifier: BSD-2-Clause */
#include "cli/base/range.h"

#include "cli/base/options.h"
#include "cli/base/report.h"

#include <string.h>

enum { FULL = 65535, LEAST = 255 };

const char *xc_cli_range_parse(const char *text, void *to)
{
	if (!strcmp(text, "auto"))
		*(int *)to = XC_CLI_RANGE_AUTO;
	else if (xc_cli_parse_int(text, 1, FULL, to))
		return "auto or a number from 1 to 65535";
	return NULL;
}

uint32_t xc_cli_largest(const xc_picture *p)
{
	const uint32_t colours = p->channels - !(p->channels % 2);
	const size_t samples = (size_t)p->width * p->channels;
	uint32_t largest = 0;

	for (uint32_t y = 0; y < p->height; y++) {
		const uint8_t *row = (const uint8_t *)p->data + y * p->stride;

		for (size_t i = 0; i < samples; i++) {
			const uint32_t v = p->depth == 8 ? row[i] : ((const uint16_t *)(const void *)row)[i];

			if (v > largest && i % p->channels < colours)
				largest = v;
		}
	}
	return largest;
}

uint32_t xc_cli_range_in_file(uint32_t sample, const xc_metadata *m)
{
	return m->maxval ? (sample * m->maxval + FULL / 2) / FULL : sample;
}

void xc_cli_range_restore(const xc_picture *p, const xc_metadata *m)
{
	for (uint32_t y = 0; y < p->height; y++) {
		uint16_t *row = (void *)((uint8_t *)p->data + y * p->stride);

		for (size_t i = 0; i < (size_t)p->width * p->channels; i++)
			row[i] = (uint16_t)xc_cli_range_in_file(row[i], m);
	}
}

uint32_t xc_cli_peak_of(int given, const xc_picture *p, const xc_metadata *m)
{
	const uint64_t n = given > 0 ? (uint64_t)given : m->range;

	if (given == XC_CLI_RANGE_AUTO)
		return xc_cli_largest(p);
	if (p->depth == 8 || !given || !m->maxval)
		return p->depth == 8 && !given ? 0 : (uint32_t)n;
	return n < m->maxval ? (uint32_t)((n * FULL + m->maxval / 2) / m->maxval) : FULL;
}

uint32_t xc_cli_range_of(int given, const xc_picture *p, const xc_metadata *m)
{
	const uint32_t peak = p->depth == 16 ? xc_cli_peak_of(given, p, m) : 0;
	uint32_t range = LEAST;

	while (range < peak && given == XC_CLI_RANGE_AUTO)
		range = 2 * range + 1;
	return !peak ? 0 : range > peak || given == XC_CLI_RANGE_AUTO ? range : peak;
}

void xc_cli_range_hint(const char *name, uint32_t peak, uint32_t largest, const char *help)
{
	peak = peak ? peak : FULL;
	if (largest && largest < (peak + 1) / 8)
		xc_cli_warning(name, "samples go up to %u of %u: %s", largest, peak, help);
}
