/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/format/refdec_compare.h"

#include "tests/support/samples.h"

uint64_t refdec_differences(const xc_picture *p, const refdec_picture *r)
{
	uint64_t n = 0, i = 0;
	if (p->width != r->width || p->height != r->height || p->channels != r->channels ||
	    p->depth != r->depth)
		return UINT64_MAX;
	for (uint32_t y = 0; y < p->height; y++)
		for (uint32_t x = 0; x < p->width; x++)
			for (uint32_t c = 0; c < p->channels; c++)
				n += xc_sample_at(p, x, y, c) != r->samples[i++];
	return n;
}
