/* SPDX-License-Identifier: BSD-2-Clause */
#include "transform/band/frame.h"

#include <stdint.h>
#include <string.h>

#include "transform/frame/team.h"

static ptrdiff_t clamp(ptrdiff_t x, ptrdiff_t low, ptrdiff_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* Blocks are as wide as a vector, so positions further out than a rule needs do
 * occur; what is made of them is never stored, but it must be read somewhere. */
xc_band_source xc_band_locate(const xc_band_axis *axis, ptrdiff_t position)
{
	xc_band_source source = { position, 1 };
	const int outside = position < 0 || position >= axis->padded;
	switch (axis->edge) {
	case XC_EDGE_REPEAT:
		break;
	case XC_EDGE_ZERO:
		source.sign = !outside;
		break;
	case XC_EDGE_MIRROR:
		if (outside)
			source.at = (position < 0 ? 0 : 2 * axis->padded) - 1 - position;
		break;
	case XC_EDGE_MIRROR_BANDS:
		if (outside) {
			const ptrdiff_t band = position & 7, block = (position - band) / 8;
			const ptrdiff_t mirrored =
				(position < 0 ? 0 : 2 * (axis->padded / 8)) - 1 - block;
			source.at = 8 * clamp(mirrored, 0, axis->padded / 8 - 1) + band;
			source.sign = band & 1 ? -1 : 1;
		}
		break;
	}
	source.at = clamp(source.at, 0, axis->in_size - 1);
	return source;
}

#define XC_REAL_BITS 32
#include "transform/band/frame_template.h"
#undef XC_REAL_BITS
#define XC_REAL_BITS 64
#include "transform/band/frame_template.h"
#undef XC_REAL_BITS
#define XC_REAL_BITS 80
#include "transform/band/frame_template.h"
#undef XC_REAL_BITS
