/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/rans/rans.h"

#include "entropy/rans/model.h"

/* A block takes 67 symbols of at most 12 bits, and 64 times a sign, the bits of an escape and
 * those of a class. */
enum { BLOCK_BYTES = 104 + 64 * (1 + 5 + 28) / 8, SLACK = 128 };

size_t xc_rans_bound(const xc_rans_shape *shape)
{
	return (size_t)shape->blocks * BLOCK_BYTES + SLACK;
}

static size_t list_steps(uint32_t wide, uint32_t high, uint32_t components)
{
	xc_rans_group g;
	const uint32_t first[2] = {0, 0};
	size_t steps = 0;
	for (uint32_t row = 0; row < high * components; steps += g.steps)
		row = xc_rans_group_at(&g, row, wide, high, components, first);
	return steps;
}

size_t xc_rans_steps(const xc_rans_shape *shape)
{
	const size_t luma = list_steps(shape->wide[0], shape->high[0], 1);
	return shape->components == 1 ? luma : luma + list_steps(shape->wide[1], shape->high[1], 2);
}

size_t xc_rans_scratch(const xc_rans_shape *shape)
{
	enum { RECORD = XC_RANS_LANES + 4, STEP_SYMBOLS = 64 + XC_RANS_GROUPS };
	return (size_t)shape->blocks * (64 + 2 * STEP_SYMBOLS + 64 * (1 + 5 + 28) / 8) +
	       xc_rans_steps(shape) * STEP_SYMBOLS * RECORD + 4 * SLACK;
}

const xc_rans_level *xc_rans_level_get(xc_cpu cpu, int deep)
{
	static const xc_rans_level *const levels[XC_CPU_LEVELS] =
		{[XC_CPU_SCALAR] = xc_rans_scalar,
	     XC_CPU_ENTRY_SSE2(xc_rans_scalar) XC_CPU_ENTRY_NEON(xc_rans_scalar)
	         XC_CPU_ENTRY_AVX2(xc_rans_avx2) XC_CPU_ENTRY_AVX512(xc_rans_avx512)};
	return &levels[cpu][deep];
}
