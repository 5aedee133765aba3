/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>

#include "gpu/transform/short_block.h"

#include "tests/gpu_bands.h"

void xc_gpu_short_blocks(const xc_gpu_job *job, const int16_t *in, int16_t *out, int quick)
{
	xc_short_job mine = {
		.in = in,
		.out = out,
		.in_rows = (ptrdiff_t)job->in.rows,
		.in_cols = (ptrdiff_t)job->in.cols,
		.out_rows = (ptrdiff_t)job->out.rows,
		.out_cols = (ptrdiff_t)job->out.cols,
		.vectors = 1,
		.rounds = job->rounds,
	};
	const int inverse = job->direction == XC_INVERSE;
	mine.across = (mine.in_cols + 7) / 8;
	mine.blocks = mine.across * ((mine.in_rows + 7) / 8);
	for (int i = 0; i < 64; i++) {
		mine.scale[i] = job->scale.f32[i];
		mine.step[i] = inverse ? (int32_t)mine.scale[i] : 0;
	}
	for (ptrdiff_t b = 0; b < mine.blocks; b++) {
		if (quick)
			xc_short_block(&mine, b, inverse, mine.rounds);
		else
			xc_short_any_block(&mine, 8 * (b / mine.across), 8 * (b % mine.across),
			                   inverse);
	}
}
