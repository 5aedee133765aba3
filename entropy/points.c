/* SPDX-License-Identifier: BSD-2-Clause */
#include "entropy/points.h"

static int8_t point(int64_t sum, uint64_t count)
{
	const int64_t n = (int64_t)count;
	const int64_t p = !n ? 0 : sum < 0 ? -((n / 2 - sum) / n) : (n / 2 + sum) / n;
	return (int8_t)(p > XC_MOST_POINT ? XC_MOST_POINT : p < -XC_MOST_POINT ? -XC_MOST_POINT : p);
}

xc_value_points xc_offsets_points(const xc_offsets *o)
{
	return (xc_value_points){point(o->sum[0], o->count[0]), point(o->sum[1], o->count[1])};
}
