/* SPDX-License-Identifier: BSD-2-Clause */
/* The sizes of samples, apart from the registry, which brings every algorithm with it. */
#include "lab/registry.h"

#include <stdint.h>

size_t xc_precision_bytes(xc_precision precision)
{
	static const size_t bytes[] = {
		[XC_PRECISION_16] = sizeof(int16_t),
		[XC_PRECISION_32] = sizeof(float),
		[XC_PRECISION_64] = sizeof(double),
		[XC_PRECISION_80] = sizeof(long double),
	};
	return bytes[precision];
}

int xc_precision_bits(xc_precision precision)
{
	return precision == XC_PRECISION_80 ? 128 : 8 * (int)xc_precision_bytes(precision);
}
