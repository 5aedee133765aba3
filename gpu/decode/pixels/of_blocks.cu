/* SPDX-License-Identifier: BSD-2-Clause */
/* The decoder's kernels that make pixels of kept JPEGs. */
#include "gpu/decode/pixels/make_pixels.h"

xc_status xc_gpu_launch_jpeg_pixels(const xc_gpu_decode_launcher *l, const xc_gpu_subbatch *g)
{
	static const xc_gpu_pixels_function kinds[XC_GPU_LAPPED] = {
		xc_gpu_launch_kind<XC_GPU_GREY, 0, XC_GPU_BLOCKS>,
		xc_gpu_launch_kind<XC_GPU_444, 0, XC_GPU_BLOCKS>,
		xc_gpu_launch_kind<XC_GPU_422, 0, XC_GPU_BLOCKS>,
		xc_gpu_launch_kind<XC_GPU_420, 0, XC_GPU_BLOCKS>,
	};

	return kinds[g->kind](l, g);
}
