/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "lab/gpu/band/short_block.h"

#include "lab/tests/gpu_bands.h"

int xc_lab_short_blocks(const xc_lab_job *job, const int16_t *in, int16_t *out, int quick)
{
	xc_short_job mine;
	if (xc_short_set_up(&mine, job, 3))
		return -1;
	mine.in = in;
	mine.out = out;
	for (unsigned unit = 0; unit < mine.units && quick; unit++)
		xc_short_blocks(&mine, unit, job->direction == XC_INVERSE, mine.rounds);
	for (ptrdiff_t y = 0; y < mine.in_rows && !quick; y += 8)
		for (ptrdiff_t x = 0; x < mine.in_cols; x += 8)
			xc_short_any_block(&mine, y, x, job->direction == XC_INVERSE);
	return mine.limit;
}
