/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's kernels that make pixels of the rANS mode. */
#include "gpu/decode/pixels/make_pixels.h"

xc_status xc_gpu_launch_rans_pixels(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	return xc_gpu_launch_pixels<XC_GPU_SYMBOLS>(l, g);
}
