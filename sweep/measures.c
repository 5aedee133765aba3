/* SPDX-License-Identifier: BSD-2-Clause */
#include "sweep/measures.h"

const xc_sweep_measure xc_sweep_measures[XC_SWEEP_METRICS] = {
	[XC_SWEEP_PSNR_RGB] = {"psnr_rgb", "PSNR, RGB", "dB", 2},
	[XC_SWEEP_PSNR_Y] = {"psnr_y", "PSNR, luma", "dB", 2},
	[XC_SWEEP_PSNR_YCBCR] = {"psnr_ycbcr", "PSNR, YCbCr 6:1:1", "dB", 2},
	[XC_SWEEP_PSNR_R] = {"psnr_r", "PSNR, red", "dB", 2},
	[XC_SWEEP_PSNR_G] = {"psnr_g", "PSNR, green", "dB", 2},
	[XC_SWEEP_PSNR_B] = {"psnr_b", "PSNR, blue", "dB", 2},
	[XC_SWEEP_SSIM_Y] = {"ssim_y", "SSIM, luma", "", 4},
	[XC_SWEEP_MS_SSIM_Y] = {"ms_ssim_y", "MS-SSIM, luma", "", 4},
};
